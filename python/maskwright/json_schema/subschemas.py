"""Where schemas stand within a schema: everything else in it, such as an example, only looks like one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

__all__ = ["WITH_SCHEMAS", "Place", "subschemas"]

Place = tuple[str | int, ...]
"""The keys and positions that lead to a place in a schema."""

_ONE_SCHEMA = frozenset(
    """
    additionalItems additionalProperties contains contentSchema else if items not propertyNames then
    unevaluatedItems unevaluatedProperties
    """.split()  # noqa: SIM905 - a table
)
_LISTED_SCHEMAS = frozenset(["allOf", "anyOf", "items", "oneOf", "prefixItems"])
_NAMED_SCHEMAS = frozenset(
    ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"]
)
WITH_SCHEMAS = _ONE_SCHEMA | _LISTED_SCHEMAS | _NAMED_SCHEMAS
"""The keywords whose values are schemas or hold some."""


def subschemas(place: Place, schema: dict[str, Any]) -> Iterator[tuple[Place, Any]]:
    """The schemas that stand in a schema, whatever its draft is, with their places.

    Example:
        >>> list(subschemas((), {"items": {"type": "null"}, "enum": [{"items": {}}]}))
        [(('items',), {'type': 'null'})]
    """
    for key, value in schema.items():
        if key in _ONE_SCHEMA and isinstance(value, dict):
            yield (*place, key), value
        elif key in _LISTED_SCHEMAS and isinstance(value, list):
            yield from (((*place, key, at), inner) for at, inner in enumerate(value))
        elif key in _NAMED_SCHEMAS and isinstance(value, dict):
            yield from (((*place, key, name), inner) for name, inner in value.items())
