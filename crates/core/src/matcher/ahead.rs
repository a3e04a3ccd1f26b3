//! What a matcher can say of the text to come: the bytes that may follow, and the text that must.

use std::ops::ControlFlow;
use std::sync::Arc;

use smallvec::SmallVec;

use super::{Matcher, Operation};
use crate::budget::Deadline;
use crate::error::Result;
use crate::expression::ByteSet;
use crate::vocabulary::{NodeId, TokenId, Vocabulary};

impl Matcher {
    /// The bytes with which the text can go on.
    ///
    /// # Errors
    /// [`Error::BudgetExceeded`](crate::Error::BudgetExceeded).
    pub fn allowed_bytes(&self) -> Result<ByteSet> {
        self.clone().with_room(Operation::AllowedBytes, |matcher| matcher.find_allowed_bytes())
    }

    fn find_allowed_bytes(&self) -> Result<ByteSet> {
        let mut allowed = ByteSet::EMPTY;
        self.visit_allowed_bytes(|byte| {
            allowed.insert(byte);
            ControlFlow::Continue(())
        })?;
        Ok(allowed)
    }

    /// The byte with which the text can go on, where there is just one.
    fn sole_allowed_byte(&mut self) -> Result<Option<u8>> {
        self.with_room(Operation::AllowedBytes, |matcher| {
            let mut sole = None;
            let is_sole = matcher.visit_allowed_bytes(|byte| match sole.replace(byte) {
                Some(other) if other != byte => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            })?;
            Ok(sole.filter(|_| is_sole))
        })
    }

    /// Visits the bytes with which the text can go on, in no order, each once or more often, until it is told to break
    /// off. Returns whether it was not.
    fn visit_allowed_bytes(&self, mut visit: impl FnMut(u8) -> ControlFlow<()>) -> Result<bool> {
        if self.is_finished() {
            return Ok(true);
        }
        let automaton = &self.generation().automaton;
        let alphabet = self.constraint.vocabulary().alphabet();
        let deadline = Deadline::for_step(self.constraint.budget());
        for pair in &self.at.step.configuration.pairs {
            let first = automaton.first_bytes(pair.state, &deadline)?;
            for byte in first.intersection(&alphabet).iter() {
                if automaton.can_read(pair.state, byte, &deadline)? && visit(byte).is_break() {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// The exact tokens, named by the grammar, that may come next: two of them where there are more.
    fn allowed_exact_tokens(&mut self) -> Result<SmallVec<[TokenId; 2]>> {
        self.with_room(Operation::AllowedTokens, |matcher| matcher.find_allowed_exact_tokens())
    }

    fn find_allowed_exact_tokens(&self) -> Result<SmallVec<[TokenId; 2]>> {
        let automaton = &self.generation().automaton;
        if self.is_finished() || !automaton.names_tokens() {
            return Ok(SmallVec::new());
        }
        let mut sets = Vec::new();
        for pair in &self.at.step.configuration.pairs {
            sets.extend_from_slice(automaton.exact_tokens(pair.state)?);
        }
        if sets.is_empty() {
            return Ok(SmallVec::new());
        }
        let count = self.constraint.vocabulary().token_count();
        automaton.with_expressions(|expressions| {
            let mut allowed = SmallVec::new();
            for token in sets.into_iter().flat_map(|set| expressions.token_set(set).tokens(count)) {
                if !allowed.contains(&token) {
                    allowed.push(token);
                }
                if allowed.len() == 2 {
                    break;
                }
            }
            allowed
        })
    }

    /// The text that must come next whatever the model prefers, up to `limit` bytes.
    ///
    /// It ends where the text is complete, where two bytes can come, or where an exact token can.
    ///
    /// # Errors
    /// [`Error::BudgetExceeded`](crate::Error::BudgetExceeded).
    pub fn forced_bytes(&self, limit: usize) -> Result<Vec<u8>> {
        let deadline = Deadline::for_step(self.constraint.budget());
        self.clone().read_forced_bytes(limit, &deadline)
    }

    fn read_forced_bytes(&mut self, limit: usize, deadline: &Deadline) -> Result<Vec<u8>> {
        let mut forced = Vec::new();
        while forced.len() < limit && !self.is_complete() && self.allowed_exact_tokens()?.is_empty() {
            deadline.check()?;
            let Some(byte) = self.sole_allowed_byte()? else { break };
            if !self.accept_bytes(&[byte])? {
                break;
            }
            forced.push(byte);
        }
        Ok(forced)
    }

    /// Tokens that can be appended without asking the model, up to `limit` of them.
    ///
    /// They spell [`forced_bytes`](Self::forced_bytes), always by the longest token, and stop before a
    /// place where a token could reach past the forced text: what the model would choose there is not
    /// known. A single exact token that is the only way on is forced too. This is a policy on top of
    /// the mask: other tokens that spell the same text are allowed as well.
    ///
    /// # Errors
    /// [`Error::BudgetExceeded`](crate::Error::BudgetExceeded).
    pub fn forced_tokens(&self, limit: usize) -> Result<Vec<TokenId>> {
        let vocabulary = Arc::clone(self.constraint.vocabulary());
        let deadline = Deadline::for_step(self.constraint.budget());
        let mut ahead = self.clone();
        let mut forced = Vec::new();
        while forced.len() < limit {
            deadline.check()?;
            let exact = ahead.allowed_exact_tokens()?;
            if let [only] = *exact.as_slice()
                && !ahead.is_complete()
                && ahead.allowed_bytes()?.is_empty()
                && ahead.accept(only)?
            {
                forced.push(only);
                continue;
            }
            let mut end = ahead.clone();
            let budget = (limit - forced.len()).saturating_mul(vocabulary.longest_token()).min(1 << 20);
            let text = end.read_forced_bytes(budget, &deadline)?;
            let tokens = spell(&vocabulary, &text, &end.allowed_bytes()?, limit - forced.len());
            if tokens.is_empty() || ahead.accept_tokens(&tokens)? != tokens.len() {
                break;
            }
            forced.extend(tokens);
        }
        Ok(forced)
    }

    /// What may come next, readable: quoted text, sets of bytes, names of rules and tokens.
    ///
    /// # Errors
    /// [`Error::BudgetExceeded`](crate::Error::BudgetExceeded).
    pub fn expected(&self) -> Result<Vec<String>> {
        self.clone().with_room(Operation::Expected, |matcher| matcher.find_expected())
    }

    fn find_expected(&self) -> Result<Vec<String>> {
        let mut expected = Vec::new();
        if self.is_finished() {
            return Ok(expected);
        }
        let vocabulary = self.constraint.vocabulary();
        for pair in &self.at.step.configuration.pairs {
            self.generation().automaton.describe(pair.state, vocabulary, &mut expected)?;
        }
        if self.is_complete() {
            expected.push("end of text".to_owned());
        }
        expected.sort_unstable();
        expected.dedup();
        Ok(expected)
    }
}

/// Spells a text by always the longest token, up to where a token could begin that reaches past the
/// text into `next`.
fn spell(vocabulary: &Vocabulary, text: &[u8], next: &ByteSet, limit: usize) -> Vec<TokenId> {
    let trie = vocabulary.trie();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < text.len() && tokens.len() < limit {
        let mut node = NodeId::ROOT;
        let mut longest = None;
        let mut length = 0;
        for &byte in &text[at..] {
            let Some(child) = trie.child(node, byte) else { break };
            node = child;
            length += 1;
            if let Some(&token) = trie.tokens_at(node).first() {
                longest = Some((token, length));
            }
        }
        let reaches_past =
            at + length == text.len() && trie.child_bytes(node).iter().any(|&byte| next.contains(byte));
        let Some((token, length)) = longest.filter(|_| !reaches_past) else { break };
        tokens.push(token);
        at += length;
    }
    tokens
}
