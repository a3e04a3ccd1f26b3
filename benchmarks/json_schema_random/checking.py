"""One random schema: documents generated and mutated, each judged by both sides."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import Any

import maskwright as mw
from benchmarks.json_schema_random.engine import Order, Spaces, Subject, random_walk
from benchmarks.json_schema_random.mutations import mutated
from benchmarks.json_schema_random.oracle import NotJsonError, Oracle, parse
from benchmarks.json_schema_random.schemas import DRAFTS, Draft, random_schema
from benchmarks.json_schema_random.spelling import spelled
from benchmarks.json_schema_random.values import likely_value

__all__ = ["Figures", "Mismatch", "check_schema"]

WALKS = 4
ATTEMPTS = 30
MUTATIONS = 4


@dataclass(frozen=True)
class Mismatch:
    """A document on which the two sides disagree, with all that is needed to see it again."""

    schema: Any
    draft: Draft
    text: str
    order: Order
    whitespace: Spaces
    seed: str
    fault: str

    def reproducer(self) -> str:
        """A program in Python that shows the disagreement."""
        schema = json.dumps(self.schema, ensure_ascii=False)
        return (
            f"# seed {self.seed}: {self.fault}\n"
            "from benchmarks.json_schema_random.engine import Subject, vocabulary\n"
            "from benchmarks.json_schema_random.oracle import Oracle\n"
            f"import json\nschema = json.loads({schema!r})\ntext = {self.text!r}\n"
            f"subject = Subject(vocabulary(), schema, {self.order!r}, {self.whitespace!r})\n"
            f"print(subject.is_valid(text), Oracle(schema, {self.draft!r}).is_valid(text))\n"
            "print(subject.is_dead_end(text))\n"
        )


@dataclass
class Figures:
    """What was checked, in numbers; figures of several schemas add up."""

    counts: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    mismatches: list[Mismatch] = field(default_factory=list)

    def add(self, other: Figures) -> None:
        """Adds the figures of further schemas."""
        self.counts += other.counts
        self.refused += other.refused
        self.mismatches += other.mismatches

    @property
    def documents(self) -> int:
        """Documents on which both sides gave a verdict."""
        return self.counts["generated"] + self.counts["judged"]


def check_schema(words: mw.Vocabulary, seed: str) -> Figures:
    """Checks the random schema of a seed."""
    check = _Check(words, seed)
    try:
        return check.run()
    except RecursionError:  # of jsonschema, where a definition is only a reference to itself
        check.figures.counts["endless for jsonschema"] += 1
        return check.figures


class _Check:
    def __init__(self, words: mw.Vocabulary, seed: str) -> None:
        self.words = words
        self.seed = seed
        self.random = Random(seed)
        self.draft: Draft = self.random.choice(list(DRAFTS))
        self.schema = random_schema(self.random, self.draft)
        self.oracle = Oracle(self.schema, self.draft)
        self.figures = Figures(Counter(schemas=1))

    def run(self) -> Figures:
        judge = Subject(self.words, self.schema)
        if not judge.refused:
            values = self.generate() + self.likely_values()
            self.figures.counts["satisfiable"] += bool(values)
            for value in values:
                self.judge(judge, value)
                for _ in range(MUTATIONS):
                    self.judge(judge, mutated(self.random, value))
        if judge.refused:
            self.figures.refused[judge.refused] += 1
        return self.figures

    def generate(self) -> list[Any]:
        """The values of documents written under the mask."""
        order: Order = self.random.choice(("declared", "any"))
        whitespace: Spaces = self.random.choice(("none", "compact", "spaced", "free"))
        subject = Subject(self.words, self.schema, order, whitespace)
        values = []
        for _ in range(0 if subject.refused or subject.empty else WALKS):
            try:
                walk = random_walk(self.random, subject, self.verdict_on_prefix)
            except (mw.errors.BudgetExceededError, mw.errors.UnsupportedFeatureError) as error:
                self.figures.refused[f"{type(error).__name__} during a walk"] += 1
                break
            if walk.fault:
                text = walk.data.decode(errors="replace")
                self.report(text, order, whitespace, walk.fault)
            if walk.finished:
                values.append(parse(walk.data.decode()))
            self.figures.counts["generated" if walk.finished else "unfinished"] += 1
        return values

    def verdict_on_prefix(self, data: bytes) -> bool | None:
        try:
            text = data.decode()
            parse(text)
        except (UnicodeDecodeError, NotJsonError):
            return None
        return self.oracle.is_valid(text)

    def likely_values(self) -> list[Any]:
        """Valid values that no engine made."""
        values: list[Any] = []
        for _ in range(ATTEMPTS):
            text = spelled(self.random, likely_value(self.random, self.schema))
            if self.oracle.is_valid(text):
                values.append(parse(text))
            if len(values) == WALKS:
                break
        return values

    def judge(self, subject: Subject, value: Any) -> None:
        """Compares the verdicts on one spelling of a value."""
        text = spelled(self.random, value)
        expected = self.oracle.is_valid(text)
        verdict = subject.is_valid(text)
        if verdict is None:
            return
        self.figures.counts["judged"] += 1
        self.figures.counts["judged valid"] += expected
        if verdict != expected:
            fault = f"maskwright says {verdict}, jsonschema says {expected}"
            self.report(text, "any", "free", fault)

    def report(self, text: str, order: Order, whitespace: Spaces, fault: str) -> None:
        self.figures.mismatches.append(
            Mismatch(self.schema, self.draft, text, order, whitespace, self.seed, fault)
        )
