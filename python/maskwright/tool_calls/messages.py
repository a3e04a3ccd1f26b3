"""What a model's text means: messages with calls, and the events of a message that is still being written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = [
    "ArgumentsDelta",
    "CallFinished",
    "CallStarted",
    "ContentDelta",
    "Event",
    "Message",
    "ReasoningDelta",
    "ToolCall",
]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool.

    Attributes:
        name: the tool.
        arguments: the arguments by name; the text, for a custom tool.
        raw: the arguments as they stand in the model's text; ``""`` for a call that was not read from one.
        id: the identifier that the model gave it, or None.
    """

    name: str
    arguments: dict[str, Any] | str
    raw: str = ""
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """What a model wrote.

    Attributes:
        content: the prose, of all places together.
        calls: the calls, in their order.
        reasoning: the reasoning, or None where there was none.
        is_complete: whether the text ended where a message may end. Otherwise it was cut off, and a call that
            was begun is not among `calls`.
    """

    content: str = ""
    calls: tuple[ToolCall, ...] = ()
    reasoning: str | None = None
    is_complete: bool = True


@dataclass(frozen=True, slots=True)
class ContentDelta:
    """More prose.

    Attributes:
        text: what is new.
    """

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """More reasoning.

    Attributes:
        text: what is new.
    """

    text: str


@dataclass(frozen=True, slots=True)
class CallStarted:
    """A call has begun, and its tool is known.

    Attributes:
        index: the number of the call, counted from 0.
        name: the tool.
        id: the identifier, where the model writes it before the arguments.
    """

    index: int
    name: str
    id: str | None = None


@dataclass(frozen=True, slots=True)
class ArgumentsDelta:
    """More of the arguments.

    The texts of one call together are JSON that means its arguments, whatever the format; for a custom tool
    they are its text.

    Attributes:
        index: the number of the call.
        text: what is new.
    """

    index: int
    text: str


@dataclass(frozen=True, slots=True)
class CallFinished:
    """A call is complete.

    Attributes:
        index: the number of the call.
        call: the call.
    """

    index: int
    call: ToolCall


Event = ContentDelta | ReasoningDelta | CallStarted | ArgumentsDelta | CallFinished
