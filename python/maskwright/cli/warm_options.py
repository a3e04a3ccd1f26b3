"""What is computed ahead of the text, on the command line.

Takes option values and gives the arguments ``warm`` and ``examples`` of :meth:`maskwright.Compiler.compile`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Literal

import typer

from maskwright.checking import did_you_mean

from .input_files import NamedFile, read_bytes

__all__ = ["NOTHING_AHEAD", "Ahead", "WarmOptions"]

_DEFAULT_WARM = 500
"""So many masks are rehearsed in some 20 ms, which any model takes to read a prompt."""

_PANEL = "Computed ahead"


@dataclass(frozen=True)
class Ahead:
    """What is computed ahead, as :meth:`maskwright.Compiler.compile` takes it.

    Attributes:
        warm: so many masks at most, or everything.
        examples: texts that are thought to come.
    """

    warm: int | Literal["all"]
    examples: tuple[bytes, ...]


NOTHING_AHEAD = Ahead(0, ())
"""What is computed ahead where nothing is."""


@dataclass(frozen=True)
class WarmOptions:
    """The option values of a command that lets a grammar be computed ahead."""

    warm: Annotated[
        str | None,
        typer.Option(
            metavar="none|NUMBER|all",
            help="What is computed ahead of the text: nothing, up to so many masks of likely texts while the "
            f"model reads the prompt ({_DEFAULT_WARM} by default), or before that whatever can be reached.",
            rich_help_panel=_PANEL,
        ),
    ] = None
    example: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="A file with a text that you think likely, or - for standard input; it is rehearsed before "
            "all else, as far as it fits the grammar. Give the option once for each.",
            rich_help_panel=_PANEL,
        ),
    ] = None

    def files(self) -> list[NamedFile]:
        """Gives the files that are to be read."""
        return [("--example", name) for name in self.example or ()]

    def choose(self, *, is_constrained: bool) -> Ahead:
        """Gives what was asked for.

        Args:
            is_constrained: whether there is a grammar.

        Raises:
            typer.BadParameter: there is nothing to compute ahead, a value is none of those that there are, or
                a file cannot be read.
        """
        if not is_constrained:
            for option, value in (("--warm", self.warm), ("--example", self.example)):
                if value not in (None, []):
                    raise typer.BadParameter(f"{option} needs a grammar or --tools")
            return NOTHING_AHEAD
        warm = _DEFAULT_WARM if self.warm is None else _masks(self.warm)
        if self.example and warm == 0:
            raise typer.BadParameter(
                f"--warm {self.warm} rehearses nothing, not even an --example; give a number of masks"
            )
        return Ahead(warm, tuple(read_bytes(name, option) for option, name in self.files()))


def _masks(text: str) -> int | Literal["all"]:
    if text == "all":
        return "all"
    if text == "none":
        return 0
    if re.fullmatch("[0-9]{1,9}", text):
        return int(text)
    problem = (
        f"{text!r} is none of these: none, a number of masks, such as {_DEFAULT_WARM}, or all"
        f"{did_you_mean(text, ('none', 'all'), str)}"
    )
    raise typer.BadParameter(problem, param_hint="--warm")
