"""Batches: the time of a step for each sequence, when many sequences share a constraint and threads.

    python -m benchmarks.batch --sequences 512 --threads 1 2

Each sequence writes one of the valid documents of a schema of MaskBench, the sequences of one document a
few tokens apart, so that they are at different places.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter_ns
from typing import Any

import numpy as np

import maskwright as mw
from benchmarks.json_schema.engines import Problem, document_bytes, json_schema_grammar
from benchmarks.json_schema.maskbench import read_cases
from benchmarks.json_schema.report import markdown_table
from benchmarks.shared_data import llama3_encoding, reference_vocabulary

__all__ = ["Sequences", "StepTimes", "measure", "sequences_of_schema"]

#: Sequences of one document begin so many tokens apart.
APART = 3


@dataclass(slots=True)
class Sequences:
    """Matchers at different places, and the tokens that each is to accept, step by step."""

    matchers: list[mw.Matcher]
    steps: list[list[int]]


@dataclass(slots=True)
class StepTimes:
    """The nanoseconds of each step of the batch."""

    fill: list[int]
    accept: list[int]


def documents(entries: Sequence[Any]) -> tuple[Any, list[str]]:
    """The schema with the longest valid documents in all, and the documents."""

    def texts(entry: Any) -> list[str]:
        return [document_bytes(test["data"]).decode() for test in entry["tests"] if test["valid"]]

    entry = max(entries, key=lambda entry: sum(len(text) for text in texts(entry)))
    return entry["schema"], texts(entry)


def sequences_of_schema(
    constraint: mw.Constraint, tokens: Sequence[Sequence[int]], *, count: int, steps: int
) -> Sequences:
    """So many matchers, spread over documents that are given as tokens."""
    longest = [document for document in tokens if len(document) > steps]
    if not longest:
        raise ValueError(f"no document has more than {steps} tokens")
    matchers, chosen = [], []
    for index in range(count):
        document = longest[index % len(longest)]
        start = index // len(longest) * APART % (len(document) - steps)
        matcher = constraint.matcher()
        assert matcher.accept_tokens(document[:start]) == start
        matchers.append(matcher)
        chosen.append(document[start : start + steps])
    return Sequences(matchers, [list(step) for step in zip(*chosen, strict=True)])


def measure(sequences: Sequences, mask: Any, *, threads: int, held: Any = None) -> StepTimes:
    """Fills and accepts for all sequences, step by step, and takes them back to where they were."""
    times = StepTimes([], [])
    keywords: dict[str, Any] = {} if held is None else {"held": held}
    for tokens in sequences.steps:
        start = perf_counter_ns()
        mw.fill_masks(sequences.matchers, mask, threads=threads, **keywords)
        middle = perf_counter_ns()
        accepted = mw.accept_batch(sequences.matchers, tokens, threads=threads)
        times.accept.append(perf_counter_ns() - middle)
        times.fill.append(middle - start)
        assert accepted.all()
    for matcher in sequences.matchers:
        matcher.rollback(len(sequences.steps))
    return times


def copy_times(rows: int, words: int, repeats: int) -> list[int]:
    """The floor: nanoseconds to copy rows from different places, on one thread."""
    source = np.ones((rows, words), dtype=np.int32)
    target = np.zeros_like(source)
    times = []
    for _ in range(repeats):
        start = perf_counter_ns()
        np.copyto(target, source)
        times.append(perf_counter_ns() - start)
    return times


def _rows(
    start: Callable[[], Sequences], words: int, threads: Sequence[int], repeats: int
) -> Iterator[list[Any]]:
    """A row of the table for each number of threads: cold once, then the best of the warm repeats."""
    for count in threads:
        for keep in (False, True):
            sequences = start()
            rows = len(sequences.matchers)
            mask = np.zeros((rows, words), dtype=np.int32)
            held = np.zeros(rows, dtype=np.uint64) if keep else None
            runs = [measure(sequences, mask, threads=count, held=held) for _ in range(1 + repeats)]
            scale = 1000 * rows * len(sequences.steps)
            cold = (sum(runs[0].fill) + sum(runs[0].accept)) / scale
            fill = sum(map(min, zip(*(run.fill for run in runs[1:]), strict=True))) / scale
            accept = sum(map(min, zip(*(run.accept for run in runs[1:]), strict=True))) / scale
            name = f"{count} threads" + (", rows identified" if keep else "")
            yield [name, *(f"{value:.2f}" for value in (cold, fill, accept, fill + accept))]


def main() -> None:
    """Prints microseconds for each sequence and step."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--sequences", type=int, default=512)
    parser.add_argument("--steps", type=int, default=64)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--repeats", type=int, default=5, help="warm runs, of which the best step counts")
    arguments = parser.parse_args()
    vocabulary = reference_vocabulary("llama3")
    schema, texts = documents(read_cases(limit=500))
    encode = llama3_encoding().encode_ordinary
    tokens = [encode(text) for text in texts]

    def start() -> Sequences:
        constraint = mw.Compiler(vocabulary).compile(json_schema_grammar(Problem(schema)))
        return sequences_of_schema(constraint, tokens, count=arguments.sequences, steps=arguments.steps)

    words = -(-vocabulary.size // 32)
    table = list(_rows(start, words, arguments.threads, arguments.repeats))
    copy = min(copy_times(arguments.sequences, words, 20)) / 1000 / arguments.sequences
    columns = ["microseconds a sequence and step", "cold", "warm fill", "warm accept", "warm"]
    print(markdown_table(columns, table))
    print(f"copying {words * 4} bytes: {copy:.2f}")


if __name__ == "__main__":
    main()
