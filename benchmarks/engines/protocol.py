"""What the harness asks of an engine.

An adapter holds the vocabulary and one mask buffer. Everything that the harness times is a bound method
of the engine's own objects, without a Python frame of ours around it where that can be avoided.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "CALL_TRIGGER",
    "Batch",
    "Compiled",
    "Cursor",
    "Engine",
    "Refused",
    "Source",
    "TokenTable",
    "Whitespace",
    "call_marks",
]

Whitespace = Literal["free", "fixed"]
"""White space as the text likes, or exactly that of ``json.dumps``: ``{"a": 1, "b": 2}``."""


@dataclass(frozen=True, slots=True, eq=False)
class TokenTable:
    """The tokens of a vocabulary, as data.

    Attributes:
        tokens: the bytes of each token; None for special and unused ids.
        special_tokens: the ids of special tokens by their text.
        stop_ids: the tokens that end a text.
        size: how many logits the model has.
        encoding: the tokeniser, by tiktoken, where it is one of tiktoken's kind.
    """

    tokens: Sequence[bytes | None]
    special_tokens: Mapping[str, int]
    stop_ids: Sequence[int]
    size: int
    encoding: Any = None

    def encode(self, text: str) -> list[int]:
        """The tokens of a text: by the tokeniser, else the longest token that fits, again and again."""
        if self.encoding is not None:
            tokens: list[int] = self.encoding.encode_ordinary(text)
            return tokens
        ids, longest = _ids_by_bytes(self)
        data, found, start = text.encode(), [], 0
        while start < len(data):
            ends = range(min(len(data), start + longest), start, -1)
            end = next(end for end in ends if data[start:end] in ids)
            found.append(ids[data[start:end]])
            start = end
        return found


@functools.cache
def _ids_by_bytes(table: TokenTable) -> tuple[dict[bytes, int], int]:
    ids = {token: token_id for token_id, token in enumerate(table.tokens) if token}
    return ids, max(map(len, ids))


@dataclass(frozen=True, slots=True)
class Source:
    """A grammar as a user has it.

    Attributes:
        kind: the notation. A ``tool_set`` is a JSON list of tools with ``name`` and ``parameters``; the
            grammar is free text in which calls of these tools may stand, as :func:`call_marks` writes them.
        text: the grammar.
        whitespace: what a JSON schema leaves open; of no meaning for a GBNF grammar.
    """

    kind: Literal["json_schema", "gbnf", "tool_set"]
    text: str
    whitespace: Whitespace = "free"


CALL_TRIGGER = "<tool_call>"
"""What a call begins with, whatever the tool."""


def call_marks(name: str) -> tuple[str, str]:
    r"""What stands before and behind the arguments of a call, in the layout of Hermes and Qwen.

    Example:
        >>> call_marks("now")
        ('<tool_call>\n{"name": "now", "arguments": ', '}\n</tool_call>')
    """
    return f'{CALL_TRIGGER}\n{{"name": "{name}", "arguments": ', "}\n</tool_call>"


@dataclass(frozen=True, slots=True)
class Cursor:
    """One sequence under a grammar.

    Attributes:
        matcher: the engine's own object, for batches.
        mask: fills the engine's mask buffer for the next token.
        accept: accepts a token, and says whether it was allowed.
        is_complete: says whether the text may end here.
    """

    matcher: Any
    mask: Callable[[], object]
    accept: Callable[[int], object]
    is_complete: Callable[[], object]


Compiled = Callable[[], Cursor]
"""A compiled grammar: each call starts a sequence."""


class Refused(Exception):  # noqa: N818 - an answer, not a fault
    """The engine says that it does not take the grammar."""


class Batch(Protocol):
    """The engine's way to serve many sequences in one step.

    Attributes:
        mask: an int32 array of one row for each sequence.
    """

    mask: NDArray[np.int32]

    def accept(self, matchers: Sequence[Any], tokens: Sequence[int]) -> Sequence[object]:
        """Accepts a token in each sequence, and says of each whether it was allowed."""

    def fill(self, matchers: Sequence[Any]) -> None:
        """Fills row ``i`` for sequence ``i``."""


class Engine(Protocol):
    """An engine with a vocabulary.

    Attributes:
        words: the mask that :attr:`Cursor.mask` fills: one bit for each token, int32.
        settings: how the engine is set up, and why that is fair, in one or two sentences.
    """

    words: NDArray[np.int32]
    settings: str

    def renew(self) -> None:
        """Forgets all that was kept from grammars seen before; the vocabulary stays."""

    def spelled(self, source: Source) -> Source:
        """The grammar with its text in the engine's own notation, where it has no GBNF; never timed.

        Raises:
            Refused: it cannot be written so.
        """

    def compile(self, source: Source) -> Compiled:
        """Reads and compiles a grammar, as :meth:`spelled` gives it.

        Raises:
            Refused: the engine does not take it.
        """

    def batch(self, rows: int, threads: int) -> Batch:
        """A batch of so many rows, served by so many threads if the engine can."""
