//! One step of a configuration: all its pairs move on the same symbol.

use rustc_hash::{FxHashMap, FxHashSet};

use super::automaton::Automaton;
use super::stack_graph::{DraftEdge, Edge, FrameDraft, StackGraph};
use super::state::{Move, OpenedEdge, Opening, StateId};
use crate::budget::Deadline;
use crate::error::{Error, Result};
use crate::expression::{RuleId, Symbol};

/// Something alive: a state in a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pair<F> {
    pub(crate) state: StateId,
    pub(crate) frame: F,
}

/// The scratch of a step, kept between steps so that stepping does not allocate.
///
/// The configuration of a position is closed under completion: where a frame is complete, its callers
/// have been resumed, and theirs. There is one pair for each frame, so at most one for each rule and
/// earlier position, and each frame completes once for each position: that bounds the work.
#[derive(Debug)]
pub(crate) struct Advance<G: StackGraph> {
    /// The frames that existed before, with what is alive in them now.
    alive: Vec<Pair<G::Frame>>,
    /// Where a frame stands in `alive`; used from [`Self::LINEAR`] frames on.
    index: FxHashMap<(usize, u32), usize>,
    /// Frames of `alive` that are complete and whose callers are to be resumed.
    completed: Vec<usize>,
    /// For each member of `alive`, whether it was in `completed` already.
    was_completed: Vec<bool>,
    /// The frames opened by this step, with what is alive in them.
    drafts: Vec<FrameDraft<G::Frame>>,
    draft_states: Vec<Option<StateId>>,
    draft_rules: Vec<RuleId>,
    draft_of_rule: FxHashMap<RuleId, usize>,
    /// The edges of the drafts, where several pairs may add the same one.
    known_edges: FxHashSet<EdgeKey>,
    resumed: Vec<(StateId, G::Frame)>,
}

impl<G: StackGraph> Advance<G> {
    /// Up to this many frames are searched one by one.
    const LINEAR: usize = 12;
    /// Asking the clock takes as long as many a move that is known.
    const PAIRS_PER_CHECK: usize = 64;

    pub(crate) fn new() -> Self {
        Self {
            alive: Vec::new(),
            index: FxHashMap::default(),
            completed: Vec::new(),
            was_completed: Vec::new(),
            drafts: Vec::new(),
            draft_states: Vec::new(),
            draft_rules: Vec::new(),
            draft_of_rule: FxHashMap::default(),
            known_edges: FxHashSet::default(),
            resumed: Vec::new(),
        }
    }

    /// Moves all pairs on a symbol and appends what is alive afterwards to `out`. Returns whether the
    /// bottom of the stack is complete.
    pub(crate) fn step(
        &mut self,
        automaton: &Automaton,
        graph: &mut G,
        pairs: &[Pair<G::Frame>],
        symbol: Symbol,
        deadline: &Deadline,
        out: &mut Vec<Pair<G::Frame>>,
    ) -> Result<bool> {
        let read = |state| match symbol {
            Symbol::Byte(byte) => automaton.step(state, byte, deadline),
            Symbol::Token(token) => automaton.step_token(state, token, deadline),
        };
        let mut only = None;
        if let [pair] = pairs {
            match read(pair.state)? {
                Move::Dead => return Ok(false),
                Move::Stay(state) if !state.is_nullable() => {
                    out.push(Pair { state, frame: pair.frame.clone() });
                    return Ok(false);
                }
                step => only = Some(step),
            }
        }
        self.clear();
        for (at, pair) in pairs.iter().enumerate() {
            if at % Self::PAIRS_PER_CHECK == Self::PAIRS_PER_CHECK - 1 {
                deadline.check()?;
            }
            let step = match only {
                Some(step) => step,
                None => read(pair.state)?,
            };
            match step {
                Move::Dead => {}
                Move::Stay(state) => self.add(automaton, pair.frame.clone(), state)?,
                Move::Open(opening) => {
                    if let Some(state) = opening.stay {
                        self.add(automaton, pair.frame.clone(), state)?;
                    }
                    self.open(automaton, graph, opening, &pair.frame, pairs.len() > 1)?;
                }
            }
        }
        let complete = self.resume_callers(automaton, graph, deadline)?;
        self.check_size(automaton)?;
        out.extend(self.alive.drain(..).filter(|pair| pair.state.continues()));
        if !self.drafts.is_empty() {
            self.open_drafts(automaton, graph, out)?;
        }
        Ok(complete)
    }

    /// Opens the drafted frames, and appends what is alive in them.
    fn open_drafts(
        &mut self,
        automaton: &Automaton,
        graph: &mut G,
        out: &mut Vec<Pair<G::Frame>>,
    ) -> Result<()> {
        let opened = out.len();
        let mut states = self.draft_states.iter();
        graph.open(&self.drafts, &self.draft_rules, |frame| {
            if let Some(&Some(state)) = states.next() {
                out.push(Pair { state, frame });
            }
        });
        match out.get(opened) {
            Some(pair) => Self::check_weight(automaton, graph.weight(&pair.frame)),
            None => Ok(()),
        }
    }

    fn clear(&mut self) {
        self.alive.clear();
        self.index.clear();
        self.completed.clear();
        self.was_completed.clear();
        self.drafts.clear();
        self.draft_states.clear();
        self.draft_rules.clear();
        self.draft_of_rule.clear();
        self.known_edges.clear();
    }

    /// Adds a state to what is alive in a frame.
    fn add(&mut self, automaton: &Automaton, frame: G::Frame, state: StateId) -> Result<()> {
        let at = match self.find(&frame) {
            Some(at) => {
                // A complete frame is on its list already, and has nothing else to add to what goes on.
                let known = &mut self.alive[at].state;
                if !known.continues() {
                    *known = state;
                } else if state.continues() {
                    *known = automaton.union(*known, state)?;
                }
                at
            }
            None => {
                let at = self.alive.len();
                if at >= Self::LINEAR {
                    if at == Self::LINEAR {
                        let known = self.alive.iter().enumerate();
                        self.index.extend(known.map(|(at, pair)| (G::key(&pair.frame), at)));
                    }
                    self.index.insert(G::key(&frame), at);
                }
                self.alive.push(Pair { state, frame });
                self.was_completed.push(false);
                at
            }
        };
        if state.is_nullable() && !self.was_completed[at] {
            self.was_completed[at] = true;
            self.completed.push(at);
        }
        Ok(())
    }

    fn find(&self, frame: &G::Frame) -> Option<usize> {
        if self.alive.len() <= Self::LINEAR {
            return self.alive.iter().position(|pair| pair.frame == *frame);
        }
        self.index.get(&G::key(frame)).copied()
    }

    /// Drafts the frames of an opening, merging those of a rule that another pair opened already.
    fn open(
        &mut self,
        automaton: &Automaton,
        graph: &G,
        opening: &Opening,
        base: &G::Frame,
        merge: bool,
    ) -> Result<()> {
        let mut positions: smallvec::SmallVec<[usize; 8]> = smallvec::SmallVec::new();
        for frame in &opening.frames {
            let fresh = self.drafts.len();
            let at = if merge { *self.draft_of_rule.entry(frame.rule).or_insert(fresh) } else { fresh };
            if at == fresh {
                self.drafts.push(FrameDraft::new());
                self.draft_states.push(frame.state);
                self.draft_rules.push(frame.rule);
            }
            positions.push(at);
        }
        let complete = if graph.is_returned_to(base) { Some(automaton.complete()?) } else { None };
        let Self { drafts, known_edges, .. } = self;
        for (frame, &at) in opening.frames.iter().zip(&positions) {
            let mut add = |key: Option<(StateId, (usize, u32))>, edge| {
                if !merge || known_edges.insert((at, key)) {
                    drafts[at].push(edge);
                }
            };
            for edge in &frame.edges {
                match (*edge, complete) {
                    (OpenedEdge::Inherit, None) => {
                        graph.visit_edges(base, |edge| add(edge_key::<G>(&edge), DraftEdge::Known(edge)));
                    }
                    (OpenedEdge::Inherit, Some(continuation)) | (OpenedEdge::Base(continuation), _) => {
                        let edge = Edge::Return { continuation, caller: base.clone() };
                        add(edge_key::<G>(&edge), DraftEdge::Known(edge));
                    }
                    (OpenedEdge::Opened(continuation, index), _) => {
                        let index = positions[index];
                        // No frame has the address 0, so the key is that of no known edge.
                        add(
                            Some((continuation, (0, index as u32))),
                            DraftEdge::Sibling { continuation, index },
                        );
                    }
                }
            }
        }
        Ok(())
    }

    /// Resumes the callers of all completed frames. Returns whether the bottom was reached.
    fn resume_callers(&mut self, automaton: &Automaton, graph: &G, deadline: &Deadline) -> Result<bool> {
        let mut complete = false;
        while let Some(at) = self.completed.pop() {
            deadline.check()?;
            let mut resumed = std::mem::take(&mut self.resumed);
            graph.visit_edges(&self.alive[at].frame, |edge| match edge {
                Edge::Accept => complete = true,
                Edge::Return { continuation, caller } => resumed.push((continuation, caller)),
            });
            for (continuation, caller) in resumed.drain(..) {
                self.add(automaton, caller, continuation)?;
            }
            self.resumed = resumed;
        }
        Ok(complete)
    }

    /// Checks what is held by what stands on the stack: where each position adds as many edges as there are frames alive, a
    /// long text would have the square of its length, though no step takes much.
    fn check_weight(automaton: &Automaton, weight: usize) -> Result<()> {
        /// A text may hold so many times as many edges as there may be frames at once.
        const POSITIONS: usize = 100;
        let limit = automaton.item_limit();
        if weight > limit.saturating_mul(POSITIONS) {
            let what = "by the ways back to all frames of the text so far; the grammar may be very ambiguous";
            return Err(Error::exceeded("items", limit, what));
        }
        Ok(())
    }

    fn check_size(&self, automaton: &Automaton) -> Result<()> {
        let limit = automaton.item_limit();
        if self.alive.len() + self.drafts.len() > limit {
            let what = "by the frames alive at once; the grammar may be very ambiguous";
            return Err(Error::exceeded("items", limit, what));
        }
        Ok(())
    }
}

/// The draft that an edge belongs to, and what tells it from others there; `None` is the bottom.
type EdgeKey = (usize, Option<(StateId, (usize, u32))>);

fn edge_key<G: StackGraph>(edge: &Edge<G::Frame>) -> Option<(StateId, (usize, u32))> {
    match edge {
        Edge::Accept => None,
        Edge::Return { continuation, caller } => Some((*continuation, G::key(caller))),
    }
}
