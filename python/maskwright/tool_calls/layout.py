"""The language in which a tool-call format is described.

A :class:`ToolCallFormat` is data: sequences of parts, such as ``(Text("<function="), Name(), Text(">"))``.
The grammar, the parser and the renderer are all derived from it, by `grammar`, `streaming` and `render`, so
that they cannot drift apart. Nothing here knows about vocabularies, schemas or text.

| part | in the text |
|---|---|
| :class:`Text` | exactly these characters |
| :class:`Special` | a special token; or, where that is allowed, its name typed as characters |
| :class:`Ending` | a special token that ends the text, where the caller has not taken it off |
| :class:`Name` | the name of the tool |
| :class:`CallId` | an identifier of the call |
| :class:`JsonArguments`, :class:`XmlArguments`, :class:`PythonArguments` | the arguments |

A message is made of segments: reasoning, content, calls. Content is prose between the calls, unless it has a
beginning and an end of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from maskwright.checking import string
from maskwright.errors import ToolCallError

__all__ = [
    "Arguments",
    "CallId",
    "Ending",
    "JsonArguments",
    "Key",
    "Name",
    "Part",
    "PythonArguments",
    "Segment",
    "Special",
    "StringMark",
    "Text",
    "ToolCallFormat",
    "XmlArguments",
    "fixed_text",
    "part_of_arguments",
]


@dataclass(frozen=True, slots=True)
class Text:
    """Exactly these characters.

    Attributes:
        text: the characters, at least one.
    """

    text: str


@dataclass(frozen=True, slots=True)
class Special:
    """A special token of the model's vocabulary.

    Attributes:
        name: its name, such as ``"<|call|>"``.
        also_text: whether the characters of its name mean the same where they are typed; needed for models
            whose vocabularies may lack the token.
    """

    name: str
    also_text: bool = False


@dataclass(frozen=True, slots=True)
class Ending:
    """A special token that ends the whole text. Servers take it off; parsers accept it, grammars let it come.

    Attributes:
        name: its name, such as ``"<|return|>"``.
    """

    name: str


@dataclass(frozen=True, slots=True)
class Name:
    """The name of the tool that is called."""


@dataclass(frozen=True, slots=True)
class CallId:
    """An identifier that the model gives the call.

    Attributes:
        pattern: a regular expression for what stands in the text, in the common syntax of :mod:`re` and
            :meth:`maskwright.Grammar.regex`. It must not match the beginning of the part that follows.
        identity: what the call is known by, with ``{name}`` and ``{text}`` in it.
        written: what to write where a call has no identifier of its own, with ``{number}``, counted from 0.
    """

    pattern: str
    identity: str = "{text}"
    written: str = "{number}"


@dataclass(frozen=True, slots=True)
class JsonArguments:
    """The arguments as one JSON object.

    Attributes:
        raw_bodies: whether the text of a custom tool stands here as it is; it is then read up to the part
            that follows.
    """

    raw_bodies: bool = False


@dataclass(frozen=True, slots=True)
class PythonArguments:
    """The arguments as those of a call in Python: ``city="Rome", days=3``."""


@dataclass(frozen=True, slots=True)
class Key:
    """The name of a parameter, within :class:`XmlArguments`."""


@dataclass(frozen=True, slots=True)
class StringMark:
    """What says whether the value of a parameter is a string, within :class:`XmlArguments`.

    Attributes:
        string: what stands before strings.
        other: what stands before other values.
    """

    string: str = "true"
    other: str = "false"


@dataclass(frozen=True, slots=True)
class XmlArguments:
    """The arguments one by one, each between an opening and a closing.

    A string is written as it is, anything else as JSON. The custom text of a tool is a parameter `input`.

    Attributes:
        opening: what stands before a value; it has a :class:`Key` in it.
        closing: what stands after it. No string may have it in it.
        separator: what stands between two parameters.
    """

    opening: tuple[Part | Key | StringMark, ...]
    closing: tuple[Part, ...]
    separator: tuple[Part, ...] = ()


Arguments = JsonArguments | PythonArguments | XmlArguments
Part = Text | Special | Ending | Name | CallId | Arguments


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of text of one kind.

    Attributes:
        begin: what stands before the text.
        end: what stands after it; nothing where a call or the end of the message ends it.
        margin: white space that may stand at either end of the text and is no part of it.
        after: white space that may follow `end`.
        before_calls: for content: whether calls may follow.
        last: for content: whether it may be the last segment.
        repeated: whether there may be several.
    """

    begin: tuple[Part, ...] = ()
    end: tuple[Part, ...] = ()
    margin: str = ""
    after: str = ""
    before_calls: bool = True
    last: bool = True
    repeated: bool = False


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
        separator: what stands between two calls.
        end: what stands after the last call.
        gap: white space between content and calls, which is no part of the content.
        placement: whether calls may come after content, or only instead of it.
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

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not re.fullmatch(r"[a-z0-9][a-z0-9_.-]*", self.name):
            raise self._error("name", f"{self.name!r} is no name; use lower-case letters, digits and `_ . -`")
        self._check_types()
        for number, call in enumerate(self.calls):
            self._check_call("call" if number == 0 else f"other_calls[{number - 1}]", call)
        for field, parts in (("begin", self.begin), ("end", self.end), ("separator", self.separator)):
            if not all(isinstance(part, Text | Special) for part in parts):
                raise self._error(field, "only Text and Special may stand here")
            self._check_fixed(field, parts)
        if not self.content:
            raise self._error("content", "at least one kind of content is needed, such as Segment()")
        if self.reserved is None and not isinstance((self.begin + self.call)[0], Text | Special):
            raise self._error("call", "a call has to begin with a Text or a Special by which it is known")

    @property
    def calls(self) -> tuple[tuple[Part, ...], ...]:
        """All ways to write a call, the one that is written first."""
        return (self.call, *self.other_calls)

    def opening(self, call: tuple[Part, ...]) -> tuple[Part, ...]:
        """The parts by which prose becomes a call, whatever the tool: one, or a token with text around."""
        whole = self.begin + call
        if not (isinstance(whole[0], Text) and len(whole) > 1 and isinstance(whole[1], Special)):
            return whole[:1]
        length = 2
        while length < len(whole) and isinstance(whole[length], Text | Special):
            length += 1
        return whole[:length]

    def opening_text(self, call: tuple[Part, ...]) -> str:
        """The text of :meth:`opening`."""
        return fixed_text(self.opening(call))

    @property
    def is_prose(self) -> bool:
        """Whether content ends only where calls begin, or at the end of the message."""
        return not self.content[0].end

    def _check_types(self) -> None:
        for field in ("models", "call", "other_calls", "begin", "separator", "end", "content", "prompt"):
            value = getattr(self, field)
            if not isinstance(value, tuple):
                raise TypeError(f"format {self.name!r}: {field} is a tuple, not {type(value).__name__}")
        string(self.gap, f"format {self.name!r}: gap")

    def _check_fixed(self, field: str, parts: tuple[Part, ...]) -> None:
        for part in parts:
            if isinstance(part, Text | Special | Ending) and not fixed_text([part]):
                raise self._error(field, f"{part!r} is empty; leave it out")

    def _check_call(self, field: str, parts: tuple[Part, ...]) -> None:
        kinds = [type(part) for part in parts]
        if kinds.count(Name) != 1 or sum(isinstance(part, Arguments) for part in parts) != 1:
            raise self._error(field, "a call has one Name and one kind of arguments")
        if kinds.count(CallId) > 1:
            raise self._error(field, "a call has one CallId at most")
        self._check_fixed(field, parts)
        arguments = part_of_arguments(parts)
        following = parts[parts.index(arguments) + 1 :] + self.end
        needs_end = not isinstance(arguments, JsonArguments) or arguments.raw_bodies
        if needs_end and not (following and isinstance(following[0], Text | Special | Ending)):
            raise self._error(field, "such arguments need a Text or a Special behind them, where they end")
        if isinstance(arguments, XmlArguments):
            if [type(part) for part in arguments.opening].count(Key) != 1:
                raise self._error(field, "the opening of a parameter has one Key")
            if not fixed_text(arguments.closing):
                raise self._error(field, "the closing of a parameter cannot be empty")

    def _error(self, field: str, problem: str) -> ToolCallError:
        location = f"format {self.name!r}, {field}"
        return ToolCallError(f"{location}: {problem}", location=location)


def part_of_arguments(parts: Sequence[Part]) -> Arguments:
    """The one part of a call that says how its arguments are written."""
    return next(part for part in parts if isinstance(part, Arguments))


def fixed_text(parts: Sequence[Part | Key | StringMark]) -> str:
    """The text of parts that are the same in every message, special tokens spelled by their names.

    Example:
        >>> fixed_text((Special("<|call|>"), Text("!")))
        '<|call|>!'
    """
    return "".join(_fixed_pieces(parts))


def _fixed_pieces(parts: Sequence[Part | Key | StringMark]) -> Iterator[str]:
    for part in parts:
        if isinstance(part, Text):
            yield part.text
        elif isinstance(part, Special | Ending):
            yield part.name
        else:
            raise TypeError(f"{part!r} has no fixed text")
