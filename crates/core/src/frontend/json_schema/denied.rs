//! That none of several schemas holds.
//!
//! A schema does not hold where something that it says does not: a choice. Where none of several holds, their choices multiply. But
//! objects are mostly told apart by a member that all require, with other constants in each. Then there is one choice: that member is
//! not there, or it is none of these constants, or it is one of some, and only the schemas that allow those are left to be denied.

use std::collections::BTreeMap;

use super::condition::{Condition, GoalId, Kind, ScopeId, UNDECLARED};
use super::constant::Constant;
use super::schema::{Body, Keywords, SchemaId};
use super::solver::Solver;
use crate::error::Result;

/// How many choices may lead to the schemas of which one holds.
const DEEPEST: u32 = 8;

/// A schema that holds only for objects with some values of a member.
#[derive(Clone, Copy)]
struct Telling<'a> {
    schema: SchemaId,
    values: &'a [Constant],
}

impl<'a> Solver<'a> {
    /// Adds that none of some schemas holds for values of a kind, which is what `schema` says; false where one of them always does.
    pub(super) fn deny_all(
        &mut self,
        schema: SchemaId,
        denied: &[SchemaId],
        scope: ScopeId,
        kind: Kind,
        out: &mut Vec<Condition>,
    ) -> Result<bool> {
        let mut left = Vec::with_capacity(denied.len());
        for &denied in denied {
            self.add_chosen(denied, kind, DEEPEST, &mut left);
        }
        left.sort_unstable();
        left.dedup();
        while kind == Kind::Object
            && let Some((name, telling)) = self.told_by_one_member(&left)
        {
            let told = |schema: &SchemaId| telling.iter().any(|telling| telling.schema == *schema);
            left.retain(|schema| !told(schema));
            out.push(self.denied_by_value(schema, name, &telling, scope)?);
        }
        for denied in left {
            self.check_split(schema, 0)?;
            if !self.add(denied, scope, false, out) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Adds the schemas of which one holds where a schema does that says no more than that; or else the schema.
    fn add_chosen(&self, schema: SchemaId, kind: Kind, deepest: u32, out: &mut Vec<SchemaId>) {
        if let Some((alternatives, is_exclusive)) = self.chosen_from(schema)
            && deepest > 0
            // What these mean would depend on which schemas lead to them.
            && !self.schemas.has_dynamic_references
            && (!is_exclusive || self.are_disjoint(alternatives, kind.types()))
        {
            for &alternative in alternatives {
                self.add_chosen(alternative, kind, deepest - 1, out);
            }
            return;
        }
        out.push(schema);
    }

    /// The member for which most of some schemas require constants, with those, where they are more than a few.
    fn told_by_one_member(&self, schemas: &[SchemaId]) -> Option<(&'a str, Vec<Telling<'a>>)> {
        /// The choices of so many multiply to as many as those of values, or fewer.
        const FEW: usize = 2;
        if schemas.len() <= FEW {
            return None;
        }
        let mut by_name: BTreeMap<&'a str, Vec<Telling<'a>>> = BTreeMap::new();
        for &schema in schemas {
            for keywords in self.conjuncts_of(schema) {
                for (name, property) in &keywords.object.properties {
                    if keywords.object.required.contains(name)
                        && let Some(Body::Keywords(member)) = self.body_of(*property)
                        && let Some(values) = member.listed_values()
                    {
                        let known = by_name.entry(name).or_default();
                        // Several conjuncts may say it: each tells what the schema needs.
                        if known.last().is_none_or(|last| last.schema != schema) {
                            known.push(Telling { schema, values });
                        }
                    }
                }
            }
        }
        by_name
            .into_iter()
            .filter(|(_, telling)| telling.len() > FEW)
            .max_by_key(|(_, telling)| telling.len())
    }

    /// What all must hold where a schema does, as far as references and `allOf` lead, and no further than to many.
    fn conjuncts_of(&self, schema: SchemaId) -> Vec<&'a Keywords> {
        const MANY: usize = 32;
        let (mut found, mut waiting) = (Vec::new(), vec![schema]);
        while let Some(schema) = waiting.pop()
            && found.len() < MANY
        {
            if let Some(Body::Keywords(keywords)) = self.body_of(schema) {
                found.push(&**keywords);
                let applicators = &keywords.applicators;
                waiting.extend(applicators.reference.iter().chain(&applicators.all_of));
            }
        }
        found
    }

    /// The choice by the values of a member that schemas require: with each, those are denied that allow it.
    fn denied_by_value(
        &mut self,
        schema: SchemaId,
        name: &str,
        telling: &[Telling<'_>],
        scope: ScopeId,
    ) -> Result<Condition> {
        let mut allowed_by: BTreeMap<&Constant, Vec<SchemaId>> = BTreeMap::new();
        for telling in telling {
            for value in telling.values {
                allowed_by.entry(value).or_default().push(telling.schema);
            }
        }
        let all: Vec<Constant> = allowed_by.keys().map(|&value| value.clone()).collect();
        let mut alike: BTreeMap<Vec<SchemaId>, Vec<Constant>> = BTreeMap::new();
        for (value, mut by) in allowed_by {
            by.dedup();
            alike.entry(by).or_default().push(value.clone());
        }
        let terms = &mut self.tables.terms;
        let name = terms.name(name);
        let mut goals = vec![terms.goal_of(Condition::Absent(name))];
        let ways = alike.into_iter().map(|(by, values)| (by, values, true));
        for (by, values, holds) in ways.chain([(Vec::new(), all, false)]) {
            self.check_split(schema, 0)?;
            let terms = &mut self.tables.terms;
            let value = terms.one_of(values, holds);
            // What must not hold declares nothing.
            let member = Condition::Member { order: UNDECLARED, name, goal: terms.goal_of(value) };
            let mut conditions = vec![Condition::Present(name), member];
            if by.into_iter().all(|denied| self.add(denied, scope, false, &mut conditions)) {
                goals.push(self.tables.terms.goal(conditions));
            }
        }
        goals.retain(|&goal| goal != GoalId::NOTHING);
        Ok(self.tables.terms.either(goals))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::solver::tests::with_solver;
    use super::super::{Options, PropertyOrder, compile};
    use super::*;
    use crate::{Budget, Constraint, Matcher, Vocabulary};

    /// Schemas that a member `t` tells apart, some of them as conjuncts or choices, and others that overlap with them.
    const ALTERNATIVES: &[&str] = &[
        r#"{"properties": {"t": {"const": "a"}, "u": {"type": "integer"}}, "required": ["t", "u"], "type": "object"}"#,
        r#"{"properties": {"t": {"enum": ["b", 1]}}, "required": ["t"], "type": "object"}"#,
        r#"{"properties": {"t": {"const": "c"}}, "required": ["t"], "additionalProperties": false, "type": "object"}"#,
        r#"{"allOf": [{"properties": {"t": {"const": "d"}}, "required": ["t"], "type": "object"}, {"maxProperties": 1}]}"#,
        r#"{"anyOf": [
            {"properties": {"t": {"const": "e"}, "u": {"const": 1}}, "required": ["t"], "type": "object"},
            {"properties": {"t": {"const": "f"}}, "required": ["t"], "type": "object"}]}"#,
        r#"{"type": "object"}"#,
        r#"{"properties": {"u": {"type": "string"}}, "required": ["u"]}"#,
        r#"{"properties": {"t": {"enum": ["a", "b"]}}, "required": ["t"], "type": "object"}"#,
    ];

    fn documents() -> Vec<String> {
        let kinds = ["\"a\"", "\"b\"", "1", "\"c\"", "\"d\"", "\"e\"", "\"f\"", "\"g\"", "null"];
        let of = |name: &str, values: &[&str]| {
            let given = values.iter().map(|value| format!("\"{name}\":{value}"));
            given.chain([String::new()]).collect::<Vec<_>>()
        };
        let (kinds, others) = (of("t", &kinds), of("u", &["1", "\"x\"", "2"]));
        let pairs = kinds.iter().flat_map(|kind| others.iter().map(move |other| [kind.as_str(), other]));
        let both =
            |pair: [&str; 2]| pair.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(",");
        let objects = pairs.flat_map(|[kind, other]| [both([kind, other]), both([other, kind])]);
        objects.map(|members| format!("{{{members}}}")).chain(["1".to_owned(), "[]".to_owned()]).collect()
    }

    fn accepted(schema: &str, documents: &[String]) -> Vec<bool> {
        let options = Options { order: PropertyOrder::Any, ..Options::default() };
        let budget = Budget::default();
        let grammar = compile(schema, &[], &options, &budget).unwrap();
        let constraint = Constraint::compile(&grammar, &Arc::new(Vocabulary::of_bytes()), &budget).unwrap();
        let constraint = Arc::new(constraint);
        let accepts = |document: &String| {
            let mut matcher = Matcher::new(&constraint);
            matcher.accept_bytes(document.as_bytes()).unwrap() && matcher.is_complete()
        };
        documents.iter().map(accepts).collect()
    }

    #[test]
    fn just_one_holds_where_the_others_are_denied_by_what_tells_them_apart() {
        let documents = documents();
        let alone: Vec<Vec<bool>> = ALTERNATIVES.iter().map(|schema| accepted(schema, &documents)).collect();
        for chosen in 0..1u32 << ALTERNATIVES.len() {
            let some: Vec<usize> = (0..ALTERNATIVES.len()).filter(|at| chosen >> at & 1 == 1).collect();
            if some.len() < 4 {
                continue;
            }
            let listed: Vec<&str> = some.iter().map(|&at| ALTERNATIVES[at]).collect();
            let found = accepted(&format!(r#"{{"oneOf": [{}]}}"#, listed.join(", ")), &documents);
            for (at, document) in documents.iter().enumerate() {
                let holding = some.iter().filter(|&&schema| alone[schema][at]).count();
                assert_eq!(found[at], holding == 1, "{listed:?} {document}");
            }
        }
    }

    #[test]
    fn there_are_as_many_cases_as_values_and_not_as_choices_of_what_does_not_hold() {
        const COUNT: usize = 40;
        let told = |at: usize| {
            format!(
                r#"{{"properties": {{"t": {{"const": {at}}}, "u": {{"type": "integer"}}, "v": {{"type": "null"}}}},
                "required": ["t", "u", "v"], "type": "object"}}"#
            )
        };
        let all: Vec<String> = (0..COUNT).map(told).chain([r#"{"type": "object"}"#.to_owned()]).collect();
        let text = format!(r#"{{"oneOf": [{}]}}"#, all.join(", "));
        with_solver(&text, |solver| {
            let root = solver.goal_of(solver.schemas.root, ScopeId::NONE);
            let cases = solver.cases(root, Kind::Object).unwrap();
            assert!((COUNT..6 * COUNT).contains(&cases.len()), "{}", cases.len());
        });
    }
}
