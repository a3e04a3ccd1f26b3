"""Schemas that few documents satisfy: each mask on the way is compared with all of them, written out.

``jsonschema``, which knows nothing of masks, says which values of a small universe satisfy a schema. After
each beginning of their texts just those bytes may come with which one of them goes on: no dead end, and
nothing hidden.
"""

from __future__ import annotations

import itertools
import json
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import pytest

import maskwright as mw
from json_schema.small_schemas import UNIVERSE, SmallSchemas
from only_bytes import only_bytes

jsonschema = pytest.importorskip("jsonschema", reason="jsonschema says which documents there are")

BYTES = only_bytes()
SCHEMAS = 120


def written(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def of_universe(schema: dict[str, Any]) -> list[Any]:
    is_valid = jsonschema.Draft202012Validator(schema).is_valid
    return [value for value in UNIVERSE if is_valid(value)]


def lists_of_different(values: list[Any], least: int, most: int) -> list[Any]:
    lengths = range(least, most + 1)
    lists = itertools.chain.from_iterable(itertools.permutations(values, length) for length in lengths)

    def are_different(items: Iterable[Any]) -> bool:
        keys = [json.dumps(item, sort_keys=True) for item in items]
        return len(set(keys)) == len(keys)

    return [items for items in lists if are_different(items)]


def check(schema: dict[str, Any], values: list[Any]) -> bool:
    """Compares every mask with what the values go on with; whether the schema is one that is not refused."""
    documents = set(map(written, values))
    following = defaultdict(set)
    for document in documents:
        for end in range(len(document)):
            following[document[:end]].add(ord(document[end]))
    try:
        grammar = mw.Grammar.json_schema(schema, order="any", whitespace="compact", minimal_escapes=True)
        matcher = mw.Compiler(BYTES).compile(grammar).matcher()
    except mw.EmptyGrammarError:
        assert not documents, schema
        return True
    except mw.UnsupportedFeatureError:
        return False
    assert documents, schema
    ways = [(b"", matcher)]
    for beginning in sorted(text.encode() for text in {*following, *documents}):
        while not beginning.startswith(ways[-1][0]):
            ways.pop()
        before, at = ways[-1]
        at = at.fork()
        assert at.accept_bytes(beginning[len(before) :]), (beginning, schema)
        text = beginning.decode()
        found = set(at.allowed_bytes()), at.is_complete
        assert found == (following[text], text in documents), (beginning, schema)
        ways.append((beginning, at))
    return True


@pytest.mark.parametrize("seed", range(3))
def test_masks_are_what_the_documents_go_on_with(seed: int) -> None:
    schemas = SmallSchemas(seed)
    compared = 0
    for _ in range(SCHEMAS):
        schema = schemas.of_universe()
        compared += check(schema, of_universe(schema))
    assert compared > 0.9 * SCHEMAS


@pytest.mark.parametrize("seed", range(3))
def test_masks_of_different_items_are_what_the_documents_go_on_with(seed: int) -> None:
    schemas = SmallSchemas(seed)
    compared = 0
    for least in itertools.islice(itertools.cycle([0, 1, 2]), SCHEMAS // 2):
        items = schemas.container()
        values = of_universe(items)
        most = 3 if len(values) < 12 else 2
        schema = {"type": "array", "items": items, "minItems": least, "maxItems": most, "uniqueItems": True}
        compared += check(schema, lists_of_different(values, least, most))
    assert compared > 0.6 * SCHEMAS // 2
