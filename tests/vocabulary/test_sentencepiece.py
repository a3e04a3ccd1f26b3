"""SentencePiece models: packaged and freshly trained ones against the sentencepiece package itself."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sentencepiece

from maskwright import Vocabulary
from maskwright.errors import VocabularyError
from maskwright.vocabulary import sentencepiece_model
from maskwright.vocabulary.files import table_from_file
from maskwright.vocabulary.sentencepiece_model import table_from_model_bytes, table_from_sentencepiece
from maskwright.vocabulary.table import TokenTable

from .reference import load_reference
from .texts import NASTY_TEXTS, join

PACKAGED_MODELS = [
    "tokenizer.model.v1",
    "mistral_instruct_tokenizer_240216.model.v2",
    "mistral_instruct_tokenizer_240323.model.v3",
    "mistral_instruct_tokenizer_241114.model.v7",
]


def load(path: Path) -> Any:
    return sentencepiece.SentencePieceProcessor(model_file=str(path))


def assert_agrees_with_the_package(table: TokenTable, processor: Any) -> None:
    assert len(table.tokens) == table.size == processor.get_piece_size()
    assert table.stop_ids == ((processor.eos_id(),) if processor.eos_id() >= 0 else ())
    for token_id in range(table.size):
        piece = processor.id_to_piece(token_id)
        without_text = (
            processor.is_control(token_id) or processor.is_unknown(token_id) or processor.is_unused(token_id)
        )
        if without_text:
            assert table.tokens[token_id] is None
            assert table.special_tokens[piece] == token_id
        elif processor.is_byte(token_id):
            assert table.tokens[token_id] == bytes([int(piece[3:5], 16)])
        else:
            assert table.tokens[token_id] == piece.replace("▁", " ").encode()


def assert_encodes(table: TokenTable, processor: Any, text: str, name: str) -> None:
    """Checks a text, allowing for the one space that SentencePiece puts in front of it."""
    joined = join(table.tokens, processor.encode(text))
    # A mark that is typed counts as a space for SentencePiece; that happens before any token is chosen.
    expected = text.replace("▁", " ").encode()
    assert joined in {expected, b" " + expected}, name


def test_real_file_has_the_bytes_of_its_reference(table_of: Callable[[str], TokenTable]) -> None:
    reference = load_reference("mistral_v1")
    table = table_of("tokenizer.model.v1")
    assert table.tokens == reference.tokens
    assert dict(table.special_tokens) == reference.special_tokens
    assert list(table.stop_ids) == reference.stop_ids


@pytest.mark.parametrize("name", PACKAGED_MODELS)
def test_packaged_model_agrees_with_the_package_on_every_token(
    name: str, packaged: Callable[..., Path]
) -> None:
    path = packaged("mistral_common", "data", name)
    assert_agrees_with_the_package(table_from_file(path), load(path))


def test_packaged_model_encodes_every_text(packaged: Callable[..., Path]) -> None:
    path = packaged("mistral_common", "data", "tokenizer.model.v1")
    table, processor = table_from_file(path), load(path)
    for name, text in NASTY_TEXTS.items():
        assert_encodes(table, processor, text, name)


def test_two_ids_with_the_same_bytes_are_both_kept(packaged: Callable[..., Path]) -> None:
    tokens = table_from_file(packaged("mistral_common", "data", "tokenizer.model.v1")).tokens
    assert tokens.count(b"A") == 2
    assert len([token for token in tokens if token]) - len({token for token in tokens if token}) == 125


def test_leading_space_is_part_of_the_token_and_dropped_only_by_the_decoder(
    packaged: Callable[..., Path],
) -> None:
    path = packaged("mistral_common", "data", "tokenizer.model.v1")
    table, processor = table_from_file(path), load(path)
    ids = processor.encode("Hello there")
    assert join(table.tokens, ids) == b" Hello there"
    assert processor.decode(ids) == "Hello there"


@pytest.mark.parametrize("model_type", ["bpe", "unigram"])
@pytest.mark.parametrize("dummy_prefix", [True, False])
def test_trained_model_agrees_and_encodes(
    model_type: str, dummy_prefix: bool, trained_model: Callable[..., Path]
) -> None:
    path = trained_model(
        model_type,
        add_dummy_prefix=dummy_prefix,
        user_defined_symbols=["<tool>", "▁▁", "日本"],
        control_symbols=["<|im_end|>"],
    )
    table, processor = table_from_file(path), load(path)
    assert_agrees_with_the_package(table, processor)
    assert set(table.special_tokens) == {"<unk>", "<s>", "</s>", "<|im_end|>", "<tool>", "▁▁", "日本"}
    assert table.tokens[table.special_tokens["<tool>"]] == b"<tool>"
    assert table.tokens[table.special_tokens["▁▁"]] == b"  "
    assert table.tokens[table.special_tokens["<|im_end|>"]] is None
    for name, text in NASTY_TEXTS.items():
        assert_encodes(table, processor, text, name)


def test_model_with_another_or_no_end_of_sequence(trained_model: Callable[..., Path]) -> None:
    renamed = table_from_file(trained_model(eos_piece="<eos>", eos_id=1, bos_id=2))
    assert renamed.stop_ids == (1,)
    assert table_from_file(trained_model(eos_id=-1)).stop_ids == ()


def test_processor_and_path_and_file_give_the_same(trained_model: Callable[..., Path]) -> None:
    path = trained_model()
    by_path = table_from_sentencepiece(path)
    by_processor = table_from_sentencepiece(load(path))
    assert by_path == table_from_file(path)
    assert by_processor.tokens == by_path.tokens
    assert by_processor.special_tokens == by_path.special_tokens
    assert by_processor.stop_ids == by_path.stop_ids


def test_files_beside_a_model_declare_stop_ids(trained_model: Callable[..., Path], tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.model"
    path.write_bytes(trained_model().read_bytes())
    assert Vocabulary.from_sentencepiece(path).stop_ids == (2,)
    (tmp_path / "generation_config.json").write_text('{"eos_token_id": [2, 9]}', encoding="utf-8")
    assert Vocabulary.from_sentencepiece(path).stop_ids == (2, 9)
    assert Vocabulary.from_sentencepiece(str(path)).stop_ids == Vocabulary.from_file(path).stop_ids
    assert Vocabulary.from_sentencepiece(load(path)).stop_ids == (2,)
    assert Vocabulary.from_sentencepiece(path, stop_ids=[7]).stop_ids == (7,)


@pytest.mark.parametrize("wrong", [None, 5, object()])
def test_object_that_is_no_processor_is_refused(wrong: object) -> None:
    with pytest.raises(VocabularyError, match="neither a path nor a SentencePieceProcessor"):
        table_from_sentencepiece(wrong)


def piece_field(body: bytes) -> bytes:
    return b"\x0a" + bytes([len(body)]) + body


@pytest.mark.parametrize(
    ("data", "named"),
    [
        (piece_field(b"\x0a\x01a\x18\x09"), "unknown type 9"),
        (piece_field(b"\x0a\x05a"), "past the end"),
        (piece_field(b"\x0a\x02\xff\xfe"), "utf-8"),
        (b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "more than 64 bits"),
        (b"\x0a\xff\xff\xff\xff\x0fa", "past the end"),
        (piece_field(b"\x0a\x01a") + b"\x0f", "no protocol-buffer field"),
        (piece_field(b"\x0a\x01a") + bytes(1 << 25), "no protocol-buffer field at byte 5"),
        (piece_field(b"\x0a\x01a\x00\x00"), "no protocol-buffer field at byte 5"),
        (piece_field(b"\x0a\x01a") + b"\x02\x00", "no protocol-buffer field at byte"),
        (b"\x12\x00", "no tokens"),
        (b"\x0a", "not a SentencePiece model"),
        (b"\x0a\x00", "piece 0 is empty"),
    ],
)
def test_damaged_model_is_refused(data: bytes, named: str, tmp_path: Path) -> None:
    path = tmp_path / "some.model"
    path.write_bytes(data)
    with pytest.raises(VocabularyError, match=named) as caught:
        Vocabulary.from_sentencepiece(path)
    assert caught.value.source == str(path)


def test_pieces_beyond_the_largest_size_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentencepiece_model, "LARGEST_SIZE", 100)
    path = tmp_path / "many.model"
    path.write_bytes(piece_field(b"\x0a\x01a") * 101 + b"\x0f")
    with pytest.raises(VocabularyError, match="more than 100 pieces"):
        Vocabulary.from_sentencepiece(path)


def test_model_of_any_number_of_fields_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "fields.model"
    path.write_bytes(piece_field(b"\x0a\x01a"))
    os.truncate(path, (1 << 26) + 1)
    with pytest.raises(VocabularyError, match="may have 67108864 bytes, but this has 67108865"):
        Vocabulary.from_sentencepiece(path)


def test_every_truncation_is_refused_or_shorter(trained_model: Callable[..., Path]) -> None:
    path = trained_model()
    data, count = path.read_bytes(), table_from_file(path).size
    refused = 0
    for end in range(1, len(data), 61):
        try:
            assert table_from_model_bytes(data[:end], "cut.model").size <= count
        except VocabularyError:
            refused += 1
    assert refused > 0.8 * len(range(1, len(data), 61))
