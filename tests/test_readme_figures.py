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


def shown_in(row: str) -> list[float]:
    """The numbers of the one row of a table that begins so."""
    (found,) = re.findall(rf"^\| {row} \|(.*)\|$", README, re.MULTILINE)
    return numbers(found)


def assert_shown(shown: list[float], exact: list[float]) -> None:
    """Each figure is the exact one, rounded to a whole number, or to a tenth where it is small."""
    assert len(shown) == len(exact)
    for figure, unrounded in zip(shown, exact, strict=True):
        assert figure == pytest.approx(unrounded, abs=0.051 if figure != int(figure) else 0.5)


def in_common(run: str, engine: str) -> list[float]:
    common = results(run)[engine]["microseconds in common"]
    first = [common["TTFM"][PERCENTILES[at]] for at in (50, 99)]
    return [*first, *(common["TBM"][PERCENTILES[at]] for at in (50, 90, 99, 99.9))]


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
    right = results("maskbench-free-cold")[engine]["cases"]["right"]
    assert_shown(shown_in(row), [*in_common("maskbench-free-cold", engine), right])


@pytest.mark.parametrize(
    ("row", "engine"),
    [
        ("maskwright", "maskwright"),
        ("maskwright, `warm=500`", "maskwright:warm=500"),
        ("llguidance", "llguidance"),
        ("glrmask", "glrmask"),
    ],
)
def test_what_a_step_costs_after_other_work_is_that_of_the_saved_run(row: str, engine: str) -> None:
    saved = saved_run("maskbench-free-between")
    assert (saved["between"], saved["prefill"], saved["sample"]) == (32 << 20, 0.02, 100)
    assert_shown(shown_in(row), in_common("maskbench-free-between", engine))


@pytest.mark.parametrize("engine", ["maskwright", "llguidance", "glrmask", "xgrammar:strict=on"])
def test_what_programs_cost_is_that_of_the_saved_run(engine: str) -> None:
    right = results("programs")[engine]["cases"]["right"]
    row = f"{engine.partition(':')[0]}, programs"
    assert_shown(shown_in(row), [*in_common("programs", engine), right])


@pytest.mark.parametrize("engine", ["maskwright", "llguidance", "glrmask"])
def test_what_schemas_of_a_store_cost_is_that_of_the_saved_run(engine: str) -> None:
    assert saved_run("store")["sample"] == 300
    saved = results("store")[engine]
    first, between = (saved["microseconds"][kind] for kind in ("TTFM", "TBM"))
    exact = [
        first[PERCENTILES[50]],
        first[PERCENTILES[99]],
        *(between[PERCENTILES[at]] for at in PERCENTILES),
    ]
    assert_shown(shown_in(f"{engine}, SchemaStore"), [*exact, saved["cases"]["right"]])


def test_what_a_rehearsal_brings_is_that_of_the_saved_run() -> None:
    found = re.search(r"`warm=500` brings (p90 .*? p99\.9 from \d+ to \d+)", README, re.DOTALL)
    assert found is not None
    saved = results("maskbench-free-prefill")
    cold, warm = (saved[engine]["microseconds"]["TBM"] for engine in ("maskwright", "maskwright:warm=500"))
    shown = numbers(re.sub(r"p99\.9|p9\d", "", found[1]))
    expected = [round(figures[PERCENTILES[at]]) for at in (90, 99, 99.9) for figures in (cold, warm)]
    assert shown == expected


@pytest.mark.parametrize("engine", ["maskwright", "llguidance", "copy"])
def test_what_a_batch_costs_is_that_of_the_saved_run(engine: str) -> None:
    saved = saved_run("batch-16-cores")
    assert saved["grammars"] == 150
    exact = [saved["results"][engine][f"512 rows, {threads} threads"] for threads in (1, 2, 4, 8, 16)]
    shown = shown_in(f"`?{engine}`?, 512 sequences")
    assert shown == [round(microseconds, 1) for microseconds in exact]


@pytest.mark.parametrize("engine", ["maskwright", "llguidance", "glrmask"])
def test_what_another_machine_says_is_that_of_the_saved_run(engine: str) -> None:
    found = re.search(rf"([\d,]+ / [\d,]+ and [^a-z]*) for {engine}", README)
    assert found is not None
    assert_shown(numbers(found[1]), in_common("maskbench-free-cold-16-cores", engine))


@pytest.mark.parametrize(
    ("row", "suite"), [("tests answered rightly", "main"), ("`format` tests answered rightly", "format")]
)
def test_what_the_official_suite_says_is_that_of_the_saved_run(row: str, suite: str) -> None:
    tests = saved_run("json-schema-official-suite")["tests"]
    verdicts = [tests[f"{suite} {draft}"] for draft in ("4", "6", "7", "2019-09", "2020-12")]
    expected = [number for each in verdicts for number in (each["right"], sum(each.values()))]
    assert shown_in(row) == expected
