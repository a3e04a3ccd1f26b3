"""Prose beside calls: what would be read as something else is not written."""

from __future__ import annotations

import random
from types import MappingProxyType
from typing import Any

import pytest

import maskwright as mw
from maskwright.tool_calls import StreamingParser

from .samples import FORMATS, TOOLS, calls_of, content_of, example, reasoning_of

REFUSED = "the content or reasoning would be read as something else"


@pytest.mark.parametrize(
    ("layout", "content"),
    [
        ("hermes", "a<tool_call>b"),
        ("qwen3-coder", "<tool_call>"),
        ("mistral-v11", "a[TOOL_CALLS]"),
        ("functionary-v3.2", "a>"),
    ],
)
def test_prose_that_would_be_read_as_a_call_is_not_written(layout: str, content: str) -> None:
    calls = mw.ToolCalls(TOOLS, format=layout)
    with pytest.raises(mw.ToolCallError, match="the content or reasoning would be read as something else"):
        calls.render([{"name": "now", "arguments": {}}], content=content)
    text = calls.render([{"name": "now", "arguments": {}}], content="a < b")
    assert calls.parse(text).content == "a < b"


def pieces_of(texts: list[str], source: random.Random) -> str:
    """Prose made of stretches of messages, many of which begin as a message does."""
    stretches = []
    for _ in range(source.randint(1, 3)):
        text = source.choice(texts)
        start = source.choice([0, source.randrange(len(text))])
        stretches.append(text[start : start + source.choice([1, 5, 20, 60])])
    return "ab".join(stretches) + source.choice(["", "\n", "c"])


@pytest.mark.parametrize("name", FORMATS)
def test_prose_is_refused_just_where_the_whole_message_would_be_read_otherwise(name: str) -> None:
    calls = mw.ToolCalls(TOOLS, format=name)
    all_calls = calls_of(calls.format)
    texts = [calls.render(**example(calls.format)), calls.render(all_calls)]
    source = random.Random(3)
    verdicts = {True: 0, False: 0}
    for _ in range(150):
        message: dict[str, Any] = {"calls": all_calls[: source.randint(0, 2)]}
        has_content = bool(content_of(calls.format)) or not message["calls"]
        if has_content and source.random() < 0.7:
            message["content"] = pieces_of(texts, source)
        if reasoning_of(calls.format) is not None and source.random() < 0.7:
            message["reasoning"] = pieces_of(texts, source)
        try:
            text = calls.render(**message)
        except mw.ToolCallError as error:
            if REFUSED in str(error):  # otherwise the prose holds an end or a margin
                assert not is_read_back(calls, message), message
                verdicts[False] += 1
        else:
            assert read_back(calls, text) == prose_of(message), message
            assert len(calls.parse(text).calls) == len(message["calls"])
            verdicts[True] += 1
    # Prose of which each kind has an end of its own is refused for having it in it.
    has_ends = not calls.format.is_prose
    assert verdicts[True] > 10
    assert verdicts[False] > 5 or has_ends


def prose_of(message: dict[str, Any]) -> tuple[str, str]:
    return message.get("content", ""), message.get("reasoning", "")


def read_back(calls: mw.ToolCalls, text: str) -> tuple[str, str] | None:
    """The content and the reasoning of a text, or None where it is no whole message."""
    try:
        read = calls.parse(text)
    except mw.ToolCallSyntaxError:
        return None
    return (read.content, read.reasoning or "") if read.is_complete else None


def is_read_back(calls: mw.ToolCalls, message: dict[str, Any]) -> bool:
    """Whether a message that is not written would mean its prose: that is put where other prose stood."""
    marks = {kind: f"QzQ{kind}" for kind in ("content", "reasoning") if message.get(kind)}
    text = calls.render(**{**message, **marks})
    for kind, mark in marks.items():
        text = text.replace(mark, message[kind])
    return read_back(calls, text) == prose_of(message)


@pytest.mark.parametrize("name", ["qwen3", "deepseek-r1", "minimax-m2"])
@pytest.mark.parametrize("reasoning", ["So.\n", "\nSo.", "\n\nSo.\n\n", "\n"])
def test_lines_around_reasoning_are_kept(name: str, reasoning: str) -> None:
    calls = mw.ToolCalls(TOOLS, format=name)
    assert calls.parse(calls.render([], content="Sunny.", reasoning=reasoning)).reasoning == reasoning


@pytest.mark.parametrize("name", FORMATS)
def test_arguments_are_not_read_back(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = mw.ToolCalls(TOOLS, format=name)
    fed: list[str | bytes] = []
    feed = StreamingParser.feed

    def recording(parser: StreamingParser, text: str | bytes) -> object:
        fed.append(text)
        return feed(parser, text)

    monkeypatch.setattr(StreamingParser, "feed", recording)
    call = {"name": "get_weather", "arguments": {"city": "a" * 10_000}}
    text = calls.render([call], content=content_of(calls.format), reasoning=reasoning_of(calls.format))
    assert len(text) > 10_000
    assert sum(map(len, fed)) < 300


def test_prose_is_read_rightly_where_the_header_of_a_call_leaves_open_which_it_is() -> None:
    own = mw.tool_calls.ToolCallFormat(
        name="own",
        models=(),
        source="this test",
        call=(mw.tool_calls.Text("CALL "), mw.tool_calls.Name(), mw.tool_calls.JsonArguments()),
    )
    calls = mw.ToolCalls([{"name": "now"}, {"name": "nowhere"}], format=own)
    assert calls.render([{"name": "now"}], content="So: ") == "So: CALL now{}"


@pytest.mark.parametrize("name", FORMATS)
def test_arguments_that_are_nested_too_deeply_to_be_read_are_not_written(name: str) -> None:
    calls = mw.ToolCalls([{"name": "t", "parameters": {"type": "object"}}], format=name)
    for levels in (150, 189, 190, 191, 600, 100_000):
        arguments: dict[str, Any] = {}
        for _ in range(levels - 1):
            arguments = {"a{[": arguments}
        call = {"name": "t", "arguments": {"p": arguments["a{["]}}
        for content in {"", content_of(calls.format)}:
            if levels <= 190:
                assert (
                    calls.parse(calls.render([call], content=content)).calls[0].arguments == call["arguments"]
                )
                continue
            with pytest.raises(mw.ToolCallError, match="nested more than 190 levels deep"):
                calls.render([call], content=content)


NAMES_THAT_END_EARLY = [
    ("qwen3-coder", "a>\nb", "a>b"),
    ("glm-4.5", "a</arg_key>\n<arg_value>b", "a</arg_key>b"),
    ("glm-4.7", "a</arg_key><arg_value>b", "a</arg_key>b"),
    ("minimax-m2", 'a">b', 'a"'),
    ("deepseek-v3.2", 'a" string="false">b', 'a" string="maybe">b'),
]


@pytest.mark.parametrize(("name", "key", "other"), NAMES_THAT_END_EARLY)
def test_a_name_that_would_be_read_as_a_shorter_one_is_not_written(name: str, key: str, other: str) -> None:
    calls = mw.ToolCalls([{"name": "t", "strict": False}], format=name)
    with pytest.raises(mw.ToolCallError, match="where it would end"):
        calls.render([{"name": "t", "arguments": {key: "v"}}])
    arguments = {other: "v", "": "w"}
    assert calls.parse(calls.render([{"name": "t", "arguments": arguments}])).calls[0].arguments == arguments


@pytest.mark.parametrize(
    "value",
    [bytearray(b"ab"), memoryview(b"ab"), range(2), b"ab", {1}],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.parametrize("name", FORMATS)
def test_what_json_has_no_form_for_is_not_written(name: str, value: Any) -> None:
    calls = mw.ToolCalls([{"name": "t", "strict": False}], format=name)
    with pytest.raises(mw.ToolCallError, match="not a JSON value"):
        calls.render([{"name": "t", "arguments": {"a": value}}])


@pytest.mark.parametrize("name", FORMATS)
def test_arguments_may_be_any_mapping(name: str) -> None:
    calls = mw.ToolCalls([{"name": "t", "strict": False}], format=name)
    given = {"a": 1, "b": [True]}
    mapped = calls.render([{"name": "t", "arguments": MappingProxyType(given)}])
    assert mapped == calls.render([{"name": "t", "arguments": given}])


@pytest.mark.parametrize("name", ["\ufb01", "\u00b5", "a\uff3f"])
def test_a_name_that_python_reads_as_another_is_not_written(name: str) -> None:
    tool = mw.Tool("t", parameters={"properties": {name: {"type": "string"}}})
    calls = mw.ToolCalls([tool], format="pythonic")
    for made in (calls.grammar, lambda: calls.render([{"name": "t", "arguments": {name: "v"}}])):
        with pytest.raises(mw.ToolCallError, match="no name of an argument"):
            made()


@pytest.mark.parametrize(
    "identity", ["functions.now:a", "functions.now:", "functions.now:1\n", "functions", 5]
)
def test_an_identifier_that_no_parser_reads_is_not_written(identity: Any) -> None:
    calls = mw.ToolCalls([{"name": "now"}], format="kimi-k2")
    with pytest.raises(mw.ToolCallError, match=r"is none of this format, such as 'functions\.now:0'"):
        calls.render([{"name": "now", "id": identity}])
