//! Text in which some strings must not be found, beside the same text in which they may.
//!
//! Text of a class of characters, of any length or of a bounded one, is read alike whether or not a word is forbidden in it, up to where
//! the word has been read: what is left of both has a match, and which texts are complete is the same. So nothing has
//! to be read to tell the two apart but what ends with one of the strings. It is so with JSON strings, too (`any_string`), of which not the text
//! but the content is looked at.

use smallvec::SmallVec;

use super::any_string::{MOST_SOUGHT, Sought};
use super::{ByteSet, Expression, ExpressionId, ExpressionStore};

/// A text, beside one that is the same but for some strings that must not be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AllowedText {
    pub(crate) expression: ExpressionId,
    pub(crate) sought: Sought,
}

impl ExpressionStore {
    /// The text in which all strings may be found, where an expression begins with text of a class of characters in which some must not be
    /// found behind any text. `None` for all others.
    ///
    /// Let a text hold none of the strings, nor begin with one of the first. Characters of the class that are in none of them lead from
    /// there to where nothing is begun, up to the least length; and the end that is asked for, whose first byte is in none of them
    /// either, completes none. So a match is left just where one is left of the other text.
    pub(crate) fn beside_allowed_text(&mut self, id: ExpressionId) -> Option<AllowedText> {
        if self.width(id) > MOST_SOUGHT {
            return None;
        }
        let (mut sought, mut texts) = (Sought::default(), SmallVec::<[ExpressionId; 4]>::new());
        let mut all = SmallVec::<[ExpressionId; 4]>::new();
        for item in self.alternatives_of(id) {
            let (head, tail) = self.head_and_rest(item);
            // Of what else may come, such as the rest of a closing that has begun, both have the same.
            if !matches!(self.get(head), Expression::Intersection(_)) {
                all.push(item);
                continue;
            }
            let text = self.text_without_strings(head, &mut sought)?;
            texts.push(text);
            all.push(self.concatenate(text, tail));
        }
        sought.put_in_order();
        let bytes: ByteSet = sought.all().flat_map(|string| string.iter().copied()).collect();
        if sought.anywhere.is_empty() || !texts.iter().all(|&text| self.leads_out_of(text, &sought, &bytes)) {
            return None;
        }
        Some(AllowedText { expression: self.alternatives(&all), sought })
    }

    /// The text that is under no other conditions than that some strings must not be found in it. Adds the strings.
    fn text_without_strings(&mut self, id: ExpressionId, sought: &mut Sought) -> Option<ExpressionId> {
        let Expression::Intersection(list) = self.get(id) else { return None };
        let operands: SmallVec<[ExpressionId; 4]> = self.list(list).into();
        let mut text = None;
        for operand in operands {
            match self.get(operand) {
                Expression::Complement(excluded) => {
                    self.add_excluded(excluded, sought)?;
                }
                _ if text.is_some() => return None,
                _ => text = Some(operand),
            }
        }
        text
    }

    /// Whether text of a class, which a fixed string may end, goes on from wherever some strings are begun to where none is.
    fn leads_out_of(&self, text: ExpressionId, sought: &Sought, bytes: &ByteSet) -> bool {
        let (head, end) = self.head_and_rest(text);
        let Expression::Repetition { body, .. } = self.get(head) else { return false };
        let others = self.first_bytes(body).intersection(&ByteSet::range(b' ', b'~')).difference(bytes);
        self.is_class(body) && !others.is_empty() && self.completes_none(end, sought, bytes)
    }

    /// Whether each of some fixed strings holds none of those that are sought, and ends none that was begun before it.
    fn completes_none(&self, end: ExpressionId, sought: &Sought, bytes: &ByteSet) -> bool {
        match self.get(end) {
            Expression::Empty => true,
            Expression::Bytes(set) => self.byte_set(set).intersection(bytes).is_empty(),
            Expression::Literals(range) => self.literals_of(range).all(|literal| {
                let literal = &literal[range.depth as usize..];
                let holds = |string: &[u8]| literal.windows(string.len().max(1)).any(|part| part == string);
                literal.first().is_some_and(|&first| !bytes.contains(first)) && !sought.all().any(holds)
            }),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(found: Option<AllowedText>) -> Option<String> {
        let found = found?;
        let strings = found.sought.all().map(|string| String::from_utf8_lossy(string).into_owned());
        Some(strings.collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn a_text_without_strings_is_the_text_with_them_but_for_where_they_end() {
        let mut store = ExpressionStore::new();
        let any = store.any_text();
        let character = store.any_character();
        let counted = store.repetition(character, 2, Some(40));
        let letters = store.bytes(ByteSet::range(b'a', b'd'));
        let letters = store.repetition(letters, 1, None);
        let [word, quote, end, tail] = ["cab", "\"", "</", "bc"].map(|text| store.literal(text.as_bytes()));
        let [found, of_letters] = [any, letters].map(|text| store.concatenation(&[text, word, any]));
        let [without, without_in_letters] = [found, of_letters].map(|found| store.complement(found));
        let [quoted, ended, with_tail] = [quote, end, tail].map(|behind| store.concatenate(counted, behind));
        let twice = store.concatenate(counted, letters);
        let begun = store.concatenate(tail, any);
        let begun = store.alternatives(&[found, begun]);
        let without_begun = store.complement(begun);
        for (text, condition, expected) in [
            (any, without, Some("cab")),
            (counted, without, Some("cab")),
            (quoted, without, Some("cab")),
            (ended, without_begun, Some("cab bc")),
            (letters, without, Some("cab")),
            // What ends the text could end what has begun in it.
            (with_tail, without, None),
            // Two texts: the second one may be of other characters.
            (twice, without, None),
            // It can be found behind a letter only.
            (any, without_in_letters, None),
        ] {
            let given = store.intersection(&[text, condition]);
            for (behind, given) in [(ExpressionStore::EMPTY, given), (end, store.concatenate(given, end))] {
                let found = store.beside_allowed_text(given);
                let other = store.concatenate(text, behind);
                assert!(found.as_ref().is_none_or(|found| found.expression == other), "{text:?}");
                assert_eq!(shown(found).as_deref(), expected, "{text:?}");
            }
            let or_end = store.alternatives(&[given, end]);
            assert_eq!(shown(store.beside_allowed_text(or_end)).as_deref(), expected, "{text:?}");
        }
        for other in [any, word, without, end] {
            assert_eq!(store.beside_allowed_text(other), None);
        }
    }
}
