"""Checks of a format: what grammar, parser and renderer could not all hold to is refused when it is made.

The parser reads a text once from its beginning, without going back, so that each part has to be known by what
it begins with, and its end by what follows. What depends on the tools is checked with them, by `headers`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import permutations
from string import Formatter
from types import UnionType
from typing import TYPE_CHECKING

from maskwright.checking import did_you_mean, string, told
from maskwright.errors import ToolCallError
from maskwright.tool_calls.field_types import check_fields
from maskwright.tool_calls.parts import (
    Arguments,
    CallId,
    Ending,
    JsonArguments,
    Key,
    Name,
    Part,
    PythonArguments,
    Segment,
    Special,
    StringMark,
    Text,
    XmlArguments,
    fixed_text,
    leading_text,
    part_of_arguments,
)

if TYPE_CHECKING:
    from maskwright.tool_calls.layout import ToolCallFormat

__all__ = ["check_format", "check_format_name"]

_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]*")
_PLACEMENTS = ("anywhere", "start")
_PATTERN_ERRORS = (re.error, OverflowError, RecursionError)
"""What :func:`re.compile` raises."""
_WIDTH = re.compile("0?[0-9]{1,2}d?")
_FORM_ERRORS = (LookupError, ValueError, AttributeError, TypeError)
"""What :meth:`str.format` raises of a text that is no form, or that has names in it which are not given."""


def check_format_name(name: str, location: str) -> None:
    """Checks that a format can be called so.

    Args:
        name: the name.
        location: what messages call the place where it was given.

    Raises:
        ToolCallError: it cannot.
    """
    if not _NAME.fullmatch(name):
        problem = f"{told(name)} is no name; use lower-case letters, digits and `_ . -`"
        raise ToolCallError(f"{location}: {problem}", location=location)


def check_format(layout: ToolCallFormat) -> None:
    """Checks all fields of a format.

    Raises:
        ToolCallError: one cannot be so; it says which, and why.
        TypeError: one is of another type.
    """
    check_format_name(string(layout.name, "the name of a format"), f"format {told(layout.name)}, name")
    check_fields(layout, f"format {layout.name!r}: ")
    for field in ("begin", "separator", "end", "prompt"):
        _check_fixed(layout, field, getattr(layout, field))
    for field, parts in _calls(layout):
        _check_call(layout, field, parts)
    for number in range(len(layout.other_begins)):
        _check_other_begin(layout, f"other_begins[{number}]", number + 1)
    _check_placement(layout)
    _check_content(layout)
    if layout.reasoning is not None:
        _check_bounds(layout, "reasoning", layout.reasoning)
        _check_fixed(layout, "reasoning", layout.reasoning.end)
        if layout.reasoning.before and not layout.is_prose:
            problem = (
                "white space may come `before` reasoning only where the content is prose, without an `end`"
            )
            raise _error(layout, "reasoning", problem)
    _check_beginnings(layout)
    _check_white_space(layout)


def _error(layout: ToolCallFormat, field: str, problem: str) -> ToolCallError:
    location = f"format {layout.name!r}, {field}"
    return ToolCallError(f"{location}: {problem}", location=location)


def _calls(layout: ToolCallFormat) -> Iterator[tuple[str, tuple[Part, ...]]]:
    """All ways to write a call, with the names of their fields."""
    for number, call in enumerate(layout.calls):
        yield "call" if number == 0 else f"other_calls[{number - 1}]", call


def _check_fixed(
    layout: ToolCallFormat,
    field: str,
    parts: tuple[object, ...],
    allowed: type | UnionType = Text | Special,
    kinds: str = "Text and Special",
) -> None:
    """Checks that only some kinds of parts stand somewhere, and that none of them is empty."""
    for part in parts:
        if not isinstance(part, allowed):
            raise _error(layout, field, f"only {kinds} may stand here, not {told(part)}")
        if isinstance(part, Text | Special | Ending):
            _check_text(layout, field, part)


def _check_text(layout: ToolCallFormat, field: str, part: Text | Special | Ending) -> None:
    text = fixed_text([part])
    if not text:
        raise _error(layout, field, f"{part!r} is empty; leave it out")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise _error(layout, field, f"{part!r} has half a surrogate pair in it, which no text can have")


def _check_call(layout: ToolCallFormat, field: str, parts: tuple[Part, ...]) -> None:
    _check_kinds(layout, field, parts)
    if not leading_text(layout.begin + parts):
        raise _error(layout, field, "a call has to begin with a Text or a Special by which it is known")
    if layout.parallel:
        _check_further(layout, field, leading_text(layout.separator + parts))
    for place, part in enumerate(parts):
        if isinstance(part, CallId):
            _check_identifier(layout, field, part, _next_part(layout, parts, place))
    arguments = part_of_arguments(parts)
    at = parts.index(arguments)
    _check_end(layout, field, arguments, _next_part(layout, parts, at))
    behind = leading_text(parts[at + 1 :] or layout.end)
    if isinstance(arguments, PythonArguments) and not behind.startswith(")"):
        problem = (
            "PythonArguments end at a parenthesis, so that what begins with it has to stand right behind "
        )
        raise _error(layout, field, problem + "them, such as Text(')')")
    if isinstance(arguments, XmlArguments):
        _check_xml(layout, field, arguments, behind)


def _check_other_begin(layout: ToolCallFormat, field: str, number: int) -> None:
    """Checks that calls are known by the same parts, however they begin, and which beginning it is."""
    parts = layout.begins[number]
    _check_fixed(layout, field, parts)
    for call in layout.calls:
        opening = layout.opening(call)
        if not layout.begin[: len(opening)] == parts[: len(opening)] == opening:
            known = layout.opening_text(call)
            problem = (
                f"calls are known by {known!r}, with which `begin` and this have to begin, as one part each"
            )
            raise _error(layout, field, problem)
    text = fixed_text(parts)
    for other in map(fixed_text, layout.begins[:number]):
        if _is_confused(text, other):
            problem = f"of {other!r} and {text!r}, by which calls begin, one begins with the other"
            raise _error(layout, field, problem)


def _check_kinds(layout: ToolCallFormat, field: str, parts: tuple[Part, ...]) -> None:
    """Checks which parts a call has, and their order."""
    for part in parts:
        if isinstance(part, Key | StringMark):
            raise _error(layout, field, f"{told(part)} stands only in the opening of XmlArguments")
    _check_fixed(layout, field, parts, Part, "the parts of a call")
    kinds = [type(part) for part in parts]
    if kinds.count(Name) != 1 or sum(isinstance(part, Arguments) for part in parts) != 1:
        raise _error(layout, field, "a call has one Name and one kind of arguments")
    if kinds.count(CallId) > 1:
        raise _error(layout, field, "a call has one CallId at most")
    name = kinds.index(Name)
    if parts.index(part_of_arguments(parts)) < name:
        raise _error(layout, field, "the Name has to stand before the arguments, which are those of a tool")
    if kinds[name + 1] in (CallId, PythonArguments):
        what = kinds[name + 1].__name__
        raise _error(layout, field, f"between Name and {what} has to stand a Text or a Special that ends it")
    if Ending in kinds[:-1] or (Ending in kinds and (layout.end or layout.parallel)):
        problem = (
            "an Ending ends the whole text: it is the last part of a call, with parallel=False and no `end`"
        )
        raise _error(layout, field, problem)


def _check_further(layout: ToolCallFormat, field: str, text: str) -> None:
    """Checks that a call that follows another is known by the text that it begins with."""
    if not text:
        problem = "a call that follows another has to begin with a Text or a Special; give it a separator"
        raise _error(layout, field, problem)
    if fixed_text(layout.end).startswith(text):
        problem = f"it begins with {text!r}, as a call does that follows another"
        raise _error(layout, "end", problem)


def _next_part(layout: ToolCallFormat, parts: tuple[Part, ...], at: int) -> Part | None:
    """What stands behind a part of a call; None for nothing, or where it is not always the same."""
    if parts[at + 1 :]:
        return parts[at + 1]
    ways = [layout.end]
    if layout.parallel:
        ways += [layout.separator + call for call in layout.calls]
    found = {way[:1] for way in ways}
    return next(iter(found))[0] if len(found) == 1 and () not in found else None


def _check_identifier(layout: ToolCallFormat, field: str, part: CallId, following: Part | None) -> None:
    if not isinstance(following, Text | Special):
        raise _error(
            layout, field, "a CallId needs a Text or a Special right behind it in the call, where it ends"
        )
    pattern = _compiled(layout, field, part.pattern)
    if pattern.fullmatch(fixed_text([following])):
        raise _error(
            layout,
            field,
            f"the pattern {told(part.pattern)} of a CallId matches {following!r}, too, where it should end",
        )
    written = _filled(layout, field, part.written, "written", number=0)
    if not pattern.fullmatch(written):
        raise _error(
            layout,
            field,
            f"a CallId is written {told(written)} for the first call, which its pattern "
            f"{told(part.pattern)} does not match; say in `written` what to write",
        )
    if _filled(layout, field, part.identity, "identity", name="name", text="\0").count("\0") != 1:
        raise _error(
            layout, field, f"the identity {told(part.identity)} of a CallId needs {{text}} in it, once"
        )


def _compiled(layout: ToolCallFormat, field: str, pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except _PATTERN_ERRORS as error:
        problem = f"{told(pattern)} is no regular expression that can be read: {error}"
        raise _error(layout, field, problem) from error


def _filled(layout: ToolCallFormat, field: str, form: str, attribute: str, **values: object) -> str:
    """A form of a CallId with values in it, which only numbers may have at a width: others are read back."""
    try:
        for _, name, width, conversion in Formatter().parse(form):
            is_number = isinstance(values.get(name or ""), int)
            if conversion or (width and not (is_number and _WIDTH.fullmatch(width))):
                raise ValueError(width)
        return form.format(**values)
    except _FORM_ERRORS as error:
        known = " and ".join(f"{{{value}}}" for value in values)
        raise _error(
            layout,
            field,
            f"{attribute}={told(form)} of a CallId is no form with {known} in it, of which a number may have "
            "a width such as `:09`; braces that are text are doubled",
        ) from error


def _check_end(layout: ToolCallFormat, field: str, part: Arguments, following: Part | None) -> None:
    """Checks that the end of arguments is known by what stands behind them."""
    if isinstance(part, JsonArguments):
        is_known = not part.raw_bodies or isinstance(following, Text | Special | Ending)
    else:
        is_known = isinstance(following, Text | Special)
    if not is_known:
        what = "JsonArguments with raw_bodies" if isinstance(part, JsonArguments) else type(part).__name__
        problem = f"{what} need a Text or a Special right behind them in the call, where they end"
        raise _error(layout, field, problem)


def _check_xml(layout: ToolCallFormat, field: str, part: XmlArguments, following: str) -> None:
    """Checks that keys and values end where it is seen that they do.

    Args:
        layout: the format.
        field: the name of the field, for messages.
        part: the arguments.
        following: the text that stands behind them.
    """
    opening = part.opening
    if [type(piece) for piece in opening].count(Key) != 1:
        raise _error(layout, field, "the opening of a parameter has one Key")
    _check_fixed(
        layout, field, opening, Text | Special | Key | StringMark, "Text, Special, Key and StringMark"
    )
    at = opening.index(Key())
    if not isinstance(opening[at + 1] if opening[at + 1 :] else None, Text | Special):
        raise _error(
            layout, field, "the opening of a parameter needs a Text or a Special right behind the Key"
        )
    if any(isinstance(piece, StringMark) for piece in opening[:at]):
        raise _error(layout, field, "in the opening of a parameter, the StringMark stands behind the Key")
    if not part.closing:
        raise _error(layout, field, "the closing of a parameter cannot be empty")
    _check_fixed(layout, field, part.closing)
    _check_fixed(layout, field, part.separator)
    marks = [_marked(part, is_string=is_string) for is_string in (True, False)]
    is_marked = any(isinstance(piece, StringMark) for piece in opening)
    if is_marked and _is_confused(*marks):
        raise _error(
            layout,
            field,
            f"strings are marked by {marks[0]!r} and other values by {marks[1]!r}, of which one begins with "
            "the other",
        )
    _check_end_of_xml(layout, field, part, following)


def _check_end_of_xml(layout: ToolCallFormat, field: str, part: XmlArguments, following: str) -> None:
    """Checks that what opens a parameter and what stands behind the last are told apart."""
    if part.after and not part.after.isspace():
        raise _error(
            layout, field, f"after={told(part.after)} is no white space; it belongs to the `closing`"
        )
    if part.after and following.startswith(part.after):
        problem = f"after={part.after!r} may be missing, but {following!r} behind it begins with it, too"
        raise _error(layout, field, problem)
    before = fixed_text(part.opening[: part.opening.index(Key())])
    further = fixed_text(part.separator) + before
    pairs = [(before, following), *((text, part.after + following) for text in (before, further))]
    for text, end in pairs:
        if _is_confused(text, end):
            raise _error(
                layout,
                field,
                f"{text!r} opens a parameter and {end!r} stands behind the arguments, of which one "
                "begins with the other, so that the end of the arguments is not known",
            )


def _marked(part: XmlArguments, *, is_string: bool) -> str:
    """What stands behind the key of a parameter."""
    behind = part.opening[part.opening.index(Key()) + 1 :]
    return "".join(
        (piece.string if is_string else piece.other) if isinstance(piece, StringMark) else fixed_text([piece])
        for piece in behind
    )


def _is_confused(one: str, other: str) -> bool:
    """Whether of two texts one begins with the other."""
    return one.startswith(other) or other.startswith(one)


def _check_placement(layout: ToolCallFormat) -> None:
    if layout.placement not in _PLACEMENTS:
        hint = did_you_mean(layout.placement, _PLACEMENTS)
        problem = f"{told(layout.placement)} is neither 'anywhere' nor 'start'{hint}"
        raise _error(layout, "placement", problem)
    if layout.reserved is None:
        return
    if layout.placement != "start":
        raise _error(
            layout, "reserved", "what content must not begin like is asked only with placement='start'"
        )
    _compiled(layout, "reserved", layout.reserved)


def _check_content(layout: ToolCallFormat) -> None:
    if not layout.content:
        raise _error(layout, "content", "at least one kind of content is needed, such as Segment()")
    if len(layout.content) == 1 and layout.is_prose:
        _check_prose(layout, layout.content[0])
        return
    for number, segment in enumerate(layout.content):
        field = f"content[{number}]"
        _check_bounds(layout, field, segment)
        if any(isinstance(part, Ending) for part in segment.end) and (
            len(segment.end) > 1 or segment.before_calls
        ):
            problem = "an Ending ends the whole text: it stands alone in `end`, with before_calls=False"
            raise _error(layout, field, problem)
        if not (segment.before_calls or segment.last):
            problem = "content that calls may not follow has to be able to end a message; set last=True"
            raise _error(layout, field, problem)
        if segment.after or segment.before:
            which = "after" if segment.after else "before"
            problem = f"only reasoning has `{which}`; white space between content and calls is the `gap`"
            raise _error(layout, field, problem)


def _check_prose(layout: ToolCallFormat, segment: Segment) -> None:
    _check_fixed(layout, "content[0]", segment.begin)
    if Segment(begin=segment.begin) != segment:
        raise _error(
            layout,
            "content[0]",
            "content without an end is prose, of which only `begin` can be said; give it an `end`, or leave "
            "the other fields out",
        )


def _check_bounds(layout: ToolCallFormat, field: str, segment: Segment) -> None:
    """Checks that it is known where a segment begins and ends."""
    _check_fixed(layout, field, segment.begin)
    if not (segment.begin and segment.end):
        exception = "" if field == "reasoning" else ", unless it is prose and the only kind of content"
        raise _error(layout, field, f"such a segment needs a `begin` and an `end`{exception}")
    _check_fixed(layout, field, segment.end, Text | Special | Ending, "Text, Special and Ending")
    end = fixed_text(segment.end)
    if segment.margin and (end.startswith(segment.margin) or end in segment.margin):
        problem = f"margin={segment.margin!r} may be missing, but the `end` begins with it, too, or is in it"
        raise _error(layout, field, problem)


def _check_beginnings(layout: ToolCallFormat) -> None:
    """Checks that segments and calls are known apart by what they begin with."""
    segments = {f"content[{number}]": segment for number, segment in enumerate(layout.content)}
    if layout.reasoning is not None:
        segments["reasoning"] = layout.reasoning
    begins = [
        (field, text) for field, segment in segments.items() if segment.begin for text in segment.beginnings
    ]
    pairs = [(one, other) for one, other in permutations(begins, 2) if one[0] != other[0]]
    calls = [
        (field, leading_text(begin + parts)) for begin in layout.begins for field, parts in _calls(layout)
    ]
    pairs += [(begin, call) for begin in begins for call in calls]
    for (one, begin), (other, text) in pairs:
        if text.startswith(begin):
            problem = f"it begins with {begin!r}, as {one} does, so that it would be taken for that"
            raise _error(layout, other, problem)


def _check_white_space(layout: ToolCallFormat) -> None:
    """Checks that what is no part of a text is white space, and not the beginning of what comes next."""
    reasoning = layout.reasoning or Segment()
    margins = [(f"content[{number}]", segment.margin) for number, segment in enumerate(layout.content)]
    margins.append(("reasoning", reasoning.margin))
    between = [("gap", "gap", layout.gap), ("reasoning", "after", reasoning.after)]
    spaces = [(field, "margin", margin) for field, margin in margins] + between
    spaces.append(("reasoning", "before", reasoning.before))
    for field, attribute, space in spaces:
        if space and not space.isspace():
            raise _error(
                layout,
                field,
                f"{attribute}={told(space)} is no white space; what always stands there belongs to a `begin` "
                "or an `end`",
            )
    calls = [leading_text(begin + parts) for begin in layout.begins for parts in layout.calls]
    begin = fixed_text(reasoning.begin)
    if layout.is_prose and begin and any(begin in layout.gap + text for text in calls if layout.gap):
        problem = f"with what opens a call behind it, there is {begin!r} in it, with which reasoning begins"
        raise _error(layout, "gap", problem)
    again = (reasoning,) if reasoning.repeated else ()
    begins = [fixed_text(segment.begin) for segment in (*layout.content, *again)]
    for field, attribute, space in between:
        # In prose a gap stands before calls alone.
        for text in calls if field == "gap" and layout.is_prose else calls + begins:
            if space and text.startswith(space):
                raise _error(
                    layout,
                    field,
                    f"{attribute}={space!r} may be missing, but what may follow, {text!r}, begins with it, "
                    "too, and would be read without it; leave one of them out",
                )
