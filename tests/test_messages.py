"""However long what was given is, messages are short enough, and have the place and the remedy."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import pytest

import maskwright as mw

LONG = "x" * 100_000
WORDS = "a b " * 100_000
ANY: Any = mw
TOOL = {"name": "f"}


class Unspeakable:
    """What cannot even be told."""

    def __repr__(self) -> str:
        raise ValueError("no words")


class Talkative:
    """What has much to tell."""

    def __repr__(self) -> str:
        return WORDS


# Each: what is wrong, and a piece of the message from before and from behind what is long.
CASES: list[tuple[str, Callable[[], object], str, str]] = [
    ("type", lambda: schema({"type": LONG}), "#/type: there is no type `xxx", "types are null, boolean"),
    ("words", lambda: schema({"type": WORDS}), "#/type: there is no type `a b", "array and object"),
    ("key", lambda: schema({"properties": {LONG: 5}}), "#/properties/xxx", "a boolean, found a number"),
    ("pointer", lambda: schema({"$ref": f"#/$defs/{LONG}"}), "#/$ref: refers to `#/$defs/xxx", "no `$defs`"),
    ("reference", lambda: schema({"$ref": LONG}), "#/$ref: refers to `xxx", "is fetched from the network"),
    (
        "pattern",
        lambda: schema({"type": "string", "pattern": f"({LONG}"}),
        "#/pattern: the pattern",
        "ECMA-262",
    ),
    ("number", lambda: schema(f'{{"multipleOf": {"1" * 100_000}}}'), "#: `multipleOf` of 1.11", "19 digits"),
    (
        "name",
        lambda: schema(f'{{"properties": {{"{LONG}": {{}}, "{LONG}": {{}}}}}}'),
        "#/properties: the name `xxx",
        "not defined",
    ),
    ("order", lambda: schema({}, order=LONG), "the order of properties is", "not 'xxx"),
    ("draft", lambda: schema({}, default_draft=LONG), "there is no draft 'xxx", "or its URI"),
    (
        "tool",
        lambda: mw.tools_from([{"name": LONG}]),
        "tools[0].name: 'xxx",
        "letters, digits and `_ - . : /`",
    ),
    ("choice", lambda: calls(tool_choice=LONG), "tool_choice: 'xxx", "for one tool"),
    ("tool name", lambda: calls().render([{"name": LONG}]), "there is no tool 'xxx", "xxx"),
    ("format", lambda: ANY.ToolCalls([], format=LONG), "there is no tool-call format 'xxx", "qwen3.5"),
    ("flag", lambda: schema({}, ascii_only=WORDS), "ascii_only is True or False, not 'a b", "a b"),
    ("object", lambda: schema(Talkative()), "#: pydantic cannot make a schema of a b", "or a model"),
    (
        "nothing",
        lambda: schema(Unspeakable()),
        "#: pydantic cannot make a schema of an Unspeakable:",
        "no words",
    ),
]


def schema(given: Any, **options: Any) -> mw.Grammar:
    grammar: mw.Grammar = ANY.Grammar.json_schema(given, **options)
    return grammar


def calls(**options: Any) -> mw.ToolCalls:
    made: mw.ToolCalls = ANY.ToolCalls([TOOL], "hermes", **options)
    return made


@pytest.mark.parametrize(("name", "fail", "before", "behind"), CASES, ids=lambda value: str(value)[:20])
def test_messages_of_long_input_are_short(
    name: str, fail: Callable[[], object], before: str, behind: str
) -> None:
    with pytest.raises((mw.MaskwrightError, TypeError)) as caught:
        fail()
    message = str(caught.value)
    assert len(message) <= 10_000, name
    assert message.startswith(before)
    assert behind in message


def test_attributes_hold_what_was_given_whole() -> None:
    with pytest.raises(mw.SchemaError) as caught:
        schema({"properties": {LONG: 5}})
    assert caught.value.location == f"#/properties/{LONG}"


def test_messages_move_no_cursor() -> None:
    with pytest.raises(mw.SchemaError) as caught:
        schema({"properties": {"a\x1b[2J\x07\x9b\t": 5}})
    assert str(caught.value).startswith(r"#/properties/a\x1b[2J\x07\x9b\t: a schema must be")
    assert caught.value.location == "#/properties/a\x1b[2J\x07\x9b\t"


def test_what_is_not_long_stays_as_it_is() -> None:
    for message in ("", "a " * 4_000, "x" * 300, f"{'x' * 300} {'y' * 300}\n{'z' * 300}"):
        assert str(mw.GrammarError(message)) == message
    abridged = str(mw.GrammarError(f"{'x' * 300}z"))
    assert abridged == f"{'x' * 199}…{'x' * 99}z"
    assert str(pickle.loads(pickle.dumps(mw.GrammarError(f"{'x' * 300}z")))) == abridged
