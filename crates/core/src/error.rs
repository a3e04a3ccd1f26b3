//! Everything that can go wrong, as values.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use crate::counted::counted;

/// The value of a field of a [`Budget`](crate::Budget).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// So many of what the field counts.
    Count(usize),
    /// So long.
    Time(Duration),
}

impl From<usize> for Limit {
    fn from(count: usize) -> Self {
        Self::Count(count)
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(count) => count.fmt(f),
            Self::Time(time) => write!(f, "{time:?}"),
        }
    }
}

/// A place in the text of a grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// The line, counted from 1.
    pub line: usize,
    /// The column in code points, counted from 1.
    pub column: usize,
}

impl Location {
    /// The place of a byte offset of a text.
    ///
    /// ```
    /// use maskwright_core::Location;
    ///
    /// assert_eq!(Location::of("ab\ncé!", 6), Location { line: 2, column: 3 });
    /// ```
    pub fn of(text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Self { line: before.matches('\n').count() + 1, column: before[line_start..].chars().count() + 1 }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}, column {}", self.line, self.column)
    }
}

/// The result of everything that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// Why an operation did not happen. Whatever it was called on is as it was before.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The text of a grammar is not well formed.
    #[error("{location}: found {found}, expected {expected}{}", hint(.help))]
    Syntax {
        /// Where.
        location: Location,
        /// The offending text, quoted, or `end of input`.
        found: String,
        /// What would have been accepted there.
        expected: String,
        /// How to mend it; may be empty.
        help: String,
    },
    /// A grammar has no rule of a name that it needs.
    #[error("{location}: the rule {name}, {}, is not defined{}", needed(.used_in), hint(.help))]
    UndefinedRule {
        /// Where it is first used; the end of the text where that is nowhere.
        location: Location,
        /// Its name, quoted.
        name: String,
        /// The name of the rule that uses it, quoted; `None` for the rule that the whole text is to match.
        used_in: Option<String>,
        /// How to mend it.
        help: String,
    },
    /// A JSON Schema is not well formed, or refers to what is not there.
    #[error("{location}: {problem}{}", hint(.help))]
    Schema {
        /// Where, as a JSON pointer such as `#/properties/a/minimum`.
        location: String,
        /// What is wrong.
        problem: String,
        /// How to mend it; may be empty.
        help: String,
    },
    /// A grammar asks for something that cannot be enforced exactly.
    #[error("{location}: {feature} is not supported: {reason}")]
    Unsupported {
        /// What is refused.
        feature: String,
        /// Where it stands.
        location: String,
        /// Why it cannot be done, and what to write instead.
        reason: String,
    },
    /// A grammar is well formed but cannot be used, for example because it names a token that the
    /// vocabulary lacks.
    #[error("{0}")]
    Grammar(String),
    /// No text satisfies the grammar.
    #[error("no text satisfies the grammar: {0}")]
    EmptyGrammar(String),
    /// More work than the budget allows.
    #[error("{} of {limit} is used up {what}; {}", named(budget), more(budget, *limit, *earlier))]
    BudgetExceeded {
        /// The field of [`Budget`](crate::Budget); empty for a limit that is fixed.
        budget: &'static str,
        /// Its value.
        limit: Limit,
        /// What was being done.
        what: Cow<'static, str>,
        /// The field that was used up before, so that this one was needed at all.
        earlier: Option<&'static str>,
    },
    /// A compile was told to end by [`Budget::interruption`](crate::Budget::interruption).
    #[error("the compile was interrupted; begin it again")]
    Interrupted,
    /// A panic has broken off work on what a constraint knows, and nothing is computed from what that left behind. Matchers
    /// begin anew by themselves; what is asked of a constraint itself can be asked again once one of them has.
    #[error(
        "work on the constraint was broken off by a panic, and what it left behind is not used; go on with a matcher, or \
         compile the grammar again"
    )]
    BrokenOff,
    /// A vocabulary cannot be built.
    #[error("{0}")]
    Vocabulary(String),
    /// A saved pool cannot be loaded.
    #[error("byte {offset}: {problem}{}", hint(.help))]
    Artifact {
        /// Where in the file, in bytes.
        offset: usize,
        /// What is wrong.
        problem: String,
        /// How to mend it.
        help: &'static str,
    },
    /// A token id lies outside the vocabulary.
    #[error("token id {token_id} is outside the vocabulary, whose ids are 0 to {}", .size.saturating_sub(1))]
    TokenId {
        /// The id.
        token_id: i64,
        /// The number of ids.
        size: usize,
    },
    /// A matcher cannot do this now.
    #[error("{0}")]
    MatcherState(String),
    /// A row for a mask has the wrong length.
    #[error(
        "a mask row of {} was given, but the vocabulary needs {needed} (one bit for each token id, 32 in a word)",
        counted(*.found, "word")
    )]
    MaskLength {
        /// The length given.
        found: usize,
        /// The length needed.
        needed: usize,
    },
}

impl Error {
    /// That more work was asked for than `budget`, the name of a field, allows.
    pub(crate) fn exceeded(
        budget: &'static str,
        limit: impl Into<Limit>,
        what: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self::BudgetExceeded { budget, limit: limit.into(), what: what.into(), earlier: None }
    }

    /// The same of a step for which a constraint begins anew for this reason: it takes the time of a compile where there is
    /// none in sight.
    pub(crate) fn in_a_step_that_begins_anew(self, reason: &Self) -> Self {
        let what = "by a step for which the constraint begins anew and reads the text so far again";
        match self {
            Self::BudgetExceeded { budget: budget @ "compile_time", limit, .. } => {
                let earlier = match reason {
                    Self::BudgetExceeded { budget, .. } => Some(*budget),
                    _ => None,
                };
                Self::BudgetExceeded { budget, limit, what: what.into(), earlier }
            }
            error => error,
        }
    }

    /// The same, with the place where too much was asked for, unless it tells one.
    pub(crate) fn within(self, place: impl FnOnce() -> Option<String>) -> Self {
        match self {
            Self::BudgetExceeded { budget, limit, what, earlier } if !what.contains("(at ") => {
                let what = match place() {
                    Some(place) => format!("{what} (in {place})").into(),
                    None => what,
                };
                Self::BudgetExceeded { budget, limit, what, earlier }
            }
            error => error,
        }
    }
}

/// What an undefined rule is needed for.
fn needed(used_in: &Option<String>) -> String {
    used_in
        .as_ref()
        .map_or_else(|| "which the text must match".to_owned(), |user| format!("used in the rule {user}"))
}

fn hint(help: &str) -> String {
    if help.is_empty() { String::new() } else { format!("; {help}") }
}

/// What a budget is called.
fn named(budget: &str) -> String {
    if budget.is_empty() { "a fixed limit".to_owned() } else { format!("the budget `{budget}`") }
}

/// How to get more of a budget.
fn more(budget: &str, limit: Limit, earlier: Option<&str>) -> String {
    if budget.is_empty() {
        return "no budget raises it, so ask for less".to_owned();
    }
    let deepest = crate::budget::Budget::DEEPEST_NESTING;
    if budget == "nesting" && matches!(limit, Limit::Count(limit) if limit >= deepest) {
        return "it is as great as it can be, so nest less deep".to_owned();
    }
    let rarer = earlier.map_or_else(String::new, |earlier| {
        format!(", or raise Budget({earlier}=...), so that the constraint begins anew less often")
    });
    format!("raise it by Budget({budget}=...){rarer}")
}
