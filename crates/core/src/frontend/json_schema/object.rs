//! Objects: `properties`, `required`, `patternProperties`, `additionalProperties`, `propertyNames`,
//! `minProperties`, `maxProperties`, `dependentRequired`, and constants.
//!
//! A case of leaves becomes an [`ObjectPlan`]: the names that are mentioned anywhere, each with the goal of
//! its member, and the other keys, in classes that are disjoint and have one goal each. `object_state`
//! follows an object through its plan.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::candidates::without_exclusions;
use super::completion::PlanNumber;
use super::condition::{Condition, GoalId, KeySet, Keys, Kind, NameId, ScopeId, UNDECLARED};
use super::dependencies::{Dependencies, Needs};
use super::open_choices::OpenChoices;
use super::schema::{ObjectKeywords, PatternId, SchemaId};
use super::solver::{FIXED, Solver};
use super::tables::CaseId;
use crate::error::{Error, Result};
use crate::expression::ExpressionId;

/// The greatest number of members that are demanded by anything but their name.
const MOST_WITNESSES: usize = 6;
/// What an object must be like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ObjectPlan {
    pub(super) number: PlanNumber,
    /// The names that members may have: those that are declared, in their order, and then others that are mentioned.
    pub(super) names: Vec<Named>,
    /// Their places, by their contents.
    pub(super) by_content: Vec<u32>,
    /// How many of them are declared. The others come after these in any order, as keys that are not mentioned do:
    /// which are mentioned may depend on what has been read.
    pub(super) declared: u32,
    /// The places in `names` of those that are required, ascending.
    pub(super) required: Vec<u32>,
    /// What the names need of one another.
    pub(super) dependencies: Dependencies,
    /// The choices that are left open; then nothing else is said of members than by their names.
    pub(super) choices: OpenChoices,
    /// All names mentioned, those included that no member may have. Sorted.
    pub(super) known: Vec<NameId>,
    pub(super) others: Vec<OtherKeys>,
    /// The goals that some member each must satisfy; which keys count for them is said by the masks.
    pub(super) witnesses: Vec<GoalId>,
    pub(super) minimum: u64,
    /// `u64::MAX` for no limit.
    pub(super) maximum: u64,
}

/// A member with a name that the schema mentions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) name: NameId,
    pub(super) goal: GoalId,
    pub(super) required: bool,
    /// The witnesses that it may be, as bits.
    pub(super) witnesses: u8,
}

/// Keys that are not mentioned and have the same goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OtherKeys {
    /// The keys; no mentioned name is among them.
    pub(super) content: ExpressionId,
    /// The same with the mentioned names: other objects that tell keys apart alike have a class with the same.
    pub(super) with_mentioned: ExpressionId,
    pub(super) goal: GoalId,
    /// The witnesses that they may be, as bits.
    pub(super) witnesses: u8,
    /// The number of keys, where they are not endless.
    pub(super) count: u32,
    /// Whether they are taken never to run out: there are more of them than are counted (`key_classes`).
    pub(super) is_endless: bool,
    /// Whether these are all keys but for those mentioned.
    pub(super) is_free: bool,
}

impl ObjectPlan {
    /// Whether a name is mentioned anywhere.
    pub(super) fn mentions(&self, name: NameId) -> bool {
        self.known.binary_search(&name).is_ok()
    }

    /// Whether an object can have a member beyond those that are demanded.
    pub(super) fn room_beyond_demanded(&self) -> bool {
        ((self.required.len() + self.witnesses.len()) as u64) < self.maximum
    }
}

/// What the leaves of a case say of members, sorted by what they are about.
#[derive(Default)]
pub(super) struct Demands {
    pub(super) minimum: u64,
    maximum: u64,
    /// For each name: the first declared position, and whether it is required.
    names: FxHashMap<NameId, (u32, bool)>,
    needs: Needs,
    /// Sorted by name.
    member_goals: Vec<(NameId, GoalId)>,
    universal: Vec<(Keys, GoalId)>,
    /// What the keys of a witness are, and its goal.
    witnesses: Vec<(WitnessKeys, GoalId)>,
    /// The goal of all keys. They are told apart by the whole of it only: what else they satisfy makes no difference.
    keys: Option<GoalId>,
}

impl Demands {
    /// Notes that members of a name are told apart from others.
    fn mention(&mut self, name: NameId, order: u32, required: bool) {
        let entry = self.names.entry(name).or_insert((order, required));
        *entry = (entry.0.min(order), entry.1 || required);
    }
}

#[derive(Clone, Copy)]
enum WitnessKeys {
    Keys(Keys),
    Satisfying(GoalId),
}

/// A property of keys by which they are told apart: the contents that have it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Feature {
    Pattern(PatternId),
    Satisfying(GoalId),
}

/// The properties of keys on which anything depends, each once.
#[derive(Default)]
pub(super) struct KeyFeatures {
    pub(super) all: Vec<Feature>,
    places: FxHashMap<Feature, usize>,
}

impl KeyFeatures {
    fn add(&mut self, feature: Feature) {
        self.places.entry(feature).or_insert_with(|| {
            self.all.push(feature);
            self.all.len() - 1
        });
    }

    /// Whether a key has a feature, given which of all it has.
    fn has(&self, has: &[bool], feature: Feature) -> bool {
        self.places.get(&feature).is_some_and(|&at| has[at])
    }
}

impl Solver<'_> {
    /// Adds the conditions of the keywords about objects, mostly in the order in which cases hold them: what is sorted is soon found to
    /// be.
    pub(super) fn object_conditions(
        &mut self,
        keywords: &ObjectKeywords,
        scope: ScopeId,
        out: &mut Vec<Condition>,
    ) {
        // The names that are declared are named first: these come in the order of their numbers then, too.
        let members = keywords.properties.iter().map(|(name, schema)| {
            let order = self.declared_position(*schema);
            let (name, goal) = (self.tables.terms.name(name), self.goal_of(*schema, scope));
            Condition::Member { order, name, goal }
        });
        let members: Vec<Condition> = members.collect();
        let terms = &mut self.tables.terms;
        out.extend(keywords.minimum_properties.filter(|&least| least > 0).map(Condition::MinimumMembers));
        out.extend(keywords.maximum_properties.map(Condition::MaximumMembers));
        let mut required: SmallVec<[NameId; 8]> =
            keywords.required.iter().map(|name| terms.name(name)).collect();
        required.sort_unstable();
        out.extend(required.into_iter().map(Condition::Present));
        for (name, needed) in &keywords.dependent_required {
            let name = terms.name(name);
            out.extend(terms.needs(name, needed));
        }
        out.extend(members);
        self.conditions_of_other_members(keywords, scope, out);
    }

    /// Adds what the keywords say of members by anything but their names, and of keys.
    fn conditions_of_other_members(
        &mut self,
        keywords: &ObjectKeywords,
        scope: ScopeId,
        out: &mut Vec<Condition>,
    ) {
        let ObjectKeywords { properties, pattern_properties, .. } = keywords;
        for &(pattern, schema) in pattern_properties {
            let goal = self.goal_of(schema, scope);
            if goal != GoalId::ANYTHING {
                out.push(Condition::Members { keys: Keys::Matching(pattern), goal });
            }
        }
        if let Some(schema) = keywords.additional_properties {
            let goal = self.goal_of(schema, scope);
            if goal != GoalId::ANYTHING {
                let names = properties.iter().map(|(name, _)| self.tables.terms.name(name)).collect();
                let patterns = pattern_properties.iter().map(|&(pattern, _)| pattern).collect();
                let set = self.tables.terms.key_set(KeySet { names, patterns });
                out.push(Condition::Members { keys: Keys::Outside(set), goal });
            }
        }
        if let Some(schema) = keywords.property_names {
            let goal = self.goal_of(schema, scope);
            if goal != GoalId::ANYTHING {
                out.push(Condition::AllKeys(goal));
            }
        }
    }

    /// Where a property's schema stands among all: properties of one schema are loaded in the order of
    /// their declaration.
    pub(super) fn declared_position(&self, schema: SchemaId) -> u32 {
        self.schemas.declared.get(schema.index()).copied().unwrap_or(UNDECLARED)
    }

    /// The plan of a case, made once. It knows nothing of constants that are excluded.
    pub(super) fn object_plan(&mut self, leaves: &[Condition]) -> Result<Arc<ObjectPlan>> {
        let id = self.object_plan_id(leaves)?;
        Ok(Arc::clone(self.tables.objects.at(id)))
    }

    /// The same, by its number.
    #[inline(never)] // the search leads back here
    pub(super) fn object_plan_id(&mut self, leaves: &[Condition]) -> Result<CaseId> {
        let leaves = &*without_exclusions(leaves);
        if let Some(known) = self.tables.objects.id(leaves) {
            return Ok(known);
        }
        let plan = self.make_object_plan(leaves);
        let plan = self.placed_case(plan, leaves)?;
        let size = plan.known.len();
        Ok(self.tables.objects.insert(leaves, Arc::new(plan), size))
    }

    fn make_object_plan(&mut self, leaves: &[Condition]) -> Result<ObjectPlan> {
        let demands = self.demands(leaves)?;
        if demands.witnesses.len() > MOST_WITNESSES {
            let what = "by the members that are demanded other than by name";
            return Err(Error::exceeded(FIXED, MOST_WITNESSES, what));
        }
        let features = self.features(&demands);
        let mut mentioned: Vec<(NameId, (u32, bool))> =
            demands.names.iter().map(|(&name, &of)| (name, of)).collect();
        mentioned.sort_unstable_by_key(|&(name, _)| self.tables.terms.content(name));
        let by_content: Vec<NameId> = mentioned.iter().map(|&(name, _)| name).collect();
        let mut contents = Vec::with_capacity(features.all.len());
        for &feature in &features.all {
            contents.push(self.content_with(feature)?);
        }
        // Those by which keys fall into too many classes are refused here, before each name is read by each of them.
        let others = self.other_keys(leaves, &demands, &features, &contents, &by_content)?;
        let mut names = Vec::new();
        for (name, (order, required)) in mentioned {
            let mut has = Vec::with_capacity(contents.len());
            for &content in &contents {
                self.deadline.check()?;
                has.push(self.expressions.matches(content, self.tables.terms.content(name)));
            }
            let goal = self.goal_of_key(&demands, Some(name), &features, &has);
            self.check_demands()?;
            if goal != GoalId::NOTHING || required {
                let witnesses = self.witness_mask(&demands, Some(name), &features, &has);
                names.push((order, Named { name, goal, required, witnesses }));
            }
        }
        if !demands.needs.is_empty() {
            self.drop_unmet(&demands.needs, &mut names);
        }
        let mut known = by_content;
        known.sort_unstable();
        let (names, by_content, declared) = in_declared_order(&names);
        let dependencies = self.dependencies(&demands.needs, &names);
        let choices = self.open_choices(leaves, &names)?;
        let required = (0..).zip(&names).filter(|(_, named)| named.required).map(|(at, _)| at).collect();
        let Demands { minimum, maximum, witnesses, .. } = demands;
        let witnesses = witnesses.into_iter().map(|(_, goal)| goal).collect();
        let number = self.tables.object_completions.new_plan();
        Ok(ObjectPlan {
            number,
            names,
            by_content,
            declared,
            required,
            dependencies,
            choices,
            known,
            others,
            witnesses,
            minimum,
            maximum,
        })
    }

    /// That what leaves demand of each member or item does not take too much: all may demand something of all.
    pub(super) fn check_demands(&self) -> Result<()> {
        self.check_room(0, "by what schemas demand of each member or item")
    }

    fn demands(&mut self, leaves: &[Condition]) -> Result<Demands> {
        let mut demands = Demands { maximum: u64::MAX, ..Demands::default() };
        for &leaf in leaves {
            match leaf {
                Condition::MinimumMembers(least) => demands.minimum = least.max(demands.minimum),
                Condition::MaximumMembers(most) => demands.maximum = most.min(demands.maximum),
                Condition::Present(name) => demands.mention(name, UNDECLARED, true),
                Condition::Absent(name) => {
                    demands.mention(name, UNDECLARED, false);
                    demands.member_goals.push((name, GoalId::NOTHING));
                }
                Condition::Needs { name, others } => {
                    demands.mention(name, UNDECLARED, false);
                    for &other in &self.tables.terms.keys(others).names {
                        demands.mention(other, UNDECLARED, false);
                    }
                    demands.needs.push((name, others));
                }
                Condition::Member { order, name, goal } => {
                    demands.mention(name, order, false);
                    demands.member_goals.push((name, goal));
                }
                Condition::Either(choice) => {
                    for (name, order) in self.names_of_choice(choice)? {
                        demands.mention(name, order, false);
                    }
                }
                Condition::Members { keys, goal } => demands.universal.push((keys, goal)),
                Condition::SomeMember { keys, goal } => {
                    demands.witnesses.push((WitnessKeys::Keys(keys), goal));
                }
                Condition::AllKeys(goal) => {
                    let goals: SmallVec<[GoalId; 2]> = demands.keys.into_iter().chain([goal]).collect();
                    demands.keys = Some(self.tables.terms.all_of(&goals));
                }
                Condition::SomeKey(goal) => {
                    demands.witnesses.push((WitnessKeys::Satisfying(goal), GoalId::ANYTHING));
                }
                _ => {}
            }
            if let Condition::Members { keys: Keys::Outside(set), .. }
            | Condition::SomeMember { keys: Keys::Outside(set), .. } = leaf
            {
                for &name in &self.tables.terms.keys(set).names {
                    demands.mention(name, UNDECLARED, false);
                }
            }
        }
        if !demands.needs.is_empty() {
            let required = demands.names.iter().filter(|(_, (_, required))| *required).map(|(&name, _)| name);
            for name in self.all_required(&demands.needs, required) {
                demands.mention(name, UNDECLARED, true);
            }
        }
        demands.member_goals.sort_by_key(|&(name, _)| name);
        Ok(demands)
    }

    /// The properties of keys on which anything depends.
    fn features(&self, demands: &Demands) -> KeyFeatures {
        let mut features = KeyFeatures::default();
        let witness_keys = demands.witnesses.iter().filter_map(|(keys, _)| match keys {
            WitnessKeys::Keys(keys) => Some(keys),
            WitnessKeys::Satisfying(_) => None,
        });
        for keys in demands.universal.iter().map(|(keys, _)| keys).chain(witness_keys) {
            match *keys {
                Keys::Matching(pattern) => features.add(Feature::Pattern(pattern)),
                Keys::Outside(set) => {
                    let patterns = self.tables.terms.keys(set).patterns.iter();
                    patterns.for_each(|&pattern| features.add(Feature::Pattern(pattern)));
                }
            }
        }
        for (keys, _) in &demands.witnesses {
            if let WitnessKeys::Satisfying(goal) = *keys {
                features.add(Feature::Satisfying(goal));
            }
        }
        demands.keys.into_iter().for_each(|goal| features.add(Feature::Satisfying(goal)));
        features
    }

    /// The keys that have a property, as contents of strings.
    pub(super) fn content_with(&mut self, feature: Feature) -> Result<ExpressionId> {
        match feature {
            Feature::Pattern(pattern) => self.pattern(pattern),
            Feature::Satisfying(goal) => self.language(goal, Kind::String),
        }
    }

    /// The goal of the member with a key, given its properties; `None` for a key that is not mentioned.
    pub(super) fn goal_of_key(
        &mut self,
        demands: &Demands,
        name: Option<NameId>,
        features: &KeyFeatures,
        has: &[bool],
    ) -> GoalId {
        if demands.keys.is_some_and(|goal| !features.has(has, Feature::Satisfying(goal))) {
            return GoalId::NOTHING;
        }
        let mut goals: SmallVec<[GoalId; 4]> = SmallVec::new();
        if let Some(name) = name {
            let first = demands.member_goals.partition_point(|&(of, _)| of < name);
            let own = demands.member_goals[first..].iter().take_while(|&&(of, _)| of == name);
            goals.extend(own.map(|&(_, goal)| goal));
        }
        for &(keys, goal) in &demands.universal {
            if self.concerns(keys, name, features, has) {
                goals.push(goal);
            }
        }
        self.tables.terms.all_of(&goals)
    }

    fn concerns(&self, keys: Keys, name: Option<NameId>, features: &KeyFeatures, has: &[bool]) -> bool {
        match keys {
            Keys::Matching(pattern) => features.has(has, Feature::Pattern(pattern)),
            Keys::Outside(set) => {
                let set = self.tables.terms.keys(set);
                name.is_none_or(|name| set.names.binary_search(&name).is_err())
                    && !set.patterns.iter().any(|&pattern| features.has(has, Feature::Pattern(pattern)))
            }
        }
    }

    pub(super) fn witness_mask(
        &self,
        demands: &Demands,
        name: Option<NameId>,
        features: &KeyFeatures,
        has: &[bool],
    ) -> u8 {
        let is_witness = |keys: WitnessKeys| match keys {
            WitnessKeys::Keys(keys) => self.concerns(keys, name, features, has),
            WitnessKeys::Satisfying(goal) => features.has(has, Feature::Satisfying(goal)),
        };
        let bits = demands.witnesses.iter().enumerate().filter(|(_, (keys, _))| is_witness(*keys));
        bits.fold(0, |mask, (at, _)| mask | 1 << at)
    }
}

/// The names in the order of their positions, which stand beside them; their places in it, by content; and how many are declared.
fn in_declared_order(by_content: &[(u32, Named)]) -> (Vec<Named>, Vec<u32>, u32) {
    let declared = by_content.iter().filter(|(order, _)| *order != UNDECLARED).count();
    let mut sorted: Vec<u32> = (0..by_content.len() as u32).collect();
    sorted.sort_unstable_by_key(|&at| (by_content[at as usize].0, at));
    let mut places = vec![0; by_content.len()];
    for (place, &at) in (0..).zip(&sorted) {
        places[at as usize] = place;
    }
    let names = sorted.into_iter().map(|at| by_content[at as usize].1.clone()).collect();
    (names, places, declared as u32)
}
