"""Choosing a token from logits.

Takes logits, in which whatever a mask forbids is already ``-inf``, and gives one token id. The filters
apply in the order temperature, top-k, min-p, top-p, each to what the one before it left.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maskwright.checking import integer, number, told
from maskwright.errors import ArgumentError, ModelError

__all__ = ["Sampler", "Sampling"]


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """How to choose among the tokens that are allowed.

    Attributes:
        temperature: what logits are divided by; 0 takes the likeliest token always.
        top_k: keep only this many of the likeliest tokens; 0 keeps all.
        top_p: keep the likeliest tokens until their probabilities add up to this; 1 keeps all.
        min_p: keep tokens at least this fraction as likely as the likeliest; 0 keeps all.
        seed: the same seed makes the same choices; None chooses a new one each time.

    Raises:
        ArgumentError: a value lies outside its range.
        TypeError: a value is no number.

    Example:
        >>> Sampling(temperature=0.7, top_p=0.9, seed=1).top_p
        0.9
    """

    temperature: float = 0.0
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0
    seed: int | None = None

    def __post_init__(self) -> None:
        for name in ("temperature", "top_p", "min_p"):
            object.__setattr__(self, name, number(getattr(self, name), name))
        object.__setattr__(self, "top_k", integer(self.top_k, "top_k"))
        if self.seed is not None:
            object.__setattr__(self, "seed", integer(self.seed, "seed"))
        ranges = {
            "temperature": (0 <= self.temperature < math.inf, "a finite number, 0 or more"),
            "top_k": (self.top_k >= 0, "0 or more"),
            "top_p": (0 < self.top_p <= 1, "more than 0 and at most 1"),
            "min_p": (0 <= self.min_p <= 1, "between 0 and 1"),
            "seed": (self.seed is None or self.seed >= 0, "0 or more"),
        }
        for name, (fits, needed) in ranges.items():
            if not fits:
                raise ArgumentError(
                    f"{name} has to be {needed}, not {told(getattr(self, name))}", argument=name
                )


class Sampler:
    """A source of choices; it carries the state of the random generator from one to the next.

    Args:
        sampling: how to choose.

    Raises:
        TypeError: it is no :class:`Sampling`.

    Example:
        >>> import numpy as np
        >>> sampler = Sampler(Sampling(temperature=0.5, seed=1))
        >>> logits = np.array([-np.inf, 0.5, 2.0, -np.inf], dtype=np.float32)
        >>> sampler.choose(logits) in (1, 2)
        True
    """

    def __init__(self, sampling: Sampling) -> None:
        if not isinstance(sampling, Sampling):
            raise TypeError(f"sampling is a Sampling, not {type(sampling).__name__}")
        self._sampling = sampling
        self._random = np.random.default_rng(sampling.seed)

    def choose(self, logits: NDArray[np.float32]) -> int:
        """Chooses one token.

        Args:
            logits: NumPy array of floats ``[tokens]``; ``-inf`` is never chosen. It is not changed.

        Returns:
            The id of the chosen token.

        Raises:
            ModelError: every logit is ``-inf``, one is NaN or ``+inf``, or the array has another shape.
            TypeError: it is no array, or one of no floats.

        Example:
            >>> import numpy as np
            >>> Sampler(Sampling()).choose(np.array([0.5, 2.0, -np.inf], dtype=np.float32))
            1
        """
        _check_logits(logits)
        likeliest = int(np.argmax(logits))  # a NaN counts as the greatest
        if not math.isfinite(logits[likeliest]):
            raise ModelError(
                "no token can be chosen: the greatest logit is "
                f"{logits[likeliest]}, so the mask allows nothing or the model's numbers overflowed"
            )
        if self._sampling.temperature == 0:
            return likeliest
        ids, probabilities = self._filter(logits)
        return int(self._random.choice(ids, p=probabilities))

    def __repr__(self) -> str:
        return f"Sampler({self._sampling!r})"

    def _filter(self, logits: NDArray[np.float32]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """The ids that may be chosen, likeliest first, with probabilities that add up to 1."""
        sampling = self._sampling
        ids = np.flatnonzero(logits > -np.inf)
        # Equal logits keep the order of their ids, so that a seed means the same on every machine.
        if 0 < sampling.top_k < ids.size:
            found = logits[ids]
            least = np.partition(found, -sampling.top_k)[-sampling.top_k]
            above = ids[found > least]
            ids = np.concatenate([above, ids[found == least][: sampling.top_k - above.size]])
        ids = ids[np.lexsort((ids, -logits[ids]))]
        scaled = logits[ids].astype(np.float64)
        with np.errstate(over="ignore"):  # a tiny temperature makes the differences infinite: rightly so
            weights = np.exp((scaled - scaled[0]) / sampling.temperature)
        keep = weights >= sampling.min_p  # the likeliest has weight 1
        weights /= weights[keep].sum()
        # A token is kept while those before it have not reached top_p; so the first one always is.
        before = np.cumsum(weights) - weights
        keep &= (before < sampling.top_p) if sampling.top_p < 1 else True
        kept = weights[keep]
        return ids[keep], kept / kept.sum()


def _check_logits(logits: object) -> None:
    """Checks that something is a row of logits.

    Raises:
        ModelError: its shape is another.
        TypeError: it is none at all.
    """
    if not isinstance(logits, np.ndarray) or logits.dtype.kind != "f":
        found = f"one of {logits.dtype}" if isinstance(logits, np.ndarray) else type(logits).__name__
        raise TypeError(f"logits is a NumPy array of floats, not {found}")
    if logits.ndim != 1 or logits.size == 0:
        raise ModelError(f"logits are of one sequence, [tokens], but their shape is {list(logits.shape)}")
