"""JSON Schemas from pydantic, which is imported only where something of it, or unknown here, is given.

Takes a model, a `TypeAdapter` or an annotation and gives pydantic's schema for validation, by alias.
"""

from __future__ import annotations

import sys
from typing import Any, cast

from maskwright.checking import told
from maskwright.json_schema.members import Location, schema_error
from maskwright.json_schema.pydantic_texts import format_schema
from maskwright.json_schema.subschemas import copied, subschemas

__all__ = ["has_pydantic_metadata", "is_adapter", "is_pydantic_class", "is_value_of_class", "pydantic_schema"]

_PACKAGES = frozenset({"pydantic", "pydantic_core", "annotated_types"})
_HOOKS = ("__get_pydantic_core_schema__", "__pydantic_core_schema__", "__get_pydantic_json_schema__")


def is_adapter(value: object) -> bool:
    """Whether a value is a `pydantic.TypeAdapter`."""
    adapter = getattr(sys.modules.get("pydantic"), "TypeAdapter", None)
    return adapter is not None and isinstance(value, adapter)


def is_pydantic_class(cls: type) -> bool:
    """Whether a class tells pydantic how to handle it, as models and pydantic's dataclasses do."""
    return any(hasattr(cls, hook) for hook in _HOOKS)


def is_value_of_class(value: object) -> bool:
    """Whether something is an object of a dataclass or model, given where the class is meant."""
    return any(hasattr(type(value), made) for made in ("__dataclass_fields__", "__pydantic_validator__"))


def has_pydantic_metadata(metadata: tuple[object, ...]) -> bool:
    """Whether what stands in ``Annotated[...]`` means something to pydantic."""
    return any(
        type(item).__module__.partition(".")[0] in _PACKAGES or any(hasattr(item, hook) for hook in _HOOKS)
        for item in metadata
    )


def pydantic_schema(source: Any, prefix: str, at: Location) -> dict[str, Any]:
    """The schema that pydantic makes.

    Args:
        source: a type adapter, a model or an annotation.
        prefix: is put before the names of the definitions in every ``$ref``.
        at: where the schema will stand.

    Raises:
        SchemaError: pydantic is not installed, or has no schema for this.
    """
    try:
        from maskwright.json_schema.pydantic_apart import (  # noqa: PLC0415 - optional, and heavy
            _maskwright_schema as ask,
        )
    except ImportError as error:
        raise schema_error(
            f"no schema can be made of {told(source)} without pydantic, which cannot be imported ({error}); "
            "install it with: pip install 'maskwright[pydantic]', or use types of the standard library",
            at,
        ) from error
    template = f"#/$defs/{prefix}{{model}}"
    try:
        schema = ask(source, ref_template=template, mode="validation", by_alias=True)
    except RecursionError:
        raise
    except Exception as error:  # classes tell pydantic by code of their own: whatever it raises
        raise schema_error(
            f"pydantic cannot make a schema of {told(source)}: {_reason(source, error)}", at
        ) from error
    # What a field was given as its schema may stand in it as it is.
    return _with_what_is_checked(copied(cast("dict[str, Any]", schema)))


def _with_what_is_checked(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema of pydantic's, changed in its place so that it asks for more of what pydantic validates.

    What tells the models of a union apart must be there, also where it has a default. The formats of pydantic
    that JSON Schema does not know would ask for nothing.
    """
    waiting: list[Any] = [schema]
    seen: set[int] = set()
    while waiting:
        node = waiting.pop()
        if not isinstance(node, dict) or id(node) in seen:
            continue
        seen.add(id(node))
        waiting += (inner for _, inner in subschemas((), node))
        discriminator = node.get("discriminator")
        tag = discriminator.get("propertyName") if isinstance(discriminator, dict) else None
        if isinstance(tag, str) and "oneOf" in node and "required" not in node:
            node["required"] = [tag]
        name = node.get("format")
        if isinstance(name, str) and "pattern" not in node and "anyOf" not in node:
            node |= format_schema(name) or {}
    return schema


def _reason(source: Any, error: Exception) -> str:
    """Why pydantic has no schema of something, and what to do."""
    errors = sys.modules["pydantic"].errors
    if isinstance(error, errors.PydanticSchemaGenerationError):
        if isinstance(source, type):
            return "it is a plain class; make it a dataclass, a TypedDict or a pydantic model"
        return "it is no type of values that JSON has; give a type such as str, list[int] or a model"
    if getattr(error, "code", None) in ("class-not-fully-defined", "undefined-annotation"):
        return (
            "a name in it is not defined where pydantic looks, which is the module of its class; define it "
            "there, or call model_rebuild() of the class where the name is known"
        )
    return str(error).partition("\n")[0] or type(error).__name__
