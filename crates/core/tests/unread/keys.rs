//! Fixed strings, such as keys and constants, and what is compared with what came before.

use super::*;

#[test]
fn masks_in_keys_and_constants_are_those_of_reading_each_token() {
    let pieces: [&[u8]; 11] =
        [b"a", b"b", b"u", b"00", b"61", b"6", b"\\", b"\"", b": ", b",", "é".as_bytes()];
    let vocabulary = vocabulary_of(texts(&pieces));
    let keys = r#"{"properties": {"a": {"const": 6}, "ab": {"const": "ba"}, "a\"b": {}, "ué": {}, "u\u0000": {}},
                   "additionalProperties": false}"#;
    let others = r#"{"properties": {"a": {"const": 6}, "abba": {"type": "object"}}, "required": ["abba"]}"#;
    let constants = r#"{"enum": ["a", "ab", "aba", "a\\b", "b\"a", "é\u0000", "bé", 6, 61]}"#;
    for minimal_escapes in [false, true] {
        let options = Options { minimal_escapes, order: PropertyOrder::Any, ..Options::default() };
        for (schema, text) in [
            (keys, r#"{"a": 6, "ab": "ba", "ué": [], "u\u0000": 6, "a\"b": {}}"#),
            (others, r#"{"abba": {"a": "b"}, "a": 6}"#),
            (constants, r#""a""#),
            (constants, r#""aba""#),
            (constants, r#""a\\b""#),
            (constants, r#""b\"a""#),
            (constants, r#""é\u0000""#),
            (constants, "61"),
        ] {
            compare_with(&vocabulary, schema, &options, text);
        }
    }
    compare(&vocabulary, keys, r#"{"\u0061": 6, "\u0061\u0062": "\u0062a", "a\u0022b": {}}"#);
    compare(&vocabulary, constants, r#""\u0061b\u0061""#);
}

#[test]
fn masks_in_keys_that_are_forgotten_are_those_of_trying_each_token() {
    let pieces: [&[u8]; 8] = [b"a", b"b", b"\"", b": ", b", ", b"1", b"}", b"{"];
    let mut texts = texts(&pieces);
    texts.extend(
        [
            "\": 1, \"",
            "\": 1, \"a",
            "\": 1, \"a\"",
            "\": 1, \"b\": ",
            "a\": 1, \"b\": 1, \"",
            "\": {}, \"",
            "\": 1}, {\"",
            "\": 1}, ",
        ]
        .map(|text| text.as_bytes().to_vec()),
    );
    let vocabulary = vocabulary_of(texts);
    let options = Options { order: PropertyOrder::Any, ..Options::default() };
    let slow = Settings { stack_automaton: false, ..Settings::default() };
    for schema in [
        r#"{"type": "object"}"#,
        r#"{"additionalProperties": {"enum": [1, {}]}}"#,
        r#"{"properties": {"a": {"const": 1}}, "additionalProperties": {"type": "integer"}}"#,
        r#"{"patternProperties": {"^[ab]$": {}}, "additionalProperties": false}"#,
        r#"{"patternProperties": {"^a|^b$": {}}, "additionalProperties": false}"#,
        r#"{"patternProperties": {"^a": {"const": 1}}, "additionalProperties": {}}"#,
        r#"{"maxProperties": 2, "propertyNames": {"maxLength": 1}}"#,
        r#"{"propertyNames": {"pattern": "^(a|b|aa)$"}}"#,
        r#"{"minProperties": 3, "patternProperties": {"^b?a$": {}}}"#,
    ] {
        for text in [r#"{"a": 1, "b": 1}"#, r#"{"b": 1, "a": 1"#] {
            compare_settings(&vocabulary, schema, &options, slow, text.trim_end_matches('}'));
        }
    }
    let unique =
        r#"{"type": "array", "uniqueItems": true, "items": {"additionalProperties": {"enum": [1, {}]}}}"#;
    let excluded = r#"{"items": {"not": {"enum": [{"a": 1}, {"b": 1}]}}}"#;
    for schema in [unique, excluded] {
        for text in [r#"[{"a": 1, "b": 1}, {"b": 1, "aa": 1"#, r#"[{"aa": 1}, {"aa": 1, "b": 1}, {"b"#] {
            compare_settings(&vocabulary, schema, &options, slow, text);
        }
    }
}

/// Such keys are any strings but those of the patterns and those that are mentioned; each kind is read by itself.
#[test]
fn masks_in_keys_that_no_pattern_matches_are_those_of_reading_each_token() {
    let pieces: [&[u8]; 9] = [b"a", b"b", b"!", b"\\n", b"\\u0061", b"\"", b": ", b", ", b"1"];
    let mut texts = texts(&pieces);
    texts.extend(["\": 1, \"", "\": 1, \"a\"", "\": 1, \"a\": \"", "b\": 1, \"ab\": 1"].map(Vec::from));
    let vocabulary = vocabulary_of(texts);
    let by_each_token = Settings { stack_automaton: false, ..Settings::default() };
    let options = Options { order: PropertyOrder::Any, ..Options::default() };
    let without_signatures = Settings { signatures: false, ..Settings::default() };
    for (schema, text) in [
        (
            r#"{"patternProperties": {"^.+$": {"const": 1}}, "additionalProperties": {"const": "a"}}"#,
            r#"{"a": 1, "": "a", "a\n": "a", "!b": 1, "b"#,
        ),
        (
            r#"{"properties": {"a": {"const": 1}, "ab!": {"const": 1}}, "patternProperties": {"^[ab]{1,3}$": {"const": 1}},
                "additionalProperties": {"const": "a"}}"#,
            r#"{"a": 1, "ab": 1, "\u0061b!": 1, "b!": "a", "aaab": "a", "ba\u0061": 1"#,
        ),
        (
            r#"{"properties": {"a": {}}, "additionalProperties": {"const": "a"}, "patternProperties": {
                "^a1*$": {"const": 1}, "^b(a|b1)+$": {"type": "integer"}, "^!": {"type": "string"}, "a$": {"type": "integer"}}}"#,
            r#"{"a1": 1, "ba": 1, "!": "", "1a": 1, "bab": "a", "bb1b1": 1"#,
        ),
        (
            r#"{"patternProperties": {"^(a|b1)$": {"const": 1}}, "additionalProperties": {"const": "a"}, "maxProperties": 3}"#,
            r#"{"b1": 1, "b": "a", "a": 1"#,
        ),
        (
            r#"{"patternProperties": {"^[a1]+$": {"const": 1}, "^b+$": false}, "additionalProperties": {"const": "a"}}"#,
            r#"{"a1": 1, "b!": "a", "bba": "a""#,
        ),
    ] {
        for slow in [by_each_token, without_signatures] {
            compare_settings(&vocabulary, schema, &options, slow, text);
        }
    }
}

/// Each of the longer texts stands for a token that ends an item, and begins or holds those after it.
#[test]
fn masks_within_items_that_must_differ_are_those_of_reading_each_token() {
    let pieces: [&[u8]; 8] = [b"a", b"b", b"\"", b",", b"1", b"[", b"]", b" "];
    let mut texts = texts(&pieces);
    texts.extend(
        [
            r#"","a","#,
            r#"",1,1"#,
            r#"",1, 11,1"#,
            r#"",1,[1],1"#,
            r#"","a",""#,
            r#"", "b"]"#,
            r#"","\u0061""#,
            r#"",true,t"#,
            r#"",[1],[1]"#,
            r#"a","a""#,
            r#"",{"a":"#,
            r#"","ab"#,
            r#"","aba"#,
            r#"","abab"#,
            r#"","ababa"#,
            r#"","ababab"#,
            r#"","ab""#,
            r#"","ab","#,
            r#"],["a"#,
            r#""],["#,
            r#""],["a"#,
            r#""],["ab""#,
            r#""],["ab"]"#,
            r#""},"#,
            r#""},{"#,
            r#""},{""#,
            r#""},{"a"#,
            r#""},{"a""#,
            r#""},{"a":"#,
            r#""},{"a":"ab"}"#,
            r#""},{"a":"ab"},"#,
            r#"":1},{"#,
            r#"":1},{"ab"#,
            r#"":1},{"ab""#,
            r#"":1},{"ab":1}"#,
            r#"":1,"ab":1}"#,
            r#"":1}, {"a"#,
            r#"","b":1}"#,
            r#"","b":1},{"#,
            r#"","b":1},{"a":""#,
        ]
        .map(|text| text.as_bytes().to_vec()),
    );
    let vocabulary = vocabulary_of(texts);
    let slow = Settings { stack_automaton: false, ..Settings::default() };
    let options = Options { order: PropertyOrder::Any, ..Options::default() };
    for items in [
        r#""items": {}"#,
        r#""items": {"type": "string"}"#,
        r#""items": {"type": "string", "maxLength": 1}"#,
        r#""items": {"type": "string", "maxLength": 7}"#,
        r#""items": {"type": "string", "minLength": 2, "maxLength": 9}"#,
        r#""items": {"enum": ["a", "b", "ab", 1, 11, null]}"#,
        r#""items": {"pattern": "^a*$"}"#,
        r#""items": {"pattern": "^(a|ab*)$"}"#,
        r#""items": {"anyOf": [{"type": "string"}, {"enum": [1, 11]}, {"items": {"enum": ["a", "b"]}}]}"#,
        r#""items": {"type": ["string", "boolean"]}, "maxItems": 3"#,
        r#""items": {"type": ["string", "array"], "uniqueItems": true, "items": {"type": ["string", "number"]}}"#,
        r#""items": {"type": "string"}, "contains": {"const": "ab"}"#,
        r#""prefixItems": [{"type": "string"}, {"enum": ["ab", "b"]}, {"enum": ["b"]}]"#,
        r#""items": {"type": "string"}, "not": {"const": ["ab", "b"]}"#,
        r#""items": {"items": {"type": "string"}}"#,
        r#""items": {"prefixItems": [{"type": "string"}, {"enum": ["a"]}], "items": false, "minItems": 2}"#,
        r#""items": {"prefixItems": [{"type": "string"}, {"enum": ["ab", "a"]}], "uniqueItems": true}"#,
        r#""items": {"additionalProperties": {"type": "string"}}"#,
        r#""items": {"additionalProperties": {"const": 1}, "maxProperties": 1}"#,
        r#""items": {"additionalProperties": {"const": 1}, "propertyNames": {"maxLength": 2}}"#,
        r#""items": {"properties": {"a": {"type": "string"}, "b": {"const": 1}}, "additionalProperties": false}"#,
        r#""items": {"properties": {"a": {"maxLength": 2}}, "required": ["a"], "additionalProperties": false}"#,
        r#""items": {"properties": {"a": {"enum": ["ab", "b"]}}, "required": ["a"], "maxProperties": 2}"#,
    ] {
        let schema = format!(r#"{{"type": "array", "uniqueItems": true, {items}}}"#);
        let budget = Budget::default();
        let grammar = json_schema::compile(&schema, &[], &options, &budget).unwrap();
        let pool = Arc::new(Pool::new(&vocabulary, budget.pool_bytes));
        let constraint = Arc::new(Constraint::compile_with(&grammar, &pool, &budget, slow).unwrap());
        for text in [
            r#"["ab", "b"#,
            r#"["ab","a\u0061b"#,
            r#"["ab", ["ab", "b"], ["b", "ab"#,
            r#"[{"a": "ab", "b": 1}, {"a": "a"#,
            r#"[{"ab": 1}, {"a": 1, "b"#,
            r#"[["ab", "a"], ["a"#,
        ] {
            // As much of it as the schema allows.
            let mut matcher = Matcher::new(&constraint);
            let bytes = text.as_bytes().chunks(1);
            let read = bytes.take_while(|byte| matcher.accept_bytes(byte).unwrap()).count();
            compare_settings(&vocabulary, &schema, &options, slow, &text[..read]);
        }
    }
}
