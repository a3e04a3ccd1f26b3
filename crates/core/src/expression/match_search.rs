//! Searches for a match of a regular expression, by what is left of it after each byte.
//!
//! Those that seem to have the shortest way left to a match are looked at first, so that a match of a thousand characters
//! is found in as many steps. When to stop, and what to make of the way that was found, is up to who searches.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::hash_map::Entry;

use super::store::ExpressionMap;
use super::{ByteSet, Expression, ExpressionId, ExpressionStore};

/// What a search has met, and what of it is still to be looked at.
pub(super) struct MatchSearch {
    /// For each expression that was met, the one before it and the byte that led from there; `None` for the first.
    met: ExpressionMap<Option<(ExpressionId, u8)>>,
    /// Those still to be looked at, with the length of the shortest match that may be left, what else is taken to be left to do,
    /// and the length of the way there.
    open: BinaryHeap<Reverse<(u32, u32, u32, ExpressionId)>>,
    /// What is taken to be left to do, of those with equally short matches.
    left_to_do: fn(&ExpressionStore, ExpressionId) -> u32,
    /// What all that was met takes, by that of one expression.
    work: usize,
}

/// An expression that a search has come to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Met {
    pub(super) expression: ExpressionId,
    /// The length of the way there, in bytes.
    pub(super) length: u32,
}

impl MatchSearch {
    /// A search that finds a short match.
    pub(super) fn new(store: &ExpressionStore, start: ExpressionId) -> Self {
        Self::by(|_, _| 0, store, start)
    }

    /// A search for whatever match is soonest found. Of equally short ways those are tried first on which the operands of an
    /// intersection ask for less together, so that one is met after the other: they may be met in any of very many orders.
    pub(super) fn for_any_match(store: &ExpressionStore, start: ExpressionId) -> Self {
        let left_to_do = |store: &ExpressionStore, id: ExpressionId| match store.get(id) {
            Expression::Intersection(list) => {
                let operands = store.list(list).iter();
                operands.fold(0, |sum: u32, &operand| sum.saturating_add(store.shortest(operand)))
            }
            _ => store.shortest(id),
        };
        Self::by(left_to_do, store, start)
    }

    fn by(
        left_to_do: fn(&ExpressionStore, ExpressionId) -> u32,
        store: &ExpressionStore,
        start: ExpressionId,
    ) -> Self {
        let open = BinaryHeap::from([Reverse((store.shortest(start), left_to_do(store, start), 0, start))]);
        Self { met: ExpressionMap::from_iter([(start, None)]), open, left_to_do, work: 1 }
    }

    /// The number of expressions met, where one with many operands counts for several: all of them are derived.
    pub(super) fn work(&self) -> usize {
        self.work
    }

    /// All expressions met.
    pub(super) fn met(&self) -> impl Iterator<Item = ExpressionId> {
        self.met.keys().copied()
    }

    /// Takes the expression to look at next; `None` where all have been looked at.
    pub(super) fn next(&mut self) -> Option<Met> {
        self.open.pop().map(|Reverse((_, _, length, expression))| Met { expression, length })
    }

    /// Goes on from an expression by the bytes of an alphabet, to what may be met. Returns how many derivatives
    /// that took.
    pub(super) fn go_on(
        &mut self,
        from: Met,
        alphabet: &ByteSet,
        store: &mut ExpressionStore,
        may_meet: impl Fn(ExpressionId) -> bool,
    ) -> u32 {
        let mut left = alphabet.intersection(&store.first_bytes(from.expression));
        let mut derivatives = 0;
        while let Some(byte) = left.first() {
            let mut class = ByteSet::ALL;
            let next = store.derive_whole(from.expression, byte, &mut class);
            left = left.difference(&class);
            derivatives += 1;
            if next != ExpressionStore::NOTHING && may_meet(next) {
                self.meet(store, from, byte, next);
            }
        }
        derivatives
    }

    /// Meets all expressions on a way from the first, each with the byte that leads to it, before anything else is looked at.
    pub(super) fn meet_way(
        &mut self,
        store: &ExpressionStore,
        start: ExpressionId,
        way: &[(ExpressionId, u8)],
    ) {
        let mut from = Met { expression: start, length: 0 };
        for &(next, byte) in way.iter().take_while(|&&(next, _)| next != ExpressionStore::NOTHING) {
            self.meet(store, from, byte, next);
            from = Met { expression: next, length: from.length + 1 };
        }
    }

    fn meet(&mut self, store: &ExpressionStore, from: Met, byte: u8, next: ExpressionId) {
        if let Entry::Vacant(entry) = self.met.entry(next) {
            entry.insert(Some((from.expression, byte)));
            self.work += work_of(store, next);
            let (shortest, left_to_do) = (store.shortest(next), (self.left_to_do)(store, next));
            self.open.push(Reverse((shortest, left_to_do, from.length + 1, next)));
        }
    }

    /// The way from an expression back to the first: each on it, with the byte that led there.
    pub(super) fn back_from(&self, end: ExpressionId) -> impl Iterator<Item = (ExpressionId, Option<u8>)> {
        let before = |at: ExpressionId| self.met.get(&at).copied().flatten();
        let way = std::iter::successors(Some(end), move |&at| before(at).map(|(before, _)| before));
        way.map(move |at| (at, before(at).map(|(_, byte)| byte)))
    }
}

/// How many expressions one counts for.
fn work_of(store: &ExpressionStore, id: ExpressionId) -> usize {
    /// So many operands are as much as an expression.
    const OPERANDS: usize = 2;
    match store.get(id) {
        Expression::Intersection(list) => (store.list(list).len() / OPERANDS).max(1),
        _ => 1,
    }
}
