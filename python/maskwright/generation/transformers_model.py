"""A Llama model from a folder as the ``transformers`` package saves it.

Takes a folder with ``config.json``, ``tokenizer.json`` and ``*.safetensors`` (one file or several with
an index) and gives a :class:`~maskwright.generation.model.LocalModel`. Neither ``transformers`` nor
``torch`` is needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskwright import Vocabulary, nested_json
from maskwright.errors import ModelError

from .chat import ChatTemplate
from .llama import LlamaConfig, LlamaNetwork, build_weights
from .model import LocalModel
from .safetensors_files import SafetensorsFolder
from .text_encoding import encoder_from_json

__all__ = ["load_transformers_model"]

_ARCHITECTURE = "llama"
_NAMES = {
    "embedding": "model.embed_tokens.weight",
    "final_norm": "model.norm.weight",
    "unembedding": "lm_head.weight",
}
_LAYER_NAMES = {
    "attention_norm": "input_layernorm.weight",
    "query": "self_attn.q_proj.weight",
    "key": "self_attn.k_proj.weight",
    "value": "self_attn.v_proj.weight",
    "attention_output": "self_attn.o_proj.weight",
    "feed_forward_norm": "post_attention_layernorm.weight",
    "gate": "mlp.gate_proj.weight",
    "up": "mlp.up_proj.weight",
    "down": "mlp.down_proj.weight",
}
# Older files carry the rotary frequencies, which follow from the configuration.
_DERIVED_SUFFIX = "rotary_emb.inv_freq"

# Settings under which a network computes something else than the pass in llama.py, with the values
# that leave it as it is.
_PLAIN_SETTINGS: dict[str, tuple[Any, ...]] = {
    "hidden_act": ("silu", "swish"),
    "attention_bias": (False,),
    "mlp_bias": (False,),
    "rope_interleaved": (False,),
    "partial_rotary_factor": (1, 1.0),
    "sliding_window": (None,),
    "quantization_config": (None,),
}


def load_transformers_model(path: str | Path) -> LocalModel:
    """Reads a Llama model from a folder.

    Args:
        path: the folder.

    Returns:
        The model, ready to run.

    Raises:
        ModelError: a file is missing or damaged, or the model is of another architecture or has a
            setting that a plain Llama does not have; the message names it.
        VocabularyError: its tokens cannot be read.
    """
    folder = Path(path)
    config = _read_config(folder)
    weights = SafetensorsFolder(folder)
    _refuse_unknown_tensors(weights, config)
    text_encoder = encoder_from_json(folder / "tokenizer.json")
    return LocalModel(
        name=folder.resolve().name,
        vocabulary=Vocabulary.from_file(folder / "tokenizer.json"),
        network=LlamaNetwork(config, build_weights(config, lambda name: _read_weight(weights, name))),
        text_encoder=text_encoder,
        chat_template=_read_chat_template(folder),
    )


def _read_json(path: Path) -> dict[str, Any]:
    try:
        content = nested_json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(f"{path}: cannot be read: {error}", source=str(path)) from error
    if not isinstance(content, dict):
        raise ModelError(f"{path}: holds no JSON object", source=str(path))
    return content


def _read_config(folder: Path) -> LlamaConfig:
    path = folder / "config.json"
    settings = _read_json(path)
    if settings.get("model_type") != _ARCHITECTURE:
        raise ModelError(
            f"{path}: models of the architecture {settings.get('model_type')!r} cannot be run; "
            "only 'llama' can",
            source=str(path),
        )
    for name, plain in _PLAIN_SETTINGS.items():
        if settings.get(name, plain[0]) not in plain:
            raise ModelError(
                f"{path}: the setting {name}={settings[name]!r} is not supported", source=str(path)
            )
    rope = _rope_settings(settings, path)
    try:
        head_count = int(settings["num_attention_heads"])
        width = int(settings["hidden_size"])
        return LlamaConfig(
            vocabulary_size=int(settings["vocab_size"]),
            width=width,
            feed_forward_width=int(settings["intermediate_size"]),
            layer_count=int(settings["num_hidden_layers"]),
            head_count=head_count,
            key_value_head_count=int(settings.get("num_key_value_heads") or head_count),
            head_size=int(settings.get("head_dim") or width // max(head_count, 1)),
            rope_base=float(rope.get("rope_theta", settings.get("rope_theta", 10_000.0))),
            norm_epsilon=float(settings.get("rms_norm_eps", 1e-6)),
            context_length=int(settings.get("max_position_embeddings", 2048)),
            tied=bool(settings.get("tie_word_embeddings", False)),
        )
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ModelError(
            f"{path}: a setting is missing or of the wrong type: {error!r}", source=str(path)
        ) from error


def _rope_settings(settings: Mapping[str, Any], path: Path) -> Mapping[str, Any]:
    """The rotary settings, which older files call ``rope_scaling`` and newer ones ``rope_parameters``."""
    for name in ("rope_scaling", "rope_parameters"):
        rope = settings.get(name)
        if rope is None:
            continue
        kind = rope.get("rope_type", rope.get("type", "default")) if isinstance(rope, dict) else rope
        if kind != "default":
            raise ModelError(f"{path}: RoPE scaling ({name}: {kind!r}) is not supported", source=str(path))
        return rope  # type: ignore[no-any-return]
    return {}


def _refuse_unknown_tensors(weights: SafetensorsFolder, config: LlamaConfig) -> None:
    """Refuses what would be left out: a bias that is ignored gives wrong logits, silently."""
    names = weights.names()
    if config.layer_count > len(names):
        raise ModelError(
            f"{weights.path}: {config.layer_count} layers are announced, "
            f"and only {len(names)} tensors are there",
            source=str(weights.path),
        )
    known = set(_NAMES.values())
    known.update(
        f"model.layers.{index}.{name}"
        for index in range(config.layer_count)
        for name in _LAYER_NAMES.values()
    )
    unknown = sorted(name for name in names - known if not name.endswith(_DERIVED_SUFFIX))
    if unknown:
        raise ModelError(
            f"{weights.path}: the tensor {unknown[0]!r} is not part of a plain Llama model "
            f"({len(unknown)} such tensors)",
            source=str(weights.path),
        )


def _read_weight(weights: SafetensorsFolder, name: str) -> NDArray[np.float32]:
    """Reads the weight that :func:`~maskwright.generation.llama.build_weights` calls `name`."""
    if name in _NAMES:
        return weights.read_tensor(_NAMES[name])
    _, index, part = name.split(".")
    return weights.read_tensor(f"model.layers.{index}.{_LAYER_NAMES[part]}")


def _read_chat_template(folder: Path) -> ChatTemplate | None:
    """The template, which stands in a file of its own or in the tokeniser's settings."""
    settings_path, template_path = folder / "tokenizer_config.json", folder / "chat_template.jinja"
    settings = _read_json(settings_path) if settings_path.exists() else {}
    source = settings.get("chat_template")
    if template_path.exists():
        try:
            source = template_path.read_text("utf-8")
        except (OSError, ValueError) as error:
            raise ModelError(
                f"{template_path}: cannot be read: {error}", source=str(template_path)
            ) from error
    if isinstance(source, list):  # several named templates
        named = {entry.get("name"): entry.get("template") for entry in source if isinstance(entry, dict)}
        source = named.get("default")
    if not isinstance(source, str):
        return None
    special_tokens = {}
    for name in ("bos_token", "eos_token"):
        token = settings.get(name)
        text = token.get("content") if isinstance(token, dict) else token
        if isinstance(text, str):
            special_tokens[name] = text
    return ChatTemplate(source, special_tokens)
