"""Masks compared with those that reading each token gives, or each node of a trie, by chance."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

import maskwright as mw

SLOW = mw.Settings(
    simplify_grammar=False, lazy_states=False, stack_automaton=False, signatures=False, pool=False
)
#: With these, masks come from the same walks, but none takes a short cut.
WITHOUT_SHORT_CUTS = mw.Settings(signatures=False)
PIECES = [
    "a",
    "b",
    "c",
    "ab",
    " ",
    "<",
    "/",
    "p",
    ">",
    "\n",
    "é",
    "€",
    "😀",
    "aa",
    "</p",
    "\n<",
    "aba",
    ".",
    "p>",
    "[",
    "a-",
    "b]",
]


def vocabulary_of(
    random: Random,
    count: int,
    *,
    pieces: list[str] = PIECES,
    more: list[bytes] | None = None,
    without: bytes = b"",
) -> mw.Vocabulary:
    """Bytes, and tokens of a few pieces, some of them cut within a character; some bytes are in no token."""
    tokens: list[bytes | None] = [bytes([byte]) for byte in range(256) if byte not in without]
    tokens += more or []
    known = set(tokens)
    for _ in range(count):
        text = "".join(random.choice(pieces) for _ in range(random.choice([2, 2, 3, 4, 8, 20]))).encode()
        token = text[random.randrange(3) :] if random.random() < 0.1 else text
        if token and token not in known and not set(token) & set(without):
            known.add(token)
            tokens.append(token)
    return mw.Vocabulary.from_tokens([*tokens, None], stop_ids=[len(tokens)])


def compare(
    vocabulary: mw.Vocabulary,
    grammar: mw.Grammar,
    random: Random,
    texts: int,
    settings: mw.Settings = SLOW,
) -> int:
    """Follows random texts; how many masks were alike."""
    compiler = mw.Compiler(vocabulary)
    fast, slow = compiler.compile(grammar), mw.Compiler(vocabulary).compile(grammar, settings=settings)
    compared = 0
    for _ in range(texts):
        one, other = fast.matcher(), slow.matcher()
        for _ in range(random.choice([3, 12, 40])):
            allowed = one.allowed_tokens()
            assert allowed == other.allowed_tokens()
            compared += 1
            choices = [token for token in allowed if token not in vocabulary.stop_ids]
            if not choices:
                break
            likely = [
                token
                for token in choices
                if all(32 <= byte < 127 for byte in vocabulary.token_bytes(token) or b"")
            ]
            token = random.choice(likely or choices)
            assert one.accept(token)
            assert other.accept(token)
    return compared


def compare_schemas(
    vocabulary: mw.Vocabulary,
    schema_of: Callable[[Random], dict[str, Any]],
    random: Random,
    count: int,
    settings: mw.Settings = SLOW,
) -> int:
    """Follows random texts of random schemas that something satisfies; how many masks were alike."""
    compared = 0
    for _ in range(count):
        try:
            grammar = mw.Grammar.json_schema(schema_of(random))
            compared += compare(vocabulary, grammar, random, 3, settings)
        except mw.EmptyGrammarError:
            continue
    return compared


#: What `compare_by_chance` takes: seeds without short cuts, and one with which each token is read by itself.
by_chance = pytest.mark.parametrize(
    ("seed", "settings"),
    [*((seed, WITHOUT_SHORT_CUTS) for seed in range(5)), (5, SLOW)],
    ids=lambda value: "" if isinstance(value, mw.Settings) else str(value),
)


def compare_by_chance(
    schema_of: Callable[[Random], dict[str, Any]],
    seed: int,
    settings: mw.Settings,
    pieces: list[str],
    more: list[bytes] | None = None,
) -> None:
    """Compares masks of random schemas over a random vocabulary of pieces, and enough of them."""
    count, least = (5, 30) if settings == SLOW else (14, 100)
    random = Random(seed)
    vocabulary = vocabulary_of(random, 400, pieces=pieces, more=more)
    assert compare_schemas(vocabulary, schema_of, random, count, settings) > least
