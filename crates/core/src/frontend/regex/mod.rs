//! The front end of regular expressions.
//!
//! A pattern describes the whole output (or, with [`RegexOptions::search`], a part of it), over Unicode
//! code points, and becomes one expression over the bytes of their UTF-8 form. One engine serves all uses
//! of patterns in other front ends too.
//!
//! The syntax is that of Python's `re`, with what ECMA-262 and Rust add where they do not contradict it
//! (`\p{Greek}`, `\u{1F600}`, `(?<name>...)`, lookbehinds of any length). Case is ignored by Unicode's simple
//! folding.
//!
//! With [`RegexOptions::ecma`] it is that of ECMA-262 and nothing else: a pattern has the meaning that it has
//! with the flag `u`, and where it is not valid so, the one that it has without, by the standard's Annex B
//! (`{name}`, `[\w-.]`). `\-` and other escapes of what needs none are allowed with the flag, too. A text stays one of code points then, not of UTF-16 units, and case is ignored
//! as with the flag. Of what Annex B allows this is refused: escapes of letters and digits that are none or
//! mean something else elsewhere (`\A`, `\8`, `\c1`, `\x6`, `\400`), `a{,2}`, `[]a]`, and what is allowed
//! only without the flag beside what is read otherwise with it (`{` beside `\p{L}`, `[😀]` or `😀?`). Of what
//! is valid with the flag names of groups are refused that have escapes in them or come twice.
//!
//! In both, a class that looks like one of POSIX, as `[[:alpha:]]`, is refused where a `]` behind it shows that it
//! is meant as one.
//!
//! Assertions are exact: a lookahead intersects the rest of the text with a
//! language, a lookbehind the text before. What is no regular language, or depends on the order in which
//! a backtracking engine tries things, is refused by name and place: backreferences, recursion, conditional
//! and atomic groups, possessive quantifiers; so are the few constellations of assertions that cannot be
//! separated. Strings can be forbidden beside the pattern ([`RegexOptions::forbidden`]), whatever its flags.
//!
//! | file | from | to |
//! |---|---|---|
//! | `cursor` | | the place in the pattern, and errors that point at it |
//! | `parser`, with `group`, `escape`, `bracket` | text | syntax tree |
//! | `dialect` | | what of ECMA-262 goes with the flag `u`, and what without |
//! | `tree` | | the syntax tree, operands first |
//! | `class_cache`, with `property_names` | names and ranges | sets of code points, cached |
//! | `lower`, with `segment` | syntax tree | expressions, and branches where assertions occur |
//! | `assertion`, with `look` | anchors, lookaheads, lookbehinds | branches |
//! | `rounds`, with `character_rounds`, `neighbour_rounds` | repetitions of branches | branches, or an expression |
//! | `solve`, with `run`, `settled` | branches | expressions |

mod assertion;
mod bracket;
#[cfg(test)]
mod by_definition;
mod character_rounds;
mod class_cache;
mod cursor;
mod dialect;
mod escape;
mod group;
mod look;
mod lower;
mod neighbour_rounds;
mod parser;
pub(in crate::frontend) mod property_names;
mod rounds;
mod run;
mod segment;
mod settled;
mod solve;
#[cfg(test)]
mod tests;
mod tree;

pub use class_cache::ClassCache;

use crate::budget::{Budget, Deadline};
use crate::error::{Error, Result};
use crate::expression::ExpressionId;
use crate::frontend::forbidden::allowed_texts;
use crate::grammar::{Grammar, GrammarBuilder};
use crate::stack;

/// How a pattern is read. The default is Python's `re.fullmatch`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegexOptions {
    /// Letters match in all their cases, as with `(?i)`.
    pub case_insensitive: bool,
    /// `.` matches line ends too, as with `(?s)`.
    pub dot_matches_newline: bool,
    /// `^` and `$` match at every line, as with `(?m)`.
    pub multi_line: bool,
    /// White space and `#` comments in the pattern are skipped, as with `(?x)`.
    pub verbose: bool,
    /// `\d`, `\w`, `\s`, `\b` and ignoring case concern ASCII only, as with `(?a)`.
    pub ascii: bool,
    /// The pattern may match anywhere in the text, as with Python's `re.search`.
    pub search: bool,
    /// The pattern is one of ECMA-262, with the flag `u` or, where it is valid only so, without: `$` is the very
    /// end, `\d` and `\w` are ASCII, `.` leaves out all line terminators, `\s` has ECMA's white space, `[]` and
    /// `[^]` are no and any code point, and what only Python has, such as `\A`, `(?i)` and `(?P<name>...)`, is
    /// refused.
    pub ecma: bool,
    /// Strings that may be found nowhere in the text. An empty one is found in every text.
    pub forbidden: Vec<String>,
    /// What stands behind the text, which is not part of it: with this behind it, the text holds no earlier one, not
    /// even one that begins in the text and ends beyond. Empty for nothing.
    pub closing: String,
}

/// Compiles a pattern to a grammar of one rule.
///
/// ```
/// use maskwright_core::{Budget, frontend::regex};
///
/// let options = regex::RegexOptions::default();
/// let grammar = regex::compile(r"(?!0)\d{1,3}", &options, &Budget::default())?;
/// assert_eq!(grammar.rules().len(), 1);
///
/// let error = regex::compile(r"(\w)\1", &options, &Budget::default()).unwrap_err();
/// assert!(error.to_string().starts_with("line 1, column 5: a backreference is not supported"));
/// # Ok::<(), maskwright_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Syntax`] for a malformed pattern, [`Error::Unsupported`] for what cannot be matched exactly,
/// [`Error::BudgetExceeded`] for a pattern that is too long, too deeply nested or too large.
pub fn compile(pattern: &str, options: &RegexOptions, budget: &Budget) -> Result<Grammar> {
    stack::with_enough(|| {
        let mut builder = GrammarBuilder::new(budget);
        let body = compile_expression(pattern, options, budget, &mut ClassCache::default(), &mut builder)?;
        let rule = builder.declare_part("pattern");
        builder.define_rule(rule, body);
        builder.finish(rule)
    })
}

/// Compiles a pattern to an expression of a grammar being built. It holds no calls and no exact tokens.
///
/// Give the same cache to all patterns of one builder, and a new one to each builder.
///
/// # Errors
/// Those of [`compile`].
pub fn compile_expression(
    pattern: &str,
    options: &RegexOptions,
    budget: &Budget,
    classes: &mut ClassCache,
    builder: &mut GrammarBuilder,
) -> Result<ExpressionId> {
    // Places in the syntax tree are 32 bits wide.
    let limit = budget.grammar_bytes.min(u32::MAX as usize / 2);
    let forbidden = options.forbidden.iter().map(String::len).sum::<usize>() + options.closing.len();
    if pattern.len() > limit || forbidden > limit {
        let what = "by the length of a pattern, or of what may not be found in its text";
        return Err(Error::exceeded("grammar_bytes", limit, what));
    }
    let deadline = Deadline::for_compile(budget);
    let tree = parser::Parser::new(pattern, options, budget, &deadline, classes).parse()?;
    let lowering = lower::Lowering::new(pattern, &tree, builder, classes, budget, &deadline);
    let matched = lowering.run(options.search)?;
    let expression = match allowed_texts(&options.forbidden, &options.closing, builder)? {
        None => matched,
        Some(allowed) => builder.intersection(&[matched, allowed])?,
    };
    // One group may be several levels of the expression.
    let limit = budget.greatest_nesting();
    match builder.expressions().height(expression) <= limit {
        true => Ok(expression),
        false => Err(Error::exceeded("nesting", limit, "by the groups of a pattern")),
    }
}
