"""From outcomes to figures: tables in Markdown, and results as JSON."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.engines import Spec
from benchmarks.suite.case import Outcome, Verdict
from benchmarks.suite.rounds import Options, Run

__all__ = ["PERCENTILES", "about", "figures", "save", "show", "table"]

PERCENTILES = (50, 90, 99, 99.9, 100)
CURVE = tuple(round(100 * (1 - 10 ** (-step / 8)), 6) for step in range(41))
"""The percentiles that are drawn: evenly on a logarithmic axis of what lies above them, to 99.999."""
PEERS_IN_COMMON = 0.5
"""An engine takes part in the comparison on common cases if it has at least this share of cases right."""


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table in Markdown."""
    head = [list(columns), ["---"] + ["--:"] * (len(columns) - 1)]
    listed = [[_cell(value) for value in row] for row in rows]
    return "".join(f"| {' | '.join(row)} |\n" for row in head + listed)


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.1f}" if value < 1000 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value).replace("|", "\\|")


def about(
    options: Options, settings: Mapping[Spec, str], workload: str, **arguments: object
) -> dict[str, Any]:
    """When, where and with what a run was made."""
    return {
        "date": date.today().isoformat(),
        "machine": f"{platform.platform()}, {_processor()}, {os.cpu_count()} cores",
        "load": [round(value, 2) for value in os.getloadavg()],
        "python": platform.python_version(),
        "commit": _commit(),
        "workload": workload,
        "vocabulary": options.vocabulary,
        "seconds for a case": options.seconds,
        "bytes of address space": options.memory_bytes,
        "repeat": options.repeat,
        "cases in a turn": options.turn,
        **arguments,
        "engines": {
            str(spec): {"version": spec.version, "settings": settings.get(spec, "")}
            for spec in options.engines
        },
    }


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _commit() -> str:
    """The commit of this checkout, with a mark where files other than saved results differ from it."""

    def git(*arguments: str) -> str:
        folder = Path(__file__).parent
        try:
            found = subprocess.run(
                ["git", *arguments], cwd=folder, capture_output=True, text=True, check=False
            )
        except OSError:  # no git here
            return ""
        return found.stdout.strip()

    commit = git("rev-parse", "--short=12", "HEAD") or "unknown"
    changed = git("diff", "--name-only", "HEAD", "--", ":/", ":(exclude,top)benchmarks/results")
    return f"{commit}-dirty" if changed else commit


def figures(run: Run, options: Options) -> dict[str, Any]:
    """The figures of a run for each engine: verdicts, percentiles over all cases and over those in common."""
    limit = int(options.seconds * 1e9)
    common = _common(run)
    return {
        "cases": len(run.cases),
        "texts": sum(len(case.texts) for case in run.cases),
        "percentiles": PERCENTILES,
        "curve percentiles": CURVE,
        "cases in common": len(common),
        "in common to": [str(spec) for spec in _compared(run)],
        "results": {
            str(spec): _engine_figures(run, outcomes, common, limit)
            for spec, outcomes in run.outcomes.items()
        },
    }


def _compared(run: Run) -> list[Spec]:
    """The engines that have enough cases right."""
    enough = PEERS_IN_COMMON * len(run.cases)
    return [spec for spec, outcomes in run.outcomes.items() if sum(map(_right, outcomes)) >= enough]


def _common(run: Run) -> list[int]:
    """The cases that all compared engines have right; none where there is no such engine."""
    compared = [run.outcomes[spec] for spec in _compared(run)]
    if not compared:
        return []
    return [index for index in range(len(run.cases)) if all(_right(outcomes[index]) for outcomes in compared)]


def _right(outcome: Outcome) -> bool:
    return outcome.verdict is Verdict.RIGHT


def _engine_figures(
    run: Run, outcomes: Sequence[Outcome], common: Sequence[int], limit: int
) -> dict[str, Any]:
    shared = [outcomes[index] for index in common]
    return {
        "cases": dict(Counter(str(outcome.verdict) for outcome in outcomes)),
        "texts": dict(Counter(str(verdict) for outcome in outcomes for verdict in outcome.verdicts)),
        "masks": sum(len(outcome.steps) for outcome in outcomes),
        "masks in common": sum(len(outcome.steps) for outcome in shared),
        "microseconds": _times(outcomes, PERCENTILES, limit),
        "microseconds in common": _times(shared, PERCENTILES, limit),
        "curves": _times(shared, CURVE, limit),
        "slowest first masks": _slowest(run, [outcome.first_mask or 0 for outcome in outcomes]),
        "slowest steps": _slowest(run, [max(outcome.steps, default=0) for outcome in outcomes]),
        "not right": {
            case.name: f"{outcome.verdict}: {outcome.message}".rstrip(": ")
            for case, outcome in zip(run.cases, outcomes, strict=True)
            if not _right(outcome)
        },
    }


def _slowest(run: Run, times: Sequence[int]) -> dict[str, float]:
    """The cases with the longest times, and these in microseconds."""
    worst = sorted(zip(times, (case.name for case in run.cases), strict=True), reverse=True)[:10]
    return {name: round(time / 1000, 1) for time, name in worst}


def _times(outcomes: Sequence[Outcome], percentiles: Sequence[float], limit: int) -> dict[str, list[float]]:
    """Percentiles in microseconds. A case that was ended before its first mask counts with the limit."""
    first = [outcome.first_mask for outcome in outcomes if outcome.first_mask is not None]
    first += [
        limit for outcome in outcomes if outcome.first_mask is None and outcome.verdict is Verdict.TIMEOUT
    ]
    steps = [step for outcome in outcomes for step in outcome.steps]
    kinds = {"TTFM": first, "TBM": steps}
    return {
        kind: [round(float(value) / 1000, 2) for value in np.percentile(values, percentiles)]
        for kind, values in kinds.items()
        if values
    }


def show(result: Mapping[str, Any]) -> None:
    """Prints figures as tables."""
    results = result["results"]
    verdicts = [verdict for verdict in Verdict if any(verdict in each["cases"] for each in results.values())]
    rows = [
        [name, *(each["cases"].get(verdict, 0) for verdict in verdicts)] for name, each in results.items()
    ]
    print(f"{result['cases']} cases, {result['texts']} texts\n")
    print(table(["cases", *verdicts], rows))
    labels = [f"p{percentile:g}" if percentile < 100 else "max" for percentile in PERCENTILES]
    for key, title in (
        ("microseconds", "all cases"),
        ("microseconds in common", f"{result['cases in common']} cases in common"),
    ):
        for kind in ("TTFM", "TBM"):
            shown = results if key == "microseconds" else result["in common to"]
            rows = [[name, *results[name][key][kind]] for name in shown if kind in results[name][key]]
            if rows:
                print(table([f"{kind} in µs, {title}", *labels], rows))
    print(f"in common: right in each of {', '.join(result['in common to']) or 'no engine'}")
    for name, each in results.items():
        for case, reason in _first_failures(each["not right"]):
            print(f"{name}, {case}: {reason}")


def _first_failures(not_right: Mapping[str, str]) -> list[tuple[str, str]]:
    """The first case of each kind that an engine failed at, and neither refused nor answered wrongly."""
    kinds = (Verdict.CRASH, Verdict.TIMEOUT, Verdict.ERROR)
    first = (
        next(((case, reason) for case, reason in not_right.items() if reason.startswith(kind)), None)
        for kind in kinds
    )
    return [found for found in first if found is not None]


def save(path: Path, result: Mapping[str, Any]) -> None:
    """Writes a result as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(result, indent=1, ensure_ascii=False, default=str)
    path.write_text(text + "\n", encoding="utf-8")
