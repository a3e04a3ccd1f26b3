"""Strings and keys that patterns may match anywhere, or must not: masks are those of each token."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

import maskwright as mw
from comparing import PIECES, SLOW, WITHOUT_SHORT_CUTS, compare_schemas, vocabulary_of

SOUGHT = ["a", "ab", "aba", "<", "</p", "é", "€", "a-", " b", "[", '"', "\\\\"]
BEHIND = ["", "", "[ab]", "b+", "[^é]", "(a|€)", "{2}", ".*c"]
IN_JSON = [*PIECES, "\\u0061", "\\u00", "\\\\", '\\"', '"', '": ', "1", "null"]


def pattern_of(random: Random) -> str:
    word, behind = random.choice(SOUGHT).replace("[", "\\["), random.choice(BEHIND)
    shape = random.choice(["{}{}", "{}{}", "{}{}", "^{}{}", "({}|€c){}", "[abc]{}{}", "{}{}$"])
    return shape.format(word if len(word) == 1 or not behind.startswith("{") else f"({word})", behind)


def schema_of(random: Random) -> dict[str, Any]:
    one, two, three = (pattern_of(random) for _ in range(3))
    schemas: list[dict[str, Any]] = [
        {"type": "string", "pattern": one},
        {"type": "string", "not": {"pattern": one}, "pattern": two},
        {"type": "string", "oneOf": [{"pattern": one}, {"pattern": two}, {"pattern": three}]},
        {"type": "object", "patternProperties": {one: {"const": 1}, two: {"type": "null"}}},
        {
            "type": "object",
            "patternProperties": {one: {"type": "string"}},
            "additionalProperties": {"const": 1},
        },
        {"type": "string", "allOf": [{"pattern": f"{one}.*b$"}, {"pattern": "^[ab<é -]*$"}]},
    ]
    return random.choice(schemas)


@pytest.mark.parametrize(
    ("seed", "settings", "count", "least"),
    [*((seed, WITHOUT_SHORT_CUTS, 12, 100) for seed in range(5)), (5, SLOW, 4, 30)],
    ids=lambda value: "" if isinstance(value, mw.Settings) else str(value),
)
def test_masks_are_what_reading_each_token_says(
    seed: int, settings: mw.Settings, count: int, least: int
) -> None:
    random = Random(seed)
    vocabulary = vocabulary_of(random, 400, pieces=IN_JSON)
    assert compare_schemas(vocabulary, schema_of, random, count, settings) > least
