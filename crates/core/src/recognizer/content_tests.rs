//! Content hashes of states: equal where they should be, and never equal where they must not.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::budget::{Budget, Deadline};
use crate::constraint::Constraint;
use crate::expression::{ContentRegistry, Symbol};
use crate::frontend::gbnf;
use crate::frontend::json_schema::{self, Options};
use crate::grammar::{Content, Grammar};
use crate::recognizer::{Advance, Edge, Pair, SharedFrame, SharedGraph, StackGraph, StateId};
use crate::vocabulary::{TokenId, Vocabulary};

/// All single bytes by their values and a stop token.
fn vocabulary() -> Arc<Vocabulary> {
    let mut tokens: Vec<Option<Vec<u8>>> = (0..=255u8).map(|byte| Some(vec![byte])).collect();
    tokens.push(None);
    Arc::new(Vocabulary::new(tokens, Vec::new(), vec![TokenId(256)], 257).unwrap())
}

/// The contents of everything alive after each byte of a text, on the way down the stack, too.
struct Contents {
    constraint: Constraint,
}

impl Contents {
    fn of(grammar: &Grammar) -> Self {
        Self { constraint: Constraint::compile(grammar, &vocabulary(), &Budget::default()).unwrap() }
    }

    fn gbnf(text: &str) -> Self {
        Self::of(&gbnf::compile(text, "root", &Budget::default()).unwrap())
    }

    fn schema(text: &str) -> Self {
        Self::schema_with(text, &Options::default())
    }

    fn schema_with(text: &str, options: &Options) -> Self {
        Self::of(&json_schema::compile(text, &[], options, &Budget::default()).unwrap())
    }

    fn content(&self, state: StateId, registry: &ContentRegistry) -> Option<Content> {
        let deadline = Deadline::for_step(self.constraint.budget());
        self.constraint.automaton().content(state, registry, &deadline)
    }

    fn start(&self, registry: &ContentRegistry) -> Option<Content> {
        self.content(self.constraint.automaton().start(), registry)
    }

    /// For each length of a beginning of the text, the contents.
    fn along(&self, text: &str, registry: &ContentRegistry) -> Vec<BTreeSet<Option<u128>>> {
        let automaton = self.constraint.automaton();
        let deadline = Deadline::for_step(self.constraint.budget());
        let mut advance: Advance<SharedGraph> = Advance::new();
        let mut now = vec![Pair { state: automaton.start(), frame: SharedFrame::bottom() }];
        let mut all = vec![self.below(&now, registry)];
        for &byte in text.as_bytes() {
            let mut next = Vec::new();
            let symbol = Symbol::Byte(byte);
            let complete =
                advance.step(automaton, &mut SharedGraph, &now, symbol, &deadline, &mut next).unwrap();
            assert!(complete || !next.is_empty(), "{text} is read");
            now = next;
            all.push(self.below(&now, registry));
        }
        all
    }

    fn below(&self, pairs: &[Pair<SharedFrame>], registry: &ContentRegistry) -> BTreeSet<Option<u128>> {
        let hash = |state| self.content(state, registry).map(|content| content.hash.0);
        let mut waiting: Vec<SharedFrame> = pairs.iter().map(|pair| pair.frame.clone()).collect();
        let mut found: BTreeSet<Option<u128>> = pairs.iter().map(|pair| hash(pair.state)).collect();
        let mut seen = Vec::new();
        while let Some(frame) = waiting.pop() {
            if seen.contains(&SharedGraph::key(&frame)) {
                continue;
            }
            seen.push(SharedGraph::key(&frame));
            SharedGraph.visit_edges(&frame, |edge| {
                if let Edge::Return { continuation, caller } = edge {
                    found.insert(hash(continuation));
                    waiting.push(caller);
                }
            });
        }
        found
    }
}

fn registry() -> ContentRegistry {
    ContentRegistry::new(usize::MAX)
}

/// Asserts that two grammars have the same contents along a text, all of them known.
fn assert_alike(first: &Contents, second: &Contents, text: &str) {
    let registry = registry();
    let (first, second) = (first.along(text, &registry), second.along(text, &registry));
    for (at, (first, second)) in first.iter().zip(&second).enumerate() {
        assert!(!first.contains(&None), "all is known after {:?}", &text[..at]);
        assert_eq!(first, second, "after {:?}", &text[..at]);
    }
}

fn assert_unlike(first: &Contents, second: &Contents) {
    let registry = registry();
    let (first, second) = (first.start(&registry), second.start(&registry));
    assert!(first.is_some() && second.is_some() && first != second, "{first:?} {second:?}");
}

const PAIRS: &str = r#"
    root ::= item ("," item)*
    item ::= "(" root ")" | number | word
    number ::= [0-9]{1,9}
    word ::= "one" | "two" | "three" number?
"#;

#[test]
fn names_and_order_of_rules_and_alternatives_do_not_matter() {
    let other = r#"
        w ::= "three" n? | "two" | "one"
        n ::= [0-9]{1,9}
        i ::= w | n | "(" root ")"
        root ::= i ("," i)*
    "#;
    assert_alike(&Contents::gbnf(PAIRS), &Contents::gbnf(other), "three123,((two),1),one");
}

#[test]
fn every_detail_matters() {
    let first = Contents::gbnf(PAIRS);
    for (from, to) in [
        ("{1,9}", "{1,8}"),
        ("[0-9]", "[0-8]"),
        ("\"two\"", "\"too\""),
        ("number?", "number"),
        ("\"(\" root", "\"(\" item"),
    ] {
        assert_unlike(&first, &Contents::gbnf(&PAIRS.replace(from, to)));
    }
}
