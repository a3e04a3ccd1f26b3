"""The harness of the benchmark suite: verdicts, processes that end, and grammars in other notations."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import json
import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from benchmarks.engines import (
    ENGINES,
    Batch,
    Compiled,
    Cursor,
    Engine,
    Refused,
    Source,
    Spec,
    TokenTable,
    create,
    installed,
    parse_spec,
)
from benchmarks.engines.spelling import spelled_for_xgrammar
from benchmarks.plot import DRAWN
from benchmarks.suite import replay, rounds
from benchmarks.suite.__main__ import main, parse_arguments
from benchmarks.suite.case import Case, Outcome, Text, Verdict
from benchmarks.suite.corpora import language_cases, pattern_cases, program_cases, store_cases
from benchmarks.suite.declared_order import in_declared_order
from benchmarks.suite.replay import replay_case
from benchmarks.suite.report import figures, show
from benchmarks.suite.rounds import Options, Run, least_of
from benchmarks.suite.worker import Answer, Worker
from benchmarks.suite.workloads import ablation

import maskwright as mw
from only_bytes import only_bytes

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

    def spelled(self, source: Source) -> Source:
        """Reads every notation."""
        return source

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


def test_the_conversion_to_the_notation_of_an_engine_is_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    now, compiled = [0], []

    class Converting(Scripted):
        """Takes a second to write a grammar in its own notation."""

        def spelled(self, source: Source) -> Source:
            now[0] += 1_000_000_000
            return Source(source.kind, f"converted: {source.text}")

        def compile(self, source: Source) -> Compiled:
            compiled.append(source.text)
            return super().compile(source)

    monkeypatch.setattr(replay, "perf_counter_ns", lambda: now[0])
    outcome = replayed(Converting([{A}], [{A}], complete_at=1), Text([A], True))
    assert (outcome.verdict, outcome.compile, outcome.first_mask) == (Verdict.RIGHT, 0, 0)
    assert compiled == [f"converted: {SOURCE.text}"]


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


RIGHT = Outcome(first_mask=2000, steps=[1000, 5000], verdicts=[Verdict.RIGHT])


@pytest.mark.parametrize(
    ("other", "counted"),
    [
        (Outcome(first_mask=3000, steps=[2000, 1000], verdicts=[Verdict.RIGHT]), [1000, 1000]),
        (Outcome(first_mask=1, steps=[1], verdicts=[Verdict.WRONG_ACCEPT]), [1]),
        (Outcome(first_mask=1, steps=[1], verdicts=[Verdict.TIMEOUT]), [1000, 5000]),
        (Outcome(verdicts=[Verdict.CRASH]), [1000, 5000]),
    ],
    ids=lambda value: str(value.verdict) if isinstance(value, Outcome) else "",
)
def test_runs_of_a_case_count_with_the_least_times_and_the_worse_verdict(
    other: Outcome, counted: list[int]
) -> None:
    for one, another in ((RIGHT, other), (other, RIGHT)):
        assert least_of(one, another).steps == counted


class Timed:
    """A worker in whose place no process runs: its n-th answer tells the n-th of some times."""

    settings = "timed"

    def __init__(self, times: Iterator[int]) -> None:
        self.times = times

    def call(self, function: object, case: Case, seconds: float) -> Answer:
        """The next time, for a case that is right."""
        taken = next(self.times)
        return Answer(Outcome(taken, taken, [taken], [Verdict.RIGHT]))


@pytest.mark.parametrize(
    ("renew", "counted"),
    [(True, [[4], [2]]), (False, [[6], [3]])],
    ids=["each case by itself", "the whole run"],
)
def test_repeated_runs_where_cases_start_from_nothing_and_where_engines_keep_what_came(
    renew: bool, counted: list[list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    spec, started = Spec("copy"), []
    times = iter([1, 8, 5, 4, 2, 3] if renew else [1, 8, 5, 4, 6, 3])

    @contextlib.contextmanager
    def workers(options: Options) -> Iterator[dict[Spec, Timed]]:
        started.append(options.repeat)
        yield {spec: Timed(times)}

    monkeypatch.setattr(rounds, "workers", workers)
    cases = [Case(name, SOURCE, [Text([A], True)], renew=renew) for name in ("before", "one", "two")]
    run = rounds.run_cases(cases[1:], Options([spec], repeat=2), first=cases[:1])
    assert [outcome.steps for outcome in run.outcomes[spec]] == counted
    assert len(started) == (1 if renew else 2)


def test_where_no_engine_is_right_nothing_is_in_common_and_it_is_told_why(
    capsys: pytest.CaptureFixture[str],
) -> None:
    case, spec = Case("one", SOURCE, [Text([A], True)]), Spec("copy")
    failed = Outcome(verdicts=[Verdict.CRASH], message="exit code 7")
    result = figures(Run([case], {spec: [failed]}), Options([spec]))
    assert (result["cases in common"], result["in common to"]) == (0, [])
    show(result)
    shown = capsys.readouterr().out
    assert "right in each of no engine\ncopy, one: crash: exit code 7\n" in shown
    assert "TTFM" not in shown


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


def die_soon(engine: object, seconds: float, report: Callable[[str], None]) -> None:
    threading.Timer(seconds, os._exit, [7]).start()


def test_a_process_that_ends_between_two_calls_is_a_crash_and_starts_again(worker: Worker) -> None:
    assert worker.call(die_soon, 0.1, 30.0).ending == "done"
    time.sleep(1)
    answer = worker.call(sleep, 0.0, 30.0)
    assert (answer.ending, answer.message) == ("crash", "exit code 7")
    assert worker.call(sleep, 0.0, 30.0).result == "awake"


def load_nothing(path: Path) -> Engine:
    with path.open("a") as file:
        file.write("tried ")
    raise ValueError("there is nothing")


def test_an_engine_that_does_not_start_is_tried_once(tmp_path: Path) -> None:
    load = functools.partial(load_nothing, tmp_path / "tries")
    worker = Worker("nothing", load, memory_bytes=MEMORY)
    answer = worker.call(sleep, 0.0, 30.0)
    assert (answer.ending, answer.message) == ("error", "does not start: ValueError: there is nothing")
    assert worker.call(sleep, 0.0, 30.0) == answer
    assert (tmp_path / "tries").read_text() == "tried "


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
    assert str(parse_spec("maskwright:warm=500")) == "maskwright:warm=500"
    assert installed(["copy", "maskwright:warm=all"]) == [
        parse_spec("copy"),
        parse_spec("maskwright:warm=all"),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nothing", "no engine 'nothing'"),
        ("maskwright:order", "has 'order', but maskwright has order=any|declared, "),
        ("maskwright:order=some", "has 'order=some', but "),
        ("maskwright:signatures=yes", "has 'signatures=yes', but "),
        ("maskwright:warm=-1", "has 'warm=-1', but "),
        ("maskwright:warm=some", "has 'warm=some', but "),
        ("llguidance:coerce=yes", "but llguidance has coerce=off|on, tools=lark|structtag"),
        ("xgrammar:strict", "but xgrammar has strict=off|on"),
        ("copy:x=", "has 'x=', but copy has no options"),
    ],
)
def test_what_an_engine_does_not_have_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        parse_spec(text)


def test_every_setting_of_maskwright_can_be_switched() -> None:
    names = {each.name for each in dataclasses.fields(mw.Settings)}
    options = ENGINES["maskwright"].options
    assert {name for name, values in options.items() if values == "on|off"} == names
    assert [parse_spec(str(spec)) for spec in ablation()] == ablation()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("maskbench --sample 0", "--sample: it must be 1 or more, not 0"),
        ("maskbench --sample some", "invalid whole number value: 'some'"),
        ("maskbench --seconds nan", "--seconds: it must be 0.1 or more, not nan"),
        ("maskbench --prefill -1", "--prefill: it must be 0 or more, not -1"),
        ("batch --threads 0", "--threads: it must be 1 or more, not 0"),
        ("maskbench --engines nothing", "there is no engine 'nothing'"),
        ("maskbench --engines copy --engines copy", "copy is there twice"),
        ("long --sample 3", "long has no --sample"),
        ("gbnf --whitespace fixed", "gbnf has no --whitespace"),
        ("memory --cache warm", "memory has no --cache"),
        ("batch --repeat 2", "batch has no --repeat"),
        ("ablation --engines copy", "ablation has no --engines"),
        ("vocabularies --vocabulary gemma3", "vocabularies has no --vocabulary"),
    ],
)
def test_what_a_command_line_asks_in_vain_is_refused(
    words: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(words.split())
    assert caught.value.code == 2
    assert message in capsys.readouterr().err


def test_the_commands_of_the_suite_in_the_makefile_are_ones_that_it_takes() -> None:
    root = Path(__file__).resolve().parents[1]
    makefile = (root / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    variables = dict(re.findall(r"^(\w+) [:?]?= (.*)$", makefile, re.MULTILINE))
    commands = re.findall(r"\$\(SUITE\) ([^|\n]*)", makefile)
    assert len(commands) > 10
    for command in commands:
        words = command
        while "$(" in words:
            words = re.sub(r"\$\((\w+)\)", lambda found: variables[found[1]], words)
        parse_arguments(words.replace("$$whitespace", "free").split())


def assert_texts_fit(cases: Sequence[Case], grammar: Callable[[str], mw.Grammar]) -> None:
    """Each text of cases that differ, token by token and as a whole."""
    assert len({case.name for case in cases}) == len(cases) >= 8
    for case in cases:
        constraint = mw.Compiler(only_bytes()).compile(grammar(case.source.text))
        for text in case.texts:
            matcher = constraint.matcher()
            assert matcher.accept_tokens(text.tokens) == len(text.tokens), case.name
            assert matcher.is_complete, case.name


def as_bytes(text: str) -> list[int]:
    return list(text.encode())


def test_programs_fit_their_grammars(shared_data: Path) -> None:
    assert_texts_fit(program_cases(as_bytes), mw.Grammar.gbnf)


def test_texts_fit_the_grammars_of_their_languages() -> None:
    assert_texts_fit(language_cases(as_bytes), mw.Grammar.gbnf)


def test_texts_fit_their_patterns(shared_data: Path) -> None:
    assert_texts_fit(pattern_cases(as_bytes), mw.Grammar.json_schema)


def test_members_stand_in_the_order_in_which_a_schema_declares_them() -> None:
    schema = {
        "$defs": {"named/a": {"properties": {"name": {}, "kind": {}, "in": {"$ref": "#"}}}},
        "allOf": [{"$ref": "#/$defs/named~1a"}],
        "then": {"properties": {"kind": {}, "size": {}}},
        "properties": {"size": {}, "list": {"items": {"$ref": "#"}}},
        "additionalProperties": {"$ref": "#/$defs/nowhere"},
    }
    value = {"other": {"b": 1, "a": 2}, "list": [{"kind": 1, "size": 2}, 3], "in": {"name": 1, "list": []}}
    written = in_declared_order(value | {"kind": 5, "size": 6}, schema, schema)
    assert json.dumps(written) == json.dumps(
        {
            "size": 6,
            "list": [{"size": 2, "kind": 1}, 3],
            "kind": 5,
            "in": {"list": [], "name": 1},
            "other": {"b": 1, "a": 2},
        }
    )


def test_documents_of_the_store_fit_their_schemas(shared_data: Path) -> None:
    cases = store_cases(lambda text: list(text.encode()), sample=40, seed=3)
    assert len({case.name for case in cases}) == len(cases) == 40
    vocabulary = only_bytes()
    for case in cases:
        constraint = mw.Compiler(vocabulary).compile(mw.Grammar.json_schema(case.source.text, order="any"))
        for text in case.texts:
            matcher = constraint.matcher()
            is_whole = matcher.accept_tokens(text.tokens) == len(text.tokens)
            assert (is_whole and matcher.is_complete) == text.valid, case.name


def test_the_spelling_for_xgrammar_is_the_same_language(shared_data: Path) -> None:
    text = (shared_data / "grammars" / "json.gbnf").read_text(encoding="utf-8")
    spelled = spelled_for_xgrammar(text)
    assert '"\\"" [^"' in spelled
    vocabulary = only_bytes()
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
