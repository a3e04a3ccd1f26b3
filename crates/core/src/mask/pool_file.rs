//! Pools in files: what the walks of one process found, for another.
//!
//! All numbers are little-endian. A *list* is its length in 32 bits and that many numbers of 32 bits.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `mw-pool` and a line end |
//! | 4 | the version of this format, [`FORMAT_VERSION`] |
//! | 4 | the version of the forms, `FORM_VERSION` |
//! | 16 | the fingerprint of the vocabulary |
//! | | the number of forms in 32 bits; for each its length in 32 bits, and itself |
//! | | the number of exit sets in 32 bits; each is a list of nodes, and a list of nodes with as many sets of kinds in 128 bits |
//! | | the number of rows in 32 bits; each is a mask row |
//! | | the number of transitions in 32 bits |
//! | 4 | for each: the exit set that it starts from, counted from 1, or 0 for the whole vocabulary |
//! | 16 | the hash of the content |
//! | 4 | its exit set, counted from 1, or 0 for none |
//! | | the list of nodes at which tokens end |
//! | | the tokens inside: the byte 0 and a list of tokens, or the byte 1 and a row with changes |
//! | 16 | XXH3-128 (seed 0) over all that is before |
//!
//! A row with changes is the number of a row in 32 bits, counted from 0, the places of the words that are not the
//! row's, as a list, and as many words of 32 bits.
//!
//! A pool is written in one way only: forms by hash, exit sets by their nodes, rows by their words, transitions by
//! what they start from and their content. Forms are hashed again when they are loaded, so that a hash stands for its structure there as
//! it did here.
//!
//! Exits that are told by the slice of a class of characters are not written, and neither are transitions with them: a class
//! is known by a number that means nothing to other processes, and by its slice they are soon walked again.
//!
//! # What a file can do
//!
//! The checksum finds damage, not intent. Whatever the bytes, loading ends with a pool whose masks can be computed:
//! every length is checked before it is believed, every number against the vocabulary, and exits are deeper in the
//! trie than what the transition starts from, so that masks read no further down than tokens are long. Time and
//! memory are in proportion to the bytes. But a forged file may hold *wrong masks*. Load only files that you trust.

use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_128;

use super::exits::{ExitNodes, SliceNodes};
use super::pool::{Contents, Entry, Pool};
use super::token_bits::{Change, TokenBits, set_bits};
use crate::error::{Error, Result};
use crate::expression::{ContentHash, ContentRegistry, FORM_VERSION};
use crate::vocabulary::{Characters, NodeId, Signature, TokenId, TokenTrie, Vocabulary};

/// The version of the format. To be raised too when walks give something else for the same content, or when the
/// nodes of a trie are numbered otherwise.
const FORMAT_VERSION: u32 = 6;
const MAGIC: &[u8; 8] = b"mw-pool\n";
/// The bytes of the checksum.
const CHECKSUM: usize = 16;

const UNKNOWN_TOKENS: &str = "a transition holds tokens that the vocabulary lacks";
const SAVE_AGAIN: &str = "save the pool again";
const OTHER_VERSION: &str =
    "it was saved by another version of maskwright; save the pool again with this one";

impl Pool {
    /// What the pool holds, as bytes that [`load`](Self::load) takes. Equal pools give equal bytes.
    ///
    /// Takes time and memory in proportion to what is held; threads that need the pool wait for a part of it.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut contents = self.contents();
        // What would be refused is not written.
        let depths = depths(self.vocabulary().trie());
        let sets: Vec<_> = contents.exit_sets.iter().map(|set| least_depth(set, &depths)).collect();
        contents.transitions.retain(|entry| check(entry, &sets, self.vocabulary()).is_ok());
        write(&contents, self.vocabulary())
    }

    /// Adds what a pool held when it was saved, and gives the number of transitions that were not known yet.
    ///
    /// Nothing is believed unchecked, and nothing is added where there is a fault; but the bytes should come from
    /// somebody who is trusted, since forged ones can hold wrong masks. Takes time in proportion to them.
    ///
    /// # Errors
    /// [`Error::Artifact`] where the bytes are no saved pool, are damaged, or of another version or vocabulary;
    /// [`Error::BudgetExceeded`] where this pool is too small.
    pub fn load(&self, bytes: &[u8]) -> Result<usize> {
        self.add(read(bytes, self.vocabulary())?)
    }
}

fn fault(offset: usize, problem: impl Into<String>, help: &'static str) -> Error {
    Error::Artifact { offset, problem: problem.into(), help }
}

fn write(contents: &Contents, vocabulary: &Vocabulary) -> Vec<u8> {
    let Contents { forms, exit_sets, transitions } = contents;
    let mut out = Vec::new();
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
    out.extend_from_slice(&FORM_VERSION.to_le_bytes());
    out.extend_from_slice(&vocabulary.fingerprint().to_le_bytes());
    write_count(&mut out, forms.len());
    for (_, form) in forms {
        write_count(&mut out, form.len());
        out.extend_from_slice(form);
    }
    // Numbers from 1 by the order of the nodes; equal sets have one number.
    let used = transitions.iter().flat_map(|entry| entry.from.iter().chain(&entry.exits));
    let mut sets: Vec<&ExitNodes> = used.map(|&at| &*exit_sets[at]).collect();
    sets.sort_unstable();
    sets.dedup();
    let number = |set: &Arc<ExitNodes>| sets.binary_search(&&**set).map_or(0, |at| at as u32 + 1);
    let numbers: Vec<u32> = exit_sets.iter().map(number).collect();
    let number = |place: Option<usize>| place.map_or(0, |place| numbers[place]);
    write_count(&mut out, sets.len());
    for set in &sets {
        write_list(&mut out, set.listed.iter().map(|node| node.0), set.listed.len());
        write_list(&mut out, set.slices.iter().map(|slice| slice.below.0), set.slices.len());
        for slice in &set.slices {
            // Sets with other slices are left out; whoever reads this would refuse the set.
            let kinds = ascii_kinds(slice).map_or(u128::MAX, Signature::to_bits);
            out.extend_from_slice(&kinds.to_le_bytes());
        }
    }
    let rows = transitions.iter().filter_map(|entry| entry.inside.shared_row());
    let rows = all_different(rows.map(|row| &**row).collect());
    write_count(&mut out, rows.len());
    rows.iter().for_each(|row| write_words(&mut out, row.iter().copied()));
    let mut transitions: Vec<&Entry> = transitions.iter().collect();
    transitions.sort_unstable_by_key(|entry| (number(entry.from), entry.content));
    write_count(&mut out, transitions.len());
    for entry in transitions {
        out.extend_from_slice(&number(entry.from).to_le_bytes());
        out.extend_from_slice(&entry.content.0.to_le_bytes());
        out.extend_from_slice(&number(entry.exits).to_le_bytes());
        write_list(&mut out, entry.ends.iter().map(|node| node.0), entry.ends.len());
        match &entry.inside {
            TokenBits::Few(tokens) => {
                out.push(0);
                write_list(&mut out, tokens.iter().map(|token| token.0), tokens.len());
            }
            TokenBits::Many { row, changes } => {
                out.push(1);
                write_count(&mut out, rows.binary_search(&&**row).unwrap_or(usize::MAX));
                write_list(&mut out, changes.iter().map(|change| change.at), changes.len());
                write_words(&mut out, changes.iter().map(|change| change.word));
            }
        }
    }
    let checksum = xxh3_128(&out);
    out.extend_from_slice(&checksum.to_le_bytes());
    out
}

/// The lists in order, equal ones once. Most that are equal are the same one, and seen to be by where they lie.
fn all_different<T: Ord>(mut lists: Vec<&[T]>) -> Vec<&[T]> {
    lists.sort_unstable_by_key(|list| (list.as_ptr(), list.len()));
    lists.dedup_by_key(|list| (list.as_ptr(), list.len()));
    lists.sort_unstable();
    lists.dedup();
    lists
}

/// Writes how many of something follow. Forms and lists are bounded by a form's length and the vocabulary, and a pool
/// of 2^32 transitions or exit sets would take hundreds of gigabytes; were there ever more, loading would refuse them.
fn write_count(out: &mut Vec<u8>, count: usize) {
    out.extend_from_slice(&u32::try_from(count).unwrap_or(u32::MAX).to_le_bytes());
}

fn write_list(out: &mut Vec<u8>, numbers: impl Iterator<Item = u32>, count: usize) {
    write_count(out, count);
    write_words(out, numbers);
}

fn write_words(out: &mut Vec<u8>, words: impl Iterator<Item = u32>) {
    words.for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
}

fn read(bytes: &[u8], vocabulary: &Vocabulary) -> Result<Contents> {
    let mut reader = Reader { bytes, at: 0 };
    if !bytes.starts_with(MAGIC) {
        return Err(fault(0, "this is no saved pool", "give a file that Pool::to_bytes made"));
    }
    reader.at = MAGIC.len();
    let version = reader.number()?;
    if version != FORMAT_VERSION {
        return Err(fault(
            8,
            format!("the format has the version {version}, not {FORMAT_VERSION}"),
            OTHER_VERSION,
        ));
    }
    let Some((content, checksum)) = bytes.split_last_chunk::<CHECKSUM>() else {
        return Err(fault(bytes.len(), "the saved pool is cut off", SAVE_AGAIN));
    };
    if xxh3_128(content) != u128::from_le_bytes(*checksum) {
        let problem = "the checksum does not fit: the saved pool is damaged or cut off";
        return Err(fault(content.len(), problem, SAVE_AGAIN));
    }
    reader.bytes = content;
    let forms = reader.number()?;
    if forms != FORM_VERSION {
        return Err(fault(
            12,
            format!("the forms have the version {forms}, not {FORM_VERSION}"),
            OTHER_VERSION,
        ));
    }
    let fingerprint = reader.hash()?;
    if fingerprint != vocabulary.fingerprint() {
        let help = "load it for the vocabulary that it was saved for, or save it again";
        return Err(fault(16, "the pool was saved for another vocabulary", help));
    }
    let forms = reader.forms()?;
    let exit_sets = reader.exit_sets(vocabulary.trie())?;
    let rows = reader.rows(vocabulary)?;
    let transitions = reader.transitions(&exit_sets.least_depths, &rows, vocabulary)?;
    if reader.at < content.len() {
        return Err(fault(reader.at, "there is more after the last transition", SAVE_AGAIN));
    }
    Ok(Contents { forms, exit_sets: exit_sets.nodes, transitions })
}

/// The exit sets of a file.
struct ExitSets {
    nodes: Vec<Arc<ExitNodes>>,
    /// Of each set, the least depth of its nodes.
    least_depths: Vec<Option<u32>>,
}

/// Reads bytes from a place on; every error says which.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let taken = self.bytes.get(self.at..).and_then(|rest| rest.get(..length));
        let taken = taken.ok_or_else(|| fault(self.at, "something ends before its end", SAVE_AGAIN))?;
        self.at += length;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    fn number(&mut self) -> Result<u32> {
        self.array().map(u32::from_le_bytes)
    }

    fn hash(&mut self) -> Result<u128> {
        self.array().map(u128::from_le_bytes)
    }

    /// So many numbers, without any of them being copied yet.
    fn numbers(&mut self, length: usize) -> Result<impl Iterator<Item = u32> + use<'a>> {
        let bytes = self.take(length.saturating_mul(4))?;
        Ok(bytes.as_chunks::<4>().0.iter().map(|&number| u32::from_le_bytes(number)))
    }

    fn list(&mut self) -> Result<impl Iterator<Item = u32> + use<'a>> {
        let length = self.number()?;
        self.numbers(length as usize)
    }

    /// Forms with their hashes, ascending.
    fn forms(&mut self) -> Result<Vec<(ContentHash, Box<[u8]>)>> {
        let mut forms: Vec<(ContentHash, Box<[u8]>)> = Vec::new();
        for _ in 0..self.number()? {
            let (at, length) = (self.at, self.number()? as usize);
            let form = self.take(length)?;
            let hash = ContentHash(xxh3_128(form));
            let ascends = forms.last().is_none_or(|&(last, _)| last < hash);
            if length > ContentRegistry::LONGEST_FORM || !ascends {
                return Err(fault(at, "a form is too long or not in its place", SAVE_AGAIN));
            }
            forms.push((hash, form.into()));
        }
        Ok(forms)
    }

    fn exit_sets(&mut self, trie: &TokenTrie) -> Result<ExitSets> {
        let depths = depths(trie);
        let mut sets = ExitSets { nodes: Vec::new(), least_depths: Vec::new() };
        for _ in 0..self.number()? {
            let at = self.at;
            let listed = self.list()?.map(NodeId).collect();
            let below: Vec<NodeId> = self.list()?.map(NodeId).collect();
            let kinds = below.iter().map(|_| self.hash().map(Signature::from_bits));
            let kinds = kinds.collect::<Result<Vec<_>>>()?;
            let slices = below.into_iter().zip(kinds.into_iter().map(Characters::Kinds));
            let slices = slices.map(|(below, characters)| SliceNodes::all(below, characters));
            let set = Arc::new(ExitNodes { listed, slices: slices.collect() });
            let depth = least_depth(&set, &depths);
            if depth.is_none() {
                return Err(fault(at, "an exit set is not one of this vocabulary", SAVE_AGAIN));
            }
            sets.nodes.push(set);
            sets.least_depths.push(depth);
        }
        Ok(sets)
    }

    /// The place of an exit set in the list of so many.
    fn exit_set(&mut self, count: usize) -> Result<Option<usize>> {
        let at = self.at;
        let place = (self.number()? as usize).checked_sub(1);
        match place.filter(|&place| place >= count) {
            None => Ok(place),
            Some(place) => Err(fault(at, format!("there is no exit set {}", place + 1), SAVE_AGAIN)),
        }
    }

    fn rows(&mut self, vocabulary: &Vocabulary) -> Result<Vec<Arc<[u32]>>> {
        let mut rows = Vec::new();
        for _ in 0..self.number()? {
            let at = self.at;
            let row: Arc<[u32]> = self.numbers(vocabulary.mask_words())?.collect();
            if !set_bits(&row).all(|token| token.index() < vocabulary.token_count()) {
                return Err(fault(at, UNKNOWN_TOKENS, SAVE_AGAIN));
            }
            rows.push(row);
        }
        Ok(rows)
    }

    fn inside(&mut self, rows: &[Arc<[u32]>]) -> Result<TokenBits> {
        let at = self.at;
        match self.array()? {
            [0] => Ok(TokenBits::Few(self.list()?.map(TokenId).collect())),
            [1] => {
                let row = self.number()?;
                let row = rows
                    .get(row as usize)
                    .ok_or_else(|| fault(at, format!("there is no row {row}"), SAVE_AGAIN))?;
                let places: Vec<u32> = self.list()?.collect();
                let words = self.numbers(places.len())?;
                let changes = places.into_iter().zip(words).map(|(at, word)| Change { at, word });
                Ok(TokenBits::Many { row: Arc::clone(row), changes: changes.collect() })
            }
            [other] => Err(fault(at, format!("there is no kind {other} of sets of tokens"), SAVE_AGAIN)),
        }
    }

    fn transitions(
        &mut self,
        set_depths: &[Option<u32>],
        rows: &[Arc<[u32]>],
        vocabulary: &Vocabulary,
    ) -> Result<Vec<Entry>> {
        let mut transitions = Vec::new();
        for _ in 0..self.number()? {
            let at = self.at;
            let entry = Entry {
                from: self.exit_set(set_depths.len())?,
                content: ContentHash(self.hash()?),
                exits: self.exit_set(set_depths.len())?,
                ends: self.list()?.map(NodeId).collect(),
                inside: self.inside(rows)?,
            };
            check(&entry, set_depths, vocabulary).map_err(|problem| fault(at, problem, SAVE_AGAIN))?;
            transitions.push(entry);
        }
        Ok(transitions)
    }
}

/// What is wrong with a transition, if anything is: what masks rely on. `set_depths` are the least depths of all exit
/// sets, `None` for those that are none. Rows were checked when they were read.
///
/// A walk reads a byte at least, so the least depth of its exits is greater than that of its starts; hence masks
/// read no further down the stack than the longest token has bytes, but past frames that may end at once.
fn check(
    entry: &Entry,
    set_depths: &[Option<u32>],
    vocabulary: &Vocabulary,
) -> std::result::Result<(), &'static str> {
    let depth_of = |place: Option<usize>, otherwise| match place {
        Some(place) => set_depths[place].ok_or("a transition has an exit set that is none"),
        None => Ok(otherwise),
    };
    if depth_of(entry.exits, u32::MAX)? <= depth_of(entry.from, 0)? {
        return Err("a transition comes back to where it starts");
    }
    let nodes = &entry.ends;
    if !nodes.is_sorted_by(|a, b| a < b)
        || nodes.last().is_some_and(|node| node.index() >= vocabulary.trie().len())
    {
        return Err("a transition ends outside the vocabulary");
    }
    let is_known = |token: TokenId| token.index() < vocabulary.token_count();
    let are_known = match &entry.inside {
        TokenBits::Few(few) => few.iter().copied().all(is_known),
        TokenBits::Many { row, changes } => {
            let ascend = changes.is_sorted_by(|a, b| a.at < b.at);
            if !ascend || changes.last().is_some_and(|change| change.at as usize >= row.len()) {
                return Err("a transition changes words that a row lacks");
            }
            // The bits up to the highest one that is set.
            let end = |change: &Change| (change.at as usize + 1) * 32 - change.word.leading_zeros() as usize;
            changes.iter().all(|change| change.word == 0 || end(change) <= vocabulary.token_count())
        }
    };
    if are_known { Ok(()) } else { Err(UNKNOWN_TOKENS) }
}

/// The length of the string of each node of a trie.
fn depths(trie: &TokenTrie) -> Vec<u32> {
    let mut depths = vec![0; trie.len()];
    // The ends of the subtrees that hold the node.
    let mut path: Vec<NodeId> = Vec::new();
    for (node, depth) in (0..).map(NodeId).zip(&mut depths) {
        while path.pop_if(|end| *end <= node).is_some() {}
        *depth = path.len() as u32;
        path.push(trie.end(node));
    }
    depths
}

/// The kinds of ASCII of a slice, if any number of them leads to its nodes; `None` where it is of others. The number of a class means
/// nothing to other processes.
fn ascii_kinds(slice: &SliceNodes) -> Option<Signature> {
    match slice.characters {
        Characters::Kinds(kinds) if kinds.is_ascii() && slice.are_all() => Some(kinds),
        _ => None,
    }
}

/// The least depth of some nodes; `None` where they do not ascend, or one is outside, or there are none, or slices are not of
/// kinds of ASCII.
fn least_depth(nodes: &ExitNodes, depths: &[u32]) -> Option<u32> {
    let ExitNodes { listed, slices } = nodes;
    let ascend = listed.is_sorted_by(|a, b| a < b) && slices.is_sorted_by(|a, b| a < b);
    let are_ascii = slices.iter().all(|slice| ascii_kinds(slice).is_some());
    let depth_of = |node: NodeId| depths.get(node.index()).copied();
    // Nodes of a slice are deeper than what they are below.
    let of_slices = slices.iter().map(|slice| depth_of(slice.below).map(|depth| depth + 1));
    let all = listed.iter().map(|&node| depth_of(node)).chain(of_slices);
    let least = all.reduce(|one, other| Some(one?.min(other?))).flatten();
    least.filter(|_| ascend && are_ascii)
}

#[cfg(test)]
#[path = "pool_file_tests.rs"]
mod tests;
