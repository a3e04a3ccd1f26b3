//! Integers as Python hands them over: of any size.

use std::fmt::{self, Display, Formatter};

use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyBool;

use crate::errors::argument_error;

/// An argument that should be an integer; what is wrong with it is told once its name is known.
pub(crate) enum GivenInteger {
    Number(Integer),
    /// Something else, by the name of its type.
    Other(String),
}

/// An integer of Python.
pub(crate) struct Integer {
    /// Itself, or the nearest that the machine has.
    pub(crate) nearest: isize,
    /// How one is told that the machine does not have.
    beyond: Option<String>,
}

impl Display for Integer {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match &self.beyond {
            Some(told) => formatter.write_str(told),
            None => self.nearest.fmt(formatter),
        }
    }
}

impl From<isize> for GivenInteger {
    fn from(number: isize) -> Self {
        Self::Number(Integer { nearest: number, beyond: None })
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for GivenInteger {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let py = object.py();
        if object.is_instance_of::<PyBool>() {
            return Ok(Self::Other(type_name(&object)?));
        }
        match object.extract::<isize>() {
            Ok(number) => Ok(number.into()),
            Err(error) if error.is_instance_of::<PyOverflowError>(py) => {
                let nearest = if object.lt(0)? { isize::MIN } else { isize::MAX };
                Ok(Self::Number(Integer { nearest, beyond: Some(told(&object)?) }))
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
    pub(crate) fn number(&self, name: &str) -> PyResult<&Integer> {
        match self {
            Self::Number(number) => Ok(number),
            Self::Other(found) => Err(not_an_integer(name, found)),
        }
    }

    /// The number of some things, which are named too; one beyond those of the machine is the greatest that it has.
    ///
    /// # Errors
    /// A `TypeError` with the name of the argument where it is no integer, and an `ArgumentError` where it is negative.
    pub(crate) fn count(&self, name: &str, of: &str) -> PyResult<usize> {
        let number = self.number(name)?;
        usize::try_from(number.nearest)
            .map_err(|_| argument_error(name, &format!("the number of {of} must be 0 or more, not {number}")))
    }
}

/// How messages tell an integer that the machine does not have: by its digits where they are few, for Python writes
/// only some thousands, and else by the nearest that the machine has.
pub(crate) fn told(beyond: &Bound<'_, PyAny>) -> PyResult<String> {
    const MOST_DIGITS: usize = 40;
    match beyond.str().map(|digits| digits.to_string()) {
        Ok(digits) if digits.len() <= MOST_DIGITS => Ok(digits),
        _ if beyond.lt(0)? => Ok(format!("less than {}", isize::MIN)),
        _ => Ok(format!("more than {}", isize::MAX)),
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
