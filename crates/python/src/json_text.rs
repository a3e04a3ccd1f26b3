//! Plain Python values as JSON text.
//!
//! A schema is nearly always dicts, lists and scalars as `json.loads` makes them. Their text is written here, and the
//! core reads that: one conversion, whatever the front end wants to know of the schema. What is anything else, or no
//! JSON at all, is left to `maskwright.json_schema.json_text`, which writes the same and says what is wrong.

use std::fmt::Write;

use maskwright_core as core;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString};

use crate::errors::raise;

/// Values nested deeper are left to Python, which has no recursion; so are those that contain themselves.
const DEEPEST: usize = 64;

/// The JSON text of a plain value, in ASCII; `None` for all others. One of more than `limit` bytes is a
/// `BudgetExceededError`.
#[pyfunction]
pub(crate) fn plain_json_text(value: &Bound<'_, PyAny>, limit: usize) -> PyResult<Option<String>> {
    let mut writer = Writer { text: String::new(), limit };
    match writer.value(value, DEEPEST) {
        Some(()) => Ok(Some(writer.text)),
        None if writer.is_too_long() => {
            let (budget, what) = ("grammar_bytes", "writing a schema as JSON".into());
            Err(raise(&core::Error::BudgetExceeded { budget, limit: limit.into(), what, earlier: None }))
        }
        None => Ok(None),
    }
}

struct Writer {
    text: String,
    limit: usize,
}

impl Writer {
    /// Writes a value that nests less than so deep. `None` here and below: it is not plain, or too long.
    fn value(&mut self, value: &Bound<'_, PyAny>, depth: usize) -> Option<()> {
        if let Ok(string) = value.cast_exact::<PyString>() {
            self.string(string)?;
        } else if let Ok(members) = value.cast_exact::<PyDict>() {
            let depth = depth.checked_sub(1)?;
            self.text.push('{');
            for (at, (key, member)) in members.iter().enumerate() {
                if at > 0 {
                    self.text.push(',');
                }
                self.string(key.cast_exact::<PyString>().ok()?)?;
                self.text.push(':');
                self.value(&member, depth)?;
            }
            self.text.push('}');
        } else if let Ok(items) = value.cast_exact::<PyList>() {
            let depth = depth.checked_sub(1)?;
            self.text.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    self.text.push(',');
                }
                self.value(&item, depth)?;
            }
            self.text.push(']');
        } else {
            self.scalar(value)?;
        }
        (!self.is_too_long()).then_some(())
    }

    fn is_too_long(&self) -> bool {
        self.text.len() > self.limit
    }

    fn scalar(&mut self, value: &Bound<'_, PyAny>) -> Option<()> {
        if value.is_none() {
            self.text.push_str("null");
        } else if let Ok(truth) = value.cast_exact::<PyBool>() {
            self.text.push_str(if truth.is_true() { "true" } else { "false" });
        } else if let Ok(integer) = value.cast_exact::<PyInt>() {
            write!(self.text, "{}", integer.extract::<i64>().ok()?).ok()?;
        } else if let Ok(float) = value.cast_exact::<PyFloat>() {
            // Python writes the shortest digits, too, but not in the same form.
            let digits = float.value().is_finite().then(|| float.repr())?.ok()?;
            self.text.push_str(digits.to_str().ok()?);
        } else {
            return None;
        }
        Some(())
    }

    /// Writes a string as Python's `json` does: all but printable ASCII as escapes.
    fn string(&mut self, string: &Bound<'_, PyString>) -> Option<()> {
        // One with a lone surrogate has no UTF-8.
        let string = string.to_cow().ok()?;
        self.text.push('"');
        let mut rest = &*string;
        while let Some(at) = rest.find(|c: char| !matches!(c, ' '..='~') || matches!(c, '"' | '\\')) {
            let (plain, from) = rest.split_at(at);
            self.text.push_str(plain);
            let mut characters = from.chars();
            self.escape(characters.next()?)?;
            rest = characters.as_str();
        }
        self.text.push_str(rest);
        self.text.push('"');
        Some(())
    }

    fn escape(&mut self, character: char) -> Option<()> {
        let short = match character {
            '"' => "\\\"",
            '\\' => "\\\\",
            '\n' => "\\n",
            '\r' => "\\r",
            '\t' => "\\t",
            '\x08' => "\\b",
            '\x0C' => "\\f",
            _ => {
                let mut units = [0; 2];
                let mut units = character.encode_utf16(&mut units).iter();
                return units.try_for_each(|unit| write!(self.text, "\\u{unit:04x}")).ok();
            }
        };
        self.text.push_str(short);
        Some(())
    }
}
