//! Sets of fixed strings, kept sorted, so that what is left after some bytes is a range of them.
//!
//! Ten thousand choices are one list and one range, not ten thousand alternatives: stepping over a
//! byte is a binary search that narrows the range.

use std::cmp::Ordering;

use super::ByteSet;
use super::store::{Lacking, size_of_bytes};
use crate::spelling::begins_character;

/// One sorted list of strings in an [`ExpressionStore`](super::ExpressionStore).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LiteralSetId(pub(crate) u32);

impl LiteralSetId {
    /// That of sets by themselves.
    const IN_NO_STORE: Self = Self(u32::MAX);
}

/// What is left of the strings `first..end` of a set after their common first `depth` bytes.
///
/// Invariant: the range is not empty, and all its strings share their first `depth` bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LiteralRange {
    /// The list.
    pub set: LiteralSetId,
    /// The first string of the range.
    pub first: u32,
    /// One past the last string of the range.
    pub end: u32,
    /// How many bytes of each string are consumed.
    pub depth: u32,
}

/// A sorted list of distinct strings, stored end to end.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct LiteralSet {
    bytes: Box<[u8]>,
    /// `ends[i]` is where string `i` ends in `bytes`; it starts where the one before ends.
    ends: Box<[usize]>,
    /// Whether all strings are UTF-8.
    is_text: bool,
    /// Some characters that none of the strings holds.
    lacking: Lacking,
}

impl LiteralSet {
    /// Sorts the strings, which takes little where they are sorted, and drops duplicates.
    pub(super) fn new<L: AsRef<[u8]>>(mut literals: Vec<L>) -> Self {
        literals.sort_unstable_by(|one, other| one.as_ref().cmp(other.as_ref()));
        literals.dedup_by(|one, other| one.as_ref() == other.as_ref());
        let literals = || literals.iter().map(AsRef::as_ref);
        let mut ends = Vec::with_capacity(literals().len());
        let mut bytes = Vec::with_capacity(literals().map(<[u8]>::len).sum());
        for literal in literals() {
            bytes.extend_from_slice(literal);
            ends.push(bytes.len());
        }
        let is_text = bytes.is_ascii() || literals().all(|literal| std::str::from_utf8(literal).is_ok());
        let lacking = Lacking::in_text(&bytes);
        Self { bytes: bytes.into(), ends: ends.into(), is_text, lacking }
    }

    /// The set of one string.
    pub(super) fn single(literal: &[u8]) -> Self {
        let is_text = std::str::from_utf8(literal).is_ok();
        let lacking = Lacking::among(&literal.iter().copied().collect());
        Self { bytes: literal.into(), ends: Box::new([literal.len()]), is_text, lacking }
    }

    /// What the strings take beside an expression, in the size of expressions.
    pub(super) fn size(&self) -> usize {
        size_of_bytes(self.memory_bytes())
    }

    /// What the strings take, in bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        self.bytes.len() + size_of_val(&*self.ends)
    }

    /// All strings of a set that is in no store.
    pub(super) fn all(&self) -> LiteralRange {
        LiteralRange { set: LiteralSetId::IN_NO_STORE, first: 0, end: self.len(), depth: 0 }
    }

    pub(super) fn len(&self) -> u32 {
        self.ends.len() as u32
    }

    pub(super) fn get(&self, index: u32) -> &[u8] {
        let index = index as usize;
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.bytes[start..self.ends[index]]
    }

    /// Whether all strings of the set are UTF-8.
    pub(super) fn is_text(&self) -> bool {
        self.is_text
    }

    /// Some characters that none of the strings holds.
    pub(super) fn lacking(&self) -> Lacking {
        self.lacking
    }

    /// Whether what is left of the strings of a range is known to be UTF-8. Takes constant time: where one of them is
    /// between two characters, all are.
    pub(super) fn is_text_from(&self, range: LiteralRange) -> bool {
        let next = self.get(range.first).get(range.depth as usize);
        self.is_text && next.is_none_or(|&byte| begins_character(byte))
    }

    /// Whether one of the strings of the range ends exactly here. It is the first one, by the order.
    pub(super) fn is_nullable(&self, range: LiteralRange) -> bool {
        self.get(range.first).len() == range.depth as usize
    }

    /// The strings of the range that go on with `byte`, or `None` where there are none.
    pub(super) fn step(&self, range: LiteralRange, byte: u8) -> Option<LiteralRange> {
        if range.end - range.first == 1 {
            let goes_on = self.get(range.first).get(range.depth as usize) == Some(&byte);
            return goes_on.then_some(LiteralRange { depth: range.depth + 1, ..range });
        }
        let first = self.partition(range, |next| next.is_none_or(|next| next < byte));
        let end = self.partition(range, |next| next.is_none_or(|next| next <= byte));
        (first < end).then_some(LiteralRange { first, end, depth: range.depth + 1, ..range })
    }

    /// Whether `rest` is what is left of one of the strings of the range.
    pub(super) fn ends_with(&self, range: LiteralRange, rest: &[u8]) -> bool {
        let (mut low, mut high) = (range.first, range.end);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.get(middle)[range.depth as usize..].cmp(rest) {
                Ordering::Less => low = middle + 1,
                Ordering::Equal => return true,
                Ordering::Greater => high = middle,
            }
        }
        false
    }

    /// The bytes with which strings of the range go on.
    pub(super) fn next_bytes(&self, range: LiteralRange) -> ByteSet {
        let mut bytes = ByteSet::EMPTY;
        let mut at = range;
        while at.first < at.end {
            let next = self.get(at.first).get(range.depth as usize).copied();
            if let Some(next) = next {
                bytes.insert(next);
            }
            at.first = self.partition(LiteralRange { first: at.first + 1, ..at }, |other| other <= next);
        }
        bytes
    }

    /// The strings of a range by the bytes with which they go on, which ascend. Takes less than to ask for the bytes, and then
    /// for the strings of each.
    pub(super) fn branches(&self, range: LiteralRange) -> Branches<'_> {
        // The string that ends here, if any, is the first.
        let ended = u32::from(range.first < range.end && self.is_nullable(range));
        Branches { set: self, left: LiteralRange { first: range.first + ended, ..range } }
    }

    /// The first string of the range for whose next byte `before` is false.
    #[inline(always)]
    fn partition(&self, range: LiteralRange, before: impl Fn(Option<u8>) -> bool) -> u32 {
        let (mut low, mut high) = (range.first, range.end);
        while low < high {
            let middle = low + (high - low) / 2;
            if before(self.get(middle).get(range.depth as usize).copied()) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

/// The strings of a range by the bytes with which they go on.
pub(super) struct Branches<'a> {
    set: &'a LiteralSet,
    /// Those still to come, none of which ends here.
    left: LiteralRange,
}

impl Iterator for Branches<'_> {
    type Item = (u8, LiteralRange);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let Self { set, left } = self;
        if left.first >= left.end {
            return None;
        }
        let next = set.get(left.first).get(left.depth as usize).copied();
        let others = LiteralRange { first: left.first + 1, ..*left };
        let end = set.partition(others, |other| other <= next);
        let branch = LiteralRange { end, depth: left.depth + 1, ..*left };
        left.first = end;
        next.map(|byte| (byte, branch))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stepping_narrows_the_range_to_the_strings_that_go_on() {
        let set = LiteralSet::new(["on", "one", "two", "", "on"].map(Vec::from).to_vec());
        assert_eq!(set.len(), 4);
        let all = LiteralRange { set: LiteralSetId(0), first: 0, end: 4, depth: 0 };
        assert!(set.is_nullable(all));
        assert_eq!(set.next_bytes(all), "ot".bytes().collect());
        let o = set.step(all, b'o').unwrap();
        assert_eq!((o.first, o.end, o.depth), (1, 3, 1));
        assert!(!set.is_nullable(o));
        let on = set.step(o, b'n').unwrap();
        assert!(set.is_nullable(on));
        assert_eq!(set.next_bytes(on), "e".bytes().collect());
        assert!(set.step(on, b'x').is_none());
        for range in [all, o, on] {
            let by_byte = set.next_bytes(range);
            let by_byte: Vec<_> =
                by_byte.iter().filter_map(|byte| Some((byte, set.step(range, byte)?))).collect();
            assert_eq!(set.branches(range).collect::<Vec<_>>(), by_byte);
        }
        for rest in ["", "e", "x", "n", "two"] {
            let mut stepped = Some(on);
            for byte in rest.bytes() {
                stepped = stepped.and_then(|range| set.step(range, byte));
            }
            let is_one = stepped.is_some_and(|range| set.is_nullable(range));
            assert_eq!(set.ends_with(on, rest.as_bytes()), is_one, "{rest:?}");
        }
    }
}
