"""Reads descriptions of tools in the forms that are in use.

| form | told by |
|---|---|
| a :class:`Tool` | itself |
| OpenAI chat | ``{"type": "function", "function": {"name", "description", "parameters", "strict"}}`` |
| OpenAI chat, custom | ``{"type": "custom", "custom": {"name", "description", "format"}}`` |
| OpenAI responses | ``{"type": "function", "name", "description", "parameters", "strict"}`` |
| OpenAI responses, custom | ``{"type": "custom", "name", "description", "format"}`` |
| Anthropic | ``{"name", "description", "input_schema"}``, with ``"type": "custom"`` or without a type |
| MCP | ``{"name", "description", "inputSchema"}`` |
| a list of MCP tools, or any other | ``{"tools": [...]}`` |
| the function part alone | ``{"name", "description", "parameters"}`` |
| a Python function | signature, annotations, defaults, and the docstring with what it says of parameters |
| a pydantic model, a dataclass, a TypedDict | the name of the class, its fields and docstring |

What is not among them is refused, with its place; so is a key such as ``paramaters`` where there is none that
gives what a tool takes, since that would be lost. Other keys, such as ``cache_control`` and ``annotations``,
play no part. The format of a custom tool is ``{"type": "text"}`` or
``{"type": "grammar", "syntax": "regex" | "gbnf", "definition": "..."}``, with syntax and definition also one
level further in, under ``grammar``, as the chat form has them.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from maskwright.checking import nearest_names, told
from maskwright.errors import GrammarError, ToolError
from maskwright.grammar import Grammar
from maskwright.tools.function_tools import tool_of_class, tool_of_function
from maskwright.tools.tool import Tool, tool_error

__all__ = ["ToolInput", "tools_from"]

_SCHEMA_KEYS = ("parameters", "input_schema", "inputSchema")
_NEAR = 0.85
"""How alike two keys are, of 1, where one is taken for a misspelling: ``outputSchema`` is none."""


ToolInput = Tool | Mapping[str, Any] | Callable[..., Any]
"""What one tool may be given as; the table above says how each is read."""


def tools_from(tools: ToolInput | Iterable[ToolInput]) -> tuple[Tool, ...]:
    """Reads tools in any of the forms above.

    Args:
        tools: one description, several, or ``{"tools": [...]}``; forms may be mixed.

    Returns:
        The tools, in their order.

    Raises:
        ToolError: a description is not one, a key in it is misspelt, or two tools have one name; it says
            where.

    Example:
        >>> weather = {"name": "weather", "input_schema": {"type": "object", "properties": {}}}
        >>> def now() -> str:
        ...     "The time."
        >>> [tool.name for tool in tools_from([weather, now])]
        ['weather', 'now']
    """
    read: list[Tool] = []
    places: dict[str, str] = {}
    for location, description in _listed(tools):
        tool = _tool(description, location)
        if tool.name in places:
            raise tool_error(
                f"the name {tool.name!r} is that of {places[tool.name]} already; names must differ", location
            )
        places[tool.name] = location
        read.append(tool)
    return tuple(read)


def _listed(tools: Any) -> Iterable[tuple[str, Any]]:
    """The single descriptions with their places."""
    prefix = "tools"
    if isinstance(tools, Mapping) and "tools" in tools:
        tools = tools["tools"]
        if isinstance(tools, str | bytes) or not isinstance(tools, Iterable):
            raise tool_error(f"a list of tools is needed, not {type(tools).__name__}", prefix)
    if isinstance(tools, Mapping | Tool | type) or _is_function(tools):
        return [(f"{prefix}[0]", tools)]
    if isinstance(tools, str | bytes) or not isinstance(tools, Iterable):
        raise tool_error(f"tools are given as a list of descriptions, not as {type(tools).__name__}", prefix)
    return [(f"{prefix}[{number}]", tool) for number, tool in enumerate(tools)]


def _is_function(thing: Any) -> bool:
    return inspect.isroutine(thing) or isinstance(thing, functools.partial)


def _tool(description: Any, location: str) -> Tool:
    if isinstance(description, Tool):
        return description
    if _is_function(description):
        return tool_of_function(description, location)
    if isinstance(description, type):
        return tool_of_class(description, location)
    if not isinstance(description, Mapping):
        raise tool_error(
            f"a tool is a dict, a Tool or a function, not {type(description).__name__}", location
        )
    return _of_mapping(description, location)


def _of_mapping(description: Mapping[str, Any], location: str) -> Tool:
    kind = description.get("type")
    if kind == "custom" and "input_schema" in description:
        return _of_anthropic(description, location)
    if kind == "custom":
        return _custom(*_unwrapped(description, "custom", location))
    if kind == "function":
        return _function(*_unwrapped(description, "function", location))
    if "name" in description and (kind is None or any(key in description for key in _SCHEMA_KEYS)):
        return _function(description, location)
    known = "`function`, `custom`, or a dict with `name` and `input_schema`, `inputSchema` or `parameters`"
    shown = f"the type {told(kind)}" if kind is not None else "a dict without `name`"
    raise tool_error(f"{shown} is no form of a tool that is known here; known are {known}", location)


def _unwrapped(description: Mapping[str, Any], key: str, location: str) -> tuple[Mapping[str, Any], str]:
    """The part of a description that says what the tool is: in the chat form it is one level further in."""
    if key not in description:
        return description, location
    for other in (*_SCHEMA_KEYS, "strict"):
        if description.get(other) is not None:
            raise tool_error(f"`{other}` stands beside `{key}`; put it into it", f"{location}.{other}")
    inner = description[key]
    if not isinstance(inner, Mapping):
        raise tool_error(f"a dict is needed, not {type(inner).__name__}", f"{location}.{key}")
    return inner, f"{location}.{key}"


def _of_anthropic(description: Mapping[str, Any], location: str) -> Tool:
    """A tool with a schema that Anthropic's interface calls custom, since it is not one of its own."""
    for other in ("format", "custom"):
        if description.get(other) is not None:
            raise tool_error(
                f"`input_schema` and `{other}` are both given; a tool takes an object or a text", location
            )
    return _function(description, location)


def _check_keys(description: Mapping[str, Any], known: tuple[str, ...], location: str) -> None:
    """Refuses a key that is nearly one of those that give what a tool takes, where none of these is there."""
    if any(key in description for key in known):
        return
    for key, value in description.items():
        if isinstance(key, str) and value is not None:
            for near in nearest_names(key, known, likeness=_NEAR):
                raise tool_error(f"there is no key `{key}`; did you mean `{near}`?", f"{location}.{key}")


def _function(description: Mapping[str, Any], location: str) -> Tool:
    _check_keys(description, _SCHEMA_KEYS, location)
    given = [key for key in _SCHEMA_KEYS if description.get(key) is not None]
    if len(given) > 1:
        raise tool_error(f"{given[0]} and {given[1]} are both given; one is needed", location)
    return _made(
        location,
        given[0] if given else "parameters",
        name=description.get("name"),
        description=description.get("description") or "",
        parameters=description[given[0]] if given else None,
        strict=description.get("strict"),
    )


def _custom(description: Mapping[str, Any], location: str) -> Tool:
    for key in _SCHEMA_KEYS:
        if key in description:
            raise tool_error(
                f"a custom tool takes a text, and no `{key}`; leave out the type, or describe the text by "
                "`format`",
                f"{location}.{key}",
            )
    _check_keys(description, ("format",), location)
    body = _body(description.get("format"), f"{location}.format")
    return _made(
        location,
        "format",
        name=description.get("name"),
        description=description.get("description") or "",
        body=body,
    )


def _made(location: str, schema_key: str, **fields: Any) -> Tool:
    """A tool, with errors located in what was given."""
    try:
        return Tool(**fields)
    except ToolError as error:
        within = error.location.replace("parameters", schema_key, 1)
        problem = str(error).removeprefix(f"{error.location}: ")
        raise tool_error(problem, f"{location}.{within}") from error


def _body(form: Any, location: str) -> Grammar:
    """The grammar of a custom tool's text."""
    if form is None or (isinstance(form, Mapping) and form.get("type") == "text"):
        return Grammar.regex(r"[\s\S]*")
    if not isinstance(form, Mapping) or form.get("type") != "grammar":
        raise tool_error('a format is {"type": "text"} or {"type": "grammar", ...}', location)
    form, location = _unwrapped(form, "grammar", location)
    syntax, definition = form.get("syntax"), form.get("definition")
    if not isinstance(definition, str):
        raise tool_error("the grammar is given as a string", f"{location}.definition")
    try:
        if syntax == "regex":
            return Grammar.regex(definition)
        if syntax == "gbnf":
            return Grammar.gbnf(definition)
    except GrammarError as error:
        raise tool_error(str(error), f"{location}.definition") from error
    if syntax == "lark":
        raise tool_error(
            "grammars in the syntax of Lark cannot be read yet; write it as a regex or as GBNF",
            f"{location}.syntax",
        )
    raise tool_error(f"the syntax is 'regex' or 'gbnf', not {told(syntax)}", f"{location}.syntax")
