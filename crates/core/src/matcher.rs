//! One generated sequence's cursor in a constraint.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::budget::Deadline;
use crate::constraint::Constraint;
use crate::error::{Error, Result};
use crate::expression::{ByteSet, Symbol};
use crate::mask::{Mask, MaskScratch, Source, mask_by_each_token, mask_by_stack_automaton};
use crate::recognizer::{Advance, Pair, SharedFrame, SharedGraph};
use crate::vocabulary::{NodeId, TokenId, Vocabulary};

/// What is alive after the bytes committed so far.
#[derive(Clone, Debug)]
struct Configuration {
    pairs: SmallVec<[Pair<SharedFrame>; 1]>,
    /// Whether the text so far satisfies the grammar.
    complete: bool,
    /// Whether a stop token has been accepted.
    finished: bool,
}

/// One entry of the history. Immutable, so that forks share it.
#[derive(Debug)]
struct Step {
    configuration: Configuration,
    previous: Option<Arc<Step>>,
    /// The number of steps before this one.
    count: usize,
}

/// A cursor in a [`Constraint`]: what has been accepted so far, and so what may come next.
///
/// Cloning is the fork: it takes constant time, and both go their own ways. Whatever fails leaves the
/// matcher as it was.
///
/// ```
/// use std::sync::Arc;
/// use maskwright_core::{Budget, Constraint, Matcher, TokenId, Vocabulary, frontend};
///
/// let tokens = ["a", "ab", "b", ""].map(|text| Some(text.into()));
/// let vocabulary = Arc::new(Vocabulary::new(tokens.to_vec(), vec![], vec![TokenId(3)], 4)?);
/// let grammar = frontend::choice::compile(&["ab".to_owned()], &Budget::default())?;
/// let constraint = Arc::new(Constraint::compile(&grammar, &vocabulary, &Budget::default())?);
/// let mut matcher = Matcher::new(&constraint);
/// let mut mask = [0];
/// matcher.fill_mask(&mut mask)?;
/// assert_eq!(mask, [0b0011]);
/// assert!(matcher.accept(TokenId(0))? && matcher.accept(TokenId(2))? && matcher.is_complete());
/// matcher.rollback(1)?;
/// assert!(!matcher.is_complete());
/// # Ok::<(), maskwright_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Matcher {
    constraint: Arc<Constraint>,
    now: Arc<Step>,
    scratch: Option<Box<Scratch>>,
}

/// Working memory, kept between steps; not part of what the matcher is.
#[derive(Debug)]
struct Scratch {
    advance: Advance<SharedGraph>,
    now: Vec<Pair<SharedFrame>>,
    next: Vec<Pair<SharedFrame>>,
    mask: MaskScratch,
}

impl Clone for Matcher {
    fn clone(&self) -> Self {
        Self { constraint: Arc::clone(&self.constraint), now: Arc::clone(&self.now), scratch: None }
    }
}

impl Drop for Step {
    /// Frees a long history in a loop: the natural recursion would overflow the native stack.
    fn drop(&mut self) {
        let mut previous = self.previous.take();
        while let Some(mut step) = previous.and_then(Arc::into_inner) {
            previous = step.previous.take();
        }
    }
}

impl Matcher {
    /// A matcher that has accepted nothing.
    pub fn new(constraint: &Arc<Constraint>) -> Self {
        let start = Pair { state: constraint.automaton().start(), frame: SharedFrame::bottom() };
        let complete = start.state.is_nullable();
        let pairs = if start.state.continues() { SmallVec::from_iter([start]) } else { SmallVec::new() };
        let configuration = Configuration { pairs, complete, finished: false };
        let now = Arc::new(Step { configuration, previous: None, count: 0 });
        Self { constraint: Arc::clone(constraint), now, scratch: None }
    }

    /// The constraint that is matched.
    pub fn constraint(&self) -> &Arc<Constraint> {
        &self.constraint
    }

    /// Whether the text so far satisfies the grammar, so that a stop token is allowed.
    pub fn is_complete(&self) -> bool {
        self.now.configuration.complete
    }

    /// Whether a stop token has been accepted, so that nothing is allowed any more.
    pub fn is_finished(&self) -> bool {
        self.now.configuration.finished
    }

    /// The number of steps that [`rollback`](Self::rollback) can undo.
    pub fn step_count(&self) -> usize {
        self.now.count
    }

    /// The number of frames on the longest way from what is alive to the bottom of the stack, the bottom
    /// included. It takes time in proportion to the whole stack graph; for statistics and tests.
    pub fn stack_depth(&self) -> usize {
        crate::recognizer::stack_depth(self.now.configuration.pairs.iter().map(|pair| &pair.frame))
    }

    /// Writes the mask of the tokens that may come next: bit `id % 32` of word `id / 32`.
    ///
    /// # Errors
    /// [`Error::MaskLength`] unless the row has [`Vocabulary::mask_words`] words;
    /// [`Error::BudgetExceeded`], after which the row is as it was.
    pub fn fill_mask(&mut self, row: &mut [u32]) -> Result<()> {
        self.check_length(row)?;
        self.with_mask(|mask| mask.write_to(row))
    }

    /// As [`fill_mask`](Self::fill_mask), unless the row holds the mask of the number `held` already. Returns the
    /// number of the mask that the row holds then, where it has one.
    ///
    /// # Errors
    /// As [`fill_mask`](Self::fill_mask).
    pub fn fill_mask_unless_held(&mut self, row: &mut [u32], held: Option<u64>) -> Result<Option<u64>> {
        self.check_length(row)?;
        self.with_mask(|mask| {
            let id = mask.id();
            if id.is_none() || id != held {
                mask.write_to(row);
            }
            id
        })
    }

    /// The number of the mask of the tokens that may come next, where it has one: equal numbers from one
    /// pool, or from pools with numbers of their own, mean equal masks. A mask that depends on a text that was captured has none.
    ///
    /// # Errors
    /// [`Error::BudgetExceeded`].
    pub fn mask_id(&mut self) -> Result<Option<u64>> {
        self.with_mask(|mask| mask.id())
    }

    fn check_length(&self, row: &[u32]) -> Result<()> {
        let needed = self.constraint.vocabulary().mask_words();
        if row.len() == needed { Ok(()) } else { Err(Error::MaskLength { found: row.len(), needed }) }
    }

    /// Finds the mask of the tokens that may come next, and does something with it.
    fn with_mask<T>(&mut self, run: impl FnOnce(&Mask<'_>) -> T) -> Result<T> {
        let (constraint, now) = (Arc::clone(&self.constraint), Arc::clone(&self.now));
        let Configuration { pairs, complete, finished } = &now.configuration;
        let (automaton, vocabulary, cache) =
            (constraint.automaton(), constraint.vocabulary(), constraint.cache());
        let deadline = Deadline::for_step(constraint.budget());
        let source = Source { automaton, vocabulary, cache, deadline: &deadline };
        let scratch = &mut self.scratch().mask;
        let mask = match (finished, constraint.settings().stack_automaton) {
            (true, _) => mask_by_stack_automaton(&[], false, source, scratch)?,
            (false, true) => mask_by_stack_automaton(pairs, *complete, source, scratch)?,
            (false, false) => mask_by_each_token(pairs, *complete, source, scratch)?,
        };
        Ok(run(&mask))
    }

    /// Accepts a token, where it is allowed. Returns whether it was.
    ///
    /// A stop token is accepted where the text is complete, and finishes the matcher. One that the
    /// grammar names as an exact token is also accepted there; where nothing can follow it, it
    /// finishes the matcher too.
    ///
    /// # Errors
    /// [`Error::TokenId`] for an id outside the vocabulary; [`Error::BudgetExceeded`].
    pub fn accept(&mut self, token: TokenId) -> Result<bool> {
        self.constraint.vocabulary().check(i64::from(token.0))?;
        let Some(configuration) = self.after_token(token)? else { return Ok(false) };
        self.push(configuration);
        Ok(true)
    }

    /// Accepts tokens up to the first that is not allowed. Returns how many were accepted.
    ///
    /// # Errors
    /// As [`accept`](Self::accept); then none is accepted.
    pub fn accept_tokens(&mut self, tokens: &[TokenId]) -> Result<usize> {
        let before = Arc::clone(&self.now);
        for (at, &token) in tokens.iter().enumerate() {
            match self.accept(token) {
                Ok(true) => {}
                Ok(false) => return Ok(at),
                Err(error) => {
                    self.now = before;
                    return Err(error);
                }
            }
        }
        Ok(tokens.len())
    }

    /// Accepts some text that need not be whole tokens, all of it or nothing. It counts as one step.
    ///
    /// # Errors
    /// [`Error::BudgetExceeded`].
    pub fn accept_bytes(&mut self, bytes: &[u8]) -> Result<bool> {
        let Some(configuration) = self.after_bytes(bytes)? else { return Ok(false) };
        self.push(configuration);
        Ok(true)
    }

    /// How many of these tokens would be accepted in a row. Changes nothing.
    ///
    /// # Errors
    /// As [`accept`](Self::accept).
    pub fn validate(&mut self, tokens: &[TokenId]) -> Result<usize> {
        let before = Arc::clone(&self.now);
        let accepted = self.accept_tokens(tokens);
        self.now = before;
        accepted
    }

    /// Undoes the last steps, all that they changed: each accepted token is one, and each successful
    /// [`accept_bytes`](Self::accept_bytes).
    ///
    /// # Errors
    /// [`Error::MatcherState`] when there are fewer steps than that.
    pub fn rollback(&mut self, steps: usize) -> Result<()> {
        if steps > self.now.count {
            return Err(Error::MatcherState(format!(
                "cannot roll back {steps} steps: only {} have been accepted",
                self.now.count
            )));
        }
        for _ in 0..steps {
            if let Some(previous) = &self.now.previous {
                self.now = Arc::clone(previous);
            }
        }
        Ok(())
    }

    /// Goes back to the beginning.
    pub fn reset(&mut self) {
        *self = Self { scratch: self.scratch.take(), ..Self::new(&self.constraint) };
    }

    /// The bytes with which the text can go on.
    ///
    /// # Errors
    /// [`Error::BudgetExceeded`].
    pub fn allowed_bytes(&self) -> Result<ByteSet> {
        let mut allowed = ByteSet::EMPTY;
        if self.is_finished() {
            return Ok(allowed);
        }
        let deadline = Deadline::for_step(self.constraint.budget());
        for byte in self.constraint.vocabulary().alphabet().iter() {
            for pair in &self.now.configuration.pairs {
                if self.constraint.automaton().can_read(pair.state, byte, &deadline)? {
                    allowed.insert(byte);
                    break;
                }
            }
        }
        Ok(allowed)
    }

    /// The exact tokens, named by the grammar, that may come next; stop tokens are not among them.
    fn allowed_exact_tokens(&self) -> Vec<TokenId> {
        let automaton = self.constraint.automaton();
        if self.is_finished() || !automaton.names_tokens() {
            return Vec::new();
        }
        let sets: Vec<_> =
            self.now.configuration.pairs.iter().flat_map(|pair| automaton.exact_tokens(pair.state)).collect();
        automaton.with_expressions(|expressions| {
            (0..self.constraint.vocabulary().token_count() as u32)
                .map(TokenId)
                .filter(|&token| sets.iter().any(|&&set| expressions.token_set(set).contains(token)))
                .collect()
        })
    }

    /// The text that must come next whatever the model prefers, up to `limit` bytes.
    ///
    /// It ends where the text is complete, where two bytes can come, or where an exact token can.
    ///
    /// # Errors
    /// [`Error::BudgetExceeded`].
    pub fn forced_bytes(&self, limit: usize) -> Result<Vec<u8>> {
        let mut ahead = self.clone();
        ahead.read_forced_bytes(limit)
    }

    fn read_forced_bytes(&mut self, limit: usize) -> Result<Vec<u8>> {
        let mut forced = Vec::new();
        while forced.len() < limit && !self.is_complete() && self.allowed_exact_tokens().is_empty() {
            let allowed = self.allowed_bytes()?;
            let mut bytes = allowed.iter();
            let (Some(byte), None) = (bytes.next(), bytes.next()) else { break };
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
    /// [`Error::BudgetExceeded`].
    pub fn forced_tokens(&self, limit: usize) -> Result<Vec<TokenId>> {
        let vocabulary = Arc::clone(self.constraint.vocabulary());
        let mut ahead = self.clone();
        let mut forced = Vec::new();
        while forced.len() < limit {
            let exact = ahead.allowed_exact_tokens();
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
            let text = end.read_forced_bytes(budget)?;
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
    /// [`Error::BudgetExceeded`].
    pub fn expected(&self) -> Result<Vec<String>> {
        let mut expected = Vec::new();
        if self.is_finished() {
            return Ok(expected);
        }
        let vocabulary = self.constraint.vocabulary();
        for pair in &self.now.configuration.pairs {
            self.constraint.automaton().describe(pair.state, vocabulary, &mut expected);
        }
        if self.is_complete() {
            expected.push("end of text".to_owned());
        }
        expected.sort_unstable();
        expected.dedup();
        Ok(expected)
    }

    fn push(&mut self, configuration: Configuration) {
        let count = self.now.count + 1;
        let previous = Some(Arc::clone(&self.now));
        self.now = Arc::new(Step { configuration, previous, count });
    }

    fn scratch(&mut self) -> &mut Scratch {
        self.scratch.get_or_insert_with(|| {
            Box::new(Scratch {
                advance: Advance::new(),
                now: Vec::new(),
                next: Vec::new(),
                mask: MaskScratch::new(),
            })
        })
    }

    fn after_token(&mut self, token: TokenId) -> Result<Option<Configuration>> {
        if !self.constraint.automaton().names_tokens()
            && let Some(bytes) = self.constraint.vocabulary().token_bytes(token)
            && let Some(after) = self.after_known_bytes(bytes)
        {
            return Ok(Some(after));
        }
        let vocabulary = Arc::clone(self.constraint.vocabulary());
        let now = Arc::clone(&self.now);
        if now.configuration.finished {
            return Ok(None);
        }
        let is_stop = vocabulary.is_stop_token(token);
        if is_stop && now.configuration.complete {
            return Ok(Some(Configuration { pairs: SmallVec::new(), complete: true, finished: true }));
        }
        let mut after = match vocabulary.token_bytes(token) {
            Some(bytes) => self.after_bytes(bytes)?,
            None => None,
        };
        let exists = token.index() < vocabulary.token_count();
        if exists && self.constraint.automaton().names_tokens() {
            let deadline = Deadline::for_step(self.constraint.budget());
            let exact =
                self.after_symbols(&now.configuration, std::iter::once(Symbol::Token(token)), &deadline)?;
            after = self.union(after, exact)?;
        }
        if let Some(after) = &mut after {
            after.finished = is_stop && after.complete && after.pairs.is_empty();
        }
        Ok(after)
    }

    fn after_bytes(&mut self, bytes: &[u8]) -> Result<Option<Configuration>> {
        if let Some(after) = self.after_known_bytes(bytes) {
            return Ok(Some(after));
        }
        let start = Arc::clone(&self.now);
        let deadline = Deadline::for_step(self.constraint.budget());
        let mut pairs = start.configuration.pairs.clone();
        let mut read = 0;
        if let [pair] = pairs.as_mut_slice() {
            (pair.state, read) = self.constraint.automaton().stay(pair.state, bytes, &deadline)?;
        }
        let complete = start.configuration.complete && read == 0;
        let start = Configuration { pairs, complete, finished: start.configuration.finished };
        self.after_symbols(&start, bytes[read..].iter().map(|&byte| Symbol::Byte(byte)), &deadline)
    }

    /// The configuration after some bytes, where a single pair stays in its frame by moves that are known:
    /// the common case, which needs no working memory, no lock and no clock.
    fn after_known_bytes(&self, bytes: &[u8]) -> Option<Configuration> {
        let [pair] = self.now.configuration.pairs.as_slice() else { return None };
        let (state, read) = self.constraint.automaton().stay_where_known(pair.state, bytes);
        if read == 0 || read < bytes.len() {
            return None;
        }
        let pair = Pair { state, frame: pair.frame.clone() };
        Some(Configuration { pairs: SmallVec::from_buf([pair]), complete: false, finished: false })
    }

    /// The configuration after some symbols, or `None` where they are not legal.
    fn after_symbols(
        &mut self,
        start: &Configuration,
        symbols: impl Iterator<Item = Symbol>,
        deadline: &Deadline,
    ) -> Result<Option<Configuration>> {
        if start.finished {
            return Ok(None);
        }
        let constraint = Arc::clone(&self.constraint);
        let Scratch { advance, now, next, .. } = self.scratch();
        now.clear();
        now.extend_from_slice(&start.pairs);
        let mut complete = start.complete;
        for symbol in symbols {
            next.clear();
            complete = advance.step(constraint.automaton(), &mut SharedGraph, now, symbol, deadline, next)?;
            std::mem::swap(now, next);
            if now.is_empty() && !complete {
                return Ok(None);
            }
        }
        let pairs = now.drain(..).collect();
        next.clear();
        Ok(Some(Configuration { pairs, complete, finished: false }))
    }

    /// What is alive in either of two readings of one token.
    fn union(&self, a: Option<Configuration>, b: Option<Configuration>) -> Result<Option<Configuration>> {
        let (Some(mut a), Some(b)) = (a.clone(), b.clone()) else { return Ok(a.or(b)) };
        for pair in b.pairs {
            match a.pairs.iter_mut().find(|other| other.frame == pair.frame) {
                Some(other) => other.state = self.constraint.automaton().union(other.state, pair.state)?,
                None => a.pairs.push(pair),
            }
        }
        a.complete |= b.complete;
        Ok(Some(a))
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
