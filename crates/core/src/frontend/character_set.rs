//! Sets of code points, as regular expressions and formats of JSON Schema speak of them.

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};

use crate::expression::ExpressionId;
use crate::grammar::GrammarBuilder;

/// A set of code points.
pub(super) type CharacterSet = ClassUnicode;

/// The expression of one code point of the set.
pub(super) fn expression_of(set: &CharacterSet, builder: &mut GrammarBuilder) -> ExpressionId {
    let ranges: Vec<(char, char)> = set.iter().map(|range| (range.start(), range.end())).collect();
    builder.characters(&ranges)
}

/// The set of some ranges, both ends included.
pub(super) fn set_of(ranges: &[(char, char)]) -> CharacterSet {
    CharacterSet::new(ranges.iter().map(|&(first, last)| ClassUnicodeRange::new(first, last)))
}

/// Every code point.
pub(super) fn all_characters() -> CharacterSet {
    set_of(&[('\0', char::MAX)])
}

/// The set of a property escape such as `\p{Greek}`, or `None` where there is no such property.
pub(super) fn property(escape: &str) -> Option<CharacterSet> {
    match regex_syntax::parse(escape).ok()?.into_kind() {
        HirKind::Class(Class::Unicode(set)) => Some(set),
        // A set of one code point is read as that code point.
        HirKind::Literal(literal) => {
            let only = std::str::from_utf8(&literal.0).ok()?.chars().next()?;
            Some(set_of(&[(only, only)]))
        }
        HirKind::Class(Class::Bytes(set)) => set.to_unicode_class(),
        // A property that no code point has.
        HirKind::Empty => Some(CharacterSet::empty()),
        _ => None,
    }
}

/// Whether a code point is a member.
pub(super) fn contains(set: &CharacterSet, character: char) -> bool {
    let after = set.ranges().partition_point(|range| range.start() <= character);
    after.checked_sub(1).and_then(|at| set.ranges().get(at)).is_some_and(|range| character <= range.end())
}

/// Whether all members of the one are members of the other.
pub(super) fn is_subset(set: &CharacterSet, other: &CharacterSet) -> bool {
    let mut outside = set.clone();
    outside.difference(other);
    outside.ranges().is_empty()
}

/// The members of both.
pub(super) fn intersected(set: &CharacterSet, other: &CharacterSet) -> CharacterSet {
    let mut both = set.clone();
    both.intersect(other);
    both
}

/// All code points that are not members.
pub(super) fn negated(set: &CharacterSet) -> CharacterSet {
    let mut outside = set.clone();
    outside.negate();
    outside
}

/// The code points of any of the sets.
pub(super) fn union(sets: &[&CharacterSet]) -> CharacterSet {
    CharacterSet::new(sets.iter().flat_map(|set| set.iter().copied()))
}

/// The code points of the set that are in none of the others.
pub(super) fn without(mut set: CharacterSet, others: &[&CharacterSet]) -> CharacterSet {
    others.iter().for_each(|other| set.difference(other));
    set
}
