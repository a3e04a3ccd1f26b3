"""What a model's text means: messages with calls, and the events of a message that is still being written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from maskwright import nested_json
from maskwright.tool_calls.arguments.json_arguments import INPUT, json_of

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
    r"""A call of a tool. It has no hash, since its arguments have none.

    Attributes:
        name: the tool.
        arguments: the arguments by name; the text, for a custom tool.
        raw: the arguments as they stand in the model's text; ``""`` for a call that was not read from one.
        id: the identifier that the model gave it, or None.

    Example:
        >>> import maskwright as mw
        >>> calls = mw.ToolCalls([mw.Tool("now")], format="hermes")
        >>> calls.parse('<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>').calls[0]
        ToolCall(name='now', arguments={}, raw='{}', id=None)
    """

    name: str
    arguments: dict[str, Any] | str
    raw: str = ""
    id: str | None = None

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True, slots=True)
class Message:
    """What a model wrote. It has no hash, since arguments have none.

    Attributes:
        content: the prose, of all places together.
        calls: the calls, in their order.
        reasoning: the reasoning, or None where there was none.
        is_complete: whether the text ended where a message may end. Otherwise it was cut off, and a call that
            was begun is not among `calls`.

    Example:
        >>> import maskwright as mw
        >>> calls = mw.ToolCalls([mw.Tool("now")], format="hermes")
        >>> calls.parse("It is late.")
        Message(content='It is late.', calls=(), reasoning=None, is_complete=True)
    """

    content: str = ""
    calls: tuple[ToolCall, ...] = ()
    reasoning: str | None = None
    is_complete: bool = True

    __hash__ = None  # type: ignore[assignment]

    def for_openai(self, new_id: Callable[[], str] | None = None) -> dict[str, Any]:
        """The message as OpenAI's Chat Completions interface has it, and as chat templates read it.

        Args:
            new_id: gives the identifier of a call to which the model gave none; by default ``call_`` and 24
                random hexadecimal digits.

        Returns:
            ``role``, ``content`` (None beside calls where there is no prose) and, where there are any,
            ``reasoning_content``, as inference servers call it, and ``tool_calls``, whose arguments are JSON
            text. A custom tool's call is of the type ``custom``. :meth:`ToolCalls.render` takes all of them
            again.

        Raises:
            ToolCallError: something in the arguments is not JSON, or is nested too deeply.

        Example:
            >>> message = Message(calls=(ToolCall("weather", {"city": "Rome"}, id="call_1"),))
            >>> message.for_openai()["tool_calls"][0]["function"]
            {'name': 'weather', 'arguments': '{"city": "Rome"}'}
        """
        written: dict[str, Any] = {"role": "assistant", "content": self.content}
        if self.reasoning is not None:
            written["reasoning_content"] = self.reasoning
        if self.calls:
            written["content"] = self.content or None
            written["tool_calls"] = [_for_openai(call, new_id or _new_call_id) for call in self.calls]
        return written

    def for_anthropic(self, new_id: Callable[[], str] | None = None) -> dict[str, Any]:
        """The message as Anthropic's Messages interface has it: one block for each thing that was written.

        Args:
            new_id: gives the identifier of a call to which the model gave none; by default ``toolu_`` and 24
                random hexadecimal digits.

        Returns:
            ``role`` and ``content``, a list of blocks: ``thinking``, ``text``, and ``tool_use`` for a call,
            whose ``input`` is an object. What is empty has no block, as that interface asks for. The text of
            a custom tool, which it does not know, is the member ``input`` of the object. The ``signature`` of
            a ``thinking`` block is empty: only Anthropic signs, and takes only what it has signed.

        Raises:
            ToolCallError: something in the arguments is not JSON, or is nested too deeply.

        Example:
            >>> message = Message("One moment.", (ToolCall("weather", {"city": "Rome"}, id="toolu_1"),))
            >>> message.for_anthropic()["content"][1]
            {'type': 'tool_use', 'id': 'toolu_1', 'name': 'weather', 'input': {'city': 'Rome'}}
        """
        blocks: list[dict[str, Any]] = []
        if self.reasoning:
            blocks.append({"type": "thinking", "thinking": self.reasoning, "signature": ""})
        if self.content:
            blocks.append({"type": "text", "text": self.content})
        blocks += [_for_anthropic(call, new_id or _new_tool_use_id) for call in self.calls]
        return {"role": "assistant", "content": blocks}


def _new_tool_use_id() -> str:
    return f"toolu_{uuid4().hex[:24]}"


def _for_anthropic(call: ToolCall, new_id: Callable[[], str]) -> dict[str, Any]:
    identifier = new_id() if call.id is None else call.id
    arguments = {INPUT: call.arguments} if isinstance(call.arguments, str) else call.arguments
    # Read again, so that what is done to the one does nothing to the other.
    taken = nested_json.loads(json_of(arguments, call.name))
    return {"type": "tool_use", "id": identifier, "name": call.name, "input": taken}


def _new_call_id() -> str:
    return f"call_{uuid4().hex[:24]}"


def _for_openai(call: ToolCall, new_id: Callable[[], str]) -> dict[str, Any]:
    identifier = new_id() if call.id is None else call.id
    if isinstance(call.arguments, str):
        custom = {"name": call.name, "input": call.arguments}
        return {"id": identifier, "type": "custom", "custom": custom}
    text = nested_json.without_surrogates(json_of(call.arguments, call.name))
    return {"id": identifier, "type": "function", "function": {"name": call.name, "arguments": text}}


@dataclass(frozen=True, slots=True)
class ContentDelta:
    """More prose.

    Attributes:
        text: what is new.

    Example:
        >>> import maskwright as mw
        >>> calls = mw.ToolCalls([mw.Tool("now")], format="hermes")
        >>> calls.parser().feed("It is late.")
        [ContentDelta(text='It is late.')]
    """

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    r"""More reasoning.

    Attributes:
        text: what is new.

    Example:
        >>> import maskwright as mw
        >>> calls = mw.ToolCalls([mw.Tool("now")], format="hermes")
        >>> calls.parser().feed("<think>\nThe clock")
        [ReasoningDelta(text='The clock')]
    """

    text: str


@dataclass(frozen=True, slots=True)
class CallStarted:
    r"""A call has begun, and its tool is known.

    Attributes:
        index: the number of the call, counted from 0.
        name: the tool.
        id: the identifier, where the model writes it before the arguments.

    Example:
        >>> import maskwright as mw
        >>> calls = mw.ToolCalls([mw.Tool("now")], format="hermes")
        >>> calls.parser().feed('<tool_call>\n{"name": "now", "arguments": ')
        [CallStarted(index=0, name='now', id=None)]
    """

    index: int
    name: str
    id: str | None = None


@dataclass(frozen=True, slots=True)
class ArgumentsDelta:
    r"""More of the arguments.

    The texts of one call together are JSON that means its arguments, whatever the format; for a custom tool
    they are its text.

    Attributes:
        index: the number of the call.
        text: what is new.

    Example:
        >>> import maskwright as mw
        >>> calls = mw.ToolCalls([mw.Tool("now")], format="hermes")
        >>> calls.parser().feed('<tool_call>\n{"name": "now", "arguments": {"zone": "C')[1]
        ArgumentsDelta(index=0, text='{"zone": "C')
    """

    index: int
    text: str


@dataclass(frozen=True, slots=True)
class CallFinished:
    r"""A call is complete. This has no hash, since its arguments have none.

    Attributes:
        index: the number of the call.
        call: the call.

    Example:
        >>> import maskwright as mw
        >>> calls = mw.ToolCalls([mw.Tool("now")], format="hermes")
        >>> text = '<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>'
        >>> calls.parser().feed(text)[-1]
        CallFinished(index=0, call=ToolCall(name='now', arguments={}, raw='{}', id=None))
    """

    index: int
    call: ToolCall

    __hash__ = None  # type: ignore[assignment]


Event = ContentDelta | ReasoningDelta | CallStarted | ArgumentsDelta | CallFinished
