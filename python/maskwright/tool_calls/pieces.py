"""Grammars of the parts of a layout that are the same for all tools."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import maskwright as mw
from maskwright.errors import BudgetExceededError, GrammarError
from maskwright.grammar import Grammar
from maskwright.tool_calls.layout import Ending, Key, Part, Special, StringMark, Text, fixed_text

__all__ = [
    "Piece",
    "any_of",
    "fixed_pieces",
    "has_exact_special",
    "joined",
    "naming",
    "optional",
    "rest_of_text",
    "text_up_to",
]

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


def fixed_pieces(parts: Sequence[Part | Key | StringMark], *, typed: bool) -> list[Piece]:
    """The pieces of parts that are the same in every message.

    Args:
        parts: Text, Special and Ending.
        typed: whether special tokens are typed as text.
    """
    pieces: list[Piece] = []
    for part in parts:
        if isinstance(part, Special):
            pieces.append(part.name if typed else Grammar.token(part.name, also_text=part.also_text))
        elif isinstance(part, Ending):
            pieces.append(optional(part.name if typed else Grammar.token(part.name)))
        elif isinstance(part, Text):
            pieces.append(part.text)
        else:
            raise TypeError(f"{part!r} is not the same in every message")
    return pieces


def joined(pieces: Sequence[Piece]) -> Grammar:
    """Pieces one after another."""
    merged: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, str) and merged and isinstance(merged[-1], str):
            merged[-1] += piece
        elif piece != "":
            merged.append(piece)
    if len(merged) == 1:
        return Grammar.text(merged[0]) if isinstance(merged[0], str) else merged[0]
    return Grammar.sequence(merged)


def any_of(grammars: Sequence[Grammar]) -> Grammar:
    """Any of some grammars; the only one as it is."""
    return grammars[0] if len(grammars) == 1 else Grammar.any_of(grammars)


def optional(piece: Piece) -> Grammar:
    """A piece, or nothing."""
    return Grammar.any_of([piece, ""])


def has_exact_special(parts: Sequence[Part], *, typed: bool) -> bool:
    """Whether there is a special token among some parts that cannot be typed as text."""
    return not typed and any(
        isinstance(part, Ending) or (isinstance(part, Special) and not part.also_text) for part in parts
    )


def text_up_to(parts: Sequence[Part], *, typed: bool) -> Grammar:
    """Any text up to the first place where some fixed parts follow, and these."""
    close = fixed_text(parts)
    if typed or all(isinstance(part, Text) for part in parts):
        tag = mw.Tag(begin=close, content=Grammar.text(""))
        return Grammar.free_text(tags=[tag], minimum=1, maximum=1, text_after=False)
    return joined([rest_of_text([close]), *fixed_pieces(parts, typed=typed)])


def rest_of_text(forbidden: Sequence[str] = ()) -> Grammar:
    """Any text in which some strings do not occur."""
    return Grammar.free_text(forbidden=[text for text in forbidden if text])
