"""Grammars made of grammars, through the public API."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import maskwright as mw
from maskwright import Grammar, Member, Tag

LONGER = [
    b"}<",
    b'"}',
    b"}</c",
    b"<c",
    b"c>",
    b"</c>{",
    b"<t>",
    b"hello",
    b", ",
    b"ab",
    b"ba",
    b"1,2",
    b"!<c>{",
]
SPECIAL = ["<|call|>", "<|end|>", "</think>"]
BASE = 256 + len(LONGER)
IDS = {name: BASE + at for at, name in enumerate(SPECIAL)}
STOP = BASE + len(SPECIAL)
TOKEN_WITH_TEXT = 256 + LONGER.index(b"<t>")

POINT = {
    "type": "object",
    "properties": {"x": {"type": "integer"}, "note": {"type": "string", "minLength": 1}},
    "required": ["x"],
    "additionalProperties": False,
}
OTHER = {
    "type": "object",
    "properties": {"name": {"enum": ["a", "é"]}},
    "additionalProperties": {"type": "null"},
}
TREE = {"type": "object", "properties": {"next": {"$ref": "#"}}, "additionalProperties": False}


@pytest.fixture(scope="module")
def vocabulary() -> mw.Vocabulary:
    tokens: list[bytes | None] = [bytes([byte]) for byte in range(256)]
    return mw.Vocabulary.from_tokens(
        [*tokens, *LONGER, *[None] * (len(SPECIAL) + 1)], special_tokens=IDS, stop_ids=[STOP]
    )


def json(schema: Any = POINT, **options: Any) -> Grammar:
    return Grammar.json_schema(schema, whitespace="compact", **options)


Text = Sequence[str | int] | str
"""A text, or pieces of it with exact tokens between them."""


@dataclass
class Case:
    """A grammar, and texts that it matches and does not."""

    make: Callable[[], Grammar]
    accepted: list[Text]
    rejected: list[Text] = field(default_factory=list)


def calls(**options: Any) -> Grammar:
    return Grammar.free_text(tags=[Tag("<c>", json() + "</c>"), Tag("<d>", "x")], **options)


def one_call(tag: str, content: Grammar | str) -> Grammar:
    """Prose up to a call, or nothing."""
    call = Grammar.free_text(tags=[Tag(tag, content)], minimum=1, maximum=1, text_after=False)
    return Grammar.repeat(call, maximum=1)


CALL, END, THINK = IDS["<|call|>"], IDS["<|end|>"], IDS["</think>"]
XML = '<c>{"x":1}</c>'

CASES: dict[str, Case] = {
    "text": Case(lambda: Grammar.text("é<t>"), ["é<t>"], ["", "é<t", "é<t>!", [CALL]]),
    "no text": Case(lambda: Grammar.text(""), [""], ["a"]),
    "sequence": Case(
        lambda: Grammar.sequence(["[", Grammar.regex("[0-9]+"), ",", json(), "]"]),
        ['[12,{"x":1}]', '[1,{"x":-3,"note":"}]"}]'],
        ["[]", '[1,{"x":1}', '[1,{"x":1}]]', '[1,{"y":1}]'],
    ),
    "no parts": Case(lambda: Grammar.sequence([]), [""], ["a"]),
    "any of": Case(
        lambda: Grammar.regex("[a-c]{2}") | "abba" | json(),
        ["ab", "abba", '{"x":0}'],
        ["", "abb", "abc", "{}"],
    ),
    "operators": Case(
        lambda: "<" + (Grammar.text("a") | "b" | Grammar.regex("[0-9]")) + ">" + "!",
        ["<a>!", "<b>!", "<7>!"],
        ["<>!", "<ab>!", "a>!", "<a>"],
    ),
    "a token or text of the other side": Case(
        lambda: Grammar.sequence([json(), "<c>", json(OTHER)]),
        ['{"x":1}<c>{}', '{"x":1,"note":"<c>"}<c>{"name":"é","z":null}'],
        ['{"x":1}<c>{"name":"b"}', '{"x":1}{"x":1}', '{"x":1}<c>{"z":null,"z":null}'],
    ),
    "repeat": Case(
        lambda: Grammar.repeat(json() | "ab", minimum=1, maximum=3, separator=", "),
        ["ab", 'ab, {"x":1}, ab'],
        ["", "ab, ", "ab, ab, ab, ab", "abab", ", ab"],
    ),
    "free text again and again, and then other free text": Case(
        lambda: Grammar.repeat(Grammar.free_text(forbidden=[">"])) + Grammar.free_text(forbidden=["a"]),
        ["", "hello", "ab<c", "<c>", "ab>b", "a" * 20 + ">"],
        [">ab", "ab>a"],
    ),
    "free text a few times, and then prose with calls": Case(
        lambda: Grammar.repeat(Grammar.free_text(forbidden=["c>"]), minimum=1, maximum=3) + calls(),
        ["", "ab", "<c", "ab<d>x", XML, "c>" + XML],
        ["<c>}" * 4],
    ),
    "repeat at will": Case(
        lambda: Grammar.repeat("ab", separator=","), ["", "ab", "ab,ab,ab"], ["ab,", "abab"]
    ),
    "never": Case(lambda: Grammar.repeat("ab", maximum=0, separator=","), [""], ["ab", ","]),
    "repeats within repeats": Case(
        lambda: Grammar.repeat(Grammar.repeat("ab", minimum=2, maximum=300) + ".", minimum=2, maximum=4000),
        ["abab.ababab.", "ab" * 300 + "." + "abab."],
        ["abab.", "abab.ab.", "ab" * 301 + ".abab."],
    ),
    "token": Case(
        lambda: Grammar.sequence(["a", Grammar.token("<|call|>"), "b"]),
        [["a", CALL, "b"]],
        ["a<|call|>b", "ab", ["a", END, "b"], ["a", CALL, CALL, "b"]],
    ),
    "token by id": Case(
        lambda: Grammar.token(CALL) | Grammar.token(TOKEN_WITH_TEXT),
        [[CALL], [TOKEN_WITH_TEXT]],
        [[END], "<t>"],
    ),
    "token or text": Case(
        lambda: Grammar.token("<|call|>", also_text=True) + Grammar.token("<unknown>", also_text=True),
        [[CALL, "<unknown>"], "<|call|><unknown>"],
        [[CALL, CALL], "<unknown>", [CALL]],
    ),
    "any token": Case(
        lambda: Grammar.repeat(Grammar.any_token(except_=["</think>", 97]), maximum=2) + Grammar.token(THINK),
        [[THINK], [CALL, 98, THINK], [256, 0xC3, THINK], [TOKEN_WITH_TEXT, THINK]],
        [[97, THINK], [98, 98, 98, THINK], [THINK, THINK]],
    ),
    "any of no tokens": Case(
        lambda: Grammar.sequence(["a", Grammar.any_token(except_=range(STOP))]) | "bb",
        ["bb"],
        ["a", "ab", ["a", CALL]],
    ),
    "any text": Case(Grammar.free_text, ["", "é日 <c>", "}<"], [[CALL], "a\udcff"]),
    "calls": Case(
        calls,
        ["", "prose", XML, f"a {XML} b{XML}{XML}<", "<<d>x<d>x", "<c<c", f"<c{XML}", "<e>"],
        ["<c>", "a <c>{}", '<c>{"x":1}', "<d>y", "<d><c>", f"a {XML[:-1]}"],
    ),
    "one call at least": Case(
        lambda: calls(minimum=1), [XML, f"a{XML}b", f"{XML}<d>x"], ["", "a", "<c", f"{XML}<c>"]
    ),
    "two calls at most": Case(lambda: calls(maximum=2), ["", XML, XML * 2 + "a"], [XML * 3, XML * 2 + "<d>"]),
    "no call": Case(lambda: calls(maximum=0), ["", "a<c"], ["a<c>", XML]),
    "stop after the calls": Case(
        lambda: calls(text_after=False), ["", "a", XML, f"a{XML}b{XML}"], [f"{XML}b", "<c>", f"{XML} "]
    ),
    "one call and no more": Case(
        lambda: calls(minimum=1, maximum=1, text_after=False),
        [f"a{XML}"],
        [f"{XML}{XML}", f"{XML}a", "a", ""],
    ),
    "calls without prose between": Case(
        lambda: calls(text_between=False), [f"a{XML}<d>x{XML}b", "b"], [f"{XML}a{XML}", f"{XML}b<c>"]
    ),
    "calls and nothing else after": Case(
        lambda: calls(text_between=False, text_after=False, minimum=2, maximum=3),
        [f"a{XML}{XML}", f"{XML}{XML}<d>x"],
        [XML, f"{XML} {XML}", f"{XML}{XML} ", XML * 4, ""],
    ),
    "turns of calls that may be left out": Case(
        lambda: Grammar.repeat(Grammar.sequence([one_call("<c>", json() + "</c>"), one_call("<d>", "x")])),
        ["", XML, "a<d>x", f"{XML}b<d>x{XML}", "<d>x<d>x<d>x"],
        ["a", f"{XML}a", "<d>y", f"{XML}<c>"],
    ),
    "stops": Case(
        lambda: calls(stops=["STOP", Grammar.token("<|end|>")], forbidden=["ha"]),
        ["a", "aSTOP", ["a", END], f"{XML}STOP", f"h{XML}a", "STO", ["a", END]],
        ["aSTOPb", ["a", END, "b"], "haha", f"{XML}STOP ", ["<c>", END], "a<|end|>"],
    ),
    "stops right after the calls": Case(
        lambda: calls(stops=["STOP"], text_after=False), [f"{XML}STOP", "aSTOP", XML], [f"{XML}aSTOP"]
    ),
    "token tags": Case(
        lambda: Grammar.free_text(tags=[Tag(Grammar.token("<|call|>"), json() + Grammar.token("<|end|>"))]),
        ["a", ["a", CALL, '{"x":1}', END, "b", CALL, '{"x":2}', END]],
        ["<|call|>", [CALL, "{}"], [END], [CALL, '{"x":1}', CALL]],
    ),
    "tags as tokens or text": Case(
        lambda: Grammar.free_text(tags=[Tag(Grammar.token("<|call|>", also_text=True), "x")]),
        ["", ["a", CALL, "xb"], "a<|call|>xb<|call", [CALL, "x", CALL, "x"]],
        ["<|call|>b", [CALL, "b"], [CALL, CALL, "x"]],
    ),
    "a tag whose token has text of its own": Case(
        lambda: Grammar.free_text(tags=[Tag(Grammar.token("<t>"), "x")]),
        [["a", TOKEN_WITH_TEXT, "xb"], "<t"],
        ["a<t>xb", [TOKEN_WITH_TEXT, "b"], "<t>"],
    ),
    "tags that begin alike": Case(
        lambda: Grammar.free_text(tags=[Tag("<c>", "1"), Tag("<c>a", "2"), Tag("ab", "3")], minimum=1),
        ["<c>1", "<c>a2", "ab3", "<c>1ab3", "<<c>1"],
        ["<c>2", "ab2", "<c>ab3", "a"],
    ),
    "any order": Case(
        lambda: Grammar.any_order([Member("a"), Member(json()), Member("ab", required=False)], separator=","),
        ['a,{"x":1}', '{"x":1},ab,a', 'ab,a,{"x":1}'],
        ["a", 'a,a,{"x":1}', 'a{"x":1}', 'ab,{"x":1}', 'a,{"x":1},'],
    ),
    "any order of what may be empty": Case(
        lambda: Grammar.any_order([Member(Grammar.regex("a?")), Member("b", required=False), Member("c?")]),
        ["c?", "ac?", "bc?a", "c?ab"],
        ["", "ab", "c?c?", "aac?"],
    ),
    "any order of nothing": Case(lambda: Grammar.any_order([], separator=","), [""], [","]),
    "everything within everything": Case(
        lambda: Grammar.repeat(
            Grammar.free_text(
                tags=[Tag("<c>", Grammar.any_order([Member(json()), Member(json(TREE))]) + "</c>")],
                minimum=1,
                text_after=False,
            )
            + "!",
            maximum=2,
        ),
        ["", '<c>{"x":1}{"next":{}}</c>!', 'a<c>{}{"x":1}</c><c>{}{"x":1}</c>!b<c>{}{"x":2}</c>!'],
        ['<c>{"x":1}</c>!', '<c>{"x":1}{}</c>', "<c>{}{}</c>!"],
    ),
}


def pieces(text: Text) -> list[bytes | int]:
    """A text as what is accepted one after another: bytes, and tokens by id."""
    parts = [text] if isinstance(text, str) else text
    return [part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part for part in parts]


def reads(matcher: mw.Matcher, text: Text) -> bool:
    """Whether a whole text is accepted."""
    return (
        all(
            matcher.accept(piece) if isinstance(piece, int) else matcher.accept_bytes(piece)
            for piece in pieces(text)
        )
        and matcher.is_complete
    )


def masks_along(matcher: mw.Matcher, text: Text, size: int) -> list[bytes]:
    """The mask before each byte or exact token of a text, as far as it is accepted, and after it."""
    mask = mw.allocate_mask(1, size)
    masks = []
    for piece in pieces(text):
        for step in [piece] if isinstance(piece, int) else piece:
            matcher.fill_mask(mask)
            masks.append(mask.tobytes())
            accepted = matcher.accept(step) if isinstance(piece, int) else matcher.accept_bytes(bytes([step]))
            if not accepted:
                return masks
    matcher.fill_mask(mask)
    return [*masks, mask.tobytes()]


@pytest.mark.parametrize("name", CASES)
def test_a_composed_grammar_accepts_what_it_says(name: str, vocabulary: mw.Vocabulary) -> None:
    case = CASES[name]
    constraint = mw.Compiler(vocabulary).compile(case.make())
    for text in case.accepted:
        assert reads(constraint.matcher(), text), text
    for text in case.rejected:
        assert not reads(constraint.matcher(), text), text


@pytest.mark.parametrize("name", CASES)
def test_masks_are_those_of_all_slow_ways(name: str, vocabulary: mw.Vocabulary) -> None:
    case = CASES[name]
    compiler = mw.Compiler(vocabulary)
    texts = [text for text in [*case.accepted, *case.rejected] if len(text) < 100]
    expected: list[list[bytes]] = []
    for settings in reversed(mw.Settings.all()):
        constraint = compiler.compile(case.make(), settings=settings)
        masks = [masks_along(constraint.matcher(), text, vocabulary.size) for text in texts]
        expected = expected or masks
        assert masks == expected, settings


@pytest.mark.parametrize("name", CASES)
def test_no_allowed_token_leads_into_a_dead_end(name: str, vocabulary: mw.Vocabulary) -> None:
    case = CASES[name]
    constraint = mw.Compiler(vocabulary).compile(case.make())
    for text in [*case.accepted, *case.rejected]:
        matcher = constraint.matcher()
        for piece in pieces(text):
            for step in [piece] if isinstance(piece, int) else list(piece):
                allowed = matcher.allowed_tokens()
                assert allowed, text
                if not matcher.accept(step):
                    assert step not in allowed
                    break
                assert step in allowed


@pytest.mark.parametrize("name", CASES)
def test_a_grammar_in_a_sequence_has_the_masks_that_it_has_alone(
    name: str, vocabulary: mw.Vocabulary
) -> None:
    case = CASES[name]
    compiler = mw.Compiler(vocabulary)
    grammar = case.make()
    alone = compiler.compile(grammar)
    wrapped = [Grammar.sequence([grammar]), Grammar.sequence(["", Grammar.sequence([grammar, ""])])]
    behind = compiler.compile(Grammar.sequence(["(", grammar]))
    for text in [*case.accepted, *case.rejected]:
        expected = masks_along(alone.matcher(), text, vocabulary.size)
        for other in wrapped:
            assert masks_along(compiler.compile(other).matcher(), text, vocabulary.size) == expected
        matcher = behind.matcher()
        assert matcher.accept_bytes(b"(")
        assert masks_along(matcher, text, vocabulary.size) == expected


@pytest.mark.parametrize("name", CASES)
def test_composed_grammars_are_pickled_and_saved(
    name: str, vocabulary: mw.Vocabulary, tmp_path: Path
) -> None:
    case = CASES[name]
    grammar = case.make()
    constraint = mw.Compiler(vocabulary).compile(grammar)
    text = case.accepted[-1]
    expected = masks_along(constraint.matcher(), text, vocabulary.size)
    constraint.save(tmp_path / "saved")
    loaded = mw.Compiler(vocabulary).load(tmp_path / "saved")
    pickled = pickle.loads(pickle.dumps(grammar))
    for other in (loaded, mw.Compiler(vocabulary).compile(pickled)):
        assert masks_along(other.matcher(), text, vocabulary.size) == expected
        assert repr(other.grammar) == repr(grammar)


def test_copies_keep_the_budget_of_each_part() -> None:
    """A part may need more than the budget of what it was joined by, which no operator is given."""
    part = Grammar.regex("(" * 700 + "a" + ")" * 700, budget=mw.Budget(nesting=1000))
    for grammar in (part, part + "x", part | "x", Grammar.repeat(part + part)):
        for copied in (copy.copy(grammar), copy.deepcopy(grammar), pickle.loads(pickle.dumps(grammar))):
            assert repr(copied) == repr(grammar)
            assert repr(pickle.loads(pickle.dumps(copied))) == repr(grammar)
    with pytest.raises(mw.BudgetExceededError):
        Grammar.regex("(" * 700 + "a" + ")" * 700)


def test_a_token_holds_the_end_of_one_part_and_the_beginning_of_the_next(vocabulary: mw.Vocabulary) -> None:
    matcher = mw.Compiler(vocabulary).compile(calls()).matcher()
    joints = {bytes(token): 256 + at for at, token in enumerate(LONGER)}
    assert matcher.accept(joints[b"!<c>{"])
    assert matcher.accept_bytes(b'"x":1')
    assert joints[b"}</c"] in matcher.allowed_tokens()
    assert joints[b"}<"] in matcher.allowed_tokens()
    assert joints[b'"}'] not in matcher.allowed_tokens()
    assert matcher.accept(joints[b"}</c"])
    assert matcher.accept_bytes(b"> ")
    assert matcher.is_complete


def test_options_of_one_schema_do_not_reach_into_another(vocabulary: mw.Vocabulary) -> None:
    string = {"type": "string"}
    parts = [
        json(string, ascii_only=True),
        json(string, minimal_escapes=True),
        json(string),
        json(string, ascii_only=True, minimal_escapes=True),
        Grammar.json_schema({"type": "array"}, whitespace=mw.Whitespace.indented(2)),
    ]
    texts = [['"a\\u0061"', '"é"'], ['"é\\n"', '"\\u0061"'], ['"é\\u0061"', '"\n"'], ['"\\u00e9"', '"é"']]
    texts.append(["[\n  1\n]", "[1]"])
    matcher = mw.Compiler(vocabulary).compile(Grammar.sequence(parts)).matcher()
    for good, bad in texts:
        assert not matcher.fork().accept_bytes(bad.encode())
        assert matcher.accept_bytes(good.encode())
    assert matcher.is_complete


def tools(numbers: Sequence[int], common: list[Grammar]) -> Grammar:
    return Grammar.free_text(tags=[Tag(f"<tool{at}>", common[at] + "</tool>") for at in numbers])


def test_adding_a_tool_leaves_what_is_known_of_the_others() -> None:
    # The pool keeps what takes a walk of some length, as to read numbers among many.
    numbers = [str(number).encode() + end for number in range(1000) for end in (b"", b",", b'"')]
    vocabulary = mw.Vocabulary.from_tokens(
        [bytes([byte]) for byte in range(256)] + numbers[30:] + [None], stop_ids=[256 + len(numbers) - 30]
    )
    schemas = [
        {
            "type": "object",
            "properties": {
                f"name{at}": {"type": "integer", "minimum": -5000, "maximum": 12345},
                "n": {"type": "integer"},
            },
            "required": ["n"],
            "additionalProperties": {"enum": [at]},
        }
        for at in range(9)
    ]
    common = [json(schema) for schema in schemas]
    before, inside, after = "go <tool3>", '{"name3":12,"n":12,"z":3,"y":3', "}</tool>"
    compiler = mw.Compiler(vocabulary)
    masks_along(compiler.compile(tools([3, 1], common)).matcher(), before + inside + after, vocabulary.size)
    # The same tools as other objects, in another order and with more of them.
    wide = compiler.compile(tools(range(9), [json(dict(schema)) for schema in schemas]))
    single = mw.Compiler(vocabulary).compile(tools(range(9), common))
    more, alone = wide.matcher(), single.matcher()
    masks = masks_along(more, before, vocabulary.size)
    assert masks == masks_along(alone, before, vocabulary.size)
    then, walks = compiler.pool_statistics(), [of.statistics().walks for of in (wide, single)]
    masks = masks_along(more, inside, vocabulary.size)
    assert masks == masks_along(alone, inside, vocabulary.size)
    assert compiler.pool_statistics().partial_hits > then.partial_hits
    # Short walks only are made again.
    again, new = (of.statistics().walks - made for of, made in zip((wide, single), walks, strict=True))
    assert again < new
    assert masks_along(more, after, vocabulary.size) == masks_along(alone, after, vocabulary.size)


def test_a_tool_that_the_text_does_not_reach_is_not_begun(vocabulary: mw.Vocabulary) -> None:
    common = [json({"type": "object", "properties": {f"p{at}": POINT}}) for at in range(64)]
    sizes = []
    for count in (8, 64):
        constraint = mw.Compiler(vocabulary).compile(tools(range(count), common))
        before = constraint.statistics().expressions
        matcher = constraint.matcher()
        assert matcher.accept_bytes(b'<tool5>{"p5":{"x":1}')
        matcher.allowed_tokens()
        sizes.append(constraint.statistics().expressions - before)
    assert sizes[1] <= sizes[0] + 64


def test_the_same_grammar_twice_is_one_grammar(vocabulary: mw.Vocabulary) -> None:
    once = json(TREE)
    twice = mw.Compiler(vocabulary).compile(Grammar.sequence([once, ",", once, ",", json(TREE)]))
    assert reads(twice.matcher(), '{"next":{}},{},{"next":{"next":{}}}')
    doubled = Grammar.text("ab") | once
    for _ in range(64):
        doubled = Grammar.sequence([doubled, Grammar.any_of([doubled, ""])])
    matcher = mw.Compiler(vocabulary).compile(doubled).matcher()
    assert matcher.accept_bytes(b'abab{"next":{}}ab')
    loaded = pickle.loads(pickle.dumps(doubled))
    assert mw.Compiler(vocabulary).compile(loaded).matcher().accept_bytes(b"ab{}{}")


def test_a_long_chain_of_parts_is_no_deeper_than_a_short_one(vocabulary: mw.Vocabulary) -> None:
    chain = Grammar.text("a")
    for at in range(300):
        chain = chain + (Grammar.text("b") | json() if at % 2 else ",")
    nested: Grammar = json()
    for _ in range(300):
        nested = Grammar.sequence(["(", nested, ")"])
    for grammar, text in ((chain, b"a" + b",b" * 150), (nested, b"(" * 300 + b'{"x":1}' + b")" * 300)):
        matcher = mw.Compiler(vocabulary).compile(grammar).matcher()
        assert matcher.accept_bytes(text)
        assert matcher.is_complete


@pytest.mark.parametrize("is_first", [False, True])
def test_thousands_of_grammars_are_joined_one_by_one(is_first: bool, vocabulary: mw.Vocabulary) -> None:
    # Where each step copies all parts, this takes minutes.
    count = 20_000
    sequence, choice = Grammar.regex("x"), Grammar.regex("[yz]")
    for at in range(count):
        sequence, choice = (
            (("ab"[at % 2] + sequence), (f"k{at}" | choice))
            if is_first
            else ((sequence + "ab"[at % 2]), (choice | f"k{at}"))
        )
    assert sequence._native.depth < 8
    text = "ba" * (count // 2) + "x" if is_first else "x" + "ab" * (count // 2)
    compiler = mw.Compiler(vocabulary)
    assert reads(compiler.compile(sequence).matcher(), text)
    for text, is_good in (("z", True), ("k0", True), (f"k{count - 1}", True), (f"k{count}", False)):
        assert reads(compiler.compile(choice).matcher(), text) == is_good


def test_a_grammar_is_joined_with_itself_many_times_over(vocabulary: mw.Vocabulary) -> None:
    sequence, choice = Grammar.regex("[xy]"), Grammar.regex("x|yy")
    for _ in range(200):
        sequence, choice = sequence + sequence, choice | choice
    compiler = mw.Compiler(vocabulary)
    matcher = compiler.compile(sequence).matcher()
    assert matcher.accept_bytes(b"xy" * 500)
    assert not matcher.is_complete
    assert reads(compiler.compile(choice).matcher(), "yy")


@pytest.mark.parametrize(
    ("grammar", "text", "expected"),
    [
        ("x" + json(), "x", ["[{]"]),
        (Grammar.any_of(["a", json(), Grammar.regex("[0-9]+")]), "", ["[0-9]", "[a]", "[{]"]),
        (Grammar.free_text(tags=[Tag("<a>", json() + "</a>")]), "<a>", ["[{]"]),
        (Grammar.repeat(Grammar.regex("a") + "b", minimum=1), "", ["[a]"]),
        ("x" + Grammar.gbnf('root ::= number\nnumber ::= [0-9] number | "."'), "x", ["root"]),
    ],
)
def test_what_parts_begin_with_is_expected(
    grammar: Grammar, text: str, expected: list[str], vocabulary: mw.Vocabulary
) -> None:
    """Only a name that somebody gave says something."""
    matcher = mw.Compiler(vocabulary).compile(grammar).matcher()
    assert matcher.accept_bytes(text.encode())
    assert matcher.expected() == expected


def test_what_the_vocabulary_lacks_is_named(vocabulary: mw.Vocabulary) -> None:
    compiler = mw.Compiler(vocabulary)
    with pytest.raises(mw.GrammarError, match=r"<unknown>.* or write its characters as text"):
        compiler.compile(Grammar.token("<unknown>") | "a")
    with pytest.raises(mw.GrammarError) as caught:
        compiler.compile(Grammar.token("<" * 1_000_000))
    assert len(str(caught.value)) < 500
    with pytest.raises(mw.GrammarError, match="<unknown>"):
        compiler.compile(Grammar.any_token(except_=["<unknown>"]))
    with pytest.raises(mw.GrammarError, match="token id 99999"):
        compiler.compile(Grammar.token(99999))
    with pytest.raises(mw.EmptyGrammarError):
        mw.Compiler(mw.Vocabulary.from_tokens([b"a", None], stop_ids=[1])).compile(Grammar.text("ab"))
    with pytest.raises(mw.EmptyGrammarError):
        compiler.compile(Grammar.any_token(except_=range(STOP)))
    with pytest.raises(mw.VocabularyError, match="JSON"):
        mw.Compiler(mw.Vocabulary.from_tokens([b"a", None], stop_ids=[1])).compile("a" + json())


def answer_after_thinking(minimum: int, **options: Any) -> Grammar:
    """A constraint that waits for a trigger."""
    return Grammar.free_text(
        tags=[Tag(begin=Grammar.token("</think>", also_text=True), content=json())],
        minimum=minimum,
        maximum=1,
        text_after=False,
        **options,
    )


def test_a_constraint_begins_after_its_trigger(vocabulary: mw.Vocabulary) -> None:
    matcher = mw.Compiler(vocabulary).compile(answer_after_thinking(1)).matcher()
    assert matcher.accept_bytes(b'{"x": no JSON yet, <t> and so on')
    early = matcher.is_complete
    assert matcher.accept(IDS["</think>"])
    assert not matcher.accept_bytes(b"x")
    assert matcher.accept_bytes(b'{"x":1}')
    assert (early, matcher.is_complete) == (False, True)
    assert not matcher.accept_bytes(b" ")


def test_the_trigger_may_be_typed_and_may_be_left_out(vocabulary: mw.Vocabulary) -> None:
    matcher = mw.Compiler(vocabulary).compile(answer_after_thinking(0, forbidden=["<think>"])).matcher()
    assert matcher.accept_bytes(b"no thoughts")
    assert matcher.is_complete
    assert not matcher.accept_bytes(b"<think>")
    assert matcher.accept_bytes(b'</think>{"x":1}')
    assert matcher.is_complete
