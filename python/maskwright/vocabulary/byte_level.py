"""Byte-level pieces: tokens spelt with one printable character for each byte.

Byte-level BPE (GPT-2 and most tokenisers since) writes its vocabulary as text. Bytes that are visible in
Latin-1 stand for themselves; the others (controls, the space, 0x7F to 0xA0 and 0xAD) get the code points
from U+0100 on, in order: the space is ``Ġ``. This module turns such pieces back into bytes, all at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from maskwright.vocabulary.table import vocabulary_error

__all__ = ["byte_of_character", "decode_byte_level"]

_NOT_IN_ALPHABET = -1
_VISIBLE_RANGES = ((0x21, 0x7E), (0xA1, 0xAC), (0xAE, 0xFF))


def byte_of_character() -> dict[str, int]:
    """Gives the alphabet: each of its 256 characters with the byte that it stands for.

    Example:
        >>> byte_of_character()["Ġ"]
        32
    """
    visible = [byte for first, last in _VISIBLE_RANGES for byte in range(first, last + 1)]
    hidden = sorted(set(range(256)) - set(visible))
    return {chr(byte): byte for byte in visible} | {
        chr(0x100 + index): byte for index, byte in enumerate(hidden)
    }


def decode_byte_level(pieces: Sequence[str], source: str) -> list[bytes]:
    r"""Turns byte-level pieces into bytes.

    A piece with any character outside the alphabet is not spelt byte by byte; it stands for its own UTF-8,
    as in the decoders of such tokenisers.

    Args:
        pieces: the tokens as the vocabulary file spells them.
        source: where they come from, for messages.

    Returns:
        The bytes of each piece, in the same order.

    Raises:
        VocabularyError: a piece is not encodable text (it holds half of a surrogate pair).

    Example:
        >>> decode_byte_level(["Ġhi", "Ċ", "a b"], "an example")
        [b' hi', b'\n', b'a b']
    """
    alphabet = byte_of_character()
    highest = max(map(ord, alphabet))
    lookup: npt.NDArray[np.int16] = np.full(highest + 2, _NOT_IN_ALPHABET, dtype=np.int16)
    for character, byte in alphabet.items():
        lookup[ord(character)] = byte

    code_points = np.frombuffer("".join(pieces).encode("utf-32-le", "surrogatepass"), dtype="<u4")
    values = lookup[np.minimum(code_points, highest + 1)]
    spelt = values.astype(np.uint8).tobytes()
    ends = list(accumulate(map(len, pieces)))
    decoded = [spelt[start:end] for start, end in zip([0, *ends], ends, strict=False)]

    # Both the outer and the inner search are over sorted positions, so a piece is found by bisection.
    outside = np.unique(np.searchsorted(ends, np.flatnonzero(values == _NOT_IN_ALPHABET), side="right"))
    for index in outside.tolist():
        decoded[index] = encode_text(pieces[index], source)
    return decoded


def encode_text(piece: str, source: str) -> bytes:
    """Gives the UTF-8 of a piece.

    Raises:
        VocabularyError: the piece holds half of a surrogate pair.
    """
    try:
        return piece.encode()
    except UnicodeEncodeError:
        raise vocabulary_error(
            source, f"the token {piece!r} holds half of a surrogate pair; the file is damaged"
        ) from None
