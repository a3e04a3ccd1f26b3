//! Derivatives: what is left of an expression once a byte or a token has been read.
//!
//! The method is Antimirov's partial derivatives: the result is a *set* of expressions, of which there
//! are finitely many, and never one ever-growing expression. Intersections and complements need the
//! whole set at once, so inside them it is joined into one expression, as Brzozowski does. A rule call
//! at the head cannot be stepped into here; it is reported with the rest that follows it, and the
//! recogniser opens a frame.

use std::cell::Cell;

use smallvec::SmallVec;

use super::endings::Heads;
use super::unordered::{Choice, Rest};
use super::{ByteSet, Expression, ExpressionId, ExpressionStore, LiteralRange, RuleId, Unordered};
use crate::stack;
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
    pub(crate) rest: SmallVec<[ExpressionId; 8]>,
    /// The calls that may read the symbol instead.
    pub(crate) calls: SmallVec<[Call; 2]>,
    /// What a front end has to define before it can be derived, and what follows it.
    pub(crate) deferred: SmallVec<[(ExpressionId, ExpressionId); 2]>,
    /// The bytes that lead to the same derivatives as the byte read; narrowed as expressions are added.
    pub(crate) class: ByteSet,
}

impl Derivatives {
    pub(crate) fn new() -> Self {
        Self { rest: SmallVec::new(), calls: SmallVec::new(), deferred: SmallVec::new(), class: ByteSet::ALL }
    }

    /// Keeps in the class those bytes that a set treats as it treats `byte`.
    pub(crate) fn split(&mut self, set: &ByteSet, byte: u8) {
        self.class = self.class.intersection(&set.class_of(byte));
    }
}

/// What follows an expression that is being derived. It becomes an expression only where something is left of
/// what stands before it: most alternatives end with the byte, and their tails are never made.
struct Tail<'a> {
    first: First,
    next: Option<&'a Tail<'a>>,
    /// How many tails follow: how deep the expression stands in others.
    depth: u32,
    /// The whole tail, once it is made.
    whole: Cell<Option<ExpressionId>>,
}

/// The first part of a tail.
#[derive(Clone)]
enum First {
    Known(ExpressionId),
    Repetition { body: ExpressionId, minimum: u32, maximum: u32 },
    Unordered(Rest),
}

impl<'a> Tail<'a> {
    fn new(first: First, next: Option<&'a Self>) -> Self {
        let depth = next.map_or(0, |next| next.depth + 1);
        Self { first, next, depth, whole: Cell::new(None) }
    }

    fn known(first: ExpressionId, next: Option<&'a Self>) -> Self {
        Self::new(First::Known(first), next)
    }

    /// Whether there has to be enough stack again before more is followed: so it is every 32 levels. One step takes up to
    /// three of them.
    fn asks_for_stack(&self) -> bool {
        self.depth % 32 >= 28
    }

    /// What is left of a repetition when its body has been read once.
    fn repetition(body: ExpressionId, minimum: u32, maximum: u32, next: &'a Self) -> Self {
        let maximum = if maximum == ExpressionStore::UNBOUNDED { maximum } else { maximum - 1 };
        Self::new(First::Repetition { body, minimum: minimum.saturating_sub(1), maximum }, Some(next))
    }
}

impl ExpressionStore {
    /// Adds the partial derivatives of an expression by a symbol; not all of them where the store
    /// [is full](Self::is_full) then.
    ///
    /// Native recursion follows operands only, whose nesting the budget bounds; every few levels it makes sure that there
    /// is enough stack.
    pub(crate) fn derive(&mut self, id: ExpressionId, symbol: Symbol, derivatives: &mut Derivatives) {
        self.derive_before(id, symbol, &Tail::known(Self::EMPTY, None), derivatives);
    }

    /// Adds the partial derivatives of `id` followed by `tail`, those that `id` itself begins.
    fn derive_before(&mut self, id: ExpressionId, symbol: Symbol, tail: &Tail<'_>, out: &mut Derivatives) {
        match tail.asks_for_stack() {
            true => stack::with_enough(|| self.derive_heads(id, symbol, tail, out)),
            false => self.derive_heads(id, symbol, tail, out),
        }
    }

    fn derive_heads(&mut self, id: ExpressionId, symbol: Symbol, tail: &Tail<'_>, out: &mut Derivatives) {
        if !self.has_room() {
            return;
        }
        let node = self.get(id);
        if !matches!(node, Expression::Concatenation(..) | Expression::Alternatives(_)) {
            return self.derive_node(id, node, symbol, tail, out);
        }
        let node = match (node, symbol) {
            (Expression::Alternatives(all), Symbol::Byte(byte)) => {
                Expression::Alternatives(self.begun_by(id, all, byte, &mut out.class))
            }
            _ => node,
        };
        let mut heads = Heads::of(node, id);
        while let Some((head, rest)) = heads.next(self) {
            let node = self.get(head);
            match rest {
                Some(rest) => self.derive_node(head, node, symbol, &Tail::known(rest, Some(tail)), out),
                None => self.derive_node(head, node, symbol, tail, out),
            }
        }
    }

    /// The same for a node that is no concatenation.
    fn derive_node(
        &mut self,
        id: ExpressionId,
        node: Expression,
        symbol: Symbol,
        tail: &Tail<'_>,
        out: &mut Derivatives,
    ) {
        match (node, symbol) {
            (Expression::Bytes(set), Symbol::Byte(byte)) => {
                let set = *self.byte_set(set);
                out.split(&set, byte);
                if set.contains(byte) {
                    out.rest.push(self.tail(tail));
                }
            }
            (Expression::Literals(range), Symbol::Byte(byte)) => {
                let rest = self.derive_literals(range, byte, &mut out.class);
                self.add_rest(rest, tail, out);
            }
            (Expression::Tokens(set), Symbol::Token(token)) if self.token_set(set).contains(token) => {
                out.rest.push(self.tail(tail));
            }
            (Expression::Call(rule), _) => {
                out.calls.push(Call { rule, continuation: self.tail(tail) });
            }
            (Expression::Alternatives(_), _) => self.derive_before(id, symbol, tail, out),
            (Expression::Repetition { body, minimum, maximum }, _) => {
                let after = Tail::repetition(body, minimum, maximum, tail);
                self.derive_before(body, symbol, &after, out);
            }
            (Expression::Unordered(unordered), _) => self.derive_unordered(unordered, symbol, tail, out),
            (Expression::Residue(residue), Symbol::Byte(byte)) => {
                let residue = self.residue_of(residue);
                out.class = out.class.intersection(&residue.class(byte));
                if let Some(next) = residue.step(byte) {
                    let rest = self.residue(next);
                    self.add_rest(rest, tail, out);
                }
            }
            (Expression::FreeText { table, at }, Symbol::Byte(byte)) => {
                let (rest, class) = self.derive_free_text(table, at, byte);
                out.class = out.class.intersection(&class);
                rest.into_iter().for_each(|rest| self.add_rest(rest, tail, out));
            }
            (Expression::Deferred(_) | Expression::Captured { .. }, _) => {
                out.deferred.push((id, self.tail(tail)));
            }
            (Expression::Capture { .. }, Symbol::Byte(byte)) => self.derive_capture(node, byte, tail, out),
            (
                Expression::Intersection(_) | Expression::Complement(_) | Expression::JsonString { .. },
                Symbol::Byte(byte),
            ) => {
                let rest = self.derive_whole(id, byte, &mut out.class);
                self.add_rest(rest, tail, out);
            }
            _ => {}
        }
    }

    fn derive_unordered(
        &mut self,
        unordered: Unordered,
        symbol: Symbol,
        tail: &Tail<'_>,
        out: &mut Derivatives,
    ) {
        for Choice { head, member, rest } in self.unordered_choices(unordered) {
            let rest = Tail::new(First::Unordered(rest), Some(tail));
            match member {
                Some(member) => self.derive_before(head, symbol, &Tail::known(member, Some(&rest)), out),
                None => self.derive_before(head, symbol, &rest, out),
            }
        }
    }

    fn derive_capture(&mut self, node: Expression, byte: u8, tail: &Tail<'_>, out: &mut Derivatives) {
        let Expression::Capture { content, text, capture } = node else { return };
        if self.is_nullable(content) {
            let end = self.captured(text, capture);
            out.deferred.push((end, self.tail(tail)));
        }
        let rest = self.derive_whole(content, byte, &mut out.class);
        if rest != Self::NOTHING {
            out.class = out.class.intersection(&ByteSet::single(byte));
            let text = self.longer_text(text, byte);
            let rest = self.capture_after(rest, text, capture);
            self.add_rest(rest, tail, out);
        }
    }

    /// Adds what is left of the head of an expression, followed by its tail.
    fn add_rest(&mut self, rest: ExpressionId, tail: &Tail<'_>, out: &mut Derivatives) {
        if rest != Self::NOTHING {
            let tail = self.tail(tail);
            out.rest.push(self.concatenate(rest, tail));
        }
    }

    /// A tail as an expression.
    fn tail(&mut self, tail: &Tail<'_>) -> ExpressionId {
        if let Some(whole) = tail.whole.get() {
            return whole;
        }
        let first = match tail.first {
            First::Known(first) => first,
            First::Repetition { body, minimum, maximum } => self.repetition_raw(body, minimum, maximum),
            First::Unordered(ref rest) => self.unordered_rest(rest),
        };
        let whole = match tail.next {
            Some(next) => {
                let next = self.tail(next);
                self.concatenate(first, next)
            }
            None => first,
        };
        tail.whole.set(Some(whole));
        whole
    }

    /// Whether a regular expression matches a whole text.
    pub(crate) fn matches(&mut self, id: ExpressionId, text: &[u8]) -> bool {
        let mut at = id;
        for (read, &byte) in text.iter().enumerate() {
            if at == Self::NOTHING {
                return false;
            }
            if let Expression::Literals(range) = self.get(at) {
                return self.literal_set(range.set).ends_with(range, &text[read..]);
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
        let node = self.get(id);
        match node {
            Expression::Bytes(set) => {
                let set = *self.byte_set(set);
                *class = class.intersection(&set.class_of(byte));
                return if set.contains(byte) { Self::EMPTY } else { Self::NOTHING };
            }
            Expression::Literals(range) => return self.derive_literals(range, byte, class),
            Expression::Complement(operand) => {
                let rest = stack::with_enough(|| self.derive_whole(operand, byte, class));
                return self.complement(rest);
            }
            _ => {}
        }
        if let Some((known, rest)) = self.derivatives.get(id, byte) {
            *class = class.intersection(&known);
            return rest;
        }
        let mut own = ByteSet::ALL;
        let rest = self.derive_anew(id, node, byte, &mut own);
        *class = class.intersection(&own);
        if rest == id || self.is_derived_often(node) {
            self.derivatives.keep(id, &own, rest);
        }
        rest
    }

    /// Whether the derivatives of a node are worth keeping. Walks, and searches for a match before them, come to the same
    /// content again and again; a string around it, and a repetition, are most often read once, unless they stay what
    /// they are.
    fn is_derived_often(&self, node: Expression) -> bool {
        match node {
            Expression::JsonString { .. } | Expression::Repetition { .. } => false,
            Expression::Concatenation(head, _) => !matches!(self.get(head), Expression::JsonString { .. }),
            _ => true,
        }
    }

    /// The derivative of a regular expression that is not known.
    fn derive_anew(
        &mut self,
        id: ExpressionId,
        node: Expression,
        byte: u8,
        class: &mut ByteSet,
    ) -> ExpressionId {
        match node {
            Expression::JsonString { content, escape, spelling } => {
                self.derive_json_string(content, escape, spelling, byte, class)
            }
            Expression::Intersection(list) => {
                let mut operands: SmallVec<[ExpressionId; 4]> = SmallVec::from_slice(self.list(list));
                stack::with_enough(|| {
                    operands
                        .iter_mut()
                        .for_each(|operand| *operand = self.derive_whole(*operand, byte, class));
                });
                self.intersection(&operands)
            }
            Expression::Concatenation(head, tail)
                if matches!(self.get(head), Expression::JsonString { .. }) =>
            {
                // What is left of a JSON string is one expression, so nothing has to be distributed.
                let rest = self.derive_whole(head, byte, class);
                let read = self.concatenate(rest, tail);
                if !self.is_nullable(head) {
                    return read;
                }
                // Chains are as long as patterns are, so they are followed without recursion.
                let passed = match self.get(tail) {
                    Expression::Concatenation(..) => self.derive_partially(tail, byte, class),
                    _ => self.derive_whole(tail, byte, class),
                };
                self.alternatives(&[read, passed])
            }
            _ => self.derive_partially(id, byte, class),
        }
    }

    /// All partial derivatives of an expression together.
    fn derive_partially(&mut self, id: ExpressionId, byte: u8, class: &mut ByteSet) -> ExpressionId {
        let mut derivatives = Derivatives::new();
        self.derive(id, Symbol::Byte(byte), &mut derivatives);
        *class = class.intersection(&derivatives.class);
        self.alternatives(&derivatives.rest)
    }

    /// What is left of fixed strings after a byte; narrows `class` to bytes that leave the same.
    fn derive_literals(&mut self, range: LiteralRange, byte: u8, class: &mut ByteSet) -> ExpressionId {
        let set = self.literal_set(range.set);
        if let Some(next) = set.step(range, byte) {
            *class = class.intersection(&ByteSet::single(byte));
            return self.literal_range(next);
        }
        *class = class.difference(&set.next_bytes(range));
        Self::NOTHING
    }
}

#[cfg(test)]
mod tests {
    use super::super::Spelling;
    use super::*;

    fn matches(store: &mut ExpressionStore, id: ExpressionId, text: &str) -> bool {
        store.matches(id, text.as_bytes())
    }

    #[test]
    fn texts_that_end_alike_leave_the_same() {
        let mut store = ExpressionStore::new();
        let digits = {
            let digit = store.bytes(ByteSet::range(b'0', b'9'));
            store.repetition(digit, 1, None)
        };
        let mut after = |text: &[u8], read: usize| {
            let literal = store.literal(text);
            let whole = store.concatenate(literal, digits);
            text[..read]
                .iter()
                .fold(whole, |left, &byte| store.derive_whole(left, byte, &mut ByteSet::ALL.clone()))
        };
        assert_eq!(after(b"name_", 4), after(b"title_", 5));
        assert_ne!(after(b"name_", 4), after(b"title-", 5));
        assert_eq!(after(b"name_", 5), after(b"title-", 6));
    }

    #[test]
    fn few_strings_leave_the_same_whichever_set_they_are_of() {
        let mut store = ExpressionStore::new();
        let mut after = |texts: &[&str], read: &str| {
            let strings = store.literals(texts.to_vec());
            read.bytes().fold(strings, |left, byte| store.derive_whole(left, byte, &mut ByteSet::ALL.clone()))
        };
        let all = ["name", "named", "names", "nation", "notes", "title"];
        let some = ["name", "named", "names", "title"];
        // One string, several, one that ends here among them, and all of a set.
        for read in ["ti", "titl", "nam", "name", "names"] {
            assert_eq!(after(&all, read), after(&some, read), "{read}");
            assert_eq!(after(&some[..3], read) == ExpressionStore::NOTHING, read.starts_with('t'), "{read}");
        }
        assert_eq!(after(&all, "nam"), after(&some[..3], "nam"));
        assert_ne!(after(&all, "na"), after(&some, "na"));
        assert_ne!(after(&all, "ti"), after(&["tile", "title"], "ti"));
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
    fn what_is_remembered_of_loops_is_what_a_fresh_store_derives() {
        let many = |store: &mut ExpressionStore| {
            let any = store.any_character();
            let many = store.repetition(any, 0, None);
            let spelling = store.intern_spelling(Spelling::over(&ByteSet::ALL));
            (many, store.json_string(many, spelling))
        };
        let mut store = ExpressionStore::new();
        let (content, string) = many(&mut store);
        for byte in (0..=255u8).chain(0..=255) {
            let mut fresh = ExpressionStore::new();
            many(&mut fresh);
            for id in [content, string] {
                let mut class = ByteSet::ALL;
                let stays = store.derive_whole(id, byte, &mut class) == id;
                assert_eq!(stays, fresh.derive_whole(id, byte, &mut ByteSet::ALL.clone()) == id);
                assert!(class.contains(byte));
                for other in class.iter() {
                    let alike = fresh.derive_whole(id, other, &mut ByteSet::ALL.clone()) == id;
                    assert_eq!(alike, stays, "{byte} {other}");
                }
            }
        }
    }

    #[test]
    fn what_is_kept_is_what_is_derived_anew() {
        let mut store = ExpressionStore::new();
        let (letter, digit) =
            (store.bytes(ByteSet::range(b'a', b'm')), store.bytes(ByteSet::range(b'0', b'9')));
        let (letters, digits) = (store.repetition(letter, 1, None), store.repetition(digit, 2, Some(4)));
        let words = store.literals(["ab", "abc", "cd", "12"].map(Vec::from).to_vec());
        let others = store.complement(words);
        let some = store.alternatives(&[letters, digits, words]);
        let both = store.concatenation(&[letters, digits]);
        let unsaid = store.intersection(&[some, others]);
        let spelling = store.intern_spelling(Spelling::over(&ByteSet::ALL));
        let string = store.json_string(unsaid, spelling);
        let before = store.size();
        for byte in (0..=255u8).chain(0..=255) {
            for id in [some, both, unsaid, string, letters] {
                let (mut class, mut same_class) = (ByteSet::ALL, ByteSet::ALL);
                let rest = store.derive_whole(id, byte, &mut class);
                let node = store.get(id);
                assert_eq!(rest, store.derive_anew(id, node, byte, &mut same_class));
                assert!(class.contains(byte));
                for other in class.iter() {
                    assert_eq!(rest, store.derive_anew(id, node, other, &mut ByteSet::ALL.clone()));
                }
            }
        }
        assert!(store.derivatives.count() > 10, "some are kept");
        assert!(store.size() >= before + store.derivatives.count(), "and count as memory");
    }

    #[test]
    fn a_string_before_something_is_derived_as_its_partial_derivatives() {
        let mut store = ExpressionStore::new();
        let words = store.literals(["", "a", "abc", "x\"y"].map(Vec::from).to_vec());
        let spelling = store.intern_spelling(Spelling::over(&ByteSet::ALL));
        let string = store.json_string(words, spelling);
        let end = store.literals(["a!", "\"", "?"].map(Vec::from).to_vec());
        let both = store.concatenate(string, end);
        for byte in 0..=255u8 {
            let (mut class, mut same_class) = (ByteSet::ALL, ByteSet::ALL);
            let whole = store.derive_whole(both, byte, &mut class);
            assert_eq!(whole, store.derive_partially(both, byte, &mut same_class));
            assert_eq!(class, same_class);
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
