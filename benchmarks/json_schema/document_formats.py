"""Documents of SchemaStore, which are JSON, YAML or TOML, as JSON values."""

from __future__ import annotations

import functools
import json
import re
import tomllib
from typing import Any

__all__ = ["parsed"]


def parsed(name: str, text: str) -> Any:
    """The value of a document by the ending of its name.

    Raises:
        ValueError: it is not well formed, or its value is none of JSON.
        ImportError: it is YAML, and PyYAML is not installed.
    """
    ending = name.rsplit(".", 1)[-1]
    if ending == "json":
        return json.loads(text)
    try:
        value = tomllib.loads(text) if ending == "toml" else _yaml(text)
        if _all_keys_are_strings(value):
            return json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, RecursionError) as error:
        raise ValueError(f"{name} has a value that JSON has not: {error}") from error
    raise ValueError(f"{name} has a key that is not a string")


def _all_keys_are_strings(value: Any) -> bool:
    if isinstance(value, dict):
        return all(isinstance(key, str) and _all_keys_are_strings(item) for key, item in value.items())
    return not isinstance(value, list) or all(map(_all_keys_are_strings, value))


def _yaml(text: str) -> Any:
    import yaml  # noqa: PLC0415 - an optional package

    try:
        return yaml.load(text, _core_schema_loader())
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error


@functools.cache
def _core_schema_loader() -> Any:
    """A loader with the plain scalars of YAML 1.2: no dates, no `on` for true, no sixties."""
    import yaml  # noqa: PLC0415

    class CoreSchemaLoader(yaml.SafeLoader):  # type: ignore[misc]
        yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012

    digits = list("-+0123456789.")
    resolvers: list[tuple[str, str, list[str]]] = [
        ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
        ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
        ("int", r"[-+]?[0-9]+|0x[0-9a-fA-F]+", digits),
        ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", digits),
        ("merge", r"<<", ["<"]),
    ]
    for tag, pattern, first in resolvers:
        expression = re.compile(rf"^(?:{pattern})$")
        CoreSchemaLoader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", expression, first)
    return CoreSchemaLoader
