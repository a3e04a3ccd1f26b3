"""What is made of the schema of a parameter alone, once for all parameters that have an equal one.

Most parameters of most tools are any string, an integer, a truth value or one of a few more, and differ in
their names and descriptions. What asks for nothing is left out of a schema before it is compared; what may
refer to another place is never shared. Few and small ones are kept, whatever comes, so that sets of tools
that come and go take no memory for good.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Generic, TypeVar

from maskwright.errors import BudgetExceededError, MaskwrightError
from maskwright.json_schema.json_text import json_text
from maskwright.json_schema.subschemas import UnplainSchemaError, without_annotations
from maskwright.tool_calls.arguments.schema_view import Parameter, whole_schema
from maskwright.tools import Tool

__all__ = ["SharedValues"]

_MOST = 512
"""So many values are kept, those that were asked for last."""
_LONGEST = 300
"""The greatest length of a schema, as JSON text, of which something is kept."""

_Made = TypeVar("_Made")


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a parameter asks for.

    Attributes:
        name: its name, where that matters.
        text: its schema as JSON text, without annotations.
        dialect: what ``$schema`` of the whole schema says.
        schema: the schema that the text is of.
    """

    name: str
    text: str
    dialect: str | None
    schema: Any = field(compare=False)


class SharedValues(Generic[_Made]):
    """Makes something of parameters, and remembers it for others that ask for the same.

    Args:
        make: makes it of a parameter, of which its schema counts, and its name where that matters.
        by_name: whether the name of the parameter matters.
    """

    def __init__(self, make: Callable[[Parameter], _Made], *, by_name: bool = False) -> None:
        self._make = make
        self._by_name = by_name
        self._made = lru_cache(maxsize=_MOST)(self._made_of)

    def of(self, parameter: Parameter, otherwise: Callable[[Parameter], _Made]) -> _Made:
        """What is made of a parameter of a schema that has been checked.

        Args:
            parameter: the parameter.
            otherwise: makes the same of one that cannot be shared, or cannot be made at all.

        Raises:
            MaskwrightError: as `otherwise`.
        """
        asked = _asked_for(parameter, parameter.name if self._by_name else "value")
        if asked is not None:
            try:
                return self._made(asked)
            except MaskwrightError:
                pass  # the places that it tells are not those of this parameter
        return otherwise(parameter)

    def _made_of(self, asked: _Asked) -> _Made:
        schema: dict[str, Any] = {} if asked.dialect is None else {"$schema": asked.dialect}
        tool = Tool("any", parameters={**schema, "properties": {asked.name: asked.schema}})
        return self._make(Parameter(tool, asked.name, ("properties", asked.name), is_required=False))


def _asked_for(parameter: Parameter, name: str) -> _Asked | None:
    """What a parameter asks for; None where it is too much, or depends on more than its schema."""
    whole = whole_schema(parameter.tool)
    dialect = whole.document.get("$schema")
    if dialect is not None and not isinstance(dialect, str):
        return None
    try:
        schema = without_annotations(whole.at(parameter.path))
        return _Asked(name, json_text(schema, limit=_LONGEST), dialect, schema)
    except (UnplainSchemaError, LookupError, BudgetExceededError):
        return None
