//! Divisibility: `multipleOf`, and being an integer, which is being a multiple of one.

use super::super::decimal::Decimal;
use crate::expression::{Residue, greatest_common_divisor};

/// The number `modulus / 10^decimals`, of which others are multiples or not.
///
/// Invariant: the modulus is not zero, and no multiple of ten unless `decimals` is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Divisor {
    modulus: u64,
    decimals: u32,
}

impl Divisor {
    /// One: its multiples are the integers.
    pub(super) const ONE: Self = Self { modulus: 1, decimals: 0 };

    /// The divisor of a value; `None` where its digits, or the zeros after them, do not fit in 64 bits.
    pub(super) fn new(value: &Decimal) -> Option<Self> {
        let digits = value
            .digits()
            .iter()
            .try_fold(0u64, |sum, &digit| sum.checked_mul(10)?.checked_add(u64::from(digit)))?;
        let zeros = u32::try_from(value.exponent().max(0)).ok()?;
        let decimals = u32::try_from((-value.exponent()).max(0)).ok()?;
        let modulus = 10u64.checked_pow(zeros)?.checked_mul(digits)?;
        (modulus > 0).then_some(Self { modulus, decimals })
    }

    /// The number without its point.
    pub(super) fn modulus(self) -> u64 {
        self.modulus
    }

    /// The number of digits after the point.
    pub(super) fn decimals(self) -> u32 {
        self.decimals
    }

    /// The number whose multiples are those of both.
    pub(super) fn least_common_multiple(self, other: Self) -> Option<Self> {
        let decimals = self.decimals.max(other.decimals);
        let scaled = |divisor: Self| {
            10u128.checked_pow(decimals - divisor.decimals)?.checked_mul(u128::from(divisor.modulus))
        };
        let (a, b) = (scaled(self)?, scaled(other)?);
        let mut multiple = (a / greatest_common_divisor(a, b)).checked_mul(b)?;
        let mut decimals = decimals;
        while decimals > 0 && multiple.is_multiple_of(10) {
            multiple /= 10;
            decimals -= 1;
        }
        Some(Self { modulus: u64::try_from(multiple).ok()?, decimals })
    }

    /// Whether `value` is a multiple.
    pub(super) fn divides(self, value: &Decimal) -> bool {
        // Canonical digits do not end in a zero, so that no power of ten below one makes an integer of them.
        let Ok(shift) = u64::try_from(value.exponent().saturating_add(i64::from(self.decimals))) else {
            return value.is_zero();
        };
        let modulus = u128::from(self.modulus);
        let append = |remainder: u128, digit: u8| (remainder * 10 + u128::from(digit)) % modulus;
        let mut remainder = value.digits().iter().fold(0, |remainder, &digit| append(remainder, digit));
        // After as many zeros as the modulus has bits, more change nothing about divisibility.
        for _ in 0..shift.min(u64::from(u64::BITS)) {
            remainder = append(remainder, 0);
        }
        remainder == 0
    }

    /// Whether all multiples of `other` are multiples of this number.
    pub(super) fn divides_divisor(self, other: Self) -> bool {
        self.least_common_multiple(other) == Some(other)
    }

    /// The number of decimals, where the multiples are the numbers with at most so many.
    pub(super) fn as_decimals(self) -> Option<u32> {
        (self.modulus == 1).then_some(self.decimals)
    }

    /// The automaton of the multiples, with zero or without.
    pub(super) fn multiples(self, has_zero: bool) -> Option<Residue> {
        if has_zero {
            Residue::multiples(self.modulus, self.decimals)
        } else {
            Residue::nonzero_multiples(self.modulus, self.decimals)
        }
    }

    /// The automaton of the numbers that are no multiples.
    pub(super) fn others(self) -> Option<Residue> {
        Residue::others(self.modulus, self.decimals)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn divisor(text: &str) -> Option<Divisor> {
        Decimal::parse(text).as_ref().and_then(Divisor::new)
    }

    #[test]
    fn common_multiples_are_found_among_fractions_too() {
        for (a, b, expected) in [
            ("1", "0.5", Some("1")),
            ("2", "3", Some("6")),
            ("0.02", "0.03", Some("0.06")),
            ("1.5", "1", Some("3")),
            ("1000", "0.001", Some("1000")),
            ("18446744073709551615", "2", None),
            ("1", "1e-400", None),
        ] {
            let multiple = divisor(a).unwrap().least_common_multiple(divisor(b).unwrap());
            assert_eq!(multiple, expected.and_then(divisor), "{a} {b}");
        }
    }

    #[test]
    fn divisors_past_64_bits_are_none() {
        for text in ["18446744073709551616", "1e20", "1e400", "0"] {
            assert_eq!(divisor(text), None, "{text}");
        }
        assert!(divisor("1e19").is_some() && divisor("1e-400").is_some());
    }

    #[test]
    fn multiples_are_told_from_others() {
        for (of, multiples, others) in [
            ("1", "0 1 -7 1e400 1.50e1", "0.5 1e-400"),
            ("0.01", "4.35 -0.01 1e9", "0.001 1e-400"),
            ("7", "0 7 -14 700", "1 0.7 1e400"),
            ("0.5", "1e308 -1.5", "0.25"),
            ("1024", "1e10 1e400", "1e9"),
        ] {
            for (texts, expected) in [(multiples, true), (others, false)] {
                for text in texts.split(' ') {
                    let value = Decimal::parse(text).unwrap();
                    assert_eq!(divisor(of).unwrap().divides(&value), expected, "{text} of {of}");
                }
            }
        }
    }
}
