//! States taken apart where what follows is known only to one place of the text.
//!
//! After each key of an object stands the same: a colon, white space, a value. What comes after the value is different
//! after each, since it remembers which keys have come. Walked as a whole, no two such states have anything in common. So
//! a state is taken apart into *pieces*: a front that many states share, and the rest, which is looked at only where a
//! token completes the front. It is what frames do for calls, for what follows within one frame: the rest is read from the
//! exits of the front, as the continuation of a caller is. A front that ends in a choice among kinds of values is taken
//! apart once more, into one for each kind.

use std::sync::OnceLock;

use smallvec::{SmallVec, smallvec};

use super::automaton::Automaton;
use super::growing::Growing;
use super::state::StateId;
use super::state_cell::Facts;
use crate::budget::Deadline;
use crate::error::Result;
use crate::expression::{Expression, ExpressionId, ExpressionStore, RuleId};
use crate::grammar::PreparedGrammar;

/// What JSON values of each kind begin with.
const KINDS: [&[u8]; 6] = [b"\"", b"-0123456789", b"n", b"tf", b"[", b"{"];

/// A way on from a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// What is read first, one after another. They capture nothing, and unless there is no rest, none is complete at
    /// once.
    pub(crate) fronts: SmallVec<[StateId; 2]>,
    /// What follows in the same frame. Never complete at once.
    pub(crate) rest: Option<StateId>,
}

/// The expressions of a piece.
struct Part {
    fronts: SmallVec<[ExpressionId; 2]>,
    rest: ExpressionId,
}

impl Automaton {
    /// The pieces of a state, which together read what it does; none where it is better walked as it is. Defines
    /// what is deferred at its head, and the rules that its fronts call. Lock-free once it is known.
    pub(crate) fn pieces(&self, state: StateId, deadline: &Deadline) -> Result<&[Piece]> {
        let find = |growing: &mut Growing, id| {
            let found = match growing.grammar.has_leaves() {
                true => self.find_pieces(growing, id, deadline)?,
                false => Box::default(),
            };
            if found.is_empty() { self.find_called_text(growing, id) } else { Ok(found) }
        };
        self.keep_pieces(state, |facts| &facts.pieces, find)
    }

    /// The pieces of a state that begins with more items of a list, as it does behind one: that of one item more, and of what
    /// comes after the last; none of another state. From a few places such a state is sooner walked as it is.
    pub(crate) fn item_pieces(&self, state: StateId, deadline: &Deadline) -> Result<&[Piece]> {
        let find = |growing: &mut Growing, id| match growing.grammar.has_leaves() {
            true => self.find_item_pieces(growing, id, deadline),
            false => Ok(Box::default()),
        };
        self.keep_pieces(state, |facts| &facts.item_pieces, find)
    }

    /// The pieces of a state that are kept at a place among its facts, found from its expression where they are not there yet.
    fn keep_pieces(
        &self,
        state: StateId,
        kept: impl Fn(&Facts) -> &OnceLock<Box<[Piece]>>,
        find: impl FnOnce(&mut Growing, ExpressionId) -> Result<Box<[Piece]>>,
    ) -> Result<&[Piece]> {
        let cell = self.cell(state);
        let kept = kept(cell.facts());
        if let Some(pieces) = kept.get() {
            return Ok(pieces);
        }
        let pieces = self.grow(|growing| match state.captures() {
            true => Ok(Box::default()),
            false => find(growing, cell.expression),
        })?;
        Ok(kept.get_or_init(|| pieces))
    }

    fn find_item_pieces(
        &self,
        growing: &mut Growing,
        state: ExpressionId,
        deadline: &Deadline,
    ) -> Result<Box<[Piece]>> {
        let Some((Part { fronts, rest }, last)) = one_item_more(&mut growing.grammar, state, deadline)?
        else {
            return Ok(Box::default());
        };
        let fronts = fronts.into_iter().map(|front| self.intern(growing, front)).collect::<Result<_>>()?;
        let more = Piece { fronts, rest: Some(self.intern(growing, rest)?) };
        let last = match last {
            Some(last) => Some(Piece { fronts: smallvec![self.intern(growing, last)?], rest: None }),
            None => None,
        };
        Ok(std::iter::once(more).chain(last).collect())
    }

    /// The pieces of a state that begins with a call of a text: the rule that is called and, where more is to come, the rest. Walked from
    /// its caller, a text is known only behind its first byte, and what is known of it from there takes as many walks.
    fn find_called_text(&self, growing: &mut Growing, state: ExpressionId) -> Result<Box<[Piece]>> {
        /// What begins with fewer bytes is no text of any characters.
        const LEAST_BYTES: usize = 128;
        let store = &growing.grammar.expressions;
        let (head, rest) = store.head_and_rest(state);
        let Expression::Call(rule) = store.get(head) else { return Ok(Box::default()) };
        let called = &growing.grammar.rules[rule.index()];
        let (body, is_text) = (called.body, called.first.len() >= LEAST_BYTES);
        let is_whole = rest == ExpressionStore::EMPTY;
        if !is_text
            || store.is_nullable(body)
            || !store.is_regular(body)
            || !is_whole && store.is_nullable(rest)
        {
            return Ok(Box::default());
        }
        let fronts = smallvec![self.intern(growing, body)?];
        let rest = if is_whole { None } else { Some(self.intern(growing, rest)?) };
        Ok(Box::new([Piece { fronts, rest }]))
    }

    fn find_pieces(
        &self,
        growing: &mut Growing,
        state: ExpressionId,
        deadline: &Deadline,
    ) -> Result<Box<[Piece]>> {
        let defined = growing.grammar.with_defined_heads(state, deadline)?;
        let items = growing.grammar.expressions.alternatives_of(defined);
        if are_calls_by_strings(&growing.grammar.expressions, &items) {
            return Ok(Box::default());
        }
        let mut pieces = Vec::with_capacity(items.len());
        let mut whole: SmallVec<[ExpressionId; 4]> = SmallVec::new();
        for item in items {
            match part_of(&mut growing.grammar, item, deadline)? {
                Some(Part { fronts, rest }) => {
                    let fronts = fronts.into_iter().map(|front| self.intern(growing, front));
                    let fronts = fronts.collect::<Result<_>>()?;
                    pieces.push(Piece { fronts, rest: Some(self.intern(growing, rest)?) });
                }
                None if growing.grammar.expressions.captures(item) => return Ok(Box::default()),
                None => whole.push(with_value_last(&mut growing.grammar, item, deadline)?),
            }
        }
        let whole = growing.grammar.expressions.alternatives(&whole);
        let is_shared = whole != state && growing.grammar.expressions.is_regular(whole);
        if pieces.is_empty() && !is_shared {
            let values = values_apart(&mut growing.grammar, whole, deadline)?.into_iter();
            let piece = |value| Ok(Piece { fronts: smallvec![self.intern(growing, value)?], rest: None });
            return values.map(piece).collect();
        }
        if whole != ExpressionStore::NOTHING {
            pieces.push(Piece { fronts: smallvec![self.intern(growing, whole)?], rest: None });
        }
        Ok(pieces.into())
    }
}

/// Whether each of many alternatives begins with a fixed string and calls something later: tokens seldom read on to where
/// that is called, and what each calls would have to be defined.
fn are_calls_by_strings(store: &ExpressionStore, items: &[ExpressionId]) -> bool {
    const MANY: usize = 4;
    let begins_with_string = |&item: &ExpressionId| matches!(store.get(item), Expression::Concatenation(head, _) if matches!(store.get(head), Expression::Literals(_)));
    items.len() >= MANY && items.iter().all(|item| begins_with_string(item) && !store.is_regular(*item))
}

/// Fronts, taken operand by operand from the beginning of a concatenation.
#[derive(Default)]
struct Fronts {
    all: SmallVec<[ExpressionId; 2]>,
    /// Those since the last front.
    group: SmallVec<[ExpressionId; 4]>,
}

impl Fronts {
    /// Whether what was taken since the last front may all match nothing.
    fn is_nullable(&self, store: &ExpressionStore) -> bool {
        self.group.iter().all(|&operand| store.is_nullable(operand))
    }

    /// Takes an operand: what is called begins a front of its own, and so does what comes after a transparent call has begun.
    /// Returns false for what is deferred or captures a text, which no front holds.
    fn take(
        &mut self,
        grammar: &mut PreparedGrammar,
        operand: ExpressionId,
        deadline: &Deadline,
    ) -> Result<bool> {
        let rule = match grammar.expressions.get(operand) {
            Expression::Call(rule) => rule,
            _ if !grammar.expressions.is_regular(operand) => return Ok(false),
            _ => {
                self.group.push(operand);
                return Ok(true);
            }
        };
        if !self.is_nullable(&grammar.expressions) {
            self.end_front(&mut grammar.expressions);
        }
        if !grammar.rules[rule.index()].is_transparent {
            self.group.push(called(grammar, rule, deadline)?);
            return Ok(true);
        }
        let mut rest = grammar.rules[rule.index()].body;
        while let Expression::Concatenation(head, tail) = grammar.expressions.get(rest) {
            self.take(grammar, head, deadline)?;
            rest = tail;
        }
        self.take(grammar, rest, deadline)
    }

    fn end_front(&mut self, store: &mut ExpressionStore) {
        let group = std::mem::take(&mut self.group);
        self.all.push(store.concatenation(&group));
    }
}

/// Takes a concatenation apart before the first operand that is deferred or captures a text, and before what is called.
/// `None` where there is none, or where the front may match nothing.
fn part_of(grammar: &mut PreparedGrammar, id: ExpressionId, deadline: &Deadline) -> Result<Option<Part>> {
    let (mut fronts, mut rest) = (Fronts::default(), id);
    while let Expression::Concatenation(head, tail) = grammar.expressions.get(rest)
        && fronts.take(grammar, head, deadline)?
    {
        rest = tail;
    }
    let store = &mut grammar.expressions;
    let is_shared = store.is_regular(rest) || matches!(store.get(rest), Expression::Call(_));
    if is_shared || fronts.is_nullable(store) || store.is_nullable(rest) {
        return Ok(None);
    }
    fronts.end_front(store);
    Ok(Some(Part { fronts: fronts.all, rest }))
}

/// Takes one item off the repetition of items that an expression begins with: the item, as fronts, with all that comes after
/// it; and, where none need come, what comes after them. `None` where there is no such repetition, or an item may match nothing.
fn one_item_more(
    grammar: &mut PreparedGrammar,
    id: ExpressionId,
    deadline: &Deadline,
) -> Result<Option<(Part, Option<ExpressionId>)>> {
    let Expression::Concatenation(items, after) = grammar.expressions.get(id) else { return Ok(None) };
    let Expression::Repetition { body, minimum, maximum } = grammar.expressions.get(items) else {
        return Ok(None);
    };
    let store = &grammar.expressions;
    if store.is_regular(body)
        || !store.is_regular(after)
        || store.is_nullable(body)
        || store.is_nullable(after)
    {
        return Ok(None);
    }
    let (mut fronts, mut rest) = (Fronts::default(), body);
    loop {
        let (head, tail) = match grammar.expressions.get(rest) {
            Expression::Concatenation(head, tail) => (head, Some(tail)),
            _ => (rest, None),
        };
        if !fronts.take(grammar, head, deadline)? {
            return Ok(None);
        }
        match tail {
            Some(tail) => rest = tail,
            None => break,
        }
    }
    if fronts.is_nullable(&grammar.expressions) {
        return Ok(None);
    }
    let store = &mut grammar.expressions;
    fronts.end_front(store);
    let maximum = (maximum != ExpressionStore::UNBOUNDED).then(|| maximum - 1);
    let further = store.repetition(body, minimum.saturating_sub(1), maximum);
    let rest = store.concatenate(further, after);
    Ok(Some((Part { fronts: fronts.all, rest }, (minimum == 0).then_some(after))))
}

/// The same concatenation, where it ends in a call of a rule whose definition is regular, or a choice among what is and
/// calls, with that in place of the call. Where it is nothing but a call, only such a choice is worth it.
fn with_value_last(
    grammar: &mut PreparedGrammar,
    id: ExpressionId,
    deadline: &Deadline,
) -> Result<ExpressionId> {
    let mut operands: SmallVec<[ExpressionId; 4]> = SmallVec::new();
    let mut last = id;
    while let Expression::Concatenation(head, tail) = grammar.expressions.get(last) {
        if !grammar.expressions.is_regular(head) {
            return Ok(id);
        }
        operands.push(head);
        last = tail;
    }
    let Expression::Call(rule) = grammar.expressions.get(last) else { return Ok(id) };
    let body = grammar.rules[rule.index()].body;
    if grammar.plainly_nests(body) {
        return Ok(id);
    }
    let value = grammar.define(body, deadline)?;
    let store = &grammar.expressions;
    let is_plain =
        |&part: &ExpressionId| store.is_regular(part) || matches!(store.get(part), Expression::Call(_));
    let is_choice = matches!(store.get(value), Expression::Alternatives(_))
        && store.alternatives_of(value).iter().all(is_plain);
    let is_text = !operands.is_empty() && store.is_regular(value);
    if !is_choice && !is_text {
        return Ok(id);
    }
    operands.push(value);
    Ok(grammar.expressions.concatenation(&operands))
}

/// A concatenation that ends in one of several kinds of JSON values, once for each kind; none where it does not.
///
/// A string, a number or `null` behind a colon is the same wherever it stands, but there are many ways to choose among them.
fn values_apart(
    grammar: &mut PreparedGrammar,
    id: ExpressionId,
    deadline: &Deadline,
) -> Result<SmallVec<[ExpressionId; 4]>> {
    let mut before: SmallVec<[ExpressionId; 4]> = SmallVec::new();
    let mut last = id;
    while let Expression::Concatenation(head, tail) = grammar.expressions.get(last) {
        before.push(head);
        last = tail;
    }
    let values = match grammar.expressions.get(last) {
        Expression::Alternatives(_) if before.iter().all(|&head| grammar.expressions.is_regular(head)) => {
            grammar.expressions.alternatives_of(last)
        }
        _ => return Ok(SmallVec::new()),
    };
    let mut by_kind: [SmallVec<[ExpressionId; 4]>; KINDS.len()] = Default::default();
    for value in values {
        let first = grammar.first_bytes(value, deadline)?;
        let is_of = |kind: &&[u8]| first.difference(&kind.iter().copied().collect()).is_empty();
        let Some(kind) = KINDS.iter().position(is_of) else { return Ok(SmallVec::new()) };
        by_kind[kind].push(value);
    }
    if by_kind.iter().filter(|values| !values.is_empty()).count() < 2 {
        return Ok(SmallVec::new());
    }
    let store = &mut grammar.expressions;
    let mut apart = SmallVec::new();
    for values in by_kind.iter().filter(|values| !values.is_empty()) {
        before.push(store.alternatives(values));
        apart.push(store.concatenation(&before));
        before.pop();
    }
    Ok(apart)
}

/// What a rule matches, so that equal values are the same: its definition where that is regular, or else a call of
/// the first rule with this body.
fn called(grammar: &mut PreparedGrammar, rule: RuleId, deadline: &Deadline) -> Result<ExpressionId> {
    let body = grammar.rules[rule.index()].body;
    if !grammar.plainly_nests(body) {
        let definition = grammar.define(body, deadline)?;
        if grammar.expressions.is_regular(definition) {
            return Ok(definition);
        }
    }
    let same = grammar.same_rule(rule);
    Ok(grammar.expressions.call(same))
}
