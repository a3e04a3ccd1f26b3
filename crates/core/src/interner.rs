//! Tables that store each value once and name it by a number.

use std::hash::{BuildHasher, Hash};

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::FxBuildHasher;

/// A table that stores each value once.
#[derive(Clone, Debug)]
pub(crate) struct Interner<T> {
    values: Vec<T>,
    table: HashTable<Slot>,
}

/// The hash by which a table finds a value.
pub(crate) fn hash_of(value: &impl Hash) -> u64 {
    FxBuildHasher.hash_one(value)
}

/// A value in the table, with its hash: the table grows without a look at the values, and few others are
/// compared.
#[derive(Clone, Copy, Debug)]
struct Slot {
    hash: u32,
    id: u32,
}

impl Slot {
    /// The parts of a hash that a table goes by, in half the room.
    fn fold(hash: u64) -> u32 {
        (hash ^ hash >> 32) as u32
    }

    /// A hash for a table, which looks at its lowest and at its highest bits.
    fn spread(hash: u32) -> u64 {
        u64::from(hash) << 32 | u64::from(hash)
    }
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self { values: Vec::new(), table: HashTable::new() }
    }
}

impl<T> Interner<T> {
    /// An empty table with room for some values.
    pub(crate) fn with_capacity(count: usize) -> Self {
        Self { values: Vec::with_capacity(count), table: HashTable::with_capacity(count) }
    }

    /// Makes room for some more values.
    pub(crate) fn reserve(&mut self, count: usize) {
        self.values.reserve(count);
        self.table.reserve(count, |slot| Slot::spread(slot.hash));
    }

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
        let (id, is_new) = self.slot(FxBuildHasher.hash_one(&value), |known| *known == value);
        if is_new {
            self.values.push(value);
        }
        id
    }
}

impl<T: Hash + Eq> Interner<T> {
    /// Adds a value that is known not to be there, and gives its number.
    pub(crate) fn add_new(&mut self, value: T) -> u32 {
        let (hash, id) = (Slot::fold(hash_of(&value)), self.values.len() as u32);
        let is_same = |slot: &Slot| self.values[slot.id as usize] == value;
        debug_assert!(self.table.find(Slot::spread(hash), is_same).is_none(), "the value is there already");
        self.table.insert_unique(Slot::spread(hash), Slot { hash, id }, |slot| Slot::spread(slot.hash));
        self.values.push(value);
        id
    }

    /// As [`intern`](Self::intern), of a value with a known [hash](hash_of).
    pub(crate) fn intern_hashed(&mut self, hash: u64, value: &T) -> u32
    where
        T: Clone,
    {
        let (id, is_new) = self.slot(hash, |known| known == value);
        if is_new {
            self.values.push(value.clone());
        }
        id
    }

    /// As [`intern`](Self::intern); adds the size of a value that is new to that of all.
    pub(crate) fn intern_sized(&mut self, value: T, total: &mut usize, size: impl Fn(&T) -> usize) -> u32 {
        let known = self.len();
        let id = self.intern(value);
        if self.len() > known {
            *total += size(self.get(id));
        }
        id
    }
}

impl<T> Interner<T> {
    /// The number of a value with some hash, and whether it is new: then it is to be added at once.
    fn slot(&mut self, hash: u64, is_same: impl Fn(&T) -> bool) -> (u32, bool) {
        let Self { values, table } = self;
        let hash = Slot::fold(hash);
        let is_same = |slot: &Slot| slot.hash == hash && is_same(&values[slot.id as usize]);
        match table.entry(Slot::spread(hash), is_same, |slot| Slot::spread(slot.hash)) {
            Entry::Occupied(known) => (known.get().id, false),
            Entry::Vacant(vacant) => {
                let id = values.len() as u32;
                vacant.insert(Slot { hash, id });
                (id, true)
            }
        }
    }
}

/// A table of slices that knows how many elements they have together: what they take.
#[derive(Clone, Debug)]
pub(crate) struct SliceInterner<E> {
    slices: Interner<Box<[E]>>,
    elements: usize,
}

impl<E> Default for SliceInterner<E> {
    fn default() -> Self {
        Self { slices: Interner::default(), elements: 0 }
    }
}

impl<E> SliceInterner<E> {
    /// An empty table with room for some slices.
    pub(crate) fn with_capacity(count: usize) -> Self {
        Self { slices: Interner::with_capacity(count), elements: 0 }
    }
}

impl<E: Hash + Eq + Clone> SliceInterner<E> {
    /// Makes room for some more slices.
    pub(crate) fn reserve(&mut self, count: usize) {
        self.slices.reserve(count);
    }

    /// The slice of a number that [`intern`](Self::intern) gave.
    pub(crate) fn get(&self, id: u32) -> &[E] {
        self.slices.get(id)
    }

    /// The number of a slice: the one that it was given first.
    pub(crate) fn intern(&mut self, slice: &[E]) -> u32 {
        self.slices.intern_slice_sized(slice, &mut self.elements, <[E]>::len)
    }

    /// The number of elements of all slices.
    pub(crate) fn elements(&self) -> usize {
        self.elements
    }
}

impl<E: Hash + Eq + Clone> Interner<Box<[E]>> {
    /// As [`intern`](Self::intern), without a copy of what is known.
    pub(crate) fn intern_slice(&mut self, slice: &[E]) -> u32 {
        // A box hashes as what it holds.
        let (id, is_new) = self.slot(FxBuildHasher.hash_one(slice), |known| **known == *slice);
        if is_new {
            self.values.push(slice.into());
        }
        id
    }

    /// As [`intern_slice`](Self::intern_slice); adds the size of a slice that is new to that of all.
    pub(crate) fn intern_slice_sized(
        &mut self,
        slice: &[E],
        total: &mut usize,
        size: impl Fn(&[E]) -> usize,
    ) -> u32 {
        let known = self.len();
        let id = self.intern_slice(slice);
        if self.len() > known {
            *total += size(slice);
        }
        id
    }
}
