//! What stands in objects, whatever their keys are: a value of each kind, and what may follow it there.
//!
//! Before a key is read to its end, all that a mask can tell of the rest is the kind of its value and the outline of what
//! comes behind it. Both are few, so each kind of value is met in objects of each outline: where other keys may come or not,
//! where the object may end or not, and where nothing else may come.

use super::Rehearsal;
use crate::frontend::json_schema::PropertyOrder;

/// A member: its name, the schema of its value, and a value.
type Member = (&'static str, &'static str, &'static str);

/// A member of each kind.
const MEMBERS: [Member; 30] = [
    ("text", r#"{"type": "string"}"#, r#""some text""#),
    ("number", r#"{"type": "number"}"#, "12.5"),
    ("integer", r#"{"type": "integer"}"#, "-12"),
    ("zero", r#"{"type": "number"}"#, "0.5"),
    ("flag", r#"{"type": "boolean"}"#, "true"),
    ("nothing", r#"{"type": "null"}"#, "null"),
    ("text or nothing", r#"{"type": ["string", "null"]}"#, r#""text""#),
    ("number or nothing", r#"{"type": ["number", "null"]}"#, "1.5e3"),
    ("integer or nothing", r#"{"type": ["integer", "null"]}"#, "0"),
    ("flag or nothing", r#"{"type": ["boolean", "null"]}"#, "false"),
    ("text or number", r#"{"type": ["string", "number"]}"#, "1"),
    ("some text", r#"{"type": "string", "minLength": 1}"#, r#""text""#),
    ("date-time", r#"{"type": "string", "format": "date-time"}"#, r#""2026-01-31T12:30:59Z""#),
    ("date", r#"{"type": "string", "format": "date"}"#, r#""2026-01-31""#),
    ("uri", r#"{"type": "string", "format": "uri"}"#, r#""https://example.com""#),
    ("email", r#"{"type": "string", "format": "email"}"#, r#""name@example.com""#),
    ("any", "{}", r#""text""#),
    ("object", r#"{"type": "object"}"#, r#"{"key": 1}"#),
    ("open", r#"{"type": "object", "properties": {"key": {}}}"#, r#"{"key": 1}"#),
    (
        "closed",
        r#"{"type": "object", "properties": {"key": {}}, "additionalProperties": false}"#,
        r#"{"key": 1}"#,
    ),
    (
        "required",
        r#"{"type": "object", "properties": {"key": {}}, "required": ["key"]}"#,
        r#"{"key": "text"}"#,
    ),
    ("array", r#"{"type": "array"}"#, "[1]"),
    ("texts", r#"{"type": "array", "items": {"type": "string"}}"#, r#"["text", "other"]"#),
    ("numbers", r#"{"type": "array", "items": {"type": "number"}}"#, "[1, 2.5]"),
    ("integers", r#"{"type": "array", "items": {"type": "integer"}}"#, "[1, 20]"),
    ("objects", r#"{"type": "array", "items": {"type": "object"}}"#, r#"[{"key": "text"}]"#),
    ("all open", OPEN_ITEMS, r#"[{"key": "text"}, {"key": "text"}]"#),
    ("all closed", CLOSED_ITEMS, r#"[{"key": "text"}, {"key": "text"}]"#),
    ("all required", REQUIRED_ITEMS, r#"[{"key": "text"}, {"key": "text"}]"#),
    ("some required", SOME_REQUIRED_ITEMS, r#"[{"key": "text"}, {"key": "text"}]"#),
];

const OPEN_ITEMS: &str = r#"{"type": "array", "items": {"type": "object", "properties": {"key": {}}}}"#;
const CLOSED_ITEMS: &str = r#"{"type": "array", "items":
    {"type": "object", "properties": {"key": {}}, "additionalProperties": false}}"#;
const REQUIRED_ITEMS: &str =
    r#"{"type": "array", "items": {"type": "object", "properties": {"key": {}}, "required": ["key"]}}"#;
const SOME_REQUIRED_ITEMS: &str = r#"{"type": "array", "minItems": 1, "items":
    {"type": "object", "properties": {"key": {}}, "required": ["key"]}}"#;

/// Members of which the items may be of any kind: often no type is named, only what objects must be like.
const OF_ANY_KIND: [Member; 3] = [
    ("any or open", r#"{"type": "array", "items": {"properties": {"key": {}}}}"#, "[]"),
    (
        "any or closed",
        r#"{"type": "array", "items": {"properties": {"key": {}}, "additionalProperties": false}}"#,
        "[]",
    ),
    (
        "any or required",
        r#"{"type": "array", "items": {"properties": {"key": {}}, "required": ["key"]}}"#,
        "[]",
    ),
];

/// Integers are written without a fraction or an exponent there.
const OLD_DRAFT: &str = r#""$schema": "http://json-schema.org/draft-04/schema#""#;

/// Members of which it matters what integers are.
const OF_OLD_DRAFT: [Member; 4] = [
    ("integer", r#"{"type": "integer"}"#, "-12"),
    ("integer or nothing", r#"{"type": ["integer", "null"]}"#, "0"),
    ("text or integer", r#"{"type": ["string", "integer"]}"#, "1"),
    ("integers", r#"{"type": "array", "items": {"type": "integer"}}"#, "[1, 20]"),
];

/// A member that stands behind all others.
const LAST: Member = ("last", "{}", "1");

const CLOSED: &str = r#""additionalProperties": false"#;
const REQUIRED: &str = r#""required": ["last"]"#;

/// Objects of each outline.
pub(super) fn rehearsals() -> Vec<Rehearsal> {
    let all = [(&MEMBERS[..], ""), (&OF_ANY_KIND, ""), (&OF_OLD_DRAFT, OLD_DRAFT)];
    all.iter().flat_map(|(members, draft)| of_each_outline(members, draft)).collect()
}

/// Objects that have all of some members, and for each member one that has no other.
fn of_each_outline(members: &[Member], draft: &str) -> Vec<Rehearsal> {
    let with_last: Vec<Member> = members.iter().copied().chain([LAST]).collect();
    let alone: Vec<(String, String)> = members.iter().map(|&member| object(&[member], &[CLOSED])).collect();
    let of_alone = members.iter().zip(&alone);
    let of_alone: Vec<(&str, &str, &str)> =
        of_alone.map(|((name, ..), (schema, document))| (*name, &**schema, &**document)).collect();
    let required = object(&with_last, &[draft, REQUIRED]);
    // Where members may come in any order, others may come before those that must.
    let in_any_order = Rehearsal { order: PropertyOrder::Any, ..rehearsal(&required) };
    let objects = [
        object(members, &[draft]),
        required,
        object(members, &[draft, CLOSED]),
        object(&with_last, &[draft, CLOSED, REQUIRED]),
        object(&of_alone, &[draft]),
    ];
    objects.iter().map(rehearsal).chain([in_any_order]).collect()
}

/// The schema of an object with some members and further keywords, and a document of it in one line.
fn object(members: &[(&str, &str, &str)], keywords: &[&str]) -> (String, String) {
    let properties = members.iter().map(|(name, schema, _)| format!(r#""{name}": {schema}"#));
    let properties = properties.collect::<Vec<_>>().join(", ");
    let further = keywords.iter().filter(|keyword| !keyword.is_empty());
    let further: String = further.map(|keyword| format!(", {keyword}")).collect();
    let schema = format!(r#"{{"type": "object", "properties": {{{properties}}}{further}}}"#);
    let values = members.iter().map(|(name, _, value)| format!(r#""{name}": {value}"#));
    (schema, format!("{{{}}}", values.collect::<Vec<_>>().join(", ")))
}

/// A schema with a document of it in the usual layouts; the members are in the order of the schema.
fn rehearsal((schema, document): &(String, String)) -> Rehearsal {
    let documents = [
        document.clone(),
        document.replace(", ", ",").replace(": ", ":"),
        document.replace('{', "{\n  ").replace(", ", ",\n  ").replace('}', "\n}"),
    ];
    let documents = documents.map(String::into_bytes).into();
    Rehearsal { order: PropertyOrder::Declared, ..Rehearsal::of_documents(schema.clone(), documents) }
}
