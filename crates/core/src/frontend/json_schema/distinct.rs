//! `uniqueItems`: whether items that must all differ can.
//!
//! What has come may not come again, so an array must not begin with items that leave too few values for those which
//! are still to come. That is ensured for all arrays of a plan at once: whatever they begin with, there are values
//! left. Where that is not so, or cannot be told, a schema has no such values or is refused.

use std::collections::hash_map::Entry;

use rustc_hash::{FxHashMap, FxHashSet};

use super::array::ArrayPlan;
use super::condition::{GoalId, Kind, ValueId};
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
            [counted] if is_without_places(plan) => self.enough_to_count(plan, counted),
            _ => self.enough_of_several(plan),
        }
    }

    /// Where several schemas are counted, or places differ.
    fn enough_of_several(&mut self, plan: &ArrayPlan) -> Result<Possible> {
        let needed = plan.most_items_needed().saturating_add(plan.prefix.len() as u64);
        if self.is_plenty_to_count(plan, needed)? {
            return Ok(Possible::Yes);
        }
        let enough = match is_without_places(plan) {
            true => self.enough_of_each_way(plan)?,
            false => Possible::Unknown,
        };
        match enough {
            Possible::Unknown => Err(self.cannot_tell_distinct(needed)),
            enough => Ok(enough),
        }
    }

    /// Where nothing is counted: each place of those that must be filled has a value that has not come, whichever have.
    fn enough_for_places(&mut self, plan: &ArrayPlan) -> Result<Possible> {
        let first = plan.prefix.iter().take(usize::try_from(plan.minimum).unwrap_or(usize::MAX));
        let further = plan.minimum.saturating_sub(plan.prefix.len() as u64);
        let further = (further > 0).then_some((plan.rest, further));
        let (mut fixed, mut open) = (FxHashSet::default(), Vec::new());
        for (goal, places) in first.map(|&goal| (goal, 1)).chain(further) {
            match self.values_listed(goal).as_deref() {
                Some(&[value]) if places == 1 && fixed.insert(value) => {}
                Some([_]) => return Ok(Possible::No),
                _ => open.push((self.representative(goal), places)),
            }
        }
        // What is fixed was kept apart from the others when the plan was made.
        let needed = open.iter().map(|&(_, places)| places).sum();
        let mut counts = FxHashMap::default();
        for &(goal, _) in &open {
            if let Entry::Vacant(entry) = counts.entry(goal) {
                entry.insert(self.count_values(goal, needed)?);
            }
        }
        let mut before = PlacesBefore::default();
        for (at, &(goal, places)) in open.iter().enumerate() {
            let (count, is_exact) = counts[&goal];
            let values = self.values_listed(goal);
            if count < needed {
                let alike = open[..at].iter().filter(|&&(other, _)| other == goal).count() as u64;
                if is_exact && count < alike + places {
                    return Ok(Possible::No);
                }
                let others = before.that_may_meet(values.as_deref(), at);
                let others = others.into_iter().map(|other| open[other].0).collect();
                if !self.are_enough_beside(goal, count, places, others)? {
                    return Err(self.cannot_tell_distinct(plan.minimum));
                }
            }
            before.add(at, values);
        }
        Ok(Possible::Yes)
    }

    /// Whether of so many values of a goal as many are left as it has places, whatever items of other goals have come.
    fn are_enough_beside(
        &mut self,
        goal: GoalId,
        mut count: u64,
        places: u64,
        mut others: Vec<GoalId>,
    ) -> Result<bool> {
        while count < others.len() as u64 + places {
            self.deadline.check()?;
            let Some(other) = others.pop().filter(|_| count >= places) else { return Ok(false) };
            let both = self.tables.terms.all_of(&[goal, other]);
            if self.possible(both)? != Possible::No {
                count -= 1;
            }
        }
        Ok(true)
    }

    /// Takes from the items that must come, given by their goals, what the one value of another is that must come, too.
    ///
    /// Else an array could begin with that value, and where it has to be there would be none left. What is left of an item
    /// may be one value, which is taken from the others in turn.
    pub(super) fn keep_apart<'a>(&mut self, goals: impl Iterator<Item = &'a mut GoalId>) {
        let mut goals: Vec<&mut GoalId> = goals.collect();
        let mut lists: Vec<Option<Vec<ValueId>>> =
            goals.iter().map(|goal| self.values_listed(**goal)).collect();
        let mut waiting: Vec<ValueId> = lists.iter().flatten().filter_map(|list| sole(list)).collect();
        if waiting.is_empty() {
            return;
        }
        let mut listing: FxHashMap<ValueId, Vec<usize>> = FxHashMap::default();
        for (at, list) in lists.iter().enumerate() {
            for &value in list.iter().flatten().filter(|_| list.as_ref().is_some_and(|list| list.len() > 1)) {
                listing.entry(value).or_default().push(at);
            }
        }
        let mut fixed = Vec::new();
        let mut taken: FxHashMap<usize, Vec<ValueId>> = FxHashMap::default();
        while let Some(value) = waiting.pop() {
            fixed.push(value);
            for at in listing.remove(&value).into_iter().flatten() {
                let Some(list) = &mut lists[at] else { continue };
                if list.len() > 1 {
                    list.retain(|&other| other != value);
                    taken.entry(at).or_default().push(value);
                    waiting.extend(sole(list));
                }
            }
        }
        for (at, goal) in goals.iter_mut().enumerate() {
            match (taken.get(&at), &lists[at]) {
                (Some(values), _) => **goal = self.unlike_values(**goal, values),
                (None, Some(_)) => {}
                (None, None) => **goal = self.unlike_values(**goal, &fixed),
            }
        }
    }

    /// A goal without some values, those among them that plainly do not satisfy it left out.
    fn unlike_values(&mut self, goal: GoalId, values: &[ValueId]) -> GoalId {
        let constants: Vec<Constant> =
            values.iter().map(|&value| self.tables.terms.constant(value).clone()).collect();
        let may_be = Kind::ALL.map(|kind| self.evident_goal(goal, kind) != Some(false));
        let constants: Vec<Constant> =
            constants.into_iter().filter(|constant| may_be[Kind::of(constant) as usize]).collect();
        if constants.is_empty() {
            return goal;
        }
        let unlike = self.tables.terms.one_of(constants, false);
        self.with_condition(goal, unlike)
    }

    /// Where all items are alike and some of them are counted: what has come has taken no more of the values that count
    /// than it has counted.
    fn enough_to_count(&mut self, plan: &ArrayPlan, counted: &Counted) -> Result<Possible> {
        let most = counted.maximum.map_or(u64::MAX, u64::from);
        let counting = self.tables.terms.all_of(&[plan.rest, counted.goal]);
        let needed = plan.minimum.max(u64::from(counted.minimum));
        let (count, is_exact) = self.count_values(counting, needed)?;
        let (all, all_is_exact) = match counted.uncounted {
            Some(unlike) => {
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

    /// Whether of all that may have to come there are more values than places that anything asks for, or none.
    fn is_plenty_to_count(&mut self, plan: &ArrayPlan, needed: u64) -> Result<bool> {
        let mut goals: Vec<GoalId> = plan.prefix.iter().copied().chain([plan.rest]).collect();
        for counted in &plan.counts {
            let ways = [Some(counted.goal), counted.uncounted];
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
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn cannot_tell_distinct(&self, needed: u64) -> Error {
        let reason = format!(
            "{needed} different items are asked for, but it cannot be told that there are as many wherever they \
             come; lower `minItems`, leave out `contains`, or give approximate={{\"uniqueItems\"}}"
        );
        self.refuse("uniqueItems", &reason)
    }
}

/// Whether all items of a plan have one goal, and are counted from the first.
fn is_without_places(plan: &ArrayPlan) -> bool {
    plan.prefix.is_empty() && plan.counts.iter().all(|counted| counted.from == 0)
}

/// Places of an array, by the values that they list.
#[derive(Default)]
struct PlacesBefore {
    listing: FxHashMap<ValueId, Vec<usize>>,
    /// Those that list none.
    unlisted: Vec<usize>,
}

impl PlacesBefore {
    fn add(&mut self, place: usize, values: Option<Vec<ValueId>>) {
        let Some(values) = values else { return self.unlisted.push(place) };
        for value in values {
            self.listing.entry(value).or_default().push(place);
        }
    }

    /// Of the places before one that lists some values, or none, those whose items may equal one of it.
    fn that_may_meet(&self, values: Option<&[ValueId]>, place: usize) -> Vec<usize> {
        let Some(values) = values else { return (0..place).collect() };
        let listing = values.iter().filter_map(|value| self.listing.get(value)).flatten();
        let mut places: Vec<usize> = listing.chain(&self.unlisted).copied().collect();
        places.sort_unstable();
        places.dedup();
        places
    }
}

/// The value of a list of one.
fn sole(list: &[ValueId]) -> Option<ValueId> {
    match list {
        &[value] => Some(value),
        _ => None,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::Arc;

    use super::super::{Options, compile};
    use crate::{Budget, Constraint, Error, Matcher, Vocabulary};

    const VALUES: [&str; 7] = ["1", "2", "3", "4", r#""a""#, r#""b""#, "null"];

    /// Schemas of items, and those of [`VALUES`] that satisfy them.
    type Item = (&'static str, &'static [usize]);

    const ONE: Item = (r#"{"const": 1}"#, &[0]);
    const ALSO_ONE: Item = (r#"{"type": "integer", "enum": [1.0, "a"]}"#, &[0]);
    const TWO: Item = (r#"{"enum": [2]}"#, &[1]);
    const A: Item = (r#"{"allOf": [{"type": "string"}, {"enum": ["a"]}]}"#, &[4]);
    const ONE_OR_TWO: Item = (r#"{"enum": [1, 2]}"#, &[0, 1]);
    const TWO_OR_A: Item = (r#"{"enum": [2, "a"]}"#, &[1, 4]);
    const A_OR_B: Item = (r#"{"enum": ["a", "b"]}"#, &[4, 5]);
    const UP_TO_THREE: Item = (r#"{"type": "integer", "minimum": 1, "maximum": 3}"#, &[0, 1, 2]);
    const INTEGER: Item = (r#"{"type": "integer"}"#, &[0, 1, 2, 3]);
    const SCALAR: Item = (r#"{"type": ["integer", "null"]}"#, &[0, 1, 2, 3, 6]);

    /// The first items, the others, and how many there are at least.
    const ARRAYS: &[(&[Item], Option<Item>, usize)] = &[
        (&[ONE, TWO], None, 2),
        (&[ONE, TWO, A], Some(INTEGER), 4),
        (&[INTEGER, ONE], None, 2),
        (&[INTEGER, ONE], None, 1),
        (&[SCALAR, INTEGER, ONE, TWO], None, 4),
        (&[ONE_OR_TWO, ONE], None, 2),
        (&[ONE_OR_TWO, TWO_OR_A, ONE], None, 3),
        (&[ONE_OR_TWO, TWO_OR_A, ONE, ALSO_ONE], None, 3),
        (&[ONE_OR_TWO, A_OR_B], None, 2),
        (&[ONE_OR_TWO, UP_TO_THREE, A_OR_B], None, 3),
        (&[A_OR_B, UP_TO_THREE], Some(UP_TO_THREE), 4),
        (&[A_OR_B, A_OR_B, ONE_OR_TWO, ONE_OR_TWO], None, 4),
        (&[INTEGER, A], Some(ONE), 3),
    ];

    fn schema_of(&(first, others, least): &(&[Item], Option<Item>, usize)) -> String {
        let first: Vec<&str> = first.iter().map(|(schema, _)| *schema).collect();
        format!(
            r#"{{"type": "array", "uniqueItems": true, "prefixItems": [{}], "items": {}, "minItems": {least}}}"#,
            first.join(", "),
            others.map_or("false", |(schema, _)| schema)
        )
    }

    /// All arrays of up to four of [`VALUES`] that satisfy a schema.
    fn satisfying(&(first, others, least): &(&[Item], Option<Item>, usize)) -> Vec<Vec<usize>> {
        let (mut all, mut longest) = (vec![], vec![vec![]]);
        for length in 0..=4 {
            all.extend(longest.iter().filter(|items: &&Vec<usize>| items.len() >= least).cloned());
            let Some((_, may_come)) = first.get(length).copied().or(others) else { break };
            let longer = |items: &Vec<usize>| {
                let fresh = may_come.iter().filter(|value| !items.contains(value));
                fresh.map(|&value| [&items[..], &[value]].concat()).collect::<Vec<_>>()
            };
            longest = longest.iter().flat_map(longer).collect();
        }
        all
    }

    /// Checks that arrays of some values begin and end as those do that satisfy a schema: all up to a length.
    pub(in super::super) fn check_arrays(
        schema: &str,
        values: &[&str],
        satisfying: &[Vec<usize>],
        longest: usize,
    ) {
        let (vocabulary, budget) = (Arc::new(Vocabulary::of_bytes()), Budget::default());
        let grammar = compile(schema, &[], &Options::default(), &budget)
            .unwrap_or_else(|error| panic!("{schema}: {error}"));
        let constraint = Arc::new(Constraint::compile(&grammar, &vocabulary, &budget).unwrap());
        assert!(!satisfying.is_empty(), "{schema}");
        let mut waiting = vec![Vec::new()];
        while let Some(items) = waiting.pop() {
            let is_longer = |other: &&Vec<usize>| other.len() > items.len() && other.starts_with(&items);
            let can_go_on = satisfying.iter().any(|other| is_longer(&other));
            let texts: Vec<&str> = items.iter().map(|&item: &usize| values[item]).collect();
            let accepts = |ending: &str| {
                let text = format!("[{}{ending}", texts.join(","));
                (Matcher::new(&constraint).accept_bytes(text.as_bytes()).unwrap(), text)
            };
            let (ends, text) = accepts("]");
            assert_eq!(ends, satisfying.contains(&items), "{schema} {text}");
            if (1..longest).contains(&items.len()) {
                let (goes_on, text) = accepts(",");
                assert_eq!(goes_on, can_go_on, "{schema} {text}");
            }
            if can_go_on {
                waiting.extend((0..values.len()).map(|value| [&items[..], &[value]].concat()));
            }
        }
    }

    #[test]
    fn different_items_may_come_where_those_that_are_asked_for_still_can() {
        for array in ARRAYS {
            check_arrays(&schema_of(array), &VALUES, &satisfying(array), 4);
        }
    }

    #[test]
    fn too_few_different_values_satisfy_nothing() {
        for array in [
            (&[ONE, ALSO_ONE][..], None, 2),
            (&[ONE, TWO], Some(ONE), 3),
            (&[], Some(ONE_OR_TWO), 3),
            (&[ONE_OR_TWO, TWO_OR_A, A, ONE], None, 4),
            (&[A_OR_B, ONE_OR_TWO, A_OR_B, A_OR_B], None, 4),
        ] {
            let schema = schema_of(&array);
            let error = compile(&schema, &[], &Options::default(), &Budget::default()).err();
            assert!(matches!(error, Some(Error::EmptyGrammar(_))), "{schema}: {error:?}");
        }
    }

    #[test]
    fn what_depends_on_the_items_before_is_refused() {
        let array = (&[A_OR_B, TWO_OR_A, (r#"{"enum": [2, "b"]}"#, &[1, 5])][..], None, 3);
        let error = compile(&schema_of(&array), &[], &Options::default(), &Budget::default()).err();
        assert!(matches!(error, Some(Error::Unsupported { .. })), "{error:?}");
    }
}
