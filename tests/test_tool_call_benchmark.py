"""The benchmark of tool calls on a small sample: that it finds what is wrong, and that nothing is."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("tiktoken", reason="splits texts as the models' tokenisers do")
pytest.importorskip("jsonschema", reason="says which gold calls are valid")

import jsonschema
from benchmarks.shared_data import FOLDER
from benchmarks.tool_calls.cases import Call, ToolCase, closed, draw, inferred_schema, load_corpus
from benchmarks.tool_calls.families import Family, Tokeniser, families, tokeniser_of
from benchmarks.tool_calls.harmony import TURNS, WRONG, replay_conversation
from benchmarks.tool_calls.many import in_declared_order, one_more, tools_and_cases
from benchmarks.tool_calls.mutations import KINDS, Mutation, mutations
from benchmarks.tool_calls.replay import replay_family
from benchmarks.tool_calls.walking import Walker, first_difference

import maskwright as mw

needs_data = pytest.mark.skipif(not FOLDER.exists(), reason="needs the project's test data in ../shared/data")

CITY = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "place": {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]},
        "days": {"type": "integer"},
    },
    "required": ["city", "days"],
}
CASE = ToolCase(
    "city",
    [
        {"type": "function", "function": {"name": "city", "parameters": CITY}},
        {"type": "function", "function": {"name": "cityz", "parameters": {"type": "object"}}},
    ],
    [Call("city", {"city": "Rome", "place": {"x": 1.5}, "days": 2})],
)


def mutated(seed: int = 1) -> dict[str, Mutation]:
    return {mutation.kind: mutation for mutation in mutations(CASE, seed, "quoted")}


def test_each_kind_of_mutation_makes_a_call_invalid() -> None:
    validator = jsonschema.Draft202012Validator(closed(CITY))
    assert validator.is_valid(CASE.calls[0].arguments)
    for seed in range(20):
        found = mutated(seed)
        assert tuple(found) == KINDS
        for kind in ("wrong type", "missing required", "unknown key", "prose in a call"):
            assert not validator.is_valid(found[kind].calls[0].arguments), kind
        assert found["unknown tool"].calls[0].name not in {"city", "cityz"}


def test_wrong_values_of_raw_strings_are_those_that_no_string_is() -> None:
    for seed in range(20):
        for strings in ("raw", "marked"):
            wrong = next(iter(mutations(CASE, seed, strings)))
            arguments = wrong.calls[0].arguments
            assert wrong.kind == "wrong type"
            assert isinstance(arguments["city"], str) or strings == "marked"


def test_the_first_difference_is_that_of_bytes_and_whole_special_tokens() -> None:
    assert first_difference([b"a", b"<end>"], [b"a", b"<"]) == 1
    assert first_difference([b"a"], [b"a", b"b"]) == 1


def test_inferred_schemas_hold_for_what_they_are_inferred_from() -> None:
    values = [{"a": 1, "b": [1, "x"]}, {"a": None}]
    schema = inferred_schema(values)
    assert all(jsonschema.Draft202012Validator(schema).is_valid(value) for value in values)
    assert schema["required"] == ["a"]
    assert not jsonschema.Draft202012Validator(schema).is_valid({"a": "x"})


def test_arguments_are_put_into_the_declared_order() -> None:
    shuffled = {"days": 2, "place": {"x": 1}, "city": "Rome"}
    assert json.dumps(in_declared_order(shuffled, CITY)) == '{"city": "Rome", "place": {"x": 1}, "days": 2}'


@pytest.fixture(scope="module")
def hermes() -> tuple[Family, Tokeniser]:
    if not FOLDER.exists():
        pytest.skip("needs the project's test data in ../shared/data")
    family = next(family for family in families() if family.layout.name == "hermes")
    return family, tokeniser_of(family)


def test_texts_are_split_into_the_tokens_that_they_are_made_of(hermes: tuple[Family, Tokeniser]) -> None:
    text = "Zürich\n<tool_call>\n{}\n</tool_call>"
    tokens = hermes[1].encode(text)
    names, table = hermes[1].names, hermes[1].table
    spelled = b"".join(names.get(token, "").encode() or table.tokens[token] or b"" for token in tokens)
    assert spelled.decode() == text
    assert sum(token in names for token in tokens) == 2
    assert sum(map(hermes[1].items_of, tokens)) == len(hermes[1].items(text))


def test_a_walk_stops_at_the_byte_that_is_wrong(hermes: tuple[Family, Tokeniser]) -> None:
    walker = Walker(hermes[1])
    constraint = mw.Compiler(hermes[1].vocabulary).compile(mw.Grammar.regex("weather in (Rome|Paris)"))
    right = walker.walk(constraint, hermes[1].encode("weather in Rome"))
    assert (right.item, right.may_end) == (15, True)
    assert walker.walk(constraint, hermes[1].encode("weather in Romania")).item == 14
    short = walker.walk(constraint, hermes[1].encode("weather in"))
    assert (short.item, short.may_end) == (10, False)


@needs_data
@pytest.mark.parametrize("name", ["hermes", "qwen3-coder", "mistral"])
def test_gold_calls_are_accepted_and_read_and_mutations_are_not(name: str) -> None:
    family = next(family for family in families() if family.layout.name == name)
    cases = {"bfcl": draw(load_corpus("bfcl"), 3, 5), "tau": draw(load_corpus("tau"), 2, 5)}
    figures = replay_family(family, cases)
    counts = figures.counts
    assert not figures.problems
    assert counts["gold accepted"] == counts["read right"] == counts["gold"] == 5
    assert counts["mutations at the right place"] == counts["mutations rejected"] == counts["mutations"] > 15


@needs_data
def test_a_wrong_engine_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    family = next(family for family in families() if family.layout.name == "hermes")
    cases = {"bfcl": draw(load_corpus("bfcl"), 4, 5)}
    made = mw.ToolCalls

    def loose(tools: object, layout: object, **options: object) -> mw.ToolCalls:
        """Tool calls whose arguments may be any object."""
        return made([mw.Tool(tool.name, strict=False) for tool in mw.tools_from(tools)], layout, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(mw, "ToolCalls", loose)
    counts = replay_family(family, cases).counts
    assert counts["gold accepted"] == 4
    assert counts["mutation accepted"] >= 4


@needs_data
def test_a_conversation_of_gpt_oss() -> None:
    found = replay_conversation()
    assert not found.problems
    assert len(found.rows) == len(TURNS)
    assert len(found.wrong) == len(WRONG)


@needs_data
def test_one_tool_more_finds_the_rest_in_the_pool(hermes: tuple[Family, Tokeniser]) -> None:
    tools, cases = tools_and_cases(8, 1)
    assert len(tools) == 8
    figures = one_more(tools, cases, hermes[1].vocabulary, hermes[1].encode)
    assert not any(figures["texts rejected"])
    before, _, after = figures["walks not found"]
    assert after < before
    found = figures["walks found in the pool, whole"]
    assert found[2] > found[0]
