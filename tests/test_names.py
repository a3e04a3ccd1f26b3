"""Names in grammars: after each letter of one the rule may end, and what follows it stands in many others."""

from __future__ import annotations

import itertools
from random import Random

import pytest

import maskwright as mw
from comparing import WITHOUT_SHORT_CUTS, compare, vocabulary_of

WORDS = [
    "x",
    "ab",
    "abc",
    "int",
    "a_",
    "_b2",
    "A",
    "é",
    "1",
    "20",
    " ",
    "  ",
    "\n",
    "(",
    ")",
    "+",
    "*",
    "=",
    ";",
    "{",
    "}",
    ",",
    "a(",
    "b)",
]

SUMS = r"""
root ::= (expr "=" ws term "\n")+
expr ::= term ([-+*/] term)*
term ::= ident | num | "(" ws expr ")" ws
ident ::= [a-z] [a-z0-9_]* ws
num ::= [0-9]+ ws
ws ::= [ \t\n]*
"""

PROGRAMS = r"""
root ::= declaration*
declaration ::= "int" ws name "(" (("int" ws name ",")* "int" ws name)? ")" "{" statement* "}"
statement ::= name ws? "=" ws? sum ";" | name "(" list? ")" ";" | "int" ws name ";"
sum ::= factor ([-+*] factor)*
factor ::= name | [0-9]+ | name "(" list? ")" | "(" sum ")"
list ::= sum ("," ws? sum)*
name ::= [a-zA-Z_] [a-zA-Z_0-9]*
ws ::= [ \n]+
"""

#: What follows a name may begin with what the name is made of.
RUNNING_ON = r"""
root ::= "<" part* ">"
part ::= name | name "ab" | [0-9] part [a-z]
name ::= [a-z]+ [0-9]?
"""

WITHOUT_BOUNDARIES = r"""
root ::= (word | [0-9]+ | "(" root ")")*
word ::= [^ ()0-9]+ " "*
"""


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("grammar", [SUMS, PROGRAMS, RUNNING_ON, WITHOUT_BOUNDARIES])
def test_masks_of_names_are_what_reading_each_token_says(grammar: str, seed: int) -> None:
    random = Random(seed)
    vocabulary = vocabulary_of(random, 400, pieces=WORDS)
    assert compare(vocabulary, mw.Grammar.gbnf(grammar), random, texts=6) > 20


@pytest.mark.parametrize(
    "grammar",
    [
        *map(mw.Grammar.gbnf, [SUMS, PROGRAMS, RUNNING_ON, WITHOUT_BOUNDARIES]),
        mw.Grammar.regex(r"\w+(\s\w+){0,5}"),
        mw.Grammar.regex(r"(x|int)[^\s(].[^\s]*( [^+]+)?"),
    ],
    ids=["sums", "programs", "running on", "without boundaries", "words", "the third character"],
)
def test_masks_of_many_tokens_are_what_walks_without_short_cuts_say(grammar: mw.Grammar) -> None:
    """Among so many, most nodes of the trie have so few below them that these are read at once."""
    random = Random(1)
    vocabulary = vocabulary_of(random, 8000, pieces=WORDS)
    assert compare(vocabulary, grammar, random, texts=4, settings=WITHOUT_SHORT_CUTS) > 20


def test_tokens_within_names_are_not_read_one_by_one() -> None:
    """Neither those of a name alone, nor what could follow it where nothing does in these tokens."""
    words = ["".join(letters) for letters in itertools.product("abcdefgh", repeat=4)]
    # Below each letter but the last there is something that is no part of a name.
    others = [word[:3] + "#" for word in words[::8]]
    tokens: list[bytes | None] = [bytes([byte]) for byte in range(256)]
    tokens += [word.encode() for word in [*words, *others, "a)", "ab+", "abc="]]
    tokens.append(None)
    vocabulary = mw.Vocabulary.from_tokens(tokens, stop_ids=[len(tokens) - 1])
    constraint = mw.Compiler(vocabulary).compile(mw.Grammar.gbnf(SUMS))
    matcher = constraint.matcher()
    for byte in b"(x+(yy*z))=ab\n(c":
        assert matcher.accept(byte)
        assert len(matcher.allowed_tokens()) > 0
    assert constraint.statistics().visited_nodes < len(words)
