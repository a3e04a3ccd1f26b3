//! `_native.Constraint`, and budgets as they come from Python.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use maskwright_core as core;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::errors::raise;
use crate::grammar::Grammar;
use crate::interruptible::interruptible;
use crate::matcher::Matcher;
use crate::number::GivenInteger;
use crate::released::released;
use crate::remembered::Remembered;
use crate::vocabulary::Vocabulary;
use crate::warming::{self, Warming};

/// A `maskwright.Budget`.
pub(crate) struct GivenBudget(pub(crate) core::Budget);

impl<'a, 'py> FromPyObject<'a, 'py> for GivenBudget {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        static LAST: Remembered<core::Budget> = Remembered::new();
        LAST.get(object, |object| Ok(object.extract::<BudgetFields>()?.into())).map(Self)
    }
}

/// The fields of `maskwright.Budget`, checked there.
#[derive(FromPyObject)]
struct BudgetFields {
    grammar_bytes: usize,
    nesting: usize,
    expressions: usize,
    states: usize,
    items: usize,
    emptiness: usize,
    cache_bytes: usize,
    pool_bytes: usize,
    compile_time: Duration,
    step_time: Duration,
}

impl From<BudgetFields> for core::Budget {
    fn from(fields: BudgetFields) -> Self {
        let BudgetFields { grammar_bytes, nesting, expressions, states, items, .. } = fields;
        let BudgetFields { emptiness, cache_bytes, pool_bytes, compile_time, step_time, .. } = fields;
        Self {
            grammar_bytes,
            nesting,
            expressions,
            states,
            items,
            emptiness,
            cache_bytes,
            pool_bytes,
            compile_time,
            step_time,
            interruption: None,
        }
    }
}

/// Finds what reading times takes, which cannot be found any more when the interpreter shuts down.
pub(crate) fn reach_times(py: Python<'_>) -> PyResult<()> {
    Duration::ZERO.into_pyobject(py)?.extract::<Duration>().map(drop)
}

/// A `maskwright.Settings`.
pub(crate) struct GivenSettings(core::Settings);

impl<'a, 'py> FromPyObject<'a, 'py> for GivenSettings {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        static LAST: Remembered<core::Settings> = Remembered::new();
        LAST.get(object, |object| Ok(object.extract::<SettingsFields>()?.into())).map(Self)
    }
}

/// The fields of `maskwright.Settings`.
#[derive(Clone, Copy, FromPyObject)]
struct SettingsFields {
    simplify_grammar: bool,
    lazy_states: bool,
    stack_automaton: bool,
    signatures: bool,
    pool: bool,
}

impl From<SettingsFields> for core::Settings {
    fn from(fields: SettingsFields) -> Self {
        let SettingsFields { simplify_grammar, lazy_states, stack_automaton, signatures, pool } = fields;
        Self { simplify_grammar, lazy_states, stack_automaton, signatures, pool }
    }
}

/// Masks of all pools of the process have numbers of their own, so that a buffer may change hands.
static NUMBERS: LazyLock<Arc<core::Numbers>> = LazyLock::new(Arc::default);

/// What all constraints of one compiler share.
#[pyclass(frozen, module = "maskwright._native")]
pub(crate) struct Pool {
    inner: Arc<core::Pool>,
}

#[pymethods]
impl Pool {
    #[new]
    fn new(py: Python<'_>, vocabulary: &Vocabulary, limit: usize) -> Self {
        let groundwork = released(py, || vocabulary.groundwork());
        Self { inner: Arc::new(core::Pool::upon(Some(groundwork), &vocabulary.inner, limit, &NUMBERS)) }
    }

    fn clear(&self, py: Python<'_>) {
        released(py, || self.inner.clear());
    }

    /// What the pool holds, to be kept in a file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let saved = released(py, || self.inner.to_bytes());
        PyBytes::new(py, &saved)
    }

    /// Adds what another pool held; gives the number of transitions that are new.
    fn load(&self, py: Python<'_>, saved: &[u8]) -> PyResult<usize> {
        released(py, || self.inner.load(saved)).map_err(|error| raise(&error))
    }

    fn statistics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        // Waits while the pool is saved or loaded.
        let statistics = released(py, || self.inner.statistics());
        let fields = PyDict::new(py);
        fields.set_item("partial_hits", statistics.partial_hits)?;
        fields.set_item("perfect_hits", statistics.perfect_hits)?;
        fields.set_item("misses", statistics.misses)?;
        fields.set_item("transitions", statistics.transitions)?;
        fields.set_item("bytes", statistics.bytes)?;
        Ok(fields)
    }
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
        pool: &Pool,
        budget: GivenBudget,
        settings: GivenSettings,
    ) -> PyResult<Self> {
        let (GivenBudget(budget), GivenSettings(settings)) = (budget, settings);
        let (grammar, pool) = (Arc::clone(&grammar.inner), Arc::clone(&pool.inner));
        let inner = interruptible(py, &budget, move |budget| {
            core::Constraint::compile_with(&grammar, &pool, budget, settings)
        })?;
        Ok(Self { inner: Arc::new(inner) })
    }

    fn matcher(&self) -> Matcher {
        Matcher::new(core::Matcher::new(&self.inner))
    }

    /// Begins to rehearse examples and likely texts, in the background.
    #[allow(clippy::needless_pass_by_value)] // PyO3 hands over what it converted
    fn warm_likely(&self, py: Python<'_>, count: GivenInteger, examples: Vec<Vec<u8>>) -> PyResult<Warming> {
        let count = count.count("warm", "masks to rehearse")?;
        Ok(warming::warm_likely(py, &self.inner, count, examples))
    }

    /// Computes everything ahead, that of examples first, and calls `progress` on the way.
    #[allow(clippy::needless_pass_by_value)] // PyO3 hands over what it converted
    fn warm_all(
        &self,
        py: Python<'_>,
        examples: Vec<Vec<u8>>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Warming> {
        let progress = progress.map(|progress| progress.clone().unbind());
        warming::warm_all(py, &self.inner, &examples, progress.as_ref())
    }

    fn statistics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        // Waits for a walk that is under way.
        let statistics = released(py, || self.inner.statistics());
        let fields = PyDict::new(py);
        fields.set_item("states", statistics.states)?;
        fields.set_item("expressions", statistics.expressions)?;
        fields.set_item("walks", statistics.walks)?;
        fields.set_item("visited_nodes", statistics.visited_nodes)?;
        fields.set_item("masks", statistics.masks)?;
        fields.set_item("cache_bytes", statistics.cache_bytes)?;
        fields.set_item("deepest_read", statistics.deepest_read)?;
        fields.set_item("restarts", statistics.restarts)?;
        Ok(fields)
    }
}
