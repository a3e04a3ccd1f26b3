//! Where a schema that no value satisfies contradicts itself.
//!
//! It does so at the innermost schema that must hold and that no value satisfies: of the value itself, by `allOf` or a
//! reference, or of a member or item that must come.

use rustc_hash::FxHashSet;

use super::condition::ScopeId;
use super::schema::{Body, Keywords, SchemaId, TypeSet};
use super::solver::Solver;

impl Solver<'_> {
    /// What makes a schema one that no value satisfies, with its place as far inside as it is soon told, and how to mend it.
    pub(super) fn contradiction(&mut self, root: SchemaId) -> String {
        let (mut schema, mut scope) = (root, ScopeId::NONE);
        let mut met = FxHashSet::default();
        loop {
            if !met.insert(schema) {
                let at = &self.schemas.schemas[schema.index()].location;
                return format!(
                    "a value of {at} has another one of it inside, and so on without end; let it be left out, or allow \
                     something else in its place, such as null"
                );
            }
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
        let schema = &self.schemas.schemas[schema.index()];
        let at = &schema.location;
        match &schema.body {
            Body::Always(_) => {
                format!("{at} is `false`, which allows nothing; say what is allowed, or drop what demands it")
            }
            Body::Keywords(keywords) if keywords.enumeration.as_ref().is_some_and(|all| all.is_empty()) => {
                format!("`enum` at {at} lists no value; list those that are allowed, or drop it")
            }
            Body::Keywords(_) => format!(
                "what it demands at {at} cannot all hold at once, as in `{{\"minimum\": 2, \"maximum\": 1}}`; drop one of \
                 the demands"
            ),
        }
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
        let of_demands = |at: &str| format!("what it demands at {at} cannot all hold at once");
        for (schema, told) in [
            ("false", "# is `false`, which allows nothing".to_owned()),
            (r#"{"minimum": 2, "maximum": 1, "type": "number"}"#, of_demands("#")),
            (r#"{"allOf": [{"type": "string"}, {"type": "null"}]}"#, of_demands("#")),
            (
                r#"{"allOf": [{"type": "string"}, {"anyOf": [{"enum": []}]}]}"#,
                "`enum` at #/allOf/1/anyOf/0 lists no value".to_owned(),
            ),
            (
                r##"{"type": "object", "required": ["b", "a"], "properties": {"b": true, "a": {"$ref": "#/$defs/c"}},
                "$defs": {"c": {"type": "array", "minItems": 2, "prefixItems": [true, {"allOf": [false]}]}}}"##,
                "#/$defs/c/prefixItems/1/allOf/0 is `false`".to_owned(),
            ),
            (
                r#"{"type": "array", "minItems": 2, "prefixItems": [true], "items": {"const": 1, "type": "string"}}"#,
                of_demands("#/items"),
            ),
            (
                r#"{"type": "array", "minItems": 1, "prefixItems": [true, false], "maxItems": 0}"#,
                of_demands("#"),
            ),
            (
                r#"{"type": "array", "contains": {"pattern": "^a", "maxLength": 0, "type": "string"}}"#,
                of_demands("#/contains"),
            ),
            // What may be missing, and what need not hold of all kinds of values, contradicts nothing.
            (
                r#"{"type": "object", "minProperties": 1, "maxProperties": 0, "properties": {"a": false}}"#,
                of_demands("#"),
            ),
            (
                r#"{"enum": [1], "type": "string", "properties": {"a": false}, "required": ["a"]}"#,
                of_demands("#"),
            ),
            (
                r##"{"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#"}}}"##,
                "a value of # has another one of it inside".to_owned(),
            ),
            (
                r##"{"$ref": "#/$defs/a", "$defs": {"a": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/b"}},
                "b": {"type": "object", "required": ["c"], "properties": {"c": {"$ref": "#/$defs/a"}}}}}"##,
                "a value of #/$defs/a has another one of it inside".to_owned(),
            ),
        ] {
            let error = compile(schema, &[], &Options::default(), &Budget::default());
            let error = error.unwrap_err().to_string();
            assert!(error.contains(&format!("satisfies the schema: {told}")), "{schema}: {error}");
        }
    }
}
