"""From a grammar and a vocabulary to a constraint, and from there to matchers."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, Self, SupportsIndex, final

from maskwright._native import Constraint as NativeConstraint
from maskwright._native import Matcher
from maskwright._native import Pool as NativePool
from maskwright.budget import Budget, given_budget
from maskwright.checking import counted
from maskwright.errors import GrammarError
from maskwright.grammar import Grammar
from maskwright.recipes import DESCRIBED, grammars_in
from maskwright.saving import (
    constraint_bytes,
    for_this_vocabulary,
    in_file,
    read_constraint,
    read_file,
    settings_of,
    write_file,
)
from maskwright.settings import Settings
from maskwright.sharing import Shared
from maskwright.vocabulary import Vocabulary
from maskwright.warming import NO_EXAMPLES, Progress, Warming, WarmOptions

__all__ = ["Compiler", "Constraint", "PoolStatistics", "Statistics"]


_DEFAULT_SETTINGS = Settings()


@dataclass(frozen=True, slots=True)
class Statistics:
    """What a constraint has computed so far.

    Attributes:
        states: states met; they are made when a text first reaches them.
        expressions: expressions met.
        walks: walks over the vocabulary's trie, or over parts of it. A warm constraint walks no more.
        visited_nodes: nodes of the trie that these walks have visited.
        masks: finished masks that are kept.
        cache_bytes: bytes held by transitions and masks, at most the budget's ``cache_bytes`` or the last of
            them where it alone is more, and by what walks have in common, at most a quarter of that budget;
            what the pool holds too is counted in.
        deepest_read: the most frames of the stack that one mask has read. Each but the first has consumed
            a byte of some token, so it never exceeds the bytes of the longest token by more than one; but
            rules that may end at once where they are come back to, as ``root ::= "(" root "x"? | "y"``, are
            passed by without a byte and counted too.
        restarts: how often many texts together had used up the states or expressions of the budget, or added
            as much as its ``cache_bytes``, or a panic had broken off a step, so that the constraint forgot
            all of the above and began anew. Masks do not change by it.

    Example:
        >>> import maskwright as mw
        >>> vocabulary = mw.Vocabulary.from_tokens([b"a", b"b", None], stop_ids=[2])
        >>> constraint = mw.Compiler(vocabulary).compile(mw.Grammar.regex("ab"))
        >>> constraint.matcher().accept_tokens([0, 1])
        2
        >>> constraint.statistics().states > 1
        True
    """

    states: int
    expressions: int
    walks: int
    visited_nodes: int
    masks: int
    cache_bytes: int
    deepest_read: int
    restarts: int


@dataclass(frozen=True, slots=True)
class PoolStatistics:
    """What the pool of a compiler holds, and how often it was asked.

    Attributes:
        partial_hits: walks over the whole vocabulary that were found in the pool.
        perfect_hits: walks from where tokens leave a frame that were found in the pool.
        misses: walks that were looked for in vain.
        transitions: the number of results of walks held.
        bytes: the bytes held, at most the budget's ``pool_bytes``.

    Example:
        >>> import maskwright as mw
        >>> tokens = [bytes([byte]) for byte in range(128)]
        >>> vocabulary = mw.Vocabulary.from_tokens([*tokens, None], stop_ids=[128])
        >>> compiler = mw.Compiler(vocabulary)
        >>> for ending in "!?":
        ...     grammar = mw.Grammar.gbnf(f'root ::= [a-z]+ root? "{ending}"')
        ...     _ = compiler.compile(grammar).matcher().allowed_tokens()
        >>> compiler.pool_statistics().transitions > 0
        True
    """

    partial_hits: int
    perfect_hits: int
    misses: int
    transitions: int
    bytes: int


@final
class Constraint(Shared):
    """A grammar compiled for a vocabulary. Share it freely between threads and sequences; a copy is itself.

    Made by :meth:`Compiler.compile`. What masks need is computed when a text first reaches it, and kept
    for all matchers of the constraint, or ahead of that: see the option ``warm`` of :meth:`Compiler.compile`.

    Example:
        >>> import maskwright as mw
        >>> vocabulary = mw.Vocabulary.from_tokens([b"yes", b"no", None], stop_ids=[2])
        >>> constraint = mw.Compiler(vocabulary).compile(mw.Grammar.choice(["yes", "no"]))
        >>> constraint.grammar, constraint.vocabulary is vocabulary, constraint.warming
        (<maskwright.Grammar: choice 'yes | no'>, True, None)
    """

    __slots__ = ("_grammar", "_native", "_pool", "_settings", "_vocabulary", "_warming")

    _elsewhere = "pickle its grammar and compile that there, or save it by Constraint.save for Compiler.load"

    _native: NativeConstraint
    _pool: NativePool
    _grammar: Grammar
    _vocabulary: Vocabulary
    _settings: Settings
    _warming: Warming | None

    def __init__(self, *_: object, **__: object) -> None:
        raise TypeError("a Constraint is made by Compiler.compile(grammar), or by Compiler.load(path)")

    @classmethod
    def _of(
        cls,
        native: NativeConstraint,
        pool: NativePool,
        grammar: Grammar,
        vocabulary: Vocabulary,
        settings: Settings,
        warming: Warming | None,
    ) -> Self:
        constraint = object.__new__(cls)
        constraint._native = native
        constraint._pool = pool
        constraint._grammar = grammar
        constraint._vocabulary = vocabulary
        constraint._settings = settings
        constraint._warming = warming
        return constraint

    @property
    def grammar(self) -> Grammar:
        """What was compiled."""
        return self._grammar

    @property
    def vocabulary(self) -> Vocabulary:
        """What it was compiled for."""
        return self._vocabulary

    @property
    def settings(self) -> Settings:
        """How its masks are computed."""
        return self._settings

    @property
    def warming(self) -> Warming | None:
        """What is being computed ahead; ``None`` where nothing is."""
        return self._warming

    def matcher(self) -> Matcher:
        """A matcher for one sequence, at its beginning. Takes well under a microsecond.

        Example:
            >>> import maskwright as mw
            >>> vocabulary = mw.Vocabulary.from_tokens([b"yes", b"no", None], stop_ids=[2])
            >>> constraint = mw.Compiler(vocabulary).compile(mw.Grammar.choice(["yes", "no"]))
            >>> first, second = constraint.matcher(), constraint.matcher()
            >>> first.accept(0), first.allowed_tokens(), second.allowed_tokens()
            (True, [2], [0, 1])
        """
        return self._native.matcher()

    def statistics(self) -> Statistics:
        """What has been computed so far.

        Example:
            >>> import maskwright as mw
            >>> vocabulary = mw.Vocabulary.from_tokens([b"yes", b"no", None], stop_ids=[2])
            >>> constraint = mw.Compiler(vocabulary).compile(mw.Grammar.choice(["yes", "no"]))
            >>> constraint.matcher().allowed_tokens()
            [0, 1]
            >>> constraint.statistics().masks, constraint.statistics().restarts
            (1, 0)
        """
        return Statistics(**self._native.statistics())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Saves the constraint to a file, for :meth:`Compiler.load`.

        The file holds what the grammar was made of, the settings, and everything that the pool of its
        compiler holds: what was computed for other constraints too, so that a small file wants a compiler of
        its own. A file that is there already is replaced at once, or not at all, and keeps its permissions.

        Args:
            path: the file; a link stays, and leads to the new one.

        Raises:
            OSError: the file cannot be written, or is a device or pipe, or a link that leads back to itself.
            TypeError: the path is neither a ``str`` nor a path.

        Example:
            >>> import tempfile, pathlib
            >>> import maskwright as mw
            >>> vocabulary = mw.Vocabulary.from_tokens([b"yes", b"no", None], stop_ids=[2])
            >>> constraint = mw.Compiler(vocabulary).compile(mw.Grammar.choice(["yes"]), warm="all")
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     path = pathlib.Path(folder, "yes.mask")
            ...     constraint.save(path)
            ...     loaded = mw.Compiler(vocabulary).load(path)
            >>> loaded.matcher().allowed_tokens()
            [0]
        """
        write_file(path, constraint_bytes(self.grammar, self.settings, self._pool.to_bytes()))

    def __repr__(self) -> str:
        return f"<maskwright.Constraint: {self.grammar!r} for {self.vocabulary!r}>"


@final
class Compiler(Shared):
    """Compiles grammars for one vocabulary. Share it freely between threads; a copy is itself.

    A compiler owns a pool: what masks of one constraint needed is there for all others whose grammars hold
    equal parts, whatever their rules are called. The pool is bounded by the budget's ``pool_bytes``. What
    JSON is made of is known from the beginning: the first compiler of a vocabulary computes it, in about a
    tenth of a second for 128,000 tokens, and all others share it.

    Args:
        vocabulary: the tokens of the model.
        budget: limits on every compile and every step of what is compiled.

    Raises:
        TypeError: an argument is of another type.

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

    __slots__ = ("_budget", "_pool", "_vocabulary")

    _elsewhere = "make one in each process, and hand over what its pool holds by save_pool and load_pool"

    def __init__(self, vocabulary: Vocabulary, *, budget: Budget | None = None) -> None:
        if not isinstance(vocabulary, Vocabulary):
            raise TypeError(
                "vocabulary is a maskwright.Vocabulary, such as Vocabulary.from_file('tokenizer.json') "
                f"gives, not {type(vocabulary).__name__}"
            )
        self._vocabulary = vocabulary
        self._budget = given_budget(budget)
        self._pool = NativePool(vocabulary._native, self.budget.pool_bytes)

    @property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary of everything that is compiled."""
        return self._vocabulary

    @property
    def budget(self) -> Budget:
        """The limits on every compile and step."""
        return self._budget

    def compile(
        self,
        grammar: Grammar,
        *,
        settings: Settings | None = None,
        warm: SupportsIndex | Literal["all"] = 0,
        examples: Iterable[str | bytes] = NO_EXAMPLES,
        progress: Callable[[Progress], object] | None = None,
    ) -> Constraint:
        """Compiles a grammar.

        By default nothing is precomputed: it takes time in proportion to the grammar's text, and what masks
        need is computed when a text first reaches it. ``warm`` has it computed ahead. Masks are the same in
        any case.

        Args:
            grammar: what the text must look like.
            settings: how masks are computed; they are the same in any case.
            warm: with a number, texts that a model may well write are rehearsed on a background thread, for
                example while the model reads its prompt: properties in their declared order, with some of the
                optional ones left out, and something of each kind of value. At most so many masks are asked
                for; a few hundred take a few milliseconds. With ``"all"``, everything that a text can reach
                is computed, before this returns. Either may take the ``compile_time`` of the budget, a
                quarter of its ``states`` and ``expressions``, and three quarters of its ``cache_bytes``.
                :attr:`Constraint.warming` tells what came of it, and whether that was everything. It is not
                where a text is remembered that is one of endlessly many, such as the keys of other properties
                of JSON objects, and where the keys of objects may be written with escapes: of such schemas
                everything is found with ``track_keys=False`` and ``minimal_escapes=True``, unless the budget
                ends it.
            examples: texts that you think likely, such as ``json.dumps(document, indent=2)``: you alone know
                which layout and which values will come. With ``warm``, they are rehearsed before all else,
                each as far as the grammar allows it, and their masks count. Special tokens go by their names.
            progress: with ``warm="all"``, called some fifty times a second and at the end. What it raises
                ends the compilation and is raised from here.

        Raises:
            EmptyGrammarError: no text satisfies the grammar with this vocabulary.
            GrammarError: the grammar names a token that the vocabulary lacks, or the format of its tool calls
                needs one.
            VocabularyError: the grammar has a JSON Schema, and there are printable characters of ASCII that
                no token of the vocabulary has in it, so that it cannot write every JSON text.
            BudgetExceededError: it takes more than the budget. Computing ahead never raises this.
            TypeError: ``grammar``, ``settings``, ``warm``, ``examples`` or ``progress`` is of another type.
            ArgumentError: ``warm``, ``examples`` or ``progress`` is not as described.

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
        if not isinstance(grammar, Grammar):
            raise TypeError(
                "grammar is a maskwright.Grammar, made for example by Grammar.json_schema(schema) of a JSON "
                "Schema, a type or a model, by Grammar.regex(pattern), or by ToolCalls(...).grammar(), not "
                f"{type(grammar).__name__}"
            )
        if settings is None:
            settings = _DEFAULT_SETTINGS
        elif not isinstance(settings, Settings):
            raise TypeError(f"settings is a maskwright.Settings, not {type(settings).__name__}")
        ahead = WarmOptions.checked(warm, examples, progress)
        try:
            native = NativeConstraint(grammar._native, self._pool, self.budget, settings)
        except GrammarError as error:
            problem = _lacking_tokens(grammar, self.vocabulary) if type(error) is GrammarError else ""
            if not problem:
                raise
            raise GrammarError(problem) from error
        warming = None if ahead is None else ahead.begin(native)
        return Constraint._of(native, self._pool, grammar, self.vocabulary, settings, warming)

    def load(self, path: str | os.PathLike[str]) -> Constraint:
        """Loads a constraint that :meth:`Constraint.save` has saved.

        Its grammar is compiled again, within the budget of this compiler, and what masks needed is put into
        the pool: so its masks are those of the constraint that was saved, and are as quick as they were with
        a filled pool. Whatever is in the file, it is loaded or refused; but the checksum finds damage, not
        intent, and a forged file can hold wrong masks. Load only files that you trust.

        Args:
            path: the file.

        Raises:
            ArtifactError: the file holds no constraint, is damaged, or was saved by another version or for
                another vocabulary, be it one that lacks what the grammar needs. The pool is as it was.
            BudgetExceededError: the pool is too small, or compiling takes more than the budget.
            GrammarError: as the class methods of :class:`Grammar`, of a file that is forged.
            OSError: the file cannot be read.
            TypeError: the path is neither a ``str`` nor a path.

        Example:
            >>> import tempfile, pathlib
            >>> import maskwright as mw
            >>> vocabulary = mw.Vocabulary.from_tokens([b"yes", b"no", None], stop_ids=[2])
            >>> compiler = mw.Compiler(vocabulary)
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     path = pathlib.Path(folder, "yes.mask")
            ...     compiler.compile(mw.Grammar.choice(["yes"])).save(path)
            ...     compiler.load(path).grammar
            <maskwright.Grammar: choice 'yes'>
        """
        with in_file(path):
            recipe, fields, start, pool = read_constraint(read_file(path))
            settings = settings_of(fields)
            grammar = Grammar._from_recipe(*recipe, itertools.repeat(self.budget))
            with for_this_vocabulary():
                constraint = self.compile(grammar, settings=settings)
        # The last of all that may fail: what cannot be compiled leaves the pool as it was.
        with in_file(path, start=start):
            self._pool.load(pool)
        return constraint

    def save_pool(self, path: str | os.PathLike[str]) -> None:
        """Saves what the pool holds, for :meth:`load_pool`. Equal pools make equal files.

        Args:
            path: the file; one that is there already is replaced at once, or not at all, and keeps its
                permissions. A link stays, and leads to the new one.

        Raises:
            OSError: the file cannot be written, or is a device or pipe, or a link that leads back to itself.
            TypeError: the path is neither a ``str`` nor a path.

        Example:
            >>> import tempfile, pathlib
            >>> import maskwright as mw
            >>> vocabulary = mw.Vocabulary.from_tokens([b"yes", b"no", None], stop_ids=[2])
            >>> compiler = mw.Compiler(vocabulary)
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     path = pathlib.Path(folder, "pool.mask")
            ...     compiler.save_pool(path)  # for load_pool of another process
        """
        write_file(path, self._pool.to_bytes())

    def load_pool(self, path: str | os.PathLike[str]) -> int:
        """Adds what a pool held when it was saved: what was computed then is not computed again.

        Masks are the same in any case. Whatever is in the file, it is loaded or refused; but the checksum
        finds damage, not intent, and a forged file can hold wrong masks. Load only files that you trust.

        Args:
            path: a file that :meth:`save_pool` has written.

        Returns:
            The number of results of walks that the pool did not hold yet.

        Raises:
            ArtifactError: the file holds no pool, is damaged, or was saved by another version or for another
                vocabulary. The pool is as it was.
            BudgetExceededError: ``pool_bytes`` is too small for it.
            OSError: the file cannot be read.
            TypeError: the path is neither a ``str`` nor a path.

        Example:
            >>> import tempfile, pathlib
            >>> import maskwright as mw
            >>> tokens = [bytes([byte]) for byte in range(128)]
            >>> vocabulary = mw.Vocabulary.from_tokens([*tokens, None], stop_ids=[128])
            >>> compiler = mw.Compiler(vocabulary)
            >>> grammar = mw.Grammar.gbnf('root ::= [a-z]+ root? "!"')
            >>> compiler.compile(grammar).matcher().allowed_bytes()[:3]
            b'abc'
            >>> len(compiler.compile(grammar).matcher().allowed_tokens())
            26
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     path = pathlib.Path(folder, "pool.mask")
            ...     compiler.save_pool(path)
            ...     mw.Compiler(vocabulary).load_pool(path)
            1
        """
        with in_file(path):
            return self._pool.load(read_file(path))

    def pool_statistics(self) -> PoolStatistics:
        """What the pool holds, and how often it was asked.

        Example:
            >>> import maskwright as mw
            >>> vocabulary = mw.Vocabulary.from_tokens([b"a", b"b", None], stop_ids=[2])
            >>> compiler = mw.Compiler(vocabulary)
            >>> compiler.pool_statistics().bytes <= compiler.budget.pool_bytes
            True
        """
        return PoolStatistics(**self._pool.statistics())

    def clear_pool(self) -> None:
        """Forgets what constraints share. Those that exist keep what they have.

        Example:
            >>> import maskwright as mw
            >>> tokens = [bytes([byte]) for byte in range(128)]
            >>> vocabulary = mw.Vocabulary.from_tokens([*tokens, None], stop_ids=[128])
            >>> compiler = mw.Compiler(vocabulary)
            >>> grammar = mw.Grammar.gbnf('root ::= [a-z]+ root? "!"')
            >>> matcher = compiler.compile(grammar).matcher()
            >>> len(matcher.allowed_tokens()), compiler.pool_statistics().transitions > 0
            (26, True)
            >>> compiler.clear_pool()
            >>> len(matcher.allowed_tokens()), compiler.pool_statistics().transitions
            (26, 0)
        """
        self._pool.clear()

    def __repr__(self) -> str:
        return f"<maskwright.Compiler for {self.vocabulary!r}>"


def _lacking_tokens(grammar: Grammar, vocabulary: Vocabulary) -> str:
    """What is said where a format of tool calls in a grammar needs tokens that there are not; or nothing."""
    for at in grammars_in(grammar):
        kind, described = at._recipe
        if kind != DESCRIBED or not described["format"]:
            continue
        parts = [part._recipe for part in grammars_in(described["grammar"])]
        needed = {made["token"] for kind, made in parts if kind == "token" and not made["also_text"]}
        missing = [
            f"`{name}`" for name in described["tokens"] if name in needed and not vocabulary._has_token(name)
        ]
        if missing:
            return (
                f"the format {described['format']!r} needs {counted(len(missing), 'token')} that the "
                f"vocabulary lacks: {', '.join(missing)}; choose another format, or say "
                "typed_special_tokens=True, without reasoning_budget, so that their names are written as text"
            )
    return ""
