"""Memory: the resident bytes of a process for each engine, as constraints are compiled, used and kept."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from benchmarks.engines import Engine, Refused
from benchmarks.suite.case import Case, Outcome
from benchmarks.suite.replay import replay_texts
from benchmarks.suite.report import about, table
from benchmarks.suite.rounds import Options, workers
from benchmarks.suite.worker import resident_bytes

__all__ = ["run_memory"]

REPORT_EVERY = 10


@dataclass(slots=True)
class Memory:
    """What was kept, and the resident bytes: with the vocabulary only, after compiling, and after use."""

    constraints: int = 0
    empty: int = 0
    used: int = 0
    seconds: float = 0.0
    kept: list[Any] = field(default_factory=list)

    def reported(self) -> Memory:
        """The same without the constraints."""
        return Memory(self.constraints, self.empty, self.used, self.seconds)


def measure_memory(engine: Engine, cases: Sequence[Case], report: Callable[[Memory], None]) -> Memory:
    """Compiles each grammar, replays its texts, and keeps it."""
    engine.renew()
    gc.collect()
    memory = Memory(empty=resident_bytes())
    start = perf_counter()
    for case in cases:
        try:
            compiled = engine.compile(case.source)
        except Refused:
            continue
        # A text that an engine cannot finish still leaves what it computed on the way.
        with suppress(Exception):
            replay_texts(engine, case, compiled, Outcome())
        memory.kept.append(compiled)
        memory.constraints += 1
        if memory.constraints % REPORT_EVERY == 0:
            memory.used, memory.seconds = resident_bytes(), perf_counter() - start
            report(memory.reported())
    gc.collect()
    memory.used, memory.seconds = resident_bytes(), perf_counter() - start
    return memory.reported()


def run_memory(cases: Sequence[Case], options: Options) -> dict[str, Any]:
    """Runs each engine on all cases, as far as it gets in the time, and prints bytes for each constraint."""
    saved = {}
    rows: list[list[object]] = []
    settings = {}
    with workers(options) as made:
        for spec, worker in made.items():
            answer = worker.call(measure_memory, list(cases), options.seconds * 10)
            memory: Memory = answer.result or Memory()
            grown = memory.used - memory.empty
            saved[str(spec)] = {
                "constraints": memory.constraints,
                "resident bytes without constraints": memory.empty,
                "resident bytes with constraints": memory.used,
                "bytes for a constraint": grown // max(1, memory.constraints),
                "seconds": round(memory.seconds, 1),
                "ending": answer.ending,
                "message": answer.message,
            }
            megabytes = [round(size / 1e6, 1) for size in (memory.empty, memory.used)]
            each = round(grown / 1e3 / max(1, memory.constraints), 1)
            rows.append([str(spec), memory.constraints, *megabytes, each, answer.failure or answer.ending])
            settings[spec] = worker.settings
            worker.stop()
    print(table(["memory", "constraints", "MB without", "MB with", "kB each", "ending"], rows))
    return {**about(options, settings, "memory", cases=len(cases)), "results": saved}
