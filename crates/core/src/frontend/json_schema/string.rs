//! Strings: `minLength`, `maxLength`, `pattern`, `format`, and constants.
//!
//! What may stand in a string is a regular language over its code points, in UTF-8 (*content*); how the
//! code points are spelled in JSON is the business of
//! [`JsonString`](crate::expression::Expression::JsonString).

use std::collections::BTreeSet;

use super::condition::{Condition, ConstantsId, FormatId, Kind, Terms};
use super::constant::{Constant, Content};
use super::format::{FormatLengths, format_language};
use super::lengths::{most_characters, plain_lengths};
use super::schema::{PatternId, StringKeywords};
use super::solver::Solver;
use crate::error::{Error, Result};
use crate::expression::json_string::surrogate_bytes;
use crate::expression::{ByteSet, Expression, ExpressionId, ExpressionStore};
use crate::frontend::regex::{ClassCache, RegexOptions, compile_expression};
use crate::grammar::GrammarBuilder;
use crate::spelling::character_count;

/// How `pattern` reads: anywhere in the string, by ECMA-262.
pub(super) fn pattern_options() -> RegexOptions {
    RegexOptions { ecma: true, search: true, ..RegexOptions::default() }
}

impl Solver<'_> {
    /// Adds the conditions of the keywords about strings.
    pub(super) fn string_conditions(&mut self, keywords: &StringKeywords, out: &mut Vec<Condition>) {
        out.extend(keywords.minimum_length.filter(|&least| least > 0).map(Condition::MinimumLength));
        out.extend(keywords.maximum_length.map(Condition::MaximumLength));
        out.extend(keywords.pattern.map(|pattern| Condition::Pattern { pattern, holds: true }));
        if let Some(format) = keywords.format.as_deref().filter(|_| self.options.enforce_formats) {
            let format = self.tables.terms.format(format);
            out.push(Condition::Format { format, holds: true });
        }
    }

    /// The contents of the strings that meet all leaves; `NOTHING` when there are none.
    pub(super) fn content(&mut self, leaves: &[Condition]) -> Result<ExpressionId> {
        if let Some(&known) = self.tables.contents.get(leaves) {
            return Ok(known);
        }
        let (minimum, maximum) = length_bounds(leaves);
        if let Some(content) = self.strings_of_format(leaves, minimum, maximum)? {
            self.tables.contents.insert(leaves, content, 0);
            return Ok(content);
        }
        let mut operands = self.languages_of(leaves)?;
        let is_bounded = (minimum, maximum) != (0, u64::MAX);
        let content = match string_constants(&self.tables.terms, leaves) {
            Constants::Only(mut strings) => {
                let fits = |string: &Content| {
                    !is_bounded || (minimum..=maximum).contains(&(character_count(string) as u64))
                };
                strings.retain(|string| {
                    fits(string) && operands.iter().all(|&operand| self.expressions.matches(operand, string))
                });
                Self::contents(self.expressions, strings)
            }
            Constants::Not { few, many } => {
                if !few.is_empty() {
                    let literals = self.expressions.literals(few);
                    operands.push(self.expressions.complement(literals));
                }
                for constants in many {
                    operands.push(self.unlike_strings(constants));
                }
                self.content_of(&operands, minimum, maximum)?
            }
        };
        self.tables.contents.insert(leaves, content, 0);
        Ok(content)
    }

    /// The contents where nothing but one format that comes with the engine, and bounds of length, is asked for; `None` where
    /// more is. How long its strings are is known, so bounds that all of them meet are left out, and nothing is searched.
    fn strings_of_format(
        &mut self,
        leaves: &[Condition],
        minimum: u64,
        maximum: u64,
    ) -> Result<Option<ExpressionId>> {
        let mut others = leaves.iter().filter(|leaf| !is_length(leaf));
        let (Some(&Condition::Format { format, holds: true }), None) = (others.next(), others.next()) else {
            return Ok(None);
        };
        let name = self.tables.terms.format_name(format);
        let Some(lengths) = FormatLengths::of(name).filter(|_| self.is_plain_format(name)) else {
            return Ok(None);
        };
        let Some((minimum, maximum)) = lengths.telling_bounds(minimum, maximum) else {
            return Ok(Some(ExpressionStore::NOTHING));
        };
        let Some(strings) = self.format(format)? else { return Ok(None) };
        if (minimum, maximum) == (0, u64::MAX) {
            return Ok(Some(strings));
        }
        let within = self.within(minimum, maximum);
        let strings = self.expressions.intersection(&[strings, within]);
        self.emptiness.note_living_content(strings);
        Ok(Some(strings))
    }

    /// The contents of strings that are not among some constants.
    fn unlike_strings(&mut self, constants: ConstantsId) -> ExpressionId {
        if let Some(&known) = self.tables.unlike_strings.get(&constants) {
            return known;
        }
        let strings = strings_of(self.tables.terms.constants(constants)).cloned().collect();
        let strings = self.expressions.literals(strings);
        let others = self.expressions.complement(strings);
        self.tables.unlike_strings.insert(constants, others);
        others
    }

    fn language_or_not(&mut self, language: ExpressionId, holds: bool) -> ExpressionId {
        if holds { language } else { self.expressions.complement(language) }
    }

    /// The strings within the bounds of length that match all operands.
    fn content_of(&mut self, operands: &[ExpressionId], minimum: u64, maximum: u64) -> Result<ExpressionId> {
        if maximum < minimum {
            return Ok(ExpressionStore::NOTHING);
        }
        if let &[single] = operands
            && let Some(repetition) = self.with_length(single, minimum, maximum)
        {
            return Ok(repetition);
        }
        let (minimum, maximum) = self.telling_bounds(operands, minimum, maximum);
        // A positive pattern is text already; only complements and bounds need to be said to be within text.
        if (minimum, maximum) == (0, u64::MAX) && operands.iter().any(|&operand| self.is_positive(operand)) {
            let all = self.expressions.intersection(operands);
            return self.if_alive(all);
        }
        let within = self.within(minimum, maximum);
        let all: Vec<ExpressionId> = operands.iter().copied().chain([within]).collect();
        let all = self.expressions.intersection(&all);
        if let &[single] = operands
            && let Some(lengths) = plain_lengths(self.expressions, single)
            && *lengths.start() <= maximum
            && *lengths.end() >= minimum
        {
            self.emptiness.note_living_content(all);
            return Ok(all);
        }
        self.if_alive(all)
    }

    /// The bounds of length, or none where all strings of the languages meet both: one that is left alone takes more than both
    /// do, since two that are equal say which length there is.
    fn telling_bounds(&self, operands: &[ExpressionId], minimum: u64, maximum: u64) -> (u64, u64) {
        let positive = || operands.iter().filter(|&&operand| self.is_positive(operand));
        let is_long =
            |&operand: &ExpressionId| u64::from(self.expressions.fewest_characters(operand)) >= minimum;
        let is_short = |&operand: &ExpressionId| {
            most_characters(self.expressions, operand).is_some_and(|most| most <= maximum)
        };
        let are_long = minimum == 0 || positive().any(is_long);
        match are_long && (maximum == u64::MAX || positive().any(is_short)) {
            true => (0, u64::MAX),
            false => (minimum, maximum),
        }
    }

    /// Whether a language of strings is no complement, so that it is of characters in UTF-8 only.
    fn is_positive(&self, language: ExpressionId) -> bool {
        !self.expressions.is_complement(language)
    }

    /// All strings within bounds of length.
    fn within(&mut self, minimum: u64, maximum: u64) -> ExpressionId {
        let character = self.any_character();
        let least = u32::try_from(minimum).unwrap_or(u32::MAX - 1).min(u32::MAX - 1);
        let most = u32::try_from(maximum).ok().filter(|&most| most < u32::MAX - 1);
        self.expressions.repetition(character, least, most)
    }

    /// A repetition of one character each, with bounds of length put into its counter.
    fn with_length(&mut self, id: ExpressionId, minimum: u64, maximum: u64) -> Option<ExpressionId> {
        let Expression::Repetition { body, minimum: least, maximum: most } = self.expressions.get(id) else {
            return None;
        };
        if !self.expressions.is_one_character(body) {
            return None;
        }
        let least = u64::from(least).max(minimum);
        let most = if most == ExpressionStore::UNBOUNDED { maximum } else { maximum.min(u64::from(most)) };
        let most = u32::try_from(most).ok().filter(|&most| most < u32::MAX - 1);
        if most.is_some_and(|most| u64::from(most) < least) {
            return Some(ExpressionStore::NOTHING);
        }
        Some(self.expressions.repetition(body, u32::try_from(least).ok()?, most))
    }

    /// Any one code point, and with the option any surrogate without a partner.
    pub(super) fn any_character(&mut self) -> ExpressionId {
        let character = self.expressions.any_character();
        if !self.options.lone_surrogates {
            return character;
        }
        let surrogate = surrogate_bytes();
        let surrogate = surrogate.map(|set| self.expressions.bytes(set));
        let surrogate = self.expressions.concatenation(&surrogate);
        self.expressions.alternatives(&[character, surrogate])
    }

    /// Just some contents. Those with a surrogate are no fixed strings of the store: a string of these may stand for
    /// itself in a text, but a surrogate is always an escape.
    pub(super) fn contents<C: AsRef<[u8]>>(
        expressions: &mut ExpressionStore,
        contents: Vec<C>,
    ) -> ExpressionId {
        let is_text = |content: &[u8]| content.is_ascii() || std::str::from_utf8(content).is_ok();
        let (texts, others): (Vec<_>, Vec<_>) =
            contents.into_iter().partition(|content| is_text(content.as_ref()));
        let mut all = vec![expressions.literals(texts)];
        for content in others {
            let bytes: Vec<ExpressionId> =
                content.as_ref().iter().map(|&byte| expressions.bytes(ByteSet::single(byte))).collect();
            all.push(expressions.concatenation(&bytes));
        }
        expressions.alternatives(&all)
    }

    /// The languages that leaves name, which are all but those of constants and lengths.
    fn languages_of(&mut self, leaves: &[Condition]) -> Result<Vec<ExpressionId>> {
        let mut languages = Vec::new();
        for &leaf in leaves {
            match leaf {
                Condition::Pattern { pattern, holds } => {
                    let language = self.pattern(pattern)?;
                    languages.push(self.language_or_not(language, holds));
                }
                Condition::Format { format, holds } => {
                    if let Some(language) = self.format(format)? {
                        languages.push(self.language_or_not(language, holds));
                    } else if !holds {
                        languages.push(ExpressionStore::NOTHING);
                    }
                }
                Condition::Language { language, .. } => languages.push(language),
                _ => {}
            }
        }
        Ok(languages)
    }

    /// Any string at all.
    pub(super) fn any_content(&mut self) -> ExpressionId {
        let character = self.any_character();
        self.expressions.repetition(character, 0, None)
    }

    /// The content, or `NOTHING` where no string has it.
    pub(super) fn if_alive(&mut self, content: ExpressionId) -> Result<ExpressionId> {
        let alive = self.emptiness.is_alive_content(self.expressions, content, self.deadline)?;
        Ok(if alive { content } else { ExpressionStore::NOTHING })
    }

    /// The strings in which a pattern is found.
    #[inline(never)] // it holds all of the other front end
    pub(super) fn pattern(&mut self, pattern: PatternId) -> Result<ExpressionId> {
        if let Some(&known) = self.tables.patterns.get(&pattern) {
            return Ok(known);
        }
        let schemas = self.schemas;
        let source = &schemas.patterns[pattern.0 as usize];
        let options = pattern_options();
        let language = self
            .build(|budget, classes, builder| {
                compile_expression(&source.text, &options, budget, classes, builder)
            })
            .map_err(|error| at_pattern(error, &source.text, &source.location))?;
        self.tables.patterns.insert(pattern, language);
        Ok(language)
    }

    /// The strings of a format; `None` for one that is not known.
    pub(super) fn format(&mut self, format: FormatId) -> Result<Option<ExpressionId>> {
        if let Some(&known) = self.tables.formats.get(&format) {
            return Ok(known);
        }
        let name = self.tables.terms.format_name(format).to_owned();
        let own = self.options.formats.get(&name).cloned();
        let language = match own {
            Some(pattern) => {
                let options = pattern_options();
                let compiled = self.build(|budget, classes, builder| {
                    compile_expression(&pattern, &options, budget, classes, builder)
                });
                let location = format!("formats[{name:?}]");
                Some(compiled.map_err(|error| at_pattern(error, &pattern, &location))?)
            }
            None => {
                self.build(|budget, classes, builder| format_language(&name, budget, classes, builder))?
            }
        };
        self.tables.formats.insert(format, language);
        Ok(language)
    }

    /// Builds something with a grammar builder over the expressions.
    fn build<T>(
        &mut self,
        build: impl FnOnce(&crate::budget::Budget, &mut ClassCache, &mut GrammarBuilder) -> Result<T>,
    ) -> Result<T> {
        let mut builder = GrammarBuilder::over(self.budget, self.expressions.take());
        let built = build(self.budget, &mut self.tables.classes, &mut builder);
        *self.expressions = builder.into_expressions();
        built
    }
}

enum Constants<'a> {
    /// Just these.
    Only(Vec<&'a Content>),
    /// Anything but these: few, and those among [many](Terms::are_many) constants.
    Not { few: Vec<&'a Content>, many: Vec<ConstantsId> },
}

fn string_constants<'a>(terms: &'a Terms, leaves: &[Condition]) -> Constants<'a> {
    let mut only: Option<Vec<&Content>> = None;
    let mut not: Vec<ConstantsId> = Vec::new();
    for &leaf in leaves {
        let Condition::OneOf { constants, holds } = leaf else { continue };
        let strings = strings_of(terms.constants(constants));
        match (&mut only, holds) {
            (None, true) => only = Some(strings.collect()),
            (Some(known), true) => {
                let others: BTreeSet<&Content> = strings.collect();
                known.retain(|string| others.contains(string));
            }
            (_, false) => not.push(constants),
        }
    }
    match only {
        Some(mut strings) => {
            let not: BTreeSet<&Content> =
                not.into_iter().flat_map(|constants| strings_of(terms.constants(constants))).collect();
            strings.retain(|string| not.is_empty() || !not.contains(string));
            Constants::Only(strings)
        }
        None => {
            let (many, few): (Vec<_>, Vec<_>) =
                not.into_iter().partition(|&constants| terms.are_many(constants));
            let few = few.into_iter().flat_map(|constants| strings_of(terms.constants(constants)));
            Constants::Not { few: few.collect(), many }
        }
    }
}

/// The strings among constants in order.
fn strings_of(constants: &[Constant]) -> impl Iterator<Item = &Content> {
    Kind::String.among(constants).iter().filter_map(|constant| match constant {
        Constant::String(string) => Some(string),
        _ => None,
    })
}

fn is_length(leaf: &Condition) -> bool {
    matches!(leaf, Condition::MinimumLength(_) | Condition::MaximumLength(_))
}

fn length_bounds(leaves: &[Condition]) -> (u64, u64) {
    leaves.iter().fold((0, u64::MAX), |(least, most), leaf| match *leaf {
        Condition::MinimumLength(length) => (least.max(length), most),
        Condition::MaximumLength(length) => (least, most.min(length)),
        _ => (least, most),
    })
}

/// An error within a pattern, with the place of the pattern in the schema.
fn at_pattern(error: Error, pattern: &str, location: &str) -> Error {
    match error {
        Error::Unsupported { feature, location: place, reason } => Error::Unsupported {
            feature,
            location: location.to_owned(),
            reason: format!("{reason} ({place} of the pattern {pattern:?})"),
        },
        error @ Error::Syntax { .. } => Error::Schema {
            location: location.to_owned(),
            problem: format!("the pattern {pattern:?} is not well formed: {error}"),
            help: "patterns are regular expressions of ECMA-262".to_owned(),
        },
        other => other,
    }
}
