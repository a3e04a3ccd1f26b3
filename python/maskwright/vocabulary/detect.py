"""Tells of which kind a tokeniser file is, from its content; the name of the file plays no part."""

from __future__ import annotations

import re
from typing import Any, Literal, get_args

from maskwright.gguf_header import MAGIC as GGUF_MAGIC
from maskwright.vocabulary.table import vocabulary_error

__all__ = ["HEAD_LENGTH", "KINDS", "Kind", "detect_json_kind", "detect_kind"]

#: The kinds of file that :meth:`maskwright.Vocabulary.from_file` reads.
Kind = Literal["gguf", "sentencepiece", "tekken", "tiktoken", "tokenizer-json"]

KINDS: tuple[Kind, ...] = get_args(Kind)

#: How many bytes of the front of a file tell its kind.
HEAD_LENGTH = 4096

_COMPRESSED = {
    b"\x1f\x8b": "gzip",
    b"\xfd7zXZ\x00": "xz",
    b"BZh": "bzip2",
    b"\x28\xb5\x2f\xfd": "zstandard",
    b"PK\x03\x04": "zip",
}
_JSON_START = re.compile(rb"\A(?:\xef\xbb\xbf)?\s*\{")
_TIKTOKEN_LINE = re.compile(rb"\A\s*[A-Za-z0-9+/]+={0,2} +\d+\s*(?:[\r\n]|\Z)")
# A first field of number 1 that holds a message beginning with its own field 1: the first piece of a model.
_SENTENCEPIECE_START = re.compile(rb"\A\n(?:[\x80-\xff]{0,4}[\x00-\x7f])\n", re.DOTALL)


def detect_kind(head: bytes, source: str) -> Literal["gguf", "json", "sentencepiece", "tiktoken"]:
    """Tells the kind of a file from its first bytes, or that it is JSON of a kind to be told later.

    Args:
        head: the first :data:`HEAD_LENGTH` bytes of the file, or all of a shorter file.
        source: the name of the file, for messages.

    Raises:
        VocabularyError: it is no tokeniser file that maskwright reads.
    """
    if head.startswith(GGUF_MAGIC):
        return "gguf"
    for magic, name in _COMPRESSED.items():
        if head.startswith(magic):
            raise vocabulary_error(source, f"the file is compressed ({name}); decompress it first")
    if _JSON_START.match(head):
        return "json"
    if _TIKTOKEN_LINE.match(head):
        return "tiktoken"
    if _SENTENCEPIECE_START.match(head):
        return "sentencepiece"
    raise vocabulary_error(
        source,
        f"this is not a tokeniser file that maskwright reads (it begins with {head[:16]!r});"
        f" the kinds are {', '.join(KINDS)}",
    )


def detect_json_kind(document: dict[str, Any], source: str) -> Literal["tekken", "tokenizer-json"]:
    """Tells the kind of a JSON file from its shape.

    Raises:
        VocabularyError: it has the shape of neither kind.
    """
    if "model" in document:
        return "tokenizer-json"
    if "config" in document and "vocab" in document:
        return "tekken"
    if document and all(type(value) is int for value in document.values()):
        hint = "it looks like a vocab.json, which does not tell how tokens spell bytes; pass tokenizer.json"
    elif "tokenizer_class" in document or "added_tokens_decoder" in document:
        hint = "it looks like a tokenizer_config.json; pass the tokenizer.json beside it"
    else:
        hint = f"its members are {', '.join(sorted(map(str, document))[:8]) or 'none'}"
    raise vocabulary_error(source, f"this JSON is neither a tokenizer.json nor a Tekken file: {hint}")
