//! Fixed strings by which what follows is chosen, whatever that is.
//!
//! Where each of a hundred alternatives begins with a string of its own, as the calls of as many tools do with their
//! names, every byte of every string leaves other alternatives. What these are has to be known only where a text goes, not
//! where a mask looks: until one of the strings ends, they are all that is read.

use super::literal_set::LiteralSet;
use super::{ByteSet, LiteralRange};

/// Strings with one of which all texts begin, but for those that begin with one of some bytes.
#[derive(Debug)]
pub(crate) struct Choice {
    strings: LiteralSet,
    /// The bytes with which strings begin, and nothing else does.
    first: ByteSet,
}

impl Choice {
    /// Fewer are read byte by byte as soon.
    pub(crate) const LEAST_STRINGS: usize = 4;

    /// The choice among strings, all of at least one byte, and texts that begin with one of `others`. `None` where
    /// few strings are left that no such text may begin.
    pub(crate) fn new(mut strings: Vec<&[u8]>, others: &ByteSet) -> Option<Self> {
        strings.retain(|string| string.first().is_some_and(|&byte| !others.contains(byte)));
        if strings.len() < Self::LEAST_STRINGS {
            return None;
        }
        let strings = LiteralSet::new(strings);
        let first = strings.next_bytes(strings.all());
        Some(Self { strings, first })
    }

    /// The bytes with which strings begin, and nothing else does.
    pub(crate) fn first_bytes(&self) -> &ByteSet {
        &self.first
    }

    /// All strings.
    pub(crate) fn all(&self) -> LiteralRange {
        self.strings.all()
    }

    /// The strings of a range by the bytes with which they go on.
    pub(crate) fn branches(&self, range: LiteralRange) -> impl Iterator<Item = (u8, LiteralRange)> {
        self.strings.branches(range)
    }

    /// Whether one of the strings of a range ends here.
    pub(crate) fn ends_one(&self, range: LiteralRange) -> bool {
        self.strings.is_nullable(range)
    }

    /// What has been read of the strings of a range.
    pub(crate) fn read(&self, range: LiteralRange) -> &[u8] {
        &self.strings.get(range.first)[..range.depth as usize]
    }

    /// The memory that it takes, in bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        size_of::<Self>() + self.strings.memory_bytes()
    }
}
