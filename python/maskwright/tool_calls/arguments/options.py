"""What the grammars of arguments depend on beside the schema, and what reading arguments gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from maskwright.budget import Budget, given_budget
from maskwright.checking import flag
from maskwright.json_schema import Whitespace
from maskwright.json_schema.options import is_any_order
from maskwright.tool_calls.pieces import Pieces

__all__ = ["ArgumentOptions", "ReadArguments"]


@dataclass(frozen=True, slots=True)
class ArgumentOptions:
    """How arguments are written.

    Attributes:
        whitespace: the white space within JSON.
        order: the order of members of JSON objects.
        enforce_formats: whether ``format`` is enforced.
        typed_specials: whether all special tokens of a layout may be typed as text.
        budget: limits on each schema and grammar.
        further: more options of :meth:`maskwright.Grammar.json_schema`, as it takes them.

    Raises:
        GrammarError: `whitespace` or `order` is none of those that there are.
        TypeError: a field is of another type.
    """

    whitespace: Whitespace | Literal["free", "compact", "none", "spaced"] = "free"
    order: Literal["declared", "any"] = "declared"
    enforce_formats: bool = True
    typed_specials: bool = False
    budget: Budget | None = None
    further: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if not isinstance(self.whitespace, Whitespace):
            Whitespace.named(self.whitespace)
        is_any_order(self.order)
        flag(self.enforce_formats, "enforce_formats")
        flag(self.typed_specials, "typed_special_tokens")
        given_budget(self.budget)

    @property
    def pieces(self) -> Pieces:
        """What makes grammars of the parts of a layout."""
        return Pieces(typed=self.typed_specials, budget=self.budget)

    @property
    def ascii_only(self) -> bool:
        """Whether nothing beyond ASCII may be written; where there are no escapes, it cannot come at all."""
        return bool(self.further.get("ascii_only", False))

    def own_format(self, name: str | None) -> str | None:
        """The regular expression of a format of the caller's own, read as that of ``pattern``."""
        own: Mapping[str, str] = self.further.get("formats") or {}
        return None if name is None else own.get(name)

    @property
    def for_schemas(self) -> dict[str, Any]:
        """The options of :meth:`maskwright.Grammar.json_schema`."""
        return {
            **self.further,
            "whitespace": self.whitespace,
            "order": self.order,
            "enforce_formats": self.enforce_formats,
            "budget": self.budget,
        }


@dataclass(frozen=True, slots=True)
class ReadArguments:
    """Arguments that were read.

    Attributes:
        value: the arguments by name, or the text of a custom tool.
        raw: how they stood in the text.
    """

    value: dict[str, Any] | str
    raw: str
