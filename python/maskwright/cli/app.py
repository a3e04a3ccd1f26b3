"""The commands put together."""

from __future__ import annotations

from typing import Annotated

import typer

from maskwright import __version__

from .check_command import check_command
from .display import report_errors
from .generate_command import generate_command
from .mask_command import mask_command
from .option_groups import with_option_groups

__all__ = ["app"]

app = typer.Typer(
    name="maskwright",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",  # joins the lines of a paragraph
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

for _name, _command in (
    ("generate", generate_command),
    ("check", check_command),
    ("mask", mask_command),
):
    app.command(_name)(report_errors(with_option_groups(_command)))


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
    """Makes a language model's output fit a grammar."""
