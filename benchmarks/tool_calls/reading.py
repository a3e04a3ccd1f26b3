"""Parses a text whole, by characters and by tokens, and says what differs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import maskwright as mw
from benchmarks.tool_calls.cases import Call
from maskwright.tool_calls import (
    ArgumentsDelta,
    CallFinished,
    CallStarted,
    ContentDelta,
    Event,
    Message,
    ReasoningDelta,
    ToolCall,
)

__all__ = ["Expected", "problems_of_reading"]

Expected = tuple[str, str | None, Sequence[Call]]
"""Content, reasoning and calls that went into a text."""


def problems_of_reading(
    made: mw.ToolCalls, vocabulary: mw.Vocabulary, text: str, tokens: Iterable[int], expected: Expected
) -> list[str]:
    """What is wrong with the message that is read; an empty list where all readings are right."""
    problems = []
    try:
        whole = made.parse(text)
        if (found := _comparable(whole.content, whole.reasoning, whole.calls)) != _comparable(*expected):
            problems.append(f"parse gives {found} instead of {_comparable(*expected)}")
        if not whole.is_complete:
            problems.append("parse says that the text is not complete")
        for way, read in (("characters", _by_characters), ("tokens", _by_tokens)):
            message, events = read(made, vocabulary, text, tokens)
            if message != whole:
                problems.append(f"by {way}: {message} instead of {whole}")
            if difference := _difference(events, whole):
                problems.append(f"by {way}: {difference}")
    except mw.MaskwrightError as error:
        problems.append(f"{type(error).__name__}: {error}")
    return problems


def _by_characters(
    made: mw.ToolCalls, vocabulary: mw.Vocabulary, text: str, tokens: Iterable[int]
) -> tuple[Message, list[Event]]:
    parser = made.parser()
    events = [event for character in text for event in parser.feed(character)]
    events += parser.finish()
    return parser.message, events


def _by_tokens(
    made: mw.ToolCalls, vocabulary: mw.Vocabulary, text: str, tokens: Iterable[int]
) -> tuple[Message, list[Event]]:
    parser = made.parser(vocabulary=vocabulary)
    events = [event for token in tokens for event in parser.feed_token(token)]
    events += parser.finish()
    return parser.message, events


def _comparable(content: str, reasoning: str | None, calls: Iterable[Call | ToolCall]) -> str:
    """A message as text, in which 1 and true differ, and the order of members does not matter."""
    listed = [[call.name, call.arguments] for call in calls]
    return json.dumps([content, reasoning, listed], sort_keys=True, ensure_ascii=False)


def _difference(events: Iterable[Event], message: Message) -> str:
    """What the events do not add up to; an empty string where they are the message."""
    content, reasoning = "", ""
    names: dict[int, str] = {}
    arguments: dict[int, str] = {}
    finished: dict[int, ToolCall] = {}
    for event in events:
        match event:
            case ContentDelta(text):
                content += text
            case ReasoningDelta(text):
                reasoning += text
            case CallStarted():
                names[event.index] = event.name
            case ArgumentsDelta(index, text):
                arguments[index] = arguments.get(index, "") + text
            case CallFinished(index, call):
                finished[index] = call
    calls = [finished[index] for index in sorted(finished)]
    if (content, reasoning, tuple(calls)) != (message.content, message.reasoning or "", message.calls):
        return "the events do not add up to the message"
    if [names.get(index) for index in sorted(finished)] != [call.name for call in calls]:
        return "calls were not started, or under other names"
    given: list[Any] = [json.loads(arguments.get(index) or "{}") for index in sorted(finished)]
    return (
        "" if given == [call.arguments for call in calls] else "the pieces of arguments do not add up to them"
    )
