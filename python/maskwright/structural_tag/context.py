"""What making the grammar of one format depends on beside the format.

What a format means may depend on the tag around it, the nearest one: free text stops before its ends. That
is the :class:`Ending` that is passed down with each :class:`Inner` format. Everything else is the same for a
whole description: the :class:`Context`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from maskwright.errors import BudgetExceededError, MaskwrightError, UnsupportedFeatureError
from maskwright.grammar import Grammar
from maskwright.json_schema.json_text import json_pointer
from maskwright.structural_tag.formats import StructuralTagModel, TagFormat, TokenFormat
from maskwright.structural_tag.problems import Limits, Place, Problems
from maskwright.structural_tag.special_names import SpecialNames

__all__ = ["Context", "Ending", "Inner", "Token"]

Token = int | str
"""A token by id or by name."""


@dataclass(frozen=True, slots=True)
class Ending:
    """What ends the nearest tag around a format.

    Attributes:
        texts: the texts that may end it, none of them empty.
        tokens: the token that ends it, or nothing.
    """

    texts: tuple[str, ...] = ()
    tokens: tuple[Token, ...] = ()

    @classmethod
    def of(cls, tag: TagFormat) -> Ending:
        """The ending for the content of a tag."""
        if isinstance(tag.end, TokenFormat):
            return cls(tokens=(tag.end.token,))
        return cls(texts=tuple(text for text in tag.end_texts if text))


@dataclass(frozen=True, slots=True)
class Inner:
    """A format whose grammar is asked for.

    Attributes:
        node: the format.
        place: where it stands.
        ending: what ends the nearest tag around it.
    """

    node: StructuralTagModel
    place: Place
    ending: Ending

    def within(self, node: StructuralTagModel, *keys: str | int, ending: Ending | None = None) -> Inner:
        """A format in this one, with the same tag around it unless another is given."""
        return Inner(node, (*self.place, *keys), self.ending if ending is None else ending)


class Context:
    """What is the same for all formats of a description.

    Attributes:
        options: arguments of :meth:`maskwright.Grammar.json_schema` for every schema.
        problems: takes what is wrong.
        limits: what reading and making grammars keep to.
        budget: the budget of every grammar.
        special: names of special tokens, which strings may have in them.
        nothing: the grammar of the empty text.
    """

    def __init__(
        self, options: Mapping[str, Any], special_tokens: Collection[str], problems: Problems, limits: Limits
    ) -> None:
        self.options = options
        self.special = SpecialNames(special_tokens, limits)
        self.problems = problems
        self.limits = limits
        self.budget = limits.budget
        self.nothing = Grammar.text("")

    def made(self, make: Callable[[], Grammar], place: Place) -> Grammar:
        """The grammar that a function makes. Where it cannot, that is noted, and the grammar is of no use.

        Args:
            make: makes the grammar.
            place: the place to name.

        Raises:
            BudgetExceededError: as `make`, with the place in front.
        """
        try:
            return make()
        except BudgetExceededError as error:
            message = f"{json_pointer(*place)}: {error}"
            raise BudgetExceededError(message, budget=error.budget, limit=error.limit) from error
        except MaskwrightError as error:
            self.problems.add(place, str(error), error)
            return self.nothing

    def refuse(self, place: Place, feature: str, reason: str) -> Grammar:
        """Notes that something cannot be enforced.

        Args:
            place: where it stands.
            feature: its name.
            reason: why, and what to do instead.
        """
        message = f"{feature} is not supported: {reason}"
        error = UnsupportedFeatureError(message, feature=feature, location=json_pointer(*place))
        self.problems.add_refusal(place, message, error)
        return self.nothing
