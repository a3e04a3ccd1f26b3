"""Cases from the test data: MaskBench, SchemaStore, JSON and programs by GBNF, patterns, tool calls."""

from __future__ import annotations

import io
import json
import lzma
import random
import tarfile
import tomllib
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.engines import Source
from benchmarks.json_schema.store_data import ARCHIVE, read_store
from benchmarks.shared_data import data_file, json_documents
from benchmarks.suite.case import Case, Text
from benchmarks.suite.declared_order import in_declared_order

__all__ = [
    "Encode",
    "bfcl_entries",
    "document_text",
    "gbnf_cases",
    "json_schema_of",
    "language_cases",
    "maskbench_cases",
    "pattern_cases",
    "program_cases",
    "store_cases",
    "stored_lines",
    "tool_cases",
]

Encode = Callable[[str], list[int]]


def document_text(value: Any) -> str:
    """The JSON text of a value, as ``json.dumps`` lays it out; lone surrogates stay escaped."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value)
    return text


def maskbench_cases(encode: Encode, *, sample: int | None, seed: int) -> list[Case]:
    """Cases of MaskBench that have a test, drawn by chance."""
    with lzma.open(data_file("maskbench-dev.jsonl.xz"), "rt", encoding="utf-8") as lines:
        entries = [entry for entry in map(json.loads, lines) if entry["tests"]]
    random.Random(seed).shuffle(entries)
    return [
        Case(
            entry["id"],
            Source("json_schema", json.dumps(entry["schema"])),
            [Text(encode(document_text(test["data"])), test["valid"]) for test in entry["tests"]],
        )
        for entry in entries[:sample]
    ]


def store_cases(encode: Encode, *, sample: int | None, seed: int) -> list[Case]:
    """Schemas of SchemaStore, drawn by chance, with up to six of their documents in JSON.

    Each names its draft and refers to no other document, since engines take no second one. Members stand in
    the order of the schema. Documents of more than 2,000 tokens are left out: a few would be most of all
    steps.
    """
    store = read_store(data_file(ARCHIVE))
    cases = []
    for schema in filter(store.stands_alone, store.schemas.values()):
        root = json.loads(schema.text)
        written = (document for document in schema.documents if document.path.endswith(".json"))
        texts = []
        for document in islice(written, 6):
            value = in_declared_order(json.loads(document.text), root, root)
            texts.append(Text(encode(document_text(value)), document.valid))
        short = [text for text in texts if len(text.tokens) <= 2_000]
        if short and "$schema" in root:
            cases.append(Case(schema.name, Source("json_schema", schema.text), short))
    random.Random(seed).shuffle(cases)
    return cases[:sample]


def gbnf_cases(encode: Encode, *, sample: int, warm: bool) -> list[Case]:
    """JSON documents under llama.cpp's ``json.gbnf``: each in a grammar of its own, or warm in one grammar.

    They are the first of MaskBench. Documents in which a number takes more than 12 characters or has an
    exponent are left out: the grammar takes up to 16 digits, and of exponents not every one.
    """
    source = Source("gbnf", data_file("grammars/json.gbnf").read_text(encoding="utf-8"))
    texts: list[Text] = []
    for document in json_documents():
        if len(texts) == sample:
            break
        if not _has_long_number(json.loads(document)):
            texts.append(Text(encode(document), True))
    if warm:
        return [Case("json.gbnf, warm", source, texts, rehearsals=1)]
    return [Case(f"json.gbnf {index}", source, [text]) for index, text in enumerate(texts)]


def program_cases(encode: Encode) -> list[Case]:
    """Programs and sums under grammars of llama.cpp, from ``programs.toml``: each in a grammar of its own."""
    programs = tomllib.loads(Path(__file__).with_name("programs.toml").read_text(encoding="utf-8"))
    return [
        Case(
            f"{name} {index}",
            Source("gbnf", data_file(f"grammars/{name}").read_text(encoding="utf-8")),
            [text],
        )
        for name, written in programs.items()
        for index, text in enumerate(Text(encode(each), True) for each in written["texts"])
    ]


def language_cases(encode: Encode) -> list[Case]:
    """Texts under grammars as users write them, from ``languages.toml``."""
    languages = tomllib.loads(Path(__file__).with_name("languages.toml").read_text(encoding="utf-8"))
    return [
        Case(
            name, Source("gbnf", written["grammar"]), [Text(encode(text), True) for text in written["texts"]]
        )
        for name, written in languages.items()
    ]


def pattern_cases(encode: Encode) -> list[Case]:
    """Strings under patterns, from ``patterns.toml``: a schema for each pattern, with one member."""
    written = tomllib.loads(Path(__file__).with_name("patterns.toml").read_text(encoding="utf-8"))
    return [
        Case(
            each["pattern"],
            Source("json_schema", json.dumps(_with_pattern(each["pattern"]))),
            [Text(encode(document_text({"text": text})), True) for text in each["texts"]],
        )
        for each in written["patterns"]
    ]


def _with_pattern(pattern: str) -> dict[str, Any]:
    properties = {"text": {"type": "string", "pattern": pattern}}
    return {"type": "object", "properties": properties, "required": ["text"], "additionalProperties": False}


def _has_long_number(value: Any) -> bool:
    match value:
        case bool() | str() | None:
            return False
        case int() | float():
            return len(json.dumps(value)) > 12 or "e" in json.dumps(value)
        case dict():
            return any(map(_has_long_number, value.values()))
        case _:
            return any(map(_has_long_number, value))


_TYPES = {
    "dict": "object",
    "HashMap": "object",
    "float": "number",
    "double": "number",
    "long": "integer",
    "tuple": "array",
    "Array": "array",
    "ArrayList": "array",
    "String": "string",
    "char": "string",
    "Boolean": "boolean",
    "str": "string",
    "int": "integer",
    "bool": "boolean",
}
_KINDS = ("simple_python", "multiple", "parallel", "parallel_multiple")


def tool_cases(encode: Encode, *, sample: int | None, seed: int) -> list[Case]:
    """Calls of BFCL: the schema is an array of calls of the tools on offer, the text is the gold answer."""
    entries = [entry for kind in _KINDS for entry in _tool_entries(kind)]
    random.Random(seed).shuffle(entries)
    return [
        Case(name, Source("json_schema", json.dumps(schema)), [Text(encode(document_text(calls)), True)])
        for name, schema, calls in entries[:sample]
    ]


def _tool_entries(kind: str) -> Iterator[tuple[str, Any, Any]]:
    for name, tools, calls in bfcl_entries(kind):
        offered = [_call_schema(tool["name"], tool["parameters"]) for tool in tools]
        yield name, {"type": "array", "items": {"anyOf": offered}}, calls


def bfcl_entries(kind: str) -> Iterator[tuple[str, list[dict[str, Any]], list[dict[str, Any]]]]:
    """Tasks of BFCL: an identifier, the tools on offer, and the gold calls.

    A tool has ``name``, ``description`` and ``parameters``, a JSON Schema; a call ``name`` and ``arguments``.
    """
    questions = stored_lines("bfcl-non-live.tar.xz", f"BFCL_v4_{kind}.json")
    answers = stored_lines("bfcl-non-live.tar.xz", f"possible_answer/BFCL_v4_{kind}.json")
    gold = {answer["id"]: answer["ground_truth"] for answer in answers}
    for question in questions:
        tools = {
            tool["name"]: {
                "name": tool["name"],
                "description": tool["description"],
                "parameters": json_schema_of(tool["parameters"]),
            }
            for tool in question["function"]
        }
        calls = [
            {"name": name, "arguments": _gold_arguments(arguments, tools[name]["parameters"])}
            for call in gold[question["id"]]
            for name, arguments in call.items()
        ]
        yield question["id"], list(tools.values()), calls


def _call_schema(name: str, parameters: Any) -> Any:
    return {
        "type": "object",
        "properties": {"name": {"const": name}, "arguments": parameters},
        "required": ["name", "arguments"],
        "additionalProperties": False,
    }


def stored_lines(archive: str, name: str) -> list[Any]:
    """The lines of a JSON Lines file in an archive of the test data."""
    with tarfile.open(data_file(archive)) as stored:
        member = next(member for member in stored if member.name.removeprefix("./") == name)
        content = stored.extractfile(member)
        lines = io.TextIOWrapper(content, encoding="utf-8") if content else io.StringIO()
        return [json.loads(line) for line in lines if line.strip()]


def json_schema_of(schema: Any) -> Any:
    """A schema in Python's types, or Java's, as a JSON Schema."""
    if isinstance(schema, list):
        return [json_schema_of(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    made: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "type" and isinstance(value, str):
            if value not in ("any", ""):
                made[key] = _TYPES.get(value, value)
        elif key in ("properties", "items", "additionalProperties", "required", "enum", "description"):
            made[key] = (
                {name: json_schema_of(item) for name, item in value.items()}
                if key == "properties"
                else json_schema_of(value)
            )
    return made


def _gold_arguments(arguments: Any, schema: Any) -> Any:
    """The first acceptable value of each argument, in the schema's order; those that may be missing are."""
    properties = schema.get("properties", {})
    chosen = {name: values[0] for name, values in arguments.items() if values and values[0] != ""}
    known = [name for name in properties if name in chosen]
    return {
        name: _fitting(chosen[name], properties.get(name, {}))
        for name in known + [name for name in chosen if name not in properties]
    }


def _fitting(value: Any, schema: Any) -> Any:
    """A gold value with the lists of alternatives inside objects resolved too."""
    if isinstance(value, dict):
        return (
            _gold_arguments(value, schema)
            if all(isinstance(item, list) for item in value.values())
            else value
        )
    if isinstance(value, list):
        return [_fitting(item, schema.get("items", {})) for item in value]
    return value
