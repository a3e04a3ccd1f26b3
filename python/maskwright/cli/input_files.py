"""Reading the files that a command is given, and standard input.

Takes paths and gives what is in the files, or an error that says what is wrong with one. Pipes are read like
files; nothing is read without end.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import typer

__all__ = ["LARGEST_INPUT", "check_text", "read_bytes", "read_standard_input", "read_text"]

LARGEST_INPUT = 1 << 28
"""The most bytes that are read of one file or of standard input: no grammar and no text to check has more."""


def read_bytes(path: Path, option: str) -> bytes:
    """What is in a file.

    Args:
        path: the file.
        option: what it was given by, for errors.

    Raises:
        typer.BadParameter: it cannot be read, or has more than :data:`LARGEST_INPUT` bytes.
    """
    with _named(str(path), option), path.open("rb") as file:
        return _read(file, str(path), option)


def read_text(path: Path, option: str) -> str:
    """What is in a file of text.

    Args:
        path: the file.
        option: what it was given by, for errors.

    Raises:
        typer.BadParameter: it cannot be read, has more than :data:`LARGEST_INPUT` bytes, or is not UTF-8.
    """
    content = read_bytes(path, option)
    with _named(str(path), option):
        return content.decode("utf-8")


def check_text(given: str, option: str) -> None:
    """Checks that what the shell passed for an option is text.

    Args:
        given: what Python made of it.
        option: what it was given by, for errors.

    Raises:
        typer.BadParameter: it is not UTF-8.
    """
    with _named("it", option):
        given.encode("utf-8", "surrogateescape").decode("utf-8")


def read_standard_input(option: str) -> bytes:
    """What comes by standard input.

    Args:
        option: what asked for it, for errors.

    Raises:
        typer.BadParameter: it is closed, cannot be read, or has more than :data:`LARGEST_INPUT` bytes.
    """
    if sys.stdin is None:  # as Python starts where it was closed
        raise typer.BadParameter("standard input is closed; give a file", param_hint=option)
    with _named("standard input", option):
        return _read(sys.stdin.buffer, "standard input", option)


def _read(file: IO[bytes], name: str, option: str) -> bytes:
    content = file.read(LARGEST_INPUT + 1)
    if len(content) > LARGEST_INPUT:
        problem = f"{name} has more than {LARGEST_INPUT:,} bytes, which is too large"
        raise typer.BadParameter(problem, param_hint=option)
    return content


@contextmanager
def _named(name: str, option: str) -> Iterator[None]:
    """Says of errors what they are of."""
    try:
        yield
    except OSError as error:
        problem = f"{name} cannot be read: {error.strerror}"
        raise typer.BadParameter(problem, param_hint=option) from error
    except UnicodeDecodeError as error:
        problem = f"{name} is not text in UTF-8: {error.reason} at byte {error.start}"
        raise typer.BadParameter(problem, param_hint=option) from error
