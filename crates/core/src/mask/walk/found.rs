//! What a walk has found so far.

use std::sync::Arc;

use smallvec::SmallVec;

use super::{Ground, Reach};
use crate::mask::exits::{ExitNodes, SliceNodes, sort};
use crate::mask::token_bits::TokenBits;
use crate::recognizer::StateId;
use crate::vocabulary::{Characters, NodeId, TokenId, TokenRange, TokenTrie};

/// The tokens and nodes that a walk has come to, in the order in which it did.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) inside: Vec<TokenRange>,
    /// Tokens inside beside those of the ranges.
    pub(super) more: Vec<TokenId>,
    /// Mask rows of further tokens inside.
    pub(super) rows: Vec<Arc<[u32]>>,
    pub(super) exits: Vec<NodeId>,
    /// Those of whose nodes each is an exit or an end.
    pub(super) slices: Vec<SliceNodes>,
    pub(super) ends: Vec<NodeId>,
    pub(super) captures: Vec<(StateId, NodeId)>,
}

impl Found {
    pub(super) fn clear(&mut self) {
        let Self { inside, more, rows, exits, slices, ends, captures } = self;
        inside.clear();
        more.clear();
        rows.clear();
        exits.clear();
        slices.clear();
        ends.clear();
        captures.clear();
    }

    /// Adds tokens to those inside.
    pub(super) fn take(&mut self, range: TokenRange) {
        if range.len() > 0 && !self.inside.last_mut().is_some_and(|last| last.append(range)) {
            self.inside.push(range);
        }
    }

    /// Notes that the frame is complete at all nodes within a slice.
    pub(super) fn note_slice(&mut self, below: NodeId, characters: Characters) {
        self.slices.push(SliceNodes::all(below, characters));
    }

    /// The tokens inside, but for those of rows.
    pub(super) fn tokens<'a>(&'a self, trie: &'a TokenTrie) -> impl Iterator<Item = TokenId> + 'a {
        self.inside.iter().flat_map(|&range| trie.tokens_of(range)).chain(&self.more).copied()
    }

    /// All that was found, with the tokens of a base that are inside, too.
    pub(super) fn reach(&mut self, ground: &Ground<'_>, base: Option<&TokenBits>) -> Reach {
        self.captures.sort_unstable();
        self.captures.dedup();
        let captures = self.captures.chunk_by(|a, b| a.0 == b.0);
        let captures =
            captures.map(|chunk| (chunk[0].0, chunk.iter().map(|&(_, node)| node).collect())).collect();
        let trie = ground.vocabulary.trie();
        sort(&mut self.exits, trie);
        sort(&mut self.ends, trie);
        self.slices.sort_unstable();
        self.slices.dedup();
        let exits = ExitNodes { listed: self.exits.as_slice().into(), slices: self.slices.as_slice().into() };
        let ends = self.ends.as_slice().into();
        let rows = self.rows.drain(..).map(|row| TokenBits::of_row(&row));
        let bases: SmallVec<[TokenBits; 4]> = base.cloned().into_iter().chain(rows).collect();
        let inside = TokenBits::from_ranges(trie, &bases, &self.inside, &self.more, ground.unions);
        Reach { inside, exits, ends, captures }
    }
}
