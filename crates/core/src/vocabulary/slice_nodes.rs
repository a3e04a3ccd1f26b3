//! The nodes within a slice from which one of its characters goes on, by the byte with which it does.
//!
//! A name can end after each of its letters, and what comes after it may begin with a letter itself, as a keyword does, or a text with
//! blanks before " and ". Of the tens of thousands of nodes at which it may begin, that is read from those few only from which just
//! this letter leads on.

use super::class_slice::visit_class;
use super::trie::NodeId;
use super::{Characters, Vocabulary};

/// A node that the first byte of a character leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeBehind {
    pub(crate) node: NodeId,
    /// The number of characters before that byte.
    pub(crate) characters: u32,
}

/// The nodes that a byte leads to with which a character of a slice begins, from those that one or more characters lead to from
/// one node, by that byte. The slice is of kinds of ASCII, or of a class.
#[derive(Debug)]
pub(crate) struct SliceNodesByByte {
    /// For each byte: its nodes, ascending.
    nodes: Box<[Box<[NodeBehind]>; 256]>,
}

impl SliceNodesByByte {
    /// Takes time in proportion to the nodes within the slice.
    pub(super) fn new(vocabulary: &Vocabulary, below: NodeId, characters: Characters) -> Self {
        let (trie, first) = (&vocabulary.trie, vocabulary.first_bytes_of(characters));
        let mut nodes: [Vec<NodeBehind>; 256] = std::array::from_fn(|_| Vec::new());
        let mut visit = |node, characters| {
            let mut children = trie.children(node);
            while let Some((byte, node)) = trie.next_child(&mut children) {
                if first.contains(byte) {
                    nodes[usize::from(byte)].push(NodeBehind { node, characters });
                }
            }
        };
        match characters {
            Characters::Class(class) => visit_class(trie, below, &vocabulary.class_of(class), visit),
            Characters::Kinds(_) => {
                let mut path = vec![trie.children(below)];
                while let Some(children) = path.last_mut() {
                    match trie.next_child(children) {
                        Some((byte, child)) if first.contains(byte) => {
                            visit(child, path.len() as u32);
                            path.push(trie.children(child));
                        }
                        Some(_) => {}
                        None => drop(path.pop()),
                    }
                }
            }
        }
        Self { nodes: Box::new(nodes.map(Vec::into_boxed_slice)) }
    }

    /// The number of all of them.
    pub(crate) fn count(&self) -> usize {
        self.nodes.iter().map(|nodes| nodes.len()).sum()
    }

    /// The nodes that a byte leads to, ascending.
    pub(crate) fn behind(&self, byte: u8) -> &[NodeBehind] {
        &self.nodes[usize::from(byte)]
    }

    pub(super) fn memory_bytes(&self) -> usize {
        size_of_val(&*self.nodes) + self.count() * size_of::<NodeBehind>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::byte_set::ByteSet;
    use crate::vocabulary::{Signature, TokenId};

    #[test]
    fn nodes_are_told_by_the_last_of_two_or_more_characters() {
        let texts = ["a", "ab", "aba", "ab1b", "b", "bb!b", "1b", "éb", "aé"];
        let tokens = texts.iter().map(|text| Some(text.as_bytes().to_vec())).chain([None]).collect();
        let vocabulary = Vocabulary::new(tokens, vec![], vec![TokenId(9)], 10).unwrap();
        let trie = vocabulary.trie();
        let letters = Characters::Kinds(Signature::of_any(&ByteSet::range(b'a', b'z')));
        let class = Characters::Class(vocabulary.class(&[(0x61, 0x7A), (0xE9, 0xE9)]).unwrap());
        let of =
            |below: &[u8], letters| SliceNodesByByte::new(&vocabulary, trie.find(below).unwrap(), letters);
        let texts_behind = |nodes: &SliceNodesByByte, byte| {
            let text = |behind: &NodeBehind| trie.path(NodeId::ROOT, behind.node).to_vec();
            nodes.behind(byte).iter().map(|behind| (text(behind), behind.characters)).collect::<Vec<_>>()
        };
        for letters in [letters, class] {
            let all = of(b"", letters);
            assert_eq!(texts_behind(&all, b'a'), [(b"aba".to_vec(), 2)]);
            assert!([b'1', b'!'].iter().all(|&byte| all.behind(byte).is_empty()));
            assert_eq!(texts_behind(&of(b"a", letters), b'a'), [(b"aba".to_vec(), 1)]);
            assert!(of(b"a", letters).behind(b'b').is_empty(), "one character leads there");
        }
        let (all, with_class) = (of(b"", letters), of(b"", class));
        assert_eq!(texts_behind(&all, b'b'), [(b"ab".to_vec(), 1), (b"bb".to_vec(), 1)]);
        assert!(all.behind(0xC3).is_empty());
        let expected = [&b"ab"[..], b"bb", "éb".as_bytes()].map(|text| (text.to_vec(), 1));
        assert_eq!(texts_behind(&with_class, b'b'), expected);
        assert_eq!(texts_behind(&with_class, 0xC3), [(b"a\xC3".to_vec(), 1)]);
    }
}
