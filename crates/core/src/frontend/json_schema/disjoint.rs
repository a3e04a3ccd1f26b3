//! Schemas of which no value satisfies two, where that shows in their keywords.
//!
//! Objects are told apart by a *discriminator*, a member that all require and that has other constants in each. Where nothing
//! tells all of them apart at once, they are compared by twos (`overlaps`).

use rustc_hash::{FxHashMap, FxHashSet};

use super::constant::Constant;
use super::schema::{Body, Keywords, Schema, SchemaId, TypeSet};
use super::solver::Solver;

/// How many references may lead from one schema to the next.
const LONGEST_CHAIN: usize = 32;

/// The constants seen of members, by their names.
type ConstantsSeen<'a> = FxHashMap<&'a str, FxHashSet<&'a Constant>>;

impl<'a> Solver<'a> {
    /// Whether one thing plainly tells all schemas apart in values of some types. Takes time in proportion to their keywords.
    pub(super) fn are_told_apart_together(&self, alternatives: &[SchemaId], among: TypeSet) -> bool {
        let mut taken = TypeSet::NONE;
        let mut objects: Vec<&Keywords> = Vec::new();
        let Some(leaves) = self.leaves_of(alternatives) else { return false };
        for alternative in leaves {
            let keywords = match self.body_of(alternative) {
                Some(Body::Keywords(keywords)) => keywords,
                Some(Body::Always(false)) => continue,
                _ => return false,
            };
            let types = keywords.types.unwrap_or(TypeSet::ALL).intersection(among);
            if types.overlaps(TypeSet::OBJECT) {
                objects.push(keywords);
            }
            let others = types.without(TypeSet::OBJECT);
            if others.overlaps(taken) {
                return false;
            }
            taken = taken.union(others);
        }
        objects.len() < 2 || self.have_discriminator(&objects)
    }

    /// The schemas of which one holds where one of the alternatives does, which may be choices themselves. `None` where there are
    /// very many.
    fn leaves_of(&self, alternatives: &[SchemaId]) -> Option<Vec<SchemaId>> {
        const MOST: usize = 1 << 14;
        let (mut leaves, mut waiting) = (Vec::new(), alternatives.to_vec());
        // A choice can lead to itself.
        let mut looks = 0;
        while let Some(schema) = waiting.pop() {
            looks += 1;
            match self.chosen_from(schema) {
                Some((alternatives, _)) => waiting.extend_from_slice(alternatives),
                None => leaves.push(schema),
            }
            if looks + waiting.len() > MOST {
                return None;
            }
        }
        Some(leaves)
    }

    /// The schemas of which a schema says that one must hold, and whether just one, where it says nothing else.
    pub(super) fn chosen_from(&self, schema: SchemaId) -> Option<(&'a [SchemaId], bool)> {
        let Body::Keywords(keywords) = self.body_of(schema)? else { return None };
        keywords.applicators.sole_choice().filter(|_| keywords.says_only_applicators())
    }

    /// Whether all of some schemas require a member of one name, and no constant of it is one of two.
    fn have_discriminator(&self, objects: &[&'a Keywords]) -> bool {
        let Some((first, rest)) = objects.split_first() else { return false };
        // For each name that may be the one, the constants of the schemas so far.
        let required = first.object.required.iter().map(|name| (name.as_str(), FxHashSet::default()));
        let mut seen = self.told_apart(required.collect(), first);
        for keywords in rest {
            if seen.is_empty() {
                return false;
            }
            let required = keywords.object.required.iter();
            let required = required.filter_map(|name| seen.remove_entry(name.as_str())).collect();
            seen = self.told_apart(required, keywords);
        }
        !seen.is_empty()
    }

    /// The names of required members for which a schema lists constants, none of which was seen before.
    fn told_apart(&self, mut required: ConstantsSeen<'a>, keywords: &'a Keywords) -> ConstantsSeen<'a> {
        let mut left = ConstantsSeen::default();
        for (name, schema) in &keywords.object.properties {
            let Some(mut seen) = required.remove(name.as_str()) else { continue };
            let Some(Body::Keywords(member)) = self.body_of(*schema) else { continue };
            let Some(constants) = member.listed_values() else { continue };
            let own: FxHashSet<&Constant> = constants.iter().collect();
            if own.into_iter().all(|constant| seen.insert(constant)) {
                left.insert(name, seen);
            }
        }
        left
    }

    /// What a schema says, or the one that it refers to and says no more.
    pub(super) fn body_of(&self, schema: SchemaId) -> Option<&'a Body> {
        let schemas = self.schemas;
        let mut at = schema;
        for _ in 0..LONGEST_CHAIN {
            let Schema { body, .. } = &schemas.schemas[at.index()];
            match body {
                Body::Keywords(keywords) if keywords.says_only_applicators() => {
                    match keywords.applicators.sole_conjunct() {
                        Some(target) => at = target,
                        None => return Some(body),
                    }
                }
                body => return Some(body),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::schema::Applicators;
    use super::super::solver::tests::{accepted, with_solver};
    use super::*;

    /// Alternatives, and whether they are told apart.
    const CHOICES: &[(&[&str], bool)] = &[
        (&[r#"{"type": "null"}"#, r#"{"type": ["string", "boolean"]}"#], true),
        (&[r#"{"type": "number"}"#, r#"{"type": "integer"}"#], false),
        (&[r#"{"type": "string"}"#, "false"], true),
        (&[r#"{"type": "string"}"#, "true"], false),
        (
            &[
                r#"{"type": "object", "properties": {"k": {"const": "a"}, "v": {"type": "null"}}, "required": ["k"]}"#,
                r#"{"type": "object", "properties": {"k": {"enum": ["b", 1]}}, "required": ["v", "k"]}"#,
                r#"{"type": "null"}"#,
            ],
            true,
        ),
        (
            &[
                r#"{"type": "object", "properties": {"k": {"const": 1}}, "required": ["k"]}"#,
                r#"{"type": "object", "properties": {"k": {"const": 1.0}}, "required": ["k", "v"]}"#,
            ],
            false,
        ),
        (
            &[
                r#"{"type": "object", "properties": {"k": {"const": "a"}}, "required": ["k"]}"#,
                r#"{"type": "object", "properties": {"k": {"const": "b"}}}"#,
            ],
            true,
        ),
        (
            &[
                r#"{"type": "object", "properties": {"k": {"const": "a"}}}"#,
                r#"{"type": "object", "properties": {"k": {"const": "b"}}}"#,
            ],
            false,
        ),
        (&[r#"{"const": 1}"#, r#"{"enum": ["a", true, 1.5]}"#, r#"{"const": {"k": "a"}}"#], true),
        (&[r#"{"const": 1}"#, r#"{"enum": ["a", 1.0]}"#], false),
        (&[r#"{"const": 1}"#, r#"{"type": "number", "minimum": 1}"#], false),
        (&[r#"{"const": 1}"#, r#"{"type": "number", "exclusiveMinimum": 1}"#, r#"{"type": "null"}"#], true),
        (&[r#"{"enum": [1, 3, "a"]}"#, r#"{"type": "number", "exclusiveMinimum": 1, "maximum": 2}"#], true),
        (&[r#"{"type": "number", "maximum": 1.5}"#, r#"{"type": "number", "minimum": 1.5}"#], false),
        (&[r#"{"type": "number", "exclusiveMaximum": 1.5}"#, r#"{"type": "number", "minimum": 1.5}"#], true),
        (
            &[r#"{"type": "number", "maximum": 1}"#, r#"{"type": "integer", "minimum": 2, "multipleOf": 3}"#],
            true,
        ),
        (&[r#"{"type": "number", "maximum": 1}"#, r#"{"minimum": 2}"#], true),
        (&[r#"{"maximum": 1}"#, r#"{"minimum": 2}"#], false),
        (
            &[
                r#"{"type": "number", "minimum": 4, "maximum": 9}"#,
                r#"{"type": "number", "minimum": 0, "exclusiveMinimum": 1, "maximum": 3}"#,
                r#"{"type": "number", "exclusiveMaximum": 1, "maximum": 3}"#,
                r#"{"type": "integer", "minimum": 1, "exclusiveMaximum": 2, "maximum": 1}"#,
            ],
            true,
        ),
        (&[r#"{"type": "string", "maxLength": 1}"#, r#"{"type": "string", "minLength": 2}"#], true),
        (&[r#"{"type": "string", "maxLength": 1}"#, r#"{"const": "ab"}"#], true),
        (&[r#"{"type": "string", "maxLength": 1}"#, r#"{"enum": ["ab", "a"]}"#], false),
        (&[r#"{"type": "array", "maxItems": 1}"#, r#"{"type": "array", "minItems": 2}"#], true),
        (&[r#"{"type": "array", "maxItems": 1}"#, r#"{"type": "array", "minItems": 1}"#], false),
        (&[r#"{"type": "array", "maxItems": 1}"#, r#"{"const": [1, 2]}"#], true),
        (&[r#"{"type": "object", "maxProperties": 1}"#, r#"{"type": "object", "minProperties": 2}"#], true),
        (&[r#"{"type": "object", "maxProperties": 1}"#, r#"{"const": {"k": "a"}}"#], false),
    ];

    const DOCUMENTS: &[&str] = &[
        "null",
        "true",
        "1",
        "1.5",
        "-1",
        "2",
        "3",
        "6.0",
        r#""a""#,
        r#""ab""#,
        "[]",
        "[1]",
        "[1,2]",
        "{}",
        r#"{"k":"a"}"#,
        r#"{"k":"b"}"#,
        r#"{"k":"a","v":null}"#,
        r#"{"k":"a","v":1}"#,
        r#"{"k":"b","v":1}"#,
        r#"{"v":1,"k":1}"#,
        r#"{"k":1}"#,
        r#"{"k":"c","v":null}"#,
    ];

    /// `oneOf` over disjoint schemas means the same when it is not seen that they are.
    #[test]
    fn disjoint_schemas_are_told_apart_without_negation() {
        for (alternatives, expected) in CHOICES {
            let plain = format!(r#"{{"oneOf": [{}]}}"#, alternatives.join(", "));
            let hidden: Vec<String> =
                alternatives.iter().map(|schema| format!(r#"{{"if": {{}}, "then": {schema}}}"#)).collect();
            let hidden = format!(r#"{{"oneOf": [{}]}}"#, hidden.join(", "));
            for (text, expected) in [(&plain, *expected), (&hidden, false)] {
                with_solver(text, |solver| {
                    let Body::Keywords(root) = &solver.schemas.schemas[solver.schemas.root.index()].body
                    else {
                        panic!("{text} has keywords")
                    };
                    let Applicators { one_of: Some(all), .. } = &root.applicators else { panic!("{text}") };
                    assert_eq!(solver.are_disjoint(all, TypeSet::ALL), expected, "{text}");
                });
            }
            assert_eq!(accepted(&plain, DOCUMENTS), accepted(&hidden, DOCUMENTS), "{plain}");
        }
    }
    /// Which documents a choice among objects accepts whose schemas name no type.
    #[test]
    fn objects_are_told_apart_where_no_type_is_named() {
        let tool = |name: &str, more: &str| {
            format!(r#"{{"properties": {{"k": {{"const": "{name}"}}{more}}}, "required": ["k"]}}"#)
        };
        let alternatives = format!("{}, {}", tool("a", ""), tool("b", r#", "v": {"type": "integer"}"#));
        let one_of = format!(r#"{{"type": "object", "oneOf": [{alternatives}]}}"#);
        let any_of = one_of.replace("oneOf", "anyOf");
        assert_eq!(accepted(&one_of, DOCUMENTS), accepted(&any_of, DOCUMENTS));
        with_solver(&one_of, |solver| {
            let Body::Keywords(root) = &solver.schemas.schemas[solver.schemas.root.index()].body else {
                panic!("{one_of} has keywords")
            };
            let Applicators { one_of: Some(all), .. } = &root.applicators else { panic!("{one_of}") };
            for (types, expected) in
                [(TypeSet::OBJECT, true), (TypeSet::STRING, false), (TypeSet::ALL, false)]
            {
                assert_eq!(solver.are_disjoint(all, types), expected);
            }
        });
    }
}
