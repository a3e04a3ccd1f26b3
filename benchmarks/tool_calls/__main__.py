"""``python -m benchmarks.tool_calls replay|many|harmony``. Run with ``--help`` for the options."""

from __future__ import annotations

import argparse
import functools
import sys
from pathlib import Path

from benchmarks.suite.command_line import at_least, engines_of
from benchmarks.suite.report import save
from benchmarks.suite.rounds import Options
from benchmarks.tool_calls.cases import CORPORA
from benchmarks.tool_calls.families import families
from benchmarks.tool_calls.harmony import replay_conversation, show_conversation
from benchmarks.tool_calls.many import run_many
from benchmarks.tool_calls.replay import cases_of_corpora, replay_family, show

ENGINES_OF_MANY = (
    "copy",
    "maskwright",
    "maskwright:tools=tags",
    "llguidance",
    "llguidance:tools=structtag",
    "xgrammar",
)


def main() -> None:
    """Runs a benchmark, prints its tables and saves its figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    commands = parser.add_subparsers(required=True)
    replay = commands.add_parser("replay", help="gold calls and mutations, in every family's format")
    replay.add_argument("--family", action="append", help="a format by name; give it again for more")
    replay.add_argument("--corpus", action="append", choices=CORPORA, help="by default all")
    replay.add_argument(
        "--sample", type=at_least(1), help="so many cases of each corpus, by chance; by default all"
    )
    replay.add_argument("--seed", type=int, default=1, help="of the sample and of the mutations")
    replay.add_argument("--save", type=Path, help="write the figures to this JSON file")
    replay.set_defaults(run=_replay)
    many = commands.add_parser("many", help="many tools at once, side by side with peers")
    many.add_argument("--tools", type=at_least(2), default=128)
    many.add_argument("--engines", action="append", metavar="NAME[:OPTION=VALUE,...]", help="as of the suite")
    many.add_argument("--vocabulary", default="llama3", help="a vocabulary of the test data")
    many.add_argument(
        "--repeat", type=at_least(1), default=1, help="count each step with the least of so many runs"
    )
    many.add_argument(
        "--seconds", type=at_least(0.1, float), default=120.0, help="the longest time for a case and engine"
    )
    many.add_argument("--seed", type=int, default=1, help="of the choice of tools")
    many.add_argument("--save", type=Path, help="write the figures to this JSON file")
    many.set_defaults(run=functools.partial(_many, many))
    harmony = commands.add_parser("harmony", help="a whole conversation of gpt-oss")
    harmony.add_argument("--save", type=Path, help="write the figures to this JSON file")
    harmony.set_defaults(run=_harmony)
    arguments = parser.parse_args()
    arguments.run(arguments)


def _replay(arguments: argparse.Namespace) -> None:
    cases = cases_of_corpora(arguments.corpus or list(CORPORA), arguments.sample, arguments.seed)
    wanted = arguments.family
    chosen = [family for family in families() if not wanted or family.layout.name in wanted]
    results = []
    for family in chosen:
        results.append(replay_family(family, cases, seed=arguments.seed, progress=_say))
    show(results)
    if arguments.save:
        by_name = {figures.family.layout.name: figures.as_dict() for figures in results}
        sizes = {name: len(corpus) for name, corpus in cases.items()}
        save(arguments.save, {"cases": sizes, "seed": arguments.seed, "families": by_name})


def _many(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> None:
    specs = engines_of(parser, arguments.engines or ENGINES_OF_MANY)
    options = Options(specs, arguments.vocabulary, arguments.seconds, repeat=arguments.repeat)
    result = run_many(options, arguments.tools, arguments.seed)
    if arguments.save:
        save(arguments.save, result)


def _harmony(arguments: argparse.Namespace) -> None:
    found = replay_conversation()
    show_conversation(found)
    if arguments.save:
        save(arguments.save, found.as_dict())


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
