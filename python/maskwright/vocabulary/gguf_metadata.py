"""Reads the key-value metadata at the front of a GGUF file, without its tensors.

The layout, all little-endian: the magic ``GGUF``, a 32-bit version, two 64-bit counts (tensors, keys), then
the keys. A key is a string, a 32-bit type and a value; a string is a 64-bit length and its bytes; an array is
a 32-bit element type, a 64-bit count and its elements.
"""

from __future__ import annotations

import mmap
import struct
from typing import Any

from maskwright.vocabulary.table import LARGEST_SIZE, vocabulary_error

__all__ = ["MAGIC", "read_metadata"]

#: The first four bytes of every GGUF file.
MAGIC = b"GGUF"

_SUPPORTED_VERSIONS = (2, 3)
_LARGEST_KEY_COUNT = 1 << 16
# A vocabulary has at most a few merges for each token.
_LARGEST_ARRAY = 8 * LARGEST_SIZE
_DEEPEST_ARRAY = 4

_STRING, _ARRAY = 8, 9
_NUMBERS = {
    0: struct.Struct("<B"),
    1: struct.Struct("<b"),
    2: struct.Struct("<H"),
    3: struct.Struct("<h"),
    4: struct.Struct("<I"),
    5: struct.Struct("<i"),
    6: struct.Struct("<f"),
    7: struct.Struct("<?"),
    10: struct.Struct("<Q"),
    11: struct.Struct("<q"),
    12: struct.Struct("<d"),
}
_LENGTH = struct.Struct("<Q")
_TYPE = struct.Struct("<I")


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
    if content[:4] != MAGIC:
        raise vocabulary_error(source, "it does not begin with GGUF, so it is not a GGUF file")
    cursor = _Cursor(content, source)
    version = cursor.number(_TYPE)
    if version not in _SUPPORTED_VERSIONS:
        raise vocabulary_error(
            source, f"GGUF version {version} is not supported, only 2 and 3 in little-endian; convert it anew"
        )
    cursor.number(_LENGTH)
    key_count = cursor.number(_LENGTH)
    if key_count > _LARGEST_KEY_COUNT:
        raise vocabulary_error(source, f"it claims {key_count} metadata keys; the file is damaged")
    metadata: dict[str, Any] = {}
    wanted = prefix.encode()
    unwanted = leave_out.encode()
    for _ in range(key_count):
        key = cursor.string()
        value_type = cursor.number(_TYPE)
        if key.startswith(wanted) and key != unwanted:
            metadata[key.decode("utf-8", "replace")] = cursor.value(value_type)
        else:
            cursor.skip(value_type)
    return metadata


class _Cursor:
    """A position in the file that never passes its end."""

    def __init__(self, content: mmap.mmap | bytes, source: str) -> None:
        self._content = content
        self._end = len(content)
        self._position = len(MAGIC)
        self._source = source

    def _advance(self, length: int) -> int:
        """Moves on by ``length`` bytes and gives the position before."""
        start = self._position
        if length > self._end - start:
            raise vocabulary_error(
                self._source, "the metadata goes on past the end; the file is cut short, fetch it again"
            )
        self._position = start + length
        return start

    def number(self, layout: struct.Struct) -> Any:
        """Reads one number."""
        start = self._advance(layout.size)
        return layout.unpack_from(self._content, start)[0]

    def string(self) -> bytes:
        """Reads one string."""
        length = self.number(_LENGTH)
        start = self._advance(length)
        return self._content[start : start + length]

    def value(self, value_type: int, depth: int = 0) -> Any:
        """Reads a value of the given type."""
        if value_type == _STRING:
            return self.string()
        if value_type == _ARRAY:
            element_type, count = self._array_header(depth)
            layout = _NUMBERS.get(element_type)
            if layout is not None:
                start = self._advance(count * layout.size)
                return list(struct.unpack_from(f"<{count}{layout.format[1:]}", self._content, start))
            if element_type == _STRING:
                return self._strings(count)
            return [self.value(element_type, depth + 1) for _ in range(count)]
        return self.number(self._layout(value_type))

    def skip(self, value_type: int, depth: int = 0) -> None:
        """Passes over a value of the given type."""
        if value_type == _STRING:
            self._advance(self.number(_LENGTH))
        elif value_type == _ARRAY:
            element_type, count = self._array_header(depth)
            layout = _NUMBERS.get(element_type)
            if layout is not None:
                self._advance(count * layout.size)
            else:
                for _ in range(count):
                    self.skip(element_type, depth + 1)
        else:
            self._advance(self._layout(value_type).size)

    def _strings(self, count: int) -> list[bytes]:
        """Reads many strings; the loop of :meth:`string`, written out because a vocabulary has 128,000."""
        content, end, position = self._content, self._end, self._position
        length_at = _LENGTH.unpack_from
        strings: list[bytes] = []
        try:
            for _ in range(count):
                start = position + 8
                position = start + length_at(content, position)[0]
                if position > end:
                    break
                strings.append(content[start:position])
        except struct.error:
            position = end + 1
        self._advance(position - self._position)
        return strings

    def _array_header(self, depth: int) -> tuple[int, int]:
        element_type = self.number(_TYPE)
        count = self.number(_LENGTH)
        if count > _LARGEST_ARRAY or depth >= _DEEPEST_ARRAY:
            raise vocabulary_error(
                self._source, f"it claims an array of {count} values at depth {depth}; the file is damaged"
            )
        return element_type, count

    def _layout(self, value_type: int) -> struct.Struct:
        layout = _NUMBERS.get(value_type)
        if layout is None:
            raise vocabulary_error(
                self._source, f"a metadata value has the unknown type {value_type}; the file is damaged"
            )
        return layout
