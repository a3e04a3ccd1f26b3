"""What each kind of format accepts."""

from __future__ import annotations

import json
import pickle
import re
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

import maskwright as mw
from maskwright.structural_tag import Format, LegacyStructuralTag, StructuralTag

from .cases import (
    ANY,
    CALL,
    CASES,
    END,
    INTEGER,
    TOOL,
    TRIGGERED,
    Case,
    Text,
    accepts,
    tag,
    text,
    vocabulary,
)

_VOCABULARY = vocabulary()


@pytest.fixture(scope="module")
def compiler() -> mw.Compiler:
    return mw.Compiler(_VOCABULARY)


def _check(case: Case, constraint: mw.Constraint) -> None:
    for accepted in case.accepted:
        assert accepts(constraint, accepted), accepted
    for rejected in case.rejected:
        assert not accepts(constraint, rejected), rejected


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_accepts_and_rejects(case: Case, compiler: mw.Compiler) -> None:
    _check(case, compiler.compile(mw.Grammar.structural_tag(case.description)))


def _recipe(source: Any) -> tuple[object, ...]:
    made: tuple[Any, ...] = mw.Grammar.structural_tag(source).__reduce__()
    return made


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_json_text_and_models_mean_the_same(case: Case) -> None:
    recipe = _recipe(case.description)
    assert _recipe(json.dumps(case.description)) == recipe
    kind = LegacyStructuralTag if "structures" in case.description else StructuralTag
    wrapped = case.description.keys() & {"structures", "format"}
    model = kind.model_validate(case.description if wrapped else {"format": case.description})
    assert _recipe(model) == recipe
    assert _recipe(model.model_dump()) == recipe
    assert _recipe(model.model_dump(mode="json", by_alias=True)) == recipe
    assert _recipe(model.model_dump_json(by_alias=True)) == recipe


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_saved_and_pickled_grammars_mean_the_same(case: Case, compiler: mw.Compiler) -> None:
    grammar = mw.Grammar.structural_tag(case.description)
    pickled = pickle.loads(pickle.dumps(grammar))
    assert repr(pickled) == repr(grammar)
    _check(case, compiler.compile(pickled))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_masks_are_what_can_be_accepted(case: Case, compiler: mw.Compiler) -> None:
    constraint = compiler.compile(mw.Grammar.structural_tag(case.description))
    mask = mw.allocate_mask(1, _VOCABULARY.size)
    for accepted in case.accepted:
        matcher = constraint.matcher()
        for token_id in _token_ids(accepted):
            matcher.fill_mask(mask)
            allowed = np.unpackbits(mask.view(np.uint8), bitorder="little")[: _VOCABULARY.size]
            expected = [matcher.fork().accept(token_id) for token_id in range(_VOCABULARY.size)]
            assert allowed.astype(bool).tolist() == expected
            assert matcher.accept(token_id)


def _token_ids(text: Text) -> list[int]:
    """One way to cut a text into tokens: single bytes."""
    ids: list[int] = []
    for piece in [text] if isinstance(text, str) else text:
        ids += [piece] if isinstance(piece, int) else piece.encode()
    return ids


@pytest.mark.parametrize("sign", ["", "-"])
def test_schemas_keep_integers_of_very_many_digits(sign: str, compiler: mw.Compiler) -> None:
    digits, schema = f"{sign}{'9' * 5000}", {"const": int(f"{sign}1") * (10**5000 - 1)}
    written = mw.Grammar.structural_tag(f'{{"type": "json_schema", "json_schema": {{"const": {digits}}}}}')
    given = mw.Grammar.structural_tag({"type": "json_schema", "json_schema": schema})
    assert written.__reduce__() == given.__reduce__()
    matcher = compiler.compile(written).matcher()
    assert matcher.accept_bytes(digits.encode())
    assert not matcher.accept_bytes(b"9")


def test_options_for_schemas(compiler: mw.Compiler) -> None:
    tag = {"type": "json_schema", "json_schema": {"type": "array"}}
    compact = compiler.compile(mw.Grammar.structural_tag(tag, json_schema={"whitespace": "compact"}))
    assert accepts(compact, "[1,2]")
    assert not accepts(compact, "[1, 2]")
    own = compiler.compile(
        mw.Grammar.structural_tag({**tag, "max_whitespace_cnt": 1}, json_schema={"whitespace": "compact"})
    )
    assert accepts(own, "[1, 2]")


def test_nesting_as_deep_as_the_budget_says(compiler: mw.Compiler) -> None:
    description: dict[str, Any] = {"type": "const_string", "value": "a"}
    for _ in range(450):
        description = {"type": "optional", "content": description}
    constraint = compiler.compile(mw.Grammar.structural_tag(description))
    assert accepts(constraint, "a")
    assert accepts(constraint, "")
    assert not accepts(constraint, "b")


def test_saved_constraints(compiler: mw.Compiler, tmp_path: Path) -> None:
    case = next(case for case in CASES if case.name == "reasoning, then calls")
    compiler.compile(mw.Grammar.structural_tag(case.description)).save(tmp_path / "saved")
    _check(case, compiler.load(tmp_path / "saved"))


NAMED: list[tuple[dict[str, Any], list[Text], list[Text]]] = [
    (text("a<tool>b"), ["a<tool>b", ["a", TOOL, "b"]], [[TOOL], "ab"]),
    (tag("<tool>", INTEGER, ["<end>", "."]), [[TOOL, "1", END], "<tool>1.", [TOOL, "1."]], [[TOOL, "1"]]),
    (tag("<tool>", ANY, "<end>"), [[TOOL, "a", END], "<tool>a<end>"], [[TOOL, "<end>", END]]),
    (
        {
            **TRIGGERED,
            "triggers": ["<tool>"],
            "tags": [tag("<tool>f<", INTEGER, ">"), tag("<tool>", ANY, "<end>")],
        },
        ["a<tool>f<1>b", [TOOL, "f<1>b", TOOL, "x<end>"], ["a", TOOL, "<tool>f", END]],
        ["<tool>f<1", [TOOL], [TOOL, "f<1>", END, END]],
    ),
    (
        {
            **TRIGGERED,
            "triggers": ["\n<"],
            "tags": [tag("\n<f><tool>", INTEGER, ".")],
            "stop_after_first": True,
        },
        ["", "a\n<f><tool>1.", ["a\n<f>", TOOL, "1."]],
        ["\n<", ["a\n<", TOOL, "1."], [TOOL, "1."]],
    ),
    (
        {
            "type": "tags_with_separator",
            "tags": [tag("a", INTEGER, "")],
            "separator": "<tool>,",
        },
        ["", "a1<tool>,a2", ["a1", TOOL, ",a2"]],
        ["a1a2", ["a1", TOOL, "a2"], ["a1", TOOL]],
    ),
    (
        {
            **TRIGGERED,
            "triggers": ["<tool>", "#"],
            "tags": [tag("<tool>f<call>", INTEGER, "."), tag("#<call><end>", INTEGER, ".")],
        },
        [
            "<tool>f<call>1.",
            ["<tool>f", CALL, "1."],
            [TOOL, "f<call>1."],
            [TOOL, "f", CALL, "1.a"],
            "a#<call><end>1.",
            ["#<call>", END, "1."],
            ["#", CALL, "<end>1."],
            ["#", CALL, END, "1.", TOOL, "f<call>2."],
        ],
        ["<tool>f", "#", [TOOL, CALL, "1."], ["#", END, "1."], ["#<call>", CALL, "1."]],
    ),
    (
        {**TRIGGERED, "triggers": ["<tool>"], "tags": [tag("<tool>", INTEGER, "")], "at_least_one": True},
        ["<tool>1", [TOOL, "1"], [TOOL, "1 ", TOOL, "2"]],
        [["a", TOOL, "1"]],
    ),
    (
        {"type": "dispatch", "rules": [["<tool>", text("1")], ["<call>", text("<call>")]]},
        ["a<tool>1", ["a", TOOL, "1", CALL, CALL], [CALL, "<call>"]],
        ["<tool>", [TOOL, "2"], [CALL]],
    ),
    (
        {
            "structures": [{"begin": "<tool>", "schema": {"type": "null"}, "end": "<end>"}],
            "triggers": ["<tool>"],
        },
        [[TOOL, "null", END], "<tool>null<end>"],
        [[TOOL, "null"]],
    ),
]


@pytest.mark.parametrize(("description", "accepted", "rejected"), NAMED)
def test_special_tokens_by_their_names(
    description: dict[str, Any], accepted: list[Text], rejected: list[Text], compiler: mw.Compiler
) -> None:
    named = mw.Grammar.structural_tag(description, special_tokens=_VOCABULARY.special_tokens)
    _check(Case("", description, accepted, rejected), compiler.compile(named))
    plain = compiler.compile(mw.Grammar.structural_tag(description))
    for written in accepted:
        assert accepts(plain, written) == isinstance(written, str)


ABSENT: list[tuple[dict[str, Any], list[Text], list[Text]]] = [
    (text("a<none>"), ["a<none>"], ["a"]),
    (
        {**TRIGGERED, "triggers": ["<none>"], "tags": [tag("<none>", INTEGER, "<none>")]},
        ["", "a<none>1<none>", "<non"],
        ["<none>", "<none>a"],
    ),
    (
        {**TRIGGERED, "triggers": ["<none>"], "tags": [tag("<none>a", ANY, "."), tag("<none>b", ANY, "!")]},
        ["<none>a1.", "<none>b1!"],
        ["<none>", "<none>c", "<none>a1!"],
    ),
    (
        {"type": "dispatch", "rules": [["<none>", text("1")], ["<tool>", text("2")]]},
        ["a<none>1<tool>2", [TOOL, "2"]],
        ["<none>2", "<tool>1"],
    ),
]


@pytest.mark.parametrize(("description", "accepted", "rejected"), ABSENT)
def test_special_tokens_that_the_vocabulary_lacks_are_their_characters(
    description: dict[str, Any], accepted: list[Text], rejected: list[Text], compiler: mw.Compiler
) -> None:
    named = mw.Grammar.structural_tag(description, special_tokens=["<none>", "<tool>"])
    _check(Case("", description, accepted, rejected), compiler.compile(named))


def test_a_special_token_is_one_grammar_wherever_it_stands() -> None:
    grammar = mw.Grammar.structural_tag(text("<tool>,<end>" * 1000), special_tokens=["<tool>", "<end>"])
    (_, arguments, *_) = grammar.__reduce__()[1]
    assert [kind for kind, _ in arguments["grammars"]] == ["token", "token", "sequence"]


def test_of_names_of_special_tokens_that_begin_alike_the_longest_is_found() -> None:
    names = ["<a", "<a><b>", "a>", "", "<"]
    grammar = mw.Grammar.structural_tag(text("x<a><a><b><<a"), special_tokens=names)
    (_, arguments, *_) = grammar.__reduce__()[1]
    *tokens, (_, whole) = arguments["grammars"]
    found = [part if isinstance(part, str) else tokens[part["grammar"]][1] for part in whole["parts"]]
    shown = [part if isinstance(part, str) else [part["token"]] for part in found]
    assert shown == ["x", ["<a"], ">", ["<a><b>"], ["<"], ["<a"]]


@pytest.mark.parametrize(
    "case", [case for case in CASES if "XML" not in case.name], ids=lambda case: case.name
)
def test_every_grammar_in_it_is_within_its_budget(case: Case) -> None:
    """In XML, what stands between members is as its writer made it."""
    budget = mw.Budget(nesting=400)
    (*_, budgets) = mw.Grammar.structural_tag(case.description, budget=budget).__reduce__()[1]
    assert all(one == budget for one in budgets)


def test_the_examples_of_the_documentation(compiler: mw.Compiler) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "structural-tags.md").read_text("utf-8")
    rows = re.findall(r"^\| [^|]+ \| `(\{.*?\})` \| ", page, re.MULTILINE)
    examples = [json.loads(row.replace("\\|", "|")) for row in rows]
    assert {example.get("type") for example in examples} >= {
        kind.model_fields["type"].default for kind in get_args(get_args(Format)[0])
    }
    for example in examples:
        compiler.compile(mw.Grammar.structural_tag(example))
    (program,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(program, {})


def test_excluded_texts_beside_tags(compiler: mw.Compiler) -> None:
    description = {"type": "dispatch", "rules": [["b1", text("x")]], "excludes": ["ab", "xy", "b"]}
    constraint = compiler.compile(mw.Grammar.structural_tag(description))
    assert accepts(constraint, "a")
    assert accepts(constraint, "b1xb1x")
    assert accepts(constraint, "b1xy")  # the first letter is no prose
    assert not accepts(constraint, "ab1x")
    assert not accepts(constraint, "b1xb")
