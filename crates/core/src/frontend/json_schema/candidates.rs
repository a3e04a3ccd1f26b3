//! Constants that must not come out: which of them an array or object equals so far.

use smallvec::SmallVec;

use super::condition::GoalId;
use super::constant::Constant;
use super::solver::Solver;

/// An array or object that must not come out, by its place in the list of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct CandidateId(pub(super) u32);

impl CandidateId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Those that what has been read equals so far, ascending.
pub(super) type Candidates = SmallVec<[CandidateId; 2]>;

/// So many candidates, all of them.
pub(super) fn all_candidates(count: usize) -> Candidates {
    (0..count as u32).map(CandidateId).collect()
}

impl Solver<'_> {
    /// Tells apart which candidates an array or object still equals after an item or member that satisfies a goal:
    /// `part` is what each has in its place, if anything.
    pub(super) fn split_by_candidates<'a>(
        &mut self,
        goal: GoalId,
        candidates: &[CandidateId],
        part: impl Fn(CandidateId) -> Option<&'a Constant>,
    ) -> Vec<(GoalId, Candidates)> {
        let mut parts: Vec<(&Constant, CandidateId)> =
            candidates.iter().filter_map(|&candidate| Some((part(candidate)?, candidate))).collect();
        if parts.is_empty() {
            return vec![(goal, Candidates::new())];
        }
        parts.sort_unstable();
        let mut result = Vec::new();
        let mut values = Vec::new();
        for alike in parts.chunk_by(|one, other| one.0 == other.0) {
            let value = alike[0].0;
            let equal = self.tables.terms.one_of(vec![value.clone()], true);
            let equal_so_far = alike.iter().map(|&(_, candidate)| candidate).collect();
            result.push((self.with_condition(goal, equal), equal_so_far));
            values.push(value.clone());
        }
        let none = self.tables.terms.one_of(values, false);
        result.push((self.with_condition(goal, none), Candidates::new()));
        result
    }
}
