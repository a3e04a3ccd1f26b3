"""Texts that remember all that came in them: items that must differ, and keys that may not come again."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

import maskwright as mw
from only_bytes import only_bytes

BYTES = only_bytes()
# More than two blocks of the lists in which the core keeps what came, the last one begun.
COUNT = 1_100


@dataclass(frozen=True)
class Remembering:
    """A schema whose texts remember their parts, and how a part is written, differently each time."""

    name: str
    schema: dict[str, Any]
    opening: str
    part: Callable[[int], str]
    # Another way to write the same part.
    again: Callable[[int], str]
    # What 3,000 parts take at most of `Budget.expressions`.
    size: int = 800_000


def unique(items: dict[str, Any]) -> dict[str, Any]:
    """Arrays of such items that must differ."""
    return {"type": "array", "uniqueItems": True, "items": items}


def record(order: list[str], **members: dict[str, Any]) -> dict[str, Any]:
    """Objects of just these members."""
    return {
        "type": "object",
        "properties": {name: members[name] for name in order},
        "required": order,
        "additionalProperties": False,
    }


TEXTS = [
    Remembering("strings", unique({"type": "string"}), "[", '"s{}"'.format, '"\\u0073{}"'.format),
    Remembering("numbers", unique({"type": "number"}), "[", "{}".format, "{}.0".format),
    Remembering("values", unique({}), "[", '"v{}"'.format, '"\\u0076{}"'.format),
    Remembering("keys", {"type": "object"}, "{", '"k{}":null'.format, '"\\u006b{}":1'.format),
    Remembering(
        "keys of a pattern",
        {"type": "object", "patternProperties": {"^k": {}}, "additionalProperties": False},
        "{",
        '"k{}":null'.format,
        '"\\u006b{}":1'.format,
    ),
    Remembering(
        "keys of a compared object",
        unique({"type": "object"}),
        "[{",
        '"k{}":null'.format,
        '"\\u006b{}":1'.format,
    ),
    Remembering(
        "compared arrays",
        unique({"type": "array", "items": {"type": "integer"}}),
        "[",
        "[{}]".format,
        "[{}.0 ]".format,
        size=1_600_000,
    ),
    Remembering(
        "compared objects",
        unique(record(["id"], id={"type": "string"})),
        "[",
        '{{"id":"s{}"}}'.format,
        '{{"\\u0069d":"\\u0073{}"}}'.format,
    ),
    Remembering(
        "compared objects that begin alike",
        unique(record(["kind", "id"], kind={"type": "string"}, id={"type": "integer"})),
        "[",
        '{{"kind":"u","id":{}}}'.format,
        '{{"kind":"\\u0075","id":{}.0}}'.format,
        size=1_600_000,
    ),
]


def after(text: Remembering, count: int, budget: mw.Budget | None = None) -> mw.Matcher:
    """A matcher that has read so many parts of a text."""
    constraint = mw.Compiler(BYTES, budget=budget).compile(mw.Grammar.json_schema(text.schema))
    matcher = constraint.matcher()
    parts = ",".join(text.part(number) for number in range(count))
    assert matcher.accept_bytes((text.opening + parts).encode())
    return matcher


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text.name)
def test_of_all_that_came_nothing_comes_again(text: Remembering) -> None:
    matcher = after(text, COUNT)
    for number in range(COUNT):
        assert not matcher.fork().accept_bytes(f",{text.part(number)},".encode()), number
        assert not matcher.fork().accept_bytes(f",{text.again(number)},".encode()), number
    assert matcher.fork().accept_bytes(f",{text.part(COUNT)},{text.again(COUNT + 1)},".encode())


def test_of_many_items_two_are_equal_where_they_must_be() -> None:
    text = Remembering(
        "not unique",
        {"type": "array", "not": {"uniqueItems": True}, "items": {"type": "string"}},
        "[",
        '"s{}"'.format,
        '"\\u0073{}"'.format,
    )
    matcher = after(text, COUNT)
    assert not matcher.fork().accept_bytes(b"]")
    assert not matcher.fork().accept_bytes(f",{text.part(COUNT)}]".encode())
    for number in range(COUNT):
        assert matcher.fork().accept_bytes(f",{text.again(number)}]".encode()), number


def test_compared_arrays_of_many_items_and_objects_of_many_keys_are_told_apart() -> None:
    long = json.dumps([f"s{number}" for number in range(200)], separators=(",", ":"))
    wide = json.dumps({f"k{number}": number for number in range(200)}, separators=(",", ":"))
    turned = json.dumps({f"k{number}": number for number in reversed(range(200))}, separators=(",", ":"))
    constraint = mw.Compiler(BYTES).compile(mw.Grammar.json_schema(unique({})))
    matcher = constraint.matcher()
    assert matcher.accept_bytes(f"[{long},{wide}".encode())
    for again in (long, wide, turned):
        assert not matcher.fork().accept_bytes(f",{again}]".encode())
    for other in (f"{long[:-1]},1]", f'{wide[:-1]},"":1}}'):
        assert matcher.fork().accept_bytes(f",{other}]".encode())


def test_what_differs_only_where_nothing_else_can_come_is_refused_at_once() -> None:
    # The empty object is the only item, so an inner array that begins with it equals the first one.
    empty = {"type": "object", "maxProperties": 0}
    matcher = mw.Compiler(BYTES).compile(mw.Grammar.json_schema(unique(unique(empty)))).matcher()
    assert matcher.accept_bytes(b"[[{}],[")
    assert not matcher.fork().accept_bytes(b"{")
    assert matcher.accept_bytes(b"]]")


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text.name)
def test_memory_grows_with_a_text_and_not_with_its_square(text: Remembering) -> None:
    # Where each place held all that came before it, or what it is compared with, they took more.
    after(text, 3_000, mw.Budget(expressions=text.size))
    with pytest.raises(mw.BudgetExceededError, match="expressions"):
        after(text, 3_000, mw.Budget(expressions=30_000))


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text.name)
def test_a_part_costs_the_same_however_many_came_before(text: Remembering) -> None:
    constraint = mw.Compiler(BYTES).compile(mw.Grammar.json_schema(text.schema))
    matcher = constraint.matcher()
    assert matcher.accept_bytes((text.opening + text.part(0)).encode())
    # Stretches of sixty-four parts begin at the same place of the blocks that what came is kept in.
    sizes: list[mw.Statistics] = []
    for number in range(1, 2_113):
        if number % 64 == 0:
            sizes.append(constraint.statistics())
        assert matcher.accept_bytes(f",{text.part(number)}".encode())

    def added(stretch: int) -> tuple[int, int]:
        before, behind = sizes[stretch], sizes[stretch + 1]
        return behind.states - before.states, behind.expressions - before.expressions

    for few, many in zip(added(3), added(31), strict=True):
        assert many < 2 * few + 64
