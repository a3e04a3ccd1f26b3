"""Processes that are forked: what a child makes anew, and what it takes over from its parent."""

from __future__ import annotations

import itertools
import os
import random
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

import maskwright as mw
from maskwright.generation import Message, generate
from replaying import masks_along, places, single_masks

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")

ROWS = 300
"""So many that threads share them."""
SCHEMA = mw.Grammar.json_schema({"type": "object", "properties": {"ab": {"type": "array"}}})
DOCUMENT = b'{"ab": [1, "list"]}'


def forked() -> int:
    """The process identity of a new child, which is ended where it hangs; 0 in the child."""
    with warnings.catch_warnings():
        # From Python 3.12 on, forking with threads is warned of; that it works is what is tested.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        signal.alarm(30)
    return child


def started(work: Callable[[], bool]) -> int:
    """The process identity of a child that does something, and ends well if it gives True."""
    child = forked()
    if child == 0:
        is_right = False
        try:
            is_right = work()
        finally:
            os._exit(0 if is_right else 1)
    return child


def ends_well(child: int) -> bool:
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) == 0


def vocabulary_of_json() -> mw.Vocabulary:
    """A new one, of tokens that are common in JSON."""
    letters = random.Random(2)
    tokens = [bytes([byte]) for byte in range(256)]
    tokens += [bytes(letters.choices(b'abe":,{}[]01 ', k=letters.randint(2, 6))) for _ in range(5_000)]
    return mw.Vocabulary.from_tokens([*tokens, None], stop_ids=[len(tokens)])


def test_a_forked_process_has_threads_of_its_own(byte_vocabulary: mw.Vocabulary) -> None:
    matchers = places(byte_vocabulary, ROWS)
    expected = single_masks(matchers, byte_vocabulary.size)
    mw.fill_masks(matchers, mw.allocate_mask(ROWS, byte_vocabulary.size), threads=2)

    def work() -> bool:
        mask = mw.allocate_mask(ROWS, byte_vocabulary.size)
        mw.fill_masks(matchers, mask, threads=2)
        mw.fill_masks(matchers, mask, threads=3)
        accepted = mw.accept_batch(matchers, [ord("a")] * ROWS, threads=3)
        return bool((mask == expected).all() and accepted.any())

    assert ends_well(started(work))
    mask = mw.allocate_mask(ROWS, byte_vocabulary.size)
    mw.fill_masks(matchers, mask, threads=2)
    assert (mask == expected).all(), "the parent's threads go on"


def test_a_forked_process_computes_ahead_as_its_parent_did(byte_vocabulary: mw.Vocabulary) -> None:
    compiler = mw.Compiler(byte_vocabulary)
    constraint = compiler.compile(SCHEMA, warm=50)
    assert constraint.warming is not None
    assert constraint.warming.wait(60)
    expected = masks_along(constraint.matcher(), DOCUMENT, byte_vocabulary.size)

    def work() -> bool:
        for warm in (50, "all"):
            for own in (compiler, mw.Compiler(byte_vocabulary)):
                made = own.compile(SCHEMA, warm=warm)
                if made.warming is None or not made.warming.wait(20):
                    return False
                if masks_along(made.matcher(), DOCUMENT, byte_vocabulary.size) != expected:
                    return False
        return masks_along(constraint.matcher(), DOCUMENT, byte_vocabulary.size) == expected

    assert ends_well(started(work))


def test_a_process_forked_while_another_thread_makes_the_first_compiler_makes_its_own() -> None:
    random_bytes = random.Random(1)
    tokens = [bytes([byte]) for byte in range(256)]
    tokens += [random_bytes.randbytes(random_bytes.randint(2, 8)) for _ in range(20_000)]
    was_at_work = 0
    # How long a machine takes to come to the work, and to be done with it, is not known.
    for attempt in range(40):
        vocabulary = mw.Vocabulary.from_tokens([*tokens, None], stop_ids=[len(tokens)])
        begins = threading.Event()

        def make(vocabulary: mw.Vocabulary = vocabulary, begins: threading.Event = begins) -> None:
            begins.set()
            mw.Compiler(vocabulary)

        thread = threading.Thread(target=make)
        thread.start()
        begins.wait()
        time.sleep(attempt * 0.0005)

        def work(vocabulary: mw.Vocabulary = vocabulary) -> bool:
            return mw.Compiler(vocabulary).compile(SCHEMA).matcher().accept_bytes(DOCUMENT)

        was_at_work += thread.is_alive()
        child = started(work)
        thread.join()
        assert ends_well(child)
        if was_at_work == 10:
            return
    pytest.fail("hardly any process was forked while the other thread was at work")


def test_a_process_may_fork_while_other_threads_are_within_calls() -> None:
    """Many forks meet such calls at different places; what they hold then, no child could ever take."""
    vocabulary = vocabulary_of_json()
    compiler = mw.Compiler(vocabulary)
    names = itertools.count()
    in_use: dict[int, list[mw.Matcher]] = {}
    is_over = threading.Event()

    def new_grammar() -> mw.Grammar:
        """One whose parts are in no pool, so that there is something to compute."""
        name = f"{next(names):06}"
        properties = {key + name: {"pattern": f"^{name}[a-f]+[{key}]"} for key in "abcdef"}
        return mw.Grammar.json_schema({"type": "object", "properties": properties})

    def call(threads: int) -> None:
        while not is_over.is_set():
            matchers = [compiler.compile(new_grammar()).matcher() for _ in range(8)]
            in_use[threads] = matchers
            mask = mw.allocate_mask(len(matchers), vocabulary.size)
            for byte in b'{ "':
                mw.fill_masks(matchers, mask, threads=threads)
                mw.accept_batch(matchers, [byte] * len(matchers), threads=threads)
            for matcher in matchers:
                matcher.fill_mask(mask)
            compiler.pool_statistics()
            mw.Compiler(vocabulary)

    grammar = new_grammar()
    constraint = compiler.compile(grammar)
    document = b'{ "a000000": "000000ffa"}'
    expected = masks_along(mw.Compiler(vocabulary).compile(grammar).matcher(), document, vocabulary.size)

    def work() -> bool:
        made = [constraint, compiler.compile(grammar), mw.Compiler(vocabulary).compile(grammar)]
        compiler.compile(new_grammar())
        for matcher in itertools.chain(*in_use.values()):
            matcher.fill_mask(mw.allocate_mask(1, vocabulary.size))
        return [masks_along(each.matcher(), document, vocabulary.size) for each in made] == [expected] * 3

    threads = [threading.Thread(target=call, args=(count,), daemon=True) for count in (1, 2)]
    for thread in threads:
        thread.start()
    try:
        for attempt in range(60):
            time.sleep(attempt % 20 * 0.0007)
            assert ends_well(started(work))
        assert all(thread.is_alive() for thread in threads), "the calls go on in the parent"
    finally:
        is_over.set()
        for thread in threads:
            thread.join(60)


def test_what_is_told_of_progress_may_fork(byte_vocabulary: mw.Vocabulary) -> None:
    told: list[bool] = []

    def tell(_: mw.Progress) -> None:
        told.append(ends_well(started(lambda: mw.Compiler(byte_vocabulary).compile(SCHEMA) is not None)))

    mw.Compiler(byte_vocabulary).compile(SCHEMA, warm="all", progress=tell)
    assert told
    assert all(told)


def test_a_process_may_fork_while_its_threads_compute_ahead() -> None:
    """Many forks meet such a thread at different places; what it holds then, no child could ever take."""
    vocabulary = vocabulary_of_json()
    properties = {
        f"{first}{second}": {"pattern": f"^{second}+"} for first in "abcdef" for second in "abcdefgh"
    }
    grammar = mw.Grammar.json_schema({"type": "object", "properties": properties})
    document = b'{"ab": "bb"}'
    expected = masks_along(mw.Compiler(vocabulary).compile(grammar).matcher(), document, vocabulary.size)
    was_at_work = 0
    # How far the thread comes before a fork is not known.
    for attempt in range(60):
        compiler = mw.Compiler(vocabulary)
        constraint = compiler.compile(grammar, warm=100_000)
        warming = constraint.warming
        assert warming is not None
        time.sleep(attempt % 20 * 0.0007)

        def work(compiler: mw.Compiler = compiler, constraint: mw.Constraint = constraint) -> bool:
            assert constraint.warming is not None
            is_told = constraint.warming.wait(20) and constraint.warming.done
            again = compiler.compile(grammar, warm=10)
            assert again.warming is not None
            masks = [masks_along(made.matcher(), document, vocabulary.size) for made in (constraint, again)]
            return is_told and again.warming.wait(20) and masks == [expected] * 2

        child = started(work)
        is_under_way = not warming.done
        assert ends_well(child)
        was_at_work += is_under_way
        warming.cancel()
        assert warming.wait(60), "the thread goes on in the parent, and hears that it is cancelled"
        if was_at_work == 20:
            return
    pytest.fail("hardly any process was forked while the thread was at work")


class ForkingModel:
    """Likes no token more than another; its process forks in the middle of one of its passes, if any."""

    def __init__(self, vocabulary: mw.Vocabulary, *, forks_in: int = 0) -> None:
        self.vocabulary = vocabulary
        self.context_length = 1000
        self.forks_in = forks_in
        self.passes = 0
        self.child: int | None = None

    def encode(self, text: str) -> list[int]:
        """One token for each byte."""
        return list(text.encode())

    def forward(self, token_ids: Sequence[int]) -> NDArray[np.float32]:
        """Equal logits."""
        self.passes += 1
        if self.passes == self.forks_in:
            self.child = forked()
        return np.zeros(self.vocabulary.size, np.float32)

    def reset(self) -> None:
        """Remembers nothing."""

    def format_chat(self, messages: Sequence[Message]) -> str | None:
        """Has no chat template."""
        return None


def test_a_forked_process_goes_on_with_the_text_that_its_parent_writes(
    byte_vocabulary: mw.Vocabulary,
) -> None:
    constraint = mw.Compiler(byte_vocabulary).compile(mw.Grammar.regex("[a-z]{30}"))
    pieces = iter(generate(ForkingModel(byte_vocabulary), constraint, "hi"))
    written = [next(pieces).token_id]

    def goes_on() -> bool:
        return bytes([*written, *(piece.token_id for piece in pieces)]) == b"a" * 30

    assert ends_well(started(goes_on))
    assert goes_on(), "the parent goes on, too"


def test_a_model_may_fork_within_its_pass(byte_vocabulary: mw.Vocabulary) -> None:
    constraint = mw.Compiler(byte_vocabulary).compile(mw.Grammar.regex("[a-z]{30}"))
    model = ForkingModel(byte_vocabulary, forks_in=2)
    is_right = False
    try:
        is_right = "".join(generate(model, constraint, "hi").text()) == "a" * 30
    finally:
        if model.child == 0:
            os._exit(0 if is_right else 1)
    assert is_right
    assert model.child is not None
    assert ends_well(model.child)


HOOK = """
import os, signal

def warm_up():
    kept.append(compiler.compile(mw.Grammar.json_schema({"type": "object"}), warm=500))

kept = []
# Before that of the package, which is registered when it is imported.
os.register_at_fork(after_in_child=warm_up)
import maskwright as mw

vocabulary = mw.Vocabulary.from_tokens([bytes([byte]) for byte in range(256)] + [None], stop_ids=[256])
compiler = mw.Compiler(vocabulary)
child = os.fork()
if child == 0:
    signal.alarm(60)
    kept[0].warming.wait()
    os._exit(0 if len(kept[0].matcher().allowed_tokens()) == 1 else 1)
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_hook_may_warm_up_in_a_child_before_the_fork_is_over() -> None:
    ended = subprocess.run([sys.executable, "-W", "ignore", "-c", HOOK], timeout=120, check=False)
    assert ended.returncode == 0
