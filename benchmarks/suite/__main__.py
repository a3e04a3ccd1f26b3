"""``python -m benchmarks.suite WORKLOAD``: engines side by side. Run with ``--help`` for the options."""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.engines import ENGINES, installed
from benchmarks.suite.report import save
from benchmarks.suite.rounds import Options
from benchmarks.suite.workloads import WORKLOADS, Choice

DEFAULT = ("copy", "maskwright", "llguidance", "glrmask", "xgrammar", "xgrammar:strict=on")


def main() -> None:
    """Runs a workload, prints its tables and saves its figures."""
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n", 1)[0],
        epilog="workloads: " + "; ".join(f"{name}: {entry.about}" for name, entry in WORKLOADS.items()),
    )
    parser.add_argument("workload", choices=WORKLOADS)
    parser.add_argument(
        "--engines",
        action="append",
        metavar="NAME[:OPTION=VALUE,...]",
        help=f"an engine of {', '.join(ENGINES)}; give it again for more; by default {' '.join(DEFAULT)}",
    )
    parser.add_argument("--sample", type=int, help="how many cases, by chance")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--whitespace", choices=("free", "fixed"), default="free")
    parser.add_argument("--cache", choices=("cold", "run", "warm"), default="cold", help="see METHODOLOGY.md")
    parser.add_argument(
        "--prefill", type=float, default=0.0, help="milliseconds between compiling and the first mask"
    )
    parser.add_argument(
        "--between", type=int, default=0, help="MiB of other memory that are read between two masks"
    )
    parser.add_argument("--vocabulary", default="llama3", help="a vocabulary of the test data")
    parser.add_argument("--seconds", type=float, default=60.0, help="the longest time for a case and engine")
    parser.add_argument("--memory", type=int, default=16, help="GiB of address space for each engine")
    parser.add_argument("--repeat", type=int, default=1, help="cold cases: least time of so many runs")
    parser.add_argument(
        "--threads", type=int, nargs="+", default=[1, 2], help="of batches, one after the other"
    )
    parser.add_argument("--turn", type=int, default=20, help="how many cases an engine runs in its turn")
    parser.add_argument("--loud", action="store_true", help="let engines print")
    parser.add_argument("--save", type=Path, help="write the figures to this JSON file")
    arguments = parser.parse_args()
    options = Options(
        installed(arguments.engines or list(DEFAULT)),
        arguments.vocabulary,
        arguments.seconds,
        arguments.memory << 30,
        arguments.repeat,
        max(1, arguments.turn),
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


if __name__ == "__main__":
    main()
