"""Limits on the work that one compile or one step may take."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import timedelta

from maskwright._native import DEEPEST_NESTING
from maskwright.checking import told, whole_number
from maskwright.errors import ArgumentError

__all__ = ["DEFAULT_BUDGET", "Budget", "given_budget"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Budget:
    """The budgets of a compile and of every step after it.

    Going past one raises :class:`maskwright.BudgetExceededError`, which names the field, and leaves
    everything as it was. The defaults are far above what real grammars need; a server that takes
    grammars from strangers may want less.

    Attributes:
        grammar_bytes: the greatest length of the text of a grammar, in bytes.
        nesting: how deep groups of a pattern, operands of an expression, schemas, and values in a text that
            others have to differ from may nest; at most 1,000, since what follows them takes stack for each
            level. For so many there is enough, whatever stack the calling thread has.
        expressions: the greatest size of the expressions of one constraint, those met while matching
            included, of the cases into which a schema splits a value, and of the frames that moves open:
            nodes, members of lists and conditions, of about 50 bytes each.
        states: the greatest number of states of one constraint.
        items: the greatest number of alternatives in one state, and of frames alive at once; of the ways
            back that the frames of one text hold, beside one each, a hundred times as many.
        emptiness: the greatest number of states explored to decide whether one intersection or
            complement matches anything; an intersection of many operands counts for half as many.
        cache_bytes: the greatest size of the cached masks of one constraint, in bytes; past it the
            cache starts afresh. Beside them up to a quarter of it is kept for walks, all of it once more for
            moves of states, and all of it once more for unions of states and moves on tokens; past it they
            are computed anew. One walk over the vocabulary may take as much, or 64 MB where that is more; a
            mask that needs more, as of a very ambiguous grammar, is an error. Where
            states and expressions that texts have added take as much, or 32 MB where that is more, the
            constraint begins anew for the texts that come: all of the above is forgotten, once no earlier
            text is being matched any more.
        pool_bytes: the greatest size of what all constraints of one compiler share, in bytes. When it
            is full, what was not used for longest goes.
        compile_time: the longest time that a compile may take.
        step_time: the longest time that one mask, one accepted token or one call for forced text may take.
            Where the constraint has used up its states or expressions and begins anew for it, that may
            take `compile_time` beside it, and reading the text so far again as much: a long text could not
            go on within `step_time`. The error is one of `compile_time` then.

    Raises:
        TypeError: a field is of another type.
        ArgumentError: a field is not positive, or too large.

    Example:
        >>> from maskwright import Budget
        >>> Budget(nesting=100).nesting
        100
    """

    grammar_bytes: int = 64 << 20
    nesting: int = 500
    expressions: int = 10_000_000
    states: int = 2_000_000
    items: int = 100_000
    emptiness: int = 200_000
    cache_bytes: int = 256 << 20
    pool_bytes: int = 512 << 20
    compile_time: timedelta = timedelta(seconds=30)
    step_time: timedelta = timedelta(seconds=30)

    def __post_init__(self) -> None:
        for field in fields(self):
            name, value = f"Budget({field.name}=...)", getattr(self, field.name)
            if isinstance(field.default, timedelta):
                _check_time(field.name, name, value)
                continue
            greatest, hint = (DEEPEST_NESTING, _TOO_DEEP) if field.name == "nesting" else (_LARGEST, "")
            number = whole_number(value, name, least=1, greatest=greatest, hint=hint, argument=field.name)
            object.__setattr__(self, field.name, number)


_LARGEST = (1 << 63) - 1

_TOO_DEEP = (
    "each level takes some stack, and there is enough for so many; nest the grammar less deeply, for example "
    "with rules"
)


def _check_time(field: str, name: str, value: object) -> None:
    if not isinstance(value, timedelta):
        raise TypeError(f"{name} is a datetime.timedelta, such as timedelta(seconds=1), not {told(value)}")
    if value <= timedelta(0):
        raise ArgumentError(f"{name} must be positive, not {value!r}", argument=field)


DEFAULT_BUDGET = Budget()
"""The budget where none is given."""


def given_budget(budget: Budget | None) -> Budget:
    """The budget that was given, or else the default.

    Raises:
        TypeError: something else was given.
    """
    if budget is None:
        return DEFAULT_BUDGET
    if not isinstance(budget, Budget):
        raise TypeError(
            f"budget is a maskwright.Budget, such as Budget(states=10_000), not {type(budget).__name__}"
        )
    return budget
