"""Walks a matcher along tokens, asks for a mask before each, and finds where it stops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter_ns

import maskwright as mw
from benchmarks.tool_calls.families import Tokeniser

__all__ = ["Place", "Walker", "first_difference"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a matcher stopped.

    Attributes:
        token: the number of the token that was not allowed; the number of all tokens if each was.
        item: the number of the byte or special token that was not allowed, likewise.
        may_end: whether the text may end there.
    """

    token: int
    item: int
    may_end: bool


@dataclass(slots=True)
class Walker:
    """Walks in the vocabulary of a tokeniser.

    Attributes:
        tokeniser: splits texts.
        steps: the nanoseconds of each timed step: a token accepted, and the mask that follows.
    """

    tokeniser: Tokeniser
    steps: list[int] = field(default_factory=list)

    def walk(self, constraint: mw.Constraint, tokens: Sequence[int], *, timed: bool = False) -> Place:
        """Walks along tokens to the first that is not allowed, and into its bytes.

        Raises:
            AssertionError: a mask and the acceptance of a token contradict each other.
        """
        matcher = constraint.matcher()
        mask = mw.allocate_mask(1, self.tokeniser.table.size)
        words = mask[0]
        fill, accept, steps = matcher.fill_mask, matcher.accept, self.steps if timed else []
        fill(mask, 0)
        at, items = 0, 0
        for at, token in enumerate(tokens):
            if not words[token >> 5] >> (token & 31) & 1:
                assert not accept(token), f"token {at} is accepted and not in the mask"
                break
            start = perf_counter_ns()
            accepted = accept(token)
            fill(mask, 0)
            steps.append(perf_counter_ns() - start)
            assert accepted, f"token {at} is in the mask and not accepted"
            items += self.tokeniser.items_of(token)
        else:
            stops = any(words[token >> 5] >> (token & 31) & 1 for token in self.tokeniser.table.stop_ids)
            may_end = matcher.is_finished or matcher.is_complete
            assert stops == may_end or matcher.is_finished, (
                "the stop tokens and is_complete contradict each other"
            )
            return Place(len(tokens), items, may_end)
        return Place(at, items + self._bytes_allowed(matcher, tokens[at]), matcher.is_complete)

    def _bytes_allowed(self, matcher: mw.Matcher, token: int) -> int:
        """How many bytes of a token are allowed, one by one; zero of a special token."""
        if token in self.tokeniser.names:
            return 0
        singles = self.tokeniser.single_bytes
        for number, byte in enumerate(self.tokeniser.table.tokens[token] or b""):
            if byte not in singles or not matcher.accept(singles[byte]):
                return number
        return self.tokeniser.items_of(token)


def first_difference(items: Sequence[bytes], other: Sequence[bytes]) -> int:
    """The number of the first item in which two texts differ."""
    return next(
        (number for number, (one, two) in enumerate(zip(items, other, strict=False)) if one != two),
        min(len(items), len(other)),
    )
