//! Rehearsing: likely texts are written and matched before a model writes any.
//!
//! Where [`ahead`](crate::mask) computes all that *can* be reached, this meets what *probably will* be, in the way in
//! which it will be: the examples of the user, and texts that are written from the grammar alone ([`likely_texts`]), are cut
//! into tokens and given to a matcher, which asks for each mask. So everything that the same steps need later is known
//! then: states, moves, transitions, and finished masks. A few hundred masks take a few milliseconds, which a model needs for its prompt.

mod likely_bytes;
mod likely_texts;
mod way_out;

use std::ops::ControlFlow;
use std::sync::Arc;

use self::likely_texts::LikelyTexts;
use crate::constraint::Constraint;
use crate::expression::Symbol;
use crate::mask::{AheadSource, Allowance, Outcome, Progress, has_bit};
use crate::matcher::Matcher;
use crate::vocabulary::{NodeId, TokenId, Vocabulary};

/// Rehearses examples, as far as they fit, and then likely texts, until so many masks have been asked for, or nothing new
/// is met; with `None`, all examples and nothing else.
pub(crate) fn rehearse(
    constraint: &Arc<Constraint>,
    masks: Option<usize>,
    examples: &[Vec<u8>],
    allowance: &Allowance<'_>,
    report: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Outcome<()> {
    /// Few tokens are longer, so a text of that many choices for each mask is long enough.
    const CHOICES_PER_MASK: usize = 16;
    const MOST_CHOICES: usize = 1 << 16;
    /// After so many texts in a row with no transition that was not known, nothing new is to be expected.
    const KNOWN_TEXTS: u32 = 8;
    let AheadSource { automaton, vocabulary, cache, .. } = allowance.source();
    let mut check = |left: usize| {
        let (states, transitions) = (automaton.state_count(), cache.step_count());
        allowance.check(report, &Progress { states, waiting: left, transitions })
    };
    let mut rehearsal = Rehearsal::new(constraint, vocabulary, masks.unwrap_or(usize::MAX));
    let names = if examples.is_empty() { Vec::new() } else { names_of_tokens(vocabulary) };
    let longest = names.iter().map(|(name, _)| name.len()).chain([vocabulary.longest_token()]).max();
    for example in examples {
        // No more of it can be read with the masks that are left.
        let most = rehearsal.left.saturating_mul(longest.unwrap_or(0));
        let text: Vec<Symbol> = example.iter().take(most).copied().map(Symbol::Byte).collect();
        rehearsal.read(&text, &names, &mut check)?;
    }
    if masks.is_none() {
        return Ok(());
    }
    let mut texts = LikelyTexts::new(automaton, vocabulary, allowance.deadline());
    let mut known_texts = 0;
    while rehearsal.left > 0
        && known_texts < KNOWN_TEXTS
        && let most = rehearsal.left.saturating_mul(CHOICES_PER_MASK).min(MOST_CHOICES)
        && let Some(text) = texts.write(most, &mut || check(rehearsal.left))?
    {
        let transitions = cache.step_count();
        rehearsal.read(text, &[], &mut check)?;
        known_texts = if cache.step_count() > transitions { 0 } else { known_texts + 1 };
    }
    Ok(())
}

/// A special token, and its name as it may stand in an example.
type NameOfToken = (Vec<Symbol>, TokenId);

/// The special tokens that a text may go on after.
fn names_of_tokens(vocabulary: &Vocabulary) -> Vec<NameOfToken> {
    let goes_on = vocabulary.special_tokens().filter(|&(_, token)| !vocabulary.is_stop_token(token));
    goes_on.map(|(name, token)| (name.bytes().map(Symbol::Byte).collect(), token)).collect()
}

/// Matches texts with a mask before each token.
struct Rehearsal<'a> {
    vocabulary: &'a Vocabulary,
    matcher: Matcher,
    row: Vec<u32>,
    /// How many masks may still be asked for.
    left: usize,
}

impl<'a> Rehearsal<'a> {
    fn new(constraint: &Arc<Constraint>, vocabulary: &'a Vocabulary, masks: usize) -> Self {
        let row = vec![0; vocabulary.mask_words()];
        Self { vocabulary, matcher: Matcher::new(constraint), row, left: masks }
    }

    /// Matches a text as far as it is allowed. Asks before each mask whether to go on.
    fn read(
        &mut self,
        text: &[Symbol],
        names: &[NameOfToken],
        check: &mut dyn FnMut(usize) -> Outcome<()>,
    ) -> Outcome<()> {
        self.matcher.reset();
        let mut rest = text;
        while self.left > 0 {
            check(self.left)?;
            self.matcher.fill_mask(&mut self.row)?;
            self.left -= 1;
            let next = self.next_token(rest, names).filter(|_| self.left > 0);
            let Some((token, read)) = next else { break };
            self.matcher.accept(token)?;
            rest = &rest[read..];
        }
        Ok(())
    }

    /// The token that the mask allows at the beginning of a text, with the number of symbols that it takes: the one whose
    /// name stands there, or else the longest.
    fn next_token(&self, text: &[Symbol], names: &[NameOfToken]) -> Option<(TokenId, usize)> {
        let is_allowed = |token: TokenId| has_bit(&self.row, token);
        if let Some(&Symbol::Token(token)) = text.first() {
            return Some((token, 1)).filter(|_| is_allowed(token));
        }
        let named = names.iter().find(|(name, token)| text.starts_with(name) && is_allowed(*token));
        if let Some((name, token)) = named {
            return Some((*token, name.len()));
        }
        let trie = self.vocabulary.trie();
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
}
