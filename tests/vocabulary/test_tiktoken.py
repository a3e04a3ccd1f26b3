"""tiktoken rank files and encodings."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path

import pytest
import tiktoken

from maskwright import Vocabulary
from maskwright.errors import VocabularyError
from maskwright.vocabulary.files import complete_table_from_file, table_from_file
from maskwright.vocabulary.table import TokenTable
from maskwright.vocabulary.tiktoken_file import table_from_tiktoken_encoding, table_from_tiktoken_file

from .reference import load_reference
from .texts import NASTY_TEXTS, join

# Splits a text as cl100k_base does; only that it loses nothing matters here.
PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|"
    r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def encoding_of(table: TokenTable, special_tokens: dict[str, int]) -> tiktoken.Encoding:
    ranks = {token: token_id for token_id, token in enumerate(table.tokens) if token is not None}
    return tiktoken.Encoding("a test", pat_str=PATTERN, mergeable_ranks=ranks, special_tokens=special_tokens)


@pytest.mark.parametrize(
    ("file_name", "reference_name"),
    [("llama3.tiktoken", "llama3"), ("qwen.tiktoken", "qwen3"), ("o200k_base.tiktoken.gz", "o200k_harmony")],
)
def test_real_file_has_the_bytes_of_its_reference(
    file_name: str, reference_name: str, table_of: Callable[[str], TokenTable]
) -> None:
    reference = load_reference(reference_name)
    table = table_of(file_name)
    ordinary = len(table.tokens)
    assert table.tokens == reference.tokens[:ordinary]
    assert set(reference.tokens[ordinary:]) == {None}
    assert table.special_tokens == {}
    assert table.stop_ids == ()


def test_packaged_cl100k_has_the_bytes_of_its_reference(cl100k_file: Path) -> None:
    reference = load_reference("cl100k")
    table = complete_table_from_file(
        cl100k_file, special_tokens=reference.special_tokens, size=reference.size, stop_ids=reference.stop_ids
    )
    assert table.tokens == reference.tokens[: len(table.tokens)]
    assert table.size == reference.size


@pytest.mark.parametrize("file_name", ["llama3.tiktoken", "qwen.tiktoken"])
def test_encoding_and_joining_gives_the_text_back(
    file_name: str, table_of: Callable[[str], TokenTable]
) -> None:
    table = table_of(file_name)
    encoding = encoding_of(table, {})
    for name, text in NASTY_TEXTS.items():
        assert join(table.tokens, encoding.encode_ordinary(text)) == text.encode(), name


def test_packaged_o200k_encodes_every_text(o200k_file: Path) -> None:
    table = table_from_file(o200k_file)
    encoding = encoding_of(table, {"<|endoftext|>": 199999, "<|endofprompt|>": 200018})
    from_encoding = table_from_tiktoken_encoding(encoding)
    assert from_encoding.tokens[: len(table.tokens)] == table.tokens
    # Ids that an encoding leaves out have no text, as its special tokens have none.
    assert from_encoding.tokens[len(table.tokens) :] == [None] * 21
    assert from_encoding.special_tokens == {"<|endoftext|>": 199999, "<|endofprompt|>": 200018}
    assert from_encoding.size == encoding.n_vocab == 200019
    for name, text in NASTY_TEXTS.items():
        assert join(from_encoding.tokens, encoding.encode_ordinary(text)) == text.encode(), name


def test_special_tokens_and_wider_logits_come_from_the_caller(tmp_path: Path) -> None:
    path = tmp_path / "small.tiktoken"
    path.write_bytes(b"".join(base64.b64encode(bytes([value])) + b" %d\n" % value for value in range(256)))
    table = complete_table_from_file(path, special_tokens={"<|endoftext|>": 256}, size=300)
    assert table.special_tokens == {"<|endoftext|>": 256}
    assert table.stop_ids == (256,)
    assert table.size == 300


def test_gap_between_ranks_is_an_id_without_text() -> None:
    assert table_from_tiktoken_file(b"YQ== 0\nYg== 2\n", "small").tokens == [b"a", None, b"b"]


@pytest.mark.parametrize(
    ("data", "named"),
    [
        (b"YQ== 0\nYg==", "line 2"),
        (b"YQ== 0\nYg 1\n", "line 2"),
        (b"YQ== 0\nYg== one\n", "line 2"),
        (b"YQ== 0\n\x00\xff\x80 1\n", "line 2"),
        (b"YQ== 0\nYg== 1 extra\nYw==", "line 2"),
        (b"YQ== 0\nYg== 0\n", "two tokens"),
        (b"YQ== 1000000000000\n", "highest id"),
        (b"YQ== -1\n", "negative"),
        (b"\n\n", "no tokens"),
        (b"YQ== " + b"9" * 5000, "line 1"),
    ],
)
def test_damaged_file_is_refused_with_its_line(data: bytes, named: str) -> None:
    with pytest.raises(VocabularyError, match=named) as caught:
        table_from_tiktoken_file(data, "some.tiktoken")
    assert caught.value.source == "some.tiktoken"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (None, r"not a tiktoken\.Encoding"),
        (object(), r"not a tiktoken\.Encoding"),
        ("cl100k_base", r"not its name; pass tiktoken\.get_encoding\('cl100k_base'\)"),
    ],
)
def test_object_that_is_no_encoding_is_refused(wrong: object, message: str) -> None:
    with pytest.raises(VocabularyError, match=message):
        table_from_tiktoken_encoding(wrong)


@pytest.mark.parametrize(
    ("highest", "named"),
    [(1 << 22, "no id may be above 4194303"), (5000, "only 3 tokens"), ((1 << 32) - 1, "no id may be above")],
)
def test_encoding_whose_highest_id_is_absurd_is_refused_at_once(highest: int, named: str) -> None:
    encoding = tiktoken.Encoding(
        "far", pat_str=".", mergeable_ranks={b"a": 0, b"b": 1}, special_tokens={"<|endoftext|>": highest}
    )
    with pytest.raises(VocabularyError, match=named) as caught:
        Vocabulary.from_tiktoken(encoding)
    assert caught.value.source == "tiktoken encoding 'far'"


def test_special_token_whose_text_is_an_ordinary_token_too_has_its_own_id() -> None:
    encoding = tiktoken.Encoding(
        "same", pat_str=".", mergeable_ranks={b"a": 0, b"b": 1}, special_tokens={"a": 2, "<|endoftext|>": 3}
    )
    vocabulary = Vocabulary.from_tiktoken(encoding)
    assert vocabulary.special_tokens == {"a": 2, "<|endoftext|>": 3}
    assert [vocabulary.token_bytes(token_id) for token_id in range(4)] == [b"a", b"b", None, None]


def test_one_token_is_told_as_one(tmp_path: Path) -> None:
    path = tmp_path / "far.tiktoken"
    path.write_text("YQ== 5000\n")
    with pytest.raises(VocabularyError, match="the highest id is 5000, but it has only 1 token;"):
        Vocabulary.from_file(path, stop_ids=[1])
