"""The places of a schema: where a reference leads, and what is known of a place by what is known of others.

A reference may name a place by a pointer (``#/$defs/name``), by an anchor (``#name``), and either of them
behind the schema's own ``$id``. What a further document holds is for the schema compiler alone. Many
references may lead to one place, and one place to many others, so what is found out of a place is kept, and
the stack of the thread plays no part.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from functools import cached_property
from typing import Any, TypeVar
from urllib.parse import unquote, urldefrag, urljoin

from maskwright.errors import UnsupportedFeatureError
from maskwright.json_schema.json_text import json_pointer
from maskwright.json_schema.options import DRAFTS
from maskwright.json_schema.subschemas import demands_of

__all__ = ["Finding", "Path", "WholeSchema", "find_out"]

Path = tuple[str | int, ...]
"""The keys that lead to a place in a schema."""

_Known = TypeVar("_Known")
Finding = Generator[Path, Any, _Known]
"""What finds out something of one place: it yields other places, is sent the same of each, and returns."""

_WITH_LONE_REFERENCES = frozenset(DRAFTS[name].rstrip("#") for name in ("4", "6", "7"))
_DRAFT_4 = DRAFTS["4"].rstrip("#")


class WholeSchema:
    """The whole schema of a tool's arguments, with what has been found out of its places.

    Attributes:
        document: the schema.
        kinds: the kinds of values at each place of which they are known, by those who read them.
    """

    def __init__(self, document: Any) -> None:
        self.document = document
        self.kinds: dict[Path, frozenset[str]] = {}
        self._referred: dict[Path, Path] = {}
        self._anchors: dict[Path, dict[str, list[Path]]] = {}

    def at(self, path: Path) -> Any:
        """What stands at a place.

        Raises:
            LookupError, TypeError, ValueError: there is no such place.
        """
        schema = self.document
        for key in path:
            schema = schema[int(key) if isinstance(schema, list) else key]
        return schema

    @cached_property
    def only_reference_counts(self) -> bool:
        """Whether nothing counts beside ``$ref``, as in drafts up to 7."""
        return _draft(self.document) in _WITH_LONE_REFERENCES

    @cached_property
    def outermost(self) -> Path:
        """The place of the schema that names the parameters: the whole one, or where it only refers to.

        Models that hold themselves are of the second kind. Where more counts than the reference, or it leads
        nowhere, that is the place of the reference.
        """
        path: Path = ()
        seen: set[Path] = set()
        try:
            while path not in seen and self._only_refers(self.at(path)):
                seen.add(path)
                referred = self.referred(path)
                if not isinstance(self.at(referred), Mapping):
                    break
                path = referred
        except (UnsupportedFeatureError, LookupError, TypeError, ValueError):
            pass  # what leads nowhere is refused where a grammar is made of it
        return path

    def _only_refers(self, schema: Mapping[str, Any]) -> bool:
        """Whether nothing counts of a schema but its reference, and that arguments are an object."""
        if "$ref" not in schema:
            return False
        beside = set(demands_of(schema)) - {"$ref"}
        return self.only_reference_counts or not beside or (beside == {"type"} and schema["type"] == "object")

    def referred(self, path: Path) -> Path:
        """The place that the reference at a place names.

        Args:
            path: the place of the schema that has a ``$ref``.

        Raises:
            UnsupportedFeatureError: it does not plainly name a place within the schema.
            LookupError, TypeError, ValueError: there is no such place as `path`.
        """
        if path not in self._referred:
            self._referred[path] = self._followed(path)
        return self._referred[path]

    def _followed(self, path: Path) -> Path:
        resource = self._resource_of(path)
        base = None if resource else self._identifier(self.document) or ""
        fragment = _fragment(self.at(path)["$ref"], base)
        if fragment == "":
            return resource
        if fragment is not None and fragment.startswith("/"):
            keys = (key.replace("~1", "/").replace("~0", "~") for key in fragment[1:].split("/"))
            return (*resource, *keys)
        anchored = [] if fragment is None else self._anchors_of(resource).get(fragment, [])
        if len(anchored) == 1:
            return anchored[0]
        location = json_pointer(*path, "$ref")
        raise UnsupportedFeatureError(
            f"{location}: parameters can refer only to places within the schema that they stand in, such as "
            "'#/$defs/name'",
            feature="$ref",
            location=location,
        )

    def _identifier(self, schema: Any) -> str | None:
        """The URI that a schema within the whole one has by itself."""
        if not isinstance(schema, Mapping):
            return None
        if schema is not self.document and "$ref" in schema and self.only_reference_counts:
            return None
        name = schema.get("id" if _draft(self.document) == _DRAFT_4 else "$id")
        return name if isinstance(name, str) and not name.startswith("#") else None

    def _resource_of(self, path: Path) -> Path:
        """The nearest schema around a place that has a URI of its own, or else the whole one."""
        for end in range(len(path), 0, -1):
            if self._identifier(self.at(path[:end])) is not None:
                return path[:end]
        return ()

    def _anchors_of(self, resource: Path) -> dict[str, list[Path]]:
        """The places within a schema by their anchors; some may be none, such as an item of ``enum``."""
        if resource in self._anchors:
            return self._anchors[resource]
        found: dict[str, list[Path]] = {}
        seen: set[int] = set()  # what a caller has put together may hold itself
        waiting: list[tuple[Path, Any]] = [(resource, self.at(resource))]
        while waiting:
            path, thing = waiting.pop()
            if not isinstance(thing, Mapping | list) or id(thing) in seen:
                continue
            seen.add(id(thing))
            if isinstance(thing, list):
                waiting += (((*path, at), item) for at, item in enumerate(thing))
                continue
            if path != resource and self._identifier(thing) is not None:
                continue
            for name in _anchors_at(thing):
                found.setdefault(name, []).append(path)
            waiting += (((*path, key), value) for key, value in thing.items())
        self._anchors[resource] = found
        return found


def find_out(path: Path, find: Callable[[Path], Finding[_Known]], known: dict[Path, _Known]) -> _Known:
    """What is to be known of a place, found out once for each place that it depends on.

    Args:
        path: the place.
        find: finds it out of one place.
        known: what is known already; what is found out is added.

    Raises:
        UnsupportedFeatureError: it depends on itself.
    """
    under_way: dict[Path, Finding[_Known]] = {}
    answer: _Known | None = None
    while True:
        if path in known:
            answer = known[path]
            if not under_way:
                return answer
        elif path in under_way:
            location = json_pointer(*path)
            raise UnsupportedFeatureError(
                f"{location}: the schema refers to itself, which this way of writing arguments cannot "
                "follow; describe the parameter without that, or use a format with arguments as JSON",
                feature="$ref",
                location=location,
            )
        else:
            under_way[path] = find(path)
            answer = None
        asking, finding = next(reversed(under_way.items()))
        try:
            path = finding.send(answer)
        except StopIteration as done:
            known[asking] = done.value
            del under_way[asking]
            path = asking


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


def _anchors_at(schema: Mapping[Any, Any]) -> set[str]:
    """The anchors that a schema has, in the words of any draft."""
    names = [schema.get(keyword) for keyword in ("$anchor", "$dynamicAnchor")]
    identifiers = [schema.get(keyword) for keyword in ("$id", "id")]
    return {
        *(name for name in names if isinstance(name, str)),
        *(name[1:] for name in identifiers if isinstance(name, str) and name.startswith("#")),
    }
