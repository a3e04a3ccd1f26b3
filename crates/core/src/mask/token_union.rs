//! Sets of tokens, put together from others.
//!
//! What is put together is a list as long as all parts are lists, and else the first row among them with what is
//! different: so masks that hold the same string share its row. Only words in which something may be different are
//! looked at, but where two parts have different rows.

use std::sync::{Arc, Mutex, TryLockError};

use super::token_bits::{Change, MaskBits, TokenBits, is_many, set_bit, write_changes};
use crate::bits::{bits, indices};
use crate::vocabulary::{NodeId, TokenId, Vocabulary, row_of};

/// Room to put sets of tokens together in, which takes twice the memory of a mask: one set after another, so that it
/// need not be cleared for each.
#[derive(Debug)]
pub(super) struct Unions {
    words: usize,
    room: Mutex<TokenUnion>,
}

impl Unions {
    /// Room for sets of masks of so many words.
    pub(super) fn new(words: usize) -> Self {
        Self { words, room: Mutex::new(TokenUnion::new(words)) }
    }

    /// How many words the masks have.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// Puts a set together, beginning with one without members.
    pub(super) fn run<T>(&self, run: impl FnOnce(&mut TokenUnion) -> T) -> T {
        match self.room.try_lock() {
            Ok(mut union) => {
                union.clear();
                run(&mut union)
            }
            // Another thread has it, and a mask is not to wait for it.
            Err(TryLockError::WouldBlock) => run(&mut TokenUnion::new(self.words)),
            Err(TryLockError::Poisoned(poisoned)) => {
                self.room.clear_poison();
                let mut union = poisoned.into_inner();
                *union = TokenUnion::new(self.words);
                run(&mut union)
            }
        }
    }

    /// The union of some sets.
    pub(super) fn union(&self, sets: &[TokenBits]) -> TokenBits {
        self.run(|union| {
            sets.iter().for_each(|set| union.add(set));
            union.finish()
        })
    }

    /// The tokens that all of some sets have.
    pub(super) fn intersection(&self, sets: &[TokenBits]) -> TokenBits {
        self.run(|union| {
            sets.iter().take(1).for_each(|set| union.add(set));
            sets.iter().skip(1).for_each(|set| union.keep_row(&set.to_row(self.words)));
            union.finish()
        })
    }

    /// A set without some tokens, and then with others.
    pub(super) fn changed(
        &self,
        set: &TokenBits,
        without: impl IntoIterator<Item = TokenId>,
        with: impl IntoIterator<Item = TokenId>,
    ) -> TokenBits {
        let (mut without, mut with) = (without.into_iter().peekable(), with.into_iter().peekable());
        if without.peek().is_none() && with.peek().is_none() {
            return set.clone();
        }
        self.run(|union| {
            union.add(set);
            union.remove(without);
            union.add_tokens(with);
            union.finish()
        })
    }

    /// A set without the tokens at and below some nodes of a vocabulary, and then with others.
    pub(super) fn changed_below(
        &self,
        set: &TokenBits,
        without: impl ExactSizeIterator<Item = NodeId>,
        with: impl Iterator<Item = TokenId>,
        vocabulary: &Vocabulary,
    ) -> TokenBits {
        let trie = vocabulary.trie();
        let mut with = with.peekable();
        if without.len() == 0 && with.peek().is_none() {
            return set.clone();
        }
        self.run(|union| {
            union.add(set);
            for node in without {
                match vocabulary.row_of_all_below(node) {
                    Some(row) => union.remove_row(&row),
                    None => union.remove(trie.tokens_of(trie.range_below(node)).iter().copied()),
                }
            }
            union.add_tokens(with);
            union.finish()
        })
    }
}

/// A set of tokens that others are added to. Its memory is used again for the next one.
#[derive(Debug)]
pub(super) struct TokenUnion {
    /// The row that the set began with.
    base: Option<Arc<[u32]>>,
    /// The bits of members, of the row or not. All zeros but in words that were touched.
    added: Vec<u32>,
    /// The bits of the row that are of no members, unless they were added. All zeros but in words that were touched, and
    /// where there is no row.
    removed: Vec<u32>,
    /// One bit for each word: whether it was touched.
    touched: Vec<u64>,
}

impl TokenUnion {
    /// The set without members, of masks of so many words.
    pub(super) fn new(words: usize) -> Self {
        let (added, removed, touched) = (vec![0; words], vec![0; words], vec![0; words.div_ceil(64)]);
        Self { base: None, added, removed, touched }
    }

    fn clear(&mut self) {
        self.drain(|_| ());
        self.base = None;
    }

    /// Gives the words that were touched, ascending, and forgets them.
    fn drain(&mut self, mut run: impl FnMut(Change)) {
        let Self { base, added, removed, touched } = self;
        let (added, removed) = (added.as_mut_slice(), removed.as_mut_slice());
        for (block, touched) in touched.iter_mut().enumerate() {
            bits(std::mem::take(touched)).for_each(|bit| {
                let at = block * 64 + bit as usize;
                let added = std::mem::take(&mut added[at]);
                let word = match base {
                    Some(base) => base[at] & !std::mem::take(&mut removed[at]) | added,
                    None => added,
                };
                run(Change { at: at as u32, word });
            });
        }
    }

    /// How many words of a row may be different from one that is shared: a sixteenth and a few more.
    ///
    /// A change takes twice the memory of a word, and its time is little beside that of copying the row.
    fn most_changes(words: usize) -> usize {
        words / 16 + 2
    }

    /// A word of a mask row of the members.
    pub(super) fn word(&self, at: usize) -> u32 {
        let base = self.base.as_ref().map_or(0, |base| base[at]);
        base & !self.removed[at] | self.added[at]
    }

    /// What of some words of a mask row is of no members, where anything is.
    pub(super) fn missing(&self, words: &[(u32, u32)]) -> Vec<(u32, u32)> {
        let missing = words.iter().map(|&(at, bits)| (at, bits & !self.word(at as usize)));
        missing.filter(|&(_, bits)| bits != 0).collect()
    }

    fn touch(&mut self, at: usize) {
        self.touched[at / 64] |= 1 << (at % 64);
    }

    /// Whether a token is a member.
    pub(super) fn contains(&self, token: TokenId) -> bool {
        self.word(token.index() / 32) >> (token.0 % 32) & 1 == 1
    }

    /// Adds some tokens.
    pub(super) fn add_tokens(&mut self, tokens: impl IntoIterator<Item = TokenId>) {
        // Where these are, no write to them can change.
        let (added, touched) = (self.added.as_mut_slice(), self.touched.as_mut_slice());
        for token in tokens {
            let at = token.index() / 32;
            touched[at / 64] |= 1 << (at % 64);
            added[at] |= 1 << (token.0 % 32);
        }
    }

    /// Adds the tokens of some lists, together so many.
    ///
    /// Where they are far more than a row has words, hardly any of these is without one: they are not told apart.
    pub(super) fn add_lists<'a>(&mut self, lists: impl Iterator<Item = &'a [TokenId]>, count: usize) {
        const TOKENS_FOR_A_WORD: usize = 2;
        if count < self.added.len() * TOKENS_FOR_A_WORD {
            lists.for_each(|list| self.add_tokens(list.iter().copied()));
            return;
        }
        let added = self.added.as_mut_slice();
        lists.for_each(|list| list.iter().for_each(|&token| set_bit(added, token)));
        self.touched.fill(u64::MAX);
        if let Some(last) = self.touched.last_mut() {
            *last >>= (64 - self.added.len() % 64) % 64;
        }
    }

    /// Removes some tokens.
    pub(super) fn remove(&mut self, tokens: impl IntoIterator<Item = TokenId>) {
        let (added, removed) = (self.added.as_mut_slice(), self.removed.as_mut_slice());
        let (touched, has_base) = (self.touched.as_mut_slice(), self.base.is_some());
        for token in tokens {
            let (at, bit) = (token.index() / 32, 1 << (token.0 % 32));
            touched[at / 64] |= 1 << (at % 64);
            added[at] &= !bit;
            if has_base {
                removed[at] |= bit;
            }
        }
    }

    /// Removes the tokens of a mask row.
    pub(super) fn remove_row(&mut self, row: &[u32]) {
        let Self { base, added, removed, touched } = self;
        for (block, touched) in touched.iter_mut().enumerate() {
            let words = block * 64..row.len().min(block * 64 + 64);
            let (row, added) = (&row[words.clone()], &mut added[words.clone()]);
            added.iter_mut().zip(row).for_each(|(added, row)| *added &= !row);
            if base.is_some() {
                removed[words].iter_mut().zip(row).for_each(|(removed, row)| *removed |= row);
                let bits = row.iter().enumerate();
                *touched |= bits.fold(0, |bits, (at, &row)| bits | u64::from(row != 0) << at);
            }
        }
    }

    /// Removes all but the tokens of a mask row.
    fn keep_row(&mut self, row: &[u32]) {
        let Self { base, added, removed, touched } = self;
        added.iter_mut().zip(row).for_each(|(added, row)| *added &= row);
        let Some(base) = base else { return };
        const BLOCK: usize = 64;
        let blocks = base.chunks(BLOCK).zip(row.chunks(BLOCK)).zip(removed.chunks_mut(BLOCK)).zip(touched);
        for (((base, row), removed), touched) in blocks {
            for (at, ((base, row), removed)) in base.iter().zip(row).zip(removed).enumerate() {
                let gone = base & !row;
                *removed |= gone;
                *touched |= u64::from(gone != 0) << at;
            }
        }
    }

    /// Adds the members of another set.
    pub(super) fn add(&mut self, set: &TokenBits) {
        match set {
            TokenBits::Few(tokens) => self.add_tokens(tokens.iter().copied()),
            TokenBits::Many { row, changes } => match &self.base {
                None => self.begin_with(row, changes),
                Some(base) if Arc::ptr_eq(base, row) => self.add_same_row(row, changes),
                Some(_) => self.add_other_row(row, changes),
            },
        }
    }

    /// Adds the first row, with other words in some places.
    fn begin_with(&mut self, row: &Arc<[u32]>, changes: &[Change]) {
        self.base = Some(Arc::clone(row));
        for &Change { at, word } in changes {
            let at = at as usize;
            self.touch(at);
            self.added[at] |= word;
            self.removed[at] = row[at] & !word;
        }
    }

    /// Adds the row that the set began with once more, with other words in some places.
    fn add_same_row(&mut self, row: &[u32], changes: &[Change]) {
        let mut next = changes.iter().peekable();
        indices(self.touched.iter().copied()).for_each(|at| {
            while next.next_if(|change| (change.at as usize) < at).is_some() {}
            let change = next.next_if(|change| change.at as usize == at);
            self.removed[at] &= change.map_or(0, |change| row[at] & !change.word);
        });
        for &Change { at, word } in changes {
            self.touch(at as usize);
            self.added[at as usize] |= word;
        }
    }

    /// Adds another row than the one that the set began with, with other words in some places: 64 words at once, since most of
    /// two rows is the same.
    fn add_other_row(&mut self, row: &[u32], changes: &[Change]) {
        const BLOCK: usize = 64;
        let Self { base: Some(base), added, removed, touched } = self else { return };
        let mut next = changes.iter().peekable();
        let blocks = base.chunks(BLOCK).zip(row.chunks(BLOCK)).zip(removed.chunks(BLOCK));
        let blocks = blocks.zip(added.chunks_mut(BLOCK)).zip(touched).enumerate();
        for (block, ((((base, row), removed), added), touched)) in blocks {
            let (start, mut words) = (block * BLOCK, [0; BLOCK]);
            let new = &mut words[..row.len()];
            new.copy_from_slice(row);
            while let Some(change) = next.next_if(|change| (change.at as usize) < start + BLOCK) {
                new[change.at as usize - start] = change.word;
            }
            let mut any = 0;
            for (((new, base), removed), added) in new.iter_mut().zip(base).zip(removed).zip(&*added) {
                *new &= !(base & !removed | added);
                any |= *new;
            }
            if any != 0 {
                added.iter_mut().zip(&*new).for_each(|(added, new)| *added |= new);
                let bits = new.iter().enumerate();
                *touched |= bits.fold(0, |bits, (at, &new)| bits | u64::from(new != 0) << at);
            }
        }
    }

    /// Adds the members of other sets, but for some tokens; those that are members already remain.
    pub(super) fn add_without<'a>(
        &mut self,
        sets: impl Iterator<Item = &'a TokenBits>,
        mut without: Vec<TokenId>,
    ) {
        without.retain(|&token| !self.contains(token));
        sets.for_each(|set| self.add(set));
        self.remove(without);
    }

    /// As [`finish`](Self::finish), in the form that is soonest written.
    pub(super) fn finish_mask(&mut self) -> MaskBits {
        if self.base.is_some() {
            return MaskBits::Set(self.finish());
        }
        let mut words = Vec::with_capacity(self.touched_count());
        self.drain(|change| words.push(change));
        match is_many(words.len(), self.added.len()) {
            true => MaskBits::Set(self.row_of_words(&words)),
            false => MaskBits::Words(words.into()),
        }
    }

    /// The set that was put together; after it comes another one, without members yet.
    pub(super) fn finish(&mut self) -> TokenBits {
        let touched = self.touched_count();
        let Some(base) = self.base.clone() else {
            let (mut changes, mut tokens) = (Vec::with_capacity(touched), Vec::with_capacity(touched));
            self.drain(|change| {
                tokens.extend(bits(u64::from(change.word)).map(|bit| TokenId(change.at * 32 + bit)));
                changes.push(change);
            });
            return match is_many(tokens.len(), self.added.len()) {
                true => self.row_of_words(&changes),
                false => TokenBits::Few(tokens.into()),
            };
        };
        if touched > Self::most_changes(self.added.len()) && self.changes_many(&base) {
            return TokenBits::of_row(&self.finish_row(base));
        }
        let mut changes = Vec::with_capacity(touched);
        self.drain(|change| {
            if base[change.at as usize] != change.word {
                changes.push(change);
            }
        });
        self.base = None;
        TokenBits::Many { row: base, changes: changes.into() }
    }

    /// Whether more words are different from those of the row that the set began with than are kept beside it.
    fn changes_many(&self, base: &[u32]) -> bool {
        let words = base.iter().zip(&self.removed).zip(&self.added);
        // Numbers as wide as words are counted many at once.
        let changed: u32 =
            words.map(|((base, removed), added)| u32::from(base & !removed | added != *base)).sum();
        changed as usize > Self::most_changes(base.len())
    }

    /// The whole row that was put together from another one; after it comes another set.
    fn finish_row(&mut self, base: Arc<[u32]>) -> Arc<[u32]> {
        self.base = None;
        self.touched.fill(0);
        let mut row = base;
        let words = Arc::make_mut(&mut row).iter_mut().zip(&mut self.removed).zip(&mut self.added);
        words.for_each(|((word, removed), added)| {
            *word = *word & !*removed | *added;
            (*removed, *added) = (0, 0);
        });
        row
    }

    /// How many words were touched.
    fn touched_count(&self) -> usize {
        self.touched.iter().map(|touched| touched.count_ones() as usize).sum()
    }

    /// The set of a row of some words, and no others.
    fn row_of_words(&self, words: &[Change]) -> TokenBits {
        let mut row = row_of([], self.added.len());
        write_changes(Arc::make_mut(&mut row), words);
        TokenBits::of_row(&row)
    }
}

#[cfg(test)]
#[path = "token_union_tests.rs"]
mod tests;
