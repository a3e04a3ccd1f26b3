//! A panic in the middle of a computation: nothing is computed from what it leaves behind, and all masks are right.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::batch::{Workers, accept_tokens};
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::expression::{
    ByteSet, Description, Emptiness, ExpressionId, ExpressionStore, LeafId, Part, RuleId,
};
use crate::frontend::json_schema::{self, Options};
use crate::grammar::{Beginning, Definitions, Dependence, Grammar, LazyGrammar, Workshop};
use crate::vocabulary::{TokenId, Vocabulary, WholeStrings};
use crate::{Constraint, Matcher, Warm};

/// Another grammar, but for one of the questions that it is asked while texts are read.
#[derive(Debug)]
struct PanicsOnce {
    grammar: Arc<dyn LazyGrammar>,
    question: Arc<Question>,
}

/// How many questions there are up to the one at which a grammar panics; 0 where it is behind or there is none.
#[derive(Debug, Default)]
struct Question(AtomicU32);

impl Question {
    /// Panics where it is asked, and leaves no expression in its place.
    fn ask(&self, workshop: &mut Workshop<'_>) {
        if self.0.load(Ordering::Relaxed) > 0 && self.0.fetch_sub(1, Ordering::Relaxed) == 1 {
            drop(workshop.expressions.take());
            panic!("on purpose");
        }
    }
}

impl LazyGrammar for PanicsOnce {
    fn check(&self, vocabulary: &Vocabulary) -> Result<()> {
        self.grammar.check(vocabulary)
    }

    fn first_bytes(&self) -> ByteSet {
        self.grammar.first_bytes()
    }

    fn describe(&self, out: &mut Description) {
        self.grammar.describe(out);
    }

    fn ground(&self, alphabet: ByteSet, budget: &Budget) -> (ExpressionStore, Emptiness) {
        self.grammar.ground(alphabet, budget)
    }

    fn begin(&self, leaf: LeafId, is_alone: bool, workshop: &mut Workshop<'_>) -> Result<Beginning> {
        let Beginning { rule, definitions } = self.grammar.begin(leaf, is_alone, workshop)?;
        let question = Arc::clone(&self.question);
        Ok(Beginning { rule, definitions: Box::new(DefinesOthers { definitions, question }) })
    }
}

struct DefinesOthers {
    definitions: Box<dyn Definitions>,
    question: Arc<Question>,
}

impl Definitions for DefinesOthers {
    fn define(&mut self, number: u32, workshop: &mut Workshop<'_>) -> Result<ExpressionId> {
        self.question.ask(workshop);
        self.definitions.define(number, workshop)
    }

    fn size(&self) -> usize {
        self.definitions.size()
    }

    fn name_of(&self, rule: RuleId) -> Option<String> {
        self.definitions.name_of(rule)
    }

    fn after(
        &mut self,
        capture: u32,
        text: Option<&[u8]>,
        workshop: &mut Workshop<'_>,
    ) -> Result<ExpressionId> {
        self.question.ask(workshop);
        self.definitions.after(capture, text, workshop)
    }

    fn plainly_nests(&self, number: u32) -> bool {
        self.definitions.plainly_nests(number)
    }

    fn outline(
        &mut self,
        number: u32,
        strings: &WholeStrings,
        workshop: &mut Workshop<'_>,
    ) -> Result<Option<ExpressionId>> {
        self.question.ask(workshop);
        self.definitions.outline(number, strings, workshop)
    }

    fn describe(&mut self, part: Part, out: &mut Description, workshop: &mut Workshop<'_>) -> Result<bool> {
        self.question.ask(workshop);
        self.definitions.describe(part, out, workshop)
    }

    fn dependence(&self, capture: u32) -> Dependence {
        self.definitions.dependence(capture)
    }

    fn suggest(&mut self, number: u32, choice: u32, workshop: &mut Workshop<'_>) -> Result<Option<Vec<u8>>> {
        self.definitions.suggest(number, choice, workshop)
    }
}

const SCHEMA: &str = r##"{
    "type": "object",
    "properties": {
        "day": {"type": "string", "format": "date"},
        "tags": {"type": "array", "uniqueItems": true, "items": {"type": "string"}},
        "next": {"anyOf": [{"type": "null"}, {"$ref": "#"}]}
    },
    "required": ["day"],
    "additionalProperties": {"type": "string", "pattern": "^x"}
}"##;

const TEXT: &str =
    r#"{"day": "2026-01-31", "tags": ["a", "b"], "next": {"day": "2025-02-28", "next": null}, "more": "xy"}"#;

fn vocabulary() -> Arc<Vocabulary> {
    let joins = [r#"": ""#, r#"", ""#, r#""]"#, r#"{""#, "20", "null"];
    let tokens = (0..=255).map(|byte| vec![byte]).chain(joins.map(|join| join.as_bytes().to_vec()));
    let tokens: Vec<_> = tokens.map(Some).chain([None]).collect();
    let (count, stop) = (tokens.len(), TokenId(tokens.len() as u32 - 1));
    Arc::new(Vocabulary::new(tokens, Vec::new(), vec![stop], count).unwrap())
}

/// Does something until it does not panic, and counts the panics.
fn until_done<T>(panics: &mut u32, mut work: impl FnMut() -> Result<T>) -> T {
    loop {
        match catch_unwind(AssertUnwindSafe(&mut work)) {
            Ok(done) => return done.unwrap(),
            Err(panic) => {
                assert_eq!(panic.downcast_ref(), Some(&"on purpose"));
                *panics += 1;
            }
        }
    }
}

/// The masks along the text for two matchers side by side, and the number of panics.
fn masks_along(constraint: &Arc<Constraint>) -> (Vec<Vec<u32>>, u32) {
    let (mut masks, mut panics) = (Vec::new(), 0);
    let mut matchers = [Matcher::new(constraint), Matcher::new(constraint)];
    for byte in TEXT.bytes() {
        for matcher in &mut matchers {
            let mut mask = vec![0; constraint.vocabulary().mask_words()];
            until_done(&mut panics, || matcher.fill_mask(&mut mask));
            masks.push(mask);
            assert!(until_done(&mut panics, || matcher.accept(TokenId(byte.into()))));
        }
    }
    assert!(matchers.iter().all(Matcher::is_complete));
    (masks, panics)
}

/// Tries constraints that panic at the first question, at the second, and so on, until there are no more.
fn at_each_question(mut attempt: impl FnMut(&Arc<Constraint>) -> u32) {
    let (vocabulary, budget) = (vocabulary(), Budget::default());
    let plain = json_schema::compile(SCHEMA, &[], &Options::default(), &budget).unwrap();
    let mut asked = 0;
    loop {
        let (grammar, question) = (Arc::clone(plain.sole_lazy().unwrap()), Arc::new(Question::default()));
        let panics_once = PanicsOnce { grammar, question: Arc::clone(&question) };
        let grammar = Grammar::written_on_demand("json", Arc::new(panics_once));
        let constraint = Arc::new(Constraint::compile(&grammar, &vocabulary, &budget).unwrap());
        asked += 1;
        question.0.store(asked, Ordering::Relaxed);
        let panics = attempt(&constraint);
        assert_eq!(constraint.statistics().restarts, panics.into(), "at question {asked}");
        if panics == 0 {
            break;
        }
    }
    assert!(asked > 20, "{asked}");
}

#[test]
fn after_a_panic_at_any_question_masks_are_what_they_are() {
    let (vocabulary, budget) = (vocabulary(), Budget::default());
    let plain = json_schema::compile(SCHEMA, &[], &Options::default(), &budget).unwrap();
    let (expected, _) = masks_along(&Arc::new(Constraint::compile(&plain, &vocabulary, &budget).unwrap()));
    at_each_question(|constraint| {
        let (masks, panics) = masks_along(constraint);
        assert!(masks == expected);
        panics
    });
}

#[test]
fn after_a_panic_at_any_question_a_matcher_stands_where_it_stood() {
    let mut tokens: Vec<TokenId> = TEXT.bytes().map(|byte| TokenId(byte.into())).collect();
    let (first, rest) = (tokens[0], tokens.split_off(1));
    at_each_question(|constraint| {
        let (mut panics, mut matcher) = (0, Matcher::new(constraint));
        until_done(&mut panics, || matcher.accept(first));
        until_done(&mut panics, || {
            assert_eq!(matcher.at.step.count, 1);
            matcher.validate(&rest)
        });
        panics
    });
    at_each_question(|constraint| {
        let (mut panics, mut matcher) = (0, Matcher::new(constraint));
        until_done(&mut panics, || matcher.accept(first));
        let accepted = until_done(&mut panics, || {
            assert_eq!(matcher.at.step.count, 1);
            matcher.accept_tokens(&rest)
        });
        assert!(accepted == rest.len() && matcher.is_complete());
        panics
    });
}

#[test]
fn after_a_panic_at_any_question_all_of_a_batch_stand_where_they_stood() {
    const AHEAD: usize = 5;
    let workers = Workers::none();
    let (start, rest) = TEXT.as_bytes().split_at(AHEAD);
    at_each_question(|constraint| {
        let (mut panics, mut matchers) = (0, [Matcher::new(constraint), Matcher::new(constraint)]);
        // What the second reads is new each time, and known when the first comes there.
        until_done(&mut panics, || matchers[1].accept_bytes(start));
        for (at, pair) in rest.iter().zip(TEXT.as_bytes()).enumerate() {
            let tokens = [pair.1, pair.0].map(|&byte| TokenId(byte.into()));
            let accepted = until_done(&mut panics, || {
                assert_eq!(matchers.each_ref().map(Matcher::step_count), [at, at + 1]);
                let accepted = accept_tokens(&workers, &mut matchers.each_mut().map(Some), &tokens);
                accepted.into_iter().collect::<Result<Vec<bool>>>()
            });
            assert_eq!(accepted, [true, true]);
        }
        panics
    });
}

#[test]
fn what_a_panic_has_broken_off_is_told_until_a_matcher_begins_anew() {
    let (vocabulary, budget) = (vocabulary(), Budget::default());
    let grammar = json_schema::compile(SCHEMA, &[], &Options::default(), &budget).unwrap();
    let constraint = Arc::new(Constraint::compile(&grammar, &vocabulary, &budget).unwrap());
    let warm_up = || constraint.warm_up(Warm::Likely(5), &[], |_| ControlFlow::Continue(())).error;
    let generation = constraint.generation();
    let broken_off = || generation.automaton.with_expressions(|_| panic!("on purpose"));
    assert!(catch_unwind(AssertUnwindSafe(broken_off)).is_err());
    assert_eq!(generation.automaton.with_expressions(|_| ()), Err(Error::BrokenOff));
    assert_eq!(warm_up(), Some(Error::BrokenOff));
    let matcher = Matcher::new(&constraint);
    assert_eq!(matcher.expected().unwrap().len(), 1);
    assert_eq!((constraint.statistics().restarts, warm_up()), (1, None));
}
