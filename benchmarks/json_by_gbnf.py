"""JSON by llama.cpp's ``json.gbnf`` on the Llama 3 vocabulary: first masks, and masks for each token.

Replays real JSON documents token by token. Every token must be allowed by the mask before it, and every
document complete at its end, or the run fails: answers are checked as well as timed.

- TTFM: compile plus first mask, in a fresh constraint for each document.
- TBM: fill a mask and accept one token. Cold: a fresh constraint for each document. Warm: one constraint
  that has seen all documents before.
"""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Sequence
from time import perf_counter_ns

import numpy as np
from numpy.typing import NDArray

import maskwright as mw
from benchmarks.shared_data import data_file, json_documents, llama3_encoding, reference_vocabulary

Nanoseconds = list[int]


def replay(matcher: mw.Matcher, tokens: Sequence[int], mask: NDArray[np.int32], times: Nanoseconds) -> None:
    """Replays a document, and adds the nanoseconds of each mask and accept to ``times``."""
    row = mask[0]
    for token in tokens:
        start = perf_counter_ns()
        matcher.fill_mask(mask, 0)
        allowed = bool(row[token >> 5] >> (token & 31) & 1)
        accepted = matcher.accept(token)
        times.append(perf_counter_ns() - start)
        if not (allowed and accepted):
            sys.exit(f"wrong answer: token {token} mask={allowed} accept={accepted}")
    if not matcher.is_complete:
        sys.exit("wrong answer: a whole document is not complete")


def row(name: str, times: Nanoseconds) -> str:
    """A line of a table: percentiles in microseconds."""
    p50, p90, p99, p999 = np.percentile(times, [50, 90, 99, 99.9]) / 1000
    columns = [f"{value:.1f}" for value in (p50, p90, p99, p999, max(times) / 1000)]
    return " | ".join([f"| {name}", str(len(times)), *columns]) + " |"


def accepted_documents(compiler: mw.Compiler, grammar: mw.Grammar, wanted: int) -> list[list[int]]:
    """The tokens of the first documents that the grammar accepts; it knows no numbers of 17 digits."""
    encoding = llama3_encoding()
    constraint = compiler.compile(grammar)
    documents = []
    for text in json_documents():
        matcher = constraint.matcher()
        if matcher.accept_bytes(text.encode()) and matcher.is_complete:
            documents.append(encoding.encode_ordinary(text))
            if len(documents) == wanted:
                break
    return documents


def main() -> None:
    """Runs the benchmark and prints a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--documents", type=int, default=400, help="how many documents to replay")
    wanted = parser.parse_args().documents
    vocabulary = reference_vocabulary("llama3")
    compiler = mw.Compiler(vocabulary)
    text = data_file("grammars/json.gbnf").read_text(encoding="utf-8")
    documents = accepted_documents(compiler, mw.Grammar.gbnf(text), wanted)
    mask = mw.allocate_mask(1, vocabulary.size)
    first: Nanoseconds = []
    cold: Nanoseconds = []
    warm: Nanoseconds = []
    for tokens in documents:
        start = perf_counter_ns()
        matcher = compiler.compile(mw.Grammar.gbnf(text)).matcher()
        matcher.fill_mask(mask, 0)
        first.append(perf_counter_ns() - start)
        replay(matcher, tokens, mask, cold)
    constraint = compiler.compile(mw.Grammar.gbnf(text))
    for times in ([], warm):
        for tokens in documents:
            replay(constraint.matcher(), tokens, mask, times)
    print(f"json.gbnf, Llama 3 vocabulary, {len(documents)} documents, one thread, {platform.machine()}")
    print("| microseconds | count | p50 | p90 | p99 | p99.9 | max |\n|---|--:|--:|--:|--:|--:|--:|")
    print(row("TTFM: compile and first mask", first))
    print(row("TBM cold: a constraint for each document", cold))
    print(row("TBM warm: all in one constraint", warm))
    print(f"afterwards: {constraint.statistics()}")


if __name__ == "__main__":
    main()
