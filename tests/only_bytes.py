"""The least vocabulary with which any text can be written."""

from __future__ import annotations

import maskwright as mw

__all__ = ["only_bytes"]


def only_bytes() -> mw.Vocabulary:
    """Each byte, with its value for an id, and a stop token; a new one each time."""
    return mw.Vocabulary.from_tokens([*(bytes([byte]) for byte in range(256)), None], stop_ids=[256])
