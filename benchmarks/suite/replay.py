"""The one loop: every engine is timed and checked here.

The time to the first mask is that of reading and compiling the grammar, starting a sequence and filling
one mask, without the pause that a case may have between. Each step after it is one accepted token and the
mask that follows, also after the last token. Outside the time are the conversion of a grammar to an
engine's own notation, what a case reads of other memory before each step, and the checks: the token of the
text must be in the mask before it, and a token whose bit is not set must be rejected.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import cache
from time import perf_counter_ns, sleep

import numpy as np
from numpy.typing import NDArray

from benchmarks.engines import Compiled, Cursor, Engine, Refused
from benchmarks.suite.case import Case, Outcome, Text, Verdict

__all__ = ["replay_case", "replay_texts"]

REPORT_NANOSECONDS = 1_000_000_000


def replay_case(engine: Engine, case: Case, report: Callable[[Outcome], None]) -> Outcome:
    """Replays a case; reports what is known so far now and then, for the case that the process is ended."""
    outcome = Outcome()
    if case.renew:
        engine.renew()
    gc.collect()
    gc.disable()
    try:
        compiled, cursor = _first_mask(engine, case, outcome)
        if compiled is not None and cursor is not None:
            report(outcome)
            _replay_texts(engine, case, compiled, cursor, outcome, report)
    finally:
        gc.enable()
    return outcome


def _first_mask(engine: Engine, case: Case, outcome: Outcome) -> tuple[Compiled | None, Cursor | None]:
    start = perf_counter_ns()
    try:
        source = engine.spelled(case.source)
        _read_other_memory(case.between)
        start = perf_counter_ns()
        compiled = engine.compile(source)
        outcome.compile = perf_counter_ns() - start
        if case.prefill:
            sleep(case.prefill)
            _read_other_memory(case.between)
        begun = perf_counter_ns()
        cursor = compiled()
        cursor.mask()
        outcome.first_mask = outcome.compile + perf_counter_ns() - begun
    except Exception as error:
        outcome.compile = perf_counter_ns() - start
        outcome.message = _described(error)
        verdict = Verdict.REFUSED if isinstance(error, Refused) else Verdict.ERROR
        outcome.verdicts = [verdict] * len(case.texts)
        return None, None
    return compiled, cursor


def _replay_texts(
    engine: Engine,
    case: Case,
    compiled: Compiled,
    cursor: Cursor,
    outcome: Outcome,
    report: Callable[[Outcome], None],
) -> None:
    """Replays all texts, the timed ones last; the first of them goes on with the cursor given, if it can."""
    for _ in range(case.rehearsals):
        replay_texts(engine, case, compiled, Outcome())
    reporter = _Reporter(outcome, report)
    for index, text in enumerate(case.texts):
        fresh = index > 0 or case.rehearsals > 0
        try:
            started = _started(compiled) if fresh else cursor
            verdict = _replay(engine, started, text, outcome, reporter, between=case.between)
        except Exception as error:
            verdict = Verdict.ERROR
            outcome.message = _described(error)
        outcome.verdicts.append(verdict)


class _Reporter:
    """Reports an outcome that grows, at intervals."""

    def __init__(self, outcome: Outcome, report: Callable[[Outcome], None]) -> None:
        self._outcome, self._report = outcome, report
        self._due = perf_counter_ns() + REPORT_NANOSECONDS

    def tick(self, now: int) -> None:
        """Reports if it is time to."""
        if now > self._due:
            self._report(self._outcome)
            self._due = perf_counter_ns() + REPORT_NANOSECONDS


def replay_texts(engine: Engine, case: Case, compiled: Compiled, outcome: Outcome) -> None:
    """Replays all texts in new sequences, for what they leave behind in the engine."""
    reporter = _Reporter(outcome, lambda _: None)
    for text in case.texts:
        _replay(engine, _started(compiled), text, outcome, reporter)


def _started(compiled: Compiled) -> Cursor:
    cursor = compiled()
    cursor.mask()
    return cursor


def _replay(
    engine: Engine, cursor: Cursor, text: Text, outcome: Outcome, reporter: _Reporter, *, between: int = 0
) -> Verdict:
    """Replays a text from a cursor whose first mask is filled."""
    words, steps, mask, accept = engine.words, outcome.steps, cursor.mask, cursor.accept
    for position, token in enumerate(text.tokens):
        if not words[token >> 5] >> (token & 31) & 1:
            if accept(token):
                outcome.message = f"token {position} is accepted and not in the mask"
                return Verdict.ERROR
            return Verdict.WRONG_REJECT if text.valid else Verdict.RIGHT
        _read_other_memory(between)
        start = perf_counter_ns()
        accepted = accept(token)
        if accepted:
            mask()
        end = perf_counter_ns()
        if not accepted:
            outcome.message = f"token {position} is in the mask and not accepted"
            return Verdict.ERROR
        steps.append(end - start)
        reporter.tick(end)
    complete = bool(cursor.is_complete())
    if complete == text.valid:
        return Verdict.RIGHT
    return Verdict.WRONG_ACCEPT if complete else Verdict.WRONG_REJECT


def _read_other_memory(size: int) -> None:
    if size:
        _other_memory(size).sum()


@cache
def _other_memory(size: int) -> NDArray[np.int64]:
    # Pages of zeros that nothing was written to are all the same one.
    return np.ones(size // 8, np.int64)


def _described(error: Exception) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}"[:300]
