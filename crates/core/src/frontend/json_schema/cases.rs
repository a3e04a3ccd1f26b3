//! Goals as cases: the disjunction of conjunctions of leaves, for one kind of value.
//!
//! Conditions are reduced until leaves and choices are left. Choices with one alternative left are no
//! choices; of the others the smallest is tried first, and what is impossible is given up early. A schema
//! that must not hold is let go where it cannot hold anyway: that is what keeps `oneOf` with a
//! discriminator from multiplying out.

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::bounds::Bounded;
use super::condition::{ChoiceId, Condition, GoalId, Kind};
use super::open_choices::MOST_STEPS;
use super::outlook::{MemberValues, contradicts};
use super::reduce::Step;
use super::satisfy::Possible;
use super::solver::{FIXED, Solver};
use super::tables::Case;
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::expression::{ExpressionId, ExpressionStore};
use crate::stack;

/// What there is too much of where schemas multiply out.
pub(super) const SPLIT: &str = "by the cases into which `anyOf`, `oneOf`, `not` and `if` split one value";

/// What has been decided on the way to one case.
#[derive(Clone, Default)]
struct Branch {
    leaves: Vec<Condition>,
    seen: FxHashSet<Condition>,
    choices: Vec<Choice>,
}

impl Branch {
    /// The number of conditions held.
    fn size(&self) -> usize {
        self.leaves.len() + self.seen.len() + self.choices.len()
    }
}

#[derive(Clone, Copy)]
struct Choice {
    of: ChoiceId,
    /// The schema that must not hold, where the choice is how it fails.
    fails: Option<Condition>,
}

/// One search for the cases of a goal.
struct Search {
    kind: Kind,
    cases: FxHashSet<Case>,
    /// The leaves of the cases.
    leaves: usize,
    steps: usize,
    /// The conditions that branches hold whose alternatives are waiting.
    waiting: usize,
    goal: GoalId,
}

impl Solver<'_> {
    /// The cases in which values of a kind satisfy a goal; some of them may turn out to be impossible.
    ///
    /// There are none where the goal plainly excludes the kind. How much is plain may depend on what was asked before.
    #[inline(never)] // the search leads back here
    pub(super) fn cases(&mut self, goal: GoalId, kind: Kind) -> Result<Arc<[Case]>> {
        if let Some(known) = self.tables.cases.get(&(goal, kind)) {
            return Ok(Arc::clone(known));
        }
        let cases: Arc<[Case]> = match self.evident_goal(goal, kind) {
            Some(false) => Arc::from([]),
            // One case without leaves: it costs as much to search for as many others.
            Some(true) if self.plainly_says_nothing(goal, kind) => Arc::from([Case::default()]),
            _ => self.cases_searched_for(goal, kind)?,
        };
        self.tables.cases.insert((goal, kind), Arc::clone(&cases));
        Ok(cases)
    }

    /// The cases of a goal, whatever is plain of it.
    pub(super) fn cases_searched_for(&mut self, goal: GoalId, kind: Kind) -> Result<Arc<[Case]>> {
        let pending = self.tables.terms.conditions(goal).to_vec();
        let mut search = Search { kind, cases: FxHashSet::default(), leaves: 0, steps: 0, waiting: 0, goal };
        let found = self.search_within(&mut search, pending);
        if found.is_err() {
            self.tables.leaves -= search.leaves;
        }
        self.placed(found, goal)?;
        let mut cases: Vec<Case> = search.cases.into_iter().collect();
        cases.sort_unstable();
        Ok(cases.into())
    }

    /// Begins a search, and marks what it is for meanwhile. Refuses one within another for the same cases, unless more is
    /// assumed there: it would come to itself again.
    fn search_within(&mut self, search: &mut Search, pending: Vec<Condition>) -> Result<()> {
        let (goal, kind) = (search.goal, search.kind);
        // Questions about cases nest within those about goals.
        self.check_nesting(self.tables.in_progress.len(), 2 * self.budget.greatest_nesting())?;
        let assumed = self.tables.in_progress.len() + self.tables.counting.len();
        let around = self.tables.searches.insert((goal, kind), assumed);
        let found = match around == Some(assumed) {
            true => Err(self.depends_on_itself()),
            false => {
                let is_new = self.tables.in_progress.insert(goal);
                let found = stack::with_enough(|| self.search(search, pending));
                if is_new {
                    self.tables.in_progress.remove(&goal);
                    self.forget_unknown();
                }
                found
            }
        };
        match around {
            Some(assumed) => self.tables.searches.insert((goal, kind), assumed),
            None => self.tables.searches.remove(&(goal, kind)),
        };
        found
    }

    fn depends_on_itself(&self) -> Error {
        let reason = "whether a value satisfies this schema depends on whether that same value satisfies it";
        self.refuse("$ref", reason)
    }

    /// Finds the cases, one branch after the other: they nest as deep as choices lead to choices.
    fn search(&mut self, search: &mut Search, pending: Vec<Condition>) -> Result<()> {
        let mut waiting = Vec::new();
        self.follow(search, &mut waiting, Branch::default(), pending)?;
        while let Some((branch, goal)) = waiting.pop() {
            let pending = self.tables.terms.conditions(goal).to_vec();
            let branch = Rc::try_unwrap(branch).map_or_else(
                |shared| (*shared).clone(),
                |last| {
                    search.waiting -= last.size();
                    last
                },
            );
            self.follow(search, &mut waiting, branch, pending)?;
        }
        Ok(())
    }

    /// Follows a branch to a case, to where it is impossible, or to a choice, whose alternatives are left waiting.
    fn follow(
        &mut self,
        search: &mut Search,
        waiting: &mut Vec<(Rc<Branch>, GoalId)>,
        mut branch: Branch,
        mut pending: Vec<Condition>,
    ) -> Result<()> {
        search.steps += 1;
        if let Some(left) = self.tables.steps_of_trial {
            let left = left.checked_sub(1).ok_or_else(|| Error::exceeded(FIXED, MOST_STEPS, SPLIT))?;
            self.tables.steps_of_trial = Some(left);
        }
        self.check_size(search)?;
        if !self.reduce_branch(search.kind, &mut branch, &mut pending)? {
            return Ok(());
        }
        // That a choice is left out changes nothing of the others.
        loop {
            self.deadline.check()?;
            if branch.choices.is_empty() {
                self.add_case(search, branch.leaves);
                return Ok(());
            }
            if self.is_better_joined(search.kind, &branch) {
                return self.join(search, branch);
            }
            if self.case_possible(search.kind, &branch.leaves)? == Possible::No {
                return Ok(());
            }
            let open = self.choices_kept(search.kind, &branch)?;
            if branch.choices.iter().all(|choice| open.contains(&choice.of)) {
                branch.leaves.extend(branch.choices.iter().map(|choice| Condition::Either(choice.of)));
                branch.leaves.sort_unstable();
                self.add_case(search, branch.leaves);
                return Ok(());
            }
            let size = |choice: &Choice| self.tables.terms.alternatives(choice.of).len();
            let is_closed = |&at: &usize| !open.contains(&branch.choices[at].of);
            let closed = (0..branch.choices.len()).filter(is_closed);
            let smallest = closed.min_by_key(|&at| size(&branch.choices[at])).unwrap_or(0);
            let choice = branch.choices.swap_remove(smallest);
            if !self.fails_anyway(search.kind, &branch, choice)? {
                search.waiting += branch.size();
                let alternatives = self.alternatives_apart(search.kind, &branch.leaves, choice.of);
                let branch = Rc::new(branch);
                waiting.extend(alternatives.into_iter().rev().map(|goal| (Rc::clone(&branch), goal)));
                return Ok(());
            }
        }
    }

    /// Which choices a branch need not make.
    fn choices_kept(&mut self, kind: Kind, branch: &Branch) -> Result<FxHashSet<ChoiceId>> {
        match kind {
            Kind::Object => {
                let choices: Vec<ChoiceId> = branch.choices.iter().map(|choice| choice.of).collect();
                self.choices_left_open(&branch.leaves, &choices)
            }
            _ => Ok(FxHashSet::default()),
        }
    }

    /// The alternatives of a choice, no two of which both hold where one of them is just that a member is there: then it is not in
    /// the others. So what tells apart schemas of which one holds is not looked for in their other members, too, once it has come.
    fn alternatives_apart(&mut self, kind: Kind, leaves: &[Condition], choice: ChoiceId) -> Vec<GoalId> {
        let mut goals = self.tables.terms.alternatives(choice).to_vec();
        if kind != Kind::Object || goals.len() < 2 {
            return goals;
        }
        let known = self.member_values(leaves);
        let presence = (0..goals.len()).find_map(|at| Some((at, self.presence_alone(&known, goals[at])?)));
        let Some((at, name)) = presence else { return goals };
        for (_, goal) in goals.iter_mut().enumerate().filter(|&(other, _)| other != at) {
            let mut conditions = self.tables.terms.conditions(*goal).to_vec();
            conditions.push(Condition::Absent(name));
            *goal = self.tables.terms.goal(conditions);
        }
        goals
    }

    /// Reduces what is pending until only leaves and choices are left; false when it cannot be met.
    fn reduce_branch(
        &mut self,
        kind: Kind,
        branch: &mut Branch,
        pending: &mut Vec<Condition>,
    ) -> Result<bool> {
        loop {
            self.deadline.check()?;
            if !self.settle(kind, branch, pending)?
                || !self.narrow_choices(kind, branch, pending)?
                || !self.join_bounds(branch, pending)?
            {
                return Ok(false);
            }
            if pending.is_empty() {
                branch.leaves.sort_unstable();
                branch.leaves.dedup();
                return Ok(true);
            }
        }
    }

    /// Whether the choices about a string or number would multiply out to many cases, or to cases of which each is hard.
    fn is_better_joined(&self, kind: Kind, branch: &Branch) -> bool {
        /// So many alternatives are left to be cases, where constants and bounds can be put together.
        const FEW: usize = 8;
        /// So many combinations of alternatives about numbers, too, where divisors can be put together.
        const FEW_COMBINATIONS: usize = 1024;
        let mut sizes = branch.choices.iter().map(|choice| self.tables.terms.alternatives(choice.of).len());
        match kind {
            Kind::Number if !self.is_between_far_bounds(&branch.leaves) => {
                sizes.fold(1, usize::saturating_mul) > FEW_COMBINATIONS
            }
            Kind::Number | Kind::String => branch.choices.len() > 1 || sizes.any(|size| size > FEW),
            _ => false,
        }
    }

    /// Makes one case of a branch about strings or numbers: each choice is the union of regular languages.
    ///
    /// The bounds of a number are looked at within each alternative: between them its multiples may be few enough to be
    /// listed, where remainders alone do not tell which numbers are left.
    fn join(&mut self, search: &mut Search, mut branch: Branch) -> Result<()> {
        let kind = search.kind;
        let is_bound =
            |leaf: &&Condition| matches!(leaf, Condition::Minimum { .. } | Condition::Maximum { .. });
        let bounds: Vec<Condition> = branch.leaves.iter().filter(is_bound).copied().collect();
        for choice in std::mem::take(&mut branch.choices) {
            let mut languages = Vec::new();
            for goal in self.tables.terms.alternatives(choice.of).to_vec() {
                let mut conditions = self.tables.terms.conditions(goal).to_vec();
                conditions.extend_from_slice(&bounds);
                let goal = self.tables.terms.goal(conditions);
                languages.push(self.language(goal, kind)?);
            }
            let language = self.expressions.alternatives(&languages);
            if language == ExpressionStore::NOTHING {
                return Ok(());
            }
            branch.leaves.push(Condition::Language { kind, language });
        }
        branch.leaves.sort_unstable();
        branch.leaves.dedup();
        self.add_case(search, branch.leaves);
        Ok(())
    }

    fn add_case(&mut self, search: &mut Search, leaves: Vec<Condition>) {
        let count = leaves.len();
        if search.cases.insert(leaves.into()) {
            search.leaves += count;
            self.tables.leaves += count;
        }
    }

    /// That the search is not too long, nor what is known by now too much.
    fn check_size(&self, search: &Search) -> Result<()> {
        let Budget { items, expressions, .. } = *self.budget;
        let (budget, limit) = if search.steps > items || search.cases.len() > items / 10 {
            ("items", items)
        } else if self.tables.size() + self.expressions.size() + search.waiting > expressions {
            ("expressions", expressions)
        } else {
            return Ok(());
        };
        Err(Error::exceeded(budget, limit, SPLIT))
    }

    /// The contents of the strings, or the texts of the numbers, that satisfy a goal.
    pub(super) fn language(&mut self, goal: GoalId, kind: Kind) -> Result<ExpressionId> {
        let mut languages = Vec::new();
        for case in self.cases(goal, kind)?.iter() {
            languages.push(match kind {
                Kind::String => self.content(case)?,
                _ => self.number_text(case)?,
            });
        }
        Ok(self.expressions.alternatives(&languages))
    }

    /// Reduces what is pending to leaves and choices; false when it cannot be met.
    fn settle(&mut self, kind: Kind, branch: &mut Branch, pending: &mut Vec<Condition>) -> Result<bool> {
        let mut failing: Option<Condition> = None;
        while let Some(condition) = pending.pop() {
            // Only the choice that comes right behind it is what a condition that fails has become.
            let failed = failing.take();
            if !branch.seen.insert(condition) {
                continue;
            }
            if contradicts(condition).is_some_and(|other| branch.seen.contains(&other)) {
                return Ok(false);
            }
            if let Condition::Either(of) = condition {
                branch.choices.push(Choice { of, fails: failed });
                continue;
            }
            match self.reduce(condition, kind)? {
                Step::True => {}
                Step::False => return Ok(false),
                Step::Leaf => branch.leaves.push(condition),
                Step::All(conditions) => {
                    self.deadline.check()?;
                    branch.seen.reserve(conditions.len());
                    pending.extend_from_slice(&conditions);
                    if let (Condition::Schema { holds: false, .. }, [Condition::Either(_)]) =
                        (condition, conditions.as_slice())
                    {
                        failing = Some(condition);
                    }
                }
            }
        }
        Ok(true)
    }

    /// Drops alternatives that are ruled out and choices that are made; false when one has no alternative
    /// left.
    fn narrow_choices(
        &mut self,
        kind: Kind,
        branch: &mut Branch,
        pending: &mut Vec<Condition>,
    ) -> Result<bool> {
        let known = match kind {
            Kind::Object if !branch.choices.is_empty() => self.member_values(&branch.leaves),
            _ => MemberValues::default(),
        };
        let mut kept = Vec::new();
        for choice in std::mem::take(&mut branch.choices) {
            let goals = self.tables.terms.alternatives(choice.of).to_vec();
            let mut open = Vec::new();
            let mut is_made = false;
            for &goal in &goals {
                self.deadline.check()?;
                match self.outlook(kind, &branch.seen, &known, goal)? {
                    Some(true) => is_made = true,
                    Some(false) => {}
                    None => open.push(goal),
                }
            }
            match open.as_slice() {
                _ if is_made => {}
                [] => return Ok(false),
                [single] => pending.extend_from_slice(self.tables.terms.conditions(*single)),
                _ if open.len() == goals.len() => kept.push(choice),
                _ => {
                    if let Condition::Either(of) = self.tables.terms.either(open) {
                        kept.push(Choice { of, ..choice });
                    }
                }
            }
        }
        branch.choices = kept;
        Ok(true)
    }

    /// Puts choices between bounds together; false when they leave nothing.
    fn join_bounds(&mut self, branch: &mut Branch, pending: &mut Vec<Condition>) -> Result<bool> {
        if branch.choices.len() < 2 {
            return Ok(true);
        }
        for bounded in Bounded::ALL {
            let is_about = |choice: &&Choice| self.bounded_by(choice.of) == Some(bounded);
            let of: Vec<ChoiceId> = branch.choices.iter().filter(is_about).map(|choice| choice.of).collect();
            if of.len() < 2 {
                continue;
            }
            let ranges = self.ranges_left(bounded, &branch.leaves, &of)?;
            let of: FxHashSet<ChoiceId> = of.into_iter().collect();
            branch.choices.retain(|choice| !of.contains(&choice.of));
            match *ranges {
                [] => return Ok(false),
                [single] => pending.extend_from_slice(self.tables.terms.conditions(single)),
                _ => {
                    if let Condition::Either(of) = self.tables.terms.either(ranges) {
                        branch.choices.push(Choice { of, fails: None });
                    }
                }
            }
        }
        Ok(true)
    }

    /// Whether the schema that a choice makes fail cannot hold beside the leaves anyway.
    fn fails_anyway(&mut self, kind: Kind, branch: &Branch, choice: Choice) -> Result<bool> {
        let Some(Condition::Schema { schema, scope, .. }) = choice.fails else { return Ok(false) };
        let mut conditions = branch.leaves.clone();
        conditions.push(Condition::Schema { schema, scope, holds: true });
        let goal = self.tables.terms.goal(conditions);
        // A schema that leads back to itself would be asked again within its own question.
        Ok(!self.tables.in_progress.contains(&goal) && self.kind_possible(goal, kind)? == Possible::No)
    }
}

#[cfg(test)]
mod tests {
    use super::super::condition::ScopeId;
    use super::super::solver::tests::with_solver;
    use super::*;

    /// Where each of many schemas says of one member that it is another constant, and it need not come, what else could tell them
    /// apart matters only where it does not.
    #[test]
    fn what_tells_schemas_apart_is_looked_for_in_other_members_only_where_it_is_not_there() {
        const COUNT: usize = 7;
        let one = |at: usize| {
            format!(
                r#"{{"type": "object", "properties": {{"kind": {{"const": {at}}}, "more": {{"required": ["r{at}"]}}}}}}"#
            )
        };
        let all: Vec<String> = (0..COUNT).map(one).collect();
        with_solver(&format!(r#"{{"oneOf": [{}]}}"#, all.join(", ")), |solver| {
            let root = solver.goal_of(solver.schemas.root, ScopeId::NONE);
            let kind = solver.tables.terms.name(b"kind");
            let cases = solver.cases(root, Kind::Object).unwrap();
            let is_there = |case: &&Case| case.contains(&Condition::Present(kind));
            let is_not_there = |case: &&Case| case.contains(&Condition::Absent(kind));
            assert_eq!(cases.iter().filter(is_there).count(), COUNT);
            assert_eq!(cases.iter().filter(is_not_there).count(), cases.len() - COUNT);
            assert!(cases.len() > COUNT && cases.len() < 3 * COUNT, "{}", cases.len());
        });
    }
}
