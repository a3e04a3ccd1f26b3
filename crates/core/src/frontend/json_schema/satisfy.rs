//! Whether any value satisfies a goal.
//!
//! An object that requires a member of its own kind has no finite value; one that may have it has. So this
//! is a least fixpoint over goals that refer to one another, worked out on demand, depth first. A goal that
//! is met again while it is being worked out counts as unsatisfiable there; what follows from that alone is
//! not kept.

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
        let nesting = self.check_nesting(self.tables.in_progress.len(), self.budget.greatest_nesting());
        self.placed(nesting, goal)?;
        if !self.tables.in_progress.insert(goal) {
            return Ok(Possible::Unknown);
        }
        let verdict = stack::with_enough(|| self.possible_in_some_kind(goal));
        self.tables.in_progress.remove(&goal);
        let verdict = self.placed(verdict, goal)?;
        if verdict != Possible::Unknown {
            self.tables.satisfiable.insert(goal, verdict == Possible::Yes);
        }
        Ok(verdict)
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
            let bytes: &[u8] = match kind {
                Kind::Null => b"n",
                Kind::Boolean => b"tf",
                Kind::Number => b"-0123456789",
                Kind::String => b"\"",
                Kind::Array => b"[",
                Kind::Object => b"{",
            };
            bytes.iter().for_each(|&byte| first.insert(byte));
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
