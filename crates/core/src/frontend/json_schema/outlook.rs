//! What a branch of the search for cases says already of an alternative that it may take.
//!
//! A member that may only be one of a few values tells schemas apart: where it is `"a"`, what asks for `"b"` is ruled
//! out, and that it must not be `"b"` says no more. So a choice between hundreds of `if`s about one member is made by one
//! look at each, where every combination of them would have a plan of its own.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::candidates::is_scalar;
use super::condition::{ChoiceId, Condition, GoalId, Kind, NameId, ValueId};
use super::constant::Constant;
use super::reduce::Step;
use super::schema::Body;
use super::solver::Solver;
use crate::error::Result;
use crate::expression::ExpressionId;

/// The values that a goal lists. All are sorted.
#[derive(Debug)]
pub(super) struct Listed {
    /// Of these and no others.
    values: Box<[ValueId]>,
    /// Whether all of them are meant: a schema may say more of them.
    is_exact: bool,
    /// Whether the value is one of them; it is none of them otherwise.
    holds: bool,
}

impl Listed {
    fn has(&self, value: ValueId) -> bool {
        self.values.binary_search(&value).is_ok()
    }
}

/// What some conditions say of the values of members.
#[derive(Default)]
pub(super) struct MemberValues {
    /// The values that a member may have; of none, there is no such member. Sorted.
    of: FxHashMap<NameId, Vec<ValueId>>,
}

impl MemberValues {
    /// Whether a member, if there is one, satisfies a goal. Where it `is_present`, it may be that it cannot.
    fn outlook(
        &self,
        name: NameId,
        listed: Option<&Listed>,
        is_present: impl FnOnce() -> bool,
    ) -> Option<bool> {
        let values = self.of.get(&name)?;
        if values.is_empty() {
            return Some(true);
        }
        let listed = listed?;
        let is_listed = |&value: &ValueId| listed.has(value);
        // What is listed without being meant is neither ruled in nor ruled out.
        let (all, none) = (listed.is_exact && values.iter().all(is_listed), !values.iter().any(is_listed));
        match (all, none, listed.holds) {
            (true, _, true) | (_, true, false) => Some(true),
            (true, _, false) | (_, true, true) => is_present().then_some(false),
            _ => None,
        }
    }
}

impl Solver<'_> {
    /// What leaves say of the values of members.
    pub(super) fn member_values(&mut self, leaves: &[Condition]) -> MemberValues {
        let mut known = MemberValues::default();
        let mut excluded: Vec<(NameId, Arc<Listed>)> = Vec::new();
        for &leaf in leaves {
            match leaf {
                Condition::Absent(name) => known.of.entry(name).or_default().clear(),
                Condition::Member { name, goal, .. } => match self.listed(goal) {
                    Some(listed) if listed.holds => {
                        let values = known.of.entry(name).or_insert_with(|| listed.values.to_vec());
                        values.retain(|&value| listed.has(value));
                    }
                    Some(listed) if listed.is_exact => excluded.push((name, listed)),
                    _ => {}
                },
                _ => {}
            }
        }
        for (name, listed) in excluded {
            if let Some(values) = known.of.get_mut(&name) {
                values.retain(|&value| !listed.has(value));
            }
        }
        known
    }

    /// The name of which a goal says no more than that there is a member of it, as far as the values go that it may have.
    pub(super) fn presence_alone(&mut self, known: &MemberValues, goal: GoalId) -> Option<NameId> {
        let (name, of_member) = match *self.tables.terms.conditions(goal) {
            [Condition::Present(name), Condition::Member { name: of, goal, .. }]
            | [Condition::Member { name: of, goal, .. }, Condition::Present(name)]
                if of == name =>
            {
                (name, goal)
            }
            _ => return None,
        };
        let listed = self.listed(of_member);
        (known.outlook(name, listed.as_deref(), || false) == Some(true)).then_some(name)
    }

    /// Whether a goal is met or ruled out by what holds already, and what that says of members.
    pub(super) fn outlook(
        &mut self,
        kind: Kind,
        seen: &FxHashSet<Condition>,
        known: &MemberValues,
        goal: GoalId,
    ) -> Result<Option<bool>> {
        /// How many steps schemas are followed to what they say of members.
        const STEPS: u32 = 3;
        let conditions = self.tables.terms.conditions(goal).to_vec();
        let steps = if known.of.is_empty() { 0 } else { STEPS };
        self.outlook_of_all(kind, seen, known, &conditions, steps)
    }

    fn outlook_of_all(
        &mut self,
        kind: Kind,
        seen: &FxHashSet<Condition>,
        known: &MemberValues,
        conditions: &[Condition],
        steps: u32,
    ) -> Result<Option<bool>> {
        let mut verdict = Some(true);
        let mut demanded: Option<FxHashSet<Condition>> = None;
        for &condition in conditions {
            if contradicts(condition).is_some_and(|other| seen.contains(&other)) {
                return Ok(Some(false));
            }
            if seen.contains(&condition) {
                continue;
            }
            let one = match condition {
                Condition::Either(of) => self.outlook_of_choice(kind, seen, known, of, steps)?,
                Condition::Present(name) if known.of.get(&name).is_some_and(Vec::is_empty) => Some(false),
                Condition::Member { name, goal, .. } if kind == Kind::Object => {
                    let present = Condition::Present(name);
                    let is_demanded = || {
                        let all = || conditions.iter().copied().collect();
                        seen.contains(&present) || demanded.get_or_insert_with(all).contains(&present)
                    };
                    let listed = self.listed(goal);
                    known.outlook(name, listed.as_deref(), is_demanded)
                }
                condition => match self.reduce(condition, kind)? {
                    Step::True => Some(true),
                    Step::False => Some(false),
                    Step::All(conditions) if steps > 0 => {
                        self.deadline.check()?;
                        self.outlook_of_all(kind, seen, known, &conditions, steps - 1)?
                    }
                    Step::All(_) | Step::Leaf => None,
                },
            };
            match one {
                Some(true) => {}
                Some(false) => return Ok(Some(false)),
                None => verdict = None,
            }
        }
        Ok(verdict)
    }

    fn outlook_of_choice(
        &mut self,
        kind: Kind,
        seen: &FxHashSet<Condition>,
        known: &MemberValues,
        of: ChoiceId,
        steps: u32,
    ) -> Result<Option<bool>> {
        let goals = self.tables.terms.alternatives(of).to_vec();
        if goals.contains(&GoalId::ANYTHING) {
            return Ok(Some(true));
        }
        if goals.is_empty() || steps == 0 {
            return Ok(goals.is_empty().then_some(false));
        }
        self.deadline.check()?;
        let mut verdict = Some(false);
        for goal in goals {
            let conditions = self.tables.terms.conditions(goal).to_vec();
            match self.outlook_of_all(kind, seen, known, &conditions, steps - 1)? {
                Some(true) => return Ok(Some(true)),
                Some(false) => {}
                None => verdict = None,
            }
        }
        Ok(verdict)
    }

    /// Values outside of which none satisfies a goal, where some of its conditions list them. Sorted; not all of them need
    /// satisfy it.
    pub(super) fn values_listed(&mut self, goal: GoalId) -> Option<Vec<ValueId>> {
        self.values_left(goal).map(|(values, _)| values)
    }

    /// The values that are left of those that the conditions of a goal list, and whether it says no more than which they are,
    /// so that all of them satisfy it.
    fn values_left(&mut self, goal: GoalId) -> Option<(Vec<ValueId>, bool)> {
        let mut values: Option<Vec<ValueId>> = None;
        let mut excluded: Vec<Arc<Listed>> = Vec::new();
        let mut is_exact = true;
        for condition in self.tables.terms.conditions(goal).to_vec() {
            let of_condition = self.tables.terms.goal_of(condition);
            let listed = self.listed(of_condition);
            is_exact &= listed.as_ref().is_some_and(|listed| listed.is_exact);
            match (listed, &mut values) {
                (Some(listed), Some(values)) if listed.holds => values.retain(|value| listed.has(*value)),
                (Some(listed), None) if listed.holds => values = Some(listed.values.to_vec()),
                (Some(listed), _) if listed.is_exact => excluded.push(listed),
                _ => {}
            }
        }
        let mut values = values?;
        values.retain(|&value| !excluded.iter().any(|listed| listed.has(value)));
        Some((values, is_exact))
    }

    /// The values that satisfy a goal, where it lists them, it can be read off a text which of them it is, and each may be
    /// written in all ways in which it may where nothing else is said of it. Sorted.
    pub(super) fn told_values(&mut self, goal: GoalId) -> Result<Option<Vec<ValueId>>> {
        let Some((mut values, is_exact)) = self.values_left(goal) else { return Ok(None) };
        if values.iter().any(|&value| !is_scalar(self.tables.terms.constant(value))) {
            return Ok(None);
        }
        if is_exact && self.tables.terms.conditions(goal).len() == 1 {
            return Ok(Some(values));
        }
        let terms = &self.tables.terms;
        let is_number = |&value: &ValueId| matches!(terms.constant(value), Constant::Number(_));
        let (numbers, others): (Vec<ValueId>, Vec<ValueId>) = values.into_iter().partition(is_number);
        let Some(numbers) = self.numbers_told(goal, numbers)? else { return Ok(None) };
        values = if is_exact { others } else { self.satisfying(goal, &others)? };
        values.extend(numbers);
        values.sort_unstable();
        Ok(Some(values))
    }

    /// Those of some numbers that satisfy a goal, which no others do; `None` where one of them may not be written in all ways.
    fn numbers_told(&mut self, goal: GoalId, mut numbers: Vec<ValueId>) -> Result<Option<Vec<ValueId>>> {
        if numbers.is_empty() {
            return Ok(Some(numbers));
        }
        let texts = self.language(goal, Kind::Number)?;
        numbers.retain(|&number| match self.tables.terms.constant(number) {
            Constant::Number(number) => self.expressions.matches(texts, number.to_string().as_bytes()),
            _ => false,
        });
        let all_texts = self.texts_of_numbers(&numbers)?;
        Ok((texts == all_texts).then_some(numbers))
    }

    /// All ways to write some numbers.
    pub(super) fn texts_of_numbers(&mut self, numbers: &[ValueId]) -> Result<ExpressionId> {
        let terms = &mut self.tables.terms;
        let numbers = numbers.iter().map(|&number| terms.constant(number).clone()).collect();
        let one_of = terms.one_of(numbers, true);
        let goal = terms.goal_of(one_of);
        self.language(goal, Kind::Number)
    }

    /// Whether it can be read off their texts which of some values it is, and all others can be written in the same ways as
    /// without them: strings, booleans and null. Arrays and objects are not texts of fixed bytes; and where a number must not
    /// be one of some, fewer ways to write it are allowed.
    pub(super) fn are_legible(&self, values: &[ValueId]) -> bool {
        let is_legible =
            |constant: &Constant| is_scalar(constant) && !matches!(constant, Constant::Number(_));
        values.iter().all(|&value| is_legible(self.tables.terms.constant(value)))
    }

    /// Those of some legible values that satisfy a goal.
    pub(super) fn satisfying(&mut self, goal: GoalId, values: &[ValueId]) -> Result<Vec<ValueId>> {
        let language = self.language(goal, Kind::String)?;
        let (booleans, nulls) = (self.cases(goal, Kind::Boolean)?, self.cases(goal, Kind::Null)?);
        let mut satisfying = Vec::with_capacity(values.len());
        for &value in values {
            let satisfies = match self.tables.terms.constant(value) {
                Constant::String(content) => self.expressions.matches(language, content),
                Constant::Boolean(value) => booleans.iter().any(|case| self.booleans(case).contains(value)),
                Constant::Null => !nulls.is_empty(),
                Constant::Number(_) | Constant::Array(_) | Constant::Object(_) => false,
            };
            if satisfies {
                satisfying.push(value);
            }
        }
        Ok(satisfying)
    }

    /// A goal without the legible values that it excludes, and these. Sorted.
    pub(super) fn without_excluded(&mut self, goal: GoalId) -> (GoalId, Vec<ValueId>) {
        let (mut excluded, mut rest) = (Vec::new(), Vec::new());
        for condition in self.tables.terms.conditions(goal).to_vec() {
            let of_condition = self.tables.terms.goal_of(condition);
            match self.listed(of_condition) {
                Some(listed) if listed.is_exact && !listed.holds && self.are_legible(&listed.values) => {
                    excluded.extend_from_slice(&listed.values);
                }
                _ => rest.push(condition),
            }
        }
        excluded.sort_unstable();
        excluded.dedup();
        (self.tables.terms.goal(rest), excluded)
    }

    /// The values that a goal lists, and whether a value that satisfies it is one of them or none, where it says no more than
    /// that.
    pub(super) fn listed_exactly(&mut self, goal: GoalId) -> Option<(Vec<Constant>, bool)> {
        let listed = self.listed(goal).filter(|listed| listed.is_exact)?;
        let values = listed.values.iter().map(|&value| self.tables.terms.constant(value).clone());
        Some((values.collect(), listed.holds))
    }

    /// The values that a goal lists, where one condition does.
    fn listed(&mut self, goal: GoalId) -> Option<Arc<Listed>> {
        if let Some(known) = self.tables.listed.get(&goal) {
            return known.clone();
        }
        let listed = self.find_listed(goal).map(Arc::new);
        self.tables.listed.insert(goal, listed.clone());
        listed
    }

    fn find_listed(&mut self, goal: GoalId) -> Option<Listed> {
        let schemas = self.schemas;
        let terms = &mut self.tables.terms;
        let (values, is_exact, holds) = match *terms.conditions(goal) {
            _ if goal == GoalId::NOTHING => (Vec::new(), true, true),
            [Condition::OneOf { constants, holds }] => {
                let constants = terms.constants(constants).to_vec();
                (terms.values(&constants), true, holds)
            }
            [Condition::Schema { schema, holds, .. }] => {
                let Body::Keywords(keywords) = &schemas.schemas[schema.index()].body else { return None };
                match keywords.values() {
                    Some(values) => (terms.values(&values), true, holds),
                    None => (terms.values(keywords.listed_values()?), false, holds),
                }
            }
            _ => return None,
        };
        Some(Listed { values: values.into(), is_exact, holds })
    }
}

/// The opposite of a condition, where that is one condition.
pub(super) fn contradicts(condition: Condition) -> Option<Condition> {
    Some(match condition {
        Condition::Schema { schema, scope, holds } => Condition::Schema { schema, scope, holds: !holds },
        Condition::OneOf { constants, holds } => Condition::OneOf { constants, holds: !holds },
        Condition::Integer { holds } => Condition::Integer { holds: !holds },
        Condition::Whole { holds } => Condition::Whole { holds: !holds },
        Condition::Pattern { pattern, holds } => Condition::Pattern { pattern, holds: !holds },
        Condition::Format { format, holds } => Condition::Format { format, holds: !holds },
        Condition::Present(name) => Condition::Absent(name),
        Condition::Absent(name) => Condition::Present(name),
        _ => return None,
    })
}
