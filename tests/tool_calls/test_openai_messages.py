"""Messages for OpenAI's interface, and calls as its messages have them."""

from __future__ import annotations

import json
from typing import Any

import pytest

import maskwright as mw
from maskwright.tool_calls import Message, ToolCall

from .samples import ANY_CODE, FORMATS, NOW, TOOLS, calls_of, content_of, reasoning_of

CALL = {"id": "call_1", "type": "function", "function": {"name": "now", "arguments": "{}"}}


@pytest.mark.parametrize("name", FORMATS)
def test_what_is_given_to_openai_is_read_back(name: str) -> None:
    calls = mw.ToolCalls(TOOLS, format=name)
    wanted = calls_of(calls.format)
    text = calls.render(wanted, content=content_of(calls.format), reasoning=reasoning_of(calls.format))
    message = calls.parse(text)
    # Of the formats in which a model may leave the identifier out, one takes only those of nine characters.
    written = json.loads(json.dumps(message.for_openai(lambda: "abcDEF123")))
    assert written["role"] == "assistant"
    assert written["content"] == (message.content or None)
    assert written.get("reasoning_content") == message.reasoning
    assert [json.loads(call["function"]["arguments"]) for call in written["tool_calls"]] == [
        call.arguments for call in message.calls
    ]
    again = calls.render(
        written["tool_calls"],
        content=written["content"] or "",
        reasoning=written.get("reasoning_content"),
    )
    read = calls.parse(again)
    assert (read.content, read.reasoning) == (message.content, message.reasoning)
    told = [(call.name, call.arguments, call.id) for call in message.calls]
    assert [
        (call.name, call.arguments, call.id if call.id != "abcDEF123" else None) for call in read.calls
    ] == told


def test_a_message_without_calls_has_its_content() -> None:
    assert Message("Sunny.").for_openai() == {"role": "assistant", "content": "Sunny."}
    assert Message().for_openai() == {"role": "assistant", "content": ""}


def test_identifiers_are_those_of_the_model_or_new_ones() -> None:
    message = Message(calls=(ToolCall("now", {}, id="a"), ToolCall("now", {}), ToolCall("now", {})))
    first, second, third = [call["id"] for call in message.for_openai()["tool_calls"]]
    assert first == "a"
    assert second != third
    assert second.startswith("call_")
    numbers = iter(range(9))
    given = message.for_openai(lambda: f"n{next(numbers)}")
    assert [call["id"] for call in given["tool_calls"]] == ["a", "n0", "n1"]


def test_a_custom_tool_has_a_text() -> None:
    calls = mw.ToolCalls([ANY_CODE, NOW], format="hermes")
    text = calls.render([{"name": "code", "arguments": "print(1)"}])
    (call,) = calls.parse(text).for_openai(lambda: "x")["tool_calls"]
    assert call == {"id": "x", "type": "custom", "custom": {"name": "code", "input": "print(1)"}}
    assert calls.render([call]) == text


def test_half_a_surrogate_pair_is_escaped() -> None:
    message = Message(calls=(ToolCall("now", {"a": "\ud800ß"}),))
    (call,) = message.for_openai()["tool_calls"]
    assert call["function"]["arguments"].encode() == b'{"a": "\\ud800\\u00df"}'


NO_CALLS: list[tuple[dict[str, Any], str]] = [
    ({**CALL, "type": "custom"}, "does not go with 'function'"),
    ({**CALL, "kind": "function"}, "'kind' is no part"),
    ({**CALL, "custom": {"name": "now", "input": ""}}, "'function' is no part"),
    ({**CALL, "function": "now"}, "holds a `name` and 'arguments'"),
    ({**CALL, "function": {"name": "now"}}, "holds a `name` and 'arguments'"),
    ({**CALL, "function": {"name": "now", "arguments": "{"}}, "cannot be read as JSON"),
    ({**CALL, "function": {"name": "now", "arguments": "[" * 100_000}}, "cannot be read as JSON"),
    ({**CALL, "function": {"name": "now", "arguments": "[1]"}}, "no object"),
    ({**CALL, "function": {"name": "later", "arguments": "{}"}}, "later"),
    ({"custom": {"name": "now", "arguments": {}}}, "holds a `name` and 'input'"),
]


@pytest.mark.parametrize(("call", "problem"), NO_CALLS, ids=[problem for _, problem in NO_CALLS])
def test_what_is_no_call_of_openai_is_refused(call: dict[str, Any], problem: str) -> None:
    calls = mw.ToolCalls(TOOLS, format="hermes")
    assert calls.render([CALL]) == calls.render([{"name": "now"}])
    with pytest.raises(mw.ToolCallError, match=problem):
        calls.render([call])
