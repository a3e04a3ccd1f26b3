//! Grammars: named expressions that call one another, and the passes that prepare them.
//!
//! A front end writes a [`Grammar`] through a [`GrammarBuilder`]; compiling it for a vocabulary runs
//! the passes. The next stage, the recogniser, reads the result.

mod builder;

pub use builder::{Grammar, GrammarBuilder, Rule};
