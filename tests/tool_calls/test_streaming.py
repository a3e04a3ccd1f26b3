"""Texts that arrive in pieces: events, tokens, bytes, ends that come too early, and texts that are none."""

from __future__ import annotations

import copy
import json
import pickle
import random
import time
from collections.abc import Callable, Iterable
from typing import Any

import pytest

import maskwright as mw
from maskwright.tool_calls import (
    ArgumentsDelta,
    CallFinished,
    CallStarted,
    ContentDelta,
    Event,
    Message,
    ReasoningDelta,
    StreamingParser,
    ToolCall,
)
from maskwright.tool_calls.streaming import _merged

from .samples import ARGUMENTS, FORMATS, TOOLS, calls_of, cut, example, tokens_of, vocabulary_of


def test_events_come_as_soon_as_the_text_decides_them() -> None:
    parser = mw.ToolCalls(TOOLS, format="hermes").parser()
    steps = [
        ("<thi", []),
        ("nk>\nIt is", [ReasoningDelta("It is")]),
        (" late.\n</th", [ReasoningDelta(" late.")]),
        ("ink>\n\nLet", [ContentDelta("Let")]),
        (" me\n", [ContentDelta(" me")]),
        ("look <", [ContentDelta("\nlook ")]),
        ("b>\n<tool_", [ContentDelta("<b>")]),
        ('call>\n{"name": "get_weather", "argum', []),
        ('ents": {"ci', [CallStarted(0, "get_weather"), ArgumentsDelta(0, '{"ci')]),
        ('ty": "}"', [ArgumentsDelta(0, 'ty": "}"')]),
        ("}}\n</tool_call", [ArgumentsDelta(0, "}")]),
        (">", [CallFinished(0, ToolCall("get_weather", {"city": "}"}, '{"city": "}"}'))]),
    ]
    for text, events in steps:
        assert parser.feed(text) == events, text
    assert parser.finish() == []
    assert parser.message.content == "Let me\nlook <b>"


def test_arguments_arrive_as_json_whatever_the_format() -> None:
    for name in FORMATS:
        calls = mw.ToolCalls(TOOLS, format=name)
        parser = calls.parser()
        events = [event for piece in calls.render(**example(calls.format)) for event in parser.feed(piece)]
        events += parser.finish()
        for index, call in enumerate(calls_of(calls.format)):
            text = "".join(e.text for e in events if isinstance(e, ArgumentsDelta) and e.index == index)
            assert json.loads(text) == call["arguments"]


def test_string_parameters_stream() -> None:
    parser = mw.ToolCalls(TOOLS, format="qwen3-coder").parser()
    parser.feed("<tool_call>\n<function=get_weather>\n<parameter=city>\n")
    assert parser.feed('Ro"m') == [ArgumentsDelta(0, 'Ro\\"m')]
    assert parser.feed("e\n</par") == [ArgumentsDelta(0, "e")]


@pytest.mark.parametrize("name", FORMATS)
def test_tokens_can_be_fed(name: str) -> None:
    vocabulary = vocabulary_of(name)
    calls = mw.ToolCalls(TOOLS, format=name)
    text = calls.render(**example(calls.format))
    parser = calls.parser(vocabulary=vocabulary)
    for token in [*tokens_of(vocabulary, text), vocabulary.special_tokens["<eos>"]]:
        parser.feed_token(token)
    parser.finish()
    assert parser.message == calls.parse(text)


def test_characters_may_be_cut() -> None:
    calls = mw.ToolCalls(TOOLS, format="hermes")
    parser = calls.parser()
    text = calls.render([{"name": "get_weather", "arguments": {"city": "京都"}}], content="日本")
    for byte in text.encode():
        parser.feed(bytes([byte]))
    parser.finish()
    assert parser.message == calls.parse(text)


def test_a_character_that_stays_unfinished_comes_before_the_text_behind_it() -> None:
    parser = mw.ToolCalls(TOOLS, format="hermes").parser()
    parser.feed(b"a\xc3")
    parser.feed("b")
    parser.feed(b"\xa9")
    parser.finish()
    assert parser.message.content == "a\ufffdb\ufffd"


def test_tokens_need_a_vocabulary() -> None:
    with pytest.raises(TypeError, match="vocabulary"):
        mw.ToolCalls(TOOLS, format="hermes").parser().feed_token(1)


def test_a_finished_text_takes_no_more() -> None:
    parser = mw.ToolCalls(TOOLS, format="hermes").parser()
    parser.feed("Done.")
    assert parser.finish() == []
    assert parser.finish() == []
    with pytest.raises(mw.MatcherStateError, match="finished"):
        parser.feed("More.")


def test_a_text_that_ends_within_a_character_is_cut_off() -> None:
    calls = mw.ToolCalls(TOOLS, format="hermes")
    assert (calls.parse(b"caf\xc3").content, calls.parse(b"caf\xc3").is_complete) == ("caf", False)
    assert (calls.parse(b"caf\xc3\xa9").content, calls.parse(b"caf\xc3\xa9").is_complete) == ("café", True)
    # What goes on otherwise was no character.
    assert (calls.parse(b"caf\xc3.").content, calls.parse(b"caf\xc3.").is_complete) == ("caf\ufffd.", True)


def test_an_unfinished_call_is_not_among_the_calls() -> None:
    calls = mw.ToolCalls(TOOLS, format="hermes")
    message = calls.parse('Look:\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Ro')
    assert (message.content, message.calls, message.is_complete) == ("Look:", (), False)


def feed_all(parser: StreamingParser, pieces: list[str]) -> None:
    for piece in pieces:
        parser.feed(piece)
    parser.finish()


HARMONY = "<|channel|>commentary to=functions.now"
BROKEN: list[tuple[str, str, int, str]] = [
    ("hermes", '<tool_call>\n{"name": "later", "arguments": {}}', 22, "one of the tools"),
    ("hermes", '<tool_call>{"name": "now"}', 11, "one of the tools"),
    ("hermes", '<tool_call>\n{"name": "now", "arguments": []', 0, "a JSON object"),
    ("hermes", '<tool_call>\n{"name": "now", "arguments": {]', 42, "`}`"),
    ("hermes", '<tool_call>\n{"name": "now", "arguments": {"a" 1}', 0, "a JSON object"),
    ("hermes", '<tool_call>\n{"name": "now", "arguments": 3}', 41, "an opening bracket"),
    ("hermes", '<tool_call>\n{"name": "now", "arguments": {}} </tool_call>', 44, "'}\\n'"),
    ("mistral", '[TOOL_CALLS][{"name": "now", "arguments": {}}; ', 45, "']'"),
    (
        "kimi-k2",
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.now:x<|tool_call_argument_begin|>",
        0,
        "an identifier",
    ),
    ("harmony", "Hello.", 0, "a segment"),
    ("harmony", HARMONY + "<|message|>{}<|call|>and more", 0, "a segment"),
    ("qwen3-coder", "<tool_call>\n<function=now>\nparameter", 27, "<parameter="),
    ("llama3", '{"name": "now", "parameters": {}}; {"name": "later"', 45, "one of the tools"),
]


@pytest.mark.parametrize(
    ("name", "text", "offset", "expected"), BROKEN, ids=[f"{b[0]} {b[1][-20:]}" for b in BROKEN]
)
def test_a_text_that_is_no_message_is_a_typed_error(name: str, text: str, offset: int, expected: str) -> None:
    calls = mw.ToolCalls(TOOLS, format=name)
    errors = []
    for pieces in ([text], list(text)):
        parser = calls.parser()
        with pytest.raises(mw.ToolCallSyntaxError) as caught:
            feed_all(parser, pieces)
        errors.append(caught.value)
        with pytest.raises(mw.ToolCallSyntaxError):
            parser.feed("more")
    assert errors[0].offset == errors[1].offset
    assert expected in errors[0].expected
    assert not offset or errors[0].offset == offset


@pytest.mark.parametrize("name", ["hermes", "pythonic", "qwen3-coder"])
def test_deep_nesting_is_a_typed_error(name: str) -> None:
    calls = mw.ToolCalls(TOOLS, format=name)
    text = calls.render([{"name": "get_weather", "arguments": {"options": {}}}])
    hostile = text.replace("{}", '{"a":' * 100_000)
    with pytest.raises(mw.ToolCallSyntaxError, match="levels of nesting"):
        calls.parse(hostile)
    deep = text.replace("{}", '{"a":' * 40 + "1" + "}" * 40)
    assert calls.parse(deep).calls


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("inner", ["array", "object"])
def test_arguments_are_read_to_the_same_depth_in_every_format(name: str, inner: str) -> None:
    value: Any = [] if inner == "array" else {}
    schema = {"type": "object", "properties": {"p": {"type": inner}}, "required": ["p"]}
    calls = mw.ToolCalls([{"name": "t", "parameters": schema}], format=name)
    text = calls.render([{"name": "t", "arguments": {"p": value}}])
    opening, closing = ("[", "]") if inner == "array" else ('{"a":', "}")
    before, after = text.rsplit(json.dumps(value), 1)
    for levels in (189, 190, 250, 600, 100_000):
        nested = opening * (levels - 1) + json.dumps(value) + closing * (levels - 1)
        if levels <= 189:
            assert calls.parse(before + nested + after).calls[0].arguments == {"p": json.loads(nested)}
            continue
        with pytest.raises(mw.ToolCallSyntaxError, match="no more than 190 levels of nesting"):
            calls.parse(before + nested + after)


@pytest.mark.parametrize("levels", [250, 100_000])
def test_what_is_too_deep_is_a_text_where_one_will_do(levels: int) -> None:
    calls = mw.ToolCalls([{"name": "t", "parameters": {"type": "object"}}], format="qwen3-coder")
    nested = "[" * levels + "]" * levels
    text = calls.render([{"name": "t", "arguments": {"p": nested}}])
    assert calls.parse(text).calls[0].arguments == {"p": nested}


def test_what_python_itself_finds_too_deep_is_told_in_plain_words() -> None:
    calls = mw.ToolCalls([{"name": "t", "parameters": {"type": "object"}}], format="pythonic")
    text = calls.render([{"name": "t", "arguments": {"p": 1}}])
    with pytest.raises(mw.ToolCallSyntaxError) as caught:
        calls.parse(text.replace("=1", "=" + "-" * 100_000 + "1"))
    assert "nested too deeply" in caught.value.expected


def outcome(calls: mw.ToolCalls, pieces: Iterable[str]) -> tuple[list[Event], Message | int]:
    """What the events of a text in pieces add up to, and the message, or where it is none."""
    parser = calls.parser()
    events: list[Event] = []
    try:
        for piece in pieces:
            events += parser.feed(piece)
        events += parser.finish()
    except mw.ToolCallSyntaxError as error:
        return _merged([*events, *error.events]), error.offset
    return _merged(events), parser.message


@pytest.mark.parametrize("name", FORMATS)
def test_damaged_texts_are_messages_or_typed_errors_however_they_are_cut(name: str) -> None:
    calls = mw.ToolCalls(TOOLS, format=name)
    text = calls.render(**example(calls.format))
    source = random.Random(1)
    for _ in range(60):
        damaged = list(text)
        for _ in range(source.randint(1, 4)):
            at = source.randrange(len(damaged))
            new = source.choice(["", "x", *"{}[]()\"'\\<>/=,:\n "]) + source.choice(["", text[at : at + 9]])
            damaged[at : at + source.randint(0, 1)] = new
        whole = "".join(damaged)
        expected = outcome(calls, [whole])
        assert outcome(calls, whole) == expected, whole
        assert outcome(calls, cut(whole, source)) == expected, whole


REFUSED: list[tuple[str, str, list[Event]]] = [
    (
        "hermes",
        'Let me look.\n<tool_call>\n{"name": "nobody"',
        [ContentDelta("Let me look.")],
    ),
    (
        "hermes",
        '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Rome", "days": 3]',
        [CallStarted(0, "get_weather"), ArgumentsDelta(0, '{"city": "Rome", "days": 3')],
    ),
    (
        "llama3",
        '{"name": "now", "parameters": {}}; {"name": "later"',
        [
            CallStarted(0, "now"),
            ArgumentsDelta(0, "{}"),
            CallFinished(0, ToolCall("now", {}, "{}")),
            ContentDelta("; "),
        ],
    ),
]


@pytest.mark.parametrize(("name", "text", "expected"), REFUSED, ids=range(len(REFUSED)))
def test_what_was_read_before_a_fault_comes_with_the_error_and_once(
    name: str, text: str, expected: list[Event]
) -> None:
    calls = mw.ToolCalls(TOOLS, format=name)
    parser = calls.parser()
    with pytest.raises(mw.ToolCallSyntaxError) as caught:
        parser.feed(text)
    first = caught.value
    assert list(first.events) == expected
    message = parser.message
    assert message.content == "".join(event.text for event in expected if isinstance(event, ContentDelta))
    assert [event.call for event in expected if isinstance(event, CallFinished)] == list(message.calls)
    calls_again: list[Callable[[], object]] = [
        lambda: parser.feed("more"),
        lambda: parser.feed(b"\xff"),
        parser.finish,
    ]
    for call_again in calls_again:
        with pytest.raises(mw.ToolCallSyntaxError) as caught:
            call_again()
        assert (str(caught.value), caught.value.offset, caught.value.expected, caught.value.events) == (
            str(first),
            first.offset,
            first.expected,
            (),
        )
    assert parser.message == message
    with pytest.raises(mw.ToolCallSyntaxError) as caught:
        calls.parse(text)
    assert pickle.loads(pickle.dumps(caught.value)).events == first.events


def test_long_texts_take_linear_time() -> None:
    calls = mw.ToolCalls(TOOLS, format="hermes")
    parser = calls.parser()
    for _ in range(20_000):
        parser.feed("ab<tool ")
    parser.finish()
    assert len(parser.message.content) == 160_000
    assert calls.parse(
        calls.render([{"name": "get_weather", "arguments": {**ARGUMENTS, "city": "a" * 500_000}}])
    )


@pytest.mark.parametrize(
    "value", ["a" * 100_000, "0x" + "f" * 100_000, "ab\\" * 50_000, "r" * 100_000 + "''"]
)
def test_long_words_in_a_call_of_python_take_linear_time(value: str) -> None:
    start = time.perf_counter()
    with pytest.raises(mw.ToolCallSyntaxError):
        mw.ToolCalls(TOOLS, format="pythonic").parse(f"[now(a={value})]")
    assert time.perf_counter() - start < 10


def test_a_text_that_goes_on_is_not_told_to_have_ended() -> None:
    calls = mw.ToolCalls(TOOLS, format="hermes")
    text = '<tool_call>\n{"name": "now", "arguments": {1}'
    with pytest.raises(mw.ToolCallSyntaxError, match="found no more text so far, expected a JSON object"):
        calls.parser().feed(text)
    ended = calls.parser()
    ended.feed("<tool_call")
    assert ended.finish() is not None


def test_a_text_that_was_refused_is_refused_at_its_end_too() -> None:
    parser = mw.ToolCalls(TOOLS, format="hermes").parser()
    for piece in ('<tool_call>\n{"name": "nobody"', " "):
        with pytest.raises(mw.ToolCallSyntaxError, match="offset 24"):
            parser.feed(piece)
    with pytest.raises(mw.ToolCallSyntaxError, match="offset 24"):
        parser.finish()
    parser = mw.ToolCalls(TOOLS, format="hermes").parser()
    assert [*parser.feed("a"), *parser.finish(), *parser.finish()] == [ContentDelta("a")]


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_parser_is_not_copied(duplicate: Callable[[StreamingParser], object]) -> None:
    """A shallow copy would have read on where the other one stood."""
    parser = mw.ToolCalls(TOOLS, format="hermes").parser()
    parser.feed("a")
    with pytest.raises(
        TypeError, match=r"neither copied nor pickled; make another one by ToolCalls\.parser\(\)"
    ):
        duplicate(parser)
    assert parser.feed("b") == [ContentDelta("b")]


def test_a_parser_says_how_far_it_is() -> None:
    calls = mw.ToolCalls(TOOLS, format="hermes")
    parser = calls.parser()
    assert repr(parser) == "<maskwright.StreamingParser: hermes, reading, 0 calls so far>"
    parser.feed(calls.render([{"name": "now"}]))
    parser.finish()
    assert repr(parser) == "<maskwright.StreamingParser: hermes, finished, 1 call so far>"
    parser = calls.parser()
    with pytest.raises(mw.ToolCallSyntaxError):
        parser.feed('<tool_call>\n{"name": "nobody"')
    assert repr(parser) == "<maskwright.StreamingParser: hermes, refused, 0 calls so far>"


@pytest.mark.parametrize("stop", ["<|return|>", "<|call|>", "<eos>"])
@pytest.mark.parametrize(
    "text", [HARMONY + "<|message|>{}", "<|channel|>final<|message|>It is 5", "<|channel|>final<|message|>"]
)
def test_any_stop_token_ends_a_text_that_is_complete(text: str, stop: str) -> None:
    """A mask allows each stop token where the text is complete, also that which ends other messages."""
    calls, vocabulary = mw.ToolCalls(TOOLS, format="harmony"), vocabulary_of("harmony")
    tokens = [*tokens_of(vocabulary, text), vocabulary.special_tokens[stop]]
    matcher = mw.Compiler(vocabulary).compile(calls.grammar()).matcher()
    assert matcher.accept_tokens(tokens) == len(tokens)
    assert matcher.is_finished
    parser = calls.parser(vocabulary=vocabulary)
    events = [event for token in tokens for event in parser.feed_token(token)]
    is_ending = stop != "<eos>"
    assert parser.message.is_complete == is_ending
    assert any(isinstance(event, CallFinished) for event in events) == (is_ending and "{}" in text)
    events += parser.finish()
    assert parser.message == calls.parse(text)
    assert parser.message.is_complete


def test_a_call_may_end_with_the_name_of_any_ending() -> None:
    calls = mw.ToolCalls(TOOLS, format="harmony")
    whole = calls.parse(HARMONY + "<|message|>{}<|call|>")
    assert calls.parse(HARMONY + "<|message|>{}<|return|>") == whole
    assert calls.parse(HARMONY + "<|message|>{}<|retu") == whole
