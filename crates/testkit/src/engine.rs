//! The interface that the comparison needs of an engine, and the engine of this project behind it.
//!
//! No other file of this crate knows how the engine is called. Tests put deliberately faulty engines
//! behind the same interface, to show that the comparison finds faults.

use std::sync::Arc;

use maskwright_core::expression::ByteSet;
use maskwright_core::{Budget, Constraint, Error, Matcher, Pool, Settings, TokenId, Vocabulary, batch};

use crate::random_case::Case;

/// A failure, as its message.
pub type Outcome<T> = Result<T, String>;

/// Something that fills masks for grammars.
pub trait Engine: Sync {
    /// A compiled grammar.
    type Constraint: Sync;
    /// A cursor in it; a clone is a fork.
    type Matcher: Clone + Send;

    /// Compiles a case; `None` when the grammar matches nothing.
    ///
    /// # Errors
    /// The message of any other failure.
    fn compile(&self, case: &Case) -> Outcome<Option<Self::Constraint>>;

    /// A matcher at the beginning.
    fn matcher(&self, constraint: &Self::Constraint) -> Self::Matcher;

    /// Fills a row with the mask.
    ///
    /// # Errors
    /// The message of any failure, as in all the following.
    fn fill_mask(&self, matcher: &mut Self::Matcher, row: &mut [u32]) -> Outcome<()>;

    /// Fills the rows of several matchers.
    ///
    /// # Errors
    /// See [`fill_mask`](Self::fill_mask).
    fn fill_masks(
        &self,
        matchers: &mut [Self::Matcher],
        rows: &mut [u32],
        words_per_row: usize,
        threads: usize,
    ) -> Outcome<()>;

    /// Accepts a token if it is allowed.
    ///
    /// # Errors
    /// See [`fill_mask`](Self::fill_mask).
    fn accept(&self, matcher: &mut Self::Matcher, id: u32) -> Outcome<bool>;

    /// Accepts tokens up to the first that is not allowed, and counts them.
    ///
    /// # Errors
    /// See [`fill_mask`](Self::fill_mask).
    fn accept_tokens(&self, matcher: &mut Self::Matcher, ids: &[u32]) -> Outcome<usize>;

    /// Accepts all the bytes or none.
    ///
    /// # Errors
    /// See [`fill_mask`](Self::fill_mask).
    fn accept_bytes(&self, matcher: &mut Self::Matcher, bytes: &[u8]) -> Outcome<bool>;

    /// Counts the tokens that would be accepted.
    ///
    /// # Errors
    /// See [`fill_mask`](Self::fill_mask).
    fn validate(&self, matcher: &mut Self::Matcher, ids: &[u32]) -> Outcome<usize>;

    /// Takes steps back.
    ///
    /// # Errors
    /// When there were fewer steps.
    fn rollback(&self, matcher: &mut Self::Matcher, steps: usize) -> Outcome<()>;

    /// Goes back to the beginning.
    fn reset(&self, matcher: &mut Self::Matcher);

    /// The bytes that must follow.
    ///
    /// # Errors
    /// See [`fill_mask`](Self::fill_mask).
    fn forced_bytes(&self, matcher: &mut Self::Matcher, limit: usize) -> Outcome<Vec<u8>>;

    /// The tokens that can be appended without a choice.
    ///
    /// # Errors
    /// See [`fill_mask`](Self::fill_mask).
    fn forced_tokens(&self, matcher: &mut Self::Matcher, limit: usize) -> Outcome<Vec<u32>>;

    /// The bytes that may follow.
    ///
    /// # Errors
    /// See [`fill_mask`](Self::fill_mask).
    fn allowed_bytes(&self, matcher: &mut Self::Matcher) -> Outcome<ByteSet>;

    /// Whether the text is a sentence.
    fn is_complete(&self, matcher: &Self::Matcher) -> bool;

    /// Whether a stop token was accepted.
    fn is_finished(&self, matcher: &Self::Matcher) -> bool;
}

/// The engine of this project.
#[derive(Clone, Debug, Default)]
pub struct Maskwright {
    /// The budgets of every compile and step.
    pub budget: Budget,
    /// How it computes masks; all settings must give the same.
    pub settings: Settings,
}

fn outcome<T>(result: Result<T, Error>) -> Outcome<T> {
    result.map_err(|error| error.to_string())
}

fn token_ids(ids: &[u32]) -> Vec<TokenId> {
    ids.iter().copied().map(TokenId).collect()
}

/// Fills the masks at the beginning of a text and after every first token. What fails here fails again where it
/// is looked at.
fn fill_pool(constraint: &Arc<Constraint>, tokens: u32) {
    let mut row = vec![0; constraint.vocabulary().mask_words()];
    for token in (0..tokens).map(TokenId) {
        let mut matcher = Matcher::new(constraint);
        let _ = matcher.fill_mask(&mut row);
        if matcher.accept(token) == Ok(true) {
            let _ = matcher.fill_mask(&mut row);
        }
    }
}

impl Engine for Maskwright {
    type Constraint = Arc<Constraint>;
    type Matcher = Matcher;

    fn compile(&self, case: &Case) -> Outcome<Option<Arc<Constraint>>> {
        let tokens = case.vocabulary.tokens.clone();
        let special_tokens = (0..tokens.len() as u32)
            .filter(|&id| tokens[id as usize].is_none())
            .map(|id| (format!("<|special {id}|>"), TokenId(id)))
            .collect();
        let stop_tokens = token_ids(&case.vocabulary.stop_tokens);
        let vocabulary = outcome(Vocabulary::new(tokens, special_tokens, stop_tokens, case.vocabulary.size))?;
        let grammar = outcome(case.description.to_engine(&self.budget))?;
        let pool = Arc::new(Pool::new(&Arc::new(vocabulary), self.budget.pool_bytes));
        let compile = || match Constraint::compile_with(&grammar, &pool, &self.budget, self.settings) {
            Ok(constraint) => Ok(Some(Arc::new(constraint))),
            Err(Error::EmptyGrammar(_)) => Ok(None),
            Err(error) => outcome(Err(error)),
        };
        let Some(first) = compile()? else { return Ok(None) };
        // The constraint that is looked at finds in the pool what this one left there.
        if self.settings.pool {
            fill_pool(&first, case.vocabulary.tokens.len() as u32);
        }
        compile()
    }

    fn matcher(&self, constraint: &Arc<Constraint>) -> Matcher {
        Matcher::new(constraint)
    }

    fn fill_mask(&self, matcher: &mut Matcher, row: &mut [u32]) -> Outcome<()> {
        outcome(matcher.fill_mask(row))
    }

    fn fill_masks(
        &self,
        matchers: &mut [Matcher],
        rows: &mut [u32],
        words_per_row: usize,
        threads: usize,
    ) -> Outcome<()> {
        let mut matchers: Vec<Option<&mut Matcher>> = matchers.iter_mut().map(Some).collect();
        let workers = batch::Workers::new(threads).map_err(|error| error.to_string())?;
        let filled = batch::fill_masks(&workers, &mut matchers, rows, words_per_row, None);
        outcome(filled.and_then(|results| results.into_iter().collect()))
    }

    fn accept(&self, matcher: &mut Matcher, id: u32) -> Outcome<bool> {
        outcome(matcher.accept(TokenId(id)))
    }

    fn accept_tokens(&self, matcher: &mut Matcher, ids: &[u32]) -> Outcome<usize> {
        outcome(matcher.accept_tokens(&token_ids(ids)))
    }

    fn accept_bytes(&self, matcher: &mut Matcher, bytes: &[u8]) -> Outcome<bool> {
        outcome(matcher.accept_bytes(bytes))
    }

    fn validate(&self, matcher: &mut Matcher, ids: &[u32]) -> Outcome<usize> {
        outcome(matcher.validate(&token_ids(ids)))
    }

    fn rollback(&self, matcher: &mut Matcher, steps: usize) -> Outcome<()> {
        outcome(matcher.rollback(steps))
    }

    fn reset(&self, matcher: &mut Matcher) {
        matcher.reset();
    }

    fn forced_bytes(&self, matcher: &mut Matcher, limit: usize) -> Outcome<Vec<u8>> {
        outcome(matcher.forced_bytes(limit))
    }

    fn forced_tokens(&self, matcher: &mut Matcher, limit: usize) -> Outcome<Vec<u32>> {
        let forced = outcome(matcher.forced_tokens(limit))?;
        Ok(forced.into_iter().map(|token| token.0).collect())
    }

    fn allowed_bytes(&self, matcher: &mut Matcher) -> Outcome<ByteSet> {
        outcome(matcher.allowed_bytes())
    }

    fn is_complete(&self, matcher: &Matcher) -> bool {
        matcher.is_complete()
    }

    fn is_finished(&self, matcher: &Matcher) -> bool {
        matcher.is_finished()
    }
}
