//! How JSON strings may be spelled.

use std::ops::RangeInclusive;

use crate::byte_set::ByteSet;

/// The UTF-16 code units that are half of a pair.
pub(crate) const SURROGATES: RangeInclusive<u32> = 0xD800..=0xDFFF;

/// Which spellings of JSON strings are allowed: each schema has its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Spelling {
    /// The bytes that may stand for themselves.
    pub(crate) raw: ByteSet,
    /// Whether strings hold only those escapes without which a character cannot be written.
    pub(crate) minimal_escapes: bool,
}

impl Spelling {
    /// All spellings over some bytes: all but quotes, backslashes and control characters may stand for
    /// themselves.
    pub(crate) fn over(bytes: &ByteSet) -> Self {
        let marks = ByteSet::single(b'"').union(&ByteSet::single(b'\\'));
        let raw = ByteSet::range(0x20, 0xFF).difference(&marks).intersection(bytes);
        Self { raw, minimal_escapes: false }
    }

    /// Whether some character beyond ASCII has no other way to be written than by an escape.
    pub(crate) fn escapes_beyond_ascii(&self) -> bool {
        let bytes = ByteSet::range(0x80, 0xBF).union(&ByteSet::range(0xC2, 0xF4));
        !bytes.difference(&self.raw).is_empty()
    }

    /// Whether a character that has an escape of one letter may be written so.
    pub(crate) fn may_escape_shortly(&self, character: u8) -> bool {
        !self.minimal_escapes || matches!(character, 0..0x20 | b'"' | b'\\')
    }

    /// Whether some code point or unit of a range may be written as an escape by its number.
    pub(crate) fn may_escape(&self, first: u32, last: u32) -> bool {
        if !self.minimal_escapes || first < 0x20 {
            return true;
        }
        last >= 0x80
            && (self.escapes_beyond_ascii() || first <= *SURROGATES.end() && last >= *SURROGATES.start())
    }

    /// Whether all code points or units of a range may be written as escapes by their numbers.
    pub(crate) fn may_escape_all(&self, range: &RangeInclusive<u32>) -> bool {
        let is_surrogate = SURROGATES.contains(range.start()) && SURROGATES.contains(range.end());
        let is_beyond_ascii = *range.start() >= 0x80 && self.escapes_beyond_ascii();
        !self.minimal_escapes || *range.end() < 0x20 || is_surrogate || is_beyond_ascii
    }
}
