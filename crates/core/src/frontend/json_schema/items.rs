//! The text of arrays.

use std::sync::Arc;

use super::array::{ArrayPlan, ArrayState};
use super::candidates::Step;
use super::completion::Plan;
use super::condition::{Condition, ConstantsId, GoalId, Kind, ValueId};
use super::places::{ItemsPlace, Parts, Place, Receiver, ReceiverId};
use super::shared_list::{Blocks, ListId};
use super::tables::Case;
use super::writer::Writer;
use crate::error::Result;
use crate::expression::{ExpressionId, ExpressionStore};

impl Writer<'_> {
    /// An array that meets a case, from its bracket on.
    pub(super) fn array(
        &mut self,
        case: &Case,
        depth: u32,
        receiver: Option<ReceiverId>,
    ) -> Result<ExpressionId> {
        let id = self.solver.array_plan_id(case)?;
        let excluded = self.solver.excluded(case, Kind::Array);
        let plan = Arc::clone(self.solver.tables.arrays.at(id));
        let open = self.solver.expressions.literal(b"[");
        let inside = if plan.is_plain() && excluded.are_none() && plan.prefix.is_empty() && receiver.is_none()
        {
            self.plain_items(&plan, 0, true, depth)?
        } else {
            let state = plan.start(excluded);
            let place = ItemsPlace {
                plan: id,
                state,
                count: 0,
                is_first: true,
                items: ListId::EMPTY,
                is_vague: false,
                depth,
                receiver,
            };
            self.deferred(Place::Items(Arc::new(place)))
        };
        Ok(self.solver.expressions.concatenate(open, inside))
    }

    /// What may come at a place in an array.
    pub(super) fn items(&mut self, place: &ItemsPlace) -> Result<ExpressionId> {
        let plan = Arc::clone(self.solver.tables.arrays.at(place.plan));
        let index = place.state.index as usize;
        let is_plain = plan.is_plain() && place.state.candidates.are_none();
        if is_plain && place.receiver.is_none() && index >= plan.prefix.len() {
            let count = place.count.max(u64::from(place.state.index));
            return self.plain_items(&plan, count, place.is_first, place.depth);
        }
        let mut all = Vec::new();
        if plan.may_end(&place.state) {
            let end = self.end_of_container(place.is_first, place.depth, b"]");
            let after = self.deliver(place.receiver, place.is_vague, Parts::Items(place.items));
            all.push(self.solver.expressions.concatenate(end, after));
        }
        let mut values = Vec::new();
        if place.count < plan.maximum {
            for step in self.next_items(&plan, place)? {
                for step in self.split_by_repetition(&plan, place, step) {
                    values.extend(self.item(&plan, place, step)?);
                }
            }
        }
        let value = self.solver.expressions.alternatives(&values);
        let before = self.before_value(place.is_first, place.depth);
        all.push(self.solver.expressions.concatenate(before, value));
        Ok(self.solver.expressions.alternatives(&all))
    }

    /// What the next item may be, and the state after it.
    fn next_items(&mut self, plan: &ArrayPlan, place: &ItemsPlace) -> Result<Vec<Step<ArrayState>>> {
        if place.receiver.is_none() {
            let steps = self.solver.next_items(plan, &place.state)?.into_iter();
            return Ok(steps.map(|(goal, after)| Step { goal, after, is_compared: false }).collect());
        }
        let part = self.solver.next_item(place.state.candidates);
        let mut steps = Vec::new();
        for step in self.solver.next_items_uncompared(plan, &place.state)? {
            let room = plan.maximum.saturating_sub(place.count_after(plan));
            steps.extend(self.solver.compare(plan, part, step, room)?);
        }
        Ok(steps)
    }

    /// Tells apart whether an item equals one before it, where that matters.
    fn split_by_repetition(
        &mut self,
        plan: &ArrayPlan,
        place: &ItemsPlace,
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

    /// One item, and the place after it; `None` where none can come.
    fn item(
        &mut self,
        plan: &ArrayPlan,
        place: &ItemsPlace,
        step: Step<ArrayState>,
    ) -> Result<Option<ExpressionId>> {
        let count = place.count_after(plan);
        if !self.solver.can_come(plan, &step, plan.maximum.saturating_sub(count))? {
            return Ok(None);
        }
        let Step { goal, after, is_compared } = step;
        let after = place.after(after, count);
        if plan.unique || !after.state.repeated || place.receiver.is_some() {
            let only_repetition_matters = plan.only_repetition_matters(&place.state)
                && place.receiver.is_none_or(|outer| self.places.only_repetition_matters(outer));
            let receiver =
                self.places.receiver(Receiver::Item { after, only_repetition_matters, is_compared });
            return Ok(Some(self.value(goal, place.depth + 1, Some(receiver))?));
        }
        let rule = self.rule(goal, place.depth + 1)?;
        let value = self.solver.expressions.call(rule);
        let rest = self.deferred(Place::Items(Arc::new(after)));
        Ok(Some(self.solver.expressions.concatenate(value, rest)))
    }

    /// The items from an index on, as far as it matters, up to the closing bracket, where all have one goal and only their
    /// number matters.
    fn plain_items(
        &mut self,
        plan: &ArrayPlan,
        index: u64,
        is_first: bool,
        depth: u32,
    ) -> Result<ExpressionId> {
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
