//! Classes of items, by what they count as where several schemas are counted.
//!
//! An item of a value that is listed counts as all those that list it, and no other item as any of them. The same is told
//! of numbers by bounds, and of strings by lengths: the bounds of all that is counted cut the numbers into stretches, and
//! all in one of these count as the same. So every item is of one class, and there are not more of them than values listed
//! and bounds; without them, each item could count as any of the subsets of what is counted.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::array::ArrayPlan;
use super::completion::Plan;
use super::condition::{Condition, GoalId, Terms};
use super::constant::Constant;
use super::counted::Counted;
use super::decimal::Decimal;
use super::schema::{Body, Keywords, TypeSet};
use super::solver::Solver;
use crate::error::{Error, Result};
use crate::expression::size_of_bytes;
use crate::spelling::character_count;

/// What items count as: the places of some [counted](ArrayPlan::counts), ascending.
pub(super) type Counts = SmallVec<[u32; 4]>;

/// Items of which it is the same what they count as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ItemClass {
    pub(super) goal: GoalId,
    /// What they count as, among all that is told apart by classes.
    pub(super) counts: Counts,
}

/// Where a stretch of numbers, or of lengths, ends and the next begins.
trait Cut: Clone + Ord {
    /// What is behind it.
    fn lower(&self, terms: &mut Terms) -> Condition;

    /// What is before it.
    fn upper(&self, terms: &mut Terms) -> Condition;
}

/// A place between numbers: just before one or, where that is so, just behind it.
type NumberCut = (Decimal, bool);

impl Cut for NumberCut {
    fn lower(&self, terms: &mut Terms) -> Condition {
        Condition::Minimum { bound: terms.number(&self.0), exclusive: self.1 }
    }

    fn upper(&self, terms: &mut Terms) -> Condition {
        Condition::Maximum { bound: terms.number(&self.0), exclusive: !self.1 }
    }
}

/// A place between lengths: just before one, which is greater than zero.
type LengthCut = u64;

impl Cut for LengthCut {
    fn lower(&self, _: &mut Terms) -> Condition {
        Condition::MinimumLength(*self)
    }

    fn upper(&self, _: &mut Terms) -> Condition {
        Condition::MaximumLength(self.saturating_sub(1))
    }
}

/// Everything from one cut up to another; `None` for no end.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stretch<C> {
    from: Option<C>,
    to: Option<C>,
}

impl<C: Cut> Stretch<C> {
    fn conditions(&self, terms: &mut Terms) -> Vec<Condition> {
        let mut conditions = Vec::new();
        conditions.extend(self.from.as_ref().map(|cut| cut.lower(terms)));
        conditions.extend(self.to.as_ref().map(|cut| cut.upper(terms)));
        conditions
    }
}

/// What is counted that is just what is within bounds.
#[derive(Clone)]
struct Ranged<C> {
    at: u32,
    goal: GoalId,
    within: Stretch<C>,
}

/// What is counted by bounds: integers, other numbers, and strings.
#[derive(Default)]
struct ByBounds {
    integers: Vec<Ranged<NumberCut>>,
    fractions: Vec<Ranged<NumberCut>>,
    strings: Vec<Ranged<LengthCut>>,
}

impl ByBounds {
    fn ranges(&self) -> usize {
        self.integers.len().max(self.fractions.len()) + self.strings.len()
    }
}

/// All bounds of one kind, and what items between any two of them count as.
struct Line<C> {
    cuts: Vec<C>,
    /// What items before each cut count as, and those behind the last: places among the ranges.
    counting: Vec<Counts>,
    ranges: Vec<Ranged<C>>,
}

impl<C: Cut> Line<C> {
    /// `None` where the stretches would hold more than so many counts.
    fn of(ranges: Vec<Ranged<C>>, most: usize) -> Option<Self> {
        let ends = ranges.iter().flat_map(|range| [&range.within.from, &range.within.to]);
        let mut cuts: Vec<C> = ends.flatten().cloned().collect();
        cuts.sort_unstable();
        cuts.dedup();
        let mut counting = vec![Counts::new(); cuts.len() + 1];
        let behind = |cut: &C| cuts.partition_point(|other| other <= cut);
        let mut held = 0;
        for (at, Ranged { within, .. }) in (0..).zip(&ranges) {
            let first = within.from.as_ref().map_or(0, behind);
            let end = within.to.as_ref().map_or(cuts.len() + 1, behind).max(first);
            held += end - first;
            if held > most {
                return None;
            }
            counting[first..end].iter_mut().for_each(|counting| counting.push(at));
        }
        Some(Self { cuts, counting, ranges })
    }

    /// What is between the cuts before and behind some places.
    fn stretch(&self, first: usize, last: usize) -> Stretch<C> {
        let from = first.checked_sub(1).map(|before| self.cuts[before].clone());
        Stretch { from, to: self.cuts.get(last).cloned() }
    }

    /// The stretches of which nothing counts, as long as they can be.
    fn uncounted(&self) -> Vec<Stretch<C>> {
        let mut all = Vec::new();
        let mut at = 0;
        while at < self.counting.len() {
            let first = at;
            while self.counting.get(at).is_some_and(|counting| counting.is_empty()) {
                at += 1;
            }
            if at > first {
                all.push(self.stretch(first, at - 1));
            }
            at += 1;
        }
        all
    }

    /// The same as goals, of integers only or of no integer where that is said.
    fn uncounted_goals(&self, integer: Option<bool>, terms: &mut Terms) -> Vec<GoalId> {
        let goal = |stretch: Stretch<C>| {
            let mut conditions = stretch.conditions(terms);
            conditions.extend(integer.map(|holds| Condition::Integer { holds }));
            terms.goal(conditions)
        };
        self.uncounted().into_iter().map(goal).collect()
    }

    /// What an item counts as that is behind those cuts for which this holds.
    fn counts_behind(&self, is_behind: impl Fn(&C) -> bool) -> impl Iterator<Item = u32> {
        self.counts_at(self.cuts.partition_point(is_behind))
    }

    /// What an item of a stretch counts as.
    fn counts_at(&self, at: usize) -> impl Iterator<Item = u32> {
        self.counting[at].iter().map(|&range| self.ranges[range as usize].at)
    }

    /// The classes of the stretches of which something counts.
    fn classes(&self, more: &[Condition], terms: &mut Terms, out: &mut Vec<ItemClass>) {
        for (at, counting) in self.counting.iter().enumerate() {
            let Some(&first) = counting.first() else { continue };
            let (range, stretch) = (&self.ranges[first as usize], self.stretch(at, at));
            let mut conditions = terms.conditions(range.goal).to_vec();
            if range.within != stretch {
                conditions.extend(stretch.conditions(terms));
            }
            conditions.extend_from_slice(more);
            out.push(ItemClass { goal: terms.goal(conditions), counts: self.counts_at(at).collect() });
        }
    }
}

/// The lines of all that is counted by bounds.
struct Lines {
    integers: Line<NumberCut>,
    /// `None` where other numbers count as integers do.
    fractions: Option<Line<NumberCut>>,
    strings: Line<LengthCut>,
}

impl Lines {
    /// Adds what a value counts as.
    fn add_counts(&self, value: &Constant, counts: &mut Counts) {
        match value {
            Constant::Number(number) => {
                let line = self.fractions.as_ref().filter(|_| !number.is_integer()).unwrap_or(&self.integers);
                let is_behind = |(cut, is_behind): &NumberCut| cut < number || cut == number && !is_behind;
                counts.extend(line.counts_behind(is_behind));
            }
            Constant::String(content) => {
                let length = character_count(content) as u64;
                counts.extend(self.strings.counts_behind(|&cut| cut <= length));
            }
            _ => {}
        }
        counts.sort_unstable();
    }

    /// Adds the classes of what counts.
    fn add_classes(&self, unlisted: &[Condition], terms: &mut Terms, out: &mut Vec<ItemClass>) {
        let integer = |holds| [unlisted, &[Condition::Integer { holds }]].concat();
        match &self.fractions {
            None => self.integers.classes(unlisted, terms, out),
            Some(fractions) => {
                self.integers.classes(&integer(true), terms, out);
                fractions.classes(&integer(false), terms, out);
            }
        }
        self.strings.classes(unlisted, terms, out);
    }

    /// What all items satisfy that do not count, and no others.
    fn uncounted(&self, terms: &mut Terms) -> Vec<Condition> {
        let (integers, is_integer) = (&self.integers, self.fractions.is_some().then_some(true));
        let mut numbers = integers.uncounted_goals(is_integer, terms);
        if let Some(fractions) = &self.fractions {
            numbers.extend(fractions.uncounted_goals(Some(false), terms));
        }
        let strings = self.strings.uncounted_goals(None, terms);
        // Where all of a kind count, no value of the kind is left, and all of others are.
        let bound = terms.number(&Decimal::zero());
        let (above, below) =
            (Condition::Minimum { bound, exclusive: true }, Condition::Maximum { bound, exclusive: true });
        let no_number = terms.goal(vec![above, below]);
        let no_string = terms.goal(vec![Condition::MinimumLength(1), Condition::MaximumLength(0)]);
        let mut conditions = Vec::new();
        for (goals, none) in [(numbers, no_number), (strings, no_string)] {
            match goals.as_slice() {
                [] => conditions.extend_from_slice(terms.conditions(none)),
                &[only] => conditions.extend_from_slice(terms.conditions(only)),
                _ => conditions.push(terms.either(goals)),
            }
        }
        conditions
    }
}

impl Solver<'_> {
    /// The classes of items where some of what is counted lists its values, or is within bounds: each item is of one of
    /// them. Empty where nothing is told apart by them.
    ///
    /// # Errors
    /// [`Error::BudgetExceeded`] where a step through the array, which makes a state for each class, would take too much.
    pub(super) fn item_classes(&mut self, counts: &[Counted]) -> Result<Vec<ItemClass>> {
        if counts.len() < 2 {
            return Ok(Vec::new());
        }
        let mut listed_by: FxHashMap<Constant, Counts> = FxHashMap::default();
        for (at, counted) in counts.iter().enumerate() {
            for value in self.listed_values(counted.goal).into_iter().flatten() {
                let counts = listed_by.entry(value).or_default();
                if counts.last() != Some(&(at as u32)) {
                    counts.push(at as u32);
                }
            }
        }
        let bounded = self.counted_by_bounds(counts);
        if listed_by.is_empty() && bounded.ranges() < 2 {
            return Ok(Vec::new());
        }
        let lines = self.lines(bounded)?;
        listed_by.iter_mut().for_each(|(value, counts)| lines.add_counts(value, counts));
        let unlisted: Vec<Condition> = match listed_by.is_empty() {
            true => Vec::new(),
            false => vec![self.tables.terms.one_of(listed_by.keys().cloned().collect(), false)],
        };
        let terms = &mut self.tables.terms;
        let mut classes = classes_of_values(listed_by, terms);
        lines.add_classes(&unlisted, terms, &mut classes);
        let mut others = unlisted;
        others.extend(lines.uncounted(terms));
        classes.push(ItemClass { goal: terms.goal(others), counts: Counts::new() });
        self.check_states(classes.len(), counts.len())?;
        Ok(classes)
    }

    /// That a step through an array, which makes a state for each class with all counts, does not take too much.
    fn check_states(&self, classes: usize, counts: usize) -> Result<()> {
        /// So many times the states of one step are there at once: in lists of choices, and in places.
        const COPIES: usize = 10;
        let states = classes.saturating_mul(size_of_bytes(counts * size_of::<u32>()));
        let limit = self.budget.expressions;
        match states.saturating_mul(COPIES) > limit {
            true => Err(Error::exceeded("expressions", limit, ArrayPlan::SEARCHED)),
            false => Ok(()),
        }
    }

    /// What is counted of which just bounds tell whether an item counts.
    fn counted_by_bounds(&self, counts: &[Counted]) -> ByBounds {
        let mut all = ByBounds::default();
        for (at, &Counted { goal, .. }) in (0..).zip(counts) {
            let Some(keywords) = self.bounded_only(goal) else { continue };
            let Keywords { types: Some(types), string, number, .. } = keywords else { continue };
            if *types == TypeSet::STRING {
                let from = string.minimum_length.filter(|&least| least > 0);
                // Nothing is longer than the greatest number.
                let to = string.maximum_length.and_then(|most| most.checked_add(1));
                all.strings.push(Ranged { at, goal, within: Stretch { from, to } });
                continue;
            }
            let cut = |bound: &Option<Decimal>, is_behind| bound.clone().map(|bound| (bound, is_behind));
            let from = [cut(&number.minimum, false), cut(&number.exclusive_minimum, true)];
            let to = [cut(&number.maximum, true), cut(&number.exclusive_maximum, false)];
            let within =
                Stretch { from: from.into_iter().flatten().max(), to: to.into_iter().flatten().min() };
            let range = Ranged { at, goal, within };
            if types.overlaps(TypeSet::INTEGER) {
                all.integers.push(range.clone());
            }
            if types.overlaps(TypeSet::FRACTION) {
                all.fractions.push(range);
            }
        }
        all
    }

    /// The keywords of a goal that says only that a value is a number within bounds, or a string of some lengths.
    fn bounded_only(&self, goal: GoalId) -> Option<&Keywords> {
        let [Condition::Schema { schema, holds: true, .. }] = *self.tables.terms.conditions(goal) else {
            return None;
        };
        let Body::Keywords(keywords) = self.body_of(schema)? else { return None };
        let Keywords { types, written_integers, string, number, applicators, .. } = &**keywords;
        let types = (*types)?;
        let is_string = types == TypeSet::STRING && string.pattern.is_none() && string.format.is_none();
        let is_number = types.without(TypeSet::NUMBER) == TypeSet::NONE && number.multiple_of.is_none();
        let says_no_more = keywords.listed_values().is_none() && !written_integers && applicators.is_empty();
        (says_no_more && (is_string || is_number)).then_some(keywords)
    }

    fn lines(&self, ByBounds { integers, fractions, strings }: ByBounds) -> Result<Lines> {
        let most = self.budget.expressions;
        let too_many = || Error::exceeded("expressions", most, ArrayPlan::SEARCHED);
        let are_alike = integers.iter().map(|range| range.at).eq(fractions.iter().map(|range| range.at));
        let fractions = if are_alike { None } else { Some(Line::of(fractions, most).ok_or_else(too_many)?) };
        let integers = Line::of(integers, most).ok_or_else(too_many)?;
        Ok(Lines { integers, fractions, strings: Line::of(strings, most).ok_or_else(too_many)? })
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
}

/// A class for each set of what values are listed by.
fn classes_of_values(listed_by: FxHashMap<Constant, Counts>, terms: &mut Terms) -> Vec<ItemClass> {
    let mut values_of: FxHashMap<Counts, Vec<Constant>> = FxHashMap::default();
    for (value, counts) in listed_by {
        values_of.entry(counts).or_default().push(value);
    }
    let mut by_counts: Vec<_> = values_of.into_iter().collect();
    by_counts.sort_unstable();
    let class = |(counts, values)| {
        let condition = terms.one_of(values, true);
        ItemClass { goal: terms.goal_of(condition), counts }
    };
    by_counts.into_iter().map(class).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::condition::ScopeId;
    use super::super::solver::tests::with_solver;
    use super::super::{Options, compile};
    use super::*;
    use crate::{Budget, Constraint, Matcher, Vocabulary};

    /// What may be counted.
    const COUNTED: [&str; 14] = [
        r#"{"type": "integer", "minimum": 1, "maximum": 4}"#,
        r#"{"type": "integer", "minimum": 3}"#,
        r#"{"type": "number", "exclusiveMinimum": 1, "exclusiveMaximum": 4}"#,
        r#"{"type": "number", "maximum": 3}"#,
        r#"{"type": "number", "minimum": 4, "maximum": 1}"#,
        r#"{"type": ["number", "integer"]}"#,
        r#"{"type": "string", "minLength": 1, "maxLength": 2}"#,
        r#"{"type": "string", "minLength": 2}"#,
        r#"{"type": "string", "maxLength": 0}"#,
        r#"{"type": "string"}"#,
        r#"{"enum": [1, 3.5, "ab", null]}"#,
        r#"{"const": 4}"#,
        r#"{"type": ["string", "null"], "minLength": 1}"#,
        r#"{"not": {"type": "number"}}"#,
    ];

    const ITEMS: [&str; 16] = [
        "null",
        "false",
        "0",
        "1",
        "1.5",
        "2",
        "3",
        "3.5",
        "4",
        "4.5",
        "5",
        r#""""#,
        r#""a""#,
        r#""ab""#,
        r#""abc""#,
        r#""\u00e9d""#,
    ];

    /// What is counted of one item, told by an array of that item alone.
    fn counts(schema: &str) -> Vec<bool> {
        let accepted = |item: &&str| accepts(schema, &format!("[{item}]"));
        ITEMS.iter().map(accepted).collect()
    }

    fn accepts(schema: &str, text: &str) -> bool {
        let (vocabulary, budget) = (Arc::new(Vocabulary::of_bytes()), Budget::default());
        let grammar = compile(schema, &[], &Options::default(), &budget).unwrap();
        let constraint = Arc::new(Constraint::compile(&grammar, &vocabulary, &budget).unwrap());
        let mut matcher = Matcher::new(&constraint);
        matcher.accept_bytes(text.as_bytes()).unwrap() && matcher.is_complete()
    }

    /// An item is of one class, which counts as what the item does, as far as classes tell it.
    #[test]
    fn each_item_is_of_one_class() {
        let alone = COUNTED.map(|counted| counts(&format!(r#"{{"contains": {counted}}}"#)));
        let mut told_apart = 0;
        for (one, other) in (0..COUNTED.len()).flat_map(|one| (0..one).map(move |other| (one, other))) {
            let third = (one * 5 + other) % COUNTED.len();
            let all = [one, other, third];
            let demands = all.map(|at| format!(r#"{{"minContains": 0, "contains": {}}}"#, COUNTED[at]));
            let text = format!(r#"{{"type": "array", "allOf": [{}]}}"#, demands.join(", "));
            with_solver(&text, |solver| {
                let goals: Vec<GoalId> = (0..solver.schemas.schemas.len() as u32)
                    .map(super::super::schema::SchemaId)
                    .filter(|at| solver.schemas.schemas[at.index()].location.ends_with("/contains"))
                    .map(|at| solver.goal_of(at, ScopeId::NONE))
                    .collect();
                let counted: Vec<Counted> =
                    goals.iter().map(|&goal| solver.counted(0, goal, 1, None).unwrap()).collect();
                let classes = solver.item_classes(&counted).unwrap();
                let told: Vec<usize> = (0..3)
                    .filter(|&at| classes.iter().any(|class| class.counts.contains(&(at as u32))))
                    .collect();
                told_apart += usize::from(told.len() > 1);
                for (item, text) in ITEMS.iter().enumerate() {
                    let value = super::super::spelling::parse_value(text.as_bytes())
                        .unwrap_or_else(|| panic!("{text}"));
                    let mut of = classes.iter().filter(|class| {
                        let equal = solver.tables.terms.one_of(vec![value.clone()], true);
                        let goal = solver.with_condition(class.goal, equal);
                        solver.is_satisfiable(goal).unwrap()
                    });
                    let Some(class) = of.next() else {
                        assert!(classes.is_empty(), "{text} is of no class");
                        continue;
                    };
                    assert_eq!(of.next(), None, "{text} is of two classes");
                    for &at in &told {
                        let counts = class.counts.contains(&(at as u32));
                        assert_eq!(counts, alone[all[at]][item], "{text} as {}", COUNTED[all[at]]);
                    }
                }
            });
        }
        assert!(told_apart > 40, "{told_apart}");
    }

    /// Of hundreds of ranges that overlap, a few classes are made for each bound, and a text is in one of them.
    #[test]
    fn ranges_that_overlap_are_not_multiplied_out() {
        const COUNT: usize = 300;
        let demand = |at: usize| {
            let most = at + COUNT;
            format!(r#"{{"contains": {{"type": "integer", "minimum": {at}, "maximum": {most}}}}}"#)
        };
        let demands: Vec<String> = (0..COUNT).map(demand).collect();
        let text = format!(r#"{{"type": "array", "allOf": [{}]}}"#, demands.join(", "));
        with_solver(&text, |solver| {
            let root = solver.goal_of(solver.schemas.root, ScopeId::NONE);
            for case in solver.cases_searched_for(root, super::super::condition::Kind::Array).unwrap().iter()
            {
                let plan = solver.array_plan(case).unwrap();
                assert!(plan.classes.len() <= 2 * COUNT + 1, "{}", plan.classes.len());
            }
        });
        for (items, is_valid) in
            [("300", true), ("0,599", false), ("0,300,599", true), ("298,300.5", false), ("299,599", true)]
        {
            assert_eq!(accepts(&text, &format!("[{items}]")), is_valid, "{items}");
        }
    }
}
