"""Grammars through the public interface: errors that say what, where and how to mend it."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import maskwright as mw


def test_a_malformed_pattern_says_where(byte_vocabulary: mw.Vocabulary) -> None:
    with pytest.raises(mw.GrammarSyntaxError) as caught:
        mw.Grammar.regex("abc\n(de")
    error = caught.value
    assert (error.line, error.column) == (2, 4)
    assert error.found == "end of input"
    assert error.expected == "`)` to close the group opened at line 2, column 1"
    assert str(error).startswith("line 2, column 4: found end of input, expected")


def test_a_malformed_grammar_says_where() -> None:
    with pytest.raises(mw.GrammarSyntaxError) as caught:
        mw.Grammar.gbnf('root ::= "a" value\nvalu ::= [0-9]')
    error = caught.value
    assert (error.line, error.column, error.found) == (1, 14, "`value`")
    assert "valu" in str(error)


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("lark", "planned, and cannot be read yet; write it as GBNF for Grammar.gbnf"),
        ("from_lark", "planned, and cannot be read yet"),
        ("from_ebnf", "Grammar.gbnf reads"),
        ("from_json_schema", "Grammar.json_schema takes"),
        ("from_regex", "Grammar.regex reads"),
        ("select", "Grammar.choice takes"),
    ],
)
def test_a_name_of_other_packages_is_told_what_there_is_instead(name: str, instead: str) -> None:
    assert not hasattr(mw.Grammar, name)
    assert name not in dir(mw.Grammar)
    with pytest.raises(AttributeError, match=re.escape(instead)) as caught:
        getattr(mw.Grammar, name)
    assert (caught.value.name, caught.value.obj) == (name, mw.Grammar)


def test_any_other_name_that_is_not_there_is_told_as_ever() -> None:
    with pytest.raises(AttributeError, match=r"^type object 'Grammar' has no attribute 'nonsense'$"):
        mw.Grammar.nonsense  # type: ignore[attr-defined]  # noqa: B018 - asking is what is tested


def test_what_cannot_be_enforced_is_refused_by_name_and_place() -> None:
    with pytest.raises(mw.UnsupportedFeatureError) as caught:
        mw.Grammar.regex(r"(\w)\1")
    assert caught.value.feature == "a backreference"
    assert caught.value.location == "line 1, column 5"


def test_a_hundred_thousand_parentheses_are_a_typed_error() -> None:
    nested = "(" * 100_000 + "[a]" + ")" * 100_000
    with pytest.raises(mw.BudgetExceededError) as caught:
        mw.Grammar.regex(nested)
    assert caught.value.budget == "nesting"
    with pytest.raises(mw.BudgetExceededError) as caught:
        mw.Grammar.gbnf(f"root ::= {nested}")
    assert caught.value.budget == "nesting"


NESTED: dict[str, Callable[[int], str]] = {
    "groups": lambda depth: "(" * depth + "a" + ")" * depth,
    "options": lambda depth: "(?:a" * depth + ")?" * depth,
    "repetitions": lambda depth: "(?:" * depth + "ab?" + ")*" * depth,
    "look-ahead": lambda depth: "(?=" * depth + "a" + ")" * depth + "a",
}


@pytest.mark.parametrize("kind", NESTED)
def test_no_stack_is_used_up_by_the_deepest_nesting(byte_vocabulary: mw.Vocabulary, kind: str) -> None:
    """In threads of the package, too, whose stacks are smaller. A fault here ends the process."""
    budget = mw.Budget(nesting=1000)
    grammar = mw.Grammar.regex(NESTED[kind](990), budget=budget)
    compiler = mw.Compiler(byte_vocabulary, budget=budget)
    constraint = compiler.compile(grammar, warm=3)
    assert constraint.warming is not None
    assert constraint.warming.wait(20)
    matchers = [compiler.compile(grammar).matcher() for _ in range(2)]
    mw.fill_masks(matchers, mw.allocate_mask(2, byte_vocabulary.size), threads=2)
    for matcher in matchers:
        assert ord("a") in matcher.allowed_tokens()
        assert matcher.accept(ord("a"))


SMALL = mw.Budget(grammar_bytes=10)


@pytest.mark.parametrize(
    "read",
    [
        partial(mw.Grammar.regex, "a" * 11, budget=SMALL),
        partial(mw.Grammar.gbnf, 'root ::= "a"', budget=SMALL),
        partial(mw.Grammar.choice, ["abcdef", "ghijkl"], budget=SMALL),
    ],
)
def test_a_grammar_longer_than_its_budget_is_a_typed_error(read: Callable[[], mw.Grammar]) -> None:
    with pytest.raises(mw.BudgetExceededError) as caught:
        read()
    assert (caught.value.budget, caught.value.limit) == ("grammar_bytes", 10)


def test_a_grammar_that_no_text_satisfies_is_a_typed_error(byte_vocabulary: mw.Vocabulary) -> None:
    compiler = mw.Compiler(byte_vocabulary)
    for grammar in (mw.Grammar.regex("a(?=b)"), mw.Grammar.gbnf('root ::= "a" root')):
        with pytest.raises(mw.EmptyGrammarError, match="no text satisfies"):
            compiler.compile(grammar)


UNDEFINED: list[tuple[str, str, tuple[int, int, str, str]]] = [
    (
        'root ::= "a" item\nitems ::= "b"',
        "line 1, column 14: the rule `item`, used in the rule `root`, is not defined; did you mean `items`?",
        (1, 14, "`item`", "the name of a rule that is defined"),
    ),
    (
        'root ::= a\na ::= "b" yes',
        "line 2, column 11: the rule `yes`, used in the rule `a`, is not defined; define it by `name ::=",
        (2, 11, "`yes`", "the name of a rule that is defined"),
    ),
    (
        'start ::= "a"',
        "line 1, column 14: the rule `root`, which the text must match, is not defined; define it, or say",
        (1, 14, "end of input", "a rule called `root`"),
    ),
]


@pytest.mark.parametrize(("text", "message", "facts"), UNDEFINED)
def test_a_rule_that_is_not_defined_is_told_with_where_it_is_used(
    text: str, message: str, facts: tuple[int, int, str, str]
) -> None:
    with pytest.raises(mw.GrammarSyntaxError, match=f"^{re.escape(message)}") as caught:
        mw.Grammar.gbnf(text)
    error = caught.value
    assert (error.line, error.column, error.found, error.expected) == facts


EMPTY: list[tuple[Callable[[], mw.Grammar], str]] = [
    (
        lambda: mw.Grammar.choice(["ac", "c"]),
        "the vocabulary cannot spell what the rule `choice` matches, since",
    ),
    (lambda: "a" + mw.Grammar.regex("[c-e]"), "the vocabulary cannot spell what the rule `sequence` matches"),
    (
        lambda: mw.Grammar.regex("(?=a)b"),
        "the rule `pattern` matches none, whatever bytes tokens have: what it",
    ),
    (
        lambda: mw.Grammar.gbnf('root ::= "a" root'),
        "the rule `root` matches none, whatever bytes tokens have",
    ),
    (
        lambda: mw.Grammar.any_token(except_=[0, 1]),
        "the vocabulary has no token for what the rule `any token` matches, since",
    ),
    (
        lambda: mw.Grammar.any_token(except_=[0, 1]) + "c",
        "the vocabulary has no token for what the rule `sequence` matches",
    ),
    (
        lambda: mw.Grammar.any_token(except_=[0, 1]) + mw.Grammar.regex("(?=a)b"),
        "the rule `sequence` matches none, whatever bytes tokens have",
    ),
    (lambda: mw.Grammar.json_schema(False), "no JSON value satisfies the schema: # is `false`"),
]


@pytest.mark.parametrize(("make", "message"), EMPTY)
def test_an_empty_grammar_says_what_is_at_fault(make: Callable[[], mw.Grammar], message: str) -> None:
    compiler = mw.Compiler(mw.Vocabulary.from_tokens([b"a", b"b", None], stop_ids=[2]))
    with pytest.raises(mw.EmptyGrammarError, match=f"^no text satisfies the grammar: {re.escape(message)}"):
        compiler.compile(make())


def test_text_that_the_vocabulary_cannot_spell_is_no_way_on() -> None:
    vocabulary = mw.Vocabulary.from_tokens([b"a", b"b", None], stop_ids=[2])
    compiler = mw.Compiler(vocabulary)
    assert compiler.compile(mw.Grammar.choice(["ab", "ac"])).matcher().forced_bytes() == b"ab"
    with pytest.raises(mw.EmptyGrammarError):
        compiler.compile(mw.Grammar.choice(["ac"]))


def test_a_token_that_the_vocabulary_lacks_is_a_typed_error(byte_vocabulary: mw.Vocabulary) -> None:
    compiler = mw.Compiler(byte_vocabulary)
    with pytest.raises(mw.GrammarError, match="<nothing>"):
        compiler.compile(mw.Grammar.gbnf("root ::= <nothing>"))
    with pytest.raises(mw.GrammarError, match="token id 999999"):
        compiler.compile(mw.Grammar.gbnf("root ::= <[999999]>"))


def test_an_undecidably_large_intersection_is_a_typed_error(byte_vocabulary: mw.Vocabulary) -> None:
    compiler = mw.Compiler(byte_vocabulary, budget=mw.Budget(emptiness=50))
    with pytest.raises(mw.BudgetExceededError) as caught:
        compiler.compile(mw.Grammar.regex(r"(?=(?:[ab]{70})*c)(?=[ab](?:[ab]{70})*c).*"))
    assert caught.value.budget == "emptiness"


@pytest.mark.parametrize("others", [[], ["none"]], ids=["alone", "within another grammar"])
def test_steps_are_within_the_budget_of_the_compiler(
    byte_vocabulary: mw.Vocabulary, others: list[str]
) -> None:
    """Not within that of the schema, which bounds what the schema itself makes of work."""
    schema = {
        "type": "number",
        "minimum": -4000,
        "maximum": 400_000,
        "multipleOf": 33,
        "not": {"multipleOf": 96},
    }
    grammar = mw.Grammar.any_of([mw.Grammar.json_schema(schema), *others])
    compiler = mw.Compiler(byte_vocabulary, budget=mw.Budget(emptiness=30))
    matcher = compiler.compile(grammar).matcher()
    assert matcher.accept_bytes(b"3")
    with pytest.raises(mw.BudgetExceededError) as caught:
        matcher.allowed_bytes()
    assert (caught.value.budget, caught.value.limit) == ("emptiness", 30)


def test_choices_are_several_strings() -> None:
    with pytest.raises(TypeError, match="not one str"):
        mw.Grammar.choice("abc")
    with pytest.raises(mw.GrammarError):
        mw.Grammar.choice([])


HALF = "\ud800"
"""Half of a surrogate pair: a Python string may hold it, but no text does."""


@pytest.mark.parametrize(
    ("at", "make"),
    [
        (1, partial(mw.Grammar.regex, "a" + HALF)),
        (10, partial(mw.Grammar.gbnf, f'root ::= "{HALF}"')),
        (0, partial(mw.Grammar.gbnf, 'root ::= "a"', root=HALF)),
        (0, partial(mw.Grammar.choice, ["a", HALF])),
        (2, partial(mw.Grammar.text, "ab" + HALF)),
        (0, partial(mw.Grammar.token, HALF)),
        (0, partial(mw.Grammar.token, HALF, also_text=True)),
        (0, partial(mw.Grammar.any_token, except_=[HALF])),
        (0, partial(mw.Grammar.sequence, ["a", HALF])),
        (0, partial(mw.Grammar.any_of, ["a", HALF])),
        (0, partial(mw.Grammar.repeat, HALF)),
        (0, partial(mw.Grammar.repeat, "a", separator=HALF)),
        (0, partial(mw.Grammar.any_order, [mw.Member(HALF)])),
        (0, partial(mw.Grammar.any_order, [], separator=HALF)),
        (0, partial(mw.Grammar.free_text, tags=[mw.Tag(HALF, "a")])),
        (0, partial(mw.Grammar.free_text, tags=[mw.Tag("a", HALF)])),
        (0, partial(mw.Grammar.free_text, stops=[HALF])),
        (0, partial(mw.Grammar.free_text, forbidden=[HALF])),
        (0, partial(mw.Grammar.regex, "a", forbidden=[HALF])),
        (0, lambda: mw.Grammar.text("a") + HALF),
        (0, lambda: HALF | mw.Grammar.text("a")),
        (0, partial(mw.Grammar.json_schema, {}, formats={HALF: "a"})),
        (0, partial(mw.Grammar.json_schema, {}, formats={"a": HALF})),
        (0, partial(mw.Grammar.json_schema, {}, documents={HALF: {}})),
        (0, partial(mw.Grammar.json_schema, {}, approximate={HALF})),
    ],
)
def test_half_of_a_surrogate_pair_is_a_typed_error(at: int, make: Callable[[], object]) -> None:
    with pytest.raises(mw.GrammarError, match=f"has a lone surrogate at position {at}, which is no text"):
        make()


@pytest.mark.parametrize("document", [True, {}, "{}"])
def test_a_document_whose_uri_has_a_fragment_is_refused(document: Any) -> None:
    """A reference with one means a place within the document that has the URI without."""
    uri = "http://example.org/y#part"
    with pytest.raises(
        mw.SchemaError, match=r"has the fragment #part.* within 'http://example\.org/y'"
    ) as caught:
        mw.Grammar.json_schema({}, documents={uri: document})
    assert caught.value.location == uri
    mw.Grammar.json_schema({"$ref": "urn:x"}, documents={"urn:x#": document})  # an empty one says nothing


@pytest.mark.parametrize(
    ("schema", "shown"),
    [
        (list[int], '{"type":"array","items":{"type":"integer"}}'),
        (type(None), '{"type":"null"}'),
        ('{ "$schema": "http://json-schema.org/draft-07/schema#" , "type": "null"}', '{"type": "null"}'),
        ({"type": "null", "$schema": "x"}, '{"type":"null","$schema":"x"}'),
        ('{"$schema":"http://json-schema.org/schema#"}', '{"$schema":"http://json-schema.org/schema#"}'),
    ],
    ids=str,
)
def test_a_schema_is_shown_without_the_dialect_that_all_have(schema: Any, shown: str) -> None:
    assert repr(mw.Grammar.json_schema(schema)) == f"<maskwright.Grammar: json_schema {shown!r}>"


def test_a_long_text_with_half_of_a_surrogate_pair_is_shown_in_part() -> None:
    with pytest.raises(mw.GrammarError) as caught:
        mw.Grammar.text("a" * 1000 + HALF + "b" * 1000)
    shown = r"...'" + "a" * 20 + r"\ud800" + "b" * 19 + "'..."
    assert str(caught.value) == (
        f"the text {shown} has a lone surrogate at position 1000, which is no text; leave it out"
    )


@pytest.mark.parametrize("value", [None, 5, b"a", ["a"]])
def test_what_is_no_text_is_refused_by_the_name_of_the_argument(value: Any) -> None:
    makers: dict[str, Callable[[Any], object]] = {
        "pattern": mw.Grammar.regex,
        "text": mw.Grammar.gbnf,
        "root": lambda root: mw.Grammar.gbnf('root ::= "a"', root=root),
        "each of choices": lambda choice: mw.Grammar.choice(["a", choice]),
        "value": mw.Grammar.text,
    }
    for name, make in makers.items():
        with pytest.raises(TypeError, match=f"^{name} is a str, not {type(value).__name__}"):
            make(value)


@pytest.mark.parametrize(
    ("value", "how"),
    [
        (b"a", "bytes become text by decode()"),
        (Path("a"), "give what is in the file, as by read_text()"),
        (re.compile("a"), "give its pattern, and its flags as arguments"),
    ],
    ids=str,
)
def test_what_may_become_a_text_is_told_how(value: Any, how: str) -> None:
    with pytest.raises(TypeError, match=rf"^pattern is a str, not \w+; {re.escape(how)}$"):
        mw.Grammar.regex(value)


@pytest.mark.parametrize("maximum", [100, 1_000_000])
def test_large_counters_cost_nothing_more(byte_vocabulary: mw.Vocabulary, maximum: int) -> None:
    constraint = mw.Compiler(byte_vocabulary).compile(mw.Grammar.regex(f"[a-z]{{0,{maximum}}}!"))
    matcher = constraint.matcher()
    for _ in range(60):
        matcher.allowed_tokens()
        assert matcher.accept(ord("q"))
    assert constraint.statistics().walks == 1


def test_options_given_in_turn_are_each_heeded(byte_vocabulary: mw.Vocabulary) -> None:
    """Options that come again are remembered; others in between are not taken for them."""
    deep = "(" * 40 + "a" + ")" * 40
    small, large = mw.Budget(nesting=20), mw.Budget(nesting=60)
    compiler = mw.Compiler(byte_vocabulary)
    layouts = {b"[1,1]": mw.Whitespace.named("compact"), b"[1, 1]": mw.Whitespace.named("spaced")}
    for _ in range(3):
        with pytest.raises(mw.BudgetExceededError, match="nesting"):
            mw.Grammar.regex(deep, budget=small)
        mw.Grammar.regex(deep, budget=large)
        for text, whitespace in layouts.items():
            grammar = mw.Grammar.json_schema({"const": [1, 1]}, whitespace=whitespace)
            for settings in (mw.Settings(), mw.Settings(stack_automaton=False)):
                constraint = compiler.compile(grammar, settings=settings)
                assert constraint.settings == settings
                matcher = constraint.matcher()
                assert matcher.accept_bytes(text)
                assert matcher.is_complete


@pytest.mark.parametrize(
    ("pattern", "text", "is_matched"),
    [
        (r"\B", "", True),
        ("(?i)i", "I", True),
        ("(?i)i", "İ", False),
        ("(?i)i", "\N{LATIN SMALL LETTER DOTLESS I}", False),
        ("(?i)İ", "i", False),
    ],
)
def test_what_is_read_otherwise_than_by_python(
    byte_vocabulary: mw.Vocabulary, pattern: str, text: str, is_matched: bool
) -> None:
    matcher = mw.Compiler(byte_vocabulary).compile(mw.Grammar.regex(pattern)).matcher()
    assert (matcher.accept_bytes(text.encode()) and matcher.is_complete) == is_matched


@pytest.mark.parametrize(
    ("grammar", "allowed"),
    [
        (mw.Grammar.token("a"), [0, 2]),
        (mw.Grammar.token(2), [2]),
        (mw.Grammar.token(0) | mw.Grammar.token(2), [0, 2]),
        (mw.Grammar.token("<a>"), [3]),
        (mw.Grammar.text("a"), [0, 2]),
        (mw.Grammar.token("a", also_text=True), [0, 2]),
        (mw.Grammar.any_token(except_=["a"]), [1, 3]),
        (mw.Grammar.any_token(except_=[0, 2]), [1, 3]),
    ],
    ids=repr,
)
def test_of_several_tokens_with_one_text_all_are_meant(grammar: mw.Grammar, allowed: list[int]) -> None:
    tokens = [b"a", b"b", b"a", b"<a>", None]
    vocabulary = mw.Vocabulary.from_tokens(tokens, stop_ids=[4], special_tokens={"<a>": 3})
    assert mw.Compiler(vocabulary).compile(grammar).matcher().allowed_tokens() == allowed


def test_the_path_of_a_grammar_in_place_of_its_text_is_pointed_out() -> None:
    with pytest.raises(mw.GrammarSyntaxError) as caught:
        mw.Grammar.gbnf("grammars/json.gbnf")
    assert caught.value.__notes__ == [
        "hint: no rule is in this; where it is the path of a file, give what is in the file"
    ]
    with pytest.raises(mw.GrammarSyntaxError) as caught:
        mw.Grammar.gbnf("root ::= (")
    assert not hasattr(caught.value, "__notes__")


def test_a_copy_of_a_grammar_is_the_grammar() -> None:
    grammar = mw.Grammar.any_of([mw.Grammar.regex("a"), "b"])
    assert copy.copy(grammar) is grammar
    assert copy.deepcopy({"grammar": grammar})["grammar"] is grammar


@pytest.mark.parametrize(
    "text", ['start: "a"', '?start: "a"', "start: WORD\n%import common.WORD", '%ignore " "']
)
def test_text_in_the_notation_of_lark_is_told_as_that(text: str) -> None:
    with pytest.raises(mw.GrammarSyntaxError, match="this looks like Lark, which cannot be read yet"):
        mw.Grammar.gbnf(text)
