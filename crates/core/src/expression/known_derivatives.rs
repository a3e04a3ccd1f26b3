//! Derivatives that are kept.
//!
//! A search for a match, a look at which characters leave a string as it is, and then the walk derive the same content by
//! the same bytes. Most classes of bytes are large, so few entries answer for all of them.

use smallvec::SmallVec;

use super::store::ExpressionMap;
use super::{ByteSet, ExpressionId};

/// The derivatives of the expressions of one store, as far as they are kept.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownDerivatives {
    /// By the expression: bytes, and what it is after any of them. No byte is in two sets of one expression.
    of: ExpressionMap<SmallVec<[(ByteSet, ExpressionId); 1]>>,
    count: usize,
}

impl KnownDerivatives {
    /// The derivative by a byte, with bytes that have the same one. Takes time in proportion to how many different ones are
    /// known, which are 256 at most.
    pub(super) fn get(&self, id: ExpressionId, byte: u8) -> Option<(ByteSet, ExpressionId)> {
        self.of.get(&id)?.iter().find(|(bytes, _)| bytes.contains(byte)).copied()
    }

    /// Keeps the derivative by some bytes that was not known of one of them.
    pub(super) fn keep(&mut self, id: ExpressionId, bytes: &ByteSet, derivative: ExpressionId) {
        let known = self.of.entry(id).or_default();
        match known.iter_mut().find(|(_, known)| *known == derivative) {
            Some((class, _)) => *class = class.union(bytes),
            None => {
                known.push((*bytes, derivative));
                self.count += 1;
            }
        }
    }

    /// How many are kept.
    pub(super) fn count(&self) -> usize {
        self.count
    }
}
