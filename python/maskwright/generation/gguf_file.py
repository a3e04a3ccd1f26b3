"""The header of a GGUF file: its metadata, and where each of its tensors lies.

Takes a path and gives a :class:`GgufFile`: metadata values as plain Python objects, and tensors as
descriptions whose numbers are converted to float32 only when asked for, by the ``gguf`` package, which
knows the many quantised formats.
"""

from __future__ import annotations

import math
import mmap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskwright.errors import ModelError
from maskwright.gguf_header import DamagedHeaderError, HeaderReader

from .optional import require

__all__ = ["GgufFile", "GgufTensor", "read_gguf"]

_DEFAULT_ALIGNMENT = 32
_MAX_DIMENSIONS = 4
# `gguf` converts 16 rows at a time; rows of this size keep what it works on inside the caches.
_CONVERSION_ROW_BYTES = 1 << 12


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
        # The last is what the `gguf` package raises for a format that it cannot convert.
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
        ModelError: the file is not there, is not GGUF of version 2 or 3, has a key or a tensor twice, or is
            damaged.
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        raise ModelError(f"{path}: cannot be opened: {error}", source=str(path)) from error
    reader = HeaderReader(content)
    try:
        tensor_count, value_count = reader.counts()
        metadata = {key: _text(value) for key, value in reader.metadata(value_count).items()}
        tensors: dict[str, GgufTensor] = {}
        for _ in range(tensor_count):
            tensor = _read_tensor(reader)
            if tensor.name in tensors:
                raise DamagedHeaderError(f"the tensor {tensor.name!r} comes twice; the file is damaged")
            tensors[tensor.name] = tensor
        alignment = metadata.get("general.alignment", _DEFAULT_ALIGNMENT)
        if not isinstance(alignment, int) or alignment < 1:
            raise DamagedHeaderError(f"the alignment is {alignment!r}")
    except DamagedHeaderError as error:
        raise ModelError(
            f"{path}: not a readable GGUF file: at byte {reader.position}: {error}", source=str(path)
        ) from error
    start = -(-reader.position // alignment) * alignment
    tensor_data = np.frombuffer(content, np.uint8)[start:]
    return GgufFile(path, metadata, tensors, tensor_data)


def _read_tensor(reader: HeaderReader) -> GgufTensor:
    name = _text(reader.string())
    dimension_count = reader.number("I")
    if dimension_count > _MAX_DIMENSIONS:
        raise DamagedHeaderError(f"the tensor {name!r} has {dimension_count} dimensions")
    shape = tuple(reader.number("Q") for _ in range(dimension_count))[::-1]
    return GgufTensor(name, shape, reader.number("I"), reader.number("Q"))


def _text(value: Any) -> Any:
    """The same value with text in place of bytes, in lists too."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, list) and value and isinstance(value[0], bytes | list):
        return [_text(member) for member in value]
    return value
