//! Sets of tokens, as bits where they are many and as a list where they are few.

use std::sync::Arc;

use crate::vocabulary::{TokenId, TokenRange, TokenTrie};

/// Sets the bit of a token in a mask row.
pub(super) fn set_bit(row: &mut [u32], token: TokenId) {
    row[token.index() / 32] |= 1 << (token.0 % 32);
}

/// An immutable set of tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TokenBits {
    /// Some ids.
    Few(Box<[TokenId]>),
    /// A whole mask row.
    Many(Arc<[u32]>),
}

impl TokenBits {
    /// The set of some tokens of a mask of so many words.
    pub(super) fn from_tokens(tokens: impl Iterator<Item = TokenId>, words: usize) -> Self {
        let tokens: Box<[TokenId]> = tokens.collect();
        if !is_many(tokens.len(), words) {
            return Self::Few(tokens);
        }
        let mut row = vec![0u32; words];
        tokens.iter().for_each(|&token| set_bit(&mut row, token));
        Self::Many(row.into())
    }

    /// The union of a row and of some ranges of the trie.
    pub(super) fn from_ranges(
        trie: &TokenTrie,
        base: Option<&Arc<[u32]>>,
        ranges: &[TokenRange],
        words: usize,
    ) -> Self {
        let count: usize = ranges.iter().map(|range| range.len()).sum();
        let tokens = || ranges.iter().flat_map(|&range| trie.tokens_of(range)).copied();
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
        }
    }
}
