//! Matches a text against a grammar by the definition of each expression, as slowly as it likes.

use std::collections::BTreeSet;

use crate::expression::{Expression, ExpressionId, ExpressionStore};
use crate::grammar::Grammar;

/// Positions of the text where a match that began at some position may end.
type Ends = BTreeSet<usize>;

/// How a text relates to the language of a grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The text is in the language.
    Accepted,
    /// The text is not in the language, but begins a text that is.
    Unfinished,
    /// No text that begins so is in the language.
    Dead,
}

/// What is known so far of one rule at one position. It only grows, up to the least fixpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Known {
    ends: Ends,
    /// Whether the rest of the text begins something that the rule matches.
    begins: bool,
}

struct Evaluator<'a> {
    grammar: &'a Grammar,
    text: &'a [u8],
    /// Whether each rule matches any text at all.
    productive: Vec<bool>,
    /// By rule, then by position.
    known: Vec<Vec<Known>>,
}

/// Decides the relation by computing, for all rules and positions at once, a least fixpoint.
pub(super) fn evaluate(grammar: &Grammar, text: &[u8]) -> Verdict {
    let rules = grammar.rules().len();
    let known = vec![vec![Known::default(); text.len() + 1]; rules];
    let mut evaluator = Evaluator { grammar, text, productive: vec![false; rules], known };
    while evaluator.grow_productive() {}
    while evaluator.grow_known() {}
    let whole = &evaluator.known[grammar.start().index()][0];
    if whole.ends.contains(&text.len()) {
        Verdict::Accepted
    } else if whole.begins {
        Verdict::Unfinished
    } else {
        Verdict::Dead
    }
}

impl Evaluator<'_> {
    fn store(&self) -> &ExpressionStore {
        self.grammar.expressions()
    }

    fn grow_productive(&mut self) -> bool {
        let after: Vec<bool> =
            self.grammar.rules().iter().map(|rule| self.is_productive(rule.body)).collect();
        std::mem::replace(&mut self.productive, after.clone()) != after
    }

    fn grow_known(&mut self) -> bool {
        let mut changed = false;
        for (index, rule) in self.grammar.rules().iter().enumerate() {
            for start in 0..=self.text.len() {
                let after =
                    Known { ends: self.ends(rule.body, start), begins: self.begins(rule.body, start) };
                changed |= after != self.known[index][start];
                self.known[index][start] = after;
            }
        }
        changed
    }

    fn is_productive(&self, id: ExpressionId) -> bool {
        match self.store().get(id) {
            Expression::Nothing => false,
            Expression::Call(rule) => self.productive[rule.index()],
            Expression::Concatenation(head, tail) => self.is_productive(head) && self.is_productive(tail),
            Expression::Alternatives(list) => {
                self.store().list(list).iter().any(|&operand| self.is_productive(operand))
            }
            Expression::Repetition { body, minimum, .. } => minimum == 0 || self.is_productive(body),
            _ => true,
        }
    }

    /// Where matches of the expression that begin at `start` may end. An exact token matches no text.
    fn ends(&self, id: ExpressionId, start: usize) -> Ends {
        let rest = &self.text[start..];
        match self.store().get(id) {
            Expression::Nothing | Expression::Tokens(_) => Ends::new(),
            Expression::Empty => Ends::from([start]),
            Expression::Bytes(set) => {
                let set = self.store().byte_set(set);
                rest.first().filter(|&&byte| set.contains(byte)).map(|_| start + 1).into_iter().collect()
            }
            Expression::Literals(range) => {
                let literals = self.store().literals_of(range);
                literals
                    .filter(|literal| rest.starts_with(literal))
                    .map(|found| start + found.len())
                    .collect()
            }
            Expression::Call(rule) => self.known[rule.index()][start].ends.clone(),
            Expression::Concatenation(head, tail) => {
                self.ends(head, start).into_iter().flat_map(|middle| self.ends(tail, middle)).collect()
            }
            Expression::Alternatives(list) => {
                self.store().list(list).iter().flat_map(|&operand| self.ends(operand, start)).collect()
            }
            Expression::Repetition { body, minimum, maximum } => {
                let by_count = self.repeated(body, start, maximum);
                let first = (minimum as usize).min(by_count.len() - 1);
                by_count.into_iter().skip(first).flatten().collect()
            }
            other => panic!("GBNF makes no {other:?}"),
        }
    }

    /// Where matches of 0, 1, 2 … times the body may end. The last element stands for all counts beyond.
    fn repeated(&self, body: ExpressionId, start: usize, maximum: u32) -> Vec<Ends> {
        let mut all = vec![Ends::from([start])];
        while let Some(last) = all.last().filter(|last| !last.is_empty() && all.len() <= maximum as usize) {
            let next: Ends = last.iter().flat_map(|&middle| self.ends(body, middle)).collect();
            if all.contains(&next) {
                break;
            }
            all.push(next);
        }
        all
    }

    /// Whether the text from `start` to its end begins something that the expression matches.
    fn begins(&self, id: ExpressionId, start: usize) -> bool {
        let rest = &self.text[start..];
        if rest.is_empty() {
            return self.is_productive(id);
        }
        match self.store().get(id) {
            Expression::Bytes(_) => rest.len() == 1 && !self.ends(id, start).is_empty(),
            Expression::Literals(range) => {
                self.store().literals_of(range).any(|literal| literal.starts_with(rest))
            }
            Expression::Call(rule) => self.known[rule.index()][start].begins,
            Expression::Concatenation(head, tail) => {
                (self.is_productive(tail) && self.begins(head, start))
                    || self.ends(head, start).into_iter().any(|middle| self.begins(tail, middle))
            }
            Expression::Alternatives(list) => {
                self.store().list(list).iter().any(|&operand| self.begins(operand, start))
            }
            Expression::Repetition { body, maximum, .. } => {
                let before_the_last = self.repeated(body, start, maximum.saturating_sub(1));
                before_the_last.into_iter().flatten().any(|middle| self.begins(body, middle))
            }
            _ => false,
        }
    }
}
