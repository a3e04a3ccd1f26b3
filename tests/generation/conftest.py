"""Fixtures for the tests of ``maskwright.generation``."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared_tokenizers() -> Path:
    """The folder of real tokenisers that lies beside the repository."""
    folder = Path(__file__).resolve().parents[2] / "../shared/data/tokenizers"
    if not folder.is_dir():
        pytest.skip("the shared data folder with real tokenisers is not there")
    return folder
