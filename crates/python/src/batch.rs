//! Many matchers in one call, on threads that are kept, with the interpreter lock released once.

use std::mem::ManuallyDrop;
use std::num::NonZeroUsize;
use std::sync::MutexGuard;

use maskwright_core as core;
use maskwright_core::TokenId;
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

use crate::arrays::{IdentityArray, MaskArray};
use crate::errors::{mask_buffer_error, matcher_busy_error, raise, raise_first};
use crate::matcher::Matcher;
use crate::vocabulary::token_id;

/// Threads for batches, and the process that they belong to.
#[pyclass(frozen, module = "maskwright._native")]
pub(crate) struct Workers {
    /// Dropped in its own process only: stopping threads that a `fork` did not copy may wait for ever.
    inner: ManuallyDrop<core::batch::Workers>,
    process_id: u32,
}

#[pymethods]
impl Workers {
    #[new]
    fn new(threads: usize) -> PyResult<Self> {
        let inner = ManuallyDrop::new(core::batch::Workers::new(threads)?);
        Ok(Self { inner, process_id: std::process::id() })
    }

    /// Whether the threads live in the calling process, and not in one that it was forked from.
    #[getter]
    fn are_here(&self) -> bool {
        self.process_id == std::process::id()
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        if self.are_here() {
            drop(ManuallyDrop::into_inner(std::mem::replace(
                &mut self.inner,
                ManuallyDrop::new(core::batch::Workers::none()),
            )));
        }
    }
}

/// The number of cores that this process may use, by what it is bound to and by the limits of its container.
#[pyfunction]
pub(crate) fn usable_cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

/// All matchers of a batch, unless one of them is in use, or stands in it twice.
fn lock_all<'a>(py: Python<'_>, matchers: &'a [Py<Matcher>]) -> PyResult<Vec<MutexGuard<'a, core::Matcher>>> {
    let mut guards = Vec::with_capacity(matchers.len());
    for (row, matcher) in matchers.iter().enumerate() {
        let Some(guard) = matcher.get().try_lock() else {
            return Err(match matchers[..row].iter().position(|other| other.is(matcher)) {
                Some(first) => {
                    let problem =
                        format!("matchers[{row}] stands twice in one batch, as matchers[{first}] before");
                    matcher_busy_error(py, &problem, &[first, row])
                }
                None => {
                    let problem = format!("matchers[{row}] is in use by another thread");
                    matcher_busy_error(py, &problem, &[row])
                }
            });
        };
        guards.push(guard);
    }
    Ok(guards)
}

/// Writes the mask of each matcher into the row of the same number, except where `held` says that it is
/// there already.
#[pyfunction]
#[pyo3(signature = (workers, matchers, mask, held = None))]
#[allow(clippy::needless_pass_by_value)] // PyO3 hands over what it converted
pub(crate) fn fill_masks(
    py: Python<'_>,
    workers: &Bound<'_, Workers>,
    matchers: Vec<Py<Matcher>>,
    mask: &Bound<'_, PyAny>,
    held: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    let mut array = MaskArray::new(mask)?;
    let (rows, words) = array.shape;
    if rows < matchers.len() {
        let message = format!("{} matchers need as many rows, but the mask has {rows}", matchers.len());
        return Err(mask_buffer_error(py, &message));
    }
    let row_words = &mut array.words(py)?[..matchers.len() * words];
    let mut held = held.map(IdentityArray::new).transpose()?;
    let held = held.as_mut().map(|held| held.first(py, matchers.len())).transpose()?;
    if matchers.is_empty() {
        return Ok(());
    }
    let mut guards = lock_all(py, &matchers)?;
    let mut borrowed: Vec<&mut core::Matcher> = guards.iter_mut().map(|guard| &mut **guard).collect();
    let workers: &core::batch::Workers = &workers.get().inner;
    let results = py
        .detach(|| core::batch::fill_masks(workers, &mut borrowed, row_words, words, held))
        .map_err(|error| raise(&error))?;
    raise_first(&results).map_or(Ok(()), Err)
}

/// Accepts one token for each matcher; an array of bool says where it was allowed.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)] // PyO3 hands over what it converted
pub(crate) fn accept_batch<'py>(
    py: Python<'py>,
    workers: &Bound<'py, Workers>,
    matchers: Vec<Py<Matcher>>,
    token_ids: Vec<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    if token_ids.len() != matchers.len() {
        let message = format!("{} matchers were given {} tokens", matchers.len(), token_ids.len());
        return Err(mask_buffer_error(py, &message));
    }
    let mut guards = lock_all(py, &matchers)?;
    let tokens = guards.iter().zip(&token_ids).enumerate();
    let tokens: Vec<TokenId> = tokens
        .map(|(row, (matcher, token))| {
            token_id(matcher.constraint().vocabulary(), token, "each of token_ids", &[row])
        })
        .collect::<PyResult<_>>()?;
    let mut borrowed: Vec<&mut core::Matcher> = guards.iter_mut().map(|guard| &mut **guard).collect();
    let workers: &core::batch::Workers = &workers.get().inner;
    let accepted = py.detach(|| core::batch::accept_tokens(workers, &mut borrowed, &tokens));
    if let Some(error) = raise_first(&accepted) {
        // All or nothing: the others go back to where they were.
        for (matcher, result) in borrowed.iter_mut().zip(&accepted) {
            if matches!(result, Ok(true)) {
                matcher.rollback(1).map_err(|error| raise(&error))?;
            }
        }
        return Err(error);
    }
    Ok(accepted.into_iter().flatten().collect::<Vec<bool>>().into_pyarray(py))
}
