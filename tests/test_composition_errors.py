"""What makes no composed grammar, and what is said of it."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

import pytest

import maskwright as mw
from maskwright import Grammar, Member, Tag

ANY_JSON = Grammar.json_schema({})
SMALL = mw.Budget(grammar_bytes=2)

ERRORS: list[tuple[Callable[[], object], type[Exception], str]] = [
    (lambda: Grammar.any_of([]), mw.GrammarError, "no grammars"),
    (lambda: Grammar.any_of("ab"), TypeError, "such as a list"),
    (lambda: Grammar.sequence([1]), TypeError, "^a part is a maskwright.Grammar or a str"),  # type: ignore[list-item]
    (lambda: Grammar.repeat(1), TypeError, "^grammar is a maskwright.Grammar or a str"),  # type: ignore[arg-type]
    (lambda: Grammar.repeat("a", separator=1), TypeError, "^separator is a maskwright.Grammar"),  # type: ignore[arg-type]
    (lambda: Grammar.any_order([], separator=1), TypeError, "^separator is a maskwright.Grammar"),  # type: ignore[arg-type]
    (lambda: Grammar.any_order([Member(1)]), TypeError, "^the grammar of a member is a mask"),  # type: ignore[arg-type]
    (lambda: Grammar.free_text(tags=[Tag("a", 1)]), TypeError, "^the content of a tag is a maskw"),  # type: ignore[arg-type]
    (lambda: Grammar.text(b"a"), TypeError, "not bytes"),  # type: ignore[arg-type]
    (lambda: Grammar.token(3, also_text=True), mw.GrammarError, "give its name"),
    (lambda: Grammar.token(-1), mw.GrammarError, "ids count from 0"),
    (lambda: Grammar.token(""), mw.GrammarError, "is empty"),
    (lambda: Grammar.any_token(except_="<a>"), TypeError, "except_ must be several"),
    (lambda: Grammar.repeat("a", minimum=3, maximum=2), mw.GrammarError, "at least 3 and at most 2"),
    (lambda: Grammar.repeat("a", minimum=-1), mw.GrammarError, "out of range"),
    (lambda: Grammar.repeat("a", maximum=1.5), TypeError, "not float"),  # type: ignore[arg-type]
    (
        lambda: Grammar.free_text(minimum=1),
        mw.GrammarError,
        "at least 1 call was asked for in .* without tags",
    ),
    (lambda: Grammar.free_text(minimum=2), mw.GrammarError, "at least 2 calls were asked for"),
    (lambda: Grammar.free_text(tags=[Tag("", "a")]), mw.GrammarError, "the begin of a tag is empty"),
    (lambda: Grammar.free_text(stops=[""]), mw.GrammarError, "a stop is empty"),
    (lambda: Grammar.free_text(forbidden=[""]), mw.GrammarError, "a forbidden text is empty"),
    (lambda: Grammar.regex("a", forbidden=[""]), mw.GrammarError, "a forbidden text is empty"),
    (lambda: Grammar.free_text(tags=["<c>"]), TypeError, "make a maskwright.Tag"),  # type: ignore[list-item]
    (lambda: Grammar.free_text(tags=[Tag(ANY_JSON, "a")]), TypeError, "made by Grammar.token"),
    (lambda: Grammar.free_text(tags=[Tag("a", "b")], forbidden=["a"]), mw.GrammarError, "forbidden, and yet"),
    (lambda: Grammar.free_text(forbidden=[ANY_JSON]), TypeError, "only text can be forbidden"),  # type: ignore[list-item]
    (lambda: Grammar.regex("a", forbidden=[1]), TypeError, "only text can be forbidden"),  # type: ignore[list-item]
    (lambda: Grammar.free_text(tags=[Tag("a", "b")], minimum=2, maximum=1), mw.GrammarError, "at least 2"),
    (lambda: Grammar.any_order(["a"]), TypeError, "make a maskwright.Member"),  # type: ignore[list-item]
    (lambda: ANY_JSON + 3, TypeError, "unsupported operand"),  # type: ignore[operator]
    (lambda: 3 | ANY_JSON, TypeError, "unsupported operand"),  # type: ignore[operator]
    (lambda: Grammar.text("abc", budget=SMALL), mw.BudgetExceededError, "grammar_bytes"),
    (lambda: Grammar.token("abc", budget=SMALL), mw.BudgetExceededError, "grammar_bytes"),
    (lambda: Grammar.token("abc", also_text=True, budget=SMALL), mw.BudgetExceededError, "grammar_bytes"),
    (lambda: Grammar.any_token(except_=["ab", "c"], budget=SMALL), mw.BudgetExceededError, "grammar_bytes"),
    (
        lambda: Grammar.sequence([ANY_JSON] * 3 + ["a" * 9], budget=mw.Budget(expressions=5)),
        mw.BudgetExceededError,
        "expressions",
    ),
]


@pytest.mark.parametrize(("make", "error", "message"), ERRORS)
def test_what_makes_no_grammar_says_why(
    make: Callable[[], object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        make()


@pytest.mark.parametrize(
    "grammars",
    [
        [],
        [["sequence", {"parts": [{"grammar": 0}]}]],
        [["sequence", {"parts": [{"grammar": -1}]}]],
        [["sequence", {"parts": [{"grammar": "0"}]}]],
        [["text", {"value": "a"}], ["sequence", {"parts": [{"grammar": 1}]}]],
        [["composition", {"grammars": []}]],
        [["nothing", {}]],
        ["text"],
        3,
    ],
)
def test_a_damaged_recipe_is_refused(grammars: object) -> None:
    with pytest.raises(mw.ArtifactError):
        Grammar._from_recipe("composition", {"grammars": grammars}, "damaged", itertools.repeat(mw.Budget()))


def test_grammars_nested_as_deep_as_can_be_are_to_nest_less() -> None:
    deepest = mw.Budget(nesting=1000)
    grammar = Grammar.regex("a")
    for _ in range(999):
        grammar = Grammar.repeat(grammar, minimum=2, budget=deepest)
    with pytest.raises(mw.BudgetExceededError, match=r"as great as it can be, so nest less deep$"):
        functools.reduce(lambda part, _: Grammar.repeat(part, budget=deepest), range(3), grammar)


UNTYPED: Any = Grammar
"""The class as one sees it whose editor checks no types."""


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: UNTYPED.any_of("a", "b"), "^Grammar.any_of takes one .*, not 2; give the parts as a list"),
        (lambda: UNTYPED.sequence("a", "b", "c"), "^Grammar.sequence takes one .*, not 3; give the parts"),
        (lambda: UNTYPED.any_order(Member("a"), Member("b")), "^Grammar.any_order .* members as a list"),
        (lambda: UNTYPED.repeat("a", 2), "^Grammar.repeat takes one .* by minimum= and maximum="),
        (lambda: UNTYPED.repeat("a", least=2), r"^Grammar.repeat\(\) got an unexpected .*'least'"),
        (lambda: UNTYPED.free_text(tag=[]), r"^Grammar.free_text\(\) got an unexpected .*'tag'"),
        (lambda: UNTYPED.free_text([]), r"^Grammar.free_text\(\) takes 1 positional"),
        (UNTYPED.sequence, r"^Grammar.sequence\(\) missing 1 required"),
    ],
)
def test_arguments_that_a_method_does_not_take(make: Callable[[], object], message: str) -> None:
    """The class that they are named by is the public one."""
    with pytest.raises(TypeError, match=message):
        make()
