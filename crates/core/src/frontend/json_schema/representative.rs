//! Schemas that say the same, wherever they stand.
//!
//! Documents say `{"type": "string"}` a hundred times over. Each is a schema of its own, with a place that messages
//! name; what its values are is worked out, written and walked once, for the first of them that was asked for: the
//! *representative* of all. Only schemas that say nothing of the parts of a value, and arrays of such, are compared. They
//! say the same where their keywords are equal, so that nothing has to be proved.

use std::hash::BuildHasher;

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::condition::{Condition, GoalId, ScopeId};
use super::schema::{ArrayKeywords, Body, Keywords, ObjectKeywords, SchemaId};
use super::solver::Solver;

/// The representatives found so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Representatives {
    /// Those with keywords of a hash.
    by_hash: FxHashMap<u64, Vec<SchemaId>>,
    known: FxHashMap<SchemaId, SchemaId>,
    /// Those of the items of an array, where they are not the items themselves.
    items: FxHashMap<SchemaId, SchemaId>,
}

impl Representatives {
    /// The other schemas that are known to say what one says, in the order in which they were read.
    pub(super) fn equals_of(&self, schema: SchemaId) -> Vec<SchemaId> {
        let Some(same) = self.known.get(&schema) else { return Vec::new() };
        let known = self.known.iter().filter(|&(&other, known)| known == same && other != schema);
        let mut others: Vec<SchemaId> = known.map(|(&other, _)| other).collect();
        others.sort_unstable();
        others
    }
}

impl Solver<'_> {
    /// A goal that the same values satisfy: one for all schemas that plainly say the same.
    ///
    /// Takes time in proportion to the keywords of a schema, once for each.
    pub(super) fn representative(&mut self, goal: GoalId) -> GoalId {
        let [Condition::Schema { schema, scope, holds: true }] = *self.tables.terms.conditions(goal) else {
            return goal;
        };
        if self.schemas.has_dynamic_references {
            return goal;
        }
        match self.representative_schema(schema, Self::DEEPEST) {
            same if same == schema => goal,
            schema => self.tables.terms.goal_of(Condition::Schema { schema, scope, holds: true }),
        }
    }

    /// How deep arrays are looked into.
    const DEEPEST: u32 = 4;

    fn representative_schema(&mut self, schema: SchemaId, depth: u32) -> SchemaId {
        if let Some(&known) = self.tables.representatives.known.get(&schema) {
            return known;
        }
        let schemas = self.schemas;
        let Body::Keywords(keywords) = &schemas.schemas[schema.index()].body else { return schema };
        let items = match parts(keywords) {
            Parts::None => None,
            Parts::Items(items) if depth > 0 => match self.condition_of(items, ScopeId::NONE, true) {
                Ok(Condition::Schema { schema, .. }) => {
                    Some((items, self.representative_schema(schema, depth - 1)))
                }
                _ => None,
            },
            _ => return schema,
        };
        let same = match items {
            Some((items, same)) if items != same => {
                let mut keywords = Keywords::clone(keywords);
                keywords.array.items = Some(same);
                self.tables.representatives.items.insert(schema, same);
                self.first_with(schema, &keywords)
            }
            _ => self.first_with(schema, keywords),
        };
        self.tables.representatives.known.insert(schema, same);
        same
    }

    /// The first schema with some keywords, those of the items by their representative; the given one where there was
    /// none before.
    fn first_with(&mut self, schema: SchemaId, keywords: &Keywords) -> SchemaId {
        let schemas = self.schemas;
        let Representatives { by_hash, items, .. } = &mut self.tables.representatives;
        let is_same = |other: &SchemaId| match &schemas.schemas[other.index()].body {
            Body::Keywords(known) => match items.get(other) {
                None => **known == *keywords,
                Some(&items) => {
                    let mut known = Keywords::clone(known);
                    known.array.items = Some(items);
                    known == *keywords
                }
            },
            Body::Always(_) => false,
        };
        let candidates = by_hash.entry(FxBuildHasher.hash_one(keywords)).or_default();
        if let Some(&same) = candidates.iter().find(|&other| is_same(other)) {
            return same;
        }
        candidates.push(schema);
        schema
    }
}

/// The schemas that keywords apply to the parts of a value, or to the value itself.
enum Parts {
    None,
    /// All items of an array.
    Items(SchemaId),
    Others,
}

fn parts(keywords: &Keywords) -> Parts {
    let Keywords { array, object, applicators, .. } = keywords;
    let ArrayKeywords { prefix_items, items, contains, unevaluated_items, .. } = array;
    let ObjectKeywords { properties, additional_properties, property_names, dependent_required, .. } = object;
    let is_plain = prefix_items.is_empty()
        && contains.is_none()
        && unevaluated_items.is_none()
        && properties.is_empty()
        && object.pattern_properties.is_empty()
        && additional_properties.is_none()
        && property_names.is_none()
        && dependent_required.is_empty()
        && object.dependent_schemas.is_empty()
        && object.unevaluated_properties.is_none()
        && applicators.is_empty();
    match items {
        _ if !is_plain => Parts::Others,
        None => Parts::None,
        Some(items) => Parts::Items(*items),
    }
}

#[cfg(test)]
mod tests {
    use super::super::condition::Kind;
    use super::super::solver::tests::with_solver;
    use super::*;

    /// Each line holds schemas that say the same; those of different lines do not.
    const LINES: &[&[&str]] = &[
        &[
            r#"{"type": "string"}"#,
            r#"{"type": "string", "description": "b"}"#,
            r##"{"$ref": "#/$defs/string"}"##,
        ],
        &[r#"{"type": "string", "maxLength": 3}"#, r#"{"maxLength": 3, "type": "string"}"#],
        &[r#"{"type": ["null", "integer"], "minimum": 2}"#, r#"{"type": ["integer", "null"], "minimum": 2}"#],
        &[r#"{"enum": ["a", 1]}"#, r#"{"enum": ["a", 1], "title": "b"}"#],
        &[
            r#"{"type": "array", "items": {"type": "string"}}"#,
            r##"{"type": "array", "items": {"$ref": "#/$defs/string"}}"##,
        ],
        &[
            r#"{"type": "array", "items": {"type": "array", "items": {"maxLength": 3}}}"#,
            r#"{"items": {"type": "array", "items": {"maxLength": 3}}, "type": "array"}"#,
        ],
        &[r#"{"type": "array", "items": {"type": "array", "items": {"maxLength": 4}}}"#],
        &[r#"{"type": "array", "items": {"type": "string"}, "minItems": 1}"#],
        // What says something of members is not compared.
        &[r#"{"properties": {"a": {"type": "string"}}}"#],
        &[r#"{"properties": {"a": {"type": "string"}}}"#],
    ];

    #[test]
    fn schemas_that_say_the_same_have_one_representative() {
        let schemas: Vec<(usize, &str)> = LINES
            .iter()
            .enumerate()
            .flat_map(|(line, schemas)| schemas.iter().map(move |&schema| (line, schema)))
            .collect();
        let members = schemas.iter().enumerate().map(|(at, (_, schema))| format!(r#""{at:02}": {schema}"#));
        let members: Vec<String> = members.collect();
        let text = format!(
            r#"{{"$defs": {{"string": {{"type": "string"}}}}, "properties": {{{}}}}}"#,
            members.join(", ")
        );
        with_solver(&text, |solver| {
            let Body::Keywords(root) = &solver.schemas.schemas[solver.schemas.root.index()].body else {
                panic!("the root has keywords")
            };
            let goals: Vec<GoalId> = root
                .object
                .properties
                .iter()
                .map(|&(_, schema)| solver.goal_of(schema, ScopeId::NONE))
                .collect();
            let same: Vec<GoalId> = goals.iter().map(|&goal| solver.representative(goal)).collect();
            for (a, (line, schema)) in schemas.iter().enumerate() {
                for (b, (other_line, other)) in schemas.iter().enumerate() {
                    assert_eq!(same[a] == same[b], line == other_line, "{schema} and {other}");
                }
                assert_eq!(solver.representative(same[a]), same[a], "{schema}");
                // Arrays differ in the goals of their items, which say the same.
                for kind in [Kind::Null, Kind::Boolean, Kind::Number, Kind::String] {
                    let cases = solver.cases(goals[a], kind).unwrap();
                    assert_eq!(cases, solver.cases(same[a], kind).unwrap(), "{schema}");
                }
                assert_eq!(solver.kinds(goals[a]).unwrap(), solver.kinds(same[a]).unwrap(), "{schema}");
            }
        });
    }
}
