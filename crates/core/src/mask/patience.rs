//! How much is spent on what may save nothing.
//!
//! How long a state reads on, its [`Stretch`], takes tens of microseconds to find out, and then saves a walk thousands of nodes: of most
//! grammars a few states are asked, and what is found holds for all that texts lead to. Of a very ambiguous one each node leads to
//! another state, each made of much, and none of them reads on for long: to ask them all takes ten times as long as to walk without
//! knowing. So a constraint has patience to lose: searches take from it, and nodes that need not be visited restore it.

use super::walk::Ground;
use crate::error::Result;
use crate::recognizer::{StateId, Stretch};

/// What may still be spent on searches, in the size of expressions, that of what they add; less than none for a while after
/// one has added much.
#[derive(Debug)]
pub(super) struct Patience {
    left: i64,
}

impl Patience {
    /// Some tens of milliseconds: more than the searches of all patterns and formats of a great schema add.
    const MOST: i64 = 1 << 16;
    /// What each walk restores, so that no constraint gives up for good.
    const FOR_A_WALK: i64 = 1 << 10;
    /// What a search takes that finds all states known.
    const FOR_A_SEARCH: i64 = 16;
    /// So many nodes take as long to visit as one expression to make.
    const NODES_FOR_ONE: usize = 4;

    pub(super) fn new() -> Self {
        Self { left: Self::MOST }
    }

    pub(super) fn begin_walk(&mut self) {
        self.restore(Self::FOR_A_WALK);
    }

    /// Takes note that so many nodes need not be visited, for what was found out about a state.
    pub(super) fn save(&mut self, nodes: usize) {
        self.restore((nodes / Self::NODES_FOR_ONE) as i64);
    }

    fn restore(&mut self, size: i64) {
        self.left = self.left.saturating_add(size).min(Self::MOST);
    }

    /// The stretch of a state, found out where that is not known yet; `None` where it is not, and patience is lost.
    pub(super) fn stretch_of(&mut self, state: StateId, ground: &Ground<'_>) -> Result<Option<Stretch>> {
        let Ground { automaton, deadline, .. } = *ground;
        let known = automaton.known_stretch(state);
        if known.is_some() || self.left <= 0 {
            return Ok(known);
        }
        let before = automaton.size()?;
        let stretch = automaton.stretch(state, deadline)?;
        // Others may add to the automaton meanwhile, and too much is taken then.
        let added = automaton.size()?.saturating_sub(before);
        self.left -= Self::FOR_A_SEARCH + added as i64;
        Ok(Some(stretch))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::cache::MaskCache;
    use super::super::pool::Pool;
    use super::*;
    use crate::budget::{Budget, Deadline};
    use crate::frontend::regex::{self, RegexOptions};
    use crate::grammar::PreparedGrammar;
    use crate::recognizer::Automaton;
    use crate::vocabulary::Vocabulary;

    #[test]
    fn searches_take_patience_and_what_they_save_restores_it() {
        let (budget, vocabulary) = (Budget::default(), Arc::new(Vocabulary::of_bytes()));
        let deadline = Deadline::for_compile(&budget);
        let grammar = regex::compile(r"(\w{2,8}-){3}\d+", &RegexOptions::default(), &budget).unwrap();
        let prepared = PreparedGrammar::new(&grammar, &vocabulary, &budget, true).unwrap();
        let automaton = Automaton::new(prepared, &budget, 8, vocabulary.alphabet(), true).unwrap();
        let pool = Arc::new(Pool::new(&vocabulary, budget.pool_bytes));
        let cache = MaskCache::new(budget.cache_bytes, &pool, true, true);
        let ground = cache.ground(&automaton, &vocabulary, &deadline);
        let states = automaton.some_states(*b"ab-1", 12, &deadline);
        let mut patience = Patience::new();
        let found = patience.stretch_of(states[0], &ground).unwrap();
        assert_eq!(found, Some(automaton.stretch(states[0], &deadline).unwrap()));
        assert!(patience.left < Patience::MOST);
        patience.save(usize::MAX);
        assert_eq!(patience.left, Patience::MOST);

        patience.left = 0;
        let unknown = states.iter().copied().find(|&state| automaton.known_stretch(state).is_none()).unwrap();
        assert_eq!(patience.stretch_of(unknown, &ground).unwrap(), None);
        assert_eq!(patience.stretch_of(states[0], &ground).unwrap(), found, "what is known costs nothing");
        patience.begin_walk();
        assert!(patience.stretch_of(unknown, &ground).unwrap().is_some());
        assert!(patience.left < Patience::FOR_A_WALK);
    }
}
