//! Vocabularies: the tokens of one tokeniser.
mod token_set;
pub use token_set::{TokenId, TokenReference, TokenSet};
