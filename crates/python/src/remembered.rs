//! What was made of the option object that Python gave last.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;

/// Options of Python's in the core's form, remembered by the object that they were read from.
///
/// Reading ten attributes takes longer than a small grammar. Such objects are immutable, and most calls are given
/// the same one.
pub(crate) struct Remembered<T> {
    last: Mutex<Option<(Py<PyAny>, T)>>,
}

impl<T: Clone> Remembered<T> {
    pub(crate) const fn new() -> Self {
        Self { last: Mutex::new(None) }
    }

    /// What was made of the object the last time, or is made now.
    pub(crate) fn get(
        &self,
        object: Borrowed<'_, '_, PyAny>,
        make: impl FnOnce(Borrowed<'_, '_, PyAny>) -> PyResult<T>,
    ) -> PyResult<T> {
        if let Some((last, made)) = &*self.last.lock().unwrap_or_else(PoisonError::into_inner)
            && last.is(object)
        {
            return Ok(made.clone());
        }
        // Python may run while an object is read or let go, so that is done without the lock.
        let made = make(object)?;
        let fresh = Some((object.to_owned().unbind(), made.clone()));
        let before = std::mem::replace(&mut *self.last.lock().unwrap_or_else(PoisonError::into_inner), fresh);
        drop(before);
        Ok(made)
    }
}
