//! Objects of which a value may be one are read together, and so are arrays: what may come next is what may come next in
//! one of them, each read on its own, and masks are those of reading each token.

use std::sync::Arc;

use super::outlines::{LONG, tokens};
use super::vocabulary_of;
use maskwright_core::frontend::json_schema::{self, Options, PropertyOrder, Whitespace};
use maskwright_core::{Budget, Constraint, Matcher, Pool, Settings, TokenId, Vocabulary};

/// The alternatives of one value each.
const ALTERNATIVES: [&[&str]; 24] = [
    // Strings tell them apart, first, last or among others; some are in several, and some are spelled in several ways.
    &[
        r#"{"properties": {"a": {"const": "a"}, "ab": {"type": "integer"}}, "required": ["a"], "additionalProperties": false}"#,
        r#"{"properties": {"a": {"const": "1"}, "ab": {"type": "string"}}, "required": ["a", "ab"], "additionalProperties": false}"#,
        r#"{"properties": {"a": {"enum": ["a", "_", "a\"1"]}, "_": {"type": "object"}}, "required": ["a"], "additionalProperties": false}"#,
        r#"{"properties": {"a": {"const": "a"}, "1": {"type": "integer"}}, "required": ["a"], "additionalProperties": false}"#,
    ],
    // What tells them apart need be no string.
    &[
        r#"{"properties": {"a": {"const": true}, "_": {"type": "integer"}}, "required": ["a"], "additionalProperties": false}"#,
        r#"{"properties": {"a": {"const": false}, "_": {"const": null}}, "required": ["a"], "additionalProperties": false}"#,
        r#"{"properties": {"a": {"enum": [null, "a", false]}, "1": {}}, "required": ["a"], "additionalProperties": false}"#,
        r#"{"properties": {"a": {"type": ["boolean", "null"], "not": {"const": true}}, "_": {"type": "string"}}, "required": ["a"]}"#,
    ],
    // Numbers are told however they are written, where it is of no matter how.
    &[
        r#"{"properties": {"a": {"const": 1}, "_": {"type": "integer"}}, "required": ["a"], "additionalProperties": false}"#,
        r#"{"properties": {"a": {"type": "integer", "enum": [11, 1, 1.5, "a"]}, "1": {}}, "required": ["a"], "additionalProperties": false}"#,
        r#"{"properties": {"a": {"enum": [1.0, 111, null, "1"]}, "_": {"type": "string"}}, "required": ["a"], "maxProperties": 2}"#,
        r#"{"properties": {"a": {"enum": [1, 1.1, 11], "minimum": 1.1}, "ab": {}}, "required": ["a"], "additionalProperties": false}"#,
        r#"{"properties": {"a": {"allOf": [{"enum": [0, 1, 11]}, {"not": {"const": 1}}]}}, "required": ["a"]}"#,
    ],
    // Others must not be one of these numbers.
    &[
        r#"{"properties": {"a": {"const": 1}, "_": {"type": "integer"}}, "required": ["a"], "additionalProperties": false}"#,
        r#"{"properties": {"a": {}, "_": {"type": "string"}}, "required": ["a"], "additionalProperties": false, "not": {"properties": {"a": {"const": 1}}}}"#,
        r#"{"properties": {"a": {}, "1": {}}, "required": ["a"], "additionalProperties": false, "not": {"properties": {"a": {"enum": [11, 1.5, null]}}}}"#,
        r#"{"properties": {"a": {"type": "integer", "minimum": 11}, "ab": {}}, "required": ["a"]}"#,
    ],
    // They exclude what others demand, and all else is the same to them.
    &[
        r#"{"properties": {"a": {"const": "a"}, "_": {"type": "integer"}}, "required": ["a"], "additionalProperties": false}"#,
        r#"{"properties": {"a": {}, "_": {"type": "string"}}, "required": ["a"], "additionalProperties": false, "not": {"properties": {"a": {"const": "a"}}}}"#,
        r#"{"properties": {"a": {}, "1": {}}, "required": ["a"], "additionalProperties": false, "not": {"properties": {"a": {"enum": ["a", "1", null]}}}}"#,
        r#"{"properties": {"a": {}, "ab": {}}, "required": ["a"], "additionalProperties": false, "not": {"properties": {"a": {"enum": ["aa", false]}}}}"#,
    ],
    &[
        r##"{"properties": {"a": {"$ref": "#/$defs/text"}, "_": {"type": "string"}}, "required": ["a"], "not": {"properties": {"a": {"const": "a"}}}}"##,
        r##"{"properties": {"a": {"$ref": "#/$defs/text"}}, "required": ["a", "_"], "additionalProperties": {"type": "integer"}, "not": {"properties": {"a": {"enum": ["a", "_", null]}}}}"##,
        r##"{"properties": {"a": {"$ref": "#/$defs/text"}}, "required": ["a"], "not": {"properties": {"a": {"enum": ["a", 1]}}}, "maxProperties": 1}"##,
        r##"{"properties": {"a": {"$ref": "#/$defs/text"}, "ba": {}}, "required": ["a"], "additionalProperties": false, "not": {"anyOf": [
            {"properties": {"a": {"const": "_a"}}}, {"properties": {"a": {"const": "aa"}}}]}}"##,
    ],
    // Together they exclude all that there is.
    &[
        r##"{"properties": {"a": {"$ref": "#/$defs/letter"}, "1": {"type": "integer"}}, "required": ["a"], "not": {"properties": {"a": {"const": "a"}}}}"##,
        r##"{"properties": {"a": {"$ref": "#/$defs/letter"}, "1": {"type": "string"}}, "required": ["a"], "not": {"properties": {"a": {"enum": ["_", "1"]}}}}"##,
        r##"{"properties": {"a": {"$ref": "#/$defs/flag"}, "ab": {}}, "required": ["a"], "not": {"properties": {"a": {"const": false}}}}"##,
        r##"{"properties": {"a": {"$ref": "#/$defs/flag"}, "ba": {}}, "required": ["a"], "not": {"properties": {"a": {"const": true}}}}"##,
    ],
    // One has no room for what another begins with.
    &[
        r#"{"properties": {"a": {"type": "integer"}, "_": {}}, "required": ["_"], "maxProperties": 1}"#,
        r#"{"properties": {"a": {"type": "string"}}, "required": ["a"]}"#,
        r#"{"properties": {"_": {"const": "a"}}, "required": ["_", "1"], "maxProperties": 2}"#,
    ],
    &[
        r#"{"properties": {"_": {"type": "integer"}, "a": {"const": "a"}}, "required": ["_", "a"], "additionalProperties": false}"#,
        r#"{"properties": {"_": {"type": "integer"}, "a": {"const": "_a"}}, "required": ["_"], "additionalProperties": false}"#,
        r#"{"properties": {"_": {"type": ["string", "object"]}, "1": {}}, "required": ["_"], "additionalProperties": false}"#,
    ],
    // Not all that is listed may come, or it is no string.
    &[
        r#"{"properties": {"a": {"enum": ["a", "aa", "_"], "maxLength": 1}}, "required": ["a"]}"#,
        r#"{"properties": {"a": {"allOf": [{"enum": ["aa", "1"]}, {"type": "string"}, {"not": {"const": "1"}}]}}, "required": ["a"]}"#,
        r#"{"properties": {"a": {"enum": ["aa", 1, null]}}, "required": ["a"], "additionalProperties": {"type": "string"}}"#,
        r#"{"properties": {"a": {"const": 1}}, "required": ["a"], "additionalProperties": false}"#,
    ],
    // What one mentions is any key of another.
    &[
        r#"{"properties": {"a": {"type": "integer"}, "_": {"const": "a"}}, "additionalProperties": {"type": "integer"}}"#,
        r#"{"properties": {"ab": {"type": "integer"}}, "required": ["ab"]}"#,
        r#"{"additionalProperties": {"type": "string"}, "minProperties": 2}"#,
    ],
    &[
        r#"{"properties": {"a": {}}, "required": ["a"], "additionalProperties": {"type": "string"}}"#,
        r#"{"properties": {"a": {}, "ab": {}}, "additionalProperties": false, "minProperties": 2}"#,
        r#"{"properties": {"a": false, "1": {"type": "integer"}}, "maxProperties": 2}"#,
    ],
    &[
        r#"{"properties": {"ab": {"type": "integer"}}, "additionalProperties": {"type": "integer"}}"#,
        r#"{"properties": {"ba": {"type": "integer"}}, "additionalProperties": {"type": "integer"}, "required": ["ba"]}"#,
    ],
    // The same patterns tell the keys of several apart; what one mentions is such a key of another, or of none.
    &[
        r#"{"properties": {"a": {"const": "a"}}, "required": ["a"], "patternProperties": {"^a": {}}, "additionalProperties": false}"#,
        r#"{"properties": {"a": {"const": "1"}, "ab": {"type": "integer"}}, "patternProperties": {"^a": {}}, "additionalProperties": false}"#,
        r#"{"properties": {"_": {"type": "string"}}, "patternProperties": {"^a": {"type": "string"}}, "additionalProperties": false}"#,
        r#"{"properties": {"ba": {}}, "patternProperties": {"^a": {}}, "minProperties": 2}"#,
        r#"{"properties": {"ab": {"type": "string"}, "1": {}}, "required": ["ab"]}"#,
    ],
    &[
        r#"{"properties": {"a": {"const": "a"}}, "patternProperties": {"^a": {}, "b": {"type": "integer"}}, "additionalProperties": {"type": "string"}}"#,
        r#"{"properties": {"a": {"enum": ["a", 1]}, "_": {}}, "patternProperties": {"b": {"type": "integer"}, "^a": {}}, "additionalProperties": {"type": "string"}}"#,
        r#"{"properties": {"ba": {"type": "string"}, "ab": {}}, "patternProperties": {"^a": {}, "b": {}}, "additionalProperties": false, "minProperties": 1}"#,
    ],
    // Other patterns in each; some have finitely many keys.
    &[
        r#"{"properties": {"a": {"const": "a"}}, "patternProperties": {"^_": {"type": "integer"}}, "additionalProperties": false}"#,
        r#"{"properties": {"a": {"const": "1"}}, "required": ["a"], "patternProperties": {"^(ab|ba)$": {"type": "string"}}, "additionalProperties": false}"#,
        r#"{"properties": {"_": {"const": 1}}, "propertyNames": {"maxLength": 1}, "maxProperties": 2}"#,
        r#"{"properties": {"1": {}}, "propertyNames": {"pattern": "^[1_]?$"}, "minProperties": 2}"#,
    ],
    // They must not be constants, which have members of one name or of several.
    &[
        r#"{"properties": {"a": {"type": "string"}}, "not": {"const": {"a": "a"}}}"#,
        r#"{"properties": {"a": {"enum": ["a", "1"]}}, "additionalProperties": false, "not": {"enum": [{"a": "1"}, {}]}}"#,
        r#"{"additionalProperties": {"type": ["string", "integer"]}, "maxProperties": 2, "not": {"enum": [{"a": "a", "_": 1}, {"_": 1}, {"ab": 1, "a": 1}]}}"#,
        r#"{"properties": {"_": {"const": 1}}, "required": ["_"], "not": {"const": {"_": 1, "ab": [1]}}}"#,
    ],
    &[
        r#"{"patternProperties": {"^a": {"type": "integer"}}, "additionalProperties": false, "not": {"enum": [{"ab": 1}, {"a": 1, "ab": 1}]}}"#,
        r#"{"patternProperties": {"^a": {"enum": [1, 11]}}, "additionalProperties": false, "not": {"const": {"a": 1}}, "minProperties": 1}"#,
        r#"{"properties": {"ab": {"type": "string"}}, "patternProperties": {"^a": {"type": "integer"}}}"#,
    ],
    // All of these ways together.
    &[
        r#"{"patternProperties": {"^a": {"type": "integer"}}, "additionalProperties": false}"#,
        r#"{"properties": {"a": {"type": "string"}}, "additionalProperties": false}"#,
        r#"{"properties": {"a": {"type": "string"}, "_": {"type": "integer"}}, "not": {"const": {"a": "a"}}}"#,
        r#"{"properties": {"a": {"type": "string"}, "1": {"type": "integer"}}, "additionalProperties": false}"#,
    ],
    // A member may meet what is demanded of one of them, or not.
    &[
        r#"{"not": {"additionalProperties": {"type": "integer"}}, "properties": {"a": {"const": "a"}}}"#,
        r#"{"properties": {"a": {"const": "_"}}, "required": ["a"], "dependentRequired": {"_": ["1"]}}"#,
        r#"{"properties": {"": {"type": "integer"}, "a": {"const": "a"}}, "additionalProperties": false, "minProperties": 1}"#,
    ],
    // Objects within objects, and within arrays.
    &[
        r#"{"properties": {"a": {"anyOf": [{"properties": {"_": {"const": "a"}}, "required": ["_"], "additionalProperties": false},
            {"properties": {"_": {"const": "1"}, "a": {}}, "required": ["_"], "additionalProperties": false}]}}, "required": ["a"]}"#,
        r#"{"properties": {"a": {"items": {"oneOf": [{"properties": {"_": {"const": "a"}}, "required": ["_"]},
            {"properties": {"_": {"const": "_"}}, "required": ["_"]}]}}}, "required": ["a"], "additionalProperties": false}"#,
    ],
    // The same value behind a key, another behind the next one.
    &[
        r#"{"properties": {"a": {"type": "integer"}, "_": {"type": "array"}, "1": {"const": "a"}}, "required": ["a"], "additionalProperties": false}"#,
        r#"{"properties": {"a": {"type": "integer"}, "_": {"type": "integer"}, "1": {"const": "_"}}, "required": ["a"], "additionalProperties": false}"#,
        r#"{"properties": {"a": {"type": "integer"}, "_": {"type": "integer"}, "1": {"const": "1"}}, "required": ["1"], "additionalProperties": false}"#,
    ],
    // Alternatives of one kind that are no objects, and those that nothing tells apart.
    &[
        r#"{"type": ["object", "null"], "properties": {"a": {}}, "additionalProperties": false}"#,
        r#"{"properties": {"a": {}}, "type": "object", "additionalProperties": false}"#,
        r#"{"const": {"a": 1}}"#,
        r#"{"enum": [{"a": "a", "1": []}, {"a": 1, "_": 1}]}"#,
    ],
    &[
        r#"{"if": {"properties": {"a": {"const": "a"}}}, "then": {"properties": {"ab": {"type": "integer"}}}, "else": {"required": ["_"]}}"#,
        r#"{"properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": false}"#,
    ],
];

/// The same of arrays.
const ARRAYS: [&[&str]; 7] = [
    // Strings, numbers and words tell them apart, first or second; some are in several.
    &[
        r#"{"prefixItems": [{"const": "a"}, {"type": "integer"}], "minItems": 2, "items": false}"#,
        r#"{"prefixItems": [{"const": "1"}, {"type": "string"}], "items": {"type": "integer"}}"#,
        r#"{"prefixItems": [{"enum": ["a", 1, null]}], "maxItems": 3}"#,
        r#"{"prefixItems": [{"enum": [1.0, 11]}, {"const": "a"}], "items": {"type": "string"}, "minItems": 1}"#,
    ],
    &[
        r#"{"prefixItems": [{"type": "integer"}, {"const": "a"}], "minItems": 2, "items": {"type": "integer"}}"#,
        r#"{"prefixItems": [{"type": "integer"}, {"enum": ["a", "_a"]}, {"const": "_"}], "items": false}"#,
        r#"{"items": {"type": "integer"}, "minItems": 2}"#,
        r#"{"prefixItems": [{"type": "integer"}, {"type": "integer"}], "items": {"type": "string"}, "maxItems": 4}"#,
    ],
    // Some exclude what others demand, or whole arrays.
    &[
        r#"{"prefixItems": [{"const": "a"}, {"type": "integer"}], "minItems": 1}"#,
        r#"{"prefixItems": [{"not": {"const": "a"}}, {"type": "string"}], "minItems": 2}"#,
        r#"{"prefixItems": [{"not": {"enum": ["1", null]}}, {"const": null}], "minItems": 2}"#,
    ],
    &[
        r#"{"prefixItems": [{"const": "a"}], "not": {"const": ["a", 1]}}"#,
        r#"{"prefixItems": [{"enum": ["a", "1"]}], "items": {"type": "integer"}, "not": {"enum": [["1"], ["a", 1, 1]]}}"#,
        r#"{"const": ["a", [1]]}"#,
        r#"{"enum": [["1", {"_": "a"}], ["_", {"_": "a"}], ["_", "a"]]}"#,
    ],
    // It matters which items have come, or how many of a kind.
    &[
        r#"{"prefixItems": [{"const": "a"}], "uniqueItems": true}"#,
        r#"{"type": "array", "items": {"enum": [1, "a", "1"]}, "not": {"uniqueItems": true}}"#,
        r#"{"prefixItems": [{"const": "a"}], "contains": {"type": "integer"}, "maxItems": 3}"#,
        r#"{"prefixItems": [{"enum": ["a", "1"]}], "contains": {"const": 1}, "minContains": 2}"#,
        r#"{"type": "array", "items": {"enum": ["a", 1]}, "contains": {"const": 1}, "maxContains": 1}"#,
    ],
    // Arrays and objects within arrays.
    &[
        r#"{"items": {"anyOf": [{"type": "integer"}, {"type": "array", "prefixItems": [{"const": 1}], "items": false},
            {"type": "array", "prefixItems": [{"const": "a"}], "minItems": 1}]}, "minItems": 1}"#,
        r#"{"prefixItems": [{"type": "object", "properties": {"_": {"const": "a"}}}, {"type": "integer"}], "minItems": 1}"#,
        r#"{"prefixItems": [{"type": "object", "properties": {"_": {"const": "1"}}, "additionalProperties": false}, {"type": "string"}]}"#,
    ],
    // Objects may come in their place, and arrays of any length.
    &[
        r#"{"type": ["array", "object"], "prefixItems": [{"const": "a"}, {"const": 1}]}"#,
        r#"{"type": "array", "items": {"type": "string"}, "maxItems": 2}"#,
        r#"{"type": "array", "prefixItems": [{"type": "string"}], "items": {"type": "boolean"}}"#,
    ],
];

/// Items that must all differ: alternatives of each, and items as texts begin them and go on.
const UNIQUE: [(&[&str], &[&str]); 4] = [
    (
        &[
            r#"{"type": "object", "properties": {"a": {"const": "a"}, "_": {"type": "integer"}}, "required": ["a"], "additionalProperties": false}"#,
            r#"{"type": "object", "properties": {"a": {"enum": ["a", "1", 1]}, "1": {}}, "required": ["a"], "additionalProperties": false}"#,
            r#"{"type": "object", "properties": {"a": {"const": null}, "ab": {"enum": [1, 11]}}, "additionalProperties": false, "minProperties": 1}"#,
        ],
        &[
            r#"{"a":"a"}"#,
            r#"{"a":1}"#,
            r#"{"a":"a","_":1}"#,
            r#"{"a":null,"ab":1}"#,
            r#"{"a":"1","1":[1]}"#,
            r#"{"a":1.0}"#,
        ],
    ),
    (
        &[
            r#"{"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "maxProperties": 2}"#,
            r#"{"type": "object", "properties": {"a": {"type": "integer"}, "_": {"type": "string"}}, "additionalProperties": false}"#,
            r#"{"type": "object", "patternProperties": {"^a": {"enum": [1, "a", [1]]}}, "additionalProperties": false}"#,
        ],
        &[
            r#"{}"#,
            r#"{"a":1}"#,
            r#"{"a":1,"_":"a"}"#,
            r#"{"a":[1]}"#,
            r#"{"ab":"a"}"#,
            r#"{"a":1}"#,
            r#"{"_":"a"}"#,
        ],
    ),
    (
        &[
            r#"{"type": "object", "properties": {"a": {"const": "a"}}, "required": ["a"]}"#,
            r#"{"type": "object", "properties": {"a": {"const": "1"}, "_": {"anyOf": [
                {"type": "object", "properties": {"a": {"const": 1}}, "required": ["a"], "additionalProperties": false},
                {"type": "object", "properties": {"a": {"const": 11}, "1": {}}, "required": ["a"], "additionalProperties": false}]}},
                "required": ["a"], "additionalProperties": false}"#,
            r#"{"enum": [{"a": "a"}, {"a": "1", "_": {"a": 1}}, {"a": 1}, "a"]}"#,
        ],
        &[
            r#"{"a":"a"}"#,
            r#"{"a":"1"}"#,
            r#"{"a":"1","_":{"a":1}}"#,
            r#"{"a":"1","_":{"a":11}}"#,
            r#"{"a":1}"#,
            r#"{"a":"a","ba":1}"#,
        ],
    ),
    // Not one of them may be a constant.
    (
        &[
            r#"{"type": "object", "properties": {"a": {"const": "a"}}, "not": {"enum": [{"a": "a"}, {"a": "a", "1": 1}]}}"#,
            r#"{"type": "object", "properties": {"a": {"enum": ["a", "1"]}, "_": {}}, "required": ["a"], "additionalProperties": false, "not": {"const": {"a": "1"}}}"#,
        ],
        &[r#"{"a":"a","_":1}"#, r#"{"a":"a","1":11}"#, r#"{"a":"1","_":"a"}"#, r#"{"1":1}"#, r#"{}"#],
    ),
];

/// What one of some constraints allows, each read on its own.
struct Apart<'v> {
    vocabulary: &'v Vocabulary,
    alive: Vec<Matcher>,
}

impl Apart<'_> {
    fn mask(&mut self) -> Vec<u32> {
        let mut all = vec![0; self.vocabulary.mask_words()];
        for matcher in &mut self.alive {
            let mut row = vec![0; all.len()];
            matcher.fill_mask(&mut row).unwrap();
            all.iter_mut().zip(row).for_each(|(word, more)| *word |= more);
        }
        all
    }

    fn accept(&mut self, token: TokenId) {
        self.alive.retain_mut(|matcher| matcher.accept(token).unwrap());
    }
}

/// Numbers as good as random, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit
    }
}

/// What members of the texts may be.
const KEYS: [&str; 7] = [r#""a""#, r#""ab""#, r#""_""#, r#""1""#, r#""""#, r#""ba""#, r#""\u0061""#];
const VALUES: [&str; 23] = [
    "true",
    "false",
    "1",
    r#""a""#,
    r#""1""#,
    r#""_""#,
    r#""aa""#,
    r#""_a""#,
    r#""a\"1""#,
    r#""\u0061""#,
    "null",
    "{}",
    "[]",
    r#"{"_":"a"}"#,
    r#"{"_":"1","a":1}"#,
    r#"[{"_":"_"},{"_":"a"}]"#,
    r#""\u0061a""#,
    "11",
    "111",
    "1.0",
    "1.1e+01",
    "10e-1",
    "[1]",
];

/// What stands before the first member, before others, behind a key, and last. In arrays there are no keys, and nothing
/// behind them.
type Layout = [&'static str; 4];

const DENSE: Layout = ["{", ",", ":", "}"];
const SPACED: Layout = ["{ ", " , ", " : ", " }"];
const INDENTED: Layout = ["{\n ", ",\n ", ":", "\n}"];
const DENSE_ARRAY: Layout = ["[", ",", "", "]"];
const SPACED_ARRAY: Layout = ["[ ", " , ", "", " ]"];

/// A member, or the end, with which a text may go on.
fn next_piece(matcher: &Matcher, is_first: bool, layout: Layout, numbers: &mut Numbers) -> Option<String> {
    let [first, between, colon, end] = layout;
    let before = if is_first { first } else { between };
    let keys: &[&str] = if colon.is_empty() { &[""] } else { &KEYS };
    let members =
        keys.iter().flat_map(|key| VALUES.iter().map(move |value| [before, key, colon, value].concat()));
    let is_allowed = |piece: &String| matcher.clone().accept_bytes(piece.as_bytes()).unwrap();
    let mut pieces: Vec<String> = members.filter(is_allowed).collect();
    pieces.extend([end.to_owned()].into_iter().filter(|end| !is_first && is_allowed(end)));
    (!pieces.is_empty()).then(|| pieces.swap_remove(numbers.below(pieces.len())))
}

/// Compares masks after the tokens of some texts that the alternatives allow.
fn compare(vocabulary: &Arc<Vocabulary>, alternatives: &[&str], options: &Options, layout: Layout) {
    const TEXTS: u64 = 3;
    let budget = Budget::default();
    // Each has a pool of its own, lest one finds what the other left.
    let constraint = |schema: &str, settings| {
        let grammar = json_schema::compile(schema, &[], options, &budget).unwrap();
        let pool = Arc::new(Pool::new(vocabulary, budget.pool_bytes));
        Arc::new(Constraint::compile_with(&grammar, &pool, &budget, settings).unwrap())
    };
    let defined = |schema: String| {
        let text = r#""text": {"type": ["string", "null"]}, "letter": {"type": "string", "pattern": "^[a_]$"}, "flag": {"type": "boolean"}"#;
        format!(r#"{{"$defs": {{{text}}}, {}"#, &schema[1..])
    };
    let any = defined(format!(r#"{{"anyOf": [{}]}}"#, alternatives.join(", ")));
    let slow = Settings { stack_automaton: false, ..Settings::default() };
    let joined = [Settings::default(), slow].map(|settings| constraint(&any, settings));
    let apart: Vec<_> = alternatives
        .iter()
        .map(|schema| constraint(&defined((*schema).to_owned()), Settings::default()))
        .collect();
    for text in 1..=TEXTS {
        let mut joined = joined.each_ref().map(Matcher::new);
        let mut apart = Apart { vocabulary, alive: apart.iter().map(Matcher::new).collect() };
        let mut numbers = Numbers(text << 32 | 1);
        let mut written = Vec::new();
        while let Some(piece) = next_piece(&joined[0], written.is_empty(), layout, &mut numbers) {
            let mut left = piece.as_bytes();
            while !left.is_empty() {
                let rows = joined.each_mut().map(|matcher| {
                    let mut row = vec![0; vocabulary.mask_words()];
                    matcher.fill_mask(&mut row).unwrap();
                    row
                });
                let place = || format!("after {} in {any}", String::from_utf8_lossy(&written));
                assert!(rows[0] == rows[1], "masks are not those of each token {}", place());
                assert!(rows[0] == apart.mask(), "masks are not those of the alternatives {}", place());
                let tokens = (0..vocabulary.token_count() as u32).map(TokenId);
                let begins = |token: &TokenId| {
                    vocabulary.token_bytes(*token).is_some_and(|bytes| left.starts_with(bytes))
                };
                let tokens: Vec<TokenId> = tokens.filter(begins).collect();
                let token = tokens[numbers.below(tokens.len())];
                assert!(joined.iter_mut().all(|matcher| matcher.accept(token).unwrap()), "{}", place());
                apart.accept(token);
                let bytes = vocabulary.token_bytes(token).unwrap();
                written.extend_from_slice(bytes);
                left = &left[bytes.len()..];
            }
            if piece == layout[3] {
                break;
            }
        }
        let are_complete = joined.each_ref().map(Matcher::is_complete);
        assert_eq!(are_complete, [apart.alive.iter().any(Matcher::is_complete); 2]);
    }
}

#[test]
fn what_one_of_several_arrays_allows_comes_next() {
    let vocabulary = vocabulary_of(tokens(&LONG));
    for alternatives in ARRAYS {
        compare(&vocabulary, alternatives, &Options::default(), DENSE_ARRAY);
        compare(&vocabulary, alternatives, &Options::default(), SPACED_ARRAY);
    }
}

fn compare_all(vocabulary: &Arc<Vocabulary>, options: &Options, layout: Layout) {
    for alternatives in ALTERNATIVES {
        compare(vocabulary, alternatives, options, layout);
    }
}

#[test]
fn what_one_of_several_objects_allows_comes_next_in_any_order() {
    let options = Options { order: PropertyOrder::Any, ..Options::default() };
    compare_all(&vocabulary_of(tokens(&LONG)), &options, DENSE);
}

#[test]
fn what_one_of_several_objects_allows_comes_next_in_the_order_of_declaration() {
    compare_all(&vocabulary_of(tokens(&LONG)), &Options::default(), SPACED);
}

/// Whether a text is a value that a schema allows.
fn is_allowed(vocabulary: &Arc<Vocabulary>, schema: &str, options: &Options, text: &str) -> bool {
    let budget = Budget::default();
    let grammar = json_schema::compile(schema, &[], options, &budget).unwrap();
    let constraint = Arc::new(Constraint::compile(&grammar, vocabulary, &budget).unwrap());
    let mut matcher = Matcher::new(&constraint);
    matcher.accept_bytes(text.as_bytes()).unwrap() && matcher.is_complete()
}

/// Masks after each byte of a second item are those of each token, and two items may come where one of the alternatives
/// allows each and they differ.
#[test]
fn objects_that_must_all_differ_are_read_together() {
    let vocabulary = vocabulary_of(tokens(&LONG));
    let budget = Budget::default();
    let usual = |item: &str| item.replace("\\u0061", "a").replace("1.0", "1");
    for ((alternatives, items), order) in UNIQUE
        .into_iter()
        .flat_map(|unique| [PropertyOrder::Any, PropertyOrder::Declared].map(|order| (unique, order)))
    {
        let options = Options { order, ..Options::default() };
        let any = format!(
            r#"{{"type": "array", "uniqueItems": true, "items": {{"anyOf": [{}]}}}}"#,
            alternatives.join(", ")
        );
        let grammar = json_schema::compile(&any, &[], &options, &budget).unwrap();
        let constraints = [true, false].map(|stack_automaton| {
            let pool = Arc::new(Pool::new(&vocabulary, budget.pool_bytes));
            let settings = Settings { stack_automaton, ..Settings::default() };
            Arc::new(Constraint::compile_with(&grammar, &pool, &budget, settings).unwrap())
        });
        let is_item =
            |item: &&&str| alternatives.iter().any(|schema| is_allowed(&vocabulary, schema, &options, item));
        let allowed: Vec<&str> = items.iter().filter(is_item).copied().collect();
        assert!(allowed.len() > 2, "{any}");
        for (first, second) in
            allowed.iter().flat_map(|first| items.iter().map(move |second| (first, second)))
        {
            let mut matchers = constraints.each_ref().map(Matcher::new);
            let begin = format!("[{first},");
            assert!(
                matchers.iter_mut().all(|matcher| matcher.accept_bytes(begin.as_bytes()).unwrap()),
                "{begin} {any}"
            );
            let mut is_accepted = true;
            for byte in format!("{second}]").bytes() {
                let rows = matchers.each_mut().map(|matcher| {
                    let mut row = vec![0; vocabulary.mask_words()];
                    matcher.fill_mask(&mut row).unwrap();
                    row
                });
                assert!(rows[0] == rows[1], "masks differ between {begin} and {second}] of {any}");
                is_accepted &= matchers.iter_mut().all(|matcher| matcher.accept_bytes(&[byte]).unwrap());
                if !is_accepted {
                    break;
                }
            }
            let expected = allowed.contains(second) && usual(first) != usual(second);
            assert_eq!(is_accepted, expected, "{begin}{second}] of {any}");
        }
    }
}

/// In draft 4, an integer is told by how it is written.
#[test]
fn numbers_that_may_not_be_written_in_all_ways_are_told_apart_by_their_texts() {
    let alternatives = [
        r#"{"properties": {"a": {"type": "integer", "enum": [1, 11]}, "_": {}}, "required": ["a"], "additionalProperties": false}"#,
        r#"{"properties": {"a": {"enum": [1, 111]}, "1": {}}, "required": ["a"], "additionalProperties": false}"#,
        r#"{"properties": {"a": {"type": "number", "enum": [1, 11, "a"]}, "ab": {}}, "required": ["a"], "additionalProperties": false}"#,
    ];
    let options = Options { default_draft: "4".to_owned(), ..Options::default() };
    compare(&vocabulary_of(tokens(&LONG)), &alternatives, &options, DENSE);
}

#[test]
fn what_one_of_several_objects_allows_comes_next_whatever_the_options() {
    let any = || Options { order: PropertyOrder::Any, ..Options::default() };
    let whitespace =
        Whitespace::Fixed { item_separator: ",".to_owned(), key_separator: ":".to_owned(), indent: Some(1) };
    let vocabulary = vocabulary_of(tokens(&LONG[..8]));
    compare_all(&vocabulary, &Options { track_keys: false, ..any() }, DENSE);
    compare_all(&vocabulary, &Options { minimal_escapes: true, ..any() }, DENSE);
    compare_all(
        &vocabulary,
        &Options { whitespace, lone_surrogates: true, ascii_only: true, ..any() },
        INDENTED,
    );
}
