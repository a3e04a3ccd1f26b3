//! The choice of an object by the value of one of its members.
//!
//! Conditions that each depend on the value of one and the same member are choices, and choices multiply. But with one value of the
//! member, each of them is settled. So there are no more ways than kinds of values.

use std::collections::BTreeMap;

use super::condition::{Condition, NameId};
use super::constant::Constant;
use super::solver::Solver;

impl Solver<'_> {
    /// The ways in which a member can be there: with the values that just some of the lists hold, and with any other. Each with the
    /// places of these lists, ascending, and the conditions for it. `order` is where the member is declared.
    pub(super) fn ways_by_value(
        &mut self,
        name: NameId,
        order: u32,
        lists: &[&[Constant]],
    ) -> Vec<(Vec<usize>, Vec<Condition>)> {
        let mut listed_at: BTreeMap<&Constant, Vec<usize>> = BTreeMap::new();
        for (at, values) in lists.iter().enumerate() {
            for value in *values {
                let places = listed_at.entry(value).or_default();
                if places.last() != Some(&at) {
                    places.push(at);
                }
            }
        }
        let all: Vec<Constant> = listed_at.keys().map(|&value| value.clone()).collect();
        let mut alike: BTreeMap<Vec<usize>, Vec<Constant>> = BTreeMap::new();
        for (value, places) in listed_at {
            alike.entry(places).or_default().push(value.clone());
        }
        let terms = &mut self.tables.terms;
        let mut way = |(places, values, holds)| {
            let value = terms.one_of(values, holds);
            let member = Condition::Member { order, name, goal: terms.goal_of(value) };
            (places, vec![Condition::Present(name), member])
        };
        let listed = alike.into_iter().map(|(places, values)| (places, values, true));
        listed.chain([(Vec::new(), all, false)]).map(&mut way).collect()
    }
}
