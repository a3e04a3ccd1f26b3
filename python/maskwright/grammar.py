"""Grammars: what a text must look like, in the notation of the user's choice.

A :class:`Grammar` is read once, independent of any vocabulary, so that mistakes show where it is
written; :meth:`maskwright.Compiler.compile` then makes a constraint of it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self, final

from maskwright._native import Grammar as NativeGrammar
from maskwright.budget import Budget, given_budget
from maskwright.checking import flag, forbidden_texts, in_order, mapping, several, string
from maskwright.composable import ComposableGrammar, Recipe
from maskwright.composition import Member, Tag
from maskwright.errors import ArtifactError, GrammarError, GrammarSyntaxError, MaskwrightError
from maskwright.json_schema import SchemaInput, SchemaRemark, Whitespace, check_openai_strict
from maskwright.json_schema.inputs import document_texts, schema_text
from maskwright.json_schema.options import checked_recipe, schema_options
from maskwright.json_schema.remarks import schema_remarks
from maskwright.other_names import TellsOtherNames
from maskwright.recipes import (
    COMPOSITION,
    DESCRIBED,
    composition_steps,
    flat_recipe,
    grammars_in,
    held_grammars,
)

if TYPE_CHECKING:
    from maskwright.structural_tag import StructuralTagModel

__all__ = ["Grammar"]

_NAME_OF_A_TYPE = re.compile(r"[\w .,|\[\]]{0,100}")
_DIALECT = re.compile(r'\A\{\s*"\$schema"\s*:\s*"[^"]*"\s*,\s*')


@final
class Grammar(ComposableGrammar, metaclass=TellsOtherNames):
    """What a text must look like. Immutable; made by one of the class methods.

    Two grammars are equal only where they are the same object, even if they were made of the same text:
    whether two of them allow the same texts cannot be decided in general. To find one again, keep it by what
    it was made of. Grammars can be pickled, be keys, and be referred to weakly.

    Example:
        >>> from maskwright import Grammar
        >>> Grammar.regex(r"[0-9]{4}-[0-9]{2}")
        <maskwright.Grammar: regex '[0-9]{4}-[0-9]{2}'>
    """

    __slots__ = ()

    def __init__(self, *_: object, **__: object) -> None:
        raise TypeError("a Grammar is made by a class method, such as Grammar.regex or .json_schema")

    @classmethod
    def _of(cls, native: NativeGrammar, recipe: Recipe, budget: Budget, text: str) -> Self:
        grammar = object.__new__(cls)
        grammar._native = native
        grammar._recipe = recipe
        grammar._budget = budget
        grammar._description = (recipe[0], text)
        return grammar

    @classmethod
    def regex(  # noqa: PLR0913 - one keyword for each flag of the syntax
        cls,
        pattern: str,
        *,
        case_insensitive: bool = False,
        dot_matches_newline: bool = False,
        multi_line: bool = False,
        verbose: bool = False,
        ascii: bool = False,
        search: bool = False,
        ecma: bool = False,
        forbidden: Iterable[str] = (),
        budget: Budget | None = None,
    ) -> Self:
        r"""A regular expression that the whole text must match, as by ``re.fullmatch``.

        The syntax is that of Python's :mod:`re`, with what ECMA-262 and Rust add where they do not
        conflict. Lazy quantifiers mean the same language. Look-around is enforced exactly where it can
        be written as an intersection or a complement. A character before which something may not stand can
        be repeated, as in ``(?:(?!-->).)*``, if that is one list of fixed strings, with 64 characters in all;
        what may be nowhere in the text is rather named by `forbidden`, or by one lookahead in front:
        ``(?!.*[ab]c).*``.

        Two things are read otherwise than by Python 3.11: ``\B`` matches in the empty text, as from Python
        3.14 on; and `case_insensitive` lets ``i`` match neither the capital I with a dot nor the small one
        without, which Unicode's simple case folding keeps apart. What looks like a class of POSIX, such as
        ``[[:alpha:]]``, is refused: Python reads a class that ends at the first ``]``.

        Args:
            pattern: the regular expression.
            case_insensitive: as ``(?i)``.
            dot_matches_newline: as ``(?s)``.
            multi_line: as ``(?m)``.
            verbose: as ``(?x)``.
            ascii: as ``(?a)``.
            search: whether the match may be anywhere in the text, as by ``re.search``.
            ecma: whether the pattern is one of ECMA-262 (JavaScript), as ``pattern`` of JSON Schema is:
                ``$`` is the very end, ``\d`` and ``\w`` are ASCII, ``.`` leaves out all line
                terminators. It has its meaning with the flag ``u``, beside which escapes that need not be,
                such as ``\-``, are read, too; and where it is valid only without, that without, but over
                code points. What only Python has is refused, such as ``\A``,
                ``(?i)`` and ``(?P<name>...)``; so is what is valid only without the flag and rarely
                meant as it is read there, such as ``a{,2}``.
            forbidden: strings that may be nowhere in the text, whatever the flags say.
            budget: limits on the size and nesting of the pattern.

        Raises:
            GrammarError: a forbidden string is empty, or a text has a lone surrogate.
            GrammarSyntaxError: the pattern is not well formed; it says where.
            UnsupportedFeatureError: the pattern asks for what cannot be enforced exactly, such as a
                backreference.
            BudgetExceededError: the pattern is too long or too deeply nested.
            TypeError: an argument is of another type.

        Example:
            >>> import maskwright as mw
            >>> mw.Grammar.regex("(?!no)[a-z]+")
            <maskwright.Grammar: regex '(?!no)[a-z]+'>
        """
        return cls._regex(
            pattern,
            case_insensitive=case_insensitive,
            dot_matches_newline=dot_matches_newline,
            multi_line=multi_line,
            verbose=verbose,
            ascii=ascii,
            search=search,
            ecma=ecma,
            forbidden=forbidden,
            budget=budget,
        )

    @classmethod
    def _regex(
        cls,
        pattern: str,
        *,
        forbidden: Iterable[str] = (),
        closing: str = "",
        budget: Budget | None = None,
        **flags: bool,
    ) -> Self:
        """As :meth:`regex`.

        Args:
            pattern: the regular expression.
            forbidden: strings that may be nowhere in the text.
            closing: what stands behind the text, and is not found before in both together.
            budget: limits.
            flags: all flags of the syntax.
        """
        budget = given_budget(budget)
        arguments: dict[str, Any] = {
            "forbidden": forbidden_texts(forbidden),
            "closing": string(closing, "closing"),
            **{name: flag(value, name) for name, value in flags.items()},
        }
        native = NativeGrammar.regex(string(pattern, "pattern"), budget, **arguments)
        return cls._of(native, ("regex", {"pattern": pattern, **arguments}), budget, pattern)

    @classmethod
    def gbnf(cls, text: str, *, root: str = "root", budget: Budget | None = None) -> Self:
        r"""A grammar in the notation of llama.cpp (GBNF).

        Left recursion and ambiguity are fine. As in llama.cpp, ``<name>`` and ``<[id]>`` are exact tokens and
        ``!<name>`` is any other one. What other dialects write and cannot be mistaken is read too: ``=``,
        ``:=`` and ``:`` for ``::=``, ``;`` behind a rule, single quotes, comments by ``//`` and ``/* */``.

        Args:
            text: the rules.
            root: the name of the rule that the whole text must match.
            budget: limits on the size and nesting of the grammar.

        Raises:
            GrammarSyntaxError: the text is not well formed, or names an undefined rule.
            GrammarError: the text has a lone surrogate.
            BudgetExceededError: the text is too long or too deeply nested.
            TypeError: an argument is of another type.

        Example:
            >>> import maskwright as mw
            >>> mw.Grammar.gbnf('root ::= "yes" | "no"')
            <maskwright.Grammar: gbnf 'root ::= "yes" | "no"'>
        """
        budget = given_budget(budget)
        try:
            native = NativeGrammar.gbnf(string(text, "text"), string(root, "root"), budget)
        except GrammarSyntaxError as error:
            if text.strip() and not any(mark in text for mark in "\n=:"):
                error.add_note(
                    "hint: no rule is in this; where it is the path of a file, give what is in the file"
                )
            raise
        return cls._of(native, ("gbnf", {"text": text, "root": root}), budget, text)

    @classmethod
    def choice(cls, choices: Iterable[str], *, budget: Budget | None = None) -> Self:
        """One of some fixed strings. Ten thousand are fine.

        Args:
            choices: the strings; the order and duplicates do not matter.
            budget: limits on their total length.

        Raises:
            GrammarError: there is no choice at all, or one has a lone surrogate.
            BudgetExceededError: the choices are too long together.
            TypeError: they are no several, or one is no text.

        Example:
            >>> import maskwright as mw
            >>> mw.Grammar.choice(["red", "green"])
            <maskwright.Grammar: choice 'red | green'>
        """
        budget = given_budget(budget)
        listed = [string(choice, "each of choices") for choice in several(choices, "choices")]
        native = NativeGrammar.choice(listed, budget)
        return cls._of(native, ("choice", {"choices": listed}), budget, " | ".join(listed[:20]))

    @classmethod
    def json_schema(  # noqa: PLR0913 - one keyword for each choice
        cls,
        schema: SchemaInput,
        *,
        order: Literal["declared", "any"] = "declared",
        whitespace: Whitespace | Literal["free", "compact", "none", "spaced"] = "free",
        ascii_only: bool = False,
        minimal_escapes: bool = False,
        plain_numbers: bool = False,
        lone_surrogates: bool = False,
        track_keys: bool = True,
        enforce_formats: bool = True,
        formats: Mapping[str, str] | None = None,
        approximate: Collection[str] = (),
        documents: Mapping[str, Mapping[str, Any] | bool | str] | None = None,
        default_draft: str = "2020-12",
        openai_strict: bool = False,
        budget: Budget | None = None,
    ) -> Self:
        r"""A JSON text whose value is valid under a JSON Schema.

        Drafts 4, 6, 7, 2019-09 and 2020-12, as ``$schema`` says. What cannot be enforced exactly is refused
        by name and place, never loosened. An object never has a key twice. A word that is no keyword of the
        draft asks for nothing, as JSON Schema has it; :meth:`remarks` says which were rather meant to.

        Args:
            schema: a dict, a boolean, JSON text, a pydantic model or ``TypeAdapter``, a dataclass, a
                TypedDict, an Enum, ``Literal[...]``, a function (an object of its arguments), or another
                type; see :mod:`maskwright.json_schema.inputs` for how each is read.
            order: ``"declared"``: declared properties come in their order in `schema`, and others after
                them; where a schema applies others to the same value, as by ``allOf`` or ``$ref``, its own
                come first and then theirs, one schema after the other; a schema that several apply has its
                place where it is met first, for all of them. What must not hold, as under ``not``,
                declares nothing. Where several of an ``anyOf`` hold, one of them declares: what only the
                rest name counts as others. ``"any"``: in any order.
            whitespace: where white space may or must stand between tokens; a name, or a
                :class:`maskwright.Whitespace`.
            ascii_only: whether characters beyond ASCII must be written as escapes.
            minimal_escapes: whether strings hold only those escapes without which a character cannot be
                written, such as ``\\n`` and ``\\"``. By default any character may be an escape, as JSON has
                it; a small model that is led into one by chance may go on in escapes.
            plain_numbers: whether numbers are written without an exponent, those that the schema wants to be
                of ``type`` ``integer`` without a fraction, and those of ``enum`` and ``const`` as they are
                shortest. By default ``1.0`` and ``1e3`` are integers, as JSON Schema has it; Python reads
                them as floats, and of a great exponent infinity.
            lone_surrogates: whether strings may hold escapes of lone surrogates, such as ``\ud800``, which
                are no text. Patterns match text only, so a string with one has no pattern.
            track_keys: whether keys that the schema does not declare are remembered, so that none comes
                twice. Declared ones never can. Without, one that comes twice counts as two members.
            enforce_formats: whether ``format`` is enforced; otherwise it is an annotation.
            formats: formats of your own, or other meanings for standard ones: the name and a regular
                expression, read as that of ``pattern``.
            approximate: the keywords that may be enforced in part where that cannot be done exactly, such as
                ``{"uniqueItems"}``.
            documents: what ``$ref`` may refer to beside the schema itself: schemas by URI. Nothing is ever
                fetched, and JSON text is read only where something refers to it.
            default_draft: the draft of schemas without ``$schema``, or with one that is neither a draft's nor
                among `documents`, such as that of a metaschema of your own: ``"4"``, ``"6"``, ``"7"``,
                ``"2019-09"``, ``"2020-12"``, or its URI.
            openai_strict: whether to check first that the schema is in the subset that OpenAI's structured
                outputs take in strict mode.
            budget: limits on the size and nesting of the schema, and on the work of reading it. A constraint
                keeps within the budget of its compiler.

        Raises:
            SchemaError: the schema is not well formed, refers to what is not there, or cannot be made of
                what was given; it says where. What OpenAI's `response_format` has around a schema is none.
            StrictSchemaError: `openai_strict` was asked for, and a rule is broken.
            GrammarSyntaxError: the text is not JSON.
            UnsupportedFeatureError: the schema asks for what cannot be enforced exactly.
            EmptyGrammarError: no JSON value satisfies the schema.
            GrammarError: an option's value is not one of those above.
            BudgetExceededError: the schema is too large, or makes too much work.
            TypeError: an option, or the budget, is of another type.

        Example:
            >>> from dataclasses import dataclass
            >>> import maskwright as mw
            >>> @dataclass
            ... class Point:
            ...     x: int
            ...     y: int = 0
            >>> grammar = mw.Grammar.json_schema(Point, whitespace="compact")
            >>> tokens = [bytes([byte]) for byte in range(256)]
            >>> vocabulary = mw.Vocabulary.from_tokens([*tokens, None], stop_ids=[256])
            >>> mw.Compiler(vocabulary).compile(grammar).matcher().accept_bytes(b'{"x":1}')
            True
        """
        budget = given_budget(budget)
        text = schema_text(schema, limit=budget.grammar_bytes)
        if openai_strict is not False and flag(openai_strict, "openai_strict"):
            check_openai_strict(text, budget=budget)
        flags = (
            ascii_only,
            minimal_escapes,
            plain_numbers,
            lone_surrogates,
            track_keys,
            enforce_formats,
        )
        options = schema_options(order, whitespace, flags, default_draft, formats, approximate)
        listed = document_texts(documents, limit=budget.grammar_bytes)
        try:
            native = NativeGrammar.json_schema(text, listed, budget, options.native)
        except GrammarSyntaxError as error:
            if isinstance(schema, str) and schema.strip() and _NAME_OF_A_TYPE.fullmatch(schema):
                error.add_note(
                    'hint: a schema as a str is JSON text, such as {"type": "string"}, not the name of a type'
                )
            raise
        recipe = options.recipe.copy()
        recipe["schema"], recipe["documents"] = text, dict(listed)
        # The dialect, which every schema of a type begins with, says little of one.
        return cls._of(native, ("json_schema", recipe), budget, _DIALECT.sub("{", text, count=1))

    @classmethod
    def _string_content(
        cls, schema: str, location: str, *, closing: str = "", budget: Budget | None = None
    ) -> Self:
        """The strings that a schema allows, as they are without quotes and escapes.

        Args:
            schema: JSON text.
            location: where the schema stands in that of the user.
            closing: what stands behind the text, and is not found before in both together.
            budget: as for :meth:`json_schema`.

        Raises:
            MaskwrightError: as :meth:`json_schema`; a schema of no string gives a grammar of no text.
        """
        budget = given_budget(budget)
        native = NativeGrammar.string_content(schema, location, closing, budget)
        arguments = {"schema": schema, "location": location, "closing": closing}
        return cls._of(native, ("string_content", arguments), budget, schema)

    @classmethod
    def _described(
        cls,
        grammar: Grammar,
        *,
        schema: dict[str, Any] | None = None,
        format: str = "",
        tokens: Sequence[str] = (),
        budget: Budget | None = None,
    ) -> Self:
        """A grammar that remembers what it was made of part by part.

        Args:
            grammar: what it allows.
            schema: the recipe of the same values as JSON, for :meth:`remarks`. It was enforced when it was
                read; a grammar of it would take ten times the memory, and be made anew whenever it is loaded.
            format: the name of a format of tool calls, for the error that a vocabulary lacks its tokens.
            tokens: the names of all special tokens that the format has.
            budget: as for :meth:`json_schema`.

        Raises:
            TypeError: they are other things.
        """
        if not isinstance(grammar, Grammar):
            raise TypeError("what is described is a grammar")
        listed = [string(name, "a token") for name in in_order(tokens, "tokens")]
        arguments = {
            "grammar": grammar,
            "schema": schema,
            "format": string(format, "format"),
            "tokens": listed,
        }
        described = cls._of(grammar._native, (DESCRIBED, arguments), given_budget(budget), "")
        described._description = grammar._description
        return described

    @classmethod
    def structural_tag(
        cls,
        description: str | Mapping[str, Any] | StructuralTagModel,
        *,
        special_tokens: Collection[str] = (),
        json_schema: Mapping[str, Any] | None = None,
        budget: Budget | None = None,
    ) -> Self:
        r"""A text that a structural tag describes: the JSON that users of vLLM, SGLang and TensorRT-LLM send.

        Needs pydantic: ``pip install 'maskwright[structural-tag]'``. A saved grammar is loaded without it.

        Args:
            description: JSON text, what :func:`json.loads` makes of it, or a model of
                :mod:`maskwright.structural_tag`; see there for the kinds of formats and what they mean. The
                whole object, its ``format`` alone, or the legacy form with ``structures`` and ``triggers``.
            special_tokens: names of special tokens, such as ``vocabulary.special_tokens``. Where a string of
                the description reads like one, it may be the token or its characters; else only these.
            json_schema: keyword arguments of :meth:`json_schema` for every schema in it, such as
                ``{"whitespace": "compact"}``. What the description says itself comes first.
            budget: limits on its size, nesting and the work that it makes.

        Raises:
            StructuralTagError: it is not well formed, or a grammar in it cannot be used; it says where, and
                `problems` has everything that was found.
            GrammarSyntaxError: the text is not JSON.
            GrammarError: pydantic is not installed.
            BudgetExceededError: it is too large or too deeply nested, or makes too much work.
            TypeError: an argument, or an option of `json_schema`, is of another type or unknown.

        Example:
            >>> import maskwright as mw
            >>> tag = {"type": "tag", "begin": "<a>", "content": {"type": "any_text"}, "end": "</a>"}
            >>> grammar = mw.Grammar.structural_tag(tag)
            >>> tokens = [bytes([byte]) for byte in range(256)]
            >>> vocabulary = mw.Vocabulary.from_tokens([*tokens, None], stop_ids=[256])
            >>> matcher = mw.Compiler(vocabulary).compile(grammar).matcher()
            >>> matcher.accept_bytes(b"<a>Some text.</a>"), matcher.is_complete
            (True, True)
        """
        try:
            from maskwright.structural_tag.making import structural_tag_grammar  # noqa: PLC0415 - optional
        except ImportError as error:
            raise GrammarError(str(error)) from error
        made = structural_tag_grammar(
            description,
            special_tokens=special_tokens,
            options=mapping(json_schema, "json_schema", "{'whitespace': 'compact'}"),
            budget=given_budget(budget),
        )
        return cls._composed(made, budget)

    @classmethod
    def _from_recipe(cls, kind: object, arguments: object, shown: object, budgets: Iterable[Budget]) -> Self:
        """The grammar of a recipe, within the limits of budgets. Whatever the recipe, it is one or an error.

        Args:
            kind: the name of a class method.
            arguments: its arguments but for the budget.
            shown: what :attr:`_shown` was. A structural tag has the recipe of what it is made of.
            budgets: one for each grammar of a composition, in their order; more are ignored.

        Raises:
            ArtifactError: it is no recipe.
            MaskwrightError: as the class method that the recipe names.
        """
        if not isinstance(shown, str):
            raise ArtifactError("the grammar has no text that describes it; save it again")
        limits = iter(budgets)
        try:
            if kind == COMPOSITION and isinstance(arguments, dict):
                made = composition_steps(
                    arguments, lambda kind, step: cls._from_step(kind, step, next(limits))
                )
            else:
                made = cls._from_step(kind, arguments, next(limits))
            made._description = (shown, None)
            return made
        except MaskwrightError:
            raise
        except (TypeError, ValueError, LookupError, OverflowError, RecursionError, StopIteration) as error:
            raise ArtifactError(f"the recipe of the grammar is damaged: {error}; save it again") from error

    @classmethod
    def _from_step(cls, kind: object, arguments: object, budget: Budget) -> Self:
        makers: dict[str, Any] = {
            "regex": cls._regex,
            "gbnf": cls.gbnf,
            "choice": cls.choice,
            "json_schema": cls.json_schema,
            "string_content": cls._string_content,
            "text": cls.text,
            "token": cls.token,
            "any_token": cls.any_token,
            "sequence": cls.sequence,
            "any_of": cls.any_of,
            "repeat": cls.repeat,
            "free_text": cls.free_text,
            "any_order": cls.any_order,
            DESCRIBED: cls._described,
        }
        if not isinstance(kind, str) or kind not in makers or not isinstance(arguments, dict):
            raise ArtifactError("the recipe of the grammar is none that is known here; save it again")
        arguments = dict(arguments)
        match kind:
            case "json_schema":
                arguments["whitespace"] = Whitespace._from_recipe(arguments["whitespace"])
            case "free_text":
                arguments["tags"] = [Tag(**tag) for tag in arguments["tags"]]
            case "any_order":
                arguments["members"] = [Member(**member) for member in arguments["members"]]
            case "repeat":
                arguments["grammar"] = arguments.pop("part")
            case _ if kind == DESCRIBED and arguments["schema"] is not None:
                arguments["schema"] = checked_recipe(arguments["schema"])
        made: Self = makers[kind](**arguments, budget=budget)
        return made

    def __copy__(self) -> Self:
        return self  # it never changes

    def __deepcopy__(self, _memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (*flat_recipe(self), self._shown, [at._budget for at in grammars_in(self)])

    def remarks(self) -> list[SchemaRemark]:
        """What is no error in the JSON Schemas of the grammar, and yet hardly meant.

        JSON Schema lets everybody add keywords and formats, so a misspelt one asks for nothing, and so does
        a keyword that the draft of the schema lacks, such as ``prefixItems`` in draft 7, or passes over, as
        all beside ``$ref`` up to draft 7. Each of these is a remark; of a schema with very many words that
        are no keywords, the first thousand are looked at. Takes time in proportion to the schemas: ask
        where a schema is new, for a log or its author.

        Returns:
            The remarks on every JSON Schema in the grammar, each once, in the order in which they stand; on
            that of a tool they are the same in every format. A document to which nothing refers has none
            where it is not JSON, or nests too deeply for Python.

        Example:
            >>> import maskwright as mw
            >>> for remark in mw.Grammar.json_schema({"type": "string", "maxLenght": 3}).remarks():
            ...     print(remark.message)
            #: `maxLenght` is no keyword and asks for nothing; did you mean `maxLength`?
        """
        schemas = (_own_schema(*at._recipe) for at in grammars_in(self, _parts_without_schema))
        return list(
            dict.fromkeys(
                remark for schema in schemas if schema is not None for remark in schema_remarks(schema)
            )
        )

    @property
    def rule_names(self) -> list[str]:
        """The names of the rules, in the order in which the front end made them."""
        return self._native.rule_names

    @property
    def _shown(self) -> str:
        """What it is, in a few words."""
        kind, text = self._description
        if text is None:
            return kind
        shown = text if len(text) <= 60 else text[:57] + "..."
        return f"{kind} {shown!r}"

    def __repr__(self) -> str:
        return f"<maskwright.Grammar: {self._shown}>"


def _own_schema(kind: str, arguments: dict[str, Any]) -> dict[str, Any] | None:
    """The recipe of the JSON Schema that a grammar was made of, whether at once or part by part."""
    if kind == DESCRIBED:
        schema: dict[str, Any] | None = arguments["schema"]
        return schema
    return arguments if kind == "json_schema" else None


def _parts_without_schema(kind: str, arguments: dict[str, Any]) -> list[Grammar]:
    """The grammars in a grammar that are no parts of a JSON Schema which stands there as it was given."""
    return held_grammars(kind, arguments) if _own_schema(kind, arguments) is None else []


def _restored(kind: str, arguments: dict[str, Any], shown: str, budgets: list[Budget]) -> Grammar:
    """A grammar that was pickled, each one in it within the budget that it was made within."""
    return Grammar._from_recipe(kind, arguments, shown, budgets)
