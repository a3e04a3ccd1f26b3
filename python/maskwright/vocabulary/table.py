"""The token table: what every loader of this package gives, whatever file it read.

A loader takes a tokeniser in one format and gives a :class:`TokenTable`: the bytes of every id, the names
of the tokens that a grammar may refer to exactly, and the stop ids that the file itself declares. The
options of the caller are applied by :mod:`maskwright.vocabulary.options`, and the result is handed to the
native class, which builds the trie.

Two rules hold for every format:

- A token's bytes are what the tokeniser's own decoder writes for it in the middle of a text. What a
  decoder does only at the start of a text (dropping the space that SentencePiece puts there) is a matter of
  encoding and is left out.
- A special token has no bytes, so that the same characters, typed as text, never stand for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from maskwright.checking import counted, told
from maskwright.errors import VocabularyError

__all__ = [
    "LARGEST_SIZE",
    "LARGEST_TEXT",
    "LONGEST_TOKEN",
    "TokenTable",
    "arrange_tokens",
    "check_extent",
    "check_lengths",
    "check_size",
    "check_stop_ids",
    "distinct_names",
    "excerpt",
    "overlay_tokens",
    "vocabulary_error",
]

#: No vocabulary may have more ids than this, about sixteen times the largest in use.
LARGEST_SIZE = 1 << 22

#: No token may have more bytes than this; real ones have a few hundred at most.
LONGEST_TOKEN = 1 << 16

#: All tokens together may have this many bytes; those of real tokenisers have one or two million. The trie
#: takes some 40 times as much memory, which this bounds to less than a gigabyte.
LARGEST_TEXT = 1 << 24

# Real tokenisers leave some ids without a token (cl100k_base leaves 15); a file whose ids are mostly
# unused is damaged, and filling the holes would let it ask for any amount of memory.
_GAPS_ALWAYS_ALLOWED = 1024

_MOST_CHARACTERS_SHOWN = 80


def vocabulary_error(source: str, reason: str) -> VocabularyError:
    """Gives the error for a fault in ``source``, with the source named in front of the reason."""
    return VocabularyError(f"{source}: {reason}", source=source)


@dataclass(frozen=True, slots=True)
class TokenTable:
    """The tokens of one tokeniser, by id.

    Attributes:
        tokens: the bytes of each id, ``None`` where an id has no text (special or unused).
        special_tokens: name to id, for every token that a grammar may refer to by its name. A token that the
            tokeniser added without flagging it as special is named here and keeps its bytes as well.
        stop_ids: the ids that end a generation. A loader gives those that the tokeniser declares, which may
            lie beyond the tokens, since the caller may give others, or the size that makes room for them; see
            :func:`check_stop_ids`.
        size: the number of logits of the model, which may be more than there are tokens.
        source: the file or the object that the table was read from, for messages.

    Raises:
        VocabularyError: the id of a special token lies outside ``0 <= id < size``, its name is not encodable
            text, or ``size`` is less than the number of tokens or more than :data:`LARGEST_SIZE`.

    Example:
        >>> table = TokenTable([b"a", b"b", None], {"<end>": 2}, (2,), 3, "an example")
        >>> table.tokens[1]
        b'b'
    """

    tokens: list[bytes | None]
    special_tokens: Mapping[str, int]
    stop_ids: tuple[int, ...]
    size: int
    source: str

    def __post_init__(self) -> None:
        check_size(self.size, self.source)
        if len(self.tokens) > self.size:
            raise vocabulary_error(
                self.source,
                f"the size is {self.size}, but it has {counted(len(self.tokens), 'token')}; pass the number"
                " of logits of the model as size, or leave it out",
            )
        for name, token_id in self.special_tokens.items():
            _check_name(name, self.source)
            _check_id(f"the special token {excerpt(name)}", token_id, self)


def check_size(size: object, source: str) -> None:
    """Checks that a vocabulary may have a size.

    Raises:
        VocabularyError: it is no integer from 1 to :data:`LARGEST_SIZE`.
    """
    if type(size) is not int or not 0 < size <= LARGEST_SIZE:
        raise vocabulary_error(
            source, f"the size is {excerpt(size)}, but it has to be from 1 to {LARGEST_SIZE}"
        )


def check_stop_ids(table: TokenTable) -> None:
    """Checks that the stop ids are ids of the table.

    Raises:
        VocabularyError: one lies outside ``0 <= id < size``.
    """
    for token_id in table.stop_ids:
        _check_id("the stop token", token_id, table, remedy="pass stop_ids=[...], ")


def _check_name(name: str, source: str) -> None:
    try:
        name.encode()
    except UnicodeEncodeError:
        raise vocabulary_error(
            source,
            f"the name {excerpt(name)} of a special token holds half of a surrogate pair; correct it, or"
            " fetch the file again",
        ) from None


def _check_id(what: str, token_id: object, table: TokenTable, remedy: str = "") -> None:
    if type(token_id) is not int or not 0 <= token_id < table.size:
        raise vocabulary_error(
            table.source,
            f"{what} has the id {excerpt(token_id)}, but ids go from 0 to {table.size - 1}; correct the id,"
            f" {remedy}or pass the number of logits of the model as size if that is greater",
        )


def check_lengths(table: TokenTable) -> None:
    """Checks that the tokens are short enough for a trie of them to fit into memory.

    Raises:
        VocabularyError: a token has more than :data:`LONGEST_TOKEN` bytes, or all together have more than
            :data:`LARGEST_TEXT`.
    """
    lengths = [len(token) if token else 0 for token in table.tokens]
    longest = max(lengths, default=0)
    if longest > LONGEST_TOKEN:
        raise vocabulary_error(
            table.source,
            f"the token of the id {lengths.index(longest)} has {longest} bytes, but no token may have more"
            f" than {LONGEST_TOKEN}; give the id no bytes (None, or special), or correct it",
        )
    total = sum(lengths)
    if total > LARGEST_TEXT:
        raise vocabulary_error(
            table.source,
            f"its tokens have {total} bytes together, but no vocabulary may have more than {LARGEST_TEXT};"
            f" the longest is that of the id {lengths.index(longest)}, with {longest}",
        )


def _check_ids(ids: Sequence[int], values: Sequence[bytes | None], source: str) -> None:
    """Checks that ids are those of a vocabulary, in whatever order.

    Raises:
        VocabularyError: an id is not an integer, is negative, is given twice or lies absurdly high, or there
            is no id at all.
    """
    if not ids:
        raise vocabulary_error(source, "it holds no tokens; is this the right file?")
    if set(map(type, ids)) != {int}:
        culprit = next(token_id for token_id in ids if type(token_id) is not int)
        raise vocabulary_error(
            source, f"the id {excerpt(culprit)} is not a whole number; the file is damaged, fetch it again"
        )
    check_extent(min(ids), max(ids), len(ids), source)
    if len(set(ids)) != len(ids):
        _refuse_repeated(zip(ids, values, strict=True), source)


def _refuse_repeated(tokens: Iterable[tuple[int, object]], source: str) -> None:
    """Refuses the first id that two tokens have, and names both."""
    owners: dict[int, object] = {}
    for token_id, token in tokens:
        if token_id in owners:
            raise vocabulary_error(
                source,
                f"the id {excerpt(token_id)} belongs to two tokens, {excerpt(owners[token_id])} and"
                f" {excerpt(token)}; the file is"
                " damaged, fetch it again",
            )
        owners[token_id] = token


def distinct_names(named: Iterable[tuple[str, int]], source: str) -> dict[str, int]:
    """Gives ids by name, where each name and each id comes once.

    Args:
        named: names with their ids.
        source: where they come from, for messages.

    Raises:
        VocabularyError: a name or an id comes twice.
        TypeError: a name or an id cannot be one.
    """
    ids: dict[str, int] = {}
    for name, token_id in named:
        if name in ids:
            raise vocabulary_error(
                source,
                f"the token {excerpt(name)} is listed twice, with the ids {excerpt(ids[name])} and"
                f" {excerpt(token_id)}; the file is"
                " damaged, fetch it again",
            )
        ids[name] = token_id
    _refuse_repeated(((token_id, name) for name, token_id in ids.items()), source)
    return ids


def check_extent(lowest: int, highest: int, count: int, source: str) -> None:
    """Checks that no id is negative, and that those up to the highest are neither too many nor mostly unused.

    Args:
        lowest: the least id.
        highest: the greatest id.
        count: how many tokens there are.
        source: where they come from, for messages.

    Raises:
        VocabularyError: they are not so.
    """
    if lowest < 0:
        raise vocabulary_error(
            source, f"the id {excerpt(lowest)} is negative; the file is damaged, fetch it again"
        )
    if highest >= LARGEST_SIZE:
        raise vocabulary_error(
            source, f"the highest id is {excerpt(highest)}, but no id may be above {LARGEST_SIZE - 1}"
        )
    if highest + 1 - count > max(_GAPS_ALWAYS_ALLOWED, count):
        raise vocabulary_error(
            source,
            f"the highest id is {highest}, but it has only {counted(count, 'token')}; the file is damaged,"
            " fetch it again",
        )


def excerpt(value: object) -> str:
    """What a message shows of a value from a file: its first characters.

    Example:
        >>> excerpt(10**9)
        '1000000000'
        >>> excerpt(10**5000)
        'about 10**5000'
    """
    text = told(value)
    return text if len(text) <= _MOST_CHARACTERS_SHOWN else f"{text[:_MOST_CHARACTERS_SHOWN]}..."


def arrange_tokens(ids: Sequence[int], values: Sequence[bytes | None], source: str) -> list[bytes | None]:
    """Puts the bytes of each token at the place of its id; ids that are not given have no text.

    Args:
        ids: the ids, in any order, each once.
        values: the bytes of the tokens, in the order of ``ids``; empty bytes count as no text.
        source: where they come from, for messages.

    Returns:
        A list that reaches up to the highest id.

    Raises:
        VocabularyError: an id is not an integer, is negative, is given twice or lies absurdly high, or there
            is no id at all.
    """
    # Most files list their tokens by id, so that nothing has to be moved.
    if (
        ids
        and set(map(type, ids)) == {int}
        and list(ids) == list(range(len(ids)))
        and len(ids) <= LARGEST_SIZE
    ):
        return [value or None for value in values]
    _check_ids(ids, values, source)
    tokens: list[bytes | None] = [None] * (max(ids) + 1)
    for token_id, value in zip(ids, values, strict=True):
        tokens[token_id] = value or None
    return tokens


def overlay_tokens(
    tokens: list[bytes | None], ids: Sequence[int], values: Sequence[bytes | None], source: str
) -> list[bytes | None]:
    """Gives the tokens with further ones put in, in place of those of the same ids or beyond the last.

    Args:
        tokens: the tokens so far, which are left as they are.
        ids: whole numbers, each once.
        values: the bytes of the further tokens, in the order of ``ids``; empty bytes count as no text.
        source: where they come from, for messages.

    Raises:
        VocabularyError: an id is negative or lies absurdly high.
    """
    if not ids:
        return tokens
    beyond = sum(token_id >= len(tokens) for token_id in ids)
    highest = max(*ids, len(tokens) - 1)
    check_extent(min(ids), highest, len(tokens) + beyond, source)
    combined = tokens + [None] * (highest + 1 - len(tokens))
    for token_id, value in zip(ids, values, strict=True):
        combined[token_id] = value or None
    return combined
