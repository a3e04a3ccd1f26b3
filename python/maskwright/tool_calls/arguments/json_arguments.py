"""Arguments as one JSON object. The text of a custom tool stands as it is, or as the member `input`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from maskwright import nested_json
from maskwright.checking import told
from maskwright.errors import ToolCallError
from maskwright.grammar import Grammar
from maskwright.tool_calls.arguments.numbers import json_value
from maskwright.tool_calls.arguments.options import ArgumentOptions, ReadArguments
from maskwright.tool_calls.arguments.schema_view import declared_place
from maskwright.tool_calls.arguments.strings import closed_body, ends_within
from maskwright.tool_calls.parts import Ending, JsonArguments, Part, fixed_text
from maskwright.tool_calls.reader import TOO_DEEP, Reader, Reading, Tags, is_too_deep
from maskwright.tools import Tool

__all__ = [
    "FREE_TEXT",
    "INPUT",
    "grammar",
    "json_of",
    "parsed_object",
    "read",
    "schema_of",
    "write",
]

INPUT = "input"
"""The name of the one parameter that a custom tool has where its text cannot stand as it is."""

FREE_TEXT = r"[\s\S]*"
"""The regular expression of custom tools that take any text."""


def grammar(part: JsonArguments, tool: Tool, following: Sequence[Part], options: ArgumentOptions) -> Grammar:
    """The arguments that a tool may be called with.

    Raises:
        ToolCallError: a custom tool's text has to look like something, and this layout has it in JSON.
        SchemaError, UnsupportedFeatureError: as :meth:`maskwright.Grammar.json_schema`.
    """
    if tool.body is not None and part.raw_bodies:
        return closed_body(tool, tool.body, following[:1], options)
    made = tool._grammars.get(options)
    if made is None:
        # Ways to write a call that differ around the arguments share them, whatever their formats are.
        made = tool._grammars.setdefault(options, Grammar.json_schema(schema_of(tool), **options.for_schemas))
    return made


def schema_of(tool: Tool) -> dict[str, Any]:
    """The schema of the object that a tool is called with; a custom tool's has one text as `input`.

    Raises:
        ToolCallError: a custom tool's text has to look like something.
    """
    if tool.body is None:
        return tool.arguments_schema
    kind, arguments = tool.body._recipe
    if kind != "regex" or arguments["pattern"] != FREE_TEXT or arguments["forbidden"]:
        raise ToolCallError(
            f"tool {tool.name!r}: its text would be a string of JSON in this format, which cannot be held "
            "to its "
            "grammar; use a format with texts as they are, such as 'harmony', or parameters with a pattern",
            location=tool.name,
        )
    return {
        "type": "object",
        "properties": {INPUT: {"type": "string"}},
        "required": [INPUT],
        "additionalProperties": False,
    }


def write(
    part: JsonArguments, tool: Tool, arguments: Mapping[str, Any] | str, following: Sequence[Part]
) -> str:
    """The text of arguments.

    Raises:
        ToolCallError: they are of the wrong kind, or hold what is not JSON or is nested too deeply.
    """
    named = named_arguments(tool, arguments)
    if not (isinstance(arguments, str) and part.raw_bodies):
        return json_of(dict(named), tool.name)
    close = fixed_text(following[:1])
    if close and ends_within(arguments, close):
        raise ToolCallError(
            f"tool {tool.name!r}: the text has {close!r} in it, where it would end", location=tool.name
        )
    return arguments


def named_arguments(tool: Tool, arguments: Mapping[str, Any] | str) -> Mapping[str, Any]:
    """Arguments by name; the text of a custom tool as that of one argument.

    Raises:
        ToolCallError: they are of the wrong kind.
    """
    if isinstance(arguments, str):
        if tool.body is None:
            raise ToolCallError(f"tool {tool.name!r} takes an object, not a text", location=tool.name)
        return {INPUT: arguments}
    if tool.body is not None:
        raise ToolCallError(f"tool {tool.name!r} takes a text, not an object", location=tool.name)
    return arguments


def text_of_custom_tool(tool: Tool, values: Mapping[str, Any], reader: Reader) -> str:
    """The text of a custom tool that was written as one argument.

    Raises:
        ToolCallSyntaxError: there is no such argument, or it is no text.
    """
    text = values.get(INPUT)
    if not isinstance(text, str):
        raise reader.error(f"the text of {tool.name!r} as `{INPUT}` before this place")
    return text


def json_of(value: Any, location: str, *, around: int = 0) -> str:
    """A value as JSON, laid out as chat templates do.

    Args:
        value: the value.
        location: where it belongs, for messages.
        around: how many levels it stands in already.

    Raises:
        ToolCallError: something in it is not JSON, or it is nested so deeply that no parser reads it.
    """
    try:
        text = nested_json.dumps(value, allow_nan=False)
    except RecursionError:
        raise ToolCallError(f"{location}: {TOO_DEEP}", location=location) from None
    except (TypeError, ValueError) as error:
        raise ToolCallError(f"{location}: not a JSON value: {error}", location=location) from error
    if is_too_deep(text, around=around):
        raise ToolCallError(f"{location}: {TOO_DEEP}", location=location)
    _check_keys(value, location)
    return text


def _check_keys(value: Any, location: str) -> None:
    """Checks that all keys within a value are strings: Python's writer makes strings of numbers.

    Raises:
        ToolCallError: one is not.
    """
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            for key in part:
                if not isinstance(key, str):
                    raise ToolCallError(f"{location}: a key is a string, not {told(key)}", location=location)
            waiting += part.values()
        elif isinstance(part, list | tuple):
            waiting += part


def read(
    part: JsonArguments, tool: Tool, following: Sequence[Part], reader: Reader, give: Callable[[str], object]
) -> Reading[ReadArguments | None]:
    """Reads arguments; None where the text ended before they did.

    Raises:
        ToolCallSyntaxError: they are no JSON object.
    """
    pieces: list[str] = []

    def take(piece: str) -> None:
        pieces.append(piece)
        give(piece)

    if tool.body is not None and part.raw_bodies:
        close = yield from reader.up_to(Tags([fixed_text(following[:1])]), take)
        text = "".join(pieces)
        return None if close is None and not isinstance(following[0], Ending) else ReadArguments(text, text)
    yield from reader.white_space()
    if tool.body is None:
        closed = yield from reader.bracketed('"', take)
    else:
        closed = yield from reader.bracketed('"', pieces.append)
    if not closed:
        return None
    raw = "".join(pieces)
    value = parsed_object(raw, tool, reader)
    if tool.body is None:
        return ReadArguments(value, raw)
    body = text_of_custom_tool(tool, value, reader)
    give(body)
    return ReadArguments(body, raw)


def parsed_object(raw: str, tool: Tool, reader: Reader) -> dict[str, Any]:
    """The arguments of a tool out of a JSON text.

    Raises:
        ToolCallSyntaxError: it is none.
    """
    try:
        value = json_value(raw, declared_place(tool))
    except ValueError as error:
        raise reader.error(f"a JSON object before this place ({error})") from error
    if not isinstance(value, dict):
        raise reader.error("a JSON object before this place, not another value")
    return value
