//! What one constraint knows of masks.
//!
//! The keys make this the stack automaton: a walk from the root of the trie with the state on top of the
//! stack gives tokens and an exit set; a walk from those exits with the continuation below gives further
//! tokens and the next exit set. Exit sets are interned, so that the automaton is deterministic. What a mask is
//! put together from is a short list of transitions, and the finished mask is kept under that list.
//!
//! Everything is read without a lock. What is missing is asked of the pool, which all constraints of the
//! vocabulary share, and else walked, by one thread at a time. The memory is bounded: when it is full it starts
//! afresh, and what is needed is asked for again.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

use super::exits::ExitNodes;
use super::neighbour::neighbour_of;
use super::pool::{ENTRY, ExitSet, ExitSetId, Pool, TransitionId};
use super::pooled::Pooled;
use super::step::{ExcludedSteps, Held, Look, Shared, Step};
use super::token_bits::{MaskBits, TokenBits};
use super::walk::{Beginning, Ground, Neighbour, Reach, Walker, Within};
use crate::budget::Deadline;
use crate::error::{Error, Result};
use crate::expression::TokenSetId;
use crate::recognizer::{Automaton, Room, StateId};
use crate::stack;
use crate::vocabulary::{NodeId, TokenId, Vocabulary};

/// A part of a mask, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum PartId {
    /// The tokens inside a transition.
    Inside(TransitionId),
    /// The part before it is without what completes an excluded text with its last byte, as this transition does.
    Without(TransitionId),
    /// The tokens of a set that the grammar names.
    Named(TokenSetId),
    /// The stop tokens.
    Stop,
    /// The parts after it may hold too many list tokens, since a text was forgotten: from where, and with how much room.
    Vague(Option<ExitSetId>, Room),
}

/// The parts of a mask, in the order in which they were met.
pub(super) type PartIds = SmallVec<[PartId; 4]>;

/// A mask that has been put together.
#[derive(Debug)]
pub(crate) struct Finished {
    /// Never used twice by one pool.
    pub(super) id: u64,
    pub(super) bits: MaskBits,
    /// Members that depend on a text that was captured, and have to be read each time.
    pub(super) doubtful: Box<[TokenId]>,
}

type Map<K, V> = papaya::HashMap<K, V, FxBuildHasher>;

/// So many steps have room from the beginning: of 500 schemas of MaskBench, nine in ten have less when their texts are
/// read, and half have less than a third. Room for all would be written to before the first mask, and most of it for nothing.
const COMMON_STEPS: usize = 256;

/// A map with room for some values.
fn map_of<K, V>(count: usize) -> Map<K, V> {
    Map::with_capacity_and_hasher(count, FxBuildHasher)
}

/// The transitions and masks of one constraint.
pub(crate) struct MaskCache {
    limit: usize,
    use_signatures: bool,
    use_pool: bool,
    pool: Arc<Pool>,
    steps: Map<(Option<ExitSetId>, StateId), Arc<Step>>,
    finished: Map<PartIds, Arc<Finished>>,
    /// Made when the first is kept: few grammars name tokens.
    named: OnceLock<Map<TokenSetId, Arc<TokenBits>>>,
    /// What these share, by its address: each is counted once.
    shared: Mutex<FxHashMap<usize, Held>>,
    bytes: AtomicUsize,
    walks: AtomicU64,
    deepest: AtomicUsize,
    /// What walks is shared, so that no two threads walk the same.
    walker: Mutex<Walker>,
}

/// What a [`MaskCache`] has done so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CacheStatistics {
    pub(crate) bytes: usize,
    pub(crate) walks: u64,
    pub(crate) visited_nodes: u64,
    pub(crate) masks: usize,
    pub(crate) deepest: usize,
}

impl MaskCache {
    /// A cache of up to `limit` bytes. What `use_signatures` and `use_pool` are for is said by
    /// [`Settings`](crate::Settings).
    pub(crate) fn new(limit: usize, pool: &Arc<Pool>, use_signatures: bool, use_pool: bool) -> Self {
        if use_pool {
            pool.make_room_for_forms();
        }
        Self {
            limit,
            use_signatures,
            use_pool,
            pool: Arc::clone(pool),
            steps: map_of(COMMON_STEPS),
            finished: map_of(COMMON_STEPS / 4),
            named: OnceLock::new(),
            shared: Mutex::default(),
            bytes: AtomicUsize::new(0),
            walks: AtomicU64::new(0),
            deepest: AtomicUsize::new(0),
            walker: Mutex::new(Walker::new(limit)),
        }
    }

    pub(crate) fn statistics(&self) -> CacheStatistics {
        // They are counts, whatever a panic has left.
        let walker = self.walker.lock().unwrap_or_else(PoisonError::into_inner);
        CacheStatistics {
            bytes: self.bytes.load(Ordering::Relaxed) + walker.memory_bytes(),
            walks: self.walks.load(Ordering::Relaxed),
            visited_nodes: walker.visited(),
            masks: self.finished.pin().len(),
            deepest: self.deepest.load(Ordering::Relaxed),
        }
    }

    /// The number of transitions known.
    pub(crate) fn step_count(&self) -> usize {
        self.steps.pin().len()
    }

    /// Notes how many frames one mask has read, the one on top included.
    pub(super) fn note_depth(&self, frames: usize) {
        if frames > self.deepest.load(Ordering::Relaxed) {
            self.deepest.fetch_max(frames, Ordering::Relaxed);
        }
    }

    /// What walks of this cache walk on.
    pub(super) fn ground<'a>(
        &'a self,
        automaton: &'a Automaton,
        vocabulary: &'a Vocabulary,
        deadline: &'a Deadline,
    ) -> Ground<'a> {
        let (use_signatures, unions) = (self.use_signatures, self.pool.unions());
        Ground { automaton, vocabulary, use_signatures, unions, deadline }
    }

    /// What a state makes of an exit set, or with `None` of the whole vocabulary.
    pub(super) fn step(
        &self,
        from: Option<&ExitSet>,
        state: StateId,
        ground: Ground<'_>,
    ) -> Result<Arc<Step>> {
        self.step_in(from, state, ground, 0)
    }

    /// The same, for a step of which so many others are put together.
    pub(super) fn step_in(
        &self,
        from: Option<&ExitSet>,
        state: StateId,
        ground: Ground<'_>,
        depth: usize,
    ) -> Result<Arc<Step>> {
        match self.look_at(from, state, ground, depth)? {
            Look::Outline(step) => Ok(step),
            Look::State(state) => self.step_of(from, state, ground, depth),
        }
    }

    /// What of a state is to be read from an exit set, or with `None` from the beginning of tokens.
    pub(super) fn look_at(
        &self,
        from: Option<&ExitSet>,
        state: StateId,
        ground: Ground<'_>,
        depth: usize,
    ) -> Result<Look> {
        if self.use_signatures
            && let Some(outline) = ground.automaton.outline(state, ground.deadline)?
        {
            let step = self.step_of(from, outline, ground, depth)?;
            // What an outline captures is unread: a token goes on behind it, or within it further than can be told.
            if step.captures.is_empty() {
                return Ok(Look::Outline(step));
            }
        }
        ground.automaton.opened(state, ground.deadline).map(Look::State)
    }

    /// What a state that captures nothing makes of an exit set by itself, its outline left aside.
    pub(super) fn step_of(
        &self,
        from: Option<&ExitSet>,
        state: StateId,
        ground: Ground<'_>,
        depth: usize,
    ) -> Result<Arc<Step>> {
        let key = (from.map(|exits| exits.id), ground.automaton.canonical(state, ground.deadline)?);
        if let Some(known) = self.steps.pin().get(&key) {
            return Ok(Arc::clone(known));
        }
        // Once for all that a walk meets, where the thread has too little.
        stack::with_enough(|| self.find_step(key, from, ground, depth))
    }

    /// Puts a step together of what can be known without a walk, or walks.
    fn find_step(
        &self,
        key: (Option<ExitSetId>, StateId),
        from: Option<&ExitSet>,
        ground: Ground<'_>,
        depth: usize,
    ) -> Result<Arc<Step>> {
        let sketched = match self.use_pool {
            true => Pooled::sketched(&self.pool, from, key.1, ground)?,
            false => None,
        };
        let known = match &sketched {
            Some(sketched) => sketched.find()?,
            None if self.use_pool && self.use_signatures => self.find_outlined(from, key.1, ground, depth)?,
            None => None,
        };
        if let Some(transition) = known {
            return Ok(self.keep(key, Step::of(transition)));
        }
        let put_together = match self.use_signatures {
            true => self.put_together(from, key.1, sketched.as_ref(), ground, depth)?,
            false => None,
        };
        // Neighbours and bounds are for states that read much.
        let is_long = from.is_none()
            && self.use_signatures
            && put_together.is_none()
            && !ground.is_short_from_root(key.1)?;
        let neighbour = if is_long { neighbour_of(key.1, ground)? } else { None };
        let put_together = match &neighbour {
            Some(neighbour) => self.as_neighbour(neighbour, ground)?,
            None => put_together,
        };
        if let Some(step) = put_together {
            let step = self.keep(key, step);
            sketched.map(|sketched| sketched.keep_composed(&step)).transpose()?;
            return Ok(step);
        }
        let within = if is_long && neighbour.is_none() { self.within(key.1, ground)? } else { None };
        self.walk_locked(key, from, sketched, neighbour, within.as_ref(), ground)
    }

    /// Takes a step from the pool, or walks. What one thread has found is looked up by those that waited for it.
    fn walk_locked(
        &self,
        key: (Option<ExitSetId>, StateId),
        from: Option<&ExitSet>,
        sketched: Option<Pooled<'_>>,
        neighbour: Option<Neighbour>,
        within: Option<&Within>,
        ground: Ground<'_>,
    ) -> Result<Arc<Step>> {
        let mut walker = self.lock_walker()?;
        if let Some(known) = self.steps.pin().get(&key) {
            return Ok(Arc::clone(known));
        }
        let pooled = match self.use_pool {
            true => Pooled::worth_a_key(&self.pool, from, key.1, ground)?,
            false => None,
        };
        if let Some(transition) = pooled.as_ref().map(Pooled::find).transpose()?.flatten() {
            return Ok(self.keep(key, Step::of(transition)));
        }
        let (mut visited, mut reach, mut is_whole) = (0, None, true);
        if let Some(neighbour) = neighbour
            && let Some(differences) = walker.walk_beside(&ground, key.1, &neighbour)?
        {
            visited = differences.visited;
            // The neighbour may have to be walked, too, and another thread may walk the same meanwhile.
            drop(walker);
            if let Some(found) = self.reach_by(differences, neighbour.state, ground)? {
                reach = Some(found.reach);
                is_whole = found.is_whole;
            }
            walker = self.lock_walker()?;
            if let Some(known) = self.steps.pin().get(&key) {
                return Ok(Arc::clone(known));
            }
        }
        let reach = match reach {
            Some(reach) => reach,
            None => {
                let before = walker.visited();
                let from = from.map(|exits| &*exits.nodes);
                let beginning = Beginning { from, state: key.1, within };
                let reach = walker.walk(&ground, beginning)?;
                visited += walker.visited() - before;
                reach
            }
        };
        self.walks.fetch_add(1, Ordering::Relaxed);
        let step = self.learn(key, reach);
        // A state that captures is known by its number, which means nothing to other constraints.
        let is_for_all = is_whole && step.captures.is_empty();
        for pooled in [sketched, pooled].into_iter().flatten().filter(|_| is_for_all) {
            pooled.keep(&step.transition, visited)?;
        }
        Ok(step)
    }

    /// A step that is put together of others, by whatever the state is taken apart.
    fn put_together(
        &self,
        from: Option<&ExitSet>,
        state: StateId,
        sketched: Option<&Pooled<'_>>,
        ground: Ground<'_>,
        depth: usize,
    ) -> Result<Option<Step>> {
        if let Some(step) = self.by_parts(from, sketched, ground, depth)? {
            return Ok(Some(step));
        }
        if let Some(step) = self.compose(from, state, ground, depth)? {
            return Ok(Some(step));
        }
        self.under_each_condition(from, state, ground, depth)
    }

    /// Keeps a step.
    fn keep(&self, key: (Option<ExitSetId>, StateId), step: Step) -> Arc<Step> {
        if let Some(known) = self.steps.pin().get(&key) {
            return Arc::clone(known);
        }
        self.make_room(step.memory_bytes(), step.shared());
        let step = Arc::new(step);
        self.steps.pin().insert(key, Arc::clone(&step));
        step
    }

    /// The pool of all constraints of the vocabulary.
    pub(super) fn pool(&self) -> &Pool {
        &self.pool
    }

    /// What tokens do to a state without its bounds that none of them ends.
    fn within(&self, state: StateId, ground: Ground<'_>) -> Result<Option<Within>> {
        let Ground { automaton, vocabulary, deadline, .. } = ground;
        // A slice of a class is taken sooner than the two are compared, or it is found out whether they are.
        if automaton.class_run(state, vocabulary, deadline)?.is_some_and(|run| run.is_told_by_class())
            || automaton.string_of_class(state, vocabulary)?.is_some()
        {
            return Ok(None);
        }
        let Some(unbounded) = automaton.unbounded(state, vocabulary, deadline)? else { return Ok(None) };
        let step = self.step(None, unbounded.state, ground)?;
        let is_whole = step.also_inside.is_empty() && step.captures.is_empty();
        Ok(is_whole.then(|| Within { unbounded, inside: step.transition.inside.clone() }))
    }

    fn learn(&self, key: (Option<ExitSetId>, StateId), reach: Reach) -> Arc<Step> {
        let Reach { inside, exits, ends, captures } = reach;
        let transition = Arc::new(self.pool.transition(inside, exits, ends));
        let captures = captures.iter().flat_map(|(state, nodes)| {
            let (beginning, later) = match nodes.split_first() {
                Some((&NodeId::ROOT, later)) => (Some((*state, None)), later),
                _ => (None, &**nodes),
            };
            let later = self.exit_set(later).map(|later| (*state, Some(later)));
            beginning.into_iter().chain(later)
        });
        let captures = captures.collect();
        self.keep(key, Step { captures, ..Step::of(transition) })
    }

    /// Counts bytes that are about to be taken, and of what is shared all that is not counted yet. Starts afresh where
    /// they would be too many.
    fn make_room<'a>(&self, bytes: usize, shared: impl Iterator<Item = Shared<'a>>) {
        let mut shared: SmallVec<[Shared<'a>; 4]> = shared.collect();
        shared.sort_unstable_by_key(|shared| shared.address());
        shared.dedup_by_key(|shared| shared.address());
        let mut counted = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = |shared: &&Shared<'_>| !counted.contains_key(&shared.address());
        let bytes_of = |shared: &Shared<'_>| shared.memory_bytes();
        let fresh = bytes + shared.iter().filter(is_new).map(bytes_of).sum::<usize>();
        if self.bytes.fetch_add(fresh, Ordering::Relaxed) + fresh > self.limit {
            self.steps.pin().clear();
            self.finished.pin().clear();
            self.named.get().inspect(|named| named.pin().clear());
            counted.clear();
            self.bytes.store(bytes + shared.iter().map(bytes_of).sum::<usize>(), Ordering::Relaxed);
        }
        for shared in shared {
            counted.entry(shared.address()).or_insert_with(|| shared.hold());
        }
    }

    /// The mask of some parts, where it was put together before.
    pub(super) fn finished(&self, parts: &PartIds) -> Option<Arc<Finished>> {
        self.finished.pin().get(parts).cloned()
    }

    /// Keeps a mask that was put together, and gives it a number.
    pub(super) fn finish(&self, parts: PartIds, bits: MaskBits, doubtful: Box<[TokenId]>) -> Arc<Finished> {
        let bytes = bits.memory_bytes() + size_of_val(&*doubtful) + size_of_val(&*parts) + ENTRY;
        let finished = Arc::new(Finished { id: self.pool.fresh_number(), bits, doubtful });
        self.make_room(bytes, finished.bits.shared_row().into_iter().map(Shared::Row));
        // Where another thread was faster, its number stands.
        Arc::clone(self.finished.pin().get_or_insert(parts, finished))
    }

    /// The tokens of a set that a grammar names.
    pub(super) fn named_tokens(
        &self,
        id: TokenSetId,
        automaton: &Automaton,
        vocabulary: &Vocabulary,
    ) -> Result<Arc<TokenBits>> {
        let named = self.named.get_or_init(Map::default);
        if let Some(known) = named.pin().get(&id) {
            return Ok(Arc::clone(known));
        }
        let bits = automaton.with_expressions(|expressions| {
            let tokens = expressions.token_set(id).tokens(vocabulary.token_count());
            TokenBits::from_tokens(tokens, vocabulary.mask_words())
        })?;
        self.make_room(bits.memory_bytes() + ENTRY, bits.shared_row().into_iter().map(Shared::Row));
        Ok(Arc::clone(named.pin().get_or_insert(id, Arc::new(bits))))
    }

    /// The exit set of just some nodes, ascending; `None` where there are none.
    pub(super) fn exit_set(&self, nodes: &[NodeId]) -> Option<ExitSet> {
        self.pool.exit_set(ExitNodes::of(nodes))
    }

    /// What the strings that a captured text must not be make of an exit set, each of its alternatives by itself: other captures
    /// read most of these.
    pub(super) fn excluded_steps(
        &self,
        from: Option<&ExitSet>,
        excluded: Option<StateId>,
        ground: Ground<'_>,
    ) -> Result<ExcludedSteps> {
        let Some(excluded) = excluded else { return Ok(ExcludedSteps::new()) };
        let apart = ground.automaton.alternatives(excluded)?;
        apart.iter().map(|&state| self.step(from, state, ground)).collect()
    }

    /// The exits of a step that are not among those of excluded texts.
    pub(super) fn exits_without(&self, step: &Step, excluded: &[Arc<Step>]) -> Option<ExitSet> {
        let mut excluded = excluded.iter().filter_map(|excluded| excluded.transition.exits.as_ref());
        let exits = step.transition.exits.clone()?;
        excluded.try_fold(exits, |exits, others| self.difference(&exits, others))
    }

    /// The nodes of one exit set that are not in another.
    fn difference(&self, exits: &ExitSet, others: &ExitSet) -> Option<ExitSet> {
        let vocabulary = self.pool.vocabulary();
        let (nodes, others) = (exits.nodes.all(vocabulary), others.nodes.all(vocabulary));
        let mut left = Vec::with_capacity(nodes.len());
        let mut others = &*others;
        for &node in &*nodes {
            let before = others.iter().take_while(|&&other| other < node).count();
            others = &others[before..];
            if others.first() != Some(&node) {
                left.push(node);
            }
        }
        self.exit_set(&left)
    }

    /// A walk begins by clearing what the one before left behind, also where that failed; but not what a panic left.
    fn lock_walker(&self) -> Result<MutexGuard<'_, Walker>> {
        self.walker.lock().map_err(|_| Error::BrokenOff)
    }
}

#[cfg(test)]
mod tests {
    use super::super::token_bits::Change;
    use super::*;
    use crate::grammar::Others;

    /// A cache for a vocabulary whose masks have 100 words.
    fn cache(limit: usize) -> MaskCache {
        let tokens = (0..3200u32).map(|id| Some(id.to_le_bytes().to_vec())).chain([None]).collect();
        let vocabulary = Vocabulary::new(tokens, Vec::new(), vec![TokenId(3200)], 3201).unwrap();
        MaskCache::new(limit, &Arc::new(Pool::new(&Arc::new(vocabulary), 1 << 20)), true, true)
    }

    /// The parts of some mask, by the bits of a number.
    fn parts(number: u32) -> PartIds {
        let vague = PartId::Vague(None, Room { bytes: 0, is_begun: false, others: Others::default() });
        (0..8).map(|bit| if number >> bit & 1 == 1 { PartId::Stop } else { vague }).collect()
    }

    #[test]
    fn a_row_that_masks_share_is_counted_once() {
        let cache = cache(1 << 20);
        let row: Arc<[u32]> = vec![1; 101].into();
        let empty = cache.statistics().bytes;
        for number in 0..10 {
            let mask =
                cache.pool.unions().changed(&TokenBits::of_row(&row), [TokenId(0)], [TokenId(number + 1)]);
            cache.finish(parts(number), MaskBits::Set(mask), Box::default());
        }
        let bytes = cache.statistics().bytes - empty;
        let own = size_of_val(&*parts(0)) + ENTRY + 2 * size_of::<Change>();
        assert!((404..=404 + ENTRY + 10 * own).contains(&bytes), "{bytes}");
        let other = TokenBits::of_row(&row.to_vec().into());
        cache.finish(parts(10), MaskBits::Set(other), Box::default());
        assert!(cache.statistics().bytes - empty > bytes + 404);
    }

    #[test]
    fn every_row_of_a_step_is_counted_once() {
        let cache = cache(1 << 20);
        let empty = cache.statistics().bytes;
        let rows: [Arc<[u32]>; 2] = [vec![1; 101].into(), vec![2; 101].into()];
        let [one, other] = rows.each_ref().map(TokenBits::of_row);
        let state = StateId::default();
        for _ in 0..5 {
            let transition =
                Arc::new(cache.pool.transition(one.clone(), ExitNodes::default(), Box::default()));
            let also_inside = Box::new([other.clone(), one.clone(), other.clone()]);
            cache.keep((None, state), Step { transition, also_inside, captures: Box::default() });
        }
        let bytes = cache.statistics().bytes - empty;
        assert!((808..808 + 2 * ENTRY + 5 * 700).contains(&bytes), "{bytes}");
    }

    #[test]
    fn exit_sets_are_counted_once_where_a_constraint_holds_them() {
        let cache = cache(1 << 20);
        let empty = cache.statistics().bytes;
        let nodes: Vec<NodeId> = (1..1000).map(NodeId).collect();
        for _ in 0..5 {
            let none = cache.pool.unions().union(&[]);
            let transition = Arc::new(cache.pool.transition(none, ExitNodes::of(&nodes), Box::default()));
            let captures = Box::new([(StateId::default(), cache.exit_set(&nodes[1..]))]);
            cache
                .keep((None, StateId::default()), Step { transition, also_inside: Box::default(), captures });
        }
        let (bytes, sets) = (cache.statistics().bytes - empty, 2 * 999 * size_of::<NodeId>());
        assert!((sets..sets + 5 * 700).contains(&bytes), "{bytes}");
    }

    #[test]
    fn a_cache_stays_below_its_limit_and_counts_a_row_again_when_it_starts_afresh() {
        const LIMIT: usize = 4000;
        let cache = cache(LIMIT);
        let row: Arc<[u32]> = vec![1; 101].into();
        let (mut greatest, mut before, mut restarts) = (0, 0, 0);
        for number in 0..200 {
            let shared = cache.pool.unions().changed(&TokenBits::of_row(&row), [], [TokenId(number + 1)]);
            let own = TokenBits::of_row(&vec![number; 101].into());
            let mask = MaskBits::Set(if number % 2 == 0 { shared } else { own });
            let mask = cache.finish(parts(number), mask, Box::default());
            let bytes = cache.bytes.load(Ordering::Relaxed);
            greatest = greatest.max(bytes);
            if bytes < before {
                restarts += 1;
                assert!(
                    bytes >= 404
                        && cache.shared.lock().unwrap().len() == 1
                        && cache.finished.pin().len() == 1
                );
            }
            before = bytes;
            assert!(cache.finished(&parts(number)).is_some_and(|kept| kept.id == mask.id));
        }
        assert!(greatest <= LIMIT && restarts > 10, "{greatest} {restarts}");
    }
}
