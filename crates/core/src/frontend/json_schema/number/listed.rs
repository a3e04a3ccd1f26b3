//! The multiples of a divisor between two bounds, where they are few enough to be written one by one.
//!
//! The automaton of remainders beside those of bounds and of denied divisors has states for each combination of
//! theirs, and from which of them a number can still be completed is found by a search. A list needs neither.

use super::super::decimal::Decimal;
use super::interval::{Bound, Interval};
use super::multiple::Divisor;
use crate::expression::Residue;

/// The greatest number of significant digits with which a number has the same texts in a list as elsewhere.
const GREATEST_DIGITS: usize = 1 + Residue::SIGNIFICANT_FRACTION as usize;

/// The multiples in an interval; `None` where they are more than `most` and one, or have very many digits.
pub(super) fn few_multiples(divisor: Divisor, interval: &Interval, most: u32) -> Option<Vec<Decimal>> {
    let (lower, upper) = interval.both_bounds()?;
    let modulus = i128::from(divisor.modulus());
    let nearest = |bound: &Bound| Some(floor(&bound.value, divisor.decimals())?.div_euclid(modulus));
    let (first, last) = (nearest(lower)?, nearest(upper)?);
    if last - first > i128::from(most) {
        return None;
    }
    let mut multiples = Vec::new();
    for factor in first..=last {
        let multiple = Decimal::scaled(factor.checked_mul(modulus)?, divisor.decimals())?;
        if interval.contains(&multiple) {
            if multiple.digits().len() > GREATEST_DIGITS {
                return None;
            }
            multiples.push(multiple);
        }
    }
    Some(multiples)
}

/// The greatest integer that is not above `value * 10^decimals`; `None` where it takes too many digits.
fn floor(value: &Decimal, decimals: u32) -> Option<i128> {
    /// Enough for all that is compared, and few enough that sums and differences fit.
    const DIGITS: i64 = 36;
    if value.is_zero() {
        return Some(0);
    }
    let exponent = value.exponent().checked_add(i64::from(decimals))?;
    let whole = value.magnitude().checked_add(i64::from(decimals))?.checked_add(1)?;
    if whole > DIGITS {
        return None;
    }
    let digits = (0..whole.max(0)).map(|index| value.digits().get(index as usize).copied().unwrap_or(0));
    let magnitude = digits.fold(0, |sum: i128, digit| sum * 10 + i128::from(digit));
    let rounded = i128::from(exponent < 0);
    Some(if value.is_negative() { -magnitude - rounded } else { magnitude })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).unwrap_or_else(|| panic!("{text}"))
    }

    #[test]
    fn the_greatest_integer_is_not_above() {
        for (text, decimals, expected) in [
            ("0", 3, Some(0)),
            ("12.5", 0, Some(12)),
            ("-12.5", 0, Some(-13)),
            ("-12", 0, Some(-12)),
            ("12.5", 2, Some(1250)),
            ("1e3", 1, Some(10_000)),
            ("1e-400", 0, Some(0)),
            ("-1e-400", 0, Some(-1)),
            ("1e400", 0, None),
            ("-1e36", 0, None),
        ] {
            assert_eq!(floor(&decimal(text), decimals), expected, "{text} {decimals}");
        }
    }

    #[test]
    fn multiples_are_those_of_the_interval() {
        for (of, lower, upper, expected) in [
            ("7", "-8", "15", "-7 0 7 14"),
            ("0.5", "0.2", "1.5", "0.5 1 1.5"),
            ("3", "1", "2", ""),
            ("9", "5", "1", ""),
            ("1e3", "-1e-400", "1e3", "0 1000"),
        ] {
            let mut interval = Interval::default();
            interval.raise(Bound { value: decimal(lower), exclusive: false });
            interval.reduce(Bound { value: decimal(upper), exclusive: false });
            let found = Divisor::new(&decimal(of)).and_then(|of| few_multiples(of, &interval, 4));
            let expected: Vec<Decimal> = expected.split_whitespace().map(decimal).collect();
            assert_eq!(found, Some(expected), "{of} from {lower} to {upper}");
        }
    }
}
