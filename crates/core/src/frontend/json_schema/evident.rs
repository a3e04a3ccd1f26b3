//! What can be told of a schema from its own keywords, without goals, cases or plans.
//!
//! Most schemas of a document say so little that some value plainly satisfies them. Where that is so, or
//! plainly not so, the question costs a look at the keywords; everything else is left to `satisfy`, whose
//! answer is the same where both have one. `cases`, too, searches for none where there plainly are none.

use rustc_hash::FxHashMap;

use super::condition::{Condition, GoalId, Kind};
use super::constant::Constant;
use super::format::FormatLengths;
use super::schema::{
    ArrayKeywords, Body, Keywords, NumberKeywords, ObjectKeywords, SchemaId, Schemas, StringKeywords, TypeSet,
};
use super::solver::Solver;
use crate::expression::ExpressionStore;

/// Where the answer for all kinds together is, behind those for each.
const IN_SOME_KIND: usize = Kind::ALL.len();

/// How many schemas may need one another before the question is left to `satisfy`.
const DEEPEST: u32 = 32;

/// What is known of the schemas, for each kind.
#[derive(Clone, Debug, Default)]
pub(super) struct EvidentAnswers {
    /// Indexed by schema and kind, and behind these whether some value of any kind satisfies it, where that was asked and
    /// is evident; empty as long as nothing was asked.
    known: Vec<[Answer; IN_SOME_KIND + 1]>,
}

#[derive(Clone, Copy, Debug, Default)]
enum Answer {
    #[default]
    NotAsked,
    NotEvident,
    Evident(bool),
}

impl Answer {
    fn of(verdict: Option<bool>) -> Self {
        verdict.map_or(Self::NotEvident, Self::Evident)
    }
}

impl Schemas {
    /// Whether arrays or objects are all values that satisfy conditions, or any value does, so that these are no regular
    /// language, nor a choice among kinds, as far as it shows in the types.
    pub(super) fn plainly_nests(&self, conditions: &[Condition]) -> bool {
        let schema = match *conditions {
            [] => return true,
            [Condition::Schema { schema, holds: true, .. }] => schema,
            _ => return false,
        };
        match &self.schemas[schema.index()].body {
            Body::Always(holds) => *holds,
            Body::Keywords(keywords) => {
                matches!(keywords.types, Some(TypeSet::ARRAY | TypeSet::OBJECT))
                    && keywords.applicators.is_empty()
                    && keywords.listed_values().is_none()
            }
        }
    }
}

impl Solver<'_> {
    /// Whether some value of a kind satisfies a goal; `None` where that is not evident.
    pub(super) fn evident_goal(&mut self, goal: GoalId, kind: Kind) -> Option<bool> {
        match *self.tables.terms.conditions(goal) {
            [] => Some(true),
            [Condition::Schema { schema, holds: true, .. }] => self.evident(schema, kind),
            _ => None,
        }
    }

    /// Whether all values of a kind satisfy a goal, as far as it shows in the keywords: these say nothing of the kind.
    pub(super) fn plainly_says_nothing(&self, goal: GoalId, kind: Kind) -> bool {
        match *self.tables.terms.conditions(goal) {
            [] => true,
            [Condition::Schema { schema, holds: true, .. }] => self.says_nothing_of(schema, kind),
            _ => false,
        }
    }

    /// The same of a schema.
    pub(super) fn says_nothing_of(&self, mut schema: SchemaId, kind: Kind) -> bool {
        for _ in 0..DEEPEST {
            let keywords = match &self.schemas.schemas[schema.index()].body {
                Body::Always(holds) => return *holds,
                Body::Keywords(keywords) => keywords,
            };
            match keywords.applicators.sole_conjunct() {
                Some(target) if keywords.says_only_applicators() => schema = target,
                _ => return allows_all_of(keywords, kind),
            }
        }
        false
    }

    /// Whether some value satisfies a goal; `None` where that is not evident.
    pub(super) fn evident_satisfiable(&mut self, goal: GoalId) -> Option<bool> {
        match *self.tables.terms.conditions(goal) {
            [] => Some(true),
            [Condition::Schema { schema, holds: true, .. }] => self.evident_in_some_kind(schema, 0),
            _ => None,
        }
    }

    /// Whether some value of a kind satisfies a schema; `None` where that is not evident.
    ///
    /// Each schema is looked at once for each kind. Dynamic references are never evident, so the answer does
    /// not depend on how the schema was reached.
    pub(super) fn evident(&mut self, schema: SchemaId, kind: Kind) -> Option<bool> {
        self.evident_within(schema, kind, 0)
    }

    fn evident_in_some_kind(&mut self, schema: SchemaId, depth: u32) -> Option<bool> {
        if let Answer::Evident(verdict) = *self.answer(schema, IN_SOME_KIND) {
            return Some(verdict);
        }
        let types = match &self.schemas.schemas[schema.index()].body {
            Body::Keywords(keywords) => keywords.types,
            Body::Always(_) => None,
        };
        let mut verdict = Some(false);
        for kind in Kind::ALL.into_iter().filter(|kind| types.is_none_or(|types| kind.is_in(types))) {
            match self.evident_within(schema, kind, depth) {
                Some(true) => {
                    verdict = Some(true);
                    break;
                }
                Some(false) => {}
                None => verdict = None,
            }
        }
        // What is not evident may be so later, when the schemas that need this one are decided.
        if verdict.is_some() {
            *self.answer(schema, IN_SOME_KIND) = Answer::of(verdict);
        }
        verdict
    }

    /// What is known of a schema, for a kind or for all.
    fn answer(&mut self, schema: SchemaId, kind: usize) -> &mut Answer {
        let known = &mut self.tables.evident.known;
        if known.is_empty() {
            known.resize(self.schemas.schemas.len(), Default::default());
        }
        &mut known[schema.index()][kind]
    }

    fn evident_within(&mut self, schema: SchemaId, kind: Kind, depth: u32) -> Option<bool> {
        let schemas = self.schemas;
        let answer = self.answer(schema, kind as usize);
        match *answer {
            Answer::Evident(verdict) => return Some(verdict),
            Answer::NotEvident => return None,
            // A schema that needs itself finds that nothing is evident of it.
            Answer::NotAsked => *answer = Answer::NotEvident,
        }
        let verdict = match &schemas.schemas[schema.index()].body {
            Body::Always(verdict) => Some(*verdict),
            Body::Keywords(_) if depth == DEEPEST => None,
            Body::Keywords(keywords) => self.evident_by_keywords(keywords, kind, depth + 1),
        };
        *self.answer(schema, kind as usize) = Answer::of(verdict);
        verdict
    }

    fn evident_by_keywords(&mut self, keywords: &Keywords, kind: Kind, depth: u32) -> Option<bool> {
        if keywords.types.is_some_and(|types| !kind.is_in(types)) {
            return Some(false);
        }
        if !keywords.applicators.is_empty() {
            return if keywords.says_only_applicators() {
                self.evident_by_applicators(keywords, kind, depth)
            } else {
                None
            };
        }
        let constants = match (&keywords.constant, &keywords.enumeration) {
            (None, None) => None,
            (Some(constant), None) => Some(std::slice::from_ref(constant)),
            (None, Some(constants)) => Some(&**constants),
            (Some(_), Some(_)) => return None,
        };
        if let Some(constants) = constants {
            return evident_by_constants(keywords, constants, kind);
        }
        match kind {
            Kind::Null | Kind::Boolean => Some(true),
            Kind::Number => evident_number(keywords.types, &keywords.number),
            Kind::String => self.evident_string(&keywords.string),
            Kind::Array => self.evident_array(&keywords.array, depth),
            Kind::Object => self.evident_object(&keywords.object, depth),
        }
    }

    /// The answer for a schema that only applies others to the value.
    fn evident_by_applicators(&mut self, keywords: &Keywords, kind: Kind, depth: u32) -> Option<bool> {
        let applicators = &keywords.applicators;
        if let Some(target) = applicators.sole_conjunct() {
            return self.evident_within(target, kind, depth);
        }
        let (alternatives, is_exclusive) = applicators.sole_choice()?;
        let is_exclusive = is_exclusive && !self.are_disjoint(alternatives, kind.types());
        let mut met = 0;
        let mut open = 0;
        for &alternative in alternatives {
            match self.evident_within(alternative, kind, depth) {
                Some(true) => met += 1,
                Some(false) => {}
                None => open += 1,
            }
        }
        match (met, open) {
            (0, 0) => Some(false),
            (1, 0) => Some(true),
            (1.., _) if !is_exclusive => Some(true),
            _ => None,
        }
    }

    fn evident_string(&mut self, keywords: &StringKeywords) -> Option<bool> {
        let StringKeywords { minimum_length, maximum_length, pattern, format } = keywords;
        let least = minimum_length.unwrap_or(0);
        let most = maximum_length.unwrap_or(u64::MAX);
        let format = format.as_deref().filter(|_| self.options.enforce_formats);
        match (pattern, format) {
            (None, None) => Some(least <= most),
            (None, Some(format)) if self.is_plain_format(format) => match FormatLengths::of(format) {
                Some(lengths) => Some(lengths.telling_bounds(least, most).is_some()),
                None => Some(least <= most),
            },
            _ if least > 0 || maximum_length.is_some() => None,
            (Some(pattern), None) => {
                let language = *self.tables.patterns.get(pattern)?;
                let is_evident =
                    language != ExpressionStore::NOTHING && !self.expressions.has_boolean(language);
                is_evident.then_some(true)
            }
            (_, Some(_)) => None,
        }
    }

    /// Whether a format is known to have strings: all that come with the engine have.
    pub(super) fn is_plain_format(&self, name: &str) -> bool {
        !self.options.formats.contains_key(name)
    }

    fn evident_array(&mut self, keywords: &ArrayKeywords, depth: u32) -> Option<bool> {
        if keywords.contains.is_some() || keywords.unevaluated_items.is_some() {
            return None;
        }
        let least = keywords.minimum_items.unwrap_or(0);
        if least > keywords.maximum_items.unwrap_or(u64::MAX) {
            return Some(false);
        }
        if least == 0 {
            return Some(true);
        }
        if keywords.unique_items && least > 1 || !keywords.prefix_items.is_empty() {
            return None;
        }
        let item = match keywords.items {
            Some(items) => self.evident_in_some_kind(items, depth),
            None => Some(true),
        };
        item.filter(|&holds| holds)
    }

    fn evident_object(&mut self, keywords: &ObjectKeywords, depth: u32) -> Option<bool> {
        let ObjectKeywords { properties, required, additional_properties, .. } = keywords;
        let count = required.len() as u64;
        let least = keywords.minimum_properties.unwrap_or(0);
        if keywords.unevaluated_properties.is_some()
            || least > count
            || keywords.maximum_properties.is_some_and(|most| most < count)
        {
            return None;
        }
        if required.is_empty() {
            return Some(true);
        }
        if !keywords.has_independent_members() {
            return None;
        }
        let mut named = FxHashMap::default();
        if required.len() > FEW {
            named.extend(properties.iter().map(|(name, schema)| (name.as_str(), *schema)));
        }
        for name in required {
            let schema = if required.len() > FEW {
                named.get(name.as_str()).copied()
            } else {
                properties.iter().find(|(known, _)| known == name).map(|&(_, schema)| schema)
            };
            if let Some(schema) = schema.or(*additional_properties)
                && self.evident_in_some_kind(schema, depth) != Some(true)
            {
                return None;
            }
        }
        Some(true)
    }
}

/// So many names are looked for one by one.
const FEW: usize = 4;

/// Whether the keywords name all types of a kind, or none, and say nothing else of it.
fn allows_all_of(keywords: &Keywords, kind: Kind) -> bool {
    let Keywords { types, string, number, array, object, applicators, .. } = keywords;
    if keywords.listed_values().is_some() || !applicators.is_empty() {
        return false;
    }
    let is_open = types.is_none_or(|types| kind.types().without(types) == TypeSet::NONE);
    is_open
        && match kind {
            Kind::Null | Kind::Boolean => true,
            Kind::Number => number.is_empty(),
            Kind::String => string.is_empty(),
            Kind::Array => array.is_empty(),
            Kind::Object => object.is_empty(),
        }
}

/// Whether one of the constants is of a kind, and beyond the reach of the other keywords.
fn evident_by_constants(keywords: &Keywords, constants: &[Constant], kind: Kind) -> Option<bool> {
    if kind.among(constants).is_empty() {
        return Some(false);
    }
    let is_free = match kind {
        Kind::Null => true,
        // Both at most, and which one is told by `satisfy` as quickly.
        Kind::Boolean => true,
        Kind::Number => {
            keywords.number.is_empty() && keywords.types.is_none_or(|types| types.overlaps(TypeSet::FRACTION))
        }
        Kind::String => keywords.string.is_empty(),
        Kind::Array | Kind::Object => false,
    };
    is_free.then_some(true)
}

fn evident_number(types: Option<TypeSet>, keywords: &NumberKeywords) -> Option<bool> {
    let NumberKeywords { minimum, maximum, exclusive_minimum, exclusive_maximum, multiple_of } = keywords;
    if multiple_of.is_some() {
        return None;
    }
    if !keywords.has_both_bounds() {
        return Some(true);
    }
    // The lower bound itself is such a number.
    let (None, None, Some(least), Some(most)) = (exclusive_minimum, exclusive_maximum, minimum, maximum)
    else {
        return None;
    };
    let is_integral = types.is_none_or(|types| types.overlaps(TypeSet::FRACTION)) || least.is_integer();
    (least <= most && is_integral).then_some(true)
}

#[cfg(test)]
mod tests {
    use super::super::condition::ScopeId;
    use super::super::satisfy::Possible;
    use super::super::schema::PatternId;
    use super::super::solver::tests::with_solver;
    use super::*;

    const SCHEMAS: &[&str] = &[
        "true",
        "false",
        "{}",
        r#"{"type": ["integer", "null"], "minimum": 3, "maximum": 3}"#,
        r#"{"type": "integer", "minimum": 1.2, "maximum": 1.8}"#,
        r#"{"type": "integer", "minimum": 1.2, "maximum": 2.8}"#,
        r#"{"type": "number", "minimum": 3, "maximum": 2}"#,
        r#"{"type": "number", "exclusiveMinimum": 3, "maximum": 3}"#,
        r#"{"type": "integer", "exclusiveMinimum": 3.5}"#,
        r#"{"multipleOf": 7, "minimum": 1, "maximum": 6}"#,
        r#"{"type": "string", "minLength": 3, "maxLength": 2}"#,
        r#"{"type": "string", "minLength": 2, "maxLength": 3}"#,
        r#"{"type": "string", "format": "date"}"#,
        r#"{"type": "string", "format": "nobody knows it"}"#,
        r#"{"type": "string", "format": "nobody knows it", "maxLength": 9}"#,
        r#"{"type": "string", "format": "date", "minLength": 1, "maxLength": 10}"#,
        r#"{"type": "string", "format": "date", "maxLength": 9}"#,
        r#"{"type": "string", "format": "email", "minLength": 5, "maxLength": 100}"#,
        r#"{"type": "string", "pattern": "^a$", "minLength": 2}"#,
        r#"{"type": "string", "pattern": "a|b"}"#,
        r#"{"type": "string", "pattern": "^(?!a)a"}"#,
        r#"{"enum": ["a", 1, null]}"#,
        r#"{"enum": []}"#,
        r#"{"enum": ["a", 1.5], "type": "integer"}"#,
        r#"{"enum": ["abc"], "maxLength": 2}"#,
        r#"{"const": true, "type": "boolean"}"#,
        r#"{"const": {"a": 1}, "required": ["b"]}"#,
        r#"{"const": [1], "enum": [2]}"#,
        r#"{"type": "array", "minItems": 2, "items": false}"#,
        r#"{"type": "array", "minItems": 2, "items": {"type": "null"}, "uniqueItems": true}"#,
        r#"{"type": "array", "minItems": 2, "maxItems": 1}"#,
        r#"{"type": "array", "minItems": 1, "prefixItems": [false]}"#,
        r#"{"type": "array", "minItems": 3, "items": {"type": "string"}}"#,
        r#"{"type": "array", "items": false, "contains": true}"#,
        r#"{"type": "object", "required": ["a"], "additionalProperties": false}"#,
        r#"{"type": "object", "required": ["a"], "properties": {"a": false}}"#,
        r#"{"type": "object", "required": ["a", "b"], "properties": {"a": {"type": "null"}}}"#,
        r#"{"type": "object", "required": ["a", "b"], "maxProperties": 1}"#,
        r#"{"type": "object", "minProperties": 1, "additionalProperties": false}"#,
        r#"{"type": "object", "required": ["a"], "patternProperties": {"a": false}}"#,
        r#"{"type": "object", "required": ["a"], "propertyNames": {"minLength": 2}}"#,
        r#"{"type": "object", "required": ["a"], "dependentRequired": {"a": ["b"]}, "maxProperties": 1}"#,
        r#"{"type": "object", "required": ["a","b","c","d","e"], "properties": {"e": false}}"#,
        r#"{"anyOf": [false, {"type": "null"}]}"#,
        r#"{"anyOf": [false, {"enum": []}]}"#,
        r#"{"oneOf": [true, true]}"#,
        r#"{"oneOf": [{"type": "null"}, {"type": "string"}]}"#,
        r#"{"oneOf": [{"type": "number"}, {"type": "integer"}]}"#,
        r#"{"oneOf": [{"type": "integer"}, {"type": "integer", "minimum": 3}]}"#,
        r#"{"allOf": [{"type": "string"}]}"#,
        r#"{"not": {}}"#,
        r#"{"type": "string", "not": {"type": "string"}}"#,
        r##"{"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#"}}}"##,
        r##"{"type": "object", "properties": {"a": {"$ref": "#"}, "b": {"$ref": "#/properties/a"}}}"##,
        r##"{"anyOf": [{"type": "null"}, {"type": "array", "minItems": 1, "items": {"$ref": "#"}}]}"##,
        r##"{"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}}"##,
        r#"{"type": "object", "unevaluatedProperties": false, "required": ["a"]}"#,
    ];

    /// Where keywords say nothing of a kind, a search finds one case without leaves; kinds that are excluded have none.
    #[test]
    fn cases_are_those_of_a_search_where_nothing_is_said_of_a_kind() {
        let mut open = 0;
        for text in SCHEMAS {
            with_solver(text, |solver| {
                for schema in 0..solver.schemas.schemas.len() {
                    for kind in Kind::ALL {
                        let goal = solver.goal_of(SchemaId(schema as u32), ScopeId::NONE);
                        if solver.evident_goal(goal, kind) == Some(false) {
                            assert!(solver.cases(goal, kind).unwrap().is_empty(), "{text} {schema} {kind:?}");
                        }
                        if solver.plainly_says_nothing(goal, kind) {
                            open += 1;
                            let found = solver.cases_searched_for(goal, kind).unwrap();
                            assert!(matches!(&*found, [case] if case.is_empty()), "{text} {schema} {kind:?}");
                            assert_eq!(found, solver.cases(goal, kind).unwrap(), "{text} {schema} {kind:?}");
                        }
                    }
                }
            });
        }
        assert!(open > 50, "{open} kinds");
    }

    /// What is evident of a schema is what working it out finds, for every schema within the ones above.
    #[test]
    fn working_it_out_finds_what_is_evident() {
        let mut evident = 0;
        for text in SCHEMAS {
            with_solver(text, |solver| {
                for pattern in 0..solver.schemas.patterns.len() {
                    solver.pattern(PatternId(pattern as u32)).unwrap();
                }
                for schema in 0..solver.schemas.schemas.len() {
                    let schema = SchemaId(schema as u32);
                    for kind in Kind::ALL {
                        let Some(verdict) = solver.evident(schema, kind) else { continue };
                        evident += 1;
                        let goal = solver.goal_of(schema, ScopeId::NONE);
                        let mut found = Possible::No;
                        for case in solver.cases_searched_for(goal, kind).unwrap().iter() {
                            found = found.or(solver.case_possible(kind, case).unwrap());
                        }
                        assert_eq!(found, Possible::of(verdict), "{text} {schema:?} {kind:?}");
                    }
                }
            });
        }
        assert!(evident > 250, "{evident} answers are evident");
    }
}
