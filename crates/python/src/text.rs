//! Text as Python hands it over, checked in one place.

use pyo3::exceptions::{PyTypeError, PyUnicodeEncodeError};
use pyo3::prelude::*;
use pyo3::types::{PySequence, PyString};

use crate::errors::text_error;

/// How many characters of a faulty text an error shows.
const SHOWN: usize = 40;

/// Text in a grammar or in its options; half of a surrogate pair in it is a `GrammarError`.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct GivenText(pub(crate) String);

impl<'a, 'py> FromPyObject<'a, 'py> for GivenText {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self(text_of(object, "GrammarError")?))
    }
}

/// The characters of a Python string. One with a lone surrogate is refused as the class of `maskwright.errors`
/// that is named.
pub(crate) fn text_of(object: Borrowed<'_, '_, PyAny>, class: &str) -> PyResult<String> {
    let py = object.py();
    let Ok(text) = object.cast::<PyString>() else {
        let found = object.get_type().name()?;
        return Err(PyTypeError::new_err(format!("a text is a str, not {found}")));
    };
    match text.to_cow() {
        Ok(characters) => Ok(characters.into_owned()),
        Err(error) if error.is_instance_of::<PyUnicodeEncodeError>(py) => {
            Err(lone_surrogate(&text, &error, class).unwrap_or_else(|failure| failure))
        }
        Err(error) => Err(error),
    }
}

fn lone_surrogate(text: &Bound<'_, PyString>, error: &PyErr, class: &str) -> PyResult<PyErr> {
    let at: usize = error.value(text.py()).getattr("start")?.extract()?;
    // As `repr` writes it, a surrogate is an escape, and so can be shown.
    let from = at.saturating_sub(SHOWN / 2);
    let part = text.cast::<PySequence>()?.get_slice(from, from + SHOWN)?.repr()?;
    let before = if from > 0 { "..." } else { "" };
    let after = if from + SHOWN < text.len()? { "..." } else { "" };
    let message = format!(
        "the text {before}{part}{after} has a lone surrogate at position {at}, which is no text; leave it out"
    );
    Ok(text_error(text.py(), class, &message))
}
