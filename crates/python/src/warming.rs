//! `_native.Warming`: computing ahead.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use maskwright_core as core;
use pyo3::prelude::*;

use crate::errors::raise;
use crate::released::FORKS;

/// How long signals and other Python threads may have to wait.
const SLICE: Duration = Duration::from_millis(20);

/// Computing ahead that may still go on. See `maskwright.Warming`.
#[pyclass(frozen, module = "maskwright._native")]
pub(crate) struct Warming {
    inner: core::Warming,
}

impl Warming {
    fn new(inner: core::Warming) -> Self {
        Self { inner }
    }
}

/// The fields of `maskwright.WarmUp` in their order.
type WarmUpFields = (usize, usize, bool, bool, Option<Py<PyAny>>, f64);

#[pymethods]
impl Warming {
    fn cancel(&self) {
        self.inner.cancel();
    }

    #[getter]
    fn done(&self) -> bool {
        self.inner.result().is_some()
    }

    /// Waits, but no longer than some seconds, and lets signals through. Returns whether it is done.
    fn wait(&self, py: Python<'_>, timeout: Option<f64>) -> PyResult<bool> {
        let start = Instant::now();
        loop {
            // A timeout that is no duration (infinite, or not a number) is none.
            let timeout = timeout.and_then(|seconds| Duration::try_from_secs_f64(seconds.max(0.0)).ok());
            let left = timeout.map(|timeout| timeout.saturating_sub(start.elapsed()));
            let slice = left.map_or(SLICE, |left| left.min(SLICE));
            if py.detach(|| self.inner.wait(Some(slice))).is_some() {
                return Ok(true);
            }
            py.check_signals()?;
            if left.is_some_and(|left| left <= slice) {
                return Ok(false);
            }
        }
    }

    /// The fields of the result; `None` while it goes on.
    fn result(&self, py: Python<'_>) -> Option<WarmUpFields> {
        let core::WarmUp { states, transitions, complete, cancelled, error, time } = self.inner.result()?;
        let error = error.map(|error| raise(&error).into_value(py).into_any());
        Some((states, transitions, complete, cancelled, error, time.as_secs_f64()))
    }
}

/// Begins to rehearse examples and likely texts, so many masks at most, in the background.
pub(crate) fn warm_likely(
    py: Python<'_>,
    constraint: &Arc<core::Constraint>,
    count: usize,
    examples: Vec<Vec<u8>>,
) -> Warming {
    // While another thread forks, this waits; that one needs the interpreter lock.
    Warming::new(py.detach(|| core::Warming::start(constraint, core::Warm::Likely(count), examples, &FORKS)))
}

/// Computes everything ahead, with the interpreter lock released but for signals and for `progress`, which is
/// called with states, states waiting and transitions. What it raises ends it.
pub(crate) fn warm_all(
    py: Python<'_>,
    constraint: &Arc<core::Constraint>,
    examples: &[Vec<u8>],
    progress: Option<&Py<PyAny>>,
) -> PyResult<Warming> {
    let mut raised = None;
    let mut last = Instant::now();
    let tell = |now: &core::Progress| -> PyResult<()> {
        Python::attach(|py| {
            py.check_signals()?;
            if let Some(progress) = progress {
                progress.call1(py, (now.states, now.waiting, now.transitions))?;
            }
            Ok(())
        })
    };
    let result = py.detach(|| {
        let mut at_work = FORKS.enter();
        constraint.warm_up(core::Warm::All, examples, |now| {
            at_work.pause();
            if last.elapsed() < SLICE {
                return ControlFlow::Continue(());
            }
            if let Err(error) = at_work.away(|| tell(now)) {
                raised = Some(error);
                return ControlFlow::Break(());
            }
            last = Instant::now();
            ControlFlow::Continue(())
        })
    });
    if let Some(error) = raised {
        return Err(error);
    }
    tell(&core::Progress { states: result.states, waiting: 0, transitions: result.transitions })?;
    Ok(Warming::new(core::Warming::finished(result)))
}
