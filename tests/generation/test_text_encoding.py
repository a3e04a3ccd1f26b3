"""Tokenisers rebuilt from GGUF metadata agree with the originals."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer

from maskwright.errors import ModelError
from maskwright.generation import TextEncoder, load_text_encoder
from maskwright.generation.gguf_file import GgufFile
from maskwright.generation.text_encoding import encoder_from_gguf, encoder_from_json
from maskwright.vocabulary.reading import LARGEST_TEXT

from .tiny_llama import TOKENS, TinyLlama

SMILEYS = "\U0001f600\U0001f469\u200d\U0001f680"
TEXTS = [
    "The capital of France is Paris.",
    "don't  you'LL see 12345 and 6,789.0?",
    '{"name": "Jos\u00e9", "tags": ["a b", "\\n"],\n\n  "n": -1.5e10}\n',
    "  leading, trailing  \t\r\n\r\n",
    "\u65e5\u672c\u8a9e\u306e\u6587\u7ae0 \u0645\u0631\u062d\u0628\u0627" + SMILEYS,
    "def f(x):\n    return x**2  # \u00bd\n",
    "",
]


def gguf_with(metadata: dict[str, Any]) -> GgufFile:
    prefixed = {f"tokenizer.ggml.{key}": value for key, value in metadata.items()}
    return GgufFile(Path("model.gguf"), prefixed, {}, np.zeros(0, np.uint8))


@pytest.mark.parametrize(
    ("name", "pre_tokenizer"),
    [("smollm2", "smollm"), ("llama3_1", "llama-bpe"), ("qwen3", "qwen2")],
)
def test_byte_level_tokenisers_agree_with_their_tokenizer_json(
    shared_tokenizers: Path, name: str, pre_tokenizer: str
) -> None:
    content = lzma.decompress((shared_tokenizers / f"{name}.tokenizer.json.xz").read_bytes()).decode()
    document, original = json.loads(content), Tokenizer.from_str(content)
    vocabulary = dict(document["model"]["vocab"])
    vocabulary.update({token["content"]: token["id"] for token in document["added_tokens"]})
    merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in document["model"]["merges"]]
    tokens = sorted(vocabulary, key=vocabulary.__getitem__)
    added = {token["content"]: 3 if token["special"] else 4 for token in document["added_tokens"]}
    rebuilt = encoder_from_gguf(
        gguf_with(
            {
                "model": "gpt2",
                "pre": pre_tokenizer,
                "tokens": tokens,
                "merges": merges,
                "token_type": [added.get(token, 1) for token in tokens],
            }
        )
    )
    special = document["added_tokens"][0]["content"]
    for text in [*TEXTS, f"a{special} b"]:
        assert rebuilt.encode_prompt(text) == original.encode(text, add_special_tokens=False).ids
    original.encode_special_tokens = True
    plain = f"{special}{special}"
    assert rebuilt.encode_plain(plain) == original.encode(plain, add_special_tokens=False).ids


def test_sentencepiece_tokens_agree_with_sentencepiece(shared_tokenizers: Path) -> None:
    sentencepiece = pytest.importorskip("sentencepiece", reason="needs the extra 'vocabulary'")
    original = sentencepiece.SentencePieceProcessor(str(shared_tokenizers / "tokenizer.model.v1"))
    ids = range(original.get_piece_size())
    rebuilt = encoder_from_gguf(
        gguf_with(
            {
                "model": "llama",
                "tokens": [original.id_to_piece(token_id) for token_id in ids],
                "scores": [original.get_score(token_id) for token_id in ids],
                "token_type": [3 if original.is_control(token_id) else 1 for token_id in ids],
                "bos_token_id": 1,
            }
        )
    )
    for text in filter(None, TEXTS):
        assert rebuilt.encode_prompt(text) == [1, *original.encode(text)]


def test_the_start_token_is_put_first_once() -> None:
    metadata = {
        "model": "gpt2",
        "pre": "gpt-2",
        "tokens": TOKENS,
        "merges": [],
        "token_type": [3, 3, *[1] * (len(TOKENS) - 2)],
        "bos_token_id": 0,
    }
    assert encoder_from_gguf(gguf_with(metadata)).encode_prompt("!") == [TOKENS.index("!")]
    adding = encoder_from_gguf(gguf_with({**metadata, "add_bos_token": True}))
    assert adding.encode_prompt("!") == [0, TOKENS.index("!")]
    assert adding.encode_prompt("<|im_start|>!") == [0, TOKENS.index("!")]
    assert adding.encode_plain("!") == [TOKENS.index("!")]


def runs_of_one_letter(longest: int) -> GgufFile:
    """Any two of whose tokens make a third, up to a length: the longer they are, the better."""
    tokens = ["<unk>", *("a" * length for length in range(1, longest + 1))]
    return gguf_with(
        {
            "model": "llama",
            "tokens": tokens,
            "scores": [float(len(token)) for token in tokens],
            "add_space_prefix": False,
        }
    )


def test_tokens_of_hundreds_of_characters_merge() -> None:
    assert encoder_from_gguf(runs_of_one_letter(300)).encode_plain("a" * 256) == [256]


def test_tokens_whose_merges_take_the_square_of_the_file_are_refused() -> None:
    """Runs of up to 3000, which are a file of 4.5 MB, took ten gigabytes."""
    with pytest.raises(ModelError, match=r"tokens, the longest of 1000 characters, are too long"):
        encoder_from_gguf(runs_of_one_letter(1000))


@pytest.mark.parametrize(
    ("metadata", "named"),
    [
        ({"model": "bert", "tokens": []}, "'bert'"),
        ({"model": "gpt2", "pre": "tekken", "tokens": []}, "'tekken'"),
        ({"model": "gpt2", "pre": "gpt-2", "tokens": ["a"]}, "tokenizer.ggml.merges"),
        ({"model": "gpt2", "pre": "gpt-2", "tokens": ["a"], "merges": ["a b"]}, "damaged"),
        ({"model": "gpt2", "pre": "gpt-2", "tokens": ["a"], "merges": [7]}, "damaged"),
        ({"model": "llama", "tokens": ["a"]}, "tokenizer.ggml.scores"),
        ({"model": "llama", "tokens": ["a", "b", "ab"], "scores": [0.0]}, "damaged"),
        ({"model": "gpt2"}, "tokenizer.ggml.tokens"),
        ({}, "tokenizer.ggml.model"),
    ],
)
def test_unknown_or_damaged_tokenisers_are_refused_by_name(metadata: dict[str, Any], named: str) -> None:
    with pytest.raises(ModelError, match=named):
        encoder_from_gguf(gguf_with(metadata))


def test_a_damaged_tokenizer_json_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text('{"model": {}}')
    with pytest.raises(ModelError, match=r"tokenizer\.json"):
        encoder_from_json(path)


def test_a_tokenizer_json_too_large_to_be_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text('{"model": {}}')
    with path.open("r+b") as file:
        file.truncate(LARGEST_TEXT + 1)
    for given in (path, tmp_path):
        with pytest.raises(
            ModelError, match=f"has {LARGEST_TEXT + 1} bytes, but JSON may have {LARGEST_TEXT}"
        ):
            load_text_encoder(given)


def test_half_of_a_surrogate_pair_is_refused_by_its_place(tmp_path: Path) -> None:
    encoder = encoder_from_json(TinyLlama().write_transformers(tmp_path / "tiny") / "tokenizer.json")
    for encode in (encoder.encode_prompt, encoder.encode_plain):
        with pytest.raises(ModelError, match="at position 2, half of a surrogate pair"):
            encode("ab\ud800")


PAIR = {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}
FAULTS: dict[str, dict[str, Any]] = {
    "no unknown token of Unigram": {"model": {"type": "Unigram", "unk_id": None, "vocab": [["a", 0.0]]}},
    "no such unknown token of BPE": {"model": PAIR | {"unk_token": "<unk>"}},
    "a panic at a text": {"pre_tokenizer": {"type": "FixedLength", "length": 0}},
    "a panic in the native code of a dependency": {
        "normalizer": {"type": "Precompiled", "precompiled_charsmap": "BAAAAP////8="}
    },
    "a panic at no text": {
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}],
            "pair": [],
            "special_tokens": {},
        }
    },
    "a panic at a normalizer": {"normalizer": {"type": "Precompiled", "precompiled_charsmap": "AAAA"}},
    "a panic at a merge": {"model": PAIR | {"continuing_subword_prefix": "##"}},
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_what_the_native_tokeniser_fails_on_is_refused(fault: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps({"model": PAIR, **fault}))
    with pytest.raises(ModelError, match=r"tokenizer\.json: ") as caught:
        load_text_encoder(path).encode_plain("c")  # type: ignore[union-attr]
    assert caught.value.source == str(path)


@pytest.mark.parametrize("raised", [KeyboardInterrupt, SystemExit])
def test_what_ends_the_process_is_no_fault_of_the_tokeniser(raised: type[BaseException]) -> None:
    class Interrupted:
        def encode(self, *_: object, **__: object) -> None:
            raise raised

    with pytest.raises(raised):
        TextEncoder(Interrupted()).encode_plain("a")


def test_padding_and_truncation_are_no_part_of_a_text(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    padding = {"strategy": {"Fixed": 9}, "direction": "Left", "pad_id": 0, "pad_type_id": 0, "pad_token": "a"}
    truncation = {"max_length": 1, "strategy": "LongestFirst", "stride": 0, "direction": "Right"}
    path.write_text(json.dumps({"model": PAIR, "padding": padding, "truncation": truncation}))
    encoder = encoder_from_json(path)
    assert encoder.start_id is None
    assert encoder.encode_prompt("abab") == [2, 2]
