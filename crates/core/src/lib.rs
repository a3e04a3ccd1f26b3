//! The engine of maskwright: which tokens of a vocabulary may come next, so that a text fits a grammar.
//!
//! ```text
//! text ──frontend──▶ grammar ──passes──▶ prepared grammar ──┐
//!                                                           ├──▶ Constraint
//! tokens ──────────▶ Vocabulary ────────────────────────────┘        │
//!                                                                    ▼
//! accept(token) ──▶ recognizer: configuration on the stack graph ──▶ mask
//! ```
//!
//! | modules | what they are |
//! |---|---|
//! | `bits`, `byte_set`, `interner` | sets and tables of numbers |
//! | `budget`, `error`, `settings`, `stack` | limits on work, what can go wrong, which layers take part, room for recursion |
//! | `counted`, `excerpt` | what messages are made of |
//! | `spelling` | how characters are written, in UTF-8 and in JSON strings |
//! | `vocabulary` | the tokens of a tokeniser, and what is found out of them for all grammars |
//! | `expression` | interned regular expressions over bytes, exact tokens and calls of rules |
//! | `grammar` | rules, and the passes that prepare them |
//! | `frontend` | one for each notation: JSON Schema, regular expressions, GBNF and others |
//! | `recognizer` | what is alive after the bytes so far: states, made when they are reached, on a stack graph |
//! | `mask` | which tokens may come next, and what is kept to say so again |
//! | `generation`, `constraint` | what was computed of one grammar for one vocabulary, and what bounds it |
//! | `matcher`, `batch` | one text in a constraint, and many at once |
//! | `rehearsal`, `warm`, `groundwork` | what is computed ahead: along likely texts, for one constraint, for all of a vocabulary |
//! | `standstill` | where threads stand still while their process forks |
//!
//! They are declared in the order of the data; each imports only from those before it, but for `budget` and `error`,
//! which know of one another. There is no Python here, no input or output, no environment variable, and no
//! global state but what follows from the program alone.

mod bits;
mod budget;
mod byte_set;
mod counted;
mod error;
mod excerpt;
mod interner;
mod settings;
mod spelling;
mod stack;

pub mod vocabulary;

pub mod expression;

pub mod grammar;

pub mod frontend;

mod recognizer;

mod mask;

mod generation;

mod constraint;

mod matcher;

pub mod batch;

mod rehearsal;

mod standstill;

mod warm;

mod groundwork;

pub use budget::{Budget, Interruption};
pub use byte_set::ByteSet;
pub use constraint::{Constraint, Statistics};
pub use counted::counted;
pub use error::{Error, Limit, Location, Result};
pub use mask::{Groundwork, Numbers, Pool, PoolStatistics, Progress, Warm, WarmUp};
pub use matcher::Matcher;
pub use settings::Settings;
pub use stack::remaining as remaining_stack;
pub use standstill::{AtWork, Standstill};
pub use vocabulary::{TokenId, Vocabulary};
pub use warm::Warming;
