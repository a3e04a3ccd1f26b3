"""What a tool may be given as: each form gives the same tool, or is refused with its place."""

from __future__ import annotations

import copy
import enum
import functools
import json
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import pydantic
import pytest

import maskwright as mw
from maskwright.json_schema import schema_text
from maskwright.tools import ToolInput
from only_bytes import only_bytes

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
FIELDS = {"name": "weather", "description": "The forecast."}

FORMS: dict[str, Any] = {
    "OpenAI chat": {"type": "function", "function": {**FIELDS, "parameters": SCHEMA, "strict": None}},
    "OpenAI responses": {"type": "function", **FIELDS, "parameters": SCHEMA},
    "Anthropic": {**FIELDS, "input_schema": SCHEMA, "cache_control": {"type": "ephemeral"}},
    "Anthropic with its type": {"type": "custom", **FIELDS, "input_schema": SCHEMA},
    "MCP": {**FIELDS, "inputSchema": SCHEMA, "annotations": {}},
    "the function part alone": {**FIELDS, "parameters": SCHEMA},
    "a Tool": mw.Tool("weather", "The forecast.", SCHEMA),
}


@pytest.mark.parametrize("form", FORMS)
def test_all_forms_give_the_same_tool(form: str) -> None:
    expected = mw.Tool("weather", "The forecast.", SCHEMA)
    assert mw.tools_from(FORMS[form]) == (expected,)
    assert mw.tools_from([FORMS[form]]) == (expected,)
    assert mw.tools_from({"tools": [FORMS[form]]}) == (expected,)


def test_forms_may_be_mixed() -> None:
    tools = mw.tools_from([FORMS["MCP"], {**FORMS["Anthropic"], "name": "other"}])
    assert [tool.name for tool in tools] == ["weather", "other"]


def search(query: str, limit: int = 10, *, kind: Literal["web", "news"] = "web") -> list[str]:
    """Searches the web.

    Further words.
    """
    return [query, str(limit), kind]


class Clock:
    """What has a method."""

    def now(self, zone: str = "UTC") -> str:
        """The time."""
        return zone


def test_a_function_is_a_tool() -> None:
    (tool,) = mw.tools_from([search])
    assert (tool.name, tool.description) == ("search", "Searches the web.\n\nFurther words.")
    assert tool.parameters is not None
    assert tool.parameters["required"] == ["query"]
    assert tool.parameters["properties"]["kind"] == {"default": "web", "enum": ["web", "news"]}


class Kind(enum.Enum):
    """What is looked for."""

    WEB = "web"


def test_what_a_docstring_and_defaults_say_is_in_the_schema() -> None:
    def look(  # noqa: D417 - some are not described
        query: Annotated[str, pydantic.Field(description="what is looked for")],
        anything: Any,
        limit: int = 10,
        tags: tuple[str, ...] = ("a",),
        kind: Kind = Kind.WEB,
        nothing: None = None,
        far: float = float("inf"),
    ) -> None:
        """Looks it up.

        Args:
            query: The query.
            anything: Anything.
            limit (int): How many
                at most.
            other: What is no parameter.
        """

    (tool,) = mw.tools_from([look])
    assert tool.description == "Looks it up."
    properties = tool.parameters["properties"]
    assert {name: schema.get("description") for name, schema in properties.items()} == {
        **dict.fromkeys(properties),
        "query": "what is looked for",
        "anything": "Anything.",
        "limit": "How many at most.",
    }
    defaults = {name: schema["default"] for name, schema in properties.items() if "default" in schema}
    assert defaults == {"limit": 10, "tags": ["a"], "nothing": None}
    for name in ("hermes", "qwen3-coder"):
        assert mw.ToolCalls([look], format=name).grammar()


def test_a_method_of_an_object_is_a_tool() -> None:
    def local(self: Any) -> None:
        """Not a method, whatever its argument is called."""

    def also_local(self) -> None:  # type: ignore[no-untyped-def]
        """Nor is this."""

    tools = mw.tools_from([Clock().now, local, also_local])
    assert [list(tool.arguments_schema["properties"]) for tool in tools] == [["zone"], ["self"], ["self"]]


def test_a_partial_function_is_a_tool() -> None:
    (tool,) = mw.tools_from(functools.partial(search, "x"))
    assert tool.name == "search"


class SearchModel(pydantic.BaseModel):
    """Searches the web.

    Further words.
    """

    query: str = pydantic.Field(min_length=1, description="what for")
    limit: Annotated[int, pydantic.Field(ge=1, le=10)] = 5


class Undescribed(pydantic.BaseModel):  # noqa: D101 - what is meant
    query: str


@dataclass
class SearchData:  # noqa: D101 - what is meant
    query: str
    limit: int = 5


class SearchDict(TypedDict):
    """Searches the web."""

    query: str
    limit: NotRequired[int]


class Odd(pydantic.BaseModel):
    """What no JSON says."""

    callback: Callable[[], int]


class Percent(pydantic.RootModel[int]):
    """A number."""


CLASSES: list[tuple[type, str]] = [
    # a class; what the tool is described by
    (SearchModel, "Searches the web.\n\nFurther words."),
    (Undescribed, ""),
    (SearchData, ""),
    (SearchDict, "Searches the web."),
]


@pytest.mark.parametrize(("cls", "description"), CLASSES, ids=[cls.__name__ for cls, _ in CLASSES])
def test_a_class_of_values_is_a_tool_and_its_schema_that_of_a_grammar(cls: type, description: str) -> None:
    tool = mw.Tool(cls.__name__, description, cls)
    assert mw.tools_from([cls]) == mw.tools_from(cls) == (tool,)
    assert tool.parameters == json.loads(schema_text(cls))
    assert pickle.loads(pickle.dumps(tool)) == tool
    calls = mw.ToolCalls([cls], format="qwen3-coder")
    vocabulary = only_bytes()
    matcher = mw.Compiler(vocabulary).compile(calls.grammar()).matcher()
    text = calls.render([{"name": cls.__name__, "arguments": {"query": "x"}}])
    assert matcher.accept_bytes(text.encode())


def test_parameters_may_be_given_as_any_schema() -> None:
    given: list[Any] = [json.dumps(SCHEMA), SCHEMA, schema_of_city, pydantic.TypeAdapter(SearchModel)]
    tools = [mw.Tool("t", parameters=schema) for schema in given]
    assert tools[0].parameters == tools[1].parameters == SCHEMA
    assert [list(tool.parameters["properties"]) for tool in tools[2:]] == [["city"], ["query", "limit"]]
    assert mw.Tool("t", parameters="{}").parameters is None


def schema_of_city(city: str) -> None:
    """Of what it takes, a schema is made."""


def test_a_tool_without_arguments_takes_none() -> None:
    given: list[ToolInput] = [
        {"name": "now"},
        {"type": "function", "name": "now", "parameters": {}},
        mw.Tool("now", parameters={}),
    ]
    for description in given:
        (tool,) = mw.tools_from(description)
        assert tool.parameters is None
        assert tool == mw.Tool("now")
        assert tool.arguments_schema["additionalProperties"] is False


@pytest.mark.parametrize(
    ("parameters", "closed"),
    [
        ({"type": "object", "properties": {}}, True),
        ({"properties": {"a": {}}}, True),
        ({"type": "object"}, False),
        ({"type": "object", "properties": {}, "additionalProperties": True}, False),
        ({"type": "object", "properties": {}, "patternProperties": {"^x": {}}}, False),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"properties": {}}}}, False),
        ({"type": "object", "properties": {}, "allOf": [{"properties": {"b": {}}}]}, False),
    ],
)
def test_the_outermost_object_is_closed_where_it_names_its_members(
    parameters: dict[str, Any], closed: bool
) -> None:
    schema = mw.Tool("t", parameters=parameters).arguments_schema
    assert (schema.get("additionalProperties") is False) == closed
    assert mw.Tool("t", parameters=parameters, strict=False).arguments_schema == {"type": "object"}


@pytest.mark.parametrize("name", ["hermes", "qwen3-coder", "pythonic"])
def test_what_a_schema_only_requires_may_be_anything(name: str) -> None:
    parameters = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["b"]}
    calls = mw.ToolCalls([{"name": "t", "parameters": parameters}], format=name, reasoning="off")
    vocabulary = only_bytes()
    constraint = mw.Compiler(vocabulary).compile(calls.grammar())
    for arguments, expected in (({"b": 1}, True), ({"a": "y", "b": "x"}, True), ({"b": 1, "c": 2}, False)):
        text = calls.render([{"name": "t", "arguments": arguments}])
        matcher = constraint.matcher()
        assert (matcher.accept_bytes(text.encode()) and matcher.is_complete) == expected, arguments
    (tool,) = mw.tools_from({"name": "t", "parameters": parameters})
    assert list(parameters["properties"]) == ["a"]
    assert list(tool.arguments_schema["properties"]) == ["a", "b"]


def test_a_function_without_a_usable_name_is_told_by_place() -> None:
    def one() -> None: ...

    def two() -> None: ...

    two.__name__ = "zw\u00f6lf"
    with pytest.raises(mw.ToolError, match="is no name of a tool") as caught:
        mw.tools_from([one, two])
    assert caught.value.location == "tools[1].__name__"


def test_custom_tools_have_a_body() -> None:
    grammar = {"type": "grammar", "syntax": "regex", "definition": "[a-z]+"}
    nested = {"type": "grammar", "grammar": {"syntax": "gbnf", "definition": 'root ::= "a"'}}
    tools = mw.tools_from(
        [
            {"type": "custom", "name": "one", "format": grammar},
            {"type": "custom", "custom": {"name": "two", "format": nested}},
            {"type": "custom", "name": "three", "format": {"type": "text"}},
            {"type": "custom", "name": "four"},
        ]
    )
    assert all(tool.body is not None and tool.parameters is None for tool in tools)


WRONG: list[tuple[Any, str, str]] = [
    (3, "tools", "a list of descriptions"),
    ("weather", "tools", "a list of descriptions"),
    ({"tools": "weather"}, "tools", "a list of tools"),
    ([3], "tools[0]", "a dict, a Tool or a function"),
    ([{}], "tools[0]", "a dict without `name`"),
    ([{"type": "web_search"}], "tools[0]", "'web_search'"),
    ([{"name": "a"}, {"name": "a"}], "tools[1]", "names must differ"),
    ([{"name": "a b"}], "tools[0].name", "no name of a tool"),
    ([{"type": "function", "function": {"name": ""}}], "tools[0].function.name", "no name of a tool"),
    ([{"type": "function", "function": 3}], "tools[0].function", "a dict is needed"),
    ([{"type": "function", "function": {}}], "tools[0].function.name", "the name is missing"),
    ([{"name": "a", "parameters": {}, "input_schema": {}}], "tools[0]", "both given"),
    (
        [{"name": "a", "input_schema": [1]}],
        "tools[0].input_schema",
        "parameters are a JSON Schema: #: a schema",
    ),
    ([{"name": "a", "inputSchema": {"type": "array"}}], "tools[0].inputSchema.type", "'array'"),
    ([{"name": "a", "description": 3}], "tools[0].description", "a string"),
    ([{"name": "a", "strict": "yes"}], "tools[0].strict", "True, False or None"),
    ([{"type": "custom", "name": "a", "format": 3}], "tools[0].format", "a format is"),
    (
        [
            {
                "type": "custom",
                "name": "a",
                "format": {"type": "grammar", "syntax": "lark", "definition": "start: X"},
            }
        ],
        "tools[0].format.syntax",
        "Lark",
    ),
    (
        [{"type": "custom", "name": "a", "format": {"type": "grammar", "syntax": "bnf", "definition": ""}}],
        "tools[0].format.syntax",
        "'bnf'",
    ),
    (
        [
            {
                "type": "custom",
                "name": "a",
                "format": {"type": "grammar", "syntax": "regex", "definition": "("},
            }
        ],
        "tools[0].format.definition",
        "line 1",
    ),
    (
        [{"type": "custom", "name": "a", "format": {"type": "grammar", "syntax": "regex"}}],
        "tools[0].format.definition",
        "a string",
    ),
    ([lambda city: city], "tools[0]", "without a name"),
    ([Clock.now], "tools[0]", "method of an object, such as `thing.now`"),
    ([dict.get], "tools[0]", "method of an object, such as `thing.get`"),
    ([Clock], "tools[0]", "not a class such as Clock; make a maskwright.Tool with a name"),
    (Clock, "tools[0]", "not a class such as Clock"),
    ([Odd], "tools[0]", "the class 'Odd' has no schema"),
    ([Percent], "tools[0]", "arguments are an object, so the type cannot be 'integer'"),
    ([{"name": "a", "parameters": "tool.json"}], "tools[0].parameters", "not its path"),
    ([{"name": "a", "parameters": "{"}], "tools[0].parameters", "the text is not JSON"),
    ([{"name": "a", "parameters": True}], "tools[0].parameters", "a JSON Schema of an object, not True"),
    ([{"type": "custom", "name": "a", "parameters": {}}], "tools[0].parameters", "takes a text"),
    ([{"type": "custom", "name": "a", "inputSchema": {}}], "tools[0].inputSchema", "takes a text"),
    (
        [{"type": "custom", "custom": {"name": "a", "parameters": {}}}],
        "tools[0].custom.parameters",
        "takes a text",
    ),
    (
        [{"type": "custom", "name": "a", "input_schema": {}, "format": {"type": "text"}}],
        "tools[0]",
        "an object or a text",
    ),
    (
        [{"type": "custom", "custom": {"name": "a"}, "parameters": {}}],
        "tools[0].parameters",
        "beside `custom`",
    ),
    (
        [{"type": "function", "function": {"name": "a"}, "strict": False}],
        "tools[0].strict",
        "beside `function`",
    ),
    (
        [{"type": "function", "function": {"name": "a", "paramaters": {}}}],
        "tools[0].function.paramaters",
        "did you mean `parameters`?",
    ),
    ([{"name": "a", "inputschema": {}}], "tools[0].inputschema", "did you mean `inputSchema`?"),
    ([{"name": "a", "input_shema": {}}], "tools[0].input_shema", "did you mean `input_schema`?"),
    ([{"type": "custom", "name": "a", "fomat": {}}], "tools[0].fomat", "did you mean `format`?"),
]


@pytest.mark.parametrize(("tools", "location", "message"), WRONG, ids=[case[1] + case[2] for case in WRONG])
def test_what_is_no_tool_is_refused_with_its_place(tools: Any, location: str, message: str) -> None:
    with pytest.raises(mw.ToolError) as caught:
        mw.tools_from(tools)
    assert caught.value.location == location
    assert message in str(caught.value)
    assert str(caught.value).startswith(location)


def test_a_function_whose_signature_has_no_schema_is_refused() -> None:
    class Days(enum.Flag):
        SUNDAY = 1

    def odd(value: Days) -> None:
        """Odd."""

    with pytest.raises(mw.ToolError, match="'odd' has no schema"):
        mw.tools_from([odd])


def test_a_tool_has_parameters_or_a_body() -> None:
    with pytest.raises(mw.ToolError, match="not both"):
        mw.Tool("a", parameters={}, body=mw.Grammar.regex("x"))
    with pytest.raises(mw.ToolError, match="a body is a Grammar"):
        mw.Tool("a", body="x")  # type: ignore[arg-type]


def test_other_keys_of_a_description_play_no_part() -> None:
    others = ("cache_control", "annotations", "title", "outputSchema", "output_schema", "_meta", "icons")
    nearly = ("description_zh", "descriptor", "restrict", "inputSchemaUrl", "parameters2")
    description: dict[Any, Any] = {**FIELDS, "inputSchema": SCHEMA, 1: {}}
    description |= {key: {} for key in (*others, *nearly)}
    assert mw.tools_from(description) == (mw.Tool("weather", "The forecast.", SCHEMA),)
    assert mw.tools_from({"name": "now", "parameter": None}) == (mw.Tool("now"),)


def test_what_is_changed_in_a_schema_later_changes_no_tool() -> None:
    listed = [1, 2]
    schema: dict[str, Any] = {"properties": {"a": {"enum": listed}, "b": {"examples": ({"c": listed},)}}}
    tool = mw.Tool("t", parameters=schema)
    listed.append(3)
    schema["properties"]["d"] = schema
    expected = {"properties": {"a": {"enum": [1, 2]}, "b": {"examples": [{"c": [1, 2]}]}}}
    assert tool.parameters == expected
    assert tool.arguments_schema["properties"] == expected["properties"]


def test_what_was_made_of_a_tool_is_no_part_of_it() -> None:
    tool, same = (mw.Tool("t", parameters=SCHEMA) for _ in range(2))
    for name in ("hermes", "qwen3-coder", "pythonic"):
        assert mw.ToolCalls([tool], format=name).grammar()
    assert pickle.dumps(tool) == pickle.dumps(same)
    for copied in (copy.copy(tool), copy.deepcopy(tool), pickle.loads(pickle.dumps(tool))):
        assert copied == tool
        assert copied.arguments_schema == tool.arguments_schema
        assert mw.ToolCalls([copied], format="qwen3-coder").grammar()
    assert not {"grammars", "readings"} & set(dir(tool))


def test_a_schema_may_hold_itself_or_be_nested_deeply_until_it_is_compiled() -> None:
    schema: dict[str, Any] = {"properties": {}}
    schema["properties"]["a"] = schema
    copied = mw.Tool("t", parameters=schema).parameters
    assert copied is not None
    assert copied["properties"]["a"] is copied
    for _ in range(20_000):
        schema = {"properties": {"a": schema}}
    assert mw.Tool("t", parameters=schema).parameters
