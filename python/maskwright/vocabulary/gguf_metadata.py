"""The metadata of a GGUF file that a vocabulary needs, without its tensors and its other metadata."""

from __future__ import annotations

import mmap
from collections.abc import Collection
from typing import Any

from maskwright.gguf_header import DamagedHeaderError, HeaderReader
from maskwright.vocabulary.table import vocabulary_error

__all__ = ["read_metadata"]


def read_metadata(content: mmap.mmap | bytes, source: str, keys: Collection[str]) -> dict[str, Any]:
    """Gives the metadata of some keys, as far as the file has them; all others are passed over.

    Args:
        content: the file from its first byte on.
        source: the name of the file, for messages.
        keys: which values to read.

    Returns:
        Values by key: ``int``, ``float`` and ``bool`` as such, strings as ``bytes``, arrays as lists.

    Raises:
        VocabularyError: the file is not GGUF of a supported version, is cut short, has a key twice, claims
            more strings or numbers than any vocabulary needs, or is damaged.
    """
    reader = HeaderReader(content)
    try:
        _, key_count = reader.counts()
        return reader.metadata(key_count, lambda key: key in keys)
    except DamagedHeaderError as error:
        raise vocabulary_error(source, str(error)) from error
