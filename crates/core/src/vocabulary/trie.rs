//! Token tries: many byte strings with a token behind each, as one array in depth-first order.
//!
//! The whole vocabulary is one such trie, and so is every set of exits of a mask walk. In depth-first
//! order the subtree of a node is the slice from the node to its `end`, and the tokens at and below it
//! are one slice of the list of tokens, so that skipping or taking a subtree is one assignment.

use super::TokenId;

/// A position in the array of nodes of a [`TokenTrie`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NodeId(pub(crate) u32);

impl NodeId {
    /// The node of the empty string.
    pub(crate) const ROOT: Self = Self(0);

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Node {
    /// One past the last node of the subtree.
    end: u32,
    /// Where the tokens of the subtree begin; those of the node itself come first.
    tokens: u32,
    /// How many bytes lead here.
    depth: u32,
    /// The last of them; 0 at the root.
    byte: u8,
}

/// A trie over byte strings; several tokens may share one string.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TokenTrie {
    /// In depth-first order, children by ascending byte, and a sentinel behind the last.
    nodes: Box<[Node]>,
    tokens: Box<[TokenId]>,
}

impl TokenTrie {
    /// The trie of some strings. Takes O(n log n) string comparisons.
    pub(crate) fn new(mut entries: Vec<(&[u8], TokenId)>) -> Self {
        entries.sort_unstable();
        entries.dedup();
        let mut builder = Builder::default();
        builder.open(0, 0);
        let mut last: &[u8] = &[];
        for (string, token) in entries {
            let common = last.iter().zip(string).take_while(|(a, b)| a == b).count();
            builder.close(common);
            for (depth, &byte) in string.iter().enumerate().skip(common) {
                builder.open(byte, depth as u32 + 1);
            }
            builder.tokens.push(token);
            last = string;
        }
        builder.finish()
    }

    /// The number of nodes, the root included.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len() - 1
    }

    /// Whether no string is in the trie.
    pub(crate) fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// The memory it takes, in bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        size_of_val(&*self.nodes) + size_of_val(&*self.tokens)
    }

    /// The last byte on the way to a node.
    pub(crate) fn byte(&self, node: NodeId) -> u8 {
        self.nodes[node.index()].byte
    }

    /// The number of bytes on the way to a node.
    pub(crate) fn depth(&self, node: NodeId) -> usize {
        self.nodes[node.index()].depth as usize
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

    /// Whether strings go on below the node.
    pub(crate) fn has_children(&self, node: NodeId) -> bool {
        self.nodes[node.index()].end > node.0 + 1
    }

    /// The children of a node, by ascending byte.
    pub(crate) fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        let end = self.end(node);
        let mut at = NodeId(node.0 + 1);
        std::iter::from_fn(move || {
            let child = (at < end).then_some(at)?;
            at = self.end(child);
            Some(child)
        })
    }

    /// The node that a string leads to.
    pub(crate) fn find(&self, string: &[u8]) -> Option<NodeId> {
        let mut node = NodeId::ROOT;
        for &byte in string {
            node = self.children(node).find(|&child| self.byte(child) == byte)?;
        }
        Some(node)
    }

    /// All strings below a node (not at it) with their tokens, the way to the node left off.
    pub(crate) fn strings_below(&self, node: NodeId, mut visit: impl FnMut(&[u8], &[TokenId])) {
        let depth = self.depth(node);
        let mut string = Vec::new();
        for at in (node.0 + 1..self.nodes[node.index()].end).map(NodeId) {
            string.truncate(self.depth(at) - depth - 1);
            string.push(self.byte(at));
            let tokens = self.tokens_at(at);
            if !tokens.is_empty() {
                visit(&string, tokens);
            }
        }
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
    fn open(&mut self, byte: u8, depth: u32) {
        self.path.push(self.nodes.len());
        self.nodes.push(Node { end: 0, tokens: self.tokens.len() as u32, depth, byte });
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
        self.nodes.push(Node { end, tokens: self.tokens.len() as u32, depth: 0, byte: 0 });
        TokenTrie { nodes: self.nodes.into(), tokens: self.tokens.into() }
    }
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
    fn the_strings_below_a_node_lose_the_way_to_it() {
        let trie = trie(&["ab", "abc", "abde", "b"]);
        let mut below = Vec::new();
        let node = trie.find(b"ab").unwrap();
        trie.strings_below(node, |string, tokens| below.push((string.to_vec(), tokens.to_vec())));
        assert_eq!(below, [(b"c".to_vec(), vec![TokenId(1)]), (b"de".to_vec(), vec![TokenId(2)])]);
    }

    #[test]
    fn an_empty_trie_is_a_root() {
        let trie = trie(&[]);
        assert!(trie.is_empty());
        assert_eq!(trie.len(), 1);
        assert!(!trie.has_children(NodeId::ROOT));
    }
}
