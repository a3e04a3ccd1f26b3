//! The text of arrays.

use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use super::array::{ArrayPlan, ArrayState};
use super::candidates::Step;
use super::completion::Plan;
use super::condition::{Condition, ConstantsId, GoalId, Kind, ValueId};
use super::endless::Endless;
use super::joined::JoinedValues;
use super::places::{ItemsPlace, Parts, Place, PlaceId, Receiver, ReceiverId};
use super::shared_list::{Blocks, ListId};
use super::tables::Case;
use super::writer::Writer;
use crate::error::Result;
use crate::expression::{ExpressionId, ExpressionStore};

/// An array in which the text may be at a place.
struct Array {
    place: Arc<ItemsPlace>,
    plan: Arc<ArrayPlan>,
}

impl Array {
    /// Whether all further items have one goal, and only their number matters.
    fn is_plain(&self) -> bool {
        let Self { place, plan } = self;
        let is_unobserved = place.state.candidates.are_none() && place.receiver.is_none();
        plan.is_plain() && is_unobserved && place.state.index as usize >= plan.prefix.len()
    }

    /// Whether it can be read together with others: neither it nor its items are received.
    fn can_be_joined(&self) -> bool {
        let Self { place, plan } = self;
        place.receiver.is_none() && !plan.unique && !plan.repeats
    }
}

impl Writer<'_> {
    /// The place in an array that meets a case, behind its bracket.
    pub(super) fn array(
        &mut self,
        case: &Case,
        depth: u32,
        receiver: Option<ReceiverId>,
    ) -> Result<ItemsPlace> {
        let plan = self.solver.array_plan_id(case)?;
        let excluded = self.solver.excluded(case, Kind::Array);
        Ok(ItemsPlace {
            plan,
            state: self.solver.tables.arrays.at(plan).start(excluded),
            count: 0,
            is_first: true,
            items: ListId::EMPTY,
            is_vague: false,
            depth,
            receiver,
        })
    }

    /// What may come in one of some arrays, before their first items.
    pub(super) fn one_of_arrays(&mut self, places: Vec<ItemsPlace>) -> Result<ExpressionId> {
        let (mut all, mut joined) = (Vec::new(), Vec::new());
        for place in places {
            let array = self.array_at(&Arc::new(place));
            if array.is_plain() {
                all.push(self.plain_items(&array)?);
                continue;
            }
            let can_be_joined = array.can_be_joined();
            let place = self.places.number(Place::Items(array.place));
            match can_be_joined {
                true => joined.push(place),
                false => all.push(self.expression_of(place)),
            }
        }
        if !joined.is_empty() {
            let joined = self.join(joined);
            all.push(self.expression_of(joined));
        }
        Ok(self.solver.expressions.alternatives(&all))
    }

    fn array_at(&self, place: &Arc<ItemsPlace>) -> Array {
        let plan = Arc::clone(self.solver.tables.arrays.at(place.plan));
        Array { place: Arc::clone(place), plan }
    }

    /// The array in which a place is, or those of which it is joined.
    fn arrays_at(&self, id: PlaceId) -> SmallVec<[Array; 1]> {
        match self.places.place(id) {
            Place::Items(place) => smallvec![self.array_at(place)],
            Place::Joined(places) => {
                let items = places.iter().filter_map(|&id| match self.places.place(id) {
                    Place::Items(place) => Some(self.array_at(place)),
                    _ => None,
                });
                items.collect()
            }
            _ => SmallVec::new(),
        }
    }

    /// What may come at a place in an array, or in one of several.
    pub(super) fn items(&mut self, id: PlaceId) -> Result<ExpressionId> {
        let arrays = self.arrays_at(id);
        let Some(Array { place: first, .. }) = arrays.first() else { return Ok(ExpressionStore::NOTHING) };
        let (mut all, mut may_end) = (Vec::new(), false);
        let (mut values, mut next) = (Vec::new(), Vec::new());
        for array in &arrays {
            self.solver.deadline.check()?;
            if array.is_plain() {
                all.push(self.plain_items(array)?);
                continue;
            }
            may_end |= array.plan.may_end(&array.place.state);
            for step in self.next_items(array)? {
                for step in self.split_by_repetition(array, step) {
                    self.add_item(array, step, &mut values, &mut next)?;
                }
            }
        }
        if may_end {
            let end = self.end_of_container(first.is_first, first.depth, b"]");
            let after = self.deliver(first.receiver, first.is_vague, Parts::Items(first.items));
            all.push(self.solver.expressions.concatenate(end, after));
        }
        if arrays.len() > 1 {
            let JoinedValues { before, telling } = self.joined_values(next, None)?;
            values.extend(telling);
            next = before;
        }
        for Step { goal, after, .. } in next {
            let rule = self.rule(goal, first.depth + 1)?;
            let value = self.solver.expressions.call(rule);
            let rest = self.expression_of(after);
            values.push(self.solver.expressions.concatenate(value, rest));
        }
        let value = self.solver.expressions.alternatives(&values);
        let before = self.before_value(first.is_first, first.depth);
        all.push(self.solver.expressions.concatenate(before, value));
        Ok(self.solver.expressions.alternatives(&all))
    }

    /// What the next item may be, and the state after it.
    fn next_items(&mut self, Array { place, plan }: &Array) -> Result<Vec<Step<ArrayState>>> {
        if place.count >= plan.maximum {
            return Ok(Vec::new());
        }
        if place.receiver.is_none() {
            let steps = self.solver.next_items(plan, &place.state)?.into_iter();
            return Ok(steps.map(|(goal, after)| Step { goal, after, is_compared: false }).collect());
        }
        let part = self.solver.next_item(place.state.candidates);
        let mut steps = Vec::new();
        for step in self.solver.next_items_uncompared(plan, &place.state)? {
            let room = plan.maximum.saturating_sub(place.count_after(plan));
            steps.extend(self.solver.compare(&**plan, part, step, room)?);
        }
        Ok(steps)
    }

    /// Tells apart whether an item equals one before it, where that matters.
    fn split_by_repetition(
        &mut self,
        Array { place, plan }: &Array,
        step: Step<ArrayState>,
    ) -> Vec<Step<ArrayState>> {
        let matters = plan.unique || !step.after.repeated;
        if !matters || place.items.is_empty() && !place.is_vague {
            return vec![step];
        }
        let unlike = Step { goal: self.unlike(step.goal, place.items), ..step.clone() };
        if plan.unique {
            return vec![unlike];
        }
        let mut repeated = step.clone();
        repeated.after.repeated = true;
        if place.is_vague {
            // Any value may be one of those that are not known.
            return vec![step, repeated];
        }
        repeated.goal = self.alike(step.goal, place.items);
        vec![unlike, repeated]
    }

    /// A goal that the values of a list do not satisfy. Most of what it adds to the goal is what the list before adds.
    fn unlike(&mut self, goal: GoalId, items: ListId<ValueId>) -> GoalId {
        let mut conditions = self.solver.tables.terms.conditions(goal).to_vec();
        let blocks = self.constants_of(items).into_iter();
        conditions.extend(blocks.map(|constants| Condition::OneOf { constants, holds: false }));
        self.solver.tables.terms.goal(conditions)
    }

    /// A goal that of all values only those of a list may satisfy.
    fn alike(&mut self, goal: GoalId, items: ListId<ValueId>) -> GoalId {
        let blocks = self.constants_of(items);
        let alike = self.solver.one_of_blocks(blocks);
        self.solver.with_condition(goal, alike)
    }

    /// The items of a list, block by block.
    fn constants_of(&mut self, items: ListId<ValueId>) -> Blocks<ConstantsId> {
        let (places, terms) = (&mut *self.places, &mut self.solver.tables.terms);
        places.items.of_blocks(items, &mut places.constants_of, |block| {
            let constants = block.into_iter().map(|item| terms.constant(item).clone()).collect();
            terms.constants_of(constants)
        })
    }

    /// Adds one item, if it can come: its text with what comes after it where somebody receives it, and its goal with the
    /// place after it elsewhere.
    fn add_item(
        &mut self,
        Array { place, plan }: &Array,
        step: Step<ArrayState>,
        values: &mut Vec<ExpressionId>,
        next: &mut Vec<Step<PlaceId>>,
    ) -> Result<()> {
        let count = place.count_after(plan);
        if !self.solver.can_come(&**plan, &step, plan.maximum.saturating_sub(count))? {
            return Ok(());
        }
        let Step { goal, after, is_compared } = step;
        let after = place.after(after, count);
        if plan.unique || !after.state.repeated || place.receiver.is_some() {
            let only_repetition_matters = plan.only_repetition_matters(&place.state)
                && place.receiver.is_none_or(|outer| self.places.only_repetition_matters(outer));
            let endless = match plan.has_like_items_after(&place.state) {
                true => self.solver.evidently_endless(plan.rest),
                false => Endless::default(),
            };
            let receiver =
                self.places.receiver(Receiver::Item { after, only_repetition_matters, endless, is_compared });
            values.push(self.received_value(goal, place.depth + 1, receiver)?);
        } else {
            let after = self.places.number(Place::Items(Arc::new(after)));
            next.push(Step { goal, after, is_compared });
        }
        Ok(())
    }

    /// The items that may still come, up to the closing bracket, where all have one goal and only their number matters.
    fn plain_items(&mut self, Array { place, plan }: &Array) -> Result<ExpressionId> {
        let index = place.count.max(u64::from(place.state.index));
        let (is_first, depth) = (place.is_first, place.depth);
        let bound = |limit: u64| u32::try_from(limit).unwrap_or(u32::MAX - 1).min(u32::MAX - 1);
        let (least, most) = (plan.minimum.saturating_sub(index), plan.maximum.saturating_sub(index));
        let can_come = most > 0 && self.solver.is_satisfiable(plan.rest)?;
        let end = self.end_of_container(is_first, depth, b"]");
        if !can_come {
            return Ok(if least == 0 { end } else { ExpressionStore::NOTHING });
        }
        let rule = self.rule(plan.rest, depth + 1)?;
        let (before, between) = (self.before_value(true, depth), self.before_value(false, depth));
        let end_after_some = self.end_of_container(false, depth, b"]");
        let store = &mut *self.solver.expressions;
        let value = store.call(rule);
        let further = store.concatenate(between, value);
        let limit = |most: u64| (most < u64::from(u32::MAX - 1)).then_some(most as u32);
        if !is_first {
            let most = if plan.maximum == u64::MAX { None } else { limit(most) };
            let items = store.repetition(further, bound(least), most);
            return Ok(store.concatenate(items, end));
        }
        let most = if plan.maximum == u64::MAX { None } else { limit(most - 1) };
        let items = store.repetition(further, bound(least.saturating_sub(1)), most);
        let some = store.concatenation(&[before, value, items, end_after_some]);
        if least > 0 {
            return Ok(some);
        }
        Ok(store.alternatives(&[some, end]))
    }

    /// What closes a container, with the white space before it.
    pub(super) fn end_of_container(&mut self, is_empty: bool, depth: u32, bracket: &[u8; 1]) -> ExpressionId {
        self.layout.expression(&self.layout.end(is_empty, depth, bracket), self.solver.expressions)
    }

    /// What stands before a value or key of a container.
    pub(super) fn before_value(&mut self, is_first: bool, depth: u32) -> ExpressionId {
        self.layout.expression(&self.layout.before_value(is_first, depth), self.solver.expressions)
    }
}
