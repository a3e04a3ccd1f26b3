//! Sets of tokens, as bits where they are many and as a list where they are few.

use std::sync::Arc;

use crate::vocabulary::{TokenId, TokenRange, TokenTrie};

/// Sets the bit of a token in a mask row.
pub(super) fn set_bit(row: &mut [u32], token: TokenId) {
    row[token.index() / 32] |= 1 << (token.0 % 32);
}

/// Clears the bit of a token in a mask row.
pub(super) fn clear_bit(row: &mut [u32], token: TokenId) {
    row[token.index() / 32] &= !(1 << (token.0 % 32));
}

/// Whether the bit of a token is set in a mask row.
pub(super) fn is_set(row: &[u32], token: TokenId) -> bool {
    row[token.index() / 32] >> (token.0 % 32) & 1 == 1
}

/// The tokens whose bits are set in a mask row, ascending.
pub(super) fn set_bits(row: &[u32]) -> impl Iterator<Item = TokenId> {
    row.iter().enumerate().flat_map(|(at, &word)| {
        let mut left = word;
        std::iter::from_fn(move || {
            let bit = (left != 0).then(|| left.trailing_zeros())?;
            left &= left - 1;
            Some(TokenId(at as u32 * 32 + bit))
        })
    })
}

/// An immutable set of tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TokenBits {
    /// Some ids.
    Few(Arc<[TokenId]>),
    /// A whole mask row.
    Many(Arc<[u32]>),
}

impl TokenBits {
    /// The set without members.
    pub(super) fn empty() -> Self {
        Self::Few(Arc::default())
    }

    /// The set of some tokens of a mask of so many words.
    pub(super) fn from_tokens(tokens: impl Iterator<Item = TokenId>, words: usize) -> Self {
        let tokens: Arc<[TokenId]> = tokens.collect();
        if !is_many(tokens.len(), words) {
            return Self::Few(tokens);
        }
        let mut row = vec![0u32; words];
        tokens.iter().for_each(|&token| set_bit(&mut row, token));
        Self::Many(row.into())
    }

    /// The union of a row, some ranges of the trie, and some more tokens.
    pub(super) fn from_ranges(
        trie: &TokenTrie,
        base: Option<&Arc<[u32]>>,
        ranges: &[TokenRange],
        more: &[TokenId],
        words: usize,
    ) -> Self {
        let count = ranges.iter().map(|range| range.len()).sum::<usize>() + more.len();
        let tokens = || ranges.iter().flat_map(|&range| trie.tokens_of(range)).chain(more).copied();
        match base {
            None if !is_many(count, words) => Self::Few(tokens().collect()),
            Some(base) if count == 0 => Self::Many(Arc::clone(base)),
            base => {
                let mut row = base.map_or_else(|| vec![0u32; words], |base| base.to_vec());
                tokens().for_each(|token| set_bit(&mut row, token));
                Self::Many(row.into())
            }
        }
    }

    /// The set of a mask row.
    pub(super) fn from_row(row: &[u32]) -> Self {
        let count: usize = row.iter().map(|word| word.count_ones() as usize).sum();
        if is_many(count, row.len()) {
            return Self::Many(row.into());
        }
        Self::Few(set_bits(row).collect())
    }

    /// Overwrites a mask row with the set.
    pub(super) fn write_to(&self, row: &mut [u32]) {
        match self {
            Self::Few(tokens) => {
                row.fill(0);
                tokens.iter().for_each(|&token| set_bit(row, token));
            }
            Self::Many(words) => row.copy_from_slice(words),
        }
    }

    /// Adds the set to a mask row.
    pub(super) fn add_to(&self, row: &mut [u32]) {
        match self {
            Self::Few(tokens) => tokens.iter().for_each(|&token| set_bit(row, token)),
            Self::Many(words) => row.iter_mut().zip(&**words).for_each(|(word, &other)| *word |= other),
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        match self {
            Self::Few(tokens) => size_of_val(&**tokens),
            Self::Many(words) => size_of_val(&**words),
        }
    }
}

/// Whether so many tokens are quicker to add as a whole row than one by one.
fn is_many(count: usize, words: usize) -> bool {
    count > words / 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_add_the_same_tokens() {
        for step in [1, 3, 700] {
            let tokens = || (0..2048).step_by(step).map(TokenId);
            let mut row = vec![0u32; 64];
            tokens().for_each(|token| set_bit(&mut row, token));
            let mut again = vec![0u32; 64];
            TokenBits::from_tokens(tokens(), 64).add_to(&mut again);
            assert_eq!(row, again);
            again.fill(u32::MAX);
            TokenBits::from_row(&row).write_to(&mut again);
            assert_eq!(row, again);
        }
    }
}
