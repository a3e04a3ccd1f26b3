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

#[test]
fn a_step_that_begins_anew_says_what_takes_the_time_of_a_compile() {
    let constraint = three();
    for (reason, hint) in [
        (Error::exceeded("expressions", 1, "by a test"), ", or raise Budget(expressions=...), so that"),
        (Error::exceeded("states", 1, "by a test"), ", or raise Budget(states=...), so that"),
        (Error::BrokenOff, ""),
    ] {
        let mut matcher = Matcher::new(&constraint);
        assert!(matcher.accept(TokenId(0)).unwrap());
        let mut reasons = vec![Deadline::for_compile(constraint.budget()).exceeded(), reason];
        let result: Result<()> = matcher.with_room(Operation::Mask, |_| Err(reasons.pop().unwrap()));
        let message = result.unwrap_err().to_string();
        let expected = "the budget `compile_time` of 30s is used up by a step for which the constraint begins anew and \
                        reads the text so far again; raise it by Budget(compile_time=...)";
        assert!(message.starts_with(&format!("{expected}{hint}")), "{message}");
    }
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

#[test]
fn a_step_that_takes_too_much_is_told_with_the_rule_that_the_text_is_in() {
    let lengths = (2..60).map(|length| format!(r#"{{"pattern": "^(.{{{length}}})*$"}}"#));
    let lengths: Vec<String> = lengths.collect();
    let hard = format!(r#"{{"type": "string", "allOf": [{}]}}"#, lengths.join(", "));
    let schema = format!(r#"{{"properties": {{"a": {{"items": {hard}}}, "b": {hard}}}}}"#);
    let budget = Budget { emptiness: 2_000, ..Budget::default() };
    let vocabulary = Arc::new(Vocabulary::of_bytes());
    let options = frontend::json_schema::Options::default();
    let grammar = frontend::json_schema::compile(&schema, &[], &options, &budget).unwrap();
    let constraint = Arc::new(Constraint::compile(&grammar, &vocabulary, &budget).unwrap());
    for (text, place) in
        [(r#"{"a": [""#, "(in a value for #/properties/a"), (r#"{"b": ""#, "(in a value for #/properties/b)")]
    {
        let mut matcher = Matcher::new(&constraint);
        assert!(matcher.accept_bytes(text.as_bytes()).unwrap());
        let error = matcher.accept_bytes(b"x").unwrap_err().to_string();
        assert!(error.contains(place) && error.contains("Budget(emptiness=...)"), "{error}");
    }
}

/// What takes too much from the beginning on takes as much in another generation.
#[test]
fn what_fills_a_new_generation_is_not_tried_in_another() {
    let constraint = three();
    let tries = |matcher: &mut Matcher| {
        let mut tries = 0;
        let result: Result<()> = matcher.with_room(Operation::Mask, |_| {
            tries += 1;
            Err(Error::exceeded("expressions", 1, "by a test"))
        });
        assert!(result.unwrap_err().to_string().contains("by a test"));
        tries
    };
    let before = constraint.generation();
    assert_eq!(tries(&mut Matcher::new(&constraint)), 1);
    assert!(!Arc::ptr_eq(&before, &constraint.generation()), "others do not find it full");
    let mut matcher = Matcher::new(&constraint);
    assert!(matcher.accept(TokenId(0)).unwrap());
    assert_eq!(tries(&mut matcher), 2);
    assert_eq!(tries(&mut matcher), 1);
}
