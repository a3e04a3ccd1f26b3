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

    /// Constants in their order, each once. Takes little where they are in order.
    pub(super) fn sorted(constants: Vec<Self>) -> Arc<[Self]> {
        if constants.is_sorted_by(|one, other| one < other) {
            return constants.into();
        }
        let beginning = |constant: Self| (constant.beginning(), constant);
        let mut sorted: Vec<(u64, Self)> = constants.into_iter().map(beginning).collect();
        sorted.sort_unstable();
        sorted.dedup();
        sorted.into_iter().map(|(_, constant)| constant).collect()
    }

    /// A number by which many constants are put in order without a look at them: less only of one that is less.
    fn beginning(&self) -> u64 {
        /// So many bytes of a string are looked at, behind one for its kind.
        const BYTES: usize = 7;
        let (kind, content): (u8, &[u8]) = match self {
            Self::Null => (0, &[]),
            Self::Boolean(_) => (1, &[]),
            Self::Number(_) => (2, &[]),
            Self::String(content) => (3, content),
            Self::Array(_) => (4, &[]),
            Self::Object(_) => (5, &[]),
        };
        let mut bytes = [0; 1 + BYTES];
        bytes[0] = kind;
        bytes[1..].iter_mut().zip(content).for_each(|(byte, &first)| *byte = first);
        u64::from_be_bytes(bytes)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_sorted_as_they_compare() {
        let strings =
            ["", "\0", "a", "a\0", "b", "abcdefg", "abcdefg\0", "abcdefgh", "abcdefga", "é", "\u{10FFFF}"];
        let mut constants: Vec<Constant> =
            strings.iter().map(|&text| Constant::String(text.into())).collect();
        constants.extend([Constant::Null, Constant::Boolean(true), Constant::Boolean(false)]);
        let numbers = ["1", "-2", "1.0", "0.5", "1e3", "12", "-0"].map(|text| Decimal::parse(text).unwrap());
        constants.extend(numbers.map(Constant::Number));
        constants.push(Constant::Array(constants[..3].into()));
        constants.push(Constant::Array(constants[..2].into()));
        constants.push(Constant::Object(Arc::new([(b"a".to_vec(), Constant::Null)].into())));
        constants.push(Constant::Object(Arc::default()));
        let mut expected = constants.clone();
        expected.sort_unstable();
        expected.dedup();
        for turn in 0..constants.len() {
            constants.rotate_left(1);
            let again: Vec<Constant> = constants.iter().chain(&constants[turn / 2..turn]).cloned().collect();
            assert_eq!(*Constant::sorted(again), *expected);
        }
        assert_eq!(*Constant::sorted(expected.clone()), *expected);
        assert_eq!(
            Constant::sorted(expected.iter().flat_map(|one| [one.clone(), one.clone()]).collect())[..],
            *expected
        );
    }
}
