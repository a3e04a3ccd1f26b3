//! Many matchers in one call, on threads, with the interpreter lock released once.

use maskwright_core as core;
use maskwright_core::TokenId;
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

use crate::arrays::MaskArray;
use crate::errors::{mask_buffer_error, raise};
use crate::matcher::Matcher;
use crate::vocabulary::token_id;

/// Writes the mask of each matcher into the row of the same number.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)] // PyO3 hands over what it converted
pub(crate) fn fill_masks(
    py: Python<'_>,
    matchers: Vec<Py<Matcher>>,
    mask: &Bound<'_, PyAny>,
    threads: usize,
) -> PyResult<()> {
    let mut array = MaskArray::new(mask)?;
    let (rows, words) = array.shape();
    if rows < matchers.len() {
        let message = format!("{} matchers need as many rows, but the mask has {rows}", matchers.len());
        return Err(mask_buffer_error(py, &message));
    }
    let row_words = &mut array.words(py)?[..matchers.len() * words];
    if matchers.is_empty() {
        return Ok(());
    }
    let mut guards = matchers.iter().map(|matcher| matcher.get().lock(py)).collect::<PyResult<Vec<_>>>()?;
    let mut borrowed: Vec<&mut core::Matcher> = guards.iter_mut().map(|guard| &mut **guard).collect();
    py.detach(|| core::batch::fill_masks(&mut borrowed, row_words, words, threads))
        .map_err(|error| raise(&error))
}

/// Accepts one token for each matcher; an array of bool says where it was allowed.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)] // PyO3 hands over what it converted
pub(crate) fn accept_batch<'py>(
    py: Python<'py>,
    matchers: Vec<Py<Matcher>>,
    token_ids: Vec<Bound<'py, PyAny>>,
    threads: usize,
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    if token_ids.len() != matchers.len() {
        let message = format!("{} matchers were given {} tokens", matchers.len(), token_ids.len());
        return Err(mask_buffer_error(py, &message));
    }
    let mut guards = matchers.iter().map(|matcher| matcher.get().lock(py)).collect::<PyResult<Vec<_>>>()?;
    let tokens = guards.iter().zip(&token_ids);
    let tokens: Vec<TokenId> = tokens
        .map(|(matcher, token)| token_id(matcher.constraint().vocabulary(), token))
        .collect::<PyResult<_>>()?;
    let mut borrowed: Vec<&mut core::Matcher> = guards.iter_mut().map(|guard| &mut **guard).collect();
    let accepted = py.detach(|| core::batch::accept_tokens(&mut borrowed, &tokens, threads));
    if let Some(error) = accepted.iter().find_map(|result| result.as_ref().err()) {
        // All or nothing: the others go back to where they were.
        for (matcher, result) in borrowed.iter_mut().zip(&accepted) {
            if matches!(result, Ok(true)) {
                matcher.rollback(1).map_err(|error| raise(&error))?;
            }
        }
        return Err(raise(error));
    }
    Ok(accepted.into_iter().flatten().collect::<Vec<bool>>().into_pyarray(py))
}
