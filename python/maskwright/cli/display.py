"""Bytes, places in a text and errors, as people read them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import typer
from rich.console import Console

from maskwright.errors import MaskwrightError, StrictSchemaError

__all__ = ["escape", "excerpt", "join_expected", "report_errors", "warn"]

_WIDEST_LINE = 100
_MOST_EXPECTED = 12


def escape(data: bytes) -> str:
    r"""Writes bytes as a Python literal: of text where they are UTF-8, of bytes where they are not.

    Example:
        >>> print(escape(b"a\n"), escape(b"\xff"))
        'a\n' b'\xff'
    """
    try:
        return repr(data.decode("utf-8"))
    except UnicodeDecodeError:
        return repr(data)


def excerpt(text: str, line: int, column: int) -> str:
    r"""Shows one line of a text with a caret below one of its columns.

    Args:
        text: the whole text.
        line: counted from 1; a line after the last is shown as empty.
        column: counted from 1 in code points; at most one more than the line has.

    Returns:
        Two lines. Of a very long line only the neighbourhood of the column is shown.

    Example:
        >>> print(excerpt("one\ntwo", 2, 3))
          2 | two
            |   ^
    """
    lines = text.split("\n")
    content = lines[line - 1] if 0 < line <= len(lines) else ""
    caret = min(max(column, 1), len(content) + 1) - 1
    start = max(0, caret - _WIDEST_LINE // 2)
    # Every character takes one column, so that the caret stands where it should.
    shown = "".join(character if character.isprintable() else " " for character in content)
    return f"{line:>3} | {shown[start : start + _WIDEST_LINE]}\n    | {' ' * (caret - start)}^"


def join_expected(expected: Sequence[str]) -> str:
    """Joins what may come next, leaving out the end of a long list.

    Example:
        >>> join_expected(["'a'", "'b'"])
        "'a', 'b'"
    """
    if not expected:
        return "the end of the text"
    shown = ", ".join(expected[:_MOST_EXPECTED])
    return shown if len(expected) <= _MOST_EXPECTED else f"{shown}, and {len(expected) - _MOST_EXPECTED} more"


def warn(message: str, *, style: str = "") -> None:
    """Prints a remark to standard error, as it is written."""
    Console(stderr=True).print(message, style=style, markup=False, highlight=False, soft_wrap=True)


def report_errors(command: Callable[..., None]) -> Callable[..., None]:
    """Lets a command end with a readable message and exit code 2.

    So it does where maskwright refuses something, and where output cannot be written, as on a full disk.
    """

    @functools.wraps(command)
    def reporting(*arguments: Any, **options: Any) -> None:
        try:
            command(*arguments, **options)
        except MaskwrightError as error:
            for line in _told(error):
                warn(f"error: {line}", style="red")
            for note in getattr(error, "__notes__", ()):
                # What was given is an option; how the binding calls the argument that it became says nothing.
                if not note.startswith("while processing '"):
                    warn(note)
            raise typer.Exit(2) from None
        except BrokenPipeError:
            raise  # where there is no SIGPIPE, the frame around commands ends quietly
        except OSError as error:
            warn(f"error: {error}", style="red")
            raise typer.Exit(2) from None

    return reporting


def _told(error: MaskwrightError) -> list[str]:
    """What is wrong: one line, or all violations of OpenAI's subset, of which a message tells the first."""
    if isinstance(error, StrictSchemaError):
        return [f"{at}: not in the strict subset of OpenAI: {message}" for at, _, message in error.violations]
    return [str(error)]
