//! Integers as Python hands them over: of any size.

use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;

/// An integer; one beyond those of the machine is taken for the nearest that it has.
pub(crate) struct GivenInteger(pub(crate) isize);

impl<'a, 'py> FromPyObject<'a, 'py> for GivenInteger {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        match object.extract::<isize>() {
            Ok(number) => Ok(Self(number)),
            Err(error) if error.is_instance_of::<PyOverflowError>(object.py()) => {
                Ok(Self(if object.lt(0)? { isize::MIN } else { isize::MAX }))
            }
            Err(error) => Err(error),
        }
    }
}

impl GivenInteger {
    /// The number as one of things: a `ValueError` where it is negative.
    pub(crate) fn count(&self, of: &str) -> PyResult<usize> {
        usize::try_from(self.0).map_err(|_| {
            PyValueError::new_err(format!("the number of {of} must be 0 or more, not {}", self.0))
        })
    }
}
