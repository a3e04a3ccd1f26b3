"""Texts of so many parts or characters, fixed strings, kinds that a constant tells apart: masks compared."""

from __future__ import annotations

from random import Random
from typing import Any

import maskwright as mw
from comparing import PIECES, by_chance, compare_by_chance

PARTS = [r"\S+\s+", r"\S+\s*", "[^-]+- ?", "[ab]+[ -]", r"\w+ ", r"\s+\S+", "-[ab]*", "é+€"]
ENDS = [r"\S+", "[ab]+", "", r"\w*", ".*", "€?"]
CONDITIONS = [
    "^([ab]-?)*$",
    r"^(\S+\s+)*\S+$",
    "^[^b]*-[^b]*$",
    "^(?!.*(ab|- ))",
    "(?=.*[ab])(?=.*-)",
    r"^\S{1,2}€",
]
FIXED = ["a", "ab", "aba", "a b", "b-", 'a"b', "a\\b", "é", "é€", "abc/d", "ca", "cab"]
IN_JSON = [*PIECES, "a b ", "  ", "- ", "\\n", "\\u0020", "\\\\", '"', '": ', ', "', " [", "1"]
CUT_SHORT = [b"a\xe2", b" \xe2\x82", b"b \xc3", b" \xe2", b"\xac a", b"a a\xe2"]


def string_of(random: Random) -> dict[str, Any]:
    least, more = random.choice([0, 0, 1, 2]), random.choice([1, 2, 4, 9])
    parts = f"^(?:{random.choice(PARTS)}){{{least},{least + more}}}{random.choice(ENDS)}$"
    schema: dict[str, Any] = {
        "type": "string",
        "pattern": random.choice([parts, parts, random.choice(CONDITIONS)]),
    }
    if random.random() < 0.6:
        schema["maxLength"] = random.choice([3, 5, 9, 17, 20, 40])
    if random.random() < 0.4:
        schema["minLength"] = random.choice([0, 1, 2])
    return schema


def kind_of(random: Random, kind: str) -> dict[str, Any]:
    value = random.choice([{"type": "integer"}, {"type": "string"}, {"enum": [1, "a"]}])
    schema: dict[str, Any] = {"type": "object", "properties": {"a": {"const": kind}, "b": value}}
    if random.random() < 0.5:
        schema["additionalProperties"] = False
    return schema


def schema_of(random: Random) -> dict[str, Any]:
    schemas: list[dict[str, Any]] = [
        string_of(random),
        string_of(random),
        {"type": "array", "items": string_of(random)},
        {"type": "array", "items": {"enum": random.sample(FIXED, 8)}, "uniqueItems": random.random() < 0.5},
        {"type": "object", "properties": {name: {"const": 1} for name in random.sample(FIXED, 6)}},
        {"oneOf": [kind_of(random, kind) for kind in ["a", "b", "ab"]]},
    ]
    return random.choice(schemas)


@by_chance
def test_masks_are_what_reading_each_token_says(seed: int, settings: mw.Settings) -> None:
    compare_by_chance(schema_of, seed, settings, IN_JSON, CUT_SHORT)
