//! Arrays: `prefixItems`, `items`, `contains`, `minItems`, `maxItems`, `uniqueItems`, and constants.
//!
//! A case of leaves becomes an [`ArrayPlan`], and what has been read of an array an [`ArrayState`]. The
//! plan says which goals the next item may satisfy and what state each leads to, when the array may end,
//! and how many items at least are missing until it may. It knows nothing of text; `items` writes the text. Whether
//! items that must all differ can is told by `distinct`, and what an item counts as by `counted`.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::candidates::{Candidates, Compared, without_exclusions};
use super::completion::{Plan, PlanNumber, Rooms};
use super::condition::{Condition, GoalId, Kind, ScopeId};
use super::counted::{Counted, MOST_COUNTED};
use super::item_classes::ItemClass;
use super::satisfy::Possible;
use super::schema::ArrayKeywords;
use super::solver::{FIXED, Solver};
use super::tables::{CaseId, Tables};
use crate::error::{Error, Result};
use crate::expression::size_of_bytes;

/// What an array must be like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ArrayPlan {
    pub(super) number: PlanNumber,
    /// The goals of the first items.
    pub(super) prefix: Vec<GoalId>,
    /// The goal of all others.
    pub(super) rest: GoalId,
    pub(super) counts: Vec<Counted>,
    /// Classes of items by what they count as; empty where values and bounds tell no items apart.
    pub(super) classes: Vec<ItemClass>,
    pub(super) minimum: u64,
    /// `u64::MAX` for no limit.
    pub(super) maximum: u64,
    /// Whether no two items may be equal.
    pub(super) unique: bool,
    /// Whether some two items must be equal.
    pub(super) repeats: bool,
    /// The index from which on indices need not be told apart.
    pub(super) horizon: u32,
}

/// What matters of the items read so far.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ArrayState {
    /// The number of items, up to the plan's horizon.
    pub(super) index: u32,
    pub(super) counts: SmallVec<[u32; 2]>,
    /// Of the arrays that it must not equal, those that it equals so far.
    pub(super) candidates: Candidates,
    /// Whether two items are equal, where some must be.
    pub(super) repeated: bool,
}

impl ArrayState {
    /// What it holds beside itself, in the size of expressions.
    pub(super) fn held(&self) -> usize {
        size_of_bytes(size_of_val(&*self.counts))
    }
}

impl ArrayPlan {
    /// The state before the first item, of an array that must not equal some candidates.
    pub(super) fn start(&self, candidates: Candidates) -> ArrayState {
        ArrayState {
            index: 0,
            counts: self.counts.iter().map(|_| 0).collect(),
            candidates,
            repeated: !self.repeats,
        }
    }

    /// Whether what it demands cannot be together, whatever the items.
    pub(super) fn is_contradictory(&self) -> bool {
        self.maximum < self.minimum || self.repeats && (self.unique || self.maximum < 2)
    }

    /// Whether nothing but the number of items matters from an index on, where there are no candidates.
    pub(super) fn is_plain(&self) -> bool {
        self.counts.is_empty() && !self.unique && !self.repeats
    }

    /// Whether of an item that is one of very many only that it does not come again can matter for what is after it:
    /// for further items, if they have the same goal, and for arrays of this plan that are compared with this one.
    pub(super) fn only_repetition_matters(&self, before: &ArrayState) -> bool {
        !self.repeats && (self.has_like_items_after(before) || !self.unique)
    }

    /// Whether the next item and all behind it have one goal, and none of them counts for anything.
    pub(super) fn has_like_items_after(&self, before: &ArrayState) -> bool {
        self.counts.is_empty() && before.index as usize >= self.prefix.len()
    }

    pub(super) fn goal_at(&self, index: u32) -> GoalId {
        self.prefix.get(index as usize).copied().unwrap_or(self.rest)
    }
}

impl Plan for ArrayPlan {
    type State = ArrayState;

    const SEARCHED: &'static str = "by the ways to fill an array";

    fn held(&self, state: &ArrayState) -> usize {
        state.held()
    }

    fn may_end(&self, state: &ArrayState) -> bool {
        state.repeated
            && u64::from(state.index) >= self.minimum.min(u64::from(self.horizon))
            && self.counts.iter().zip(&state.counts).all(|(counted, &count)| count >= counted.minimum)
            && !state.candidates.is_one
    }

    fn rooms(&self, tables: &Tables, state: &ArrayState) -> Rooms {
        tables.array_completions.rooms(self.number, state)
    }

    fn note_rooms(&self, tables: &mut Tables, state: ArrayState, rooms: Rooms) {
        let held = state.held();
        tables.array_completions.note(self.number, state, rooms, held);
    }

    fn evident_completion(
        &self,
        solver: &mut Solver<'_>,
        state: &ArrayState,
        room: u64,
    ) -> Result<Option<Possible>> {
        if !state.repeated {
            let missing = if state.index == 0 { 2 } else { 1 };
            return Ok(Some(Possible::of(missing <= room).and(solver.possible(self.rest)?)));
        }
        if !state.candidates.are_none() {
            return Ok(solver.can_plainly_differ(self, state, room)?.then_some(Possible::Yes));
        }
        if !self.counts.is_empty() {
            return solver.evident_counts(self, state, room);
        }
        let mut possible = Possible::Yes;
        let last = self.minimum.min(self.prefix.len() as u64 + 1) as u32;
        for index in state.index..last {
            possible = possible.and(solver.possible(self.goal_at(index))?);
        }
        if self.minimum > u64::from(last) {
            possible = possible.and(solver.possible(self.rest)?);
        }
        Ok(Some(possible))
    }

    fn next(&self, solver: &mut Solver<'_>, state: &ArrayState) -> Result<Vec<(GoalId, ArrayState)>> {
        solver.next_items(self, state)
    }
}

impl Compared for ArrayState {
    fn candidates(&self) -> Candidates {
        self.candidates
    }

    fn with(&self, candidates: Candidates) -> Self {
        Self { candidates, ..self.clone() }
    }
}

/// What items have to satisfy at each index.
struct ItemGoals {
    /// By their index, of one item each.
    at: FxHashMap<u32, SmallVec<[GoalId; 2]>>,
    /// Of all items from an index on.
    from: SmallVec<[(u32, GoalId); 4]>,
}

impl ItemGoals {
    fn of(leaves: &[Condition]) -> Self {
        let (mut at, mut from) = (FxHashMap::<_, SmallVec<[GoalId; 2]>>::default(), SmallVec::new());
        for leaf in leaves {
            match *leaf {
                Condition::ItemAt { index, goal } => at.entry(index).or_default().push(goal),
                Condition::ItemsFrom { index, goal } => from.push((index, goal)),
                _ => {}
            }
        }
        Self { at, from }
    }

    fn at(&self, index: u32) -> SmallVec<[GoalId; 4]> {
        let own = self.at.get(&index).into_iter().flatten().copied();
        let others = self.from.iter().filter(|(first, _)| *first <= index).map(|(_, goal)| *goal);
        own.chain(others).collect()
    }
}

impl Solver<'_> {
    /// Adds the conditions of the keywords about arrays.
    pub(super) fn array_conditions(
        &mut self,
        keywords: &ArrayKeywords,
        scope: ScopeId,
        out: &mut Vec<Condition>,
    ) {
        for (index, &schema) in keywords.prefix_items.iter().enumerate() {
            let goal = self.goal_of(schema, scope);
            if goal != GoalId::ANYTHING {
                out.push(Condition::ItemAt { index: index as u32, goal });
            }
        }
        if let Some(schema) = keywords.items {
            let goal = self.goal_of(schema, scope);
            if goal != GoalId::ANYTHING {
                out.push(Condition::ItemsFrom { index: keywords.prefix_items.len() as u32, goal });
            }
        }
        if let Some(schema) = keywords.contains {
            let goal = self.goal_of(schema, scope);
            let minimum = keywords.minimum_contains.unwrap_or(1);
            let maximum = keywords.maximum_contains;
            if minimum > 0 || maximum.is_some() {
                out.push(Condition::Count { index: 0, goal, minimum, maximum });
            }
        }
        out.extend(keywords.minimum_items.filter(|&least| least > 0).map(Condition::MinimumItems));
        out.extend(keywords.maximum_items.map(Condition::MaximumItems));
        if keywords.unique_items {
            out.push(Condition::UniqueItems { holds: true });
        }
    }

    /// The plan of a case, made once. It knows nothing of constants that are excluded.
    pub(super) fn array_plan(&mut self, leaves: &[Condition]) -> Result<Arc<ArrayPlan>> {
        let id = self.array_plan_id(leaves)?;
        Ok(Arc::clone(self.tables.arrays.at(id)))
    }

    /// The same, by its number.
    #[inline(never)] // the search leads back here
    pub(super) fn array_plan_id(&mut self, leaves: &[Condition]) -> Result<CaseId> {
        let all = leaves;
        let leaves = &*without_exclusions(all);
        let id = match self.tables.arrays.id(leaves) {
            Some(known) => known,
            None => {
                let plan = self.make_array_plan(leaves);
                let plan = self.placed_case(plan, leaves)?;
                let size = plan.prefix.len();
                self.tables.arrays.insert(leaves, Arc::new(plan), size)
            }
        };
        let plan = self.tables.arrays.at(id);
        let are_alike = plan.prefix.is_empty() && plan.counts.is_empty();
        if plan.repeats
            && !plan.is_contradictory()
            && !(are_alike && self.excluded(all, Kind::Array).are_none())
        {
            return self.placed_case(Err(self.cannot_repeat()), all);
        }
        Ok(id)
    }

    /// The refusal of an array of which two items have to be equal.
    pub(super) fn cannot_repeat(&self) -> Error {
        let reason = "that two items are equal is enforced only where all items are alike, none are counted, and the array \
                      is not itself one that others must differ from; leave out the `not`, `oneOf`, `if` or \
                      `maxContains` that asks for it";
        self.refuse("uniqueItems", reason)
    }

    fn make_array_plan(&mut self, leaves: &[Condition]) -> Result<ArrayPlan> {
        let (mut minimum, mut maximum) = (0, u64::MAX);
        let (mut unique, mut repeats) = (false, false);
        let mut counts = Vec::new();
        let mut length = 0;
        for &leaf in leaves {
            match leaf {
                Condition::MinimumItems(least) => minimum = least.max(minimum),
                Condition::MaximumItems(most) => maximum = most.min(maximum),
                Condition::ItemAt { index, .. } => length = length.max(index + 1),
                Condition::ItemsFrom { index, .. } => length = length.max(index),
                Condition::Count { index, goal, minimum, maximum } => {
                    length = length.max(index);
                    counts.push(self.counted(index, goal, minimum, maximum)?);
                }
                Condition::UniqueItems { holds: true } => unique = true,
                Condition::UniqueItems { holds: false } => repeats = true,
                _ => {}
            }
        }
        let goals_at = ItemGoals::of(leaves);
        let length = u64::from(length).min(maximum) as u32;
        let mut prefix = Vec::with_capacity(length as usize);
        for at in 0..length {
            self.check_demands()?;
            prefix.push(self.tables.terms.all_of(&goals_at.at(at)));
        }
        let mut rest = self.tables.terms.all_of(&goals_at.at(u32::MAX));
        if !unique {
            self.tell_uncounted(&mut counts);
        }
        unique &= maximum > 1 && !self.may_approximate("uniqueItems");
        if minimum > MOST_COUNTED && (unique || !counts.is_empty()) {
            let what = "by the items that must come where they are counted or must differ";
            return Err(Error::exceeded(FIXED, MOST_COUNTED as usize, what));
        }
        if unique && counts.is_empty() {
            let places = usize::try_from(minimum).unwrap_or(usize::MAX);
            self.keep_apart(prefix.iter_mut().chain([&mut rest]).take(places));
        }
        let counted = if repeats { minimum.max(2) } else { minimum };
        let horizon = counted.max(u64::from(length)).min(u64::from(u32::MAX - 1)) as u32;
        let classes = self.item_classes(&counts)?;
        let number = self.tables.array_completions.new_plan();
        Ok(ArrayPlan { number, prefix, rest, counts, classes, minimum, maximum, unique, repeats, horizon })
    }

    /// The goals that the next item may satisfy, and the state after each.
    pub(super) fn next_items(
        &mut self,
        plan: &ArrayPlan,
        state: &ArrayState,
    ) -> Result<Vec<(GoalId, ArrayState)>> {
        let steps = self.next_items_uncompared(plan, state)?;
        let part = self.next_item(state.candidates);
        Ok(self.split_by_candidates(part, steps))
    }

    /// The same, with the candidates that there are before the item.
    pub(super) fn next_items_uncompared(
        &mut self,
        plan: &ArrayPlan,
        state: &ArrayState,
    ) -> Result<Vec<(GoalId, ArrayState)>> {
        let mut goals = vec![plan.goal_at(state.index)];
        // What equals a constant so far has had the items of that constant.
        let taken = self.items_in_common(state.candidates);
        if plan.unique && !taken.is_empty() {
            let unlike = self.tables.terms.one_of(taken, false);
            goals.push(self.tables.terms.goal_of(unlike));
        }
        let mut result = Vec::new();
        for (goals, mut after) in self.split_by_counts(plan, (goals, state.clone()))? {
            after.index = (state.index + 1).min(plan.horizon);
            result.push((self.tables.terms.all_of(&goals), after));
        }
        Ok(result)
    }

    /// A goal with one more condition.
    pub(super) fn with_condition(&mut self, goal: GoalId, condition: Condition) -> GoalId {
        let mut conditions = self.tables.terms.conditions(goal).to_vec();
        conditions.push(condition);
        self.tables.terms.goal(conditions)
    }

    /// Whether some array meets all leaves.
    pub(super) fn array_possible(&mut self, leaves: &[Condition]) -> Result<Possible> {
        let plan = self.array_plan(leaves)?;
        if plan.is_contradictory() {
            return Ok(Possible::No);
        }
        let start = plan.start(self.excluded(leaves, Kind::Array));
        let possible = self.can_be_completed(&*plan, &start, plan.maximum)?;
        if !plan.unique || possible == Possible::No {
            return Ok(possible);
        }
        Ok(possible.and(self.enough_distinct(&plan)?))
    }
}
