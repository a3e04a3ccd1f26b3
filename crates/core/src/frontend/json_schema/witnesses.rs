//! Whether members can still come that meet the demands for some member or other.
//!
//! Such a demand says that of all members one at least satisfies a goal, whichever it is: a *witness*. Which names may be one
//! is noted in sets, by plan, as far as it was asked. As many names as there are demands are enough to look at for each:
//! the others can take all but one of them. So where names need no others, few of thousands tell whether all demands can be
//! met together, and a search would try every set of those that come before.

use smallvec::{SmallVec, smallvec};

use super::condition::GoalId;
use super::dependencies::NameSet;
use super::object::ObjectPlan;
use super::object_state::ObjectState;
use super::satisfy::Possible;
use super::solver::Solver;
use crate::error::Result;

/// The names that may be a witness.
#[derive(Clone, Debug)]
pub(super) struct WitnessNames {
    /// Those of which it is not known yet whether a value satisfies both the goal of their member and that of the witness.
    open: NameSet,
    /// Those of which some does.
    able: NameSet,
}

impl WitnessNames {
    fn of(plan: &ObjectPlan, witness: usize) -> Self {
        let count = plan.names.len();
        let mut open = NameSet::none_of(count);
        for (at, named) in plan.names.iter().enumerate() {
            if named.witnesses >> witness & 1 == 1 {
                open.insert(at);
            }
        }
        Self { open, able: NameSet::none_of(count) }
    }
}

/// A member that may come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Member {
    Name(usize),
    /// A key of a class, one of so many.
    Key(usize, u32),
}

/// A member that may be a witness.
#[derive(Clone, Copy, Debug)]
struct Way {
    member: Member,
    goal: GoalId,
    /// The witnesses that it may be, as bits.
    able: u8,
    /// Whether it must come anyway.
    must_come: bool,
}

/// Members that meet demands.
#[derive(Clone, Debug)]
struct Met {
    members: SmallVec<[Member; 6]>,
    /// How many of them need not come anyway.
    more: u64,
}

/// The members that may be witnesses, and whether that rests on goals that are being worked out.
#[derive(Default)]
struct Ways {
    all: Vec<Way>,
    is_open: bool,
}

impl Ways {
    fn add(&mut self, member: Member, goal: GoalId, witness: usize, must_come: bool) {
        match self.all.iter_mut().find(|way| way.member == member) {
            Some(way) => way.able |= 1 << witness,
            None => self.all.push(Way { member, goal, able: 1 << witness, must_come }),
        }
    }
}

impl Solver<'_> {
    /// The answer for an object that has begun where demands are open. `None` where only a search tells: where names need
    /// others, where there is hardly room for the members, and where it rests on goals that are being worked out.
    pub(super) fn can_meet(&mut self, plan: &ObjectPlan, state: &ObjectState) -> Result<Option<Possible>> {
        let count = plan.count_with_required(state).filter(|&count| count <= plan.maximum);
        let Some(mut count) = count else { return Ok(Some(Possible::No)) };
        let mut ways = self.ways_to_meet(plan, state)?;
        let able = ways.all.iter().fold(0, |able, way| able | way.able);
        if state.pending & !able != 0 {
            return Ok((!ways.is_open).then_some(Possible::No));
        }
        if !plan.dependencies.is_empty() {
            return Ok(None);
        }
        let one_each = self.members_that_meet(plan, state.pending, &mut ways, false)?;
        let met = match one_each.filter(|met| count + met.more <= plan.maximum) {
            None if state.pending.count_ones() > 1 => {
                self.members_that_meet(plan, state.pending, &mut ways, true)?
            }
            met => met,
        };
        let Some(met) = met else { return Ok((!ways.is_open).then_some(Possible::No)) };
        count += met.more;
        if count > plan.maximum {
            return Ok(None);
        }
        self.can_fill_beside(plan, state, &met, plan.minimum.saturating_sub(count))
    }

    /// Whether so many members can come beside those that meet demands and those that must come.
    fn can_fill_beside(
        &mut self,
        plan: &ObjectPlan,
        state: &ObjectState,
        met: &Met,
        missing: u64,
    ) -> Result<Option<Possible>> {
        if missing == 0 {
            return Ok(Some(Possible::Yes));
        }
        let mut after = state.clone();
        let mut names: SmallVec<[usize; 6]> = SmallVec::new();
        for member in &met.members {
            match *member {
                Member::Name(at) => names.push(at),
                Member::Key(class, _) if plan.others[class].is_endless => {}
                Member::Key(class, _) => after.used[class] += 1,
            }
        }
        let (missing, open) = self.fill_with_independent(plan, &after, missing, &names)?;
        Ok(match missing {
            0 => Some(Possible::Yes),
            _ => (open == Possible::No).then_some(Possible::No),
        })
    }

    /// For each demand that is open, as many members as there are demands that may meet it, those first that must come; all
    /// where there are no more.
    fn ways_to_meet(&mut self, plan: &ObjectPlan, state: &ObjectState) -> Result<Ways> {
        let mut ways = Ways::default();
        let most = state.pending.count_ones();
        let position = state.first_open();
        let come = NameSet::seen(state);
        for witness in (0..plan.witnesses.len()).filter(|witness| state.pending >> witness & 1 == 1) {
            let mut left = most;
            let required: Vec<usize> = plan.required_left(state).collect();
            for at in required {
                if left > 0 && self.may_be_witness(plan, at, witness, &mut ways.is_open)? {
                    ways.add(Member::Name(at), plan.names[at].goal, witness, true);
                    left -= 1;
                }
            }
            self.add_keys(plan, state, witness, &mut left, &mut ways)?;
            let mut next = position;
            while left > 0 {
                let names = self.witness_names(plan, witness);
                let able = names.able.without(&come, next).next();
                let open = names.open.without(&come, next).next();
                let Some(at) = able.into_iter().chain(open).min() else { break };
                next = at + 1;
                if !plan.names[at].required && self.may_be_witness(plan, at, witness, &mut ways.is_open)? {
                    ways.add(Member::Name(at), plan.names[at].goal, witness, false);
                    left -= 1;
                }
            }
        }
        Ok(ways)
    }

    /// Adds keys that are not mentioned and may be a witness, up to so many.
    fn add_keys(
        &mut self,
        plan: &ObjectPlan,
        state: &ObjectState,
        witness: usize,
        left: &mut u32,
        ways: &mut Ways,
    ) -> Result<()> {
        for (class, (keys, &used)) in plan.others.iter().zip(&state.used).enumerate() {
            let count = if keys.is_endless { *left } else { (keys.count - used).min(*left) };
            if count == 0 || keys.witnesses >> witness & 1 == 0 {
                continue;
            }
            let goal = self.tables.terms.all_of(&[keys.goal, plan.witnesses[witness]]);
            match self.possible(goal)? {
                Possible::Yes => {
                    (0..count).for_each(|one| ways.add(Member::Key(class, one), keys.goal, witness, false));
                    *left -= count;
                }
                Possible::Unknown => ways.is_open = true,
                Possible::No => {}
            }
        }
        Ok(())
    }

    /// Whether the member of a name may be a witness.
    fn may_be_witness(
        &mut self,
        plan: &ObjectPlan,
        at: usize,
        witness: usize,
        is_open: &mut bool,
    ) -> Result<bool> {
        let names = self.witness_names(plan, witness);
        if !names.open.contains(at) {
            return Ok(names.able.contains(at));
        }
        self.deadline.check()?;
        let goal = self.tables.terms.all_of(&[plan.names[at].goal, plan.witnesses[witness]]);
        let possible = self.possible(goal)?;
        let names = self.witness_names(plan, witness);
        match possible {
            Possible::Yes => {
                names.open.remove(at);
                names.able.insert(at);
            }
            Possible::No => names.open.remove(at),
            Possible::Unknown => *is_open = true,
        }
        Ok(possible == Possible::Yes)
    }

    fn witness_names(&mut self, plan: &ObjectPlan, witness: usize) -> &mut WitnessNames {
        let size = &mut self.tables.independent_size;
        let all = self.tables.witness_names.entry(plan.number).or_insert_with(|| {
            let names = (0..plan.witnesses.len()).map(|witness| WitnessNames::of(plan, witness));
            let names: Vec<_> = names.collect();
            *size += names.iter().map(|names| names.open.size() + names.able.size()).sum::<usize>();
            names
        });
        &mut all[witness]
    }

    /// The fewest of some members that meet all demands, each of them one demand, or any number; `None` where they
    /// cannot.
    fn members_that_meet(
        &mut self,
        plan: &ObjectPlan,
        pending: u8,
        ways: &mut Ways,
        any_number: bool,
    ) -> Result<Option<Met>> {
        let mut best: Vec<Option<Met>> = vec![None; usize::from(pending) + 1];
        best[0] = Some(Met { members: smallvec![], more: 0 });
        for way in &ways.all {
            let before = best.clone();
            let able = way.able & pending;
            let is_some = |part: &u8| *part != 0;
            let parts = std::iter::successors(Some(able).filter(is_some), |&part| {
                Some((part - 1) & able).filter(is_some)
            });
            for part in parts.filter(|part| any_number || part.count_ones() == 1) {
                if part.count_ones() > 1 {
                    match self.is_witness_of_all(plan, way.goal, part)? {
                        Possible::Yes => {}
                        Possible::No => continue,
                        Possible::Unknown => {
                            ways.is_open = true;
                            continue;
                        }
                    }
                }
                for (met, before) in (0..).zip(&before) {
                    let Some(before) = before.as_ref().filter(|_| met & part == 0) else { continue };
                    let more = before.more + u64::from(!way.must_come);
                    let after = &mut best[usize::from(met | part)];
                    if after.as_ref().is_none_or(|after| after.more > more) {
                        let mut members = before.members.clone();
                        members.push(way.member);
                        *after = Some(Met { members, more });
                    }
                }
            }
        }
        Ok(best.pop().flatten())
    }

    /// Whether a value satisfies a goal and those of some witnesses.
    fn is_witness_of_all(&mut self, plan: &ObjectPlan, goal: GoalId, witnesses: u8) -> Result<Possible> {
        let all = (0..plan.witnesses.len()).filter(|bit| witnesses >> bit & 1 == 1);
        let goals: SmallVec<[GoalId; 8]> = all.map(|bit| plan.witnesses[bit]).chain([goal]).collect();
        let goal = self.tables.terms.all_of(&goals);
        self.possible(goal)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::super::candidates::{Candidates, Part};
    use super::super::completion::tests::Searched;
    use super::super::condition::{Kind, ScopeId};
    use super::super::options::PropertyOrder;
    use super::super::solver::tests::{in_either_order, under, with_solver};
    use super::*;

    fn steps_of_texts(
        solver: &mut Solver<'_>,
        plan: &ObjectPlan,
        state: &ObjectState,
    ) -> Result<Vec<(GoalId, ObjectState)>> {
        let mut steps = Vec::new();
        for class in solver.open_classes(plan, state) {
            steps.extend(solver.after_other(plan, state, class));
        }
        for (name, class) in solver.compared_keys(plan, state) {
            let after = solver.after_compared(plan, state, class);
            steps.extend(solver.split_by_candidates(Part::Member(name), after));
        }
        for at in plan.open_names(state, solver.options.order) {
            let after = solver.after_name(plan, state, at);
            steps.extend(solver.split_by_candidates(Part::Member(plan.names[at].name), after));
        }
        Ok(steps)
    }

    /// What some member or other must be: each a schema that not all members may satisfy.
    const DEMANDS: [&[&str]; 7] = [
        &[],
        &[r#"{"not": {"const": 1}}"#],
        &[r#"{"not": {"const": 1}}"#, r#"{"not": {"const": 2}}"#],
        &[r#"{"not": {"type": "string"}}"#, r#"{"not": {"maxLength": 1}}"#],
        &[r#"{"not": {"const": 1}}"#, r#"{"not": {"maximum": 1}}"#, r#"{"not": {"const": 7}}"#],
        &[r#"{"not": {"const": "never"}}"#],
        &[r#"{"maximum": 1}"#, r#"{"type": "string"}"#, r#"{"minimum": 2}"#],
    ];

    const KEYWORDS: [&str; 15] = [
        r#""additionalProperties": false"#,
        r#""additionalProperties": {"const": 7}"#,
        r#""additionalProperties": false, "minProperties": 3"#,
        r#""additionalProperties": false, "minProperties": 6"#,
        r#""additionalProperties": false, "maxProperties": 1"#,
        r#""additionalProperties": false, "maxProperties": 2, "required": ["b"]"#,
        r#""additionalProperties": false, "required": ["a", "e"]"#,
        r#""additionalProperties": false, "maxProperties": 3, "minProperties": 3, "required": ["c"]"#,
        r#""additionalProperties": false, "patternProperties": {"^[xy]$": {"maximum": 2}}"#,
        r#""additionalProperties": false, "patternProperties": {"^[xy]$": {"const": 1}}, "minProperties": 7"#,
        r#""additionalProperties": false, "dependentRequired": {"a": ["b"], "c": ["d"]}"#,
        r#""additionalProperties": false, "dependentRequired": {"d": ["a"], "e": ["a"]}, "minProperties": 2"#,
        r#""additionalProperties": false, "not": {"enum": [{"a": 1}, {"a": 1, "b": 2}, {}]}, "required": ["a"]"#,
        r#""patternProperties": {"^[xy]$": {"const": 1}}, "additionalProperties": false, "not": {"const": {"a": 1, "x": 1}},
            "required": ["a", "x"]"#,
        r#""not": {"enum": [{"a": 1, "d": 2}, {"a": 1, "d": 1}, {"a": 1, "d": "2"}]}, "required": ["a", "d"],
            "additionalProperties": false"#,
    ];

    /// Compares what is evident, and what the search of names in their order finds, with one that goes on as texts do, in all
    /// states of the plans of a schema.
    fn compare(solver: &mut Solver<'_>, text: &str, counts: &mut BTreeMap<Option<u8>, usize>) {
        let root = solver.goal_of(solver.schemas.root, ScopeId::NONE);
        for case in solver.cases_searched_for(root, Kind::Object).unwrap().iter() {
            let plan = solver.object_plan(case).unwrap();
            let start = plan.start(solver.excluded(case, Kind::Object));
            let mut met: BTreeSet<String> = BTreeSet::new();
            let mut waiting = vec![start];
            while let Some(state) = waiting.pop() {
                // Required members are taken to be possible, and the bounds not to contradict each other.
                if plan.minimum <= plan.maximum {
                    let room = plan.room(&state);
                    let search = Searched { plan: &*plan, next: steps_of_texts };
                    let searched = solver.can_be_completed(&search, &state, room).unwrap();
                    let found = solver.can_be_completed(&*plan, &state, room).unwrap();
                    assert_eq!(found, searched, "{text} {state:?}");
                    if state.pending != 0 && state.candidates.are_none() {
                        let found = solver.can_meet(&plan, &state).unwrap();
                        assert!(found.is_none_or(|found| found == searched), "{text} {state:?} {found:?}");
                        *counts.entry(found.map(|found| found as u8)).or_default() += 1;
                    }
                }
                for (goal, next) in steps_of_texts(solver, &plan, &state).unwrap() {
                    if solver.is_satisfiable(goal).unwrap() && met.insert(format!("{next:?}")) {
                        waiting.push(next);
                    }
                }
            }
        }
    }

    /// What is found of names in their order is what a search finds that goes on as texts do, and so is what is evident of
    /// demands, of most states.
    #[test]
    fn the_search_finds_what_is_evident_of_demands() {
        let mut counts = BTreeMap::new();
        for (demands, keywords) in
            DEMANDS.iter().flat_map(|demands| KEYWORDS.iter().map(move |keywords| (demands, keywords)))
        {
            let some = |demand: &&str| format!(r#"{{"not": {{"additionalProperties": {demand}}}}}"#);
            let some: Vec<String> = demands.iter().map(some).collect();
            let names = r#""a": {"const": 1}, "b": {"type": "integer", "minimum": 2}, "c": {"type": "string"},
                "d": {"enum": [1, 2, "2"]}, "e": {"maximum": 9, "type": "number"}"#;
            let text = format!(
                r#"{{"type": "object", "properties": {{{names}}}, {keywords}, "allOf": [{}]}}"#,
                some.join(", ")
            );
            in_either_order(&text, |solver| compare(solver, &text, &mut counts));
        }
        let told: usize =
            [Possible::Yes, Possible::No].map(|answer| counts[&Some(answer as u8)]).iter().sum();
        assert!(counts.len() == 3 && counts[&None] * 10 < told, "{counts:?}");
    }

    /// Of hundreds of names no search tries the sets of those that come first.
    #[test]
    fn demands_that_few_of_many_names_meet_need_no_search() {
        let names: Vec<String> = (0..400).map(|at| format!(r#""k{at}": {{"const": {at}}}"#)).collect();
        let names = names.join(", ");
        for (demands, position, expected) in [
            ("[399]", 0, Possible::Yes),
            ("[399, 398, 397]", 300, Possible::Yes),
            ("[0]", 1, Possible::No),
            ("[200, 0]", 1, Possible::No),
            ("[-1]", 0, Possible::No),
        ] {
            let demands = demands.trim_matches(['[', ']']).split(", ").map(|value| {
                format!(r#"{{"not": {{"additionalProperties": {{"not": {{"const": {value}}}}}}}}}"#)
            });
            let demands = demands.collect::<Vec<_>>().join(", ");
            let text = format!(
                r#"{{"type": "object", "properties": {{{names}}}, "additionalProperties": false, "allOf": [{demands}]}}"#
            );
            with_solver(&text, |solver| {
                let (options, budget) = (solver.options, crate::Budget { items: 1, ..solver.budget.clone() });
                assert_eq!(options.order, PropertyOrder::Declared);
                let mut solver = under(solver, options, &budget);
                let root = solver.goal_of(solver.schemas.root, ScopeId::NONE);
                let cases = solver.cases(root, Kind::Object).unwrap();
                let plan = solver.object_plan(&cases[0]).unwrap();
                let state = ObjectState { position, ..plan.start(Candidates::NONE) };
                let found = solver.can_be_completed(&*plan, &state, plan.maximum).unwrap();
                assert_eq!(found, expected, "{demands}");
            });
        }
    }
}
