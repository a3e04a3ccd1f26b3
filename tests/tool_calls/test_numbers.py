"""Numbers in the arguments of calls: how they are read in every format, and which cannot be."""

from __future__ import annotations

import time
from typing import Any

import pytest

import maskwright as mw

from .samples import accepts, constraint_of, tool_with

NUMBER_FORMATS = ["hermes", "qwen3-coder", "glm-4.5", "deepseek-v3.2", "pythonic"]
INTEGER = {"type": "integer"}
NUMBERS: list[tuple[dict[str, Any], str, Any]] = [
    # the schema of a parameter; how its value is written; how it is read in every format
    (INTEGER, "7", 7),
    (INTEGER, "1.0", 1),
    (INTEGER, "1e3", 1000),
    (INTEGER, "-1.2E+2", -120),
    (INTEGER, "9007199254740993.0", 9007199254740993),
    (INTEGER, "1e400", 10**400),
    (INTEGER, "1" + "0" * 4299, 10**4299),
    (INTEGER, "0e99999999999999999999999", 0),
    ({"type": "number"}, "5", 5),
    ({"type": "number"}, "1.0", 1.0),
    ({"type": "number"}, "1e3", 1000.0),
    ({"type": "number"}, "-1e400", -(10**400)),
    ({"type": "number"}, "1e-99999999999", 0.0),
    ({"type": ["integer", "null"]}, "1e3", 1000),
    ({"type": ["integer", "number"]}, "1e3", 1000.0),
    ({"$ref": "#/$defs/count"}, "1e3", 1000),
    ({"type": "array", "items": INTEGER}, "[1e3, 2]", [1000, 2]),
    ({"type": "array", "items": {"$ref": "#/$defs/count"}}, "[1e3]", [1000]),
    ({"type": "array", "items": {"type": "number"}}, "[1e3]", [1000.0]),
    ({"type": "object", "additionalProperties": INTEGER}, '{"a": 1e3}', {"a": 1000}),
    (
        {"type": "object", "properties": {"a": INTEGER}, "additionalProperties": {"type": "number"}},
        '{"a": 1e3, "b": 1e3}',
        {"a": 1000, "b": 1000.0},
    ),
]
UNREADABLE = [
    (INTEGER, "1e4300"),
    (INTEGER, "-1e5000"),
    (INTEGER, "1e999999999"),
    (INTEGER, "1e99999999999999999999999"),
    (INTEGER, "9" * 4301),
    (INTEGER, "9" * 1_000_000),
    (INTEGER, "1." + "0" * 1_000_000),
    ({"type": "array", "items": INTEGER}, "[1e5000]"),
    ({"type": "number"}, "1e5000"),
    ({"type": "number"}, "1" * 400 + ".5"),
    ({"type": "number"}, "1e-" + "9" * 5000),
    ({"anyOf": [INTEGER, {"type": "string"}]}, "1e5000"),
]


def number_text(calls: mw.ToolCalls, number: str) -> str:
    return calls.render([{"name": "t", "arguments": {"p": 7}}]).replace("7", number)


@pytest.mark.parametrize("name", NUMBER_FORMATS)
@pytest.mark.parametrize(("schema", "number", "value"), NUMBERS, ids=[case[1][:20] for case in NUMBERS])
def test_numbers_are_read_alike_in_all_formats(
    name: str, schema: dict[str, Any], number: str, value: Any
) -> None:
    calls = mw.ToolCalls([tool_with(schema)], format=name, tool_choice="required", reasoning="off")
    text = number_text(calls, number)
    assert accepts(*constraint_of(calls), text)
    assert repr(calls.parse(text).calls[0].arguments) == repr({"p": value})


@pytest.mark.parametrize("name", NUMBER_FORMATS)
@pytest.mark.parametrize(("schema", "number"), UNREADABLE, ids=[case[1][:20] for case in UNREADABLE])
def test_a_number_beyond_the_bounds_is_a_typed_error(name: str, schema: dict[str, Any], number: str) -> None:
    calls = mw.ToolCalls([tool_with(schema)], format=name, reasoning="off")
    start = time.perf_counter()
    with pytest.raises(mw.ToolCallSyntaxError, match=r"more than 4300 digits|too large for a float"):
        calls.parse(number_text(calls, number))
    assert time.perf_counter() - start < 1


def test_many_references_to_one_place_take_no_longer() -> None:
    chain = {f"d{at}": {"anyOf": [{"$ref": f"#/$defs/d{at + 1}"}] * 2} for at in range(25)}
    tool = mw.Tool("t", parameters={"properties": {"p": chain["d0"]}, "$defs": {**chain, "d25": INTEGER}})
    for name in ("hermes", "qwen3-coder"):
        calls = mw.ToolCalls([tool], format=name, reasoning="off")
        assert repr(calls.parse(number_text(calls, "1e3")).calls[0].arguments) == "{'p': 1000}"


def test_digits_in_strings_are_not_counted() -> None:
    for name in NUMBER_FORMATS:
        calls = mw.ToolCalls([tool_with({"type": "string"})], format=name, reasoning="off")
        arguments = {"p": "'" + "1" * 5000}
        text = calls.render([{"name": "t", "arguments": arguments}])
        assert calls.parse(text).calls[0].arguments == arguments


@pytest.mark.parametrize("name", ["qwen3-coder", "glm-4.5", "deepseek-v3.2"])
def test_what_is_no_value_is_no_string_where_none_is_allowed(name: str) -> None:
    calls = mw.ToolCalls([tool_with(INTEGER)], format=name, reasoning="off")
    for value in ("seven", "NaN", "[7"):
        with pytest.raises(mw.ToolCallSyntaxError, match=r"a value of the parameter 'p'|`]`"):
            calls.parse(number_text(calls, value))
    free = mw.ToolCalls([mw.Tool("t", parameters={"properties": {"p": INTEGER}}, strict=False)], format=name)
    text = free.render([{"name": "t", "arguments": {"p": "1e5000"}}])
    assert free.parse(text).calls[0].arguments == {"p": "1e5000"}


def test_a_string_that_looks_like_a_number_beyond_the_bounds_cannot_be_rendered() -> None:
    calls = mw.ToolCalls([tool_with({"anyOf": [INTEGER, {"type": "string"}]})], format="qwen3-coder")
    with pytest.raises(mw.ToolCallError, match="would be read as a number"):
        calls.render([{"name": "t", "arguments": {"p": "1e5000"}}])


def test_numbers_of_python_that_json_does_not_have() -> None:
    calls = mw.ToolCalls([tool_with(INTEGER)], format="pythonic")
    for literal, value in {
        "0x1F": 31,
        "1_000": 1000,
        "1_0.": 10,
        "+.5e1": 5,
        "-0b11": -3,
        "-12.50E+1": -125,
    }.items():
        assert repr(calls.parse(f"[t(p={literal})]").calls[0].arguments) == repr({"p": value})
    for literal in ("0x" + "f" * 5000, "-True", "1j", "1+1"):
        with pytest.raises(mw.ToolCallSyntaxError):
            calls.parse(f"[t(p={literal})]")
