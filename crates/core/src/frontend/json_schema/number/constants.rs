//! The texts of given numbers, as of `enum` and `const`.

use std::collections::BTreeMap;

use super::super::decimal::Decimal;
use super::text;
use super::writer::{Mark, Notation, NumberWriter};
use crate::expression::{ExpressionId, ExpressionStore};

/// The longest text that is written out; the zeros of longer ones are counted.
const LONGEST_TEXT: i64 = 40;

/// Strings by what follows them.
#[derive(Default)]
struct Heads {
    /// Texts of integers: `(\.0+)?` follows.
    integers: Vec<Vec<u8>>,
    /// Plain texts with a fraction: zeros follow.
    fractions: Vec<Vec<u8>>,
    /// Mantissas of scientific texts by their exponent; whether they have a point.
    mantissas: BTreeMap<(i64, bool), Vec<Vec<u8>>>,
}

/// Matches the texts of the profile that mean one of the numbers.
///
/// Ten thousand numbers are a few sorted lists of strings, not ten thousand alternatives.
pub(super) fn constants<'a>(
    writer: &mut NumberWriter<'_>,
    values: impl Iterator<Item = &'a Decimal>,
) -> ExpressionId {
    let mut heads = Heads::default();
    let mut alternatives = Vec::new();
    for value in values {
        if value.is_zero() {
            alternatives.push(match writer.notation {
                Notation::Plain => writer.zero_digit(),
                Notation::Any => {
                    let zero = text::zero(writer);
                    text::signed(writer, zero)
                }
            });
            continue;
        }
        let digits: Vec<u8> = value.digits().iter().map(|digit| b'0' + digit).collect();
        let sign = sign_of(value);
        let mut mantissa = [sign, &digits[..1]].concat();
        if digits.len() > 1 {
            mantissa.push(b'.');
            mantissa.extend(&digits[1..]);
        }
        heads.mantissas.entry((value.magnitude(), digits.len() > 1)).or_default().push(mantissa);
        match plain(value, sign, &digits) {
            Plain::Text(text) if value.is_integer() => heads.integers.push(text),
            Plain::Text(text) => heads.fractions.push(text),
            Plain::Long { before, zeros, after } => {
                let (before, zero) = (writer.store.literal(&before), writer.zero_digit());
                let zeros = writer.store.repetition(zero, zeros, Some(zeros));
                let (after, end) = (writer.store.literal(&after), trailing(writer, !value.is_integer()));
                alternatives.push(writer.store.concatenation(&[before, zeros, after, end]));
            }
        }
    }
    for (texts, has_point) in [(heads.integers, false), (heads.fractions, true)] {
        if texts.is_empty() {
            continue;
        }
        let (texts, end) = (writer.store.literals(texts), trailing(writer, has_point));
        alternatives.push(writer.store.concatenate(texts, end));
    }
    for ((exponent, has_point), mantissas) in heads.mantissas {
        let (mantissas, end) = (writer.store.literals(mantissas), trailing(writer, has_point));
        let exponent = writer.exponents((Some(exponent), Some(exponent)));
        alternatives.push(writer.store.concatenation(&[mantissas, end, exponent]));
    }
    writer.store.alternatives(&alternatives)
}

/// Matches the integers among the numbers as whole numbers, without a fraction and an exponent.
pub(super) fn whole_constants<'a>(
    writer: &mut NumberWriter<'_>,
    values: impl Iterator<Item = &'a Decimal>,
) -> ExpressionId {
    let (mut texts, mut alternatives) = (Vec::new(), Vec::new());
    for value in values.filter(|value| value.is_integer()) {
        if value.is_zero() {
            texts.push(b"0".to_vec());
            texts.extend((writer.notation == Notation::Any).then(|| b"-0".to_vec()));
            continue;
        }
        let digits: Vec<u8> = value.digits().iter().map(|digit| b'0' + digit).collect();
        match plain(value, sign_of(value), &digits) {
            Plain::Text(text) => texts.push(text),
            Plain::Long { before, zeros, .. } => {
                let (before, zero) = (writer.store.literal(&before), writer.zero_digit());
                let zeros = writer.store.repetition(zero, zeros, Some(zeros));
                alternatives.push(writer.store.concatenate(before, zeros));
            }
        }
    }
    alternatives.push(writer.store.literals(texts));
    writer.store.alternatives(&alternatives)
}

fn sign_of(value: &Decimal) -> &'static [u8] {
    if value.is_negative() { b"-" } else { b"" }
}

/// Matches the zeros that may follow the last significant digit.
fn trailing(writer: &mut NumberWriter<'_>, has_point: bool) -> ExpressionId {
    match (writer.notation, has_point) {
        (Notation::Plain, _) => ExpressionStore::EMPTY,
        (Notation::Any, false) => text::zero_fraction(writer),
        (Notation::Any, true) => writer.mark(Mark::Zeros),
    }
}

/// The shortest plain text of a number.
enum Plain {
    Text(Vec<u8>),
    /// With many zeros between two parts.
    Long {
        before: Vec<u8>,
        zeros: u32,
        after: Vec<u8>,
    },
}

fn plain(value: &Decimal, sign: &[u8], digits: &[u8]) -> Plain {
    let magnitude = value.magnitude();
    let (before, zeros, after): (Vec<u8>, i64, &[u8]) = if magnitude < 0 {
        ([sign, b"0."].concat(), -magnitude - 1, digits)
    } else if value.is_integer() {
        ([sign, digits].concat(), value.exponent(), b"")
    } else {
        let (whole, fraction) = digits.split_at(magnitude as usize + 1);
        ([sign, whole, b".", fraction].concat(), 0, b"")
    };
    if zeros > LONGEST_TEXT {
        return Plain::Long { before, zeros: zeros as u32, after: after.to_vec() };
    }
    Plain::Text([before.as_slice(), &b"0".repeat(zeros as usize), after].concat())
}
