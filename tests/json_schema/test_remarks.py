"""What is no error in a schema, and yet hardly meant: ``Grammar.remarks``."""

from __future__ import annotations

import json
import pickle
import re
import time
from pathlib import Path
from typing import Any

import pytest

import maskwright as mw
from maskwright.json_schema.options import DRAFTS
from maskwright.json_schema.remarks import FORMATS
from maskwright.tool_calls import format_names
from only_bytes import only_bytes

# Each: a schema, the word, and what is said of it; nothing is said where there is no word.
CASES: list[tuple[Any, str, list[str]]] = [
    ({"type": "string", "maxLenght": 3}, "maxLenght", ["#: `maxLenght` is no", "did you mean `maxLength`?"]),
    (
        {"properties": {"a": {"prefixItems": [{}, {"requird": []}]}}},
        "requird",
        ["#/properties/a/prefixItems/1: `requird` is no keyword"],
    ),
    ({"anyOf": [{"Enum": [1]}, {}]}, "Enum", ["#/anyOf/0: `Enum` is", "did you mean `enum`?"]),
    ({"format": "datetime"}, "datetime", ["#/format: the format `datetime`", "did you mean `date-time`?"]),
    ({"items": {"format": "url"}}, "url", ["#/items/format: the format `url`", "did you mean `uri`?"]),
    (
        {"properties": {"maxLenght": {}, "format": {}}, "enum": [{"maxLenght": 1}], "default": {"typ": 1}},
        "",
        [],
    ),
    ({"example": 1, "x-order": 1, "nullable": False, "format": "int32", "MAX": 1}, "", []),
    (
        {"items": {"format": "phone"}},
        "phone",
        ["#/items/format: the format `phone` is not known", "`pattern`"],
    ),
    ({"type": ["null", "string"], "format": "email-address"}, "email-address", ["is not known and asks for"]),
    ({"type": "string", "format": "base64"}, "base64", ["is not known and asks for nothing"]),
    ({"type": "string", "format": "e-mail"}, "e-mail", ["did you mean `email`?"]),
    ({"type": "string", "format": "phone", "pattern": "^[0-9]+$"}, "", []),
    ({"type": "number", "format": "unix-time"}, "", []),
    ({"format": "x-phone"}, "", []),
    ({"a" * 100_000: 1}, "", []),
    ({"items": {"type": "string", "nullable": True}}, "nullable", ["#/items: `nullable`", 'add "null" to']),
    (
        {"$schema": DRAFTS["7"], "prefixItems": [{}]},
        "prefixItems",
        ["#: `prefixItems` is a keyword only since draft 2020-12, and asks for nothing in draft 7"],
    ),
    (
        {"$schema": "http://json-schema.org/draft-04/hyper-schema", "items": {"const": 1}},
        "const",
        ["#/items: `const` is a keyword only since draft 6, and asks for nothing in draft 4"],
    ),
    ({"items": True, "additionalItems": False}, "additionalItems", ["only up to draft 2019-09"]),
    ({"$schema": "https://example.org/unknown", "$recursiveRef": "#"}, "$recursiveRef", ["in draft 2020-12"]),
    (
        {
            "$schema": DRAFTS["7"],
            "definitions": {"a": {}},
            "properties": {"b": {"$ref": "#/definitions/a", "maxLength": 2, "title": "b"}},
        },
        "maxLength",
        ["#/properties/b: `maxLength` stands beside `$ref`", "put the two into an `allOf`"],
    ),
    ({"$schema": DRAFTS["7"], "$ref": "#/definitions/a", "definitions": {"a": {}}}, "", []),
    ({"$schema": DRAFTS["2019-09"], "$defs": {"a": {}}, "$ref": "#/$defs/a", "maxLength": 2}, "", []),
    ({"$schema": DRAFTS["4"], "properties": {"$ref": {"type": "string"}}, "maxLength": 2}, "", []),
    (f'{{"const": {"9" * 5000}, "maxLenght": 3}}', "maxLenght", ["#: `maxLenght` is no keyword"]),
    (int, "", []),
    (True, "", []),
]


@pytest.mark.parametrize(("schema", "word", "told"), CASES, ids=lambda value: str(value)[:40])
def test_what_asks_for_nothing_and_was_meant_to_is_remarked_on(
    schema: Any, word: str, told: list[str]
) -> None:
    remarks = mw.Grammar.json_schema(schema).remarks()
    assert [remark.word for remark in remarks] == ([word] if word else [])
    for remark in remarks:
        assert all(part in remark.message for part in told)
        assert remark.message.startswith(f"{remark.location}: ")


MISSPELT = {
    # letters in another order, of words of all lengths
    "tpye": "type",
    "itmes": "items",
    "cosnt": "const",
    "emun": "enum",
    "nto": "not",
    "reqiured": "required",
    "minLenght": "minLength",
    # one letter too few, too many or another one
    "typ": "type",
    "types": "type",
    "item": "items",
    "patern": "pattern",
    "formta": "format",
    "ref": "$ref",
    "oneof": "oneOf",
    "max_length": "maxLength",
    # more of them in long words
    "propertys": "properties",
    "additionalProperty": "additionalProperties",
    "exclusiveMax": "exclusiveMaximum",
    "dependantRequired": "dependentRequired",
}
OF_OTHERS = """
    allow and any args author base bind bool choices class code color column comment comments component
    condition conditions constraint constraints contact container content contents context control cost
    count currency decimal depends description descriptions disabled discriminator display docs element
    elements encoding enumDescriptions enumNames enumTitles error errorMessage example exclude explode ext
    extends externalDocs fields file filter fmt form formatMaximum formatMinimum from group guide header
    hidden hint icon image import in include index inline input instanceof internal is isRequired itemLabel
    itemType key kind label language layout level license limit link list mask max maxHeight maxValue
    maxWidth media menu meta min minValue mode multi multiple mutable name names next none nor note notes
    now nullable num object of on one only operation optional options or order origin param parent parse
    part path permission placeholder precision prefix properties_order propertyOrder propertyOrdering
    purpose range readonly reason regexp region relation requiredIf requirements reserved result role rule
    scale schema scope secret section select sensitive serializer shape short shown size sort source state
    status step store style summary switch symbol synonyms tag tags target term terms test text then_by
    theme time times title tooltip topic transform typeName typeof undefined unique uniqueItemProperties
    unit units usage uuid validate validation value values variant verbose version view visible warning
    weight when widget width xml
""".split()  # noqa: SIM905 - a table


@pytest.mark.parametrize(("word", "meant"), MISSPELT.items())
def test_letters_left_out_added_mistaken_or_in_another_order_are_misspellings(word: str, meant: str) -> None:
    assert [remark.suggestion for remark in mw.Grammar.json_schema({word: 1}).remarks()] == [meant]


def test_words_of_openapi_and_of_people_are_no_misspellings() -> None:
    assert mw.Grammar.json_schema(dict.fromkeys(OF_OTHERS, "x")).remarks() == []


@pytest.mark.parametrize("name", "int32 int64 uint8 float double password binary byte path".split())  # noqa: SIM905 - a table
@pytest.mark.parametrize("kind", ["string", "integer"])
def test_formats_that_openapi_and_pydantic_mean_as_annotations_are_none_that_are_missed(
    name: str, kind: str
) -> None:
    assert mw.Grammar.json_schema({"type": kind, "format": name}).remarks() == []


# Of each, a value of another type or with other members is what it asks for nothing of.
VALUES: dict[str, tuple[dict[str, Any], str]] = {
    "const": ({"const": 1}, "2"),
    "contains": ({"contains": {"type": "string"}}, "[1]"),
    "propertyNames": ({"propertyNames": {"maxLength": 1}}, '{"ab": 1}'),
    "if": ({"if": {"minimum": 5}, "then": {"minimum": 9}}, "6"),
    "dependentRequired": ({"dependentRequired": {"a": ["b"]}}, '{"a": 1}'),
    "dependentSchemas": ({"dependentSchemas": {"a": {"required": ["b"]}}}, '{"a": 1}'),
    "dependencies": ({"dependencies": {"a": ["b"]}}, '{"a": 1}'),
    "unevaluatedProperties": ({"unevaluatedProperties": False}, '{"a": 1}'),
    "unevaluatedItems": ({"unevaluatedItems": False}, "[1]"),
    "maxContains": ({"contains": {"type": "integer"}, "maxContains": 1}, "[1, 1]"),
    "prefixItems": ({"prefixItems": [False]}, "[1]"),
    "additionalItems": ({"items": [{"type": "integer"}], "additionalItems": False}, "[1, 1]"),
    "uniqueItems": ({"uniqueItems": True}, "[1, 1]"),
}


@pytest.mark.parametrize("draft", DRAFTS)
@pytest.mark.parametrize("keyword", VALUES)
def test_keywords_of_other_drafts_are_those_that_the_engine_passes_over(
    byte_vocabulary: mw.Vocabulary, keyword: str, draft: str
) -> None:
    schema, text = VALUES[keyword]
    if (keyword, draft) == ("additionalItems", "2020-12"):
        schema, text = {"items": True, "additionalItems": False}, "[1]"
    grammar = mw.Grammar.json_schema(schema, default_draft=draft)
    matcher = mw.Compiler(byte_vocabulary).compile(grammar).matcher()
    asks_for_nothing = matcher.accept_bytes(text.encode()) and matcher.is_complete
    assert (keyword in [remark.word for remark in grammar.remarks()]) == asks_for_nothing


@pytest.mark.parametrize("draft", DRAFTS)
def test_what_stands_beside_a_reference_is_remarked_on_where_the_engine_passes_it_over(
    byte_vocabulary: mw.Vocabulary, draft: str
) -> None:
    schema = {"definitions": {"a": {"type": "string"}}, "items": {"$ref": "#/definitions/a", "maxLength": 2}}
    grammar = mw.Grammar.json_schema(schema, default_draft=draft)
    matcher = mw.Compiler(byte_vocabulary).compile(grammar).matcher()
    assert bool(grammar.remarks()) == matcher.accept_bytes(b'["abc"]')


def test_documents_and_options_count() -> None:
    documents = {"u:other": {"typ": "string"}, "u:dialect": {"$id": "u:dialect"}}
    grammar = mw.Grammar.json_schema({"items": {"$ref": "u:other"}}, documents=documents)
    assert [remark.location for remark in grammar.remarks()] == ["u:other#"]
    # What a dialect of one's own has is not known here.
    ours = mw.Grammar.json_schema({"$schema": "u:dialect", "additionalItems": {}}, documents=documents)
    assert [remark.word for remark in ours.remarks()] == ["typ"]
    zipped = {"format": "zipcode"}
    assert (
        mw.Grammar.json_schema(zipped, formats={"zip-code": "[0-9]{5}"}).remarks()[0].suggestion == "zip-code"
    )
    assert mw.Grammar.json_schema(zipped, formats={"zipcode": "[0-9]{5}"}).remarks() == []
    assert mw.Grammar.json_schema({"format": "datetime"}, enforce_formats=False).remarks() == []


@pytest.mark.parametrize(
    "text", ["nope", "", "\ufeff{}", "{}\0", '{"items": ' * 5000 + "{}" + "}" * 5000, "[1]", '{"typ": NaN}']
)
def test_a_document_to_which_nothing_refers_may_be_anything(text: str) -> None:
    documents: dict[str, Any] = {"u:a": text, "u:b": {"typ": 1}}
    grammar = mw.Grammar.json_schema({"maxLenght": 1}, documents=documents)
    told = [remark.location for remark in grammar.remarks() if remark.location != "u:a#"]
    assert told == ["#", "u:b#"]
    with pytest.raises((mw.SchemaError, mw.BudgetExceededError)):
        mw.Grammar.json_schema({"items": {"$ref": "u:a"}}, documents=documents)


def test_a_composed_grammar_has_the_remarks_of_its_parts_each_once() -> None:
    part = mw.Grammar.json_schema({"typ": "string"})
    whole = mw.Grammar.sequence(["<a>", part, part, mw.Grammar.regex("b")]) | mw.Grammar.json_schema(
        {"typ": 1}
    )
    assert whole.remarks() == part.remarks()
    assert pickle.loads(pickle.dumps(whole)).remarks() == part.remarks()
    assert mw.Grammar.regex('{"typ": 1}').remarks() == []


PARAMETERS = {
    "type": "object",
    "properties": {
        "day": {"type": "string", "format": "datetime"},
        "days": {"type": "integer", "minimun": 1},
        "where": {"type": ["object", "null"], "properties": {"phone": {"type": "string", "format": "phone"}}},
    },
    "required": ["days"],
}


def test_the_remarks_on_a_tool_are_the_same_in_every_format() -> None:
    expected = mw.Grammar.json_schema(PARAMETERS).remarks()
    assert [remark.word for remark in expected] == ["datetime", "minimun", "phone"]
    for name in format_names():
        grammar = mw.ToolCalls([mw.Tool("t", parameters=PARAMETERS)], format=name).grammar()
        assert grammar.remarks() == expected, name
        assert pickle.loads(pickle.dumps("<a>" + grammar)).remarks() == expected, name


@pytest.mark.parametrize("style", ["json", "qwen_xml", "minimax_xml", "glm_xml", "deepseek_xml"])
def test_the_remarks_on_a_structural_tag_are_the_same_in_every_style(style: str) -> None:
    tag = {"type": "json_schema", "style": style, "json_schema": PARAMETERS}
    grammar = mw.Grammar.structural_tag(tag)
    assert grammar.remarks() == mw.Grammar.json_schema(PARAMETERS).remarks()
    assert pickle.loads(pickle.dumps(grammar)).remarks() == grammar.remarks()


def test_many_words_take_bounded_time() -> None:
    for word in ("maxLenght", "uniqueThings"):
        schema = {f"{word}{number}": 1 for number in range(20_000)}
        start = time.perf_counter()
        assert len(mw.Grammar.json_schema(schema).remarks()) <= 1000
        assert time.perf_counter() - start < 5


def test_the_formats_that_are_known_are_those_of_the_engine() -> None:
    """Each refuses this text, which no format holds; one that is not known asks for nothing."""
    vocabulary = only_bytes()
    compiler = mw.Compiler(vocabulary)
    for name in (*FORMATS, "another"):
        matcher = compiler.compile(mw.Grammar.json_schema({"format": name})).matcher()
        accepted = matcher.accept_bytes(json.dumps("\\ (").encode()) and matcher.is_complete
        assert accepted == (name == "another"), name
    listed = (Path(__file__).parents[2] / "docs/json-schema-support.md").read_text(encoding="utf-8")
    table = listed.partition("## Formats")[2].partition("\n## ")[0]
    named = set(re.findall(r"^\| `([a-z0-9-]+)` \|", table, re.MULTILINE))
    assert named - FORMATS == {"unknown", "ecmascript-regex"}  # names of the suite's files
