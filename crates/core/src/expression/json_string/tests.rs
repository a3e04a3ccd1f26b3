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
