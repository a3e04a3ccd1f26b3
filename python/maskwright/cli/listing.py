"""What a mask allows, as rows for people.

Takes a mask of one row and its vocabulary and gives the allowed ids and, for each, one line.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from maskwright import Vocabulary

from .display import escape

__all__ = ["allowed_ids", "describe_token"]


def allowed_ids(mask: NDArray[np.int32], size: int) -> list[int]:
    """The ids whose bit is set.

    Args:
        mask: int32 ``[ceil(size / 32)]``; bit ``id % 32`` of word ``id // 32``, 1 = allowed.
        size: the number of ids.

    Returns:
        The ids in ascending order.

    Example:
        >>> allowed_ids(np.array([0b101], np.int32), 3)
        [0, 2]
    """
    words = np.ascontiguousarray(mask, dtype="<i4")
    bits = np.unpackbits(words.view(np.uint8), bitorder="little")[:size]
    ids: list[int] = np.flatnonzero(bits).tolist()
    return ids


def describe_token(vocabulary: Vocabulary, token_id: int, special_names: dict[int, str]) -> str:
    """One line about a token: its id, its text escaped, and what is special about it.

    Args:
        vocabulary: the vocabulary.
        token_id: the token.
        special_names: the names of special tokens by id.
    """
    marks = []
    if token_id in special_names:
        marks.append(f"special {special_names[token_id]}")
    if token_id in vocabulary.stop_ids:
        marks.append("stop")
    parts = [f"{token_id:>8}"]
    if data := vocabulary.token_bytes(token_id):
        parts.append(escape(data))
    if marks:
        parts.append(f"[{', '.join(marks)}]")
    return "  ".join(parts)
