//! Digit sequences between two bounds.
//!
//! Numbers whose first significant digit has the same place compare as their digits do, one after another.
//! That makes the sequences between two bounds a chain of choices: a digit between those of the bounds sets
//! the rest free, a digit equal to one of them keeps to that bound. Where the point stands and what may
//! follow it is a [`Layout`].

use super::text;
use super::writer::{Mark, NumberWriter};
use crate::expression::{ExpressionId, ExpressionStore};

/// How digits are laid out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// The number of digits before the point; zero where the point is written already.
    pub(super) whole: u32,
    /// What may follow.
    pub(super) fraction: Fraction,
}

/// What may follow the digits before the point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fraction {
    /// Nothing, not even a point.
    Forbidden,
    /// So many digits of any value and then zeros.
    AtMost(u32),
    /// Any digits.
    Any,
}

/// The digits of a bound, the first not zero.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge<'a> {
    /// The digits; zeros follow.
    pub(super) digits: &'a [u8],
    /// Whether the bound itself is outside.
    pub(super) exclusive: bool,
}

impl Edge<'_> {
    fn digit(&self, index: usize) -> u8 {
        self.digits.get(index).copied().unwrap_or(0)
    }

    /// Whether zeros from `index` on meet the bound when all digits before equal its digits.
    fn is_met_by_zeros(&self, index: usize) -> bool {
        index >= self.digits.len() && !self.exclusive
    }
}

/// Matches the digit sequences from `lower` to `upper` whose first digit is not zero.
pub(super) fn significands(
    writer: &mut NumberWriter<'_>,
    layout: Layout,
    lower: Option<Edge<'_>>,
    upper: Option<Edge<'_>>,
) -> ExpressionId {
    let mut chains = Chains::new(writer, layout);
    match (lower, upper) {
        (None, None) => {
            let rest = chains.free(1);
            chains.digit(0, 1, 9, rest)
        }
        (Some(lower), None) => chains.above(lower).swap_remove(0),
        (None, Some(upper)) => chains.below(upper).swap_remove(0),
        (Some(lower), Some(upper)) => chains.between(lower, upper),
    }
}

/// The point and digits of one kind after it, or nothing, as a layout has them.
fn fraction(writer: &mut NumberWriter<'_>, layout: Layout, digit: ExpressionId) -> ExpressionId {
    let digits = match layout.fraction {
        Fraction::Forbidden => return ExpressionStore::EMPTY,
        Fraction::Any => writer.store.repetition(digit, 1, None),
        Fraction::AtMost(0) => return text::zero_fraction(writer),
        Fraction::AtMost(most) => {
            let zeros = writer.mark(Mark::Zeros);
            let digits = writer.store.repetition(digit, 1, Some(most));
            writer.store.concatenate(digits, zeros)
        }
    };
    text::optional_fraction(writer, digits)
}

/// Builds expressions for what follows the first `index` digits.
struct Chains<'a, 'store> {
    writer: &'a mut NumberWriter<'store>,
    layout: Layout,
    any: Digits,
    zero: Digits,
}

/// Digits of one kind.
#[derive(Clone, Copy)]
struct Digits {
    digit: ExpressionId,
    /// The point and such digits after it, or nothing, as the layout has them.
    fraction: ExpressionId,
}

impl<'a, 'store> Chains<'a, 'store> {
    /// The longest chain of zeros that is built digit by digit.
    const LONGEST_ZEROS: usize = 32;

    fn new(writer: &'a mut NumberWriter<'store>, layout: Layout) -> Self {
        let [any, zero] = [writer.any_digit(), writer.zero_digit()].map(|digit| {
            let fraction = fraction(writer, layout, digit);
            Digits { digit, fraction }
        });
        Self { writer, layout, any, zero }
    }

    fn whole(&self) -> usize {
        self.layout.whole as usize
    }

    /// A digit from `first` to `last` at `index`, as far as the layout has one there, and then `rest`.
    fn digit(&mut self, index: usize, first: u8, last: u8, rest: ExpressionId) -> ExpressionId {
        let only_zero = match self.layout.fraction {
            Fraction::AtMost(most) => index >= self.whole() + most as usize,
            Fraction::Any | Fraction::Forbidden => false,
        };
        let last = if only_zero { 0 } else { last };
        let digit = self.writer.digit(first, last);
        self.writer.store.concatenate(digit, rest)
    }

    /// What follows `index` digits, given what begins with the next digit and whether the text may end.
    fn node(&mut self, index: usize, may_end: bool, digits: ExpressionId) -> ExpressionId {
        if index < self.whole() {
            return digits;
        }
        let more = match self.layout.fraction {
            Fraction::Forbidden => ExpressionStore::NOTHING,
            _ if index == self.whole() && index > 0 => {
                let point = self.writer.mark(Mark::Point);
                self.writer.store.concatenate(point, digits)
            }
            _ => digits,
        };
        let end = if may_end { ExpressionStore::EMPTY } else { ExpressionStore::NOTHING };
        self.writer.store.alternatives(&[more, end])
    }

    /// Any digits.
    fn free(&mut self, index: usize) -> ExpressionId {
        self.filled(index, self.any)
    }

    /// Zeros only.
    fn zeros(&mut self, index: usize) -> ExpressionId {
        self.filled(index, self.zero)
    }

    /// Any number of digits of one kind, as the layout has them.
    fn filled(&mut self, index: usize, Digits { digit, fraction }: Digits) -> ExpressionId {
        let whole = self.whole();
        if index > whole || whole == 0 {
            let digits = match self.layout.fraction {
                Fraction::Forbidden => return ExpressionStore::EMPTY,
                Fraction::Any => self.writer.store.repetition(digit, 0, None),
                Fraction::AtMost(most) => {
                    let left = most.saturating_sub((index - whole) as u32);
                    self.writer.store.repetition(digit, 0, Some(left))
                }
            };
            let zeros = self.writer.mark(Mark::Zeros);
            return self.writer.store.concatenate(digits, zeros);
        }
        let left = (whole - index) as u32;
        let before = self.writer.store.repetition(digit, left, Some(left));
        self.writer.store.concatenate(before, fraction)
    }

    /// Digits of which one at least is not zero.
    fn nonzero(&mut self, index: usize) -> ExpressionId {
        let whole = self.whole();
        let (end, mut rest) = match self.layout.fraction {
            Fraction::Forbidden => (whole, ExpressionStore::NOTHING),
            Fraction::AtMost(most) => (whole + most as usize, ExpressionStore::NOTHING),
            Fraction::Any => {
                let end = whole.max(index);
                let after = self.free(end + 1);
                let some = self.digit(end, 1, 9, after);
                let zeros = self.writer.mark(Mark::Zeros);
                let digits = self.writer.store.concatenate(zeros, some);
                (end, self.node(end, false, digits))
            }
        };
        if end.saturating_sub(index) > Self::LONGEST_ZEROS {
            let (free, zeros) = (self.free(index), self.zeros(index));
            let not_zeros = self.writer.store.complement(zeros);
            return self.writer.store.intersection(&[free, not_zeros]);
        }
        for at in (index..end).rev() {
            let after = self.free(at + 1);
            let (some, zero) = (self.digit(at, 1, 9, after), self.digit(at, 0, 0, rest));
            let digits = self.writer.store.alternatives(&[some, zero]);
            rest = self.node(at, false, digits);
        }
        rest
    }

    /// For each index up to the length of the bound: what follows digits that equal its digits.
    fn above(&mut self, lower: Edge<'_>) -> Vec<ExpressionId> {
        let length = lower.digits.len();
        let mut chain = vec![if lower.exclusive { self.nonzero(length) } else { self.free(length) }];
        for index in (0..length).rev() {
            let (digit, after) = (lower.digit(index), self.free(index + 1));
            let equal = chain[chain.len() - 1];
            let (greater, equal) =
                (self.digit(index, digit + 1, 9, after), self.digit(index, digit, digit, equal));
            let digits = self.writer.store.alternatives(&[greater, equal]);
            chain.push(self.node(index, false, digits));
        }
        chain.reverse();
        chain
    }

    /// The same for an upper bound.
    fn below(&mut self, upper: Edge<'_>) -> Vec<ExpressionId> {
        let length = upper.digits.len();
        let mut chain = vec![if upper.exclusive { ExpressionStore::NOTHING } else { self.zeros(length) }];
        for index in (0..length).rev() {
            let (digit, after) = (upper.digit(index), self.free(index + 1));
            let least = u8::from(index == 0);
            let equal = chain[chain.len() - 1];
            let less = if digit > least {
                self.digit(index, least, digit - 1, after)
            } else {
                ExpressionStore::NOTHING
            };
            let equal = self.digit(index, digit, digit, equal);
            let digits = self.writer.store.alternatives(&[less, equal]);
            chain.push(self.node(index, index > 0, digits));
        }
        chain.reverse();
        chain
    }

    /// Digit sequences between two bounds.
    fn between(&mut self, lower: Edge<'_>, upper: Edge<'_>) -> ExpressionId {
        let (above, below) = (self.above(lower), self.below(upper));
        let length = lower.digits.len().max(upper.digits.len());
        let mut both =
            if lower.exclusive || upper.exclusive { ExpressionStore::NOTHING } else { self.zeros(length) };
        for index in (0..length).rev() {
            let (low, high) = (lower.digit(index), upper.digit(index));
            let digits = if low > high {
                ExpressionStore::NOTHING
            } else if low == high {
                self.digit(index, low, low, both)
            } else {
                let next = index + 1;
                let after = self.free(next);
                let rest_above = match above.get(next) {
                    Some(&rest) => rest,
                    None if lower.exclusive => self.nonzero(next),
                    None => after,
                };
                let rest_below = match below.get(next) {
                    Some(&rest) => rest,
                    None if upper.exclusive => ExpressionStore::NOTHING,
                    None => self.zeros(next),
                };
                let lowest = self.digit(index, low, low, rest_above);
                let highest = self.digit(index, high, high, rest_below);
                let inner = self.digit(index, low + 1, high - 1, after);
                self.writer.store.alternatives(&[lowest, inner, highest])
            };
            let meets_upper = index < upper.digits.len() || upper.is_met_by_zeros(index);
            let may_end = index > 0 && lower.is_met_by_zeros(index) && meets_upper;
            both = self.node(index, may_end, digits);
        }
        both
    }
}
