//! The parts of the text of a number.

use std::ops::RangeInclusive;

use smallvec::SmallVec;

use super::significand::{Edge, Fraction, Layout, significands};
use super::writer::{Mark, NumberWriter, PowersOfTen};
use crate::expression::ExpressionId;

/// Matches `operand` or nothing.
fn optional(writer: &mut NumberWriter<'_>, operand: ExpressionId) -> ExpressionId {
    writer.store.repetition(operand, 0, Some(1))
}

/// Matches a point and then `digits`, or nothing.
pub(super) fn optional_fraction(writer: &mut NumberWriter<'_>, digits: ExpressionId) -> ExpressionId {
    let point = writer.mark(Mark::Point);
    let fraction = writer.store.concatenate(point, digits);
    optional(writer, fraction)
}

/// Matches `(\.0+)?`.
pub(super) fn zero_fraction(writer: &mut NumberWriter<'_>) -> ExpressionId {
    let zero = writer.zero_digit();
    let zeros = writer.store.repetition(zero, 1, None);
    optional_fraction(writer, zeros)
}

/// Matches `(\.[0-9]+)?`.
pub(super) fn any_fraction(writer: &mut NumberWriter<'_>) -> ExpressionId {
    let digit = writer.any_digit();
    let digits = writer.store.repetition(digit, 1, None);
    optional_fraction(writer, digits)
}

/// Matches a point and at most so many digits, then zeros, or nothing.
pub(super) fn short_fraction(writer: &mut NumberWriter<'_>, decimals: u32) -> ExpressionId {
    if decimals == 0 {
        return zero_fraction(writer);
    }
    let (digit, zeros) = (writer.any_digit(), writer.mark(Mark::Zeros));
    let digits = writer.store.repetition(digit, 1, Some(decimals));
    let digits = writer.store.concatenate(digits, zeros);
    optional_fraction(writer, digits)
}

/// Matches `operand` with a minus before it, or not.
pub(super) fn signed(writer: &mut NumberWriter<'_>, operand: ExpressionId) -> ExpressionId {
    let minus = writer.mark(Mark::Minus);
    let sign = optional(writer, minus);
    writer.store.concatenate(sign, operand)
}

/// Matches `unsigned`, or a minus and then `after_minus`.
pub(super) fn with_signs(
    writer: &mut NumberWriter<'_>,
    unsigned: ExpressionId,
    after_minus: ExpressionId,
) -> ExpressionId {
    if unsigned == after_minus {
        return signed(writer, unsigned);
    }
    let minus = writer.mark(Mark::Minus);
    let negative = writer.store.concatenate(minus, after_minus);
    writer.store.alternatives(&[unsigned, negative])
}

/// Matches `0|[1-9][0-9]*`.
pub(super) fn whole(writer: &mut NumberWriter<'_>) -> ExpressionId {
    let (zero, longer) = (writer.zero_digit(), with_digits_after(writer, 0));
    writer.store.alternatives(&[zero, longer])
}

/// Matches a digit other than `0` and at least so many digits after it.
fn with_digits_after(writer: &mut NumberWriter<'_>, least: u32) -> ExpressionId {
    let (first, digit) = (writer.digit(1, 9), writer.any_digit());
    let digits = writer.store.repetition(digit, least, None);
    writer.store.concatenate(first, digits)
}

/// Matches the JSON numbers without a fraction or an exponent.
pub(super) fn whole_numbers(writer: &mut NumberWriter<'_>) -> ExpressionId {
    let whole = whole(writer);
    signed(writer, whole)
}

/// Matches every JSON number.
pub(super) fn all_numbers(writer: &mut NumberWriter<'_>) -> ExpressionId {
    let magnitudes = magnitudes(writer);
    signed(writer, magnitudes)
}

/// Matches every JSON number without a sign.
pub(super) fn magnitudes(writer: &mut NumberWriter<'_>) -> ExpressionId {
    let (whole, fraction, exponent) = (whole(writer), any_fraction(writer), any_exponent(writer));
    writer.store.concatenation(&[whole, fraction, exponent])
}

/// Matches the unsigned texts of zero.
pub(super) fn zero(writer: &mut NumberWriter<'_>) -> ExpressionId {
    let (zero, fraction, exponent) = (writer.zero_digit(), zero_fraction(writer), any_exponent(writer));
    writer.store.concatenation(&[zero, fraction, exponent])
}

/// Matches an exponent or nothing.
fn any_exponent(writer: &mut NumberWriter<'_>) -> ExpressionId {
    let exponent = writer.exponents((None, None));
    optional(writer, exponent)
}

/// Matches an exponent between two, with its `e`.
pub(super) fn exponents(writer: &mut NumberWriter<'_>, (least, greatest): PowersOfTen) -> ExpressionId {
    let mut alternatives = SmallVec::<[ExpressionId; 2]>::new();
    if greatest.is_none_or(|greatest| greatest >= 0) {
        let sign = writer.mark(Mark::OptionalPlus);
        let value = naturals(writer, least.unwrap_or(0).max(0), greatest);
        alternatives.push(writer.store.concatenate(sign, value));
    }
    if least.is_none_or(|least| least <= 0) {
        let minus = writer.mark(Mark::Minus);
        let nearest = greatest.map_or(0, i64::saturating_neg).max(0);
        let value = naturals(writer, nearest, least.map(i64::saturating_neg));
        alternatives.push(writer.store.concatenate(minus, value));
    }
    let value = writer.store.alternatives(&alternatives);
    let mark = writer.mark(Mark::E);
    writer.store.concatenate(mark, value)
}

/// Matches the natural numbers from `least` to `greatest`, with any number of zeros before them.
fn naturals(writer: &mut NumberWriter<'_>, least: i64, greatest: Option<i64>) -> ExpressionId {
    if least == 0 && greatest.is_none() {
        let digit = writer.any_digit();
        return writer.store.repetition(digit, 1, None);
    }
    let mut alternatives = SmallVec::<[ExpressionId; 4]>::new();
    match greatest {
        Some(greatest) if greatest < 100 => add_of_two_digits(writer, least, greatest, &mut alternatives),
        None if least < 100 => {
            let digits = if least < 10 { 1 } else { 2 };
            add_of_two_digits(writer, least, 10_i64.pow(digits) - 1, &mut alternatives);
            alternatives.push(with_digits_after(writer, digits));
        }
        _ => return great_naturals(writer, least, greatest),
    }
    let (zeros, value) = (writer.mark(Mark::Zeros), writer.store.alternatives(&alternatives));
    writer.store.concatenate(zeros, value)
}

/// Adds what matches the natural numbers between two that are below 100, without zeros before them.
fn add_of_two_digits(
    writer: &mut NumberWriter<'_>,
    least: i64,
    greatest: i64,
    out: &mut SmallVec<[ExpressionId; 4]>,
) {
    if least < 10 {
        out.push(writer.digit(least as u8, greatest.min(9) as u8));
    }
    let least = least.max(10);
    let (first, last) = (least / 10, greatest / 10);
    // The tens of which not all numbers are meant are written apart.
    let mut tens = |first: i64, last: i64, ones: RangeInclusive<i64>| {
        let tens = writer.digit(first as u8, last as u8);
        let ones = writer.digit(*ones.start() as u8, *ones.end() as u8);
        out.push(writer.store.concatenate(tens, ones));
    };
    if least <= greatest && first == last {
        tens(first, last, least % 10..=greatest % 10);
    } else if least <= greatest {
        let (first, last) = (first + i64::from(least % 10 > 0), last - i64::from(greatest % 10 < 9));
        if least % 10 > 0 {
            tens(first - 1, first - 1, least % 10..=9);
        }
        if first <= last {
            tens(first, last, 0..=9);
        }
        if greatest % 10 < 9 {
            tens(last + 1, last + 1, 0..=greatest % 10);
        }
    }
}

/// Matches the natural numbers from `least` to `greatest`, however great they are, with any number of zeros before them.
fn great_naturals(writer: &mut NumberWriter<'_>, least: i64, greatest: Option<i64>) -> ExpressionId {
    let mut alternatives = Vec::new();
    if least == 0 {
        let zero = writer.zero_digit();
        alternatives.push(writer.store.repetition(zero, 1, None));
    }
    if greatest.is_none_or(|greatest| greatest >= least.max(1)) {
        let zeros = writer.mark(Mark::Zeros);
        let positive = positives(writer, least.max(1), greatest);
        alternatives.push(writer.store.concatenate(zeros, positive));
    }
    writer.store.alternatives(&alternatives)
}

/// Matches the natural numbers from `least`, which is not zero, to `greatest`, without zeros before them.
fn positives(writer: &mut NumberWriter<'_>, least: i64, greatest: Option<i64>) -> ExpressionId {
    let digits_of = |value: i64| value.to_string().bytes().map(|byte| byte - b'0').collect::<Vec<u8>>();
    let low = digits_of(least);
    let high = greatest.map(digits_of);
    let layout = |length: usize| Layout { whole: length as u32, fraction: Fraction::Forbidden };
    let lower = Edge { digits: &low, exclusive: false };
    let upper = high.as_ref().map(|digits| Edge { digits, exclusive: false });
    match upper {
        Some(upper) if upper.digits.len() == low.len() => {
            significands(writer, layout(low.len()), Some(lower), Some(upper))
        }
        _ => {
            let mut alternatives = vec![significands(writer, layout(low.len()), Some(lower), None)];
            if let Some(upper) = upper {
                alternatives.push(significands(writer, layout(upper.digits.len()), None, Some(upper)));
            }
            // Between them stand those with more digits than `least` and fewer than `greatest`.
            let (first, digit) = (writer.digit(1, 9), writer.any_digit());
            let most = upper.map(|upper| upper.digits.len() as u32 - 2);
            let rest = writer.store.repetition(digit, low.len() as u32, most);
            alternatives.push(writer.store.concatenate(first, rest));
            writer.store.alternatives(&alternatives)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::writer::Notation;
    use super::*;
    use crate::expression::ExpressionStore;

    /// Small numbers are written directly, and as great ones are: both have the same texts.
    #[test]
    fn small_numbers_are_what_they_are_among_great_ones() {
        let pairs =
            (0..100).flat_map(|least| ((least - 1).max(0)..100).map(move |greatest| (least, Some(greatest))));
        let bounds =
            pairs.filter(|&(least, greatest)| least % 7 < 3 || greatest.is_some_and(|it| it % 9 > 7));
        for (least, greatest) in bounds.chain((1..100).map(|least| (least, None))) {
            let mut store = ExpressionStore::new();
            let [short, long] = [naturals, great_naturals]
                .map(|write| write(&mut NumberWriter::new(&mut store, Notation::Any), least, greatest));
            for value in 0..130 {
                let is_within = least <= value && greatest.is_none_or(|greatest| value <= greatest);
                for text in [format!("{value}"), format!("0{value}"), format!("000{value}")] {
                    assert_eq!(
                        store.matches(short, text.as_bytes()),
                        is_within,
                        "{least} {greatest:?} {text}"
                    );
                    assert_eq!(
                        store.matches(long, text.as_bytes()),
                        is_within,
                        "{least} {greatest:?} {text}"
                    );
                }
            }
            assert!(!store.matches(short, b"") && !store.matches(short, b"1e1"));
        }
    }
}
