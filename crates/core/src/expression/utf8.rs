//! Sets of code points as expressions over the bytes of their UTF-8 form.

use std::collections::BTreeMap;

use regex_syntax::utf8::{Utf8Sequence, Utf8Sequences};

use super::{ByteSet, Expression, ExpressionId, ExpressionStore};

/// The code points from the first to the last, both included. Surrogates have no UTF-8 form and are
/// passed over by construction, since `char` excludes them.
pub type CharacterRange = (char, char);

impl ExpressionStore {
    /// Matches one code point of any of the ranges, in UTF-8.
    ///
    /// The byte sequences come from `regex_syntax::utf8`. Those of equal length that differ in the
    /// first byte only are put together, and common tails are shared by interning.
    pub fn characters(&mut self, ranges: &[CharacterRange]) -> ExpressionId {
        let mut ascii = ByteSet::EMPTY;
        let mut by_tail: BTreeMap<ExpressionId, ByteSet> = BTreeMap::new();
        for &(first, last) in ranges {
            for sequence in Utf8Sequences::new(first, last) {
                match sequence {
                    Utf8Sequence::One(range) => {
                        ascii = ascii.union(&ByteSet::range(range.start, range.end));
                    }
                    sequence => {
                        let (head, tail) = self.split_sequence(&sequence);
                        let heads = by_tail.entry(tail).or_default();
                        *heads = heads.union(&head);
                    }
                }
            }
        }
        let mut alternatives = vec![self.bytes(ascii)];
        for (tail, heads) in by_tail {
            let head = self.bytes(heads);
            let character = self.concatenate(head, tail);
            self.set_text(character);
            alternatives.push(character);
        }
        self.alternatives(&alternatives)
    }

    /// Matches any one code point.
    pub fn any_character(&mut self) -> ExpressionId {
        if let Some(known) = self.any_character {
            return known;
        }
        let any = self.characters(&[('\0', char::MAX)]);
        self.any_character = Some(any);
        any
    }

    /// Whether [`any_character`](Self::any_character) was ever asked for.
    pub(crate) fn has_any_character(&self) -> bool {
        self.any_character.is_some()
    }

    /// Whether an expression is any number of any characters: all of UTF-8.
    pub(super) fn is_any_text(&self, id: ExpressionId) -> bool {
        match self.get(id) {
            Expression::Repetition { body, minimum: 0, maximum: Self::UNBOUNDED } => {
                self.is_any_character(body)
            }
            _ => false,
        }
    }

    /// Whether an expression is any one code point.
    pub(super) fn is_any_character(&self, id: ExpressionId) -> bool {
        self.any_character == Some(id)
    }

    /// Whether each match of an expression is one character, as of a class of them.
    pub(super) fn is_one_character(&self, id: ExpressionId) -> bool {
        let beyond_ascii = |set| self.byte_set(set).intersection(&ByteSet::range(0, 0x7F)).is_empty();
        match self.get(id) {
            Expression::Bytes(set) => self.byte_set(set).is_ascii(),
            Expression::Alternatives(list) => self.list(list).iter().all(|&one| self.is_one_character(one)),
            Expression::Concatenation(first, mut rest) if self.is_text(id) => {
                let Expression::Bytes(set) = self.get(first) else { return false };
                // What is UTF-8 and has no other first byte of a character is one.
                while let Expression::Concatenation(next, after) = self.get(rest) {
                    if !self.is_continuation(next) {
                        return false;
                    }
                    rest = after;
                }
                beyond_ascii(set) && self.is_continuation(rest)
            }
            _ => false,
        }
    }

    /// Whether an expression is a byte of a character that is not its first.
    fn is_continuation(&self, id: ExpressionId) -> bool {
        let Expression::Bytes(set) = self.get(id) else { return false };
        self.byte_set(set).difference(&ByteSet::range(0x80, 0xBF)).is_empty()
    }

    fn split_sequence(&mut self, sequence: &Utf8Sequence) -> (ByteSet, ExpressionId) {
        let slices = sequence.as_slice();
        let tail: Vec<ExpressionId> =
            slices[1..].iter().map(|range| self.bytes(ByteSet::range(range.start, range.end))).collect();
        (ByteSet::range(slices[0].start, slices[0].end), self.concatenation(&tail))
    }
}
