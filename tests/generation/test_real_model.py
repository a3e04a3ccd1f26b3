"""The default model says sensible things, free and constrained."""

from __future__ import annotations

import pytest

import maskwright as mw
from maskwright.generation import LocalModel, generate, load_model

pytestmark = pytest.mark.network


@pytest.fixture(scope="module")
def model() -> LocalModel:
    return load_model(progress=True)


def test_it_knows_the_capital_of_france(model: LocalModel) -> None:
    assert "".join(generate(model, None, "The capital of France is", max_tokens=3).text()).startswith(
        " Paris"
    )


def test_it_answers_in_a_conversation_and_stops(model: LocalModel) -> None:
    prompt = model.format_chat([{"role": "user", "content": "What is the capital of France?"}])
    assert prompt is not None
    generation = generate(model, None, prompt, max_tokens=40)
    assert "Paris" in "".join(generation.text())
    assert generation.statistics.finish_reason == "stop"


def test_it_keeps_to_a_grammar(model: LocalModel) -> None:
    constraint = mw.Compiler(model.vocabulary).compile(mw.Grammar.regex(r"[0-9]{4}-[0-9]{2}-[0-9]{2}"))
    generation = generate(model, constraint, "The treaty was signed on the date ")
    text = "".join(generation.text())
    assert [len(part) for part in text.split("-")] == [4, 2, 2]
    assert text.replace("-", "").isdigit()
    assert generation.statistics.finish_reason == "stop"
