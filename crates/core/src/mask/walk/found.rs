//! What a walk has found so far.

use super::{Ground, Reach};
use crate::bits::bits;
use crate::mask::token_bits::TokenBits;
use crate::recognizer::StateId;
use crate::vocabulary::{NodeId, Signature, TokenId, TokenRange, TokenTrie};

/// The tokens and nodes that a walk has come to, in the order in which it did.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) inside: Vec<TokenRange>,
    /// Tokens inside beside those of the ranges.
    pub(super) more: Vec<TokenId>,
    pub(super) exits: Vec<NodeId>,
    pub(super) ends: Vec<NodeId>,
    pub(super) captures: Vec<(StateId, NodeId)>,
}

impl Found {
    pub(super) fn clear(&mut self) {
        let Self { inside, more, exits, ends, captures } = self;
        inside.clear();
        more.clear();
        exits.clear();
        ends.clear();
        captures.clear();
    }

    /// Adds tokens to those inside.
    pub(super) fn take(&mut self, range: TokenRange) {
        if range.len() > 0 && !self.inside.last_mut().is_some_and(|last| last.append(range)) {
            self.inside.push(range);
        }
    }

    /// Notes that the frame of the walk is complete at all nodes below one.
    pub(super) fn complete_below(&mut self, trie: &TokenTrie, node: NodeId) {
        for below in (node.next().0..trie.end(node).0).map(NodeId) {
            self.complete_at(trie, below);
        }
    }

    /// Notes that the frame of the walk is complete at all nodes that characters of some kinds of ASCII lead to from
    /// one, but not whether it is at that.
    pub(super) fn complete_within(&mut self, trie: &TokenTrie, node: NodeId, kinds: Signature) {
        let first = kinds.first_bytes();
        let mut path = vec![trie.children(node)];
        while let Some(children) = path.last_mut() {
            let Some((byte, child)) = trie.next_child(children) else {
                path.pop();
                continue;
            };
            if !first.contains(byte) {
                continue;
            }
            self.complete_at(trie, child);
            match trie.signature(child).is_within(kinds) {
                true => self.complete_below(trie, child),
                false => path.push(trie.children(child)),
            }
        }
    }

    fn complete_at(&mut self, trie: &TokenTrie, node: NodeId) {
        match trie.has_children(node) {
            true => self.exits.push(node),
            false => self.ends.push(node),
        }
    }

    /// The tokens inside.
    pub(super) fn tokens<'a>(&'a self, trie: &'a TokenTrie) -> impl Iterator<Item = TokenId> + 'a {
        self.inside.iter().flat_map(|&range| trie.tokens_of(range)).chain(&self.more).copied()
    }

    /// All that was found, with the tokens of a base that are inside, too.
    pub(super) fn reach(&mut self, ground: &Ground<'_>, base: Option<&TokenBits>) -> Reach {
        self.captures.sort_unstable();
        let captures = self.captures.chunk_by(|a, b| a.0 == b.0);
        let captures =
            captures.map(|chunk| (chunk[0].0, chunk.iter().map(|&(_, node)| node).collect())).collect();
        let trie = ground.vocabulary.trie();
        sort(&mut self.exits, trie);
        sort(&mut self.ends, trie);
        let (exits, ends) = (self.exits.as_slice().into(), self.ends.as_slice().into());
        let inside = TokenBits::from_ranges(trie, base, &self.inside, &self.more, ground.unions);
        Reach { inside, exits, ends, captures }
    }
}

/// Sorts nodes, each of which is there once.
fn sort(nodes: &mut Vec<NodeId>, trie: &TokenTrie) {
    /// As many are sooner marked among all nodes than compared: those of one word of marks.
    const NODES_PER_MARKED: usize = u64::BITS as usize;
    if nodes.len() * NODES_PER_MARKED < trie.len() {
        // Of what was found below one node after another, long runs are in order: a stable sort merges those.
        return nodes.sort();
    }
    let mut marks = vec![0u64; trie.len().div_ceil(NODES_PER_MARKED)];
    nodes
        .iter()
        .for_each(|node| marks[node.index() / NODES_PER_MARKED] |= 1 << (node.index() % NODES_PER_MARKED));
    nodes.clear();
    for (at, &word) in marks.iter().enumerate() {
        nodes.extend(bits(word).map(|bit| NodeId((at * NODES_PER_MARKED) as u32 + bit)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::Vocabulary;

    #[test]
    fn many_nodes_are_sorted_as_few_are() {
        let tokens = (0..4096u32).map(|number| Some(number.to_le_bytes()[..2].to_vec()));
        let tokens = tokens.chain([None]).collect();
        let vocabulary = Vocabulary::new(tokens, vec![], vec![TokenId(4096)], 4097).unwrap();
        let trie = vocabulary.trie();
        let mut random = fastrand::Rng::with_seed(1);
        for count in [0, 1, 2, 20, 60, 100, 1000, trie.len()] {
            let mut nodes: Vec<NodeId> = (0..trie.len() as u32).map(NodeId).collect();
            random.shuffle(&mut nodes);
            nodes.truncate(count);
            let mut expected = nodes.clone();
            expected.sort_unstable();
            sort(&mut nodes, trie);
            assert_eq!(nodes, expected);
        }
    }
}
