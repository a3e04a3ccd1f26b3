//! The nodes within a slice, by the byte that leads to each.
//!
//! A name can end after each of its letters, and what comes after it may begin with a letter itself, as a keyword does. Of the
//! tens of thousands of nodes at which it may begin, that is read below those few from which just this letter leads on.

use super::signature::Signature;
use super::trie::{NodeId, TokenTrie};

/// The nodes that two or more characters of some kinds of ASCII lead to from one node, by the last of them.
#[derive(Debug)]
pub(crate) struct SliceNodesByByte {
    /// For each byte: its nodes, ascending.
    nodes: Box<[Box<[NodeId]>; 128]>,
}

impl SliceNodesByByte {
    /// Takes time in proportion to the nodes within the slice.
    pub(super) fn new(trie: &TokenTrie, below: NodeId, kinds: Signature) -> Self {
        let bytes = kinds.first_bytes();
        let mut nodes: [Vec<NodeId>; 128] = std::array::from_fn(|_| Vec::new());
        let mut path = vec![trie.children(below)];
        while let Some(children) = path.last_mut() {
            let Some((byte, child)) = trie.next_child(children) else {
                path.pop();
                continue;
            };
            if !bytes.contains(byte) {
                continue;
            }
            if let Some(nodes) = nodes.get_mut(usize::from(byte)).filter(|_| path.len() > 1) {
                nodes.push(child);
            }
            path.push(trie.children(child));
        }
        Self { nodes: Box::new(nodes.map(Vec::into_boxed_slice)) }
    }

    /// The number of all of them.
    pub(crate) fn count(&self) -> usize {
        self.nodes.iter().map(|nodes| nodes.len()).sum()
    }

    /// The nodes that a byte leads to, ascending.
    pub(crate) fn behind(&self, byte: u8) -> &[NodeId] {
        self.nodes.get(usize::from(byte)).map_or(&[], |nodes| nodes)
    }

    pub(super) fn memory_bytes(&self) -> usize {
        size_of_val(&*self.nodes) + self.count() * size_of::<NodeId>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::byte_set::ByteSet;
    use crate::vocabulary::{TokenId, Vocabulary};

    #[test]
    fn nodes_are_told_by_the_last_of_two_or_more_characters() {
        let texts = ["a", "ab", "aba", "ab1b", "b", "bb!b", "1b", "éb", "aé"];
        let tokens = texts.iter().map(|text| Some(text.as_bytes().to_vec())).chain([None]).collect();
        let vocabulary = Vocabulary::new(tokens, vec![], vec![TokenId(9)], 10).unwrap();
        let trie = vocabulary.trie();
        let letters = Signature::of_any(&ByteSet::range(b'a', b'z'));
        let of = |below: &[u8]| SliceNodesByByte::new(trie, trie.find(below).unwrap(), letters);
        let texts_behind = |nodes: &SliceNodesByByte, byte| {
            let texts = nodes.behind(byte).iter().map(|&node| trie.path(NodeId::ROOT, node));
            texts.map(|text| String::from_utf8(text.to_vec()).unwrap()).collect::<Vec<_>>()
        };
        let all = of(b"");
        assert_eq!(texts_behind(&all, b'b'), ["ab", "bb"]);
        assert_eq!(texts_behind(&all, b'a'), ["aba"]);
        assert!([b'1', b'!', 0xC3].iter().all(|&byte| all.behind(byte).is_empty()));
        assert_eq!(texts_behind(&of(b"a"), b'a'), ["aba"]);
        assert!(of(b"a").behind(b'b').is_empty(), "one character leads there");
    }
}
