//! Decimal numbers, exact and of any size.
//!
//! A schema's `maximum: 1e400` and an enum's `0.1` are kept as they are written: digits and a power of ten.
//! Nothing here ever writes out the zeros of a great or small number, so that comparing `1e400` with `1e-400`
//! costs as much as comparing `1` with `2`.

use std::cmp::Ordering;
use std::fmt;

/// A decimal number. Equal numbers are equal values: `1`, `1.0` and `10e-1` are one, `0` and `-0` are one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Decimal {
    /// Whether it is less than zero.
    negative: bool,
    /// The significant digits, each 0 to 9; neither the first nor the last is zero. Empty for zero.
    digits: Box<[u8]>,
    /// The power of ten by which the digits, read as an integer, are multiplied; 0 for zero.
    exponent: i64,
}

impl Decimal {
    /// The greatest power of ten, up or down, of a number in scientific notation.
    const GREATEST_EXPONENT: i64 = 1_000_000_000;

    /// The number that a JSON text means; `None` where it is no JSON number, or where its size is beyond a
    /// thousand million digits.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (negative, unsigned) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, Some(exponent)),
            None => (unsigned, None),
        };
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (mantissa, None),
        };
        let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let unsigned_exponent = exponent.map(|part| part.strip_prefix(['+', '-']).unwrap_or(part));
        let well_formed = is_digits(whole)
            && (whole == "0" || !whole.starts_with('0'))
            && fraction.is_none_or(is_digits)
            && unsigned_exponent.is_none_or(is_digits);
        if !well_formed {
            return None;
        }
        let fraction = fraction.unwrap_or("");
        let digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).map(|byte| byte - b'0').collect();
        let exponent =
            exponent.map_or(0, saturating_integer).saturating_sub(i64::try_from(fraction.len()).ok()?);
        Self::new(negative, &digits, exponent)
    }

    /// Puts a number in canonical form.
    fn new(negative: bool, digits: &[u8], exponent: i64) -> Option<Self> {
        let Some(first) = digits.iter().position(|&digit| digit != 0) else { return Some(Self::zero()) };
        let end = digits.iter().rposition(|&digit| digit != 0).map_or(0, |last| last + 1);
        let trailing = i64::try_from(digits.len() - end).ok()?;
        let number =
            Self { negative, digits: digits[first..end].into(), exponent: exponent.saturating_add(trailing) };
        (number.exponent.saturating_abs() <= Self::GREATEST_EXPONENT
            && number.magnitude().saturating_abs() <= Self::GREATEST_EXPONENT)
            .then_some(number)
    }

    /// An integer divided by a power of ten; `None` where its size is beyond a thousand million digits.
    pub(super) fn scaled(integer: i128, decimals: u32) -> Option<Self> {
        let digits: Vec<u8> = integer.unsigned_abs().to_string().bytes().map(|byte| byte - b'0').collect();
        Self::new(integer < 0, &digits, -i64::from(decimals))
    }

    /// Zero.
    pub(super) fn zero() -> Self {
        Self { negative: false, digits: Box::default(), exponent: 0 }
    }

    /// Whether the number has no fraction.
    pub(super) fn is_integer(&self) -> bool {
        self.exponent >= 0
    }

    /// Whether the number is zero.
    pub(super) fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    /// Whether the number is less than zero.
    pub(super) fn is_negative(&self) -> bool {
        self.negative
    }

    /// The number with the other sign.
    pub(super) fn negated(&self) -> Self {
        Self { negative: !self.negative && !self.is_zero(), ..self.clone() }
    }

    /// The significant digits, each 0 to 9, without zeros at either end; none for zero.
    pub(super) fn digits(&self) -> &[u8] {
        &self.digits
    }

    /// The power of ten by which the digits, read as an integer, are multiplied.
    pub(super) fn exponent(&self) -> i64 {
        self.exponent
    }

    /// The power of ten of the first digit: the exponent in scientific notation. Zero for zero.
    pub(super) fn magnitude(&self) -> i64 {
        if self.is_zero() { 0 } else { self.exponent.saturating_add(self.digits.len() as i64 - 1) }
    }
}

/// The value of a text of digits with a sign before it or not, up to what an `i64` holds.
fn saturating_integer(text: &str) -> i64 {
    let magnitude = text
        .bytes()
        .filter(u8::is_ascii_digit)
        .fold(0i64, |value, byte| value.saturating_mul(10).saturating_add(i64::from(byte - b'0')));
    if text.starts_with('-') { -magnitude } else { magnitude }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let sign = |number: &Self| (!number.is_zero()).then_some(!number.negative);
        let rank = |number: &Self| match sign(number) {
            Some(false) => -1,
            None => 0,
            Some(true) => 1,
        };
        // Digits have no zeros at the end, so that of two that begin alike the longer is greater.
        let size = || self.magnitude().cmp(&other.magnitude()).then_with(|| self.digits.cmp(&other.digits));
        rank(self).cmp(&rank(other)).then_with(|| if self.negative { size().reverse() } else { size() })
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Decimal {
    /// Writes the number as JSON: plainly where few zeros are needed, in scientific notation otherwise.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits: String = self.digits.iter().map(|&digit| char::from(b'0' + digit)).collect();
        let sign = if self.negative { "-" } else { "" };
        let magnitude = self.magnitude();
        if self.is_zero() {
            return formatter.write_str("0");
        }
        if self.exponent >= 0 && magnitude < 21 {
            return write!(formatter, "{sign}{digits}{}", "0".repeat(self.exponent as usize));
        }
        if self.exponent < 0 && magnitude >= 0 {
            let (whole, fraction) = digits.split_at(magnitude as usize + 1);
            return write!(formatter, "{sign}{whole}.{fraction}");
        }
        if (-7..0).contains(&magnitude) {
            return write!(formatter, "{sign}0.{}{digits}", "0".repeat((-magnitude) as usize - 1));
        }
        let (first, rest) = digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        write!(formatter, "{sign}{first}{point}{rest}e{magnitude}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).unwrap_or_else(|| panic!("{text}"))
    }

    #[test]
    fn equal_numbers_are_one_value_and_are_written_in_one_way() {
        for (texts, written) in [
            ("0 -0 0.0 0e5 -0.00E-9 0e99999999999999999999", "0"),
            ("1 1.0 10e-1 0.1e1 1E+0 0.001e3", "1"),
            ("-120 -1.2e2 -12e1 -120.00", "-120"),
            ("0.1 1e-1 0.10", "0.1"),
            ("12.5 1.25e1 125e-1", "12.5"),
            ("1e400 10e399", "1e400"),
            ("-1.5e-10 -0.15e-9", "-1.5e-10"),
            ("18446744073709551615", "18446744073709551615"),
            ("0.0000001", "0.0000001"),
            ("0.00000001", "1e-8"),
        ] {
            for text in texts.split(' ') {
                assert_eq!(decimal(text), decimal(written), "{text}");
                assert_eq!(decimal(text).to_string(), written, "{text}");
            }
        }
    }

    #[test]
    fn numbers_are_ordered_by_value() {
        let ascending = [
            "-1e400", "-12", "-1.3", "-1.25", "-1.2", "-1e-400", "0", "1e-400", "1e-9", "0.1", "0.11", "1",
            "1.5", "9", "10", "11", "99", "100", "1e400", "1.1e400",
        ];
        for (index, low) in ascending.iter().enumerate() {
            for (other, high) in ascending.iter().enumerate() {
                assert_eq!(decimal(low).cmp(&decimal(high)), index.cmp(&other), "{low} {high}");
            }
        }
    }

    #[test]
    fn integers_are_told_from_fractions() {
        for (text, expected) in
            [("0", true), ("1.0", true), ("1.5e1", true), ("1.55e1", false), ("1e-1", false)]
        {
            assert_eq!(decimal(text).is_integer(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_number_or_beyond_measure_is_refused() {
        for text in [
            "",
            "-",
            "+1",
            "01",
            "1.",
            ".1",
            "1e",
            "1e+",
            "0x1",
            " 1",
            "1 ",
            "1e1.5",
            "NaN",
            "1e99999999999999999999",
            "1e-99999999999999999999",
            "1e1000000001",
            "--1",
            "1e--1",
            "1e+-1",
            "١",
        ] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
        assert!(Decimal::parse(&"9".repeat(100_000)).is_some());
    }
}
