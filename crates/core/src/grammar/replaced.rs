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
        let new = instead(store, id, &map).unwrap_or_else(|| match store.get(id) {
            node @ (Expression::Concatenation(..)
            | Expression::Alternatives(_)
            | Expression::Repetition { .. }) => {
                let mut operands = store.operands(id);
                operands.iter_mut().for_each(|operand| *operand = map[operand.index()]);
                store.with_operands(node, &operands).unwrap_or(id)
            }
            // A call, a token, or a table of what comes behind tags and members, which are calls.
            _ => id,
        });
        map.push(new);
    }
    Ok(map)
}
