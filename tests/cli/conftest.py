"""A small vocabulary and a way to run the command line in this process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from generation.tiny_llama import TinyLlama
from maskwright.cli.app import app

Run = Callable[..., Any]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs ``maskwright`` with arguments; ``input`` is its standard input.

    What it tells in one line stays in one, however long the paths in it are.
    """
    monkeypatch.setenv("COLUMNS", "1000")
    monkeypatch.setenv("NO_COLOR", "1")

    def invoke(*arguments: str | Path, input: bytes | None = None) -> Any:
        return CliRunner().invoke(app, [str(argument) for argument in arguments], input=input)

    return invoke


@pytest.fixture(scope="session")
def model_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random model with a chat template, as a GGUF file."""
    return TinyLlama().write_gguf(tmp_path_factory.mktemp("model") / "tiny.gguf")


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same model as a folder."""
    return TinyLlama().write_transformers(tmp_path_factory.mktemp("model") / "tiny")
