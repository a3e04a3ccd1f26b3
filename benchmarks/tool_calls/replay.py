"""Replays gold calls and mutations in the format of every family, with its vocabulary, and parses them again.

Every mask is asked for. Gold texts are timed; mutations and readings are not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter_ns
from typing import Any

import numpy as np

import maskwright as mw
from benchmarks.suite.report import table
from benchmarks.tool_calls.cases import ToolCase, draw, load_corpus
from benchmarks.tool_calls.families import Family, strings_of, tokeniser_of
from benchmarks.tool_calls.mutations import Mutation, mutations
from benchmarks.tool_calls.reading import problems_of_reading
from benchmarks.tool_calls.walking import Place, Walker, first_difference
from maskwright.tools import ToolInput

__all__ = ["Figures", "cases_of_corpora", "replay_family", "show"]

REASONING = "The user wants this done; one of the tools does it."
KEPT_PROBLEMS = 20
PERCENTILES = (50, 99, 99.9)


@dataclass(slots=True)
class Figures:
    """What came out for a family.

    Attributes:
        family: the family.
        stand_ins: the special tokens that took unused ids of the vocabulary.
        exact: whether texts were split by the tokeniser's own merges.
        counts: of everything, by name.
        steps: the nanoseconds of each token of gold texts.
        first_masks: the nanoseconds from tools to the first mask, of each set of tools.
        problems: the first few of each kind.
    """

    family: Family
    stand_ins: list[str]
    exact: bool
    counts: Counter[str] = field(default_factory=Counter)
    steps: list[int] = field(default_factory=list)
    first_masks: list[int] = field(default_factory=list)
    problems: dict[str, list[str]] = field(default_factory=dict)

    def problem(self, kind: str, text: str) -> None:
        """Counts a problem, and keeps what it says if there are few."""
        self.counts[kind] += 1
        kept = self.problems.setdefault(kind, [])
        if len(kept) < KEPT_PROBLEMS:
            kept.append(text)

    def as_dict(self) -> dict[str, Any]:
        """What is saved."""
        return {
            "vocabulary": self.family.vocabulary,
            "own vocabulary": self.family.is_own,
            "stand-ins": self.stand_ins,
            "tokeniser's own merges": self.exact,
            "counts": dict(self.counts),
            "tokens per second": round(1e9 * len(self.steps) / max(1, sum(self.steps))),
            "TBM in microseconds": _percentiles(self.steps),
            "TTFM in microseconds": _percentiles(self.first_masks),
            "problems": self.problems,
        }


def cases_of_corpora(corpora: Sequence[str], sample: int | None, seed: int) -> dict[str, list[ToolCase]]:
    """The cases of some corpora, drawn by chance from each, after printing how many there are."""
    cases = {}
    for name in corpora:
        corpus = load_corpus(name)
        cases[name] = draw(corpus, sample, seed)
        left_out = "; ".join(f"{count} left out: {reason}" for reason, count in corpus.left_out.items())
        print(f"{name}: {len(corpus.cases)} cases, {len(cases[name])} replayed. {left_out}")
    return cases


def replay_family(
    family: Family,
    cases: Mapping[str, Sequence[ToolCase]],
    *,
    seed: int = 1,
    progress: Callable[[str], object] = lambda _: None,
) -> Figures:
    """Replays cases of some corpora in the format of a family."""
    tokeniser = tokeniser_of(family)
    figures = Figures(family, tokeniser.stand_ins, tokeniser.exact)
    replay = _Replay(figures, Walker(tokeniser, figures.steps), seed)
    for corpus, chosen in cases.items():
        for case in chosen:
            replay.case(case if family.layout.parallel else _with_one_call(case))
        progress(f"{family.layout.name}: {corpus} done")
    return figures


def _with_one_call(case: ToolCase) -> ToolCase:
    return ToolCase(case.name, case.tools, case.calls[:1], case.content)


class _Replay:
    """Replays cases one after another; tools that come again keep their constraint."""

    def __init__(self, figures: Figures, walker: Walker, seed: int) -> None:
        self._figures = figures
        self._walker = walker
        self._seed = seed
        self._layout = figures.family.layout
        self._compiler = mw.Compiler(walker.tokeniser.vocabulary)
        self._last: tuple[object, mw.ToolCalls, mw.Constraint] | None = None

    def case(self, case: ToolCase) -> None:
        """Replays a case."""
        self._figures.counts["cases"] += 1
        content, reasoning = self._message_of(case)
        try:
            made, constraint = self._compiled(case)
            text = made.render(_written(case.calls), content=content, reasoning=reasoning)
        except mw.ToolCallError as error:
            self._figures.problem("cannot be written", f"{case.name}: {error}")
            return
        except mw.MaskwrightError as error:
            self._figures.problem("refused", f"{case.name}: {type(error).__name__}: {error}")
            return
        tokens = self._walker.tokeniser.encode(text)
        self._gold(case, constraint, text, tokens)
        expected = (content, reasoning, case.calls)
        problems = problems_of_reading(made, self._walker.tokeniser.vocabulary, text, tokens, expected)
        self._figures.counts["read right"] += not problems
        if problems:
            self._figures.problem("read wrong", f"{case.name}: {problems[0]} in {text!r}")
        for mutation in mutations(case, self._seed, strings_of(self._layout)):
            self._mutation(case, mutation, content, reasoning)

    def _message_of(self, case: ToolCase) -> tuple[str, str | None]:
        """The content and the reasoning that go with a case, where the format has room for them."""
        layout = self._layout
        has_room = layout.placement == "anywhere" and any(segment.before_calls for segment in layout.content)
        content = case.content if has_room else ""
        has_reasoning = layout.reasoning is not None and (layout.reasoning_opened or not content)
        return content, REASONING if has_reasoning else None

    def _made(self, tools: Sequence[ToolInput], **options: Any) -> mw.ToolCalls:
        return mw.ToolCalls(tools, self._layout, order="any", **options)

    def _compiled(self, case: ToolCase) -> tuple[mw.ToolCalls, mw.Constraint]:
        if self._last is None or self._last[0] != case.tools:
            start = perf_counter_ns()
            made = self._made(case.tools)
            constraint = self._compiler.compile(made.grammar())
            mask = mw.allocate_mask(1, self._walker.tokeniser.table.size)
            constraint.matcher().fill_mask(mask, 0)
            self._figures.first_masks.append(perf_counter_ns() - start)
            self._last = case.tools, made, constraint
        return self._last[1:]

    def _gold(self, case: ToolCase, constraint: mw.Constraint, text: str, tokens: Sequence[int]) -> None:
        self._figures.counts["gold"] += 1
        try:
            place = self._walker.walk(constraint, tokens, timed=True)
        except (AssertionError, mw.MaskwrightError) as error:
            self._figures.problem("gold failed", f"{case.name}: {error}")
            return
        if place.token == len(tokens) and place.may_end:
            self._figures.counts["gold accepted"] += 1
        else:
            self._figures.problem("gold rejected", f"{case.name}: {self._shown(text, place)}")

    def _mutation(self, case: ToolCase, mutation: Mutation, content: str, reasoning: str | None) -> None:
        """Walks along a mutation. Where prose may look like a call of another tool, prose is not allowed."""
        constraint = self._last[2] if self._last else None
        if mutation.kind == "unknown tool" and self._layout.placement == "start":
            content = ""
            constraint = self._compiler.compile(self._made(case.tools, tool_choice="required").grammar())
        try:
            gold = self._made(case.tools).render(_written(case.calls), content=content, reasoning=reasoning)
            wrong = self._made(mutation.tools).render(
                _written(mutation.calls), content=content, reasoning=reasoning
            )
        except mw.ToolCallError:
            self._figures.counts["mutations that cannot be written"] += 1
            return
        items, others = self._walker.tokeniser.items(gold), self._walker.tokeniser.items(wrong)
        expected = first_difference(items, others)
        if mutation.inserted:
            beginning = b"".join(items[:expected]).decode()
            wrong = beginning + mutation.inserted + gold[len(beginning) :]
        if constraint is not None:
            self._compare(f"{case.name}, {mutation.kind}", constraint, wrong, expected)

    def _compare(self, name: str, constraint: mw.Constraint, wrong: str, expected: int) -> None:
        tokens = self._walker.tokeniser.encode(wrong)
        self._figures.counts["mutations"] += 1
        try:
            place = self._walker.walk(constraint, tokens)
        except (AssertionError, mw.MaskwrightError) as error:
            self._figures.problem("mutation failed", f"{name}: {error}")
            return
        if place.token == len(tokens):
            self._figures.problem("mutation accepted", f"{name}: {wrong!r}")
            return
        self._figures.counts["mutations rejected"] += 1
        if place.item == expected:
            self._figures.counts["mutations at the right place"] += 1
        else:
            shown = f"{self._shown(wrong, place)} instead of item {expected}"
            self._figures.problem("mutation elsewhere", f"{name}: {shown}")

    def _shown(self, text: str, place: Place) -> str:
        items = self._walker.tokeniser.items(text)
        before = b"".join(items[: place.item]).decode(errors="replace")
        after = b"".join(items[place.item :]).decode(errors="replace")
        return f"rejected at item {place.item}, after {before!r} before {after[:60]!r}"


def _written(calls: Sequence[Any]) -> list[dict[str, Any]]:
    return [{"name": call.name, "arguments": dict(call.arguments)} for call in calls]


def _percentiles(nanoseconds: Sequence[int]) -> dict[str, float]:
    if not nanoseconds:
        return {}
    values = np.percentile(nanoseconds, PERCENTILES) / 1000
    return {f"p{name:g}": round(float(value), 2) for name, value in zip(PERCENTILES, values, strict=True)}


def show(results: Sequence[Figures]) -> None:
    """Prints the table of families, and the first problem of each kind."""
    columns = [
        "format",
        "vocabulary",
        "cases",
        "not written",
        "refused",
        "gold accepted",
        "mutations",
        "rejected",
        "at the right place",
        "read right",
        "tokens/s",
        *(f"TBM p{percentile:g}" for percentile in PERCENTILES),
    ]
    rows = []
    for figures in results:
        counts, saved = figures.counts, figures.as_dict()
        mark = "*" if figures.stand_ins or not figures.family.is_own else ""
        rows.append(
            [
                figures.family.layout.name,
                figures.family.vocabulary + mark,
                counts["cases"],
                counts["cannot be written"],
                counts["refused"],
                f"{counts['gold accepted']}/{counts['gold']}",
                counts["mutations"],
                counts["mutations rejected"],
                counts["mutations at the right place"],
                f"{counts['read right']}/{counts['gold']}",
                saved["tokens per second"],
                *saved["TBM in microseconds"].values(),
            ]
        )
    print(table(columns, rows))
    print(
        "TBM in µs. * another family's vocabulary, or one without all special tokens: they take unused ids\n"
    )
    for figures in results:
        for kind, problems in figures.problems.items():
            print(f"{figures.family.layout.name}, {kind} ({figures.counts[kind]}): {problems[0][:400]}")
