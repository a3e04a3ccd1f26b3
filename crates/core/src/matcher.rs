//! One generated sequence's cursor in a constraint.
//!
//! | part | what it does |
//! |---|---|
//! | `ahead` | what can be said of the text to come |
//! | `draft` | masks along tokens that are only guessed |
//! | `last_mask` | the mask found last, for the case that it is asked for again |
//! | `position` | where the text is, and the generation of the constraint that it is read in |
//! | `trial` | reading that is undone unless it is kept |

mod ahead;
#[cfg(test)]
mod broken_off_tests;
mod draft;
mod last_mask;
mod position;
#[cfg(test)]
mod tests;
mod trial;

use std::sync::Arc;

use smallvec::SmallVec;

use crate::budget::Deadline;
use crate::constraint::Constraint;
use crate::error::{Error, Result};
use crate::expression::Symbol;
use crate::generation::Generation;
use crate::mask::{Mask, MaskScratch, Source, mask_by_each_token, mask_by_stack_automaton};
use crate::recognizer::{Advance, Edge, Pair, SharedFrame, SharedGraph, StackGraph};
use crate::stack;
use crate::vocabulary::TokenId;

use last_mask::LastMask;
use position::Position;
pub(crate) use trial::Trial;

/// What is alive after the bytes committed so far.
#[derive(Clone, Debug)]
struct Configuration {
    pairs: SmallVec<[Pair<SharedFrame>; 1]>,
    /// Whether the text so far satisfies the grammar.
    complete: bool,
    /// Whether a stop token has ended the text.
    finished: bool,
}

/// What one step has read.
#[derive(Clone, Debug, PartialEq)]
enum Input {
    Nothing,
    Token(TokenId),
    Bytes(Box<[u8]>),
}

/// What a generation may be too small for.
#[derive(Clone, Debug, PartialEq)]
enum Operation {
    Mask,
    AllowedBytes,
    AllowedTokens,
    Expected,
    Read(Input),
}

/// One entry of the history. Immutable, so that forks share it.
#[derive(Debug)]
struct Step {
    configuration: Configuration,
    /// What led here from the step before.
    input: Input,
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
    at: Position,
    /// What was last refused here because even a generation of its own was too small: it is not tried again.
    refused: Option<Operation>,
    scratch: Option<Box<Scratch>>,
}

/// Working memory, kept between steps; not part of what the matcher is.
#[derive(Debug)]
struct Scratch {
    advance: Advance<SharedGraph>,
    now: Vec<Pair<SharedFrame>>,
    next: Vec<Pair<SharedFrame>>,
    mask: MaskScratch,
    last: Option<LastMask>,
}

impl Default for Scratch {
    fn default() -> Self {
        let (now, next) = (Vec::new(), Vec::new());
        Self { advance: Advance::new(), now, next, mask: MaskScratch::new(), last: None }
    }
}

impl Clone for Matcher {
    fn clone(&self) -> Self {
        let constraint = Arc::clone(&self.constraint);
        Self { constraint, at: self.at.clone(), refused: self.refused.clone(), scratch: None }
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
        let at = Position::start(constraint);
        Self { constraint: Arc::clone(constraint), at, refused: None, scratch: None }
    }

    /// The generation of the states.
    fn generation(&self) -> &Arc<Generation> {
        self.at.generation(&self.constraint)
    }

    /// The constraint that is matched.
    pub fn constraint(&self) -> &Arc<Constraint> {
        &self.constraint
    }

    /// Whether the text so far satisfies the grammar, so that a stop token is allowed.
    pub fn is_complete(&self) -> bool {
        self.at.step.configuration.complete
    }

    /// Whether a stop token has ended the text, so that nothing is allowed any more. One that the grammar names ends it only where
    /// nothing can follow.
    pub fn is_finished(&self) -> bool {
        self.at.step.configuration.finished
    }

    /// The number of steps that [`rollback`](Self::rollback) can undo.
    pub fn step_count(&self) -> usize {
        self.at.step.count
    }

    /// The number of frames on the longest way from what is alive to the bottom of the stack, the bottom
    /// included. It takes time in proportion to the whole stack graph; for statistics and tests.
    pub fn stack_depth(&self) -> usize {
        crate::recognizer::stack_depth(self.at.step.configuration.pairs.iter().map(|pair| &pair.frame))
    }

    /// Writes the mask of the tokens that may come next: bit `id % 32` of word `id / 32`.
    ///
    /// # Errors
    /// [`Error::MaskLength`] unless the row has [`Vocabulary::mask_words`](crate::Vocabulary::mask_words) words;
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
    fn with_mask<T>(&mut self, mut run: impl FnMut(&Mask<'_>) -> T) -> Result<T> {
        let found = self.with_room(Operation::Mask, |matcher| matcher.find_mask().map(|mask| run(&mask)));
        self.at.let_go();
        found
    }

    fn find_mask(&mut self) -> Result<Mask<'_>> {
        let Self { constraint, at, scratch, .. } = self;
        let (generation, Configuration { pairs, complete, finished }) =
            (at.generation(constraint), &at.step.configuration);
        let Scratch { mask: scratch, last, .. } = &mut **scratch.get_or_insert_default();
        let uses_stack_automaton = constraint.settings().stack_automaton;
        if uses_stack_automaton
            && !finished
            && let Some(mask) = last.as_ref().and_then(|last| last.get(generation, pairs, *complete))
        {
            return Ok(Mask::Kept(mask));
        }
        let Generation { automaton, cache } = &**generation;
        let deadline = Deadline::for_step(constraint.budget());
        let source = Source { automaton, vocabulary: constraint.vocabulary(), cache, deadline: &deadline };
        if *finished {
            return mask_by_stack_automaton(&[], false, source, scratch);
        }
        if !uses_stack_automaton {
            return mask_by_each_token(pairs, *complete, source, scratch);
        }
        let mask = mask_by_stack_automaton(pairs, *complete, source, scratch)?;
        if let Mask::Kept(mask) = &mask {
            *last = Some(LastMask::new(generation, pairs, *complete, mask));
        }
        Ok(mask)
    }

    /// Does something that changes nothing where it fails. A text that begins leaves a crowded generation to those that
    /// are in it. Where it fails because the generation is full, it is done in another one, where the whole text so far
    /// is read again; the same where a panic has broken off what the generation computed.
    fn with_room<T>(&mut self, operation: Operation, run: impl FnMut(&mut Self) -> Result<T>) -> Result<T> {
        self.with_room_somewhere(operation, run).map_err(|error| error.within(|| self.place()))
    }

    /// The innermost rule that the text is in and that has a name.
    fn place(&self) -> Option<String> {
        /// Few rules without a name are within one another.
        const FRAMES: usize = 32;
        let automaton = &self.generation().automaton;
        let mut frame = self.at.step.configuration.pairs.first()?.frame.clone();
        for _ in 0..FRAMES {
            let rule = frame.rule().unwrap_or_else(|| automaton.start_rule());
            if let Some(name) = automaton.name_of(rule) {
                return Some(name);
            }
            let mut caller = None;
            SharedGraph.visit_edges(&frame, |edge| {
                if let Edge::Return { caller: other, .. } = edge {
                    caller = Some(other);
                }
            });
            frame = caller?;
        }
        None
    }

    /// As [`with_room`](Self::with_room); errors do not tell where the text is.
    fn with_room_somewhere<T>(
        &mut self,
        operation: Operation,
        mut run: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<T> {
        if self.at.step.count == 0
            && self.generation().automaton.is_crowded()
            && let Some(generation) = self.constraint.generation_beside(self.generation())
        {
            self.at = Position::start_in(generation);
        }
        let is_new = self.generation().automaton.is_new();
        let reason = match run(self) {
            Err(error) if Generation::is_over(&error) => error,
            result => return result,
        };
        if Generation::is_full(&reason) && self.refused.as_ref() == Some(&operation) {
            return Err(reason);
        }
        if Generation::is_full(&reason) && is_new {
            // Another one has no more room, but others are not to find this one full.
            let after = self.constraint.generation_after(&Arc::clone(self.generation()));
            after.map_err(|error| error.in_a_step_that_begins_anew(&reason))?;
            self.refused = Some(operation);
            return Err(reason);
        }
        self.anew(operation, run).map_err(|error| error.in_a_step_that_begins_anew(&reason))
    }

    /// Does something in another generation than this one, which is over, and goes over to it where that succeeds.
    fn anew<T>(&mut self, operation: Operation, mut run: impl FnMut(&mut Self) -> Result<T>) -> Result<T> {
        let mut moved = self.clone();
        // Not the time of a step: a text that takes longer to read again could never go on.
        let deadline = Deadline::for_compile(self.constraint.budget());
        loop {
            deadline.check()?;
            let full = Arc::clone(moved.generation());
            let (generation, is_new) = self.constraint.generation_after(&full)?;
            moved.at = Position::start_in(generation);
            match moved.read_again(&self.at.step, &deadline).and_then(|()| run(&mut moved)) {
                Ok(result) => {
                    self.at = moved.at;
                    return Ok(result);
                }
                // Others may have filled it already, or broken it off.
                Err(error) if Generation::is_over(&error) && !is_new => {}
                Err(error) => {
                    if Generation::is_full(&error) {
                        self.refused = Some(operation);
                    }
                    return Err(error);
                }
            }
        }
    }

    /// Takes the steps of another history, from the beginning of the text on. Where the time is over before the end, the
    /// next try comes further: what is met on the way stays known.
    fn read_again(&mut self, last: &Arc<Step>, deadline: &Deadline) -> Result<()> {
        let mut steps = Vec::with_capacity(last.count);
        let mut at = Some(last);
        while let Some(step) = at {
            steps.push(step);
            at = step.previous.as_ref();
        }
        for step in steps.into_iter().rev() {
            deadline.check()?;
            let after = match &step.input {
                Input::Nothing => continue,
                Input::Token(token) => self.after_token(*token)?,
                Input::Bytes(bytes) => self.after_bytes(bytes)?,
            };
            let Some(after) = after else {
                let problem = "the text so far was not read a second time; please report this";
                return Err(Error::MatcherState(problem.to_owned()));
            };
            self.push(after, step.input.clone());
        }
        Ok(())
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
        self.read(Input::Token(token), |matcher| matcher.after_token(token))
    }

    /// Accepts tokens up to the first that is not allowed. Returns how many were accepted.
    ///
    /// # Errors
    /// As [`accept`](Self::accept); then none is accepted.
    pub fn accept_tokens(&mut self, tokens: &[TokenId]) -> Result<usize> {
        let mut trial = Trial::begin(self);
        for (at, &token) in tokens.iter().enumerate() {
            if !trial.accept(token)? {
                trial.keep();
                return Ok(at);
            }
        }
        trial.keep();
        Ok(tokens.len())
    }

    /// Accepts some text that need not be whole tokens, all of it or nothing. It counts as one step.
    ///
    /// # Errors
    /// [`Error::BudgetExceeded`].
    pub fn accept_bytes(&mut self, bytes: &[u8]) -> Result<bool> {
        self.read(Input::Bytes(bytes.into()), |matcher| matcher.after_bytes(bytes))
    }

    /// How many of these tokens would be accepted in a row. Changes nothing.
    ///
    /// # Errors
    /// As [`accept`](Self::accept).
    pub fn validate(&mut self, tokens: &[TokenId]) -> Result<usize> {
        Trial::begin(self).accept_tokens(tokens)
    }

    /// Undoes the last steps, all that they changed: each accepted token is one, and each successful
    /// [`accept_bytes`](Self::accept_bytes).
    ///
    /// # Errors
    /// [`Error::MatcherState`] when there are fewer steps than that.
    pub fn rollback(&mut self, steps: usize) -> Result<()> {
        if steps > self.at.step.count {
            return Err(Error::MatcherState(format!(
                "cannot roll back so many steps: only {} have been accepted",
                self.at.step.count
            )));
        }
        self.take_back(steps);
        Ok(())
    }

    /// Undoes the last steps, as many as there are at most.
    fn take_back(&mut self, steps: usize) {
        for _ in 0..steps {
            if let Some(previous) = &self.at.step.previous {
                self.at.step = Arc::clone(previous);
            }
        }
        self.at.let_go();
        self.refused = None;
    }

    /// Goes back to the beginning.
    pub fn reset(&mut self) {
        *self = Self { scratch: self.scratch.take(), ..Self::new(&self.constraint) };
    }

    /// Takes a step, if there is one that reads this. Returns whether there was.
    fn read(
        &mut self,
        input: Input,
        after: impl FnMut(&mut Self) -> Result<Option<Configuration>>,
    ) -> Result<bool> {
        let operation = Operation::Read(input.clone());
        match self.with_room(operation, after) {
            Ok(Some(configuration)) => {
                self.push(configuration, input);
                Ok(true)
            }
            nothing => {
                self.at.let_go();
                nothing.map(|_| false)
            }
        }
    }

    fn push(&mut self, configuration: Configuration, input: Input) {
        let count = self.at.step.count + 1;
        let previous = Some(Arc::clone(&self.at.step));
        self.at.step = Arc::new(Step { configuration, input, previous, count });
        self.refused = None;
    }

    fn after_token(&mut self, token: TokenId) -> Result<Option<Configuration>> {
        if !self.generation().automaton.names_tokens()
            && let Some(bytes) = self.constraint.vocabulary().token_bytes(token)
            && let Some(after) = self.after_known_bytes(bytes)
        {
            return Ok(Some(after));
        }
        let vocabulary = Arc::clone(self.constraint.vocabulary());
        let now = Arc::clone(&self.at.step);
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
        if exists && self.generation().automaton.names_tokens() {
            let deadline = Deadline::for_step(self.constraint.budget());
            let exact = self.after_symbols(&now.configuration, Some(token), &[], &deadline)?;
            after = self.union(after, exact, &deadline)?;
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
        let start = Arc::clone(&self.at.step);
        let deadline = Deadline::for_step(self.constraint.budget());
        self.after_symbols(&start.configuration, None, bytes, &deadline)
    }

    /// The configuration after some bytes, where a single pair stays in its frame by moves that are known:
    /// the common case, which needs no working memory, no lock and no clock.
    fn after_known_bytes(&self, bytes: &[u8]) -> Option<Configuration> {
        let [pair] = self.at.step.configuration.pairs.as_slice() else { return None };
        let (state, read) = self.generation().automaton.stay_where_known(pair.state, bytes);
        if read == 0 || read < bytes.len() {
            return None;
        }
        let pair = Pair { state, frame: pair.frame.clone() };
        Some(Configuration { pairs: SmallVec::from_buf([pair]), complete: false, finished: false })
    }

    /// The configuration after an exact token, if one is given, and some bytes; `None` where they are not legal.
    ///
    /// Where one pair alone is alive, it is followed as far as it stays in its frame: some states between are not made then.
    fn after_symbols(
        &mut self,
        start: &Configuration,
        mut token: Option<TokenId>,
        mut bytes: &[u8],
        deadline: &Deadline,
    ) -> Result<Option<Configuration>> {
        if start.finished {
            return Ok(None);
        }
        let generation = Arc::clone(self.generation());
        let Scratch { advance, now, next, .. } = &mut **self.scratch.get_or_insert_default();
        now.clear();
        now.extend_from_slice(&start.pairs);
        let mut complete = start.complete;
        // Each move that is not known asks for stack; where the thread has little, it is better taken once for all.
        stack::with_enough(|| {
            loop {
                if let (None, [pair]) = (token, now.as_mut_slice()) {
                    let (state, read) = generation.automaton.stay(pair.state, bytes, deadline)?;
                    (pair.state, bytes) = (state, &bytes[read..]);
                    complete &= read == 0;
                }
                let symbol = match (token.take(), bytes.split_first()) {
                    (Some(token), _) => Symbol::Token(token),
                    (None, Some((&byte, rest))) => {
                        bytes = rest;
                        Symbol::Byte(byte)
                    }
                    (None, None) => break,
                };
                next.clear();
                complete =
                    advance.step(&generation.automaton, &mut SharedGraph, now, symbol, deadline, next)?;
                std::mem::swap(now, next);
                if now.is_empty() && !complete {
                    return Ok(None);
                }
            }
            let pairs = now.drain(..).collect();
            next.clear();
            Ok(Some(Configuration { pairs, complete, finished: false }))
        })
    }

    /// What is alive in either of two readings of one token.
    fn union(
        &self,
        a: Option<Configuration>,
        b: Option<Configuration>,
        deadline: &Deadline,
    ) -> Result<Option<Configuration>> {
        let (mut a, b) = match (a, b) {
            (Some(a), Some(b)) => (a, b),
            (a, b) => return Ok(a.or(b)),
        };
        for pair in b.pairs {
            deadline.check()?;
            match a.pairs.iter_mut().find(|other| other.frame == pair.frame) {
                Some(other) => other.state = self.generation().automaton.union(other.state, pair.state)?,
                None => a.pairs.push(pair),
            }
        }
        a.complete |= b.complete;
        Ok(Some(a))
    }
}
