"""What a caller may ask of any table: its size, further special tokens, and which ids end a generation."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from maskwright.errors import VocabularyError
from maskwright.vocabulary.options import SpecialNames, apply_options
from maskwright.vocabulary.table import LARGEST_SIZE, TokenTable


def table_with(special_tokens: dict[str, int], tokens: list[bytes | None] | None = None) -> TokenTable:
    tokens = [b"a", b"b", b"</s>", None, None, None, b"<think>"] if tokens is None else tokens
    return TokenTable(tokens, special_tokens, (), len(tokens), "a test")


def stop_ids_of(special_tokens: dict[str, int], folder: Path | None = None) -> set[int]:
    return set(apply_options(table_with(special_tokens), stop_ids=None, size=None, folder=folder).stop_ids)


@pytest.mark.parametrize(
    "name",
    ["<|endoftext|>", "<|eot_id|>", "<|im_end|>", "<end_of_turn>", "</s>", "<eos>", "<|return|>", "<|end|>"],
)
def test_well_known_name_of_a_special_token_is_a_stop(name: str) -> None:
    assert stop_ids_of({name: 3, "<other>": 4}) == {3}


def test_the_id_of_a_stop_token_given_by_name_is_told() -> None:
    names: Any = ["<|eot_id|>"]
    with pytest.raises(
        TypeError, match=r"^each of stop_ids is an int, not str; '<\|eot_id\|>' has the id 4$"
    ):
        apply_options(table_with({"<|eot_id|>": 4}), stop_ids=names, size=None)


def test_all_well_known_names_count_together() -> None:
    assert stop_ids_of({"<|end_of_text|>": 3, "<|eot_id|>": 4, "<|eom_id|>": 5}) == {3, 4, 5}


def test_name_that_is_text_too_is_no_stop_unless_special() -> None:
    # </s> at the id 2 has bytes here, as where it closes struck-out text in HTML.
    assert stop_ids_of({"</s>": 2, "<|im_end|>": 3}) == {3}


def test_end_of_a_harmony_message_is_no_stop() -> None:
    assert stop_ids_of({"<|end|>": 3, "<|return|>": 4, "<|channel|>": 5}) == {4}


def test_stop_declared_by_the_table_comes_first() -> None:
    table = TokenTable([b"a", None, None], {"<|im_end|>": 1}, (2,), 3, "a test")
    assert apply_options(table, stop_ids=None, size=None).stop_ids == (2, 1)


def test_explicit_stop_ids_are_used_alone_and_lose_their_bytes() -> None:
    table = apply_options(table_with({"<|im_end|>": 3}), stop_ids=[1, 0, 1], size=None)
    assert table.stop_ids == (1, 0)
    assert table.tokens[:3] == [None, None, b"</s>"]


def test_no_stop_ids_on_purpose_are_refused_too() -> None:
    with pytest.raises(VocabularyError, match=r"pass stop_ids=\["):
        apply_options(table_with({"<|im_end|>": 3}), stop_ids=(), size=None)


def test_no_stop_id_at_all_asks_for_them() -> None:
    with pytest.raises(VocabularyError, match=r"pass stop_ids=\[") as caught:
        stop_ids_of({"<other>": 4})
    assert caught.value.source == "a test"


@pytest.mark.parametrize(
    ("file_name", "content"),
    [
        ("generation_config.json", {"eos_token_id": [3, 4]}),
        ("tokenizer_config.json", {"eos_token": "<x>"}),
        ("special_tokens_map.json", {"eos_token": {"content": "<x>", "lstrip": False}}),
    ],
)
def test_files_beside_declare_stop_ids(file_name: str, content: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / file_name).write_text(json.dumps(content), encoding="utf-8")
    expected = {3, 4} if "eos_token_id" in content else {5}
    assert stop_ids_of({"<x>": 5, "<y>": 4}, tmp_path) == expected


def test_files_beside_and_well_known_names_count_together(tmp_path: Path) -> None:
    (tmp_path / "generation_config.json").write_text('{"eos_token_id": 3}', encoding="utf-8")
    (tmp_path / "tokenizer_config.json").write_text('{"eos_token": "<absent>"}', encoding="utf-8")
    (tmp_path / "special_tokens_map.json").write_text('{"eos_token": null}', encoding="utf-8")
    assert stop_ids_of({"<|im_end|>": 4}, tmp_path) == {3, 4}


@pytest.mark.parametrize("declared", [7, -1, "2", 1.5, True, [3, 10**12]])
def test_stop_id_outside_the_vocabulary_beside_is_refused(declared: object, tmp_path: Path) -> None:
    path = tmp_path / "generation_config.json"
    path.write_text(json.dumps({"eos_token_id": declared}), encoding="utf-8")
    with pytest.raises(VocabularyError, match="eos_token_id") as caught:
        stop_ids_of({"<|im_end|>": 4}, tmp_path)
    assert caught.value.source == str(path)


@pytest.mark.parametrize("content", [b"{", b"[]", b"", b"\xff\xfe"])
def test_damaged_file_beside_is_refused_by_its_name(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer_config.json"
    path.write_bytes(content)
    with pytest.raises(VocabularyError, match=r"tokenizer_config\.json"):
        stop_ids_of({"<|im_end|>": 4}, tmp_path)


@pytest.mark.parametrize("stop_ids", [[7], [-1], [np.int64(7)]])
def test_impossible_stop_ids_are_refused(stop_ids: Any) -> None:
    with pytest.raises(VocabularyError, match="a test"):
        apply_options(table_with({}), stop_ids=stop_ids, size=None)


def test_stop_ids_of_numpy_are_ids() -> None:
    assert apply_options(table_with({}), stop_ids=np.array([1, 0]), size=None).stop_ids == (1, 0)


@pytest.mark.parametrize("size", [6, 0, -1, LARGEST_SIZE + 1, 10**12])
def test_impossible_size_is_refused(size: Any) -> None:
    with pytest.raises(VocabularyError, match="size"):
        apply_options(table_with({}), stop_ids=[3], size=size)


def test_logits_wider_than_the_tokens() -> None:
    table = apply_options(table_with({}), stop_ids=[9], size=10)
    assert table.size == 10
    assert table.stop_ids == (9,)
    assert len(table.tokens) == 7


@pytest.mark.parametrize("special", [["<think>"], {"<think>": 6}])
def test_further_special_token_loses_its_bytes(special: SpecialNames) -> None:
    table = apply_options(table_with({"<think>": 6}), stop_ids=[3], size=None, special_tokens=special)
    assert table.tokens[6] is None
    assert table.special_tokens["<think>"] == 6


def test_ordinary_token_becomes_special_by_its_text() -> None:
    table = apply_options(table_with({}), stop_ids=[3], size=None, special_tokens=["<think>"])
    assert table.special_tokens == {"<think>": 6}
    assert table.tokens[6] is None


def test_special_token_beyond_the_tokens() -> None:
    table = apply_options(table_with({}), stop_ids=[3], size=9, special_tokens={"<new>": 8})
    assert table.special_tokens == {"<new>": 8}


@pytest.mark.parametrize(
    ("special", "named"),
    [
        (["<thinc>"], "near it are <think>"),
        (["nowhere"], "no token 'nowhere'"),
        ({"<new>": 7}, "ids go from 0 to 6"),
        ({"\ud800": 5}, r"name '\\ud800' of a special token holds half of a surrogate pair"),
        (["\ud800"], r"no token '\\ud800'"),
    ],
)
def test_unknown_special_token_is_refused(special: Any, named: str) -> None:
    with pytest.raises(VocabularyError, match=f"^a test: .*{named}"):
        apply_options(table_with({"<think>": 6}), stop_ids=[3], size=None, special_tokens=special)


@pytest.mark.parametrize("special", [5, b"<think>", {5: 6}, "<think>"])
def test_what_holds_no_names_of_special_tokens_is_refused_by_its_argument(special: Any) -> None:
    with pytest.raises(TypeError, match=r"^special_tokens "):
        apply_options(table_with({}), stop_ids=[3], size=None, special_tokens=special)


def test_options_leave_the_given_table_as_it_was() -> None:
    table = table_with({"<think>": 6})
    asked: Iterable[int] = (token_id for token_id in (0, 1))
    apply_options(table, stop_ids=asked, size=12, special_tokens=["<think>"])
    assert table.tokens[0] == b"a"
    assert table.tokens[6] == b"<think>"
    assert table.size == 7
