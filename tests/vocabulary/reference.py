"""Real vocabularies to compare with, and the real tokeniser files that encode text.

Both lie in the shared folder beside the checkout; a test that asks for one is skipped where it is not there.
"""

from __future__ import annotations

import base64
import gzip
import json
import lzma
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

SHARED_DATA = Path(__file__).parents[3] / "shared" / "data"

_DECOMPRESSORS: dict[str, Callable[[bytes], bytes]] = {".gz": gzip.decompress, ".xz": lzma.decompress}


@dataclass(frozen=True)
class Reference:
    """One real vocabulary.

    Attributes:
        name: its name in the shared folder, such as ``"llama3"``.
        tokens: the bytes of each id; ``None`` for special and unused ids.
        special_tokens: name to id.
        stop_ids: the ids that end a generation.
        size: the number of logits of the model, at least ``len(tokens)``.
    """

    name: str
    tokens: list[bytes | None]
    special_tokens: dict[str, int]
    stop_ids: list[int]
    size: int


def shared_file(*parts: str) -> Path:
    """Gives a file of the shared folder, or skips the test that asks for it."""
    path = SHARED_DATA.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"the shared data file {'/'.join(parts)} is not there")
    return path


@cache
def load_reference(name: str) -> Reference:
    """Reads a real vocabulary by name, or skips the test that asks for it."""
    lines = gzip.decompress(shared_file("vocabularies", f"{name}.vocab.b64.gz").read_bytes()).split(b"\n")
    facts = json.loads(shared_file("vocabularies", f"{name}.meta.json").read_text(encoding="utf-8"))
    tokens = [base64.b64decode(line) or None for line in lines[: facts["n_ids"]]]
    return Reference(name, tokens, facts["special"], facts["eos"], facts["model_logits"])


def unpack_tokenizer(name: str, folder: Path) -> Path:
    """Puts a tokeniser file of the shared folder, decompressed, into a folder, and gives its path."""
    packed = shared_file("tokenizers", name)
    decompress = _DECOMPRESSORS.get(packed.suffix)
    if decompress is None:
        return packed
    plain = folder / packed.stem
    if not plain.exists():
        plain.write_bytes(decompress(packed.read_bytes()))
    return plain
