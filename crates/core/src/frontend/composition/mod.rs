//! Grammars made of grammars: what structural tags, tool calls and agents are built of.
//!
//! A [`Part`] is a tree over texts, exact tokens and other [`Grammar`]s; [`compile`] makes one grammar of it, which
//! may be a part of another. Parts may be written in different notations, and each keeps its own meaning: nothing
//! is joined at their seams but the texts, so that a token may hold the end of one part and the beginning of the next.
//!
//! Every grammar is called as a rule of its own. So what is known of the inside of a part (its states, its masks)
//! is the same wherever it stands, and adding a tool to a set leaves that of the others as it is. What is written on
//! demand (JSON Schema) is begun only when the text reaches it. Small compositions are put in place of their call.
//!
//! `free_text` is the part that prose with calls in it is made of; `lower` has the others.

mod free_text;
mod lower;
#[cfg(test)]
mod tests;

pub use free_text::{FreeText, Mark, Tag};

use std::sync::Arc;

use crate::budget::Budget;
use crate::error::Result;
use crate::grammar::Grammar;
use crate::stack;
use crate::vocabulary::TokenReference;

/// A part of a composed grammar.
#[derive(Clone, Debug)]
pub enum Part {
    /// Exactly these bytes.
    Text(Vec<u8>),
    /// What another grammar matches.
    Grammar(Arc<Grammar>),
    /// One token by its id or name; never the same characters as text. A name that the vocabulary lacks is an error
    /// when the grammar is compiled for it.
    Token(TokenReference),
    /// The token of a name, or its name as text. A vocabulary without such a token leaves the text.
    TokenOrText(Box<str>),
    /// Any one token but these. Stop tokens are never among them: they end the text.
    AnyToken(Vec<TokenReference>),
    /// The parts one after another.
    Sequence(Vec<Part>),
    /// Any of the parts.
    AnyOf(Vec<Part>),
    /// The part again and again.
    Repeat(Box<Repeat>),
    /// Prose with calls in it.
    FreeText(Box<FreeText>),
    /// Parts in any order, each once at most.
    AnyOrder(Box<AnyOrder>),
}

/// A part again and again.
#[derive(Clone, Debug)]
pub struct Repeat {
    /// What is repeated.
    pub part: Part,
    /// What stands between two of them.
    pub separator: Part,
    /// The least number of times.
    pub minimum: u32,
    /// The greatest number of times; `None` is without limit.
    pub maximum: Option<u32>,
}

/// Parts in any order, each once at most.
#[derive(Clone, Debug)]
pub struct AnyOrder {
    /// The parts, and whether each has to come.
    pub members: Vec<(Part, bool)>,
    /// What stands between two of them.
    pub separator: Part,
}

/// The grammar of a part. Takes time in proportion to the part and the grammars in it, but for those that are written
/// on demand, which cost nothing.
///
/// ```
/// use std::sync::Arc;
/// use maskwright_core::{Budget, frontend::{choice, composition::{self, Part}}};
///
/// let budget = Budget::default();
/// let colour = Arc::new(choice::compile(&["red".to_owned(), "green".to_owned()], &budget)?);
/// let part = Part::Sequence(vec![Part::Text(b"<c>".to_vec()), Part::Grammar(colour), Part::Text(b"</c>".to_vec())]);
/// let grammar = composition::compile(&part, &budget)?;
/// assert_eq!(grammar.rules()[grammar.start().index()].name.to_string(), "sequence");
/// # Ok::<(), maskwright_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Grammar`](crate::Error::Grammar) for a choice of nothing, a minimum above its maximum, and tags that are
/// empty or no UTF-8; [`Error::BudgetExceeded`](crate::Error::BudgetExceeded) for too many or too deeply nested parts.
pub fn compile(part: &Part, budget: &Budget) -> Result<Grammar> {
    stack::with_enough(|| lower::Lowering::new(budget).grammar(part))
}
