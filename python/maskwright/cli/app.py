"""The commands put together."""

from __future__ import annotations

from typing import Annotated

import typer

from maskwright import __version__

from .check_command import CHECK_HELP, check_command
from .display import report_errors
from .generate_command import GENERATE_HELP, generate_command
from .mask_command import MASK_HELP, mask_command
from .option_groups import with_option_groups
from .single_options import SingleOptionsCommand

__all__ = ["app"]

# Help is given as such, and not as docstrings, which python -OO strips.
app = typer.Typer(
    name="maskwright",
    help="Makes a language model's output fit a grammar.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",  # joins the lines of a paragraph
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

for _name, _command, _help in (
    ("generate", generate_command, GENERATE_HELP),
    ("check", check_command, CHECK_HELP),
    ("mask", mask_command, MASK_HELP),
):
    app.command(_name, cls=SingleOptionsCommand, help=_help)(report_errors(with_option_groups(_command)))


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"maskwright {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """Has the options that stand before a command."""
