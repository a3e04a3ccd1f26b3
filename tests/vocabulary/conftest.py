"""Fixtures of the vocabulary tests: real tokeniser files, unpacked once."""

from __future__ import annotations

import gzip
import importlib.util
from collections.abc import Callable
from pathlib import Path

import pytest

from maskwright.vocabulary.files import table_from_file
from maskwright.vocabulary.table import TokenTable

from .reference import unpack_tokenizer


@pytest.fixture(scope="session")
def unpack(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A function that gives the path of a tokeniser file of the shared folder, decompressed."""
    folder = tmp_path_factory.mktemp("tokenizers")
    return lambda name: unpack_tokenizer(name, folder)


@pytest.fixture(scope="session")
def table_of(unpack: Callable[[str], Path]) -> Callable[[str], TokenTable]:
    """A function that gives the table of a tokeniser file of the shared folder, read once."""
    tables: dict[str, TokenTable] = {}

    def table(name: str) -> TokenTable:
        if name not in tables:
            tables[name] = table_from_file(unpack(name))
        return tables[name]

    return table


def package_file(package: str, *parts: str) -> Path:
    """Gives a file that an installed package carries, or skips the test that asks for it."""
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        pytest.skip(f"the package {package} is not installed")
    path = Path(found.submodule_search_locations[0], *parts)
    if not path.exists():
        pytest.skip(f"the package {package} carries no {'/'.join(parts)}")
    return path


@pytest.fixture(scope="session")
def packaged() -> Callable[..., Path]:
    """A function that gives a file that an installed package carries."""
    return package_file


@pytest.fixture(scope="session")
def o200k_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The o200k_base ranks of the package bpe-openai."""
    plain = tmp_path_factory.mktemp("o200k") / "o200k_base.tiktoken"
    plain.write_bytes(
        gzip.decompress(package_file("bpe_openai", "data", "o200k_base.tiktoken.gz").read_bytes())
    )
    return plain


@pytest.fixture(scope="session")
def cl100k_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cl100k_base ranks of the package bpe-openai."""
    plain = tmp_path_factory.mktemp("cl100k") / "cl100k_base.tiktoken"
    plain.write_bytes(
        gzip.decompress(package_file("bpe_openai", "data", "cl100k_base.tiktoken.gz").read_bytes())
    )
    return plain


@pytest.fixture(scope="session")
def trained_model(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """A function that trains a small SentencePiece model with byte fallback, and gives its path."""
    sentencepiece = pytest.importorskip("sentencepiece", reason="the package sentencepiece is not installed")
    folder = tmp_path_factory.mktemp("sentencepiece")

    def train(model_type: str = "bpe", **options: object) -> Path:
        path = folder / f"{model_type}-{len(list(folder.iterdir()))}.model"
        words = ["the cat sat on the mat", "a quick brown fox jumps", "naïve café déjà vu", "日本語 テキスト"]
        sentences = [f"{word} {number} {word[::-1]}" for word in words for number in range(40)]
        with path.open("wb") as file:
            sentencepiece.SentencePieceTrainer.train(
                sentence_iterator=iter(sentences),
                model_writer=file,
                model_type=model_type,
                **{
                    "vocab_size": 400,
                    "byte_fallback": True,
                    "normalization_rule_name": "identity",
                    "remove_extra_whitespaces": False,
                    "hard_vocab_limit": False,
                    "minloglevel": 2,
                    **options,
                },
            )
        return path

    return train
