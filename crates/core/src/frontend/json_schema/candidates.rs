//! Constants that must not come out: which of them an array or object equals so far.
//!
//! Under `uniqueItems` these are all items before, thousands of them. They are known in *blocks*, as the list of items is
//! (`shared_list`). Of each block it is worked out once which values its constants have in the place of a part, and which
//! of them are left after each value. So the next part costs as much as there are blocks; and where none is left,
//! which is soon, what follows is as in an array or object that is compared with nothing.
//!
//! Where the next part is received, all scalars that candidates have in its place are one alternative: which candidates
//! are left is looked up when it is known which value it was. Elsewhere, as in a search, each is one of its own.

use std::borrow::Cow;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::completion::Plan;
use super::condition::{Condition, ConstantsId, GoalId, Kind, NameId};
use super::constant::Constant;
use super::satisfy::Possible;
use super::solver::Solver;
use crate::error::Result;
use crate::interner::Interner;

/// The constants that what has been read equals so far, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Candidates {
    /// One more than their place in the table; zero where there are none.
    number: u32,
    /// Whether what has been read is one of them.
    pub(super) is_one: bool,
}

impl Candidates {
    pub(super) const NONE: Self = Self { number: 0, is_one: false };

    pub(super) fn are_none(self) -> bool {
        self.number == 0
    }
}

/// A part of an array or object, by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Part {
    Item(u32),
    Member(NameId),
}

/// What is known of [`Candidates`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Alike {
    /// Of each block, those that are left; some are of each.
    blocks: SmallVec<[ConstantsId; 2]>,
    /// The number of parts read.
    read: u32,
    /// The names of the members read. Sorted.
    names: SmallVec<[NameId; 2]>,
}

/// The constants of a block that have a part, by its value.
#[derive(Clone, Debug)]
struct Split {
    /// The values.
    values: ConstantsId,
    /// Those of the values that are no arrays or objects.
    scalars: ConstantsId,
    /// For each of the values, what has it.
    left: Box<[Left]>,
    /// The number of parts that all of them have, where it is one.
    length: Option<u32>,
}

/// Constants that have a part in common.
#[derive(Clone, Copy, Debug)]
struct Left {
    constants: ConstantsId,
    /// The least number of parts that one of them has.
    shortest: u32,
}

/// What is known of candidates. It only grows.
#[derive(Clone, Debug, Default)]
pub(super) struct CandidateTable {
    alike: Interner<Alike>,
    splits: FxHashMap<(ConstantsId, Part), Arc<Split>>,
    /// The names of all members of the objects of a block. Sorted.
    names: FxHashMap<ConstantsId, Arc<[NameId]>>,
    /// How many values goals have, counted up to so many.
    counts: FxHashMap<(GoalId, u64), u64>,
    size: usize,
}

impl CandidateTable {
    /// Its size, in conditions.
    pub(super) fn size(&self) -> usize {
        /// What one takes with its place in a table.
        const ENTRY: usize = 4;
        (self.alike.len() + self.splits.len() + self.names.len() + self.counts.len()) * ENTRY + self.size
    }
}

/// A state of a plan that knows candidates.
pub(super) trait Compared: Clone {
    fn candidates(&self) -> Candidates;

    /// The same with other candidates.
    fn with(&self, candidates: Candidates) -> Self;
}

/// What a part may be, and the state after it.
#[derive(Clone, Debug)]
pub(super) struct Step<S> {
    pub(super) goal: GoalId,
    pub(super) after: S,
    /// Whether it depends on its value which candidates are left: the state has those before it.
    pub(super) is_compared: bool,
}

/// In how many ways an array or object can go on.
enum WaysOn {
    /// In none: only its end can come.
    None,
    /// In more than were asked for, with as many different parts next.
    Plenty,
    Unknown,
}

impl Solver<'_> {
    /// The constants of a kind that leaves exclude, before the first part.
    pub(super) fn excluded(&mut self, leaves: &[Condition], kind: Kind) -> Candidates {
        let terms = &self.tables.terms;
        let mut blocks = SmallVec::new();
        let mut is_one = false;
        for leaf in leaves {
            let &Condition::OneOf { constants, holds: false } = leaf else { continue };
            // The least of a kind is the empty one.
            let all = terms.constants(constants);
            let first = all.get(all.partition_point(|constant| Kind::of(constant) < kind));
            if let Some(first) = first.filter(|first| Kind::of(first) == kind) {
                blocks.push(constants);
                is_one |= part_count(first) == 0;
            }
        }
        self.candidates(Alike { blocks, read: 0, names: SmallVec::new() }, is_one)
    }

    fn candidates(&mut self, alike: Alike, is_one: bool) -> Candidates {
        if alike.blocks.is_empty() {
            return Candidates::NONE;
        }
        let table = &mut self.tables.candidates;
        let size = |alike: &Alike| (alike.blocks.len() + alike.names.len()) / 2;
        let number = table.alike.intern_sized(alike, &mut table.size, size) + 1;
        Candidates { number, is_one }
    }

    fn alike(&self, candidates: Candidates) -> Option<&Alike> {
        Some(self.tables.candidates.alike.get(candidates.number.checked_sub(1)?))
    }

    /// The place of the next item in candidates.
    pub(super) fn next_item(&self, candidates: Candidates) -> Part {
        Part::Item(self.alike(candidates).map_or(0, |alike| alike.read))
    }

    /// The items that candidates begin with.
    pub(super) fn items_in_common(&self, candidates: Candidates) -> Vec<Constant> {
        let Some(alike) = self.alike(candidates) else { return Vec::new() };
        let first = alike.blocks.first().into_iter().flat_map(|&block| self.tables.terms.constants(block));
        let mut arrays = first.filter_map(|constant| match constant {
            Constant::Array(items) => items.get(..alike.read as usize),
            _ => None,
        });
        arrays.next().unwrap_or_default().to_vec()
    }

    /// The names of further members of candidates.
    pub(super) fn names_of(&mut self, candidates: Candidates) -> Vec<NameId> {
        let Some(Alike { blocks, names: read, .. }) = self.alike(candidates).cloned() else {
            return Vec::new();
        };
        let mut all = Vec::new();
        for block in blocks {
            all.extend_from_slice(&self.names_of_block(block));
        }
        all.sort_unstable();
        all.dedup();
        all.retain(|name| read.binary_search(name).is_err());
        all
    }

    fn names_of_block(&mut self, block: ConstantsId) -> Arc<[NameId]> {
        if let Some(known) = self.tables.candidates.names.get(&block) {
            return Arc::clone(known);
        }
        let mut contents = Vec::new();
        for constant in self.tables.terms.constants(block) {
            if let Constant::Object(members) = constant {
                contents.extend(members.keys().cloned());
            }
        }
        contents.sort_unstable();
        contents.dedup();
        let mut names: Vec<NameId> =
            contents.into_iter().map(|content| self.tables.terms.name(content)).collect();
        names.sort_unstable();
        self.tables.candidates.size += names.len();
        let names: Arc<[NameId]> = names.into();
        self.tables.candidates.names.insert(block, Arc::clone(&names));
        names
    }

    /// What each block of candidates has in the place of a part, without those that have none there.
    fn splits(&mut self, candidates: Candidates, part: Part) -> Vec<Arc<Split>> {
        let blocks = self.alike(candidates).map(|alike| alike.blocks.clone()).unwrap_or_default();
        let splits = blocks.into_iter().map(|block| self.split(block, part));
        splits.filter(|split| !split.left.is_empty()).collect()
    }

    fn split(&mut self, block: ConstantsId, part: Part) -> Arc<Split> {
        if let Some(known) = self.tables.candidates.splits.get(&(block, part)) {
            return Arc::clone(known);
        }
        let name = match part {
            Part::Member(name) => self.tables.terms.content(name).to_vec(),
            Part::Item(_) => Vec::new(),
        };
        let constants = self.tables.terms.constants(block).to_vec();
        let mut having: Vec<(&Constant, &Constant)> = Vec::new();
        for constant in &constants {
            let value = match (part, constant) {
                (Part::Item(index), Constant::Array(items)) => items.get(index as usize),
                (Part::Member(_), Constant::Object(members)) => members.get(&name),
                _ => None,
            };
            having.extend(value.map(|value| (value, constant)));
        }
        having.sort_by_key(|&(value, _)| value);
        let (mut values, mut left) = (Vec::new(), Vec::new());
        for alike in having.chunk_by(|one, other| one.0 == other.0) {
            let shortest = alike.iter().map(|(_, constant)| part_count(constant)).min().unwrap_or(0);
            // Looked up, a long constant would be read again for each of its parts.
            let constants = match alike.len() == constants.len() {
                true => block,
                false => {
                    let alike = alike.iter().map(|&(_, constant)| constant.clone()).collect();
                    self.tables.terms.constants_of(alike)
                }
            };
            left.push(Left { constants, shortest });
            values.push(alike[0].0.clone());
        }
        let mut lengths = having.iter().map(|(_, constant)| part_count(constant));
        let length = lengths.next().filter(|&first| lengths.all(|length| length == first));
        let scalars = values.iter().filter(|value| is_scalar(value)).cloned().collect();
        let terms = &mut self.tables.terms;
        let (scalars, values) = (terms.constants_of(scalars), terms.constants_of(values));
        self.tables.candidates.size += left.len();
        let split = Arc::new(Split { values, scalars, left: left.into(), length });
        self.tables.candidates.splits.insert((block, part), Arc::clone(&split));
        split
    }

    /// The candidates that are left after a part of some value.
    pub(super) fn candidates_after(
        &mut self,
        before: Candidates,
        part: Part,
        value: &Constant,
    ) -> Candidates {
        let Some(Alike { read, mut names, .. }) = self.alike(before).cloned() else {
            return Candidates::NONE;
        };
        let read = read + 1;
        if let Part::Member(name) = part
            && let Err(at) = names.binary_search(&name)
        {
            names.insert(at, name);
        }
        let (mut blocks, mut is_one) = (SmallVec::new(), false);
        for split in self.splits(before, part) {
            if let Ok(at) = self.tables.terms.constants(split.values).binary_search(value) {
                blocks.push(split.left[at].constants);
                is_one |= split.left[at].shortest == read;
            }
        }
        self.candidates(Alike { blocks, read, names }, is_one)
    }

    /// Values of a part, sorted, each once.
    fn values_among(&self, lists: impl Iterator<Item = ConstantsId>) -> Vec<Constant> {
        let mut values: Vec<&Constant> = lists.flat_map(|list| self.tables.terms.constants(list)).collect();
        values.sort_unstable();
        values.dedup();
        values.into_iter().cloned().collect()
    }

    /// A goal that values do not satisfy which candidates have in the place of a part.
    fn unlike_candidates(&mut self, goal: GoalId, splits: &[Arc<Split>]) -> GoalId {
        let mut conditions = self.tables.terms.conditions(goal).to_vec();
        let unlike = |split: &Arc<Split>| Condition::OneOf { constants: split.values, holds: false };
        conditions.extend(splits.iter().map(unlike));
        self.tables.terms.goal(conditions)
    }

    fn with_value(&mut self, goal: GoalId, value: Constant) -> GoalId {
        let equal = self.tables.terms.one_of(vec![value], true);
        self.with_condition(goal, equal)
    }

    /// Tells apart which candidates are left after a part, of which there are goals and the states after it, with the
    /// candidates before it: each value is a step of its own.
    pub(super) fn split_by_candidates<S: Compared>(
        &mut self,
        part: Part,
        uncompared: Vec<(GoalId, S)>,
    ) -> Vec<(GoalId, S)> {
        let before = uncompared.first().map_or(Candidates::NONE, |(_, after)| after.candidates());
        if before.are_none() {
            return uncompared;
        }
        let splits = self.splits(before, part);
        let values = self.values_among(splits.iter().map(|split| split.values));
        let mut steps = Vec::new();
        for (goal, after) in uncompared {
            for value in &values {
                let candidates = self.candidates_after(before, part, value);
                steps.push((self.with_value(goal, value.clone()), after.with(candidates)));
            }
            steps.push((self.unlike_candidates(goal, &splits), after.with(Candidates::NONE)));
        }
        steps
    }

    /// A goal that of all values only those of some lists may satisfy; of no lists, none.
    fn alike_goal(&mut self, goal: GoalId, lists: &[ConstantsId]) -> GoalId {
        if lists.is_empty() {
            return GoalId::NOTHING;
        }
        let alike = self.one_of_blocks(lists.iter().copied());
        self.with_condition(goal, alike)
    }

    /// The same where the part is received: one step for all scalars after which the whole can still be completed.
    pub(super) fn compare<P: Plan<State: Compared>>(
        &mut self,
        plan: &P,
        part: Part,
        (goal, after): (GoalId, P::State),
        room: u64,
    ) -> Result<Vec<Step<P::State>>> {
        let before = after.candidates();
        if before.are_none() {
            return Ok(vec![Step { goal, after, is_compared: false }]);
        }
        let splits = self.splits(before, part);
        let unlike = self.unlike_candidates(goal, &splits);
        let mut steps = Vec::new();
        let lists = splits.iter().map(|split| split.scalars);
        let lists: Vec<ConstantsId> =
            lists.filter(|&list| !self.tables.terms.constants(list).is_empty()).collect();
        let alike = self.alike_goal(goal, &lists);
        // Most members that tell objects apart are unlike those of candidates.
        if self.is_satisfiable(alike)? {
            let scalars = self.scalars_before_more(plan, part, &after, &splits, &lists, room)?;
            let goal = if scalars == lists { alike } else { self.alike_goal(goal, &scalars) };
            steps.push(Step { goal, after: after.clone(), is_compared: true });
        }
        let nested = splits.iter().filter(|split| split.scalars != split.values).map(|split| split.values);
        for value in self.values_among(nested).into_iter().filter(|value| !is_scalar(value)) {
            let candidates = self.candidates_after(before, part, &value);
            let goal = self.with_value(goal, value);
            steps.push(Step { goal, after: after.with(candidates), is_compared: false });
        }
        steps.push(Step { goal: unlike, after: after.with(Candidates::NONE), is_compared: false });
        Ok(steps)
    }

    /// Whether the part of a step can come, and the whole be completed after it.
    pub(super) fn can_come<P: Plan>(&mut self, plan: &P, step: &Step<P::State>, room: u64) -> Result<bool> {
        // Of values that are compared, only those are left after which it can.
        Ok(self.is_satisfiable(step.goal)?
            && (step.is_compared || self.can_be_completed(plan, &step.after, room)? == Possible::Yes))
    }

    /// The condition that a value is one of some blocks of constants.
    pub(super) fn one_of_blocks(&mut self, blocks: impl IntoIterator<Item = ConstantsId>) -> Condition {
        let blocks = blocks.into_iter().map(|constants| Condition::OneOf { constants, holds: true });
        let blocks: SmallVec<[Condition; 4]> = blocks.collect();
        match *blocks {
            [alike] => alike,
            _ => {
                let terms = &mut self.tables.terms;
                let goals = blocks.into_iter().map(|alike| terms.goal_of(alike)).collect();
                terms.either(goals)
            }
        }
    }

    /// The scalars that candidates have in the place of a part, given in lists, and after which the whole can be completed.
    fn scalars_before_more<P: Plan<State: Compared>>(
        &mut self,
        plan: &P,
        part: Part,
        after: &P::State,
        splits: &[Arc<Split>],
        lists: &[ConstantsId],
        room: u64,
    ) -> Result<Vec<ConstantsId>> {
        let before = after.candidates();
        let plain = after.with(Candidates::NONE);
        let read = self.alike(before).map_or(0, |alike| alike.read) + 1;
        // The part itself is one more that may not come again.
        match self.ways_on(plan, &plain, room, self.candidate_count(before) + 1)? {
            WaysOn::Plenty => return Ok(lists.to_vec()),
            WaysOn::None if splits.iter().all(|split| split.length == Some(read)) => return Ok(Vec::new()),
            _ => {}
        }
        let mut kept = Vec::new();
        for value in self.values_among(lists.iter().copied()) {
            let candidates = self.candidates_after(before, part, &value);
            if self.can_be_completed(plan, &plain.with(candidates), room)? == Possible::Yes {
                kept.push(value);
            }
        }
        let is_some = !kept.is_empty();
        Ok(is_some.then(|| self.tables.terms.constants_of(kept)).into_iter().collect())
    }

    /// The number of candidates, and of the parts that they have in common.
    pub(super) fn candidate_count(&self, candidates: Candidates) -> u64 {
        let Some(alike) = self.alike(candidates) else { return 0 };
        let blocks = alike.blocks.iter().map(|&block| self.tables.terms.constants(block).len() as u64);
        blocks.sum::<u64>() + u64::from(alike.read)
    }

    /// Whether what has come to a state can plainly be completed unlike all its candidates: more parts can come next than
    /// they have there.
    pub(super) fn can_plainly_differ<P: Plan<State: Compared>>(
        &mut self,
        plan: &P,
        state: &P::State,
        room: u64,
    ) -> Result<bool> {
        let count = self.candidate_count(state.candidates());
        let ways = self.ways_on(plan, &state.with(Candidates::NONE), room, count)?;
        Ok(matches!(ways, WaysOn::Plenty))
    }

    /// In how many ways a state without candidates can go on.
    fn ways_on<P: Plan>(&mut self, plan: &P, state: &P::State, room: u64, most: u64) -> Result<WaysOn> {
        let Some(room) = room.checked_sub(1) else { return Ok(WaysOn::None) };
        let mut ways = WaysOn::None;
        for (goal, next) in plan.next(self, state)? {
            let possible = self.possible(goal)?.and(self.can_be_completed(plan, &next, room)?);
            if possible == Possible::Yes && self.has_more_values(goal, most)? {
                return Ok(WaysOn::Plenty);
            }
            if possible != Possible::No {
                ways = WaysOn::Unknown;
            }
        }
        Ok(ways)
    }

    /// Whether a goal plainly has more values than some number.
    fn has_more_values(&mut self, goal: GoalId, most: u64) -> Result<bool> {
        let enough = (most + 1).next_power_of_two();
        if let Some(&known) = self.tables.candidates.counts.get(&(goal, enough)) {
            return Ok(known > most);
        }
        let (count, _) = self.count_values(goal, enough)?;
        self.tables.candidates.counts.insert((goal, enough), count);
        Ok(count > most)
    }
}

/// Whether a value is no array or object.
pub(super) fn is_scalar(value: &Constant) -> bool {
    !matches!(value, Constant::Array(_) | Constant::Object(_))
}

/// The number of parts of an array or object.
fn part_count(constant: &Constant) -> u32 {
    match constant {
        Constant::Array(items) => items.len() as u32,
        Constant::Object(members) => members.len() as u32,
        _ => 0,
    }
}

/// The leaves of a case but for the constants that they exclude.
pub(super) fn without_exclusions(leaves: &[Condition]) -> Cow<'_, [Condition]> {
    let is_exclusion = |leaf: &Condition| matches!(leaf, Condition::OneOf { holds: false, .. });
    match leaves.iter().any(is_exclusion) {
        true => leaves.iter().filter(|leaf| !is_exclusion(leaf)).copied().collect(),
        false => Cow::Borrowed(leaves),
    }
}

#[cfg(test)]
mod tests {
    use super::super::condition::ScopeId;
    use super::super::decimal::Decimal;
    use super::super::solver::tests::with_solver;
    use super::*;

    /// What is left of the constants that a schema excludes after each of some parts, and whether that is one of them.
    fn left_after(schema: &str, kind: Kind, parts: &[(&str, i128)]) -> Vec<(u64, bool)> {
        let mut left = Vec::new();
        with_solver(schema, |solver| {
            let root = solver.goal_of(solver.schemas.root, ScopeId::NONE);
            let cases = solver.cases(root, kind).unwrap();
            let mut at = solver.excluded(&cases[0], kind);
            for &(name, value) in parts {
                let number = Decimal::scaled(value, 0).unwrap();
                let part = match kind {
                    Kind::Array => solver.next_item(at),
                    _ => Part::Member(solver.tables.terms.name(name)),
                };
                at = solver.candidates_after(at, part, &Constant::Number(number));
                let blocks = solver.alike(at).map(|alike| alike.blocks.clone()).unwrap_or_default();
                let count = blocks.iter().map(|&block| solver.tables.terms.constants(block).len() as u64);
                left.push((count.sum(), at.is_one));
            }
        });
        left
    }

    #[test]
    fn only_what_agrees_so_far_is_left() {
        let schema = r#"{"not": {"enum": [[1], [1, 2], [1, 3], [2, 2], 1, {"a": 1}, {"a": 1, "b": 2}, {"c": 1, "b": 2}]}}"#;
        let after = |kind, parts: &[(&str, i128)]| left_after(schema, kind, parts);
        assert_eq!(after(Kind::Array, &[("", 1), ("", 2), ("", 2)]), [(3, true), (1, true), (0, false)]);
        assert_eq!(after(Kind::Array, &[("", 2), ("", 2)]), [(1, false), (1, true)]);
        assert_eq!(after(Kind::Array, &[("", 3), ("", 2)]), [(0, false), (0, false)]);
        assert_eq!(after(Kind::Object, &[("b", 2), ("a", 1)]), [(2, false), (1, true)]);
        assert_eq!(after(Kind::Object, &[("a", 1), ("c", 1)]), [(2, true), (0, false)]);
    }
}
