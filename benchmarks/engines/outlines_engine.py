"""outlines-core: a schema becomes a regular expression, and that an index of every state's tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import outlines_core
from numpy.typing import NDArray
from outlines_core.json_schema import build_regex_from_schema

from benchmarks.engines.protocol import Batch, Compiled, Cursor, Refused, Source, TokenTable

__all__ = ["create"]


class _Engine:
    settings = (
        "Default depth of recursion (3). White space is [ \\t\\n\\r]* or its default [ ]?, which is looser "
        "than the layout of json.dumps: it cannot prescribe that. write_mask_into a NumPy row; "
        "advance without the list of tokens. It has no grammars, and one stop token."
    )

    def __init__(self, table: TokenTable) -> None:
        tokens: dict[bytes, list[int]] = {}
        for token_id, token in enumerate(table.tokens):
            if token:
                tokens.setdefault(token, []).append(token_id)
        self._vocabulary: Any = outlines_core.Vocabulary(table.stop_ids[-1], tokens)
        self.words: NDArray[np.int32] = np.zeros(-(-table.size // 32), dtype=np.int32)

    def renew(self) -> None:
        """Nothing is kept between grammars."""

    def spelled(self, source: Source) -> Source:
        return source

    def compile(self, source: Source) -> Compiled:
        if source.kind != "json_schema":
            raise Refused("no grammars")
        pattern = r"[ \t\n\r]*" if source.whitespace == "free" else None
        try:
            index = outlines_core.Index(build_regex_from_schema(source.text, pattern), self._vocabulary)
        except (ValueError, TypeError, RuntimeError) as error:
            raise Refused(str(error)) from error
        return partial(self._start, index)

    def _start(self, index: Any) -> Cursor:
        guide: Any = outlines_core.Guide(index)
        fill = partial(guide.write_mask_into, self.words.ctypes.data, self.words.size, 4)
        return Cursor(guide, fill, partial(_accept, guide), guide.is_finished)

    def batch(self, rows: int, threads: int) -> Batch:
        return _Batch(np.zeros((rows, len(self.words)), dtype=np.int32))


class _Batch:
    """One after the other: it has no batches."""

    def __init__(self, mask: NDArray[np.int32]) -> None:
        self.mask = mask

    def accept(self, matchers: Sequence[Any], tokens: Sequence[int]) -> Sequence[object]:
        return [_accept(guide, token) for guide, token in zip(matchers, tokens, strict=True)]

    def fill(self, matchers: Sequence[Any]) -> None:
        address, words = self.mask.ctypes.data, self.mask.shape[1]
        for row, guide in enumerate(matchers):
            guide.write_mask_into(address + row * words * 4, words, 4)


def _accept(guide: Any, token: int) -> bool:
    try:
        guide.advance(token, False)
    except ValueError:
        return False
    return True


def create(table: TokenTable, _options: Mapping[str, str]) -> _Engine:
    """The engine; it has no options."""
    return _Engine(table)
