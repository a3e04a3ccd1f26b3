"""Texts that are wrong at a known place.

A mutation is a gold message with one thing changed, written by the same renderer. Its text is wrong from the
first item (byte or special token) in which it differs from the gold text, by construction:

* What stands before that item is the beginning of a valid text, since it is the beginning of the gold text.
* The item itself cannot stand there. Each kind of mutation below says why.

So the place is the longest beginning that some valid text extends, and no engine is asked for it.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from benchmarks.tool_calls.cases import Call, ToolCase, closed

__all__ = ["KINDS", "Mutation", "Strings", "mutations"]

Strings = Literal["quoted", "marked", "raw"]
"""How a format writes a string that is an argument: as a literal, as it is behind a mark, or as it is."""

KINDS = ("wrong type", "missing required", "unknown key", "unknown tool", "prose in a call")

_PROSE = ("Sure, here is the call: ", "Here is the call: ", "Let me see. ", "Of course: ")
_LETTERS = "zqxjkwvyZQXJKWVY"
_WRONG_VALUES: Sequence[tuple[str, Any]] = (
    ("string", "wrong"),
    ("number", 7),
    ("boolean", True),
    ("object", {}),
    ("array", []),
)
"""A value of each type. No two types begin with the same character, as JSON or as literals of Python."""


@dataclass(frozen=True, slots=True)
class Mutation:
    """A message that is wrong.

    Attributes:
        kind: one of :data:`KINDS`.
        tools: the tools that it is written with; of an unknown tool, more than the case has.
        calls: the calls.
        inserted: text to insert where the written text differs from the gold text, which then goes on.
    """

    kind: str
    tools: Sequence[Mapping[str, Any]]
    calls: Sequence[Call]
    inserted: str = ""


@dataclass(frozen=True, slots=True)
class _Spot:
    """An object within arguments, with the part of the schema that it is under.

    Attributes:
        path: the keys and indices from the arguments to the object.
        value: the object.
        schema: its schema.
    """

    path: tuple[str | int, ...]
    value: Mapping[str, Any]
    schema: Mapping[str, Any]


def mutations(case: ToolCase, seed: int, strings: Strings) -> Iterator[Mutation]:
    """One mutation of each kind that the case admits.

    Args:
        case: valid calls.
        seed: chooses the call and the place in it.
        strings: how the format writes strings.
    """
    chance = random.Random(f"{case.name} {seed}")
    number = chance.randrange(len(case.calls))
    call = case.calls[number]
    spots = list(_spots((), call.arguments, closed(case.parameters(call.name))))
    for kind, make in _MAKERS.items():
        found = make(case, call, spots, chance, strings)
        if found is not None:
            tools, changed, inserted = found
            calls = [*case.calls[:number], changed, *case.calls[number + 1 :]]
            yield Mutation(kind, tools, calls, inserted)


_Changed = tuple[Sequence[Mapping[str, Any]], Call, str]
"""Tools, the changed call, and what is inserted."""


def _wrong_type(
    case: ToolCase, call: Call, spots: Sequence[_Spot], chance: random.Random, strings: Strings
) -> _Changed | None:
    """A value of a type that its schema does not have: wrong at its first character, or at its mark."""
    places = [
        (spot, key, value)
        for spot in spots
        for key, part in spot.schema.get("properties", {}).items()
        if key in spot.value
        for value in [_wrong_value(part, "quoted" if spot.path else strings)]
        if value is not None
    ]
    if not places:
        return None
    spot, key, value = chance.choice(places)
    return case.tools, _with_object(call, spot, {**spot.value, key: value}), ""


def _wrong_value(schema: Any, strings: Strings) -> Any:
    types = _types(schema)
    if types is None:
        return None
    if "string" in types and (strings == "raw" or (strings == "marked" and types != {"string"})):
        # The text of any value is a string; or the mark of other values may stand there.
        return None
    return next((value for kind, value in _WRONG_VALUES if kind not in types), None)


def _types(schema: Any) -> set[str] | None:
    """The types that a schema admits at most, integers as numbers; None where it does not say."""
    stated = schema.get("type") if isinstance(schema, dict) else None
    if stated is None:
        return None
    stated = [stated] if isinstance(stated, str) else stated
    return {"number" if kind == "integer" else kind for kind in stated}


def _missing_required(
    case: ToolCase, call: Call, spots: Sequence[_Spot], chance: random.Random, strings: Strings
) -> _Changed | None:
    """An object that ends before a required member: wrong where it ends, since a member has to follow."""
    places = [(spot, key) for spot in spots for key in spot.schema.get("required", ()) if key in spot.value]
    if not places:
        return None
    return case.tools, _cut(call, *chance.choice(places)), ""


def _cut(call: Call, spot: _Spot, key: str) -> Call:
    """The call with an object that ends before one of its members."""
    names = list(spot.value)
    kept = {name: spot.value[name] for name in names[: names.index(key)]}
    return _with_object(call, spot, kept)


def _unknown_key(
    case: ToolCase, call: Call, spots: Sequence[_Spot], chance: random.Random, strings: Strings
) -> _Changed | None:
    """A member whose name begins as no property's name does, of a closed object: wrong at that character."""
    places = [
        (spot, key)
        for spot in spots
        if spot.schema.get("additionalProperties") is False
        for key in spot.value
    ]
    if not places:
        return None
    spot, key = chance.choice(places)
    letter = _other_letter(spot.schema.get("properties", {}), _LETTERS)
    renamed = {(letter + key if name == key else name): value for name, value in spot.value.items()}
    return case.tools, _with_object(call, spot, renamed), ""


def _other_letter(names: Iterator[str] | Mapping[str, Any], letters: str) -> str:
    taken = {name[:1] for name in names}
    return next((letter for letter in letters if letter not in taken), "\N{SNOWMAN}")


def _unknown_tool(
    case: ToolCase, call: Call, spots: Sequence[_Spot], chance: random.Random, strings: Strings
) -> _Changed | None:
    """The name of a tool with a letter behind it, with which no name goes on: wrong at that letter."""
    functions = [tool["function"] for tool in case.tools]
    longer = [
        name[len(call.name) :] for name in (tool["name"] for tool in functions) if name.startswith(call.name)
    ]
    name = call.name + _other_letter(iter(longer), _LETTERS)
    called = next(function for function in functions if function["name"] == call.name)
    unknown = {"type": "function", "function": {**called, "name": name}}
    return [*case.tools, unknown], replace(call, name=name), ""


def _prose_in_a_call(
    case: ToolCase, call: Call, spots: Sequence[_Spot], chance: random.Random, strings: Strings
) -> _Changed | None:
    """A sentence where a required member has to follow: wrong at its first letter; no member begins so."""
    spot = spots[0]
    places = [key for key in spot.schema.get("required", ()) if key in spot.value]
    if not places:
        return None
    taken = {name[:1] for name in spot.schema.get("properties", {})}
    sentence = next((text for text in _PROSE if text[0] not in taken), None)
    return None if sentence is None else (case.tools, _cut(call, spot, chance.choice(places)), sentence)


_Maker = Callable[[ToolCase, Call, Sequence[_Spot], random.Random, Strings], _Changed | None]
_MAKERS: Mapping[str, _Maker] = dict(
    zip(KINDS, (_wrong_type, _missing_required, _unknown_key, _unknown_tool, _prose_in_a_call), strict=True)
)


def _spots(path: tuple[str | int, ...], value: Any, schema: Any) -> Iterator[_Spot]:
    """The objects within a value, the outermost first, as far as the schema says what they are."""
    if not isinstance(schema, Mapping):
        return
    if isinstance(value, Mapping):
        yield _Spot(path, value, schema)
        for key, part in schema.get("properties", {}).items():
            if key in value:
                yield from _spots((*path, key), value[key], part)
    elif isinstance(value, list) and "items" in schema:
        for index, item in enumerate(value):
            yield from _spots((*path, index), item, schema["items"])


def _with_object(call: Call, spot: _Spot, changed: Mapping[str, Any]) -> Call:
    """The call with another object at some place."""
    if not spot.path:
        return replace(call, arguments=changed)
    arguments = copy.deepcopy(dict(call.arguments))
    holder: Any = arguments
    for step in spot.path[:-1]:
        holder = holder[step]
    holder[spot.path[-1]] = changed
    return replace(call, arguments=arguments)
