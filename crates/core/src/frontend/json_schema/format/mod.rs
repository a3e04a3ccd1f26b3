//! The standard formats of strings, each as a regular language.
//!
//! A format name becomes one expression over the *content* of a JSON string, that is over the UTF-8 form of
//! its characters after unescaping. The expressions hold no calls, so they can be intersected with other
//! keywords' languages and complemented. A name that is not known is an annotation.
//!
//! Small deterministic expressions are preferred, since they are explored lazily, byte by byte; intersections
//! appear only where a total length or a pairing of distant parts would otherwise multiply the expression.
//!
//! | file | formats |
//! |---|---|
//! | `date_time` | `date`, `time`, `date-time`, `duration` |
//! | `network` | `email`, `idn-email`, `hostname`, `ipv4`, `ipv6` |
//! | `international`, with `code_points` and `byte_tree` | `idn-hostname` |
//! | `identifier` | `uri`, `uri-reference`, `iri`, `iri-reference`, `uri-template`, `uuid` |
//! | `pointer` | `json-pointer`, `relative-json-pointer` |
//! | `pattern` | `regex` |
//! | `lengths` | how long the strings of all of them are |
//!
//! A format is the same for everyone, so it is written once in a process, when it is first asked for, and taken into each
//! store from there ([`Template`]).
//!
//! Where a format has rules that no regular expression of sensible size can state, the file says which ones
//! are left out and on which side it errs.

mod byte_tree;
mod code_points;
mod date_time;
mod identifier;
mod international;
mod lengths;
mod network;
mod pattern;
mod pointer;
#[cfg(test)]
mod template_tests;
#[cfg(test)]
mod tests;

use std::sync::OnceLock;

use crate::budget::Budget;
use crate::error::Result;
use crate::expression::{ByteSet, ExpressionId, Template};
use crate::frontend::regex::{self, ClassCache, RegexOptions};
use crate::grammar::GrammarBuilder;
use crate::vocabulary::known_or_made;

pub(super) use lengths::FormatLengths;

/// What writes the language of a format.
type Write = fn(&mut Languages<'_>) -> Result<ExpressionId>;

/// The formats known, in alphabetical order.
const FORMATS: [(&str, Write); 19] = [
    ("date", |languages| languages.date()),
    ("date-time", |languages| languages.date_time()),
    ("duration", |languages| languages.duration()),
    ("email", |languages| languages.email()),
    ("hostname", |languages| languages.hostname()),
    ("idn-email", |languages| languages.idn_email()),
    ("idn-hostname", |languages| languages.idn_hostname()),
    ("ipv4", |languages| languages.ipv4()),
    ("ipv6", |languages| languages.ipv6()),
    ("iri", |languages| languages.iri()),
    ("iri-reference", |languages| languages.iri_reference()),
    ("json-pointer", |languages| languages.json_pointer()),
    ("regex", |languages| languages.regex()),
    ("relative-json-pointer", |languages| languages.relative_json_pointer()),
    ("time", |languages| languages.time()),
    ("uri", |languages| languages.uri()),
    ("uri-reference", |languages| languages.uri_reference()),
    ("uri-template", |languages| languages.uri_template()),
    ("uuid", |languages| languages.uuid()),
];

/// The formats that have been written, each in its place; `None` for one that cannot be taken out of its store. They follow
/// from the program alone, whoever asks first.
static TEMPLATES: [OnceLock<Option<Template>>; FORMATS.len()] = [const { OnceLock::new() }; FORMATS.len()];

/// No pattern of a format is longer, in bytes.
const LONGEST_PATTERN: usize = 1 << 14;

/// No format, and no pattern of one, nests deeper.
const DEEPEST: usize = 100;

/// The expression of the strings of a format, or `None` when the name is unknown (then it is an annotation).
///
/// # Errors [`Error::BudgetExceeded`](crate::Error::BudgetExceeded) when the budget does not even allow for
/// the format's own pattern.
pub(super) fn format_language(
    name: &str,
    budget: &Budget,
    classes: &mut ClassCache,
    builder: &mut GrammarBuilder,
) -> Result<Option<ExpressionId>> {
    let Ok(at) = FORMATS.binary_search_by_key(&name, |&(known, _)| known) else { return Ok(None) };
    let (name, write) = FORMATS[at];
    if let Some(template) = template(at)
        && allows(budget, builder, template)
    {
        return Ok(Some(builder.take_in(template)));
    }
    Languages { budget, classes, builder }.named(name, write).map(Some)
}

/// What a format is written as, from its place among [`FORMATS`].
fn template(at: usize) -> Option<&'static Template> {
    let write_down = || {
        let (name, write) = FORMATS[at];
        let budget = Budget::default();
        let (mut classes, mut builder) = (ClassCache::default(), GrammarBuilder::new(&budget));
        let mut languages = Languages { budget: &budget, classes: &mut classes, builder: &mut builder };
        let language = languages.named(name, write).ok()?;
        Template::of(&builder.into_expressions(), language)
    };
    known_or_made(&TEMPLATES[at], write_down).as_ref()
}

/// Whether a budget is for certain enough to write a format: one that is not has its say when it is written.
fn allows(budget: &Budget, builder: &GrammarBuilder, template: &Template) -> bool {
    budget.grammar_bytes >= LONGEST_PATTERN
        && budget.greatest_nesting() >= DEEPEST
        && builder.expressions().size() + template.size() <= budget.expressions
}

/// Writes the languages of formats into a grammar.
struct Languages<'a> {
    budget: &'a Budget,
    classes: &'a mut ClassCache,
    builder: &'a mut GrammarBuilder,
}

impl Languages<'_> {
    /// A language under a name, by which what depends on it is told from other things: many have hundreds of nodes. One
    /// name is always the same language, and another one in another version of the forms of contents.
    fn named(
        &mut self,
        name: &'static str,
        write: impl FnOnce(&mut Self) -> Result<ExpressionId>,
    ) -> Result<ExpressionId> {
        let language = write(self)?;
        self.builder.name(language, name);
        Ok(language)
    }

    /// The texts that a regular expression matches as a whole.
    fn pattern(&mut self, pattern: &str) -> Result<ExpressionId> {
        regex::compile_expression(pattern, &RegexOptions::default(), self.budget, self.classes, self.builder)
    }

    /// One text after another.
    fn sequence(&mut self, parts: &[ExpressionId]) -> ExpressionId {
        self.builder.concatenation(parts)
    }

    /// The texts of any of the languages.
    fn either(&mut self, choices: &[ExpressionId]) -> ExpressionId {
        self.builder.alternatives(choices)
    }

    /// The texts of the language and the empty text.
    fn optional(&mut self, language: ExpressionId) -> ExpressionId {
        self.builder.repetition(language, 0, Some(1))
    }

    /// The texts of the language that are at most so many characters long.
    fn at_most_characters(&mut self, language: ExpressionId, maximum: u32) -> Result<ExpressionId> {
        let character = self.builder.any_character();
        self.at_most(language, character, maximum)
    }

    /// The texts of the language that are at most so many bytes long.
    fn at_most_bytes(&mut self, language: ExpressionId, maximum: u32) -> Result<ExpressionId> {
        let byte = self.builder.bytes(ByteSet::ALL);
        self.at_most(language, byte, maximum)
    }

    /// The texts of the language that have at most so many units.
    fn at_most(&mut self, language: ExpressionId, unit: ExpressionId, maximum: u32) -> Result<ExpressionId> {
        let short = self.builder.repetition(unit, 0, Some(maximum));
        self.builder.intersection(&[language, short])
    }
}
