"""Grammars: what a text must look like, in the notation of the user's choice.

A :class:`Grammar` is read once, independent of any vocabulary, so that mistakes show where it is
written; :meth:`maskwright.Compiler.compile` then makes a constraint of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self, final

from maskwright._native import Grammar as NativeGrammar
from maskwright.budget import Budget

__all__ = ["Grammar"]


@final
class Grammar:
    """What a text must look like. Immutable; made by one of the class methods.

    Example:
        >>> from maskwright import Grammar
        >>> Grammar.regex(r"[0-9]{4}-[0-9]{2}")
        <maskwright.Grammar: regex '[0-9]{4}-[0-9]{2}'>
    """

    __slots__ = ("_description", "_native")

    _native: NativeGrammar
    _description: str

    def __init__(self) -> None:
        raise TypeError("a Grammar is made by Grammar.regex, Grammar.gbnf or Grammar.choice")

    @classmethod
    def _of(cls, native: NativeGrammar, kind: str, text: str) -> Self:
        grammar = object.__new__(cls)
        grammar._native = native
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
        native = NativeGrammar.regex(
            pattern,
            budget or Budget(),
            case_insensitive=case_insensitive,
            dot_matches_newline=dot_matches_newline,
            multi_line=multi_line,
            verbose=verbose,
            ascii=ascii,
            search=search,
            ecma=ecma,
        )
        return cls._of(native, "regex", pattern)

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
        return cls._of(NativeGrammar.gbnf(text, root, budget or Budget()), "gbnf", text)

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
        listed = list(choices)
        native = NativeGrammar.choice(listed, budget or Budget())
        return cls._of(native, "choice", " | ".join(listed[:20]))

    @property
    def rule_names(self) -> list[str]:
        """The names of the rules, in the order in which the front end made them."""
        return self._native.rule_names

    def __repr__(self) -> str:
        return f"<maskwright.Grammar: {self._description}>"
