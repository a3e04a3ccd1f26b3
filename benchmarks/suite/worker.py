"""An engine in a process of its own, so that it can be timed out, and its memory told from others'."""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import resource
import signal
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from time import monotonic
from typing import Any

from benchmarks.engines import Engine, Refused, Source

__all__ = ["Answer", "Worker", "resident_bytes"]

SETUP_SECONDS = 180.0
PRIMER = '{"type": "object", "properties": {"a": {"type": "integer"}}}'
"""Compiled once before anything is timed: what an engine computes for the vocabulary on first use is not."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a worker said.

    Attributes:
        result: the result, or what was reported last.
        ending: ``"done"``, ``"timeout"``, ``"crash"`` or ``"error"``.
        message: of an error, a timeout or a crash.
    """

    result: Any
    ending: str = "done"
    message: str = ""

    @property
    def failure(self) -> str:
        """How it ended and what is said of it; empty where it is done."""
        return "" if self.ending == "done" else f"{self.ending}: {self.message}"


class Worker:
    """A process with one engine. It starts when it is first called, and again after it was ended.

    Args:
        name: of the engine.
        load: makes the engine, in the process.
        memory_bytes: the greatest address space of the process.
        quiet: whether what the engine prints is thrown away.
    """

    def __init__(
        self, name: str, load: Callable[[], Engine], *, memory_bytes: int, quiet: bool = True
    ) -> None:
        self.name = name
        self._arguments = (load, memory_bytes, quiet)
        self._process: Any = None
        self._connection: Connection | None = None
        self._refusal: Answer | None = None
        self.settings = ""

    def call(self, function: Callable[..., Any], payload: Any, seconds: float) -> Answer:
        """Calls ``function(engine, payload, report)`` in the process, which is ended if it takes longer.

        An engine that did not start when it was first called is not tried again, and answers the same.
        """
        if self._refusal is not None:
            return self._refusal
        connection = self._connection
        if connection is None:
            connection = self._start()
            answer = self._received(connection, SETUP_SECONDS)
            if answer.ending != "done":
                self.stop()
                failed = Answer(None, answer.ending, f"does not start: {answer.message}")
                if not self.settings:  # one that has started before may do so again
                    self._refusal = failed
                return failed
            self.settings = answer.result
        try:
            connection.send((function, payload))
        except OSError:
            return self._ended(None)  # between two calls
        return self._received(connection, seconds)

    def stop(self) -> None:
        """Ends the process."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
        if self._connection is not None:
            self._connection.close()
        self._process = self._connection = None

    def _start(self) -> Connection:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        self._connection = ours
        self._process = context.Process(target=_serve, args=(theirs, *self._arguments), daemon=True)
        self._process.start()
        theirs.close()
        return ours

    def _received(self, connection: Connection, seconds: float) -> Answer:
        deadline = monotonic() + seconds
        result = None
        try:
            while connection.poll(max(0.0, deadline - monotonic())):
                kind, value = connection.recv()
                if kind == "done":
                    return Answer(value)
                if kind == "error":
                    return Answer(result, "error", value)
                result = value
        except (EOFError, OSError):
            return self._ended(result)
        self.stop()
        return Answer(result, "timeout", f"more than {seconds:g} s")

    def _ended(self, result: Any) -> Answer:
        """The answer of a process that has ended by itself."""
        self._process.join(5)
        code = self._process.exitcode
        self.stop()
        return Answer(result, "crash", f"exit code {code}")


def resident_bytes() -> int:
    """The resident memory of this process."""
    with open("/proc/self/statm", encoding="ascii") as statistics:
        return int(statistics.read().split()[1]) * resource.getpagesize()


def _serve(connection: Connection, load: Callable[[], Engine], memory_bytes: int, quiet: bool) -> None:
    """The process: an engine, then calls until the other side is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    if quiet:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
    try:
        engine = load()
        with contextlib.suppress(Refused):
            engine.compile(Source("json_schema", PRIMER))().mask()
    except Exception as error:
        connection.send(("error", _described(error)))
        return
    gc.freeze()
    connection.send(("done", engine.settings))
    while True:
        try:
            function, payload = connection.recv()
        except EOFError:
            return
        try:
            answer = (
                "done",
                function(engine, payload, lambda partial: connection.send(("partial", partial))),
            )
        except Exception as error:
            answer = ("error", _described(error))
        connection.send(answer)


def _described(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:500]
