"""SchemaStore under maskwright: which schemas compile, and what becomes of their documents.

Each schema compiles or is refused for a stated reason. Its positive documents ought to be accepted, and
its negative ones rejected, byte by byte and with properties in any order; YAML (with PyYAML installed) and
TOML are taken as the JSON values that they stand for. Where a verdict differs from the folder that the
document is in, the validator ``jsonschema`` is asked too. Schemas that refer to each other are given.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter_ns
from typing import Any

import numpy as np

from benchmarks.json_schema.crosscheck import second_opinion
from benchmarks.json_schema.document_formats import parsed
from benchmarks.json_schema.engines import ENGINES, Accepts, Problem, SchemaEngine
from benchmarks.json_schema.report import markdown_table, save_result
from benchmarks.json_schema.store_data import ARCHIVE, Document, Store, StoreSchema, read_store
from benchmarks.json_schema.verdicts import Outcome, Verdict, judged, refusal_of
from benchmarks.shared_data import data_file

PERCENTILES = (50, 90, 99, 100)
DEFAULT_DRAFT = "7"
"""What SchemaStore takes a schema without ``$schema`` for."""


@dataclass(slots=True)
class Findings:
    """What the store showed so far.

    Attributes:
        compiled: the time that each schema took that compiled, in nanoseconds.
        refused: why each other schema was refused, in words.
        reasons: how many schemas were refused for each reason.
        documents: how many documents ended in each verdict, apart for positive and negative ones.
        wrong: each wrong verdict, with what the cross-check says.
        doubtful: those of them where the cross-check is against the folder too.
        unread: how many documents have no value in JSON, or cannot be read here, by why.
    """

    compiled: dict[str, int] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    reasons: Counter[str] = field(default_factory=Counter)
    documents: dict[bool, Counter[str]] = field(default_factory=lambda: {True: Counter(), False: Counter()})
    wrong: list[str] = field(default_factory=list)
    doubtful: list[str] = field(default_factory=list)
    unread: Counter[str] = field(default_factory=Counter)


def run_schema(store: Store, schema: StoreSchema, engine: SchemaEngine, found: Findings) -> None:
    """Compiles one schema and judges its documents."""
    problem = Problem(json.loads(schema.text), DEFAULT_DRAFT, store.documents_for(schema))
    start = perf_counter_ns()
    try:
        accepts = engine.compile(problem)
    except Exception as error:
        refusal = refusal_of(error)
        found.refused[schema.name] = str(refusal)
        found.reasons[refusal.reason] += 1
        for document in schema.documents:
            found.documents[document.valid][refusal.verdict] += 1
        return
    found.compiled[schema.name] = perf_counter_ns() - start
    for document in schema.documents:
        run_document(problem, accepts, document, found)


def run_document(problem: Problem, accepts: Accepts, document: Document, found: Findings) -> None:
    """Judges one document."""
    try:
        value = parsed(document.path, document.text)
    except (ValueError, ImportError) as error:
        found.unread[type(error).__name__] += 1
        return
    outcome = _outcome(accepts, value, document)
    found.documents[document.valid][outcome.verdict] += 1
    if outcome.refusal:
        found.wrong.append(f"{document.path}: {outcome.verdict}: {outcome.reason}")
    elif outcome.verdict is not Verdict.RIGHT:
        opinion = second_opinion(problem, value, label=document.valid)
        listed = found.doubtful if opinion.startswith("label") else found.wrong
        listed.append(f"{document.path}: {outcome.verdict}; {opinion}")


def _outcome(accepts: Accepts, value: Any, document: Document) -> Outcome:
    try:
        return judged(expected=document.valid, accepted=accepts(value))
    except Exception as error:
        refusal = refusal_of(error)
        return Outcome(refusal.verdict, refusal)


def show(found: Findings) -> None:
    """Prints the figures in Markdown."""
    total = len(found.compiled) + len(found.refused)
    print(f"{len(found.compiled)} of {total} schemas compile\n")
    print(markdown_table(["refused by reason", "schemas"], found.reasons.most_common()))
    rows = [
        ["positive" if valid else "negative", *(tally[verdict] for verdict in Verdict)]
        for valid, tally in found.documents.items()
    ]
    print(markdown_table(["documents", *Verdict], rows))
    print(f"documents without a value here: {dict(found.unread)}\n")
    times = _milliseconds(list(found.compiled.values()))
    print(markdown_table([f"p{percentile}" for percentile in PERCENTILES], [times]))
    listed = {"wrong": found.wrong, "doubtful": found.doubtful}
    listed["refused"] = [f"{name}: {reason}" for name, reason in found.refused.items()]
    for kind, lines in listed.items():
        print(f"\n{kind}: {len(lines)}")
        print("".join(f"- {line[:300]}\n" for line in lines), end="")


def _milliseconds(nanoseconds: Sequence[int]) -> list[float]:
    values = np.percentile(nanoseconds or [0], PERCENTILES)
    return [float(round(value / 1e6, 2)) for value in values]


def figures(found: Findings) -> dict[str, Any]:
    """The figures, ready for JSON."""
    return {
        "schemas compiled": len(found.compiled),
        "schemas refused": dict(found.reasons.most_common()),
        "refused": found.refused,
        "positive documents": dict(found.documents[True]),
        "negative documents": dict(found.documents[False]),
        "unread documents": dict(found.unread),
        "wrong": found.wrong,
        "doubtful": found.doubtful,
        "percentiles": PERCENTILES,
        "compile milliseconds": _milliseconds(list(found.compiled.values())),
    }


def main() -> None:
    """Runs the store and prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--engine", choices=ENGINES, default="maskwright")
    parser.add_argument("--only", nargs="*", metavar="NAME", help="only these schemas")
    parser.add_argument("--limit", type=int, help="only the first so many schemas")
    parser.add_argument("--save", type=Path, help="write the figures to this JSON file")
    arguments = parser.parse_args()
    store = read_store(data_file(ARCHIVE))
    engine = ENGINES[arguments.engine]()
    found = Findings()
    names = arguments.only or list(store.schemas)[: arguments.limit]
    for count, name in enumerate(names, 1):
        run_schema(store, store.schemas[name], engine, found)
        if count % 100 == 0:
            print(f"{count} of {len(names)} schemas", file=sys.stderr)
    show(found)
    if arguments.save:
        save_result(arguments.save, {"engine": arguments.engine, **figures(found)})


if __name__ == "__main__":
    main()
