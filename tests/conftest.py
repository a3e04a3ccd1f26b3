"""What all tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

import maskwright as mw

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(params=mw.Settings.all(), ids=str)
def settings(request: pytest.FixtureRequest) -> mw.Settings:
    """Every way of computing masks in turn."""
    chosen: mw.Settings = request.param
    return chosen


@pytest.fixture(scope="session")
def byte_vocabulary() -> mw.Vocabulary:
    """All single bytes by their values, some longer tokens, a special token and two stop tokens."""
    tokens: list[bytes | None] = [bytes([byte]) for byte in range(256)]
    longer = ["ab", "abc", "aa", '",', '":', "}}", "list", "listen", "ed", "true", "日本", "  "]
    tokens += [text.encode() for text in longer]
    tokens += [None, None, None]
    count = len(tokens)
    special = {"<tool>": count - 3, "<end>": count - 2, "<eot>": count - 1}
    return mw.Vocabulary.from_tokens(
        tokens, special_tokens=special, stop_ids=[count - 2, count - 1], size=count + 40
    )


@pytest.fixture
def shared_data() -> Path:
    """The folder of the test data beside the checkout."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the test data in ../shared/data is not there")
    return SHARED_DATA
