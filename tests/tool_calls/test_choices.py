"""What a message may be: choices of tools, parallel calls, reasoning, and a form for the content."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import maskwright as mw
from maskwright.tool_calls import get_format
from only_bytes import only_bytes

from .samples import TOOLS, accepts, vocabulary_of

NOW = {"name": "now", "arguments": {}}
WEATHER = {"name": "get_weather", "arguments": {"city": "Rome"}}
LAYOUTS = [
    "hermes",
    "llama3",
    "qwen3-coder",
    "harmony",
    "command-r7b",
    "functionary-v3.2",
    "pythonic",
    "kimi-k2",
]


def verdicts(name: str, options: dict[str, Any], **message: Any) -> bool:
    """Whether a message may be written under some options; it is rendered without them."""
    text = mw.ToolCalls(TOOLS, format=name, reasoning_opened=options.get("reasoning_opened")).render(
        **message
    )
    calls = mw.ToolCalls(TOOLS, format=name, **options)
    vocabulary = vocabulary_of(name)
    return accepts(mw.Compiler(vocabulary).compile(calls.grammar()), vocabulary, text)


CHOICES: list[tuple[Any, bool, bool, bool]] = [
    # the choice; whether prose, a call of now, a call of get_weather may be written
    ("auto", True, True, True),
    (None, True, True, True),
    ("none", True, False, False),
    ("required", False, True, True),
    ("any", False, True, True),
    ({"name": "now"}, False, True, False),
    ({"type": "function", "function": {"name": "now"}}, False, True, False),
    ({"type": "function", "name": "now"}, False, True, False),
    ({"type": "tool", "name": "now"}, False, True, False),
    ({"type": "any"}, False, True, True),
    ({"type": "none"}, True, False, False),
    (["get_weather"], True, False, True),
    ([], True, False, False),
    (
        {"type": "allowed_tools", "mode": "required", "tools": [{"type": "function", "name": "now"}]},
        False,
        True,
        False,
    ),
    (
        {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [{"name": "now"}]}},
        True,
        True,
        False,
    ),
]


@pytest.mark.parametrize("name", LAYOUTS)
@pytest.mark.parametrize(
    ("choice", "prose", "now", "weather"), CHOICES, ids=[str(case[0]) for case in CHOICES]
)
def test_the_choice_of_tools(name: str, choice: Any, prose: bool, now: bool, weather: bool) -> None:
    options = {"tool_choice": choice}
    assert verdicts(name, options, content="Sunny.") == prose
    assert verdicts(name, options, calls=[NOW]) == now
    assert verdicts(name, options, calls=[WEATHER]) == weather


NO_CHOICES = [
    "sometimes",
    {"name": "later"},
    ["now", "later"],
    {"type": "web"},
    {"type": "allowed_tools", "tools": [{"type": ["function"]}]},
    {"type": ["auto"]},
    {"type": "auto", "name": "now"},
    {"name": "now", "strict": True},
    {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [NOW], "parallel": False}},
    {"type": "allowed_tools", "allowed_tools": {"tools": [NOW]}, "mode": "required"},
    {"type": "allowed_tools", "tools": [{"type": "function", "name": "now", "strict": True}]},
    {"type": "allowed_tools", "tools": [{"type": "function", "function": {"name": "now"}, "name": "now"}]},
    {"type": "allowed_tools", "tools": [{"type": "mcp", "name": "now"}]},
    {"type": "allowed_tools", "tools": [NOW]},
    {"type": "allowed_tools", "tools": [3]},
    {"type": "function", "function": {"name": "now", "strict": True}},
    {"type": "function", "function": {"name": "now"}, "name": "get_weather"},
    {"type": "custom", "custom": {"name": "now"}, "name": "now"},
    {"type": "function", "function": "now"},
    b"auto",
    bytearray(b"auto"),
    {"type": "any", "disable_parallel_tool_use": 1},
    {},
    3,
]


@pytest.mark.parametrize("choice", NO_CHOICES)
def test_what_is_no_choice_is_refused(choice: Any) -> None:
    with pytest.raises(mw.ToolCallError, match="tool_choice"):
        mw.ToolCalls(TOOLS, format="hermes", tool_choice=choice)


def test_a_call_cannot_be_required_of_no_tool() -> None:
    with pytest.raises(mw.ToolCallError, match="no tool that may be called"):
        mw.ToolCalls([], format="hermes", tool_choice="required")
    assert mw.ToolCalls([], format="hermes").grammar()


@pytest.mark.parametrize("name", LAYOUTS)
def test_parallel_calls(name: str) -> None:
    if get_format(name).parallel:
        assert verdicts(name, {}, calls=[NOW, WEATHER])
        assert verdicts(name, {"tool_choice": "required"}, calls=[NOW, WEATHER])
        assert not verdicts(name, {"parallel": False}, calls=[NOW, WEATHER])
        assert not verdicts(name, {"parallel": False, "tool_choice": "required"}, calls=[NOW, WEATHER])
    else:
        with pytest.raises(mw.ToolCallError, match="one call at most"):
            mw.ToolCalls(TOOLS, format=name).render([NOW, WEATHER])
    assert verdicts(name, {"parallel": False}, calls=[NOW])


@pytest.mark.parametrize(
    "choice", [{"type": "auto"}, {"type": "any"}, {"type": "tool", "name": "now"}, {"name": "now"}], ids=str
)
@pytest.mark.parametrize("one_call", [None, False, True])
def test_the_choice_may_say_that_there_is_one_call(choice: dict[str, Any], one_call: bool | None) -> None:
    options = {"tool_choice": {**choice, "disable_parallel_tool_use": one_call}}
    assert verdicts("hermes", options, calls=[NOW])
    assert verdicts("hermes", options, calls=[NOW, NOW]) == (not one_call)
    assert not verdicts("hermes", {**options, "parallel": False}, calls=[NOW, NOW])


@pytest.mark.parametrize("name", ["hermes", "glm-4.5", "harmony", "command-r7b", "mistral-v11"])
@pytest.mark.parametrize(
    ("mode", "with_it", "without"), [("off", False, True), ("auto", True, True), ("forced", True, False)]
)
def test_reasoning(name: str, mode: str, with_it: bool, without: bool) -> None:
    for message in ({"content": "Sunny."}, {"calls": [WEATHER]}):
        assert verdicts(name, {"reasoning": mode}, reasoning="So.", **message) == with_it
        assert verdicts(name, {"reasoning": mode}, **message) == without


@pytest.mark.parametrize("name", ["deepseek-r1", "qwen3.5", "hermes"])
def test_reasoning_that_the_prompt_has_opened(name: str) -> None:
    options: dict[str, Any] = {"reasoning_opened": True}
    assert verdicts(name, options, reasoning="So.", content="Sunny.")
    assert verdicts(name, options, reasoning="So.", calls=[WEATHER])
    vocabulary = vocabulary_of(name)
    constraint = mw.Compiler(vocabulary).compile(mw.ToolCalls(TOOLS, format=name, **options).grammar())
    assert not accepts(constraint, vocabulary, "No end of it.")


def test_a_form_of_the_content_leaves_no_preambles() -> None:
    """What gpt-oss writes before its calls and its answer is content, too, and prose."""
    form = {"type": "object", "properties": {"z": {"type": "integer"}}}
    preamble = "<|channel|>commentary<|message|>Let me see.<|end|><|start|>assistant"
    calls = mw.ToolCalls(TOOLS, format="harmony")
    vocabulary = vocabulary_of("harmony")
    for response_format, is_allowed in ((None, True), (form, False)):
        chosen = mw.ToolCalls(TOOLS, format="harmony", response_format=response_format)
        constraint = mw.Compiler(vocabulary).compile(chosen.grammar())
        for text in (calls.render([], content='{"z":1}'), calls.render([WEATHER])):
            assert accepts(constraint, vocabulary, text)
            assert accepts(constraint, vocabulary, preamble + text) == is_allowed


@pytest.mark.parametrize("name", ["hermes", "harmony"])
def test_a_budget_of_reasoning(name: str) -> None:
    fits, exceeds = "a" * 11, "a" * 20
    options = {"reasoning_budget": 13}
    assert verdicts(name, options, reasoning=fits, content="Sunny.")
    assert verdicts(name, options, content="Sunny.")
    assert not verdicts(name, options, reasoning=exceeds, content="Sunny.")


def test_options_of_reasoning_are_checked() -> None:
    wrong: list[dict[str, Any]] = [
        {"format": "llama3", "reasoning": "forced"},
        {"format": "llama3", "reasoning_opened": True},
        {"format": "hermes", "reasoning": "often"},
        {"format": "hermes", "reasoning": "off", "reasoning_opened": True},
        {"format": "hermes", "reasoning_budget": -1},
        {"format": "qwen3", "reasoning": "off", "reasoning_budget": -5},
    ]
    for options in wrong:
        with pytest.raises(mw.ToolCallError, match="reasoning"):
            mw.ToolCalls(TOOLS, **options)
    calls = mw.ToolCalls(TOOLS, format="hermes", reasoning_budget=3, typed_special_tokens=True)
    with pytest.raises(mw.ToolCallError, match="special token"):
        calls.grammar()


@pytest.mark.parametrize("name", LAYOUTS)
@pytest.mark.parametrize(
    "form", [{"type": "object", "required": ["sky"]}, mw.Grammar.regex(r"\{\"sky\": .*\}")], ids=str
)
def test_a_form_for_the_content(name: str, form: Any) -> None:
    options = {"response_format": form}
    assert verdicts(name, options, content='{"sky": "blue"}')
    assert not verdicts(name, options, content="Sunny.")
    assert verdicts(name, options, calls=[WEATHER])
    assert not verdicts(name, {**options, "tool_choice": "required"}, content='{"sky": "blue"}')
    assert not verdicts(name, {**options, "tool_choice": "none"}, calls=[WEATHER])


OPENINGS = [
    ("llama3", '{"name": "'),
    ("hermes", "<tool_call>"),
    ("glm-4.7", "<tool_call>no"),
    ("granite3", "<|tool_call|>["),
    ("minimax-m1", "<tool_calls>"),
    ("mistral", "[TOOL_CALLS]["),
    ("functools", "functools["),
    ("command-r-plus", "Action:"),
]


@pytest.mark.parametrize(("name", "opening"), OPENINGS)
def test_content_of_a_form_may_hold_what_opens_calls(name: str, opening: str) -> None:
    form = {"properties": {"name": {"type": "string"}}, "required": ["name"], "additionalProperties": False}
    calls = mw.ToolCalls(TOOLS, format=name, response_format=form, reasoning="off")
    constraint = mw.Compiler(vocabulary_of(name)).compile(calls.grammar())
    text = json.dumps({"name": opening})
    assert constraint.matcher().accept_tokens(list(text.encode())) == len(text)
    for pieces in ([text], list(text)):
        parser = calls.parser()
        for piece in pieces:
            parser.feed(piece)
        parser.finish()
        assert (parser.message.content, parser.message.is_complete) == (text, True)
    assert calls.parse(calls.render([WEATHER])).calls[0].name == "get_weather"
    assert calls.render(content=text) == text


@pytest.mark.parametrize("name", ["hermes", "qwen3-coder", "minimax-m1", "granite3"])
def test_prose_cannot_begin_a_call_and_go_on(name: str) -> None:
    vocabulary = vocabulary_of(name)
    constraint = mw.Compiler(vocabulary).compile(mw.ToolCalls(TOOLS, format=name).grammar())
    opening = get_format(name).opening_text(get_format(name).call)
    assert accepts(constraint, vocabulary, "Like " + opening[:-1])
    assert not accepts(constraint, vocabulary, f"Like {opening} this.")
    matcher = constraint.matcher()
    assert not matcher.accept_bytes(f"Like {opening} this.".encode())


def test_a_tool_that_is_not_strict_takes_any_object() -> None:
    tools = [{**TOOLS[0], "strict": False}]
    for name in ("hermes", "qwen3-coder", "glm-4.5", "deepseek-v3.2", "pythonic"):
        vocabulary = vocabulary_of(name)
        calls = mw.ToolCalls(tools, format=name)
        constraint = mw.Compiler(vocabulary).compile(calls.grammar())
        call = {"name": "get_weather", "arguments": {"days": "three", "other": [1]}}
        text = calls.render([call])
        assert accepts(constraint, vocabulary, text)
        assert calls.parse(text).calls[0].arguments == call["arguments"]


def test_special_tokens_may_be_typed_where_the_vocabulary_has_none() -> None:
    vocabulary = only_bytes()
    calls = mw.ToolCalls(TOOLS, format="kimi-k2")
    with pytest.raises(mw.GrammarError, match="tool_call"):
        mw.Compiler(vocabulary).compile(calls.grammar())
    typed = mw.ToolCalls(TOOLS, format="kimi-k2", typed_special_tokens=True)
    assert accepts(mw.Compiler(vocabulary).compile(typed.grammar()), vocabulary, calls.render([WEATHER]))


@pytest.mark.parametrize("budget", [-1, (1 << 32) - 1, 10**30])
def test_what_is_no_number_of_tokens_is_refused_at_once(budget: int) -> None:
    with pytest.raises(mw.ToolCallError, match="is no number of tokens; give 0 to 4294967294") as caught:
        mw.ToolCalls(TOOLS, format="hermes", reasoning_budget=budget)
    assert caught.value.location == "reasoning_budget"


def test_all_threads_get_one_grammar() -> None:
    for _ in range(20):
        calls = mw.ToolCalls(TOOLS, format="hermes")
        with ThreadPoolExecutor(8) as threads:
            made = [threads.submit(calls.grammar) for _ in range(8)]
        assert len({future.result() for future in made}) == 1


@pytest.mark.parametrize("form", [1, 1.5, b"{}", [{}], ({},), {"a"}], ids=repr)
def test_what_is_no_form_of_the_content_is_refused_at_once(form: Any) -> None:
    with pytest.raises(TypeError, match=f"^response_format is a JSON Schema.* not {type(form).__name__}$"):
        mw.ToolCalls(TOOLS, format="hermes", response_format=form)


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_form_of_openai_that_is_any_text_is_prose(name: str) -> None:
    options: dict[str, Any] = {"response_format": {"type": "text"}}
    assert verdicts(name, options, content="Sunny.")
    assert verdicts(name, options, calls=[WEATHER])
    assert mw.ToolCalls(TOOLS, format=name, **options).parse("") == mw.ToolCalls(TOOLS, format=name).parse("")


OBJECT = {"type": "object", "required": ["sky"]}
FORMS_OF_OPENAI: dict[str, tuple[Any, Any]] = {
    # a form; the schema that it is
    "chat": (
        {"type": "json_schema", "json_schema": {"name": "s", "schema": OBJECT, "strict": True}},
        OBJECT,
    ),
    "chat without more": ({"type": "json_schema", "json_schema": {"schema": OBJECT}}, OBJECT),
    "chat, not strict": (
        {"type": "json_schema", "json_schema": {"name": "s", "schema": OBJECT, "strict": False}},
        OBJECT,
    ),
    "responses": (
        {"type": "json_schema", "name": "s", "description": "the sky", "schema": OBJECT, "strict": None},
        OBJECT,
    ),
    "any object": ({"type": "json_object"}, {"type": "object"}),
    "as text": (json.dumps({"type": "json_schema", "name": "s", "schema": OBJECT}), OBJECT),
    "a schema": (OBJECT, OBJECT),
    "a schema with members that are called so": (
        {"type": "object", "properties": {"schema": {}, "type": {"const": "json_object"}}, **OBJECT},
        OBJECT,
    ),
}


@pytest.mark.parametrize("case", FORMS_OF_OPENAI)
def test_the_forms_of_openai_are_the_schemas_in_them(case: str) -> None:
    form, schema = FORMS_OF_OPENAI[case]
    for content in ('{"sky": "blue"}', '{"sea": 1}', "[1]", "Sunny."):
        expected = verdicts("hermes", {"response_format": schema}, content=content)
        assert verdicts("hermes", {"response_format": form}, content=content) == expected, content
    assert verdicts("hermes", {"response_format": form}, content='{"sky": "blue"}')


NO_FORMS: list[tuple[Any, str, str]] = [
    # what is no form; its place; what is said of it
    ({"type": "jsn"}, "type", "there is no type 'jsn'; OpenAI has `json_object`, `json_schema`, `text`"),
    ({"type": "json-schema"}, "type", "did you mean 'json_schema'?"),
    ({"type": "structural_tag", "format": {}}, "type", "give anything else as a Grammar"),
    ({"type": "text", "text": "x"}, "text", "there is no key `text`"),
    ({"type": "json_object", "schema": {}}, "schema", "there is no key `schema`"),
    ({"type": "json_schema"}, "", "the schema is missing"),
    ({"type": "json_schema", "json_schema": True}, "json_schema", "a dict with the schema as `schema`"),
    ({"type": "json_schema", "json_schema": {"name": "s"}}, "json_schema", "the schema is missing"),
    ({"type": "json_schema", "json_schema": {"shema": {}}}, "json_schema.shema", "did you mean `schema`?"),
    (
        {"type": "json_schema", "json_schema": {"type": "object"}},
        "json_schema.type",
        "there is no key `type`",
    ),
    ({"type": "json_schema", "json_schema": {"schema": {}}, "strict": True}, "strict", "no key `strict`"),
    ({"type": "json_schema", "schema": {}, "parameters": {}}, "parameters", "there is no key `parameters`"),
    ('{"type": "jsn"}', "type", "there is no type 'jsn'"),
]


@pytest.mark.parametrize(("form", "place", "message"), NO_FORMS, ids=[str(case[0]) for case in NO_FORMS])
def test_what_is_no_form_of_openai_is_refused_at_once_by_its_place(
    form: Any, place: str, message: str
) -> None:
    with pytest.raises(mw.ToolCallError) as caught:
        mw.ToolCalls(TOOLS, format="hermes", response_format=form)
    assert caught.value.location == ".".join(filter(None, ["response_format", place]))
    assert str(caught.value).startswith(f"{caught.value.location}: ")
    assert message in str(caught.value)
