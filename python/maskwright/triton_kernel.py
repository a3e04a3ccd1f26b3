"""The kernel that applies masks to logits on a device, in Triton's language; to be imported where that is."""

from __future__ import annotations

import contextlib
from typing import Any

import torch
import triton
import triton.language as tl

__all__ = ["disallow"]

#: How many words of a row one program covers, of 32 tokens each.
_WORDS = 64


def disallow(logits: Any, mask: Any) -> None:
    """See :func:`maskwright.device_masks.disallow`."""
    rows, size = logits.shape
    grid = (rows, triton.cdiv(size, 32 * _WORDS))
    with _current(logits.device):
        _disallow[grid](logits, mask, size, *logits.stride(), *mask.stride(), words=_WORDS)


def _current(device: Any) -> contextlib.AbstractContextManager[None]:
    """Makes a device the current one, on which Triton runs what it is given."""
    if torch.cuda.current_device() == device.index:
        return contextlib.nullcontext()
    chosen: contextlib.AbstractContextManager[None] = torch.cuda.device(device)
    return chosen


@triton.jit  # type: ignore[untyped-decorator]
def _disallow(  # type: ignore[no-untyped-def]
    logits, mask, size, logits_row, logits_column, mask_row, mask_column, words: tl.constexpr
):
    row = tl.program_id(0).to(tl.int64)  # the logits of many rows are more than 2**31
    word = tl.program_id(1) * words + tl.arange(0, words)
    bit = tl.arange(0, 32)
    column = word[:, None] * 32 + bit[None, :]
    allowed = tl.load(mask + row * mask_row + word * mask_column, mask=word * 32 < size, other=-1)
    is_allowed = (allowed[:, None] >> bit[None, :] & 1) != 0
    # All are written, since to write here and there takes a device longer.
    places, inside = logits + row * logits_row + column * logits_column, column < size
    tl.store(places, tl.where(is_allowed, tl.load(places, mask=inside), float("-inf")), mask=inside)
