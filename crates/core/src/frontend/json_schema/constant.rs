//! JSON values that a schema names: those of `const` and `enum`.

use std::collections::BTreeMap;

use super::decimal::Decimal;

/// A JSON value. Two are equal where JSON Schema says so: numbers by their value, so that `1` equals `1.0`,
/// and objects whatever the order of their members.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Constant {
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean(bool),
    /// A number.
    Number(Decimal),
    /// A string, by its content.
    String(Content),
    /// An array.
    Array(Vec<Constant>),
    /// An object, with its keys by their contents.
    Object(BTreeMap<Content, Constant>),
}

/// The content of a string or key: its characters, without escapes, in UTF-8. Surrogates without a partner, which a text
/// may hold and no schema does, are three bytes each, as in WTF-8.
pub(super) type Content = Vec<u8>;

/// The number of characters of a content; a surrogate without a partner is one.
pub(super) fn character_count(content: &[u8]) -> u64 {
    content.iter().filter(|&&byte| byte & 0xC0 != 0x80).count() as u64
}
