"""Arguments one by one, each between an opening with its name and a closing, in any order.

A string is written as it is; anything else as the JSON of its part of the schema. Where a parameter may be a
string or something else, and the layout does not mark which, a text that is the JSON of what else it may be
is read as that; a string that looks so cannot be written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import maskwright as mw
from maskwright import nested_json
from maskwright.errors import ToolCallError
from maskwright.grammar import Grammar
from maskwright.tool_calls.arguments.json_arguments import (
    INPUT,
    json_of,
    named_arguments,
)
from maskwright.tool_calls.arguments.numbers import UnreadableNumberError, json_value
from maskwright.tool_calls.arguments.options import ArgumentOptions, ReadArguments
from maskwright.tool_calls.arguments.schema_view import (
    Parameter,
    check_schema,
    comes_once,
    declared_parameter,
    further_parameter,
    parameters_of,
    type_of,
)
from maskwright.tool_calls.arguments.strings import closed_body, closed_string, ends_within
from maskwright.tool_calls.layout import Key, Part, StringMark, Text, XmlArguments, fixed_text
from maskwright.tool_calls.pieces import Piece, any_of, fixed_pieces, joined
from maskwright.tool_calls.reader import TOO_DEEP, Choices, Reader, Reading, Tags, is_too_deep
from maskwright.tools import Tool

__all__ = ["grammar", "opening_of", "read", "write"]

_WHERE = "where parameters are written one by one"
_ANY_KEY = r"[A-Za-z_][A-Za-z0-9_.\-]{0,255}"
"""What a parameter may be called in a call of a tool that is not strict."""


def opening_of(part: XmlArguments, key: str, mark: bool | None) -> list[Part]:
    """The opening of a parameter, for strings or for other values."""
    opening: list[Part] = []
    for piece in part.opening:
        if isinstance(piece, Key):
            opening.append(Text(key))
        elif isinstance(piece, StringMark):
            opening.append(Text(piece.string if mark else piece.other))
        else:
            opening.append(piece)
    return opening


def _is_marked(part: XmlArguments) -> bool:
    return any(isinstance(piece, StringMark) for piece in part.opening)


def _marks(part: XmlArguments) -> dict[str, bool | None]:
    """What may stand behind the name of a parameter, and whether it marks a string, where it says so."""
    after = part.opening.index(Key()) + 1
    return {
        fixed_text(opening_of(part, "", mark)[after:]): mark
        for mark in ([True, False] if _is_marked(part) else [None])
    }


def grammar(part: XmlArguments, tool: Tool, following: Sequence[Part], options: ArgumentOptions) -> Grammar:
    """The arguments that a tool may be called with.

    Raises:
        SchemaError: the schema is none; it says where.
        UnsupportedFeatureError: the schema asks for what this way of writing cannot hold to; it says where.
        ToolCallError: the same, for the text of a custom tool.
    """
    typed = options.typed_specials
    if tool.body is not None:
        body = closed_body(tool, tool.body, part.closing, options)
        pieces = fixed_pieces(opening_of(part, INPUT, True), typed=typed)
        return joined([*pieces, body, *fixed_pieces(part.closing, typed=typed)])
    separator = joined(fixed_pieces(part.separator, typed=typed)) if part.separator else Grammar.text("")
    described = Tool(tool.name, parameters={"additionalProperties": True}) if tool.strict is False else tool
    check_schema(described, options)
    parameters = parameters_of(described, _WHERE)
    members = []
    for parameter in parameters:
        _check_name(part, parameter)
        way = _parameter(part, parameter, parameter.name, options)
        members.append(mw.Member(way, required=parameter.is_required))
    further = further_parameter(described)
    if further is not None:
        names = "|".join(re.escape(parameter.name) for parameter in parameters)
        key = Grammar.regex((f"(?!(?:{names})$)" if names else "") + _ANY_KEY)
        ways = Grammar.repeat(_parameter(part, further, key, options), minimum=1, separator=separator)
        members.append(mw.Member(ways, required=False))
    return Grammar.any_order(members, separator=separator) if members else Grammar.text("")


def _check_name(part: XmlArguments, parameter: Parameter) -> None:
    """Checks that the name of a parameter does not hold what ends it.

    Raises:
        ToolCallError: it does.
    """
    end = fixed_text(part.opening[part.opening.index(Key()) + 1 :][:1])
    if end[0] in parameter.name or not parameter.name:
        raise ToolCallError(
            f"tool {parameter.tool.name!r}: the parameter {parameter.name!r} has no name that can be written "
            f"before {end!r}; rename it",
            location=parameter.location,
        )


def _opened(part: XmlArguments, key: Piece, mark: bool, options: ArgumentOptions) -> list[Piece]:
    """The pieces of the opening of a parameter."""
    at, typed = part.opening.index(Key()), options.typed_specials
    opening = opening_of(part, "", mark)
    return [*fixed_pieces(opening[:at], typed=typed), key, *fixed_pieces(opening[at + 1 :], typed=typed)]


def _any_text_will_do(part: XmlArguments, parameter: Parameter | None) -> bool:
    """Whether every text is a valid value, whatever it is read as."""
    if _is_marked(part):
        return False
    return parameter is None or (parameter.may_be_string and parameter.is_unconstrained)


def _brackets(part: XmlArguments, parameter: Parameter | None) -> list[str]:
    """What a value begins with that is read as JSON to its end: a string in it may hold the closing."""
    if _any_text_will_do(part, parameter):
        return []
    types = ("array", "object") if parameter is None else parameter.other_types
    return [bracket for name, bracket in (("array", "["), ("object", "{")) if name in types]


def _parameter(part: XmlArguments, parameter: Parameter, key: Piece, options: ArgumentOptions) -> Grammar:
    """One parameter with a value."""
    is_marked = _is_marked(part)
    any_text_will_do = _any_text_will_do(part, parameter)
    excluded = "" if is_marked or any_text_will_do else parameter.other_texts
    ways: list[Grammar] = []
    if parameter.may_be_string:
        rules = parameter.string_rules()
        strings = [closed_string(rule, part.closing, options, excluded) for rule in rules]
        if strings:
            ways.append(joined([*_opened(part, key, True, options), any_of(strings)]))
    if parameter.other_types and not any_text_will_do:
        closing = fixed_pieces(part.closing, typed=options.typed_specials)
        value = parameter.other_grammar(options)
        ways.append(joined([*_opened(part, key, False, options), value, *closing]))
    if not ways:
        raise ToolCallError(
            f"tool {parameter.tool.name!r}: no value is valid for the parameter {parameter.name!r}",
            location=parameter.location,
        )
    return any_of(ways)


def write(
    part: XmlArguments, tool: Tool, arguments: Mapping[str, Any] | str, following: Sequence[Part]
) -> str:
    """The text of arguments.

    Raises:
        ToolCallError: they are of the wrong kind, or a value cannot be written so that it is read as it was.
    """
    arguments = named_arguments(tool, arguments)
    close = fixed_text(part.closing)
    written = []
    for key, value in arguments.items():
        location = f"{tool.name}.{key}"
        _check_key(part, key, location)
        is_string = isinstance(value, str)
        text = value if is_string else json_of(value, location, around=1)
        is_scanned = not is_string and text[:1] in _brackets(part, declared_parameter(tool, key))
        if not is_scanned and ends_within(text, close):
            raise ToolCallError(
                f"{location}: the value has {close!r} in it, where it would end", location=location
            )
        if not _is_marked(part) and is_string and tool.body is None:
            _check_is_read_as_string(part, tool, key, text)
        written.append(fixed_text(opening_of(part, str(key), is_string)) + text + close)
    return fixed_text(part.separator).join(written)


def _check_key(part: XmlArguments, key: str, location: str) -> None:
    """Checks that what stands behind the name of a parameter is not in the name itself.

    Raises:
        ToolCallError: it is, so that the name would end there.
    """
    for end in _marks(part):
        if ends_within(key, end):
            raise ToolCallError(
                f"{location}: the name {key!r} has {end!r} in it, where it would end", location=location
            )


def _check_is_read_as_string(part: XmlArguments, tool: Tool, key: str, text: str) -> None:
    """Checks that a string is not read as something else where nothing marks it as a string.

    One that the schema does not allow is written nevertheless, as other arguments that it does not allow are.

    Raises:
        ToolCallError: it is.
    """
    try:
        value = _value(part, tool, key, text, None)
    except UnreadableNumberError:
        understood = "a number"
    except ValueError:
        return
    else:
        understood = repr(value)
        if value == text:
            return
    location = f"{tool.name}.{key}"
    raise ToolCallError(f"{location}: the string {text!r} would be read as {understood}", location=location)


def _value(part: XmlArguments, tool: Tool, key: str, text: str, marked: bool | None) -> Any:
    """What the text of a parameter means.

    Raises:
        ValueError: it is neither JSON that can be read nor a string that may stand there.
    """
    parameter = declared_parameter(tool, key)
    may_be_string = parameter is None or parameter.may_be_string
    if marked or (parameter is not None and not parameter.other_types):
        return text
    if marked is None and may_be_string and text != text.strip():
        return text
    try:
        if is_too_deep(text, around=1):
            raise ValueError(TOO_DEEP)
        value = json_value(text, None if parameter is None else parameter.place)
    except ValueError as error:
        # A text that looks like a number is no string, unless any text will do.
        is_number = isinstance(error, UnreadableNumberError)
        any_text_will_do = tool.strict is False or _any_text_will_do(part, parameter)
        if (marked is None and any_text_will_do) or (may_be_string and not is_number):
            return text
        raise
    if may_be_string and isinstance(value, str):
        return text
    if marked is None and parameter is not None and type_of(value) not in parameter.other_types:
        return text if may_be_string else value
    return value


class _JsonWriter:
    """Passes arguments on as JSON while they are read."""

    def __init__(self, give: Callable[[str], object]) -> None:
        self._give = give
        self._before = "{"

    def key(self, key: str) -> None:
        self._give(f"{self._before}{json.dumps(key, ensure_ascii=False)}: ")
        self._before = ", "

    def string_piece(self, piece: str) -> None:
        self._give(json.dumps(piece, ensure_ascii=False)[1:-1])

    def raw(self, text: str) -> None:
        self._give(text)

    def end(self) -> None:
        self._give("{}" if self._before == "{" else "}")


def read(
    part: XmlArguments, tool: Tool, following: Sequence[Part], reader: Reader, give: Callable[[str], object]
) -> Reading[ReadArguments | None]:
    """Reads arguments; None where the text ended before they did.

    Of a parameter that comes twice, which only one can that the schema does not name, the last counts.

    Raises:
        ToolCallSyntaxError: something else than a parameter stands there, or a value cannot be read.
    """
    at = part.opening.index(Key())
    before, separator = fixed_text(part.opening[:at]), fixed_text(part.separator)
    marks = _marks(part)
    end = fixed_text(following[:1])
    writer = _JsonWriter(give if tool.body is None else lambda piece: None)
    values: dict[str, Any] = {}
    raw: list[str] = []
    first = True
    while True:
        opening = before if first else separator + before
        choices = Choices([opening, end])
        found = yield from reader.match(choices)
        if found == end:
            break
        if found is None:
            if reader.is_cut_off(choices):
                return None
            raise reader.error(f"{opening!r} or {end!r}", choices)
        reader.skip(len(opening))
        raw.append(opening)
        first = False
        done = yield from _read_one(part, tool, marks, reader, (values, raw, writer, give))
        if not done:
            return None
    if tool.body is not None:
        text = values.get(INPUT, "")
        return ReadArguments(text, "".join(raw))
    writer.end()
    return ReadArguments(values, "".join(raw))


def _read_one(
    part: XmlArguments,
    tool: Tool,
    marks: Mapping[str, bool | None],
    reader: Reader,
    into: tuple[dict[str, Any], list[str], _JsonWriter, Callable[[str], object]],
) -> Reading[bool]:
    """Reads one parameter after its opening; says whether all of it was there."""
    values, raw, writer, give = into
    pieces: list[str] = []
    after = yield from reader.up_to(Tags(list(marks)), pieces.append)
    if after is None:
        return False
    reader.skip(len(after))
    key, close = "".join(pieces), fixed_text(part.closing)
    if key in values and comes_once(tool, key):
        raise reader.error(f"another parameter than {key!r} a second time, before this place")
    marked = marks[after]
    parameter = declared_parameter(tool, key)
    streams = marked is True or tool.body is not None or (parameter is not None and not parameter.other_types)
    writer.key(key)
    value: list[str] = []

    def take(piece: str) -> None:
        value.append(piece)
        if streams:
            writer.string_piece(piece)
            if tool.body is not None:
                give(piece)

    if streams:
        writer.raw('"')
    if not streams and (brackets := _brackets(part, parameter)):
        bracket = yield from reader.match(Choices(brackets))
        if bracket is not None and not (yield from reader.bracketed('"', take, around=1)):
            return False
    found = yield from reader.up_to(Tags([close]), take)
    if found is None:
        return False
    reader.skip(len(close))
    text = "".join(value)
    raw.extend((key, after, text, close))
    if streams:
        writer.raw('"')
        values[key] = text
    else:
        try:
            values[key] = _value(part, tool, key, text, marked)
        except ValueError as error:
            raise reader.error(f"a value of the parameter {key!r} before this place ({error})") from error
        writer.raw(nested_json.dumps(values[key]))
    return True
