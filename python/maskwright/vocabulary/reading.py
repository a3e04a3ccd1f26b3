"""Reads tokeniser files from disk, and says plainly what is wrong when that fails."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

from maskwright import nested_json
from maskwright.checking import first_repeated, path_of
from maskwright.errors import VocabularyError
from maskwright.vocabulary.table import excerpt, vocabulary_error

__all__ = ["LARGEST_FILE", "LARGEST_TEXT", "check_regular_file", "parse_json", "read_tokeniser_file"]

#: Of a binary file, in bytes (a GGUF file, which also holds the model, may be larger).
LARGEST_FILE = 1 << 29

#: Of JSON and of lines of text, in bytes: once read, they take up to 27 times as much. Files of tokenisers in
#: use have up to 40 million.
LARGEST_TEXT = 1 << 27


def check_regular_file(path: str | os.PathLike[str]) -> Path:
    """Gives the path of a file that exists and is not empty.

    Raises:
        TypeError: `path` is none.
        VocabularyError: there is no such file, it is a directory, a device or a link that leads nowhere, or
            it is empty.
    """
    checked = path_of(path, "path")
    if not os.fspath(path):
        raise vocabulary_error("''", "the path is empty; pass that of a tokeniser file")
    source = str(checked)
    try:
        if checked.is_dir():
            raise vocabulary_error(
                source,
                "this is a directory; pass the tokeniser file inside it, such as tokenizer.json,"
                " tokenizer.model, tekken.json or a .gguf file",
            )
        if not checked.exists():
            raise vocabulary_error(source, _why_missing(checked))
        if not checked.is_file():
            raise vocabulary_error(source, "this is not a regular file; pass the path of a tokeniser file")
        if checked.stat().st_size == 0:
            raise vocabulary_error(source, "the file is empty; fetch it again")
    except (OSError, ValueError) as error:
        # VocabularyError is a ValueError too; it already says all.
        if getattr(error, "source", None):
            raise
        raise vocabulary_error(repr(source), f"the path cannot be looked up ({error})") from error
    return checked


def _why_missing(path: Path) -> str:
    """Tells why a path leads to no file."""
    try:
        path.stat()
    except OSError as error:
        if error.errno == errno.ELOOP:
            return "its symbolic links lead in a circle; check where they lead"
    if path.is_symlink():
        return (
            f"this is a symbolic link to {str(path.readlink())!r}, which is not there; fetch the file again"
        )
    return "there is no such file; check the path; names of models on a hub are not looked up"


def read_tokeniser_file(path: str | os.PathLike[str], *, binary: bool = False) -> bytes:
    """Gives the whole content of a tokeniser file.

    Args:
        path: the file.
        binary: it is neither JSON nor lines of text.

    Raises:
        VocabularyError: the file cannot be read, or is larger than :data:`LARGEST_TEXT`; a binary one, than
            :data:`LARGEST_FILE`.
    """
    checked = check_regular_file(path)
    source = str(checked)
    largest = LARGEST_FILE if binary else LARGEST_TEXT
    try:
        length = checked.stat().st_size
        if length > largest:
            raise vocabulary_error(
                source,
                f"the file has {length} bytes, too many for a tokeniser, which may have {largest};"
                " is this the model itself?",
            )
        return checked.read_bytes()
    except OSError as error:
        raise vocabulary_error(source, f"the file cannot be read ({error.strerror})") from error


def parse_json(data: bytes, source: str) -> dict[str, Any]:
    """Gives the object that a JSON file holds.

    Raises:
        VocabularyError: the text is not JSON, a key comes twice in an object, or the outermost value is none.
    """

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            raise _repeated_key(pairs, source)
        return found

    try:
        document = nested_json.loads(data, object_pairs_hook=members)
    except VocabularyError:
        raise
    except (ValueError, RecursionError) as error:
        raise vocabulary_error(
            source, f"this is not well-formed JSON ({error}); the file is damaged or cut short"
        ) from error
    if not isinstance(document, dict):
        raise vocabulary_error(
            source,
            f"a JSON object was expected, but this is of type {type(document).__name__}; pass another file",
        )
    return document


def _repeated_key(pairs: list[tuple[str, Any]], source: str) -> VocabularyError:
    """Gives the error for a key that comes twice: readers of JSON differ about which counts."""
    repeated = first_repeated(key for key, _ in pairs)
    values = [excerpt(value) for key, value in pairs if key == repeated]
    return vocabulary_error(
        source,
        f"the key {excerpt(repeated)} comes twice in one object, with the values {values[0]} and {values[1]};"
        " correct the file, or fetch it again",
    )
