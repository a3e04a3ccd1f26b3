"""Many tools at once: the first mask, free text and calls, side by side with peers; and one tool more.

Every engine gets the same tools and the same texts, in the layout of Hermes: prose, and calls behind
``<tool_call>``.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Mapping, Sequence
from statistics import median
from time import perf_counter_ns
from typing import Any

import maskwright as mw
from benchmarks.engines import Source, call_marks
from benchmarks.shared_data import reference_vocabulary, token_table
from benchmarks.suite.case import Case, Text
from benchmarks.suite.corpora import Encode
from benchmarks.suite.report import PERCENTILES, about, figures, table
from benchmarks.suite.rounds import Options, Run, run_cases
from benchmarks.tool_calls.cases import ToolCase, closed, load_corpus, prose_of_transcripts, shuffled

__all__ = [
    "in_declared_order",
    "many_cases",
    "one_more",
    "ready_grammars",
    "run_many",
    "tools_and_cases",
]

PROSE_CHARACTERS = 40_000
CALLS_IN_A_TEXT = 4
CALL_TEXTS = 16
READY_RUNS = 15


def tools_and_cases(count: int, seed: int) -> tuple[list[dict[str, Any]], list[ToolCase]]:
    """So many tools that are called in Seal-Tools and, from a half on, BFCL; and cases that call only these.

    A tool has ``name``, ``description`` and ``parameters``, closed.
    """
    tools: dict[str, dict[str, Any]] = {}
    cases = []
    for corpus, share in (("seal", count // 2), ("bfcl", count)):
        for case in shuffled(load_corpus(corpus).cases, seed):
            called = {call.name for call in case.calls}
            if called & tools.keys() or len(tools) + len(called) > share:
                continue
            cases.append(case)
            for offered in case.tools:
                function = offered["function"]
                if function["name"] in called:
                    tools[function["name"]] = {**function, "parameters": closed(function["parameters"])}
    return list(tools.values()), cases


def many_cases(tools: Sequence[Mapping[str, Any]], cases: Sequence[ToolCase], encode: Encode) -> list[Case]:
    """Long prose without a call, and texts of some calls each; all with all tools, each in a fresh engine."""
    source = Source("tool_set", json.dumps(tools))
    prose = "\n\n".join(prose_of_transcripts())[:PROSE_CHARACTERS]
    schemas = {tool["name"]: tool["parameters"] for tool in tools}
    written = [
        written_call(call.name, in_declared_order(call.arguments, schemas[call.name]))
        for case in cases
        for call in case.calls
    ]
    starts = range(0, len(written), CALLS_IN_A_TEXT)
    texts = ["\n".join(written[start : start + CALLS_IN_A_TEXT]) for start in starts][:CALL_TEXTS]
    free = Case("free text", source, [Text(encode(prose), True)])
    return [
        free,
        *(Case(f"calls {number}", source, [Text(encode(text), True)]) for number, text in enumerate(texts)),
    ]


def written_call(name: str, arguments: Mapping[str, Any]) -> str:
    """A call in the layout that engines are given."""
    before, after = call_marks(name)
    return before + json.dumps(arguments, ensure_ascii=False) + after


def in_declared_order(value: Any, schema: Mapping[str, Any]) -> Any:
    """A value with the members of objects in the order in which the schema names them, as peers want them."""
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        names = [name for name in properties if name in value] + [
            name for name in value if name not in properties
        ]
        return {name: in_declared_order(value[name], properties.get(name, {})) for name in names}
    if isinstance(value, list):
        return [in_declared_order(item, schema.get("items", {})) for item in value]
    return value


def run_many(options: Options, count: int, seed: int) -> dict[str, Any]:
    """Runs all engines on so many tools, prints tables and returns what is saved."""
    tools, tool_cases = tools_and_cases(count, seed)
    size = sum(len(json.dumps(tool)) for tool in tools)
    print(f"{len(tools)} tools, {size:,} characters of descriptions, {options.vocabulary}\n")
    encode = token_table(options.vocabulary).encode
    vocabulary = reference_vocabulary(options.vocabulary)
    cases = many_cases(tools, tool_cases, encode)
    run = run_cases(cases, options, label="many")
    parts = {"free text": cases[:1], "inside calls": cases[1:]}
    results = {name: figures(_part(run, part), options) for name, part in parts.items()}
    for name, result in results.items():
        _show(name, result)
    ready = ready_grammars(tools, vocabulary)
    rows = [[name, f"{middle:.2f}", f"{least:.2f}"] for name, (middle, least) in ready.items()]
    print(table(["maskwright, from tools to the first mask, in ms", "median", "least"], rows))
    more = one_more(tools, tool_cases, vocabulary, encode)
    print(
        table(
            ["one tool more", "before", "again", "with one more"],
            [[key, *values] for key, values in more.items()],
        )
    )
    settings = about(options, run.settings, "many tools", tools=len(tools), characters=size, seed=seed)
    return {**settings, "results": results, "ready grammars": ready, "one tool more": more}


def _part(run: Run, cases: Sequence[Case]) -> Run:
    """What a run says of some of its cases."""
    places = [number for number, case in enumerate(run.cases) if case in cases]
    outcomes = {spec: [each[number] for number in places] for spec, each in run.outcomes.items()}
    return Run(list(cases), outcomes, run.settings)


def _show(name: str, result: Mapping[str, Any]) -> None:
    labels = [f"p{percentile:g}" if percentile < 100 else "max" for percentile in PERCENTILES]
    rows = []
    for engine, figure in result["results"].items():
        times = figure["microseconds"]
        right = f"{figure['cases'].get('right', 0)}/{result['cases']}"
        if "TBM" in times and "TTFM" in times:
            rows.append([engine, right, times["TTFM"][0], times["TTFM"][-1], *times["TBM"]])
        else:
            rows.append([engine, right, *[""] * (2 + len(labels))])
    print(table([f"{name}, µs", "right", "TTFM p50", "max", *(f"TBM {label}" for label in labels)], rows))
    for engine, figure in result["results"].items():
        for case, problem in list(figure["not right"].items())[:2]:
            print(f"{engine}, {case}: {problem}")


def ready_grammars(
    tools: Sequence[Mapping[str, Any]], vocabulary: mw.Vocabulary, *, runs: int = READY_RUNS
) -> dict[str, tuple[float, float]]:
    """Milliseconds to the first mask: from dicts, from tools that were used before, and from a ready grammar.

    Each run has a fresh compiler, made before the time begins. The median of all runs, and the least.
    """
    kept = mw.tools_from(tools)
    made = mw.ToolCalls(kept, "hermes", reasoning="off")
    made.grammar()
    makers = {
        "from dicts": lambda: mw.ToolCalls(tools, "hermes", reasoning="off"),
        "from tools used before": lambda: mw.ToolCalls(kept, "hermes", reasoning="off"),
        "from the grammar": lambda: made,
    }
    times: dict[str, list[float]] = {}
    gc.collect()
    gc.disable()
    try:
        for _ in range(runs):
            for name, make in makers.items():
                for part, value in _first_mask(make, vocabulary).items():
                    times.setdefault(f"{name}: {part}", []).append(value)
    finally:
        gc.enable()
    return {name: (round(median(values), 3), round(min(values), 3)) for name, values in times.items()}


def _first_mask(make: Callable[[], mw.ToolCalls], vocabulary: mw.Vocabulary) -> dict[str, float]:
    compiler = mw.Compiler(vocabulary)
    mask = mw.allocate_mask(1, vocabulary.size)
    start = perf_counter_ns()
    grammar = make().grammar()
    made = perf_counter_ns()
    constraint = compiler.compile(grammar)
    compiled = perf_counter_ns()
    constraint.matcher().fill_mask(mask, 0)
    end = perf_counter_ns()
    spans = {
        "grammar": made - start,
        "compile": compiled - made,
        "first mask": end - compiled,
        "all": end - start,
    }
    return {name: span / 1e6 for name, span in spans.items()}


def one_more(
    tools: Sequence[Mapping[str, Any]],
    cases: Sequence[ToolCase],
    vocabulary: mw.Vocabulary,
    encode: Encode,
) -> dict[str, tuple[float, float, float]]:
    """What the pool answers when one tool is added, which no text here calls.

    Calls of the other tools are replayed with all tools but the last, in an empty pool; again, for what the
    pool does not hold in any case; and then with all tools.

    Returns:
        Figures of the three runs: walks found in the pool and not, and milliseconds from tools to last mask.
    """
    compiler = mw.Compiler(vocabulary)
    last = tools[-1]["name"]
    texts = [
        encode("\n".join(written_call(call.name, call.arguments) for call in case.calls))
        for case in cases
        if all(call.name != last for call in case.calls)
    ]
    runs = [_replayed(compiler, mw.tools_from(given), texts) for given in (tools[:-1], tools[:-1], tools)]
    return {name: (runs[0][name], runs[1][name], runs[2][name]) for name in runs[0]}


def _replayed(
    compiler: mw.Compiler, tools: Sequence[mw.Tool], texts: Sequence[Sequence[int]]
) -> dict[str, float]:
    mask = mw.allocate_mask(1, compiler.vocabulary.size)
    known = compiler.pool_statistics()
    start = perf_counter_ns()
    constraint = compiler.compile(mw.ToolCalls(tools, "hermes", reasoning="off", order="any").grammar())
    rejected = 0
    for text in texts:
        matcher = constraint.matcher()
        matcher.fill_mask(mask, 0)
        for token in text:
            if not matcher.accept(token):
                rejected += 1
                break
            matcher.fill_mask(mask, 0)
    end = perf_counter_ns()
    found = compiler.pool_statistics()
    return {
        "walks found in the pool, whole": found.partial_hits - known.partial_hits,
        "walks found in the pool, from exits": found.perfect_hits - known.perfect_hits,
        "walks not found": found.misses - known.misses,
        "texts rejected": rejected,
        "ms, tools to last mask": round((end - start) / 1e6, 1),
    }
