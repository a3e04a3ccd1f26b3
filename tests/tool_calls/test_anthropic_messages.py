"""Messages for Anthropic's interface."""

from __future__ import annotations

import json
from typing import Any

import pytest

import maskwright as mw
from maskwright.tool_calls import Message, ToolCall

from .samples import ANY_CODE, FORMATS, NOW, TOOLS, calls_of, content_of, reasoning_of


@pytest.mark.parametrize("name", FORMATS)
def test_what_is_given_to_anthropic_has_a_block_for_each_thing(name: str) -> None:
    calls = mw.ToolCalls(TOOLS, format=name)
    text = calls.render(
        calls_of(calls.format), content=content_of(calls.format), reasoning=reasoning_of(calls.format)
    )
    message = calls.parse(text)
    written = json.loads(json.dumps(message.for_anthropic(lambda: "new")))
    assert written["role"] == "assistant"
    blocks: list[dict[str, Any]] = written["content"]
    wanted: list[dict[str, Any]] = []
    if message.reasoning:
        wanted.append({"type": "thinking", "thinking": message.reasoning, "signature": ""})
    if message.content:
        wanted.append({"type": "text", "text": message.content})
    wanted += [
        {"type": "tool_use", "id": call.id or "new", "name": call.name, "input": call.arguments}
        for call in message.calls
    ]
    assert blocks == wanted
    assert blocks[-1]["type"] == "tool_use"


def test_what_is_empty_has_no_block() -> None:
    assert Message().for_anthropic() == {"role": "assistant", "content": []}
    assert Message(reasoning="").for_anthropic()["content"] == []
    assert Message("Sunny.").for_anthropic()["content"] == [{"type": "text", "text": "Sunny."}]


def test_identifiers_are_those_of_the_model_or_new_ones() -> None:
    message = Message(calls=(ToolCall("now", {}, id="a"), ToolCall("now", {}), ToolCall("now", {})))
    first, second, third = [block["id"] for block in message.for_anthropic()["content"]]
    assert first == "a"
    assert second != third
    assert second.startswith("toolu_")


def test_the_text_of_a_custom_tool_is_a_member() -> None:
    calls = mw.ToolCalls([ANY_CODE, NOW], format="hermes")
    text = calls.render([{"name": "code", "arguments": "print(1)"}])
    (block,) = calls.parse(text).for_anthropic(lambda: "x")["content"]
    assert block == {"type": "tool_use", "id": "x", "name": "code", "input": {"input": "print(1)"}}


def test_what_is_done_to_the_block_is_not_done_to_the_call() -> None:
    call = ToolCall("now", {"a": [1, 1e300, 10**400, "\ud800"]})
    (block,) = Message(calls=(call,)).for_anthropic()["content"]
    assert block["input"] == call.arguments
    block["input"]["a"].clear()
    assert call.arguments == {"a": [1, 1e300, 10**400, "\ud800"]}


@pytest.mark.parametrize(
    "arguments", [{"a": object()}, {"a": float("nan")}, {"a": {1: 2}}], ids=["object", "nan", "key"]
)
def test_arguments_that_are_no_json_are_not_given_to_anthropic(arguments: dict[str, Any]) -> None:
    with pytest.raises(mw.ToolCallError) as caught:
        Message(calls=(ToolCall("now", arguments),)).for_anthropic()
    assert caught.value.location == "now"
