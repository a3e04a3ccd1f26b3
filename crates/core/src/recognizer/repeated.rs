//! The kinds of characters that a state may read again and again.
//!
//! They are told by what its expression repeats, so that this takes no derivative. [Stretches](super::stretch) are of these
//! kinds, and of no others.

use super::automaton::Automaton;
use super::state::StateId;
use crate::error::Result;
use crate::vocabulary::Signature;

/// The kinds of characters that a state may read again and again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Repeated {
    /// Those of which it may begin all characters that tokens hold. Of kinds with white space among them, those are left out
    /// whose characters are plainly not all alike: to find this out byte by byte takes a derivative for each few of them.
    all: Signature,
    /// Those of which it may begin any.
    some: Signature,
}

impl Automaton {
    /// Whether a state may read characters of some kinds again and again: otherwise its stretch is hardly of all of them.
    pub(crate) fn may_repeat(&self, state: StateId, kinds: Signature) -> Result<bool> {
        Ok(kinds.is_within(self.repeated_kinds(state)?))
    }

    /// Whether a state may read more kinds of characters again and again than some.
    pub(crate) fn may_repeat_more(&self, state: StateId, kinds: Signature) -> Result<bool> {
        Ok(!self.repeated_kinds(state)?.is_within(kinds))
    }

    /// The kinds of characters that a state may read again and again, as far as it may begin all of a kind, and it does not
    /// plainly tell some of these apart.
    pub(super) fn repeated_kinds(&self, state: StateId) -> Result<Signature> {
        Ok(self.repeated(state)?.all)
    }

    /// The same, with those of which it may begin only some, as a pattern does that reads the letters of an alphabet.
    pub(super) fn partly_repeated_kinds(&self, state: StateId) -> Result<Signature> {
        Ok(self.repeated(state)?.some)
    }

    fn repeated(&self, state: StateId) -> Result<Repeated> {
        let cell = self.cell(state);
        if let Some(&repeated) = cell.facts().repeated.get() {
            return Ok(repeated);
        }
        let (bytes, partly) = self.with_expressions(|expressions| {
            let bytes = expressions.repeated_bytes(cell.expression);
            let begun = bytes.intersection(&Signature::begun_with_spaces());
            let partly = match begun.is_empty() {
                true => begun,
                false => expressions.partly_begun_in_strings(cell.expression, &begun),
            };
            (bytes, partly)
        })?;
        let repeated = match bytes.is_empty() {
            true => Repeated { all: Signature::EMPTY, some: Signature::EMPTY },
            false => Repeated {
                all: Signature::all_within(&bytes.difference(&partly), &self.alphabet),
                some: Signature::of_any(&bytes.intersection(&self.alphabet)),
            },
        };
        Ok(*cell.facts().repeated.get_or_init(|| repeated))
    }
}
