//! The slices of one vocabulary.
//!
//! Grammars loop on few sets of kinds of characters, so a slice that was made for one of them serves many. Those
//! that nearly every grammar of JSON asks for are made with the vocabulary, the others when they are first asked
//! for. What a JSON string of any content makes of the vocabulary is handed over by the first walk of one: it belongs
//! to no grammar, either. The memory is bounded: where it would be more, all but the first slices are forgotten, and
//! made again.

use std::sync::{Arc, PoisonError, RwLock};

use rustc_hash::FxHashMap;

use super::Vocabulary;
use super::signature::Signature;
use super::slice::{Slice, SliceBelow};
use super::string_slice::{StringSlice, StringSpelling};
use super::trie::NodeId;
use crate::byte_set::ByteSet;

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
    usual: Vec<(Signature, Arc<Slice>)>,
    of_all: FxHashMap<Signature, Arc<Slice>>,
    below: FxHashMap<(NodeId, Signature), Arc<SliceBelow>>,
    strings: FxHashMap<StringSpelling, Arc<StringSlice>>,
    /// The bytes of the latter three.
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
            let slice = Slice::new(&vocabulary.trie, kinds, vocabulary.mask_words()).with_rows();
            slice.split_by_length(0, vocabulary);
            kept.usual.push((kinds, Arc::new(slice)));
        }
    }

    /// The slice of some kinds.
    pub(super) fn of_all(&self, kinds: Signature, vocabulary: &Vocabulary) -> Arc<Slice> {
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, slice)) = kept.usual.iter().find(|(of, _)| *of == kinds) {
            return Arc::clone(slice);
        }
        if let Some(slice) = kept.of_all.get(&kinds) {
            return Arc::clone(slice);
        }
        drop(kept);
        let made = Arc::new(Slice::new(&vocabulary.trie, kinds, vocabulary.mask_words()));
        let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
        match kept.make_room(made.greatest_memory_bytes(), self.limit) {
            true => Arc::clone(kept.of_all.entry(kinds).or_insert(made)),
            false => made,
        }
    }

    /// The slice of some kinds below a node, read from there on.
    pub(super) fn below(&self, node: NodeId, kinds: Signature, vocabulary: &Vocabulary) -> Arc<SliceBelow> {
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(slice) = kept.below.get(&(node, kinds)) {
            return Arc::clone(slice);
        }
        drop(kept);
        let made = Arc::new(SliceBelow::new(&vocabulary.trie, node, kinds));
        let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
        match kept.make_room(made.memory_bytes(), self.limit) {
            true => Arc::clone(kept.below.entry((node, kinds)).or_insert(made)),
            false => made,
        }
    }

    /// What a JSON string of any content makes of the vocabulary, where that is known.
    pub(super) fn string(&self, spelling: &StringSpelling) -> Option<Arc<StringSlice>> {
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        kept.strings.get(spelling).cloned()
    }

    /// Keeps what a JSON string of any content makes of the vocabulary.
    pub(super) fn keep_string(&self, spelling: StringSpelling, slice: &Arc<StringSlice>) {
        let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
        if kept.make_room(slice.greatest_memory_bytes(), self.limit) {
            kept.strings.insert(spelling, Arc::clone(slice));
        }
    }

    /// The memory in use, in bytes; no less than it is.
    pub(super) fn memory_bytes(&self) -> usize {
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        kept.bytes + kept.usual.iter().map(|(_, slice)| slice.greatest_memory_bytes()).sum::<usize>()
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
            self.below.clear();
            self.strings.clear();
            self.bytes = 0;
        }
        self.bytes += bytes;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::TokenId;
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
    fn memory_is_bounded_and_the_usual_slices_stay() {
        let vocabulary = vocabulary();
        const LIMIT: usize = 100_000;
        let slices = Slices::new(LIMIT);
        slices.make_usual(&vocabulary);
        let usual = slices.memory_bytes();
        let white_space = Signature::of_any(&b" \t\n\r".iter().copied().collect());
        let before = slices.of_all(white_space, &vocabulary);
        let quote = vocabulary.trie().child(NodeId::ROOT, b'"').unwrap();
        let mut restarts = 0;
        for first in b'!'..=b'~' {
            let kinds = Signature::of_any(&ByteSet::range(first, b'~'));
            let bytes = slices.memory_bytes();
            let made = slices.of_all(kinds, &vocabulary);
            let below = slices.below(quote, kinds, &vocabulary);
            assert!(slices.memory_bytes() <= usual + LIMIT);
            restarts += usize::from(slices.memory_bytes() < bytes);
            assert!(Arc::ptr_eq(&slices.below(quote, kinds, &vocabulary), &below));
            assert_eq!(made.inside, Slice::new(vocabulary.trie(), kinds, vocabulary.mask_words()).inside);
        }
        assert!(restarts > 2, "{restarts}");
        let small = Slices::new(100);
        small.below(quote, white_space, &vocabulary);
        small.of_all(white_space, &vocabulary);
        assert_eq!(small.memory_bytes(), 0, "what does not fit is not kept");
        assert!(Arc::ptr_eq(&slices.of_all(white_space, &vocabulary), &before));
    }
}
