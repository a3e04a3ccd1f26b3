//! The configurations that walks meet, interned, and the steps between them.
//!
//! A walk starts in one frame with unknown callers, so what is alive below a node of the trie depends on
//! few bytes only, and comes again all over the trie: after every digit of a number, for example, the number
//! goes on or its caller does. So frames are interned by what they return to, configurations by their pairs,
//! and each step is taken once; the walk itself is a look-up for each node. This is the lazy automaton of the
//! states once more, with the stack that one token can build on top.
//!
//! `known_steps` are the steps of one configuration, by byte. `loops` tells which characters leave one as it is, `digits` what becomes
//! of one in a tree of digits, and `choice` the strings by which what is alive is chosen among.

mod choice;
mod digits;
mod known_steps;
mod loops;

use std::ops::RangeInclusive;
use std::sync::Arc;

use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

pub(super) use self::digits::DigitTree;
use self::known_steps::KnownSteps;
pub(super) use self::loops::ClassLoop;
use self::loops::DigitsRead;
use super::walk::Ground;
use crate::byte_set::ByteSet;
use crate::error::{Error, Result};
use crate::expression::{Choice, RuleId, Symbol};
use crate::recognizer::{
    Advance, Automaton, DraftEdge, Edge, FrameDraft, MANY_EDGES, Move, Pair, StackGraph, StateId,
};
use crate::vocabulary::Signature;

/// A frame of a walk: the one it starts in, or one opened within a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct WalkFrame(u32);

impl WalkFrame {
    /// The frame in which a walk begins.
    pub(super) const BASE: Self = Self(0);
}

/// An edge of a frame as it is interned: to a frame opened before, or to another opened with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum InternedEdge {
    Accept,
    Sibling { continuation: StateId, index: usize },
    Older { continuation: StateId, caller: WalkFrame },
}

type Group = SmallVec<[SmallVec<[InternedEdge; 2]>; 1]>;

/// Frames by what they return to. Those opened together are interned together, since they may refer to one
/// another in a cycle.
#[derive(Debug)]
struct InternedGraph {
    /// The edges of each frame.
    frames: Vec<SmallVec<[Edge<WalkFrame>; 2]>>,
    /// The first frame of each group.
    groups: FxHashMap<Group, WalkFrame>,
    /// The number of edges of all frames.
    edges: usize,
}

impl InternedGraph {
    fn new() -> Self {
        Self { frames: vec![smallvec::smallvec![Edge::Accept]], groups: FxHashMap::default(), edges: 0 }
    }
}

impl StackGraph for InternedGraph {
    type Frame = WalkFrame;

    fn key(frame: &WalkFrame) -> (usize, u32) {
        (1, frame.0)
    }

    /// Where many frames are alive that each inherit from many, there would be as many edges as both together make. No
    /// walk is longer than a token, so the stack does not grow much.
    fn is_returned_to(&self, frame: &WalkFrame) -> bool {
        self.frames[frame.0 as usize].len() > MANY_EDGES
    }

    /// What a walk takes is bounded by its configurations.
    fn weight(&self, _: &WalkFrame) -> usize {
        0
    }

    fn visit_edges(&self, frame: &WalkFrame, visit: impl FnMut(Edge<WalkFrame>)) {
        self.frames[frame.0 as usize].iter().cloned().for_each(visit);
    }

    fn open(&mut self, drafts: &[FrameDraft<WalkFrame>], _: &[RuleId], mut opened: impl FnMut(WalkFrame)) {
        if drafts.is_empty() {
            return;
        }
        let intern = |edge: &DraftEdge<WalkFrame>| match *edge {
            DraftEdge::Known(Edge::Accept) => InternedEdge::Accept,
            DraftEdge::Known(Edge::Return { continuation, caller }) => {
                InternedEdge::Older { continuation, caller }
            }
            DraftEdge::Sibling { continuation, index } => InternedEdge::Sibling { continuation, index },
        };
        let group: Group = drafts.iter().map(|draft| draft.iter().map(intern).collect()).collect();
        let fresh = self.frames.len();
        let first = self.groups.entry(group).or_insert_with_key(|group| {
            self.frames.extend(group.iter().map(|edges| {
                self.edges += edges.len();
                let edges = edges.iter().map(|edge| match *edge {
                    InternedEdge::Accept => Edge::Accept,
                    InternedEdge::Older { continuation, caller } => Edge::Return { continuation, caller },
                    InternedEdge::Sibling { continuation, index } => {
                        Edge::Return { continuation, caller: WalkFrame((fresh + index) as u32) }
                    }
                });
                edges.collect::<SmallVec<[_; 2]>>()
            }));
            WalkFrame(fresh as u32)
        });
        (0..drafts.len() as u32).for_each(|index| opened(WalkFrame(first.0 + index)));
    }
}

/// The number of a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ConfigurationId(u32);

impl ConfigurationId {
    /// The number as an index.
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

type Pairs = SmallVec<[(WalkFrame, StateId); 2]>;

/// What is alive at a node of the trie, as seen from the frame of the walk.
#[derive(Debug)]
pub(super) struct Configuration {
    /// What goes on; one pair for each frame, and no captured text in the frame of the walk.
    pairs: Pairs,
    /// Whether the frame of the walk is complete.
    pub(super) complete: bool,
    /// The state that captures a text in the frame of the walk, where there is one.
    pub(super) capture: Option<StateId>,
    first: Option<ByteSet>,
    /// The kinds of the characters that can begin, where these are all that can be read, and it has been asked.
    first_kinds: Option<Option<Signature>>,
    /// The kinds of characters of ASCII that are known to leave all of this as it is, and those known not to.
    loops: Signature,
    changes: Signature,
    /// Those of `loops` that the states alive tell by themselves, where that has been asked.
    plain_loops: Option<Signature>,
    digits: DigitsRead,
    /// The kinds of characters of which all texts are known to stay in the frame of the only state alive, and never complete it.
    stays: Signature,
    /// At how many nodes it was met where that would have been worth knowing, as far as they were counted.
    met: u16,
    /// The class of characters that leave all of this as it is, where that has been asked.
    class_loop: Option<Option<Box<ClassLoop>>>,
    /// The fixed strings by which what is alive is chosen among, where that has been asked.
    choice: Option<Option<Arc<Choice>>>,
    steps: KnownSteps,
}

impl Configuration {
    /// Whether anything goes on.
    pub(super) fn is_alive(&self) -> bool {
        !self.pairs.is_empty()
    }

    /// The only state alive, where there is just one.
    pub(super) fn single(&self) -> Option<StateId> {
        match *self.pairs {
            [(_, state)] => Some(state),
            _ => None,
        }
    }

    /// The class of characters that leave the configuration as it is, where that is known.
    pub(super) fn known_class_loop(&self) -> Option<ClassLoop> {
        self.class_loop.as_ref()?.as_deref().copied()
    }

    /// Whether all that is alive is in the frame of the walk.
    pub(super) fn is_in_base(&self) -> bool {
        matches!(*self.pairs, [] | [(WalkFrame::BASE, _)])
    }

    /// The step on a byte, where it is that on another byte over which each state alive makes the same move. A text that is
    /// captured is told by each of its bytes.
    fn step_of_alike(&self, byte: u8, automaton: &Automaton) -> Option<Option<ConfigurationId>> {
        if self.capture.is_some() {
            return None;
        }
        let mut alike = *self.steps.bytes();
        for &(_, state) in &self.pairs {
            alike = automaton.known_alike(state, byte, &alike)?;
        }
        alike.first().and_then(|other| self.steps.get(other))
    }
}

/// The configurations met so far, and what is needed to step between them.
#[derive(Debug)]
pub(super) struct Configurations {
    /// The greatest size, in bytes: a walk that needs more is given up.
    limit: usize,
    graph: InternedGraph,
    advance: Advance<InternedGraph>,
    entries: Vec<Configuration>,
    ids: FxHashMap<(bool, Pairs), ConfigurationId>,
    /// The configuration after bytes that lead to just a state, for the last state asked for: often the next one, too.
    last_after: Option<(StateId, ConfigurationId)>,
    input: Vec<Pair<WalkFrame>>,
    output: Vec<Pair<WalkFrame>>,
    rows: usize,
    /// The number of pairs of all configurations.
    pairs: usize,
    /// What was read of trees of up to so many digits; `None` where that is not told so.
    digit_trees: FxHashMap<(ConfigurationId, u8), Option<Arc<DigitTree>>>,
    digit_tree_bytes: usize,
    choice_bytes: usize,
}

impl Configurations {
    /// None yet, of up to so many bytes.
    pub(super) fn new(limit: usize) -> Self {
        /// So many are met by the walks of most texts.
        const COMMON: usize = 224;
        /// So many by those of nearly all. Room for them takes no time as long as nothing is written there, and to move them does.
        const MANY: usize = 512;
        Self {
            limit,
            graph: InternedGraph::new(),
            advance: Advance::new(),
            entries: Vec::with_capacity(MANY),
            ids: FxHashMap::with_capacity_and_hasher(COMMON, FxBuildHasher),
            last_after: None,
            input: Vec::new(),
            output: Vec::new(),
            rows: 0,
            pairs: 0,
            digit_trees: FxHashMap::default(),
            digit_tree_bytes: 0,
            choice_bytes: 0,
        }
    }

    /// The memory in use, about, in bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        /// What a frame takes with its place in the tables.
        const FRAME: usize = 160;
        /// What an edge takes, in the frame and in the key of its group.
        const EDGE: usize = size_of::<Edge<WalkFrame>>() + size_of::<InternedEdge>();
        /// What a configuration takes with its place in the tables.
        const CONFIGURATION: usize = size_of::<Configuration>() + 64;
        /// What a pair takes, in the configuration and in its key.
        const PAIR: usize = 2 * size_of::<(WalkFrame, StateId)>();
        self.entries.len() * CONFIGURATION
            + self.pairs * PAIR
            + self.graph.frames.len() * FRAME
            + self.graph.edges * EDGE
            + self.rows * KnownSteps::ROW_BYTES
            + self.digit_tree_bytes
            + self.choice_bytes
    }

    /// The number of configurations met so far.
    pub(super) fn count(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn get(&self, id: ConfigurationId) -> &Configuration {
        &self.entries[id.index()]
    }

    /// The configuration in which a walk from a state begins.
    pub(super) fn start(&mut self, state: StateId, ground: &Ground<'_>) -> Result<ConfigurationId> {
        self.intern(false, smallvec::smallvec![(WalkFrame::BASE, state)], ground)
    }

    /// The configuration after bytes that lead to just a state.
    pub(super) fn after(&mut self, state: StateId, ground: &Ground<'_>) -> Result<ConfigurationId> {
        let mut pairs = Pairs::new();
        if let Some((_, known)) = self.last_after.filter(|&(of, _)| of == state) {
            return Ok(known);
        }
        if state.continues() {
            pairs.push((WalkFrame::BASE, state));
        }
        let id = self.intern(state.is_nullable(), pairs, ground)?;
        self.last_after = Some((state, id));
        Ok(id)
    }

    /// The same configuration, with the frame of the walk not complete. No text may be captured in it.
    pub(super) fn not_complete(
        &mut self,
        id: ConfigurationId,
        ground: &Ground<'_>,
    ) -> Result<ConfigurationId> {
        match self.get(id) {
            Configuration { complete: false, .. } => Ok(id),
            Configuration { pairs, .. } => self.intern(false, pairs.clone(), ground),
        }
    }

    /// The configuration in which, where one state alone is alive, another one is in the same frame, that of the walk not
    /// complete. The other must go on, and capture nothing.
    pub(super) fn with_other(
        &mut self,
        id: ConfigurationId,
        other: StateId,
        ground: &Ground<'_>,
    ) -> Result<ConfigurationId> {
        let pairs = self.get(id).pairs.iter().map(|&(frame, _)| (frame, other)).collect();
        self.intern(false, pairs, ground)
    }

    /// The configuration with a state added to what is alive in the frame of the walk.
    pub(super) fn with_start(
        &mut self,
        id: ConfigurationId,
        state: StateId,
        ground: &Ground<'_>,
    ) -> Result<ConfigurationId> {
        let Configuration { pairs, complete, .. } = self.get(id);
        let (mut pairs, complete) = (pairs.clone(), *complete);
        match pairs.iter_mut().find(|(frame, _)| *frame == WalkFrame::BASE) {
            Some((_, at)) => *at = ground.automaton.union(*at, state)?,
            None => pairs.insert(0, (WalkFrame::BASE, state)),
        }
        self.intern(complete, pairs, ground)
    }

    /// The bytes that can be read; possibly more, never fewer.
    pub(super) fn first_bytes(&mut self, id: ConfigurationId, ground: &Ground<'_>) -> Result<ByteSet> {
        let entry = &mut self.entries[id.index()];
        if let Some(first) = entry.first {
            return Ok(first);
        }
        let mut first = ByteSet::EMPTY;
        for &(_, state) in &entry.pairs {
            first = first.union(ground.automaton.first_bytes(state, ground.deadline)?);
        }
        entry.first = Some(first);
        Ok(first)
    }

    /// Whether nothing can be read of characters of some kinds, for certain.
    pub(super) fn begins_none_of(
        &mut self,
        id: ConfigurationId,
        kinds: Signature,
        ground: &Ground<'_>,
    ) -> Result<bool> {
        let begun = match self.get(id).first_kinds {
            Some(known) => known,
            None => {
                let first = self.first_bytes(id, ground)?;
                let kinds = Signature::of_all(&first);
                self.entries[id.index()].first_kinds = Some(kinds);
                kinds
            }
        };
        Ok(begun.is_some_and(|begun| begun.is_apart_from(kinds)))
    }

    /// What is alive after a byte, as [`step`](Self::step) says; `None` where that is not known.
    #[inline]
    pub(super) fn known_step(&self, id: ConfigurationId, byte: u8) -> Option<Option<ConfigurationId>> {
        self.get(id).steps.get(byte)
    }

    /// What is alive after a byte; `None` where nothing is, and the frame of the walk is not complete either.
    #[inline]
    pub(super) fn step(
        &mut self,
        id: ConfigurationId,
        byte: u8,
        ground: &Ground<'_>,
    ) -> Result<Option<ConfigurationId>> {
        match self.known_step(id, byte) {
            Some(known) => Ok(known),
            None => self.learn_step(id, byte, ground),
        }
    }

    #[cold]
    fn learn_step(
        &mut self,
        id: ConfigurationId,
        byte: u8,
        ground: &Ground<'_>,
    ) -> Result<Option<ConfigurationId>> {
        let next = match self.get(id).step_of_alike(byte, ground.automaton) {
            Some(known) => known,
            None => self.compute(id, byte, ground)?,
        };
        if self.entries[id.index()].steps.learn(byte, next) {
            self.rows += 1;
            self.check_size()?;
        }
        Ok(next)
    }

    /// What is alive after some bytes, each as [`step`](Self::step) says.
    pub(super) fn read(
        &mut self,
        id: ConfigurationId,
        bytes: &[u8],
        ground: &Ground<'_>,
    ) -> Result<Option<ConfigurationId>> {
        let mut at = id;
        for &byte in bytes {
            match self.step(at, byte, ground)? {
                Some(next) => at = next,
                None => return Ok(None),
            }
        }
        Ok(Some(at))
    }

    /// The same; a byte that the configuration cannot begin with takes no computing.
    pub(super) fn try_step(
        &mut self,
        id: ConfigurationId,
        byte: u8,
        ground: &Ground<'_>,
    ) -> Result<Option<ConfigurationId>> {
        match self.first_bytes(id, ground)?.contains(byte) {
            true => self.step(id, byte, ground),
            false => Ok(None),
        }
    }

    /// Whether after a byte, whose step is not known, something goes on in one frame for certain, but with none of the
    /// bytes of some children. Says no where it is not worth finding out.
    pub(super) fn ends_inside_for_certain(
        &self,
        id: ConfigurationId,
        byte: u8,
        children: impl Iterator<Item = u8>,
        automaton: &Automaton,
    ) -> bool {
        /// Of fewer bytes each is soon read, and more of them seldom lead each to something else, as digits do.
        const DIGITS: RangeInclusive<usize> = 6..=24;
        let entry = self.get(id);
        let (None, Some(state)) = (entry.steps.get(byte), entry.single()) else { return false };
        if entry.first.is_none_or(|first| !DIGITS.contains(&first.len())) {
            return false;
        }
        let Some(certain) = automaton.certain_bytes(state) else { return false };
        let is_read = |child| certain.may_follow.contains(child);
        certain.bytes.contains(byte) && !children.into_iter().any(is_read)
    }

    fn compute(
        &mut self,
        id: ConfigurationId,
        byte: u8,
        ground: &Ground<'_>,
    ) -> Result<Option<ConfigurationId>> {
        let entry = &self.entries[id.index()];
        if let [(WalkFrame::BASE, state)] = *entry.pairs {
            match ground.automaton.step(state, byte, ground.deadline)? {
                Move::Dead => return Ok(None),
                Move::Stay(next) => return self.after(next, ground).map(Some),
                Move::Open(_) => {}
            }
        }
        self.input.clear();
        self.input.extend(entry.pairs.iter().map(|&(frame, state)| Pair { state, frame }));
        self.output.clear();
        let Self { advance, graph, input, output, .. } = self;
        let symbol = Symbol::Byte(byte);
        let complete = advance.step(ground.automaton, graph, input, symbol, ground.deadline, output)?;
        self.check_size()?;
        let output = &self.output;
        if !complete && output.is_empty() {
            return Ok(None);
        }
        let mut pairs: Pairs = output.iter().map(|pair| (pair.frame, pair.state)).collect();
        pairs.sort_unstable();
        // Frames that return to the same are one, though they are opened by different calls.
        pairs.dedup();
        self.intern(complete, pairs, ground).map(Some)
    }

    fn check_size(&self) -> Result<()> {
        if self.memory_bytes() <= self.limit {
            return Ok(());
        }
        let what = "by one walk over the vocabulary; the grammar may be very ambiguous";
        Err(Error::exceeded("cache_bytes", self.limit, what))
    }

    fn intern(&mut self, complete: bool, pairs: Pairs, ground: &Ground<'_>) -> Result<ConfigurationId> {
        let key = (complete, pairs);
        if let Some(&known) = self.ids.get(&key) {
            return Ok(known);
        }
        let mut pairs = key.1.clone();
        let mut capture = None;
        // The frame of the walk comes first.
        if let Some((WalkFrame::BASE, state)) = pairs.first_mut() {
            *state = ground.automaton.opened(*state, ground.deadline)?;
            if state.captures() {
                capture = Some(*state);
                match ground.automaton.parts(*state, ground.deadline)?.plain {
                    Some(plain) => *state = plain,
                    None => drop(pairs.remove(0)),
                }
            }
        }
        let id = ConfigurationId(self.entries.len() as u32);
        self.pairs += pairs.len();
        self.entries.push(Configuration {
            pairs,
            complete,
            capture,
            first: None,
            loops: Signature::EMPTY,
            changes: Signature::EMPTY,
            plain_loops: None,
            digits: DigitsRead::UNKNOWN,
            stays: Signature::EMPTY,
            met: 0,
            class_loop: None,
            choice: None,
            first_kinds: None,
            steps: KnownSteps::default(),
        });
        self.ids.insert(key, id);
        self.check_size()?;
        Ok(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Limit;

    #[test]
    fn what_frames_return_to_takes_memory_once() {
        let mut configurations = Configurations::new(1000 * size_of::<Edge<WalkFrame>>());
        let before = configurations.memory_bytes();
        let frame: FrameDraft<WalkFrame> = (0..1000).map(|_| DraftEdge::Known(Edge::Accept)).collect();
        configurations.graph.open(std::slice::from_ref(&frame), &[], |_| {});
        let after = configurations.memory_bytes();
        assert!(after - before >= 1000 * size_of::<Edge<WalkFrame>>());
        configurations.graph.open(&[frame], &[], |_| {});
        assert_eq!(configurations.memory_bytes(), after);
        assert!(matches!(
            configurations.check_size(),
            Err(Error::BudgetExceeded { budget: "cache_bytes", limit: Limit::Count(limit), .. }) if limit < after
        ));
    }
}
