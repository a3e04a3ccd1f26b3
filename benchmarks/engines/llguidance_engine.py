"""llguidance, by its ``LLMatcher``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import llguidance
import numpy as np
from llguidance.gbnf_to_lark import any_to_lark
from llguidance.numpy import consume_token_par, fill_next_token_bitmask_par
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

__all__ = ["create"]


class _Tokens:
    """What ``TokenizerWrapper`` wants of a tokeniser that is none of tiktoken's kind."""

    bos_token_id = None

    def __init__(self, table: TokenTable) -> None:
        self._encode = table.encode
        self.eos_token_id = table.stop_ids[-1]
        self.special_token_ids = sorted(set(table.special_tokens.values()))
        names = {token_id: name.encode() for name, token_id in table.special_tokens.items()}
        padded = [*table.tokens, *[None] * (table.size - len(table.tokens))]
        self.tokens = [token or names.get(token_id, b"") for token_id, token in enumerate(padded)]

    def __call__(self, text: str) -> list[int]:
        return self._encode(text)


def _tokenizer(table: TokenTable) -> Any:
    """Its tokeniser. It must encode as the model does: of forced text, masks allow only that encoding."""
    stop = list(table.stop_ids)
    if table.encoding is None:
        wrapper: Any = llguidance.TokenizerWrapper(_Tokens(table))
        return llguidance.LLTokenizer(wrapper, n_vocab=table.size, eos_token=stop)
    tokenizer_class: Any = llguidance.LLTokenizer
    return tokenizer_class.from_tiktoken(
        encoder=table.encoding._mergeable_ranks,
        special_tokens=dict(table.special_tokens),
        pattern=table.encoding._pat_str,
        eos_token=stop,
        n_vocab=table.size,
    )


class _Engine:
    def __init__(self, table: TokenTable, *, coerce: bool, tools: str) -> None:
        self._coerce = coerce
        self._tools = tools
        self.settings = (
            "LLTokenizer from tiktoken, with its default slices; whitespace_flexible=True, or False with the "
            "separators of json.dumps; unsafe_compute_mask_ptr, its fastest mask call; further sequences of "
            "a grammar are deep copies, so that lexer states are shared. GBNF goes through its own "
            f"converter, untimed. coerce_one_of={coerce}. Sets of tools are Lark with lazy lexemes, "
            f"tools={tools}."
        )
        self._tokenizer = _tokenizer(table)
        self.words: NDArray[np.int32] = np.zeros(-(-table.size // 32), dtype=np.int32)

    def renew(self) -> None:
        """Nothing is kept between grammars."""

    def spelled(self, source: Source) -> Source:
        if source.kind != "gbnf":
            return source
        return replace(source, text=llguidance.LLMatcher.grammar_from_lark(any_to_lark(source.text)))

    def compile(self, source: Source) -> Compiled:
        matcher = llguidance.LLMatcher(self._tokenizer, self._grammar(source), log_level=0)
        if matcher.is_error():
            raise Refused(matcher.get_error())
        return partial(self._start, matcher)

    def _start(self, first: Any) -> Cursor:
        matcher = first.deep_copy()
        fill = partial(matcher.unsafe_compute_mask_ptr, self.words.ctypes.data, self.words.nbytes)
        return Cursor(matcher, fill, matcher.consume_token, matcher.is_accepting)

    def _grammar(self, source: Source) -> str:
        if source.kind == "gbnf":
            return source.text
        if source.kind == "tool_set":
            return self._tool_set(json.loads(source.text))
        options: Any = {"whitespace_flexible": source.whitespace == "free", "coerce_one_of": self._coerce}
        if source.whitespace == "fixed":
            options |= {"item_separator": ", ", "key_separator": ": "}
        try:
            return str(llguidance.LLMatcher.grammar_from_json_schema(source.text, overrides=options))
        except ValueError as error:
            raise Refused(str(error)) from error

    def _tool_set(self, tools: Sequence[Mapping[str, Any]]) -> str:
        if self._tools == "structtag":
            tags = []
            for tool in tools:
                begin, end = call_marks(tool["name"])
                tags.append(
                    llguidance.StructTag(
                        trigger=CALL_TRIGGER, begin=begin, grammar=tool["parameters"], end=end
                    )
                )
            lark = llguidance.StructTag.to_grammar(tags, assume_special=False)
        else:
            lark = _lark_of_tools(tools)
        return str(llguidance.LLMatcher.grammar_from_lark(lark))

    def batch(self, rows: int, threads: int) -> Batch:
        return _Batch(np.zeros((rows, len(self.words)), dtype=np.int32), threads)


def _lark_of_tools(tools: Sequence[Mapping[str, Any]]) -> str:
    """Free text in which one lazy lexeme, the trigger, opens a call of one of some tools."""
    calls = []
    for tool in tools:
        begin, end = call_marks(tool["name"])
        before = json.dumps(begin.removeprefix(CALL_TRIGGER))
        calls.append(f"{before} %json {json.dumps(tool['parameters'])} {json.dumps(end)}")
    rules = [
        "start: call* rest",
        "rest: TEXT",
        r"TEXT: /(.|\n)*/",
        f"trigger[lazy]: TEXT {json.dumps(CALL_TRIGGER)}",
        "call: trigger (" + " | ".join(f"tool_{number}" for number in range(len(calls))) + ")",
        *(f"tool_{number}: {call}" for number, call in enumerate(calls)),
    ]
    return "\n".join(rules)


class _Batch:
    def __init__(self, mask: NDArray[np.int32], threads: int) -> None:
        self.mask = mask
        self._executor: Any = llguidance.LLExecutor(num_threads=threads)

    def accept(self, matchers: Sequence[Any], tokens: Sequence[int]) -> Sequence[object]:
        accepted: Sequence[object] = consume_token_par(
            self._executor, list(zip(matchers, tokens, strict=True))
        )
        return accepted

    def fill(self, matchers: Sequence[Any]) -> None:
        rows = [(matcher, row) for row, matcher in enumerate(matchers)]
        fill_next_token_bitmask_par(self._executor, rows, self.mask)


def create(table: TokenTable, options: Mapping[str, str]) -> _Engine:
    """The engine.

    Options: ``coerce=on|off``, by default off: whether oneOf counts as anyOf. ``tools=lark|structtag``, by
    default lark: sets of tools as a grammar with one lazy lexeme, or by its ``StructTag``, which makes one
    for each tool.
    """
    return _Engine(table, coerce=options.get("coerce") == "on", tools=options.get("tools", "lark"))
