"""The JSON Schema Test Suite, read from its archive."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from benchmarks.json_schema.engines import Problem

__all__ = ["ARCHIVE", "DRAFTS", "Section", "Suite", "SuiteSchema", "read_suite"]

ARCHIVE = "json-schema-test-suite.tar.xz"
DRAFTS = ("4", "6", "7", "2019-09", "2020-12")
REMOTE_BASE = "http://localhost:1234/"


class Section(StrEnum):
    """The parts of a draft's tests."""

    MAIN = "main"
    """What every implementation must do. ``format`` is an annotation here."""
    FORMAT = "format"
    """``format`` enforced."""
    OPTIONAL = "optional"
    """What an implementation may do otherwise."""


@dataclass(frozen=True, slots=True)
class SuiteSchema:
    """One schema of the suite with its tests.

    Attributes:
        draft: the draft whose folder it is in.
        section: the part of the draft.
        file: the name of its file, without ``.json``; mostly a keyword.
        description: what the suite calls it.
        schema: the schema.
        tests: description, value, and whether it is valid.
    """

    draft: str
    section: Section
    file: str
    description: str
    schema: Any
    tests: tuple[tuple[str, Any, bool], ...]


@dataclass(frozen=True, slots=True)
class Suite:
    """All schemas of the five drafts, and the documents that they refer to, as texts by path."""

    schemas: tuple[SuiteSchema, ...]
    remotes: Mapping[str, str]

    def problem(self, schema: SuiteSchema) -> Problem:
        """A schema with the documents that the suite promises to its draft.

        These are the remotes of all drafts and of its own, and those of another draft that it names. Remotes
        of different drafts may claim the same ``$id``, so that all of them together would be ambiguous.
        """
        text = json.dumps(schema.schema)
        documents = {
            REMOTE_BASE + path: document
            for path, document in self.remotes.items()
            if _folder(path) in ("", f"draft{schema.draft}") or REMOTE_BASE + path in text
        }
        return Problem(schema.schema, schema.draft, documents, schema.section is not Section.MAIN)


def _folder(path: str) -> str:
    """The folder of a remote that belongs to one version of JSON Schema; empty for the others."""
    first = path.split("/", maxsplit=1)[0]
    return first if first == "v1" or first.startswith("draft") else ""


def read_suite(archive: Path) -> Suite:
    """Reads the main and optional tests of the five drafts, in the order of their names."""
    schemas: list[SuiteSchema] = []
    remotes: dict[str, str] = {}
    with tarfile.open(archive) as files:
        members = sorted((member for member in files if member.name.endswith(".json")), key=lambda m: m.name)
        for member in members:
            stream = files.extractfile(member)
            assert stream is not None, "it is a regular file"
            text = stream.read().decode()
            if member.name.startswith("remotes/"):
                remotes[member.name.removeprefix("remotes/")] = text
            else:
                schemas += _schemas(member.name, text)
    return Suite(tuple(schemas), remotes)


def _schemas(path: str, text: str) -> list[SuiteSchema]:
    """The schemas of one file, if it belongs to one of the five drafts."""
    _, folder, *optional, file = path.removesuffix(".json").split("/")
    draft = folder.removeprefix("draft")
    if draft not in DRAFTS:
        return []
    section = {0: Section.MAIN, 1: Section.OPTIONAL, 2: Section.FORMAT}[len(optional)]
    return [
        SuiteSchema(
            draft,
            section,
            file,
            entry["description"],
            entry["schema"],
            tuple((test["description"], test["data"], test["valid"]) for test in entry["tests"]),
        )
        for entry in json.loads(text)
    ]
