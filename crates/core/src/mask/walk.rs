//! The walk of the recogniser over a trie.
//!
//! The recogniser starts in one frame with unknown callers, and goes down the trie byte by byte; going
//! back up truncates what it had. Where the frame completes with strings still below, those leave it:
//! they are the exits.

use super::token_bits::{TokenBits, set_bit};
use crate::budget::Deadline;
use crate::error::Result;
use crate::expression::Symbol;
use crate::recognizer::{Advance, ArenaMark, Automaton, Frame, FrameArena, Move, Pair, StateId};
use crate::vocabulary::{NodeId, TokenId, TokenTrie};

/// What one walk found.
#[derive(Debug)]
pub(super) struct Reach {
    /// The tokens that the state reads to their last byte.
    pub(super) inside: TokenBits,
    /// What is left of the tokens that complete the frame before their last byte.
    pub(super) exits: TokenTrie,
}

/// The scratch of walks, kept between them.
#[derive(Debug)]
pub(super) struct Walker {
    advance: Advance<FrameArena>,
    arena: FrameArena,
    /// What is alive at each depth of the path, one after another.
    pairs: Vec<Pair<Frame>>,
    levels: Vec<Level>,
    input: Vec<Pair<Frame>>,
    /// The nodes at which the frame completes, although strings go on.
    exits: Vec<NodeId>,
    row: Vec<u32>,
}

/// Where the path had got to at some depth.
#[derive(Clone, Copy, Debug)]
struct Level {
    /// The pairs at this depth are `pairs[start..end]`.
    start: usize,
    end: usize,
    arena: ArenaMark,
}

/// What became of the path at a node.
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
            levels: Vec::new(),
            input: Vec::new(),
            exits: Vec::new(),
            row: Vec::new(),
        }
    }

    /// Walks a trie from a state, for masks of `words` words.
    pub(super) fn walk(
        &mut self,
        trie: &TokenTrie,
        automaton: &Automaton,
        state: StateId,
        words: usize,
        deadline: &Deadline,
    ) -> Result<Reach> {
        self.row.clear();
        self.row.resize(words, 0);
        self.exits.clear();
        self.arena = FrameArena::new();
        self.pairs.clear();
        self.pairs.push(Pair { state, frame: Frame::BASE });
        self.levels.clear();
        self.levels.push(Level { start: 0, end: 1, arena: self.arena.mark() });
        let end = trie.end(NodeId::ROOT);
        let mut node = NodeId(1);
        while node < end && state.continues() {
            if node.0.is_multiple_of(1024) {
                deadline.check()?;
            }
            node = self.visit(trie, automaton, node, deadline)?;
        }
        Ok(Reach { inside: TokenBits::from_row(&self.row), exits: exit_trie(trie, &self.exits) })
    }

    /// Reads the byte of a node and gives the node to go on with.
    fn visit(
        &mut self,
        trie: &TokenTrie,
        automaton: &Automaton,
        node: NodeId,
        deadline: &Deadline,
    ) -> Result<NodeId> {
        let depth = trie.depth(node);
        self.levels.truncate(depth);
        let above = self.levels[depth - 1];
        self.pairs.truncate(above.end);
        self.arena.truncate(above.arena);
        let arrival = self.read(automaton, above, trie.byte(node), deadline)?;
        if arrival.complete || arrival.alive {
            for &token in trie.tokens_at(node) {
                set_bit(&mut self.row, token);
            }
        }
        if !trie.has_children(node) {
            return Ok(trie.end(node));
        }
        if arrival.complete {
            self.exits.push(node);
        }
        if !arrival.alive {
            return Ok(trie.end(node));
        }
        self.levels.push(Level { start: above.end, end: self.pairs.len(), arena: self.arena.mark() });
        Ok(NodeId(node.0 + 1))
    }

    /// Moves what is alive at a level on a byte, and appends what is alive afterwards.
    fn read(
        &mut self,
        automaton: &Automaton,
        above: Level,
        byte: u8,
        deadline: &Deadline,
    ) -> Result<Arrival> {
        if above.end - above.start == 1 {
            let Pair { state, frame } = self.pairs[above.start];
            match automaton.step(state, byte, deadline)? {
                Move::Dead => return Ok(Arrival { complete: false, alive: false }),
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
        self.input.extend_from_slice(&self.pairs[above.start..above.end]);
        let symbol = Symbol::Byte(byte);
        let complete =
            self.advance.step(automaton, &mut self.arena, &self.input, symbol, deadline, &mut self.pairs)?;
        Ok(Arrival { complete, alive: self.pairs.len() > above.end })
    }
}

/// What is below some nodes of a trie, put together in one.
fn exit_trie(trie: &TokenTrie, nodes: &[NodeId]) -> TokenTrie {
    let mut bytes: Vec<u8> = Vec::new();
    let mut strings: Vec<(usize, usize, TokenId)> = Vec::new();
    for &node in nodes {
        trie.strings_below(node, |string, tokens| {
            let start = bytes.len();
            bytes.extend_from_slice(string);
            strings.extend(tokens.iter().map(|&token| (start, bytes.len(), token)));
        });
    }
    TokenTrie::new(strings.iter().map(|&(start, end, token)| (&bytes[start..end], token)).collect())
}
