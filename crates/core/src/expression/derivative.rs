//! Derivatives: what is left of an expression once a byte or a token has been read.
//!
//! The method is Antimirov's partial derivatives: the result is a *set* of expressions, of which there
//! are finitely many, and never one ever-growing expression. Intersections and complements need the
//! whole set at once, so inside them it is joined into one expression, as Brzozowski does. A rule call
//! at the head cannot be stepped into here; it is reported with the rest that follows it, and the
//! recogniser opens a frame.

use super::{ByteSet, Expression, ExpressionId, ExpressionStore, RuleId};
use crate::vocabulary::TokenId;

/// What an expression can read in one go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Symbol {
    /// One byte of text.
    Byte(u8),
    /// One token, by its id.
    Token(TokenId),
}

/// A call at the head of an expression, and what follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Call {
    pub(crate) rule: RuleId,
    pub(crate) continuation: ExpressionId,
}

/// The partial derivatives of one or more expressions by one symbol.
#[derive(Debug)]
pub(crate) struct Derivatives {
    /// What is left after the symbol, in any order, duplicates possible.
    pub(crate) rest: Vec<ExpressionId>,
    /// The calls that may read the symbol instead.
    pub(crate) calls: Vec<Call>,
    /// What a front end has to define before it can be derived, and what follows it.
    pub(crate) deferred: Vec<(ExpressionId, ExpressionId)>,
    /// The bytes that lead to the same derivatives as the byte read; narrowed as expressions are added.
    pub(crate) class: ByteSet,
}

impl Derivatives {
    pub(crate) fn new() -> Self {
        Self { rest: Vec::new(), calls: Vec::new(), deferred: Vec::new(), class: ByteSet::ALL }
    }

    /// Keeps in the class those bytes that a set treats as it treats `byte`.
    pub(crate) fn split(&mut self, set: &ByteSet, byte: u8) {
        self.class =
            if set.contains(byte) { self.class.intersection(set) } else { self.class.difference(set) };
    }
}

impl ExpressionStore {
    /// Adds the partial derivatives of an expression by a symbol.
    ///
    /// Native recursion follows operands only, whose nesting the budget bounds.
    pub(crate) fn derive(&mut self, id: ExpressionId, symbol: Symbol, derivatives: &mut Derivatives) {
        self.derive_before(id, symbol, Self::EMPTY, derivatives);
    }

    /// Adds the partial derivatives of `id` followed by `tail`, those that `id` itself begins.
    fn derive_before(&mut self, id: ExpressionId, symbol: Symbol, tail: ExpressionId, out: &mut Derivatives) {
        let mut at = id;
        loop {
            match self.get(at) {
                Expression::Concatenation(head, rest) => {
                    let after = self.concatenate(rest, tail);
                    self.derive_before(head, symbol, after, out);
                    if !self.is_nullable(head) {
                        return;
                    }
                    at = rest;
                }
                node => return self.derive_node(at, node, symbol, tail, out),
            }
        }
    }

    fn derive_node(
        &mut self,
        id: ExpressionId,
        node: Expression,
        symbol: Symbol,
        tail: ExpressionId,
        out: &mut Derivatives,
    ) {
        match (node, symbol) {
            (Expression::Bytes(set), Symbol::Byte(byte)) => {
                let set = *self.byte_set(set);
                out.split(&set, byte);
                if set.contains(byte) {
                    out.rest.push(tail);
                }
            }
            (Expression::Literals(range), Symbol::Byte(byte)) => {
                let set = self.literal_set(range.set);
                if let Some(next) = set.step(range, byte) {
                    out.class = out.class.intersection(&ByteSet::single(byte));
                    let rest = self.literal_range(next);
                    let rest = self.concatenate(rest, tail);
                    out.rest.push(rest);
                } else {
                    out.class = out.class.difference(&set.next_bytes(range));
                }
            }
            (Expression::Tokens(set), Symbol::Token(token)) if self.token_set(set).contains(token) => {
                out.rest.push(tail);
            }
            (Expression::Call(rule), _) => out.calls.push(Call { rule, continuation: tail }),
            (Expression::Alternatives(_), _) => {
                for operand in self.operands(id) {
                    self.derive_before(operand, symbol, tail, out);
                }
            }
            (Expression::Repetition { body, minimum, maximum }, _) => {
                let fewer = if maximum == Self::UNBOUNDED { maximum } else { maximum - 1 };
                let rest = self.repetition_raw(body, minimum.saturating_sub(1), fewer);
                let after = self.concatenate(rest, tail);
                self.derive_before(body, symbol, after, out);
            }
            (Expression::Residue(residue), Symbol::Byte(byte)) => {
                let residue = self.residue_of(residue);
                out.class = out.class.intersection(&residue.class(byte));
                if let Some(next) = residue.step(byte) {
                    let rest = self.residue(next);
                    let rest = self.concatenate(rest, tail);
                    out.rest.push(rest);
                }
            }
            (Expression::Deferred(_) | Expression::Captured { .. }, _) => out.deferred.push((id, tail)),
            (Expression::Capture { .. }, Symbol::Byte(byte)) => self.derive_capture(node, byte, tail, out),
            (
                Expression::Intersection(_) | Expression::Complement(_) | Expression::JsonString { .. },
                Symbol::Byte(byte),
            ) => {
                let rest = self.derive_whole(id, byte, &mut out.class);
                let rest = self.concatenate(rest, tail);
                if rest != Self::NOTHING {
                    out.rest.push(rest);
                }
            }
            _ => {}
        }
    }

    fn derive_capture(&mut self, node: Expression, byte: u8, tail: ExpressionId, out: &mut Derivatives) {
        let Expression::Capture { content, text, capture } = node else { return };
        if self.is_nullable(content) {
            let end = self.captured(text, capture);
            out.deferred.push((end, tail));
        }
        let rest = self.derive_whole(content, byte, &mut out.class);
        if rest != Self::NOTHING {
            out.class = out.class.intersection(&ByteSet::single(byte));
            let text = self.longer_text(text, byte);
            let rest = self.capture_after(rest, text, capture);
            let rest = self.concatenate(rest, tail);
            out.rest.push(rest);
        }
    }

    /// Whether a regular expression matches a whole text.
    pub(crate) fn matches(&mut self, id: ExpressionId, text: &[u8]) -> bool {
        let mut at = id;
        for &byte in text {
            if at == Self::NOTHING {
                return false;
            }
            let mut class = ByteSet::ALL;
            at = self.derive_whole(at, byte, &mut class);
            debug_assert!(class.contains(byte), "a byte is in its own class");
        }
        self.is_nullable(at)
    }

    /// The derivative of a regular expression by a byte, as one expression; narrows `class` to bytes
    /// with the same derivative.
    pub(crate) fn derive_whole(&mut self, id: ExpressionId, byte: u8, class: &mut ByteSet) -> ExpressionId {
        match self.get(id) {
            Expression::Intersection(_) => {
                let operands: Vec<ExpressionId> = self
                    .operands(id)
                    .into_iter()
                    .map(|operand| self.derive_whole(operand, byte, class))
                    .collect();
                self.intersection(&operands)
            }
            Expression::Complement(operand) => {
                let rest = self.derive_whole(operand, byte, class);
                self.complement(rest)
            }
            Expression::JsonString { content, escape } => {
                self.derive_json_string(content, escape, byte, class)
            }
            _ => {
                let mut derivatives = Derivatives::new();
                self.derive(id, Symbol::Byte(byte), &mut derivatives);
                *class = class.intersection(&derivatives.class);
                self.alternatives(&derivatives.rest)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(store: &mut ExpressionStore, id: ExpressionId, text: &str) -> bool {
        store.matches(id, text.as_bytes())
    }

    #[test]
    fn counters_count_down() {
        let mut store = ExpressionStore::new();
        let letter = store.bytes(ByteSet::range(b'a', b'z'));
        let some = store.repetition(letter, 2, Some(3));
        for (text, expected) in [("", false), ("a", false), ("ab", true), ("abc", true), ("abcd", false)] {
            assert_eq!(matches(&mut store, some, text), expected, "{text}");
        }
    }

    #[test]
    fn literals_intersections_and_complements_step_together() {
        let mut store = ExpressionStore::new();
        let words = store.literals(["cat", "cow", "dog"].map(Vec::from).to_vec());
        let cow = store.literal(b"cow");
        let not_cow = store.complement(cow);
        let both = store.intersection(&[words, not_cow]);
        for (text, expected) in [("cat", true), ("cow", false), ("dog", true), ("do", false)] {
            assert_eq!(matches(&mut store, both, text), expected, "{text}");
        }
    }

    #[test]
    fn bytes_of_a_class_have_the_same_derivative() {
        let mut store = ExpressionStore::new();
        let key = store.literals(["ab", "cd"].map(Vec::from).to_vec());
        let letters = store.bytes(ByteSet::range(b'a', b'm'));
        let many = store.repetition(letters, 0, Some(9));
        let either = store.alternatives(&[key, many]);
        for byte in 0..=255u8 {
            let mut class = ByteSet::ALL;
            let derivative = store.derive_whole(either, byte, &mut class);
            for other in class.iter() {
                let same = store.derive_whole(either, other, &mut ByteSet::ALL.clone());
                assert_eq!(same, derivative);
            }
        }
    }

    #[test]
    fn the_starred_counters_keep_few_alternatives() {
        let mut store = ExpressionStore::new();
        let letter = store.bytes(ByteSet::range(b'a', b'z'));
        let few = store.repetition(letter, 0, Some(20));
        let b = store.literal(b"b");
        let group = store.concatenation(&[few, b, few]);
        let mut at = store.repetition(group, 0, None);
        for _ in 0..2000 {
            at = store.derive_whole(at, b'b', &mut ByteSet::ALL.clone());
        }
        assert!(store.len() < 20_000, "{} expressions", store.len());
    }
}
