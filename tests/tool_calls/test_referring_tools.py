"""Tools whose schema only refers to that of their arguments, as models do that hold themselves."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

import maskwright as mw

from .samples import accepts, vocabulary_of


class Node(BaseModel):
    """A node and those in it."""

    name: str
    inner: list[Node] = []


DRAFT_7 = "http://json-schema.org/draft-07/schema#"
NODE = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "size": {"type": "integer"},
        "inner": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
    },
    "required": ["name"],
    "additionalProperties": False,
}
PLAIN = {"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": False}
ONE_BY_ONE = ["qwen3-coder", "glm-4.5", "minimax-m2", "deepseek-v3.2"]


def _calls(format: str, **schema: Any) -> mw.ToolCalls:
    return mw.ToolCalls([mw.Tool("t", parameters=schema)], format, tool_choice="required", reasoning="off")


@pytest.mark.parametrize("format", ONE_BY_ONE)
@pytest.mark.parametrize(
    "around",
    [
        {"$ref": "#/$defs/Node"},
        {"$ref": "#/$defs/Node", "title": "A node"},
        {"$ref": "#/$defs/Node", "type": "object"},
        {"$ref": "#/$defs/Node", "$schema": DRAFT_7, "required": ["x"]},
        {"$ref": "#/$defs/Again"},
    ],
)
def test_arguments_are_those_that_are_referred_to(format: str, around: dict[str, Any]) -> None:
    calls = _calls(format, **around, **{"$defs": {"Node": NODE, "Again": {"$ref": "#/$defs/Node"}}})
    vocabulary = vocabulary_of(calls.format)
    constraint = mw.Compiler(vocabulary).compile(calls.grammar())
    arguments: dict[str, Any] = {"name": "a", "size": 3, "inner": [{"name": "b", "inner": []}]}
    text = calls.render([{"name": "t", "arguments": arguments}])
    assert accepts(constraint, vocabulary, text)
    assert calls.parse(text).calls[0].arguments == arguments
    number = calls.render([{"name": "t", "arguments": {"name": "3"}}])
    assert calls.parse(number).calls[0].arguments == {"name": "3"}
    for wrong in (
        {"size": 3},
        {"name": "a", "size": "x"},
        {"name": "a", "other": 1},
        {"name": "a", "inner": [{}]},
    ):
        plain = mw.ToolCalls([mw.Tool("t", parameters={"type": "object"})], format, reasoning="off")
        text = plain.render([{"name": "t", "arguments": wrong}])
        assert not accepts(constraint, vocabulary, text), wrong


@pytest.mark.parametrize("format", [*ONE_BY_ONE, "pythonic", "hermes"])
def test_further_arguments_come_as_what_is_referred_to_says(format: str) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}}
    for further, value, is_taken in ((True, "x", True), ({"type": "boolean"}, True, True), (False, 1, False)):
        described = {**schema, "additionalProperties": further}
        calls = _calls(format, **{"$ref": "#/$defs/a", "$defs": {"a": described}})
        vocabulary = vocabulary_of(calls.format)
        constraint = mw.Compiler(vocabulary).compile(calls.grammar())
        text = calls.render([{"name": "t", "arguments": {"a": 1, "b": value}}])
        assert accepts(constraint, vocabulary, text) == is_taken, further
        assert calls.parse(text).calls[0].arguments == {"a": 1, "b": value}


def test_a_model_that_holds_itself_is_a_tool() -> None:
    calls = mw.ToolCalls([Node], "qwen3-coder")
    assert calls.grammar()
    text = calls.render([{"name": "Node", "arguments": {"name": "a", "inner": [{"name": "b"}]}}])
    assert calls.parse(text).calls[0].arguments == {"name": "a", "inner": [{"name": "b"}]}


@pytest.mark.parametrize("format", [*ONE_BY_ONE, "pythonic"])
@pytest.mark.parametrize(
    ("schema", "location"),
    [
        ({"$ref": "#/$defs/a", "required": ["a"], "$defs": {"a": PLAIN}}, "#/$ref"),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"minProperties": 1}}}, "#/$defs/a/minProperties"),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"required": ["b"]}}}, "#/$defs/a/required"),
        (
            {"$ref": "#/$defs/a", "$defs": {"a": {"properties": {"b": {"not": {"minLength": 1}}}}}},
            "#/$defs/a/properties/b/not",
        ),
        ({"$ref": "#/$defs/a", "$defs": {"a": True}}, "#/$ref"),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"type": "string"}}}, "#/$defs/a/type"),
        ({"$ref": "#"}, "#/$ref"),
    ],
    ids=str,
)
def test_what_cannot_be_held_to_is_told_with_its_place(
    format: str, schema: dict[str, Any], location: str
) -> None:
    with pytest.raises(mw.UnsupportedFeatureError) as caught:
        _calls(format, **schema).grammar()
    assert caught.value.location == location


def test_styles_of_structural_tags_understand_it_too() -> None:
    schema = {"$ref": "#/$defs/a", "$defs": {"a": PLAIN}}
    grammar = mw.Grammar.structural_tag({"type": "json_schema", "style": "qwen_xml", "json_schema": schema})
    tokens = [bytes([byte]) for byte in range(256)]
    vocabulary = mw.Vocabulary.from_tokens([*tokens, None], stop_ids=[256])
    constraint = mw.Compiler(vocabulary).compile(grammar)
    assert constraint.matcher().accept_bytes(b"<parameter=a>1</parameter>")
    assert not constraint.matcher().accept_bytes(b"<parameter=b")
