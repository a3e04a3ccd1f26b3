"""Schemas of tools that are no schemas: every format tells the same place."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import Any

import pytest

import maskwright as mw

from .samples import FORMATS, TOOLS, accepts, refused_at, vocabulary_of

CONTAINS_ITSELF: dict[str, Any] = {"type": ["object", "null"], "properties": {}}
CONTAINS_ITSELF["properties"]["a"] = CONTAINS_ITSELF
NO_SCHEMAS: list[tuple[dict[str, Any], str]] = [
    # the schema of a tool's arguments; the place of its fault, as every format tells it
    ({"properties": {"p": {"type": 5}}}, "#/properties/p/type"),
    ({"properties": {"p": {"type": None}}}, "#/properties/p/type"),
    ({"properties": {"p": {"type": [["string"]]}}}, "#/properties/p/type"),
    ({"properties": {"p": {"enum": 5}}}, "#/properties/p/enum"),
    ({"properties": {"p": {"enum": "abc"}}}, "#/properties/p/enum"),
    ({"properties": {"p": {"anyOf": 5}}}, "#/properties/p/anyOf"),
    ({"properties": {"p": {"anyOf": {"a": {}}}}}, "#/properties/p/anyOf"),
    ({"properties": {"p": {"allOf": 5}}}, "#/properties/p/allOf"),
    ({"properties": {"p": {"$ref": "#/$defs/none"}}}, "#/properties/p/$ref"),
    ({"properties": {"p": {"$ref": "https://example.org/a"}}}, "#/properties/p/$ref"),
    ({"properties": {"p": {"type": ["array", "null"], "items": 5}}}, "#/properties/p/items"),
    ({"properties": {"p": {"type": ["array", "null"], "minItems": "x"}}}, "#/properties/p/minItems"),
    ({"properties": {"p": {"type": ["string", "null"], "minLength": -1}}}, "#/properties/p/minLength"),
    ({"properties": {"p": {"type": ["object", "null"], "properties": 5}}}, "#/properties/p/properties"),
    ({"properties": {"p": {"type": ["object", "null"], "required": "a"}}}, "#/properties/p/required"),
    ({"properties": {"p": 5}}, "#/properties/p"),
    ({"properties": 5}, "#/properties"),
    ({"properties": None}, "#/properties"),
    ({"properties": {1: {}}}, "#/properties/1"),
    ({"properties": {"p": {}}, "required": 5}, "#/required"),
    ({"properties": {"p": {}}, "required": "p"}, "#/required"),
    ({"properties": {"p": {}}, "required": [["p"]]}, "#/required/0"),
    ({"properties": {"p": {}}, "additionalProperties": 5}, "#/additionalProperties"),
    ({"properties": {"p": CONTAINS_ITSELF}}, "#/properties/p/properties/a"),
]
CALLS_WITH_P = {
    "hermes": '<tool_call>\n{"name": "t", "arguments": {"p": 1e3}}\n</tool_call>',
    "qwen3-coder": "<tool_call>\n<function=t>\n<parameter=p>\n1e3\n</parameter>\n</function>\n</tool_call>",
    "glm-4.7": "</think><tool_call>t<arg_key>p</arg_key><arg_value>1e3</arg_value></tool_call>",
    "pythonic": "[t(p=1e3)]",
}


@pytest.mark.parametrize("name", CALLS_WITH_P)
@pytest.mark.parametrize(
    ("schema", "location"), NO_SCHEMAS, ids=[f"{at} {case[1]}" for at, case in enumerate(NO_SCHEMAS)]
)
def test_what_is_no_schema_is_told_by_place_in_every_format(
    name: str, schema: dict[str, Any], location: str
) -> None:
    calls = mw.ToolCalls([mw.Tool("t", parameters=schema)], format=name)
    with pytest.raises(mw.SchemaError) as caught:
        calls.grammar()
    assert caught.value.location == location
    with contextlib.suppress(mw.ToolCallSyntaxError):
        calls.parse(CALLS_WITH_P[name])
    with contextlib.suppress(mw.ToolCallError):
        calls.render([{"name": "t", "arguments": {"p": "1"}}])


@pytest.mark.parametrize("name", CALLS_WITH_P)
@pytest.mark.parametrize(
    "referred",
    ["https://example.org/a", "#/$defs/none", "#/properties/p"],
    ids=["elsewhere", "none", "itself"],
)
def test_a_reference_that_is_not_read_says_nothing_of_a_value(name: str, referred: str) -> None:
    tool = mw.Tool("t", parameters={"properties": {"p": {"$ref": referred}}})
    calls = mw.ToolCalls([tool], format=name)
    assert calls.parse(CALLS_WITH_P[name]).calls[0].arguments == {"p": 1000.0}
    arguments = {"p": [1, "x"], "q": "y"}
    text = calls.render([{"name": "t", "arguments": arguments}])
    assert calls.parse(text).calls[0].arguments == arguments


def test_an_array_that_needs_more_items_than_it_may_have_is_no_value_of_python() -> None:
    impossible = {"type": "array", "items": {"type": "boolean"}, "minItems": 4, "maxItems": 2}
    parameters = {"properties": {"p": {**impossible, "type": ["array", "null"]}}}
    calls = mw.ToolCalls([mw.Tool("t", parameters=parameters)], format="pythonic")
    vocabulary = vocabulary_of("pythonic")
    constraint = mw.Compiler(vocabulary).compile(calls.grammar())
    assert accepts(constraint, vocabulary, "[t(p=None)]")
    assert refused_at(constraint, vocabulary, "[t(p=[True])]") == "[t(p="


@pytest.mark.parametrize("name", CALLS_WITH_P)
@pytest.mark.parametrize(
    ("schema", "location"),
    [
        ({"properties": {"\ud800": {}}}, r"#/properties/\ud800"),
        ({"properties": {"\ud800": {"maximum": float("inf")}}}, r"#/properties/\ud800"),
        ({"properties": {"p": {"enum": ["a", "\xe9\ud800"]}}}, "#/properties/p/enum/1"),
    ],
)
def test_half_of_a_surrogate_pair_is_no_part_of_a_schema(
    name: str, schema: dict[str, Any], location: str
) -> None:
    with pytest.raises(mw.SchemaError, match="a lone surrogate") as caught:
        mw.ToolCalls([mw.Tool("t", parameters=schema)], format=name).grammar()
    assert caught.value.location == location
    assert str(caught.value).encode()  # it can be printed


@pytest.mark.parametrize("key", ["a%41", "a%2Fb", "%", "%25"])
@pytest.mark.parametrize("schema", [True, {"$ref": "#/$defs/whole"}], ids=["any", "reference"])
@pytest.mark.parametrize("name", ["hermes", "qwen3-coder", "glm-4.5", "deepseek-v3.2"])
def test_a_percent_sign_in_the_name_of_a_parameter_is_itself(name: str, schema: Any, key: str) -> None:
    parameters = {"$defs": {"whole": {"type": "integer"}}, "properties": {key: schema}, "required": [key]}
    calls = mw.ToolCalls([mw.Tool("t", parameters=parameters)], format=name)
    vocabulary = vocabulary_of(name)
    text = calls.render([{"name": "t", "arguments": {key: 5}}])
    assert accepts(mw.Compiler(vocabulary).compile(calls.grammar()), vocabulary, text)


DRAFT_7 = "http://json-schema.org/draft-07/schema#"
LISTED = {"type": "array", "items": [{"type": "integer"}, {"type": "boolean"}], "additionalItems": False}
CALLS_BY_DRAFT = {
    "hermes": '<tool_call>\n{"name": "t", "arguments": {"p": VALUE}}\n</tool_call>',
    "qwen3-coder": "<tool_call>\n<function=t>\n<parameter=p>\nVALUE\n</parameter>\n</function>\n</tool_call>",
    "glm-4.7": "</think><tool_call>t<arg_key>p</arg_key><arg_value>VALUE</arg_value></tool_call>",
}


@pytest.mark.parametrize("name", CALLS_BY_DRAFT)
def test_parameters_are_of_the_draft_of_the_whole_schema(name: str) -> None:
    parameters = {"$schema": DRAFT_7, "properties": {"p": LISTED}, "required": ["p"]}
    vocabulary = vocabulary_of(name)
    calls = mw.ToolCalls([mw.Tool("t", parameters=parameters)], format=name)
    constraint = mw.Compiler(vocabulary).compile(calls.grammar())
    call = CALLS_BY_DRAFT[name]
    assert accepts(constraint, vocabulary, call.replace("VALUE", "[1, true]"))
    assert not accepts(constraint, vocabulary, call.replace("VALUE", "[true]"))
    assert not accepts(constraint, vocabulary, call.replace("VALUE", "[1, true, 2]"))


def test_a_list_of_schemas_of_items_is_refused_where_values_are_literals_of_python() -> None:
    listed = {"type": "array", "items": LISTED["items"]}
    parameters = {"$schema": DRAFT_7, "properties": {"p": listed}}
    with pytest.raises(mw.UnsupportedFeatureError) as caught:
        mw.ToolCalls([mw.Tool("t", parameters=parameters)], format="pythonic").grammar()
    assert caught.value.location == "#/properties/p/items"


@pytest.mark.parametrize("reference", ["#short", "https://example.org/t#/$defs/s", "t#short"])
def test_parameters_may_refer_by_an_anchor_and_by_the_schemas_own_uri(reference: str) -> None:
    parameters = {
        "$id": "https://example.org/t",
        "$defs": {"s": {"$anchor": "short", "type": "string", "maxLength": 2}},
        "properties": {"p": {"$ref": reference}},
    }
    vocabulary = vocabulary_of("glm-4.7")
    calls = mw.ToolCalls([mw.Tool("t", parameters=parameters)], format="glm-4.7")
    constraint = mw.Compiler(vocabulary).compile(calls.grammar())
    call = CALLS_BY_DRAFT["glm-4.7"]
    assert accepts(constraint, vocabulary, call.replace("VALUE", "ab"))
    assert not accepts(constraint, vocabulary, call.replace("VALUE", "abc"))


NOTHING: list[dict[str, Any] | bool] = [
    False,
    {"enum": []},
    {"type": "array", "items": {"type": "boolean"}, "minItems": 4, "maxItems": 2},
    {"type": "array", "items": False, "minItems": 1},
    {"type": "object", "properties": {"a": False}, "required": ["a"]},
    {"anyOf": [False, {"enum": []}]},
]


@pytest.mark.parametrize("name", CALLS_WITH_P)
@pytest.mark.parametrize("schema", NOTHING, ids=str)
def test_a_parameter_that_can_have_no_value_is_left_out_or_refused(name: str, schema: Any) -> None:
    properties = {"p": schema, "q": {"type": "boolean"}}
    vocabulary = vocabulary_of(name)
    calls = mw.ToolCalls([mw.Tool("t", parameters={"properties": properties})], format=name)
    constraint = mw.Compiler(vocabulary).compile(calls.grammar())
    for arguments, expected in (({}, True), ({"q": True}, True), ({"p": None}, False)):
        text = calls.render([{"name": "t", "arguments": arguments}])
        assert accepts(constraint, vocabulary, text) == expected
    needed = mw.Tool("t", parameters={"properties": properties, "required": ["p"]})
    with pytest.raises((mw.ToolCallError, mw.EmptyGrammarError)):
        mw.ToolCalls([needed], format=name).grammar()


def test_a_parameter_that_must_come_and_can_have_no_value_is_told_by_place() -> None:
    for name in ("pythonic", "qwen3-coder"):
        tool = mw.Tool("t", parameters={"properties": {"p": False}, "required": ["p"]})
        with pytest.raises(mw.ToolCallError, match="no value is valid for the parameter 'p'") as caught:
            mw.ToolCalls([tool], format=name).grammar()
        assert caught.value.location == "#/properties/p"


PARTLY_NOTHING: list[tuple[dict[str, Any], list[Any], list[Any]]] = [
    # a schema of which a part can hold nothing; values that it allows; values that it does not
    ({"anyOf": [{"enum": []}, {"type": "null"}]}, [None], [True]),
    ({"anyOf": [False, {"type": "boolean"}]}, [True], [None]),
    (
        {"type": "object", "properties": {"old": False, "ok": {"type": "boolean"}}},
        [{}, {"ok": True}],
        [{"old": True}, {"ok": 2}],
    ),
    ({"type": "object", "additionalProperties": False}, [{}], [{"a": None}]),
    (
        {"type": "object", "properties": {"a": {"type": "null"}}, "additionalProperties": {"enum": []}},
        [{}],
        [],
    ),
    ({"type": ["string", "null"], "minLength": 1, "maxLength": 0}, [None], ["a", ""]),
    ({"type": ["array", "null"], "items": {"enum": []}}, [[], None], [[None]]),
    ({"type": ["string", "integer"], "minimum": 3, "maximum": 1}, ["a"], [2]),
]


@pytest.mark.parametrize("name", CALLS_WITH_P)
@pytest.mark.parametrize(
    ("schema", "values", "wrong"), PARTLY_NOTHING, ids=[str(c[0]) for c in PARTLY_NOTHING]
)
def test_a_part_of_a_schema_may_hold_nothing(
    name: str, schema: dict[str, Any], values: list[Any], wrong: list[Any]
) -> None:
    vocabulary = vocabulary_of(name)
    calls = mw.ToolCalls([mw.Tool("t", parameters={"properties": {"p": schema}})], format=name)
    constraint = mw.Compiler(vocabulary).compile(calls.grammar())
    for value in [*values, *wrong]:
        text = calls.render([{"name": "t", "arguments": {"p": value}}])
        assert accepts(constraint, vocabulary, text) == (value in values), value


def test_members_one_by_one_in_a_structural_tag_may_hold_nothing_but_strings() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": ["string", "integer"], "minimum": 3, "maximum": 1}, "b": False},
    }
    grammar = mw.Grammar.structural_tag({"type": "json_schema", "style": "qwen_xml", "json_schema": schema})
    vocabulary = vocabulary_of("hermes")
    constraint = mw.Compiler(vocabulary).compile(grammar)
    assert accepts(constraint, vocabulary, "<parameter=a>x</parameter>")
    assert refused_at(constraint, vocabulary, "<parameter=b>") == "<parameter="


def chain(levels: int, leaf: dict[str, Any], step: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
    """A schema of as many definitions, each of which refers to the next, twice or more."""
    definitions = {f"d{at}": step({"$ref": f"#/$defs/d{at + 1}"}) for at in range(levels)}
    return {
        "type": "object",
        "properties": {"p": {"$ref": "#/$defs/d0"}},
        "$defs": {**definitions, f"d{levels}": leaf},
    }


def object_of_two(reference: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"a": reference, "b": reference},
        "additionalProperties": False,
    }


def any_of_two(reference: Any) -> dict[str, Any]:
    return {"anyOf": [reference, reference]}


@pytest.mark.parametrize("name", CALLS_WITH_P)
@pytest.mark.parametrize("step", [object_of_two, any_of_two])
@pytest.mark.parametrize("leaf", ["boolean", "string"])
def test_places_that_are_referred_to_again_and_again_take_work_once(
    name: str, leaf: str, step: Callable[[Any], dict[str, Any]]
) -> None:
    start = time.perf_counter()
    schema = chain(60, {"type": leaf}, step)
    calls = mw.ToolCalls([mw.Tool("t", parameters=schema)], format=name)
    assert mw.Compiler(vocabulary_of(name)).compile(calls.grammar())
    with contextlib.suppress(mw.ToolCallSyntaxError):
        calls.parse(CALLS_WITH_P[name])
    style = {"type": "json_schema", "style": "qwen_xml", "json_schema": schema}
    assert mw.Grammar.structural_tag(style)
    assert time.perf_counter() - start < 10


@pytest.mark.parametrize("levels", [40, 150, 2000])
@pytest.mark.parametrize("name", CALLS_WITH_P)
def test_a_schema_may_be_nested_deeply_and_is_refused_by_the_budget(name: str, levels: int) -> None:
    schema: dict[str, Any] = {"type": ["boolean", "array"]}
    for _ in range(levels):
        schema = {"type": "array", "items": schema}
    calls = mw.ToolCalls([mw.Tool("t", parameters={"properties": {"p": schema}})], format=name)
    if levels == 2000:
        with pytest.raises(mw.BudgetExceededError, match="nesting"):
            calls.grammar()
        return
    vocabulary = vocabulary_of(name)
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    text = calls.render([{"name": "t", "arguments": {"p": value}}])
    assert accepts(mw.Compiler(vocabulary).compile(calls.grammar()), vocabulary, text)


@pytest.mark.parametrize("name", ["pythonic", "llama4"])
def test_a_budget_is_that_of_what_is_put_together_too(name: str) -> None:
    schema: dict[str, Any] = {"type": "boolean"}
    for _ in range(180):
        schema = {"type": "object", "properties": {"a": schema}, "additionalProperties": False}
    tool = mw.Tool("t", parameters={"properties": {"p": schema}})
    with pytest.raises(mw.BudgetExceededError, match=r"raise it by Budget\(nesting=\.\.\.\)"):
        mw.ToolCalls([tool], format=name).grammar()
    deep = mw.Budget(nesting=1000)
    calls = mw.ToolCalls([tool], format=name, budget=deep)
    value: Any = True
    for _ in range(180):
        value = {"a": value}
    vocabulary = vocabulary_of(name)
    constraint = mw.Compiler(vocabulary, budget=deep).compile(calls.grammar())
    assert accepts(constraint, vocabulary, calls.render([{"name": "t", "arguments": {"p": value}}]))


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_put_together_within_the_budget(name: str) -> None:
    assert mw.ToolCalls(TOOLS, format=name, budget=mw.Budget(nesting=40)).grammar()
    with pytest.raises(mw.BudgetExceededError, match="`nesting` of 2 is used up by grammars within grammars"):
        mw.ToolCalls([mw.Tool("now")], format=name, budget=mw.Budget(nesting=2)).grammar()


@pytest.mark.parametrize("levels", [300, 400])
def test_literals_of_python_that_nest_beyond_what_is_read_are_no_matter_of_the_stack(levels: int) -> None:
    schema: dict[str, Any] = {"type": "boolean"}
    for _ in range(levels):
        schema = {"type": "array", "items": schema}
    calls = mw.ToolCalls([mw.Tool("t", parameters={"properties": {"p": schema}})], format="pythonic")
    with pytest.raises(mw.BudgetExceededError, match="nesting"):
        calls.grammar()


def test_numbers_behind_an_anchor_are_read_in_proportion() -> None:
    properties: dict[str, Any] = {f"q{at}": {"enum": ["a", "b"]} for at in range(300)}
    parameters = {
        "properties": {**properties, "p": {"$ref": "#list"}},
        "$defs": {
            "list": {"$anchor": "list", "type": "array", "items": {"$ref": "#pair"}},
            "pair": {"$anchor": "pair", "type": "object", "properties": {"n": {"type": "integer"}}},
        },
    }
    calls = mw.ToolCalls([mw.Tool("t", parameters=parameters)], format="hermes")
    items = ", ".join(['{"n": 1e3}'] * 5000)
    start = time.perf_counter()
    read = calls.parse(CALLS_WITH_P["hermes"].replace("1e3", f"[{items}]")).calls[0].arguments
    assert repr(read) == repr({"p": [{"n": 1000}] * 5000})
    assert time.perf_counter() - start < 5


def test_of_listed_numbers_those_of_the_type_are_written() -> None:
    parameters = {"properties": {"p": {"type": ["integer", "null"], "enum": [1.5, 2, None]}}}
    calls = mw.ToolCalls([mw.Tool("t", parameters=parameters)], format="pythonic")
    vocabulary = vocabulary_of("pythonic")
    constraint = mw.Compiler(vocabulary).compile(calls.grammar())
    allowed = [accepts(constraint, vocabulary, f"[t(p={literal})]") for literal in ("2", "None", "1.5", "1")]
    assert allowed == [True, True, False, False]


@pytest.mark.parametrize("items", [[{"type": "string"}], []])
def test_items_of_which_a_list_says_nothing_may_be_words(items: list[Any]) -> None:
    """What may hold any value has to be written in Python's way, and a list of schemas is refused there."""
    draft = "http://json-schema.org/draft-07/schema#"
    parameters = {"$schema": draft, "properties": {"a": {"type": "array", "items": items}}}
    calls = mw.ToolCalls([mw.Tool("t", parameters=parameters)], format="pythonic")
    with pytest.raises(mw.UnsupportedFeatureError, match="items"):
        calls.grammar()


@pytest.mark.parametrize("text", ["[f(a=1if)]", "[f(a=0x1for)]", "[f(a=1.e5or)]", "[f(a=1_0in 2)]"])
def test_a_number_that_runs_into_a_word_is_refused_without_a_warning(text: str) -> None:
    calls = mw.ToolCalls([mw.Tool("f", parameters={"type": "object"})], format="pythonic")
    with pytest.raises(mw.ToolCallSyntaxError, match="a number runs into a word"):
        calls.parse(text)


LISTED_BESIDE_WORDS: list[tuple[list[Any], list[str], list[str]]] = [
    # the listed values; literals of them; literals of others
    ([None, 1.0], ["None", "1", "1.0", "1e0"], ["2", "True", "null"]),
    ([True, 1], ["True", "1", "1.0"], ["False"]),
    ([None, [1.0, True], {"a": 2}], ["[1, True]", "[1.0, True]", '{"a": 2.0}'], ["[True, 1]", '{"a": 3}']),
    ([False, "a"], ["False", '"a"'], ["0", '"b"']),
]


@pytest.mark.parametrize(
    ("values", "right", "wrong"), LISTED_BESIDE_WORDS, ids=[str(c[0]) for c in LISTED_BESIDE_WORDS]
)
def test_listed_numbers_are_written_in_python_as_in_json(
    values: list[Any], right: list[str], wrong: list[str]
) -> None:
    calls = mw.ToolCalls(
        [mw.Tool("t", parameters={"properties": {"p": {"enum": values}}})], format="pythonic"
    )
    vocabulary = vocabulary_of("pythonic")
    constraint = mw.Compiler(vocabulary).compile(calls.grammar())
    for literal in right:
        assert accepts(constraint, vocabulary, f"[t(p={literal})]"), literal
        assert calls.parse(f"[t(p={literal})]").calls[0].arguments["p"] in values  # type: ignore[index]
    for literal in wrong:
        assert not accepts(constraint, vocabulary, f"[t(p={literal})]"), literal


UNQUOTED = ["qwen3-coder", "glm-4.5", "minimax-m2", "deepseek-v3.2", "pythonic"]
SUB = {
    "type": "object",
    "properties": {"a": {"type": "boolean"}},
    "required": ["a"],
    "additionalProperties": False,
}
OPTIONAL = {"anyOf": [{"anyOf": [{"not": {}}, {"type": "string"}]}, {"type": "null"}]}
# Each: the schema of a parameter, what it may be, and what not.
PLAIN: list[tuple[dict[str, Any], list[Any], list[Any]]] = [
    (OPTIONAL, ["x", None], []),
    ({"anyOf": [{"not": True}, {"type": "boolean"}]}, [True], [None, 5]),
    ({"not": {}}, [], [True, None, 5]),
    ({"type": "boolean", "not": {"description": "anything"}}, [], [True, None]),
    ({"not": False}, ["x", None, 5, [True], {"a": None}], []),
    ({"not": {"not": {}}}, ["x", None, 5, [True], {"a": None}], []),
    ({"not": {"not": {"not": {}}}}, [], [True, None, 5]),
    ({"type": "string", "minLength": 2, "not": False}, ["ab"], ["a"]),
    ({"type": ["boolean", "null"], "not": {"not": {}}}, [True, None], [5]),
    ({"allOf": [{"$ref": "#/$defs/Sub"}], "default": {"a": True}}, [{"a": True}], [None, {"b": True}]),
]


@pytest.mark.parametrize(("schema", "right", "wrong"), PLAIN, ids=str)
@pytest.mark.parametrize("name", UNQUOTED)
def test_not_of_everything_or_nothing_is_plain(
    name: str, schema: dict[str, Any], right: list[Any], wrong: list[Any]
) -> None:
    def tool(schema: dict[str, Any], *, strict: bool | None = None) -> mw.Tool:
        properties = {"p": schema, "q": {"type": "integer"}}
        return mw.Tool("t", parameters={"properties": properties, "$defs": {"Sub": SUB}}, strict=strict)

    calls = mw.ToolCalls([tool(schema)], format=name, reasoning="off")
    free = mw.ToolCalls([tool({})], format=name, reasoning="off")
    vocabulary = vocabulary_of(name)
    constraint = mw.Compiler(vocabulary).compile(calls.grammar())
    for value in right:
        text = calls.render([{"name": "t", "arguments": {"p": value}}])
        assert accepts(constraint, vocabulary, text), value
        assert calls.parse(text).calls[0].arguments == {"p": value}
    for value in wrong:
        assert not accepts(constraint, vocabulary, free.render([{"name": "t", "arguments": {"p": value}}])), (
            value
        )
    assert accepts(constraint, vocabulary, calls.render([{"name": "t", "arguments": {"q": 1}}]))


def test_a_not_that_holds_itself_is_no_endless_matter() -> None:
    schema: dict[str, Any] = {}
    schema["not"] = schema
    for name in UNQUOTED:
        calls = mw.ToolCalls([mw.Tool("t", parameters={"properties": {"p": schema}})], format=name)
        with pytest.raises(mw.SchemaError):
            calls.grammar()
        calls.parse("It is fine.")
    qwen = mw.ToolCalls([mw.Tool("t", parameters={"properties": {"p": schema}})], format="qwen3-coder")
    assert qwen.parse(CALLS_WITH_P["qwen3-coder"]).calls


# Each: the schema of a parameter with words that are no keywords, a value, and one that is refused or None.
ANNOTATED: list[tuple[dict[str, Any], Any, Any]] = [
    ({"type": "string", "example": "x"}, "y", None),
    ({"type": "string", "x-order": 1, "optional": True, "maxLength": 1}, "y", "yy"),
    ({"type": "string", "maxLenght": 1}, "yy", None),
    ({"enum": ["a"], "enumNames": ["A"], "x-enum-varnames": ["A"]}, "a", "A"),
    ({"anyOf": [{"type": "string", "ui:widget": "text"}, {"type": "null"}], "ui:widget": "x"}, None, None),
    ({"type": "boolean", "x-order": 1, "contentEncoding": "none"}, True, "a"),
    ({"type": ["boolean", "null"], "enum": [True], "enumNames": ["yes"]}, True, None),
    ({"$ref": "#/$defs/Sub", "example": {"a": True}}, {"a": True}, {"a": 1}),
    ({"allOf": [{"$ref": "#/$defs/Sub"}], "x-order": 1}, {"a": True}, {"a": 1}),
    ({"not": {"not": {"example": 1}}, "example": 1}, "x", None),
    ({"example": 1}, ["x", None], None),
]


@pytest.mark.parametrize(("schema", "right", "wrong"), ANNOTATED, ids=str)
@pytest.mark.parametrize("name", ["hermes", *UNQUOTED])
def test_what_is_no_keyword_asks_for_nothing_in_every_format(
    name: str, schema: dict[str, Any], right: Any, wrong: Any
) -> None:
    parameters = {"properties": {"p": schema}, "$defs": {"Sub": SUB}, "x-foo": 1, "example": {}}
    calls = mw.ToolCalls([mw.Tool("t", parameters=parameters)], format=name, reasoning="off")
    vocabulary = vocabulary_of(name)
    constraint = mw.Compiler(vocabulary).compile(calls.grammar())
    text = calls.render([{"name": "t", "arguments": {"p": right}}])
    assert accepts(constraint, vocabulary, text)
    assert calls.parse(text).calls[0].arguments == {"p": right}
    if wrong is not None:
        free = mw.ToolCalls(
            [mw.Tool("t", parameters={"properties": {"p": {}}})], format=name, reasoning="off"
        )
        refused = free.render([{"name": "t", "arguments": {"p": wrong}}])
        assert not accepts(constraint, vocabulary, refused)
