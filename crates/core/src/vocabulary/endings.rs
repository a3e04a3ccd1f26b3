//! Nodes of the trie by what their strings end with.
//!
//! Free text opens a tag, or is broken off, wherever a token completes one of its strings, whatever stands before that in
//! the token. So the nodes are looked up by the last bytes on the way to them, as children are by the next one.

use super::trie::{NodeId, TokenTrie};

/// All nodes of a trie but its root, by the last bytes of their strings.
#[derive(Debug)]
pub(crate) struct Endings {
    /// The last bytes of each node's string, the very last one first, above the number of the node. Ascending.
    nodes: Box<[u64]>,
}

impl Endings {
    /// How many of the last bytes are kept; a string of fewer is filled up with zeros.
    const KEPT: usize = 4;

    /// Lists the nodes. Takes O(n log n) time for n of them, some milliseconds for 128,000 tokens.
    pub(super) fn new(trie: &TokenTrie) -> Self {
        let mut last = vec![0; trie.len()];
        for node in 0..trie.len() {
            let above = last[node] >> 8;
            let mut children = trie.children(NodeId(node as u32));
            while let Some((byte, child)) = trie.next_child(&mut children) {
                last[child.index()] = u32::from(byte) << 24 | above;
            }
        }
        let numbered = last.into_iter().zip(0..).skip(1);
        let mut nodes: Box<[u64]> =
            numbered.map(|(last, node): (u32, u32)| u64::from(last) << 32 | u64::from(node)).collect();
        nodes.sort_unstable();
        Self { nodes }
    }

    /// The nodes whose strings end with some bytes, in any order. Takes two binary searches, and a look-up below each node that
    /// ends with the first few of these bytes.
    pub(crate) fn nodes<'a>(
        &'a self,
        ending: &'a [u8],
        trie: &'a TokenTrie,
    ) -> impl Iterator<Item = NodeId> + use<'a> {
        let (first, rest) = ending.split_at(ending.len().min(Self::KEPT));
        let mut last = [0; Self::KEPT];
        last.iter_mut().zip(first.iter().rev()).for_each(|(kept, &byte)| *kept = byte);
        let least = u64::from(u32::from_be_bytes(last)) << 32;
        let greatest = least | u64::MAX.checked_shr(8 * first.len() as u32).unwrap_or(0);
        let start = self.nodes.partition_point(|&node| node < least);
        let end = self.nodes.partition_point(|&node| node <= greatest);
        // Zeros may be what a shorter string is filled up with.
        let are_those = !first.contains(&0);
        let nodes = self.nodes[start..end].iter().map(|&node| NodeId(node as u32));
        nodes
            .filter(move |&node| are_those || trie.path(NodeId::ROOT, node).ends_with(first))
            .filter_map(|node| rest.iter().try_fold(node, |node, &byte| trie.child(node, byte)))
    }

    pub(super) fn memory_bytes(&self) -> usize {
        size_of_val(&*self.nodes)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{TokenId, Vocabulary};
    use super::*;

    #[test]
    fn nodes_are_found_by_what_their_strings_end_with() {
        let texts = [
            "a",
            "banana",
            "an",
            "ban",
            "nab",
            "日本",
            "本",
            "b\0",
            "\0",
            "\0\0a",
            "abcdefghij",
            "xcdefghij",
        ];
        let mut tokens: Vec<_> = texts.iter().map(|text| Some(text.as_bytes().to_vec())).collect();
        tokens.extend([Some(b"\xFFan".to_vec()), None]);
        let count = tokens.len();
        let stop = TokenId(count as u32 - 1);
        let vocabulary = Vocabulary::new(tokens, Vec::new(), vec![stop], count).unwrap();
        let trie = vocabulary.trie();
        let strings: Vec<_> =
            (1..trie.len() as u32).map(|node| trie.path(NodeId::ROOT, NodeId(node)).to_vec()).collect();
        let endings = strings.iter().flat_map(|string| (0..string.len()).map(|start| &string[start..]));
        for ending in endings.chain([&b"c"[..], b"zan", b"\0an", b"\0\0\0\0a", b"bcdefghij"]) {
            let mut found: Vec<u32> = vocabulary.endings().nodes(ending, trie).map(|node| node.0).collect();
            found.sort_unstable();
            let expected: Vec<u32> = (1..)
                .zip(&strings)
                .filter(|(_, string)| string.ends_with(ending))
                .map(|(node, _)| node)
                .collect();
            assert_eq!(found, expected, "{ending:?}");
        }
    }
}
