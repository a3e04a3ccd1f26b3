"""The pool that all constraints of one compiler share."""

from __future__ import annotations

import itertools
import json
import string
import threading
import time

import numpy as np
import pytest

import maskwright as mw
from replaying import masks_along

TOOL = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer", "minimum": 1}},
    "required": ["city"],
    "additionalProperties": False,
}
TEXT = b'{"city": "Oslo, \\u00e9", "days": 12}'


def vocabulary_with_commas() -> mw.Vocabulary:
    """Every byte, and every two letters with a comma behind them."""
    tokens = [bytes([byte]) for byte in range(256)]
    tokens += [bytes([first, second, 44]) for first in range(97, 123) for second in range(97, 123)]
    return mw.Vocabulary.from_tokens([*tokens, None], stop_ids=[len(tokens)])


def words_of_few_letters(left_out: tuple[str, ...]) -> mw.Grammar:
    """Lists of words of all letters but some."""
    letters = "".join(letter for letter in string.ascii_lowercase if letter not in left_out)
    return mw.Grammar.gbnf(f'root ::= "[" word ("," word)* "]"\nword ::= [{letters}]+ | root')


def test_an_equal_grammar_walks_no_more() -> None:
    # Of bytes alone, walks are too short to be worth a key.
    vocabulary = vocabulary_with_commas()
    compiler = mw.Compiler(vocabulary)
    first = compiler.compile(mw.Grammar.gbnf('root ::= "[" word ("," word)* "]"\nword ::= [a-z]+ | root'))
    renamed = mw.Grammar.gbnf('root ::= "[" w ("," w)* "]"\nw ::= [a-z]+ | root')
    second = compiler.compile(renamed)
    alone = mw.Compiler(vocabulary).compile(renamed)
    text = b"[ab,[c,d],[[e]]]"
    expected = masks_along(alone.matcher(), text, vocabulary.size)
    assert masks_along(first.matcher(), text, vocabulary.size) == expected
    assert masks_along(second.matcher(), text, vocabulary.size) == expected
    statistics = compiler.pool_statistics()
    assert statistics.partial_hits + statistics.perfect_hits > 0
    assert second.statistics().walks < alone.statistics().walks


def test_a_tool_is_known_in_another_set_of_tools(byte_vocabulary: mw.Vocabulary) -> None:
    compiler = mw.Compiler(byte_vocabulary)
    compiler_alone = mw.Compiler(byte_vocabulary)
    one = {"type": "array", "items": TOOL}
    two = {"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/weather"}, {"type": "null"}]}}
    two["$defs"] = {"weather": TOOL}
    text = b"[" + TEXT + b"]"
    masks_along(compiler.compile(mw.Grammar.json_schema(one)).matcher(), text, byte_vocabulary.size)
    before = compiler.pool_statistics()
    shared = compiler.compile(mw.Grammar.json_schema(two))
    alone = compiler_alone.compile(mw.Grammar.json_schema(two))
    expected = masks_along(alone.matcher(), text, byte_vocabulary.size)
    assert masks_along(shared.matcher(), text, byte_vocabulary.size) == expected
    after = compiler.pool_statistics()
    assert after.partial_hits > before.partial_hits
    assert shared.statistics().walks < alone.statistics().walks


def test_keys_that_go_on_alike_are_walked_once_whichever_came_before(byte_vocabulary: mw.Vocabulary) -> None:
    names = ("id", "named", "names", "title")
    schema = {"properties": {name: {"type": "integer"} for name in names}}
    constraint = mw.Compiler(byte_vocabulary).compile(mw.Grammar.json_schema(schema))
    masks_along(constraint.matcher(), b'{"name', byte_vocabulary.size)
    matcher = constraint.matcher()
    assert matcher.accept_bytes(b'{"id": 1, "')
    matcher.allowed_tokens()
    walks = constraint.statistics().walks
    for byte in b"nam":
        assert matcher.accept(byte)
        matcher.allowed_tokens()
    assert constraint.statistics().walks == walks


def test_clearing_the_pool_changes_no_mask(byte_vocabulary: mw.Vocabulary) -> None:
    compiler = mw.Compiler(byte_vocabulary)
    constraint = compiler.compile(mw.Grammar.json_schema(TOOL))
    expected = masks_along(constraint.matcher(), TEXT, byte_vocabulary.size)
    compiler.clear_pool()
    assert compiler.pool_statistics().transitions == 0
    assert masks_along(constraint.matcher(), TEXT, byte_vocabulary.size) == expected
    again = compiler.compile(mw.Grammar.json_schema(TOOL))
    assert masks_along(again.matcher(), TEXT, byte_vocabulary.size) == expected


@pytest.mark.parametrize("limit", [1, 10_000, 100_000])
def test_the_pool_stays_within_its_bytes(byte_vocabulary: mw.Vocabulary, limit: int) -> None:
    compiler = mw.Compiler(byte_vocabulary, budget=mw.Budget(pool_bytes=limit))
    for number in range(30):
        schema = {"type": "array", "items": {"type": "string", "maxLength": 3 + number}}
        constraint = compiler.compile(mw.Grammar.json_schema(schema))
        text = json.dumps(["ab", "c"]).encode()
        expected = mw.Compiler(byte_vocabulary).compile(mw.Grammar.json_schema(schema))
        found = masks_along(constraint.matcher(), text, byte_vocabulary.size)
        assert found == masks_along(expected.matcher(), text, byte_vocabulary.size)
        # What one constraint needs at once may exceed a tiny limit; what is kept may not.
        assert compiler.pool_statistics().bytes <= limit


def test_what_alone_is_larger_than_the_pool_is_not_kept(byte_vocabulary: mw.Vocabulary) -> None:
    compiler = mw.Compiler(byte_vocabulary, budget=mw.Budget(pool_bytes=400))
    text = b"ab,listen"
    grammar = mw.Grammar.regex("[a-z]+,[a-z]+")
    expected = masks_along(
        mw.Compiler(byte_vocabulary).compile(grammar).matcher(), text, byte_vocabulary.size
    )
    assert masks_along(compiler.compile(grammar).matcher(), text, byte_vocabulary.size) == expected
    assert compiler.pool_statistics().bytes <= 400


def test_what_is_asked_for_again_and_again_stays_within_the_bytes() -> None:
    vocabulary, limit = vocabulary_with_commas(), 400_000
    compiler = mw.Compiler(vocabulary, budget=mw.Budget(pool_bytes=limit))
    known: list[mw.Grammar] = []
    left_out = itertools.combinations(string.ascii_lowercase[1:], 2)
    for _ in range(20):
        # What is new makes the younger generation the older one, and all that is known is asked for then.
        known += [words_of_few_letters(next(left_out)) for _ in range(10)]
        for grammar in known:
            masks_along(compiler.compile(grammar).matcher(), b"[a,a]", vocabulary.size)
            assert compiler.pool_statistics().bytes <= limit
    assert compiler.pool_statistics().partial_hits > 0


def test_a_pool_that_has_been_full_takes_in_what_comes_later(byte_vocabulary: mw.Vocabulary) -> None:
    compiler = mw.Compiler(byte_vocabulary, budget=mw.Budget(pool_bytes=64 << 10))
    found = []
    for number in range(30):
        # A few of these fill the pool, and the gap that is left is too small for another one.
        words = "|".join(f"{word}!{number}" for word in range(400))
        before = compiler.pool_statistics().partial_hits
        for _ in range(2):
            compiler.compile(mw.Grammar.regex(f"([a-m]1|[n-z]2)({words})")).matcher().allowed_tokens()
        found.append(compiler.pool_statistics().partial_hits - before)
        assert compiler.pool_statistics().bytes <= 64 << 10
    assert found[:3] == [1, 1, 1]
    assert sum(found[-15:]) > 10


def test_what_constraints_hold_takes_no_room_of_the_pool() -> None:
    vocabulary = vocabulary_with_commas()
    compiler = mw.Compiler(vocabulary, budget=mw.Budget(pool_bytes=400_000))
    constraints, found = [], []
    for left_out in itertools.islice(itertools.combinations(string.ascii_lowercase[1:], 2), 200):
        # Tokens leave each list's words at other places, and those of all lists take more than the pool may.
        grammar = words_of_few_letters(left_out)
        before = compiler.pool_statistics()
        for _ in range(2):
            constraints.append(compiler.compile(grammar))
            masks_along(constraints[-1].matcher(), b"[a,a]", vocabulary.size)
        after = compiler.pool_statistics()
        assert after.bytes <= 400_000
        found.append(after.partial_hits - before.partial_hits)
    assert sum(hits > 0 for hits in found) > 150


def test_threads_share_the_pool(byte_vocabulary: mw.Vocabulary) -> None:
    compiler = mw.Compiler(byte_vocabulary)
    alone = mw.Compiler(byte_vocabulary).compile(mw.Grammar.json_schema(TOOL))
    expected = masks_along(alone.matcher(), TEXT, byte_vocabulary.size)
    wrong: list[str] = []

    def work() -> None:
        for _ in range(5):
            constraint = compiler.compile(mw.Grammar.json_schema(TOOL))
            if masks_along(constraint.matcher(), TEXT, byte_vocabulary.size) != expected:
                wrong.append("a mask differs")

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_equal_masks_of_equal_places_have_one_number(byte_vocabulary: mw.Vocabulary) -> None:
    constraint = mw.Compiler(byte_vocabulary).compile(mw.Grammar.regex("(ab)*c"))
    matcher, other = constraint.matcher(), constraint.matcher()
    assert other.accept_bytes(b"ab")
    assert matcher.mask_id == other.mask_id is not None
    assert other.accept_bytes(b"a")
    assert matcher.mask_id != other.mask_id


def test_no_mask_reads_deeper_than_the_longest_token(byte_vocabulary: mw.Vocabulary) -> None:
    constraint = mw.Compiler(byte_vocabulary).compile(mw.Grammar.gbnf('root ::= "(" root ")" | "x"'))
    matcher = constraint.matcher()
    assert matcher.accept_bytes(b"(" * 50 + b"x")
    mask = np.zeros((byte_vocabulary.size + 31) // 32, dtype=np.int32)
    matcher.fill_mask(mask)
    longest = byte_vocabulary.max_token_bytes
    assert 0 < constraint.statistics().deepest_read <= longest + 1


def test_a_mask_is_kept_once_however_many_frames_may_go_on(byte_vocabulary: mw.Vocabulary) -> None:
    """As each of many nested statements may with an ``else``."""
    constraint = mw.Compiler(byte_vocabulary).compile(mw.Grammar.gbnf('root ::= "(" root "d"? | "e"'))
    numbers, kept = set(), []
    for depth in range(20, 400, 10):
        matcher = constraint.matcher()
        assert matcher.accept_bytes(b"(" * depth)
        before = matcher.mask_id
        assert matcher.accept_bytes(b"e")
        numbers.add((before, matcher.mask_id))
        kept.append(constraint.statistics().cache_bytes)
    assert len(numbers) == 1
    assert kept[-1] == kept[0]
    assert constraint.statistics().deepest_read >= 390


def test_no_thread_waits_while_statistics_do() -> None:
    """They wait for a walk that is under way, and must not keep the interpreter lock meanwhile."""
    words = [
        "".join(letters).encode() for size in range(1, 17) for letters in itertools.product("ab", repeat=size)
    ]
    vocabulary = mw.Vocabulary.from_tokens([*words, None], stop_ids=[len(words)])
    # A walk with a state for each of the words.
    grammar, settings = mw.Grammar.regex("(a|b)*a(a|b){15}"), mw.Settings(signatures=False)
    constraint = mw.Compiler(vocabulary).compile(grammar, settings=settings)
    matcher, turns = constraint.matcher(), 0

    def walk() -> None:
        assert matcher.mask_id is not None

    def count() -> None:
        nonlocal turns
        while walking.is_alive():
            turns += 1
            time.sleep(0.0005)

    walking, counting = threading.Thread(target=walk), threading.Thread(target=count)
    walking.start()
    counting.start()
    longest, turns_meanwhile = 0.0, 0
    while walking.is_alive():
        start, before = time.monotonic(), turns
        constraint.statistics()
        longest, turns_meanwhile = max((longest, turns_meanwhile), (time.monotonic() - start, turns - before))
    counting.join()
    assert longest < 0.1 or turns_meanwhile > 3
