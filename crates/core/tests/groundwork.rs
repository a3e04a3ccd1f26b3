//! What all pools of a vocabulary begin with: masks are the same, walks are spared, and files hold what they need.
#![allow(clippy::unwrap_used, reason = "in tests a panic is how a failure is told")]

use std::sync::Arc;

use maskwright_core::frontend::json_schema::{self, Options};
use maskwright_core::{Budget, Constraint, Groundwork, Matcher, Pool, Settings, TokenId, Vocabulary};

/// Schemas, texts of them, and how many walks a groundwork spares there at least.
const CASES: [(&str, &str, u64); 4] = [
    (
        r#"{"properties": {"a": {"type": "number"}, "b": {"items": {"type": "string"}}, "c": {}}}"#,
        r#"{"a": -12.5e3, "b": ["x", "\n"], "c": {"d": [null, true]}, "e": 1}"#,
        10,
    ),
    (
        r#"{"items": {"type": "string", "format": "email"}}"#,
        r#"["john.doe1@mail.example.org", "some-one@example.com"]"#,
        8,
    ),
    // A colon and the beginning of a value behind the quote of a key, a comma behind the quote of a text.
    (
        r#"{"properties": {"name": {"type": "string"}, "flag": {"type": "boolean"}}, "additionalProperties": false}"#,
        r#"{"name": "text", "flag": true}"#,
        11,
    ),
    // A format that is asked for less often, and takes long where it is.
    (r#"{"items": {"type": "string", "format": "iri"}}"#, r#"["https://www.example.org/path?key=value"]"#, 8),
];

fn vocabulary() -> Arc<Vocabulary> {
    let more = [
        "\": ", "\":", "\", \"", "},", "],", "[\"", "{\"", "12", "null", "true", "  ", "\n  ", "\",\"", ": [",
    ];
    let bytes = (0..=255u8).map(|byte| Some(vec![byte]));
    let tokens: Vec<_> = bytes.chain(more.map(|token| Some(token.into()))).chain([None]).collect();
    let (count, stop) = (tokens.len(), TokenId(tokens.len() as u32 - 1));
    Arc::new(Vocabulary::new(tokens, vec![], vec![stop], count).unwrap())
}

fn pool_upon(groundwork: Option<&Arc<Groundwork>>, vocabulary: &Arc<Vocabulary>) -> Arc<Pool> {
    Arc::new(Pool::upon(groundwork.cloned(), vocabulary, Budget::default().pool_bytes, &Arc::default()))
}

/// The masks along the text of a case, and the number of walks that they took.
fn masks_along((schema, text, _): (&str, &str, u64), pool: &Arc<Pool>) -> (Vec<Vec<u32>>, u64) {
    let budget = Budget::default();
    let grammar = json_schema::compile(schema, &[], &Options::default(), &budget).unwrap();
    let constraint = Constraint::compile_with(&grammar, pool, &budget, Settings::default()).unwrap();
    let constraint = Arc::new(constraint);
    let mut matcher = Matcher::new(&constraint);
    let mut masks = Vec::new();
    for byte in text.bytes() {
        let mut row = vec![0; pool.vocabulary().mask_words()];
        matcher.fill_mask(&mut row).unwrap();
        masks.push(row);
        assert!(matcher.accept(TokenId(u32::from(byte))).unwrap());
    }
    (masks, constraint.statistics().walks)
}

#[test]
fn masks_are_the_same_and_take_fewer_walks() {
    let vocabulary = vocabulary();
    let groundwork = Arc::new(Groundwork::of_json(&vocabulary));
    assert!(groundwork.transition_count() > 10 && groundwork.memory_bytes() > 1000);
    for case in CASES {
        let (with, without) = (pool_upon(Some(&groundwork), &vocabulary), pool_upon(None, &vocabulary));
        let (expected, walks_without) = masks_along(case, &without);
        let (masks, walks_with) = masks_along(case, &with);
        assert_eq!(masks, expected);
        assert!(walks_with + case.2 <= walks_without, "{walks_with} {walks_without}");

        // Forgetting what a pool holds does not take the ground from under it.
        with.clear();
        assert_eq!(masks_along(case, &with), (expected, walks_with));
    }
}

#[test]
fn a_saved_pool_needs_no_groundwork_where_it_is_loaded() {
    let vocabulary = vocabulary();
    let groundwork = Arc::new(Groundwork::of_json(&vocabulary));
    for case in CASES {
        let with = pool_upon(Some(&groundwork), &vocabulary);
        let (expected, _) = masks_along(case, &with);
        let saved = with.to_bytes();
        for pool in [pool_upon(None, &vocabulary), pool_upon(Some(&groundwork), &vocabulary)] {
            assert_eq!(pool.load(&saved).unwrap(), with.statistics().transitions);
            assert_eq!(pool.to_bytes(), saved);
            assert_eq!(masks_along(case, &pool).0, expected);
        }
    }
}

#[test]
fn what_a_small_pool_saves_has_room_in_one_as_small() {
    let vocabulary = vocabulary();
    // Upon a groundwork it would hold nothing.
    let pool_of = |bytes| Arc::new(Pool::upon(None, &vocabulary, bytes, &Arc::default()));
    let mut saved = 0;
    for bytes in (1..30).map(|kilobytes| kilobytes << 10) {
        let pool = pool_of(bytes);
        for case in CASES {
            masks_along(case, &pool);
        }
        let transitions = pool.statistics().transitions;
        assert_eq!(pool_of(bytes).load(&pool.to_bytes()).unwrap(), transitions, "{bytes}");
        saved += transitions;
    }
    assert!(saved > 20, "{saved}");
}

#[test]
fn a_vocabulary_that_cannot_spell_json_has_an_empty_one() {
    let tokens = vec![Some(b"a".to_vec()), None];
    let vocabulary = Arc::new(Vocabulary::new(tokens, vec![], vec![TokenId(1)], 2).unwrap());
    assert_eq!(Groundwork::of_json(&vocabulary).transition_count(), 0);
}
