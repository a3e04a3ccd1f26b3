//! `unevaluatedProperties` and `unevaluatedItems`.
//!
//! What is unevaluated depends on which subschemas of the same value hold. So all the ways in which they
//! can hold or not are told apart, as far as they evaluate anything, and each way has a demand of its own
//! on what is left over.

use super::condition::{Condition, GoalId, KeySet, Keys, Kind, NameId, ScopeId};
use super::reduce::Leftover;
use super::schema::{Body, Keywords, PatternId, SchemaId};
use super::solver::{FIXED, Solver};
use crate::error::Result;
use crate::expression::size_of_bytes;

/// The greatest number of ways in which the subschemas of one schema can hold.
const MOST_WAYS: usize = 2000;
/// The greatest nesting of subschemas for one value.
const DEEPEST: usize = 100;

/// What has been evaluated.
#[derive(Clone, Debug, Default)]
struct Evaluated {
    /// All of it.
    everything: bool,
    names: Vec<NameId>,
    patterns: Vec<PatternId>,
    /// The items before this index.
    items: u32,
    /// Items that satisfy one of these.
    matching: Vec<GoalId>,
}

/// One way in which subschemas can hold: the conditions for it, and what they evaluate.
#[derive(Clone, Debug, Default)]
struct Way {
    conditions: Vec<Condition>,
    evaluated: Evaluated,
}

impl Way {
    fn and(&self, other: &Self) -> Self {
        let mut both = self.clone();
        both.conditions.extend_from_slice(&other.conditions);
        let evaluated = &mut both.evaluated;
        evaluated.everything |= other.evaluated.everything;
        evaluated.names.extend_from_slice(&other.evaluated.names);
        evaluated.patterns.extend_from_slice(&other.evaluated.patterns);
        evaluated.items = evaluated.items.max(other.evaluated.items);
        evaluated.matching.extend_from_slice(&other.evaluated.matching);
        both
    }

    fn evaluates_nothing(&self) -> bool {
        let Evaluated { everything, names, patterns, items, matching } = &self.evaluated;
        !everything && names.is_empty() && patterns.is_empty() && *items == 0 && matching.is_empty()
    }

    /// The size of what it holds, in that of expressions.
    fn size(&self) -> usize {
        let Evaluated { names, patterns, matching, .. } = &self.evaluated;
        let lists = size_of_val(&**names) + size_of_val(&**patterns) + size_of_val(&**matching);
        self.conditions.len() + size_of_bytes(lists)
    }

    fn and_condition(mut self, condition: Condition) -> Self {
        self.conditions.push(condition);
        self
    }
}

/// A schema reached in a scope, and the kind of value that is looked at.
#[derive(Clone, Copy)]
struct Place {
    scope: ScopeId,
    kind: Kind,
    depth: usize,
}

impl Solver<'_> {
    /// The ways in which a schema's subschemas can hold, each with its demand on what is unevaluated;
    /// `None` where the schema demands nothing of it.
    pub(super) fn unevaluated(
        &mut self,
        schema: SchemaId,
        keywords: &Keywords,
        scope: ScopeId,
        kind: Kind,
    ) -> Result<Option<Vec<Leftover>>> {
        let demand = match kind {
            Kind::Array => keywords.array.unevaluated_items,
            Kind::Object => keywords.object.unevaluated_properties,
            _ => None,
        };
        let Some(demand) = demand else { return Ok(None) };
        let demand = self.goal_of(demand, scope);
        if demand == GoalId::ANYTHING {
            return Ok(None);
        }
        let place = Place { scope, kind, depth: 0 };
        let ways = self.ways_of_keywords(schema, keywords, place)?;
        let mut held = ways.iter().map(Way::size).sum();
        let mut all = Vec::with_capacity(ways.len());
        for way in ways {
            self.check_split(schema, held)?;
            held -= way.size() - way.conditions.len();
            all.push(self.demand_on_rest(way, demand, kind));
        }
        Ok(Some(all))
    }

    fn demand_on_rest(&mut self, way: Way, demand: GoalId, kind: Kind) -> Leftover {
        let Way { conditions, evaluated } = way;
        let terms = &mut self.tables.terms;
        let goal = match evaluated.everything {
            true => GoalId::ANYTHING,
            false if evaluated.matching.is_empty() => demand,
            false => {
                let goals = evaluated.matching.into_iter().chain([demand]).collect();
                let either = terms.either(goals);
                terms.goal_of(either)
            }
        };
        let rest = if kind == Kind::Array {
            Condition::ItemsFrom { index: evaluated.items, goal }
        } else {
            let set = KeySet { names: evaluated.names, patterns: evaluated.patterns };
            Condition::Members { keys: Keys::Outside(terms.key_set(set)), goal }
        };
        (conditions, rest)
    }

    /// The ways in which a subschema holds for the same value.
    fn ways(&mut self, schema: SchemaId, place: Place) -> Result<Vec<Way>> {
        self.deadline.check()?;
        let condition = match self.condition_of(schema, place.scope, true) {
            Ok(condition) => condition,
            Err(true) => return Ok(vec![Way::default()]),
            Err(false) => return Ok(Vec::new()),
        };
        let Condition::Schema { schema, scope, .. } = condition else { return Ok(Vec::new()) };
        let place = Place { scope, depth: place.depth + 1, ..place };
        if place.depth > DEEPEST {
            let at = self.schemas.schemas[schema.index()].location.clone();
            return Err(self.too_much(FIXED, DEEPEST, "by subschemas that apply to one value", &at));
        }
        let schemas = self.schemas;
        let Body::Keywords(keywords) = &schemas.schemas[schema.index()].body else { return Ok(Vec::new()) };
        if !self.evaluates(keywords, place) {
            return Ok(vec![Way::default().and_condition(condition)]);
        }
        let restricts = match place.kind {
            Kind::Array => keywords.array.unevaluated_items.is_some(),
            _ => keywords.object.unevaluated_properties.is_some(),
        };
        if restricts {
            let evaluated = Evaluated { everything: true, ..Evaluated::default() };
            return Ok(vec![Way { conditions: vec![condition], evaluated }]);
        }
        self.ways_of_keywords(schema, keywords, place)
    }

    /// Whether a schema can evaluate anything of a value.
    fn evaluates(&self, keywords: &Keywords, place: Place) -> bool {
        let Keywords { array, object, applicators, .. } = keywords;
        let own = match place.kind {
            Kind::Array => {
                !array.prefix_items.is_empty()
                    || array.items.is_some()
                    || array.unevaluated_items.is_some()
                    || array.contains.is_some() && array.contains_evaluates
            }
            _ => {
                !object.properties.is_empty()
                    || !object.pattern_properties.is_empty()
                    || object.additional_properties.is_some()
                    || object.unevaluated_properties.is_some()
                    || !object.dependent_schemas.is_empty()
            }
        };
        // Subschemas are taken to evaluate something: telling more ways apart than needed does no harm.
        own || applicators.reference.is_some()
            || applicators.dynamic_reference.is_some()
            || !applicators.all_of.is_empty()
            || applicators.any_of.is_some()
            || applicators.one_of.is_some()
            || applicators.condition.is_some()
    }

    fn ways_of_keywords(&mut self, schema: SchemaId, keywords: &Keywords, place: Place) -> Result<Vec<Way>> {
        let Place { scope, kind, .. } = place;
        let mut own = Way::default();
        if !self.own_conditions(keywords, scope, kind, &mut own.conditions) {
            return Ok(Vec::new());
        }
        own.evaluated = self.evaluated_by(keywords, scope, kind);
        let mut ways = vec![own];
        let applicators = &keywords.applicators;
        let dynamic = self.dynamic_target(keywords, scope);
        let all = applicators.reference.into_iter().chain(dynamic).chain(applicators.all_of.iter().copied());
        for child in all {
            let choices = self.ways(child, place)?;
            ways = self.combine(schema, &ways, &choices)?;
        }
        if let Some(negation) = applicators.negation {
            ways = match self.condition_of(negation, scope, false) {
                Ok(condition) => ways.into_iter().map(|way| way.and_condition(condition)).collect(),
                Err(true) => ways,
                Err(false) => return Ok(Vec::new()),
            };
        }
        if let Some(children) = &applicators.any_of {
            let choices = self.ways_of_any(schema, children, place)?;
            ways = self.combine(schema, &ways, &choices)?;
        }
        if let Some(children) = &applicators.one_of
            && !ways.is_empty()
        {
            let choices = self.ways_of_one(schema, children, place)?;
            ways = self.combine(schema, &ways, &choices)?;
        }
        if let Some(condition) = applicators.condition {
            let mut holding = self.ways(condition, place)?;
            if let Some(consequence) = applicators.consequence {
                let choices = self.ways(consequence, place)?;
                holding = self.combine(schema, &holding, &choices)?;
            }
            let mut failing = self.excluding(vec![Way::default()], condition, scope);
            if let Some(alternative) = applicators.alternative {
                let choices = self.ways(alternative, place)?;
                failing = self.combine(schema, &failing, &choices)?;
            }
            holding.extend(failing);
            ways = self.combine(schema, &ways, &holding)?;
        }
        if kind == Kind::Object {
            for (name, child) in &keywords.object.dependent_schemas {
                let name = self.tables.terms.name(name);
                let mut choices = vec![Way::default().and_condition(Condition::Absent(name))];
                let present = self.ways(*child, place)?;
                choices.extend(present.into_iter().map(|way| way.and_condition(Condition::Present(name))));
                ways = self.combine(schema, &ways, &choices)?;
            }
        }
        Ok(ways)
    }

    /// What a schema's own keywords evaluate.
    fn evaluated_by(&mut self, keywords: &Keywords, scope: ScopeId, kind: Kind) -> Evaluated {
        let mut evaluated = Evaluated::default();
        if kind == Kind::Array {
            let array = &keywords.array;
            evaluated.items = array.prefix_items.len() as u32;
            evaluated.everything = array.items.is_some();
            if let Some(contains) = array.contains.filter(|_| array.contains_evaluates) {
                evaluated.matching.push(self.goal_of(contains, scope));
            }
            return evaluated;
        }
        let object = &keywords.object;
        evaluated.names = object.properties.iter().map(|(name, _)| self.tables.terms.name(name)).collect();
        evaluated.patterns = object.pattern_properties.iter().map(|&(pattern, _)| pattern).collect();
        evaluated.everything = object.additional_properties.is_some();
        evaluated
    }

    /// The ways in which just one of some schemas holds.
    fn ways_of_one(&mut self, schema: SchemaId, children: &[SchemaId], place: Place) -> Result<Vec<Way>> {
        let mut ways: Vec<Way> = Vec::new();
        let mut held = 0;
        let overlaps = self.overlaps(children, place.kind.types());
        let may_overlap = |one: usize, other: usize| {
            one != other
                && overlaps.as_ref().is_none_or(|overlaps| overlaps[one].binary_search(&other).is_ok())
        };
        for only in 0..children.len() {
            self.check_split(schema, held)?;
            let mut chosen = self.ways(children[only], place)?;
            for (other, &child) in children.iter().enumerate() {
                if may_overlap(only, other) {
                    chosen = self.excluding(chosen, child, place.scope);
                }
            }
            held += chosen.iter().map(Way::size).sum::<usize>();
            ways.extend(chosen);
            self.check_ways(schema, ways.len())?;
        }
        Ok(ways)
    }

    /// The ways in which at least one of some schemas holds, each of them decided that evaluates something. Which of the
    /// others hold makes no difference but where none of these does.
    fn ways_of_any(&mut self, schema: SchemaId, children: &[SchemaId], place: Place) -> Result<Vec<Way>> {
        let mut none = vec![Way::default()];
        let mut some: Vec<Way> = Vec::new();
        let mut others = Vec::new();
        for &child in children {
            let holding = self.ways(child, place)?;
            if holding.iter().all(Way::evaluates_nothing) {
                others.push(self.goal_of(child, place.scope));
                continue;
            }
            let before: Vec<Way> = some.iter().chain(&none).cloned().collect();
            let mut now = self.combine(schema, &before, &holding)?;
            now.extend(self.excluding(some, child, place.scope));
            some = now;
            none = self.excluding(none, child, place.scope);
        }
        let other = self.tables.terms.either(others);
        some.extend(none.into_iter().map(|way| way.and_condition(other)));
        Ok(some)
    }

    /// The same ways, with a schema that does not hold.
    fn excluding(&mut self, ways: Vec<Way>, schema: SchemaId, scope: ScopeId) -> Vec<Way> {
        match self.condition_of(schema, scope, false) {
            Ok(condition) => ways.into_iter().map(|way| way.and_condition(condition)).collect(),
            Err(true) => ways,
            Err(false) => Vec::new(),
        }
    }

    fn combine(&mut self, schema: SchemaId, ways: &[Way], choices: &[Way]) -> Result<Vec<Way>> {
        self.check_ways(schema, ways.len().saturating_mul(choices.len()))?;
        let mut combined = Vec::with_capacity(ways.len() * choices.len());
        let mut held = 0;
        for way in ways {
            for choice in choices {
                self.check_split(schema, held)?;
                let both = way.and(choice);
                held += both.size();
                combined.push(both);
            }
        }
        Ok(combined)
    }

    /// That the subschemas of a schema hold in no more ways than are told apart.
    fn check_ways(&self, schema: SchemaId, count: usize) -> Result<()> {
        if count <= MOST_WAYS {
            return Ok(());
        }
        let at = &self.schemas.schemas[schema.index()].location;
        let what = "by the ways in which subschemas can hold, for what is unevaluated";
        Err(self.too_much(FIXED, MOST_WAYS, what, at))
    }
}
