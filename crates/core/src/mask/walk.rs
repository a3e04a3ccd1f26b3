//! The walk of the recogniser over the vocabulary's trie.
//!
//! The recogniser starts in one frame with unknown callers, and goes down the trie byte by byte; going
//! back up truncates what it had. Where the frame completes with strings still below, those leave it:
//! the nodes at which they do are the exits. They stay nodes of the one trie; a caller that resumes is
//! walked from them, and passes over whatever its first byte rules out.

use super::token_bits::{TokenBits, set_bit};
use crate::budget::Deadline;
use crate::error::Result;
use crate::expression::Symbol;
use crate::recognizer::{Advance, ArenaMark, Automaton, Frame, FrameArena, Move, MoveRow, Pair, StateId};
use crate::vocabulary::{NodeId, TokenTrie, Vocabulary};

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
    exits: Vec<NodeId>,
    ends: Vec<NodeId>,
    captures: Vec<(StateId, NodeId)>,
    row: Vec<u32>,
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
    /// The starts that are still to come, ascending.
    starts: &'a [NodeId],
    path: Vec<Level<'a>>,
    scratch: &'a mut Walker,
}

/// A node on the path, or a dead one that is passed over because the walk starts again below it.
#[derive(Clone, Copy, Debug)]
struct Level<'a> {
    /// One past the subtree of the node.
    subtree_end: NodeId,
    /// What is alive at the node is `pairs[start..end]`; nothing at a dead one.
    start: usize,
    end: usize,
    arena: ArenaMark,
    /// Whether just one state is alive.
    is_single: bool,
    /// Its moves.
    row: Option<&'a MoveRow>,
}

impl Level<'_> {
    fn is_dead(&self) -> bool {
        self.start == self.end
    }
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
}

impl Walker {
    pub(super) fn new() -> Self {
        Self {
            advance: Advance::new(),
            arena: FrameArena::new(),
            pairs: Vec::new(),
            input: Vec::new(),
            exits: Vec::new(),
            ends: Vec::new(),
            captures: Vec::new(),
            row: Vec::new(),
        }
    }

    /// Walks the strings below each of some nodes (ascending) from a state.
    ///
    /// Every node is visited at most once: where the walk from one start comes to another, what both
    /// have alive is joined. Takes time in proportion to the nodes that are alive and their children,
    /// but for subtrees that are taken as a whole.
    pub(super) fn walk(&mut self, ground: &Ground<'_>, starts: &[NodeId], state: StateId) -> Result<Reach> {
        let words = ground.vocabulary.mask_words();
        self.row.clear();
        self.row.resize(words, 0);
        self.exits.clear();
        self.ends.clear();
        self.captures.clear();
        self.arena.clear();
        self.pairs.clear();
        if state.continues() {
            let (trie, automaton) = (ground.vocabulary.trie(), ground.automaton);
            let path = Vec::new();
            Walk { ground: *ground, trie, automaton, state, starts, path, scratch: self }.run()?;
        }
        self.captures.sort_unstable();
        let captures = self.captures.chunk_by(|a, b| a.0 == b.0);
        let captures =
            captures.map(|chunk| (chunk[0].0, chunk.iter().map(|&(_, node)| node).collect())).collect();
        let (exits, ends) = (self.exits.as_slice().into(), self.ends.as_slice().into());
        Ok(Reach { inside: TokenBits::from_row(&self.row), exits, ends, captures })
    }
}

impl Walk<'_> {
    fn run(mut self) -> Result<()> {
        let trie = self.trie;
        let mut next = self.starts.first().copied();
        let mut visited = 0u32;
        while let Some(node) = next {
            visited += 1;
            if visited & 1023 == 0 {
                self.ground.deadline.check()?;
            }
            let mut arrival = self.arrive(node)?;
            if arrival.captures {
                self.leave_captures(node)?;
                let from = self.path.last().map_or(0, |parent| parent.end);
                arrival.alive = self.scratch.pairs.len() > from;
            }
            if arrival.complete || arrival.alive || arrival.captures {
                for &token in trie.tokens_at(node) {
                    set_bit(&mut self.scratch.row, token);
                }
            }
            let has_children = trie.has_children(node);
            if arrival.alive && has_children && self.takes_subtree(node)? {
                for &token in trie.tokens_below(node) {
                    set_bit(&mut self.scratch.row, token);
                }
                arrival.alive = false;
            }
            match (arrival.complete, has_children) {
                (true, true) => self.scratch.exits.push(node),
                (true, false) => self.scratch.ends.push(node),
                (false, _) => {}
            }
            if self.starts.first() == Some(&node) {
                self.starts = &self.starts[1..];
                self.start_again()?;
                arrival.alive = true;
            }
            next = self.next_node(node, arrival.alive && has_children);
        }
        Ok(())
    }

    /// Reads the byte of a node after what is alive at its parent, the last of the path.
    fn arrive(&mut self, node: NodeId) -> Result<Arrival> {
        let Walker { advance, arena, pairs, input, .. } = &mut *self.scratch;
        let Some(&parent) = self.path.last() else {
            pairs.clear();
            arena.clear();
            return Ok(Arrival::DEAD);
        };
        pairs.truncate(parent.end);
        arena.truncate(parent.arena);
        if parent.is_dead() {
            return Ok(Arrival::DEAD);
        }
        let byte = self.trie.byte(node);
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

    /// Notes the text that the frame of the walk captures at a node, and goes on with what it does else. In
    /// frames above it captures are followed as they are: such a frame begins within the token.
    fn leave_captures(&mut self, node: NodeId) -> Result<()> {
        let from = self.path.last().map_or(0, |parent| parent.end);
        let mut at = from;
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
        let from = self.path.last().map_or(0, |parent| parent.end);
        let [now] = &self.scratch.pairs[from..] else { return Ok(false) };
        let starts_below = || self.starts.first().is_some_and(|&start| start < self.trie.end(node));
        if !self.ground.use_signatures || starts_below() {
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

    /// The node to visit after `node`: below it where it is alive, else behind it, but no start may be
    /// passed over.
    fn next_node(&mut self, node: NodeId, descend: bool) -> Option<NodeId> {
        let subtree_end = self.trie.end(node);
        if descend {
            self.descend(subtree_end);
            return Some(node.next());
        }
        if self.starts.first().is_some_and(|&start| start < subtree_end) {
            let start = self.path.last().map_or(0, |parent| parent.end);
            let arena = self.scratch.arena.mark();
            self.path.push(Level { subtree_end, start, end: start, arena, is_single: false, row: None });
        }
        let mut next = subtree_end;
        loop {
            while self.path.last().is_some_and(|level| level.subtree_end <= next) {
                self.path.pop();
            }
            match (self.path.last(), self.starts.first()) {
                (Some(level), _) if !level.is_dead() => return Some(next),
                (Some(level), Some(&start)) if start < level.subtree_end => return Some(start),
                (Some(level), _) => next = level.subtree_end,
                (None, start) => return start.copied(),
            }
        }
    }

    /// Puts the node arrived at on the path.
    fn descend(&mut self, subtree_end: NodeId) {
        let start = self.path.last().map_or(0, |parent| parent.end);
        let end = self.scratch.pairs.len();
        let is_single = end - start == 1;
        let row = if is_single { self.automaton.row(self.scratch.pairs[start].state) } else { None };
        self.path.push(Level { subtree_end, start, end, arena: self.scratch.arena.mark(), is_single, row });
    }
}
