"""Finds out how a Hugging Face tokeniser turns tokens into bytes.

A ``tokenizer.json`` states it as a chain of decoder steps. The chains that act on each token by itself, up to
what happens at the very start of a text, come down to two ways of spelling, which a :class:`DecodingPlan`
names. Every other chain is refused by name: where the text of a token depends on its neighbours, no table of
token bytes can be right.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from maskwright.errors import VocabularyError
from maskwright.vocabulary.pieces import SPACE_MARK
from maskwright.vocabulary.table import vocabulary_error

__all__ = ["DecodingPlan", "decoding_plan"]

# The key under which a Sequence lists its steps: decoders, pre-tokenizers and normalizers differ.
_STEP_LISTS = ("decoders", "pretokenizers", "normalizers")

_MOST_REPLACEMENTS = 32
"""Each goes over all tokens; real files have one or two."""

_REASONS_TO_REFUSE = {
    "WordPiece": "it puts spaces between tokens by looking at their neighbours",
    "BPEDecoder": "it turns the end of a word into a space unless the text ends there",
    "CTC": "it drops repeated tokens, so the text of a token depends on the one before",
}


@dataclass(frozen=True, slots=True)
class DecodingPlan:
    """How the pieces of a vocabulary are spelt.

    Attributes:
        byte_level: whether each character of a piece is one byte, in the alphabet of GPT-2.
        byte_fallback: whether a piece such as ``<0x41>`` is that one byte.
        replacements: pairs of text and what stands for it in the output, applied to each piece in order,
            before it is known whether it stands for a byte.
        late_replacements: further pairs, applied afterwards, to the characters that stand for bytes too. They
            replace single characters, and in a plan with `byte_fallback` such of ASCII.
    """

    byte_level: bool = False
    byte_fallback: bool = False
    replacements: tuple[tuple[str, str], ...] = ()
    late_replacements: tuple[tuple[str, str], ...] = ()


def decoding_plan(document: dict[str, Any], source: str) -> DecodingPlan:
    """Reads the plan from the decoder, or where there is none, from the steps that prepare a text.

    Args:
        document: the JSON object of a ``tokenizer.json``, with an object as its model.
        source: the name of the file, for messages.

    Returns:
        The plan by which every token of this file is turned into bytes.

    Raises:
        VocabularyError: a step acts on more than one token, or is not known; or the decoder has none.
    """
    decoder = document.get("decoder")
    if decoder is None:
        return _plan_of_preparation(document, source)
    return _plan_of_decoder(list(_steps(decoder, source)), source)


def _steps(step: Any, source: str) -> Iterator[dict[str, Any]]:
    """Gives the steps of a chain in order, with nested sequences opened up."""
    pending = [] if step is None else [step]
    while pending:
        current = pending.pop()
        if not isinstance(current, dict) or not isinstance(current.get("type"), str):
            raise vocabulary_error(source, f"{str(current)[:60]!r} stands where a step with a type belongs")
        if current["type"] != "Sequence":
            yield current
            continue
        inner = next((current[key] for key in _STEP_LISTS if key in current), None)
        if not isinstance(inner, list):
            raise vocabulary_error(source, "a Sequence lists no steps; the file is damaged")
        pending.extend(reversed(inner))


def _plan_of_decoder(steps: list[dict[str, Any]], source: str) -> DecodingPlan:
    byte_level = byte_fallback = fused = False
    replacements: list[tuple[str, str]] = []
    late_replacements: list[tuple[str, str]] = []
    for step in steps:
        name = step["type"]
        if byte_level and name != "Fuse":
            raise _refusal(name, "it changes the text after its bytes are known", source)
        if name == "ByteLevel":
            if replacements or byte_fallback or fused:
                raise _refusal(name, "it does not stand first", source)
            byte_level = True
        elif name == "ByteFallback":
            if fused or byte_fallback:
                raise _refusal(
                    name, "it acts on the text of several tokens, as it stands after another", source
                )
            byte_fallback = True
        elif name == "Fuse":
            fused = True
        elif name in {"Replace", "Metaspace"}:
            pair = _replacement(step, source)
            _check_replacement(step, pair[0], fused=fused, byte_fallback=byte_fallback, source=source)
            (late_replacements if byte_fallback else replacements).append(pair)
            if len(replacements) + len(late_replacements) > _MOST_REPLACEMENTS:
                message = f"its decoder has more than {_MOST_REPLACEMENTS} replacements; the file is damaged"
                raise vocabulary_error(source, message)
        elif name == "Strip":
            _check_strip(step, fused=fused, source=source)
        else:
            raise _refusal(name, _REASONS_TO_REFUSE.get(name, "it is not known to maskwright"), source)
    if not steps:
        raise _refusal("Sequence", "it is empty and does not tell how tokens spell bytes", source)
    return DecodingPlan(byte_level, byte_fallback, tuple(replacements), tuple(late_replacements))


def _check_replacement(
    step: dict[str, Any], old: str, *, fused: bool, byte_fallback: bool, source: str
) -> None:
    """Accepts only what replaces within each token, whatever its neighbours are."""
    name = step["type"]
    if (fused or byte_fallback) and len(old) != 1:
        raise _refusal(name, f"it replaces {old[:40]!r} across the borders of tokens", source)
    if byte_fallback and not old.isascii():
        reason = f"it stands after ByteFallback and replaces {old!r} across the borders of byte tokens, too"
        raise _refusal(name, reason, source)
    if fused and name == "Metaspace" and step.get("prepend_scheme") != "never":
        # The space at the start goes as all those of the first token, and there is but one token.
        raise _refusal(name, "it stands after Fuse, where it drops all spaces of the text", source)


def _refusal(name: str, reason: str, source: str) -> VocabularyError:
    return vocabulary_error(
        source,
        f"the decoder step {name} is not supported: {reason}, so tokens have no fixed bytes."
        " Vocabulary.from_tokens takes the bytes from you",
    )


def _replacement(step: dict[str, Any], source: str) -> tuple[str, str]:
    """Gives what a Replace or Metaspace step writes in place of what.

    A Metaspace step also drops the space at the start of a text; that is left out, as the module
    :mod:`maskwright.vocabulary.table` explains.
    """
    old: Any
    new: Any
    if step["type"] == "Metaspace":
        old, new = step.get("replacement", SPACE_MARK), " "
    else:
        pattern = step.get("pattern")
        if isinstance(pattern, dict) and "Regex" in pattern:
            raise _refusal("Replace", "its pattern is a regular expression", source)
        old = pattern.get("String") if isinstance(pattern, dict) else pattern
        new = step.get("content")
    if not isinstance(old, str) or not old or not isinstance(new, str):
        raise vocabulary_error(source, f"the decoder step {step['type']} is damaged: {str(step)[:80]}")
    return old, new


def _check_strip(step: dict[str, Any], *, fused: bool, source: str) -> None:
    """Accepts only the step that drops spaces at the start of the whole text."""
    if not fused:
        raise _refusal("Strip", "it cuts each token instead of the whole text", source)
    if step.get("content") != " " or step.get("stop", 0) != 0:
        raise _refusal("Strip", "it removes more than spaces at the start of the text", source)


def _plan_of_preparation(document: dict[str, Any], source: str) -> DecodingPlan:
    """Inverts what the normalizer and the pre-tokenizer do to the bytes and spaces of a text."""
    steps = [
        *_steps(document.get("normalizer"), source),
        *_steps(document.get("pre_tokenizer"), source),
    ]
    if any(step["type"] == "ByteLevel" for step in steps):
        return DecodingPlan(byte_level=True)
    for step in steps:
        mark = None
        if step["type"] == "Metaspace":
            mark = step.get("replacement", SPACE_MARK)
        elif step["type"] == "Replace" and step.get("pattern") == {"String": " "}:
            mark = step.get("content")
        if isinstance(mark, str) and len(mark) == 1:
            byte_fallback = document["model"].get("byte_fallback") is True
            return DecodingPlan(byte_fallback=byte_fallback, replacements=((mark, " "),))
    raise vocabulary_error(
        source,
        "it has no decoder, and nothing in its normalizer or pre_tokenizer tells how tokens spell bytes;"
        " Vocabulary.from_tokens takes the bytes from you",
    )
