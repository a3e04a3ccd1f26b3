//! Classes of characters, such as the letters of all alphabets.
//!
//! Kinds of characters are told by their first byte, and a class of letters beyond ASCII holds few of those as a whole. So
//! what states that loop on such a class make of the vocabulary is made by the class itself, which is known here by a number:
//! it is the same for all grammars. Their memory is bounded; classes that are met when there is no room are left without.

use std::sync::{Arc, PoisonError, RwLock};

use rustc_hash::FxHashMap;

use super::alike::Alike;
use super::signature::{Signature, Utf8State};
use crate::byte_set::ByteSet;

/// Code points from the first to the last, both included.
pub(crate) type CodePointRange = (u32, u32);

/// The characters that begin with a byte.
pub(crate) fn characters_begun_by(byte: u8) -> Option<CodePointRange> {
    const LAST_BEFORE_SURROGATES: u32 = 0xD7FF;
    const BEFORE_SURROGATES: u8 = 0xED;
    let (first, last) = CharacterRead::NONE.step(byte)?.code_points();
    Some((first, if byte == BEFORE_SURROGATES { LAST_BEFORE_SURROGATES } else { last }))
}

/// The same code points in ranges that ascend, no two of them touching.
pub(crate) fn joined(mut ranges: Vec<CodePointRange>) -> Vec<CodePointRange> {
    ranges.sort_unstable();
    ranges.dedup_by(|next, range| {
        let touches = next.0 <= range.1 + 1;
        if touches {
            range.1 = range.1.max(next.1);
        }
        touches
    });
    ranges
}

/// The number of a class of one vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ClassId(u32);

/// Some characters of which a slice is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Characters {
    /// All of some kinds.
    Kinds(Signature),
    /// Those of a class.
    Class(ClassId),
}

/// A set of characters. Surrogates are in none.
#[derive(Debug)]
pub(crate) struct CharacterClass {
    /// Ascending, no two of them touching.
    ranges: Arc<[CodePointRange]>,
    first: ByteSet,
    whole_kinds: Signature,
}

impl CharacterClass {
    pub(super) fn of(ranges: Arc<[CodePointRange]>) -> Self {
        let mut class = Self { ranges, first: ByteSet::EMPTY, whole_kinds: Signature::EMPTY };
        let mut whole = ByteSet::EMPTY;
        for byte in 0..=u8::MAX {
            let Some(begun) = characters_begun_by(byte) else { continue };
            if class.holds_any(begun) {
                class.first.insert(byte);
            }
            if class.holds_all(begun) {
                whole.insert(byte);
            }
        }
        class.whole_kinds = Signature::all_within(&whole, &ByteSet::ALL);
        class
    }

    /// The characters, in ranges that ascend.
    pub(crate) fn ranges(&self) -> &[CodePointRange] {
        &self.ranges
    }

    /// The least character of the class; of none, the first of all.
    pub(crate) fn first_character(&self) -> char {
        self.ranges.first().and_then(|range| char::from_u32(range.0)).unwrap_or_default()
    }

    /// The characters of the class but for some of ASCII: ranges that ascend, no two of them touching.
    pub(crate) fn ranges_without(&self, ascii: &ByteSet) -> Vec<CodePointRange> {
        let mut ranges = self.ranges.to_vec();
        for byte in ascii.iter().map(u32::from) {
            let Some(at) = ranges.iter().position(|&(first, last)| (first..=last).contains(&byte)) else {
                continue;
            };
            let (first, last) = ranges.remove(at);
            let apart = [(first, byte.wrapping_sub(1)), (byte + 1, last)];
            ranges.splice(
                at..at,
                apart.into_iter().filter(|&(from, to)| first <= from && from <= to && to <= last),
            );
        }
        ranges
    }

    /// The bytes with which characters of the class begin.
    pub(crate) fn first_bytes(&self) -> ByteSet {
        self.first
    }

    /// Whether a byte begins a character of the class without being one.
    pub(crate) fn may_begin_within(&self, byte: u8) -> bool {
        !byte.is_ascii() && self.first.contains(byte)
    }

    /// The kinds of which all characters are in the class.
    pub(crate) fn whole_kinds(&self) -> Signature {
        self.whole_kinds
    }

    /// Whether the class holds nothing but all characters of some kinds.
    pub(crate) fn is_of_kinds(&self) -> bool {
        self.first.difference(&self.whole_kinds.first_bytes()).is_empty()
    }

    /// Whether a character that has been read as far as that may be one of the class.
    pub(crate) fn may_hold(&self, read: CharacterRead) -> bool {
        self.holds_any(read.code_points())
    }

    /// Whether whatever a character that has been read as far as that comes to is one of the class.
    pub(crate) fn must_hold(&self, read: CharacterRead) -> bool {
        self.holds_all(read.code_points())
    }

    fn holds_any(&self, (first, last): CodePointRange) -> bool {
        let after = self.ranges.partition_point(|range| range.1 < first);
        self.ranges.get(after).is_some_and(|range| range.0 <= last)
    }

    fn holds_all(&self, (first, last): CodePointRange) -> bool {
        let after = self.ranges.partition_point(|range| range.1 < first);
        self.ranges.get(after).is_some_and(|range| range.0 <= first && last <= range.1)
    }

    /// One bit for each code point up to the last of the class.
    pub(super) fn to_bits(&self) -> Vec<u64> {
        let count = self.ranges.last().map_or(0, |range| range.1 + 1);
        let mut bits = vec![0u64; (count as usize).div_ceil(64)];
        for &(first, last) in &*self.ranges {
            for word in first / 64..=last / 64 {
                let from = first.max(word * 64) % 64;
                let to = last.min(word * 64 + 63) % 64;
                bits[word as usize] |= u64::MAX >> (63 - (to - from)) << from;
            }
        }
        bits
    }

    fn memory_bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.ranges)
    }
}

/// A character of UTF-8, as far as it has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CharacterRead {
    position: Utf8State,
    bits: u32,
    /// The number of bytes still to come.
    missing: u32,
}

impl CharacterRead {
    /// Nothing of it.
    pub(crate) const NONE: Self = Self { position: Utf8State::BOUNDARY, bits: 0, missing: 0 };

    /// One byte more; `None` where that cannot follow. After a whole character, the next one begins.
    #[inline]
    pub(crate) fn step(self, byte: u8) -> Option<Self> {
        let position = self.position.step(byte)?;
        let (bits, missing) = match byte {
            _ if self.position != Utf8State::BOUNDARY => {
                (self.bits << 6 | u32::from(byte & 0x3F), self.missing - 1)
            }
            0..=0x7F => (u32::from(byte), 0),
            0x80..=0xDF => (u32::from(byte & 0x1F), 1),
            0xE0..=0xEF => (u32::from(byte & 0x0F), 2),
            0xF0..=0xFF => (u32::from(byte & 0x07), 3),
        };
        Some(Self { position, bits, missing })
    }

    /// How far it has been read.
    pub(crate) fn position(self) -> Utf8State {
        self.position
    }

    /// The code point, where the character has been read to its end.
    #[inline]
    pub(crate) fn whole(self) -> Option<u32> {
        (self.missing == 0).then_some(self.bits)
    }

    /// The number of bytes still to come.
    pub(crate) fn missing(self) -> u32 {
        self.missing
    }

    /// The code points that it may come to.
    pub(crate) fn code_points(self) -> CodePointRange {
        /// No shorter form could have been written.
        const LEAST: [u32; 4] = [0, 0x80, 0x800, 0x1_0000];
        let (missing, first) = (self.missing as usize, self.bits << (6 * self.missing));
        let last = first | ((1 << (6 * self.missing)) - 1);
        let least = if self.bits == 0 { LEAST[missing] } else { 0 };
        (first.max(least), last.min(u32::from(char::MAX)))
    }
}

/// The classes of one vocabulary that have been met.
#[derive(Debug)]
pub(super) struct Classes {
    known: RwLock<Known>,
    /// The greatest number of bytes that they take.
    limit: usize,
}

#[derive(Debug, Default)]
struct Known {
    ids: FxHashMap<Arc<[CodePointRange]>, ClassId>,
    classes: Vec<Arc<CharacterClass>>,
    /// The classes of characters that are like others, where these have been asked for.
    alike: FxHashMap<Alike, Option<ClassId>>,
    bytes: usize,
}

impl Classes {
    /// None, of which up to so many bytes will be kept.
    pub(super) fn new(limit: usize) -> Self {
        Self { known: RwLock::default(), limit }
    }

    /// The class of some characters: ranges that ascend, no two of them touching, and hold no surrogates. `None` where there
    /// is no room for one more.
    pub(super) fn id(&self, ranges: &[CodePointRange]) -> Option<ClassId> {
        if let Some(&known) = self.known.read().unwrap_or_else(PoisonError::into_inner).ids.get(ranges) {
            return Some(known);
        }
        let ranges: Arc<[CodePointRange]> = ranges.into();
        let class = CharacterClass::of(Arc::clone(&ranges));
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(&id) = known.ids.get(&ranges) {
            return Some(id);
        }
        let bytes = known.bytes + class.memory_bytes();
        if bytes > self.limit {
            return None;
        }
        let id = ClassId(known.classes.len() as u32);
        known.bytes = bytes;
        known.classes.push(Arc::new(class));
        known.ids.insert(ranges, id);
        Some(id)
    }

    /// The class of the characters that are like others; `None` where it is too much to find out, or there is no room for one
    /// more.
    pub(super) fn with_alike(&self, alike: Alike) -> Option<ClassId> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(&class) = known.alike.get(&alike) {
            return class;
        }
        let classes: Vec<_> =
            alike.classes.iter().map(|id| Arc::clone(&known.classes[id.0 as usize])).collect();
        drop(known);
        let class = alike.characters(&classes).and_then(|ranges| self.id(&ranges));
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let bytes = known.bytes + alike.memory_bytes();
        if bytes <= self.limit && known.alike.insert(alike, class).is_none() {
            known.bytes = bytes;
        }
        class
    }

    /// A class that was given a number.
    pub(super) fn get(&self, id: ClassId) -> Arc<CharacterClass> {
        Arc::clone(&self.known.read().unwrap_or_else(PoisonError::into_inner).classes[id.0 as usize])
    }

    /// The memory in use, in bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        self.known.read().unwrap_or_else(PoisonError::into_inner).bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_touch_are_joined() {
        assert_eq!(joined(vec![(7, 9), (1, 2), (3, 4), (9, 12), (20, 20)]), [(1, 4), (7, 12), (20, 20)]);
        let all: Vec<_> = (0..=u8::MAX).filter_map(characters_begun_by).collect();
        assert_eq!(joined(all), [(0, 0xD7FF), (0xE000, u32::from(char::MAX))]);
    }

    const CLASSES: &[&[CodePointRange]] = &[
        &[(0x61, 0x7A)],
        &[(0x30, 0x39), (0xAA, 0xAA), (0xC0, 0xD6), (0x100, 0x7FF)],
        &[(0x80, 0xD7FF), (0xE000, 0x10_FFFF)],
        &[(0x800, 0xFFF), (0x4E00, 0x9FFF), (0x1_0000, 0x1_F64F)],
        &[(0x7F, 0x80), (0x3FFFF, 0x4_0000)],
    ];

    fn read(bytes: &[u8]) -> Option<CharacterRead> {
        bytes.iter().try_fold(CharacterRead::NONE, |read, &byte| read.step(byte))
    }

    #[test]
    fn what_is_said_of_a_class_is_so_of_its_characters() {
        for &ranges in CLASSES {
            let class = CharacterClass::of(ranges.into());
            let bits = class.to_bits();
            let is_in = |code| ranges.iter().any(|&(first, last)| (first..=last).contains(&code));
            let mut begun: FxHashMap<Vec<u8>, bool> = FxHashMap::default();
            let (mut of_first, mut all_of_first) = (ByteSet::EMPTY, ByteSet::ALL);
            for character in '\0'..=char::MAX {
                let code = u32::from(character);
                let mut spelled = [0; 4];
                let bytes = character.encode_utf8(&mut spelled).as_bytes();
                for count in 1..=bytes.len() {
                    *begun.entry(bytes[..count].to_vec()).or_default() |= is_in(code);
                }
                assert_eq!(read(bytes).and_then(CharacterRead::whole), Some(code));
                let bit = bits.get(code as usize / 64).is_some_and(|word| word >> (code % 64) & 1 == 1);
                assert_eq!(bit, is_in(code), "{code:x}");
                match is_in(code) {
                    true => of_first.insert(bytes[0]),
                    false => all_of_first.remove(bytes[0]),
                }
            }
            assert_eq!(class.first_bytes(), of_first);
            assert_eq!(class.whole_kinds(), Signature::all_within(&all_of_first, &ByteSet::ALL));
            assert_eq!(class.is_of_kinds(), of_first == class.whole_kinds().first_bytes());
            for (bytes, may_hold) in begun {
                assert_eq!(class.may_hold(read(&bytes).unwrap()), may_hold, "{bytes:x?}");
            }
        }
    }

    #[test]
    fn classes_are_numbered_once_as_long_as_there_is_room() {
        let classes = Classes::new(3 * size_of::<CharacterClass>());
        let ids: Vec<_> = CLASSES.iter().map(|ranges| classes.id(ranges)).collect();
        assert!(ids[0].is_some() && ids[0] != ids[1] && ids[4].is_none());
        for (id, ranges) in ids.iter().zip(CLASSES) {
            assert_eq!(classes.id(ranges), *id);
            assert!(id.is_none_or(|id| *classes.get(id).ranges == **ranges));
        }
        assert!(classes.memory_bytes() <= 3 * size_of::<CharacterClass>());
    }
}
