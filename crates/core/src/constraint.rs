//! A grammar compiled for a vocabulary.

use std::sync::Arc;

use crate::budget::Budget;
use crate::error::Result;
use crate::grammar::{Grammar, PreparedGrammar};
use crate::mask::MaskCache;
use crate::recognizer::Automaton;
use crate::vocabulary::Vocabulary;

/// How masks are computed. All settings give the same masks; the slow ones are there for comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Whether direct recursion is turned into repetition.
    pub simplify_grammar: bool,
    /// Whether masks come from the stack automaton, and not from trying every token on its own.
    pub stack_automaton: bool,
    /// Whether walks take whole subtrees of the vocabulary by their signatures.
    pub signatures: bool,
}

impl Settings {
    /// The settings that are worth comparing, the default first.
    pub const ALL: [Self; 5] = [
        Self { simplify_grammar: true, stack_automaton: true, signatures: true },
        Self { simplify_grammar: true, stack_automaton: true, signatures: false },
        Self { simplify_grammar: false, stack_automaton: true, signatures: true },
        Self { simplify_grammar: true, stack_automaton: false, signatures: false },
        Self { simplify_grammar: false, stack_automaton: false, signatures: false },
    ];
}

impl Default for Settings {
    fn default() -> Self {
        Self::ALL[0]
    }
}

/// What a constraint has computed so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statistics {
    /// States met.
    pub states: usize,
    /// Expressions met.
    pub expressions: usize,
    /// Walks over the vocabulary or over exit sets.
    pub walks: u64,
    /// Bytes held by cached masks.
    pub cache_bytes: usize,
}

/// A grammar compiled for a vocabulary: immutable to its users, shared by any number of threads and
/// [matchers](crate::Matcher), and filled lazily inside.
pub struct Constraint {
    vocabulary: Arc<Vocabulary>,
    budget: Budget,
    settings: Settings,
    automaton: Automaton,
    cache: MaskCache,
}

impl Constraint {
    /// Compiles a grammar with the default [`Settings`].
    ///
    /// # Errors
    /// [`Error::EmptyGrammar`](crate::Error::EmptyGrammar) when no text satisfies it;
    /// [`Error::Grammar`](crate::Error::Grammar) when it names a token that the vocabulary lacks;
    /// [`Error::BudgetExceeded`](crate::Error::BudgetExceeded).
    pub fn compile(grammar: &Grammar, vocabulary: &Arc<Vocabulary>, budget: &Budget) -> Result<Self> {
        Self::compile_with(grammar, vocabulary, budget, Settings::default())
    }

    /// Compiles a grammar with settings of one's own.
    ///
    /// # Errors
    /// As [`compile`](Self::compile).
    pub fn compile_with(
        grammar: &Grammar,
        vocabulary: &Arc<Vocabulary>,
        budget: &Budget,
        settings: Settings,
    ) -> Result<Self> {
        let prepared = PreparedGrammar::new(grammar, vocabulary, budget, settings.simplify_grammar)?;
        Ok(Self {
            vocabulary: Arc::clone(vocabulary),
            budget: budget.clone(),
            settings,
            automaton: Automaton::new(prepared, budget, vocabulary.longest_token(), vocabulary.alphabet())?,
            cache: MaskCache::new(budget.cache_bytes, settings.signatures),
        })
    }

    /// The vocabulary that the constraint was compiled for.
    pub fn vocabulary(&self) -> &Arc<Vocabulary> {
        &self.vocabulary
    }

    /// The budgets of every step.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// What has been computed so far.
    pub fn statistics(&self) -> Statistics {
        let (cache_bytes, walks) = self.cache.statistics();
        let (states, expressions) = (self.automaton.state_count(), self.automaton.expression_count());
        Statistics { states, expressions, walks, cache_bytes }
    }

    pub(crate) fn settings(&self) -> Settings {
        self.settings
    }

    pub(crate) fn automaton(&self) -> &Automaton {
        &self.automaton
    }

    pub(crate) fn cache(&self) -> &MaskCache {
        &self.cache
    }
}

impl std::fmt::Debug for Constraint {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Constraint").field("statistics", &self.statistics()).finish_non_exhaustive()
    }
}
