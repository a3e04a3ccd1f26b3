"""Telling the kind of a file from its content, and surviving whatever a file holds."""

from __future__ import annotations

import base64
import gzip
import itertools
import json
import lzma
import os
import random
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from maskwright import Vocabulary
from maskwright.errors import VocabularyError
from maskwright.vocabulary import reading
from maskwright.vocabulary.detect import KINDS, Kind, detect_kind
from maskwright.vocabulary.files import complete_table_from_file, table_from_file
from maskwright.vocabulary.table import TokenTable, arrange_tokens

from .test_tekken import small_document as tekken_document
from .test_tokenizer_json import fallback_document, small_document


@pytest.fixture(scope="session")
def small_files(trained_model: Callable[..., Path]) -> dict[str, bytes]:
    """One well-formed file of each kind."""
    ranks = b"".join(base64.b64encode(bytes([value])) + b" %d\n" % value for value in range(256))
    return {
        "tokenizer-json": json.dumps(small_document(), indent=2).encode(),
        "tekken": json.dumps(tekken_document()).encode(),
        "tiktoken": ranks,
        "sentencepiece": trained_model().read_bytes(),
        "gguf": small_gguf(),
    }


def small_gguf() -> bytes:
    """A GGUF file of version 3 with three tokens and nothing else."""

    def string(text: str) -> bytes:
        return len(text.encode()).to_bytes(8, "little") + text.encode()

    def number(value: int, length: int = 4) -> bytes:
        return value.to_bytes(length, "little")

    keys = [
        string("tokenizer.ggml.model") + number(8) + string("gpt2"),
        string("tokenizer.ggml.tokens") + number(9) + number(8) + number(3, 8)
        + b"".join(map(string, ["a", "Ġb", "<|im_end|>"])),
        string("tokenizer.ggml.token_type") + number(9) + number(5) + number(3, 8)
        + b"".join(map(number, [1, 1, 3])),
    ]  # fmt: skip
    return b"GGUF" + number(3) + number(0, 8) + number(len(keys), 8) + b"".join(keys)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["tokenizer.json", "model.gguf", "no-suffix"])
def test_kind_is_told_from_content_alone(
    kind: Kind, name: str, small_files: dict[str, bytes], tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(small_files[kind])
    assert table_from_file(path) == table_from_file(path, kind=kind)
    assert table_from_file(str(path)).source == str(path)


@pytest.mark.parametrize(("kind", "other"), list(itertools.permutations(KINDS, 2)))
def test_kind_that_does_not_fit_is_refused(
    kind: Kind, other: Kind, small_files: dict[str, bytes], tmp_path: Path
) -> None:
    path = tmp_path / "file"
    path.write_bytes(small_files[kind])
    with pytest.raises(VocabularyError) as caught:
        table_from_file(path, kind=other)
    assert caught.value.source == str(path)


def test_unknown_kind_is_refused(small_files: dict[str, bytes], tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(small_files["gguf"])
    with pytest.raises(VocabularyError, match="the kinds are gguf, sentencepiece"):
        table_from_file(path, kind="bpe")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b"", "empty"),
        (b"\x00" * 100, "not a tokeniser file"),
        (bytes(range(256)) * 8, "not a tokeniser file"),
        (b"plain words on a line\n", "not a tokeniser file"),
        (b"[1, 2]", "not a tokeniser file"),
        (gzip.compress(b"x", mtime=0), "gzip"),
        (lzma.compress(b"x"), "xz"),
        (b"{", "not well-formed JSON"),
        (b"{}", "neither"),
        (b'{"a": 0, "b": 1}', r"vocab\.json"),
        (b'{"tokenizer_class": "X"}', r"tokenizer_config\.json"),
        (b'{"hidden_size": 1.5}', "hidden_size"),
        (b'{"model": ' + b"[" * 100_000, "not well-formed JSON"),
        (b'{"model": {"vocab": {"a": ' + b"9" * 5000 + b"}}}", "not well-formed JSON"),
        (b'{"model": "\xff"}', "not well-formed JSON"),
        (b'{"model": null}', "no model"),
    ],
)
def test_file_of_no_known_kind_is_refused_with_the_reason(content: bytes, named: str, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_bytes(content)
    with pytest.raises(VocabularyError, match=named) as caught:
        table_from_file(path)
    assert caught.value.source == str(path)
    assert str(caught.value).startswith(f"{path}: ")


def test_json_with_byte_order_mark_is_read(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(small_document()).encode())
    assert table_from_file(path).size == 261


def test_archive_missing_file_directory_and_device_are_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("tokenizer.json", "{}")
    cases: dict[str | Path, str] = {
        tmp_path / "a.zip": "zip",
        tmp_path / "missing": "no such file",
        tmp_path: "directory",
        os.devnull: "not a regular file",
        "a\0b": "looked up|no such file",
        "x" * 10_000: "looked up|no such file",
        "": "^'': the path is empty",
    }
    for path, named in cases.items():
        with pytest.raises(VocabularyError, match=named):
            Vocabulary.from_file(path)


def test_links_that_lead_nowhere_are_told(tmp_path: Path) -> None:
    (tmp_path / "first").symlink_to("second")
    (tmp_path / "second").symlink_to("first")
    (tmp_path / "dangling").symlink_to("blobs/of this")
    for name, named in [
        ("first", "in a circle"),
        ("dangling", "a symbolic link to 'blobs/of this', which is"),
    ]:
        with pytest.raises(VocabularyError, match=named) as caught:
            Vocabulary.from_file(tmp_path / name)
        assert caught.value.source == str(tmp_path / name)


@pytest.mark.parametrize("file_name", ["generation_config.json", "tokenizer_config.json"])
def test_file_beside_that_cannot_be_read_is_told(file_name: str, tmp_path: Path) -> None:
    path, beside = tmp_path / "tokenizer.json", tmp_path / file_name
    path.write_text(json.dumps(fallback_document({"type": "ByteFallback"})), encoding="utf-8")
    beside.mkdir()
    with pytest.raises(VocabularyError, match="this is a directory, where a file tells") as caught:
        Vocabulary.from_file(path)
    assert caught.value.source == str(beside)
    assert Vocabulary.from_file(path, stop_ids=[1]).stop_ids == (1,)
    beside.rmdir()
    beside.symlink_to("missing")
    with pytest.raises(VocabularyError, match=f"{file_name}: this is a symbolic link to 'missing'"):
        Vocabulary.from_file(path)


@pytest.mark.parametrize("path", [3, 10**5000, None, b"tokenizer.json", ["tokenizer.json"]], ids=type)
def test_what_is_no_path_is_refused_by_its_type(path: Any) -> None:
    """Python writes no integer of so many digits."""
    for size in (None, 8):
        with pytest.raises(TypeError, match=f"path is a str or a path, not {type(path).__name__}"):
            Vocabulary.from_file(path, size=size)


@pytest.mark.parametrize(
    ("size", "error"), [(0, VocabularyError), (1 << 23, VocabularyError), ("8", TypeError)]
)
@pytest.mark.parametrize("method", [Vocabulary.from_file, Vocabulary.from_sentencepiece])
def test_impossible_size_is_told_before_the_file_is_read(
    method: Callable[..., Vocabulary], size: Any, error: type[Exception], tmp_path: Path
) -> None:
    with pytest.raises(error, match="size is"):
        method(tmp_path / "missing", size=size)


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ('{"model": {"type": "BPE", "vocab": {"a": %s}}}', "highest id is about"),
        ('{"model": {"type": "BPE", "vocab": {"a": -%s}}}', "id about .* is negative"),
        (
            '{"model": {"type": "BPE", "vocab": {"a": 0}}, "added_tokens": [{"content": "a", "id": %s}]}',
            "has the id about",
        ),
    ],
)
def test_ids_of_thousands_of_digits_are_not_printed(content: str, named: str, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    decoder = '"decoder": {"type": "ByteLevel"}, '
    path.write_text("{" + decoder + (content % ("9" * 4000))[1:], encoding="utf-8")
    with pytest.raises(VocabularyError, match=named) as caught:
        Vocabulary.from_file(path)
    assert len(str(caught.value)) < 300 + len(str(path))


def test_stop_id_beyond_all_numbers_is_refused() -> None:
    with pytest.raises(VocabularyError, match=r"about 10\*\*10000"):
        Vocabulary.from_tokens([b"a"], stop_ids=[10**10_000])


def test_unreadable_file_is_refused(
    small_files: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    path.write_bytes(small_files["tiktoken"])

    def refuse(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(VocabularyError, match="Permission denied"):
        table_from_file(path)


LIMITS: dict[Kind, int] = {
    "tokenizer-json": reading.LARGEST_TEXT,
    "tekken": reading.LARGEST_TEXT,
    "tiktoken": reading.LARGEST_TEXT,
    "sentencepiece": reading.LARGEST_FILE,
}


@pytest.mark.parametrize("kind", LIMITS)
def test_file_too_large_for_a_tokeniser_is_refused(
    kind: Kind, small_files: dict[str, bytes], tmp_path: Path
) -> None:
    """By its length alone: the files take no room on the disk."""
    path = tmp_path / "file"
    path.write_bytes(small_files[kind])
    with path.open("r+b") as file:
        file.truncate(LIMITS[kind] + 1)
    with pytest.raises(VocabularyError, match=f"{LIMITS[kind] + 1} bytes, .*which may have {LIMITS[kind]};"):
        Vocabulary.from_file(path)


def test_a_large_file_beside_a_tokeniser_is_refused(small_files: dict[str, bytes], tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_bytes(small_files["tokenizer-json"])
    with (tmp_path / "generation_config.json").open("wb") as file:
        file.truncate(reading.LARGEST_TEXT + 1)
    with pytest.raises(VocabularyError, match=f"generation_config.json: .*may have {reading.LARGEST_TEXT};"):
        Vocabulary.from_file(path)


@pytest.mark.parametrize("kind", KINDS)
def test_truncated_and_altered_files_raise_nothing_else(
    kind: Kind, small_files: dict[str, bytes], tmp_path: Path
) -> None:
    whole = small_files[kind]
    generator = random.Random(20)
    path = tmp_path / "altered"
    refused = 0
    for _ in range(150):
        altered = bytearray(whole[: generator.choice([len(whole), generator.randrange(1, len(whole))])])
        for _ in range(generator.randrange(4)):
            altered[generator.randrange(len(altered))] = generator.randrange(256)
        path.write_bytes(altered)
        try:
            table = table_from_file(path, kind=generator.choice([None, kind]))
        except VocabularyError:
            refused += 1
        else:
            assert len(table.tokens) <= table.size
    assert refused > 20, "the alterations did no harm, so they tested nothing"


def test_stop_ids_beside_the_file_are_found(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(fallback_document({"type": "ByteFallback"})), encoding="utf-8")
    assert complete_table_from_file(path).stop_ids == (2,)
    (tmp_path / "generation_config.json").write_text('{"eos_token_id": [2, 1]}', encoding="utf-8")
    assert complete_table_from_file(path).stop_ids == (2, 1)
    assert complete_table_from_file(path, stop_ids=[1]).stop_ids == (1,)


def test_end_of_sequence_token_beside_may_be_one_of_the_model(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    document = fallback_document({"type": "ByteFallback"}) | {"added_tokens": []}
    path.write_text(json.dumps(document), encoding="utf-8")
    for name, stop_ids in [("</s>", (2,)), ("A", None), ("absent", None), ("", None), ("\ud800", None)]:
        (tmp_path / "tokenizer_config.json").write_text(json.dumps({"eos_token": name}), encoding="utf-8")
        if stop_ids is None:  # the byte 0x41 and the letter are two tokens of one text
            with pytest.raises(VocabularyError, match="nothing tells which token ends"):
                Vocabulary.from_file(path)
        else:
            assert Vocabulary.from_file(path).stop_ids == stop_ids


def test_detection_needs_only_the_front_of_a_file() -> None:
    assert detect_kind(b'   \n{"a": ', "x") == "json"
    assert detect_kind(b"YQ== 0", "x") == "tiktoken"
    assert detect_kind(b"\n\x0e\n\x05<unk>\x15", "x") == "sentencepiece"


@pytest.mark.parametrize(
    ("ids", "named"),
    [
        ([], "no tokens"),
        ([0, 0], "two tokens"),
        ([-1], "negative"),
        ([0, 5000], "highest id is 5000"),
        ([0.0], "whole number"),
        ([False], "whole number"),
    ],
)
def test_ids_of_no_vocabulary_are_refused(ids: list[int], named: str) -> None:
    with pytest.raises(VocabularyError, match=named):
        arrange_tokens(ids, [b"a"] * len(ids), "a test")


def test_ids_in_any_order_with_some_unused() -> None:
    assert arrange_tokens([3, 0, 1], [b"d", b"", b"b"], "a test") == [None, b"b", None, b"d"]


def test_table_refuses_special_tokens_outside_its_size() -> None:
    with pytest.raises(VocabularyError, match="special token '<x>'"):
        TokenTable([b"a"], {"<x>": 4}, (), 1, "a test")


@pytest.mark.parametrize(("content", "told"), [("[]", "list"), ("1", "int")])
def test_json_that_is_no_object_is_told_by_its_type(content: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(content)
    with pytest.raises(VocabularyError, match=f"a JSON object was expected, but this is of type {told};"):
        table_from_file(path, kind="tokenizer-json")
