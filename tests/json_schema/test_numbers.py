"""Choices among numbers against an independent validator: bounds, divisors, constants, and all together."""

from __future__ import annotations

from decimal import Decimal
from random import Random
from typing import Any

import pytest

pytest.importorskip("jsonschema", reason="jsonschema judges the texts")

from benchmarks.json_schema_random.oracle import Oracle
from benchmarks.json_schema_random.spelling import spelled

import maskwright as mw

from .documents import read_as_judged

DIVISORS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 33, 35, 77, 100, 1000, 0.25, 0.5, 1.5, 2.5)
CONSTANTS = (0, 1, -3, 6, 7.5, 12, 33, 35, 66, 70, 77, 84, 100, 210, 231, 385)


def demand(random: Random) -> dict[str, Any]:
    """One keyword about numbers, or its denial."""
    match random.randrange(20):
        case 0 | 1 | 2:
            return {"type": "integer"}
        case 3 | 4:
            return {"minimum": random.choice((-50, -7, 0, 3, 10.5, 100))}
        case 5 | 6:
            return {"exclusiveMaximum": random.choice((-5, 0, 7, 33, 99.5, 400))}
        case 7 | 8:
            return {"enum": random.sample(CONSTANTS, 4)}
        case 9 | 10:
            return {"not": demand(random)}
    return {"multipleOf": random.choice(DIVISORS)}


def conjunction(random: Random) -> dict[str, Any]:
    return demand(random) if random.random() < 0.6 else {"allOf": [demand(random), demand(random)]}


def choice(random: Random, alternatives: int) -> dict[str, Any]:
    keyword = random.choice(("anyOf", "anyOf", "anyOf", "oneOf"))
    return {keyword: [conjunction(random) for _ in range(random.randint(2, alternatives))]}


def bounded_choices(random: Random, *, choices: int, alternatives: int) -> dict[str, Any]:
    """A schema of several choices, mostly between bounds."""
    made: dict[str, Any] = {"type": "number", "allOf": [choice(random, alternatives) for _ in range(choices)]}
    low = random.choice((-4000, -300, -50, 0, 0.5, 7, 30, 1000))
    if random.random() < 0.9:
        made[random.choice(("minimum", "exclusiveMinimum"))] = low
    if random.random() < 0.9:
        high = low + random.choice((0.5, 5, 10, 60, 500, 3000))
        made[random.choice(("maximum", "exclusiveMaximum"))] = high
    if random.random() < 0.4:
        made["not"] = conjunction(random)
    return made


def numbers_for(random: Random, schema: dict[str, Any]) -> list[Decimal]:
    """Numbers of all sizes, most of them near the bounds of the schema, and multiples of some divisors."""
    low = int(schema.get("minimum", schema.get("exclusiveMinimum", -100)))
    high = int(schema.get("maximum", schema.get("exclusiveMaximum", low + 4000)))
    low, high = min(low, high) - 1, max(low, high) + 1
    made = [Decimal(random.randint(4 * low, 4 * high)) / 4 for _ in range(40)]
    made += [Decimal(random.randint(-20_000, 20_000)) / 4 for _ in range(20)]
    for divisor in (4, 12, 35, 77, 132, 385, 462):
        made += [Decimal(random.randint(low, high) // divisor * divisor) for _ in range(10)]
    return made + [Decimal(str(value)) for value in CONSTANTS]


@pytest.mark.parametrize(("choices", "alternatives"), [(1, 12), (2, 4), (3, 3), (4, 5)])
def test_choices_of_numbers(byte_vocabulary: mw.Vocabulary, choices: int, alternatives: int) -> None:
    """Few combinations of alternatives are multiplied out, and others are not: both are right."""
    compiler = mw.Compiler(byte_vocabulary)
    read, refused = 0, 0
    for seed in range(12):
        random = Random(f"{choices} {alternatives} {seed}")
        schema = bounded_choices(random, choices=choices, alternatives=alternatives)
        oracle = Oracle(schema, "2020-12")
        texts = {spelled(random, number) for number in numbers_for(random, schema)}
        valid, invalid = read_as_judged(compiler, schema, oracle, texts)
        read, refused = read + valid, refused + invalid
    assert min(read, refused) > 50
