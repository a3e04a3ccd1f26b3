"""The command ``maskwright``: try a grammar on a text, a vocabulary or a real model.

Takes command-line arguments and gives text on standard output, remarks on standard error, and an exit
code: 0 for success, 1 where a text does not satisfy its grammar, 2 for anything that cannot be done as
asked. Needs the extra ``cli``, and for running models the extra ``generate``.

================== ==============================================================
option_groups      functions whose options are gathered into dataclasses
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
import sys

__all__ = ["main"]

_NEEDED = frozenset({"typer", "rich"})


def main() -> None:
    """Runs the command with the arguments of the process; always ends by raising ``SystemExit``."""
    try:
        app = importlib.import_module(f"{__name__}.app").app
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _NEEDED:
            raise
        sys.stderr.write(
            f"maskwright: the command line needs {error.name}; "
            "install it with: pip install 'maskwright[cli]'\n"
        )
        raise SystemExit(2) from None
    app()
