//! Front ends: each turns one notation into a [`Grammar`](crate::grammar::Grammar).
//!
//! | front end | notation |
//! |---|---|
//! | [`regex`] | regular expressions, as Python's `re` reads them |
//! | [`gbnf`] | the grammars of llama.cpp, and what users of other EBNF dialects write |
//! | [`json_schema`] | JSON Schema, drafts 4 to 2020-12 |
//! | [`choice`] | a list of fixed strings |
//! | [`composition`] | grammars made of grammars |
//!
//! Those of patterns and schemas share `character_set`, the sets of code points, and `forbidden`, what may not be found in a
//! text.
//!
//! They take text and a [`Budget`](crate::Budget), know nothing of vocabularies, and report errors by place: line and column,
//! or a JSON pointer into a schema; what is not written as text has none. All use the same [`GrammarBuilder`](crate::grammar::GrammarBuilder).

mod character_set;
pub mod choice;
pub mod composition;
#[cfg(test)]
mod evaluate;
mod forbidden;
pub mod gbnf;
pub mod json_schema;
pub mod regex;
