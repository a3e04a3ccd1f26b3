"""A run: engines take turns, some cases each, so that the machine's noise hits all alike.

A core that another process had for some milliseconds has forgotten an engine's code and data. What takes an
engine microseconds takes it twice as long then, until it has run for some milliseconds; one that compiles
for as long does not notice. So each has more than one case in its turn.
"""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from benchmarks.engines import Engine, Spec, create
from benchmarks.shared_data import token_table
from benchmarks.suite.case import Case, Outcome, Verdict
from benchmarks.suite.replay import replay_case
from benchmarks.suite.worker import Answer, Worker

__all__ = ["Options", "Run", "least_of", "run_cases", "workers"]

_ENDINGS = {"timeout": Verdict.TIMEOUT, "crash": Verdict.CRASH, "error": Verdict.ERROR}


@dataclass(frozen=True, slots=True)
class Options:
    """What holds for a whole run.

    Attributes:
        engines: the engines that take part.
        vocabulary: the name of a vocabulary of the test data.
        seconds: the longest time that an engine may spend on a case.
        memory_bytes: the greatest address space of an engine's process.
        repeat: how often a case that starts from nothing is run, or the whole run where engines keep what
            came before; each time counts with its least value.
        turn: how many cases an engine runs before the others run them.
        quiet: whether what engines print is thrown away.
    """

    engines: Sequence[Spec]
    vocabulary: str = "llama3"
    seconds: float = 60.0
    memory_bytes: int = 16 << 30
    repeat: int = 1
    turn: int = 20
    quiet: bool = True


@dataclass(slots=True)
class Run:
    """The outcomes of a run.

    Attributes:
        cases: in the order in which they ran.
        outcomes: for each engine, one for each case.
        settings: how each engine was set up.
    """

    cases: list[Case]
    outcomes: dict[Spec, list[Outcome]] = field(default_factory=dict)
    settings: dict[Spec, str] = field(default_factory=dict)


def load_engine(spec: Spec, vocabulary: str) -> Engine:
    """An engine with a vocabulary of the test data."""
    return create(spec, token_table(vocabulary))


@contextlib.contextmanager
def workers(options: Options) -> Iterator[dict[Spec, Worker]]:
    """A worker for each engine, ended at the end."""
    made = {
        spec: Worker(
            str(spec),
            functools.partial(load_engine, spec, options.vocabulary),
            memory_bytes=options.memory_bytes,
            quiet=options.quiet,
        )
        for spec in options.engines
    }
    try:
        yield made
    finally:
        for worker in made.values():
            worker.stop()


def run_cases(cases: Sequence[Case], options: Options, *, first: Sequence[Case] = (), label: str = "") -> Run:
    """Runs all cases on all engines, and before them those of `first`, which are not recorded.

    With `Options.repeat` each time counts with its least value. Cases that start from nothing are repeated
    one by one; where engines keep what came before, the whole run is, each time with new processes.
    """
    alone = all(case.renew for case in (*first, *cases))
    run = _run_once(cases, options, first, label)
    for _ in range(0 if alone else options.repeat - 1):
        again = _run_once(cases, options, first, label)
        for spec, outcomes in run.outcomes.items():
            run.outcomes[spec] = list(map(least_of, outcomes, again.outcomes[spec]))
    return run


def _run_once(cases: Sequence[Case], options: Options, first: Sequence[Case], label: str) -> Run:
    """One run, in processes of its own."""
    run = Run(list(cases), {spec: [] for spec in options.engines})
    specs = list(options.engines)
    everything = [*first, *cases]
    starts = range(0, len(everything), options.turn)
    with workers(options) as made:
        for turn, start in enumerate(starts):
            begins = turn % len(specs)
            block = everything[start : start + options.turn]
            for spec in specs[begins:] + specs[:begins]:
                outcomes = [_best_outcome(made[spec], case, options) for case in block]
                run.outcomes[spec] += outcomes[max(0, len(first) - start) :]
            done = start + len(block)
            print(f"{label}: {done} of {len(everything)} cases", file=sys.stderr, flush=True)
        run.settings = {spec: worker.settings for spec, worker in made.items()}
    return run


def _best_outcome(worker: Worker, case: Case, options: Options) -> Outcome:
    """What came of a case, with the least times of all the times it is run, each from nothing."""
    outcome = _outcome(worker.call(replay_case, case, options.seconds), case)
    for _ in range(options.repeat - 1 if case.renew else 0):
        if outcome.verdict not in _ENDINGS.values():
            again = worker.call(replay_case, case, options.seconds)
            outcome = least_of(outcome, _outcome(again, case))
    return outcome


def least_of(one: Outcome, other: Outcome) -> Outcome:
    """The lesser times of two runs of a case. Where they came to different verdicts, the worse one counts.

    But what ended one of them, such as the time, is no verdict of the engine's where the other went on.
    """
    if one.verdicts != other.verdicts or len(one.steps) != len(other.steps):
        finished = [outcome for outcome in (one, other) if outcome.verdict not in _ENDINGS.values()]
        return min(finished or (one, other), key=lambda outcome: list(Verdict).index(outcome.verdict))
    first = None
    if one.first_mask is not None and other.first_mask is not None:
        first = min(one.first_mask, other.first_mask)
    steps = list(map(min, one.steps, other.steps))
    return Outcome(min(one.compile, other.compile), first, steps, one.verdicts, one.message)


def _outcome(answer: Answer, case: Case) -> Outcome:
    """The outcome; where there was none, what was known, with the way in which the process ended."""
    outcome: Outcome = answer.result or Outcome()
    if answer.ending != "done":
        missing = len(case.texts) - len(outcome.verdicts)
        outcome.verdicts += [_ENDINGS[answer.ending]] * missing
        outcome.message = answer.message
    return outcome
