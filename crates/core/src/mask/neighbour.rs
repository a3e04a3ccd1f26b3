//! Steps of states by those of others that do nearly the same.
//!
//! Which state that is, the recogniser knows (`recognizer/neighbour`); what the two make of the vocabulary differently, a walk
//! beside the other one finds (`walk/beside`). Here both are put together with what the other one makes of it.

use smallvec::SmallVec;

use super::cache::MaskCache;
use super::pool::Transition;
use super::step::Step;
use super::walk::{Differences, Ground, Neighbour, Reach};
use crate::error::Result;
use crate::recognizer::{AnyStringState, StateId};
use crate::vocabulary::Vocabulary;

/// What differs at more nodes than this is better walked by itself.
fn most_nodes_of(vocabulary: &Vocabulary) -> usize {
    const GREATEST_PART: usize = 16;
    vocabulary.trie().len() / GREATEST_PART + 256
}

impl MaskCache {
    /// A state that makes nearly the same of the vocabulary.
    pub(super) fn neighbour(&self, state: StateId, ground: Ground<'_>) -> Result<Option<Neighbour>> {
        /// What is not one of hundreds of states beside the same is better walked by itself where it differs at more nodes.
        const MOST_NODES: usize = 64;
        let Ground { automaton, vocabulary, deadline, .. } = ground;
        if let Some(unread) = automaton.neighbour(state)? {
            let neighbour = automaton.canonical(unread.state, deadline)?;
            // Of what its neighbour is compared with, nothing is compared again.
            let is_neighbour = neighbour != state && automaton.neighbour(neighbour)?.is_none();
            if !is_neighbour {
                return Ok(None);
            }
            let most_nodes = most_nodes_of(vocabulary);
            let apart = unread.texts.as_ref().map(|texts| ground.places_apart(texts)).transpose()?;
            return Ok(Some(Neighbour { state: neighbour, most_nodes, apart }));
        }
        if let Some(any) = automaton.any_text(state)? {
            let neighbour = automaton.canonical(any.state, deadline)?;
            if neighbour == state {
                return Ok(None);
            }
            let most_nodes = most_nodes_of(vocabulary);
            let apart = ground.places_with_strings(&any.texts, most_nodes)?;
            return Ok(apart.map(|apart| Neighbour { state: neighbour, most_nodes, apart: Some(apart) }));
        }
        if let Some(any) = automaton.any_string(state, deadline)? {
            return self.beside_any_string(state, &any, ground);
        }
        if let Some(unlimited) = automaton.without_part_limit(state, deadline)? {
            let neighbour = automaton.canonical(unlimited.state, deadline)?;
            let apart = ground.places_with_parts(&unlimited);
            let most_nodes = most_nodes_of(vocabulary);
            return Ok(apart.map(|apart| Neighbour { state: neighbour, most_nodes, apart: Some(apart) }));
        }
        let Some(settled) = automaton.settled(state, deadline)? else { return Ok(None) };
        let settled = automaton.canonical(settled, deadline)?;
        let is_cheap =
            automaton.plain_string(settled)?.is_some() || !automaton.pieces(settled, deadline)?.is_empty();
        Ok(is_cheap.then_some(Neighbour { state: settled, most_nodes: MOST_NODES, apart: None }))
    }

    /// A string of any content, or that in which nothing has been read of what is looked for, beside a string in which something is.
    fn beside_any_string(
        &self,
        state: StateId,
        any: &AnyStringState,
        ground: Ground<'_>,
    ) -> Result<Option<Neighbour>> {
        /// What tells apart strings that are found at more nodes is better walked by itself.
        const MOST_PLACES: usize = 4096;
        /// More letters that may come first, as the digits of a class, are as many places with much below them.
        const FEW_LETTERS: usize = 4;
        let Ground { automaton, vocabulary, deadline, .. } = ground;
        let letters = any.sought.first.iter().filter(|string| string.len() == 1).count();
        if let Some(unread) = any.unread.filter(|_| letters > FEW_LETTERS) {
            let neighbour = automaton.canonical(unread, deadline)?;
            let beside = Neighbour { state: neighbour, most_nodes: MOST_PLACES, apart: None };
            return Ok((neighbour != state).then_some(beside));
        }
        let neighbour = automaton.canonical(any.state, deadline)?;
        let apart = ground.places_with_sought(&any.sought, MOST_PLACES)?;
        let most_nodes = most_nodes_of(vocabulary);
        Ok(apart.map(|apart| Neighbour { state: neighbour, most_nodes, apart: Some(apart) }))
    }

    /// What a neighbour makes of the vocabulary, where that is known to be the same; `None` where texts are captured, too.
    pub(super) fn as_neighbour(&self, neighbour: &Neighbour, ground: Ground<'_>) -> Result<Option<Step>> {
        if !neighbour.makes_the_same() {
            return Ok(None);
        }
        let step = self.step(None, neighbour.state, ground)?;
        Ok(step.captures.is_empty().then(|| Step::clone(&step)))
    }

    /// What a state makes of the vocabulary, by what its neighbour makes of it; `None` where that captures texts, or leaves
    /// its frame at too many nodes.
    pub(super) fn reach_by(
        &self,
        differences: Differences,
        neighbour: StateId,
        ground: Ground<'_>,
    ) -> Result<Option<Reach>> {
        let step = self.step(None, neighbour, ground)?;
        let Transition { inside, exits, ends, .. } = &*step.transition;
        let exits = exits.as_ref().map(|exits| &*exits.nodes);
        if !step.captures.is_empty() || exits.is_some_and(|exits| !exits.slices.is_empty()) {
            return Ok(None);
        }
        let all = (!step.also_inside.is_empty())
            .then(|| ground.unions.union(&step.inside().cloned().collect::<SmallVec<[_; 4]>>()));
        let exits = exits.map_or(&[][..], |exits| &exits.listed);
        Ok(Some(differences.applied(all.as_ref().unwrap_or(inside), exits, ends, &ground)))
    }
}
