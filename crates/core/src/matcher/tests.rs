use std::time::Duration;

use super::*;
use crate::budget::Budget;
use crate::frontend;
use crate::vocabulary::Vocabulary;

/// A constraint to the text `aaa`, over a vocabulary of this character.
fn three() -> Arc<Constraint> {
    let tokens = vec![Some(b"a".to_vec()), None];
    let vocabulary = Arc::new(Vocabulary::new(tokens, Vec::new(), vec![TokenId(1)], 2).unwrap());
    let budget = Budget::default();
    let grammar = frontend::choice::compile(&["aaa".to_owned()], &budget).unwrap();
    Arc::new(Constraint::compile(&grammar, &vocabulary, &budget).unwrap())
}

#[test]
fn reading_a_text_again_takes_the_time_of_a_compile_at_most() {
    let constraint = three();
    let mut matcher = Matcher::new(&constraint);
    assert_eq!(matcher.accept_tokens(&[TokenId(0); 2]).unwrap(), 2);
    let mut moved = Matcher::new(&constraint);
    let no_time = Budget { compile_time: Duration::ZERO, ..Budget::default() };
    let deadline = Deadline::for_compile(&no_time);
    std::thread::sleep(Duration::from_millis(1));
    let error = moved.read_again(&matcher.at.step, &deadline).unwrap_err();
    assert!(matches!(error, Error::BudgetExceeded { budget: "compile_time", .. }), "{error}");
    moved.reset();
    moved.read_again(&matcher.at.step, &Deadline::for_compile(constraint.budget())).unwrap();
    assert_eq!(moved.step_count(), 2);
}

/// Brings matchers of a constraint to the beginning in all ways.
fn at_the_beginning(constraint: &Arc<Constraint>) -> Vec<Matcher> {
    let ways: [fn(&mut Matcher); 10] = [
        |_| {},
        |matcher| matcher.fill_mask(&mut [0]).unwrap(),
        |matcher| assert!(!matcher.accept(TokenId(1)).unwrap()),
        |matcher| assert!(matcher.accept(TokenId(7)).is_err()),
        |matcher| assert_eq!(matcher.validate(&[TokenId(0); 2]).unwrap(), 2),
        |matcher| assert!(matcher.accept_tokens(&[TokenId(0), TokenId(7)]).is_err()),
        |matcher| {
            assert!(matcher.accept(TokenId(0)).unwrap());
            matcher.fill_mask(&mut [0]).unwrap();
            matcher.rollback(1).unwrap();
        },
        |matcher| {
            assert!(matcher.accept_bytes(b"aa").unwrap());
            matcher.fill_mask(&mut [0]).unwrap();
            matcher.reset();
        },
        |matcher| assert_eq!(matcher.forced_tokens(2).unwrap().len(), 2),
        |matcher| {
            assert!(!matcher.allowed_bytes().unwrap().is_empty() && matcher.expected().unwrap().len() == 1);
        },
    ];
    let matchers = (0..100).map(|at| {
        let mut matcher = Matcher::new(constraint);
        ways[at % ways.len()](&mut matcher);
        matcher
    });
    matchers.collect()
}

#[test]
fn matchers_at_the_beginning_keep_nothing_alive_that_a_constraint_has_left() {
    let constraint = three();
    let waiting = at_the_beginning(&constraint);
    let mut reading = Matcher::new(&constraint);
    assert!(reading.accept(TokenId(0)).unwrap());
    let left = Arc::downgrade(&constraint.generation());
    assert!(constraint.generation_after(&constraint.generation()).unwrap().1);
    assert_eq!(left.strong_count(), 1, "one reads on where it is");
    drop(reading);
    assert_eq!(left.strong_count(), 0);
    for mut matcher in waiting {
        let mut mask = [0];
        matcher.fill_mask(&mut mask).unwrap();
        assert_eq!((mask, matcher.step_count(), matcher.is_complete()), ([1], 0, false));
        assert_eq!(matcher.accept_tokens(&[TokenId(0), TokenId(0), TokenId(0), TokenId(1)]).unwrap(), 4);
        assert!(matcher.is_finished());
    }
    assert_eq!(constraint.statistics().restarts, 1);
}
