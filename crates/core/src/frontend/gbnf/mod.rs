//! GBNF, the grammar notation of llama.cpp, and the habits of those who write EBNF.
//!
//! ```text
//! root   ::= object                       # a comment, to the end of the line
//! object ::= "{" pair ("," pair)* "}"     // this and /* this */ and (* this *) are comments too
//! pair   ::= "\"" [a-z_]{1,20} "\":" ( [0-9]+ | . | "" )
//! think  ::= <think> !</think>* <[1001]>  # exact tokens: by name, any other, by id
//! ```
//!
//! A rule is a name of letters, digits, `-` and `_`, then `::=`, then alternatives separated by `|`, each
//! a sequence of items. The language is that of llama.cpp:
//!
//! * A postfix operator (`*`, `+`, `?`, `{m}`, `{m,}`, `{,n}`, `{m,n}`) applies to the one item before it; a
//!   literal is one item, so `"ab"*` is `("ab")*`. Operators can be stacked: `"a"{2}{3}` is six of them.
//! * Escapes name code points, never bytes: `"\xE9"` is `é`, in UTF-8. `\x` takes exactly two digits, `\u`
//!   four and `\U` eight; `\u{1F600}` takes as many as it needs.
//! * In a class, `-` is itself at the begin and before `]`; `.` matches any code point, newlines included.
//! * `<name>` is the token called so, angle brackets included; its text typed as ordinary characters is
//!   something else. `!<name>` is any one token but that one and the stop tokens.
//!
//! Beyond llama.cpp it takes what cannot be mistaken: newlines and a leading `|` anywhere (a rule ends
//! where `name ::=` follows, or at `;`), `:=`, `=` and `:` for `::=`, literals in single quotes, the escapes
//! of C and of punctuation, `\d \w \s \D \W \S` (ASCII) in classes, and `{m,-1}`.
//! What it does not know it refuses with its place, never skips.
//!
//! | file | what it does |
//! |---|---|
//! | `characters` | escapes, literals and character classes |
//! | `symbols` | splits the text into symbols |
//! | `parser` | puts symbols together to rules, on a stack of its own |
//! | `faults` | the errors, each with its place and a way to mend it |

mod characters;
mod faults;
mod parser;
mod symbols;
#[cfg(test)]
mod tests;

use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::grammar::Grammar;
use crate::stack;

/// The grammar that a GBNF text describes. `root` names the start rule, in llama.cpp always `root`.
///
/// Takes time and memory in proportion to the text, and never uses the native stack for its nesting.
///
/// ```
/// use maskwright_core::{Budget, Error, frontend::gbnf};
///
/// let budget = Budget::default();
/// let grammar = gbnf::compile(r#"root ::= "(" root ")" | [a-z]+"#, "root", &budget)?;
/// assert_eq!(grammar.rules().len(), 1);
///
/// let error = gbnf::compile("root ::= number\nnumbers ::= [0-9]+", "root", &budget).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "line 1, column 10: the rule `number`, used in the rule `root`, is not defined; did you mean `numbers`?"
/// );
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// [`Error::Syntax`] where the text is not well formed, or defines a rule twice; [`Error::UndefinedRule`] where it
/// defines none of a name that it uses, or of the name of `root`; [`Error::Unsupported`] for lookahead, attributes and functions of xgrammar's dialect;
/// [`Error::BudgetExceeded`] for a text longer than `budget.grammar_bytes`, groups deeper than
/// `budget.nesting`, or more items than `budget.expressions`.
pub fn compile(text: &str, root: &str, budget: &Budget) -> Result<Grammar> {
    if text.len() > budget.grammar_bytes {
        return Err(Error::exceeded("grammar_bytes", budget.grammar_bytes, "by the length of the grammar"));
    }
    stack::with_enough(|| parser::Parser::new(text, budget).parse(root))
}
