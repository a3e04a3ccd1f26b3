//! Members that others need: `dependentRequired`, and `dependentSchemas` that ask for no more than names.
//!
//! That a member needs others is a leaf, and no choice between its absence and theirs: choices multiply, and what has
//! come of an object says already which of them are made. So a plan lists what its names need, and a state knows the
//! names that must still come. Which names can come is told for all of them at once: each would take as long as what it
//! needs, and all may need all. With which of them an object is filled, `dependent_fill` tells.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::condition::{KeySetId, NameId};
use super::independent_fill::Filling;
use super::object::{Named, ObjectPlan};
use super::object_state::ObjectState;
use super::schema::{Body, ObjectKeywords, SchemaId, TypeSet};
use super::solver::Solver;
use crate::bits::indices;
use crate::error::Result;
use crate::expression::size_of_bytes;

/// What the names of a plan need of one another, by their places.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Dependencies {
    /// Sorted. Neither names that are required nor their needs are listed, since those are required, too.
    pub(super) of: Vec<(u32, Vec<u32>)>,
    /// The same from the other end: which names need a name. Sorted.
    by: Vec<(u32, Vec<u32>)>,
}

impl Dependencies {
    pub(super) fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    pub(super) fn has(&self, at: usize) -> bool {
        !self.needed_by(at).is_empty()
    }

    /// What a name itself needs.
    pub(super) fn needed_by(&self, at: usize) -> &[u32] {
        list_of(&self.of, at)
    }

    /// Which names themselves need a name.
    pub(super) fn needing(&self, at: usize) -> &[u32] {
        list_of(&self.by, at)
    }

    /// Adds to a set of names those that they need, and these in turn, up to one more than `most` of them; gives those
    /// that were added.
    fn close(&self, has: &mut NameSet, names: impl IntoIterator<Item = usize>, most: u64) -> Vec<usize> {
        let mut waiting: Vec<usize> = names.into_iter().collect();
        let mut added = Vec::new();
        while let Some(at) = waiting.pop() {
            for &needed in self.needed_by(at) {
                let needed = needed as usize;
                if has.insert(needed) {
                    added.push(needed);
                    waiting.push(needed);
                }
            }
            if added.len() as u64 > most {
                break;
            }
        }
        added
    }

    /// Adds to a set of names those that need a name, and those that need these in turn, without a look behind those that
    /// are in it; gives those that were added.
    pub(super) fn add_needing(&self, found: &mut NameSet, name: usize) -> Vec<usize> {
        let mut added = Vec::new();
        let mut next = 0;
        let mut at = Some(name);
        while let Some(needed) = at {
            for &needing in self.needing(needed) {
                if found.insert(needing as usize) {
                    added.push(needing as usize);
                }
            }
            at = added.get(next).copied();
            next += 1;
        }
        added
    }
}

fn list_of(lists: &[(u32, Vec<u32>)], at: usize) -> &[u32] {
    let found = lists.binary_search_by_key(&at, |&(name, _)| name as usize);
    found.map_or(&[], |found| &lists[found].1)
}

/// Some of the names of a plan, as bits by their place.
#[derive(Clone, Debug)]
pub(super) struct NameSet(SmallVec<[u64; 2]>);

impl NameSet {
    /// Those that have come to a state.
    pub(super) fn seen(state: &ObjectState) -> Self {
        Self(state.seen.clone())
    }

    /// None of so many.
    pub(super) fn none_of(count: usize) -> Self {
        Self(SmallVec::from_elem(0, count.div_ceil(64)))
    }

    pub(super) fn contains(&self, at: usize) -> bool {
        self.0[at / 64] >> (at % 64) & 1 == 1
    }

    /// Whether it was not there before.
    pub(super) fn insert(&mut self, at: usize) -> bool {
        let is_new = !self.contains(at);
        self.0[at / 64] |= 1 << (at % 64);
        is_new
    }

    pub(super) fn remove(&mut self, at: usize) {
        self.0[at / 64] &= !(1 << (at % 64));
    }

    /// The same with some more.
    pub(super) fn with(mut self, names: &[usize]) -> Self {
        names.iter().for_each(|&at| {
            self.insert(at);
        });
        self
    }

    /// Those from a place on that another set lacks, as bits of one word after the other.
    fn words_without<'a>(&'a self, other: &'a Self, from: usize) -> impl Iterator<Item = u64> + 'a {
        let words = self.0.iter().zip(&other.0).enumerate();
        words.map(move |(at, (own, other))| {
            let before = from.saturating_sub(at * 64).min(64) as u32;
            own & !other & u64::MAX.checked_shl(before).unwrap_or(0)
        })
    }

    /// The number of those from a place on that another set lacks.
    pub(super) fn count_without(&self, other: &Self, from: usize) -> u64 {
        self.words_without(other, from).map(|word| u64::from(word.count_ones())).sum()
    }

    /// Those from a place on that another set lacks, ascending.
    pub(super) fn without<'a>(&'a self, other: &'a Self, from: usize) -> impl Iterator<Item = usize> + 'a {
        indices(self.words_without(other, from))
    }

    /// Its size, in conditions.
    pub(super) fn size(&self) -> usize {
        size_of_bytes(size_of_val(&*self.0))
    }
}

/// How an object can be completed after one more name, where the number of members and what names need tell it.
pub(super) struct CompletionByNumber {
    /// Whether it can after one that must come, and after another that needs none.
    pub(super) after_required: bool,
    pub(super) after_other: bool,
    /// The names that must come since others have, ascending.
    pub(super) needed: Vec<usize>,
    /// How many more members may come after one that need not, beyond those that must.
    pub(super) room: u64,
    /// How many members are missing beyond those that must come.
    pub(super) missing: u64,
    /// Where some are: after which names there are enough others for them.
    pub(super) filling: Option<Filling>,
    /// The names that cannot come any more because of what they need.
    pub(super) unmet: Option<NameSet>,
}

impl CompletionByNumber {
    /// Whether the object can be completed after the name at a place.
    pub(super) fn after(&self, plan: &ObjectPlan, at: usize) -> bool {
        let must_come = plan.names[at].required || self.needed.binary_search(&at).is_ok();
        if self.filling.as_ref().is_some_and(|filling| !filling.is_enough_after(at, must_come)) {
            return false;
        }
        if must_come {
            return self.after_required;
        }
        self.after_other && !self.unmet.as_ref().is_some_and(|unmet| unmet.contains(at))
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
        let mut has = NameSet::seen(state);
        let seen = self.dependencies.of.iter().map(|&(at, _)| at as usize).filter(|&at| state.has_seen(at));
        let mut needed = self.dependencies.close(&mut has, seen, u64::MAX);
        needed.sort_unstable();
        needed
    }
}

impl<'a> Solver<'a> {
    /// The names that a schema requires, where it says no more of an object.
    pub(super) fn only_required(&self, schema: SchemaId) -> Option<&'a [String]> {
        let Body::Keywords(keywords) = self.body_of(schema)? else { return None };
        let ObjectKeywords {
            required,
            properties,
            pattern_properties,
            additional_properties,
            property_names,
            minimum_properties,
            maximum_properties,
            dependent_required,
            dependent_schemas,
            unevaluated_properties,
        } = &keywords.object;
        let has_schemas = additional_properties.or(*property_names).or(*unevaluated_properties).is_some();
        let has_lists = !properties.is_empty() || !pattern_properties.is_empty();
        let has_dependents = !dependent_required.is_empty() || !dependent_schemas.is_empty();
        let has_bounds = minimum_properties.or(*maximum_properties).is_some();
        let says_more = has_schemas || has_lists || has_dependents || has_bounds;
        let is_of_objects = keywords.types.is_none_or(|types| types.overlaps(TypeSet::OBJECT));
        let is_open = keywords.listed_values().is_none() && keywords.applicators.is_empty();
        (is_of_objects && is_open && !says_more).then_some(required)
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
        let of = sorted_lists(of);
        let mut by: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for (name, needed) in &of {
            needed.iter().for_each(|&needed| by.entry(needed).or_default().push(*name));
        }
        Dependencies { of, by: sorted_lists(by) }
    }

    /// How an object can be completed after one more name; `None` where more decides than the number of members and what
    /// names need.
    pub(super) fn completes_by_number(
        &mut self,
        plan: &ObjectPlan,
        state: &ObjectState,
    ) -> Result<Option<CompletionByNumber>> {
        let Some(mut completes) = plan.completes_by_number(state) else {
            return Ok(None);
        };
        if completes.missing > 0 && completes.after_required {
            completes.filling = self.filling(plan, state, completes.missing)?;
            if completes.filling.is_none() {
                return Ok(None);
            }
        }
        if completes.after_other && !plan.dependencies.is_empty() {
            let mut unmet = self.names_in_want(plan, state)?;
            self.add_names_that_need_many(plan, state, &completes, &mut unmet)?;
            completes.unmet = Some(unmet);
        }
        Ok(Some(completes))
    }

    /// The names that need one which cannot come any more: since it has no value, or since names come in an order and it is
    /// before them.
    fn names_in_want(&mut self, plan: &ObjectPlan, state: &ObjectState) -> Result<NameSet> {
        let Dependencies { by, .. } = &plan.dependencies;
        let ordered = plan.ordered(self.options.order);
        let count = plan.names.len();
        let mut unmet = NameSet::none_of(count);
        // The first name that leads back to another is the least one that this needs: it comes before it, or none does.
        let mut met = NameSet::none_of(count);
        for at in by.iter().map(|&(at, _)| at as usize).filter(|&at| !state.has_seen(at)) {
            self.deadline.check()?;
            if at < ordered {
                let needing = plan.dependencies.add_needing(&mut met, at);
                needing.into_iter().filter(|&needing| needing > at).for_each(|needing| {
                    unmet.insert(needing);
                });
            }
        }
        let mut met = NameSet::none_of(count);
        for at in by.iter().map(|&(at, _)| at as usize).filter(|&at| !state.has_seen(at)) {
            if !self.is_satisfiable(plan.names[at].goal)? {
                for needing in plan.dependencies.add_needing(&mut met, at) {
                    unmet.insert(needing);
                }
            }
        }
        Ok(unmet)
    }

    /// Adds the names that need more others than may come.
    fn add_names_that_need_many(
        &self,
        plan: &ObjectPlan,
        state: &ObjectState,
        completes: &CompletionByNumber,
        unmet: &mut NameSet,
    ) -> Result<()> {
        if completes.room >= plan.names.len() as u64 {
            return Ok(());
        }
        let mut has = NameSet::seen(state).with(&completes.needed);
        for at in plan.dependencies.of.iter().map(|&(at, _)| at as usize) {
            self.deadline.check()?;
            if unmet.contains(at) || !has.insert(at) {
                continue;
            }
            let others = plan.dependencies.close(&mut has, [at], completes.room);
            if others.len() as u64 > completes.room {
                unmet.insert(at);
            }
            others.into_iter().chain([at]).for_each(|at| has.remove(at));
        }
        Ok(())
    }
}

/// Lists by name, sorted, without those that are empty.
fn sorted_lists(lists: FxHashMap<u32, Vec<u32>>) -> Vec<(u32, Vec<u32>)> {
    let mut lists: Vec<(u32, Vec<u32>)> = lists.into_iter().filter(|(_, list)| !list.is_empty()).collect();
    lists.sort_unstable();
    for (_, list) in &mut lists {
        list.sort_unstable();
        list.dedup();
    }
    lists
}

#[cfg(test)]
mod tests {
    use super::super::candidates::Candidates;
    use super::super::condition::{Kind, ScopeId};
    use super::super::solver::Solver;
    use super::super::solver::tests::with_solver;

    /// Each of hundreds of names comes with another or not: one case, which the state tells apart.
    #[test]
    fn hundreds_of_dependencies_are_one_case() {
        let pairs = |before: &str, behind: &str| {
            let pair = |at| format!(r#""a{at}": {before}["b{at}", "c"]{behind}"#);
            (0..400).map(pair).collect::<Vec<_>>().join(", ")
        };
        for schema in [
            format!(r#"{{"type": "object", "dependentRequired": {{{}}}}}"#, pairs("", "")),
            format!(r#"{{"type": "object", "dependentSchemas": {{{}}}}}"#, pairs(r#"{"required": "#, "}")),
            format!(
                r#"{{"type": "object", "dependentSchemas": {{{}}}}}"#,
                pairs(r#"{"type": ["object", "null"], "title": "needs", "maxLength": 3, "required": "#, "}")
            ),
        ] {
            with_solver(&schema, assert_one_case_of_all);
        }
    }

    fn assert_one_case_of_all(solver: &mut Solver<'_>) {
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
    }
}
