"""xgrammar."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import xgrammar
from numpy.typing import NDArray

from benchmarks.engines.protocol import (
    CALL_TRIGGER,
    Batch,
    Compiled,
    Cursor,
    Refused,
    Source,
    TokenTable,
    call_marks,
)
from benchmarks.engines.spelling import spelled_for_xgrammar

__all__ = ["create"]


class _Engine:
    def __init__(self, table: TokenTable, *, strict: bool) -> None:
        self._information = xgrammar.TokenizerInfo(
            [token or b"" for token in table.tokens],
            xgrammar.VocabType.RAW,
            vocab_size=table.size,
            stop_token_ids=list(table.stop_ids),
        )
        self._strict = strict
        self.settings = (
            f"TokenizerInfo from the raw tokens; max_threads=1; its cache on; strict_mode={strict}, because "
            "a schema allows additional properties unless it says otherwise; any_whitespace=True, or False "
            "with the separators of json.dumps; fill_next_token_bitmask into a NumPy row. In GBNF, an empty "
            'alternative is written as "", and alternatives in a repetition as its cached masks need them. '
            "Sets of tools are a structural tag of triggered tags, with the schemas as they are."
        )
        self._mask: NDArray[np.int32] = np.full((1, -(-table.size // 32)), -1, dtype=np.int32)
        self.words: NDArray[np.int32] = self._mask[0]
        self.renew()

    def renew(self) -> None:
        self._compiler = xgrammar.GrammarCompiler(self._information, max_threads=1)

    def spelled(self, source: Source) -> Source:
        return replace(source, text=spelled_for_xgrammar(source.text)) if source.kind == "gbnf" else source

    def compile(self, source: Source) -> Compiled:
        try:
            compiled = self._compile(source)
        except RuntimeError as error:
            raise Refused(str(error)) from error
        return partial(self._start, compiled)

    def _compile(self, source: Source) -> Any:
        if source.kind == "gbnf":
            return self._compiler.compile_grammar(source.text)
        if source.kind == "tool_set":
            return self._compiler.compile_structural_tag(_structural_tag(json.loads(source.text)))
        free = source.whitespace == "free"
        return self._compiler.compile_json_schema(
            source.text,
            any_whitespace=free,
            separators=None if free else (", ", ": "),
            strict_mode=self._strict,
        )

    def _start(self, compiled: Any) -> Cursor:
        matcher = xgrammar.GrammarMatcher(compiled)
        fill = partial(matcher.fill_next_token_bitmask, self._mask, 0)
        return Cursor(matcher, fill, matcher.accept_token, matcher.is_completed)

    def batch(self, rows: int, threads: int) -> Batch:
        return _Batch(np.full((rows, len(self.words)), -1, dtype=np.int32), threads)


def _structural_tag(tools: Sequence[Mapping[str, Any]]) -> Any:
    """Free text in which a trigger opens a call of one of some tools."""
    tags = []
    for tool in tools:
        begin, end = call_marks(tool["name"])
        content = {"type": "json_schema", "json_schema": tool["parameters"]}
        tags.append({"type": "tag", "begin": begin, "content": content, "end": end})
    form = {"type": "triggered_tags", "triggers": [CALL_TRIGGER], "tags": tags}
    return {"type": "structural_tag", "format": form}


class _Batch:
    def __init__(self, mask: NDArray[np.int32], threads: int) -> None:
        self.mask = mask
        self._matcher = xgrammar.BatchGrammarMatcher(max_threads=threads)

    def accept(self, matchers: Sequence[Any], tokens: Sequence[int]) -> Sequence[object]:
        accepted: list[bool] = xgrammar.BatchGrammarMatcher.batch_accept_token(list(matchers), list(tokens))
        return accepted

    def fill(self, matchers: Sequence[Any]) -> None:
        self._matcher.batch_fill_next_token_bitmask(list(matchers), self.mask)


def create(table: TokenTable, options: Mapping[str, str]) -> _Engine:
    """The engine; option: ``strict=on|off``, by default off."""
    return _Engine(table, strict=options.get("strict") == "on")
