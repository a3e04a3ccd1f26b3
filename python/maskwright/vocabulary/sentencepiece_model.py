"""Reads SentencePiece models (``tokenizer.model``), from the file or from a loaded processor.

The file is one protocol-buffer message, of which three things matter: the pieces, their types, and the name
of the end-of-sequence piece. They are read here, field by field, because the ``sentencepiece`` package tells
neither which pieces are user-defined nor, for a damaged file, where the damage is.

SentencePiece puts a space in front of the text that it encodes (the *dummy prefix*) and drops it again when
it decodes. That is a matter of the whole text: here the piece ``▁Hello`` has the bytes of `` Hello``, with
its space, whether it stands first or not.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from maskwright.vocabulary.pieces import SPACE_MARK, PieceType, decode_pieces, name_pieces
from maskwright.vocabulary.reading import read_tokeniser_file
from maskwright.vocabulary.table import LARGEST_SIZE, TokenTable, arrange_tokens, vocabulary_error

__all__ = ["table_from_model_bytes", "table_from_sentencepiece"]

# Field numbers of the messages ModelProto, SentencePiece and TrainerSpec.
_PIECES, _TRAINER = 1, 2
_PIECE_TEXT, _PIECE_TYPE = 1, 3
_END_OF_SEQUENCE_NAME = 47

_TAG_OF_PIECE_TEXT = 0x0A
_TAG_OF_PIECE_SCORE = 0x15

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_LARGEST_MODEL = 1 << 26
"""In bytes: room for as many pieces, and as long ones, as a vocabulary may have; real models have 5 MB."""

_LEAST_TAG = 8
"""That of the field 1; no field has the number 0."""
_FIXED_LENGTHS = {_FIXED64: 8, _FIXED32: 4}


def table_from_sentencepiece(processor_or_path: Any) -> TokenTable:
    """Reads a model file, or takes the tokens out of a loaded ``SentencePieceProcessor``.

    Raises:
        VocabularyError: it is neither, or the model cannot be read.
    """
    if isinstance(processor_or_path, str | os.PathLike):
        data = read_tokeniser_file(processor_or_path, binary=True)
        return table_from_model_bytes(data, str(processor_or_path))
    kind = type(processor_or_path)
    try:
        data = processor_or_path.serialized_model_proto()
    except (AttributeError, TypeError) as error:
        raise vocabulary_error(
            f"{kind.__module__}.{kind.__qualname__}",
            f"this is neither a path nor a SentencePieceProcessor ({error})",
        ) from error
    return table_from_model_bytes(data, "SentencePiece processor")


def table_from_model_bytes(data: bytes, source: str) -> TokenTable:
    """Reads the content of a SentencePiece model file.

    Args:
        data: the whole content.
        source: the name of the file, for messages.

    Returns:
        A table in which control, unknown and unused pieces have no bytes; they and the user-defined pieces
        are named. The stop id is that of the end-of-sequence piece, where the model has one.

    Raises:
        VocabularyError: the content is not a SentencePiece model, is damaged or cut short, or has too many
            pieces.
    """
    if len(data) > _LARGEST_MODEL:
        raise vocabulary_error(
            source, f"a SentencePiece model may have {_LARGEST_MODEL} bytes, but this has {len(data)}"
        )
    try:
        pieces, types, end_of_sequence = _read_model(data)
    except (ValueError, IndexError) as error:
        raise vocabulary_error(
            source, f"this is not a SentencePiece model ({error}); the file is damaged or cut short"
        ) from error
    decoded: list[bytes | None] = [
        *decode_pieces(pieces, [(SPACE_MARK, " ")], byte_fallback=False, source=source)
    ]
    for token_id, piece_type in enumerate(types):
        if piece_type is PieceType.NORMAL:
            continue
        if piece_type is PieceType.BYTE:
            (decoded[token_id],) = decode_pieces([pieces[token_id]], [], byte_fallback=True, source=source)
        elif not piece_type.has_text:
            decoded[token_id] = None
    named = name_pieces(pieces, types)
    stop_id = named.get(end_of_sequence)
    stop_ids = (stop_id,) if stop_id is not None and types[stop_id] is PieceType.CONTROL else ()
    tokens = arrange_tokens(range(len(pieces)), decoded, source)
    return TokenTable(tokens, named, stop_ids, len(tokens), source)


def _read_model(data: bytes) -> tuple[list[str], list[PieceType], str]:
    """Gives the pieces, their types and the name of the end-of-sequence piece.

    Raises:
        ValueError: a field is damaged.
        IndexError: a number runs past the end.
    """
    pieces: list[str] = []
    types: list[PieceType] = []
    known = {int(piece_type): piece_type for piece_type in PieceType}
    end_of_sequence = "</s>"
    for field, start, end in _fields(data, 0, len(data)):
        if field == _PIECES:
            text, number = _read_piece(data, start, end)
            if not text:
                raise ValueError(f"the piece {len(pieces)} is empty")
            if number not in known:
                raise ValueError(f"the piece {len(pieces)} has the unknown type {number}")
            if len(pieces) == LARGEST_SIZE:
                raise ValueError(f"it has more than {LARGEST_SIZE} pieces")
            pieces.append(text)
            types.append(known[number])
        elif field == _TRAINER:
            for inner, inner_start, inner_end in _fields(data, start, end):
                if inner == _END_OF_SEQUENCE_NAME:
                    end_of_sequence = data[inner_start:inner_end].decode()
    return pieces, types, end_of_sequence


def _read_piece(data: bytes, start: int, end: int) -> tuple[str, int]:
    """Gives the text and the type of a piece."""
    # Nearly every piece is written as its text of less than 128 bytes, then its score in five bytes.
    if end > start and data[start] == _TAG_OF_PIECE_TEXT and end - start == data[start + 1] + 7:
        text_end = end - 5
        if data[text_end] == _TAG_OF_PIECE_SCORE:
            return data[start + 2 : text_end].decode(), PieceType.NORMAL
    text, number = "", int(PieceType.NORMAL)
    for field, field_start, field_end in _fields(data, start, end):
        if field == _PIECE_TEXT:
            text = data[field_start:field_end].decode()
        elif field == _PIECE_TYPE:
            number, _ = _varint(data, field_start)
    return text, number


def _fields(data: bytes, position: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Gives the number of each field of a message, and where its value starts and ends."""
    while position < end:
        tag, start = (data[position], position + 1) if data[position] < 0x80 else _varint(data, position)
        wire_type = tag & 7
        if wire_type == _BYTES:
            length, start = (data[start], start + 1) if data[start] < 0x80 else _varint(data, start)
            position = start + length
        elif wire_type == _VARINT:
            _, position = _varint(data, start)
        elif wire_type in _FIXED_LENGTHS:
            position = start + _FIXED_LENGTHS[wire_type]
        else:
            raise ValueError(f"there is no protocol-buffer field at byte {start - 1}")
        if position > end:
            raise ValueError(f"a field at byte {start} goes on past the end")
        if tag < _LEAST_TAG:
            raise ValueError(f"there is no protocol-buffer field at byte {start - 1}")
        yield tag >> 3, start, position


def _varint(data: bytes, position: int) -> tuple[int, int]:
    """Reads a number of seven bits a byte, and gives it with the position after it."""
    value = 0
    for shift in range(0, 70, 7):
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
    raise ValueError(f"the number before byte {position} has more than 64 bits")
