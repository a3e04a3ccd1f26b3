"""Schemas that the value of a member tells apart: by `if`, `oneOf`, `anyOf`, `dependencies` and `not`."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

pytest.importorskip("jsonschema", reason="jsonschema judges the texts")

from benchmarks.json_schema_random.oracle import Oracle
from benchmarks.json_schema_random.spelling import spelled

import maskwright as mw

from .documents import accepts, read_as_judged

DISCRIMINATORS = ("kind", "mode")
OTHERS = ("a", "b", "c")
VALUES: tuple[Any, ...] = ("x", "y", "z", 1, 2.0, True, None)


def discriminator_values(random: Random) -> dict[str, Any]:
    """Some values of a discriminator, listed in one of the ways to do so, or left out."""
    listed: dict[str, Any]
    match random.randrange(8):
        case 0 | 1 | 2:
            listed = {"const": random.choice(VALUES)}
        case 3 | 4:
            listed = {"enum": random.sample(VALUES, random.randint(1, 4))}
        case 5:
            listed = {"type": random.choice(("string", "integer", "null")), "enum": list(VALUES)}
        case 6:
            listed = {"enum": random.sample(VALUES, 4), "minLength": 1, "minimum": 2}
        case _:
            listed = {"type": "string"}
    return {"not": listed} if random.random() < 0.2 else listed


def discriminating(random: Random) -> dict[str, Any]:
    """A schema that says what one discriminator or both may be, and mostly that there must be one."""
    names = [name for name in DISCRIMINATORS if random.random() < 0.6] or ["kind"]
    made: dict[str, Any] = {"properties": {name: discriminator_values(random) for name in names}}
    if random.random() < 0.6:
        made["required"] = random.sample(names, random.randint(1, len(names)))
    return {"not": made} if random.random() < 0.1 else made


def consequence(random: Random) -> dict[str, Any]:
    """What holds of an object that is told apart."""
    name = random.choice(OTHERS)
    match random.randrange(7):
        case 0 | 1 | 2:
            return {"properties": {name: {"type": random.choice(("string", "integer"))}}}
        case 3 | 4:
            return {"required": [name]}
        case 5:
            return {"not": {"required": [name]}}
    return discriminating(random)


def choice(random: Random) -> dict[str, Any]:
    """One way in which discriminators decide what holds."""
    match random.randrange(6):
        case 0 | 1 | 2:
            made = {"if": discriminating(random), "then": consequence(random)}
            return made | ({"else": consequence(random)} if random.random() < 0.3 else {})
        case 3:
            both = [discriminating(random) | consequence(random) for _ in range(random.randint(2, 4))]
            return {random.choice(("oneOf", "anyOf")): both}
        case 4:
            return {"dependentSchemas": {random.choice(OTHERS): discriminating(random)}}
    return {"not": discriminating(random) | consequence(random)}


def discriminated(random: Random) -> dict[str, Any]:
    """A schema of several such choices."""
    choices = [choice(random) for _ in range(random.randint(2, 6))]
    made: dict[str, Any] = {"type": "object", "allOf": choices}
    if random.random() < 0.5:
        made["required"] = ["kind"]
    if random.random() < 0.4:
        made["properties"] = {"kind": {"enum": random.sample(VALUES, 5)}}
    return made


def document(random: Random) -> dict[str, Any]:
    """An object of some of the members that the schemas are about, in any order."""
    made = {name: random.choice((*VALUES, "w")) for name in DISCRIMINATORS if random.random() < 0.7}
    made |= {name: random.choice(("s", 1)) for name in OTHERS if random.random() < 0.4}
    return dict(random.sample(list(made.items()), len(made)))


@pytest.mark.parametrize("seed", range(2))
def test_objects_told_apart_by_members(byte_vocabulary: mw.Vocabulary, seed: int) -> None:
    compiler = mw.Compiler(byte_vocabulary)
    read, refused = 0, 0
    for index in range(20):
        random = Random(f"{seed} {index}")
        schema = discriminated(random)
        oracle = Oracle(schema, "2020-12")
        texts = {spelled(random, document(random)) for _ in range(50)}
        valid, invalid = read_as_judged(compiler, schema, oracle, texts, order="any")
        read, refused = read + valid, refused + invalid
    assert min(read, refused) > 150


COUNT = 250
NAMES = [f"n{number}" for number in range(COUNT)]


def told(name: str, **more: Any) -> dict[str, Any]:
    """The schema of the objects of one kind."""
    return {"properties": {"kind": {"const": name, **more}}}


def data(name: str) -> dict[str, Any]:
    """What is asked of one kind."""
    return {"properties": {name: {"type": "integer"}}, "additionalProperties": False}


def asked(name: str) -> dict[str, Any]:
    return {"properties": {"data": data(name)}}


def told_and_asked(name: str) -> dict[str, Any]:
    return {"properties": {"kind": {"const": name}, "data": data(name)}}


def conditions(condition: Callable[[str], dict[str, Any]], **more: Any) -> dict[str, Any]:
    """An `if` for each kind."""
    return {
        "type": "object",
        "allOf": [{"if": condition(name), "then": asked(name)} for name in NAMES],
    } | more


LARGE = {
    "if": conditions(told, required=["kind"]),
    "if, not required": conditions(told),
    "if, listed": conditions(told, required=["kind"], properties={"kind": {"enum": NAMES}}),
    "if with a type": conditions(lambda name: told(name, type="string"), required=["kind"]),
    "if that requires": conditions(lambda name: told(name) | {"required": ["kind"]}),
    "oneOf": {"type": "object", "required": ["kind"], "oneOf": list(map(told_and_asked, NAMES))},
    "anyOf": {"type": "object", "required": ["kind"], "anyOf": list(map(told_and_asked, NAMES))},
}


@pytest.mark.parametrize("schema", LARGE.values(), ids=LARGE)
def test_hundreds_of_schemas_told_apart(byte_vocabulary: mw.Vocabulary, schema: dict[str, Any]) -> None:
    """They take a few cases for each value, not for each combination of schemas."""
    budget = mw.Budget(items=20 * COUNT)
    for name in (NAMES[0], NAMES[COUNT // 2], NAMES[-1]):
        for members, is_valid in (({}, True), ({name: 1}, True), ({name: "1"}, False), ({"other": 1}, False)):
            text = json.dumps({"kind": name, "data": members})
            assert accepts(byte_vocabulary, schema, text, budget=budget) == is_valid, text
