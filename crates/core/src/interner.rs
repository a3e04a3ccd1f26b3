//! Tables that store each value once and name it by a number.

use std::hash::{BuildHasher, Hash};

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::FxBuildHasher;

/// A table that stores each value once.
#[derive(Clone, Debug)]
pub(crate) struct Interner<T> {
    values: Vec<T>,
    table: HashTable<u32>,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self { values: Vec::new(), table: HashTable::new() }
    }
}

impl<T> Interner<T> {
    /// The value of a number that [`intern`](Self::intern) gave.
    pub(crate) fn get(&self, id: u32) -> &T {
        &self.values[id as usize]
    }

    /// The number of values.
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }
}

impl<T: Hash + Eq> Interner<T> {
    /// The number of a value: the one that it was given first. Numbers count from zero.
    pub(crate) fn intern(&mut self, value: T) -> u32 {
        let hash = FxBuildHasher.hash_one(&value);
        let Self { values, table } = self;
        let is_same = |&at: &u32| values[at as usize] == value;
        match table.entry(hash, is_same, |&at| FxBuildHasher.hash_one(&values[at as usize])) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(vacant) => {
                let id = values.len() as u32;
                vacant.insert(id);
                values.push(value);
                id
            }
        }
    }
}
