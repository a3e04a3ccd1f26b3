"""Many schemas at once, in processes of their own."""

from __future__ import annotations

import multiprocessing
from functools import partial

from benchmarks.json_schema_random.checking import Figures, check_schema
from benchmarks.json_schema_random.engine import vocabulary

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
