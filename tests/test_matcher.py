"""The matcher through its public interface."""

from __future__ import annotations

import copy
import re
import threading
from collections.abc import Callable
from datetime import timedelta

import numpy as np
import pytest

import maskwright as mw


def compiled(
    vocabulary: mw.Vocabulary, grammar: mw.Grammar, settings: mw.Settings | None = None
) -> mw.Constraint:
    return mw.Compiler(vocabulary).compile(grammar, settings=settings)


def texts(matcher: mw.Matcher, vocabulary: mw.Vocabulary) -> list[bytes]:
    return [vocabulary.token_bytes(token) or b"<special>" for token in matcher.allowed_tokens()]


def state(matcher: mw.Matcher) -> tuple[bool, bool]:
    return matcher.is_complete, matcher.is_finished


def test_mask_bits_are_the_allowed_tokens(byte_vocabulary: mw.Vocabulary, settings: mw.Settings) -> None:
    matcher = compiled(byte_vocabulary, mw.Grammar.regex("ab?c"), settings).matcher()
    mask = mw.allocate_mask(2, byte_vocabulary.size)
    matcher.fill_mask(mask, 1)
    bits = np.unpackbits(mask[1].view(np.uint8), bitorder="little")
    assert np.flatnonzero(bits).tolist() == matcher.allowed_tokens()
    assert texts(matcher, byte_vocabulary) == [b"a", b"ab", b"abc"]
    assert (mask[0] == -1).all(), "other rows are left alone"


def test_stop_tokens_are_allowed_exactly_where_the_text_is_complete(
    byte_vocabulary: mw.Vocabulary, settings: mw.Settings
) -> None:
    matcher = compiled(byte_vocabulary, mw.Grammar.regex("a{1,2}"), settings).matcher()
    end, eot = byte_vocabulary.stop_ids
    assert not matcher.accept(end)
    assert matcher.accept(ord("a"))
    assert state(matcher) == (True, False)
    assert {end, eot} <= set(matcher.allowed_tokens())
    assert matcher.accept(eot)
    assert state(matcher) == (True, True)
    assert matcher.allowed_tokens() == []
    assert not matcher.accept(ord("a"))
    assert not matcher.accept(end)
    matcher.rollback()
    assert state(matcher) == (True, False)
    assert matcher.accept(ord("a"))
    assert matcher.allowed_tokens() == [end, eot]


A, B, EOT = "a", "b", mw.Grammar.token("<eot>")
TURNS = [
    (mw.Grammar.sequence([A, EOT]), "ae", (True, True)),
    (mw.Grammar.sequence([A, EOT, B]), "ae", (False, False)),
    (mw.Grammar.sequence([A, EOT, mw.Grammar.repeat(B)]), "ae", (True, False)),
    (mw.Grammar.sequence([A, EOT, mw.Grammar.repeat(B)]), "aeb", (True, False)),
    (mw.Grammar.repeat(mw.Grammar.sequence([A, EOT]), minimum=1), "ae", (True, False)),
    (mw.Grammar.repeat(mw.Grammar.sequence([A, EOT]), minimum=1), "aea", (False, False)),
    (mw.Grammar.repeat(mw.Grammar.sequence([A, EOT]), minimum=1), "aeae", (True, False)),
    (mw.Grammar.repeat(mw.Grammar.sequence([A, EOT]), minimum=1), "aee", (True, True)),
    (mw.Grammar.repeat(mw.Grammar.sequence([A, EOT]), minimum=1, maximum=2), "aeae", (True, True)),
]


@pytest.mark.parametrize(("grammar", "written", "expected"), TURNS)
def test_a_stop_token_that_is_named_ends_the_text_where_nothing_can_follow_it(
    grammar: mw.Grammar,
    written: str,
    expected: tuple[bool, bool],
    byte_vocabulary: mw.Vocabulary,
    settings: mw.Settings,
) -> None:
    """Of what is written, `e` is that token."""
    stops = set(byte_vocabulary.stop_ids)
    named = byte_vocabulary.special_tokens["<eot>"]
    matcher = compiled(byte_vocabulary, grammar, settings).matcher()
    tokens = [named if character == "e" else ord(character) for character in written]
    assert matcher.accept_tokens(tokens) == len(tokens)
    assert state(matcher) == expected
    is_complete, is_finished = expected
    assert (stops <= set(matcher.allowed_tokens())) == (is_complete and not is_finished)
    assert (matcher.allowed_tokens() == []) == is_finished


def test_an_empty_text_can_be_complete(byte_vocabulary: mw.Vocabulary, settings: mw.Settings) -> None:
    matcher = compiled(byte_vocabulary, mw.Grammar.regex(""), settings).matcher()
    assert matcher.is_complete
    assert matcher.allowed_tokens() == list(byte_vocabulary.stop_ids)


def test_special_tokens_are_not_the_characters_of_their_names(
    byte_vocabulary: mw.Vocabulary, settings: mw.Settings
) -> None:
    tool = byte_vocabulary.special_tokens["<tool>"]
    exact = compiled(byte_vocabulary, mw.Grammar.gbnf('root ::= <tool> "x"'), settings).matcher()
    assert exact.allowed_tokens() == [tool]
    assert not exact.accept_bytes(b"<tool>")
    assert exact.accept(tool)
    typed = compiled(byte_vocabulary, mw.Grammar.choice(["<tool>x"]), settings).matcher()
    assert tool not in typed.allowed_tokens()
    assert not typed.accept(tool)
    assert typed.accept_bytes(b"<tool>x")


def test_negated_exact_tokens_leave_out_stop_tokens(
    byte_vocabulary: mw.Vocabulary, settings: mw.Settings
) -> None:
    grammar = mw.Grammar.gbnf("root ::= (!<tool>)* <tool>")
    matcher = compiled(byte_vocabulary, grammar, settings).matcher()
    stops = set(byte_vocabulary.stop_ids)
    assert set(matcher.allowed_tokens()) == set(range(byte_vocabulary.token_count)) - stops
    assert matcher.accept(byte_vocabulary.special_tokens["<tool>"])
    assert matcher.allowed_tokens() == sorted(stops)


def test_ids_past_the_last_token_are_never_allowed(byte_vocabulary: mw.Vocabulary) -> None:
    matcher = compiled(byte_vocabulary, mw.Grammar.regex("(?s).*")).matcher()
    assert max(matcher.allowed_tokens()) < byte_vocabulary.token_count < byte_vocabulary.size
    assert not matcher.accept(byte_vocabulary.size - 1)


@pytest.mark.parametrize("token", [-1, 10**6, 2**63, -(2**80)])
def test_a_token_id_outside_the_vocabulary_is_an_error(byte_vocabulary: mw.Vocabulary, token: int) -> None:
    matcher = compiled(byte_vocabulary, mw.Grammar.regex("a*")).matcher()
    for use in (
        matcher.accept,
        lambda token: matcher.accept_tokens([97, token]),
        lambda t: matcher.validate([t]),
    ):
        with pytest.raises(mw.TokenIdError, match="outside the vocabulary") as caught:
            use(token)
        assert (caught.value.token_id, caught.value.size) == (token, byte_vocabulary.size)
    assert matcher.step_count == 0


def test_token_ids_may_be_numpy_integers(byte_vocabulary: mw.Vocabulary) -> None:
    matcher = compiled(byte_vocabulary, mw.Grammar.regex("abc")).matcher()
    assert matcher.accept(np.int64(97))
    assert matcher.accept_tokens(np.array([98, 99], dtype=np.int32)) == 2
    with pytest.raises(TypeError):
        matcher.accept("a")  # type: ignore[arg-type]


def test_validate_counts_and_changes_nothing(byte_vocabulary: mw.Vocabulary) -> None:
    matcher = compiled(byte_vocabulary, mw.Grammar.regex("abc")).matcher()
    end = byte_vocabulary.stop_ids[0]
    assert matcher.validate([97, 98, 98]) == 2
    assert matcher.validate([97, 98, 99, end, 97]) == 4
    assert matcher.step_count == 0
    assert matcher.accept_tokens([97, 98, 98, 99]) == 2
    assert matcher.step_count == 2


def test_rollback_of_more_than_there_is_is_an_error(byte_vocabulary: mw.Vocabulary) -> None:
    matcher = compiled(byte_vocabulary, mw.Grammar.regex("a*")).matcher()
    matcher.accept(97)
    for number in (2, 10**30):
        with pytest.raises(mw.MatcherStateError, match=r"^cannot roll back so many steps: only 1 have"):
            matcher.rollback(number)
    for number in (-1, -(10**30)):
        with pytest.raises(mw.ArgumentError, match=f"the number of steps must be 0 or more, not {number}$"):
            matcher.rollback(number)
    with pytest.raises(mw.ArgumentError, match=r"must be 0 or more, not less than -\d+$"):
        matcher.rollback(-(10**5000))  # more digits than Python writes
    assert matcher.step_count == 1
    matcher.rollback(0)
    assert matcher.step_count == 1


@pytest.mark.parametrize("fork", [mw.Matcher.fork, copy.copy, copy.deepcopy])
def test_a_fork_goes_its_own_way(byte_vocabulary: mw.Vocabulary, fork: object) -> None:
    matcher = compiled(byte_vocabulary, mw.Grammar.choice(["aab", "ac"])).matcher()
    matcher.accept(97)
    other = fork(matcher)  # type: ignore[operator]
    assert other.accept_bytes(b"c")
    assert other.is_complete
    assert matcher.accept_bytes(b"ab")
    other.rollback(2)
    assert (matcher.step_count, other.step_count) == (2, 0)


def test_bytes_are_accepted_whole_or_not_at_all(byte_vocabulary: mw.Vocabulary) -> None:
    matcher = compiled(byte_vocabulary, mw.Grammar.regex("日本語")).matcher()
    assert not matcher.accept_bytes("日本x".encode())
    assert matcher.accept_bytes("日本".encode()[:4])
    assert matcher.accept_bytes("日本".encode()[4:])
    matcher.rollback(1)
    assert matcher.allowed_bytes() == bytes(["本".encode()[1]])
    matcher.reset()
    assert matcher.step_count == 0


def test_forced_text_ends_where_there_is_a_choice(
    byte_vocabulary: mw.Vocabulary, settings: mw.Settings
) -> None:
    matcher = compiled(byte_vocabulary, mw.Grammar.choice(["listed", "listened"]), settings).matcher()
    assert matcher.forced_bytes() == b"liste"
    assert matcher.forced_bytes(2) == b"li"
    assert matcher.forced_bytes(0) == b""
    assert matcher.forced_bytes(10**30) == b"liste"
    for forced in (matcher.forced_bytes, matcher.forced_tokens):
        with pytest.raises(mw.ArgumentError, match="in limit must be 0 or more, not -1"):
            forced(-1)
    # "list" is forced as text, but whether the token is "list" or "listen" is not.
    assert matcher.forced_tokens() == []
    assert matcher.accept_bytes(b"listen")
    assert matcher.forced_tokens() == [byte_vocabulary_id(byte_vocabulary, b"ed")]


def byte_vocabulary_id(vocabulary: mw.Vocabulary, text: bytes) -> int:
    return next(i for i in range(vocabulary.token_count) if vocabulary.token_bytes(i) == text)


def test_a_single_exact_token_is_forced(byte_vocabulary: mw.Vocabulary) -> None:
    matcher = compiled(byte_vocabulary, mw.Grammar.gbnf('root ::= "ab" <tool> [0-9]')).matcher()
    assert matcher.forced_bytes() == b"ab"
    tool = byte_vocabulary.special_tokens["<tool>"]
    assert matcher.forced_tokens() == [byte_vocabulary_id(byte_vocabulary, b"ab"), tool]


def test_expected_names_what_may_come(byte_vocabulary: mw.Vocabulary) -> None:
    grammar = mw.Grammar.gbnf('root ::= "yes" | number | <tool>\nnumber ::= [0-9] number | [0-9]')
    matcher = compiled(byte_vocabulary, grammar).matcher()
    assert matcher.expected() == ['"yes"', "number", "the token <tool>"]
    matcher.accept_bytes(b"yes")
    assert matcher.expected() == ["end of text"]


@pytest.mark.parametrize(
    ("forbidden", "told"),
    [
        (["</think>"], 'text without "</think>"'),
        (["a", "b"], 'text without "a" or "b"'),
        (
            [f"{number}x" for number in range(10)],
            "text without " + " or ".join([f'"{number}x"' for number in range(8)] + ["2 other strings"]),
        ),
    ],
)
def test_strings_that_are_forbidden_are_named(
    byte_vocabulary: mw.Vocabulary, forbidden: list[str], told: str
) -> None:
    grammar = mw.Grammar.regex(r"(?s).*", forbidden=forbidden)
    matcher = compiled(byte_vocabulary, grammar).matcher()
    for text in [b"", b"<", b"/"]:
        assert matcher.accept_bytes(text)
        assert matcher.expected() == ["end of text", told]


def test_a_value_is_told_by_its_place_also_where_other_schemas_are_equal(
    byte_vocabulary: mw.Vocabulary,
) -> None:
    text, texts = {"type": "string"}, {"type": "array", "items": {"type": "string"}}
    schema = {"type": "object", "properties": {"a": text, "b": text, "c": texts, "d": texts}}
    matcher = compiled(byte_vocabulary, mw.Grammar.json_schema(schema, order="any")).matcher()
    for written, place in [
        ('{"b": ', "#/properties/b"),
        ('"", "a": ', "#/properties/a"),
        ('"", "d": ', "#/properties/d"),
        ("[", "#/properties/d/items"),
        ('], "c": ', "#/properties/c"),
        ("[", "#/properties/c/items"),
    ]:
        assert matcher.accept_bytes(written.encode())
        values = [item for item in matcher.expected() if item.startswith("a value for ")]
        told = [place for item in values for place in re.split(", | or ", item.removeprefix("a value for "))]
        assert place in told, values


def test_many_equal_schemas_are_counted(byte_vocabulary: mw.Vocabulary) -> None:
    keys = [f"key{number}" for number in range(9)]
    properties = {key: {"type": "string", "minLength": 1} for key in keys}
    schema = {"type": "object", "properties": properties, "required": keys}
    grammar = mw.Grammar.json_schema(schema, order="declared", whitespace=mw.Whitespace.compact())
    matcher = compiled(byte_vocabulary, grammar).matcher()
    matcher.accept_bytes(b"{" + b",".join(b'"%s":"a"' % key.encode() for key in keys[:-1]) + b',"key8":')
    places = ", ".join(f"#/properties/{key}" for key in keys[:5])
    assert matcher.expected() == [f"a value for {places} or 4 more equal schemas"]


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"type": "integer"}, "-17"),
        ({"type": "integer", "minimum": 3}, "17"),
        ({"multipleOf": 7, "type": "integer"}, "21"),
        ({"type": "number", "not": {"type": "integer"}}, "1.5"),
        ({"enum": ["a", "b", 7]}, '"a"'),
        ({"type": "string", "pattern": "^a+$"}, '"aa"'),
        (
            {"type": "object", "properties": {"a": {"type": "null"}}, "additionalProperties": False},
            '{"a":null}',
        ),
    ],
)
def test_something_is_expected_wherever_something_is_allowed(
    byte_vocabulary: mw.Vocabulary, schema: dict[str, object], text: str
) -> None:
    """And for a number, each of the bytes that are allowed."""
    matcher = compiled(byte_vocabulary, mw.Grammar.json_schema(schema)).matcher()
    for at in range(len(text) + 1):
        expected = matcher.expected()
        assert (matcher.is_complete, bool(matcher.allowed_bytes())) == (
            "end of text" in expected,
            bool([item for item in expected if item != "end of text"]),
        ), (text[:at], expected)
        if schema.get("type") in ("integer", "number"):
            digits = [byte for byte in matcher.allowed_bytes() if chr(byte).isdigit()]
            assert not digits or any("0" in item or "[1-9]" in item for item in expected), expected
        if at < len(text):
            assert matcher.accept_bytes(text[at].encode())


def test_a_failed_step_changes_nothing(byte_vocabulary: mw.Vocabulary) -> None:
    budget = mw.Budget(states=20)
    matcher = mw.Compiler(byte_vocabulary, budget=budget).compile(mw.Grammar.regex("[ab]{500}")).matcher()
    with pytest.raises(mw.BudgetExceededError, match=r"Budget\(states=") as caught:
        matcher.accept_bytes(b"ab" * 100)
    assert (caught.value.budget, caught.value.limit) == ("states", 20)
    assert matcher.step_count == 0
    assert matcher.accept_bytes(b"ab")


def test_a_step_that_takes_too_long_is_an_error(byte_vocabulary: mw.Vocabulary) -> None:
    budget = mw.Budget(step_time=timedelta(microseconds=1))
    matcher = (
        mw.Compiler(byte_vocabulary, budget=budget).compile(mw.Grammar.regex("([a-z]+,)*[0-9]+")).matcher()
    )
    with pytest.raises(mw.BudgetExceededError, match="of 1µs is used up by one step") as caught:
        matcher.fill_mask(mw.allocate_mask(1, byte_vocabulary.size))
    assert (caught.value.budget, caught.value.limit) == ("step_time", budget.step_time)


@pytest.mark.parametrize("forced", [mw.Matcher.forced_bytes, mw.Matcher.forced_tokens])
def test_forced_text_takes_the_time_of_a_step_at_most(
    byte_vocabulary: mw.Vocabulary, forced: Callable[[mw.Matcher], object]
) -> None:
    """Each byte is soon read, and there are four thousand."""
    budget = mw.Budget(step_time=timedelta(microseconds=200))
    grammar = mw.Grammar.regex("a{5000}")
    matcher = mw.Compiler(byte_vocabulary, budget=budget).compile(grammar).matcher()
    with pytest.raises(mw.BudgetExceededError, match="used up by one step"):
        forced(matcher)
    assert matcher.accept_bytes(b"a")


def test_constraints_are_shared_between_threads(byte_vocabulary: mw.Vocabulary) -> None:
    constraint = compiled(byte_vocabulary, mw.Grammar.regex(r"([a-c]{1,5},)*[0-9]+"))
    alone = walk(constraint)
    results: list[list[list[int]]] = []

    def work() -> None:
        results.append(walk(constraint))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [alone] * 4


def walk(constraint: mw.Constraint) -> list[list[int]]:
    matcher = constraint.matcher()
    masks = []
    for byte in b"abc,ab,1234":
        masks.append(matcher.allowed_tokens())
        assert matcher.accept(byte)
    return masks


def test_statistics_show_that_a_warm_constraint_walks_no_more(byte_vocabulary: mw.Vocabulary) -> None:
    constraint = compiled(byte_vocabulary, mw.Grammar.regex(r"([a-c]{1,5},)*[0-9]+"))
    first = walk(constraint)
    before = constraint.statistics()
    assert walk(constraint) == first
    assert constraint.statistics() == before
    assert before.walks > 0
    assert before.cache_bytes > 0


def test_a_small_cache_starts_afresh_and_gives_the_same_masks(byte_vocabulary: mw.Vocabulary) -> None:
    grammar = mw.Grammar.regex(r"([a-c]{1,5},)*[0-9]+")
    alone = mw.Settings(pool=False)
    budget = mw.Budget(cache_bytes=1)
    small = mw.Compiler(byte_vocabulary, budget=budget).compile(grammar, settings=alone)
    large = compiled(byte_vocabulary, grammar)
    assert walk(small) == walk(large)
    walk(small)
    assert small.statistics().walks > large.statistics().walks
    assert small.statistics().cache_bytes < 3000


def test_repr_says_where_the_matcher_stands(byte_vocabulary: mw.Vocabulary) -> None:
    matcher = compiled(byte_vocabulary, mw.Grammar.regex("a")).matcher()
    assert repr(matcher) == "<maskwright.Matcher: 0 steps, incomplete>"
    matcher.accept(97)
    assert repr(matcher) == "<maskwright.Matcher: 1 step, complete>"


@pytest.mark.parametrize("closing", ["[é]", "[éê]", '"é"', '("é" | "x")'])
@pytest.mark.parametrize("most", [1, 2, 3, 9])
def test_a_token_may_hold_the_end_of_a_text_that_reads_the_same_character(closing: str, most: int) -> None:
    token = "béa".encode()
    vocabulary = mw.Vocabulary.from_tokens(
        [*(bytes([byte]) for byte in range(256)), token, None], stop_ids=[257]
    )
    grammar = mw.Grammar.gbnf(f'root ::= text {closing} [ab]\ntext ::= [^"]{{0,{most}}}')
    matcher = mw.Compiler(vocabulary).compile(grammar).matcher()
    assert 256 in matcher.allowed_tokens()
    assert matcher.accept(256)
    assert matcher.is_complete


@pytest.mark.parametrize(
    "loop",
    [
        'root ::= (root | root{2,} | x)+\nx ::= "b"',
        'root ::= (a | b)+\na ::= (root | a{2,} | b)+\nb ::= "b"',
        'root ::= (a? (root | t)+ | b? (root | t)+ | t)*\na ::= "<a>"\nb ::= "<b>"\nt ::= [^<]+',
        'root ::= (l | w)+\nl ::= (root{2,} "x" | w)+\nw ::= [a-z]+',
        'root ::= (item | root)*\nitem ::= text | "<" root ">"\ntext ::= char+\nchar ::= [^<>] | "&" [a-z]+',
    ],
)
def test_loops_of_loops_take_little_and_mean_what_they_did(loop: str, byte_vocabulary: mw.Vocabulary) -> None:
    budget = mw.Budget(expressions=3000, states=3000)
    compiled = mw.Compiler(byte_vocabulary, budget=budget).compile(mw.Grammar.gbnf(loop))
    matcher = compiled.matcher()
    for text in ("b", "bb", "<a>b", "<b>bb", "bx", "x&b;"):
        fresh = compiled.matcher()
        for byte in text.encode():
            is_allowed = byte in fresh.allowed_tokens()
            assert fresh.accept(byte) == is_allowed
    assert matcher.accept_bytes(b"b")
    assert matcher.is_complete
