//! Several residues at once: whether what is read can become a number that all of them want.
//!
//! Digits may be appended as one likes. With enough of them, the integers that begin with those read reach every
//! remainder by any period. What a combination of residues says of an integer depends on those of their divisors that
//! divide it, and they divide their least common multiple, too. So it is asked of the least common multiples of some of
//! them. A search would meet a state for each remainder by the period of all, and there are millions of those.

use smallvec::SmallVec;

use super::{Lead, Position, Residue, Wanted, greatest_common_divisor};
use crate::expression::{ByteSet, Expression, ExpressionId, ExpressionStore};

/// More residues, or more common multiples of them, are left to searches.
const MOST: usize = 64;

type Residues = SmallVec<[Residue; 8]>;

impl ExpressionStore {
    /// Whether an expression is an intersection of residues, or of alternatives and intersections of them, that is known
    /// to match some integer over an alphabet. All residues in an intersection have read the same text.
    pub(in crate::expression) fn matches_an_integer(&self, id: ExpressionId, alphabet: &ByteSet) -> bool {
        let is_spelled = ByteSet::range(b'0', b'9').difference(alphabet).is_empty()
            && (alphabet.contains(b'e') || alphabet.contains(b'E'));
        let mut residues = Residues::new();
        is_spelled
            && self.add_residues(id, &mut residues)
            && common_multiples(&residues).is_some_and(|multiples| {
                multiples.into_iter().any(|multiple| self.matches_multiple(id, multiple))
            })
    }

    /// Adds the residues that an expression is made of; `false` where it is made of something else, too.
    fn add_residues(&self, id: ExpressionId, residues: &mut Residues) -> bool {
        match self.get(id) {
            Expression::Residue(residue) => {
                residues.push(self.residue_of(residue));
                residues.len() <= MOST
            }
            Expression::Intersection(list) | Expression::Alternatives(list) => {
                self.list(list).iter().all(|&operand| self.add_residues(operand, residues))
            }
            _ => false,
        }
    }

    /// Whether residues match the integers that are divided by those of their divisors that divide this one.
    fn matches_multiple(&self, id: ExpressionId, multiple: u128) -> bool {
        match self.get(id) {
            Expression::Residue(residue) => {
                let residue = self.residue_of(residue);
                let is_multiple = multiple.is_multiple_of(residue.divisor_of_integers());
                is_multiple == (residue.wanted != Wanted::Others)
            }
            Expression::Intersection(list) => {
                self.list(list).iter().all(|&operand| self.matches_multiple(operand, multiple))
            }
            Expression::Alternatives(list) => {
                self.list(list).iter().any(|&operand| self.matches_multiple(operand, multiple))
            }
            _ => false,
        }
    }
}

/// The least common multiples of some of the divisors whose multiples are wanted; `None` where it is not known whether
/// all remainders can be reached by appending digits, for one because the period does not fit in 128 bits.
fn common_multiples(residues: &[Residue]) -> Option<SmallVec<[u128; 8]>> {
    let (mut period, mut digits) = (1, u32::MAX);
    let mut multiples: SmallVec<[u128; 8]> = SmallVec::from_iter([1]);
    for residue in residues {
        let divisor = residue.divisor_of_integers();
        period = least_common_multiple(period, divisor)?;
        digits = digits.min(residue.digits_to_append()?);
        if residue.wanted == Wanted::Others {
            continue;
        }
        for at in 0..multiples.len() {
            let multiple = least_common_multiple(multiples[at], divisor)?;
            if !multiples.contains(&multiple) {
                multiples.push(multiple);
            }
        }
        if multiples.len() > MOST {
            return None;
        }
    }
    let is_reached = digits == u32::MAX || 10u128.checked_pow(digits)? >= period;
    is_reached.then_some(multiples)
}

impl Residue {
    /// How many digits can follow those that are read, in a number that is not zero and may be written as an integer;
    /// [`u32::MAX`] for any number of them, and `None` where that is left open.
    fn digits_to_append(self) -> Option<u32> {
        match self.position {
            Position::Start | Position::Whole { lead: Lead::Digit | Lead::Longer, .. } => Some(u32::MAX),
            // What is a fraction without an exponent is an integer with one that is as great as there are digits.
            Position::Fraction { lead: Lead::Digit, significant, zeros, .. } => {
                Self::SIGNIFICANT_FRACTION.checked_sub(significant + zeros)
            }
            _ => None,
        }
    }

    /// The integers that are multiples are the multiples of this one.
    fn divisor_of_integers(self) -> u128 {
        let mut divisor = u128::from(self.modulus);
        for _ in 0..self.decimals.min(u64::BITS) {
            divisor /= greatest_common_divisor(divisor, 10);
        }
        divisor
    }
}

fn least_common_multiple(a: u128, b: u128) -> Option<u128> {
    (a / greatest_common_divisor(a, b)).checked_mul(b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::{Budget, Deadline};
    use crate::expression::Emptiness;
    use crate::expression::match_search::MatchSearch;

    const DIVISORS: [(u64, u32); 12] =
        [(1, 0), (2, 0), (3, 0), (4, 0), (6, 0), (7, 0), (12, 0), (5, 1), (4, 1), (15, 2), (35, 0), (8, 3)];

    /// The intersection of one residue for each divisor, after a text; `None` where nothing is left of one of them.
    fn after(store: &mut ExpressionStore, residues: &[Residue], text: &str) -> Option<ExpressionId> {
        let mut operands = Vec::new();
        for &residue in residues {
            let left = text.bytes().try_fold(residue, Residue::step)?;
            operands.push(store.residue(left));
        }
        Some(store.intersection(&operands))
    }

    /// Whether an expression matches something; `None` where that takes long to find.
    fn search(store: &mut ExpressionStore, start: ExpressionId) -> Option<bool> {
        let mut search = MatchSearch::new(store, start);
        while let Some(met) = search.next() {
            if store.is_nullable(met.expression) {
                return Some(true);
            }
            if search.work() > 4_000 {
                return None;
            }
            search.go_on(met, &ByteSet::ALL, store, |_| true);
        }
        Some(false)
    }

    #[test]
    fn what_is_known_to_have_a_match_has_one() {
        let (mut known, mut searched) = (0, 0);
        for &(one, other, denied, also_denied) in &[
            (0, 1, 3, 5),
            (1, 2, 6, 3),
            (2, 5, 4, 10),
            (7, 8, 6, 9),
            (9, 0, 11, 1),
            (0, 2, 2, 5),
            (5, 1, 7, 2),
        ] {
            let new = |at: usize, make: fn(u64, u32) -> Option<Residue>| {
                make(DIVISORS[at].0, DIVISORS[at].1).unwrap()
            };
            let residues = [
                new(one, Residue::multiples),
                new(other, Residue::nonzero_multiples),
                new(denied, Residue::others),
                new(also_denied, Residue::others),
            ];
            for text in
                ["", "0", "7", "70", "9.", "9.5", "9.0", "0.5", "70.5", "9.12345678901234567", "1e", "1e2"]
            {
                let mut store = ExpressionStore::new();
                let Some(all) = after(&mut store, &residues, text) else { continue };
                let is_known = store.matches_an_integer(all, &ByteSet::ALL);
                known += u32::from(is_known);
                if let Some(is_alive) = search(&mut store, all) {
                    assert!(is_alive || !is_known, "{residues:?} after {text:?}");
                    let is_whole = text.bytes().all(|byte| byte.is_ascii_digit()) && text != "0";
                    let has_decimals = residues.iter().any(|residue| residue.decimals > 0);
                    assert!(
                        is_known || !is_alive || !is_whole || has_decimals,
                        "{residues:?} after {text:?}"
                    );
                    searched += 1;
                }
            }
        }
        assert!(known > 20 && searched > 30, "{known} {searched}");
    }

    #[test]
    fn combinations_are_known_to_match_where_some_integer_is_right() {
        let mut store = ExpressionStore::new();
        let mut new = |modulus, is_wanted: bool| {
            let make = if is_wanted { Residue::multiples } else { Residue::others };
            store.residue(make(modulus, 0).unwrap())
        };
        let [six, ten, not_two, not_three, not_four, not_five] =
            [(6, true), (10, true), (2, false), (3, false), (4, false), (5, false)]
                .map(|(modulus, is_wanted)| new(modulus, is_wanted));
        let either = store.alternatives(&[six, ten]);
        for (others, is_known) in [
            (vec![not_four], true),
            (vec![not_three], true),
            (vec![not_four, not_five], true),
            (vec![not_two], false),
            (vec![not_three, not_five], false),
            (vec![six, not_five], true),
            (vec![six, ten, not_four], true),
        ] {
            let all = store.intersection(&[others, vec![either]].concat());
            assert_eq!(store.matches_an_integer(all, &ByteSet::ALL), is_known);
            assert_ne!(search(&mut store, all), Some(!is_known));
        }
        let word = store.literal(b"12");
        let both = store.intersection(&[word, six]);
        assert!(!store.matches_an_integer(both, &ByteSet::ALL), "it is not made of residues alone");
    }

    #[test]
    fn a_great_period_takes_no_search() {
        let budget = Budget { emptiness: 10, ..Budget::default() };
        let (mut store, deadline) = (ExpressionStore::new(), Deadline::for_compile(&budget));
        let primes = [999_983, 999_979, 999_961];
        let mut residues = primes.map(|prime| Residue::others(prime, 0).unwrap()).to_vec();
        residues.push(Residue::multiples(999_959, 0).unwrap());
        for (text, is_alive) in [("", true), ("12", true), ("1.5", false)] {
            let all = after(&mut store, &residues, text).unwrap();
            let verdict = Emptiness::new(ByteSet::ALL, &budget).is_alive(&mut store, all, &deadline);
            assert_eq!(verdict == Ok(true), is_alive, "{text}");
        }
    }
}
