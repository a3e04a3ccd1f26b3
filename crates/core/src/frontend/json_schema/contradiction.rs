//! Where a schema that no value satisfies contradicts itself.
//!
//! It does so at the innermost schema that must hold and that no value satisfies: of the value itself, by `allOf` or a
//! reference, or of a member or item that must come.

use rustc_hash::FxHashSet;

use super::condition::ScopeId;
use super::schema::{Body, Keywords, SchemaId, TypeSet};
use super::solver::Solver;

impl Solver<'_> {
    /// The location of the contradiction in a schema that no value satisfies, as far inside as it is soon told.
    pub(super) fn contradiction(&mut self, root: SchemaId) -> &str {
        let (mut schema, mut scope) = (root, ScopeId::NONE);
        let mut met = FxHashSet::default();
        while met.insert(schema) {
            scope = self.enter(schema, scope);
            let mut inside = None;
            for part in self.parts_that_must_hold(schema) {
                let goal = self.goal_of(part, scope);
                // Where that takes too much, what is known so far is told.
                match self.is_satisfiable(goal) {
                    Ok(true) => {}
                    Ok(false) => inside = Some(part),
                    Err(_) => self.forget_begun(),
                }
                if inside.is_some() {
                    break;
                }
            }
            match inside {
                Some(part) => schema = part,
                None => break,
            }
        }
        &self.schemas.schemas[schema.index()].location
    }

    /// Forgets what an error has left begun.
    fn forget_begun(&mut self) {
        self.tables.in_progress.clear();
        self.tables.unknown.clear();
        self.tables.counting.clear();
        self.tables.searches.clear();
    }

    /// The schemas inside one that must hold where it does.
    fn parts_that_must_hold(&self, schema: SchemaId) -> Vec<SchemaId> {
        let Body::Keywords(keywords) = &self.schemas.schemas[schema.index()].body else { return Vec::new() };
        let Keywords { types, array, object, applicators, .. } = &**keywords;
        let mut parts: Vec<SchemaId> =
            applicators.reference.iter().chain(&applicators.all_of).copied().collect();
        for alternatives in [&applicators.any_of, &applicators.one_of].into_iter().flatten() {
            if let &[only] = alternatives.as_slice() {
                parts.push(only);
            }
        }
        if *types == Some(TypeSet::OBJECT) {
            let required: FxHashSet<&str> = object.required.iter().map(String::as_str).collect();
            let members = object.properties.iter().filter(|(name, _)| required.contains(name.as_str()));
            parts.extend(members.map(|&(_, schema)| schema));
        }
        if *types == Some(TypeSet::ARRAY) {
            let least = array.minimum_items.unwrap_or(0);
            parts.extend((0..least).zip(&array.prefix_items).map(|(_, &schema)| schema));
            parts.extend(array.items.filter(|_| least > array.prefix_items.len() as u64));
            parts.extend(array.contains.filter(|_| array.minimum_contains != Some(0)));
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Options, compile};
    use crate::Budget;

    #[test]
    fn a_contradiction_is_told_with_its_place() {
        for (schema, place) in [
            ("false", "#"),
            (r#"{"minimum": 2, "maximum": 1, "type": "number"}"#, "#"),
            (r#"{"allOf": [{"type": "string"}, {"type": "null"}]}"#, "#"),
            (r#"{"allOf": [{"type": "string"}, {"anyOf": [{"enum": []}]}]}"#, "#/allOf/1/anyOf/0"),
            (
                r##"{"type": "object", "required": ["b", "a"], "properties": {"b": true, "a": {"$ref": "#/$defs/c"}},
                "$defs": {"c": {"type": "array", "minItems": 2, "prefixItems": [true, {"allOf": [false]}]}}}"##,
                "#/$defs/c/prefixItems/1/allOf/0",
            ),
            (
                r#"{"type": "array", "minItems": 2, "prefixItems": [true], "items": {"const": 1, "type": "string"}}"#,
                "#/items",
            ),
            (r#"{"type": "array", "minItems": 1, "prefixItems": [true, false], "maxItems": 0}"#, "#"),
            (
                r#"{"type": "array", "contains": {"pattern": "^a", "maxLength": 0, "type": "string"}}"#,
                "#/contains",
            ),
            // What may be missing, and what need not hold of all kinds of values, contradicts nothing.
            (
                r#"{"type": "object", "minProperties": 1, "maxProperties": 0, "properties": {"a": false}}"#,
                "#",
            ),
            (r#"{"enum": [1], "type": "string", "properties": {"a": false}, "required": ["a"]}"#, "#"),
            // A value of this schema needs one of the same.
            (r##"{"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#"}}}"##, "#"),
        ] {
            let error =
                compile(schema, &[], &Options::default(), &Budget::default()).unwrap_err().to_string();
            let told = format!("what it demands at {place} cannot all hold at once");
            assert!(error.contains(&told), "{schema}: {error}");
        }
    }
}
