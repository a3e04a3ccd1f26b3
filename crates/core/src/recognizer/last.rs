//! States of frames to which no other frame returns.
//!
//! Where nobody resumes when a frame completes, it does not matter where in a token it does: tokens that go on from
//! there cannot be read anyway. Free text, or any word, may end anywhere, so that the places where it does would be all nodes
//! of the vocabulary's trie. The *last* form of a state is the same state followed by something that is alive but never
//! read. It is never complete, so a walk from it finds the same tokens inside and no exits, and it loops
//! and stretches over whole subtrees as states do that are not complete.

use rustc_hash::FxHashMap;

use super::automaton::Automaton;
use super::state::StateId;
use crate::error::Result;
use crate::expression::{Expression, ExpressionId, ExpressionStore};
use crate::vocabulary::{TokenId, TokenReference, TokenSet};

impl Automaton {
    /// The last form of a state, where it is worth a walk of its own; `None` where the state is walked as it is.
    pub(crate) fn last(&self, state: StateId) -> Result<Option<StateId>> {
        let cell = self.cell(state);
        let ends_early = state.is_nullable() || cell.is_open_ended || self.reads_free_text();
        if state.captures() || !ends_early {
            return Ok(None);
        }
        if let Some(&last) = cell.facts().last.get() {
            return Ok(Some(last));
        }
        let last = self.grow(|growing| {
            let expression = growing.grammar.expressions.followed_by_the_unread(cell.expression);
            self.intern(growing, expression)
        })?;
        Ok(Some(*cell.facts().last.get_or_init(|| last)))
    }
}

impl ExpressionStore {
    /// The expression followed by a token that no vocabulary has. As a derivative is, it stands behind each alternative.
    pub(super) fn followed_by_the_unread(&mut self, id: ExpressionId) -> ExpressionId {
        let unread = self.tokens(TokenSet::of(vec![TokenReference::Id(TokenId(u32::MAX))]));
        let Expression::Alternatives(list) = self.get(id) else { return self.concatenate(id, unread) };
        let mut items = self.list(list).to_vec();
        // Alternatives may end alike, by the thousand.
        let mut known = FxHashMap::default();
        for item in &mut items {
            *item = self.chain_followed_by(*item, unread, &mut known);
        }
        self.alternatives(&items)
    }

    /// The concatenation of a chain and an ending. What is `known` of its parts is not made again.
    fn chain_followed_by(
        &mut self,
        chain: ExpressionId,
        ending: ExpressionId,
        known: &mut FxHashMap<ExpressionId, ExpressionId>,
    ) -> ExpressionId {
        let (mut parts, mut at) = (Vec::new(), chain);
        let mut rest = loop {
            match (known.get(&at), self.get(at)) {
                (Some(&rest), _) => break rest,
                (None, Expression::Concatenation(head, tail)) => {
                    parts.push((at, head));
                    at = tail;
                }
                (None, _) => break self.concatenate(at, ending),
            }
        };
        for (part, head) in parts.into_iter().rev() {
            rest = self.concatenate(head, rest);
            known.insert(part, rest);
        }
        rest
    }
}
