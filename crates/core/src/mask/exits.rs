//! The nodes at which tokens leave a frame.
//!
//! Most frames complete at few places, and these are listed. But a name can end after each of its letters: it completes at
//! every node that letters lead to, tens of thousands of them, of which its callers go on from a few hundred. Such nodes are
//! told by the slice that they are in, with how many characters lead to them where their number is bounded. A walk from there
//! asks the vocabulary where tokens leave the slice, by the bytes that its state begins with, and never sees the others.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use crate::bits::indices;
use crate::spelling::character_count;
use crate::vocabulary::{CharacterRead, Characters, NodeId, TokenTrie, Vocabulary, visit_class};

/// All nodes that one or more characters of some kinds of ASCII, or of a class, lead to from one node, as far as these are not
/// too few or too many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct SliceNodes {
    /// The node above them.
    pub(super) below: NodeId,
    pub(super) characters: Characters,
    /// So many of the characters lead to each at least: one or more.
    pub(super) least: u32,
    /// So many at most; `u32::MAX` for any number.
    pub(super) most: u32,
}

impl SliceNodes {
    /// All that any number of characters lead to.
    pub(super) fn all(below: NodeId, characters: Characters) -> Self {
        Self { below, characters, least: 1, most: u32::MAX }
    }

    /// Whether it does not matter how many characters lead to a node.
    pub(super) fn are_all(self) -> bool {
        self.counts() == (1..=u32::MAX)
    }

    /// How many characters lead to the nodes.
    pub(super) fn counts(self) -> RangeInclusive<u32> {
        self.least..=self.most
    }

    /// Visits each of the nodes once.
    fn visit(self, vocabulary: &Vocabulary, mut visit: impl FnMut(NodeId)) {
        let trie = vocabulary.trie();
        let kinds = match self.characters {
            Characters::Kinds(kinds) => kinds,
            Characters::Class(class) => {
                let (class, counts) = (vocabulary.class_of(class), self.counts());
                return visit_class(trie, self.below, &class, |node, characters| {
                    if counts.contains(&characters) {
                        visit(node);
                    }
                });
            }
        };
        let (first, are_all) = (kinds.first_bytes(), self.are_all());
        let mut path = vec![trie.children(self.below)];
        while let Some(children) = path.last_mut() {
            let Some((byte, child)) = trie.next_child(children) else {
                path.pop();
                continue;
            };
            if !first.contains(byte) {
                continue;
            }
            let count = path.len() as u32;
            if are_all && trie.signature(child).is_within(kinds) {
                (child.0..trie.end(child).0).map(NodeId).for_each(&mut visit);
                continue;
            }
            if self.least <= count {
                visit(child);
            }
            if count < self.most {
                path.push(trie.children(child));
            }
        }
    }

    fn contains(self, node: NodeId, vocabulary: &Vocabulary) -> bool {
        let trie = vocabulary.trie();
        if node <= self.below || trie.end(self.below) <= node {
            return false;
        }
        let path = trie.path(self.below, node);
        self.are_within(&path, vocabulary) && self.counts().contains(&(character_count(&path) as u32))
    }

    /// Whether a path is one of these characters.
    fn are_within(self, path: &[u8], vocabulary: &Vocabulary) -> bool {
        match self.characters {
            Characters::Kinds(kinds) => {
                let first = kinds.first_bytes();
                path.iter().all(|&byte| first.contains(byte))
            }
            Characters::Class(class) => {
                let class = vocabulary.class_of(class);
                let last = path.iter().try_fold(CharacterRead::NONE, |read, &byte| {
                    read.step(byte).filter(|&read| class.may_hold(read))
                });
                last.is_some_and(|read| read.whole().is_some())
            }
        }
    }
}

/// Nodes of the trie at which a frame completes: those listed, and all within some slices.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ExitNodes {
    /// Ascending.
    pub(super) listed: Box<[NodeId]>,
    /// Ascending. Of their nodes, those count below which strings go on.
    pub(super) slices: Box<[SliceNodes]>,
}

impl ExitNodes {
    /// Just some nodes, ascending.
    pub(super) fn of(listed: &[NodeId]) -> Self {
        Self { listed: listed.into(), slices: Box::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.listed.is_empty() && self.slices.is_empty()
    }

    /// All nodes, ascending. Takes time in proportion to their number, where there are slices.
    pub(super) fn all(&self, vocabulary: &Vocabulary) -> Cow<'_, [NodeId]> {
        match self.slices.is_empty() {
            true => Cow::Borrowed(&self.listed),
            false => Cow::Owned(self.listed_with(&self.slices, vocabulary)),
        }
    }

    /// The nodes listed and those within some slices below which strings go on, ascending.
    pub(super) fn listed_with(&self, slices: &[SliceNodes], vocabulary: &Vocabulary) -> Vec<NodeId> {
        let trie = vocabulary.trie();
        let mut nodes = self.listed.to_vec();
        for slice in slices {
            slice.visit(vocabulary, |node| nodes.extend(trie.has_children(node).then_some(node)));
        }
        sort(&mut nodes, trie);
        nodes
    }

    /// The nodes within the slices below which no strings go on: the frame completes there with the last byte of a token.
    pub(super) fn ends(&self, vocabulary: &Vocabulary) -> Vec<NodeId> {
        let trie = vocabulary.trie();
        let mut nodes = Vec::new();
        for slice in &self.slices {
            slice.visit(vocabulary, |node| nodes.extend((!trie.has_children(node)).then_some(node)));
        }
        nodes
    }

    /// Whether a node below which strings go on is one of these.
    pub(super) fn contains(&self, node: NodeId, vocabulary: &Vocabulary) -> bool {
        self.listed.binary_search(&node).is_ok()
            || self.slices.iter().any(|slice| slice.contains(node, vocabulary))
    }

    pub(super) fn memory_bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.listed) + size_of_val(&*self.slices)
    }
}

/// Sorts nodes, and drops those that are there already.
pub(super) fn sort(nodes: &mut Vec<NodeId>, trie: &TokenTrie) {
    /// As many are sooner marked among all nodes than compared: those of one word of marks.
    const NODES_PER_MARKED: usize = u64::BITS as usize;
    if nodes.len() * NODES_PER_MARKED < trie.len() {
        // Of what was found below one node after another, long runs are in order: a stable sort merges those.
        nodes.sort();
        return nodes.dedup();
    }
    let mut marks = vec![0u64; trie.len().div_ceil(NODES_PER_MARKED)];
    for node in nodes.iter() {
        marks[node.index() / NODES_PER_MARKED] |= 1 << (node.index() % NODES_PER_MARKED);
    }
    nodes.clear();
    indices(marks).for_each(|at| nodes.push(NodeId(at as u32)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::byte_set::ByteSet;
    use crate::vocabulary::{Signature, TokenId};

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
            nodes.extend_from_within(..count / 2);
            let mut expected = nodes.clone();
            expected.sort_unstable();
            expected.dedup();
            sort(&mut nodes, trie);
            assert_eq!(nodes, expected);
        }
    }

    #[test]
    fn the_nodes_of_a_slice_are_those_that_its_characters_lead_to() {
        let texts = ["a", "ab", "ab1", "b2c", "b", "b!", "b!a", "a-b", "aé", "éa", "1", "12", "a\u{80}"];
        let tokens =
            texts.iter().map(|text| Some(text.as_bytes().to_vec())).chain([Some(vec![b'a', 0xFF]), None]);
        let vocabulary = Vocabulary::new(tokens.collect(), vec![], vec![TokenId(14)], 15).unwrap();
        let trie = vocabulary.trie();
        let letters = Signature::of_any(&ByteSet::range(b'a', b'z'));
        let kinds = [letters, Signature::DIGITS, Signature::of(b'b'), Signature::of(b'!')];
        let is_letter = |character: char| character.is_ascii_lowercase() || character == 'é';
        let class = vocabulary.class(&[(0x61, 0x7A), (0xE9, 0xE9)]).unwrap();
        for characters in kinds.map(Characters::Kinds).into_iter().chain([Characters::Class(class)]) {
            for below in (0..trie.len() as u32).map(NodeId) {
                let all = SliceNodes::all(below, characters);
                for (least, most) in [(1, u32::MAX), (2, u32::MAX), (1, 1), (2, 3)] {
                    compare_slice(SliceNodes { least, most, ..all }, &vocabulary, is_letter);
                }
            }
        }
    }

    fn compare_slice(slice: SliceNodes, vocabulary: &Vocabulary, is_letter: impl Fn(char) -> bool) {
        let (trie, SliceNodes { below, characters, .. }) = (vocabulary.trie(), slice);
        let exits = ExitNodes { listed: Box::default(), slices: Box::new([slice]) };
        let is_in = |node: NodeId| {
            let path = trie.path(below, node);
            let text = std::str::from_utf8(&path);
            let are_in = match characters {
                Characters::Kinds(kinds) => {
                    path.iter().all(|&byte| byte.is_ascii() && Signature::of(byte).is_within(kinds))
                }
                Characters::Class(_) => text.is_ok_and(|text| text.chars().all(&is_letter)),
            };
            let counts = text.is_ok_and(|text| slice.counts().contains(&(text.chars().count() as u32)));
            below < node && node < trie.end(below) && are_in && counts
        };
        let nodes = (below.0..trie.end(below).0).map(NodeId).filter(|&node| is_in(node));
        let (expected, ends): (Vec<_>, Vec<_>) = nodes.partition(|&node| trie.has_children(node));
        assert_eq!(*exits.all(vocabulary), *expected);
        assert_eq!(exits.ends(vocabulary), ends);
        let found = (0..trie.len() as u32).map(NodeId).filter(|&node| exits.contains(node, vocabulary));
        assert!(found.filter(|&node| trie.has_children(node)).eq(expected.iter().copied()));
    }
}
