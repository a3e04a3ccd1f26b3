"""glrmask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import glrmask
import numpy as np
from numpy.typing import NDArray

from benchmarks.engines.protocol import Batch, Compiled, Cursor, Refused, Source, TokenTable
from benchmarks.engines.spelling import lark_of_gbnf

__all__ = ["create"]

STRATEGIES = {
    "auto": glrmask.MaskStrategy.AUTO,
    "dwa": glrmask.MaskStrategy.PARSER_DWA,
    "trie": glrmask.MaskStrategy.TOKEN_TRIE,
}


class _Engine:
    def __init__(self, table: TokenTable, strategy: str) -> None:
        self._vocabulary = glrmask.Vocab.from_id_to_bytes(dict(_texts(table)))
        self._strategy = STRATEGIES[strategy]
        self.settings = (
            f"MaskStrategy.{strategy.upper()}; it has one layout of JSON only, that of json.dumps, and "
            "uses it under free white space too; fill_mask into a NumPy row; no stop token in the grammar, "
            "as is its default: is_accepting says where a text may end. GBNF is converted to Lark, untimed. "
            "It has no batches."
        )
        self.words: NDArray[np.int32] = np.zeros(-(-table.size // 32), dtype=np.int32)

    def renew(self) -> None:
        """What it keeps belongs to the vocabulary, not to grammars."""

    def spelled(self, source: Source) -> Source:
        return replace(source, text=lark_of_gbnf(source.text)) if source.kind == "gbnf" else source

    def compile(self, source: Source) -> Compiled:
        if source.kind == "tool_set":
            raise Refused("no free text with calls in it")
        try:
            if source.kind == "gbnf":
                grammar = glrmask.Grammar.from_lark(source.text)
            else:
                grammar = glrmask.Grammar.from_json_schema(source.text)
            constraint = grammar.compile(self._vocabulary, mask_strategy=self._strategy)
        except ValueError as error:
            raise Refused(str(error)) from error
        return partial(self._start, constraint)

    def _start(self, constraint: Any) -> Cursor:
        state = constraint.start()
        return Cursor(state, partial(state.fill_mask, self.words), state.commit_token, state.is_accepting)

    def batch(self, rows: int, threads: int) -> Batch:
        return _Batch(np.zeros((rows, len(self.words)), dtype=np.int32))


class _Batch:
    """One after the other: its calls do not release the GIL, so that threads bring nothing."""

    def __init__(self, mask: NDArray[np.int32]) -> None:
        self.mask = mask
        self._rows: list[NDArray[np.int32]] = list(mask)

    def accept(self, matchers: Sequence[Any], tokens: Sequence[int]) -> Sequence[object]:
        return [state.commit_token(token) for state, token in zip(matchers, tokens, strict=True)]

    def fill(self, matchers: Sequence[Any]) -> None:
        for state, row in zip(matchers, self._rows, strict=True):
            state.fill_mask(row)


def _texts(table: TokenTable) -> list[tuple[int, bytes]]:
    return [(token_id, token) for token_id, token in enumerate(table.tokens) if token]


def create(table: TokenTable, options: Mapping[str, str]) -> _Engine:
    """The engine; option: ``strategy=auto|dwa|trie``, the first is its default."""
    return _Engine(table, options.get("strategy", "auto"))
