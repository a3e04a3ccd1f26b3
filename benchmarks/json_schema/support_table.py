"""Writes ``docs/json-schema-support.md`` from the results of the official suite."""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from benchmarks.json_schema.engines import MaskwrightEngine
from benchmarks.json_schema.official_suite import Result, results
from benchmarks.json_schema.report import markdown_table
from benchmarks.json_schema.suite_data import ARCHIVE, DRAFTS, Section, read_suite
from benchmarks.json_schema.verdicts import Verdict, counts
from benchmarks.shared_data import data_file

__all__ = ["PAGE", "support_page"]

PAGE = Path(__file__).resolve().parents[2] / "docs" / "json-schema-support.md"

INTRODUCTION = """\
# JSON Schema: what is supported

Written by `python -m benchmarks.json_schema.support_table` from a run of the
[JSON Schema Test Suite](https://github.com/json-schema-org/JSON-Schema-Test-Suite); a test checks that it
is current. Each row is a file of the suite, mostly named after a keyword. A number is how many of its tests
are answered rightly, where that is all of them; `refused` counts tests of schemas that are refused by a typed
error that names the place and the reason, never loosened. Properties may come in any order in these runs
(`order="any"`). A dash means that the draft does not have it.

A schema is read by the draft that its `$schema` names; that of a Hyper-Schema is its draft's. A
metaschema of your own counts where it is given among `documents`: its `$schema` and `$vocabulary` say
which keywords there are. One that is not given is not known, and nothing is fetched: then the draft is
`default_draft`, 2020-12 where you say nothing, as for schemas without `$schema`. A keyword counts only
where the draft has it, but for `dependencies`, which counts in all; what only draft 3 has is refused in
schemas of draft 3. Any other word asks for nothing, as JSON Schema has it: `Grammar.remarks()` tells of those
that are nearly keywords or are keywords of another draft, and of formats that are not known. The formats are
the same in all drafts, also where a draft has no such format. A reference to an `$id` or anchor that two
schemas of a document have is refused, unless both say the same.

A keyword with a value that it cannot have is refused by its place, in every schema that the first one leads
to. A pattern, also that of `patternProperties`, is only read where it can make a difference: beside
`"type": "integer"`, say, any string will do. Of definitions to which nothing refers it is only looked at
that they are schemas by name (`definitions`, and `$defs` since 2019-09): what they say is not read, so
a large library costs what is used of it.
"""

SECTIONS: Mapping[Section, str] = {
    Section.MAIN: "Keywords\n\n`format` is an annotation in this part of the suite.",
    Section.FORMAT: "Formats\n\nEnforced by default; `enforce_formats=False` makes them annotations.",
    Section.OPTIONAL: "Optional behaviour\n\nWhat the suite leaves to each implementation.",
}

NOTES: Mapping[Section, Mapping[str, str]] = {
    Section.MAIN: {
        "additionalItems": "`items` after an array of schemas; `prefixItems` and `items` since 2020-12",
        "anchor": "`$anchor`",
        "boolean_schema": "`true` and `false` as schemas",
        "content": "annotations",
        "default": "an annotation",
        "defs": "`$defs`",
        "dependencies": "`dependentRequired` and `dependentSchemas` since 2019-09",
        "dynamicRef": "`$dynamicRef`, `$dynamicAnchor`",
        "format": "see the table of formats below",
        "if-then-else": "`if`, `then`, `else`",
        "maxLength": "counted in code points, not in bytes or UTF-16 units",
        "minLength": "counted in code points, not in bytes or UTF-16 units",
        "multipleOf": "decimals are exact, not rounded to binary fractions",
        "pattern": "read as ECMA-262, with the flag `u` where it is valid so; a match anywhere in the string",
        "recursiveRef": "`$recursiveRef`, `$recursiveAnchor`",
        "ref": "`$ref`, `$id`, JSON pointers",
        "refRemote": 'documents are given by `documents={"uri": schema}`; nothing is fetched',
        "type": "`1.0` is an integer since draft 6",
        "uniqueItems": '`approximate={"uniqueItems"}` takes what is refused, and enforces what it can',
        "vocabulary": "`$vocabulary` of the meta-schema, where that is given as a document",
    },
    Section.FORMAT: {
        "date": "of the Gregorian calendar, years 0000 to 9999, as RFC 3339 writes them; Python's `date` "
        "begins with 0001",
        "date-time": "`date`, `T` and `time`, in either case",
        "time": "with an offset; second 60 is where it is 23:59 in UTC, on any day, since no list of leap "
        "seconds is kept",
        "unknown": "an annotation, unless `formats={name: pattern}` gives it a meaning",
    },
    Section.OPTIONAL: {
        "content": "`contentEncoding` and `contentMediaType` are annotations",
    },
}


def support_page(all_results: Iterable[Result]) -> str:
    """The page, in Markdown."""
    files: dict[Section, dict[str, dict[str, list[Result]]]] = {section: {} for section in Section}
    for result in all_results:
        schema = result.schema
        drafts = files[schema.section].setdefault(schema.file, defaultdict(list))
        drafts[schema.draft].append(result)
    parts = [INTRODUCTION]
    for section, title in SECTIONS.items():
        parts.append(f"## {title}\n\n{_table(section, files[section])}")
        refused = _refusals(files[section])
        if refused:
            parts.append(f"### Not right, and why\n\n{refused}")
    return "\n".join(parts)


def _table(section: Section, files: Mapping[str, Mapping[str, Sequence[Result]]]) -> str:
    rows = [
        [f"`{file}`", *(_cell(drafts.get(draft, ())) for draft in DRAFTS), NOTES[section].get(file, "")]
        for file, drafts in sorted(files.items(), key=lambda item: item[0].lower())
    ]
    first = {Section.MAIN: "keyword", Section.FORMAT: "format", Section.OPTIONAL: "file"}[section]
    return markdown_table([first, *DRAFTS, "note"], rows)


def _cell(tests: Sequence[Result]) -> str:
    """What the tests of a file in one draft prove."""
    if not tests:
        return "—"
    tally = counts(test.outcome for test in tests)
    right = tally[Verdict.RIGHT]
    if right == len(tests):
        return str(right)
    return ", ".join(f"{tally[verdict]} {verdict}" for verdict in Verdict if tally[verdict])


def _refusals(files: Mapping[str, Mapping[str, Sequence[Result]]]) -> str:
    """Every schema that has a test that is not right, with the drafts in which that is so."""
    drafts: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for file, by_draft in sorted(files.items(), key=lambda item: item[0].lower()):
        for draft in DRAFTS:
            for result in by_draft.get(draft, ()):
                key = (f"`{file}`", result.schema.description, _why(result))
                if result.outcome.verdict is not Verdict.RIGHT and draft not in drafts[key]:
                    drafts[key].append(draft)
    rows = [
        [file, schema, ", ".join(listed), why] for (file, schema, why), listed in drafts.items() if listed
    ]
    return markdown_table(["file", "schema", "drafts", "reason"], rows) if rows else ""


def _why(result: Result) -> str:
    """The refusal, or the verdict and the test where there was an answer."""
    return result.outcome.reason or f"{result.outcome.verdict}: {result.test}"


def main() -> None:
    """Runs the suite and writes the page."""
    argparse.ArgumentParser(description=main.__doc__).parse_args()
    suite = read_suite(data_file(ARCHIVE))
    PAGE.write_text(support_page(results(suite, MaskwrightEngine())), encoding="utf-8")


if __name__ == "__main__":
    main()
