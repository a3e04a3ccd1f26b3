"""What models write by their own templates: allowed, and read as it was meant."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import maskwright as mw
from maskwright.tool_calls import get_format

from .samples import FORMATS, accepts, constraint_of, refused_at

NOW = {"name": "now"}
JSON: dict[str, Any] = {"response_format": {"type": "object"}}


def read(text: str, format: str, **choices: Any) -> tuple[str, str | None, list[str]]:
    """Content, reasoning and calls of a text that is allowed, and complete."""
    calls = mw.ToolCalls([NOW], format=format, **choices)
    constraint, vocabulary = constraint_of(calls)
    assert accepts(constraint, vocabulary, text), refused_at(constraint, vocabulary, text)
    message = calls.parse(text)
    assert message.is_complete
    return message.content, message.reasoning, [call.name for call in message.calls]


GLM_CALL = "<tool_call>now\n</tool_call>"
# Each: the text, what else is asked for, and what is read.
GLM: list[tuple[str, dict[str, Any], tuple[str, str | None, list[str]]]] = [
    ("\n<think>hm</think>\nHi", {}, ("Hi", "hm", [])),
    ("<think>hm</think>Hi", {}, ("Hi", "hm", [])),
    ("\n<think></think>\nHi", {}, ("Hi", "", [])),
    ("\n<think>hm</think>\n\nHi", {}, ("\nHi", "hm", [])),
    (f"\n<think>hm</think>\nI look.\n{GLM_CALL}\n{GLM_CALL}", {}, ("I look.", "hm", ["now", "now"])),
    (f"\n<think>hm</think>\n{GLM_CALL}", {}, ("", "hm", ["now"])),
    (f"\n<think>hm</think>\n{GLM_CALL}", {"tool_choice": "required"}, ("", "hm", ["now"])),
    ("\n<think>hm</think>\nHi", {"reasoning": "forced"}, ("Hi", "hm", [])),
    ("<think>hm</think>\nHi", {"reasoning": "forced"}, ("Hi", "hm", [])),
    ("\n<think>hm</think>\nHi", {"reasoning_budget": 2}, ("Hi", "hm", [])),
    ("hm</think>\nHi", {"reasoning_opened": True}, ("Hi", "hm", [])),
    ('\n<think>hm</think>\n{"a": 1}', JSON, ('{"a": 1}', "hm", [])),
    ('<think>hm</think>{"a": 1}', JSON, ('{"a": 1}', "hm", [])),
    ("\nHi", {}, ("\nHi", None, [])),
    (f"\n{GLM_CALL}", {}, ("", None, ["now"])),
]


@pytest.mark.parametrize(("text", "choices", "expected"), GLM, ids=str)
def test_glm_thinks_between_line_ends(
    text: str, choices: dict[str, Any], expected: tuple[str, str | None, list[str]]
) -> None:
    for name in ("glm-4.5", "glm-4.6"):
        assert read(text, name, **choices) == expected


def test_glm_writes_line_ends_around_its_thoughts() -> None:
    calls = mw.ToolCalls([NOW], format="glm-4.5")
    assert calls.render(content="Hi", reasoning="hm") == "\n<think>hm</think>\nHi"
    opened = mw.ToolCalls([NOW], format="glm-4.5", reasoning_opened=True)
    assert opened.render([NOW], reasoning="hm") == f"hm</think>\n{GLM_CALL}"


def test_forced_thoughts_of_glm_come_before_anything_else() -> None:
    constraint, vocabulary = constraint_of(mw.ToolCalls([NOW], format="glm-4.5", reasoning="forced"))
    for text, taken in {"\nHi": "\n", "Hi": "", "\n\n<think>": "\n"}.items():
        assert refused_at(constraint, vocabulary, text) == taken


def test_a_line_end_is_held_back_until_it_is_known_whether_thoughts_follow() -> None:
    calls = mw.ToolCalls([NOW], format="glm-4.5")
    parser = calls.parser()
    assert parser.feed("\n") == []
    assert parser.feed("Hi") == [mw.tool_calls.ContentDelta("\nHi")]
    parser = calls.parser()
    assert parser.feed("\n<thi") == []
    assert parser.feed("nk>hm") == [mw.tool_calls.ReasoningDelta("hm")]


MISTRAL_CALLS = {
    "Nemo": '[TOOL_CALLS][{"name": "now", "arguments": {}, "id": "abcdefgh0"}]',
    "7B v0.3": '[TOOL_CALLS] [{"name": "now", "arguments": {}, "id": "abcdefgh0"}]',
    "no identifier": '[TOOL_CALLS][{"name": "now", "arguments": {}}]',
    "no identifier behind a blank": '[TOOL_CALLS] [{"name": "now", "arguments": {}}]',
    "several": (
        '[TOOL_CALLS] [{"name": "now", "arguments": {}, "id": "abcdefgh0"}, {"name": "now", "arguments": {}}]'
    ),
}


@pytest.mark.parametrize("text", MISTRAL_CALLS.values(), ids=MISTRAL_CALLS)
@pytest.mark.parametrize("choices", [{}, {"tool_choice": "required"}, JSON], ids=str)
def test_mistral_writes_a_blank_and_identifiers(text: str, choices: dict[str, Any]) -> None:
    assert read(text, "mistral", **choices) == ("", None, ["now"] * text.count("now"))
    if not choices:
        assert read(f"I look.{text}", "mistral")[0] == "I look."
    calls = mw.ToolCalls([NOW], format="mistral", **choices)
    message = calls.parse(text)
    assert [call.id for call in message.calls][:1] == (["abcdefgh0"] if "id" in text else [None])
    assert calls.render(message.calls) == text.replace("] [", "][")
    parser = calls.parser()
    for character in text:
        parser.feed(character)
    parser.finish()
    assert parser.message == message


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ('[TOOL_CALLS]  [{"name"', "[TOOL_CALLS] "),
        (
            '[TOOL_CALLS][{"name": "now", "arguments": {}, "id": "abc"',
            '[{"name": "now", "arguments": {}, "id": "abc',
        ),
        ('[TOOL_CALLS][{"name": "now", "arguments": {}, "no', '[{"name": "now", "arguments": {}, "'),
    ],
)
def test_what_mistral_does_not_write_is_refused(text: str, taken: str) -> None:
    calls = mw.ToolCalls([NOW], format="mistral")
    constraint, vocabulary = constraint_of(calls)
    assert refused_at(constraint, vocabulary, text).endswith(taken)
    with pytest.raises(mw.ToolCallSyntaxError):
        calls.parse(text + "}]")


def test_an_identifier_of_another_form_is_not_written_by_mistral() -> None:
    calls = mw.ToolCalls([NOW], format="mistral")
    assert calls.render([{**NOW, "id": "call_1"}]) == MISTRAL_CALLS["no identifier"]
    assert calls.render([{**NOW, "id": "abcdefgh0"}]) == MISTRAL_CALLS["Nemo"]
    assert [call.id for call in calls.parse(MISTRAL_CALLS["several"]).calls] == ["abcdefgh0", None]


@pytest.mark.parametrize("name", ["deepseek-r1", "deepseek-v3.2", "glm-4.7"])
def test_a_prompt_that_has_opened_the_reasoning_is_gone_on_from(name: str) -> None:
    assert read("hm</think>Hi", name) == ("Hi", "hm", [])
    assert read("</think>Hi", name) == ("Hi", "", [])
    assert read("Hi", name, reasoning="off") == ("Hi", None, [])
    assert read("<think>hm</think>Hi", name, reasoning_opened=False) == ("Hi", "hm", [])
    calls = mw.ToolCalls([NOW], format=name)
    call = calls.render([NOW], reasoning="hm")
    assert call.lstrip().startswith("hm")
    assert read(call, name, tool_choice="required") == ("", "hm", ["now"])
    constraint, vocabulary = constraint_of(calls)
    assert not accepts(constraint, vocabulary, "Hi")


def test_the_documentation_says_which_prompts_open_the_reasoning() -> None:
    text = (Path(__file__).parents[2] / "docs" / "tool-calls.md").read_text(encoding="utf-8")
    found = re.search(r"it ends inside\s+the reasoning for (.*?)\. ", text, re.DOTALL)
    assert found is not None
    opened = [name for name in FORMATS if get_format(name).reasoning_opened]
    assert re.findall("`(.*?)`", found[1]) == opened


HEADERS = ["final", "final <|constrain|>json", "final<|constrain|>json", "final json"]


@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("before", ["", "<|channel|>analysis<|message|>hm<|end|><|start|>assistant"])
def test_an_answer_of_gpt_oss_may_say_that_it_is_json(header: str, before: str) -> None:
    text = f'{before}<|channel|>{header}<|message|>{{"a": 1}}'
    for choices in (JSON, {}):
        for ending in ("", "<|return|>"):
            found = read(text + ending, "harmony", **choices)
            assert found == ('{"a": 1}', "hm" if before else None, [])
    calls = mw.ToolCalls([NOW], format="harmony", **JSON)
    constraint, vocabulary = constraint_of(calls)
    assert not accepts(constraint, vocabulary, text.replace("{", "", 1))
    assert calls.render(content='{"a": 1}') == '<|channel|>final<|message|>{"a": 1}<|return|>'


@pytest.mark.parametrize("header", ["final  json", "final yaml", "final <|constrain|>yaml", "finaljson"])
def test_an_answer_of_gpt_oss_says_nothing_else(header: str) -> None:
    constraint, vocabulary = constraint_of(mw.ToolCalls([NOW], format="harmony", **JSON))
    assert not accepts(constraint, vocabulary, f"<|channel|>{header}<|message|>{{}}")


DSML = "\uff5cDSML\uff5c"
BLOCKS = {"deepseek-v3.2": "function_calls", "deepseek-v4": "tool_calls"}


@pytest.mark.parametrize("name", BLOCKS)
def test_deepseek_writes_a_call_without_arguments_in_two_ways(name: str) -> None:
    tools: list[Any] = [NOW, {"name": "when", "parameters": {"properties": {"p": {"type": "integer"}}}}]
    calls = mw.ToolCalls(tools, format=name, reasoning="off")
    constraint, vocabulary = constraint_of(calls)
    block = BLOCKS[name]

    def message(tool: str, arguments: str) -> str:
        inside = f'<{DSML}invoke name="{tool}">\n{arguments}</{DSML}invoke>'
        return f"<{DSML}{block}>\n{inside}\n{inside}\n</{DSML}{block}>"

    parameter = f'<{DSML}parameter name="p" string="false">1</{DSML}parameter>'
    cases: list[tuple[str, str, dict[str, int]]] = [
        (tool, arguments, {}) for tool in ("now", "when") for arguments in ("", "\n")
    ]
    for tool, arguments, value in [*cases, ("when", f"{parameter}\n", {"p": 1})]:
        text = message(tool, arguments)
        assert accepts(constraint, vocabulary, text), text
        for pieces in ([text], list(text)):
            parser = calls.parser()
            for piece in pieces:
                parser.feed(piece)
            parser.finish()
            assert parser.message.is_complete
            assert [call.arguments for call in parser.message.calls] == [value, value]
    for arguments in (parameter, "\n\n", f"\n{parameter}\n"):
        assert not accepts(constraint, vocabulary, message("when", arguments))
        with pytest.raises(mw.ToolCallSyntaxError):
            calls.parse(message("when", arguments))
    assert calls.render([NOW, NOW]) == message("now", "\n")
