//! Errors of the core as the exceptions of `maskwright.errors`.

use std::fmt::Display;

use maskwright_core::{Error, Limit, Location};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple};

use crate::number::told;

/// What `maskwright.errors` held when the first interpreter imported this module.
static AT_IMPORT: PyOnceLock<Py<PyDict>> = PyOnceLock::new();

/// Keeps the classes of errors for when the interpreter shuts down: nothing can be imported then, and what objects do that
/// are let go at last may still fail.
pub(crate) fn keep_classes(py: Python<'_>) -> PyResult<()> {
    let classes = py.import("maskwright.errors")?.dict().copy()?;
    AT_IMPORT.get_or_init(py, || classes.unbind());
    Ok(())
}

/// The class `maskwright.errors.<name>`.
fn class_of_errors<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let imported = py.import("maskwright.errors").and_then(|module| module.getattr(name));
    match (imported, AT_IMPORT.get(py)) {
        (Err(_), Some(kept)) => kept.bind(py).as_any().get_item(name),
        (imported, _) => imported,
    }
}

/// Builds the exception `maskwright.errors.<class>` with a message and attributes.
fn exception(
    py: Python<'_>,
    class: &str,
    message: &str,
    attributes: &[(&str, Bound<'_, PyAny>)],
) -> PyResult<PyErr> {
    let keywords = PyDict::new(py);
    for (name, value) in attributes {
        keywords.set_item(name, value)?;
    }
    let class = class_of_errors(py, class)?;
    Ok(PyErr::from_value(class.call((message,), Some(&keywords))?))
}

/// The exception for an error of the core; if even that cannot be built, the reason why.
pub(crate) fn raise(error: &Error) -> PyErr {
    raise_at(error, &[])
}

/// The same for what happened to these matchers of a batch.
pub(crate) fn raise_at(error: &Error, rows: &[usize]) -> PyErr {
    Python::attach(|py| convert(py, error, rows).unwrap_or_else(|failure| failure))
}

/// The exception for the errors of a batch: the first of them, with the numbers of all matchers that have one of its
/// kind. `None` where there is none.
pub(crate) fn raise_first<T>(results: &[maskwright_core::Result<T>]) -> Option<PyErr> {
    let failures =
        || results.iter().enumerate().filter_map(|(row, result)| Some((row, result.as_ref().err()?)));
    let (_, first) = failures().next()?;
    let kind = std::mem::discriminant(first);
    let rows: Vec<usize> =
        failures().filter(|(_, error)| std::mem::discriminant(*error) == kind).map(|(row, _)| row).collect();
    Some(raise_at(first, &rows))
}

/// The exception for an array of the wrong kind.
pub(crate) fn mask_buffer_error(py: Python<'_>, message: &str) -> PyErr {
    exception(py, "MaskBufferError", message, &[]).unwrap_or_else(|failure| failure)
}

/// The exception for an argument with a value that it cannot have.
pub(crate) fn argument_error(name: &str, message: &str) -> PyErr {
    Python::attach(|py| {
        let build =
            || exception(py, "ArgumentError", message, &[("argument", name.into_pyobject(py)?.into_any())]);
        build().unwrap_or_else(|failure| failure)
    })
}

/// The exception of a class for a text that is none.
pub(crate) fn text_error(py: Python<'_>, class: &str, message: &str) -> PyErr {
    exception(py, class, message, &[]).unwrap_or_else(|failure| failure)
}

/// The exception for a matcher in use elsewhere; `rows` are its places in a batch.
pub(crate) fn matcher_busy_error(py: Python<'_>, problem: &str, rows: &[usize]) -> PyErr {
    let build = || {
        let message = format!("{problem}; a matcher belongs to one sequence: fork() it for another");
        exception(py, "MatcherBusyError", &message, &[("rows", PyTuple::new(py, rows)?.into_any())])
    };
    build().unwrap_or_else(|failure| failure)
}

/// The exception for a token id that does not even fit an integer of the machine, with the place of its matcher in a
/// batch.
pub(crate) fn token_id_error(
    py: Python<'_>,
    token_id: &Bound<'_, PyAny>,
    size: usize,
    rows: &[usize],
) -> PyErr {
    let build = || {
        let greatest = size.saturating_sub(1);
        let problem =
            format!("token id {} is outside the vocabulary, whose ids are 0 to {greatest}", told(token_id)?);
        token_id_exception(py, &told_of(rows, &problem), token_id.clone(), size, rows)
    };
    build().unwrap_or_else(|failure| failure)
}

fn token_id_exception(
    py: Python<'_>,
    message: &str,
    token_id: Bound<'_, PyAny>,
    size: usize,
    rows: &[usize],
) -> PyResult<PyErr> {
    let (size, rows) = (size.into_pyobject(py)?.into_any(), PyTuple::new(py, rows)?.into_any());
    exception(py, "TokenIdError", message, &[("token_id", token_id), ("size", size), ("rows", rows)])
}

/// What happened, and to which matchers of a batch.
fn told_of(rows: &[usize], problem: &dyn Display) -> String {
    match rows {
        [] => problem.to_string(),
        [row] => format!("matchers[{row}]: {problem}"),
        [first, others @ ..] => format!("matchers[{first}] and {} more: {problem}", others.len()),
    }
}

/// The exception for an error; `rows` are the numbers of the matchers of a batch that it happened to.
fn convert(py: Python<'_>, error: &Error, rows: &[usize]) -> PyResult<PyErr> {
    let message = told_of(rows, error);
    let text = |value: &str| -> PyResult<Bound<'_, PyAny>> { Ok(value.into_pyobject(py)?.into_any()) };
    let number = |value: usize| -> PyResult<Bound<'_, PyAny>> { Ok(value.into_pyobject(py)?.into_any()) };
    let syntax = |location: &Location, found: &str, expected: &str| {
        let attributes = [
            ("line", number(location.line)?),
            ("column", number(location.column)?),
            ("found", text(found)?),
            ("expected", text(expected)?),
        ];
        exception(py, "GrammarSyntaxError", &message, &attributes)
    };
    match error {
        Error::Syntax { location, found, expected, .. } => syntax(location, found, expected),
        Error::UndefinedRule { location, name, used_in: Some(_), .. } => {
            syntax(location, name, "the name of a rule that is defined")
        }
        Error::UndefinedRule { location, name, used_in: None, .. } => {
            syntax(location, "end of input", &format!("a rule called {name}"))
        }
        Error::Schema { location, .. } => {
            exception(py, "SchemaError", &message, &[("location", text(location)?)])
        }
        Error::Unsupported { feature, location, .. } => {
            let attributes = [("feature", text(feature)?), ("location", text(location)?)];
            exception(py, "UnsupportedFeatureError", &message, &attributes)
        }
        Error::Grammar(_) => exception(py, "GrammarError", &message, &[]),
        Error::EmptyGrammar(_) => exception(py, "EmptyGrammarError", &message, &[]),
        Error::BudgetExceeded { budget, limit, .. } => {
            let limit = match *limit {
                Limit::Count(count) => number(count)?,
                Limit::Time(time) => time.into_pyobject(py)?.into_any(),
            };
            let rows = PyTuple::new(py, rows)?.into_any();
            let attributes = [("budget", text(budget)?), ("limit", limit), ("rows", rows)];
            exception(py, "BudgetExceededError", &message, &attributes)
        }
        Error::Vocabulary(_) => exception(py, "VocabularyError", &message, &[]),
        Error::Artifact { offset, .. } => {
            // What makes such a file has another name in Python.
            let message = message.replace("Pool::to_bytes", "Compiler.save_pool");
            exception(py, "ArtifactError", &message, &[("offset", number(*offset)?)])
        }
        Error::TokenId { token_id, size } => {
            token_id_exception(py, &message, token_id.into_pyobject(py)?.into_any(), *size, rows)
        }
        Error::MatcherState(_) | Error::BrokenOff | Error::Interrupted => {
            exception(py, "MatcherStateError", &message, &[])
        }
        Error::MaskLength { found, needed } => {
            let remedy = if found > needed {
                "where a model has more logits than its tokeniser has tokens, pass their number as size= when the \
                 vocabulary is made"
            } else {
                "make masks by maskwright.allocate_mask(rows, vocabulary.size)"
            };
            exception(py, "MaskBufferError", &format!("{message}; {remedy}"), &[])
        }
    }
}
