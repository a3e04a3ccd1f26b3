//! Rehearsing: likely texts are written and matched before a model writes any.
//!
//! Where [`ahead`](crate::mask) computes all that *can* be reached, this meets what *probably will* be, in the way in
//! which it will be: texts are written from the grammar alone ([`likely_texts`]), cut into tokens, and given to a
//! matcher, which asks for each mask. So everything that the same steps need later is known then: states, moves,
//! transitions, and finished masks. A few hundred masks take a few milliseconds, which a model needs for its prompt.

mod likely_texts;

use std::ops::ControlFlow;
use std::sync::Arc;

use self::likely_texts::LikelyTexts;
use crate::constraint::Constraint;
use crate::expression::Symbol;
use crate::mask::{AheadSource, Allowance, Outcome, Progress};
use crate::matcher::Matcher;
use crate::vocabulary::{NodeId, TokenId, Vocabulary};

/// Rehearses likely texts until so many masks have been asked for, or nothing new is met.
pub(crate) fn rehearse(
    constraint: &Arc<Constraint>,
    masks: usize,
    allowance: &Allowance<'_>,
    report: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Outcome<()> {
    /// Few tokens are longer, so a text of that many choices for each mask is long enough.
    const CHOICES_PER_MASK: usize = 16;
    const MOST_CHOICES: usize = 1 << 16;
    let AheadSource { automaton, vocabulary, cache, .. } = allowance.source();
    let mut texts = LikelyTexts::new(automaton, vocabulary, allowance.deadline());
    let mut matcher = Matcher::new(constraint);
    let mut row = vec![0; vocabulary.mask_words()];
    let mut left = masks;
    let mut check = |left: usize| {
        let (states, transitions) = (automaton.state_count(), cache.step_count());
        allowance.check(report, &Progress { states, waiting: left, transitions })
    };
    while left > 0
        && let most = left.saturating_mul(CHOICES_PER_MASK).min(MOST_CHOICES)
        && let Some(text) = texts.write(most, &mut || check(left))?
    {
        matcher.reset();
        let mut rest = text;
        loop {
            check(left)?;
            matcher.fill_mask(&mut row)?;
            left -= 1;
            let Some((token, read)) = next_token(rest, &row, vocabulary).filter(|_| left > 0) else { break };
            matcher.accept(token)?;
            rest = &rest[read..];
        }
    }
    Ok(())
}

/// The longest token that a mask allows at the beginning of a text, with the number of symbols that it takes.
fn next_token(text: &[Symbol], mask: &[u32], vocabulary: &Vocabulary) -> Option<(TokenId, usize)> {
    let is_allowed = |token: TokenId| mask[token.index() / 32] >> (token.index() % 32) & 1 == 1;
    if let Some(&Symbol::Token(token)) = text.first() {
        return Some((token, 1)).filter(|_| is_allowed(token));
    }
    let trie = vocabulary.trie();
    let (mut node, mut longest) = (NodeId::ROOT, None);
    for (&symbol, read) in text.iter().zip(1..) {
        let Symbol::Byte(byte) = symbol else { break };
        let Some(child) = trie.child(node, byte) else { break };
        node = child;
        let token = trie.tokens_at(node).iter().copied().find(|&token| is_allowed(token));
        longest = token.map(|token| (token, read)).or(longest);
    }
    longest
}
