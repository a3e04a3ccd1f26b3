"""Values without quotes: where one ends, and which of two things it is."""

from __future__ import annotations

import json
from typing import Any

import pytest

import maskwright as mw
from maskwright.tool_calls import ArgumentsDelta, XmlArguments
from maskwright.tool_calls.parts import fixed_text
from only_bytes import only_bytes

from .samples import accepts, constraint_of

UNMARKED = ["qwen3-coder", "glm-4.5", "glm-4.7", "minimax-m2"]
ONLY_BYTES = only_bytes()
MARKED = ["deepseek-v3.2", "deepseek-v4"]


def calls_with(schema: Any, name: str, *, strict: bool = True, typed: bool = False) -> mw.ToolCalls:
    tool = mw.Tool("t", parameters={"properties": {"p": schema}}, strict=strict)
    return mw.ToolCalls(
        [tool], format=name, tool_choice="required", reasoning="off", typed_special_tokens=typed
    )


def written(calls: mw.ToolCalls, value: str) -> str:
    """The text of a call with a value as it stands, whatever it is read as."""
    return calls.render([{"name": "t", "arguments": {"p": "QzQ"}}]).replace("QzQ", value)


def read_in_pieces(calls: mw.ToolCalls, text: str) -> Any:
    """The arguments of one call that comes character by character; the events have to tell the same."""
    parser = calls.parser()
    events = [event for character in text for event in parser.feed(character)] + parser.finish()
    (call,) = parser.message.calls
    deltas = [event.text for event in events if isinstance(event, ArgumentsDelta)]
    assert json.loads("".join(deltas)) == call.arguments
    return call.arguments


BEGINS_AS_A_NUMBER = ["123e4567-e89b-12d3-a456-426614174000", "9e9999z", "1" * 5000 + "x", "-1e5000 "]


@pytest.mark.parametrize("name", UNMARKED)
@pytest.mark.parametrize("text", BEGINS_AS_A_NUMBER, ids=[text[:12] for text in BEGINS_AS_A_NUMBER])
@pytest.mark.parametrize(
    "schema", [{"anyOf": [{"type": "string"}, {"type": "null"}]}, {"type": ["string", "integer"]}], ids=str
)
def test_a_string_may_begin_as_a_number_beyond_all_bounds(schema: Any, text: str, name: str) -> None:
    calls = calls_with(schema, name)
    call = calls.render([{"name": "t", "arguments": {"p": text}}])
    assert accepts(*constraint_of(calls), call)
    assert calls.parse(call).calls[0].arguments == {"p": text}
    assert read_in_pieces(calls, call) == {"p": text}


ONLY_STRINGS: list[dict[str, Any]] = [{"type": "string"}, {"enum": ["a"]}]
SCHEMAS: list[dict[str, Any]] = [
    *ONLY_STRINGS,
    {"type": "integer"},
    {"type": "array"},
    {"type": "object"},
    {"anyOf": [{"type": "array"}, {"type": "string"}]},
]
ANY_TEXTS: list[tuple[str, Any]] = [
    # a text; what it is read as where the schema has lists
    ("[1, 2", "[1, 2"),
    ("[1}", "[1}"),
    ("[1, 2]", [1, 2]),
    ("[[", "[["),
    ("{", "{"),
    ("1e5000", "1e5000"),
    ("[" * 300 + "]" * 300, "[" * 300 + "]" * 300),
]


@pytest.mark.parametrize("name", UNMARKED)
@pytest.mark.parametrize("schema", SCHEMAS, ids=str)
def test_of_a_tool_that_is_not_strict_any_text_is_read(schema: Any, name: str) -> None:
    calls = calls_with(schema, name, strict=False)
    constraint, vocabulary = constraint_of(calls)
    for text, value in ANY_TEXTS:
        call = written(calls, text)
        assert accepts(constraint, vocabulary, call)
        expected = text if schema in ONLY_STRINGS else value
        assert calls.parse(call).calls[0].arguments == read_in_pieces(calls, call) == {"p": expected}


def test_a_list_that_holds_the_closing_is_not_written_where_any_text_will_do() -> None:
    call = {"name": "t", "arguments": {"p": ["</arg_value>", '"']}}
    strict, free = (calls_with({"type": "array"}, "glm-4.7", strict=strict) for strict in (True, False))
    assert strict.parse(strict.render([call])).calls[0].arguments == call["arguments"]
    with pytest.raises(mw.ToolCallError, match="where it would end"):
        free.render([call])


@pytest.mark.parametrize("name", MARKED)
@pytest.mark.parametrize("schema", SCHEMAS, ids=str)
def test_a_value_that_is_marked_as_none_is_json_where_the_tool_is_not_strict(schema: Any, name: str) -> None:
    calls = calls_with(schema, name, strict=False, typed=True)
    part = next(part for part in calls.format.call if isinstance(part, XmlArguments))
    constraint = mw.Compiler(ONLY_BYTES).compile(calls.grammar())
    values = [{"k": fixed_text(part.closing)}, ["]", fixed_text(part.closing)], 5, None, "[", "{}"]
    for value in values:
        call = calls.render([{"name": "t", "arguments": {"p": value}}])
        assert accepts(constraint, ONLY_BYTES, call)
        assert calls.parse(call).calls[0].arguments == read_in_pieces(calls, call) == {"p": value}


STRINGS_OR_LISTS = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}


@pytest.mark.parametrize("name", [*UNMARKED, "nemotron3"])
@pytest.mark.parametrize("text", ["[", "[}", '["a', "[[]", "[" * 300])
def test_a_string_that_would_be_read_beyond_its_end_is_not_written(text: str, name: str) -> None:
    calls = calls_with(STRINGS_OR_LISTS, name)
    with pytest.raises(mw.ToolCallError, match="would be read as JSON, which does not end where it does"):
        calls.render([{"name": "t", "arguments": {"p": text}}])


@pytest.mark.parametrize("name", UNMARKED)
def test_a_string_that_begins_as_a_list_is_read_but_not_allowed_beside_lists(name: str) -> None:
    calls = calls_with(STRINGS_OR_LISTS, name)
    constraint, vocabulary = constraint_of(calls)
    for text, is_allowed in (("[ERROR] x", False), ("(ERROR) x", True), ("{", True)):
        call = calls.render([{"name": "t", "arguments": {"p": text}}])
        assert accepts(constraint, vocabulary, call) == is_allowed
        assert calls.parse(call).calls[0].arguments == {"p": text}


@pytest.mark.parametrize("value", [3, None, True, ["x"], {"y": 1.5}], ids=str)
@pytest.mark.parametrize("name", [*UNMARKED, "nemotron3"])
def test_what_is_no_string_is_not_written_where_it_would_be_read_as_one(name: str, value: Any) -> None:
    with pytest.raises(mw.ToolCallError, match=r"t\.p: .* would be read as the string"):
        calls_with({"type": "string"}, name).render([{"name": "t", "arguments": {"p": value}}])


@pytest.mark.parametrize(
    "schema", [{}, {"type": "string"}, {"type": ["string", "integer"]}, {"type": "integer"}], ids=str
)
@pytest.mark.parametrize("name", MARKED)
def test_a_mark_says_whether_a_value_is_json(name: str, schema: dict[str, Any]) -> None:
    calls = calls_with(schema, name)
    for value, plain in [('"q"', "q"), ("7", 7), ("[1]", [1])]:
        text = written(calls, value)
        assert calls.parse(text).calls[0].arguments == {"p": value}
        as_json = text.replace('string="true"', 'string="false"')
        assert calls.parse(as_json).calls[0].arguments == {"p": plain}
    with pytest.raises(mw.ToolCallSyntaxError, match="a value of the parameter 'p'"):
        calls.parse(written(calls, "hello").replace('string="true"', 'string="false"'))
