"""Reads Hugging Face ``tokenizer.json`` files: byte-level BPE, BPE with byte fallback, and Unigram."""

from __future__ import annotations

from typing import Any

from maskwright.vocabulary.byte_level import decode_byte_level
from maskwright.vocabulary.decoding_plan import DecodingPlan, decoding_plan
from maskwright.vocabulary.pieces import decode_pieces
from maskwright.vocabulary.table import (
    TokenTable,
    arrange_tokens,
    distinct_names,
    excerpt,
    overlay_tokens,
    vocabulary_error,
)

__all__ = ["table_from_tokenizer_json"]

_REFUSED_MODELS = {
    "WordPiece": "it knows no spaces, so tokens have no fixed bytes",
    "WordLevel": "it knows whole words only, so tokens have no fixed bytes",
}


def table_from_tokenizer_json(document: dict[str, Any], source: str, *, in_use: bool = False) -> TokenTable:
    """Reads a parsed ``tokenizer.json``.

    Args:
        document: the JSON object of the file.
        source: the name of the file, for messages.
        in_use: whether it describes a tokeniser in memory, whose ids are those that it says.

    Returns:
        A table with every added token by name. Added tokens that are flagged as special, and the unknown
        token, have no bytes. There are no stop ids, since the format names none.

    Raises:
        VocabularyError: the model or a decoder step has no fixed bytes for its tokens, a token or an id is
            listed twice, an added token has an id that the ``tokenizers`` library would not give it, or a
            part is damaged.
    """
    model = document.get("model")
    if not isinstance(model, dict):
        raise vocabulary_error(source, "it has no model; is it a tokenizer.json?")
    pieces, unknown = _pieces_of_model(model, source)
    names, special_ids = _added_tokens(document.get("added_tokens") or [], source)

    plan = decoding_plan(document, source)
    tokens = arrange_tokens(list(pieces.values()), _decode(list(pieces), plan, source), source)
    _check_added(names, pieces, tokens, source)
    if not in_use:
        _check_numbering(names, pieces, source)
    # Where the model lists an added token too, the added one says whether it has text.
    tokens = overlay_tokens(tokens, list(names.values()), _decode(list(names), plan, source), source)
    if unknown is not None:
        name, token_id = unknown
        names.setdefault(name, token_id)
        special_ids.add(token_id)
    for token_id in special_ids:
        tokens[token_id] = None
    return TokenTable(tokens, names, (), len(tokens), source)


def _decode(pieces: list[str], plan: DecodingPlan, source: str) -> list[bytes]:
    if plan.byte_level:
        return decode_byte_level(pieces, source)
    return decode_pieces(
        pieces,
        plan.replacements,
        byte_fallback=plan.byte_fallback,
        late_replacements=plan.late_replacements,
        source=source,
    )


def _pieces_of_model(model: dict[str, Any], source: str) -> tuple[dict[str, int], tuple[str, int] | None]:
    """Gives the pieces of the model with their ids, and the unknown token where there is one."""
    vocabulary = model.get("vocab")
    kind = model.get("type")
    if kind is None:
        # The first versions of the format left the type out.
        kind = "Unigram" if isinstance(vocabulary, list) else "BPE" if "merges" in model else "WordPiece"
    if kind == "BPE" and isinstance(vocabulary, dict):
        for option in ("continuing_subword_prefix", "end_of_word_suffix"):
            if model.get(option):
                raise vocabulary_error(
                    source,
                    f"the model marks the parts of words with a {option} of {model[option]!r}, so tokens have"
                    " no fixed bytes; Vocabulary.from_tokens takes the bytes from you",
                )
        return vocabulary, _unknown_of_bpe(model, vocabulary)
    if kind == "Unigram" and isinstance(vocabulary, list):
        return _pieces_of_unigram(model, vocabulary, source)
    if isinstance(kind, str) and kind in _REFUSED_MODELS:
        raise vocabulary_error(
            source,
            f"the model is {kind}, which is not supported: {_REFUSED_MODELS[kind]}."
            " Vocabulary.from_tokens takes the bytes from you",
        )
    raise vocabulary_error(
        source,
        f"the model {kind!r} with a vocab of type {type(vocabulary).__name__} is not supported;"
        " it has to be BPE with an object, or Unigram with an array",
    )


def _unknown_of_bpe(model: dict[str, Any], vocabulary: dict[str, int]) -> tuple[str, int] | None:
    name = model.get("unk_token")
    return (name, vocabulary[name]) if isinstance(name, str) and name in vocabulary else None


def _pieces_of_unigram(
    model: dict[str, Any], vocabulary: list[Any], source: str
) -> tuple[dict[str, int], tuple[str, int] | None]:
    # A text of two characters and an object of two members can be taken apart as a pair, too.
    regular = set(map(type, vocabulary)) <= {list} and set(map(len, vocabulary)) <= {2}
    if not regular or not {type(piece) for piece, _score in vocabulary} <= {str}:
        raise vocabulary_error(source, "an entry of the Unigram vocab is not a pair of text and score")
    pieces = {piece: token_id for token_id, (piece, _score) in enumerate(vocabulary)}
    if len(pieces) != len(vocabulary):
        distinct_names(((piece, token_id) for token_id, (piece, _score) in enumerate(vocabulary)), source)
    unknown_id = model.get("unk_id")
    if unknown_id is None:
        return pieces, None
    if type(unknown_id) is not int or not 0 <= unknown_id < len(vocabulary):
        raise vocabulary_error(source, f"the unk_id {unknown_id!r} is not the id of a piece")
    return pieces, (vocabulary[unknown_id][0], unknown_id)


def _added_tokens(entries: Any, source: str) -> tuple[dict[str, int], set[int]]:
    """Gives the added tokens by name, and the ids of those that are flagged as special."""
    try:
        # A token without text is no token for the library that reads these files.
        named = [
            (entry["content"], entry["id"], entry.get("special", False))
            for entry in entries
            if entry["content"] != ""
        ]
    except (KeyError, TypeError, AttributeError) as error:
        raise vocabulary_error(source, f"an added token lacks its content or id ({error})") from error
    if {type(name) for name, _, _ in named} - {str} or {type(token_id) for _, token_id, _ in named} - {int}:
        raise vocabulary_error(source, "the content of an added token is not text, or its id no number")
    if {type(special) for _, _, special in named} - {bool}:
        raise vocabulary_error(source, "an added token is special with a value that is not true or false")
    names = distinct_names(((name, token_id) for name, token_id, _ in named), source)
    return names, {token_id for _, token_id, special in named if special}


def _check_added(
    names: dict[str, int], pieces: dict[str, int], tokens: list[bytes | None], source: str
) -> None:
    """Refuses added tokens that contradict the model: readers differ about which of the two counts.

    Args:
        names: the added tokens by name.
        pieces: the pieces of the model with their ids.
        tokens: the bytes of the pieces by id.
        source: the name of the file, for messages.
    """
    for name, token_id in names.items():
        listed = pieces.get(name)
        if listed == token_id:
            continue
        if listed is not None:
            fault = (
                f"the token {excerpt(name)} has the id {excerpt(token_id)} as an added token and"
                f" {excerpt(listed)} in the vocab"
            )
        elif 0 <= token_id < len(tokens) and tokens[token_id] is not None:
            fault = (
                f"the id {token_id} belongs to two tokens, {excerpt(tokens[token_id])} and the added"
                f" {excerpt(name)}"
            )
        else:
            continue
        raise vocabulary_error(source, f"{fault}; correct the file, or fetch it again")


def _check_numbering(names: dict[str, int], pieces: dict[str, int], source: str) -> None:
    """Refuses added tokens whose ids are not those that they have in the ``tokenizers`` library.

    Loading a file, the library goes by no id of an added token. One that the model lists has its id there;
    the others are numbered in their order, from the number of pieces on.

    Args:
        names: the added tokens by name, in their order.
        pieces: the pieces of the model with their ids.
        source: the name of the file, for messages.
    """
    following = len(pieces)
    for name, token_id in names.items():
        if name in pieces:
            continue
        if token_id != following:
            raise vocabulary_error(
                source,
                f"the added token {excerpt(name)} has the id {excerpt(token_id)}, but the tokenizers library"
                f" gives it {following}: it numbers added tokens that the vocab lacks in their order; correct"
                " the ids or the order, or list the tokens in the vocab",
            )
        following += 1
