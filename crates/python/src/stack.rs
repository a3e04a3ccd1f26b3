//! Enough stack for the C code of Python's own modules.
//!
//! `json` and `ast` follow what is nested by native recursion, and Python counts the levels without knowing how much stack
//! the thread has: with little of it, a text of brackets ends the process before their limit is met. The engine sees to
//! itself (`maskwright_core`'s `stack`), on memory that is no thread's stack; Python code may not run there.

use std::panic::resume_unwind;
use std::thread;

use pyo3::prelude::*;

/// What the limits of all versions of Python fit into, about twice.
const ENOUGH: usize = 4 << 20;

/// The stack of the thread that steps in.
const STACK: usize = 4 * ENOUGH;

/// Calls something that may nest as deep as Python allows, and gives what it returns or raises: on the calling thread,
/// or where that has too little stack left on one that is started for it.
#[pyfunction]
pub(crate) fn with_enough_stack(py: Python<'_>, work: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
    if maskwright_core::remaining_stack().is_some_and(|left| left >= ENOUGH) {
        return work.call0().map(Bound::unbind);
    }
    let work = work.as_unbound();
    py.detach(|| {
        thread::scope(|scope| {
            let call = || Python::attach(|py| work.call0(py));
            let started = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, call)?;
            started.join().unwrap_or_else(|panic| resume_unwind(panic))
        })
    })
}
