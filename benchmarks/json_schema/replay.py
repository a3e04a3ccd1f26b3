"""Replaying JSON values token by token under maskwright, with masks checked and steps timed."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import perf_counter_ns
from typing import Any

import maskwright as mw
from benchmarks.json_schema.engines import Problem, document_bytes, json_schema_grammar
from benchmarks.json_schema.verdicts import Refusal, refusal_of
from benchmarks.shared_data import llama3_encoding

__all__ = ["Compiled", "Replay", "Replayer"]


@dataclass(slots=True)
class Compiled:
    """What compiling a schema gave.

    Attributes:
        constraint: the constraint; `None` where it was refused, or no value satisfies the schema.
        refusal: why it was refused, if so.
        nanoseconds: the time to read and compile the schema, or to refuse it.
        first_mask_nanoseconds: the time with the first mask; 0 where none was filled.
    """

    constraint: mw.Constraint | None = None
    refusal: Refusal | None = None
    nanoseconds: int = 0
    first_mask_nanoseconds: int = 0


@dataclass(slots=True)
class Replay:
    """What one value showed.

    Attributes:
        accepted: whether every token was accepted and the text may end there.
        masks_checked: how many masks were compared with what is accepted.
        mask_errors: where a mask and the matcher disagree, in words.
        step_nanoseconds: the time of mask and accept together, for each token with a mask.
    """

    accepted: bool = False
    masks_checked: int = 0
    mask_errors: list[str] = field(default_factory=list)
    step_nanoseconds: list[int] = field(default_factory=list)


class Replayer:
    """maskwright with the vocabulary of a model.

    Args:
        vocabulary: the vocabulary of Llama 3.
        every: fill a mask at every so many tokens; 0 for none.
        budget: limits on each schema and step.
    """

    def __init__(self, vocabulary: mw.Vocabulary, *, every: int = 0, budget: mw.Budget | None = None) -> None:
        self._budget = budget or mw.Budget()
        self._compiler = mw.Compiler(vocabulary, budget=self._budget)
        self._stop = vocabulary.stop_ids[0]
        self._every = every
        self._mask = mw.allocate_mask(1, vocabulary.size)
        self._encode: Callable[[str], list[int]] = llama3_encoding().encode_ordinary

    def compile(self, problem: Problem) -> Compiled:
        """Compiles a schema, with Python's garbage collector kept out of the times."""
        gc.collect()
        gc.disable()
        result = Compiled()
        start = perf_counter_ns()
        try:
            result.constraint = self._compiler.compile(json_schema_grammar(problem, self._budget))
            result.nanoseconds = perf_counter_ns() - start
            if self._every:
                result.constraint.matcher().fill_mask(self._mask, 0)
                result.first_mask_nanoseconds = perf_counter_ns() - start
        except Exception as error:
            result.nanoseconds = perf_counter_ns() - start
            if not isinstance(error, mw.EmptyGrammarError):
                result.refusal = refusal_of(error)
        finally:
            gc.enable()
        return result

    def tokens(self, value: Any) -> list[int]:
        """The tokens of a value's JSON text."""
        return self._encode(document_bytes(value).decode())

    def replay(self, constraint: mw.Constraint, tokens: Sequence[int]) -> Replay:
        """Feeds the tokens to a new matcher, until one is refused."""
        result = Replay()
        matcher = constraint.matcher()
        for position, token in enumerate(tokens):
            if self._every and position % self._every == 0:
                accepted = self._masked_step(matcher, token, position, result)
            else:
                accepted = matcher.accept(token)
            if not accepted:
                self._check(matcher, token, False, f"token {position}, refused", result)
                return result
        result.accepted = matcher.is_complete
        self._check(matcher, self._stop, result.accepted, "the stop token", result)
        return result

    def _masked_step(self, matcher: mw.Matcher, token: int, position: int, result: Replay) -> bool:
        """Fills a mask and accepts a token, timed together, and compares the two."""
        start = perf_counter_ns()
        matcher.fill_mask(self._mask, 0)
        allowed = self._bit(token)
        accepted = matcher.accept(token)
        result.step_nanoseconds.append(perf_counter_ns() - start)
        result.masks_checked += 1
        if allowed != accepted:
            result.mask_errors.append(f"token {position}: mask {allowed}, accept {accepted}")
        return accepted

    def _check(self, matcher: mw.Matcher, token: int, expected: bool, what: str, result: Replay) -> None:
        """Compares a token's bit in the mask of where the matcher stands with what it ought to be."""
        if not self._every:
            return
        matcher.fill_mask(self._mask, 0)
        result.masks_checked += 1
        if self._bit(token) != expected:
            result.mask_errors.append(f"{what}: mask {not expected}, matcher {expected}")

    def _bit(self, token: int) -> bool:
        return bool(self._mask[0, token >> 5] >> (token & 31) & 1)
