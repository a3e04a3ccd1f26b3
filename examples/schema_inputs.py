"""JSON Schemas from a pydantic model, a dataclass and a function, each compiled and tried on documents.

Needs no model: the vocabulary is all single bytes. For each input the schema is shown, then what the grammar
says to each document; the verdicts are checked by other means than maskwright, and the exit code is 1 if one
differs.

    python examples/schema_inputs.py
"""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, Literal

import pydantic

import maskwright as mw
from maskwright.json_schema import schema_text


class Ingredient(pydantic.BaseModel):
    """What goes into a dish."""

    model_config = pydantic.ConfigDict(extra="forbid")

    name: Annotated[str, pydantic.Field(min_length=1)]
    grams: Annotated[int, pydantic.Field(gt=0, le=5000)]


class Recipe(pydantic.BaseModel):
    """A pydantic model with another one in it."""

    model_config = pydantic.ConfigDict(extra="forbid")

    dish: str
    ingredients: Annotated[list[Ingredient], pydantic.Field(min_length=1)]


class Side(Enum):
    """Where a branch grows."""

    LEFT = "left"
    RIGHT = "right"


@dataclass
class Branch:
    """A dataclass that refers to itself."""

    side: Side
    branches: list[Branch]
    length: float = 1.0


def weather(city: str, /, *, days: int = 1, unit: Literal["celsius", "kelvin"] = "celsius") -> str:
    """A tool that a model may call."""
    return f"{days} days in {city}, in {unit}"


@dataclass(frozen=True)
class Example:
    """An input, another way to see that a value fits, and some documents."""

    name: str
    schema: Any
    fits: Callable[[Any], bool]
    documents: list[str]


def fits_recipe(value: Any) -> bool:
    """Whether pydantic takes a value for a recipe."""
    try:
        Recipe.model_validate(value, strict=True)
    except pydantic.ValidationError:
        return False
    return True


def fits_branch(value: Any) -> bool:
    """Whether a value is a branch, by plain code."""
    return (
        isinstance(value, dict)
        and {"side", "branches"} <= set(value) <= {"side", "branches", "length"}
        and value["side"] in ("left", "right")
        and isinstance(value.get("length", 1.0), int | float)
        and all(fits_branch(branch) for branch in value["branches"])
    )


def fits_weather(value: Any) -> bool:
    """Whether a value has the arguments of the tool, and those of the right kinds."""
    try:
        inspect.signature(weather).bind(value.pop("city"), **value)
    except (KeyError, TypeError):
        return False
    return isinstance(value.get("days", 1), int) and value.get("unit", "celsius") in ("celsius", "kelvin")


EXAMPLES = [
    Example(
        "pydantic model",
        Recipe,
        fits_recipe,
        [
            '{"dish": "toast", "ingredients": [{"name": "bread", "grams": 60}]}',
            '{"dish": "nothing", "ingredients": []}',
            '{"dish": "toast", "ingredients": [{"name": "bread", "grams": 0}]}',
        ],
    ),
    Example(
        "dataclass",
        Branch,
        fits_branch,
        [
            '{"side": "left", "branches": [{"side": "right", "branches": [], "length": 0.5}]}',
            '{"side": "left", "branches": [{"side": "up", "branches": []}]}',
            '{"side": "left"}',
        ],
    ),
    Example(
        "function",
        weather,
        fits_weather,
        [
            '{"city": "Uppsala", "days": 3}',
            '{"city": "Uppsala", "unit": "kelvin"}',
            '{"days": 3}',
            '{"city": "Uppsala", "hours": 3}',
        ],
    ),
]


def main() -> int:
    """Tries all examples; gives the exit code."""
    tokens = [bytes([byte]) for byte in range(256)]
    compiler = mw.Compiler(mw.Vocabulary.from_tokens([*tokens, None], stop_ids=[256]))
    differences = 0
    for example in EXAMPLES:
        constraint = compiler.compile(mw.Grammar.json_schema(example.schema, whitespace="spaced"))
        print(f"{example.name}: {schema_text(example.schema)}")
        for document in example.documents:
            matcher = constraint.matcher()
            accepted = matcher.accept_bytes(document.encode()) and matcher.is_complete
            differences += accepted != example.fits(json.loads(document))
            print(f"  {'accepted' if accepted else 'rejected'}: {document}")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
