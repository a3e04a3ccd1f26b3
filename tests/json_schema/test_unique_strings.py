"""Strings that may not come again: what is not known of them until they end, and how little that costs."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

import maskwright as mw
from comparing import SLOW, compare_by_chance

PATTERNS = [
    "^[ab]*$",
    "^[ab]{0,3}$",
    "^[abc]{1,20}x?$",
    "^a*b$",
    "^a?b?c?$",
    "^(aa|bb){0,9}$",
    "^/?([^/]+/)*[^/]+/?$",
    "b$",
]
EXCLUDED = ["^\\s+$|\\sab\\s|\\sab$|^ab", "b$", "^a+$", "[^ab]", "^.{3,}$", "c$|^ab"]
FORMATS = ["uri-reference", "date", "email"]
#: Strings of which there are so few that all can have come.
FEW: list[dict[str, Any]] = [
    {"pattern": "^a*b$", "maxLength": 2},
    {"pattern": "^[ab]{0,2}$"},
    {"pattern": "^a?b?c?$"},
    {"maxLength": 1, "not": {"pattern": "[^ab]"}},
    {"pattern": "^(aa|bb){0,1}$"},
]
PIECES = ["a", "b", "c", "ab", " ", "/", "@", ":", "é", "1", "-"]
LISTS = [
    b'","',
    b'", "',
    b'","","',
    b'","",',
    b'","a',
    b'","a"',
    b'a",',
    b'b",',
    b'ab",',
    b'b"},{',
    b'"b',
    b'"ab',
    b'","a","a"',
    b'","b","',
    b'a","ab"',
    b'"},{"a":""',
    b'"},{"a":"a"',
    b'","\\u0061"',
    b'"]',
    b'["',
    b'[{"a":"',
]


def string(random: Random) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    if random.random() < 0.4:
        return schema | random.choice(FEW)
    conditions: list[dict[str, Any]] = [
        {"pattern": random.choice(PATTERNS)},
        {"not": {"pattern": random.choice(EXCLUDED)}},
        {"format": random.choice(FORMATS)},
        {"maxLength": random.choice([0, 1, 2, 5, 60])},
        {"minLength": random.choice([0, 1, 2])},
    ]
    for condition in random.sample(conditions, random.choice([0, 1, 1, 2])):
        schema.update(condition)
    return schema


def unique(random: Random) -> dict[str, Any]:
    item = random.choice(
        [
            string(random),
            string(random),
            {"type": "object", "properties": {"a": string(random)}, "additionalProperties": False},
            {"type": "array", "items": string(random), "maxItems": 2},
            string(random) | {"type": ["string", "null"]},
        ]
    )
    return {"type": "array", "uniqueItems": True, "items": item}


@pytest.mark.parametrize("seed", range(6))
def test_masks_are_what_reading_each_token_says(seed: int) -> None:
    compare_by_chance(unique, seed, SLOW, PIECES, LISTS)


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        ({}, "any text of some length"),
        ({"format": "uri-reference"}, "file:///some/path/to/a/file"),
        ({"pattern": "^/?([^/]+/)*[^/]+/?$"}, "some/path/to/some/file"),
        ({"minLength": 1, "not": {"pattern": "^\\s+$|\\spx$|^px"}}, "size to ninety"),
    ],
    ids=["any", "uri-reference", "path", "not"],
)
def test_what_is_read_of_a_string_costs_a_state_for_each_token(condition: dict[str, Any], text: str) -> None:
    pieces = [b'","', b'","","', b'","",', b'","/', b'","+', b", ", b'", "']
    tokens = [*(bytes([byte]) for byte in range(256)), *pieces, None]
    vocabulary = mw.Vocabulary.from_tokens(tokens, stop_ids=[len(tokens) - 1])
    schema = {"type": "array", "uniqueItems": True, "items": {"type": "string"} | condition}
    constraint = mw.Compiler(vocabulary).compile(mw.Grammar.json_schema(schema))
    matcher = constraint.matcher()
    mask = mw.allocate_mask(1, vocabulary.size)
    states = []
    for byte in f'["{text}'.encode():
        assert matcher.accept(byte)
        matcher.fill_mask(mask)
        states.append(constraint.statistics().states)
    # What is met for the first time, such as the second part of a path, takes some more.
    assert states[-1] - states[-6] <= 10
