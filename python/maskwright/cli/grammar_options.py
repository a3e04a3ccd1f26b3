"""The ways to give a grammar on the command line.

Takes option values and gives a :class:`maskwright.Grammar`. Every way is one field of
:class:`GrammarOptions` and one row of the table ``_SOURCES``; a command that takes the options gets a new
way without a change.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from typing import Annotated, Any

import typer

from maskwright import Compiler, Constraint, Grammar, Vocabulary, Whitespace
from maskwright.checking import did_you_mean
from maskwright.errors import GrammarError, GrammarSyntaxError

from .display import excerpt
from .input_files import NamedFile, read_text
from .warm_options import NOTHING_AHEAD, Ahead

__all__ = ["GrammarChoice", "GrammarOptions", "PropertyOrder"]

_PANEL = "Grammar (give one)"
_SCHEMA_PANEL = "With --json-schema"
_FIELDS_OF_SCHEMAS = (
    "property_order",
    "whitespace",
    "minimal_escapes",
    "plain_numbers",
    "approximate",
    "openai_strict",
)


class PropertyOrder(Enum):
    """The order of the properties of an object."""

    DECLARED = "declared"
    ANY = "any"


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
        str | None,
        typer.Option(
            metavar="FILE",
            help="A file with a grammar in GBNF, or - for standard input; its rule 'root' is what the text "
            "has to match.",
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

    structural_tag: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="A file with a structural tag in JSON, as inference engines take it; - for standard input.",
            rich_help_panel=_PANEL,
        ),
    ] = None
    json_schema: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="A file with a JSON Schema, or - for standard input; the text has to be JSON that is valid "
            "under it.",
            rich_help_panel=_PANEL,
        ),
    ] = None
    property_order: Annotated[
        PropertyOrder | None,
        typer.Option(
            "--property-order",
            "--order",
            help="Whether properties come as the schema declares them (the default), or in any order.",
            rich_help_panel=_SCHEMA_PANEL,
        ),
    ] = None
    whitespace: Annotated[
        str | None,
        typer.Option(
            metavar="free|compact|spaced|WIDTH",
            help="The white space between the tokens of JSON: as the model likes; none; as json.dumps writes "
            "it (the default of 'generate'); or every item and member on a line of its own, indented by "
            "WIDTH blanks.",
            rich_help_panel=_SCHEMA_PANEL,
        ),
    ] = None
    minimal_escapes: Annotated[
        bool | None,
        typer.Option(
            "--minimal-escapes/--all-escapes",
            help="Whether strings hold only those escapes without which a character cannot be written (the "
            "default of 'generate'), or any.",
            show_default=False,
            rich_help_panel=_SCHEMA_PANEL,
        ),
    ] = None
    plain_numbers: Annotated[
        bool | None,
        typer.Option(
            "--plain-numbers/--all-numbers",
            help="Whether numbers have no exponent, and integers no fraction (the default of 'generate'), or "
            "any spelling that JSON Schema takes.",
            show_default=False,
            rich_help_panel=_SCHEMA_PANEL,
        ),
    ] = None
    approximate: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEYWORD",
            help="A keyword that may be enforced in part where that cannot be done exactly; give the option "
            "once for each.",
            rich_help_panel=_SCHEMA_PANEL,
        ),
    ] = None
    openai_strict: Annotated[
        bool,
        typer.Option(
            "--openai-strict",
            help="Check first that the schema is in the subset that OpenAI's strict mode takes.",
            rich_help_panel=_SCHEMA_PANEL,
        ),
    ] = False

    def for_generation(self) -> GrammarOptions:
        """Gives the same options, with what keeps a small model from wandering where nothing was said."""
        if self.json_schema is None:
            return self
        return replace(
            self,
            whitespace="spaced" if self.whitespace is None else self.whitespace,
            minimal_escapes=True if self.minimal_escapes is None else self.minimal_escapes,
            plain_numbers=True if self.plain_numbers is None else self.plain_numbers,
        )

    def choose(self) -> GrammarChoice | None:
        """Gives the grammar that was asked for, or None where there was none.

        Raises:
            typer.BadParameter: more than one was given, its file is not readable text, or an option does
                not go with it.
            GrammarError: the grammar cannot be used as it is written.
        """
        given = [source for source in _SOURCES if getattr(self, source.field) not in (None, [])]
        self._refuse_schema_options_without_schema()
        if not given:
            return None
        if len(given) > 1:
            names = " and ".join(source.option for source in given)
            raise typer.BadParameter(f"{names} exclude each other; give one of them")
        (source,) = given
        content = source.read(getattr(self, source.field), source.option)
        return GrammarChoice.build(source, content, self)

    def files(self) -> list[NamedFile]:
        """Gives the files that are to be read."""
        files = (
            (source.option, getattr(self, source.field)) for source in _SOURCES if source.read is read_text
        )
        return [(option, name) for option, name in files if name is not None]

    @staticmethod
    def names() -> tuple[str, ...]:
        """Gives the options each of which is a grammar."""
        return tuple(source.option for source in _SOURCES)

    def _refuse_schema_options_without_schema(self) -> None:
        if self.json_schema is None:
            for field in _FIELDS_OF_SCHEMAS:
                if getattr(self, field) not in (None, [], False):
                    raise typer.BadParameter(f"{_option(field)} needs --json-schema")


@dataclass(frozen=True)
class _GrammarSource:
    """One way to give a grammar.

    Attributes:
        field: the field of :class:`GrammarOptions`.
        read: turns the value of the option so named into what `build` takes.
        build: makes the grammar; may look at the other options.
        build_for: makes it of the same for a vocabulary, where the names of special tokens make a difference.
    """

    field: str
    read: Callable[[Any, str], Any]
    build: Callable[[Any, GrammarOptions], Grammar]
    build_for: Callable[[Any, Vocabulary], Grammar] | None = None

    @property
    def option(self) -> str:
        return _option(self.field)


@dataclass(frozen=True)
class GrammarChoice:
    """The one grammar that a command was given.

    Attributes:
        grammar: the grammar.
        text: what it was written as, for excerpts in messages; empty where there is no one text.
        made_for: makes it anew for a vocabulary, where the names of special tokens make a difference.
    """

    grammar: Grammar
    text: str = ""
    made_for: Callable[[Vocabulary], Grammar] | None = None

    @classmethod
    def build(cls, source: _GrammarSource, content: Any, options: GrammarOptions) -> GrammarChoice:
        """Makes the grammar; a syntax error gets the line it is in as a note.

        Raises:
            GrammarError: the grammar cannot be used as it is written.
        """
        text = content if isinstance(content, str) else ""
        try:
            made_for = None if source.build_for is None else partial(source.build_for, content)
            return cls(source.build(content, options), text, made_for)
        except GrammarSyntaxError as error:
            raise _with_excerpt(error, text) from None

    def compile(self, compiler: Compiler, ahead: Ahead = NOTHING_AHEAD) -> Constraint:
        """Compiles the grammar; a syntax error gets the line it is in as a note.

        Args:
            compiler: what compiles it.
            ahead: what is computed ahead; by default nothing.

        Raises:
            GrammarError: the grammar cannot be used as it is written.
            BudgetExceededError: it is too large to compile.
        """
        try:
            grammar = self.grammar if self.made_for is None else self.made_for(compiler.vocabulary)
            return compiler.compile(grammar, warm=ahead.warm, examples=ahead.examples)
        except GrammarSyntaxError as error:
            raise _with_excerpt(error, self.text) from None


def _with_excerpt(error: GrammarSyntaxError, text: str) -> GrammarSyntaxError:
    if text:
        error.add_note(excerpt(text, error.line, error.column))
    return error


def _as_it_is(value: Any, option: str) -> Any:
    return value


def _option(field: str) -> str:
    return "--" + field.replace("_", "-")


def _json_schema(text: str, options: GrammarOptions) -> Grammar:
    return Grammar.json_schema(
        text,
        order="any" if options.property_order is PropertyOrder.ANY else "declared",
        whitespace=_whitespace("free" if options.whitespace is None else options.whitespace),
        minimal_escapes=bool(options.minimal_escapes),
        plain_numbers=bool(options.plain_numbers),
        approximate=options.approximate or (),
        openai_strict=options.openai_strict,
    )


def _whitespace(name: str) -> Whitespace:
    try:
        return Whitespace.indented(int(name)) if re.fullmatch("[0-9]{1,9}", name) else Whitespace.named(name)
    except GrammarError:
        names = ("free", "compact", "spaced")
        problem = (
            f"{name!r} is none of these: {', '.join(names)}, or a number of blanks from 0 to 1000"
            f"{did_you_mean(name, names, str)}"
        )
        raise typer.BadParameter(problem, param_hint="--whitespace") from None


def _gbnf(text: str, _: GrammarOptions) -> Grammar:
    try:
        return Grammar.gbnf(text)
    except GrammarSyntaxError as error:
        if error.expected == "a rule called `root`":
            error.add_note("hint: here, the rule that the text must match is always the one named 'root'")
        raise


_SOURCES = (
    _GrammarSource("regex", _as_it_is, lambda pattern, _: Grammar.regex(pattern)),
    _GrammarSource("gbnf", read_text, _gbnf),
    _GrammarSource("choice", _as_it_is, lambda choices, _: Grammar.choice(choices)),
    _GrammarSource(
        "structural_tag",
        read_text,
        lambda text, _: Grammar.structural_tag(text),
        lambda text, vocabulary: Grammar.structural_tag(text, special_tokens=vocabulary.special_tokens),
    ),
    _GrammarSource("json_schema", read_text, _json_schema),
)
