"""Strings and keys that several patterns match or must not match: masks compared."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

import maskwright as mw
from comparing import PIECES, SLOW, WITHOUT_SHORT_CUTS, compare_schemas, vocabulary_of

WORDS = ["ab", "aba", "a-", "b1", "é", "-", "1", "[`-o]", "\\\\"]
CLASSES = ["[ab]", "[a-z]", "[0-9]", "[^a]", "[!-~]", r"\w", r"\S", ".", "[à-ÿ]"]
TIMES = ["", "", "+", "*", "?", "{2}", "{1,3}"]
IN_JSON = [*PIECES, "ab1", "a-b", "1", "\\n", "\\u0062", "\\u006", "\\\\", '"', '": ', '", "', "}"]
CUT_SHORT = [b"a\xc3", b"\xc3", b"\xa9b", b"b\xe2", b"\\u00", b"\\u006"]
#: Together they leave no character of those that an escape, or a first byte, can turn out to be.
TOGETHER = [["[`-g]", "[h-o]"], ["[À-ß]", "[à-ÿ]"]]


def part_of(random: Random) -> str:
    if random.random() < 0.5:
        return random.choice(WORDS)
    written_out = random.choice(CLASSES) * random.choice([1, 2, 3])
    return written_out + random.choice(TIMES)


def pattern_of(random: Random) -> str:
    pattern = "".join(part_of(random) for _ in range(random.choice([1, 2, 3])))
    either = random.choice(["", "", f"|{part_of(random)}"])
    return random.choice(["", "", "^"]) + pattern + random.choice(["", "", "$"]) + either


def condition_of(random: Random) -> dict[str, Any]:
    conditions: list[dict[str, Any]] = [
        {"pattern": pattern_of(random)},
        {"not": {"pattern": pattern_of(random)}},
        {"not": {"pattern": pattern_of(random)}},
        {"not": {"enum": random.sample(["ab", "a", "b1", ""], 2)}},
    ]
    return random.choice(conditions)


def schema_of(random: Random) -> dict[str, Any]:
    values: list[Any] = [{"const": 1}, {"type": "integer"}, {"type": "null"}, False]
    keys = {pattern_of(random): random.choice(values) for _ in range(random.choice([2, 3]))}
    either = [{"type": "string", "pattern": pattern_of(random)} for _ in range(2)]
    conditions = [condition_of(random) for _ in range(random.choice([2, 3, 4]))]
    together = [{"not": {"pattern": pattern}} for pattern in random.choice(TOGETHER)]
    schemas: list[dict[str, Any]] = [
        {"type": "string", "allOf": random.choice([conditions, conditions, together])},
        {"type": "object", "patternProperties": keys, "additionalProperties": random.random() < 0.7},
        {"oneOf": either},
    ]
    return random.choice(schemas)


@pytest.mark.parametrize(
    ("seed", "settings", "count", "least"),
    [*((seed, WITHOUT_SHORT_CUTS, 14, 60) for seed in range(5)), (5, SLOW, 5, 20)],
    ids=lambda value: "" if isinstance(value, mw.Settings) else str(value),
)
def test_masks_are_what_reading_each_token_says(
    seed: int, settings: mw.Settings, count: int, least: int
) -> None:
    random = Random(seed)
    vocabulary = vocabulary_of(random, 400, pieces=IN_JSON, more=CUT_SHORT)
    assert compare_schemas(vocabulary, schema_of, random, count, settings) > least
