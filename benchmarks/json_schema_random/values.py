"""Values that are likely to satisfy a schema, made by reading it rather than by any engine.

Keywords are followed where that is easy, and nothing is promised: the oracle decides.
"""

from __future__ import annotations

from random import Random
from typing import Any

from benchmarks.json_schema_random.schemas import NAMES, NUMBERS, STRINGS

__all__ = ["likely_value"]

KINDS = ("null", "boolean", "integer", "number", "string", "array", "object")
#: The keywords that tell which type a subschema is about, where it has no ``type``.
HINTS = {"properties": "object", "required": "object", "items": "array", "prefixItems": "array"}


def likely_value(random: Random, root: dict[str, Any], depth: int = 5) -> Any:
    """A value in the spirit of the schema."""
    return _Writer(random, root).value(root, depth)


class _Writer:
    def __init__(self, random: Random, root: dict[str, Any]) -> None:
        self.random = random
        self.definitions: dict[str, Any] = root.get("$defs") or root.get("definitions") or {}

    def value(self, schema: Any, depth: int) -> Any:  # noqa: PLR0911 - one for each type
        schema = self.merged(schema, 4)
        if "const" in schema:
            return schema["const"]
        if schema.get("enum"):
            return self.random.choice(schema["enum"])
        match self.kind(schema):
            case "null":
                return None
            case "boolean":
                return self.random.random() < 0.5
            case "string":
                return self.string(schema)
            case "array":
                return self.array(schema, depth)
            case "object":
                return self.object(schema, depth)
            case kind:
                return self.number(schema, kind)

    def merged(self, schema: Any, steps: int) -> dict[str, Any]:
        """The keywords of a schema, with those of one branch of each combination and of its references."""
        if not isinstance(schema, dict):
            return {}
        parts: list[Any] = []
        if "$ref" in schema:
            parts.append(self.definitions.get(schema["$ref"].rsplit("/", 1)[-1]))
        parts += schema.get("allOf", [])
        parts += [self.random.choice(schema[key]) for key in ("anyOf", "oneOf") if schema.get(key)]
        if "if" in schema:
            holds = self.random.random() < 0.5
            parts += [schema["if"], schema.get("then")] if holds else [schema.get("else")]
        made = dict(schema)
        for part in parts if steps else []:
            for key, value in self.merged(part, steps - 1).items():
                both = isinstance(value, dict) and isinstance(made.get(key), dict)
                made[key] = {**made[key], **value} if both else value
        return made

    def kind(self, schema: dict[str, Any]) -> str:
        kinds = schema.get("type")
        if isinstance(kinds, list) and kinds:
            return str(self.random.choice(kinds))
        if isinstance(kinds, str):
            return kinds
        hinted = [kind for keyword, kind in HINTS.items() if keyword in schema]
        return hinted[0] if hinted and self.random.random() < 0.8 else self.random.choice(KINDS)

    def string(self, schema: dict[str, Any]) -> str:
        least = schema.get("minLength", 0)
        text = self.random.choice(STRINGS)
        text += "".join(self.random.choice("ab") for _ in range(least - len(text)))
        return text[: schema.get("maxLength", len(text))]

    def number(self, schema: dict[str, Any], kind: str) -> Any:
        low = schema.get("minimum", schema.get("exclusiveMinimum", -3))
        high = schema.get("maximum", schema.get("exclusiveMaximum", low + 6))
        divisor = schema.get("multipleOf")
        if divisor and self.random.random() < 0.8:
            # Decimal spellings stay short: the divisors have at most two digits after the point.
            least, most = int(low / divisor), int(high / divisor) + 1
            return round(divisor * self.random.randint(min(least, most), max(least, most)), 2)
        fitting = [number for number in NUMBERS if low <= number <= high]
        if kind == "integer":
            fitting = [number for number in fitting if number == int(number)]
        return self.random.choice(fitting or NUMBERS)

    def array(self, schema: dict[str, Any], depth: int) -> list[Any]:
        prefix = schema.get("prefixItems", [])
        rest = schema.get("items", schema.get("additionalItems"))
        if isinstance(rest, list):
            prefix, rest = rest, schema.get("additionalItems")
        least = schema.get("minItems", 0)
        length = self.random.randint(least, max(least, min(schema.get("maxItems", least + 3), least + 3)))
        if depth <= 0:
            length = min(length, least)
        items = [self.value(prefix[i] if i < len(prefix) else rest, depth - 1) for i in range(length)]
        if "contains" in schema and depth > 0:
            wanted = [self.value(schema["contains"], depth - 1) for _ in range(schema.get("minContains", 1))]
            items[max(0, len(items) - len(wanted)) :] = wanted
        return items

    def object(self, schema: dict[str, Any], depth: int) -> dict[str, Any]:
        declared = schema.get("properties", {})
        names = list(schema.get("required", []))
        if depth > 0:
            names += [name for name in declared if self.random.random() < 0.6]
            if self.random.random() < 0.3:
                names.append(self.random.choice(NAMES))
        names = list(dict.fromkeys(names))
        while len(names) < min(schema.get("minProperties", 0), len(NAMES)):
            names = list(dict.fromkeys([*names, self.random.choice(NAMES)]))
        other = schema.get("additionalProperties")
        return {name: self.value(declared.get(name, other), depth - 1) for name in names}
