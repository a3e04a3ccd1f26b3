"""Documents with their members in the order in which a schema declares them, which peers want."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import unquote

__all__ = ["in_declared_order"]

_BESIDE = ("allOf", "anyOf", "oneOf")
_CONDITIONAL = ("if", "then", "else")
_OTHERS = ("additionalProperties", "unevaluatedProperties")


def in_declared_order(value: Any, schema: Any, root: Any) -> Any:
    """The value with the members of its objects in the order of ``properties``, and all others behind them.

    Where several subschemas are about one value, each member stands where the first of them declares it.
    Only references within the document, ``root``, are followed.
    """
    parts = list(_about_the_same(schema, root, set()))
    if isinstance(value, list):
        of_items = _first(parts, ["items"])
        return [in_declared_order(item, of_items, root) for item in value]
    if not isinstance(value, dict):
        return value
    declared: dict[str, Any] = {}
    for part in parts:
        properties = part.get("properties")
        for name, of_member in properties.items() if isinstance(properties, dict) else ():
            declared.setdefault(name, of_member)
    others = _first(parts, _OTHERS)
    names = [name for name in declared if name in value] + [name for name in value if name not in declared]
    return {name: in_declared_order(value[name], declared.get(name, others), root) for name in names}


def _first(parts: Iterable[dict[str, Any]], keywords: Iterable[str]) -> dict[str, Any]:
    """The first schema that is the value of one of some keywords; an empty one where there is none."""
    found = (part[keyword] for part in parts for keyword in keywords if isinstance(part.get(keyword), dict))
    return next(found, {})


def _about_the_same(schema: Any, root: Any, seen: set[int]) -> Iterator[dict[str, Any]]:
    """The subschemas, itself first, that are about the same value."""
    if not isinstance(schema, dict) or id(schema) in seen:
        return
    seen.add(id(schema))
    yield schema
    beside = [part for key in _BESIDE for part in schema.get(key, ())]
    beside += [schema[key] for key in _CONDITIONAL if key in schema]
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference.startswith("#"):
        beside.append(_referred_to(reference, root))
    for part in beside:
        yield from _about_the_same(part, root, seen)


def _referred_to(reference: str, root: Any) -> Any:
    """What a JSON Pointer in a fragment leads to; None where it is no pointer, or leads nowhere."""
    value = root
    for step in unquote(reference.removeprefix("#")).split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(value, list) and name.isdecimal() and int(name) < len(value):
            value = value[int(name)]
        elif isinstance(value, dict) and name in value:
            value = value[name]
        else:
            return None
    return value
