"""A Llama model from a GGUF file.

Takes a path and gives a :class:`~maskwright.generation.model.LocalModel` with weights, tokeniser, chat
template and vocabulary from that one file. Quantised weights become float32 while they are read.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from maskwright import Vocabulary
from maskwright.errors import ModelError

from .chat import ChatTemplate
from .gguf_file import GgufFile, read_gguf
from .llama import LlamaConfig, LlamaNetwork, build_weights
from .model import LocalModel
from .text_encoding import encoder_from_gguf

__all__ = ["load_gguf_model"]

_ARCHITECTURE = "llama"
_NAMES = {"embedding": "token_embd", "final_norm": "output_norm", "unembedding": "output"}
_LAYER_NAMES = {
    "attention_norm": "attn_norm",
    "query": "attn_q",
    "key": "attn_k",
    "value": "attn_v",
    "attention_output": "attn_output",
    "feed_forward_norm": "ffn_norm",
    "gate": "ffn_gate",
    "up": "ffn_up",
    "down": "ffn_down",
}


def load_gguf_model(path: str | Path) -> LocalModel:
    """Reads a Llama model from a GGUF file.

    Args:
        path: the file.

    Returns:
        The model, ready to run.

    Raises:
        ModelError: the file is not a GGUF file, is damaged, or holds a model of another architecture or
            with parts that a plain Llama does not have; the message names them.
        VocabularyError: its tokens cannot be read.
    """
    file = read_gguf(path)
    config = _read_config(file)
    _refuse_unknown_tensors(file, config)
    text_encoder = encoder_from_gguf(file)
    return LocalModel(
        name=str(file.metadata.get("general.name", file.path.stem)),
        vocabulary=Vocabulary.from_file(file.path),
        network=LlamaNetwork(config, build_weights(config, lambda name: _read_weight(file, config, name))),
        text_encoder=text_encoder,
        chat_template=_read_chat_template(file),
    )


def _read_config(file: GgufFile) -> LlamaConfig:
    architecture = file.require("general.architecture", str)
    if architecture != _ARCHITECTURE:
        raise ModelError(
            f"{file.path}: models of the architecture {architecture!r} cannot be run; only 'llama' can",
            source=str(file.path),
        )
    prefix, metadata = "llama.", file.metadata
    scaling = metadata.get(prefix + "rope.scaling.type", "none")
    if scaling != "none" or "rope_freqs.weight" in file.tensors:
        named = scaling if scaling != "none" else "by the tensor 'rope_freqs.weight'"
        raise ModelError(f"{file.path}: RoPE scaling ({named}) is not supported", source=str(file.path))
    if metadata.get(prefix + "expert_count", 0):
        raise ModelError(
            f"{file.path}: mixtures of experts ({prefix}expert_count) are not supported",
            source=str(file.path),
        )
    width = file.require(prefix + "embedding_length", int)
    head_count = file.require(prefix + "attention.head_count", int)
    head_size = metadata.get(prefix + "attention.key_length", width // max(head_count, 1))
    if metadata.get(prefix + "rope.dimension_count", head_size) != head_size:
        raise ModelError(
            f"{file.path}: rotary positions over a part of a head ({prefix}rope.dimension_count) "
            "are not supported",
            source=str(file.path),
        )
    return LlamaConfig(
        vocabulary_size=len(file.require("tokenizer.ggml.tokens", list)),
        width=width,
        feed_forward_width=file.require(prefix + "feed_forward_length", int),
        layer_count=file.require(prefix + "block_count", int),
        head_count=head_count,
        key_value_head_count=metadata.get(prefix + "attention.head_count_kv", head_count),
        head_size=head_size,
        rope_base=float(metadata.get(prefix + "rope.freq_base", 10_000.0)),
        norm_epsilon=float(file.require(prefix + "attention.layer_norm_rms_epsilon", float)),
        context_length=file.require(prefix + "context_length", int),
        tied="output.weight" not in file.tensors,
    )


def _refuse_unknown_tensors(file: GgufFile, config: LlamaConfig) -> None:
    """Refuses what would be left out: a bias or a gate that is ignored gives wrong logits, silently."""
    if config.layer_count > len(file.tensors):
        raise ModelError(
            f"{file.path}: {config.layer_count} layers are announced, and only {len(file.tensors)} "
            "tensors are there",
            source=str(file.path),
        )
    known = {f"{name}.weight" for name in _NAMES.values()}
    known.update(
        f"blk.{index}.{name}.weight" for index in range(config.layer_count) for name in _LAYER_NAMES.values()
    )
    unknown = sorted(file.tensors.keys() - known)
    if unknown:
        raise ModelError(
            f"{file.path}: the tensor {unknown[0]!r} is not part of a plain Llama model "
            f"({len(unknown)} such tensors)",
            source=str(file.path),
        )


def _read_weight(file: GgufFile, config: LlamaConfig, name: str) -> NDArray[np.float32]:
    """Reads the weight that :func:`~maskwright.generation.llama.build_weights` calls `name`."""
    if name in _NAMES:
        return file.read_tensor(f"{_NAMES[name]}.weight")
    _, index, part = name.split(".")
    weight = file.read_tensor(f"blk.{index}.{_LAYER_NAMES[part]}.weight")
    if part == "query":
        return _pair_by_halves(weight, config.head_count)
    if part == "key":
        return _pair_by_halves(weight, config.key_value_head_count)
    return weight


def _pair_by_halves(weight: NDArray[np.float32], head_count: int) -> NDArray[np.float32]:
    """Reorders each head's rows from neighbouring rotary pairs to pairs that lie half a head apart."""
    rows = weight.shape[0]
    if weight.ndim != 2 or rows % (2 * head_count):
        raise ModelError(f"a projection of shape {weight.shape} does not divide into {head_count} heads")
    pairs = weight.reshape(head_count, rows // head_count // 2, 2, weight.shape[1])
    return pairs.swapaxes(1, 2).reshape(weight.shape)


def _read_chat_template(file: GgufFile) -> ChatTemplate | None:
    source = file.metadata.get("tokenizer.chat_template")
    if not isinstance(source, str):
        return None
    tokens = file.require("tokenizer.ggml.tokens", list)
    special_tokens = {}
    for name in ("bos", "eos"):
        token_id = file.metadata.get(f"tokenizer.ggml.{name}_token_id")
        if isinstance(token_id, int) and 0 <= token_id < len(tokens):
            special_tokens[f"{name}_token"] = tokens[token_id]
    return ChatTemplate(source, special_tokens)
