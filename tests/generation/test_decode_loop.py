"""The decode loop with the real engine and a scripted model."""

from __future__ import annotations

import gc
import re
import threading
import time
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

import maskwright as mw
from maskwright.errors import ArgumentError, ModelError
from maskwright.generation import Generation, Message, Sampling, Statistics, generate, load_model

from .tiny_llama import TinyLlama

TOKENS: list[bytes | None] = [None, b"a", b"b", b"ab", b"1", b"23", b" ", b"\xc3", b"\xa9", None]
STOP, SPECIAL = 0, 9
NAMES = {"<end>": STOP, "<special>": SPECIAL}
EXTRA_LOGITS = 6


class ScriptedModel:
    """Likes the tokens of a script, one after the other, and then the stop token; remembers its calls."""

    def __init__(
        self, script: Sequence[int], *, stop_ids: Sequence[int] = (STOP,), context_length: int = 100
    ):
        self.vocabulary = mw.Vocabulary.from_tokens(TOKENS, stop_ids=stop_ids, special_tokens=NAMES)
        self.context_length = context_length
        self.script = script
        self.calls: list[list[int]] = []
        self.delay = 0.0

    def encode(self, text: str) -> list[int]:
        """One token for each character."""
        return [1] * len(text)

    def forward(self, token_ids: Sequence[int]) -> NDArray[np.float32]:
        """What the script likes next."""
        time.sleep(self.delay)
        # There are more logits than tokens, and those past the last token are the greatest.
        logits = np.zeros(self.vocabulary.size + EXTRA_LOGITS, np.float32)
        logits[self.vocabulary.size :] = 100
        step = len(self.calls)
        logits[self.script[step] if step < len(self.script) else STOP] = 10
        self.calls.append(list(token_ids))
        return logits

    def reset(self) -> None:
        """Starts the script again."""
        self.calls.clear()

    def format_chat(self, messages: Sequence[Message]) -> str | None:
        """Has no chat template."""
        return None


def compile_regex(model: ScriptedModel, pattern: str) -> mw.Constraint:
    return mw.Compiler(model.vocabulary).compile(mw.Grammar.regex(pattern))


def run(generation: Generation) -> tuple[list[int], Statistics]:
    ids = [piece.token_id for piece in generation]
    return ids, generation.statistics


def test_without_a_constraint_the_model_has_its_way() -> None:
    model = ScriptedModel([1, 6, 4])
    generation = generate(model, None, "xy")
    assert [(piece.token_id, piece.data) for piece in generation] == [(1, b"a"), (6, b" "), (4, b"1")]
    statistics = generation.statistics
    assert (statistics.tokens, statistics.prompt_tokens, statistics.finish_reason) == (3, 2, "stop")
    assert statistics.mask_microseconds == 0
    # The prompt goes in at once, then one token after the other.
    assert model.calls == [[1, 1], [1], [6], [4]]


def test_a_constraint_overrules_the_model() -> None:
    model = ScriptedModel([1, 1, 1, 1, 1])
    constraint = compile_regex(model, "b{3}1|23")
    text = "".join(generate(model, constraint, "x").text())
    assert re.fullmatch("b{3}1|23", text)


def threads_of_masks() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("maskwright-mask")]


def wait_until_threads_of_masks_are_gone() -> None:
    for _ in range(1000):
        if not threads_of_masks():
            return
        time.sleep(0.01)
    pytest.fail("a thread that computed masks is still there")


@pytest.mark.parametrize("how", ["finished", "closed", "collected", "failed"])
def test_a_generation_that_ends_waits_for_no_thread(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The garbage collector may end it while the same thread holds the locks that waiting for one takes."""

    def wait(_thread: threading.Thread, timeout: float | None = None) -> None:
        pytest.fail("a thread is waited for")

    wait_until_threads_of_masks_are_gone()
    model = ScriptedModel([1, 1, 1])
    generation = generate(model, compile_regex(model, "a+"), "x")
    pieces = iter(generation)
    next(pieces)
    assert len(threads_of_masks()) == 1
    monkeypatch.setattr(threading.Thread, "join", wait)
    match how:
        case "finished":
            assert len(list(pieces)) == 2
            assert generation.statistics.tokens == 3
        case "closed":
            pieces.close()  # type: ignore[attr-defined]  # an iterator, for its users
        case "failed":
            model.calls = None  # type: ignore[assignment]  # so that the model fails while a mask is computed
            with pytest.raises(TypeError):
                next(pieces)
        case _:
            cycle = [generation, pieces]
            cycle.append(cycle)
            del cycle, generation, pieces
            gc.collect()
    wait_until_threads_of_masks_are_gone()


def test_the_model_may_stop_only_where_the_text_is_complete() -> None:
    model = ScriptedModel([])
    constraint = compile_regex(model, "(ab){2}")
    generation = generate(model, constraint, "x")
    assert "".join(generation.text()) == "abab"
    assert generation.statistics.finish_reason == "stop"


def test_a_stop_token_is_chosen_among_others_only_by_the_model() -> None:
    wishes = [1, 1, STOP]
    model = ScriptedModel(wishes)
    ids, statistics = run(generate(model, compile_regex(model, "a+"), "x"))
    assert (ids, statistics.finish_reason) == ([1, 1], "stop")


@pytest.mark.parametrize("max_tokens", [1, 2, 5])
def test_max_tokens_ends_the_text(max_tokens: int) -> None:
    model = ScriptedModel([1] * 50)
    ids, statistics = run(generate(model, compile_regex(model, "a*"), "x", max_tokens=max_tokens))
    assert ids == [1] * max_tokens
    assert statistics.finish_reason == "length"
    assert len(model.calls) == max_tokens


@pytest.mark.parametrize(
    ("pattern", "reason", "is_complete"),
    [("a{4}", "length", False), ("a*", "length", True), ("a{3}", "length", True), ("a{2}", "stop", True)],
)
def test_statistics_tell_whether_a_text_that_a_limit_ended_is_complete(
    pattern: str, reason: str, is_complete: bool
) -> None:
    model = ScriptedModel([1] * 50)
    _, statistics = run(generate(model, compile_regex(model, pattern), "x", max_tokens=3))
    assert (statistics.finish_reason, statistics.is_complete) == (reason, is_complete)
    _, statistics = run(generate(model, None, "x", max_tokens=3))
    assert (statistics.finish_reason, statistics.is_complete) == ("length", True)


def test_a_full_context_ends_the_text() -> None:
    model = ScriptedModel([1] * 50, context_length=5)
    ids, statistics = run(generate(model, None, "xyz", max_tokens=50))
    assert sum(map(len, model.calls)) == 5
    assert (ids, statistics.finish_reason) == ([1] * 3, "length")


def test_text_comes_in_whole_characters() -> None:
    model = ScriptedModel([1, 7, 8, 2])
    assert list(generate(model, None, "x").text()) == ["a", "\u00e9", "b"]


def test_bytes_that_are_no_text_are_replaced() -> None:
    model = ScriptedModel([8, 1, 7])
    assert "".join(generate(model, None, "x").text()) == "\ufffda\ufffd"


def test_special_tokens_add_no_text() -> None:
    model = ScriptedModel([SPECIAL, 1])
    generation = generate(model, None, "x")
    assert [(piece.token_id, piece.data) for piece in generation] == [(SPECIAL, b""), (1, b"a")]


def test_sampling_follows_its_seed() -> None:
    def texts(seed: int) -> str:
        model = ScriptedModel([])
        constraint = compile_regex(model, "[ab1]{12}")
        return "".join(generate(model, constraint, "x", sampling=Sampling(temperature=9, seed=seed)).text())

    assert texts(1) == texts(1)
    assert len({texts(seed) for seed in range(5)}) > 1
    assert all(re.fullmatch("[ab1]{12}", texts(seed)) for seed in range(5))


def test_masks_are_computed_while_the_model_runs() -> None:
    model = ScriptedModel([1] * 10)
    model.delay = 0.02
    _, statistics = run(generate(model, compile_regex(model, "a*"), "x", max_tokens=8))
    assert 0 < statistics.hidden_microseconds <= statistics.mask_microseconds
    assert 0 < statistics.hidden_share <= 1
    assert statistics.tokens_per_second > 0


def test_statistics_are_known_only_at_the_end() -> None:
    generation = generate(ScriptedModel([1]), None, "x")
    with pytest.raises(ModelError, match="ended"):
        _ = generation.statistics
    assert repr(generation) == "<maskwright.generation.Generation: not ended>"
    run(generation)
    assert repr(generation) == "<maskwright.generation.Generation: 1 token, ended by 'stop'>"


def test_an_abandoned_generation_ends_its_thread() -> None:
    model = ScriptedModel([1] * 50)
    generation = generate(model, compile_regex(model, "a*"), "x")
    pieces = iter(generation)
    next(pieces)
    del generation, pieces
    # The model is free again, and the next generation starts from the beginning.
    assert "".join(generate(model, None, "x", max_tokens=2).text()) == "aa"


def test_a_generation_whose_sequence_is_gone_does_not_go_on() -> None:
    model = ScriptedModel([1] * 50)
    first, second = (iter(generate(model, None, "x", max_tokens=3)) for _ in range(2))
    next(first)
    next(second)
    with pytest.raises(ModelError, match="another generation of this model has begun since"):
        next(first)
    assert len(list(second)) == 2


def test_what_is_no_model_is_refused() -> None:
    for other in (None, "model.gguf", ScriptedModel([]).vocabulary):
        with pytest.raises(TypeError, match=f"^model is a LanguageModel, .* not {type(other).__name__}$"):
            generate(cast("ScriptedModel", other), None, "x")


@pytest.mark.parametrize(
    ("prompt", "max_tokens", "kind", "message"),
    [
        ("", 5, ArgumentError, "empty"),
        ("x" * 100, 5, ModelError, "context"),
        ("x", 0, ArgumentError, "max_tokens"),
    ],
)
def test_impossible_requests_are_refused_at_once(
    prompt: str, max_tokens: int, kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        generate(ScriptedModel([]), None, prompt, max_tokens=max_tokens)


OTHERS: dict[str, dict[str, Any]] = {
    "tokens in another order": {"tokens": [TOKENS[0], *TOKENS[:0:-1]]},
    "more tokens": {"tokens": [*TOKENS, b"c"]},
    "a token less": {"tokens": [*TOKENS[:4], None, *TOKENS[5:]]},
    "more logits": {"tokens": TOKENS, "size": len(TOKENS) + 1},
    "another stop token": {"tokens": TOKENS, "stop_ids": [SPECIAL]},
    "one stop token more": {"tokens": TOKENS, "stop_ids": [STOP, SPECIAL]},
    "other names": {"tokens": TOKENS, "special_tokens": {"<other>": SPECIAL}},
}


@pytest.mark.parametrize("options", OTHERS.values(), ids=OTHERS)
def test_a_constraint_of_another_vocabulary_is_refused_at_once(options: dict[str, Any]) -> None:
    model = ScriptedModel([1])
    other = mw.Vocabulary.from_tokens(**{"stop_ids": [STOP], "special_tokens": NAMES, **options})
    constraint = mw.Compiler(other).compile(mw.Grammar.regex("a+"))
    with pytest.raises(ModelError, match=r"another vocabulary.*compile its grammar by") as caught:
        generate(model, constraint, "x")
    assert caught.value.source == "constraint"
    assert model.calls == []


def test_a_constraint_of_an_equal_vocabulary_will_do() -> None:
    """That of the model may be made anew each time."""
    other = mw.Vocabulary.from_tokens(TOKENS, special_tokens=NAMES, stop_ids=[STOP])
    constraint = mw.Compiler(other).compile(mw.Grammar.regex("a{2}"))
    assert "".join(generate(ScriptedModel([]), constraint, "x").text()) == "aa"


def test_a_model_with_too_few_logits_is_refused() -> None:
    class Narrow(ScriptedModel):
        """Forgets most of its tokens."""

        def forward(self, token_ids: Sequence[int]) -> NDArray[np.float32]:
            """Too few logits."""
            return np.zeros(3, np.float32)

    with pytest.raises(ModelError, match="logits of shape"):
        run(generate(Narrow([]), None, "x"))


@pytest.mark.parametrize("pattern", ["(he|ll|o)+ [0-9]{2}", "hello world!?", "[\u00e0-\u00ff]{3}"])
def test_a_random_model_writes_what_the_grammar_says(
    pattern: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    model = load_model(TinyLlama().write_gguf(tmp_path_factory.mktemp("model") / "tiny.gguf"))
    constraint = mw.Compiler(model.vocabulary).compile(mw.Grammar.regex(pattern))
    for seed in range(4):
        generation = generate(
            model, constraint, "h", max_tokens=60, sampling=Sampling(temperature=2.0, seed=seed)
        )
        text = "".join(generation.text())
        if generation.statistics.finish_reason == "stop":
            assert re.fullmatch(pattern, text)
