//! Sets of tokens, as bits where they are many and as a list where they are few. They do not change;
//! [`token_union`](super::token_union) puts new ones together.

use std::sync::Arc;

use super::token_lists::TokenLists;
use super::token_union::Unions;
use crate::bits::bits;
use crate::vocabulary::{TokenId, TokenRange, TokenTrie, row_of, row_of_lists};

/// Sets the bit of a token in a mask row.
pub(super) fn set_bit(row: &mut [u32], token: TokenId) {
    row[token.index() / 32] |= 1 << (token.0 % 32);
}

/// Clears the bit of a token in a mask row.
pub(super) fn clear_bit(row: &mut [u32], token: TokenId) {
    row[token.index() / 32] &= !(1 << (token.0 % 32));
}

/// Whether the bit of a token is set in a mask row.
pub(crate) fn has_bit(row: &[u32], token: TokenId) -> bool {
    row[token.index() / 32] >> (token.0 % 32) & 1 != 0
}

/// The tokens whose bits are set in a mask row, ascending.
pub(super) fn set_bits(row: &[u32]) -> impl Iterator<Item = TokenId> {
    let words = row.iter().enumerate();
    words.flat_map(|(at, &word)| bits(u64::from(word)).map(move |bit| TokenId(at as u32 * 32 + bit)))
}

/// A word of a mask row that stands in place of the row's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) at: u32,
    pub(super) word: u32,
}

/// An immutable set of tokens.
///
/// Masks are much alike: those inside a string hold what all strings do, and a few tokens that leave it. So a row is
/// shared, and what is different is kept beside it.
#[derive(Clone, Debug)]
pub(crate) enum TokenBits {
    /// Some ids, in any order. One that comes twice is a member once: nothing else may be made of it.
    Few(Arc<[TokenId]>),
    /// A whole mask row, but for some words of it.
    Many {
        /// Other sets may have the same.
        row: Arc<[u32]>,
        /// Ascending.
        changes: Arc<[Change]>,
    },
}

impl TokenBits {
    /// The set without members.
    pub(super) fn empty() -> Self {
        Self::Few(Arc::default())
    }

    /// Whether the set is known to have no members.
    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Self::Few(tokens) if tokens.is_empty())
    }

    /// The set of a mask row.
    pub(super) fn of_row(row: &Arc<[u32]>) -> Self {
        Self::Many { row: Arc::clone(row), changes: Arc::default() }
    }

    /// The set of some tokens of a mask of so many words.
    pub(super) fn from_tokens(tokens: impl Iterator<Item = TokenId>, words: usize) -> Self {
        let tokens: Arc<[TokenId]> = tokens.collect();
        if !is_many(tokens.len(), words) {
            return Self::Few(tokens);
        }
        Self::of_row(&row_of(&*tokens, words))
    }

    /// The union of some sets, some ranges of the trie, and some more tokens.
    pub(super) fn from_ranges(
        trie: &TokenTrie,
        bases: &[Self],
        ranges: &[TokenRange],
        more: &[TokenId],
        unions: &Unions,
    ) -> Self {
        let lists = || ranges.iter().map(|&range| trie.tokens_of(range)).chain(std::iter::once(more));
        let count = lists().map(<[_]>::len).sum();
        if let Some(base) = bases.first() {
            return match (count, bases.len()) {
                (0, 1) => base.clone(),
                _ => unions.run(|union| {
                    bases.iter().for_each(|base| union.add(base));
                    union.add_lists(lists(), count);
                    union.finish()
                }),
            };
        }
        let words = unions.words();
        if !is_many(count, words) {
            let mut tokens = Vec::with_capacity(count);
            lists().for_each(|list| tokens.extend_from_slice(list));
            return Self::Few(tokens.into());
        }
        Self::of_row(&row_of_lists(lists(), words))
    }

    /// The set as a mask row of so many words: that of others where it is the same.
    pub(super) fn to_row(&self, words: usize) -> Arc<[u32]> {
        match self {
            Self::Few(tokens) => row_of(&**tokens, words),
            Self::Many { row, changes } => {
                let mut row = Arc::clone(row);
                if !changes.is_empty() {
                    write_changes(Arc::make_mut(&mut row), changes);
                }
                row
            }
        }
    }

    /// Overwrites a mask row with the set.
    pub(super) fn write_to(&self, row: &mut [u32]) {
        match self {
            Self::Few(tokens) => {
                row.fill(0);
                tokens.iter().for_each(|&token| set_bit(row, token));
            }
            Self::Many { row: words, changes } => {
                row.copy_from_slice(words);
                write_changes(row, changes);
            }
        }
    }

    /// The memory that is not shared, in bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        match self {
            Self::Few(tokens) => size_of_val(&**tokens),
            Self::Many { changes, .. } => size_of_val(&**changes),
        }
    }

    /// The row that others may share.
    pub(super) fn shared_row(&self) -> Option<&Arc<[u32]>> {
        match self {
            Self::Few(_) => None,
            Self::Many { row, .. } => Some(row),
        }
    }
}

/// A set of tokens that is written again and again, and never added to another.
#[derive(Debug)]
pub(super) enum MaskBits {
    Set(TokenBits),
    /// All words of a mask row that are not zero, in any order: no more than the tokens.
    Words(Box<[Change]>),
    /// What others list, until it is written a second time.
    Lists(TokenLists),
}

impl MaskBits {
    /// Overwrites a mask row with the set.
    pub(super) fn write_to(&self, row: &mut [u32]) {
        match self {
            Self::Set(set) => set.write_to(row),
            Self::Words(words) => {
                row.fill(0);
                write_changes(row, words);
            }
            Self::Lists(lists) => lists.write_to(row),
        }
    }

    /// The memory that is not shared, in bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        match self {
            Self::Set(set) => set.memory_bytes(),
            Self::Words(words) => size_of_val(&**words),
            Self::Lists(lists) => lists.memory_bytes(),
        }
    }

    /// The row that others may share.
    pub(super) fn shared_row(&self) -> Option<&Arc<[u32]>> {
        match self {
            Self::Set(set) => set.shared_row(),
            Self::Words(_) | Self::Lists(_) => None,
        }
    }
}

/// Writes words in place of a row's own.
pub(super) fn write_changes(row: &mut [u32], changes: &[Change]) {
    changes.iter().for_each(|change| row[change.at as usize] = change.word);
}

/// Whether so many tokens, or words, are quicker to add as a whole row than one by one.
pub(super) fn is_many(count: usize, words: usize) -> bool {
    count > words / 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_write_the_same_tokens() {
        for step in [1, 3, 700] {
            let tokens = || (0..2048).step_by(step).map(TokenId);
            let mut row = vec![0u32; 64];
            tokens().for_each(|token| set_bit(&mut row, token));
            let twice = TokenBits::from_tokens(tokens().chain(tokens()), 64);
            let once = TokenBits::from_tokens(tokens(), 64);
            for set in [once, twice, TokenBits::of_row(&row.as_slice().into())] {
                let mut again = vec![u32::MAX; 64];
                set.write_to(&mut again);
                assert_eq!(row, again);
                assert_eq!(row[..], set.to_row(64)[..]);
            }
        }
    }
}
