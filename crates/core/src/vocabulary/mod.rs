//! Vocabularies: the tokens of one tokeniser, ready to be walked.
//!
//! A [`Vocabulary`] takes token bytes as the Python loaders read them from a tokeniser's file, and gives
//! the mask stage a depth-first trie over them. Special and stop tokens have no bytes: they are never
//! text, however their names read.
//!
//! The rest is what walks need not find out for each state, made once:
//!
//! | file | what it has |
//! |---|---|
//! | `trie` | the strings of all tokens as one array in depth-first order |
//! | `signature` | what kinds of characters occur below a node of the trie, in one number |
//! | `slice` | the tokens made of some kinds of characters, and where all others leave them |
//! | `slice_nodes` | the nodes within a slice, by the byte that leads to each |
//! | `string_slice` | the same for a JSON string of any characters |
//! | `character_class` | classes of characters, by number |
//! | `alike` | classes of the characters that some classes do not tell from others |
//! | `class_slice` | slices of such classes |
//! | `after_one` | where strings go on behind one character of a class |
//! | `class_string` | a JSON string of characters of one class |
//! | `endings` | the nodes of the trie by what their strings end with, for free text |
//! | `slices` | all slices of the vocabulary, within a bound |
//! | `by_count` | where tokens come to hold so many characters, or so many of a class, for texts of a bounded length or so many parts |
//! | `by_length` | tokens by their numbers of characters, for texts of a bounded length |
//! | `list_tokens` | the tokens within which one item of a list may end and the next begin |
//! | `whole_strings` | the strings that single tokens read to their closing quote, as keys |
//! | `token_set` | exact tokens, as a grammar names them |

mod after_one;
mod alike;
mod by_count;
mod by_length;
mod character_class;
mod class_slice;
mod class_string;
mod endings;
mod list_tokens;
mod signature;
mod slice;
mod slice_nodes;
mod slices;
mod string_slice;
mod token_set;
mod trie;
mod whole_strings;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use xxhash_rust::xxh3::Xxh3;

use crate::byte_set::ByteSet;
use crate::error::{Error, Result};
use crate::spelling::Spelling;

pub(crate) use after_one::AfterOne;
pub(crate) use alike::Alike;
pub(crate) use by_count::{Counting, Separating};
pub(crate) use by_length::{known_or_made, row_of, row_of_lists};
use character_class::Classes;
pub(crate) use character_class::{
    CharacterClass, CharacterRead, Characters, ClassId, CodePointRange, characters_begun_by, joined,
};
pub(crate) use class_slice::visit_class;
pub(crate) use class_string::{ClassStringKey, ClassStringSlice};
pub(crate) use endings::Endings;
pub(crate) use list_tokens::{
    ListTokens, TokenWords, behind_comma, holds_only_an_empty_string, may_hold_a_string,
};
pub(crate) use signature::{Signature, Utf8State};
pub(crate) use slice::{Slice, SliceBelow, SliceExits, Stem};
pub(crate) use slice_nodes::SliceNodesByByte;
use slices::Slices;
pub(crate) use string_slice::{StringBelow, StringBelowKey, StringSlice};
pub use token_set::{TokenId, TokenReference, TokenSet};
pub(crate) use trie::{Children, NodeId, TokenRange, TokenTrie};
pub(crate) use whole_strings::WholeStrings;

/// The tokens of one tokeniser. Immutable; share it by `Arc`.
///
/// ```
/// use maskwright_core::vocabulary::{TokenId, Vocabulary};
///
/// let tokens = ["a", "b", "ab", ""].map(|text| Some(text.into()).filter(|t: &Vec<u8>| !t.is_empty()));
/// let end = vec![("<end>".to_owned(), TokenId(3))];
/// let vocabulary = Vocabulary::new(tokens.to_vec(), end, vec![TokenId(3)], 32)?;
/// assert_eq!(vocabulary.token_bytes(TokenId(2)), Some(&b"ab"[..]));
/// assert_eq!(vocabulary.token_bytes(TokenId(3)), None);
/// assert_eq!(vocabulary.tokens_named("<end>"), [TokenId(3)]);
/// # Ok::<(), maskwright_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Vocabulary {
    bytes: Box<[u8]>,
    /// `ends[id]` is where the bytes of a token end in `bytes`; they start where those before end.
    ends: Box<[u32]>,
    special_tokens: HashMap<Box<str>, TokenId>,
    stop_tokens: Box<[TokenId]>,
    size: usize,
    alphabet: ByteSet,
    longest_token: usize,
    trie: TokenTrie,
    /// A mask row of the tokens that are whole characters in UTF-8.
    whole: Arc<[u32]>,
    list_tokens: ListTokens,
    whole_strings: Arc<WholeStrings>,
    slices: Slices,
    classes: Classes,
    endings: Endings,
}

impl Vocabulary {
    /// The greatest number of bytes that are kept for slices; when there are more, they are made afresh.
    const SLICE_BYTES: usize = 32 << 20;
    /// The greatest number of bytes that classes of characters take; those met later are left without slices.
    const CLASS_BYTES: usize = 4 << 20;
    /// The greatest size: ids must fit the int32 words and offsets of the field.
    pub const MAXIMUM_SIZE: usize = 1 << 28;

    /// Each byte, with its value for an id, and a stop token.
    #[cfg(test)]
    pub(crate) fn of_bytes() -> Self {
        let tokens = (0..=255).map(|byte| Some(vec![byte])).chain([None]).collect();
        Self::new(tokens, Vec::new(), vec![TokenId(256)], 257).unwrap()
    }

    /// A vocabulary from the bytes of its tokens, in the order of their ids.
    ///
    /// `None` or no bytes mean a token without text. `special_tokens` are names by which a grammar can
    /// refer to a token. The bytes of stop tokens are left out of account. `size` is the number of logits
    /// of the model, which may be more than there are tokens; the ids beyond are never allowed. A stop token or a special
    /// token may be one of these: then it is a token, and so are all ids before it. Takes O(n log n) time for n tokens, and
    /// about 50 bytes for each trie node.
    ///
    /// # Errors
    /// [`Error::Vocabulary`] when an id lies outside, `size` is less than the number of tokens, or there
    /// is no stop token.
    pub fn new(
        tokens: Vec<Option<Vec<u8>>>,
        special_tokens: Vec<(String, TokenId)>,
        stop_tokens: Vec<TokenId>,
        size: usize,
    ) -> Result<Self> {
        check_ids(tokens.len(), &special_tokens, &stop_tokens, size)?;
        let mut stop_tokens = stop_tokens;
        stop_tokens.sort_unstable();
        stop_tokens.dedup();
        let total: usize = tokens.iter().flatten().map(Vec::len).sum();
        if u32::try_from(total).is_err() {
            return Err(Error::Vocabulary(format!("the tokens have {total} bytes together, over 4 GiB")));
        }
        let mut bytes = Vec::with_capacity(total);
        let mut ends = Vec::with_capacity(tokens.len());
        for (id, token) in tokens.iter().enumerate() {
            if stop_tokens.binary_search(&TokenId(id as u32)).is_err() {
                bytes.extend_from_slice(token.as_deref().unwrap_or_default());
            }
            ends.push(bytes.len() as u32);
        }
        drop(tokens);
        let named = special_tokens.iter().map(|(_, id)| id).chain(&stop_tokens);
        let count = named.map(|id| id.index() + 1).max().unwrap_or(0);
        ends.resize(count.max(ends.len()), bytes.len() as u32);
        let alphabet = bytes.iter().copied().collect();
        let tokens = || (0..ends.len()).map(|id| (TokenId(id as u32), slice(&bytes, &ends, id)));
        let strings = tokens().map(|(token, string)| (string, token));
        let trie = TokenTrie::new(strings.filter(|(string, _)| !string.is_empty()).collect());
        let vocabulary = Self {
            longest_token: tokens().map(|(_, string)| string.len()).max().unwrap_or(0),
            whole: row_of_whole(tokens(), size.div_ceil(32)),
            list_tokens: ListTokens::of(tokens()),
            whole_strings: Arc::new(WholeStrings::of(tokens().map(|(_, string)| string))),
            bytes: bytes.into(),
            ends: ends.into(),
            special_tokens: special_tokens.into_iter().map(|(name, id)| (name.into(), id)).collect(),
            stop_tokens: stop_tokens.into(),
            size,
            alphabet,
            endings: Endings::new(&trie),
            trie,
            slices: Slices::new(Self::SLICE_BYTES),
            classes: Classes::new(Self::CLASS_BYTES),
        };
        vocabulary.slices.make_usual(&vocabulary);
        Ok(vocabulary)
    }

    /// A mask row of the tokens that are whole characters in UTF-8.
    pub(crate) fn row_of_whole(&self) -> &[u32] {
        &self.whole
    }

    /// The tokens within which one item of a list may end and the next begin.
    pub(crate) fn list_tokens(&self) -> &ListTokens {
        &self.list_tokens
    }

    /// The strings that single tokens read to their closing quote.
    pub(crate) fn whole_strings(&self) -> &Arc<WholeStrings> {
        &self.whole_strings
    }

    /// What a state makes of the vocabulary that loops on characters of some kinds. Made when it is first asked for.
    pub(crate) fn slice(&self, kinds: Signature) -> Arc<Slice> {
        self.slice_of(Characters::Kinds(kinds))
    }

    /// The same of any characters that slices are made of.
    pub(crate) fn slice_of(&self, characters: Characters) -> Arc<Slice> {
        self.slices.of_all(characters, self)
    }

    /// A mask row of the tokens of a slice, that of some characters, that have up to so many; `None` where few have more.
    /// It is made when it is first asked for.
    pub(crate) fn row_within(&self, of: (Characters, &Slice), most: u32) -> Option<Arc<[u32]>> {
        self.slices.row_within(of, most, self)
    }

    /// The nodes with which tokens come to hold one more of what counts than so many; others that are below these may be among them. `None`
    /// where many may hold as many.
    pub(crate) fn nodes_with_more_than(&self, most: u32, counting: Counting) -> Option<Vec<NodeId>> {
        Some(self.slices.by_count(counting, self).with(most as usize + 1)?.to_vec())
    }

    /// A mask row of the tokens of a slice below a node, that of some characters, as far as they have up to so many in all,
    /// where it is given how many; `None` where they are few. It is made when it is first asked for.
    pub(crate) fn row_below(&self, of: (Characters, &SliceBelow), longest: Option<u8>) -> Option<Arc<[u32]>> {
        self.slices.row_below(of, longest, self)
    }

    /// A mask row of the tokens of a slice of some kinds that are at some nodes that follow one another; `None` where they are few.
    /// It is made when it is first asked for.
    pub(crate) fn row_of_part(
        &self,
        kinds: Signature,
        slice: &SliceBelow,
        nodes: Range<NodeId>,
    ) -> Option<Arc<[u32]>> {
        self.slices.row_of_part((kinds, slice), nodes, self)
    }

    /// A mask row of all tokens at and below a node; `None` where they are fewer than the words of a row. It is made when it is
    /// first asked for.
    pub(crate) fn row_of_all_below(&self, node: NodeId) -> Option<Arc<[u32]>> {
        self.slices.row_of_all_below(node, self)
    }

    /// The nodes to which characters of a slice, of kinds of ASCII or of a class, lead on within it below a node, by their first byte.
    pub(crate) fn slice_nodes_by_byte(&self, below: NodeId, characters: Characters) -> Arc<SliceNodesByByte> {
        self.slices.nodes_by_byte(below, characters, self)
    }

    /// The slice of some kinds below a node, of its strings as they are read from there on.
    pub(crate) fn slice_below(&self, node: NodeId, kinds: Signature) -> Arc<SliceBelow> {
        self.slice_of_below(node, Characters::Kinds(kinds))
    }

    /// The same of any characters that slices are made of.
    pub(crate) fn slice_of_below(&self, node: NodeId, characters: Characters) -> Arc<SliceBelow> {
        self.slices.below(node, characters, self)
    }

    /// The number of a class of characters: ranges that ascend, no two of them touching, and hold no surrogates. `None`
    /// where there is no room for one more.
    pub(crate) fn class(&self, ranges: &[CodePointRange]) -> Option<ClassId> {
        self.classes.id(ranges)
    }

    /// The class of all characters of some kinds, and of all others beyond ASCII of which each is in the same of some classes as
    /// a character that begins with one of some bytes. `None` where it is too much to find out, or there is no room for one more.
    pub(crate) fn class_with_alike(&self, alike: Alike) -> Option<ClassId> {
        self.classes.with_alike(alike)
    }

    /// A class that was given a number.
    pub(crate) fn class_of(&self, id: ClassId) -> Arc<CharacterClass> {
        self.classes.get(id)
    }

    /// Where strings go on behind one character of a class.
    pub(crate) fn after_one(&self, class: ClassId) -> Arc<AfterOne> {
        self.slices.after_one(class, self)
    }

    /// The nodes of the trie by what their strings end with.
    pub(crate) fn endings(&self) -> &Endings {
        &self.endings
    }

    /// The bytes with which some characters begin.
    pub(crate) fn first_bytes_of(&self, characters: Characters) -> ByteSet {
        match characters {
            Characters::Kinds(kinds) => kinds.first_bytes(),
            Characters::Class(class) => self.class_of(class).first_bytes(),
        }
    }

    /// What a JSON string of any content makes of the vocabulary, its first quote read, where that is known.
    pub(crate) fn string(&self, spelling: &Spelling) -> Option<Arc<StringSlice>> {
        self.slices.string(spelling)
    }

    /// Keeps what a JSON string of any content makes of the vocabulary, for all grammars, and gives what is kept.
    pub(crate) fn keep_string(&self, spelling: Spelling, slice: StringSlice) -> Arc<StringSlice> {
        self.slices.keep_string(spelling, slice)
    }

    /// What a JSON string of characters of a class makes of the vocabulary, its first quote read, where that is known.
    pub(crate) fn class_string(&self, key: ClassStringKey) -> Option<Arc<ClassStringSlice>> {
        self.slices.class_string(key)
    }

    /// Keeps what a JSON string of characters of a class makes of the vocabulary, for all grammars, and gives what is kept.
    pub(crate) fn keep_class_string(
        &self,
        key: ClassStringKey,
        slice: ClassStringSlice,
    ) -> Arc<ClassStringSlice> {
        self.slices.keep_class_string(key, slice)
    }

    /// What a JSON string of any characters, or of any of a class, and of any length makes of what is below a node, where that
    /// is known.
    pub(crate) fn string_below(&self, node: NodeId, key: StringBelowKey) -> Option<Arc<StringBelow>> {
        self.slices.string_below(node, key)
    }

    /// Keeps what such a string makes of what is below a node, for all grammars, and gives what is kept.
    pub(crate) fn keep_string_below(
        &self,
        node: NodeId,
        key: StringBelowKey,
        below: StringBelow,
    ) -> Arc<StringBelow> {
        self.slices.keep_string_below(node, key, below)
    }

    /// The number of logits: ids are `0..size`.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The number of tokens, with or without bytes.
    pub fn token_count(&self) -> usize {
        self.ends.len()
    }

    /// The number of int32 words of a mask.
    pub fn mask_words(&self) -> usize {
        self.size.div_ceil(32)
    }

    /// The bytes of a token; `None` for ids without text and ids outside.
    pub fn token_bytes(&self, id: TokenId) -> Option<&[u8]> {
        (id.index() < self.ends.len())
            .then(|| slice(&self.bytes, &self.ends, id.index()))
            .filter(|bytes| !bytes.is_empty())
    }

    /// The tokens that end a text, ascending.
    pub fn stop_tokens(&self) -> &[TokenId] {
        &self.stop_tokens
    }

    /// Whether a token ends the text.
    pub fn is_stop_token(&self, id: TokenId) -> bool {
        self.stop_tokens.binary_search(&id).is_ok()
    }

    /// The names by which grammars can refer to tokens.
    pub fn special_tokens(&self) -> impl Iterator<Item = (&str, TokenId)> {
        self.special_tokens.iter().map(|(name, &id)| (&**name, id))
    }

    /// The token of a name, or else all tokens with that text.
    pub fn tokens_named(&self, name: &str) -> &[TokenId] {
        match self.special_tokens.get(name) {
            Some(token) => std::slice::from_ref(token),
            None => self.trie.find(name.as_bytes()).map_or(&[], |node| self.trie.tokens_at(node)),
        }
    }

    /// The bytes that occur in some token.
    pub fn alphabet(&self) -> ByteSet {
        self.alphabet
    }

    /// The length of the longest token, in bytes.
    pub fn longest_token(&self) -> usize {
        self.longest_token
    }

    /// The memory that the vocabulary takes, in bytes.
    pub fn memory_bytes(&self) -> usize {
        let slices = self.slices.memory_bytes() + self.classes.memory_bytes();
        let trie = self.trie.memory_bytes() + self.endings.memory_bytes();
        let names = self.special_tokens.keys().map(|name| name.len()).sum::<usize>()
            + self.special_tokens.capacity() * size_of::<(Box<str>, TokenId)>();
        let lists = self.list_tokens.memory_bytes() + self.whole_strings.memory_bytes();
        let rows = size_of_val(&*self.stop_tokens) + size_of_val(&*self.whole);
        self.bytes.len() + size_of_val(&*self.ends) + names + lists + rows + trie + slices
    }

    /// 128 bits that tell vocabularies apart: XXH3 (seed 0) over the size, the bytes of all tokens, the stop tokens
    /// and the names of special tokens.
    ///
    /// The same in every process and on every machine. Takes time in proportion to the vocabulary. It is no
    /// protection against somebody who makes two vocabularies with one fingerprint.
    pub fn fingerprint(&self) -> u128 {
        let mut hasher = Xxh3::new();
        let mut number = |number: usize| hasher.update(&(number as u64).to_le_bytes());
        number(self.size);
        number(self.ends.len());
        self.ends.iter().for_each(|&end| number(end as usize));
        number(self.stop_tokens.len());
        self.stop_tokens.iter().for_each(|stop| number(stop.index()));
        number(self.special_tokens.len());
        hasher.update(&self.bytes);
        let mut special: Vec<_> = self.special_tokens().collect();
        special.sort_unstable();
        for (name, id) in special {
            hasher.update(&(name.len() as u64).to_le_bytes());
            hasher.update(name.as_bytes());
            hasher.update(&id.0.to_le_bytes());
        }
        hasher.digest128()
    }

    pub(crate) fn trie(&self) -> &TokenTrie {
        &self.trie
    }

    /// The id as a token of this vocabulary.
    ///
    /// # Errors
    /// [`Error::TokenId`] when it is not one of `0..size`.
    pub fn check(&self, id: i64) -> Result<TokenId> {
        u32::try_from(id)
            .ok()
            .map(TokenId)
            .filter(|id| id.index() < self.size)
            .ok_or(Error::TokenId { token_id: id, size: self.size })
    }
}

fn slice<'a>(bytes: &'a [u8], ends: &[u32], id: usize) -> &'a [u8] {
    let start = if id == 0 { 0 } else { ends[id - 1] };
    &bytes[start as usize..ends[id] as usize]
}

/// A mask row of those tokens that are whole characters in UTF-8.
fn row_of_whole<'t>(tokens: impl Iterator<Item = (TokenId, &'t [u8])>, words: usize) -> Arc<[u32]> {
    let whole = tokens.filter(|(_, string)| !string.is_empty() && std::str::from_utf8(string).is_ok());
    let whole: Vec<TokenId> = whole.map(|(token, _)| token).collect();
    row_of(&whole, words)
}

fn check_ids(
    count: usize,
    special_tokens: &[(String, TokenId)],
    stop_tokens: &[TokenId],
    size: usize,
) -> Result<()> {
    if size < count || size > Vocabulary::MAXIMUM_SIZE {
        return Err(Error::Vocabulary(format!(
            "size is {size}, but it must be at least the number of tokens, {count}, and at most {}",
            Vocabulary::MAXIMUM_SIZE
        )));
    }
    if stop_tokens.is_empty() {
        return Err(Error::Vocabulary(
            "there is no stop token: pass the ids that end a text as stop_ids".to_owned(),
        ));
    }
    for id in stop_tokens {
        if id.index() >= size {
            return Err(Error::Vocabulary(format!("the stop id {} is outside 0 to {}", id.0, size - 1)));
        }
    }
    for (name, id) in special_tokens {
        if id.index() >= size {
            return Err(Error::Vocabulary(format!(
                "the special token {name:?} has the id {}, which is outside 0 to {}",
                id.0,
                size - 1
            )));
        }
    }
    Ok(())
}
