//! What a constraint has computed since it was compiled, or since that became too much.
//!
//! States and moves are only ever added to an [`Automaton`]. A constraint that serves many texts would hold ever
//! more of them, and run into its budget at last, though no single text asks for much: so it begins another
//! generation, which knows nothing yet, and matchers go over to it: those of new texts as soon as the old one is
//! crowded, which is when texts have added about as much as the cache of masks may hold, and all others when they
//! need what it has no room for. A generation in which a panic has broken off a computation computes nothing more,
//! and is left in the same way. The old one is gone once no matcher is in it. States mean nothing outside of their
//! generation, so a [`Matcher`](crate::Matcher) that has read something keeps the one that its states are of; only the
//! first state is the same in all.

use std::sync::Arc;

use crate::budget::{Budget, Deadline};
use crate::error::{Error, Result};
use crate::grammar::{Grammar, PreparedGrammar};
use crate::mask::{MaskCache, Pool};
use crate::recognizer::Automaton;
use crate::settings::Settings;
use crate::stack;

/// The states and masks of one constraint, as far as they are known.
pub(crate) struct Generation {
    pub(crate) automaton: Automaton,
    pub(crate) cache: MaskCache,
}

impl Generation {
    /// A generation that knows nothing but the first state.
    ///
    /// # Errors
    /// As [`Constraint::compile`](crate::Constraint::compile).
    pub(crate) fn new(
        grammar: &Grammar,
        pool: &Arc<Pool>,
        budget: &Budget,
        settings: Settings,
    ) -> Result<Self> {
        let vocabulary = pool.vocabulary();
        let simplify = settings.simplify_grammar;
        let mut prepared =
            stack::with_enough(|| PreparedGrammar::new(grammar, vocabulary, budget, simplify))?;
        let cache = MaskCache::new(budget.cache_bytes, pool, settings.signatures, settings.pool);
        if settings.pool {
            prepared.find_contents_ahead(pool.registry(), &Deadline::for_compile(budget));
        }
        let (horizon, alphabet) = (vocabulary.longest_token(), vocabulary.alphabet());
        let automaton = Automaton::new(prepared, budget, horizon, alphabet, settings.lazy_states)?;
        Ok(Self { automaton, cache })
    }

    /// Whether this says that a generation has grown too large, so that another one may have room.
    pub(crate) fn is_full(error: &Error) -> bool {
        matches!(error, Error::BudgetExceeded { budget: "states" | "expressions", .. })
    }

    /// Whether this says that a generation computes no more: it is full, or a panic has broken off what it computed.
    pub(crate) fn is_over(error: &Error) -> bool {
        matches!(error, Error::BrokenOff) || Self::is_full(error)
    }
}
