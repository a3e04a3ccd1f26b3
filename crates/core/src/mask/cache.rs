//! What walks found, kept for the next time.
//!
//! The keys make this the stack automaton: a walk from the root of the trie with the state on top of the
//! stack gives tokens and an exit set; a walk from those exits with the continuation below gives further
//! tokens and the next exit set. Exit sets are interned, so that the automaton is deterministic.
//! The cache is bounded in bytes: when it is full it starts afresh, and what is needed is walked again.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use rustc_hash::FxHashMap;

use super::token_bits::TokenBits;
use super::walk::{Ground, Reach, Walker};
use crate::budget::Deadline;
use crate::error::Result;
use crate::expression::TokenSetId;
use crate::recognizer::{Automaton, StateId};
use crate::vocabulary::{NodeId, TokenId, Vocabulary};

/// The number of an exit set; never used twice, so that a key of a flushed cache hits nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ExitSetId(u64);

/// The nodes at which tokens complete a frame before their last byte: what is below is left to callers.
#[derive(Clone, Debug)]
pub(super) struct ExitSet {
    pub(super) id: ExitSetId,
    pub(super) nodes: Arc<[NodeId]>,
}

/// A transition of the stack automaton: what a state makes of the vocabulary or of an exit set.
#[derive(Debug)]
pub(super) struct Transition {
    pub(super) inside: TokenBits,
    /// `None` where no token goes on below.
    pub(super) exits: Option<ExitSet>,
    /// The nodes at which tokens complete the frame with their last byte and none goes on.
    pub(super) ends: Box<[NodeId]>,
    /// The states that capture a text, each with the nodes at which tokens go on in it.
    pub(super) captures: Box<[(StateId, ExitSet)]>,
}

/// What a table entry takes beside its contents, in bytes.
const ENTRY: usize = 96;

/// The transitions of one constraint.
#[derive(Debug)]
pub(crate) struct MaskCache {
    limit: usize,
    use_signatures: bool,
    next_exit_set: AtomicU64,
    walks: AtomicU64,
    tables: RwLock<Tables>,
    /// What walks is shared, so that no two threads walk the same.
    walker: Mutex<Walker>,
}

#[derive(Debug, Default)]
struct Tables {
    transitions: FxHashMap<(Option<ExitSetId>, StateId), Arc<Transition>>,
    exit_sets: FxHashMap<Arc<[NodeId]>, ExitSetId>,
    exact_tokens: FxHashMap<TokenSetId, Arc<TokenBits>>,
    bytes: usize,
}

impl MaskCache {
    /// A cache of up to `limit` bytes, filled by walks with or without signatures.
    pub(crate) fn new(limit: usize, use_signatures: bool) -> Self {
        Self {
            limit,
            use_signatures,
            next_exit_set: AtomicU64::new(0),
            walks: AtomicU64::new(0),
            tables: RwLock::default(),
            walker: Mutex::new(Walker::new(limit / 4)),
        }
    }

    /// The bytes in use, and the number of walks so far.
    pub(crate) fn statistics(&self) -> (usize, u64) {
        let bytes = self.tables.read().unwrap_or_else(PoisonError::into_inner).bytes;
        (bytes, self.walks.load(Ordering::Relaxed))
    }

    /// What a state makes of an exit set, or with `None` of the whole vocabulary.
    pub(super) fn transition(
        &self,
        from: Option<&ExitSet>,
        state: StateId,
        automaton: &Automaton,
        vocabulary: &Vocabulary,
        deadline: &Deadline,
    ) -> Result<Arc<Transition>> {
        let key = (from.map(|exits| exits.id), automaton.canonical(state)?);
        if let Some(known) = self.read(|tables| tables.transitions.get(&key).cloned()) {
            return Ok(known);
        }
        let mut walker = self.walker.lock().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have walked the same while this one waited.
        if let Some(known) = self.read(|tables| tables.transitions.get(&key).cloned()) {
            return Ok(known);
        }
        let starts = from.map_or(&[NodeId::ROOT][..], |exits| &exits.nodes);
        let ground = Ground { automaton, vocabulary, use_signatures: self.use_signatures, deadline };
        let reach = walker.walk(&ground, starts, key.1)?;
        self.walks.fetch_add(1, Ordering::Relaxed);
        Ok(self.insert(key, reach))
    }

    /// The tokens of a set that a grammar names.
    pub(super) fn exact_tokens(
        &self,
        id: TokenSetId,
        automaton: &Automaton,
        vocabulary: &Vocabulary,
    ) -> Arc<TokenBits> {
        if let Some(known) = self.read(|tables| tables.exact_tokens.get(&id).cloned()) {
            return known;
        }
        let bits = automaton.with_expressions(|expressions| {
            let set = expressions.token_set(id);
            let tokens = (0..vocabulary.token_count() as u32).map(TokenId);
            TokenBits::from_tokens(tokens.filter(|&token| set.contains(token)), vocabulary.mask_words())
        });
        let bits = Arc::new(bits);
        let mut tables = self.tables.write().unwrap_or_else(PoisonError::into_inner);
        tables.bytes += bits.memory_bytes();
        Arc::clone(tables.exact_tokens.entry(id).or_insert(bits))
    }

    fn read<T>(&self, look: impl FnOnce(&Tables) -> T) -> T {
        look(&self.tables.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The exit set of some nodes, ascending; `None` where there are none.
    pub(super) fn exit_set(&self, nodes: Box<[NodeId]>) -> Option<ExitSet> {
        if nodes.is_empty() {
            return None;
        }
        let mut tables = self.tables.write().unwrap_or_else(PoisonError::into_inner);
        Some(self.intern_exits(&mut tables, nodes))
    }

    /// The nodes of one exit set that are not in another.
    pub(super) fn difference(&self, exits: &ExitSet, others: &ExitSet) -> Option<ExitSet> {
        let is_other = |node: &NodeId| others.nodes.binary_search(node).is_ok();
        self.exit_set(exits.nodes.iter().copied().filter(|node| !is_other(node)).collect())
    }

    fn intern_exits(&self, tables: &mut Tables, nodes: Box<[NodeId]>) -> ExitSet {
        if let Some((nodes, &id)) = tables.exit_sets.get_key_value(&*nodes) {
            return ExitSet { id, nodes: Arc::clone(nodes) };
        }
        let nodes: Arc<[NodeId]> = nodes.into();
        let id = ExitSetId(self.next_exit_set.fetch_add(1, Ordering::Relaxed));
        tables.bytes += size_of_val(&*nodes) + ENTRY;
        tables.exit_sets.insert(Arc::clone(&nodes), id);
        ExitSet { id, nodes }
    }

    fn insert(&self, key: (Option<ExitSetId>, StateId), reach: Reach) -> Arc<Transition> {
        let mut tables = self.tables.write().unwrap_or_else(PoisonError::into_inner);
        let captured: usize = reach.captures.iter().map(|(_, nodes)| size_of_val(&**nodes) + ENTRY).sum();
        let nodes = size_of_val(&*reach.exits) + size_of_val(&*reach.ends);
        let bytes = reach.inside.memory_bytes() + nodes + captured + ENTRY;
        if tables.bytes + bytes > self.limit {
            *tables = Tables::default();
        }
        let exits = (!reach.exits.is_empty()).then(|| self.intern_exits(&mut tables, reach.exits));
        let captures = reach.captures.into_iter();
        let captures =
            captures.map(|(state, nodes)| (state, self.intern_exits(&mut tables, nodes))).collect();
        let transition = Arc::new(Transition { inside: reach.inside, exits, ends: reach.ends, captures });
        tables.bytes += transition.inside.memory_bytes() + size_of_val(&*transition.ends) + ENTRY;
        tables.transitions.insert(key, Arc::clone(&transition));
        transition
    }
}
