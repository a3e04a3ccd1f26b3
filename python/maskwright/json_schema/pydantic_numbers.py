"""Schemas of decimals, and of numbers as keys, of which pydantic's own say little.

Pydantic takes a decimal from a number or from a text, and describes it as a number, or any string at all.
Keys of an object are texts; of those that are to be numbers, it says nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

__all__ = ["decimal_schema", "key_schema"]

_MOST_DIGITS = 40
"""So many digits in all can be asked for without a number of places: any of them may be behind the point."""

_BOUNDS = {
    "multiple_of": "multipleOf",
    "le": "maximum",
    "lt": "exclusiveMaximum",
    "ge": "minimum",
    "gt": "exclusiveMinimum",
}


_INTEGER = "-?(0|[1-9][0-9]*)"
_KEYS: Mapping[str, dict[str, Any]] = {
    "bool": {"enum": ["true", "false"]},
    "int": {"pattern": f"^{_INTEGER}$"},
    "float": {"pattern": f"^{_INTEGER}([.][0-9]+)?([eE][+-]?[0-9]+)?$"},
    "decimal": {"pattern": f"^{_INTEGER}([.][0-9]+)?([eE][+-]?[0-9]+)?$"},
}
"""The keys of an object that are read as values of a kind."""
_NO_KEYS = frozenset({"dict", "frozenset", "list", "none", "nullable", "set", "tuple"})
"""Kinds of values that pydantic takes as keys, and that no text is, or not every one."""


def key_schema(asked: Mapping[str, Any]) -> dict[str, Any] | None:
    """The keys that pydantic takes for a number or truth value; None for other types, which it describes.

    Args:
        asked: the type, and its bounds, by pydantic's names for them.

    Raises:
        TypeError: they are of a type that texts are not, or there are bounds, which cannot be asked of one.

    Example:
        >>> key_schema({"type": "int"})
        {'pattern': '^-?(0|[1-9][0-9]*)$'}
    """
    kind = asked.get("type", "")
    values = asked.get("expected", ()) if kind == "literal" else ()
    if kind in _NO_KEYS or not all(isinstance(value, str) for value in values):
        raise TypeError("keys of JSON objects are strings, and these are of another type; use str")
    names = _KEYS.get(kind)
    bounds = [*_BOUNDS, "max_digits", "decimal_places"]
    if names is not None and any(asked.get(bound) is not None for bound in bounds):
        raise TypeError(
            "keys of JSON objects are strings, of which no bounds of numbers can be asked; use str"
        )
    return names


def decimal_schema(asked: Mapping[str, Any]) -> dict[str, Any]:
    """The numbers that pydantic takes for a decimal.

    Args:
        asked: the bounds, by pydantic's names for them.

    Raises:
        TypeError: it is asked for so many digits, and no number of places, that there is no schema.

    Example:
        >>> decimal_schema({"gt": Decimal(0), "decimal_places": 2})
        {'type': 'number', 'exclusiveMinimum': 0, 'allOf': [{'multipleOf': 0.01}]}
    """
    schema: dict[str, Any] = {"type": "number"}
    for name, keyword in _BOUNDS.items():
        if asked.get(name) is not None:
            schema[keyword] = _number(Decimal(asked[name]))
    digits, places = asked.get("max_digits"), asked.get("decimal_places")
    if digits is None and places is not None:
        schema["allOf"] = [_digits(None, places)]
    elif digits is not None and places is not None:
        schema["allOf"] = [_digits(max(digits - places, 0), min(places, digits))]
    elif digits is not None:
        if digits > _MOST_DIGITS:
            raise TypeError(f"max_digits={digits} has a schema only with decimal_places; give both")
        schema["allOf"] = [{"anyOf": [_digits(digits - behind, behind) for behind in range(digits + 1)]}]
    return schema


def _digits(before: int | None, behind: int) -> dict[str, Any]:
    """Numbers with so many digits before the point, or any number of them, and behind it."""
    schema: dict[str, Any] = {"multipleOf": _number(Decimal(1).scaleb(-behind))}
    if before is None:
        return schema
    limit = _number(Decimal(1).scaleb(before))
    schema |= {"exclusiveMinimum": -limit, "exclusiveMaximum": limit}
    # To pydantic, the 0 of 0.5 is no digit, and 0 itself is one.
    return schema if before else {**schema, "not": {"const": 0}}


def _number(value: Decimal) -> Any:
    """The number as :mod:`json` writes it, where that is exact."""
    if value == value.to_integral_value():
        return int(value)
    nearest = float(value)
    return nearest if Decimal(repr(nearest)) == value else value
