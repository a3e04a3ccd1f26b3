"""Random schemas against an independent validator: a short run of ``benchmarks.json_schema_random``."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pytest

jsonschema = pytest.importorskip("jsonschema", reason="jsonschema judges the documents")

from benchmarks.json_schema_random.checking import Figures, check_schema  # noqa: E402
from benchmarks.json_schema_random.engine import vocabulary  # noqa: E402
from benchmarks.json_schema_random.mutations import mutated  # noqa: E402
from benchmarks.json_schema_random.oracle import Oracle, is_multiple, parse, same_value  # noqa: E402
from benchmarks.json_schema_random.schemas import DRAFTS, Draft, random_schema  # noqa: E402
from benchmarks.json_schema_random.shrinking import shrunk  # noqa: E402
from benchmarks.json_schema_random.spelling import plain, spelled  # noqa: E402
from benchmarks.json_schema_random.values import likely_value  # noqa: E402

import maskwright as mw  # noqa: E402

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "schemas"


@pytest.fixture(scope="module")
def words() -> mw.Vocabulary:
    return vocabulary()


@pytest.mark.parametrize("seed", range(4))
def test_both_validators_agree(words: mw.Vocabulary, seed: int) -> None:
    figures = Figures()
    for index in range(25):
        figures.add(check_schema(words, f"{seed}:{index}"))
    programs = [shrunk(words, mismatch).reproducer() for mismatch in figures.mismatches[:3]]
    assert not programs, "\n\n".join(programs)
    assert figures.counts["generated"] >= 20
    assert figures.counts["judged valid"] >= 50
    assert figures.counts["judged"] - figures.counts["judged valid"] >= 50


@pytest.mark.parametrize("draft", DRAFTS)
def test_schemas_are_well_formed_and_mutation_gives_both_verdicts(draft: Draft) -> None:
    verdicts = {True: 0, False: 0}
    for seed in range(60):
        random = Random(seed)
        schema = random_schema(random, draft)
        jsonschema.validators.validator_for(schema).check_schema(schema)
        oracle = Oracle(schema, draft)
        try:
            texts = [spelled(random, likely_value(random, schema)) for _ in range(10)]
            valid = [text for text in texts if oracle.is_valid(text)]
            for text in valid:
                verdicts[oracle.is_valid(spelled(random, mutated(random, parse(text))))] += 1
        except RecursionError:  # a definition that is only a reference to itself
            continue
    assert min(verdicts.values()) >= 50


def test_every_spelling_has_the_same_value() -> None:
    random = Random(1)
    value = {"a": [1, Decimal("0.5"), "é😀\n", None], "b/": {"": True}, "c": [-20, {}]}
    spellings = {spelled(random, value) for _ in range(200)}
    assert len(spellings) > 50
    assert all(same_value(parse(text), value) for text in spellings)
    assert json.loads(plain(value)) == json.loads(json.dumps(value, default=float))


@pytest.mark.parametrize(
    ("value", "divisor", "expected"),
    [
        ("0.3", "0.1", True),
        ("1.0", "1", True),
        ("1e999999", "3", False),
        ("3e999999", "3", True),
        ("1e-999999", "1", False),
        ("0e-999999", "7", True),
        ("0.35", "0.1", False),
        ("-4.5", "1.5", True),
        ("100", "1e1", True),
    ],
)
def test_multiples_are_exact(value: str, divisor: str, expected: bool) -> None:
    assert is_multiple(Decimal(value), Decimal(divisor)) is expected


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.json")), ids=lambda path: path.stem)
def test_examples_have_documents(words: mw.Vocabulary, path: Path) -> None:
    schema: Any = json.loads(path.read_text(encoding="utf-8"))
    assert schema["$schema"] == DRAFTS["2020-12"]
    jsonschema.Draft202012Validator.check_schema(schema)
    constraint = mw.Compiler(words).compile(mw.Grammar.json_schema(schema, whitespace="compact"))
    assert not constraint.matcher().accept_bytes(b"[")
    assert constraint.matcher().accept_bytes(b"{")
