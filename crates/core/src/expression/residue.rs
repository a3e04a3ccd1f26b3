//! Multiples: the automaton that reads the text of a number and knows its remainder.
//!
//! A [`Residue`] reads an unsigned decimal number of JSON and matches it where the value is a multiple of
//! `modulus / 10^decimals`. As a regular expression this would take a state for each remainder, built
//! beforehand; as a value of a few words a state is made when the text gets there.
//!
//! Two forms are read:
//!
//! - plain: `(0|[1-9][0-9]*)(\.[0-9]+)?`
//! - scientific, normalised: one digit other than `0` before the point, at most
//!   [`SIGNIFICANT_FRACTION`](Residue::SIGNIFICANT_FRACTION) digits after it (and then any number of
//!   zeros), and any exponent; or a mantissa of zeros, `0` or `0.0`, and any exponent.
//!
//! The bound on the mantissa makes scientific texts regular: whether `1.25e1` is an integer depends on how
//! many digits the mantissa has. After the `e` all that counts is the least exponent that makes the value a
//! multiple: a greater one does too.
//!
//! Which remainders are alike, whatever follows, is said by `alike`; whether several residues match some text together is
//! decided in `together`.
//!
//! No state is dead: [`Residue::step`] gives `None` where no text could follow that ends in a match.

mod alike;
mod together;

use super::ByteSet;
use super::content::Description;

/// Which numbers a [`Residue`] matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Wanted {
    /// The multiples, zero being one.
    Multiples,
    /// The multiples but zero.
    NonzeroMultiples,
    /// All that are no multiples.
    Others,
}

/// What is left to be read of a number that has to be, or not to be, a multiple of `modulus / 10^decimals`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Residue {
    /// Not zero, and no multiple of ten unless `decimals` is zero.
    modulus: u64,
    decimals: u32,
    wanted: Wanted,
    position: Position,
}

/// How far the text is read. Remainders are those of the digits read, without the point, by the modulus, or others that are
/// `alike`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Position {
    Start,
    /// Digits before the point.
    Whole {
        lead: Lead,
        remainder: u64,
    },
    /// The point is read.
    Fraction {
        lead: Lead,
        /// The remainder of the digits up to the last that is significant.
        remainder: u64,
        /// The number of digits after the point up to the last that is not zero.
        significant: u32,
        /// The number of zeros that follow them, counted only as far as it matters.
        zeros: u32,
    },
    /// A fraction so long that the number is no multiple and cannot be scientific any more.
    Beyond,
    /// The `e` is read. The modulus and the decimals are 1 and 0 from here on.
    Exponent {
        /// The least exponent that makes the number a multiple; [`ALWAYS`] and [`NEVER`] where all or none
        /// do.
        least: i64,
        sign: Sign,
        /// The value of the digits read, as far as it matters.
        read: Option<i64>,
    },
}

/// The digits before the point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Lead {
    Zero,
    /// One digit that is not zero: what a scientific number begins with.
    Digit,
    Longer,
}

/// The sign of an exponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Sign {
    /// None is read yet.
    Open,
    Positive,
    Negative,
}

const ALWAYS: i64 = i64::MIN;
const NEVER: i64 = i64::MAX;

impl Residue {
    /// The greatest number of significant digits after the point of a scientific number.
    pub(crate) const SIGNIFICANT_FRACTION: u32 = 20;

    /// The multiples of `modulus / 10^decimals`, zero being one; `None` for a modulus of zero.
    pub(crate) fn multiples(modulus: u64, decimals: u32) -> Option<Self> {
        Self::new(modulus, decimals, Wanted::Multiples)
    }

    /// The same without zero.
    pub(crate) fn nonzero_multiples(modulus: u64, decimals: u32) -> Option<Self> {
        Self::new(modulus, decimals, Wanted::NonzeroMultiples)
    }

    /// The numbers that are no multiples of `modulus / 10^decimals`; `None` for a modulus of zero.
    pub(crate) fn others(modulus: u64, decimals: u32) -> Option<Self> {
        Self::new(modulus, decimals, Wanted::Others)
    }

    fn new(mut modulus: u64, mut decimals: u32, wanted: Wanted) -> Option<Self> {
        if modulus == 0 {
            return None;
        }
        while decimals > 0 && modulus.is_multiple_of(10) {
            modulus /= 10;
            decimals -= 1;
        }
        Some(Self { modulus, decimals, wanted, position: Position::Start })
    }

    /// Adds all that it says to a label.
    pub(super) fn describe(self, out: &mut Description) {
        out.number(self.modulus);
        out.number(u64::from(self.decimals));
        out.byte(self.wanted as u8);
        match self.position {
            Position::Start => out.byte(0),
            Position::Whole { lead, remainder } => {
                out.byte(1);
                out.byte(lead as u8);
                out.number(remainder);
            }
            Position::Fraction { lead, remainder, significant, zeros } => {
                out.byte(2);
                out.byte(lead as u8);
                out.number(remainder);
                out.number(u64::from(significant));
                out.number(u64::from(zeros));
            }
            Position::Beyond => out.byte(3),
            Position::Exponent { least, sign, read } => {
                out.byte(4);
                out.signed(least);
                out.byte(sign as u8);
                out.flag(read.is_some());
                out.signed(read.unwrap_or(0));
            }
        }
    }

    /// What is left after `byte`; `None` where nothing that begins so matches.
    pub(crate) fn step(self, byte: u8) -> Option<Self> {
        let next = match byte {
            b'0'..=b'9' => self.step_digit(byte - b'0')?,
            b'.' => match self.position {
                Position::Whole { lead, remainder } => {
                    self.at(Position::Fraction { lead, remainder, significant: 0, zeros: 0 })
                }
                _ => return None,
            },
            b'e' | b'E' => {
                let least = self.least_exponent()?;
                let wanted = if self.wanted == Wanted::Others { Wanted::Others } else { Wanted::Multiples };
                let position = Position::Exponent { least, sign: Sign::Open, read: None };
                Self { modulus: 1, decimals: 0, wanted, position }
            }
            b'+' | b'-' => match self.position {
                Position::Exponent { least, sign: Sign::Open, read: None } => {
                    let sign = if byte == b'+' { Sign::Positive } else { Sign::Negative };
                    self.at(Position::Exponent { least, sign, read: None })
                }
                _ => return None,
            },
            _ => return None,
        };
        next.is_alive().then_some(next)
    }

    /// Whether the text read so far is matched.
    pub(crate) fn is_nullable(self) -> bool {
        let is_multiple = match self.position {
            Position::Start
            | Position::Fraction { significant: 0, zeros: 0, .. }
            | Position::Exponent { read: None, .. } => return false,
            Position::Whole { remainder, .. } => self.scaled(remainder, self.decimals) == 0,
            Position::Fraction { remainder, significant, .. } => {
                significant <= self.decimals && self.scaled(remainder, self.decimals - significant) == 0
            }
            Position::Beyond => false,
            Position::Exponent { least, sign, read: Some(read) } => signed(sign, read) >= least,
        };
        match self.wanted {
            Wanted::Multiples => is_multiple,
            Wanted::NonzeroMultiples => is_multiple && !self.is_zero_so_far(),
            Wanted::Others => !is_multiple,
        }
    }

    /// The length of the shortest text that is left to a match is at least this.
    ///
    /// It guides the search for a match of an intersection: with a modulus of a million, one state in a
    /// million matches, and this tells how many digits away the next one is.
    pub(crate) fn shortest(self) -> u32 {
        if self.is_nullable() {
            return 0;
        }
        let (Position::Whole { remainder, .. } | Position::Fraction { remainder, .. }) = self.position else {
            return 1;
        };
        if self.wanted == Wanted::Others {
            return 1;
        }
        // Whatever follows, the digits have to make a multiple of the part without factors of ten.
        let modulus = coprime_to_ten(self.modulus);
        let remainder = match self.position {
            Position::Fraction { zeros, .. } => self.scaled(remainder, zeros),
            _ => remainder,
        };
        let digits = (1..).find(|&digits| self.has_multiple(remainder, digits, modulus, false));
        digits.unwrap_or(1)
    }

    /// The bytes with which it goes on.
    pub(crate) fn next_bytes(self) -> ByteSet {
        Self::alphabet().filter(|&byte| self.step(byte).is_some()).collect()
    }

    /// The bytes that lead where `byte` leads; all others that lead nowhere, if it does not.
    pub(crate) fn class(self, byte: u8) -> ByteSet {
        let next = self.step(byte);
        match next {
            None => self.next_bytes().complement(),
            Some(_) => Self::alphabet().filter(|&other| self.step(other) == next).collect(),
        }
    }

    fn alphabet() -> impl Iterator<Item = u8> {
        (b'0'..=b'9').chain(*b".eE+-")
    }

    fn at(self, position: Position) -> Self {
        Self { position, ..self }
    }

    fn step_digit(self, digit: u8) -> Option<Self> {
        let position = match self.position {
            Position::Start => {
                let lead = if digit == 0 { Lead::Zero } else { Lead::Digit };
                Position::Whole { lead, remainder: self.appended(0, 0, digit) }
            }
            Position::Whole { lead: Lead::Zero, .. } => return None,
            Position::Whole { remainder, .. } => {
                Position::Whole { lead: Lead::Longer, remainder: self.appended(remainder, 0, digit) }
            }
            Position::Fraction { lead, remainder, significant, zeros } if digit == 0 => {
                // Past the reach all zeros are alike; one is told from none, since a digit must follow the
                // point.
                let most = self.reach(lead).max(1).saturating_sub(significant);
                Position::Fraction { lead, remainder, significant, zeros: (zeros + 1).min(most) }
            }
            Position::Fraction { lead, remainder, significant, zeros } => {
                let read = significant + zeros;
                if read >= self.reach(lead) {
                    return (self.wanted == Wanted::Others).then_some(self.at(Position::Beyond));
                }
                let remainder = self.appended(remainder, zeros, digit);
                Position::Fraction { lead, remainder, significant: read + 1, zeros: 0 }
            }
            Position::Beyond => Position::Beyond,
            Position::Exponent { least, sign, read } => {
                let sign = if sign == Sign::Open { Sign::Positive } else { sign };
                let value = read.unwrap_or(0) * 10 + i64::from(digit);
                Position::Exponent { least, sign, read: Some(value.min(greatest_exponent(least, sign))) }
            }
        };
        Some(self.at(position))
    }

    /// The number of digits after the point past which only zeros leave the number a multiple.
    fn reach(self, lead: Lead) -> u32 {
        if lead == Lead::Digit { self.decimals.max(Self::SIGNIFICANT_FRACTION) } else { self.decimals }
    }

    /// The remainder once so many zeros and the digit are appended, or one that is alike.
    fn appended(self, remainder: u64, zeros: u32, digit: u8) -> u64 {
        let shifted = u128::from(self.scaled(remainder, zeros)) * 10 + u128::from(digit);
        alike::simplest((shifted % u128::from(self.modulus)) as u64, self.modulus)
    }

    /// The remainder times a power of ten.
    fn scaled(self, remainder: u64, exponent: u32) -> u64 {
        multiply(remainder, power_of_ten(exponent, self.modulus), self.modulus)
    }

    fn is_zero_so_far(self) -> bool {
        matches!(
            self.position,
            Position::Whole { lead: Lead::Zero, .. }
                | Position::Fraction { lead: Lead::Zero, significant: 0, .. }
        )
    }

    /// What an exponent has to be at least to make the digits read a multiple; `None` where no exponent may
    /// follow them.
    fn least_exponent(self) -> Option<i64> {
        let (lead, remainder, significant) = match self.position {
            Position::Whole { lead, remainder } => (lead, remainder, 0),
            Position::Fraction { significant: 0, zeros: 0, .. } => return None,
            Position::Fraction { lead, remainder, significant, .. } => (lead, remainder, significant),
            _ => return None,
        };
        match lead {
            Lead::Zero => (significant == 0 && self.wanted == Wanted::Multiples).then_some(ALWAYS),
            Lead::Longer => None,
            Lead::Digit if significant > Self::SIGNIFICANT_FRACTION => None,
            Lead::Digit => {
                // 2^63 is the greatest power of a prime factor of ten in a modulus.
                let mut remainder = remainder;
                for shift in 0..=63 {
                    if remainder == 0 {
                        return Some(i64::from(significant) - i64::from(self.decimals) + shift);
                    }
                    remainder = multiply(remainder, 10, self.modulus);
                }
                Some(if remainder == 0 {
                    i64::from(significant) - i64::from(self.decimals) + 64
                } else {
                    NEVER
                })
            }
        }
    }

    /// Whether some text follows that ends in a match.
    fn is_alive(self) -> bool {
        match (self.wanted, self.position) {
            (Wanted::Others, Position::Exponent { least, sign, read }) => match sign {
                Sign::Positive => read.unwrap_or(0) < least,
                Sign::Open | Sign::Negative => least > ALWAYS,
            },
            (_, Position::Exponent { least, sign, read }) => match sign {
                Sign::Negative => -read.unwrap_or(0) >= least,
                Sign::Open | Sign::Positive => least < NEVER,
            },
            // Digits far behind the point can follow.
            (Wanted::Others, _) => true,
            (_, Position::Start) => true,
            (wanted, Position::Whole { lead: Lead::Zero, .. }) => {
                wanted == Wanted::Multiples || self.has_multiple(0, self.decimals, self.modulus, true)
            }
            // Digits before the point can follow.
            (_, Position::Whole { .. }) => true,
            (_, Position::Fraction { .. }) => self.fraction_is_alive(),
            (_, Position::Beyond) => false,
        }
    }

    /// Whether some text follows a fraction that makes the number a multiple.
    fn fraction_is_alive(self) -> bool {
        let Position::Fraction { lead, remainder, significant, zeros } = self.position else { return false };
        let read = significant + zeros;
        let is_zero = lead == Lead::Zero && significant == 0;
        let nonzero = is_zero && self.wanted == Wanted::NonzeroMultiples;
        let plain = if read <= self.decimals {
            self.has_multiple(self.scaled(remainder, zeros), self.decimals - read, self.modulus, nonzero)
        } else {
            significant <= self.decimals
                && !nonzero
                && self.scaled(remainder, self.decimals - significant) == 0
        };
        let scientific = lead == Lead::Digit && significant <= Self::SIGNIFICANT_FRACTION && {
            // Exponents take care of the prime factors of ten.
            let modulus = coprime_to_ten(self.modulus);
            match Self::SIGNIFICANT_FRACTION.checked_sub(read) {
                Some(left) => self.has_multiple(self.scaled(remainder, zeros), left, modulus, false),
                None => remainder.is_multiple_of(modulus),
            }
        };
        plain || scientific
    }

    /// Whether so many digits can be appended that make a multiple of `modulus`, which divides that of the
    /// residue; `nonzero`: digits of which one is not zero.
    fn has_multiple(self, remainder: u64, digits: u32, modulus: u64, nonzero: bool) -> bool {
        let Some(count) = 10u128.checked_pow(digits) else { return true };
        let shifted = multiply(remainder % modulus, power_of_ten(digits, modulus), modulus);
        let missing = (modulus - shifted) % modulus;
        let missing = if missing == 0 && nonzero { modulus } else { missing };
        u128::from(missing) < count
    }
}

/// The value from which on all exponents of this sign are alike.
fn greatest_exponent(least: i64, sign: Sign) -> i64 {
    match (least, sign) {
        (ALWAYS | NEVER, _) => 0,
        (_, Sign::Negative) => (1 - least).max(0),
        _ => least.max(0),
    }
}

fn signed(sign: Sign, value: i64) -> i64 {
    if sign == Sign::Negative { -value } else { value }
}

/// The greatest number that divides both.
pub(crate) fn greatest_common_divisor(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn multiply(a: u64, b: u64, modulus: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(modulus)) as u64
}

fn power_of_ten(mut exponent: u32, modulus: u64) -> u64 {
    let (mut power, mut base) = (1 % modulus, 10 % modulus);
    while exponent > 0 {
        if exponent % 2 == 1 {
            power = multiply(power, base, modulus);
        }
        base = multiply(base, base, modulus);
        exponent /= 2;
    }
    power
}

/// The modulus without its factors of two and five.
fn coprime_to_ten(mut modulus: u64) -> u64 {
    for prime in [2, 5] {
        while modulus.is_multiple_of(prime) {
            modulus /= prime;
        }
    }
    modulus
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::*;

    fn read(residue: Residue, text: &str) -> Option<Residue> {
        text.bytes().try_fold(residue, Residue::step)
    }

    #[test]
    fn multiples_are_matched_and_others_are_not() {
        let cases: &[(u64, u32, &str, &str)] = &[
            (1, 0, "0 7 10 1.0 1e3 1.50e1 0.0e-9 5E+07 0e5 1.2345678901234567890e30", "1.5 1.55e1 1e-1 0.1"),
            (3, 0, "0 3 12 3.00 1.2e1 3e5 99999999999999999999999", "1 3.3 1e1 1.2e0"),
            (1, 2, "0.01 1.25 3 1e-2 1.25e0", "0.001 1e-3 1.255 1.255e0"),
            (5, 1, "0.5 1e308 1.5 1.50 2", "0.25 0.1 5e-2"),
            (123_456_789, 9, "0.123456789 0", "1e308 0.12345678 1"),
            (1 << 63, 0, "9223372036854775808 1e63 0", "1e62 1"),
            (u64::MAX, 0, "18446744073709551615 36893488147419103230 1.8446744073709551615e19", "1"),
        ];
        for &(modulus, decimals, multiples, others) in cases {
            let of = |wanted| Residue::new(modulus, decimals, wanted).unwrap();
            for (texts, expected) in [(multiples, true), (others, false)] {
                for text in texts.split(' ') {
                    let matches = |wanted| read(of(wanted), text).is_some_and(Residue::is_nullable);
                    assert_eq!(matches(Wanted::Multiples), expected, "{text} of {modulus}e-{decimals}");
                    assert_eq!(matches(Wanted::Others), !expected, "{text} of {modulus}e-{decimals}");
                    let is_zero = text
                        .bytes()
                        .take_while(|byte| !b"eE".contains(byte))
                        .all(|byte| b"0.".contains(&byte));
                    assert_eq!(matches(Wanted::NonzeroMultiples), expected && !is_zero, "{text}");
                }
            }
        }
    }

    #[test]
    fn what_is_no_number_is_not_matched() {
        for wanted in [Wanted::Multiples, Wanted::NonzeroMultiples, Wanted::Others] {
            for text in
                ["", "01", "1.", ".5", "1e", "1e+", "10e1", "0.5e1", "1.e5", "-1", "1ee", "1e5.0", "1x"]
            {
                let residue = Residue::new(7, 1, wanted).unwrap();
                assert!(!read(residue, text).is_some_and(Residue::is_nullable), "{text}");
            }
        }
        assert_eq!(Residue::new(0, 3, Wanted::Multiples), None);
    }

    /// Explores all states of small residues and goes back from the matches.
    #[test]
    fn every_state_leads_to_a_match() {
        for (modulus, decimals) in [(1, 0), (6, 0), (7, 1), (25, 1), (3, 3)] {
            for wanted in [Wanted::Multiples, Wanted::NonzeroMultiples, Wanted::Others] {
                let start = Residue::new(modulus, decimals, wanted).unwrap();
                let mut before: HashMap<Residue, Vec<Residue>> = HashMap::from([(start, Vec::new())]);
                let mut open = vec![start];
                while let Some(state) = open.pop() {
                    for next in state.next_bytes().iter().filter_map(|byte| state.step(byte)) {
                        before.entry(next).or_insert_with(|| {
                            open.push(next);
                            Vec::new()
                        });
                        before.entry(next).or_default().push(state);
                    }
                }
                let mut open: Vec<Residue> =
                    before.keys().copied().filter(|state| state.is_nullable()).collect();
                let mut reaching: HashSet<Residue> = open.iter().copied().collect();
                while let Some(state) = open.pop() {
                    open.extend(before[&state].iter().filter(|&&earlier| reaching.insert(earlier)));
                }
                assert_eq!(reaching.len(), before.len(), "{wanted:?} of {modulus}e-{decimals}");
            }
        }
    }

    #[test]
    fn matches_are_no_nearer_than_said() {
        for (modulus, decimals, text, digits) in [
            (1_000_003, 0, "1", 6),
            (1_000_003, 0, "100000", 1),
            (1_000_003, 0, "1000003", 0),
            (7, 0, "1", 1),
            (7, 2, "0.0", 1),
            (1 << 40, 0, "1", 1),
            (11, 0, "1e", 1),
        ] {
            let state = read(Residue::nonzero_multiples(modulus, decimals).unwrap(), text);
            assert_eq!(state.map(Residue::shortest), (text != "1e").then_some(digits), "{text} of {modulus}");
        }
    }

    #[test]
    fn bytes_of_a_class_lead_to_the_same_state() {
        for text in ["", "1", "12", "1.2", "1.20", "1e", "1e-", "0"] {
            let state = read(Residue::new(5, 1, Wanted::Multiples).unwrap(), text).unwrap();
            for byte in 0..=255 {
                let class = state.class(byte);
                assert!(class.contains(byte));
                assert!(class.iter().all(|other| state.step(other) == state.step(byte)), "{text}");
            }
        }
    }
}
