//! Lists that grow at their end and share their beginnings: the items and keys of a text so far.
//!
//! A place of a text knows all that has come where that may not come again. Were the list a part of the place, a text of
//! thousands of items would take the square of that; here a list is the number of its last *cell*, which names the list
//! before it. What is made of the elements of a list, such as the language of all other texts, is made for *blocks* of it.
//! A list has few blocks, and nearly all of them are those of the list before it.

use std::hash::Hash;
use std::marker::PhantomData;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::interner::Interner;

/// A list of [`SharedLists`], by number. Equal lists have one number.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct ListId<T> {
    /// One more than the number of its last cell; zero where it is empty.
    number: u32,
    element: PhantomData<T>,
}

impl<T> Clone for ListId<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for ListId<T> {}

impl<T> ListId<T> {
    /// The list without elements.
    pub(super) const EMPTY: Self = Self { number: 0, element: PhantomData };

    pub(super) fn is_empty(self) -> bool {
        self.number == 0
    }

    /// The list of a [`number`](Self::number).
    pub(super) fn from_number(number: u32) -> Self {
        Self { number, element: PhantomData }
    }

    pub(super) fn number(self) -> u32 {
        self.number
    }
}

/// What is made of each block of a list, that of the last one first.
pub(super) type Blocks<V> = SmallVec<[V; 4]>;

/// What was made of blocks, by the lists that end with them.
pub(super) type OfBlocks<T, V> = FxHashMap<ListId<T>, V>;

/// The last element of a list, and what comes before it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Cell<T> {
    last: T,
    before: ListId<T>,
    /// The list as it was before its last block.
    before_block: ListId<T>,
    length: u32,
}

/// Lists that share their beginnings.
#[derive(Clone, Debug)]
pub(super) struct SharedLists<T> {
    cells: Interner<Cell<T>>,
}

impl<T> Default for SharedLists<T> {
    fn default() -> Self {
        Self { cells: Interner::default() }
    }
}

impl<T> SharedLists<T> {
    /// Up to so many elements are one block, made anew for each list.
    pub(super) const LEAST_BLOCK: u32 = 32;
    /// No block is larger, since making it is the work of one step.
    const GREATEST_BLOCK: u32 = 1024;

    fn cell(&self, list: ListId<T>) -> Option<&Cell<T>> {
        Some(self.cells.get(list.number.checked_sub(1)?))
    }

    /// The number of cells of all lists.
    pub(super) fn size(&self) -> usize {
        self.cells.len()
    }

    pub(super) fn length(&self, list: ListId<T>) -> u32 {
        self.cell(list).map_or(0, |cell| cell.length)
    }

    /// The list as it was before its last block.
    pub(super) fn before_block(&self, list: ListId<T>) -> ListId<T> {
        self.cell(list).map_or(ListId::EMPTY, |cell| cell.before_block)
    }

    /// The lists that end with each block of a list: those of which it consists, the last first. Each block but the last is
    /// a block of many lists.
    ///
    /// Of `n` elements there are `log n` blocks, and one more for each [`GREATEST_BLOCK`](Self::GREATEST_BLOCK) elements.
    fn blocks(&self, list: ListId<T>) -> Blocks<ListId<T>> {
        let mut blocks = SmallVec::new();
        let mut at = list;
        while !at.is_empty() {
            blocks.push(at);
            at = self.before_block(at);
        }
        blocks
    }
}

impl<T: Copy + Eq + Hash> SharedLists<T> {
    /// What is made of each block of a list, each made once: for a list that has grown, of its last block or two.
    pub(super) fn of_blocks<V: Clone>(
        &self,
        list: ListId<T>,
        known: &mut OfBlocks<T, V>,
        mut make: impl FnMut(Vec<T>) -> V,
    ) -> Blocks<V> {
        let mut of_block = |block| known.entry(block).or_insert_with(|| make(self.last_block(block))).clone();
        self.blocks(list).into_iter().map(&mut of_block).collect()
    }

    /// A list with one more element at its end.
    pub(super) fn push(&mut self, before: ListId<T>, last: T) -> ListId<T> {
        let length = self.length(before) + 1;
        let begins_block = self.length(before).is_multiple_of(Self::LEAST_BLOCK);
        let mut before_block = if begins_block { before } else { self.before_block(before) };
        if length.is_multiple_of(Self::LEAST_BLOCK) {
            // A block is as long as the greatest power of two that divides the length of the list: so it ends where those
            // ended that it takes the place of.
            let block = (1 << length.trailing_zeros()).min(Self::GREATEST_BLOCK);
            while length - self.length(before_block) < block {
                before_block = self.before_block(before_block);
            }
        }
        ListId::from_number(self.cells.intern(Cell { last, before, before_block, length }) + 1)
    }

    /// A sorted list with one more element in its place. It takes as long as there are greater ones.
    pub(super) fn insert(&mut self, list: ListId<T>, element: T) -> ListId<T>
    where
        T: Ord,
    {
        let greater: Vec<T> = self.backwards(list).take_while(|other| *other > element).collect();
        let mut at = list;
        for _ in &greater {
            at = self.cell(at).map_or(ListId::EMPTY, |cell| cell.before);
        }
        at = self.push(at, element);
        greater.iter().rev().fold(at, |at, &greater| self.push(at, greater))
    }

    /// The elements of a list, the last first.
    pub(super) fn backwards(&self, list: ListId<T>) -> impl Iterator<Item = T> + '_ {
        let mut at = list;
        std::iter::from_fn(move || {
            let cell = self.cell(at)?;
            at = cell.before;
            Some(cell.last)
        })
    }

    /// The elements of a list, in their order.
    pub(super) fn elements(&self, list: ListId<T>) -> Vec<T> {
        let mut elements: Vec<T> = self.backwards(list).collect();
        elements.reverse();
        elements
    }

    /// The elements of the last block of a list, in their order.
    pub(super) fn last_block(&self, list: ListId<T>) -> Vec<T> {
        let count = self.length(list) - self.length(self.before_block(list));
        let mut elements: Vec<T> = self.backwards(list).take(count as usize).collect();
        elements.reverse();
        elements
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The list of the numbers from zero on.
    fn numbers(lists: &mut SharedLists<u32>, count: u32) -> ListId<u32> {
        (0..count).fold(ListId::EMPTY, |list, number| lists.push(list, number))
    }

    #[test]
    fn a_list_consists_of_its_blocks_and_they_are_few() {
        let mut lists = SharedLists::default();
        for count in (0..300).chain([511, 512, 513, 1024, 2047, 2048, 5000]) {
            let list = numbers(&mut lists, count);
            let blocks = lists.blocks(list);
            let elements: Vec<u32> = blocks.iter().rev().flat_map(|&block| lists.last_block(block)).collect();
            assert_eq!(elements, (0..count).collect::<Vec<_>>());
            assert_eq!(lists.elements(list), elements);
            assert_eq!(lists.length(list), count);
            assert!(blocks.len() as u32 <= 6 + count / 1024, "{} of {count}", blocks.len());
        }
        assert_eq!(lists.size(), 5000, "all share their beginnings");
    }

    #[test]
    fn blocks_are_made_again_for_few_lists() {
        let mut lists = SharedLists::default();
        let list = numbers(&mut lists, 10_000);
        let mut ends = vec![list];
        while let Some(cell) = lists.cell(ends[ends.len() - 1]).filter(|cell| !cell.before.is_empty()) {
            ends.push(cell.before);
        }
        let mut known = std::collections::HashSet::new();
        for block in ends.into_iter().rev().flat_map(|list| lists.blocks(list)) {
            known.insert((block, lists.before_block(block)));
        }
        let made: u32 = known.iter().map(|&(end, before)| lists.length(end) - lists.length(before)).sum();
        assert!(made < 10_000 * (SharedLists::<u32>::LEAST_BLOCK / 2 + 6), "{made}");
    }

    #[test]
    fn sorted_lists_are_one_whatever_the_order_in_which_they_grew() {
        let mut lists = SharedLists::default();
        let sorted = numbers(&mut lists, 100);
        let shuffled = (0..100).map(|at| at * 37 % 100);
        let list = shuffled.fold(ListId::EMPTY, |list, number| lists.insert(list, number));
        assert_eq!(list, sorted);
        assert_ne!(lists.push(ListId::EMPTY, 1), lists.push(ListId::EMPTY, 2));
    }
}
