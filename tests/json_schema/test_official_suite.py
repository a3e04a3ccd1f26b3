"""The JSON Schema Test Suite: what is not right is exactly what the checked-in list says, and why."""

from __future__ import annotations

import difflib
import tomllib
from pathlib import Path

import pytest
from benchmarks.json_schema.engines import MaskwrightEngine
from benchmarks.json_schema.official_suite import (
    LIST,
    Finding,
    Result,
    findings,
    results,
    tallies,
    written,
)
from benchmarks.json_schema.suite_data import ARCHIVE, DRAFTS, Section, read_suite
from benchmarks.json_schema.support_table import PAGE, support_page
from benchmarks.json_schema.verdicts import Verdict

SHARED_DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


def read_findings(path: Path) -> list[Finding]:
    """Reads a list back, sorted."""
    names = ("draft", "section", "file", "schema", "verdict")
    cases = tomllib.loads(path.read_text(encoding="utf-8")).get("case", [])
    return sorted(
        Finding(test=test, reason=case.get("reason", ""), **{name: case[name] for name in names})
        for case in cases
        for test in case["tests"]
    )


@pytest.fixture(scope="module")
def suite_results() -> list[Result]:
    """Every test of the suite, run once."""
    archive = SHARED_DATA / ARCHIVE
    if not archive.is_file():
        pytest.skip(f"{ARCHIVE} of the test data in ../shared/data is not there")
    return list(results(read_suite(archive), MaskwrightEngine()))


def test_the_list_of_what_is_not_right_is_current(suite_results: list[Result]) -> None:
    now, listed = written(findings(suite_results)), written(read_findings(LIST))
    difference = list(difflib.unified_diff(listed.splitlines(), now.splitlines(), "listed", "now", n=8))
    assert not difference, "\n".join(
        ["run `python -m benchmarks.json_schema.official_suite --write` if this is meant:", *difference[:200]]
    )


def test_the_support_table_is_current(suite_results: list[Result]) -> None:
    assert PAGE.read_text(encoding="utf-8") == support_page(suite_results), (
        "run `python -m benchmarks.json_schema.support_table`"
    )


@pytest.mark.parametrize("draft", DRAFTS)
def test_no_answer_is_wrong_and_few_are_refused(suite_results: list[Result], draft: str) -> None:
    figures = tallies(suite_results)
    main = figures[Section.MAIN, draft]
    assert main[Verdict.WRONG_ACCEPT] == main[Verdict.WRONG_REJECT] == main[Verdict.CRASHED] == 0
    assert main[Verdict.RIGHT] >= 0.97 * main.total() > 0
    formats = figures[Section.FORMAT, draft]
    assert formats[Verdict.CRASHED] == 0
    assert formats[Verdict.RIGHT] >= 0.95 * formats.total() > 0


def test_a_written_list_reads_back(tmp_path: Path) -> None:
    found = sorted(
        Finding(draft, "main", "ref", 'a "quoted" \\ schema\x7f', "refused", reason, test)
        for draft in DRAFTS
        for reason in ("UnsupportedFeatureError: pattern: at #/pattern\t\U0001f600", "")
        for test in ("ünïcode", "\x00 and \ud7ff", "twice", "twice")
    )
    (tmp_path / "list.toml").write_text(written(found), encoding="utf-8")
    assert read_findings(tmp_path / "list.toml") == found
