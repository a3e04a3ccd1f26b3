"""Messages for OpenAI's interface, and calls as its messages have them."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest

import maskwright as mw
from maskwright.tool_calls import ArgumentsDelta, CallFinished, Message, ToolCall

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
        content=written["content"],
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
    assert call["function"]["arguments"].encode() == '{"a": "\\ud800ß"}'.encode()


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("pythonic", r'[now(a="\ud83d\ude00", b={"\ud83d\ude00": "\ude00"})]', "\U0001f600"),
        ("hermes", r'<tool_call>\n{"name": "now", "arguments": {"a": "\ud83d"}}\n</tool_call>', "\ud83d"),
        (
            "qwen3-coder",
            '<tool_call>\n<function=now>\n<parameter=a>\n["\\ud83d"]\n</parameter>\n</function>\n</tool_call>',
            ["\ud83d"],
        ),
    ],
)
def test_events_can_be_sent_as_text(name: str, text: str, value: Any) -> None:
    calls = mw.ToolCalls([mw.Tool("now", strict=False)], format=name)
    text = text.replace(r"\n", "\n")
    events = calls.parser().feed(text)
    arguments = "".join(event.text for event in events if isinstance(event, ArgumentsDelta))
    (call,) = calls.parse(text).calls
    assert json.loads(arguments.encode()) == call.arguments
    assert isinstance(call.arguments, dict)
    assert call.arguments["a"] == value


NO_CALLS: list[tuple[dict[str, Any], str]] = [
    ({**CALL, "type": "custom"}, "does not go with 'function'"),
    ({**CALL, "kind": "function"}, "'kind' is no part"),
    ({**CALL, "custom": {"name": "now", "input": ""}}, "'function' is no part"),
    ({**CALL, "function": "now"}, "holds a `name` and 'arguments'"),
    ({**CALL, "function": {"name": "now"}}, "holds a `name` and 'arguments'"),
    ({**CALL, "function": {"name": "now", "arguments": "{"}}, "cannot be read as JSON"),
    ({**CALL, "function": {"name": "now", "arguments": "[" * 100_000}}, "cannot be read as JSON"),
    ({**CALL, "function": {"name": "now", "arguments": "[1]"}}, "the type 'array', and no object"),
    ({**CALL, "function": {"name": "now", "arguments": " "}}, "cannot be read as JSON"),
    ({**CALL, "function": {"name": "now", "arguments": '{"a": NaN}'}}, "NaN is no number of JSON"),
    ({**CALL, "function": {"name": "now", "arguments": "9" * 5000}}, "more than 4300 digits in a row$"),
    ({**CALL, "function": {"name": "later", "arguments": "{}"}}, "later"),
    ({"custom": {"name": "now", "arguments": {}}}, "holds a `name` and 'input'"),
]


@pytest.mark.parametrize(("call", "problem"), NO_CALLS, ids=[problem for _, problem in NO_CALLS])
def test_what_is_no_call_of_openai_is_refused(call: dict[str, Any], problem: str) -> None:
    calls = mw.ToolCalls(TOOLS, format="hermes")
    assert calls.render([CALL]) == calls.render([{"name": "now"}])
    with pytest.raises(mw.ToolCallError, match=problem):
        calls.render([call])


def test_a_call_that_some_server_gives_without_arguments_has_none() -> None:
    calls = mw.ToolCalls(TOOLS, format="hermes")
    given = {**CALL, "function": {"name": "now", "arguments": ""}}
    assert calls.render([given], content=None) == calls.render([CALL])


@pytest.mark.parametrize(
    "arguments", [{"a": object()}, {"a": float("nan")}, {"a": {1: 2}}], ids=["object", "nan", "key"]
)
def test_arguments_that_are_no_json_are_not_given_to_openai(arguments: dict[str, Any]) -> None:
    with pytest.raises(mw.ToolCallError) as caught:
        Message(calls=(ToolCall("now", arguments),)).for_openai()
    assert caught.value.location == "now"


def test_nested_arguments_are_read_and_written_on_a_small_stack() -> None:
    arguments: dict[str, Any] = {}
    for _ in range(960):
        arguments = {"a": arguments}
    calls = mw.ToolCalls([{"name": "now", "strict": False}], format="hermes")
    refused: list[str] = []

    def attempts() -> None:
        texts = ['{"a":' * 960 + "1" + "}" * 960, "[" * 960 + "]" * 960]
        given = [{**CALL, "function": {"name": "now", "arguments": text}} for text in texts]
        for call in given:
            try:
                calls.render([call])
            except mw.ToolCallError as error:
                refused.append(str(error))
        try:
            Message(calls=(ToolCall("now", arguments),)).for_openai()
        except mw.ToolCallError as error:
            refused.append(str(error))

    before = threading.stack_size(96 * 1024)
    try:
        thread = threading.Thread(target=attempts)
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    assert [text.rpartition(": ")[2] for text in refused] == [
        "nested more than 190 levels deep",
        "the arguments are JSON of the type 'array', and no object",
        "nested more than 190 levels deep",
    ]


@pytest.mark.parametrize(
    "thing",
    [ToolCall("now", {}), ToolCall("code", "1"), Message("Sunny."), CallFinished(0, ToolCall("now", {}))],
)
def test_what_holds_arguments_has_no_hash(thing: Any) -> None:
    assert thing == thing  # noqa: PLR0124 - it is compared by its fields
    with pytest.raises(TypeError, match=f"unhashable type: '{type(thing).__name__}'"):
        hash(thing)
