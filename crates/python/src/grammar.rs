//! `_native.Grammar`.

use maskwright_core as core;
use maskwright_core::frontend::regex::RegexOptions;
use maskwright_core::frontend::{choice, gbnf, regex};
use pyo3::prelude::*;

use crate::constraint::BudgetFields;
use crate::errors::raise;

/// Rules made of a text by a front end. See `maskwright.Grammar`.
#[pyclass(frozen, module = "maskwright._native")]
pub(crate) struct Grammar {
    pub(crate) inner: core::grammar::Grammar,
}

impl Grammar {
    fn read(
        py: Python<'_>,
        budget: BudgetFields,
        parse: impl FnOnce(&core::Budget) -> core::Result<core::grammar::Grammar> + Send,
    ) -> PyResult<Self> {
        let budget = budget.into();
        let inner = py.detach(|| parse(&budget)).map_err(|error| raise(&error))?;
        Ok(Self { inner })
    }
}

#[pymethods]
impl Grammar {
    #[staticmethod]
    #[pyo3(signature = (pattern, budget, *, case_insensitive, dot_matches_newline, multi_line, verbose, ascii, search, ecma))]
    #[allow(clippy::too_many_arguments, clippy::fn_params_excessive_bools)] // one for each keyword in Python
    fn regex(
        py: Python<'_>,
        pattern: &str,
        budget: BudgetFields,
        case_insensitive: bool,
        dot_matches_newline: bool,
        multi_line: bool,
        verbose: bool,
        ascii: bool,
        search: bool,
        ecma: bool,
    ) -> PyResult<Self> {
        let options =
            RegexOptions { case_insensitive, dot_matches_newline, multi_line, verbose, ascii, search, ecma };
        Self::read(py, budget, |budget| regex::compile(pattern, &options, budget))
    }

    #[staticmethod]
    fn gbnf(py: Python<'_>, text: &str, root: &str, budget: BudgetFields) -> PyResult<Self> {
        Self::read(py, budget, |budget| gbnf::compile(text, root, budget))
    }

    #[staticmethod]
    #[allow(clippy::needless_pass_by_value)] // PyO3 hands over what it converted
    fn choice(py: Python<'_>, choices: Vec<String>, budget: BudgetFields) -> PyResult<Self> {
        Self::read(py, budget, |budget| choice::compile(&choices, budget))
    }

    #[getter]
    fn rule_names(&self) -> Vec<String> {
        self.inner.rules().iter().map(|rule| rule.name.to_string()).collect()
    }
}
