"""The options of ``Grammar.json_schema``: what each allows and refuses, and which values it takes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import maskwright as mw
from maskwright import Whitespace

from .documents import accepts

ANY: Any = Whitespace
PAIR = {"properties": {"a": {"type": "integer"}, "b": {"type": "array"}}, "type": "object"}
FREE = '{ "a"\t:\n1 , "b":[ 1,2 ] }'
COMPACT = '{"a":1,"b":[1,2]}'
SPACED = '{"a": 1, "b": [1, 2]}'
INDENTED = '{\n  "a": 1,\n  "b": [\n    1,\n    2\n  ]\n}'
BLANKS_AT_LINE_ENDS = INDENTED.replace(",", ", ")
LAYOUTS = [FREE, COMPACT, SPACED, INDENTED, BLANKS_AT_LINE_ENDS]

WHITESPACES: list[tuple[str, Any, list[str]]] = [
    ("free", "free", LAYOUTS),
    ("free with a small bound", Whitespace.free(1), [FREE, COMPACT, SPACED]),
    ("free with none", Whitespace.free(0), [COMPACT]),
    ("compact", "compact", [COMPACT]),
    ("none", "none", [COMPACT]),
    ("spaced", "spaced", [SPACED]),
    ("separators", Whitespace.spaced((",", ":")), [COMPACT]),
    ("indented", Whitespace.indented(2), [INDENTED]),
    ("indented, with separators", Whitespace.indented(2, (", ", ": ")), [BLANKS_AT_LINE_ENDS]),
]


@pytest.mark.parametrize(
    ("whitespace", "allowed"), [case[1:] for case in WHITESPACES], ids=[name for name, *_ in WHITESPACES]
)
def test_white_space_is_where_it_may_be(
    byte_vocabulary: mw.Vocabulary, whitespace: Any, allowed: list[str]
) -> None:
    verdicts = [text for text in LAYOUTS if accepts(byte_vocabulary, PAIR, text, whitespace=whitespace)]
    assert verdicts == allowed


PLAIN = {"plain_numbers": True}
OPTIONS: list[tuple[str, Any, dict[str, Any], list[str], list[str]]] = [
    ("declared order", PAIR, {}, ['{"a":1,"b":[],"c":0}'], ['{"b":[],"a":1}', '{"c":0,"a":1}']),
    ("any order", PAIR, {"order": "any"}, ['{"b":[],"a":1}', '{"c":0,"a":1}'], ['{"a":1,"a":1}']),
    ("all of Unicode", {"type": "string"}, {}, ['"\u00e9"', '"\\u00e9"'], []),
    ("ASCII only", {"type": "string"}, {"ascii_only": True}, ['"\\u00e9"'], ['"\u00e9"']),
    ("all numbers", {"type": "integer"}, {}, ["1", "1.0", "1e3"], ["1.5"]),
    (
        "plain integers",
        {"type": "integer"},
        PLAIN,
        ["0", "-12", "10000000000000000000000"],
        ["1.0", "1e3", "01"],
    ),
    ("plain integers between", {"type": "integer", "minimum": 5}, PLAIN, ["5", "1000"], ["5.0", "1e3", "4"]),
    ("plain multiples", {"type": "integer", "multipleOf": 7}, PLAIN, ["0", "-7", "14"], ["7.0", "7e0", "8"]),
    ("plain numbers", {"type": "number"}, PLAIN, ["1", "-0.50"], ["1e3", "1.5E-3"]),
    ("plain numbers above", {"exclusiveMinimum": 0.5}, PLAIN, ["0.51", "1000", '"a"'], ["1e3", "0.50"]),
    ("plain numbers in steps", {"multipleOf": 0.5}, PLAIN, ["0.5", "2.50", "3"], ["5e-1", "0.25"]),
    ("plain constants", {"enum": [0, 2.50, 1e3]}, PLAIN, ["0", "2.5", "1000"], ["-0", "0.0", "2.50", "1e3"]),
    ("not a plain constant", {"type": "number", "not": {"const": 2.5}}, PLAIN, ["2"], ["2.5", "2.50", "2e0"]),
    ("plain fractions", {"type": "number", "not": {"type": "integer"}}, PLAIN, ["0.5"], ["1", "1.0", "5e-1"]),
    ("plain numbers anywhere", {}, PLAIN, ["[1]", '{"a":-0.5}'], ["[1e3]", '{"a":1E1}']),
    ("no lone surrogates", {"type": "string"}, {}, ['"\\ud83d\\ude00"'], ['"\\ud83d"']),
    ("lone surrogates", {"type": "string"}, {"lone_surrogates": True}, ['"\\ud83d"'], []),
    ("keys once", {"type": "object"}, {}, ['{"x":1,"y":1}'], ['{"x":1,"x":1}', '{"x":1,"\\u0078":1}']),
    ("keys twice", {"type": "object"}, {"track_keys": False}, ['{"x":1,"x":1}'], []),
    ("formats", {"format": "ipv4"}, {}, ['"127.0.0.1"'], ['"a"']),
    ("formats as annotations", {"format": "ipv4"}, {"enforce_formats": False}, ['"a"'], []),
    ("a format of one's own", {"format": "even"}, {"formats": {"even": "^(..)*$"}}, ['"ab"'], ['"a"']),
    ("an unknown format", {"format": "even"}, {}, ['"a"'], []),
    (
        "documents",
        {"$ref": "https://example.com/number"},
        {"documents": {"https://example.com/number": {"type": "number"}}},
        ["1"],
        ['"a"'],
    ),
    (
        "a document as text",
        {"$ref": "https://example.com/any"},
        {
            "documents": {
                "https://example.com/any": '{"$ref": "null"}',
                "https://example.com/null": {"const": None},
            }
        },
        ["null"],
        ["0"],
    ),
    ("the draft of old", {"items": [{"type": "null"}]}, {"default_draft": "7"}, ["[null]"], ["[1]"]),
    (
        "the draft by URI",
        {"maximum": 3, "exclusiveMaximum": True},
        {"default_draft": "http://json-schema.org/draft-04/schema"},
        ["2"],
        ["3"],
    ),
    (
        "approximate",
        {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
        {"approximate": {"uniqueItems"}},
        ['["a","b"]'],
        ["[1]"],
    ),
    *(
        (
            f"approximate as {type(keywords).__name__}",
            {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
            {"approximate": keywords},
            ['["a","b"]'],
            ["[1]"],
        )
        for keywords in (
            np.array(["uniqueItems"]),
            np.array(["uniqueItems"] * 2),
            {"uniqueItems": 1},
            ["uniqueItems"],
        )
    ),
]


@pytest.mark.parametrize(
    ("schema", "options", "valid", "invalid"),
    [case[1:] for case in OPTIONS],
    ids=[name for name, *_ in OPTIONS],
)
def test_every_option_allows_and_refuses(
    byte_vocabulary: mw.Vocabulary, schema: Any, options: dict[str, Any], valid: list[str], invalid: list[str]
) -> None:
    verdicts = {text: accepts(byte_vocabulary, schema, text, **options) for text in valid + invalid}
    assert verdicts == dict.fromkeys(valid, True) | dict.fromkeys(invalid, False)


REFUSED: list[tuple[str, dict[str, Any], type[Exception], str]] = [
    ("order", {"order": "sorted"}, mw.GrammarError, "'declared' or 'any', not 'sorted'"),
    ("white space", {"whitespace": "pretty"}, mw.GrammarError, "no white space named 'pretty'"),
    ("draft", {"default_draft": "5"}, mw.GrammarError, "no draft '5' of JSON Schema"),
    ("draft by type", {"default_draft": 7}, TypeError, "default_draft must be a string, not int"),
    ("one keyword", {"approximate": "uniqueItems"}, TypeError, "approximate must be several"),
    ("no keyword", {"approximate": [1]}, TypeError, "several names of keywords"),
    ("format", {"formats": {"a": 1}}, TypeError, "formats must hold regular expressions"),
    ("URI", {"documents": {1: True}}, TypeError, "documents has the key 1"),
    ("document", {"documents": {"u:x": int}}, mw.SchemaError, "u:x#: a document cannot be given as type"),
    ("in a document", {"documents": {"u:x": {"a": {1}}}}, mw.SchemaError, "u:x#/a: {1} of type set"),
]


@pytest.mark.parametrize(
    ("options", "error", "message"), [case[1:] for case in REFUSED], ids=[name for name, *_ in REFUSED]
)
def test_values_that_are_none_of_an_option_are_refused(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as caught:
        mw.Grammar.json_schema(True, **options)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "make",
    [
        partial(Whitespace.free, -1),
        partial(Whitespace.free, 1 << 32),
        partial(Whitespace.indented, 1001),
        partial(Whitespace.indented, -1),
        partial(Whitespace.spaced, (";", ":")),
        partial(Whitespace.spaced, (",,", ":")),
        partial(Whitespace.spaced, (",", "")),
        partial(Whitespace.spaced, (",", "\u00a0:")),
        partial(Whitespace.indented, 2, (",", "::")),
        partial(ANY.indented, 2, (",",)),
        partial(ANY.spaced, ()),
        partial(ANY.spaced, (",", ":", "")),
        partial(ANY.spaced, (1, 2)),
    ],
)
def test_white_space_that_would_be_no_json_is_refused(make: Callable[[], Whitespace]) -> None:
    with pytest.raises(mw.GrammarError):
        make()


def test_white_space_is_a_value() -> None:
    assert Whitespace.compact() == Whitespace.named("none") == Whitespace.spaced((",", ":"))
    assert len({Whitespace.free(), Whitespace.free(64), Whitespace.free(63), Whitespace.indented(0)}) == 3
    assert Whitespace.compact() != "compact"
    for whitespace in (Whitespace.free(3), Whitespace.compact(), Whitespace.spaced(), Whitespace.indented(2)):
        assert eval(repr(whitespace)) == whitespace
    with pytest.raises(AttributeError):
        Whitespace.compact().indent = 3
    with pytest.raises(AttributeError):
        del Whitespace.compact().indent
    with pytest.raises(TypeError, match=r"Whitespace\.free"):
        Whitespace()


def test_a_schema_that_is_not_well_formed_is_refused_by_place() -> None:
    with pytest.raises(mw.SchemaError) as caught:
        mw.Grammar.json_schema({"properties": {"a": {"minimum": "3"}}})
    assert caught.value.location == "#/properties/a/minimum"
    assert str(caught.value).startswith("#/properties/a/minimum: ")


def test_text_that_is_not_json_is_refused() -> None:
    with pytest.raises(mw.GrammarError):
        mw.Grammar.json_schema('{"type": ')


def test_a_grammar_shows_its_schema() -> None:
    assert repr(mw.Grammar.json_schema({"const": 1})) == "<maskwright.Grammar: json_schema '{\"const\":1}'>"
