//! Sets of tokens by their numbers of characters.
//!
//! A state that counts characters reads the tokens that are short enough. Counters go down with each token of a
//! text, so the same is asked with one number after the other.

use std::sync::{Arc, OnceLock};

use super::TokenId;

/// Tokens by ascending number of characters.
#[derive(Debug)]
pub(super) struct ByLength {
    tokens: Box<[TokenId]>,
    /// For each number of characters, how many tokens have no more; the last is that of all tokens.
    ends: Box<[u32]>,
}

impl ByLength {
    /// Sorts tokens, each given with its number of characters, by counting them: `tokens` is run through twice. Takes
    /// time in proportion to them and the longest.
    pub(super) fn new<I: Iterator<Item = (TokenId, usize)>>(tokens: impl Fn() -> I) -> Self {
        let mut counts: Vec<u32> = Vec::new();
        for (_, length) in tokens() {
            if length >= counts.len() {
                counts.resize(length + 1, 0);
            }
            counts[length] += 1;
        }
        let mut sum = 0;
        // Where the tokens of each length begin; once they are placed, where they end.
        let mut ends: Box<[u32]> = counts.into();
        for end in &mut ends {
            let count = std::mem::replace(end, sum);
            sum += count;
        }
        let mut sorted = vec![TokenId(0); sum as usize];
        for (token, length) in tokens() {
            let end = &mut ends[length];
            sorted[*end as usize] = token;
            *end += 1;
        }
        Self { tokens: sorted.into(), ends }
    }

    /// The tokens of up to so many characters, and the longer ones.
    pub(super) fn split(&self, characters: u32) -> (&[TokenId], &[TokenId]) {
        let end = self.ends.get(characters as usize).map_or(self.tokens.len(), |&end| end as usize);
        self.tokens.split_at(end)
    }

    /// The memory in use, in bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        size_of_val(&*self.tokens) + size_of_val(&*self.ends)
    }
}

/// For each number of characters that many tokens exceed, a mask row of the tokens that have no more. Each is made when it
/// is first asked for.
#[derive(Debug)]
pub(super) struct RowsByLength([OnceLock<Arc<[u32]>>; Self::COUNT]);

impl RowsByLength {
    /// Few tokens have so many characters or more.
    pub(super) const COUNT: usize = 25;

    pub(super) fn new() -> Self {
        Self([const { OnceLock::new() }; Self::COUNT])
    }

    /// The row of the tokens of up to so many characters, where one is kept: made of the row of all, and of all
    /// tokens in some parts.
    pub(super) fn get(&self, characters: u32, all: &Arc<[u32]>, parts: &[&ByLength]) -> Option<&Arc<[u32]>> {
        let row = self.0.get(characters as usize)?;
        Some(row.get_or_init(|| {
            let split = || parts.iter().map(|part| part.split(characters));
            let (short, long) =
                split().fold((0, 0), |sum, (short, long)| (sum.0 + short.len(), sum.1 + long.len()));
            if short < long {
                return row_of(split().flat_map(|(short, _)| short), all.len());
            }
            let mut row = all.to_vec();
            let long = split().flat_map(|(_, long)| long);
            long.for_each(|token| row[token.index() / 32] &= !(1 << (token.0 % 32)));
            row.into()
        }))
    }
}

/// A mask row of some tokens.
pub(super) fn row_of<'a>(tokens: impl IntoIterator<Item = &'a TokenId>, mask_words: usize) -> Arc<[u32]> {
    let mut row = vec![0u32; mask_words];
    tokens.into_iter().for_each(|token| row[token.index() / 32] |= 1 << (token.0 % 32));
    row.into()
}
