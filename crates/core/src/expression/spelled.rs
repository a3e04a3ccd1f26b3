//! Fixed strings at the beginning of an expression, in all their spellings.
//!
//! The keys of an object are such strings, and every byte of every key leaves an expression of its own. What those
//! are has to be known only where a text goes, not where a mask looks: as long as characters stand for themselves,
//! a range of the strings is all that is left.

use std::ops::RangeInclusive;

use smallvec::SmallVec;

use super::json_string::Digits;
use super::{ByteSet, Escape, Expression, ExpressionId, ExpressionStore, LiteralRange, Spelling, SpellingId};
use crate::spelling::SHORT_ESCAPES;

/// An expression taken apart: what is left of some fixed strings, and then the rest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spelled {
    pub(crate) range: LiteralRange,
    /// Where one of the strings ends at once: that one, and the others.
    pub(crate) at_end: Option<(LiteralRange, Option<LiteralRange>)>,
    /// The bytes that may stand for themselves.
    pub(crate) raw: ByteSet,
    /// `None` where bytes stand for themselves only.
    spelling: Option<SpellingId>,
    rest: ExpressionId,
}

impl Spelled {
    /// Whether characters may be written as escapes, which begin with a backslash.
    pub(crate) fn has_escapes(&self) -> bool {
        self.spelling.is_some()
    }
}

/// What is left of a JSON string of any characters, up to its last quote.
#[derive(Clone, Debug)]
pub(crate) struct PlainString {
    pub(crate) spelling: Spelling,
    /// How many characters are still to come, at least and at most; [`ExpressionStore::UNBOUNDED`] for no limit.
    pub(crate) characters: RangeInclusive<u32>,
}

/// What is left of a JSON string of which every character is of one class, up to its last quote.
#[derive(Clone, Debug)]
pub(crate) struct ClassString {
    /// Matches one character.
    pub(crate) class: ExpressionId,
    pub(crate) spelling: Spelling,
    /// As of a [`PlainString`].
    pub(crate) characters: RangeInclusive<u32>,
}

impl ExpressionStore {
    /// The fixed strings that an expression begins with, as long as after every byte that stands for itself there is
    /// a way to their ends, and one that ends at once can be [told from the others](Self::split_at_end).
    pub(crate) fn spelled(&self, id: ExpressionId) -> Option<Spelled> {
        let (head, rest) = self.head_and_rest(id);
        let (range, spelling) = match self.get(head) {
            Expression::Literals(range) => (range, None),
            Expression::JsonString { content, escape: Escape::None, spelling } => match self.get(content) {
                Expression::Literals(range) => (range, Some(spelling)),
                _ => return None,
            },
            _ => return None,
        };
        let raw = spelling.map_or(ByteSet::ALL, |spelling| self.spelling(spelling).raw);
        let mut spelled = Spelled { range, at_end: None, raw, spelling, rest };
        if self.ends_one(range) {
            spelled.at_end = Some(self.split_at_end(&spelled, range)?);
        }
        self.is_always_spellable(&spelled).then_some(spelled)
    }

    /// The JSON string, with the quote after it, of which only the length is said, if that is all that an expression is.
    pub(crate) fn plain_string(&self, id: ExpressionId) -> Option<PlainString> {
        let ((body, characters), spelling) = self.repeating_string(id)?;
        self.is_any_character(body).then(|| PlainString { spelling: *self.spelling(spelling), characters })
    }

    /// The JSON string of characters of one class, with the quote after it, if that is all that an expression is. Classes
    /// that few bytes begin are left out.
    pub(crate) fn class_string(&self, id: ExpressionId) -> Option<ClassString> {
        /// With fewer, what is read is soon walked.
        const LEAST_BYTES: usize = 8;
        let ((class, characters), spelling) = self.repeating_string(id)?;
        let is_class = self.first_bytes(class).len() >= LEAST_BYTES
            && self.is_text(class)
            && self.is_one_character(class);
        is_class.then(|| ClassString { class, spelling: *self.spelling(spelling), characters })
    }

    /// What a JSON string repeats, how often, and how it is spelled, where that and the quote after it are all that an
    /// expression is.
    fn repeating_string(
        &self,
        id: ExpressionId,
    ) -> Option<((ExpressionId, RangeInclusive<u32>), SpellingId)> {
        let Expression::Concatenation(_, tail) = self.get(id) else { return None };
        let (content, spelling, quote) = self.string_to_quote(id)?;
        let Expression::Repetition { body, minimum, maximum } = self.get(content) else { return None };
        (quote == tail).then_some(((body, minimum..=maximum), spelling))
    }

    /// The JSON string of characters of the same class and any number of them, with the quote after it.
    pub(crate) fn class_string_of_any_length(&mut self, string: &ClassString) -> ExpressionId {
        self.string_of_any(string.class, string.spelling)
    }

    fn string_of_any(&mut self, character: ExpressionId, spelling: Spelling) -> ExpressionId {
        let spelling = self.intern_spelling(spelling);
        let any = self.repetition(character, 0, None);
        let (string, quote) = (self.json_string(any, spelling), self.literal(b"\""));
        self.concatenate(string, quote)
    }

    /// The JSON string of any characters and any length that is spelled so, with the quote after it.
    pub(crate) fn plain_string_of_any_length(&mut self, spelling: Spelling) -> ExpressionId {
        let character = self.any_character();
        self.string_of_any(character, spelling)
    }

    /// Whether any character of the strings can be written: as an escape, or as itself. Says no where there are too
    /// many to look at.
    fn is_always_spellable(&self, spelled: &Spelled) -> bool {
        /// More bytes than this are not looked at.
        const MOST_BYTES: usize = 4096;
        let minimal_escapes = |spelling| self.spelling(spelling).minimal_escapes;
        if !spelled.spelling.is_some_and(minimal_escapes) {
            return true;
        }
        let mut left = MOST_BYTES;
        self.literals_of(spelled.range).all(|literal| {
            let bytes = &literal[spelled.range.depth as usize..];
            left = left.saturating_sub(bytes.len());
            left > 0 && bytes.iter().all(|&byte| spelled.raw.contains(byte))
        })
    }

    /// Whether one of the strings of a range ends here.
    pub(crate) fn ends_one(&self, range: LiteralRange) -> bool {
        self.literal_set(range.set).is_nullable(range)
    }

    /// The string of a range that ends here, and the others; `None` where one of these may go on with a byte with which
    /// the rest can begin. One string must end here.
    pub(crate) fn split_at_end(
        &self,
        spelled: &Spelled,
        range: LiteralRange,
    ) -> Option<(LiteralRange, Option<LiteralRange>)> {
        // By the order, the shortest string is the first.
        let next = range.first + 1;
        let ended = LiteralRange { end: next, ..range };
        if next == range.end {
            return Some((ended, None));
        }
        let others = LiteralRange { first: next, ..range };
        let rest = match self.get(spelled.rest) {
            Expression::Concatenation(head, _) => head,
            _ => spelled.rest,
        };
        let after = match self.get(rest) {
            Expression::Bytes(set) => *self.byte_set(set),
            Expression::Literals(range) if !self.ends_one(range) => self.next_bytes(range),
            _ => return None,
        };
        let raw = self.next_bytes(others).intersection(&spelled.raw);
        let escape = if spelled.has_escapes() { ByteSet::single(b'\\') } else { ByteSet::EMPTY };
        let is_apart = after.intersection(&raw.union(&escape)).is_empty();
        is_apart.then_some((ended, Some(others)))
    }

    /// The strings of a range that go on with a byte.
    pub(crate) fn after_byte(&self, range: LiteralRange, byte: u8) -> Option<LiteralRange> {
        self.literal_set(range.set).step(range, byte)
    }

    /// The strings of a range by the bytes with which they go on.
    pub(crate) fn branches(&self, range: LiteralRange) -> impl Iterator<Item = (u8, LiteralRange)> {
        self.literal_set(range.set).branches(range)
    }

    /// Whether escapes are followed by [`after_escape`](Self::after_escape): where all strings of a range go on with
    /// characters of ASCII.
    pub(crate) fn follows_escapes(&self, range: LiteralRange) -> bool {
        self.next_bytes(range).is_ascii()
    }

    /// The bytes with which an escape of the next character goes on, each with the strings that are left then and how
    /// far the escape has been read.
    pub(crate) fn after_escape(
        &self,
        spelled: &Spelled,
        range: LiteralRange,
        escape: Escape,
    ) -> SmallVec<[(u8, LiteralRange, Escape); 4]> {
        let mut after = SmallVec::new();
        let Some(spelling) = spelled.spelling.map(|spelling| self.spelling(spelling)) else { return after };
        let next = self.next_bytes(range);
        let by_number = || next.iter().filter(|&byte| spelling.may_escape(u32::from(byte), u32::from(byte)));
        let whole =
            |byte, character| self.after_byte(range, character).map(|range| (byte, range, Escape::None));
        match escape {
            Escape::Backslash => {
                if by_number().next().is_some() {
                    after.push((b'u', range, Escape::Hexadecimal(Digits::default())));
                }
                let short = SHORT_ESCAPES.iter().filter(|&&(_, character)| {
                    next.contains(character) && spelling.may_escape_shortly(character)
                });
                after.extend(short.filter_map(|&(letter, character)| whole(letter, character)));
            }
            Escape::Hexadecimal(digits) => {
                let mut seen = ByteSet::EMPTY;
                for character in by_number() {
                    for (letter, digits) in digits.towards(character) {
                        if digits.is_whole() {
                            after.extend(whole(letter, character));
                        } else if !seen.contains(letter) {
                            seen.insert(letter);
                            after.push((letter, range, Escape::Hexadecimal(digits)));
                        }
                    }
                }
            }
            Escape::None | Escape::High { .. } => {}
        }
        after
    }

    /// What is left where fewer strings, or less of each, are.
    pub(crate) fn spelled_from(&mut self, spelled: &Spelled, range: LiteralRange) -> ExpressionId {
        let literals = self.literal_range(range);
        let head = match spelled.spelling {
            Some(spelling) => self.json_string(literals, spelling),
            None => literals,
        };
        self.concatenate(head, spelled.rest)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Emptiness, Spelling};
    use super::*;
    use crate::budget::{Budget, Deadline};

    /// Walks all bytes that stand for themselves, and compares what is left with the derivative.
    fn compare(store: &mut ExpressionStore, id: ExpressionId) {
        let Some(spelled) = store.spelled(id) else { return };
        for byte in store.next_bytes(spelled.range).intersection(&spelled.raw).iter() {
            let range = store.after_byte(spelled.range, byte).unwrap();
            let rest = store.spelled_from(&spelled, range);
            assert_eq!(rest, store.derive_whole(id, byte, &mut ByteSet::ALL.clone()));
            compare(store, rest);
        }
    }

    /// Reads all escapes of what comes next, and compares what is left with the derivative, as far as it is alive.
    fn compare_escapes(
        store: &mut ExpressionStore,
        id: ExpressionId,
        range: LiteralRange,
        escape: Escape,
    ) -> usize {
        let spelled = Spelled { range, ..store.spelled(id).unwrap() };
        let state = |store: &mut ExpressionStore, range, escape| match escape {
            Escape::None => store.spelled_from(&spelled, range),
            escape => {
                let literals = store.literal_range(range);
                let head = store.json_string_in(literals, escape, spelled.spelling.unwrap());
                store.concatenate(head, spelled.rest)
            }
        };
        let now = state(store, range, escape);
        let after = store.after_escape(&spelled, range, escape);
        let mut emptiness = Emptiness::new(ByteSet::ALL, &Budget::default());
        for byte in 0..=255 {
            let derivative = store.derive_whole(now, byte, &mut ByteSet::ALL.clone());
            let deadline = Deadline::for_compile(&Budget::default());
            let mut found = after.iter().filter(|&&(letter, ..)| letter == byte);
            match emptiness.is_alive(store, derivative, &deadline).unwrap() {
                true => {
                    let &(_, range, escape) = found.next().unwrap();
                    assert_eq!(state(store, range, escape), derivative);
                }
                false => assert!(found.next().is_none(), "{escape:?} {}", byte.escape_ascii()),
            }
            assert!(found.next().is_none());
        }
        let goes_on = after.iter().filter(|(.., escape)| *escape != Escape::None);
        after.len()
            + goes_on.map(|&(_, range, escape)| compare_escapes(store, id, range, escape)).sum::<usize>()
    }

    #[test]
    fn escapes_of_a_range_lead_where_the_derivatives_do() {
        let mut store = ExpressionStore::new();
        let end = store.literal(b"\"");
        let mut escapes = Vec::new();
        for texts in
            [&["one", "once", "two", "a\"b"][..], &["\n\u{1}", "\u{b}", "/j", "J"], &["\"a", "\\b", "zz"]]
        {
            let literals = store.literals(texts.iter().map(|text| text.as_bytes().to_vec()).collect());
            for minimal_escapes in [false, true] {
                let spelling = Spelling { minimal_escapes, ..Spelling::over(&ByteSet::ALL) };
                let spelling = store.intern_spelling(spelling);
                let string = store.json_string(literals, spelling);
                let id = store.concatenate(string, end);
                let Some(spelled) = store.spelled(id) else { continue };
                assert!(store.follows_escapes(spelled.range));
                escapes.push(compare_escapes(&mut store, id, spelled.range, Escape::Backslash));
            }
        }
        assert_eq!(escapes.len(), 3, "minimal escapes leave no way to some");
        assert!(escapes.iter().all(|&count| count > 8), "{escapes:?}");
    }

    #[test]
    fn what_is_left_of_a_range_is_the_derivative() {
        let mut store = ExpressionStore::new();
        let literals = store.literals(["one", "once", "öne", "a\"b", ""].map(Vec::from).to_vec());
        assert!(store.spelled(literals).is_none(), "one of them is at its end, and so is the text");
        let literals = store.literals(["one", "once", "öne", "a\"b"].map(Vec::from).to_vec());
        let end = store.literal(b"\"");
        for minimal_escapes in [false, true] {
            let spelling = Spelling { minimal_escapes, ..Spelling::over(&ByteSet::ALL) };
            let spelling = store.intern_spelling(spelling);
            let string = store.json_string(literals, spelling);
            let with_end = store.concatenate(string, end);
            assert_eq!(store.spelled(with_end).is_some(), !minimal_escapes);
            compare(&mut store, with_end);
        }
        let plain = store.concatenate(literals, end);
        assert!(store.spelled(plain).is_some_and(|spelled| !spelled.has_escapes()));
        compare(&mut store, plain);
    }

    #[test]
    fn a_string_that_ends_and_the_others_together_read_what_all_do() {
        let mut store = ExpressionStore::new();
        let literals = store.literals(["", "on", "one", "\u{e9}"].map(Vec::from).to_vec());
        let spelling = store.intern_spelling(Spelling::over(&ByteSet::ALL));
        let string = store.json_string(literals, spelling);
        for (after, is_apart) in [("\"", true), ("\"}", true), ("e", true), ("o", false), ("", false)] {
            let rest = store.literal(after.as_bytes());
            for head in [string, literals] {
                let id = store.concatenate(head, rest);
                let Some(spelled) = store.spelled(id) else {
                    assert!(!is_apart, "{after}");
                    continue;
                };
                assert!(is_apart, "{after}");
                let (ended, others) = spelled.at_end.unwrap();
                assert_eq!(store.spelled_from(&spelled, ended), rest);
                let others = store.spelled_from(&spelled, others.unwrap());
                // Within an escape, all strings are kept until it has been read.
                for byte in (0..=255).filter(|&byte| byte != b'\\') {
                    let mut derive = |id| store.derive_whole(id, byte, &mut ByteSet::ALL.clone());
                    let apart = [derive(rest), derive(others)];
                    let whole = derive(id);
                    assert_eq!(store.alternatives(&apart), whole, "{after} {byte:#x}");
                }
            }
        }
    }
}
