"""Which tools may be called, and whether one must be: the `tool_choice` of the interfaces in use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from maskwright.checking import did_you_mean, told
from maskwright.errors import ToolCallError

__all__ = ["Choice", "ToolChoice", "choice_of"]

ToolChoice = str | Mapping[str, Any] | Iterable[str] | None
"""``"auto"``, ``"none"``, ``"required"``; ``{"name": ...}``; names of the tools that may be called; or what
the interfaces of OpenAI and Anthropic have in its place. None is ``"auto"``: a request that says nothing."""


_MODES = {"auto": "auto", "none": "none", "required": "required", "any": "required"}
_KEYS: Mapping[str | None, tuple[str, ...]] = {
    None: ("name", "disable_parallel_tool_use"),
    "auto": ("type", "disable_parallel_tool_use"),
    "any": ("type", "disable_parallel_tool_use"),
    "required": ("type", "disable_parallel_tool_use"),
    "none": ("type",),
    "tool": ("type", "name", "disable_parallel_tool_use"),
    "function": ("type", "function", "name"),
    "custom": ("type", "custom", "name"),
    "allowed_tools": ("type", "allowed_tools", "mode", "tools"),
}
"""What a choice of each type may hold: nothing that somebody asks for is passed over."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen.

    Attributes:
        mode: whether there may be calls, must be, or must not be.
        names: the tools that may be called.
        parallel: whether there may be several calls, as far as the choice says.
    """

    mode: Literal["auto", "none", "required"]
    names: tuple[str, ...]
    parallel: bool = True


def choice_of(choice: ToolChoice, names: Iterable[str]) -> Choice:
    """Reads a choice.

    Args:
        choice: the choice.
        names: the tools that there are.

    Raises:
        ToolCallError: it is none, or names a tool that is not there.

    Example:
        >>> choice_of({"type": "function", "function": {"name": "add"}}, ["add", "now"])
        Choice(mode='required', names=('add',), parallel=True)
    """
    there = tuple(names)
    if choice is None:
        return _checked("auto", there, there)
    if isinstance(choice, str):
        mode = _MODES.get(choice)
        if mode is None:
            raise _error(
                f"{choice!r} is no choice; give 'auto', 'none', 'required', or {{'name': ...}} for one tool"
                f"{did_you_mean(choice, _MODES)}"
            )
        return _checked(mode, there, there)
    if isinstance(choice, Mapping):
        return _from_mapping(choice, there)
    listed: object = choice
    if isinstance(listed, bytes | bytearray) or not isinstance(listed, Iterable):
        raise _error(f"a choice is a string, a dict or a list of names, not {type(choice).__name__}")
    return _checked("auto", tuple(listed), there)


def _from_mapping(choice: Mapping[str, Any], there: tuple[str, ...]) -> Choice:
    kind = choice.get("type")
    known = _KEYS.get(kind) if kind is None or isinstance(kind, str) else None
    if known is None:
        raise _error(f"the type {told(kind)} is none that is known here", "tool_choice.type")
    _refuse_others(choice, known)
    one_call = choice.get("disable_parallel_tool_use")
    if one_call is not None and not isinstance(one_call, bool):
        raise _error(f"{told(one_call)} is neither true nor false", "tool_choice.disable_parallel_tool_use")
    return replace(_of_kind(kind, choice, there), parallel=not one_call)


def _of_kind(kind: str | None, choice: Mapping[str, Any], there: tuple[str, ...]) -> Choice:
    if kind in ("auto", "none", "any", "required"):
        return choice_of(kind, there)
    if kind == "allowed_tools":
        inner = choice.get("allowed_tools", choice)
        if inner is not choice and isinstance(inner, Mapping):
            _refuse_others(choice, ("type", "allowed_tools"))
            _refuse_others(inner, ("mode", "tools"))
        tools = inner.get("tools") if isinstance(inner, Mapping) else None
        if not isinstance(tools, Iterable) or isinstance(tools, str | Mapping):
            raise _error("allowed tools are a list", "tool_choice.tools")
        names = tuple(_name(tool, f"tool_choice.tools[{at}]") for at, tool in enumerate(tools))
        mode = inner.get("mode", "auto")
        if mode not in ("auto", "required"):
            raise _error(f"the mode is 'auto' or 'required', not {told(mode)}", "tool_choice.mode")
        return _checked(mode, names, there)
    return _checked("required", (_name(choice, "tool_choice", "disable_parallel_tool_use"),), there)


def _refuse_others(choice: Mapping[str, Any], known: tuple[str, ...], location: str = "tool_choice") -> None:
    for key in choice:
        if key not in known:
            raise _error(f"{told(key)} is no part of such a choice; there are {', '.join(known)}", location)


def _name(tool: Any, location: str, *further: str) -> str:
    """The name of a tool that is told by its name, or as the interfaces do.

    Args:
        tool: how it is told.
        location: where.
        further: what may be told beside the name.
    """
    if isinstance(tool, str):
        return tool
    if not isinstance(tool, Mapping):
        raise _error(f"a tool is told by its name or as a dict, not as {type(tool).__name__}", location)
    kind = tool.get("type")
    if kind not in (None, "function", "custom", "tool"):
        raise _error(f"the type {told(kind)} is none of a tool; there are 'function' and 'custom'", location)
    inner, known = tool, ("type", "name", *further)
    if kind in ("function", "custom") and kind in tool:
        _refuse_others(tool, ("type", kind), location)
        inner, known, location = tool[kind], ("name",), f"{location}.{kind}"
    if isinstance(inner, Mapping):
        _refuse_others(inner, known, location)
        if isinstance(inner.get("name"), str):
            return str(inner["name"])
    raise _error("the name of a tool is missing", location)


def _checked(mode: Any, names: tuple[str, ...], there: tuple[str, ...]) -> Choice:
    for name in names:
        if name not in there:
            known = ", ".join(map(repr, there)) or "none at all"
            raise _error(f"there is no tool {told(name)}; there are {known}{did_you_mean(name, there)}")
    if not names:
        if mode == "required":
            raise _error("a call is required, but there is no tool that may be called")
        return Choice("none", ())
    return Choice(mode, tuple(dict.fromkeys(names)) if mode != "none" else ())


def _error(problem: str, location: str = "tool_choice") -> ToolCallError:
    return ToolCallError(f"{location}: {problem}", location=location)
