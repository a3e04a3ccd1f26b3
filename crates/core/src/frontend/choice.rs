//! A choice among fixed strings: the simplest front end.

use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::grammar::{Grammar, GrammarBuilder};

/// The grammar whose texts are exactly these strings. Duplicates change nothing, and the empty string is
/// a choice like any other.
///
/// ```
/// use maskwright_core::{Budget, frontend::choice};
///
/// let grammar = choice::compile(&["yes".to_owned(), "no".to_owned()], &Budget::default())?;
/// assert_eq!(grammar.rules().len(), 1);
/// # Ok::<(), maskwright_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Grammar`] when there is no string at all; [`Error::BudgetExceeded`] when they are together
/// longer than `budget.grammar_bytes`.
pub fn compile(choices: &[String], budget: &Budget) -> Result<Grammar> {
    if choices.is_empty() {
        return Err(Error::Grammar("no choices were given; give at least one string".to_owned()));
    }
    let total = choices.iter().fold(0usize, |sum, choice| sum.saturating_add(choice.len()));
    if total > budget.grammar_bytes {
        return Err(Error::exceeded(
            "grammar_bytes",
            budget.grammar_bytes,
            "by the length of all choices together",
        ));
    }
    let mut builder = GrammarBuilder::new(budget);
    let start = builder.declare_part("choice");
    let body = builder.literals(choices.iter().map(|choice| choice.as_bytes().to_vec()).collect());
    builder.define_rule(start, body);
    builder.finish(start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Limit;
    use crate::expression::{Expression, ExpressionStore};

    fn strings(choices: &[&str]) -> Vec<String> {
        choices.iter().map(|&choice| choice.to_owned()).collect()
    }

    fn literals(grammar: &Grammar) -> Vec<&[u8]> {
        let store = grammar.expressions();
        match store.get(grammar.rules()[grammar.start().index()].body) {
            Expression::Literals(range) => store.literals_of(range).collect(),
            other => panic!("{other:?} is not a set of literals"),
        }
    }

    #[test]
    fn the_strings_are_kept_as_they_are_without_duplicates() {
        let choices = strings(&["no", "", "yes", "no", "\"[a-z]*", "é\n"]);
        let grammar = compile(&choices, &Budget::default()).unwrap();
        let expected: [&[u8]; 5] = [b"", b"\"[a-z]*", b"no", b"yes", "é\n".as_bytes()];
        assert_eq!(literals(&grammar), expected);
    }

    #[test]
    fn the_empty_string_alone_is_a_choice() {
        let grammar = compile(&strings(&[""]), &Budget::default()).unwrap();
        assert_eq!(grammar.rules()[0].body, GrammarBuilder::EMPTY);
    }

    #[test]
    fn an_empty_list_is_refused() {
        assert!(matches!(compile(&[], &Budget::default()), Err(Error::Grammar(_))));
    }

    #[test]
    fn the_total_length_is_limited() {
        let budget = Budget { grammar_bytes: 5, ..Budget::default() };
        assert!(compile(&strings(&["abc", "de"]), &budget).is_ok());
        let error = compile(&strings(&["abc", "def"]), &budget).unwrap_err();
        assert!(matches!(
            error,
            Error::BudgetExceeded { budget: "grammar_bytes", limit: Limit::Count(5), .. }
        ));
    }

    #[test]
    fn ten_thousand_choices_are_one_expression() {
        let choices: Vec<String> = (0..10_000).map(|number| format!("choice number {number}")).collect();
        let grammar = compile(&choices, &Budget::default()).unwrap();
        assert_eq!(literals(&grammar).len(), 10_000);
        assert_eq!(grammar.expressions().len(), ExpressionStore::new().len() + 1);
    }
}
