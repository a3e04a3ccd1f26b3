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
use crate::recognizer::{Advance, ArenaMark, Automaton, Frame, FrameArena, Move, Pair, StateId};
use crate::vocabulary::{NodeId, TokenTrie};

/// What one walk found.
#[derive(Debug)]
pub(super) struct Reach {
    /// The tokens that the state reads to their last byte.
    pub(super) inside: TokenBits,
    /// Where the frame completes before the last byte of a token, ascending.
    pub(super) exits: Box<[NodeId]>,
}

/// The scratch of walks, kept between them.
#[derive(Debug)]
pub(super) struct Walker {
    advance: Advance<FrameArena>,
    arena: FrameArena,
    /// What is alive at each node of the path, one after another.
    pairs: Vec<Pair<Frame>>,
    path: Vec<Level>,
    input: Vec<Pair<Frame>>,
    exits: Vec<NodeId>,
    row: Vec<u32>,
}

/// A node on the path, or a dead one that is passed over because the walk starts again below it.
#[derive(Clone, Copy, Debug)]
struct Level {
    /// One past the subtree of the node.
    subtree_end: NodeId,
    /// What is alive at the node is `pairs[start..end]`; nothing at a dead one.
    start: usize,
    end: usize,
    arena: ArenaMark,
}

impl Level {
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
}

impl Walker {
    pub(super) fn new() -> Self {
        Self {
            advance: Advance::new(),
            arena: FrameArena::new(),
            pairs: Vec::new(),
            path: Vec::new(),
            input: Vec::new(),
            exits: Vec::new(),
            row: Vec::new(),
        }
    }

    /// Walks the strings below each of some nodes (ascending) from a state, for masks of `words` words.
    ///
    /// Every node is visited at most once: where the walk from one start comes to another, what both
    /// have alive is joined. Takes time in proportion to the nodes that are alive and their children.
    pub(super) fn walk(
        &mut self,
        trie: &TokenTrie,
        starts: &[NodeId],
        automaton: &Automaton,
        state: StateId,
        words: usize,
        deadline: &Deadline,
    ) -> Result<Reach> {
        self.row.clear();
        self.row.resize(words, 0);
        self.exits.clear();
        self.arena.clear();
        self.pairs.clear();
        self.path.clear();
        if state.continues() {
            self.visit_all(trie, starts, automaton, state, deadline)?;
        }
        Ok(Reach { inside: TokenBits::from_row(&self.row), exits: self.exits.as_slice().into() })
    }

    fn visit_all(
        &mut self,
        trie: &TokenTrie,
        mut starts: &[NodeId],
        automaton: &Automaton,
        state: StateId,
        deadline: &Deadline,
    ) -> Result<()> {
        let mut next = starts.first().copied();
        let mut visited = 0u32;
        while let Some(node) = next {
            visited += 1;
            if visited & 1023 == 0 {
                deadline.check()?;
            }
            let mut arrival = self.arrive(trie, automaton, node, deadline)?;
            if arrival.complete || arrival.alive {
                for &token in trie.tokens_at(node) {
                    set_bit(&mut self.row, token);
                }
            }
            let has_children = trie.has_children(node);
            if arrival.complete && has_children {
                self.exits.push(node);
            }
            if starts.first() == Some(&node) {
                starts = &starts[1..];
                self.start_again(automaton, state)?;
                arrival.alive = true;
            }
            next = self.next_node(trie, node, arrival.alive && has_children, starts);
        }
        Ok(())
    }

    /// Reads the byte of a node after what is alive at its parent, the last of the path.
    fn arrive(
        &mut self,
        trie: &TokenTrie,
        automaton: &Automaton,
        node: NodeId,
        deadline: &Deadline,
    ) -> Result<Arrival> {
        let dead = Arrival { complete: false, alive: false };
        let Some(&parent) = self.path.last() else {
            self.pairs.clear();
            self.arena.clear();
            return Ok(dead);
        };
        self.pairs.truncate(parent.end);
        self.arena.truncate(parent.arena);
        if parent.is_dead() {
            return Ok(dead);
        }
        let byte = trie.byte(node);
        if parent.end - parent.start == 1 {
            let Pair { state, frame } = self.pairs[parent.start];
            match automaton.step(state, byte, deadline)? {
                Move::Dead => return Ok(dead),
                Move::Stay(next) if frame == Frame::BASE || !next.is_nullable() => {
                    if next.continues() {
                        self.pairs.push(Pair { state: next, frame });
                    }
                    return Ok(Arrival { complete: next.is_nullable(), alive: next.continues() });
                }
                _ => {}
            }
        }
        self.input.clear();
        self.input.extend_from_slice(&self.pairs[parent.start..parent.end]);
        let Self { advance, arena, input, pairs, .. } = self;
        let complete = advance.step(automaton, arena, input, Symbol::Byte(byte), deadline, pairs)?;
        Ok(Arrival { complete, alive: pairs.len() > parent.end })
    }

    /// Adds the state of the walk, in its frame, to what is alive at the node arrived at.
    fn start_again(&mut self, automaton: &Automaton, state: StateId) -> Result<()> {
        let from = self.path.last().map_or(0, |parent| parent.end);
        match self.pairs[from..].iter_mut().find(|pair| pair.frame == Frame::BASE) {
            Some(pair) => pair.state = automaton.union(pair.state, state)?,
            None => self.pairs.push(Pair { state, frame: Frame::BASE }),
        }
        Ok(())
    }

    /// The node to visit after `node`: below it where it is alive, else behind it, but no start may be
    /// passed over.
    fn next_node(
        &mut self,
        trie: &TokenTrie,
        node: NodeId,
        descend: bool,
        starts: &[NodeId],
    ) -> Option<NodeId> {
        let subtree_end = trie.end(node);
        let start = self.path.last().map_or(0, |parent| parent.end);
        let arena = self.arena.mark();
        if descend {
            self.path.push(Level { subtree_end, start, end: self.pairs.len(), arena });
            return Some(node.next());
        }
        if starts.first().is_some_and(|&start| start < subtree_end) {
            self.path.push(Level { subtree_end, start, end: start, arena });
        }
        let mut next = subtree_end;
        loop {
            while self.path.last().is_some_and(|level| level.subtree_end <= next) {
                self.path.pop();
            }
            match (self.path.last(), starts.first()) {
                (Some(level), _) if !level.is_dead() => return Some(next),
                (Some(level), Some(&start)) if start < level.subtree_end => return Some(start),
                (Some(level), _) => next = level.subtree_end,
                (None, start) => return start.copied(),
            }
        }
    }
}
