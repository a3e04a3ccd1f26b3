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
//! The modules are listed in the order of the data; each imports only from those before it, but for `budget` and `error`,
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
