"""Arguments one by one, each between an opening with its name and a closing, in any order.

A string is written as it is; anything else as the JSON of its part of the schema. Where the layout marks
which of the two a value is, the mark decides. Where it does not, and a parameter may be both, a text that is
the JSON of what else it may be is read as that; a string that looks so cannot be written. Of a tool that is
not strict any text will do, which is what the schema says of it only where it can be read so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import maskwright as mw
from maskwright import nested_json
from maskwright.errors import ToolCallError, ToolCallSyntaxError
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
    no_value,
    parameters_of,
    type_of,
    with_schema,
)
from maskwright.tool_calls.arguments.shared_values import SharedValues
from maskwright.tool_calls.arguments.strings import closed_body, closed_string, ends_within
from maskwright.tool_calls.parts import Key, Part, StringMark, Text, XmlArguments, fixed_text
from maskwright.tool_calls.pieces import Piece
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
    make = options.pieces
    if tool.body is not None:
        body = closed_body(tool, tool.body, part.closing, options)
        opening, closing = make.fixed(opening_of(part, INPUT, True)), make.fixed(part.closing)
        return make.joined([*opening, body, *closing, part.after])
    asked = Tool(tool.name, parameters={"additionalProperties": True}) if tool.strict is False else tool
    schema = check_schema(asked, options)
    return with_schema(_parameters(part, asked, options), schema, options)


def _parameters(part: XmlArguments, tool: Tool, options: ArgumentOptions) -> Grammar:
    """All parameters of a tool in any order, with what stands behind them."""
    make, writer = options.pieces, _parameter_writer(part, options)
    separator = make.joined(make.fixed(part.separator))
    parameters = parameters_of(tool, _WHERE)
    members = []
    for parameter in parameters:
        writer.check_name(parameter)
        way = writer.grammar(parameter)
        if way is not None:
            members.append(mw.Member(way, required=parameter.is_required))
        elif parameter.is_required:
            raise no_value(parameter)
    further = further_parameter(tool)
    if further is not None:
        names = "|".join(re.escape(parameter.name) for parameter in parameters)
        key = Grammar.regex((f"(?!(?:{names})$)" if names else "") + _ANY_KEY, budget=make.budget)
        other = writer.grammar_of_any(key, further)
        if other is not None:
            ways = Grammar.repeat(other, minimum=1, separator=separator, budget=make.budget)
            members.append(mw.Member(ways, required=False))
    made = make.in_any_order(members, separator)
    if not part.after:
        return made
    if not members:
        return make.optional(part.after)
    ended = make.joined([made, part.after])
    return ended if any(member.required for member in members) else make.optional(ended)


class _Values(NamedTuple):
    """The values of a parameter; None where there are none.

    Attributes:
        strings: those that are strings, with what closes them.
        others: those that are not.
    """

    strings: Grammar | None
    others: Grammar | None


class _ParameterWriter:
    """Makes grammars of parameters in one way of writing them."""

    def __init__(self, part: XmlArguments, options: ArgumentOptions) -> None:
        self._part = part
        self._options = options
        self._make = make = options.pieces
        at = part.opening.index(Key())
        self._is_marked = _is_marked(part)
        self._end_of_name = fixed_text(part.opening[at + 1 :][:1])
        self._before = make.fixed(part.opening[:at])
        self._behind = {mark: make.fixed(opening_of(part, "", mark)[at + 1 :]) for mark in (True, False)}
        self._closing = make.fixed(part.closing)
        self._shared = SharedValues(self._values)
        self._shared_with_names = SharedValues(self._named, by_name=True)

    def check_name(self, parameter: Parameter) -> None:
        """Checks that the name of a parameter does not hold what ends it.

        Raises:
            ToolCallError: it does.
        """
        end = self._end_of_name
        if end[0] in parameter.name or not parameter.name:
            raise ToolCallError(
                f"tool {parameter.tool.name!r}: the parameter {parameter.name!r} has no name that can be "
                f"written before {end!r}; rename it",
                location=parameter.location,
            )

    def grammar(self, parameter: Parameter) -> Grammar | None:
        """One parameter with a value; None where no value is valid.

        Raises:
            UnsupportedFeatureError: its schema says more than can be enforced here.
        """
        return self._shared_with_names.of(parameter, self._named)

    def grammar_of_any(self, key: Grammar, parameter: Parameter) -> Grammar | None:
        """The same of a parameter that may have several names.

        Args:
            key: the names.
            parameter: what its values must be like.

        Raises:
            UnsupportedFeatureError: its schema says more than can be enforced here.
        """
        return self._with(key, self._shared.of(parameter, self._values))

    def _named(self, parameter: Parameter) -> Grammar | None:
        return self._with(parameter.name, self._shared.of(parameter, self._values))

    def _with(self, key: Piece, values: _Values) -> Grammar | None:
        """A name and what may follow it."""
        ways: list[Grammar] = []
        if values.strings is not None:
            ways.append(self._make.joined([*self._before, key, *self._behind[True], values.strings]))
        if values.others is not None:
            pieces = [*self._before, key, *self._behind[False], values.others, *self._closing]
            ways.append(self._make.joined(pieces))
        return self._make.any_of(ways) if ways else None

    def _values(self, parameter: Parameter) -> _Values:
        any_text_will_do = not self._is_marked and _any_text_will_do(parameter)
        excluded = "" if self._is_marked or any_text_will_do else parameter.other_texts
        strings: list[Grammar] = []
        if parameter.may_be_string:
            rules = parameter.string_rules()
            strings = [closed_string(rule, self._part.closing, self._options, excluded) for rule in rules]
        others = None
        if parameter.other_types and not any_text_will_do:
            others = parameter.other_grammar(self._options)
        return _Values(self._make.any_of(strings) if strings else None, others)


@lru_cache(maxsize=4)
def _parameter_writer(part: XmlArguments, options: ArgumentOptions) -> _ParameterWriter:
    """What makes grammars of parameters; kept with what it has made, for the tools that come."""
    return _ParameterWriter(part, options)


def _any_text_will_do(parameter: Parameter | None) -> bool:
    """Whether every text is a valid value where nothing marks it, whatever it is read as."""
    return parameter is None or (parameter.may_be_string and parameter.is_unconstrained)


def _brackets(tool: Tool, parameter: Parameter | None, marked: bool | None) -> list[str]:
    """What a value begins with that is read as JSON to its end: a string in it may hold the closing.

    Args:
        tool: the tool.
        parameter: what its schema says of the parameter, or None where that is nothing.
        marked: whether the value is marked as a string; None where nothing marks it.
    """
    if marked or (marked is None and (tool.strict is False or _any_text_will_do(parameter))):
        return []
    types = frozenset({"array", "object"})
    if parameter is not None and tool.strict is not False:
        types &= parameter.other_types
    return [bracket for name, bracket in (("array", "["), ("object", "{")) if name in types]


def write(
    part: XmlArguments, tool: Tool, arguments: Mapping[str, Any] | str, following: Sequence[Part]
) -> str:
    """The text of arguments.

    Raises:
        ToolCallError: they are of the wrong kind, or a value cannot be written so that it is read as it was.
    """
    arguments = named_arguments(tool, arguments)
    close, is_marked = fixed_text(part.closing), _is_marked(part)
    written = []
    for key, value in arguments.items():
        location = f"{tool.name}.{key}"
        _check_key(part, key, location)
        is_string = isinstance(value, str)
        text = value if is_string else json_of(value, location, around=1)
        brackets = _brackets(tool, declared_parameter(tool, key), is_string if is_marked else None)
        is_scanned = not is_string and text[:1] in brackets
        if not is_scanned and ends_within(text, close):
            raise ToolCallError(
                f"{location}: the value has {close!r} in it, where it would end", location=location
            )
        if not is_marked and is_string and tool.body is None:
            _check_is_read_as_string(tool, key, text, Tags([close]), brackets)
        if not is_string:
            _check_is_not_read_as_string(tool, key, text, False if is_marked else None)
        written.append(fixed_text(opening_of(part, str(key), is_string)) + text + close)
    return fixed_text(part.separator).join(written) + part.after


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


def _check_is_read_as_string(tool: Tool, key: str, text: str, close: Tags, brackets: list[str]) -> None:
    """Checks that a string is not read as something else where nothing marks it as a string.

    One that the schema does not allow is written nevertheless, as other arguments that it does not allow are.

    Raises:
        ToolCallError: it is.
    """
    location = f"{tool.name}.{key}"
    if text[:1] in brackets and not _ends_with(text, close, brackets):
        raise ToolCallError(
            f"{location}: the string {text!r} would be read as JSON, which does not end where it does",
            location=location,
        )
    try:
        value = _value(tool, key, text, None)
    except UnreadableNumberError:
        understood = "a number"
    except ValueError:
        return
    else:
        understood = repr(value)
        if value == text:
            return
    raise ToolCallError(f"{location}: the string {text!r} would be read as {understood}", location=location)


def _check_is_not_read_as_string(tool: Tool, key: str, text: str, marked: bool | None) -> None:
    """Checks that the JSON of a value that is no string is not read as a string, where one may stand there.

    Raises:
        ToolCallError: it is, since the schema does not allow such a value, or any text will do.
    """
    parameter = declared_parameter(tool, key)
    if parameter is not None and not parameter.may_be_string:
        return
    try:
        value = _value(tool, key, text, marked)
    except ValueError:
        return
    if isinstance(value, str):
        location = f"{tool.name}.{key}"
        raise ToolCallError(
            f"{location}: the value {text} would be read as the string {value!r}; give that, or let the "
            "schema of the parameter have values of this type",
            location=location,
        )


def _ends_with(text: str, close: Tags, brackets: list[str]) -> bool:
    """Whether a text with its closing behind it is read as just that text."""
    reader, pieces = Reader(), list[str]()
    reader.feed(text + close.texts[0])
    reader.end()
    try:
        for _ in _value_text(reader, close, brackets, pieces.append):
            pass
    except ToolCallSyntaxError:
        return False
    return "".join(pieces) == text


def _value_text(
    reader: Reader, close: Tags, brackets: list[str], take: Callable[[str], object]
) -> Reading[str | None]:
    """Passes on the text of a value up to its closing; None where the text ends first.

    Raises:
        ToolCallSyntaxError: it begins with a bracket of JSON, and others in it do not match.
    """
    if brackets:
        bracket = yield from reader.match(Choices(brackets))
        if bracket is not None and not (yield from reader.bracketed('"', take, around=1)):
            return None
    return (yield from reader.up_to(close, take))


def _value(tool: Tool, key: str, text: str, marked: bool | None) -> Any:
    """What the text of a parameter means.

    Raises:
        ValueError: it is neither JSON that can be read nor a string that may stand there.
    """
    parameter = declared_parameter(tool, key)
    may_be_string = marked is None and (parameter is None or parameter.may_be_string)
    if _is_plainly_string(parameter, marked):
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
        any_text_will_do = tool.strict is False or _any_text_will_do(parameter)
        if (marked is None and any_text_will_do) or (may_be_string and not is_number):
            return text
        raise
    if may_be_string and isinstance(value, str):
        return text
    if marked is None and parameter is not None and type_of(value) not in parameter.other_types:
        return text if may_be_string else value
    return value


def _is_plainly_string(parameter: Parameter | None, marked: bool | None) -> bool:
    """Whether a value is a string whatever its text: by its mark, or else by the schema."""
    if marked is not None:
        return marked
    return parameter is not None and not parameter.other_types


class _JsonWriter:
    """Passes arguments on as JSON while they are read."""

    def __init__(self, give: Callable[[str], object]) -> None:
        self._give_text = give
        self._before = "{"

    def _give(self, text: str) -> None:
        self._give_text(nested_json.without_surrogates(text))

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
        ends = {part.after + end, end} if first else {part.after + end}
        choices = Choices([opening, *ends])
        found = yield from reader.match(choices)
        if found is not None and found in ends:
            reader.skip(len(found) - len(end))
            break
        if found is None:
            if reader.is_cut_off(choices):
                return None
            raise reader.error(f"{opening!r} or {part.after + end!r}", choices)
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
    streams = tool.body is not None or _is_plainly_string(parameter, marked)
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
    brackets = [] if streams else _brackets(tool, parameter, marked)
    found = yield from _value_text(reader, Tags([close]), brackets, take)
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
            values[key] = _value(tool, key, text, marked)
        except ValueError as error:
            raise reader.error(f"a value of the parameter {key!r} before this place ({error})") from error
        writer.raw(nested_json.dumps(values[key]))
    return True
