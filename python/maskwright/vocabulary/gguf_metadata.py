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
        VocabularyError: the file is not GGUF of a supported version, is cut short, or is damaged.
    """
    reader = HeaderReader(content)
    try:
        _, key_count = reader.counts()
        return _read_wanted(reader, key_count, prefix.encode(), leave_out.encode())
    except DamagedHeaderError as error:
        raise vocabulary_error(source, str(error)) from error


def _read_wanted(reader: HeaderReader, key_count: int, wanted: bytes, unwanted: bytes) -> dict[str, Any]:
    metadata: dict[str, Any] = {}
    for _ in range(key_count):
        key = reader.string()
        value_type = reader.number("I")
        if key.startswith(wanted) and key != unwanted:
            name = key.decode("utf-8", "replace")
            if name in metadata:
                raise DamagedHeaderError(f"the key {name!r} comes twice; the file is damaged")
            metadata[name] = reader.value(value_type)
        else:
            reader.skip(value_type)
    return metadata
