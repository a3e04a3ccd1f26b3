"""The figures in the README are those of the saved results."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PERCENTILES = {50: 0, 90: 1, 99: 2, 99.9: 3}


def saved_run(name: str) -> Any:
    return json.loads((ROOT / "benchmarks" / "results" / f"{name}.json").read_text(encoding="utf-8"))


def results(name: str) -> Any:
    return saved_run(name)["results"]


def numbers(text: str) -> list[float]:
    return [float(number.replace(",", "")) for number in re.findall(r"\d[\d,]*(?:\.\d+)?", text)]


@pytest.mark.parametrize(
    ("row", "engine"),
    [
        (r"\*\*maskwright\*\*", "maskwright"),
        ("llguidance [\\d.]+", "llguidance"),
        ("glrmask [\\d.]+", "glrmask"),
        ("xgrammar [\\d.]+, strict", "xgrammar:strict=on"),
    ],
)
def test_the_table_is_that_of_the_saved_run(row: str, engine: str) -> None:
    found = re.search(rf"^\| {row} \|(.*)\|$", README, re.MULTILINE)
    assert found is not None
    saved = results("maskbench-free-cold")[engine]
    common = saved["microseconds in common"]
    expected = [
        *(common["TTFM"][PERCENTILES[at]] for at in (50, 99)),
        *(common["TBM"][PERCENTILES[at]] for at in (50, 90, 99, 99.9)),
        saved["cases"]["right"],
    ]
    shown = numbers(found[1])
    assert len(shown) == len(expected)
    for figure, exact in zip(shown, expected, strict=True):
        # Rounded to a whole number, or to a tenth where it is small.
        assert figure == pytest.approx(exact, abs=0.05 if figure != int(figure) else 0.5)


def test_what_a_rehearsal_brings_is_that_of_the_saved_run() -> None:
    found = re.search(r"`warm=500` brings (p90 .*? p99\.9 from \d+ to \d+)", README, re.DOTALL)
    assert found is not None
    saved = results("maskbench-free-prefill")
    cold, warm = (saved[engine]["microseconds"]["TBM"] for engine in ("maskwright", "maskwright:warm=500"))
    shown = numbers(re.sub(r"p99\.9|p9\d", "", found[1]))
    expected = [round(figures[PERCENTILES[at]]) for at in (90, 99, 99.9) for figures in (cold, warm)]
    assert shown == expected


@pytest.mark.parametrize(
    ("row", "suite"), [("tests answered rightly", "main"), ("`format` tests answered rightly", "format")]
)
def test_what_the_official_suite_says_is_that_of_the_saved_run(row: str, suite: str) -> None:
    found = re.search(rf"^\| {row} \|(.*)\|$", README, re.MULTILINE)
    assert found is not None
    tests = saved_run("json-schema-official-suite")["tests"]
    verdicts = [tests[f"{suite} {draft}"] for draft in ("4", "6", "7", "2019-09", "2020-12")]
    expected = [number for each in verdicts for number in (each["right"], sum(each.values()))]
    assert numbers(found[1]) == expected
