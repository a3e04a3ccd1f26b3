//! Which characters JSON strings tell apart.
//!
//! A pattern is made of few classes of characters. Of two characters that are in the same of them, and in no fixed string, each
//! leads from anywhere in the pattern to what the other does. So what texts of the one do is known of those of the other, and no
//! character need be read to know it.

use rustc_hash::FxHashSet;

use super::{ByteSet, Expression, ExpressionId, ExpressionStore};
use crate::vocabulary::CharacterRead;

/// What tells characters apart in some JSON strings.
#[derive(Clone, Debug)]
pub(crate) struct ToldApart {
    /// Match one character each, ascending. Characters that are in the same of these are alike.
    pub(crate) classes: Vec<ExpressionId>,
    /// Characters of ASCII that stand in fixed strings, and are like no others.
    pub(crate) fixed: ByteSet,
}

impl ExpressionStore {
    /// What tells the characters apart that may stand for themselves up to the quotes of the JSON strings that an expression
    /// begins with. `None` where it begins with anything else, characters beyond ASCII have to be written as escapes, or it is
    /// not soon found out.
    pub(crate) fn told_apart_in_strings(&self, id: ExpressionId) -> Option<ToldApart> {
        /// Of more parts, it takes too long to see it.
        const MOST_PARTS: usize = 256;
        /// So it does of more classes,
        const MOST_CLASSES: usize = 64;
        /// and of longer lists of fixed strings.
        const MOST_BYTES: usize = 1024;
        let mut waiting = Vec::new();
        for item in self.alternatives_of(id) {
            let (content, spelling, _) = self.string_to_quote(item)?;
            if self.spelling(spelling).escapes_beyond_ascii() {
                return None;
            }
            waiting.push(content);
        }
        let mut seen = FxHashSet::default();
        let mut told = ToldApart { classes: Vec::new(), fixed: ByteSet::EMPTY };
        while let Some(part) = waiting.pop() {
            if !seen.insert(part) {
                continue;
            }
            if seen.len() + waiting.len() > MOST_PARTS || told.classes.len() > MOST_CLASSES {
                return None;
            }
            if self.is_text(part) && self.is_one_character(part) {
                told.classes.push(part);
                continue;
            }
            match self.get(part) {
                Expression::Nothing | Expression::Empty => {}
                Expression::Literals(range) => {
                    let mut left = MOST_BYTES;
                    for literal in self.literals_of(range) {
                        left = left.checked_sub(literal.len() + 1).filter(|_| literal.is_ascii())?;
                        literal.iter().for_each(|&byte| told.fixed.insert(byte));
                    }
                }
                Expression::Concatenation(..)
                | Expression::Alternatives(_)
                | Expression::Repetition { .. }
                | Expression::Intersection(_)
                | Expression::Complement(_) => waiting.extend(self.operands(part)),
                _ => return None,
            }
        }
        told.classes.sort_unstable();
        Some(told)
    }

    /// Those of some bytes beyond ASCII with which more than one character begins, and in JSON strings at the head of an
    /// expression some class holds only some of these, while no class holds others than most: what is in one class and then
    /// in another, as of white space and of all else, may be any of them. Not all of them may be found.
    pub(crate) fn partly_begun_in_strings(&self, id: ExpressionId, bytes: &ByteSet) -> ByteSet {
        /// Most classes of many characters hold it.
        const COMMON: u8 = b'e';
        let (mut partly, mut of_few) = (ByteSet::EMPTY, ByteSet::EMPTY);
        let Some(told) = self.told_apart_in_strings(id) else { return partly };
        for class in told.classes {
            let begun = self.partly_begun(class, bytes);
            let is_common = begun.is_empty() || self.first_bytes(class).contains(COMMON);
            let kept = if is_common { &mut partly } else { &mut of_few };
            *kept = kept.union(&begun);
        }
        partly.difference(&of_few)
    }

    /// Those of some bytes beyond ASCII with which a class plainly begins, and holds only some of the characters that do.
    fn partly_begun(&self, class: ExpressionId, bytes: &ByteSet) -> ByteSet {
        let mut partly = ByteSet::EMPTY;
        for item in self.alternatives_of(class) {
            let (head, rest) = self.head_and_rest(item);
            let Expression::Bytes(first) = self.get(head) else { continue };
            for byte in self.byte_set(first).intersection(bytes).iter() {
                let read = CharacterRead::NONE.step(byte);
                if read.is_some_and(|read| !self.is_any_end(rest, read.missing())) {
                    partly.insert(byte);
                }
            }
        }
        partly
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spelling::Spelling;

    /// A JSON string of a content, with its last quote.
    fn string(store: &mut ExpressionStore, content: ExpressionId, raw: ByteSet) -> ExpressionId {
        let spelling = store.intern_spelling(Spelling::over(&raw));
        let (string, quote) = (store.json_string(content, spelling), store.literal(b"\""));
        store.concatenate(string, quote)
    }

    #[test]
    fn what_tells_characters_apart_is_found_in_strings_only() {
        let mut store = ExpressionStore::new();
        let letter = store.bytes(ByteSet::range(b'a', b'z'));
        let any = store.any_character();
        let (letters, word) = (store.repetition(letter, 1, None), store.literal(b"end"));
        let others = store.repetition(any, 0, Some(5));
        let content = store.concatenation(&[letters, word, others]);
        let text = string(&mut store, content, ByteSet::ALL);
        let ToldApart { classes, fixed } = store.told_apart_in_strings(text).unwrap();
        let mut expected = [letter, any];
        expected.sort_unstable();
        assert!(expected.iter().all(|class| classes.contains(class)), "{classes:?}");
        let singles = |byte| classes.iter().any(|&class| store.first_bytes(class) == ByteSet::single(byte));
        assert!(b"end".iter().all(|&byte| fixed.contains(byte) || singles(byte)), "{fixed:?} {classes:?}");

        let written = string(&mut store, content, ByteSet::range(0, 0x7F));
        assert!(store.told_apart_in_strings(written).is_none(), "what is beyond ASCII is written as escapes");
        assert!(store.told_apart_in_strings(content).is_none(), "it is no JSON string");
        let either = store.alternatives(&[text, letters]);
        assert!(store.told_apart_in_strings(either).is_none(), "it may be none");
        let byte = store.bytes(ByteSet::range(0x80, 0xBF));
        let begun = store.concatenate(byte, content);
        let begun = string(&mut store, begun, ByteSet::ALL);
        assert!(store.told_apart_in_strings(begun).is_none(), "it stands within a character");
    }
}
