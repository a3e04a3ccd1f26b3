"""Small changes of a JSON value, about half of which keep it valid under its schema."""

from __future__ import annotations

from copy import deepcopy
from decimal import Decimal
from random import Random
from typing import Any

from benchmarks.json_schema_random.schemas import NAMES, STRINGS

__all__ = ["mutated"]

STEPS = (1, -1, 2, Decimal("0.5"), Decimal("-0.1"), Decimal("0.01"), 10)
#: Numbers of more digits than this before or after the point are not changed by steps.
LARGEST = 25


def mutated(random: Random, value: Any) -> Any:
    """A copy of a value with one to three changes at random places."""
    changed = deepcopy(value)
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        changed = _change_somewhere(random, changed)
    return changed


def _change_somewhere(random: Random, value: Any) -> Any:
    if isinstance(value, dict) and value and random.random() < 0.6:
        key = random.choice(list(value))
        return {**value, key: _change_somewhere(random, value[key])}
    if isinstance(value, list) and value and random.random() < 0.6:
        place = random.randrange(len(value))
        return [*value[:place], _change_somewhere(random, value[place]), *value[place + 1 :]]
    return _change(random, value)


def _change(random: Random, value: Any) -> Any:  # noqa: PLR0911 - one for each type
    if random.random() < 0.15:
        return _other_type(random)
    match value:
        case bool():
            return not value
        case int() | float() | Decimal():
            number = Decimal(str(value))
            # What is too large or too small to be changed by a step becomes the step.
            return random.choice(STEPS) + (number if abs(number.adjusted()) < LARGEST else 0)
        case str():
            return _change_string(random, value)
        case list():
            return _change_list(random, value)
        case dict():
            return _change_object(random, value)
    return _other_type(random)


def _other_type(random: Random) -> Any:
    return random.choice((None, True, False, 0, 1, Decimal("1.5"), "", "a", [], {}, [1], {"a": 1}))


def _change_string(random: Random, value: str) -> str:
    place = random.randint(0, len(value))
    match random.randrange(4):
        case 0:
            return value[:place] + random.choice("abc1é\n") + value[place:]
        case 1:
            return value[:place] + value[place + 1 :]
        case 2:
            return value[::-1]
    return random.choice(STRINGS)


def _change_list(random: Random, value: list[Any]) -> list[Any]:
    place = random.randint(0, len(value))
    choice = random.randrange(4)
    if choice == 0 and value:
        return [*value[:place], deepcopy(random.choice(value)), *value[place:]]
    if choice == 1:
        return value[:place] + value[place + 1 :]
    if choice == 2:
        return random.sample(value, len(value))
    return [*value[:place], _other_type(random), *value[place:]]


def _change_object(random: Random, value: dict[str, Any]) -> dict[str, Any]:
    choice = random.randrange(4)
    if not value or choice == 0:
        return {**value, random.choice((*NAMES, "abb", "")): _other_type(random)}
    key = random.choice(list(value))
    if choice == 1:
        return {name: member for name, member in value.items() if name != key}
    if choice == 2:
        new = random.choice(NAMES)
        return {new if name == key else name: member for name, member in value.items()}
    return dict(random.sample(list(value.items()), len(value)))
