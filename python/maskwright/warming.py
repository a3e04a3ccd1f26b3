"""Computing ahead what masks will need."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, final

from maskwright import _native
from maskwright.checking import number
from maskwright.errors import MaskwrightError

__all__ = ["Progress", "WarmUp", "Warming"]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far computing ahead has come.

    Attributes:
        states: states whose moves are known.
        waiting: states found whose moves are not known yet. Following these may find more.
        transitions: transitions of the stack automaton that are known; masks are made of these.
    """

    states: int
    waiting: int
    transitions: int


@dataclass(frozen=True, slots=True)
class WarmUp:
    """What computing ahead came to.

    Attributes:
        states: states whose moves are known; where texts were rehearsed, all that the constraint has met.
        transitions: transitions of the stack automaton that are known; masks are made of these.
        complete: whether that is known to be everything that any text can reach, so that no mask walks over
            the vocabulary any more.
        cancelled: whether it was cancelled.
        error: what else ended it before the end, such as a budget. What was computed until then is kept, and
            masks are as they would be without.
        seconds: how long it took.
    """

    states: int
    transitions: int
    complete: bool
    cancelled: bool
    error: MaskwrightError | None
    seconds: float


@final
class Warming:
    """Computing ahead that may still go on in the background: :attr:`Constraint.warming`.

    It ends by itself when it is done, or when neither the constraint nor a matcher of it is alive any more.
    It keeps no process alive. A process that forks should cancel and wait for it before: the thread is not in
    the child.
    """

    __slots__ = ("_native",)

    def __init__(self, native: _native.Warming) -> None:
        self._native = native

    @property
    def done(self) -> bool:
        """Whether it has ended."""
        return self._native.done

    def cancel(self) -> None:
        """Asks it to end, which it does in a moment. What has been computed is kept."""
        self._native.cancel()

    def wait(self, timeout: float | None = None) -> bool:
        """Waits until it has ended, without holding up other threads.

        Args:
            timeout: the most seconds to wait; ``None`` waits as long as it takes.

        Returns:
            Whether it has ended.

        Raises:
            TypeError, ValueError: `timeout` is no number.
        """
        if timeout is not None and math.isnan(number(timeout, "timeout")):
            raise ValueError(f"timeout is a number of seconds, not {timeout}")
        return self._native.wait(timeout)

    def result(self) -> WarmUp:
        """Waits until it has ended, and returns what it came to. Raises nothing: see :attr:`WarmUp.error`."""
        while (fields := self._native.result()) is None:
            self._native.wait(None)
        return WarmUp(*fields)

    def __repr__(self) -> str:
        fields = self._native.result()
        return f"<maskwright.Warming: {'at work' if fields is None else WarmUp(*fields)}>"


def check_options(warm: int | Literal["all"], progress: Callable[[Progress], object] | None) -> None:
    """Raises ``ValueError`` for options of :meth:`Compiler.compile` that make no sense."""
    if warm != "all" and (isinstance(warm, bool) or not isinstance(warm, int) or warm < 0):
        raise ValueError(f'warm must be a number of masks or "all", but it is {warm!r}')
    if warm != "all" and progress is not None:
        raise ValueError('progress is only reported with warm="all"')


def warm_up(
    constraint: _native.Constraint, warm: int | Literal["all"], progress: Callable[[Progress], object] | None
) -> Warming:
    """Begins to compute ahead as :meth:`Compiler.compile` was asked to, or with ``"all"`` does it now."""
    if warm == "all":
        if progress is None:
            return Warming(constraint.warm_all(None))
        report = progress
        return Warming(constraint.warm_all(lambda *counts: report(Progress(*counts))))
    return Warming(constraint.warm_likely(warm))
