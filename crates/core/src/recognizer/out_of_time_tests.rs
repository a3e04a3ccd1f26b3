//! That what looks far ahead within one expression ends with its step: it takes derivatives of which none may ever end.

use std::time::{Duration, Instant};

use super::automaton::Automaton;
use crate::budget::{Budget, Deadline};
use crate::error::{Error, Result};
use crate::expression::ExpressionStore;
use crate::grammar::{GrammarBuilder, PreparedGrammar};
use crate::vocabulary::{TokenId, Vocabulary};

const STEP: Duration = Duration::from_millis(20);

/// Asks an automaton something of its first state.
type Question = fn(&Automaton, &Deadline) -> Result<()>;

/// Texts of `a` and marks, a quote at their end, so many that are bounded beside counters that nest: each letter can be read at
/// any level, and so can the next, so that there are as many derivatives as paths through the levels.
fn nested(least: u32, most: Option<u32>, levels: u32, budget: &Budget) -> Automaton {
    let mut builder = GrammarBuilder::new(budget);
    let letter = builder.literal(b"a");
    let mark = builder.literal(b"-");
    let mark = builder.repetition(mark, 0, Some(1));
    let letters = (0..levels).fold(letter, |nested, _| {
        let marked = builder.concatenation(&[nested, mark]);
        builder.repetition(marked, 0, Some(2))
    });
    let character = builder.any_character();
    let bounded = builder.repetition(character, least, most);
    let text = builder.intersection(&[letters, bounded]).unwrap();
    let end = builder.literal(b"\"");
    let body = builder.concatenation(&[text, end]);
    let start = builder.declare_rule("start");
    builder.define_rule(start, body);
    let grammar = builder.finish(start).unwrap();
    let tokens = [&b"a"[..], b"-", b"\""].map(|text| Some(text.to_vec()));
    let tokens = tokens.into_iter().chain([None]).collect();
    let vocabulary = Vocabulary::new(tokens, vec![], vec![TokenId(3)], 4).unwrap();
    let ample = Budget::default();
    let prepared = PreparedGrammar::new(&grammar, &vocabulary, &ample, true).unwrap();
    Automaton::new(prepared, budget, 8, vocabulary.alphabet(), true).unwrap()
}

/// What is asked, and the bounds beside which it takes what comes after the next letters.
const QUESTIONS: [(&str, Question, u32, Option<u32>); 3] = [
    (
        "clamp",
        |automaton, deadline| automaton.canonical(automaton.start(), deadline).map(drop),
        0,
        Some(1000),
    ),
    (
        "unbounded",
        |automaton, deadline| {
            automaton.unbounded(automaton.start(), &Vocabulary::of_bytes(), deadline).map(drop)
        },
        0,
        Some(1000),
    ),
    (
        "stretch",
        |automaton, deadline| {
            let start = automaton.start();
            let longer = ExpressionStore::without_least_length_at_head;
            automaton.unconditioned_stretch(start, longer, deadline).map(drop)
        },
        5,
        None,
    ),
];

#[test]
fn what_looks_far_ahead_ends_with_its_step() {
    let budget = Budget { step_time: STEP, ..Budget::default() };
    for (name, ask, least, most) in QUESTIONS {
        let automaton = nested(least, most, 30, &budget);
        let begun = Instant::now();
        let error = ask(&automaton, &Deadline::for_step(&budget)).unwrap_err();
        assert!(matches!(error, Error::BudgetExceeded { budget: "step_time", .. }), "{name}: {error}");
        assert!(begun.elapsed() < 50 * STEP, "{name}: {:?}", begun.elapsed());
        // Nothing is computed from what was broken off.
        assert_eq!(ask(&automaton, &Deadline::for_step(&budget)), Err(Error::BrokenOff), "{name}");
    }
}

#[test]
fn what_is_soon_known_is_told() {
    let budget = Budget::default();
    for (name, ask, least, most) in QUESTIONS {
        let automaton = nested(least, most, 3, &budget);
        assert_eq!(ask(&automaton, &Deadline::for_step(&budget)), Ok(()), "{name}");
    }
}
