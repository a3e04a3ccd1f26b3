"""From a grammar and a vocabulary to a constraint, and from there to matchers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, final

from maskwright import _native
from maskwright._native import Matcher
from maskwright.budget import Budget
from maskwright.grammar import Grammar
from maskwright.settings import Settings
from maskwright.vocabulary import Vocabulary
from maskwright.warming import Progress, Warming, check_options, warm_up

__all__ = ["Compiler", "Constraint", "PoolStatistics", "Statistics"]


@dataclass(frozen=True, slots=True)
class Statistics:
    """What a constraint has computed so far.

    Attributes:
        states: states met; they are made when a text first reaches them.
        expressions: expressions met.
        walks: walks over the vocabulary's trie, or over parts of it. A warm constraint walks no more.
        visited_nodes: nodes of the trie that these walks have visited.
        masks: finished masks that are kept.
        cache_bytes: bytes held by transitions and masks, at most the budget's ``cache_bytes``; what the
            pool holds too is counted in.
        deepest_read: the most frames of the stack that one mask has read. Each but the first has consumed
            a byte of some token, so it never exceeds the bytes of the longest token by more than one.
    """

    states: int
    expressions: int
    walks: int
    visited_nodes: int
    masks: int
    cache_bytes: int
    deepest_read: int


@dataclass(frozen=True, slots=True)
class PoolStatistics:
    """What the pool of a compiler holds, and how often it was asked.

    Attributes:
        partial_hits: walks over the whole vocabulary that were found in the pool.
        perfect_hits: walks from where tokens leave a frame that were found in the pool.
        misses: walks that were looked for in vain.
        transitions: the number of results of walks held.
        bytes: the bytes held, at most the budget's ``pool_bytes``.
    """

    partial_hits: int
    perfect_hits: int
    misses: int
    transitions: int
    bytes: int


@final
class Constraint:
    """A grammar compiled for a vocabulary. Share it freely between threads and sequences.

    Made by :meth:`Compiler.compile`. What masks need is computed when a text first reaches it, and kept
    for all matchers of the constraint, or ahead of that: see the option ``warm`` of :meth:`Compiler.compile`.

    Attributes:
        grammar: what was compiled.
        vocabulary: what it was compiled for.
        warming: what is being computed ahead; ``None`` where nothing is.
    """

    __slots__ = ("_native", "grammar", "vocabulary", "warming")

    def __init__(
        self,
        native: _native.Constraint,
        grammar: Grammar,
        vocabulary: Vocabulary,
        warming: Warming | None = None,
    ) -> None:
        self._native = native
        self.grammar = grammar
        self.vocabulary = vocabulary
        self.warming = warming

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

    A compiler owns a pool: what masks of one constraint needed is there for all others whose grammars hold
    equal parts, whatever their rules are called. The pool is bounded by the budget's ``pool_bytes``.

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

    __slots__ = ("_pool", "budget", "vocabulary")

    def __init__(self, vocabulary: Vocabulary, *, budget: Budget | None = None) -> None:
        self.vocabulary = vocabulary
        self.budget = budget or Budget()
        self._pool = _native.Pool(vocabulary._native, self.budget.pool_bytes)

    def compile(
        self,
        grammar: Grammar,
        *,
        settings: Settings | None = None,
        warm: int | Literal["all"] = 0,
        progress: Callable[[Progress], object] | None = None,
    ) -> Constraint:
        """Compiles a grammar.

        By default nothing is precomputed: it takes time in proportion to the grammar's text, and what masks
        need is computed when a text first reaches it. ``warm`` has it computed ahead. Masks are the same in
        any case.

        Args:
            grammar: what the text must look like.
            settings: how masks are computed; they are the same in any case.
            warm: with a number, so many states near the start are computed ahead on a background thread, the
                dearest first, for example while the model reads its prompt. With ``"all"``, everything that a
                text can reach is, before this returns. Either may take the ``compile_time`` of the budget, a
                quarter of its ``states`` and ``expressions``, and three quarters of its ``cache_bytes``.
                :attr:`Constraint.warming` tells what came of it, and whether that was everything.
            progress: with ``warm="all"``, called some fifty times a second and at the end. What it raises
                ends the compilation and is raised from here.

        Raises:
            EmptyGrammarError: no text satisfies the grammar with this vocabulary.
            GrammarError: the grammar names a token that the vocabulary lacks.
            BudgetExceededError: it takes more than the budget. Computing ahead never raises this.
            ValueError: ``warm`` or ``progress`` is not as described.

        Example:
            >>> import maskwright as mw
            >>> vocabulary = mw.Vocabulary.from_tokens([b"yes", b"no", None], stop_ids=[2])
            >>> compiler = mw.Compiler(vocabulary)
            >>> constraint = compiler.compile(mw.Grammar.choice(["yes", "yesno"]), warm="all")
            >>> constraint.warming.result().complete
            True
            >>> constraint = compiler.compile(mw.Grammar.choice(["yes", "yesno"]), warm=2)
            >>> constraint.warming.wait(timeout=10)  # or go on at once: nobody has to wait
            True
            >>> constraint.matcher().allowed_tokens()
            [0]
        """
        check_options(warm, progress)
        native = _native.Constraint(grammar._native, self._pool, self.budget, settings or Settings())
        return Constraint(native, grammar, self.vocabulary, warm_up(native, warm, progress))

    def pool_statistics(self) -> PoolStatistics:
        """What the pool holds, and how often it was asked."""
        return PoolStatistics(**self._pool.statistics())

    def clear_pool(self) -> None:
        """Forgets what constraints share. Those that exist keep what they have."""
        self._pool.clear()

    def __repr__(self) -> str:
        return f"<maskwright.Compiler for {self.vocabulary!r}>"
