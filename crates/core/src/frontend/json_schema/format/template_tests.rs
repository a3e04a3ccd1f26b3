//! Formats that are taken in, against formats that are written.

use std::collections::BTreeSet;
use std::hash::BuildHasher;

use rustc_hash::FxBuildHasher;

use super::tests::Language;
use super::*;
use crate::expression::{Description, Expression, ExpressionStore, Part};

/// A format as it is written, and not taken in.
fn write(at: usize, budget: &Budget, builder: &mut GrammarBuilder) -> Result<ExpressionId> {
    let (name, write) = FORMATS[at];
    Languages { budget, classes: &mut ClassCache::default(), builder }.named(name, write)
}

/// Stores that hold something: what is to be compared must not depend on it.
fn stores_with_something(at: usize) -> Vec<GrammarBuilder> {
    let budget = Budget::default();
    let mut empty = GrammarBuilder::new(&budget);
    let mut known = empty.clone();
    known.any_character();
    let mut digits = empty.clone();
    for first in (0..10).rev() {
        digits.bytes(ByteSet::range(b'0' + first, b'9'));
        digits.literal(&[b'0' + first, b'0']);
    }
    // All parts in another order, those that are needed last first.
    let mut whole = empty.clone();
    write(at, &budget, &mut whole).unwrap();
    let whole = whole.into_expressions();
    let mut backwards = empty.clone();
    let mut here = vec![None; whole.len()];
    for id in whole.ids().rev() {
        copy_backwards(&whole, id, &mut backwards, &mut here);
    }
    let others = FORMATS.len();
    let mut all = empty.clone();
    for other in (at + 1..at + others).map(|other| other % others) {
        write(other, &budget, &mut all).unwrap();
    }
    empty.literal(b"text");
    vec![GrammarBuilder::new(&budget), empty, known, digits, backwards, all]
}

/// Copies an expression, its last operands first.
fn copy_backwards(
    source: &ExpressionStore,
    id: ExpressionId,
    target: &mut GrammarBuilder,
    here: &mut [Option<ExpressionId>],
) -> ExpressionId {
    if let Some(known) = here[id.index()] {
        return known;
    }
    let mut operands: Vec<ExpressionId> = source.operands(id).to_vec();
    operands.iter_mut().rev().for_each(|operand| *operand = copy_backwards(source, *operand, target, here));
    let copy = match source.get(id) {
        Expression::Nothing => ExpressionStore::NOTHING,
        Expression::Empty => ExpressionStore::EMPTY,
        Expression::Bytes(set) => target.bytes(*source.byte_set(set)),
        Expression::Literals(range) => {
            target.literals(source.literals_of(range).map(<[u8]>::to_vec).collect())
        }
        Expression::Concatenation(..) => target.concatenation(&operands),
        Expression::Alternatives(_) => target.alternatives(&operands),
        Expression::Repetition { minimum, maximum, .. } => {
            let maximum = (maximum != ExpressionStore::UNBOUNDED).then_some(maximum);
            target.repetition(operands[0], minimum, maximum)
        }
        Expression::Intersection(_) => target.intersection(&operands).unwrap(),
        Expression::Complement(_) => target.complement(operands[0]).unwrap(),
        other => panic!("{other:?} is in no format"),
    };
    here[id.index()] = Some(copy);
    copy
}

#[test]
fn a_format_that_is_taken_in_is_as_it_is_written() {
    let budget = Budget::default();
    for (at, (name, _)) in FORMATS.iter().enumerate() {
        let template = template(at).unwrap_or_else(|| panic!("{name} is made of bytes"));
        for (which, mut builder) in stores_with_something(at).into_iter().enumerate() {
            let mut written = builder.clone();
            let taken = builder.take_in(template);
            let size = builder.expressions().len();
            // Once more is the same.
            assert_eq!(builder.take_in(template), taken, "{name} {which}");
            assert_eq!(builder.expressions().len(), size, "{name} {which}");
            assert_eq!(write(at, &budget, &mut builder).unwrap(), taken, "{name} {which}");
            let expected = write(at, &budget, &mut written).unwrap();
            assert!(size <= written.expressions().len(), "{name} {which}");
            assert_eq!(told(&builder)[taken.index()], told(&written)[expected.index()], "{name} {which}");
            // And the other way round.
            assert_eq!(written.take_in(template), expected, "{name} {which}");
        }
    }
}

/// So that what a schema asks for beside a format makes no difference to what of it is found in pools.
#[test]
fn what_is_left_of_a_format_is_told_alike_whatever_was_written_before() {
    let budget = Budget::default();
    let told = |at: usize, text: &str, others: &[usize]| {
        let mut builder = GrammarBuilder::new(&budget);
        let mut take = |at: usize| {
            let (name, _) = FORMATS[at];
            format_language(name, &budget, &mut ClassCache::default(), &mut builder).unwrap().unwrap()
        };
        for &other in others {
            take(other);
        }
        let whole = take(at);
        let left = Language { store: builder.into_expressions(), expression: whole }.after(text);
        let mut labels = BTreeSet::new();
        let (mut waiting, mut seen) = (vec![left.expression], BTreeSet::new());
        while let Some(id) = waiting.pop() {
            if !seen.insert(id) {
                continue;
            }
            let mut description = Description::default();
            left.store.describe(id, &mut description);
            waiting.extend(description.parts.iter().map(|part| match *part {
                Part::Expression(id) => id,
                other => panic!("{other:?} is no part of a format"),
            }));
            labels.insert(description.labels);
        }
        labels
    };
    for (name, text) in [
        ("date", "20"),
        ("date-time", "2026-"),
        ("date-time", "2026-01-01T12"),
        ("email", "a"),
        ("email", "a@b"),
        ("hostname", "www.a"),
        ("ipv6", "12"),
        ("ipv6", "12::"),
        ("iri", "http://a"),
        ("time", "12:"),
        ("uri", "http"),
        ("uri", "http://a"),
        ("uri-reference", "//"),
        ("uuid", "01"),
    ] {
        let at = FORMATS.binary_search_by_key(&name, |&(known, _)| known).unwrap();
        let others: Vec<usize> = (0..FORMATS.len()).filter(|&other| other != at).collect();
        let backwards: Vec<usize> = others.iter().rev().copied().collect();
        let alone = told(at, text, &[]);
        assert_eq!(told(at, text, &others), alone, "{name} {text}");
        assert_eq!(told(at, text, &backwards), alone, "{name} {text}");
    }
}

#[test]
fn a_budget_that_ends_the_writing_of_a_format_ends_it_still() {
    let ample = Budget::default();
    let mut budgets: Vec<Budget> = Vec::new();
    for exponent in 0..6 {
        let bound = (1 << (3 * exponent)) - 1;
        budgets.push(Budget { expressions: bound, ..Budget::default() });
        budgets.push(Budget { grammar_bytes: bound, ..Budget::default() });
        budgets.push(Budget { nesting: bound, ..Budget::default() });
    }
    let mut ended = 0;
    for (at, (name, _)) in FORMATS.iter().enumerate() {
        for budget in &budgets {
            let mut builder = GrammarBuilder::new(budget);
            builder.literal(b"text");
            let mut other = builder.clone();
            let written = write(at, budget, &mut other).map_err(|error| error.to_string());
            let taken = format_language(name, budget, &mut ClassCache::default(), &mut builder)
                .map_err(|error| error.to_string());
            ended += usize::from(written.is_err());
            assert_eq!(written.as_ref().err(), taken.as_ref().err(), "{name} {budget:?}");
            // Nothing is broken by it.
            let again = write(at, &ample, &mut builder).unwrap();
            assert_eq!(write(at, &ample, &mut builder).unwrap(), again, "{name}");
            let language = template(at).map(|template| builder.take_in(template));
            assert_eq!(language, Some(again), "{name} {budget:?}");
        }
    }
    assert!(ended > 50, "{ended}");
}

#[test]
fn what_formats_need_at_most_is_enough_to_write_them() {
    let budget = Budget { grammar_bytes: LONGEST_PATTERN, nesting: DEEPEST, ..Budget::default() };
    for (at, (name, _)) in FORMATS.iter().enumerate() {
        let size = template(at).map_or(0, Template::size);
        let budget = Budget { expressions: size, ..budget.clone() };
        let mut builder = GrammarBuilder::new(&budget);
        let written = write(at, &budget, &mut builder);
        assert!(written.is_ok_and(|written| builder.expressions().height(written) <= DEEPEST), "{name}");
    }
}

#[test]
fn threads_that_ask_for_a_format_at_once_get_the_same() {
    let take = || {
        let mut builder = GrammarBuilder::new(&Budget::default());
        let taken = FORMATS.map(|(name, _)| {
            let budget = Budget::default();
            format_language(name, &budget, &mut ClassCache::default(), &mut builder).unwrap()
        });
        (taken, builder.expressions().size())
    };
    let all = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(take)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    assert!(all.windows(2).all(|pair| pair[0] == pair[1]));
}

/// A number for each expression of a store, which follows from what it says and what is known of it, whatever its id.
fn told(builder: &GrammarBuilder) -> Vec<u64> {
    let store = builder.expressions();
    let mut told: Vec<u64> = Vec::with_capacity(store.len());
    for id in store.ids() {
        let mut description = Description::default();
        store.describe(id, &mut description);
        let mut operands: Vec<u64> = store.operands(id).iter().map(|operand| told[operand.index()]).collect();
        if matches!(store.get(id), Expression::Alternatives(_) | Expression::Intersection(_)) {
            operands.sort_unstable();
        }
        let flags =
            [store.is_text(id), store.is_nullable(id), store.has_boolean(id), store.is_open_ended(id)];
        let first = store.first_bytes(id);
        told.push(FxBuildHasher.hash_one((description.labels, flags, store.height(id), first, operands)));
    }
    told
}
