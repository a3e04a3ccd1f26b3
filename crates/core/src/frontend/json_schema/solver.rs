//! What is found out about goals, and the tools for it.
//!
//! Whether goals can be satisfied, their cases and plans are found out by functions that lead back to one another. Those at
//! which a circle closes are never inlined: a compiler that inlines by a profile writes them into one another else, and made
//! one function of 2.6 MB of them, a third of the library.

use super::candidates::without_exclusions;
use super::condition::{Condition, GoalId, ScopeId};
use super::options::Options;
use super::schema::{Body, Keywords, SchemaId, Schemas};
use super::tables::{Case, Tables};
use crate::budget::{Budget, Deadline};
use crate::error::{Error, Limit, Result};
use crate::expression::{Emptiness, ExpressionStore};

/// What a budget is called in [`Error::BudgetExceeded`] where there is none: the limit is fixed.
pub(super) const FIXED: &str = "";

/// The location of a refusal until [`Solver::placed`] gives it one.
pub(super) const NOT_YET_PLACED: &str = "";

/// Works out facts about goals, with everything that takes.
pub(super) struct Solver<'a> {
    pub(super) schemas: &'a Schemas,
    pub(super) options: &'a Options,
    pub(super) budget: &'a Budget,
    pub(super) tables: &'a mut Tables,
    pub(super) expressions: &'a mut ExpressionStore,
    pub(super) emptiness: &'a mut Emptiness,
    pub(super) deadline: &'a Deadline,
}

impl Solver<'_> {
    /// The goal that a schema holds.
    pub(super) fn goal_of(&mut self, schema: SchemaId, scope: ScopeId) -> GoalId {
        match self.condition_of(schema, scope, true) {
            Ok(condition) => self.tables.terms.goal_of(condition),
            Err(true) => GoalId::ANYTHING,
            Err(false) => GoalId::NOTHING,
        }
    }

    /// The condition that a schema holds, or does not; `Err` where that is always so or never.
    ///
    /// Schemas that only refer to another stand for it, so that goals by way of references are the same.
    pub(super) fn condition_of(
        &mut self,
        schema: SchemaId,
        scope: ScopeId,
        holds: bool,
    ) -> std::result::Result<Condition, bool> {
        let (mut schema, mut scope) = (schema, scope);
        // A chain of more references than this is a circle or stands for itself.
        for _ in 0..32 {
            scope = self.enter(schema, scope);
            match &self.schemas.schemas[schema.index()].body {
                Body::Always(verdict) => return Err(*verdict == holds),
                Body::Keywords(keywords) => match sole_reference(keywords) {
                    Sole::Nothing => return Err(holds),
                    Sole::Reference(target) => schema = target,
                    Sole::More => break,
                },
            }
        }
        Ok(Condition::Schema { schema, scope, holds })
    }

    /// The scope of a schema that is reached in a scope.
    ///
    /// A name means what it does in the outermost resource that has it. So a resource of which those around it have all
    /// names changes nothing; with such ones, scopes would be as many as there are orders of resources, and as long.
    pub(super) fn enter(&mut self, schema: SchemaId, scope: ScopeId) -> ScopeId {
        let schemas = self.schemas;
        if !schemas.has_dynamic_references {
            return scope;
        }
        let resource = schemas.schemas[schema.index()].resource;
        let terms = &mut self.tables.terms;
        if let Some(known) = terms.entered(scope, resource) {
            return known;
        }
        let is_met =
            |name| terms.resources(scope).any(|around| schemas.anchors_of(around).contains_key(name));
        let matters = !schemas.anchors_of(resource).keys().all(|name| is_met(name.as_str()));
        terms.enter(scope, resource, matters)
    }

    /// What came of working out a goal. An error that has no place yet gets that of its first schema, where it names one:
    /// what asks further out has places, too.
    pub(super) fn placed<T>(&self, result: Result<T>, goal: GoalId) -> Result<T> {
        result.map_err(|error| match first_schema(self.tables.terms.conditions(goal)) {
            Some(schema) => self.placed_at(error, schema),
            None => error,
        })
    }

    /// The same of a case: its place is that of a goal that it was found for.
    pub(super) fn placed_case<T>(&self, result: Result<T>, leaves: &[Condition]) -> Result<T> {
        result.map_err(|error| {
            let leaves = without_exclusions(leaves);
            let is_ours = |case: &Case| *without_exclusions(case) == *leaves;
            let goals = self.tables.cases.iter().filter(|(_, cases)| cases.iter().any(is_ours));
            // The least is the same in every run.
            let schemas =
                goals.filter_map(|(&(goal, _), _)| first_schema(self.tables.terms.conditions(goal)));
            match schemas.min() {
                Some(schema) => self.placed_at(error, schema),
                None => error,
            }
        })
    }

    /// What came of everything there is to do. An error that still has no place gets that of the root.
    pub(super) fn placed_at_last<T>(&self, result: Result<T>) -> Result<T> {
        result.map_err(|error| self.placed_at(error, self.schemas.root))
    }

    /// That the time is not over, and that what is known by now does not take too much, with `held` beside it.
    pub(super) fn check_room(&self, held: usize, what: &'static str) -> Result<()> {
        self.deadline.check()?;
        let limit = self.budget.expressions;
        match self.tables.size() + self.expressions.size() + held > limit {
            true => Err(Error::exceeded("expressions", limit, what)),
            false => Ok(()),
        }
    }

    /// An error with the place of a schema, if it has none yet.
    pub(super) fn placed_at(&self, error: Error, schema: SchemaId) -> Error {
        let at = &self.schemas.schemas[schema.index()].location;
        match error {
            // Time is used up by everything that came before, too.
            Error::BudgetExceeded { budget, limit, what, .. }
                if !what.contains("(at ") && !budget.ends_with("_time") =>
            {
                self.too_much(budget, limit, &what, at)
            }
            Error::Unsupported { feature, location, reason } if location == NOT_YET_PLACED => {
                Error::Unsupported { feature, location: at.clone(), reason }
            }
            error => error,
        }
    }

    /// The error for work past a budget, with the place in the schema.
    pub(super) fn too_much(
        &self,
        budget: &'static str,
        limit: impl Into<Limit>,
        what: &str,
        at: &str,
    ) -> Error {
        Error::exceeded(budget, limit, format!("{what} (at {at})"))
    }

    /// Refuses a keyword that cannot be enforced exactly.
    pub(super) fn refuse(&self, keyword: &str, reason: &str) -> Error {
        Error::Unsupported {
            feature: format!("`{keyword}`"),
            location: NOT_YET_PLACED.to_owned(),
            reason: reason.to_owned(),
        }
    }

    /// Whether the caller lets a keyword be enforced approximately.
    pub(super) fn may_approximate(&self, keyword: &str) -> bool {
        self.options.approximate.iter().any(|name| name == keyword)
    }
}

/// The first schema that conditions name.
pub(super) fn first_schema(conditions: &[Condition]) -> Option<SchemaId> {
    conditions.iter().find_map(|condition| match condition {
        Condition::Schema { schema, .. } => Some(*schema),
        _ => None,
    })
}

enum Sole {
    Nothing,
    Reference(SchemaId),
    More,
}

/// Whether a schema says nothing, or nothing but a reference.
fn sole_reference(keywords: &Keywords) -> Sole {
    let applicators = &keywords.applicators;
    if !keywords.says_only_applicators() {
        return Sole::More;
    }
    match applicators.reference {
        Some(target) if applicators.sole_conjunct().is_some() => Sole::Reference(target),
        None if applicators.is_empty() => Sole::Nothing,
        _ => Sole::More,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::Arc;

    use super::super::compile;
    use super::super::condition::Kind;
    use super::super::loader;
    use super::super::options::PropertyOrder;
    use super::super::satisfy::Possible;
    use super::*;
    use crate::expression::ByteSet;
    use crate::{Constraint, Matcher, Vocabulary};

    /// Which documents a schema accepts, with members in any order.
    pub(in super::super) fn accepted<D: AsRef<str>>(schema: &str, documents: &[D]) -> Vec<bool> {
        let options = Options { order: PropertyOrder::Any, ..Options::default() };
        let budget = Budget::default();
        let grammar = compile(schema, &[], &options, &budget).unwrap();
        let constraint = Constraint::compile(&grammar, &Arc::new(Vocabulary::of_bytes()), &budget).unwrap();
        let constraint = Arc::new(constraint);
        let accepts = |document: &D| {
            let mut matcher = Matcher::new(&constraint);
            matcher.accept_bytes(document.as_ref().as_bytes()).unwrap() && matcher.is_complete()
        };
        documents.iter().map(accepts).collect()
    }

    /// Runs something with a solver for a schema.
    pub(in super::super) fn with_solver(text: &str, run: impl FnOnce(&mut Solver<'_>)) {
        with_solver_within(text, &Budget::default(), run);
    }

    /// The same solver, with other options and another budget.
    pub(in super::super) fn under<'b>(
        solver: &'b mut Solver<'_>,
        options: &'b Options,
        budget: &'b Budget,
    ) -> Solver<'b> {
        Solver {
            options,
            budget,
            tables: &mut *solver.tables,
            expressions: &mut *solver.expressions,
            emptiness: &mut *solver.emptiness,
            ..*solver
        }
    }

    /// Runs something for each order of members, with a solver for a schema that knows nothing yet.
    pub(in super::super) fn in_either_order(text: &str, mut run: impl FnMut(&mut Solver<'_>)) {
        for order in [PropertyOrder::Any, PropertyOrder::Declared] {
            with_solver(text, |solver| {
                let options = Options { order, ..solver.options.clone() };
                let budget = solver.budget;
                run(&mut under(solver, &options, budget));
            });
        }
    }

    fn with_solver_within(text: &str, budget: &Budget, run: impl FnOnce(&mut Solver<'_>)) {
        let options = Options::default();
        let schemas = loader::load(text, &[], &options.default_draft, budget).unwrap();
        let (mut tables, mut expressions) = (Tables::new(), ExpressionStore::new());
        let mut emptiness = Emptiness::new(ByteSet::ALL, budget);
        let deadline = Deadline::for_compile(budget);
        run(&mut Solver {
            schemas: &schemas,
            options: &options,
            budget,
            tables: &mut tables,
            expressions: &mut expressions,
            emptiness: &mut emptiness,
            deadline: &deadline,
        });
    }

    /// Resources that lead from one to the next, by what leads from each to one of them.
    #[test]
    fn scopes_do_not_grow_with_the_resources_that_a_schema_was_reached_through() {
        const COUNT: usize = 2000;
        let chain = |resource: fn(usize) -> String| {
            let resources: Vec<String> =
                (0..COUNT).map(|at| format!(r#""r{at}": {{"$id": "r{at}", {}}}"#, resource(at))).collect();
            format!(
                r##"{{"$ref": "r0", "$defs": {{{}, "r{COUNT}": {{"$id": "r{COUNT}", "$dynamicRef": "#x",
                    "$defs": {{"x": {{"$dynamicAnchor": "x", "type": "null"}}}}}}}}}}"##,
                resources.join(", ")
            )
        };
        let ways: [fn(usize) -> String; 3] = [
            |at| format!(r#""$ref": "r{}""#, at + 1),
            |at| format!(r#""$ref": "r{}", "$defs": {{"x": {{"$dynamicAnchor": "x"}}}}"#, at + 1),
            |at| format!(r#""$ref": "r{}", "$defs": {{"x": {{"$dynamicAnchor": "x{at}"}}}}"#, at + 1),
        ];
        for way in ways {
            with_solver(&chain(way), |solver| {
                let root = solver.goal_of(solver.schemas.root, ScopeId::NONE);
                assert_eq!(solver.possible(root).unwrap(), Possible::Yes);
                assert!(solver.tables.terms.size() < 20 * COUNT, "{}", solver.tables.terms.size());
            });
        }
    }

    /// The place is that of the schema itself, whatever it stands in and whatever else stands in it.
    #[test]
    fn work_past_a_limit_is_told_with_the_place_of_the_schema_that_it_was_for() {
        let all_of = |schema: fn(usize) -> String| {
            let schemas: Vec<String> = (1..9).map(schema).collect();
            format!(r#"{{"allOf": [{}]}}"#, schemas.join(", "))
        };
        let budget = Budget { items: 64, emptiness: 12, ..Budget::default() };
        for schema in [
            r#"{"type": "array", "contains": {"type": "string"}, "minContains": 200000}"#,
            &format!(
                r#"{{"type": "array", "contains": {{"minLength": 2}}, "minContains": 100, "prefixItems": [{}]}}"#,
                vec![r#"{"type": "string"}"#; 100].join(", ")
            ),
            r#"{"type": "array", "items": {"minimum": 1}, "uniqueItems": true, "minItems": 200000}"#,
            &all_of(|length| {
                format!(r#"{{"type": "array", "maxItems": 5, "contains": {{"minLength": {length}}}}}"#)
            }),
            &all_of(|key| {
                format!(
                    r#"{{"type": "object", "not": {{"patternProperties": {{"^{key}": {{"minimum": 1}}}}}}}}"#
                )
            }),
        ] {
            let around = format!(r#"{{"properties": {{"a": {{"items": {schema}}}}}}}"#);
            with_solver_within(&around, &budget, |solver| {
                let schemas = &solver.schemas.schemas;
                let place = schemas.iter().position(|schema| schema.location == "#/properties/a/items");
                let goal = solver.goal_of(SchemaId(place.unwrap() as u32), ScopeId::NONE);
                let error = solver.possible(goal).unwrap_err().to_string();
                assert!(error.contains("(at #/properties/a/items)"), "{schema}: {error}");
            });
        }
        let numbers = r#"{"items": {"enum": [0.625, 2.375, 3.125]}, "uniqueItems": true, "minItems": 3}"#;
        with_solver_within(numbers, &budget, |solver| {
            let root = solver.goal_of(solver.schemas.root, ScopeId::NONE);
            let error = solver.kind_possible(root, Kind::Array).unwrap_err().to_string();
            assert!(error.contains("(at #/items)"), "{error}");
        });
    }
}
