//! Long patterns of which every part may be left out: each state is a list of thousands of alternatives, each the end
//! of another. All that is asked of such a list has to take time in proportion to its length: where one question takes
//! the square of it, these tests take minutes.

#![allow(clippy::unwrap_used, reason = "in tests a panic is how a failure is told")]

use std::sync::Arc;

use maskwright_core::frontend::regex::{self, RegexOptions};
use maskwright_core::{Budget, Constraint, Matcher, TokenId, Vocabulary};

const PARTS: usize = 6000;

/// A vocabulary of the 256 bytes, with a stop token.
fn vocabulary() -> Arc<Vocabulary> {
    let tokens = (0..=255u8).map(|byte| Some(vec![byte])).chain([None]).collect();
    Arc::new(Vocabulary::new(tokens, vec![], vec![TokenId(256)], 257).unwrap())
}

/// The bytes that may come after each beginning of a text.
fn allowed_along(pattern: &str, text: &str) -> Vec<String> {
    let (vocabulary, budget) = (vocabulary(), Budget::default());
    let grammar = regex::compile(pattern, &RegexOptions::default(), &budget).unwrap();
    let constraint = Arc::new(Constraint::compile(&grammar, &vocabulary, &budget).unwrap());
    let mut matcher = Matcher::new(&constraint);
    let mut row = vec![0; vocabulary.mask_words()];
    let mut allowed = |matcher: &mut Matcher| {
        matcher.fill_mask(&mut row).unwrap();
        let is_allowed = |byte: &u8| row[usize::from(*byte) / 32] >> (byte % 32) & 1 == 1;
        (0..=255u8).filter(is_allowed).map(char::from).collect()
    };
    let mut all = vec![allowed(&mut matcher)];
    for byte in text.bytes() {
        assert!(matcher.accept_bytes(&[byte]).unwrap(), "{text}");
        all.push(allowed(&mut matcher));
    }
    all
}

#[test]
fn masks_of_thousands_of_parts_that_may_be_left_out() {
    let cases = [
        ("a?b?", "aba", ["ab", "ab", "ab", "ab"]),
        ("a*b*", "aba", ["ab", "ab", "ab", "ab"]),
        ("[ab]*c?", "acb", ["abc", "abc", "abc", "abc"]),
        ("(?:a|bc)?", "abc", ["ab", "ab", "c", "ab"]),
        ("(?:ab?){0,2}", "aba", ["a", "ab", "a", "ab"]),
    ];
    for (part, text, allowed) in cases {
        assert_eq!(allowed_along(&part.repeat(PARTS), text), allowed, "{part}");
    }
}

#[test]
fn assertions_by_the_hundred_thousand() {
    const COUNT: usize = 100_000;
    let (looks, starts, ends) = ("(?=a)".repeat(COUNT), "^".repeat(COUNT), "$".repeat(COUNT));
    let classes = format!(r"[{}]{{2}}", r"\w\d\s".repeat(COUNT));
    for (pattern, text, allowed) in [
        (format!("{looks}[ab]"), "a", ["a", ""]),
        (format!("{starts}a{ends}"), "a", ["a", ""]),
        (format!("(?:{looks}|b)a"), "a", ["ab", ""]),
    ] {
        assert_eq!(allowed_along(&pattern, text), allowed, "{}", &pattern[..20]);
    }
    assert!(allowed_along(&classes, "a")[1].contains("0123456789"));
}
