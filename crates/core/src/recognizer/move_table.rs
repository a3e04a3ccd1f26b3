//! What is known of the moves of one state.
//!
//! Most states make few different moves, and a literal makes one, so the first few are kept as classes of
//! bytes with a move each. A state that makes more gets a row of all bytes. Known moves are read without a
//! lock; they are added under the lock of the automaton.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use super::state::MoveCode;
use crate::expression::ByteSet;

/// The moves of one state by byte, as far as they are known.
#[derive(Debug)]
pub(super) struct MoveTable {
    /// Classes of bytes that make the same move, in the order in which they were added.
    classes: [OnceLock<(ByteSet, MoveCode)>; Self::CLASSES],
    row: OnceLock<Box<[AtomicU32; 256]>>,
}

impl MoveTable {
    const CLASSES: usize = 3;
    /// The memory that a row takes, in bytes.
    pub(super) const ROW_BYTES: usize = size_of::<[AtomicU32; 256]>();

    pub(super) fn new() -> Self {
        Self { classes: [const { OnceLock::new() }; Self::CLASSES], row: OnceLock::new() }
    }

    /// The move on a byte, or [`MoveCode::UNKNOWN`].
    #[inline]
    pub(super) fn get(&self, byte: u8) -> MoveCode {
        for class in &self.classes {
            match class.get() {
                Some((bytes, code)) if bytes.contains(byte) => return *code,
                Some(_) => {}
                None => return MoveCode::UNKNOWN,
            }
        }
        self.row
            .get()
            .map_or(MoveCode::UNKNOWN, |row| MoveCode(row[usize::from(byte)].load(Ordering::Acquire)))
    }

    /// The move on a byte where it is known, and those of some bytes that are known to make the same.
    pub(super) fn get_class(&self, byte: u8, among: &ByteSet) -> Option<(MoveCode, ByteSet)> {
        for class in &self.classes {
            match class.get() {
                Some((bytes, code)) if bytes.contains(byte) => {
                    return Some((*code, bytes.intersection(among)));
                }
                Some(_) => {}
                None => return None,
            }
        }
        let row = self.row.get()?;
        let at = |byte: u8| row[usize::from(byte)].load(Ordering::Acquire);
        let code = Some(at(byte)).filter(|&code| MoveCode(code) != MoveCode::UNKNOWN)?;
        Some((MoveCode(code), among.iter().filter(|&other| at(other) == code).collect()))
    }

    /// Whether another move can be added. Where that needs a row, `may_have_row` is asked.
    pub(super) fn has_room(&self, may_have_row: impl FnOnce() -> bool) -> bool {
        self.classes.last().is_some_and(|slot| slot.get().is_none())
            || self.row.get().is_some()
            || may_have_row()
    }

    /// Adds a move, where there is room. Returns whether that took a row.
    pub(super) fn add(&self, class: &ByteSet, code: MoveCode) -> bool {
        if self.classes.iter().any(|slot| slot.set((*class, code)).is_ok()) {
            return false;
        }
        let takes_row = self.row.get().is_none();
        let row = self.row.get_or_init(|| Box::new([const { AtomicU32::new(0) }; 256]));
        class.iter().for_each(|byte| row[usize::from(byte)].store(code.0, Ordering::Release));
        takes_row
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_found_in_classes_and_in_the_row() {
        let table = MoveTable::new();
        let codes: Vec<MoveCode> = (0..10).map(MoveCode::opening).collect();
        for (at, &code) in codes.iter().enumerate() {
            table.add(&ByteSet::range(at as u8 * 10, at as u8 * 10 + 9), code);
        }
        for byte in 0..100u8 {
            assert_eq!(table.get(byte), codes[usize::from(byte / 10)]);
        }
        assert_eq!(table.get(100), MoveCode::UNKNOWN);
        let among = ByteSet::range(5, 204);
        for byte in 0..=255u8 {
            let class: ByteSet = among.iter().filter(|&other| table.get(other) == table.get(byte)).collect();
            let expected = (byte < 100).then(|| (table.get(byte), class));
            assert_eq!(table.get_class(byte, &among), expected);
        }
    }

    #[test]
    fn without_a_row_only_the_first_classes_are_kept() {
        let table = MoveTable::new();
        for byte in 0..10 {
            if table.has_room(|| false) {
                assert!(!table.add(&ByteSet::single(byte), MoveCode::DEAD), "a class takes no row");
            }
        }
        let known = (0..10).filter(|&byte| table.get(byte) == MoveCode::DEAD).count();
        assert_eq!(known, MoveTable::CLASSES);
        assert!(table.has_room(|| true) && table.add(&ByteSet::single(10), MoveCode::DEAD));
        assert!(table.has_room(|| false) && !table.add(&ByteSet::single(11), MoveCode::DEAD), "it has one");
    }
}
