//! Whether an array or an object that has begun can be completed.
//!
//! One search for both through the states of a plan: breadth first, so that each state is met with as much room as
//! it can have, or where there is plenty, depth first. Where nothing but numbers matters any more, the plan itself knows the answer.

use std::collections::VecDeque;
use std::hash::Hash;

use rustc_hash::FxHashSet;

use super::condition::GoalId;
use super::satisfy::Possible;
use super::solver::Solver;
use crate::error::{Error, Result};

/// The plan of an array or of an object, as far as the search needs it.
pub(super) trait Plan {
    /// What matters of what has been read.
    type State: Clone + Eq + Hash;

    /// What is searched, for the message when there is too much of it.
    const SEARCHED: &'static str;

    /// Whether the whole may end in a state.
    fn may_end(&self, state: &Self::State) -> bool;

    /// The answer for a state in which the whole may not end, where that takes no search. So many items or members
    /// may come at most as `room` says.
    fn evident_completion(
        &self,
        solver: &mut Solver<'_>,
        state: &Self::State,
        room: u64,
    ) -> Result<Option<Possible>>;

    /// The goals that the next item or member may satisfy, and the state after each.
    fn next(&self, solver: &mut Solver<'_>, state: &Self::State) -> Result<Vec<(GoalId, Self::State)>>;
}

impl Solver<'_> {
    /// Whether what has come to a state can be completed with at most `room` more items or members.
    ///
    /// # Errors
    /// [`Error::BudgetExceeded`](crate::Error::BudgetExceeded) where there are too many states on the way, and
    /// whatever questions about goals end in.
    #[inline(never)] // the search leads back here
    pub(super) fn can_be_completed<P: Plan>(
        &mut self,
        plan: &P,
        state: &P::State,
        room: u64,
    ) -> Result<Possible> {
        /// No way is so long.
        const PLENTY: u64 = u64::MAX / 2;
        if let Some(known) = self.completion_without_search(plan, state, room)? {
            return Ok(known);
        }
        let mut seen = FxHashSet::from_iter([state.clone()]);
        let mut queue = VecDeque::from([(state.clone(), room)]);
        let mut verdict = Possible::No;
        // A way that is short matters only where there is little room. Else any will do, and those on which most is
        // counted, which come first, come to an end soonest.
        let has_plenty = room > PLENTY;
        while let Some((at, room)) = if has_plenty { queue.pop_back() } else { queue.pop_front() } {
            self.deadline.check()?;
            let Some(room) = room.checked_sub(1) else { continue };
            let mut steps = plan.next(self, &at)?;
            if has_plenty {
                steps.reverse();
            }
            for (goal, next) in steps {
                if seen.contains(&next) {
                    continue;
                }
                let possible = self.possible(goal)?;
                if possible == Possible::No {
                    continue;
                }
                // Only now: another goal, which some value satisfies, may lead to the same state.
                if possible == Possible::Yes {
                    seen.insert(next.clone());
                }
                let completed = match self.completion_without_search(plan, &next, room)? {
                    Some(known) => known,
                    None if possible == Possible::Yes => {
                        queue.push_back((next, room));
                        continue;
                    }
                    None => Possible::Unknown,
                };
                verdict = verdict.or(possible.and(completed));
                if verdict == Possible::Yes {
                    return Ok(verdict);
                }
            }
            if seen.len() > self.budget.items {
                return Err(Error::exceeded("items", self.budget.items, P::SEARCHED));
            }
        }
        Ok(verdict)
    }

    fn completion_without_search<P: Plan>(
        &mut self,
        plan: &P,
        state: &P::State,
        room: u64,
    ) -> Result<Option<Possible>> {
        if plan.may_end(state) {
            return Ok(Some(Possible::Yes));
        }
        plan.evident_completion(self, state, room)
    }
}

#[cfg(test)]
mod tests {
    use super::super::solver::tests::with_solver;
    use super::*;

    /// A plan that is written out: states are numbers, and each has its steps.
    struct Written {
        ends: Vec<u32>,
        evident: Vec<(u32, Possible)>,
        steps: Vec<(u32, GoalId, u32)>,
        is_endless: bool,
    }

    impl Plan for Written {
        type State = u32;
        const SEARCHED: &'static str = "by a plan of a test";

        fn may_end(&self, state: &u32) -> bool {
            self.ends.contains(state)
        }

        fn evident_completion(&self, _: &mut Solver<'_>, state: &u32, _: u64) -> Result<Option<Possible>> {
            Ok(self.evident.iter().find(|(at, _)| at == state).map(|&(_, possible)| possible))
        }

        fn next(&self, _: &mut Solver<'_>, state: &u32) -> Result<Vec<(GoalId, u32)>> {
            if self.is_endless {
                return Ok(vec![(GoalId::ANYTHING, state + 1)]);
            }
            let steps = self.steps.iter().filter(|(from, _, _)| from == state);
            Ok(steps.map(|&(_, goal, to)| (goal, to)).collect())
        }
    }

    const PLAN: Written = Written { ends: vec![], evident: vec![], steps: vec![], is_endless: false };

    /// What is searched in a plan from state 0 on, while one goal is being worked out.
    fn search(plan: impl FnOnce(GoalId) -> Written, room: u64) -> Result<Possible> {
        let mut answer = Ok(Possible::Unknown);
        with_solver(r##"{"type": "array", "contains": {"$ref": "#"}}"##, |solver| {
            let scope = super::super::condition::ScopeId::NONE;
            let unknown = solver.goal_of(solver.schemas.root, scope);
            solver.tables.in_progress.insert(unknown);
            answer = solver.can_be_completed(&plan(unknown), &0, room);
        });
        answer
    }

    #[test]
    fn a_way_is_as_long_as_there_is_room() {
        const ANY: GoalId = GoalId::ANYTHING;
        let plan = |_| Written { ends: vec![3], steps: vec![(0, ANY, 1), (1, ANY, 2), (2, ANY, 3)], ..PLAN };
        assert_eq!(search(plan, 3).unwrap(), Possible::Yes);
        assert_eq!(search(plan, 2).unwrap(), Possible::No);
        let shorter = |_| {
            let steps = vec![(0, ANY, 1), (1, ANY, 2), (0, ANY, 2), (2, ANY, 3)];
            Written { ends: vec![3], steps, ..PLAN }
        };
        assert_eq!(search(shorter, 2).unwrap(), Possible::Yes);
    }

    #[test]
    fn steps_that_nothing_satisfies_are_not_taken() {
        let plan = |_| Written { ends: vec![1], steps: vec![(0, GoalId::NOTHING, 1)], ..PLAN };
        assert_eq!(search(plan, 9).unwrap(), Possible::No);
    }

    #[test]
    fn what_rests_on_a_goal_that_is_being_worked_out_is_not_known() {
        const ANY: GoalId = GoalId::ANYTHING;
        let end = |unknown| Written { ends: vec![1], steps: vec![(0, unknown, 1)], ..PLAN };
        assert_eq!(search(end, 9).unwrap(), Possible::Unknown);
        let further = |unknown| Written { ends: vec![2], steps: vec![(0, unknown, 1), (1, ANY, 2)], ..PLAN };
        assert_eq!(search(further, 9).unwrap(), Possible::Unknown);
        let beside = |unknown| Written { ends: vec![1], steps: vec![(0, unknown, 1), (0, ANY, 1)], ..PLAN };
        assert_eq!(search(beside, 9).unwrap(), Possible::Yes);
    }

    #[test]
    fn what_a_plan_knows_is_not_searched() {
        const ANY: GoalId = GoalId::ANYTHING;
        for known in [Possible::No, Possible::Unknown, Possible::Yes] {
            let at_once = |_| Written { evident: vec![(0, known)], is_endless: true, ..PLAN };
            assert_eq!(search(at_once, 9).unwrap(), known);
            let later = |_| Written { evident: vec![(1, known)], steps: vec![(0, ANY, 1)], ..PLAN };
            assert_eq!(search(later, 9).unwrap(), known);
        }
    }

    #[test]
    fn the_search_is_bounded() {
        let error = search(|_| Written { is_endless: true, ..PLAN }, u64::MAX).unwrap_err();
        assert!(matches!(error, Error::BudgetExceeded { budget: "items", .. }), "{error}");
        assert!(error.to_string().contains(Written::SEARCHED), "{error}");
    }
}
