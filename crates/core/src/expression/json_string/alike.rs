//! Escapes whose digits make no difference to what comes after them.
//!
//! A string of any characters goes on in the same way after `\u0061` as after `\uABCD`, and one of letters does so after `\u0061` and
//! `\u0062`. Were the digits remembered there, as they must be where each character leaves something else, every string would have
//! thousands of states that differ in nothing. So where a content goes on in one way after all characters that an escape can still turn
//! out to be, what is left has no memory: some more digits, and then the rest.

use regex_syntax::utf8::Utf8Sequence;

use super::{
    Digits, HIGH, LOW, SpellingId, Units, as_in_contents, characters_between, hexadecimal_digits, pair,
    surrogates_within,
};
use crate::byte_set::ByteSet;
use crate::expression::{ExpressionId, ExpressionStore};
use crate::spelling::SURROGATES;

impl ExpressionStore {
    /// What is left of a JSON string after some digits of an escape, if it is the same for all units that they can turn out to be.
    pub(super) fn after_digits_alike(
        &mut self,
        content: ExpressionId,
        spelling: SpellingId,
        digits: Digits,
    ) -> Option<ExpressionId> {
        let (first, last) = digits.range();
        let units = first..=last;
        let rest = if is_within(&units, &HIGH) {
            self.after_high_alike(content, spelling, &units)?
        } else if is_within(&units, &LOW) || !overlap(&units, &SURROGATES) {
            self.after_characters_alike(content, spelling, &units)?
        } else {
            return None;
        };
        let left = vec![self.bytes(hexadecimal_digits()); digits.left()];
        let left = self.concatenation(&left);
        Some(self.concatenate(left, rest))
    }

    /// What is left after one of some high surrogates, if it is the same for all of them and for all their partners, and none may be
    /// alone.
    pub(super) fn after_high_alike(
        &mut self,
        content: ExpressionId,
        spelling: SpellingId,
        highs: &Units,
    ) -> Option<ExpressionId> {
        if self.left_by_all(content, characters_of(highs))? != Self::NOTHING {
            return None;
        }
        let (first, last) = (*highs.start() as u16, *highs.end() as u16);
        let pairs = pair(first, *LOW.start())..=pair(last, *LOW.end());
        if !self.spelling(spelling).may_escape(*pairs.start(), *pairs.end()) {
            return Some(Self::NOTHING);
        }
        let rest = self.after_characters_alike(content, spelling, &pairs)?;
        let letters = [b"dD".as_slice(), b"cdefCDEF"].map(|bytes| bytes.iter().copied().collect());
        let [lead, second] = letters.map(|set: ByteSet| self.bytes(set));
        let (begin, digit) = (self.literal(b"\\u"), self.bytes(hexadecimal_digits()));
        Some(self.concatenation(&[begin, lead, second, digit, digit, rest]))
    }

    /// What is left after one of some characters, if it is the same for all of them, and all may be escapes.
    fn after_characters_alike(
        &mut self,
        content: ExpressionId,
        spelling: SpellingId,
        characters: &Units,
    ) -> Option<ExpressionId> {
        if !self.spelling(spelling).may_escape_all(characters) {
            return None;
        }
        let rest = self.left_by_all(content, characters_of(characters))?;
        Some(self.json_string(rest, spelling))
    }

    /// What some characters leave of a content, if it is the same for all of them.
    fn left_by_all(
        &mut self,
        content: ExpressionId,
        characters: impl Iterator<Item = Utf8Sequence>,
    ) -> Option<ExpressionId> {
        let mut left = None;
        for character in characters {
            let mut at = content;
            for bytes in &character {
                at = self.left_by_all_bytes(at, ByteSet::range(bytes.start, bytes.end))?;
            }
            if *left.get_or_insert(at) != at {
                return None;
            }
        }
        left
    }

    fn left_by_all_bytes(&mut self, id: ExpressionId, mut bytes: ByteSet) -> Option<ExpressionId> {
        let mut left = None;
        while let Some(byte) = bytes.iter().next() {
            let mut class = ByteSet::ALL;
            let rest = self.derive_whole(id, byte, &mut class);
            if *left.get_or_insert(rest) != rest {
                return None;
            }
            bytes = bytes.difference(&class);
        }
        left
    }
}

/// Code points, surrogates among them, as contents have them.
fn characters_of(units: &Units) -> impl Iterator<Item = Utf8Sequence> + use<> {
    let code_points = characters_between(*units.start(), *units.end());
    as_in_contents(code_points, surrogates_within(units, &SURROGATES))
}

fn is_within(inner: &Units, outer: &Units) -> bool {
    outer.contains(inner.start()) && outer.contains(inner.end())
}

fn overlap(one: &Units, other: &Units) -> bool {
    one.start() <= other.end() && other.start() <= one.end()
}
