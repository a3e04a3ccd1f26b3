"""What is wrong with a structural tag: all problems that can be seen, each with its place.

Reading and making grammars both go on behind a problem, with something harmless in its place, so that a
caller sees several at once. Exceeded budgets are not problems of this kind: they end the work.
"""

from __future__ import annotations

import time
from datetime import timedelta
from typing import NamedTuple

from maskwright._native import DEEPEST_NESTING
from maskwright.budget import Budget
from maskwright.errors import BudgetExceededError, MaskwrightError, StructuralTagError
from maskwright.json_schema.json_text import json_pointer

__all__ = ["Limits", "Place", "Problems", "StructuralTagProblem"]

Place = tuple[str | int, ...]
"""The keys and positions that lead to a place in a description."""

_MOST_PROBLEMS = 100
_MOST_SHOWN = 10


class StructuralTagProblem(NamedTuple):
    """One thing that is wrong with a structural tag.

    Attributes:
        location: where, as a JSON pointer such as ``"#/format/tags/0/begin"``.
        message: what is wrong, and how to mend it.
        error: the error of the grammar that stands there, such as an :class:`maskwright.SchemaError`; None
            where the structural tag itself is wrong.

    Example:
        >>> import maskwright as mw
        >>> try:
        ...     mw.Grammar.structural_tag({"type": "regex", "pattern": "("})
        ... except mw.StructuralTagError as error:
        ...     print(error.problems[0].location, type(error.problems[0].error).__name__)
        #/pattern GrammarSyntaxError
    """

    location: str
    message: str
    error: MaskwrightError | None = None


class Problems:
    """The problems seen so far."""

    def __init__(self) -> None:
        self._found: list[StructuralTagProblem] = []

    @property
    def is_full(self) -> bool:
        """Whether further problems are of no use to anyone."""
        return len(self._found) >= _MOST_PROBLEMS

    def add(self, place: Place, message: str, error: MaskwrightError | None = None) -> None:
        """Notes a problem.

        Args:
            place: where it is.
            message: what is wrong, and how to mend it.
            error: the error of a grammar that stands there. Its own place is put behind `place`.
        """
        location = json_pointer(*place)
        inner = getattr(error, "location", "")
        if inner.startswith("#"):
            message = message.removeprefix(f"{inner}: ")
            location += inner[1:]
        self._append(StructuralTagProblem(location, message, error))

    def add_refusal(self, place: Place, message: str, error: MaskwrightError) -> None:
        """Notes that something is refused; the error already names the same place."""
        self._append(StructuralTagProblem(json_pointer(*place), message, error))

    def _append(self, problem: StructuralTagProblem) -> None:
        if not self.is_full:
            self._found.append(problem)

    def throw(self) -> None:
        """Raises what was found, if anything was.

        Raises:
            StructuralTagError: there are problems.
        """
        if not self._found:
            return
        first = self._found[0]
        lines = [f"{problem.location}: {problem.message}" for problem in self._found[:_MOST_SHOWN]]
        if len(self._found) > 1:
            count = f"{_MOST_PROBLEMS} or more" if self.is_full else len(self._found)
            lines = [f"{count} problems in the structural tag:", *lines]
        if len(self._found) > _MOST_SHOWN:
            lines.append("...; `problems` has all of them")
        raise StructuralTagError(
            "\n".join(lines), problems=self._found, location=first.location
        ) from first.error


class Limits:
    """The budgets that reading a description and making its grammar keep to: size, nesting and time."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self._size = 0
        self._end = time.monotonic() + budget.compile_time.total_seconds()

    def spend(self, size: int) -> None:
        """Counts what a description holds.

        Args:
            size: the number of characters.

        Raises:
            BudgetExceededError: it is too much (`grammar_bytes`), or took too long (`compile_time`).
        """
        self._size += size
        if self._size > self.budget.grammar_bytes:
            raise self._exceeded("grammar_bytes", "reading a structural tag", self.budget.grammar_bytes)
        self.check_time()

    def check_time(self) -> None:
        """Looks at the clock.

        Raises:
            BudgetExceededError: it took too long (`compile_time`).
        """
        if time.monotonic() > self._end:
            time_limit = self.budget.compile_time
            raise self._exceeded("compile_time", "reading a structural tag", time_limit)

    def check_nesting(self, depth: int, place: Place) -> None:
        """Checks how deep formats nest.

        Raises:
            BudgetExceededError: too deep (`nesting`).
        """
        if depth > self.budget.nesting:
            location = json_pointer(*place[:6]) + ("/..." if len(place) > 6 else "")
            raise self._exceeded("nesting", f"formats that nest at {location}", self.budget.nesting)

    @staticmethod
    def _exceeded(name: str, doing: str, limit: int | timedelta) -> BudgetExceededError:
        shown = f"{limit.total_seconds():g}s" if isinstance(limit, timedelta) else limit
        is_greatest = name == "nesting" and limit == DEEPEST_NESTING
        hint = (
            "it is as great as it can be, so nest less deep"
            if is_greatest
            else f"raise it by Budget({name}=...)"
        )
        return BudgetExceededError(
            f"the budget `{name}` of {shown} is used up by {doing}; {hint}",
            budget=name,
            limit=limit,
        )
