//! Classes of the characters that some classes do not tell from others.
//!
//! Of kinds of characters a state is asked what it does with all of them. The characters beyond ASCII of which it reads only some
//! are told by the classes that its pattern is made of: those that are in the same of these as a character that was asked for
//! are alike. Which these are is found once for a vocabulary.

use std::sync::Arc;

use super::character_class::{CharacterClass, ClassId, CodePointRange, characters_begun_by, joined};
use super::signature::Signature;
use crate::byte_set::ByteSet;

/// Asks for characters that are like others.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Alike {
    /// What tells characters apart, ascending.
    pub(crate) classes: Box<[ClassId]>,
    /// Kinds of characters that are taken in any case.
    pub(crate) kinds: Signature,
    /// The first bytes of those characters that others may be like.
    pub(crate) like: ByteSet,
}

impl Alike {
    /// With more classes, or as many ranges of all of them together, it takes too long to find out.
    const MOST_CLASSES: usize = u64::BITS as usize;
    const MOST_RANGES: usize = 1 << 13;

    /// The memory in bytes, in a table of what is known.
    pub(super) fn memory_bytes(&self) -> usize {
        size_of::<(Self, Option<ClassId>)>() + size_of_val(&*self.classes)
    }

    /// The characters, in ranges that ascend. `None` where it takes too long to find them.
    pub(super) fn characters(&self, classes: &[Arc<CharacterClass>]) -> Option<Vec<CodePointRange>> {
        let count: usize = classes.iter().map(|class| class.ranges().len()).sum();
        if classes.len() > Self::MOST_CLASSES || count > Self::MOST_RANGES {
            return None;
        }
        let parts = parts(classes);
        let mut met: Vec<u64> = Vec::new();
        for (first, last) in self.like.iter().filter_map(characters_begun_by) {
            let from = parts.partition_point(|part| part.characters.1 < first);
            let touching = parts[from..].iter().take_while(|part| part.characters.0 <= last);
            met.extend(touching.map(|part| part.classes));
        }
        met.sort_unstable();
        met.dedup();
        let alike = parts.iter().filter(|part| met.binary_search(&part.classes).is_ok());
        let mut ranges: Vec<CodePointRange> =
            alike.filter_map(|part| beyond_ascii(part.characters)).collect();
        ranges.extend(self.kinds.first_bytes().iter().filter_map(characters_begun_by));
        Some(joined(ranges))
    }
}

/// Characters that are in the same of some classes.
struct Part {
    characters: CodePointRange,
    /// One bit for each class.
    classes: u64,
}

/// All code points but surrogates in parts that ascend, by the classes that they are in.
fn parts(classes: &[Arc<CharacterClass>]) -> Vec<Part> {
    const SURROGATES: CodePointRange = (0xD800, 0xDFFF);
    let mut changes: Vec<(u32, u64)> = vec![(SURROGATES.0, 0), (SURROGATES.1 + 1, 0)];
    for (at, class) in classes.iter().enumerate() {
        let ends = class.ranges().iter().flat_map(|&(first, last)| [first, last + 1]);
        changes.extend(ends.map(|end| (end, 1 << at)));
    }
    changes.sort_unstable();
    let (mut parts, mut first, mut bits) = (Vec::new(), 0, 0);
    for (end, change) in changes.into_iter().chain([(u32::from(char::MAX) + 1, 0)]) {
        if end > first && first != SURROGATES.0 {
            parts.push(Part { characters: (first, end - 1), classes: bits });
        }
        first = end;
        bits ^= change;
    }
    parts
}

/// Those of some code points that are beyond ASCII.
fn beyond_ascii((first, last): CodePointRange) -> Option<CodePointRange> {
    (last >= 0x80).then(|| (first.max(0x80), last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_are_alike_that_are_in_the_same_classes() {
        const CLASSES: &[&[CodePointRange]] = &[
            &[(0x20, 0x7E), (0xA0, 0xD7FF), (0xE000, 0x10_FFFF)],
            &[(0x30, 0x39), (0x660, 0x669), (0x1D7CE, 0x1D7FF)],
            &[(0x61, 0x7A), (0xE0, 0xFF), (0x3B1, 0x3C9), (0xE000, 0xF8FF)],
        ];
        let classes: Vec<_> =
            CLASSES.iter().map(|&ranges| Arc::new(CharacterClass::of(ranges.into()))).collect();
        let of = |character: char| {
            let is_in = |ranges: &&&[CodePointRange]| {
                ranges.iter().any(|&(first, last)| (first..=last).contains(&u32::from(character)))
            };
            CLASSES.iter().map(|ranges| is_in(&ranges)).collect::<Vec<bool>>()
        };
        let all = || '\0'..=char::MAX;
        for like in [&b"a"[..], b"1", b"a7", b"-", b"", b"\xCE", b"\x00\xF4", b"\xED"] {
            let like: ByteSet = like.iter().copied().collect();
            for kinds in [Signature::EMPTY, Signature::DIGITS, Signature::of(0xE2)] {
                let alike = Alike { classes: Box::default(), kinds, like };
                let ranges = alike.characters(&classes).unwrap();
                assert!(ranges.windows(2).all(|pair| pair[0].1 + 1 < pair[1].0), "{ranges:x?}");
                let first = |character: char| character.to_string().as_bytes()[0];
                let met: std::collections::BTreeSet<_> =
                    all().filter(|&character| like.contains(first(character))).map(of).collect();
                for character in all() {
                    let is_taken = kinds.first_bytes().contains(first(character));
                    let expected = is_taken || !character.is_ascii() && met.contains(&of(character));
                    let code = u32::from(character);
                    let after = ranges.partition_point(|range| range.1 < code);
                    let is_in = ranges.get(after).is_some_and(|range| range.0 <= code);
                    assert_eq!(is_in, expected, "{character:?} {like:?} {kinds:?}");
                }
            }
        }
    }
}
