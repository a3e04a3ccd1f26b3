//! Choices of which each is one between two members that are there or not.
//!
//! That of some members no two are there is a choice for each pair of them: one of the two is not there. All these choices have members
//! in common, and all combinations of their ways would be very many. But what is decided of one member decides the rest of
//! each of its choices, and so on. Where that contradicts itself, the member is decided the other way; where it does not, no choice that is
//! left has anything to do with what is decided, and nothing need be taken back (2-satisfiability by limited backtracking, after Even, Itai and
//! Shamir 1976).

use rustc_hash::FxHashMap;

use super::object::ObjectPlan;
use super::object_state::ObjectState;
use super::open_choices::Literal;
use super::satisfy::Possible;
use super::solver::Solver;
use super::ways_left::each;
use crate::error::Result;

/// Whether a member is there.
type Presence = (u32, bool);

/// Choices between members, and what is decided.
struct Pairs<'p> {
    plan: &'p ObjectPlan,
    /// The one or two ways of each choice.
    choices: Vec<Vec<Presence>>,
    /// The choices that have a way.
    with: FxHashMap<Presence, Vec<usize>>,
    decided: FxHashMap<u32, bool>,
    /// Whether a member of which it is not known yet whether it has a value is taken to have one.
    takes_unknown: bool,
}

impl<'p> Pairs<'p> {
    fn new(plan: &'p ObjectPlan, state: &ObjectState, open: &[u32], takes_unknown: bool) -> Self {
        let mut pairs = Self {
            plan,
            choices: Vec::with_capacity(open.len()),
            with: FxHashMap::default(),
            decided: FxHashMap::default(),
            takes_unknown,
        };
        for &choice in open {
            let ways = &plan.choices.choices[choice as usize];
            let literals = each(state.ways_left[choice as usize]).flat_map(|way| &ways[way]);
            let ways: Vec<Presence> = literals
                .map(|literal| (literal.at() as u32, matches!(literal, Literal::Present(_))))
                .collect();
            for &way in &ways {
                pairs.with.entry(way).or_default().push(pairs.choices.len());
            }
            pairs.choices.push(ways);
        }
        pairs
    }

    /// Decides a member, and all that follows; takes it back and tells so where that contradicts itself.
    fn decide(&mut self, solver: &mut Solver<'_>, first: Presence) -> Result<bool> {
        let mut waiting = vec![first];
        let mut new = Vec::new();
        while let Some((at, is_there)) = waiting.pop() {
            solver.deadline.check()?;
            let known = self.decided.get(&at).copied();
            if known == Some(is_there) {
                continue;
            }
            if known.is_some() || !self.can_be(solver, (at, is_there))? {
                new.iter().for_each(|at| {
                    self.decided.remove(at);
                });
                return Ok(false);
            }
            self.decided.insert(at, is_there);
            new.push(at);
            for &choice in self.with.get(&(at, !is_there)).into_iter().flatten() {
                let other = self.choices[choice].iter().find(|way| **way != (at, !is_there));
                // Of a choice without another way, what it asks for is decided first.
                waiting.push(other.copied().unwrap_or((at, !is_there)));
            }
        }
        Ok(true)
    }

    /// Whether a member can be there, or not, whatever the choices.
    fn can_be(&self, solver: &mut Solver<'_>, (at, is_there): Presence) -> Result<bool> {
        let named = &self.plan.names[at as usize];
        if !is_there {
            return Ok(!named.required);
        }
        Ok(match solver.possible(named.goal)? {
            Possible::Yes => true,
            Possible::Unknown => self.takes_unknown,
            Possible::No => false,
        })
    }

    /// Whether all choices can be made.
    fn can_be_made(mut self, solver: &mut Solver<'_>) -> Result<bool> {
        for choice in 0..self.choices.len() {
            for at in self.choices[choice].clone().into_iter().map(|(at, _)| at) {
                if self.plan.names[at as usize].required && !self.decide(solver, (at, true))? {
                    return Ok(false);
                }
            }
        }
        for choice in 0..self.choices.len() {
            let ways = self.choices[choice].clone();
            if ways.iter().any(|(at, is_there)| self.decided.get(at) == Some(is_there)) {
                continue;
            }
            let mut is_made = false;
            for way in ways {
                is_made = is_made || self.decide(solver, way)?;
            }
            if !is_made {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl Solver<'_> {
    /// Whether choices of which each is one between two members can be made in a state, in which none of these has come or can come no
    /// more.
    pub(super) fn can_choose_pairs(
        &mut self,
        plan: &ObjectPlan,
        state: &ObjectState,
        open: &[u32],
    ) -> Result<Possible> {
        if Pairs::new(plan, state, open, false).can_be_made(self)? {
            return Ok(Possible::Yes);
        }
        match Pairs::new(plan, state, open, true).can_be_made(self)? {
            true => Ok(Possible::Unknown),
            false => Ok(Possible::No),
        }
    }
}
