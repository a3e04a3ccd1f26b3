"""No engine at all: allows every token, and copies one full mask for each step.

The least that any engine can take in this harness, through the same calls, and the machine's noise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.engines.protocol import Batch, Compiled, Cursor, Source, TokenTable

__all__ = ["create"]


class _Engine:
    settings = "Copies a full mask by NumPy; allows everything."

    def __init__(self, table: TokenTable) -> None:
        self._full: NDArray[np.int32] = np.full(-(-table.size // 32), -1, dtype=np.int32)
        self.words = self._full.copy()

    def renew(self) -> None:
        """Nothing is kept."""

    def spelled(self, source: Source) -> Source:
        return source

    def compile(self, source: Source) -> Compiled:
        cursor = Cursor(None, partial(np.copyto, self.words, self._full), _always, _always)
        return lambda: cursor

    def batch(self, rows: int, threads: int) -> Batch:
        return _Batch(self._full, rows)


class _Batch:
    def __init__(self, full: NDArray[np.int32], rows: int) -> None:
        self._full = full
        self.mask = np.zeros((rows, len(full)), dtype=np.int32)

    def accept(self, matchers: Sequence[Any], tokens: Sequence[int]) -> Sequence[object]:
        return [True] * len(tokens)

    def fill(self, matchers: Sequence[Any]) -> None:
        np.copyto(self.mask, self._full)


def _always(token: int = 0) -> bool:
    return True


def create(table: TokenTable, _options: Mapping[str, str]) -> _Engine:
    """The engine; it has no options."""
    return _Engine(table)
