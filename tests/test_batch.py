"""Batches on threads that are kept: identities of rows, changing numbers of threads, threads and forks."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import maskwright as mw
from replaying import places, single_masks

ROWS = 40
ENOUGH_TO_SHARE = 2000
"""So many rows are worth waking other threads for, though all their masks are known."""


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_rows_stay_right_when_their_identities_are_carried_along(
    byte_vocabulary: mw.Vocabulary, threads: int
) -> None:
    matchers = places(byte_vocabulary, ROWS)
    mask = mw.allocate_mask(ROWS + 1, byte_vocabulary.size)
    held = np.zeros(ROWS + 1, dtype=np.uint64)
    held[ROWS] = 5
    for token in b"a,1a,12":
        for _ in range(2):
            mw.fill_masks(matchers, mask, held=held, threads=threads)
            assert (mask[:ROWS] == single_masks(matchers, byte_vocabulary.size)).all()
        mw.accept_batch(matchers, [token] * ROWS, threads=threads)
    assert held[ROWS] == 5, "a row without a matcher is left alone"


@pytest.mark.parametrize("threads", [1, 3])
def test_in_rows_without_a_matcher_everything_is_allowed(
    byte_vocabulary: mw.Vocabulary, threads: int
) -> None:
    matchers = places(byte_vocabulary, ROWS)
    mask = np.zeros((ROWS, len(mw.allocate_mask(1, byte_vocabulary.size)[0])), dtype=np.int32)
    held = np.zeros(ROWS, dtype=np.uint64)
    for step in range(4):
        free = (np.arange(ROWS) + step) % 3 == 0
        batch = [None if free[row] else matcher for row, matcher in enumerate(matchers)]
        mw.fill_masks(batch, mask, held=held, threads=threads)
        assert (mask[free] == -1).all()
        assert (mask[~free] == single_masks(matchers, byte_vocabulary.size)[~free]).all()
        assert len(np.unique(held[free])) == 1
        assert not np.isin(held[free], held[~free]).any()
        before = [matcher.step_count for matcher in matchers]
        tokens = [-1 if free[row] else ord("a") for row in range(ROWS)]
        accepted = mw.accept_batch(batch, tokens, threads=threads)
        steps = np.array([matcher.step_count for matcher in matchers]) - before
        assert accepted[free].all()
        assert (steps == (accepted & ~free)).all()
    mask[:] = 0
    mw.fill_masks([None] * ROWS, mask, held=np.full(ROWS, held[free][0]), threads=threads)
    assert (mask == 0).all(), "what a row holds is not written again"


def test_a_row_of_unknown_content_is_written(byte_vocabulary: mw.Vocabulary) -> None:
    matchers = places(byte_vocabulary, ROWS)
    mask = mw.allocate_mask(ROWS, byte_vocabulary.size)
    held = np.zeros(ROWS, dtype=np.uint64)
    mw.fill_masks(matchers, mask, held=held)
    mask[::2] = 0
    held[::2] = 0
    mw.fill_masks(matchers, mask, held=held)
    assert (mask == single_masks(matchers, byte_vocabulary.size)).all()


@pytest.mark.parametrize(
    "held",
    [
        np.zeros(ROWS - 1, dtype=np.uint64),
        np.zeros((1, ROWS), dtype=np.uint64),
        np.zeros(ROWS, dtype=np.int64),
    ],
    ids=["short", "two dimensions", "signed"],
)
def test_identities_that_do_not_fit_are_errors(
    byte_vocabulary: mw.Vocabulary, held: NDArray[np.uint64]
) -> None:
    mask = mw.allocate_mask(ROWS, byte_vocabulary.size)
    with pytest.raises(mw.MaskBufferError, match="held must"):
        mw.fill_masks(places(byte_vocabulary, ROWS), mask, held=held)


def test_identities_of_one_row_are_told_as_one(byte_vocabulary: mw.Vocabulary) -> None:
    mask, none = mw.allocate_mask(1, byte_vocabulary.size), np.zeros(0, dtype=np.uint64)
    with pytest.raises(mw.MaskBufferError, match=r"^held must have a number for each row, so 1 number, but"):
        mw.fill_masks(places(byte_vocabulary, 1), mask, held=none)


def test_a_row_with_an_error_has_no_identity(byte_vocabulary: mw.Vocabulary) -> None:
    matchers = places(byte_vocabulary, ROWS)
    held = np.full(ROWS, 9, dtype=np.uint64)
    with pytest.raises(mw.MaskBufferError):
        mw.fill_masks(matchers, np.zeros((ROWS, 1), dtype=np.int32), held=held)
    assert not held.any()


@pytest.mark.parametrize("offset", [0, 8])
def test_identities_in_the_memory_of_the_masks_are_refused(
    byte_vocabulary: mw.Vocabulary, offset: int
) -> None:
    words = -(-byte_vocabulary.size // 32)
    memory = bytearray(ROWS * words * 4)
    mask = np.frombuffer(memory, dtype=np.int32).reshape(ROWS, words)
    # NumPy takes the two for arrays of different objects.
    held = np.frombuffer(memoryview(memory)[offset:], dtype=np.uint64)
    with pytest.raises(mw.MaskBufferError, match=r"^mask and held have the same memory"):
        mw.fill_masks(places(byte_vocabulary, ROWS), mask, held=held)
    assert not any(memory)


@pytest.mark.parametrize("threads", [1, 2])
def test_those_of_a_batch_whose_steps_take_too_much_are_named_and_the_others_go_on(
    byte_vocabulary: mw.Vocabulary, threads: int
) -> None:
    slow = mw.Compiler(byte_vocabulary, budget=mw.Budget(step_time=timedelta(microseconds=1)))
    small = mw.Compiler(byte_vocabulary, budget=mw.Budget(states=20))
    hostile = {
        3: slow.compile(mw.Grammar.regex("([a-z]+,)*[0-9]+")).matcher(),
        30: slow.compile(mw.Grammar.regex("([a-z]+,)*[0-9]+")).matcher(),
    }
    matchers = [hostile.get(row, matcher) for row, matcher in enumerate(places(byte_vocabulary, ROWS))]
    mask = mw.allocate_mask(ROWS, byte_vocabulary.size)
    held = np.zeros(ROWS, dtype=np.uint64)
    with pytest.raises(mw.BudgetExceededError, match=r"^matchers\[3\] and 1 more: the budget") as caught:
        mw.fill_masks(matchers, mask, held=held, threads=threads)
    assert caught.value.rows == (3, 30)
    assert np.flatnonzero(held == 0).tolist() == [3, 30]
    others = [row for row in range(ROWS) if row not in hostile]
    alone = single_masks([matchers[row] for row in others], byte_vocabulary.size)
    assert (mask[others] == alone).all()

    # So do those of steps that accept: nobody has moved, and the same call without them goes on.
    hostile = {5: small.compile(mw.Grammar.regex("[ab]{500}")).matcher()}
    matchers = [hostile.get(row, matcher) for row, matcher in enumerate(places(byte_vocabulary, ROWS))]
    with contextlib.suppress(mw.BudgetExceededError):
        while hostile[5].accept(ord("a")):
            pass
    steps = [matcher.step_count for matcher in matchers]
    with pytest.raises(mw.BudgetExceededError, match=r"^matchers\[5\]: the budget") as caught:
        mw.accept_batch(matchers, [ord("a")] * ROWS, threads=threads)
    assert caught.value.rows == (5,)
    assert [matcher.step_count for matcher in matchers] == steps
    del matchers[5]
    accepted = mw.accept_batch(matchers, [ord("a")] * (ROWS - 1), threads=threads)
    assert [
        matcher.step_count - before for matcher, before in zip(matchers, steps[:5] + steps[6:], strict=True)
    ] == [int(one) for one in accepted]


def test_the_number_of_threads_can_change_between_calls(byte_vocabulary: mw.Vocabulary) -> None:
    matchers = places(byte_vocabulary, ENOUGH_TO_SHARE)
    expected = single_masks(matchers, byte_vocabulary.size)
    for threads in (2, 3, 1, 2, None, 100_000):
        mask = mw.allocate_mask(ENOUGH_TO_SHARE, byte_vocabulary.size)
        mw.fill_masks(matchers, mask, threads=threads)
        assert (mask == expected).all()


def test_batches_of_several_python_threads_run_at_once(byte_vocabulary: mw.Vocabulary) -> None:
    wrong: list[int] = []

    def work(number: int) -> None:
        matchers = places(byte_vocabulary, ENOUGH_TO_SHARE)
        expected = single_masks(matchers, byte_vocabulary.size)
        for turn in range(20):
            mask = mw.allocate_mask(ENOUGH_TO_SHARE, byte_vocabulary.size)
            mw.fill_masks(matchers, mask, threads=2 + (turn + number) % 2)
            if (mask != expected).any():
                wrong.append(number)

    workers = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(timeout=60)
        assert not worker.is_alive()
    assert not wrong


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="this system does not list threads")
def test_no_more_threads_than_cores_that_may_be_used() -> None:
    script = """
import os, pathlib, sys
import maskwright as mw

cores = sorted(os.sched_getaffinity(0))[: int(sys.argv[1])]
os.sched_setaffinity(0, cores)
vocabulary = mw.Vocabulary.from_tokens([bytes([byte]) for byte in range(256)] + [None], stop_ids=[256])
matchers = [mw.Compiler(vocabulary).compile(mw.Grammar.regex("a+")).matcher()]
mask = mw.allocate_mask(1, vocabulary.size)
threads = pathlib.Path("/proc/self/task")
before = len(list(threads.iterdir()))  # counted, since a thread only takes its name when it runs
mw.fill_masks(matchers, mask)
assert len(list(threads.iterdir())) - before == len(cores) - 1
"""
    for cores in ("1", "2"):
        subprocess.run([sys.executable, "-c", script, cores], check=True, timeout=60)


def test_a_row_that_held_a_mask_of_another_compiler_is_written(byte_vocabulary: mw.Vocabulary) -> None:
    mask = mw.allocate_mask(1, byte_vocabulary.size)
    held = np.zeros(1, dtype=np.uint64)
    for pattern in ("[a-c]+", "[0-9]+"):
        matcher = mw.Compiler(byte_vocabulary).compile(mw.Grammar.regex(pattern)).matcher()
        expected = mw.allocate_mask(1, byte_vocabulary.size)
        matcher.fill_mask(expected)
        mw.fill_masks([matcher], mask, held=held)
        assert (mask == expected).all()
