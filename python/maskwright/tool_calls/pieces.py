"""Grammars of the parts of a layout that are the same for all tools."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import maskwright as mw
from maskwright.budget import Budget
from maskwright.errors import BudgetExceededError, GrammarError
from maskwright.grammar import Grammar
from maskwright.tool_calls.parts import Ending, Key, Part, Special, StringMark, Text, fixed_text

__all__ = ["Piece", "Pieces", "naming"]

Piece = str | Grammar
"""What a composed grammar is made of; a string is its characters."""


@contextmanager
def naming(what: str) -> Iterator[None]:
    """Puts what a schema or grammar belongs to in front of the message of an error about it.

    The rest of the error stays: a location is that in the schema itself.
    """
    try:
        yield
    except (GrammarError, BudgetExceededError) as error:
        error.args = (f"{what}: {error}",)
        raise


@dataclass(frozen=True, slots=True)
class Pieces:
    """Makes pieces of the parts of a layout, and grammars of pieces.

    Attributes:
        typed: whether special tokens are typed as text.
        budget: limits on each grammar; None for those of :class:`maskwright.Budget`.
    """

    typed: bool
    budget: Budget | None

    def fixed(self, parts: Sequence[Part | Key | StringMark]) -> list[Piece]:
        """The pieces of parts that are the same in every message: Text, Special and Ending."""
        pieces: list[Piece] = []
        for part in parts:
            if isinstance(part, Special):
                pieces.append(part.name if self.typed else self._token(part.name, also_text=part.also_text))
            elif isinstance(part, Ending):
                pieces.append(self.optional(part.name if self.typed else self._token(part.name)))
            elif isinstance(part, Text):
                pieces.append(part.text)
            else:
                raise TypeError(f"{part!r} is not the same in every message")
        return pieces

    def exact(self, parts: Sequence[Part]) -> list[Piece]:
        """The pieces of Text and Special, where no special token can be typed."""
        return [self._token(part.name) if isinstance(part, Special) else fixed_text([part]) for part in parts]

    def _token(self, name: str, *, also_text: bool = False) -> Grammar:
        return Grammar.token(name, also_text=also_text, budget=self.budget)

    def joined(self, pieces: Sequence[Piece]) -> Grammar:
        """Pieces one after another."""
        merged: list[Piece] = []
        for piece in pieces:
            if isinstance(piece, str) and merged and isinstance(merged[-1], str):
                merged[-1] += piece
            elif piece != "":
                merged.append(piece)
        if len(merged) < 2:
            only = merged[0] if merged else ""
            return Grammar.text(only, budget=self.budget) if isinstance(only, str) else only
        return Grammar.sequence(merged, budget=self.budget)

    def any_of(self, grammars: Sequence[Grammar]) -> Grammar:
        """Any of some grammars; the only one as it is."""
        return grammars[0] if len(grammars) == 1 else Grammar.any_of(grammars, budget=self.budget)

    def optional(self, piece: Piece) -> Grammar:
        """A piece, or nothing."""
        return Grammar.any_of([piece, ""], budget=self.budget)

    def in_any_order(self, members: Sequence[mw.Member], separator: Piece) -> Grammar:
        """Members in any order; an empty text where there are none."""
        if not members:
            return self.joined([])
        return Grammar.any_order(members, separator=separator, budget=self.budget)

    def has_exact_special(self, parts: Sequence[Part]) -> bool:
        """Whether there is a special token among some parts that cannot be typed as text."""
        return not self.typed and any(
            isinstance(part, Ending) or (isinstance(part, Special) and not part.also_text) for part in parts
        )

    def text_up_to(self, parts: Sequence[Part]) -> Grammar:
        """Any text up to the first place where some fixed parts follow, and these."""
        close = fixed_text(parts)
        if self.typed or all(isinstance(part, Text) for part in parts):
            tag = mw.Tag(begin=close, content=Grammar.text("", budget=self.budget))
            return Grammar.free_text(tags=[tag], minimum=1, maximum=1, text_after=False, budget=self.budget)
        return self.joined([self.rest_of_text([close]), *self.fixed(parts)])

    def rest_of_text(self, forbidden: Sequence[str] = ()) -> Grammar:
        """Any text in which some strings do not occur."""
        return Grammar.free_text(forbidden=[text for text in forbidden if text], budget=self.budget)
