//! `contains`: what an item counts as, where several schemas are counted.
//!
//! What listed values count as, and what is within bounds, is told apart once, when a plan is made, by *classes* of items
//! (`item_classes`). Of all else, an item counts or it need not; where nothing limits how many count, it need not be told
//! that it does not. But where many must count, a text of such items would have come to every number of them up to that of
//! its items; so it is told there where that is simple. An item that counts is never better left uncounted, so it makes no
//! difference to what is allowed.

use smallvec::SmallVec;

use super::array::{ArrayPlan, ArrayState};
use super::completion::Plan;
use super::condition::{Condition, GoalId};
use super::constant::Constant;
use super::satisfy::Possible;
use super::schema::{Body, Keywords, TypeSet};
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
    pub(super) maximum: Option<u32>,
    /// The goal of the items that do not count, where these are told apart; always so where there is a maximum.
    pub(super) uncounted: Option<GoalId>,
}

impl Counted {
    /// Whether it matters of an item at an index that it counts, after so many that did.
    fn is_open(&self, index: u32, count: u32) -> bool {
        index >= self.from && (self.maximum.is_some() || count < self.minimum)
    }

    /// Whether one more may count after so many.
    fn has_room(&self, count: u32) -> bool {
        count < self.maximum.unwrap_or(self.minimum)
    }
}

impl ArrayPlan {
    /// With so many more items an array can be completed from any state, if one can always come that counts.
    pub(super) fn most_items_needed(&self) -> u64 {
        self.counts.iter().map(|counted| u64::from(counted.minimum)).sum::<u64>().saturating_add(self.minimum)
    }

    /// The goals of items of which each counts for one thing, for all that is counted, and of those that count for nothing.
    /// `None` where there are not such of each, or they cannot count often enough.
    fn classes_of_one(&self) -> Option<Vec<GoalId>> {
        let is_met = |counted: &Counted| counted.maximum.is_none_or(|most| counted.minimum <= most);
        if !self.counts.iter().all(is_met) {
            return None;
        }
        let mut goals = vec![None; self.counts.len() + 1];
        for class in &self.classes {
            match *class.counts {
                [] => goals[self.counts.len()] = Some(class.goal),
                [at] => goals[at as usize] = Some(class.goal),
                _ => {}
            }
        }
        goals.into_iter().collect()
    }
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
        let uncounted = maximum.map(|_| self.negated_goal(goal));
        let maximum = maximum.map(|most| most as u32);
        Ok(Counted { from, goal, minimum: minimum as u32, maximum, uncounted })
    }

    /// Tells apart the items that do not count where more than one must, and what counts is told by simple keywords.
    pub(super) fn tell_uncounted(&mut self, counts: &mut [Counted]) {
        for counted in counts {
            if counted.minimum > 1 && counted.uncounted.is_none() && self.is_simply_negated(counted.goal) {
                counted.uncounted = Some(self.negated_goal(counted.goal));
            }
        }
    }

    /// Whether it takes little to tell the values that do not satisfy a goal: types, bounds and listed scalars decide.
    fn is_simply_negated(&self, goal: GoalId) -> bool {
        let [Condition::Schema { schema, holds: true, .. }] = *self.tables.terms.conditions(goal) else {
            return false;
        };
        let Some(Body::Keywords(keywords)) = self.body_of(schema) else { return false };
        let Keywords { types, written_integers, string, number, array, object, applicators, .. } =
            &**keywords;
        let has = |kind| types.is_none_or(|types| types.overlaps(kind));
        let is_scalar = |value: &Constant| !matches!(value, Constant::Array(_) | Constant::Object(_));
        applicators.is_empty()
            && !written_integers
            && (!has(TypeSet::STRING) || string.pattern.is_none() && string.format.is_none())
            && (!has(TypeSet::NUMBER) || number.multiple_of.is_none())
            && (!has(TypeSet::ARRAY) || array.is_empty())
            && (!has(TypeSet::OBJECT) || object.is_empty())
            && keywords.constants().all(is_scalar)
    }

    /// What the next item may count as, with the goals for it and the state after it but for its index.
    pub(super) fn split_by_counts(&mut self, plan: &ArrayPlan, choice: Choice) -> Result<Vec<Choice>> {
        let index = choice.1.index;
        let mut is_listed = vec![false; plan.counts.len()];
        plan.classes.iter().flat_map(|class| &class.counts).for_each(|&at| is_listed[at as usize] = true);
        let mut choices = self.split_by_classes(plan, choice)?;
        for (at, counted) in plan.counts.iter().enumerate().filter(|&(at, _)| !is_listed[at]) {
            self.check_choices(&choices)?;
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
                split.push((goals.into_iter().chain(counted.uncounted).collect(), state));
            }
            choices = self.possible_choices(split)?;
        }
        Ok(choices)
    }

    /// That there is room for twice as many choices.
    fn check_choices(&self, choices: &[Choice]) -> Result<()> {
        /// A choice with its goals, in the size of expressions.
        const CHOICE: usize = 2;
        let held = choices.first().map_or(0, |(_, state)| CHOICE + state.held());
        self.check_room(2 * choices.len() * held, ArrayPlan::SEARCHED)
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

    /// The answer for an array that has begun where all items that may still come have one goal, so that an item which can
    /// come can come again: where enough come of one that counts for what is still to be counted, and not too many. `None`
    /// where only a search tells.
    pub(super) fn evident_counts(
        &mut self,
        plan: &ArrayPlan,
        state: &ArrayState,
        room: u64,
    ) -> Result<Option<Possible>> {
        if (state.index as usize) < plan.prefix.len() {
            return Ok(None);
        }
        if plan.most_items_needed() <= room && self.can_always_count(plan)? {
            return Ok(Some(Possible::Yes));
        }
        let mut ways = Vec::new();
        for (goal, after) in self.next_items_uncompared(plan, state)? {
            let counting = (0..state.counts.len()).filter(|&at| after.counts[at] > state.counts[at]);
            let counting: SmallVec<[usize; 4]> = counting.collect();
            match self.possible(goal)? {
                Possible::No => {}
                possible => ways.push((counting, possible)),
            }
        }
        let mut counts = state.counts.clone();
        let missing = |counts: &[u32], at: usize| plan.counts[at].minimum.saturating_sub(counts[at]);
        // As items come, there are ever fewer that count for what is missing.
        let all: u64 = (0..counts.len()).map(|at| u64::from(missing(&counts, at))).sum();
        let most = ways.iter().map(|(way, _)| way.iter().filter(|&&at| missing(&counts, at) > 0).count());
        if all > room.saturating_mul(most.max().unwrap_or(0) as u64) {
            return Ok(Some(Possible::No));
        }
        ways.retain(|&(_, possible)| possible == Possible::Yes);
        let has_room = |counts: &[u32], way: &[usize], items: u64| {
            let most = |at: usize| plan.counts[at].maximum.map_or(u64::MAX, u64::from);
            way.iter().all(|&at| u64::from(counts[at]).saturating_add(items) <= most(at))
        };
        let mut items = 0;
        for at in 0..counts.len() {
            let more = missing(&counts, at);
            let counting = |(way, _): &&(SmallVec<[usize; 4]>, Possible)| {
                way.contains(&at) && has_room(&counts, way, u64::from(more))
            };
            if more > 0 {
                let Some((way, _)) = ways.iter().find(counting) else { return Ok(None) };
                way.iter().for_each(|&at| counts[at] = counts[at].saturating_add(more));
                items += u64::from(more);
            }
        }
        let others = plan.minimum.saturating_sub(u64::from(state.index).saturating_add(items));
        let can_fill = others == 0 || ways.iter().any(|(way, _)| has_room(&counts, way, others));
        Ok((can_fill && items.saturating_add(others) <= room).then_some(Possible::Yes))
    }

    /// Whether it plainly never depends on what has come which items can: of all that is counted, one can always come that
    /// counts, and does no harm to what else is counted.
    fn can_always_count(&mut self, plan: &ArrayPlan) -> Result<bool> {
        if let Some(&known) = self.tables.always_countable.get(&plan.number) {
            return Ok(known);
        }
        let (mut can_count, mut is_certain) = (true, true);
        let goals = if plan.counts.iter().all(|counted| counted.maximum.is_none()) {
            Some(plan.counts.iter().map(|counted| counted.goal).collect())
        } else {
            plan.classes_of_one()
        };
        let Some(goals): Option<Vec<GoalId>> = goals else {
            self.tables.always_countable.insert(plan.number, false);
            return Ok(false);
        };
        for goal in goals {
            self.deadline.check()?;
            let goal = self.tables.terms.all_of(&[plan.rest, goal]);
            let possible = self.possible(goal)?;
            can_count &= possible == Possible::Yes;
            is_certain &= possible != Possible::Unknown;
            if !can_count {
                break;
            }
        }
        if is_certain {
            self.tables.always_countable.insert(plan.number, can_count);
        }
        Ok(can_count)
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
pub(super) mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use rustc_hash::FxHashSet;

    use super::super::candidates::Candidates;
    use super::super::completion::tests::Searched;
    use super::super::condition::{Kind, ScopeId};
    use super::super::solver::tests::{under, with_solver};
    use super::super::{Options, compile};
    use super::*;
    use crate::{Budget, Constraint, Matcher, Vocabulary};

    const VALUES: [&str; 5] = ["1", r#""a""#, r#""b""#, "null", "[]"];

    /// What is counted: what is said of the items, those of [`VALUES`] that satisfy it, the least number and the greatest.
    pub(in super::super) type Demand = (&'static str, &'static [usize], usize, Option<usize>);

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
        &[(r#"{"const": "a"}"#, &[1], 3, None)],
        &[(r#"{"type": ["string", "array"], "minLength": 1}"#, &[1, 2, 4], 2, None)],
        &[
            (r#"{"type": "string"}"#, &[1, 2], 2, None),
            (r#"{"type": ["integer", "array"]}"#, &[0, 4], 2, Some(3)),
        ],
        &[
            (r#"{"type": "string", "pattern": "^a"}"#, &[1], 2, None),
            (r#"{"minLength": 1}"#, &[0, 1, 2, 3, 4], 3, None),
        ],
    ];

    /// A schema of arrays, with more keywords.
    pub(in super::super) fn schema(demands: &[Demand], more: &str) -> String {
        let contains = demands.iter().map(|(schema, _, least, most)| {
            let most = most.map_or(String::new(), |most| format!(r#", "maxContains": {most}"#));
            format!(r#"{{"contains": {schema}, "minContains": {least}{most}}}"#)
        });
        let contains: Vec<String> = contains.collect();
        format!(r#"{{"type": "array", "allOf": [{}]{more}}}"#, contains.join(", "))
    }

    /// What is evident of counts is what a search finds, and it is so of most.
    #[test]
    fn the_search_finds_what_is_evident_of_counts() {
        let (mut evident, mut asked, mut answers) = (0, 0, BTreeSet::new());
        for (demands, more) in DEMANDS.iter().flat_map(|demands| {
            [
                "",
                r#", "minItems": 5"#,
                r#", "items": {"type": ["string", "array"]}"#,
                r#", "prefixItems": [true]"#,
            ]
            .map(|more| (demands, more))
        }) {
            let text = schema(demands, more);
            with_solver(&text, |solver| {
                let root = solver.goal_of(solver.schemas.root, ScopeId::NONE);
                for case in solver.cases_searched_for(root, Kind::Array).unwrap().iter() {
                    let plan = solver.array_plan(case).unwrap();
                    let start = plan.start(Candidates::NONE);
                    let mut met = FxHashSet::from_iter([start.clone()]);
                    let mut waiting = vec![start];
                    while let Some(state) = waiting.pop() {
                        for room in [0, 1, 2, 3, 4, 5, 6, u64::MAX] {
                            if plan.may_end(&state) {
                                continue;
                            }
                            asked += 1;
                            if let Some(found) = solver.evident_counts(&plan, &state, room).unwrap() {
                                let search = Searched {
                                    plan: &*plan,
                                    next: |solver, plan, state| plan.next(solver, state),
                                };
                                let searched = solver.can_be_completed(&search, &state, room).unwrap();
                                assert_eq!(found, searched, "{text} {state:?} {room}");
                                evident += 1;
                                answers.insert(found as u8);
                            }
                        }
                        let next = plan.next(solver, &state).unwrap();
                        waiting.extend(
                            next.into_iter().map(|(_, next)| next).filter(|next| met.insert(next.clone())),
                        );
                    }
                }
            });
        }
        assert!(evident * 4 > asked * 3 && answers.len() == 2, "{evident} of {asked}");
    }

    /// What the states of one step hold ends it long before there are too many of them.
    #[test]
    fn the_choices_of_one_item_are_bounded_by_what_states_hold() {
        let contains = |at| format!(r#"{{"contains": {{"type": "string", "minLength": {at}}}}}"#);
        let contains: Vec<String> = (0..2000).map(contains).collect();
        let text = format!(r#"{{"type": "array", "allOf": [{}], "maxItems": 9}}"#, contains.join(", "));
        with_solver(&text, |solver| {
            let (options, budget) =
                (solver.options, Budget { expressions: 400_000, ..solver.budget.clone() });
            let mut solver = under(solver, options, &budget);
            let root = solver.goal_of(solver.schemas.root, ScopeId::NONE);
            let error = solver.kind_possible(root, Kind::Array).unwrap_err();
            assert!(matches!(error, Error::BudgetExceeded { budget: "expressions", .. }), "{error}");
            assert!(error.to_string().contains("by the ways to fill an array (at #)"), "{error}");
        });
    }

    #[test]
    fn arrays_are_accepted_by_what_their_items_count_as() {
        let vocabulary = Arc::new(Vocabulary::of_bytes());
        let budget = Budget::default();
        for demands in DEMANDS {
            let schema = schema(demands, "");
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
