"""Vocabularies of the training run, with what splits a text into their tokens."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files

import maskwright as mw

__all__ = ["Tokens", "cl100k_tokens", "single_bytes"]

END_OF_TEXT = 100_257
CL100K_SIZE = 100_277


@dataclass(frozen=True, slots=True)
class Tokens:
    """A vocabulary and its tokeniser.

    Attributes:
        vocabulary: for maskwright.
        encode: gives the ids of a text's tokens.
    """

    vocabulary: mw.Vocabulary
    encode: Callable[[str], list[int]]


def cl100k_tokens() -> Tokens:
    """The 100,277 tokens of cl100k_base, and their own merges, from the package bpe-openai.

    A real vocabulary of the size that models have: which parts of its trie are walked, and how often, is what
    there is to be learned.
    """
    import bpe_openai  # noqa: PLC0415 - the tests do without it

    packed = files("bpe_openai").joinpath("data", "cl100k_base.tiktoken.gz").read_bytes()
    pairs = (line.split() for line in gzip.decompress(packed).splitlines() if line)
    by_id = {int(rank): base64.b64decode(token) for token, rank in pairs}
    vocabulary = mw.Vocabulary.from_tokens(
        [by_id.get(rank) for rank in range(max(by_id) + 1)],
        special_tokens={"<|endoftext|>": END_OF_TEXT},
        stop_ids=[END_OF_TEXT],
        size=CL100K_SIZE,
    )
    return Tokens(vocabulary, bpe_openai.get_encoding("cl100k_base").encode_ordinary)


def single_bytes() -> Tokens:
    """The 256 single bytes: enough to see whether a text is accepted."""
    vocabulary = mw.Vocabulary.from_tokens([*(bytes([byte]) for byte in range(256)), None], stop_ids=[256])
    return Tokens(vocabulary, lambda text: list(text.encode()))
