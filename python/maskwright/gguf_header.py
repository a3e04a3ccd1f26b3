"""The header of a GGUF file, byte by byte: its counts, and metadata values of any type.

The layout, all little-endian: the magic ``GGUF``, a 32-bit version, two 64-bit counts (tensors, keys), then
the keys. A key is a string, a 32-bit type and a value; a string is a 64-bit length and its bytes; an array is
a 32-bit element type, a 64-bit count and its elements. The tensors' descriptions follow.

Both the loader of vocabularies and the reader of models read files by this. Every length in the file is
checked against the bytes that are really there before it is believed, and against fixed limits: a file with
holes can be of any length. (The ``gguf`` package's own reader
builds several NumPy arrays for each of the hundred thousand strings of a vocabulary, which takes seconds.)
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Callable
from typing import Any, Literal

__all__ = ["MAGIC", "DamagedHeaderError", "HeaderReader"]

#: The first four bytes of every GGUF file.
MAGIC = b"GGUF"

_SUPPORTED_VERSIONS = (2, 3)
_LARGEST_KEY_COUNT = 1 << 16
# Strings and arrays within arrays are passed over one by one, and a file with holes may claim any number of
# them. This is for all of the header together, twice the ids of the largest vocabulary: tokens and merges.
_MOST_STRINGS = 1 << 23
# Nobody writes arrays of arrays; one costs as much time as several strings.
_MOST_ARRAYS = 1 << 20
_DEEPEST_ARRAY = 4
# The numbers in arrays that are read, where a real file has two or three for each token.
_MOST_NUMBERS = 1 << 23
# The bytes of one key, and those that the strings of all values that are read take in the file.
_LONGEST_KEY = 1 << 10
_MOST_STRING_BYTES = 1 << 28

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
_PAST_THE_END = "it goes on past the end; the file is cut short, fetch it again"
_LENGTH = struct.Struct("<Q")
_TYPE = struct.Struct("<I")


class DamagedHeaderError(ValueError):
    """The bytes are no header of GGUF; the message says why, without naming the file."""


class HeaderReader:
    """A position in the file that never passes its end.

    Every method raises :class:`DamagedHeaderError` where the bytes make no sense. Strings are given as bytes.
    """

    def __init__(self, content: mmap.mmap | bytes) -> None:
        self._content = content
        self._end = len(content)
        self._position = 0
        self._strings_left = _MOST_STRINGS
        self._arrays_left = _MOST_ARRAYS
        self._numbers_left = _MOST_NUMBERS
        self._string_bytes_left = _MOST_STRING_BYTES

    @property
    def position(self) -> int:
        """How many bytes have been read."""
        return self._position

    def counts(self) -> tuple[int, int]:
        """Reads the beginning of the file: the number of tensors, and of metadata keys."""
        if self._content[: len(MAGIC)] != MAGIC:
            raise DamagedHeaderError("it does not begin with GGUF, so it is not a GGUF file")
        self._position = len(MAGIC)
        version = self.number("I")
        if version not in _SUPPORTED_VERSIONS:
            raise DamagedHeaderError(
                f"GGUF version {version} is not supported, only 2 and 3 in little-endian; convert it anew"
            )
        tensor_count, key_count = self.number("Q"), self.number("Q")
        if key_count > _LARGEST_KEY_COUNT:
            raise DamagedHeaderError(f"it claims {key_count} metadata keys; the file is damaged")
        return tensor_count, key_count

    def _advance(self, length: int) -> int:
        """Moves on by ``length`` bytes and gives the position before."""
        start = self._position
        if length > self._end - start:
            raise DamagedHeaderError(_PAST_THE_END)
        self._position = start + length
        return start

    def number(self, kind: Literal["I", "Q"]) -> int:
        """Reads an unsigned number of 32 (`I`) or 64 (`Q`) bits."""
        return int(self._scalar(_TYPE if kind == "I" else _LENGTH))

    def _scalar(self, layout: struct.Struct) -> Any:
        start = self._advance(layout.size)
        return layout.unpack_from(self._content, start)[0]

    def string(self) -> bytes:
        """Reads one string."""
        length = self.number("Q")
        start = self._advance(length)
        self._count_string_bytes(length)
        return self._content[start : start + length]

    def _count_string_bytes(self, length: int) -> None:
        self._string_bytes_left -= length
        if self._string_bytes_left < 0:
            raise DamagedHeaderError(
                f"its strings have more than {_MOST_STRING_BYTES} bytes; the file is damaged"
            )

    def _key(self) -> str:
        length = self.number("Q")
        if length > min(_LONGEST_KEY, self._end - self._position):
            raise DamagedHeaderError(f"it has a key of {length} bytes; the file is damaged or cut short")
        start = self._advance(length)
        return self._content[start : start + length].decode("utf-8", "replace")

    def metadata(self, key_count: int, is_wanted: Callable[[str], bool] = lambda key: True) -> dict[str, Any]:
        """Reads all keys; of those that are not wanted, the values are passed over.

        No key may come twice: readers of such a file would differ about which value counts.
        """
        known: set[str] = set()
        wanted: dict[str, Any] = {}
        for _ in range(key_count):
            key = self._key()
            if key in known:
                raise DamagedHeaderError(f"the key {key!r} comes twice; the file is damaged")
            known.add(key)
            value_type = self.number("I")
            if is_wanted(key):
                wanted[key] = self.value(value_type)
            else:
                self.skip(value_type)
        return wanted

    def value(self, value_type: int, depth: int = 0) -> Any:
        """Reads a value of the given type."""
        if value_type == _STRING:
            return self.string()
        if value_type == _ARRAY:
            element_type, count = self._array_header(depth)
            layout = _NUMBERS.get(element_type)
            if layout is not None:
                start = self._advance(count * layout.size)
                self._numbers_left -= count
                if self._numbers_left < 0:
                    raise _claims_array(count, depth)
                return list(struct.unpack_from(f"<{count}{layout.format[1:]}", self._content, start))
            if element_type == _STRING:
                return self._strings(count)
            return [self.value(element_type, depth + 1) for _ in range(count)]
        return self._scalar(self._layout(value_type))

    def skip(self, value_type: int, depth: int = 0) -> None:
        """Passes over a value of the given type."""
        if value_type == _STRING:
            self._advance(self.number("Q"))
        elif value_type == _ARRAY:
            element_type, count = self._array_header(depth)
            layout = _NUMBERS.get(element_type)
            if layout is not None:
                self._advance(count * layout.size)
            elif element_type == _STRING:
                self._skip_strings(count)
            else:
                for _ in range(count):
                    self.skip(element_type, depth + 1)
        else:
            self._advance(self._layout(value_type).size)

    def _strings(self, count: int) -> list[bytes]:
        """Reads many strings; the loop of :meth:`string`, written out because a vocabulary has 128,000."""
        content, position = self._content, self._position
        end = min(self._end, position + self._string_bytes_left)
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
            position = self._end + 1
        length = position - self._position
        self._advance(length)
        self._count_string_bytes(length)
        return strings

    def _skip_strings(self, count: int) -> None:
        content, position = self._content, self._position
        length_at = _LENGTH.unpack_from
        try:
            for _ in range(count):
                position += 8 + length_at(content, position)[0]
        except (struct.error, OverflowError):
            position = self._end + 1
        self._advance(position - self._position)

    def _array_header(self, depth: int) -> tuple[int, int]:
        """Reads the type and the number of the elements, which their bytes and the limits allow for."""
        element_type = self.number("I")
        count = self.number("Q")
        if depth >= _DEEPEST_ARRAY:
            raise _claims_array(count, depth)
        if element_type in _NUMBERS:
            return element_type, count
        if element_type == _STRING:
            least = _LENGTH.size
            self._strings_left -= count
        elif element_type == _ARRAY:
            least = _TYPE.size + _LENGTH.size
            self._arrays_left -= count
        else:
            raise _unknown_type(element_type)
        if min(self._strings_left, self._arrays_left) < 0:
            raise _claims_array(count, depth)
        if count * least > self._end - self._position:
            raise DamagedHeaderError(_PAST_THE_END)
        return element_type, count

    def _layout(self, value_type: int) -> struct.Struct:
        layout = _NUMBERS.get(value_type)
        if layout is None:
            raise _unknown_type(value_type)
        return layout


def _claims_array(count: int, depth: int) -> DamagedHeaderError:
    return DamagedHeaderError(f"it claims an array of {count} values at depth {depth}; the file is damaged")


def _unknown_type(value_type: int) -> DamagedHeaderError:
    return DamagedHeaderError(f"a metadata value has the unknown type {value_type}; the file is damaged")
