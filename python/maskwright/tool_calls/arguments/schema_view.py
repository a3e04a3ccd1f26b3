"""What a tool's schema says of one parameter, for layouts that write parameters one by one.

A value is a string, which is written as it is, or anything else, which is written as JSON. This module tells
which of them a schema allows, and what it says of the string; the rest is the schema compiler's. What a
string may be is read from ``type``, ``enum``, ``const``, lengths, ``pattern``, ``format``, ``$ref`` within
the schema, ``anyOf`` and ``oneOf``, and ``not`` of what is plainly true or false. Other keywords about
strings are refused by name and place. What is no keyword asks for nothing, here as in JSON.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from maskwright.errors import EmptyGrammarError, ToolCallError, UnsupportedFeatureError
from maskwright.grammar import Grammar
from maskwright.json_schema.json_text import json_pointer
from maskwright.json_schema.subschemas import demands_of
from maskwright.tool_calls.arguments.options import ArgumentOptions
from maskwright.tool_calls.arguments.references import Finding, Path, WholeSchema, find_out
from maskwright.tool_calls.arguments.strings import StringRule
from maskwright.tools import Tool

__all__ = [
    "Parameter",
    "Place",
    "check_schema",
    "comes_once",
    "declared_parameter",
    "declared_place",
    "further_parameter",
    "is_integer_at",
    "json_grammar",
    "no_value",
    "parameters_of",
    "place_within",
    "plain_truth",
    "reference",
    "type_of",
    "types_at",
    "unsupported",
    "whole_schema",
    "with_schema",
    "without_idle_not",
]

Place = tuple[WholeSchema, Path]
"""A tool's schema, and the keys that lead to a place in it."""

_URI = "urn:maskwright:tool"
_OTHER_TEXTS = {
    "number": r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?",
    "boolean": "true|false",
    "null": "null",
    "array": r"\[[\s\S]*",
    "object": r"\{[\s\S]*",
}
_OTHER_TYPES = ("object", "array", "number", "boolean", "null")
_TYPES = frozenset({"string", *_OTHER_TYPES})
_NUMBERS = frozenset({"integer", "fraction"})
_KINDS = frozenset({"string", "object", "array", "boolean", "null"}) | _NUMBERS
"""The types, with numbers that are integers and others told apart."""
_OF_STRINGS = ("enum", "const", "minLength", "maxLength", "pattern", "format")
"""What is read here of a string itself, but for its type."""
_LEADING_ON = frozenset(
    {"$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf", "not", "if", "then", "else"}
)
"""What may say more of a string elsewhere. All other keywords say nothing of strings, or are read here."""


def unsupported(location: str, keyword: str, where: str) -> UnsupportedFeatureError:
    """The error that a keyword cannot be enforced in some layout."""
    place = f"{location}/{keyword}"
    return UnsupportedFeatureError(
        f"{place}: `{keyword}` cannot be enforced {where}; describe the parameter without it, or use a "
        "format with arguments as JSON",
        feature=keyword,
        location=place,
    )


_TAKES_ANYTHING = Tool("any", parameters={"properties": {}, "additionalProperties": True})


@dataclass(frozen=True)
class Parameter:
    """One parameter of a tool.

    Attributes:
        tool: the tool.
        name: the name of the parameter.
        path: the place of its schema within the tool's, as keys.
        is_required: whether it must come.
    """

    tool: Tool
    name: str
    path: Path
    is_required: bool

    @property
    def location(self) -> str:
        """The place of its schema as a JSON pointer."""
        return json_pointer(*self.path)

    @property
    def place(self) -> Place:
        """The place of its schema within the tool's."""
        return whole_schema(self.tool), self.path

    @cached_property
    def _types(self) -> frozenset[str]:
        """The types that the value may have.

        All, where it refers to what is not read here: texts are read by it, whether or not a grammar can be
        made of it. One cannot: :meth:`string_rules` then refuses the reference.
        """
        try:
            return frozenset(types_at(*self.place))
        except UnsupportedFeatureError:
            return _TYPES

    @cached_property
    def other_types(self) -> frozenset[str]:
        """The types that the value may have, but for strings."""
        return self._types - {"string"}

    @property
    def may_be_string(self) -> bool:
        """Whether the value may be a string."""
        return "string" in self._types

    @cached_property
    def is_unconstrained(self) -> bool:
        """Whether any value of the types that it may have will do."""
        schema = whole_schema(self.tool).at(self.path)
        if not isinstance(schema, Mapping):
            return schema is True
        types = schema.get("type", ())
        is_readable = isinstance(types, str | Sequence) and set(demands_of(schema)) <= {"type"}
        return is_readable and "integer" not in types

    @cached_property
    def other_texts(self) -> str:
        """A regular expression of the texts that are read as values that are not strings.

        All that begins as an array or an object does is among them, where there may be one.
        """
        return "|".join(text for name, text in _OTHER_TEXTS.items() if name in self.other_types)

    def string_rules(self) -> list[StringRule]:
        """What strings the value may be: those under any of these rules.

        Raises:
            UnsupportedFeatureError: a keyword says more of the string than can be enforced.
        """
        if not self.may_be_string:
            return []
        whole = whole_schema(self.tool)
        return list(find_out(self.path, lambda path: _string_rules(whole, path), {}))

    def other_grammar(self, options: ArgumentOptions) -> Grammar | None:
        """The JSON texts of the values that are not strings; None where there are none.

        Raises:
            SchemaError, UnsupportedFeatureError: as :meth:`maskwright.Grammar.json_schema`.
        """
        schema = reference(self.tool, self.path)
        if self.may_be_string:
            schema = {"allOf": [schema], "type": [*_OTHER_TYPES]}
        return json_grammar(self.tool, schema, options)


def whole_schema(tool: Tool) -> WholeSchema:
    """The schema of a tool's arguments, with what was found out of it before; kept with the tool."""
    made = tool._readings.get("schema")
    if made is None:
        made = tool._readings.setdefault("schema", WholeSchema(tool.arguments_schema))
    return cast(WholeSchema, made)


def json_grammar(
    tool: Tool, schema: Mapping[str, Any], options: ArgumentOptions, **further: Any
) -> Grammar | None:
    """The grammar of a schema that may refer to the tool's, and is of the same draft; None for no value."""
    root = tool.arguments_schema
    chosen = {**options.for_schemas, **further}
    if _has_references(schema):
        chosen["documents"] = {**(chosen.get("documents") or {}), _URI: root}
    if "$schema" in root:
        schema = {"$schema": root["$schema"], **schema}
    with suppress(EmptyGrammarError):
        return Grammar.json_schema(schema, **chosen)
    return None


def reference(tool: Tool, path: Path) -> dict[str, Any]:
    """The schema at a place within the tool's, or one that refers to it where it refers further."""
    schema = whole_schema(tool).at(path)
    if schema is True:
        return {}
    if isinstance(schema, dict) and not _has_references(schema):
        return schema
    # In a URI, what follows a percent sign is the number of a character.
    return {"$ref": _URI + json_pointer(*path).replace("%", "%25")}


def no_value(parameter: Parameter) -> ToolCallError:
    """The error that a parameter must come, and can have no value."""
    return ToolCallError(
        f"tool {parameter.tool.name!r}: no value is valid for the parameter {parameter.name!r}, which must "
        "come; drop one of the demands of its schema",
        location=parameter.location,
    )


def check_schema(tool: Tool, options: ArgumentOptions) -> Grammar | None:
    """Checks that the schema of a tool's arguments is one, before any of it is read here.

    Returns:
        The grammar of the arguments as JSON; None where no arguments satisfy the schema.

    Raises:
        SchemaError: something in it is no schema; it says where.
        UnsupportedFeatureError, BudgetExceededError: as :meth:`maskwright.Grammar.json_schema`.
    """
    # A schema that nothing satisfies is one; the parameter that is to blame is named later.
    with suppress(EmptyGrammarError):
        return Grammar.json_schema(tool.arguments_schema, **options.for_schemas)
    return None


def with_schema(grammar: Grammar, schema: Grammar | None, options: ArgumentOptions) -> Grammar:
    """A grammar of arguments that remembers the schema of the one that :func:`check_schema` has made."""
    if schema is None:
        return grammar
    return Grammar._described(grammar, schema=schema._recipe[1], budget=options.budget)


def parameters_of(tool: Tool, where: str) -> list[Parameter]:
    """The parameters that a tool's schema names.

    Args:
        tool: the tool, which has no custom text, and whose schema has been checked.
        where: the kind of layout, for errors.

    Raises:
        UnsupportedFeatureError: the schema says what arguments there are by more than their names.
    """
    place, schema = _outermost(tool)
    for keyword in demands_of(schema):
        if keyword not in ("type", "properties", "required", "additionalProperties"):
            raise unsupported(json_pointer(*place), keyword, where)
    if place and "object" not in types_at(whole_schema(tool), place):
        raise unsupported(json_pointer(*place), "type", f"of arguments, which are an object, {where}")
    required = schema.get("required", [])
    names = dict.fromkeys([*schema.get("properties", {}), *required])
    missing = [name for name in required if name not in schema.get("properties", {})]
    if missing:
        location = json_pointer(*place, "required")
        raise UnsupportedFeatureError(
            f"{location}: {missing[0]!r} is required, but not among the properties",
            feature="required",
            location=location,
        )
    return [Parameter(tool, name, (*place, "properties", name), name in required) for name in names]


def further_parameter(tool: Tool) -> Parameter | None:
    """What parameters must be like that a tool's schema does not name; None where there must be none."""
    place, schema = _outermost(tool)
    further = schema.get("additionalProperties", True)
    if further is False:
        return None
    if not isinstance(further, Mapping):
        return Parameter(_TAKES_ANYTHING, "", ("additionalProperties",), is_required=False)
    return Parameter(tool, "", (*place, "additionalProperties"), is_required=False)


def declared_parameter(tool: Tool, name: str) -> Parameter | None:
    """A parameter by its name, whether the tool is strict or not; None where the schema does not say."""
    described = _described(tool)
    place, schema = _outermost(described)
    if _has_property(schema, name):
        return Parameter(described, name, (*place, "properties", name), is_required=False)
    if isinstance(schema.get("additionalProperties"), Mapping):
        return Parameter(described, name, (*place, "additionalProperties"), is_required=False)
    return None


def comes_once(tool: Tool, name: str) -> bool:
    """Whether a parameter cannot come twice. No grammar remembers names that the schema does not say."""
    return _has_property(_outermost(tool)[1], name)


def _outermost(tool: Tool) -> tuple[Path, Mapping[str, Any]]:
    """The schema that names the parameters of a tool, and its place."""
    whole = whole_schema(tool)
    return whole.outermost, whole.at(whole.outermost)


def _has_property(schema: Mapping[str, Any], name: str) -> bool:
    properties = schema.get("properties")
    return isinstance(properties, Mapping) and name in properties


def declared_place(tool: Tool) -> Place:
    """What a tool's description says of its arguments, whether the tool is strict or not."""
    return whole_schema(_described(tool)), ()


def _described(tool: Tool) -> Tool:
    """The tool as it is where it is strict."""
    if tool.strict is not False:
        return tool
    made = tool._readings.get("described")
    if made is None:
        described = Tool(tool.name, parameters=tool.parameters)
        made = tool._readings.setdefault("described", described)
    return cast(Tool, made)


def _has_references(schema: Any) -> bool:
    """Whether a schema may refer to another place."""
    waiting = [schema]
    while waiting:
        thing = waiting.pop()
        if isinstance(thing, Mapping):
            if any(isinstance(key, str) and key.startswith("$") for key in thing):
                return True
            waiting += thing.values()
        elif isinstance(thing, list | tuple):
            waiting += thing
    return False


def _schema_at(whole: WholeSchema, path: Path) -> Any:
    try:
        return whole.at(path)
    except (LookupError, TypeError, ValueError) as error:
        location = json_pointer(*path)
        raise UnsupportedFeatureError(
            f"{location}: there is no such place in the tool's schema", feature="$ref", location=location
        ) from error


def types_at(whole: WholeSchema, path: Path) -> set[str]:
    """The types that values may have; more of them where keywords that are not read here exclude some.

    All, where what stands there is no schema: texts are read by it, too, before a grammar is made of it.

    Raises:
        UnsupportedFeatureError: they depend on themselves, or on what is not in the schema.
    """
    try:
        kinds = _kinds_at(whole, path)
    except (TypeError, AttributeError):
        kinds = _KINDS
    return {"number" if kind in _NUMBERS else kind for kind in kinds}


def is_integer_at(place: Place) -> bool:
    """Whether the schema plainly says that a number at a place can only be an integer."""
    try:
        return _kinds_at(*place) & _NUMBERS == {"integer"}
    except (LookupError, TypeError, ValueError, AttributeError):
        return False  # it says what is not read here


def place_within(place: Place, key: str | int) -> Place | None:
    """The place of a member or item of what a place describes; None where the schema does not plainly say."""
    whole, path = place
    seen: set[Path] = set()
    try:
        while path not in seen:
            seen.add(path)
            schema = whole.at(path)
            if not isinstance(schema, Mapping):
                return None
            keys = _keys_within(schema, key)
            if keys or "$ref" not in schema:
                return (whole, (*path, *keys)) if keys else None
            path = whole.referred(path)
    except (LookupError, TypeError, ValueError, AttributeError):
        pass  # it says what is not read here
    return None


def _keys_within(schema: Mapping[str, Any], key: str | int) -> Path:
    """The keys that lead from a schema to that of a member or item; none where it has none of its own."""
    if isinstance(key, str):
        if key in schema.get("properties", {}):
            return "properties", key
        is_plain = isinstance(schema.get("additionalProperties"), Mapping)
        return ("additionalProperties",) if is_plain and "patternProperties" not in schema else ()
    if key < len(schema.get("prefixItems", ())):
        return "prefixItems", key
    return ("items",) if isinstance(schema.get("items"), Mapping) else ()


def _kinds_at(whole: WholeSchema, path: Path) -> frozenset[str]:
    """The types that values may have, with numbers that are integers and others told apart."""
    return find_out(path, lambda place: _kinds(whole, place), whole.kinds)


def _kinds(whole: WholeSchema, path: Path) -> Finding[frozenset[str]]:
    schema = _schema_at(whole, path)
    if not isinstance(schema, Mapping):
        return _KINDS if schema is True else frozenset()
    if "$ref" in schema and whole.only_reference_counts:
        of_referred: frozenset[str] = yield whole.referred(path)
        return of_referred
    if "not" in schema and plain_truth(schema["not"]) is True:
        return frozenset()
    found = set(_KINDS)
    if "type" in schema:
        given = schema["type"]
        names = {given} if isinstance(given, str) else set(given)
        found &= names | _NUMBERS if "number" in names else names
    if "enum" in schema:
        found &= {kind for value in schema["enum"] for kind in _kinds_of(value)}
    if "const" in schema:
        found &= _kinds_of(schema["const"])
    if "$ref" in schema:
        found &= yield whole.referred(path)
    for keyword in ("anyOf", "oneOf"):
        if keyword in schema:
            of_branches: set[str] = set()
            for at in range(len(schema[keyword])):
                of_branches |= yield (*path, keyword, at)
            found &= of_branches
    for at in range(len(schema.get("allOf", ()))):
        found &= yield (*path, "allOf", at)
    return frozenset(found)


def _kinds_of(value: Any) -> set[str]:
    """What kinds of texts stand for a value; ``2.0`` is an integer to JSON Schema, and a float to Python."""
    kind = type_of(value)
    if kind != "number":
        return {kind}
    return {"integer"} if isinstance(value, int) else set(_NUMBERS)


def plain_truth(schema: Any) -> bool | None:
    """Whether a schema plainly takes every value, or none; None where it says more than ``not`` of such."""
    is_negated = False
    seen: set[int] = set()  # what a caller has put together may hold itself
    while isinstance(schema, Mapping) and demands_of(schema) == ["not"] and id(schema) not in seen:
        seen.add(id(schema))
        schema, is_negated = schema["not"], not is_negated
    if isinstance(schema, Mapping) and not demands_of(schema):
        schema = True
    return schema is not is_negated if isinstance(schema, bool) else None


def without_idle_not(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """A schema without a ``not`` that plainly excludes no value."""
    if "not" not in schema or plain_truth(schema["not"]) is not False:
        return schema
    return {keyword: said for keyword, said in schema.items() if keyword != "not"}


def type_of(value: Any) -> str:
    """The type of a JSON value; integers are numbers."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, str):
        return "string"
    if isinstance(value, int | float):
        return "number"
    return "array" if isinstance(value, list | tuple) else "object"


def _string_rules(whole: WholeSchema, path: Path) -> Finding[tuple[StringRule, ...]]:
    """The rules of which a string must keep one, each once."""
    schema = _schema_at(whole, path)
    location = json_pointer(*path)
    where = "where strings are written without quotes"
    if not isinstance(schema, Mapping):
        return (StringRule(location),) if schema is True else ()
    if "string" not in types_at(whole, path):
        return ()
    if "$ref" in schema and whole.only_reference_counts:
        schema = {"$ref": schema["$ref"]}
    schema = without_idle_not(schema)
    own = [key for key in _OF_STRINGS if key in schema]
    deeper = [key for key in schema if key in _LEADING_ON]
    if not deeper:
        return (_rule(schema, location),)
    if len(deeper) > 1 or deeper[0] not in ("$ref", "anyOf", "oneOf", "allOf"):
        raise unsupported(location, next(key for key in reversed(deeper)), where)
    keyword = deeper[0]
    if own:
        raise unsupported(location, own[0], f"beside `{keyword}` {where}")
    if keyword == "$ref":
        of_referred: tuple[StringRule, ...] = yield whole.referred(path)
        return of_referred
    rules: list[StringRule] = []
    for at in range(len(schema[keyword])):
        rules += yield (*path, keyword, at)
    if keyword != "anyOf" and len(rules) > 1 and (keyword == "allOf" or not _are_apart(rules)):
        raise unsupported(location, keyword, where)
    return tuple(dict.fromkeys(rules))


def _are_apart(rules: list[StringRule]) -> bool:
    """Whether no string keeps two of the rules, as their lists of choices show."""
    choices = [choice for rule in rules for choice in rule.choices or ()]
    return all(rule.choices is not None for rule in rules) and len(choices) == len(set(choices))


def _rule(schema: Mapping[str, Any], location: str) -> StringRule:
    choices: tuple[str, ...] | None = None
    if "enum" in schema:
        choices = tuple(value for value in schema["enum"] if isinstance(value, str))
    if "const" in schema:
        const = schema["const"]
        choices = (const,) if choices is None or const in choices else ()
    return StringRule(
        location,
        choices,
        schema.get("minLength", 0),
        schema.get("maxLength"),
        schema.get("pattern"),
        schema.get("format"),
    )
