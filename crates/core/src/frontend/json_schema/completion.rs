//! Whether an array or an object that has begun can be completed.
//!
//! One search for both through the states of a plan: breadth first, so that each state is met with as much room as
//! it can have, or where there is plenty, depth first. Where nothing but numbers matters any more, the plan itself knows the
//! answer. What a search has found of the states on its way is kept: at each place of a text it would begin anew, and go the
//! rest of the same way again.

use std::collections::VecDeque;
use std::hash::Hash;

use rustc_hash::{FxHashMap, FxHashSet};

use super::condition::GoalId;
use super::satisfy::Possible;
use super::solver::Solver;
use super::tables::Tables;
use crate::error::{Error, Result};

/// The plan of an array or of an object, as far as the search needs it.
pub(super) trait Plan {
    /// What matters of what has been read.
    type State: Clone + Eq + Hash;

    /// What is searched, for the message when there is too much of it.
    const SEARCHED: &'static str;

    /// What a state holds beside itself, in the size of expressions.
    fn held(&self, state: &Self::State) -> usize;

    /// Whether the whole may end in a state.
    fn may_end(&self, state: &Self::State) -> bool;

    /// With how much room a state can be completed, as far as that is known.
    fn rooms(&self, tables: &Tables, state: &Self::State) -> Rooms;

    /// Notes with how much room a state can be completed.
    fn note_rooms(&self, tables: &mut Tables, state: Self::State, rooms: Rooms);

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

/// No way to complete anything is so long: with as much room, how much there is does not matter.
const PLENTY: u64 = u64::MAX / 2;

/// With how much room a state can be completed. More room is never worse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rooms {
    /// With so much it can; `u64::MAX` where none is known.
    pub(super) enough: u64,
    /// With so much it cannot.
    pub(super) too_little: Option<u64>,
}

impl Rooms {
    /// Nothing is known.
    pub(super) const UNKNOWN: Self = Self { enough: u64::MAX, too_little: None };

    fn enough(room: u64) -> Self {
        Self { enough: room, ..Self::UNKNOWN }
    }

    /// What both say together.
    fn and(self, other: Self) -> Self {
        let Self { enough, too_little } = other;
        Self { enough: self.enough.min(enough), too_little: self.too_little.max(too_little) }
    }
}

/// The number of a plan in the table of what is known of its states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct PlanNumber(u32);

/// With how much room the states of plans can be completed, as far as that was searched for. It only grows.
#[derive(Clone, Debug)]
pub(super) struct Completions<S> {
    of_plans: Vec<FxHashMap<S, Rooms>>,
    size: usize,
}

impl<S> Default for Completions<S> {
    fn default() -> Self {
        Self { of_plans: Vec::new(), size: 0 }
    }
}

impl<S: Eq + Hash> Completions<S> {
    /// The number of a new plan, of whose states nothing is known.
    pub(super) fn new_plan(&mut self) -> PlanNumber {
        self.of_plans.push(FxHashMap::default());
        PlanNumber(self.of_plans.len() as u32 - 1)
    }

    pub(super) fn rooms(&self, plan: PlanNumber, state: &S) -> Rooms {
        self.of_plans[plan.0 as usize].get(state).copied().unwrap_or(Rooms::UNKNOWN)
    }

    /// Adds what is known of a state; `held` is what it holds beside itself.
    pub(super) fn note(&mut self, plan: PlanNumber, state: S, rooms: Rooms, held: usize) {
        /// What a state takes with its place in the table, in the size of conditions.
        const ENTRY: usize = 4;
        let known = self.of_plans[plan.0 as usize].entry(state).or_insert_with(|| {
            self.size += ENTRY + held;
            Rooms::UNKNOWN
        });
        *known = known.and(rooms);
    }

    /// Its size, in conditions.
    pub(super) fn size(&self) -> usize {
        self.size
    }
}

/// A state on the way of a search.
struct Met<S> {
    state: S,
    /// So many items or members may come after it.
    room: u64,
    /// The state before it, by its number.
    before: Option<usize>,
}

/// A search through the states of a plan.
struct Search<S> {
    met: Vec<Met<S>>,
    /// Those that are still to be looked at, by their number.
    waiting: VecDeque<usize>,
    /// The states that need no second look.
    seen: FxHashSet<S>,
    /// What it holds of them all, in the size of expressions.
    held: usize,
    /// A way that is short matters only where there is little room. Else any will do, and those on which most is
    /// counted, which come first, come to an end soonest.
    has_plenty: bool,
}

impl<S: Clone + Eq + Hash> Search<S> {
    fn from(state: &S, room: u64) -> Self {
        Self {
            met: vec![Met { state: state.clone(), room, before: None }],
            waiting: VecDeque::from([0]),
            seen: FxHashSet::from_iter([state.clone()]),
            held: 0,
            has_plenty: room >= PLENTY,
        }
    }

    fn next(&mut self) -> Option<usize> {
        if self.has_plenty { self.waiting.pop_back() } else { self.waiting.pop_front() }
    }

    fn wait(&mut self, state: S, room: u64, before: usize) {
        self.waiting.push_back(self.met.len());
        self.met.push(Met { state, room, before: Some(before) });
    }

    /// The states on the way to one by its number, that one first.
    fn way_to(&self, at: usize) -> impl Iterator<Item = &Met<S>> {
        std::iter::successors(self.met.get(at), |met| met.before.map(|before| &self.met[before]))
    }
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
        let room = room.min(PLENTY);
        if let Some((known, _)) = self.completion_without_search(plan, state, room)? {
            return Ok(known);
        }
        let mut search = Search::from(state, room);
        let mut verdict = Possible::No;
        while let Some(at) = search.next() {
            self.check_room(search.held, P::SEARCHED)?;
            let Some(room) = search.met[at].room.checked_sub(1) else { continue };
            let mut steps = plan.next(self, &search.met[at].state)?;
            if search.has_plenty {
                steps.reverse();
            }
            for (goal, next) in steps {
                let (completed, enough) = self.step(plan, &mut search, (goal, next), room, at)?;
                verdict = verdict.or(completed);
                if verdict == Possible::Yes {
                    for (met, enough) in search.way_to(at).zip(enough + 1..) {
                        plan.note_rooms(self.tables, met.state.clone(), Rooms::enough(enough));
                    }
                    return Ok(verdict);
                }
            }
            if search.seen.len() > self.budget.items {
                return Err(Error::exceeded("items", self.budget.items, P::SEARCHED));
            }
        }
        if verdict == Possible::No {
            let rooms = Rooms { too_little: Some(room), ..Rooms::UNKNOWN };
            plan.note_rooms(self.tables, state.clone(), rooms);
        }
        Ok(verdict)
    }

    /// Whether what has come to a state can be completed by one more item or member and what may come after that, as far as
    /// it takes no search, and with how much room after it; else the state after it is left waiting.
    fn step<P: Plan>(
        &mut self,
        plan: &P,
        search: &mut Search<P::State>,
        (goal, next): (GoalId, P::State),
        room: u64,
        before: usize,
    ) -> Result<(Possible, u64)> {
        const NOT_YET: (Possible, u64) = (Possible::No, u64::MAX);
        /// What a state takes twice, among those met and those seen, with its places there.
        const TWICE: usize = 4;
        if search.seen.contains(&next) {
            return Ok(NOT_YET);
        }
        let possible = self.possible(goal)?;
        if possible == Possible::No {
            return Ok(NOT_YET);
        }
        // Only now: another goal, which some value satisfies, may lead to the same state.
        if possible == Possible::Yes {
            search.held += TWICE + 2 * plan.held(&next);
            search.seen.insert(next.clone());
        }
        Ok(match self.completion_without_search(plan, &next, room)? {
            Some((completed, enough)) => (possible.and(completed), enough),
            None if possible == Possible::Yes => {
                search.wait(next, room, before);
                NOT_YET
            }
            None => (Possible::Unknown, u64::MAX),
        })
    }

    /// The answer for a state that takes no search, and if it is that it can be completed, with how much room.
    fn completion_without_search<P: Plan>(
        &mut self,
        plan: &P,
        state: &P::State,
        room: u64,
    ) -> Result<Option<(Possible, u64)>> {
        if plan.may_end(state) {
            return Ok(Some((Possible::Yes, 0)));
        }
        let Rooms { enough, too_little } = plan.rooms(self.tables, state);
        if enough <= room {
            return Ok(Some((Possible::Yes, enough)));
        }
        if too_little.is_some_and(|too_little| room <= too_little) {
            return Ok(Some((Possible::No, u64::MAX)));
        }
        Ok(plan.evident_completion(self, state, room)?.map(|possible| (possible, room)))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::cell::RefCell;

    use super::super::condition::ScopeId;
    use super::super::solver::tests::with_solver;
    use super::*;

    /// A plan of which nothing is known but what a search finds that goes on as `next` says.
    pub(in super::super) struct Searched<'a, P: Plan> {
        pub(in super::super) plan: &'a P,
        pub(in super::super) next: Next<P>,
    }

    type Next<P> = fn(&mut Solver<'_>, &P, &<P as Plan>::State) -> Result<Vec<(GoalId, <P as Plan>::State)>>;

    impl<P: Plan> Plan for Searched<'_, P> {
        type State = P::State;
        const SEARCHED: &'static str = P::SEARCHED;

        fn held(&self, state: &P::State) -> usize {
            self.plan.held(state)
        }

        fn may_end(&self, state: &P::State) -> bool {
            self.plan.may_end(state)
        }

        fn rooms(&self, _: &Tables, _: &P::State) -> Rooms {
            Rooms::UNKNOWN
        }

        fn note_rooms(&self, _: &mut Tables, _: P::State, _: Rooms) {}

        fn evident_completion(&self, _: &mut Solver<'_>, _: &P::State, _: u64) -> Result<Option<Possible>> {
            Ok(None)
        }

        fn next(&self, solver: &mut Solver<'_>, state: &P::State) -> Result<Vec<(GoalId, P::State)>> {
            (self.next)(solver, self.plan, state)
        }
    }

    /// A plan that is written out: states are numbers, and each has its steps.
    struct Written {
        ends: Vec<u32>,
        evident: Vec<(u32, Possible)>,
        steps: Vec<(u32, GoalId, u32)>,
        is_endless: bool,
        /// What each state holds.
        held: usize,
        /// What is kept of what was found; nothing where it is `None`.
        kept: Option<RefCell<Completions<u32>>>,
    }

    const NUMBER: PlanNumber = PlanNumber(0);

    impl Plan for Written {
        type State = u32;
        const SEARCHED: &'static str = "by a plan of a test";

        fn held(&self, _: &u32) -> usize {
            self.held
        }

        fn may_end(&self, state: &u32) -> bool {
            self.ends.contains(state)
        }

        fn rooms(&self, _: &Tables, state: &u32) -> Rooms {
            self.kept.as_ref().map_or(Rooms::UNKNOWN, |kept| kept.borrow().rooms(NUMBER, state))
        }

        fn note_rooms(&self, _: &mut Tables, state: u32, rooms: Rooms) {
            if let Some(kept) = &self.kept {
                kept.borrow_mut().note(NUMBER, state, rooms, 0);
            }
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

    const PLAN: Written =
        Written { ends: vec![], evident: vec![], steps: vec![], is_endless: false, held: 0, kept: None };

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
        let error = search(|_| Written { is_endless: true, held: 1000, ..PLAN }, u64::MAX).unwrap_err();
        assert!(matches!(error, Error::BudgetExceeded { budget: "expressions", .. }), "{error}");
    }

    /// Plans of few states at random: what is kept of earlier questions changes no answer to a later one.
    #[test]
    fn what_is_kept_agrees_with_a_new_search() {
        let mut number = 1u32;
        let mut random = move |below: u32| {
            number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (number >> 8) % below
        };
        with_solver(r##"{"type": "array", "contains": {"$ref": "#"}}"##, |solver| {
            let unknown = solver.goal_of(solver.schemas.root, ScopeId::NONE);
            solver.tables.in_progress.insert(unknown);
            let mut answers = [0; 3];
            for _ in 0..400 {
                let goals = [GoalId::ANYTHING, GoalId::ANYTHING, GoalId::ANYTHING, GoalId::NOTHING, unknown];
                let steps =
                    (0..random(20)).map(|_| (random(8), goals[random(5) as usize], random(8))).collect();
                let evident = [Possible::No, Possible::Unknown, Possible::Yes][random(3) as usize];
                let new =
                    Written { ends: vec![random(8)], evident: vec![(random(12), evident)], steps, ..PLAN };
                let mut kept = Completions::default();
                kept.new_plan();
                let Written { ends, evident, steps, .. } = &new;
                let (ends, evident, steps) = (ends.clone(), evident.clone(), steps.clone());
                let keeping = Written { ends, evident, steps, kept: Some(RefCell::new(kept)), ..PLAN };
                for _ in 0..30 {
                    let (state, room) =
                        (random(8), [0, 1, 2, 3, 5, u64::MAX - 1, u64::MAX][random(7) as usize]);
                    let found = solver.can_be_completed(&keeping, &state, room).unwrap();
                    let searched = solver.can_be_completed(&new, &state, room).unwrap();
                    // Behind a goal that is being worked out, no search goes on, but what is kept tells more.
                    let tells_more = (searched, found) == (Possible::Unknown, Possible::No);
                    assert!(found == searched || tells_more, "{found:?} {searched:?}");
                    answers[found as usize] += 1;
                }
            }
            assert!(answers.iter().all(|&count| count > 500), "{answers:?}");
        });
    }

    /// Each state of a long way is looked at once, whichever of them are asked about.
    #[test]
    fn the_rest_of_a_way_is_not_gone_again() {
        const LENGTH: u32 = 1000;
        with_solver("true", |solver| {
            for room in [u64::from(LENGTH), u64::MAX] {
                let mut kept = Completions::default();
                kept.new_plan();
                let steps = (0..LENGTH).map(|at| (at, GoalId::ANYTHING, at + 1)).collect();
                let plan = Written { ends: vec![LENGTH], steps, kept: Some(RefCell::new(kept)), ..PLAN };
                assert_eq!(solver.can_be_completed(&plan, &0, room).unwrap(), Possible::Yes);
                // Without steps, what is not known has no answer but that it cannot.
                let plan = Written { steps: vec![], ..plan };
                for at in 0..LENGTH {
                    let left = u64::from(LENGTH - at);
                    assert_eq!(solver.can_be_completed(&plan, &at, left.max(room)).unwrap(), Possible::Yes);
                }
            }
        });
    }
}
