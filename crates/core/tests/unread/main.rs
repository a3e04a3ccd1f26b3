//! Masks are those of reading each token, whatever walks have taken unread: long strings, numbers, and the fixed
//! strings of keys and constants.
#![allow(clippy::unwrap_used, reason = "in tests a panic is how a failure is told")]

mod classes;
mod joined;
mod keys;
mod outlines;
mod strings;

use std::sync::Arc;

use maskwright_core::frontend::gbnf;
use maskwright_core::frontend::json_schema::{self, Options, PropertyOrder, Whitespace};
use maskwright_core::frontend::regex::{self, RegexOptions};
use maskwright_core::grammar::Grammar;
use maskwright_core::{Budget, Constraint, Matcher, Pool, Settings, TokenId, Vocabulary};

/// Single bytes, and all texts of up to four of some pieces.
fn texts(pieces: &[&[u8]]) -> Vec<Vec<u8>> {
    let mut strings: Vec<Vec<u8>> = (0..=255u8).map(|byte| vec![byte]).collect();
    let mut last: Vec<Vec<u8>> = vec![Vec::new()];
    for length in 1..=4 {
        let longer = last.iter().flat_map(|string| pieces.iter().map(|piece| [string, *piece].concat()));
        last = longer.collect();
        if length > 1 {
            strings.extend(last.iter().cloned());
        }
    }
    strings
}

/// Texts of characters of many kinds, and runs of up to 40 of them.
fn vocabulary() -> Arc<Vocabulary> {
    let pieces: [&[u8]; 10] =
        [b"a", b"B", b"7", b"-", b".", b" ", b"\"", "é".as_bytes(), "日".as_bytes(), "\u{2003}".as_bytes()];
    let mut strings = texts(&pieces);
    for piece in pieces {
        strings.extend((5..=40).map(|count| piece.repeat(count)));
        strings.push([&piece.repeat(9), &b"\xE6\x97"[..]].concat());
        strings.push([&piece.repeat(9), &b"\xE6a"[..]].concat());
        strings.push([&piece.repeat(9), &b"\\n"[..]].concat());
    }
    vocabulary_of(strings)
}

fn vocabulary_of(mut strings: Vec<Vec<u8>>) -> Arc<Vocabulary> {
    strings.sort_unstable();
    strings.dedup();
    let mut tokens: Vec<Option<Vec<u8>>> = strings.into_iter().map(Some).collect();
    let stop = TokenId(tokens.len() as u32);
    tokens.push(None);
    let size = tokens.len();
    Arc::new(Vocabulary::new(tokens, Vec::new(), vec![stop], size).unwrap())
}

/// Compares masks after each byte of a text.
fn compare(vocabulary: &Arc<Vocabulary>, schema: &str, text: &str) {
    compare_with(vocabulary, schema, &Options::default(), text);
}

fn compare_with(vocabulary: &Arc<Vocabulary>, schema: &str, options: &Options, text: &str) {
    let slow = Settings { signatures: false, ..Settings::default() };
    compare_settings(vocabulary, schema, options, slow, text);
}

fn compare_settings(
    vocabulary: &Arc<Vocabulary>,
    schema: &str,
    options: &Options,
    slow: Settings,
    text: &str,
) {
    let grammar = json_schema::compile(schema, &[], options, &Budget::default()).unwrap();
    compare_grammar(vocabulary, &grammar, schema, slow, text);
}

fn compare_grammar(vocabulary: &Arc<Vocabulary>, grammar: &Grammar, name: &str, slow: Settings, text: &str) {
    let budget = Budget::default();
    // Each has a pool of its own, lest one finds what the other left.
    let constraint = |settings| {
        let pool = Arc::new(Pool::new(vocabulary, budget.pool_bytes));
        Arc::new(Constraint::compile_with(grammar, &pool, &budget, settings).unwrap())
    };
    let (fast, slow) = (constraint(Settings::default()), constraint(slow));
    let (mut fast, mut slow) = (Matcher::new(&fast), Matcher::new(&slow));
    for at in 0..=text.len() {
        let mut rows = [(); 3].map(|()| vec![0; vocabulary.mask_words()]);
        fast.fill_mask(&mut rows[0]).unwrap();
        slow.fill_mask(&mut rows[1]).unwrap();
        // A fork does not know the mask before.
        fast.clone().fill_mask(&mut rows[2]).unwrap();
        assert!(rows[0] == rows[1], "{name}: masks differ after {at} bytes of {text}");
        assert!(rows[0] == rows[2], "{name}: the mask of a fork differs after {at} bytes of {text}");
        if let Some(&byte) = text.as_bytes().get(at) {
            assert!(
                fast.accept_bytes(&[byte]).unwrap() && slow.accept_bytes(&[byte]).unwrap(),
                "{name} {text}"
            );
        }
    }
}

#[test]
fn masks_in_what_is_read_digit_by_digit_are_those_of_reading_each_token() {
    let pieces: [&[u8]; 15] = [
        b"1", b"12", b"30", b"300", b"59", b"60", b":", b"T", b"-", b"Z", b".", b"\"", b"\",\"", b"\\u003",
        b"2024",
    ];
    let vocabulary = vocabulary_of(texts(&pieces).into_iter().filter(|text| text.len() < 12).collect());
    let slow = Settings { stack_automaton: false, ..Settings::default() };
    for (schema, text) in [
        (r#"{"format": "date-time"}"#, r#""2024-12-30T12:30:59.1Z"#),
        (r#"{"format": "date-time"}"#, r#""2024-12-30T\u0031\u0032:30:60-11:29"#),
        (r#"{"items": {"format": "time"}}"#, r#"["12:30:60+12:31","23:59:60Z","1"#),
        (r#"{"format": "date"}"#, r#""2024-12-30"#),
        (r#"{"format": "ipv4"}"#, r#""12.1.30.25"#),
        (r#"{"items": {"pattern": "^[0-9]{2}:([0-5][0-9]|60)(:[0-9]{2})?$"}}"#, r#"["12:30:12","12:60","3"#),
        (
            r#"{"items": {"pattern": "^(1[0-2]|30|59)[.:-](12|30)$", "not": {"const": "12:30"}}}"#,
            r#"["12:12","30.30"#,
        ),
        (r#"{"items": {"pattern": "^(1|12|12:3|12:30-)[0-9]?$"}}"#, r#"["12:3","12:30-1","1"#),
    ] {
        compare_settings(&vocabulary, schema, &Options::default(), slow, text);
    }
}

/// Behind as much white space as may come, a text begins that is captured, to be compared with others.
#[test]
fn white_space_may_end_before_what_is_captured() {
    let bytes = (0..=255u8).map(|byte| vec![byte]);
    let blanks =
        (1..6).flat_map(|count| ["", "\"", "1", "{"].map(|end| (" ".repeat(count) + end).into_bytes()));
    let vocabulary = vocabulary_of(bytes.chain(blanks).collect());
    let slow = Settings { stack_automaton: false, ..Settings::default() };
    for maximum in 0..6 {
        let options = Options { whitespace: Whitespace::Free { maximum }, ..Options::default() };
        for (items, text) in [(r#"{"type": "string"}"#, r#"["a","b","#), (r#"{"type": "integer"}"#, "[1,23,")]
        {
            let schema = format!(r#"{{"type": "array", "uniqueItems": true, "items": {items}}}"#);
            compare_settings(&vocabulary, &schema, &options, slow, text);
            let schema = format!(r#"{{"additionalProperties": {schema}}}"#);
            compare_settings(&vocabulary, &schema, &options, slow, &format!(r#"{{"k":{text}"#));
        }
    }
}

/// Of a frame that ends behind `1` and behind `12`, what comes after it begins at both: there is more to the longer one
/// than that something goes on.
#[test]
fn a_walk_starts_at_each_exit_of_the_frame_above() {
    let bytes = (0..=255u8).map(|byte| vec![byte]);
    let vocabulary = vocabulary_of(bytes.chain([b"12".to_vec(), b"123".to_vec()]).collect());
    let slow = Settings { stack_automaton: false, ..Settings::default() };
    let text = "root ::= a [0-9] \":\"\na ::= \"x\" (\"1\" | \"12\") | \"(\" a \")\"";
    let grammar = gbnf::compile(text, "root", &Budget::default()).unwrap();
    compare_grammar(&vocabulary, &grammar, "exits", slow, "x123:");
}

#[test]
fn masks_of_counters_before_what_repeats_more_are_those_of_reading_each_token() {
    let vocabulary = vocabulary();
    let slow = Settings { stack_automaton: false, ..Settings::default() };
    for (pattern, text) in [
        ("a{3}.*a", "aaaB7a"),
        ("a{2,}.*a", "aaaBa"),
        ("a{3,5}.*a", "aaaaaaBa"),
        ("a{3,}.*[aB]", "aaa7B"),
        ("-{2}.*-", "--a-"),
        ("[A-Z]{2,3}[A-Z0-9]*[A-Z]", "BBB7B"),
        ("[a-z]{2}[a-z0-9]*[a-z]", "aa7a"),
        (r"[0-9]{2}\w*[0-9]", "77aB7"),
        ("[aB日]{9}.*7", "aB日aB日aB日77"),
        ("(?:aB?){1,40}[aB7]*-", "aBaBaB7-"),
    ] {
        let grammar = regex::compile(pattern, &RegexOptions::default(), &Budget::default()).unwrap();
        compare_grammar(&vocabulary, &grammar, pattern, slow, text);
        compare_grammar(
            &vocabulary,
            &grammar,
            pattern,
            Settings { signatures: false, ..Settings::default() },
            text,
        );
    }
}

#[test]
fn masks_in_numbers_are_those_of_reading_each_token() {
    let vocabulary = vocabulary();
    for (schema, text) in [
        (r#"{"type": "integer"}"#, "777777777777777"),
        (r#"{"type": "number"}"#, "-77777777777777.77777e77777777777"),
        (r#"{"type": "number", "minimum": 0}"#, "7777777777777.77"),
        (r#"{"type": "integer", "multipleOf": 7}"#, "7777777777777"),
        (r#"{"type": "array", "items": {"type": "integer"}}"#, "[7777, 77777777777777, 7]"),
        (r#"{"properties": {"a": {"type": "number"}, "B": {}}}"#, "{\"a\": 777777, \"B\": 7777777777}"),
        (r#"{"type": "string", "pattern": "^a[0-9]*$"}"#, "\"a77777777777777\""),
    ] {
        compare(&vocabulary, schema, text);
    }
}

/// After a quote within a token a string of any characters is the same for all grammars, in whichever frame it stands,
/// and the digits of a number are taken as a whole: below nodes with many tokens, as here.
#[test]
fn masks_where_much_is_below_a_quote_or_a_digit_are_those_of_reading_each_token() {
    let words: Vec<String> =
        (0..60).map(|number| format!("{}x{number}", ["a", "é", "\\\\n"][number % 3])).collect();
    let behind = ["", "\"", "\",", "\":", "\":\"", "\"}", "\",\"a", "\"]", "\\\"", "\\u00e9\""];
    let mut strings: Vec<Vec<u8>> = (0..1000).map(|number| number.to_string().into_bytes()).collect();
    strings.extend((0..=255u8).map(|byte| vec![byte]));
    for before in ["", "\"", " \"", "{\"", ",\"", "[\"", "\":\""] {
        let texts =
            words.iter().enumerate().map(|(at, word)| format!("{before}{word}{}", behind[at % behind.len()]));
        strings.extend(texts.map(String::into_bytes));
    }
    let vocabulary = vocabulary_of(strings);
    let options = Options { order: PropertyOrder::Any, ..Options::default() };
    let text =
        r#"{"ax0": "ax3", "k": ["ax6", 1002003, -10.50], "n": 120, "éx1": {"éx1": 100e2}, "s": "ax9"}"#;
    for schema in [
        "{}",
        r#"{"properties": {"n": {"type": "integer"}, "s": {"type": "string"}}}"#,
        r#"{"properties": {"n": {"multipleOf": 5}, "s": {"maxLength": 3}, "k": {"items": {"type": ["number", "string"]}}}}"#,
        r#"{"properties": {"n": {"maximum": 1000}, "s": {"maxLength": 300}, "ax0": {"minLength": 2}}}"#,
    ] {
        compare_with(&vocabulary, schema, &options, text);
    }
}
