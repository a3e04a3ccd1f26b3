//! Work without the interpreter lock, and the forks of the process.
//!
//! A forked child has one thread, and all locks as they were. Only the thread that holds the interpreter lock forks, so what
//! is done under that lock is never met half done. What is done without it is a step of a [`core::Standstill`], for whose
//! end a fork waits.

use std::sync::atomic::{AtomicBool, Ordering};

use maskwright_core as core;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Where everybody stands still while the process forks: [`released`] work, threads of the engine's own, and work of several
/// steps.
pub(crate) static FORKS: core::Standstill = core::Standstill::new();

/// Does a step of work with the interpreter lock released. It neither takes that lock nor forks.
pub(crate) fn released<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> T {
    py.detach(|| {
        let _at_work = FORKS.enter();
        work()
    })
}

/// Has every fork by Python wait, where the system can fork at all.
pub(crate) fn wait_when_forking(py: Python<'_>) -> PyResult<()> {
    static IS_DONE: AtomicBool = AtomicBool::new(false);
    let Some(register) = py.import("os")?.getattr_opt("register_at_fork")? else { return Ok(()) };
    // A second import of the module would wait for the first one.
    if IS_DONE.swap(true, Ordering::Relaxed) {
        return Ok(());
    }
    let hooks = PyDict::new(py);
    hooks.set_item("before", wrap_pyfunction!(before_fork, py)?)?;
    hooks.set_item("after_in_parent", wrap_pyfunction!(after_fork, py)?)?;
    hooks.set_item("after_in_child", wrap_pyfunction!(after_fork_in_child, py)?)?;
    register.call((), Some(&hooks)).map(drop)
}

/// Has everybody who works without the interpreter lock stand still, until [`after_fork`].
#[pyfunction]
fn before_fork(py: Python<'_>) {
    // Another thread that forks needs the interpreter lock to be done with it.
    py.detach(|| FORKS.demand());
}

/// Lets everybody go on.
#[pyfunction]
fn after_fork() {
    FORKS.end();
}

/// In a child, nobody but the calling thread is there.
#[pyfunction]
fn after_fork_in_child() {
    FORKS.end_in_child();
}
