//! Copies expressions into another store, changing leaves on the way.

use crate::budget::Deadline;
use crate::error::Result;
use crate::expression::{ByteSet, Expression, ExpressionId, ExpressionStore, Owned};

use super::fixpoint::NODES_PER_CHECK;

/// Copies what is reachable from `roots` into `target`, through its normalising constructors.
///
/// `replace` is asked about every node, and told the new ids of those before it; where it answers `Some`, that stands in the node's place, and
/// the operands are still copied; what stands in the place of a regular expression matches no more than it did. Returns the new id for each old one, indexed by
/// [`ExpressionId::index`]; ids that are not reachable map to `NOTHING`.
///
/// # Errors
/// [`Error::BudgetExceeded`](crate::Error::BudgetExceeded) when the time is over.
pub(super) fn rebuild(
    source: &ExpressionStore,
    roots: impl IntoIterator<Item = ExpressionId>,
    target: &mut ExpressionStore,
    deadline: &Deadline,
    mut replace: impl FnMut(
        &mut ExpressionStore,
        &[ExpressionId],
        ExpressionId,
        Expression,
    ) -> Option<ExpressionId>,
) -> Result<Vec<ExpressionId>> {
    let reachable = reachable(source, roots);
    let mut map = vec![ExpressionStore::NOTHING; source.len()];
    // Only a store that knows what any text is tells that it takes in all other text.
    if source.has_any_character() {
        target.any_character();
    }
    for id in source.ids() {
        if !reachable[id.index()] {
            continue;
        }
        if id.index() % NODES_PER_CHECK == 0 {
            deadline.check()?;
        }
        let node = source.get(id);
        map[id.index()] = match replace(target, &map, id, node) {
            Some(replacement) => replacement,
            None => copy(source, target, &map, id, node),
        };
        // What stands in the place of text matches no more than it, so it is text, too.
        if source.is_text(id) {
            target.set_text(map[id.index()]);
        }
    }
    Ok(map)
}

/// Which expressions are reachable from the roots without following calls.
pub(super) fn reachable(
    source: &ExpressionStore,
    roots: impl IntoIterator<Item = ExpressionId>,
) -> Vec<bool> {
    let mut reachable = vec![false; source.len()];
    for root in roots {
        reachable[root.index()] = true;
    }
    for id in source.ids().rev() {
        if reachable[id.index()] {
            for operand in source.operands(id) {
                reachable[operand.index()] = true;
            }
        }
    }
    reachable
}

fn copy(
    source: &ExpressionStore,
    target: &mut ExpressionStore,
    map: &[ExpressionId],
    id: ExpressionId,
    node: Expression,
) -> ExpressionId {
    match node {
        Expression::Nothing => ExpressionStore::NOTHING,
        Expression::Empty => ExpressionStore::EMPTY,
        Expression::Bytes(set) => target.bytes(*source.byte_set(set)),
        Expression::Literals(range) => {
            let depth = range.depth as usize;
            target.literals(source.literals_of(range).map(|literal| literal[depth..].to_vec()).collect())
        }
        Expression::Tokens(set) => target.tokens(source.token_set(set).clone()),
        Expression::Call(rule) => target.call(rule),
        Expression::Concatenation(..)
        | Expression::Alternatives(_)
        | Expression::Repetition { .. }
        | Expression::Intersection(_)
        | Expression::Complement(_) => {
            let mut operands = source.operands(id);
            operands.iter_mut().for_each(|operand| *operand = map[operand.index()]);
            target.with_operands(node, &operands).unwrap_or(ExpressionStore::NOTHING)
        }
        Expression::Residue(residue) => target.residue(source.residue_of(residue)),
        Expression::Deferred(deferred) => {
            let Owned { leaf, number } = source.deferred_by(deferred);
            target.deferred(leaf, number)
        }
        Expression::FreeText { table, .. } => {
            target.free_text_from(source, table, &ByteSet::ALL, |after| map[after.index()])
        }
        Expression::Unordered(unordered) => target.any_order_from(source, unordered, |id| map[id.index()]),
        // Only leaves write these, and no pass sees what they write.
        Expression::JsonString { .. } | Expression::Capture { .. } | Expression::Captured { .. } => {
            ExpressionStore::NOTHING
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;

    #[test]
    fn a_copy_knows_of_any_text_what_its_source_did() {
        let mut source = ExpressionStore::new();
        let any = source.any_character();
        let (any, letter) = (source.repetition(any, 0, None), source.characters(&[('a', 'ÿ')]));
        let end = source.literal(b"!");
        let letters = source.repetition(letter, 1, Some(9));
        let word = source.concatenate(letters, end);
        let mut target = ExpressionStore::new();
        let deadline = Deadline::for_compile(&Budget::default());
        let map = rebuild(&source, [any, word], &mut target, &deadline, |_, _, _, _| None).unwrap();
        let [any, word] = [any, word].map(|id| map[id.index()]);
        assert_eq!(target.alternatives(&[any, word]), any);
        assert_eq!(target.intersection(&[any, word]), word);
    }
}
