//! Many alternatives by the bytes that they begin with.
//!
//! Of a hundred alternatives, as of the ranges that a class in brackets may hold, a byte begins few, and nothing is left of the
//! others after it. So of alternatives that are derived again and again, those that each byte begins are listed once. What is
//! left is the same, and so are the bytes that leave it.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::store::{ExpressionMap, ListId, size_of_bytes};
use super::{ByteSet, ExpressionId, ExpressionStore};

/// For some alternatives of a store, which of them each byte begins.
#[derive(Clone, Debug, Default)]
pub(super) struct ByFirstByte {
    of: ExpressionMap<Known>,
    size: usize,
}

/// What is known of some alternatives.
#[derive(Clone, Debug)]
enum Known {
    /// How often they have been derived.
    Derived(u8),
    /// Most bytes begin many of them, so nothing is listed.
    BegunAlike,
    Listed(Box<Lists>),
}

/// The alternatives that each byte begins.
#[derive(Clone, Debug)]
struct Lists {
    /// For each byte, its place among the classes.
    places: [u8; 256],
    /// The bytes that begin the same alternatives, and these.
    classes: Vec<(ByteSet, ListId)>,
}

impl ByFirstByte {
    /// What it takes, but for the lists, in the size of expressions.
    pub(super) fn size(&self) -> usize {
        self.size
    }
}

impl ExpressionStore {
    /// Fewer alternatives are sooner derived.
    const MANY_ALTERNATIVES: usize = 32;

    /// To list what bytes begin takes about as long as so many derivatives.
    const SELDOM: u8 = 3;

    /// Those of the alternatives of an expression of which something may be left after a byte, or all of them. Narrows `class`
    /// to bytes that begin the same ones.
    #[inline]
    pub(super) fn begun_by(
        &mut self,
        id: ExpressionId,
        alternatives: ListId,
        byte: u8,
        class: &mut ByteSet,
    ) -> ListId {
        match self.list(alternatives).len() {
            0..Self::MANY_ALTERNATIVES => alternatives,
            _ => self.begun_by_byte(id, alternatives, byte, class),
        }
    }

    fn begun_by_byte(
        &mut self,
        id: ExpressionId,
        alternatives: ListId,
        byte: u8,
        class: &mut ByteSet,
    ) -> ListId {
        let known = self.by_first_byte.of.entry(id).or_insert(Known::Derived(0));
        if let Known::Derived(times) = known {
            if *times < Self::SELDOM {
                *times += 1;
                return alternatives;
            }
            let lists = self.list_by_first_byte(id, alternatives);
            self.by_first_byte.of.insert(id, lists);
        }
        match self.by_first_byte.of.get(&id) {
            Some(Known::Listed(lists)) => {
                let (bytes, begun) = lists.classes[usize::from(lists.places[usize::from(byte)])];
                *class = class.intersection(&bytes);
                begun
            }
            _ => alternatives,
        }
    }

    fn list_by_first_byte(&mut self, id: ExpressionId, alternatives: ListId) -> Known {
        // A call may begin with any byte, and so may what a front end defines.
        if !self.is_regular(id) {
            return Known::BegunAlike;
        }
        let count = self.list(alternatives).len();
        let mut begun: Vec<SmallVec<[ExpressionId; 4]>> = vec![SmallVec::new(); 256];
        let mut places_left = count * begun.len() / 4;
        for at in 0..count {
            let alternative = self.list(alternatives)[at];
            let first = self.first_bytes(alternative);
            let Some(left) = places_left.checked_sub(first.len()) else { return Known::BegunAlike };
            places_left = left;
            first.iter().for_each(|byte| begun[usize::from(byte)].push(alternative));
        }
        let mut lists = Box::new(Lists { places: [0; 256], classes: Vec::new() });
        let mut places = FxHashMap::default();
        for (byte, begun) in (0..=u8::MAX).zip(&begun) {
            let place = *places.entry(begun.as_slice()).or_insert_with(|| {
                lists.classes.push((ByteSet::EMPTY, self.intern_list(begun)));
                lists.classes.len() as u8 - 1
            });
            lists.places[usize::from(byte)] = place;
            lists.classes[usize::from(place)].0.insert(byte);
        }
        self.by_first_byte.size += size_of_bytes(size_of::<Lists>() + size_of_val(lists.classes.as_slice()));
        Known::Listed(lists)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Derivatives, Symbol};
    use super::*;

    /// What is left after a byte, and the bytes that leave it.
    fn left(store: &mut ExpressionStore, id: ExpressionId, byte: u8) -> (Vec<ExpressionId>, ByteSet) {
        let mut derivatives = Derivatives::new();
        store.derive(id, Symbol::Byte(byte), &mut derivatives);
        derivatives.rest.sort_unstable();
        derivatives.rest.dedup();
        (derivatives.rest.to_vec(), derivatives.class)
    }

    /// Ranges such as `a-z`, each of which ends in no letter before its first.
    fn ranges(store: &mut ExpressionStore) -> Vec<ExpressionId> {
        let mut ranges = Vec::new();
        for first in (b'A'..=b'z').filter(u8::is_ascii_alphabetic) {
            let begun = store.literals(vec![vec![first, b'-'], vec![b'\\', first, b'-']]);
            let last = store.bytes(ByteSet::range(first, b'z'));
            ranges.push(store.concatenate(begun, last));
        }
        ranges
    }

    #[test]
    fn what_is_left_is_the_same_where_alternatives_are_listed() {
        let mut plain = ExpressionStore::new();
        let mut alternatives = ranges(&mut plain);
        let letter = plain.bytes(ByteSet::range(b'a', b'm'));
        let (some, optional) = (plain.repetition(letter, 1, None), plain.repetition(letter, 0, Some(1)));
        let umlaut = plain.characters(&[('à', 'ÿ')]);
        let word = plain.literal(b"abc");
        let other = plain.complement(word);
        let digits = plain.bytes(ByteSet::range(b'0', b'9'));
        let digits = plain.intersection(&[digits, other]);
        alternatives.push(plain.concatenate(some, umlaut));
        alternatives.push(plain.concatenation(&[optional, word, optional]));
        alternatives.extend([umlaut, digits]);
        let all = plain.alternatives(&alternatives);
        let members = plain.repetition(letter, 0, None);
        let again = plain.repetition(all, 0, None);
        let nested = plain.concatenation(&[members, again, word]);
        let mut listed = plain.clone();
        for _ in 0..5 {
            left(&mut listed, all, b'a');
        }
        assert!(matches!(listed.by_first_byte.of[&all], Known::Listed(_)));
        for byte in 0..=u8::MAX {
            for id in [all, again, nested] {
                // A store that has not derived anything yet lists nothing.
                let mut fresh = plain.clone();
                let expected = left(&mut fresh, id, byte);
                let found = left(&mut listed, id, byte);
                assert_eq!(found.1, expected.1, "{byte}");
                assert_eq!(found.0.len(), expected.0.len(), "{byte}");
                for text in [&b""[..], b"-", b"-z", b"abc", b"bc", b"\\-z", b"\xBC", b"z"] {
                    let found = found.0.iter().any(|&left| listed.matches(left, text));
                    let expected = expected.0.iter().any(|&left| fresh.matches(left, text));
                    assert_eq!(found, expected, "{byte} {text:?}");
                }
            }
        }
    }

    #[test]
    fn alternatives_that_most_bytes_begin_are_not_listed() {
        let mut store = ExpressionStore::new();
        let mut alternatives = Vec::new();
        for length in 1..40 {
            let any = store.bytes(ByteSet::range(0, 200));
            let text = store.repetition(any, length, Some(length));
            let end = store.bytes(ByteSet::range(201, 202 + length as u8));
            alternatives.push(store.concatenate(text, end));
        }
        let all = store.alternatives(&alternatives);
        let before = left(&mut store, all, 7);
        for _ in 0..5 {
            assert_eq!(left(&mut store, all, 7), before);
        }
        assert!(matches!(store.by_first_byte.of[&all], Known::BegunAlike));
    }

    /// A call may begin with any byte, whatever the expressions beside it begin with.
    #[test]
    fn calls_are_not_listed() {
        let mut store = ExpressionStore::new();
        let mut alternatives = ranges(&mut store);
        alternatives.push(store.call(super::super::RuleId(0)));
        let all = store.alternatives(&alternatives);
        for _ in 0..5 {
            let mut derivatives = Derivatives::new();
            store.derive(all, Symbol::Byte(b'!'), &mut derivatives);
            assert_eq!(derivatives.calls.len(), 1);
        }
    }
}
