//! What kinds of bytes occur below a node of the trie, in one word.
//!
//! A state that loops on kinds of characters, as in the middle of a JSON string, takes or leaves whole
//! subtrees by comparing two words, and the thousands of nodes below are never looked at.

use std::ops::BitOrAssign;

use crate::byte_set::ByteSet;

/// A set of kinds of characters, told by their first byte: one bit for each kind, and one for what is no UTF-8.
///
/// Bytes that begin no character have no kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Signature(u64);

impl Signature {
    /// No kinds.
    pub(crate) const EMPTY: Self = Self(0);
    /// Bytes that are not whole characters in UTF-8, nor the beginning of one at the end of a string.
    const NOT_UTF8: Self = Self(1 << 63);
    /// The kinds of which any number of bytes may be told apart only as a whole.
    const RANGES: [(u8, u8); 6] =
        [(b'0', b'9'), (b'a', b'f'), (b'g', b'z'), (b'A', b'F'), (b'G', b'Z'), (0x0E, 0x1F)];
    /// The first bytes of characters beyond ASCII among which there is white space or the end of a line. Patterns
    /// treat them unlike all others, which share one kind.
    const WITH_SPACES: [u8; 5] = [0xC2, 0xE1, 0xE2, 0xE3, 0xEF];
    /// The bits of characters beyond ASCII; those before are of ASCII.
    const BEYOND_ASCII: u8 = 56;

    /// Whether there are no kinds in the set.
    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether all kinds of this set are in the other.
    pub(crate) fn is_within(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// The kinds of this set that are not in the other.
    pub(crate) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether all kinds of the set are of characters of ASCII: texts of them are of such bytes only.
    pub(crate) fn is_ascii(self) -> bool {
        !self.has_beyond_ascii()
    }

    /// Whether there are characters beyond ASCII in the set.
    pub(crate) fn has_beyond_ascii(self) -> bool {
        self.0 >> Self::BEYOND_ASCII != 0
    }

    /// The kind of the characters that begin with a byte; none for a byte that begins none.
    pub(crate) fn of(byte: u8) -> Self {
        match Self::KINDS[usize::from(byte)] {
            Self::NO_KIND => Self::EMPTY,
            kind => Self(1 << kind),
        }
    }

    /// The kinds of the characters that begin with any of some bytes.
    pub(crate) fn of_any(bytes: &ByteSet) -> Self {
        let mut kinds = Self::EMPTY;
        bytes.iter().for_each(|byte| kinds |= Self::of(byte));
        kinds
    }

    /// Whether there is just one kind in the set.
    pub(crate) fn is_single(self) -> bool {
        self.0.is_power_of_two()
    }

    /// All kinds, each with the bytes with which its characters begin.
    pub(crate) fn kinds() -> Vec<(Self, ByteSet)> {
        let mut kinds = vec![(Self::EMPTY, ByteSet::EMPTY); 64];
        for byte in (0..=0xFF).filter(|&byte| Self::of(byte) != Self::EMPTY) {
            let kind = Self::of(byte);
            let (known, members) = &mut kinds[kind.0.trailing_zeros() as usize];
            *known = kind;
            members.insert(byte);
        }
        kinds.retain(|(_, members)| !members.is_empty());
        kinds
    }

    /// Stands for the kind of a byte that begins no character.
    const NO_KIND: u8 = u8::MAX;

    /// For each byte the number of the kind of the characters that begin with it.
    const KINDS: [u8; 0x100] = {
        let mut kinds = [Self::NO_KIND; 0x100];
        let mut byte = 0;
        let mut singles = 0;
        while byte < 0x80 {
            let mut kind = 0;
            while kind < Self::RANGES.len()
                && (byte < Self::RANGES[kind].0 as usize || byte > Self::RANGES[kind].1 as usize)
            {
                kind += 1;
            }
            if kind == Self::RANGES.len() {
                kind += singles;
                singles += 1;
            }
            kinds[byte] = kind as u8;
            byte += 1;
        }
        byte = 0xC2;
        while byte <= 0xF4 {
            kinds[byte] = Self::BEYOND_ASCII;
            byte += 1;
        }
        let mut special = 0;
        while special < Self::WITH_SPACES.len() {
            kinds[Self::WITH_SPACES[special] as usize] = Self::BEYOND_ASCII + 1 + special as u8;
            special += 1;
        }
        kinds
    };
}

impl BitOrAssign for Signature {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

/// How far into a character of UTF-8 one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Utf8State(u8);

impl Utf8State {
    /// Between two characters.
    pub(crate) const BOUNDARY: Self = Self(0);
    /// The number of states.
    pub(crate) const COUNT: usize = 8;

    /// All states.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        (0..Self::COUNT as u8).map(Self)
    }

    /// The state as an index.
    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The states after the bytes of a set, each once.
    pub(crate) fn after_any(self, bytes: &ByteSet) -> impl Iterator<Item = Self> + use<> {
        let after = bytes.iter().filter_map(|byte| self.step(byte));
        let mut met = after.fold(0u8, |met, state| met | 1 << state.0);
        std::iter::from_fn(move || {
            let state = (met != 0).then(|| Self(met.trailing_zeros() as u8))?;
            met &= met - 1;
            Some(state)
        })
    }

    /// The state after a byte; `None` where the byte cannot follow.
    pub(crate) fn step(self, byte: u8) -> Option<Self> {
        let continuation =
            |first: u8, last: u8, next: u8| (first..=last).contains(&byte).then_some(Self(next));
        match self.0 {
            0 => match byte {
                0..=0x7F => Some(Self(0)),
                0xC2..=0xDF => Some(Self(1)),
                0xE0 => Some(Self(4)),
                0xED => Some(Self(5)),
                0xE1..=0xEF => Some(Self(2)),
                0xF0 => Some(Self(6)),
                0xF1..=0xF3 => Some(Self(3)),
                0xF4 => Some(Self(7)),
                _ => None,
            },
            4 => continuation(0xA0, 0xBF, 1),
            5 => continuation(0x80, 0x9F, 1),
            6 => continuation(0x90, 0xBF, 2),
            7 => continuation(0x80, 0x8F, 2),
            left => continuation(0x80, 0xBF, left - 1),
        }
    }
}

/// The signature of every node of a trie: what is below it, as read from the node on.
///
/// `children(node)` gives the children of a node with the bytes that lead to them; they have greater
/// indices than the node.
pub(super) fn signatures<I: Iterator<Item = (usize, u8)>>(
    count: usize,
    children: impl Fn(usize) -> I,
) -> Box<[Signature]> {
    let kinds: [Signature; 256] = std::array::from_fn(|byte| Signature::of(byte as u8));
    let mut signatures = vec![Signature::default(); count];
    // Bit q says that all strings below the node are well formed when read from the state q on.
    let mut well_formed = vec![0u8; count];
    for node in (0..count).rev() {
        let mut signature = Signature::default();
        let mut formed = u8::MAX;
        for (child, byte) in children(node) {
            signature |= kinds[usize::from(byte)];
            signature |= Signature(signatures[child].0 & !Signature::NOT_UTF8.0);
            for state in Utf8State::all() {
                let next = state.step(byte);
                if next.is_none_or(|next| well_formed[child] >> next.0 & 1 == 0) {
                    formed &= !(1 << state.0);
                }
            }
        }
        if formed & 1 << Utf8State::BOUNDARY.0 == 0 {
            signature |= Signature::NOT_UTF8;
        }
        signatures[node] = signature;
        well_formed[node] = formed;
    }
    signatures.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_states_of_utf8_agree_with_the_standard_library() {
        for text in [
            &b"a"[..],
            "é".as_bytes(),
            "日".as_bytes(),
            "😀".as_bytes(),
            b"\xED\xA0\x80",
            b"\xC0\x80",
            b"\xF4\x90\x80\x80",
            b"\xE0\x80\x80",
            b"\x80",
            b"\xF0\x90\x80\x80",
            b"\xFF",
        ] {
            let end = text.iter().try_fold(Utf8State::BOUNDARY, |state, &byte| state.step(byte));
            assert_eq!(end == Some(Utf8State::BOUNDARY), std::str::from_utf8(text).is_ok(), "{text:x?}");
        }
    }

    #[test]
    fn the_states_after_bytes_are_those_after_each() {
        for state in Utf8State::all() {
            for last in 0..=255 {
                let bytes = ByteSet::range(last / 2, last);
                let mut each: Vec<usize> =
                    bytes.iter().filter_map(|byte| state.step(byte)).map(Utf8State::index).collect();
                each.sort_unstable();
                each.dedup();
                assert!(state.after_any(&bytes).map(Utf8State::index).eq(each));
            }
        }
    }

    #[test]
    fn every_byte_has_a_kind_of_its_own_or_of_its_range() {
        let kinds = Signature::kinds();
        let members: usize = kinds.iter().map(|(_, members)| members.len()).sum();
        assert_eq!(members, 128 + 51);
        for (kind, members) in kinds {
            assert!(kind.is_within(Signature(!Signature::NOT_UTF8.0)));
            assert!(members.iter().all(|byte| kind.has_beyond_ascii() == (byte >= 0x80)));
        }
        assert_ne!(Signature::of(b'"'), Signature::of(b'\\'));
        assert_eq!(Signature::of(b'k'), Signature::of(b'z'));
        assert_eq!(Signature::of(0xD0), Signature::of(0xE4));
        assert_ne!(Signature::of(0xE2), Signature::of(0xE4));
    }
}
