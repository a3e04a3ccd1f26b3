//! Token tries: many byte strings with a token behind each, as one array in depth-first order.
//!
//! In depth-first order the subtree of a node is the slice from the node to its `end`, and the tokens at
//! and below it are one slice of the list of tokens, so that a set of subtrees is a few ranges. The children
//! of a node are listed one after another, so that those which a state cannot read are passed over without
//! being looked at.

use std::ops::Range;

use smallvec::SmallVec;

use super::TokenId;
use super::signature::{Signature, signatures};
use crate::spelling::begins_character;

/// A position in the array of nodes of a [`TokenTrie`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NodeId(pub(crate) u32);

impl NodeId {
    /// The node of the empty string.
    pub(crate) const ROOT: Self = Self(0);

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }

    /// The next node in depth-first order.
    pub(crate) fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Node {
    /// One past the last node of the subtree.
    end: u32,
    /// Where the tokens of the subtree begin; those of the node itself come first.
    tokens: u32,
    /// Where the list of its children begins; it ends where that of the next node begins.
    children: u32,
}

/// Some tokens that are neighbours in the depth-first order of their strings: those of a node, or of a subtree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TokenRange {
    start: u32,
    end: u32,
}

impl TokenRange {
    /// The number of tokens.
    pub(crate) fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// Adds a range that begins where this one ends; gives `false` where it does not.
    pub(crate) fn append(&mut self, other: Self) -> bool {
        let adjoins = self.end == other.start;
        if adjoins {
            self.end = other.end;
        }
        adjoins
    }

    /// What it has in common with another range.
    pub(crate) fn intersection(self, other: Self) -> Option<Self> {
        let (start, end) = (self.start.max(other.start), self.end.min(other.end));
        (start < end).then_some(Self { start, end })
    }

    /// Whether all of it comes before another range.
    pub(crate) fn is_before(self, other: Self) -> bool {
        self.end <= other.start
    }
}

/// Some children of one node: those not yet looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Children {
    next: u32,
    end: u32,
}

impl Children {
    /// The number of children left.
    pub(crate) fn len(self) -> usize {
        (self.end - self.next) as usize
    }
}

/// A trie over byte strings; several tokens may share one string.
#[derive(Clone, Debug)]
pub(crate) struct TokenTrie {
    /// In depth-first order, children by ascending byte, and a sentinel behind the last.
    nodes: Box<[Node]>,
    /// The children of all nodes, node after node, and for each the last byte on the way to it.
    children: Box<[NodeId]>,
    child_bytes: Box<[u8]>,
    tokens: Box<[TokenId]>,
    /// For each node, what kinds of bytes are below it.
    signatures: Box<[Signature]>,
    /// For each node, the number of characters of the longest string below it, or 255 where it is longer.
    depths: Box<[u8]>,
    /// For each node, the number of characters of its string, and for each token; 255 stands for more. A
    /// character is counted by its first byte.
    node_lengths: Box<[u8]>,
    token_lengths: Box<[u8]>,
}

impl TokenTrie {
    /// The trie of some strings. Takes O(n log n) string comparisons.
    pub(crate) fn new(mut entries: Vec<(&[u8], TokenId)>) -> Self {
        entries.sort_unstable();
        entries.dedup();
        let mut builder = Builder::default();
        builder.open(0);
        let mut last: &[u8] = &[];
        for (string, token) in entries {
            let common = last.iter().zip(string).take_while(|(a, b)| a == b).count();
            builder.close(common);
            string[common..].iter().for_each(|&byte| builder.open(byte));
            builder.tokens.push(token);
            last = string;
        }
        builder.finish()
    }

    /// The number of nodes, the root included.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len() - 1
    }

    /// The memory it takes, in bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        size_of_val(&*self.nodes)
            + size_of_val(&*self.children)
            + self.child_bytes.len()
            + size_of_val(&*self.tokens)
            + size_of_val(&*self.signatures)
            + self.depths.len()
            + self.node_lengths.len()
            + self.token_lengths.len()
    }

    /// One past the last node of the subtree of a node.
    pub(crate) fn end(&self, node: NodeId) -> NodeId {
        NodeId(self.nodes[node.index()].end)
    }

    /// The tokens whose string leads exactly to the node.
    pub(crate) fn tokens_at(&self, node: NodeId) -> &[TokenId] {
        self.tokens_of(self.range_at(node))
    }

    /// The tokens whose string leads exactly to the node, as a range.
    pub(crate) fn range_at(&self, node: NodeId) -> TokenRange {
        let next = node.next();
        TokenRange { start: self.nodes[node.index()].tokens, end: self.nodes[next.index()].tokens }
    }

    /// The tokens of the subtree of the node, its own first.
    pub(crate) fn range_below(&self, node: NodeId) -> TokenRange {
        let Node { tokens: start, end, .. } = self.nodes[node.index()];
        TokenRange { start, end: self.nodes[end as usize].tokens }
    }

    /// The tokens of some nodes that follow one another in depth-first order.
    pub(crate) fn range_of(&self, nodes: Range<NodeId>) -> TokenRange {
        let [start, end] = [nodes.start, nodes.end].map(|node| self.nodes[node.index()].tokens);
        TokenRange { start, end }
    }

    /// The tokens of a range.
    pub(crate) fn tokens_of(&self, range: TokenRange) -> &[TokenId] {
        &self.tokens[range.start as usize..range.end as usize]
    }

    /// The number of characters of each token of a range; 255 stands for as many or more. A character is counted by
    /// its first byte.
    pub(crate) fn lengths_of(&self, range: TokenRange) -> &[u8] {
        &self.token_lengths[range.start as usize..range.end as usize]
    }

    /// What kinds of bytes are below the node, read from there on.
    pub(crate) fn signature(&self, node: NodeId) -> Signature {
        self.signatures[node.index()]
    }

    /// The number of characters of the longest string below the node, read from there on; 255 stands for more.
    /// A character is counted by its first byte.
    pub(crate) fn depth_below(&self, node: NodeId) -> u8 {
        self.depths[node.index()]
    }

    /// Whether all strings below the node, read from there on, are known to have up to so many characters; `u32::MAX` stands
    /// for any number.
    pub(crate) fn is_all_within(&self, node: NodeId, characters: u32) -> bool {
        let depth = self.depth_below(node);
        characters == u32::MAX || depth < u8::MAX && u32::from(depth) <= characters
    }

    /// The number of characters of tokens that are so many characters longer than a node's string; `None` where so many were
    /// not counted.
    pub(crate) fn longest_within(&self, node: NodeId, characters: u32) -> Option<u8> {
        let longest = characters.saturating_add(u32::from(self.node_lengths[node.index()]));
        u8::try_from(longest).ok().filter(|&longest| longest < u8::MAX)
    }

    /// The tokens of a range that have at most so many characters.
    pub(crate) fn parts_within(&self, range: TokenRange, longest: u8) -> impl Iterator<Item = TokenRange> {
        let TokenRange { start, end } = range;
        let mut at = start as usize;
        std::iter::from_fn(move || {
            let left = self.token_lengths.get(at..end as usize)?;
            let start = at + left.iter().position(|&length| length <= longest)?;
            let left = &self.token_lengths[start..end as usize];
            at = left.iter().position(|&length| length > longest).map_or(end as usize, |count| start + count);
            Some(TokenRange { start: start as u32, end: at as u32 })
        })
    }

    /// The tokens at and below a node that are at most so many characters longer than the node's string;
    /// `None` where that was not counted so far.
    pub(crate) fn ranges_within(
        &self,
        node: NodeId,
        characters: u32,
    ) -> Option<impl Iterator<Item = TokenRange>> {
        let longest = self.longest_within(node, characters)?;
        Some(self.parts_within(self.range_below(node), longest))
    }

    /// Whether strings go on below the node.
    pub(crate) fn has_children(&self, node: NodeId) -> bool {
        self.end(node) > node.next()
    }

    /// The children of a node, by ascending byte.
    pub(crate) fn children(&self, node: NodeId) -> Children {
        let end = node.next();
        Children { next: self.nodes[node.index()].children, end: self.nodes[end.index()].children }
    }

    /// Takes the next child off a list: the last byte on the way to it, and its node.
    pub(crate) fn next_child(&self, children: &mut Children) -> Option<(u8, NodeId)> {
        let at = (children.next < children.end).then_some(children.next as usize)?;
        children.next += 1;
        Some((self.child_bytes[at], self.children[at]))
    }

    /// The bytes that lead to the children of a node, ascending.
    pub(crate) fn child_bytes(&self, node: NodeId) -> &[u8] {
        let Children { next, end } = self.children(node);
        &self.child_bytes[next as usize..end as usize]
    }

    /// The child of a node that a byte leads to.
    pub(crate) fn child(&self, node: NodeId, byte: u8) -> Option<NodeId> {
        let Children { next, end } = self.children(node);
        let (next, end) = (next as usize, end as usize);
        let at = self.child_bytes[next..end].binary_search(&byte).ok()?;
        Some(self.children[next + at])
    }

    /// The byte that leads from a node to a child of it; `None` where the other is no child.
    pub(crate) fn byte_between(&self, node: NodeId, child: NodeId) -> Option<u8> {
        let Children { next, end } = self.children(node);
        let (next, end) = (next as usize, end as usize);
        let at = self.children[next..end].binary_search(&child).ok()?;
        Some(self.child_bytes[next + at])
    }

    /// The bytes on the way from a node down to one below it.
    pub(crate) fn path(&self, from: NodeId, to: NodeId) -> SmallVec<[u8; 16]> {
        let mut path = SmallVec::new();
        let mut at = from;
        while at != to {
            let mut children = self.children(at);
            let step = std::iter::from_fn(|| self.next_child(&mut children))
                .find(|&(_, child)| child <= to && to < self.end(child));
            let Some((byte, child)) = step else { break };
            path.push(byte);
            at = child;
        }
        path
    }

    /// The node that a string leads to.
    pub(crate) fn find(&self, string: &[u8]) -> Option<NodeId> {
        string.iter().try_fold(NodeId::ROOT, |node, &byte| self.child(node, byte))
    }
}

#[derive(Default)]
struct Builder {
    nodes: Vec<Node>,
    /// The last byte on the way to each node.
    bytes: Vec<u8>,
    tokens: Vec<TokenId>,
    /// The nodes whose subtrees are not complete: the path to the newest node.
    path: Vec<usize>,
}

impl Builder {
    fn open(&mut self, byte: u8) {
        self.path.push(self.nodes.len());
        self.nodes.push(Node { end: 0, tokens: self.tokens.len() as u32, children: 0 });
        self.bytes.push(byte);
    }

    /// Completes the subtrees of all nodes deeper than `depth`.
    fn close(&mut self, depth: usize) {
        for node in self.path.drain(depth + 1..) {
            self.nodes[node].end = self.nodes.len() as u32;
        }
    }

    fn finish(mut self) -> TokenTrie {
        self.close(0);
        let count = self.nodes.len();
        self.nodes[0].end = count as u32;
        let mut children = Vec::with_capacity(count);
        let mut child_bytes = Vec::with_capacity(count);
        for node in 0..count {
            self.nodes[node].children = children.len() as u32;
            let mut child = node + 1;
            while child < self.nodes[node].end as usize {
                children.push(NodeId(child as u32));
                child_bytes.push(self.bytes[child]);
                child = self.nodes[child].end as usize;
            }
        }
        let (end, tokens, first) = (count as u32, self.tokens.len() as u32, children.len() as u32);
        self.nodes.push(Node { end, tokens, children: first });
        let mut trie = TokenTrie {
            nodes: self.nodes.into(),
            children: children.into(),
            child_bytes: child_bytes.into(),
            tokens: self.tokens.into(),
            signatures: Box::default(),
            depths: Box::default(),
            node_lengths: Box::default(),
            token_lengths: Box::default(),
        };
        trie.signatures = signatures(count, |node| {
            let mut children = trie.children(NodeId(node as u32));
            let trie = &trie;
            std::iter::from_fn(move || trie.next_child(&mut children).map(|(byte, at)| (at.index(), byte)))
        });
        trie.depths = depths(&trie);
        (trie.node_lengths, trie.token_lengths) = lengths(&trie);
        trie
    }
}

/// The number of characters of each node's string, and of each token's, up to 255.
fn lengths(trie: &TokenTrie) -> (Box<[u8]>, Box<[u8]>) {
    let (mut nodes, mut tokens) = (vec![0u8; trie.len()], vec![0u8; trie.tokens.len()]);
    for node in 0..trie.len() {
        let id = NodeId(node as u32);
        let TokenRange { start, end } = trie.range_at(id);
        tokens[start as usize..end as usize].fill(nodes[node]);
        let mut children = trie.children(id);
        while let Some((byte, child)) = trie.next_child(&mut children) {
            nodes[child.index()] = nodes[node].saturating_add(begins_character(byte).into());
        }
    }
    (nodes.into(), tokens.into())
}

/// For each node, the number of characters of the longest string below it, up to 255.
fn depths(trie: &TokenTrie) -> Box<[u8]> {
    let mut depths = vec![0u8; trie.len()];
    for node in (0..trie.len()).rev() {
        let mut children = trie.children(NodeId(node as u32));
        while let Some((byte, child)) = trie.next_child(&mut children) {
            depths[node] =
                depths[node].max(depths[child.index()].saturating_add(begins_character(byte).into()));
        }
    }
    depths.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trie(strings: &[&str]) -> TokenTrie {
        let entries = strings.iter().enumerate();
        TokenTrie::new(entries.map(|(id, string)| (string.as_bytes(), TokenId(id as u32))).collect())
    }

    #[test]
    fn strings_are_found_with_their_tokens() {
        let trie = trie(&["to", "tea", "ten", "to", "t", "i"]);
        let at = |string: &str| trie.find(string.as_bytes()).map(|node| trie.tokens_at(node).to_vec());
        assert_eq!(at("to"), Some(vec![TokenId(0), TokenId(3)]));
        assert_eq!(at("te"), Some(vec![]));
        assert_eq!(at("ten"), Some(vec![TokenId(2)]));
        assert_eq!(at("x"), None);
        assert_eq!(trie.len(), 7);
    }

    #[test]
    fn tokens_are_told_by_their_number_of_characters() {
        let trie = trie(&["a", "ab", "aé", "aéé", "abcd", "b"]);
        let a = trie.find(b"a").unwrap();
        assert_eq!(trie.depth_below(a), 3);
        assert_eq!([2, 3, u32::MAX].map(|most| trie.is_all_within(a, most)), [false, true, true]);
        let within = |characters| -> Vec<u32> {
            let ranges = trie.ranges_within(a, characters).unwrap();
            ranges.flat_map(|range| trie.tokens_of(range)).map(|token| token.0).collect()
        };
        assert_eq!(within(0), [0]);
        assert_eq!(within(1), [0, 1, 2]);
        assert_eq!(within(2), [0, 1, 2, 3]);
        assert_eq!(within(3), [0, 1, 4, 2, 3]);
        assert!(trie.ranges_within(a, 254).is_none());
    }

    #[test]
    fn an_empty_trie_is_a_root() {
        let trie = trie(&[]);
        assert_eq!(trie.len(), 1);
        assert!(!trie.has_children(NodeId::ROOT));
    }
}
