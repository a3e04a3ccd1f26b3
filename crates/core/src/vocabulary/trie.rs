//! Token tries: many byte strings with a token behind each, as one array in depth-first order.
//!
//! In depth-first order the subtree of a node is the slice from the node to its `end`, and the tokens at
//! and below it are one slice of the list of tokens, so that passing over a subtree is one assignment.

use super::TokenId;
use super::signature::{Signature, signatures};

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
    /// The last byte on the way here; 0 at the root.
    byte: u8,
}

/// A trie over byte strings; several tokens may share one string.
#[derive(Clone, Debug)]
pub(crate) struct TokenTrie {
    /// In depth-first order, children by ascending byte, and a sentinel behind the last.
    nodes: Box<[Node]>,
    tokens: Box<[TokenId]>,
    /// For each node, what kinds of bytes are below it.
    signatures: Box<[Signature]>,
    /// For each node, the length of the longest string below it, or 255 where it is longer.
    depths: Box<[u8]>,
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
            + size_of_val(&*self.tokens)
            + size_of_val(&*self.signatures)
            + self.depths.len()
    }

    /// The last byte on the way to a node.
    pub(crate) fn byte(&self, node: NodeId) -> u8 {
        self.nodes[node.index()].byte
    }

    /// One past the last node of the subtree of a node.
    pub(crate) fn end(&self, node: NodeId) -> NodeId {
        NodeId(self.nodes[node.index()].end)
    }

    /// The tokens whose string leads exactly to the node.
    pub(crate) fn tokens_at(&self, node: NodeId) -> &[TokenId] {
        let from = self.nodes[node.index()].tokens as usize;
        let to = self.nodes[node.index() + 1].tokens as usize;
        &self.tokens[from..to]
    }

    /// The tokens of the subtree of the node, its own first.
    pub(crate) fn tokens_below(&self, node: NodeId) -> &[TokenId] {
        let from = self.nodes[node.index()].tokens as usize;
        let to = self.nodes[self.end(node).index()].tokens as usize;
        &self.tokens[from..to]
    }

    /// What kinds of bytes are below the node, read from there on.
    pub(crate) fn signature(&self, node: NodeId) -> Signature {
        self.signatures[node.index()]
    }

    /// The length of the longest string below the node, read from there on; 255 stands for more.
    pub(crate) fn depth_below(&self, node: NodeId) -> u8 {
        self.depths[node.index()]
    }

    /// Whether strings go on below the node.
    pub(crate) fn has_children(&self, node: NodeId) -> bool {
        self.end(node) > node.next()
    }

    /// The children of a node, by ascending byte.
    pub(crate) fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        let end = self.end(node);
        let mut at = node.next();
        std::iter::from_fn(move || {
            let child = (at < end).then_some(at)?;
            at = self.end(child);
            Some(child)
        })
    }

    /// The bytes on the way from a node down to one below it.
    pub(crate) fn path(&self, from: NodeId, to: NodeId) -> Vec<u8> {
        let mut path = Vec::new();
        let mut at = from;
        while at != to {
            let Some(child) = self.children(at).find(|&child| child <= to && to < self.end(child)) else {
                break;
            };
            path.push(self.byte(child));
            at = child;
        }
        path
    }

    /// The node that a string leads to.
    pub(crate) fn find(&self, string: &[u8]) -> Option<NodeId> {
        let mut node = NodeId::ROOT;
        for &byte in string {
            node = self.children(node).find(|&child| self.byte(child) == byte)?;
        }
        Some(node)
    }
}

#[derive(Default)]
struct Builder {
    nodes: Vec<Node>,
    tokens: Vec<TokenId>,
    /// The nodes whose subtrees are not complete: the path to the newest node.
    path: Vec<usize>,
}

impl Builder {
    fn open(&mut self, byte: u8) {
        self.path.push(self.nodes.len());
        self.nodes.push(Node { end: 0, tokens: self.tokens.len() as u32, byte });
    }

    /// Completes the subtrees of all nodes deeper than `depth`.
    fn close(&mut self, depth: usize) {
        for node in self.path.drain(depth + 1..) {
            self.nodes[node].end = self.nodes.len() as u32;
        }
    }

    fn finish(mut self) -> TokenTrie {
        self.close(0);
        let end = self.nodes.len() as u32;
        self.nodes[0].end = end;
        self.nodes.push(Node { end, tokens: self.tokens.len() as u32, byte: 0 });
        let nodes = self.nodes;
        let signatures = signatures(end as usize, |node| {
            let mut at = node + 1;
            let subtree_end = nodes[node].end as usize;
            let nodes = &nodes;
            std::iter::from_fn(move || {
                let child = (at < subtree_end).then_some(at)?;
                at = nodes[child].end as usize;
                Some((child, nodes[child].byte))
            })
        });
        let depths = depths(&nodes[..end as usize]);
        TokenTrie { nodes: nodes.into(), tokens: self.tokens.into(), signatures, depths }
    }
}

/// For each node, the length of the longest string below it, up to 255.
fn depths(nodes: &[Node]) -> Box<[u8]> {
    let mut depths = vec![0u8; nodes.len()];
    for node in (0..nodes.len()).rev() {
        let mut child = node + 1;
        while child < nodes[node].end as usize {
            depths[node] = depths[node].max(depths[child].saturating_add(1));
            child = nodes[child].end as usize;
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
    fn an_empty_trie_is_a_root() {
        let trie = trie(&[]);
        assert_eq!(trie.len(), 1);
        assert!(!trie.has_children(NodeId::ROOT));
    }
}
