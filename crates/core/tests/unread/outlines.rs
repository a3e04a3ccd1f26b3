//! Places in objects have outlines in common: masks are those of reading each token there, too, where tokens read keys to
//! their end, begin others, or come to the places themselves.

use std::sync::Arc;

use super::{compare_settings, vocabulary_of};
use maskwright_core::frontend::json_schema::{Options, PropertyOrder, Whitespace};
use maskwright_core::{Settings, Vocabulary};

/// Tokens that end values and objects, begin keys, and read short keys to their end and beyond.
pub(crate) fn tokens(more: &[&[u8]]) -> Vec<Vec<u8>> {
    let pieces: [&[u8]; 12] = [b"\"", b",", b":", b"}", b"{", b"[", b"]", b" ", b"1", b"a", b"_", b"\\u006"];
    let mut tokens: Vec<Vec<u8>> = (0..=255u8).map(|byte| vec![byte]).collect();
    let mut last: Vec<Vec<u8>> = vec![Vec::new()];
    for _ in 0..3 {
        last = last.iter().flat_map(|text| pieces.iter().map(|piece| [text, *piece].concat())).collect();
        tokens.extend(last.iter().cloned());
    }
    tokens.extend(more.iter().map(|token| token.to_vec()));
    tokens
}

/// Longer ones: whole members, and two of them.
pub(crate) const LONG: [&[u8]; 20] = [
    b"\":{\"a\":\"",
    b"\",\"a\":",
    b"\",\"a\":1",
    b"\",\"a\":1,",
    b"\",\"a\":1,\"a\":1",
    b"\",\"a\":1,\"_\":1",
    b",\"_\":\"\",\"",
    b"\"\":",
    b"\"\":1}",
    b"\",\"\":{\"a",
    b"\":{\"a\":1",
    b"\": {}",
    b"\":{\"_\":{",
    b"\":[{\"a",
    b"\":[{}]",
    b"\":[{},{\"",
    b"\",\"\\u0061\":1",
    b"\",\"ab\": 1, \"ba\"",
    b"{\"\":{\"\":",
    b"}},\"a\":1}",
];

const SCHEMAS: [&str; 31] = [
    r#"{"type": "object", "properties": {"ab": {"type": "array", "minItems": 2, "items": {"type": "object"}}}}"#,
    r#"{"type": "object", "properties": {"ab": {"type": "object", "properties": {"a": {"type": "integer"}}}}}"#,
    r#"{"type": "object"}"#,
    r#"{"type": "object", "properties": {"a": {"type": "integer"}, "ab": {"type": "string"}}}"#,
    r#"{"type": "object", "properties": {"ab": {"type": "string"}, "ba": {"type": "object"}}, "required": ["ba"]}"#,
    r#"{"type": "object", "properties": {"ab": {}, "ba": {"type": "object"}}, "required": ["ab", "ba"]}"#,
    r#"{"type": "object", "properties": {"": {"type": "integer"}, "ab": {}}, "additionalProperties": false}"#,
    r#"{"type": "object", "properties": {"_": {"type": "integer"}, "ab": {}}, "additionalProperties": false}"#,
    r#"{"type": "object", "properties": {"ab": {}, "ba": false}, "additionalProperties": false}"#,
    r#"{"type": "object", "properties": {"ab": {}}, "additionalProperties": {"type": "integer"}}"#,
    r#"{"type": "object", "properties": {"ab": {}}, "additionalProperties": {"type": "integer"}, "required": ["ba"]}"#,
    r#"{"type": "object", "minProperties": 2}"#,
    r#"{"type": "object", "maxProperties": 2}"#,
    r#"{"type": "object", "minProperties": 1, "properties": {"ab": {}}}"#,
    r#"{"type": "object", "patternProperties": {"^a": {"type": "integer"}}}"#,
    r#"{"type": "object", "propertyNames": {"maxLength": 2}}"#,
    r#"{"type": "object", "dependentRequired": {"a": ["ab"]}}"#,
    r#"{"type": "object", "not": {"const": {"a": 1}}}"#,
    r#"{"type": "object", "properties": {"ab": {"type": "object", "required": ["a"], "additionalProperties": false,
        "properties": {"a": {}}}, "ba": {"type": "array", "items": {"type": "object"}}}}"#,
    r#"{"type": "object", "properties": {"ab": {"type": "array", "items": {"type": "object", "required": ["ba"]}, "minItems": 1},
        "ba": {"type": "array", "items": {"type": "array", "items": {"type": "object", "additionalProperties": false,
        "properties": {"a": {}}}}, "minItems": 2}}}"#,
    r##"{"type": "object", "properties": {"ab": {"$ref": "#"}, "ba": {"type": "object", "minProperties": 1}}}"##,
    r#"{"type": "object", "properties": {"ab": {"type": "object", "unevaluatedProperties": false}}}"#,
    r#"{"type": "object", "oneOf": [{"required": ["a"]}, {"required": ["ab"]}]}"#,
    r#"{"type": "array", "uniqueItems": true, "items": {"type": "object", "properties": {"a": {}, "ab": {}}}}"#,
    r#"{"type": ["object", "string"], "additionalProperties": {"type": ["object", "integer"], "maxProperties": 1}}"#,
    r##"{"type": "object", "properties": {"ab": {"type": "array", "maxItems": 2, "items": {"$ref": "#/$defs/a"}},
        "ba": {"type": "array", "items": {"$ref": "#/$defs/a"}}}, "$defs": {"a": {"$ref": "#/$defs/b"}, "b":
        {"type": ["null", "object", "array"], "properties": {"a": {}}}}}"##,
    r##"{"type": "object", "properties": {"ab": {"type": ["array", "null"], "maxItems": 2, "items": {"$ref": "#/$defs/a"}},
        "ba": {"type": ["null", "object"], "properties": {"a": {"type": "integer"}, "": {}}}},
        "$defs": {"a": {"type": ["object", "null"], "properties": {"ba": {}, "a": {}}, "required": ["ba"]}}}"##,
    r##"{"type": "object", "properties": {"ab": {"$ref": "#/$defs/a"}, "ba": {"type": "array", "minItems": 1, "maxItems": 2,
        "items": {"type": "array", "maxItems": 1, "items": {"$ref": "#/$defs/a"}}}},
        "$defs": {"a": {"type": "object", "properties": {"ab": {}, "a": {}, "": {}}, "required": ["a", "_"]}}}"##,
    r##"{"type": "object", "properties": {"ab": {"type": "array", "maxItems": 1, "items": {"allOf": [{"$ref": "#"}]}},
        "ba": {"type": "object", "properties": {"_": {"type": "integer"}}, "required": ["a"]}}}"##,
    r##"{"properties": {"ab": {"type": "array", "items": {"$ref": "#/$defs/a"}, "minItems": 1},
        "ba": {"type": "array", "items": {"type": "array", "items": {"properties": {"a": {"type": "integer"}, "ab": {}},
        "additionalProperties": false}}}}, "$defs": {"a": {"properties": {"ba": {}, "": {}}, "required": ["ba"]}}}"##,
    r#"{"properties": {"ab": {"type": "array", "items": {"type": ["object", "array", "null"], "required": ["a"]}},
        "ba": {"type": "array", "items": {"type": ["object", "string", "integer"], "properties": {"ab": {}}}},
        "": {"type": "array", "items": {"type": ["number", "object"], "minProperties": 1}},
        "_": {"type": ["array", "null"], "items": {"type": ["boolean", "object", "number"], "items": false}}}}"#,
];

const TEXTS: [&str; 14] = [
    r#"{"a":1,"ab":"a","_":1}"#,
    r#"{"ab":"1","ba":{},"":{"a":1}}"#,
    r#"{"ba":{},"ab":{"a":"a"}}"#,
    r#"{"":1,"ab":[]}"#,
    r#"{"_":1,"a\u0061":{"a":{}},"_a":[1]}"#,
    r#"{"ab":[{"ba":[{"a":1}]},{"ba":1}],"ba":[[{"a":1}],[{"a":""}]]}"#,
    r#"{ "ab" : { "a" : 1 } , "a" : 1 }"#,
    r#"[{"a":1,"ab":{}},{"a":1}]"#,
    r#"{"ba":1,"ab":1}"#,
    r#"{"ab":[{"ba":{}},null],"ba":null}"#,
    r#"{"ab":{"a":1,"_":[]},"ba":[[{"a":{},"_":1,"ab":1}]]}"#,
    r#"{"ab":[{"ab":[],"ba":{"a":1,"_":1}}],"ba":{"a":1,"":{}}}"#,
    r#"{"_":[{"a":[{"_":1}]},1],"ab":[[1,{"a":"a"}],{"ba":"a","a":1}],"ba":[{"ab":1},"a",{}]}"#,
    r#"{"":[1,{"ab":{}}],"ab":[1,"a",{"ba":""}],"ba":[[1,{"a":1,"ab":[]}],[[{"a":1}]]]}"#,
];

/// The beginning of a text that a schema allows.
fn allowed<'t>(schema: &str, options: &Options, text: &'t str) -> &'t str {
    use maskwright_core::{Budget, Constraint, Matcher, frontend::json_schema};
    let budget = Budget::default();
    let vocabulary = vocabulary_of((0..=255u8).map(|byte| vec![byte]).collect());
    let grammar = json_schema::compile(schema, &[], options, &budget).unwrap();
    let mut matcher = Matcher::new(&Arc::new(Constraint::compile(&grammar, &vocabulary, &budget).unwrap()));
    let count = text.bytes().take_while(|&byte| matcher.accept_bytes(&[byte]).unwrap()).count();
    &text[..count]
}

fn compare_all(options: &Options, more: &[&[u8]]) {
    compare_tokens(options, tokens(more));
}

fn compare_tokens(options: &Options, tokens: Vec<Vec<u8>>) {
    compare_schemas(options, &vocabulary_of(tokens), &SCHEMAS);
}

fn compare_schemas(options: &Options, vocabulary: &Arc<Vocabulary>, schemas: &[&str]) {
    let slow = Settings { stack_automaton: false, ..Settings::default() };
    for schema in schemas {
        let mut texts = TEXTS.map(|text| allowed(schema, options, text));
        texts.sort_unstable();
        // What another one begins with is compared with that.
        for (at, text) in texts.iter().enumerate() {
            if !texts[at + 1..].iter().any(|other| other.starts_with(text)) {
                compare_settings(vocabulary, schema, options, slow, text);
            }
        }
    }
}

#[test]
fn places_that_keys_tell_apart_have_masks_of_their_own() {
    let any = Options { order: PropertyOrder::Any, ..Options::default() };
    compare_all(&any, &LONG);
}

/// Where no token begins a key with a letter, or goes on behind a backslash, outlines tell of closed objects, too.
#[test]
fn places_of_closed_objects_have_masks_of_their_own() {
    let any = Options { order: PropertyOrder::Any, ..Options::default() };
    let begins_key = |token: &Vec<u8>| {
        token.windows(2).any(|pair| pair[0] == b'"' && (pair[1].is_ascii_alphanumeric() || pair[1] == b'\\'))
    };
    let mut tokens: Vec<Vec<u8>> = tokens(&[]).into_iter().filter(|token| !begins_key(token)).collect();
    tokens.extend([b",\"\\".to_vec(), b"{\"\\".to_vec()]);
    compare_tokens(&any, tokens.clone());
    compare_tokens(&Options { minimal_escapes: true, ..any }, tokens);
}

#[test]
fn places_have_masks_of_their_own_in_the_order_of_declaration() {
    compare_all(&Options::default(), &LONG);
}

#[test]
fn places_have_masks_of_their_own_whatever_the_layout() {
    let fixed = |item: &str, key: &str, indent| Whitespace::Fixed {
        item_separator: item.to_owned(),
        key_separator: key.to_owned(),
        indent,
    };
    for whitespace in [fixed(",", ":", None), fixed(",", ": ", Some(1))] {
        let options = Options { order: PropertyOrder::Any, whitespace, ..Options::default() };
        compare_all(&options, &LONG[..8]);
    }
}

#[test]
fn places_have_masks_of_their_own_whatever_the_options() {
    let any = || Options { order: PropertyOrder::Any, ..Options::default() };
    let options = [
        Options { track_keys: false, ..any() },
        Options { minimal_escapes: true, ..any() },
        Options { lone_surrogates: true, ascii_only: true, ..any() },
    ];
    // Each has two thirds of the schemas, and each schema two of them.
    let vocabulary = vocabulary_of(tokens(&LONG));
    for (at, options) in options.iter().enumerate() {
        let others = SCHEMAS.iter().enumerate().filter(|(schema, _)| schema % 3 != at);
        compare_schemas(options, &vocabulary, &others.map(|(_, schema)| *schema).collect::<Vec<_>>());
    }
}
