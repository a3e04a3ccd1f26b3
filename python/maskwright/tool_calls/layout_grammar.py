"""The grammar of a layout for some tools.

Takes a layout and gives composed grammars: of one call, of all calls of a message, of whole messages. Nothing
is decided here about where calls may come; that is `constraint`'s.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import maskwright as mw
from maskwright.grammar import Grammar
from maskwright.tool_calls.arguments import ArgumentOptions, style_of
from maskwright.tool_calls.layout import ToolCallFormat
from maskwright.tool_calls.parts import (
    Arguments,
    CallId,
    JsonArguments,
    Name,
    Part,
    Segment,
    Special,
    Text,
    fixed_text,
    part_of_arguments,
)
from maskwright.tool_calls.pieces import Piece, naming
from maskwright.tools import Tool

__all__ = ["LayoutGrammar"]


@dataclass(frozen=True, slots=True)
class _Shape:
    """Ways to write a call that differ only between the name and the arguments, and behind these.

    Each of `middles` goes with each of `tails`.

    Attributes:
        head: what stands before the name.
        middles: what may stand between the name and the arguments.
        arguments: how the arguments are written.
        tails: what may stand after them; only JSON has several, which tells its end itself.
    """

    head: tuple[Part, ...]
    middles: tuple[tuple[Part, ...], ...]
    arguments: Arguments
    tails: tuple[tuple[Part, ...], ...]


@cache
def _shapes(layout: ToolCallFormat) -> tuple[_Shape, ...]:
    """All ways to write a call."""
    found: dict[tuple[tuple[Part, ...], Arguments, tuple[Part, ...]], list[tuple[Part, ...]]] = {}
    for parts in layout.calls:
        name, arguments = parts.index(Name()), part_of_arguments(parts)
        at = parts.index(arguments)
        found.setdefault((parts[:name], arguments, parts[at + 1 :]), []).append(parts[name + 1 : at])
    shapes: dict[tuple[object, ...], _Shape] = {}
    for (head, part, tail), middles in found.items():
        shape = _Shape(head, tuple(middles), part, (tail,))
        tells_its_end = isinstance(part, JsonArguments) and not part.raw_bodies
        key = (head, part, shape.middles, () if tells_its_end else tail)
        known = shapes.get(key)
        shapes[key] = shape if known is None else replace(known, tails=(*known.tails, tail))
    return tuple(shapes.values())


class _Purpose:
    """What the grammar of a tool is made for. Its hash is kept, since each of many tools is asked for it."""

    __slots__ = ("_hash", "_key")

    def __init__(self, shape: _Shape, ends: tuple[Part, ...], options: ArgumentOptions) -> None:
        self._key = (shape, ends, options)
        self._hash = hash(self._key)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Purpose) and self._key == other._key


class LayoutGrammar:
    """The grammars of one layout and some tools.

    A sequence may begin with what the generation prompt has written already; `prompt` is then taken off in
    front, and a sequence that cannot begin so is None.
    """

    def __init__(
        self, layout: ToolCallFormat, tools: Mapping[str, Tool], options: ArgumentOptions, *, parallel: bool
    ) -> None:
        self._layout = layout
        self._tools = list(tools.values())
        self._options = options
        self._make = options.pieces
        self._parallel = parallel and layout.parallel
        self._any_tool: dict[_Shape, Grammar] = {}

    def _pieces(self, parts: Sequence[Part]) -> list[Piece]:
        """The pieces of parts that are the same for all tools."""
        pieces: list[Piece] = []
        for part in parts:
            if isinstance(part, CallId):
                pieces.append(Grammar.regex(part.pattern, budget=self._make.budget))
            else:
                pieces += self._make.fixed([part])
        return pieces

    def _named(self, shape: _Shape) -> Grammar:
        """From the name to the arguments, for any of the tools."""
        if shape not in self._any_tool:
            ends = (*shape.tails[0], *self._layout.end)[:1]
            purpose = _Purpose(shape, ends, self._options)
            between = self._make.any_of([self._make.joined(self._pieces(middle)) for middle in shape.middles])
            ways = [self._of_tool(tool, shape, between, purpose) for tool in self._tools]
            self._any_tool[shape] = self._make.any_of(ways)
        return self._any_tool[shape]

    def _of_tool(self, tool: Tool, shape: _Shape, between: Grammar, purpose: _Purpose) -> Grammar:
        """From the name to the arguments, for one tool; made once for each tool and way of writing."""
        made = tool._grammars.get(purpose)
        if made is None:
            following = (*shape.tails[0], *self._layout.end)
            with naming(f"tool {tool.name!r}"):
                arguments = style_of(shape.arguments).grammar(shape.arguments, tool, following, self._options)
            middle = self._pieces(shape.middles[0]) if len(shape.middles) == 1 else [between]
            # Of threads that make it at once, all go on with what the first has made.
            made = tool._grammars.setdefault(purpose, self._make.joined([tool.name, *middle, arguments]))
        return made

    def _way(self, shape: _Shape, *, skipped: int = 0) -> Grammar:
        """A call of any tool; without some parts in front."""
        tail = self._either([self._pieces(tail) for tail in shape.tails])
        return self._make.joined([*self._pieces(shape.head[skipped:]), self._named(shape), *tail])

    def _either(self, ways: Sequence[list[Piece]]) -> list[Piece]:
        """The pieces of any of some ways; those of the only one as they are."""
        return ways[0] if len(ways) == 1 else [self._make.any_of([self._make.joined(way) for way in ways])]

    def call(self) -> Grammar:
        """Any call."""
        return self._make.any_of([self._way(shape) for shape in _shapes(self._layout)])

    def _further(self) -> list[Piece]:
        """What may follow the first call: more calls, and the end of all."""
        layout = self._layout
        pieces: list[Piece] = []
        if self._parallel:
            further = self._make.joined([*self._make.fixed(layout.separator), self.call()])
            pieces.append(Grammar.repeat(further, budget=self._make.budget))
        return [*pieces, *self._make.fixed(layout.end)]

    def section(self, prompt: str = "") -> Grammar | None:
        """All calls of a message; at least one."""
        ways = []
        for shape in _shapes(self._layout):
            # What is left of each way to begin, by how much of the call itself the prompt has written.
            begins: dict[int, list[list[Piece]]] = {}
            for begin in self._layout.begins:
                skipped = _without_prompt((*begin, *shape.head), prompt)
                if skipped is not None:
                    count, rest = skipped
                    left = self._make.fixed([*([rest] if rest is not None else []), *begin[count:]])
                    begins.setdefault(max(0, count - len(begin)), []).append(left)
            for written, left_of_each in begins.items():
                way = self._way(shape, skipped=written)
                ways.append(self._make.joined([*self._either(left_of_each), way, *self._further()]))
        return self._make.any_of(ways) if ways else None

    def tags(self) -> list[mw.Tag]:
        """What opens calls within prose, with all that follows."""
        tags = []
        for opening, content in self._openings().items():
            if len(opening) == 1:
                tags.append(mw.Tag(begin=self._make.fixed(opening)[0], content=content))
            elif self._make.typed or all(part.also_text for part in opening if isinstance(part, Special)):
                tags.append(mw.Tag(begin=fixed_text(opening), content=content))
        return tags

    def token_ways(self, forbidden: Sequence[str]) -> list[Grammar]:
        """Prose and calls, where a special token with text in front of it opens calls."""
        if self._make.typed:
            return []
        return [
            self._make.joined([self._make.rest_of_text(forbidden), *self._make.exact(opening), content])
            for opening, content in self._openings().items()
            if len(opening) > 1
        ]

    def _openings(self) -> dict[tuple[Part, ...], Grammar]:
        """What follows each way to open calls."""
        layout = self._layout
        ways: dict[tuple[Part, ...], list[Grammar]] = {}
        for shape in _shapes(layout):
            opening = layout.opening(shape.head)
            begin = self._either([self._make.fixed(begin[len(opening) :]) for begin in layout.begins])
            way = self._way(shape, skipped=max(0, len(opening) - len(layout.begin)))
            ways.setdefault(opening, []).append(self._make.joined([*begin, way, *self._further()]))
        return {opening: self._make.any_of(found) for opening, found in ways.items()}

    def triggers(self) -> list[str]:
        """The texts by which calls are known, special tokens spelled by their names."""
        return [self._layout.opening_text(parts) for parts in self._layout.calls]

    def typed_triggers(self) -> list[str]:
        """The names of exact special tokens that open calls, which prose must not spell out."""
        if self._make.typed:
            return []
        openings = [self._layout.opening(parts) for parts in self._layout.calls]
        return [
            fixed_text(opening)
            for opening in openings
            if any(isinstance(part, Special) and not part.also_text for part in opening)
        ]

    def segment(self, segment: Segment, content: Grammar | None, prompt: str = "") -> Grammar | None:
        """A segment with its beginning and end; with any text, or with a content of a grammar."""
        skipped = _without_prompt(segment.begin, prompt)
        if skipped is None:
            return None
        count, rest = skipped
        make = self._make
        begin = make.fixed([*([rest] if rest is not None else []), *segment.begin[count:]])
        if content is not None:
            margin: list[Piece] = [make.optional(segment.margin)] if segment.margin else []
            return make.joined([*begin, *margin, content, *margin, *make.fixed(segment.end)])
        if not segment.end:
            return make.joined([*begin, make.rest_of_text(self.triggers())])
        return make.joined([*begin, make.text_up_to(segment.end)])


def _without_prompt(parts: Sequence[Part], prompt: str) -> tuple[int, Text | None] | None:
    """How many parts the prompt has written, and what is left of the last; None where it wrote others."""
    for count, part in enumerate(parts):
        if not prompt:
            return count, None
        if not isinstance(part, Text | Special):
            return None
        text = fixed_text([part])
        if prompt.startswith(text):
            prompt = prompt[len(text) :]
        elif isinstance(part, Text) and text.startswith(prompt):
            return count + 1, Text(text[len(prompt) :])
        else:
            return None
    return (len(parts), None) if not prompt else None
