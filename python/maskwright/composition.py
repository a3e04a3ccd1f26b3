"""Grammars made of grammars: what stands behind ``Grammar.sequence``, ``Grammar.free_text`` and their like.

Each function takes the arguments of the class method of the same name, checks them, and gives what a
:class:`maskwright.Grammar` is made of: the native grammar, the recipe, and a description. The recipe of a
composed grammar holds the grammars in it; :mod:`maskwright.recipes` turns it into JSON and back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex

from maskwright._native import Composition
from maskwright._native import Grammar as NativeGrammar
from maskwright.checking import counted, flag, forbidden_texts, in_order, integer, several, string, told
from maskwright.errors import GrammarError

if TYPE_CHECKING:
    from maskwright.budget import Budget
    from maskwright.grammar import Grammar

__all__ = [
    "MOST_REPETITIONS",
    "Composed",
    "Member",
    "Tag",
    "any_of",
    "any_order",
    "any_token",
    "free_text",
    "joined_parts",
    "repeat",
    "sequence",
    "text",
    "token",
]

MOST_REPETITIONS = (1 << 32) - 2
"""The greatest number of repetitions; one more stands for no limit."""

_GREATEST_TOKEN_ID = (1 << 32) - 2
"""The next one is that of a token which no vocabulary has."""

_Mark = tuple[str | int, bool, bool]
"""A text or token, whether it is watched for as a token, and whether as text."""


@dataclass(frozen=True, slots=True)
class Tag:
    """What opens a call in free text, and what follows it. See :meth:`maskwright.Grammar.free_text`.

    Attributes:
        begin: a text, or a token made by :meth:`maskwright.Grammar.token`.
        content: what follows; a ``str`` stands for itself. It has to say itself where it ends.

    Example:
        >>> import maskwright as mw
        >>> bold = mw.Tag("<b>", mw.Grammar.regex("[a-z]+") + "</b>")
        >>> mw.Grammar.free_text(tags=[bold, mw.Tag(mw.Grammar.token("<|call|>"), "now")])
        <maskwright.Grammar: free text with 2 tags>
    """

    begin: str | Grammar
    content: Grammar | str


@dataclass(frozen=True, slots=True)
class Member:
    """One of several parts that come in any order. See :meth:`maskwright.Grammar.any_order`.

    Attributes:
        grammar: the part; a ``str`` stands for itself.
        required: whether it has to come.

    Example:
        >>> import maskwright as mw
        >>> mw.Grammar.any_order([mw.Member("a"), mw.Member(mw.Grammar.regex("[0-9]"), required=False)])
        <maskwright.Grammar: any order of 2 members>
    """

    grammar: Grammar | str
    required: bool = True


class Composed(NamedTuple):
    """What a composed :class:`maskwright.Grammar` is made of."""

    native: NativeGrammar
    kind: str
    arguments: dict[str, Any]
    description: str


def text(value: str, budget: Budget) -> Composed:
    """As :meth:`maskwright.Grammar.text`."""
    string(value, "value")
    return Composed(Composition.text(value, budget), "text", {"value": value}, _quoted("text", value))


def token(value: str | SupportsIndex, also_text: bool, budget: Budget) -> Composed:
    """As :meth:`maskwright.Grammar.token`."""
    value = _checked_token(value)
    also_text = flag(also_text, "also_text")
    if also_text and not isinstance(value, str):
        raise GrammarError(
            f"the token {told(value)} is given by its id, so there is no name to be typed as text; give its "
            "name"
        )
    native = Composition.token(value, also_text, budget)
    arguments = {"token": value, "also_text": also_text}
    return Composed(native, "token", arguments, _quoted("token", value))


def any_token(except_: Iterable[str | SupportsIndex], budget: Budget) -> Composed:
    """As :meth:`maskwright.Grammar.any_token`."""
    listed = [_checked_token(value) for value in several(except_, "except_")]
    native = Composition.any_token(listed, budget)
    shown = "any token" if not listed else f"any token but {', '.join(map(repr, listed[:4]))}"
    return Composed(native, "any_token", {"except_": listed}, shown)


def sequence(parts: Iterable[Grammar | str], budget: Budget) -> Composed:
    """As :meth:`maskwright.Grammar.sequence`."""
    listed = in_order(parts, "parts")
    native = Composition.sequence([_native(part) for part in listed], budget)
    return Composed(native, "sequence", {"parts": listed}, f"sequence of {counted(len(listed), 'part')}")


def any_of(parts: Iterable[Grammar | str], budget: Budget) -> Composed:
    """As :meth:`maskwright.Grammar.any_of`."""
    listed = several(parts, "parts")
    native = Composition.any_of([_native(part) for part in listed], budget)
    return Composed(native, "any_of", {"parts": listed}, f"any of {counted(len(listed), 'part')}")


def repeat(
    part: Grammar | str,
    minimum: SupportsIndex,
    maximum: SupportsIndex | None,
    separator: Grammar | str | None,
    budget: Budget,
) -> Composed:
    """As :meth:`maskwright.Grammar.repeat`."""
    minimum, maximum = _checked_bounds(minimum, maximum)
    between = "" if separator is None else _native(separator, "separator")
    native = Composition.repeat(_native(part, "grammar"), between, minimum, maximum, budget)
    arguments = {"part": part, "minimum": minimum, "maximum": maximum, "separator": separator}
    most = "" if maximum is None else maximum
    return Composed(native, "repeat", arguments, f"repetition {{{minimum},{most}}}")


def free_text(
    tags: Iterable[Tag],
    minimum: SupportsIndex,
    maximum: SupportsIndex | None,
    text_between: bool,
    text_after: bool,
    stops: Iterable[str | Grammar],
    forbidden: Iterable[str],
    budget: Budget,
) -> Composed:
    """As :meth:`maskwright.Grammar.free_text`."""
    listed, ends, barred = several(tags, "tags"), several(stops, "stops"), forbidden_texts(forbidden)
    for tag in listed:
        if not isinstance(tag, Tag):
            raise TypeError(f"tags holds {type(tag).__name__}; make a maskwright.Tag(begin=..., content=...)")
    minimum, maximum = _checked_bounds(minimum, maximum)
    text_between, text_after = flag(text_between, "text_between"), flag(text_after, "text_after")
    marks = [_mark(tag.begin) for tag in listed]
    stop_marks = [_mark(stop) for stop in ends]
    for name, watched in (("the begin of a tag", marks), ("a stop", stop_marks)):
        if any(mark[0] == "" for mark in watched):
            raise GrammarError(f"{name} is empty, but what is watched for needs at least one character")
    _check_forbidden(barred, [*marks, *stop_marks])
    native = Composition.free_text(
        [
            (mark, _native(tag.content, "the content of a tag"))
            for mark, tag in zip(marks, listed, strict=True)
        ],
        budget,
        minimum=minimum,
        maximum=maximum,
        text_between=text_between,
        text_after=text_after,
        stops=stop_marks,
        forbidden=barred,
    )
    arguments = {
        "tags": [{"begin": tag.begin, "content": tag.content} for tag in listed],
        "minimum": minimum,
        "maximum": maximum,
        "text_between": text_between,
        "text_after": text_after,
        "stops": ends,
        "forbidden": barred,
    }
    return Composed(native, "free_text", arguments, f"free text with {counted(len(listed), 'tag')}")


_MOST_PARTS = 64
"""So many parts are written side by side where grammars are joined one by one."""

_PARTS_AT_ONCE = 16
"""So many of them become one where they are more."""


def joined_parts(
    kind: str, left: Grammar | str, right: Grammar | str, make: Callable[[list[Grammar | str]], Any]
) -> list[Grammar | str]:
    """The parts of ``left + right`` or ``left | right``, where either may have been joined before.

    Parts are kept side by side while they are few. Of more, those neighbours become one in which grammars
    stand least deep within grammars. So joining grammars one by one takes time in proportion to their number,
    and a hundred thousand of them stand only a few deep.
    """
    before, after = _parts_of(left, kind), _parts_of(right, kind)
    if len(before) + len(after) > _MOST_PARTS:
        # The deeper one grows, and the other is one part of it.
        if (_depth(left), len(before)) < (_depth(right), len(after)):
            before = [left]
        else:
            after = [right]
    parts = [*before, *after]
    if len(parts) > _MOST_PARTS:
        depths = [_depth(part) for part in parts]
        starts = range(len(parts) - _PARTS_AT_ONCE + 1)
        # Those farthest from where it grows, so that none is left behind among deeper ones.
        starts = starts if len(before) > len(after) else starts[::-1]
        first = min(starts, key=lambda at: max(depths[at : at + _PARTS_AT_ONCE]))
        chosen = slice(first, first + _PARTS_AT_ONCE)
        parts[chosen] = [make(parts[chosen])]
    return parts


def _depth(part: Grammar | str) -> int:
    """How deep grammars stand within grammars in it."""
    return 0 if isinstance(part, str) else part._native.depth


def _parts_of(part: Grammar | str, kind: str) -> list[Grammar | str]:
    """The parts where it is a composition of a kind that has few, else itself."""
    own, arguments = ("text", {}) if isinstance(part, str) else part._recipe
    parts: list[Grammar | str] = arguments["parts"] if own == kind else [part]
    return parts if len(parts) <= _MOST_PARTS else [part]


def any_order(members: Iterable[Member], separator: Grammar | str, budget: Budget) -> Composed:
    """As :meth:`maskwright.Grammar.any_order`."""
    listed = several(members, "members")
    for member in listed:
        if not isinstance(member, Member):
            raise TypeError(f"members holds {type(member).__name__}; make a maskwright.Member(grammar)")
    natives = [
        (_native(member.grammar, "the grammar of a member"), flag(member.required, "required"))
        for member in listed
    ]
    native = Composition.any_order(natives, _native(separator, "separator"), budget)
    arguments = {
        "members": [{"grammar": member.grammar, "required": bool(member.required)} for member in listed],
        "separator": separator,
    }
    return Composed(native, "any_order", arguments, f"any order of {counted(len(listed), 'member')}")


def _native(part: Grammar | str, name: str = "a part") -> NativeGrammar | str:
    if isinstance(part, str):
        return part
    native = getattr(part, "_native", None)
    if not isinstance(native, NativeGrammar):
        raise TypeError(f"{name} is a maskwright.Grammar or a str, not {type(part).__name__}")
    return native


def _mark(mark: str | Grammar) -> _Mark:
    if isinstance(mark, str):
        return mark, False, True
    recipe: tuple[str, dict[str, Any]] = getattr(mark, "_recipe", ("", {}))
    kind, arguments = recipe
    if kind == "token":
        return arguments["token"], True, arguments["also_text"]
    if kind == "text":
        return arguments["value"], False, True
    raise TypeError(
        "what is watched for in free text is a str or a token made by Grammar.token, not "
        f"{mark if kind else type(mark).__name__}"
    )


def _check_forbidden(forbidden: list[str], marks: list[_Mark]) -> None:
    watched = {mark[0] for mark in marks if mark[2]}
    for value in forbidden:
        if value in watched:
            raise GrammarError(f"{value!r} is forbidden, and yet a tag or a stop; leave one of the two out")


def _checked_token(value: str | SupportsIndex) -> str | int:
    if isinstance(value, str):
        if not value:
            raise GrammarError("the name of a token is empty; give its name, such as '<|im_end|>', or its id")
        return value
    token_id = integer(value, "a token that is not given by its name")
    if not 0 <= token_id <= _GREATEST_TOKEN_ID:
        raise GrammarError(f"the token id {told(token_id)} is out of range; ids count from 0")
    return token_id


def _checked_bounds(minimum: SupportsIndex, maximum: SupportsIndex | None) -> tuple[int, int | None]:
    least = _checked_bound(minimum, "minimum")
    return least, None if maximum is None else _checked_bound(maximum, "maximum")


def _checked_bound(value: SupportsIndex, name: str) -> int:
    times = integer(value, name)
    if not 0 <= times <= MOST_REPETITIONS:
        raise GrammarError(f"{told(times)} repetitions are out of range; give 0 to {MOST_REPETITIONS}")
    return times


def _quoted(kind: str, value: str | int) -> str:
    shown = value[:57] + "..." if isinstance(value, str) and len(value) > 60 else value
    return f"{kind} {shown!r}"
