//! How long the strings of a regular expression are, as far as that shows in its structure.
//!
//! A pattern beside bounds of length is an intersection, and to find a string in it takes a search. Most patterns
//! plainly have strings of a length within the bounds; then the search is spared.

use std::ops::RangeInclusive;

use smallvec::SmallVec;

use crate::expression::{ByteSet, Expression, ExpressionId, ExpressionStore, LiteralRange};
use crate::spelling::{begins_character, character_count};

/// How deep operands are followed.
const DEEPEST: usize = 50;

/// Lengths in code points, the first and the last, of which every one between is the length of some match.
/// `None` where none is known. The expression matches nothing but UTF-8.
///
/// Some matches may be shorter or longer: the lengths are those that are plain to see. Takes time in proportion
/// to the size of the expression.
pub(super) fn plain_lengths(store: &ExpressionStore, id: ExpressionId) -> Option<RangeInclusive<u64>> {
    let (least, most) = lengths(store, id, DEEPEST)?;
    Some(least..=most)
}

/// No match has more characters than this; `None` where that does not show, or would take long to see. The expression
/// matches nothing but UTF-8.
pub(super) fn most_characters(store: &ExpressionStore, id: ExpressionId) -> Option<u64> {
    /// Parts of an expression stand in several places, and are looked at in each.
    const MOST_PARTS: u32 = 4_000;
    most_within(store, id, DEEPEST, &mut { MOST_PARTS })
}

fn most_within(store: &ExpressionStore, id: ExpressionId, depth: usize, parts: &mut u32) -> Option<u64> {
    let depth = depth.checked_sub(1)?;
    *parts = parts.checked_sub(1)?;
    match store.get(id) {
        Expression::Nothing | Expression::Empty => Some(0),
        Expression::Bytes(set) => Some(store.byte_set(set).iter().any(begins_character).into()),
        Expression::Literals(range) => {
            *parts = parts.checked_sub(range.end - range.first)?;
            characters_of(store, range).max()
        }
        Expression::Concatenation(..) => {
            let (mut at, mut most) = (id, 0u64);
            while let Expression::Concatenation(head, tail) = store.get(at) {
                most = most.saturating_add(most_within(store, head, depth, parts)?);
                at = tail;
            }
            Some(most.saturating_add(most_within(store, at, depth, parts)?))
        }
        Expression::Alternatives(list) => store.list(list).iter().try_fold(0, |most, &operand| {
            most_within(store, operand, depth, parts).map(|characters| characters.max(most))
        }),
        Expression::Intersection(list) => {
            let operands = store.list(list).iter();
            operands.filter_map(|&operand| most_within(store, operand, depth, parts)).min()
        }
        Expression::Repetition { body, maximum, .. } => match most_within(store, body, depth, parts)? {
            0 => Some(0),
            _ if maximum == ExpressionStore::UNBOUNDED => None,
            most => Some(most.saturating_mul(maximum.into())),
        },
        _ => None,
    }
}

/// The number of characters that is left of each of some strings.
fn characters_of(store: &ExpressionStore, range: LiteralRange) -> impl Iterator<Item = u64> {
    store.literals_of(range).map(move |text| character_count(&text[range.depth as usize..]) as u64)
}

fn lengths(store: &ExpressionStore, id: ExpressionId, depth: usize) -> Option<(u64, u64)> {
    let depth = depth.checked_sub(1)?;
    match store.get(id) {
        Expression::Empty => Some((0, 0)),
        Expression::Bytes(set) => {
            // Each code point has one byte that does not continue another.
            let continuation = ByteSet::range(0x80, 0xBF);
            let set = store.byte_set(set);
            if set.difference(&continuation).is_empty() {
                return Some((0, 0));
            }
            set.intersection(&continuation).is_empty().then_some((1, 1))
        }
        Expression::Literals(range) => {
            let lengths = characters_of(store, range);
            widest(lengths.map(|length| (length, length)).collect())
        }
        Expression::Concatenation(..) => {
            let (mut at, mut least, mut most) = (id, 0u64, 0u64);
            loop {
                let (head, tail) = match store.get(at) {
                    Expression::Concatenation(head, tail) => (head, Some(tail)),
                    _ => (at, None),
                };
                let (shortest, longest) = lengths(store, head, depth)?;
                (least, most) = (least.saturating_add(shortest), most.saturating_add(longest));
                match tail {
                    Some(tail) => at = tail,
                    None => return Some((least, most)),
                }
            }
        }
        Expression::Alternatives(list) => {
            let operands = store.list(list).iter();
            widest(operands.filter_map(|&operand| lengths(store, operand, depth)).collect())
        }
        Expression::Repetition { body, minimum, maximum } => {
            let maximum = if maximum == ExpressionStore::UNBOUNDED { u64::MAX } else { maximum.into() };
            repeated(lengths(store, body, depth)?, minimum.into(), maximum)
        }
        _ => None,
    }
}

/// The widest of the ranges that the given ones make together.
fn widest(mut ranges: SmallVec<[(u64, u64); 8]>) -> Option<(u64, u64)> {
    ranges.sort_unstable();
    let mut joined: SmallVec<[(u64, u64); 8]> = SmallVec::new();
    for (least, most) in ranges {
        match joined.last_mut() {
            Some((_, end)) if least <= end.saturating_add(1) => *end = most.max(*end),
            _ => joined.push((least, most)),
        }
    }
    joined.into_iter().max_by_key(|&(least, most)| most - least)
}

/// The lengths of so many rounds of a body, those left out that are not next to others.
fn repeated((least, most): (u64, u64), minimum: u64, maximum: u64) -> Option<(u64, u64)> {
    // From so many rounds on, one more begins where the rounds before end, or earlier.
    let joined_from = match most - least {
        _ if least <= 1 => 0,
        0 => u64::MAX,
        width => (least - 1).div_ceil(width),
    };
    let from = if joined_from <= maximum { joined_from.max(minimum) } else { minimum };
    let to = if joined_from <= maximum { maximum } else { minimum };
    Some((from.saturating_mul(least), to.saturating_mul(most)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::{Budget, Deadline};
    use crate::expression::Emptiness;
    use crate::frontend::json_schema::string::pattern_options;
    use crate::frontend::regex::{ClassCache, compile_expression};
    use crate::grammar::GrammarBuilder;

    /// Every length that is said to be plain is one that a search finds, and none beyond those that are said to be left out.
    #[test]
    fn the_search_agrees_about_every_plain_length() {
        let patterns = [
            "^a{3}$",
            "^[a-z]{2,5}$",
            "abc",
            "^(ab)*$",
            "^(abc|de)+$",
            "^(a{3,4})*$",
            "^(a{3,4}){2,3}b?$",
            "^é?日{2}$",
            "^(x|yyy)$",
            "^$",
            "^.*$",
            "^(a{5}|b{7}){0,2}$",
            "^[^a]{4}$",
            "\\d+-\\d{2}",
            "^(?:a|bb|cccc){2}$",
            "^(\\w{3}){3,}$",
        ];
        let (budget, mut classes) = (Budget::default(), ClassCache::default());
        let deadline = Deadline::for_compile(&budget);
        for pattern in patterns {
            let mut builder = GrammarBuilder::over(&budget, ExpressionStore::new());
            let built = compile_expression(pattern, &pattern_options(), &budget, &mut classes, &mut builder);
            let id = built.unwrap();
            let mut store = builder.into_expressions();
            let Some(plain) = plain_lengths(&store, id) else { panic!("{pattern} is plain") };
            let fewest = u64::from(store.fewest_characters(id));
            let most = most_characters(&store, id);
            assert_eq!(most.is_none(), *plain.end() == u64::MAX, "{pattern}");
            for length in 0..20 {
                let character = store.any_character();
                let within = store.repetition(character, length, Some(length));
                let both = store.intersection(&[id, within]);
                let mut emptiness = Emptiness::new(ByteSet::ALL, &budget);
                let found = emptiness.is_alive_content(&mut store, both, &deadline).unwrap();
                let length = u64::from(length);
                assert!(found || !plain.contains(&length), "{pattern} {length} {plain:?}");
                let may_be = length >= fewest && most.is_none_or(|most| length <= most);
                assert!(may_be || !found, "{pattern} {length} {fewest} {most:?}");
            }
        }
    }
}
