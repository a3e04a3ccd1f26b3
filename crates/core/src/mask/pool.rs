//! What walks found, shared by all constraints of one vocabulary.
//!
//! Two grammars that hold the same string, the same number or the same tool have states with the same
//! content, and a walk depends on nothing else. So what it found is kept under the content's hash, of which
//! the [`ContentRegistry`] knows the structure. A walk over the whole vocabulary needs just the state to be known
//! (the XGrammar 2 paper calls that a partial hit), one from an exit set the continuation too (a perfect hit).
//!
//! # Eviction
//!
//! The pool is bounded in bytes. Its entries are in two halves; what is used moves to the younger one, and when
//! that would hold more than a quarter of the bytes allowed, the older one is dropped and the younger one takes its
//! place. So what was used since the last but one change of halves is kept, but for what alone takes more. When
//! the registry, which has another quarter, has refused a form for want of room, everything is dropped before the next
//! constraint begins. A row that several transitions share is counted once in each half, and stays until that
//! goes; so is an exit set. Exit sets have numbers as long as anybody holds them. Those that only a constraint holds
//! take none of the pool's room, but new ones do, until they are a quarter and it is found out who holds them.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use super::exits::ExitNodes;
use super::groundwork::Groundwork;
use super::token_bits::TokenBits;
use super::token_union::Unions;
use crate::error::{Error, Result};
use crate::expression::{ContentHash, ContentRegistry, Mark};
use crate::grammar::{Content, forms_behind, labels_of};
use crate::vocabulary::{NodeId, Vocabulary};

/// The number of an exit set; never used twice by one pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ExitSetId(u64);

/// The nodes at which tokens complete a frame before their last byte: what is below is left to callers.
#[derive(Clone, Debug)]
pub(super) struct ExitSet {
    pub(super) id: ExitSetId,
    pub(super) nodes: Arc<ExitNodes>,
    /// Others that together have these nodes, where it was put together of a few: none of those was.
    pub(super) parts: Option<Arc<[ExitSet]>>,
}

impl ExitSet {
    /// A set of nodes that is not put together of others.
    pub(super) fn whole(id: ExitSetId, nodes: Arc<ExitNodes>) -> Self {
        Self { id, nodes, parts: None }
    }

    /// The sets of which this one is put together: of none other than itself, just that.
    pub(super) fn parts(&self) -> &[Self] {
        self.parts.as_deref().unwrap_or(std::slice::from_ref(self))
    }

    /// The nodes of an exit set, ascending; of none, the root.
    pub(super) fn nodes_of<'a>(exits: Option<&'a Self>, vocabulary: &Vocabulary) -> Cow<'a, [NodeId]> {
        exits.map_or(Cow::Borrowed(&[NodeId::ROOT]), |exits| exits.nodes.all(vocabulary))
    }
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
    /// The nodes at which tokens complete the frame with their last byte and none goes on, but for those within the slices of
    /// the exits.
    pub(super) ends: Box<[NodeId]>,
}

impl Transition {
    /// The memory in use, but for the row that others may share, in bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        let parts = self.exits.iter().flat_map(|exits| exits.parts.as_deref().unwrap_or_default());
        let parts = parts.map(|part| size_of::<ExitSet>() + bytes_of(&part.nodes)).sum::<usize>();
        size_of::<Self>() + self.inside.memory_bytes() + size_of_val(&*self.ends) + parts + ENTRY
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

/// What a pool holds, without its numbers, which mean nothing to another pool.
#[derive(Debug, Default)]
pub(super) struct Contents {
    /// By ascending hash: what the keys of transitions are made of, parts of parts included.
    pub(super) forms: Vec<(ContentHash, Box<[u8]>)>,
    /// The nodes of exit sets, none without any.
    pub(super) exit_sets: Vec<Arc<ExitNodes>>,
    pub(super) transitions: Vec<Entry>,
}

/// A transition with what it depends on.
#[derive(Debug)]
pub(super) struct Entry {
    /// The exit set that it starts from, as its place in the list; `None` for the whole vocabulary.
    pub(super) from: Option<usize>,
    pub(super) content: ContentHash,
    pub(super) inside: TokenBits,
    /// As [`from`](Self::from); `None` where no token goes on below.
    pub(super) exits: Option<usize>,
    /// Ascending.
    pub(super) ends: Box<[NodeId]>,
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

/// Numbers for masks, and for what they are made of: no number comes twice, and none is 0.
#[derive(Debug)]
pub struct Numbers(AtomicU64);

impl Default for Numbers {
    fn default() -> Self {
        Self(AtomicU64::new(1))
    }
}

impl Numbers {
    fn next(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }

    /// Leaves out all numbers below one.
    fn pass(&self, number: u64) {
        self.0.fetch_max(number, Ordering::Relaxed);
    }
}

/// What the walks of all constraints of one vocabulary found. Share it by `Arc`.
#[derive(Debug)]
pub struct Pool {
    vocabulary: Arc<Vocabulary>,
    limit: usize,
    groundwork: Option<Arc<Groundwork>>,
    /// Whether walks that take less than their keys are kept, too.
    keeps_all: bool,
    registry: Arc<ContentRegistry>,
    numbers: Arc<Numbers>,
    partial_hits: AtomicU64,
    perfect_hits: AtomicU64,
    misses: AtomicU64,
    tables: Mutex<Tables>,
    unions: Unions,
}

#[derive(Debug, Default)]
pub(super) struct Tables {
    young: PoolHalf,
    old: PoolHalf,
    /// The numbers of exit sets. Those that nobody else holds are forgotten now and then.
    pub(super) exit_sets: FxHashMap<Arc<ExitNodes>, ExitSetId>,
    /// The bytes of those numbered since: of the others, each has somebody who holds and counts it.
    new_exit_set_bytes: usize,
}

/// What was used lately, or before that.
#[derive(Debug, Default)]
struct PoolHalf {
    transitions: FxHashMap<PoolKey, Arc<Transition>>,
    /// The rows of the transitions that it has or had, by their addresses: each is counted once.
    rows: FxHashMap<usize, Arc<[u32]>>,
    /// The exit sets that tokens leave these by: each is counted once.
    exit_sets: FxHashMap<ExitSetId, Arc<ExitNodes>>,
    bytes: usize,
}

impl PoolHalf {
    /// The bytes that a transition would add.
    fn bytes_with(&self, transition: &Transition) -> usize {
        let row = transition.inside.shared_row().filter(|row| !self.rows.contains_key(&address(row)));
        let exits = transition.exits.as_ref().filter(|exits| !self.exit_sets.contains_key(&exits.id));
        transition.memory_bytes()
            + row.map_or(0, |row| size_of_val(&**row) + ENTRY)
            + exits.map_or(0, |exits| bytes_of(&exits.nodes))
    }

    fn insert(&mut self, key: PoolKey, transition: Arc<Transition>) {
        self.bytes += self.bytes_with(&transition);
        if let Some(row) = transition.inside.shared_row() {
            self.rows.insert(address(row), Arc::clone(row));
        }
        if let Some(ExitSet { id, nodes, .. }) = &transition.exits {
            self.exit_sets.insert(*id, Arc::clone(nodes));
        }
        self.transitions.insert(key, transition);
    }
}

/// What an exit set takes with its place in a table, in bytes.
fn bytes_of(nodes: &ExitNodes) -> usize {
    nodes.memory_bytes() + ENTRY
}

/// What tells a row from others, as long as somebody holds it.
pub(super) fn address(row: &Arc<[u32]>) -> usize {
    Arc::as_ptr(row).addr()
}

impl Pool {
    /// A pool of up to `limit` bytes for the constraints of a vocabulary.
    pub fn new(vocabulary: &Arc<Vocabulary>, limit: usize) -> Self {
        Self::upon(None, vocabulary, limit, &Arc::default())
    }

    /// A pool that holds from the beginning what was computed once for its vocabulary. Pools that share their numbers never
    /// give one number to two masks.
    pub fn upon(
        groundwork: Option<Arc<Groundwork>>,
        vocabulary: &Arc<Vocabulary>,
        limit: usize,
        numbers: &Arc<Numbers>,
    ) -> Self {
        let known = groundwork.as_ref();
        numbers.pass(known.map_or(0, |known| known.next_number));
        Self {
            vocabulary: Arc::clone(vocabulary),
            limit,
            registry: Arc::new(ContentRegistry::upon(
                known.map(|known| Arc::clone(&known.registry)),
                limit / 4,
            )),
            numbers: Arc::clone(numbers),
            keeps_all: false,
            groundwork,
            partial_hits: AtomicU64::new(0),
            perfect_hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
            tables: Mutex::default(),
            unions: Unions::new(vocabulary.mask_words()),
        }
    }

    /// A pool that what all others begin with is computed in, once.
    pub(crate) fn for_groundwork(vocabulary: &Arc<Vocabulary>, limit: usize) -> Self {
        Self { keeps_all: true, ..Self::new(vocabulary, limit) }
    }

    /// What the pool holds, for others to begin with. Nothing is to be added to the pool any more.
    pub(crate) fn to_groundwork(&self) -> Groundwork {
        let tables = self.lock();
        let Tables { young, old, exit_sets, .. } = &*tables;
        let transitions = old.transitions.iter().chain(&young.transitions);
        Groundwork {
            registry: Arc::clone(&self.registry),
            transitions: transitions.map(|(&key, transition)| (key, Arc::clone(transition))).collect(),
            exit_sets: exit_sets.clone(),
            next_number: self.fresh_number(),
            bytes: tables.bytes() + self.registry.bytes(),
        }
    }

    /// Whether walks that take less than their keys are kept, too.
    pub(super) fn keeps_all(&self) -> bool {
        self.keeps_all
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

    /// Forgets everything where forms were refused for want of room: those of a constraint that begins would be, too.
    /// Once for each constraint, since the forms of one alone may be too many.
    pub(super) fn make_room_for_forms(&self) {
        if self.registry.is_full() {
            let mut tables = self.lock();
            // Another thread may have done it meanwhile.
            if self.registry.is_full() {
                self.clear_tables(&mut tables);
            }
        }
    }

    /// What tells the contents of expressions apart.
    pub(crate) fn registry(&self) -> &ContentRegistry {
        &self.registry
    }

    /// Where sets of tokens are put together.
    pub(super) fn unions(&self) -> &Unions {
        &self.unions
    }

    /// A number that was not given before.
    pub(super) fn fresh_number(&self) -> u64 {
        self.numbers.next()
    }

    /// The transition of a state with some content, where both are known.
    pub(super) fn get(&self, from: Option<ExitSetId>, content: Option<Content>) -> Option<Arc<Transition>> {
        let found = content.and_then(|content| {
            let key = PoolKey { from, content: content.hash };
            if let Some(known) = self.groundwork.as_ref().and_then(|known| known.transition(key)) {
                return Some(known);
            }
            let mut tables = self.lock();
            // Under the lock the generation cannot change, so the hash stands for the content.
            let is_current = self.registry.generation() == Some(content.generation);
            is_current.then(|| tables.find(key, self.limit)).flatten()
        });
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
        let key = PoolKey { from, content: content.hash };
        tables.insert(key, Arc::clone(transition), self.limit);
    }

    /// The exit set of some nodes; `None` where there are none.
    pub(super) fn exit_set(&self, nodes: ExitNodes) -> Option<ExitSet> {
        if nodes.is_empty() {
            return None;
        }
        let mut tables = self.lock();
        let exits = self.exit_set_of(Cow::Owned(nodes), &mut tables);
        tables.bound_exit_sets(self.limit);
        Some(exits)
    }

    /// The same for some nodes, with the lock held; makes no room.
    fn exit_set_of(&self, nodes: Cow<'_, ExitNodes>, tables: &mut Tables) -> ExitSet {
        if let Some(known) = self.groundwork.as_ref().and_then(|known| known.exit_set(&nodes)) {
            return known;
        }
        if let Some((nodes, &id)) = tables.exit_sets.get_key_value(&*nodes) {
            return ExitSet::whole(id, Arc::clone(nodes));
        }
        let nodes = Arc::new(nodes.into_owned());
        let id = ExitSetId(self.fresh_number());
        tables.new_exit_set_bytes += bytes_of(&nodes);
        tables.exit_sets.insert(Arc::clone(&nodes), id);
        ExitSet::whole(id, nodes)
    }

    /// A transition of what a walk found.
    pub(super) fn transition(&self, inside: TokenBits, exits: ExitNodes, ends: Box<[NodeId]>) -> Transition {
        Transition { id: TransitionId(self.fresh_number()), inside, exits: self.exit_set(exits), ends }
    }

    /// What the pool holds. Transitions from exit sets that nothing leads to any more are left out. Other threads
    /// that need the pool wait meanwhile.
    pub(super) fn contents(&self) -> Contents {
        // Under the lock no other generation of forms begins.
        let tables = self.lock();
        let known = self.groundwork.iter().flat_map(|known| &known.exit_sets);
        let current: FxHashMap<ExitSetId, &Arc<ExitNodes>> =
            known.chain(&tables.exit_sets).map(|(nodes, &id)| (id, nodes)).collect();
        let mut contents = Contents::default();
        let mut places: FxHashMap<ExitSetId, usize> = FxHashMap::default();
        let mut place_of = |id: ExitSetId, nodes: &Arc<ExitNodes>| {
            *places.entry(id).or_insert_with(|| {
                contents.exit_sets.push(Arc::clone(nodes));
                contents.exit_sets.len() - 1
            })
        };
        for (key, transition) in tables.old.transitions.iter().chain(&tables.young.transitions) {
            let from = match key.from.map(|id| (id, current.get(&id))) {
                None => None,
                Some((id, Some(nodes))) => Some(place_of(id, nodes)),
                Some((_, None)) => continue,
            };
            contents.transitions.push(Entry {
                from,
                content: key.content,
                inside: transition.inside.clone(),
                exits: transition.exits.as_ref().map(|exits| place_of(exits.id, &exits.nodes)),
                ends: transition.ends.clone(),
            });
        }
        contents.forms = forms_behind(&self.registry, contents.transitions.iter().map(|entry| entry.content));
        contents
    }

    /// Adds what another pool held, and gives the number of transitions that were not known yet. Those whose
    /// content is none of the forms are left out. What this pool holds is dropped where the forms have no room
    /// beside it. Takes time in proportion to `contents`.
    ///
    /// # Errors
    /// [`Error::BudgetExceeded`] where the pool has no room for the forms and exit sets. No transition is added
    /// then: a form stands for a structure only together with those of its parts.
    pub(super) fn add(&self, contents: Contents) -> Result<usize> {
        let Contents { forms, exit_sets, transitions } = contents;
        // What the groundwork has takes no room.
        let is_own_form = |form: &[u8]| !self.registry.is_in_groundwork(form);
        let is_own_set = |nodes: &ExitNodes| {
            self.groundwork.as_ref().is_none_or(|groundwork| groundwork.exit_set(nodes).is_none())
        };
        let own_forms = forms.iter().filter(|(_, form)| is_own_form(form));
        let form_bytes = own_forms.map(|(_, form)| ContentRegistry::bytes_of(form)).sum::<usize>();
        let set_bytes: usize =
            exit_sets.iter().filter(|nodes| is_own_set(nodes)).map(|nodes| bytes_of(nodes)).sum();
        let no_room = || Error::exceeded("pool_bytes", self.limit, "by what is loaded into the pool");
        if form_bytes > self.limit / 4 || set_bytes > self.limit / 2 {
            return Err(no_room());
        }
        let mut tables = self.lock();
        if self.registry.bytes() + form_bytes > self.limit / 4 {
            self.clear_tables(&mut tables);
        }
        // Another thread may take the room, since forms are registered without this lock.
        if forms.iter().any(|(hash, form)| self.registry.register(form) != Some(*hash)) {
            return Err(no_room());
        }
        let labels = forms.iter().flat_map(|(_, form)| labels_of(form));
        labels.for_each(|label| self.registry.mark(Mark::of_label(label)));
        // Held until all transitions are in their place, so that each keeps its number.
        let exit_sets: Vec<ExitSet> =
            exit_sets.iter().map(|nodes| self.exit_set_of(Cow::Borrowed(nodes), &mut tables)).collect();
        let mut count = 0;
        for Entry { from, content, inside, exits, ends } in transitions {
            let key = PoolKey { from: from.map(|place| exit_sets[place].id), content };
            let is_form = forms.binary_search_by_key(&content, |&(hash, _)| hash).is_ok();
            if !is_form || tables.find(key, self.limit).is_some() {
                continue;
            }
            let exits = exits.map(|place| exit_sets[place].clone());
            let transition = Transition { id: TransitionId(self.fresh_number()), inside, exits, ends };
            tables.insert(key, Arc::new(transition), self.limit);
            count += 1;
        }
        drop(exit_sets);
        tables.bound_exit_sets(self.limit);
        Ok(count)
    }

    fn lock(&self) -> MutexGuard<'_, Tables> {
        // Every change leaves the tables whole.
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tables {
    fn bytes(&self) -> usize {
        self.young.bytes + self.old.bytes + self.new_exit_set_bytes
    }

    /// What is held for a key, which is used so; that makes the younger half grow, too.
    fn find(&mut self, key: PoolKey, limit: usize) -> Option<Arc<Transition>> {
        if let Some(known) = self.young.transitions.get(&key) {
            return Some(Arc::clone(known));
        }
        let found = self.old.transitions.remove(&key)?;
        self.old.bytes -= found.memory_bytes();
        self.keep(key, Arc::clone(&found), limit);
        Some(found)
    }

    /// Keeps a transition in the younger half. Where that has no room left, it is the older one from now on. What is
    /// too large for an empty one is not kept.
    fn insert(&mut self, key: PoolKey, transition: Arc<Transition>, limit: usize) {
        // Two threads may have found the same.
        if self.find(key, limit).is_some() {
            return;
        }
        self.keep(key, transition, limit);
    }

    fn keep(&mut self, key: PoolKey, transition: Arc<Transition>, limit: usize) {
        let most = limit / 4;
        if self.young.bytes + self.young.bytes_with(&transition) > most {
            if PoolHalf::default().bytes_with(&transition) > most {
                return;
            }
            self.old = std::mem::take(&mut self.young);
            self.forget_exit_sets();
        }
        self.young.insert(key, transition);
    }

    /// Drops the exit sets that nobody else holds when those that are new are too many: one that somebody holds keeps its
    /// number.
    fn bound_exit_sets(&mut self, limit: usize) {
        if self.new_exit_set_bytes > limit / 4 {
            self.forget_exit_sets();
        }
    }

    fn forget_exit_sets(&mut self) {
        self.exit_sets.retain(|nodes, _| Arc::strong_count(nodes) > 1);
        self.new_exit_set_bytes = 0;
    }
}
