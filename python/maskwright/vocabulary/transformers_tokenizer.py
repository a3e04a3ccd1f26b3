"""Takes the tokens out of a tokeniser object of ``transformers`` or ``tokenizers``, without importing either.

A fast tokeniser carries a whole ``tokenizer.json`` and is read as one. A slow one is read by what it is built
on: a SentencePiece model, or the byte-level alphabet with a table of pieces.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from maskwright.checking import integer
from maskwright.errors import VocabularyError
from maskwright.vocabulary.byte_level import byte_of_character, decode_byte_level
from maskwright.vocabulary.pieces import SPACE_MARK, decode_pieces
from maskwright.vocabulary.reading import parse_json
from maskwright.vocabulary.sentencepiece_model import table_from_sentencepiece
from maskwright.vocabulary.table import TokenTable, arrange_tokens, excerpt, vocabulary_error
from maskwright.vocabulary.tokenizer_json import table_from_tokenizer_json

__all__ = ["folder_of", "table_from_transformers"]


def table_from_transformers(tokenizer: Any) -> TokenTable:
    """Reads a tokeniser object.

    Args:
        tokenizer: a fast or slow tokeniser of ``transformers``, or a ``tokenizers.Tokenizer``.

    Returns:
        A table with the added tokens by name, and the tokeniser's ``eos_token_id`` as stop id, or
        as several where it is a list.

    Raises:
        VocabularyError: nothing in the object tells the bytes of its tokens, or its ``eos_token_id`` is no
            id.
    """
    source = _describe(tokenizer)
    backend = getattr(tokenizer, "backend_tokenizer", tokenizer)
    if callable(getattr(backend, "to_str", None)):
        table = table_from_tokenizer_json(parse_json(backend.to_str().encode(), source), source, in_use=True)
    elif hasattr(tokenizer, "sp_model"):
        table = _table_of_slow_sentencepiece(tokenizer, source)
    elif getattr(tokenizer, "byte_decoder", None) == byte_of_character():
        table = _table_of_slow_byte_level(tokenizer, source)
    elif isinstance(tokenizer, str | os.PathLike):
        raise vocabulary_error(
            source,
            "a tokeniser is needed, not its name or folder; pass what AutoTokenizer.from_pretrained gives, "
            "or use Vocabulary.from_file",
        )
    else:
        raise vocabulary_error(
            source,
            "nothing in this object tells the bytes of its tokens; load the fast version of the tokeniser"
            " (use_fast=True), or use Vocabulary.from_file, from_tiktoken, from_sentencepiece or from_tokens",
        )
    return replace(table, stop_ids=_declared_stop_ids(tokenizer, source))


def _declared_stop_ids(tokenizer: Any, source: str) -> tuple[int, ...]:
    """Gives the ``eos_token_id`` of a tokeniser: one, several, or none."""
    declared = getattr(tokenizer, "eos_token_id", None)
    if declared is None:
        return ()
    try:
        several = list(declared) if isinstance(declared, Iterable) else [declared]
        return tuple(integer(token_id, "eos_token_id") for token_id in several)
    except TypeError as error:
        raise vocabulary_error(
            source, f"its eos_token_id is {excerpt(declared)}, which is neither an id nor several"
        ) from error


def folder_of(tokenizer: Any) -> Path | None:
    """Gives the folder that a tokeniser was loaded from, if it lies on this machine."""
    name = getattr(tokenizer, "name_or_path", None)
    if not isinstance(name, str) or not name:
        return None
    try:
        folder = Path(name)
        return folder if folder.is_dir() else None
    except (OSError, ValueError):
        return None


def _describe(tokenizer: Any) -> str:
    kind = type(tokenizer).__qualname__
    name = getattr(tokenizer, "name_or_path", None)
    return f"{kind} {name!r}" if isinstance(name, str) and name else kind


def _table_of_slow_sentencepiece(tokenizer: Any, source: str) -> TokenTable:
    """Reads a slow tokeniser whose ids may differ from those of the SentencePiece model below it."""
    model = table_from_sentencepiece(tokenizer.sp_model)
    pieces = _pieces_by_id(tokenizer, source)
    with_spaces = [(SPACE_MARK, " ")]
    byte_fallback = b"\xff" in model.tokens  # a model has all byte tokens or none
    decoded: list[bytes | None] = [
        *decode_pieces(list(pieces.values()), with_spaces, byte_fallback=byte_fallback, source=source)
    ]
    tokens = arrange_tokens(list(pieces), decoded, source)
    ids = {piece: token_id for token_id, piece in pieces.items()}
    named = {name: ids[name] for name in model.special_tokens if name in ids}
    for name, token_id in named.items():
        if model.tokens[model.special_tokens[name]] is None:
            tokens[token_id] = None
    named |= _special_pieces(tokenizer, pieces)
    return _with_added_tokens(tokenizer, tokens, named, source)


def _table_of_slow_byte_level(tokenizer: Any, source: str) -> TokenTable:
    pieces = _pieces_by_id(tokenizer, source)
    decoded: list[bytes | None] = [*decode_byte_level(list(pieces.values()), source)]
    tokens = arrange_tokens(list(pieces), decoded, source)
    return _with_added_tokens(tokenizer, tokens, _special_pieces(tokenizer, pieces), source)


def _pieces_by_id(tokenizer: Any, source: str) -> dict[int, str]:
    try:
        ids = sorted(set(tokenizer.get_vocab().values()))
        pieces = tokenizer.convert_ids_to_tokens(ids)
    except VocabularyError:
        raise
    except Exception as error:  # the code of any tokeniser class runs here
        raise vocabulary_error(source, f"its get_vocab and convert_ids_to_tokens fail ({error})") from error
    return dict(zip(ids, pieces, strict=True))


def _special_ids(tokenizer: Any) -> set[int]:
    """Gives the ids of the tokens that a tokeniser uses as special ones, among its added tokens or not."""
    return set(getattr(tokenizer, "all_special_ids", []))


def _special_pieces(tokenizer: Any, pieces: dict[int, str]) -> dict[str, int]:
    """Gives the pieces by name that a tokeniser uses as special tokens: it need not have added them."""
    return {pieces[token_id]: token_id for token_id in sorted(_special_ids(tokenizer)) if token_id in pieces}


def _with_added_tokens(
    tokenizer: Any, tokens: list[bytes | None], named: dict[str, int], source: str
) -> TokenTable:
    """Puts in the added tokens: a slow tokeniser writes the content of those that are not special."""
    added = getattr(tokenizer, "added_tokens_decoder", {})
    special_ids = _special_ids(tokenizer)
    names = dict(named)
    for token_id in special_ids.intersection(named.values()):
        tokens[token_id] = None
    for token_id, token in added.items():
        content = str(token)
        names[content] = token_id
        if token_id >= len(tokens):
            tokens.extend([None] * (token_id + 1 - len(tokens)))
        special = getattr(token, "special", True) or token_id in special_ids
        tokens[token_id] = None if special else content.encode()
    return TokenTable(tokens, names, (), len(tokens), source)
