"""Text that arrives in pieces, and the questions that parsers ask about it.

The readers are generators: they yield where the answer depends on text that is still to come, and are resumed
when there is more of it, or when it has ended. So every decision is the same however the text was cut up.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Generator, Iterable
from typing import TypeVar

from maskwright.errors import ToolCallSyntaxError

__all__ = ["MAXIMUM_DEPTH", "TOO_DEEP", "Choices", "Reader", "Reading", "Tags", "is_too_deep"]

_Result = TypeVar("_Result")
Reading = Generator[None, None, _Result]
"""A reading under way: it yields where more text is needed, and returns what it found."""

MAXIMUM_DEPTH = 190
"""How deeply arguments may be nested, counted from the object or the call around them, in every format.

Python's own reader of literals takes no more than 200 brackets, and its readers and writers use the stack.
"""

TOO_DEEP = f"nested more than {MAXIMUM_DEPTH} levels deep"

_OUTSIDE_STRINGS = re.compile(r"""[^"'{}\[\]()]*""")
_INSIDE_STRINGS = re.compile(r"""[^"'\\]*""")
_CLOSING = {"{": "}", "[": "]", "(": ")"}


def _shared(one: str, other: str) -> int:
    """How many characters two strings begin with alike."""
    pairs = zip(one, other, strict=False)
    return next((at for at, pair in enumerate(pairs) if pair[0] != pair[1]), min(len(one), len(other)))


class Tags:
    """Strings to watch for. Immutable.

    Of tags that begin with one another only the shortest counts: it is found first.

    Attributes:
        texts: the strings.
    """

    def __init__(self, texts: Collection[str]) -> None:
        self.texts: list[str] = []
        for text in sorted(set(texts)):
            # In this order, whatever begins with a text follows it at once.
            if text and not (self.texts and text.startswith(self.texts[-1])):
                self.texts.append(text)
        self._pattern = re.compile("|".join(map(re.escape, self.texts))) if self.texts else None
        self._beginnings = {text[:length] for text in self.texts for length in range(1, len(text))}
        self._longest = max(map(len, self.texts), default=1) - 1

    def find(self, text: str, start: int, *, is_all: bool) -> tuple[int, str | None]:
        """Where the first tag begins, and which it is; otherwise where one may yet begin, and None.

        Args:
            text: the text so far.
            start: where to begin.
            is_all: whether there is no more of it.
        """
        found = self._pattern.search(text, start) if self._pattern is not None else None
        limit = len(text) if found is None else found.start()
        for at in range(max(start, len(text) - self._longest), 0 if is_all else limit):
            if text[at:] in self._beginnings:
                return at, None
        if found is None:
            return len(text), None
        return found.start(), found.group()


class Choices:
    """Strings of which one may stand at a place. Immutable; looking takes the logarithm of their number.

    Attributes:
        texts: the strings, in their order.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = sorted(set(texts))
        self._known = frozenset(self.texts)
        self._lengths = sorted({len(text) for text in self.texts}, reverse=True)

    @property
    def longest(self) -> int:
        """The length of the longest."""
        return self._lengths[0] if self._lengths else 0

    def may_go_on(self, text: str) -> bool:
        """Whether one of the strings begins with a text and is longer."""
        at = bisect_right(self.texts, text)
        return at < len(self.texts) and self.texts[at].startswith(text)

    def beginning_of(self, text: str) -> str | None:
        """The longest of the strings that a text begins with."""
        return next((text[:length] for length in self._lengths if text[:length] in self._known), None)


class Reader:
    """Text that arrives in pieces.

    Attributes:
        ended: whether no more text will come.
    """

    def __init__(self, offset: int = 0) -> None:
        self._text = ""
        self._at = 0
        self._before = offset
        self.ended = False

    def feed(self, text: str) -> None:
        """Takes more text."""
        if self._at:
            self._text = self._text[self._at :]
            self._before += self._at
            self._at = 0
        self._text += text

    def end(self) -> None:
        """There is no more text."""
        self.ended = True

    @property
    def offset(self) -> int:
        """How many characters have been read."""
        return self._before + self._at

    @property
    def length(self) -> int:
        """How many characters are here that have not been read."""
        return len(self._text) - self._at

    def skip(self, length: int) -> None:
        """Passes over text that is here."""
        self._at += length

    def error(self, expected: str, choices: Choices | None = None) -> ToolCallSyntaxError:
        """The error that something else stands here.

        Args:
            expected: what would have been accepted.
            choices: what could stand here: the fault is where all of it differs from what does.
        """
        texts = choices.texts if choices is not None else []
        here = self._text[self._at : self._at + 30 + (choices.longest if choices is not None else 0)]
        shared = max((_shared(text, here) for text in texts), default=0)
        found = here[shared : shared + 30]
        shown = repr(found) if found else "the end of the text" if self.ended else "no more text so far"
        offset = max(0, self.offset + shared)
        return ToolCallSyntaxError(
            f"offset {offset}: found {shown}, expected {expected}", offset=offset, expected=expected
        )

    def is_cut_off(self, choices: Choices) -> bool:
        """Whether the text has ended within one of some strings, or before it."""
        return self.ended and self.length < choices.longest and choices.may_go_on(self._text[self._at :])

    def at_end(self) -> Reading[bool]:
        """Whether there is nothing more to read."""
        while self.length == 0:
            if self.ended:
                return True
            yield
        return False

    def match(self, choices: Choices) -> Reading[str | None]:
        """The longest of some strings that stands here, without passing over it; None where there is none."""
        while True:
            here = self._text[self._at : self._at + choices.longest]
            if self.ended or not choices.may_go_on(here):
                return choices.beginning_of(here)
            yield

    def take(self, choices: Choices) -> Reading[str | None]:
        """The longest of some strings that stands here, and passes over it; None where there is none."""
        found = yield from self.match(choices)
        self.skip(len(found or ""))
        return found

    def up_to(self, tags: Tags, give: Callable[[str], object]) -> Reading[str | None]:
        """Passes on text up to the first tag, which it does not pass over; None where the text ends first."""
        while True:
            place, found = tags.find(self._text, self._at, is_all=self.ended)
            if place > self._at:
                give(self._text[self._at : place])
                self._at = place
            if found is not None or self.ended:
                return found
            yield

    def white_space(self) -> Reading[None]:
        """Passes over white space."""
        while True:
            while self._at < len(self._text) and self._text[self._at] in " \t\n\r":
                self._at += 1
            if self.length or self.ended:
                return
            yield

    def bracketed(
        self, quotes: str, give: Callable[[str], object], *, inside: bool = False, around: int = 0
    ) -> Reading[bool]:
        """Passes on text from a bracket to the one that closes it, minding strings.

        Args:
            quotes: the characters that open and close strings.
            give: what the text is passed on to, brackets too.
            inside: whether the opening bracket, a parenthesis, was read before; the closing one is then not
                passed on, nor passed over.
            around: how many levels the text stands in already.

        Returns:
            Whether the closing bracket was found; otherwise the text ended.

        Raises:
            ToolCallSyntaxError: the brackets do not match, or are nested too deeply.
        """
        brackets = _Brackets(quotes, [")"] if inside else [], started=inside, around=around)
        while True:
            start = self._at
            try:
                self._at, closed = brackets.scan(self._text, start)
            except _UnexpectedCharacterError as unexpected:
                if unexpected.at > start:  # as where the text had been cut there
                    give(self._text[start : unexpected.at])
                self._at = unexpected.at
                raise self.error(unexpected.expected) from None
            end = self._at - 1 if closed and inside else self._at
            if end > start:
                give(self._text[start:end])
            self._at = end
            if closed or self.ended:
                return closed
            yield


def is_too_deep(text: str, *, around: int = 0) -> bool:
    """Whether a text is an array or object of JSON, as far as it goes, that is nested too deeply.

    Args:
        text: the text.
        around: how many levels it stands in already.
    """
    if text.count("{") + text.count("[") <= MAXIMUM_DEPTH - around:
        return False
    try:
        _Brackets('"', [], started=False, around=around).scan(text, 0)
    except _TooDeepError:
        return True
    except _UnexpectedCharacterError:
        return False
    return False


class _UnexpectedCharacterError(Exception):
    """A character that cannot stand where it does.

    Attributes:
        at: its position.
        expected: what could.
    """

    def __init__(self, at: int, expected: str) -> None:
        super().__init__(expected)
        self.at = at
        self.expected = expected


class _TooDeepError(_UnexpectedCharacterError):
    """A bracket that opens one level too many."""


class _Brackets:
    """The brackets and the string that are open at some place."""

    def __init__(self, quotes: str, expected: list[str], *, started: bool, around: int) -> None:
        self._most = MAXIMUM_DEPTH - around
        self._quotes = quotes
        self._expected = expected
        self._started = started
        self._quote = ""
        self._escaped = False

    def scan(self, text: str, at: int) -> tuple[int, bool]:
        """Reads on to the end, or past the last closing bracket; says where, and whether the latter."""
        while at < len(text):
            if self._escaped:
                self._escaped = False
            elif self._quote:
                at = _INSIDE_STRINGS.match(text, at).end()  # type: ignore[union-attr]  # it matches anything
                self._in_string(text[at : at + 1])
            else:
                if self._started:
                    at = _OUTSIDE_STRINGS.match(text, at).end()  # type: ignore[union-attr]
                if self._outside(text[at : at + 1], at):
                    return at + 1, True
            at += 1
        return min(at, len(text)), False

    def _in_string(self, character: str) -> None:
        if character == "\\":
            self._escaped = True
        elif character == self._quote:
            self._quote = ""

    def _outside(self, character: str, at: int) -> bool:
        """Takes a character outside strings; says whether it closes the last bracket."""
        if character in _CLOSING:
            self._started = True
            self._expected.append(_CLOSING[character])
            if len(self._expected) > self._most:
                raise _TooDeepError(at, f"no more than {MAXIMUM_DEPTH} levels of nesting")
        elif not self._started:
            raise _UnexpectedCharacterError(at, "an opening bracket")
        elif character and character in self._quotes:
            self._quote = character
        elif character and character in ")]}":
            if self._expected[-1] != character:
                raise _UnexpectedCharacterError(at, f"`{self._expected[-1]}`")
            self._expected.pop()
            return not self._expected
        return False
