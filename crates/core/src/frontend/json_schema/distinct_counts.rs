//! `uniqueItems` beside `contains`: whether items that must differ can, where several schemas are counted.
//!
//! There are a few *ways* to count: an item counts as some of what is counted and not as the others. Of a way with fewer values
//! than could be asked for, each that has come is one less. So what matters of the items that have come is how many there are,
//! what they counted as, and how many values of each such way are taken; and wherever such items leave an array that could be
//! completed if items might be equal, it is looked for whether it can be with others.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::array::ArrayPlan;
use super::condition::GoalId;
use super::counted::Counted;
use super::item_classes::Counts;
use super::satisfy::Possible;
use super::solver::Solver;
use crate::error::Result;

/// A way to count, which no item shares with another one.
struct Way {
    counts: Counts,
    /// The place among those of which few values are, if it is one of them.
    scarce: Option<usize>,
}

/// What matters of the items of an array.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Taken {
    items: u64,
    /// What they counted as, as far as it matters.
    counts: SmallVec<[u32; 2]>,
    /// How many values of each scarce way have come; none where items may be equal.
    values: SmallVec<[u64; 4]>,
}

impl Solver<'_> {
    /// With more ways to count, it is not looked for whether items can differ.
    const MOST_WAYS: usize = 32;
    /// So it is of more items that may have to be told apart.
    const MOST_ITEMS: u64 = 100;

    /// Whether every array of a plan without places that may still be completed but for equal items can be completed with
    /// items that are all different. `Unknown` where it depends on what has come, or takes too long to find out.
    pub(super) fn enough_of_each_way(&mut self, plan: &ArrayPlan) -> Result<Possible> {
        let needed = plan.most_items_needed();
        if needed > Self::MOST_ITEMS {
            return Ok(Possible::Unknown);
        }
        let Some(goals) = self.ways_to_count(plan)? else { return Ok(Possible::Unknown) };
        let (mut ways, mut values) = (Vec::new(), Vec::new());
        for (goal, counts) in goals {
            self.deadline.check()?;
            match self.count_values(goal, needed)? {
                (0, true) => {}
                (count, _) if count >= needed => ways.push(Way { counts, scarce: None }),
                (count, true) => {
                    ways.push(Way { counts, scarce: Some(values.len()) });
                    values.push(count);
                }
                (_, false) => return Ok(Possible::Unknown),
            }
        }
        let Some(most) = most_items(plan, needed, &values) else { return Ok(Possible::Unknown) };
        Ok(Differing { plan, ways, values, most }.enough())
    }

    /// The goals of the items of each way to count, with what they count as. `None` where there are too many.
    fn ways_to_count(&mut self, plan: &ArrayPlan) -> Result<Option<Vec<(GoalId, Counts)>>> {
        let mut ways: Vec<(GoalId, Counts)> = match plan.classes.as_slice() {
            classes if classes.len() > Self::MOST_WAYS => return Ok(None),
            [] => vec![(plan.rest, Counts::new())],
            classes => classes
                .iter()
                .map(|class| (self.tables.terms.all_of(&[plan.rest, class.goal]), class.counts.clone()))
                .collect(),
        };
        let is_told = |at: u32| plan.classes.iter().any(|class| class.counts.contains(&at));
        for (at, counted) in (0..).zip(&plan.counts).filter(|&(at, _)| !is_told(at)) {
            // Where it need not be told that an item does not count, it is never better not to count.
            let uncounted = counted.uncounted.unwrap_or_else(|| self.negated_goal(counted.goal));
            let mut split = Vec::with_capacity(2 * ways.len());
            for (goal, counts) in ways {
                let counting = self.tables.terms.all_of(&[goal, counted.goal]);
                if self.possible(counting)? == Possible::No {
                    split.push((goal, counts));
                    continue;
                }
                let other = self.tables.terms.all_of(&[goal, uncounted]);
                split.push((counting, counts.iter().copied().chain([at]).collect()));
                split.push((other, counts));
            }
            ways = split;
            if ways.len() > Self::MOST_WAYS {
                return Ok(None);
            }
        }
        Ok(Some(ways))
    }
}

/// So many items are enough to meet whatever more can: of longer arrays, some items can be left out with nothing that matters
/// changed but how many may still come, or as many of these. `None` where there are too many to look at.
fn most_items(plan: &ArrayPlan, needed: u64, scarce: &[u64]) -> Option<u64> {
    let counted = plan
        .counts
        .iter()
        .map(|counted| u64::from(counted.minimum).saturating_add(counted.maximum.map_or(0, u64::from)));
    let matter = counted.chain(scarce.iter().copied()).fold(plan.minimum, u64::saturating_add);
    let most = plan.maximum.min(matter.saturating_add(needed));
    (most <= Solver::MOST_ITEMS).then_some(most)
}

/// Looks for arrays that cannot be completed with items that differ.
struct Differing<'a> {
    plan: &'a ArrayPlan,
    ways: Vec<Way>,
    /// How many values each scarce way has.
    values: Vec<u64>,
    most: u64,
}

impl Differing<'_> {
    /// More of what has come is not looked at.
    const MOST_STATES: usize = 4096;

    fn enough(&self) -> Possible {
        let counts: SmallVec<[u32; 2]> = self.plan.counts.iter().map(|_| 0).collect();
        let start = Taken { items: 0, counts, values: self.values.iter().map(|_| 0).collect() };
        let mut completed = FxHashMap::default();
        let mut seen = FxHashSet::from_iter([start.clone()]);
        let mut waiting = vec![start.clone()];
        while let Some(taken) = waiting.pop() {
            if seen.len() > Self::MOST_STATES {
                return Possible::Unknown;
            }
            let with_equal_items = Taken { values: SmallVec::new(), ..taken.clone() };
            match self.can_be_completed(&with_equal_items, &mut completed) {
                None => return Possible::Unknown,
                Some(false) => continue,
                Some(true) => {}
            }
            match self.can_be_completed(&taken, &mut completed) {
                Some(true) => {}
                Some(false) if taken == start => return Possible::No,
                _ => return Possible::Unknown,
            }
            waiting.extend(self.next(&taken).into_iter().filter(|next| seen.insert(next.clone())));
        }
        Possible::Yes
    }

    /// Whether items can come with which all that is asked for has; `None` where there is too much to look at.
    fn can_be_completed(&self, taken: &Taken, completed: &mut FxHashMap<Taken, bool>) -> Option<bool> {
        if let Some(&known) = completed.get(taken) {
            return Some(known);
        }
        if completed.len() > Self::MOST_STATES {
            return None;
        }
        let met = |(counted, &count): (&Counted, &u32)| count >= counted.minimum;
        let may_end = taken.items >= self.plan.minimum && self.plan.counts.iter().zip(&taken.counts).all(met);
        let mut can = may_end;
        if !may_end {
            for next in self.next(taken) {
                can = self.can_be_completed(&next, completed)?;
                if can {
                    break;
                }
            }
        }
        completed.insert(taken.clone(), can);
        Some(can)
    }

    /// What may have been taken after one item more.
    fn next(&self, taken: &Taken) -> Vec<Taken> {
        if taken.items == self.most {
            return Vec::new();
        }
        let mut all = Vec::with_capacity(self.ways.len());
        'ways: for way in &self.ways {
            let mut next = Taken { items: taken.items + 1, ..taken.clone() };
            if let Some(at) = way.scarce
                && let Some(values) = next.values.get_mut(at)
            {
                *values += 1;
                if *values > self.values[at] {
                    continue;
                }
            }
            for &at in &way.counts {
                let (counted, count) = (&self.plan.counts[at as usize], &mut next.counts[at as usize]);
                match counted.maximum {
                    Some(most) if *count == most => continue 'ways,
                    Some(_) => *count += 1,
                    None => *count = (*count + 1).min(counted.minimum),
                }
            }
            all.push(next);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::super::counted::tests::{Demand, schema};
    use super::super::distinct::tests::check_arrays;
    use super::super::{Options, compile};
    use crate::{Budget, Error};

    const VALUES: [&str; 5] = [r#""a""#, r#""b""#, r#""bc""#, "1", "2"];

    const A: Demand = (r#"{"const": "a"}"#, &[0], 1, None);
    const B: Demand = (r#"{"const": "b"}"#, &[1], 1, None);
    const ONE: Demand = (r#"{"const": 1}"#, &[3], 1, None);
    const NO_ONE: Demand = (r#"{"const": 1}"#, &[3], 0, Some(0));
    const BEGINS_WITH_B: Demand = (r#"{"type": "string", "pattern": "^b"}"#, &[1, 2], 1, None);
    const TWO_STRINGS: Demand = (r#"{"type": "string"}"#, &[0, 1, 2], 2, None);
    const A_STRING: Demand = (r#"{"type": "string"}"#, &[0, 1, 2], 1, Some(1));
    const NUMBERS: Demand = (r#"{"type": "number"}"#, &[3, 4], 2, None);

    /// What is counted, and the least number of items and the greatest.
    const ARRAYS: &[(&[Demand], usize, usize)] = &[
        (&[A, B], 0, 5),
        (&[A, B], 3, 3),
        (&[A, ONE], 1, 2),
        (&[A, B, ONE], 0, 4),
        (&[A, NO_ONE], 1, 2),
        (&[A, BEGINS_WITH_B], 0, 5),
        (&[BEGINS_WITH_B, TWO_STRINGS], 0, 3),
        (&[A_STRING, NUMBERS], 0, 5),
        (&[A_STRING, NUMBERS, ONE], 3, 3),
        (&[TWO_STRINGS, NUMBERS], 0, 5),
        (&[TWO_STRINGS, NUMBERS], 5, 5),
    ];

    fn schema_of(demands: &[Demand], least: usize, most: usize) -> String {
        let (values, bounds) = (VALUES.join(", "), format!(r#""minItems": {least}, "maxItems": {most}"#));
        schema(demands, &format!(r#", "items": {{"enum": [{values}]}}, "uniqueItems": true, {bounds}"#))
    }

    /// All arrays of different values that satisfy a schema.
    fn satisfying(demands: &[Demand], least: usize, most: usize) -> Vec<Vec<usize>> {
        let meets = |items: &Vec<usize>, (_, counting, least, most): &Demand| {
            let count = items.iter().filter(|item| counting.contains(item)).count();
            count >= *least && most.is_none_or(|most| count <= most)
        };
        let (mut all, mut longest) = (vec![], vec![vec![]]);
        for length in 0..=most {
            let is_met =
                |items: &&Vec<usize>| length >= least && demands.iter().all(|demand| meets(items, demand));
            all.extend(longest.iter().filter(is_met).cloned());
            let longer = |items: &Vec<usize>| {
                let fresh = (0..VALUES.len()).filter(|value| !items.contains(value));
                fresh.map(|value| [&items[..], &[value]].concat()).collect::<Vec<_>>()
            };
            longest = longest.iter().flat_map(longer).collect();
        }
        all
    }

    #[test]
    fn items_that_count_may_come_where_those_that_are_asked_for_still_can() {
        for &(demands, least, most) in ARRAYS {
            let satisfying = satisfying(demands, least, most);
            check_arrays(&schema_of(demands, least, most), &VALUES, &satisfying, usize::MAX);
        }
    }

    #[test]
    fn too_few_values_that_count_satisfy_nothing() {
        let twice = (r#"{"const": "a"}"#, &[0][..], 2, None);
        for demands in [[twice, B], [A, (r#"{"type": "number"}"#, &[3, 4], 3, None)]] {
            let schema = schema_of(&demands, 0, 5);
            let error = compile(&schema, &[], &Options::default(), &Budget::default()).err();
            assert!(matches!(error, Some(Error::EmptyGrammar(_))), "{schema}: {error:?}");
        }
    }

    /// After `"b"` there is room for `"a"` twice only, which would count for both.
    #[test]
    fn what_depends_on_the_items_before_is_refused() {
        let either = (r#"{"enum": ["a", 1]}"#, &[0, 3][..], 2, None);
        let other = (r#"{"enum": ["a", 2]}"#, &[0, 4][..], 2, None);
        for (most, is_refused) in [(3, true), (5, false)] {
            let schema = schema_of(&[either, other], 0, most);
            let error = compile(&schema, &[], &Options::default(), &Budget::default()).err();
            assert_eq!(matches!(error, Some(Error::Unsupported { .. })), is_refused, "{error:?}");
        }
    }

    #[test]
    fn what_takes_long_to_find_out_is_refused_soon() {
        let of = |at: usize| format!(r#"{{"contains": {{"enum": [{at}, {}]}}, "minContains": 2}}"#, at + 1);
        for count in [12, 40, 400] {
            let contains: Vec<String> = (0..count).map(of).collect();
            let schema = format!(
                r#"{{"type": "array", "uniqueItems": true, "allOf": [{}], "maxItems": {}}}"#,
                contains.join(", "),
                2 * count
            );
            let error = compile(&schema, &[], &Options::default(), &Budget::default()).err();
            let is_refused = matches!(error, Some(Error::Unsupported { .. } | Error::BudgetExceeded { .. }));
            assert!(is_refused, "{count}: {error:?}");
        }
    }
}
