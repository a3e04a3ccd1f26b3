//! Grammars whose rules are written while the text is read.
//!
//! A front end that would have to write out far more than a text ever reaches hands over a
//! [`LazyGrammar`] instead. The passes do not see it, so it keeps their promises itself: whatever it
//! defines matches something that the vocabulary can spell, and only what it says to be nullable is.

use std::fmt;

use super::prepare::PreparedRule;
use crate::budget::{Budget, Deadline};
use crate::error::Result;
use crate::expression::{
    CaptureId, DeferredId, Description, Emptiness, ExpressionId, ExpressionStore, Part, RuleId,
};
use crate::vocabulary::Vocabulary;

/// A grammar that is written on demand, independent of any vocabulary.
pub(crate) trait LazyGrammar: fmt::Debug + Send + Sync {
    /// Begins to write it for a vocabulary.
    fn begin(&self, vocabulary: &Vocabulary, budget: &Budget, deadline: &Deadline) -> Result<Beginning>;
}

/// What is there before the first byte.
pub(crate) struct Beginning {
    pub(crate) expressions: ExpressionStore,
    pub(crate) emptiness: Emptiness,
    pub(crate) rules: Vec<PreparedRule>,
    pub(crate) start: RuleId,
    pub(crate) definitions: Box<dyn Definitions>,
}

/// Defines what is deferred. Every deferred expression is asked for once, and the answer is kept.
pub(crate) trait Definitions: Send {
    /// What a deferred expression stands for.
    fn define(&mut self, deferred: DeferredId, workshop: &mut Workshop<'_>) -> Result<ExpressionId>;

    /// What comes after a captured text; with `None`, after any text: all that may come after some text of
    /// the capture, and possibly more, but only behind the next comma of the text.
    fn after(
        &mut self,
        capture: CaptureId,
        text: Option<&[u8]>,
        workshop: &mut Workshop<'_>,
    ) -> Result<ExpressionId>;

    /// Adds the shallow form of what a deferred expression stands for, of where a capture leads, or of a part that
    /// such a form named; false where it has none. All that the answers of [`define`](Self::define) and
    /// [`after`](Self::after) depend on is in the form or in its parts, and nothing that depends on the order in
    /// which a text was met.
    fn describe(&mut self, part: Part, out: &mut Description, workshop: &mut Workshop<'_>) -> Result<bool>;

    /// Whether [`after`](Self::after) can be asked without a text.
    fn is_forgetful(&self, capture: CaptureId) -> bool;
}

/// What definitions are built with.
pub(crate) struct Workshop<'a> {
    pub(crate) expressions: &'a mut ExpressionStore,
    pub(crate) emptiness: &'a mut Emptiness,
    pub(crate) rules: &'a mut Vec<PreparedRule>,
    pub(crate) deadline: &'a Deadline,
}
