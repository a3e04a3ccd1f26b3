//! Masks of a few lists of tokens, which are put together only where they are written again.
//!
//! Where such a mask is new, its tokens are written from the lists that others hold: most masks that take long to find are met
//! once. Only when it is written a second time are the words of its row kept, as they are of masks that are put together at
//! once (`token_union`).

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use smallvec::SmallVec;

use super::token_bits::{Change, TokenBits, set_bit, write_changes};
use crate::vocabulary::TokenId;

/// The tokens of some lists, as a mask.
#[derive(Debug)]
pub(super) struct TokenLists {
    /// Of a token that comes twice, the second is nothing new.
    lists: SmallVec<[Arc<[TokenId]>; 4]>,
    is_written: AtomicBool,
    /// All words of the row that are not zero.
    words: OnceLock<Box<[Change]>>,
}

impl TokenLists {
    /// The union of some sets for masks of so many words; `None` where one of them is a row, or they are soonest written as
    /// one.
    pub(super) fn of<'a>(sets: impl Iterator<Item = &'a TokenBits>, words: usize) -> Option<Self> {
        let (mut lists, mut count) = (SmallVec::new(), 0);
        for set in sets {
            let TokenBits::Few(tokens) = set else { return None };
            count += tokens.len();
            lists.push(Arc::clone(tokens));
        }
        (count <= words / 2).then(|| Self {
            lists,
            is_written: AtomicBool::new(false),
            words: OnceLock::new(),
        })
    }

    /// Overwrites a mask row with the set.
    pub(super) fn write_to(&self, row: &mut [u32]) {
        row.fill(0);
        if let Some(words) = self.words.get() {
            return write_changes(row, words);
        }
        self.lists.iter().for_each(|tokens| tokens.iter().for_each(|&token| set_bit(row, token)));
        if self.is_written.swap(true, Ordering::Relaxed) {
            self.words.get_or_init(|| {
                let words = (0..).zip(&*row).filter(|&(_, &word)| word != 0);
                words.map(|(at, &word)| Change { at, word }).collect()
            });
        }
    }

    /// The memory that is not shared, in bytes, once it has been written twice.
    pub(super) fn memory_bytes(&self) -> usize {
        let tokens: usize = self.lists.iter().map(|tokens| tokens.len()).sum();
        tokens * size_of::<Change>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: usize = 64;

    fn list(ids: impl Iterator<Item = u32>) -> TokenBits {
        TokenBits::Few(ids.map(TokenId).collect())
    }

    #[test]
    fn what_is_written_is_the_same_each_time() {
        let sets = [list((5..900).step_by(41)), list([0, 36, 2047].into_iter()), list(std::iter::empty())];
        let mask = TokenLists::of(sets.iter(), WORDS).unwrap();
        let mut expected = vec![0; WORDS];
        for set in &sets {
            let TokenBits::Few(tokens) = set else { panic!("a row") };
            tokens.iter().for_each(|&token| set_bit(&mut expected, token));
        }
        for time in 0..4 {
            let mut row = vec![u32::MAX; WORDS];
            mask.write_to(&mut row);
            assert_eq!(row, expected);
            assert_eq!(mask.words.get().is_some(), time > 0, "words are kept when it is written again");
        }
        assert!(size_of_val(&**mask.words.get().unwrap()) <= mask.memory_bytes());
    }

    #[test]
    fn rows_and_long_lists_are_put_together_at_once() {
        let few = list(0..20);
        assert!(TokenLists::of([&few].into_iter(), WORDS).is_some());
        assert!(TokenLists::of([&few, &few].into_iter(), WORDS).is_none());
        let row = TokenBits::of_row(&vec![1; WORDS].into());
        assert!(TokenLists::of([&few, &row].into_iter(), WORDS).is_none());
    }
}
