"""The command ``maskwright``: try a grammar on a text, a vocabulary or a real model.

Takes command-line arguments and gives text on standard output, remarks on standard error, and an exit
code: 0 for success, 1 where a text does not satisfy its grammar, be it one that was given or one that the
limit on tokens has cut off, 2 for anything that cannot be done as asked, 130 where Ctrl-C ended it. Where
nobody reads its output any more, as behind ``| head -1``, it ends as other tools do: on Unix by the signal
SIGPIPE, which shells show as 141. Needs the extra ``cli``, and for running models the extra ``generate``;
without that, ``check`` replays texts byte by byte.

================== ==============================================================
option_groups      functions whose options are gathered into dataclasses
single_options     commands that refuse an option that is given twice
grammar_options    the ways to give a grammar, in one table
tool_options       the tools that a model may call
warm_options       what is computed ahead of the text
vocabulary_options where tokens come from: ``--vocabulary``, ``--model`` or the default
input_files        the files that all these are read from
replay             walks a text through a matcher and finds where it stops being legal
listing            what a mask allows, as rows for people
display            escaping, excerpts with a caret, error reports
generate_command,  one command each
check_command,
mask_command
app                the commands put together
================== ==============================================================
"""

from __future__ import annotations

import importlib
import io
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import Any

__all__ = ["main"]

_NEEDED = frozenset({"typer", "rich"})

_INTERRUPTED = 128 + signal.SIGINT


def main() -> None:
    """Runs the command with the arguments of the process; always ends by raising ``SystemExit``.

    Or by the signal SIGPIPE: see above.
    """
    try:
        with _ended_by_closed_pipes():
            _run()
    except OSError as error:  # of a help text or the version: commands tell of their own
        with suppress(OSError):
            sys.stderr.write(f"maskwright: {error}\n")
        raise SystemExit(2) from None


def _run() -> None:
    try:
        app = importlib.import_module(f"{__name__}.app").app
    except KeyboardInterrupt:
        raise SystemExit(_INTERRUPTED) from None
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _NEEDED:
            raise
        sys.stderr.write(
            f"maskwright: the command line needs {error.name}; "
            "install it with: pip install 'maskwright[cli]'\n"
        )
        raise SystemExit(2) from None
    app()


class _Output(io.FileIO):
    """A file that ends the process by SIGPIPE where nobody reads it any more.

    For this file alone: Python ignores the signal for the sake of connections, which may break while they
    are written to. Typer would end with the exit code 1, which stands for a text that does not fit.
    """

    def write(self, content: Any) -> int:
        """As of any file."""
        try:
            return super().write(content)
        except BrokenPipeError:
            # Only the main thread may change what signals do.
            if hasattr(signal, "SIGPIPE") and threading.current_thread() is threading.main_thread():
                signal.signal(signal.SIGPIPE, signal.SIG_DFL)
                signal.raise_signal(signal.SIGPIPE)
            raise


@contextmanager
def _ended_by_closed_pipes() -> Iterator[None]:
    """Writes standard output, where there is one, so that a pipe that is closed ends the process."""
    before = sys.stdout
    try:
        number = before.fileno()
    except (AttributeError, OSError):
        yield  # it is closed, or what stands in for it is no file
        return
    before.flush()
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(_Output(number, "wb", closefd=False)),
        encoding=before.encoding,
        errors=before.errors,
        line_buffering=before.isatty(),
    )
    has_failed = True
    try:
        yield
    except SystemExit as ended:
        has_failed = bool(ended.code)
        raise
    finally:
        output, sys.stdout = sys.stdout, before
        # Of what has failed, the reason has been told.
        with suppress(OSError) if has_failed else nullcontext():
            output.flush()
