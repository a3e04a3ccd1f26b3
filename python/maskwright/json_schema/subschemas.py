"""What is done with schemas as they are given: finding the schemas within one, and copying it.

Where schemas stand is told by the keywords: what else is in one, such as an example, only looks like one.
So is what a schema asks for: every other word in it is one that somebody has added, and asks for nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

__all__ = [
    "ANNOTATIONS",
    "DEMANDS",
    "WITH_SCHEMAS",
    "Place",
    "UnplainSchemaError",
    "copied",
    "demands_of",
    "subschemas",
    "without_annotations",
]

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

ANNOTATIONS = frozenset(
    ["$comment", "default", "deprecated", "description", "examples", "readOnly", "title", "writeOnly"]
)
"""The keywords that speak to people and ask for nothing."""

_PLAIN_DEMANDS = frozenset(
    """
    $dynamicRef $recursiveRef $ref const dependentRequired enum exclusiveMaximum exclusiveMinimum format
    maxContains maximum maxItems maxLength maxProperties minContains minimum minItems minLength minProperties
    multipleOf pattern required type uniqueItems
    """.split()  # noqa: SIM905 - a table
)
DEMANDS = _PLAIN_DEMANDS | (WITH_SCHEMAS - {"$defs", "contentSchema", "definitions"})
"""The keywords that ask for something, each in some draft."""


def demands_of(schema: Mapping[str, Any]) -> list[str]:
    """The keywords of a schema that ask for something, in their order.

    Example:
        >>> demands_of({"title": "A", "type": "string", "x-order": 1, "example": "b", "maxLength": 3})
        ['type', 'maxLength']
    """
    return [keyword for keyword in schema if keyword in DEMANDS]


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


_SCALARS = frozenset([str, int, float, bool, type(None)])
_DEEPEST = 32
"""Schemas that nest deeper are not plain."""


class UnplainSchemaError(Exception):
    """A schema may refer to another place, nests deeply, or holds what :mod:`json` does not make."""


def without_annotations(schema: Any, *, depth: int = 0) -> Any:
    """A copy of a plain schema without the keywords that speak to people, wherever a schema stands in it.

    Raises:
        UnplainSchemaError: it is none. Whatever begins as ``$ref`` does is taken for a reference.

    Example:
        >>> without_annotations({"description": "A.", "items": {"title": "B"}, "enum": [{"title": "C"}]})
        {'items': {}, 'enum': [{'title': 'C'}]}
    """
    if type(schema) is not dict:
        return _plain(schema, depth)
    copy: dict[str, Any] = {}
    for key, value in schema.items():
        if key in ANNOTATIONS:
            continue
        if key[:1] == "$" or depth > _DEEPEST:
            raise UnplainSchemaError
        kind = type(value)
        if kind in _SCALARS:
            copy[key] = value
        elif kind is dict and key in _ONE_SCHEMA:
            copy[key] = without_annotations(value, depth=depth + 1)
        elif kind is list and key in _LISTED_SCHEMAS:
            copy[key] = [without_annotations(item, depth=depth + 1) for item in value]
        elif kind is dict and key in _NAMED_SCHEMAS:
            if any(name[:1] == "$" for name in value):
                raise UnplainSchemaError
            copy[key] = {name: without_annotations(item, depth=depth + 1) for name, item in value.items()}
        else:
            copy[key] = _plain(value, depth + 1)
    return copy


def _plain(value: Any, depth: int) -> Any:
    """A plain value itself.

    Raises:
        UnplainSchemaError: it is none.
    """
    kind = type(value)
    if kind in _SCALARS:
        return value
    if (
        depth > _DEEPEST
        or kind not in (list, dict)
        or (kind is dict and any(key[:1] == "$" for key in value))
    ):
        raise UnplainSchemaError
    for item in value if kind is list else value.values():
        _plain(item, depth + 1)
    return value


def copied(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of a schema and all that is in it, however deeply; what holds itself does so in the copy.

    Example:
        >>> given = {"items": {"type": "null"}}
        >>> copied(given)["items"] == given["items"], copied(given)["items"] is given["items"]
        (True, False)
    """
    whole: dict[str, Any] = {}
    # What was given is kept with its copy: while it lives, nothing else has its identity.
    copies: dict[int, tuple[Any, dict[Any, Any] | list[Any]]] = {id(schema): (schema, whole)}
    waiting = [id(schema)]
    while waiting:
        given, copy = copies[waiting.pop()]
        for key, value in list(given.items() if isinstance(copy, dict) else enumerate(given)):
            if type(value) not in _SCALARS and isinstance(value, Mapping | list | tuple):
                if id(value) not in copies:
                    copies[id(value)] = (value, {} if isinstance(value, Mapping) else [])
                    waiting.append(id(value))
                value = copies[id(value)][1]  # noqa: PLW2901 - the copy stands for it
            if isinstance(copy, dict):
                copy[key] = value
            else:
                copy.append(value)
    return whole
