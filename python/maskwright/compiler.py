"""From a grammar and a vocabulary to a constraint, and from there to matchers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from maskwright import _native
from maskwright._native import Matcher
from maskwright.budget import Budget
from maskwright.grammar import Grammar
from maskwright.settings import Settings
from maskwright.vocabulary import Vocabulary

__all__ = ["Compiler", "Constraint", "Statistics"]


@dataclass(frozen=True, slots=True)
class Statistics:
    """What a constraint has computed so far.

    Attributes:
        states: states met; they are made when a text first reaches them.
        expressions: expressions met.
        walks: walks over the vocabulary's trie, or over parts of it. A warm constraint walks no more.
        cache_bytes: bytes held by cached masks, at most the budget's ``cache_bytes``.
    """

    states: int
    expressions: int
    walks: int
    cache_bytes: int


@final
class Constraint:
    """A grammar compiled for a vocabulary. Share it freely between threads and sequences.

    Made by :meth:`Compiler.compile`. What masks need is computed when a text first reaches it, and kept
    for all matchers of the constraint.
    """

    __slots__ = ("_native", "grammar", "vocabulary")

    def __init__(self, native: _native.Constraint, grammar: Grammar, vocabulary: Vocabulary) -> None:
        self._native = native
        self.grammar = grammar
        self.vocabulary = vocabulary

    def matcher(self) -> Matcher:
        """A matcher for one sequence, at its beginning. Takes well under a microsecond."""
        return self._native.matcher()

    def statistics(self) -> Statistics:
        """What has been computed so far."""
        return Statistics(**self._native.statistics())

    def __repr__(self) -> str:
        return f"<maskwright.Constraint: {self.grammar!r} for {self.vocabulary!r}>"


@final
class Compiler:
    """Compiles grammars for one vocabulary. Share it freely between threads.

    Args:
        vocabulary: the tokens of the model.
        budget: limits on every compile and every step of what is compiled.

    Example:
        >>> import maskwright as mw
        >>> vocabulary = mw.Vocabulary.from_tokens([b"yes", b"no", None], stop_ids=[2])
        >>> constraint = mw.Compiler(vocabulary).compile(mw.Grammar.choice(["yes", "yesno"]))
        >>> matcher = constraint.matcher()
        >>> matcher.allowed_tokens()
        [0]
        >>> matcher.accept(0), matcher.allowed_tokens()
        (True, [1, 2])
    """

    __slots__ = ("budget", "vocabulary")

    def __init__(self, vocabulary: Vocabulary, *, budget: Budget | None = None) -> None:
        self.vocabulary = vocabulary
        self.budget = budget or Budget()

    def compile(self, grammar: Grammar, *, settings: Settings | None = None) -> Constraint:
        """Compiles a grammar. Nothing is precomputed: it takes time in proportion to the grammar's text.

        Args:
            grammar: what the text must look like.
            settings: how masks are computed; they are the same in any case.

        Raises:
            EmptyGrammarError: no text satisfies the grammar with this vocabulary.
            GrammarError: the grammar names a token that the vocabulary lacks.
            BudgetExceededError: it takes more than the budget.
        """
        native = _native.Constraint(
            grammar._native, self.vocabulary._native, self.budget, settings or Settings()
        )
        return Constraint(native, grammar, self.vocabulary)

    def __repr__(self) -> str:
        return f"<maskwright.Compiler for {self.vocabulary!r}>"
