//! Sets of tokens by their numbers of characters.
//!
//! A state that counts characters reads the tokens that are short enough. Counters go down with each token of a
//! text, so the same is asked with one number after the other.

use std::sync::{Arc, OnceLock};

use super::TokenId;

/// A mask row, made when it is first asked for.
pub(super) type Row = OnceLock<Arc<[u32]>>;

/// Tokens by ascending number of characters.
#[derive(Debug)]
pub(super) struct ByLength {
    tokens: Box<[TokenId]>,
    /// For each number of characters, how many tokens have no more; the last is that of all tokens.
    ends: Box<[u32]>,
    /// For each number of characters that many tokens exceed, a mask row of the tokens that have no more, where such rows
    /// are kept at all.
    rows: Option<Box<[Row; Self::ROWS]>>,
}

impl ByLength {
    /// Few tokens have so many characters or more.
    pub(super) const ROWS: usize = 25;

    /// Sorts tokens, each given with its number of characters, by counting them: `tokens` is run through twice, each time by
    /// `for_each`, which is quickest where they come from many lists. Takes
    /// time in proportion to them and the longest.
    pub(super) fn new<I: Iterator<Item = (TokenId, usize)>>(tokens: impl Fn() -> I) -> Self {
        let mut counts: Vec<u32> = Vec::new();
        tokens().for_each(|(_, length)| {
            if length >= counts.len() {
                counts.resize(length + 1, 0);
            }
            counts[length] += 1;
        });
        let mut sum = 0;
        // Where the tokens of each length begin; once they are placed, where they end.
        let mut ends: Box<[u32]> = counts.into();
        for end in &mut ends {
            let count = std::mem::replace(end, sum);
            sum += count;
        }
        let mut sorted = vec![TokenId(0); sum as usize];
        tokens().for_each(|(token, length)| {
            let end = &mut ends[length];
            sorted[*end as usize] = token;
            *end += 1;
        });
        Self { tokens: sorted.into(), ends, rows: None }
    }

    /// The tokens of two sets that have none in common. Takes time in proportion to them and the longest.
    pub(super) fn union(&self, other: &Self) -> Self {
        let mut tokens = Vec::with_capacity(self.tokens.len() + other.tokens.len());
        let lengths = 0..self.ends.len().max(other.ends.len());
        let ends = lengths.map(|length| {
            tokens.extend_from_slice(self.of_length(length));
            tokens.extend_from_slice(other.of_length(length));
            tokens.len() as u32
        });
        let ends = ends.collect();
        Self { tokens: tokens.into(), ends, rows: None }
    }

    /// The same, with mask rows that are kept.
    pub(super) fn with_rows(self) -> Self {
        Self { rows: Some(Box::new([const { OnceLock::new() }; Self::ROWS])), ..self }
    }

    fn of_length(&self, length: usize) -> &[TokenId] {
        let Some(&end) = self.ends.get(length) else { return &[] };
        let start = length.checked_sub(1).map_or(0, |shorter| self.ends[shorter]);
        &self.tokens[start as usize..end as usize]
    }

    /// The tokens of up to so many characters, and the longer ones.
    pub(super) fn split(&self, characters: u32) -> (&[TokenId], &[TokenId]) {
        let end = self.ends.get(characters as usize).map_or(self.tokens.len(), |&end| end as usize);
        self.tokens.split_at(end)
    }

    /// A mask row of the tokens of up to so many characters, where one is kept: made of the row of all.
    pub(super) fn row_within(&self, characters: u32, all: &Arc<[u32]>) -> Option<&Arc<[u32]>> {
        let row = self.rows.as_ref()?.get(characters as usize)?;
        Some(known_or_made(row, || self.make_row(characters, all)))
    }

    /// A mask row of the tokens of up to so many characters, made of the row of all. Takes time in proportion to those of the
    /// tokens within and the longer ones that are fewer, and to a mask.
    pub(super) fn make_row(&self, characters: u32, all: &Arc<[u32]>) -> Arc<[u32]> {
        let (short, long) = self.split(characters);
        if short.len() < long.len() {
            return row_of(short, all.len());
        }
        let mut row = Arc::clone(all);
        let words = Arc::make_mut(&mut row);
        long.iter().for_each(|token| words[token.index() / 32] &= !(1 << (token.0 % 32)));
        row
    }

    /// How many mask rows are kept, made or not.
    pub(super) fn row_count(&self) -> usize {
        self.rows.as_ref().map_or(0, |rows| rows.len())
    }

    /// The memory in use without that of rows, in bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        size_of_val(&*self.tokens) + size_of_val(&*self.ends)
    }
}

/// What a cell keeps, or what is made for it now. Threads that come here at once each make it, and the first is kept.
///
/// It is made before the cell is asked to keep it. While something is made within a cell, others wait for the thread that
/// makes it: in a process that is forked meanwhile, which has not got that thread, for ever.
pub(crate) fn known_or_made<T>(cell: &OnceLock<T>, make: impl FnOnce() -> T) -> &T {
    if let Some(known) = cell.get() {
        return known;
    }
    let made = make();
    cell.get_or_init(|| made)
}

/// A mask row of some tokens.
pub(crate) fn row_of<'a>(tokens: impl IntoIterator<Item = &'a TokenId>, mask_words: usize) -> Arc<[u32]> {
    let mut row: Arc<[u32]> = std::iter::repeat_n(0, mask_words).collect();
    let words = Arc::make_mut(&mut row);
    tokens.into_iter().for_each(|token| words[token.index() / 32] |= 1 << (token.0 % 32));
    row
}

/// A mask row of the tokens of some lists: as quick as it is only where each is gone through by itself.
pub(crate) fn row_of_lists<'a>(lists: impl Iterator<Item = &'a [TokenId]>, mask_words: usize) -> Arc<[u32]> {
    let mut row = row_of([], mask_words);
    let words = Arc::make_mut(&mut row);
    lists.for_each(|list| list.iter().for_each(|token| words[token.index() / 32] |= 1 << (token.0 % 32)));
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_union_has_the_tokens_of_both_by_their_numbers_of_characters() {
        let of = |lengths: &'static [(u32, usize)]| {
            ByLength::new(|| lengths.iter().map(|&(token, length)| (TokenId(token), length)))
        };
        let all: &[(u32, usize)] = &[(0, 2), (1, 5), (2, 2), (3, 0), (4, 30), (5, 1), (6, 7)];
        let whole = of(all);
        for parts in [[&all[..3], &all[3..]], [&all[..5], &all[5..]], [&all[..0], all]] {
            let [first, second] = parts.map(of);
            for union in [first.union(&second), second.union(&first).with_rows()] {
                for characters in 0..32 {
                    let sorted = |tokens: &[TokenId]| {
                        let mut tokens = tokens.to_vec();
                        tokens.sort_unstable();
                        tokens
                    };
                    let [(short, long), (expected, longer)] =
                        [&union, &whole].map(|one| one.split(characters));
                    assert_eq!([sorted(short), sorted(long)], [sorted(expected), sorted(longer)]);
                    let row = union.row_within(characters, &Arc::from([0x7F]));
                    let expected = (characters < 25 && union.row_count() > 0).then(|| row_of(short, 1));
                    assert_eq!(row, expected.as_ref());
                }
            }
        }
    }
}
