"""Schemas that are large in one keyword: what takes the square of that comes to no end here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

import maskwright as mw


@dataclass(frozen=True)
class Large:
    """A schema, built when its test runs, and what a document begins with; none where it is refused."""

    name: str
    schema: Callable[[], Any]
    beginning: str | None
    budget: mw.Budget = mw.Budget()  # noqa: RUF009 - it is immutable
    documents: Callable[[], dict[str, Any]] | None = None
    options: dict[str, Any] = field(default_factory=dict)


def object_of(count: int) -> dict[str, int]:
    """An object of many members."""
    return {f"k{number}": number for number in range(count)}


def closed(count: int) -> dict[str, Any]:
    """An object of many members, each of which has one value and may be left out."""
    properties = {name: {"const": value} for name, value in object_of(count).items()}
    return {"type": "object", "properties": properties, "additionalProperties": False}


def some_member(value: int) -> dict[str, Any]:
    """That some member or other has a value."""
    return {"not": {"additionalProperties": {"not": {"const": value}}}}


def ring(count: int) -> dict[str, list[str]]:
    """Names of which each needs the next, and the last the first."""
    return {f"k{number}": [f"k{(number + 1) % count}"] for number in range(count)}


def alternatives(count: int) -> list[dict[str, Any]]:
    """Schemas that are not told apart, of which each evaluates a name."""
    return [{"properties": {f"k{number}": True}, "minProperties": number} for number in range(count)]


def one_of_two(count: int) -> dict[str, Any]:
    """Definitions of which each needs one of two others, and one that needs none."""
    ways = {
        f"d{at}": {
            "type": "object",
            "required": ["a"],
            "properties": {
                "a": {
                    "anyOf": [
                        {"$ref": f"#/$defs/d{(at + 1) % count}"},
                        {"$ref": f"#/$defs/d{(7 * at + 3) % count}"},
                    ]
                }
            },
        }
        for at in range(count - 1)
    }
    last = {"allOf": [{"type": ["null", "string"]}, {"type": ["null", "integer"]}]}
    return {"$ref": "#/$defs/d0", "$defs": {**ways, f"d{count - 1}": last}}


def required(members: dict[str, Any]) -> dict[str, Any]:
    """A schema of objects of given members, each of which must be there."""
    return {"properties": members, "required": list(members)}


SMALL = mw.Budget(expressions=300_000)

LARGE = [
    Large(
        "a ring of needs",
        lambda: {"type": "object", "dependentRequired": ring(5_000)},
        '{"other": 1}',
    ),
    Large(
        "needs that cannot be met in their order",
        lambda: {
            "type": "object",
            "properties": {f"k{number}": True for number in range(3_000)},
            "dependentRequired": {f"k{number}": [f"k{number - 1}"] for number in range(1, 3_000)},
        },
        '{"k0": 1, "k1": 1, "k2": 1}',
    ),
    Large(
        "names and patterns of names",
        lambda: {
            "type": "object",
            "properties": {f"k{number}": True for number in range(1_500)},
            "patternProperties": {f"^p{number}_": {"minimum": number} for number in range(1_500)},
        },
        None,
        mw.Budget(items=6_000),
    ),
    Large("alternatives", lambda: {"oneOf": alternatives(5_000)}, None, SMALL),
    Large("no alternatives", lambda: {"not": {"oneOf": alternatives(5_000)}}, None, SMALL),
    Large(
        "what alternatives leave over",
        lambda: {
            "type": "object",
            "properties": {f"n{number}": True for number in range(5_000)},
            "oneOf": alternatives(1_000),
            "unevaluatedProperties": False,
        },
        None,
        SMALL,
    ),
    Large(
        "members of which one is missing or wrong",
        lambda: {"type": "object", "not": required(dict.fromkeys(object_of(20_000), True) | {"k1": False})},
        "{}",
    ),
    Large("a constant", lambda: {"const": object_of(10_000)}, '{"k0": 0, "k1": 1, "k10": 10, "k100": 100'),
    Large(
        "what may tell apart",
        lambda: {
            "oneOf": [
                required(
                    {
                        **{name: {"const": at} for name, at in object_of(4_000).items()},
                        "last": {"const": kind},
                    }
                )
                for kind in "ab"
            ]
        },
        '{"k0": 0, "k1": 1, "k2": 2',
    ),
    Large("schemas that need one of two others", lambda: one_of_two(60), '{"a":' * 7 + "null"),
    Large(
        "lengths",
        lambda: {
            "type": "string",
            "allOf": [{"anyOf": [{"minLength": at}, {"pattern": "^a"}]} for at in range(1_000)],
        },
        '"a"',
    ),
    Large(
        "items of many kinds that must come",
        lambda: {"type": "array", "allOf": [{"contains": {"const": at}} for at in range(2_000)]},
        None,
        SMALL,
    ),
    Large(
        "items of hundreds of kinds that must come",
        lambda: {"type": "array", "allOf": [{"contains": {"const": at}} for at in range(500)]},
        "[1, 22, 333, 1",
    ),
    Large(
        "items of hundreds of kinds of which few may come",
        lambda: {
            "type": "array",
            "allOf": [{"contains": {"const": at}, "maxContains": 2} for at in range(300)],
        },
        "[1, 22, 22, 1",
    ),
    Large(
        "items that count as any of thousands",
        lambda: {
            "type": "array",
            "allOf": [{"contains": {"type": "string", "minLength": at}} for at in range(3_000)],
        },
        None,
        mw.Budget(expressions=1_000_000),
    ),
    Large(
        "just one of hundreds of ranges of numbers",
        lambda: {"oneOf": [{"type": "integer", "minimum": at, "maximum": at + 300} for at in range(300)]},
        "0",
    ),
    Large(
        "just one of hundreds of ranges of lengths",
        lambda: {"oneOf": [{"type": "string", "minLength": at, "maxLength": 600 - at} for at in range(300)]},
        '""',
    ),
    Large(
        "members of which the last two must come",
        lambda: closed(400) | {"allOf": [some_member(399), some_member(398)]},
        '{"k0": 0, "k7": 7',
    ),
    Large(
        "members of which the first must come",
        lambda: closed(400) | {"allOf": [some_member(0), some_member(200)]},
        '{"k0": 0, "k5": 5, "k200": 200, "k201"',
    ),
    Large(
        "members that must come and differ from a constant",
        lambda: closed(200) | {"required": list(object_of(199)), "not": {"const": object_of(200)}},
        '{"k100": 100, "k5": 5',
        options={"order": "any"},
    ),
    Large(
        "patterns that match anywhere",
        lambda: {"type": "string", "allOf": [{"pattern": f"{at}.{{{at}}}x"} for at in range(200)]},
        '"1 10 100 x',
    ),
    Large(
        "a metaschema",
        lambda: {
            "$defs": {f"d{at}": {"$id": f"urn:d{at}", "$schema": "urn:meta"} for at in range(5_000)},
            "type": "null",
        },
        "null",
        documents=lambda: {"urn:meta": {"x-notes": object_of(5_000)} | object_of(5_000)},
    ),
]


@pytest.mark.parametrize("case", LARGE, ids=lambda case: case.name)
def test_what_is_large_works_or_is_refused_by_its_size(byte_vocabulary: mw.Vocabulary, case: Large) -> None:
    """The constraint allows what is valid, or the budget that the schema would go past is told."""
    documents = case.documents() if case.documents else None

    def matcher() -> mw.Matcher:
        grammar = mw.Grammar.json_schema(
            case.schema(), documents=documents, budget=case.budget, **case.options
        )
        return mw.Compiler(byte_vocabulary, budget=case.budget).compile(grammar).matcher()

    if case.beginning is None:
        with pytest.raises(mw.BudgetExceededError) as caught:
            matcher().fill_mask(mw.allocate_mask(1, byte_vocabulary.size))
        assert not caught.value.budget.endswith("_time")
        return
    assert matcher().accept_bytes(case.beginning.encode())
