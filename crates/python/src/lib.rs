//! The extension module `maskwright._native`: a thin layer over `maskwright-core`.
//!
//! It converts arguments, releases the interpreter lock around work, lets signals end it, and turns errors into the
//! exceptions of `maskwright.errors`. Three things are done here, and not in the engine: disallowed logits are written
//! (`arrays`), the threads of batches are kept (`batch`), and the allocator is set (`allocator`). What is not hot is Python, in
//! the package around it.

mod allocator;
mod arrays;
mod batch;
mod composition;
mod constraint;
mod errors;
mod grammar;
mod interruptible;
mod json_text;
mod matcher;
mod number;
mod released;
mod remembered;
mod stack;
mod text;
mod vocabulary;
mod warming;

use pyo3::prelude::*;

/// The engine of maskwright. Use it through the package `maskwright`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::arrays::fill_disallowed;
    #[pymodule_export]
    use crate::batch::{Workers, accept_batch, fill_draft_masks, fill_masks, usable_cores};
    #[pymodule_export]
    use crate::composition::Composition;
    #[pymodule_export]
    use crate::constraint::{Constraint, Pool};
    #[pymodule_export]
    use crate::grammar::{Grammar, JsonSchemaOptions};
    #[pymodule_export]
    use crate::json_text::plain_json_text;
    #[pymodule_export]
    use crate::matcher::Matcher;
    #[pymodule_export]
    use crate::stack::with_enough_stack;
    #[pymodule_export]
    use crate::vocabulary::Vocabulary;
    #[pymodule_export]
    use crate::warming::Warming;

    use super::*;

    /// The deepest nesting whatever a budget says.
    #[pymodule_export]
    const DEEPEST_NESTING: usize = maskwright_core::Budget::DEEPEST_NESTING;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::allocator::keep_freed_memory_for_a_while();
        crate::released::wait_when_forking(module.py())?;
        crate::errors::keep_classes(module.py())?;
        crate::arrays::reach_numpy(module.py())?;
        crate::constraint::reach_times(module.py())?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
