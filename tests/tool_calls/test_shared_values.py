"""What tools with equal parameters share, and that nothing else is shared."""

from __future__ import annotations

from typing import Any

import pytest

import maskwright as mw
from maskwright.json_schema.subschemas import UnplainSchemaError, without_annotations
from maskwright.recipes import grammars_in

FORMATS = ["qwen3-coder", "deepseek-v3.2", "pythonic"]
DRAFT_7 = "http://json-schema.org/draft-07/schema#"


def _tool(schema: Any, name: str = "now", **around: Any) -> mw.Tool:
    return mw.Tool(name, parameters={**around, "properties": {"a": schema}})


def _schemas(calls: mw.ToolCalls) -> dict[int, str]:
    """The JSON texts of all grammars made of a schema, by what these are."""
    recipes = [(at, *at._recipe) for at in grammars_in(calls.grammar())]
    kinds = ("json_schema", "string_content")
    return {id(at): arguments["schema"] for at, kind, arguments in recipes if kind in kinds}


@pytest.mark.parametrize("format", FORMATS)
def test_equal_parameters_share_one_grammar(format: str) -> None:
    schema = {"type": "array", "items": {"type": "string", "description": "One."}, "maxItems": 7}
    tools = [_tool({**schema, "description": "Some."}, "one"), _tool({**schema, "title": "Others"}, "two")]
    both = _schemas(mw.ToolCalls(tools, format))
    assert len(both) == 1
    another_set = mw.ToolCalls([_tool({**schema, "default": []}, "three")], format)
    assert _schemas(another_set).keys() == both.keys()


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"type": "integer", "minimum": 1}, {"type": "number", "minimum": 1}),
        ({"type": "array", "items": {"const": 1}}, {"type": "array", "items": {"const": True}}),
        ({"type": "array", "items": {"const": 1}}, {"type": "array", "items": {"const": 1.5}}),
        ({"enum": [["title"]]}, {"enum": [["description"]]}),
        (
            {"type": "object", "properties": {"title": {"type": "string"}}, "additionalProperties": False},
            {"type": "object", "properties": {}, "additionalProperties": False},
        ),
    ],
)
def test_others_do_not(format: str, first: Any, second: Any) -> None:
    made = [_schemas(mw.ToolCalls([_tool(schema)], format)) for schema in (first, second)]
    assert not made[0].keys() & made[1].keys()


def test_other_options_and_drafts_do_not() -> None:
    schema = {"type": "array", "items": {"type": "string", "format": "date"}}
    calls = [
        mw.ToolCalls([_tool(schema)], "qwen3-coder"),
        mw.ToolCalls([_tool(schema)], "qwen3-coder", whitespace="compact"),
        mw.ToolCalls([_tool(schema)], "qwen3-coder", enforce_formats=False),
        mw.ToolCalls([_tool(schema)], "qwen3-coder", plain_numbers=True),
        mw.ToolCalls([_tool(schema)], "qwen3-coder", budget=mw.Budget(states=1000)),
        mw.ToolCalls([_tool(schema)], "minimax-m2"),
        mw.ToolCalls([_tool(schema, **{"$schema": DRAFT_7})], "qwen3-coder"),
    ]
    made = [identity for call in calls for identity in _schemas(call)]
    assert len(made) == len(set(made)) == len(calls)


@pytest.mark.parametrize("format", FORMATS)
def test_references_lead_within_their_own_tool(format: str, byte_vocabulary: mw.Vocabulary) -> None:
    tools = [
        _tool({"$ref": "#/$defs/b"}, name, **{"$defs": {"b": {"enum": [value]}}})
        for name, value in (("one", 1), ("two", 2))
    ]
    calls = mw.ToolCalls(tools, format, typed_special_tokens=True, reasoning="off")
    constraint = mw.Compiler(byte_vocabulary).compile(calls.grammar())
    for name, value in (("one", 1), ("two", 2)):
        for given in (1, 2):
            text = calls.render([{"name": name, "arguments": {"a": given}}])
            assert constraint.matcher().accept_bytes(text.encode()) == (given == value)


@pytest.mark.parametrize("format", FORMATS)
def test_what_is_refused_is_told_with_its_own_place(format: str) -> None:
    schema = {"not": {"minLength": 2}, "type": ["string", "null"]}
    for name in ("b", "c"):
        tool = mw.Tool("now", parameters={"properties": {name: schema}})
        with pytest.raises(mw.UnsupportedFeatureError) as caught:
            mw.ToolCalls([tool], format).grammar()
        assert caught.value.location == f"#/properties/{name}/not"


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"items": {"$anchor": "a"}},
        {"properties": {"$a": {}}},
        {"enum": [{"a": {"$b": 1}}]},
        {"const": 1j},
        {"enum": [(1, 2)]},
        [type("Text", (str,), {})("a")],
    ],
    ids=str,
)
def test_what_is_not_plain_is_not_compared(schema: Any) -> None:
    with pytest.raises(UnplainSchemaError):
        without_annotations(schema)


def test_what_nests_deeply_is_not_compared() -> None:
    for wrapped in (lambda inner: {"items": inner}, lambda inner: {"enum": [inner]}):
        schema: Any = {}
        for _ in range(40):
            schema = wrapped(schema)
        with pytest.raises(UnplainSchemaError):
            without_annotations(schema)
