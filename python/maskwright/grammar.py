"""Grammars: what a text must look like, in the notation of the user's choice.

A :class:`Grammar` is read once, independent of any vocabulary, so that mistakes show where it is
written; :meth:`maskwright.Compiler.compile` then makes a constraint of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, Self, final

from maskwright import composition
from maskwright._native import Grammar as NativeGrammar
from maskwright.budget import Budget
from maskwright.composition import Composed, Member, Tag
from maskwright.errors import ArtifactError, GrammarError, MaskwrightError
from maskwright.json_schema import SchemaInput, Whitespace, check_openai_strict
from maskwright.json_schema.inputs import document_texts, schema_text
from maskwright.json_schema.options import draft_uri, is_any_order, keyword_names, named_formats
from maskwright.recipes import COMPOSITION, composition_steps, flat_recipe

if TYPE_CHECKING:
    from maskwright.structural_tag import StructuralTagModel

__all__ = ["Grammar"]

_DEFAULT_BUDGET = Budget()

Recipe = tuple[str, dict[str, Any]]
"""The name of a class method of :class:`Grammar` and its arguments but for the budget."""


@final
class Grammar:
    """What a text must look like. Immutable; made by one of the class methods.

    Example:
        >>> from maskwright import Grammar
        >>> Grammar.regex(r"[0-9]{4}-[0-9]{2}")
        <maskwright.Grammar: regex '[0-9]{4}-[0-9]{2}'>
    """

    __slots__ = ("_budget", "_description", "_native", "_recipe")

    _native: NativeGrammar
    _description: str
    _recipe: Recipe
    _budget: Budget

    def __init__(self) -> None:
        raise TypeError("a Grammar is made by a class method, such as Grammar.regex or .json_schema")

    @classmethod
    def _of(cls, native: NativeGrammar, recipe: Recipe, budget: Budget, text: str) -> Self:
        kind, _ = recipe
        grammar = object.__new__(cls)
        grammar._native = native
        grammar._recipe = recipe
        grammar._budget = budget
        shown = text if len(text) <= 60 else text[:57] + "..."
        grammar._description = f"{kind} {shown!r}"
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
        budget: Budget | None = None,
    ) -> Self:
        r"""A regular expression that the whole text must match, as by ``re.fullmatch``.

        The syntax is that of Python's :mod:`re`, with what ECMA-262 and Rust add where they do not
        conflict. Lazy quantifiers mean the same language. Look-around is enforced exactly where it can
        be written as an intersection or a complement.

        Args:
            pattern: the regular expression.
            case_insensitive: as ``(?i)``.
            dot_matches_newline: as ``(?s)``.
            multi_line: as ``(?m)``.
            verbose: as ``(?x)``.
            ascii: as ``(?a)``.
            search: whether the match may be anywhere in the text, as by ``re.search``.
            ecma: whether to read the pattern as ECMA-262 where it differs from Python: ``$`` is the very
                end, ``\d`` and ``\w`` are ASCII, ``.`` leaves out all line terminators.
            budget: limits on the size and nesting of the pattern.

        Raises:
            GrammarSyntaxError: the pattern is not well formed; it says where.
            UnsupportedFeatureError: the pattern asks for what cannot be enforced exactly, such as a
                backreference.
            BudgetExceededError: the pattern is too long or too deeply nested.

        Example:
            >>> import maskwright as mw
            >>> mw.Grammar.regex("(?!no)[a-z]+")
            <maskwright.Grammar: regex '(?!no)[a-z]+'>
        """
        budget = budget or _DEFAULT_BUDGET
        flags = {
            "case_insensitive": case_insensitive,
            "dot_matches_newline": dot_matches_newline,
            "multi_line": multi_line,
            "verbose": verbose,
            "ascii": ascii,
            "search": search,
            "ecma": ecma,
        }
        native = NativeGrammar.regex(pattern, budget, **flags)
        return cls._of(native, ("regex", {"pattern": pattern, **flags}), budget, pattern)

    @classmethod
    def gbnf(cls, text: str, *, root: str = "root", budget: Budget | None = None) -> Self:
        r"""A grammar in the notation of llama.cpp (GBNF).

        Left recursion and ambiguity are fine.

        Args:
            text: the rules.
            root: the name of the rule that the whole text must match.
            budget: limits on the size and nesting of the grammar.

        Raises:
            GrammarSyntaxError: the text is not well formed, or names an undefined rule.
            BudgetExceededError: the text is too long or too deeply nested.

        Example:
            >>> import maskwright as mw
            >>> mw.Grammar.gbnf('root ::= "yes" | "no"')
            <maskwright.Grammar: gbnf 'root ::= "yes" | "no"'>
        """
        budget = budget or _DEFAULT_BUDGET
        native = NativeGrammar.gbnf(text, root, budget)
        return cls._of(native, ("gbnf", {"text": text, "root": root}), budget, text)

    @classmethod
    def choice(cls, choices: Iterable[str], *, budget: Budget | None = None) -> Self:
        """One of some fixed strings. Ten thousand are fine.

        Args:
            choices: the strings; the order and duplicates do not matter.
            budget: limits on their total length.

        Raises:
            GrammarError: there is no choice at all.
            BudgetExceededError: the choices are too long together.

        Example:
            >>> import maskwright as mw
            >>> mw.Grammar.choice(["red", "green"])
            <maskwright.Grammar: choice 'red | green'>
        """
        if isinstance(choices, str):
            raise TypeError("choices must be several strings, such as a list, not one string")
        budget = budget or _DEFAULT_BUDGET
        listed = list(choices)
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
        by name and place, never loosened. An object never has a key twice.

        Args:
            schema: a dict, a boolean, JSON text, a pydantic model or ``TypeAdapter``, a dataclass, a
                TypedDict, an Enum, ``Literal[...]``, a function (an object of its arguments), or another
                type; see :mod:`maskwright.json_schema.inputs` for how each is read.
            order: ``"declared"``: declared properties come in their order in `schema`, and others after
                them; ``"any"``: in any order.
            whitespace: where white space may or must stand between tokens; a name, or a
                :class:`maskwright.Whitespace`.
            ascii_only: whether characters beyond ASCII must be written as escapes.
            minimal_escapes: whether strings hold only those escapes without which a character cannot be
                written, such as ``\\n`` and ``\\"``. By default any character may be an escape, as JSON has
                it; a small model that is led into one by chance may go on in escapes.
            lone_surrogates: whether strings may hold escapes of lone surrogates, such as ``\ud800``, which
                are no text.
            track_keys: whether keys that the schema does not declare are remembered, so that none comes
                twice. Declared ones never can.
            enforce_formats: whether ``format`` is enforced; otherwise it is an annotation.
            formats: formats of your own, or other meanings for standard ones: the name and a regular
                expression, read as that of ``pattern``.
            approximate: the keywords that may be enforced in part where that cannot be done exactly, such as
                ``{"uniqueItems"}``.
            documents: what ``$ref`` may refer to beside the schema itself: schemas by URI. Nothing is ever
                fetched.
            default_draft: the draft of schemas without ``$schema``: ``"4"``, ``"6"``, ``"7"``,
                ``"2019-09"``, ``"2020-12"``, or its URI.
            openai_strict: whether to check first that the schema is in the subset that OpenAI's structured
                outputs take in strict mode.
            budget: limits on the size and nesting of the schema, and on the work that it makes.

        Raises:
            SchemaError: the schema is not well formed, refers to what is not there, or cannot be made of
                what was given; it says where.
            StrictSchemaError: `openai_strict` was asked for, and a rule is broken.
            GrammarSyntaxError: the text is not JSON.
            UnsupportedFeatureError: the schema asks for what cannot be enforced exactly.
            GrammarError: an option's value is not one of those above.
            BudgetExceededError: the schema is too large, or makes too much work.

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
        budget = budget or _DEFAULT_BUDGET
        text = schema_text(schema, limit=budget.grammar_bytes)
        if openai_strict:
            check_openai_strict(text, budget=budget)
        layout = whitespace if isinstance(whitespace, Whitespace) else Whitespace.named(whitespace)
        flags = {
            "ascii_only": ascii_only,
            "minimal_escapes": minimal_escapes,
            "lone_surrogates": lone_surrogates,
            "track_keys": track_keys,
            "enforce_formats": enforce_formats,
        }
        listed = document_texts(documents, limit=budget.grammar_bytes)
        own_formats, approximated = named_formats(formats), keyword_names(approximate)
        draft = draft_uri(default_draft)
        native = NativeGrammar.json_schema(
            text,
            listed,
            budget,
            any_order=is_any_order(order),
            whitespace=layout,
            formats=own_formats,
            approximate=approximated,
            default_draft=draft,
            **flags,
        )
        recipe = {
            "schema": text,
            "documents": dict(listed),
            "order": order,
            "whitespace": layout._recipe(),
            "formats": own_formats,
            "approximate": approximated,
            "default_draft": draft,
            **flags,
        }
        return cls._of(native, ("json_schema", recipe), budget, text)

    @classmethod
    def text(cls, value: str, *, budget: Budget | None = None) -> Self:
        """Exactly this text, as characters.

        The tokens that it is written with do not matter, but a special token is never text, however its name
        reads: for that, see :meth:`token`.

        Args:
            value: the text.
            budget: limits on its length.

        Raises:
            BudgetExceededError: the text is too long.

        Example:
            >>> import maskwright as mw
            >>> mw.Grammar.text("<tool_call>")
            <maskwright.Grammar: text '<tool_call>'>
        """
        return cls._composed(composition.text(value, budget or _DEFAULT_BUDGET), budget)

    @classmethod
    def token(cls, token: str | int, *, also_text: bool = False, budget: Budget | None = None) -> Self:
        """Exactly one token, by its name or id.

        The same characters typed as text do not match, unless `also_text` is set.

        Args:
            token: the name of a special or added token, such as ``"<|im_end|>"``, the text of any other, or
                an id. It is looked up in the vocabulary when the grammar is compiled.
            also_text: whether the name may be typed as text, too. With a vocabulary that has no such token,
                it can only be typed; without this, that is an error then.
            budget: limits on its length.

        Raises:
            GrammarError: `also_text` is set, but there is an id and no name; or the id is out of range.

        Example:
            >>> import maskwright as mw
            >>> mw.Grammar.token("<|call|>") + "now"
            <maskwright.Grammar: sequence of 2 parts>
        """
        return cls._composed(composition.token(token, also_text, budget or _DEFAULT_BUDGET), budget)

    @classmethod
    def any_token(cls, *, except_: Iterable[str | int] = (), budget: Budget | None = None) -> Self:
        """Any one token, special ones too, but for those named. Never a stop token: that ends the text.

        Args:
            except_: names or ids of tokens that are left out, as in :meth:`token`.
            budget: limits on their number.

        Raises:
            GrammarError: an id is out of range.

        Example:
            >>> import maskwright as mw
            >>> thinking = mw.Grammar.repeat(mw.Grammar.any_token(except_=["</think>"]), maximum=500)
        """
        return cls._composed(composition.any_token(except_, budget or _DEFAULT_BUDGET), budget)

    @classmethod
    def sequence(cls, parts: Iterable[Grammar | str], *, budget: Budget | None = None) -> Self:
        """The parts one after another. ``a + b`` is the same of two.

        A token may hold the end of one part and the beginning of the next.

        Args:
            parts: grammars; a ``str`` stands for itself.
            budget: limits on the number and size of the parts.

        Raises:
            BudgetExceededError: the parts are too many or too large.

        Example:
            >>> import maskwright as mw
            >>> mw.Grammar.sequence(["<year>", mw.Grammar.regex("[0-9]{4}"), "</year>"])
            <maskwright.Grammar: sequence of 3 parts>
        """
        return cls._composed(composition.sequence(parts, budget or _DEFAULT_BUDGET), budget)

    @classmethod
    def any_of(cls, parts: Iterable[Grammar | str], *, budget: Budget | None = None) -> Self:
        """Any of the parts. ``a | b`` is the same of two. For many fixed strings, see :meth:`choice`.

        Args:
            parts: grammars, at least one; a ``str`` stands for itself.
            budget: limits on the number and size of the parts.

        Raises:
            GrammarError: there is no part at all.
            BudgetExceededError: the parts are too many or too large.

        Example:
            >>> import maskwright as mw
            >>> mw.Grammar.any_of(["unknown", mw.Grammar.json_schema({"type": "integer"})])
            <maskwright.Grammar: any of 2 parts>
        """
        return cls._composed(composition.any_of(parts, budget or _DEFAULT_BUDGET), budget)

    @classmethod
    def repeat(
        cls,
        grammar: Grammar | str,
        *,
        minimum: int = 0,
        maximum: int | None = None,
        separator: Grammar | str | None = None,
        budget: Budget | None = None,
    ) -> Self:
        """A grammar again and again.

        Args:
            grammar: what is repeated; a ``str`` stands for itself.
            minimum: the least number of times.
            maximum: the greatest number of times; ``None`` is without limit. A large number costs no more
                than a small one.
            separator: what stands between two of them.
            budget: limits on the size.

        Raises:
            GrammarError: the maximum is less than the minimum, or a number is out of range.
            BudgetExceededError: the grammars are too large.

        Example:
            >>> import maskwright as mw
            >>> mw.Grammar.repeat(mw.Grammar.regex("[a-z]+"), minimum=1, maximum=9, separator=", ")
            <maskwright.Grammar: repetition {1,9}>
        """
        return cls._composed(
            composition.repeat(grammar, minimum, maximum, separator, budget or _DEFAULT_BUDGET), budget
        )

    @classmethod
    def free_text(
        cls,
        *,
        tags: Iterable[Tag] = (),
        minimum: int = 0,
        maximum: int | None = None,
        text_between: bool = True,
        text_after: bool = True,
        stops: Iterable[str | Grammar] = (),
        forbidden: Iterable[str] = (),
        budget: Budget | None = None,
    ) -> Self:
        r"""Prose with calls in it; without any tags, any text.

        Prose is any text in which no tag, stop or forbidden text is completed, however it is split into
        tokens. Where a tag is, its content follows, and then prose again. Where tags overlap, the one that is
        completed first opens, unless it lies within a longer one that is completed later.

        Args:
            tags: what opens a call, and what follows it. Tags are texts or tokens. A token given by name
                opens a call only as that token, and its name cannot be typed in the prose.
            minimum: the least number of calls.
            maximum: the greatest number of calls; ``None`` is without limit. After the last one, no tag can
                be completed.
            text_between: whether prose may stand between two calls; else the next one follows at once.
            text_after: whether prose may follow the last call; else the text ends there.
            stops: texts or tokens that end the text. It may also end without.
            forbidden: what prose can never hold. A forbidden text within a tag does not forbid the tag.
            budget: limits on the number and size of tags.

        Raises:
            GrammarError: a tag is empty; one is forbidden, too; calls are asked for without a tag; or the
                maximum is less than the minimum.
            BudgetExceededError: the tags are too many or too large.

        Example:
            >>> import maskwright as mw
            >>> call = mw.Grammar.json_schema({"type": "object"}) + "</call>"
            >>> prose = mw.Grammar.free_text(tags=[mw.Tag("<call>", call)], minimum=1)
            >>> tokens = [bytes([byte]) for byte in range(256)]
            >>> vocabulary = mw.Vocabulary.from_tokens([*tokens, None], stop_ids=[256])
            >>> matcher = mw.Compiler(vocabulary).compile(prose).matcher()
            >>> matcher.accept_bytes(b"Let me see: <call>{}</call> done")
            True
        """
        budget_or_default = budget or _DEFAULT_BUDGET
        composed = composition.free_text(
            tags, minimum, maximum, text_between, text_after, stops, forbidden, budget_or_default
        )
        return cls._composed(composed, budget)

    @classmethod
    def any_order(
        cls, members: Iterable[Member], *, separator: Grammar | str = "", budget: Budget | None = None
    ) -> Self:
        """Some parts in any order, each once at most.

        A hundred members are fine: only the orders that a text tries are ever written out.

        Args:
            members: the parts, and whether each has to come.
            separator: what stands between two of them.
            budget: limits on their number and size.

        Raises:
            BudgetExceededError: the members are too many or too large.

        Example:
            >>> import maskwright as mw
            >>> mw.Grammar.any_order([mw.Member("a"), mw.Member("b", required=False)], separator=",")
            <maskwright.Grammar: any order of 2 members>
        """
        return cls._composed(composition.any_order(members, separator, budget or _DEFAULT_BUDGET), budget)

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
            raise GrammarError(
                f"structural tags are read with pydantic, which cannot be imported ({error}); install it "
                "with: pip install 'maskwright[structural-tag]'"
            ) from error
        made = structural_tag_grammar(
            description,
            special_tokens=special_tokens,
            options=json_schema or {},
            budget=budget or _DEFAULT_BUDGET,
        )
        return cls._composed(made, budget)

    @classmethod
    def _composed(cls, composed: Composed, budget: Budget | None) -> Self:
        grammar = object.__new__(cls)
        grammar._native = composed.native
        grammar._recipe = (composed.kind, composed.arguments)
        grammar._budget = budget or _DEFAULT_BUDGET
        grammar._description = composed.description
        return grammar

    def __add__(self, other: Grammar | str) -> Grammar:
        if not isinstance(other, Grammar | str):
            return NotImplemented
        return Grammar.sequence([*self._parts("sequence"), *_parts_of(other, "sequence")])

    def __radd__(self, other: str) -> Grammar:
        return (
            Grammar.sequence([other, *self._parts("sequence")]) if isinstance(other, str) else NotImplemented
        )

    def __or__(self, other: Grammar | str) -> Grammar:
        if not isinstance(other, Grammar | str):
            return NotImplemented
        return Grammar.any_of([*self._parts("any_of"), *_parts_of(other, "any_of")])

    def __ror__(self, other: str) -> Grammar:
        return Grammar.any_of([other, *self._parts("any_of")]) if isinstance(other, str) else NotImplemented

    def _parts(self, kind: str) -> list[Grammar | str]:
        """The parts where it is a composition of a kind, else itself."""
        own, arguments = self._recipe
        return arguments["parts"] if own == kind else [self]

    @classmethod
    def _from_recipe(cls, kind: object, arguments: object, budget: Budget) -> Self:
        """The grammar of a recipe, within the limits of a budget. Whatever the recipe, it is one or an error.

        Raises:
            ArtifactError: it is no recipe.
            MaskwrightError: as the class method that the recipe names.
        """
        try:
            if kind == COMPOSITION and isinstance(arguments, dict):
                return composition_steps(arguments, lambda kind, step: cls._from_step(kind, step, budget))
            return cls._from_step(kind, arguments, budget)
        except MaskwrightError:
            raise
        except (TypeError, ValueError, LookupError, OverflowError, RecursionError) as error:
            raise ArtifactError(f"the recipe of the grammar is damaged: {error}; save it again") from error

    @classmethod
    def _from_step(cls, kind: object, arguments: object, budget: Budget) -> Self:
        makers: dict[str, Any] = {
            "regex": cls.regex,
            "gbnf": cls.gbnf,
            "choice": cls.choice,
            "json_schema": cls.json_schema,
            "text": cls.text,
            "token": cls.token,
            "any_token": cls.any_token,
            "sequence": cls.sequence,
            "any_of": cls.any_of,
            "repeat": cls.repeat,
            "free_text": cls.free_text,
            "any_order": cls.any_order,
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
        made: Self = makers[kind](**arguments, budget=budget)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (*flat_recipe(self), self._budget)

    @property
    def rule_names(self) -> list[str]:
        """The names of the rules, in the order in which the front end made them."""
        return self._native.rule_names

    def __repr__(self) -> str:
        return f"<maskwright.Grammar: {self._description}>"


def _parts_of(part: Grammar | str, kind: str) -> list[Grammar | str]:
    return [part] if isinstance(part, str) else part._parts(kind)


def _restored(kind: str, arguments: dict[str, Any], budget: Budget) -> Grammar:
    """A grammar that was pickled."""
    return Grammar._from_recipe(kind, arguments, budget)
