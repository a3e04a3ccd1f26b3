//! Alternatives that end alike.
//!
//! What `a*b*a*b*` leads to is a list of alternatives of which each is the end of another. What is asked of all of
//! them is asked of each ending once, so that it takes time in proportion to their number, and not to its square.

use rustc_hash::FxHashSet;

use super::store::ListId;
use super::{Expression, ExpressionId, ExpressionStore};

/// The endings that have been looked at.
#[derive(Default)]
pub(crate) struct Endings {
    looked_at: usize,
    seen: FxHashSet<ExpressionId>,
}

impl Endings {
    /// So many are looked at sooner than they are remembered.
    const FEW: usize = 96;

    /// Whether an ending is known to have been looked at. From now on it has; of the first few that is forgotten.
    #[inline]
    pub(crate) fn is_known(&mut self, ending: ExpressionId) -> bool {
        self.looked_at += 1;
        self.looked_at > Self::FEW && !self.seen.insert(ending)
    }
}

/// The parts that an expression can begin with: of each of its alternatives the first part, and what comes after parts
/// that match the empty text. A part is no concatenation; it may hold alternatives of its own.
pub(super) struct Heads {
    /// What is left of the alternative that is being followed.
    at: Option<ExpressionId>,
    /// The alternatives, and how many of them have been begun.
    alternatives: Option<(ListId, usize)>,
    endings: Endings,
}

impl Heads {
    /// Those of an expression, given with its node.
    pub(super) fn of(node: Expression, id: ExpressionId) -> Self {
        let (at, alternatives) = match node {
            Expression::Alternatives(list) => (None, Some((list, 0))),
            _ => (Some(id), None),
        };
        Self { at, alternatives, endings: Endings::default() }
    }

    /// The next part, and what follows it, unless that is nothing.
    ///
    /// Chains are as long as patterns are, so they are followed without recursion.
    #[inline(always)]
    pub(super) fn next(&mut self, store: &ExpressionStore) -> Option<(ExpressionId, Option<ExpressionId>)> {
        let at = match (self.at.take(), self.alternatives) {
            (Some(at), None) => at,
            (Some(at), Some(_)) if !self.endings.is_known(at) => at,
            _ => self.next_alternative(store)?,
        };
        let Expression::Concatenation(head, rest) = store.get(at) else { return Some((at, None)) };
        self.at = store.is_nullable(head).then_some(rest);
        Some((head, Some(rest)))
    }

    /// The next alternative that is not the ending of an earlier one.
    fn next_alternative(&mut self, store: &ExpressionStore) -> Option<ExpressionId> {
        let (list, begun) = self.alternatives.as_mut()?;
        loop {
            let alternative = *store.list(*list).get(*begun)?;
            *begun += 1;
            if !self.endings.is_known(alternative) {
                return Some(alternative);
            }
        }
    }
}

impl ExpressionStore {
    /// Adds the expressions of which one begins each match of an expression, where that is made of them; returns
    /// whether it is.
    #[inline]
    pub(crate) fn add_beginnings(&self, id: ExpressionId, to: &mut impl Extend<ExpressionId>) -> bool {
        match self.get(id) {
            Expression::Concatenation(head, tail) => {
                to.extend([head]);
                to.extend(self.is_nullable(head).then_some(tail));
            }
            Expression::Alternatives(list) => to.extend(self.list(list).iter().copied()),
            Expression::Repetition { body, .. } => to.extend([body]),
            Expression::Unordered(unordered) => to.extend(self.unordered_heads(unordered)),
            _ => return false,
        }
        true
    }
}
