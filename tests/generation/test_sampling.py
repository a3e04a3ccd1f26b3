"""Choosing tokens: what each option keeps, how often, and that a seed repeats."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from maskwright.errors import ArgumentError, ModelError
from maskwright.generation import Sampler, Sampling

INFINITY = float("inf")


def logits_of(probabilities: list[float]) -> NDArray[np.float32]:
    with np.errstate(divide="ignore"):
        return np.log(np.array(probabilities, np.float32))


def chosen(probabilities: list[float], draws: int = 400, **options: Any) -> list[int]:
    sampler = Sampler(Sampling(**{"temperature": 1.0, "seed": 7, **options}))
    logits = logits_of(probabilities)
    return [sampler.choose(logits) for _ in range(draws)]


def test_greedy_takes_the_likeliest() -> None:
    assert chosen([0.2, 0.5, 0.3], draws=5, temperature=0.0) == [1] * 5


def test_greedy_breaks_ties_by_the_smaller_id() -> None:
    assert chosen([0.2, 0.4, 0.4], draws=3, temperature=0.0) == [1] * 3


@pytest.mark.parametrize("top_k", [1, 2, 3, 25])
def test_of_equal_logits_those_of_the_smaller_ids_are_kept(top_k: int) -> None:
    ties = [0.0, 0.01, *[0.02] * 49, 0.03]
    kept = [51, *range(2, 51)][:top_k]
    assert set(chosen(ties, draws=1000, top_k=top_k)) == set(kept)


def test_frequencies_follow_the_probabilities() -> None:
    counts = np.bincount(chosen([0.1, 0.6, 0.0, 0.3], draws=4000), minlength=4) / 4000
    np.testing.assert_allclose(counts, [0.1, 0.6, 0.0, 0.3], atol=0.04)


def test_temperature_sharpens_and_flattens() -> None:
    cold, warm, hot = (
        np.mean(np.array(chosen([0.3, 0.7], draws=2000, temperature=temperature)) == 1)
        for temperature in (0.25, 1.0, 4.0)
    )
    assert cold > 0.95
    assert cold > warm > hot > 0.5


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ({}, {0, 1, 2, 3}),
        ({"top_k": 1}, {2}),
        ({"top_k": 2}, {2, 1}),
        ({"top_k": 99}, {0, 1, 2, 3}),
        ({"top_p": 0.1}, {2}),
        ({"top_p": 0.5}, {2, 1}),
        ({"top_p": 0.75}, {2, 1, 0}),
        ({"min_p": 1.0}, {2}),
        ({"min_p": 0.6}, {2, 1}),
        ({"min_p": 0.3}, {2, 1, 0}),
        ({"top_k": 3, "min_p": 0.3, "top_p": 0.5}, {2, 1}),
    ],
    ids=str,
)
def test_filters_keep_exactly_the_likeliest(options: dict[str, Any], kept: set[int]) -> None:
    assert set(chosen([0.2, 0.3, 0.4, 0.1], **options)) == kept


def test_what_a_mask_forbids_is_never_chosen() -> None:
    random = np.random.default_rng(1)
    sampler = Sampler(Sampling(temperature=5.0, seed=1))
    for _ in range(200):
        logits = random.normal(size=50).astype(np.float32)
        forbidden = random.random(50) < 0.9
        forbidden[random.integers(50)] = False
        logits[forbidden] = -INFINITY
        before = logits.copy()
        assert not forbidden[sampler.choose(logits)]
        np.testing.assert_array_equal(logits, before)


def test_a_seed_repeats_and_another_one_differs() -> None:
    flat = [0.1] * 10
    assert chosen(flat, seed=3) == chosen(flat, seed=3)
    assert chosen(flat, seed=3) != chosen(flat, seed=4)


@pytest.mark.parametrize("temperature", [1e-300, 1e-6, 1e300])
def test_extreme_temperatures_still_choose(temperature: float) -> None:
    assert set(chosen([0.2, 0.5, 0.3], draws=20, temperature=temperature)) <= {0, 1, 2}


@pytest.mark.parametrize("temperature", [0.0, 1.0])
@pytest.mark.parametrize("worst", [-INFINITY, INFINITY, float("nan")])
def test_logits_that_leave_no_choice_are_refused(temperature: float, worst: float) -> None:
    logits = np.full(4, worst, np.float32)
    with pytest.raises(ModelError, match="no token can be chosen"):
        Sampler(Sampling(temperature=temperature)).choose(logits)


@pytest.mark.parametrize(
    "option",
    [
        {"temperature": -0.1},
        {"temperature": INFINITY},
        {"temperature": float("nan")},
        {"top_k": -1},
        {"top_p": 0.0},
        {"top_p": 1.1},
        {"min_p": -0.1},
        {"min_p": 1.5},
        {"seed": -1},
    ],
    ids=str,
)
def test_options_out_of_range_are_refused_by_name(option: dict[str, Any]) -> None:
    (name,) = option
    with pytest.raises(ArgumentError, match=name) as caught:
        Sampling(**option)
    assert caught.value.argument == name
    assert isinstance(caught.value, ValueError)


ANY_SAMPLER: Any = Sampler


@pytest.mark.parametrize(
    ("logits", "error", "message"),
    [
        ([0.0, 1.0], TypeError, "logits is a NumPy array of floats, not list"),
        (None, TypeError, "logits is a NumPy array of floats, not NoneType"),
        (np.zeros(3, np.int32), TypeError, "logits is a NumPy array of floats, not one of int32"),
        (np.zeros((2, 3), np.float32), ModelError, r"their shape is \[2, 3\]"),
        (np.zeros((), np.float32), ModelError, r"their shape is \[\]"),
        (np.zeros(0, np.float32), ModelError, r"their shape is \[0\]"),
    ],
    ids=str,
)
def test_what_is_no_row_of_logits_is_refused(logits: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        ANY_SAMPLER(Sampling()).choose(logits)


def test_what_is_no_sampling_is_refused() -> None:
    with pytest.raises(TypeError, match=r"^sampling is a Sampling, not int$"):
        ANY_SAMPLER(3)
