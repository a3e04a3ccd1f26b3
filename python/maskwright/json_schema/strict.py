"""The subset of JSON Schema that OpenAI's structured outputs take in strict mode.

The rules are those that OpenAI's guide "Structured model outputs", section "Supported schemas", gives, as of
February 2026 (platform.openai.com/docs/guides/structured-outputs). Where the guide leaves room, the check is
the stricter one:

* A keyword of JSON Schema that the guide does not list as supported is unsupported, `minLength` too.
* Nesting is counted in objects, the root being the first; a ``$ref`` does not add to it, and every definition
  is counted from itself, since recursion is allowed.
* Characters are code points.

Takes a schema and gives all violations, in the order in which they stand; an unsupported keyword is
reported, and what is below it is not looked at.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from maskwright import nested_json
from maskwright.budget import Budget, given_budget
from maskwright.errors import GrammarSyntaxError, StrictSchemaError
from maskwright.json_schema.inputs import SchemaInput, schema_text
from maskwright.json_schema.json_text import json_pointer
from maskwright.json_schema.members import Location

__all__ = ["StrictViolation", "check_openai_strict"]

_MAXIMUM_PROPERTIES = 5_000
_MAXIMUM_NESTING = 10
_MAXIMUM_CHARACTERS = 120_000
_MAXIMUM_ENUM_VALUES = 1_000
_LARGE_ENUM = 250
_MAXIMUM_LARGE_ENUM_CHARACTERS = 15_000

_UNSUPPORTED = {
    "allOf": "merge the schemas into one",
    "oneOf": "use anyOf",
    "not": "say what is allowed instead",
    "if": "use anyOf",
    "then": "use anyOf",
    "else": "use anyOf",
    "dependencies": "use anyOf",
    "dependentRequired": "make every property required, and nullable where it may be absent",
    "dependentSchemas": "use anyOf",
    "patternProperties": "name the properties",
    "propertyNames": "name the properties",
    "unevaluatedProperties": "use additionalProperties: false",
    "minProperties": "every property is required anyway",
    "maxProperties": "every property is required anyway",
    "prefixItems": "use an object with a property for each position",
    "additionalItems": "use items",
    "unevaluatedItems": "use items",
    "contains": "leave it out",
    "minContains": "leave it out",
    "maxContains": "leave it out",
    "uniqueItems": "leave it out",
    "minLength": "use pattern",
    "maxLength": "use pattern",
    "$dynamicRef": "use $ref",
    "$recursiveRef": "use $ref",
}
_FORMATS = frozenset({"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"})
_TYPE_GIVERS = ("type", "anyOf", "enum", "const", "$ref")


class StrictViolation(NamedTuple):
    """One rule that a schema breaks.

    Attributes:
        location: where, as a JSON pointer.
        rule: which, by its id, such as ``"additional-properties"``.
        message: what is wrong, and how to mend it.

    Example:
        >>> import maskwright as mw
        >>> try:
        ...     mw.Grammar.json_schema({"type": "object"}, openai_strict=True)
        ... except mw.StrictSchemaError as error:
        ...     print(*error.violations[0], sep=" | ")
        # | additional-properties | an object must say additionalProperties: false
    """

    location: str
    rule: str
    message: str


def check_openai_strict(schema: SchemaInput, *, budget: Budget | None = None) -> None:
    """Checks that OpenAI's strict mode would take a schema.

    Args:
        schema: the schema, in any form that :meth:`maskwright.Grammar.json_schema` takes.
        budget: the limit on its size.

    Raises:
        StrictSchemaError: strict mode would not take it; the error has every violation.
        SchemaError: no schema can be made of what was given.
        GrammarSyntaxError: the text is not JSON.
        BudgetExceededError: the schema is too large.

    Example:
        >>> check_openai_strict({"type": "object", "additionalProperties": False})
    """
    text = schema_text(schema, limit=given_budget(budget).grammar_bytes)
    check = _Check()
    try:
        # Loading also makes a tree of what may be shared.
        check.root(_loaded(text))
    except RecursionError:
        check.violations.append(_too_deep("#"))
    violations = check.violations
    if violations:
        first, *others = violations
        more = f" (and {len(others)} more, see `violations`)" if others else ""
        message = f"{first.location}: not in the strict subset of OpenAI: {first.message}{more}"
        raise StrictSchemaError(message, violations=violations, location=first.location)


def _loaded(text: str) -> Any:
    try:
        return nested_json.loads(text, parse_int=_Number, parse_float=_Number)
    except json.JSONDecodeError as error:
        raise GrammarSyntaxError(
            f"line {error.lineno}, column {error.colno}: the schema is not JSON: {error.msg}",
            line=error.lineno,
            column=error.colno,
            found=repr(text[error.pos : error.pos + 10]) if error.pos < len(text) else "end of input",
            expected="JSON",
        ) from error


@dataclass(frozen=True, slots=True)
class _Number:
    """A number as it is written: the interpreter refuses to read those of very many digits."""

    text: str

    def __repr__(self) -> str:
        return self.text


class _Check:
    """Goes through one schema, without recursion, and counts what is limited in total."""

    def __init__(self) -> None:
        self.violations: list[StrictViolation] = []
        self._properties = 0
        self._enum_values = 0
        self._characters = 0
        # Subschemas still to be looked at, the next one last: where, what, and the objects around it.
        self._to_check: list[tuple[Location, Any, int]] = []

    def root(self, schema: Any) -> None:
        if isinstance(schema, Mapping) and "anyOf" in schema:
            self._report((), "root-any-of", "the root must not be anyOf; put it into a property of an object")
        elif not isinstance(schema, Mapping) or schema.get("type") != "object":
            self._report((), "root-object", "the root must be an object; say type: 'object'")
        self._to_check.append(((), schema, 0))
        while self._to_check:
            at, subschema, depth = self._to_check.pop()
            self._subschema(subschema, at, depth)
        self._totals()

    def _report(self, at: Location, rule: str, message: str) -> None:
        self.violations.append(StrictViolation(json_pointer(*at), rule, message))

    def _totals(self) -> None:
        limits = (
            ("property-count", "properties", self._properties, _MAXIMUM_PROPERTIES),
            ("enum-values", "enum values", self._enum_values, _MAXIMUM_ENUM_VALUES),
            (
                "string-length",
                "characters in names of properties and definitions and in enum and const values",
                self._characters,
                _MAXIMUM_CHARACTERS,
            ),
        )
        for rule, what, count, limit in limits:
            if count > limit:
                self._report((), rule, f"the schema has {count} {what}, and {limit} are allowed")

    def _subschema(self, schema: Any, at: Location, depth: int) -> None:
        if not isinstance(schema, Mapping):
            self._report(at, "any-value", f"{schema!r:.40} is not allowed as a schema; say which type it has")
            return
        self._keywords(schema, at)
        self._values(schema, at)
        if _is_object(schema):
            depth += 1
            if depth == _MAXIMUM_NESTING + 1:
                self.violations.append(_too_deep(json_pointer(*at)))
                return
            self._object(schema, at)
        self._to_check.extend(
            (place, subschema, 0 if place[-2:-1] in (("$defs",), ("definitions",)) else depth)
            for place, subschema in reversed(list(_subschemas(schema, at)))
        )

    def _keywords(self, schema: Mapping[str, Any], at: Location) -> None:
        for keyword, remedy in _UNSUPPORTED.items():
            if keyword in schema:
                self._report((*at, keyword), "unsupported-keyword", f"{keyword} is not supported; {remedy}")
        if not any(keyword in schema for keyword in _TYPE_GIVERS):
            self._report(
                at, "any-value", "a schema must say which type it has, by one of " + ", ".join(_TYPE_GIVERS)
            )
        if "format" in schema and not (isinstance(schema["format"], str) and schema["format"] in _FORMATS):
            known = ", ".join(sorted(_FORMATS))
            self._report(
                (*at, "format"),
                "unsupported-format",
                f"the format {schema['format']!r} is not supported; the formats are {known}",
            )

    def _values(self, schema: Mapping[str, Any], at: Location) -> None:
        values = _as_list(schema.get("enum"))
        self._enum_values += len(values)
        characters = sum(len(value) for value in values if isinstance(value, str))
        self._characters += characters
        if len(values) > _LARGE_ENUM and characters > _MAXIMUM_LARGE_ENUM_CHARACTERS:
            self._report(
                (*at, "enum"),
                "enum-string-length",
                f"an enum of more than {_LARGE_ENUM} values may have {_MAXIMUM_LARGE_ENUM_CHARACTERS} "
                f"characters in all, and this one has {characters}",
            )
        if isinstance(constant := schema.get("const"), str):
            self._characters += len(constant)
        for keyword in ("$defs", "definitions"):
            self._characters += sum(len(name) for name in _as_mapping(schema.get(keyword)))

    def _object(self, schema: Mapping[str, Any], at: Location) -> None:
        properties = _as_mapping(schema.get("properties"))
        self._properties += len(properties)
        self._characters += sum(len(name) for name in properties)
        if schema.get("additionalProperties") is not False:
            self._report(at, "additional-properties", "an object must say additionalProperties: false")
        required = {name for name in _as_list(schema.get("required")) if isinstance(name, str)}
        for name in properties:
            if name not in required:
                self._report(
                    (*at, "properties", name),
                    "required",
                    f"every property must be required, and {name!r} is not; make it nullable instead",
                )


def _is_object(schema: Mapping[str, Any]) -> bool:
    types = schema.get("type")
    return types == "object" or "object" in _as_list(types) or "properties" in schema


def _subschemas(schema: Mapping[str, Any], at: Location) -> Iterator[tuple[Location, Any]]:
    for keyword in ("properties", "$defs", "definitions"):
        for name, subschema in _as_mapping(schema.get(keyword)).items():
            yield (*at, keyword, name), subschema
    for index, subschema in enumerate(_as_list(schema.get("anyOf"))):
        yield (*at, "anyOf", index), subschema
    if "items" in schema:
        yield (*at, "items"), schema["items"]


def _as_mapping(value: Any) -> Mapping[str, Any]:
    """A keyword's value where it has the right form; the core refuses others."""
    return value if isinstance(value, Mapping) else {}


def _as_list(value: Any) -> list[Any] | tuple[Any, ...]:
    return value if isinstance(value, list | tuple) else []


def _too_deep(location: str) -> StrictViolation:
    message = f"objects are nested more than {_MAXIMUM_NESTING} deep"
    return StrictViolation(location, "nesting-depth", message)
