//! A text that is likely to match: what is looked at before anything is searched for.
//!
//! An intersection is most often of one thing that says much, such as a pattern or a format, and others that say
//! little, such as a length. So the shortest match of the one that asks for most is tried; where all others match it,
//! nothing else need be looked at. A search would look at all bytes on the way.

use super::{Expression, ExpressionId, ExpressionStore};

impl ExpressionStore {
    /// A longer text is not worth trying.
    const LONGEST_GUESS: usize = 256;
    /// What nests deeper is left to searches.
    const DEEPEST_GUESS: usize = 64;

    /// A short match of that operand of an intersection that asks for the longest; `None` where it is not plain, or
    /// `id` is none.
    pub(super) fn likely_match(&self, id: ExpressionId) -> Option<Vec<u8>> {
        let Expression::Intersection(list) = self.get(id) else { return None };
        let plain = self.list(list).iter().copied().filter(|&operand| !self.has_boolean(operand));
        let longest = plain.max_by_key(|&operand| self.shortest(operand))?;
        self.short_match(longest)
    }

    /// A short match of an expression without intersections and complements, where that is plain and not too long.
    pub(super) fn short_match(&self, id: ExpressionId) -> Option<Vec<u8>> {
        let is_within =
            self.shortest(id) as usize <= Self::LONGEST_GUESS && self.height(id) <= Self::DEEPEST_GUESS;
        let mut text = Vec::new();
        (is_within && self.add_short_match(id, &mut text)).then_some(text)
    }

    /// Appends a short match of an expression without intersections and complements. Returns whether there is one
    /// that is plain and not too long. Recursion is as deep as operands nest.
    fn add_short_match(&self, id: ExpressionId, text: &mut Vec<u8>) -> bool {
        if self.is_nullable(id) {
            return true;
        }
        match self.get(id) {
            Expression::Bytes(set) => {
                // Letters and digits are what others exclude least.
                let set = self.byte_set(set);
                let usual = [b'a', b'0', b'A'].into_iter().find(|&byte| set.contains(byte));
                text.extend(usual.or_else(|| set.first()));
            }
            Expression::Literals(range) => {
                let shortest = self.literals_of(range).take(16).min_by_key(|literal| literal.len());
                text.extend(shortest.unwrap_or_default().iter().skip(range.depth as usize));
            }
            Expression::Concatenation(..) => {
                let mut at = id;
                while let Expression::Concatenation(head, tail) = self.get(at) {
                    if !self.add_short_match(head, text) {
                        return false;
                    }
                    at = tail;
                }
                return self.add_short_match(at, text);
            }
            Expression::Alternatives(list) => {
                let shortest = self.list(list).iter().min_by_key(|&&operand| self.shortest(operand));
                return shortest.is_some_and(|&operand| self.add_short_match(operand, text));
            }
            Expression::Repetition { body, minimum, .. } => {
                for _ in 0..minimum {
                    if !self.add_short_match(body, text) {
                        return false;
                    }
                }
            }
            _ => return false,
        }
        text.len() <= Self::LONGEST_GUESS
    }
}

#[cfg(test)]
mod tests {
    use super::super::ByteSet;
    use super::*;

    #[test]
    fn the_operand_that_asks_for_most_is_guessed() {
        let mut store = ExpressionStore::new();
        let (word, digit) = (store.literal(b"https://"), store.bytes(ByteSet::range(b'0', b'9')));
        let (digits, any) = (store.repetition(digit, 2, None), store.any_character());
        let (few, text) = (store.repetition(any, 0, Some(40)), store.repetition(any, 0, None));
        let end = store.literals([&b"gif"[..], b"jpeg"].map(<[u8]>::to_vec).into());
        let pattern = store.concatenation(&[word, text, digits, end]);
        let not_word = store.complement(word);
        let guess = |store: &mut ExpressionStore, operands: &[ExpressionId]| {
            let all = store.intersection(operands);
            store.likely_match(all)
        };
        assert_eq!(guess(&mut store, &[few, pattern, not_word]).as_deref(), Some(&b"https://00gif"[..]));
        assert_eq!(guess(&mut store, &[pattern]), None, "there is nothing to decide");
        let long = store.repetition(digit, 1000, None);
        assert_eq!(guess(&mut store, &[long, text, not_word]), None);
        let call = store.call(super::super::RuleId(0));
        let called = store.concatenate(word, call);
        assert!(!store.add_short_match(called, &mut Vec::new()));
    }
}
