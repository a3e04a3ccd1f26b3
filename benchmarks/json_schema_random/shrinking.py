"""Makes a mismatch small: drops parts of its schema and document while the two sides still disagree."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import maskwright as mw
from benchmarks.json_schema_random.checking import Mismatch
from benchmarks.json_schema_random.engine import DEAD_END, Subject
from benchmarks.json_schema_random.oracle import NotJsonError, Oracle, parse
from benchmarks.json_schema_random.spelling import plain

__all__ = ["reductions", "shrunk"]

TRIES = 3000


def shrunk(words: mw.Vocabulary, mismatch: Mismatch) -> Mismatch:
    """The smallest mismatch found. One that shows only while its text is written stays as it is."""
    if not _disagree(words, mismatch):
        return mismatch
    tries = iter(range(TRIES))

    def holds(candidate: Mismatch) -> bool:
        return next(tries, None) is not None and _disagree(words, candidate)

    while True:
        smaller = _smaller_schema(mismatch, holds) or _smaller_document(mismatch, holds)
        if smaller is None:
            return mismatch
        mismatch = smaller


def _disagree(words: mw.Vocabulary, mismatch: Mismatch) -> bool:
    try:
        oracle = Oracle(mismatch.schema, mismatch.draft)
        subject = Subject(words, mismatch.schema, mismatch.order, mismatch.whitespace)
        if mismatch.fault == DEAD_END:
            return subject.is_dead_end(mismatch.text)
        expected, verdict = oracle.is_valid(mismatch.text), subject.is_valid(mismatch.text)
    except Exception:  # a candidate may be no schema at all, for either side
        return False
    return verdict is not None and verdict != expected


def _smaller_schema(mismatch: Mismatch, holds: Callable[[Mismatch], bool]) -> Mismatch | None:
    for schema in reductions(mismatch.schema):
        if isinstance(schema, dict) and schema.get("$schema") == mismatch.schema["$schema"]:
            candidate = replace(mismatch, schema=schema)
            if holds(candidate):
                return candidate
    return None


def _smaller_document(mismatch: Mismatch, holds: Callable[[Mismatch], bool]) -> Mismatch | None:
    try:
        value = parse(mismatch.text)
    except NotJsonError:
        return None
    for smaller in (value, *reductions(value)):
        text = plain(smaller)
        candidate = replace(mismatch, text=text)
        if len(text) < len(mismatch.text) and holds(candidate):
            return candidate
    return None


def reductions(value: Any) -> Iterator[Any]:
    """Values with one part less, or with one part in place of the whole; the largest steps first."""
    if isinstance(value, dict):
        for key in value:
            yield {name: member for name, member in value.items() if name != key}
        yield from value.values()
        for key, member in value.items():
            for smaller in reductions(member):
                yield {**value, key: smaller}
    elif isinstance(value, list):
        for place in range(len(value)):
            yield value[:place] + value[place + 1 :]
        yield from value
        for place, item in enumerate(value):
            for smaller in reductions(item):
                yield [*value[:place], smaller, *value[place + 1 :]]
    elif isinstance(value, str) and len(value) > 1:
        yield from (value[:place] + value[place + 1 :] for place in range(len(value)))
