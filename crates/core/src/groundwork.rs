//! What JSON is made of, whatever the schema: computed once for a vocabulary, for all its pools.
//!
//! A schema with values of each plain kind is rehearsed in the usual layouts, one with strings of the formats that are
//! asked for most, and objects of each outline (`objects`). A comma with the white space behind it, a number, any value, what
//! may come next in an e-mail address are the same in every schema; what its walks find of its own keys is kept, too, and never
//! asked for.

mod objects;

use std::collections::BTreeSet;
use std::ops::{ControlFlow, RangeInclusive};
use std::sync::Arc;
use std::time::Duration;

use crate::budget::Budget;
use crate::constraint::Constraint;
use crate::error::Result;
use crate::frontend::json_schema::{self, Options, PropertyOrder, Whitespace};
use crate::mask::{Groundwork, Pool, Warm};
use crate::settings::Settings;
use crate::vocabulary::Vocabulary;

/// Values of each plain kind.
const SCHEMA: &str = r#"{
    "type": "object",
    "properties": {
        "any": {},
        "text": {"type": "string"},
        "some text": {"type": "string", "minLength": 1},
        "number": {"type": "number"},
        "integer": {"type": "integer"},
        "count": {"type": "integer", "minimum": 0},
        "flag": {"type": "boolean"},
        "nothing": {"type": "null"},
        "text or nothing": {"type": ["string", "null"]},
        "number or nothing": {"type": ["number", "null"]},
        "object": {"type": "object"},
        "closed": {"type": "object", "properties": {"text": {"type": "string"}}, "additionalProperties": false},
        "array": {"type": "array"},
        "texts": {"type": "array", "items": {"type": "string"}},
        "different texts": {"type": "array", "items": {"type": "string"}, "uniqueItems": true},
        "some texts": {"type": "array", "items": {"type": "string", "minLength": 1}, "uniqueItems": true},
        "numbers": {"type": "array", "items": {"type": "number"}},
        "objects": {"type": "array", "items": {"type": "object"}}
    }
}"#;

/// The members of a document, in one line.
const MEMBERS: [&str; 19] = [
    r#""any": {"key": [1, "text", true, {}], "other": null}"#,
    r#""text": "some text""#,
    r#""number": 12.5"#,
    r#""integer": -12"#,
    r#""count": 120"#,
    r#""flag": true"#,
    r#""nothing": null"#,
    r#""some text": "text""#,
    r#""text or nothing": null"#,
    r#""number or nothing": 1.5e3"#,
    r#""object": {"key": "text", "other": 1}"#,
    r#""array": ["text", 1, {"key": "text"}]"#,
    r#""texts": ["text", "other"]"#,
    r#""different texts": ["text", "other"]"#,
    r#""some texts": ["text", "other"]"#,
    r#""numbers": [1, 2.5]"#,
    r#""objects": [{"key": "text"}, {}]"#,
    r#""closed": {"text": "some text"}"#,
    r#""other": "text""#,
];

/// A document on several lines.
const INDENTED: &str = r#"{
  "texts": [
    "text",
    "other"
  ],
  "object": {
    "key": "text"
  },
  "integer": 12,
  "flag": false
}"#;

/// Strings of formats: of those that schemas ask for most, and of those that take long where one does; some in more than one way.
const FORMATS: [(&str, &str); 32] = [
    ("date-time", "2026-01-31T12:30:59Z"),
    ("date-time", "2026-11-02T03:04:05.678+01:00"),
    ("date", "2026-01-31"),
    ("time", "12:30:59Z"),
    ("email", "some.name@mail.example.com"),
    ("email", "name1@example.org"),
    ("email", "a@b.example.org"),
    // What is left of a name counts, so each length of one is met.
    ("email", "q0z9j8q7z6j5q4z3@q0z9j8q7z6j5q4z3.example.org"),
    ("uri", "https://www.example.com/some/path-1.html?key=value&other=1#part"),
    ("uri", "urn:example:some:name"),
    // Few tokens are a colon and a digit, so the path is met before it begins.
    ("uri", "urn:0"),
    ("uuid", "01234567-89ab-4cde-8f01-23456789abcd"),
    // Tokens hold one digit or some, so these begin and end at each place.
    ("uuid", "0b1d2f3b-4d5f-4b7d-8f9b-0d1f2b3d4f5b"),
    ("uuid", "b0d1f2b3-d4f5-4d7f-9b0d-1f2b3d4f5b6d"),
    ("uuid", "00123456-0123-4012-8012-001234567890"),
    ("hostname", "www.some-name1.example.com"),
    // What begins with an `x` may be in Punycode.
    ("hostname", "x1.xn1.example.com"),
    ("ipv4", "192.168.10.1"),
    ("ipv6", "2001:db8::1"),
    ("iri", "https://www.example.com/some/path-1.html?key=value&other=1#part"),
    ("iri", "urn:0"),
    ("iri-reference", "../some/path-1.html?key=value#part"),
    ("iri-reference", "https://www.example.com/some/path-1.html?key=value#part"),
    ("iri-reference", "some.html"),
    ("iri-reference", "urn:0"),
    ("uri-reference", "../some/path-1.html?key=value#part"),
    ("uri-reference", "https://www.example.com/some/path-1.html?key=value#part"),
    ("uri-reference", "some.html"),
    ("uri-reference", "urn:0"),
    ("uri-template", "https://www.example.com/{name}/{other,more}{?query*}"),
    ("iri-reference", "/some/path-1.html?key=value#part"),
    ("json-pointer", "/some/path/0"),
];

/// Patterns have hundreds of states, which takes as long as all else here. So they are met in the usual layout only: how
/// documents are laid out does not show in a string.
const PATTERNS: [(&str, &str); 3] = [
    ("regex", "^[a-zA-Z0-9_-]+$"),
    ("regex", "^(some|[^0-9/]*)\\\\.\\\\d{2,3}(?:name|other)?$"),
    ("regex", "^.*[A-Z]{1,8}([a-z.]+)*|value$"),
];

/// What date-times in UTC end with after their hour. Each hour has a leap second with offsets of its own, so what is left of a
/// time is another text after each; most are on the hour, and the last of a day is the last second before the next.
const HOURS: RangeInclusive<u32> = 0..=23;

/// So many masks of plain values are rehearsed in each layout: those of the documents, and some of likely texts.
const MASKS: usize = 500;

impl Groundwork {
    /// Computes what JSON is made of, in about a tenth of a second for a vocabulary of 128,000 tokens. What a vocabulary
    /// cannot spell is left out, and so is what takes too long: no mask depends on it.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use maskwright_core::{Budget, Groundwork, Pool, TokenId, Vocabulary};
    ///
    /// let tokens = (0..=255).map(|byte| Some(vec![byte])).chain([None]).collect();
    /// let vocabulary = Arc::new(Vocabulary::new(tokens, vec![], vec![TokenId(256)], 257)?);
    /// let groundwork = Arc::new(Groundwork::of_json(&vocabulary));
    /// assert!(groundwork.transition_count() > 0);
    /// let pool = Pool::upon(Some(groundwork), &vocabulary, Budget::default().pool_bytes, &Arc::default());
    /// assert_eq!(pool.statistics().transitions, 0, "it is none of what the pool holds itself");
    /// # Ok::<(), maskwright_core::Error>(())
    /// ```
    pub fn of_json(vocabulary: &Arc<Vocabulary>) -> Self {
        let budget = Budget { compile_time: Duration::from_secs(1), ..Budget::default() };
        let pool = Arc::new(Pool::for_groundwork(vocabulary, budget.pool_bytes));
        let of_all_layouts: Vec<Rehearsal> =
            [plain_values(), strings(&FORMATS)].into_iter().chain(objects::rehearsals()).collect();
        let of_the_usual = [strings(&PATTERNS), hours()];
        for (whitespace, rehearsals) in [
            (Whitespace::default(), &of_all_layouts[..]),
            (Whitespace::default(), &of_the_usual),
            (in_one_line(", ", ": "), &of_all_layouts),
            (in_one_line(",", ":"), &of_all_layouts),
        ] {
            for rehearsal in rehearsals {
                let whitespace = whitespace.clone();
                let options = Options { whitespace, order: rehearsal.order, ..Options::default() };
                // An error means that the vocabulary cannot spell this: then no grammar asks for it.
                let _ = rehearsal.run(&options, &pool, &budget);
            }
        }
        pool.to_groundwork()
    }
}

fn in_one_line(item_separator: &str, key_separator: &str) -> Whitespace {
    let [item_separator, key_separator] = [item_separator, key_separator].map(str::to_owned);
    Whitespace::Fixed { item_separator, key_separator, indent: None }
}

/// A schema, and documents of it.
struct Rehearsal {
    schema: String,
    documents: Vec<Vec<u8>>,
    order: PropertyOrder,
    warm: Warm,
}

impl Rehearsal {
    /// Of just these documents, in any order of members.
    fn of_documents(schema: String, documents: Vec<Vec<u8>>) -> Self {
        Self { schema, documents, order: PropertyOrder::Any, warm: Warm::Examples }
    }

    fn run(&self, options: &Options, pool: &Arc<Pool>, budget: &Budget) -> Result<()> {
        let grammar = json_schema::compile(&self.schema, &[], options, budget)?;
        let constraint = Constraint::compile_with(&grammar, pool, budget, Settings::default())?;
        Arc::new(constraint).warm_up(self.warm, &self.documents, |_| ControlFlow::Continue(()));
        Ok(())
    }
}

fn plain_values() -> Rehearsal {
    let spaced = format!("{{{}}}", MEMBERS.join(", "));
    let compact = spaced.replace(", ", ",").replace(": ", ":");
    let documents = [spaced, compact, INDENTED.to_owned()].map(String::into_bytes);
    let warm = Warm::Likely(MASKS);
    Rehearsal { warm, ..Rehearsal::of_documents(SCHEMA.to_owned(), documents.into()) }
}

/// A member for each format, and a document for each string of one.
fn strings(of_formats: &[(&str, &str)]) -> Rehearsal {
    let names: BTreeSet<&str> = of_formats.iter().map(|(format, _)| *format).collect();
    let members = names.iter().map(|name| format!(r#""{name}": {{"type": "string", "format": "{name}"}}"#));
    let schema = format!(r#"{{"properties": {{{}}}}}"#, members.collect::<Vec<_>>().join(", "));
    let documents = of_formats.iter().flat_map(|(name, text)| {
        [" ", ""].map(|space| format!(r#"{{"{name}":{space}"{text}"}}"#).into_bytes())
    });
    Rehearsal::of_documents(schema, documents.collect())
}

/// A date-time for each hour.
fn hours() -> Rehearsal {
    let schema = r#"{"properties": {"date-time": {"type": "string", "format": "date-time"}}}"#.to_owned();
    let times = HOURS.map(|hour| format!("{hour:02}:00:00")).chain(["23:59:59".to_owned()]);
    let documents = times.map(|time| format!(r#"{{"date-time": "2026-01-31T{time}Z"}}"#).into_bytes());
    Rehearsal::of_documents(schema, documents.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matcher::Matcher;
    use crate::vocabulary::TokenId;

    #[test]
    fn every_text_is_of_its_format_which_is_known() {
        let vocabulary = Arc::new(Vocabulary::of_bytes());
        let budget = Budget::default();
        let pool = Arc::new(Pool::new(&vocabulary, budget.pool_bytes));
        for (format, text) in FORMATS.into_iter().chain(PATTERNS) {
            let schema = format!(r#"{{"type": "string", "format": "{format}"}}"#);
            let grammar = json_schema::compile(&schema, &[], &Options::default(), &budget).unwrap();
            let constraint = Constraint::compile_with(&grammar, &pool, &budget, Settings::default()).unwrap();
            let constraint = Arc::new(constraint);
            let reads = |text: &str| {
                let mut matcher = Matcher::new(&constraint);
                text.bytes().all(|byte| matcher.accept(TokenId(byte.into())).unwrap())
                    && matcher.is_complete()
            };
            assert!(reads(&format!("\"{text}\"")), "{format} {text}");
            assert!(!reads(r#""no <format> (has this""#), "{format} is not known");
        }
    }
}
