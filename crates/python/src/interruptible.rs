//! Compiles that signals can end: Ctrl-C, and whatever else Python has a handler for.
//!
//! Only the main thread hears signals, and only while it waits: no handler may run in the middle of the engine's work. So the
//! main thread works itself for a moment, in which nearly every compile is done. What takes longer it begins anew on another
//! thread, and listens meanwhile.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use maskwright_core as core;
use pyo3::prelude::*;

use crate::errors::raise;
use crate::released::{FORKS, released};

/// How long the main thread works itself: so long a signal may have to wait, and so much longer a long compile takes.
const PATIENCE: Duration = Duration::from_millis(100);

/// How long the main thread waits at a time, until it looks for signals.
const SLICE: Duration = Duration::from_millis(20);

/// Compiles something within a budget, with the interpreter lock released. On the main thread, what a handler of a signal
/// raises ends it.
pub(crate) fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    budget: &core::Budget,
    compile: impl Fn(&core::Budget) -> core::Result<T> + Send + Sync + 'static,
) -> PyResult<T> {
    if !hears_signals(py) {
        return released(py, || compile(budget)).map_err(|error| raise(&error));
    }
    let patience = core::Interruption::after(PATIENCE);
    let result = released(py, || compile(&until(budget, &patience)));
    if !patience.has_come() {
        return result.map_err(|error| raise(&error));
    }
    let interruption = core::Interruption::default();
    let (compile, budget) = (Arc::new(compile), until(budget, &interruption));
    let waiting = begin_elsewhere(Arc::clone(&compile), budget.clone());
    let result = match waiting {
        Ok(waiting) => py.detach(|| wait(waiting, &interruption))?,
        Err(_) => None, // no thread can be had
    };
    let result = result.unwrap_or_else(|| released(py, || compile(&budget)));
    result.map_err(|error| raise(&error))
}

/// The budget, and what ends a compile before it is used up.
fn until(budget: &core::Budget, interruption: &core::Interruption) -> core::Budget {
    core::Budget { interruption: Some(interruption.clone()), ..budget.clone() }
}

/// Begins to compile on a thread of its own.
fn begin_elsewhere<T: Send + 'static>(
    compile: Arc<impl Fn(&core::Budget) -> T + Send + Sync + 'static>,
    budget: core::Budget,
) -> std::io::Result<Receiver<T>> {
    let (sender, waiting) = mpsc::channel();
    thread::Builder::new().name("maskwright-compile".to_owned()).spawn(move || {
        let _at_work = FORKS.enter();
        // Sent while at work, so that a child of a fork finds it. Nobody waits any more where a handler has raised something.
        drop(sender.send(compile(&budget)));
    })?;
    Ok(waiting)
}

/// What comes from the other thread; `None` where that has panicked. What a handler of a signal raises has it end.
#[allow(clippy::needless_pass_by_value)] // a reference to it may not leave the interpreter lock
fn wait<T>(waiting: Receiver<T>, interruption: &core::Interruption) -> PyResult<Option<T>> {
    loop {
        match waiting.recv_timeout(SLICE) {
            Ok(result) => return Ok(Some(result)),
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
            Err(RecvTimeoutError::Timeout) => {
                if let Err(raised) = Python::attach(|py| py.check_signals()) {
                    interruption.come();
                    return Err(raised);
                }
            }
        }
    }
}

/// Whether the calling thread is the main thread of Python; not where that cannot be asked any more, as when the interpreter
/// shuts down.
fn hears_signals(py: Python<'_>) -> bool {
    thread_local! {
        /// What Python said the first time in a process: the thread that forks is the main thread of the child.
        static KNOWN: Cell<Option<(u32, bool)>> = const { Cell::new(None) };
    }
    let process = std::process::id();
    match KNOWN.get() {
        Some((known, is_main)) if known == process => is_main,
        _ => {
            let is_main = is_main_thread(py);
            if let Ok(is_main) = is_main {
                KNOWN.set(Some((process, is_main)));
            }
            is_main.unwrap_or(false)
        }
    }
}

fn is_main_thread(py: Python<'_>) -> PyResult<bool> {
    let threading = py.import("threading")?;
    let main = threading.call_method0("main_thread")?.getattr("ident")?;
    threading.call_method0("get_ident")?.eq(main)
}
