"""The schemas of SchemaStore with their documents, read from the archive."""

from __future__ import annotations

import json
import tarfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urldefrag, urljoin

__all__ = ["ARCHIVE", "Document", "Store", "StoreSchema", "read_store"]

ARCHIVE = "schemastore.tar.xz"
HOSTS = ("https://json.schemastore.org/", "https://www.schemastore.org/", "http://json.schemastore.org/")
FOLDERS = {"test": True, "negative_test": False}


@dataclass(frozen=True, slots=True)
class Document:
    """A document of a schema: its path in the archive, its text, and whether it ought to be valid."""

    path: str
    text: str
    valid: bool


@dataclass(slots=True)
class StoreSchema:
    """A schema by the name of its file, with its documents."""

    name: str
    text: str
    documents: list[Document] = field(default_factory=list)


class Store:
    """All schemas, and what they may refer to, by URI."""

    def __init__(self, schemas: Mapping[str, StoreSchema]) -> None:
        self.schemas = schemas
        self._by_uri: dict[str, str] = {}
        self._references: dict[str, frozenset[str]] = {}
        for schema in schemas.values():
            root = json.loads(schema.text)
            identifier = _identifier(root, _draft(root))
            addresses = [host + schema.name + ending for host in HOSTS for ending in ("", ".json")]
            for uri in [identifier, *addresses, f"{schema.name}.json"]:
                self._by_uri.setdefault(uri, schema.text)

    def documents_for(self, schema: StoreSchema) -> dict[str, str]:
        """What a schema refers to, directly or through others, as texts by URI."""
        found: dict[str, str] = {}
        root = json.loads(schema.text)
        itself = _identifier(root, _draft(root))
        pending = list(_references(root, ""))
        while pending:
            uri = pending.pop()
            text = self._by_uri.get(uri)
            if text is None or uri in found or uri == itself:
                continue
            found[uri] = text
            pending += self._references_of(uri, text)
        return found

    def stands_alone(self, schema: StoreSchema) -> bool:
        """Whether a schema refers to no other document, be it in the store or not."""
        root = json.loads(schema.text)
        return set(_references(root, "")) <= {"", _identifier(root, _draft(root))}

    def _references_of(self, uri: str, text: str) -> frozenset[str]:
        if uri not in self._references:
            self._references[uri] = frozenset(_references(json.loads(text), uri))
        return self._references[uri]


def _draft(schema: Any) -> str:
    """The URI of a schema's draft; empty where it names none, which is taken for draft 7."""
    draft = schema.get("$schema") if isinstance(schema, dict) else None
    return draft if isinstance(draft, str) else ""


def _identifier(schema: Any, draft: str) -> str:
    """The URI that a schema names itself, without a fragment; empty if it names none.

    It is ``id`` in draft 4, ``$id`` since, and up to draft 7 it counts for nothing beside a ``$ref``.
    """
    if not isinstance(schema, dict) or ("$ref" in schema and "/draft/20" not in draft):
        return ""
    found = schema.get("id" if "draft-04" in draft else "$id")
    return urldefrag(found).url if isinstance(found, str) else ""


def _references(schema: Any, base: str) -> Iterator[str]:
    """The URIs, without fragments, of all that ``$ref`` refers to, wherever it stands."""
    draft = _draft(schema)
    pending = [(schema, base)]
    while pending:
        value, base = pending.pop()
        if isinstance(value, list):
            pending += [(item, base) for item in value]
        elif isinstance(value, dict):
            base = urljoin(base, _identifier(value, draft))
            reference = value.get("$ref")
            if isinstance(reference, str):
                yield urldefrag(urljoin(base, reference)).url
            pending += [(item, base) for item in value.values()]


def read_store(archive: Path) -> Store:
    """Reads the schemas and their positive and negative documents."""
    schemas: dict[str, StoreSchema] = {}
    documents: dict[str, list[Document]] = defaultdict(list)
    with tarfile.open(archive) as files:
        for member in files:
            stream = files.extractfile(member)
            if stream is None or not member.name.startswith("src/"):
                continue
            text = stream.read().decode("utf-8-sig")
            _, folder, name, *_ = member.name.split("/")
            if folder == "schemas":
                name = Path(member.name).stem
                schemas[name] = StoreSchema(name, text)
            else:
                documents[name].append(Document(member.name, text, FOLDERS[folder]))
    for name, listed in documents.items():
        if name in schemas:
            schemas[name].documents = sorted(listed, key=lambda document: document.path)
    return Store(dict(sorted(schemas.items())))
