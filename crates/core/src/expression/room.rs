//! How far a text can be read so that it can still become one of very many.
//!
//! Where of a captured text only that it may not come again matters, another one is read as if any might come: what is
//! read of it is wrong only where all that it can become has come already. No text has used up as many as can be written
//! with a few characters, so all that a caller has to look at is what is read further than that.

use smallvec::SmallVec;

use super::store::ListId;
use super::{ByteSet, Expression, ExpressionId, ExpressionStore, SpellingId};

impl ExpressionStore {
    /// So many texts are more than any text can have used up: those of five printable characters of ASCII.
    const MANY_TEXTS: u64 = 95u64.pow(5);

    /// How many bytes can be read of a JSON string, or of one in quotes, whichever they are, so that it can still become one of
    /// very many; [`UNBOUNDED`](Self::UNBOUNDED) where each can be made longer without end. Zero where that is not known.
    ///
    /// The string is given by all that may be left of it. What does not show in how it is written is searched for only where
    /// nothing but the quote has been read: what is found out is so for all that comes after.
    pub(crate) fn room_for_others(&mut self, left: &[ExpressionId], is_begun: bool) -> u32 {
        let contents: Option<SmallVec<[_; 2]>> =
            left.iter().map(|&string| self.content_left(string)).collect();
        let Some(contents) = contents else { return 0 };
        let &[(_, spelling), ..] = contents.as_slice() else { return 0 };
        let contents: SmallVec<[ExpressionId; 2]> = contents.iter().map(|&(content, _)| content).collect();
        let content = self.alternatives(&contents);
        let raw = self.spelling(spelling).raw;
        let room = self.room_in_content(content, Self::MANY_TEXTS, &raw).unwrap_or(0);
        let is_endless = room == Self::UNBOUNDED
            || writes_all_characters(&raw) && self.is_known_to_be_endless(content, is_begun);
        if is_endless { Self::UNBOUNDED } else { room }
    }

    /// Whether each string of a content can be made longer without end, as far as that has been found out or may be searched for.
    fn is_known_to_be_endless(&mut self, content: ExpressionId, is_begun: bool) -> bool {
        // Infinitely many texts without some are still as many.
        let conditions = self.without_fixed_exclusions(content);
        let content = self.intersection(&conditions);
        match is_begun {
            true => self.endless.get(&content) == Some(&true),
            false => self.is_endless(content),
        }
    }

    /// What is left of the characters of a JSON string, or of one in quotes, and how they are spelled.
    fn content_left(&self, string: ExpressionId) -> Option<(ExpressionId, SpellingId)> {
        match self.get(string) {
            Expression::Concatenation(quote, inside) if matches!(self.get(quote), Expression::Bytes(_)) => {
                self.content_left(inside)
            }
            Expression::Concatenation(head, _) => self.content_left(head),
            Expression::JsonString { content, spelling, .. } => Some((content, spelling)),
            _ => None,
        }
    }

    /// How many bytes of a content can be read, whichever they are, so that at least so many texts are left to which only some of
    /// the given bytes are added; `None` where there are fewer from the beginning, or that is not plain.
    fn room_in_content(&self, content: ExpressionId, many: u64, raw: &ByteSet) -> Option<u32> {
        // A few fixed strings that it must not be make no difference to many.
        let [mut bases, mut patterns]: [SmallVec<[ExpressionId; 4]>; 2] = Default::default();
        for operand in self.without_fixed_exclusions(content) {
            match self.get(operand) {
                Expression::Complement(pattern) => patterns.push(pattern),
                _ => bases.push(operand),
            }
        }
        let &[base] = bases.as_slice() else { return None };
        if !patterns.is_empty() {
            return self.room_beside(base, &patterns, many, raw);
        }
        match writes_all_characters(raw) && self.is_extensible(base, Self::UNBOUNDED - 1) {
            true => Some(Self::UNBOUNDED),
            false => self.room_for(base, many, raw),
        }
    }

    /// The same for a text that must not match some patterns.
    ///
    /// A text that is no match so far, nor begins one that may go on in any way, does not become one by characters with which
    /// none ends.
    fn room_beside(
        &self,
        base: ExpressionId,
        patterns: &[ExpressionId],
        many: u64,
        raw: &ByteSet,
    ) -> Option<u32> {
        let mut last = base;
        while let Expression::Concatenation(_, tail) = self.get(last) {
            last = tail;
        }
        let Expression::Repetition { body, maximum, .. } = self.get(last) else { return None };
        if self.has_boolean(base) {
            return None;
        }
        let mut harmless = raw.intersection(&ByteSet::range(0x00, 0x7F));
        for &pattern in patterns {
            harmless = harmless.difference(&self.bytes_before_any_text(pattern));
        }
        self.room_in_repetition(body, maximum, many, &harmless)
    }

    /// How many bytes can be read of an expression, whichever they are, so that at least so many texts are left to which only some
    /// of the given bytes are added; `None` where there are fewer from the beginning, or that is not plain.
    fn room_for(&self, id: ExpressionId, many: u64, raw: &ByteSet) -> Option<u32> {
        // What is written with intersections may match nothing.
        if self.has_boolean(id) {
            return None;
        }
        match self.get(id) {
            Expression::Repetition { body, maximum, .. } => self.room_in_repetition(body, maximum, many, raw),
            Expression::Concatenation(head, tail) => {
                let shortest = self.fewest_characters(head);
                match self.room_for(tail, many, raw) {
                    // All of the tail is left until the head has been read.
                    Some(room) => Some(room.saturating_add(shortest)),
                    // Until then, more can be left of the head.
                    None => self.room_for(head, many, raw).map(|room| room.min(shortest)),
                }
            }
            Expression::Alternatives(list) => {
                let rooms = self.list(list).iter().map(|&operand| self.room_for(operand, many, raw));
                rooms.min().flatten()
            }
            _ => None,
        }
    }

    /// The same for a repetition of one character, so often at most.
    fn room_in_repetition(&self, class: ExpressionId, maximum: u32, many: u64, raw: &ByteSet) -> Option<u32> {
        if !self.is_one_character(class) {
            return None;
        }
        // Characters that begin with different bytes are different.
        let choices = self.first_bytes(class).intersection(raw).len() as u64;
        match choices {
            1.. if maximum == Self::UNBOUNDED => Some(Self::UNBOUNDED),
            2.. => maximum.checked_sub((many - 1).checked_ilog(choices).map_or(0, |count| count + 1)),
            _ => None,
        }
    }

    /// The bytes with which what a pattern matches can end, where any text may follow before that; possibly more, never fewer.
    /// All of them where it matches every text.
    fn bytes_before_any_text(&self, pattern: ExpressionId) -> ByteSet {
        match self.get(pattern) {
            Expression::Alternatives(list) => self.union_of(list, Self::bytes_before_any_text),
            Expression::Concatenation(head, tail) if self.is_any_text(tail) => match self.is_nullable(head) {
                true => ByteSet::ALL,
                false => self.last_bytes(head),
            },
            Expression::Concatenation(_, tail) if !self.is_nullable(tail) => self.bytes_before_any_text(tail),
            _ => self.last_bytes(pattern),
        }
    }

    /// The bytes of all operands.
    fn union_of(&self, list: ListId, bytes: impl Fn(&Self, ExpressionId) -> ByteSet) -> ByteSet {
        let operands = self.list(list).iter();
        operands.fold(ByteSet::EMPTY, |all, &operand| all.union(&bytes(self, operand)))
    }
}

/// Whether all printable characters can be written with some bytes, but for those that JSON has to escape: else endless texts
/// may be endless only by what no token holds.
fn writes_all_characters(raw: &ByteSet) -> bool {
    let escaped_or_none = [b'"', b'\\', 0x7F, 0xC0, 0xC1].into_iter().collect();
    ByteSet::range(0x20, 0xF4).difference(raw).difference(&escaped_or_none).is_empty()
}

#[cfg(test)]
mod tests {
    use super::super::every_text::texts;
    use super::*;

    const LETTERS: &[u8] = b"abc";

    /// A repetition of one of the first letters.
    fn letters(store: &mut ExpressionStore, count: usize, least: u32, most: Option<u32>) -> ExpressionId {
        let class = store.bytes(LETTERS[..count].iter().copied().collect());
        store.repetition(class, least, most)
    }

    #[test]
    fn so_many_texts_are_left_as_far_as_there_is_room() {
        const LONGEST: usize = 7;
        let mut store = ExpressionStore::new();
        let (two, three) = (letters(&mut store, 2, 0, Some(6)), letters(&mut store, 3, 0, Some(5)));
        let (fixed, short) = (letters(&mut store, 3, 4, Some(4)), letters(&mut store, 2, 2, Some(3)));
        let (end, word) = (store.literal(b"c"), store.literal(b"ab"));
        let expressions = [
            (two, Some(2)),
            (three, Some(2)),
            (store.concatenate(fixed, end), Some(1)),
            (store.concatenate(word, three), Some(4)),
            (store.concatenate(short, fixed), Some(3)),
            (store.concatenate(three, end), Some(0)),
            (store.concatenate(end, two), Some(3)),
            (store.alternatives(&[two, three]), Some(2)),
            (store.alternatives(&[two, word]), None),
            (short, None),
            (word, None),
        ];
        let many = 16;
        for (id, expected) in expressions {
            let room = store.room_for(id, many, &ByteSet::ALL);
            assert_eq!(room, expected, "{id:?}");
            let matches: Vec<Vec<u8>> =
                texts(LETTERS, LONGEST).into_iter().filter(|text| store.matches(id, text)).collect();
            for beginning in texts(LETTERS, room.unwrap_or(0) as usize) {
                let left = matches.iter().filter(|text| text.starts_with(&beginning)).count() as u64;
                assert!(left == 0 || left >= many || room.is_none(), "{id:?} {beginning:?}");
            }
        }
    }

    #[test]
    fn so_many_texts_are_left_beside_patterns_that_must_not_match() {
        const LONGEST: usize = 7;
        let mut store = ExpressionStore::new();
        let (bounded, endless) = (letters(&mut store, 3, 1, Some(7)), letters(&mut store, 3, 1, None));
        let (any, word, end) = (store.any_text(), store.literal(b"ab"), store.literal(b"ba"));
        let anywhere = store.concatenation(&[any, word, any]);
        let at_the_end = store.concatenate(any, end);
        let (begun, rest) = (store.concatenate(word, any), letters(&mut store, 2, 0, Some(2)));
        let whole = letters(&mut store, 1, 1, None);
        let maybe = store.concatenate(word, rest);
        let (many, raw) = (16, LETTERS.iter().copied().collect());
        let patterns = [
            (vec![anywhere], Some(3)),
            (vec![at_the_end], Some(3)),
            (vec![begun], Some(3)),
            (vec![whole], Some(3)),
            (vec![store.alternatives(&[anywhere, begun])], Some(3)),
            (vec![maybe], None),
            (vec![anywhere, at_the_end], None),
            (vec![store.alternatives(&[at_the_end, begun])], None),
            (vec![any], None),
        ];
        for (patterns, expected) in patterns {
            let complements: Vec<ExpressionId> = patterns.iter().map(|&id| store.complement(id)).collect();
            let contents =
                [bounded, endless].map(|base| store.intersection(&[&[base], &*complements].concat()));
            let [room, endless] = contents.map(|content| store.room_in_content(content, many, &raw));
            assert_eq!(room, expected, "{patterns:?}");
            assert_eq!(endless, (patterns != [any]).then_some(ExpressionStore::UNBOUNDED), "{patterns:?}");
            let matches: Vec<Vec<u8>> =
                texts(LETTERS, LONGEST).into_iter().filter(|text| store.matches(contents[0], text)).collect();
            for beginning in texts(LETTERS, room.unwrap_or(0) as usize) {
                let left = matches.iter().filter(|text| text.starts_with(&beginning)).count() as u64;
                assert!(left == 0 || left >= many || room.is_none(), "{patterns:?} {beginning:?}");
            }
        }
    }

    #[test]
    fn what_cannot_be_written_does_not_count() {
        let mut store = ExpressionStore::new();
        let three = letters(&mut store, 3, 0, Some(9));
        let rooms = [b"abc".as_slice(), b"ab", b"a"].map(|raw| {
            let raw: ByteSet = raw.iter().copied().collect();
            store.room_for(three, 81, &raw)
        });
        assert_eq!(rooms, [Some(5), Some(2), None]);
    }
}
