"""Calls as OpenAI's Chat Completions interface has them, in messages of a conversation so far.

Takes an entry of a message's ``tool_calls`` and gives a :class:`ToolCall`; :meth:`Message.for_openai` is the
way back. Descriptions of tools are read by :mod:`maskwright.tools`, choices by `choice`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from maskwright.checking import told
from maskwright.errors import ToolCallError
from maskwright.tool_calls.messages import ToolCall

__all__ = ["call_from_openai", "is_call_of_openai"]


def is_call_of_openai(call: Mapping[str, Any]) -> bool:
    """Whether a call looks like one of OpenAI's interface."""
    return "function" in call or "custom" in call


def call_from_openai(call: Mapping[str, Any]) -> ToolCall:
    """Reads a call of OpenAI's interface.

    Raises:
        ToolCallError: it is none; the message says why.
    """
    kind = "custom" if "custom" in call else "function"
    for key in call:
        if key not in ("id", "type", "index", kind):
            raise _error(f"{told(key)} is no part of a call of OpenAI's interface")
    if call.get("type", kind) != kind:
        raise _error(f"the type {told(call['type'])} does not go with {kind!r}")
    inner = call[kind]
    takes = "input" if kind == "custom" else "arguments"
    if not isinstance(inner, Mapping) or set(inner) != {"name", takes}:
        raise _error(f"{kind!r} holds a `name` and {takes!r}")
    return ToolCall(inner["name"], _arguments(inner[takes], kind), id=call.get("id"))


def _arguments(value: Any, kind: str) -> Any:
    if kind == "custom" or not isinstance(value, str):
        return value
    try:
        arguments = json.loads(value)
    except (ValueError, RecursionError) as error:
        raise _error(f"the arguments cannot be read as JSON: {error}") from error
    if not isinstance(arguments, dict):
        raise _error(f"the arguments are {told(arguments)}, and no object")
    return arguments


def _error(problem: str) -> ToolCallError:
    return ToolCallError(f"calls: {problem}", location="calls")
