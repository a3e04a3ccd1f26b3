"""The harness of the benchmark suite: verdicts, processes that end, and grammars in other notations."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from benchmarks.engines import Batch, Compiled, Cursor, Refused, Source, Spec, TokenTable, create, parse_spec
from benchmarks.engines.spelling import spelled_for_xgrammar
from benchmarks.plot import DRAWN
from benchmarks.suite import replay
from benchmarks.suite.case import Case, Outcome, Text, Verdict
from benchmarks.suite.replay import replay_case
from benchmarks.suite.report import figures
from benchmarks.suite.rounds import Options, Run
from benchmarks.suite.worker import Worker

import maskwright as mw

A, B, STOP = 0, 1, 2
TABLE = TokenTable([b"a", b"b", None], {"<end>": STOP}, [STOP], 3)
SOURCE = Source("gbnf", 'root ::= "a" "b"')
MEMORY = 4 << 30


class Scripted:
    """An engine that allows what it is told: for each position the ids in the mask, and those accepted."""

    settings = "scripted"

    def __init__(self, masks: list[set[int]], accepts: list[set[int]], *, complete_at: int) -> None:
        self.words = np.zeros(1, dtype=np.int32)
        self._masks, self._accepts, self._complete_at = masks, accepts, complete_at

    def renew(self) -> None:
        """Nothing is kept."""

    def compile(self, source: Source) -> Compiled:
        """Refuses one text."""
        if source.text == "refuse":
            raise Refused("as told")
        return self._start

    def _start(self) -> Cursor:
        position = 0

        def mask() -> None:
            allowed = self._masks[position] if position < len(self._masks) else set()
            self.words[0] = sum(1 << token for token in allowed)

        def accept(token: int) -> bool:
            nonlocal position
            if token not in self._accepts[position]:
                return False
            position += 1
            return True

        return Cursor(None, mask, accept, lambda: position == self._complete_at)

    def batch(self, rows: int, threads: int) -> Batch:
        """There is none, and no test asks for one."""
        raise AssertionError(f"a batch of {rows} rows on {threads} threads was asked for")


def replayed(engine: Scripted, *texts: Text, source: Source = SOURCE) -> Outcome:
    return replay_case(engine, Case("case", source, list(texts)), lambda _: None)


def test_verdicts_of_texts() -> None:
    exact = Scripted([{A}, {B}], [{A}, {B}], complete_at=2)
    texts = [Text([A, B], True), Text([A], False), Text([B], False), Text([A, B], False), Text([B], True)]
    outcome = replayed(exact, *texts)
    right, wrong_accept, wrong_reject = Verdict.RIGHT, Verdict.WRONG_ACCEPT, Verdict.WRONG_REJECT
    assert outcome.verdicts == [right, right, right, wrong_accept, wrong_reject]
    assert outcome.verdict is Verdict.WRONG_ACCEPT
    assert len(outcome.steps) == 2 + 1 + 0 + 2 + 0
    assert outcome.first_mask is not None
    assert outcome.first_mask >= outcome.compile > 0


def test_a_text_that_stops_short_is_a_wrong_reject() -> None:
    engine = Scripted([{A}, {B}], [{A}, {B}], complete_at=2)
    assert replayed(engine, Text([A], True)).verdicts == [Verdict.WRONG_REJECT]


def test_masks_and_acceptance_that_disagree_are_errors() -> None:
    hidden = Scripted([{A}, set()], [{A}, {B}], complete_at=2)
    shown = Scripted([{A}, {B}], [{A}, set()], complete_at=2)
    for engine, message in ((hidden, "accepted and not in"), (shown, "in the mask and not")):
        outcome = replayed(engine, Text([A, B], True))
        assert outcome.verdicts == [Verdict.ERROR]
        assert message in outcome.message


def test_other_memory_is_read_before_each_step_and_outside_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now, sizes = [0], []

    def read(size: int) -> None:
        sizes.append(size)
        now[0] += 1_000_000_000

    monkeypatch.setattr(replay, "perf_counter_ns", lambda: now[0])
    monkeypatch.setattr(replay, "_read_other_memory", read)
    engine = Scripted([{A}, {B}], [{A}, {B}], complete_at=2)
    case = Case("case", SOURCE, [Text([A, B], True)], between=1 << 20)
    outcome = replay_case(engine, case, lambda _: None)
    assert sizes == [1 << 20] * 3
    assert (outcome.first_mask, outcome.steps) == (0, [0, 0])
    monkeypatch.undo()
    assert replay_case(engine, case, lambda _: None).verdicts == [Verdict.RIGHT]


def test_refusals_are_told_from_failures() -> None:
    engine = Scripted([{A}], [], complete_at=0)
    refused = replayed(engine, Text([A], True), source=Source("gbnf", "refuse"))
    assert (refused.verdict, refused.first_mask) == (Verdict.REFUSED, None)
    failed = replayed(engine, Text([A], True))
    assert failed.verdict is Verdict.ERROR
    assert "IndexError" in failed.message


def test_figures_in_common_leave_out_what_one_has_wrong() -> None:
    case = Case("one", SOURCE, [Text([A], True)])
    right = Outcome(first_mask=1000, steps=[1000], verdicts=[Verdict.RIGHT])
    slow = Outcome(first_mask=9000, steps=[9000], verdicts=[Verdict.RIGHT])
    wrong = Outcome(first_mask=1, steps=[1], verdicts=[Verdict.WRONG_ACCEPT])
    late = Outcome(verdicts=[Verdict.TIMEOUT])
    one, two = Spec("maskwright"), Spec("copy")
    run = Run([case] * 3, {one: [right, slow, right], two: [right, wrong, right]})
    result = figures(run, Options([one, two]))
    assert result["cases in common"] == 2
    assert result["results"]["maskwright"]["microseconds in common"]["TBM"][-1] == 1.0
    assert result["results"]["maskwright"]["microseconds"]["TBM"][-1] == 9.0
    run.outcomes[two][1] = late
    result = figures(run, Options([one, two], seconds=2.0))
    assert result["results"]["copy"]["microseconds"]["TTFM"][-1] == 2e6


def load_copy() -> object:
    return create(Spec("copy"), TABLE)


def sleep(engine: object, seconds: float, report: Callable[[str], None]) -> str:
    report("asleep")
    time.sleep(seconds)
    return "awake"


def die(engine: object, code: int, report: Callable[[str], None]) -> None:
    os._exit(code)


def fail(engine: object, message: str, report: Callable[[str], None]) -> None:
    raise ValueError(message)


@pytest.fixture
def worker() -> Iterator[Worker]:
    made = Worker("copy", load_copy, memory_bytes=MEMORY)  # type: ignore[arg-type]
    yield made
    made.stop()


def test_a_worker_is_timed_out_and_starts_again(worker: Worker) -> None:
    answer = worker.call(sleep, 60.0, 0.5)
    assert (answer.ending, answer.result) == ("timeout", "asleep")
    assert worker.call(sleep, 0.0, 30.0).result == "awake"


def test_a_worker_survives_crashes_and_errors(worker: Worker) -> None:
    answer = worker.call(die, 7, 30.0)
    assert (answer.ending, answer.message) == ("crash", "exit code 7")
    answer = worker.call(fail, "no luck", 30.0)
    assert (answer.ending, answer.message) == ("error", "ValueError: no luck")
    assert worker.call(replay_case, Case("case", SOURCE, [Text([A, B], True)]), 30.0).result.verdicts == [
        Verdict.RIGHT
    ]


def test_maskwright_in_the_loop() -> None:
    engine = create(Spec("maskwright", (("signatures", "off"),)), TABLE)
    outcome = replay_case(
        engine, Case("case", SOURCE, [Text([A, B], True), Text([B], False)]), lambda _: None
    )
    assert outcome.verdicts == [Verdict.RIGHT, Verdict.RIGHT]
    batch = engine.batch(2, 1)
    matchers = [engine.compile(SOURCE)().matcher for _ in range(2)]
    assert list(batch.accept(matchers, [A, B])) == [True, False]
    batch.fill(matchers)
    assert batch.mask[:, 0].tolist() == [1 << B, 1 << A]


def test_specs() -> None:
    assert str(parse_spec("maskwright:order=declared,signatures=off")) == (
        "maskwright:order=declared,signatures=off"
    )
    with pytest.raises(ValueError, match="no engine"):
        parse_spec("nothing")
    with pytest.raises(ValueError, match="no value"):
        parse_spec("maskwright:order")


def test_the_spelling_for_xgrammar_is_the_same_language(shared_data: Path) -> None:
    text = (shared_data / "grammars" / "json.gbnf").read_text(encoding="utf-8")
    spelled = spelled_for_xgrammar(text)
    assert '"\\"" [^"' in spelled
    vocabulary = mw.Vocabulary.from_tokens([*(bytes([byte]) for byte in range(256)), None], stop_ids=[256])
    constraints = [mw.Compiler(vocabulary).compile(mw.Grammar.gbnf(each)) for each in (text, spelled)]
    for document in (
        r'{"a\"\\": "\u00e9\n", "": [1, true, {}]}',
        '{"a": "\x7f"}',
        r'{"a": "\x"}',
        '{"é": -1.5e3',
    ):
        answers = []
        for constraint in constraints:
            matcher = constraint.matcher()
            steps = [(matcher.allowed_tokens(), matcher.accept(byte)) for byte in document.encode()]
            answers.append((steps, matcher.is_complete))
        assert answers[0] == answers[1]


def test_every_drawing_is_made_anew_and_shown() -> None:
    root = Path(__file__).resolve().parents[1]
    drawings = {path.name for path in (root / "docs").glob("*.svg")}
    assert drawings == {f"{name}.svg" for name in DRAWN}
    pages = [root / "README.md", *root.glob("docs/*.md"), *root.glob("benchmarks/*.md")]
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    assert [name for name in sorted(drawings) if f"docs/{name}" not in text] == []
