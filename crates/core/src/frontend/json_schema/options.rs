//! What a caller may choose about the text, beyond the schema.

use std::collections::BTreeMap;

/// The options of the JSON Schema front end. The default allows any JSON text whose value is valid, with the
/// declared properties in their order, and with bounded runs of white space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The order of declared properties.
    pub order: PropertyOrder,
    /// The white space between the tokens of JSON.
    pub whitespace: Whitespace,
    /// Whether characters beyond ASCII must be written as escapes.
    pub ascii_only: bool,
    /// Whether strings hold only those escapes without which a character cannot be written; otherwise any character
    /// may be one, as JSON has it.
    pub minimal_escapes: bool,
    /// Whether numbers have no exponent, integers no fraction where the schema asks for them by `type`, and constants one
    /// spelling each; otherwise `1.0` and `1e3` are integers, as JSON Schema has it.
    pub plain_numbers: bool,
    /// Whether strings may hold escapes of lone surrogates such as `\ud800`.
    pub lone_surrogates: bool,
    /// Whether keys that are not declared are remembered, so that none can come twice. Declared ones never
    /// can.
    pub track_keys: bool,
    /// Whether `format` is enforced; otherwise it is an annotation.
    pub enforce_formats: bool,
    /// Formats of the caller's own, or meanings of his own for standard ones: name and regular expression,
    /// as of `pattern`.
    pub formats: BTreeMap<String, String>,
    /// The keywords that may be enforced approximately, where they cannot be exactly.
    pub approximate: Vec<String>,
    /// The URI of the draft for schemas without `$schema`, or with one that is no draft's and not among the documents;
    /// empty for 2020-12.
    pub default_draft: String,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            order: PropertyOrder::Declared,
            whitespace: Whitespace::default(),
            ascii_only: false,
            minimal_escapes: false,
            plain_numbers: false,
            lone_surrogates: false,
            track_keys: true,
            enforce_formats: true,
            formats: BTreeMap::new(),
            approximate: Vec::new(),
            default_draft: String::new(),
        }
    }
}

/// The order of declared properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PropertyOrder {
    /// As the schema declares them; others follow.
    Declared,
    /// Any order.
    Any,
}

/// The white space between the tokens of JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whitespace {
    /// Up to so many blanks, tabs and line ends at every place.
    Free {
        /// The greatest length of one run.
        maximum: u32,
    },
    /// Exactly these separators.
    Fixed {
        /// Between items and between members, such as `","` or `", "`.
        item_separator: String,
        /// Between a key and its value, such as `":"` or `": "`.
        key_separator: String,
        /// How many blanks each level is indented by, every item and member on a line of its own; `None` for
        /// one line.
        indent: Option<u32>,
    },
}

impl Default for Whitespace {
    fn default() -> Self {
        Self::Free { maximum: 64 }
    }
}
