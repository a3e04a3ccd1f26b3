"""Every Python example of the documentation runs, page by page, in a folder with a tokeniser."""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
import weakref
from array import array
from collections.abc import Callable
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import maskwright as mw
from generation.tiny_llama import TinyLlama

ROOT = Path(__file__).resolve().parents[1]
PAGES = {
    page.name: re.findall(
        r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    for page in (ROOT / "README.md", *sorted(ROOT.glob("docs/*.md")))
}

SEQUENCES = {"serving.md": 8}
"""How many sequences the model of a page computes at once, if not one."""

SAID = {
    "README.md": "<tool_call>\n<function=get_weather>\n<parameter=city>\nRome\n</parameter>\n</function>\n"
    "</tool_call>",
    "tool-calls.md": '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Rome"}}\n</tool_call>',
}
"""What the model of a page has written, in the format that the page is about."""


MODULES: dict[str, dict[str, Any]] = {
    "vllm.v1.sample.logits_processor": {"AdapterLogitsProcessor": type("AdapterLogitsProcessor", (), {})},
    "vllm.v1.worker.gpu.sample.logits_processor": {"LogitsProcessor": type("LogitsProcessor", (), {})},
    "sglang.srt.sampling.custom_logit_processor": {
        "CustomLogitProcessor": type("CustomLogitProcessor", (), {})
    },
}
"""What the examples import of engines, which no test installs: base classes, by modules."""


@pytest.fixture(autouse=True)
def engines(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, content in MODULES.items():
        module = ModuleType(name)
        vars(module).update(content)
        monkeypatch.setitem(sys.modules, name, module)


def stand_ins(page: str, vocabulary: mw.Vocabulary) -> dict[str, Any]:
    """What the examples of a page leave to their readers, by its names."""
    token_of = {vocabulary.token_bytes(token_id): token_id for token_id in range(vocabulary.size)}
    # The model likes to end whatever it is in the middle of.
    liked = np.zeros(vocabulary.size, dtype=np.float32)
    liked[token_of[b"}"]], liked[token_of[b'"']], liked[list(vocabulary.stop_ids)] = 1, 2, 3
    text = SAID.get(page, "")
    person = {
        "type": "object",
        "properties": {"name": {"type": "string"}},
        "required": ["name"],
        "additionalProperties": False,
    }
    parameters = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    return {
        "mw": mw,
        "vocabulary": vocabulary,
        "compiler": mw.Compiler(vocabulary),
        "Person": person,
        "Answer": person,
        "tools": [{"type": "function", "function": {"name": "get_weather", "parameters": parameters}}],
        "model": lambda *_: np.tile(liked, (SEQUENCES.get(page, 1), 1)),
        "sample": lambda logits: int(np.argmax(logits)),
        "text": text,
        "generate": lambda: [token_of[bytes([byte])] for byte in text.encode()],
    }


@pytest.mark.parametrize("page", [page for page, examples in PAGES.items() if examples])
def test_the_examples_of_a_page_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = TinyLlama().write_transformers(tmp_path / "model")
    monkeypatch.chdir(folder)
    names = stand_ins(page, mw.Vocabulary.from_file("tokenizer.json"))
    for number, example in enumerate(PAGES[page], 1):
        exec(compile(example, f"{page}, example {number}", "exec"), names)


def test_the_logits_processor_keeps_beams_to_the_grammar(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = TinyLlama().write_transformers(tmp_path / "model")
    monkeypatch.chdir(folder)
    vocabulary = mw.Vocabulary.from_file("tokenizer.json")
    names = stand_ins("transformers.md", vocabulary)
    exec(compile("\n".join(PAGES["transformers.md"]), "transformers.md", "exec"), names)
    prompt, generator = [0, 1], np.random.default_rng(0)
    processor = names["Processor"](names["constraint"], len(prompt))
    rows = [prompt] * 3
    for _ in range(60):
        logits = generator.standard_normal((len(rows), vocabulary.size), dtype=np.float32)
        logits[:, [vocabulary.size - 1, *vocabulary.stop_ids]] += 3
        chosen = processor(np.array(rows), logits).argmax(axis=1)
        # As in beam search: two sequences go on from the first.
        origins = [0, 0, *range(2, len(rows))]
        rows = [[*rows[origin], int(token)] for origin, token in zip(origins, chosen[origins], strict=True)]
    for row in rows:
        matcher = names["constraint"].matcher()
        accepted = matcher.accept_tokens(row[len(prompt) :])
        assert accepted == len(row) - len(prompt) or matcher.is_finished


def test_the_logits_processor_ends_what_was_forced_beside_the_mask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So it does with a draft that does not fit, beside which other drafts and texts go on."""
    monkeypatch.chdir(TinyLlama().write_transformers(tmp_path / "model"))
    vocabulary = mw.Vocabulary.from_file("tokenizer.json")
    names = stand_ins("transformers.md", vocabulary)
    exec(compile("\n".join(PAGES["transformers.md"]), "transformers.md", "exec"), names)
    token_of = {vocabulary.token_bytes(token_id): token_id for token_id in range(vocabulary.size)}
    a, b, c = (token_of[character] for character in (b"a", b"b", b"c"))
    processor = names["Processor"](mw.Compiler(vocabulary).compile(mw.Grammar.regex("abc")), 0)
    ends = set(vocabulary.stop_ids)
    for written, allowed in (
        ([[a], [c]], [{b}, ends]),
        ([[a, b], [c, a]], [{c}, ends]),
        ([[a, b, b], [c, a, b]], [ends, ends]),
        ([[a, b, c], [a, b, a]], [ends, ends]),
        ([[a, b, c, min(ends), a], [a] * 5], [set(range(vocabulary.size)), ends]),
    ):
        scores = processor(np.array(written), np.zeros((2, vocabulary.size), dtype=np.float32))
        assert [set(np.flatnonzero(np.isfinite(row))) for row in scores] == allowed


SCHEMA = '{"enum": [true, null]}'


@pytest.fixture
def engine_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the examples for engines define."""
    monkeypatch.chdir(TinyLlama().write_transformers(tmp_path / "model"))
    names = stand_ins("engines.md", mw.Vocabulary.from_file("tokenizer.json"))
    exec(compile("\n".join(PAGES["engines.md"]), "engines.md", "exec"), names)
    return names


def liked_logits(vocabulary: mw.Vocabulary) -> Any:
    """The logits of a model that likes stop tokens most, and then the last ids."""
    logits = np.arange(vocabulary.size, dtype=np.float32)
    logits[list(vocabulary.stop_ids)] += vocabulary.size
    return logits


def written_by(step: Callable[[list[int], Any], Any], vocabulary: mw.Vocabulary) -> bytes:
    """What is written with a step that is handed what has been written and the logits of the next token."""
    written: list[int] = []
    while len(written) < 60:
        chosen = int(step(written, liked_logits(vocabulary)).argmax())
        if chosen in vocabulary.stop_ids:
            break
        written.append(chosen)
    return vocabulary.decode(written)


def test_the_processor_for_llama_cpp_keeps_to_the_grammar(engine_names: dict[str, Any]) -> None:
    """It is handed a column of a table, which is not contiguous, and its result is written back there."""
    vocabulary = engine_names["vocabulary"]
    constraint = mw.Compiler(vocabulary).compile(mw.Grammar.regex("[a-e]{3}|f{70}"))
    processor = engine_names["Processor"](constraint)
    table = np.recarray(vocabulary.size, dtype=[("id", np.intc), ("logit", np.single), ("p", np.single)])

    def step(written: list[int], logits: Any) -> Any:
        table.logit[:] = logits
        table.logit[:] = processor(np.array([0, 1, *written], dtype=np.intc), table.logit)
        return table.logit

    assert re.fullmatch("[a-e]{3}|f{60}", written_by(step, vocabulary).decode())
    assert processor.guide.error is None


def test_a_guide_ends_the_text_where_something_is_wrong(engine_names: dict[str, Any]) -> None:
    vocabulary = engine_names["vocabulary"]
    compiler = mw.Compiler(vocabulary)
    hurried = mw.Compiler(vocabulary, budget=mw.Budget(step_time=timedelta(microseconds=1)))
    token_of = {vocabulary.token_bytes(token_id): token_id for token_id in range(vocabulary.size)}
    a, b = token_of[b"a"], token_of[b"b"]
    nines = mw.Grammar.regex("a{9}")
    for constraint, written in (
        (compiler.compile(nines), [a, b]),  # a token that was not allowed
        (compiler.compile(nines), [vocabulary.size]),  # none of the vocabulary
        (hurried.compile(mw.Grammar.regex("(a|b|c){1,100}[a-z]{50}")), []),  # a step that takes too long
    ):
        guide = engine_names["Guide"](constraint)
        for _ in range(2):
            logits = guide(written, liked_logits(vocabulary))
            assert isinstance(guide.error, mw.MaskwrightError)
            assert set(np.flatnonzero(np.isfinite(logits))) == set(vocabulary.stop_ids)
    guide = engine_names["Guide"](compiler.compile(nines))
    guide([a, a], liked_logits(vocabulary))
    allowed = np.flatnonzero(np.isfinite(guide([], liked_logits(vocabulary))))  # the engine began anew
    assert guide.error is None
    assert a in allowed


def test_the_processors_for_vllm_keep_to_the_grammar(engine_names: dict[str, Any]) -> None:
    vocabulary = engine_names["COMPILER"].vocabulary
    asking, faulty, plain = (
        SimpleNamespace(extra_args=extra)
        for extra in ({"schema": SCHEMA}, {"schema": '{"type": "text"}'}, None)
    )
    for name in ("Constrained", "ConstrainedV1"):
        processor = engine_names[name]
        with pytest.raises(ValueError, match="there is no type"):
            processor.validate_params(faulty)
        processor.validate_params(asking)
        processor.validate_params(plain)

    adapter = engine_names["ConstrainedV1"]()
    assert adapter.new_req_logits_processor(plain) is None
    assert written_by(adapter.new_req_logits_processor(asking), vocabulary) in (b"true", b"null")

    def column(values: Any) -> Any:
        return SimpleNamespace(np=values, gpu=values)

    prompt, slots = [7, 7, 7], 3
    states = SimpleNamespace(
        all_token_ids=column(np.zeros((slots, 100), dtype=np.int32)),
        prompt_len=column(np.zeros(slots, dtype=np.int32)),
        total_len=column(np.zeros(slots, dtype=np.int32)),
    )
    with pytest.raises(ValueError, match="drafts"):
        engine_names["Constrained"](SimpleNamespace(speculative_config={}), states)
    batch = engine_names["Constrained"](SimpleNamespace(speculative_config=None), states)
    for slot, params in ((2, asking), (0, plain)):
        assert batch.add_request(slot, params) == (params is asking)
        states.prompt_len.np[slot] = len(prompt)

    def step(written: list[int], logits: Any) -> Any:
        tokens = [*prompt, *written]
        states.all_token_ids.gpu[2, : len(tokens)] = tokens
        states.total_len.gpu[2] = len(tokens)
        both = batch.apply(np.stack([logits, logits]), SimpleNamespace(idx_mapping_np=np.array([0, 2])))
        assert (both[0] == logits).all()  # of the request that asks for nothing
        return both[1]

    assert written_by(step, vocabulary) in (b"true", b"null")
    assert batch.add_request(2, plain) is False
    assert np.isfinite(step([], liked_logits(vocabulary))).all()


def test_the_processor_for_sglang_keeps_to_the_grammar(engine_names: dict[str, Any]) -> None:
    """It is handed a weak proxy of the request, whose output is an array, and is made anew for each batch."""
    vocabulary = engine_names["COMPILER"].vocabulary

    class Request:
        output_ids: array[int]

    def written_with(schema: Any) -> bytes:
        request = Request()
        params = {"schema": schema, "__req__": weakref.proxy(request)}

        def step(written: list[int], logits: Any) -> Any:
            request.output_ids = array("q", written)
            rows = np.stack([logits] * 3)
            return engine_names["ConstrainedRequests"]()(rows, [None, params, {"other": 1}])[1]

        return written_by(step, vocabulary)

    assert written_with(SCHEMA) in (b"true", b"null")
    assert written_with('{"type": "text"}') == b""
    assert written_with(5) == b""


def test_the_processor_for_tensorrt_llm_keeps_to_the_grammar(engine_names: dict[str, Any]) -> None:
    vocabulary = engine_names["COMPILER"].vocabulary
    guide = engine_names["ScheduledGuide"](SCHEMA)

    def step(written: list[int], logits: Any) -> Any:
        rows = logits.reshape(1, 1, -1)
        guide(1, rows, [[7, 7, *written]], None, None)
        return rows[0, 0]

    assert written_by(step, vocabulary) in (b"true", b"null")


def public_members(name: str) -> set[str]:
    """A name of the package, and what a class of that name can do: its attributes, but for its fields."""
    thing = getattr(mw, name)
    if not inspect.isclass(thing) or issubclass(thing, Exception):
        return {name}
    fields = getattr(thing, "__dataclass_fields__", {})
    members = {member for member in dir(thing) if not member.startswith("_")} - fields.keys()
    return {name, *(f"{name}.{member}" for member in members)}


MODULES_OF_THE_INDEX = ("json_schema", "tool_calls", "structural_tag", "generation", "tools", "vocabulary")


def test_the_index_lists_every_public_name() -> None:
    page = (ROOT / "docs/api.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `([\w.]+)` \| .{3,} \|$", page, re.MULTILINE)
    public = set().union(*map(public_members, mw.__all__))
    for module_name in MODULES_OF_THE_INDEX:
        module = import_module(f"maskwright.{module_name}")
        others = {name for name in module.__all__ if getattr(module, name) is not getattr(mw, name, None)}
        public |= {f"{module_name}.{name}" for name in others}
    assert sorted(listed) == sorted(public)
    for field in (*dataclasses.fields(mw.Budget), *dataclasses.fields(mw.Settings)):
        assert f"`{field.name}`" in page


def test_pages_have_examples() -> None:
    assert sum(map(len, PAGES.values())) > 10
