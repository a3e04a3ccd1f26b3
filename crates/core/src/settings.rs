//! Which of the layers above the definition take part.

/// How masks are computed. All settings give the same masks; the slow ones are there for comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Whether direct recursion is turned into repetition, small rules that may match nothing are read in place of their
    /// calls, and the end of a text is read in the same rule as the text.
    pub simplify_grammar: bool,
    /// Whether moves of states are kept; else each is derived anew.
    pub lazy_states: bool,
    /// Whether masks come from the stack automaton, and not from trying every token on its own.
    pub stack_automaton: bool,
    /// Whether walks are cut short: whole subtrees and slices of the vocabulary are taken by their signatures, fixed
    /// strings are followed without states, and what states have in common is walked once.
    pub signatures: bool,
    /// Whether what walks found is shared with other constraints.
    pub pool: bool,
}

impl Settings {
    const DEFAULT: Self = Self {
        simplify_grammar: true,
        lazy_states: true,
        stack_automaton: true,
        signatures: true,
        pool: true,
    };

    /// The settings that are worth comparing, the default first.
    pub const ALL: [Self; 7] = [
        Self::DEFAULT,
        Self { pool: false, ..Self::DEFAULT },
        Self { signatures: false, ..Self::DEFAULT },
        Self { simplify_grammar: false, ..Self::DEFAULT },
        Self { lazy_states: false, ..Self::DEFAULT },
        Self { stack_automaton: false, ..Self::DEFAULT },
        Self { simplify_grammar: false, lazy_states: false, stack_automaton: false, ..Self::DEFAULT },
    ];
}

impl Default for Settings {
    fn default() -> Self {
        Self::DEFAULT
    }
}
