"""Reads a tokeniser file of whatever kind: the short driver over the loaders of this package."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import SupportsIndex

from maskwright.checking import did_you_mean, path_of
from maskwright.vocabulary.detect import HEAD_LENGTH, KINDS, Kind, detect_json_kind, detect_kind
from maskwright.vocabulary.gguf_file import table_from_gguf
from maskwright.vocabulary.options import SpecialNames, apply_options, check_given_size
from maskwright.vocabulary.reading import check_regular_file, parse_json, read_tokeniser_file
from maskwright.vocabulary.sentencepiece_model import table_from_model_bytes
from maskwright.vocabulary.table import TokenTable, vocabulary_error
from maskwright.vocabulary.tekken import table_from_tekken
from maskwright.vocabulary.tiktoken_file import table_from_tiktoken_file
from maskwright.vocabulary.tokenizer_json import table_from_tokenizer_json

__all__ = ["complete_table_from_file", "table_from_file"]

_JSON_LOADERS = {"tekken": table_from_tekken, "tokenizer-json": table_from_tokenizer_json}


def table_from_file(path: str | os.PathLike[str], *, kind: Kind | None = None) -> TokenTable:
    """Reads a tokeniser file.

    Args:
        path: the file.
        kind: what it is; ``None`` to tell from its content.

    Returns:
        What the file itself says, with the stop ids that it declares, which may be none.

    Raises:
        VocabularyError: the file cannot be read, is of no known kind or not of the kind given, or is damaged.
        TypeError: `path` or `kind` is of another type.
    """
    if kind is not None and not isinstance(kind, str):
        raise TypeError(f"kind is a str, such as 'tekken', or None, not {type(kind).__name__}")
    checked = check_regular_file(path)
    source = str(checked)
    if kind is not None and kind not in KINDS:
        listed = ", ".join(KINDS) + did_you_mean(kind, KINDS)
        raise vocabulary_error(source, f"the kind {kind!r} is not known; the kinds are {listed}")
    found = kind or detect_kind(_head(checked), source)
    if found == "gguf":
        return table_from_gguf(checked)
    data = read_tokeniser_file(checked, binary=found == "sentencepiece")
    if found == "tiktoken":
        return table_from_tiktoken_file(data, source)
    if found == "sentencepiece":
        return table_from_model_bytes(data, source)
    document = parse_json(data, source)
    return _JSON_LOADERS[kind or detect_json_kind(document, source)](document, source)


def _head(path: os.PathLike[str]) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(HEAD_LENGTH)
    except OSError as error:
        raise vocabulary_error(str(path), f"the file cannot be read ({error.strerror})") from error


def complete_table_from_file(
    path: str | os.PathLike[str],
    *,
    kind: Kind | None = None,
    stop_ids: Iterable[SupportsIndex] | None = None,
    size: SupportsIndex | None = None,
    special_tokens: SpecialNames | None = None,
) -> TokenTable:
    """Reads a tokeniser file and applies the options of the caller.

    The arguments, and the errors, are those of :meth:`maskwright.Vocabulary.from_file`.
    """
    check_given_size(size, str(path_of(path, "path")))
    table = table_from_file(path, kind=kind)
    folder = check_regular_file(path).parent
    return apply_options(table, stop_ids=stop_ids, size=size, special_tokens=special_tokens, folder=folder)
