"""Strings and keys that patterns may match anywhere, or must not: masks are those of each token."""

from __future__ import annotations

from random import Random
from typing import Any

import maskwright as mw
from comparing import PIECES, by_chance, compare_by_chance

SOUGHT = ["a", "ab", "aba", "<", "</p", "é", "€", "a-", " b", "[", '"', "\\\\"]
BEHIND = ["", "", "[ab]", "b+", "[^é]", "(a|€)", "{2}", ".*c"]
IN_JSON = [*PIECES, "\\u0061", "\\u00", "\\\\", '\\"', '"', '": ', "1", "null"]
CUT_SHORT = [b"a\xc3", b"\xc3", b"\xa9b", b"b\xe2", b"\\u00", b"\\u006"]
CLASSES = ["[ab]", "[a-z]", "[0-9]", "[^a]", "[!-~]", r"\w", r"\S", ".", "[à-ÿ]"]
TIMES = ["", "", "+", "*", "?", "{2}", "{1,3}"]
#: Together they leave no character of those that an escape, or a first byte, can turn out to be.
TOGETHER = [["[`-g]", "[h-o]"], ["[À-ß]", "[à-ÿ]"]]


def class_of(random: Random) -> str:
    return random.choice(CLASSES) * random.choice([1, 2, 3]) + random.choice(TIMES)


def pattern_of(random: Random) -> str:
    if random.random() < 0.3:
        return random.choice(["", "^"]) + class_of(random) + random.choice(["", "$", class_of(random)])
    word, behind = random.choice(SOUGHT).replace("[", "\\["), random.choice(BEHIND)
    shape = random.choice(["{}{}", "{}{}", "{}{}", "^{}{}", "({}|€c){}", "[abc]{}{}", "{}{}$"])
    return shape.format(word if len(word) == 1 or not behind.startswith("{") else f"({word})", behind)


def schema_of(random: Random) -> dict[str, Any]:
    one, two, three = (pattern_of(random) for _ in range(3))
    together = random.choice([[one, two], [one, two, three], random.choice(TOGETHER)])
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
        {"type": "string", "allOf": [{"not": {"pattern": pattern}} for pattern in together]},
        {
            "type": "string",
            "pattern": one,
            "allOf": [{"not": {"pattern": two}}, {"not": {"enum": ["ab", "a"]}}],
        },
        {"type": "string", "allOf": [{"pattern": f"{one}.*b$"}, {"pattern": "^[ab<é -]*$"}]},
    ]
    return random.choice(schemas)


@by_chance
def test_masks_are_what_reading_each_token_says(seed: int, settings: mw.Settings) -> None:
    compare_by_chance(schema_of, seed, settings, IN_JSON, CUT_SHORT)
