//! How far it is at most, from anything that an expression can come to, to its next match.
//!
//! [`match_search`](super::match_search) looks for one match, and [`unbounded`](super::unbounded) tells this from
//! the structure where that shows it. Here all that an expression comes to is written out, where that is little, as with
//! texts in which some string never occurs.

use rustc_hash::FxHashMap;

use super::{ByteSet, ExpressionId, ExpressionStore};

impl ExpressionStore {
    /// An expression that comes to more others than this is left alone.
    const MOST_EXPRESSIONS: usize = 160;
    /// So are those that take more derivatives.
    const MOST_DERIVATIVES: usize = 4096;

    /// After any text that a match can begin with, a match is left that is no longer than this many bytes. `None` where
    /// that is not known.
    ///
    /// A bound, and not always the least one. What is found out is kept for all that the expression comes to.
    pub(super) fn greatest_way_left(&mut self, id: ExpressionId) -> Option<u32> {
        if let Some(&known) = self.ways_left.get(&id) {
            return known;
        }
        let mut places = FxHashMap::from_iter([(id, 0)]);
        let mut met = vec![id];
        // For each expression met, those that come to it by one byte.
        let mut before: Vec<Vec<usize>> = vec![Vec::new()];
        let (mut at, mut derivatives) = (0, 0);
        while at < met.len() && met.len() <= Self::MOST_EXPRESSIONS && derivatives <= Self::MOST_DERIVATIVES {
            let mut left = self.first_bytes(met[at]);
            while let Some(byte) = left.first() {
                let mut class = ByteSet::ALL;
                let next = self.derive_whole(met[at], byte, &mut class);
                left = left.difference(&class);
                derivatives += 1;
                if next == Self::NOTHING {
                    continue;
                }
                let place = *places.entry(next).or_insert(met.len());
                if place == met.len() {
                    met.push(next);
                    before.push(Vec::new());
                }
                before[place].push(at);
            }
            at += 1;
        }
        let found = (at == met.len()).then(|| self.greatest_distance(&met, &before));
        self.ways_left.extend(met.into_iter().map(|met| (met, found)));
        found
    }

    /// The greatest of the distances of expressions from the nearest that matches the empty text, of those that come to one.
    fn greatest_distance(&self, met: &[ExpressionId], before: &[Vec<usize>]) -> u32 {
        let mut is_reached: Vec<bool> = met.iter().map(|&id| self.is_nullable(id)).collect();
        let mut layer: Vec<usize> = (0..met.len()).filter(|&place| is_reached[place]).collect();
        let mut distance = 0;
        loop {
            let mut next = Vec::new();
            for &place in layer.iter().flat_map(|&place| &before[place]) {
                if !std::mem::replace(&mut is_reached[place], true) {
                    next.push(place);
                }
            }
            if next.is_empty() {
                return distance;
            }
            distance += 1;
            layer = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All texts of characters in which a string does not occur, and which do not end in another.
    fn without(store: &mut ExpressionStore, string: &[u8], end: &[u8]) -> ExpressionId {
        let any = store.any_character();
        let any = store.repetition(any, 0, None);
        let (string, end) = (store.literal(string), store.literal(end));
        let (found, ended) = (store.concatenation(&[any, string, any]), store.concatenate(any, end));
        let excluded = store.alternatives(&[found, ended]);
        let excluded = store.complement(excluded);
        store.intersection(&[any, excluded])
    }

    #[test]
    fn the_longest_way_is_told_by_what_is_worst() {
        let mut store = ExpressionStore::new();
        let text = without(&mut store, b"</p>", b"</p>");
        // In the middle of a character of four bytes.
        assert_eq!(store.greatest_way_left(text), Some(3));
        let begun = store.derive_whole(text, 0xF0, &mut ByteSet::ALL.clone());
        assert_eq!(store.greatest_way_left(begun), Some(3), "it is kept for all that was met");
        let letter = store.bytes(ByteSet::range(b'a', b'z'));
        let word = store.literal(b"end");
        let letters = store.repetition(letter, 2, None);
        let both = store.concatenate(letters, word);
        assert_eq!(store.greatest_way_left(both), Some(5));
        assert_eq!(store.greatest_way_left(word), Some(3));
    }

    #[test]
    fn what_comes_to_no_match_does_not_count() {
        let mut store = ExpressionStore::new();
        let (letter, digit) =
            (store.bytes(ByteSet::range(b'a', b'z')), store.bytes(ByteSet::range(b'0', b'9')));
        let either = store.alternatives(&[letter, digit]);
        let (some, many) = (store.repetition(either, 0, None), store.repetition(letter, 0, None));
        // A text of letters, or one that ends in "no" and does not: with a digit in it, it never matches.
        let no = store.literal(b"no");
        let ended = store.concatenate(some, no);
        let not = store.complement(ended);
        let dead = store.intersection(&[ended, not]);
        let text = store.alternatives(&[many, dead]);
        assert_eq!(store.greatest_way_left(text), Some(0));
    }

    #[test]
    fn what_comes_to_many_is_not_followed() {
        let mut store = ExpressionStore::new();
        let any = store.any_character();
        let counted = store.repetition(any, 0, Some(1000));
        assert_eq!(store.greatest_way_left(counted), None);
        assert_eq!(store.greatest_way_left(counted), None);
    }
}
