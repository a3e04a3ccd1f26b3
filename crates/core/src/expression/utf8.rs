//! Sets of code points as expressions over the bytes of their UTF-8 form.

use std::collections::BTreeMap;

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};
use regex_syntax::utf8::{Utf8Sequence, Utf8Sequences};

use super::{ByteSet, Expression, ExpressionId, ExpressionStore};

/// The code points from the first to the last, both included. Surrogates have no UTF-8 form and are
/// passed over by construction, since `char` excludes them.
pub type CharacterRange = (char, char);

impl ExpressionStore {
    /// Matches one code point of any of the ranges, in UTF-8.
    ///
    /// The sequences of bytes come from `regex_syntax::utf8`. They are written as a tree in which no two alternatives begin with
    /// the same byte: so one of them is left after a byte, however many ranges there are.
    pub fn characters(&mut self, ranges: &[CharacterRange]) -> ExpressionId {
        // Ascending, and none twice.
        let class =
            ClassUnicode::new(ranges.iter().map(|&(first, last)| ClassUnicodeRange::new(first, last)));
        let ranges = class.iter();
        let sequences: Vec<Utf8Sequence> =
            ranges.flat_map(|range| Utf8Sequences::new(range.start(), range.end())).collect();
        let characters = self.byte_tree(&sequences, 0);
        if characters != Self::NOTHING {
            for character in self.alternatives_of(characters).into_iter().chain([characters]) {
                self.set_text(character);
            }
        }
        characters
    }

    /// Matches what one of some sequences does behind as many bytes, which are those of all of them.
    ///
    /// A set of more than one byte is followed by all that can follow, so two sets in one place are equal or have nothing in
    /// common.
    fn byte_tree(&mut self, sequences: &[Utf8Sequence], depth: usize) -> ExpressionId {
        let mut by_tail: BTreeMap<ExpressionId, ByteSet> = BTreeMap::new();
        for alike in sequences.chunk_by(|one, next| one.as_slice().get(depth) == next.as_slice().get(depth)) {
            let [first, ..] = alike else { continue };
            let Some(heads) = first.as_slice().get(depth) else { return Self::EMPTY };
            let tail = self.byte_tree(alike, depth + 1);
            let known = by_tail.entry(tail).or_default();
            *known = known.union(&ByteSet::range(heads.start, heads.end));
        }
        let alternatives = by_tail.into_iter().map(|(tail, heads)| {
            let head = self.bytes(heads);
            self.concatenate(head, tail)
        });
        let alternatives: Vec<ExpressionId> = alternatives.collect();
        self.alternatives(&alternatives)
    }

    /// Matches any one code point.
    pub fn any_character(&mut self) -> ExpressionId {
        if let Some(known) = self.any_character {
            return known;
        }
        let any = self.spell_any_character();
        self.name(any, "character");
        self.any_character = Some(any);
        any
    }

    /// What [`characters`](Self::characters) makes of all code points, without a search for the sequences: nearly every
    /// JSON Schema needs it.
    fn spell_any_character(&mut self) -> ExpressionId {
        let mut range = |first, last| self.bytes(ByteSet::range(first, last));
        let ascii = range(0x00, 0x7F);
        let continuation = range(0x80, 0xBF);
        // No surrogates, nothing beyond the last code point, and nothing that has a shorter form.
        let limited = [(0xE0, 0xA0, 0xBF), (0xED, 0x80, 0x9F), (0xF0, 0x90, 0xBF), (0xF4, 0x80, 0x8F)];
        let limited = limited.map(|(head, first, last)| (head, range(first, last)));
        let two = self.concatenate(continuation, continuation);
        let three = self.concatenate(continuation, two);
        let [e0, ed, f0, f4] = limited.map(|(head, second)| {
            let tail = self.concatenate(second, if head < 0xF0 { continuation } else { two });
            (ByteSet::single(head), tail)
        });
        let e = ByteSet::range(0xE1, 0xEC).union(&ByteSet::range(0xEE, 0xEF));
        let heads =
            [(ByteSet::range(0xC2, 0xDF), continuation), (e, two), (ByteSet::range(0xF1, 0xF3), three)];
        let mut alternatives = [ascii; 8];
        for (place, (heads, tail)) in
            alternatives[1..].iter_mut().zip(heads.into_iter().chain([e0, ed, f0, f4]))
        {
            let head = self.bytes(heads);
            *place = self.concatenate(head, tail);
            self.set_text(*place);
        }
        self.alternatives(&alternatives)
    }

    /// Whether [`any_character`](Self::any_character) was ever asked for.
    pub(crate) fn has_any_character(&self) -> bool {
        self.any_character.is_some()
    }

    /// Any number of any characters.
    pub(crate) fn any_text(&mut self) -> ExpressionId {
        let character = self.any_character();
        self.repetition_raw(character, 0, Self::UNBOUNDED)
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

    /// Whether an expression that begins with some bytes and goes on with another is one code point, surrogates included.
    pub(super) fn is_one_character_of(&self, first: ExpressionId, rest: ExpressionId) -> bool {
        let Expression::Bytes(set) = self.get(first) else { return false };
        let count = match self.byte_set(set) {
            set if set.is_within(0xC2, 0xDF) => 1,
            set if set.is_within(0xE0, 0xEF) => 2,
            set if set.is_within(0xF0, 0xF4) => 3,
            _ => return false,
        };
        self.is_continuations(rest, count)
    }

    /// Whether an expression is so many bytes of a character that are not its first.
    fn is_continuations(&self, id: ExpressionId, count: u32) -> bool {
        let is_continuation = |id| match self.get(id) {
            Expression::Bytes(set) => self.byte_set(set).is_within(0x80, 0xBF),
            _ => false,
        };
        let (mut at, mut left) = (id, count);
        loop {
            if let Expression::Alternatives(list) = self.get(at) {
                return self.list(list).iter().all(|&one| self.is_continuations(one, left));
            }
            let (head, tail) = self.head_and_rest(at);
            let (body, times) = match self.get(head) {
                Expression::Repetition { body, minimum, maximum } if minimum == maximum => (body, minimum),
                _ => (head, 1),
            };
            match left.checked_sub(times) {
                Some(others) if is_continuation(body) => left = others,
                _ => return false,
            }
            if tail == Self::EMPTY {
                return left == 0;
            }
            at = tail;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_character_is_one_of_all_code_points() {
        let mut store = ExpressionStore::new();
        let any = store.any_character();
        assert_eq!(any, store.characters(&[('\0', char::MAX)]));
        assert!(store.is_text(any));
    }

    /// The sets of bytes with which an expression begins, each with what follows.
    fn branches(store: &ExpressionStore, id: ExpressionId) -> Vec<(ByteSet, ExpressionId)> {
        let alternatives = store.alternatives_of(id).into_iter();
        let branch = |one| match store.get(one) {
            Expression::Bytes(set) => (*store.byte_set(set), ExpressionStore::EMPTY),
            Expression::Concatenation(head, rest) => (store.first_bytes(head), rest),
            other => panic!("{other:?}"),
        };
        alternatives.map(branch).collect()
    }

    #[test]
    fn a_class_is_a_tree_of_bytes_that_matches_its_characters() {
        let ranges =
            [('a', 'f'), ('d', 'k'), ('é', 'ÿ'), ('Ā', 'ࠀ'), ('一', '丣'), ('龥', '\u{FFFF}'), ('😀', '😃')];
        let mut store = ExpressionStore::new();
        let class = store.characters(&ranges);
        assert!(store.is_text(class));
        let mut waiting = vec![class];
        while let Some(id) = waiting.pop() {
            let mut begun = ByteSet::EMPTY;
            for (bytes, rest) in branches(&store, id) {
                assert!(begun.intersection(&bytes).is_empty(), "one of them is left after a byte");
                begun = begun.union(&bytes);
                if !matches!(store.get(rest), Expression::Empty | Expression::Repetition { .. }) {
                    waiting.push(rest);
                }
            }
        }
        let bounds = ranges.iter().flat_map(|&(first, last)| [first as u32, last as u32]);
        let near = bounds.flat_map(|bound| bound.saturating_sub(2)..bound + 3);
        for character in near.chain((0..0x11_0000).step_by(61)).filter_map(char::from_u32) {
            let is_in = ranges.iter().any(|&(first, last)| (first..=last).contains(&character));
            assert_eq!(store.matches(class, character.to_string().as_bytes()), is_in, "{character:?}");
        }
    }

    #[test]
    fn a_class_of_any_characters_is_one_character() {
        let mut store = ExpressionStore::new();
        let mut one: Vec<ExpressionId> = [('a', 'z'), ('\0', 'ß'), ('ß', '一'), ('一', '😀'), ('😀', '😃')]
            .into_iter()
            .map(|range| store.characters(&[range]))
            .collect();
        one.push(store.any_character());
        let surrogate = [(0xED, 0xED), (0xA0, 0xBF), (0x80, 0xBF)];
        let surrogate = surrogate.map(|(first, last)| store.bytes(ByteSet::range(first, last)));
        one.push(store.concatenation(&surrogate));
        one.push(store.alternatives(&one.clone()));
        for &id in &one {
            assert!(store.is_one_character(id), "{:?}", store.get(id));
        }
        let two = store.concatenate(one[0], one[2]);
        let maybe = store.repetition(one[3], 0, Some(1));
        let (rest, begun) =
            (store.bytes(ByteSet::range(0x80, 0xBF)), store.bytes(ByteSet::range(0xC3, 0xE1)));
        let half = store.concatenate(begun, rest);
        let either = store.alternatives(&[one[0], two]);
        for id in [two, maybe, rest, half, either, ExpressionStore::EMPTY, ExpressionStore::EVERYTHING] {
            assert!(!store.is_one_character(id), "{:?}", store.get(id));
        }
    }
}
