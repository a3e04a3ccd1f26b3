//! Sets of byte values, 256 bits each.

use std::fmt;

/// A set of byte values.
///
/// ```
/// use maskwright_core::ByteSet;
///
/// let digits = ByteSet::range(b'0', b'9');
/// assert!(digits.contains(b'7') && !digits.contains(b'x'));
/// assert_eq!(digits.len(), 10);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct ByteSet([u64; 4]);

impl ByteSet {
    /// The set without members.
    pub const EMPTY: Self = Self([0; 4]);
    /// The set of all 256 byte values.
    pub const ALL: Self = Self([u64::MAX; 4]);

    /// The set of one byte.
    pub fn single(byte: u8) -> Self {
        let mut set = Self::EMPTY;
        set.insert(byte);
        set
    }

    /// The bytes from `first` to `last`, both included; empty when `first > last`.
    pub fn range(first: u8, last: u8) -> Self {
        let mut set = Self::EMPTY;
        for (word, start) in set.0.iter_mut().zip([0, 64, 128, 192]) {
            let (low, high) = (first.max(start), last.min(start + 63));
            if low <= high {
                *word = (u64::MAX >> (63 - (high - low))) << (low - start);
            }
        }
        set
    }

    /// Adds a byte.
    pub const fn insert(&mut self, byte: u8) {
        self.0[(byte >> 6) as usize] |= 1 << (byte & 63);
    }

    /// Takes a byte out.
    pub(crate) fn remove(&mut self, byte: u8) {
        self.0[usize::from(byte >> 6)] &= !(1 << (byte & 63));
    }

    /// The byte, where there is one and no other.
    pub(crate) fn only(&self) -> Option<u8> {
        self.first().filter(|&byte| *self == Self::single(byte))
    }

    /// Whether the byte is a member.
    pub fn contains(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1
    }

    /// The least member.
    pub(crate) fn first(&self) -> Option<u8> {
        let at = self.0.iter().position(|&word| word != 0)?;
        u8::try_from(at as u32 * 64 + self.0[at].trailing_zeros()).ok()
    }

    /// Takes the least member out.
    pub fn pop_first(&mut self) -> Option<u8> {
        let at = self.0.iter().position(|&word| word != 0)?;
        let bit = self.0[at].trailing_zeros();
        self.0[at] &= self.0[at] - 1;
        u8::try_from(at as u32 * 64 + bit).ok()
    }

    /// The members in ranges that ascend, no two of them touching.
    pub(crate) fn ranges(&self) -> impl Iterator<Item = (u8, u8)> + use<> {
        let (members, others) = (*self, self.complement());
        let mut next = Some(0);
        std::iter::from_fn(move || {
            let first = members.first_from(next?)?;
            let end = others.first_from(first);
            next = end;
            Some((first, end.map_or(u8::MAX, |end| end - 1)))
        })
    }

    /// The least member that is not less than a byte.
    fn first_from(&self, least: u8) -> Option<u8> {
        let at = usize::from(least / 64);
        let rest = self.0[at] & (u64::MAX << (least % 64));
        if rest != 0 {
            return Some(least / 64 * 64 + rest.trailing_zeros() as u8);
        }
        let at = (at + 1..self.0.len()).find(|&at| self.0[at] != 0)?;
        Some((at as u32 * 64 + self.0[at].trailing_zeros()) as u8)
    }

    /// Whether there is no member.
    pub fn is_empty(&self) -> bool {
        let [a, b, c, d] = self.0;
        a | b | c | d == 0
    }

    /// Whether all bytes are ASCII.
    pub(crate) fn is_ascii(&self) -> bool {
        self.0[2] | self.0[3] == 0
    }

    /// Whether all bytes are among those from the first to the last, both included.
    pub(crate) fn is_within(&self, first: u8, last: u8) -> bool {
        self.difference(&Self::range(first, last)).is_empty()
    }

    /// The number of members.
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The members of either set.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a | b)
    }

    /// The members of both sets.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a & b)
    }

    /// The members of this set that the other lacks.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a & !b)
    }

    /// All bytes that are not members.
    #[must_use]
    pub fn complement(&self) -> Self {
        let Self([a, b, c, d]) = *self;
        Self([!a, !b, !c, !d])
    }

    /// The bytes that the set treats as it treats `byte`: its members, or all others.
    pub(crate) fn class_of(&self, byte: u8) -> Self {
        if self.contains(byte) { *self } else { self.complement() }
    }

    /// The members, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u8> + use<> {
        let mut left = *self;
        std::iter::from_fn(move || left.pop_first())
    }

    /// The set as bits: byte value 64·i + j is bit j of word i.
    pub(crate) fn words(&self) -> [u64; 4] {
        self.0
    }

    /// The set of such bits.
    pub(crate) fn from_words(words: [u64; 4]) -> Self {
        Self(words)
    }

    /// Written out for each word: closures over arrays are called, and every derivative asks for many of these sets.
    #[inline]
    fn zip(&self, other: &Self, combine: impl Fn(u64, u64) -> u64) -> Self {
        let (Self([a, b, c, d]), Self([e, f, g, h])) = (*self, *other);
        Self([combine(a, e), combine(b, f), combine(c, g), combine(d, h)])
    }
}

impl FromIterator<u8> for ByteSet {
    fn from_iter<I: IntoIterator<Item = u8>>(bytes: I) -> Self {
        let mut set = Self::EMPTY;
        for byte in bytes {
            set.insert(byte);
        }
        set
    }
}

impl fmt::Debug for ByteSet {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("[")?;
        for (first, last) in self.ranges() {
            write!(formatter, "{}", first.escape_ascii())?;
            if last > first {
                write!(formatter, "-{}", last.escape_ascii())?;
            }
        }
        formatter.write_str("]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn set_operations_agree_with_membership() {
        let low = ByteSet::range(0, 127);
        let odd: ByteSet = (0..=255u8).filter(|b| b % 2 == 1).collect();
        for byte in 0..=255u8 {
            assert_eq!(low.union(&odd).contains(byte), byte < 128 || byte % 2 == 1);
            assert_eq!(low.intersection(&odd).contains(byte), byte < 128 && byte % 2 == 1);
            assert_eq!(low.difference(&odd).contains(byte), byte < 128 && byte % 2 == 0);
            assert_eq!(low.complement().contains(byte), byte >= 128);
        }
        assert_eq!(low.len(), 128);
        assert_eq!(odd.iter().collect::<Vec<_>>(), (0..=255u8).filter(|b| b % 2 == 1).collect::<Vec<_>>());
    }

    #[test]
    fn ranges_include_both_ends_and_print_readably() {
        assert_eq!(ByteSet::range(250, 255).len(), 6);
        assert!(ByteSet::range(9, 3).is_empty());
        let ranges = [(0, 0), (2, 2), (60, 70), (128, 191), (193, 255)];
        let set = ranges.iter().fold(ByteSet::EMPTY, |set, &(a, b)| set.union(&ByteSet::range(a, b)));
        assert_eq!(set.ranges().collect::<Vec<_>>(), ranges);
        assert_eq!(ByteSet::EMPTY.ranges().next(), None);
        assert_eq!(format!("{:?}", ByteSet::range(b'a', b'c').union(&ByteSet::single(b'"'))), "[\\\"a-c]");
    }
}
