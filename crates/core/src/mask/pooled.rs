//! What the pool makes of a state of one constraint.
//!
//! To the pool a state is its content, which takes time to find out. So the pool is asked only where a walk takes longer.

use std::sync::Arc;

use super::pool::{ExitSet, ExitSetId, Pool, Transition};
use super::walk::Ground;
use crate::error::Result;
use crate::grammar::{Content, ContentSearch};
use crate::recognizer::StateId;
use crate::vocabulary::NodeId;

/// A transition as all constraints of a pool know it: what a state makes of an exit set, or with `None` of the whole
/// vocabulary.
pub(super) struct Pooled<'a> {
    pool: &'a Pool,
    from: Option<ExitSetId>,
    state: StateId,
    ground: Ground<'a>,
}

impl<'a> Pooled<'a> {
    /// `None` where the walk reads so little that it is done sooner than its key is made.
    pub(super) fn worth_a_key(
        pool: &'a Pool,
        from: Option<&ExitSet>,
        state: StateId,
        ground: Ground<'a>,
    ) -> Result<Option<Self>> {
        /// A walk from the root with fewer bytes to begin with is a few short paths.
        const BYTES: usize = 3;
        /// A walk from fewer exits is short, and worth a key only where many grammars are likely to have it.
        const EXITS: usize = 4;
        let is_worth_it = match from {
            Some(ExitSet { nodes, .. }) if !nodes.slices.is_empty() || nodes.listed.len() >= EXITS => true,
            Some(ExitSet { nodes, .. }) => {
                ground.automaton.is_regular(state)? && reads_below(&nodes.listed, state, ground)?
            }
            None => ground.automaton.first_bytes(state, ground.deadline)?.len() >= BYTES,
        };
        let from = from.map(|exits| exits.id);
        Ok(is_worth_it.then_some(Self { pool, from, state, ground }))
    }

    /// The transition, where the pool has it.
    pub(super) fn find(&self) -> Result<Option<Arc<Transition>>> {
        /// To look for more takes as long as many a walk. The next look goes on where one ended.
        const MOST_DEFERRED: usize = 32;
        Ok(self.pool.get(self.from, self.content(false, MOST_DEFERRED)?))
    }

    /// Keeps the transition in the pool, where its walk has visited so many nodes that it takes longer than to make its
    /// key. Into that goes about half as much work as the walk was.
    pub(super) fn keep(&self, transition: &Arc<Transition>, visited: u64) -> Result<()> {
        const LEAST_VISITED: u64 = 16;
        const VISITED_PER_DEFERRED: u64 = 8;
        const MOST_DEFERRED: u64 = 128;
        let most_deferred = match self.pool.keeps_all() {
            true => MOST_DEFERRED,
            false if visited < LEAST_VISITED => return Ok(()),
            false => (visited / VISITED_PER_DEFERRED).min(MOST_DEFERRED),
        };
        if let Some(content) = self.content(true, most_deferred as usize)? {
            self.pool.insert(self.from, content, transition);
        }
        Ok(())
    }

    fn content(&self, registers: bool, most_deferred: usize) -> Result<Option<Content>> {
        let Ground { automaton, deadline, .. } = self.ground;
        let registry = self.pool.registry();
        automaton.content(self.state, ContentSearch { registry, registers, most_deferred, deadline })
    }
}

/// Whether the state may read a byte with which a token goes on from one of the nodes.
fn reads_below(nodes: &[NodeId], state: StateId, ground: Ground<'_>) -> Result<bool> {
    let (trie, first) = (ground.vocabulary.trie(), ground.automaton.first_bytes(state, ground.deadline)?);
    Ok(nodes.iter().any(|&node| trie.child_bytes(node).iter().any(|&byte| first.contains(byte))))
}
