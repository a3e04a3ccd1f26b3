//! Remainders that are alike, whatever digits follow.
//!
//! The digits read so far have a remainder `w` by the modulus `m`, and after `k` more the number is a multiple if these are
//! the ones that are missing, `-w * 10^k mod m`. So long as no `k` digits are that many, nothing is told of `w`, and from
//! the first `k` at which there are, `w` counts only as far as `w * 10^k` tells. Of a thousand, that leaves how many zeros
//! the digits end in: four remainders in place of a thousand.

use super::{greatest_common_divisor, multiply};

/// The simplest remainder that leads to multiples of the modulus by the same digits as the given one, which is less than
/// the modulus. Of alike remainders all but few have the same.
pub(super) fn simplest(remainder: u64, modulus: u64) -> u64 {
    /// So many are tried.
    const MOST_TRIED: u64 = 16;
    if !modulus.is_multiple_of(2) && !modulus.is_multiple_of(5) {
        return remainder;
    }
    let Some((digits, power)) = least_digits(remainder, modulus) else { return remainder };
    let step = u128::from(modulus) / greatest_common_divisor(power, u128::from(modulus));
    let first = u128::from(remainder) % step;
    (0..u128::from(MOST_TRIED))
        .map(|tried| first + tried * step)
        .take_while(|&other| other < u128::from(remainder))
        .map(|other| other as u64)
        .find(|&other| least_digits(other, modulus).is_some_and(|(least, _)| least == digits))
        .unwrap_or(remainder)
}

/// How many digits have to be appended at least to make a multiple, with that power of ten; `None` where they are many.
fn least_digits(remainder: u64, modulus: u64) -> Option<(u32, u128)> {
    let mut missing = (modulus - remainder) % modulus;
    let mut power = 1;
    for digits in 0..=20 {
        if u128::from(missing) < power {
            return Some((digits, power));
        }
        missing = multiply(missing, 10, modulus);
        power *= 10;
    }
    None
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    /// The digits that are missing, for each number of them; `None` where no so many digits are.
    fn missing(remainder: u64, modulus: u64) -> Vec<Option<u128>> {
        let (modulus, remainder) = (u128::from(modulus), u128::from(remainder));
        (0..19)
            .map(|digits| 10u128.pow(digits))
            .map(|power| Some((modulus - remainder * power % modulus) % modulus).filter(|&left| left < power))
            .collect()
    }

    #[test]
    fn only_remainders_that_the_same_digits_complete_are_alike() {
        for modulus in (1..300).chain([500, 1000, 1024, 3000, 3125, 4096, 10_000]) {
            let mut simplest_of: BTreeMap<Vec<Option<u128>>, BTreeSet<u64>> = BTreeMap::new();
            for remainder in 0..modulus {
                let simple = simplest(remainder, modulus);
                let missing_of = missing(remainder, modulus);
                assert_eq!(missing(simple, modulus), missing_of, "{remainder} {simple} mod {modulus}");
                assert_eq!(simplest(simple, modulus), simple, "{remainder} mod {modulus}");
                simplest_of.entry(missing_of).or_default().insert(simple);
            }
            let alike: usize = simplest_of.values().map(BTreeSet::len).sum();
            assert_eq!(alike, simplest_of.len(), "all that are alike, of {modulus}");
        }
    }

    #[test]
    fn of_a_power_of_ten_the_zeros_at_the_end_count() {
        for zeros in 1..=19 {
            let modulus = 10u64.pow(zeros);
            let sevens = 7_777_777_777_777_777_777 % modulus;
            let all: BTreeSet<u64> =
                (0..zeros).map(|at| simplest(sevens / 10u64.pow(at) * 10u64.pow(at), modulus)).collect();
            assert_eq!(all, (0..zeros).map(|at| 10u64.pow(at)).collect(), "{modulus}");
        }
    }

    #[test]
    fn the_greatest_moduli_overflow_nothing() {
        for modulus in [u64::MAX, u64::MAX - 1, 1 << 63, 10_u64.pow(19)] {
            for remainder in [0, 1, modulus / 3, modulus - 1] {
                assert_eq!(missing(simplest(remainder, modulus), modulus), missing(remainder, modulus));
            }
        }
    }
}
