//! What messages call the rules of a schema: by the places of the schemas that their values satisfy.
//!
//! Equal schemas share rules (see [`representative`](super::representative)), so that the place of the one for which a rule was
//! written may be another than that which the text has come to. A name is made when it is asked for: it lists the schemas
//! that were found to be equal by then, and what the text has reached is among them.

use rustc_hash::FxHashMap;

use super::condition::{GoalId, Kind};
use super::schema::Schemas;
use super::solver::first_schema;
use super::tables::Tables;
use crate::counted::counted;
use crate::expression::RuleId;

/// Places are listed up to this many.
const MANY: usize = 5;

/// What a rule of values is called; `None` for other rules. Takes time in proportion to what is known of the schema.
pub(super) fn name_of(
    rule: RuleId,
    rule_of: &FxHashMap<(GoalId, Option<Kind>, u32), RuleId>,
    tables: &Tables,
    schemas: &Schemas,
) -> Option<String> {
    let schema_of = |goal: GoalId| first_schema(tables.terms.conditions(goal));
    let (&(goal, ..), _) = rule_of.iter().find(|&(_, &other)| other == rule)?;
    if goal == GoalId::ANYTHING {
        return Some("any value".to_owned());
    }
    let Some(schema) = schema_of(goal) else { return Some("a value".to_owned()) };
    let equal = tables.representatives.equals_of(schema);
    let places = std::iter::once(schema).chain(equal);
    let places: Vec<&str> = places.map(|schema| &*schemas.schemas[schema.index()].location).collect();
    Some(format!("a value for {}", listed(&places)))
}

/// The first of some places, at least one, and how many more there are.
fn listed(places: &[&str]) -> String {
    let more = places.len().saturating_sub(MANY);
    let more = (more > 0).then(|| counted(more, "more equal schema"));
    let mut parts: Vec<&str> = places.iter().copied().take(MANY).chain(more.as_deref()).collect();
    match (parts.pop(), parts.is_empty()) {
        (Some(last), false) => format!("{} or {last}", parts.join(", ")),
        (last, _) => last.unwrap_or_default().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::listed;

    #[test]
    fn places_are_listed_as_people_do() {
        assert_eq!(listed(&["#/a"]), "#/a");
        assert_eq!(listed(&["#/a", "#/b"]), "#/a or #/b");
        assert_eq!(listed(&["#/a", "#/b", "#/c"]), "#/a, #/b or #/c");
        let many = ["#/a", "#/b", "#/c", "#/d", "#/e", "#/f", "#/g"];
        assert_eq!(listed(&many[..6]), "#/a, #/b, #/c, #/d, #/e or 1 more equal schema");
        assert_eq!(listed(&many), "#/a, #/b, #/c, #/d, #/e or 2 more equal schemas");
    }
}
