"""Calls that are to be written, in each form in which they are given.

Takes a :class:`ToolCall`, a dict with its parts, or an entry of ``tool_calls`` of a message of OpenAI's Chat
Completions interface, and gives a :class:`ToolCall`; :meth:`Message.for_openai` is the way back to the last.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from maskwright.checking import told
from maskwright.errors import ToolCallError
from maskwright.tool_calls.arguments.numbers import json_value
from maskwright.tool_calls.arguments.schema_view import type_of
from maskwright.tool_calls.messages import ToolCall

__all__ = ["call_of"]


def call_of(given: Any) -> ToolCall:
    """Reads a call.

    Raises:
        ToolCallError: it is none; the message says why.
        TypeError: it is neither a call nor a dict.
    """
    if isinstance(given, ToolCall):
        return given
    if not isinstance(given, Mapping):
        raise TypeError(f"calls holds {type(given).__name__}; a call is a ToolCall or a dict")
    if "function" in given or "custom" in given:
        return _of_openai(given)
    unknown = [key for key in given if key not in ("name", "arguments", "id")]
    if unknown or "name" not in given:
        problem = f"{told(unknown[0])} is no part of a call" if unknown else "the name is missing"
        raise _error(f"{problem}; a call has `name`, `arguments` and `id`")
    return ToolCall(given["name"], given.get("arguments", {}), id=given.get("id"))


def _of_openai(call: Mapping[str, Any]) -> ToolCall:
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
    """The arguments of a call. Some servers write none at all where there are none."""
    if kind == "custom" or not isinstance(value, str):
        return value
    if not value:
        return {}
    try:
        arguments = json_value(value, None)
    except ValueError as error:
        raise _error(f"the arguments cannot be read as JSON: {error}") from error
    if not isinstance(arguments, dict):
        raise _error(f"the arguments are JSON of the type {type_of(arguments)!r}, and no object")
    return arguments


def _error(problem: str) -> ToolCallError:
    return ToolCallError(f"calls: {problem}", location="calls")
