"""The training run of the released wheel: its cases fit, and it says so where one does not."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest
from benchmarks.training.cases import Case, other_cases, schema_cases
from benchmarks.training.replay import TrainingError, replay_batch, replay_cold, replay_warm
from benchmarks.training.tokens import cl100k_tokens, single_bytes

import maskwright as mw

TOKENS = single_bytes()


def every_case() -> Iterator[Case]:
    """All cases in every way in which the training run has them."""
    for turn in range(2):
        yield from schema_cases(turn=turn)
    yield from schema_cases(order="declared")
    yield from schema_cases(white_space="spaced", layouts=["spaced", "escaped"])
    yield from other_cases()


def test_every_text_is_accepted() -> None:
    for case in every_case():
        assert replay_cold(case, TOKENS) == sum(len(text.encode()) for text in case.texts)


def test_there_are_cases_of_every_kind() -> None:
    assert len(schema_cases()) >= 45
    kinds = {case.name.split(":", 1)[0] for case in other_cases()}
    assert kinds == {"regular expression", "GBNF", "tool calls"}


def test_turns_differ_in_what_comes_first() -> None:
    one, two = schema_cases(turn=0), schema_cases(turn=1)
    assert [case.name for case in one] == [case.name for case in two]
    assert all(first.texts[0] != second.texts[0] for first, second in zip(one, two, strict=True))


def test_a_text_that_does_not_fit_is_named() -> None:
    case = Case("digits", partial(mw.Grammar.regex, "[0-9]{3}"), ("123", "12x"))
    with pytest.raises(TrainingError, match="digits: 'x' is not accepted after …'12'"):
        replay_cold(case, TOKENS)
    short = Case("digits", partial(mw.Grammar.regex, "[0-9]{3}"), ("12",))
    for replay in (replay_cold, lambda case, tokens: replay_batch([case], tokens)):
        with pytest.raises(TrainingError, match="the text may not end after …'12'"):
            replay(short, TOKENS)


def test_warm_replays_and_batches_go_through() -> None:
    cases = [*schema_cases()[:6], *other_cases()[:3]]
    tokens = sum(len(text.encode()) for case in cases for text in case.texts)
    assert replay_warm(cases, TOKENS, rounds=2) == 2 * tokens
    assert replay_batch(cases, TOKENS) == sum(len(case.texts[0].encode()) for case in cases)


def test_the_vocabulary_of_the_training_run() -> None:
    pytest.importorskip("bpe_openai", reason="the package bpe-openai is not installed")
    tokens = cl100k_tokens()
    text = '{"name": "Ærøskøbing", "open": true}'
    ids = tokens.encode(text)
    assert len(ids) < len(text)
    assert b"".join(tokens.vocabulary.token_bytes(token) or b"" for token in ids) == text.encode()
    assert replay_cold(schema_cases()[0], tokens) > 0
