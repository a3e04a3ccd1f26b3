"""Where a reference in a schema leads, as far as that is a place within the same schema.

A reference may name a place by a pointer (``#/$defs/name``), by an anchor (``#name``), and either of them
behind the schema's own ``$id``. What a further document holds is for the schema compiler alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin

from maskwright.errors import UnsupportedFeatureError
from maskwright.json_schema.json_text import json_pointer
from maskwright.json_schema.options import DRAFTS

__all__ = ["Path", "at_path", "only_reference_counts", "referred_path"]

Path = tuple[str | int, ...]
"""The keys that lead to a place in a schema."""

_WITH_LONE_REFERENCES = frozenset(DRAFTS[name].rstrip("#") for name in ("4", "6", "7"))
_DRAFT_4 = DRAFTS["4"].rstrip("#")


def at_path(schema: Any, path: Path) -> Any:
    """What stands at a place in a schema.

    Raises:
        LookupError, TypeError, ValueError: there is no such place.
    """
    for key in path:
        schema = schema[int(key) if isinstance(schema, list) else key]
    return schema


def only_reference_counts(root: Any) -> bool:
    """Whether nothing counts beside ``$ref``, as in drafts up to 7."""
    return _draft(root) in _WITH_LONE_REFERENCES


def referred_path(root: Any, path: Path) -> Path:
    """The place that the reference at a place names.

    Args:
        root: the whole schema.
        path: the place of the schema that has a ``$ref``.

    Raises:
        UnsupportedFeatureError: it does not plainly name a place within the schema.
        LookupError, TypeError, ValueError: there is no such place as `path`.
    """
    resource = _resource_of(root, path)
    fragment = _fragment(at_path(root, path)["$ref"], None if resource else _identifier(root, root) or "")
    if fragment == "":
        return resource
    if fragment is not None and fragment.startswith("/"):
        keys = (key.replace("~1", "/").replace("~0", "~") for key in fragment[1:].split("/"))
        return (*resource, *keys)
    anchored = [] if fragment is None else _anchored(root, resource, fragment)
    if len(anchored) == 1:
        return anchored[0]
    location = json_pointer(*path, "$ref")
    raise UnsupportedFeatureError(
        f"{location}: parameters can refer only to places within the schema that they stand in, such as "
        "'#/$defs/name'",
        feature="$ref",
        location=location,
    )


def _fragment(reference: Any, base: str | None) -> str | None:
    """What a reference names within the schema that it stands in; None where it may lead elsewhere.

    Args:
        reference: the reference.
        base: the URI of the schema, which may be empty; None where only a fragment is understood.
    """
    if not isinstance(reference, str):
        return None
    if reference.startswith("#"):
        return unquote(reference[1:])
    if base is None:
        return None
    try:
        address, fragment = urldefrag(urljoin(base, reference))
        return unquote(fragment) if address == urldefrag(base).url else None
    except ValueError:
        return None


def _draft(root: Any) -> str:
    """The URI of the draft that a schema says it is of, or ``""``."""
    named = root.get("$schema") if isinstance(root, Mapping) else None
    return named.rstrip("#") if isinstance(named, str) else ""


def _identifier(root: Any, schema: Any) -> str | None:
    """The URI that a schema within a whole one has by itself."""
    if not isinstance(schema, Mapping):
        return None
    if schema is not root and "$ref" in schema and only_reference_counts(root):
        return None
    name = schema.get("id" if _draft(root) == _DRAFT_4 else "$id")
    return name if isinstance(name, str) and not name.startswith("#") else None


def _resource_of(root: Any, path: Path) -> Path:
    """The nearest schema around a place that has a URI of its own, or else the whole one."""
    for end in range(len(path), 0, -1):
        if _identifier(root, at_path(root, path[:end])) is not None:
            return path[:end]
    return ()


def _anchored(root: Any, resource: Path, anchor: str) -> list[Path]:
    """The places within a schema that have an anchor; some may be no schemas, such as an item of ``enum``."""
    found = []
    waiting: list[tuple[Path, Any]] = [(resource, at_path(root, resource))]
    while waiting:
        path, thing = waiting.pop()
        if isinstance(thing, list):
            waiting += (((*path, at), item) for at, item in enumerate(thing))
        if not isinstance(thing, Mapping):
            continue
        if path != resource and _identifier(root, thing) is not None:
            continue
        names = [thing.get(keyword) for keyword in ("$anchor", "$dynamicAnchor")]
        if anchor in names or f"#{anchor}" in (thing.get("$id"), thing.get("id")):
            found.append(path)
        waiting += (((*path, key), value) for key, value in thing.items())
    return found
