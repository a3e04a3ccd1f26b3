"""Signals while something is compiled: handlers run soon, and what they raise ends it."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

import maskwright as mw

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="timers that send signals are POSIX")

#: What takes a second or more to compile, and nothing of it before the compile begins.
LONG = "\n".join(
    f'r{at} ::= r{(at * 7 + 1) % 60000} "a" | r{(at * 13 + 5) % 60000} r{(at * 11) % 60000} | "{at}"'
    for at in range(60000)
)
LENGTHS = [2, 3, 5, 7, 11, 13, 17]
LONG_PATTERN = "".join(f"(?=(?:.{{{length}}})*$)" for length in LENGTHS) + ".*x"


class HandlerError(Exception):
    """What the handler raises."""


@contextmanager
def ticking(every: float, handler: Callable[[], None]) -> Iterator[None]:
    """Has the main thread call a handler again and again."""
    before = signal.signal(signal.SIGALRM, lambda *_: handler())
    signal.setitimer(signal.ITIMER_REAL, every, every)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture
def long(byte_vocabulary: mw.Vocabulary) -> Callable[[], mw.Constraint]:
    grammar = mw.Grammar.gbnf(f'{LONG}\nroot ::= "b" r0')
    compiler = mw.Compiler(byte_vocabulary)
    return lambda: compiler.compile(grammar)


def test_handlers_run_while_something_is_compiled(long: Callable[[], mw.Constraint]) -> None:
    times: list[float] = []
    begun = time.monotonic()
    with ticking(0.05, lambda: times.append(time.monotonic())):
        constraint = long()
    took = time.monotonic() - begun
    assert constraint.matcher().allowed_bytes() == b"b"
    assert len(times) > 0.4 * (took - 0.2) / 0.05


def test_what_a_handler_raises_ends_a_compile(
    long: Callable[[], mw.Constraint], byte_vocabulary: mw.Vocabulary
) -> None:
    def fail() -> None:
        raise HandlerError

    with ticking(0.2, fail), pytest.raises(HandlerError):
        long()
    # The thread that has compiled ends as soon; a fork would wait for it.
    begun = time.monotonic()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads, from Python 3.12 on
        child = os.fork()
    if child == 0:
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert time.monotonic() - begun < 1
    assert mw.Compiler(byte_vocabulary).compile(mw.Grammar.text("a")).matcher().allowed_bytes() == b"a"


def test_a_long_compile_tells_what_is_wrong(byte_vocabulary: mw.Vocabulary) -> None:
    with pytest.raises(mw.BudgetExceededError) as caught:
        mw.Compiler(byte_vocabulary).compile(mw.Grammar.regex(LONG_PATTERN))
    assert caught.value.budget == "emptiness"


def test_other_threads_compile_as_they_are(long: Callable[[], mw.Constraint]) -> None:
    made: list[mw.Constraint] = []
    worker = threading.Thread(target=lambda: made.append(long()))
    worker.start()
    worker.join()
    assert made[0].matcher().allowed_bytes() == b"b"


def test_a_handler_may_compile_itself(
    long: Callable[[], mw.Constraint], byte_vocabulary: mw.Vocabulary
) -> None:
    compiler, found = mw.Compiler(byte_vocabulary), []

    def compile_too() -> None:
        found.append(compiler.compile(mw.Grammar.text("c")).matcher().allowed_bytes())

    with ticking(0.15, compile_too):
        assert long().matcher().allowed_bytes() == b"b"
    assert found
    assert set(found) == {b"c"}


def test_a_child_of_another_thread_hears_signals(
    long: Callable[[], mw.Constraint], byte_vocabulary: mw.Vocabulary
) -> None:
    """The thread that forks is the main thread of the child, whatever it was before."""

    def fail() -> None:
        raise HandlerError

    def fork() -> None:
        mw.Compiler(byte_vocabulary).compile(mw.Grammar.text("a"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of threads, from Python 3.12 on
            child = os.fork()
        if child == 0:
            is_ended = False
            try:
                with ticking(0.2, fail):
                    long()
            except HandlerError:
                is_ended = True
            finally:
                os._exit(0 if is_ended else 1)
        ended.append(os.waitpid(child, 0)[1])

    ended: list[int] = []
    worker = threading.Thread(target=fork)
    worker.start()
    worker.join()
    assert ended == [0]
