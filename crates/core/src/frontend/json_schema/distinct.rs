//! `uniqueItems`: whether items that must all differ can.
//!
//! What has come may not come again, so an array must not begin with items that leave too few values for those which
//! are still to come. That is ensured for all arrays of a plan at once: whatever they begin with, there are values
//! left. Where that is not so, or cannot be told, a schema has no such values or is refused.

use super::array::ArrayPlan;
use super::condition::{Condition, GoalId};
use super::constant::Constant;
use super::counted::Counted;
use super::satisfy::Possible;
use super::solver::Solver;
use crate::error::{Error, Result};

impl Solver<'_> {
    /// Whether every array of a plan that may still be completed but for equal items can be completed with items that
    /// are all different. Refuses plans of which it cannot be told.
    pub(super) fn enough_distinct(&mut self, plan: &ArrayPlan) -> Result<Possible> {
        match plan.counts.as_slice() {
            [] if plan.minimum < 2 => Ok(Possible::Yes),
            [] => self.enough_for_places(plan),
            [counted] if plan.prefix.is_empty() && counted.from == 0 => self.enough_to_count(plan, counted),
            _ => self.plenty_to_count(plan),
        }
    }

    /// Where nothing is counted: each place of those that must be filled has a value that has not come.
    fn enough_for_places(&mut self, plan: &ArrayPlan) -> Result<Possible> {
        let needed = plan.minimum;
        let first = plan.prefix.iter().copied().take(needed as usize);
        let (fixed, mut goals): (Vec<GoalId>, Vec<GoalId>) =
            first.partition(|&goal| self.fixed_value(goal).is_some());
        let fixed: Vec<Option<Constant>> = fixed.into_iter().map(|goal| self.fixed_value(goal)).collect();
        if (1..fixed.len()).any(|at| fixed[..at].contains(&fixed[at])) {
            return Ok(Possible::No);
        }
        if needed > plan.prefix.len() as u64 {
            goals.push(plan.rest);
        }
        goals.dedup();
        for goal in goals {
            let (count, is_exact) = self.count_values(goal, needed)?;
            if count >= needed {
                continue;
            }
            if is_exact && plan.prefix.is_empty() {
                return Ok(Possible::No);
            }
            return Err(self.cannot_tell_distinct(needed));
        }
        Ok(Possible::Yes)
    }

    /// Where all items are alike and some of them are counted: what has come has taken no more of the values that count
    /// than it has counted.
    fn enough_to_count(&mut self, plan: &ArrayPlan, counted: &Counted) -> Result<Possible> {
        let most = counted.maximum.map_or(u64::MAX, |(most, _)| u64::from(most));
        let counting = self.tables.terms.all_of(&[plan.rest, counted.goal]);
        let needed = plan.minimum.max(u64::from(counted.minimum));
        let (count, is_exact) = self.count_values(counting, needed)?;
        let (all, all_is_exact) = match counted.maximum {
            Some((_, unlike)) => {
                let unlike = self.tables.terms.all_of(&[plan.rest, unlike]);
                let counting = count.min(most);
                let (others, others_are_exact) =
                    self.count_values(unlike, needed.saturating_sub(counting))?;
                (counting.saturating_add(others), others_are_exact && (is_exact || counting == most))
            }
            None => self.count_values(plan.rest, needed)?,
        };
        if count >= u64::from(counted.minimum) && all >= plan.minimum {
            return Ok(Possible::Yes);
        }
        let are_too_few = is_exact && count < u64::from(counted.minimum);
        if are_too_few || all_is_exact && all < plan.minimum {
            return Ok(Possible::No);
        }
        Err(self.cannot_tell_distinct(needed))
    }

    /// Where places differ and items are counted: of all that may have to come there are more values than places that
    /// anything asks for, or none.
    fn plenty_to_count(&mut self, plan: &ArrayPlan) -> Result<Possible> {
        let counted = plan.counts.iter().map(|counted| u64::from(counted.minimum));
        let needed = counted.fold(plan.minimum.saturating_add(plan.prefix.len() as u64), u64::saturating_add);
        let mut goals: Vec<GoalId> = plan.prefix.iter().copied().chain([plan.rest]).collect();
        for counted in &plan.counts {
            let ways = [Some(counted.goal), counted.maximum.map(|(_, unlike)| unlike)];
            let ways = ways.into_iter().flatten();
            let both: Vec<GoalId> = ways
                .flat_map(|way| goals.iter().map(move |&goal| [goal, way]))
                .map(|pair| self.tables.terms.all_of(&pair))
                .collect();
            goals.extend(both);
            goals.sort_unstable();
            goals.dedup();
            if goals.len() > self.budget.items {
                let what = "by the ways in which an item counts for several `contains`";
                return Err(Error::exceeded("items", self.budget.items, what));
            }
        }
        for goal in goals {
            self.deadline.check()?;
            let (count, is_exact) = self.count_values(goal, needed)?;
            if count < needed && !(is_exact && count == 0) {
                return Err(self.cannot_tell_distinct(needed));
            }
        }
        Ok(Possible::Yes)
    }

    /// The one value that a goal allows, where it says so itself.
    fn fixed_value(&self, goal: GoalId) -> Option<Constant> {
        self.tables.terms.conditions(goal).iter().find_map(|condition| match *condition {
            Condition::OneOf { constants, holds: true } => match self.tables.terms.constants(constants) {
                [constant] => Some(constant.clone()),
                _ => None,
            },
            _ => None,
        })
    }

    fn cannot_tell_distinct(&self, needed: u64) -> Error {
        let reason = format!(
            "{needed} different items are asked for, but it cannot be told that there are as many wherever they \
             come; lower `minItems`, leave out `contains`, or give approximate={{\"uniqueItems\"}}"
        );
        self.refuse("uniqueItems", &reason)
    }
}
