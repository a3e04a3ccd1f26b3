//! How far it is at most, from anything that an expression can come to, to its next match, or to a longer one.
//!
//! [`match_search`](super::match_search) looks for one match, and [`unbounded`](super::unbounded) tells this from
//! the structure where that shows it. Here all that an expression comes to is written out, where that is little, as with
//! texts in which some string never occurs.

use rustc_hash::FxHashMap;

use super::{ByteSet, ExpressionId, ExpressionStore};

/// Lengths of which each is the greatest over all texts that a match can begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WaysLeft {
    /// That of the shortest text that makes a match of it, in bytes.
    pub(super) to_match: u32,
    /// The same in characters, counted by their first bytes.
    pub(super) characters_to_match: u32,
    /// That of the shortest text, not empty, that makes a match of it, in such characters; `None` where a match may be one that cannot be made longer.
    pub(super) to_longer: Option<u32>,
}

/// What an expression comes to.
struct Reached {
    /// The expressions, each once.
    all: Vec<ExpressionId>,
    /// For each of them, those that come to it by one byte.
    before: Vec<Vec<Before>>,
}

/// An expression that comes to another.
#[derive(Clone, Copy)]
struct Before {
    place: usize,
    /// Whether the byte between them must be the first one of a character.
    begins_character: bool,
    /// Whether it must be one of those that are counted.
    is_counted: bool,
}

impl ExpressionStore {
    /// An expression that comes to more others than this is left alone.
    const MOST_EXPRESSIONS: usize = 512;
    /// So is one that comes to more than this, where a mask waits for the answer.
    const FEW_EXPRESSIONS: usize = 64;
    /// So are those that take more derivatives for each of these.
    const MOST_DERIVATIVES: usize = 16;
    /// And those that are made of more for each of these: where repetitions are nested deeply, one is made of thousands.
    const MOST_SIZE: usize = 128;
    /// And so are those in which something may be repeated so often: they come to as many for each other thing that is alive.
    const MOST_REPETITIONS: u32 = 100;

    /// How far it is to matches after any text that one can begin with. `None` where that is not known.
    ///
    /// Bounds, and not always the least ones. What is found out is kept for all that the expression comes to.
    pub(super) fn ways_left(&mut self, id: ExpressionId) -> Option<WaysLeft> {
        if self.greatest_maximum(id) >= Self::MOST_REPETITIONS {
            return None;
        }
        if let Some(&known) = self.ways_left.get(&id) {
            return known;
        }
        let (reached, are_all) = self.reach(id, &ByteSet::EMPTY, Self::MOST_EXPRESSIONS);
        let found = are_all.then(|| {
            let (to_match, _) = self.greatest_distances(&reached, |_| 1);
            let (characters_to_match, to_longer) =
                self.greatest_distances(&reached, |before| before.begins_character.into());
            WaysLeft { to_match, characters_to_match, to_longer }
        });
        self.ways_left.extend(reached.all.into_iter().map(|id| (id, found)));
        found
    }

    /// How many of some bytes there are at most, after any text that a match can begin with, in that text with as few of them as
    /// may be that makes a match of it. `None` where that is not known.
    pub(super) fn bytes_to_match(&mut self, id: ExpressionId, counted: &ByteSet) -> Option<u32> {
        let (reached, are_all) = self.reach(id, counted, Self::MOST_EXPRESSIONS);
        are_all.then(|| self.greatest_distances(&reached, |before| before.is_counted.into()).0)
    }

    /// Whether each match can be made longer, and so without end. Not where it takes long to tell.
    ///
    /// What is found out is kept, where it is so for all that the expression comes to.
    pub(super) fn is_endless(&mut self, id: ExpressionId) -> bool {
        if let Some(&known) = self.endless.get(&id) {
            return known;
        }
        let (reached, are_all) = self.reach(id, &ByteSet::EMPTY, Self::FEW_EXPRESSIONS);
        let is_endless = are_all && self.greatest_distances(&reached, |_| 1).1.is_some();
        match is_endless {
            true => self.endless.extend(reached.all.into_iter().map(|id| (id, true))),
            false => _ = self.endless.insert(id, false),
        }
        is_endless
    }

    /// Writes out what an expression comes to, where that is not more than so many; also whether that is all of it.
    fn reach(&mut self, id: ExpressionId, counted: &ByteSet, most: usize) -> (Reached, bool) {
        let mut places = FxHashMap::from_iter([(id, 0)]);
        let mut reached = Reached { all: vec![id], before: vec![Vec::new()] };
        let (mut place, mut derivatives) = (0, 0);
        let greatest = self.size() + most * Self::MOST_SIZE;
        while let Some(&at) = reached.all.get(place) {
            let is_much = derivatives > most * Self::MOST_DERIVATIVES || self.size() > greatest;
            if reached.all.len() > most || is_much {
                return (reached, false);
            }
            let mut left = self.first_bytes(at);
            while let Some(byte) = left.first() {
                let mut class = ByteSet::ALL;
                let next = self.derive_whole(at, byte, &mut class);
                let bytes = left.intersection(&class);
                let begins_character = bytes.intersection(&ByteSet::range(0x80, 0xBF)).is_empty();
                let is_counted = bytes.difference(counted).is_empty();
                left = left.difference(&class);
                derivatives += 1;
                if next == Self::NOTHING {
                    continue;
                }
                let next_place = *places.entry(next).or_insert(reached.all.len());
                if next_place == reached.all.len() {
                    reached.all.push(next);
                    reached.before.push(Vec::new());
                }
                reached.before[next_place].push(Before { place, begins_character, is_counted });
            }
            place += 1;
        }
        (reached, true)
    }

    /// The greatest of the distances of expressions from the nearest that matches the empty text, of those that come to
    /// one; and the same from the nearest behind each, if there is one behind all. A step is as long as `length`
    /// says: one, or none.
    fn greatest_distances(&self, reached: &Reached, length: impl Fn(Before) -> u32) -> (u32, Option<u32>) {
        let count = reached.all.len();
        let mut nearest: Vec<u32> =
            reached.all.iter().map(|&id| if self.is_nullable(id) { 0 } else { u32::MAX }).collect();
        let mut behind = vec![u32::MAX; count];
        let mut layer: Vec<usize> = (0..count).filter(|&place| nearest[place] == 0).collect();
        let mut distance = 0;
        while !layer.is_empty() {
            let mut next_layer = Vec::new();
            while let Some(place) = layer.pop() {
                // Those that turned out to be nearer have been looked at.
                if nearest[place] < distance {
                    continue;
                }
                for &before in &reached.before[place] {
                    let through = distance + length(before);
                    behind[before.place] = behind[before.place].min(through);
                    if through < nearest[before.place] {
                        nearest[before.place] = through;
                        let is_far = through > distance;
                        if is_far { &mut next_layer } else { &mut layer }.push(before.place);
                    }
                }
            }
            layer = next_layer;
            distance += 1;
        }
        let alive = || (0..count).filter(|&place| nearest[place] != u32::MAX);
        let greatest = alive().map(|place| nearest[place]).max().unwrap_or(0);
        let greatest_behind = alive().map(|place| behind[place]).max();
        (greatest, greatest_behind.filter(|&behind| behind != u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to_match(store: &mut ExpressionStore, id: ExpressionId) -> Option<u32> {
        store.ways_left(id).map(|ways| ways.to_match)
    }

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
        assert_eq!(to_match(&mut store, text), Some(3));
        let begun = store.derive_whole(text, 0xF0, &mut ByteSet::ALL.clone());
        assert_eq!(to_match(&mut store, begun), Some(3), "it is kept for all that was met");
        let letter = store.bytes(ByteSet::range(b'a', b'z'));
        let word = store.literal(b"end");
        let letters = store.repetition(letter, 2, None);
        let both = store.concatenate(letters, word);
        assert_eq!(to_match(&mut store, both), Some(5));
        assert_eq!(to_match(&mut store, word), Some(3));
    }

    #[test]
    fn a_match_that_cannot_be_made_longer_is_told() {
        let mut store = ExpressionStore::new();
        let to_longer = |store: &mut ExpressionStore, id| store.ways_left(id).unwrap().to_longer;
        let letter = store.bytes(ByteSet::range(b'a', b'z'));
        let letters = store.repetition(letter, 0, None);
        let end = store.literal(b"end");
        let ended = store.concatenate(letters, end);
        assert_eq!(to_longer(&mut store, letters), Some(1));
        assert_eq!(to_longer(&mut store, ended), Some(3));
        // Those in the middle of a character have read its first byte.
        let character = store.any_character();
        let characters = store.repetition(character, 0, None);
        assert_eq!(to_longer(&mut store, characters), Some(1));
        let space = store.literal(b" ");
        let last = store.concatenate(ended, space);
        assert_eq!(to_longer(&mut store, last), None);
        let again = store.repetition(last, 0, None);
        assert_eq!(to_longer(&mut store, again), Some(4));
    }

    #[test]
    fn what_can_always_be_made_longer_is_endless_and_so_is_all_that_it_comes_to() {
        let mut store = ExpressionStore::new();
        let letter = store.bytes(ByteSet::range(b'a', b'z'));
        let (word, slash) = (store.repetition(letter, 1, None), store.literal(b"/"));
        let (folder, maybe_slash) = (store.concatenate(word, slash), store.repetition(slash, 0, Some(1)));
        let folders = store.repetition(folder, 0, None);
        let path = store.concatenation(&[folders, word, maybe_slash]);
        assert!(store.is_endless(path));
        let begun = store.derive_whole(path, b'a', &mut ByteSet::ALL.clone());
        assert_eq!(store.endless.get(&begun), Some(&true));
        let file = store.concatenate(word, maybe_slash);
        assert!(!store.is_endless(file) && !store.is_endless(slash));
        let many = store.repetition(letter, 0, Some(100));
        assert!(!store.is_endless(many), "it comes to more than is looked at");
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
        assert_eq!(to_match(&mut store, text), Some(0));
    }

    #[test]
    fn what_comes_to_many_is_not_followed() {
        let mut store = ExpressionStore::new();
        let any = store.any_character();
        let counted = store.repetition(any, 0, Some(1000));
        assert_eq!(to_match(&mut store, counted), None);
        assert_eq!(to_match(&mut store, counted), None);
    }
}
