"""Reading the files that a command is given, and standard input.

Takes names of files, of which ``-`` is standard input, and gives what is in them, or an error that says what
is wrong with one. Pipes are read like files; nothing is read without end.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import typer

__all__ = [
    "LARGEST_INPUT",
    "STANDARD_INPUT",
    "NamedFile",
    "check_text",
    "read_bytes",
    "read_text",
    "refuse_two_standard_inputs",
    "told_file",
]

STANDARD_INPUT = "-"
"""The name of standard input. Names are kept as they were written: as a path, ``./-`` would be the same."""

NamedFile = tuple[str, str]
"""An option, and the name of the file that it was given."""

LARGEST_INPUT = 1 << 28
"""The most bytes that are read of one file or of standard input: no grammar and no text to check has more."""


def read_bytes(name: str, option: str) -> bytes:
    """What is in a file, or comes by standard input.

    Args:
        name: the file.
        option: what it was given by, for errors.

    Raises:
        typer.BadParameter: it cannot be read, or has more than :data:`LARGEST_INPUT` bytes; or it is standard
            input, which is closed.
    """
    if name == STANDARD_INPUT:
        return _read_standard_input(option)
    with _named(name, option), Path(name).open("rb") as file:
        return _read(file, name, option)


def read_text(name: str, option: str) -> str:
    """What is in a file of text, or comes by standard input.

    Args:
        name: the file.
        option: what it was given by, for errors.

    Raises:
        typer.BadParameter: as for :func:`read_bytes`, or it is not UTF-8.
    """
    content = read_bytes(name, option)
    with _named(told_file(name), option):
        return content.decode("utf-8")


def refuse_two_standard_inputs(files: Iterable[NamedFile]) -> None:
    """Checks that at most one of the files of a command is standard input, which can be read only once.

    Args:
        files: all that the command was given.

    Raises:
        typer.BadParameter: several are.

    Example:
        >>> refuse_two_standard_inputs([("--gbnf", "-"), ("FILE", "answer.txt")])
    """
    options = [option for option, name in files if name == STANDARD_INPUT]
    if len(options) > 1:
        raise typer.BadParameter(
            f"{' and '.join(options)} cannot all be standard input, which is read only once; "
            "give files instead"
        )


def told_file(name: str) -> str:
    """A file as messages tell it."""
    return "standard input" if name == STANDARD_INPUT else name


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


def _read_standard_input(option: str) -> bytes:
    name = told_file(STANDARD_INPUT)
    if sys.stdin is None:  # as Python starts where it was closed
        raise typer.BadParameter(f"{name} is closed; give a file", param_hint=option)
    with _named(name, option):
        return _read(sys.stdin.buffer, name, option)


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
