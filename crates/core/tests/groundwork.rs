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

/// A format whose states are made of a thousand parts.
const OF_MANY_PARTS: (&str, &str, u64) =
    (r#"{"items": {"type": "string", "format": "regex"}}"#, r#"["^[a-z0-9]+/(name|x.*)$"]"#, 20);

/// Values, and texts of them: those that the groundwork meets, and some that look like them.
const VALUES: [(&str, &str); 26] = [
    (r#"{"type": "string"}"#, r#""text""#),
    (r#"{"type": "string", "minLength": 0}"#, r#""""#),
    (r#"{"type": "string", "minLength": 1}"#, r#""text""#),
    (r#"{"type": "string", "minLength": 2, "maxLength": 3}"#, r#""abc""#),
    (r#"{"type": "string", "pattern": "^[ab]*$"}"#, r#""ab""#),
    (r#"{"type": "string", "format": "date"}"#, r#""2026-01-31""#),
    (r#"{"type": "string", "format": "unknown"}"#, r#""text""#),
    (r#"{"enum": ["", "text", 1]}"#, r#""text""#),
    (r#"{"type": "integer"}"#, "-12"),
    (r#"{"type": "integer", "format": "int32"}"#, "1.0"),
    (r#"{"type": "integer", "minimum": 0}"#, "12"),
    (r#"{"type": ["number", "string"]}"#, "1e3"),
    (r#"{"type": ["boolean", "null"]}"#, "null"),
    ("{}", "[{}]"),
    (r#"{"type": ["object", "array", "number", "string", "boolean", "null"]}"#, r#"{"key": []}"#),
    (r##"{"$ref": "#/$defs/text"}"##, r#""text""#),
    (r#"{"type": "array", "items": {"type": "string"}}"#, r#"["text", ""]"#),
    (r#"{"type": "array", "items": {"type": "string"}, "minItems": 1}"#, r#"["text", ""]"#),
    (r#"{"type": "array", "items": {"type": "string"}, "uniqueItems": true}"#, r#"["text", ""]"#),
    (r#"{"type": "array", "items": {"type": "array", "items": {"type": "null"}}}"#, "[[null], []]"),
    (r#"{"type": "array", "items": {"type": "object", "properties": {"key": {}}}}"#, r#"[{"key": {}}, {}]"#),
    (
        r#"{"type": "array", "items": {"type": "object", "required": ["key"]}, "maxItems": 1}"#,
        r#"[{"key": 1}]"#,
    ),
    (r#"{"type": "object"}"#, r#"{"": {}}"#),
    (
        r#"{"type": "object", "properties": {"": {"type": "null"}}, "additionalProperties": false}"#,
        r#"{"": null}"#,
    ),
    (r#"{"type": "object", "properties": {":": {"type": "null"}}, "required": [":"]}"#, r#"{":": null}"#),
    (r#"{"type": ["object", "null"], "maxProperties": 1}"#, r#"{"key": 1}"#),
];

/// What an object says beside its members, of which `text` is the first and `last` the last.
const OBJECTS: [&str; 5] = [
    r#""additionalProperties": {}"#,
    r#""additionalProperties": {"type": "string"}"#,
    r#""additionalProperties": false"#,
    r#""required": ["last"]"#,
    r#""additionalProperties": false, "required": ["last"]"#,
];

fn vocabulary() -> Arc<Vocabulary> {
    let more = [
        "\": ",
        "\":",
        "\", \"",
        "},",
        "],",
        "[\"",
        "{\"",
        "12",
        "null",
        "true",
        "  ",
        "\n  ",
        "\",\"",
        ": [",
        "\":\"",
        "\":{\"",
        "\":{}",
        "\":[]",
        "\":[{\"",
        "\":[\"",
        "\":\"\",",
        "\":null,\"",
        "\":1}",
        "\": \"",
        " [[",
        "{\"\":",
        "}]}",
        "\"]}",
        "\"},\"",
        " {\":\":",
        "1,\"",
        "last\":",
        "t\": 12",
        "\": [{\"key",
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
    for case in CASES.into_iter().chain([OF_MANY_PARTS]) {
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
fn whatever_stands_in_an_object_masks_are_the_same() {
    let vocabulary = vocabulary();
    let groundwork = Arc::new(Groundwork::of_json(&vocabulary));
    let drafts = ["https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-04/schema#"];
    let mut hits = 0;
    for (draft, keywords) in drafts.iter().flat_map(|draft| OBJECTS.map(|keywords| (draft, keywords))) {
        for (value, text) in VALUES.iter().filter(|(_, text)| draft.contains("2020") || *text != "1.0") {
            let members = format!(r#""properties": {{"text": {value}, "other": {value}, "last": {value}}}"#);
            let text_of = r#""$defs": {"text": {"type": "string"}}"#;
            let schema =
                format!(r#"{{"$schema": "{draft}", {text_of}, "type": "object", {members}, {keywords}}}"#);
            let document = format!(r#"{{"text": {text}, "other":{text},"last": {text}}}"#);
            let (with, without) = (pool_upon(Some(&groundwork), &vocabulary), pool_upon(None, &vocabulary));
            let (masks, _) = masks_along((&schema, &document, 0), &with);
            assert_eq!(masks, masks_along((&schema, &document, 0), &without).0, "{schema}");
            hits += with.statistics().perfect_hits - without.statistics().perfect_hits;
        }
    }
    assert!(hits > 2000, "{hits}");
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
        // Transitions from exit sets that nothing leads to any more are not saved.
        let file = pool.to_bytes();
        let transitions = pool_of(Budget::default().pool_bytes).load(&file).unwrap();
        assert_eq!(pool_of(bytes).load(&file).unwrap(), transitions, "{bytes}");
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
