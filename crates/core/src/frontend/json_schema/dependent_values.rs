//! `dependentSchemas`: what must hold where a member is there.
//!
//! Each is a choice: there is no such member, or the schema holds. Choices multiply. But often many members each ask for some
//! values of one and the same other member, such as those that make sense for some kinds of field only. Then there is one choice:
//! by that other member, of which all values are alternatives of one that the same members allow.

use std::collections::BTreeMap;

use super::condition::{Condition, GoalId, NameId, ScopeId, UNDECLARED};
use super::constant::Constant;
use super::schema::{Body, Keywords, ObjectKeywords, SchemaId, TypeSet};
use super::solver::Solver;
use crate::error::Result;

/// A member that is there only beside some values of another one, if that is there at all.
struct Allowing {
    name: NameId,
    dependent: SchemaId,
    /// Where the other member is declared.
    order: u32,
    values: Vec<Constant>,
}

impl<'a> Solver<'a> {
    /// Adds the conditions of `dependentSchemas`, which are those of a schema.
    pub(super) fn dependent_conditions(
        &mut self,
        schema: SchemaId,
        dependents: &[(String, SchemaId)],
        scope: ScopeId,
        out: &mut Vec<Condition>,
    ) -> Result<()> {
        /// The alternatives of so many members multiply to as many as those of values, or fewer.
        const FEW: usize = 2;
        let mut by_value_of: BTreeMap<&str, Vec<Allowing>> = BTreeMap::new();
        for (name, dependent) in dependents {
            let name_id = self.tables.terms.name(name);
            if let Some(required) = self.only_required(*dependent) {
                out.extend(self.tables.terms.needs(name_id, required));
                continue;
            }
            match self.values_of_one_member(*dependent) {
                Some((other, order, values)) if other != name => {
                    let allowing = Allowing { name: name_id, dependent: *dependent, order, values };
                    by_value_of.entry(other).or_default().push(allowing);
                }
                _ => out.push(self.dependent_condition(name_id, *dependent, scope)),
            }
        }
        for (other, allowing) in by_value_of {
            if allowing.len() > FEW {
                out.push(self.choice_by_value(schema, other, &allowing)?);
                continue;
            }
            for Allowing { name, dependent, .. } in allowing {
                out.push(self.dependent_condition(name, dependent, scope));
            }
        }
        Ok(())
    }

    /// That there is no such member, or there is and the schema holds.
    fn dependent_condition(&mut self, name: NameId, schema: SchemaId, scope: ScopeId) -> Condition {
        let absent = self.tables.terms.goal_of(Condition::Absent(name));
        let mut present = vec![Condition::Present(name)];
        let present = match self.add(schema, scope, true, &mut present) {
            true => self.tables.terms.goal(present),
            false => GoalId::NOTHING,
        };
        self.tables.terms.either(vec![absent, present])
    }

    /// The member of which alone a schema says something, where it is declared, and the values that it lists for it.
    fn values_of_one_member(&self, schema: SchemaId) -> Option<(&'a str, u32, Vec<Constant>)> {
        let Body::Keywords(keywords) = self.body_of(schema)? else { return None };
        let Keywords { types, object, applicators, .. } = &**keywords;
        let [(name, property)] = object.properties.as_slice() else { return None };
        let alone = ObjectKeywords { properties: object.properties.clone(), ..ObjectKeywords::default() };
        let is_of_objects = types.is_none_or(|types| types.overlaps(TypeSet::OBJECT));
        if !is_of_objects || *object != alone || !applicators.is_empty() || keywords.listed_values().is_some()
        {
            return None;
        }
        let Body::Keywords(values) = self.body_of(*property)? else { return None };
        Some((name, self.declared_position(*property), values.values()?))
    }

    /// The choice by the values of a member: with each, those are not there that do not allow it. It is what a schema says.
    fn choice_by_value(&mut self, schema: SchemaId, other: &str, allowing: &[Allowing]) -> Result<Condition> {
        let other = self.tables.terms.name(other);
        let order = allowing.iter().map(|allowing| allowing.order).min().unwrap_or(UNDECLARED);
        let lists: Vec<&[Constant]> = allowing.iter().map(|allowing| allowing.values.as_slice()).collect();
        let mut goals = vec![self.tables.terms.goal_of(Condition::Absent(other))];
        for (by, mut conditions) in self.ways_by_value(other, order, &lists) {
            self.check_split(schema, 0)?;
            let excluded = allowing.iter().enumerate().filter(|(at, _)| by.binary_search(at).is_err());
            conditions.extend(excluded.map(|(_, allowing)| Condition::Absent(allowing.name)));
            goals.push(self.tables.terms.goal(conditions));
        }
        Ok(self.tables.terms.either(goals))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::condition::{Kind, ScopeId};
    use super::super::solver::tests::with_solver;
    use super::super::{Options, PropertyOrder, compile};
    use crate::{Budget, Constraint, Error, Matcher, Vocabulary};

    /// Members with the values of `kind` beside which they may be.
    const MEMBERS: &[(&str, &[&str])] =
        &[("a", &["1", "\"x\""]), ("b", &["1"]), ("c", &["\"x\"", "\"y\""]), ("d", &["1", "\"y\"", "null"])];
    const VALUES: &[&str] = &["1", "\"x\"", "\"y\"", "null", "2", "[]"];

    fn schema(keyword: &str, members: &[(String, Vec<String>)]) -> String {
        let of = |(name, values): &(String, Vec<String>)| {
            format!(r#""{name}": {{"properties": {{"kind": {{"enum": [{}]}}}}}}"#, values.join(", "))
        };
        let dependents: Vec<String> = members.iter().map(of).collect();
        format!(r#"{{"type": "object", "{keyword}": {{{}}}}}"#, dependents.join(", "))
    }

    #[test]
    fn members_are_there_beside_the_values_that_they_allow() {
        let owned = |(name, values): &(&str, &[&str])| {
            ((*name).to_owned(), values.iter().map(|&value| value.to_owned()).collect())
        };
        let members: Vec<_> = MEMBERS.iter().map(owned).collect();
        let text = schema("dependentSchemas", &members);
        let options = Options { order: PropertyOrder::Any, ..Options::default() };
        let grammar = compile(&text, &[], &options, &Budget::default()).unwrap();
        let vocabulary = Arc::new(Vocabulary::of_bytes());
        let constraint = Arc::new(Constraint::compile(&grammar, &vocabulary, &Budget::default()).unwrap());
        for (value, chosen) in VALUES
            .iter()
            .map(|value| Some(*value))
            .chain([None])
            .flat_map(|value| (0..1 << MEMBERS.len()).map(move |chosen: u32| (value, chosen)))
        {
            let present: Vec<_> = (0..).zip(MEMBERS).filter(|(at, _)| chosen >> at & 1 == 1).collect();
            let is_valid =
                value.is_none_or(|value| present.iter().all(|(_, (_, values))| values.contains(&value)));
            let kind = value.map(|value| format!("\"kind\":{value}"));
            let mut parts: Vec<String> =
                present.iter().map(|(_, (name, _))| format!("\"{name}\":0")).collect();
            // The member may come first or last.
            for at in [0, parts.len()] {
                parts.splice(at..at, kind.clone());
                let object = format!("{{{}}}", parts.join(","));
                let mut matcher = Matcher::new(&constraint);
                let accepted = matcher.accept_bytes(object.as_bytes()).unwrap() && matcher.is_complete();
                assert_eq!(accepted, is_valid, "{object}");
                parts.retain(|part| !part.starts_with("\"kind\""));
            }
        }
    }

    #[test]
    fn there_are_as_many_cases_as_values_and_not_as_choices_of_members() {
        const COUNT: usize = 40;
        let of = |at: usize| (format!("m{at}"), vec![format!("{}", at % 7), format!("{}", at % 11)]);
        let members: Vec<_> = (0..COUNT).map(of).collect();
        for keyword in ["dependentSchemas", "dependencies"] {
            let draft = r#"{"$schema": "http://json-schema.org/draft-07/schema#","#;
            let text = schema(keyword, &members);
            let text = if keyword == "dependencies" { text.replacen('{', draft, 1) } else { text };
            with_solver(&text, |solver| {
                let root = solver.goal_of(solver.schemas.root, ScopeId::NONE);
                let cases = solver.cases(root, Kind::Object).unwrap();
                assert!((2..=13).contains(&cases.len()), "{}", cases.len());
            });
        }
    }

    /// Each of many values is allowed by two of many members: so many alternatives that deny all others would take gigabytes.
    #[test]
    fn alternatives_that_deny_too_much_are_refused_before_they_are_made() {
        const COUNT: usize = 600;
        let mut members: Vec<_> = (0..COUNT).map(|at| (format!("m{at}"), Vec::new())).collect();
        for at in 0..40_000 {
            let (one, step) = (at % COUNT, 1 + at / COUNT);
            [one, (one + step) % COUNT].iter().for_each(|&member| members[member].1.push(format!("{at}")));
        }
        let budget = Budget { expressions: 1 << 20, ..Budget::default() };
        let error = compile(&schema("dependentSchemas", &members), &[], &Options::default(), &budget).err();
        assert!(matches!(error, Some(Error::BudgetExceeded { budget: "expressions", .. })), "{error:?}");
    }
}
