//! Second pass: nothing empty stays.
//!
//! A rule that derives no text, and an intersection or complement that matches none, would lead the
//! model into a dead end. They are found here and replaced by `Nothing`, which the constructors drop.

use crate::budget::Deadline;
use crate::error::{Error, Result};
use crate::expression::{Emptiness, Expression, ExpressionId, ExpressionStore};

use super::fixpoint::least_fixpoint;
use super::rebuild::{reachable, rebuild};
use super::{Rule, RuleId};

/// Drops whatever matches nothing.
///
/// # Errors
/// [`Error::EmptyGrammar`] when the start rule itself does; [`Error::BudgetExceeded`] when that cannot be
/// decided within the budget.
pub(super) fn drop_unproductive(
    mut store: ExpressionStore,
    rules: Vec<Rule>,
    start: RuleId,
    emptiness: &mut Emptiness,
    deadline: &Deadline,
) -> Result<(ExpressionStore, Vec<Rule>)> {
    let in_use = reachable(&store, rules.iter().map(|rule| rule.body));
    // One verdict for each outermost intersection and complement; those inside are part of its search.
    let mut alive = vec![true; store.len()];
    for id in store.ids().filter(|id| in_use[id.index()]) {
        if matches!(store.get(id), Expression::Intersection(_) | Expression::Complement(_)) {
            alive[id.index()] = emptiness.is_alive(&mut store, id, deadline)?;
        }
    }
    let values = least_fixpoint(&store, &rules, &false, deadline, |id, node, values| {
        is_productive(&store, &alive, id, node, values)
    })?;
    let name = &rules[start.index()].name;
    if !values[rules[start.index()].body.index()] {
        return Err(Error::EmptyGrammar(format!(
            "the rule `{name}` matches none that the vocabulary can spell"
        )));
    }
    let is_reached = |id: ExpressionId| in_use.get(id.index()).copied().unwrap_or(false);
    if store.ids().filter(|&id| is_reached(id)).all(|id| values[id.index()] || id == ExpressionStore::NOTHING)
    {
        return Ok((store, rules));
    }
    let mut target = ExpressionStore::new();
    let map = rebuild(&store, rules.iter().map(|rule| rule.body), &mut target, deadline, |_, _, id, _| {
        (!values[id.index()]).then_some(ExpressionStore::NOTHING)
    })?;
    let rules = rules.into_iter().map(|rule| Rule { body: map[rule.body.index()], ..rule }).collect();
    Ok((target, rules))
}

/// Whether a node matches something, given which of the others do. Nodes that the emptiness searches
/// added are newer than `alive` and in no rule.
fn is_productive(
    store: &ExpressionStore,
    alive: &[bool],
    id: ExpressionId,
    node: Expression,
    values: &[bool],
) -> bool {
    match node {
        Expression::Nothing => false,
        Expression::Concatenation(head, tail) => values[head.index()] && values[tail.index()],
        Expression::Alternatives(list) => store.list(list).iter().any(|operand| values[operand.index()]),
        Expression::Repetition { body, minimum, .. } => minimum == 0 || values[body.index()],
        Expression::Intersection(_) | Expression::Complement(_) => {
            alive.get(id.index()).copied().unwrap_or(true)
        }
        // The vocabulary can spell all strings that were left, so each that is followed by something can open.
        Expression::FreeText { table, .. } => {
            store.free_text_ends(table) || store.after_tags(table).any(|after| values[after.index()])
        }
        Expression::Unordered(unordered) => store.has_match_unordered(unordered, |id| values[id.index()]),
        _ => true,
    }
}
