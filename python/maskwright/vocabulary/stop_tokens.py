"""Finds the tokens that end a generation when the caller does not say which they are.

Three places tell: the tokeniser itself, the files that Hugging Face keeps beside it, and a short list of
well-known names. All that they tell is taken together, since a model may end its turn with any of them.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from maskwright.vocabulary.reading import parse_json, read_tokeniser_file
from maskwright.vocabulary.table import TokenTable, excerpt, vocabulary_error

__all__ = ["stop_ids_beside", "stop_ids_by_name"]

# Names that mean only one thing in the models that have them. They count whether or not the tokeniser flags
# them as special, but never where they are ordinary text: a token has to be listed by name.
_UNMISTAKABLE_NAMES = (
    "<|endoftext|>",  # GPT-2 and its successors, Qwen, Phi
    "<|end_of_text|>",  # Llama 3, Granite
    "<|eot_id|>",  # Llama 3: end of turn
    "<|eom_id|>",  # Llama 3.1: end of a message that calls a tool
    "<|eot|>",  # Llama 4
    "<|eom|>",  # Llama 4
    "<|im_end|>",  # ChatML: Qwen, SmolLM2, Yi
    "<end_of_turn>",  # Gemma
    "<|end_of_turn|>",  # OpenChat
    "<|END_OF_TURN_TOKEN|>",  # Command R
    "<\uff5cend▁of▁sentence\uff5c>",  # DeepSeek
    "<|return|>",  # Harmony: end of the answer
    "<|call|>",  # Harmony: end of a message that calls a tool
)

# Names that may also be text that a model writes (``</s>`` ends struck-out text in HTML). They count only
# where the token is special.
_NAMES_OF_SPECIAL_TOKENS = ("</s>", "<eos>")

# Phi ends its turn with ``<|end|>``; in Harmony it ends one message of several, and generation goes on.
_END, _HARMONY_MARK = "<|end|>", "<|channel|>"


def stop_ids_by_name(table: TokenTable) -> list[int]:
    """Gives the ids of the well-known stop tokens that a table names."""
    names = [name for name in _UNMISTAKABLE_NAMES if name in table.special_tokens]
    names += [name for name in _NAMES_OF_SPECIAL_TOKENS if _is_special(name, table)]
    if _HARMONY_MARK not in table.special_tokens and _is_special(_END, table):
        names.append(_END)
    return [table.special_tokens[name] for name in names]


def _is_special(name: str, table: TokenTable) -> bool:
    token_id = table.special_tokens.get(name)
    return token_id is not None and (token_id >= len(table.tokens) or table.tokens[token_id] is None)


def stop_ids_beside(folder: Path, table: TokenTable) -> list[int]:
    """Gives the stop ids that the files of a model's folder declare.

    They are ``eos_token_id`` of ``generation_config.json`` and ``eos_token`` of ``tokenizer_config.json`` and
    ``special_tokens_map.json``, which may also be an ordinary token of the tokeniser. A name that the table
    does not know, or that is the text of several tokens, is passed over.

    Args:
        folder: the folder that holds the tokeniser file.
        table: the tokeniser's tokens.

    Raises:
        VocabularyError: one of the files is there and cannot be read, is damaged, or declares an id outside
            the vocabulary.
    """
    found: list[int] = []
    for file_name in ("tokenizer_config.json", "special_tokens_map.json"):
        name = _read_beside(folder / file_name).get("eos_token")
        if isinstance(name, dict):
            name = name.get("content")
        token_id = _find(name, table) if isinstance(name, str) else None
        if token_id is not None:
            found.append(token_id)
    path = folder / "generation_config.json"
    declared = _read_beside(path).get("eos_token_id")
    for token_id in declared if isinstance(declared, list) else [declared]:
        if token_id is None:
            continue
        if type(token_id) is not int or not 0 <= token_id < table.size:
            raise vocabulary_error(
                str(path),
                f"eos_token_id is {excerpt(token_id)}, but the ids of {table.source} go from 0 to"
                f" {table.size - 1}; pass stop_ids, or the number of logits of the model as size",
            )
        found.append(token_id)
    return found


def _find(name: str, table: TokenTable) -> int | None:
    """Gives the id of a token by its name, or else that of the only token with this text."""
    if name in table.special_tokens:
        return table.special_tokens[name]
    text = name.encode("utf-8", "surrogatepass")
    return table.tokens.index(text) if text and table.tokens.count(text) == 1 else None


def _read_beside(path: Path) -> dict[str, Any]:
    if not os.path.lexists(path):
        return {}
    if path.is_dir():
        raise vocabulary_error(
            str(path),
            "this is a directory, where a file tells the stop ids of a model; move it, or pass stop_ids",
        )
    return parse_json(read_tokeniser_file(path), str(path))
