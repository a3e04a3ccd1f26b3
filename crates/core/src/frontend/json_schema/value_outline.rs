//! The outlines of values: of objects, of arrays of such, and of `null` beside them, whose keywords plainly say how they begin.
//! Items of arrays may be of other kinds, too, as where a schema names no type: of those, nothing else may be said.
//!
//! Before a value, and already before the colon, masks ask how it may begin. An object is known by then only as far as
//! `{"`, and that many have in common: to see it, neither cases nor a plan are needed, which are made when a text gets there.

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::condition::{Condition, GoalId, Kind, ScopeId, UNDECLARED};
use super::options::PropertyOrder;
use super::places::{Captured, Outline, OutlinedKeys, Place};
use super::schema::{ArrayKeywords, Body, Keywords, ObjectKeywords, SchemaId, TypeSet};
use super::writer::Writer;
use crate::error::Result;
use crate::expression::{ByteSet, ExpressionId};
use crate::vocabulary::WholeStrings;

/// How many arrays and references may lead to the objects.
const DEEPEST: u32 = 6;

/// Where a value stands whose outline is asked for.
#[derive(Clone, Copy)]
struct Position<'a> {
    scope: ScopeId,
    depth: u32,
    /// Whether it is an item of an array with an outline. Of several kinds of values elsewhere, each has steps of its own.
    is_item: bool,
    strings: &'a WholeStrings,
}

/// The outline of some values.
struct ValueOutline {
    expression: ExpressionId,
    /// The bytes with which they begin: each of these, and no others.
    first: ByteSet,
}

impl Writer<'_> {
    /// The outline of the values that satisfy a goal, of any kind or of one; `None` where it has none.
    pub(super) fn value_outline(
        &mut self,
        goal: GoalId,
        kind: Option<Kind>,
        depth: u32,
        strings: &WholeStrings,
    ) -> Result<Option<ExpressionId>> {
        match *self.solver.tables.terms.conditions(goal) {
            [Condition::Schema { schema, scope, holds: true }]
                if !self.solver.schemas.has_dynamic_references =>
            {
                let position = Position { scope, depth, is_item: false, strings };
                let outline = self.schema_outline(schema, kind, position, DEEPEST)?;
                Ok(outline.map(|outline| outline.expression))
            }
            _ => Ok(None),
        }
    }

    fn schema_outline(
        &mut self,
        schema: SchemaId,
        kind: Option<Kind>,
        position: Position<'_>,
        deepest: u32,
    ) -> Result<Option<ValueOutline>> {
        let schemas = self.solver.schemas;
        let Body::Keywords(keywords) = &schemas.schemas[schema.index()].body else { return Ok(None) };
        let Keywords { types, array, object, applicators, .. } = &**keywords;
        if let Some(target) = applicators.sole_conjunct()
            && keywords.says_only_applicators()
            && deepest > 0
        {
            return self.schema_outline(target, kind, position, deepest - 1);
        }
        if !applicators.is_empty() || keywords.listed_values().is_some() {
            return Ok(None);
        }
        let (kind, or_null) = match (kind, *types) {
            (Some(kind), types) if types.is_none_or(|types| kind.is_in(types)) => (kind, false),
            (None, Some(types)) => match types.without(TypeSet::NULL) {
                TypeSet::OBJECT => (Kind::Object, types.overlaps(TypeSet::NULL)),
                TypeSet::ARRAY => (Kind::Array, types.overlaps(TypeSet::NULL)),
                _ if position.is_item => return self.outline_of_kinds(schema, keywords, position),
                _ => return Ok(None),
            },
            (None, None) if position.is_item => return self.outline_of_kinds(schema, keywords, position),
            _ => return Ok(None),
        };
        if self.solver.evident(schema, kind) != Some(true) {
            return Ok(None);
        }
        let outline = match kind {
            Kind::Object => self.object_outline(object, position)?,
            Kind::Array if deepest > 0 => self.array_outline(array, position, deepest - 1)?,
            _ => None,
        };
        Ok(outline.map(|outline| {
            let mut first = kind.first_bytes();
            let mut expression = outline;
            if or_null {
                let null = self.solver.expressions.literal(b"null");
                first = first.union(&Kind::Null.first_bytes());
                expression = self.solver.expressions.alternatives(&[null, outline]);
            }
            ValueOutline { expression, first }
        }))
    }

    /// The outline of values of several kinds of which the keywords say nothing but for objects.
    fn outline_of_kinds(
        &mut self,
        schema: SchemaId,
        keywords: &Keywords,
        position: Position<'_>,
    ) -> Result<Option<ValueOutline>> {
        let Keywords { types, string, number, array, object, .. } = keywords;
        let types = types.unwrap_or(TypeSet::ALL);
        let numbers = types.intersection(TypeSet::NUMBER);
        let some_integers = numbers != TypeSet::NUMBER && numbers != TypeSet::NONE;
        if some_integers || !string.is_empty() || !number.is_empty() || !array.is_empty() {
            return Ok(None);
        }
        if !types.overlaps(TypeSet::OBJECT) || self.solver.evident(schema, Kind::Object) != Some(true) {
            return Ok(None);
        }
        let Some(object) = self.outlined_object(object, position)? else { return Ok(None) };
        let others = types.without(TypeSet::OBJECT);
        let kinds = Kind::ALL.into_iter().filter(|kind| kind.is_in(types));
        let first = kinds.fold(ByteSet::EMPTY, |first, kind| first.union(&kind.first_bytes()));
        let expression = self.deferred(Place::OutlinedKinds { others, object });
        Ok(Some(ValueOutline { expression, first }))
    }

    /// The values of some kinds of which nothing is said, and objects as far as an outline goes.
    pub(super) fn kinds_in_outline(&mut self, others: TypeSet, object: Outline) -> Result<ExpressionId> {
        let depth = object.depth;
        let is_other = |kind: &Kind| kind.is_in(others);
        let scalars = [Kind::Null, Kind::Boolean, Kind::Number, Kind::String].into_iter().filter(is_other);
        let scalars: SmallVec<[Kind; 4]> = scalars.collect();
        let mut all = vec![
            self.value_of_kinds(GoalId::ANYTHING, &scalars, depth, None)?,
            self.object_in_outline(object),
        ];
        if is_other(&Kind::Array) {
            let arrays = self.container_rule(GoalId::ANYTHING, Kind::Array, depth);
            all.push(self.solver.expressions.call(arrays));
        }
        Ok(self.solver.expressions.alternatives(&all))
    }

    /// The outline of objects of which some satisfies the keywords.
    fn object_outline(
        &mut self,
        keywords: &ObjectKeywords,
        position: Position<'_>,
    ) -> Result<Option<ExpressionId>> {
        let outline = self.outlined_object(keywords, position)?;
        Ok(outline.map(|outline| self.object_in_outline(outline)))
    }

    fn object_in_outline(&mut self, outline: Outline) -> ExpressionId {
        let (open, inside) = (self.solver.expressions.literal(b"{"), self.deferred(Place::Outline(outline)));
        self.solver.expressions.concatenate(open, inside)
    }

    /// What an outline says of objects of which some satisfies the keywords, before their first members.
    fn outlined_object(
        &mut self,
        keywords: &ObjectKeywords,
        Position { scope, depth, strings, .. }: Position<'_>,
    ) -> Result<Option<Outline>> {
        let ObjectKeywords { properties, required, unevaluated_properties, .. } = keywords;
        let is_limited = keywords.minimum_properties.is_some() || keywords.maximum_properties.is_some();
        if is_limited || unevaluated_properties.is_some() || !keywords.has_independent_members() {
            return Ok(None);
        }
        let schemas = self.solver.schemas;
        let additional = match keywords.additional_properties {
            None => Some(GoalId::ANYTHING),
            Some(schema) => match schemas.schemas[schema.index()].body {
                Body::Always(false) => None,
                _ => Some(self.solver.goal_of(schema, scope)),
            },
        };
        let names = || properties.iter().map(|(name, _)| name).chain(required);
        let may_end = required.is_empty();
        let must_declared_come =
            self.solver.options.order == PropertyOrder::Declared && self.requires_declared(keywords);
        let keys = match additional {
            // All others come behind those.
            _ if must_declared_come => {
                OutlinedKeys::Named { first: self.first_of(names().map(String::as_bytes)) }
            }
            Some(goal) => {
                let any_order = self.solver.options.order == PropertyOrder::Any || required.is_empty();
                if !any_order || self.solver.evident_satisfiable(goal) != Some(true) {
                    return Ok(None);
                }
                match names().any(|name| strings.may_hold(name.as_bytes())) {
                    true => OutlinedKeys::Any,
                    false => OutlinedKeys::AnyThen { goal, may_end },
                }
            }
            None => {
                let may_come = |schema| {
                    let goal = self.solver.goal_of(schema, scope);
                    self.solver.evident_satisfiable(goal) == Some(true)
                };
                if required.is_empty() && !properties.iter().map(|&(_, schema)| schema).any(may_come) {
                    return Ok(None);
                }
                OutlinedKeys::Named { first: self.first_of(names().map(String::as_bytes)) }
            }
        };
        let depth = if self.layout.depends_on_depth() { depth } else { 0 };
        Ok(Some(Outline { is_first: true, may_end, keys, depth }))
    }

    /// Whether a name that has a place in the order of declaration must come.
    fn requires_declared(&self, ObjectKeywords { properties, required, .. }: &ObjectKeywords) -> bool {
        let required: FxHashSet<&str> = required.iter().map(String::as_str).collect();
        let is_declared = |schema| self.solver.declared_position(schema) != UNDECLARED;
        properties.iter().any(|(name, schema)| required.contains(name.as_str()) && is_declared(*schema))
    }

    /// The outline of arrays of which some satisfies the keywords, and whose items have outlines.
    fn array_outline(
        &mut self,
        keywords: &ArrayKeywords,
        position: Position<'_>,
        deepest: u32,
    ) -> Result<Option<ExpressionId>> {
        let ArrayKeywords { prefix_items, items, contains, unevaluated_items, unique_items, .. } = keywords;
        let &Some(items) = items else { return Ok(None) };
        // Where two may come, an outline ends before it matters whether a third may.
        let is_limited = keywords.maximum_items.is_some_and(|most| most < 2) || *unique_items;
        if is_limited || !prefix_items.is_empty() || contains.is_some() || unevaluated_items.is_some() {
            return Ok(None);
        }
        let least = keywords.minimum_items.unwrap_or(0);
        let depth = position.depth;
        let item = Position { depth: depth + 1, is_item: true, ..position };
        let Some(item) = self.schema_outline(items, None, item, deepest)? else { return Ok(None) };
        let (before, between) = (self.before_value(true, depth), self.before_value(false, depth));
        // White space may come before it, so a walk sees that the text is captured behind its first byte only, and a token may end there.
        let (first, any) =
            (self.solver.expressions.bytes(item.first), self.solver.expressions.bytes(ByteSet::ALL));
        let beginning = self.solver.expressions.concatenate(first, any);
        let next = self.capture(beginning, Captured::Unread { is_whole: false });
        let mut after = vec![self.solver.expressions.concatenate(between, next)];
        if least < 2 {
            after.push(self.end_of_container(false, depth, b"]"));
        }
        let after = self.solver.expressions.alternatives(&after);
        let mut all = vec![self.solver.expressions.concatenation(&[before, item.expression, after])];
        if least == 0 {
            all.push(self.end_of_container(true, depth, b"]"));
        }
        let inside = self.solver.expressions.alternatives(&all);
        let open = self.solver.expressions.literal(b"[");
        Ok(Some(self.solver.expressions.concatenate(open, inside)))
    }
}
