"""Texts of bounded length under other conditions: every mask is compared with reading each token."""

from __future__ import annotations

from random import Random

import pytest

import maskwright as mw
from comparing import PIECES, compare, vocabulary_of
from only_bytes import only_bytes

CLOSINGS = ["</p>", "\n</p>\n", "aa", "abab", "<", "é>"]
PATTERNS = ["(?s:.)", "[^<]", "[a-c ]", "(?:a|bc)", "(?s:.)?[a-z]"]
IN_JSON = [*PIECES, "\\u0061", "\\u00", "\\n", '"']


def grammar_of(pattern: str, minimum: int, maximum: int | None, closing: str, *, more: bool) -> mw.Grammar:
    bounds = f"{minimum}," if maximum is None else f"{minimum},{maximum}"
    text = mw.Grammar.regex(f"{pattern}{{{bounds}}}", forbidden=[closing])
    ended: list[mw.Grammar | str] = [text, closing]
    parts = [*ended, mw.Grammar.regex("[a-z]?!"), *ended] if more else ended
    return mw.Grammar.sequence(parts)


@pytest.mark.parametrize("seed", range(6))
def test_masks_are_what_reading_each_token_says(seed: int) -> None:
    random = Random(seed)
    vocabulary = vocabulary_of(random, 250)
    compared = 0
    for closing in CLOSINGS:
        pattern, maximum = random.choice(PATTERNS), random.choice([0, 1, 2, 5, 9, 23, 26, 60, 300, None])
        minimum = random.choice([0, 0, 1, 2, 7, 24, 30, 100])
        if maximum is not None:
            minimum = random.choice([0, min(minimum, maximum), maximum])
        grammar = grammar_of(pattern, minimum, maximum, closing, more=random.random() < 0.3)
        try:
            compared += compare(vocabulary, grammar, random, texts=3)
        except mw.EmptyGrammarError:
            assert maximum != 0
    assert compared > 60


SCRIPTS = [
    *PIECES,
    "B",
    "ß",
    "Ωm",
    "Я",
    "яы",
    "中",
    "文中",
    "ﬀ",
    "\u0301",
    "ก",
    "\U0001d4b3",
    "_",
    "0",
    "٣",
    "\u2003",
    "e中 ",
]
WORDS = [
    r"\w+",
    r"\p{L}+( \p{L}+)*",
    r"[\p{L}\p{N}_-]{1,64}",
    r"[\p{Lu}][\p{Ll}]{2,30}",
    r"[\u4e00-\u9fff]{1,20}",
    r"[^a中]{3,40}b?",
    r"(\w+\s?){1,10}",
    r"(\w+\s?){3,1000}\.",
    r"([a-c]+ ?){2,9}",
    r"(?:a|aa|aaa|aaaa){30}",
    r"(?:ab?|b){5,7}(?:c|cc){0,3}",
    ".{1,100}",
    r"\d{3}-\d{3}-\d{4}",
    r"\d{2,5}(?:[a-c]|\d{3})",
]


@pytest.mark.parametrize("ending", ["", "!", "a "])
@pytest.mark.parametrize("pattern", WORDS)
def test_masks_of_words_in_all_scripts_are_what_reading_each_token_says(pattern: str, ending: str) -> None:
    """Letters beyond ASCII are read byte by byte, by patterns that tell most of them apart."""
    random = Random(len(pattern))
    vocabulary = vocabulary_of(random, 250, pieces=SCRIPTS)
    word = mw.Grammar.regex(pattern)
    grammar = mw.Grammar.sequence([word, ending]) if ending else word
    assert compare(vocabulary, grammar, random, texts=4) > 10


def test_what_can_be_cut_into_more_or_fewer_words_is_counted_once() -> None:
    """No state remembers each number of words that there may have been."""
    vocabulary = vocabulary_of(Random(0), 250, pieces=SCRIPTS)
    made = {}
    for most in (10, 1000):
        constraint = mw.Compiler(vocabulary).compile(mw.Grammar.regex(rf"(\w+\s?){{1,{most}}}"))
        matcher = constraint.matcher()
        for token in b"some words that are cut in many ways" * 3:
            if not matcher.accept(token):
                break
            matcher.allowed_tokens()
        made[most] = constraint.statistics().expressions
    assert made[10] < 5000
    assert made[1000] < 10_000


@pytest.mark.parametrize("ending", ["", "@x"])
@pytest.mark.parametrize("letters", ["[\\p{L}_-]", "[\\p{Lu}\\p{Ll} ]", "[^a中]", "[\u0400-\u04ff]"])
def test_all_lengths_of_a_word_share_a_walk(letters: str, ending: str) -> None:
    vocabulary = vocabulary_of(Random(1), 1500, pieces=SCRIPTS)
    constraint = mw.Compiler(vocabulary).compile(mw.Grammar.regex(f"{letters}{{1,150}}{ending}"))
    matcher = constraint.matcher()
    visited = []
    for token in ("яЯя" * 8).encode():
        assert matcher.accept(token)
        matcher.allowed_tokens()
        visited.append(constraint.statistics().visited_nodes)
    boundaries = visited[1::2]
    assert boundaries[-1] - boundaries[4] < boundaries[0]


STRINGS: list[dict[str, object]] = [
    {"not": {"pattern": "ba"}},
    {"not": {"pattern": "^a*b$"}},
    {"not": {"pattern": "\\."}},
    {"pattern": "^[a-c ]*$"},
    {"pattern": "^(ab|c)*$"},
    {"pattern": "a.b"},
    {"pattern": "^[a-z]+\\.?$"},
    {"not": {"enum": ["a", "ab", "aba"]}},
    {"pattern": "^[a-c]*$", "not": {"pattern": "aa"}},
    {"pattern": "^[a-c]+( [a-c]+)*$"},
    {"pattern": "^(?!.*(?:ab|ba)).*$"},
    {"pattern": "^\\p{L}+([ -]\\p{L}+)*$"},
    {"pattern": "^\\S+(?: \\S+)*$"},
    {"pattern": "^(?:\\S+\\s+){0,4}\\S+$"},
    {"pattern": "^([a-c]+, ?){1,3}[^,]*$"},
    {"pattern": "^(\\S+\\s*){1,3}$"},
    {"format": "email"},
    {"format": "idn-email"},
    {"format": "hostname"},
    {"format": "idn-hostname"},
    {"pattern": "^(?=.{3,9}c)(?:[a-b]+ ?)*c$"},
    {"format": "regex"},
]


@pytest.mark.parametrize("lacking", [b"", bytes(range(0xE0, 0xF8))], ids=["all bytes", "no long characters"])
@pytest.mark.parametrize("seed", range(3))
def test_masks_of_strings_are_what_reading_each_token_says(seed: int, lacking: bytes) -> None:
    random = Random(seed)
    vocabulary = vocabulary_of(random, 150, pieces=IN_JSON, without=lacking)
    compared = 0
    for condition in STRINGS:
        minimum = random.choice([1, 2, 3, 9, 24, 30, 150])
        schema = {"type": "string", "minLength": minimum, **condition}
        if random.random() < 0.5:
            schema["maxLength"] = minimum + random.choice([0, 1, 3, 20, 400])
        try:
            grammar = mw.Grammar.json_schema(schema)
            compared += compare(vocabulary, grammar, random, texts=2)
        except mw.EmptyGrammarError:
            continue
    assert compared > 40


@pytest.mark.parametrize("closing", CLOSINGS)
@pytest.mark.parametrize(("minimum", "maximum"), [(0, 0), (0, 1), (0, 4), (3, 5), (4, 4)])
def test_the_texts_are_those_in_which_the_closing_is_nowhere(
    closing: str, minimum: int, maximum: int
) -> None:
    vocabulary = only_bytes()
    constraint = mw.Compiler(vocabulary).compile(grammar_of("(?s:.)", minimum, maximum, closing, more=False))
    random = Random(maximum)
    for _ in range(200):
        text = "".join(random.choice([*PIECES, *closing]) for _ in range(random.randrange(maximum + 2)))
        matcher = constraint.matcher()
        fits = matcher.accept_bytes((text + closing).encode()) and matcher.is_complete
        assert fits == (minimum <= len(text) <= maximum and closing not in text), text


def test_a_long_bound_costs_as_little_as_a_short_one() -> None:
    """Neither walks nor searches count the characters that may still come."""
    random = Random(0)
    vocabulary = vocabulary_of(random, 250)
    walks = {}
    for maximum in (1000, 1_000_000):
        grammar = grammar_of("(?s:.)", 0, maximum, "\n</p>\n", more=False)
        constraint = mw.Compiler(vocabulary).compile(grammar)
        matcher = constraint.matcher()
        for byte in b"some words <p> and more" * 10 + b"\n</p>\n":
            matcher.allowed_tokens()
            assert matcher.accept(byte)
        assert matcher.is_complete
        walks[maximum] = constraint.statistics().walks
    assert walks[1000] == walks[1_000_000] < 30


def test_a_long_bound_costs_as_little_beside_many_strings() -> None:
    """However many strings may not be in a text, its greatest length need not tell its states apart."""
    random = Random(0)
    vocabulary = vocabulary_of(random, 250)
    words = sorted({"".join(random.choices("abcdefgh", k=7)) for _ in range(200)})
    walks = []
    for maximum in (2000, None):
        bounds = "*" if maximum is None else f"{{0,{maximum}}}"
        grammar = mw.Grammar.regex(f"(?s:.{bounds})", forbidden=words)
        constraint = mw.Compiler(vocabulary).compile(grammar)
        matcher = constraint.matcher()
        for byte in b"some words <p> and more" * 10:
            matcher.allowed_tokens()
            assert matcher.accept(byte)
        assert not matcher.accept_bytes(words[0].encode())
        walks.append(constraint.statistics().walks)
    assert walks[0] == walks[1] < 30


def counters_within_counters(kind: str, levels: int) -> mw.Grammar:
    nested = "(" * levels + "a" + "-?){0,2}" * levels
    string = {"type": "string", "pattern": f"^{nested}$"}
    match kind:
        case "regex":
            return mw.Grammar.regex(nested)
        case "gbnf":
            return mw.Grammar.gbnf("root ::= " + nested.replace("a", '"a"').replace("-", '"-"'))
        case "forbidden":
            return mw.Grammar.regex(nested, forbidden=["aaaaaaaaab"])
        case "length":
            return mw.Grammar.json_schema({**string, "minLength": 3})
        case _:
            return mw.Grammar.json_schema({**string, "not": {"pattern": "aaaaaaaaab"}})


@pytest.mark.parametrize("kind", ["regex", "gbnf", "forbidden", "length", "not"])
def test_counters_within_counters_are_given_up_in_the_middle_of_a_byte(kind: str) -> None:
    """One byte can lead to millions of expressions; a step ends with an error before it has made them."""
    grammar = counters_within_counters(kind, levels=120)
    vocabulary = only_bytes()
    compiler = mw.Compiler(vocabulary, budget=mw.Budget(expressions=150_000))
    text = b'"' * (kind in ("length", "not")) + b"a" * 9
    with pytest.raises(mw.BudgetExceededError, match="expressions"):
        compiler.compile(grammar).matcher().accept_bytes(text)


def test_letters_of_all_scripts_beside_something_forbidden_cost_little() -> None:
    """A text in which it has been found is plainly lost, whatever may still be counted."""
    vocabulary = vocabulary_of(Random(0), 250)
    made = {}
    for maximum in (500, 100_000):
        string = {
            "type": "string",
            "pattern": "^[\\p{L} ]*$",
            "maxLength": maximum,
            "not": {"pattern": "bab"},
        }
        constraint = mw.Compiler(vocabulary).compile(mw.Grammar.json_schema(string))
        matcher = constraint.matcher()
        for byte in '"aé ba€'.encode()[:-3]:
            matcher.allowed_tokens()
            assert matcher.accept(byte)
        assert not matcher.fork().accept_bytes(b"b")
        made[maximum] = constraint.statistics().expressions
    assert made[500] == made[100_000] < 20_000


@pytest.mark.parametrize("bounds", [{"maxLength": 40}, {"minLength": 25}, {"minLength": 25, "maxLength": 60}])
@pytest.mark.parametrize("pattern", ["^[a-z]+(?:[ '-][a-z]+)*$", "^(?!.*(?:bad|worse)).*$"])
def test_all_lengths_of_a_text_share_a_walk(pattern: str, bounds: dict[str, int]) -> None:
    """What tokens do that end no text is found out once, and what the others do for each length."""
    vocabulary = vocabulary_of(Random(1), 1500)
    visited: list[list[int]] = []
    for keywords in (bounds, {}):
        schema = {"type": "string", "pattern": pattern, **keywords}
        constraint = mw.Compiler(vocabulary).compile(mw.Grammar.json_schema(schema))
        matcher = constraint.matcher()
        visited.append([])
        for byte in b'"some-kind of words':
            assert matcher.accept(byte)
            matcher.allowed_tokens()
            visited[-1].append(constraint.statistics().visited_nodes)
    (bounded, later), (_, unbounded) = ((counts[0], counts[-1] - counts[5]) for counts in visited)
    assert (later - unbounded) / (len(visited[0]) - 6) < bounded / 4


@pytest.mark.parametrize("bounds", [{}, {"maxLength": 60}, {"minLength": 9, "maxLength": 80}])
@pytest.mark.parametrize("pattern", ["^(?:\\S+\\s+){0,40}\\S+$", "^\\S+(?:\\s+\\S+){0,30}\\s*$"])
def test_all_numbers_of_words_share_a_walk(pattern: str, bounds: dict[str, int]) -> None:
    """What is read of any number of words is not read again for each number that may still come."""
    vocabulary = vocabulary_of(Random(1), 1500)
    schema = {"type": "string", "pattern": pattern, **bounds}
    constraint = mw.Compiler(vocabulary).compile(mw.Grammar.json_schema(schema))
    matcher = constraint.matcher()
    for byte in b'"a bc d ef g':
        assert matcher.accept(byte)
        matcher.allowed_tokens()
    assert constraint.statistics().states < 120


@pytest.mark.parametrize("minimum", [1000, 1_000_000])
def test_a_least_length_that_is_far_costs_nothing(minimum: int) -> None:
    random = Random(0)
    vocabulary = vocabulary_of(random, 250)
    for opening, grammar in (
        (b"", grammar_of("(?s:.)", minimum, None, "\n</p>\n", more=False)),
        (b"", grammar_of("(?s:.)", minimum, minimum + 1000, "\n</p>\n", more=False)),
        (b'"', mw.Grammar.json_schema({"type": "string", "minLength": minimum, "not": {"pattern": "bad"}})),
    ):
        constraint = mw.Compiler(vocabulary).compile(grammar)
        matcher = constraint.matcher()
        for byte in opening + b"some words <p> and more" * 5:
            matcher.allowed_tokens()
            assert matcher.accept(byte)
        assert constraint.statistics().walks < 30
