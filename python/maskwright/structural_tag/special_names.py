"""Names of special tokens within the strings of a description.

A special token is no text: the string ``"<|tool|>"`` means these characters, which a model that has a token
of that name does not write. Where a caller names special tokens, each place in a string that reads like one
may be the token or its characters.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from maskwright.grammar import Grammar
from maskwright.structural_tag.problems import Limits

__all__ = ["FoundName", "SpecialNames"]


class FoundName(NamedTuple):
    """A name of a special token within a string.

    Attributes:
        name: the name.
        start: where it begins.
    """

    name: str
    start: int

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + len(self.name)


class SpecialNames:
    """Names of special tokens.

    Vocabularies have thousands of them, but of few lengths and first characters: by these they are looked up,
    so that a place in a string costs the same however many there are.

    Args:
        names: the names; where one begins with another, the longer one is found.
        limits: the budgets of each grammar, and of the time that looking takes.
    """

    def __init__(self, names: Collection[str], limits: Limits) -> None:
        self._names = frozenset(filter(None, names))
        self._lengths = sorted(set(map(len, self._names)), reverse=True)
        first = sorted({name[0] for name in self._names})
        self._first = re.compile(f"[{re.escape(''.join(first))}]") if first else None
        self._tokens: dict[str, Grammar] = {}
        self._limits = limits

    def first(self, string: str) -> FoundName | None:
        """The first name in a string."""
        return next(self._found(string), None)

    def is_name(self, string: str) -> bool:
        """Whether a string is a name and nothing else."""
        return string in self._names

    def pieces(self, string: str) -> list[Grammar | str]:
        """The characters of a string, and in place of each name its token or its characters."""
        pieces: list[Grammar | str] = []
        end = 0
        for found in self._found(string):
            before = string[end : found.start]
            token = self._token(found.name)
            pieces += [before, token] if before else [token]
            end = found.end
        return [*pieces, string[end:]] if end < len(string) else pieces

    def grammar(self, string: str) -> Grammar:
        """A string as a grammar."""
        pieces = self.pieces(string)
        if len(pieces) == 1 and isinstance(pieces[0], Grammar):
            return pieces[0]
        if all(isinstance(piece, str) for piece in pieces):
            return Grammar.text(string, budget=self._limits.budget)
        return Grammar.sequence(pieces, budget=self._limits.budget)

    def _found(self, string: str) -> Iterator[FoundName]:
        """The names in a string, from left to right, none within another.

        Raises:
            BudgetExceededError: it took too long (`compile_time`).
        """
        end = 0
        while self._first is not None and (begin := self._first.search(string, end)) is not None:
            self._limits.check_time()
            start = begin.start()
            name = self._name_at(string, start)
            if name is None:
                end = start + 1
            else:
                yield FoundName(name, start)
                end = start + len(name)

    def _name_at(self, string: str, start: int) -> str | None:
        """The longest name that begins at a place."""
        beginnings = (string[start : start + length] for length in self._lengths)
        return next((beginning for beginning in beginnings if beginning in self._names), None)

    def _token(self, name: str) -> Grammar:
        """The token of a name or its characters: one grammar, however often it stands there."""
        if name not in self._tokens:
            self._tokens[name] = Grammar.token(name, also_text=True, budget=self._limits.budget)
        return self._tokens[name]
