"""Constraints in files: a header with what the grammar was made of, and the pool behind it.

| bytes | what |
|---|---|
| 8 | ``mw-mask`` and a line end |
| 4 | the version of the format |
| 8 | the length of the header |
| | the header, JSON: ``grammar`` (a recipe and its name), ``settings`` |
| | the pool, as the core writes it, with the fingerprint of the vocabulary |
| 16 | BLAKE2b over all that is before |

All numbers are little-endian. The checksum finds damage, not intent.
"""

from __future__ import annotations

import errno
import json
import os
import secrets
import stat
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maskwright import nested_json
from maskwright.checking import can_be_a_name, path_of
from maskwright.errors import ArtifactError, GrammarError, VocabularyError
from maskwright.recipes import flat_recipe
from maskwright.settings import Settings

if TYPE_CHECKING:
    from maskwright.grammar import Grammar

__all__ = [
    "constraint_bytes",
    "for_this_vocabulary",
    "in_file",
    "read_constraint",
    "read_file",
    "settings_of",
    "write_file",
]

_MAGIC = b"mw-mask\n"
_VERSION = 2
_PREFIX = struct.Struct("<8sIQ")
_CHECKSUM = 16
_SEPARATORS = tuple(separator for separator in (os.sep, os.altsep) if separator)


def constraint_bytes(grammar: Grammar, settings: Settings, pool: bytes) -> bytes:
    """A saved constraint."""
    kind, arguments = flat_recipe(grammar)
    header = {
        "grammar": {"kind": kind, "arguments": arguments, "shown": grammar._shown},
        "settings": asdict(settings),
    }
    text = json.dumps(header, separators=(",", ":")).encode("ascii")
    content = _PREFIX.pack(_MAGIC, _VERSION, len(text)) + text + pool
    return content + _checksum(content)


def read_constraint(saved: bytes) -> tuple[tuple[object, object, object], object, int, bytes]:
    """The recipe with its name, the settings, and the pool behind its place, all still unchecked.

    Raises:
        ArtifactError: it is none, or damaged, or of another version.
    """
    if not saved.startswith(_MAGIC):
        raise ArtifactError("this is no saved constraint; give a file that Constraint.save has written")
    if len(saved) < _PREFIX.size + _CHECKSUM:
        raise ArtifactError("the saved constraint is cut off; save it again", offset=len(saved))
    _, version, length = _PREFIX.unpack_from(saved)
    if version != _VERSION:
        raise ArtifactError(
            f"the format has the version {version}, not {_VERSION}: it was saved by another version of "
            "maskwright; save the constraint again with this one",
            offset=len(_MAGIC),
        )
    end = len(saved) - _CHECKSUM
    content = memoryview(saved)[:end]
    if _checksum(content) != saved[end:]:
        message = "the checksum does not fit: the saved constraint is damaged or cut off; save it again"
        raise ArtifactError(message, offset=end)
    if length > end - _PREFIX.size:
        raise ArtifactError("the header is longer than the file; save the constraint again", offset=12)
    behind = _PREFIX.size + length
    try:
        text = bytes(content[_PREFIX.size : behind]).decode("ascii")
        header = nested_json.loads(text)
        grammar, fields = header["grammar"], header["settings"]
        recipe = (grammar["kind"], grammar["arguments"], grammar["shown"])
        return recipe, fields, behind, bytes(content[behind:])
    except (ValueError, TypeError, LookupError, RecursionError) as error:
        message = f"the header is damaged: {error}; save the constraint again"
        raise ArtifactError(message, offset=_PREFIX.size) from error


def settings_of(fields: object) -> Settings:
    """The settings with some values of their fields.

    Raises:
        ArtifactError: they are no truth values by the names of the fields.
    """
    known = asdict(Settings())
    if (
        not isinstance(fields, dict)
        or set(fields) != set(known)
        or not all(isinstance(value, bool) for value in fields.values())
    ):
        message = "the settings are not those that are known here; save the constraint again"
        raise ArtifactError(message, offset=_PREFIX.size)
    return Settings(**fields)


@contextmanager
def in_file(path: str | os.PathLike[str], *, start: int = 0) -> Iterator[None]:
    """Puts the name of a file in front of what is wrong with it.

    Args:
        path: the file.
        start: where in the file the part begins that is read, from which its faults count.
    """
    try:
        yield
    except ArtifactError as error:
        source, offset = os.fsdecode(path), start + error.offset
        message = str(error)
        within = f"byte {error.offset}: "
        if message.startswith(within):
            message = f"byte {offset}: {message.removeprefix(within)}"
        raise ArtifactError(f"{source}: {message}", source=source, offset=offset) from error


@contextmanager
def for_this_vocabulary() -> Iterator[None]:
    """Says of a grammar that compiled where it was saved, and not here, that it is for another vocabulary.

    Raises:
        ArtifactError: the vocabulary lacks what the grammar needs.
    """
    try:
        yield
    except (GrammarError, VocabularyError) as error:
        raise ArtifactError(
            f"the constraint was saved for another vocabulary, with this one it cannot be compiled: {error}; "
            "load it for the vocabulary that it was saved for, or save it again",
            offset=_PREFIX.size,
        ) from error


def read_file(path: str | os.PathLike[str]) -> bytes:
    """The content of a file.

    Raises:
        OSError: it cannot be read, or is no file: a device may have no end.
    """
    source = _named(path)
    _check_no_device(source, "read", path)
    return source.read_bytes()


def write_file(path: str | os.PathLike[str], content: bytes) -> None:
    """Writes a file whole: whoever reads it meanwhile, or when this fails, finds what was there before.

    A link stays, and leads to the new file. Who may read and write a file that was there stays, too; a new
    one is for whom the process makes files for (``umask``).

    Raises:
        OSError: it cannot be written, or is no file; it names the path that was given.
    """
    try:
        _replace(_file_behind(path), content)
    except OSError as error:
        # A hidden file that the content goes through means nothing to whoever gave the path.
        raise OSError(error.errno, error.strerror, str(path)) from None


def _file_behind(path: str | os.PathLike[str]) -> Path:
    """The file that a path leads to, or where a new one is to be."""
    target = Path(os.path.realpath(_named(path)))
    if target.is_symlink():
        raise OSError(errno.ELOOP, "a link that leads back to itself was given, but a file is written")
    if target.is_dir() or os.fspath(path).endswith(_SEPARATORS):
        raise IsADirectoryError(errno.EISDIR, "a folder was given, but a file is written")
    # Replaced it would be gone, such as /dev/null for all who write there.
    _check_no_device(target, "written", path)
    return target


def _named(path: str | os.PathLike[str]) -> Path:
    """The path that was given; no text at all would be the folder that the process is in."""
    named = path_of(path, "path")
    if not os.fspath(path):
        raise FileNotFoundError(errno.ENOENT, "the path is empty; give that of a file", "")
    if not can_be_a_name(path):
        raise OSError(errno.EINVAL, "no file can be called so", os.fspath(path))
    return named


def _replace(target: Path, content: bytes) -> None:
    # So few characters leave room for the rest in a name of 255 bytes, whatever they are.
    unfinished = target.with_name(f".{target.name[:50]}.{secrets.token_hex(8)}")
    try:
        with unfinished.open("xb") as file:
            if target.exists():
                _give_access_of(target, file.fileno())
            file.write(content)
        unfinished.replace(target)
    except BaseException:
        with suppress(OSError):
            unfinished.unlink()
        raise


def _give_access_of(target: Path, file: int) -> None:
    """Lets those use an open file who may use another one; owner and group as far as the system lets."""
    if sys.platform == "win32":
        return  # a file has the access there that its folder has
    wanted, now = target.stat(), os.fstat(file)
    if (wanted.st_uid, wanted.st_gid) != (now.st_uid, now.st_gid):
        for user, group in ((-1, wanted.st_gid), (wanted.st_uid, -1)):
            with suppress(OSError):
                os.fchown(file, user, group)
    mode = stat.S_IMODE(wanted.st_mode) & 0o777
    if mode != stat.S_IMODE(now.st_mode):
        os.fchmod(file, mode)


def _check_no_device(path: Path, done: str, given: str | os.PathLike[str]) -> None:
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise OSError(errno.EINVAL, f"a device or pipe was given, but a file is {done}", str(given))


def _checksum(content: Any) -> bytes:
    return blake2b(content, digest_size=_CHECKSUM).digest()
