"""Random schemas that only values of a small universe satisfy: all their documents can be written out."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["UNIVERSE", "SmallSchemas"]

_Value = TypeVar("_Value")

SCALARS: list[Any] = [True, None, "x", "xy"]
NESTED: list[Any] = [[], [True], {}, {"a": True}]
PARTS = [*SCALARS, *NESTED]
MEMBERS = [*SCALARS, [], [True]]

LISTS = [list(items) for length in range(3) for items in itertools.product(PARTS, repeat=length)]
NAMES = ["a", "ab"]
KEYS = [keys for length in range(3) for keys in itertools.permutations(NAMES, length)]
OBJECTS = [
    dict(zip(keys, values, strict=True))
    for keys in KEYS
    for values in itertools.product(MEMBERS, repeat=len(keys))
]
UNIVERSE: list[Any] = [*SCALARS, *LISTS, *OBJECTS]
"""Objects come in every order of their keys."""

SHORT_LIST = {"type": "array", "items": {"const": True}, "maxItems": 1}
SHORT_OBJECT = {"type": "object", "properties": {"a": {"const": True}}, "additionalProperties": False}
MEMBER = {"anyOf": [{"enum": SCALARS}, SHORT_LIST]}
OF_UNIVERSE = {
    "anyOf": [
        {"enum": SCALARS},
        {
            "type": "array",
            "items": {"anyOf": [{"enum": SCALARS}, SHORT_LIST, SHORT_OBJECT]},
            "maxItems": 2,
        },
        {"type": "object", "properties": dict.fromkeys(NAMES, MEMBER), "additionalProperties": False},
    ]
}
"""What just the values of the universe satisfy, told by keywords."""

TYPES: list[Any] = [
    "array",
    "object",
    "boolean",
    ["array", "object"],
    ["array", "null"],
    ["object", "boolean"],
]
OF_NAMES: list[Any] = [{"const": "a"}, {"pattern": "b$"}, {"minLength": 2}, {"enum": NAMES}]


class SmallSchemas:
    """Makes random schemas.

    Args:
        seed: the same one gives the same schemas.
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        below = self._below
        self._keywords: dict[str, Callable[[int], Any]] = {
            "type": lambda _: self._random.choice(TYPES),
            "enum": lambda _: self._some(UNIVERSE, 30),
            "not": below,
            "if": below,
            "then": below,
            "else": below,
            "anyOf": self._several,
            "oneOf": self._several,
            "items": below,
            "prefixItems": self._several,
            "contains": below,
            "minContains": lambda _: self._random.randint(0, 2),
            "maxContains": lambda _: self._random.randint(1, 2),
            "minItems": lambda _: self._random.randint(0, 2),
            "maxItems": lambda _: self._random.randint(0, 2),
            "uniqueItems": lambda _: True,
            "unevaluatedItems": below,
            "properties": lambda depth: {name: below(depth) for name in self._some(NAMES, 2)},
            "patternProperties": lambda depth: {self._random.choice(["^a", "b", "^a$"]): below(depth)},
            "additionalProperties": below,
            "unevaluatedProperties": below,
            "propertyNames": lambda _: self._random.choice(OF_NAMES),
            "required": lambda _: self._some(NAMES, 2),
            "minProperties": lambda _: self._random.randint(0, 2),
            "maxProperties": lambda _: self._random.randint(0, 2),
            "dependentRequired": lambda _: {"a": ["ab"]},
            "dependentSchemas": lambda depth: {self._random.choice(NAMES): below(depth)},
        }

    def of_universe(self) -> dict[str, Any]:
        """A schema that some values of the universe may satisfy, and no others."""
        return {"allOf": [OF_UNIVERSE, self._some_keywords(2)]}

    def container(self) -> dict[str, Any]:
        """A schema of arrays or objects of the universe whose parts can have few values."""
        is_array = self._random.random() < 0.5
        part = {"enum": self._some(PARTS if is_array else MEMBERS, 3)}
        keywords: dict[str, Any] = {"minItems": self._random.randint(1, 2), "uniqueItems": True}
        if not is_array:
            keywords = {
                "minProperties": self._random.randint(0, 2),
                "maxProperties": self._random.randint(0, 2),
                "required": self._some(NAMES, 2),
            }
        container = {name: value for name, value in keywords.items() if self._random.random() < 0.7}
        container |= (
            {"type": "array", "items": part} if is_array else {"type": "object", "additionalProperties": part}
        )
        if self._random.random() < 0.25:
            container["not"] = {"enum": self._some(UNIVERSE, 30)}
        return {"allOf": [OF_UNIVERSE, container]}

    def _some_keywords(self, depth: int) -> dict[str, Any]:
        names = self._random.sample(sorted(self._keywords), self._random.randint(1, 5))
        return {name: self._keywords[name](depth) for name in names}

    def _below(self, depth: int) -> Any:
        if depth > 0 and self._random.random() < 0.65:
            return self._some_keywords(depth - 1)
        plain = [{"enum": self._some(PARTS, 3)}, {"type": self._random.choice(TYPES)}, True, False]
        return self._random.choice(plain)

    def _several(self, depth: int) -> list[Any]:
        return [self._below(depth) for _ in range(self._random.randint(1, 3))]

    def _some(self, of: list[_Value], most: int) -> list[_Value]:
        return self._random.sample(of, self._random.randint(1, most))
