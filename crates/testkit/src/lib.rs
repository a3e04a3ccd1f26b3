//! Tools for testing the engine: not published, and slow on purpose.
//!
//! The chain of evidence: [`definition`] lists the sentences of tiny grammars; [`oracle`] is checked against
//! it and decides larger ones; [`compare`] checks the engine against the oracle on random cases.
//!
//! | file | what it does |
//! |---|---|
//! | [`ast`] | grammars as plain trees, and their print-out as Rust code |
//! | [`vocabulary`] | small vocabularies as plain data |
//! | [`automaton`] | regular expressions as complete deterministic automata |
//! | `free_text` | free text with tags as plain regular expressions |
//! | [`program`] | grammars in the few forms that the oracle computes with |
//! | [`oracle`] | the recogniser that decides by definition |
//! | [`definition`] | all sentences up to a length |
//! | [`random`], [`random_case`] | seeded grammars and vocabularies |
//! | [`engine`] | what a comparison needs of an engine, and this project's engine |
//! | `walk`, `checks` | one matcher beside the oracle, and what must hold at every step |
//! | [`compare`], [`shrink`], [`mismatch`] | many walks, and small reproducers of what they find |

pub mod ast;
pub mod automaton;
mod checks;
pub mod compare;
pub mod definition;
pub mod engine;
mod free_text;
pub mod mismatch;
pub mod oracle;
pub mod program;
pub mod random;
pub mod random_case;
pub mod shrink;
pub mod vocabulary;
mod walk;
