//! The walk of the recogniser over the vocabulary's trie.
//!
//! The recogniser starts in one frame with unknown callers, and goes down the trie byte by byte; going
//! back up truncates what it had. Where the frame completes with strings still below, those leave it:
//! the nodes at which they do are the exits. They stay nodes of the one trie; a caller that resumes is
//! walked from them, and passes over whatever its first byte rules out.
//!
//! Two things keep it from the many nodes below which nothing changes. A state that loops on kinds of
//! characters begins with the vocabulary's slice of those kinds, and walks on only from where tokens leave
//! it; and a state that comes back to itself half-way takes whole subtrees by their signatures.

use std::sync::Arc;

use super::token_bits::TokenBits;
use crate::budget::Deadline;
use crate::error::Result;
use crate::expression::Symbol;
use crate::recognizer::{Advance, ArenaMark, Automaton, Frame, FrameArena, Move, MoveRow, Pair, StateId};
use crate::vocabulary::{Children, NodeId, Slice, TokenRange, TokenTrie, Vocabulary};

/// What one walk found.
#[derive(Debug)]
pub(super) struct Reach {
    /// The tokens that the state reads to their last byte.
    pub(super) inside: TokenBits,
    /// Where the frame completes before the last byte of a token, ascending.
    pub(super) exits: Box<[NodeId]>,
    /// Where the frame completes with the last byte of a token, and no other goes on there, ascending.
    pub(super) ends: Box<[NodeId]>,
    /// Where a text is being captured in the frame of the walk: the states, each with its nodes, ascending.
    /// The walk does not follow them further.
    pub(super) captures: Vec<(StateId, Box<[NodeId]>)>,
}

/// The scratch of walks, kept between them.
#[derive(Debug)]
pub(super) struct Walker {
    advance: Advance<FrameArena>,
    arena: FrameArena,
    /// What is alive at each node of the path, one after another.
    pairs: Vec<Pair<Frame>>,
    input: Vec<Pair<Frame>>,
    inside: Vec<TokenRange>,
    exits: Vec<NodeId>,
    ends: Vec<NodeId>,
    captures: Vec<(StateId, NodeId)>,
    starts: Vec<NodeId>,
    passed_over: Vec<NodeId>,
    visited: u64,
}

/// What walks walk on.
#[derive(Clone, Copy)]
pub(super) struct Ground<'a> {
    pub(super) automaton: &'a Automaton,
    pub(super) vocabulary: &'a Vocabulary,
    /// Whether whole subtrees are taken by their signatures.
    pub(super) use_signatures: bool,
    pub(super) deadline: &'a Deadline,
}

/// One walk.
struct Walk<'a> {
    ground: Ground<'a>,
    trie: &'a TokenTrie,
    automaton: &'a Automaton,
    /// The state that the walk starts with, at every start.
    state: StateId,
    /// How many of the starts have been come to.
    started: usize,
    path: Vec<Level<'a>>,
    scratch: &'a mut Walker,
}

/// A node on the path.
#[derive(Clone, Copy, Debug)]
struct Level<'a> {
    /// The children that are still to be visited.
    children: Children,
    /// What is alive at the node is `pairs[start..end]`.
    start: usize,
    end: usize,
    arena: ArenaMark,
    /// Whether just one state is alive.
    is_single: bool,
    /// Its moves.
    row: Option<&'a MoveRow>,
}

/// What became of the path at a node.
#[derive(Clone, Copy)]
struct Arrival {
    /// The frame is complete here.
    complete: bool,
    /// Something can read on.
    alive: bool,
    /// A text is being captured.
    captures: bool,
}

impl Arrival {
    const DEAD: Self = Self { complete: false, alive: false, captures: false };

    fn is_dead(self) -> bool {
        !(self.complete || self.alive || self.captures)
    }
}

impl Walker {
    pub(super) fn new() -> Self {
        Self {
            advance: Advance::new(),
            arena: FrameArena::new(),
            pairs: Vec::new(),
            input: Vec::new(),
            inside: Vec::new(),
            exits: Vec::new(),
            ends: Vec::new(),
            captures: Vec::new(),
            starts: Vec::new(),
            passed_over: Vec::new(),
            visited: 0,
        }
    }

    /// The number of nodes visited by all walks so far.
    pub(super) fn visited(&self) -> u64 {
        self.visited
    }

    /// Walks the strings below each of some nodes (ascending) from a state.
    ///
    /// Every node is visited at most once: where the walk from one start comes to another, what both
    /// have alive is joined. Takes time in proportion to the nodes that are alive and the bytes of their
    /// children, but for what slices and signatures take as a whole.
    pub(super) fn walk(&mut self, ground: &Ground<'_>, starts: &[NodeId], state: StateId) -> Result<Reach> {
        self.inside.clear();
        self.exits.clear();
        self.ends.clear();
        self.captures.clear();
        let mut slice = None;
        if state.continues() {
            let (trie, automaton) = (ground.vocabulary.trie(), ground.automaton);
            self.starts.clear();
            self.starts.extend_from_slice(starts);
            let path = Vec::new();
            let mut walk = Walk { ground: *ground, trie, automaton, state, started: 0, path, scratch: self };
            slice = if starts == [NodeId::ROOT] { walk.slice()? } else { None };
            match &slice {
                Some(slice) => walk.run_from_slice(slice)?,
                None => walk.run()?,
            }
        }
        Ok(self.reach(ground.vocabulary, slice.as_deref()))
    }

    fn reach(&mut self, vocabulary: &Vocabulary, slice: Option<&Slice>) -> Reach {
        self.captures.sort_unstable();
        let captures = self.captures.chunk_by(|a, b| a.0 == b.0);
        let captures =
            captures.map(|chunk| (chunk[0].0, chunk.iter().map(|&(_, node)| node).collect())).collect();
        self.exits.sort_unstable();
        self.ends.sort_unstable();
        let (exits, ends) = (self.exits.as_slice().into(), self.ends.as_slice().into());
        let base = slice.map(|slice| &slice.inside);
        let inside =
            TokenBits::from_ranges(vocabulary.trie(), base, &self.inside, vocabulary.mask_words());
        Reach { inside, exits, ends, captures }
    }

    /// Adds tokens to those inside.
    fn take(&mut self, range: TokenRange) {
        if range.len() > 0 && !self.inside.last_mut().is_some_and(|last| last.append(range)) {
            self.inside.push(range);
        }
    }
}

impl<'a> Walk<'a> {
    /// The slice of the kinds that the state loops on, if it does.
    fn slice(&self) -> Result<Option<Arc<Slice>>> {
        /// A state that loops on none of these is not worth the question.
        const COMMON: [u8; 3] = [b'e', b'0', b' '];
        if !self.ground.use_signatures || self.state.is_nullable() {
            return Ok(None);
        }
        let stays = |byte: u8| -> Result<bool> {
            let step = self.automaton.step(self.state, byte, self.ground.deadline)?;
            Ok(matches!(step, Move::Stay(next) if next == self.state))
        };
        if !(stays(COMMON[0])? || stays(COMMON[1])? || stays(COMMON[2])?) {
            return Ok(None);
        }
        let loops = self.automaton.loops(self.state, self.ground.deadline)?;
        Ok(if loops.is_empty() { None } else { self.ground.vocabulary.slice(loops) })
    }

    /// Walks on from where tokens leave a slice that the state loops on.
    fn run_from_slice(&mut self, slice: &Slice) -> Result<()> {
        self.scratch.starts.clear();
        for (byte, nodes) in &slice.exits {
            self.reset();
            let state = Pair { state: self.state, frame: Frame::BASE };
            self.scratch.pairs.push(state);
            self.descend(self.trie.children(NodeId::ROOT), 0);
            let arrival = self.arrive(*byte)?;
            if arrival.is_dead() {
                continue;
            }
            let (end, mark) = (self.scratch.pairs.len(), self.scratch.arena.mark());
            // Captures that have been noted are taken out of what is alive, so they go in again for each.
            let alive: Vec<Pair<Frame>> = if arrival.captures { self.arrived().to_vec() } else { Vec::new() };
            for &node in &**nodes {
                self.scratch.pairs.truncate(end);
                self.scratch.arena.truncate(mark);
                if arrival.captures {
                    self.scratch.pairs.truncate(1);
                    self.scratch.pairs.extend_from_slice(&alive);
                }
                self.visit(node, arrival)?;
                self.finish_path(1)?;
            }
        }
        Ok(())
    }

    fn run(&mut self) -> Result<()> {
        while self.started < self.scratch.starts.len() {
            let start = self.scratch.starts[self.started];
            self.started += 1;
            self.reset();
            self.scratch.pairs.push(Pair { state: self.state, frame: Frame::BASE });
            self.descend(self.trie.children(start), 0);
            self.finish_path(0)?;
            self.pass_over(self.trie.end(start));
            if self.started == self.scratch.starts.len() && !self.scratch.passed_over.is_empty() {
                self.scratch.starts.clear();
                let Walker { starts, passed_over, .. } = &mut *self.scratch;
                std::mem::swap(starts, passed_over);
                self.started = 0;
            }
        }
        Ok(())
    }

    fn reset(&mut self) {
        self.path.clear();
        self.scratch.pairs.clear();
        self.scratch.arena.clear();
    }

    /// Leaves the starts before a node for later: the walk did not come to them.
    fn pass_over(&mut self, node: NodeId) {
        let Walker { starts, passed_over, .. } = &mut *self.scratch;
        while let Some(&start) = starts.get(self.started).filter(|&&start| start < node) {
            passed_over.push(start);
            self.started += 1;
        }
    }

    /// Visits everything below the nodes of the path from a depth on, and takes them off it.
    fn finish_path(&mut self, depth: usize) -> Result<()> {
        while self.path.len() > depth {
            let Some(level) = self.path.last_mut() else { break };
            let Some((byte, node)) = self.trie.next_child(&mut level.children) else {
                self.path.pop();
                continue;
            };
            let is_known_dead = level.row.is_some_and(|row| row.is_dead(byte));
            if is_known_dead {
                continue;
            }
            let (end, arena) = (level.end, level.arena);
            self.scratch.pairs.truncate(end);
            self.scratch.arena.truncate(arena);
            let arrival = self.arrive(byte)?;
            if !arrival.is_dead() {
                self.visit(node, arrival)?;
            }
        }
        Ok(())
    }

    /// Notes what has become of the path at a node, and puts it on the path where something goes on below.
    fn visit(&mut self, node: NodeId, mut arrival: Arrival) -> Result<()> {
        self.scratch.visited += 1;
        if self.scratch.visited & 1023 == 0 {
            self.ground.deadline.check()?;
        }
        if arrival.captures {
            self.leave_captures(node)?;
            arrival.alive = !self.arrived().is_empty();
        }
        self.scratch.take(self.trie.range_at(node));
        let has_children = self.trie.has_children(node);
        if arrival.complete {
            let nodes = if has_children { &mut self.scratch.exits } else { &mut self.scratch.ends };
            nodes.push(node);
        }
        if !has_children {
            return Ok(());
        }
        let starts_again = self.starts_at(node);
        if arrival.alive && !starts_again && self.takes_subtree(node)? {
            self.scratch.take(self.trie.range_below(node));
            return Ok(());
        }
        if starts_again {
            self.start_again()?;
        }
        if arrival.alive || starts_again {
            let start = self.path.last().map_or(0, |parent| parent.end);
            self.descend(self.trie.children(node), start);
        }
        Ok(())
    }

    /// Whether the walk starts again at a node. The starts before it have been passed over.
    fn starts_at(&mut self, node: NodeId) -> bool {
        if self.started == self.scratch.starts.len() {
            return false;
        }
        self.pass_over(node);
        let is_start = self.scratch.starts.get(self.started) == Some(&node);
        self.started += usize::from(is_start);
        is_start
    }

    /// Reads a byte after what is alive at the last node of the path.
    fn arrive(&mut self, byte: u8) -> Result<Arrival> {
        let Walker { advance, arena, pairs, input, .. } = &mut *self.scratch;
        let Some(parent) = self.path.last() else { return Ok(Arrival::DEAD) };
        if parent.is_single {
            let Pair { state, frame } = pairs[parent.start];
            match self.automaton.step_in_row(parent.row, state, byte, self.ground.deadline)? {
                Move::Dead => return Ok(Arrival::DEAD),
                Move::Stay(next) if frame == Frame::BASE || !next.is_nullable() => {
                    if next.continues() {
                        pairs.push(Pair { state: next, frame });
                    }
                    let captures = frame == Frame::BASE && next.captures();
                    return Ok(Arrival { complete: next.is_nullable(), alive: next.continues(), captures });
                }
                _ => {}
            }
        }
        input.clear();
        input.extend_from_slice(&pairs[parent.start..parent.end]);
        let symbol = Symbol::Byte(byte);
        let complete = advance.step(self.automaton, arena, input, symbol, self.ground.deadline, pairs)?;
        let arrived = &pairs[parent.end..];
        let captures = arrived.iter().any(|pair| pair.frame == Frame::BASE && pair.state.captures());
        Ok(Arrival { complete, alive: !arrived.is_empty(), captures })
    }

    /// What is alive at the node arrived at.
    fn arrived(&self) -> &[Pair<Frame>] {
        &self.scratch.pairs[self.path.last().map_or(0, |parent| parent.end)..]
    }

    /// Notes the text that the frame of the walk captures at a node, and goes on with what it does else. In
    /// frames above it captures are followed as they are: such a frame begins within the token.
    fn leave_captures(&mut self, node: NodeId) -> Result<()> {
        let mut at = self.path.last().map_or(0, |parent| parent.end);
        while at < self.scratch.pairs.len() {
            let Pair { state, frame } = self.scratch.pairs[at];
            if frame != Frame::BASE || !state.captures() {
                at += 1;
                continue;
            }
            if self.trie.has_children(node) {
                self.scratch.captures.push((state, node));
            }
            match self.automaton.parts(state)?.plain {
                Some(plain) => {
                    self.scratch.pairs[at].state = plain;
                    at += 1;
                }
                None => {
                    self.scratch.pairs.remove(at);
                }
            }
        }
        Ok(())
    }

    /// Whether everything below the node arrived at stays in the state alive there, so that all its tokens
    /// are inside and none is an exit. No walk may start again below, since it is not looked at.
    fn takes_subtree(&self, node: NodeId) -> Result<bool> {
        /// The most bytes of a character in UTF-8.
        const CHARACTER: usize = 4;
        let [now] = self.arrived() else { return Ok(false) };
        let next_start = self.scratch.starts.get(self.started);
        if !self.ground.use_signatures || next_start.is_some_and(|&start| start < self.trie.end(node)) {
            return Ok(false);
        }
        // A state that counts never comes back to itself, but may have enough left for all that is below.
        if let Some((loops, left)) = self.automaton.counted_loops(now.state, self.ground.deadline)? {
            let depth = self.trie.depth_below(node);
            return Ok(depth < u8::MAX
                && u32::from(depth) <= left
                && self.trie.signature(node).is_within(loops));
        }
        // Only a state that has just come back to itself, over one character, is worth the question.
        let was_there = |level: &Level<'_>| level.is_single && self.scratch.pairs[level.start] == *now;
        if !self.path.iter().rev().take(CHARACTER).any(was_there) {
            return Ok(false);
        }
        let loops = self.automaton.loops(now.state, self.ground.deadline)?;
        Ok(self.trie.signature(node).is_within(loops))
    }

    /// Adds the state of the walk, in its frame, to what is alive at the node arrived at.
    fn start_again(&mut self) -> Result<()> {
        let from = self.path.last().map_or(0, |parent| parent.end);
        let pairs = &mut self.scratch.pairs;
        match pairs[from..].iter_mut().find(|pair| pair.frame == Frame::BASE) {
            Some(pair) => pair.state = self.automaton.union(pair.state, self.state)?,
            None => pairs.push(Pair { state: self.state, frame: Frame::BASE }),
        }
        Ok(())
    }

    /// Puts a node on the path. What is alive there are the last pairs, from `start` on.
    fn descend(&mut self, children: Children, start: usize) {
        let end = self.scratch.pairs.len();
        let is_single = end - start == 1;
        let row = if is_single { self.automaton.row(self.scratch.pairs[start].state) } else { None };
        self.path.push(Level { children, start, end, arena: self.scratch.arena.mark(), is_single, row });
    }
}
