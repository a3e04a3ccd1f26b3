//! What a JSON string of characters of one class makes of the vocabulary.
//!
//! It reads some of the tokens that a [string of any characters](super::string_slice) does, and each of them says as many
//! characters in both. So they are counted once for all classes, and what a class has of its own is a mask row for each
//! number of characters that many tokens exceed.

use std::ops::RangeInclusive;
use std::sync::Arc;

use super::TokenId;
use super::by_length::{ByLength, Row, known_or_made};
use super::character_class::ClassId;
use super::string_slice::{Quotes, StringSlice};
use super::trie::NodeId;
use crate::spelling::Spelling;

/// How a string is spelled, and the class of its characters.
pub(crate) type ClassStringKey = (Spelling, ClassId);

/// What a JSON string of characters of a class makes of the vocabulary, its first quote read.
#[derive(Debug)]
pub(crate) struct ClassStringSlice {
    /// A mask row of the tokens that stay in it, or end with its last quote.
    inside: Arc<[u32]>,
    /// For each number of characters that many tokens exceed, a mask row of those of them that have no more.
    rows: Box<[Row; ByLength::ROWS]>,
    /// The string of any characters that is spelled so.
    any: Arc<StringSlice>,
    /// The nodes behind the last quote below which strings go on.
    exits: Quotes,
    /// Those below which none does.
    ends: Quotes,
}

impl ClassStringSlice {
    /// A slice of what a walk found of a string of any length: a mask row of the tokens inside, and the nodes behind the last
    /// quote, ascending. All of them are of the string of any characters, too.
    pub(crate) fn new(any: Arc<StringSlice>, row: Arc<[u32]>, exits: &[NodeId], ends: &[NodeId]) -> Self {
        let [exits, ends] = any.quotes_at([exits, ends]);
        Self { inside: row, rows: Box::new([const { Row::new() }; ByLength::ROWS]), any, exits, ends }
    }

    /// The tokens that stay in a string of so many characters, or end with its last quote: those of a mask row, but for
    /// some of them.
    pub(crate) fn inside(
        &self,
        characters: &RangeInclusive<u32>,
    ) -> (&Arc<[u32]>, impl Iterator<Item = TokenId>) {
        let (least, most) = (*characters.start(), *characters.end());
        let row = self.rows.get(most as usize).zip(self.any.row_within(most));
        let (row, longer) = match row {
            Some((row, of_any)) => (known_or_made(row, || both(&self.inside, of_any)), &[][..]),
            None => (&self.inside, self.any.longer_than(most)),
        };
        let others = longer.iter().chain(self.any.closing_before(least)).copied();
        (row, others.filter(|token| row[token.index() / 32] >> (token.0 % 32) & 1 == 1))
    }

    /// The nodes behind the last quote of a string of so many characters, ascending: those below which strings go
    /// on, and those below which none does.
    pub(crate) fn quotes(&self, characters: &RangeInclusive<u32>) -> [Box<[NodeId]>; 2] {
        [&self.exits, &self.ends].map(|quotes| quotes.listed_within(characters))
    }

    /// The memory in bytes, with that of rows that may not have been made yet.
    pub(super) fn greatest_memory_bytes(&self) -> usize {
        size_of_val(&*self.inside) * (1 + self.rows.len())
            + self.exits.memory_bytes()
            + self.ends.memory_bytes()
    }
}

/// A mask row of what two have in common.
fn both(row: &[u32], other: &[u32]) -> Arc<[u32]> {
    row.iter().zip(other).map(|(word, other)| word & other).collect()
}
