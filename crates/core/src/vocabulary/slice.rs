//! What a state that loops on kinds of characters makes of the vocabulary, as far as it loops.
//!
//! Inside a JSON string, for example, nine tokens of ten are made of characters that change nothing. Which
//! those are depends on the kinds alone, and so do the places where other tokens leave them. A [`Slice`]
//! holds both; the vocabulary makes it when a state first loops on the kinds, and keeps it for all others.

use std::sync::Arc;

use super::signature::{Signature, Utf8State};
use super::trie::{NodeId, TokenRange, TokenTrie};

/// The tokens made of characters of some kinds, and where all other tokens leave those kinds.
#[derive(Debug)]
pub(crate) struct Slice {
    /// A mask row of the tokens that are made of such characters only, one cut short at the end included.
    pub(crate) inside: Arc<[u32]>,
    /// By the first byte that is not within such characters: the nodes that it leads to, ascending. A node
    /// may also be one where a character begins that some tokens below spell wrongly.
    pub(crate) exits: Box<[(u8, Box<[NodeId]>)]>,
}

impl Slice {
    /// Makes the slice of some kinds. Takes time in proportion to the nodes above the exits.
    pub(super) fn new(trie: &TokenTrie, kinds: Signature, mask_words: usize) -> Self {
        let mut builder = Builder { trie, kinds, inside: Vec::new(), exits: vec![Vec::new(); 256] };
        builder.run();
        let mut row = vec![0u32; mask_words];
        for token in builder.inside.iter().flat_map(|&range| trie.tokens_of(range)) {
            row[token.index() / 32] |= 1 << (token.0 % 32);
        }
        let exits = builder.exits.into_iter().enumerate().filter(|(_, nodes)| !nodes.is_empty());
        let exits = exits.map(|(byte, mut nodes)| {
            nodes.sort_unstable();
            (byte as u8, nodes.into())
        });
        Self { inside: row.into(), exits: exits.collect() }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let nodes: usize = self.exits.iter().map(|(_, nodes)| size_of_val(&**nodes) + 32).sum();
        size_of_val(&*self.inside) + nodes
    }
}

struct Builder<'a> {
    trie: &'a TokenTrie,
    kinds: Signature,
    inside: Vec<TokenRange>,
    exits: Vec<Vec<NodeId>>,
}

impl Builder<'_> {
    fn run(&mut self) {
        // Nodes between two characters, all characters before them of the kinds.
        let mut waiting = vec![NodeId::ROOT];
        while let Some(node) = waiting.pop() {
            let mut children = self.trie.children(node);
            while let Some((byte, child)) = self.trie.next_child(&mut children) {
                if !Signature::of(byte).is_within(self.kinds)
                    || !self.read_character(byte, child, &mut waiting)
                {
                    self.exits[usize::from(byte)].push(child);
                }
            }
        }
    }

    /// Takes in the characters that begin with a byte, or nothing at all where some token spells one of
    /// them wrongly. Returns whether it took them.
    fn read_character(&mut self, byte: u8, child: NodeId, waiting: &mut Vec<NodeId>) -> bool {
        let (inside, boundaries) = (self.inside.len(), waiting.len());
        let mut within = Vec::new();
        let mut arrive = |position: Option<Utf8State>, node: NodeId, within: &mut Vec<_>| match position {
            None => false,
            Some(Utf8State::BOUNDARY) if self.trie.signature(node).is_within(self.kinds) => {
                self.inside.push(self.trie.range_below(node));
                true
            }
            Some(position) => {
                self.inside.push(self.trie.range_at(node));
                match position {
                    Utf8State::BOUNDARY => waiting.push(node),
                    position => within.push((position, node)),
                }
                true
            }
        };
        let mut is_well_formed = arrive(Utf8State::BOUNDARY.step(byte), child, &mut within);
        while let Some((position, node)) = within.pop() {
            let mut children = self.trie.children(node);
            while let Some((byte, child)) = self.trie.next_child(&mut children) {
                is_well_formed &= arrive(position.step(byte), child, &mut within);
            }
        }
        if !is_well_formed {
            self.inside.truncate(inside);
            waiting.truncate(boundaries);
        }
        is_well_formed
    }
}
