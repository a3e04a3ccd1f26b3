"""JSON by llama.cpp's ``json.gbnf`` on the Llama 3 vocabulary: first masks, and masks for each token.

Replays real JSON documents token by token, under maskwright and whichever other engines are installed
(``pip install llguidance``), in one run and one loop. Every token must be allowed by the mask before
it, and every document complete at its end: answers are checked as well as timed, and wrong ones are counted.

- TTFM: read and compile the grammar, plus the first mask, afresh for each document.
- TBM cold: fill a mask and accept one token, in a fresh constraint for each document.
- TBM warm: the same in one constraint that has seen all documents before.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from time import perf_counter_ns

import numpy as np

import maskwright as mw
from benchmarks.engines import ENGINES, Cursor, Engine, available_engines
from benchmarks.shared_data import data_file, json_documents, llama3_encoding, reference_vocabulary

PERCENTILES = (50, 90, 99, 99.9, 100)


@dataclass
class Times:
    """Nanoseconds of one engine, and the documents that it got wrong."""

    first: list[int] = field(default_factory=list)
    cold: list[int] = field(default_factory=list)
    warm: list[int] = field(default_factory=list)
    wrong: int = 0


def replay(cursor: Cursor, tokens: Sequence[int], times: list[int]) -> bool:
    """Replays a document, adds the time of each mask and accept, and says whether all was allowed."""
    for token in tokens:
        start = perf_counter_ns()
        words = cursor.mask()
        allowed = words[token >> 5] >> (token & 31) & 1
        accepted = cursor.accept(token)
        times.append(perf_counter_ns() - start)
        if not (allowed and accepted):
            return False
    return cursor.is_complete()


def measure(engine: Engine, text: str, documents: Sequence[Sequence[int]]) -> Times:
    """Runs all documents through an engine: each in a grammar of its own, then twice in one."""
    times = Times()
    for tokens in documents:
        start = perf_counter_ns()
        cursor = engine.compile(text)()
        cursor.mask()
        times.first.append(perf_counter_ns() - start)
        times.wrong += not replay(cursor, tokens, times.cold)
    make: Callable[[], Cursor] = engine.compile(text)
    for target in ([], times.warm):
        for tokens in documents:
            replay(make(), tokens, target)
    return times


def row(name: str, times: Sequence[int], wrong: int) -> str:
    """A line of a table: percentiles in microseconds."""
    columns = [f"{value / 1000:.1f}" for value in np.percentile(times, PERCENTILES)]
    return " | ".join([f"| {name}", str(len(times)), *columns, str(wrong)]) + " |"


def accepted_documents(vocabulary: mw.Vocabulary, text: str, wanted: int) -> list[list[int]]:
    """The tokens of the first documents that the grammar accepts; it knows no numbers of 17 digits."""
    encoding = llama3_encoding()
    constraint = mw.Compiler(vocabulary).compile(mw.Grammar.gbnf(text))
    documents = []
    for document in json_documents():
        matcher = constraint.matcher()
        if matcher.accept_bytes(document.encode()) and matcher.is_complete:
            documents.append(encoding.encode_ordinary(document))
            if len(documents) == wanted:
                break
    return documents


def main() -> None:
    """Runs the benchmark and prints a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--documents", type=int, default=200, help="how many documents to replay")
    parser.add_argument("--save", type=Path, help="write the percentiles to this JSON file")
    arguments = parser.parse_args()
    vocabulary = reference_vocabulary("llama3")
    text = data_file("grammars/json.gbnf").read_text(encoding="utf-8")
    documents = accepted_documents(vocabulary, text, arguments.documents)
    print(f"json.gbnf, Llama 3 vocabulary, {len(documents)} documents, one thread, {platform.machine()}\n")
    print(
        "| microseconds | count | p50 | p90 | p99 | p99.9 | max | wrong |\n|---|--:|--:|--:|--:|--:|--:|--:|"
    )
    saved = {}
    for name in available_engines():
        times = measure(ENGINES[name](vocabulary), text, documents)
        kinds = {"TTFM": times.first, "TBM cold": times.cold, "TBM warm": times.warm}
        for kind, values in kinds.items():
            print(row(f"{kind}, {name}", values, times.wrong), flush=True)
        saved[name] = {
            kind: [value / 1000 for value in np.percentile(values, PERCENTILES)]
            for kind, values in kinds.items()
        }
    if arguments.save:
        result = {
            "date": date.today().isoformat(),
            "machine": f"{platform.platform()}, {os.cpu_count()} cores",
            "documents": len(documents),
            "percentiles": PERCENTILES,
            "microseconds": saved,
        }
        arguments.save.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
