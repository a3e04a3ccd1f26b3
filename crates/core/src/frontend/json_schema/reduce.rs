//! One step from a condition towards leaves, for one kind of value.
//!
//! Looking at one kind of value at a time keeps this small: most keywords concern one kind, and say nothing
//! of the others. What a schema demands of values of a kind is a list of conditions
//! ([`parts`](Solver::parts)); that it does not hold is the choice between their negations.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::cases::SPLIT;
use super::condition::{ChoiceId, Condition, GoalId, KeySet, Keys, Kind, NameId, ScopeId, UNDECLARED};
use super::constant::Constant;
use super::schema::{Body, Keywords, SchemaId, TypeSet};
use super::solver::Solver;
use crate::error::Result;

/// What a condition comes to, for values of one kind.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// Every value of the kind satisfies it.
    True,
    /// None does.
    False,
    /// It is a leaf.
    Leaf,
    /// These conditions together.
    All(Vec<Condition>),
}

/// One way in which subschemas can hold: the conditions for it, and the demand on what they leave over.
pub(super) type Leftover = (Vec<Condition>, Condition);

/// What a schema demands of values of one kind.
pub(super) struct Parts {
    /// All of these hold.
    pub(super) plain: Vec<Condition>,
    /// And, where something unevaluated is restricted, one of these: what holds, and the demand on what is
    /// left.
    pub(super) unevaluated: Option<Vec<Leftover>>,
}

impl Kind {
    /// The types of its values.
    pub(super) fn types(self) -> TypeSet {
        match self {
            Self::Null => TypeSet::NULL,
            Self::Boolean => TypeSet::BOOLEAN,
            Self::Number => TypeSet::NUMBER,
            Self::String => TypeSet::STRING,
            Self::Array => TypeSet::ARRAY,
            Self::Object => TypeSet::OBJECT,
        }
    }

    pub(super) fn is_in(self, types: TypeSet) -> bool {
        types.overlaps(self.types())
    }

    /// The kind that a leaf is about; `None` for what is no leaf.
    fn of_leaf(condition: Condition) -> Option<Self> {
        use Condition as C;
        Some(match condition {
            C::Schema { .. } | C::Either(_) | C::OneOf { .. } => return None,
            C::Integer { .. }
            | C::Whole { .. }
            | C::Minimum { .. }
            | C::Maximum { .. }
            | C::MultipleOf { .. } => Self::Number,
            C::Language { kind, .. } => kind,
            C::MinimumLength(_) | C::MaximumLength(_) | C::Pattern { .. } | C::Format { .. } => Self::String,
            C::MinimumItems(_)
            | C::MaximumItems(_)
            | C::ItemAt { .. }
            | C::ItemsFrom { .. }
            | C::Count { .. }
            | C::UniqueItems { .. } => Self::Array,
            _ => Self::Object,
        })
    }
}

impl Solver<'_> {
    /// What a condition comes to for values of a kind. Choices are left to the caller.
    pub(super) fn reduce(&mut self, condition: Condition, kind: Kind) -> Result<Step> {
        if let Some(leaf) = Kind::of_leaf(condition) {
            return Ok(if leaf == kind { Step::Leaf } else { Step::True });
        }
        if let Some(known) = self.tables.steps.get(&(condition, kind)) {
            return Ok(known.clone());
        }
        let step = match condition {
            Condition::Schema { schema, scope, holds } => self.reduce_schema(schema, scope, holds, kind)?,
            Condition::OneOf { constants, holds } => {
                let ours = kind.among(self.tables.terms.constants(constants));
                match (holds, kind) {
                    _ if ours.is_empty() => {
                        if holds {
                            Step::False
                        } else {
                            Step::True
                        }
                    }
                    (true, Kind::Null) => Step::True,
                    (false, Kind::Null) => Step::False,
                    (true, Kind::Array | Kind::Object) => {
                        let ours = ours.to_vec();
                        self.reduce_constants(&ours)
                    }
                    _ => Step::Leaf,
                }
            }
            _ => Step::Leaf,
        };
        self.tables.steps.insert((condition, kind), step.clone());
        Ok(step)
    }

    fn reduce_schema(&mut self, schema: SchemaId, scope: ScopeId, holds: bool, kind: Kind) -> Result<Step> {
        let schemas = self.schemas;
        let keywords = match &schemas.schemas[schema.index()].body {
            Body::Always(verdict) => return Ok(if *verdict == holds { Step::True } else { Step::False }),
            Body::Keywords(keywords) => keywords,
        };
        let Some(parts) = self.parts(schema, keywords, scope, kind)? else {
            return Ok(if holds { Step::False } else { Step::True });
        };
        let Parts { plain, unevaluated } = parts;
        if holds {
            let mut all = plain;
            if let Some(branches) = unevaluated {
                let goals = branches.into_iter().map(|(mut conditions, rest)| {
                    conditions.push(rest);
                    self.tables.terms.goal(conditions)
                });
                let goals = goals.collect();
                all.push(self.tables.terms.either(goals));
            }
            return Ok(if all.is_empty() { Step::True } else { Step::All(all) });
        }
        let mut goals = Vec::new();
        for condition in plain {
            match condition {
                Condition::Either(choice) => {
                    let none = self.none_of_choice(choice, schema)?;
                    goals.extend(Some(none).filter(|&none| none != GoalId::NOTHING));
                }
                condition => goals.extend(self.negations(condition)),
            }
        }
        for (conditions, rest) in unevaluated.unwrap_or_default() {
            self.check_split(schema, 0)?;
            for mut negated in self
                .negations(rest)
                .into_iter()
                .map(|goal| self.tables.terms.conditions(goal).to_vec())
                .collect::<Vec<_>>()
            {
                negated.extend_from_slice(&conditions);
                goals.push(self.tables.terms.goal(negated));
            }
        }
        if goals.contains(&GoalId::ANYTHING) {
            return Ok(Step::True);
        }
        self.join_absence(&mut goals);
        Ok(match goals.as_slice() {
            [] => Step::False,
            [single] => Step::All(self.tables.terms.conditions(*single).to_vec()),
            _ => Step::All(vec![self.tables.terms.either(goals)]),
        })
    }

    /// Puts "there is no such member" and "there is one, and it satisfies a goal" together: "the member, if there
    /// is one, satisfies the goal". A schema that requires what it describes then fails without a choice.
    fn join_absence(&mut self, goals: &mut Vec<GoalId>) {
        let terms = &mut self.tables.terms;
        let mut absences: FxHashMap<NameId, usize> = FxHashMap::default();
        for (at, &goal) in goals.iter().enumerate() {
            if let &[Condition::Absent(name)] = terms.conditions(goal) {
                absences.insert(name, at);
            }
        }
        if absences.is_empty() {
            return;
        }
        for at in 0..goals.len() {
            if let &[Condition::Present(name), member @ Condition::Member { name: of, .. }] =
                terms.conditions(goals[at])
                && of == name
                && let Some(absence) = absences.remove(&name)
            {
                goals[at] = terms.goal_of(member);
                goals[absence] = GoalId::NOTHING;
            }
        }
        goals.retain(|&goal| goal != GoalId::NOTHING);
    }

    /// That what a schema splits values into does not take too much: what is known by now, and `held` beside it.
    pub(super) fn check_split(&self, schema: SchemaId, held: usize) -> Result<()> {
        self.check_room(held, SPLIT).map_err(|error| self.placed_at(error, schema))
    }

    /// What it comes to that an array or object is one of some constants.
    fn reduce_constants(&mut self, constants: &[Constant]) -> Step {
        let mut goals: Vec<GoalId> = Vec::new();
        for constant in constants {
            let conditions = self.parts_of_constant(constant);
            goals.push(self.tables.terms.goal(conditions));
        }
        Step::All(vec![self.tables.terms.either(goals)])
    }

    /// What it means for an array or object to equal a constant.
    fn parts_of_constant(&mut self, constant: &Constant) -> Vec<Condition> {
        let terms = &mut self.tables.terms;
        match constant {
            Constant::Array(items) => {
                let count = items.len() as u64;
                let mut all = vec![Condition::MinimumItems(count), Condition::MaximumItems(count)];
                for (index, item) in items.iter().enumerate() {
                    let equal = terms.one_of(vec![item.clone()], true);
                    all.push(Condition::ItemAt { index: index as u32, goal: terms.goal_of(equal) });
                }
                all
            }
            Constant::Object(members) => {
                let mut all = Vec::new();
                let names: Vec<_> = members.keys().map(|name| terms.name(name)).collect();
                for (&name, value) in names.iter().zip(members.values()) {
                    let equal = terms.one_of(vec![value.clone()], true);
                    all.push(Condition::Present(name));
                    all.push(Condition::Member { order: UNDECLARED, name, goal: terms.goal_of(equal) });
                }
                let others = terms.key_set(KeySet { names, patterns: Vec::new() });
                all.push(Condition::Members { keys: Keys::Outside(others), goal: GoalId::NOTHING });
                all
            }
            other => vec![terms.one_of(vec![other.clone()], true)],
        }
    }

    /// What a schema demands of values of a kind; `None` when it allows none of them.
    pub(super) fn parts(
        &mut self,
        schema: SchemaId,
        keywords: &Keywords,
        scope: ScopeId,
        kind: Kind,
    ) -> Result<Option<Parts>> {
        let mut plain = Vec::new();
        if !self.own_conditions(keywords, scope, kind, &mut plain)
            || !self.applied_conditions(schema, keywords, scope, kind, &mut plain)?
        {
            return Ok(None);
        }
        let unevaluated = self.unevaluated(schema, keywords, scope, kind)?;
        Ok(Some(Parts { plain, unevaluated }))
    }

    /// Adds the conditions of a schema's own keywords about values of a kind; false when it allows none.
    pub(super) fn own_conditions(
        &mut self,
        keywords: &Keywords,
        scope: ScopeId,
        kind: Kind,
        out: &mut Vec<Condition>,
    ) -> bool {
        if let Some(types) = keywords.types {
            if !kind.is_in(types) {
                return false;
            }
            if kind == Kind::Number && !types.overlaps(TypeSet::FRACTION) {
                out.push(Condition::Integer { holds: true });
                if keywords.written_integers {
                    out.push(Condition::Whole { holds: true });
                }
            }
        }
        let terms = &mut self.tables.terms;
        if let Some(constant) = &keywords.constant {
            out.push(terms.one_of(vec![constant.clone()], true));
        }
        if let Some(constants) = &keywords.enumeration {
            let constants = terms.sorted_constants(Arc::clone(constants));
            out.push(Condition::OneOf { constants, holds: true });
        }
        match kind {
            Kind::Null | Kind::Boolean => {}
            Kind::Number => self.number_conditions(&keywords.number, out),
            Kind::String => self.string_conditions(&keywords.string, out),
            Kind::Array => self.array_conditions(&keywords.array, scope, out),
            Kind::Object => self.object_conditions(&keywords.object, scope, out),
        }
        true
    }

    /// The condition that a schema holds for the value itself, added to others; false when it never does.
    pub(super) fn add(
        &mut self,
        schema: SchemaId,
        scope: ScopeId,
        holds: bool,
        out: &mut Vec<Condition>,
    ) -> bool {
        match self.condition_of(schema, scope, holds) {
            Ok(condition) => out.push(condition),
            Err(always) => return always,
        }
        true
    }

    /// The goal that some schemas hold and others do not.
    pub(super) fn goal_that(&mut self, demands: &[(SchemaId, bool)], scope: ScopeId) -> GoalId {
        let mut conditions = Vec::new();
        for &(schema, holds) in demands {
            if !self.add(schema, scope, holds, &mut conditions) {
                return GoalId::NOTHING;
            }
        }
        self.tables.terms.goal(conditions)
    }

    /// Adds the conditions of the keywords that apply schemas to the value itself; false when one never
    /// holds.
    fn applied_conditions(
        &mut self,
        schema: SchemaId,
        keywords: &Keywords,
        scope: ScopeId,
        kind: Kind,
        out: &mut Vec<Condition>,
    ) -> Result<bool> {
        let applicators = &keywords.applicators;
        if let Some(target) = applicators.reference
            && !self.add(target, scope, true, out)
        {
            return Ok(false);
        }
        if let Some(target) = self.dynamic_target(keywords, scope)
            && !self.add(target, scope, true, out)
        {
            return Ok(false);
        }
        for &schema in &applicators.all_of {
            if !self.add(schema, scope, true, out) {
                return Ok(false);
            }
        }
        if let Some(schemas) = &applicators.any_of {
            let goals = schemas.iter().map(|&schema| self.goal_of(schema, scope)).collect();
            out.push(self.tables.terms.either(goals));
        }
        if let Some(schemas) = &applicators.one_of {
            let goals = self.exactly_one(schema, schemas, scope, kind)?;
            out.push(self.tables.terms.either(goals));
        }
        if let Some(schema) = applicators.negation
            && !self.add(schema, scope, false, out)
        {
            return Ok(false);
        }
        if let Some(condition) = applicators.condition {
            let mut branch = |schema: Option<SchemaId>, holds| {
                let demands = [(condition, holds)].into_iter().chain(schema.map(|schema| (schema, true)));
                self.goal_that(&demands.collect::<Vec<_>>(), scope)
            };
            if applicators.consequence.is_some() || applicators.alternative.is_some() {
                let goals =
                    vec![branch(applicators.consequence, true), branch(applicators.alternative, false)];
                out.push(self.tables.terms.either(goals));
            }
        }
        if kind == Kind::Object {
            self.dependent_conditions(schema, &keywords.object.dependent_schemas, scope, out)?;
        }
        Ok(true)
    }

    /// The goals of which one is satisfied where just one of some schemas holds, each saying of all that it may overlap with
    /// that they do not. They are what `schema` says.
    ///
    /// Of what several say nothing, as objects that are not said to be objects say nothing of strings, more than one holds.
    fn exactly_one(
        &mut self,
        schema: SchemaId,
        schemas: &[SchemaId],
        scope: ScopeId,
        kind: Kind,
    ) -> Result<Vec<GoalId>> {
        let holding: SmallVec<[usize; 2]> =
            (0..schemas.len()).filter(|&at| self.says_nothing_of(schemas[at], kind)).take(2).collect();
        let (candidates, overlaps) = match *holding {
            [] => (0..schemas.len(), self.overlaps(schemas, kind.types())),
            [only] => (only..only + 1, None),
            _ => return Ok(Vec::new()),
        };
        let mut goals = Vec::with_capacity(candidates.len());
        for only in candidates {
            self.check_split(schema, 0)?;
            let others: Vec<usize> = match &overlaps {
                Some(overlaps) => overlaps[only].clone(),
                None => (0..schemas.len()).filter(|&other| other != only).collect(),
            };
            let others: Vec<SchemaId> = others.into_iter().map(|other| schemas[other]).collect();
            let mut conditions = Vec::new();
            let can_hold = self.add(schemas[only], scope, true, &mut conditions)
                && self.deny_all(schema, &others, scope, kind, &mut conditions)?;
            goals.push(if can_hold { self.tables.terms.goal(conditions) } else { GoalId::NOTHING });
        }
        Ok(goals)
    }

    /// The target of a schema's dynamic reference: the outermost anchor of its name in the dynamic scope.
    pub(super) fn dynamic_target(&self, keywords: &Keywords, scope: ScopeId) -> Option<SchemaId> {
        let reference = keywords.applicators.dynamic_reference.as_ref()?;
        let outermost = reference.anchor.as_ref().and_then(|anchor| {
            let resources = self.tables.terms.resources(scope);
            resources.filter_map(|resource| self.schemas.anchors_of(resource).get(anchor).copied()).last()
        });
        Some(outermost.unwrap_or(reference.target))
    }

    /// The goals of which one is satisfied by just those values, of the kind of a leaf, that do not meet a
    /// condition.
    pub(super) fn negations(&mut self, condition: Condition) -> Vec<GoalId> {
        use Condition as C;
        let one = |condition| vec![condition];
        let all: Vec<Vec<Condition>> = match condition {
            C::Schema { schema, scope, holds } => vec![one(C::Schema { schema, scope, holds: !holds })],
            C::Either(choice) => {
                let goals = self.tables.terms.alternatives(choice).to_vec();
                vec![goals.into_iter().map(|goal| self.negation_of_goal(goal)).collect()]
            }
            C::OneOf { constants, holds } => vec![one(C::OneOf { constants, holds: !holds })],
            // Languages are made of conditions on the way to cases, and conditions never of them.
            C::Language { .. } => Vec::new(),
            C::Integer { holds } => vec![one(C::Integer { holds: !holds })],
            C::Whole { holds } => vec![one(C::Whole { holds: !holds })],
            C::Minimum { bound, exclusive } => vec![one(C::Maximum { bound, exclusive: !exclusive })],
            C::Maximum { bound, exclusive } => vec![one(C::Minimum { bound, exclusive: !exclusive })],
            C::MultipleOf { number, holds } => vec![one(C::MultipleOf { number, holds: !holds })],
            C::MinimumLength(least) => below(least, C::MaximumLength),
            C::MaximumLength(most) => above(most, C::MinimumLength),
            C::Pattern { pattern, holds } => vec![one(C::Pattern { pattern, holds: !holds })],
            C::Format { format, holds } => vec![one(C::Format { format, holds: !holds })],
            C::MinimumItems(least) => below(least, C::MaximumItems),
            C::MaximumItems(most) => above(most, C::MinimumItems),
            C::ItemAt { index, goal } => vec![self.unlike_item(index, goal)],
            C::ItemsFrom { index, goal } => {
                let goal = self.negated_goal(goal);
                vec![one(C::Count { index, goal, minimum: 1, maximum: None })]
            }
            C::Count { index, goal, minimum, maximum } => {
                let count = |minimum, maximum| C::Count { index, goal, minimum, maximum };
                let fewer = below(minimum, |most| count(0, Some(most)));
                let more = maximum.map(|most| above(most, |least| count(least, None)));
                fewer.into_iter().chain(more.into_iter().flatten()).collect()
            }
            C::UniqueItems { holds } => vec![one(C::UniqueItems { holds: !holds })],
            C::MinimumMembers(least) => below(least, C::MaximumMembers),
            C::MaximumMembers(most) => above(most, C::MinimumMembers),
            C::Present(name) => vec![one(C::Absent(name))],
            C::Absent(name) => vec![one(C::Present(name))],
            C::Needs { name, others } => {
                let others = self.tables.terms.keys(others).names.iter();
                others.map(|&other| vec![C::Present(name), C::Absent(other)]).collect()
            }
            C::Member { name, goal, .. } => vec![self.unlike_member(name, goal)],
            C::Members { keys, goal } => vec![one(C::SomeMember { keys, goal: self.negated_goal(goal) })],
            C::SomeMember { keys, goal } => vec![one(C::Members { keys, goal: self.negated_goal(goal) })],
            C::AllKeys(goal) => vec![one(C::SomeKey(self.negated_goal(goal)))],
            C::SomeKey(goal) => vec![one(C::AllKeys(self.negated_goal(goal)))],
        };
        all.into_iter()
            .filter(|conditions| !demands_nothing(conditions))
            .map(|conditions| self.tables.terms.goal(conditions))
            .filter(|&goal| goal != GoalId::NOTHING)
            .collect()
    }

    /// That there is an item at an index, and it does not satisfy a goal.
    fn unlike_item(&mut self, index: u32, goal: GoalId) -> Vec<Condition> {
        let goal = self.negated_goal(goal);
        vec![Condition::MinimumItems(u64::from(index) + 1), Condition::ItemAt { index, goal }]
    }

    /// That there is a member of a name, and it does not satisfy a goal.
    fn unlike_member(&mut self, name: NameId, goal: GoalId) -> Vec<Condition> {
        // What a schema says that must not hold declares nothing: where one of several members differs, the
        // others would not be declared, and so would have to come after it.
        let goal = self.negated_goal(goal);
        vec![Condition::Present(name), Condition::Member { order: UNDECLARED, name, goal }]
    }

    /// The goal that none of the alternatives of a choice is satisfied, which `schema` says.
    fn none_of_choice(&mut self, choice: ChoiceId, schema: SchemaId) -> Result<GoalId> {
        let goals = self.tables.terms.alternatives(choice).to_vec();
        let mut conditions = Vec::with_capacity(goals.len());
        for goal in goals {
            self.check_split(schema, 0)?;
            conditions.push(self.negation_of_goal(goal));
        }
        Ok(self.tables.terms.goal(conditions))
    }

    /// The condition that a goal is not satisfied.
    pub(super) fn negation_of_goal(&mut self, goal: GoalId) -> Condition {
        let conditions = self.tables.terms.conditions(goal).to_vec();
        let goals =
            conditions.into_iter().flat_map(|condition| self.negations(condition)).collect::<Vec<_>>();
        if let [single] = goals.as_slice()
            && let [condition] = self.tables.terms.conditions(*single)
        {
            return *condition;
        }
        self.tables.terms.either(goals)
    }

    /// The goal that a goal is not satisfied.
    pub(super) fn negated_goal(&mut self, goal: GoalId) -> GoalId {
        let condition = self.negation_of_goal(goal);
        self.tables.terms.goal_of(condition)
    }
}

/// Less than a bound.
fn below(least: u64, condition: impl Fn(u64) -> Condition) -> Vec<Vec<Condition>> {
    least.checked_sub(1).map(|most| vec![condition(most)]).into_iter().collect()
}

/// More than a bound.
fn above(most: u64, condition: impl Fn(u64) -> Condition) -> Vec<Vec<Condition>> {
    most.checked_add(1).map(|least| vec![condition(least)]).into_iter().collect()
}

/// Whether something must be there that satisfies what nothing does.
fn demands_nothing(conditions: &[Condition]) -> bool {
    use Condition as C;
    conditions.iter().any(|condition| {
        matches!(condition, C::Member { goal: GoalId::NOTHING, .. } if conditions.len() > 1)
            || matches!(condition, C::SomeMember { goal: GoalId::NOTHING, .. } | C::SomeKey(GoalId::NOTHING))
            || matches!(condition, C::Count { goal: GoalId::NOTHING, minimum: 1.., .. })
            || matches!(condition, C::ItemAt { goal: GoalId::NOTHING, .. } if conditions.len() > 1)
    })
}
