//! Integers as Python hands them over: of any size.

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBool;

/// An argument that should be an integer; what is wrong with it is told once its name is known.
pub(crate) enum GivenInteger {
    /// An integer; one beyond those of the machine is taken for the nearest that it has.
    Number(isize),
    /// Something else, by the name of its type.
    Other(String),
}

impl<'a, 'py> FromPyObject<'a, 'py> for GivenInteger {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let py = object.py();
        if object.is_instance_of::<PyBool>() {
            return Ok(Self::Other(type_name(&object)?));
        }
        match object.extract::<isize>() {
            Ok(number) => Ok(Self::Number(number)),
            Err(error) if error.is_instance_of::<PyOverflowError>(py) => {
                Ok(Self::Number(if object.lt(0)? { isize::MIN } else { isize::MAX }))
            }
            Err(error) if error.is_instance_of::<PyTypeError>(py) => Ok(Self::Other(type_name(&object)?)),
            Err(error) => Err(error),
        }
    }
}

impl GivenInteger {
    /// The number.
    ///
    /// # Errors
    /// A `TypeError` with the name of the argument where it is no integer.
    pub(crate) fn number(&self, name: &str) -> PyResult<isize> {
        match self {
            Self::Number(number) => Ok(*number),
            Self::Other(found) => Err(not_an_integer(name, found)),
        }
    }

    /// The number of some things, which are named too.
    ///
    /// # Errors
    /// A `TypeError` with the name of the argument where it is no integer, and a `ValueError` where it is negative.
    pub(crate) fn count(&self, name: &str, of: &str) -> PyResult<usize> {
        let number = self.number(name)?;
        usize::try_from(number)
            .map_err(|_| PyValueError::new_err(format!("the number of {of} must be 0 or more, not {number}")))
    }
}

/// The name of the type of an object.
pub(crate) fn type_name(object: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(object.get_type().name()?.to_string())
}

/// An argument is no integer.
pub(crate) fn not_an_integer(name: &str, found: &str) -> PyErr {
    PyTypeError::new_err(format!("{name} is an int, not {found}"))
}
