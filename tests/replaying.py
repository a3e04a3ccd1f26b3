"""Matchers at many places, and the masks on the way: what tests of masks compare."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

import maskwright as mw

__all__ = ["masks_along", "places", "single_masks"]


def masks_along(matcher: mw.Matcher, text: bytes | Iterable[bytes | int], size: int) -> list[bytes]:
    """The mask before each piece of a text and after the last: a byte, some bytes, or a token by its id."""
    pieces: Iterable[bytes | int] = (bytes([byte]) for byte in text) if isinstance(text, bytes) else text
    mask = mw.allocate_mask(1, size)
    masks = []
    for piece in pieces:
        matcher.fill_mask(mask)
        masks.append(mask.tobytes())
        assert matcher.accept(piece) if isinstance(piece, int) else matcher.accept_bytes(piece)
    matcher.fill_mask(mask)
    return [*masks, mask.tobytes()]


def places(vocabulary: mw.Vocabulary, count: int) -> list[mw.Matcher]:
    """Matchers of one constraint at different places."""
    constraint = mw.Compiler(vocabulary).compile(mw.Grammar.regex(r"([a-c]{1,5},)*[0-9]+"))
    made = [constraint.matcher() for _ in range(count)]
    for index, matcher in enumerate(made):
        assert matcher.accept_bytes(b"abc,ab,1234"[: index % 11])
    return made


def single_masks(matchers: list[mw.Matcher], size: int) -> NDArray[np.int32]:
    """The masks of all matchers, each filled by a call of its own."""
    mask = mw.allocate_mask(len(matchers), size)
    for row, matcher in enumerate(matchers):
        matcher.fill_mask(mask, row)
    return mask
