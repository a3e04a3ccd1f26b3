"""Schemas of tools that are no schemas: every format tells the same place."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest

import maskwright as mw

from .samples import accepts, refused_at, vocabulary_of

CONTAINS_ITSELF: dict[str, Any] = {"type": ["object", "null"], "properties": {}}
CONTAINS_ITSELF["properties"]["a"] = CONTAINS_ITSELF
NO_SCHEMAS: list[tuple[dict[str, Any], str]] = [
    # the schema of a tool's arguments; the place of its fault, as every format tells it
    ({"properties": {"p": {"type": 5}}}, "#/properties/p/type"),
    ({"properties": {"p": {"type": None}}}, "#/properties/p/type"),
    ({"properties": {"p": {"type": [["string"]]}}}, "#/properties/p/type"),
    ({"properties": {"p": {"enum": 5}}}, "#/properties/p/enum"),
    ({"properties": {"p": {"enum": "abc"}}}, "#/properties/p/enum"),
    ({"properties": {"p": {"anyOf": 5}}}, "#/properties/p/anyOf"),
    ({"properties": {"p": {"anyOf": {"a": {}}}}}, "#/properties/p/anyOf"),
    ({"properties": {"p": {"allOf": 5}}}, "#/properties/p/allOf"),
    ({"properties": {"p": {"$ref": "#/$defs/none"}}}, "#/properties/p/$ref"),
    ({"properties": {"p": {"$ref": "https://example.org/a"}}}, "#/properties/p/$ref"),
    ({"properties": {"p": {"type": ["array", "null"], "items": 5}}}, "#/properties/p/items"),
    ({"properties": {"p": {"type": ["array", "null"], "minItems": "x"}}}, "#/properties/p/minItems"),
    ({"properties": {"p": {"type": ["string", "null"], "minLength": -1}}}, "#/properties/p/minLength"),
    ({"properties": {"p": {"type": ["object", "null"], "properties": 5}}}, "#/properties/p/properties"),
    ({"properties": {"p": {"type": ["object", "null"], "required": "a"}}}, "#/properties/p/required"),
    ({"properties": {"p": 5}}, "#/properties/p"),
    ({"properties": 5}, "#/properties"),
    ({"properties": None}, "#/properties"),
    ({"properties": {1: {}}}, "#/properties/1"),
    ({"properties": {"p": {}}, "required": 5}, "#/required"),
    ({"properties": {"p": {}}, "required": "p"}, "#/required"),
    ({"properties": {"p": {}}, "required": [["p"]]}, "#/required/0"),
    ({"properties": {"p": {}}, "additionalProperties": 5}, "#/additionalProperties"),
    ({"properties": {"p": CONTAINS_ITSELF}}, "#/properties/p/properties/a"),
]
CALLS_WITH_P = {
    "hermes": '<tool_call>\n{"name": "t", "arguments": {"p": 1e3}}\n</tool_call>',
    "qwen3-coder": "<tool_call>\n<function=t>\n<parameter=p>\n1e3\n</parameter>\n</function>\n</tool_call>",
    "glm-4.7": "<tool_call>t<arg_key>p</arg_key><arg_value>1e3</arg_value></tool_call>",
    "pythonic": "[t(p=1e3)]",
}


@pytest.mark.parametrize("name", CALLS_WITH_P)
@pytest.mark.parametrize(
    ("schema", "location"), NO_SCHEMAS, ids=[f"{at} {case[1]}" for at, case in enumerate(NO_SCHEMAS)]
)
def test_what_is_no_schema_is_told_by_place_in_every_format(
    name: str, schema: dict[str, Any], location: str
) -> None:
    calls = mw.ToolCalls([mw.Tool("t", parameters=schema)], format=name)
    with pytest.raises(mw.SchemaError) as caught:
        calls.grammar()
    assert caught.value.location == location
    with contextlib.suppress(mw.ToolCallSyntaxError):
        calls.parse(CALLS_WITH_P[name])
    with contextlib.suppress(mw.ToolCallError):
        calls.render([{"name": "t", "arguments": {"p": "1"}}])


@pytest.mark.parametrize("name", CALLS_WITH_P)
@pytest.mark.parametrize(
    "referred",
    ["https://example.org/a", "#/$defs/none", "#/properties/p"],
    ids=["elsewhere", "none", "itself"],
)
def test_a_reference_that_is_not_read_says_nothing_of_a_value(name: str, referred: str) -> None:
    tool = mw.Tool("t", parameters={"properties": {"p": {"$ref": referred}}})
    calls = mw.ToolCalls([tool], format=name)
    assert calls.parse(CALLS_WITH_P[name]).calls[0].arguments == {"p": 1000.0}
    arguments = {"p": [1, "x"], "q": "y"}
    text = calls.render([{"name": "t", "arguments": arguments}])
    assert calls.parse(text).calls[0].arguments == arguments


def test_an_array_that_needs_more_items_than_it_may_have_is_no_value_of_python() -> None:
    impossible = {"type": "array", "items": {"type": "boolean"}, "minItems": 4, "maxItems": 2}
    parameters = {"properties": {"p": {**impossible, "type": ["array", "null"]}}}
    calls = mw.ToolCalls([mw.Tool("t", parameters=parameters)], format="pythonic")
    vocabulary = vocabulary_of("pythonic")
    constraint = mw.Compiler(vocabulary).compile(calls.grammar())
    assert accepts(constraint, vocabulary, "[t(p=None)]")
    assert refused_at(constraint, vocabulary, "[t(p=[True])]") == "[t(p="
    none = mw.ToolCalls([mw.Tool("t", parameters={"properties": {"p": impossible}})], format="pythonic")
    with pytest.raises(mw.ToolCallError) as caught:
        none.grammar()
    assert caught.value.location == "#/properties/p"


@pytest.mark.parametrize("name", CALLS_WITH_P)
@pytest.mark.parametrize(
    "schema", [{"properties": {"\ud800": {}}}, {"properties": {"p": {"enum": ["\ud800"]}}}]
)
def test_half_of_a_surrogate_pair_is_no_part_of_a_schema(name: str, schema: dict[str, Any]) -> None:
    with pytest.raises(mw.GrammarSyntaxError, match="surrogate"):
        mw.ToolCalls([mw.Tool("t", parameters=schema)], format=name).grammar()


DRAFT_7 = "http://json-schema.org/draft-07/schema#"
LISTED = {"type": "array", "items": [{"type": "integer"}, {"type": "boolean"}], "additionalItems": False}
CALLS_BY_DRAFT = {
    "hermes": '<tool_call>\n{"name": "t", "arguments": {"p": VALUE}}\n</tool_call>',
    "qwen3-coder": "<tool_call>\n<function=t>\n<parameter=p>\nVALUE\n</parameter>\n</function>\n</tool_call>",
    "glm-4.7": "<tool_call>t<arg_key>p</arg_key><arg_value>VALUE</arg_value></tool_call>",
}


@pytest.mark.parametrize("name", CALLS_BY_DRAFT)
def test_parameters_are_of_the_draft_of_the_whole_schema(name: str) -> None:
    parameters = {"$schema": DRAFT_7, "properties": {"p": LISTED}, "required": ["p"]}
    vocabulary = vocabulary_of(name)
    calls = mw.ToolCalls([mw.Tool("t", parameters=parameters)], format=name)
    constraint = mw.Compiler(vocabulary).compile(calls.grammar())
    call = CALLS_BY_DRAFT[name]
    assert accepts(constraint, vocabulary, call.replace("VALUE", "[1, true]"))
    assert not accepts(constraint, vocabulary, call.replace("VALUE", "[true]"))
    assert not accepts(constraint, vocabulary, call.replace("VALUE", "[1, true, 2]"))


def test_a_list_of_schemas_of_items_is_refused_where_values_are_literals_of_python() -> None:
    listed = {"type": "array", "items": LISTED["items"]}
    parameters = {"$schema": DRAFT_7, "properties": {"p": listed}}
    with pytest.raises(mw.UnsupportedFeatureError) as caught:
        mw.ToolCalls([mw.Tool("t", parameters=parameters)], format="pythonic").grammar()
    assert caught.value.location == "#/properties/p/items"


@pytest.mark.parametrize("reference", ["#short", "https://example.org/t#/$defs/s", "t#short"])
def test_parameters_may_refer_by_an_anchor_and_by_the_schemas_own_uri(reference: str) -> None:
    parameters = {
        "$id": "https://example.org/t",
        "$defs": {"s": {"$anchor": "short", "type": "string", "maxLength": 2}},
        "properties": {"p": {"$ref": reference}},
    }
    vocabulary = vocabulary_of("glm-4.7")
    calls = mw.ToolCalls([mw.Tool("t", parameters=parameters)], format="glm-4.7")
    constraint = mw.Compiler(vocabulary).compile(calls.grammar())
    call = CALLS_BY_DRAFT["glm-4.7"]
    assert accepts(constraint, vocabulary, call.replace("VALUE", "ab"))
    assert not accepts(constraint, vocabulary, call.replace("VALUE", "abc"))
