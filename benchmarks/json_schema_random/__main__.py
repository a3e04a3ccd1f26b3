"""The command line: see the package's description."""

from __future__ import annotations

import argparse
import sys

from benchmarks.json_schema_random.checking import Figures
from benchmarks.json_schema_random.engine import vocabulary
from benchmarks.json_schema_random.running import run
from benchmarks.json_schema_random.shrinking import shrunk


def report(figures: Figures, shown: int) -> None:
    """Prints the figures, and the first mismatches as programs."""
    for name, count in sorted(figures.counts.items()):
        print(f"{name}: {count}")
    print(f"refused: {figures.refused.total()}")
    for reason, count in figures.refused.most_common():
        print(f"    {reason}: {count}")
    print(f"mismatches: {len(figures.mismatches)}")
    words = vocabulary()
    for mismatch in figures.mismatches[:shown]:
        print("\n" + shrunk(words, mismatch).reproducer())


def main() -> None:
    """Runs the checks that the command line asks for."""
    parser = argparse.ArgumentParser(description="Random JSON schemas against jsonschema.")
    parser.add_argument("--documents", type=int, default=50_000, help="how many documents to judge")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2, help="how many processes")
    parser.add_argument("--shown", type=int, default=10, help="stop after, and show, so many mismatches")
    arguments = parser.parse_args()
    figures = run(arguments.documents, arguments.seed, arguments.jobs, arguments.shown)
    report(figures, arguments.shown)
    sys.exit(bool(figures.mismatches))


if __name__ == "__main__":
    main()
