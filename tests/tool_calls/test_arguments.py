"""Arguments that are not written as one JSON object: which texts a schema allows, and what they mean."""

from __future__ import annotations

import ast
import contextlib
import json
import pickle
import random
import re
import warnings
from typing import Any

import pytest

import maskwright as mw
from maskwright.tool_calls import XmlArguments
from maskwright.tool_calls.parts import fixed_text
from only_bytes import only_bytes

from .samples import ANY_CODE, accepts, constraint_of, random_text, tool_with, vocabulary_of

jsonschema = pytest.importorskip("jsonschema", reason="jsonschema judges the arguments")

Case = tuple[dict[str, Any], list[Any], list[str]]

XML: dict[str, Case] = {
    # the schema of a parameter; values that may be written and are read back; texts that may not be written
    "any string": ({"type": "string"}, ["", "a b", "</parameter>", "null", "\n", "5", '{"a'], []),
    "an integer": ({"type": "integer", "minimum": 0}, [0, 12], ["-1", "1.5", '"1"', "one", ""]),
    "a boolean": ({"type": "boolean"}, [True, False], ["True", '"true"', "1"]),
    "an object": ({"type": "object", "required": ["a"]}, [{"a": "x\n</parameter>\n"}], ["{}", "[]", "a"]),
    "an array": ({"type": "array", "items": {"type": "string"}}, [[], ["a"]], ["a", '"a"', "[1]"]),
    "listed strings": ({"enum": ["red", "light green"]}, ["red", "light green"], ["blue", '"red"']),
    "a constant": ({"const": "on"}, ["on"], ["off", '"on"']),
    "listed values": ({"enum": ["auto", 1, None, [2]]}, ["auto", 1, None, [2]], ["2", '"auto"', "1.5"]),
    "lengths": ({"type": "string", "minLength": 2, "maxLength": 3}, ["ab", "äöü"], ["a", "abcd"]),
    "a pattern": ({"type": "string", "pattern": "^[a-c]+$"}, ["abc"], ["abcd", ""]),
    "a pattern anywhere": ({"type": "string", "pattern": "b"}, ["abc", "b\nc"], ["ac", ""]),
    "a pattern and a length": (
        {"pattern": "^a", "type": "string", "maxLength": 2},
        ["a", "ab"],
        ["abc", "ba"],
    ),
    "a date": (
        {"type": "string", "format": "date"},
        ["2024-02-29", "2023-12-31"],
        ["2023-02-29", "2023-4-1"],
    ),
    "a uuid": ({"type": "string", "format": "uuid"}, ["01234567-89ab-cdef-0123-456789abcdef"], ["0123"]),
    "an email": (
        {"type": "string", "format": "email", "maxLength": 9},
        ["a.b@c.org"],
        ["a", "a@b@c.org", "long@name.org"],
    ),
    "a moment": ({"type": "string", "format": "date-time"}, ["2024-02-29T12:00:00Z"], ["2024-02-29"]),
    "an address or null": ({"type": ["string", "null"], "format": "ipv6"}, ["::1", None], [":1", "1.1.1.1"]),
    "listed strings of a pattern": ({"enum": ["ab", "b", "ac"], "pattern": "^a"}, ["ab", "ac"], ["b", "a"]),
    "a listed date": ({"enum": ["2024-01-01", "soon"], "format": "date"}, ["2024-01-01"], ["soon"]),
    "an annotation": ({"type": "string", "format": "colour"}, ["blue"], []),
    "a string or null": ({"type": ["string", "null"]}, ["a", None], []),
    "a short string or null": (
        {"type": ["string", "null"], "maxLength": 3},
        ["abc", None],
        ["abcd", "nullx"],
    ),
    "an integer or null": ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, [1, None], ["a", "1.5"]),
    "a string or an array": (
        {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "integer"}}]},
        ["a", [1, 2]],
        [],
    ),
    "by reference": ({"$ref": "#/$defs/colour"}, ["red"], ["blue"]),
    "with references inside": (
        {"type": "array", "items": {"$ref": "#/$defs/colour"}},
        [["red"]],
        ['["blue"]'],
    ),
    "a string or a small number": (
        {"type": ["string", "integer"], "maximum": 9},
        ["a", 9, "1x", " 5", ""],
        ["10", "1.5"],
    ),
    "anything": ({}, ["a", 1, None, {"b": [True]}], []),
    "one of strings": ({"oneOf": [{"const": "a"}, {"const": "b"}]}, ["a", "b"], ["c"]),
}


@pytest.mark.parametrize("name", ["qwen3-coder", "minimax-m2", "glm-4.7", "deepseek-v3.2"])
@pytest.mark.parametrize("case", XML)
def test_parameters_one_by_one(name: str, case: str) -> None:
    schema, values, wrong = XML[case]
    written = 0
    calls = mw.ToolCalls([tool_with(schema)], format=name, tool_choice="required", reasoning="off")
    constraint, vocabulary = constraint_of(calls)
    for value in values:
        with contextlib.suppress(mw.ToolCallError):  # the closing, or a string that looks like another value
            text = calls.render([{"name": "t", "arguments": {"p": value}}])
            assert accepts(constraint, vocabulary, text), value
            assert calls.parse(text).calls[0].arguments == {"p": value}
            written += 1
    assert written >= max(1, len(values) - 2)
    free = mw.ToolCalls(
        [mw.Tool("t", parameters={"properties": {"p": {"type": "string"}}})], format=name, reasoning="off"
    )
    for value in wrong:
        text = free.render([{"name": "t", "arguments": {"p": value}}])
        if name == "deepseek-v3.2" and case == "a string or a small number":
            continue  # where strings are marked, these are some
        if name == "deepseek-v3.2":
            text = text.replace('string="true"', 'string="false"') if "string" not in str(schema) else text
        assert not accepts(constraint, vocabulary, text), value


@pytest.mark.parametrize("name", ["glm-4.7", "deepseek-v3.2", "minimax-m2"])
def test_a_string_within_an_array_may_hold_the_closing(name: str) -> None:
    tool = tool_with({"type": "array", "items": {"type": "string"}})
    calls = mw.ToolCalls([tool], format=name, reasoning="off", typed_special_tokens=True)
    part = next(part for part in calls.format.call if isinstance(part, XmlArguments))
    arguments = {"p": [fixed_text(part.closing) + '"']}
    text = calls.render([{"name": "t", "arguments": arguments}])
    vocabulary = only_bytes()
    assert accepts(mw.Compiler(vocabulary).compile(calls.grammar()), vocabulary, text)
    for pieces in ([text], list(text)):
        parser = calls.parser()
        for piece in pieces:
            parser.feed(piece)
        parser.finish()
        assert parser.message.calls[0].arguments == arguments


def test_parameters_come_in_any_order_and_once() -> None:
    schema = {
        "properties": {"a": {"type": "string"}, "b": {"type": "integer"}, "c": {"type": "null"}},
        "required": ["b"],
    }
    calls = mw.ToolCalls([mw.Tool("t", parameters=schema)], format="qwen3-coder")
    constraint, vocabulary = constraint_of(calls)
    for arguments in [{"b": 1}, {"a": "x", "b": 1}, {"b": 1, "a": "x"}, {"c": None, "b": 1, "a": ""}]:
        text = calls.render([{"name": "t", "arguments": arguments}])
        assert accepts(constraint, vocabulary, text)
        assert calls.parse(text).calls[0].arguments == arguments
    text = calls.render([{"name": "t", "arguments": {"b": 1}}])
    parameter = "<parameter=b>\n1\n</parameter>\n"
    assert parameter in text
    twice = text.replace(parameter, parameter * 2)
    assert not accepts(constraint, vocabulary, twice)
    with pytest.raises(mw.ToolCallSyntaxError, match="a second time"):
        calls.parse(twice)


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("qwen3-coder", {"properties": {"p": {"type": "string", "pattern": "(a)\\1"}}}, "#/properties/p/pattern"),
    ("qwen3-coder", {"properties": {"p": {"type": "string", "not": {"const": "a"}}}}, "#/properties/p/not"),
    ("qwen3-coder", {"properties": {"p": {"enum": ["a\n</parameter>\n"]}}}, "#/properties/p"),
    (
        "qwen3-coder",
        {"properties": {"p": {"$ref": "https://json-schema.org/draft/2020-12/schema"}}},
        "#/properties/p/$ref",
    ),
    ("qwen3-coder", {"properties": {"p": {"$ref": "#/properties/p"}}}, "#/properties/p"),
    (
        "qwen3-coder",
        {"properties": {"p": {"oneOf": [{"type": "string"}, {"minLength": 1}]}}},
        "#/properties/p/oneOf",
    ),
    ("qwen3-coder", {"properties": {"p": {}}, "patternProperties": {}}, "#/patternProperties"),
    ("qwen3-coder", {"properties": {"p": {"enum": ["1", 2]}}}, "#/properties/p"),
    ("qwen3-coder", {"properties": {"p": {}}, "minProperties": 1}, "#/minProperties"),
    ("qwen3-coder", {"properties": {"p": {}}, "anyOf": [{}]}, "#/anyOf"),
    (
        "qwen3-coder",
        {"properties": {}, "required": ["p"], "additionalProperties": {"type": "integer"}},
        "#/required",
    ),
    ("pythonic", {"properties": {"p": {"type": "boolean", "not": {"const": True}}}}, "#/properties/p/not"),
    (
        "pythonic",
        {
            "properties": {"p": {"$ref": "#/$defs/a"}},
            "$defs": {"a": {"type": ["null", "array"], "items": {"$ref": "#/$defs/a"}}},
        },
        "#/$defs/a",
    ),
    (
        "pythonic",
        {"properties": {"p": {"type": ["null", "array"], "minItems": 10**15}}},
        "#/properties/p/minItems",
    ),
]


@pytest.mark.parametrize(
    ("name", "schema", "location"), REFUSED, ids=[f"{case[0]} {case[2]}" for case in REFUSED]
)
def test_what_cannot_be_held_to_is_refused_by_place(name: str, schema: dict[str, Any], location: str) -> None:
    with pytest.raises(mw.UnsupportedFeatureError) as caught:
        mw.ToolCalls([mw.Tool("t", parameters=schema)], format=name).grammar()
    assert caught.value.location == location
    assert location in str(caught.value)


@pytest.mark.parametrize(
    ("keyword", "value"), [("pattern", "("), ("minLength", -1), ("maxLength", "3"), ("format", 5)]
)
def test_faults_of_a_string_without_quotes_are_told_by_place(keyword: str, value: Any) -> None:
    tool = mw.Tool("t", parameters={"properties": {"p": {"type": "string", keyword: value}}})
    with pytest.raises(mw.SchemaError, match=f"^tool 't': #/properties/p/{keyword}: ") as caught:
        mw.ToolCalls([tool], format="qwen3-coder").grammar()
    assert caught.value.location == f"#/properties/p/{keyword}"


NAMED_FAULTS: list[tuple[dict[str, Any], type[mw.MaskwrightError]]] = [
    ({"properties": {"p": {"type": "str"}}}, mw.SchemaError),
    ({"properties": {"p": {"type": "string", "pattern": r"(a)\1"}}}, mw.UnsupportedFeatureError),
    ({"properties": {"p": {"type": "string", "pattern": "(" * 600 + ")" * 600}}}, mw.BudgetExceededError),
]


@pytest.mark.parametrize("name", ["hermes", "qwen3-coder", "pythonic"])
@pytest.mark.parametrize(("schema", "error"), NAMED_FAULTS, ids=[case[1].__name__ for case in NAMED_FAULTS])
def test_a_fault_of_a_schema_is_told_with_the_tool_that_has_it(
    name: str, schema: dict[str, Any], error: type[mw.MaskwrightError]
) -> None:
    tools = [mw.Tool("good"), mw.Tool("bad", parameters=schema)]
    with pytest.raises(error, match=r"^tool 'bad': "):
        mw.ToolCalls(tools, format=name).grammar()


def test_a_fault_of_the_schema_of_content_is_told_as_that() -> None:
    calls = mw.ToolCalls([mw.Tool("good")], format="hermes", response_format={"enum": 5})
    with pytest.raises(mw.SchemaError, match=r"^response_format: #/enum: ") as caught:
        calls.grammar()
    assert caught.value.location == "#/enum"


def test_a_grammar_of_strings_without_quotes_is_pickled() -> None:
    calls = mw.ToolCalls([tool_with({"type": "string", "format": "email"})], format="qwen3-coder")
    copied = pickle.loads(pickle.dumps(calls.grammar()))
    vocabulary = vocabulary_of("qwen3-coder")
    text = calls.render([{"name": "t", "arguments": {"p": "a@b.org"}}])
    assert accepts(mw.Compiler(vocabulary).compile(copied), vocabulary, text)


@pytest.mark.parametrize("name", ["qwen3-coder", "deepseek-v3.2", "pythonic"])
def test_further_parameters(name: str) -> None:
    schema = {"properties": {"a": {"type": "integer"}}, "additionalProperties": {"type": "string"}}
    calls = mw.ToolCalls(
        [mw.Tool("t", parameters=schema)], format=name, tool_choice="required", reasoning="off"
    )
    free = mw.ToolCalls(
        [{"name": "t", "strict": False}], format=name, tool_choice="required", reasoning="off"
    )
    constraint, vocabulary = constraint_of(calls)
    free_constraint, _ = constraint_of(free)
    cases: list[tuple[dict[str, Any], bool]] = [
        ({}, True),
        ({"b": "x"}, True),
        ({"b": "5", "c": "y", "a": 1}, True),
        ({"a": 1, "b": "[", "c": "null"}, True),
        ({"a": "x"}, False),
        ({"a": 1, "b": [2]}, False),
    ]
    if name == "qwen3-coder":
        cases.pop()
        with pytest.raises(mw.ToolCallError, match=r"\[2\] would be read as the string '\[2\]'"):
            calls.render([{"name": "t", "arguments": {"a": 1, "b": [2]}}])
    for arguments, right in cases:
        text = (calls if right else free).render([{"name": "t", "arguments": arguments}])
        assert accepts(constraint, vocabulary, text) == right, text
        assert accepts(free_constraint, vocabulary, text), text
        if right and "b" not in arguments:
            assert calls.parse(text).calls[0].arguments == arguments


TWICE = {
    "qwen3-coder": "<parameter=b>\n1\n</parameter>\n",
    "glm-4.7": "<arg_key>b</arg_key><arg_value>1</arg_value>",
    "minimax-m2": '<parameter name="b">1</parameter>\n',
    "deepseek-v3.2": '<\uff5cDSML\uff5cparameter name="b" string="false">1</\uff5cDSML\uff5cparameter>',
    "pythonic": "b=1",
}


@pytest.mark.parametrize("name", TWICE)
@pytest.mark.parametrize("strict", [True, False])
def test_of_an_argument_that_no_schema_names_the_last_counts(name: str, strict: bool) -> None:
    schema = {"properties": {"a": {"type": "integer"}}, "additionalProperties": {"type": "integer"}}
    tool = mw.Tool("t", parameters=schema, strict=strict)
    calls = mw.ToolCalls([tool], format=name, reasoning="off")
    constraint, vocabulary = constraint_of(calls)
    one = TWICE[name]
    separator = {"pythonic": ", ", "deepseek-v3.2": "\n"}.get(name, "")
    text = calls.render([{"name": "t", "arguments": {"b": 1}}])
    assert one in text
    twice = text.replace(one, separator.join([one, one.replace("1", "2")]))
    assert accepts(constraint, vocabulary, twice)
    for pieces in ([twice], list(twice)):
        parser = calls.parser()
        events = [event for piece in pieces for event in parser.feed(piece)] + parser.finish()
        assert parser.message.calls[0].arguments == {"b": 2}
        deltas = (event.text for event in events if isinstance(event, mw.tool_calls.ArgumentsDelta))
        assert json.loads("".join(deltas)) == {"b": 2}


def test_formats_may_be_annotations() -> None:
    tool = mw.Tool("t", parameters={"properties": {"p": {"type": "string", "format": "email"}}})
    assert mw.ToolCalls([tool], format="qwen3-coder", enforce_formats=False).grammar()


@pytest.mark.parametrize("name", ["hermes", "mistral", "qwen3-coder", "deepseek-v3.2", "glm-4.5", "pythonic"])
def test_numbers_may_be_plain(name: str) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}, "x": {"type": ["number", "null"]}}}
    tool = mw.Tool("t", parameters={**schema, "required": ["n", "x"]})
    for plain_numbers in (False, True):
        calls = mw.ToolCalls([tool], format=name, reasoning="off", plain_numbers=plain_numbers)
        constraint, vocabulary = constraint_of(calls)
        text = calls.render([{"name": "t", "arguments": {"n": 17, "x": 2.25}}])
        assert accepts(constraint, vocabulary, text)
        for number, other in [("17", "17.0"), ("17", "1.7e1"), ("2.25", "2.25e0")]:
            assert accepts(constraint, vocabulary, text.replace(number, other)) != plain_numbers, other


PYTHON: dict[str, tuple[dict[str, Any], list[Any], list[str]]] = {
    # the schema of an argument; values that may be written and are read back; literals that may not be
    "a string": ({"type": "string"}, ["a", 'b"\\\n', "ü)\x01"], ["a", "1", "None"]),
    "an integer": ({"type": "integer", "minimum": 0}, [1, 20], ["-1", "1.5", "True"]),
    "a number": ({"type": "number"}, [1.5, -2], ["'1'", "true"]),
    "a boolean": ({"type": "boolean"}, [True, False], ["true", "1", '"True"']),
    "null": ({"type": ["null", "integer"]}, [None, 5], ["null", "False"]),
    "listed": ({"enum": ["a", 1, None, True]}, ["a", 1, None, True], ["b", "null"]),
    "a list": (
        {"type": "array", "items": {"type": "boolean"}, "minItems": 1},
        [[True], [False, True]],
        ["[]", "[1]"],
    ),
    "strings": ({"type": "array", "items": {"type": "string"}}, [[], ["a", "b"]], ["[None]", "[1]"]),
    "an object": (
        {"type": "object", "properties": {"a": {"type": "boolean"}}, "additionalProperties": False},
        [{}, {"a": True}],
        ['{"a": 1}', '{"b": True}', "{a: True}"],
    ),
    "anything": ({}, [None, [True, {"a": [1.5, "x"]}], {}, "a"], ["true", "[1", "{1: 2}", "'a"]),
    "any list": ({"type": "array"}, [[], [None, 1]], ["None", "{}"]),
    "any object": ({"type": "object"}, [{}, {"a": None}], ["None", "[]"]),
    "an open object": (
        {"type": "object", "properties": {"a": {"type": "boolean"}}, "required": ["a"]},
        [{"a": True}, {"b": 1, "c": None, "a": False}, {"a": True, "b": []}],
        ["{}", '{"a": 1}', '{"b": 1}', '{"a": True, "a": 3}'],
    ),
    "flags": (
        {"type": "object", "additionalProperties": {"type": "boolean"}},
        [{}, {"a": True, "b": False}],
        ['{"a": 1}'],
    ),
    "any of": ({"anyOf": [{"type": "boolean"}, {"type": "string"}]}, [True, "x"], ["1"]),
    "by reference": ({"$ref": "#/$defs/colour"}, ["red"], ['"blue"']),
}


@pytest.mark.parametrize("case", PYTHON)
def test_arguments_of_a_python_call(case: str) -> None:
    schema, values, wrong = PYTHON[case]
    calls = mw.ToolCalls([tool_with(schema)], format="pythonic", tool_choice="required")
    constraint, vocabulary = constraint_of(calls)
    for value in values:
        text = calls.render([{"name": "t", "arguments": {"p": value}}])
        assert accepts(constraint, vocabulary, text), text
        assert calls.parse(text).calls[0].arguments == {"p": value}
    for literal in wrong:
        assert not accepts(constraint, vocabulary, f"[t(p={literal})]"), literal


WRITTEN = [("qwen3-coder", schema) for schema, *_ in XML.values()]
WRITTEN += [("deepseek-v3.2", schema) for schema, *_ in XML.values()]
WRITTEN += [("pythonic", schema) for schema, *_ in PYTHON.values()]


@pytest.mark.parametrize(("name", "schema"), WRITTEN, ids=[f"{name} {schema}" for name, schema in WRITTEN])
def test_random_arguments_are_read_and_valid(name: str, schema: dict[str, Any]) -> None:
    tool = tool_with(schema)
    calls = mw.ToolCalls(
        [tool], format=name, tool_choice="required", reasoning="off", parallel=False, whitespace="compact"
    )
    constraint, vocabulary = constraint_of(calls)
    for seed in range(12):
        text = random_text(constraint, vocabulary, random.Random(seed))
        if text is not None and not re.search(r"[eE]\+?[0-9]{3}", text):  # no float can hold such a number
            jsonschema.validate(calls.parse(text).calls[0].arguments, tool.arguments_schema)


@pytest.mark.parametrize(
    "text", ["[t('x')]", "[t(p=x)]", "[t(p=1, p=2)]", "[t(**p)]", "[t(p=1j)]", "[t(p={1: 2})]", "[t(p=]"]
)
def test_what_is_no_call_in_python_is_a_typed_error(text: str) -> None:
    calls = mw.ToolCalls([tool_with({})], format="pythonic")
    with pytest.raises(mw.ToolCallSyntaxError):
        calls.parse(text)


def test_single_quotes_are_read() -> None:
    calls = mw.ToolCalls([tool_with({})], format="pythonic")
    assert calls.parse("[t(p='a) \\'b\\'')]").calls[0].arguments == {"p": "a) 'b'"}


def test_names_that_are_none_in_python_are_refused() -> None:
    for name in ("from", "a-b"):
        tool = mw.Tool("t", parameters={"properties": {name: {"type": "string"}}})
        with pytest.raises(mw.ToolCallError, match="no name of an argument"):
            mw.ToolCalls([tool], format="pythonic").grammar()


@pytest.mark.parametrize(
    "schema",
    [{"type": "string"}, {"type": "string", "maxLength": 40}, {"type": "string", "pattern": "^b"}],
    ids=["any", "of some length", "of a pattern"],
)
def test_a_string_cannot_end_in_what_its_closing_completes(schema: dict[str, Any]) -> None:
    """The closing begins and ends with a line end, so that a text may hold all of it but the last."""
    tool = {"name": "f", "parameters": {"type": "object", "properties": {"s": schema}}}
    calls = mw.ToolCalls([tool], format="qwen3-coder")
    constraint, vocabulary = constraint_of(calls)
    with pytest.raises(mw.ToolCallError, match="where it would end"):
        calls.render([{"name": "f", "arguments": {"s": "b\n</parameter>"}}])
    text = calls.render([{"name": "f", "arguments": {"s": "b"}}])
    ambiguous = text.replace("</parameter>\n", "</parameter>\n</parameter>\n")
    assert accepts(constraint, vocabulary, text)
    assert not accepts(constraint, vocabulary, ambiguous)
    with pytest.raises(mw.ToolCallSyntaxError):
        calls.parse(ambiguous)


def test_no_choice_ends_in_what_its_closing_completes() -> None:
    choices = {"type": "object", "properties": {"s": {"enum": ["a", "b\n</parameter>"]}}}
    with pytest.raises(mw.UnsupportedFeatureError, match="where it would end"):
        mw.ToolCalls([{"name": "f", "parameters": choices}], format="qwen3-coder").grammar()


@pytest.mark.parametrize("name", ["hermes", "qwen3-coder", "pythonic"])
def test_arguments_of_the_wrong_kind_cannot_be_rendered(name: str) -> None:
    calls = mw.ToolCalls([ANY_CODE, {"name": "now"}], format=name)
    wrong: list[dict[str, Any]] = [
        {"name": "code", "arguments": {"a": 1}},
        {"name": "now", "arguments": "text"},
        {"name": "later"},
        {"arguments": {}},
        {"name": "now", "arguments": {}, "kind": 1},
        {"name": "now", "arguments": {"a": object()}},
        {"name": "now", "arguments": {"a": float("nan")}},
        {"name": "now", "arguments": {"a": [{"b": {1: 2}}]}},
    ]
    for call in wrong:
        with pytest.raises(mw.ToolCallError):
            calls.render([call])


def test_backslashes_that_begin_no_escape_are_read_without_a_warning() -> None:
    calls = mw.ToolCalls([tool_with({})], format="pythonic")
    choices = random.Random(5)
    pieces = [
        "\\",
        "\\d",
        "\\400",
        "\\777",
        "\\0",
        "\\x41",
        "\\N{DIGIT ONE}",
        "\\'",
        "\\\n",
        "d",
        "é",
        "4",
        " ",
        "r",
    ]
    for _ in range(500):
        content = "".join(choices.choices(pieces, k=choices.randrange(8)))
        literal = choices.choice(["", "r", "u", "(r"]) + f"'{content}'"
        literal += ")" * literal.count("(")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                expected = ast.literal_eval(literal)
            except SyntaxError:
                continue
        assert calls.parse(f"[t(p={literal}, q=1.50)]").calls[0].arguments == {"p": expected, "q": 1.5}, (
            literal
        )
