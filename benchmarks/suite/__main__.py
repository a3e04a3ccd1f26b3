"""``python -m benchmarks.suite WORKLOAD``: engines side by side. Run with ``--help`` for the options."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks.engines import ENGINES
from benchmarks.suite.command_line import at_least, engines_of, refuse_what_has_no_meaning
from benchmarks.suite.report import save
from benchmarks.suite.rounds import Options
from benchmarks.suite.workloads import ALL_OPTIONS, WORKLOADS, Choice

DEFAULT = ("copy", "maskwright", "llguidance", "glrmask", "xgrammar", "xgrammar:strict=on")


def main(words: Sequence[str] | None = None) -> None:
    """Runs a workload, prints its tables and saves its figures; by default as the command line says."""
    arguments = parse_arguments(words)
    options = Options(
        arguments.engines,
        arguments.vocabulary,
        arguments.seconds,
        arguments.memory << 30,
        arguments.repeat,
        arguments.turn,
        quiet=not arguments.loud,
    )
    choice = Choice(
        arguments.sample,
        arguments.seed,
        arguments.whitespace,
        arguments.cache,
        arguments.prefill / 1000,
        arguments.between << 20,
        arguments.threads,
    )
    result = WORKLOADS[arguments.workload].run(options, choice)
    if arguments.save:
        save(arguments.save, result)


def parse_arguments(words: Sequence[str] | None) -> argparse.Namespace:
    """The arguments, with the engines that are installed; leaves with a message where they make no sense."""
    parser = _parser()
    arguments = parser.parse_args(words)
    heeded = WORKLOADS[arguments.workload].options
    refuse_what_has_no_meaning(parser, arguments, ALL_OPTIONS - heeded, arguments.workload)
    arguments.engines = engines_of(parser, arguments.engines or DEFAULT) if "engines" in heeded else []
    return arguments


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.suite",
        description=__doc__.split("\n", 1)[0],
        epilog="workloads: " + "; ".join(f"{name}: {entry.about}" for name, entry in WORKLOADS.items()),
    )
    parser.add_argument("workload", choices=WORKLOADS)
    parser.add_argument(
        "--engines",
        action="append",
        metavar="NAME[:OPTION=VALUE,...]",
        help=f"an engine of {', '.join(ENGINES)}; give it again for more; by default {' '.join(DEFAULT)}. "
        + "; ".join(f"{name} has {entry.options_told}" for name, entry in ENGINES.items() if entry.options),
    )
    parser.add_argument("--sample", type=at_least(1), help="how many cases; drawn by chance, but for gbnf")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--whitespace", choices=("free", "fixed"), default="free")
    parser.add_argument("--cache", choices=("cold", "run", "warm"), default="cold", help="see METHODOLOGY.md")
    parser.add_argument(
        "--prefill",
        type=at_least(0, float),
        default=0.0,
        help="milliseconds between compiling and the first mask",
    )
    parser.add_argument(
        "--between", type=at_least(0), default=0, help="MiB of other memory that are read between two masks"
    )
    parser.add_argument("--vocabulary", default="llama3", help="a vocabulary of the test data")
    parser.add_argument(
        "--seconds",
        type=at_least(0.1, float),
        default=60.0,
        help="the longest time for a case and engine; five times as long for a batch, and ten for memory and "
        "what comes before batches",
    )
    parser.add_argument("--memory", type=at_least(1), default=16, help="GiB of address space for each engine")
    parser.add_argument(
        "--repeat",
        type=at_least(1),
        default=1,
        help="least time of so many runs: of each cold case, or of the whole run where caches are kept",
    )
    parser.add_argument(
        "--threads", type=at_least(1), nargs="+", default=[1, 2], help="of batches, one after the other"
    )
    parser.add_argument(
        "--turn", type=at_least(1), default=20, help="how many cases an engine runs in its turn"
    )
    parser.add_argument("--loud", action="store_true", help="let engines print")
    parser.add_argument("--save", type=Path, help="write the figures to this JSON file")
    return parser


if __name__ == "__main__":
    main()
