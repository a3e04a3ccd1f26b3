//! `_native.Vocabulary`.

use std::sync::{Arc, OnceLock};

use maskwright_core as core;
use maskwright_core::TokenId;
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyBytes, PyDict, PyList};

use crate::errors::{raise, raise_at, token_id_error};
use crate::number::{not_an_integer, type_name};
use crate::released::released;
use crate::text::text_of;

/// The tokens of one tokeniser, ready to be walked. See `maskwright.Vocabulary`.
#[pyclass(frozen, module = "maskwright._native")]
pub(crate) struct Vocabulary {
    pub(crate) inner: Arc<core::Vocabulary>,
    /// What all its pools begin with, computed for the first of them.
    groundwork: OnceLock<Arc<core::Groundwork>>,
}

impl Vocabulary {
    /// What all pools begin with. The first call takes about a tenth of a second for 128,000 tokens, and is to be made with the
    /// GIL released.
    pub(crate) fn groundwork(&self) -> Arc<core::Groundwork> {
        Arc::clone(self.groundwork.get_or_init(|| Arc::new(core::Groundwork::of_json(&self.inner))))
    }
}

/// A token id out of a Python integer, or of what can stand for one (NumPy, torch), given as the argument of a name;
/// in a batch, for the matchers at these places.
pub(crate) fn token_id(
    vocabulary: &core::Vocabulary,
    value: &Bound<'_, PyAny>,
    name: &str,
    rows: &[usize],
) -> PyResult<TokenId> {
    let py = value.py();
    if value.is_instance_of::<PyBool>() {
        return Err(not_an_integer(name, "bool"));
    }
    match value.extract::<i64>() {
        Ok(id) => vocabulary.check(id).map_err(|error| raise_at(&error, rows)),
        Err(error) if error.is_instance_of::<PyOverflowError>(py) => {
            Err(token_id_error(py, value, vocabulary.size(), rows))
        }
        Err(error) if error.is_instance_of::<PyTypeError>(py) => {
            Err(not_an_integer(name, &type_name(value)?))
        }
        Err(error) => Err(error),
    }
}

/// Token ids out of any iterable of integers that has an order.
pub(crate) fn token_ids(vocabulary: &core::Vocabulary, values: &Bound<'_, PyAny>) -> PyResult<Vec<TokenId>> {
    static IN_ORDER: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let listed = match values.cast::<PyList>() {
        Ok(list) => list.clone(),
        Err(_) => {
            let in_order = IN_ORDER.import(values.py(), "maskwright.checking", "in_order")?;
            in_order.call1((values, "token_ids"))?.cast_into()?
        }
    };
    listed.iter().map(|value| token_id(vocabulary, &value, "each of token_ids", &[])).collect()
}

#[pymethods]
impl Vocabulary {
    #[new]
    fn new(
        py: Python<'_>,
        tokens: &Bound<'_, PyList>,
        special_tokens: &Bound<'_, PyDict>,
        stop_ids: Vec<i64>,
        size: usize,
    ) -> PyResult<Self> {
        let mut bytes = Vec::with_capacity(tokens.len());
        for token in tokens {
            bytes.push(match token.cast::<PyBytes>() {
                Ok(token) => Some(token.as_bytes().to_vec()),
                Err(_) if token.is_none() => None,
                Err(error) => return Err(error.into()),
            });
        }
        let out_of_range = |what: &str, id: i64| {
            raise(&core::Error::Vocabulary(format!("{what} {id} is outside 0 to {}", size.saturating_sub(1))))
        };
        let as_id = |what: &str, id: i64| u32::try_from(id).map(TokenId).map_err(|_| out_of_range(what, id));
        let mut special = Vec::with_capacity(special_tokens.len());
        for (name, id) in special_tokens {
            let name = text_of(name.as_borrowed(), "VocabularyError")?;
            let id = as_id(&format!("the id of the special token {name:?},"), id.extract()?)?;
            special.push((name, id));
        }
        let stops: PyResult<Vec<TokenId>> = stop_ids.into_iter().map(|id| as_id("the stop id", id)).collect();
        let stops = stops?;
        let inner = released(py, || core::Vocabulary::new(bytes, special, stops, size));
        let inner = Arc::new(inner.map_err(|error| raise(&error))?);
        Ok(Self { inner, groundwork: OnceLock::new() })
    }

    #[getter]
    fn size(&self) -> usize {
        self.inner.size()
    }

    #[getter]
    fn token_count(&self) -> usize {
        self.inner.token_count()
    }

    #[getter]
    fn stop_ids(&self) -> Vec<u32> {
        self.inner.stop_tokens().iter().map(|id| id.0).collect()
    }

    #[getter]
    fn special_tokens<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let mut special: Vec<(u32, &str)> =
            self.inner.special_tokens().map(|(name, id)| (id.0, name)).collect();
        special.sort_unstable();
        let names = PyDict::new(py);
        for (id, name) in special {
            names.set_item(name, id)?;
        }
        Ok(names)
    }

    #[getter]
    fn max_token_bytes(&self) -> usize {
        self.inner.longest_token()
    }

    #[getter]
    fn memory_bytes(&self) -> usize {
        self.inner.memory_bytes() + self.groundwork.get().map_or(0, |known| known.memory_bytes())
    }

    #[getter]
    fn missing_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let missing: Vec<u8> = self.inner.alphabet().complement().iter().collect();
        PyBytes::new(py, &missing)
    }

    fn token_bytes<'py>(
        &self,
        py: Python<'py>,
        token_id: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let id = self::token_id(&self.inner, token_id, "token_id", &[])?;
        Ok(self.inner.token_bytes(id).map(|bytes| PyBytes::new(py, bytes)))
    }

    fn is_like(&self, py: Python<'_>, other: &Self) -> bool {
        released(py, || self.inner.fingerprint() == other.inner.fingerprint())
    }
}
