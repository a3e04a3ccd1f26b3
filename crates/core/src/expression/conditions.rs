//! JSON strings under several conditions, and under each of them by itself.
//!
//! A key that one pattern matches and others do not is in as many states as all of these patterns together. But what a text may
//! hold and must not hold seldom meet: after a character that is in none of what is looked for, all is to be found as it was
//! before anything was read, and nothing is begun that must not be found. So a text that can be read under each condition
//! can be read under all of them, and it is complete under all of them where it is under each. What is known of one condition, or of what was
//! begun of one match, is then known in all company.

use smallvec::SmallVec;

use super::search::Searches;
use super::{ByteSet, Expression, ExpressionId, ExpressionStore, Spelling, SpellingId};

/// A JSON string under several conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Conditions {
    /// The string under one of them each: what all of these read, and nothing else, is what the string reads.
    pub(crate) each: SmallVec<[ExpressionId; 4]>,
    /// The string under all of them, of which no match has been begun: all this is so if it has a match.
    pub(crate) unbegun: ExpressionId,
}

impl ExpressionStore {
    /// The conditions of a JSON string and what follows it in the same frame, where there are several, none is of another kind than
    /// that something is in the content or is not, and some characters are in nothing that must not be there.
    ///
    /// Let a text be read under each condition, and let such a character follow. Of what must not be found nothing is begun then, and
    /// what must be found can still be: what is left holds the string of which no match has been begun.
    pub(crate) fn conditions_apart(&mut self, id: ExpressionId) -> Option<Conditions> {
        /// More conditions are seldom met together, and each is read by itself.
        const MOST: usize = 24;
        let (content, spelling, _) = self.string_to_quote(id)?;
        let (_, tail) = self.head_and_rest(id);
        let Expression::Intersection(operands) = self.get(content) else { return None };
        let operands: SmallVec<[ExpressionId; 4]> = self.list(operands).into();
        // Under each condition alone it is read as text.
        if !self.is_regular(tail) || !operands.iter().any(|&operand| self.is_text(operand)) {
            return None;
        }
        let (mut each, mut unbegun, mut excluded) = (SmallVec::new(), SmallVec::new(), ByteSet::EMPTY);
        for operand in operands {
            if !self.is_any_text(operand) {
                self.add_conditions(operand, &mut each, &mut unbegun, &mut excluded)?;
            }
        }
        let is_several = (2..=MOST).contains(&each.len());
        if !is_several || !leaves_characters(&excluded, self.spelling(spelling)) {
            return None;
        }
        let unbegun = self.any_text_within(&unbegun, spelling, tail);
        each.iter_mut().for_each(|one| *one = self.any_text_within(&[*one], spelling, tail));
        Some(Conditions { each, unbegun })
    }

    /// Adds what an operand of a content asks for, and the same where no match has been begun; and the characters of what must not be
    /// found. `None` where it asks for something else.
    fn add_conditions(
        &mut self,
        operand: ExpressionId,
        each: &mut SmallVec<[ExpressionId; 4]>,
        unbegun: &mut SmallVec<[ExpressionId; 4]>,
        excluded: &mut ByteSet,
    ) -> Option<()> {
        let Expression::Complement(sought) = self.get(operand) else {
            let Searches { anywhere, .. } = self.searches(operand);
            if anywhere.is_empty() {
                return None;
            }
            each.push(operand);
            unbegun.push(self.alternatives(&anywhere));
            return Some(());
        };
        let Searches { anywhere, begun } = self.searches(sought);
        for &search in anywhere.iter().chain(&begun) {
            self.add_characters_of_match(search, excluded)?;
        }
        if !anywhere.is_empty() {
            let anywhere = self.alternatives(&anywhere);
            let not_anywhere = self.complement(anywhere);
            each.push(not_anywhere);
            unbegun.push(not_anywhere);
        }
        each.extend(begun.into_iter().map(|begun| self.complement(begun)));
        Some(())
    }

    /// A JSON string of any text under some conditions, and what follows.
    fn any_text_within(
        &mut self,
        conditions: &[ExpressionId],
        spelling: SpellingId,
        tail: ExpressionId,
    ) -> ExpressionId {
        let mut operands: SmallVec<[ExpressionId; 4]> = conditions.into();
        operands.push(self.any_text());
        let content = self.intersection(&operands);
        let string = self.json_string(content, spelling);
        self.concatenate(string, tail)
    }

    /// Adds the characters that occur in what is looked for, but in any text before and behind it. `None` where they are not
    /// all of ASCII, or not plain.
    fn add_characters_of_match(&self, search: ExpressionId, characters: &mut ByteSet) -> Option<()> {
        /// What is made of more parts is not looked through.
        const MOST: usize = 256;
        let (first, rest) = self.head_and_rest(search);
        let mut at = if self.is_any_text(first) { rest } else { search };
        let mut left = MOST;
        while !self.is_any_text(at) {
            let (head, rest) = self.head_and_rest(at);
            self.add_characters(head, characters, &mut left)?;
            at = rest;
            if at == Self::EMPTY {
                break;
            }
        }
        Some(())
    }

    fn add_characters(&self, id: ExpressionId, characters: &mut ByteSet, left: &mut usize) -> Option<()> {
        *left = left.checked_sub(1)?;
        match self.get(id) {
            Expression::Empty => {}
            Expression::Bytes(set) => *characters = characters.union(self.byte_set(set)),
            Expression::Literals(range) => {
                *left = left.checked_sub((range.end - range.first) as usize)?;
                let literals = self.literals_of(range);
                let bytes = literals.flat_map(|literal| &literal[range.depth as usize..]).copied();
                *characters = characters.union(&bytes.collect());
            }
            Expression::Repetition { body, .. } => self.add_characters(body, characters, left)?,
            Expression::Concatenation(..) | Expression::Alternatives(_) => {
                for operand in self.operands(id) {
                    self.add_characters(operand, characters, left)?;
                }
            }
            _ => return None,
        }
        characters.is_ascii().then_some(())
    }
}

/// Whether some characters, however they are spelled, are not among some bytes: one that stands for itself, and one among those that each
/// escape of a character of ASCII can turn out to be, once it is read as far as that it is one of sixteen.
fn leaves_characters(excluded: &ByteSet, spelling: &Spelling) -> bool {
    const ALIKE: u8 = 16;
    let others = ByteSet::range(b' ', b'~').intersection(&spelling.raw).difference(excluded);
    let mut alike = (0x00..0x80).step_by(ALIKE.into()).map(|first: u8| first..first + ALIKE);
    !others.is_empty()
        && alike.all(|mut alike| {
            let may_escape = |character: u8| spelling.may_escape(character.into(), character.into());
            !alike.clone().any(may_escape)
                || alike.any(|character| may_escape(character) && !excluded.contains(character))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A JSON string of a content.
    fn string(store: &mut ExpressionStore, content: ExpressionId) -> ExpressionId {
        let spelling = store.intern_spelling(Spelling::over(&ByteSet::ALL));
        let (string, quote) = (store.json_string(content, spelling), store.literal(b"\""));
        store.concatenate(string, quote)
    }

    /// What conditions are taken apart, by the operands of the content beside any text.
    fn check(
        store: &mut ExpressionStore,
        operands: &[ExpressionId],
        each: &[ExpressionId],
        unbegun: &[ExpressionId],
    ) {
        let any = store.any_text();
        let mut within = |operands: &[ExpressionId]| {
            let content = store.intersection(&[operands, &[any]].concat());
            string(store, content)
        };
        let given = within(operands);
        let mut expected: Vec<_> = each.iter().map(|&one| within(&[one])).collect();
        let expected_unbegun = within(unbegun);
        let mut found = store.conditions_apart(given).unwrap();
        found.each.sort_unstable();
        expected.sort_unstable();
        assert_eq!((found.each.to_vec(), found.unbegun), (expected, expected_unbegun));
    }

    #[test]
    fn what_must_not_be_found_is_read_apart_and_so_is_what_was_begun_of_it() {
        let mut store = ExpressionStore::new();
        let any = store.any_text();
        let [word, rest, mark, end] = ["word", "rd", "!", "end"].map(|text| store.literal(text.as_bytes()));
        let letters = store.bytes(ByteSet::range(b'a', b'z'));
        let letters = store.repetition(letters, 1, None);
        let [word, rest, letters_mark, end] =
            [&[any, word, any][..], &[rest, any], &[letters, mark], &[any, end]]
                .map(|parts| store.concatenation(parts));
        let begun = store.alternatives(&[word, rest, letters_mark]);
        let [not_begun, not_word, not_rest, not_letters_mark, not_end] =
            [begun, word, rest, letters_mark, end].map(|sought| store.complement(sought));
        check(&mut store, &[not_word, not_end], &[not_word, not_end], &[not_word, not_end]);
        check(&mut store, &[not_begun], &[not_word, not_rest, not_letters_mark], &[not_word]);
        check(&mut store, &[not_word, end], &[not_word, end], &[not_word, end]);
        let end_begun = store.alternatives(&[end, rest]);
        check(&mut store, &[not_word, end_begun], &[not_word, end_begun], &[not_word, end]);
    }

    #[test]
    fn conditions_that_may_meet_stay_together() {
        let mut store = ExpressionStore::new();
        let any = store.any_text();
        let [word, umlaut] = ["word", "ö"].map(|text| store.literal(text.as_bytes()));
        let [word, umlaut] = [word, umlaut].map(|sought| store.concatenation(&[any, sought, any]));
        let all = store.bytes(ByteSet::range(b' ', b'~'));
        let sixteen = store.bytes(ByteSet::range(0x60, 0x6F));
        let [all, sixteen] = [all, sixteen].map(|sought| store.concatenation(&[any, sought]));
        let [not_word, not_umlaut, not_all, not_sixteen] =
            [word, umlaut, all, sixteen].map(|sought| store.complement(sought));
        let letters = store.bytes(ByteSet::range(b'a', b'z'));
        let few = store.repetition(letters, 0, Some(9));
        let begun = store.concatenate(letters, any);
        for operands in [
            &[not_word][..],
            &[not_word, not_umlaut],
            &[not_word, not_all],
            &[not_word, not_sixteen],
            &[not_word, few],
            &[not_word, begun],
        ] {
            let content = store.intersection(&[operands, &[any]].concat());
            let given = string(&mut store, content);
            assert_eq!(store.conditions_apart(given), None, "{operands:?}");
        }
        // What is no text shows in no condition by itself, and a string that ends anywhere leaves its frame everywhere.
        let surrogate = store.literal(b"\xED\xA0\x80");
        let surrogate = store.concatenation(&[any, surrogate, any]);
        let mark = store.literal(b"!");
        let mark = store.concatenation(&[any, mark, any]);
        let not_mark = store.complement(mark);
        for operands in [&[not_word, surrogate][..], &[not_word, not_mark]] {
            let content = store.intersection(operands);
            let given = string(&mut store, content);
            assert_eq!(store.conditions_apart(given), None, "{operands:?}");
        }
        let spelling = store.intern_spelling(Spelling::over(&ByteSet::ALL));
        let content = store.intersection(&[not_word, not_mark, any]);
        let endless = store.json_string(content, spelling);
        assert_eq!(store.conditions_apart(endless), None);
        let given = string(&mut store, content);
        assert!(store.conditions_apart(given).is_some());
    }
}
