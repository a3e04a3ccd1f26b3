//! Intervals of numbers, and the texts of the positive numbers in one.

use std::cmp::Reverse;

use super::super::decimal::Decimal;
use super::NumberCondition;
use super::scientific::Exponents;
use super::significand::{Edge, Fraction, Layout, significands};
use super::text;
use super::writer::NumberWriter;
use crate::expression::{ExpressionId, ExpressionStore, Residue};

/// One end of an interval. Among lower ends the greater leaves fewer numbers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Bound {
    pub(super) value: Decimal,
    /// Whether the value itself is outside.
    pub(super) exclusive: bool,
}

impl Bound {
    fn negated(&self) -> Self {
        Self { value: self.value.negated(), exclusive: self.exclusive }
    }

    fn edge(&self) -> Edge<'_> {
        Edge { digits: self.value.digits(), exclusive: self.exclusive }
    }
}

/// The numbers between two bounds.
#[derive(Clone, Debug, Default)]
pub(super) struct Interval {
    lower: Option<Bound>,
    upper: Option<Bound>,
}

impl Interval {
    /// Keeps the numbers that meet a bound, or those that do not. Other conditions keep all.
    pub(super) fn keep(&mut self, condition: &NumberCondition, asserted: bool) {
        match condition {
            // What is not at least the bound is less than it, and so on.
            NumberCondition::Minimum { bound, exclusive } if asserted => {
                self.raise(Bound { value: bound.clone(), exclusive: *exclusive });
            }
            NumberCondition::Maximum { bound, exclusive } if !asserted => {
                self.raise(Bound { value: bound.clone(), exclusive: !*exclusive });
            }
            NumberCondition::Maximum { bound, exclusive } => {
                self.reduce(Bound { value: bound.clone(), exclusive: *exclusive });
            }
            NumberCondition::Minimum { bound, exclusive } => {
                self.reduce(Bound { value: bound.clone(), exclusive: !*exclusive });
            }
            _ => {}
        }
    }

    /// Keeps the numbers above a bound.
    pub(super) fn raise(&mut self, bound: Bound) {
        if self.lower.as_ref().is_none_or(|lower| *lower < bound) {
            self.lower = Some(bound);
        }
    }

    /// Keeps the numbers below a bound.
    pub(super) fn reduce(&mut self, bound: Bound) {
        let tightness = |bound: &Bound| (Reverse(bound.value.clone()), bound.exclusive);
        if self.upper.as_ref().is_none_or(|upper| tightness(upper) < tightness(&bound)) {
            self.upper = Some(bound);
        }
    }

    /// Whether the number is between the bounds.
    pub(super) fn contains(&self, value: &Decimal) -> bool {
        let above = |bound: &Bound| *value > bound.value || (!bound.exclusive && *value == bound.value);
        let below = |bound: &Bound| *value < bound.value || (!bound.exclusive && *value == bound.value);
        self.lower.as_ref().is_none_or(above) && self.upper.as_ref().is_none_or(below)
    }

    /// Whether there are no bounds.
    pub(super) fn is_everything(&self) -> bool {
        self.lower.is_none() && self.upper.is_none()
    }

    /// The lower and the upper bound, where there are both.
    pub(super) fn both_bounds(&self) -> Option<(&Bound, &Bound)> {
        self.lower.as_ref().zip(self.upper.as_ref())
    }

    /// The bounds.
    pub(super) fn bounds(&self) -> impl Iterator<Item = &Bound> {
        self.lower.iter().chain(&self.upper)
    }

    /// The numbers whose negatives are in the interval.
    pub(super) fn mirrored(&self) -> Self {
        Self {
            lower: self.upper.as_ref().map(Bound::negated),
            upper: self.lower.as_ref().map(Bound::negated),
        }
    }

    /// The positive numbers of the interval; `None` where there are none.
    pub(super) fn positives(&self) -> Option<Positives<'_>> {
        let is_positive = |bound: &&Bound| !bound.value.is_zero() && !bound.value.is_negative();
        let (lower, upper) = (self.lower.as_ref().filter(is_positive), self.upper.as_ref());
        if upper.is_some_and(|upper| !is_positive(&upper)) {
            return None;
        }
        Some(Positives { lower, upper })
    }
}

/// The positive numbers from one bound to the other; without a lower one, from zero, which is outside.
#[derive(Clone, Copy, Debug)]
pub(super) struct Positives<'a> {
    lower: Option<&'a Bound>,
    upper: Option<&'a Bound>,
}

/// Numbers whose first digit stands at one of some places, `first` to `last`: powers of ten.
#[derive(Clone, Copy, Debug)]
struct Segment<'a> {
    first: Option<i64>,
    last: Option<i64>,
    /// Only where `first` and `last` are the same.
    lower: Option<Edge<'a>>,
    /// The same.
    upper: Option<Edge<'a>>,
}

impl<'a> Positives<'a> {
    /// The greatest number of decimals for which texts with bounds are written out.
    pub(super) const GREATEST_DECIMALS: u32 = 40;

    /// Whether all positive numbers are meant.
    pub(super) fn is_everything(&self) -> bool {
        self.lower.is_none() && self.upper.is_none()
    }

    /// Whether these are all positive integers, among integers.
    pub(super) fn holds_all_integers(&self) -> bool {
        self.upper.is_none()
            && self.lower.is_none_or(|lower| {
                let one = lower.value.magnitude() == 0 && lower.value.digits() == [1];
                lower.value.magnitude() < 0 || (one && !lower.exclusive)
            })
    }

    /// The texts of the numbers; those with at most so many significant decimals where that is given.
    pub(super) fn texts(&self, writer: &mut NumberWriter<'_>, decimals: Option<u32>) -> ExpressionId {
        let mut alternatives = Vec::new();
        for segment in self.segments() {
            let write = |writer: &mut NumberWriter<'_>| segment.texts(writer, decimals);
            alternatives.push(match segment.place() {
                Some(_) => write(writer),
                None => writer.places((segment.first, segment.last), decimals, write),
            });
        }
        writer.store.alternatives(&alternatives)
    }

    /// The texts of the integers among the numbers that have neither a fraction nor an exponent.
    pub(super) fn whole_texts(&self, writer: &mut NumberWriter<'_>) -> ExpressionId {
        let mut alternatives = Vec::new();
        for segment in self.segments() {
            segment.add_plain(writer, Fraction::Forbidden, &mut alternatives);
        }
        writer.store.alternatives(&alternatives)
    }

    fn segments(&self) -> Vec<Segment<'a>> {
        let lower = self.lower.map(|bound| (bound.value.magnitude(), bound.edge()));
        let upper = self.upper.map(|bound| (bound.value.magnitude(), bound.edge()));
        if let (Some((low, lower)), Some((high, upper))) = (lower, upper)
            && low >= high
        {
            let only = Segment { first: Some(low), last: Some(low), lower: Some(lower), upper: Some(upper) };
            return if low == high { vec![only] } else { Vec::new() };
        }
        let (first, last) = (lower.map(|(low, _)| low + 1), upper.map(|(high, _)| high - 1));
        let mut segments = Vec::new();
        if let Some((low, lower)) = lower {
            segments.push(Segment { first: Some(low), last: Some(low), lower: Some(lower), upper: None });
        }
        if first.is_none() || last.is_none() || first <= last {
            segments.push(Segment { first, last, lower: None, upper: None });
        }
        if let Some((high, upper)) = upper {
            segments.push(Segment { first: Some(high), last: Some(high), lower: None, upper: Some(upper) });
        }
        segments
    }
}

impl Segment<'_> {
    /// The one place of the first digit, where there are edges.
    fn place(&self) -> Option<i64> {
        self.first.filter(|_| self.lower.is_some() || self.upper.is_some())
    }

    fn texts(&self, writer: &mut NumberWriter<'_>, decimals: Option<u32>) -> ExpressionId {
        let mut texts = Vec::new();
        self.add_plain(writer, decimals.map_or(Fraction::Any, Fraction::AtMost), &mut texts);
        self.add_scientific(writer, decimals, &mut texts);
        writer.store.alternatives(&texts)
    }

    fn significands(&self, writer: &mut NumberWriter<'_>, whole: u32, fraction: Fraction) -> ExpressionId {
        significands(writer, Layout { whole, fraction }, self.lower, self.upper)
    }

    fn add_plain(&self, writer: &mut NumberWriter<'_>, fraction: Fraction, out: &mut Vec<ExpressionId>) {
        match self.place() {
            Some(place) if place >= 0 => out.push(self.significands(writer, place as u32 + 1, fraction)),
            None if self.last.is_none_or(|last| last >= 0) => {
                let most = self.last.map(|last| last as u32);
                let least = self.first.unwrap_or(0).max(0) as u32;
                let (first, digit) = (writer.digit(1, 9), writer.any_digit());
                let digits = writer.store.repetition(digit, least, most);
                let end = match fraction {
                    Fraction::Any => text::any_fraction(writer),
                    Fraction::AtMost(decimals) => text::short_fraction(writer, decimals),
                    Fraction::Forbidden => ExpressionStore::EMPTY,
                };
                out.push(writer.store.concatenation(&[first, digits, end]));
            }
            _ => {}
        }
        let last = self.last.unwrap_or(-1).min(-1);
        match fraction {
            Fraction::Any if self.first.is_none_or(|first| first < 0) => {
                let most = self.first.map(|first| (-first - 1) as u32);
                out.push(self.below_one(writer, (-last - 1) as u32, most, Fraction::Any));
            }
            Fraction::Any | Fraction::Forbidden => {}
            Fraction::AtMost(decimals) => {
                let least = self.first.unwrap_or(i64::MIN).max(-i64::from(decimals));
                for place in least..=last {
                    let zeros = (-place - 1) as u32;
                    out.push(self.below_one(writer, zeros, Some(zeros), Fraction::AtMost(decimals - zeros)));
                }
            }
        }
    }

    /// Plain texts with so many zeros between the point and the first significant digit.
    fn below_one(
        &self,
        writer: &mut NumberWriter<'_>,
        least: u32,
        most: Option<u32>,
        fraction: Fraction,
    ) -> ExpressionId {
        let (start, zero) = (writer.store.literal(b"0."), writer.zero_digit());
        let zeros = writer.store.repetition(zero, least, most);
        let digits = self.significands(writer, 0, fraction);
        writer.store.concatenation(&[start, zeros, digits])
    }

    fn add_scientific(
        &self,
        writer: &mut NumberWriter<'_>,
        decimals: Option<u32>,
        out: &mut Vec<ExpressionId>,
    ) {
        let mut add = |writer: &mut NumberWriter<'_>, fraction, first, last| {
            let significand = self.significands(writer, 1, fraction);
            let exponent = writer.exponents((first, last));
            out.push(writer.store.concatenate(significand, exponent));
        };
        let Some(decimals) = decimals else { return add(writer, Fraction::Any, self.first, self.last) };
        // With an exponent of -decimals only one digit is significant, with each one more another.
        let least = -i64::from(decimals);
        match self.place() {
            Some(place) if place < least => {}
            Some(place) => {
                let most = u32::try_from(place.saturating_sub(least)).unwrap_or(u32::MAX);
                let most = most.min(Residue::SIGNIFICANT_FRACTION);
                add(writer, Fraction::AtMost(most), Some(place), Some(place));
            }
            None => {
                let first = self.first.unwrap_or(least).max(least);
                out.push(Exponents { first, last: self.last, least }.texts(writer));
            }
        }
    }
}
