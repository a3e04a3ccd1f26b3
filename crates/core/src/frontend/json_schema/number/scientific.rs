//! Scientific notation of numbers with few decimals.
//!
//! Each significant digit after the point asks for an exponent that is greater by one. Written out for each exponent, a
//! digit leaves as many alternatives as there are exponents. So digits come first: behind each, either only zeros
//! follow and the exponent is one of those that suit the digits so far, or another digit that is not zero is still to
//! come. What is left after any number of digits are these two, and the exponents are one expression.

use super::writer::{Mark, NumberWriter};
use crate::expression::{ExpressionId, ExpressionStore, Residue};

/// The exponents of numbers without edges: the places of their first digits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exponents {
    /// The least.
    pub(super) first: i64,
    /// The greatest; `None` for no limit.
    pub(super) last: Option<i64>,
    /// That of numbers whose first digit is their last decimal.
    pub(super) least: i64,
}

impl Exponents {
    /// Matches the texts of all numbers whose first digit has one of these places, with its digits, point and exponent;
    /// at most [`Residue::SIGNIFICANT_FRACTION`] significant digits after the point.
    pub(super) fn texts(self, writer: &mut NumberWriter<'_>) -> ExpressionId {
        if self.last.is_some_and(|last| self.first > last) {
            return ExpressionStore::NOTHING;
        }
        let (digit, zero, zeros) = (writer.digit(1, 9), writer.zero_digit(), writer.mark(Mark::Zeros));
        let mut later = ExpressionStore::NOTHING;
        for digits in (0..self.most_digits()).rev() {
            // Of so many digits, what is to come is still to be other than zeros, or begins with the last that is.
            let ended = self.after(writer, digits + 1);
            let ended = writer.store.concatenate(zeros, ended);
            let after = writer.store.alternatives(&[ended, later]);
            let (next, not_yet) =
                (writer.store.concatenate(digit, after), writer.store.concatenate(zero, later));
            later = writer.store.alternatives(&[next, not_yet]);
        }
        let point = writer.mark(Mark::Point);
        let end = self.after(writer, 0);
        let only_zeros = writer.store.concatenation(&[zero, zeros, end]);
        let fraction = writer.store.alternatives(&[only_zeros, later]);
        let fraction = writer.store.concatenate(point, fraction);
        let rest = writer.store.alternatives(&[end, fraction]);
        writer.store.concatenate(digit, rest)
    }

    /// The exponents that suit so many significant digits after the point.
    fn after(self, writer: &mut NumberWriter<'_>, digits: u32) -> ExpressionId {
        let first = self.first.max(self.least + i64::from(digits));
        writer.exponents((Some(first), self.last))
    }

    /// The greatest number of significant digits after the point.
    fn most_digits(self) -> u32 {
        let most = Residue::SIGNIFICANT_FRACTION;
        let suits = self
            .last
            .map(|last| last.saturating_sub(self.least))
            .and_then(|digits| u32::try_from(digits).ok());
        suits.map_or(most, |digits| digits.min(most))
    }
}

#[cfg(test)]
mod tests {
    use super::super::significand::{Fraction, Layout, significands};
    use super::super::writer::Notation;
    use super::*;
    use crate::expression::ByteSet;

    /// The texts written out for each exponent.
    fn by_exponent(writer: &mut NumberWriter<'_>, exponents: Exponents) -> ExpressionId {
        let Exponents { first, last, least } = exponents;
        let mut texts = Vec::new();
        let longest = least + i64::from(Residue::SIGNIFICANT_FRACTION);
        let mut add = |most, first, last| {
            let digits =
                significands(writer, Layout { whole: 1, fraction: Fraction::AtMost(most) }, None, None);
            let exponent = writer.exponents((Some(first), last));
            texts.push(writer.store.concatenate(digits, exponent));
        };
        for exponent in first..=last.unwrap_or(longest).min(longest - 1) {
            add((exponent - least) as u32, exponent, Some(exponent));
        }
        if last.is_none_or(|last| last >= longest.max(first)) {
            add(Residue::SIGNIFICANT_FRACTION, first.max(longest), last);
        }
        writer.store.alternatives(&texts)
    }

    #[test]
    fn digits_before_exponents_are_the_texts_of_each_exponent() {
        let mut few = 0;
        for (least, first, last) in [
            (0, 0, Some(0)),
            (0, 0, Some(1)),
            (0, 1, Some(3)),
            (0, 2, Some(17)),
            (0, 0, Some(18)),
            (0, 3, Some(40)),
            (0, 22, Some(25)),
            (0, 1, None),
            (0, 25, None),
            (-2, -2, Some(-1)),
            (-2, -1, Some(2)),
            (-3, -3, None),
            (0, 3, Some(2)),
        ] {
            let mut store = ExpressionStore::new();
            let exponents = Exponents { first, last, least };
            let mut writer = NumberWriter::new(&mut store, Notation::Any);
            let (texts, expected) = (exponents.texts(&mut writer), by_exponent(&mut writer, exponents));
            // Side by side over all texts: both go on to the same end everywhere.
            let mut met = rustc_hash::FxHashSet::from_iter([(texts, expected)]);
            let mut waiting = vec![(texts, expected)];
            while let Some((one, other)) = waiting.pop() {
                assert_eq!(store.is_nullable(one), store.is_nullable(other));
                for byte in ByteSet::range(b'+', b'e').iter() {
                    let next = [one, other].map(|id| match id {
                        ExpressionStore::NOTHING => id,
                        id => store.derive_whole(id, byte, &mut ByteSet::ALL.clone()),
                    });
                    let is_dead = next.map(|id| id == ExpressionStore::NOTHING);
                    assert_eq!(is_dead[0], is_dead[1], "{exponents:?} {}", char::from(byte));
                    if !is_dead[0] && met.insert((next[0], next[1])) {
                        few = few.max(store.width(next[0]));
                        waiting.push((next[0], next[1]));
                    }
                }
            }
        }
        assert!(few <= 6, "{few} alternatives");
    }
}
