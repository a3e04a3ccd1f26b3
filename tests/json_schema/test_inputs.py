"""What a schema may be given as: each form accepts valid documents and rejects others, or is refused."""

from __future__ import annotations

import datetime
import decimal
import functools
import json
import subprocess
import sys
import uuid
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, ForwardRef, Literal, LiteralString, Never, NewType, Optional, Unpack

import numpy as np
import pydantic
import pytest
from typing_extensions import TypeAliasType

import maskwright as mw
from maskwright.json_schema import schema_text

from . import classes
from .documents import accepts

LIST: Any = list
DICT: Any = dict
TUPLE: Any = tuple
ANY_CLASSES: Any = classes
UserId = NewType("UserId", int)
Numbers = TypeAliasType("Numbers", list[int])
ANY_ALIAS: Any = TypeAliasType
Nested = ANY_ALIAS("Nested", "dict[str, Nested] | list['Nested'] | Numbers | None")
Names = TypeAliasType("Names", Literal["a", "b"])
IDENTIFIER = "00000000-0000-4000-8000-000000000000"

# Each: name, input, valid documents, invalid documents.
INPUTS: list[tuple[str, Any, list[str], list[str]]] = [
    ("dict", {"type": "integer"}, ["1", "-20"], ['"1"', "null"]),
    ("mapping", MappingProxyType({"maximum": 3, "type": "integer"}), ["3"], ["4"]),
    ("true", True, ["1", '{"a":[]}'], ["{"]),
    ("text", '{"type": ["boolean", "null"]}', ["true", "null"], ["0"]),
    ("large integer", {"const": 10**25}, ["1" + "0" * 25], ["1" + "0" * 24]),
    ("decimal", {"const": decimal.Decimal("0.10")}, ["0.1"], ["0.2"]),
    ("tuple in a dict", {"enum": (1, "a")}, ["1", '"a"'], ["2"]),
    ("str", str, ['"x"'], ["1"]),
    ("int", int, ["1"], ["1.5", "true"]),
    ("float", float, ["1", "1.5e3"], ['"1"']),
    ("bool", bool, ["true"], ["1"]),
    ("LiteralString", LiteralString, ['"a"'], ["1"]),
    ("type of None", type(None), ["null"], ["0"]),
    ("Any", Any, ["[1]"], ["[1"]),
    ("Decimal", decimal.Decimal, ["1.25"], ["true"]),
    ("NewType", UserId, ["7"], ['"7"']),
    ("type alias", Numbers, ["[7]"], ['["7"]']),
    ("alias as text", Nested, ['{"a":[[1],null]}', "[[]]"], ["1", '["a"]']),
    ("alias of text inside", LIST[Nested], ['[{"a":null}]'], ["null", "[true]"]),
    ("type alias inside", dict[str, Numbers], ['{"a":[7]}'], ['{"a":["7"]}']),
    ("date", datetime.date, ['"2024-02-29"'], ['"2023-02-29"', '"today"']),
    ("time", datetime.time, ['"12:00:00Z"'], ['"25:00:00Z"']),
    ("datetime", datetime.datetime, ['"2024-01-01T00:00:00Z"'], ['"2024-01-01"']),
    ("timedelta", datetime.timedelta, ['"P1D"'], ['"one day"']),
    ("UUID", uuid.UUID, [f'"{IDENTIFIER}"'], ['"0"']),
    ("list", list[int], ["[]", "[1,2]"], ['["a"]', "1"]),
    ("list of anything", list, ['[1,"a"]'], ["{}"]),
    ("Sequence", Sequence[str], ['["a"]'], ["[1]"]),
    ("set", set[bool], ["[]", "[true,false]"], ["[true,true]", "[1]"]),
    ("tuple", tuple[int, str], ['[1,"a"]'], ["[1]", '[1,"a",2]', '["a",1]']),
    ("tuple of any length", tuple[int, ...], ["[]", "[1,2,3]"], ['["a"]']),
    ("empty tuple", tuple[()], ["[]"], ["[1]"]),
    (
        "tuple with any number behind",
        tuple[int, *tuple[str, ...]],
        ["[1]", '[1,"a","b"]'],
        ["[]", '[1,["a"]]', "[1,2]"],
    ),
    (
        "tuple in a tuple",
        tuple[int, *tuple[str, *tuple[bool]], *tuple[None, ...]],
        ['[1,"a",true]', '[1,"a",true,null,null]'],
        ['[1,"a"]', '[1,["a",true]]', '[1,"a",true,1]'],
    ),
    ("Unpack", tuple[int, Unpack[tuple[str, ...]]], ["[1]", '[1,"a"]'], ['[1,["a"]]']),  # noqa: UP044
    ("any number unpacked", tuple[*tuple[int, ...]], ["[]", "[1,2]"], ["[[1]]"]),
    ("dict of", dict[str, int], ["{}", '{"a":1}'], ['{"a":"b"}']),
    ("dict of anything", dict, ['{"a":[1]}'], ["[]"]),
    ("OrderedDict", OrderedDict[str, bool], ['{"a":true}'], ['{"a":1}']),
    ("keys of a Literal", Mapping[Literal["a", "b"], int], ['{"b":1}'], ['{"c":1}']),
    ("keys of an Enum", dict[classes.Colour, int], ['{"red":1}'], ['{"blue":1}']),
    ("keys of a type alias", dict[Names, int], ['{"b":1}'], ['{"c":1}', '{"b":"c"}']),
    ("keys that are UUIDs", dict[uuid.UUID, int], [f'{{"{IDENTIFIER}":1}}'], ['{"a":1}']),
    ("Optional", Optional[int], ["1", "null"], ['"a"']),  # noqa: UP045 - the older spelling, too
    ("union", int | list[str], ["1", '["a"]'], ["[1]", "null"]),
    ("Annotated with a remark", Annotated[int, "a remark"], ["1"], ["null"]),
    ("Annotated with a constraint", Annotated[int, pydantic.Field(gt=3)], ["4"], ["3"]),
    ("constraint inside", list[Annotated[str, pydantic.Field(max_length=2)]], ['["ab"]'], ['["abc"]']),
    ("Literal", Literal["a", 1, None], ['"a"', "1", "null"], ['"1"', "true"]),
    ("Literal of an Enum", Literal[classes.Colour.RED], ['"red"'], ['"green"']),
    ("Enum", classes.Colour, ['"red"', '"green"'], ['"ROUGE"', '"blue"']),
    ("IntEnum", classes.Level, ["1", "2"], ["3"]),
    (
        "dataclass",
        classes.Point,
        ['{"x":1}', '{"x":1,"y":2.5}'],
        ["{}", '{"y":1}', '{"x":1,"z":2}', '{"x":1.5}'],
    ),
    (
        "dataclass with an __init__ of its own",
        classes.Square,
        ['{"side":2}', '{"side":2,"place":{"x":1}}'],
        ['{"side":2,"area":4}', "{}", '{"area":4}', '{"side":"a"}', '{"side":2,"place":1}'],
    ),
    ("class derived from a dataclass", classes.Place, ['{"x":1}'], ["{}"]),
    (
        "recursive dataclass",
        classes.Tree,
        ['{"name":"a"}', '{"name":"a","children":[{"name":"b","forest":{"trees":[]}}]}'],
        ['{"name":"a","children":[{"name":1}]}', '{"name":"a","forest":[]}'],
    ),
    (
        "InitVar, ClassVar",
        classes.Settings,
        ['{"level":1,"seed":2}'],
        ['{"level":1}', '{"level":3,"seed":2}'],
    ),
    ("TypedDict", classes.Movie, ['{"title":"a"}', '{"title":"a","year":1}'], ['{"year":1}']),
    (
        "TypedDict with marks inside Annotated",
        classes.Remarked,
        ['{"head":"a","middle":3}', '{"head":"a","middle":4,"tail":"b"}'],
        ['{"middle":3}', '{"head":"a"}', '{"head":"a","middle":2}', '{"head":"a","middle":3,"tail":1}'],
    ),
    ("not total", classes.Parts, ['{"head":"a"}', '{"head":"a","tail":"b"}'], ['{"tail":"b"}', "{}"]),
    ("NamedTuple", classes.Pair, ["[1]", '[1,"a"]'], ["[]", '[1,"a",1]']),
    ("model", classes.User, ['{"userName":"a","age":1}'], ['{"name":"a"}', '{"userName":"abcdef"}', "{}"]),
    (
        "recursive model",
        classes.User,
        ['{"userName":"a","friends":[{"userName":"b"}]}'],
        ['{"userName":"a","friends":[{}]}'],
    ),
    ("list of models", list[classes.User], ['[{"userName":"a"}]'], ["[{}]"]),
    ("TypeAdapter", pydantic.TypeAdapter(dict[str, classes.Point]), ['{"a":{"x":1}}'], ['{"a":{}}']),
    ("pydantic's own type", pydantic.PositiveInt, ["1"], ["0"]),
    (
        "dataclass with models",
        classes.Team,
        ['{"lead":{"userName":"a"}}', '{"lead":{"userName":"a"},"guest":{"number":1}}'],
        ['{"lead":{"number":1}}', '{"lead":{"userName":"a"},"guest":{"userName":"a"}}'],
    ),
    (
        "two classes of one name",
        tuple[classes.Point, classes.Other.Point],
        ['[{"x":1},{"z":true}]'],
        ['[{"x":1},{"x":1}]'],
    ),
    (
        "function",
        classes.search,
        ['{"query":"a","mode":"fast"}', '{"query":"a","limit":1,"mode":"full","extra":[1]}'],
        ['{"query":"a"}', '{"query":"a","mode":"slow"}', '{"query":"a","mode":"fast","other":1}'],
    ),
    ("function with keywords", classes.tagged, ['{"name":"a","b":1}'], ['{"name":"a","b":"c"}', "{}"]),
    (
        "function with the keywords of a TypedDict",
        classes.filmed,
        ['{"place":"a","title":"b","year":1}', '{"place":"a","title":"b"}'],
        ['{"place":"a"}', '{"place":"a","title":"b","more":1}'],
    ),
    ("method", classes.Tool().call, ['{"place":{"x":1},"unit":"red"}'], ['{"place":1}', '{"self":1}']),
    (
        "partial",
        functools.partial(classes.search, "a", mode="fast"),
        ["{}", '{"limit":3}'],
        ['{"query":"a"}'],
    ),
]
IDS = [name for name, *_ in INPUTS]


@pytest.mark.parametrize(("schema", "valid", "invalid"), [case[1:] for case in INPUTS], ids=IDS)
def test_every_input_enforces_what_it_says(
    byte_vocabulary: mw.Vocabulary, schema: Any, valid: list[str], invalid: list[str]
) -> None:
    verdicts = {text: accepts(byte_vocabulary, schema, text) for text in valid + invalid}
    assert verdicts == dict.fromkeys(valid, True) | dict.fromkeys(invalid, False)


def test_a_class_inside_a_function_may_name_itself(byte_vocabulary: mw.Vocabulary) -> None:
    @dataclass
    class Node:
        next: Node | None = None

    assert accepts(byte_vocabulary, Node, '{"next":{"next":null}}')
    assert not accepts(byte_vocabulary, Node, '{"next":{"next":1}}')


def test_the_order_of_keys_and_all_digits_are_kept() -> None:
    schema = {"properties": {"b": {"maximum": 10**6000}, "a": {"minimum": -(10**18)}}}
    text = schema_text(schema, limit=10_000)
    assert text == (
        '{"properties":{"b":{"maximum":1' + "0" * 6000 + '},"a":{"minimum":-1000000000000000000}}}'
    )


@pytest.mark.parametrize(
    "value",
    [
        *(None, True, False, 0, -1, 2**63 - 1, -(2**63), 2**63, 10**18),
        *(0.0, -0.0, 0.1, 1e16, 1e-7, 5e-324, 1.7976931348623157e308),
        *(
            "",
            "plain",
            '"\\/\b\f\n\r\t',
            "\0\x1f\x20\x7e\x7f\x80",
            "\xe9\u0416\uffff\U0001f600",
            "\ud83d\ude00",
            "\\ud800",
        ),
        *([], {}, [[], [1, "a", None]], {"": {"\xe9": [1.5, {}]}, "b": True}),
    ],
)
def test_a_dict_is_written_as_any_other_mapping(value: Any) -> None:
    # What is all dicts and lists is written in another place.
    plain = schema_text({"const": value}, limit=1000)
    assert plain == schema_text(MappingProxyType({"const": value}), limit=1000)
    expected = json.dumps({"const": value}, separators=(",", ":"))
    assert plain == expected
    assert schema_text({"const": value}, limit=len(expected)) == expected
    with pytest.raises(mw.BudgetExceededError):
        schema_text({"const": value}, limit=len(expected) - 1)


def test_what_is_made_of_a_type_says_its_draft() -> None:
    # Otherwise `prefixItems` would be ignored under an older default.
    made = json.loads(schema_text(tuple[int, str]))
    assert made["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_deep_nesting_of_a_dict_is_no_matter_of_the_stack() -> None:
    schema: Any = True
    for _ in range(100_000):
        schema = {"items": schema}
    assert schema_text(schema, limit=10_000_000) == '{"items":' * 100_000 + "true" + "}" * 100_000


def test_a_schema_that_shares_its_parts_is_bounded() -> None:
    shared: Any = True
    for _ in range(100):
        shared = {"anyOf": [shared, shared]}
    with pytest.raises(mw.BudgetExceededError) as caught:
        mw.Grammar.json_schema(shared, budget=mw.Budget(grammar_bytes=10_000))
    assert (caught.value.budget, caught.value.limit) == ("grammar_bytes", 10_000)


def cyclic() -> dict[str, Any]:
    schema: dict[str, Any] = {"properties": {}}
    schema["properties"]["a/b"] = [schema]
    return schema


def deep_type() -> Any:
    annotation: Any = int
    for _ in range(5000):
        annotation = list[annotation]
    return annotation


NAMED = {"name": "answer", "strict": True, "schema": {"type": "object"}}

# Each: name, input, the place that the error names, a part of its message.
REFUSED: list[tuple[str, Any, str, str]] = [
    ("itself", cyclic(), "#/properties/a~1b/0", "contains itself"),
    ("key", {"enum": [{1: 2}]}, "#/enum/0/1", "a key must be a string, not 1 of type int"),
    ("NaN", {"maximum": float("nan")}, "#/maximum", "nan is not a number of JSON"),
    ("infinity", {"items": [{"maximum": float("inf")}]}, "#/items/0/maximum", "inf is not a number"),
    ("decimal NaN", {"maximum": decimal.Decimal("NaN")}, "#/maximum", "not a number of JSON"),
    ("set", {"enum": {1}}, "#/enum", "{1} of type set is not a JSON value"),
    ("bytes inside", {"const": b"a"}, "#/const", "of type bytes is not a JSON value"),
    ("date inside", {"const": datetime.date(2024, 1, 1)}, "#/const", "of type date is not a JSON value"),
    ("None", None, "#", "where the value null is meant, give"),
    ("bytes", b"{}", "#", "a schema cannot be given as bytes"),
    ("number", 3, "#", "a schema cannot be given as int"),
    ("tuple", (int, str), "#", "a schema cannot be given as tuple"),
    ("module", json, "#", "a schema cannot be given as module"),
    ("path", Path("person.json"), "#", "give what is in the file, as by read_text()"),
    ("response_format", {"type": "json_schema", "json_schema": NAMED}, "#/type", "give the schema in it"),
    ("response_format as text", json.dumps({"type": "json_schema", **NAMED}), "#/type", "the schema in it"),
    ("response_format of any object", {"type": "json_object"}, "#/type", 'give {"type": "object"}'),
    ("named schema", NAMED, "#/schema", "a part of OpenAI's response_format, and no schema"),
    ("named schema as text", json.dumps(NAMED), "#/schema", "a part of OpenAI's response_format"),
    ("surrogate in the text", '{"const": "\ud800"}', "#", "a lone surrogate at position 11"),
    ("surrogate", {"enum": ["\xe9", "\xe9\udfff"]}, "#/enum/1", "a lone surrogate at position 1"),
    ("surrogate in a key", {"not": {"\ud800": {}}}, r"#/not/\ud800", "a lone surrogate at position 0"),
    ("model inside", {"items": classes.Point}, "#/items", "put in what maskwright.json_schema.schema_text"),
    ("Enum inside", {"const": classes.Colour.RED}, "#/const", "give its value"),
    ("number of NumPy inside", {"minimum": np.int64(3)}, "#/minimum", "that its method item() makes"),
    ("text of a type", LIST["Location"], "#/items", "it is not known where its names are defined"),
    ("ForwardRef", ForwardRef("int"), "#", "'int' is the text of a type"),
    (
        "text of a type for pydantic",
        Annotated[LIST[ForwardRef("Location")], pydantic.Field(min_length=1)],
        "#",
        "a name in it is not defined where pydantic looks",
    ),
    ("class as a value", dict[str, type[int]], "#/additionalProperties", "type[int] is a class"),
    ("no value", Never, "#", "it is no type of values that JSON has"),
    ("complex", complex, "#", "complex has no form in JSON"),
    ("generic TypedDict", classes.Crate[int], "#", "a generic TypedDict with its types given"),
    ("bytes type", list[bytes], "#/items", "bytes has no form in JSON"),
    ("bytes literal", Literal[b"a"], "#", "the literal b'a' has no form in JSON"),
    ("integer keys", dict[int, str], "#/propertyNames", "keys of JSON objects are strings"),
    ("keys of an alias of an int", dict[Numbers, str], "#/propertyNames", "Numbers is not; use str"),
    ("Flag", classes.Permission, "#", "Permission is a Flag"),
    ("empty Enum", classes.Nothing, "#", "the enumeration Nothing has no members"),
    ("type variable", classes.Box, "#/properties/content", "the type variable ~T stands for no type"),
    ("generic dataclass", classes.Box[int], "#", "a generic dataclass"),
    ("plain class", list[classes.Other], "#/items", "it is a plain class; make it a dataclass"),
    ("*args", classes.variadic, "#", r"any number of positional arguments (*names)"),
    ("unresolved", classes.unresolved, "#", "the annotations of unresolved cannot be resolved (NameError"),
    ("Field as a default", classes.constrained_default, "#/properties/limit", "Annotated[type, Field(...)]"),
    ("no signature", max, "#", "the signature of <built-in function max> cannot be found out"),
    ("a type for no items", LIST[int, str], "#", "list[int, str] holds 2 in brackets, but needs one type"),
    ("a type for no values", list[DICT[str]], "#/items", "holds 1 in brackets, but needs two types"),
    ("items behind any number", tuple[*tuple[int, ...], str], "#", "behind any number of others"),
    ("dots alone", TUPLE[int, str, ...], "#", "in a tuple, ... comes second and last"),
    ("types that vary", TUPLE[(int, *tuple(ANY_CLASSES.Types))], "#", "Types stands for no types here"),
    ("value of a dataclass", classes.Point(1), "#", "this is a value of Point and no type; give the class"),
    ("value of a model", LIST[classes.User(userName="a")], "#/items", "this is a value of User and no type"),
    ("schema that fails", list[classes.Failing], "#/items", "no schema today"),
    ("schema that says nothing", classes.Silent, "#", "LookupError"),
    ("deep type", deep_type(), "#", "the type is nested too deeply"),
]


@pytest.mark.parametrize(
    ("schema", "location", "message"), [case[1:] for case in REFUSED], ids=[name for name, *_ in REFUSED]
)
def test_what_is_no_schema_is_refused_by_place(schema: Any, location: str, message: str) -> None:
    with pytest.raises(mw.SchemaError) as caught:
        mw.Grammar.json_schema(schema)
    assert caught.value.location == location
    assert str(caught.value).startswith(f"{location}: ")
    assert message in str(caught.value)


@pytest.mark.parametrize("text", ["", " ", "string", "int | None", "list[str]"])
def test_the_name_of_a_type_is_no_json_text(text: str) -> None:
    with pytest.raises(mw.GrammarError) as caught:
        mw.Grammar.json_schema(text)
    notes = "".join(getattr(caught.value, "__notes__", []))
    assert ("not the name of a type" in notes) == bool(text.strip())


@pytest.mark.parametrize("path", ["person.json", "schemas/person.json", "true person.yaml"])
def test_the_path_of_a_file_is_no_schema(path: str) -> None:
    with pytest.raises(mw.SchemaError, match="give what is in a file, not its path"):
        mw.Grammar.json_schema(path)


@pytest.mark.parametrize("text", ["", "object", '["a.json"]', '{"const": x.json'])
def test_other_texts_are_not_taken_for_paths(text: str) -> None:
    with pytest.raises(mw.GrammarError) as caught:
        mw.Grammar.json_schema(text)
    assert "path" not in str(caught.value)


@pytest.mark.parametrize("more", [{"title": "a"}, {"properties": {}}, {"schema": "a"}])
def test_keywords_that_no_draft_has_are_still_annotations(
    byte_vocabulary: mw.Vocabulary, more: dict[str, Any]
) -> None:
    schema = NAMED | more
    assert accepts(byte_vocabulary, schema, "1")
    assert accepts(byte_vocabulary, json.dumps(schema), "1")


def test_pydantic_is_needed_only_for_what_is_its_own() -> None:
    program = """
import sys
sys.modules["pydantic"] = None  # as if it were not installed
import pathlib
from dataclasses import dataclass
import maskwright as mw
from maskwright.json_schema import schema_text

@dataclass
class Point:
    x: int

schema_text(list[Point], limit=1000)
try:
    schema_text(pathlib.Path, limit=1000)
except mw.SchemaError as error:
    assert "pip install 'maskwright[pydantic]'" in str(error)
else:
    raise AssertionError("a path has no schema")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_importing_the_package_does_not_import_pydantic() -> None:
    command = "import maskwright, sys; sys.exit('pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", command], check=False).returncode == 0
