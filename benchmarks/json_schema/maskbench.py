"""MaskBench under maskwright: every value replayed token by token on the Llama 3 vocabulary; compile times.

Compile time is that of ``Grammar.json_schema`` with the schema's JSON text, and ``Compiler.compile``. The
value of each test is written as JSON text and tokenised as the model does. Where the verdict differs from
the label, the validator ``jsonschema`` is asked too, with formats and without: what it says against the
label is listed as a doubtful label, and the rest as wrong.
"""

from __future__ import annotations

import argparse
import gc
import json
import lzma
import random
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np

import maskwright as mw
from benchmarks.json_schema.crosscheck import second_opinion
from benchmarks.json_schema.engines import Problem
from benchmarks.json_schema.replay import Replayer
from benchmarks.json_schema.report import markdown_table, save_result
from benchmarks.json_schema.verdicts import Outcome, Refusal, Verdict, judged, refusal_of
from benchmarks.shared_data import data_file, reference_vocabulary

CORPUS = "maskbench-dev.jsonl.xz"
PERCENTILES = (50, 90, 99, 99.9, 100)


@dataclass(slots=True)
class Case:
    """What one schema and its tests showed.

    Attributes:
        name: the id of the case.
        refusal: why there is no answer, to some of the tests at least.
        compiled: whether the schema was not refused.
        outcomes: one for each test.
        opinions: for each wrong test, by its index: what the cross-check says.
        mask_errors: where a mask and the matcher disagree.
        masks_checked: how many masks were compared.
        compile_nanoseconds: reading and compiling the schema, or refusing it.
        first_mask_nanoseconds: compiling and the first mask; 0 where none was filled.
        step_nanoseconds: mask and accept, for each token with a mask.
    """

    name: str
    refusal: Refusal | None = None
    compiled: bool = False
    outcomes: list[Outcome] = field(default_factory=list)
    opinions: dict[int, str] = field(default_factory=dict)
    mask_errors: list[str] = field(default_factory=list)
    masks_checked: int = 0
    compile_nanoseconds: int = 0
    first_mask_nanoseconds: int = 0
    step_nanoseconds: list[int] = field(default_factory=list)


def read_cases(*, limit: int | None = None, sample: int | None = None, seed: int = 1) -> list[Any]:
    """The cases of the corpus, the first `limit` or `sample` of them by chance."""
    with lzma.open(data_file(CORPUS), "rt", encoding="utf-8") as lines:
        cases = [json.loads(line) for line in lines]
    if sample is not None:
        cases = random.Random(seed).sample(cases, min(sample, len(cases)))
    return cases[:limit]


def run_case(replayer: Replayer, entry: Any, draft: str) -> Case:
    """Compiles the schema of a case and replays its tests."""
    text = json.dumps(entry["schema"])
    compiled = replayer.compile(Problem(text, draft))
    case = Case(
        entry["id"],
        compiled.refusal,
        compiled=compiled.refusal is None,
        compile_nanoseconds=compiled.nanoseconds,
        first_mask_nanoseconds=compiled.first_mask_nanoseconds,
    )
    for index, test in enumerate(entry["tests"]):
        if compiled.refusal:
            case.outcomes.append(Outcome(compiled.refusal.verdict, compiled.refusal))
            continue
        outcome = _outcome(replayer, compiled.constraint, test, case)
        case.outcomes.append(outcome)
        if outcome.verdict in (Verdict.WRONG_ACCEPT, Verdict.WRONG_REJECT):
            parsed = Problem(entry["schema"], draft)
            case.opinions[index] = second_opinion(parsed, test["data"], label=test["valid"])
    return case


def _outcome(replayer: Replayer, constraint: mw.Constraint | None, test: Any, case: Case) -> Outcome:
    if constraint is None:
        return judged(expected=test["valid"], accepted=False)
    try:
        replay = replayer.replay(constraint, replayer.tokens(test["data"]))
    except Exception as error:
        case.refusal = refusal_of(error)
        return Outcome(case.refusal.verdict, case.refusal)
    case.mask_errors += replay.mask_errors
    case.masks_checked += replay.masks_checked
    case.step_nanoseconds += replay.step_nanoseconds
    return judged(expected=test["valid"], accepted=replay.accepted)


_worker: dict[str, Any] = {}


def _start_worker(every: int, seconds: float, draft: str) -> None:
    """Builds the vocabulary, once for each process."""
    time = timedelta(seconds=seconds)
    budget = mw.Budget(compile_time=time, step_time=time)
    _worker["replayer"] = Replayer(reference_vocabulary("llama3"), every=every, budget=budget)
    _worker["draft"] = draft
    gc.freeze()


def _work(entry: Any) -> Case:
    return run_case(_worker["replayer"], entry, _worker["draft"])


def run_all(entries: Sequence[Any], *, jobs: int, every: int, seconds: float, draft: str) -> Iterator[Case]:
    """Runs all cases, in so many processes."""
    if jobs == 1:
        _start_worker(every, seconds, draft)
        yield from map(_work, entries)
        return
    with ProcessPoolExecutor(jobs, initializer=_start_worker, initargs=(every, seconds, draft)) as pool:
        yield from pool.map(_work, entries, chunksize=16)


def summary(cases: Iterable[Case]) -> dict[str, Any]:
    """The figures of a run, ready for JSON."""
    listed = list(cases)
    wrong: list[str] = []
    doubtful: list[str] = []
    for case in listed:
        for index, opinion in case.opinions.items():
            line = f"{case.name}[{index}]: {case.outcomes[index].verdict}; {opinion}"
            (doubtful if opinion.startswith("label") else wrong).append(line)
    compiled = [case for case in listed if case.compiled]
    microseconds = {
        "compile": [case.compile_nanoseconds for case in compiled],
        "refuse": [case.compile_nanoseconds for case in listed if not case.compiled],
        "compile and first mask": [
            case.first_mask_nanoseconds for case in compiled if case.first_mask_nanoseconds
        ],
        "mask and accept": [step for case in listed for step in case.step_nanoseconds],
    }
    return {
        "cases": len(listed),
        "compiled": len(compiled),
        "refused": dict(Counter(case.refusal.reason for case in listed if case.refusal).most_common()),
        "refused cases": {case.name: str(case.refusal) for case in listed if case.refusal},
        "tests": dict(Counter(str(outcome.verdict) for case in listed for outcome in case.outcomes)),
        "wrong": wrong,
        "doubtful labels": doubtful,
        "masks checked": sum(case.masks_checked for case in listed),
        "mask errors": [f"{case.name}: {error}" for case in listed for error in case.mask_errors],
        "percentiles": PERCENTILES,
        "microseconds": {
            name: [float(round(value / 1000, 1)) for value in np.percentile(values, PERCENTILES)]
            for name, values in microseconds.items()
            if values
        },
    }


def show(figures: dict[str, Any]) -> None:
    """Prints the figures in Markdown."""
    share = figures["compiled"] / max(1, figures["cases"])
    print(f"{figures['compiled']} of {figures['cases']} cases compile ({share:.2%})\n")
    print(markdown_table(["verdict", "tests"], figures["tests"].items()))
    print(markdown_table(["refused by reason", "cases"], figures["refused"].items()))
    columns = ["microseconds", *(f"p{percentile}" for percentile in PERCENTILES[:-1]), "max"]
    print(markdown_table(columns, [[name, *values] for name, values in figures["microseconds"].items()]))
    print(f"{figures['masks checked']} masks checked")
    for kind in ("mask errors", "wrong", "doubtful labels"):
        print(f"\n{kind}: {len(figures[kind])}")
        print("".join(f"- {line}\n" for line in figures[kind]), end="")


def main() -> None:
    """Runs the benchmark and prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--limit", type=int, help="only the first so many cases")
    parser.add_argument("--sample", type=int, help="only so many cases, by chance")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--jobs", type=int, default=1, help="processes; more than one disturbs the times")
    parser.add_argument("--masks", type=int, default=0, metavar="N", help="check a mask at every N tokens")
    parser.add_argument("--seconds", type=float, default=30, help="budget of time for a compile or a step")
    parser.add_argument("--default-draft", default="2020-12", help="where a schema names none")
    parser.add_argument("--save", type=Path, help="write the figures to this JSON file")
    arguments = parser.parse_args()
    entries = read_cases(limit=arguments.limit, sample=arguments.sample, seed=arguments.seed)
    cases: list[Case] = []
    for case in run_all(
        entries,
        jobs=arguments.jobs,
        every=arguments.masks,
        seconds=arguments.seconds,
        draft=arguments.default_draft,
    ):
        cases.append(case)
        if len(cases) % 500 == 0:
            print(f"{len(cases)} of {len(entries)} cases", file=sys.stderr)
    figures = summary(cases)
    show(figures)
    if arguments.save:
        save_result(arguments.save, figures)


if __name__ == "__main__":
    main()
