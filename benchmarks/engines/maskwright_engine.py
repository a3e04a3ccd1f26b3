"""This project."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import maskwright as mw
from benchmarks.engines.protocol import Batch, Compiled, Cursor, Refused, Source, TokenTable, call_marks

__all__ = ["create"]


class _Engine:
    def __init__(self, table: TokenTable, options: Mapping[str, str]) -> None:
        self._vocabulary = mw.Vocabulary.from_tokens(
            table.tokens, special_tokens=table.special_tokens, stop_ids=table.stop_ids, size=table.size
        )
        self._order: Any = options.get("order", "any")
        names = {field.name for field in dataclasses.fields(mw.Settings)}
        flags: dict[str, Any] = {name: options[name] == "on" for name in names & options.keys()}
        self._settings = mw.Settings(**flags)
        warm = options.get("warm", "0")
        self._warm: Any = warm if warm == "all" else int(warm)
        self._tools = options.get("tools", "calls")
        self.settings = (
            f"order={self._order!r}, {self._settings}, warm={self._warm!r}; whitespace 'free' or 'spaced'; "
            f"formats enforced; fill_mask into a NumPy row. Sets of tools by tools={self._tools}."
        )
        self._mask = mw.allocate_mask(1, table.size)
        self.words: NDArray[np.int32] = self._mask[0]
        self.renew()

    def renew(self) -> None:
        # What a Compiler keeps between grammars goes with it.
        self._compiler = mw.Compiler(self._vocabulary)

    def spelled(self, source: Source) -> Source:
        return source

    def compile(self, source: Source) -> Compiled:
        try:
            constraint = self._compiler.compile(
                self._grammar(source), settings=self._settings, warm=self._warm
            )
        except mw.MaskwrightError as error:
            raise Refused(f"{type(error).__name__}: {error}") from error

        def start() -> Cursor:
            matcher = constraint.matcher()
            return Cursor(
                matcher,
                partial(matcher.fill_mask, self._mask, 0),
                matcher.accept,
                lambda: matcher.is_complete,
            )

        return start

    def _grammar(self, source: Source) -> mw.Grammar:
        if source.kind == "gbnf":
            return mw.Grammar.gbnf(source.text)
        whitespace: Any = "spaced" if source.whitespace == "fixed" else "free"
        if source.kind == "tool_set":
            return self._tool_set(json.loads(source.text), whitespace)
        return mw.Grammar.json_schema(source.text, order=self._order, whitespace=whitespace)

    def _tool_set(self, tools: Sequence[Mapping[str, Any]], whitespace: Any) -> mw.Grammar:
        options = {"order": self._order, "whitespace": whitespace}
        if self._tools == "calls":
            return mw.ToolCalls(tools, "hermes", reasoning="off", **options).grammar()
        tags = []
        for tool in tools:
            begin, end = call_marks(tool["name"])
            arguments = mw.Grammar.json_schema(tool["parameters"], **options)
            tags.append(mw.Tag(begin=begin, content=mw.Grammar.sequence([arguments, end])))
        return mw.Grammar.free_text(tags=tags)

    def batch(self, rows: int, threads: int) -> Batch:
        return _Batch(mw.allocate_mask(rows, self._vocabulary.size), threads)


class _Batch:
    def __init__(self, mask: NDArray[np.int32], threads: int) -> None:
        self.mask = mask
        self._threads = threads

    def accept(self, matchers: Sequence[mw.Matcher], tokens: Sequence[int]) -> Sequence[object]:
        return list(mw.accept_batch(matchers, tokens, threads=self._threads))

    def fill(self, matchers: Sequence[mw.Matcher]) -> None:
        mw.fill_masks(matchers, self.mask, threads=self._threads)


def create(table: TokenTable, options: Mapping[str, str]) -> _Engine:
    """The engine; options: ``order=any|declared``, ``warm=N|all``, fields of ``Settings`` as ``on|off``.

    Sets of tools are ``tools=calls``, by ``ToolCalls``, or ``tools=tags``, by ``Grammar.free_text`` with one
    tag for each tool.
    """
    return _Engine(table, options)
