//! The parts of composed grammars, as Python hands them over. See `maskwright.composition`.

use std::sync::Arc;

use maskwright_core as core;
use maskwright_core::TokenId;
use maskwright_core::frontend::composition::{self, AnyOrder, FreeText, Mark, Part, Repeat, Tag};
use maskwright_core::vocabulary::TokenReference;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::constraint::GivenBudget;
use crate::grammar::Grammar;
use crate::text::GivenText;

/// A grammar, or a text that stands for itself.
pub(crate) enum PartInput {
    Text(String),
    Grammar(Arc<core::grammar::Grammar>),
}

impl<'a, 'py> FromPyObject<'a, 'py> for PartInput {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        match object.cast::<Grammar>() {
            Ok(grammar) => Ok(Self::Grammar(Arc::clone(&grammar.get().inner))),
            Err(_) => Ok(Self::Text(GivenText::extract(object)?.0)),
        }
    }
}

impl From<PartInput> for Part {
    fn from(input: PartInput) -> Self {
        match input {
            PartInput::Text(text) => Self::Text(text.into_bytes()),
            PartInput::Grammar(grammar) => Self::Grammar(grammar),
        }
    }
}

/// A token by its id or name.
pub(crate) enum TokenInput {
    Id(u32),
    Name(String),
}

impl<'a, 'py> FromPyObject<'a, 'py> for TokenInput {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if object.is_instance_of::<PyString>() {
            return Ok(Self::Name(GivenText::extract(object)?.0));
        }
        object.extract().map(Self::Id)
    }
}

impl From<TokenInput> for TokenReference {
    fn from(input: TokenInput) -> Self {
        match input {
            TokenInput::Id(id) => Self::Id(TokenId(id)),
            TokenInput::Name(name) => Self::Name(name.into()),
        }
    }
}

/// What is watched for: the token or text, and whether it is a token, a text, or either.
type MarkInput = (TokenInput, bool, bool);

fn mark((value, is_token, is_text): MarkInput) -> Mark {
    match (value, is_token, is_text) {
        (TokenInput::Name(text), false, _) => Mark::Text(text.into_bytes()),
        (TokenInput::Name(name), true, true) => Mark::TokenOrText(name.into()),
        (token, ..) => Mark::Token(token.into()),
    }
}

fn compose(py: Python<'_>, part: Part, budget: GivenBudget) -> PyResult<Grammar> {
    Grammar::read(py, budget, move |budget: &core::Budget| composition::compile(&part, budget))
}

fn as_parts(inputs: Vec<PartInput>) -> Vec<Part> {
    inputs.into_iter().map(Part::from).collect()
}

/// Makes grammars of grammars: a name for the functions, with no objects.
#[pyclass(frozen, module = "maskwright._native")]
pub(crate) struct Composition;

#[pymethods]
impl Composition {
    #[staticmethod]
    fn text(py: Python<'_>, text: GivenText, budget: GivenBudget) -> PyResult<Grammar> {
        compose(py, Part::Text(text.0.into_bytes()), budget)
    }

    #[staticmethod]
    fn token(py: Python<'_>, token: TokenInput, also_text: bool, budget: GivenBudget) -> PyResult<Grammar> {
        let part = match token {
            TokenInput::Name(name) if also_text => Part::TokenOrText(name.into()),
            token => Part::Token(token.into()),
        };
        compose(py, part, budget)
    }

    #[staticmethod]
    fn any_token(py: Python<'_>, except_: Vec<TokenInput>, budget: GivenBudget) -> PyResult<Grammar> {
        let except = except_.into_iter().map(TokenReference::from).collect();
        compose(py, Part::AnyToken(except), budget)
    }

    #[staticmethod]
    fn sequence(py: Python<'_>, parts: Vec<PartInput>, budget: GivenBudget) -> PyResult<Grammar> {
        compose(py, Part::Sequence(as_parts(parts)), budget)
    }

    #[staticmethod]
    fn any_of(py: Python<'_>, parts: Vec<PartInput>, budget: GivenBudget) -> PyResult<Grammar> {
        compose(py, Part::AnyOf(as_parts(parts)), budget)
    }

    #[staticmethod]
    fn repeat(
        py: Python<'_>,
        part: PartInput,
        separator: PartInput,
        minimum: u32,
        maximum: Option<u32>,
        budget: GivenBudget,
    ) -> PyResult<Grammar> {
        let repeat = Repeat { part: part.into(), separator: separator.into(), minimum, maximum };
        compose(py, Part::Repeat(Box::new(repeat)), budget)
    }

    #[staticmethod]
    #[pyo3(signature = (tags, budget, *, minimum, maximum, text_between, text_after, stops, forbidden))]
    #[allow(clippy::too_many_arguments)] // one for each keyword in Python
    fn free_text(
        py: Python<'_>,
        tags: Vec<(MarkInput, PartInput)>,
        budget: GivenBudget,
        minimum: u32,
        maximum: Option<u32>,
        text_between: bool,
        text_after: bool,
        stops: Vec<MarkInput>,
        forbidden: Vec<GivenText>,
    ) -> PyResult<Grammar> {
        let tags = tags.into_iter();
        let free_text = FreeText {
            tags: tags.map(|(begin, content)| Tag { begin: mark(begin), content: content.into() }).collect(),
            minimum,
            maximum,
            text_between,
            text_after,
            stops: stops.into_iter().map(mark).collect(),
            forbidden: forbidden.into_iter().map(|text| text.0.into_bytes()).collect(),
        };
        compose(py, Part::FreeText(Box::new(free_text)), budget)
    }

    #[staticmethod]
    fn any_order(
        py: Python<'_>,
        members: Vec<(PartInput, bool)>,
        separator: PartInput,
        budget: GivenBudget,
    ) -> PyResult<Grammar> {
        let members = members.into_iter().map(|(part, is_required)| (part.into(), is_required)).collect();
        let any_order = AnyOrder { members, separator: separator.into() };
        compose(py, Part::AnyOrder(Box::new(any_order)), budget)
    }
}
