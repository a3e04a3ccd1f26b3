"""What a JSON Schema may be given as.

| input | schema |
|---|---|
| a mapping, or a boolean | itself; the order of keys is kept, integers keep all their digits |
| a string | JSON text |
| a pydantic model, a `TypeAdapter` | what pydantic makes for validation, by alias; see below |
| a dataclass | an object of what ``__init__`` takes; fields with defaults are optional |
| a TypedDict | an object; ``Required``, ``NotRequired`` and ``total`` say what is optional |
| a NamedTuple | an array |
| a function or method | an object of its arguments; those with defaults are optional |
| an Enum, ``Literal[...]`` | one of the values |
| ``int``, ``str``, ``float``, ``bool``, ``type(None)``, Any, ``X | None`` | as one would expect |
| ``list[int]``, ``tuple[int, str]``, ``dict[str, int]`` | arrays and objects; a set has `uniqueItems` |
| date, time, datetime, timedelta, UUID | a string with the `format` of that name |
| another type | what pydantic makes of it, where that is installed |

The objects of dataclasses, TypedDicts and functions take no other members; pydantic's take them unless the
model says ``extra="forbid"``. A function's ``**kwargs`` are further members, or those that the TypedDict in
``**kwargs: Unpack[...]`` names. None alone is refused: mostly, it is that of a variable that was not set.
What only pydantic's code checks is in no schema, and plays no part: validators, bounds of dates and times,
and of unions, what is behind the scheme of a URL, networks and files, ``Json[...]``, that a strict integer is
not ``1.0``, that an integer has 4,300 digits at most, and that no date or time is within a leap second, as
``23:59:60`` is. What its schemas leave open, and is plain, is asked for: what tells the models of a
union apart (``discriminator``) must come, also where it has a default; a decimal is a number with its
digits; keys that are numbers are texts of such; no further member is called as a field that pydantic
would read by that name, too (``validate_by_name``, ``AliasChoices``); and the schemes of URLs, naive times,
``UUID1`` to ``UUID8``, base64, and addresses of either kind are what they are called. So give the model
itself rather than its ``model_json_schema()``, which is a schema like any other.

Types written as text are looked up in the module of the class, function or alias that they stand in;
elsewhere, as in ``list["Item"]`` alone, they are refused. Docstrings and descriptions play no part. pydantic
is imported only where it is needed.
"""

from __future__ import annotations

import functools
import inspect
import os
import re
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from maskwright import nested_json
from maskwright.budget import DEFAULT_BUDGET
from maskwright.checking import mapping, whole_number
from maskwright.errors import SchemaError
from maskwright.json_schema.annotations import SchemaMaker
from maskwright.json_schema.json_text import json_text
from maskwright.json_schema.options import DRAFTS
from maskwright.json_schema.pydantic_models import is_adapter, pydantic_schema

__all__ = ["SchemaInput", "document_texts", "schema_of", "schema_text", "schema_value"]

SchemaInput = Mapping[str, Any] | bool | str | type | Callable[..., Any] | Any
"""What a schema may be given as; the table above says how each is read. Annotations such as
``list[int] | None`` have no common type in Python, hence the `Any`: a type checker takes everything, and the
others tell people what is meant."""


def schema_of(schema: SchemaInput) -> Any:
    """The JSON Schema of an input: a mapping or boolean, or JSON text where that was given.

    Raises:
        SchemaError: no schema can be made of it; it says why, and at which place in the schema.

    Example:
        >>> schema_of(list[int])["items"]
        {'type': 'integer'}
    """
    if isinstance(schema, Mapping | bool | str):
        return schema
    if schema is None:
        raise SchemaError(
            '#: None is no schema; where the value null is meant, give {"type": "null"} or type(None), and '
            "where any value will do, True",
            location="#",
        )
    if is_adapter(schema):
        made = pydantic_schema(schema, "", ())
        return {"$schema": DRAFTS["2020-12"], **made}
    if inspect.isroutine(schema) or isinstance(schema, functools.partial):
        return SchemaMaker().of_function(schema)
    if isinstance(schema, os.PathLike):
        raise SchemaError(
            f"#: a schema cannot be given as {type(schema).__name__}; give what is in the file, as by "
            "read_text()",
            location="#",
        )
    if isinstance(schema, _NO_SCHEMAS):
        raise SchemaError(
            f"#: a schema cannot be given as {type(schema).__name__}; give a dict, JSON text or a type",
            location="#",
        )
    return SchemaMaker().of_annotation(schema)


def schema_value(schema: SchemaInput) -> Any:
    """The JSON Schema of an input as :func:`schema_of` gives it, and JSON text as what it says.

    Raises:
        SchemaError: as :func:`schema_of`; or the text is not JSON.
        BudgetExceededError: the text is too long.

    Example:
        >>> schema_value('{"type": "object"}')
        {'type': 'object'}
    """
    made = schema_of(schema)
    if not isinstance(made, str):
        return made
    try:
        return nested_json.loads(schema_text(made), parse_int=nested_json.exact_integer)
    except (ValueError, RecursionError) as error:
        raise SchemaError(f"#: the text is not JSON: {error}", location="#") from error


_PATH = re.compile(r"[^\n{}\[\]\"]{1,4096}\.(json|ya?ml|txt)")
"""What reads as the path of a file, and never as JSON."""

_LARGEST = (1 << 63) - 1
_NO_SCHEMAS = (bytes, bytearray, list, tuple, set, frozenset, int, float, complex, ModuleType)


def schema_text(schema: SchemaInput, *, limit: int = DEFAULT_BUDGET.grammar_bytes) -> str:
    """The JSON text of the schema of an input.

    Args:
        schema: the input.
        limit: the greatest length of a text that is made here, in characters, which are all ASCII; by default
            the ``grammar_bytes`` of :class:`maskwright.Budget`. JSON text is given back as it is.

    Raises:
        SchemaError: no schema can be made of it, or something in it is not JSON.
        BudgetExceededError: the text is too long.
        TypeError: the limit is no integer.
        ArgumentError: it is negative.

    Example:
        >>> schema_text({"type": "string"})
        '{"type":"string"}'
    """
    if isinstance(schema, str) and _PATH.fullmatch(schema):
        raise SchemaError(
            f"#: a schema as a str is JSON text, not {schema!r}; give what is in a file, not its path",
            location="#",
        )
    limit = whole_number(limit, "limit", least=0, greatest=_LARGEST)
    return _text(schema if isinstance(schema, str) else schema_of(schema), "", limit)


def document_texts(
    documents: Mapping[str, Mapping[str, Any] | bool | str] | None, *, limit: int
) -> list[tuple[str, str]]:
    """Further documents by their URIs, as JSON texts.

    Args:
        documents: schemas by URI; as mappings, booleans or JSON text. None for none.
        limit: the greatest length of each text.

    Returns:
        URIs and texts. What was given as JSON text is not read here, but where a schema refers to it: most
        of many documents are never referred to.

    Raises:
        SchemaError: something in a mapping is not JSON, a text cannot be encoded, or a URI has a fragment,
            so that no reference could reach it.
        BudgetExceededError: a text is too long.
        TypeError: it is no mapping, or a URI is not a string.
    """
    if documents is None:
        return []
    texts = []
    for uri, document in mapping(documents, "documents", "{'https://example.org/name': {...}}").items():
        address, _, fragment = uri.partition("#")
        if fragment:
            raise SchemaError(
                f"{uri}: the URI of a document has the fragment #{fragment}, which a reference takes for a "
                f"place within {address!r}; give the whole document by that URI",
                location=uri,
            )
        if not isinstance(document, Mapping | bool | str):
            raise SchemaError(
                f"{uri}#: a document cannot be given as {type(document).__name__}; give a dict or JSON text",
                location=f"{uri}#",
            )
        texts.append((uri, _text(document, uri, limit)))
    return texts


def _text(schema: Mapping[str, Any] | bool | str, document: str, limit: int) -> str:
    if not isinstance(schema, str):
        return json_text(schema, limit=limit, document=document)
    if schema.isascii():
        return schema
    try:
        schema.encode("utf-8")
    except UnicodeEncodeError as error:
        location = f"{document}#"
        raise SchemaError(
            f"{location}: the JSON text has a lone surrogate at position {error.start}; "
            "write it as an escape, or leave it out",
            location=location,
        ) from error
    return schema
