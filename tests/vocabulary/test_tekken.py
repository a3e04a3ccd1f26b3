"""Mistral's Tekken files: the packaged ones against their reference and against mistral-common."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from maskwright import Vocabulary
from maskwright.errors import VocabularyError
from maskwright.vocabulary.files import table_from_file
from maskwright.vocabulary.table import TokenTable
from maskwright.vocabulary.tekken import table_from_tekken

from .reference import load_reference
from .texts import NASTY_TEXTS, join


@pytest.fixture(scope="module")
def packaged_path(packaged: Callable[..., Path]) -> Path:
    return packaged("mistral_common", "data", "tekken_240911.json")


@pytest.fixture(scope="module")
def packaged_table(packaged_path: Path) -> TokenTable:
    return table_from_file(packaged_path)


def test_packaged_file_has_the_bytes_of_its_reference(packaged_table: TokenTable) -> None:
    reference = load_reference("tekken_v3")
    assert packaged_table.tokens == reference.tokens
    assert reference.special_tokens.items() <= packaged_table.special_tokens.items()
    assert list(packaged_table.stop_ids) == reference.stop_ids
    assert packaged_table.size == reference.size


def test_packaged_file_agrees_with_mistral_common(packaged_path: Path, packaged_table: TokenTable) -> None:
    tekken = pytest.importorskip(
        "mistral_common.tokens.tokenizers.tekken", reason="the package mistral-common is not installed"
    )
    tokenizer = tekken.Tekkenizer.from_file(packaged_path)
    assert packaged_table.size == tokenizer.n_words
    assert packaged_table.stop_ids == (tokenizer.eos_id,)
    for name, token_id in packaged_table.special_tokens.items():
        assert tokenizer.get_special_token(name) == token_id
    for token_id in range(tokenizer.num_special_tokens, tokenizer.n_words, 97):
        assert packaged_table.tokens[token_id] == tokenizer.id_to_byte_piece(token_id)
    for name, text in NASTY_TEXTS.items():
        ids = tokenizer.encode(text, bos=False, eos=False)
        assert join(packaged_table.tokens, ids) == text.encode(), name


def small_document(**changes: Any) -> dict[str, Any]:
    vocabulary = [
        {"rank": rank, "token_bytes": base64.b64encode(token).decode(), "token_str": None}
        for rank, token in enumerate([b"a", b"b", b"\xff", b"never used"])
    ]
    special_tokens = [
        {"rank": 0, "token_str": "<unk>", "is_control": True},
        {"rank": 1, "token_str": "</s>", "is_control": True},
        {"rank": 3, "token_str": "[THINK]", "is_control": True},
    ]
    document: dict[str, Any] = {
        "config": {"default_vocab_size": 8, "default_num_special_tokens": 5, "version": "v7"},
        "vocab": vocabulary,
        "special_tokens": special_tokens,
    }
    return document | changes


def test_ids_are_ranks_after_the_special_tokens() -> None:
    table = table_from_tekken(small_document(), "small")
    assert table.tokens == [None] * 5 + [b"a", b"b", b"\xff"]
    assert table.special_tokens == {"<unk>": 0, "</s>": 1, "[THINK]": 3}
    assert table.stop_ids == (1,)
    assert table.size == 8


def test_first_files_name_no_special_tokens_but_have_them() -> None:
    table = table_from_tekken(small_document(special_tokens=None), "small")
    assert table.special_tokens == {"<unk>": 0, "<s>": 1, "</s>": 2, "[INST]": 3, "[/INST]": 4}


def changed_config(**changes: Any) -> dict[str, Any]:
    return {"config": small_document()["config"] | changes}


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"config": {}}, "missing"),
        ({"config": None}, "missing"),
        ({"vocab": [{"rank": 0}]}, "missing"),
        ({"vocab": 3}, "missing"),
        ({"vocab": []}, "no tokens"),
        ({"vocab": small_document()["vocab"][:2]}, "lacks some"),
        ({"vocab": [{"rank": 0, "token_bytes": "?"}]}, "base64"),
        ({"vocab": [{"rank": 0, "token_bytes": None}]}, "base64"),
        ({"vocab": [{"rank": 10**12, "token_bytes": "YQ=="}]}, "no id may be above 4194303"),
        ({"vocab": [{"rank": 0, "token_bytes": "YQ=="}] * 3}, "two tokens"),
        (changed_config(default_vocab_size=10**12), "makes no sense"),
        (changed_config(default_vocab_size="8"), "makes no sense"),
        (changed_config(default_num_special_tokens=8), "makes no sense"),
        (changed_config(default_num_special_tokens=-1), "makes no sense"),
        ({"special_tokens": [{"rank": 0}]}, "another shape"),
        ({"special_tokens": 4}, "another shape"),
        ({"special_tokens": [{"rank": 5, "token_str": "<s>"}]}, "not 0 to 4"),
        (
            {"special_tokens": [{"rank": 1, "token_str": "<s>"}, {"rank": 1, "token_str": "<t>"}]},
            "id 1 belongs to two tokens, '<s>' and '<t>'",
        ),
        (
            {"special_tokens": [{"rank": 1, "token_str": "<s>"}, {"rank": 2, "token_str": "<s>"}]},
            "'<s>' is listed twice, with the ids 1 and 2",
        ),
        ({"special_tokens": [{"rank": [], "token_str": "<s>"}]}, "another shape"),
        ({"special_tokens": [{"rank": 1, "token_str": "\ud800"}]}, "half of a surrogate pair"),
    ],
)
def test_damaged_file_is_refused(changes: dict[str, Any], named: str, tmp_path: Path) -> None:
    path = tmp_path / "some.json"
    path.write_text(json.dumps(small_document(**changes)), encoding="utf-8")
    with pytest.raises(VocabularyError, match=named) as caught:
        Vocabulary.from_file(path, kind="tekken")
    assert caught.value.source == str(path)
    assert str(caught.value).startswith(f"{path}: ")
