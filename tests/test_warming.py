"""Computing ahead through the public interface."""

from __future__ import annotations

import json
import time
from datetime import timedelta
from typing import Any

import pytest

import maskwright as mw
from only_bytes import only_bytes
from replaying import masks_along

JSON = r"""
root   ::= object
value  ::= object | array | string | number | ("true" | "false" | "null") ws
object ::= "{" ws ( string ":" ws value ("," ws string ":" ws value)* )? "}" ws
array  ::= "[" ws ( value ("," ws value)* )? "]" ws
string ::= "\"" ( [^"\\\x7F\x00-\x1F] | "\\" (["\\bfnrt] | "u" [0-9a-fA-F]{4}) )* "\"" ws
number ::= ("-"? ([0-9] | [1-9] [0-9]{0,15})) ("." [0-9]+)? ([eE] [-+]? [0-9] [1-9]{0,15})? ws
ws     ::= | " " | "\n" [ \t]{0,20}
"""
DOCUMENT = b'{"a": [1, 2.5e-3, {"list": true}, "ab\\u00e9\xe6\x97\xa5"], "": null}'
ENDLESS = "(a|b)*a(a|b){60}"


@pytest.mark.parametrize("warm", [1, 10, "all"])
def test_masks_are_the_same(byte_vocabulary: mw.Vocabulary, settings: mw.Settings, warm: int) -> None:
    compiler = mw.Compiler(byte_vocabulary)
    cold = compiler.compile(mw.Grammar.gbnf(JSON), settings=settings)
    warmed = compiler.compile(mw.Grammar.gbnf(JSON), settings=settings, warm=warm)
    assert cold.warming is None
    assert warmed.warming is not None
    assert masks_along(warmed.matcher(), DOCUMENT, warmed.vocabulary.size) == masks_along(
        cold.matcher(), DOCUMENT, cold.vocabulary.size
    )
    assert warmed.warming.wait(timeout=60)
    assert masks_along(warmed.matcher(), DOCUMENT, warmed.vocabulary.size) == masks_along(
        cold.matcher(), DOCUMENT, cold.vocabulary.size
    )


def test_everything_is_ready_after_a_complete_one(byte_vocabulary: mw.Vocabulary) -> None:
    reports: list[mw.Progress] = []
    compiler = mw.Compiler(byte_vocabulary)
    constraint = compiler.compile(mw.Grammar.gbnf(JSON), warm="all", progress=reports.append)
    assert constraint.warming is not None
    assert constraint.warming.done
    result = constraint.warming.result()
    assert (result.complete, result.cancelled, result.error) == (True, False, None)
    assert (reports[-1].states, reports[-1].transitions) == (result.states, result.transitions)
    walks = constraint.statistics().walks
    masks_along(constraint.matcher(), DOCUMENT, constraint.vocabulary.size)
    assert constraint.statistics().walks == walks


PERSON: dict[str, object] = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer", "minimum": 0}},
    "required": ["name"],
}


@pytest.mark.parametrize(
    ("schema", "options", "text"),
    [
        ({"type": "array", "items": {"type": "string"}}, {}, '["a\\u00e9\\ud83d\\ude00", "", "\\"é"]'),
        ({"type": "string", "maxLength": 5}, {}, '"ab\\u0063\\n"'),
        ({}, {"track_keys": False}, '{"a": [1, null, {"b\\u0061": "x"}], "a": "y"}'),
        (
            PERSON,
            {"track_keys": False, "minimal_escapes": True},
            '{"age": 7, "x": [{}], "name": "\\u0007 é", "x": 1}',
        ),
        (PERSON | {"additionalProperties": False}, {"minimal_escapes": True}, '{"name": "é", "age": 20}'),
    ],
)
def test_all_of_a_schema_is_ready(
    byte_vocabulary: mw.Vocabulary, schema: dict[str, object], options: dict[str, Any], text: str
) -> None:
    grammar = mw.Grammar.json_schema(schema, order="any", **options)
    constraint = mw.Compiler(byte_vocabulary).compile(grammar, warm="all")
    assert constraint.warming is not None
    assert constraint.warming.result().complete
    walks = constraint.statistics().walks
    cold = mw.Compiler(byte_vocabulary).compile(grammar)
    size = byte_vocabulary.size
    assert masks_along(constraint.matcher(), text.encode(), size) == masks_along(
        cold.matcher(), text.encode(), size
    )
    assert constraint.statistics().walks == walks


def test_it_can_be_cancelled(byte_vocabulary: mw.Vocabulary) -> None:
    constraint = mw.Compiler(byte_vocabulary).compile(mw.Grammar.regex(ENDLESS), warm=10**9)
    warming = constraint.warming
    assert warming is not None
    assert not warming.wait(timeout=0)
    assert "at work" in repr(warming)
    warming.cancel()
    assert warming.wait(timeout=60)
    result = warming.result()
    assert result.cancelled
    assert not result.complete
    assert masks_along(constraint.matcher(), b"abab", constraint.vocabulary.size)


def test_it_ends_with_the_last_that_could_use_it(byte_vocabulary: mw.Vocabulary) -> None:
    constraint = mw.Compiler(byte_vocabulary).compile(mw.Grammar.regex(ENDLESS), warm=10**9)
    warming = constraint.warming
    assert warming is not None
    del constraint
    assert warming.wait(timeout=60)
    assert warming.result().cancelled


def test_a_budget_is_told_and_not_raised(byte_vocabulary: mw.Vocabulary) -> None:
    budget = mw.Budget(compile_time=timedelta(milliseconds=50))
    constraint = mw.Compiler(byte_vocabulary, budget=budget).compile(mw.Grammar.regex(ENDLESS), warm="all")
    assert constraint.warming is not None
    error = constraint.warming.result().error
    assert isinstance(error, mw.BudgetExceededError)
    assert error.budget == "compile_time"
    assert masks_along(constraint.matcher(), b"abab", constraint.vocabulary.size)


def test_what_progress_raises_ends_it(byte_vocabulary: mw.Vocabulary) -> None:
    def stop(_: mw.Progress) -> None:
        raise KeyboardInterrupt

    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        mw.Compiler(byte_vocabulary).compile(mw.Grammar.regex(ENDLESS), warm="all", progress=stop)
    assert time.monotonic() - start < 20


@pytest.mark.parametrize("warm", [-1, "some", -(10**5000)], ids=["negative", "text", "far too small"])
def test_options_that_make_no_sense_are_refused(byte_vocabulary: mw.Vocabulary, warm: int) -> None:
    with pytest.raises(mw.ArgumentError, match="warm must be"):
        mw.Compiler(byte_vocabulary).compile(mw.Grammar.regex("a"), warm=warm)


@pytest.mark.parametrize("warm", [None, 1.0, True, b"all"])
def test_what_is_no_number_of_masks_is_told_what_it_may_be(byte_vocabulary: mw.Vocabulary, warm: Any) -> None:
    with pytest.raises(TypeError, match=r'^warm, if it is not "all", is an int, not '):
        mw.Compiler(byte_vocabulary).compile(mw.Grammar.regex("a"), warm=warm)


def test_more_states_than_a_machine_can_count_are_all(byte_vocabulary: mw.Vocabulary) -> None:
    constraint = mw.Compiler(byte_vocabulary).compile(mw.Grammar.regex("a"), warm=10**30)
    assert constraint.warming is not None
    assert constraint.warming.result().error is None


def test_progress_needs_something_to_report(byte_vocabulary: mw.Vocabulary) -> None:
    with pytest.raises(mw.ArgumentError, match="progress"):
        mw.Compiler(byte_vocabulary).compile(mw.Grammar.regex("a"), warm=1, progress=print)
    wrong: Any = 5
    for warm in (0, 1, "all"):
        with pytest.raises(TypeError, match=r"^progress is a function that takes .*, not int$"):
            mw.Compiler(byte_vocabulary).compile(mw.Grammar.regex("a"), warm=warm, progress=wrong)


def found_for(constraint: mw.Constraint, text: str) -> tuple[int, int]:
    """How many walks and states are new to the masks of a text that is cut into single bytes."""
    before = constraint.statistics()
    masks_along(constraint.matcher(), text.encode(), constraint.vocabulary.size)
    after = constraint.statistics()
    return after.walks - before.walks, after.states - before.states


@pytest.mark.parametrize("warm", [40, "all"])
def test_examples_are_ready(warm: Any) -> None:
    vocabulary = only_bytes()
    text = json.dumps({"name": "Ann", "age": 41}, indent=2)
    grammar = mw.Grammar.json_schema(PERSON)
    for example in (text, text.encode(), text + "\ud800", text + "no more"):
        constraint = mw.Compiler(vocabulary).compile(grammar, warm=warm, examples=["[", example])
        assert constraint.warming is not None
        assert constraint.warming.result().error is None
        assert found_for(constraint, text) == (0, 0)
    unprepared = mw.Compiler(vocabulary).compile(grammar, warm=40)
    assert unprepared.warming is not None
    assert unprepared.warming.wait(timeout=60)
    assert found_for(unprepared, text)[1] > 0


def test_special_tokens_stand_in_examples_by_their_names() -> None:
    tokens = [bytes([byte]) for byte in range(256)]
    vocabulary = mw.Vocabulary.from_tokens(
        [*tokens, None, None], special_tokens={"<call>": 256, "<end>": 257}, stop_ids=[257]
    )
    grammar = mw.Grammar.token("<call>") + mw.Grammar.regex("[a-m]+[n-z]{3}")
    constraint = mw.Compiler(vocabulary).compile(grammar, warm=8, examples=["<call>amxyz<end>"])
    assert constraint.warming is not None
    assert constraint.warming.wait(timeout=60)
    matcher, walks = constraint.matcher(), constraint.statistics().walks
    mask = mw.allocate_mask(1, vocabulary.size)
    for token in (256, *b"amxyz", 257):
        matcher.fill_mask(mask)
        assert matcher.accept(token)
    assert constraint.statistics().walks == walks


def test_what_is_no_example_is_refused(byte_vocabulary: mw.Vocabulary) -> None:
    compiler, grammar = mw.Compiler(byte_vocabulary), mw.Grammar.regex("a")
    wrong: list[tuple[Any, Any, type[Exception], str]] = [
        ([{"a": 1}], 5, TypeError, "each of examples is a str or bytes, not dict; .* by json.dumps"),
        ("text", 5, TypeError, "examples must be several, such as a list, not one str"),
        (["a"], 0, ValueError, "examples are only rehearsed with warm, such as warm=500"),
    ]
    for examples, warm, error, message in wrong:
        with pytest.raises(error, match=message):
            compiler.compile(grammar, warm=warm, examples=examples)
    assert compiler.compile(grammar, examples=[]).warming is None
