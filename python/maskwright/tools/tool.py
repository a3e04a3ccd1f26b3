"""A tool: its name, what it is for, and what it takes.

Takes what the readers in `inputs` found and gives one immutable form. The schema of the arguments is that of
the description but for one policy, which :attr:`Tool.arguments_schema` documents: the outermost object is
closed, and a description without any schema takes no arguments.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

from maskwright.checking import told
from maskwright.errors import SchemaError, ToolError
from maskwright.grammar import Grammar
from maskwright.json_schema.inputs import SchemaInput, schema_value
from maskwright.json_schema.subschemas import copied

__all__ = ["Tool", "tool_error"]

NAME = re.compile(r"[A-Za-z0-9_.:/\-]{1,256}")
"""What a name may be. OpenAI and Anthropic allow fewer characters; MCP servers put a prefix in front, with a
dot, colon or slash. None of them ends a name in any layout."""

_IN_PLACE = frozenset(
    {"$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf", "not", "if", "then", "else"}
    | {"dependentSchemas", "dependencies", "unevaluatedProperties", "additionalProperties"}
    | {"patternProperties", "propertyNames"}
)
"""Keywords beside which an object is not closed: they may say which other members there are."""


def tool_error(problem: str, location: str) -> ToolError:
    """An error about a description, with the place in front."""
    return ToolError(f"{location}: {problem}" if location else problem, location=location)


@dataclass(frozen=True, slots=False)
class Tool:
    """What a model may call.

    Attributes:
        name: the name by which it is called; letters, digits and ``_ - . : /``.
        description: what it is for; plays no part in constraints.
        parameters: the JSON Schema of its arguments, an object. It may be given as anything that
            :meth:`maskwright.Grammar.json_schema` takes, such as a pydantic model, a dataclass or JSON text,
            and is a dict then: a copy, so that what is changed later in what was given changes no tool.
            ``None`` for a tool without arguments, as an empty schema is.
        strict: whether arguments must be valid under `parameters`; ``None`` means yes. With False they are
            any JSON object.
        body: for a tool that takes a text instead of an object: what this text must look like.

    Raises:
        ToolError: the name is none, the schema is not that of an object, or there are both a schema and a
            body.

    Example:
        >>> Tool("add", parameters={"type": "object", "properties": {"a": {"type": "integer"}}}).name
        'add'
    """

    name: str
    description: str = ""
    parameters: Mapping[str, Any] | Any = None
    strict: bool | None = None
    body: Grammar | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not NAME.fullmatch(self.name):
            problem = (
                "the name is missing" if self.name is None else f"{told(self.name)} is no name of a tool"
            )
            raise tool_error(f"{problem}; use 1 to 256 of letters, digits and `_ - . : /`", "name")
        if not isinstance(self.description, str):
            raise tool_error(
                f"a description is a string, not {type(self.description).__name__}", "description"
            )
        if self.strict is not None and not isinstance(self.strict, bool):
            raise tool_error(f"strict is True, False or None, not {told(self.strict)}", "strict")
        if self.body is not None:
            if not isinstance(self.body, Grammar):
                raise tool_error(f"a body is a Grammar, not {type(self.body).__name__}", "body")
            if self.parameters is not None:
                raise tool_error("a tool has parameters or a body, not both", "body")
        elif self.parameters is not None:
            object.__setattr__(self, "parameters", copied(_checked_parameters(self.parameters)) or None)

    @cached_property
    def arguments_schema(self) -> dict[str, Any]:
        """The JSON Schema that arguments must satisfy.

        A description says what a tool takes, so other arguments are refused: the outermost object is closed
        (``additionalProperties: false``) where the schema names its properties and says nothing of others;
        what it requires without a description may be anything.
        One that is only ``{"type": "object"}`` says nothing of any, and takes all; no schema at all, or an
        empty one, is that of a tool without arguments. Objects further in are what the schema makes them. Of
        a tool that is not strict, any object will do.

        Example:
            >>> Tool("now", parameters={}).arguments_schema
            {'type': 'object', 'properties': {}, 'additionalProperties': False}
            >>> Tool("log", parameters={"type": "object"}).arguments_schema
            {'type': 'object'}
        """
        if self.strict is False:
            return {"type": "object"}
        if self.parameters is None:
            return {"type": "object", "properties": {}, "additionalProperties": False}
        schema = dict(self.parameters)
        schema.setdefault("type", "object")
        if "properties" in schema and not _IN_PLACE & schema.keys():
            schema["properties"] = _with_required(schema["properties"], schema.get("required"))
            schema["additionalProperties"] = False
        return schema

    @cached_property
    def _readings(self) -> dict[str, Any]:
        """What was found out of its schema, by what it is for; filled by `tool_calls`."""
        return {}

    @cached_property
    def _grammars(self) -> dict[Any, Grammar]:
        """Grammars that were made for this tool, by what they are for; `tool_calls` fills it.

        They are kept with the tool, so that another set with the same tool makes none anew.
        """
        return {}

    def __getstate__(self) -> dict[str, Any]:
        """What a copy or pickle holds: the fields, and nothing that was made of them."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __hash__(self) -> int:
        return hash((self.name, self.description, self.strict))


def _checked_parameters(given: SchemaInput) -> Mapping[str, Any]:
    """The schema of an object that parameters are given as."""
    try:
        schema = schema_value(given)
    except SchemaError as error:
        raise tool_error(f"parameters are a JSON Schema: {error}", "parameters") from error
    if not isinstance(schema, Mapping):
        raise tool_error(f"parameters are a JSON Schema of an object, not {told(schema)}", "parameters")
    kind = schema.get("type", "object")
    if kind != "object":
        raise tool_error(f"arguments are an object, so the type cannot be {told(kind)}", "parameters.type")
    return schema


def _with_required(properties: Any, required: Any) -> Any:
    """Properties, and what a schema only requires; where these are not well formed, as they are."""
    if not isinstance(properties, Mapping) or not isinstance(required, list | tuple):
        return properties
    missing = [name for name in required if isinstance(name, str) and name not in properties]
    return {**properties, **{name: {} for name in missing}} if missing else properties
