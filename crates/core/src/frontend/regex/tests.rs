//! The cases of the data file, run with the naive evaluator, and what does not fit into a table.

use fastrand::Rng;
use serde::Deserialize;

use super::{ClassCache, RegexOptions, compile, compile_expression};
use crate::budget::Budget;
use crate::error::{Error, Limit, Result};
use crate::frontend::evaluate;
use crate::grammar::{Grammar, GrammarBuilder};

#[derive(Debug, Deserialize)]
struct CaseFile {
    case: Vec<Case>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    pattern: String,
    #[serde(default)]
    flags: Vec<String>,
    #[serde(default)]
    forbidden: Vec<String>,
    #[serde(default)]
    closing: String,
    #[serde(default)]
    accepted: Vec<String>,
    #[serde(default)]
    rejected: Vec<String>,
    error: Option<ExpectedError>,
}

/// All fields of the error, so that none can change unseen; its reason and help are prose, of which a case may name a part.
#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
enum ExpectedError {
    Syntax {
        location: String,
        found: String,
        expected: String,
    },
    Unsupported {
        location: String,
        feature: String,
        #[serde(default)]
        reason: String,
    },
    Budget {
        budget: String,
    },
}

fn cases() -> Vec<Case> {
    let text = include_str!("../../../../../testdata/frontend/regex.toml");
    toml::from_str::<CaseFile>(text).unwrap().case
}

fn options(case: &Case) -> RegexOptions {
    let mut options = RegexOptions {
        forbidden: case.forbidden.clone(),
        closing: case.closing.clone(),
        ..RegexOptions::default()
    };
    for flag in &case.flags {
        let option = match flag.as_str() {
            "case_insensitive" => &mut options.case_insensitive,
            "dot_matches_newline" => &mut options.dot_matches_newline,
            "multi_line" => &mut options.multi_line,
            "verbose" => &mut options.verbose,
            "ascii" => &mut options.ascii,
            "search" => &mut options.search,
            "ecma" => &mut options.ecma,
            other => panic!("{}: no option is called {other}", case.name),
        };
        *option = true;
    }
    options
}

fn matches(grammar: &Grammar, text: &[u8]) -> bool {
    evaluate::matches(grammar.expressions(), grammar.rules()[grammar.start().index()].body, text)
}

#[test]
fn patterns_match_what_the_table_says() {
    let mut failures = Vec::new();
    let mut pairs = 0;
    for case in cases().iter().filter(|case| case.error.is_none()) {
        assert!(!case.accepted.is_empty() || !case.rejected.is_empty(), "{}: nothing is checked", case.name);
        let grammar = match compile(&case.pattern, &options(case), &Budget::default()) {
            Ok(grammar) => grammar,
            Err(error) => {
                failures.push(format!("{}: {}: {error}", case.name, case.pattern));
                continue;
            }
        };
        let expected = case.accepted.iter().map(|text| (text, true));
        for (text, expected) in expected.chain(case.rejected.iter().map(|text| (text, false))) {
            pairs += 1;
            if matches(&grammar, text.as_bytes()) != expected {
                failures.push(format!("{}: {} on {text:?} is not {expected}", case.name, case.pattern));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(pairs >= 300, "only {pairs} pairs");
}

#[test]
fn errors_are_what_the_table_says() {
    let mut failures = Vec::new();
    for case in cases() {
        let Some(expected) = &case.error else { continue };
        let error = compile(&case.pattern, &options(&case), &Budget::default()).err();
        let is_same = match (&error, expected) {
            (
                Some(Error::Syntax { location, found, expected, .. }),
                ExpectedError::Syntax { location: l, found: f, expected: e },
            ) => (location.to_string(), found, expected) == (l.clone(), f, e),
            (
                Some(Error::Unsupported { feature, location, reason }),
                ExpectedError::Unsupported { location: l, feature: f, reason: r },
            ) => (location, feature) == (l, f) && !reason.is_empty() && reason.contains(r),
            (Some(Error::BudgetExceeded { budget, .. }), ExpectedError::Budget { budget: b }) => budget == b,
            _ => false,
        };
        if !is_same {
            failures.push(format!("{}: {}\n  is {error:?}\n  not {expected:?}", case.name, case.pattern));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn only_utf8_is_accepted_where_a_complement_is_at_work() {
    for pattern in ["(?!a).*", "(?s).*(?<!b)", r"(?s)(?:(?!x).)*", r"(?s)\b.*|\B.*"] {
        let grammar = compile(pattern, &RegexOptions::default(), &Budget::default()).unwrap();
        for text in [&b"\xff"[..], b"\xc3", b"x\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80"] {
            assert!(!matches(&grammar, text), "{pattern} on {text:?}");
        }
        assert!(matches(&grammar, "é€😀".as_bytes()), "{pattern}");
    }
}

#[test]
fn counters_are_never_unrolled() {
    let grammar = compile("(((a{1000}){1000}){1000}){1000}", &RegexOptions::default(), &Budget::default());
    assert!(grammar.unwrap().expressions().len() < 20);
}

#[test]
fn nesting_is_bounded_by_the_budget() {
    let nested = |depth: usize| "(".repeat(depth) + "a" + &")".repeat(depth);
    let result = compile(&nested(100_000), &RegexOptions::default(), &Budget::default());
    assert!(
        matches!(result, Err(Error::BudgetExceeded { budget: "nesting", limit: Limit::Count(500), .. })),
        "{result:?}"
    );
    let budget = Budget { nesting: 200_000, ..Budget::default() };
    let grammar = compile(&nested(1000), &RegexOptions::default(), &budget).unwrap();
    assert!(matches(&grammar, b"a"));
    let result = compile(&nested(1001), &RegexOptions::default(), &budget).map(drop);
    let message = "is as great as it can be, so nest less deep";
    assert!(result.is_err_and(|error| error.to_string().contains(message)), "more cannot be had");
}

#[test]
fn the_length_of_a_pattern_is_bounded_by_the_budget() {
    let budget = Budget { grammar_bytes: 10, ..Budget::default() };
    assert!(compile("abcdefghij", &RegexOptions::default(), &budget).is_ok());
    let result = compile("abcdefghijk", &RegexOptions::default(), &budget);
    assert!(matches!(
        result,
        Err(Error::BudgetExceeded { budget: "grammar_bytes", limit: Limit::Count(10), .. })
    ));
}

#[test]
fn cases_of_assertions_are_bounded_by_the_budget() {
    let pattern = r"(?:a(?!b)|b(?<!ab)|c)".repeat(40);
    let result = compile(&pattern, &RegexOptions::default(), &Budget::default());
    assert!(matches!(result, Err(Error::BudgetExceeded { budget: "items", .. })), "{result:?}");
}

#[test]
fn assertions_of_many_words_make_few_cases() {
    let budget = Budget { items: 300, ..Budget::default() };
    let options = RegexOptions::default();
    for pattern in [
        r"\b".repeat(3000) + "a",
        r"\bword\b, ".repeat(50),
        r"a\b".repeat(50),
        r"(?:a(?=b)|b(?=c)|c(?=a))".repeat(50),
    ] {
        compile(&pattern, &options, &budget).unwrap();
    }
    let result = compile(&r"\ba?".repeat(50), &options, &budget);
    assert!(matches!(result, Err(Error::BudgetExceeded { budget: "items", .. })), "{result:?}");
}

#[test]
fn assertions_in_a_row_make_as_many_expressions_as_there_are_of_them() {
    let size = |unit: &str, count: usize| {
        let grammar = compile(&unit.repeat(count), &RegexOptions::default(), &Budget::default()).unwrap();
        grammar.expressions().len()
    };
    for unit in
        [r"\bfoo\b ?", r"(?<!x)a*(?=b)b", "(?!x)a?", r"\b\w+\b\s*", "[ab]+(?<=a)", "(?=[ab]{3})[ab]{2}"]
    {
        assert!(size(unit, 200) <= 2 * size(unit, 100), "{unit}");
    }
}

#[test]
fn assertions_in_a_row_restrict_only_the_text_beside_them() {
    for (unit, text) in
        [("ab(?<=ab)", "ab"), ("[ab]+(?<=a)", "ba"), ("[ab]{3}(?<=a.b)", "abb"), ("(?=ba?b)[ab]{3}", "bab")]
    {
        let compile =
            |count: usize| compile(&unit.repeat(count), &RegexOptions::default(), &Budget::default());
        let grammar = compile(1000).unwrap();
        let height = grammar.expressions().height(grammar.rules()[0].body);
        assert!(height <= 20, "{unit}: {height}");
        assert!(matches(&compile(20).unwrap(), text.repeat(20).as_bytes()), "{unit}");
    }
}

#[test]
fn classes_are_bounded_by_the_budget() {
    let budget = Budget { expressions: 2000, ..Budget::default() };
    let pattern: String = ('a'..='z').map(|letter| format!(r"[\w{letter}]")).collect();
    let result = compile(&pattern, &RegexOptions::default(), &budget);
    assert!(matches!(result, Err(Error::BudgetExceeded { budget: "expressions", .. })), "{result:?}");
}

#[test]
fn a_class_written_often_is_computed_once() {
    let pattern = r"[\w\p{Greek}-](?i:[\p{Lu}x])".repeat(50_000);
    // Computing the tables each time would take minutes.
    compile(&pattern, &RegexOptions::default(), &Budget::default()).unwrap();
}

#[test]
fn long_patterns_compile() {
    // Quadratic work would take minutes for any of these.
    for pattern in [
        "a|".repeat(200_000),
        "abc".repeat(200_000),
        "(a|bc)*".repeat(50_000),
        "^".repeat(20_000),
        "(?=a)".repeat(20_000) + "a",
        "a?".repeat(50_000) + r"\b",
    ] {
        compile(&pattern, &RegexOptions::default(), &Budget::default()).unwrap();
    }
}

#[test]
fn patterns_of_one_builder_share_a_cache() -> Result<()> {
    let mut builder = GrammarBuilder::new(&Budget::default());
    let mut classes = ClassCache::default();
    let mut compile = |pattern: &str, options: &RegexOptions| {
        compile_expression(pattern, options, &Budget::default(), &mut classes, &mut builder)
    };
    let plain = RegexOptions::default();
    let first = compile(r"\w[^\d]+", &plain)?;
    assert_eq!(compile(r"(\w)(?:[^\d]+)", &plain)?, first);
    let ascii = compile(r"\w[^\d]+", &RegexOptions { ascii: true, ..plain })?;
    assert_ne!(ascii, first);
    let store = builder.expressions();
    assert!(evaluate::matches(store, first, "éab".as_bytes()));
    assert!(!evaluate::matches(store, ascii, "éab".as_bytes()));
    Ok(())
}

#[test]
fn neighbouring_word_boundaries_cost_nothing() {
    let options = RegexOptions::default();
    let with = compile(r"\bword\b", &options, &Budget::default()).unwrap();
    let without = compile("word", &options, &Budget::default()).unwrap();
    assert_eq!(
        with.expressions().get(with.rules()[0].body),
        without.expressions().get(without.rules()[0].body)
    );
    assert_eq!(with.expressions().height(with.rules()[0].body), 1);
}

/// What random patterns are made of.
const PIECES: [&str; 56] = [
    "(",
    ")",
    "(?:",
    "(?=",
    "(?!",
    "(?<=",
    "(?<!",
    "(?i)",
    "(?x:",
    "(?<n>",
    "(?P<m>",
    "(?#",
    "(?",
    "[",
    "]",
    "[^",
    "-",
    "[:alpha:]",
    "|",
    "*",
    "+",
    "?",
    "{",
    "}",
    "{2}",
    "{,3}",
    "{1,",
    ",",
    "^",
    "$",
    ".",
    "\\",
    "\\b",
    "\\B",
    "\\A",
    "\\Z",
    "\\w",
    "\\S",
    "\\d",
    "\\p{Lu}",
    "\\p{",
    "\\u",
    "\\uD83D",
    "\\xe9",
    "\\x",
    "\\0",
    "\\7",
    "a",
    "b",
    "é",
    "😀",
    " ",
    "#",
    "\n",
    "1",
    ":",
];

#[test]
fn random_patterns_end_in_a_grammar_or_an_error() {
    let mut random = Rng::with_seed(7);
    let mut compiled = 0;
    for _ in 0..6_000 {
        let pattern: String =
            (0..=random.usize(..14)).map(|_| PIECES[random.usize(..PIECES.len())]).collect();
        let options = RegexOptions { search: random.bool(), ecma: random.bool(), ..RegexOptions::default() };
        if let Ok(grammar) = compile(&pattern, &options, &Budget::default()) {
            matches(&grammar, "ab é1".as_bytes());
            compiled += 1;
        }
    }
    assert!(compiled > 300, "only {compiled} patterns were well formed");
}
