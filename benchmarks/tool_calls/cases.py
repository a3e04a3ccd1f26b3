"""Tools on offer and the calls that answer, from BFCL, Seal-Tools and tau-bench.

Only calls that `jsonschema` finds valid under their own tool's schema make a case: a gold call that is not is
a fault of the corpus, and is counted. Schemas are closed at the outermost object, as a tool's description
says all that it takes.
"""

from __future__ import annotations

import functools
import itertools
import json
import lzma
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.shared_data import data_file
from benchmarks.suite.corpora import bfcl_entries, json_schema_of, stored_lines

__all__ = [
    "CORPORA",
    "Call",
    "Corpus",
    "ToolCase",
    "closed",
    "draw",
    "inferred_schema",
    "load_corpus",
    "prose_of_transcripts",
    "shuffled",
]

SEAL_DISTRACTORS = 7
"""So many tools are offered in a case of Seal-Tools beside those that are called."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool.

    Attributes:
        name: the tool.
        arguments: its arguments.
    """

    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolCase:
    """Tools on offer, and calls that are valid.

    Attributes:
        name: of the case.
        tools: in OpenAI's chat form.
        calls: in their order; at least one.
        content: what the model says before them.
    """

    name: str
    tools: Sequence[Mapping[str, Any]]
    calls: Sequence[Call]
    content: str = ""

    def parameters(self, name: str) -> Mapping[str, Any]:
        """The schema of a tool's arguments."""
        functions = (tool["function"] for tool in self.tools)
        return next(function["parameters"] for function in functions if function["name"] == name)


@dataclass(slots=True)
class Corpus:
    """The cases of a corpus.

    Attributes:
        cases: those that are valid.
        left_out: how many entries are no case, by reason.
    """

    cases: list[ToolCase] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)


_Entry = tuple[str, list[dict[str, Any]], list[dict[str, Any]]]
"""A name, tools and calls, as :func:`bfcl_entries` gives them."""

_BFCL_KINDS = (
    "simple_python",
    "multiple",
    "parallel",
    "parallel_multiple",
    "simple_java",
    "simple_javascript",
)


@functools.cache
def load_corpus(name: str) -> Corpus:
    """Reads a corpus of :data:`CORPORA`; once."""
    corpus = Corpus()
    sentences = itertools.cycle(_sentences())
    for number, (case_name, tools, calls) in enumerate(CORPORA[name]()):
        offered = [{"type": "function", "function": tool} for tool in tools]
        problem = _problem(tools, calls)
        if problem:
            corpus.left_out[problem] += 1
            continue
        content = next(sentences) if number % 2 else ""
        made = tuple(Call(call["name"], call["arguments"]) for call in calls)
        corpus.cases.append(ToolCase(case_name, offered, made, content))
    return corpus


def draw(corpus: Corpus, sample: int | None, seed: int) -> list[ToolCase]:
    """Cases drawn by chance; all of them, in their order, without a number."""
    if sample is None or sample >= len(corpus.cases):
        return list(corpus.cases)
    return shuffled(corpus.cases, seed)[:sample]


def shuffled(cases: Sequence[ToolCase], seed: int) -> list[ToolCase]:
    """Cases in an order by chance."""
    return random.Random(seed).sample(cases, len(cases))


def closed(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema whose outermost object has no other properties than those it names."""
    made = {"type": "object", **schema}
    if "properties" in schema:
        made.setdefault("additionalProperties", False)
    return made


def _problem(tools: Sequence[Mapping[str, Any]], calls: Sequence[Mapping[str, Any]]) -> str:
    """Why an entry is no case; an empty string if it is one."""
    if not calls:
        return "no call"
    for call in calls:
        known = [tool for tool in tools if tool["name"] == call["name"]]
        if not known:
            return "the call is of no tool on offer"
        if not _validator(json.dumps(known[0]["parameters"])).is_valid(call["arguments"]):
            return "the arguments are not valid under the tool's schema"
    return ""


@functools.cache
def _validator(schema: str) -> Any:
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - an optional package

    return Draft202012Validator(closed(json.loads(schema)))


def _bfcl() -> Iterator[_Entry]:
    for kind in _BFCL_KINDS:
        yield from bfcl_entries(kind)


def _seal() -> Iterator[_Entry]:
    """Development tasks of Seal-Tools; besides the tools that are called, some others are on offer."""
    tools = {
        tool["api_name"]: _seal_tool(tool) for tool in stored_lines("seal-tools-dev.tar.xz", "tool.jsonl")
    }
    names = list(tools)
    for entry in stored_lines("seal-tools-dev.tar.xz", "dev.jsonl"):
        calls = [{"name": call["api"], "arguments": call["parameters"]} for call in entry["calling"]]
        called = [call["name"] for call in calls]
        others = random.Random(entry["id"]).sample(names, SEAL_DISTRACTORS)
        offered = dict.fromkeys(called + others)
        yield entry["id"], [tools[name] for name in offered if name in tools], calls


def _seal_tool(tool: Mapping[str, Any]) -> dict[str, Any]:
    parameters = {name: json_schema_of(schema) for name, schema in tool["parameters"].items()}
    schema = {"type": "object", "properties": parameters, "required": tool["required"]}
    return {"name": tool["api_name"], "description": tool["api_description"], "parameters": schema}


def _tau() -> Iterator[_Entry]:
    """Messages of transcripts that call a tool. The schemas are not given, but inferred from all calls."""
    calls = [
        (f"{transcript['task_id']}-{transcript['trial']}-{number}", _transcript_call(call))
        for transcript in _transcripts()
        for number, message in enumerate(transcript["traj"])
        for call in message.get("tool_calls") or []
    ]
    arguments: dict[str, list[Any]] = {}
    for _, call in calls:
        arguments.setdefault(call["name"], []).append(call["arguments"])
    tools = [
        {"name": name, "description": "", "parameters": inferred_schema(values)}
        for name, values in arguments.items()
    ]
    for name, call in calls:
        yield name, tools, [call]


def _transcript_call(call: Mapping[str, Any]) -> dict[str, Any]:
    function = call["function"]
    return {"name": function["name"], "arguments": json.loads(function["arguments"])}


@functools.cache
def _transcripts() -> list[dict[str, Any]]:
    with lzma.open(data_file("tau-bench-airline-trajectories.json.xz"), "rt", encoding="utf-8") as stored:
        transcripts: list[dict[str, Any]] = json.load(stored)
    return transcripts


def inferred_schema(values: Sequence[Any]) -> dict[str, Any]:
    """A schema under which some values are valid: their types, their members, and those that all have.

    Example:
        >>> inferred_schema([{"a": 1}, {"a": 2, "b": "x"}])["required"]
        ['a']
    """
    schema: dict[str, Any] = {"type": sorted({_type(value) for value in values})}
    if len(schema["type"]) == 1:
        schema["type"] = schema["type"][0]
    objects = [value for value in values if isinstance(value, dict)]
    if objects:
        names = dict.fromkeys(name for value in objects for name in value)
        schema["properties"] = {
            name: inferred_schema([value[name] for value in objects if name in value]) for name in names
        }
        schema["required"] = [name for name in names if all(name in value for value in objects)]
        schema["additionalProperties"] = False
    items = [item for value in values if isinstance(value, list) for item in value]
    if items:
        schema["items"] = inferred_schema(items)
    return schema


def _type(value: Any) -> str:
    match value:
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case dict():
            return "object"
        case _:
            return "null"


def prose_of_transcripts() -> Iterator[str]:
    """What assistants say in tau-bench, in the order of the transcripts, without repetitions."""
    said = (
        message["content"]
        for transcript in _transcripts()
        for message in transcript["traj"]
        if message["role"] == "assistant" and message.get("content")
    )
    yield from dict.fromkeys(said)


def _sentences() -> list[str]:
    """Some first sentences of assistants, to stand before calls."""
    firsts = (text.split("\n")[0].strip() for text in prose_of_transcripts())
    return list(itertools.islice((text for text in firsts if 10 < len(text) < 160), 64))


CORPORA: Mapping[str, Callable[[], Iterator[_Entry]]] = {"bfcl": _bfcl, "seal": _seal, "tau": _tau}
"""The corpora by name."""
