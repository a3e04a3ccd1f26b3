"""Masks along drafted tokens, in one call for all sequences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import maskwright as mw
from replaying import places

ROWS = 12


def masks_one_by_one(
    matcher: mw.Matcher | None, draft: Sequence[int], size: int
) -> tuple[int, list[list[int]]]:
    """The masks along a draft by the calls for single tokens."""
    mask = mw.allocate_mask(len(draft) + 1, size)
    if matcher is None:
        return len(draft), mask.tolist()
    before, allowed = matcher.step_count, matcher.validate(draft)
    for row, token in enumerate([*draft, None]):
        if matcher.is_finished:
            break
        matcher.fill_mask(mask, row)
        if token is None or not matcher.accept(token):
            break
    matcher.rollback(matcher.step_count - before)
    return allowed, mask.tolist()


@pytest.mark.parametrize("threads", [1, 3])
def test_rows_of_drafts_are_those_of_steps_one_by_one(byte_vocabulary: mw.Vocabulary, threads: int) -> None:
    size, stop = byte_vocabulary.size, byte_vocabulary.stop_ids[0]
    chance = np.random.default_rng(7)
    matchers: list[mw.Matcher | None] = list(places(byte_vocabulary, ROWS))
    for step in range(20):
        matchers[step % ROWS] = None
        letters = [*b"a,1b2", stop]
        drafts = [chance.choice(letters, chance.integers(5)).tolist() for _ in matchers]
        mask = np.zeros_like(mw.allocate_mask(sum(map(len, drafts)) + ROWS + 1, size))
        before = [None if matcher is None else matcher.step_count for matcher in matchers]
        allowed = mw.fill_draft_masks(matchers, drafts, mask, threads=threads)
        assert before == [None if matcher is None else matcher.step_count for matcher in matchers]
        expected = [
            masks_one_by_one(matcher, draft, size) for matcher, draft in zip(matchers, drafts, strict=True)
        ]
        assert allowed.tolist() == [count for count, _ in expected]
        assert mask[:-1].tolist() == [row for _, rows in expected for row in rows]
        assert not mask[-1].any(), "a row that is nobody's is left alone"
        matchers[step % ROWS] = places(byte_vocabulary, ROWS)[step % ROWS]


def test_behind_a_token_that_ends_the_text_something_can_be_sampled(byte_vocabulary: mw.Vocabulary) -> None:
    stop = byte_vocabulary.stop_ids[0]
    matcher = mw.Compiler(byte_vocabulary).compile(mw.Grammar.regex("ab")).matcher()
    mask = np.zeros_like(mw.allocate_mask(6, byte_vocabulary.size))
    assert mw.fill_draft_masks([matcher], [[*b"ab", stop, stop, 0]], mask).tolist() == [3]
    assert (mask[3:] == -1).all()
    assert matcher.validate([*b"ab", stop, stop]) == 3
    assert matcher.accept(ord("a"))


def test_drafts_that_do_not_fit_are_errors_and_nothing_moves(byte_vocabulary: mw.Vocabulary) -> None:
    matchers = places(byte_vocabulary, 2)
    before = [matcher.step_count for matcher in matchers]
    mask = mw.allocate_mask(4, byte_vocabulary.size)
    with pytest.raises(mw.ArgumentError, match="for 2 matchers there came 1 draft"):
        mw.fill_draft_masks(matchers, [[1]], mask)
    with pytest.raises(mw.MaskBufferError, match="has 4 rows, but there are to be 5"):
        mw.fill_draft_masks(matchers, [[97, 97], [97]], mask)
    with pytest.raises(mw.TokenIdError):
        mw.fill_draft_masks(matchers, [[97], [byte_vocabulary.size]], mask)
    with pytest.raises(mw.MaskBufferError, match=r"row of \d+ words"):
        mw.fill_draft_masks(matchers, [[97], [97]], mw.allocate_mask(4, byte_vocabulary.size + 320))
    with pytest.raises(TypeError, match="come in an order"):
        mw.fill_draft_masks(matchers, [{97}, [97]], mask)
    with pytest.raises(mw.MatcherBusyError, match="stands twice"):
        mw.fill_draft_masks([matchers[0], matchers[0]], [[97], [97]], mask)
    assert [matcher.step_count for matcher in matchers] == before


def test_a_draft_that_takes_too_much_is_named_and_the_others_are_filled(
    byte_vocabulary: mw.Vocabulary,
) -> None:
    grammar = mw.Grammar.regex("(?:[ab]{400}c|d)+")
    constraint = mw.Compiler(byte_vocabulary, budget=mw.Budget(states=60)).compile(grammar)
    matchers = [constraint.matcher() for _ in range(3)]
    drafts = [[*b"d"], [*b"ab" * 100], [*b"dd"]]
    mask = np.zeros_like(mw.allocate_mask(sum(map(len, drafts)) + 3, byte_vocabulary.size))
    with pytest.raises(mw.BudgetExceededError) as caught:
        mw.fill_draft_masks(matchers, drafts, mask)
    assert caught.value.rows == (1,)
    assert [matcher.step_count for matcher in matchers] == [0, 0, 0]
    assert mask[-3:].any(axis=1).all()
