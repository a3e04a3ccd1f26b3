//! The front end of JSON Schema, drafts 4, 6, 7, 2019-09 and 2020-12.
//!
//! JSON documents are a tree language, closed under intersection, union and complement, and that is how
//! schemas are treated: nothing is approximated, and what cannot be enforced is refused by name and place.
//!
//! | stage | from | to |
//! |---|---|---|
//! | `loader` | text | `schema`: all schemas reached, references resolved, in the terms of 2020-12 |
//! | `constant`, `decimal`, `options` | JSON values, and what a caller chooses | what all stages have in common |
//! | `condition`, `solver` with `tables` | schemas | goals: interned conjunctions of conditions |
//! | `reduce`, `unevaluated` | a condition, a kind of value | conditions nearer to leaves |
//! | `cases` with `outlook`, `bounds` | a goal, a kind | its cases: conjunctions of leaves |
//! | `string` with `format` and `lengths`, `numeric` with `number` | a case | a regular language |
//! | `array` with `counted`, `item_classes`, `distinct` and `distinct_counts`, `object` with `key_classes`, `object_state`, `dependencies` with `dependent_fill`, `dependent_values` with `by_value`, `open_choices` with `ways_left` and `pairs`, `independent_fill`, `witnesses`, `candidates` | a case | a plan, and states that follow it |
//! | `completion` | a plan, a state | whether the whole can still be completed |
//! | `representative` | a goal | an equal one, that of the first schema that says the same |
//! | `satisfy`, `count` | goals | whether any value satisfies them, and how many |
//! | `contradiction` | a schema that none satisfies | where it contradicts itself |
//! | `evident`, `disjoint` with `overlaps` | keywords | the same without goals, where it plainly shows |
//! | `denied` with `by_value` | schemas of which none holds | one choice, by what tells them apart |
//! | `endless` | keywords | whether there plainly is no end of values, of which some may not come again |
//! | `look_through` | all schemas | refusals, before the first text |
//! | `writer` with `members`, `joined`, `items`, `layout` | goals and places | expressions, when the text reaches them |
//! | `outline`, `value_outline` | places in objects, goals | what many of them have in common, as far as tokens can tell |
//! | `names` | rules | what messages call them |
//! | `places` with `shared_list` and `spelling` | | what has come in a text, by number |
//! | `suggest` | places | what a text may well go on with |
//! | `source` | | the grammar that is written on demand |
//! | `content` | places | what they say, whatever their schema is called |
//!
//! # The profile of texts
//!
//! Every JSON text whose value is valid is accepted, with these limits: no white space before or after the
//! whole; the white space, order of properties and characters that the [`Options`] say; and the spellings of
//! numbers that `number` describes. Under `uniqueItems` exponents have up to eight digits, leading zeros not counted.

mod array;
mod bounds;
mod by_value;
mod candidates;
mod cases;
mod completion;
mod condition;
mod constant;
mod content;
mod contradiction;
mod count;
mod counted;
mod decimal;
mod denied;
mod dependencies;
mod dependent_fill;
mod dependent_values;
mod disjoint;
mod distinct;
mod distinct_counts;
mod endless;
mod evident;
mod format;
mod independent_fill;
mod item_classes;
mod items;
mod joined;
mod key_classes;
mod layout;
mod lengths;
mod loader;
mod look_through;
mod members;
mod names;
mod number;
mod numeric;
mod object;
mod object_state;
mod open_choices;
mod options;
mod outline;
mod outlook;
mod overlaps;
mod pairs;
mod places;
mod reduce;
mod representative;
mod satisfy;
mod schema;
mod shared_list;
mod solver;
mod source;
mod spelling;
mod string;
mod suggest;
mod tables;
mod unevaluated;
mod value_outline;
mod ways_left;
mod witnesses;
mod writer;

pub use options::{Options, PropertyOrder, Whitespace};

use std::sync::Arc;

use crate::budget::{Budget, Deadline};
use crate::error::{Error, Result};
use crate::expression::{ByteSet, Emptiness, ExpressionStore};
use crate::frontend::forbidden::allowed_texts;
use crate::grammar::{Grammar, GrammarBuilder};
use crate::stack;
use condition::{Kind, ScopeId};
use solver::Solver;
use tables::Tables;

/// The keywords that [`Options::approximate`] may name.
const APPROXIMABLE: [&str; 1] = ["uniqueItems"];

/// Compiles a schema, given as JSON text, and the documents that it may refer to, as pairs of URI and JSON
/// text. Nothing is ever fetched.
///
/// ```
/// use maskwright_core::{Budget, frontend::json_schema};
///
/// let schema = r#"{"type": "object", "properties": {"age": {"type": "integer", "minimum": 0}}}"#;
/// let grammar = json_schema::compile(schema, &[], &json_schema::Options::default(), &Budget::default())?;
///
/// let schema = r##"{"properties": {"a": {"$ref": "#/nowhere"}}}"##;
/// let error = json_schema::compile(schema, &[], &json_schema::Options::default(),
/// &Budget::default()).unwrap_err(); assert!(error.to_string().starts_with("#/properties/a/$ref"));
/// # Ok::<(), maskwright_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Syntax`] and [`Error::Schema`] for what is not a
/// schema, [`Error::Unsupported`] for what cannot be enforced,
/// [`Error::EmptyGrammar`] when no value satisfies it,
/// [`Error::BudgetExceeded`].
pub fn compile(
    text: &str,
    documents: &[(String, String)],
    options: &Options,
    budget: &Budget,
) -> Result<Grammar> {
    if let Some(unknown) = options.approximate.iter().find(|name| !APPROXIMABLE.contains(&name.as_str())) {
        return Err(Error::Grammar(format!(
            "`{unknown}` cannot be enforced approximately; the keywords that can are: {}",
            APPROXIMABLE.join(", ")
        )));
    }
    stack::with_enough(|| {
        let deadline = Deadline::for_compile(budget);
        let schemas = loader::load_at("#", text, documents, &options.default_draft, budget, &deadline)?;
        let label = content::label(text, documents, options, &schemas);
        let source = source::Source::new(schemas, options.clone(), label, budget, &deadline)?;
        Ok(Grammar::written_on_demand("json", Arc::new(source)))
    })
}

/// Compiles the content of the strings that a schema allows: their characters, without quotes and escapes. The schema
/// stands at `location`, by which refusals tell its places, and refers to nothing but itself.
///
/// ```
/// use maskwright_core::{Budget, frontend::json_schema};
///
/// let schema = r#"{"format": "date", "not": {"pattern": "^19"}}"#;
/// let options = json_schema::Options::default();
/// let grammar = json_schema::compile_content(schema, "#/properties/day", "</day>", &options, &Budget::default())?;
/// assert_eq!(grammar.rules().len(), 1);
///
/// let malformed = r#"{"pattern": "("}"#;
/// let error = json_schema::compile_content(malformed, "#/properties/day", "", &options, &Budget::default());
/// assert!(error.unwrap_err().to_string().starts_with("#/properties/day/pattern"));
/// # Ok::<(), maskwright_core::Error>(())
/// ```
///
/// # Errors
/// Those of [`compile`]; a schema that no string satisfies is a grammar of no text.
pub fn compile_content(
    text: &str,
    location: &str,
    closing: &str,
    options: &Options,
    budget: &Budget,
) -> Result<Grammar> {
    stack::with_enough(|| content_grammar(text, location, closing, options, budget))
}

fn content_grammar(
    text: &str,
    location: &str,
    closing: &str,
    options: &Options,
    budget: &Budget,
) -> Result<Grammar> {
    let deadline = Deadline::for_compile(budget);
    let schemas = loader::load_at(location, text, &[], &options.default_draft, budget, &deadline)?;
    let (mut tables, mut expressions) = (Tables::new(), ExpressionStore::new());
    let mut emptiness = Emptiness::new(ByteSet::ALL, budget);
    let mut solver = Solver {
        schemas: &schemas,
        options,
        budget,
        tables: &mut tables,
        expressions: &mut expressions,
        emptiness: &mut emptiness,
        deadline: &deadline,
    };
    let root = solver.goal_of(schemas.root, ScopeId::NONE);
    solver.look_through(root)?;
    let content = solver.language(root, Kind::String)?;
    let mut builder = GrammarBuilder::over(budget, expressions);
    let content = match allowed_texts(&[], closing, &mut builder)? {
        None => content,
        Some(allowed) => builder.intersection(&[content, allowed])?,
    };
    let rule = builder.declare_part("content");
    builder.define_rule(rule, content);
    builder.finish(rule)
}
