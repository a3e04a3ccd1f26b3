//! Least fixpoints over all expressions of a grammar at once.
//!
//! Rules call one another in cycles, so what holds of a rule (does it match the empty text? with which
//! bytes can it begin?) is the least solution of equations, one for each expression. Values only grow.
//! Expressions whose operands changed are evaluated in the order of their ids, operands first, so that
//! a list of a thousand operands is evaluated once for all of them and not once for each.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::expression::{Expression, ExpressionId, ExpressionStore};

use super::Rule;

/// The value of every expression of `store`, indexed by [`ExpressionId::index`].
///
/// `evaluate` gives the value of a node from those of its operands; it must be monotone. A call has
/// the value of the body of its rule.
pub(super) fn least_fixpoint<T: Clone + PartialEq>(
    store: &ExpressionStore,
    rules: &[Rule],
    bottom: &T,
    evaluate: impl Fn(ExpressionId, Expression, &[T]) -> T,
) -> Vec<T> {
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
    let mut queue: BinaryHeap<Reverse<ExpressionId>> = store.ids().map(Reverse).collect();
    while let Some(Reverse(id)) = queue.pop() {
        waiting[id.index()] = false;
        let value = match store.get(id) {
            Expression::Call(rule) => values[rules[rule.index()].body.index()].clone(),
            node => evaluate(id, node, &values),
        };
        if value != values[id.index()] {
            values[id.index()] = value;
            for &user in &users[id.index()] {
                if !std::mem::replace(&mut waiting[user.index()], true) {
                    queue.push(Reverse(user));
                }
            }
        }
    }
    values
}
