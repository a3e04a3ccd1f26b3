//! How far an object can be filled with members that need no others.
//!
//! An object of thousands of names asks that for each of them at each of its places. So which names can be taken is noted in
//! sets, by plan, as far as it was asked, and a question counts what is in a set.

use super::dependencies::NameSet;
use super::object::ObjectPlan;
use super::object_state::ObjectState;
use super::satisfy::Possible;
use super::solver::Solver;
use crate::error::Result;

/// The names of a plan that need no others, and are not required.
#[derive(Clone, Debug)]
pub(super) struct IndependentNames {
    /// Those of which it is not known yet whether a value satisfies the goal of their member.
    open: NameSet,
    /// Those of which some does.
    possible: NameSet,
}

impl IndependentNames {
    fn of(plan: &ObjectPlan) -> Self {
        let count = plan.names.len();
        let mut open = NameSet::none_of(count);
        for (at, named) in plan.names.iter().enumerate() {
            if !named.required && !plan.dependencies.has(at) {
                open.insert(at);
            }
        }
        Self { open, possible: NameSet::none_of(count) }
    }

    /// Its size, in conditions.
    fn size(&self) -> usize {
        self.open.size() + self.possible.size()
    }
}

/// After which of the names that may come next there are enough others for the members that are missing.
pub(super) struct Filling {
    /// So many of the first names come in their order.
    ordered: usize,
    /// Among those, there are enough after a name that must come which stands before this place, and after another that
    /// stands before the second.
    before: [usize; 2],
    /// Whether there are after the names that come in any order.
    after_unordered: bool,
}

impl Filling {
    /// Whether there are enough after the name at a place.
    pub(super) fn is_enough_after(&self, at: usize, must_come: bool) -> bool {
        match at < self.ordered {
            true => at < self.before[usize::from(!must_come)],
            false => self.after_unordered,
        }
    }
}

impl Solver<'_> {
    /// After which names there are enough others for `missing` members beyond those that must come. `None` where names
    /// need others, and where it rests on goals that are being worked out.
    pub(super) fn filling(
        &mut self,
        plan: &ObjectPlan,
        state: &ObjectState,
        missing: u64,
    ) -> Result<Option<Filling>> {
        if !plan.dependencies.is_empty() {
            return Ok(None);
        }
        let ordered = plan.ordered(self.options.order);
        // None of them is reached as long as a name is left, so all are asked about.
        let (left, open) = self.fill_with_independent(plan, state, u64::MAX, &[])?;
        if open == Possible::Unknown {
            return Ok(None);
        }
        let all = u64::MAX - left;
        let come = NameSet::seen(state);
        let position = state.first_open();
        let names = self.independent_names(plan);
        let places: Vec<usize> = names.possible.without(&come, position).collect();
        let keys = all - places.len() as u64;
        // There are so many behind a place as long as it stands before the one that is so many from the last.
        let before = |missing: u64| match usize::try_from(missing.saturating_sub(keys)) {
            Ok(0) => usize::MAX,
            Ok(count) => places.len().checked_sub(count).map_or(0, |at| places[at]),
            Err(_) => 0,
        };
        let unordered = names.possible.count_without(&come, ordered.max(position));
        Ok(Some(Filling {
            ordered,
            before: [before(missing), before(missing - 1)],
            after_unordered: keys.saturating_add(unordered) >= missing,
        }))
    }

    /// How many of the members that are missing still are where all come that need no other, and whether that is
    /// certain (`No`) or rests on a goal that is being worked out. The names that are needed come anyway.
    pub(super) fn fill_with_independent(
        &mut self,
        plan: &ObjectPlan,
        state: &ObjectState,
        mut missing: u64,
        needed: &[usize],
    ) -> Result<(u64, Possible)> {
        let mut open = Possible::No;
        for (class, &used) in plan.others.iter().zip(&state.used) {
            if missing == 0 {
                return Ok((0, open));
            }
            let verdict = self.possible(class.goal)?;
            match verdict {
                Possible::Yes if class.is_endless => missing = 0,
                Possible::Yes => missing = missing.saturating_sub(u64::from(class.count - used)),
                Possible::Unknown => open = Possible::Unknown,
                Possible::No => {}
            }
        }
        if missing == 0 {
            return Ok((0, open));
        }
        let come = NameSet::seen(state).with(needed);
        let position = state.first_open();
        let names = self.independent_names(plan);
        missing = missing.saturating_sub(names.possible.count_without(&come, position));
        if missing == 0 {
            return Ok((0, open));
        }
        for at in names.open.without(&come, position).collect::<Vec<_>>() {
            self.deadline.check()?;
            let possible = self.possible(plan.names[at].goal)?;
            if possible == Possible::Unknown {
                open = Possible::Unknown;
                continue;
            }
            let names = self.independent_names(plan);
            names.open.remove(at);
            if possible == Possible::Yes {
                names.possible.insert(at);
                missing -= 1;
            }
            if missing == 0 {
                break;
            }
        }
        Ok((missing, open))
    }

    fn independent_names(&mut self, plan: &ObjectPlan) -> &mut IndependentNames {
        let size = &mut self.tables.independent_size;
        self.tables.independent_names.entry(plan.number).or_insert_with(|| {
            let names = IndependentNames::of(plan);
            *size += names.size();
            names
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::candidates::Candidates;
    use super::super::condition::{Kind, ScopeId};
    use super::super::solver::tests::in_either_order;
    use super::*;

    /// How many members are missing still, by a look at each name.
    fn one_by_one(
        solver: &mut Solver<'_>,
        plan: &ObjectPlan,
        state: &ObjectState,
        missing: u64,
        needed: &[usize],
    ) -> u64 {
        let position = state.first_open();
        let is_free = |at: &usize| {
            !plan.names[*at].required
                && !state.has_seen(*at)
                && !needed.contains(at)
                && !plan.dependencies.has(*at)
        };
        let free: Vec<usize> = (position..plan.names.len()).filter(is_free).collect();
        let possible =
            free.into_iter().filter(|&at| solver.possible(plan.names[at].goal).unwrap() == Possible::Yes);
        missing.saturating_sub(possible.count() as u64)
    }

    /// The names that are counted in sets are those that are counted one by one, in whatever order it is asked.
    #[test]
    fn sets_count_as_a_look_at_each_name_does() {
        let property = |at: usize| match at % 7 {
            3 => format!(r#""{at}": {{"allOf": [{{"type": "null"}}, {{"type": "string"}}]}}"#),
            _ => format!(r#""{at}": {{"type": "integer", "maximum": {at}}}"#),
        };
        let properties = (0..150).map(property).collect::<Vec<_>>().join(", ");
        let needs = r#""dependentRequired": {"5": ["140"], "6": ["7"]}, "required": ["9", "64", "77"]"#;
        let text = format!(
            r#"{{"type": "object", "properties": {{{properties}}}, {needs}, "additionalProperties": false, "minProperties": 99}}"#
        );
        in_either_order(&text, |solver| {
            let root = solver.goal_of(solver.schemas.root, ScopeId::NONE);
            let cases = solver.cases(root, Kind::Object).unwrap();
            let plan = solver.object_plan(&cases[0]).unwrap();
            let mut state = plan.start(Candidates::NONE);
            for step in [1, 62, 2, 1, 3, 60, 1] {
                for missing in [1, 5, 70, 0, 200, 1] {
                    for needed in [&[][..], &[7, 140]] {
                        let (left, open) =
                            solver.fill_with_independent(&plan, &state, missing, needed).unwrap();
                        let expected = one_by_one(solver, &plan, &state, missing, needed);
                        assert_eq!((left, open), (expected, Possible::No), "{state:?} {missing}");
                    }
                }
                let at = state.first_open() + step;
                let [(_, after)] = &solver.after_name(&plan, &state, at)[..] else { panic!("one way") };
                state = ObjectState { position: at as u32, ..after.clone() };
            }
        });
    }
}
