"""Every format: what is rendered is accepted and read, what is wrong refused, what is accepted read."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import pytest

import maskwright as mw
from maskwright.tool_calls import ContentDelta, ReasoningDelta, ToolCallFormat, get_format

from .samples import (
    ARGUMENTS,
    FORMATS,
    SHORT_TOOLS,
    TOOLS,
    WEATHER,
    accepts,
    calls_of,
    compiled,
    content_of,
    cut,
    example,
    random_text,
    reasoning_of,
    refused_at,
    vocabulary_of,
)

jsonschema = pytest.importorskip("jsonschema", reason="jsonschema judges the arguments")


@pytest.fixture(params=FORMATS)
def layout(request: pytest.FixtureRequest) -> ToolCallFormat:
    return get_format(request.param)


def test_what_is_rendered_is_read_back(layout: ToolCallFormat) -> None:
    calls = mw.ToolCalls(TOOLS, format=layout)
    message = calls.parse(calls.render(**example(layout)))
    assert message.is_complete
    assert message.content == content_of(layout)
    assert message.reasoning == reasoning_of(layout)
    read = [{"name": call.name, "arguments": call.arguments} for call in message.calls]
    assert read == calls_of(layout)
    again = calls.render(message.calls, content=message.content, reasoning=message.reasoning)
    assert calls.parse(again) == message


def test_content_alone_is_read_back(layout: ToolCallFormat) -> None:
    calls = mw.ToolCalls(TOOLS, format=layout)
    message = calls.parse(calls.render(content="It is [fine]."))
    assert (message.content, message.calls) == ("It is [fine].", ())


def test_how_a_text_is_cut_makes_no_difference(layout: ToolCallFormat) -> None:
    calls = mw.ToolCalls(TOOLS, format=layout)
    text = calls.render(**example(layout))
    whole = calls.parse(text)
    source = random.Random(1)
    ways: list[list[str] | list[bytes]] = [list(text), list(cut(text, source))]
    ways.append([bytes([byte]) for byte in text.encode()])
    for pieces in ways:
        parser = calls.parser()
        events = [event for piece in pieces for event in parser.feed(piece)]
        events += parser.finish()
        assert parser.message == whole
        content = "".join(event.text for event in events if isinstance(event, ContentDelta))
        reasoning = "".join(event.text for event in events if isinstance(event, ReasoningDelta))
        assert (content, reasoning or None) == (whole.content, whole.reasoning)


def test_a_text_that_is_cut_off_is_no_error_and_not_complete(layout: ToolCallFormat) -> None:
    calls = mw.ToolCalls(TOOLS, format=layout)
    text = calls.render(**example(layout)).encode()
    read = [calls.parse(text[:length]) for length in range(len(text))]
    for before, after in pairwise(read):
        assert len(before.calls) <= len(after.calls)
    assert not all(message.is_complete for message in read)
    within_characters = [length for length in range(len(text)) if text[length] & 0xC0 == 0x80]
    assert not any(read[length].is_complete for length in within_characters)


def test_the_grammar_takes_what_is_rendered(layout: ToolCallFormat) -> None:
    calls, vocabulary, constraint = mw.ToolCalls(TOOLS, format=layout), *compiled_of(layout)
    assert accepts(constraint, vocabulary, calls.render(**example(layout)))
    assert accepts(constraint, vocabulary, calls.render(content="It is [fine]."))


def compiled_of(layout: ToolCallFormat) -> tuple[mw.Vocabulary, mw.Constraint]:
    return vocabulary_of(layout.name), compiled(layout.name)


def rendered(layout: ToolCallFormat, arguments: dict[str, Any], tool: str = "get_weather") -> str:
    """A message with one call, which need not be valid."""
    calls = mw.ToolCalls([{**WEATHER, "name": tool, "strict": None}], format=layout)
    return calls.render([{"name": tool, "arguments": arguments}])


WRONG: dict[str, dict[str, Any]] = {
    "a wrong type": {**ARGUMENTS, "days": [3]},
    "a wrong type further in": {**ARGUMENTS, "options": {"wind": [True]}},
    "a value that is not listed": {**ARGUMENTS, "units": "K"},
    "a required argument missing": {"days": 3},
    "an unknown argument": {**ARGUMENTS, "town": "Rome"},
    "no argument at all": {},
}


@pytest.mark.parametrize("fault", WRONG)
def test_a_wrong_call_is_refused(layout: ToolCallFormat, fault: str) -> None:
    vocabulary, constraint = compiled_of(layout)
    text = rendered(layout, WRONG[fault])
    assert not accepts(constraint, vocabulary, text)
    assert accepts(constraint, vocabulary, rendered(layout, ARGUMENTS))


def test_an_unknown_tool_is_refused_within_its_name(layout: ToolCallFormat) -> None:
    vocabulary, constraint = compiled_of(layout)
    text = rendered(layout, ARGUMENTS, "get_wether")
    taken = refused_at(constraint, vocabulary, text)
    calls = mw.ToolCalls(TOOLS, format=layout)
    if layout.reserved is not None:  # a list without a call is prose
        assert taken == text[: text.index("get_wether") + len("get_wether")]
        assert not calls.parse(text).calls
    else:
        assert taken == text[: text.index("get_we") + len("get_we")]
        with pytest.raises(mw.ToolCallSyntaxError, match="a call of one of the tools"):
            calls.parse(text)


@pytest.mark.parametrize("name", ["create-message", "2nd_tool", "files/read", "ns:tool"])
def test_a_wrong_call_of_a_tool_with_an_unusual_name_is_no_prose(layout: ToolCallFormat, name: str) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    calls = mw.ToolCalls([mw.Tool(name, parameters=schema)], format=layout)
    vocabulary = vocabulary_of(layout.name)
    constraint = mw.Compiler(vocabulary).compile(calls.grammar())
    right = mw.tool_calls.ToolCall(name, {"a": 1})
    wrong = mw.tool_calls.ToolCall(name, {"a": "x"})
    assert accepts(constraint, vocabulary, calls.render([right]))
    assert not accepts(constraint, vocabulary, calls.render([wrong]))


@pytest.mark.parametrize("where", ["before the name", "after the name", "after the arguments"])
def test_text_inside_a_call_is_refused(layout: ToolCallFormat, where: str) -> None:
    vocabulary, constraint = compiled_of(layout)
    text = rendered(layout, {"city": "Rome", "days": 3})
    start = text.index("get_weather")
    end = text.index("3") + 1
    place = {
        "before the name": start,
        "after the name": start + len("get_weather"),
        "after the arguments": end,
    }
    wrong = text[: place[where]] + "~" + text[place[where] :]
    if layout.reserved is not None:  # else it is prose
        wrong = wrong.replace("~", "x")
    assert not accepts(constraint, vocabulary, wrong)
    if layout.reserved is None:
        assert refused_at(constraint, vocabulary, wrong) == text[: place[where]]


@pytest.mark.parametrize("parallel", [True, False])
def test_what_the_grammar_takes_is_read_and_valid(layout: ToolCallFormat, parallel: bool) -> None:
    calls = mw.ToolCalls(
        SHORT_TOOLS, format=layout, tool_choice="required", whitespace="compact", parallel=parallel
    )
    vocabulary = vocabulary_of(layout.name)
    constraint = mw.Compiler(vocabulary).compile(calls.grammar())
    schemas = {tool.name: tool.arguments_schema for tool in calls.tools}
    texts = [random_text(constraint, vocabulary, random.Random(seed)) for seed in range(20)]
    assert sum(text is not None for text in texts) >= 2
    for text in filter(None, texts):
        message = calls.parse(text)
        assert message.is_complete, text
        assert not message.content
        assert message.calls
        assert len(message.calls) == 1 or parallel
        for call in message.calls:
            jsonschema.validate(call.arguments, schemas[call.name])
        parser = calls.parser(vocabulary=vocabulary)
        for piece in text:
            parser.feed(piece)
        parser.finish()
        assert parser.message == message, text
