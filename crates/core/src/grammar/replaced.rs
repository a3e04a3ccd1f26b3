//! The expressions of a grammar with some of their parts replaced: what passes that rewrite rules have in common.

use crate::budget::Deadline;
use crate::error::Result;
use crate::expression::{Expression, ExpressionId, ExpressionStore};

use super::fixpoint::NODES_PER_CHECK;

/// What each expression of a store becomes, by its number: what `instead` gives for it, to which what its parts have become
/// is known, or else itself of those parts. Without a call nothing is replaced.
///
/// # Errors
/// [`Error::BudgetExceeded`](crate::Error::BudgetExceeded) when the time is over.
pub(super) fn with_parts_replaced(
    store: &mut ExpressionStore,
    deadline: &Deadline,
    mut instead: impl FnMut(&mut ExpressionStore, ExpressionId, &[ExpressionId]) -> Option<ExpressionId>,
) -> Result<Vec<ExpressionId>> {
    let mut map: Vec<ExpressionId> = Vec::with_capacity(store.len());
    for id in store.ids() {
        if id.index() % NODES_PER_CHECK == 0 {
            deadline.check()?;
        }
        if store.is_regular(id) {
            map.push(id);
            continue;
        }
        let new = instead(store, id, &map).unwrap_or_else(|| with_parts(store, id, &map));
        map.push(new);
    }
    Ok(map)
}

/// An expression of what its parts have become.
fn with_parts(store: &mut ExpressionStore, id: ExpressionId, map: &[ExpressionId]) -> ExpressionId {
    let mut operands = store.operands(id);
    if operands.iter().all(|&operand| map[operand.index()] == operand) {
        return id;
    }
    let part = |operand: ExpressionId| map[operand.index()];
    match store.get(id) {
        node @ (Expression::Concatenation(..)
        | Expression::Alternatives(_)
        | Expression::Repetition { .. }) => {
            operands.iter_mut().for_each(|operand| *operand = part(*operand));
            store.with_operands(node, &operands).unwrap_or(id)
        }
        Expression::Unordered(unordered) if unordered.is_unread() => store.any_order_with(unordered, part),
        Expression::FreeText { table, at } if at.is_unread() => store.free_text_with(table, part),
        // What is regular, or was only read to find out about another expression.
        _ => id,
    }
}
