"""A constraint that serves more texts than its budget has room for begins anew, and no one can tell."""

from __future__ import annotations

import itertools
import random
import threading

import pytest

import maskwright as mw
from replaying import masks_along

WORDS = ["".join(letters) for letters in itertools.product("abcd", repeat=5)]
SMALL = mw.Budget(states=300)


def compiled(vocabulary: mw.Vocabulary, budget: mw.Budget) -> mw.Constraint:
    # Each word leads to states of its own, as what may follow it names it once more.
    rules = " | ".join(f'"{word}" "{word[::-1]}"' for word in WORDS)
    return mw.Compiler(vocabulary, budget=budget).compile(mw.Grammar.gbnf(f"root ::= {rules}"))


def test_many_texts_need_no_more_than_each_of_them(byte_vocabulary: mw.Vocabulary) -> None:
    small, large = compiled(byte_vocabulary, SMALL), compiled(byte_vocabulary, mw.Budget())
    for word in WORDS[::7]:
        text = (word + word[::-1]).encode()
        assert masks_along(small.matcher(), text, byte_vocabulary.size) == masks_along(
            large.matcher(), text, byte_vocabulary.size
        )
    assert small.statistics().restarts > 1
    assert small.statistics().states <= 300
    assert large.statistics().restarts == 0


def test_new_texts_leave_what_others_have_filled(byte_vocabulary: mw.Vocabulary) -> None:
    """What a constraint holds is bounded, whatever was matched before; what was begun goes on."""
    grammar = mw.Grammar.regex("[ab]*a[ab]{30}")
    small = mw.Compiler(byte_vocabulary, budget=mw.Budget(cache_bytes=1 << 20)).compile(grammar)
    large = mw.Compiler(byte_vocabulary).compile(grammar)
    begun, same = small.matcher(), large.matcher()
    assert begun.accept_bytes(b"abab")
    assert same.accept_bytes(b"abab")
    letters = random.Random(0)
    most = 0
    # Hardly any two places of these texts are in one state.
    for _ in range(150):
        text = bytes(letters.choice(b"ab") for _ in range(1000))
        assert small.matcher().accept_bytes(text)
        most = max(most, small.statistics().states)
    assert small.statistics().restarts > 1
    assert most < 150_000 / 2
    assert masks_along(small.matcher(), text[:100], byte_vocabulary.size) == masks_along(
        large.matcher(), text[:100], byte_vocabulary.size
    )
    assert masks_along(begun, text, byte_vocabulary.size) == masks_along(same, text, byte_vocabulary.size)


def test_matchers_go_on_after_a_restart(byte_vocabulary: mw.Vocabulary) -> None:
    small, large = compiled(byte_vocabulary, SMALL), compiled(byte_vocabulary, mw.Budget())
    kept = []
    for word in WORDS[::3]:
        pair = small.matcher(), large.matcher()
        for matcher in pair:
            assert matcher.accept_bytes(word[:2].encode())
            assert matcher.accept_bytes(word[2:].encode())
        kept.append((word, *pair))
    assert small.statistics().restarts > 0
    for word, matcher, same in kept:
        fork = matcher.fork()
        assert matcher.allowed_tokens() == same.allowed_tokens()
        assert matcher.allowed_bytes() == same.allowed_bytes()
        assert matcher.forced_bytes() == same.forced_bytes()
        matcher.rollback(1)
        same.rollback(1)
        assert masks_along(matcher, b"", byte_vocabulary.size) == masks_along(same, b"", byte_vocabulary.size)
        assert fork.accept_bytes(word[::-1].encode())
        assert fork.is_complete
        assert fork.step_count == 3


def test_a_validation_across_a_restart_leaves_the_matcher_where_it_was(
    byte_vocabulary: mw.Vocabulary,
) -> None:
    small = compiled(byte_vocabulary, SMALL)
    ids = {byte_vocabulary.token_bytes(token): token for token in range(byte_vocabulary.size)}
    matcher = small.matcher()
    for word in WORDS[::5]:
        tokens = [ids[bytes([byte])] for byte in (word + word[::-1] + "z").encode()]
        assert matcher.validate(tokens) == 10
        assert matcher.step_count == 0
    assert small.statistics().restarts > 0


def test_one_text_beyond_the_budget_is_an_error_and_the_matcher_lives(byte_vocabulary: mw.Vocabulary) -> None:
    compiler = mw.Compiler(byte_vocabulary, budget=mw.Budget(states=60))
    constraint = compiler.compile(mw.Grammar.regex("[ab]{500}"))
    matcher = constraint.matcher()
    with pytest.raises(mw.BudgetExceededError):
        all(matcher.accept_bytes(b"a") for _ in range(100))
    reached = matcher.step_count
    restarts = constraint.statistics().restarts
    for _ in range(3):
        with pytest.raises(mw.BudgetExceededError):
            matcher.accept_bytes(b"a")
    assert (matcher.step_count, constraint.statistics().restarts) == (reached, restarts)
    matcher.rollback(reached - 1)
    assert matcher.accept_bytes(b"b")


def test_a_text_that_was_too_long_for_the_budget_leaves_nothing_behind(
    byte_vocabulary: mw.Vocabulary,
) -> None:
    """Not even once a longer text, of which each part is short enough, has as many steps."""
    rules = " | ".join(f'"{word}" "{word[::-1]}"' for word in WORDS)
    grammar = mw.Grammar.gbnf(f'root ::= long | word*\nlong ::= "x" [ab]{{500}}\nword ::= {rules}')
    constraint = mw.Compiler(byte_vocabulary, budget=SMALL).compile(grammar)
    matcher = constraint.matcher()
    ids = {byte_vocabulary.token_bytes(token): token for token in range(byte_vocabulary.size)}
    too_long = [ids[b"x"], *[ids[b"a"]] * 500]
    for attempt in (matcher.validate, matcher.accept_tokens):
        with pytest.raises(mw.BudgetExceededError):
            attempt(too_long)
        assert matcher.step_count == 0
    for word in WORDS[:600:15]:
        # Other matchers use up the states, so that the constraint begins anew.
        for other in WORDS[::29]:
            assert constraint.matcher().accept_bytes((other + other[::-1]).encode())
        assert all(matcher.accept_bytes(letter.encode()) for letter in word + word[::-1])
    assert matcher.step_count == 400


def test_what_was_refused_decides_about_nothing_else() -> None:
    """A mask reads what no text may come to, and a long text more than a short one."""
    long = ["".join(letters) for letters in itertools.product("ab", repeat=9)]
    vocabulary = mw.Vocabulary.from_tokens(
        [*(text.encode() for text in [*"abcx", *long]), None], stop_ids=[4 + len(long)]
    )
    compiler = mw.Compiler(vocabulary, budget=mw.Budget(states=12))
    matcher = compiler.compile(mw.Grammar.regex("([ab]*a[ab]{12}x|c|b[ab]c)*")).matcher()
    mask = mw.allocate_mask(1, vocabulary.size)
    for _ in range(2):
        with pytest.raises(mw.BudgetExceededError):
            matcher.fill_mask(mask)
    with pytest.raises(mw.BudgetExceededError):
        matcher.accept_bytes("".join(long[::7]).encode())
    with pytest.raises(mw.BudgetExceededError):
        matcher.fill_mask(mask)
    assert matcher.step_count == 0
    assert matcher.accept_bytes(b"c")
    assert matcher.accept_bytes(b"bac")
    with pytest.raises(mw.BudgetExceededError):
        matcher.fill_mask(mask)
    assert [matcher.accept_bytes(text) for text in (b"b", b"b", b"x", b"c")] == [True, True, False, True]
    assert matcher.is_complete


def test_threads_agree_while_the_constraint_begins_anew(byte_vocabulary: mw.Vocabulary) -> None:
    small, large = compiled(byte_vocabulary, SMALL), compiled(byte_vocabulary, mw.Budget())
    texts = [(word + word[::-1]).encode() for word in WORDS[::13]]
    expected = [masks_along(large.matcher(), text, byte_vocabulary.size) for text in texts]
    found: list[list[list[bytes]]] = []

    def work() -> None:
        found.append([masks_along(small.matcher(), text, byte_vocabulary.size) for text in texts])

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 3
