//! The engine of maskwright: which tokens of a vocabulary may come next, so that a text fits a grammar.
mod budget;
mod error;
pub mod expression;
pub mod frontend;
pub mod grammar;
pub mod vocabulary;

pub use budget::Budget;
pub use error::{Error, Location, Result};
