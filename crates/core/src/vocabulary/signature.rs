//! What kinds of characters occur below a node of the trie, in one number.
//!
//! A state that loops on kinds of characters, as in the middle of a JSON string, takes or leaves whole
//! subtrees by comparing two words, and the thousands of nodes below are never looked at.

use std::ops::BitOrAssign;

use crate::byte_set::ByteSet;

/// A set of kinds of characters, told by their first byte: one bit for each kind, and one for what is no UTF-8.
///
/// Characters of ASCII are kinds of their own, but for control characters that are no white space, which share one.
/// Those beyond ASCII share one too, but for a few. Bytes that begin no character have no kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Signature(u128);

impl Signature {
    /// No kinds.
    pub(crate) const EMPTY: Self = Self(0);
    /// Tab, line feed and carriage return, and what stands in ASCII after the control characters: the bit of each is
    /// its own byte. The bits before and between them are those below.
    const OWN: u128 = !0 << 0x20 | 1 << b'\t' | 1 << b'\n' | 1 << b'\r';
    /// The digits.
    pub(crate) const DIGITS: Self = Self(0x3FF << b'0');
    /// All other control characters.
    const CONTROL: u128 = 1;
    /// Characters beyond ASCII.
    const BEYOND_ASCII: u128 = 1 << 1;
    /// The first bytes of characters beyond ASCII among which there is white space or the end of a line, with the
    /// kind of each. Patterns treat them unlike all others.
    const WITH_SPACES: [(u8, u128); 5] =
        [(0xC2, 1 << 2), (0xE1, 1 << 3), (0xE2, 1 << 4), (0xE3, 1 << 5), (0xEF, 1 << 6)];
    /// Bytes that are not whole characters in UTF-8, nor the beginning of one at the end of a string.
    const NOT_UTF8: Self = Self(1 << 7);
    /// The kind of most characters beyond ASCII.
    pub(crate) const MOST_BEYOND_ASCII: Self = Self(Self::BEYOND_ASCII);
    /// The kinds of which most tokens are made: letters, digits, blanks, and most characters beyond ASCII.
    const COMMON: u128 =
        Self::BEYOND_ASCII | 1 << b' ' | 0x3FF << b'0' | 0x3FF_FFFF << b'A' | 0x3FF_FFFF << b'a';
    /// The kinds beyond ASCII.
    const ALL_BEYOND_ASCII: u128 = 0x7E;

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

    /// Whether the two have no kind in common.
    pub(crate) fn is_apart_from(self, other: Self) -> bool {
        self.0 & other.0 == 0
    }

    /// The kinds of this set that are in many tokens.
    pub(crate) fn common(self) -> Self {
        Self(self.0 & Self::COMMON)
    }

    /// Whether no kind of the set is in many tokens.
    pub(crate) fn is_rare(self) -> bool {
        self.common().is_empty()
    }

    /// One kind of the set of which there are fewest in most vocabularies, about; those that are rare, all together.
    pub(crate) fn rarest(self) -> Self {
        const COMMON_ASCENDING: &[u8] = b"jJQqXxZzYVUWKkHGFBvbwDMNLORPSIECAT9876543fghpuymdclsortnaie210 ";
        let rare = self.without(self.common());
        if !rare.is_empty() {
            return rare;
        }
        let mut common = COMMON_ASCENDING.iter().map(|&byte| Self::of(byte));
        common.find(|kind| kind.is_within(self)).unwrap_or(self)
    }

    /// Whether all kinds of the set are of characters of ASCII: texts of them are of such bytes only.
    pub(crate) fn is_ascii(self) -> bool {
        self.0 & (Self::ALL_BEYOND_ASCII | Self::NOT_UTF8.0) == 0
    }

    /// The bytes beyond ASCII that are kinds of their own, since there is white space among the characters that begin so.
    pub(crate) fn begun_with_spaces() -> ByteSet {
        Self::WITH_SPACES.iter().map(|&(byte, _)| byte).collect()
    }

    /// The kind of the characters that begin with a byte; none for a byte that begins none.
    pub(crate) fn of(byte: u8) -> Self {
        Self::of_any(&ByteSet::single(byte))
    }

    /// The kinds of the characters that begin with any of some bytes; `None` where one of these begins no character, and so has
    /// no kind.
    pub(crate) fn of_all(bytes: &ByteSet) -> Option<Self> {
        let kinds = Self::of_any(bytes);
        bytes.difference(&kinds.first_bytes()).is_empty().then_some(kinds)
    }

    /// The kinds of the characters that begin with any of some bytes.
    pub(crate) fn of_any(bytes: &ByteSet) -> Self {
        let [low, high, _, beyond] = bytes.words();
        let ascii = u128::from(high) << 64 | u128::from(low);
        let mut kinds = ascii & Self::OWN;
        if ascii & !Self::OWN != 0 {
            kinds |= Self::CONTROL;
        }
        let mut beyond = ByteSet::from_words([0, 0, 0, beyond]).intersection(&ByteSet::range(0xC2, 0xF4));
        for (byte, kind) in Self::WITH_SPACES {
            if beyond.contains(byte) {
                kinds |= kind;
                beyond.remove(byte);
            }
        }
        if !beyond.is_empty() {
            kinds |= Self::BEYOND_ASCII;
        }
        Self(kinds)
    }

    /// The kinds in an alphabet of which all characters there begin with some bytes.
    pub(crate) fn all_within(bytes: &ByteSet, alphabet: &ByteSet) -> Self {
        Self::of_any(alphabet).without(Self::of_any(&alphabet.difference(bytes)))
    }

    /// The bytes with which the characters of the kinds begin.
    pub(crate) fn first_bytes(self) -> ByteSet {
        let mut ascii = self.0 & Self::OWN;
        if self.0 & Self::CONTROL != 0 {
            ascii |= !Self::OWN & u128::from(u32::MAX);
        }
        let mut bytes = ByteSet::from_words([ascii as u64, (ascii >> 64) as u64, 0, 0]);
        if self.0 & Self::BEYOND_ASCII != 0 {
            bytes = bytes.union(&ByteSet::range(0xC2, 0xF4));
        }
        for (byte, kind) in Self::WITH_SPACES {
            match self.0 & kind != 0 {
                true => bytes.insert(byte),
                false => bytes.remove(byte),
            }
        }
        bytes
    }

    /// The set as a number, by which it can be written to a file.
    pub(crate) fn to_bits(self) -> u128 {
        self.0
    }

    /// The set that a number stands for.
    pub(crate) fn from_bits(bits: u128) -> Self {
        Self(bits)
    }

    /// How many kinds there are in the set.
    pub(crate) fn count(self) -> u32 {
        self.0.count_ones()
    }
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
    /// For each state, the bytes that lead to each.
    const LEADING: &[[ByteSet; Self::COUNT]; Self::COUNT] = &Self::leading();

    const fn leading() -> [[ByteSet; Self::COUNT]; Self::COUNT] {
        let mut leading = [[ByteSet::EMPTY; Self::COUNT]; Self::COUNT];
        let mut pair = 0;
        while pair < Self::COUNT * 256 {
            let (state, byte) = (pair / 256, (pair % 256) as u8);
            if let Some(next) = Self(state as u8).step(byte) {
                leading[state][next.0 as usize].insert(byte);
            }
            pair += 1;
        }
        leading
    }

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
        let bytes = *bytes;
        let leading = Self::LEADING[self.index()].iter().zip(Self::all());
        leading.filter(move |(leading, _)| !leading.intersection(&bytes).is_empty()).map(|(_, state)| state)
    }

    /// The bytes that can follow.
    pub(crate) fn following(self) -> ByteSet {
        Self::LEADING[self.index()].iter().fold(ByteSet::EMPTY, |all, bytes| all.union(bytes))
    }

    /// The bytes after which the state is another one.
    pub(crate) fn leading_to(self, next: Self) -> &'static ByteSet {
        &Self::LEADING[self.index()][next.index()]
    }

    /// The state after a byte; `None` where the byte cannot follow.
    pub(crate) const fn step(self, byte: u8) -> Option<Self> {
        let (first, last, next) = match (self.0, byte) {
            (0, 0..=0x7F) => return Some(Self(0)),
            (0, 0xC2..=0xDF) => return Some(Self(1)),
            (0, 0xE0) => return Some(Self(4)),
            (0, 0xED) => return Some(Self(5)),
            (0, 0xE1..=0xEF) => return Some(Self(2)),
            (0, 0xF0) => return Some(Self(6)),
            (0, 0xF1..=0xF3) => return Some(Self(3)),
            (0, 0xF4) => return Some(Self(7)),
            (0, _) => return None,
            (4, _) => (0xA0, 0xBF, 1),
            (5, _) => (0x80, 0x9F, 1),
            (6, _) => (0x90, 0xBF, 2),
            (7, _) => (0x80, 0x8F, 2),
            (left, _) => (0x80, 0xBF, left - 1),
        };
        if first <= byte && byte <= last { Some(Self(next)) } else { None }
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
    fn the_rarest_kind_is_one_of_the_set() {
        for byte in 0..0x80 {
            let kinds = Signature::of(byte);
            assert_eq!(kinds.rarest(), kinds);
        }
        for (text, rarest) in [("after", "f"), ("e-_a", "-_"), ("e a", "a"), ("aZ", "Z")] {
            let of = |text: &str| Signature::of_any(&text.bytes().collect());
            assert_eq!(of(text).rarest(), of(rarest), "{text}");
        }
    }

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
                assert_eq!(state.following().contains(last), state.step(last).is_some());
            }
        }
    }

    #[test]
    fn kinds_that_many_tokens_have_are_not_rare() {
        assert!(b"<\n/>\"{".iter().all(|&byte| Signature::of(byte).is_rare()));
        assert!(b"azAZ09 \xE4".iter().all(|&byte| !Signature::of(byte).is_rare()));
        assert!(!Signature::of_any(&ByteSet::ALL).is_rare());
    }

    #[test]
    fn kinds_are_told_by_bytes_that_begin_characters() {
        let all = Signature::of_any(&ByteSet::ALL);
        let begins = |byte: &u8| byte.is_ascii() || (0xC2..=0xF4).contains(byte);
        for byte in 0..=255u8 {
            let kind = Signature::of(byte);
            assert_eq!(kind.count() == 1, begins(&byte));
            assert!(kind.is_empty() || kind.first_bytes().contains(byte));
            assert!(kind.is_within(all) && (kind.is_ascii() || !byte.is_ascii()));
            let is_own = kind.first_bytes().len() == 1;
            let is_control = byte < 0x20 && !b"\t\n\r".contains(&byte);
            assert_eq!(
                is_own,
                byte.is_ascii() && !is_control || [0xC2, 0xE1, 0xE2, 0xE3, 0xEF].contains(&byte)
            );
        }
        assert!(all.first_bytes().iter().eq((0..=255).filter(begins)));
        assert_eq!(Signature::of(0xD0), Signature::of(0xE4));
        assert_eq!(Signature::of(0x00), Signature::of(0x1F));
    }

    #[test]
    fn kinds_of_sets_are_those_of_their_members() {
        let all = Signature::of_any(&ByteSet::ALL);
        for last in 0..=255u8 {
            for step in 1..=7 {
                let bytes: ByteSet = (last / 3..=last).step_by(step).collect();
                let mut each = Signature::EMPTY;
                bytes.iter().for_each(|byte| each |= Signature::of(byte));
                assert_eq!(Signature::of_any(&bytes), each);
                let within = Signature::all_within(&bytes, &ByteSet::ALL);
                assert!(within.first_bytes().difference(&bytes).is_empty());
                let others = all.without(within);
                assert!((0..=255).filter(|&byte| Signature::of(byte).is_within(others)).all(|byte| {
                    let kind = Signature::of(byte);
                    kind.is_empty() || !kind.first_bytes().difference(&bytes).is_empty()
                }));
            }
        }
    }
}
