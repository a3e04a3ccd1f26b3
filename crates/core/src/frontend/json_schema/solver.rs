//! What is found out about goals, and the tools for it.
//!
//! Whether goals can be satisfied, their cases and plans are found out by functions that lead back to one another. Those at
//! which a circle closes are never inlined: a compiler that inlines by a profile writes them into one another else, and made
//! one function of 2.6 MB of them, a third of the library.

use super::condition::{Condition, GoalId, ScopeId};
use super::options::Options;
use super::schema::{Body, Keywords, SchemaId, Schemas};
use super::tables::Tables;
use crate::budget::{Budget, Deadline};
use crate::error::{Error, Limit, Result};
use crate::expression::{Emptiness, ExpressionStore};

/// What a budget is called in [`Error::BudgetExceeded`] where there is none: the limit is fixed.
pub(super) const FIXED: &str = "";

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

    fn enter(&mut self, schema: SchemaId, scope: ScopeId) -> ScopeId {
        if self.schemas.has_dynamic_references {
            return self.tables.terms.enter(scope, self.schemas.schemas[schema.index()].resource);
        }
        scope
    }

    /// Where the first schema of a goal stands.
    pub(super) fn location(&self, goal: GoalId) -> &str {
        self.location_of(self.tables.terms.conditions(goal))
    }

    pub(super) fn location_of(&self, conditions: &[Condition]) -> &str {
        self.schema_of(conditions).map_or("#", |schema| &self.schemas.schemas[schema.index()].location)
    }

    /// The first schema that conditions name.
    fn schema_of(&self, conditions: &[Condition]) -> Option<SchemaId> {
        conditions.iter().find_map(|condition| match condition {
            Condition::Schema { schema, .. } => Some(*schema),
            Condition::Member { goal, .. }
            | Condition::Members { goal, .. }
            | Condition::ItemsFrom { goal, .. }
            | Condition::Count { goal, .. } => {
                self.tables.terms.conditions(*goal).iter().find_map(|condition| match condition {
                    Condition::Schema { schema, .. } => Some(*schema),
                    _ => None,
                })
            }
            _ => None,
        })
    }

    /// What came of working out conditions. An error for work past a budget gets their place, if it has none yet.
    pub(super) fn placed<T>(&self, result: Result<T>, conditions: &[Condition]) -> Result<T> {
        result.map_err(|error| match (error, self.schema_of(conditions)) {
            // Time is used up by everything that came before, too.
            (Error::BudgetExceeded { budget, limit, what }, Some(schema))
                if !what.contains("(at ") && !budget.ends_with("_time") =>
            {
                let at = &self.schemas.schemas[schema.index()].location;
                self.too_much(budget, limit, &what, at)
            }
            (error, _) => error,
        })
    }

    /// The error for work past a budget, with the place in the schema.
    pub(super) fn too_much(
        &self,
        budget: &'static str,
        limit: impl Into<Limit>,
        what: &str,
        at: &str,
    ) -> Error {
        Error::BudgetExceeded { budget, limit: limit.into(), what: format!("{what} (at {at})").into() }
    }

    /// Refuses a keyword that cannot be enforced exactly.
    pub(super) fn refuse(&self, keyword: &str, location: &str, reason: &str) -> Error {
        Error::Unsupported {
            feature: format!("`{keyword}`"),
            location: location.to_owned(),
            reason: reason.to_owned(),
        }
    }

    /// Whether the caller lets a keyword be enforced approximately.
    pub(super) fn may_approximate(&self, keyword: &str) -> bool {
        self.options.approximate.iter().any(|name| name == keyword)
    }
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
    use super::super::loader;
    use super::*;
    use crate::expression::ByteSet;

    /// Runs something with a solver for a schema.
    pub(in super::super) fn with_solver(text: &str, run: impl FnOnce(&mut Solver<'_>)) {
        let (budget, options) = (Budget::default(), Options::default());
        let schemas = loader::load(text, &[], &options.default_draft, &budget).unwrap();
        let (mut tables, mut expressions) = (Tables::new(), ExpressionStore::new());
        let mut emptiness = Emptiness::new(ByteSet::ALL, &budget);
        let deadline = Deadline::for_compile(&budget);
        run(&mut Solver {
            schemas: &schemas,
            options: &options,
            budget: &budget,
            tables: &mut tables,
            expressions: &mut expressions,
            emptiness: &mut emptiness,
            deadline: &deadline,
        });
    }
}
