//! `_native.Constraint`, and budgets as they come from Python.

use std::sync::Arc;
use std::time::Duration;

use maskwright_core as core;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::raise;
use crate::grammar::Grammar;
use crate::matcher::Matcher;
use crate::vocabulary::Vocabulary;

/// The fields of `maskwright.Budget`, checked there.
#[derive(FromPyObject)]
pub(crate) struct BudgetFields {
    grammar_bytes: usize,
    nesting: usize,
    expressions: usize,
    states: usize,
    items: usize,
    emptiness: usize,
    cache_bytes: usize,
    compile_time: Duration,
    step_time: Duration,
}

impl From<BudgetFields> for core::Budget {
    fn from(fields: BudgetFields) -> Self {
        let BudgetFields { grammar_bytes, nesting, expressions, states, items, .. } = fields;
        let BudgetFields { emptiness, cache_bytes, compile_time, step_time, .. } = fields;
        Self {
            grammar_bytes,
            nesting,
            expressions,
            states,
            items,
            emptiness,
            cache_bytes,
            compile_time,
            step_time,
        }
    }
}

/// The fields of `maskwright.Settings`.
#[derive(Clone, Copy, FromPyObject)]
pub(crate) struct SettingsFields {
    simplify_grammar: bool,
    stack_automaton: bool,
    signatures: bool,
}

/// A grammar compiled for a vocabulary. See `maskwright.Constraint`.
#[pyclass(frozen, module = "maskwright._native")]
pub(crate) struct Constraint {
    inner: Arc<core::Constraint>,
}

#[pymethods]
impl Constraint {
    #[new]
    fn new(
        py: Python<'_>,
        grammar: &Grammar,
        vocabulary: &Vocabulary,
        budget: BudgetFields,
        settings: SettingsFields,
    ) -> PyResult<Self> {
        let budget = budget.into();
        let SettingsFields { simplify_grammar, stack_automaton, signatures } = settings;
        let settings = core::Settings { simplify_grammar, stack_automaton, signatures };
        let (grammar, vocabulary) = (&grammar.inner, &vocabulary.inner);
        let inner = py.detach(|| core::Constraint::compile_with(grammar, vocabulary, &budget, settings));
        Ok(Self { inner: Arc::new(inner.map_err(|error| raise(&error))?) })
    }

    fn matcher(&self) -> Matcher {
        Matcher::new(core::Matcher::new(&self.inner))
    }

    fn statistics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let statistics = self.inner.statistics();
        let fields = PyDict::new(py);
        fields.set_item("states", statistics.states)?;
        fields.set_item("expressions", statistics.expressions)?;
        fields.set_item("walks", statistics.walks)?;
        fields.set_item("cache_bytes", statistics.cache_bytes)?;
        Ok(fields)
    }
}
