"""Walks a text through a matcher, token by token.

Takes a matcher, a text and a tokeniser (or none) and gives a :class:`Replay`: whether the text satisfies
the grammar, is the beginning of one that does, or where it stops being legal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from maskwright import Matcher, Vocabulary
from maskwright.generation import TextEncoder

__all__ = ["Failure", "Replay", "Step", "replay", "split_into_tokens"]


@dataclass(frozen=True)
class Step:
    """A piece of the text that is committed at once.

    Attributes:
        token_id: the token, or None for a byte by itself.
        data: its bytes.
    """

    token_id: int | None
    data: bytes


@dataclass(frozen=True)
class Failure:
    """Where a text stops being legal.

    Attributes:
        offset: the position of the first byte that is not legal, counted from 0.
        line: its line, counted from 1.
        column: its column in code points, counted from 1.
        step: the number of the step it lies in, counted from 0.
        token: that step.
    """

    offset: int
    line: int
    column: int
    step: int
    token: Step


@dataclass(frozen=True)
class Replay:
    """What came of a text.

    Attributes:
        complete: the text satisfies the grammar.
        failure: where it stops being legal, or None where all of it is.
        expected: what may come next, at the failure or at the end.
    """

    complete: bool
    failure: Failure | None
    expected: list[str]


def split_into_tokens(text: bytes, vocabulary: Vocabulary, encoder: TextEncoder | None) -> list[Step]:
    """Splits a text as the model's tokeniser does, or into bytes.

    Args:
        text: the text.
        vocabulary: gives the bytes of tokens.
        encoder: the tokeniser, if there is one.

    Returns:
        Steps whose bytes together are the text: tokens if the tokeniser's tokens spell it, each a part (one
        that adds a space, changes characters or has no token for them does not, and a text that is not UTF-8
        has no tokens), bytes otherwise.
    """
    if encoder is not None:
        try:
            ids = encoder.encode_plain(text.decode("utf-8"))
        except UnicodeDecodeError:
            ids = []
        steps = [Step(token_id, vocabulary.token_bytes(token_id) or b"") for token_id in ids]
        # A token without bytes, such as that for what is unknown, spells nothing, and grammars refuse it.
        if all(step.data for step in steps) and b"".join(step.data for step in steps) == text:
            return steps
    return [Step(None, text[offset : offset + 1]) for offset in range(len(text))]


def replay(matcher: Matcher, steps: Sequence[Step]) -> Replay:
    """Commits steps until one is refused.

    Args:
        matcher: a fresh matcher; it is left where the replay ends.
        steps: the text, split.

    Returns:
        What came of it.
    """
    offset = 0
    for index, step in enumerate(steps):
        accepted = matcher.accept_bytes(step.data) if step.token_id is None else matcher.accept(step.token_id)
        if not accepted:
            good = _accept_longest_prefix(matcher, step.data)
            text = b"".join(earlier.data for earlier in steps[:index]) + step.data
            line, column = _place(text, offset + good)
            failure = Failure(offset + good, line, column, index, step)
            return Replay(False, failure, list(matcher.expected()))
        offset += len(step.data)
    return Replay(matcher.is_complete, None, list(matcher.expected()))


def _accept_longest_prefix(matcher: Matcher, data: bytes) -> int:
    """Commits bytes until one is refused; gives how many were accepted."""
    for index in range(len(data)):
        if not matcher.accept_bytes(data[index : index + 1]):
            return index
    return len(data)


def _place(text: bytes, offset: int) -> tuple[int, int]:
    """The line and the column of a byte, both counted from 1."""
    before = text[:offset].decode("utf-8", "ignore")
    line_start = before.rfind("\n") + 1
    return before.count("\n") + 1, len(before) - line_start + 1
