//! The cases of the front ends, as data, through the real recogniser under every setting.
//!
//! `testdata/frontend/*.toml` say what grammars accept, reject and refuse. The unit tests of the front ends
//! run the same files against slow evaluators, and check the errors word by word.
#![allow(clippy::unwrap_used, clippy::panic, reason = "in tests a panic is how a failure is told")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use maskwright_core::frontend::json_schema::{self, Options, PropertyOrder, Whitespace};
use maskwright_core::frontend::regex::RegexOptions;
use maskwright_core::frontend::{gbnf, regex};
use maskwright_core::grammar::Grammar;
use maskwright_core::{Budget, Constraint, Error, Matcher, Pool, Result, Settings, TokenId, Vocabulary};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
struct Corpus {
    case: Vec<Case>,
}

#[derive(Debug, Deserialize)]
struct Case {
    name: String,
    #[serde(default)]
    grammar: String,
    #[serde(default)]
    root: Option<String>,
    #[serde(default)]
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
    #[serde(default)]
    dead: Vec<String>,
    error: Option<toml::Value>,
    #[serde(default)]
    schema: String,
    #[serde(default)]
    documents: BTreeMap<String, String>,
    #[serde(default)]
    order: String,
    layout: Option<toml::Value>,
    #[serde(default)]
    options: Vec<String>,
}

/// All single bytes by their values, two longer tokens, and a stop token.
fn vocabulary() -> Arc<Vocabulary> {
    let mut tokens: Vec<Option<Vec<u8>>> = (0..=255u8).map(|byte| Some(vec![byte])).collect();
    tokens.extend(["aa", "b1"].map(|text| Some(text.into())));
    tokens.push(None);
    Arc::new(Vocabulary::new(tokens, Vec::new(), vec![TokenId(258)], 259).unwrap())
}

/// Runs all cases of a file through `compile`, and says how many texts were judged.
fn run(file: &str, compile: impl Fn(&Case) -> Result<Grammar>) -> usize {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/frontend").join(file);
    let corpus: Corpus = toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    // One pool for all cases: what one grammar leaves in it, others find.
    let pool = Arc::new(Pool::new(&vocabulary(), Budget::default().pool_bytes));
    let mut judged = 0;
    for case in corpus.case.iter().filter(|case| case.error.is_none()) {
        let grammar = compile(case).unwrap_or_else(|error| panic!("{}: {error}", case.name));
        for settings in Settings::ALL {
            judged += judge(case, &grammar, &pool, settings);
        }
    }
    judged
}

fn judge(case: &Case, grammar: &Grammar, pool: &Arc<Pool>, settings: Settings) -> usize {
    let what = |text: &String| format!("{}, {text:?}, {settings:?}", case.name);
    let constraint = match Constraint::compile_with(grammar, pool, &Budget::default(), settings) {
        Ok(constraint) => Arc::new(constraint),
        Err(Error::EmptyGrammar(_)) => {
            assert!(case.accepted.is_empty(), "{}: the grammar is empty", case.name);
            return case.rejected.len() + case.dead.len();
        }
        Err(error) => panic!("{}: {error}", case.name),
    };
    for text in &case.accepted {
        let mut matcher = Matcher::new(&constraint);
        for (at, byte) in text.bytes().enumerate() {
            assert!(is_allowed(&mut matcher, byte), "{}: the mask hides byte {at}", what(text));
            assert!(matcher.accept(TokenId(byte.into())).unwrap(), "{}: byte {at} refused", what(text));
        }
        assert!(matcher.is_complete(), "{}: not complete", what(text));
    }
    for text in &case.rejected {
        let mut matcher = Matcher::new(&constraint);
        let alive = matcher.accept_bytes(text.as_bytes()).unwrap();
        assert!(!alive || !matcher.is_complete(), "{}: accepted", what(text));
    }
    for text in &case.dead {
        assert!(!Matcher::new(&constraint).accept_bytes(text.as_bytes()).unwrap(), "{}: alive", what(text));
    }
    case.accepted.len() + case.rejected.len() + case.dead.len()
}

/// Whether the mask allows the token of a single byte.
fn is_allowed(matcher: &mut Matcher, byte: u8) -> bool {
    let mut row = [0; 9];
    matcher.fill_mask(&mut row).unwrap();
    row[usize::from(byte) / 32] >> (byte % 32) & 1 == 1
}

#[test]
fn gbnf_means_what_the_cases_say() {
    let judged = run("gbnf.toml", |case| {
        gbnf::compile(&case.grammar, case.root.as_deref().unwrap_or("root"), &Budget::default())
    });
    assert!(judged > 1000, "{judged}");
}

#[test]
fn regular_expressions_mean_what_the_cases_say() {
    let judged = run("regex.toml", |case| {
        let has = |name: &str| case.flags.iter().any(|flag| flag == name);
        let options = RegexOptions {
            case_insensitive: has("case_insensitive"),
            dot_matches_newline: has("dot_matches_newline"),
            multi_line: has("multi_line"),
            verbose: has("verbose"),
            ascii: has("ascii"),
            search: has("search"),
            ecma: has("ecma"),
            forbidden: case.forbidden.clone(),
            closing: case.closing.clone(),
        };
        regex::compile(&case.pattern, &options, &Budget::default())
    });
    assert!(judged > 1000, "{judged}");
}

/// The options that a case of a JSON schema asks for.
fn options_of(case: &Case) -> Options {
    let has = |name: &str| case.options.iter().any(|option| option == name);
    let fixed = |item: &str, key: &str, indent| Whitespace::Fixed {
        item_separator: item.to_owned(),
        key_separator: key.to_owned(),
        indent,
    };
    let whitespace = match &case.layout {
        None => Whitespace::default(),
        Some(toml::Value::String(name)) if name == "compact" => fixed(",", ":", None),
        Some(toml::Value::String(name)) if name == "spaced" => fixed(", ", ": ", None),
        Some(toml::Value::Integer(width)) => fixed(",", ": ", Some(u32::try_from(*width).unwrap())),
        Some(other) => panic!("{}: no layout {other}", case.name),
    };
    let approximate = case.options.iter().filter_map(|option| option.strip_prefix("approximate:"));
    Options {
        order: if case.order == "declared" { PropertyOrder::Declared } else { PropertyOrder::Any },
        whitespace,
        ascii_only: has("ascii_only"),
        minimal_escapes: has("minimal_escapes"),
        plain_numbers: has("plain_numbers"),
        lone_surrogates: has("lone_surrogates"),
        track_keys: !has("untracked"),
        enforce_formats: !has("annotate_formats"),
        approximate: approximate.map(str::to_owned).collect(),
        ..Options::default()
    }
}

fn compile_schema(case: &Case) -> Result<Grammar> {
    let documents: Vec<(String, String)> = case.documents.clone().into_iter().collect();
    json_schema::compile(&case.schema, &documents, &options_of(case), &Budget::default())
}

#[test]
fn json_schemas_mean_what_the_cases_say() {
    let judged = run("json_schema.toml", compile_schema);
    assert!(judged > 1000, "{judged}");
}

#[test]
fn json_schemas_are_refused_as_the_cases_say() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/frontend/json_schema.toml");
    let corpus: Corpus = toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    for case in &corpus.case {
        let Some(expected) = &case.error else { continue };
        let error = match compile_schema(case) {
            Ok(_) => panic!("{}: not refused", case.name),
            Err(error) => error,
        };
        let (kind, location) = match &error {
            Error::Syntax { .. } => ("syntax", ""),
            Error::Schema { location, .. } => ("schema", location.as_str()),
            Error::Unsupported { location, .. } => ("unsupported", location.as_str()),
            Error::BudgetExceeded { .. } => ("budget", ""),
            Error::EmptyGrammar(_) => ("empty", ""),
            _ => ("other", ""),
        };
        assert_eq!(Some(kind), expected.get("kind").and_then(|kind| kind.as_str()), "{}: {error}", case.name);
        if let Some(expected) = expected.get("location").and_then(|location| location.as_str()) {
            assert_eq!(location, expected, "{}: {error}", case.name);
        }
    }
}

/// What excludes nothing matches every byte string, and is to be held within text like any other complement.
#[test]
fn what_excludes_nothing_matches_text_only() {
    let vocabulary = vocabulary();
    let budget = Budget::default();
    let schema = |text: &str| json_schema::compile(text, &[], &Options::default(), &budget);
    let pattern = |text: &str| regex::compile(text, &RegexOptions::default(), &budget);
    let grammars = [
        (schema(r#"{"type": "string", "not": {"pattern": "[^\\s\\S]"}}"#), "\"é"),
        (schema(r#"{"propertyNames": {"not": {"pattern": "[^\\s\\S]"}}, "type": "object"}"#), "{\"é"),
        (pattern(r"(?s)(?!.*[^\s\S]).*"), "é"),
        (pattern(r"(?s).*(?<![^\s\S].)"), "é"),
    ];
    for (grammar, text) in grammars {
        let pool = Arc::new(Pool::new(&vocabulary, budget.pool_bytes));
        let settings = Settings::default();
        let constraint = Constraint::compile_with(&grammar.unwrap(), &pool, &budget, settings).unwrap();
        let mut matcher = Matcher::new(&Arc::new(constraint));
        assert!(matcher.accept_bytes(text.as_bytes()).unwrap());
        for byte in [0x80, 0xC0, 0xED, 0xFF] {
            assert_eq!(is_allowed(&mut matcher, byte), byte == 0xED, "{text} {byte:x}");
        }
    }
}

/// Single bytes, and tokens that end one value and hold all of the next, or a key twice.
fn vocabulary_of_joints() -> Arc<Vocabulary> {
    let joints = [
        "\":",
        "\",\"",
        "\":\"",
        ",\"",
        "{\"",
        "{\"a\":1,\"a\"",
        "{\"a\":1,\"b\":",
        "\":1,\"a\":",
        "a\":1,\"a",
        "\":1,\"b\":2,\"b\"",
        "\\u0061\":",
        "\":1,\"\\u0061\":",
        "\\u006",
        "\\u0061",
        "1,1",
        "1,2",
        "1,1]",
        "\",\"a\",",
        "\",\"b\"]",
        "]],[[",
        "],[1",
        "],[1]",
        "},{\"a\":1}",
        "},{\"",
        "}, {",
        "1},",
        "},\n",
        "null,",
        "1,",
        "1, ",
        "\":1,",
        "\"a\",",
        ",null",
        "true,true",
        "[1,1",
        "\"a\",\"a\"",
        "\"1\",1",
        "\":{\"",
        "\":[]",
        "},\"",
        "]}",
        "\"}",
        "é",
        "\u{e9}\":",
        "ab\":",
        "aax\":",
        "x\":1",
        "ids\":",
        "id\":",
        "1.0",
        "e1",
        ".0,",
        " ",
        "  ",
        "\n",
        ", ",
        ": ",
    ];
    let mut tokens: Vec<Option<Vec<u8>>> = (0..=255u8).map(|byte| Some(vec![byte])).collect();
    tokens.extend(joints.iter().map(|text| Some(text.as_bytes().to_vec())));
    let stop = TokenId(tokens.len() as u32);
    tokens.push(None);
    let size = tokens.len();
    Arc::new(Vocabulary::new(tokens, Vec::new(), vec![stop], size).unwrap())
}

#[test]
fn masks_of_json_schemas_are_those_of_reading_each_token() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/frontend/json_schema.toml");
    let corpus: Corpus = toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let vocabulary = vocabulary_of_joints();
    let budget = Budget::default();
    let pool = Arc::new(Pool::new(&vocabulary, budget.pool_bytes));
    let mut compared = 0;
    for case in corpus.case.iter().filter(|case| case.error.is_none()) {
        let grammar = compile_schema(case).unwrap();
        let settings = Settings { stack_automaton: false, ..Settings::default() };
        let compile = |settings| Constraint::compile_with(&grammar, &pool, &budget, settings).unwrap();
        let (fast, slow) = (Arc::new(compile(Settings::default())), Arc::new(compile(settings)));
        for text in &case.accepted {
            let (mut fast, mut slow) = (Matcher::new(&fast), Matcher::new(&slow));
            for at in 0..=text.len() {
                let (mut found, mut expected) = (vec![0; 10], vec![0; 10]);
                fast.fill_mask(&mut found).unwrap();
                slow.fill_mask(&mut expected).unwrap();
                assert_eq!(
                    found,
                    expected,
                    "{}: after {:?}",
                    case.name,
                    &text.as_bytes()[..at].escape_ascii().to_string()
                );
                compared += 1;
                if let Some(&byte) = text.as_bytes().get(at) {
                    assert!(fast.accept_bytes(&[byte]).unwrap() && slow.accept_bytes(&[byte]).unwrap());
                }
            }
        }
    }
    assert!(compared > 1000, "{compared}");
}
