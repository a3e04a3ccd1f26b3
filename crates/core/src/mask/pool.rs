//! What walks found, shared by all constraints of one vocabulary.
//!
//! Two grammars that hold the same string, the same number or the same tool have states with the same
//! content, and a walk depends on nothing else. So what it found is kept under the content's hash, of which
//! the [`ContentRegistry`] knows the structure. A walk over the whole vocabulary needs just the state to be known
//! (the XGrammar 2 paper calls that a partial hit), one from an exit set the continuation too (a perfect hit).
//!
//! # Eviction
//!
//! The pool is bounded in bytes. Its entries are in two generations; what is used moves to the younger one, and
//! when that holds half of the bytes allowed, the older one is dropped and the younger one takes its place. So
//! what was used since the last but one change of generations is kept. When the registry is full, everything is
//! dropped.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use super::token_bits::TokenBits;
use crate::expression::{ContentHash, ContentRegistry};
use crate::grammar::Content;
use crate::vocabulary::{NodeId, Vocabulary};

/// The number of an exit set; never used twice by one pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ExitSetId(u64);

/// The nodes at which tokens complete a frame before their last byte: what is below is left to callers.
#[derive(Clone, Debug)]
pub(super) struct ExitSet {
    pub(super) id: ExitSetId,
    pub(super) nodes: Arc<[NodeId]>,
}

/// The number of a transition; never used twice by one pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct TransitionId(u64);

/// A transition of the stack automaton that holds for every state with some content: what a state makes of
/// the vocabulary or of an exit set.
#[derive(Debug)]
pub(super) struct Transition {
    pub(super) id: TransitionId,
    pub(super) inside: TokenBits,
    /// `None` where no token goes on below.
    pub(super) exits: Option<ExitSet>,
    /// The nodes at which tokens complete the frame with their last byte and none goes on.
    pub(super) ends: Box<[NodeId]>,
}

impl Transition {
    pub(super) fn memory_bytes(&self) -> usize {
        size_of::<Self>() + self.inside.memory_bytes() + size_of_val(&*self.ends) + ENTRY
    }
}

/// What a table entry takes beside its contents, in bytes.
pub(super) const ENTRY: usize = 96;

/// What a transition depends on: where it starts, and the content of the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct PoolKey {
    from: Option<ExitSetId>,
    content: ContentHash,
}

/// How often a [`Pool`] was asked, and what it holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolStatistics {
    /// Walks over the whole vocabulary that were found here.
    pub partial_hits: u64,
    /// Walks from exit sets that were found here.
    pub perfect_hits: u64,
    /// Walks that were looked for in vain.
    pub misses: u64,
    /// The number of transitions held.
    pub transitions: usize,
    /// The bytes held, those that tell contents apart included.
    pub bytes: usize,
}

/// What the walks of all constraints of one vocabulary found. Share it by `Arc`.
#[derive(Debug)]
pub struct Pool {
    vocabulary: Arc<Vocabulary>,
    limit: usize,
    registry: ContentRegistry,
    next_number: AtomicU64,
    partial_hits: AtomicU64,
    perfect_hits: AtomicU64,
    misses: AtomicU64,
    tables: Mutex<Tables>,
}

#[derive(Debug, Default)]
pub(super) struct Tables {
    young: Generation,
    old: Generation,
    pub(super) exit_sets: FxHashMap<Arc<[NodeId]>, ExitSetId>,
    exit_set_bytes: usize,
}

#[derive(Debug, Default)]
struct Generation {
    transitions: FxHashMap<PoolKey, Arc<Transition>>,
    bytes: usize,
}

impl Generation {
    fn insert(&mut self, key: PoolKey, transition: Arc<Transition>) {
        self.bytes += transition.memory_bytes();
        self.transitions.insert(key, transition);
    }
}

impl Pool {
    /// A pool of up to `limit` bytes for the constraints of a vocabulary.
    pub fn new(vocabulary: &Arc<Vocabulary>, limit: usize) -> Self {
        Self::with_numbers_from(vocabulary, limit, 1)
    }

    /// A pool that numbers masks from `first` on: pools whose numbers are far enough apart never give one
    /// number to two masks.
    pub fn with_numbers_from(vocabulary: &Arc<Vocabulary>, limit: usize, first: u64) -> Self {
        Self {
            vocabulary: Arc::clone(vocabulary),
            limit,
            registry: ContentRegistry::new(limit / 4),
            next_number: AtomicU64::new(first),
            partial_hits: AtomicU64::new(0),
            perfect_hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
            tables: Mutex::default(),
        }
    }

    /// The vocabulary that the pool is for.
    pub fn vocabulary(&self) -> &Arc<Vocabulary> {
        &self.vocabulary
    }

    /// How often the pool was asked, and what it holds.
    pub fn statistics(&self) -> PoolStatistics {
        let tables = self.lock();
        PoolStatistics {
            partial_hits: self.partial_hits.load(Ordering::Relaxed),
            perfect_hits: self.perfect_hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
            transitions: tables.young.transitions.len() + tables.old.transitions.len(),
            bytes: tables.bytes() + self.registry.bytes(),
        }
    }

    /// Forgets everything.
    pub fn clear(&self) {
        self.clear_tables(&mut self.lock());
    }

    fn clear_tables(&self, tables: &mut Tables) {
        *tables = Tables::default();
        self.registry.clear();
    }

    /// What tells the contents of expressions apart.
    pub(crate) fn registry(&self) -> &ContentRegistry {
        &self.registry
    }

    /// A number that was not given before.
    pub(super) fn fresh_number(&self) -> u64 {
        self.next_number.fetch_add(1, Ordering::Relaxed)
    }

    /// The transition of a state with some content, where it is known.
    pub(super) fn get(&self, from: Option<ExitSetId>, content: Content) -> Option<Arc<Transition>> {
        let key = PoolKey { from, content: content.hash };
        let found = {
            let mut tables = self.lock();
            // Under the lock the generation cannot change, so the hash stands for the content.
            let is_current = self.registry.generation() == Some(content.generation);
            is_current.then(|| tables.find(key)).flatten()
        };
        let counter = match (&found, from) {
            (None, _) => &self.misses,
            (Some(_), None) => &self.partial_hits,
            (Some(_), Some(_)) => &self.perfect_hits,
        };
        counter.fetch_add(1, Ordering::Relaxed);
        found
    }

    /// Keeps a transition for other constraints.
    pub(super) fn insert(&self, from: Option<ExitSetId>, content: Content, transition: &Arc<Transition>) {
        let mut tables = self.lock();
        if self.registry.generation() != Some(content.generation) {
            return;
        }
        if self.registry.bytes() + ENTRY > self.limit / 4 {
            self.clear_tables(&mut tables);
            return;
        }
        let key = PoolKey { from, content: content.hash };
        tables.young.insert(key, Arc::clone(transition));
        tables.make_room(self.limit);
    }

    /// The exit set of some nodes, ascending; `None` where there are none.
    pub(super) fn exit_set(&self, nodes: Box<[NodeId]>) -> Option<ExitSet> {
        if nodes.is_empty() {
            return None;
        }
        let mut tables = self.lock();
        if let Some((nodes, &id)) = tables.exit_sets.get_key_value(&*nodes) {
            return Some(ExitSet { id, nodes: Arc::clone(nodes) });
        }
        let nodes: Arc<[NodeId]> = nodes.into();
        let id = ExitSetId(self.fresh_number());
        tables.exit_set_bytes += size_of_val(&*nodes) + ENTRY;
        tables.exit_sets.insert(Arc::clone(&nodes), id);
        tables.make_room(self.limit);
        Some(ExitSet { id, nodes })
    }

    /// A transition of what a walk found.
    pub(super) fn transition(
        &self,
        inside: TokenBits,
        exits: Box<[NodeId]>,
        ends: Box<[NodeId]>,
    ) -> Transition {
        Transition { id: TransitionId(self.fresh_number()), inside, exits: self.exit_set(exits), ends }
    }

    fn lock(&self) -> MutexGuard<'_, Tables> {
        // Every change leaves the tables whole.
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tables {
    fn bytes(&self) -> usize {
        self.young.bytes + self.old.bytes + self.exit_set_bytes
    }

    fn find(&mut self, key: PoolKey) -> Option<Arc<Transition>> {
        if let Some(known) = self.young.transitions.get(&key) {
            return Some(Arc::clone(known));
        }
        let found = self.old.transitions.remove(&key)?;
        self.old.bytes -= found.memory_bytes();
        self.young.insert(key, Arc::clone(&found));
        Some(found)
    }

    /// Drops the older generation when the younger one has grown too large, with the exit sets that nobody
    /// else holds: an exit set that somebody holds keeps its number.
    fn make_room(&mut self, limit: usize) {
        if self.young.bytes + self.exit_set_bytes / 2 <= limit / 4 {
            return;
        }
        self.old = std::mem::take(&mut self.young);
        self.exit_sets.retain(|nodes, _| Arc::strong_count(nodes) > 1);
        self.exit_set_bytes = self.exit_sets.keys().map(|nodes| size_of_val(&**nodes) + ENTRY).sum();
    }
}
