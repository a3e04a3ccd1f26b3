//! Least fixpoints over all expressions of a grammar at once.
//!
//! Rules call one another in cycles, so what holds of a rule (does it match the empty text? with which
//! bytes can it begin?) is the least solution of equations, one for each expression. Values only grow.
//! Expressions whose operands changed are evaluated in rounds, and in each in the order of their ids, operands first,
//! so that a list of a thousand operands is evaluated once for all of them and not once for each. What changes through
//! a call of a rule that is written later waits for the next round, and so do all other calls that have changed.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::budget::Deadline;
use crate::error::Result;
use crate::expression::{Expression, ExpressionId, ExpressionStore};

use super::Rule;

/// Asking the clock takes longer than most nodes.
pub(super) const NODES_PER_CHECK: usize = 256;

/// The value of every expression of `store`, indexed by [`ExpressionId::index`].
///
/// `evaluate` gives the value of a node from those of its operands; it must be monotone. A call has
/// the value of the body of its rule.
///
/// # Errors
/// [`Error::BudgetExceeded`](crate::Error::BudgetExceeded) when the time is over.
pub(super) fn least_fixpoint<T: Clone + PartialEq>(
    store: &ExpressionStore,
    rules: &[Rule],
    bottom: &T,
    deadline: &Deadline,
    evaluate: impl Fn(ExpressionId, Expression, &[T]) -> T,
) -> Result<Vec<T>> {
    let count = store.len();
    let mut users: Vec<Vec<ExpressionId>> = vec![Vec::new(); count];
    for id in store.ids() {
        for operand in store.operands(id) {
            users[operand.index()].push(id);
        }
    }
    for id in store.ids() {
        if let Expression::Call(rule) = store.get(id) {
            users[rules[rule.index()].body.index()].push(id);
        }
    }
    let mut values = vec![bottom.clone(); count];
    let mut waiting = vec![true; count];
    let mut round: BinaryHeap<Reverse<ExpressionId>> = store.ids().map(Reverse).collect();
    let (mut next_round, mut evaluated) = (Vec::new(), 0usize);
    while !round.is_empty() {
        while let Some(Reverse(id)) = round.pop() {
            evaluated += 1;
            if evaluated % NODES_PER_CHECK == 0 {
                deadline.check()?;
            }
            waiting[id.index()] = false;
            let value = match store.get(id) {
                Expression::Call(rule) => values[rules[rule.index()].body.index()].clone(),
                node => evaluate(id, node, &values),
            };
            if value == values[id.index()] {
                continue;
            }
            values[id.index()] = value;
            for &user in &users[id.index()] {
                if !std::mem::replace(&mut waiting[user.index()], true) {
                    if user > id { round.push(Reverse(user)) } else { next_round.push(Reverse(user)) }
                }
            }
        }
        round = std::mem::take(&mut next_round).into();
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::super::RuleName;
    use super::*;
    use crate::budget::Budget;
    use crate::expression::RuleId;

    #[test]
    fn a_list_of_calls_of_later_rules_is_evaluated_a_few_times() {
        let mut store = ExpressionStore::new();
        let calls: Vec<ExpressionId> = (1..=500).map(|rule| store.call(RuleId(rule))).collect();
        let all = store.alternatives(&calls);
        let mut rules = vec![Rule { name: RuleName::Kind("all"), body: all }];
        for rule in 1..=500 {
            let body = store.literal(format!("rule {rule}").as_bytes());
            rules.push(Rule { name: RuleName::Kind("one"), body });
        }
        let deadline = Deadline::for_compile(&Budget::default());
        let evaluations = Cell::new(0);
        let values = least_fixpoint(&store, &rules, &false, &deadline, |id, node, values| match node {
            Expression::Alternatives(list) => {
                evaluations.set(evaluations.get() + u32::from(id == all));
                store.list(list).iter().any(|operand| values[operand.index()])
            }
            node => matches!(node, Expression::Literals(_)),
        });
        assert!(values.unwrap()[all.index()]);
        assert!(evaluations.get() <= 2, "{}", evaluations.get());
    }
}
