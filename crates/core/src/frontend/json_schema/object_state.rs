//! Following an object through its plan.
//!
//! An [`ObjectState`] is what matters of the members read so far: which names have come, how many members,
//! which demands for some member or other are still open, and which forbidden objects it equals so far.
//! From it follow the members that may come next and whether the object can still be completed; only what
//! can is ever offered.

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::candidates::{Candidates, Compared, Part};
use super::completion::{Plan, Rooms};
use super::condition::{Condition, GoalId, Kind, NameId};
use super::dependencies::CompletionByNumber;
use super::object::{Named, ObjectPlan};
use super::options::PropertyOrder;
use super::satisfy::Possible;
use super::solver::Solver;
use super::tables::Tables;
use super::ways_left::WaysLeft;
use crate::error::{Error, Result};
use crate::expression::size_of_bytes;

#[cfg(test)]
mod tests;

/// What matters of the members read so far.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ObjectState {
    /// The names that have come, as bits by their place in the plan.
    pub(super) seen: SmallVec<[u64; 2]>,
    /// The first of the names that may still come, of those that come in their order.
    pub(super) position: u32,
    /// The number of members, as far as it matters.
    pub(super) count: u32,
    /// The number of other keys used, of each class that can run out.
    pub(super) used: SmallVec<[u32; 2]>,
    /// The witnesses that have not come.
    pub(super) pending: u8,
    /// Those of the objects that it must not equal that it equals so far.
    pub(super) candidates: Candidates,
    /// The ways that are left to make each choice that the plan leaves open.
    pub(super) ways_left: Box<[WaysLeft]>,
}

impl ObjectState {
    pub(super) fn has_seen(&self, at: usize) -> bool {
        self.seen[at / 64] >> (at % 64) & 1 == 1
    }

    /// The place in the plan of the first name that may still come.
    pub(super) fn first_open(&self) -> usize {
        self.position as usize
    }

    /// What it holds beside itself, in the size of expressions.
    pub(super) fn held(&self) -> usize {
        size_of_bytes(size_of_val(&*self.seen) + size_of_val(&*self.used) + size_of_val(&*self.ways_left))
    }
}

impl ObjectPlan {
    /// How many of the first names come in their order.
    pub(super) fn ordered(&self, order: PropertyOrder) -> usize {
        match order {
            PropertyOrder::Declared => self.declared as usize,
            PropertyOrder::Any => 0,
        }
    }

    /// The state before the first member, of an object that must not equal some candidates.
    pub(super) fn start(&self, candidates: Candidates) -> ObjectState {
        ObjectState {
            seen: SmallVec::from_elem(0, self.names.len().div_ceil(64)),
            position: 0,
            count: 0,
            used: self.others.iter().map(|_| 0).collect(),
            pending: ((1u16 << self.witnesses.len()) - 1) as u8,
            candidates,
            ways_left: self.choices.start(),
        }
    }

    /// The places of the required names that have not come.
    pub(super) fn required_left<'a>(&'a self, state: &'a ObjectState) -> impl Iterator<Item = usize> + 'a {
        self.required.iter().map(|&at| at as usize).filter(|&at| !state.has_seen(at))
    }

    /// The number of members that have come and of those by name that must; `None` where one of these can come no more.
    pub(super) fn count_with_required(&self, state: &ObjectState) -> Option<u64> {
        let position = state.first_open();
        self.required_left(state)
            .try_fold(u64::from(state.count), |count, at| (at >= position).then_some(count + 1))
    }

    /// Whether the object can be completed after one more name: a required one, and another that needs none. `None` where
    /// that depends on more than the number of members.
    pub(super) fn completes_by_number(&self, state: &ObjectState) -> Option<CompletionByNumber> {
        let position = state.first_open();
        let depends = !self.witnesses.is_empty() || !state.candidates.are_none() || !self.choices.is_empty();
        let needed = self.needed(state);
        let first = self.required_left(state).next().into_iter().chain(needed.first().copied()).min();
        if depends || first.is_some_and(|at| at < position) {
            return None;
        }
        let least = u64::from(state.count) + (self.required_left(state).count() + needed.len()) as u64;
        Some(CompletionByNumber {
            after_required: least <= self.maximum,
            after_other: least < self.maximum,
            needed,
            room: self.maximum.saturating_sub(least + 1),
            missing: self.minimum.saturating_sub(least),
            filling: None,
            unmet: None,
        })
    }

    /// How many members may come at most, by their number.
    pub(super) fn room(&self, state: &ObjectState) -> u64 {
        self.maximum.saturating_sub(state.count.into())
    }

    /// The places of the names that may come next.
    pub(super) fn open_names(&self, state: &ObjectState, order: PropertyOrder) -> Vec<usize> {
        self.names_open_in(state, self.ordered(order))
    }

    /// The same, in the order of their contents where that is found sooner than by sorting them: where they are many.
    pub(super) fn open_names_by_content(&self, state: &ObjectState, order: PropertyOrder) -> Vec<usize> {
        /// Of this many places one at least is to be open.
        const WORTH_LOOKING_AT: usize = 8;
        let mut open = self.open_names(state, order);
        if open.len() * WORTH_LOOKING_AT < self.names.len() {
            return open;
        }
        let mut is_open = vec![false; self.names.len()];
        open.iter().for_each(|&at| is_open[at] = true);
        open.clear();
        open.extend(self.by_content.iter().map(|&at| at as usize).filter(|&at| is_open[at]));
        open
    }

    /// Whether the name at a place may come next.
    pub(super) fn is_open(&self, state: &ObjectState, order: PropertyOrder, at: usize) -> bool {
        self.room(state) > 0
            && !state.has_seen(at)
            && at >= state.first_open()
            && self.ordered_left(state, self.ordered(order)).is_none_or(|last| at <= last)
    }

    /// The places of the names that may come next, where so many of the first names come in their order.
    fn names_open_in(&self, state: &ObjectState, ordered: usize) -> Vec<usize> {
        if self.room(state) == 0 {
            return Vec::new();
        }
        let last = self.ordered_left(state, ordered);
        let is_open = |&at: &usize| last.is_none_or(|last| at <= last) && !state.has_seen(at);
        (state.first_open()..self.names.len()).filter(is_open).collect()
    }

    /// The places of the names that a search tries next: all come in their order there, and those are left out that are like
    /// one before them. What can be completed after such a name can be after that one, too.
    fn distinct_open_names(&self, solver: &mut Solver<'_>, state: &ObjectState) -> Vec<usize> {
        let mut open = self.names_open_in(state, self.names.len());
        if !state.candidates.are_none() || !self.choices.is_empty() {
            return open;
        }
        let mut met: FxHashSet<(GoalId, u8)> = FxHashSet::default();
        open.retain(|&at| {
            let Named { goal, required, witnesses, .. } = self.names[at];
            let is_needed = required || !self.dependencies.needing(at).is_empty();
            is_needed || self.dependencies.has(at) || met.insert((solver.representative(goal), witnesses))
        });
        open
    }

    /// Whether a key that is not mentioned may come next, where so many of the first names come in their order.
    fn takes_others(&self, state: &ObjectState, ordered: usize) -> bool {
        self.room(state) > 0 && self.ordered_left(state, ordered).is_none()
    }

    /// The first of the names that come in their order, have not come and must.
    fn ordered_left(&self, state: &ObjectState, ordered: usize) -> Option<usize> {
        if ordered == 0 {
            return None;
        }
        let needed = self.needed(state).first().copied();
        let first = self.required_left(state).next().into_iter().chain(needed).min();
        first.filter(|&at| at < ordered)
    }

    /// Makes states one in which other names have come of those that may not come any more: that does not matter, unless names
    /// need others, or choices depend on them.
    fn close_passed(&self, state: &mut ObjectState) {
        if self.dependencies.is_empty() && self.choices.is_empty() {
            let (words, bits) = (state.first_open() / 64, state.position % 64);
            state.seen[..words].fill(u64::MAX);
            if bits > 0 {
                state.seen[words] |= (1 << bits) - 1;
            }
        }
    }

    fn counted(&self, state: &ObjectState) -> u32 {
        let most = if self.maximum == u64::MAX { self.minimum } else { self.maximum };
        (u64::from(state.count) + 1).min(most.min(u64::from(u32::MAX))) as u32
    }
}

/// The required members are taken to be possible.
impl Plan for ObjectPlan {
    type State = ObjectState;

    const SEARCHED: &'static str = "by the ways to fill an object";

    fn held(&self, state: &ObjectState) -> usize {
        state.held()
    }

    fn may_end(&self, state: &ObjectState) -> bool {
        state.pending == 0
            && u64::from(state.count) >= self.minimum
            && self.required_left(state).next().is_none()
            && self.needed(state).is_empty()
            && !state.candidates.is_one
            && self.choices_may_end(state)
    }

    fn rooms(&self, tables: &Tables, state: &ObjectState) -> Rooms {
        tables.object_completions.rooms(self.number, state)
    }

    fn note_rooms(&self, tables: &mut Tables, state: ObjectState, rooms: Rooms) {
        let held = state.held();
        tables.object_completions.note(self.number, state, rooms, held);
    }

    fn evident_completion(
        &self,
        solver: &mut Solver<'_>,
        state: &ObjectState,
        room: u64,
    ) -> Result<Option<Possible>> {
        if !state.candidates.are_none() {
            return Ok(solver.can_plainly_differ(self, state, room)?.then_some(Possible::Yes));
        }
        if state.pending != 0 {
            return solver.can_meet(self, state);
        }
        solver.can_fill(self, state)
    }

    /// Only which members come matters, and not their order: so all names come in theirs, and other keys after them.
    fn next(&self, solver: &mut Solver<'_>, state: &ObjectState) -> Result<Vec<(GoalId, ObjectState)>> {
        let ordered = self.names.len();
        let mut all = Vec::new();
        for class in solver.classes_open_in(self, state, ordered) {
            all.extend(solver.after_key(self, &state.with(Candidates::NONE), class, ordered));
        }
        let size = state.held() + 1;
        for at in self.distinct_open_names(solver, state) {
            solver.deadline.check()?;
            if all.len().saturating_mul(size) > solver.budget.expressions {
                return Err(Error::exceeded("expressions", solver.budget.expressions, Self::SEARCHED));
            }
            let part = Part::Member(self.names[at].name);
            let steps = solver.after_name_in(self, state, at, ordered);
            all.extend(solver.split_by_candidates(part, steps));
        }
        for (name, class) in solver.keys_compared_in(self, state, ordered) {
            let steps = solver.after_key(self, state, class, ordered);
            all.extend(solver.split_by_candidates(Part::Member(name), steps));
        }
        all.iter_mut().for_each(|(_, after)| self.close_passed(after));
        Ok(all)
    }
}

impl Compared for ObjectState {
    fn candidates(&self) -> Candidates {
        self.candidates
    }

    fn with(&self, candidates: Candidates) -> Self {
        Self { candidates, ..self.clone() }
    }
}

impl Solver<'_> {
    /// Whether some object meets all leaves.
    pub(super) fn object_possible(&mut self, leaves: &[Condition]) -> Result<Possible> {
        let plan = self.object_plan(leaves)?;
        let mut possible = Possible::of(plan.minimum <= plan.maximum);
        for &at in &plan.required {
            if possible == Possible::No {
                return Ok(possible);
            }
            possible = possible.and(self.possible(plan.names[at as usize].goal)?);
        }
        if possible == Possible::No {
            return Ok(possible);
        }
        let start = plan.start(self.excluded(leaves, Kind::Object));
        Ok(possible.and(self.can_be_completed(&*plan, &start, plan.maximum)?))
    }

    /// Whether the members that must come, and as many others as are missing, can come, where nothing else matters.
    /// `None` where only a search tells.
    fn can_fill(&mut self, plan: &ObjectPlan, state: &ObjectState) -> Result<Option<Possible>> {
        let Some(count) = plan.count_with_required(state) else { return Ok(Some(Possible::No)) };
        let needed = plan.needed(state);
        let count = count + needed.len() as u64;
        if count > plan.maximum || needed.first().is_some_and(|&at| at < state.first_open()) {
            return Ok(Some(Possible::No));
        }
        let mut possible = Possible::Yes;
        for &at in &needed {
            possible = possible.and(self.possible(plan.names[at].goal)?);
        }
        if possible != Possible::No {
            possible = possible.and(self.can_choose(plan, state)?);
        }
        if possible == Possible::No || count >= plan.minimum {
            return Ok(Some(possible));
        }
        let (missing, others) = self.fill_with_independent(plan, state, plan.minimum - count, &needed)?;
        let others = match missing {
            0 => Possible::Yes,
            _ if plan.dependencies.is_empty() => others,
            _ => match self.fill_with_dependent(plan, state, missing, plan.maximum - count)? {
                Some(dependent) => dependent.or(others),
                None => return Ok(None),
            },
        };
        Ok(Some(possible.and(others)))
    }

    /// The classes of keys that may come next.
    pub(super) fn open_classes(&self, plan: &ObjectPlan, state: &ObjectState) -> SmallVec<[usize; 2]> {
        self.classes_open_in(plan, state, plan.ordered(self.options.order))
    }

    fn classes_open_in(
        &self,
        plan: &ObjectPlan,
        state: &ObjectState,
        ordered: usize,
    ) -> SmallVec<[usize; 2]> {
        if !plan.takes_others(state, ordered) {
            return SmallVec::new();
        }
        let left =
            |class: usize| plan.others[class].is_endless || state.used[class] < plan.others[class].count;
        (0..plan.others.len()).filter(|&class| left(class)).collect()
    }

    /// The names that the plan does not know and that candidates have, each with the class of keys that it is of, of those
    /// that may come next.
    pub(super) fn compared_keys(&mut self, plan: &ObjectPlan, state: &ObjectState) -> Vec<(NameId, usize)> {
        self.keys_compared_in(plan, state, plan.ordered(self.options.order))
    }

    fn keys_compared_in(
        &mut self,
        plan: &ObjectPlan,
        state: &ObjectState,
        ordered: usize,
    ) -> Vec<(NameId, usize)> {
        if state.candidates.are_none() {
            return Vec::new();
        }
        let open = self.classes_open_in(plan, state, ordered);
        let mut keys = Vec::new();
        for name in self.names_of(state.candidates) {
            if plan.known.binary_search(&name).is_ok() {
                continue;
            }
            let content = self.tables.terms.content(name);
            let of = |&class: &usize| self.expressions.matches(plan.others[class].content, content);
            keys.extend(open.iter().copied().find(of).map(|class| (name, class)));
        }
        keys
    }

    /// The goals that the member of a name may satisfy, and the state after each, with the candidates before it.
    pub(super) fn after_name(
        &mut self,
        plan: &ObjectPlan,
        state: &ObjectState,
        at: usize,
    ) -> Vec<(GoalId, ObjectState)> {
        self.after_name_in(plan, state, at, plan.ordered(self.options.order))
    }

    fn after_name_in(
        &mut self,
        plan: &ObjectPlan,
        state: &ObjectState,
        at: usize,
        ordered: usize,
    ) -> Vec<(GoalId, ObjectState)> {
        let named = &plan.names[at];
        let mut after = state.clone();
        after.count = plan.counted(state);
        after.seen[at / 64] |= 1 << (at % 64);
        after.position = (at + 1).min(ordered) as u32;
        if !plan.choices.is_empty() {
            return self.after_choosing(plan, state, at, &after);
        }
        self.as_witness(plan, named.goal, named.witnesses, after)
    }

    /// The goals that the member of a key that neither the plan nor a candidate has may satisfy, and the state after each.
    pub(super) fn after_other(
        &mut self,
        plan: &ObjectPlan,
        state: &ObjectState,
        class: usize,
    ) -> Vec<(GoalId, ObjectState)> {
        match state.candidates.are_none() {
            true => self.after_compared(plan, state, class),
            false => self.after_compared(plan, &state.with(Candidates::NONE), class),
        }
    }

    /// The same of a key that candidates have and the plan has not, with the candidates before it.
    pub(super) fn after_compared(
        &mut self,
        plan: &ObjectPlan,
        state: &ObjectState,
        class: usize,
    ) -> Vec<(GoalId, ObjectState)> {
        self.after_key(plan, state, class, plan.ordered(self.options.order))
    }

    fn after_key(
        &mut self,
        plan: &ObjectPlan,
        state: &ObjectState,
        class: usize,
        ordered: usize,
    ) -> Vec<(GoalId, ObjectState)> {
        let keys = &plan.others[class];
        let mut after = state.clone();
        after.count = plan.counted(state);
        if !keys.is_endless {
            after.used[class] += 1;
        }
        after.position = ordered as u32;
        if !plan.choose_beside(state, &mut after) {
            return Vec::new();
        }
        self.as_witness(plan, keys.goal, keys.witnesses, after)
    }

    /// All choices of the open demands that a member meets.
    fn as_witness(
        &mut self,
        plan: &ObjectPlan,
        goal: GoalId,
        witnesses: u8,
        after: ObjectState,
    ) -> Vec<(GoalId, ObjectState)> {
        let open = witnesses & after.pending;
        if open == 0 {
            return vec![(goal, after)];
        }
        // The submasks of `open`, the fullest first.
        let mut met = open;
        let mut result = Vec::new();
        loop {
            let goals: Vec<GoalId> = (0..plan.witnesses.len())
                .filter(|bit| met >> bit & 1 == 1)
                .map(|bit| plan.witnesses[bit])
                .chain([goal])
                .collect();
            let mut state = after.clone();
            state.pending &= !met;
            result.push((self.tables.terms.all_of(&goals), state));
            if met == 0 {
                return result;
            }
            met = (met - 1) & open;
        }
    }
}
