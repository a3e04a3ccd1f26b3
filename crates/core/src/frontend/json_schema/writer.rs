//! From goals to expressions, place by place.
//!
//! Every goal is a rule, so that equal values are recognised by the same states wherever they stand. What
//! is inside an object or an array depends on what has come, so it is *deferred*: each [`Place`] is defined
//! when the text reaches it, and refers to the places after it. A key is *captured*: which property it is,
//! and whether it has come before, is decided by its characters, however they are spelled.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::condition::{GoalId, Kind, ScopeId};
use super::constant::Constant;
use super::layout::Layout;
use super::places::{Captured, CapturedId, Parts, Place, PlaceId, Places, Receiver, ReceiverId};
use super::solver::Solver;
use super::spelling::parse_value;
use super::tables::Case;
use crate::error::{Error, Result};
use crate::expression::{ByteSet, ExpressionId, ExpressionStore, LeafId, RuleId, SpellingId};
use crate::grammar::{PreparedName, PreparedRule};

/// Writes the expressions of places.
pub(super) struct Writer<'a> {
    pub(super) solver: Solver<'a>,
    /// Who the writer is among those that write into the same store.
    pub(super) leaf: LeafId,
    pub(super) spelling: SpellingId,
    pub(super) places: &'a mut Places,
    pub(super) layout: &'a Layout,
    pub(super) rules: &'a mut Vec<PreparedRule>,
    /// The rules of values, by their goals, and of those of one kind.
    pub(super) rule_of: &'a mut FxHashMap<(GoalId, Option<Kind>, u32), RuleId>,
    /// The rules of what follows a key, by the goals of its value.
    pub(super) member_rule_of: &'a mut FxHashMap<(GoalId, u32), RuleId>,
    /// The rule of any key.
    pub(super) any_key_rule: &'a mut Option<RuleId>,
}

impl Writer<'_> {
    /// What a place stands for.
    pub(super) fn define(&mut self, id: PlaceId) -> Result<ExpressionId> {
        let defined = self.define_place(id);
        self.placed_in(defined, id)
    }

    fn define_place(&mut self, id: PlaceId) -> Result<ExpressionId> {
        match self.places.place(id).clone() {
            Place::Value { goal, kind, depth } => self.value(goal, kind, depth),
            Place::Items(_) => self.items(id),
            Place::Members(_) => self.members(id),
            Place::Joined(places) => match self.places.place(places[0]) {
                Place::Items(_) => self.items(id),
                _ => self.members(id),
            },
            Place::BehindOtherKey { object, class } => self.after_other_key(object, class as usize, None),
            Place::Keys { object } => self.keys(object),
            Place::BehindContainer { receiver, parts } => {
                let container = self.container_of(parts);
                self.check_depth(&container)?;
                Ok(self.received(receiver, Some(container)))
            }
            Place::Outline(outline) => self.members_in_outline(&outline),
            Place::OutlinedKinds { others, object } => self.kinds_in_outline(others, object),
        }
    }

    /// What comes after a captured text; with `None`, after any, whatever it may not be again.
    pub(super) fn after(&mut self, capture: CapturedId, text: Option<&[u8]>) -> Result<ExpressionId> {
        match (self.places.captured(capture), text) {
            (Captured::Key(place), Some(text)) => {
                let after = self.after_key(place, text);
                self.placed_in(after, place)
            }
            (Captured::Telling(told, name), Some(text)) => Ok(self.after_telling(told, name, text)),
            (Captured::Key(_) | Captured::Telling(..), None) => Ok(ExpressionStore::NOTHING),
            (Captured::Unread { is_whole }, _) => Ok(self.after_unread(is_whole)),
            (Captured::OtherKey(place, class), text) => {
                let after = self.after_other_key(place, class as usize, text);
                self.placed_in(after, place)
            }
            (Captured::Scalar(receiver), None) if self.places.receiver_of(receiver).is_compared() => {
                Ok(ExpressionStore::NOTHING)
            }
            (Captured::Scalar(receiver), None) => Ok(self.received(receiver, None)),
            (Captured::Scalar(receiver), Some(text)) => match parse_value(text) {
                Some(value) => Ok(self.received(receiver, Some(value))),
                None => Ok(ExpressionStore::NOTHING),
            },
        }
    }

    /// What came of writing a place of the text. An error that has no place in the schema yet gets that of the array or object.
    fn placed_in<T>(&self, result: Result<T>, id: PlaceId) -> Result<T> {
        let tables = &self.solver.tables;
        match self.places.place(id) {
            Place::Items(place) => self.solver.placed_case(result, tables.arrays.case(place.plan)),
            Place::Members(place) => self.solver.placed_case(result, tables.objects.case(place.plan)),
            // What takes too much in one of them does not say so by the others.
            Place::Joined(places) => self.placed_in(result, places[0]),
            &(Place::Keys { object } | Place::BehindOtherKey { object, .. }) => {
                self.placed_in(result, object)
            }
            Place::Value { .. } | Place::BehindContainer { .. } => result,
            Place::Outline(_) | Place::OutlinedKinds { .. } => result,
        }
    }

    /// The rule of the values that satisfy a goal.
    pub(super) fn rule(&mut self, goal: GoalId, depth: u32) -> Result<RuleId> {
        let depth = if self.layout.depends_on_depth() { depth } else { 0 };
        if let Some(&rule) = self.rule_of.get(&(goal, None, depth)) {
            return Ok(rule);
        }
        let same = self.solver.representative(goal);
        let first = self.solver.first_bytes(same)?;
        // The body is shared with all rules of such values, and the name with none.
        let body = self.deferred(Place::Value { goal: same, kind: None, depth });
        Ok(self.new_rule(goal, None, depth, body, first))
    }

    /// The rule of the arrays or objects that satisfy a goal, where other values do, too: those of many goals say the same,
    /// and as far as tokens can tell, nearly all do.
    pub(super) fn container_rule(&mut self, goal: GoalId, kind: Kind, depth: u32) -> RuleId {
        let depth = if self.layout.depends_on_depth() { depth } else { 0 };
        if let Some(&rule) = self.rule_of.get(&(goal, Some(kind), depth)) {
            return rule;
        }
        let first: &[u8] = if kind == Kind::Array { b"[" } else { b"{" };
        let body = self.deferred(Place::Value { goal, kind: Some(kind), depth });
        self.new_rule(goal, Some(kind), depth, body, first.iter().copied().collect())
    }

    fn new_rule(
        &mut self,
        goal: GoalId,
        kind: Option<Kind>,
        depth: u32,
        body: ExpressionId,
        first: ByteSet,
    ) -> RuleId {
        let rule = RuleId(self.rules.len() as u32);
        let name = PreparedName::Defined(self.leaf);
        self.rules.push(PreparedRule { name, body, first, is_transparent: false });
        self.rule_of.insert((goal, kind, depth), rule);
        rule
    }

    /// The rule of what follows a key: a colon and a value that satisfies a goal. One for all goals that plainly say the
    /// same.
    pub(super) fn member_rule(&mut self, goal: GoalId, depth: u32) -> Result<RuleId> {
        let depth = if self.layout.depends_on_depth() { depth } else { 0 };
        if let Some(&rule) = self.member_rule_of.get(&(goal, depth)) {
            return Ok(rule);
        }
        let same = self.solver.representative(goal);
        let rule = match self.member_rule_of.get(&(same, depth)) {
            Some(&rule) => rule,
            None => {
                let value = self.rule(same, depth)?;
                let value = self.solver.expressions.call(value);
                let colon = self.layout.expression(&self.layout.after_key(), self.solver.expressions);
                let body = self.solver.expressions.concatenate(colon, value);
                self.transparent_rule(body, colon)
            }
        };
        self.member_rule_of.extend([((goal, depth), rule), ((same, depth), rule)]);
        Ok(rule)
    }

    /// The rule of any key, its first quote read: a frame of its own, so that masks read what comes before it apart.
    pub(super) fn any_key_rule(&mut self) -> RuleId {
        if let Some(rule) = *self.any_key_rule {
            return rule;
        }
        let key = self.any_key();
        let rule = self.transparent_rule(key, key);
        *self.any_key_rule.insert(rule)
    }

    /// A rule that says no more than its body, with what that begins with.
    fn transparent_rule(&mut self, body: ExpressionId, beginning: ExpressionId) -> RuleId {
        let first = self.solver.expressions.first_bytes(beginning);
        self.rules.push(PreparedRule { name: PreparedName::None, body, first, is_transparent: true });
        RuleId(self.rules.len() as u32 - 1)
    }

    pub(super) fn deferred(&mut self, place: Place) -> ExpressionId {
        let id = self.places.number(place);
        self.solver.expressions.deferred(self.leaf, id.0)
    }

    pub(super) fn capture(&mut self, content: ExpressionId, captured: Captured) -> ExpressionId {
        let id = self.places.capture(captured);
        let id = self.solver.expressions.capture_id(self.leaf, id.0);
        self.solver.expressions.capture(content, id)
    }

    /// The values that satisfy a goal, and what comes after it in the place of who receives the value.
    pub(super) fn received_value(
        &mut self,
        goal: GoalId,
        depth: u32,
        receiver: ReceiverId,
    ) -> Result<ExpressionId> {
        let value = self.value_of_kinds(goal, &Kind::ALL, depth, Some(receiver));
        self.solver.placed(value, goal)
    }

    /// The values that satisfy a goal, of any kind or of one.
    fn value(&mut self, goal: GoalId, kind: Option<Kind>, depth: u32) -> Result<ExpressionId> {
        let root = self.solver.goal_of(self.solver.schemas.root, ScopeId::NONE);
        let value = match kind {
            Some(kind) => self.value_of_kinds(goal, &[kind], depth, None),
            // What any value may be is known as a whole, and what a whole text may be shares no steps with values within it.
            None if goal == GoalId::ANYTHING || goal == root => {
                self.value_of_kinds(goal, &Kind::ALL, depth, None)
            }
            None => self.value_by_kind(goal, depth),
        };
        self.solver.placed(value, goal)
    }

    /// The values of any kind, with arrays and objects called where there are values of other kinds, too.
    fn value_by_kind(&mut self, goal: GoalId, depth: u32) -> Result<ExpressionId> {
        let kinds = self.solver.kinds(goal)?;
        let is_container = |kind: &Kind| matches!(kind, Kind::Array | Kind::Object);
        let (containers, scalars): (Vec<Kind>, Vec<Kind>) = kinds.iter().copied().partition(is_container);
        if kinds.len() < 2 || containers.is_empty() {
            return self.value_of_kinds(goal, &kinds, depth, None);
        }
        let mut all = vec![self.value_of_kinds(goal, &scalars, depth, None)?];
        for kind in containers {
            let rule = self.container_rule(goal, kind, depth);
            all.push(self.solver.expressions.call(rule));
        }
        Ok(self.solver.expressions.alternatives(&all))
    }

    pub(super) fn value_of_kinds(
        &mut self,
        goal: GoalId,
        kinds: &[Kind],
        depth: u32,
        receiver: Option<ReceiverId>,
    ) -> Result<ExpressionId> {
        let mut scalars = Vec::new();
        let mut contents = Vec::new();
        let (mut arrays, mut objects) = (Vec::new(), Vec::new());
        let mut all = Vec::new();
        for &kind in kinds {
            for case in self.possible_cases(goal, kind)? {
                let store = &mut *self.solver.expressions;
                match kind {
                    Kind::Null => scalars.push(store.literal(b"null")),
                    Kind::Boolean => {
                        for value in self.solver.booleans(&case) {
                            let word: &[u8] = if value { b"true" } else { b"false" };
                            scalars.push(self.solver.expressions.literal(word));
                        }
                    }
                    Kind::Number => {
                        let text = self.solver.number_text(&case)?;
                        let is_compared = receiver.is_some();
                        scalars.push(if is_compared { self.comparable(text) } else { text });
                    }
                    Kind::String => contents.push(self.solver.content(&case)?),
                    Kind::Array => arrays.push(self.array(&case, depth, receiver)?),
                    Kind::Object => objects.push(self.object(&case, depth, receiver)?),
                }
            }
        }
        if !arrays.is_empty() {
            let (open, inside) = (self.solver.expressions.literal(b"["), self.one_of_arrays(arrays)?);
            all.push(self.solver.expressions.concatenate(open, inside));
        }
        if !objects.is_empty() {
            let (open, inside) = (self.solver.expressions.literal(b"{"), self.one_of_places(objects));
            all.push(self.solver.expressions.concatenate(open, inside));
        }
        if !contents.is_empty() {
            let content = self.solver.expressions.alternatives(&contents);
            scalars.push(self.quoted(content));
        }
        let scalars = self.solver.expressions.alternatives(&scalars);
        all.push(match receiver {
            None => scalars,
            Some(receiver) => self.capture(scalars, Captured::Scalar(receiver)),
        });
        Ok(self.solver.expressions.alternatives(&all))
    }

    /// Those texts of numbers whose values can be compared: with exponents of up to eight digits.
    pub(super) fn comparable(&mut self, text: ExpressionId) -> ExpressionId {
        let store = &mut *self.solver.expressions;
        let digit = store.bytes(ByteSet::range(b'0', b'9'));
        let mantissa = store.bytes(ByteSet::range(b'0', b'9').union(&b"-.".iter().copied().collect()));
        let mantissa = store.repetition(mantissa, 1, None);
        let (letter, sign) =
            (store.bytes(b"eE".iter().copied().collect()), store.bytes(b"+-".iter().copied().collect()));
        let (sign, zero) = (store.repetition(sign, 0, Some(1)), store.literal(b"0"));
        let zeros = store.repetition(zero, 0, None);
        let digits = store.repetition(digit, 1, Some(8));
        let exponent = store.concatenation(&[letter, sign, zeros, digits]);
        let exponent = store.repetition(exponent, 0, Some(1));
        let all = store.concatenate(mantissa, exponent);
        store.intersection(&[text, all])
    }

    /// The cases of a goal that some value meets.
    pub(super) fn possible_cases(&mut self, goal: GoalId, kind: Kind) -> Result<Vec<Case>> {
        let mut possible = Vec::new();
        for case in self.solver.cases(goal, kind)?.iter() {
            if self.solver.case_possible(kind, case)? == super::satisfy::Possible::Yes {
                possible.push(Case::clone(case));
            }
        }
        Ok(possible)
    }

    /// A string in quotes.
    pub(super) fn quoted(&mut self, content: ExpressionId) -> ExpressionId {
        let store = &mut *self.solver.expressions;
        let (quote, text) = (store.literal(b"\""), store.json_string(content, self.spelling));
        store.concatenation(&[quote, text, quote])
    }

    /// What comes after an array or object: nothing, or the place of who receives it, who may have to do without it.
    pub(super) fn deliver(
        &mut self,
        receiver: Option<ReceiverId>,
        is_vague: bool,
        parts: Parts,
    ) -> ExpressionId {
        match receiver {
            None => ExpressionStore::EMPTY,
            Some(receiver) if is_vague => self.received(receiver, None),
            Some(receiver) => self.deferred(Place::BehindContainer { receiver, parts }),
        }
    }

    /// The array or object of some parts.
    fn container_of(&self, parts: Parts) -> Constant {
        let terms = &self.solver.tables.terms;
        match parts {
            Parts::Items(items) => {
                let items = self.places.items.elements(items).into_iter();
                Constant::Array(items.map(|item| terms.constant(item).clone()).collect())
            }
            Parts::Members(members) => {
                let members = self.places.members.backwards(members);
                let members = members
                    .map(|(name, value)| (terms.content(name).to_vec(), terms.constant(value).clone()));
                Constant::Object(Arc::new(members.collect()))
            }
        }
    }

    /// That a value that others are compared with nests no deeper than a schema may: a text has no end of brackets.
    fn check_depth(&self, value: &Constant) -> Result<()> {
        let limit = self.solver.budget.greatest_nesting();
        if value.depth() <= limit {
            return Ok(());
        }
        Err(Error::exceeded("nesting", limit, "by a value in the text that others have to differ from"))
    }

    /// The place after a value. Without the value, nothing can be unlike it there.
    fn received(&mut self, receiver: ReceiverId, value: Option<Constant>) -> ExpressionId {
        let place = match self.places.receiver_of(receiver).clone() {
            Receiver::Item { after: mut place, is_compared, .. } => {
                place.is_vague |= value.is_none();
                if let Some(value) = value {
                    if is_compared {
                        let before = place.state.candidates;
                        let part = self.solver.next_item(before);
                        place.state.candidates = self.solver.candidates_after(before, part, &value);
                    }
                    let value = self.solver.tables.terms.value(value);
                    place.items = self.places.items.push(place.items, value);
                }
                Place::Items(Arc::new(place))
            }
            Receiver::Member { name, after, is_compared } => {
                let after = self.received_member(name, after, is_compared, value.as_ref());
                return self.expression_of(after);
            }
        };
        self.deferred(place)
    }
}
