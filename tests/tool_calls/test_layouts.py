"""Formats as data: the registry, and one's own formats."""

from __future__ import annotations

import pickle
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import maskwright as mw
from maskwright.tool_calls import (
    JsonArguments,
    Key,
    Name,
    Segment,
    Special,
    Text,
    XmlArguments,
    format_names,
    get_format,
    register,
)
from only_bytes import only_bytes

from .samples import BYTES, FORMATS, TOOLS, accepts, layout


def test_every_format_names_its_models_and_source() -> None:
    assert len(FORMATS) >= 28
    for name in format_names():
        found = get_format(name)
        assert found.source, name
        assert found.name in format_names()
        if name in FORMATS:
            assert found.models, name


def test_ones_own_format_can_be_registered() -> None:
    own = register(layout(name="of-this-test"), aliases=["alias-of-this-test"])
    assert get_format("alias-of-this-test") is own
    assert register(own) is own
    with pytest.raises(mw.ToolCallError, match="already"):
        register(layout(name="of-this-test", gap="\n"))
    with pytest.raises(mw.ToolCallError, match="already"):
        register(layout(name="hermes"))
    refused: list[tuple[Any, type[Exception]]] = [
        ("hermes", mw.ToolCallError),
        ("A B", mw.ToolCallError),
        (5, TypeError),
    ]
    for alias, error in refused:
        with pytest.raises(error):
            register(layout(name="refused"), aliases=["refused-too", alias])
    assert not {"refused", "refused-too"} & set(format_names())
    with pytest.raises(mw.ToolCallError, match="hermes, "):
        get_format("nothing-like-it")


def test_ones_own_format_works_without_being_registered() -> None:
    own = layout(gap="\n", separator=(Text("\n"),))
    calls = mw.ToolCalls([{"name": "now"}, {"name": "nowhere"}], format=own)
    text = calls.render([{"name": "now"}, {"name": "nowhere"}], content="Look:")
    assert text == "Look:\nCALL now {};\nCALL nowhere {};"
    assert [call.name for call in calls.parse(text).calls] == ["now", "nowhere"]
    assert accepts(mw.Compiler(BYTES).compile(calls.grammar()), BYTES, text)


CONTENT = Segment(begin=(Text("<r>"),), end=(Text("</r>"),))
# Each: what differs from CONTENT, the gap, and which sequences of content (r) and a call (c) may come.
BEFORE_CALLS: list[tuple[dict[str, Any], str, dict[str, bool]]] = [
    ({}, "", {"rc": True, "r": True, "c": True, "rrc": False, "rr": False, "r\nc": False}),
    ({}, "\n", {"rc": True, "r\nc": True, "r\n\nc": False, "r\n": False}),
    ({"repeated": True}, "\n", {"rc": True, "rrc": True, "rr": True, "r\nr\nc": True}),
    ({"last": False}, "", {"rc": True, "rrc": False, "r": False, "c": True}),
    ({"last": False, "repeated": True}, "", {"rc": True, "rrc": True, "r": False}),
    ({"before_calls": False}, "", {"rc": False, "r": True, "c": True}),
]


@pytest.mark.parametrize(("fields", "gap", "messages"), BEFORE_CALLS, ids=str)
def test_content_with_an_end_comes_before_calls_as_it_says(
    fields: dict[str, Any], gap: str, messages: dict[str, bool]
) -> None:
    thinking = Segment(begin=(Text("<t>"),), end=(Text("</t>"),), after="\n")
    own = layout(content=(replace(CONTENT, **fields),), gap=gap, reasoning=thinking)
    calls = mw.ToolCalls([{"name": "now"}], format=own)
    constraint = mw.Compiler(BYTES).compile(calls.grammar())
    for begin in ("", "<t>So</t>", "<t>So</t>\n"):
        for message, is_allowed in messages.items():
            text = begin + message.replace("r", "<r>hi</r>").replace("c", "CALL now {};")
            assert accepts(constraint, BYTES, text) is is_allowed, text
            if is_allowed:
                read = calls.parse(text)
                assert read.is_complete
                assert (read.content, len(read.calls)) == ("hi" * message.count("r"), message.count("c"))


@pytest.mark.parametrize("gap", ["", "\n"])
def test_content_with_an_end_before_calls_is_written_read_and_allowed(gap: str) -> None:
    calls = mw.ToolCalls([{"name": "now"}], format=layout(content=(CONTENT,), gap=gap))
    text = calls.render([{"name": "now"}], content="hi")
    assert text == f"<r>hi</r>{gap}CALL now {{}};"
    assert calls.parse(text).content == "hi"
    assert accepts(mw.Compiler(BYTES).compile(calls.grammar()), BYTES, text)
    for fields in ({"tool_choice": "required"}, {"response_format": {"type": "integer"}}):
        without: dict[str, Any] = fields
        strict = mw.ToolCalls([{"name": "now"}], format=calls.format, **without)
        assert not accepts(mw.Compiler(BYTES).compile(strict.grammar()), BYTES, text)


def test_ways_to_write_a_call_must_differ() -> None:
    begin = (Text("CALL "), Name(), Text(" "))
    others = [
        (JsonArguments(raw_bodies=True), Text("!")),
        (JsonArguments(), Text(";.")),
        (JsonArguments(),),
    ]
    for other in others:
        with pytest.raises(mw.ToolCallError, match="begin alike"):
            mw.ToolCalls([{"name": "now"}], layout(other_calls=((*begin, *other),))).parse("CALL now {}!")
    own = layout(other_calls=((*begin, JsonArguments(), Text("!")), (*begin, JsonArguments(), Text("?"))))
    calls = mw.ToolCalls([{"name": "now"}, {"name": "nowhere"}], format=own)
    constraint = mw.Compiler(BYTES).compile(calls.grammar())
    text = "So: CALL now {}!CALL nowhere {}?CALL now {};"
    assert accepts(constraint, BYTES, text)
    assert [call.name for call in calls.parse(text).calls] == ["now", "nowhere", "now"]
    assert [call.name for call in calls.parse("CALL now {} !").calls] == ["now"]
    assert not calls.parse("CALL now {} ").is_complete
    with pytest.raises(mw.ToolCallSyntaxError, match="'!' or ';' or '\\?'"):
        calls.parse("CALL now {}.")


def test_no_tool_has_the_name_by_which_content_begins() -> None:
    with pytest.raises(mw.ToolCallError, match="'all' would begin as content does") as caught:
        mw.ToolCalls([{"name": "now"}, {"name": "all"}], format="functionary-v3.2")
    assert caught.value.location == "all"
    calls = mw.ToolCalls([{"name": "al"}, {"name": "all2"}], format="functionary-v3.2")
    assert [calls.parse(f"{name}\n{{}}").calls[0].name for name in ("al", "all2")] == ["al", "all2"]
    assert calls.parse("all\n{}").content == "{}"


def test_other_ways_to_write_a_call_are_accepted_and_read() -> None:
    calls = mw.ToolCalls([{"name": "now"}], format="harmony")
    for header in (
        "<|channel|>commentary to=functions.now <|constrain|>json",
        "<|channel|>commentary to=functions.now<|constrain|>json",
        "<|channel|>commentary to=functions.now",
        " to=functions.now<|channel|>commentary <|constrain|>json",
        " to=functions.now<|channel|>commentary json",
    ):
        for ending in ("<|call|>", ""):
            assert [call.name for call in calls.parse(f"{header}<|message|>{{}}{ending}").calls] == ["now"]


def test_identifiers_are_read_and_written() -> None:
    calls = mw.ToolCalls([{"name": "now"}], format="kimi-k2")
    text = calls.render([{"name": "now"}, {"name": "now"}])
    read = calls.parse(text).calls
    assert [call.id for call in read] == ["functions.now:0", "functions.now:1"]
    assert calls.render(read) == text
    with pytest.raises(mw.ToolCallError, match=r"functions\.now:0"):
        calls.render([{"name": "now", "id": "call_1"}])


def test_an_identifier_that_only_another_way_has_a_place_for_is_written_in_that_way() -> None:
    calls = mw.ToolCalls([{"name": "now"}], format="mistral-v11")
    text = "[TOOL_CALLS]now[CALL_ID]abcDEF123[ARGS]{}[TOOL_CALLS]now[ARGS]{}"
    read = calls.parse(text).calls
    assert [call.id for call in read] == ["abcDEF123", None]
    assert calls.render(read) == text
    given = calls.parse(text).for_openai()["tool_calls"]
    assert given[1]["id"].startswith("call_")
    assert calls.render(given) == text


LACKING: list[tuple[str, dict[str, Any], str]] = [
    # a format, what is asked of it, and what is said of a vocabulary without special tokens
    ("mistral", {}, "the format 'mistral' needs 1 token that the vocabulary lacks: `[TOOL_CALLS]`; choose"),
    ("mistral-v11", {}, "needs 5 tokens that the vocabulary lacks: `[/THINK]`, `[ARGS]`, "),
    ("deepseek-v3.2", {}, "the format 'deepseek-v3.2' needs 1 token that the vocabulary lacks"),
    (
        "qwen3",
        {"reasoning_budget": 3},
        "the format 'hermes' needs 1 token that the vocabulary lacks: `</think>`",
    ),
]


@pytest.mark.parametrize(("name", "options", "message"), LACKING, ids=[case[0] for case in LACKING])
def test_tokens_that_a_format_needs_and_a_vocabulary_lacks_are_told_as_that(
    name: str, options: dict[str, Any], message: str
) -> None:
    compiler = mw.Compiler(only_bytes())
    grammar = mw.ToolCalls(TOOLS, format=name, **options).grammar()
    for whole in (grammar, pickle.loads(pickle.dumps("It is: " + grammar))):
        with pytest.raises(mw.GrammarError, match=re.escape(message)) as caught:
            compiler.compile(whole)
        assert "typed_special_tokens=True" in str(caught.value)
    assert compiler.compile(mw.ToolCalls(TOOLS, format=name, typed_special_tokens=True).grammar())
    with pytest.raises(mw.GrammarError, match="the grammar names the token `<x>`"):
        compiler.compile(mw.Grammar.token("<x>") + mw.ToolCalls(TOOLS, format="hermes").grammar())


def test_special_tokens_stand_apart_from_their_names() -> None:
    special = layout(call=(Special("<call>"), Name(), Text(" "), JsonArguments(), Special("</call>")))
    vocabulary = mw.Vocabulary.from_tokens(
        [*(bytes([byte]) for byte in range(256)), None, None, None],
        special_tokens={"<call>": 257, "</call>": 258},
        stop_ids=[256],
    )
    calls = mw.ToolCalls([{"name": "now"}], format=special)
    constraint = mw.Compiler(vocabulary).compile(calls.grammar())
    assert accepts(constraint, vocabulary, calls.render([{"name": "now"}]))
    assert not constraint.matcher().accept_bytes(b"<call>")


@pytest.mark.parametrize("schema", [{"type": "string"}, {"type": "string", "maxLength": 20}], ids=str)
def test_a_string_does_not_spell_the_token_that_ends_it(schema: dict[str, Any]) -> None:
    arguments = XmlArguments(opening=(Text("["), Key(), Text("]")), closing=(Special("<|end|>"),))
    mine = layout(call=(Text("CALL "), Name(), Text(":"), arguments, Text(";")))
    calls = mw.ToolCalls([mw.Tool("t", parameters={"properties": {"a": schema}})], format=mine)
    vocabulary = mw.Vocabulary.from_tokens(
        [*(bytes([byte]) for byte in range(256)), None, None],
        special_tokens={"<|end|>": 256, "<eos>": 257},
        stop_ids=[257],
    )
    matcher = mw.Compiler(vocabulary).compile(calls.grammar()).matcher()
    assert matcher.accept_bytes(b"CALL t:[a]x<|end|")
    assert not matcher.accept_bytes(b">")
    assert matcher.accept(256)
    assert matcher.accept_bytes(b";")
    assert calls.parse("CALL t:[a]x<|end|<|end|>;").calls[0].arguments == {"a": "x<|end|"}


def test_the_page_lists_every_format() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "tool-calls.md"
    text = page.read_text(encoding="utf-8")
    for name in FORMATS:
        found = get_format(name)
        assert f"| `{name}`" in text
        assert f"| {', '.join(found.models)} | {found.source} |" in text
