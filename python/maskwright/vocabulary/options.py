"""Applies to a token table what the caller asked for: its size, further special tokens, and the stop ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import SupportsIndex

from maskwright.checking import integer, mapping, nearest_names, several, told
from maskwright.errors import VocabularyError
from maskwright.vocabulary.stop_tokens import stop_ids_beside, stop_ids_by_name
from maskwright.vocabulary.table import TokenTable, check_size, check_stop_ids, vocabulary_error

__all__ = ["SpecialNames", "apply_options", "check_given_size", "ids_by_name"]

#: Names of tokens of the tokeniser, or names with the ids that they are to stand for.
SpecialNames = Iterable[str] | Mapping[str, SupportsIndex]


def apply_options(
    table: TokenTable,
    *,
    stop_ids: Iterable[SupportsIndex] | None,
    size: SupportsIndex | None,
    special_tokens: SpecialNames | None = None,
    folder: Path | None = None,
) -> TokenTable:
    """Gives the table that the caller asked for.

    Args:
        table: what a loader gave, with the stop ids that the tokeniser itself declares.
        stop_ids: the stop ids to use, and no others; ``None`` to use all that can be found.
        size: the number of logits of the model; ``None`` for one an id.
        special_tokens: further tokens to treat as special; they lose their bytes and can be referred to by
            name. ``None`` for none.
        folder: where the files that belong to the tokeniser lie, to look for stop ids there.

    Raises:
        VocabularyError: a name is unknown, an id lies outside the vocabulary, or there is no stop id.
        TypeError: the size or an id is no integer, or `special_tokens` holds no names.
    """
    if size is not None:
        table = replace(table, size=integer(size, "size"))
    table = _with_special_tokens(table, () if special_tokens is None else special_tokens)
    if stop_ids is not None:
        table = _with_stop_ids(table, stop_ids)
        if not table.stop_ids:
            raise _no_stop_id(table)
        return table
    found = [*table.stop_ids, *stop_ids_by_name(table)]
    if folder is not None:
        found = [*table.stop_ids, *stop_ids_beside(folder, table), *stop_ids_by_name(table)]
    if not found:
        raise _no_stop_id(table)
    return _with_stop_ids(table, found)


def check_given_size(size: SupportsIndex | None, source: str) -> None:
    """Checks a size that a caller gave, before a file is read for it.

    Args:
        size: the number of logits of the model; ``None`` for one an id.
        source: what it was given for, for messages.

    Raises:
        VocabularyError: no vocabulary has this size.
        TypeError: it is no integer.
    """
    if size is not None:
        check_size(integer(size, "size"), source)


def _no_stop_id(table: TokenTable) -> VocabularyError:
    return vocabulary_error(
        table.source,
        "nothing tells which token ends a generation; pass stop_ids=[...] with the ids at which the model"
        " stops (its eos_token_id)",
    )


def _with_stop_ids(table: TokenTable, stop_ids: Iterable[SupportsIndex]) -> TokenTable:
    given = [_stop_id(token_id, table) for token_id in several(stop_ids, "stop_ids")]
    distinct = tuple(dict.fromkeys(given))
    table = replace(table, stop_ids=distinct, tokens=_without_text(table.tokens, distinct))
    check_stop_ids(table)
    return table


def _stop_id(token_id: SupportsIndex, table: TokenTable) -> int:
    """An id; of a name, what its id is."""
    known = table.special_tokens.get(token_id) if isinstance(token_id, str) else None
    if known is not None:
        raise TypeError(f"each of stop_ids is an int, not str; {told(token_id)} has the id {known}")
    return integer(token_id, "each of stop_ids")


def _with_special_tokens(table: TokenTable, given: SpecialNames) -> TokenTable:
    name = "special_tokens"
    if isinstance(given, str):
        raise TypeError(f"{name} is the text {given!r}; pass a list of names, or names with their ids")
    if isinstance(given, Mapping):
        wanted = ids_by_name(mapping(given, name, "{'<|endoftext|>': 100257}"))
    else:
        wanted = {text: _find(text, table) for text in several(given, name)}
    if not wanted:
        return table
    checked = replace(table, special_tokens={**table.special_tokens, **wanted})
    return replace(checked, tokens=_without_text(checked.tokens, wanted.values()))


def ids_by_name(named: Mapping[str, SupportsIndex]) -> dict[str, int]:
    """The ids that a caller gave by the names of special tokens.

    Raises:
        TypeError: an id is no integer.
    """
    return {name: integer(token_id, f"the id of {name!r}") for name, token_id in named.items()}


def _without_text(tokens: list[bytes | None], ids: Iterable[int]) -> list[bytes | None]:
    changed = list(tokens)
    for token_id in ids:
        if 0 <= token_id < len(changed):
            changed[token_id] = None
    return changed


def _find(name: str, table: TokenTable) -> int:
    """Gives the id of a token by its name, or by its text where it is an ordinary token."""
    token_id = table.special_tokens.get(name)
    if token_id is not None:
        return token_id
    try:
        return table.tokens.index(name.encode())
    except (ValueError, AttributeError):
        near = nearest_names(str(name), table.special_tokens, count=3)
        hint = f"; near it are {', '.join(near)}" if near else ""
        raise vocabulary_error(
            table.source,
            f"it has no token {name!r} to treat as special{hint}. Give its id if the file does not name it:"
            f" special_tokens={{{name!r}: ID}}",
        ) from None
