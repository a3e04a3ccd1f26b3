//! Sets of tokens, as bits where they are many and as a list where they are few.

use crate::vocabulary::TokenId;

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
    Many(Box<[u32]>),
}

impl TokenBits {
    /// The set of a mask row.
    pub(super) fn from_row(row: &[u32]) -> Self {
        let count: usize = row.iter().map(|word| word.count_ones() as usize).sum();
        // A list of a quarter of the row's words is quicker to add than the row.
        if count > row.len() / 4 {
            return Self::Many(row.into());
        }
        let mut few = Vec::with_capacity(count);
        for (at, &word) in row.iter().enumerate() {
            let mut left = word;
            while left != 0 {
                few.push(TokenId(at as u32 * 32 + left.trailing_zeros()));
                left &= left - 1;
            }
        }
        Self::Few(few.into())
    }

    /// Adds the set to a mask row.
    pub(super) fn add_to(&self, row: &mut [u32]) {
        match self {
            Self::Few(tokens) => tokens.iter().for_each(|&token| set_bit(row, token)),
            Self::Many(words) => row.iter_mut().zip(words).for_each(|(word, &other)| *word |= other),
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        match self {
            Self::Few(tokens) => size_of_val(&**tokens),
            Self::Many(words) => size_of_val(&**words),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_give_back_the_row() {
        for step in [1, 3, 700] {
            let mut row = vec![0u32; 64];
            (0..2048).step_by(step).for_each(|id| set_bit(&mut row, TokenId(id)));
            let mut again = vec![0u32; 64];
            TokenBits::from_row(&row).add_to(&mut again);
            assert_eq!(row, again);
        }
    }
}
