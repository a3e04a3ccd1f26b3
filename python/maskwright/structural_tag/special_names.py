"""Names of special tokens within the strings of a description.

A special token is no text: the string ``"<|tool|>"`` means these characters, which a model that has a token
of that name does not write. Where a caller names special tokens, each place in a string that reads like one
may be the token or its characters.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from maskwright.budget import Budget
from maskwright.grammar import Grammar

__all__ = ["SpecialNames"]


class SpecialNames:
    """Names of special tokens.

    Args:
        names: the names; where one begins with another, the longer one is found.
        budget: limits on each grammar.
    """

    def __init__(self, names: Collection[str], budget: Budget) -> None:
        longest_first = sorted(filter(None, names), key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None
        self._budget = budget

    def first(self, string: str) -> re.Match[str] | None:
        """The first name in a string."""
        return self._pattern.search(string) if self._pattern is not None else None

    def is_name(self, string: str) -> bool:
        """Whether a string is a name and nothing else."""
        return self._pattern is not None and self._pattern.fullmatch(string) is not None

    def pieces(self, string: str) -> list[Grammar | str]:
        """The characters of a string, and in place of each name its token or its characters."""
        if self._pattern is None:
            return [string] if string else []
        pieces: list[Grammar | str] = []
        end = 0
        for found in self._pattern.finditer(string):
            before = string[end : found.start()]
            token = Grammar.token(found.group(), also_text=True, budget=self._budget)
            pieces += [before, token] if before else [token]
            end = found.end()
        return [*pieces, string[end:]] if end < len(string) else pieces

    def grammar(self, string: str) -> Grammar:
        """A string as a grammar."""
        pieces = self.pieces(string)
        if len(pieces) == 1 and isinstance(pieces[0], Grammar):
            return pieces[0]
        if all(isinstance(piece, str) for piece in pieces):
            return Grammar.text(string, budget=self._budget)
        return Grammar.sequence(pieces, budget=self._budget)
