"""SentencePiece-style pieces: text with a mark for the space, and tokens for single bytes.

Such a vocabulary writes a space as ``▁`` (U+2581), and a character that it does not hold as its UTF-8
bytes, one token ``<0x41>`` for each. A byte token and a character token can therefore have the same bytes:
``<0x41>`` and ``A`` are two ids for one text, and both are right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from functools import cache

from maskwright.vocabulary.byte_level import encode_text
from maskwright.vocabulary.table import vocabulary_error

__all__ = ["SPACE_MARK", "PieceType", "byte_pieces", "decode_pieces", "name_pieces"]

#: The character that SentencePiece writes in place of a space.
SPACE_MARK = "▁"


class PieceType(IntEnum):
    """What kind of token a piece is; SentencePiece and GGUF write these numbers."""

    NORMAL = 1
    UNKNOWN = 2
    CONTROL = 3
    USER_DEFINED = 4
    UNUSED = 5
    BYTE = 6

    @property
    def has_text(self) -> bool:
        """Whether a token of this type has bytes in a text."""
        return self not in {PieceType.UNKNOWN, PieceType.CONTROL, PieceType.UNUSED}

    @property
    def is_named(self) -> bool:
        """Whether a grammar may refer to a token of this type by its name."""
        return self not in {PieceType.NORMAL, PieceType.BYTE}


_GREATEST_GROWTH = 1 << 20
"""The most characters that replacements may add to all tokens together."""

_HEXADECIMAL = "0123456789abcdefABCDEF"


@cache
def byte_pieces() -> Mapping[str, bytes]:
    """Gives every spelling of a byte token, ``<0x00>`` to ``<0xFF>`` in either case, with its byte."""
    return {f"<0x{high}{low}>": bytes.fromhex(high + low) for high in _HEXADECIMAL for low in _HEXADECIMAL}


def decode_pieces(
    pieces: Sequence[str],
    replacements: Sequence[tuple[str, str]],
    *,
    byte_fallback: bool,
    source: str,
    late_replacements: Sequence[tuple[str, str]] = (),
) -> list[bytes]:
    r"""Turns pieces into bytes.

    Args:
        pieces: the tokens as the vocabulary spells them.
        replacements: pairs of text and what it is replaced with, applied to each piece in order.
        byte_fallback: whether what is then ``<0x41>`` is the byte 0x41 instead of six characters.
        source: where they come from, for messages.
        late_replacements: further pairs, applied afterwards to the bytes that pieces stand for, too; with
            `byte_fallback`, each is of one character of ASCII.

    Returns:
        The bytes of each piece, in the same order.

    Raises:
        VocabularyError: a piece is not encodable text, or replacements make texts very long.

    Example:
        >>> decode_pieces(["▁hi", "<0x0A>"], [("▁", " ")], byte_fallback=True, source="an example")
        [b' hi', b'\n']
    """
    texts = _replace(pieces, replacements, source)
    bytes_alone: dict[int, bytes] = {}
    if byte_fallback:
        bytes_of = byte_pieces()
        stand_for = {index: bytes_of[text] for index, text in enumerate(texts) if text in bytes_of}
        for index, value in stand_for.items():
            if value.isascii():
                texts[index] = value.decode()
            else:
                bytes_alone[index] = value
    texts = _replace(texts, late_replacements, source)
    try:
        encoded = [text.encode() for text in texts]
    except UnicodeEncodeError:
        encoded = [encode_text(text, source) for text in texts]
    for index, value in bytes_alone.items():
        encoded[index] = value
    return encoded


def _replace(pieces: Sequence[str], replacements: Sequence[tuple[str, str]], source: str) -> list[str]:
    """Applies replacements in order, as long as they make the texts little longer."""
    texts = list(pieces)
    room = _GREATEST_GROWTH
    for old, new in replacements:
        if len(new) > len(old):
            room -= (len(new) - len(old)) * sum(text.count(old) for text in texts)
            if room < 0:
                message = (
                    f"replacing {old[:20]!r} makes its tokens more than {_GREATEST_GROWTH:,} characters "
                    "longer; the file is damaged"
                )
                raise vocabulary_error(source, message)
        texts = [text.replace(old, new) for text in texts]
    return texts


def name_pieces(pieces: Sequence[str], types: Sequence[PieceType]) -> dict[str, int]:
    """Gives the ids of the named tokens; where two share a name, the lower id has it."""
    named: dict[str, int] = {}
    for token_id, (piece, piece_type) in enumerate(zip(pieces, types, strict=True)):
        if piece_type is not PieceType.NORMAL and piece_type.is_named:
            named.setdefault(piece, token_id)
    return named
