"""Masks as arrays: what can be written to, batches, and logits."""

from __future__ import annotations

import sys
import threading
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import maskwright as mw
from replaying import places, single_masks

BATCH = 37
OTHER_ORDER = ">" if sys.byteorder == "little" else "<"


@pytest.fixture
def matchers(byte_vocabulary: mw.Vocabulary) -> list[mw.Matcher]:
    return places(byte_vocabulary, BATCH)


@pytest.mark.parametrize("threads", [None, 1, 2, 8])
def test_a_batch_gives_what_single_calls_give(
    byte_vocabulary: mw.Vocabulary, matchers: list[mw.Matcher], threads: int | None
) -> None:
    mask = mw.allocate_mask(BATCH + 2, byte_vocabulary.size)
    mw.fill_masks(matchers, mask, threads=threads)
    assert (mask[:BATCH] == single_masks(matchers, byte_vocabulary.size)).all()
    assert (mask[BATCH:] == -1).all(), "rows without a matcher are left alone"


@pytest.mark.parametrize("threads", [1, 3])
def test_accept_batch_says_which_tokens_were_allowed(matchers: list[mw.Matcher], threads: int) -> None:
    tokens = [ord("a"), ord("1"), ord("x")] * BATCH
    expected = [bool(m.validate([t])) for m, t in zip(matchers, tokens, strict=False)]
    accepted = mw.accept_batch(matchers, tokens[:BATCH], threads=threads)
    assert accepted.tolist() == expected
    assert accepted.dtype == np.bool_


def test_a_batch_with_a_bad_token_changes_nothing(matchers: list[mw.Matcher]) -> None:
    before = [matcher.step_count for matcher in matchers]
    for token_id in (10**9, 10**30, -1):
        message = rf"^matchers\[{BATCH - 2}\]: token id {token_id} is outside"
        with pytest.raises(mw.TokenIdError, match=message) as caught:
            mw.accept_batch(matchers, [ord("a")] * (BATCH - 2) + [token_id] * 2)
        assert (caught.value.token_id, caught.value.rows) == (token_id, (BATCH - 2,))
    assert [matcher.step_count for matcher in matchers] == before


def test_a_matcher_cannot_stand_twice_in_a_batch(
    byte_vocabulary: mw.Vocabulary, matchers: list[mw.Matcher]
) -> None:
    mask = mw.allocate_mask(2, byte_vocabulary.size)
    with pytest.raises(mw.MatcherBusyError, match=r"matchers\[1\] stands twice") as caught:
        mw.fill_masks([matchers[0], matchers[0]], mask)
    assert caught.value.rows == (0, 1)
    with pytest.raises(mw.MatcherBusyError, match=r"matchers\[2\] stands twice") as caught:
        mw.accept_batch([matchers[1], matchers[0], matchers[1]], [97, 97, 97])
    assert caught.value.rows == (0, 2)
    mw.fill_masks([matchers[0], matchers[0].fork()], mask)


def test_a_batch_can_be_empty(byte_vocabulary: mw.Vocabulary) -> None:
    mw.fill_masks([], mw.allocate_mask(0, byte_vocabulary.size))
    assert mw.accept_batch([], []).tolist() == []


def test_a_batch_needs_as_many_rows_and_tokens(
    byte_vocabulary: mw.Vocabulary, matchers: list[mw.Matcher]
) -> None:
    with pytest.raises(
        mw.MaskBufferError, match=r"the mask has 3 rows, but there is to be one for each of 37 matchers"
    ):
        mw.fill_masks(matchers, mw.allocate_mask(3, byte_vocabulary.size))
    with pytest.raises(
        mw.MaskBufferError, match=r"the mask has 1 row, but there is to be one for each of 2 matchers"
    ):
        mw.fill_masks(matchers[:2], mw.allocate_mask(1, byte_vocabulary.size))
    with pytest.raises(
        mw.ArgumentError, match=r"one token for each matcher, but for 37 matchers there came 1 token$"
    ):
        mw.accept_batch(matchers, [97])
    with pytest.raises(mw.ArgumentError, match=r"but for 1 matcher there came 2 tokens$"):
        mw.accept_batch(matchers[:1], [97, 97])
    with pytest.raises(mw.ArgumentError, match="threads"):
        mw.fill_masks(matchers, mw.allocate_mask(BATCH, byte_vocabulary.size), threads=0)


def read_only(words: int) -> NDArray[np.int32]:
    mask = np.zeros((1, words), dtype=np.int32)
    mask.flags.writeable = False
    return mask


def unaligned(shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """An array that begins one byte behind the beginning of another."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    return np.ndarray(shape, dtype, buffer=np.zeros(size + 1, dtype=np.uint8).data, offset=1)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda words: np.zeros((1, words), dtype=np.int64), "int32"),
        (lambda words: np.zeros((1, words + 1), dtype=np.int32), "words"),
        (lambda words: np.zeros((1, 1, words), dtype=np.int32), "dimensions"),
        (lambda words: np.zeros((words, 2), dtype=np.int32).T, "^mask must be contiguous"),
        (
            lambda words: unaligned((1, words), np.int32),
            r"^mask must be an aligned .* of 4 .* mask\.copy",
        ),
        (
            lambda words: np.zeros((1, words), dtype=f"{OTHER_ORDER}i4"),
            "i4, which is in the byte order of another",
        ),
        (lambda words: [0] * words, "not list$"),
        (lambda words: None, "not NoneType$"),
        (read_only, "cannot be written"),
    ],
)
def test_an_array_that_does_not_fit_is_an_error(
    byte_vocabulary: mw.Vocabulary, matchers: list[mw.Matcher], make: Any, message: str
) -> None:
    words = -(-byte_vocabulary.size // 32)
    with pytest.raises(mw.MaskBufferError, match=message):
        matchers[0].fill_mask(make(words))


def test_rows_without_words_are_told_how_many_they_need(
    byte_vocabulary: mw.Vocabulary, matchers: list[mw.Matcher]
) -> None:
    empty = np.zeros((BATCH, 0), dtype=np.int32)
    with pytest.raises(
        mw.MaskBufferError,
        match=f"of 0 words was given, but the vocabulary needs {-(-byte_vocabulary.size // 32)} ",
    ):
        mw.fill_masks(matchers, empty)
    one = np.zeros((BATCH, 1), dtype=np.int32)
    with pytest.raises(mw.MaskBufferError, match=r"a mask row of 1 word was given"):
        mw.fill_masks(matchers, one)
    with pytest.raises(
        mw.MaskBufferError, match=r"a mask row of 1 word was given.*by maskwright.allocate_mask"
    ):
        matchers[0].fill_mask(one)


def test_rows_of_more_logits_than_tokens_are_told_of_the_size(
    byte_vocabulary: mw.Vocabulary, matchers: list[mw.Matcher]
) -> None:
    padded = mw.allocate_mask(BATCH, byte_vocabulary.size + 64)
    told = r"pass their number as size= when the vocabulary is made$"
    with pytest.raises(mw.MaskBufferError, match=told):
        matchers[0].fill_mask(padded)
    with pytest.raises(mw.MaskBufferError, match=told):
        mw.fill_masks(matchers, padded)


def test_numbers_of_masks_that_are_not_aligned_are_told_so(
    byte_vocabulary: mw.Vocabulary, matchers: list[mw.Matcher]
) -> None:
    mask = mw.allocate_mask(BATCH, byte_vocabulary.size)
    with pytest.raises(mw.MaskBufferError, match=r"^held must be an aligned array, .* of 8 bytes"):
        mw.fill_masks(matchers, mask, held=unaligned((BATCH,), np.uint64))


def test_threads_write_rows_of_one_array(byte_vocabulary: mw.Vocabulary) -> None:
    """Each with a matcher of its own, and none has to wait for another."""
    constraint = mw.Compiler(byte_vocabulary).compile(mw.Grammar.regex("[a-d]*"))
    array = mw.allocate_mask(4, byte_vocabulary.size)
    expected = mw.allocate_mask(1, byte_vocabulary.size)
    constraint.matcher().fill_mask(expected)
    errors: list[Exception] = []

    def work(row: int) -> None:
        matcher = constraint.matcher()
        try:
            for _ in range(2000):
                matcher.fill_mask(array, row)
        except mw.MaskwrightError as error:
            errors.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        threads = [threading.Thread(target=work, args=(row,)) for row in (0, 1, 2, -1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not errors
    assert (array == expected).all()


def test_rows_outside_the_array_are_errors(
    byte_vocabulary: mw.Vocabulary, matchers: list[mw.Matcher]
) -> None:
    mask = mw.allocate_mask(2, byte_vocabulary.size)
    for row in (2, -3, 10**30, -(10**30)):
        with pytest.raises(mw.MaskBufferError, match=f"the mask has 2 rows, so there is no row {row}$"):
            matchers[0].fill_mask(mask, row)
    with pytest.raises(mw.MaskBufferError, match=r"the mask has 1 row, so there is no row 1$"):
        matchers[0].fill_mask(mask[:1], 1)
    matchers[0].fill_mask(mask, -1)  # counted from the end, as in NumPy
    flat = mask[0].copy()
    matchers[0].fill_mask(flat)
    assert (flat == mask[1]).all()


FLOATS: list[type[np.floating[Any]]] = [np.float16, np.float32, np.float64]


def read_only_logits(dtype: type[np.floating[Any]]) -> NDArray[np.floating[Any]]:
    logits = np.zeros((1, 4), dtype=dtype)
    logits.flags.writeable = False
    return logits


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("size", [1, 31, 32, 33, 100])
def test_disallowed_logits_become_minus_infinity(dtype: type[np.floating[Any]], size: int) -> None:
    generator = np.random.default_rng(size)
    mask = generator.integers(-(2**31), 2**31, (3, 4), dtype=np.int64).astype(np.int32)
    mask[1] = -1
    mask[2, 0] = 0
    logits = generator.standard_normal((3, size)).astype(dtype)
    bits = np.unpackbits(mask.view(np.uint8), axis=1, bitorder="little")[:, :size]
    expected = np.where(bits, logits, -np.inf).astype(dtype)
    mw.apply_mask(logits, mask)
    assert (logits == expected).all()


@pytest.mark.parametrize("dtype", FLOATS)
def test_a_mask_that_is_applied_is_only_read(dtype: type[np.floating[Any]]) -> None:
    mask = read_only(2)
    mask.flags.writeable = True
    mask[0, 0] = 5
    mask.flags.writeable = False
    logits = np.zeros((1, 40), dtype=dtype)
    mw.apply_mask(logits, mask)
    assert np.flatnonzero(logits == 0).tolist() == [0, 2]


def test_threads_apply_one_mask() -> None:
    """Each to logits of its own, and none has to wait for another."""
    mask = mw.allocate_mask(1, 1 << 22)
    mask[0, 0] = 5
    errors: list[Exception] = []

    def work() -> None:
        logits = np.zeros(1 << 22, dtype=np.float16)
        try:
            for _ in range(10):
                mw.apply_mask(logits, mask)
        except mw.MaskwrightError as error:
            errors.append(error)
        assert np.isneginf(logits).sum() == 30

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


def test_one_row_of_logits_and_mask() -> None:
    logits = np.zeros(40, dtype=np.float32)
    mw.apply_mask(logits, np.array([1, 0], dtype=np.int32))
    assert np.flatnonzero(logits == 0).tolist() == [0]


@pytest.mark.parametrize(
    ("logits", "message"),
    [
        (np.zeros((1, 4), dtype=np.int32), "float32"),
        (np.zeros((2, 4), dtype=np.float32), "do not fit a mask of 1 row: they are"),
        *(
            (np.zeros(shape, dtype=np.float32), r"they are \[size\] or \[rows, size\], with as many rows")
            for shape in ((), (1, 1, 4))
        ),
        (np.zeros((1, 100), dtype=np.float32), "size="),
        (np.zeros((8, 1), dtype=np.float32).T[:, ::2], "^logits must be contiguous"),
        (
            np.zeros((1, 8), dtype=np.float32)[:, ::2],
            "this is a part of an array, or one laid out by columns",
        ),
        (unaligned((1, 4), np.float32), "^logits must be an aligned array, .* of 4 bytes"),
        ([0.0, 1.0], "NumPy array or a torch tensor"),
        *((np.zeros((1, 4), dtype=f"{OTHER_ORDER}f{width}"), "byte order") for width in (2, 4, 8)),
        *((read_only_logits(dtype), "^logits cannot be written, since the") for dtype in FLOATS),
    ],
)
def test_logits_that_do_not_fit_are_errors(logits: Any, message: str) -> None:
    with pytest.raises(mw.MaskBufferError, match=message):
        mw.apply_mask(logits, np.zeros((1, 1), dtype=np.int32))


def test_logits_in_the_memory_of_their_mask_are_refused() -> None:
    mask = np.zeros((1, 1), dtype=np.int32)
    with pytest.raises(
        mw.MaskBufferError,
        match=r"^logits cannot be written now, .* has the same memory",
    ):
        mw.apply_mask(mask.view(np.float32), mask)
    memory = bytearray(4)
    shared: list[Any] = [np.frombuffer(memory, dtype=dtype) for dtype in (np.float32, np.int32)]
    one, other = shared
    with pytest.raises(mw.MaskBufferError, match=r"^logits and mask have the same memory"):
        mw.apply_mask(one, other)
    assert not any(memory)


def test_logits_of_another_layout_are_told_how_to_be_masked(byte_vocabulary: mw.Vocabulary) -> None:
    table = np.zeros(byte_vocabulary.size, dtype=[("id", np.intc), ("logit", np.single)])
    padded = np.zeros((2, byte_vocabulary.size + 7), dtype=np.float32)[:, : byte_vocabulary.size]
    several = np.zeros((4, byte_vocabulary.size), dtype=np.float32)[::2]
    for logits in (table["logit"], padded, several):
        mask = mw.allocate_mask(len(logits) if logits.ndim == 2 else 1, byte_vocabulary.size)
        with pytest.raises(
            mw.MaskBufferError, match=r"logits\.contiguous\(\), and write the copy back$"
        ) as caught:
            mw.apply_mask(logits, mask)
        assert "allocate_mask" not in str(caught.value)
