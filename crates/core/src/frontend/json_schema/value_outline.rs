//! The outlines of values: of objects, and of arrays of such, whose keywords plainly say how they begin.
//!
//! Before a value, and already before the colon, masks ask how it may begin. An object is known by then only as far as
//! `{"`, and that many have in common: to see it, neither cases nor a plan are needed, which are made when a text gets there.

use super::condition::{Condition, GoalId, Kind, ScopeId};
use super::options::PropertyOrder;
use super::places::{Captured, Outline, OutlinedKeys, Place};
use super::schema::{ArrayKeywords, Body, Keywords, ObjectKeywords, SchemaId, TypeSet};
use super::writer::Writer;
use crate::error::Result;
use crate::expression::{ByteSet, ExpressionId};
use crate::vocabulary::WholeStrings;

/// How deep arrays within arrays are looked into.
const DEEPEST: u32 = 3;

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
                self.schema_outline(schema, scope, kind, depth, strings, DEEPEST)
            }
            _ => Ok(None),
        }
    }

    fn schema_outline(
        &mut self,
        schema: SchemaId,
        scope: ScopeId,
        kind: Option<Kind>,
        depth: u32,
        strings: &WholeStrings,
        deepest: u32,
    ) -> Result<Option<ExpressionId>> {
        let schemas = self.solver.schemas;
        let Body::Keywords(keywords) = &schemas.schemas[schema.index()].body else { return Ok(None) };
        let Keywords { types, array, object, applicators, .. } = &**keywords;
        if !applicators.is_empty() || keywords.listed_values().is_some() {
            return Ok(None);
        }
        let kind = match (kind, *types) {
            (Some(kind), types) if types.is_none_or(|types| kind.is_in(types)) => kind,
            (None, Some(TypeSet::OBJECT)) => Kind::Object,
            (None, Some(TypeSet::ARRAY)) => Kind::Array,
            _ => return Ok(None),
        };
        match kind {
            Kind::Object if self.solver.evident(schema, kind) == Some(true) => {
                self.object_outline(object, scope, depth, strings)
            }
            Kind::Array if deepest > 0 && self.solver.evident(schema, kind) == Some(true) => {
                self.array_outline(array, scope, depth, strings, deepest - 1)
            }
            _ => Ok(None),
        }
    }

    /// The outline of objects of which some satisfies the keywords.
    fn object_outline(
        &mut self,
        keywords: &ObjectKeywords,
        scope: ScopeId,
        depth: u32,
        strings: &WholeStrings,
    ) -> Result<Option<ExpressionId>> {
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
        let keys = match additional {
            Some(goal) => {
                // In the order of declaration, no declared name comes after another.
                let any_order = self.solver.options.order == PropertyOrder::Any || required.is_empty();
                let is_plain = any_order && self.solver.evident_satisfiable(goal) == Some(true);
                if !is_plain || names().any(|name| strings.may_hold(name.as_bytes())) {
                    return Ok(None);
                }
                OutlinedKeys::AnyThen { goal, may_end }
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
        let open = self.solver.expressions.literal(b"{");
        let inside = self.deferred(Place::Outline(Outline { is_first: true, may_end, keys, depth }));
        Ok(Some(self.solver.expressions.concatenate(open, inside)))
    }

    /// The outline of arrays of which some satisfies the keywords, and whose items have outlines.
    fn array_outline(
        &mut self,
        keywords: &ArrayKeywords,
        scope: ScopeId,
        depth: u32,
        strings: &WholeStrings,
        deepest: u32,
    ) -> Result<Option<ExpressionId>> {
        let ArrayKeywords { prefix_items, items, contains, unevaluated_items, unique_items, .. } = keywords;
        let &Some(items) = items else { return Ok(None) };
        let is_limited = keywords.maximum_items.is_some() || *unique_items;
        if is_limited || !prefix_items.is_empty() || contains.is_some() || unevaluated_items.is_some() {
            return Ok(None);
        }
        let least = keywords.minimum_items.unwrap_or(0);
        let Some(item) = self.schema_outline(items, scope, None, depth + 1, strings, deepest)? else {
            return Ok(None);
        };
        let (before, between) = (self.before_value(true, depth), self.before_value(false, depth));
        let any = self.solver.expressions.bytes(ByteSet::ALL);
        let next = self.capture(any, Captured::Unread { is_whole: false });
        let mut after = vec![self.solver.expressions.concatenate(between, next)];
        if least < 2 {
            after.push(self.end_of_container(false, depth, b"]"));
        }
        let after = self.solver.expressions.alternatives(&after);
        let mut all = vec![self.solver.expressions.concatenation(&[before, item, after])];
        if least == 0 {
            all.push(self.end_of_container(true, depth, b"]"));
        }
        let inside = self.solver.expressions.alternatives(&all);
        let open = self.solver.expressions.literal(b"[");
        Ok(Some(self.solver.expressions.concatenate(open, inside)))
    }
}
