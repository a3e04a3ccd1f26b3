"""What content must look like, as a `response_format` says it.

| given | what the content is |
|---|---|
| None, or OpenAI's ``{"type": "text"}`` | prose |
| a JSON Schema in any form, or a grammar | what that allows |
| ``{"type": "json_object"}`` | any JSON object |
| ``{"type": "json_schema", "json_schema": {"name", "schema", ...}}``, as chats have it | the schema |
| ``{"type": "json_schema", "name", "schema", ...}``, as responses have it | the schema |

Beside a schema may stand ``description`` and ``strict``. It is kept to whatever `strict` says, since
nothing else could be meant by asking for it here.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any

from maskwright import nested_json
from maskwright.checking import did_you_mean, told, told_key
from maskwright.errors import ToolCallError
from maskwright.grammar import Grammar
from maskwright.json_schema import SchemaInput

__all__ = ["form_of"]

_OF_SCHEMAS = ("array", "boolean", "integer", "null", "number", "object", "string")
_OF_OPENAI = ("json_object", "json_schema", "text")
_FIELDS = ("name", "description", "schema", "strict")
_NO_FORMS = (bytes, bytearray, list, tuple, set, frozenset, int, float, complex, os.PathLike, ModuleType)
"""What a `response_format` is never given as; a truth value, which is an `int`, is a schema."""


def form_of(response_format: SchemaInput | Grammar | None) -> SchemaInput | Grammar | None:
    """What the content must look like: a schema or a grammar, or None for prose.

    Raises:
        ToolCallError: it has a type that neither OpenAI's interfaces nor JSON Schema have, or is no whole
            form of OpenAI's; it says where.
        TypeError: it is given as what is neither a schema nor a grammar.

    Example:
        >>> form_of({"type": "json_schema", "json_schema": {"name": "day", "schema": {"type": "integer"}}})
        {'type': 'integer'}
    """
    if isinstance(response_format, _NO_FORMS) and not isinstance(response_format, bool):
        raise TypeError(
            "response_format is a JSON Schema, as a dict, JSON text or a type, or a Grammar, not "
            f"{type(response_format).__name__}"
        )
    form: Any = _read(response_format) if isinstance(response_format, str) else response_format
    kind = form.get("type") if isinstance(form, Mapping) else None
    if not isinstance(kind, str) or kind in _OF_SCHEMAS:
        return response_format
    match kind:
        case "text":
            _check_keys(form, ("type",), "response_format")
            return None
        case "json_object":
            _check_keys(form, ("type",), "response_format")
            return {"type": "object"}
        case "json_schema":
            return _schema_within(form)
    near = did_you_mean(kind, [*_OF_OPENAI, *_OF_SCHEMAS])
    raise _error(
        f"there is no type {told(kind)}; OpenAI has {_listed(_OF_OPENAI)}, and JSON Schema "
        f"{_listed(_OF_SCHEMAS)}; give anything else as a Grammar{near}",
        "response_format.type",
    )


def _read(text: str) -> Any:
    """What a text says; None where it is not JSON, which is told where a grammar is made of it."""
    try:
        return nested_json.loads(text, parse_int=nested_json.exact_integer)
    except (ValueError, RecursionError):
        return None


def _schema_within(form: Mapping[str, Any]) -> SchemaInput:
    """The schema that a form of OpenAI's has around it."""
    location = "response_format"
    if "json_schema" in form:
        _check_keys(form, ("type", "json_schema"), location)
        form, location = form["json_schema"], f"{location}.json_schema"
        if not isinstance(form, Mapping):
            raise _error(f"a dict with the schema as `schema` is needed, not {told(form)}", location)
        _check_keys(form, _FIELDS, location)
    else:
        _check_keys(form, ("type", *_FIELDS), location)
    if not isinstance(form.get("schema"), Mapping | bool):
        raise _error("the schema is missing; it stands here as `schema`, a dict", location)
    schema: SchemaInput = form["schema"]
    return schema


def _check_keys(form: Mapping[str, Any], known: tuple[str, ...], location: str) -> None:
    for key in form:
        if key not in known:
            near = did_you_mean(key, known, "`{}`".format)
            raise _error(
                f"there is no key `{told_key(key)}` in this form of OpenAI's, but {_listed(known)}{near}",
                f"{location}.{told_key(key)}",
            )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _error(problem: str, location: str) -> ToolCallError:
    return ToolCallError(f"{location}: {problem}", location=location)
