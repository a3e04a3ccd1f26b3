//! Many matchers in one call, on threads that are kept, with the interpreter lock released once.

use std::mem::ManuallyDrop;
use std::num::NonZeroUsize;
use std::sync::MutexGuard;

use maskwright_core as core;
use maskwright_core::{TokenId, counted};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

use crate::arrays::{IdentityArray, MaskArray};
use crate::errors::{argument_error, mask_buffer_error, matcher_busy_error, raise, raise_first};
use crate::matcher::Matcher;
use crate::released::released;
use crate::vocabulary::{token_id, token_ids};

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

/// Why a batch cannot have all its matchers: the one in this row is in use, or stands in that row, too.
struct Busy {
    row: usize,
    first: Option<usize>,
}

impl Busy {
    fn raise(&self, py: Python<'_>) -> PyErr {
        let row = self.row;
        match self.first {
            Some(first) => {
                let problem =
                    format!("matchers[{row}] stands twice in one batch, as matchers[{first}] before");
                matcher_busy_error(py, &problem, &[first, row])
            }
            None => matcher_busy_error(py, &format!("matchers[{row}] is in use by another thread"), &[row]),
        }
    }
}

/// The matchers of a batch, by rows; `None` for a row without one.
type Rows = Vec<Option<Py<Matcher>>>;

/// All matchers of a batch, unless one of them is in use, or stands in it twice.
fn lock_all<'a>(
    matchers: &[Option<&'a Matcher>],
) -> Result<Vec<Option<MutexGuard<'a, core::Matcher>>>, Busy> {
    let mut guards = Vec::with_capacity(matchers.len());
    for (row, matcher) in matchers.iter().enumerate() {
        let Some(matcher) = *matcher else {
            guards.push(None);
            continue;
        };
        let Some(guard) = matcher.try_lock() else {
            let is_it = |other: &Option<&Matcher>| other.is_some_and(|other| std::ptr::eq(other, matcher));
            return Err(Busy { row, first: matchers[..row].iter().position(is_it) });
        };
        guards.push(Some(guard));
    }
    Ok(guards)
}

/// Works on all matchers with the interpreter lock released, and gives what came of each where none has an error.
fn run<T: Send>(
    py: Python<'_>,
    matchers: &Rows,
    work: impl FnOnce(&mut [Option<&mut core::Matcher>]) -> core::Result<Vec<core::Result<T>>> + Send,
) -> PyResult<Vec<core::Result<T>>> {
    let matchers: Vec<Option<&Matcher>> =
        matchers.iter().map(|matcher| matcher.as_ref().map(Py::get)).collect();
    // Taken and let go within one step, so that no forked child finds the matchers in use.
    let results = released(py, || {
        let mut guards = lock_all(&matchers)?;
        let mut borrowed: Vec<Option<&mut core::Matcher>> =
            guards.iter_mut().map(|guard| guard.as_deref_mut()).collect();
        Ok(work(&mut borrowed))
    });
    let results = results.map_err(|busy: Busy| busy.raise(py))?.map_err(|error| raise(&error))?;
    raise_first(&results).map_or(Ok(results), Err)
}

/// Refuses an argument that has not one thing for each matcher.
fn check_one_each(found: usize, matchers: usize, what: &str, argument: &str) -> PyResult<()> {
    if found == matchers {
        return Ok(());
    }
    let (matchers, found) = (counted(matchers, "matcher"), counted(found, what));
    let message =
        format!("there is to be one {what} for each matcher, but for {matchers} there came {found}");
    Err(argument_error(argument, &message))
}

/// Writes the mask of each matcher into the row of the same number, except where `held` says that it is
/// there already. A row without a matcher allows everything.
#[pyfunction]
#[pyo3(signature = (workers, matchers, mask, held = None))]
#[allow(clippy::needless_pass_by_value)] // PyO3 hands over what it converted
pub(crate) fn fill_masks(
    py: Python<'_>,
    workers: &Bound<'_, Workers>,
    matchers: Rows,
    mask: &Bound<'_, PyAny>,
    held: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    let mut array = MaskArray::new(mask)?;
    let (rows, words) = array.shape;
    if rows < matchers.len() {
        let message = format!(
            "the mask has {}, but there is to be one for each of {}",
            counted(rows, "row"),
            counted(matchers.len(), "matcher")
        );
        return Err(mask_buffer_error(py, &message));
    }
    let mut held = held.map(IdentityArray::new).transpose()?;
    held.iter().try_for_each(|held| array.check_apart_from(held))?;
    let row_words = &mut array.words(py)?[..matchers.len() * words];
    let held = held.as_mut().map(|held| held.first(py, matchers.len())).transpose()?;
    if matchers.is_empty() {
        return Ok(());
    }
    let workers: &core::batch::Workers = &workers.get().inner;
    run(py, &matchers, |matchers| core::batch::fill_masks(workers, matchers, row_words, words, held))?;
    Ok(())
}

/// Writes the masks along the draft of each matcher into as many rows as it has tokens, and one more. Gives how many of the
/// tokens are allowed. Rows without a matcher allow everything.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)] // PyO3 hands over what it converted
pub(crate) fn fill_draft_masks<'py>(
    py: Python<'py>,
    workers: &Bound<'py, Workers>,
    matchers: Rows,
    drafts: Vec<Bound<'py, PyAny>>,
    mask: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray1<i64>>> {
    check_one_each(drafts.len(), matchers.len(), "draft", "drafts")?;
    let drafts = matchers.iter().zip(&drafts).map(|(matcher, draft)| match matcher {
        Some(matcher) => token_ids(matcher.get().vocabulary(), draft),
        // What is allowed whatever it is is only counted.
        None => Ok(vec![TokenId(0); draft.len()?]),
    });
    let drafts: Vec<Vec<TokenId>> = drafts.collect::<PyResult<_>>()?;
    let needed: usize = drafts.iter().map(|draft| draft.len() + 1).sum();
    let mut array = MaskArray::new(mask)?;
    let (rows, words) = array.shape;
    if rows < needed {
        let message = format!(
            "the mask has {}, but there are to be {needed}: one for each token of the drafts, and one more for each of {}",
            counted(rows, "row"),
            counted(matchers.len(), "matcher")
        );
        return Err(mask_buffer_error(py, &message));
    }
    let row_words = &mut array.words(py)?[..needed * words];
    let workers: &core::batch::Workers = &workers.get().inner;
    let allowed = run(py, &matchers, |matchers| {
        core::batch::fill_draft_masks(workers, matchers, &drafts, row_words, words)
    })?;
    let allowed = allowed.into_iter().flatten().map(|count| count as i64);
    Ok(allowed.collect::<Vec<i64>>().into_pyarray(py))
}

/// Accepts one token for each matcher; an array of bool says where it was allowed. Without a matcher, any is.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)] // PyO3 hands over what it converted
pub(crate) fn accept_batch<'py>(
    py: Python<'py>,
    workers: &Bound<'py, Workers>,
    matchers: Rows,
    token_ids: Vec<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    check_one_each(token_ids.len(), matchers.len(), "token", "token_ids")?;
    let tokens = matchers.iter().zip(&token_ids).enumerate();
    let tokens: Vec<TokenId> = tokens
        .map(|(row, (matcher, token))| {
            let Some(matcher) = matcher else { return Ok(TokenId(0)) };
            token_id(matcher.get().vocabulary(), token, "each of token_ids", &[row])
        })
        .collect::<PyResult<_>>()?;
    let workers: &core::batch::Workers = &workers.get().inner;
    let accepted = run(py, &matchers, |matchers| Ok(core::batch::accept_tokens(workers, matchers, &tokens)))?;
    Ok(accepted.into_iter().flatten().collect::<Vec<bool>>().into_pyarray(py))
}
