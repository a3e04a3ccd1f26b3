//! Members that others need: `dependentRequired`.
//!
//! That a member needs others is a leaf, and no choice between its absence and theirs: choices multiply, and what has
//! come of an object says already which of them are made. So a plan lists what its names need, and a state knows the
//! names that must still come.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::condition::{KeySetId, NameId};
use super::object::{Named, ObjectPlan};
use super::object_state::ObjectState;
use super::options::PropertyOrder;
use super::satisfy::Possible;
use super::solver::Solver;
use crate::error::Result;

/// What the names of a plan need of one another, by their places.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Dependencies {
    /// Sorted. Neither names that are required nor their needs are listed, since those are required, too.
    pub(super) of: Vec<(u32, Vec<u32>)>,
}

impl Dependencies {
    pub(super) fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    pub(super) fn has(&self, at: usize) -> bool {
        !self.at(at).is_empty()
    }

    /// What a name itself needs.
    fn at(&self, at: usize) -> &[u32] {
        let found = self.of.binary_search_by_key(&at, |&(name, _)| name as usize);
        found.map_or(&[], |found| &self.of[found].1)
    }

    /// Adds to a set of names those that they need, and these in turn; gives those that were added.
    fn close(&self, has: &mut NameSet, names: impl IntoIterator<Item = usize>) -> Vec<usize> {
        let mut waiting: Vec<usize> = names.into_iter().collect();
        let mut added = Vec::new();
        while let Some(at) = waiting.pop() {
            for &needed in self.at(at) {
                let needed = needed as usize;
                if has.insert(needed) {
                    added.push(needed);
                    waiting.push(needed);
                }
            }
        }
        added
    }
}

/// Some of the names of a plan, as bits by their place.
#[derive(Clone)]
struct NameSet(SmallVec<[u64; 2]>);

impl NameSet {
    fn contains(&self, at: usize) -> bool {
        self.0[at / 64] >> (at % 64) & 1 == 1
    }

    /// Whether it was not there before.
    fn insert(&mut self, at: usize) -> bool {
        let is_new = !self.contains(at);
        self.0[at / 64] |= 1 << (at % 64);
        is_new
    }
}

/// How an object can be completed after one more name, as far as the number of members tells.
pub(super) struct CompletionByNumber {
    /// Whether it can after one that must come, and after another.
    pub(super) after_required: bool,
    pub(super) after_other: bool,
    /// The names that must come since others have, ascending.
    pub(super) needed: Vec<usize>,
}

impl CompletionByNumber {
    /// Whether the object can be completed after the name at a place; `None` where that depends on what it needs.
    pub(super) fn after(&self, plan: &ObjectPlan, at: usize) -> Option<bool> {
        if plan.names[at].required || self.needed.binary_search(&at).is_ok() {
            return Some(self.after_required);
        }
        (!plan.dependencies.has(at)).then_some(self.after_other)
    }
}

/// Which names need which, as leaves say it.
pub(super) type Needs = Vec<(NameId, KeySetId)>;

impl ObjectPlan {
    /// The places of the names that must still come because of others that have, and that are not required anyway.
    /// Ascending.
    pub(super) fn needed(&self, state: &ObjectState) -> Vec<usize> {
        if self.dependencies.is_empty() {
            return Vec::new();
        }
        let mut has = NameSet(state.seen.clone());
        let seen = self.dependencies.of.iter().map(|&(at, _)| at as usize).filter(|&at| state.has_seen(at));
        let mut needed = self.dependencies.close(&mut has, seen);
        needed.sort_unstable();
        needed
    }
}

impl Solver<'_> {
    /// All names that must come where those come that are required at first.
    pub(super) fn all_required(
        &self,
        needs: &Needs,
        required: impl Iterator<Item = NameId>,
    ) -> FxHashSet<NameId> {
        let mut needed_by: FxHashMap<NameId, Vec<KeySetId>> = FxHashMap::default();
        needs.iter().for_each(|&(name, needed)| needed_by.entry(name).or_default().push(needed));
        let mut waiting: Vec<NameId> = required.collect();
        let mut all: FxHashSet<NameId> = waiting.iter().copied().collect();
        while let Some(name) = waiting.pop() {
            for &set in needed_by.get(&name).into_iter().flatten() {
                waiting
                    .extend(self.tables.terms.keys(set).names.iter().filter(|&&needed| all.insert(needed)));
            }
        }
        all
    }

    /// Drops the names that need one which no member may have.
    pub(super) fn drop_unmet(&self, needs: &Needs, names: &mut Vec<(u32, Named)>) {
        let mut there: FxHashSet<NameId> = names.iter().map(|(_, named)| named.name).collect();
        let mut needing: FxHashMap<NameId, Vec<NameId>> = FxHashMap::default();
        let mut dropped: Vec<NameId> = Vec::new();
        for &(name, set) in needs {
            for &needed in &self.tables.terms.keys(set).names {
                needing.entry(needed).or_default().push(name);
                if !there.contains(&needed) && there.remove(&name) {
                    dropped.push(name);
                }
            }
        }
        while let Some(needed) = dropped.pop() {
            let unmet = needing.get(&needed).into_iter().flatten();
            dropped.extend(unmet.filter(|&name| there.remove(name)));
        }
        names.retain(|(_, named)| named.required || there.contains(&named.name));
    }

    /// What the names of a plan need, by their places.
    pub(super) fn dependencies(&self, needs: &Needs, names: &[Named]) -> Dependencies {
        if needs.is_empty() {
            return Dependencies::default();
        }
        let places: FxHashMap<NameId, u32> = (0..).zip(names).map(|(at, named)| (named.name, at)).collect();
        let is_open = |&at: &u32| !names[at as usize].required;
        let mut of: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for (name, set) in needs {
            let Some(&at) = places.get(name).filter(|at| is_open(at)) else { continue };
            let needed =
                self.tables.terms.keys(*set).names.iter().filter_map(|needed| places.get(needed).copied());
            of.entry(at).or_default().extend(needed.filter(|needed| *needed != at && is_open(needed)));
        }
        let mut of: Vec<(u32, Vec<u32>)> = of.into_iter().filter(|(_, needed)| !needed.is_empty()).collect();
        of.sort_unstable();
        for (_, needed) in &mut of {
            needed.sort_unstable();
            needed.dedup();
        }
        Dependencies { of }
    }

    /// Whether `missing` more members, and no more than `room`, can come by names that need others, beyond those that
    /// must come; those that need no other are taken to come, but may be left out. `None` where the number of members
    /// that come together leaps over the room: only a search tells then.
    ///
    /// The names that need the fewest others come first. Where no two names need each other, each brings just one
    /// member more, and no number is leapt over.
    pub(super) fn fill_with_dependent(
        &mut self,
        plan: &ObjectPlan,
        state: &ObjectState,
        missing: u64,
        room: u64,
    ) -> Result<Option<Possible>> {
        let position =
            if self.options.order == PropertyOrder::Declared { state.position as usize } else { 0 };
        let mut has = NameSet(state.seen.clone());
        for at in (0..plan.names.len()).filter(|&at| plan.names[at].required) {
            has.insert(at);
        }
        for at in plan.needed(state) {
            has.insert(at);
        }
        let mut verdict = Possible::No;
        let mut waiting: Vec<usize> = Vec::new();
        for at in position..plan.names.len() {
            match self.possible(plan.names[at].goal)? {
                _ if has.contains(at) => {}
                // What is free of needs has been counted already.
                Possible::Yes if !plan.dependencies.has(at) => {
                    has.insert(at);
                }
                Possible::Yes => waiting.push(at),
                Possible::Unknown => verdict = Possible::Unknown,
                Possible::No => {}
            }
        }
        let comes: FxHashSet<usize> = waiting.iter().copied().collect();
        let mut brought = 0;
        loop {
            self.deadline.check()?;
            let mut best: Option<(usize, NameSet)> = None;
            for &at in waiting.iter().filter(|&&at| !has.contains(at)) {
                let mut with = has.clone();
                with.insert(at);
                let others = plan.dependencies.close(&mut with, [at]);
                let count = 1 + others.len();
                if others.iter().all(|other| comes.contains(other))
                    && best.as_ref().is_none_or(|(least, _)| count < *least)
                {
                    best = Some((count, with));
                }
            }
            let Some((count, with)) = best else { return Ok(Some(verdict)) };
            has = with;
            brought += count as u64;
            if brought > room {
                return Ok(None);
            }
            if brought >= missing {
                return Ok(Some(Possible::Yes));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::candidates::Candidates;
    use super::super::condition::{Kind, ScopeId};
    use super::super::solver::tests::with_solver;

    /// Each of hundreds of names comes with another or not: one case, which the state tells apart.
    #[test]
    fn hundreds_of_dependencies_are_one_case() {
        let pairs = (0..400).map(|at| format!(r#""a{at}": ["b{at}", "c"]"#)).collect::<Vec<_>>().join(", ");
        with_solver(&format!(r#"{{"type": "object", "dependentRequired": {{{pairs}}}}}"#), |solver| {
            let root = solver.goal_of(solver.schemas.root, ScopeId::NONE);
            let cases = solver.cases(root, Kind::Object).unwrap();
            assert_eq!(cases.len(), 1);
            let plan = solver.object_plan(&cases[0]).unwrap();
            let mut state = plan.start(Candidates::NONE);
            assert!(plan.needed(&state).is_empty());
            for at in (0..plan.names.len()).filter(|&at| plan.dependencies.has(at)) {
                state = solver.after_name(&plan, &state, at).swap_remove(0).1;
            }
            assert_eq!(plan.needed(&state).len(), 401);
        });
    }
}
