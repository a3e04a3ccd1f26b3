"""Many sequences at once: microseconds for each sequence and step, by the engines' own batch calls."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter_ns
from typing import Any

import numpy as np

from benchmarks.engines import Compiled, Engine, Refused
from benchmarks.suite.case import Case, Text
from benchmarks.suite.report import about, table
from benchmarks.suite.rounds import Options, workers

__all__ = ["run_batches"]

ROWS = (64, 512)
STEPS = 200
WARM_STEPS = 200
MINIMUM_TOKENS = 20


@dataclass(frozen=True, slots=True)
class BatchCase:
    """Rows that replay the valid texts of the cases in turn, each starting elsewhere."""

    cases: list[Case]
    rows: int
    threads: int


@dataclass(slots=True)
class _Row:
    """A sequence in progress: which text, and how far."""

    texts: Sequence[tuple[int, Text]]
    compiled: Sequence[Compiled]
    next_text: int
    matcher: Any = None
    tokens: Sequence[int] = ()
    position: int = 0

    def token(self) -> int:
        """The next token, of the next text where one has ended."""
        if self.position == len(self.tokens):
            case, text = self.texts[self.next_text % len(self.texts)]
            self.next_text += 1
            self.matcher, self.tokens, self.position = self.compiled[case]().matcher, text.tokens, 0
        self.position += 1
        return self.tokens[self.position - 1]


def usable_cases(engine: Engine, cases: Sequence[Case], report: Callable[[Any], None]) -> list[int]:
    """The indices of cases whose valid texts the engine takes without complaint."""
    found = []
    for index, case in enumerate(cases):
        try:
            compiled = engine.compile(case.source)
        except Refused:
            continue
        if all(_accepts(compiled, text) for text in case.texts if text.valid):
            found.append(index)
        report(found)
    return found


def _accepts(compiled: Compiled, text: Text) -> bool:
    cursor = compiled()
    return all(cursor.accept(token) for token in text.tokens) and bool(cursor.is_complete())


_kept: dict[tuple[str, ...], list[Compiled]] = {}
"""What this process has compiled, for the next batch."""


def _compiled(engine: Engine, cases: Sequence[Case]) -> list[Compiled]:
    names = tuple(case.name for case in cases)
    if names not in _kept:
        _kept[names] = [engine.compile(case.source) for case in cases]
    return _kept[names]


def measure_batch(engine: Engine, batch_case: BatchCase, report: Callable[[Any], None]) -> list[int]:
    """The nanoseconds of each timed step; a step accepts a token in each row and fills all masks."""
    compiled = _compiled(engine, batch_case.cases)
    texts = [
        (index, text) for index, case in enumerate(batch_case.cases) for text in case.texts if text.valid
    ]
    rows = [_Row(texts, compiled, row) for row in range(batch_case.rows)]
    batch = engine.batch(batch_case.rows, batch_case.threads)
    numbers = np.arange(batch_case.rows)
    times = []
    gc.disable()
    try:
        for step in range(WARM_STEPS + STEPS):
            tokens = [row.token() for row in rows]
            matchers = [row.matcher for row in rows]
            if step > 0:
                _check(batch.mask, numbers, tokens, [row.position > 1 for row in rows])
            start = perf_counter_ns()
            accepted = batch.accept(matchers, tokens)
            batch.fill(matchers)
            times.append(perf_counter_ns() - start)
            if not all(accepted):
                raise ValueError(f"step {step}: a token of a valid text was not accepted")
    finally:
        gc.enable()
    return times[WARM_STEPS:]


def _check(mask: Any, numbers: Any, tokens: Sequence[int], continued: Sequence[bool]) -> None:
    """Every token that goes on with a sequence must be in the mask filled before."""
    ids = np.asarray(tokens)
    allowed = mask[numbers, ids >> 5] >> (ids & 31) & 1
    if not np.all(allowed.astype(bool) | ~np.asarray(continued)):
        raise ValueError("a mask hides a token of a valid text")


def run_batches(
    cases: Sequence[Case], options: Options, wanted: int, numbers_of_threads: Sequence[int]
) -> dict[str, Any]:
    """Runs batches of the first cases that all engines take, and prints the time of a sequence and step."""
    saved: dict[str, Any] = {str(spec): {} for spec in options.engines}
    long_enough = [case for case in cases if any(_fits(text) for text in case.texts)]
    settings = {}
    with workers(options) as made:
        chosen = set(range(len(long_enough)))
        for spec, worker in list(made.items()):
            answer = worker.call(usable_cases, long_enough, options.seconds * 10)
            if not answer.result:
                print(f"{spec} takes none of the grammars and is left out: {answer.failure or 'refused'}\n")
                del made[spec], saved[str(spec)]
                continue
            chosen &= set(answer.result)
        if not chosen or not made:
            sys.exit("no grammar is one that all engines take; ask for a larger --sample")
        picked = [_valid_only(long_enough[index]) for index in sorted(chosen)[:wanted]]
        for rows in ROWS:
            # Once before, so that the first number of threads finds in the engine what the others find.
            rehearsal = BatchCase(picked, rows, numbers_of_threads[0])
            for worker in made.values():
                worker.call(measure_batch, rehearsal, options.seconds * 5)
            for threads in numbers_of_threads:
                for spec, worker in made.items():
                    answer = worker.call(measure_batch, BatchCase(picked, rows, threads), options.seconds * 5)
                    saved[str(spec)][f"{rows} rows, {threads} threads"] = (
                        round(median(answer.result) / 1000 / rows, 3) if answer.result else answer.failure
                    )
        settings = {spec: worker.settings for spec, worker in made.items()}
    columns = list(next(iter(saved.values())))
    print(f"{len(picked)} grammars\n")
    print(
        table(
            ["µs for a sequence and step", *columns], [[name, *row.values()] for name, row in saved.items()]
        )
    )
    return {**about(options, settings, "batch", grammars=len(picked)), "results": saved}


def _fits(text: Text) -> bool:
    return text.valid and len(text.tokens) >= MINIMUM_TOKENS


def _valid_only(case: Case) -> Case:
    return Case(case.name, case.source, [text for text in case.texts if _fits(text)])
