//! What a state that loops on kinds of characters makes of the vocabulary, as far as it loops.
//!
//! Inside a JSON string, for example, nine tokens of ten are made of characters that change nothing. Which
//! those are depends on the kinds alone, and so do the places where other tokens leave them. A [`Slice`]
//! holds both; the vocabulary makes it when a state first loops on the kinds, and keeps it for all others.

use std::sync::Arc;

use super::TokenId;
use super::signature::{Signature, Utf8State};
use super::trie::{NodeId, TokenRange, TokenTrie};

/// The tokens made of characters of some kinds, and where all other tokens leave those kinds.
#[derive(Debug)]
pub(crate) struct Slice {
    /// A mask row of the tokens that are made of such characters only, one cut short at the end included.
    pub(crate) inside: Arc<[u32]>,
    /// The same tokens by their numbers of bytes, ascending, unless they are many.
    pub(crate) by_length: Option<Box<[(u32, TokenId)]>>,
    /// Where tokens leave these kinds, by the byte with which they do, ascending.
    pub(crate) exits: Box<[SliceExits]>,
}

/// Where tokens leave the kinds of a slice with one byte.
#[derive(Debug)]
pub(crate) struct SliceExits {
    pub(crate) byte: u8,
    /// The nodes that the byte leads to, ascending. A node may also be one where a character of the kinds begins
    /// that some tokens below spell wrongly.
    pub(crate) nodes: Box<[NodeId]>,
    /// For each node, the number of characters before the byte.
    pub(crate) characters: Box<[u32]>,
}

impl Slice {
    /// More tokens than this are not listed by length.
    const MANY: usize = 4096;

    /// Makes the slice of some kinds. Takes time in proportion to the nodes above the exits.
    ///
    /// `length` gives the number of bytes of a token.
    pub(super) fn new(
        trie: &TokenTrie,
        kinds: Signature,
        mask_words: usize,
        length: impl Fn(TokenId) -> u32,
    ) -> Self {
        let mut builder = Builder { trie, kinds, inside: Vec::new(), exits: vec![Vec::new(); 256] };
        builder.run();
        let mut row = vec![0u32; mask_words];
        let tokens = || builder.inside.iter().flat_map(|&range| trie.tokens_of(range));
        tokens().for_each(|token| row[token.index() / 32] |= 1 << (token.0 % 32));
        let by_length = (tokens().count() <= Self::MANY).then(|| {
            let mut by_length: Box<[_]> = tokens().map(|&token| (length(token), token)).collect();
            by_length.sort_unstable();
            by_length
        });
        let exits = builder.exits.into_iter().enumerate().filter(|(_, nodes)| !nodes.is_empty());
        let exits = exits.map(|(byte, mut nodes)| {
            nodes.sort_unstable();
            let (nodes, characters): (Vec<NodeId>, Vec<u32>) = nodes.into_iter().unzip();
            SliceExits { byte: byte as u8, nodes: nodes.into(), characters: characters.into() }
        });
        Self { inside: row.into(), by_length, exits: exits.collect() }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let exits = self.exits.iter();
        let nodes: usize = exits.map(|exits| exits.nodes.len() * 8 + size_of::<SliceExits>()).sum();
        let by_length = self.by_length.as_ref().map_or(0, |tokens| size_of_val(&**tokens));
        size_of_val(&*self.inside) + by_length + nodes
    }
}

struct Builder<'a> {
    trie: &'a TokenTrie,
    kinds: Signature,
    inside: Vec<TokenRange>,
    /// By byte: the nodes, each with the number of characters before it.
    exits: Vec<Vec<(NodeId, u32)>>,
}

impl Builder<'_> {
    fn run(&mut self) {
        // Nodes between two characters, all characters before them of the kinds, with their number.
        let mut waiting = vec![(NodeId::ROOT, 0)];
        while let Some((node, characters)) = waiting.pop() {
            let mut children = self.trie.children(node);
            while let Some((byte, child)) = self.trie.next_child(&mut children) {
                if !Signature::of(byte).is_within(self.kinds)
                    || !self.read_character(byte, child, characters + 1, &mut waiting)
                {
                    self.exits[usize::from(byte)].push((child, characters));
                }
            }
        }
    }

    /// Takes in the characters that begin with a byte, or nothing at all where some token spells one of
    /// them wrongly. Returns whether it took them.
    fn read_character(
        &mut self,
        byte: u8,
        child: NodeId,
        characters: u32,
        waiting: &mut Vec<(NodeId, u32)>,
    ) -> bool {
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
                    Utf8State::BOUNDARY => waiting.push((node, characters)),
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
