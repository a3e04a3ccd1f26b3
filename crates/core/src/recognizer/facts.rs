//! What is asked of a state beside its moves: computed when it is first asked for, and kept in its cell.
//!
//! Where an answer is another state, that is interned as those that moves lead to.

use super::automaton::Automaton;
use super::capture::{CapturePart, Parts};
use super::describe::describe_head;
use super::state::StateId;
use crate::budget::Deadline;
use crate::error::Result;
use crate::expression::{ByteSet, CertainBytes, Choice, TokenSetId};
use crate::grammar::{Content, ContentSearch, Sketch};
use crate::vocabulary::Vocabulary;

impl Automaton {
    /// The state with its counters clamped, and repetitions of free text unfolded: no token can tell the two
    /// apart, so masks are shared.
    pub(crate) fn canonical(&self, state: StateId, deadline: &Deadline) -> Result<StateId> {
        let cell = self.cell(state);
        if let Some(&canonical) = cell.canonical.get() {
            return Ok(canonical);
        }
        let canonical = self.grow(|growing| {
            let expressions = &mut growing.grammar.expressions;
            // How far it is to a match may take thousands of derivatives.
            let clamped = expressions.within(deadline, |store| store.clamp(cell.expression, self.horizon));
            let unfolded = growing.grammar.expressions.unfold_free_text(clamped);
            self.intern(growing, unfolded)
        })?;
        Ok(*cell.canonical.get_or_init(|| canonical))
    }

    /// A state that makes the same of tokens that go on in this one as far as its outline goes, where it has one.
    pub(crate) fn outline(&self, state: StateId, deadline: &Deadline) -> Result<Option<StateId>> {
        let cell = self.cell(state);
        if let Some(&outline) = cell.outline.get() {
            return Ok(outline);
        }
        let outline = self.grow(|growing| {
            let outline = match growing.grammar.has_leaves() && !state.captures() {
                true => growing.grammar.outline(cell.expression, deadline)?,
                false => None,
            };
            outline.map(|outline| self.intern(growing, outline)).transpose()
        })?;
        Ok(*cell.outline.get_or_init(|| outline))
    }

    /// The same state, what is deferred at its head defined, where that captures a text: only then can it be taken apart.
    pub(crate) fn opened(&self, state: StateId, deadline: &Deadline) -> Result<StateId> {
        let cell = self.cell(state);
        if let Some(&opened) = cell.opened.get() {
            return Ok(opened);
        }
        let opened = self.grow(|growing| {
            if growing.grammar.has_leaves() && !state.captures() {
                let defined = growing.grammar.with_defined_heads(cell.expression, deadline)?;
                if growing.grammar.expressions.captures(defined) {
                    return self.intern(growing, defined);
                }
            }
            Ok(state)
        })?;
        Ok(*cell.opened.get_or_init(|| opened))
    }

    /// What a state captures, and what else it does.
    pub(crate) fn parts(&self, state: StateId, deadline: &Deadline) -> Result<&Parts> {
        let cell = self.cell(state);
        if let Some(parts) = cell.facts().parts.get() {
            return Ok(parts);
        }
        let parts = self.grow(|growing| {
            Parts::of(cell.expression, &self.alphabet, growing, deadline, |growing, expression| {
                self.intern(growing, expression)
            })
        })?;
        Ok(cell.facts().parts.get_or_init(|| parts))
    }

    /// A state for each alternative of one.
    pub(crate) fn alternatives(&self, state: StateId) -> Result<&[StateId]> {
        let cell = self.cell(state);
        if let Some(alternatives) = cell.facts().alternatives.get() {
            return Ok(alternatives);
        }
        let alternatives = self.grow(|growing| {
            let all = growing.grammar.expressions.alternatives_of(cell.expression);
            all.into_iter().map(|one| self.intern(growing, one)).collect::<Result<_>>()
        })?;
        Ok(cell.facts().alternatives.get_or_init(|| alternatives))
    }

    /// The state after a capture that `more` bytes complete.
    pub(crate) fn after_capture(&self, part: &CapturePart, more: &[u8]) -> Result<StateId> {
        self.grow(|growing| {
            let expression = part.after(&mut growing.grammar.expressions, more);
            self.intern(growing, expression)
        })
    }

    /// A capture as a state of its own, where its text is one of not too many but for how it is spelled.
    pub(crate) fn enumerable_capture(&self, part: &CapturePart) -> Result<Option<StateId>> {
        self.grow(|growing| {
            if !growing.grammar.expressions.captures_few_texts(part.whole()) {
                return Ok(None);
            }
            self.intern(growing, part.whole()).map(Some)
        })
    }

    /// The sets of exact tokens that the state can read next, in its frame or in one that it calls.
    pub(crate) fn exact_tokens(&self, state: StateId) -> Result<&[TokenSetId]> {
        let cell = self.cell(state);
        if let Some(known) = cell.facts().exact_tokens.get() {
            return Ok(known);
        }
        let found = self.grow(|growing| Ok(growing.grammar.token_heads(cell.expression).into()))?;
        Ok(cell.facts().exact_tokens.get_or_init(|| found))
    }

    /// A text with which the front end thinks it likely that a state goes on: its `choice`-th, the likeliest first.
    pub(crate) fn suggestion(
        &self,
        state: StateId,
        choice: u32,
        deadline: &Deadline,
    ) -> Result<Option<Vec<u8>>> {
        self.grow(|growing| growing.grammar.suggestion(self.cell(state).expression, choice, deadline))
    }

    /// The bytes that the state can read; possibly more, never fewer.
    pub(crate) fn first_bytes(&self, state: StateId, deadline: &Deadline) -> Result<&ByteSet> {
        let cell = self.cell(state);
        if let Some(first) = cell.first_bytes.get() {
            return Ok(first);
        }
        let first = self.grow(|growing| growing.grammar.first_bytes(cell.expression, deadline))?;
        Ok(cell.first_bytes.get_or_init(|| first))
    }

    /// The fixed strings by which what some states read is chosen among. Takes the lock.
    pub(crate) fn choice(&self, states: impl Iterator<Item = StateId>) -> Result<Option<Choice>> {
        let expressions = states.map(|state| self.cell(state).expression);
        self.grow(|growing| Ok(growing.grammar.choice(expressions)))
    }

    /// The same, where it has been asked before.
    pub(crate) fn known_first_bytes(&self, state: StateId) -> Option<&ByteSet> {
        self.cell(state).first_bytes.get()
    }

    /// Bytes that leave the state in its frame, not complete, for certain, if any are known to.
    pub(crate) fn certain_bytes(&self, state: StateId) -> Option<&CertainBytes> {
        let cell = self.cell(state);
        let known = cell.facts().certain_bytes.get_or_init(|| {
            // Without some bytes, what begins may not be able to go on.
            let is_whole = self.alphabet == ByteSet::ALL;
            let find = || self.with_expressions(|expressions| expressions.certain_bytes(cell.expression));
            // None are known where nothing can be found out any more.
            is_whole.then(find).and_then(Result::ok).flatten().map(Box::new)
        });
        known.as_deref()
    }

    /// What the state may read next, in words.
    pub(crate) fn describe(
        &self,
        state: StateId,
        vocabulary: &Vocabulary,
        out: &mut Vec<String>,
    ) -> Result<()> {
        self.grow(|growing| {
            let deadline = Deadline::for_step(&growing.budget);
            for node in growing.grammar.defined_heads(self.cell(state).expression, &deadline) {
                describe_head(node, &growing.grammar, vocabulary, out);
            }
            Ok(())
        })
    }

    /// The sketch of a state, by that of its expression. Takes the lock.
    pub(crate) fn sketch(&self, state: StateId) -> Result<Option<Sketch>> {
        self.grow(|growing| Ok(growing.grammar.sketch(self.cell(state).expression)))
    }

    /// The sketch of a state with the outlines of the values that it calls in their place. Takes the lock.
    pub(crate) fn sketch_with_outlines(&self, state: StateId, deadline: &Deadline) -> Result<Option<Sketch>> {
        self.grow(|growing| {
            let outlined = growing.grammar.with_outlined_values(self.cell(state).expression, deadline)?;
            Ok(outlined.and_then(|outlined| growing.grammar.sketch(outlined)))
        })
    }

    /// That state itself; `None` where no value that is called has an outline. Takes the lock.
    pub(crate) fn with_outlined_values(
        &self,
        state: StateId,
        deadline: &Deadline,
    ) -> Result<Option<StateId>> {
        self.grow(|growing| {
            let outlined = growing.grammar.with_outlined_values(self.cell(state).expression, deadline)?;
            outlined.map(|outlined| self.intern(growing, outlined)).transpose()
        })
    }

    /// The content of a state, by that of its expression. Takes the lock.
    pub(crate) fn content(&self, state: StateId, search: ContentSearch<'_>) -> Result<Option<Content>> {
        self.grow(|growing| Ok(growing.grammar.content(self.cell(state).expression, search)))
    }
}
