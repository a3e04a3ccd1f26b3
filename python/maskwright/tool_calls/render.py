"""Writes messages as a model of the family would: the text that the parser reads back.

Takes a layout and a message and gives the one canonical text. What the generation prompt has written already,
as the layout says, is left out in front.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from maskwright.checking import did_you_mean, told, told_key
from maskwright.errors import ToolCallError
from maskwright.tool_calls.arguments import style_of
from maskwright.tool_calls.layout import ToolCallFormat
from maskwright.tool_calls.messages import ToolCall
from maskwright.tool_calls.parts import Arguments, CallId, Name, Part, Segment, fixed_text
from maskwright.tools import Tool

__all__ = ["RenderedMessage", "render_message"]


@dataclass(frozen=True, slots=True)
class RenderedMessage:
    """The text of a message.

    Attributes:
        text: the text.
        header_end: how much of it says where the calls begin: the prose and the first call up to its
            arguments. All of it where there are no calls.
    """

    text: str
    header_end: int


def render_message(
    layout: ToolCallFormat,
    tools: Mapping[str, Tool],
    calls: Sequence[ToolCall],
    *,
    content: str,
    reasoning: str | None,
    prompt: str,
) -> RenderedMessage:
    """Writes a message.

    Args:
        layout: the format.
        tools: the tools by name.
        calls: the calls, in their order.
        content: the prose before the calls.
        reasoning: the reasoning, or None for none at all.
        prompt: what the generation prompt has written already.

    Raises:
        ToolCallError: the format cannot hold such a message, or the text would be read as something else.
    """
    if len(calls) > 1 and not layout.parallel:
        raise _error(layout, f"a message has one call at most, not {len(calls)}")
    if calls and content and layout.placement == "start":
        raise _error(layout, "a message has content or calls, not both")
    pieces = []
    if reasoning is None and layout.reasoning is not None and prompt == fixed_text(layout.reasoning.begin):
        reasoning = ""
    if reasoning is not None:
        if layout.reasoning is None:
            raise _error(layout, "a message has no reasoning")
        segment = layout.reasoning
        before = "" if prompt else segment.before
        pieces += [before, _segment(layout, segment, reasoning), segment.after]
    if content or not calls:
        segment = _content_segment(layout, bool(calls))
        if not (content == "" and calls):
            pieces.append(_segment(layout, segment, content))
            pieces.append(layout.gap if calls and content else "")
    written = [_call(layout, tools, call, number) for number, call in enumerate(calls)]
    if written:
        pieces += [fixed_text(layout.begin), written[0][0]]
    header_end = sum(map(len, pieces))
    if written:
        pieces.append(written[0][1])
        pieces += [fixed_text(layout.separator) + header + rest for header, rest in written[1:]]
        pieces.append(fixed_text(layout.end))
    text = "".join(pieces)
    if not text.startswith(prompt):
        raise _error(layout, f"the message cannot begin with {prompt!r}, which the prompt ends with")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise _error(layout, f"the message is text, but there is {text[error.start]!r} in it") from error
    return RenderedMessage(text[len(prompt) :], max(0, header_end - len(prompt)))


def _content_segment(layout: ToolCallFormat, has_calls: bool) -> Segment:
    for segment in layout.content:
        if segment.before_calls if has_calls else segment.last:
            return segment
    raise _error(layout, "a message with calls has no content")


def _segment(layout: ToolCallFormat, segment: Segment, text: str) -> str:
    end = fixed_text(segment.end)
    if end and end in text:
        raise _error(layout, f"the text has {end!r} in it, where it would end")
    return fixed_text(segment.begin) + segment.margin + text + segment.margin + end


def _call(layout: ToolCallFormat, tools: Mapping[str, Tool], call: ToolCall, number: int) -> tuple[str, str]:
    """The text of one call: up to its arguments, and from there on.

    Raises:
        ToolCallError: there is no such tool, or its arguments or identifier cannot be written.
    """
    tool = tools.get(call.name) if isinstance(call.name, str) else None
    if tool is None:
        known = ", ".join(map(repr, tools)) or "none at all"
        raise ToolCallError(
            f"there is no tool {told(call.name)}; there are {known}{did_you_mean(call.name, tools)}",
            location=told_key(call.name),
        )
    _check_arguments(tool, call.arguments)
    parts = _parts_for(layout, call)
    pieces = []
    header_pieces = 0
    for place, part in enumerate(parts):
        if isinstance(part, Name):
            pieces.append(tool.name)
        elif isinstance(part, CallId):
            pieces.append(_written_id(part, call, number))
        elif isinstance(part, Arguments):
            header_pieces = len(pieces)
            following: tuple[Part, ...] = parts[place + 1 :] + layout.end
            pieces.append(_arguments(part, tool, call.arguments, following))
        else:
            pieces.append(fixed_text([part]))
    return "".join(pieces[:header_pieces]), "".join(pieces[header_pieces:])


def _parts_for(layout: ToolCallFormat, call: ToolCall) -> tuple[Part, ...]:
    """How a call is written: as usual, unless its identifier has a place only in another way to write it.

    An identifier that a server gave to a call without one, as :meth:`Message.for_openai` does, is seldom of
    the form that the format wants. Where calls need none, such a call is written as it was.
    """
    for parts in layout.calls if call.id is not None else ():
        places = [part for part in parts if isinstance(part, CallId)]
        if places and all(_part_of_id(place, call) is not None for place in places):
            return parts
    return layout.call


def _check_arguments(tool: Tool, arguments: object) -> None:
    if isinstance(arguments, str):
        return
    if not isinstance(arguments, Mapping):
        found = type(arguments).__name__
        problem = f"the arguments of tool {tool.name!r} are a dict, or the text of a custom tool, not {found}"
        raise ToolCallError(problem, location=tool.name)
    for name in arguments:
        if not isinstance(name, str):
            problem = f"the arguments of tool {tool.name!r} have the name {told(name)}, but names are strings"
            raise ToolCallError(problem, location=tool.name)


def _arguments(
    part: Arguments, tool: Tool, arguments: Mapping[str, Any] | str, following: Sequence[Part]
) -> str:
    written: str = style_of(part).write(part, tool, arguments, following)
    return written


def _written_id(part: CallId, call: ToolCall, number: int) -> str:
    """What stands for the identifier of a call: the part of it that the layout writes."""
    if call.id is None:
        written = part.written.format(number=number)
        if not re.fullmatch(part.pattern, written):
            problem = f"call {number} would get the identifier {written!r}, which the pattern does not match"
            raise ToolCallError(f"{problem}; give it one", location=call.name)
        return written
    text = _part_of_id(part, call)
    if text is not None:
        return text
    example = part.identity.format(name=call.name, text=part.written.format(number=number))
    raise ToolCallError(
        f"the identifier {told(call.id)} is none of this format, such as {example!r}; leave it out",
        location=call.name,
    )


def _part_of_id(part: CallId, call: ToolCall) -> str | None:
    """The part of the identifier of a call that the layout writes; None where it is none of the format."""
    before, _, after = part.identity.format(name=call.name, text="\0").partition("\0")
    if isinstance(call.id, str) and call.id.startswith(before) and call.id.endswith(after):
        text = call.id[len(before) : len(call.id) - len(after)]
        if before + text + after == call.id and re.fullmatch(part.pattern, text):
            return text
    return None


def _error(layout: ToolCallFormat, problem: str) -> ToolCallError:
    return ToolCallError(f"format {layout.name!r}: {problem}", location=layout.name)
