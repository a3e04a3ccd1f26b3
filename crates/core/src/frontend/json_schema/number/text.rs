//! The parts of the text of a number.

use std::ops::RangeInclusive;

use smallvec::SmallVec;

use super::significand::{Edge, Fraction, Layout, significands};
use crate::expression::{ByteSet, ExpressionId, ExpressionStore};

/// Matches a digit.
pub(super) fn digit(store: &mut ExpressionStore) -> ExpressionId {
    store.bytes(ByteSet::range(b'0', b'9'))
}

/// Matches `0`.
pub(super) fn zero_digit(store: &mut ExpressionStore) -> ExpressionId {
    store.literal(b"0")
}

/// Matches `operand` or nothing.
fn optional(store: &mut ExpressionStore, operand: ExpressionId) -> ExpressionId {
    store.repetition(operand, 0, Some(1))
}

/// Matches a point and then `digits`, or nothing.
pub(super) fn optional_fraction(store: &mut ExpressionStore, digits: ExpressionId) -> ExpressionId {
    let point = store.literal(b".");
    let fraction = store.concatenate(point, digits);
    optional(store, fraction)
}

/// Matches `(\.0+)?`.
pub(super) fn zero_fraction(store: &mut ExpressionStore) -> ExpressionId {
    let zero = zero_digit(store);
    let zeros = store.repetition(zero, 1, None);
    optional_fraction(store, zeros)
}

/// Matches `(\.[0-9]+)?`.
pub(super) fn any_fraction(store: &mut ExpressionStore) -> ExpressionId {
    let digit = digit(store);
    let digits = store.repetition(digit, 1, None);
    optional_fraction(store, digits)
}

/// Matches a point and at most so many digits, then zeros, or nothing.
pub(super) fn short_fraction(store: &mut ExpressionStore, decimals: u32) -> ExpressionId {
    if decimals == 0 {
        return zero_fraction(store);
    }
    let (digit, zero) = (digit(store), zero_digit(store));
    let (digits, zeros) = (store.repetition(digit, 1, Some(decimals)), store.repetition(zero, 0, None));
    let digits = store.concatenate(digits, zeros);
    optional_fraction(store, digits)
}

/// Matches `operand` with a minus before it, or not.
pub(super) fn signed(store: &mut ExpressionStore, operand: ExpressionId) -> ExpressionId {
    let minus = store.literal(b"-");
    let sign = optional(store, minus);
    store.concatenate(sign, operand)
}

/// Matches `0|[1-9][0-9]*`.
pub(super) fn whole(store: &mut ExpressionStore) -> ExpressionId {
    let (zero, first, digit) = (zero_digit(store), store.bytes(ByteSet::range(b'1', b'9')), digit(store));
    let digits = store.repetition(digit, 0, None);
    let longer = store.concatenate(first, digits);
    store.alternatives(&[zero, longer])
}

/// Matches the JSON numbers without a fraction or an exponent.
pub(in super::super) fn whole_numbers(store: &mut ExpressionStore) -> ExpressionId {
    let whole = whole(store);
    signed(store, whole)
}

/// Matches every JSON number.
pub(super) fn all_numbers(store: &mut ExpressionStore) -> ExpressionId {
    let (whole, fraction, exponent) = (whole(store), any_fraction(store), exponents(store, None, None));
    let exponent = optional(store, exponent);
    let unsigned = store.concatenation(&[whole, fraction, exponent]);
    signed(store, unsigned)
}

/// Matches the unsigned texts of zero.
pub(super) fn zero(store: &mut ExpressionStore) -> ExpressionId {
    let (zero, fraction, exponent) = (zero_digit(store), zero_fraction(store), exponents(store, None, None));
    let exponent = optional(store, exponent);
    store.concatenation(&[zero, fraction, exponent])
}

/// Matches an exponent from `least` to `greatest`, with its `e`; `None` is no bound.
pub(super) fn exponents(
    store: &mut ExpressionStore,
    least: Option<i64>,
    greatest: Option<i64>,
) -> ExpressionId {
    let mut alternatives = Vec::new();
    if greatest.is_none_or(|greatest| greatest >= 0) {
        let plus = store.literal(b"+");
        let sign = optional(store, plus);
        let value = naturals(store, least.unwrap_or(0).max(0), greatest);
        alternatives.push(store.concatenate(sign, value));
    }
    if least.is_none_or(|least| least <= 0) {
        let minus = store.literal(b"-");
        let nearest = greatest.map_or(0, i64::saturating_neg).max(0);
        let value = naturals(store, nearest, least.map(i64::saturating_neg));
        alternatives.push(store.concatenate(minus, value));
    }
    let value = store.alternatives(&alternatives);
    let mark = store.bytes(b"eE".iter().copied().collect());
    store.concatenate(mark, value)
}

/// Matches the natural numbers from `least` to `greatest`, with any number of zeros before them.
fn naturals(store: &mut ExpressionStore, least: i64, greatest: Option<i64>) -> ExpressionId {
    let zero = zero_digit(store);
    if least == 0 && greatest.is_none() {
        let digit = digit(store);
        return store.repetition(digit, 1, None);
    }
    let value = match greatest {
        Some(greatest) if greatest < 100 => of_two_digits(store, least, greatest),
        None if least < 10 => {
            let (first, digit) = (store.bytes(ByteSet::range(b'1', b'9')), digit(store));
            let (one, more) = (digit_between(store, least, 9), store.repetition(digit, 1, None));
            let longer = store.concatenate(first, more);
            store.alternatives(&[one, longer])
        }
        _ => return great_naturals(store, least, greatest),
    };
    let zeros = store.repetition(zero, 0, None);
    store.concatenate(zeros, value)
}

/// Matches the natural numbers between two that are below 100, without zeros before them.
fn of_two_digits(store: &mut ExpressionStore, least: i64, greatest: i64) -> ExpressionId {
    let mut alternatives = SmallVec::<[ExpressionId; 4]>::new();
    if least < 10 {
        alternatives.push(digit_between(store, least, greatest.min(9)));
    }
    let least = least.max(10);
    let (first, last) = (least / 10, greatest / 10);
    // The tens of which not all numbers are meant are written apart.
    let mut tens = |first, last, ones: RangeInclusive<i64>| {
        let (tens, ones) =
            (digit_between(store, first, last), digit_between(store, *ones.start(), *ones.end()));
        alternatives.push(store.concatenate(tens, ones));
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
    store.alternatives(&alternatives)
}

/// Matches one digit between two.
fn digit_between(store: &mut ExpressionStore, first: i64, last: i64) -> ExpressionId {
    if first > last {
        return ExpressionStore::NOTHING;
    }
    store.bytes(ByteSet::range(b'0' + first as u8, b'0' + last as u8))
}

/// Matches the natural numbers from `least` to `greatest`, however great they are, with any number of zeros before them.
fn great_naturals(store: &mut ExpressionStore, least: i64, greatest: Option<i64>) -> ExpressionId {
    let zero = zero_digit(store);
    let mut alternatives = Vec::new();
    if least == 0 {
        alternatives.push(store.repetition(zero, 1, None));
    }
    if greatest.is_none_or(|greatest| greatest >= least.max(1)) {
        let zeros = store.repetition(zero, 0, None);
        let positive = positives(store, least.max(1), greatest);
        alternatives.push(store.concatenate(zeros, positive));
    }
    store.alternatives(&alternatives)
}

/// Matches the natural numbers from `least`, which is not zero, to `greatest`, without zeros before them.
fn positives(store: &mut ExpressionStore, least: i64, greatest: Option<i64>) -> ExpressionId {
    let digits_of = |value: i64| value.to_string().bytes().map(|byte| byte - b'0').collect::<Vec<u8>>();
    let low = digits_of(least);
    let high = greatest.map(digits_of);
    let layout = |length: usize| Layout { whole: length as u32, fraction: Fraction::Forbidden };
    let lower = Edge { digits: &low, exclusive: false };
    let upper = high.as_ref().map(|digits| Edge { digits, exclusive: false });
    match upper {
        Some(upper) if upper.digits.len() == low.len() => {
            significands(store, layout(low.len()), Some(lower), Some(upper))
        }
        _ => {
            let mut alternatives = vec![significands(store, layout(low.len()), Some(lower), None)];
            if let Some(upper) = upper {
                alternatives.push(significands(store, layout(upper.digits.len()), None, Some(upper)));
            }
            // Between them stand those with more digits than `least` and fewer than `greatest`.
            let (first, digit) = (store.bytes(ByteSet::range(b'1', b'9')), digit(store));
            let most = upper.map(|upper| upper.digits.len() as u32 - 2);
            let rest = store.repetition(digit, low.len() as u32, most);
            alternatives.push(store.concatenate(first, rest));
            store.alternatives(&alternatives)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Small numbers are written directly, and as great ones are: both have the same texts.
    #[test]
    fn small_numbers_are_what_they_are_among_great_ones() {
        let pairs =
            (0..100).flat_map(|least| ((least - 1).max(0)..100).map(move |greatest| (least, Some(greatest))));
        let bounds =
            pairs.filter(|&(least, greatest)| least % 7 < 3 || greatest.is_some_and(|it| it % 9 > 7));
        for (least, greatest) in bounds.chain((1..10).map(|least| (least, None))) {
            let mut store = ExpressionStore::new();
            let [short, long] = [naturals, great_naturals].map(|write| write(&mut store, least, greatest));
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
