//! What all pools of a vocabulary hold from the beginning.
//!
//! JSON is made of the same punctuation, numbers and plain values whatever the schema. What walks find there is computed
//! once for a vocabulary (`crate::groundwork`), and every pool answers with it as with what it keeps itself; but a
//! groundwork never changes, is read without a lock, and takes none of a pool's room.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::exits::ExitNodes;
use super::pool::{ExitSet, ExitSetId, PoolKey, Transition};
use crate::expression::ContentRegistry;

/// What all pools of a vocabulary hold from the beginning. Share it by `Arc`.
#[derive(Debug)]
pub struct Groundwork {
    /// The forms behind the keys. Nothing is registered here any more.
    pub(super) registry: Arc<ContentRegistry>,
    pub(super) transitions: FxHashMap<PoolKey, Arc<Transition>>,
    pub(super) exit_sets: FxHashMap<Arc<ExitNodes>, ExitSetId>,
    /// The least number that nothing here has.
    pub(super) next_number: u64,
    /// The memory in use, in bytes.
    pub(super) bytes: usize,
}

impl Groundwork {
    /// The number of transitions; tests see by it that there are any.
    pub fn transition_count(&self) -> usize {
        self.transitions.len()
    }

    /// The memory in use, in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn transition(&self, key: PoolKey) -> Option<Arc<Transition>> {
        self.transitions.get(&key).cloned()
    }

    pub(super) fn exit_set(&self, nodes: &ExitNodes) -> Option<ExitSet> {
        let (nodes, &id) = self.exit_sets.get_key_value(nodes)?;
        Some(ExitSet::whole(id, Arc::clone(nodes)))
    }
}
