mod evaluator;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use fastrand::Rng;
use serde::Deserialize;

use self::evaluator::{Verdict, evaluate};
use super::*;
use crate::error::Location;
use crate::expression::Expression;
use crate::vocabulary::{TokenId, TokenReference, TokenSet};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Corpus {
    case: Vec<Case>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    grammar: String,
    #[serde(default = "usual_root")]
    root: String,
    #[serde(default)]
    accepted: Vec<String>,
    #[serde(default)]
    rejected: Vec<String>,
    #[serde(default)]
    dead: Vec<String>,
    error: Option<ExpectedError>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct ExpectedError {
    kind: String,
    line: usize,
    column: usize,
    found: String,
    expected: Option<String>,
}

fn usual_root() -> String {
    "root".to_owned()
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn compile_root(text: &str) -> Result<Grammar> {
    compile(text, "root", &Budget::default())
}

/// An error in the form of the corpus.
fn described(error: &Error) -> ExpectedError {
    match error {
        Error::Syntax { location: Location { line, column }, found, expected, .. } => ExpectedError {
            kind: "syntax".to_owned(),
            line: *line,
            column: *column,
            found: found.clone(),
            expected: Some(expected.clone()),
        },
        Error::UndefinedRule { location: Location { line, column }, name, used_in, .. } => ExpectedError {
            kind: "undefined".to_owned(),
            line: *line,
            column: *column,
            found: name.clone(),
            expected: used_in.clone(),
        },
        Error::Unsupported { feature, location, .. } => {
            let numbers: Vec<usize> =
                location.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect();
            let kind = "unsupported".to_owned();
            ExpectedError {
                kind,
                line: numbers[0],
                column: numbers[1],
                found: feature.clone(),
                expected: None,
            }
        }
        other => panic!("not an error of the text: {other}"),
    }
}

/// What is wrong with a case, one line each.
fn faults_of(case: &Case, faults: &mut String) {
    let name = &case.name;
    let grammar = match (compile(&case.grammar, &case.root, &Budget::default()), &case.error) {
        (Ok(grammar), None) => grammar,
        (Err(error), Some(expected)) => {
            let found = described(&error);
            if found != *expected {
                writeln!(faults, "{name}: {found:?} instead of {expected:?}").unwrap();
            }
            return;
        }
        (Ok(_), Some(_)) => return writeln!(faults, "{name}: no error").unwrap(),
        (Err(error), None) => return writeln!(faults, "{name}: {error}").unwrap(),
    };
    let wanted = [
        (&case.accepted, &[Verdict::Accepted][..]),
        (&case.rejected, &[Verdict::Unfinished, Verdict::Dead]),
        (&case.dead, &[Verdict::Dead]),
    ];
    for (texts, wanted) in wanted {
        for text in texts {
            let found = evaluate(&grammar, text.as_bytes());
            if !wanted.contains(&found) {
                writeln!(faults, "{name}: {text:?} is {found:?} instead of {wanted:?}").unwrap();
            }
        }
    }
}

#[test]
fn every_case_of_the_corpus_holds() {
    let text = fs::read_to_string(repository().join("testdata/frontend/gbnf.toml")).unwrap();
    let corpus: Corpus = toml::from_str(&text).unwrap();
    let mut faults = String::new();
    for case in &corpus.case {
        let claims = case.accepted.len() + case.rejected.len() + case.dead.len();
        assert_eq!(claims == 0, case.error.is_some(), "{}: either texts or an error", case.name);
        faults_of(case, &mut faults);
    }
    assert!(faults.is_empty(), "\n{faults}");
}

#[test]
fn the_grammars_that_llama_users_write_are_read() {
    let Ok(folder) = fs::read_dir(repository().join("../shared/data/grammars")) else {
        eprintln!("skipped: the shared data, with the grammars, is not beside this repository");
        return;
    };
    let paths = folder.map(|entry| entry.unwrap().path());
    for path in paths.filter(|path| path.extension().is_some_and(|extension| extension == "gbnf")) {
        let text = fs::read_to_string(&path).unwrap();
        let grammar = compile_root(&text).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        assert!(evaluate(&grammar, b"") != Verdict::Dead, "{path:?}");
    }
}

/// The token sets of a grammar whose start rule is a sequence of them.
fn token_sets(text: &str) -> Vec<TokenSet> {
    let grammar = compile_root(text).unwrap();
    let store = grammar.expressions();
    let mut at = grammar.rules()[grammar.start().index()].body;
    let mut sets = Vec::new();
    loop {
        let (head, tail) = match store.get(at) {
            Expression::Concatenation(head, tail) => (head, Some(tail)),
            _ => (at, None),
        };
        match store.get(head) {
            Expression::Tokens(set) => sets.push(store.token_set(set).clone()),
            other => panic!("{other:?} is no token"),
        }
        match tail {
            Some(tail) => at = tail,
            None => return sets,
        }
    }
}

#[test]
fn exact_tokens_are_named_by_id_or_with_their_angle_brackets() {
    let name = |name: &str| TokenReference::Name(name.into());
    let id = |id| TokenReference::Id(TokenId(id));
    assert_eq!(
        token_sets("root ::= <think><[007]> !<|im_end|> !<[4294967295]> <｜end▁of▁sentence｜> < a b >"),
        [
            TokenSet::of(vec![name("<think>")]),
            TokenSet::of(vec![id(7)]),
            TokenSet::all_but(vec![name("<|im_end|>")]),
            TokenSet::all_but(vec![id(u32::MAX)]),
            TokenSet::of(vec![name("<｜end▁of▁sentence｜>")]),
            TokenSet::of(vec![name("< a b >")]),
        ]
    );
}

#[test]
fn the_text_of_a_token_is_not_the_token() {
    let grammar = compile_root("root ::= \"a\" (!</think>* | <think> \"b\")").unwrap();
    assert_eq!(evaluate(&grammar, b"a"), Verdict::Accepted);
    assert_eq!(evaluate(&grammar, b"a<think>"), Verdict::Dead);
    assert_eq!(evaluate(&grammar, b"ab"), Verdict::Dead);
}

#[test]
fn many_alternatives_of_literals_are_one_set() {
    let words: Vec<String> = (0..1000).map(|number| format!("\"word\" \"{number}\"")).collect();
    let grammar = compile_root(&format!("root ::= {}", words.join(" | "))).unwrap();
    let body = grammar.rules()[grammar.start().index()].body;
    assert!(matches!(grammar.expressions().get(body), Expression::Literals(_)));
    assert_eq!(evaluate(&grammar, b"word999"), Verdict::Accepted);
    assert_eq!(evaluate(&grammar, b"word1000"), Verdict::Dead);
}

#[test]
fn hints_say_how_to_mend_it() {
    let help = |text: &str| match compile_root(text).unwrap_err() {
        Error::Syntax { help, .. } | Error::UndefinedRule { help, .. } => help,
        other => panic!("{other}"),
    };
    assert_eq!(help("root ::= vaule\nvalue ::= \"a\""), "did you mean `value`?");
    assert_eq!(help("Root ::= \"a\""), "did you mean `Root`?");
    assert_eq!(help("start ::= \"a\""), "define it, or say which other rule the text must match");
    let lark = "this looks like Lark, which cannot be read yet; write the grammar in GBNF";
    assert_eq!(help("start: item\nitem: \"a\"\n%ignore \" \""), lark);
    assert_eq!(help("%import common.NUMBER"), lark);
    assert_eq!(help("?start: \"a\""), lark);
    let either = format!("{lark}, or say that the text must match the rule `start`");
    assert_eq!(help("start: \"a\""), either);
    assert_eq!(help("start : \"a\""), either);
    assert_eq!(help("start := \"a\""), "define it, or say which other rule the text must match");
    assert_eq!(help("root ::= yes"), "define it by `name ::= ...`, or put quotes around text");
    assert_eq!(help(r#"root ::= "\ud83d\ude00""#), r"write `\U0001F600` for the character of this pair");
    assert_eq!(
        help("root ::= \"a\"\n\nroot ::= \"b\""),
        "it is defined at line 1, column 1 already; join the two with `|`"
    );
    assert_eq!(help("root ::= (\n \"a"), "the literal opened at line 2, column 2 is not closed");
    assert_eq!(help("root ::= (\"a\""), "the group opened at line 1, column 10 is not closed");
}

fn assert_exceeded(result: Result<Grammar>, name: &str) {
    match result {
        Err(Error::BudgetExceeded { budget, .. }) => assert_eq!(budget, name),
        other => panic!("{other:?} is not the end of a budget"),
    }
}

#[test]
fn budgets_end_the_reading() {
    let deep = |depth| format!("root ::= {}\"a\"{}", "(".repeat(depth), ")".repeat(depth));
    assert!(compile_root(&deep(Budget::default().nesting)).is_ok());
    assert_exceeded(compile_root(&deep(Budget::default().nesting + 1)), "nesting");
    assert_exceeded(compile_root(&deep(100_000)), "nesting");
    assert_exceeded(compile_root(&format!("root ::= {}", "(".repeat(100_000))), "nesting");
    assert_exceeded(
        compile_root(&format!("root ::= ((\"a\" | \"bc\") \"d\"){}", "{2}".repeat(100_000))),
        "nesting",
    );
    let small = Budget { grammar_bytes: 12, expressions: 10, ..Budget::default() };
    assert!(compile("root ::= \"a\"", "root", &small).is_ok());
    assert_exceeded(compile("root ::= \"aa\"", "root", &small), "grammar_bytes");
    let small = Budget { grammar_bytes: 1000, ..small };
    assert_exceeded(compile(&format!("root ::= {}", "[a]".repeat(11)), "root", &small), "expressions");
}

/// Texts of some megabytes that would take minutes if any step were quadratic.
#[test]
fn large_texts_compile() {
    // Quadratic work would take minutes for any of these.
    let rules = |count: usize| {
        let mut text = String::new();
        for number in 0..count {
            writeln!(text, "rule-{number} ::= \"k{number}\" [a-z]+ rule-{} | \"end\"", (number + 1) % count)
                .unwrap();
        }
        text
    };
    let texts = [
        (rules(100_000), "rule-0"),
        (format!("root ::= {}", "\"ab\" [0-9]? ".repeat(200_000)), "root"),
        (format!("root ::= {}", "\"a\" | [b] . | ".repeat(200_000)), "root"),
        (format!("root ::= \"{}\"", "é\\n".repeat(500_000)), "root"),
        (format!("root ::= \"a\" {}", "# (* /* \n".repeat(300_000)), "root"),
        (format!("root ::= [{}]", "a-z\\x41é".repeat(200_000)), "root"),
    ];
    for (text, root) in &texts {
        let result = compile(text, root, &Budget::default());
        assert!(result.is_ok(), "{:?}", result.err());
    }
}

#[test]
fn random_texts_end_in_a_grammar_or_an_error_within_the_text() {
    const PIECES: [&str; 58] = [
        "root", "a", "b-1", "::=", ":=", "=", ":", ";", "|", "(", ")", "*", "+", "?", "{", "}", "{2}",
        "{1,}", "{,3}", "{3,1}", ",", "1", "\"", "'", "\"x\"", "'y'", "\\", "\\n", "\\x41", "\\uD800",
        "\\u{", "\\d", "[", "]", "[^", "[a-z]", "-", "^", ".", "<", ">", "<[", "]>", "<[5]>", "<think>", "!",
        "#", "//", "/*", "*/", "(*", "*)", "\n", "\r\n", " ", "é", "😀", "\u{feff}",
    ];
    let mut random = Rng::with_seed(1);
    let mut grammars = 0;
    for round in 0..30_000 {
        let mut text = if round % 2 == 0 { "root ::= ".to_owned() } else { String::new() };
        for _ in 0..random.usize(..24) {
            text.push_str(PIECES[random.usize(..PIECES.len())]);
        }
        match compile_root(&text) {
            Ok(grammar) => {
                grammars += 1;
                evaluate(&grammar, b"ax1");
            }
            Err(Error::Syntax { location, found, .. }) => {
                let end = Location::of(&text, text.len());
                let within = (location.line, location.column) <= (end.line, end.column);
                assert!(within, "{text:?}: {location}");
                assert_eq!(location == end, found == "end of input", "{text:?}: {found} at {location}");
            }
            Err(Error::UndefinedRule { location, used_in, .. }) => {
                let end = Location::of(&text, text.len());
                assert_eq!(location == end, used_in.is_none(), "{text:?}: {location}");
            }
            Err(Error::Unsupported { .. }) => {}
            Err(other) => panic!("{text:?}: {other}"),
        }
    }
    assert!(grammars > 500, "only {grammars} of the texts are grammars");
}
