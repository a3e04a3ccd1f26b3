"""Model files that are refused, and what the loaders make of the rest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
import safetensors.numpy

from maskwright.errors import MaskwrightError, ModelError, VocabularyError
from maskwright.generation import load_model, load_text_encoder, load_vocabulary

from .tiny_llama import LAYERS, TOKENS, TinyLlama


@pytest.fixture(scope="module")
def gguf_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return TinyLlama().write_gguf(tmp_path_factory.mktemp("gguf") / "tiny.gguf")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return TinyLlama().write_transformers(tmp_path / "tiny")


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"architecture": "qwen2"}, "'qwen2'"),
        ({"pre_tokenizer": "unheard-of"}, "'unheard-of'"),
        ({"extra_tensors": ["rope_freqs.weight"]}, "rope_freqs.weight"),
        ({"rope_scaling": gguf.RopeScalingType.YARN}, "yarn"),
        ({"extra_tensors": ["blk.0.attn_q.bias"]}, "blk.0.attn_q.bias"),
        ({"chat_template": "{% if"}, "chat template"),
    ],
)
def test_gguf_that_is_no_plain_llama_is_refused_by_name(
    options: dict[str, Any], named: str, tmp_path: Path
) -> None:
    path = TinyLlama().write_gguf(tmp_path / "odd.gguf", **options)
    with pytest.raises(ModelError, match=named):
        load_model(path)


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"model_type": "gemma"}, "'gemma'"),
        ({"hidden_act": "gelu"}, "hidden_act"),
        ({"attention_bias": True}, "attention_bias"),
        ({"rope_scaling": {"rope_type": "llama3", "factor": 8.0}}, "llama3"),
        ({"rope_parameters": {"rope_type": "yarn"}}, "yarn"),
        ({"rope_scaling": {"type": "linear", "factor": 2.0}}, "linear"),
        ({"quantization_config": {"bits": 4}}, "quantization_config"),
        ({"num_attention_heads": None}, "setting"),
        ({"num_hidden_layers": 2**40}, "layers"),
        ({"hidden_size": 48, "head_dim": 8}, "shape"),
        ({"num_key_value_heads": 3}, "key/value"),
        ({"vocab_size": -1}, "vocabulary_size"),
    ],
)
def test_folder_that_is_no_plain_llama_is_refused_by_name(
    settings: dict[str, Any], named: str, tmp_path: Path
) -> None:
    path = TinyLlama().write_transformers(tmp_path / "odd", **settings)
    with pytest.raises(ModelError, match=named):
        load_model(path)


def test_rope_parameters_of_newer_folders_are_read(tmp_path: Path) -> None:
    llama = TinyLlama()
    old = load_model(llama.write_transformers(tmp_path / "old", rope_theta=500.0))
    new = load_model(
        llama.write_transformers(
            tmp_path / "new", rope_theta=None, rope_parameters={"rope_type": "default", "rope_theta": 500.0}
        )
    )
    np.testing.assert_array_equal(old.forward([3, 4, 5]), new.forward([3, 4, 5]))


def test_an_unknown_tensor_in_a_folder_is_refused_by_name(folder: Path) -> None:
    tensors = safetensors.numpy.load_file(folder / "model.safetensors")
    tensors["model.layers.0.self_attn.q_proj.bias"] = np.zeros(32, np.float32)
    safetensors.numpy.save_file(tensors, folder / "model.safetensors")
    with pytest.raises(ModelError, match=r"q_proj\.bias"):
        load_model(folder)


def test_derived_rotary_frequencies_of_older_folders_are_passed_over(folder: Path) -> None:
    tensors = safetensors.numpy.load_file(folder / "model.safetensors")
    for layer in range(LAYERS):
        tensors[f"model.layers.{layer}.self_attn.rotary_emb.inv_freq"] = np.zeros(4, np.float32)
    safetensors.numpy.save_file(tensors, folder / "model.safetensors")
    assert load_model(folder).forward([3]).shape == (len(TOKENS),)


def test_a_missing_tensor_is_named(folder: Path) -> None:
    tensors = safetensors.numpy.load_file(folder / "model.safetensors")
    del tensors["model.layers.1.mlp.up_proj.weight"]
    safetensors.numpy.save_file(tensors, folder / "model.safetensors")
    with pytest.raises(ModelError, match=r"model\.layers\.1\.mlp\.up_proj\.weight"):
        load_model(folder)


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
def test_a_folder_with_a_missing_file_is_refused(name: str, folder: Path) -> None:
    (folder / name).unlink()
    with pytest.raises(ModelError, match=name.removeprefix("model")):
        load_model(folder)


@pytest.mark.parametrize(
    "name", ["config.json", "tokenizer.json", "tokenizer_config.json", "model.safetensors"]
)
@pytest.mark.parametrize("damage", ["emptied", "cut", "overwritten"])
def test_a_folder_with_a_damaged_file_is_refused(name: str, damage: str, folder: Path) -> None:
    content = (folder / name).read_bytes()
    damaged = {"emptied": b"", "cut": content[: len(content) // 2], "overwritten": b"\xff" * 100}[damage]
    (folder / name).write_bytes(damaged)
    with pytest.raises(MaskwrightError, match=name):
        load_model(folder)


@pytest.mark.parametrize("index", ["[]", "{}", '{"weight_map": 3}', "{", '{"weight_map": {"a": 3}}'])
def test_a_damaged_shard_index_is_refused(index: str, folder: Path) -> None:
    (folder / "model.safetensors.index.json").write_text(index)
    with pytest.raises(ModelError, match="index"):
        load_model(folder)


def test_an_index_cannot_point_outside_its_folder(folder: Path, tmp_path: Path) -> None:
    (folder / "model.safetensors").rename(tmp_path / "outside.safetensors")
    index = {"weight_map": {"model.norm.weight": "../outside.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(ModelError, match="not a readable safetensors file"):
        load_model(folder)


def test_a_gguf_file_cut_anywhere_is_refused(gguf_path: Path, tmp_path: Path) -> None:
    content = gguf_path.read_bytes()
    path = tmp_path / "cut.gguf"
    lengths = [*range(64), *range(64, len(content) - 32, len(content) // 60)]
    for length in lengths:
        path.write_bytes(content[:length])
        with pytest.raises(ModelError):
            load_model(path)


def test_flipped_header_bytes_end_in_a_typed_error_or_a_model(gguf_path: Path, tmp_path: Path) -> None:
    """Lengths, counts and types that lie are found out before they are believed."""
    content = gguf_path.read_bytes()
    random = np.random.default_rng(0)
    path = tmp_path / "flipped.gguf"
    refused = 0
    for _ in range(150):
        damaged = bytearray(content)
        position = int(random.integers(0, 9000))
        damaged[position : position + 4] = random.bytes(4)
        path.write_bytes(damaged)
        try:
            load_model(path)
        except MaskwrightError:
            refused += 1
    assert refused > 30


@pytest.mark.parametrize(
    ("name", "taken"),
    [
        ("tokenizer.ggml.bos_token_id", "tokenizer.ggml.eos_token_id"),
        ("blk.0.attn_q.weight", "blk.0.attn_k.weight"),
    ],
)
def test_a_key_or_tensor_that_comes_twice_is_refused(
    name: str, taken: str, gguf_path: Path, tmp_path: Path
) -> None:
    path = tmp_path / "twice.gguf"
    path.write_bytes(gguf_path.read_bytes().replace(name.encode(), taken.encode()))
    with pytest.raises(ModelError, match=f"'{taken}' comes twice"):
        load_model(path)


@pytest.mark.parametrize("content", [b"", b"hello", b"{}", b"GGUF", b"GGUF" + b"\xff" * 40])
def test_other_files_are_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "other.bin"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=r"other\.bin"):
        load_model(path)


READERS: list[Any] = [load_model, load_vocabulary, load_text_encoder]


@pytest.mark.parametrize("read", READERS)
def test_a_path_is_no_other_thing(read: Any) -> None:
    for value in (1, b"x", ["x"]):
        with pytest.raises(TypeError, match=f"^path is a str or a path, not {type(value).__name__}$"):
            read(value)


@pytest.mark.parametrize("read", READERS)
def test_an_empty_path_is_not_the_folder_that_the_process_is_in(
    read: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    with pytest.raises(ModelError, match="the path is empty"):
        read("")
    assert read(".") is not None


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("path", ["a\0b", "\ud800"], ids=ascii)
def test_a_path_that_no_file_can_have_is_refused(read: Any, path: str) -> None:
    with pytest.raises(ModelError, match="no file can be called so") as caught:
        read(path)
    str(caught.value).encode()


@pytest.mark.parametrize("read", READERS)
def test_json_that_nests_too_deeply_is_refused(read: Any, folder: Path, tmp_path: Path) -> None:
    deep = tmp_path / "deep.json"
    deep.write_text('{"model": ' + "[" * 200_000)
    if read is load_text_encoder:
        assert read(deep) is None
    else:
        with pytest.raises((ModelError, VocabularyError)):
            read(deep)


def test_an_index_that_nests_too_deeply_is_refused(tmp_path: Path) -> None:
    folder = TinyLlama().write_transformers(tmp_path / "model")
    (folder / "model.safetensors.index.json").write_text('{"weight_map": ' + "[" * 200_000)
    with pytest.raises(ModelError, match="not a readable index"):
        load_model(folder)


def test_a_path_without_a_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="nowhere"):
        load_model(tmp_path / "nowhere.gguf")


def test_the_name_of_a_model_on_a_hub_is_no_path() -> None:
    with pytest.raises(
        ModelError, match=r"^owner/model: there is no such file or folder; names of models on a hub"
    ):
        load_model("owner/model")


def test_every_format_has_the_same_tokens(gguf_path: Path, folder: Path) -> None:
    text = "hello world 123, don't: h\u00e9 <|im_end|>"
    vocabularies = [
        load_vocabulary(gguf_path),
        load_vocabulary(folder),
        load_vocabulary(folder / "tokenizer.json"),
    ]
    encodings = []
    for path in (gguf_path, folder):
        encoder = load_text_encoder(path)
        assert encoder is not None
        encodings.append(encoder.encode_plain(text))
    assert encodings[0] == encodings[1]
    for ids in encodings:
        for vocabulary in vocabularies:
            assert vocabulary.decode(ids).decode() == text
            assert vocabulary.stop_ids == (1,)


def test_only_prompts_may_name_special_tokens(gguf_path: Path) -> None:
    encoder = load_text_encoder(gguf_path)
    assert encoder is not None
    assert encoder.encode_prompt("<|im_end|>") == [1]
    assert 1 not in encoder.encode_plain("<|im_end|>")


def test_a_file_with_tokens_only_has_no_text_encoder(tmp_path: Path) -> None:
    path = tmp_path / "ranks.tiktoken"
    path.write_text("IQ== 0\nIg== 1\n")
    assert load_text_encoder(path) is None
