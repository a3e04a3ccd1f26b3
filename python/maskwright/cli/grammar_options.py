"""The ways to give a grammar on the command line.

Takes option values and gives a :class:`maskwright.Grammar`. Every way is one field of
:class:`GrammarOptions` and one row of the table ``_SOURCES``; a command that takes the options gets a new
way without a change.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from maskwright import Compiler, Constraint, Grammar
from maskwright.errors import GrammarSyntaxError

from .display import excerpt

__all__ = ["GrammarChoice", "GrammarOptions"]

_PANEL = "Grammar (give one)"


@dataclass(frozen=True)
class GrammarOptions:
    """The option values of a command that takes a grammar."""

    regex: Annotated[
        str | None,
        typer.Option(
            metavar="REGEX",
            help="A regular expression that the whole text has to match.",
            rich_help_panel=_PANEL,
        ),
    ] = None
    gbnf: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A file with a grammar in GBNF; its rule 'root' is what the text has to match.",
            exists=True,
            dir_okay=False,
            rich_help_panel=_PANEL,
        ),
    ] = None
    choice: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXT",
            help="One of the texts to choose from; give the option once for each.",
            rich_help_panel=_PANEL,
        ),
    ] = None

    def choose(self) -> GrammarChoice | None:
        """Gives the grammar that was asked for, or None where there was none.

        Raises:
            typer.BadParameter: more than one was given, or its file is not readable text.
            GrammarError: the grammar cannot be used as it is written.
        """
        given = [source for source in _SOURCES if getattr(self, source.field) not in (None, [])]
        if not given:
            return None
        if len(given) > 1:
            names = " and ".join(source.option for source in given)
            raise typer.BadParameter(f"{names} exclude each other; give one of them")
        (source,) = given
        content = source.read(getattr(self, source.field))
        return GrammarChoice.build(source, content)

    def require(self) -> GrammarChoice:
        """Gives the grammar that was asked for.

        Raises:
            typer.BadParameter: as for :meth:`choose`, or none was given.
            GrammarError: the grammar cannot be used as it is written.
        """
        choice = self.choose()
        if choice is None:
            names = ", ".join(source.option for source in _SOURCES)
            raise typer.BadParameter(f"a grammar is needed; give one of {names}")
        return choice


@dataclass(frozen=True)
class _GrammarSource:
    """One way to give a grammar.

    Attributes:
        field: the field of :class:`GrammarOptions`.
        read: turns the option's value into what `build` takes.
        build: makes the grammar.
    """

    field: str
    read: Callable[[Any], Any]
    build: Callable[[Any], Grammar]

    @property
    def option(self) -> str:
        return "--" + self.field.replace("_", "-")


@dataclass(frozen=True)
class GrammarChoice:
    """The one grammar that a command was given.

    Attributes:
        grammar: the grammar.
        text: what it was written as, for excerpts in messages; empty where there is no one text.
    """

    grammar: Grammar
    text: str

    @classmethod
    def build(cls, source: _GrammarSource, content: Any) -> GrammarChoice:
        """Makes the grammar; a syntax error gets the line it is in as a note.

        Raises:
            GrammarError: the grammar cannot be used as it is written.
        """
        text = content if isinstance(content, str) else ""
        try:
            return cls(source.build(content), text)
        except GrammarSyntaxError as error:
            raise _with_excerpt(error, text) from None

    def compile(self, compiler: Compiler) -> Constraint:
        """Compiles the grammar; a syntax error gets the line it is in as a note.

        Raises:
            GrammarError: the grammar cannot be used as it is written.
            BudgetExceededError: it is too large to compile.
        """
        try:
            return compiler.compile(self.grammar)
        except GrammarSyntaxError as error:
            raise _with_excerpt(error, self.text) from None


def _with_excerpt(error: GrammarSyntaxError, text: str) -> GrammarSyntaxError:
    if text:
        error.add_note(excerpt(text, error.line, error.column))
    return error


def _read_file(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise typer.BadParameter(f"{path} cannot be read as text: {error}") from error


def _as_it_is(value: Any) -> Any:
    return value


_SOURCES = (
    _GrammarSource("regex", _as_it_is, Grammar.regex),
    _GrammarSource("gbnf", _read_file, Grammar.gbnf),
    _GrammarSource("choice", _as_it_is, Grammar.choice),
)
