"""Computing ahead what masks will need."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, Literal, Self, SupportsIndex, final

from maskwright._native import Constraint as NativeConstraint
from maskwright._native import Warming as NativeWarming
from maskwright.checking import in_order, integer, number, told
from maskwright.errors import ArgumentError, MaskwrightError
from maskwright.sharing import Shared

__all__ = ["Progress", "WarmUp", "Warming"]

NO_EXAMPLES: Final[tuple[()]] = ()
"""The examples where none are given."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far computing ahead has come.

    Attributes:
        states: states whose moves are known.
        waiting: states found whose moves are not known yet. Following these may find more.
        transitions: transitions of the stack automaton that are known; masks are made of these.

    Example:
        >>> import maskwright as mw
        >>> vocabulary = mw.Vocabulary.from_tokens([b"a", b"b", None], stop_ids=[2])
        >>> told = []
        >>> grammar = mw.Grammar.regex("[ab]{9}")
        >>> _ = mw.Compiler(vocabulary).compile(grammar, warm="all", progress=told.append)
        >>> told[-1].waiting  # the last one tells of the end
        0
    """

    states: int
    waiting: int
    transitions: int


@dataclass(frozen=True, slots=True)
class WarmUp:
    """What computing ahead came to.

    Attributes:
        states: states whose moves are known; where only texts were rehearsed, all that the constraint has
            met.
        transitions: transitions of the stack automaton that are known; masks are made of these.
        complete: whether that is known to be everything that any text can reach, so that no mask walks over
            the vocabulary any more.
        cancelled: whether it was cancelled.
        error: what else ended it before the end, such as a budget. What was computed until then is kept, and
            masks are as they would be without.
        seconds: how long it took.

    Example:
        >>> import maskwright as mw
        >>> vocabulary = mw.Vocabulary.from_tokens([b"a", b"b", None], stop_ids=[2])
        >>> constraint = mw.Compiler(vocabulary).compile(mw.Grammar.regex("[ab]{9}"), warm="all")
        >>> came_to = constraint.warming.result()
        >>> came_to.complete, came_to.cancelled, came_to.error
        (True, False, None)
    """

    states: int
    transitions: int
    complete: bool
    cancelled: bool
    error: MaskwrightError | None
    seconds: float


@final
class Warming(Shared):
    """Computing ahead that may still go on in the background: :attr:`Constraint.warming`.

    It ends by itself when it is done, or when neither the constraint nor a matcher of it is alive any more.
    It keeps no process alive. Where the process forks (:func:`os.fork`), its thread stands still meanwhile,
    and goes on in the parent; it is not in the child, where what was under way counts as cancelled.

    Example:
        >>> import maskwright as mw
        >>> vocabulary = mw.Vocabulary.from_tokens([b"a", b"b", None], stop_ids=[2])
        >>> constraint = mw.Compiler(vocabulary).compile(mw.Grammar.regex("[ab]{9}"), warm=100)
        >>> constraint.warming.wait(timeout=10), constraint.warming.done
        (True, True)
    """

    __slots__ = ("_native",)

    _elsewhere = "what it computes belongs to its constraint; hand over its result(), which can be pickled"

    _native: NativeWarming

    def __init__(self, *_: object, **__: object) -> None:
        raise TypeError("a Warming is made by Compiler.compile with warm=..., and is Constraint.warming")

    @classmethod
    def _of(cls, native: NativeWarming) -> Self:
        warming = object.__new__(cls)
        warming._native = native
        return warming

    @property
    def done(self) -> bool:
        """Whether it has ended."""
        return self._native.done

    def cancel(self) -> None:
        """Asks it to end, which it does in a moment. What has been computed is kept.

        Example:
            >>> import maskwright as mw
            >>> vocabulary = mw.Vocabulary.from_tokens([b"a", b"b", None], stop_ids=[2])
            >>> constraint = mw.Compiler(vocabulary).compile(mw.Grammar.regex("[ab]{9}"), warm=100)
            >>> constraint.warming.cancel()
            >>> constraint.warming.wait(timeout=10)
            True
        """
        self._native.cancel()

    def wait(self, timeout: float | None = None) -> bool:
        """Waits until it has ended, without holding up other threads.

        Args:
            timeout: the most seconds to wait; ``None`` waits as long as it takes.

        Returns:
            Whether it has ended.

        Raises:
            TypeError: `timeout` is no number.
            ArgumentError: it is NaN.

        Example:
            >>> import maskwright as mw
            >>> vocabulary = mw.Vocabulary.from_tokens([b"a", b"b", None], stop_ids=[2])
            >>> constraint = mw.Compiler(vocabulary).compile(mw.Grammar.regex("[ab]{9}"), warm=100)
            >>> constraint.warming.wait(timeout=10)
            True
        """
        seconds = None if timeout is None else number(timeout, "timeout")
        if seconds is not None and math.isnan(seconds):
            raise ArgumentError(f"timeout is a number of seconds, not {timeout}", argument="timeout")
        return self._native.wait(seconds)

    def result(self) -> WarmUp:
        """Waits until it has ended, and returns what it came to. Raises nothing: see :attr:`WarmUp.error`.

        Example:
            >>> import maskwright as mw
            >>> vocabulary = mw.Vocabulary.from_tokens([b"a", b"b", None], stop_ids=[2])
            >>> constraint = mw.Compiler(vocabulary).compile(mw.Grammar.regex("[ab]{9}"), warm="all")
            >>> constraint.warming.result().complete
            True
        """
        while (fields := self._native.result()) is None:
            self._native.wait(None)
        return WarmUp(*fields)

    def __repr__(self) -> str:
        fields = self._native.result()
        return f"<maskwright.Warming: {'at work' if fields is None else WarmUp(*fields)}>"


@dataclass(frozen=True, slots=True)
class WarmOptions:
    """What :meth:`Compiler.compile` was asked to compute ahead.

    Attributes:
        warm: so many masks at most, or everything.
        examples: texts that are thought to come.
        progress: what is told how far it has come.
    """

    warm: int | Literal["all"]
    examples: list[bytes]
    progress: Callable[[Progress], object] | None

    @classmethod
    def checked(
        cls,
        warm: SupportsIndex | Literal["all"],
        examples: Iterable[str | bytes],
        progress: Callable[[Progress], object] | None,
    ) -> Self | None:
        """Takes the arguments of :meth:`Compiler.compile`; ``None`` where nothing is asked for.

        Raises:
            ArgumentError: they make no sense.
            TypeError: `warm` is no integer and no text, the examples are no several, one is no text, or
                `progress` cannot be called.
        """
        if type(warm) is int and warm == 0 and examples is NO_EXAMPLES and progress is None:
            return None  # as nearly always: the checks below would take a fifth of a small grammar's compile
        most = warm if isinstance(warm, str) else integer(warm, 'warm, if it is not "all",')
        is_possible = most == "all" if isinstance(most, str) else most >= 0
        if not is_possible:
            raise ArgumentError(
                f'warm must be a number of masks or "all", but it is {told(most)}', argument="warm"
            )
        if progress is not None and not callable(progress):
            raise TypeError(
                f"progress is a function that takes a maskwright.Progress, not {type(progress).__name__}"
            )
        if most != "all" and progress is not None:
            raise ArgumentError('progress is only reported with warm="all"', argument="progress")
        texts = [_bytes_of(example) for example in in_order(examples, "examples")]
        if texts and most == 0:
            raise ArgumentError(
                "examples are only rehearsed with warm, such as warm=500", argument="examples"
            )
        return None if most == 0 else cls(most, texts, progress)

    def begin(self, constraint: NativeConstraint) -> Warming:
        """Begins to compute ahead, or with ``"all"`` does it now."""
        if self.warm == "all":
            report = self.progress
            tell = None if report is None else (lambda *counts: report(Progress(*counts)))
            return Warming._of(constraint.warm_all(self.examples, tell))
        return Warming._of(constraint.warm_likely(self.warm, self.examples))


def _bytes_of(example: object) -> bytes:
    if isinstance(example, str):
        # Half of a surrogate pair is in no text, so an example with one is used up to there.
        return example.encode("utf-8", "surrogatepass")
    if isinstance(example, bytes):
        return example
    found = type(example).__name__
    raise TypeError(
        f"each of examples is a str or bytes, not {found}; a document becomes a text by json.dumps"
    )
