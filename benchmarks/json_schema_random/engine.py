"""maskwright's side: verdicts on texts, and documents by random walks under the mask."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any, Literal

import numpy as np

import maskwright as mw

__all__ = ["DEAD_END", "Subject", "Walk", "random_walk", "vocabulary"]

Order = Literal["declared", "any"]
Spaces = Literal["free", "compact", "none", "spaced"]

#: Tokens of several bytes, as real vocabularies have them: they cross the borders between parts of the text.
LONGER = (
    '":',
    '","',
    '"}',
    '{"',
    '":"',
    "},",
    "]}",
    '"],',
    "[[",
    "true",
    "false",
    "null",
    "\\u00",
    "\\ud83d",
)
LONGER_TOO = ("ab", "ba", '"a', 'a"', ".5", "0.", "1,", "00", "e1", ', "', "  ", "\\n", "é", "😀")
#: The fault of a beginning that nothing can follow, though it is not complete.
DEAD_END = "dead end: the mask allows no token"
#: Bytes after which a text is nearer to its end, and those that the schemas are about.
CLOSERS = frozenset(b'"}]')
FAMILIAR = frozenset(b'ab1c0,:.{["tfn\\')


def vocabulary() -> mw.Vocabulary:
    """All single bytes by their values, some longer tokens, and a stop token."""
    tokens: list[bytes | None] = [bytes([byte]) for byte in range(256)]
    tokens += [text.encode() for text in (*LONGER, *LONGER_TOO)]
    return mw.Vocabulary.from_tokens([*tokens, None], stop_ids=[len(tokens)])


class Subject:
    """A schema under maskwright.

    Attributes:
        words: the vocabulary.
        refused: why there is no verdict, or ``""``.
        empty: whether maskwright says that no text at all is valid.
    """

    def __init__(
        self, words: mw.Vocabulary, schema: Any, order: Order = "any", whitespace: Spaces = "free"
    ) -> None:
        self.words = words
        self.refused = ""
        self.empty = False
        self._constraint: mw.Constraint | None = None
        try:
            grammar = mw.Grammar.json_schema(schema, order=order, whitespace=whitespace)
            self._constraint = mw.Compiler(words).compile(grammar)
        except mw.errors.EmptyGrammarError:
            self.empty = True
        except mw.errors.UnsupportedFeatureError as error:
            self.refused = error.feature
        except mw.errors.BudgetExceededError as error:
            self.refused = f"budget {error.budget}"

    def matcher(self) -> mw.Matcher | None:
        """A matcher at the beginning, unless the schema is refused or empty."""
        return self._constraint.matcher() if self._constraint else None

    def is_valid(self, text: str) -> bool | None:
        """The verdict on a whole text; None where the schema turns out to be refused."""
        matcher = self.matcher()
        if matcher is None:
            return None if self.refused else False
        try:
            return matcher.accept_bytes(text.encode()) and matcher.is_complete
        except mw.errors.UnsupportedFeatureError as error:
            self.refused = error.feature
        except mw.errors.BudgetExceededError as error:
            self.refused = f"budget {error.budget}"
        return None

    def is_dead_end(self, text: str) -> bool:
        """Whether a beginning of a text is accepted, though nothing can follow and it is not complete."""
        matcher = self.matcher()
        if matcher is None or not matcher.accept_bytes(text.encode()):
            return False
        return not matcher.is_complete and not matcher.allowed_tokens()


@dataclass(frozen=True)
class Walk:
    """A text written under the mask, and how it ended.

    Attributes:
        data: the bytes written.
        fault: what went wrong, or ``""``: a dead end, a mask that differs from what is accepted, or a prefix
            whose completeness differs from its validity.
        finished: whether the text is a whole document.
    """

    data: bytes
    fault: str = ""
    finished: bool = False


def random_walk(random: Random, subject: Subject, is_valid: Callable[[bytes], bool | None]) -> Walk:
    """Writes one document: tokens drawn from each mask, closing ones more and more likely.

    Args:
        random: where the choices come from.
        subject: the schema; it must have a matcher.
        is_valid: the other validator's verdict on a prefix; None where that is no JSON text.
    """
    matcher = subject.matcher()
    if matcher is None:
        return Walk(b"")
    mask = mw.allocate_mask(1, subject.words.size)
    stop = subject.words.stop_ids[0]
    written = bytearray()
    patience = random.choice((0, 10, 40))
    for step in range(300):
        matcher.fill_mask(mask, 0)
        allowed = np.flatnonzero(np.unpackbits(mask.view(np.uint8), bitorder="little")[: subject.words.size])
        fault = _fault(allowed, stop, matcher.is_complete, is_valid(bytes(written)))
        if fault:
            return Walk(bytes(written), fault)
        if matcher.is_complete and (len(allowed) == 1 or random.random() < 0.5):
            return Walk(bytes(written), finished=True)
        token = _draw(random, subject.words, allowed[allowed != stop], eager=step >= patience)
        if not matcher.accept(token):
            return Walk(bytes(written), f"token {token} is in the mask but not accepted")
        written += subject.words.token_bytes(token) or b""
    return Walk(bytes(written))


def _fault(allowed: np.ndarray[Any, Any], stop: int, complete: bool, valid: bool | None) -> str:
    if len(allowed) == 0:
        return DEAD_END
    if bool(stop in allowed) != complete:
        return (
            f"the mask {'allows' if stop in allowed else 'forbids'} the stop token, is_complete is {complete}"
        )
    if complete and valid is None:
        return "complete, but not a JSON text"
    if valid is not None and valid != complete:
        return f"is_complete is {complete}, but the other validator says {valid}"
    return ""


def _draw(random: Random, words: mw.Vocabulary, allowed: np.ndarray[Any, Any], *, eager: bool) -> int:
    """One of the allowed tokens, such as the schemas are about, and to the end where that is wanted."""
    if random.random() < 0.05:
        return int(random.choice(allowed))
    weights = []
    for token in allowed:
        data = words.token_bytes(int(token)) or b""
        weight = 20.0 if data[0] in FAMILIAR else 1.0
        if data[-1] in CLOSERS:
            weight = 600.0 if eager else 60.0
        weights.append(weight)
    return int(random.choices(allowed, weights)[0])
