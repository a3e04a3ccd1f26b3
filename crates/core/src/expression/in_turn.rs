//! Patterns that match anywhere in a text: any number of them have a match in common.
//!
//! What reads `D* X D*` reads, with a text `x`, any text of `D` around it. So where all operands of an intersection are like
//! that, a text that satisfies all is a match of each, one after the other, if all these are texts of every `D`. One operand
//! may begin at the beginning, and one end at the end: their matches come first and last. Searches would have to find which
//! of very many orders of reading a byte of this and a byte of that lead on, and hold every operand in each of them.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::store::ExpressionMap;
use super::{ByteSet, Expression, ExpressionId, ExpressionStore};

/// A way to satisfy an operand by one of its matches with any text of `before` and `after` around it.
#[derive(Debug, PartialEq, Eq)]
struct Match {
    text: Vec<u8>,
    /// What is repeated before it; `None` where it begins the text.
    before: Option<ExpressionId>,
    /// What is repeated after it; `None` where it ends the text.
    after: Option<ExpressionId>,
}

/// What an operand asks for.
enum Demand {
    Match(Arc<Match>),
    /// So many of one thing.
    Count {
        body: ExpressionId,
        minimum: u32,
        maximum: u32,
    },
}

/// What is known of operands, which many intersections have in common.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownMatches {
    of: ExpressionMap<Option<Arc<Match>>>,
    /// Whether the match of an operand is a text of what is repeated.
    are_texts: FxHashMap<(ExpressionId, ExpressionId), bool>,
}

impl KnownMatches {
    fn of(&mut self, store: &ExpressionStore, operand: ExpressionId) -> Option<Arc<Match>> {
        self.of.entry(operand).or_insert_with(|| store.match_anywhere(operand).map(Arc::new)).clone()
    }

    /// Whether a text that an operand is satisfied by is one of what is repeated.
    fn is_text_of(
        &mut self,
        store: &mut ExpressionStore,
        operand: ExpressionId,
        text: &[u8],
        body: ExpressionId,
    ) -> bool {
        *self.are_texts.entry((operand, body)).or_insert_with(|| {
            let texts = store.repetition(body, 0, None);
            store.matches(texts, text)
        })
    }
}

impl ExpressionStore {
    /// Whether all operands of an intersection are plainly satisfied by one text over an alphabet: a match of each, one
    /// after the other. `false` does not say that there is none.
    pub(super) fn is_met_in_turn(
        &mut self,
        id: ExpressionId,
        alphabet: &ByteSet,
        known: &mut KnownMatches,
    ) -> bool {
        let Expression::Intersection(list) = self.get(id) else { return false };
        let operands = self.list(list).to_vec();
        let mut bodies: Vec<ExpressionId> = Vec::new();
        let mut matches: Vec<(ExpressionId, Arc<Match>)> = Vec::with_capacity(operands.len());
        let mut count = None;
        let (mut first, mut last, mut length) = (0, 0, 0);
        for operand in operands {
            let around = match self.demand(operand, known) {
                Some(Demand::Match(found)) => {
                    first += usize::from(found.before.is_none());
                    last += usize::from(found.after.is_none());
                    length += found.text.len();
                    let around = [found.before, found.after];
                    matches.push((operand, found));
                    around
                }
                Some(Demand::Count { body, minimum, maximum }) if count.is_none() => {
                    count = Some((operand, minimum, maximum));
                    [Some(body), None]
                }
                _ => return false,
            };
            for body in around.into_iter().flatten() {
                if !bodies.contains(&body) {
                    bodies.push(body);
                }
            }
        }
        if first > 1 || last > 1 {
            return false;
        }
        if let Some((operand, minimum, maximum)) = count {
            // Each byte of a match is at most one more, and as many as are asked for come beside them.
            let fits = u32::try_from(length).is_ok_and(|length| length <= maximum.saturating_sub(minimum));
            let Some(one) = known.of(self, operand).filter(|_| fits) else { return false };
            matches.push((operand, one));
        }
        matches.iter().all(|(operand, found)| {
            found.text.iter().all(|&byte| alphabet.contains(byte))
                && bodies.iter().all(|&body| known.is_text_of(self, *operand, &found.text, body))
        })
    }

    /// What an operand asks for, where that is plain.
    fn demand(&self, operand: ExpressionId, known: &mut KnownMatches) -> Option<Demand> {
        match self.get(operand) {
            Expression::Repetition { body, minimum, maximum } if self.is_unit(body) => {
                Some(match (minimum, maximum) {
                    (0, Self::UNBOUNDED) => {
                        let (before, after) = (Some(body), Some(body));
                        Demand::Match(Arc::new(Match { text: Vec::new(), before, after }))
                    }
                    _ => Demand::Count { body, minimum, maximum },
                })
            }
            // There is an end to how much of it comes around a match.
            Expression::Repetition { .. } => None,
            _ => known.of(self, operand).map(Demand::Match),
        }
    }

    /// Whether an expression may be repeated around a match.
    fn is_unit(&self, body: ExpressionId) -> bool {
        !self.has_boolean(body) && !self.is_nullable(body)
    }

    /// How an operand can be satisfied by a match with other text around it; of a count, the match is one of what is
    /// counted. The first way with text on both sides, or else on one.
    fn match_anywhere(&self, operand: ExpressionId) -> Option<Match> {
        if self.has_boolean(operand) || !self.is_regular(operand) {
            return None;
        }
        if let Expression::Repetition { body, .. } = self.get(operand) {
            let text = self.short_match(body)?;
            return Some(Match { text, before: Some(body), after: Some(body) });
        }
        let alternatives = self.alternatives_of(operand);
        let ways = alternatives.into_iter().filter_map(|alternative| self.match_within(alternative));
        let mut best: Option<Match> = None;
        for way in ways {
            if way.before.is_some() && way.after.is_some() {
                return Some(way);
            }
            best = best.or(Some(way));
        }
        best
    }

    /// The same for a concatenation.
    fn match_within(&self, id: ExpressionId) -> Option<Match> {
        let (head, mut last) = self.head_and_rest(id);
        while let Expression::Concatenation(_, tail) = self.get(last) {
            last = tail;
        }
        let repeated = |part| match self.get(part) {
            Expression::Repetition { body, maximum: Self::UNBOUNDED, .. } => {
                Some(body).filter(|&body| self.is_unit(body))
            }
            _ => None,
        };
        let (before, after) = (repeated(head), repeated(last));
        if before.is_none() && after.is_none() {
            return None;
        }
        Some(Match { text: self.short_match(id)?, before, after })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Whether anything matches, by all derivatives.
    fn is_alive(store: &mut ExpressionStore, start: ExpressionId, alphabet: &ByteSet) -> bool {
        let (mut met, mut waiting) = (BTreeSet::from([start]), vec![start]);
        while let Some(at) = waiting.pop() {
            if store.is_nullable(at) {
                return true;
            }
            for byte in alphabet.iter() {
                let next = store.derive_whole(at, byte, &mut ByteSet::ALL.clone());
                if next != ExpressionStore::NOTHING && met.insert(next) {
                    waiting.push(next);
                }
            }
        }
        false
    }

    /// Operands over three letters: patterns that match anywhere, at an end or as a whole, and counts.
    fn operands(store: &mut ExpressionStore) -> Vec<ExpressionId> {
        let (any, most) = (store.bytes(ByteSet::range(b'a', b'c')), store.bytes(ByteSet::range(b'a', b'b')));
        let mut operands = Vec::new();
        for body in [any, most] {
            let (around, some) = (store.repetition(body, 0, None), store.repetition(body, 2, None));
            for word in [&b"a"[..], b"bc", b"ca", b"bb"] {
                let word = store.literal(word);
                let twice = store.repetition(word, 2, Some(3));
                for (before, after) in [
                    (around, around),
                    (around, some),
                    (some, ExpressionStore::EMPTY),
                    (ExpressionStore::EMPTY, around),
                    (ExpressionStore::EMPTY, ExpressionStore::EMPTY),
                ] {
                    operands.push(store.concatenation(&[before, word, after]));
                    operands.push(store.concatenation(&[before, twice, after]));
                }
            }
            operands.extend([around, some, store.repetition(body, 3, Some(9))]);
            operands.extend([store.repetition(body, 0, Some(4)), store.repetition(body, 1, Some(20))]);
            let word = store.literal(b"ab");
            let nullable = store.alternatives(&[ExpressionStore::EMPTY, word, body]);
            operands.extend([1, 2, 4].map(|most| store.repetition(nullable, 0, Some(most))));
        }
        let either = (0..8).map(|at| store.alternatives(&[operands[3 * at], operands[40 - at]]));
        let either: Vec<_> = either.collect();
        operands.extend(either);
        operands
    }

    /// What is told is so, of all derivatives of intersections; and it is told of most that consist of patterns that match
    /// anywhere.
    #[test]
    fn what_is_met_in_turn_is_met() {
        let mut store = ExpressionStore::new();
        let operands = operands(&mut store);
        let mut number = 1u32;
        let mut random = move |below: usize| {
            number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (number >> 8) as usize % below
        };
        let mut counts = [0; 2];
        for alphabet in [ByteSet::range(b'a', b'c'), ByteSet::range(b'a', b'b')] {
            let mut known = KnownMatches::default();
            for _ in 0..2_000 {
                let some: Vec<_> = (0..2 + random(3)).map(|_| operands[random(operands.len())]).collect();
                let mut at = store.intersection(&some);
                for _ in 0..random(4) {
                    let byte = b"abc"[random(3)];
                    at = store.derive_whole(at, byte, &mut ByteSet::ALL.clone());
                }
                if store.is_met_in_turn(at, &alphabet, &mut known) {
                    assert!(is_alive(&mut store, at, &alphabet), "{some:?}");
                    counts[0] += 1;
                } else if at != ExpressionStore::NOTHING {
                    counts[1] += 1;
                }
            }
        }
        assert!(counts.iter().all(|&count| count > 200), "{counts:?}");
    }

    #[test]
    fn hundreds_of_patterns_that_match_anywhere_are_met_at_once() {
        let mut store = ExpressionStore::new();
        let any = store.any_character();
        let text = store.repetition(any, 0, None);
        let patterns = (0..300).map(|at| {
            let (begin, end) = (store.literal(format!("<{at}").as_bytes()), store.literal(b">"));
            let some = store.repetition(any, at % 7, Some(at));
            store.concatenation(&[text, begin, some, end, text])
        });
        let patterns: Vec<_> = patterns.collect();
        let mut known = KnownMatches::default();
        let (begin, end) = (store.literal(b"begin"), store.literal("ënd".as_bytes()));
        let (begins, ends) = (store.concatenate(begin, text), store.concatenate(text, end));
        let long = store.repetition(any, 7, Some(1_000_000));
        let mut all = store.intersection(&[&patterns[..], &[begins, ends, long]].concat());
        assert!(matches!(store.get(all), Expression::Intersection(list) if store.list(list).len() == 303));
        for byte in "begin <7..>".bytes() {
            assert!(store.is_met_in_turn(all, &ByteSet::ALL, &mut known));
            all = store.derive_whole(all, byte, &mut ByteSet::ALL.clone());
        }
    }
}
