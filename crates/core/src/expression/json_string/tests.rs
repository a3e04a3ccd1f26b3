//! Strings by their contents, however they are spelled.

use super::super::{Emptiness, Spelling};
use super::*;
use crate::budget::{Budget, Deadline};

/// A surrogate, as it stands in contents.
pub(in super::super) fn surrogate(store: &mut ExpressionStore) -> ExpressionId {
    let bytes = surrogate_bytes().map(|set| store.bytes(set));
    store.concatenation(&bytes)
}

fn json_string(store: &mut ExpressionStore, content: ExpressionId) -> ExpressionId {
    let spelling = store.intern_spelling(Spelling::over(&ByteSet::ALL));
    store.json_string(content, spelling)
}

fn matches(store: &mut ExpressionStore, content: ExpressionId, text: &str) -> bool {
    let string = json_string(store, content);
    store.matches(string, text.as_bytes())
}

#[test]
fn every_spelling_of_a_content_matches_and_no_other_text() {
    let mut store = ExpressionStore::new();
    let content = store.literals(["a/\n", "é😀", "\""].map(Vec::from).to_vec());
    for text in [
        "a/\\n",
        "\\u0061\\/\\u000a",
        "a\\u002F\\u000A",
        "é😀",
        "\\u00e9\\ud83d\\uDE00",
        "é\\uD83D\\ude00",
        "\\\"",
        "\\u0022",
    ] {
        assert!(matches(&mut store, content, text), "{text}");
    }
    for text in
        ["a/\n", "\"", "a/n", "\\u0061", "é\\ud83d", "é\\ude00", "é\\ud83d\\n", "\\x", "é\\ud83d\\ud83d"]
    {
        assert!(!matches(&mut store, content, text), "{text}");
    }
}

#[test]
fn complements_are_taken_on_contents() {
    let mut store = ExpressionStore::new();
    let any = store.any_character();
    let any = store.repetition(any, 0, None);
    let id = store.literal(b"id");
    let others = store.complement(id);
    let content = store.intersection(&[any, others]);
    for (text, expected) in
        [("id", false), ("\\u0069d", false), ("ids", true), ("", true), ("\\ud800", false)]
    {
        assert_eq!(matches(&mut store, content, text), expected, "{text}");
    }
}

#[test]
fn a_surrogate_is_written_as_an_escape_only() {
    let mut store = ExpressionStore::new();
    let any = store.any_character();
    let lone = surrogate(&mut store);
    let unit = store.alternatives(&[any, lone]);
    let spelling = store.intern_spelling(Spelling::over(&ByteSet::ALL));
    let mut emptiness = Emptiness::new(ByteSet::ALL, &Budget::default());
    let deadline = Deadline::for_compile(&Budget::default());
    for (content, after_lead) in [(any, 0x80..0xA0u8), (unit, 0x80..0xA0), (lone, 0..0)] {
        let string = store.json_string(content, spelling);
        for first in [LEAD_OF_SURROGATES, 0xEC, 0xEE] {
            let mut class = ByteSet::ALL;
            let after = store.derive_whole(string, first, &mut class);
            for byte in class.iter() {
                assert_eq!(store.derive_whole(string, byte, &mut ByteSet::ALL.clone()), after, "{byte:#x}");
            }
        }
        let lead = store.derive_whole(string, LEAD_OF_SURROGATES, &mut ByteSet::ALL.clone());
        for byte in 0..=255 {
            let after = store.derive_whole(lead, byte, &mut ByteSet::ALL.clone());
            let is_alive = emptiness.is_alive(&mut store, after, &deadline).unwrap();
            assert_eq!(is_alive, after_lead.contains(&byte), "{byte:#x}");
        }
    }
}

#[test]
fn lone_surrogates_are_three_bytes_each_and_pairs_are_never_split() {
    let mut store = ExpressionStore::new();
    let any = store.any_character();
    let lone = surrogate(&mut store);
    let unit = store.alternatives(&[any, lone]);
    let two = store.repetition(unit, 2, Some(2));
    for (text, expected) in [
        ("\\ud800a", true),
        ("\\ud800\\n", true),
        ("\\ud800\\u0061", true),
        ("\\ud800\\ud800", true),
        ("a\\ud800", true),
        ("\\udc00\\ud800", true),
        ("\\ud800\\udc00", false),
        ("\\ud800\\udc00a", true),
        ("\\ud800", false),
    ] {
        assert_eq!(matches(&mut store, two, text), expected, "{text}");
    }
}

#[test]
fn an_escape_begins_only_where_it_can_be_finished() {
    let mut store = ExpressionStore::new();
    let content = store.literal(b"a");
    let mut at = json_string(&mut store, content);
    for byte in *b"\\u00" {
        at = store.derive_whole(at, byte, &mut ByteSet::ALL.clone());
    }
    assert_eq!(store.derive_whole(at, b'e', &mut ByteSet::ALL.clone()), ExpressionStore::NOTHING);
    assert_ne!(store.derive_whole(at, b'6', &mut ByteSet::ALL.clone()), ExpressionStore::NOTHING);
}

/// The states between a backslash and the end of the escape, of which there is one at least for each number of digits.
fn states_of_escapes(store: &mut ExpressionStore, content: ExpressionId, spelling: Spelling) -> usize {
    let spelling = store.intern_spelling(spelling);
    let string = store.json_string(content, spelling);
    let mut met = vec![store.derive_whole(string, b'\\', &mut ByteSet::ALL.clone())];
    let mut next = 0;
    while let Some(&state) = met.get(next) {
        next += 1;
        for byte in 0..=255 {
            let after = store.derive_whole(state, byte, &mut ByteSet::ALL.clone());
            let is_between = matches!(store.get(after), Expression::JsonString { escape: Escape::None, .. });
            if ![ExpressionStore::NOTHING, ExpressionStore::EMPTY].contains(&after)
                && !is_between
                && !met.contains(&after)
            {
                met.push(after);
            }
        }
    }
    met.len()
}

#[test]
fn digits_are_remembered_only_where_they_make_a_difference() {
    let mut store = ExpressionStore::new();
    let any = store.any_character();
    let many = store.repetition(any, 0, None);
    let some = store.repetition(any, 0, Some(1_000));
    let letter = store.bytes(ByteSet::range(b'a', b'z'));
    let letters = store.repetition(letter, 0, None);
    let all = Spelling::over(&ByteSet::ALL);
    let few = Spelling { minimal_escapes: true, ..all };
    // Behind `\`, `\u` and `\ud`, three by the digits that are left, and six before the last two digits of a pair.
    // With few escapes, behind `\u0` and `\u00` and before the last digit instead, and nothing is left behind `\ud8`.
    for content in [many, some] {
        assert_eq!(states_of_escapes(&mut store, content, all), 12);
        assert_eq!(states_of_escapes(&mut store, content, few), 6);
    }
    // Behind `\`, `\u`, `\u0`, `\u00`, `\u006` and `\u007`: some digits are missing behind the last two.
    assert_eq!(states_of_escapes(&mut store, letters, all), 6);
}

#[test]
fn what_digits_leave_is_what_the_characters_leave() {
    let mut store = ExpressionStore::new();
    let any = store.any_character();
    let lone = surrogate(&mut store);
    let unit = store.alternatives(&[any, lone]);
    let words = store.literals(["a", "é", "日本", "😀x"].map(Vec::from).to_vec());
    let others = store.complement(words);
    for content in [any, unit, words, others] {
        let content = store.intersection(&[content, others]);
        for text in ["a", "b", "é", "ê", "日", "日本", "본", "😀", "😁", "😀x", "\u{10FFFF}"] {
            let escaped: String = text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
            let expected = store.matches(content, text.as_bytes());
            assert_eq!(matches(&mut store, content, &escaped), expected, "{text}");
            assert_eq!(matches(&mut store, content, text), expected, "{text}");
        }
    }
}
