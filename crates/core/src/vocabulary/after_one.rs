//! Where strings go on behind one character of a class.
//!
//! A pattern such as `^.abc` reads any character first, and then one byte of few. The nodes behind thousands of characters are
//! the same for all of them, so they are listed once for a class, by the byte that leads to each.

use super::character_class::{CharacterClass, CharacterRead};
use super::trie::{NodeId, TokenTrie};

/// The nodes to which one character of a class and one byte more lead from the root.
#[derive(Debug)]
pub(crate) struct AfterOne {
    /// Those of all bytes, byte after byte.
    nodes: Box<[NodeId]>,
    /// For each byte, where its nodes end.
    ends: Box<[u32; 256]>,
}

impl AfterOne {
    /// Lists the nodes. Takes time in proportion to them and the characters.
    pub(super) fn new(trie: &TokenTrie, class: &CharacterClass) -> Self {
        let mut by_byte = vec![Vec::new(); 256];
        let mut waiting = vec![(NodeId::ROOT, CharacterRead::NONE)];
        while let Some((node, read)) = waiting.pop() {
            let mut children = trie.children(node);
            while let Some((byte, child)) = trie.next_child(&mut children) {
                let Some(read) = read.step(byte).filter(|&read| class.may_hold(read)) else { continue };
                if read.whole().is_none() {
                    waiting.push((child, read));
                    continue;
                }
                let mut behind = trie.children(child);
                while let Some((byte, node)) = trie.next_child(&mut behind) {
                    by_byte[usize::from(byte)].push(node);
                }
            }
        }
        let mut ends = Box::new([0; 256]);
        let mut nodes = Vec::with_capacity(by_byte.iter().map(Vec::len).sum());
        for (end, of_byte) in ends.iter_mut().zip(&by_byte) {
            nodes.extend_from_slice(of_byte);
            *end = nodes.len() as u32;
        }
        Self { nodes: nodes.into(), ends }
    }

    /// The nodes to which a byte leads behind one character, in any order.
    pub(crate) fn nodes(&self, byte: u8) -> &[NodeId] {
        let start = byte.checked_sub(1).map_or(0, |before| self.ends[usize::from(before)]);
        &self.nodes[start as usize..self.ends[usize::from(byte)] as usize]
    }

    pub(super) fn memory_bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.nodes) + size_of_val(&*self.ends)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{TokenId, Vocabulary};
    use super::*;

    #[test]
    fn nodes_behind_one_character_are_listed_by_their_last_byte() {
        let texts = ["a", "ab", "abc", "éb", "日b1", "éé", "-b", "bb", "b", "日本"];
        let mut tokens: Vec<_> = texts.iter().map(|text| Some(text.as_bytes().to_vec())).collect();
        tokens.extend([Some(b"\xC3b".to_vec()), Some(b"\xC3\xA9\xC3".to_vec()), None]);
        let count = tokens.len();
        let stop = TokenId(count as u32 - 1);
        let vocabulary = Vocabulary::new(tokens, Vec::new(), vec![stop], count).unwrap();
        let class = vocabulary.class(&[(0x61, 0x61), (0xE9, 0xE9), (0x4E00, 0x9FFF)]).unwrap();
        let after = vocabulary.after_one(class);
        let trie = vocabulary.trie();
        let mut listed = Vec::new();
        for byte in 0..=u8::MAX {
            for &node in after.nodes(byte) {
                let path = trie.path(NodeId::ROOT, node);
                assert_eq!(path.last(), Some(&byte));
                listed.push(path.to_vec());
            }
        }
        listed.sort_unstable();
        let expected = [&b"ab"[..], "éb".as_bytes(), b"\xC3\xA9\xC3", "日b".as_bytes(), b"\xE6\x97\xA5\xE6"];
        let mut expected = expected.map(<[u8]>::to_vec);
        expected.sort_unstable();
        assert_eq!(listed, expected);
    }
}
