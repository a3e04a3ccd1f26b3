"""Long documents: what a token costs as the text before it grows, in time and in memory."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import cycle, islice
from statistics import median
from time import perf_counter_ns
from typing import Any

from benchmarks.engines import Compiled, Cursor, Engine, Source
from benchmarks.shared_data import json_documents, token_table
from benchmarks.suite.case import Case, Text
from benchmarks.suite.corpora import document_text
from benchmarks.suite.report import about, table
from benchmarks.suite.rounds import Options, workers
from benchmarks.suite.worker import resident_bytes

__all__ = ["run_growth"]

MARKS = (100, 1_000, 10_000)
LENGTH = MARKS[-1] + 1
WINDOW = 80
"""The cost at a mark is the median of so many tokens on each side of it, as far as the text goes."""
DISTINCT = 3
"""The array of objects repeats so many."""
RUNS = 3
"""So many runs in a constraint of their own, cold, and then so many in the last of these, warm. Each step
counts with its least time."""
KEPT = 32
"""For memory, so many more sequences are replayed and kept."""


@dataclass(slots=True)
class Growth:
    """Nanoseconds of every step, cold and warm, and the resident bytes that each token leaves, warm."""

    cold: list[int] = field(default_factory=list)
    warm: list[int] = field(default_factory=list)
    bytes_each_token: float = 0.0
    failure: str = ""


def measure_growth(engine: Engine, case: Case, report: Callable[[Growth], None]) -> Growth:
    """Replays a long document again and again."""
    growth = Growth()
    tokens = case.texts[0].tokens
    kept: list[Cursor] = []  # no run may reuse the memory of a run before
    gc.disable()
    try:
        for _ in range(RUNS):
            engine.renew()
            compiled = engine.compile(case.source)
            growth.cold = _least(growth.cold, _replayed(engine, compiled, tokens, kept))
            report(growth)
        for _ in range(RUNS):
            growth.warm = _least(growth.warm, _replayed(engine, compiled, tokens, kept))
            report(growth)
        before = resident_bytes()
        for _ in range(KEPT):
            _replayed(engine, compiled, tokens, kept)
        growth.bytes_each_token = (resident_bytes() - before) / (KEPT * len(tokens))
    except ValueError as error:
        growth.failure = str(error)
    finally:
        gc.enable()
    return growth


def _least(one: list[int], other: list[int]) -> list[int]:
    return list(map(min, one, other)) if one else other


def _replayed(engine: Engine, compiled: Compiled, tokens: Sequence[int], kept: list[Cursor]) -> list[int]:
    """The nanoseconds of each step of one run, whose cursor is kept.

    Raises:
        ValueError: a token is not allowed.
    """
    cursor = compiled()
    cursor.mask()
    kept.append(cursor)
    mask, accept = cursor.mask, cursor.accept
    steps: list[int] = []
    for position, token in enumerate(tokens):
        allowed = engine.words[token >> 5] >> (token & 31) & 1
        start = perf_counter_ns()
        accepted = accept(token)
        mask()
        steps.append(perf_counter_ns() - start)
        if not (allowed and accepted):
            raise ValueError(f"token {position} is not allowed")
    return steps


def run_growth(options: Options) -> dict[str, Any]:
    """Runs all documents on all engines and prints the cost at each mark."""
    saved: dict[str, Any] = {}
    settings = {}
    with workers(options) as made:
        for case in _documents(token_table(options.vocabulary).encode):
            rows = []
            for spec, worker in made.items():
                answer = worker.call(measure_growth, case, options.seconds)
                growth: Growth = answer.result or Growth()
                failure = growth.failure or answer.failure
                saved.setdefault(case.name, {})[str(spec)] = _figures(growth, failure)
                rows.append([str(spec), *_row(growth, failure)])
                settings[spec] = worker.settings
            columns = [f"at {mark:,}" for mark in MARKS]
            heads = [f"{case.name}: µs, warm", *columns, "ratio", "cold p50", "cold p99.9", "bytes a token"]
            print(table(heads, rows), flush=True)
    return {**about(options, settings, "long"), "marks": MARKS, "results": saved}


def _cost(steps: Sequence[int], mark: int) -> float:
    return median(steps[mark - WINDOW : mark + WINDOW]) / 1000


def _figures(growth: Growth, failure: str) -> dict[str, Any]:
    if failure:
        return {"failure": failure}
    cold = sorted(growth.cold)
    return {
        "warm microseconds at marks": [round(_cost(growth.warm, mark), 2) for mark in MARKS],
        "cold p50": cold[len(cold) // 2] / 1000,
        "cold p99.9": cold[-len(cold) // 1000] / 1000,
        "bytes a token": round(growth.bytes_each_token, 1),
    }


def _row(growth: Growth, failure: str) -> list[object]:
    if failure:
        return [failure, "", "", "", "", "", ""]
    made = _figures(growth, failure)
    costs = made["warm microseconds at marks"]
    ratio = f"{costs[-1] / costs[0]:.2f}"
    return [*costs, ratio, made["cold p50"], made["cold p99.9"], made["bytes a token"]]


def _documents(encode: Callable[[str], list[int]]) -> list[Case]:
    """An array of a few real objects again and again, one long string, and an array of records.

    They repeat, so that the text around each mark is alike.
    """
    objects = []
    size = 0
    for document in cycle(islice(json_documents(), DISTINCT)):
        objects.append(json.loads(document))
        size += len(document)
        if size > LENGTH * 8:
            break
    words = " ".join(document.replace('"', "").replace("\\", "") for document in map(document_text, objects))
    records = [{"id": index, "name": f"record {index}", "tags": ["a", "b"]} for index in range(LENGTH // 10)]
    record = {
        "type": "object",
        "properties": {
            "id": {"type": "integer"},
            "name": {"type": "string"},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["id", "name"],
        "additionalProperties": False,
    }
    schemas: list[tuple[str, Any, Any]] = [
        ("objects", {"type": "array", "items": {"type": "object"}}, objects),
        ("one string", {"type": "string"}, words),
        ("records", {"type": "array", "items": record}, records),
    ]
    return [
        Case(
            name,
            Source("json_schema", json.dumps(schema)),
            [Text(encode(document_text(value))[:LENGTH], True)],
        )
        for name, schema, value in schemas
    ]
