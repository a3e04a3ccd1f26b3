//! The slices of one vocabulary.
//!
//! Grammars loop on few sets of kinds of characters, so a slice that was made for one of them serves many. Those
//! that nearly every grammar of JSON asks for are made with the vocabulary, the others when they are first asked
//! for. What a JSON string of any content makes of the vocabulary is handed over by the first walk of one: it belongs
//! to no grammar, either. The memory is bounded: where it would be more, all but the first slices are forgotten, and
//! made again.

use std::hash::Hash;
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock};

use rustc_hash::FxHashMap;

use super::Vocabulary;
use super::after_one::AfterOne;
use super::by_count::{Counting, NodesByCount};
use super::by_length::{ByLength, row_of_lists};
use super::character_class::{Characters, ClassId};
use super::class_slice::class_slice;
use super::class_string::{ClassStringKey, ClassStringSlice};
use super::signature::Signature;
use super::slice::{Slice, SliceBelow};
use super::slice_nodes::SliceNodesByByte;
use super::string_slice::{StringBelow, StringBelowKey, StringSlice};
use super::trie::{NodeId, TokenRange};
use crate::byte_set::ByteSet;
use crate::spelling::Spelling;

/// So few tokens are sooner listed than told by a row, as long as all else that a walk finds is listed, too: beside a row each takes
/// longer.
const FEW: usize = 1 << 14;

/// The slices that are kept.
#[derive(Debug)]
pub(super) struct Slices {
    kept: RwLock<Kept>,
    /// The greatest number of bytes that are kept for slices made later.
    limit: usize,
}

#[derive(Debug, Default)]
struct Kept {
    /// Made with the vocabulary, and never forgotten.
    usual: Vec<(Characters, Arc<Slice>)>,
    of_all: FxHashMap<Characters, Arc<Slice>>,
    /// Mask rows of the tokens of slices that have up to so many characters.
    rows: FxHashMap<(Characters, u32), Arc<[u32]>>,
    by_count: FxHashMap<Counting, Arc<NodesByCount>>,
    below: FxHashMap<(NodeId, Characters), Arc<SliceBelow>>,
    /// Mask rows of the tokens of slices below nodes, or of those that have up to so many characters in all.
    rows_below: FxHashMap<(NodeId, Characters, Option<u8>), Arc<[u32]>>,
    /// Mask rows of the tokens of slices below nodes that are at some nodes that follow one another.
    rows_of_parts: FxHashMap<(NodeId, Signature, Range<NodeId>), Arc<[u32]>>,
    /// Mask rows of all tokens at and below nodes.
    all_below: FxHashMap<NodeId, Arc<[u32]>>,
    nodes_by_byte: FxHashMap<(NodeId, Characters), Arc<SliceNodesByByte>>,
    strings: FxHashMap<Spelling, Arc<StringSlice>>,
    strings_below: FxHashMap<(NodeId, StringBelowKey), Arc<StringBelow>>,
    class_strings: FxHashMap<ClassStringKey, Arc<ClassStringSlice>>,
    after_one: FxHashMap<ClassId, Arc<AfterOne>>,
    /// The bytes of all but the usual ones.
    bytes: usize,
}

impl Slices {
    /// No slices, of which up to so many bytes will be kept.
    pub(super) fn new(limit: usize) -> Self {
        Self { kept: RwLock::default(), limit }
    }

    /// Makes the slices for strings and white space of JSON.
    pub(super) fn make_usual(&self, vocabulary: &Vocabulary) {
        let marks = ByteSet::single(b'"').union(&ByteSet::single(b'\\'));
        let in_strings = ByteSet::range(0x20, 0xFF).difference(&marks);
        let white_space = b" \t\n\r".iter().copied().collect();
        let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
        for bytes in [in_strings, white_space] {
            let kinds = Signature::all_within(&bytes, &vocabulary.alphabet);
            let slice = Slice::new(SliceBelow::new(&vocabulary.trie, NodeId::ROOT, kinds), vocabulary);
            // Masks of strings that end somewhere ask for it, and should find it.
            slice.by_length(vocabulary);
            kept.usual.push((Characters::Kinds(kinds), Arc::new(slice)));
        }
    }

    /// The slice of some characters.
    pub(super) fn of_all(&self, characters: Characters, vocabulary: &Vocabulary) -> Arc<Slice> {
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, slice)) = kept.usual.iter().find(|(of, _)| *of == characters) {
            return Arc::clone(slice);
        }
        if let Some(slice) = kept.of_all.get(&characters) {
            return Arc::clone(slice);
        }
        drop(kept);
        let made = Slice::new(slice_below(NodeId::ROOT, characters, vocabulary), vocabulary);
        let bytes = made.greatest_memory_bytes();
        self.keep(|kept| &mut kept.of_all, characters, made, bytes)
    }

    /// A mask row of the tokens of a slice that have up to so many characters; `None` where few have more.
    pub(super) fn row_within(
        &self,
        (characters, slice): (Characters, &Slice),
        most: u32,
        vocabulary: &Vocabulary,
    ) -> Option<Arc<[u32]>> {
        if most as usize >= ByLength::ROWS {
            return None;
        }
        if let Some(row) = self.known(|kept| &kept.rows, &(characters, most)) {
            return Some(row);
        }
        let made = slice.by_length(vocabulary).make_row(most, &slice.inside);
        let bytes = size_of_val(&*made);
        Some(self.keep(|kept| &mut kept.rows, (characters, most), made, bytes))
    }

    /// The nodes at which one more of what counts comes, by how many have come with it.
    pub(super) fn by_count(&self, counting: Counting, vocabulary: &Vocabulary) -> Arc<NodesByCount> {
        if let Some(known) = self.known(|kept| &kept.by_count, &counting) {
            return known;
        }
        let made = match counting {
            Counting::Characters => NodesByCount::of_characters(&vocabulary.trie),
            Counting::Separators(separating) => {
                let class = vocabulary.class_of(separating.class);
                NodesByCount::of_separators(&vocabulary.trie, separating, &class)
            }
        };
        let bytes = made.memory_bytes();
        self.keep(|kept| &mut kept.by_count, counting, made, bytes)
    }

    /// A mask row of the tokens of a slice below a node that have up to so many characters, or of all of them; `None` where
    /// they are few.
    pub(super) fn row_below(
        &self,
        (characters, slice): (Characters, &SliceBelow),
        longest: Option<u8>,
        vocabulary: &Vocabulary,
    ) -> Option<Arc<[u32]>> {
        if slice.token_count() <= FEW {
            return None;
        }
        let key = (slice.node, characters, longest);
        if let Some(row) = self.known(|kept| &kept.rows_below, &key) {
            return Some(row);
        }
        let trie = &vocabulary.trie;
        let parts =
            slice.ranges.iter().flat_map(|&range| trie.parts_within(range, longest.unwrap_or(u8::MAX)));
        let made = row_of_lists(parts.map(|part| trie.tokens_of(part)), vocabulary.mask_words());
        let bytes = size_of_val(&*made);
        Some(self.keep(|kept| &mut kept.rows_below, key, made, bytes))
    }

    /// A mask row of the tokens of a slice of some kinds that are at some nodes that follow one another; `None` where they are few.
    pub(super) fn row_of_part(
        &self,
        (kinds, slice): (Signature, &SliceBelow),
        nodes: Range<NodeId>,
        vocabulary: &Vocabulary,
    ) -> Option<Arc<[u32]>> {
        let trie = &vocabulary.trie;
        let range = trie.range_of(nodes.clone());
        if range.len() <= FEW || slice.ranges_within(range).map(TokenRange::len).sum::<usize>() <= FEW {
            return None;
        }
        let key = (slice.node, kinds, nodes);
        if let Some(row) = self.known(|kept| &kept.rows_of_parts, &key) {
            return Some(row);
        }
        let made = row_of_lists(
            slice.ranges_within(range).map(|part| trie.tokens_of(part)),
            vocabulary.mask_words(),
        );
        let bytes = size_of_val(&*made);
        Some(self.keep(|kept| &mut kept.rows_of_parts, key, made, bytes))
    }

    /// A mask row of all tokens at and below a node; `None` where they are fewer than the words of a row.
    pub(super) fn row_of_all_below(&self, node: NodeId, vocabulary: &Vocabulary) -> Option<Arc<[u32]>> {
        let range = vocabulary.trie.range_below(node);
        if range.len() < vocabulary.mask_words() {
            return None;
        }
        if let Some(row) = self.known(|kept| &kept.all_below, &node) {
            return Some(row);
        }
        let tokens = vocabulary.trie.tokens_of(range);
        let made = row_of_lists(std::iter::once(tokens), vocabulary.mask_words());
        let bytes = size_of_val(&*made);
        Some(self.keep(|kept| &mut kept.all_below, node, made, bytes))
    }

    /// The slice of some characters below a node, read from there on; below the root, that of the vocabulary.
    pub(super) fn below(
        &self,
        node: NodeId,
        characters: Characters,
        vocabulary: &Vocabulary,
    ) -> Arc<SliceBelow> {
        if node == NodeId::ROOT {
            return Arc::clone(&self.of_all(characters, vocabulary).below);
        }
        if let Some(slice) = self.known(|kept| &kept.below, &(node, characters)) {
            return slice;
        }
        let made = slice_below(node, characters, vocabulary);
        let bytes = made.memory_bytes();
        self.keep(|kept| &mut kept.below, (node, characters), made, bytes)
    }

    /// The nodes to which characters of a slice below a node lead on within it, by their first byte.
    pub(super) fn nodes_by_byte(
        &self,
        below: NodeId,
        characters: Characters,
        vocabulary: &Vocabulary,
    ) -> Arc<SliceNodesByByte> {
        if let Some(known) = self.known(|kept| &kept.nodes_by_byte, &(below, characters)) {
            return known;
        }
        let made = SliceNodesByByte::new(vocabulary, below, characters);
        let bytes = made.memory_bytes();
        self.keep(|kept| &mut kept.nodes_by_byte, (below, characters), made, bytes)
    }

    /// Where strings go on behind one character of a class.
    pub(super) fn after_one(&self, class: ClassId, vocabulary: &Vocabulary) -> Arc<AfterOne> {
        if let Some(known) = self.known(|kept| &kept.after_one, &class) {
            return known;
        }
        let made = AfterOne::new(&vocabulary.trie, &vocabulary.class_of(class));
        let bytes = made.memory_bytes();
        self.keep(|kept| &mut kept.after_one, class, made, bytes)
    }

    /// What a JSON string of any content makes of the vocabulary, where that is known.
    pub(super) fn string(&self, spelling: &Spelling) -> Option<Arc<StringSlice>> {
        self.known(|kept| &kept.strings, spelling)
    }

    /// Keeps what a JSON string of any content makes of the vocabulary, and gives what is kept.
    pub(super) fn keep_string(&self, spelling: Spelling, made: StringSlice) -> Arc<StringSlice> {
        let bytes = made.greatest_memory_bytes();
        self.keep(|kept| &mut kept.strings, spelling, made, bytes)
    }

    /// What a JSON string of characters of a class makes of the vocabulary, where that is known.
    pub(super) fn class_string(&self, key: ClassStringKey) -> Option<Arc<ClassStringSlice>> {
        self.known(|kept| &kept.class_strings, &key)
    }

    /// Keeps what a JSON string of characters of a class makes of the vocabulary, and gives what is kept.
    pub(super) fn keep_class_string(
        &self,
        key: ClassStringKey,
        made: ClassStringSlice,
    ) -> Arc<ClassStringSlice> {
        let bytes = made.greatest_memory_bytes();
        self.keep(|kept| &mut kept.class_strings, key, made, bytes)
    }

    /// What a JSON string of any characters, or of any of a class, makes of what is below a node, where that is known.
    pub(super) fn string_below(&self, node: NodeId, key: StringBelowKey) -> Option<Arc<StringBelow>> {
        self.known(|kept| &kept.strings_below, &(node, key))
    }

    /// Keeps what a JSON string of any characters, or of any of a class, makes of what is below a node, and gives what is
    /// kept.
    pub(super) fn keep_string_below(
        &self,
        node: NodeId,
        key: StringBelowKey,
        made: StringBelow,
    ) -> Arc<StringBelow> {
        let bytes = made.memory_bytes();
        self.keep(|kept| &mut kept.strings_below, (node, key), made, bytes)
    }

    /// What is kept by a key, if anything is.
    fn known<K: Eq + Hash, S: ?Sized>(
        &self,
        slices: impl Fn(&Kept) -> &FxHashMap<K, Arc<S>>,
        key: &K,
    ) -> Option<Arc<S>> {
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        slices(&kept).get(key).cloned()
    }

    /// Keeps what was made, and takes so many bytes, if there is room for it at all. Gives what another thread made
    /// meanwhile, if one did: that is counted already.
    fn keep<K: Eq + Hash, S: ?Sized>(
        &self,
        slices: impl Fn(&mut Kept) -> &mut FxHashMap<K, Arc<S>>,
        key: K,
        made: impl Into<Arc<S>>,
        bytes: usize,
    ) -> Arc<S> {
        let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = slices(&mut kept).get(&key) {
            return Arc::clone(known);
        }
        let made = made.into();
        if kept.make_room(bytes, self.limit) {
            slices(&mut kept).insert(key, Arc::clone(&made));
        }
        made
    }

    /// The memory in use, in bytes; no less than it is.
    pub(super) fn memory_bytes(&self) -> usize {
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        kept.bytes + kept.usual.iter().map(|(_, slice)| slice.greatest_memory_bytes()).sum::<usize>()
    }
}

fn slice_below(node: NodeId, characters: Characters, vocabulary: &Vocabulary) -> SliceBelow {
    match characters {
        Characters::Kinds(kinds) => SliceBelow::new(&vocabulary.trie, node, kinds),
        Characters::Class(class) => class_slice(&vocabulary.trie, node, &vocabulary.class_of(class)),
    }
}

impl Kept {
    /// Counts bytes that are about to be taken, and forgets what was made before where they would be too many
    /// together. Returns whether there is room for them at all.
    fn make_room(&mut self, bytes: usize, limit: usize) -> bool {
        if bytes > limit {
            return false;
        }
        if self.bytes + bytes > limit {
            self.of_all.clear();
            self.rows.clear();
            self.by_count.clear();
            self.below.clear();
            self.rows_below.clear();
            self.rows_of_parts.clear();
            self.all_below.clear();
            self.nodes_by_byte.clear();
            self.strings.clear();
            self.strings_below.clear();
            self.class_strings.clear();
            self.after_one.clear();
            self.bytes = 0;
        }
        self.bytes += bytes;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::{TokenId, row_of};
    use super::*;

    fn vocabulary() -> Vocabulary {
        let tokens = (0..=255u8).flat_map(|byte| [vec![byte], vec![byte, b'a'], vec![b'"', byte]]);
        let mut tokens: Vec<_> = tokens.map(Some).collect();
        tokens.push(None);
        let (count, stop) = (tokens.len(), TokenId(tokens.len() as u32 - 1));
        Vocabulary::new(tokens, Vec::new(), vec![stop], count).unwrap()
    }

    #[test]
    fn slices_that_are_asked_for_again_are_the_same() {
        let vocabulary = vocabulary();
        let kinds = Signature::of(b'a');
        assert!(Arc::ptr_eq(&vocabulary.slice(kinds), &vocabulary.slice(kinds)));
        let quote = vocabulary.trie().child(NodeId::ROOT, b'"').unwrap();
        let below = vocabulary.slice_below(quote, kinds);
        assert!(Arc::ptr_eq(&below, &vocabulary.slice_below(quote, kinds)));
    }

    #[test]
    fn rows_hold_the_tokens_of_up_to_so_many_characters() {
        let vocabulary = vocabulary();
        let (usual, _) = vocabulary.slices.kept.read().unwrap().usual[0].clone();
        for characters in [usual, Characters::Kinds(Signature::of(b'a'))] {
            let slice = vocabulary.slice_of(characters);
            for most in 0..30 {
                let row = vocabulary.row_within((characters, &slice), most);
                let (short, _) = slice.split_by_length(most, &vocabulary);
                let expected = (most < 25).then(|| row_of(short, vocabulary.mask_words()));
                assert_eq!(row, expected, "{characters:?} {most}");
                let again = vocabulary.row_within((characters, &slice), most);
                assert!(row.zip(again).is_none_or(|(row, again)| Arc::ptr_eq(&row, &again)));
            }
        }
    }

    #[test]
    fn a_row_of_all_below_a_node_is_made_where_they_are_many() {
        let vocabulary = vocabulary();
        let mut rows = 0;
        for text in [&b""[..], b"a", b"\"", b"\"a"] {
            let node = vocabulary.trie.find(text).unwrap();
            let tokens = vocabulary.trie.tokens_of(vocabulary.trie.range_below(node));
            let words = vocabulary.mask_words();
            let expected = (tokens.len() >= words).then(|| row_of(tokens, words));
            for _ in 0..2 {
                assert_eq!(vocabulary.row_of_all_below(node), expected, "{text:?}");
            }
            rows += usize::from(expected.is_some());
        }
        assert_eq!(rows, 2, "of the root and of the quote");
    }

    #[test]
    fn a_row_of_neighbouring_nodes_holds_what_of_their_tokens_is_in_the_slice() {
        let letters = b'a'..=b'z';
        let twos = letters.clone().flat_map(|one| letters.clone().map(move |other| [one, other]));
        let words = twos.flat_map(|two| (b'a'..=b'z').map(move |last| [b"(", &two[..], &[last]].concat()));
        let others = (b'a'..=b'z').map(|letter| vec![b'(', letter, b'-']);
        let mut tokens: Vec<_> = words.chain(others).map(Some).collect();
        tokens.push(None);
        let (count, stop) = (tokens.len(), TokenId(tokens.len() as u32 - 1));
        let vocabulary = Vocabulary::new(tokens, Vec::new(), vec![stop], count).unwrap();
        let trie = vocabulary.trie();
        let kinds = Signature::of_any(&ByteSet::range(b'a', b'z'));
        let above = trie.find(b"(").unwrap();
        let slice = vocabulary.slice_below(above, kinds);
        let node_of = |letter: u8| trie.child(above, letter).unwrap();
        for (first, last, is_many) in [(b'a', b'z', true), (b'b', b'z', true), (b'd', b'z', false)] {
            let nodes = node_of(first)..trie.end(node_of(last));
            let inside = (0..count as u32).map(TokenId).filter(|&token| {
                let text = vocabulary.token_bytes(token).unwrap_or_default();
                text.len() == 4 && (first..=last).contains(&text[1])
            });
            let inside: Vec<TokenId> = inside.collect();
            assert_eq!(inside.len() > FEW, is_many);
            let expected = is_many.then(|| row_of(&inside, vocabulary.mask_words()));
            for _ in 0..2 {
                assert_eq!(vocabulary.row_of_part(kinds, &slice, nodes.clone()), expected);
            }
            let listed = slice.ranges_within(trie.range_of(nodes.clone()));
            let mut listed: Vec<TokenId> = listed.flat_map(|range| trie.tokens_of(range)).copied().collect();
            listed.sort_unstable();
            assert_eq!(listed, inside);
            let exits =
                slice.exits.iter().flat_map(|exits| exits.nodes_within(nodes.clone()).map(|place| place.0));
            assert_eq!(exits.count(), usize::from(last - first) + 1, "one hyphen behind each letter");
        }
    }

    #[test]
    fn what_two_threads_make_at_once_is_kept_and_counted_once() {
        let vocabulary = vocabulary();
        let slices = Slices::new(1 << 20);
        let spelling = Spelling::over(&ByteSet::ALL);
        let row = || vec![u32::MAX; vocabulary.mask_words()].into();
        let make = || StringSlice::new(&spelling.raw, row(), &[], &[], &vocabulary);
        let first = slices.keep_string(spelling, make());
        let bytes = slices.memory_bytes();
        assert!(bytes > 0);
        let second = slices.keep_string(spelling, make());
        assert!(Arc::ptr_eq(&first, &second));
        assert_eq!(slices.memory_bytes(), bytes);
    }

    #[test]
    fn memory_is_bounded_and_the_usual_slices_stay() {
        let vocabulary = vocabulary();
        const LIMIT: usize = 100_000;
        let slices = Slices::new(LIMIT);
        slices.make_usual(&vocabulary);
        let usual = slices.memory_bytes();
        let white_space = Characters::Kinds(Signature::of_any(&b" \t\n\r".iter().copied().collect()));
        let before = slices.of_all(white_space, &vocabulary);
        let quote = vocabulary.trie().child(NodeId::ROOT, b'"').unwrap();
        let mut restarts = 0;
        for first in b'!'..=b'~' {
            let kinds = Signature::of_any(&ByteSet::range(first, b'~'));
            let bytes = slices.memory_bytes();
            let characters = Characters::Kinds(kinds);
            let made = slices.of_all(characters, &vocabulary);
            let below = slices.below(quote, characters, &vocabulary);
            let row = slices.row_within((characters, &made), 1, &vocabulary);
            let (short, _) = made.split_by_length(1, &vocabulary);
            assert_eq!(row, Some(row_of(short, vocabulary.mask_words())));
            assert!(slices.memory_bytes() <= usual + LIMIT);
            restarts += usize::from(slices.memory_bytes() < bytes);
            assert!(Arc::ptr_eq(&slices.below(quote, characters, &vocabulary), &below));
            let again = Slice::new(slice_below(NodeId::ROOT, characters, &vocabulary), &vocabulary);
            assert_eq!(made.inside, again.inside);
        }
        assert!(restarts > 2, "{restarts}");
        let small = Slices::new(100);
        small.below(quote, white_space, &vocabulary);
        small.of_all(white_space, &vocabulary);
        assert_eq!(small.memory_bytes(), 0, "what does not fit is not kept");
        assert!(Arc::ptr_eq(&slices.of_all(white_space, &vocabulary), &before));
    }
}
