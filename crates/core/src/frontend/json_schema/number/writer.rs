//! What writes the texts of one number: the expressions of which many of its parts are made, each made once.

use super::text;
use crate::expression::{ByteSet, ExpressionId, ExpressionStore};

/// How numbers are spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Notation {
    /// As JSON has it, within the profile.
    Any,
    /// Without exponents, and constants as they are shortest.
    Plain,
}

/// Writes into a store, and remembers what it has written of the smallest parts and of exponents, which one number repeats for each
/// of its digits, and of whole places: numbers below zero often have those above it.
pub(super) struct NumberWriter<'a> {
    pub(super) store: &'a mut ExpressionStore,
    pub(super) notation: Notation,
    /// The digits between two that were asked for, by the first and the last; others are `NOTHING`.
    digits: [[ExpressionId; 10]; 10],
    /// The marks that were asked for, by [`Mark`]; others are `NOTHING`.
    marks: [ExpressionId; Mark::COUNT],
    exponents: Vec<(PowersOfTen, ExpressionId)>,
    places: Vec<((PowersOfTen, Option<u32>), ExpressionId)>,
}

/// The least and the greatest of some exponents; `None` is no limit.
pub(super) type PowersOfTen = (Option<i64>, Option<i64>);

/// What a text has beside single digits.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mark {
    Point,
    Minus,
    /// A plus, or nothing.
    OptionalPlus,
    /// That of an exponent.
    E,
    /// Any number of zeros.
    Zeros,
}

impl Mark {
    const COUNT: usize = Self::Zeros as usize + 1;
}

impl<'a> NumberWriter<'a> {
    pub(super) fn new(store: &'a mut ExpressionStore, notation: Notation) -> Self {
        let nothing = ExpressionStore::NOTHING;
        let (digits, marks) = ([[nothing; 10]; 10], [nothing; Mark::COUNT]);
        Self { store, notation, digits, marks, exponents: Vec::new(), places: Vec::new() }
    }

    /// Matches one digit from `first` to `last`; nothing where `first` is greater.
    pub(super) fn digit(&mut self, first: u8, last: u8) -> ExpressionId {
        if first > last {
            return ExpressionStore::NOTHING;
        }
        let digit = &mut self.digits[usize::from(first)][usize::from(last)];
        if *digit == ExpressionStore::NOTHING {
            *digit = self.store.bytes(ByteSet::range(b'0' + first, b'0' + last));
        }
        *digit
    }

    /// Matches any digit.
    pub(super) fn any_digit(&mut self) -> ExpressionId {
        self.digit(0, 9)
    }

    /// Matches `0`.
    pub(super) fn zero_digit(&mut self) -> ExpressionId {
        self.digit(0, 0)
    }

    /// Matches a mark.
    pub(super) fn mark(&mut self, mark: Mark) -> ExpressionId {
        if self.marks[mark as usize] == ExpressionStore::NOTHING {
            self.marks[mark as usize] = match mark {
                Mark::Point => self.store.literal(b"."),
                Mark::Minus => self.store.literal(b"-"),
                Mark::OptionalPlus => {
                    let plus = self.store.literal(b"+");
                    self.store.repetition(plus, 0, Some(1))
                }
                Mark::E => self.store.bytes(b"eE".iter().copied().collect()),
                Mark::Zeros => {
                    let zero = self.zero_digit();
                    self.store.repetition(zero, 0, None)
                }
            };
        }
        self.marks[mark as usize]
    }

    /// Matches an exponent between two, with its `e`; nothing where numbers have none.
    pub(super) fn exponents(&mut self, between: PowersOfTen) -> ExpressionId {
        if self.notation == Notation::Plain {
            return ExpressionStore::NOTHING;
        }
        if let Some(&(_, known)) = self.exponents.iter().find(|(of, _)| *of == between) {
            return known;
        }
        let texts = text::exponents(self, between);
        self.exponents.push((between, texts));
        texts
    }

    /// Matches the texts of all numbers whose first digit has one of some places, and which have at most so many decimals where that
    /// is given; `write` makes what matches them.
    pub(super) fn places(
        &mut self,
        places: PowersOfTen,
        decimals: Option<u32>,
        write: impl FnOnce(&mut Self) -> ExpressionId,
    ) -> ExpressionId {
        let key = (places, decimals);
        if let Some(&(_, known)) = self.places.iter().find(|(of, _)| *of == key) {
            return known;
        }
        let texts = write(self);
        self.places.push((key, texts));
        texts
    }
}
