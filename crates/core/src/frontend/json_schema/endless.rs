//! Which schemas plainly have values without end.
//!
//! Where one value may not come again, another may, as long as there are any. Of most schemas it shows in the keywords that there always
//! are: some member may be any text, or further members have any name. Like what is [`evident`](super::evident), this takes a look at
//! the keywords; where it is not plain, the answer is no, and whoever asks reads what comes in full.

use super::condition::{Condition, GoalId, Kind};
use super::schema::{Body, Keywords, ObjectKeywords, StringKeywords};
use super::solver::Solver;

/// What there evidently is no end of among the values of a goal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Endless {
    /// Objects with members.
    pub(super) objects: bool,
    /// Values of any kind.
    pub(super) values: bool,
}

impl Endless {
    const ALL: Self = Self { objects: true, values: true };
}

impl Solver<'_> {
    /// What there evidently is no end of among the values that satisfy a goal.
    pub(super) fn evidently_endless(&mut self, goal: GoalId) -> Endless {
        let schema = match *self.tables.terms.conditions(goal) {
            [] => return Endless::ALL,
            [Condition::Schema { schema, holds: true, .. }] => schema,
            _ => return Endless::default(),
        };
        let keywords = match self.body_of(schema) {
            Some(Body::Always(true)) => return Endless::ALL,
            Some(Body::Keywords(keywords)) if is_plain(keywords) => keywords,
            _ => return Endless::default(),
        };
        let objects =
            self.evident(schema, Kind::Object) == Some(true) && self.has_endless_members(&keywords.object);
        Endless { objects, values: objects || has_endless_scalars(keywords) }
    }

    /// Whether objects that can do without another member can have endlessly many others.
    fn has_endless_members(&mut self, keywords: &ObjectKeywords) -> bool {
        let ObjectKeywords { properties, additional_properties, maximum_properties, .. } = keywords;
        if maximum_properties.is_some() || !keywords.has_independent_members() {
            return false;
        }
        let Some(further) = *additional_properties else { return true };
        Kind::ALL.into_iter().any(|kind| self.evident(further, kind) == Some(true))
            || properties.iter().any(|&(_, schema)| match self.body_of(schema) {
                Some(Body::Always(holds)) => *holds,
                Some(Body::Keywords(keywords)) => is_plain(keywords) && has_endless_scalars(keywords),
                None => false,
            })
    }
}

/// Whether keywords neither apply schemas to the value itself nor list values.
fn is_plain(keywords: &Keywords) -> bool {
    keywords.applicators.is_empty() && keywords.listed_values().is_none()
}

/// Whether there are endlessly many strings or numbers that satisfy plain keywords.
fn has_endless_scalars(keywords: &Keywords) -> bool {
    let Keywords { types, string, number, .. } = keywords;
    let has_type = |kind: Kind| types.is_none_or(|types| kind.is_in(types));
    let StringKeywords { maximum_length, pattern, format, .. } = string;
    has_type(Kind::String) && maximum_length.is_none() && pattern.is_none() && format.is_none()
        || has_type(Kind::Number) && number.multiple_of.is_none() && !number.has_both_bounds()
}

#[cfg(test)]
mod tests {
    use super::super::condition::ScopeId;
    use super::super::solver::tests::with_solver;
    use super::*;

    #[test]
    fn no_count_finds_an_end_of_values_where_there_evidently_is_none() {
        const SOME_ENDLESS: &[(&str, bool, bool)] = &[
            ("true", true, true),
            ("{}", true, true),
            (r#"{"type": "integer", "minimum": 1}"#, false, true),
            (r#"{"type": "integer", "minimum": 1, "maximum": 9}"#, false, false),
            (r#"{"type": ["null", "string"], "minLength": 2}"#, false, true),
            (r#"{"type": "string", "maxLength": 9}"#, false, false),
            (r#"{"enum": ["a"], "type": "string"}"#, false, false),
            (r#"{"type": "object"}"#, true, true),
            (r#"{"type": "object", "maxProperties": 0}"#, false, false),
            (r#"{"type": "object", "additionalProperties": {"enum": [1]}}"#, true, true),
            (r#"{"type": "object", "additionalProperties": false}"#, false, false),
            (
                r#"{"properties": {"a": {"type": "number"}}, "additionalProperties": false, "type": "object"}"#,
                true,
                true,
            ),
            (
                r#"{"properties": {"a": {"type": "null"}}, "additionalProperties": false, "type": "object"}"#,
                false,
                false,
            ),
            (
                r#"{"properties": {"a": {}, "b": false}, "required": ["b"], "additionalProperties": false, "type": "object"}"#,
                false,
                false,
            ),
            (
                r##"{"$ref": "#/$defs/a", "$defs": {"a": {"allOf": [{"type": "object", "required": ["b"]}]}}}"##,
                true,
                true,
            ),
            (r#"{"allOf": [{"type": "object"}, {"maxProperties": 0}]}"#, false, false),
        ];
        const MANY: u64 = 1000;
        for &(text, objects, values) in SOME_ENDLESS {
            with_solver(text, |solver| {
                let goal = solver.goal_of(solver.schemas.root, ScopeId::NONE);
                let found = solver.evidently_endless(goal);
                assert_eq!(found, Endless { objects, values }, "{text}");
                let (count, is_exact) = solver.count_values(goal, MANY).unwrap();
                assert!(!values || count == MANY || !is_exact, "{text}: {count}");
            });
        }
    }
}
