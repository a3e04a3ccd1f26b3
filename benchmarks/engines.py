"""Engines behind one interface, so that all are timed by the same loop.

maskwright needs nothing more; others are optional packages (``pip install llguidance``) and are
left out where they are missing.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

import maskwright as mw
from benchmarks.shared_data import llama3_encoding

__all__ = ["ENGINES", "Cursor", "Engine", "available_engines"]


class Cursor(Protocol):
    """One sequence under a grammar."""

    def mask(self) -> NDArray[np.int32]:
        """The mask of the next token, as words of 32 bits; valid until the next call."""

    def accept(self, token: int) -> bool:
        """Accepts a token, and says whether it was allowed."""

    def is_complete(self) -> bool:
        """Whether the text could end here."""


class Engine(Protocol):
    """An engine with the vocabulary of a model."""

    def compile(self, gbnf: str) -> Callable[[], Cursor]:
        """Reads and compiles a grammar; the result makes cursors."""


class _MaskwrightCursor:
    def __init__(self, matcher: mw.Matcher, mask: NDArray[np.int32]) -> None:
        self._matcher, self._mask = matcher, mask
        self._words: NDArray[np.int32] = mask[0]
        self.accept = matcher.accept

    def mask(self) -> NDArray[np.int32]:
        self._matcher.fill_mask(self._mask, 0)
        return self._words

    def is_complete(self) -> bool:
        return self._matcher.is_complete


class Maskwright:
    """This project."""

    def __init__(self, vocabulary: mw.Vocabulary) -> None:
        self._compiler = mw.Compiler(vocabulary)
        self._mask = mw.allocate_mask(1, vocabulary.size)

    def compile(self, gbnf: str) -> Callable[[], Cursor]:
        """Compiles by the GBNF front end."""
        constraint = self._compiler.compile(mw.Grammar.gbnf(gbnf))
        return lambda: _MaskwrightCursor(constraint.matcher(), self._mask)


class _LlguidanceCursor:
    def __init__(self, matcher: Any, mask: NDArray[np.int32]) -> None:
        self._matcher, self._mask = matcher, mask
        self._words: NDArray[np.int32] = mask[0]

    def mask(self) -> NDArray[np.int32]:
        self._matcher.unsafe_compute_mask_ptr(self._mask.ctypes.data, self._mask.nbytes)
        return self._words

    def accept(self, token: int) -> bool:
        return bool(self._matcher.consume_token(token))

    def is_complete(self) -> bool:
        return bool(self._matcher.is_accepting())


class Llguidance:
    """llguidance; the grammar is converted to its notation by its own converter, which is not timed."""

    def __init__(self, vocabulary: mw.Vocabulary) -> None:
        import llguidance  # noqa: PLC0415 - an optional package

        encoding = llama3_encoding()
        tokenizer_class: Any = llguidance.LLTokenizer
        self._tokenizer = tokenizer_class.from_tiktoken(
            encoder=encoding._mergeable_ranks,
            special_tokens=dict(vocabulary.special_tokens),
            pattern=encoding._pat_str,
            eos_token=list(vocabulary.stop_ids),
            n_vocab=vocabulary.size,
        )
        self._llguidance = llguidance
        self._mask = mw.allocate_mask(1, vocabulary.size)
        self._converted: dict[str, str] = {}

    def compile(self, gbnf: str) -> Callable[[], Cursor]:
        """Compiles by the Lark front end."""
        grammar = self._converted.get(gbnf) or self._convert(gbnf)

        def cursor() -> Cursor:
            matcher = self._llguidance.LLMatcher(self._tokenizer, grammar)
            if matcher.is_error():
                raise ValueError(matcher.get_error())
            return _LlguidanceCursor(matcher, self._mask)

        return cursor

    def _convert(self, gbnf: str) -> str:
        from llguidance.gbnf_to_lark import any_to_lark  # noqa: PLC0415 - an optional package

        self._converted[gbnf] = self._llguidance.LLMatcher.grammar_from_lark(any_to_lark(gbnf))
        return self._converted[gbnf]


ENGINES: dict[str, Callable[[mw.Vocabulary], Engine]] = {
    "maskwright": Maskwright,
    "llguidance": Llguidance,
}


def available_engines() -> list[str]:
    """The engines whose packages are installed."""
    return [name for name in ENGINES if importlib.util.find_spec(name) is not None]
