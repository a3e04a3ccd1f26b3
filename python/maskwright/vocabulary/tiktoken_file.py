"""Reads tiktoken rank files: one token a line, the base64 of its bytes, a space, and its id.

Such a file holds the ordinary tokens only. Which ids stand for ``<|endoftext|>`` and its like is written in
the code that goes with the model, so the caller has to say it: ``special_tokens={"<|endoftext|>": 100257}``.
"""

from __future__ import annotations

import binascii
from typing import Any

from maskwright.errors import VocabularyError
from maskwright.vocabulary.table import TokenTable, arrange_tokens, check_extent, vocabulary_error

__all__ = ["table_from_tiktoken_encoding", "table_from_tiktoken_file"]


def table_from_tiktoken_file(data: bytes, source: str) -> TokenTable:
    """Reads the content of a ``.tiktoken`` file.

    Args:
        data: the whole content.
        source: the name of the file, for messages.

    Returns:
        A table without special tokens and without stop ids, since the format has none.

    Raises:
        VocabularyError: a line is not ``base64 id``, or an id stands twice.
    """
    try:
        words = data.split()
        values = [binascii.a2b_base64(word, strict_mode=True) for word in words[0::2]]
        ids = list(map(int, words[1::2]))
        regular = len(values) == len(ids)
    except ValueError:
        regular = False
    if not regular:
        raise _first_bad_line(data, source)
    tokens = arrange_tokens(ids, values, source)
    return TokenTable(tokens, {}, (), len(tokens), source)


def _first_bad_line(data: bytes, source: str) -> VocabularyError:
    """Gives the error that names the first line that is not ``base64 id``."""
    for number, line in enumerate(data.splitlines(), start=1):
        words = line.split()
        try:
            if not words:
                continue
            encoded, identifier = words
            binascii.a2b_base64(encoded, strict_mode=True)
            int(identifier)
        except ValueError:
            excerpt = line[:60].decode("utf-8", "replace")
            return vocabulary_error(
                source,
                f"line {number} is {excerpt!r}, but each line has to be the base64 of a token, a space and"
                " its id; the file is damaged, cut short, or not a tiktoken file",
            )
    return vocabulary_error(source, "the lines are not those of a tiktoken file")


def table_from_tiktoken_encoding(encoding: Any) -> TokenTable:
    """Takes the tokens out of a ``tiktoken.Encoding``.

    Args:
        encoding: what ``tiktoken.get_encoding`` gives.

    Returns:
        A table with the encoding's special tokens by name and without stop ids, since an encoding names none.

    Raises:
        VocabularyError: the object is not a tiktoken encoding, or an id lies absurdly high.
    """
    if isinstance(encoding, str):
        raise vocabulary_error(
            "str", f"an encoding is needed, not its name; pass tiktoken.get_encoding({encoding!r})"
        )
    try:
        source = f"tiktoken encoding {encoding.name!r}"
        special_tokens = _special_tokens_of(encoding)
        token_bytes = encoding.decode_single_token_bytes
        highest = encoding.max_token_value
        count = len(encoding.token_byte_values()) + len(special_tokens)
        size = encoding.n_vocab
    except AttributeError as error:
        raise vocabulary_error(
            f"{type(encoding).__module__}.{type(encoding).__qualname__}",
            f"this is not a tiktoken.Encoding ({error}); pass what tiktoken.get_encoding gives",
        ) from error
    check_extent(0, highest, count, source)
    special_ids = set(special_tokens.values())
    ids: list[int] = []
    values: list[bytes | None] = []
    for token_id in range(highest + 1):
        if token_id in special_ids:
            ids.append(token_id)
            values.append(None)
            continue
        try:
            values.append(token_bytes(token_id))
        except KeyError:
            # An encoding may leave ids out; the table has them without text.
            continue
        ids.append(token_id)
    tokens = arrange_tokens(ids, values, source)
    return TokenTable(tokens, special_tokens, (), max(size, len(tokens)), source)


def _special_tokens_of(encoding: Any) -> dict[str, int]:
    """Gives the special tokens of an encoding by name.

    Raises:
        AttributeError: the object is not a tiktoken encoding.
    """
    # `encode_single_token` looks among the ordinary tokens first, one of which may have the same text. Only
    # the table below the methods tells them apart.
    listed = getattr(encoding, "_special_tokens", None)
    if isinstance(listed, dict):
        return {name: listed[name] for name in sorted(listed)}
    return {name: encoding.encode_single_token(name) for name in sorted(encoding.special_tokens_set)}
