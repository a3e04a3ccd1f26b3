"""Random schemas of drafts 7, 2019-09 and 2020-12.

All names, strings and numbers come from small sets that the whole schema shares, so that keywords meet: the
same property is declared, matched by a pattern, required and counted. Bounds are drawn in order and most
subschemas are about one type, so that most schemas can be satisfied.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Literal

__all__ = ["DRAFTS", "NAMES", "NUMBERS", "STRINGS", "Draft", "random_schema"]

Draft = Literal["7", "2019-09", "2020-12"]
Schema = dict[str, Any] | bool

#: The drafts, each with its ``$schema``.
DRAFTS: dict[Draft, str] = {
    "7": "http://json-schema.org/draft-07/schema#",
    "2019-09": "https://json-schema.org/draft/2019-09/schema",
    "2020-12": "https://json-schema.org/draft/2020-12/schema",
}

NAMES = ("a", "b", "c", "ab", "ba")
STRINGS = ("", "a", "b", "ab", "ba", "abc", "aab", "1", "é", 'a"b', "😀")
NUMBERS = (-2, -1, 0, 1, 2, 3, 5, 10, 0.5, 1.5, -0.25, 2.75)
#: Patterns that mean the same in Python and ECMA-262, once ``oracle`` has seen to the ``$``.
PATTERNS = ("^a", "b$", "a", "^[ab]*$", "[^a]", "^(a|bc?)+$", "^[^b]?[ab]{1,2}", "^[^b]+$", "ab|ba", "^$")
TYPES = ("null", "boolean", "integer", "number", "string", "array", "object")
DEFINITIONS = ("one", "two")


def random_schema(random: Random, draft: Draft, depth: int = 3) -> dict[str, Any]:
    """A schema with ``$schema``, and with definitions that it may refer to."""
    return _Maker(random, draft).root(depth)


class _Maker:
    """Makes one schema. Every method gives the keywords of one family, to be merged into a subschema."""

    def __init__(self, random: Random, draft: Draft) -> None:
        self.random = random
        self.draft = draft
        self.definitions = "definitions" if draft == "7" else "$defs"
        self.made: list[dict[str, Any]] = []

    def root(self, depth: int) -> dict[str, Any]:
        body = self.keywords(depth)
        definitions = {name: self.schema(depth - 2) for name in DEFINITIONS}
        return {"$schema": DRAFTS[self.draft], **body, self.definitions: definitions}

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def schema(self, depth: int) -> Schema:
        """A subschema: keywords, at times those that stand elsewhere, too, or seldom a boolean."""
        if self.chance(0.06):
            return self.chance(0.8)
        if self.made and self.chance(0.12):
            return self.random.choice(self.made)
        made = self.keywords(depth)
        self.made.append(made)
        return made

    def keywords(self, depth: int) -> dict[str, Any]:
        if self.chance(0.1):
            return self.reference()
        made = self.base(depth)
        if depth > 0 and self.chance(0.35):
            made |= self.combination(depth - 1)
        if depth > 0 and self.chance(0.08):
            made |= self.combination(depth - 1)
        if self.draft != "7" and self.chance(0.12):
            keyword = self.random.choice(("unevaluatedProperties", "unevaluatedItems"))
            made[keyword] = False if self.chance(0.5) else self.schema(0)
        return made

    def reference(self) -> dict[str, Any]:
        made: dict[str, Any] = {"$ref": f"#/{self.definitions}/{self.random.choice(DEFINITIONS)}"}
        if self.chance(0.3):  # ignored by draft 7
            made |= self.base(0)
        return made

    def base(self, depth: int) -> dict[str, Any]:
        """Keywords about one type, most times with that ``type``."""
        if self.chance(0.08):
            return {"enum": self.some_values()}
        if self.chance(0.05):
            return {"const": self.value(1)}
        types = ("object", "object", "array", "array", "string", "integer", "number", "boolean", "null")
        kind = self.random.choice(types if depth > 0 else types[4:])
        made = self.assertions(kind, depth)
        if self.chance(0.12):
            made["type"] = list(dict.fromkeys([kind, self.random.choice(TYPES)]))
            made = self.assertions(self.random.choice(TYPES), depth) | made
        elif self.chance(0.85):
            made["type"] = kind
        return made

    def assertions(self, kind: str, depth: int) -> dict[str, Any]:
        families: dict[str, Callable[[int], dict[str, Any]]] = {
            "object": self.object_keywords,
            "array": self.array_keywords,
            "string": self.string_keywords,
            "integer": self.number_keywords,
            "number": self.number_keywords,
        }
        return families[kind](depth) if kind in families else {}

    def combination(self, depth: int) -> dict[str, Any]:
        match self.random.choice(("allOf", "anyOf", "oneOf", "not", "if")):
            case "not":
                return {"not": self.schema(depth - 1)}
            case "if":
                made: dict[str, Any] = {"if": self.schema(depth - 1)}
                made |= {keyword: self.schema(depth) for keyword in ("then", "else") if self.chance(0.7)}
                return made
            case keyword:
                return {keyword: [self.schema(depth) for _ in range(self.random.randint(1, 3))]}

    def object_keywords(self, depth: int) -> dict[str, Any]:
        random = self.random
        made: dict[str, Any] = {}
        if self.chance(0.85):
            made["properties"] = {name: self.schema(depth - 1) for name in self.names(1)}
        if self.chance(0.4):
            made["required"] = self.names(0)[:2]
        if self.chance(0.25):
            made["patternProperties"] = {
                pattern: self.schema(depth - 1) for pattern in random.sample(PATTERNS, random.randint(1, 2))
            }
        if self.chance(0.3):
            made["additionalProperties"] = False if self.chance(0.5) else self.schema(depth - 1)
        if self.chance(0.12):
            made["propertyNames"] = self.string_keywords(0)
        if self.chance(0.15):
            made["minProperties"] = random.randint(0, 2)
        if self.chance(0.2):
            made["maxProperties"] = made.get("minProperties", 0) + random.randint(0, 2)
        if self.chance(0.2):
            made |= self.dependencies(depth)
        return made

    def dependencies(self, depth: int) -> dict[str, Any]:
        name = self.random.choice(NAMES)
        on_names = self.chance(0.5)
        dependency = self.names(0)[:2] if on_names else self.schema(depth - 1)
        if self.draft == "7":
            return {"dependencies": {name: dependency}}
        return {"dependentRequired" if on_names else "dependentSchemas": {name: dependency}}

    def names(self, least: int) -> list[str]:
        return self.random.sample(NAMES, self.random.randint(least, 3))

    def array_keywords(self, depth: int) -> dict[str, Any]:
        random = self.random
        made: dict[str, Any] = {}
        prefix, rest = ("prefixItems", "items") if self.draft == "2020-12" else ("items", "additionalItems")
        if self.chance(0.35):
            made[prefix] = [self.schema(depth - 1) for _ in range(random.randint(1, 3))]
            if self.chance(0.5):
                made[rest] = False if self.chance(0.4) else self.schema(depth - 1)
        elif self.chance(0.6):
            made["items"] = self.schema(depth - 1)
        if self.chance(0.25):
            made |= self.contains()
        if self.chance(0.2):
            made["minItems"] = random.randint(0, 2)
        if self.chance(0.35):
            made["maxItems"] = made.get("minItems", 0) + random.randint(0, 3)
        if self.chance(0.15):
            made["uniqueItems"] = True
            if self.chance(0.7):
                made["items"] = {"enum": self.some_values()}
        return made

    def contains(self) -> dict[str, Any]:
        made: dict[str, Any] = {"contains": self.schema(0)}
        if self.draft != "7":
            if self.chance(0.4):
                made["minContains"] = self.random.randint(0, 2)
            if self.chance(0.4):
                made["maxContains"] = made.get("minContains", 1) + self.random.randint(0, 2)
        return made

    def string_keywords(self, _depth: int) -> dict[str, Any]:
        made: dict[str, Any] = {}
        if self.chance(0.3):
            made["minLength"] = self.random.randint(0, 3)
        if self.chance(0.5):
            made["maxLength"] = made.get("minLength", 0) + self.random.randint(0, 3)
        if self.chance(0.35):
            made["pattern"] = self.random.choice(PATTERNS)
        return made

    def number_keywords(self, _depth: int) -> dict[str, Any]:
        random = self.random
        made: dict[str, Any] = {}
        low, high = sorted(random.sample(NUMBERS, 2))
        if self.chance(0.4):
            made[random.choice(("minimum", "exclusiveMinimum"))] = low
        if self.chance(0.4):
            made[random.choice(("maximum", "exclusiveMaximum"))] = high
        if self.chance(0.25):
            made["multipleOf"] = random.choice((1, 2, 3, 0.5, 0.1, 0.25, 0.01, 1.5, 7))
        return made

    def some_values(self) -> list[Any]:
        """Values for ``enum``; equal ones may be among them, such as 1 and 1.0, which no draft forbids."""
        return [self.value(1) for _ in range(self.random.randint(1, 4))]

    def value(self, depth: int) -> Any:
        random = self.random
        kind = random.choice(("null", "boolean", "number", "string", "string", "array", "object"))
        match kind:
            case "null":
                return None
            case "boolean":
                return self.chance(0.5)
            case "number":
                return random.choice(NUMBERS)
            case "array" if depth > 0:
                return [self.value(depth - 1) for _ in range(random.randint(0, 2))]
            case "object" if depth > 0:
                return {name: self.value(depth - 1) for name in self.names(0)[:2]}
            case _:
                return random.choice(STRINGS)
