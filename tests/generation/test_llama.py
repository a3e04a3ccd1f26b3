"""The forward pass: against a slow reference, across file formats, and with its cache."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest

from maskwright.errors import ModelError
from maskwright.generation import load_model

from .tiny_llama import CONTEXT, LAYERS, TOKENS, TinyLlama

IDS = [5, 70, 100, 5, 33, 200, 258, 17]


@pytest.fixture(params=[True, False], ids=["tied", "untied"])
def llama(request: pytest.FixtureRequest) -> TinyLlama:
    return TinyLlama(tied=bool(request.param))


def test_gguf_matches_the_reference(llama: TinyLlama, tmp_path: Path) -> None:
    model = load_model(llama.write_gguf(tmp_path / "tiny.gguf"))
    np.testing.assert_allclose(model.forward(IDS), llama.reference_logits(IDS)[-1], rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("layout", [{}, {"shards": 3}, {"bfloat16": True}], ids=str)
def test_transformers_folder_gives_the_same_logits_as_gguf(
    llama: TinyLlama, layout: dict[str, Any], tmp_path: Path
) -> None:
    from_gguf = load_model(llama.write_gguf(tmp_path / "tiny.gguf"))
    if layout.get("bfloat16"):
        # The norms are one plus a number that bfloat16 holds, so they have to be rounded first.
        for name, weight in llama.weights.items():
            llama.weights[name] = (weight.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)
        from_gguf = load_model(llama.write_gguf(tmp_path / "rounded.gguf"))
    from_folder = load_model(llama.write_transformers(tmp_path / "tiny", **layout))
    np.testing.assert_array_equal(from_gguf.forward(IDS), from_folder.forward(IDS))


@pytest.mark.parametrize("name", ["F16", "Q8_0", "Q4_1", "BF16"])
def test_quantised_gguf_equals_its_dequantised_weights(name: str, tmp_path: Path) -> None:
    kind = gguf.GGMLQuantizationType[name]
    llama = TinyLlama()
    quantised = load_model(llama.write_gguf(tmp_path / "quantised.gguf", matrices=kind))
    for weight_name, weight in llama.weights.items():
        if weight.ndim == 2:
            llama.weights[weight_name] = gguf.quants.dequantize(gguf.quants.quantize(weight, kind), kind)
    plain = load_model(llama.write_gguf(tmp_path / "plain.gguf"))
    np.testing.assert_array_equal(quantised.forward(IDS), plain.forward(IDS))


def test_one_batched_pass_equals_one_token_at_a_time(llama: TinyLlama, tmp_path: Path) -> None:
    model = load_model(llama.write_gguf(tmp_path / "tiny.gguf"))
    expected = llama.reference_logits(IDS)
    for position, token_id in enumerate(IDS):
        np.testing.assert_allclose(model.forward([token_id]), expected[position], rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("cut", [1, 3, 7])
def test_a_pass_may_be_cut_anywhere(cut: int, tmp_path: Path) -> None:
    llama = TinyLlama()
    model = load_model(llama.write_gguf(tmp_path / "tiny.gguf"))
    model.forward(IDS[:cut])
    np.testing.assert_allclose(
        model.forward(IDS[cut:]), llama.reference_logits(IDS)[-1], rtol=1e-3, atol=1e-4
    )


def test_long_prompts_are_chunked_without_a_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    llama = TinyLlama()
    model = load_model(llama.write_gguf(tmp_path / "tiny.gguf"))
    monkeypatch.setattr("maskwright.generation.llama._CHUNK", 3)
    np.testing.assert_allclose(model.forward(IDS), llama.reference_logits(IDS)[-1], rtol=1e-3, atol=1e-4)


def test_reset_forgets_everything(tmp_path: Path) -> None:
    model = load_model(TinyLlama().write_gguf(tmp_path / "tiny.gguf"))
    first = model.forward(IDS)
    model.forward([3])
    model.reset()
    np.testing.assert_array_equal(model.forward(IDS), first)


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ([], "at least one token"),
        ([len(TOKENS)], "ids of tokens"),
        ([-1], "ids of tokens"),
        ([2] * 65, "context"),
    ],
)
def test_a_refused_pass_changes_nothing(ids: list[int], message: str, tmp_path: Path) -> None:
    llama = TinyLlama()
    model = load_model(llama.write_gguf(tmp_path / "tiny.gguf"))
    model.forward(IDS[:4])
    with pytest.raises(ModelError, match=message):
        model.forward(ids)
    np.testing.assert_allclose(model.forward(IDS[4:]), llama.reference_logits(IDS)[-1], rtol=1e-3, atol=1e-4)


def test_the_context_can_be_filled_to_its_last_token(tmp_path: Path) -> None:
    llama = TinyLlama()
    model = load_model(llama.write_gguf(tmp_path / "tiny.gguf"))
    ids = [2 + index % 50 for index in range(CONTEXT)]
    np.testing.assert_allclose(model.forward(ids), llama.reference_logits(ids)[-1], rtol=1e-3, atol=1e-4)


def test_layers_matter(tmp_path: Path) -> None:
    """Guards the comparisons above: without its second layer the model says something else."""
    llama = TinyLlama()
    whole = llama.reference_logits(IDS)[-1]
    for name in llama.weights:
        if f"layers.{LAYERS - 1}." in name and name.endswith("_proj.weight"):
            llama.weights[name] = np.zeros_like(llama.weights[name])
    assert np.abs(llama.reference_logits(IDS)[-1] - whole).max() > 0.01
