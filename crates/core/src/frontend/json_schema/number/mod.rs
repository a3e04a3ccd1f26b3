//! Numbers: the texts that mean a number under some conditions, as one regular expression.
//!
//! Takes conditions from schemas ([`NumberCondition`], each asserted or denied) and gives an expression.
//! Values are compared exactly, digit by digit: there are no floats, and no bound is too great or too
//! small.
//!
//! # The profile of texts
//!
//! JSON can write one number in endlessly many ways, and which of them mean a number above a bound is
//! not a regular language: `0.001e5` compares by counting zeros. So texts are restricted, though not further
//! than the conditions need:
//!
//! | conditions | texts |
//! |---|---|
//! | none | every JSON number |
//! | bounds and constants | plain decimals, any number of digits and of zeros at the end; scientific notation in normalised form: one digit before the point, other than `0` unless the number is zero, and any exponent, with or without sign and leading zeros |
//! | `integer`, `multipleOf` | the same, with at most 20 significant digits after the point in scientific notation |
//!
//! In plain notation ([`Notation::Plain`]) there is no scientific notation, and constants have one text each.
//!
//! All that usual programs write is among them: `-0.0`, `1e+16`, `1.5e-07`. Negation is relative to the same
//! texts. `1.0` and `1.5e3` are integers, and `-0` is zero.
//!
//! # How
//!
//! All bounds are merged to one interval ([`interval`]), all divisors to their least common multiple ([`multiple`]), and all lists of
//! constants to those that meet the other conditions, so that what is left is nearly always written down
//! directly: a chain of digits for each bound ([`significand`]), strings for constants ([`constants`]), an
//! automaton of remainders for divisors. The parts of a text are those of [`text`]; with few decimals, scientific notation has a
//! form of its own ([`scientific`]). What parts of one number repeat is made once ([`writer`]). Where both a divisor other than a power of ten and bounds are asked for,
//! or divisors are denied, the multiples between two bounds are listed if they are few ([`listed`]). Intersections
//! are left to what is not, and to denied divisors and constants.

mod constants;
mod interval;
mod listed;
mod multiple;
mod scientific;
mod significand;
#[cfg(test)]
mod tests;
mod text;
mod writer;

use rustc_hash::FxHashSet;

use super::decimal::Decimal;
use crate::error::{Error, Result};
use crate::expression::{ExpressionId, ExpressionStore};
use interval::{Bound, Interval, Positives};
use multiple::Divisor;
use writer::NumberWriter;

pub(super) use writer::Notation;

/// What a schema asks of a number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum NumberCondition {
    /// It is an integer.
    Integer,
    /// It is not less than the bound, or greater where that is exclusive.
    Minimum {
        /// The bound.
        bound: Decimal,
        /// Whether the bound itself is refused.
        exclusive: bool,
    },
    /// It is not greater than the bound, or less where that is exclusive.
    Maximum {
        /// The bound.
        bound: Decimal,
        /// Whether the bound itself is refused.
        exclusive: bool,
    },
    /// It is a multiple of this number, which is greater than zero.
    MultipleOf(Decimal),
    /// It is one of these.
    OneOf(Vec<Decimal>),
}

/// Matches the JSON numbers without a fraction or an exponent.
pub(super) fn whole_numbers(store: &mut ExpressionStore) -> ExpressionId {
    text::whole_numbers(&mut NumberWriter::new(store, Notation::Any))
}

/// Matches the texts of the numbers that meet all conditions, in a notation; `false` beside a condition denies it.
///
/// # Errors
/// [`Error::Unsupported`], naming `location`, for divisors that do not fit in 64 bits and bounds of more than
/// [`GREATEST_DIGITS`] significant digits.
pub(super) fn number_language(
    store: &mut ExpressionStore,
    conditions: &[(NumberCondition, bool)],
    notation: Notation,
    location: &str,
) -> Result<ExpressionId> {
    let numbers = Numbers::meeting(conditions, location)?;
    let mut writer = NumberWriter::new(store, notation);
    if let Some(values) = &numbers.one_of {
        return Ok(constants::constants(&mut writer, values.iter().filter(|value| numbers.admit(value))));
    }
    if numbers.interval.is_everything()
        && numbers.multiples_of.is_none()
        && numbers.no_multiples_of.is_empty()
        && numbers.none_of.is_empty()
    {
        let all = text::all_numbers(&mut writer);
        if notation == Notation::Any {
            writer.store.name(all, "number");
        }
        return Ok(all);
    }
    if let Some(values) = numbers.listed() {
        return Ok(constants::constants(&mut writer, values.iter().filter(|value| numbers.admit(value))));
    }
    for bound in numbers.interval.bounds() {
        if is_too_long(&bound.value) {
            return Err(Error::Unsupported {
                feature: "a bound of very many digits".to_owned(),
                location: location.to_owned(),
                reason: format!("at most {GREATEST_DIGITS} significant digits are compared; round it"),
            });
        }
    }
    let all = numbers.texts(&mut writer);
    if let ([(NumberCondition::Integer, true)], Notation::Any) = (conditions, notation) {
        writer.store.name(all, "integer");
    }
    let denied = numbers.none_of.iter().filter(|value| numbers.lie_in(value));
    // Denied are all spellings.
    let denied = constants::constants(&mut NumberWriter::new(store, Notation::Any), denied);
    Ok(without(store, all, denied))
}

/// The texts of some that are not among others.
fn without(store: &mut ExpressionStore, all: ExpressionId, denied: ExpressionId) -> ExpressionId {
    if denied == ExpressionStore::NOTHING {
        return all;
    }
    let others = store.complement(denied);
    store.intersection(&[all, others])
}

/// Matches those of these texts that have neither a fraction nor an exponent.
///
/// They are written out where that takes no automaton of remainders.
///
/// # Errors
/// Those of [`number_language`].
pub(super) fn whole_number_language(
    store: &mut ExpressionStore,
    conditions: &[(NumberCondition, bool)],
    notation: Notation,
    location: &str,
) -> Result<ExpressionId> {
    let numbers = Numbers::meeting(conditions, location)?;
    let mut writer = NumberWriter::new(store, notation);
    if let Some(values) = &numbers.one_of {
        return Ok(constants::whole_constants(
            &mut writer,
            values.iter().filter(|value| numbers.admit(value)),
        ));
    }
    let is_written_out = numbers.multiples_of.is_none_or(|divisor| divisor == Divisor::ONE)
        && numbers.no_multiples_of.is_empty()
        && !numbers.interval.bounds().any(|bound| is_too_long(&bound.value));
    if !is_written_out {
        let (all, whole) =
            (number_language(store, conditions, Notation::Any, location)?, whole_numbers(store));
        return Ok(store.intersection(&[whole, all]));
    }
    let all = numbers.whole_texts(&mut writer);
    let denied = numbers.none_of.iter().filter(|value| numbers.lie_in(value) && value.is_integer());
    let denied = constants::whole_constants(&mut NumberWriter::new(store, Notation::Any), denied);
    Ok(without(store, all, denied))
}

/// The greatest number of significant digits of a bound. Each nests the expression one deeper.
const GREATEST_DIGITS: usize = 200;

/// Whether a bound has more digits than are compared.
pub(super) fn is_too_long(bound: &Decimal) -> bool {
    bound.digits().len() > GREATEST_DIGITS
}

/// Whether any of the numbers can be the divisors of one value, together with one, without a refusal.
pub(super) fn can_always_be_combined<'a>(mut divisors: impl Iterator<Item = &'a Decimal>) -> bool {
    let product = divisors.try_fold((1u64, 0), |(product, decimals), value| {
        let divisor = Divisor::new(value)?;
        Some((product.checked_mul(divisor.modulus())?, divisor.decimals().max(decimals)))
    });
    // No least common multiple, without the point, is greater than this.
    product.is_some_and(|(product, decimals)| {
        10u64.checked_pow(decimals).and_then(|power| power.checked_mul(product)).is_some()
    })
}

/// Whether conditions bound numbers on both sides, on one of them far from zero. What divisors have in common may then
/// have more multiples than are listed, though not near every number: whether there is one is a long search.
pub(super) fn is_between_far_bounds(conditions: impl Iterator<Item = NumberCondition>) -> bool {
    /// A number of more digits is far.
    const DIGITS: i64 = 6;
    let mut interval = Interval::default();
    conditions.for_each(|condition| interval.keep(&condition, true));
    let is_far = |bound: &Bound| !bound.value.is_zero() && bound.value.magnitude() >= DIGITS;
    interval.both_bounds().is_some_and(|(lower, upper)| is_far(lower) || is_far(upper))
}

/// A set of numbers: the merged conditions.
#[derive(Debug, Default)]
struct Numbers {
    interval: Interval,
    multiples_of: Option<Divisor>,
    no_multiples_of: Vec<Divisor>,
    one_of: Option<Vec<Decimal>>,
    none_of: FxHashSet<Decimal>,
}

impl Numbers {
    fn meeting(conditions: &[(NumberCondition, bool)], location: &str) -> Result<Self> {
        let mut numbers = Self::default();
        for (condition, asserted) in conditions {
            match condition {
                NumberCondition::Integer => numbers.add_divisor(Divisor::ONE, *asserted, location)?,
                NumberCondition::MultipleOf(value) => {
                    let divisor = Divisor::new(value).ok_or_else(|| unsupported(value, location))?;
                    numbers.add_divisor(divisor, *asserted, location)?;
                }
                NumberCondition::Minimum { .. } | NumberCondition::Maximum { .. } => {
                    numbers.interval.keep(condition, *asserted);
                }
                NumberCondition::OneOf(values) if *asserted => match &mut numbers.one_of {
                    Some(one_of) => {
                        let values: FxHashSet<&Decimal> = values.iter().collect();
                        one_of.retain(|value| values.contains(value));
                    }
                    None => numbers.one_of = Some(values.clone()),
                },
                NumberCondition::OneOf(values) => numbers.none_of.extend(values.iter().cloned()),
            }
        }
        numbers.drop_implied();
        Ok(numbers)
    }

    /// Drops denied divisors of which another one says as much, or of which the interval holds few multiples: these are
    /// denied one by one. Each divisor multiplies the states of the others.
    fn drop_implied(&mut self) {
        /// So many values are denied in place of a divisor.
        const FEW: u32 = 16;
        let asserted = self.multiples_of;
        let wholly = |divisor: Divisor| match asserted {
            Some(asserted) => asserted.least_common_multiple(divisor).unwrap_or(divisor),
            None => divisor,
        };
        let mut kept: Vec<Divisor> = Vec::new();
        for divisor in std::mem::take(&mut self.no_multiples_of) {
            let common = wholly(divisor);
            if let Some(values) = listed::few_multiples(common, &self.interval, FEW) {
                self.none_of.extend(values);
            } else if !kept.iter().any(|&other| wholly(other).divides_divisor(common)) {
                kept.retain(|&other| !common.divides_divisor(wholly(other)));
                kept.push(divisor);
            }
        }
        self.no_multiples_of = kept;
    }

    fn add_divisor(&mut self, divisor: Divisor, asserted: bool, location: &str) -> Result<()> {
        if !asserted {
            self.no_multiples_of.push(divisor);
            return Ok(());
        }
        let merged = match self.multiples_of {
            None => Some(divisor),
            Some(other) => other.least_common_multiple(divisor),
        };
        self.multiples_of = Some(merged.ok_or_else(|| Error::Unsupported {
            feature: "`multipleOf` together with another, or with `integer`,".to_owned(),
            location: location.to_owned(),
            reason: "their least common multiple, without the point, does not fit in 64 bits".to_owned(),
        })?);
        Ok(())
    }

    /// Whether the number meets all conditions.
    fn admit(&self, value: &Decimal) -> bool {
        self.lie_in(value) && !self.none_of.contains(value)
    }

    /// Whether the number meets all conditions but those about constants.
    fn lie_in(&self, value: &Decimal) -> bool {
        self.interval.contains(value)
            && self.multiples_of.is_none_or(|divisor| divisor.divides(value))
            && !self.no_multiples_of.iter().any(|divisor| divisor.divides(value))
    }

    /// A list that holds all of the numbers, where they are few and would take an intersection otherwise.
    fn listed(&self) -> Option<Vec<Decimal>> {
        /// So many values are listed.
        const FEW: u32 = 1 << 9;
        let divisor = self.multiples_of?;
        let is_written_out = self.no_multiples_of.is_empty() && divisor.as_decimals().is_some();
        if is_written_out { None } else { listed::few_multiples(divisor, &self.interval, FEW) }
    }

    /// The texts of the numbers, conditions about constants left aside.
    fn texts(&self, writer: &mut NumberWriter<'_>) -> ExpressionId {
        let contradictory =
            |multiple: Divisor| self.no_multiples_of.iter().any(|divisor| divisor.divides_divisor(multiple));
        if self.multiples_of.is_some_and(contradictory) {
            return ExpressionStore::NOTHING;
        }
        let mirrored = self.interval.mirrored();
        let (positives, negatives) = (self.interval.positives(), mirrored.positives());
        let has_zero = self.interval.contains(&Decimal::zero());
        let unsigned = self.magnitudes(writer, positives, has_zero);
        let after_minus = self.magnitudes(writer, negatives, has_zero);
        text::with_signs(writer, unsigned, after_minus)
    }

    /// The texts of the integers between the bounds that have neither a fraction nor an exponent.
    fn whole_texts(&self, writer: &mut NumberWriter<'_>) -> ExpressionId {
        let mirrored = self.interval.mirrored();
        let zero = match self.interval.contains(&Decimal::zero()) {
            true => writer.zero_digit(),
            false => ExpressionStore::NOTHING,
        };
        let [unsigned, after_minus] = [&self.interval, &mirrored].map(|interval| {
            let positives = interval.positives().map(|positives| positives.whole_texts(writer));
            writer.store.alternatives(&[zero, positives.unwrap_or(ExpressionStore::NOTHING)])
        });
        text::with_signs(writer, unsigned, after_minus)
    }

    /// The unsigned texts of positive numbers, and of zero where it is asked for.
    fn magnitudes(
        &self,
        writer: &mut NumberWriter<'_>,
        positives: Option<Positives<'_>>,
        has_zero: bool,
    ) -> ExpressionId {
        let Some(positives) = positives else {
            let has_zero = has_zero && self.no_multiples_of.is_empty();
            return if has_zero { text::zero(writer) } else { ExpressionStore::NOTHING };
        };
        let decimals = self.multiples_of.map(Divisor::decimals);
        let is_integer = self.multiples_of == Some(Divisor::ONE);
        let is_everything = positives.is_everything() || (is_integer && positives.holds_all_integers());
        let few_decimals = decimals.filter(|&decimals| decimals <= Positives::GREATEST_DECIMALS);
        let is_power_of_ten = self.multiples_of.is_some_and(|divisor| divisor.as_decimals().is_some());
        let written_out =
            self.multiples_of.is_none() || (!is_everything && is_power_of_ten && few_decimals.is_some());
        let has_divisor = self.multiples_of.is_some() || !self.no_multiples_of.is_empty();
        let mut operands = Vec::new();
        if !is_everything || !has_divisor {
            let texts = positives.texts(writer, few_decimals);
            let zero = if has_zero { text::zero(writer) } else { ExpressionStore::NOTHING };
            operands.push(writer.store.alternatives(&[texts, zero]));
        }
        if !written_out && let Some(divisor) = self.multiples_of {
            operands.extend(divisor.multiples(has_zero).map(|residue| writer.store.residue(residue)));
        }
        for divisor in &self.no_multiples_of {
            operands.extend(divisor.others().map(|residue| writer.store.residue(residue)));
        }
        if has_divisor && writer.notation == Notation::Plain {
            // Automata of remainders read exponents, too.
            operands.push(text::magnitudes(writer));
        }
        writer.store.intersection(&operands)
    }
}

fn unsupported(value: &Decimal, location: &str) -> Error {
    Error::Unsupported {
        feature: format!("`multipleOf` of {value}"),
        location: location.to_owned(),
        reason: "its digits do not fit in 64 bits; use a number of at most 19 digits".to_owned(),
    }
}
