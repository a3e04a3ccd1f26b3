"""The subset of OpenAI's strict mode: every rule, where it is broken, and what is taken."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest

import maskwright as mw
from maskwright.json_schema import check_openai_strict


def an_object(**properties: Any) -> dict[str, Any]:
    """An object in the form that strict mode asks for."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def nested(depth: int) -> dict[str, Any]:
    """So many objects, each in the one before."""
    schema = an_object(leaf={"type": "string"})
    for _ in range(depth - 1):
        schema = an_object(inner={"type": "array", "items": schema})
    return schema


STRING = {"type": "string"}

TAKEN: dict[str, Any] = {
    "nothing in it": an_object(),
    "bounds": an_object(
        text={"type": "string", "pattern": "^a", "format": "email"},
        number={"type": ["number", "null"], "minimum": 0, "multipleOf": 0.5},
        items={"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 3},
    ),
    "anyOf below the root": an_object(value={"anyOf": [STRING, {"type": "null"}]}),
    "recursion": an_object(next={"anyOf": [{"$ref": "#"}, {"type": "null"}]}),
    "definitions": {**an_object(a={"$ref": "#/$defs/a"}), "$defs": {"a": {"enum": ["x", 1]}}},
    "annotations": {**an_object(a={"const": 1, "description": "one", "default": 1}), "title": "t"},
    "properties named as keywords": an_object(allOf=STRING, **{"not": STRING, "if": STRING}),
    "a definition starts anew": {**an_object(a={"$ref": "#/$defs/a"}), "$defs": {"a": nested(10)}},
    "as deep as can be": nested(10),
    "as many properties as can be": an_object(**{f"p{index}": {"type": "null"} for index in range(5000)}),
    "as many enum values as can be": an_object(a={"enum": list(range(1000))}),
    "as many characters in a large enum": an_object(a={"enum": [f"{i:050}" for i in range(300)]}),
}

# Each: what is wrong, the schema, the rules that are broken, with the places.
BROKEN: list[tuple[str, Any, list[tuple[str, str]]]] = [
    ("a string", STRING, [("root-object", "#")]),
    ("a boolean", True, [("root-object", "#"), ("any-value", "#")]),
    ("anyOf", {"anyOf": [an_object(), an_object()]}, [("root-any-of", "#")]),
    ("a reference", {"$ref": "#/$defs/a", "$defs": {"a": an_object()}}, [("root-object", "#")]),
    (
        "further properties",
        an_object(a={**an_object(), "additionalProperties": True}),
        [("additional-properties", "#/properties/a")],
    ),
    (
        "further properties by silence",
        an_object(a={"type": ["object", "null"]}),
        [("additional-properties", "#/properties/a")],
    ),
    (
        "optional properties",
        {**an_object(a=STRING, b=STRING), "required": ["b"]},
        [("required", "#/properties/a")],
    ),
    (
        "optional in a definition",
        {**an_object(), "$defs": {"x/y": {**an_object(a=STRING), "required": []}}},
        [("required", "#/$defs/x~1y/properties/a")],
    ),
    ("no type", an_object(a={"description": "anything"}), [("any-value", "#/properties/a")]),
    ("anything", an_object(a=True), [("any-value", "#/properties/a")]),
    ("a format", an_object(a={**STRING, "format": "uri"}), [("unsupported-format", "#/properties/a/format")]),
    *(
        (
            f"a format that is a {type(value).__name__}",
            an_object(a={**STRING, "format": value}),
            [("unsupported-format", "#/properties/a/format")],
        )
        for value in ([1], {"a": 1}, 5, None)
    ),
    ("too deep", nested(11), [("nesting-depth", "#" + "/properties/inner/items" * 10)]),
    (
        "many properties",
        an_object(**{f"p{index}": {"type": "null"} for index in range(5001)}),
        [("property-count", "#")],
    ),
    (
        "many enum values",
        an_object(a={"enum": list(range(600))}, b={"enum": list(range(401))}),
        [("enum-values", "#")],
    ),
    (
        "long enum values",
        an_object(a={"enum": [f"{i:050}" for i in range(301)]}),
        [("enum-string-length", "#/properties/a/enum")],
    ),
    ("long names", an_object(**{"n" * 120_001: STRING}), [("string-length", "#")]),
    (
        "long in all",
        {
            **an_object(**{"n" * 30_000: {"const": "c" * 30_000}, "e": {"enum": ["e" * 30_000]}}),
            "$defs": {"d" * 30_000: STRING},
        },
        [("string-length", "#")],
    ),
    (
        "all at once",
        {"type": "object", "properties": {"a": {"allOf": [STRING]}}},
        [
            ("additional-properties", "#"),
            ("required", "#/properties/a"),
            ("unsupported-keyword", "#/properties/a/allOf"),
            ("any-value", "#/properties/a"),
        ],
    ),
]

UNSUPPORTED: dict[str, Any] = {
    "allOf": [STRING],
    "oneOf": [STRING],
    "not": STRING,
    "if": STRING,
    "then": STRING,
    "else": STRING,
    "dependencies": {},
    "dependentRequired": {},
    "dependentSchemas": {},
    "patternProperties": {},
    "propertyNames": STRING,
    "unevaluatedProperties": False,
    "minProperties": 1,
    "maxProperties": 1,
    "prefixItems": [STRING],
    "additionalItems": False,
    "unevaluatedItems": False,
    "contains": STRING,
    "minContains": 1,
    "maxContains": 1,
    "uniqueItems": True,
    "minLength": 1,
    "maxLength": 1,
    "$dynamicRef": "#a",
    "$recursiveRef": "#",
}


def broken_rules(schema: Any) -> list[tuple[str, str]]:
    with pytest.raises(mw.StrictSchemaError) as caught:
        check_openai_strict(schema)
    violations = caught.value.violations
    assert caught.value.location == violations[0].location
    assert violations[0].message in str(caught.value)
    return [(violation.rule, violation.location) for violation in violations]


@pytest.mark.parametrize("schema", TAKEN.values(), ids=TAKEN)
def test_what_strict_mode_takes_is_taken(schema: Any) -> None:
    check_openai_strict(schema)
    check_openai_strict(json.dumps(schema))


@pytest.mark.parametrize(
    ("schema", "broken"), [case[1:] for case in BROKEN], ids=[name for name, *_ in BROKEN]
)
def test_every_broken_rule_is_named_with_its_place(schema: Any, broken: list[tuple[str, str]]) -> None:
    assert broken_rules(schema) == broken


@pytest.mark.parametrize("keyword", UNSUPPORTED)
def test_unsupported_keywords_are_named(keyword: str) -> None:
    schema = an_object(a={"type": "string", keyword: UNSUPPORTED[keyword]})
    assert broken_rules(schema) == [("unsupported-keyword", f"#/properties/a/{keyword}")]


def test_a_root_that_is_no_object_has_its_parts_checked() -> None:
    schema = {"type": "array", "items": {"type": "string", "minLength": 1}}
    broken = [("root-object", "#"), ("unsupported-keyword", "#/items/minLength")]
    assert [rule for rule in broken_rules(schema) if rule in broken] == broken


def test_any_input_can_be_checked() -> None:
    @dataclass
    class Point:
        x: int
        y: int = 0

    assert broken_rules(Point) == [("required", "#/properties/y")]


def test_deep_nesting_of_a_text_is_a_violation() -> None:
    text = '{"items":' * 100_000 + "true" + "}" * 100_000
    assert broken_rules(text) == [("nesting-depth", "#")]


@pytest.mark.parametrize(
    "number",
    ["1" + "0" * 9000, "1e99999999999999999999", "-1E-99999999999999999999", "0." + "1" * 9000],
    ids=len,
)
def test_any_number_is_read(number: str) -> None:
    text = json.dumps(an_object(a={"type": "integer", "maximum": 0})).replace(
        '"maximum": 0', f'"maximum": {number}'
    )
    check_openai_strict(text)


def test_a_number_in_place_of_a_schema_is_shown_as_it_is_written() -> None:
    with pytest.raises(mw.StrictSchemaError, match="OpenAI: 5 is not allowed as a schema"):
        check_openai_strict(an_object(a=5))


def test_text_that_is_not_json_is_placed() -> None:
    with pytest.raises(mw.GrammarSyntaxError) as caught:
        check_openai_strict('{\n  "type": }')
    assert (caught.value.line, caught.value.column, caught.value.found) == (2, 11, "'}'")


def test_a_grammar_checks_on_request_only(byte_vocabulary: mw.Vocabulary) -> None:
    loose = {"type": "object", "properties": {"a": STRING}}
    with pytest.raises(mw.StrictSchemaError):
        mw.Grammar.json_schema(loose, openai_strict=True)
    for schema, strict in ((loose, False), (an_object(a=STRING), True)):
        grammar = mw.Grammar.json_schema(schema, openai_strict=strict)
        assert mw.Compiler(byte_vocabulary).compile(grammar).matcher().accept_bytes(b'{"a":"b"}')
