"""Values as Python's literals: their grammar, from a schema, and their text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import maskwright as mw
from maskwright.checking import told
from maskwright.composition import MOST_REPETITIONS
from maskwright.errors import ToolCallError
from maskwright.grammar import Grammar
from maskwright.json_schema.json_text import json_pointer
from maskwright.json_schema.subschemas import demands_of
from maskwright.tool_calls.arguments.options import ArgumentOptions
from maskwright.tool_calls.arguments.references import Finding, Path, find_out
from maskwright.tool_calls.arguments.schema_view import (
    json_grammar,
    reference,
    type_of,
    types_at,
    unsupported,
    whole_schema,
    without_idle_not,
)
from maskwright.tool_calls.pieces import Piece
from maskwright.tool_calls.reader import MAXIMUM_DEPTH, TOO_DEEP
from maskwright.tools import Tool

__all__ = ["LiteralGrammars", "literal_of"]

_WHERE = "in Python's literals where true, false or null may come"
_WORDS = {"boolean", "null"}
_PLAIN = {"string", "number"}
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


class LiteralGrammars:
    """The literals of the values that the places of a tool's schema allow.

    Each is made once, however many references lead to its place. Members of an object come in any order;
    those that the schema does not name stand together.
    """

    def __init__(self, tool: Tool, options: ArgumentOptions) -> None:
        self._tool = tool
        self._options = options
        self._make = options.pieces
        self._schema = whole_schema(tool)
        self._made: dict[Path, Grammar | None] = {}
        self._has_words: dict[Path, bool] = {}

    def at(self, path: Path) -> Grammar | None:
        """The literals of a place; None where no value is valid there.

        Raises:
            SchemaError: as :meth:`maskwright.Grammar.json_schema`.
            UnsupportedFeatureError: a keyword cannot be held to; it says which and where.
            BudgetExceededError: the schema is too large, or nested too deeply.
        """
        return find_out(path, self._literals, self._made)

    def _literals(self, path: Path) -> Finding[Grammar | None]:
        if not self._words_may_come(path):
            return self._json(reference(self._tool, path))
        schema = self._schema.at(path)
        if isinstance(schema, Mapping):
            schema = without_idle_not(schema)
        if not isinstance(schema, Mapping) or not demands_of(schema):
            return any_literal()
        if demands_of(schema) == ["allOf"] and len(schema["allOf"]) == 1:
            of_only: Grammar | None = yield (*path, "allOf", 0)
            return of_only
        for keyword in ("enum", "const"):
            if keyword in schema:
                return self._listed(schema, path, keyword)
        for keyword in ("$ref", "anyOf", "oneOf"):
            if keyword in schema:
                return (yield from self._branches(schema, path, keyword))
        return (yield from self._by_types(schema, path))

    def _json(self, schema: Mapping[str, Any]) -> Grammar | None:
        """What is written alike in JSON and in Python; None where there is no value."""
        return json_grammar(self._tool, schema, self._options, minimal_escapes=True)

    def _words_may_come(self, path: Path) -> bool:
        """Whether true, false or null may stand in the values of a place, as far as the schema shows."""
        if path not in self._has_words:
            self._find_words(path)
        return self._has_words[path]

    def _find_words(self, path: Path) -> None:
        """Finds that out of a place and of all to which it leads; places may lead to one another."""
        leading: dict[Path, list[Path]] = {path: []}
        waiting, with_words = [path], []
        while waiting:
            place = waiting.pop()
            is_known = place in self._has_words
            if self._has_words[place] if is_known else self._has_own_words(place):
                with_words.append(place)
            elif not is_known:
                for inner in self._within(place):
                    if inner not in leading:
                        leading[inner] = []
                        waiting.append(inner)
                    leading[inner].append(place)
        for place in leading:
            self._has_words.setdefault(place, False)
        while with_words:
            place = with_words.pop()
            self._has_words[place] = True
            with_words += [outer for outer in leading[place] if not self._has_words[outer]]

    def _has_own_words(self, path: Path) -> bool:
        """Whether a value itself may be one of the words, or hold what its schema does not describe."""
        types = types_at(self._schema, path)
        schema = self._schema.at(path)
        if types & _WORDS or not isinstance(schema, Mapping):
            return bool(types & _WORDS)
        if "enum" in schema or "const" in schema:
            return bool(types - _PLAIN)
        if schema.keys() & {"anyOf", "oneOf", "allOf", "$ref"}:
            return False
        return ("array" in types and _has_free_items(schema)) or ("object" in types and _is_open(schema))

    def _within(self, path: Path) -> Iterator[Path]:
        """The places to which a place leads: branches, items and members, and what it refers to."""
        schema = self._schema.at(path)
        if not isinstance(schema, Mapping) or "enum" in schema or "const" in schema:
            return
        for keyword in ("anyOf", "oneOf", "allOf"):
            yield from ((*path, keyword, at) for at in range(len(schema.get(keyword, ()))))
        if "$ref" in schema:
            yield self._schema.referred(path)
        for keyword in ("items", "additionalItems", "additionalProperties"):
            if keyword in schema and not isinstance(schema[keyword], list):
                yield (*path, keyword)
        for keyword in ("prefixItems", "items"):  # in drafts up to 2019-09 `items` may be a list
            listed = schema.get(keyword)
            yield from ((*path, keyword, at) for at in range(len(listed) if isinstance(listed, list) else 0))
        yield from ((*path, "properties", name) for name in schema.get("properties", {}))

    def _listed(self, schema: Mapping[str, Any], path: Path, keyword: str) -> Grammar | None:
        location = json_pointer(*path)
        for other in sorted({*demands_of(schema)} - {keyword, "type"}):
            raise unsupported(location, other, f"beside `{keyword}` {_WHERE}")
        values = schema["enum"] if keyword == "enum" else [schema["const"]]
        types = types_at(self._schema, path)
        listed = [value for value in values if type_of(value) in types]
        plain = [value for value in listed if type_of(value) in _PLAIN]
        # The type tells which numbers are integers.
        ways = [self._json({**schema, keyword: plain[0] if keyword == "const" else plain})] if plain else []
        ways += [self._literal_of(value, location) for value in listed if type_of(value) not in _PLAIN]
        return self._any_of_these(ways)

    def _literal_of(self, value: Any, location: str) -> Grammar:
        """The literals of one value: a number may be written in several ways, as in JSON."""
        literal_of(value, location)  # refuses what no parser reads
        return self._make.joined(self._pieces(value, location))

    def _pieces(self, value: Any, location: str) -> list[Piece]:
        kind = type_of(value)
        number = self._json({"const": value}) if kind == "number" else None
        if number is not None:
            return [number]
        if kind not in ("array", "object"):
            return [literal_of(value, location)]
        begin, end = ("{", "}") if kind == "object" else ("[", "]")
        pieces: list[Piece] = [begin]
        for at, item in enumerate(value):
            pieces.append(", " if at else "")
            if kind == "object":
                pieces.append(literal_of(item, location) + ": ")
            pieces += self._pieces(value[item] if kind == "object" else item, location)
        return [*pieces, end]

    def _branches(self, schema: Mapping[str, Any], path: Path, keyword: str) -> Finding[Grammar | None]:
        location = json_pointer(*path)
        for other in sorted({*demands_of(schema)} - {keyword}):
            raise unsupported(location, other, f"beside `{keyword}` {_WHERE}")
        if keyword == "$ref":
            of_referred: Grammar | None = yield self._schema.referred(path)
            return of_referred
        places: list[Path] = [(*path, keyword, at) for at in range(len(schema[keyword]))]
        if keyword == "oneOf":
            types = [types_at(self._schema, place) for place in places]
            if sum(map(len, types)) != len(set().union(*types)):
                raise unsupported(location, "oneOf", _WHERE)
        ways: list[Grammar | None] = []
        for place in places:
            ways.append((yield place))
        return self._any_of_these(ways)

    def _by_types(self, schema: Mapping[str, Any], path: Path) -> Finding[Grammar | None]:
        location = json_pointer(*path)
        known = _OF_ARRAYS | _OF_OBJECTS | _NUMBERS_AND_STRINGS | {"type"}
        for other in sorted({*demands_of(schema)} - known):
            raise unsupported(location, other, _WHERE)
        if "type" not in schema:
            raise unsupported(location, "type", f"{_WHERE}, and is missing")
        types = [schema["type"]] if isinstance(schema["type"], str) else list(schema["type"])
        ways: list[Grammar | None] = []
        if "boolean" in types:
            ways.append(Grammar.choice(["True", "False"], budget=self._make.budget))
        if "null" in types:
            ways.append(Grammar.text("None", budget=self._make.budget))
        plain = [name for name in types if name in ("string", "integer", "number")]
        if plain:
            ways.append(self._json({"allOf": [reference(self._tool, path)], "type": plain}))
        if "array" in types:
            ways.append((yield from self._array(schema, path)))
        if "object" in types:
            ways.append((yield from self._object(schema, path)))
        return self._any_of_these(ways)

    def _array(self, schema: Mapping[str, Any], path: Path) -> Finding[Grammar | None]:
        least, greatest = int(schema.get("minItems", 0)), schema.get("maxItems")
        if greatest is not None and greatest < least:
            return None
        for keyword in ("minItems", "maxItems"):
            if schema.get(keyword, 0) > MOST_REPETITIONS:
                raise unsupported(json_pointer(*path), keyword, f"beyond {MOST_REPETITIONS} {_WHERE}")
        item: Grammar | None = any_literal()
        if isinstance(schema.get("items"), list):
            raise unsupported(json_pointer(*path), "items", f"as a list of schemas {_WHERE}")
        if "items" in schema:
            item = yield (*path, "items")
        if item is None:
            return self._make.joined(["[]"]) if least == 0 else None
        items = Grammar.repeat(
            item,
            minimum=least,
            maximum=None if greatest is None else int(greatest),
            separator=", ",
            budget=self._make.budget,
        )
        return self._make.joined(["[", items, "]"])

    def _object(self, schema: Mapping[str, Any], path: Path) -> Finding[Grammar | None]:
        location = json_pointer(*path)
        properties, required = schema.get("properties", {}), schema.get("required", [])
        for name in required:
            if name not in properties:
                raise unsupported(location, "required", f"of {name!r}, which is no property, {_WHERE}")
        members = []
        for name in properties:
            value: Grammar | None = yield (*path, "properties", name)
            if value is not None:
                member = self._make.joined([literal_of(name, location) + ": ", value])
                members.append(mw.Member(member, required=name in required))
            elif name in required:
                return None
        further = schema.get("additionalProperties", True)
        if further is not False:
            value = any_literal()
            if further is not True:
                value = yield (*path, "additionalProperties")
            if value is not None:
                members.append(mw.Member(self._further_members(properties, value), required=False))
        return self._make.joined(["{", self._make.in_any_order(members, ", "), "}"])

    def _further_members(self, properties: Mapping[str, Any], value: Grammar) -> Grammar:
        """Members of an object that its schema does not name."""
        schema = {"type": "string", "not": {"enum": list(properties)}}
        key = Grammar.json_schema(schema, minimal_escapes=True, budget=self._make.budget)
        member = self._make.joined([key, ": ", value])
        return Grammar.repeat(member, minimum=1, separator=", ", budget=self._make.budget)

    def _any_of_these(self, ways: Sequence[Grammar | None]) -> Grammar | None:
        """Any of those that there are; None where there is none."""
        found = [way for way in ways if way is not None]
        return self._make.any_of(found) if found else None


def _has_free_items(schema: Mapping[str, Any]) -> bool:
    """Whether an array may have items of which the schema says nothing."""
    if isinstance(schema.get("items"), list):
        return "additionalItems" not in schema
    return "items" not in schema


def _is_open(schema: Mapping[str, Any]) -> bool:
    """Whether an object may have members of which the schema says nothing."""
    return "additionalProperties" not in schema or "patternProperties" in schema


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
    if is_object or isinstance(value, list | tuple):
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
