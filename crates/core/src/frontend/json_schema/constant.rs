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
    /// A string, without its escapes.
    String(String),
    /// An array.
    Array(Vec<Constant>),
    /// An object.
    Object(BTreeMap<String, Constant>),
}
