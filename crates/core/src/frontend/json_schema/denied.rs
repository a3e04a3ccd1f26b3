//! That none of several schemas holds.
//!
//! A schema does not hold where something that it says does not: a choice. Where none of several holds, their choices multiply. But
//! objects are mostly told apart by a member that all require, with other constants in each. Then there is one choice: that member is
//! not there, or it is none of these constants, or it is one of some, and only the schemas that allow those are left to be denied.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::condition::{Condition, GoalId, Kind, NameId, ScopeId, UNDECLARED};
use super::constant::Constant;
use super::schema::{Body, Keywords, SchemaId};
use super::solver::Solver;
use crate::error::Result;

/// The members that a schema requires of objects and of which it lists the values, each with the schema that does.
pub(super) type Tells = Arc<[(NameId, SchemaId)]>;

/// A schema that holds only for objects with some values of a member.
struct Told<'a> {
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
        let mut left = self.chosen(denied, kind)?;
        while kind == Kind::Object
            && let Some((name, told)) = self.told_by_one_member(&left)
        {
            let are_told: FxHashSet<SchemaId> = told.iter().map(|told| told.schema).collect();
            left.retain(|schema| !are_told.contains(schema));
            out.push(self.denied_by_value(schema, name, &told, scope)?);
        }
        for denied in left {
            self.check_split(schema, 0)?;
            if !self.add(denied, scope, false, out) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The schemas of which one holds where one of the given ones does, which may be choices themselves; each once.
    fn chosen(&mut self, schemas: &[SchemaId], kind: Kind) -> Result<Vec<SchemaId>> {
        /// Of more, choices are denied as they are.
        const MOST: usize = 1 << 10;
        let (mut met, mut waiting, mut chosen) = (FxHashSet::default(), schemas.to_vec(), Vec::new());
        while let Some(schema) = waiting.pop() {
            self.deadline.check()?;
            if !met.insert(schema) {
                continue;
            }
            // What the alternatives mean would depend on which schemas lead to them.
            let is_plain = !self.schemas.has_dynamic_references;
            match self.chosen_from(schema).filter(|_| is_plain && met.len() + waiting.len() < MOST) {
                Some((alternatives, is_exclusive))
                    if !is_exclusive || self.excludes_itself(schema, alternatives, kind) =>
                {
                    waiting.extend_from_slice(alternatives);
                }
                _ => chosen.push(schema),
            }
        }
        chosen.sort_unstable();
        Ok(chosen)
    }

    /// Whether no two alternatives of a schema hold for a value of a kind.
    fn excludes_itself(&mut self, schema: SchemaId, alternatives: &[SchemaId], kind: Kind) -> bool {
        if let Some(&known) = self.tables.exclusive.get(&(schema, kind)) {
            return known;
        }
        let are_disjoint = self.are_disjoint(alternatives, kind.types());
        self.tables.exclusive.insert((schema, kind), are_disjoint);
        are_disjoint
    }

    /// The member by which the most of some schemas are told apart, with these, where they are more than a few.
    fn told_by_one_member(&mut self, schemas: &[SchemaId]) -> Option<(NameId, Vec<Told<'a>>)> {
        /// The choices of so many multiply to as many as those of values, or fewer.
        const FEW: usize = 2;
        /// What tells schemas apart has few values for each.
        const MOST_VALUES: usize = 16;
        if schemas.len() <= FEW {
            return None;
        }
        let mut by_name: BTreeMap<NameId, Vec<Told<'a>>> = BTreeMap::new();
        for &schema in schemas {
            for &(name, member) in self.tells(schema).iter() {
                let values = self.values_listed_by(member).unwrap_or_default();
                by_name.entry(name).or_default().push(Told { schema, values });
            }
        }
        by_name.retain(|_, told| {
            told.len() > FEW
                && told.iter().map(|told| told.values.len()).sum::<usize>() <= MOST_VALUES * told.len()
                && told.windows(2).any(|pair| pair[0].values != pair[1].values)
        });
        by_name.into_iter().max_by_key(|(_, told)| told.len())
    }

    /// What is known of the members by which objects of a schema can be told.
    fn tells(&mut self, schema: SchemaId) -> Tells {
        if let Some(known) = self.tables.tells.get(&schema) {
            return Arc::clone(known);
        }
        let mut found: BTreeMap<NameId, SchemaId> = BTreeMap::new();
        for Keywords { object, .. } in self.conjuncts_of(schema) {
            let listing =
                object.properties.iter().filter(|(_, member)| self.values_listed_by(*member).is_some());
            let listing: Vec<_> = listing.collect();
            if listing.is_empty() {
                continue;
            }
            let required: FxHashSet<&String> = object.required.iter().collect();
            for (name, member) in listing.into_iter().filter(|(name, _)| required.contains(name)) {
                found.entry(self.tables.terms.name(name)).or_insert(*member);
            }
        }
        let found: Tells = found.into_iter().collect();
        self.tables.tells.insert(schema, Arc::clone(&found));
        found
    }

    fn values_listed_by(&self, schema: SchemaId) -> Option<&'a [Constant]> {
        match self.body_of(schema)? {
            Body::Keywords(keywords) => keywords.listed_values(),
            Body::Always(_) => None,
        }
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
        name: NameId,
        told: &[Told<'_>],
        scope: ScopeId,
    ) -> Result<Condition> {
        let lists: Vec<&[Constant]> = told.iter().map(|told| told.values).collect();
        let mut goals = vec![self.tables.terms.goal_of(Condition::Absent(name))];
        // What must not hold declares nothing.
        for (by, mut conditions) in self.ways_by_value(name, UNDECLARED, &lists) {
            self.check_split(schema, 0)?;
            self.deadline.check()?;
            if by.into_iter().all(|at| self.add(told[at].schema, scope, false, &mut conditions)) {
                goals.push(self.tables.terms.goal(conditions));
            }
        }
        goals.retain(|&goal| goal != GoalId::NOTHING);
        Ok(self.tables.terms.either(goals))
    }
}

#[cfg(test)]
mod tests {
    use super::super::solver::tests::{accepted, with_solver};
    use super::*;

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

    /// Each of a few schemas is a choice of the next, ten times over: on all ways there are a hundred million.
    #[test]
    fn what_choices_share_is_met_once() {
        let choice = |at: usize| {
            let next = format!(r##"{{"$ref": "#/$defs/d{}"}}"##, at - 1);
            format!(r#""d{at}": {{"anyOf": [{}]}}"#, vec![next; 10].join(", "))
        };
        let told = r#""d0": {"type": "object", "properties": {"t": {"const": 1}}, "required": ["t"]}"#;
        let all: Vec<String> = (1..=8).map(choice).chain([told.to_owned()]).collect();
        let text = format!(
            r##"{{"oneOf": [{{"$ref": "#/$defs/d8"}}, {{"type": "object"}}], "$defs": {{{}}}}}"##,
            all.join(", ")
        );
        let documents = documents();
        let found = accepted(&text, &documents);
        for (document, found) in documents.iter().zip(found) {
            assert_eq!(found, document.starts_with('{') && !document.contains("\"t\":1"), "{document}");
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
