"""Values as Python's literals: their grammar, from a schema, and their text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import maskwright as mw
from maskwright.checking import told
from maskwright.errors import ToolCallError, UnsupportedFeatureError
from maskwright.grammar import Grammar
from maskwright.json_schema.json_text import json_pointer
from maskwright.tool_calls.arguments.options import ArgumentOptions
from maskwright.tool_calls.arguments.references import Path, at_path, referred_path
from maskwright.tool_calls.arguments.schema_view import (
    Parameter,
    type_of,
    types_at,
    unsupported,
)
from maskwright.tool_calls.reader import MAXIMUM_DEPTH, TOO_DEEP

__all__ = ["literal_grammar", "literal_of"]

_WHERE = "in Python's literals where true, false or null may come"
_DEPTH = 32
_MOST_ITEMS = (1 << 32) - 2
"""The greatest number of repetitions that :meth:`maskwright.Grammar.repeat` takes."""
_WORDS = {"boolean", "null"}
_NOTES = frozenset(
    {"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment"}
    | {"$defs", "definitions", "$schema", "$id"}
)
_OF_ARRAYS = frozenset({"items", "minItems", "maxItems"})
_OF_OBJECTS = frozenset({"properties", "required", "additionalProperties"})
_NUMBERS_AND_STRINGS = frozenset(
    {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength"}
    | {"pattern", "format"}
)

_ANY = r"""
value ::= "True" | "False" | "None" | number | string | list | object
list ::= "[" (value (", " value)*)? "]"
object ::= "{" (string ": " value (", " string ": " value)*)? "}"
number ::= "-"? ("0" | [1-9] [0-9]*) ("." [0-9]+)? ([eE] [-+]? [0-9]+)?
string ::= "\"" ([^"\\\x00-\x1f] | "\\" ["\\bfnrt] | "\\u00" [01] [0-9a-fA-F])* "\""
"""
"""The literals of all JSON values, as :func:`literal_of` writes them."""


def literal_grammar(parameter: Parameter, path: Path, options: ArgumentOptions, depth: int = 0) -> Grammar:
    """The literals of the values that a place in a tool's schema allows.

    Members of an object come in any order; those that the schema does not name stand together.

    Raises:
        UnsupportedFeatureError: a keyword cannot be held to; it says which and where.
    """
    root = parameter.tool.arguments_schema
    if not _words_may_come(root, path, set()):
        return parameter.json_grammar(parameter.reference(path), options, minimal_escapes=True)
    schema = at_path(root, path)
    location = json_pointer(*path)
    if depth > _DEPTH:
        raise UnsupportedFeatureError(
            f"{location}: a schema that refers to itself cannot be enforced {_WHERE}",
            feature="$ref",
            location=location,
        )
    if not isinstance(schema, Mapping) or not (schema.keys() - _NOTES):
        return any_literal()
    for keyword in ("enum", "const"):
        if keyword in schema:
            return _listed(parameter, schema, path, keyword)
    for keyword in ("$ref", "anyOf", "oneOf"):
        if keyword in schema:
            return _branches(parameter, schema, path, keyword, options, depth)
    return _by_types(parameter, schema, path, options, depth)


def _words_may_come(root: Any, path: Path, seen: set[Path]) -> bool:
    """Whether true, false or null may stand in the values of a place, as far as the schema shows."""
    if path in seen:
        return False
    seen.add(path)
    types = types_at(root, path, 0)
    schema = at_path(root, path)
    if types & _WORDS or not isinstance(schema, Mapping):
        return bool(types & _WORDS)
    if "enum" in schema or "const" in schema:
        return bool(types - {"string", "number"})
    within: list[Path] = [
        (*path, key, at) for key in ("anyOf", "oneOf", "allOf") for at in range(len(schema.get(key, ())))
    ]
    if "$ref" in schema:
        within.append(referred_path(root, path))
    if not within and (
        ("array" in types and "items" not in schema) or ("object" in types and _is_open(schema))
    ):
        return True
    single = ("items", "additionalItems", "additionalProperties")
    within += [(*path, key) for key in single if key in schema and not isinstance(schema[key], list)]
    for keyword in ("prefixItems", "items"):  # in drafts up to 2019-09 `items` may be a list
        listed = schema.get(keyword)
        within += [(*path, keyword, at) for at in range(len(listed) if isinstance(listed, list) else 0)]
    within += [(*path, "properties", name) for name in schema.get("properties", {})]
    return any(_words_may_come(root, place, seen) for place in within)


def _is_open(schema: Mapping[str, Any]) -> bool:
    """Whether an object may have members of which the schema says nothing."""
    return "additionalProperties" not in schema or "patternProperties" in schema


def _listed(parameter: Parameter, schema: Mapping[str, Any], path: Path, keyword: str) -> Grammar:
    location = json_pointer(*path)
    for other in schema.keys() - _NOTES - {keyword, "type"}:
        raise unsupported(location, other, f"beside `{keyword}` {_WHERE}")
    values = schema["enum"] if keyword == "enum" else [schema["const"]]
    types = types_at(parameter.tool.arguments_schema, path, 0)
    return Grammar.choice([literal_of(value, location) for value in values if type_of(value) in types])


def _branches(
    parameter: Parameter,
    schema: Mapping[str, Any],
    path: Path,
    keyword: str,
    options: ArgumentOptions,
    depth: int,
) -> Grammar:
    location = json_pointer(*path)
    for other in schema.keys() - _NOTES - {keyword}:
        raise unsupported(location, other, f"beside `{keyword}` {_WHERE}")
    root = parameter.tool.arguments_schema
    if keyword == "$ref":
        return literal_grammar(parameter, referred_path(root, path), options, depth + 1)
    places: list[Path] = [(*path, keyword, at) for at in range(len(schema[keyword]))]
    if keyword == "oneOf":
        types = [types_at(root, place, 0) for place in places]
        if sum(map(len, types)) != len(set().union(*types)):
            raise unsupported(location, "oneOf", _WHERE)
    return Grammar.any_of([literal_grammar(parameter, place, options, depth + 1) for place in places])


def _by_types(
    parameter: Parameter, schema: Mapping[str, Any], path: Path, options: ArgumentOptions, depth: int
) -> Grammar:
    location = json_pointer(*path)
    known = _NOTES | _OF_ARRAYS | _OF_OBJECTS | _NUMBERS_AND_STRINGS | {"type"}
    for other in schema.keys() - known:
        raise unsupported(location, other, _WHERE)
    if "type" not in schema:
        raise unsupported(location, "type", f"{_WHERE}, and is missing")
    types = [schema["type"]] if isinstance(schema["type"], str) else list(schema["type"])
    ways: list[Grammar] = []
    if "boolean" in types:
        ways.append(Grammar.choice(["True", "False"]))
    if "null" in types:
        ways.append(Grammar.text("None"))
    plain = [name for name in types if name in ("string", "integer", "number")]
    if plain:
        only = {"allOf": [parameter.reference(path)], "type": plain}
        ways.append(parameter.json_grammar(only, options, minimal_escapes=True))
    array = _array(parameter, schema, path, options, depth) if "array" in types else None
    if array is not None:
        ways.append(array)
    if "object" in types:
        ways.append(_object(parameter, schema, path, options, depth))
    if not ways:
        problem = f"tool {parameter.tool.name!r}: no value is valid at {location}"
        raise ToolCallError(problem, location=location)
    return ways[0] if len(ways) == 1 else Grammar.any_of(ways)


def _array(
    parameter: Parameter, schema: Mapping[str, Any], path: Path, options: ArgumentOptions, depth: int
) -> Grammar | None:
    """Arrays; None where they would need more items than they may have."""
    least, greatest = int(schema.get("minItems", 0)), schema.get("maxItems")
    if greatest is not None and greatest < least:
        return None
    for keyword in ("minItems", "maxItems"):
        if schema.get(keyword, 0) > _MOST_ITEMS:
            raise unsupported(json_pointer(*path), keyword, f"beyond {_MOST_ITEMS} {_WHERE}")
    item = any_literal()
    if isinstance(schema.get("items"), list):
        raise unsupported(json_pointer(*path), "items", f"as a list of schemas {_WHERE}")
    if "items" in schema:
        item = literal_grammar(parameter, (*path, "items"), options, depth + 1)
    items = Grammar.repeat(
        item,
        minimum=least,
        maximum=None if greatest is None else int(greatest),
        separator=Grammar.text(", "),
    )
    return Grammar.sequence([Grammar.text("["), items, Grammar.text("]")])


def _object(
    parameter: Parameter, schema: Mapping[str, Any], path: Path, options: ArgumentOptions, depth: int
) -> Grammar:
    location = json_pointer(*path)
    properties, required = schema.get("properties", {}), schema.get("required", [])
    for name in required:
        if name not in properties:
            raise unsupported(location, "required", f"of {name!r}, which is no property, {_WHERE}")
    members = []
    for name in properties:
        value = literal_grammar(parameter, (*path, "properties", name), options, depth + 1)
        member = Grammar.sequence([literal_of(name, location) + ": ", value])
        members.append(mw.Member(member, required=name in required))
    further = schema.get("additionalProperties", True)
    if further is not False:
        key = Grammar.json_schema({"type": "string", "not": {"enum": list(properties)}}, minimal_escapes=True)
        value = any_literal()
        if further is not True:
            value = literal_grammar(parameter, (*path, "additionalProperties"), options, depth + 1)
        others = Grammar.repeat(Grammar.sequence([key, ": ", value]), minimum=1, separator=", ")
        members.append(mw.Member(others, required=False))
    body = Grammar.any_order(members, separator=", ") if members else Grammar.text("")
    return Grammar.sequence(["{", body, "}"])


@cache
def any_literal() -> Grammar:
    """The literal of any JSON value."""
    return Grammar.gbnf(_ANY, root="value")


def literal_of(value: Any, location: str, *, around: int = 0) -> str:
    r"""The literal of a JSON value, with strings in double quotes and the escapes of JSON.

    Args:
        value: the value.
        location: where it belongs, for messages.
        around: how many levels it stands in already.

    Raises:
        ToolCallError: it is no JSON value, or it is nested so deeply that no parser reads it.

    Example:
        >>> literal_of({"on": True, "units": [None, "\n"]}, "")
        '{"on": True, "units": [None, "\\n"]}'
    """
    if value is None or isinstance(value, bool):
        return str(value)
    is_object = isinstance(value, Mapping)
    if is_object or (isinstance(value, Sequence) and not isinstance(value, str | bytes)):
        inner = around + 1
        if inner > MAXIMUM_DEPTH:
            raise ToolCallError(f"{location}: {TOO_DEEP}", location=location)
        if is_object:
            members = [
                f"{_key(key, location)}: {literal_of(member, location, around=inner)}"
                for key, member in value.items()
            ]
            return "{" + ", ".join(members) + "}"
        return "[" + ", ".join([literal_of(item, location, around=inner) for item in value]) + "]"
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ToolCallError(f"{location}: not a JSON value: {error}", location=location) from error


def _key(key: Any, location: str) -> str:
    if not isinstance(key, str):
        raise ToolCallError(f"{location}: a key is a string, not {told(key)}", location=location)
    return json.dumps(key, ensure_ascii=False)
