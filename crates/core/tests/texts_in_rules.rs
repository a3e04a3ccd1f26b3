//! Texts that are rules of their own are walked no longer than where they are written out.
#![allow(clippy::unwrap_used, reason = "in tests a panic is how a failure is told")]

use std::sync::Arc;

use maskwright_core::frontend::gbnf;
use maskwright_core::frontend::regex::{self, RegexOptions};
use maskwright_core::grammar::Grammar;
use maskwright_core::{Budget, Constraint, Matcher, Pool, Settings, TokenId, Vocabulary};

/// All bytes, all words of four of some letters, and what joins them with what ends texts; then a stop token.
fn vocabulary() -> (Arc<Vocabulary>, Vec<Vec<u8>>) {
    let letter = |number: usize| b"abcdefgh"[number % 8];
    let words = (0..4096).map(|number| [number, number / 8, number / 64, number / 512].map(letter).to_vec());
    let joined = ["ab ", "ab c", "a\"", "b{a", "a}b", "}}", "a</b>", "<b>a", "a; b", "ab, c", "\\nab", "h\n"];
    let tokens: Vec<Vec<u8>> = (0..=255u8)
        .map(|byte| vec![byte])
        .chain(words)
        .chain(joined.map(|token| token.as_bytes().to_vec()))
        .collect();
    let stop = TokenId(tokens.len() as u32);
    let with_stop = tokens.iter().cloned().map(Some).chain([None]).collect();
    (Arc::new(Vocabulary::new(with_stop, Vec::new(), vec![stop], tokens.len() + 1).unwrap()), tokens)
}

fn visited(grammar: &str, text: &str) -> u64 {
    visited_of(&gbnf::compile(grammar, "root", &Budget::default()).unwrap(), text)
}

/// Reads a text, compares each mask with what the matcher accepts, under all settings, and returns how many nodes were visited for the
/// masks under the usual ones.
fn visited_of(grammar: &Grammar, text: &str) -> u64 {
    let (vocabulary, tokens) = vocabulary();
    let budget = Budget::default();
    let mut before: Option<Vec<Vec<u32>>> = None;
    let mut visited = 0;
    for settings in Settings::ALL.into_iter().chain([Settings::default()]) {
        let pool = Arc::new(Pool::new(&vocabulary, budget.pool_bytes));
        let constraint = Arc::new(Constraint::compile_with(grammar, &pool, &budget, settings).unwrap());
        let mut matcher = Matcher::new(&constraint);
        let mut rows = Vec::new();
        for at in 0..=text.len() {
            let mut row = vec![0; vocabulary.mask_words()];
            matcher.fill_mask(&mut row).unwrap();
            if before.is_none() {
                for (token, bytes) in tokens.iter().enumerate() {
                    let allowed = row[token / 32] >> (token % 32) & 1 == 1;
                    let accepted = matcher.clone().accept_bytes(bytes).unwrap();
                    assert_eq!(
                        allowed,
                        accepted,
                        "{:?} after {:?}",
                        bytes.escape_ascii().to_string(),
                        &text[..at]
                    );
                }
            }
            rows.push(row);
            if let Some(next) = text.as_bytes().get(at..=at) {
                assert!(matcher.accept_bytes(next).unwrap(), "{:?} of {text:?}", &text[at..]);
            }
        }
        assert!(before.as_ref().is_none_or(|before| *before == rows), "{text:?}");
        before = Some(rows);
        visited = constraint.statistics().visited_nodes;
    }
    visited
}

/// Each mask would visit some 4,000 nodes.
fn assert_few(grammar: &str, text: &str) {
    let visited = visited(grammar, text);
    let most = 120 * text.len() as u64;
    assert!(visited < most, "{visited} nodes, {most} at most: {grammar}");
}

#[test]
fn counted_characters_are_read_in_place_of_their_rule() {
    let character = "char ::= [^\"\\\\] | \"\\\\\" [\"nt]";
    for count in ["{1,100}", "{0,20}", "{3,}", "{1,100000}"] {
        assert_few(&format!("root ::= \"\\\"\" char{count} \"\\\"\"\n{character}"), "\"abc dab\\nhe\"");
    }
    let lines = "root ::= (line{1,100} \"\\n\"){1,100}\nline ::= \"\\\"\" char{1,100} \"\\\"\"";
    assert_few(&format!("{lines}\n{character}"), "\"ab h\"\"cd\"\n\"a\"\n");
    let words = "root ::= \"\\\"\" word{1,100} \"\\\"\"\nword ::= char{2,9}";
    assert_few(&format!("{words}\n{character}"), "\"abc dab\\nhe\"");
}

#[test]
fn texts_beside_what_holds_them_in_turn_are_read_in_place() {
    let braces = "root ::= item+\nitem ::= text | \"{\" item* \"}\"\ntext ::= [^{}]+";
    assert_few(braces, "ab {cd {ef} gh} ab");
    let bounded = "root ::= item{1,30}\nitem ::= [^{}] | \"{\" item{0,30} \"}\"";
    assert_few(bounded, "ab {cd {ef} gh} ab");
    let html = "root ::= node*\nnode ::= text | \"<b>\" node* \"</b>\"\ntext ::= [^<]+";
    assert_few(html, "ab <b>cd <b>ef</b> gh</b> ab");
    let element = "root ::= node*\nnode ::= element | [^<]+\nelement ::= \"<b>\" node* \"</b>\"";
    assert_few(element, "ab <b>cd <b>ef</b> gh</b> ab");
}

#[test]
fn lists_of_texts_are_one_text() {
    let words = "root ::= word (\" \" word){0,15}\nword ::= [a-zA-Z]{1,20}";
    assert_few(words, "abc defg ab had");
    let lines = "root ::= line{1,50}\nline ::= words \"\\n\"\nwords ::= word (\", \" word){0,15}\nword ::= [a-z]{1,20}";
    assert_few(lines, "abc, defg\nab, had\n");
    let heading = "root ::= title \"\\n\"\ntitle ::= \"# \" [^\\n]{0,80}";
    assert_few(heading, "# abc def\n");
}

#[test]
fn texts_that_nothing_fixed_ends_are_read_in_place() {
    let object = "object ::= \"{\" ([a-h]+ \"=\" (object | text) \";\")* \"}\"";
    for length in ["{0,160}", "{1,9}", "{3,}", "{20,2000}", "*"] {
        let text = format!("text ::= [^{{}};\\n]{length}");
        for (root, read) in [
            ("root ::= text object", "abcd"),
            ("root ::= text (\"\\n\" object)?", "abcd"),
            ("root ::= \"ab\" text (object | \";\" root)", "abcd"),
            ("root ::= object | text", "abcd"),
            ("root ::= object text", "{}ab"),
            ("root ::= text <[300]>", "abcd"),
        ] {
            assert_few(&format!("{root}\n{text}\n{object}"), read);
        }
    }
}

/// The text may end anywhere, or where something ends it; it may be of any length, or of a bounded one.
#[test]
fn text_in_which_words_must_not_be_found_is_read_like_any_other() {
    let forbidden = ["abc", "fade", "hhg", "c; a", "b{a}"].map(str::to_owned).to_vec();
    let text = "ab dead fad cab; b{a hh";
    let without = r"(?!.*(?:abc|fade|hhg|\{a\}))";
    for (pattern, options, text) in [
        ("(?s).*", true, text.to_owned()),
        (r"[^\n]*", true, text.to_owned()),
        (r"[^\n]{1,90}", true, text.to_owned()),
        (r"(?s).{20,}", true, text.to_owned()),
        (r#""[^"\n]{0,60}""#, true, format!("\"{text}\"")),
        (r"[^\n]*\n", true, format!("{text}\n")),
        (r"<b>[^\n]*<b>", true, format!("<b>{text}<b>")),
        (&format!("{without}.*"), false, text.to_owned()),
        (&format!("{without}.{{3,60}}"), false, text.to_owned()),
        (r"(?s)(?!.*(?i:abc|hhg)).{2,60}", false, text.to_owned()),
    ] {
        let forbidden = if options { forbidden.clone() } else { Vec::new() };
        let options = RegexOptions { forbidden, ..RegexOptions::default() };
        let grammar = regex::compile(pattern, &options, &Budget::default()).unwrap();
        let (visited, most) = (visited_of(&grammar, &text), 400 * text.len() as u64);
        assert!(visited < most, "{visited} nodes, {most} at most: {pattern}");
    }
}
