"""Reading the files that a command is given.

Takes paths and gives what is in the files, or an error that says what is wrong with one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

__all__ = ["read_bytes", "read_text"]


def read_bytes(path: Path, option: str) -> bytes:
    """What is in a file.

    Args:
        path: the file.
        option: what it was given by, for errors.

    Raises:
        typer.BadParameter: it cannot be read.
    """
    with _named(path, option):
        return path.read_bytes()


def read_text(path: Path, option: str) -> str:
    """What is in a file of text.

    Args:
        path: the file.
        option: what it was given by, for errors.

    Raises:
        typer.BadParameter: it cannot be read, or is not UTF-8.
    """
    with _named(path, option):
        return path.read_text("utf-8")


@contextmanager
def _named(path: Path, option: str) -> Iterator[None]:
    """Says of errors which file they are of."""
    try:
        yield
    except OSError as error:
        problem = f"{path} cannot be read: {error.strerror}"
        raise typer.BadParameter(problem, param_hint=option) from error
    except UnicodeDecodeError as error:
        problem = f"{path} is not text in UTF-8: {error.reason} at byte {error.start}"
        raise typer.BadParameter(problem, param_hint=option) from error
