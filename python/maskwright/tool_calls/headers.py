"""How calls begin: the fixed texts by which a parser knows that there is one, and of which tool.

Takes a layout and tools; made once for both, and used by every parser of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise, takewhile
from types import UnionType

from maskwright.errors import ToolCallError
from maskwright.tool_calls.layout import ToolCallFormat
from maskwright.tool_calls.parts import (
    Arguments,
    CallId,
    Ending,
    JsonArguments,
    Name,
    Part,
    Special,
    XmlArguments,
    fixed_text,
)
from maskwright.tool_calls.reader import Choices, Tags
from maskwright.tools import Tool

__all__ = ["Headers", "Way", "by_header", "check_names", "identified", "special_names"]


@dataclass(frozen=True, slots=True)
class Way:
    """A way in which a call may go on.

    Attributes:
        tool: the tool that is called.
        parts: what is still to come.
    """

    tool: Tool
    parts: tuple[Part, ...]


def by_header(ways: Iterable[Way]) -> dict[str, list[Way]]:
    """Ways by the text that they begin with in any case, as what is left of them after it."""
    found: dict[str, list[Way]] = {}
    # Of many tools all have the same few parts, which are kept with what they begin with: so none has the
    # identity of others.
    known: dict[int, tuple[tuple[Part, ...], list[str], tuple[Part, ...]]] = {}
    for way in ways:
        if id(way.parts) not in known:
            known[id(way.parts)] = (way.parts, *_header_of(way.parts))
        _, around_name, left = known[id(way.parts)]
        text, rest = way.tool.name.join(around_name), Way(way.tool, left)
        if rest not in found.setdefault(text, []):
            found[text].append(rest)
    return found


def _header_of(parts: tuple[Part, ...]) -> tuple[list[str], tuple[Part, ...]]:
    """The fixed texts in front of parts, cut where names of tools stand, and the parts that are left."""
    texts = [""]
    for length, part in enumerate(parts):
        if isinstance(part, CallId | Arguments | Ending):
            return texts, parts[length:]
        if isinstance(part, Name):
            texts.append("")
        else:
            texts[-1] += fixed_text([part])
    return texts, ()


def identified(way: Way, identity: str, layout: ToolCallFormat) -> str | None:
    """What a call is known by, from the text of its identifier."""
    if not identity:
        return None
    forms = [part.identity for parts in layout.calls for part in parts if isinstance(part, CallId)]
    return forms[0].format(name=way.tool.name, text=identity)


def _go_on_alike(ways: list[Way]) -> bool:
    """Whether it is told which of some ways it is before that matters: by an identifier, or behind JSON."""
    if all(isinstance(way.parts[0], CallId) for way in ways):
        return True
    first = ways[0]
    arguments = first.parts[0]
    if not isinstance(arguments, JsonArguments) or arguments.raw_bodies:
        return False
    if any((way.tool, way.parts[0]) != (first.tool, arguments) for way in ways):
        return False
    behind = sorted(by_header(Way(way.tool, way.parts[1:]) for way in ways))
    # Sorted, a text that begins others stands right before one of them.
    is_apart = not any(after.startswith(before) for before, after in pairwise(behind))
    return is_apart and len(behind) == len(ways)


class Headers:
    """How calls of some tools begin, and what may stand where they may. Immutable.

    Attributes:
        further: the beginnings of calls up to the first part that is not fixed, with the ways to go on.
        begins: what may stand before the first call.
        first: how the first call begins, with what stands before it.
        next: how a call begins that follows another, with the separator.
        after_call: `next`, and what closes the last call.
        openings: `first`, what makes prose a call before the tool is known, and what prose begins with. Where
            the content has a form, which may hold such a text, only `first` makes it a call.
        tags: what ends prose: what opens the first call, with the gap before it.
        segments: `first`, and how segments of content begin.
        segments_and_reasoning: the same, and how reasoning begins.
        specials: the names of the special tokens that the layout has.
        endings: those of them that do nothing but end a text, here or there. Stop tokens may come wherever a
            text is complete, so that a call may end as content does.

    Raises:
        ToolCallError: two ways to write a call cannot be told apart.
    """

    def __init__(
        self, layout: ToolCallFormat, tools: Mapping[str, Tool], *, content_has_form: bool = False
    ) -> None:
        separator, end = fixed_text(layout.separator), fixed_text(layout.end)
        self.further = by_header(Way(tool, parts) for parts in layout.calls for tool in tools.values())
        for text, ways in self.further.items():
            if len(ways) > 1 and not _go_on_alike(ways):
                raise ToolCallError(
                    f"format {layout.name!r}: two ways to write a call begin alike, with {text!r}",
                    location=layout.name,
                )
        self.begins = [fixed_text(begin) for begin in layout.begins]
        self.first = Choices(begin + text for begin in self.begins for text in self.further)
        self.next = Choices(separator + text for text in self.further)
        self.after_call = Choices([*self.next.texts, *([end] if end else [])])
        openings = set(self.first.texts)
        if layout.reserved is None and tools and not content_has_form:
            openings.update(layout.opening_text(parts) for parts in layout.calls)
        self.openings = Choices([*openings, fixed_text(layout.content[0].begin)])
        tags = Tags(openings).texts
        self.tags = Tags([gap + tag for gap in {layout.gap, ""} for tag in tags])
        kinds = [fixed_text(segment.begin) for segment in layout.content]
        reasoning = [] if layout.reasoning is None else [fixed_text(layout.reasoning.begin)]
        self.segments = Choices([*self.first.texts, *kinds])
        self.segments_and_reasoning = Choices([*self.segments.texts, *reasoning])
        self.specials = special_names(layout)
        self.endings = self.specials - frozenset(_names_of(layout, Special))


def check_names(layout: ToolCallFormat, names: Collection[str]) -> None:
    """Checks that no call of a tool begins just as content or reasoning does.

    Raises:
        ToolCallError: one does.
    """
    segments = [*layout.content, *([layout.reasoning] if layout.reasoning is not None else [])]
    beginnings = {text for segment in segments if segment.begin for text in segment.beginnings}
    if not beginnings:
        return
    for parts in layout.calls:
        at = parts.index(Name())
        if any(isinstance(part, CallId) for part in parts[:at]):
            continue
        after = tuple(takewhile(lambda part: not isinstance(part, CallId | Arguments), parts[at + 1 :]))
        before, behind = [fixed_text((*begin, *parts[:at])) for begin in layout.begins], fixed_text(after)
        for name in names:
            if any(f"{text}{name}{behind}" in beginnings for text in before):
                raise ToolCallError(
                    f"format {layout.name!r}: a call of the tool {name!r} would begin as content does; "
                    "rename it",
                    location=name,
                )


def special_names(layout: ToolCallFormat) -> frozenset[str]:
    """The names of the special tokens that a layout has, those that end a text too."""
    return frozenset(_names_of(layout, Special | Ending))


def _names_of(layout: ToolCallFormat, kind: type[Special] | UnionType) -> Iterator[str]:
    segments = [*layout.content, *([layout.reasoning] if layout.reasoning is not None else [])]
    groups = [*layout.begins, layout.separator, layout.end, *layout.calls]
    groups += [group for segment in segments for group in (segment.begin, segment.end)]
    for group in groups:
        for part in group:
            inner: tuple[object, ...] = (part,)
            if isinstance(part, XmlArguments):
                inner = (*part.opening, *part.closing, *part.separator)
            yield from (piece.name for piece in inner if isinstance(piece, kind))
