"""The parts that a tool-call format is made of.

Each is data, and says what stands at a place of the text; what may be made of them is `layout`'s.

| part | in the text |
|---|---|
| :class:`Text` | exactly these characters |
| :class:`Special` | a special token; or, where that is allowed, its name typed as characters |
| :class:`Ending` | a special token that ends the text, where the caller has not taken it off |
| :class:`Name` | the name of the tool |
| :class:`CallId` | an identifier of the call |
| :class:`JsonArguments`, :class:`XmlArguments`, :class:`PythonArguments` | the arguments |
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

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
    "XmlArguments",
    "fixed_text",
    "leading_text",
    "part_of_arguments",
]


@dataclass(frozen=True, slots=True)
class Text:
    """Exactly these characters.

    Attributes:
        text: the characters, at least one.

    Example:
        >>> import maskwright as mw
        >>> mw.tool_calls.get_format("functools").begin
        (Text(text='functools['),)
    """

    text: str


@dataclass(frozen=True, slots=True)
class Special:
    """A special token of the model's vocabulary.

    Attributes:
        name: its name, such as ``"<|call|>"``.
        also_text: whether the characters of its name mean the same where they are typed; needed for models
            whose vocabularies may lack the token.

    Example:
        >>> import maskwright as mw
        >>> mw.tool_calls.get_format("qwen3").reasoning.begin
        (Special(name='<think>', also_text=True),)
    """

    name: str
    also_text: bool = False


@dataclass(frozen=True, slots=True)
class Ending:
    """A special token that ends the whole text. Servers take it off; parsers accept it, grammars let it come.

    So it is the last part of the only call, or all that ends a segment.

    Attributes:
        name: its name, such as ``"<|return|>"``.

    Example:
        >>> import maskwright as mw
        >>> mw.tool_calls.get_format("gpt-oss").call[-1]
        Ending(name='<|call|>')
    """

    name: str


@dataclass(frozen=True, slots=True)
class Name:
    """The name of the tool that is called.

    Example:
        >>> import maskwright as mw
        >>> mw.tool_calls.get_format("functionary-v3.1").call[:3]
        (Text(text='<function='), Name(), Text(text='>'))
    """


@dataclass(frozen=True, slots=True)
class CallId:
    """An identifier that the model gives the call.

    Attributes:
        pattern: a regular expression for what stands in the text, in the common syntax of :mod:`re` and
            :meth:`maskwright.Grammar.regex`. A Text or a Special follows, where the identifier ends; the
            pattern must not match the beginning of it.
        identity: what the call is known by, with ``{text}`` in it once, and with ``{name}``.
        written: what to write where a call has no identifier of its own, with ``{number}``, counted from 0;
            the pattern matches it.

    Example:
        >>> import maskwright as mw
        >>> tool, identifier = mw.Tool("now"), CallId(pattern="[0-9]+", written="{number}")
        >>> call = (Text("@"), Name(), Text(":"), identifier, Text(" "), JsonArguments())
        >>> mine = mw.tool_calls.ToolCallFormat(name="mine", models=("mine",), source="here", call=call)
        >>> mw.ToolCalls([tool], format=mine).parse("@now:7 {}").calls[0].id
        '7'
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

    Example:
        >>> import maskwright as mw
        >>> mw.tool_calls.get_format("functionary-v3.2").call[-1]
        JsonArguments(raw_bodies=False)
    """

    raw_bodies: bool = False


@dataclass(frozen=True, slots=True)
class PythonArguments:
    """The arguments as those of a call in Python: ``city="Rome", days=3``. They end where a ``)`` follows.

    Example:
        >>> import maskwright as mw
        >>> mw.ToolCalls([mw.Tool("weather")], format="pythonic").render(
        ...     [{"name": "weather", "arguments": {"city": "Rome", "days": 3}}]
        ... )
        '[weather(city="Rome", days=3)]'
    """


@dataclass(frozen=True, slots=True)
class Key:
    """The name of a parameter, within :class:`XmlArguments`.

    Example:
        >>> XmlArguments(opening=(Text("<"), Key(), Text(">")), closing=(Text("</>"),)).opening[1]
        Key()
    """


@dataclass(frozen=True, slots=True)
class StringMark:
    """What says whether the value of a parameter is a string, within :class:`XmlArguments`.

    Attributes:
        string: what stands before strings.
        other: what stands before other values.

    Example:
        >>> opening = (Text('<"'), Key(), Text('" string="'), StringMark(), Text('">'))
        >>> XmlArguments(opening=opening, closing=(Text("</>"),)).opening[3]
        StringMark(string='true', other='false')
    """

    string: str = "true"
    other: str = "false"


@dataclass(frozen=True, slots=True)
class XmlArguments:
    r"""The arguments one by one, each between an opening and a closing.

    A string is written as it is, anything else as JSON. The custom text of a tool is a parameter `input`.

    Attributes:
        opening: what stands before a value; it has a :class:`Key` in it, between other text.
        closing: what stands after it. No string may have it in it.
        separator: what stands between two parameters.
        after: white space behind the last parameter; it may be missing where there is no parameter at all.

    Example:
        >>> import maskwright as mw
        >>> mw.tool_calls.get_format("qwen3-coder").call[4].opening
        (Text(text='<parameter='), Key(), Text(text='>\n'))
    """

    opening: tuple[Part | Key | StringMark, ...]
    closing: tuple[Part, ...]
    separator: tuple[Part, ...] = ()
    after: str = ""


Arguments = JsonArguments | PythonArguments | XmlArguments
Part = Text | Special | Ending | Name | CallId | Arguments


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of text of one kind.

    Attributes:
        begin: what stands before the text.
        end: what stands after it; nothing for prose, which a call or the end of the message ends.
        margin: white space that may stand at either end of the text and is no part of it.
        after: for reasoning: white space that may follow `end`.
        before_calls: for content with an end: whether calls may follow.
        last: for content with an end: whether it may be the last segment.
        repeated: whether there may be several. Of content that is not repeated, one segment may stand before
            calls.
        before: for reasoning before prose: white space that may precede `begin`.

    Example:
        >>> import maskwright as mw
        >>> mw.tool_calls.get_format("qwen3").reasoning.end
        (Special(name='</think>', also_text=True),)
    """

    begin: tuple[Part, ...] = ()
    end: tuple[Part, ...] = ()
    margin: str = ""
    after: str = ""
    before_calls: bool = True
    last: bool = True
    repeated: bool = False
    before: str = ""

    @property
    def beginnings(self) -> tuple[str, ...]:
        """The texts that it may begin with, the one that is written first."""
        begin = fixed_text(self.begin)
        return (self.before + begin, begin) if self.before else (begin,)


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


def leading_text(parts: Sequence[Part]) -> str:
    """The text that some parts begin with in every message, up to the first that may differ or be missing.

    Example:
        >>> leading_text((Text("CALL "), Special("<|name|>"), Name(), Text("!")))
        'CALL <|name|>'
    """
    return fixed_text(tuple(takewhile(lambda part: isinstance(part, Text | Special), parts)))
