//! Choices that a case of an object leaves open.
//!
//! Choices multiply: of twelve conditions such as "where this member is `true`, that one must be there", each is met or is not, and
//! that would be four thousand cases. But what decides such a choice are a few members, and mostly others than decide the next one.
//! So a case keeps them as leaves, its plan says by which members each can be made, and a state which ways are left
//! (`ways_left`). What has come of an object has decided some of them, and the others cost nothing.
//!
//! Choices that have members in common must be made together, which takes as long as there are combinations of their ways. Where
//! those are many, choices are made one after the other, unless each is one between two members that are there or not (`pairs`); so
//! they are, too, where anything else is said of members than by their names.

use std::collections::BTreeMap;
use std::hash::Hash;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::cases::SPLIT;
use super::condition::{ChoiceId, Condition, GoalId, Kind, NameId, UNDECLARED};
use super::object::Named;
use super::options::PropertyOrder;
use super::outlook::contradicts;
use super::schema::{Body, Keywords, TypeSet};
use super::solver::{FIXED, Solver};
use crate::error::{Error, Result};

#[cfg(test)]
mod tests;

/// So many choices multiply to few cases, which are sooner made.
const FEW_CHOICES: usize = 3;
/// A choice with more ways is made.
const MOST_WAYS: usize = 16;
/// A choice is looked at on its own by so many steps of searches at most: what stands beside it may rule out most of what it says.
pub(super) const MOST_STEPS: usize = 64;
/// After so many choices that could not be left open no others are looked at.
const MOST_FAILED: usize = 256;
/// Choices that have members in common are made where all combinations of their ways say more of members.
const MOST_ASKED: usize = 1 << 14;
/// So many choices between two members each are soon made anew for each member that may come.
const MOST_PAIRS: usize = 1 << 13;
/// A member of whose value choices ask more is one by whose value they are made (`outlook`).
const MOST_FACTS: usize = 2;

/// What a way says of the member of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Said {
    /// It is there.
    Present,
    /// It is not there.
    Absent,
    /// Nothing but where it was declared.
    Declared { order: u32 },
    /// If it is there, it meets a condition; with where it was declared.
    Meets { condition: Condition, order: u32 },
}

/// One way to make a choice: what it says of members, all of which must hold.
type Way = Box<[(NameId, Said)]>;

/// The ways to make a choice.
pub(super) type Ways = Arc<[Way]>;

/// Something that the value of a member satisfies or not, on which choices depend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fact {
    /// The member, by its place in the plan.
    pub(super) at: u32,
    /// The goals of the values for which it does not hold, and of those for which it does: all others together with these.
    pub(super) told: [GoalId; 2],
}

/// The place of a fact among those of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct FactId(pub(super) u32);

/// What must hold for a choice to be made in one way, by places in the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Literal {
    Present(u32),
    Absent(u32),
    /// If there is the member of a fact, the fact holds, or does not.
    Holds {
        at: u32,
        fact: FactId,
        holds: bool,
    },
}

impl Literal {
    /// The member that it is about.
    pub(super) fn at(self) -> usize {
        match self {
            Self::Present(at) | Self::Absent(at) | Self::Holds { at, .. } => at as usize,
        }
    }
}

/// A choice by places in the plan: of each way, what must hold.
pub(super) type PlacedChoice = Vec<Vec<Literal>>;

/// The choices that a plan leaves open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct OpenChoices {
    pub(super) choices: Vec<PlacedChoice>,
    /// By the members that they are about.
    pub(super) facts: Vec<Fact>,
    /// The choices by what they have in common.
    pub(super) groups: Vec<Group>,
    /// Of each member, by its place, the group that is about it.
    pub(super) group_of: Vec<Option<GroupId>>,
}

/// Choices that are about other members than all others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) choices: Vec<u32>,
    /// The members that they are about, by their places in the plan. Sorted.
    pub(super) names: Vec<u32>,
    /// Whether each has two ways at most, of which each is that one member is there, or is not.
    pub(super) is_of_pairs: bool,
}

/// The place of a group in a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct GroupId(pub(super) u32);

impl OpenChoices {
    /// Some choices in a plan of so many names.
    fn of(choices: Vec<PlacedChoice>, facts: Vec<Fact>, name_count: usize) -> Self {
        let about = |choice: &PlacedChoice| choice.iter().flatten().map(|literal| literal.at()).collect();
        let of_one = |choices_in: Vec<u32>| {
            let own = || choices_in.iter().map(|&choice| &choices[choice as usize]);
            let literals = own().flatten().flatten();
            let mut names: Vec<u32> = literals.map(|literal| literal.at() as u32).collect();
            names.sort_unstable();
            names.dedup();
            let is_of_member =
                |way: &Vec<Literal>| matches!(way.as_slice(), [Literal::Present(_) | Literal::Absent(_)]);
            let is_of_pairs = own().all(|choice| choice.len() <= 2 && choice.iter().all(is_of_member));
            Group { choices: choices_in, names, is_of_pairs }
        };
        let groups: Vec<Group> = groups(choices.iter().map(about)).into_iter().map(of_one).collect();
        let mut group_of = vec![None; name_count];
        for (id, group) in (0..).map(GroupId).zip(&groups) {
            group.names.iter().for_each(|&at| group_of[at as usize] = Some(id));
        }
        Self { choices, facts, groups, group_of }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.choices.is_empty()
    }

    /// The facts about a member.
    pub(super) fn facts_of(&self, at: usize) -> impl Iterator<Item = (FactId, Fact)> + '_ {
        let first = self.facts.partition_point(|fact| (fact.at as usize) < at);
        let of = (0..).zip(&self.facts).skip(first).take_while(move |(_, fact)| fact.at as usize == at);
        of.map(|(id, &fact)| (FactId(id), fact))
    }
}

/// The conditions of which ways speak, each as a fact of a name that holds or not.
#[derive(Default)]
struct NamedFacts {
    /// Of each name, the conditions that its facts are, and whether it is told that they do not hold, and that they do.
    of: BTreeMap<NameId, Vec<(Condition, [bool; 2])>>,
    /// For each condition of a member: which fact of its name it is, and whether that holds.
    known: FxHashMap<(NameId, Condition), (usize, bool)>,
}

impl NamedFacts {
    /// Whether a value of a member may lead to two states: of some fact only one side is told, or has one goal. Of many such members the states would be
    /// two to the power of their number.
    fn overlap(&self, name: NameId) -> bool {
        let overlaps = |&(condition, told): &(Condition, [bool; 2])| {
            told.contains(&false) || contradicts(condition).is_none()
        };
        self.of.get(&name).is_some_and(|facts| facts.iter().any(overlaps))
    }
}

impl Solver<'_> {
    /// Which of some choices a case with some leaves leaves open; none where it is not worth it.
    pub(super) fn choices_left_open(
        &mut self,
        leaves: &[Condition],
        choices: &[ChoiceId],
    ) -> Result<FxHashSet<ChoiceId>> {
        let mut open = Vec::new();
        // A way says nothing of further choices.
        if choices.len() <= FEW_CHOICES || self.tables.steps_of_trial.is_some() {
            return Ok(FxHashSet::default());
        }
        let Some(declared) = self.names_alone(leaves) else { return Ok(FxHashSet::default()) };
        for &choice in choices {
            self.deadline.check()?;
            if let Some(ways) = self.ways_of(choice)?
                && self.are_declared(&ways, &declared)
            {
                open.push((choice, ways));
            }
        }
        let all: Vec<&Ways> = open.iter().map(|(_, ways)| ways).collect();
        let facts = self.named_facts(&all);
        let is_much_asked = |name: NameId| facts.of.get(&name).is_some_and(|facts| facts.len() > MOST_FACTS);
        open.retain(|(_, ways)| !names_of(ways).any(|name| is_much_asked(name) || facts.overlap(name)));
        let mut kept = FxHashSet::default();
        for group in groups(open.iter().map(|(_, ways)| names_of(ways).collect())) {
            let ways = || group.iter().map(|&at| &open[at as usize].1);
            let combinations = ways().map(|ways| ways.len()).fold(1, usize::saturating_mul);
            let said: usize = ways().flat_map(|ways| ways.iter()).map(|way| way.len()).sum();
            let is_soon_asked = combinations.saturating_mul(said) <= MOST_ASKED;
            if is_soon_asked || group.len() <= MOST_PAIRS && ways().all(are_two) {
                kept.extend(group.iter().map(|&at| open[at as usize].0));
            }
        }
        if kept.len() <= FEW_CHOICES {
            kept.clear();
        }
        Ok(kept)
    }

    /// The names that leaves declare, with where, where all that they say of members they say of each by its name; a name that
    /// needs others, and those, have no place. `None` where they say anything else.
    fn names_alone(&self, leaves: &[Condition]) -> Option<FxHashMap<NameId, Option<u32>>> {
        let mut declared: FxHashMap<NameId, Option<u32>> = FxHashMap::default();
        for &leaf in leaves {
            match leaf {
                Condition::Present(_)
                | Condition::Absent(_)
                | Condition::Members { .. }
                | Condition::AllKeys(_) => {}
                Condition::Member { order, name, .. } => {
                    let first = declared.entry(name).or_insert(Some(UNDECLARED));
                    *first = first.map(|first| first.min(order));
                }
                Condition::Needs { name, others } => {
                    declared.insert(name, None);
                    let others = self.tables.terms.keys(others).names.iter();
                    declared.extend(others.map(|&other| (other, None)));
                }
                _ => return None,
            }
        }
        Some(declared)
    }

    /// Whether names come in the same order whichever way is taken, and none of them needs others or is needed.
    fn are_declared(&self, ways: &Ways, declared: &FxHashMap<NameId, Option<u32>>) -> bool {
        ways.iter().flatten().all(|(name, said)| {
            let own = match said {
                Said::Meets { order, .. } | Said::Declared { order }
                    if self.options.order == PropertyOrder::Declared =>
                {
                    *order
                }
                _ => UNDECLARED,
            };
            match declared.get(name) {
                Some(None) => false,
                Some(Some(first)) => *first <= own,
                None => own == UNDECLARED,
            }
        })
    }

    /// The ways to make a choice of an object, where each says no more than what there is of some members by name.
    fn ways_of(&mut self, choice: ChoiceId) -> Result<Option<Ways>> {
        if let Some(known) = self.tables.ways.get(&choice) {
            return Ok(known.clone());
        }
        if self.tables.failed_trials > MOST_FAILED {
            return Ok(None);
        }
        self.tables.steps_of_trial = Some(MOST_STEPS);
        let found = self.find_ways(choice);
        self.tables.steps_of_trial = None;
        let ways = found?;
        self.tables.failed_trials += usize::from(ways.is_none());
        self.tables.ways.insert(choice, ways.clone());
        Ok(ways)
    }

    fn find_ways(&mut self, choice: ChoiceId) -> Result<Option<Ways>> {
        let alternatives = self.tables.terms.alternatives(choice).to_vec();
        if alternatives.len() > MOST_WAYS {
            return Ok(None);
        }
        let mut ways: Vec<Way> = Vec::new();
        for alternative in alternatives {
            self.deadline.check()?;
            // What is refused of one alternative is refused where the choice is made.
            let Ok(cases) = self.cases(alternative, Kind::Object) else { return Ok(None) };
            let found: Option<Vec<Way>> = cases.iter().map(|case| self.way(case)).collect();
            let Some(found) = found.filter(|found| ways.len() + found.len() <= MOST_WAYS) else {
                return Ok(None);
            };
            ways.extend(found);
        }
        ways.sort_unstable();
        ways.dedup();
        Ok(Some(ways.into()))
    }

    /// The names on which a choice depends, each with where it is declared.
    pub(super) fn names_of_choice(&mut self, choice: ChoiceId) -> Result<Vec<(NameId, u32)>> {
        let ways = self.ways_left_open(choice)?;
        let of = |&(name, said): &(NameId, Said)| match said {
            Said::Meets { order, .. } | Said::Declared { order } => (name, order),
            Said::Present | Said::Absent => (name, UNDECLARED),
        };
        Ok(ways.iter().flatten().map(of).collect())
    }

    /// What a case says of members, where it says it of each by its name.
    fn way(&self, case: &[Condition]) -> Option<Way> {
        let mut way = Vec::with_capacity(case.len());
        for &leaf in case {
            match leaf {
                Condition::Present(name) => way.push((name, Said::Present)),
                Condition::Absent(name) => way.push((name, Said::Absent)),
                Condition::Member { name, goal: GoalId::NOTHING, .. } => way.push((name, Said::Absent)),
                Condition::Member { order, name, goal: GoalId::ANYTHING } => {
                    way.push((name, Said::Declared { order }));
                }
                Condition::Member { order, name, goal } => {
                    let meets = |&condition: &Condition| (name, Said::Meets { condition, order });
                    way.extend(self.tables.terms.conditions(goal).iter().map(meets));
                }
                _ => return None,
            }
        }
        way.sort_unstable();
        way.dedup();
        Some(way.into())
    }
}

impl Solver<'_> {
    /// What some choices ask of the values of members.
    fn named_facts(&mut self, choices: &[&Ways]) -> NamedFacts {
        let mut facts = NamedFacts::default();
        for &(name, said) in choices.iter().flat_map(|ways| ways.iter().flatten()) {
            let Said::Meets { condition, .. } = said else { continue };
            if facts.known.contains_key(&(name, condition)) {
                continue;
            }
            let (fact, holds) = self.as_fact(condition);
            let own = facts.of.entry(name).or_default();
            let at = own.iter().position(|&(known, _)| known == fact).unwrap_or_else(|| {
                // What no way asks for is told as well where it is plainly said: then each value leads to one state.
                own.push((fact, [self.is_plainly_denied(fact); 2]));
                own.len() - 1
            });
            own[at].1[usize::from(holds)] = true;
            facts.known.insert((name, condition), (at, holds));
        }
        facts
    }

    /// A condition as one that many schemas have in common, and whether that holds or does not.
    fn as_fact(&mut self, condition: Condition) -> (Condition, bool) {
        let goal = self.tables.terms.goal_of(condition);
        if let Some((values, holds)) = self.listed_exactly(goal) {
            return (self.tables.terms.one_of(values, true), holds);
        }
        match condition {
            Condition::Schema { schema, scope, holds: false } => {
                (Condition::Schema { schema, scope, holds: true }, false)
            }
            _ => (condition, true),
        }
    }

    /// Whether what does not meet a condition is soon said, and what does or does not can be written in all ways in which any value
    /// can: where a number must not be one of some, fewer are allowed.
    fn is_plainly_denied(&mut self, condition: Condition) -> bool {
        match condition {
            Condition::OneOf { constants, .. } => {
                let values = self.tables.terms.constants(constants).to_vec();
                let values = self.tables.terms.values(&values);
                self.are_legible(&values)
            }
            Condition::Schema { schema, .. } => {
                let Some(Body::Keywords(keywords)) = self.body_of(schema) else { return false };
                let Keywords { types, number, array, object, applicators, .. } = &**keywords;
                let all_numbers = |types: &TypeSet| {
                    let numbers = types.intersection(TypeSet::NUMBER);
                    numbers == TypeSet::NONE || numbers == TypeSet::NUMBER
                };
                let lists = keywords.listed_values().is_some();
                let is_of_others = number.is_empty() && types.as_ref().is_none_or(all_numbers);
                is_of_others && !lists && array.is_empty() && object.is_empty() && applicators.is_empty()
            }
            _ => false,
        }
    }

    /// The choices among the leaves of a case, by the places that names have in its plan.
    pub(super) fn open_choices(&mut self, leaves: &[Condition], names: &[Named]) -> Result<OpenChoices> {
        let mut all: Vec<Ways> = Vec::new();
        for &leaf in leaves {
            if let Condition::Either(choice) = leaf {
                all.push(self.ways_left_open(choice)?);
            }
        }
        if all.is_empty() {
            return Ok(OpenChoices::default());
        }
        let places: FxHashMap<NameId, u32> = (0..).zip(names).map(|(at, named)| (named.name, at)).collect();
        let found = self.named_facts(&all.iter().collect::<Vec<_>>());
        let (facts, first_of) = self.placed_facts(&found, &places);
        let literal = |&(name, said): &(NameId, Said)| {
            let at = places.get(&name).copied();
            match (said, at) {
                (Said::Present, Some(at)) => Some(Ok(Literal::Present(at))),
                (Said::Absent, Some(at)) => Some(Ok(Literal::Absent(at))),
                (Said::Meets { condition, .. }, Some(at)) => {
                    let (fact, holds) = found.known[&(name, condition)];
                    let fact = FactId(first_of[&name] + fact as u32);
                    Some(Ok(Literal::Holds { at, fact, holds }))
                }
                // No member may have the name.
                (Said::Present, None) => Some(Err(())),
                (Said::Declared { .. }, _) | (Said::Absent | Said::Meets { .. }, None) => None,
            }
        };
        let placed =
            |way: &Way| way.iter().filter_map(literal).collect::<std::result::Result<Vec<_>, ()>>().ok();
        let choices = all.iter().map(|ways| ways.iter().filter_map(placed).collect());
        // One of which a way asks for nothing is made.
        let is_open = |choice: &PlacedChoice| !choice.iter().any(Vec::is_empty);
        Ok(OpenChoices::of(choices.filter(is_open).collect(), facts, names.len()))
    }

    /// The ways to make a choice that a case leaves open: since it does, they are known.
    fn ways_left_open(&mut self, choice: ChoiceId) -> Result<Ways> {
        // Without them nothing would say what the choice asks for.
        self.ways_of(choice)?.ok_or_else(|| Error::exceeded(FIXED, MOST_FAILED, SPLIT))
    }

    /// The facts of members by their places, and the place of the first of each name.
    fn placed_facts(
        &mut self,
        found: &NamedFacts,
        places: &FxHashMap<NameId, u32>,
    ) -> (Vec<Fact>, FxHashMap<NameId, u32>) {
        let mut of: Vec<(u32, NameId)> =
            found.of.keys().filter_map(|&name| Some((*places.get(&name)?, name))).collect();
        of.sort_unstable();
        let (mut facts, mut first_of) = (Vec::new(), FxHashMap::default());
        let terms = &mut self.tables.terms;
        for (at, name) in of {
            first_of.insert(name, facts.len() as u32);
            for &(condition, _) in &found.of[&name] {
                let fails =
                    contradicts(condition).map_or(GoalId::NOTHING, |opposite| terms.goal_of(opposite));
                facts.push(Fact { at, told: [fails, terms.goal_of(condition)] });
            }
        }
        (facts, first_of)
    }
}

/// Whether there are two ways at most, of which each is that one member is there, or is not.
fn are_two(ways: &Ways) -> bool {
    ways.len() <= 2 && ways.iter().all(|way| matches!(**way, [(_, Said::Present | Said::Absent)]))
}

/// The names on which ways depend.
fn names_of(ways: &Ways) -> impl Iterator<Item = NameId> + '_ {
    let says_more = |said: &Said| !matches!(said, Said::Declared { .. });
    ways.iter().flatten().filter(move |(_, said)| says_more(said)).map(|&(name, _)| name)
}

/// Choices by number, of which each is given as what it is about: those that have something in common, and those that have with
/// these, together.
fn groups<T: Copy + Eq + Hash>(all: impl Iterator<Item = Vec<T>>) -> Vec<Vec<u32>> {
    let mut groups: Vec<Vec<u32>> = Vec::new();
    let mut group_of: FxHashMap<T, usize> = FxHashMap::default();
    for (choice, about) in (0..).zip(all) {
        let mut joined: Vec<usize> = about.iter().filter_map(|one| group_of.get(one).copied()).collect();
        joined.sort_unstable();
        joined.dedup();
        let mut group = vec![choice];
        for other in joined {
            group.append(&mut groups[other]);
        }
        let own = groups.len();
        group_of.values_mut().filter(|of| groups[**of].is_empty()).for_each(|of| *of = own);
        group_of.extend(about.into_iter().map(|one| (one, own)));
        groups.push(group);
    }
    groups.retain(|group| !group.is_empty());
    groups
}
