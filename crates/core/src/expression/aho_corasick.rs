//! Where fixed strings occur in a text that is read byte by byte.
//!
//! The automaton of Aho and Corasick ("Efficient string matching", 1975): the trie of the strings, in which the
//! node after a text is its longest suffix that begins one of the strings. Nodes are numbered in the order of their
//! strings, so one list of strings gives one automaton. Two facts beside the classical ones are kept for each
//! node, because [free text](super::free_text) asks for them: how far back the earliest occurrence within the
//! node's string begins, and how far into a character of UTF-8 that string ends.

use super::ByteSet;
use crate::vocabulary::Utf8State;

/// A node of an [`AhoCorasick`]: the beginning of one of its strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct StringNode(u32);

impl StringNode {
    /// The node of the empty string.
    pub(super) const ROOT: Self = Self(0);

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Copy, Debug)]
struct Node {
    parent: StringNode,
    /// The longest proper suffix of the node's string that is a node.
    suffix: StringNode,
    depth: u32,
    /// The longest string that ends here, by its place in the list.
    longest: Option<u32>,
    /// How many bytes back the earliest occurrence of a string within the node's string begins; 0 for none.
    reach: u32,
    /// How far into a character of UTF-8 the node's string ends.
    character: Utf8State,
    /// Where its edges begin and end.
    edges: (u32, u32),
}

/// The automaton of a list of strings. Immutable.
#[derive(Debug)]
pub(super) struct AhoCorasick {
    /// Sorted, distinct, not empty, each valid UTF-8.
    strings: Box<[Box<[u8]>]>,
    /// A node comes after its parent, and its descendants come right after it.
    nodes: Box<[Node]>,
    /// For each node the bytes that lead elsewhere than from the root, ascending, and where they lead.
    edges: Box<[(u8, StringNode)]>,
    /// Where each byte leads from the root: to a child or back.
    from_root: Box<[StringNode; 256]>,
    first_bytes: ByteSet,
}

impl AhoCorasick {
    /// The automaton of some strings, sorted, distinct and not empty; `None` where it has more than `limit` nodes
    /// and edges.
    ///
    /// Takes time and memory in proportion to the nodes and edges. There is a node for each byte of a string
    /// that no other string shares. Edges are few more, unless suffixes of the strings begin many others.
    pub(super) fn new(strings: Vec<Box<[u8]>>, limit: usize) -> Option<Self> {
        debug_assert!(strings.is_sorted_by(|a, b| a < b), "the strings are sorted and distinct");
        let (mut nodes, children) = trie(&strings, limit)?;
        let mut from_root = Box::new([StringNode::ROOT; 256]);
        let mut first_bytes = ByteSet::EMPTY;
        for &(byte, child) in children.of(StringNode::ROOT) {
            from_root[usize::from(byte)] = child;
            first_bytes.insert(byte);
        }
        let mut edges: Vec<(u8, StringNode)> = Vec::with_capacity(nodes.len());
        // Breadth first: suffixes are shorter than what they are suffixes of.
        let mut order: Vec<StringNode> =
            children.of(StringNode::ROOT).iter().map(|&(_, child)| child).collect();
        let mut at = 0;
        while let Some(&node) = order.get(at) {
            at += 1;
            let suffix = nodes[node.index()].suffix;
            let begin = edges.len();
            merge(children.of(node), nodes[suffix.index()].edges, &mut edges);
            nodes[node.index()].edges = (begin as u32, edges.len() as u32);
            if nodes.len() + edges.len() > limit {
                return None;
            }
            let suffix_node = nodes[suffix.index()];
            let this = &mut nodes[node.index()];
            this.longest = this.longest.or(suffix_node.longest);
            let length = this.longest.map_or(0, |string| strings[string as usize].len() as u32);
            let this = *this;
            let before = nodes[this.parent.index()].reach;
            let reach = if before == 0 { length } else { length.max(before + 1) };
            nodes[node.index()].reach = reach;
            for &(byte, child) in children.of(node) {
                let (first, end) = suffix_node.edges;
                let known = find(&edges[first as usize..end as usize], byte);
                nodes[child.index()].suffix = known.unwrap_or(from_root[usize::from(byte)]);
                order.push(child);
            }
        }
        Some(Self {
            strings: strings.into(),
            nodes: nodes.into(),
            edges: edges.into(),
            from_root,
            first_bytes,
        })
    }

    /// The strings, sorted and distinct.
    pub(super) fn strings(&self) -> &[Box<[u8]>] {
        &self.strings
    }

    /// The number of nodes and edges: a measure of the memory in use.
    pub(super) fn size(&self) -> usize {
        self.nodes.len() + self.edges.len()
    }

    /// The nodes, each after its parent.
    pub(super) fn nodes(&self) -> impl DoubleEndedIterator<Item = StringNode> + use<> {
        (0..self.nodes.len() as u32).map(StringNode)
    }

    /// The node of all of a node's string but its last byte; the root is its own.
    pub(super) fn parent(&self, node: StringNode) -> StringNode {
        self.nodes[node.index()].parent
    }

    /// The length of a node's string.
    pub(super) fn depth(&self, node: StringNode) -> u32 {
        self.nodes[node.index()].depth
    }

    /// The longest string that ends at a node, by its place in the list.
    pub(super) fn longest(&self, node: StringNode) -> Option<usize> {
        self.nodes[node.index()].longest.map(|string| string as usize)
    }

    /// The string that a node is the whole of, by its place in the list.
    pub(super) fn whole(&self, node: StringNode) -> Option<usize> {
        let is_whole = |&string: &usize| self.strings[string].len() == self.depth(node) as usize;
        self.longest(node).filter(is_whole)
    }

    /// How many bytes back the earliest occurrence of a string within a node's string begins; 0 for none.
    pub(super) fn reach(&self, node: StringNode) -> u32 {
        self.nodes[node.index()].reach
    }

    /// How far into a character of UTF-8 a node's string ends.
    pub(super) fn character(&self, node: StringNode) -> Utf8State {
        self.nodes[node.index()].character
    }

    /// The node after one byte more.
    pub(super) fn step(&self, node: StringNode, byte: u8) -> StringNode {
        find(self.edges_of(node), byte).unwrap_or(self.from_root[usize::from(byte)])
    }

    /// The bytes after which a node does not lead to the root; all others do.
    pub(super) fn bytes(&self, node: StringNode) -> ByteSet {
        self.first_bytes.union(&self.edge_bytes(node))
    }

    /// The bytes after which a node may lead elsewhere than the root does.
    pub(super) fn edge_bytes(&self, node: StringNode) -> ByteSet {
        self.edges_of(node).iter().map(|&(byte, _)| byte).collect()
    }

    fn edges_of(&self, node: StringNode) -> &[(u8, StringNode)] {
        let (first, end) = self.nodes[node.index()].edges;
        &self.edges[first as usize..end as usize]
    }
}

fn find(edges: &[(u8, StringNode)], byte: u8) -> Option<StringNode> {
    let at = edges.binary_search_by_key(&byte, |&(byte, _)| byte).ok()?;
    Some(edges[at].1)
}

/// The children of all nodes, with the bytes that lead to them, ascending.
struct Children {
    ends: Vec<u32>,
    list: Vec<(u8, StringNode)>,
}

impl Children {
    fn of(&self, node: StringNode) -> &[(u8, StringNode)] {
        let first = if node == StringNode::ROOT { 0 } else { self.ends[node.index() - 1] };
        &self.list[first as usize..self.ends[node.index()] as usize]
    }
}

/// The trie of sorted strings: its nodes, without suffixes and edges, and their children.
fn trie(strings: &[Box<[u8]>], limit: usize) -> Option<(Vec<Node>, Children)> {
    let root = Node {
        parent: StringNode::ROOT,
        suffix: StringNode::ROOT,
        depth: 0,
        longest: None,
        reach: 0,
        character: Utf8State::BOUNDARY,
        edges: (0, 0),
    };
    let mut nodes = vec![root];
    let mut bytes = vec![0u8];
    let mut path = vec![StringNode::ROOT];
    let mut last: &[u8] = &[];
    for (at, string) in strings.iter().enumerate() {
        let common = last.iter().zip(string).take_while(|(a, b)| a == b).count();
        path.truncate(common + 1);
        for (depth, &byte) in string.iter().enumerate().skip(common) {
            if nodes.len() >= limit.min(u32::MAX as usize) {
                return None;
            }
            let parent = path[depth];
            // Where a string were no UTF-8, no text would hold it, whatever stands here.
            let character = nodes[parent.index()].character.step(byte).unwrap_or(Utf8State::BOUNDARY);
            path.push(StringNode(nodes.len() as u32));
            nodes.push(Node { parent, depth: depth as u32 + 1, character, ..root });
            bytes.push(byte);
        }
        nodes[path[string.len()].index()].longest = Some(at as u32);
        last = string;
    }
    let mut ends = vec![0u32; nodes.len()];
    nodes.iter().skip(1).for_each(|node| ends[node.parent.index()] += 1);
    let mut sum = 0;
    for end in &mut ends {
        let count = *end;
        *end = sum;
        sum += count;
    }
    let mut list = vec![(0, StringNode::ROOT); nodes.len() - 1];
    for (at, node) in nodes.iter().enumerate().skip(1) {
        let end = &mut ends[node.parent.index()];
        list[*end as usize] = (bytes[at], StringNode(at as u32));
        *end += 1;
    }
    Some((nodes, Children { ends, list }))
}

/// Adds the children of a node and those edges of its suffix that they leave as they are.
fn merge(children: &[(u8, StringNode)], suffix: (u32, u32), edges: &mut Vec<(u8, StringNode)>) {
    let mut children = children.iter().copied().peekable();
    for at in suffix.0..suffix.1 {
        let edge = edges[at as usize];
        while let Some(child) = children.next_if(|child| child.0 < edge.0) {
            edges.push(child);
        }
        if children.peek().is_none_or(|child| child.0 != edge.0) {
            edges.push(edge);
        }
    }
    edges.extend(children);
}

#[cfg(test)]
mod tests {
    use super::super::every_text::texts;
    use super::*;

    fn automaton(strings: &[&str]) -> AhoCorasick {
        let mut strings: Vec<Box<[u8]>> = strings.iter().map(|string| string.as_bytes().into()).collect();
        strings.sort_unstable();
        AhoCorasick::new(strings, 1000).unwrap()
    }

    #[test]
    fn the_node_after_a_text_is_its_longest_suffix_that_begins_a_string() {
        for strings in
            [&["abc", "bca", "b", "aab"][..], &["a"], &["aaa", "aab"], &["ab", "ba", "abab", "cab"], &[]]
        {
            let automaton = automaton(strings);
            for text in texts(b"abc", 6) {
                let node = text.iter().fold(StringNode::ROOT, |node, &byte| automaton.step(node, byte));
                let begins =
                    |suffix: &[u8]| strings.iter().any(|string| string.as_bytes().starts_with(suffix));
                let depth =
                    (1..=text.len()).rev().find(|&length| begins(&text[text.len() - length..])).unwrap_or(0);
                assert_eq!(automaton.depth(node) as usize, depth, "{strings:?} {text:?}");
                let ends = |string: &&&str| text.ends_with(string.as_bytes());
                let longest = strings.iter().filter(ends).map(|string| string.len()).max();
                let found = automaton.longest(node).map(|string| automaton.strings()[string].len());
                assert_eq!(found, longest, "{strings:?} {text:?}");
                let own = &text[text.len() - depth..];
                let occurs =
                    |start: &usize| strings.iter().any(|string| own[*start..].starts_with(string.as_bytes()));
                let reach = (0..depth).find(occurs).map_or(0, |start| depth - start);
                assert_eq!(automaton.reach(node) as usize, reach, "{strings:?} {text:?}");
                for byte in 0..=255 {
                    let leads_back = automaton.step(node, byte) == StringNode::ROOT;
                    assert_eq!(automaton.bytes(node).contains(byte), !leads_back);
                }
            }
        }
    }

    #[test]
    fn too_large_an_automaton_is_not_made() {
        let strings = |count: usize| vec![vec![b'a'; count].into_boxed_slice()];
        assert!(AhoCorasick::new(strings(400), 1000).is_some());
        assert!(AhoCorasick::new(strings(600), 1000).is_none());
    }
}
