"""Tools whose argument is a text of their own, which must not hold what ends it."""

from __future__ import annotations

from typing import Any

import pytest

import maskwright as mw
from maskwright.tool_calls.parts import fixed_text

from .samples import ANY_CODE, accepts, constraint_of, tokens_of, vocabulary_of

CODE = mw.Tool("code", body=mw.Grammar.regex(r"[a-z =0-9{}<>/\n]+"))


@pytest.mark.parametrize(
    "name", ["harmony", "kimi-k2", "deepseek-v3.1", "qwen3-coder", "glm-4.5", "minimax-m2"]
)
def test_the_text_of_a_custom_tool_stands_as_it_is(name: str) -> None:
    calls = mw.ToolCalls([CODE], format=name, tool_choice="required", reasoning="off")
    constraint, vocabulary = constraint_of(calls)
    text = calls.render([{"name": "code", "arguments": "a = {1}\n</b>"}])
    assert accepts(constraint, vocabulary, text)
    assert calls.parse(text).calls[0].arguments == "a = {1}\n</b>"
    wrong = mw.ToolCalls([ANY_CODE], format=name, reasoning="off").render(
        [{"name": "code", "arguments": "A"}]
    )
    assert not accepts(constraint, vocabulary, wrong)


@pytest.mark.parametrize("name", ["hermes", "llama3", "pythonic", "mistral"])
def test_a_custom_tool_where_arguments_are_values(name: str) -> None:
    calls = mw.ToolCalls([ANY_CODE], format=name, tool_choice="required")
    constraint, vocabulary = constraint_of(calls)
    text = calls.render([{"name": "code", "arguments": 'print("a")\n'}])
    assert accepts(constraint, vocabulary, text)
    assert calls.parse(text).calls[0].arguments == 'print("a")\n'
    with pytest.raises(mw.ToolCallError, match="cannot be held to its grammar"):
        mw.ToolCalls([CODE], format=name).grammar()


def test_the_pattern_of_a_custom_text_does_not_make_it_end_early() -> None:
    code = mw.Tool("code", body=mw.Grammar.regex(r"(?s:.*)"))
    calls = mw.ToolCalls([code], format="qwen3-coder")
    constraint, vocabulary = constraint_of(calls)
    text = calls.render([{"name": "code", "arguments": "b"}])
    assert accepts(constraint, vocabulary, text)
    assert not accepts(constraint, vocabulary, text.replace("</parameter>\n", "</parameter>\n</parameter>\n"))
    with pytest.raises(mw.ToolCallError, match="where it would end"):
        calls.render([{"name": "code", "arguments": "b\n</parameter>"}])


def test_a_custom_text_cannot_hold_its_own_end() -> None:
    calls = mw.ToolCalls([ANY_CODE], format="qwen3-coder")
    constraint, vocabulary = constraint_of(calls)
    with pytest.raises(mw.ToolCallError, match="where it would end"):
        calls.render([{"name": "code", "arguments": "a\n</parameter>\n"}])
    start = calls.render([{"name": "code", "arguments": "a"}]).split("a\n</par")[0]
    matcher = constraint.matcher()
    assert matcher.accept_tokens(tokens_of(vocabulary, start + "a\n</parameter>\n"))
    assert not matcher.fork().accept_bytes(b"b")
    gbnf = mw.Tool("code", body=mw.Grammar.gbnf("root ::= [a-z]+"))
    with pytest.raises(mw.ToolCallError, match="only the text of a regular expression"):
        mw.ToolCalls([gbnf], format="qwen3-coder").grammar()
    assert mw.ToolCalls([gbnf], format="harmony").grammar()


@pytest.mark.parametrize("name", ["harmony", "kimi-k2", "deepseek-v3.1"])
def test_a_custom_text_does_not_spell_the_token_that_ends_it(name: str) -> None:
    calls = mw.ToolCalls([{"type": "custom", "name": "code"}], format=name)
    vocabulary = vocabulary_of(name)
    end = fixed_text(calls.format.call[-1:])
    written = calls.render([{"name": "code", "arguments": "a"}])
    before, after = written.split(f"a{end}")
    matcher = mw.Compiler(vocabulary).compile(calls.grammar()).matcher()
    start = tokens_of(vocabulary, before)
    assert matcher.accept_tokens(start) == len(start)
    assert matcher.accept_bytes(f"a{end[:-1]}".encode())
    assert not matcher.accept_bytes(end[-1:].encode())
    rest = tokens_of(vocabulary, end + after)
    assert matcher.accept_tokens(rest) == len(rest)
    assert calls.parse(f"{before}a{end[:-1]}{end}{after}").calls[0].arguments == f"a{end[:-1]}"


CASES_OF_FLAGS = [
    # the closing of a text, texts that may stand before it, and one that may not
    ("qwen3-coder", ["a\n</PARAMETER>\nb", "Z", "a\n</parameter>Z"], "a\n</parameter>"),
    ("glm-4.5", ["a</ARG_VALUE>\nb", "Z", "a</arg_value>"], "a</arg_value>\nb"),
    ("deepseek-v3.2", ["</a>", "Z", "</\uff5cDSML\uff5cPARAMETER>", "</"], "</\uff5cDSML\uff5cparameter>b"),
    ("harmony", ["a<|CALL|>b", "Z", "a<|call"], "a<|call|>b"),
]


@pytest.mark.parametrize(
    "flags",
    [{}, *({flag: True} for flag in ("case_insensitive", "ecma", "multi_line", "verbose", "search"))],
    ids=str,
)
@pytest.mark.parametrize(("name", "texts", "wrong"), CASES_OF_FLAGS)
def test_flags_of_a_custom_text_say_nothing_of_its_end(
    name: str, texts: list[str], wrong: str, flags: dict[str, Any]
) -> None:
    tool = mw.Tool("code", body=mw.Grammar.regex(r"[A-Za-z<>_/|\uff5c\n]+", **flags))
    calls = mw.ToolCalls([tool], format=name, reasoning="off")
    vocabulary = vocabulary_of(name)
    constraint = mw.Compiler(vocabulary).compile(calls.grammar())
    before, after = calls.render([{"name": "code", "arguments": "QQ"}]).split("QQ")
    for text in [*texts, wrong]:
        matcher = constraint.matcher()
        written = [*tokens_of(vocabulary, before), *text.encode(), *tokens_of(vocabulary, after)]
        is_taken = matcher.accept_tokens(written) == len(written)
        assert is_taken == (text != wrong), text
        if is_taken:
            assert calls.parse(before + text + after).calls[0].arguments == text


def test_a_custom_text_may_be_told_by_what_only_the_flag_u_allows() -> None:
    tool = mw.Tool("code", body=mw.Grammar.regex(r"\p{Lu}[^]*", ecma=True))
    calls = mw.ToolCalls([tool], format="qwen3-coder", reasoning="off")
    vocabulary = vocabulary_of("qwen3-coder")
    constraint = mw.Compiler(vocabulary).compile(calls.grammar())
    before, after = calls.render([{"name": "code", "arguments": "QQ"}]).split("QQ")
    for text, expected in {"\u00c9-a\n": True, "\u00e9": False, "Q\n</parameter>": False}.items():
        written = [*tokens_of(vocabulary, before), *text.encode(), *tokens_of(vocabulary, after)]
        is_taken = constraint.matcher().accept_tokens(written) == len(written)
        assert is_taken == expected, text


def test_a_custom_text_may_be_told_by_a_pattern_that_ends_in_a_comment() -> None:
    tool = mw.Tool("code", body=mw.Grammar.regex("(?x) ab | [^q]+ # (no q"))
    calls = mw.ToolCalls([tool], format="qwen3-coder", reasoning="off")
    vocabulary = vocabulary_of("qwen3-coder")
    constraint = mw.Compiler(vocabulary).compile(calls.grammar())
    before, after = calls.render([{"name": "code", "arguments": "QQ"}]).split("QQ")
    for text, expected in {"ab": True, "c\n": True, "q": False, "c\n</parameter>": False}.items():
        written = [*tokens_of(vocabulary, before), *text.encode(), *tokens_of(vocabulary, after)]
        is_taken = constraint.matcher().accept_tokens(written) == len(written)
        assert is_taken == expected, text
