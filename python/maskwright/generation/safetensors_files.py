"""The weights of a folder of ``*.safetensors`` files, in float32.

Takes a folder and gives :class:`SafetensorsFolder`: every tensor of every file by name. The
``safetensors`` package checks each file when it is opened; the numbers are then taken from the mapped
file here, because that package's NumPy side does not know bfloat16, in which most weights are stored.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from maskwright import nested_json
from maskwright.errors import ModelError

from .optional import require

__all__ = ["SafetensorsFolder"]

_INDEX = "model.safetensors.index.json"
_LENGTH_BYTES = 8
# bfloat16 is read as the upper half of a float32.
_NUMBER_TYPES = {"F32": "<f4", "F16": "<f2", "F64": "<f8", "BF16": "<u2"}


@dataclass(frozen=True)
class _StoredTensor:
    file: NDArray[np.uint8]
    start: int
    shape: tuple[int, ...]
    number_type: str


class SafetensorsFolder:
    """All tensors of a folder; the files stay mapped into memory.

    Attributes:
        path: the folder.
    """

    def __init__(self, path: Path) -> None:
        """Opens the files that the folder's index names, or all of them where there is no index.

        Args:
            path: the folder.

        Raises:
            ModelError: there is no such file, or one is damaged.
        """
        self.path = path
        self._tensors: dict[str, _StoredTensor] = {}
        for file in _weight_files(path):
            self._tensors.update(_open(file))

    def names(self) -> set[str]:
        """The names of all tensors."""
        return set(self._tensors)

    def read_tensor(self, name: str) -> NDArray[np.float32]:
        """Converts one tensor to float32.

        Args:
            name: its name.

        Returns:
            A float32 array of the tensor's shape; it may share memory with the file.

        Raises:
            ModelError: there is no such tensor, or its numbers are of a kind that cannot be converted.
        """
        tensor = self._tensors.get(name)
        if tensor is None:
            raise ModelError(f"{self.path}: the tensor {name!r} is missing", source=str(self.path))
        if tensor.number_type not in _NUMBER_TYPES:
            raise ModelError(
                f"{self.path}: the tensor {name!r} holds {tensor.number_type} numbers; "
                f"known are {', '.join(_NUMBER_TYPES)}",
                source=str(self.path),
            )
        stored = np.dtype(_NUMBER_TYPES[tensor.number_type])
        end = tensor.start + math.prod(tensor.shape) * stored.itemsize
        numbers = tensor.file[tensor.start : end].view(stored).reshape(tensor.shape)
        if tensor.number_type == "BF16":
            return (numbers.astype(np.uint32) << np.uint32(16)).view(np.float32)
        return numbers.astype(np.float32, copy=False)


def _weight_files(folder: Path) -> list[Path]:
    index = folder / _INDEX
    if not index.exists():
        files = sorted(folder.glob("*.safetensors"))
        if not files:
            raise ModelError(f"{folder}: holds no *.safetensors file", source=str(folder))
        return files
    try:
        names = set(nested_json.loads(index.read_text("utf-8"))["weight_map"].values())
        # A name that is a path could point outside the folder.
        return [folder / Path(name).name for name in sorted(names)]
    except (OSError, ValueError, KeyError, AttributeError, TypeError, RecursionError) as error:
        raise ModelError(
            f"{index}: not a readable index of safetensors files: {error!r}", source=str(index)
        ) from error


def _open(path: Path) -> dict[str, _StoredTensor]:
    safetensors = require("safetensors")
    try:
        # Checks the header and that the tensors fill the file exactly.
        with safetensors.safe_open(path, framework="np"):
            pass
        content = np.asarray(np.memmap(path, dtype=np.uint8, mode="r"))
        header_length = int.from_bytes(content[:_LENGTH_BYTES].tobytes(), "little")
        data_start = _LENGTH_BYTES + header_length
        header = nested_json.loads(content[_LENGTH_BYTES:data_start].tobytes())
    except (OSError, ValueError, safetensors.SafetensorError) as error:
        raise ModelError(f"{path}: not a readable safetensors file: {error}", source=str(path)) from error
    return {
        name: _StoredTensor(
            content, data_start + entry["data_offsets"][0], tuple(entry["shape"]), entry["dtype"]
        )
        for name, entry in header.items()
        if name != "__metadata__"
    }
