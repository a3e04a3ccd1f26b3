"""Tools made of Python functions and of classes of values: of names, annotations and docstrings."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from typing import Any, is_typeddict

from maskwright.errors import BudgetExceededError, SchemaError, ToolError
from maskwright.json_schema.inputs import schema_of
from maskwright.json_schema.json_text import json_text
from maskwright.json_schema.pydantic_models import is_pydantic_class
from maskwright.tools.docstrings import docstring_of
from maskwright.tools.tool import Tool, tool_error

__all__ = ["tool_of_class", "tool_of_function"]

_LONGEST_DEFAULT = 10_000
"""A default of more characters is left out: it is there for people and models to read."""


def tool_of_function(function: Callable[..., Any], location: str) -> Tool:
    """The tool that a function or method is: what its docstring and defaults say is in the schema, too.

    Raises:
        ToolError: it has no name, or its signature has no schema; it says why.

    Example:
        >>> def add(a: int, b: int = 0) -> int:
        ...     '''Adds two numbers.
        ...
        ...     Args:
        ...         a: The first.
        ...     '''
        >>> tool = tool_of_function(add, "tools[0]")
        >>> tool.description, tool.parameters["required"]
        ('Adds two numbers.', ['a'])
        >>> tool.parameters["properties"]
        {'a': {'type': 'integer', 'description': 'The first.'}, 'b': {'type': 'integer', 'default': 0}}
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
    documentation = docstring_of(inspect.getdoc(inner) or "")
    described = _with_annotations(parameters, documentation.parameters, _defaults_of(function))
    return _named(name, documentation.description, described, location)


def tool_of_class(cls: type, location: str) -> Tool:
    """The tool that a pydantic model, a dataclass or a TypedDict is: it takes what makes an object of it.

    Raises:
        ToolError: it is another class, or no schema of an object can be made of it; it says why.

    Example:
        >>> from dataclasses import dataclass
        >>> @dataclass
        ... class Search:
        ...     "Searches the web."
        ...     query: str
        >>> tool = tool_of_class(Search, "tools[0]")
        >>> tool.name, tool.description, tool.parameters["required"]
        ('Search', 'Searches the web.', ['query'])
    """
    if not (is_pydantic_class(cls) or is_dataclass(cls) or is_typeddict(cls)):
        raise tool_error(
            f"a tool is a dict, a Tool, a function or a pydantic model, not a class such as {cls.__name__}; "
            "make a maskwright.Tool with a name and the schema of its arguments",
            location,
        )
    try:
        parameters = schema_of(cls)
    except SchemaError as error:
        raise tool_error(f"the class {cls.__name__!r} has no schema: {error}", location) from error
    # What a class says of itself, and not the class that it is derived from, such as pydantic.BaseModel.
    text = inspect.cleandoc(cls.__doc__ or "")
    if text.startswith(f"{cls.__name__}("):
        text = ""  # that of a dataclass without one is its signature
    documentation = docstring_of(text)
    described = _with_annotations(parameters, documentation.parameters, {})
    return _named(cls.__name__, documentation.description, described, location)


def _with_annotations(schema: Any, texts: Mapping[str, str], defaults: Mapping[str, Any]) -> Any:
    """A schema of an object whose properties say what they are for, and what they are where they do not come.

    What a property says itself stays.
    """
    if not isinstance(schema, dict) or "properties" not in schema:
        return schema
    properties = dict(schema["properties"])
    for keyword, values in (("description", texts), ("default", defaults)):
        for name, value in values.items():
            own = properties.get(name, False)
            if own is not False:
                own = {} if own is True else own
                properties[name] = {**own, keyword: own.get(keyword, value)}
    return {**schema, "properties": properties}


def _defaults_of(function: Callable[..., Any]) -> dict[str, Any]:
    """The defaults of a function's parameters that are JSON."""
    return {
        name: parameter.default
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.default is not inspect.Parameter.empty and _is_json(parameter.default)
    }


def _is_json(value: Any) -> bool:
    try:
        json_text(value, limit=_LONGEST_DEFAULT)
    except (SchemaError, BudgetExceededError):
        return False
    return True


def _named(name: str, description: str, parameters: Any, location: str) -> Tool:
    """A tool, with errors located in the function or class that it is made of."""
    try:
        return Tool(name=name, description=description, parameters=parameters)
    except ToolError as error:
        problem = str(error).removeprefix(f"{error.location}: ")
        attribute = ".__name__" if error.location == "name" else ""
        raise tool_error(problem, f"{location}{attribute}") from error


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
