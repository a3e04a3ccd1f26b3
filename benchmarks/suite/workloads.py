"""The workloads by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import maskwright as mw
from benchmarks.engines import Spec
from benchmarks.shared_data import token_table
from benchmarks.suite import corpora
from benchmarks.suite.batches import run_batches
from benchmarks.suite.case import Case
from benchmarks.suite.growth import run_growth
from benchmarks.suite.memory import run_memory
from benchmarks.suite.report import about, figures, show
from benchmarks.suite.rounds import Options, run_cases

__all__ = ["WORKLOADS", "Choice", "Workload"]


@dataclass(frozen=True, slots=True)
class Choice:
    """What is asked of a workload.

    Attributes:
        sample: how many cases; None for the workload's own number.
        seed: of the sample.
        whitespace: ``"free"`` or ``"fixed"``.
        cache: ``"cold"``: engines forget all grammars before each case. ``"run"``: they keep what they will,
            and each grammar comes once. ``"warm"``: besides, the other half of the sample has run before.
        prefill: the pause between compiling and the first mask, in seconds.
        between: how many bytes of other memory are read between two masks.
        threads: on how many threads batches run, one number after the other.
    """

    sample: int | None
    seed: int
    whitespace: str
    cache: str
    prefill: float = 0.0
    between: int = 0
    threads: Sequence[int] = (1, 2)


@dataclass(frozen=True, slots=True)
class Workload:
    """Runs and prints, and returns what is saved.

    Attributes:
        about: what it is, in a few words.
        run: does it.
        options: those of the command line that mean something to it, beside those that all have.
    """

    about: str
    run: Callable[[Options, Choice], dict[str, Any]]
    options: frozenset[str]


def _masks(
    cases: Sequence[Case], options: Options, choice: Choice, label: str, *, first: int = 0
) -> dict[str, Any]:
    """Times the masks of all cases but the first so many, which run before, with caches as chosen."""
    cold = choice.cache == "cold"
    chosen = [replace(case, renew=cold, prefill=choice.prefill, between=choice.between) for case in cases]
    if choice.whitespace == "fixed":
        chosen = [case.with_whitespace_fixed() for case in chosen]
    run = run_cases(chosen[first:], options, first=chosen[:first], label=label)
    asked = {
        "whitespace": choice.whitespace,
        "cache": choice.cache,
        "prefill": choice.prefill,
        "between": choice.between,
        "sample": len(cases),
        "seed": choice.seed,
    }
    result = {**about(options, run.settings, label, **asked), **figures(run, options)}
    print(f"{label}, {choice.whitespace} white space, {choice.cache} cache, {options.vocabulary}\n")
    show(result)
    return result


def _maskbench(options: Options, choice: Choice) -> dict[str, Any]:
    encode = token_table(options.vocabulary).encode
    cases = corpora.maskbench_cases(encode, sample=choice.sample or 500, seed=choice.seed)
    return _masks(cases, options, choice, "maskbench", first=_rehearsed(cases, choice))


def _store(options: Options, choice: Choice) -> dict[str, Any]:
    encode = token_table(options.vocabulary).encode
    cases = corpora.store_cases(encode, sample=choice.sample or 200, seed=choice.seed)
    return _masks(cases, options, choice, "store", first=_rehearsed(cases, choice))


def _tools(options: Options, choice: Choice) -> dict[str, Any]:
    encode = token_table(options.vocabulary).encode
    cases = corpora.tool_cases(encode, sample=choice.sample or 120, seed=choice.seed)
    return _masks(cases, options, choice, "tools", first=_rehearsed(cases, choice))


def _rehearsed(cases: Sequence[Case], choice: Choice) -> int:
    """How many cases run before those that are timed: the half of them, for warm caches."""
    return len(cases) // 2 if choice.cache == "warm" else 0


def _gbnf(options: Options, choice: Choice) -> dict[str, Any]:
    encode = token_table(options.vocabulary).encode
    cases = corpora.gbnf_cases(encode, sample=choice.sample or 200, warm=choice.cache == "warm")
    return _masks(cases, options, choice, f"gbnf {choice.cache}")


def _programs(options: Options, choice: Choice) -> dict[str, Any]:
    cases = corpora.program_cases(token_table(options.vocabulary).encode)
    return _masks(cases, options, choice, "programs")


def _languages(options: Options, choice: Choice) -> dict[str, Any]:
    cases = corpora.language_cases(token_table(options.vocabulary).encode)
    return _masks(cases, options, choice, "languages")


def _patterns(options: Options, choice: Choice) -> dict[str, Any]:
    cases = corpora.pattern_cases(token_table(options.vocabulary).encode)
    return _masks(cases, options, choice, "patterns")


def _long(options: Options, choice: Choice) -> dict[str, Any]:
    return run_growth(options)


def _batch(options: Options, choice: Choice) -> dict[str, Any]:
    wanted = choice.sample or 64
    encode = token_table(options.vocabulary).encode
    cases = corpora.maskbench_cases(encode, sample=3 * wanted, seed=choice.seed)
    return run_batches(_kept(cases), options, wanted, choice.threads)


def _memory(options: Options, choice: Choice) -> dict[str, Any]:
    encode = token_table(options.vocabulary).encode
    cases = corpora.maskbench_cases(encode, sample=choice.sample or 1000, seed=choice.seed)
    return run_memory(_kept(cases), options)


def _kept(cases: Sequence[Case]) -> list[Case]:
    return [replace(case, renew=False) for case in cases]


VOCABULARIES = ("mistral_v1", "llama3", "gemma3")
"""32,000, 128,256 and 262,144 tokens."""


def _vocabularies(options: Options, choice: Choice) -> dict[str, Any]:
    smaller = replace(choice, sample=choice.sample or 50)
    results = {name: _maskbench(replace(options, vocabulary=name), smaller) for name in VOCABULARIES}
    return {**results["llama3"], "workload": "vocabularies", "vocabulary": VOCABULARIES, "results": results}


def ablation() -> list[Spec]:
    """All of maskwright's layers switched off, then one more on at a time, in the order of its settings."""
    names = [field.name for field in fields(mw.Settings) if isinstance(field.default, bool)]
    return [
        Spec(
            "maskwright", tuple((name, "on" if index < count else "off") for index, name in enumerate(names))
        )
        for count in range(len(names) + 1)
    ]


def _ablation(options: Options, choice: Choice) -> dict[str, Any]:
    return _maskbench(replace(options, engines=ablation()), replace(choice, sample=choice.sample or 12))


_OF_GRAMMARS = frozenset({"engines", "vocabulary", "sample", "cache", "prefill", "between", "repeat", "turn"})
_OF_SCHEMAS = _OF_GRAMMARS | {"seed", "whitespace"}
ALL_OPTIONS = _OF_SCHEMAS | {"threads"}
"""What some workloads pay heed to, and others do not."""

WORKLOADS = {
    "maskbench": Workload("JSON schemas of MaskBench", _maskbench, _OF_SCHEMAS),
    "store": Workload("JSON schemas of SchemaStore", _store, _OF_SCHEMAS),
    "tools": Workload("tool calls of BFCL", _tools, _OF_SCHEMAS),
    "gbnf": Workload("JSON by llama.cpp's json.gbnf", _gbnf, _OF_GRAMMARS),
    "programs": Workload(
        "C and sums by grammars of llama.cpp", _programs, _OF_GRAMMARS - {"sample", "cache"}
    ),
    "languages": Workload(
        "SQL, HTML and others by grammars as users write them", _languages, _OF_GRAMMARS - {"sample", "cache"}
    ),
    "patterns": Workload(
        "strings with patterns, many of which count", _patterns, _OF_SCHEMAS - {"sample", "seed", "cache"}
    ),
    "long": Workload("documents of 10,000 tokens", _long, frozenset({"engines", "vocabulary"})),
    "batch": Workload(
        "64 and 512 sequences at once, on 1 and 2 threads, or those of --threads",
        _batch,
        frozenset({"engines", "vocabulary", "sample", "seed", "threads"}),
    ),
    "memory": Workload(
        "resident memory as constraints are kept",
        _memory,
        frozenset({"engines", "vocabulary", "sample", "seed"}),
    ),
    "vocabularies": Workload(
        "MaskBench on 32k, 128k and 256k tokens", _vocabularies, _OF_SCHEMAS - {"vocabulary"}
    ),
    "ablation": Workload(
        "MaskBench with layers of maskwright switched off", _ablation, _OF_SCHEMAS - {"engines"}
    ),
}
