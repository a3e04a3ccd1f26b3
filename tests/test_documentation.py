"""Every Python example of the documentation runs, page by page, in a folder with a tokeniser."""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
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


def written_by(processor: Any, vocabulary: mw.Vocabulary, prompt: list[int]) -> bytes:
    """What a model writes that likes the last ids most, with a processor of llama-cpp-python."""
    written: list[int] = []
    while len(written) < 60:
        logits = np.arange(vocabulary.size, dtype=np.float32)
        logits[list(vocabulary.stop_ids)] += vocabulary.size
        chosen = int(processor(np.array(prompt + written, dtype=np.intc), logits).argmax())
        if chosen in vocabulary.stop_ids:
            break
        written.append(chosen)
    return vocabulary.decode(written)


def test_the_processors_for_engines_keep_to_the_grammar(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = TinyLlama().write_transformers(tmp_path / "model")
    monkeypatch.chdir(folder)
    vocabulary = mw.Vocabulary.from_file("tokenizer.json")
    names = stand_ins("engines.md", vocabulary)
    exec(compile("\n".join(PAGES["engines.md"]), "engines.md", "exec"), names)
    constraint = mw.Compiler(vocabulary).compile(mw.Grammar.regex("[a-e]{3}|f{70}"))
    text = written_by(names["Processor"](constraint), vocabulary, prompt=[0, 1])
    assert re.fullmatch("[a-e]{3}|f{60}", text.decode())
    schema = {"enum": [True, None]}

    vllm = names["Constrained"]()
    assert vllm.new_req_logits_processor(SimpleNamespace(extra_args=None)) is None
    with pytest.raises(ValueError, match="there is no type"):
        vllm.validate_params(SimpleNamespace(extra_args={"schema": {"type": "text"}}))
    asking = SimpleNamespace(extra_args={"schema": schema})
    vllm.validate_params(asking)
    guide = vllm.new_req_logits_processor(asking)
    assert written_by(guide, vocabulary, prompt=[]) in (b"true", b"null")

    class Request:
        """What a request of SGLang has."""

        output_ids: list[int]

    request = Request()

    def sglang(written: Any, logits: Any) -> Any:
        request.output_ids = written.tolist()
        params = {"schema": schema, "__req__": request}
        return names["ConstrainedRequests"]()(logits[np.newaxis], [params])[0]

    assert written_by(sglang, vocabulary, prompt=[]) in (b"true", b"null")


def public_members(name: str) -> set[str]:
    """A name of the package, and what a class of that name can do: its attributes, but for its fields."""
    thing = getattr(mw, name)
    if not inspect.isclass(thing) or issubclass(thing, Exception):
        return {name}
    fields = getattr(thing, "__dataclass_fields__", {})
    members = {member for member in dir(thing) if not member.startswith("_")} - fields.keys()
    return {name, *(f"{name}.{member}" for member in members)}


MODULES_OF_THE_INDEX = ("json_schema", "tool_calls", "structural_tag", "generation", "vocabulary")


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
