//! `contains`: what an item counts as, where several schemas are counted.
//!
//! An item of a value that is listed counts as all those that list it, and no other item as any of them. That is told
//! apart once, when a plan is made, by *classes* of items. Of what lists no values, an item counts or it need not; where
//! nothing limits how many count, it need not be told that it does not.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::array::{ArrayPlan, ArrayState};
use super::completion::Plan;
use super::condition::{Condition, GoalId};
use super::constant::Constant;
use super::satisfy::Possible;
use super::schema::Body;
use super::solver::{FIXED, Solver};
use crate::error::{Error, Result};

/// The greatest number of items that are counted one by one.
pub(super) const MOST_COUNTED: u64 = 100_000;

/// Items that are counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Counted {
    pub(super) from: u32,
    pub(super) goal: GoalId,
    pub(super) minimum: u32,
    /// The greatest number, and the goal of the items that do not count.
    pub(super) maximum: Option<(u32, GoalId)>,
}

impl Counted {
    /// Whether it matters of an item at an index that it counts, after so many that did.
    fn is_open(&self, index: u32, count: u32) -> bool {
        index >= self.from && (self.maximum.is_some() || count < self.minimum)
    }

    /// Whether one more may count after so many.
    fn has_room(&self, count: u32) -> bool {
        count < self.maximum.map_or(self.minimum, |(most, _)| most)
    }
}

/// Items of which it is the same what they count as, as far as values are listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ItemClass {
    goal: GoalId,
    /// The [counted](ArrayPlan::counts) that list them, by their places, ascending.
    counts: SmallVec<[u32; 4]>,
}

/// Goals that the next item must satisfy together, and the state after it.
type Choice = (Vec<GoalId>, ArrayState);

impl Solver<'_> {
    /// The items that a condition counts.
    pub(super) fn counted(
        &mut self,
        from: u32,
        goal: GoalId,
        minimum: u64,
        maximum: Option<u64>,
    ) -> Result<Counted> {
        if minimum > MOST_COUNTED || maximum.is_some_and(|most| most > MOST_COUNTED) {
            let what = "by the items that `contains` counts";
            return Err(Error::exceeded(FIXED, MOST_COUNTED as usize, what));
        }
        let maximum = maximum.map(|most| (most as u32, self.negated_goal(goal)));
        Ok(Counted { from, goal, minimum: minimum as u32, maximum })
    }

    /// The classes of items where some of what is counted lists its values: each item is of one of them. Empty where
    /// nothing lists any, and where only one thing is counted, so that its items need no telling apart from all others.
    pub(super) fn item_classes(&mut self, counts: &[Counted]) -> Vec<ItemClass> {
        if counts.len() < 2 {
            return Vec::new();
        }
        let mut listed_by: FxHashMap<Constant, SmallVec<[u32; 4]>> = FxHashMap::default();
        for (at, counted) in counts.iter().enumerate() {
            for value in self.listed_values(counted.goal).into_iter().flatten() {
                let counts = listed_by.entry(value).or_default();
                if counts.last() != Some(&(at as u32)) {
                    counts.push(at as u32);
                }
            }
        }
        if listed_by.is_empty() {
            return Vec::new();
        }
        let all: Vec<Constant> = listed_by.keys().cloned().collect();
        let mut values_of: FxHashMap<SmallVec<[u32; 4]>, Vec<Constant>> = FxHashMap::default();
        for (value, counts) in listed_by {
            values_of.entry(counts).or_default().push(value);
        }
        let mut by_counts: Vec<_> = values_of.into_iter().collect();
        by_counts.sort_unstable();
        let listed = by_counts.into_iter().map(|(counts, values)| (counts, values, true));
        let mut class = |(counts, values, holds)| {
            let condition = self.tables.terms.one_of(values, holds);
            ItemClass { goal: self.tables.terms.goal_of(condition), counts }
        };
        listed.chain([(SmallVec::new(), all, false)]).map(&mut class).collect()
    }

    /// The values of a goal, where it is a schema that lists them.
    fn listed_values(&self, goal: GoalId) -> Option<Vec<Constant>> {
        match *self.tables.terms.conditions(goal) {
            [Condition::OneOf { constants, holds: true }] => {
                Some(self.tables.terms.constants(constants).to_vec())
            }
            [Condition::Schema { schema, holds: true, .. }] => match self.body_of(schema)? {
                Body::Keywords(keywords) => keywords.values(),
                Body::Always(_) => None,
            },
            _ => None,
        }
    }

    /// What the next item may count as, with the goals for it and the state after it but for its index.
    pub(super) fn split_by_counts(&mut self, plan: &ArrayPlan, choice: Choice) -> Result<Vec<Choice>> {
        let index = choice.1.index;
        let mut is_listed = vec![false; plan.counts.len()];
        plan.classes.iter().flat_map(|class| &class.counts).for_each(|&at| is_listed[at as usize] = true);
        let mut choices = self.split_by_classes(plan, choice)?;
        for (at, counted) in plan.counts.iter().enumerate().filter(|&(at, _)| !is_listed[at]) {
            let mut split = Vec::new();
            for (goals, state) in choices {
                let count = state.counts[at];
                if !counted.is_open(index, count) {
                    split.push((goals, state));
                    continue;
                }
                if counted.has_room(count) {
                    let mut after = state.clone();
                    after.counts[at] += 1;
                    split.push((goals.iter().copied().chain([counted.goal]).collect(), after));
                }
                let uncounted = counted.maximum.map(|(_, goal)| goal);
                split.push((goals.into_iter().chain(uncounted).collect(), state));
            }
            choices = self.possible_choices(split)?;
        }
        Ok(choices)
    }

    /// One choice for each class of items, where it matters of which the item is.
    fn split_by_classes(&mut self, plan: &ArrayPlan, choice: Choice) -> Result<Vec<Choice>> {
        let (goals, state) = &choice;
        let is_open = |at: u32| plan.counts[at as usize].is_open(state.index, state.counts[at as usize]);
        if !plan.classes.iter().flat_map(|class| &class.counts).any(|&at| is_open(at)) {
            return Ok(vec![choice]);
        }
        let mut split = Vec::with_capacity(plan.classes.len());
        for class in &plan.classes {
            let counting: SmallVec<[usize; 4]> =
                class.counts.iter().filter(|&&at| is_open(at)).map(|&at| at as usize).collect();
            if counting.iter().all(|&at| plan.counts[at].has_room(state.counts[at])) {
                let mut after = state.clone();
                counting.iter().for_each(|&at| after.counts[at] += 1);
                split.push((goals.iter().copied().chain([class.goal]).collect(), after));
            }
        }
        self.possible_choices(split)
    }

    /// The choices without those that no item satisfies: of many kinds that are counted, most items are of one or none.
    fn possible_choices(&mut self, choices: Vec<Choice>) -> Result<Vec<Choice>> {
        let mut possible = Vec::with_capacity(choices.len());
        for (goals, state) in choices {
            self.deadline.check()?;
            let goal = self.tables.terms.all_of(&goals);
            if self.possible(goal)? != Possible::No {
                possible.push((vec![goal], state));
            }
        }
        if possible.len() > self.budget.items {
            return Err(Error::exceeded("items", self.budget.items, ArrayPlan::SEARCHED));
        }
        Ok(possible)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::{Options, compile};
    use crate::{Budget, Constraint, Matcher, Vocabulary};

    const VALUES: [&str; 5] = ["1", r#""a""#, r#""b""#, "null", "[]"];

    /// What is counted: what is said of the items, those of [`VALUES`] that satisfy it, the least number and the greatest.
    type Demand = (&'static str, &'static [usize], usize, Option<usize>);

    const DEMANDS: &[&[Demand]] = &[
        &[(r#"{"const": "a"}"#, &[1], 1, None), (r#"{"const": 1}"#, &[0], 1, None)],
        &[
            (r#"{"enum": ["a", "b", 1.0]}"#, &[0, 1, 2], 2, None),
            (r#"{"enum": ["b", []]}"#, &[2, 4], 1, Some(2)),
        ],
        &[
            (r#"{"enum": ["a", 1], "type": "string"}"#, &[1], 0, Some(1)),
            (r#"{"enum": ["a", 1]}"#, &[0, 1], 2, None),
        ],
        &[(r#"{"const": null}"#, &[3], 0, Some(1)), (r#"{"type": "string"}"#, &[1, 2], 1, None)],
        &[
            (r#"{"type": "string"}"#, &[1, 2], 1, Some(2)),
            (r#"{"enum": ["b", null]}"#, &[2, 3], 1, None),
            (r#"{"enum": ["b", "a", "b"]}"#, &[1, 2], 1, None),
            (r#"{"not": {"const": "b"}}"#, &[0, 1, 3, 4], 1, Some(2)),
        ],
        &[(r#"{"enum": []}"#, &[], 0, Some(1)), (r#"{"enum": [1, "a"], "minLength": 2}"#, &[0], 1, None)],
    ];

    #[test]
    fn arrays_are_accepted_by_what_their_items_count_as() {
        let vocabulary = Arc::new(Vocabulary::of_bytes());
        let budget = Budget::default();
        for demands in DEMANDS {
            let contains = demands.iter().map(|(schema, _, least, most)| {
                let most = most.map_or(String::new(), |most| format!(r#", "maxContains": {most}"#));
                format!(r#"{{"contains": {schema}, "minContains": {least}{most}}}"#)
            });
            let contains: Vec<String> = contains.collect();
            let schema = format!(r#"{{"type": "array", "allOf": [{}]}}"#, contains.join(", "));
            let grammar = compile(&schema, &[], &Options::default(), &budget).unwrap();
            let constraint = Arc::new(Constraint::compile(&grammar, &vocabulary, &budget).unwrap());
            for length in 0..5 {
                for number in 0..VALUES.len().pow(length) {
                    let items: Vec<usize> =
                        (0..length).map(|at| number / VALUES.len().pow(at) % VALUES.len()).collect();
                    let holds = |&(_, counting, least, most): &Demand| {
                        let count = items.iter().filter(|&item| counting.contains(item)).count();
                        count >= least && most.is_none_or(|most| count <= most)
                    };
                    let texts: Vec<&str> = items.iter().map(|&item| VALUES[item]).collect();
                    let text = format!("[{}]", texts.join(","));
                    let mut matcher = Matcher::new(&constraint);
                    let is_valid = matcher.accept_bytes(text.as_bytes()).unwrap() && matcher.is_complete();
                    assert_eq!(is_valid, demands.iter().all(holds), "{schema} {text}");
                }
            }
        }
    }
}
