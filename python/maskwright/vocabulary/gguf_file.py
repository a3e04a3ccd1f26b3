"""Reads the tokeniser out of a GGUF file, whose metadata holds it beside the model's tensors.

Only the metadata at the front of the file is read, so the size of the model does not matter. It is read here
rather than by the ``gguf`` package, which takes seconds for the string arrays of a vocabulary.

Every token has a type there: normal, unknown, control, user-defined, unused or byte. Control, unknown and
unused tokens have no bytes. A user-defined token stands for its text as it is written.
"""

from __future__ import annotations

import mmap
import os
from typing import Any

from maskwright.checking import counted
from maskwright.vocabulary.byte_level import decode_byte_level, encode_text
from maskwright.vocabulary.gguf_metadata import read_metadata
from maskwright.vocabulary.pieces import SPACE_MARK, PieceType, decode_pieces, name_pieces
from maskwright.vocabulary.reading import check_regular_file
from maskwright.vocabulary.table import TokenTable, arrange_tokens, excerpt, vocabulary_error

__all__ = ["table_from_gguf"]

_MODEL = "tokenizer.ggml.model"
_TOKENS = "tokenizer.ggml.tokens"
_TOKEN_TYPES = "tokenizer.ggml.token_type"

_BYTE_LEVEL_MODELS = frozenset({"gpt2"})
_PIECE_MODELS = frozenset({"llama", "t5"})
_STOP_KEYS = (
    "tokenizer.ggml.eos_token_id",
    "tokenizer.ggml.eot_token_id",
    "tokenizer.ggml.eom_token_id",
)
_KEYS = frozenset({_MODEL, _TOKENS, _TOKEN_TYPES, *_STOP_KEYS})


def table_from_gguf(path: str | os.PathLike[str]) -> TokenTable:
    """Reads the vocabulary of a GGUF file.

    Args:
        path: the file.

    Returns:
        A table with the stop ids that the metadata declares (end of sequence, of turn and of message), be
        they among the tokens or not.

    Raises:
        VocabularyError: the file is not GGUF, is cut short, holds no vocabulary, its tokeniser model has no
            fixed bytes for its tokens, or a key has a value of another type.
    """
    checked = check_regular_file(path)
    source = str(checked)
    try:
        with checked.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            metadata = read_metadata(content, source, _KEYS)
    except OSError as error:
        raise vocabulary_error(source, f"the file cannot be read ({error.strerror})") from error
    pieces, types = _pieces_and_types(metadata, source)
    tokens = arrange_tokens(range(len(pieces)), _decode(pieces, types, metadata, source), source)
    return TokenTable(
        tokens, name_pieces(pieces, types), _declared_stop_ids(metadata, source), len(tokens), source
    )


def _declared_stop_ids(metadata: dict[str, Any], source: str) -> tuple[int, ...]:
    stop_ids: dict[int, None] = {}
    for key in _STOP_KEYS:
        token_id = metadata.get(key)
        if token_id is None:
            continue
        if type(token_id) is not int:
            raise vocabulary_error(source, f"{key} is {_shown(token_id)}, but it has to be the id of a token")
        stop_ids[token_id] = None
    return tuple(stop_ids)


def _shown(value: object) -> str:
    """What a message shows of a value; of an array, which may be long, only that it is one."""
    return f"an array of {counted(len(value), 'value')}" if isinstance(value, list) else excerpt(value)


def _pieces_and_types(metadata: dict[str, Any], source: str) -> tuple[list[str], list[PieceType]]:
    encoded = metadata.get(_TOKENS)
    if not isinstance(encoded, list) or set(map(type, encoded)) != {bytes}:
        raise vocabulary_error(
            source, f"its metadata has no {_TOKENS}; pass a GGUF file that holds a language model"
        )
    types = metadata.get(_TOKEN_TYPES)
    if not isinstance(types, list) or len(types) != len(encoded) or set(map(type, types)) != {int}:
        raise vocabulary_error(source, f"its {_TOKEN_TYPES} has not one number for each token")
    known = {int(piece_type): piece_type for piece_type in PieceType}
    try:
        return [piece.decode() for piece in encoded], [known[number] for number in types]
    except KeyError as error:
        raise vocabulary_error(source, f"a token has the type {error}, which is unknown") from error
    except UnicodeDecodeError as error:
        raise vocabulary_error(source, f"a token is not UTF-8 ({error}); the file is damaged") from error


def _decode(
    pieces: list[str], types: list[PieceType], metadata: dict[str, Any], source: str
) -> list[bytes | None]:
    encoded = metadata.get(_MODEL)
    if not isinstance(encoded, bytes):
        found = "missing" if encoded is None else _shown(encoded)
        raise vocabulary_error(source, f"{_MODEL} is {found}, but it has to be the name of a tokeniser model")
    model = encoded.decode("utf-8", "replace")
    if model in _BYTE_LEVEL_MODELS:
        decoded: list[bytes | None] = [*decode_byte_level(pieces, source)]
    elif model in _PIECE_MODELS:
        decoded = [*decode_pieces(pieces, [(SPACE_MARK, " ")], byte_fallback=False, source=source)]
    else:
        raise vocabulary_error(
            source,
            f"the tokeniser model {model[:60]!r} of {_MODEL} is not supported, only"
            f" {', '.join(sorted(_BYTE_LEVEL_MODELS | _PIECE_MODELS))};"
            " Vocabulary.from_tokens takes the bytes from you",
        )
    for token_id, piece_type in enumerate(types):
        if piece_type is PieceType.NORMAL:
            continue
        if piece_type is PieceType.BYTE:
            (decoded[token_id],) = decode_pieces([pieces[token_id]], [], byte_fallback=True, source=source)
        elif piece_type is PieceType.USER_DEFINED:
            decoded[token_id] = encode_text(pieces[token_id], source)
        else:
            decoded[token_id] = None
    return decoded
