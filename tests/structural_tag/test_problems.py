"""What is refused, and where."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import suppress
from datetime import timedelta
from random import Random
from typing import Any

import pytest

import maskwright as mw
from maskwright.structural_tag import LegacyStructure, TagFormat, TokenFormat

from .cases import ANY, BY_TOKEN, CASES, INTEGER, LEGACY, TRIGGERED, tag, text, token

WRONG: list[tuple[str, Any, list[tuple[str, str]]]] = [
    ("no object", [1], [("#", "a structural tag is an object, not a list")]),
    ("no object as JSON", "null", [("#", "not null")]),
    ("no object as a format", {"format": "any_text"}, [("#/format", "must be an object, found a string")]),
    (
        "nothing",
        {},
        [("#", 'the field `format` is missing. A structural tag is {"type": "structural_tag", "format"')],
    ),
    (
        "no format",
        {"type": "structural_tag"},
        [("#", "the field `format` is missing; there are `type`. A struct")],
    ),
    (
        "another field for the format",
        {"fromat": ANY},
        [("#", "`format` is missing; there are `fromat`. A struct")],
    ),
    (
        "a legacy tag without its structures",
        {"type": "structural_tag", "triggers": ["a"]},
        [("#", "`structures` is")],
    ),
    ("an unknown type", {"format": {"type": "text"}}, [("#/format/type", "no format of the type 'text'")]),
    ("a type that is no name", {"type": ["tag"]}, [("#/type", "no format of the type")]),
    (
        "another type at the top",
        {"type": "x", "format": ANY},
        [("#/type", "must be 'structural_tag', found 'x'")],
    ),
    ("a further field at the top", {"format": ANY, "name": "x"}, [("#/name", "has no field `name`")]),
    ("a missing field", {"type": "const_string"}, [("#", "the field `value` is missing")]),
    (
        "a further field",
        {**ANY, "max": 1},
        [("#/max", "`any_text` has no field `max`; it has `type`, `excludes`")],
    ),
    ("a wrong type", {"type": "const_string", "value": 1}, [("#/value", "must be a string, found a number")]),
    (
        "a number that is not written as a whole one",
        {**ANY, "max_chars": 3.0},
        [("#/max_chars", "must be a whole number, found 3.0")],
    ),
    (
        "a number of more digits than a float has",
        '{"type": "any_text", "max_chars": 1.00000000000000000000001}',
        [("#/max_chars", "must be a whole number, found 1.00000000000000000000001")],
    ),
    (
        "a whole number of more digits than an int is read of",
        f'{{"type": "any_text", "max_chars": {"9" * 5000}}}',
        [("#/max_chars", "must be a whole number, found a number of 5000 digits, too many for a whole nu")],
    ),
    (
        "such a number in place of a text",
        f'{{"type": "const_string", "value": -{"9" * 5000}}}',
        [("#/value", "must be a string, found a number of 5000 digits")],
    ),
    ("several wrong types", token(None), [("#/token", "must be a whole number or a string, found null")]),
    ("a truth value for an id", token(True), [("#/token", "found true")]),
    ("a negative id", token(-1), [("#/token", "must be at least 0, found -1")]),
    ("an id beyond all bounds", token(10**30), [("#/token", "must be at most")]),
    ("an empty name", token(""), [("#/token", "must not be empty")]),
    ("an empty list", {"type": "or", "elements": []}, [("#/elements", "must not be empty")]),
    ("an empty text to exclude", {**ANY, "excludes": ["a", ""]}, [("#/excludes/1", "must not be empty")]),
    ("something else than a list", {"type": "or", "elements": ANY}, [("#/elements", "must be a list")]),
    (
        "something else than a format",
        {"type": "or", "elements": [ANY, 1]},
        [("#/elements/1", "must be an object")],
    ),
    (
        "another format as a tag",
        {**TRIGGERED, "tags": [ANY]},
        [("#/tags/0/type", "must be `tag`, found 'any_text'")],
    ),
    (
        "a tag without its end",
        {**TRIGGERED, "tags": [{"begin": "<f=", "content": ANY}]},
        [("#/tags/0", "`end` is missing")],
    ),
    ("no end at all", tag("a", ANY, []), [("#/end", "must not be empty")]),
    ("a wrong end", tag("a", ANY, 1), [("#/end", "must be a string, a list or an object, found a number")]),
    ("a wrong end among others", tag("a", ANY, ["b", 1]), [("#/end/1", "must be a string")]),
    ("a token without a name", tag({"type": "token"}, ANY, "a"), [("#/begin", "`token` is missing")]),
    (
        "another format as an end",
        tag("a", ANY, ANY),
        [("#/end", "`token` is missing"), ("#/end/type", "must be 'token'")],
    ),
    ("no rules", {"type": "dispatch", "rules": []}, [("#/rules", "must not be empty")]),
    ("half a rule", {"type": "dispatch", "rules": [["a"]]}, [("#/rules/0", "must be a list of two")]),
    (
        "an empty rule",
        {"type": "dispatch", "rules": [[]]},
        [("#/rules/0", "must be a list of two, a pattern")],
    ),
    (
        "more than a rule",
        {"type": "dispatch", "rules": [["a", ANY, ANY]]},
        [("#/rules/0", "must be a list of two, a pattern and a format")],
    ),
    ("a rule that is none", {"type": "dispatch", "rules": ["a"]}, [("#/rules/0", "must be a list")]),
    ("an empty pattern", {"type": "dispatch", "rules": [["", ANY]]}, [("#/rules/0/0", "must not be empty")]),
    (
        "a format in a rule",
        {"type": "dispatch", "rules": [["a", {}]]},
        [("#/rules/0/1", "`type` is missing")],
    ),
    (
        "too few times",
        {"type": "repeat", "min": -1, "max": 2, "content": ANY},
        [("#/min", "must be at least 0")],
    ),
    (
        "more at least than at most",
        {"type": "repeat", "min": 3, "max": 2, "content": ANY},
        [("#/max", "must be -1 or at least `min`, which is 3; found 2")],
    ),
    (
        "a tag without a trigger",
        {"format": {**TRIGGERED, "triggers": ["<f=a", "<x"]}},
        [("#/format/tags/1/begin", "'<f=b>' begins with none of the triggers, '<f=a', '<x'")],
    ),
    (
        "a token in place of a trigger",
        {**TRIGGERED, "tags": [tag(token("<f="), ANY, "x")]},
        [("#/tags/0/begin", "must be a string")],
    ),
    (
        "a trigger in place of a token",
        {**BY_TOKEN, "tags": [tag("<tool>", ANY, "x")]},
        [("#/tags/0/begin", "must be a token")],
    ),
    (
        "a token that is no trigger",
        {**BY_TOKEN, "tags": [tag(token("<think>"), ANY, "x")]},
        [("#/tags/0/begin/token", "'<think>' is not among `trigger_tokens`")],
    ),
    (
        "a legacy tag without a trigger",
        {**LEGACY, "triggers": ["<g"]},
        [("#/structures/0/begin", "begins with none"), ("#/structures/1/begin", "begins with none")],
    ),
    (
        "a legacy tag without an end",
        {"structures": [{"begin": "a"}], "triggers": ["a"]},
        [("#/structures/0", "`end` is missing")],
    ),
    ("a lone surrogate", text("a\ud800"), [("#/value", "has a lone surrogate at position 1")]),
    (
        "a lone surrogate in the legacy form",
        {"structures": [{"begin": "a", "end": "\ud800"}], "triggers": ["a"]},
        [("#/structures/0/end", "has a lone surrogate")],
    ),
    (
        "a lone surrogate in a token",
        tag(token("\ud800"), ANY, ""),
        [("#/begin/token", "has a lone surrogate")],
    ),
    (
        "a lone surrogate in a rule",
        {"type": "dispatch", "rules": [["\ud800", ANY]]},
        [("#/rules/0/0", "lone")],
    ),
    ("a key that is no string", {**ANY, 1: 2}, [("#/1", "keys should be strings")]),
    (
        "a key with a lone surrogate",
        {**ANY, "\ud800": "a"},
        [("#", r"the key '\ud800' has a lone surrogate")],
    ),
    (
        "a key with a lone surrogate, and something wrong behind it",
        {**ANY, "\ud800": ["\ud800"]},
        [("#", r"the key '\ud800' has a lone surrogate")],
    ),
    (
        "a key with a lone surrogate in a token",
        tag({"token": 1, "\ud800": 1}, ANY, ""),
        [("#/begin", r"the key '\ud800' has a lone surrogate")],
    ),
    (
        "a key with a lone surrogate in a structure",
        {**LEGACY, "structures": [{"begin": "<g>", "end": "", "\ud800": 1}]},
        [("#/structures/0", r"the key '\ud800' has a lone surrogate")],
    ),
    (
        "a key with a lone surrogate in place of the format",
        {"\ud800": ANY},
        [("#", r"there are `'\ud800'`. A structural tag is")],
    ),
    (
        "a lone surrogate in a list",
        {**ANY, "excludes": ["a", "\udfff"]},
        [("#/excludes/1", "has a lone surrogate")],
    ),
    (
        "a schema",
        tag("a", {"type": "json_schema", "json_schema": {"properties": {"a": {"minimum": "x"}}}}, "b"),
        [("#/content/json_schema/properties/a/minimum", "`minimum` must be a number, found a string")],
    ),
    (
        "a schema in what OpenAI has around it",
        {"type": "json_schema", "json_schema": {"name": "a", "strict": True, "schema": {"type": "object"}}},
        [("#/json_schema/schema", "this is a part of OpenAI's response_format, and no schema")],
    ),
    (
        "a legacy schema",
        {**LEGACY, "structures": [{"begin": "<g>", "schema": {"type": "x"}, "end": ""}]},
        [("#/structures/0/schema/type", "x")],
    ),
    (
        "an unknown field of a structure",
        {**LEGACY, "structures": [{"begin": "<g>", "end": "", "x": 1}]},
        [("#/structures/0/x", "a structure has no field `x`; it has `begin`, `schema`, `end`")],
    ),
    (
        "an unknown field of a token",
        tag({"token": 1, "x": 1}, ANY, ""),
        [("#/begin/x", "`token` has no field `x`; it has `type`, `token`")],
    ),
    (
        "both names of a field",
        {"type": "any_tokens", "exclude_tokens": [1], "excludes": [2]},
        [("#/excludes", "`excludes` is another name of `exclude_tokens`; leave one of the two out")],
    ),
    (
        "both names of a field of a structure",
        {**LEGACY, "structures": [{"begin": "<g>", "end": "", "schema": {}, "json_schema": {}}]},
        [("#/structures/0/json_schema", "`json_schema` is another name of `schema`")],
    ),
    ("a regular expression", {"type": "regex", "pattern": "(a"}, [("#/pattern", "line 1, column 3")]),
    (
        "a regular expression beside excluded texts",
        {"type": "regex", "pattern": "(a", "excludes": ["b"]},
        [("#/pattern", "line 1, column 3")],
    ),
    ("a grammar", {"type": "grammar", "grammar": "root ::= x"}, [("#/grammar", "x")]),
    ("a syntax", {"type": "grammar", "grammar": "x", "syntax": "y"}, [("#/syntax", "must be 'ebnf', f")]),
    (
        "a value in XML",
        {**INTEGER, "style": "qwen_xml"},
        [("#/json_schema/type", "must be 'object', since members")],
    ),
    (
        "a style that is not known",
        {**INTEGER, "style": "xml"},
        [("#/style", "'minimax_xml', 'deepseek_xml', 'deepseek_v4_1_xml' or 'glm_xml', found 'xml'")],
    ),
    (
        "several at once",
        {
            "type": "sequence",
            "elements": [
                tag("a", {"type": "const_string"}, None),
                {**TRIGGERED, "tags": [{"begin": 1}, tag("x", {"type": "regex", "pattern": "["}, "")]},
                {"type": "star", "content": 1},
            ],
        },
        [
            ("#/elements/0/content", "`value` is missing"),
            ("#/elements/0/end", "must be a string"),
            ("#/elements/1/tags/0/begin", "must be a string or an object, found a number"),
            ("#/elements/1/tags/0", "`content` is missing"),
            ("#/elements/1/tags/0", "`end` is missing"),
            ("#/elements/2/content", "must be an object"),
            ("#/elements/1/tags/1/content/pattern", "column"),
            ("#/elements/1/tags/1/begin", "begins with none"),
        ],
    ),
]


@pytest.mark.parametrize(
    ("description", "expected"), [case[1:] for case in WRONG], ids=[case[0] for case in WRONG]
)
def test_problems_and_their_places(description: Any, expected: list[tuple[str, str]]) -> None:
    with pytest.raises(mw.StructuralTagError) as caught:
        mw.Grammar.structural_tag(description)
    problems = caught.value.problems
    assert [problem.location for problem in problems] == [location for location, _ in expected]
    for problem, (_, part) in zip(problems, expected, strict=True):
        assert part in problem.message
    assert caught.value.location == expected[0][0]
    assert str(caught.value).count("\n") == (len(expected) if len(expected) > 1 else 0)


VERY_MANY_DIGITS = 10**5000
BEYOND_DIGITS: list[tuple[dict[str, Any], str]] = [
    ({"type": "any_text", "max_chars": VERY_MANY_DIGITS}, "#/max_chars"),
    ({"type": "any_tokens", "max_tokens": VERY_MANY_DIGITS}, "#/max_tokens"),
    ({"type": "token", "token": VERY_MANY_DIGITS}, "#/token"),
    ({"type": "exclude_token", "exclude_tokens": [VERY_MANY_DIGITS]}, "#/exclude_tokens/0"),
    ({"type": "repeat", "min": VERY_MANY_DIGITS, "max": -1, "content": ANY}, "#/min"),
    ({"type": "repeat", "min": 0, "max": VERY_MANY_DIGITS, "content": ANY}, "#/max"),
    ({"type": "token_dispatch", "rules": [[VERY_MANY_DIGITS, ANY]]}, "#/rules/0/0"),
    ({**INTEGER, "style": VERY_MANY_DIGITS}, "#/style"),
    ({"type": VERY_MANY_DIGITS}, "#/type"),
    ({"type": "optional", "content": {"type": VERY_MANY_DIGITS}}, "#/content/type"),
]


@pytest.mark.parametrize(("description", "location"), BEYOND_DIGITS, ids=[case[1] for case in BEYOND_DIGITS])
def test_integers_of_very_many_digits_are_told_by_their_size(
    description: dict[str, Any], location: str
) -> None:
    with pytest.raises(mw.StructuralTagError) as caught:
        mw.Grammar.structural_tag(description)
    problem = caught.value.problems[0]
    assert (problem.location, "about 10**5000" in problem.message) == (location, True)


REFUSED = [
    ({**ANY, "max_tokens": 3}, "#/max_tokens", "`max_tokens` of free text"),
    *(
        ({**INTEGER, "style": style}, "#/style", f"the style `{style}`")
        for style in ("cohere_xml", "gemma", "kimi_k3_xml", "minimax_m3_xml")
    ),
    (
        {"type": "grammar", "grammar": 'start: "a"', "syntax": "lark"},
        "#/syntax",
        "a grammar in the syntax of Lark",
    ),
    (
        {"type": "json_schema", "json_schema": True, "style": "glm_xml"},
        "#/json_schema",
        "a schema that is True in the style `glm_xml`",
    ),
    (
        {"type": "qwen_xml_parameter", "json_schema": {"type": "object", "minProperties": 2}},
        "#/json_schema/minProperties",
        "minProperties",
    ),
    ({**INTEGER, "excludes": ["x"]}, "#/excludes", "`excludes` of a JSON Schema"),
    ({"type": "regex", "pattern": r"(a)\1"}, "#/pattern", "a backreference"),
]


@pytest.mark.parametrize(("description", "location", "feature"), REFUSED)
def test_what_cannot_be_enforced(description: dict[str, Any], location: str, feature: str) -> None:
    with pytest.raises(mw.StructuralTagError) as caught:
        mw.Grammar.structural_tag(description)
    (problem,) = caught.value.problems
    assert problem.location == location
    assert isinstance(problem.error, mw.UnsupportedFeatureError)
    assert problem.error.feature == feature
    assert caught.value.__cause__ is problem.error


NO_JSON = [
    "",
    '{"a": 1e99999999999999999999}',
    "{",
    "[1,]",
    '{"a": NaN}',
    '{"type": "x", "type": "x"}',
]


@pytest.mark.parametrize("source", NO_JSON, ids=lambda source: source[:20])
def test_texts_that_are_no_json(source: str) -> None:
    with pytest.raises(mw.GrammarSyntaxError, match="not JSON"):
        mw.Grammar.structural_tag(source)


def test_numbers_keep_their_digits() -> None:
    source = '{"type": "json_schema", "json_schema": {"maximum": 0.1000000000000000055511151231257827}}'
    (_, arguments, *_) = mw.Grammar.structural_tag(source).__reduce__()[1]
    assert "0.1000000000000000055511151231257827" in arguments["schema"]


def _nested(depth: int) -> dict[str, Any]:
    description: dict[str, Any] = ANY
    for _ in range(depth):
        description = {"type": "sequence", "elements": [description]}
    return description


def _shared(depth: int) -> dict[str, Any]:
    """A description that is small in memory, and without end to a reader."""
    description: dict[str, Any] = ANY
    for _ in range(depth):
        description = {"type": "or", "elements": [description, description]}
    return description


def _itself() -> dict[str, Any]:
    description: dict[str, Any] = {"type": "or", "elements": []}
    description["elements"] += [description, description]
    return description


def _many_triggers(count: int) -> dict[str, Any]:
    triggers = ["x" * length + "y" for length in range(count)]
    return {**TRIGGERED, "triggers": triggers, "tags": [tag("x" * (count - 1) + "y", ANY, "")] * count}


HOSTILE = [
    (lambda: _nested(501), mw.Budget(), "nesting"),
    (lambda: _nested(30), mw.Budget(nesting=20), "nesting"),
    (lambda: json.dumps(_nested(300)), mw.Budget(nesting=200), "nesting"),
    (lambda: "[" * 100_000, mw.Budget(), "nesting"),
    (lambda: '{"type":"optional","content":' * 100_000, mw.Budget(), "nesting"),
    (_itself, mw.Budget(), "nesting"),
    (lambda: _shared(60), mw.Budget(grammar_bytes=100_000), "grammar_bytes"),
    (lambda: _shared(60), mw.Budget(compile_time=timedelta(milliseconds=50)), "compile_time"),
    (lambda: text("x" * 2000), mw.Budget(grammar_bytes=1000), "grammar_bytes"),
    (lambda: json.dumps(text("x" * 2000)), mw.Budget(grammar_bytes=1000), "grammar_bytes"),
    (lambda: {**ANY, "excludes": ["x" * 100] * 100}, mw.Budget(grammar_bytes=1000), "grammar_bytes"),
    (lambda: _many_triggers(3000), mw.Budget(grammar_bytes=1_000_000), "grammar_bytes"),
    (lambda: {"type": "regex", "pattern": "(" * 999}, mw.Budget(nesting=50), "nesting"),
]


@pytest.mark.parametrize(("make", "budget", "name"), HOSTILE)
def test_budgets(make: Any, budget: mw.Budget, name: str) -> None:
    with pytest.raises(mw.BudgetExceededError) as caught:
        mw.Grammar.structural_tag(make(), budget=budget)
    assert caught.value.budget == name
    assert "nest it less" in str(caught.value) or "Budget(" in str(caught.value)


def test_what_nests_deeper_than_any_budget_allows_is_to_nest_less() -> None:
    with pytest.raises(mw.BudgetExceededError, match=r"as great as it can be, so nest less deep$"):
        mw.Grammar.structural_tag(_nested(1001), budget=mw.Budget(nesting=1000))


def test_looking_for_names_of_special_tokens_keeps_to_the_time() -> None:
    names = ["a" * length + "b" for length in range(1000)]
    budget = mw.Budget(compile_time=timedelta(milliseconds=50))
    with pytest.raises(mw.BudgetExceededError, match="compile_time"):
        mw.Grammar.structural_tag(text("a" * 20_000), special_tokens=names, budget=budget)


@pytest.mark.parametrize("time", [timedelta(microseconds=1), timedelta(milliseconds=1)])
def test_the_time_is_told_as_it_was_given(time: timedelta) -> None:
    budget = mw.Budget(compile_time=time)
    with pytest.raises(mw.BudgetExceededError) as caught:
        mw.Grammar.structural_tag(_shared(60), budget=budget)
    assert caught.value.limit == time


def test_no_more_problems_than_anyone_reads() -> None:
    with pytest.raises(mw.StructuralTagError, match="100 or more problems") as caught:
        mw.Grammar.structural_tag({"type": "or", "elements": [{"type": "x"}] * 100_000})
    assert len(caught.value.problems) == 100
    assert len(str(caught.value)) < 10_000


def test_an_option_that_schemas_do_not_have() -> None:
    with pytest.raises(TypeError, match="budget, orders is none"):
        mw.Grammar.structural_tag(ANY, json_schema={"orders": "any", "budget": mw.Budget()})


def test_an_unknown_token_shows_when_it_is_compiled() -> None:
    vocabulary = mw.Vocabulary.from_tokens([b"a", b"b"], stop_ids=[1])
    for name in ("<tool>", 2):
        with pytest.raises(mw.GrammarError, match=f"the token .*{name}"):
            mw.Compiler(vocabulary).compile(mw.Grammar.structural_tag(token(name)))


def test_models_are_checked_too() -> None:
    with pytest.raises(ValueError, match="frozen"):
        TokenFormat(token=1).token = 2
    unchecked = TagFormat.model_construct(begin=1, content=ANY, end="")
    with pytest.raises(mw.StructuralTagError, match="#/begin: must be a string or an object, found a number"):
        mw.Grammar.structural_tag(unchecked)
    by_token = tag("", ANY, TokenFormat.model_construct(token=None))
    with pytest.raises(mw.StructuralTagError, match="#/end/token: must be a whole number or a string"):
        mw.Grammar.structural_tag(by_token)
    structure = LegacyStructure.model_construct(begin=1, end="")
    with pytest.raises(mw.StructuralTagError, match="#/structures/0/begin: must be a string, found a number"):
        mw.Grammar.structural_tag({"structures": [structure], "triggers": ["a"]})


def test_pydantic_is_not_imported_before_it_is_needed() -> None:
    program = (
        "import sys, maskwright as mw\n"
        "assert 'pydantic' not in sys.modules\n"
        "sys.modules['pydantic'] = None\n"
        "try: mw.Grammar.structural_tag({'type': 'any_text'})\n"
        "except mw.GrammarError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.count("pip install 'maskwright[structural-tag]'") == 1


def test_without_pydantic_the_models_say_what_brings_it() -> None:
    program = (
        "import sys\n"
        "sys.modules['pydantic'] = None\n"
        "try: import maskwright.structural_tag\n"
        "except ModuleNotFoundError as error: print(error.name, error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("pydantic structural tags are read with pydantic, which cannot be imported")
    assert "pip install 'maskwright[structural-tag]'" in done.stdout


def test_a_special_token_within_a_pattern() -> None:
    description = {"type": "dispatch", "rules": [["a<tool>", ANY]]}
    wanted = "within the pattern 'a<tool>'; let the pattern end before it and the format begin with it"
    with pytest.raises(mw.StructuralTagError, match=wanted) as caught:
        mw.Grammar.structural_tag(description, special_tokens=["<tool>"])
    assert caught.value.location == "#/rules/0/0"


def test_a_special_token_within_a_trigger() -> None:
    description = {**TRIGGERED, "triggers": ["a<tool>"], "tags": [tag("a<tool>b", ANY, "c")]}
    mw.Grammar.structural_tag(description)
    with pytest.raises(mw.StructuralTagError, match="'<tool>' stands within the trigger 'a<tool>'") as caught:
        mw.Grammar.structural_tag(description, special_tokens={"<tool>": 7, "<end>": 8})
    assert caught.value.location == "#/tags/0/begin"
    with pytest.raises(TypeError, match="special_tokens must be several"):
        mw.Grammar.structural_tag(description, special_tokens="<tool>")


def _places(value: Any) -> list[list[Any]]:
    """The keys that lead to each value within a value."""
    places: list[list[Any]] = [[]]
    members = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, member in members:
        places += [[key, *place] for place in _places(member)]
    return places


def _mutated(description: dict[str, Any], random: Random) -> Any:
    """A description in which something is replaced, left out or added."""
    whole = [json.loads(json.dumps(description))]
    *keys, last = [0, *random.choice(_places(whole[0]))]
    holder: Any = whole
    for key in keys:
        holder = holder[key]
    odd: list[Any] = [
        None,
        True,
        -1,
        10**20,
        1.5,
        "",
        "x",
        "<f=",
        "\ud800",
        [],
        {},
        [[]],
        ["a", {}],
        ANY,
        token(3),
        description,
    ]
    if isinstance(holder, dict) and random.random() < 0.3:
        del holder[last]
    elif isinstance(holder, dict) and random.random() < 0.2:
        holder[random.choice(["type", "content", "tags", "excludes", "end", "new"])] = random.choice(odd)
    else:
        holder[last] = json.loads(json.dumps(random.choice(odd)))
    return whole[0] if whole else None


@pytest.mark.parametrize("seed", range(40))
def test_whatever_the_description_it_is_a_grammar_or_an_error(seed: int) -> None:
    random = Random(seed)
    budget = mw.Budget(compile_time=timedelta(seconds=5))
    for case in CASES:
        description: Any = case.description
        for _ in range(random.randint(1, 3)):
            description = _mutated(description, random) if isinstance(description, dict) else description
        with suppress(mw.MaskwrightError):
            mw.Grammar.structural_tag(description, budget=budget)


@pytest.mark.parametrize("given", [b"{}", {1, 2}, 1j], ids=["bytes", "set", "complex"])
def test_what_json_has_no_form_for_is_told_by_its_type(given: Any) -> None:
    with pytest.raises(mw.StructuralTagError, match=f"not a value of type {type(given).__name__}$"):
        mw.Grammar.structural_tag(given)
