//! What the pool makes of a state of one constraint.
//!
//! To the pool a state is its content, which takes time to find out. So the pool is asked only where a walk takes longer, but
//! for what has a sketch: that is told at once.

use std::sync::Arc;

use smallvec::SmallVec;

use super::cache::MaskCache;
use super::exits::ExitNodes;
use super::pool::{ExitSet, ExitSetId, Pool, Transition};
use super::step::Step;
use super::walk::Ground;
use crate::error::Result;
use crate::grammar::{Content, ContentSearch, SearchLimits, Sketch};
use crate::recognizer::StateId;
use crate::vocabulary::NodeId;

/// A transition, where the pool has it.
type Known = Option<Arc<Transition>>;

/// A transition as all constraints of a pool know it: what a state makes of an exit set, or with `None` of the whole
/// vocabulary.
pub(super) struct Pooled<'a> {
    pool: &'a Pool,
    from: Option<ExitSetId>,
    state: StateId,
    /// What it is known by, where that is not its content.
    sketch: Option<Sketch>,
    ground: Ground<'a>,
}

impl<'a> Pooled<'a> {
    /// For a state that has a sketch: whether the pool has it is told at once.
    pub(super) fn sketched(
        pool: &'a Pool,
        from: Option<&ExitSet>,
        state: StateId,
        ground: Ground<'a>,
    ) -> Result<Option<Self>> {
        // It captures what it does by numbers, which mean nothing to other constraints.
        let sketch = match state.captures() {
            true => None,
            false => ground.automaton.sketch(state)?,
        };
        let from = from.map(|exits| exits.id);
        Ok(sketch.map(|sketch| Self { pool, from, state, sketch: Some(sketch), ground }))
    }

    /// `None` where the walk reads so little that it is done sooner than its key is made.
    pub(super) fn worth_a_key(
        pool: &'a Pool,
        from: Option<&ExitSet>,
        state: StateId,
        ground: Ground<'a>,
    ) -> Result<Option<Self>> {
        /// A walk from fewer exits is short, and worth a key only where many grammars are likely to have it.
        const EXITS: usize = 4;
        let is_worth_it = match from {
            Some(ExitSet { nodes, .. }) if !nodes.slices.is_empty() || nodes.listed.len() >= EXITS => true,
            Some(ExitSet { nodes, .. }) => {
                ground.automaton.is_regular(state)? && reads_below(&nodes.listed, state, ground)?
            }
            None => !ground.is_short_from_root(state)?,
        };
        let from = from.map(|exits| exits.id);
        Ok(is_worth_it.then_some(Self { pool, from, state, sketch: None, ground }))
    }

    /// The state whose transition it is.
    pub(super) fn state(&self) -> StateId {
        self.state
    }

    /// The transition, where the pool has it.
    pub(super) fn find(&self) -> Result<Option<Arc<Transition>>> {
        /// Few states are made of more than some tens of parts that are not known yet, and of those the walks take longest: a pattern's is
        /// made of a thousand, and to walk it takes ten times as long as to look at them.
        const MOST: SearchLimits = SearchLimits { parts: 2048, deferred: 32 };
        Ok(self.pool.get(self.from, self.content(false, MOST)?))
    }

    /// What the pool has of the transitions from other exit sets; `None` where it has nothing of the state.
    pub(super) fn find_from(&self, others: &[ExitSet]) -> Result<Option<SmallVec<[Known; 4]>>> {
        const NONE: SearchLimits = SearchLimits { parts: 0, deferred: 0 };
        let Some(content) = self.content(false, NONE)? else { return Ok(None) };
        Ok(Some(others.iter().map(|exits| self.pool.get(Some(exits.id), Some(content))).collect()))
    }

    /// Keeps the transition in the pool, where its walk has visited so many nodes that it takes longer than to make its
    /// key. Into that goes about half as much work as the walk was, or what some tens of microseconds are enough for: where
    /// more rules call each other, this transition is not kept, and the next that are to be find the rest.
    pub(super) fn keep(&self, transition: &Arc<Transition>, visited: u64) -> Result<()> {
        const LEAST_VISITED: u64 = 16;
        const VISITED_PER_PART: u64 = 8;
        /// Of most states that is all: formats and patterns of some length have fewer.
        const LEAST_PARTS: u64 = 128;
        const MOST_DEFERRED: u64 = 128;
        let limits = match self.pool.keeps_all() {
            true => SearchLimits { parts: usize::MAX, deferred: MOST_DEFERRED as usize },
            false if visited < LEAST_VISITED => return Ok(()),
            false => {
                let most = visited / VISITED_PER_PART;
                SearchLimits {
                    parts: most.max(LEAST_PARTS) as usize,
                    deferred: most.min(MOST_DEFERRED) as usize,
                }
            }
        };
        if let Some(content) = self.content(true, limits)? {
            self.pool.insert(self.from, content, transition);
        }
        Ok(())
    }

    /// Keeps what was put together, where everything is kept: elsewhere that is put together sooner than kept.
    pub(super) fn keep_composed(&self, step: &Step) -> Result<()> {
        if !self.pool.keeps_all() || !step.captures.is_empty() {
            return Ok(());
        }
        let Transition { exits, ends, .. } = &*step.transition;
        let inside = step.all_inside(self.pool.unions());
        let exits = exits.as_ref().map(|exits| ExitNodes::clone(&exits.nodes)).unwrap_or_default();
        let whole = self.pool.transition(inside, exits, ends.clone());
        self.keep(&Arc::new(whole), 0)
    }

    fn content(&self, registers: bool, limits: SearchLimits) -> Result<Option<Content>> {
        let Ground { automaton, deadline, .. } = self.ground;
        let registry = self.pool.registry();
        if let Some(sketch) = &self.sketch {
            return Ok(sketch.content(registry, registers));
        }
        automaton.content(self.state, ContentSearch { registry, registers, limits, deadline })
    }
}

impl MaskCache {
    /// What the pool has for a state with the outlines of the values that it calls in their place: that is what the state
    /// itself makes of the exit set. States whose values show in their sketches have none.
    pub(super) fn find_outlined(
        &self,
        from: Option<&ExitSet>,
        state: StateId,
        ground: Ground<'_>,
        depth: usize,
    ) -> Result<Option<Arc<Transition>>> {
        let Ground { automaton, deadline, .. } = ground;
        if state.captures() {
            return Ok(None);
        }
        if self.pool().keeps_all()
            && let Some(outlined) = automaton.with_outlined_values(state, deadline)?
        {
            // It is kept by its sketch, unless it reads what is unread.
            self.step_of(from, outlined, ground, depth + 1)?;
        }
        let Some(sketch) = automaton.sketch_with_outlines(state, deadline)? else { return Ok(None) };
        let content = sketch.content(self.pool().registry(), false);
        Ok(self.pool().get(from.map(|exits| exits.id), content))
    }
}

/// Whether the state may read a byte with which a token goes on from one of the nodes.
fn reads_below(nodes: &[NodeId], state: StateId, ground: Ground<'_>) -> Result<bool> {
    let (trie, first) = (ground.vocabulary.trie(), ground.automaton.first_bytes(state, ground.deadline)?);
    Ok(nodes.iter().any(|&node| trie.child_bytes(node).iter().any(|&byte| first.contains(byte))))
}
