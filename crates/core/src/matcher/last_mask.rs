//! The mask that a matcher was last asked for, and where that was.
//!
//! In the middle of a string most tokens leave everything as it was: the same state on top of the same frame. Such a
//! mask is known without asking the cache for its parts.

use std::sync::{Arc, Weak};

use smallvec::SmallVec;

use crate::generation::Generation;
use crate::mask::Finished;
use crate::recognizer::{Pair, SharedFrame};

/// A mask, and what was alive where it was asked for.
pub(super) struct LastMask {
    /// What the states are of. It is not kept alive, but as long as it is referred to no other takes its place in memory.
    generation: Weak<Generation>,
    /// Frames are held, too, so that equal references mean equal frames.
    pairs: SmallVec<[Pair<SharedFrame>; 1]>,
    complete: bool,
    mask: Arc<Finished>,
}

impl std::fmt::Debug for LastMask {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("LastMask").field("pairs", &self.pairs).finish_non_exhaustive()
    }
}

impl LastMask {
    pub(super) fn new(
        generation: &Arc<Generation>,
        pairs: &[Pair<SharedFrame>],
        complete: bool,
        mask: &Arc<Finished>,
    ) -> Self {
        let (generation, mask) = (Arc::downgrade(generation), Arc::clone(mask));
        Self { generation, pairs: pairs.iter().cloned().collect(), complete, mask }
    }

    /// The mask, if just this is alive.
    pub(super) fn get(
        &self,
        generation: &Arc<Generation>,
        pairs: &[Pair<SharedFrame>],
        complete: bool,
    ) -> Option<Arc<Finished>> {
        let is_same = std::ptr::eq(self.generation.as_ptr(), Arc::as_ptr(generation))
            && self.complete == complete
            && self.pairs.as_slice() == pairs;
        is_same.then(|| Arc::clone(&self.mask))
    }
}
