"""A random Llama of a few thousand weights, written in both file formats, and a slow reference pass.

The reference works in float64, token by token and head by head, and turns rotary pairs as complex
numbers; it shares no code with the package.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import safetensors.numpy
from numpy.typing import NDArray

WIDTH, FEED_FORWARD, LAYERS, HEADS, KEY_VALUE_HEADS, HEAD_SIZE = 32, 64, 2, 4, 2, 8
CONTEXT, ROPE_BASE, EPSILON = 64, 1000.0, 1e-5
CHAT_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n"
    "{{ message.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)

SPECIAL = ("<|im_start|>", "<|im_end|>")
MERGES = (("h", "e"), ("l", "l"), ("he", "ll"), ("\u0120", "w"))


def _byte_characters() -> list[str]:
    visible = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [byte for byte in range(256) if byte not in visible]
    characters = {byte: chr(byte) for byte in visible}
    characters.update({byte: chr(256 + index) for index, byte in enumerate(hidden)})
    return [characters[byte] for byte in range(256)]


TOKENS = [*SPECIAL, *_byte_characters(), *("".join(pair) for pair in MERGES)]

GGUF_NAMES = {
    "model.embed_tokens.weight": "token_embd.weight",
    "model.norm.weight": "output_norm.weight",
    "lm_head.weight": "output.weight",
    "input_layernorm": "attn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}


@dataclass
class TinyLlama:
    """The weights under the names that ``transformers`` gives them, rotary pairs half a head apart."""

    tied: bool = True
    seed: int = 0
    weights: dict[str, NDArray[np.float32]] = field(init=False)

    def __post_init__(self) -> None:
        random = np.random.default_rng(self.seed)

        def draw(*shape: int) -> NDArray[np.float32]:
            numbers = random.normal(0, 0.2, shape).astype(np.float32)
            # The lower half of the bits is zero, so that bfloat16 holds the same numbers.
            return (numbers.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)

        query, key_value = HEADS * HEAD_SIZE, KEY_VALUE_HEADS * HEAD_SIZE
        self.weights = {
            "model.embed_tokens.weight": draw(len(TOKENS), WIDTH),
            "model.norm.weight": draw(WIDTH) + 1,
        }
        if not self.tied:
            self.weights["lm_head.weight"] = draw(len(TOKENS), WIDTH)
        for layer in range(LAYERS):
            prefix = f"model.layers.{layer}."
            self.weights |= {
                prefix + "input_layernorm.weight": draw(WIDTH) + 1,
                prefix + "self_attn.q_proj.weight": draw(query, WIDTH),
                prefix + "self_attn.k_proj.weight": draw(key_value, WIDTH),
                prefix + "self_attn.v_proj.weight": draw(key_value, WIDTH),
                prefix + "self_attn.o_proj.weight": draw(WIDTH, query),
                prefix + "post_attention_layernorm.weight": draw(WIDTH) + 1,
                prefix + "mlp.gate_proj.weight": draw(FEED_FORWARD, WIDTH),
                prefix + "mlp.up_proj.weight": draw(FEED_FORWARD, WIDTH),
                prefix + "mlp.down_proj.weight": draw(WIDTH, FEED_FORWARD),
            }

    def write_gguf(
        self,
        path: Path,
        *,
        architecture: str = "llama",
        pre_tokenizer: str = "smollm",
        matrices: gguf.GGMLQuantizationType = gguf.GGMLQuantizationType.F32,
        extra_tensors: Sequence[str] = (),
        chat_template: str | None = CHAT_TEMPLATE,
        rope_scaling: Any = None,
    ) -> Path:
        """Writes the model as GGUF; matrices are converted to the given format, norms stay float32."""
        writer = gguf.GGUFWriter(path, architecture)
        writer.add_block_count(LAYERS)
        writer.add_context_length(CONTEXT)
        writer.add_embedding_length(WIDTH)
        writer.add_feed_forward_length(FEED_FORWARD)
        writer.add_head_count(HEADS)
        writer.add_head_count_kv(KEY_VALUE_HEADS)
        writer.add_layer_norm_rms_eps(EPSILON)
        writer.add_rope_freq_base(ROPE_BASE)
        if rope_scaling is not None:
            writer.add_rope_scaling_type(rope_scaling)
        writer.add_tokenizer_model("gpt2")
        writer.add_tokenizer_pre(pre_tokenizer)
        writer.add_token_list(TOKENS)
        control, normal = int(gguf.TokenType.CONTROL), int(gguf.TokenType.NORMAL)
        writer.add_token_types([control if token in SPECIAL else normal for token in TOKENS])
        writer.add_token_merges([" ".join(pair) for pair in MERGES])
        writer.add_bos_token_id(0)
        writer.add_eos_token_id(1)
        if chat_template is not None:
            writer.add_chat_template(chat_template)
        for name, weight in self.weights.items():
            stored = _interleave(weight) if "q_proj" in name or "k_proj" in name else weight
            if stored.ndim == 1:
                writer.add_tensor(_gguf_name(name), stored)
            else:
                writer.add_tensor(
                    _gguf_name(name), gguf.quants.quantize(stored, matrices), raw_dtype=matrices
                )
        for name in extra_tensors:
            writer.add_tensor(name, np.zeros(4, np.float32))
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        return path

    def write_transformers(
        self, folder: Path, *, shards: int = 1, bfloat16: bool = False, **settings: Any
    ) -> Path:
        """Writes the model as a folder; settings replace those of ``config.json``."""
        folder.mkdir()
        config = {
            "model_type": "llama",
            "vocab_size": len(TOKENS),
            "hidden_size": WIDTH,
            "intermediate_size": FEED_FORWARD,
            "num_hidden_layers": LAYERS,
            "num_attention_heads": HEADS,
            "num_key_value_heads": KEY_VALUE_HEADS,
            "rope_theta": ROPE_BASE,
            "rms_norm_eps": EPSILON,
            "max_position_embeddings": CONTEXT,
            "tie_word_embeddings": self.tied,
        }
        (folder / "config.json").write_text(json.dumps(config | settings))
        (folder / "tokenizer.json").write_text(json.dumps(_tokenizer_json()))
        template = {"chat_template": CHAT_TEMPLATE, "eos_token": "<|im_end|>"}
        (folder / "tokenizer_config.json").write_text(json.dumps(template))
        names = sorted(self.weights)
        parts = [{name: self.weights[name] for name in names[index::shards]} for index in range(shards)]
        weight_map = {}
        for index, part in enumerate(parts):
            file = f"model-{index}.safetensors" if shards > 1 else "model.safetensors"
            weight_map.update(dict.fromkeys(part, file))
            if bfloat16:
                _write_bfloat16(folder / file, part)
            else:
                safetensors.numpy.save_file(part, folder / file)
        if shards > 1:
            (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": weight_map}))
        return folder

    def reference_logits(self, token_ids: Sequence[int]) -> NDArray[np.float64]:
        """The logits after each token: float64 ``[tokens, vocabulary]``."""
        weights = {name: weight.astype(np.float64) for name, weight in self.weights.items()}
        hidden = weights["model.embed_tokens.weight"][list(token_ids)]
        for index in range(LAYERS):
            layer = {
                name.removeprefix(f"model.layers.{index}.").removesuffix(".weight"): weight
                for name, weight in weights.items()
                if name.startswith(f"model.layers.{index}.")
            }
            hidden = hidden + _reference_attention(_norm(hidden, layer["input_layernorm"]), layer)
            inner = _norm(hidden, layer["post_attention_layernorm"])
            gate = inner @ layer["mlp.gate_proj"].T
            activated = gate / (1 + np.exp(-gate)) * (inner @ layer["mlp.up_proj"].T)
            hidden = hidden + activated @ layer["mlp.down_proj"].T
        unembedding = weights.get("lm_head.weight", weights["model.embed_tokens.weight"])
        logits: NDArray[np.float64] = _norm(hidden, weights["model.norm.weight"]) @ unembedding.T
        return logits


def _norm(rows: NDArray[np.float64], weight: NDArray[np.float64]) -> NDArray[np.float64]:
    scaled: NDArray[np.float64] = rows / np.sqrt((rows**2).mean(axis=1, keepdims=True) + EPSILON) * weight
    return scaled


def _reference_attention(
    rows: NDArray[np.float64], layer: dict[str, NDArray[np.float64]]
) -> NDArray[np.float64]:
    count = len(rows)
    queries = (rows @ layer["self_attn.q_proj"].T).reshape(count, HEADS, HEAD_SIZE)
    keys = (rows @ layer["self_attn.k_proj"].T).reshape(count, KEY_VALUE_HEADS, HEAD_SIZE)
    values = (rows @ layer["self_attn.v_proj"].T).reshape(count, KEY_VALUE_HEADS, HEAD_SIZE)
    mixed = np.zeros((count, HEADS, HEAD_SIZE))
    for head in range(HEADS):
        shared = head // (HEADS // KEY_VALUE_HEADS)
        for position in range(count):
            query = _turn(queries[position, head], position)
            scores = np.array(
                [
                    query @ _turn(keys[earlier, shared], earlier) / HEAD_SIZE**0.5
                    for earlier in range(position + 1)
                ]
            )
            shares = np.exp(scores - scores.max())
            mixed[position, head] = shares / shares.sum() @ values[: position + 1, shared]
    output: NDArray[np.float64] = mixed.reshape(count, -1) @ layer["self_attn.o_proj"].T
    return output


def _turn(vector: NDArray[np.float64], position: int) -> NDArray[np.float64]:
    half = HEAD_SIZE // 2
    pairs = vector[:half] + 1j * vector[half:]
    turned = pairs * np.exp(1j * position * ROPE_BASE ** (-np.arange(half) / half))
    return np.concatenate((turned.real, turned.imag))


def _interleave(weight: NDArray[np.float32]) -> NDArray[np.float32]:
    """Puts the rows of each rotary pair side by side, as GGUF wants them."""
    rows = []
    for start in range(0, len(weight), HEAD_SIZE):
        for index in range(HEAD_SIZE // 2):
            rows += [weight[start + index], weight[start + HEAD_SIZE // 2 + index]]
    return np.stack(rows)


def _gguf_name(name: str) -> str:
    if name in GGUF_NAMES:
        return GGUF_NAMES[name]
    _, _, layer, part = name.removesuffix(".weight").split(".", 3)
    return f"blk.{layer}.{GGUF_NAMES[part]}.weight"


def _tokenizer_json() -> dict[str, Any]:
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{"id": index, "content": token, **flags} for index, token in enumerate(SPECIAL)],
        "normalizer": None,
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [{"type": "Digits", "individual_digits": True}, byte_level],
        },
        "post_processor": None,
        "decoder": byte_level,
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "vocab": {token: index for index, token in enumerate(TOKENS)},
            "merges": [" ".join(pair) for pair in MERGES],
        },
    }


def _write_bfloat16(path: Path, weights: dict[str, NDArray[np.float32]]) -> None:
    header, data = {}, b""
    for name, weight in weights.items():
        stored = (weight.view(np.uint32) >> 16).astype("<u2").tobytes()
        header[name] = {
            "dtype": "BF16",
            "shape": weight.shape,
            "data_offsets": [len(data), len(data) + len(stored)],
        }
        data += stored
    encoded = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(encoded)) + encoded + data)
