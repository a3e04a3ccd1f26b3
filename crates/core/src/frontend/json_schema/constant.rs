//! JSON values that a schema names: those of `const` and `enum`.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::decimal::Decimal;
use crate::expression::size_of_bytes;

/// A JSON value, which nests no deeper than the budget allows. Two are equal where JSON Schema says so: numbers by their value, so that `1` equals `1.0`,
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
    /// An array. Copies share its items.
    Array(Arc<[Constant]>),
    /// An object, with its keys by their contents. Copies share its members.
    Object(Arc<BTreeMap<Content, Constant>>),
}

impl Constant {
    /// How deep arrays and objects stand in one another in it. Native recursion follows them here, as it does where constants
    /// are compared, described or freed.
    pub(super) fn depth(&self) -> usize {
        let deepest = match self {
            Self::Array(items) => items.iter().map(Self::depth).max(),
            Self::Object(members) => members.values().map(Self::depth).max(),
            _ => return 0,
        };
        1 + deepest.unwrap_or(0)
    }

    /// What a copy takes, in the size of expressions.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Null | Self::Boolean(_) | Self::Array(_) | Self::Object(_) => 1,
            Self::Number(number) => text_size(number.digits()),
            Self::String(content) => text_size(content),
        }
    }

    /// What the copies of its parts take that copies of it share.
    pub(super) fn shared_size(&self) -> usize {
        match self {
            Self::Array(items) => items.iter().map(Self::size).sum(),
            Self::Object(members) => members.iter().map(|(key, value)| text_size(key) + value.size()).sum(),
            _ => 0,
        }
    }
}

/// What a text takes, in the size of expressions.
pub(super) fn text_size(text: &[u8]) -> usize {
    1 + size_of_bytes(text.len())
}

/// The content of a string or key: its characters, without escapes, in UTF-8. Surrogates without a partner, which a text
/// may hold and no schema does, are three bytes each, as in WTF-8.
pub(super) type Content = Vec<u8>;

/// The number of characters of a content; a surrogate without a partner is one.
pub(super) fn character_count(content: &[u8]) -> u64 {
    content.iter().filter(|&&byte| byte & 0xC0 != 0x80).count() as u64
}
