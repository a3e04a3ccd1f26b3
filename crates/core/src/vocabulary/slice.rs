//! What a state that loops on kinds of characters, or counts them, makes of the vocabulary, as far as it does.
//!
//! Inside a JSON string, for example, nine tokens of ten are made of characters that change nothing. Which
//! those are depends on the kinds alone, and so do the places where other tokens leave them. A [`Slice`]
//! holds both; the vocabulary makes it when a state first loops on the kinds, and keeps it for all others. A
//! [`SliceBelow`] is the same for one great subtree, such as all tokens that begin with a quote.

use std::ops::{Range, RangeInclusive};
use std::sync::{Arc, OnceLock};

use super::by_length::{ByLength, known_or_made, row_of_lists};
use super::signature::{Signature, Utf8State};
use super::trie::{NodeId, TokenRange, TokenTrie};
use super::{TokenId, Vocabulary};
use crate::byte_set::ByteSet;
use crate::spelling::character_count;

/// The tokens made of characters of some kinds, and where all other tokens leave those kinds.
#[derive(Debug)]
pub(crate) struct Slice {
    /// A mask row of the tokens that are made of such characters only, one cut short at the end included.
    pub(crate) inside: Arc<[u32]>,
    /// The same tokens by their numbers of characters. Made when it is first asked for.
    by_length: OnceLock<ByLength>,
    /// The same for the root of the trie.
    pub(crate) below: Arc<SliceBelow>,
}

/// The same of the strings below one node of the trie, read from there on.
#[derive(Debug)]
pub(crate) struct SliceBelow {
    pub(crate) node: NodeId,
    /// The tokens that are made of such characters only, but for those of the node itself; ascending, and apart.
    pub(crate) ranges: Box<[TokenRange]>,
    /// The nodes above the exits, each after the one above it; the node itself is the first.
    pub(crate) stems: Box<[Stem]>,
    /// The indices of the stems above exits that are not by a control character, ascending: few of those of a text.
    pub(crate) stems_in_text: Box<[u32]>,
    /// Where tokens leave these kinds, by the byte with which they do, ascending.
    pub(crate) exits: Box<[SliceExits]>,
}

/// A node above the exits of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stem {
    /// The index of the node above it; its own for the root.
    pub(crate) above: u32,
    /// The byte that leads from there.
    pub(crate) byte: u8,
}

/// Where tokens leave the kinds of a slice with one byte.
#[derive(Debug)]
pub(crate) struct SliceExits {
    pub(crate) byte: u8,
    /// The nodes that the byte leads to: first those below which strings go on, then those below which none does,
    /// each ascending. A node may also be one where a character of the kinds begins that some tokens below spell
    /// wrongly.
    pub(crate) nodes: Box<[NodeId]>,
    /// For each node, the number of characters before the byte.
    pub(crate) characters: Box<[u32]>,
    /// For each node, the index of the stem above it.
    pub(crate) stems: Box<[u32]>,
    /// The number of nodes below which strings go on.
    going_on: usize,
    /// The tokens that end with the byte.
    pub(crate) tokens: Box<[TokenId]>,
    /// The least and the greatest number of characters before the byte.
    pub(crate) bounds: RangeInclusive<u32>,
}

impl SliceExits {
    pub(super) fn new(byte: u8, mut exits: Vec<(NodeId, u32, u32)>, trie: &TokenTrie) -> Self {
        if !exits.is_sorted() {
            exits.sort_unstable();
        }
        let (mut exits, ending): (Vec<_>, Vec<_>) =
            exits.drain(..).partition(|exit| trie.has_children(exit.0));
        let going_on = exits.len();
        exits.extend(ending);
        Self {
            byte,
            nodes: exits.iter().map(|exit| exit.0).collect(),
            characters: exits.iter().map(|exit| exit.1).collect(),
            stems: exits.iter().map(|exit| exit.2).collect(),
            going_on,
            tokens: exits.iter().flat_map(|exit| trie.tokens_at(exit.0)).copied().collect(),
            bounds: exits.iter().map(|exit| exit.1).min().unwrap_or(0)
                ..=exits.iter().map(|exit| exit.1).max().unwrap_or(0),
        }
    }

    /// The nodes below which strings go on, and those below which none does.
    pub(crate) fn split(&self) -> (&[NodeId], &[NodeId]) {
        self.nodes.split_at(self.going_on)
    }

    /// The nodes among some that follow one another in depth-first order, each with the number of characters before the byte.
    pub(crate) fn nodes_within(&self, nodes: Range<NodeId>) -> impl Iterator<Item = (NodeId, u32)> {
        let (going_on, ending) = self.nodes.split_at(self.going_on);
        let counts = self.characters.split_at(self.going_on);
        [(going_on, counts.0), (ending, counts.1)].into_iter().flat_map(move |(part, counts)| {
            let from = part.partition_point(|&node| node < nodes.start);
            let places = part[from..].iter().copied().zip(counts[from..].iter().copied());
            places.take_while(move |&(node, _)| node < nodes.end)
        })
    }

    fn memory_bytes(&self) -> usize {
        size_of::<Self>()
            + size_of_val(&*self.nodes)
            + size_of_val(&*self.characters)
            + size_of_val(&*self.stems)
            + size_of_val(&*self.tokens)
    }
}

impl SliceBelow {
    /// Makes the slice of some kinds below a node. Takes time in proportion to the nodes above the exits.
    pub(super) fn new(trie: &TokenTrie, node: NodeId, kinds: Signature) -> Self {
        let stems = vec![Stem { above: 0, byte: 0 }];
        let first = kinds.first_bytes();
        let mut builder =
            Builder { trie, kinds, first, inside: Vec::new(), stems, exits: vec![Vec::new(); 256] };
        builder.run(node);
        Self::of_parts(trie, node, builder.inside, builder.stems, builder.exits)
    }

    /// The slice of what was found below a node: the tokens inside, the stems, and by byte the nodes at which tokens leave it,
    /// each with the number of characters before it and its stem.
    pub(super) fn of_parts(
        trie: &TokenTrie,
        node: NodeId,
        mut inside: Vec<TokenRange>,
        stems: Vec<Stem>,
        exits: Vec<Vec<(NodeId, u32, u32)>>,
    ) -> Self {
        inside.sort_unstable();
        inside.dedup_by(|next, last| last.append(*next));
        let exits = exits.into_iter().enumerate().filter(|(_, nodes)| !nodes.is_empty());
        let exits: Box<[_]> = exits.map(|(byte, nodes)| SliceExits::new(byte as u8, nodes, trie)).collect();
        let stems_in_text = above(exits.iter().filter(|exits| exits.byte >= b' '), &stems);
        Self { node, ranges: inside.into(), stems: stems.into(), stems_in_text, exits }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let exits: usize = self.exits.iter().map(SliceExits::memory_bytes).sum();
        let stems = size_of_val(&*self.stems) + size_of_val(&*self.stems_in_text);
        size_of_val(&*self.ranges) + stems + exits
    }

    /// The tokens inside among some.
    pub(crate) fn ranges_within(&self, range: TokenRange) -> impl Iterator<Item = TokenRange> {
        let from = self.ranges.partition_point(|other| other.is_before(range));
        self.ranges[from..].iter().map_while(move |other| other.intersection(range))
    }

    /// The number of the tokens inside.
    pub(crate) fn token_count(&self) -> usize {
        self.ranges.iter().map(|range| range.len()).sum()
    }

    /// The node of a stem, by its index.
    pub(crate) fn node_of(&self, stem: u32, trie: &TokenTrie) -> Option<NodeId> {
        let mut path = Vec::new();
        let mut at = stem;
        while at != 0 {
            let Stem { above, byte } = *self.stems.get(at as usize)?;
            path.push(byte);
            at = above;
        }
        path.into_iter().rev().try_fold(self.node, |node, byte| trie.child(node, byte))
    }
}

impl Slice {
    /// The slice of which this is what is below the root.
    pub(super) fn new(below: SliceBelow, vocabulary: &Vocabulary) -> Self {
        let lists = below.ranges.iter().map(|&range| vocabulary.trie().tokens_of(range));
        let inside = row_of_lists(lists, vocabulary.mask_words());
        Self { inside, by_length: OnceLock::new(), below: Arc::new(below) }
    }

    /// The tokens of up to so many characters, and the longer ones. A character cut short at the end of a token
    /// counts as one.
    pub(crate) fn split_by_length(
        &self,
        characters: u32,
        vocabulary: &Vocabulary,
    ) -> (&[TokenId], &[TokenId]) {
        self.by_length(vocabulary).split(characters)
    }

    /// The tokens by their numbers of characters.
    pub(super) fn by_length(&self, vocabulary: &Vocabulary) -> &ByLength {
        known_or_made(&self.by_length, || self.sort_by_length(vocabulary))
    }

    fn sort_by_length(&self, vocabulary: &Vocabulary) -> ByLength {
        let trie = vocabulary.trie();
        let length_of = |token, length| match length {
            u8::MAX => character_count(vocabulary.token_bytes(token).unwrap_or_default()),
            length => usize::from(length),
        };
        let tokens = || {
            self.below.ranges.iter().flat_map(|&range| {
                let lengths = trie.tokens_of(range).iter().zip(trie.lengths_of(range));
                lengths.map(|(&token, &length)| (token, length_of(token, length)))
            })
        };
        ByLength::new(tokens)
    }

    /// The memory in bytes, with that of the tokens by their lengths, made or not.
    pub(super) fn greatest_memory_bytes(&self) -> usize {
        let tokens = self.below.token_count();
        size_of_val(&*self.inside) + tokens * size_of::<TokenId>() + self.below.memory_bytes()
    }
}

/// The indices of the stems above some exits, ascending.
fn above<'a>(exits: impl Iterator<Item = &'a SliceExits>, stems: &[Stem]) -> Box<[u32]> {
    let mut is_above = vec![false; stems.len()];
    for &stem in exits.flat_map(|exits| &exits.stems) {
        let mut at = stem as usize;
        while !std::mem::replace(&mut is_above[at], true) {
            at = stems[at].above as usize;
        }
    }
    (0..stems.len() as u32).filter(|&stem| is_above[stem as usize]).collect()
}

struct Builder<'a> {
    trie: &'a TokenTrie,
    kinds: Signature,
    /// The bytes with which characters of the kinds begin.
    first: ByteSet,
    inside: Vec<TokenRange>,
    stems: Vec<Stem>,
    /// By byte: the nodes, each with the number of characters before it and its stem.
    exits: Vec<Vec<(NodeId, u32, u32)>>,
}

/// A node below which tokens are looked at, and the index of its stem.
#[derive(Clone, Copy)]
struct Open {
    node: NodeId,
    stem: u32,
}

impl Builder<'_> {
    fn run(&mut self, start: NodeId) {
        // Nodes between two characters, all characters before them of the kinds, with their number.
        let mut waiting = vec![(Open { node: start, stem: 0 }, 0)];
        while let Some((at, characters)) = waiting.pop() {
            let mut children = self.trie.children(at.node);
            while let Some((byte, child)) = self.trie.next_child(&mut children) {
                let is_taken = match (self.first.contains(byte), byte.is_ascii()) {
                    (false, _) => false,
                    (true, true) => {
                        let open = self.arrive(at.stem, byte, Utf8State::BOUNDARY, child);
                        waiting.extend(open.map(|open| (open, characters + 1)));
                        true
                    }
                    (true, false) => self.read_character(at.stem, byte, child, characters + 1, &mut waiting),
                };
                if !is_taken {
                    self.exits[usize::from(byte)].push((child, characters, at.stem));
                }
            }
        }
    }

    /// Takes in a node within or behind a character, or all that is below it where that is of the kinds. Otherwise
    /// it is a stem, and what is below it is still to be looked at.
    fn arrive(&mut self, above: u32, byte: u8, position: Utf8State, node: NodeId) -> Option<Open> {
        if position == Utf8State::BOUNDARY && self.trie.signature(node).is_within(self.kinds) {
            self.take(self.trie.range_below(node));
            return None;
        }
        self.take(self.trie.range_at(node));
        self.stems.push(Stem { above, byte });
        Some(Open { node, stem: self.stems.len() as u32 - 1 })
    }

    fn take(&mut self, range: TokenRange) {
        if range.len() > 0 && !self.inside.last_mut().is_some_and(|last| last.append(range)) {
            self.inside.push(range);
        }
    }

    /// Takes in the characters beyond ASCII that begin with a byte, or nothing at all where some token spells one of
    /// them wrongly. Returns whether it took them.
    fn read_character(
        &mut self,
        stem: u32,
        byte: u8,
        child: NodeId,
        characters: u32,
        waiting: &mut Vec<(Open, u32)>,
    ) -> bool {
        let (inside, last) = (self.inside.len(), self.inside.last().copied());
        let (stems, boundaries) = (self.stems.len(), waiting.len());
        let mut within = Vec::new();
        let mut is_well_formed = match Utf8State::BOUNDARY.step(byte) {
            Some(position) => {
                within.extend(self.arrive(stem, byte, position, child).map(|open| (position, open)));
                true
            }
            None => false,
        };
        while let Some((position, at)) = within.pop() {
            let mut children = self.trie.children(at.node);
            while let Some((byte, child)) = self.trie.next_child(&mut children) {
                let Some(position) = position.step(byte) else {
                    is_well_formed = false;
                    break;
                };
                match (self.arrive(at.stem, byte, position, child), position) {
                    (Some(open), Utf8State::BOUNDARY) => waiting.push((open, characters)),
                    (Some(open), position) => within.push((position, open)),
                    (None, _) => {}
                }
            }
        }
        if !is_well_formed {
            self.inside.truncate(inside);
            if let (Some(now), Some(before)) = (self.inside.last_mut(), last) {
                *now = before;
            }
            self.stems.truncate(stems);
            waiting.truncate(boundaries);
        } else if waiting.len() == boundaries {
            // Below the characters that begin with the byte nothing leaves the kinds.
            self.stems.truncate(stems);
        }
        is_well_formed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_split_by_their_number_of_characters() {
        let texts = ["a", "b", "aé", "ab1", "1", "abc", "éé", "日本語"].map(String::from);
        let long = [254, 255, 256, 300].map(|length| "é".repeat(length));
        let texts: Vec<String> = texts.into_iter().chain(long).collect();
        let mut tokens: Vec<_> = texts.iter().map(|text| Some(text.clone().into_bytes())).collect();
        tokens.push(None);
        let stop = TokenId(texts.len() as u32);
        let vocabulary = Vocabulary::new(tokens, Vec::new(), vec![stop], texts.len() + 1).unwrap();
        let mut kinds = Signature::of(b'a');
        kinds |= Signature::of(0xC3);
        kinds |= Signature::of(0xE6);
        kinds |= Signature::of(0xE8);
        let slice = vocabulary.slice(kinds);
        for characters in (0..5).chain(253..302) {
            let (short, longer) = slice.split_by_length(characters, &vocabulary);
            let mut all: Vec<TokenId> = short.iter().chain(longer).copied().collect();
            all.sort_unstable();
            let inside = |id: &TokenId| slice.inside[id.index() / 32] >> (id.0 % 32) & 1 == 1;
            assert_eq!(all, (0..stop.0).map(TokenId).filter(inside).collect::<Vec<_>>());
            let count = |token: &TokenId| texts[token.index()].chars().count();
            assert!(short.iter().all(|token| count(token) <= characters as usize));
            assert!(longer.iter().all(|token| count(token) > characters as usize));
        }
        assert_eq!(slice.split_by_length(256, &vocabulary).1, [TokenId(11)]);
    }

    #[test]
    fn stems_spell_what_stands_before_exits() {
        let texts = ["a1", "ab\"", "aé1", "é\"x", "abc", "\"", "aéb\"", "éé"];
        let mut tokens: Vec<_> = texts.iter().map(|text| Some(text.as_bytes().to_vec())).collect();
        tokens.extend([Some(vec![b'b', 0xC3, b'"']), None]);
        let vocabulary = Vocabulary::new(tokens, Vec::new(), vec![TokenId(9)], 10).unwrap();
        let mut kinds = Signature::of(b'a');
        kinds |= Signature::of(0xC3);
        let slice = vocabulary.slice(kinds);
        let mut is_above = vec![false; slice.below.stems.len()];
        let mut count = 0;
        for exits in &slice.below.exits {
            for (&node, &stem) in exits.nodes.iter().zip(&exits.stems) {
                let (mut bytes, mut at) = (vec![exits.byte], stem);
                while at != 0 {
                    is_above[at as usize] = true;
                    let Stem { above, byte } = slice.below.stems[at as usize];
                    assert!(above < at, "a stem stands after the one above it");
                    bytes.push(byte);
                    at = above;
                }
                bytes.reverse();
                assert_eq!(vocabulary.trie().find(&bytes), Some(node));
                let above = slice.below.node_of(stem, vocabulary.trie()).unwrap();
                assert_eq!(vocabulary.trie().child(above, exits.byte), Some(node));
                count += 1;
            }
        }
        assert_eq!(count, 7, "six tokens leave the kinds, and one spells a character wrongly");
        assert!(is_above[1..].contains(&true) && !is_above[1..].contains(&false), "stems stand above exits");
    }

    #[test]
    fn stems_in_text_stand_above_what_no_control_character_leaves() {
        let texts = ["a\n", "ac\"", "ac\n", "aca\tc", "é\r", "c1\n", "\n"].map(str::to_owned);
        let mut tokens: Vec<_> = texts.iter().map(|text| Some(text.clone().into_bytes())).collect();
        tokens.push(None);
        let vocabulary = Vocabulary::new(tokens, Vec::new(), vec![TokenId(7)], 8).unwrap();
        let mut kinds = Signature::of(b'a');
        kinds |= Signature::of(b'c');
        kinds |= Signature::of(0xC3);
        let below = &vocabulary.slice(kinds).below;
        let text_of = |&stem: &u32| {
            let (mut bytes, mut at) = (Vec::new(), stem);
            while at != 0 {
                let Stem { above, byte } = below.stems[at as usize];
                bytes.push(byte);
                at = above;
            }
            bytes.reverse();
            bytes
        };
        let mut stems: Vec<Vec<u8>> = below.stems_in_text.iter().map(text_of).collect();
        stems.sort_unstable();
        assert_eq!(stems, [&b""[..], b"a", b"ac", b"c"]);
        assert!(below.stems.len() > stems.len() && below.stems_in_text.is_sorted());
    }
}
