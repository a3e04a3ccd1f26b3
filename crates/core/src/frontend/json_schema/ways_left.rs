//! Following an object through the choices that its plan leaves open.
//!
//! A state knows of each choice which ways are left after what has come: a way is given up when a member comes that must not be there
//! or has another value, and when one that must be there can come no more. Once all is there that a way asks for, the choice is made,
//! and nothing of it matters any more. An object can be completed where the choices can be made in ways that agree; those of
//! different groups always do.

use smallvec::SmallVec;

use super::candidates::Candidates;
use super::condition::GoalId;
use super::object::ObjectPlan;
use super::object_state::ObjectState;
use super::open_choices::{Fact, FactId, Group, GroupId, Literal, OpenChoices};
use super::satisfy::Possible;
use super::solver::Solver;
use crate::bits::indices;
use crate::error::Result;

/// The ways that are left to make a choice, as bits; all of them once it is made.
pub(super) type WaysLeft = u32;

const MADE: WaysLeft = WaysLeft::MAX;

/// What is told of facts by the value of a member.
type Told = SmallVec<[(FactId, bool); 2]>;

/// What ways that were taken ask of members that have not come.
#[derive(Default)]
struct Asked {
    present: Vec<u32>,
    absent: Vec<u32>,
    facts: Vec<(FactId, bool)>,
}

impl Asked {
    /// Takes back what was asked last.
    fn back_to(&mut self, (present, absent, facts): (usize, usize, usize)) {
        self.present.truncate(present);
        self.absent.truncate(absent);
        self.facts.truncate(facts);
    }

    fn lengths(&self) -> (usize, usize, usize) {
        (self.present.len(), self.absent.len(), self.facts.len())
    }
}

impl OpenChoices {
    /// The ways to make each choice before the first member.
    pub(super) fn start(&self) -> Box<[WaysLeft]> {
        self.choices.iter().map(|ways| (1 << ways.len()) - 1).collect()
    }
}

/// Whether a member has come, or can come no more; `None` before that.
fn has_come(state: &ObjectState, at: usize) -> Option<bool> {
    match state.has_seen(at) {
        true => Some(true),
        false => (at < state.first_open()).then_some(false),
    }
}

/// The groups that are about a member that has come, or can come no more.
fn touched_groups(plan: &ObjectPlan, state: &ObjectState) -> Vec<GroupId> {
    let passed = 0..state.first_open();
    let come = indices(state.seen.iter().copied()).filter(|at| !passed.contains(at));
    let mut groups: Vec<GroupId> =
        passed.clone().chain(come).filter_map(|at| plan.choices.group_of[at]).collect();
    groups.sort_unstable();
    groups.dedup();
    groups
}

/// The ways that are left, by number.
pub(super) fn each(ways: WaysLeft) -> impl Iterator<Item = usize> {
    (0..WaysLeft::BITS as usize).filter(move |way| ways >> way & 1 == 1)
}

impl ObjectPlan {
    /// Gives up the ways that a step rules out, after which a state is as it is but for its choices: the member that came, with what is
    /// told of its value. Whether each choice has a way left.
    fn choose(
        &self,
        before: &ObjectState,
        after: &mut ObjectState,
        come: Option<usize>,
        told: &[(FactId, bool)],
    ) -> bool {
        let is_passed = |at: usize| at < after.first_open() && !after.has_seen(at);
        let is_ruled_out = |literal: &Literal| match *literal {
            Literal::Present(at) => is_passed(at as usize),
            Literal::Absent(at) => Some(at as usize) == come,
            Literal::Holds { at, fact, holds } => Some(at as usize) == come && !told.contains(&(fact, holds)),
        };
        // What has come of a way that is left has come as it asks.
        let is_met = |literal: &Literal| match (*literal, has_come(after, literal.at())) {
            (Literal::Present(_), come) => come == Some(true),
            (Literal::Absent(_) | Literal::Holds { .. }, come) => come.is_some(),
        };
        let mut left = before.ways_left.clone();
        for (left, choice) in left.iter_mut().zip(&self.choices.choices).filter(|(left, _)| **left != MADE) {
            let open = each(*left).filter(|&way| !choice[way].iter().any(is_ruled_out));
            *left = open.fold(0, |all, way| match choice[way].iter().all(is_met) {
                true => MADE,
                false => all | 1 << way,
            });
        }
        let can_be_made = left.iter().all(|&left| left != 0);
        after.ways_left = left;
        can_be_made
    }

    /// Gives up the ways that a member rules out that no choice is about, and those that come no more when it comes. Whether each choice
    /// has a way left.
    pub(super) fn choose_beside(&self, before: &ObjectState, after: &mut ObjectState) -> bool {
        self.choices.is_empty() || self.choose(before, after, None, &[])
    }

    /// Whether the object may end as far as its choices go.
    pub(super) fn choices_may_end(&self, state: &ObjectState) -> bool {
        let is_met = |literal: &Literal| match *literal {
            Literal::Present(at) => state.has_seen(at as usize),
            Literal::Absent(_) | Literal::Holds { .. } => true,
        };
        let mut open = state.ways_left.iter().zip(&self.choices.choices).filter(|(left, _)| **left != MADE);
        open.all(|(&left, choice)| each(left).any(|way| choice[way].iter().all(is_met)))
    }

    /// The goals of the values of a member, by what they may tell of the facts about it.
    pub(super) fn goals_told(&self, at: usize) -> impl Iterator<Item = SmallVec<[GoalId; 4]>> {
        self.what_is_told(at, |_| true).into_iter().map(|(_, goals)| goals)
    }

    /// What may be told of the facts of a member, as far as they matter, with the goals of the values of which it is.
    fn what_is_told(
        &self,
        at: usize,
        matters: impl Fn(FactId) -> bool,
    ) -> Vec<(Told, SmallVec<[GoalId; 4]>)> {
        let mut all = vec![(Told::new(), SmallVec::from_slice(&[self.names[at].goal]))];
        for (id, Fact { told, .. }) in self.choices.facts_of(at) {
            if !matters(id) {
                continue;
            }
            let before = std::mem::take(&mut all);
            for (holds, goal) in [(true, told[1]), (false, told[0])] {
                for (told, goals) in &before {
                    let (mut told, mut goals) = (told.clone(), goals.clone());
                    told.push((id, holds));
                    goals.push(goal);
                    all.push((told, goals));
                }
            }
        }
        all
    }

    /// Whether a way that is left asks for a fact.
    fn matters(&self, state: &ObjectState, id: FactId) -> bool {
        let asks = |literal: &Literal| matches!(*literal, Literal::Holds { fact, .. } if fact == id);
        let mut open = state.ways_left.iter().zip(&self.choices.choices).filter(|(left, _)| **left != MADE);
        open.any(|(&left, choice)| each(left).any(|way| choice[way].iter().any(asks)))
    }
}

impl Solver<'_> {
    /// The goals that a member may satisfy, by what its value tells of the facts on which choices depend, and the state after each, which
    /// `after` is but for its choices.
    pub(super) fn after_choosing(
        &mut self,
        plan: &ObjectPlan,
        before: &ObjectState,
        at: usize,
        after: &ObjectState,
    ) -> Vec<(GoalId, ObjectState)> {
        let told = plan.what_is_told(at, |fact| plan.matters(before, fact));
        let count = told.len();
        let mut steps = Vec::with_capacity(count);
        for (told, goals) in told {
            let mut after = after.clone();
            if plan.choose(before, &mut after, Some(at), &told) {
                steps.push((goals, after));
            }
        }
        // Where all lead to the same, nothing of it matters.
        if let [(_, first), others @ ..] = &*steps
            && steps.len() == count
            && others.iter().all(|(_, other)| other == first)
        {
            return vec![(plan.names[at].goal, first.clone())];
        }
        let terms = &mut self.tables.terms;
        steps.into_iter().map(|(goals, after)| (terms.all_of(&goals), after)).collect()
    }

    /// How many values a member that must come can have, up to `enough`, whatever else there is.
    pub(super) fn count_with_choices(&mut self, plan: &ObjectPlan, at: usize, enough: u64) -> Result<u64> {
        let start = plan.start(Candidates::NONE);
        let mut after = start.clone();
        after.seen[at / 64] |= 1 << (at % 64);
        let mut count = 0u64;
        for (goal, after) in self.after_choosing(plan, &start, at, &after) {
            if self.can_choose(plan, &after)? == Possible::Yes {
                count = count.saturating_add(self.count_values(goal, enough)?.0);
            }
        }
        Ok(count)
    }

    /// Whether the choices that are open in a state can be made beside the members that must come.
    pub(super) fn can_choose(&mut self, plan: &ObjectPlan, state: &ObjectState) -> Result<Possible> {
        if plan.choices.is_empty() {
            return Ok(Possible::Yes);
        }
        let groups = &plan.choices.groups;
        // As long as nothing has come of what a group is about, it is the same in all states.
        let asked: Vec<GroupId> = match self.tables.all_choosable.contains(&plan.number) {
            true => touched_groups(plan, state),
            false => (0..groups.len() as u32).map(GroupId).collect(),
        };
        let are_all = asked.len() == groups.len();
        let mut possible = Possible::Yes;
        for id in asked {
            possible = possible.and(self.can_choose_in(plan, state, id, &groups[id.0 as usize])?);
            if possible == Possible::No {
                return Ok(possible);
            }
        }
        let is_known = |id| self.tables.choosable.get(&(plan.number, GroupId(id))) == Some(&true);
        if are_all && (0..groups.len() as u32).all(is_known) {
            self.tables.all_choosable.insert(plan.number);
        }
        Ok(possible)
    }

    /// Whether the choices of a group can be made.
    fn can_choose_in(
        &mut self,
        plan: &ObjectPlan,
        state: &ObjectState,
        id: GroupId,
        group: &Group,
    ) -> Result<Possible> {
        let is_open = |choice: &u32| state.ways_left[*choice as usize] != MADE;
        let open: SmallVec<[u32; 4]> = group.choices.iter().copied().filter(is_open).collect();
        if open.is_empty() {
            return Ok(Possible::Yes);
        }
        let is_untouched = group.names.iter().all(|&at| has_come(state, at as usize).is_none());
        if is_untouched && let Some(&known) = self.tables.choosable.get(&(plan.number, id)) {
            return Ok(Possible::of(known));
        }
        let possible = match group.is_of_pairs {
            true => self.can_choose_pairs(plan, state, &open)?,
            false => self.can_choose_among(plan, state, &open, &mut Asked::default())?,
        };
        if is_untouched && possible != Possible::Unknown {
            self.tables.choosable.insert((plan.number, id), possible == Possible::Yes);
        }
        Ok(possible)
    }

    /// Whether some choices can be made beside what others ask for.
    fn can_choose_among(
        &mut self,
        plan: &ObjectPlan,
        state: &ObjectState,
        choices: &[u32],
        asked: &mut Asked,
    ) -> Result<Possible> {
        let Some((&choice, others)) = choices.split_first() else { return Ok(Possible::Yes) };
        let mut possible = Possible::No;
        for way in each(state.ways_left[choice as usize]) {
            self.deadline.check()?;
            let before = asked.lengths();
            let way = &plan.choices.choices[choice as usize][way];
            let mut verdict = self.ask_for(plan, state, way, asked)?;
            if verdict != Possible::No {
                verdict = verdict.and(self.can_choose_among(plan, state, others, asked)?);
            }
            asked.back_to(before);
            possible = possible.or(verdict);
            if possible == Possible::Yes {
                break;
            }
        }
        Ok(possible)
    }

    /// Adds what a way asks of members that have not come. Whether that is possible beside what others ask for.
    fn ask_for(
        &mut self,
        plan: &ObjectPlan,
        state: &ObjectState,
        way: &[Literal],
        asked: &mut Asked,
    ) -> Result<Possible> {
        for literal in way {
            let come = has_come(state, literal.at());
            match *literal {
                Literal::Present(_) if come == Some(false) => return Ok(Possible::No),
                _ if come.is_some() => {}
                Literal::Present(at) => asked.present.push(at),
                Literal::Absent(at) => asked.absent.push(at),
                Literal::Holds { fact, holds, .. } => asked.facts.push((fact, holds)),
            }
        }
        let mut possible = Possible::Yes;
        for at in way.iter().map(|literal| literal.at()).filter(|&at| has_come(state, at).is_none()) {
            let must_come = plan.names[at].required || asked.present.contains(&(at as u32));
            if !must_come {
                continue;
            }
            if asked.absent.contains(&(at as u32)) {
                return Ok(Possible::No);
            }
            let facts =
                asked.facts.iter().map(|&(fact, holds)| (&plan.choices.facts[fact.0 as usize], holds));
            let of_member = facts.filter(|(fact, _)| fact.at as usize == at);
            let goals: SmallVec<[GoalId; 4]> = of_member
                .map(|(fact, holds)| fact.told[usize::from(holds)])
                .chain([plan.names[at].goal])
                .collect();
            let goal = self.tables.terms.all_of(&goals);
            possible = possible.and(self.possible(goal)?);
            if possible == Possible::No {
                break;
            }
        }
        Ok(possible)
    }
}
