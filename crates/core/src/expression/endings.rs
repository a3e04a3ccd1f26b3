//! Alternatives that end alike.
//!
//! What `a*b*a*b*` leads to is a list of alternatives of which each is the end of another. What is asked of all of
//! them is asked of each ending once, so that it takes time in proportion to their number, and not to its square.

use rustc_hash::FxHashSet;

use super::ExpressionId;

/// The endings of alternatives that have been looked at.
pub(super) struct Endings {
    /// `None` for a few alternatives, which are looked at sooner than they are remembered.
    seen: Option<FxHashSet<ExpressionId>>,
}

impl Endings {
    /// None of those of some alternatives.
    pub(super) fn of(alternatives: &[ExpressionId]) -> Self {
        const FEW: usize = 96;
        Self { seen: (alternatives.len() > FEW).then(FxHashSet::default) }
    }

    /// Whether a part has been looked at; from now on it has.
    pub(super) fn is_known(&mut self, part: ExpressionId) -> bool {
        self.seen.as_mut().is_some_and(|seen| !seen.insert(part))
    }
}
