"""Which format is replayed with which vocabulary, and how a text becomes tokens of it.

A family's own vocabulary is used where the test data has it. Other families get the vocabulary of Llama 3; so
that their special tokens are tokens all the same, each takes the place of an id of that vocabulary that no
text has (an unused one, or a reserved one). The table of `replay` marks these.
"""

from __future__ import annotations

import base64
import dataclasses
import functools
import gzip
import json
import lzma
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import maskwright as mw
from benchmarks.engines import TokenTable
from benchmarks.shared_data import data_file, token_table
from benchmarks.suite.corpora import Encode
from benchmarks.tool_calls.mutations import Strings
from maskwright.tool_calls import (
    Ending,
    Special,
    StringMark,
    ToolCallFormat,
    XmlArguments,
    format_names,
    get_format,
)

__all__ = ["Family", "Tokeniser", "families", "strings_of", "tokeniser_of"]

_OWN = {
    "llama3": "llama3",
    "llama": "llama3",
    "hermes": "qwen3",
    "qwen": "qwen3",
    "deepseek": "deepseek_v4",
    "harmony": "o200k_harmony",
    "mistral": "tekken_v3",
    "gemma": "gemma3",
}
"""Beginnings of names of formats, and the vocabulary of that family."""
_NOT_OWN = ("llama4",)
_FALLBACK = "llama3"


@dataclass(frozen=True, slots=True)
class Family:
    """A format and a vocabulary to replay it with.

    Attributes:
        layout: the format.
        vocabulary: the name of a vocabulary of the test data.
        is_own: whether it is the family's own.
    """

    layout: ToolCallFormat
    vocabulary: str
    is_own: bool


def families() -> list[Family]:
    """All formats that come with the package, each once."""
    layouts = {layout.name: layout for layout in map(get_format, format_names())}
    return [_family(layout) for layout in layouts.values()]


def _family(layout: ToolCallFormat) -> Family:
    for beginning, vocabulary in _OWN.items():
        if layout.name.startswith(beginning) and not layout.name.startswith(_NOT_OWN):
            return Family(layout, vocabulary, True)
    return Family(layout, _FALLBACK, False)


def strings_of(layout: ToolCallFormat) -> Strings:
    """How a format writes strings that are arguments."""
    parts = [part for part in layout.call if isinstance(part, XmlArguments)]
    if not parts:
        return "quoted"
    return "marked" if any(isinstance(piece, StringMark) for piece in parts[0].opening) else "raw"


def _tokens_in(part: object) -> Iterator[Special | Ending]:
    """The special tokens that a format, or a part of one, has in it."""
    if isinstance(part, Special | Ending):
        yield part
    elif isinstance(part, tuple):
        for item in part:
            yield from _tokens_in(item)
    elif dataclasses.is_dataclass(part):
        for entry in dataclasses.fields(part):
            yield from _tokens_in(getattr(part, entry.name))


class Tokeniser:
    """Splits texts in which special tokens are spelled by their names.

    Args:
        name: of a vocabulary of the test data.
        specials: the special tokens that the texts have; those that the vocabulary lacks take unused ids.
        within: those of them that do not end a text, even where the vocabulary says that they do.

    Attributes:
        table: the vocabulary.
        stand_ins: the special tokens that took unused ids.
        exact: whether texts are split by the tokeniser's own merges, or by the longest token that fits.
    """

    def __init__(self, name: str, specials: frozenset[str], within: frozenset[str]) -> None:
        table, self.stand_ins = _with_stand_ins(_table(name), specials)
        self._specials = {text: table.special_tokens[text] for text in specials}
        inner = {self._specials[text] for text in within}
        stop_ids = [token_id for token_id in table.stop_ids if token_id not in inner]
        self.table = dataclasses.replace(table, stop_ids=stop_ids)
        pattern = "|".join(re.escape(text) for text in sorted(specials, key=len, reverse=True))
        self._pattern = re.compile(f"({pattern})") if specials else None
        self.exact = name in _ENCODERS
        self._encode: Encode = _encoder(name) if self.exact else self.table.encode
        self.names = {token_id: text for text, token_id in self._specials.items()}
        self.single_bytes = {
            token[0]: token_id
            for token_id, token in enumerate(self.table.tokens)
            if token and len(token) == 1
        }

    @functools.cached_property
    def vocabulary(self) -> mw.Vocabulary:
        """The same vocabulary, for maskwright."""
        return mw.Vocabulary.from_tokens(
            self.table.tokens,
            special_tokens=self.table.special_tokens,
            stop_ids=self.table.stop_ids,
            size=self.table.size,
        )

    def encode(self, text: str) -> list[int]:
        """The tokens of a text."""
        tokens: list[int] = []
        for piece in self._pattern.split(text) if self._pattern else [text]:
            if piece in self._specials:
                tokens.append(self._specials[piece])
            elif piece:
                tokens += self._encode(piece)
        return tokens

    def items(self, text: str) -> list[bytes]:
        """A text as a sequence of what cannot be cut: bytes, and special tokens as a whole."""
        items: list[bytes] = []
        for piece in self._pattern.split(text) if self._pattern else [text]:
            encoded = piece.encode()
            items += [encoded] if piece in self._specials else [bytes([byte]) for byte in encoded]
        return items

    def items_of(self, token: int) -> int:
        """How many such items a token is."""
        return 1 if token in self.names else len(self.table.tokens[token] or b"")


def tokeniser_of(family: Family) -> Tokeniser:
    """The tokeniser of a family."""
    tokens = list(_tokens_in(family.layout))
    within = frozenset(token.name for token in tokens if isinstance(token, Special))
    return Tokeniser(family.vocabulary, within | {token.name for token in tokens}, within)


@functools.cache
def _table(name: str) -> TokenTable:
    return token_table(name)


@functools.cache
def _encoder(name: str) -> Encode:
    return _ENCODERS[name]()


def _with_stand_ins(table: TokenTable, specials: frozenset[str]) -> tuple[TokenTable, list[str]]:
    missing = sorted(specials - set(table.special_tokens))
    if not missing:
        return table, []
    taken = dict(table.special_tokens)
    tokens = [*table.tokens, *[None] * (table.size - len(table.tokens))]
    named = {*taken.values(), *table.stop_ids}
    unnamed = [token_id for token_id, token in enumerate(tokens) if token is None and token_id not in named]
    reserved = [name for name in taken if re.search("reserved|unused|place", name)]
    unused = unnamed + [taken[name] for name in reserved]
    for name, token_id in zip(missing, unused, strict=False):
        taken = {text: other for text, other in taken.items() if other != token_id}
        taken[name] = token_id
    return dataclasses.replace(table, tokens=tokens, special_tokens=taken), missing


def _patterns() -> dict[str, str]:
    patterns: dict[str, str] = json.loads(data_file("tokenizers/patterns.json").read_text(encoding="utf-8"))
    return patterns


def _tiktoken(name: str, pattern: str, ranks: dict[bytes, int], shift: int = 0) -> Encode:
    import tiktoken  # noqa: PLC0415 - an optional package

    encoding = tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    if not shift:
        encode: Encode = encoding.encode_ordinary
        return encode
    return lambda text: [rank + shift for rank in encoding.encode_ordinary(text)]


def _ranks(lines: bytes) -> dict[bytes, int]:
    pairs = (line.split() for line in lines.splitlines() if line)
    return {base64.b64decode(token): int(rank) for token, rank in pairs}


def _llama3() -> Encode:
    return _tiktoken(
        "llama3", _patterns()["llama3"], _ranks(data_file("tokenizers/llama3.tiktoken").read_bytes())
    )


def _qwen3() -> Encode:
    ranks = _ranks(data_file("tokenizers/qwen.tiktoken").read_bytes())
    return _tiktoken("qwen3", _patterns()["qwen(2,2.5,3)"], ranks)


def _o200k() -> Encode:
    ranks = _ranks(gzip.decompress(data_file("tokenizers/o200k_base.tiktoken.gz").read_bytes()))
    return _tiktoken("o200k", _patterns()["o200k / llama4"], ranks)


def _tekken() -> Encode:
    stored: Any = json.loads(lzma.decompress(data_file("tokenizers/tekken_240911.json.xz").read_bytes()))
    config = stored["config"]
    specials = config["default_num_special_tokens"]
    kept = stored["vocab"][: config["default_vocab_size"] - specials]
    ranks = {base64.b64decode(entry["token_bytes"]): entry["rank"] for entry in kept}
    return _tiktoken("tekken", config["pattern"], ranks, specials)


def _deepseek() -> Encode:
    import tokenizers  # noqa: PLC0415 - an optional package

    stored = lzma.decompress(data_file("tokenizers/deepseek_v4.tokenizer.json.xz").read_bytes())
    tokenizer = tokenizers.Tokenizer.from_str(stored.decode())
    return lambda text: list(tokenizer.encode(text, add_special_tokens=False).ids)


_ENCODERS: dict[str, Callable[[], Encode]] = {
    "llama3": _llama3,
    "qwen3": _qwen3,
    "o200k_harmony": _o200k,
    "tekken_v3": _tekken,
    "deepseek_v4": _deepseek,
}
