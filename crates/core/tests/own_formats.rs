//! Formats of the caller's own: they are told by the demands that name them, so that everything else is shared with schemas
//! that know none of them, and masks are what they are without anything shared.
#![allow(clippy::unwrap_used, reason = "in tests a panic is how a failure is told")]

use std::sync::Arc;

use fastrand::Rng;
use maskwright_core::frontend::json_schema::{self, Options};
use maskwright_core::{Budget, Constraint, Error, Groundwork, Matcher, Pool, Settings, TokenId, Vocabulary};

/// Single bytes by their values, pairs and triples of what values are made of, and tokens that join values.
fn vocabulary() -> Arc<Vocabulary> {
    let characters = [b"0123456789".as_slice(), b"abx-:T"].concat();
    let pairs = characters.iter().flat_map(|&one| characters.iter().map(move |&other| vec![one, other]));
    let triples = pairs.clone().flat_map(|pair| [b'1', b'-', b'a'].map(|last| [&pair[..], &[last]].concat()));
    let joins =
        ["\": ", "\",\"", "\", \"", "},", "],", "[\"", "{\"", "null", "true", "  ", "\n  ", "12\"", "\"}"];
    let joins = joins.iter().map(|join| join.as_bytes().to_vec());
    let tokens = (0..=255).map(|byte| vec![byte]).chain(pairs.clone()).chain(triples).chain(joins);
    let tokens: Vec<_> = tokens.map(Some).chain([None]).collect();
    let (count, stop) = (tokens.len(), TokenId(tokens.len() as u32 - 1));
    Arc::new(Vocabulary::new(tokens, vec![], vec![stop], count).unwrap())
}

fn own_formats(formats: &[(&str, &str)]) -> Options {
    let formats = formats.iter().map(|&(name, pattern)| (name.to_owned(), pattern.to_owned()));
    Options { formats: formats.collect(), ..Options::default() }
}

fn constraint(schema: &str, options: &Options, pool: &Arc<Pool>, settings: Settings) -> Arc<Constraint> {
    let budget = Budget::default();
    let grammar = json_schema::compile(schema, &[], options, &budget).unwrap();
    Arc::new(Constraint::compile_with(&grammar, pool, &budget, settings).unwrap())
}

/// Whether no value satisfies a schema, as where it excludes a format that nobody knows.
fn is_empty(schema: &str, options: &Options) -> bool {
    let compiled = json_schema::compile(schema, &[], options, &Budget::default());
    matches!(compiled, Err(Error::EmptyGrammar(_)))
}

/// Asks for the masks along a text, and counts the walks that they take and the nodes of the trie that these visit.
fn walks_along(text: &str, schema: &str, options: &Options, pool: &Arc<Pool>) -> [u64; 2] {
    let constraint = constraint(schema, options, pool, Settings::default());
    let mut matcher = Matcher::new(&constraint);
    for byte in text.bytes() {
        matcher.fill_mask(&mut vec![0; pool.vocabulary().mask_words()]).unwrap();
        assert!(matcher.accept(TokenId(u32::from(byte))).unwrap(), "{text}");
    }
    let statistics = constraint.statistics();
    [statistics.walks, statistics.visited_nodes]
}

/// Options that say nothing about schemas without unique items, and without strings of the formats `zip` and `ipv4`.
fn options_that_say_nothing() -> [Options; 5] {
    let zip = own_formats(&[("zip", "^[0-9]{5}$")]);
    let approximate = vec!["uniqueItems".to_owned()];
    [
        own_formats(&[("zip", "^[0-9]{5}$"), ("ipv4", "^[0-9.]+$")]),
        Options { enforce_formats: false, ..zip.clone() },
        Options { enforce_formats: false, ..Options::default() },
        Options { approximate: approximate.clone(), ..zip },
        Options { approximate, ..Options::default() },
    ]
}

#[test]
fn what_names_no_format_of_ones_own_is_found_in_groundwork_and_pool() {
    let schema = r#"{"properties": {"a": {"type": "number"}, "b": {"items": {"type": "string"}}, "c": {}}}"#;
    let text = r#"{"a": -12.5e3, "b": ["x", "\n"], "c": {"d": [null, true]}, "e": 1}"#;
    let vocabulary = vocabulary();
    let groundwork = Arc::new(Groundwork::of_json(&vocabulary));
    let upon = |groundwork: Option<&Arc<Groundwork>>| {
        Arc::new(Pool::upon(groundwork.cloned(), &vocabulary, Budget::default().pool_bytes, &Arc::default()))
    };
    let walks_along = |options: &Options, pool: &Arc<Pool>| walks_along(text, schema, options, pool);
    let (plain, pool) = (Options::default(), upon(None));
    let alone = walks_along(&plain, &pool);
    let again = walks_along(&plain, &pool);
    let with_groundwork = walks_along(&plain, &upon(Some(&groundwork)));
    assert!(again[0] < alone[0], "{again:?} {alone:?}");
    assert!(with_groundwork[0] + 10 <= alone[0], "{with_groundwork:?} {alone:?}");
    for options in options_that_say_nothing() {
        assert_eq!(walks_along(&options, &upon(None)), alone, "{options:?}");
        assert_eq!(walks_along(&options, &upon(Some(&groundwork))), with_groundwork, "{options:?}");
        assert_eq!(walks_along(&options, &pool), again, "{options:?}");
    }
}

#[test]
fn beside_a_format_of_ones_own_all_else_is_found() {
    let beside = |format| {
        format!(
            r#"{{"properties": {{"a": {{"type": "string", "format": "{format}"}}, "b": {{"format": "date-time"}},
                "c": {{"items": {{"type": ["number", "null"]}}}}}}}}"#
        )
    };
    let text = r#"{"a": "12345", "b": "2026-01-31T12:30:59Z", "c": [12.5, null]}"#;
    let vocabulary = vocabulary();
    let pool = || Arc::new(Pool::new(&vocabulary, Budget::default().pool_bytes));
    let (zip, other_zip) = (own_formats(&[("zip", "^[0-9]{5}$")]), own_formats(&[("zip", "^1[0-9]+$")]));
    let (used, alone) = (pool(), walks_along(text, &beside("zip"), &zip, &pool()));
    walks_along(text, &beside("zip"), &other_zip, &used);
    let before = used.statistics();
    let walks = walks_along(text, &beside("zip"), &zip, &used);
    let after = used.statistics();
    let hits = after.partial_hits + after.perfect_hits - before.partial_hits - before.perfect_hits;
    assert!(hits >= 10 && walks[0] + hits <= alone[0], "{hits} {walks:?} {alone:?}");
    assert!(walks[1] * 3 <= alone[1], "{walks:?} {alone:?}");
    // A format of one's own is the pattern that it means, by whatever name.
    let renamed = own_formats(&[("postcode", "^[0-9]{5}$")]);
    // The search for the content of a short walk goes on where the one before was given up.
    walks_along(text, &beside("zip"), &zip, &used);
    let again = walks_along(text, &beside("zip"), &zip, &used);
    assert_eq!(walks_along(text, &beside("postcode"), &renamed, &used), again);
}

/// Schemas with formats in all places where they can stand.
const SCHEMAS: &[&str] = &[
    r#"{"type": "string", "format": "zip"}"#,
    r#"{"type": "string", "format": "date"}"#,
    r#"{"type": ["string", "integer"], "format": "zip", "minLength": 3, "maxLength": 9}"#,
    r#"{"type": "string", "pattern": "^[0-9]{5}$"}"#,
    r#"{"type": "string", "pattern": "^1", "format": "zip"}"#,
    r#"{"type": "string", "not": {"format": "zip"}}"#,
    r#"{"type": "string", "format": "date", "not": {"format": "zip"}}"#,
    r#"{"items": {"anyOf": [{"type": "string", "format": "zip"}, {"type": "string", "format": "date"}]}}"#,
    r#"{"type": "string", "oneOf": [{"format": "zip"}, {"format": "date"}]}"#,
    r#"{"type": "string", "if": {"format": "zip"}, "then": {"pattern": "1"}, "else": {"format": "date"}}"#,
    r#"{"enum": ["12345", "2026-01-31", 12], "format": "zip"}"#,
    r#"{"enum": ["12345", "2026-01-31", 12], "not": {"format": "date"}}"#,
    r##"{"$defs": {"a": {"format": "zip"}}, "items": {"$ref": "#/$defs/a", "type": "string"}}"##,
    r#"{"type": "object", "properties": {"a": {"format": "zip"}}, "unevaluatedProperties": {"format": "date"}}"#,
    r#"{"type": "array", "prefixItems": [{"format": "date"}], "unevaluatedItems": {"format": "zip"}}"#,
    r#"{"type": "object", "propertyNames": {"format": "zip"}}"#,
    r#"{"type": "object", "propertyNames": {"not": {"format": "date"}}, "minProperties": 1}"#,
    r#"{"type": "object", "patternProperties": {"^x": {"format": "zip"}}, "additionalProperties": {"format": "date"}}"#,
    r#"{"type": "array", "contains": {"type": "string", "format": "zip"}, "maxContains": 1}"#,
    r#"{"type": "array", "uniqueItems": true, "items": {"type": "string", "format": "zip"}}"#,
    r#"{"type": "array", "uniqueItems": true, "items": {"enum": ["12345", "2026-01-31"], "format": "zip"}}"#,
    r#"{"type": "object", "dependentSchemas": {"a": {"properties": {"b": {"format": "zip"}}}}}"#,
    r#"{"type": "object", "required": ["12345"], "propertyNames": {"format": "zip"}}"#,
    r#"{"type": "object", "properties": {"a": {}, "b": {"type": "array"}}}"#,
    r#"{"format": "zip"}"#,
    r#"{}"#,
];

fn options_to_compare() -> [Options; 8] {
    let (zip, other_zip) = (("zip", "^[0-9]{5}$"), ("zip", "^1[0-9-]+$"));
    let date = ("date", "^(12345|[0-9]+-[0-9]{2})");
    [
        Options::default(),
        own_formats(&[zip]),
        own_formats(&[other_zip]),
        own_formats(&[date]),
        own_formats(&[zip, date]),
        Options { enforce_formats: false, ..own_formats(&[zip, date]) },
        Options { enforce_formats: false, ..Options::default() },
        Options { approximate: vec!["uniqueItems".to_owned()], ..own_formats(&[other_zip]) },
    ]
}

const TEXTS: &[&str] = &[
    r#""12345""#,
    r#""2026-01-31""#,
    r#"["12345", "2026-01-31", "12345", "12345"]"#,
    r#"["2026-01-31", "10000", 1]"#,
    r#"{"12345": "12345", "a": "12345", "b": "12345", "x1": "12345"}"#,
    r#"{"a": "2026-01-31", "b": "2026-01-31", "x": "2026-01-31", "2026-01-31": 1}"#,
];

/// Asserts that two constraints have the same mask before each token, for as long as a text goes on.
fn assert_alike(
    shared: &Arc<Constraint>,
    alone: &Arc<Constraint>,
    mut next: impl FnMut(&[u32]) -> Option<TokenId>,
) {
    let (mut shared, mut alone) = (Matcher::new(shared), Matcher::new(alone));
    let words = shared.constraint().vocabulary().mask_words();
    let (mut row, mut expected) = (vec![0; words], vec![0; words]);
    loop {
        shared.fill_mask(&mut row).unwrap();
        alone.fill_mask(&mut expected).unwrap();
        assert_eq!(row, expected);
        let Some(token) = next(&row) else { break };
        let accepted = shared.accept(token).unwrap();
        assert_eq!(accepted, alone.accept(token).unwrap());
        if !accepted {
            break;
        }
    }
}

fn assert_alike_along_texts(shared: &Arc<Constraint>, alone: &Arc<Constraint>, random: &mut Rng) {
    for text in TEXTS {
        let mut bytes = text.bytes();
        assert_alike(shared, alone, |_| Some(TokenId(u32::from(bytes.next()?))));
    }
    let mut left = 40;
    assert_alike(shared, alone, |row| {
        left -= 1;
        let is_allowed = |token: &u32| row[*token as usize / 32] >> (token % 32) & 1 == 1;
        let allowed: Vec<u32> = (0..row.len() as u32 * 32).filter(is_allowed).collect();
        random.choice(allowed).filter(|_| left > 0).map(TokenId)
    });
}

#[test]
fn masks_are_the_same_whatever_other_schemas_mean_by_their_formats() {
    let vocabulary = vocabulary();
    let groundwork = Arc::new(Groundwork::of_json(&vocabulary));
    let options = options_to_compare();
    let mut pairs: Vec<(&str, &Options)> =
        SCHEMAS.iter().flat_map(|&schema| options.iter().map(move |options| (schema, options))).collect();
    for seed in 1..=3 {
        let mut random = Rng::with_seed(seed);
        random.shuffle(&mut pairs);
        let limit = Budget::default().pool_bytes;
        let pool = Arc::new(Pool::upon(Some(Arc::clone(&groundwork)), &vocabulary, limit, &Arc::default()));
        for &(schema, options) in &pairs {
            if is_empty(schema, options) {
                continue;
            }
            let shared = constraint(schema, options, &pool, Settings::default());
            let own = Settings { pool: false, ..Settings::default() };
            let alone = constraint(schema, options, &pool, own);
            assert_alike_along_texts(&shared, &alone, &mut random);
        }
        let statistics = pool.statistics();
        let hits = statistics.partial_hits + statistics.perfect_hits;
        assert!(hits > 1000, "{hits}");
    }
}
