"""Reads Mistral's Tekken files (``tekken.json``).

The file lists more byte strings than the model uses, ordered by rank. The model's ids are laid out so: first
``default_num_special_tokens`` ids for special tokens, then the byte strings of the lowest ranks, up to
``default_vocab_size`` ids in all. So the id of a byte string is its rank plus the number of special tokens.
"""

from __future__ import annotations

import binascii
from typing import Any

from maskwright.vocabulary.table import (
    LARGEST_SIZE,
    TokenTable,
    arrange_tokens,
    distinct_names,
    excerpt,
    vocabulary_error,
)

__all__ = ["table_from_tekken"]

_END_OF_SEQUENCE = "</s>"

# The first Tekken files name no special tokens; these are theirs, by id. Ids beyond are unused.
_NAMES_OF_EARLY_FILES = (
    "<unk>",
    "<s>",
    _END_OF_SEQUENCE,
    "[INST]",
    "[/INST]",
    "[AVAILABLE_TOOLS]",
    "[/AVAILABLE_TOOLS]",
    "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]",
    "[TOOL_CALLS]",
    "[IMG]",
    "<pad>",
    "[IMG_BREAK]",
    "[IMG_END]",
    "[PREFIX]",
    "[MIDDLE]",
    "[SUFFIX]",
    "[SYSTEM_PROMPT]",
    "[/SYSTEM_PROMPT]",
    "[TOOL_CONTENT]",
)


def table_from_tekken(document: dict[str, Any], source: str) -> TokenTable:
    """Reads a parsed Tekken file.

    Args:
        document: the JSON object of the file.
        source: the name of the file, for messages.

    Returns:
        A table whose special tokens have no text, with ``</s>`` as stop id where the file has it.

    Raises:
        VocabularyError: a field is missing or damaged, or there are fewer byte strings than promised.
    """
    try:
        config = document["config"]
        special_count = config["default_num_special_tokens"]
        size = config["default_vocab_size"]
        entries = document["vocab"]
        ranks = [entry["rank"] for entry in entries]
        encoded = [entry["token_bytes"] for entry in entries]
    except (KeyError, TypeError) as error:
        raise vocabulary_error(
            source,
            f"the parts of a Tekken file are missing or have another shape ({error}); it needs"
            " config.default_vocab_size, config.default_num_special_tokens, and a vocab of objects with rank"
            " and token_bytes",
        ) from error
    if not _is_count(size) or not _is_count(special_count) or special_count >= size:
        raise vocabulary_error(
            source,
            f"a vocabulary of {excerpt(size)} ids with {excerpt(special_count)} special tokens"
            " makes no sense",
        )
    special_tokens = _special_tokens(document, special_count, source)
    kept = size - special_count
    by_rank = arrange_tokens(ranks, _decode_all(encoded, source), source)
    if len(by_rank) < kept or None in by_rank[:kept]:
        raise vocabulary_error(
            source, f"it promises {kept} byte strings but lacks some; the file is damaged or cut short"
        )
    tokens = [None] * special_count + by_rank[:kept]
    stop_ids = (special_tokens[_END_OF_SEQUENCE],) if _END_OF_SEQUENCE in special_tokens else ()
    return TokenTable(tokens, special_tokens, stop_ids, size, source)


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value <= LARGEST_SIZE


def _decode_all(encoded: list[Any], source: str) -> list[bytes]:
    try:
        return [binascii.a2b_base64(text, strict_mode=True) for text in encoded]
    except (ValueError, TypeError) as error:
        raise vocabulary_error(
            source, f"a token_bytes field is not base64 ({error}); the file is damaged, fetch it again"
        ) from error


def _special_tokens(document: dict[str, Any], special_count: int, source: str) -> dict[str, int]:
    """Gives the special tokens by name, from the file or, for the first files, from the fixed list."""
    listed = document.get("special_tokens")
    if listed is None:
        return dict(zip(_NAMES_OF_EARLY_FILES, range(special_count), strict=False))
    try:
        named = [(entry["token_str"], entry["rank"]) for entry in listed]
        special_tokens = distinct_names(named, source)
    except (KeyError, TypeError) as error:
        raise vocabulary_error(source, f"special_tokens has another shape ({error})") from error
    for name, token_id in special_tokens.items():
        if not _is_count(token_id) or token_id >= special_count or not isinstance(name, str):
            raise vocabulary_error(
                source,
                f"the special token {name!r} has the id {excerpt(token_id)}, not 0 to {special_count - 1}",
            )
    return special_tokens
