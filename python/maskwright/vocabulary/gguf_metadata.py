"""The metadata of a GGUF file that a vocabulary needs, without its tensors and without its merges."""

from __future__ import annotations

import mmap
from typing import Any

from maskwright.gguf_header import DamagedHeaderError, HeaderReader
from maskwright.vocabulary.table import vocabulary_error

__all__ = ["read_metadata"]


def read_metadata(content: mmap.mmap | bytes, source: str, *, prefix: str, leave_out: str) -> dict[str, Any]:
    """Gives the metadata whose keys begin with a prefix.

    Args:
        content: the file from its first byte on.
        source: the name of the file, for messages.
        prefix: what a key has to begin with; other values are passed over.
        leave_out: one key with this prefix that is passed over too, because it is large and not needed.

    Returns:
        Values by key: ``int``, ``float`` and ``bool`` as such, strings as ``bytes``, arrays as lists.

    Raises:
        VocabularyError: the file is not GGUF of a supported version, is cut short, has a key twice, or is
            damaged.
    """
    reader = HeaderReader(content)
    try:
        _, key_count = reader.counts()
        return reader.metadata(key_count, lambda key: key.startswith(prefix) and key != leave_out)
    except DamagedHeaderError as error:
        raise vocabulary_error(source, str(error)) from error
