//! Grammars: named expressions that call one another, and the passes that prepare them.
//!
//! A front end writes a [`Grammar`] through a [`GrammarBuilder`] (`builder`). Compiling it for a vocabulary runs
//! the passes, each a file of its own, in this order:
//!
//! 0. `link`: grammars made of grammars become one;
//! 1. `restrict`: bytes that no token holds leave, tokens named by text become ids;
//! 2. `productive`: what matches nothing leaves;
//! 3. `loops`: direct recursion becomes repetition;
//! 4. `repeated`: what a loop repeats is read in place of its call; to this end, `hoisted` makes rules of what stands beside a
//!    text in a choice;
//! 5. `inline`: so is what may be left out, such as white space;
//! 6. `closings`: what ends a text is read in the same rule as the text;
//! 7. `inline` again: texts that nothing fixed ends are read in place, too;
//! 8. `prepare`: which rules match the empty text, and the bytes each can begin with.
//!
//! A grammar that is too large to be written out comes as a `LazyGrammar` (`lazy`), which the passes leave
//! alone. `fixpoint`, `rebuild` and `replaced` are the tools that they share, and `choice` tells them
//! the strings by which an expression is chosen among. `content` tells what an expression says,
//! whatever its rules are called, `sketch` the same of what is small, and `outline` what a token can tell of it. The next stage, the recogniser, reads
//! the `PreparedGrammar` that comes out.

mod builder;
mod choice;
mod closings;
mod content;
mod fixpoint;
mod hoisted;
mod inline;
mod lazy;
mod link;
mod loops;
mod outline;
mod prepare;
mod productive;
mod rebuild;
mod repeated;
mod replaced;
mod restrict;
mod sketch;

pub use builder::{Grammar, GrammarBuilder, Rule, RuleName};
pub(crate) use content::{Content, ContentSearch, SearchLimits, forms_behind, labels_of};
pub(crate) use lazy::{Beginning, Definitions, Dependence, LazyGrammar, Others, Workshop};
pub(crate) use prepare::{PreparedGrammar, PreparedName, PreparedRule};
pub(crate) use sketch::Sketch;

use crate::expression::RuleId;
