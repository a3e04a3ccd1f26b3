//! Numbers: `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `multipleOf`, `integer`, and
//! constants.

use super::condition::{Condition, ConstantsId, Kind, Terms};
use super::constant::Constant;
use super::decimal::Decimal;
use super::number::{self, Notation, NumberCondition, number_language, whole_number_language};
use super::schema::NumberKeywords;
use super::solver::{NOT_YET_PLACED, Solver};
use crate::error::Result;
use crate::expression::{ExpressionId, ExpressionStore};

impl Solver<'_> {
    /// Adds the conditions of the keywords about numbers.
    pub(super) fn number_conditions(&mut self, keywords: &NumberKeywords, out: &mut Vec<Condition>) {
        let terms = &mut self.tables.terms;
        let NumberKeywords { minimum, maximum, exclusive_minimum, exclusive_maximum, multiple_of } = keywords;
        for (bound, exclusive) in [(minimum, false), (exclusive_minimum, true)] {
            out.extend(
                bound.iter().map(|bound| Condition::Minimum { bound: terms.number(bound), exclusive }),
            );
        }
        for (bound, exclusive) in [(maximum, false), (exclusive_maximum, true)] {
            out.extend(
                bound.iter().map(|bound| Condition::Maximum { bound: terms.number(bound), exclusive }),
            );
        }
        let multiple = multiple_of.iter();
        out.extend(
            multiple.map(|number| Condition::MultipleOf { number: terms.number(number), holds: true }),
        );
    }

    /// Whether numbers that meet all leaves lie between bounds where their common multiples are hard to tell.
    pub(super) fn is_between_far_bounds(&self, leaves: &[Condition]) -> bool {
        let terms = &self.tables.terms;
        number::is_between_far_bounds(leaves.iter().filter_map(|&leaf| bound_of(terms, leaf)))
    }

    /// The texts of the numbers that meet all leaves; `NOTHING` when there are none.
    pub(super) fn number_text(&mut self, leaves: &[Condition]) -> Result<ExpressionId> {
        if let Some(&known) = self.tables.numbers.get(leaves) {
            return Ok(known);
        }
        let terms = &self.tables.terms;
        let mut conditions = Vec::new();
        let (mut languages, mut many) = (Vec::new(), Vec::new());
        let (mut is_whole, is_plain) = (false, self.options.plain_numbers);
        for &leaf in leaves {
            if let Some(bound) = bound_of(terms, leaf) {
                conditions.push((bound, true));
                continue;
            }
            conditions.push(match leaf {
                Condition::Integer { holds } => {
                    is_whole |= holds && is_plain;
                    (NumberCondition::Integer, holds)
                }
                Condition::MultipleOf { number, holds } => {
                    (NumberCondition::MultipleOf(terms.decimal(number).clone()), holds)
                }
                Condition::OneOf { constants, holds: false } if terms.are_many(constants) => {
                    many.push(constants);
                    continue;
                }
                Condition::OneOf { constants, holds } => {
                    (NumberCondition::OneOf(numbers_of(terms.constants(constants))), holds)
                }
                Condition::Whole { holds: true } => {
                    is_whole = true;
                    continue;
                }
                Condition::Whole { holds: false } => {
                    let whole = number::whole_numbers(self.expressions);
                    languages.push(self.expressions.complement(whole));
                    continue;
                }
                Condition::Language { language, .. } => {
                    languages.push(language);
                    continue;
                }
                _ => continue,
            });
        }
        let language = if is_whole { whole_number_language } else { number_language };
        let notation = if is_plain { Notation::Plain } else { Notation::Any };
        languages.push(language(self.expressions, &conditions, notation, NOT_YET_PLACED)?);
        for constants in many {
            languages.push(self.unlike_numbers(constants)?);
        }
        let text = self.expressions.intersection(&languages);
        let alive = self.emptiness.is_alive(self.expressions, text, self.deadline)?;
        let text = if alive { text } else { ExpressionStore::NOTHING };
        self.tables.numbers.insert(leaves, text, 0);
        Ok(text)
    }

    /// The texts that mean no number among some constants.
    fn unlike_numbers(&mut self, constants: ConstantsId) -> Result<ExpressionId> {
        if let Some(&known) = self.tables.unlike_numbers.get(&constants) {
            return Ok(known);
        }
        let numbers = NumberCondition::OneOf(numbers_of(self.tables.terms.constants(constants)));
        let numbers = number_language(self.expressions, &[(numbers, true)], Notation::Any, NOT_YET_PLACED)?;
        let others = self.expressions.complement(numbers);
        self.tables.unlike_numbers.insert(constants, others);
        Ok(others)
    }

    /// The booleans that meet all leaves.
    pub(super) fn booleans(&self, leaves: &[Condition]) -> Vec<bool> {
        let meets = |value: bool| {
            leaves.iter().all(|leaf| match *leaf {
                Condition::OneOf { constants, holds } => {
                    self.tables.terms.constants(constants).contains(&Constant::Boolean(value)) == holds
                }
                _ => true,
            })
        };
        [false, true].into_iter().filter(|&value| meets(value)).collect()
    }
}

/// The numbers among constants in order.
fn numbers_of(constants: &[Constant]) -> Vec<Decimal> {
    let number = |constant: &Constant| match constant {
        Constant::Number(number) => Some(number.clone()),
        _ => None,
    };
    Kind::Number.among(constants).iter().filter_map(number).collect()
}

/// A bound as a condition of numbers; `None` for every other condition.
fn bound_of(terms: &Terms, leaf: Condition) -> Option<NumberCondition> {
    let value = |bound| terms.decimal(bound).clone();
    match leaf {
        Condition::Minimum { bound, exclusive } => {
            Some(NumberCondition::Minimum { bound: value(bound), exclusive })
        }
        Condition::Maximum { bound, exclusive } => {
            Some(NumberCondition::Maximum { bound: value(bound), exclusive })
        }
        _ => None,
    }
}
