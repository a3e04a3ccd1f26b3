"""Masks over vocabularies whose tokens are pieces of JSON texts, cut anywhere.

Each mask allows what is accepted, and nothing else. Tokens of real vocabularies seldom hold more than one
value and the beginning of the next. What such a token does is put together of
what its parts do: these have many.
"""

from __future__ import annotations

import json
import random
from typing import Any, Literal

import pytest

import maskwright as mw

SCALARS = [1, -2, 0.5, 12, "a", "", "foo", True, False, None, "é"]
KEYS = ["a", "b", "foo", ""]
SEPARATORS = [(",", ":"), (", ", ": "), (" , ", " : ")]
LAYOUTS: list[Literal["free", "compact", "spaced"]] = ["free", "compact", "spaced"]
MARKS = ["a", "]", "}", ",", ":", '"', "1", "[", "{", " ", "n"]


def value(chance: random.Random, depth: int = 3) -> Any:
    """Any JSON value."""
    kind = chance.random()
    if depth == 0 or kind < 0.5:
        return chance.choice(SCALARS)
    if kind < 0.75:
        return [value(chance, depth - 1) for _ in range(chance.randrange(4))]
    return {chance.choice(KEYS): value(chance, depth - 1) for _ in range(chance.randrange(3))}


def vocabulary_of_pieces(chance: random.Random, size: int) -> mw.Vocabulary:
    """All bytes, and pieces of JSON texts, of which every fourth is spoilt in one place."""
    tokens = {bytes([byte]) for byte in range(256)}
    while len(tokens) < size:
        values = [value(chance) for _ in range(2)]
        text = json.dumps(values, separators=chance.choice(SEPARATORS), ensure_ascii=False)
        begin = chance.randrange(len(text))
        piece = text[begin : begin + chance.randrange(2, 9)]
        if chance.random() < 0.25:
            at = chance.randrange(len(piece) + 1)
            piece = piece[:at] + chance.choice(MARKS) + piece[at + chance.randrange(2) :]
        tokens.add(piece.encode())
    listed = sorted(tokens)
    return mw.Vocabulary.from_tokens([*listed, None], stop_ids=[len(listed)])


def schema(chance: random.Random, depth: int = 3) -> dict[str, Any]:
    """A schema that says little of most values."""
    if depth == 0:
        return chance.choice(
            [{}, {"type": "integer"}, {"type": "string", "maxLength": 2}, {"enum": ["a", 1]}]
        )
    inner = [schema(chance, depth - 1) for _ in range(2)]
    kinds = ["object", "array", "string", "null", "number", "boolean"]
    return chance.choice(
        [
            {},
            {"type": "array", "items": inner[0]},
            {"type": "array", "items": inner[0], "minItems": chance.randrange(3), "maxItems": 3},
            {"type": "array", "prefixItems": inner[:1], "items": inner[1]},
            {"type": ["object", "null"], "additionalProperties": inner[0]},
            {"type": chance.sample(kinds, chance.randrange(1, 5))},
            {
                "type": "object",
                "properties": {"a": inner[0], "b": inner[1]},
                "required": chance.choice([[], ["a"]]),
            },
            {"anyOf": inner},
        ]
    )


@pytest.mark.parametrize("seed", range(6))
def test_a_mask_allows_the_pieces_of_json_that_are_accepted(seed: int) -> None:
    chance = random.Random(seed)
    vocabulary = vocabulary_of_pieces(chance, 700)
    compiler, ids = mw.Compiler(vocabulary), range(vocabulary.size - 1)
    for _ in range(30):
        described, whitespace = schema(chance), chance.choice(LAYOUTS)
        matcher = compiler.compile(mw.Grammar.json_schema(described, whitespace=whitespace)).matcher()
        text = b""
        for _ in range(5):
            allowed = [token for token in matcher.allowed_tokens() if token in ids]
            assert allowed == [token for token in ids if matcher.validate([token])], (described, text)
            if not allowed:
                break
            token = chance.choice(allowed)
            assert matcher.accept(token)
            text += vocabulary.token_bytes(token) or b""
