//! How much derivatives may add to a store, and for how long.
//!
//! Where counters nest, a text of a hundred bytes has derivatives of millions of nodes, so that one of them alone could go
//! past every budget. So a derivative is broken off where its store is full, or its time is over, and who works with
//! derivatives asks afterwards whether that was so: then nothing that they tell is to be believed, from then on.

use std::time::Instant;

use super::ExpressionStore;
use crate::budget::Deadline;

/// The bound of a store.
#[derive(Clone, Debug)]
pub(super) struct Bound {
    most_nodes: usize,
    /// With more nodes than this it is to be asked again; never more than `most_nodes`.
    next_look: usize,
    /// How often it has been asked, modulo 2^16: a derivative that comes to the same nodes on very many ways adds none.
    times_asked: u16,
    /// When the time of what is being done is over.
    end: Option<Instant>,
    is_out_of_time: bool,
}

impl Default for Bound {
    fn default() -> Self {
        Self {
            most_nodes: usize::MAX,
            next_look: usize::MAX,
            times_asked: 0,
            end: None,
            is_out_of_time: false,
        }
    }
}

impl Bound {
    /// Asking the clock takes as long as a node or two.
    const NODES_PER_LOOK: usize = 1 << 12;
    const TIMES_PER_LOOK: u16 = 1 << 12;

    /// Whether there is room and time for more than so many nodes.
    #[cold]
    fn look(&mut self, nodes: usize) -> bool {
        if nodes > self.most_nodes {
            return false;
        }
        if self.end.is_some_and(|end| Instant::now() > end) {
            *self = Self { most_nodes: 0, next_look: 0, times_asked: 0, end: None, is_out_of_time: true };
            return false;
        }
        self.next_look = self.most_nodes.min(nodes + Self::NODES_PER_LOOK);
        true
    }
}

impl ExpressionStore {
    /// Bounds what derivatives add: where there are more nodes than this, the store is [full](Self::is_full).
    pub(crate) fn bound(&mut self, nodes: usize) {
        if !self.bound.is_out_of_time {
            (self.bound.most_nodes, self.bound.next_look) = (nodes, nodes);
        }
    }

    /// Runs something whose derivatives are broken off when the time is over: then the store is
    /// [out of time](Self::is_out_of_time). Not to be called within itself.
    pub(crate) fn within<T>(&mut self, deadline: &Deadline, run: impl FnOnce(&mut Self) -> T) -> T {
        let nodes = self.len();
        self.bound.end = deadline.end();
        self.bound.next_look = self.bound.most_nodes.min(nodes + Bound::NODES_PER_LOOK);
        let result = run(self);
        self.bound.end = None;
        self.bound.next_look = self.bound.most_nodes;
        result
    }

    /// Whether a derivative may add more.
    pub(super) fn has_room(&mut self) -> bool {
        let nodes = self.len();
        self.bound.times_asked = self.bound.times_asked.wrapping_add(1);
        let is_soon = !self.bound.times_asked.is_multiple_of(Bound::TIMES_PER_LOOK);
        is_soon && nodes <= self.bound.next_look || self.bound.look(nodes)
    }

    /// Whether derivatives are not made to their end any more. Then nothing that they tell is to be believed.
    pub(crate) fn is_full(&self) -> bool {
        self.len() > self.bound.most_nodes
    }

    /// Whether it is full since a derivative has been broken off because its time was over. It stays so.
    pub(crate) fn is_out_of_time(&self) -> bool {
        self.bound.is_out_of_time
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::time::Duration;

    use super::*;
    use crate::budget::Budget;
    use crate::expression::{ByteSet, ExpressionId};

    /// Each byte can be read at any level, and so can the next: there are as many ways as paths through the levels.
    pub(in crate::expression) fn nested_counters(store: &mut ExpressionStore) -> ExpressionId {
        let [letter, mark] = [b"a", b"-"].map(|text| store.literal(text));
        let mark = store.repetition(mark, 0, Some(1));
        (0..100).fold(letter, |nested, _| {
            let marked = store.concatenate(nested, mark);
            store.repetition(marked, 0, Some(2))
        })
    }

    pub(in crate::expression) fn after(
        store: &mut ExpressionStore,
        start: ExpressionId,
        bytes: usize,
    ) -> ExpressionId {
        (0..bytes).fold(start, |at, _| store.derive_whole(at, b'a', &mut ByteSet::ALL.clone()))
    }

    #[test]
    fn a_derivative_of_millions_of_nodes_is_broken_off() {
        let mut store = ExpressionStore::new();
        let nested = nested_counters(&mut store);
        store.bound(20_000);
        after(&mut store, nested, 4);
        assert!(store.is_full() && !store.is_out_of_time() && store.len() < 21_000, "{}", store.len());
    }

    #[test]
    fn one_is_broken_off_when_its_time_is_over() {
        let budget = Budget { step_time: Duration::ZERO, ..Budget::default() };
        let mut store = ExpressionStore::new();
        let nested = nested_counters(&mut store);
        store.bound(1_000_000);
        let deadline = Deadline::for_step(&budget);
        store.within(&deadline, |store| after(store, nested, 4));
        assert!(store.is_full() && store.is_out_of_time() && store.len() < 20_000, "{}", store.len());
        store.bound(1_000_000);
        assert!(store.is_full(), "it stays so");
    }

    #[test]
    fn what_is_soon_made_has_enough_time() {
        let mut store = ExpressionStore::new();
        let nested = nested_counters(&mut store);
        let deadline = Deadline::for_step(&Budget::default());
        let rest = store.within(&deadline, |store| after(store, nested, 2));
        assert!(!store.is_full());
        assert_eq!(after(&mut store, nested, 2), rest);
    }
}
