"""The backends of ``examples/engines``, driven as the schedulers of vLLM and SGLang drive theirs.

The base classes are stand-ins with the members that the engines look at. Every bit of every mask is compared
with what another matcher accepts.
"""

from __future__ import annotations

import enum
import importlib
import random
import sys
from abc import ABCMeta, abstractmethod
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer

import maskwright as mw
from generation.tiny_llama import TinyLlama

FOLDER = Path(__file__).resolve().parents[1] / "examples/engines"
SCHEMA = (
    '{"type": "object", "properties": {"a": {"enum": [true, "hé"]}}, "required": ["a"], "maxProperties": 1}'
)
SLOW = "(a|b|c){1,100}[a-z]{50}"
PADDING = 40
"""So many logits more than there are tokens."""


def asking_for(*names: str) -> Any:
    """A base class whose subclasses have to have methods of these names."""
    return ABCMeta("Base", (), {name: abstractmethod(lambda self: None) for name in names})


VllmGrammar = asking_for(
    "accept_tokens", "validate_tokens", "rollback", "fill_bitmask", "is_terminated", "reset"
)


@dataclass
class VllmBackend(asking_for("compile_grammar", "allocate_token_bitmask", "destroy")):  # type: ignore[misc]
    """A backend of vLLM."""

    vllm_config: Any
    tokenizer: Any
    vocab_size: int


VllmOptions = enum.Enum("VllmOptions", "JSON JSON_OBJECT REGEX GRAMMAR CHOICE STRUCTURAL_TAG")


class SglangGrammar:
    """A grammar of SGLang."""

    def __init__(self) -> None:
        self.finished = False
        self.current_token: int | None = None


class SglangInvalid(SglangGrammar):
    """What SGLang refuses a request with."""

    def __init__(self, error_message: str) -> None:
        super().__init__()
        self.error_message = error_message


class SglangBackend:
    """A backend of SGLang, with what it keeps."""

    def __init__(self) -> None:
        self.cache: dict[tuple[str, str], Any] = {}

    def reset(self) -> None:
        """Forgets all grammars."""
        self.cache.clear()


@dataclass
class SglangReasoner:
    """A backend whose grammars begin behind the reasoning."""

    grammar_backend: Any
    reasoning_parser: Any
    tokenizer: Any


@dataclass
class SglangParser:
    """What tells where the reasoning ends."""

    model_type: str
    stream_reasoning: bool
    tokenizer: Any


@dataclass
class Engines:
    """What the stand-ins hold: what was registered, and how a server was started."""

    choices: list[str] = field(default_factory=list)
    backends: dict[str, Any] = field(default_factory=dict)
    speculative_algorithm: str | None = None
    reasoning_parser: str | None = None


@pytest.fixture
def engines(monkeypatch: pytest.MonkeyPatch) -> Engines:
    """Puts the stand-ins where the examples import from."""
    started = Engines()
    modules: dict[str, dict[str, Any]] = {
        "torch": {"Tensor": np.ndarray, "from_numpy": lambda array: array},
        "vllm.v1": {},
        "vllm.v1.structured_output": {},
        "vllm.v1.structured_output.backend_xgrammar": {},
        "vllm.v1.structured_output.backend_types": {
            "StructuredOutputBackend": VllmBackend,
            "StructuredOutputGrammar": VllmGrammar,
            "StructuredOutputOptions": VllmOptions,
        },
        "sglang.srt.arg_groups.choices": {"add_grammar_backend_choices": started.choices.extend},
        "sglang.srt.constrained.base_grammar_backend": {
            "BaseGrammarBackend": SglangBackend,
            "BaseGrammarObject": SglangGrammar,
            "InvalidGrammarObject": SglangInvalid,
            "register_grammar_backend": started.backends.__setitem__,
        },
        "sglang.srt.constrained.reasoner_grammar_backend": {"ReasonerGrammarBackend": SglangReasoner},
        "sglang.srt.parser.reasoning_parser": {"ReasoningParser": SglangParser},
        "sglang.srt.runtime_context": {"get_serving": lambda: started, "get_spec": lambda: started},
    }
    for name, content in modules.items():
        module = ModuleType(name)
        vars(module).update(content)
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.syspath_prepend(FOLDER)
    for name in ("vllm_backend", "sglang_backend"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return started


@pytest.fixture
def tokenizer(tmp_path: Path) -> Tokenizer:
    return Tokenizer.from_file(str(TinyLlama().write_transformers(tmp_path / "model") / "tokenizer.json"))


@pytest.fixture
def vocabulary(tokenizer: Tokenizer) -> mw.Vocabulary:
    """That of the model, whose stop token is ``<|im_end|>``."""
    size, stop_id = tokenizer.get_vocab_size() + PADDING, tokenizer.token_to_id("<|im_end|>")
    assert stop_id is not None
    return mw.Vocabulary.from_transformers(tokenizer, size=size, stop_ids=[stop_id])


def vllm_backend(tokenizer: Tokenizer, vocabulary: mw.Vocabulary, *, compact: bool = True) -> Any:
    config = SimpleNamespace(structured_outputs_config=SimpleNamespace(disable_any_whitespace=compact))
    module = importlib.import_module("vllm_backend")
    return module.MaskwrightBackend(config, tokenizer=tokenizer, vocab_size=vocabulary.size)


def allowed_by(reference: mw.Matcher, vocabulary: mw.Vocabulary) -> set[int]:
    """The tokens that a matcher accepts, each tried."""
    return {token for token in range(vocabulary.size) if reference.fork().accept(token)}


def bits(row: Any) -> set[int]:
    """The tokens that a row of a mask allows."""
    return set(np.flatnonzero(np.unpackbits(row.view(np.uint8), bitorder="little")).tolist())


def draft_for(reference: mw.Matcher, vocabulary: mw.Vocabulary, chance: random.Random) -> list[int]:
    """Some tokens that a draft model may guess: most are allowed, and at the end one may not be."""
    matcher, draft = reference.fork(), []
    for _ in range(chance.randrange(4)):
        choices = sorted(allowed_by(matcher, vocabulary)) or [0]
        wrong = chance.random() < 0.2
        draft.append(chance.randrange(vocabulary.size) if wrong else chance.choice(choices))
        if not matcher.accept(draft[-1]):
            break
    return draft


def sampled(row: Any, chance: random.Random) -> int:
    """A token that a mask allows."""
    return chance.choice(sorted(bits(row)))


def vllm_masks(grammar: Any, bitmask: Any, draft: list[int]) -> None:
    """Fills one row for each place of a draft and one behind it, as vLLM does, and goes back."""
    advanced = 0
    for row, token in enumerate([*draft, -1]):
        if grammar.is_terminated():
            bitmask[row] = -1
        else:
            grammar.fill_bitmask(bitmask, row)
            if token >= 0:
                assert grammar.accept_tokens("request", [token])
                advanced += 1
    if advanced:
        grammar.rollback(advanced)


def check_rows(bitmask: Any, reference: mw.Matcher, draft: list[int], vocabulary: mw.Vocabulary) -> None:
    matcher = reference.fork()
    for row in range(len(draft) + 1):
        if not matcher.is_finished:
            assert bits(bitmask[row]) == allowed_by(matcher, vocabulary)
        if row < len(draft):
            assert matcher.accept(draft[row])


@pytest.mark.usefixtures("engines")
def test_vllm_writes_texts_that_fit_with_drafts(tokenizer: Tokenizer, vocabulary: mw.Vocabulary) -> None:
    backend, chance = vllm_backend(tokenizer, vocabulary), random.Random(0)
    grammar = backend.compile_grammar(VllmOptions.JSON, SCHEMA, set(vocabulary.stop_ids))
    bitmask = backend.allocate_token_bitmask(4)
    constraint = mw.Compiler(vocabulary).compile(mw.Grammar.json_schema(SCHEMA, whitespace="compact"))
    texts = set()
    for _ in range(40):
        reference, written = constraint.matcher(), list[int]()
        while not reference.is_finished:
            guessed = draft_for(reference, vocabulary, chance)
            draft = grammar.validate_tokens(guessed)
            assert len(draft) == reference.validate(guessed)
            vllm_masks(grammar, bitmask, draft)
            check_rows(bitmask, reference, draft, vocabulary)
            new: list[int] = []
            for row, token in enumerate([*draft, -1]):  # the model rejects a draft where it samples another
                new.append(token if token >= 0 and chance.random() < 0.6 else sampled(bitmask[row], chance))
                if new[-1] != token or token in vocabulary.stop_ids:
                    break
            assert grammar.accept_tokens("request", new)
            assert reference.accept_tokens(new) == len(new)
            assert grammar.is_terminated() == reference.is_finished
            written += new
        assert grammar.accept_tokens("request", [0])  # behind the end nothing counts
        assert grammar.validate_tokens([0]) == []
        texts.add(vocabulary.decode(written[:-1]).decode())
        grammar.reset()
        assert not grammar.is_terminated()
    assert {'{"a":true}', '{"a":"hé"}'} <= texts


@pytest.mark.usefixtures("engines")
def test_vllm_compiles_every_kind_of_request_on_threads(
    tokenizer: Tokenizer, vocabulary: mw.Vocabulary
) -> None:
    backend, kinds = vllm_backend(tokenizer, vocabulary, compact=False), VllmOptions
    tag = '{"type": "structural_tag", "format": {"type": "const_string", "value": "a"}}'
    requests = [
        (kinds.JSON, SCHEMA, b'{ "a": true}'),
        (kinds.JSON_OBJECT, "", b'{"x": [1]}'),
        (kinds.REGEX, "a+", b"aa"),
        (kinds.CHOICE, '["yes", "no"]', b"no"),
        (kinds.GRAMMAR, 'root ::= "x"', b"x"),
        (kinds.STRUCTURAL_TAG, tag, b"a"),
    ] * 3
    stop_ids = set(vocabulary.stop_ids)
    with ThreadPoolExecutor(4) as executor:
        futures: list[Future[Any]] = [
            executor.submit(backend.compile_grammar, kind, spec, stop_ids) for kind, spec, _ in requests
        ]
        bitmask = backend.allocate_token_bitmask(len(requests))
        assert bitmask.shape == (len(requests), -(-vocabulary.size // 32))
        grammars = [future.result() for future in futures]
        list(executor.map(lambda row: grammars[row].fill_bitmask(bitmask, row), range(len(requests))))
    for row, (grammar, (_, _, text)) in enumerate(zip(grammars, requests, strict=True)):
        tokens = tokenizer.encode(text.decode(), add_special_tokens=False).ids
        assert tokens[0] in bits(bitmask[row])
        assert grammar.accept_tokens("request", [*tokens, *stop_ids])
        assert grammar.is_terminated()
    for kind, spec in [(kinds.JSON, '{"type": "text"}'), (kinds.REGEX, "("), (kinds.GRAMMAR, "start: x")]:
        with pytest.raises(mw.GrammarError):
            backend.compile_grammar(kind, spec, stop_ids)
    backend.destroy()


@pytest.mark.usefixtures("engines")
def test_vllm_ends_texts_at_the_stop_tokens_of_the_request(
    tokenizer: Tokenizer, vocabulary: mw.Vocabulary
) -> None:
    backend = vllm_backend(tokenizer, vocabulary)
    bitmask = backend.allocate_token_bitmask(1)
    start = tokenizer.token_to_id("<|im_start|>")
    for stop_ids in (set(vocabulary.stop_ids), {start, *vocabulary.stop_ids}):
        grammar = backend.compile_grammar(VllmOptions.REGEX, "a?", stop_ids)
        grammar.fill_bitmask(bitmask, 0)
        assert bits(bitmask[0]) - {tokenizer.token_to_id("a")} == stop_ids


@pytest.mark.usefixtures("engines")
def test_vllm_refuses_what_a_step_cannot_afford(
    tokenizer: Tokenizer, vocabulary: mw.Vocabulary, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = vllm_backend(tokenizer, vocabulary)
    hurried = mw.Budget(step_time=timedelta(microseconds=1))
    monkeypatch.setattr(sys.modules["vllm_backend"], "BUDGET", hurried)
    grammar = backend.compile_grammar(VllmOptions.REGEX, SLOW, set(vocabulary.stop_ids))
    bitmask = backend.allocate_token_bitmask(1)
    grammar.fill_bitmask(bitmask, 0)
    assert bits(bitmask[0]) == set(vocabulary.stop_ids)
    assert not grammar.is_terminated()
    assert not grammar.accept_tokens("request", list(vocabulary.stop_ids))
    assert grammar.validate_tokens([vocabulary.size]) == []
    assert not grammar.accept_tokens("request", [vocabulary.size])


@pytest.mark.usefixtures("engines")
def test_vllm_finds_the_backend_in_the_place_of_another() -> None:
    module = importlib.import_module("vllm_backend")
    module.register()
    assert sys.modules["vllm.v1.structured_output"].XgrammarBackend is module.MaskwrightBackend
    xgrammar = sys.modules["vllm.v1.structured_output.backend_xgrammar"]
    assert xgrammar.validate_xgrammar_grammar(None) is None


def sglang_backend(started: Engines, tokenizer: Tokenizer, vocabulary: mw.Vocabulary) -> Any:
    importlib.import_module("sglang_backend").register()
    assert started.choices == ["maskwright"]
    return started.backends["maskwright"](None, tokenizer, vocabulary.size, set(vocabulary.stop_ids))


@dataclass
class Node:
    """A token of a tree of drafts, the row of its mask, and what may follow."""

    token: int
    row: int
    children: list[Node] = field(default_factory=list)


def tree_of(drafts: list[list[int]]) -> tuple[Node, int]:
    """The drafts as one tree below the last token written, and how many rows it has."""
    root, rows = Node(-1, 0), 1
    for draft in drafts:
        node = root
        for token in draft:
            known = next((child for child in node.children if child.token == token), None)
            if known is None:
                known = Node(token, rows)
                node.children.append(known)
                rows += 1
            node = known
    return root, rows


def sglang_masks(grammar: Any, mask: Any, node: Node) -> None:
    """Fills the rows of a tree of drafts, as SGLang does: only below tokens that are allowed."""
    if grammar.is_terminated():
        return
    grammar.fill_vocab_mask(mask, node.row)
    for child in node.children:
        if child.token in bits(mask[node.row]):
            grammar.accept_token(child.token)
            sglang_masks(grammar, mask, child)
            grammar.rollback(1)


def check_tree(mask: Any, reference: mw.Matcher, node: Node, vocabulary: mw.Vocabulary) -> None:
    if not reference.is_finished:
        assert bits(mask[node.row]) == allowed_by(reference, vocabulary)
    for child in node.children:
        below = reference.fork()
        if below.accept(child.token):
            check_tree(mask, below, child, vocabulary)


def test_sglang_writes_texts_that_fit_with_trees_of_drafts(
    engines: Engines, tokenizer: Tokenizer, vocabulary: mw.Vocabulary
) -> None:
    engines.speculative_algorithm = "EAGLE"
    backend, chance = sglang_backend(engines, tokenizer, vocabulary), random.Random(0)
    kept = backend.dispatch_json(SCHEMA)
    schema = mw.Grammar.json_schema(SCHEMA)
    constraint = mw.Compiler(vocabulary).compile(schema)
    for _ in range(20):
        grammar, reference, written = kept.copy(), constraint.matcher(), list[int]()
        while not grammar.is_terminated():
            root, rows = tree_of([draft_for(reference, vocabulary, chance) for _ in range(3)])
            mask = grammar.allocate_vocab_mask(vocabulary.size, rows, "cpu")
            assert mask.shape == (rows, -(-vocabulary.size // 32))
            sglang_masks(grammar, mask, root)
            check_tree(mask, reference, root, vocabulary)
            node: Node | None = root
            while node is not None and not grammar.is_terminated():
                token = sampled(mask[node.row], chance)
                grammar.accept_token(token)
                assert reference.accept(token)
                assert grammar.current_token == token
                written.append(token)
                node = next((child for child in node.children if child.token == token), None)
        assert reference.is_finished
        grammar.accept_token(0)  # behind the end nothing counts
        text = vocabulary.decode(written[:-1])
        check = mw.Compiler(vocabulary).compile(schema).matcher()
        assert check.accept_bytes(text)
        assert check.is_complete


def test_sglang_applies_masks(engines: Engines, tokenizer: Tokenizer, vocabulary: mw.Vocabulary) -> None:
    grammar = sglang_backend(engines, tokenizer, vocabulary).dispatch_regex("[ab]")
    mask = grammar.allocate_vocab_mask(vocabulary.size, 2, "cpu")
    grammar.fill_vocab_mask(mask, 1)
    logits = np.zeros((2, vocabulary.size), dtype=np.float32)
    grammar.apply_vocab_mask(logits=logits, vocab_mask=mask)
    assert np.isfinite(logits[0]).all()
    assert set(np.flatnonzero(np.isfinite(logits[1]))) == {tokenizer.token_to_id(name) for name in "ab"}


def test_sglang_refuses_requests_and_ends_texts(
    engines: Engines, tokenizer: Tokenizer, vocabulary: mw.Vocabulary, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = sglang_backend(engines, tokenizer, vocabulary)
    for refused in (
        backend.dispatch_json('{"type": "text"}'),
        backend.dispatch_regex("("),
        backend.dispatch_ebnf("start: x"),
        backend.dispatch_structural_tag("{}"),
    ):
        assert isinstance(refused, SglangInvalid)
        assert refused.error_message
    a, b = tokenizer.token_to_id("a"), tokenizer.token_to_id("b")
    with pytest.raises(ValueError, match="is not allowed"):
        backend.dispatch_regex("a").accept_token(b)
    for made in (backend.dispatch_json("$$ANY$$"), backend.dispatch_ebnf('root ::= "x"')):
        assert not isinstance(made, SglangInvalid)
    backend.cache["key"] = made
    backend.reset()
    assert not backend.cache

    hurried = mw.Budget(step_time=timedelta(microseconds=1))
    monkeypatch.setattr(sys.modules["sglang_backend"], "BUDGET", hurried)
    engines.speculative_algorithm = "EAGLE"
    backend = engines.backends["maskwright"](None, tokenizer, vocabulary.size, set(vocabulary.stop_ids))
    slow = backend.dispatch_regex(SLOW)
    mask = slow.allocate_vocab_mask(vocabulary.size, 1, "cpu")
    slow.fill_vocab_mask(mask, 0)
    assert bits(mask[0]) == set(vocabulary.stop_ids)
    for _ in range(2):  # as in a tree of drafts, where a token of the mask is taken and given back
        slow.accept_token(min(vocabulary.stop_ids))
        assert slow.is_terminated()
        slow.accept_token(a)
        slow.rollback(1)
        assert not slow.is_terminated()


def test_sglang_jumps_over_forced_text(
    engines: Engines, tokenizer: Tokenizer, vocabulary: mw.Vocabulary
) -> None:
    grammar = sglang_backend(engines, tokenizer, vocabulary).dispatch_regex("he(llo wé|llo w[èê])!")
    h, e, hell = (tokenizer.token_to_id(name) for name in ("h", "e", "hell"))
    for token in (h, e):
        grammar.accept_token(token)
    helper = grammar.try_jump_forward(tokenizer)
    assert grammar.jump_forward_str_state(helper) == ("llo w", -1)  # half of a character is no text
    grammar.jump_and_retokenize([h, e], [hell, tokenizer.token_to_id("o")], -1)
    assert grammar.try_jump_forward(tokenizer) == ([], " w")
    with pytest.raises(ValueError, match="not allowed"):
        grammar.jump_and_retokenize([hell, tokenizer.token_to_id("o")], [hell, e], -1)
    assert grammar.copy().try_jump_forward(tokenizer) == ([], "hello w")


def test_sglang_leaves_reasoning_out(
    engines: Engines, tokenizer: Tokenizer, vocabulary: mw.Vocabulary
) -> None:
    engines.reasoning_parser = "qwen3"
    backend = sglang_backend(engines, tokenizer, vocabulary)
    assert isinstance(backend, SglangReasoner)
    assert backend.reasoning_parser.model_type == "qwen3"
    assert isinstance(backend.grammar_backend, importlib.import_module("sglang_backend").MaskwrightBackend)
