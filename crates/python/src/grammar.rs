//! `_native.Grammar`.

use std::collections::BTreeMap;
use std::sync::Arc;

use maskwright_core as core;
use maskwright_core::frontend::json_schema::{self, PropertyOrder, Whitespace};
use maskwright_core::frontend::regex::RegexOptions;
use maskwright_core::frontend::{choice, gbnf, regex};
use pyo3::prelude::*;

use crate::constraint::GivenBudget;
use crate::interruptible::interruptible;
use crate::text::GivenText;

/// The fields of `maskwright.Whitespace`: bounded runs where `maximum` is given, else fixed separators.
#[derive(FromPyObject)]
struct WhitespaceFields {
    maximum: Option<u32>,
    item_separator: String,
    key_separator: String,
    indent: Option<u32>,
}

impl From<WhitespaceFields> for Whitespace {
    fn from(fields: WhitespaceFields) -> Self {
        let WhitespaceFields { maximum, item_separator, key_separator, indent } = fields;
        match maximum {
            Some(maximum) => Self::Free { maximum },
            None => Self::Fixed { item_separator, key_separator, indent },
        }
    }
}

fn texts(given: Vec<GivenText>) -> Vec<String> {
    given.into_iter().map(|text| text.0).collect()
}

/// The options of `maskwright.Grammar.json_schema`, read once for all grammars that have the same.
#[pyclass(frozen, module = "maskwright._native")]
pub(crate) struct JsonSchemaOptions {
    inner: Arc<json_schema::Options>,
}

#[pymethods]
impl JsonSchemaOptions {
    #[new]
    #[pyo3(signature = (*, any_order, whitespace, ascii_only, minimal_escapes, plain_numbers, lone_surrogates, track_keys, enforce_formats, formats, approximate, default_draft))]
    #[allow(clippy::too_many_arguments, clippy::fn_params_excessive_bools)] // one for each keyword in Python
    fn new(
        any_order: bool,
        whitespace: WhitespaceFields,
        ascii_only: bool,
        minimal_escapes: bool,
        plain_numbers: bool,
        lone_surrogates: bool,
        track_keys: bool,
        enforce_formats: bool,
        formats: BTreeMap<GivenText, GivenText>,
        approximate: Vec<GivenText>,
        default_draft: GivenText,
    ) -> Self {
        let inner = json_schema::Options {
            order: if any_order { PropertyOrder::Any } else { PropertyOrder::Declared },
            whitespace: whitespace.into(),
            ascii_only,
            minimal_escapes,
            plain_numbers,
            lone_surrogates,
            track_keys,
            enforce_formats,
            formats: formats.into_iter().map(|(name, pattern)| (name.0, pattern.0)).collect(),
            approximate: texts(approximate),
            default_draft: default_draft.0,
        };
        Self { inner: Arc::new(inner) }
    }
}

/// Rules made of a text by a front end. See `maskwright.Grammar`.
#[pyclass(frozen, module = "maskwright._native")]
pub(crate) struct Grammar {
    pub(crate) inner: Arc<core::grammar::Grammar>,
}

impl Grammar {
    pub(crate) fn read(
        py: Python<'_>,
        GivenBudget(budget): GivenBudget,
        parse: impl Fn(&core::Budget) -> core::Result<core::grammar::Grammar> + Send + Sync + 'static,
    ) -> PyResult<Self> {
        Ok(Self { inner: Arc::new(interruptible(py, &budget, parse)?) })
    }
}

#[pymethods]
impl Grammar {
    #[staticmethod]
    #[pyo3(signature = (pattern, budget, *, case_insensitive, dot_matches_newline, multi_line, verbose, ascii, search, ecma, forbidden, closing))]
    #[allow(clippy::too_many_arguments, clippy::fn_params_excessive_bools)] // one for each keyword in Python
    #[allow(clippy::needless_pass_by_value)] // PyO3 hands over what it converted
    fn regex(
        py: Python<'_>,
        pattern: GivenText,
        budget: GivenBudget,
        case_insensitive: bool,
        dot_matches_newline: bool,
        multi_line: bool,
        verbose: bool,
        ascii: bool,
        search: bool,
        ecma: bool,
        forbidden: Vec<GivenText>,
        closing: GivenText,
    ) -> PyResult<Self> {
        let options = RegexOptions {
            case_insensitive,
            dot_matches_newline,
            multi_line,
            verbose,
            ascii,
            search,
            ecma,
            forbidden: texts(forbidden),
            closing: closing.0,
        };
        Self::read(py, budget, move |budget| regex::compile(&pattern.0, &options, budget))
    }

    #[staticmethod]
    #[allow(clippy::needless_pass_by_value)] // PyO3 hands over what it converted
    fn gbnf(py: Python<'_>, text: GivenText, root: GivenText, budget: GivenBudget) -> PyResult<Self> {
        Self::read(py, budget, move |budget| gbnf::compile(&text.0, &root.0, budget))
    }

    #[staticmethod]
    fn choice(py: Python<'_>, choices: Vec<GivenText>, budget: GivenBudget) -> PyResult<Self> {
        let choices = texts(choices);
        Self::read(py, budget, move |budget| choice::compile(&choices, budget))
    }

    #[staticmethod]
    #[allow(clippy::needless_pass_by_value)] // PyO3 hands over what it converted
    fn json_schema(
        py: Python<'_>,
        text: GivenText,
        documents: Vec<(GivenText, GivenText)>,
        budget: GivenBudget,
        options: &Bound<'_, JsonSchemaOptions>,
    ) -> PyResult<Self> {
        let options = Arc::clone(&options.get().inner);
        let documents: Vec<(String, String)> =
            documents.into_iter().map(|(uri, document)| (uri.0, document.0)).collect();
        Self::read(py, budget, move |budget| json_schema::compile(&text.0, &documents, &options, budget))
    }

    #[staticmethod]
    #[allow(clippy::needless_pass_by_value)] // PyO3 hands over what it converted
    fn string_content(
        py: Python<'_>,
        schema: GivenText,
        location: GivenText,
        closing: GivenText,
        budget: GivenBudget,
    ) -> PyResult<Self> {
        let options = json_schema::Options::default();
        Self::read(py, budget, move |budget| {
            json_schema::compile_content(&schema.0, &location.0, &closing.0, &options, budget)
        })
    }

    #[getter]
    fn rule_names(&self) -> Vec<String> {
        self.inner.rules().iter().map(|rule| rule.name.to_string()).collect()
    }

    #[getter]
    fn depth(&self) -> usize {
        self.inner.depth()
    }
}
