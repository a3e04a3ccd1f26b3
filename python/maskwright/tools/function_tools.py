"""Tools made of Python functions: of the signature, the annotations and the docstring's first line."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from maskwright.errors import SchemaError, ToolError
from maskwright.json_schema.inputs import schema_of
from maskwright.tools.tool import Tool, tool_error

__all__ = ["tool_of_function"]


def tool_of_function(function: Callable[..., Any], location: str) -> Tool:
    """The tool that a function or method is.

    Raises:
        ToolError: it has no name, or its signature has no schema; it says why.

    Example:
        >>> def add(a: int, b: int = 0) -> int:
        ...     "Adds two numbers."
        >>> tool = tool_of_function(add, "tools[0]")
        >>> tool.description, tool.parameters["required"]
        ('Adds two numbers.', ['a'])
    """
    inner = function.func if isinstance(function, functools.partial) else function
    name = getattr(inner, "__name__", "")
    if not name or name == "<lambda>":
        raise tool_error("a function without a name cannot be called by it; use a named one", location)
    if _is_of_no_object(function):
        raise tool_error(
            f"{name!r} is the method of a class, and its first argument would be an object of that; give the "
            f"method of an object, such as `thing.{name}`",
            location,
        )
    try:
        parameters = schema_of(function)
    except SchemaError as error:
        raise tool_error(f"the signature of {name!r} has no schema: {error}", location) from error
    documentation = inspect.getdoc(inner) or ""
    first_line = documentation.strip().partition("\n")[0].strip()
    try:
        return Tool(name=name, description=first_line, parameters=parameters)
    except ToolError as error:
        problem = str(error).removeprefix(f"{error.location}: ")
        raise tool_error(problem, f"{location}.__name__") from error


def _is_of_no_object(function: Callable[..., Any]) -> bool:
    """Whether a function is a method that was taken from its class."""
    within = getattr(function, "__qualname__", "").rpartition(".")[0]
    if not within or within.endswith("<locals>"):
        return False
    try:
        first = next(iter(inspect.signature(function).parameters.values()), None)
    except (TypeError, ValueError):
        return False  # that it has no signature is told where its schema is made
    return first is not None and first.name == "self" and first.annotation is inspect.Parameter.empty
