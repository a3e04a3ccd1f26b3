"""The command line: see the package's description."""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from functools import partial

from benchmarks.json_schema_random.checking import Figures, check_schema
from benchmarks.json_schema_random.engine import vocabulary
from benchmarks.json_schema_random.shrinking import shrunk

#: Schemas for each piece of work that a process takes.
CHUNK = 20


def check_chunk(seed: int, chunk: int) -> Figures:
    """Checks the schemas of one chunk, whichever process runs it."""
    words = vocabulary()
    figures = Figures()
    for index in range(chunk * CHUNK, (chunk + 1) * CHUNK):
        figures.add(check_schema(words, f"{seed}:{index}"))
    return figures


def run(documents: int, seed: int, jobs: int, shown: int) -> Figures:
    """Checks schemas until there are so many documents, or so many mismatches."""
    figures = Figures()
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        while figures.documents < documents and len(figures.mismatches) < shown:
            first = figures.counts["schemas"] // CHUNK
            chunks = range(first, first + 4 * jobs)
            for done in pool.imap(partial(check_chunk, seed), chunks):
                figures.add(done)
    return figures


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
