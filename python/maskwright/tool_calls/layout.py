"""The language in which a tool-call format is described.

A :class:`ToolCallFormat` is data: sequences of parts, such as ``(Text("<function="), Name(), Text(">"))``;
which there are is said in `parts`. The grammar, the parser and the renderer are all derived from it, by
`layout_grammar`, `streaming` and `render`, so that they cannot drift apart; what they could not all hold to
is refused by `layout_checks`. Nothing here knows about vocabularies, schemas or text.

A message is made of segments: reasoning, content, calls. Content is prose between the calls, unless it has a
beginning and an end of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from maskwright.tool_calls.layout_checks import check_format
from maskwright.tool_calls.parts import Part, Segment, Special, Text, fixed_text

__all__ = ["ToolCallFormat"]


@dataclass(frozen=True, slots=True)
class ToolCallFormat:
    r"""How a family of models writes messages with tool calls.

    Attributes:
        name: the name for :func:`maskwright.tool_calls.get_format`.
        models: the models that write it.
        source: where the layout is documented.
        call: one call.
        other_calls: other ways to write one, which are accepted; written only for a call with an identifier
            that has no place in `call`.
        begin: what stands before the first call.
        other_begins: other texts that may stand there, which are accepted, and never written.
        separator: what stands between two calls.
        end: what stands after the last call.
        gap: white space that may stand between content and calls, and is no part of the content.
        placement: whether calls may come after content, ``"anywhere"``, or only instead of it, ``"start"``.
        reserved: where calls come only instead of content: a regular expression of what content must not
            begin like; None for what opens calls.
        content: the kinds of content; by default prose.
        reasoning: the segment of reasoning, or None where the models have none.
        reasoning_opened: whether the generation prompt, by default, ends inside the reasoning.
        prompt: what the generation prompt has already written of the first segment.
        parallel: whether a message may have several calls.

    Raises:
        ToolCallError: a field cannot be so; it says which, and why.
        TypeError: a field is of another type.

    Example:
        >>> import maskwright as mw
        >>> from maskwright.tool_calls import JsonArguments, Name, Text, ToolCallFormat
        >>> mine = ToolCallFormat(
        ...     name="mine",
        ...     models=("My model",),
        ...     source="its chat template",
        ...     call=(Text("CALL "), Name(), Text(" "), JsonArguments(), Text("\n")),
        ... )
        >>> mw.ToolCalls([mw.Tool("now")], format=mine).render([{"name": "now"}])
        'CALL now {}\n'
    """

    name: str
    models: tuple[str, ...]
    source: str
    call: tuple[Part, ...]
    other_calls: tuple[tuple[Part, ...], ...] = ()
    begin: tuple[Part, ...] = ()
    separator: tuple[Part, ...] = ()
    end: tuple[Part, ...] = ()
    gap: str = ""
    placement: Literal["anywhere", "start"] = "anywhere"
    reserved: str | None = None
    content: tuple[Segment, ...] = (Segment(),)
    reasoning: Segment | None = None
    reasoning_opened: bool = False
    prompt: tuple[Part, ...] = ()
    parallel: bool = True
    other_begins: tuple[tuple[Part, ...], ...] = ()

    def __post_init__(self) -> None:
        check_format(self)

    @property
    def calls(self) -> tuple[tuple[Part, ...], ...]:
        """All ways to write a call, the one that is written first."""
        return (self.call, *self.other_calls)

    @property
    def begins(self) -> tuple[tuple[Part, ...], ...]:
        """All that may stand before the first call, what is written first."""
        return (self.begin, *self.other_begins)

    def opening(self, call: tuple[Part, ...]) -> tuple[Part, ...]:
        """The parts by which prose becomes a call, whatever the tool: one, or a token with text around.

        Args:
            call: how the call is written: `call`, or one of `other_calls`.

        Example:
            >>> from maskwright.tool_calls import get_format
            >>> hermes = get_format("hermes")
            >>> hermes.opening(hermes.call)
            (Special(name='<tool_call>', also_text=True),)
        """
        whole = self.begin + call
        if not (isinstance(whole[0], Text) and len(whole) > 1 and isinstance(whole[1], Special)):
            return whole[:1]
        length = 2
        while length < len(whole) and isinstance(whole[length], Text | Special):
            length += 1
        return whole[:length]

    def opening_text(self, call: tuple[Part, ...]) -> str:
        """The text of :meth:`opening`.

        Example:
            >>> from maskwright.tool_calls import get_format
            >>> hermes = get_format("hermes")
            >>> hermes.opening_text(hermes.call)
            '<tool_call>'
        """
        return fixed_text(self.opening(call))

    @property
    def is_prose(self) -> bool:
        """Whether content ends only where calls begin, or at the end of the message."""
        return not self.content[0].end
