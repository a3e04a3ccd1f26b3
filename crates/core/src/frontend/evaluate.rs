//! A slow evaluator of expressions that shares nothing with the recogniser, to check front ends.
#![allow(clippy::panic)] // a test that uses it wrongly shall fail

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::expression::{Expression, ExpressionId, ExpressionStore};

/// Whether the expression, which holds neither calls nor exact tokens, matches the whole text.
pub(crate) fn matches(store: &ExpressionStore, expression: ExpressionId, text: &[u8]) -> bool {
    let mut evaluator = Evaluator { store, text, known: FxHashMap::default() };
    evaluator.ends(expression, 0)[text.len()]
}

/// For each position of the text, whether a match ends there.
type Ends = Rc<[bool]>;

struct Evaluator<'a> {
    store: &'a ExpressionStore,
    text: &'a [u8],
    /// The ends of the matches of an expression that begin at a position.
    known: FxHashMap<(ExpressionId, usize), Ends>,
}

impl Evaluator<'_> {
    fn ends(&mut self, id: ExpressionId, start: usize) -> Ends {
        if let Some(known) = self.known.get(&(id, start)) {
            return Rc::clone(known);
        }
        let ends: Ends = self.compute(id, start).into();
        self.known.insert((id, start), Rc::clone(&ends));
        ends
    }

    fn compute(&mut self, id: ExpressionId, start: usize) -> Vec<bool> {
        let none = vec![false; self.text.len() + 1];
        match self.store.get(id) {
            Expression::Nothing => none,
            Expression::Empty => only(none, start),
            Expression::Bytes(set) => match self.text.get(start) {
                Some(&byte) if self.store.byte_set(set).contains(byte) => only(none, start + 1),
                _ => none,
            },
            Expression::Literals(range) => {
                let mut ends = none;
                for literal in self.store.literals_of(range) {
                    let rest = &literal[range.depth as usize..];
                    if self.text[start..].starts_with(rest) {
                        ends[start + rest.len()] = true;
                    }
                }
                ends
            }
            Expression::Concatenation(head, tail) => {
                let middle = self.ends(head, start);
                self.follow(tail, &middle)
            }
            Expression::Alternatives(list) => {
                let mut ends = none;
                for &operand in self.store.list(list) {
                    unite(&mut ends, &self.ends(operand, start));
                }
                ends
            }
            Expression::Repetition { body, minimum, maximum } => {
                self.repetition(body, minimum, maximum, only(none, start))
            }
            Expression::Intersection(list) => {
                let mut ends = vec![true; none.len()];
                for &operand in self.store.list(list) {
                    let other = self.ends(operand, start);
                    ends.iter_mut().zip(other.iter()).for_each(|(end, &other)| *end &= other);
                }
                ends
            }
            Expression::Complement(operand) => {
                let ends = self.ends(operand, start);
                ends.iter().enumerate().map(|(end, &matched)| end >= start && !matched).collect()
            }
            other => panic!("only plain expressions are evaluated, not {other:?}"),
        }
    }

    /// The ends of the matches of an expression that begin at any of the positions.
    fn follow(&mut self, id: ExpressionId, starts: &[bool]) -> Vec<bool> {
        let mut ends = vec![false; starts.len()];
        for (start, _) in starts.iter().enumerate().filter(|&(_, &is_start)| is_start) {
            unite(&mut ends, &self.ends(id, start));
        }
        ends
    }

    fn repetition(&mut self, body: ExpressionId, minimum: u32, maximum: u32, start: Vec<bool>) -> Vec<bool> {
        let mut ends = vec![false; start.len()];
        let mut reached = start;
        // No more rounds than this can each read something, and rounds that read nothing change nothing,
        // since the minimum of a body that matches the empty text is zero.
        let useful = u32::try_from(self.text.len() + 1).unwrap_or(u32::MAX);
        for round in 0..=maximum.min(useful) {
            if round >= minimum {
                unite(&mut ends, &reached);
            }
            reached = self.follow(body, &reached);
        }
        ends
    }
}

fn only(mut none: Vec<bool>, at: usize) -> Vec<bool> {
    none[at] = true;
    none
}

fn unite(ends: &mut [bool], others: &[bool]) {
    ends.iter_mut().zip(others).for_each(|(end, &other)| *end |= other);
}

#[test]
fn the_evaluator_knows_every_kind_of_node() {
    use crate::expression::ByteSet;
    let mut store = ExpressionStore::new();
    let digit = store.bytes(ByteSet::range(b'0', b'9'));
    let number = store.repetition(digit, 2, Some(3));
    let words = store.literals(["on", "one"].map(Vec::from).to_vec());
    let both = store.concatenation(&[words, number]);
    let zeros = store.literal(b"on00");
    let not_zeros = store.complement(zeros);
    let expression = store.intersection(&[both, not_zeros]);
    let either = store.alternatives(&[expression, ExpressionStore::EMPTY]);
    for (text, expected) in
        [("", true), ("on12", true), ("one123", true), ("on00", false), ("on1", false), ("on1234", false)]
    {
        assert_eq!(matches(&store, either, text.as_bytes()), expected, "{text}");
    }
}
