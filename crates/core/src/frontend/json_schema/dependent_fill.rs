//! Whether an object can be filled with members that need others.
//!
//! Names that need each other, directly or not, come together or not at all: they are a *group*. What a name brings with
//! it is its group, and the groups that this one needs. So those that bring the fewest are always groups that need no other,
//! and they are taken one after the other, the smallest first. That takes little more time than to look at each need once.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::dependencies::{Dependencies, NameSet};
use super::object::ObjectPlan;
use super::object_state::ObjectState;
use super::satisfy::Possible;
use super::solver::Solver;
use crate::error::Result;

/// Names that can only come together.
#[derive(Default)]
struct Group {
    members: Vec<usize>,
    /// The needs of its members that lead to other groups which have not come.
    open_needs: usize,
}

/// The groups of the names that can come and have not.
struct Groups {
    all: Vec<Group>,
    /// For each place of the plan, one more than the number of its group; zero where it is in none.
    of: Vec<u32>,
    /// Those that need no others, the smallest first, and of such that are as small, the first.
    next: BinaryHeap<Reverse<(usize, usize, usize)>>,
}

impl Groups {
    /// Puts together the names of `open`. None of them needs one that is neither there nor in `has`.
    ///
    /// By Kosaraju's method: the names from which another can be reached, and that it reaches, are those that it is needed
    /// by, looked for from those names first that were left last.
    fn of(dependencies: &Dependencies, open: &[usize], has: &NameSet, count: usize) -> Self {
        let mut is_open = NameSet::none_of(count);
        open.iter().for_each(|&at| {
            is_open.insert(at);
        });
        let mut groups = Self { all: Vec::new(), of: vec![0; count], next: BinaryHeap::new() };
        for &first in leaving_order(dependencies, open, &is_open, count).iter().rev() {
            if groups.of[first] != 0 {
                continue;
            }
            let number = groups.all.len() as u32 + 1;
            groups.of[first] = number;
            let mut members = vec![first];
            let mut next = 0;
            while let Some(&at) = members.get(next) {
                next += 1;
                for &needing in dependencies.needing(at) {
                    let needing = needing as usize;
                    if is_open.contains(needing) && groups.of[needing] == 0 {
                        groups.of[needing] = number;
                        members.push(needing);
                    }
                }
            }
            groups.all.push(Group { members, open_needs: 0 });
        }
        for number in 0..groups.all.len() {
            let leads_out = |&&needed: &&u32| {
                groups.of[needed as usize] != number as u32 + 1 && !has.contains(needed as usize)
            };
            let members = groups.all[number].members.iter();
            let count = members.map(|&at| dependencies.needed_by(at).iter().filter(leads_out).count()).sum();
            groups.all[number].open_needs = count;
            groups.add_if_free(number);
        }
        groups
    }

    fn add_if_free(&mut self, number: usize) {
        let Group { members, open_needs: 0 } = &self.all[number] else { return };
        let first = members.iter().copied().min().unwrap_or(0);
        self.next.push(Reverse((members.len(), first, number)));
    }

    /// Lets the smallest group come that needs no others; gives how many members that are.
    fn take(&mut self, dependencies: &Dependencies) -> Option<usize> {
        let Reverse((size, _, number)) = self.next.pop()?;
        for at in std::mem::take(&mut self.all[number].members) {
            for &needing in dependencies.needing(at) {
                let Some(other) = (self.of[needing as usize] as usize).checked_sub(1) else { continue };
                if other != number {
                    self.all[other].open_needs -= 1;
                    self.add_if_free(other);
                }
            }
        }
        Some(size)
    }
}

/// The names of `open` in the order in which a search along their needs leaves them.
fn leaving_order(dependencies: &Dependencies, open: &[usize], is_open: &NameSet, count: usize) -> Vec<usize> {
    let mut is_met = NameSet::none_of(count);
    let mut left = Vec::with_capacity(open.len());
    let mut around: Vec<(usize, usize)> = Vec::new();
    for &first in open {
        if is_met.insert(first) {
            around.push((first, 0));
        }
        while let Some((at, next)) = around.last_mut() {
            match dependencies.needed_by(*at).get(*next) {
                Some(&needed) => {
                    *next += 1;
                    let needed = needed as usize;
                    if is_open.contains(needed) && is_met.insert(needed) {
                        around.push((needed, 0));
                    }
                }
                None => {
                    left.push(*at);
                    around.pop();
                }
            }
        }
    }
    left
}

impl Solver<'_> {
    /// Whether `missing` more members, and no more than `room`, can come by names that need others, beyond those that
    /// must come; those that need no other are taken to come, but may be left out. `None` where the number of members
    /// that come together leaps over the room: only a search tells then.
    ///
    /// The names that need the fewest others come first. Where no two names need each other, each brings just one
    /// member more, and no number is leapt over.
    pub(super) fn fill_with_dependent(
        &mut self,
        plan: &ObjectPlan,
        state: &ObjectState,
        missing: u64,
        room: u64,
    ) -> Result<Option<Possible>> {
        let (count, dependencies) = (plan.names.len(), &plan.dependencies);
        let position = state.first_open();
        let mut has = NameSet::seen(state);
        let required = plan.required.iter().map(|&at| at as usize);
        required.chain(plan.needed(state)).for_each(|at| {
            has.insert(at);
        });
        let mut verdict = Possible::No;
        let mut waiting: Vec<usize> = Vec::new();
        let mut comes = has.clone();
        for at in (position..count).filter(|&at| !comes.contains(at)).collect::<Vec<_>>() {
            self.deadline.check()?;
            match self.possible(plan.names[at].goal)? {
                // What is free of needs has been counted already.
                Possible::Yes if !dependencies.has(at) => {
                    has.insert(at);
                    comes.insert(at);
                }
                Possible::Yes => {
                    waiting.push(at);
                    comes.insert(at);
                }
                Possible::Unknown => verdict = Possible::Unknown,
                Possible::No => {}
            }
        }
        let mut unmet = NameSet::none_of(count);
        for at in (0..count).filter(|&at| !comes.contains(at)) {
            dependencies.add_needing(&mut unmet, at);
        }
        waiting.retain(|&at| !unmet.contains(at));
        let mut groups = Groups::of(dependencies, &waiting, &has, count);
        let mut brought = 0;
        while let Some(more) = groups.take(dependencies) {
            brought += more as u64;
            if brought > room {
                return Ok(None);
            }
            if brought >= missing {
                return Ok(Some(Possible::Yes));
            }
        }
        Ok(Some(verdict))
    }
}

#[cfg(test)]
mod tests {
    use super::super::candidates::Candidates;
    use super::super::condition::{Kind, ScopeId};
    use super::super::solver::tests::with_solver;
    use super::*;

    /// What can be filled of objects without members, by what their names need; a need for `-` is never met.
    #[test]
    fn names_that_need_each_other_come_together() {
        const YES: Option<Possible> = Some(Possible::Yes);
        const NO: Option<Possible> = Some(Possible::No);
        for (needs, missing, room, expected) in [
            (r#""a": ["b"], "b": ["c"]"#, 2, 2, YES),
            (r#""a": ["b"], "b": ["c"]"#, 3, 9, NO),
            (r#""a": ["b"], "b": ["a"]"#, 2, 2, YES),
            (r#""a": ["b"], "b": ["a"]"#, 1, 1, None),
            (r#""a": ["b"], "b": ["a"], "d": ["c"]"#, 1, 1, YES),
            (r#""a": ["b"], "b": ["a"], "d": ["c"]"#, 2, 2, None),
            (r#""a": ["b"], "b": ["c"], "c": ["a"], "d": ["a"], "e": ["f"], "f": ["e"]"#, 6, 6, YES),
            (r#""a": ["b"], "b": ["c"], "c": ["a"], "d": ["a"], "e": ["f"], "f": ["e"]"#, 7, 7, NO),
            (r#""a": ["-"], "b": ["a"], "d": ["c"]"#, 2, 9, NO),
            (r#""a": ["-", "b"], "b": ["c"], "d": ["a"]"#, 1, 9, YES),
        ] {
            let text = format!(
                r#"{{"type": "object", "dependentRequired": {{{needs}}}, "properties": {{"-": {{"allOf": [{{"type": "null"}}, {{"minLength": 1}}, {{"type": "string"}}]}}}}}}"#
            );
            with_solver(&text, |solver| {
                let root = solver.goal_of(solver.schemas.root, ScopeId::NONE);
                let cases = solver.cases(root, Kind::Object).unwrap();
                let plan = solver.object_plan(&cases[0]).unwrap();
                let found = solver.fill_with_dependent(&plan, &plan.start(Candidates::NONE), missing, room);
                assert_eq!(found.unwrap(), expected, "{needs} {missing} {room}");
            });
        }
    }
}
