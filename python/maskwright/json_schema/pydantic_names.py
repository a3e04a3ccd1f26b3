"""Under which names pydantic reads a field, beside the one that its schema gives it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import AliasChoices, AliasPath

__all__ = ["other_names"]


def other_names(fields: Mapping[str, Any], config: Mapping[str, Any]) -> list[str]:
    """All names of keys by which pydantic may read one of these fields, in their order.

    Those that stand in the schema, too, are among them.

    Args:
        fields: the fields of a class by their names, as pydantic keeps them.
        config: the configuration of the class.
    """
    by_name = config.get("validate_by_name") or config.get("populate_by_name")
    by_alias = config.get("validate_by_alias", True) is not False
    names: list[str] = []
    for name, field in fields.items():
        if by_alias and isinstance(field.validation_alias, AliasChoices):
            names += map(_key, field.validation_alias.choices)
        if by_name:
            names.append(name)
    return names


def _key(alias: str | AliasPath) -> str:
    """The key of the object with the field, of which a path is only the beginning."""
    return str(alias.path[0]) if isinstance(alias, AliasPath) else alias
