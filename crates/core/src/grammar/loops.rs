//! Third pass: direct recursion becomes repetition, where the language stays the same.
//!
//! Recognition needs no parse tree. The least solution of
//! `A = A x | y A | A op A | b` is `y* b x* (op y* b x*)*`, whatever `x`, `y`, `op` and `b` are, so
//! ladders of binary operators and left- or right-recursive lists need no frames at all.

use crate::budget::Deadline;
use crate::error::Result;
use crate::expression::{Expression, ExpressionId, ExpressionStore, RuleId};

use super::Rule;

/// Rewrites the body of every directly recursive rule.
///
/// # Errors
/// [`Error::BudgetExceeded`](crate::Error::BudgetExceeded) when the time is over.
pub(super) fn turn_recursion_into_loops(
    store: &mut ExpressionStore,
    rules: &mut [Rule],
    deadline: &Deadline,
) -> Result<()> {
    for (index, rule) in rules.iter_mut().enumerate() {
        deadline.check()?;
        rule.body = without_direct_recursion(store, RuleId(index as u32), rule.body);
    }
    Ok(())
}

#[derive(Default)]
struct Shapes {
    /// `x` of `A x`.
    suffixes: Vec<ExpressionId>,
    /// `y` of `y A`.
    prefixes: Vec<ExpressionId>,
    /// `op` of `A op A`.
    operators: Vec<ExpressionId>,
    /// What does not begin or end with `A`.
    others: Vec<ExpressionId>,
}

fn without_direct_recursion(store: &mut ExpressionStore, rule: RuleId, body: ExpressionId) -> ExpressionId {
    let itself = store.call(rule);
    let mut shapes = Shapes::default();
    for alternative in store.alternatives_of(body) {
        sort_by_shape(store, itself, alternative, &mut shapes);
    }
    if shapes.suffixes.is_empty() && shapes.prefixes.is_empty() && shapes.operators.is_empty() {
        return body;
    }
    let mut star = |operands: &[ExpressionId]| {
        let any = store.alternatives(operands);
        store.repetition(any, 0, None)
    };
    let (prefixes, suffixes) = (star(&shapes.prefixes), star(&shapes.suffixes));
    let middle = store.alternatives(&shapes.others);
    let term = store.concatenation(&[prefixes, middle, suffixes]);
    let operator = store.alternatives(&shapes.operators);
    let more = store.concatenate(operator, term);
    let more = store.repetition(more, 0, None);
    store.concatenate(term, more)
}

fn sort_by_shape(
    store: &mut ExpressionStore,
    itself: ExpressionId,
    alternative: ExpressionId,
    shapes: &mut Shapes,
) {
    let mut parts = Vec::new();
    let mut at = alternative;
    while let Expression::Concatenation(head, tail) = store.get(at) {
        parts.push(head);
        at = tail;
    }
    parts.push(at);
    let (begins, ends) = (parts.first() == Some(&itself), parts.last() == Some(&itself));
    match (begins, ends, parts.len()) {
        (true, _, 1) => {} // A = A adds nothing
        (true, true, count) => shapes.operators.push(store.concatenation(&parts[1..count - 1])),
        (true, false, _) => shapes.suffixes.push(store.concatenation(&parts[1..])),
        (false, true, count) => shapes.prefixes.push(store.concatenation(&parts[..count - 1])),
        (false, false, _) => shapes.others.push(alternative),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_doubly_recursive_sum_is_a_list_of_terms() {
        let mut store = ExpressionStore::new();
        let rule = RuleId(0);
        let (itself, plus, one) = (store.call(rule), store.literal(b"+"), store.literal(b"1"));
        let sum = store.concatenation(&[itself, plus, itself]);
        let body = store.alternatives(&[sum, one]);
        let rewritten = without_direct_recursion(&mut store, rule, body);
        let more = store.concatenate(plus, one);
        let more = store.repetition(more, 0, None);
        assert_eq!(rewritten, store.concatenate(one, more));
    }

    #[test]
    fn a_rule_in_the_middle_of_itself_is_left_alone() {
        let mut store = ExpressionStore::new();
        let (itself, open, close) = (store.call(RuleId(0)), store.literal(b"("), store.literal(b")"));
        let nested = store.concatenation(&[open, itself, close]);
        let body = store.alternatives(&[nested, ExpressionStore::EMPTY]);
        assert_eq!(without_direct_recursion(&mut store, RuleId(0), body), body);
    }
}
