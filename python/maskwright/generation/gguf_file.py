"""The header of a GGUF file: its metadata, and where each of its tensors lies.

Takes a path and gives a :class:`GgufFile`: metadata values as plain Python objects, and tensors as
descriptions whose numbers are converted to float32 only when asked for. The ``gguf`` package's own
reader builds several NumPy arrays for each of the hundred thousand strings of a vocabulary, which
takes seconds; here one pass over the bytes reads them, and ``gguf`` is used for what it is best at,
the many quantised number formats.

Every length in the file is checked against the bytes that are really there before it is believed.
"""

from __future__ import annotations

import math
import mmap
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskwright.errors import ModelError

from .optional import require

__all__ = ["GgufFile", "GgufTensor", "read_gguf"]

_MAGIC = b"GGUF"
_SUPPORTED_VERSIONS = (2, 3)
_DEFAULT_ALIGNMENT = 32
_MAX_DIMENSIONS = 4
_MAX_ARRAY_DEPTH = 4
# `gguf` converts 16 rows at a time; rows of this size keep what it works on inside the caches.
_CONVERSION_ROW_BYTES = 1 << 12

_STRING, _ARRAY = 8, 9
# GGUF's number for each scalar type, as the little-endian format that `struct` and NumPy share.
_SCALARS = {
    0: "<u1", 1: "<i1", 2: "<u2", 3: "<i2", 4: "<u4", 5: "<i4",
    6: "<f4", 7: "|b1", 10: "<u8", 11: "<i8", 12: "<f8",
}  # fmt: skip


@dataclass(frozen=True)
class GgufTensor:
    """Where one tensor lies and how its numbers are written.

    Attributes:
        name: its name in the file.
        shape: its dimensions, outermost first (the order of NumPy, the reverse of the file's).
        quantization: the number that GGUF gives to the format of its numbers.
        offset: the position of its first byte, counted from the start of the tensor data.
    """

    name: str
    shape: tuple[int, ...]
    quantization: int
    offset: int


class GgufFile:
    """The metadata of a GGUF file and its tensors by name.

    Attributes:
        path: the file that was read.
        metadata: each key's value: a number, a string, a bool, or a list of these.
        tensors: each tensor's description.
    """

    def __init__(
        self,
        path: Path,
        metadata: dict[str, Any],
        tensors: dict[str, GgufTensor],
        tensor_data: NDArray[np.uint8],
    ) -> None:
        self.path = path
        self.metadata = metadata
        self.tensors = tensors
        self._tensor_data = tensor_data

    def require(self, key: str, kind: type | tuple[type, ...]) -> Any:
        """Gives a metadata value that the model cannot do without.

        Args:
            key: the metadata key.
            kind: what the value must be an instance of.

        Raises:
            ModelError: the key is missing, or its value is something else.
        """
        value = self.metadata.get(key)
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            found = "missing" if value is None else f"of the wrong type, {type(value).__name__}"
            raise ModelError(f"{self.path}: the metadata {key!r} is {found}", source=str(self.path))
        return value

    def read_tensor(self, name: str) -> NDArray[np.float32]:
        """Converts one tensor to float32.

        Args:
            name: its name in the file.

        Returns:
            A C-contiguous float32 array of the tensor's shape; it may share memory with the file.

        Raises:
            ModelError: there is no such tensor, it reaches past the end of the file, or the ``gguf``
                package cannot convert its format.
        """
        tensor = self.tensors.get(name)
        if tensor is None:
            raise ModelError(f"{self.path}: the tensor {name!r} is missing", source=str(self.path))
        gguf = require("gguf")
        try:
            quantization = gguf.GGMLQuantizationType(tensor.quantization)
            byte_shape = _byte_shape(tensor.shape, *gguf.GGML_QUANT_SIZES[quantization])
            end = tensor.offset + math.prod(byte_shape)
            if end > self._tensor_data.size:
                raise ValueError(f"it ends {end - self._tensor_data.size} bytes past the end of the file")
            stored = self._tensor_data[tensor.offset : end].reshape(_conversion_shape(byte_shape))
            numbers = gguf.quants.dequantize(stored, quantization)
        except (ValueError, KeyError, NotImplementedError) as error:
            raise ModelError(
                f"{self.path}: the tensor {name!r} cannot be read: {error}", source=str(self.path)
            ) from error
        return np.ascontiguousarray(numbers, dtype=np.float32).reshape(tensor.shape)


def _byte_shape(shape: tuple[int, ...], block_size: int, block_bytes: int) -> tuple[int, ...]:
    if not shape or shape[-1] % block_size:
        raise ValueError(f"rows of shape {shape} are not whole blocks of {block_size} numbers")
    return (*shape[:-1], shape[-1] // block_size * block_bytes)


def _conversion_shape(byte_shape: tuple[int, ...]) -> tuple[int, int]:
    """Joins rows, since blocks do not depend on their row and `gguf` is slow over many short rows."""
    row_count, row_bytes = math.prod(byte_shape[:-1]), byte_shape[-1]
    while row_count % 2 == 0 and row_count and row_bytes < _CONVERSION_ROW_BYTES:
        row_count, row_bytes = row_count // 2, row_bytes * 2
    return row_count, row_bytes


def read_gguf(path: str | Path) -> GgufFile:
    """Reads the header of a GGUF file.

    Args:
        path: the file.

    Returns:
        Its metadata and tensor descriptions; the file stays mapped into memory.

    Raises:
        ModelError: the file is not there, is not GGUF of version 2 or 3, or is damaged.
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        raise ModelError(f"{path}: cannot be opened: {error}", source=str(path)) from error
    reader = _HeaderReader(memoryview(content))
    try:
        tensor_count, value_count = reader.read_preamble()
        metadata = {reader.read_string(): reader.read_typed_value() for _ in range(value_count)}
        tensors = [reader.read_tensor() for _ in range(tensor_count)]
        alignment = metadata.get("general.alignment", _DEFAULT_ALIGNMENT)
        if not isinstance(alignment, int) or alignment < 1:
            raise ValueError(f"the alignment is {alignment!r}")
    except (struct.error, ValueError) as error:
        raise ModelError(
            f"{path}: not a readable GGUF file: at byte {reader.position}: {error}", source=str(path)
        ) from error
    start = -(-reader.position // alignment) * alignment
    tensor_data = np.frombuffer(content, np.uint8)[start:]
    return GgufFile(path, metadata, {tensor.name: tensor for tensor in tensors}, tensor_data)


class _HeaderReader:
    """A cursor over the header; raises ValueError or struct.error where the bytes make no sense."""

    def __init__(self, content: memoryview) -> None:
        self._content = content
        self.position = 0

    def read_preamble(self) -> tuple[int, int]:
        """Checks magic and version; gives the number of tensors and of metadata values."""
        if bytes(self._content[: len(_MAGIC)]) != _MAGIC:
            raise ValueError("it does not begin with 'GGUF'")
        self.position = len(_MAGIC)
        version = self._read_number("<I")
        if version not in _SUPPORTED_VERSIONS:
            raise ValueError(f"version {version} is not one of {_SUPPORTED_VERSIONS}")
        return self._read_number("<Q"), self._read_number("<Q")

    def read_string(self) -> str:
        length = self._read_number("<Q")
        return str(self._take(length), "utf-8", "replace")

    def read_typed_value(self) -> Any:
        return self._read_value(self._read_number("<I"), _MAX_ARRAY_DEPTH)

    def read_tensor(self) -> GgufTensor:
        name = self.read_string()
        dimension_count = self._read_number("<I")
        if dimension_count > _MAX_DIMENSIONS:
            raise ValueError(f"the tensor {name!r} has {dimension_count} dimensions")
        shape = tuple(self._read_number("<Q") for _ in range(dimension_count))[::-1]
        return GgufTensor(name, shape, self._read_number("<I"), self._read_number("<Q"))

    def _read_value(self, kind: int, depth: int) -> Any:
        if kind == _STRING:
            return self.read_string()
        if kind == _ARRAY:
            return self._read_array(depth)
        if kind in _SCALARS:
            return self._read_scalars(kind, 1)[0]
        raise ValueError(f"{kind} is not the number of a value type")

    def _read_array(self, depth: int) -> list[Any]:
        if depth == 0:
            raise ValueError(f"arrays are nested more than {_MAX_ARRAY_DEPTH} deep")
        kind, count = self._read_number("<I"), self._read_number("<Q")
        if kind == _STRING:
            return self._read_strings(count)
        if kind in _SCALARS:
            return self._read_scalars(kind, count)
        return [self._read_value(kind, depth - 1) for _ in range(count)]

    def _read_strings(self, count: int) -> list[str]:
        content, position, strings = self._content, self.position, []
        read_length: Callable[..., tuple[int]] = struct.Struct("<Q").unpack_from
        for _ in range(count):
            (length,) = read_length(content, position)
            position += 8
            if length > len(content) - position:
                raise ValueError(f"a string of {length} bytes reaches past the end of the file")
            strings.append(str(content[position : position + length], "utf-8", "replace"))
            position += length
        self.position = position
        return strings

    def _read_scalars(self, kind: int, count: int) -> list[Any]:
        number_type = np.dtype(_SCALARS[kind])
        values: list[Any] = np.frombuffer(self._take(count * number_type.itemsize), number_type).tolist()
        return values

    def _read_number(self, layout: str) -> int:
        (number,) = struct.unpack(layout, self._take(struct.calcsize(layout)))
        return int(number)

    def _take(self, length: int) -> memoryview:
        if length > len(self._content) - self.position:
            raise ValueError(f"{length} bytes are announced, which reach past the end of the file")
        piece = self._content[self.position : self.position + length]
        self.position += length
        return piece
