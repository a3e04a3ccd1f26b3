//! Whether any value satisfies a goal.
//!
//! An object that requires a member of its own kind has no finite value; one that may have it has. So this
//! is a least fixpoint over goals that refer to one another, worked out on demand, depth first. A goal that
//! is met again while it is being worked out counts as unsatisfiable there; what follows from that alone is
//! not kept for good, but only until it turns out that some value satisfies a goal that was being worked out. Where none
//! does, no more follows without that goal than with it. So each goal is worked out once for each that is satisfied, where
//! every way from one to another would take it again.

use super::condition::{Condition, GoalId, Kind};
use super::solver::Solver;
use crate::error::{Error, Result};
use crate::expression::{ByteSet, ExpressionStore};
use crate::stack;

/// The answer to whether some value satisfies something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Possible {
    /// None does.
    No,
    /// None does without one for a goal that is being worked out.
    Unknown,
    /// Some does.
    Yes,
}

impl Possible {
    pub(super) fn of(verdict: bool) -> Self {
        if verdict { Self::Yes } else { Self::No }
    }

    /// The answer where one of two suffices.
    pub(super) fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Yes, _) | (_, Self::Yes) => Self::Yes,
            (Self::No, Self::No) => Self::No,
            _ => Self::Unknown,
        }
    }

    /// The answer where both are needed.
    pub(super) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::No, _) | (_, Self::No) => Self::No,
            (Self::Yes, Self::Yes) => Self::Yes,
            _ => Self::Unknown,
        }
    }
}

impl Solver<'_> {
    /// Whether some value satisfies a goal, asked from outside of any such question.
    pub(super) fn is_satisfiable(&mut self, goal: GoalId) -> Result<bool> {
        debug_assert!(self.tables.in_progress.is_empty(), "a question from outside");
        if let Some(verdict) = self.evident_satisfiable(goal) {
            return Ok(verdict);
        }
        let verdict = self.possible(goal)? == Possible::Yes;
        self.tables.satisfiable.insert(goal, verdict);
        Ok(verdict)
    }

    /// Whether some value satisfies a goal.
    #[inline(never)] // the search leads back here
    pub(super) fn possible(&mut self, goal: GoalId) -> Result<Possible> {
        if goal == GoalId::ANYTHING {
            return Ok(Possible::Yes);
        }
        if let Some(verdict) = self.evident_satisfiable(goal) {
            return Ok(Possible::of(verdict));
        }
        if let Some(&known) = self.tables.satisfiable.get(&goal) {
            return Ok(Possible::of(known));
        }
        if self.tables.unknown.contains(&goal) {
            return Ok(Possible::Unknown);
        }
        self.deadline.check()?;
        let nesting = self.check_nesting(self.tables.in_progress.len(), self.budget.greatest_nesting());
        self.placed(nesting, goal)?;
        if !self.tables.in_progress.insert(goal) {
            return Ok(Possible::Unknown);
        }
        let verdict = stack::with_enough(|| self.possible_in_some_kind(goal));
        self.tables.in_progress.remove(&goal);
        if !matches!(verdict, Ok(Possible::No | Possible::Unknown)) {
            self.forget_unknown();
        }
        match self.placed(verdict, goal)? {
            // Goals that are being counted are taken for unknown, too, and leave no word when they are not any more.
            Possible::Unknown if !self.tables.counting.is_empty() => Ok(Possible::Unknown),
            Possible::Unknown => {
                self.tables.unknown.insert(goal);
                Ok(Possible::Unknown)
            }
            verdict => {
                self.tables.satisfiable.insert(goal, verdict == Possible::Yes);
                Ok(verdict)
            }
        }
    }

    /// Forgets what rests on goals in progress, where one of them is so no more, and some value may satisfy it.
    pub(super) fn forget_unknown(&mut self) {
        self.tables.unknown.clear();
    }

    fn possible_in_some_kind(&mut self, goal: GoalId) -> Result<Possible> {
        let mut verdict = Possible::No;
        for kind in Kind::ALL {
            verdict = verdict.or(self.kind_possible(goal, kind)?);
            if verdict == Possible::Yes {
                break;
            }
        }
        Ok(verdict)
    }

    /// That no more questions are within one another than a limit allows.
    pub(super) fn check_nesting(&self, depth: usize, limit: usize) -> Result<()> {
        if depth <= limit {
            return Ok(());
        }
        let what = "by values that need one another";
        Err(Error::exceeded("nesting", self.budget.greatest_nesting(), what))
    }

    /// Whether some value of a kind satisfies a goal.
    pub(super) fn kind_possible(&mut self, goal: GoalId, kind: Kind) -> Result<Possible> {
        let mut verdict = Possible::No;
        for case in self.cases(goal, kind)?.iter() {
            verdict = verdict.or(self.case_possible(kind, case)?);
            if verdict == Possible::Yes {
                break;
            }
        }
        Ok(verdict)
    }

    /// Whether some value of a kind meets all leaves of a case.
    #[inline(never)] // the search leads back here
    pub(super) fn case_possible(&mut self, kind: Kind, leaves: &[Condition]) -> Result<Possible> {
        let some = |language| Possible::of(language != ExpressionStore::NOTHING);
        let possible = match kind {
            Kind::Null => Ok(Possible::Yes),
            Kind::Boolean => Ok(Possible::of(!self.booleans(leaves).is_empty())),
            Kind::Number => self.number_text(leaves).map(some),
            Kind::String => self.content(leaves).map(some),
            Kind::Array => self.array_possible(leaves),
            Kind::Object => self.object_possible(leaves),
        };
        self.placed_case(possible, leaves)
    }

    /// The bytes with which the values begin that satisfy a goal.
    pub(super) fn first_bytes(&mut self, goal: GoalId) -> Result<ByteSet> {
        let mut first = ByteSet::EMPTY;
        for kind in self.kinds(goal)? {
            first = first.union(&kind.first_bytes());
        }
        Ok(first)
    }

    /// The kinds of values that satisfy a goal, asked from outside of any such question.
    pub(super) fn kinds(&mut self, goal: GoalId) -> Result<Vec<Kind>> {
        let mut kinds = Vec::new();
        for kind in Kind::ALL {
            let is_possible = match self.evident_goal(goal, kind) {
                Some(verdict) => verdict,
                None => self.kind_possible(goal, kind)? == Possible::Yes,
            };
            if is_possible {
                kinds.push(kind);
            }
        }
        Ok(kinds)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Options, compile};
    use crate::budget::Budget;
    use crate::error::Error;

    /// Schemas of which each needs one of two others: there are more ways through them than can be gone one by one.
    #[test]
    fn schemas_that_need_one_another_in_many_ways_are_worked_out_once() {
        let definition = |at: usize| {
            let others =
                [at + 1, 7 * at + 3].map(|other| format!(r##"{{"$ref": "#/$defs/{}"}}"##, other % 60));
            let members = format!(r#""properties": {{"a": {{"anyOf": [{}]}}}}"#, others.join(", "));
            format!(r#""{at}": {{"type": "object", "required": ["a"], {members}}}"#)
        };
        let schema = |last: &str| {
            let definitions = (0..59).map(definition).chain([format!(r#""59": {last}"#)]);
            format!(
                r##"{{"$ref": "#/$defs/0", "$defs": {{{}}}}}"##,
                definitions.collect::<Vec<_>>().join(", ")
            )
        };
        let compile = |schema: &str| compile(schema, &[], &Options::default(), &Budget::default());
        let endless = compile(&schema(&definition(59)["\"59\": ".len()..])).err();
        assert!(matches!(endless, Some(Error::EmptyGrammar(_))), "{endless:?}");
        // Of its own kinds none is plain, so that it is worked out, too.
        let ended = schema(r#"{"allOf": [{"type": ["null", "string"]}, {"type": ["null", "integer"]}]}"#);
        assert!(compile(&ended).is_ok());
    }
}
