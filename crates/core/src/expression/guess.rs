//! A text that is likely to match: what is looked at before anything is searched for.
//!
//! An intersection is most often of one thing that says much, such as a pattern or a format, and others that say
//! little, such as a length. So the shortest match of the one that asks for most is tried; where all others match it,
//! nothing else need be looked at. A search would look at all bytes on the way.

use super::{ByteSet, Expression, ExpressionId, ExpressionStore, ListId};

/// A byte of a set, a letter or a digit where there is one: they are what others exclude least.
pub(super) fn usual_byte(set: &ByteSet) -> Option<u8> {
    [b'a', b'0', b'A'].into_iter().find(|&byte| set.contains(byte)).or_else(|| set.first())
}

/// Whether what is told is a match for certain, or is still to be tried.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Certainty {
    Certain,
    Likely,
}

impl ExpressionStore {
    /// A longer text is not worth trying.
    const LONGEST_GUESS: usize = 256;
    /// What nests deeper is left to searches.
    const DEEPEST_GUESS: usize = 64;

    /// A short match of that operand of an intersection that asks for the longest; `None` where it is not plain, or
    /// `id` is none.
    pub(super) fn likely_match(&self, id: ExpressionId) -> Option<Vec<u8>> {
        let Expression::Intersection(list) = self.get(id) else { return None };
        // Of those that ask for as much, a length says least.
        let is_length = |operand| matches!(self.get(operand), Expression::Repetition { .. });
        let asks = |operand: &ExpressionId| (self.shortest(*operand), !is_length(*operand));
        let operands = || self.list(list).iter().copied();
        let longest = operands().filter(|&operand| !self.is_complement(operand)).max_by_key(asks)?;
        self.short_text(longest, Certainty::Likely).or_else(|| {
            let plain = operands().filter(|&operand| !self.has_boolean(operand)).max_by_key(asks)?;
            self.short_match(plain)
        })
    }

    /// A match of an intersection of lengths and one other operand, where a short match of that has such a length, so that
    /// nothing need be derived; `None` where that does not show.
    pub(super) fn match_of_length(&self, id: ExpressionId) -> Option<Vec<u8>> {
        match self.get(id) {
            Expression::Intersection(_) => self.short_match(id),
            _ => None,
        }
    }

    /// Whether some byte of an alphabet leaves an intersection where no complement in it says anything more, since nothing
    /// that one excludes begins with it, and the one other operand is still to match something. `false` does not say that
    /// nothing matches.
    pub(super) fn leaves_complements(&mut self, id: ExpressionId, alphabet: &ByteSet) -> bool {
        let Expression::Intersection(list) = self.get(id) else { return false };
        let (mut left, mut other) = (*alphabet, None);
        for &operand in self.list(list) {
            match self.get(operand) {
                Expression::Complement(excluded) => left = left.difference(&self.first_bytes(excluded)),
                _ if other.is_some() || self.has_boolean(operand) => return false,
                _ => {
                    left = left.intersection(&self.first_bytes(operand));
                    other = Some(operand);
                }
            }
            if left.is_empty() {
                return false;
            }
        }
        let (Some(byte), Some(other)) = (left.first(), other) else { return false };
        self.derive_whole(other, byte, &mut ByteSet::ALL.clone()) != Self::NOTHING
    }

    /// A short match of an expression without complements, and intersections but those with lengths, where that is plain and
    /// not too long.
    pub(super) fn short_match(&self, id: ExpressionId) -> Option<Vec<u8>> {
        self.short_text(id, Certainty::Certain)
    }

    /// A short text that matches an expression, or is likely to, where that is plain and not too long.
    fn short_text(&self, id: ExpressionId, certainty: Certainty) -> Option<Vec<u8>> {
        let is_within =
            self.shortest(id) as usize <= Self::LONGEST_GUESS && self.height(id) <= Self::DEEPEST_GUESS;
        let mut text = Vec::new();
        (is_within && self.add_short_text(id, certainty, &mut text)).then_some(text)
    }

    /// Appends a short match of an expression, or what is likely one. Returns whether there is one that is plain and not too long.
    /// Recursion is as deep as operands nest.
    fn add_short_text(&self, id: ExpressionId, certainty: Certainty, text: &mut Vec<u8>) -> bool {
        if self.is_nullable(id) {
            return true;
        }
        match self.get(id) {
            Expression::Bytes(set) => text.extend(usual_byte(self.byte_set(set))),
            Expression::Literals(range) => {
                let shortest = self.literals_of(range).take(16).min_by_key(|literal| literal.len());
                text.extend(shortest.unwrap_or_default().iter().skip(range.depth as usize));
            }
            Expression::Concatenation(..) => {
                let mut at = id;
                while let Expression::Concatenation(head, tail) = self.get(at) {
                    if !self.add_short_text(head, certainty, text) {
                        return false;
                    }
                    at = tail;
                }
                return self.add_short_text(at, certainty, text);
            }
            Expression::Alternatives(list) => {
                // Intersections and complements are not plain where there is anything else.
                let ease = |&&operand: &&ExpressionId| (self.has_boolean(operand), self.shortest(operand));
                let shortest = self.list(list).iter().min_by_key(ease);
                return shortest.is_some_and(|&operand| self.add_short_text(operand, certainty, text));
            }
            Expression::Repetition { body, minimum, .. } => {
                for _ in 0..minimum {
                    if !self.add_short_text(body, certainty, text) {
                        return false;
                    }
                }
            }
            Expression::Intersection(list) => return self.add_short_text_of_length(list, certainty, text),
            _ => return false,
        }
        text.len() <= Self::LONGEST_GUESS
    }

    /// Appends a short match of the one operand of an intersection that is no length of any text, complements left aside where one is
    /// only likely. Returns whether there is one that is plain, not too long, and of such a length.
    fn add_short_text_of_length(&self, operands: ListId, certainty: Certainty, text: &mut Vec<u8>) -> bool {
        let (mut other, mut least, mut most) = (None, 0, u32::MAX);
        for &operand in self.list(operands) {
            match self.get(operand) {
                Expression::Repetition { body, minimum, maximum } if self.is_any_character(body) => {
                    (least, most) = (least.max(minimum), most.min(maximum));
                }
                Expression::Complement(_) if certainty == Certainty::Likely => {}
                _ if other.is_some() => return false,
                _ => other = Some(operand),
            }
        }
        let before = text.len();
        other.is_some_and(|other| self.add_short_text(other, certainty, text))
            && std::str::from_utf8(&text[before..])
                .is_ok_and(|text| (least as usize..=most as usize).contains(&text.chars().count()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::every_text::texts;
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
        assert_eq!(store.short_match(called), None);
    }

    #[test]
    fn what_must_not_match_within_a_pattern_is_left_aside_in_a_guess() {
        let mut store = ExpressionStore::new();
        let (any, digits) = (store.any_character(), store.bytes(ByteSet::range(b'0', b'9')));
        let (digits, words) = (store.repetition(digits, 0, None), store.bytes(ByteSet::range(b'0', b'z')));
        let (words, few) = (store.repetition(words, 1, None), store.repetition(any, 1, Some(9)));
        let (not_digits, dot) = (store.complement(digits), store.literal(b"."));
        let name = store.intersection(&[words, not_digits]);
        let domain = store.concatenation(&[words, dot, name]);
        let both = store.intersection(&[few, domain]);
        assert_eq!(store.likely_match(both).as_deref(), Some(&b"a.a"[..]));
        assert_eq!(store.match_of_length(both), None, "it may be none");
    }

    #[test]
    fn of_a_pattern_and_a_length_that_ask_for_as_much_the_pattern_is_guessed() {
        let mut store = ExpressionStore::new();
        let (any, digit) = (store.any_character(), store.bytes(ByteSet::range(b'0', b'9')));
        let (text, digits) = (store.repetition(any, 0, None), store.repetition(digit, 4, Some(4)));
        let (found, length) = (store.concatenation(&[text, digits, text]), store.repetition(any, 4, Some(4)));
        let both = store.intersection(&[length, found]);
        assert_eq!(store.likely_match(both).as_deref(), Some(&b"0000"[..]));
    }

    /// What is told is a match, also of what is left after some bytes.
    #[test]
    fn short_matches_beside_lengths_are_matches() {
        let mut store = ExpressionStore::new();
        let [a, b, e] = ["a", "b", "é"].map(|letter| store.literal(letter.as_bytes()));
        let (any, letters) = (store.any_character(), store.alternatives(&[a, b, e]));
        let lengths = [(0, Some(2)), (0, Some(4)), (1, Some(3)), (2, Some(2)), (3, None), (5, Some(9))];
        let lengths = lengths.map(|(least, most)| store.repetition(any, least, most));
        let (some, few) = (store.repetition(letters, 1, None), store.repetition(letters, 2, Some(3)));
        let (not_few, words) =
            (store.complement(few), store.literals(["aé", "éé", "bab"].map(Vec::from).into()));
        let without_few = store.intersection(&[some, not_few]);
        let short = store.intersection(&[some, lengths[1]]);
        let ended = store.concatenation(&[short, b, few]);
        let either = store.alternatives(&[without_few, ended]);
        let twice = store.repetition(short, 2, Some(3));
        let mut counts = [0; 2];
        for other in [some, few, words, without_few, short, ended, either, twice] {
            for length in lengths {
                let both = store.intersection(&[other, length]);
                for read in ["", "a", "é", "ab", "éa"] {
                    let left = read
                        .bytes()
                        .fold(both, |id, byte| store.derive_whole(id, byte, &mut ByteSet::ALL.clone()));
                    let found = store.match_of_length(left);
                    counts[usize::from(found.is_some())] += 1;
                    assert!(
                        found.is_none_or(|text| store.matches(left, &text)),
                        "{other:?} {length:?} {read}"
                    );
                }
            }
        }
        assert!(counts.iter().all(|&count| count > 20), "{counts:?}");
    }

    #[test]
    fn what_a_byte_takes_out_of_all_complements_matches_something() {
        let mut store = ExpressionStore::new();
        let [a, b] = [b"a", b"b"].map(|letter| store.literal(letter));
        let letters = store.bytes(ByteSet::range(b'a', b'c'));
        let (many, few) = (store.repetition(letters, 0, None), store.repetition(letters, 1, Some(2)));
        let ended = store.concatenate(letters, b);
        let (only_a, only_b) = (store.repetition(a, 0, None), store.concatenate(b, many));
        let word = store.literals(["a", "b", "ab", "c"].map(Vec::from).to_vec());
        let mut counts = [0; 2];
        for plain in [many, few, ended, only_a, only_b] {
            for excluded in [&[only_a][..], &[only_b], &[only_a, only_b], &[word], &[many], &[ended, only_a]]
            {
                let mut operands: Vec<_> = excluded.iter().map(|&one| store.complement(one)).collect();
                operands.push(plain);
                let all = store.intersection(&operands);
                for alphabet in [ByteSet::ALL, ByteSet::range(b'a', b'b')] {
                    let letters: Vec<u8> =
                        ByteSet::range(b'a', b'c').intersection(&alphabet).iter().collect();
                    let leaves = store.leaves_complements(all, &alphabet);
                    counts[usize::from(leaves)] += 1;
                    let is_alive = texts(&letters, 4).iter().any(|text| store.matches(all, text));
                    assert!(is_alive || !leaves, "{plain:?} {excluded:?}");
                }
            }
        }
        assert!(counts.iter().all(|&count| count > 8), "{counts:?}");
    }
}
