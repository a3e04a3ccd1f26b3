"""The JSON Schema Test Suite under maskwright: right, wrong and refused, for each draft.

The value of each test is written as JSON text and fed byte by byte; it counts as accepted if every byte is,
and the text may end there. Properties may come in any order. With ``--write`` the cases that are not right
go to the checked-in list that the tests compare with.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.json_schema.engines import ENGINES, SchemaEngine
from benchmarks.json_schema.report import markdown_table, save_result
from benchmarks.json_schema.suite_data import ARCHIVE, DRAFTS, Section, Suite, SuiteSchema, read_suite
from benchmarks.json_schema.verdicts import Outcome, Verdict, counts, judged, refusal_of
from benchmarks.shared_data import data_file

__all__ = ["LIST", "Finding", "Result", "findings", "results", "tallies", "written"]

LIST = Path(__file__).resolve().parents[2] / "testdata" / "json_schema" / "official_suite_refusals.toml"
HEADER = """\
# The cases of the JSON Schema Test Suite that maskwright does not get right, with the reason for each.
# Written by `python -m benchmarks.json_schema.official_suite --write`; the tests compare it exactly.
"""


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of one test."""

    schema: SuiteSchema
    test: str
    outcome: Outcome


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """A test that is not right, as the checked-in list has it."""

    draft: str
    section: str
    file: str
    schema: str
    verdict: str
    reason: str
    test: str


def results(suite: Suite, engine: SchemaEngine) -> Iterator[Result]:
    """Runs all tests of the suite."""
    for schema in suite.schemas:
        outcomes = _outcomes(suite, schema, engine)
        for (test, _, _), outcome in zip(schema.tests, outcomes, strict=True):
            yield Result(schema, test, outcome)


def _outcomes(suite: Suite, schema: SuiteSchema, engine: SchemaEngine) -> Sequence[Outcome]:
    try:
        accepts = engine.compile(suite.problem(schema))
    except Exception as error:
        refusal = refusal_of(error)
        return [Outcome(refusal.verdict, refusal)] * len(schema.tests)
    outcomes = []
    for _, value, valid in schema.tests:
        try:
            outcomes.append(judged(expected=valid, accepted=accepts(value)))
        except Exception as error:
            refusal = refusal_of(error)
            outcomes.append(Outcome(refusal.verdict, refusal))
    return outcomes


def findings(all_results: Iterable[Result]) -> list[Finding]:
    """What is not right, sorted."""
    return sorted(
        Finding(
            result.schema.draft,
            result.schema.section,
            result.schema.file,
            result.schema.description,
            result.outcome.verdict,
            result.outcome.reason,
            result.test,
        )
        for result in all_results
        if result.outcome.verdict is not Verdict.RIGHT
    )


def written(found: Iterable[Finding]) -> str:
    """The findings as TOML, with the tests of one schema and reason together."""
    tables: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for finding in found:
        key = (finding.draft, finding.section, finding.file, finding.schema, finding.verdict, finding.reason)
        tables[key].append(finding.test)
    names = ("draft", "section", "file", "schema", "verdict", "reason")
    parts = [HEADER]
    for facts, tests in tables.items():
        lines = [f"{name} = {_quoted(value)}\n" for name, value in zip(names, facts, strict=True) if value]
        listed = "".join(f"    {_quoted(test)},\n" for test in tests)
        parts.append(f"[[case]]\n{''.join(lines)}tests = [\n{listed}]\n")
    return "\n".join(parts)


def _quoted(text: str) -> str:
    """A basic string of TOML, which escapes as JSON does, and DEL too."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def tallies(all_results: Iterable[Result]) -> dict[tuple[Section, str], Counter[Verdict]]:
    """The verdicts of each section and draft."""
    groups: dict[tuple[Section, str], list[Outcome]] = {
        (section, draft): [] for section in Section for draft in DRAFTS
    }
    for result in all_results:
        groups[result.schema.section, result.schema.draft].append(result.outcome)
    return {key: counts(outcomes) for key, outcomes in groups.items()}


def main() -> None:
    """Runs the suite and prints a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--engine", choices=ENGINES, default="maskwright")
    parser.add_argument("--write", action="store_true", help="write the checked-in list of cases not right")
    parser.add_argument("--list", action="store_true", help="print every case that is not right")
    parser.add_argument("--save", type=Path, help="write the figures to this JSON file")
    arguments = parser.parse_args()
    if arguments.write and arguments.engine != "maskwright":
        parser.error("the checked-in list is that of maskwright")
    all_results = list(results(read_suite(data_file(ARCHIVE)), ENGINES[arguments.engine]()))
    figures = tallies(all_results)
    rows = [
        [section, draft, sum(tally.values()), *(tally[verdict] for verdict in Verdict), _share(tally)]
        for (section, draft), tally in figures.items()
    ]
    print(markdown_table(["section", "draft", "tests", *Verdict, "right"], rows))
    reasons = Counter(
        result.outcome.refusal.reason for result in all_results if result.outcome.refusal is not None
    )
    print(
        markdown_table(["tests", "refused by reason"], [[n, reason] for reason, n in reasons.most_common()])
    )
    found = findings(all_results)
    if arguments.list:
        print(written(found))
    if arguments.write:
        LIST.parent.mkdir(parents=True, exist_ok=True)
        LIST.write_text(written(found), encoding="utf-8")
    if arguments.save:
        verdicts = {
            f"{section} {draft}": {str(verdict): tally[verdict] for verdict in Verdict}
            for (section, draft), tally in figures.items()
        }
        save_result(arguments.save, {"engine": arguments.engine, "tests": verdicts, "refused": dict(reasons)})


def _share(tally: Counter[Verdict]) -> str:
    return f"{tally[Verdict.RIGHT] / max(1, sum(tally.values())):.2%}"


if __name__ == "__main__":
    main()
