//! From parts to expressions.

use super::{AnyOrder, Part, Repeat};
use crate::budget::{Budget, Deadline};
use crate::error::{Error, Result};
use crate::expression::ExpressionId;
use crate::grammar::{Grammar, GrammarBuilder};
use crate::vocabulary::{TokenReference, TokenSet};

/// Writes the expressions of parts.
pub(super) struct Lowering<'a> {
    pub(super) builder: GrammarBuilder,
    budget: &'a Budget,
    deadline: Deadline,
    depth: usize,
    /// The length of all texts together.
    bytes: usize,
}

impl<'a> Lowering<'a> {
    pub(super) fn new(budget: &'a Budget) -> Self {
        Self {
            builder: GrammarBuilder::new(budget),
            budget,
            deadline: Deadline::for_compile(budget),
            depth: 0,
            bytes: 0,
        }
    }

    /// The grammar of a part.
    pub(super) fn grammar(mut self, part: &Part) -> Result<Grammar> {
        let name = match part {
            Part::Text(_) => "text",
            Part::Grammar(_) => "grammar",
            Part::Token(_) | Part::TokenOrText(_) => "token",
            Part::AnyToken(_) => "any token",
            Part::Sequence(_) => "sequence",
            Part::AnyOf(_) => "any of several",
            Part::Repeat(_) => "repetition",
            Part::FreeText(_) => "free text",
            Part::AnyOrder(_) => "any order",
        };
        let body = self.part(part)?;
        let start = self.builder.declare_part(name);
        self.builder.define_rule(start, body);
        self.builder.finish_composition(start)
    }

    /// The expression of a part. Native recursion goes as deep as parts nest, which the budget bounds.
    pub(super) fn part(&mut self, part: &Part) -> Result<ExpressionId> {
        if self.depth >= self.budget.greatest_nesting() {
            return Err(Error::exceeded("nesting", self.budget.greatest_nesting(), "by parts within parts"));
        }
        self.depth += 1;
        let expression = self.shallow(part);
        self.depth -= 1;
        let expression = expression?;
        if self.builder.expressions().size() > self.budget.expressions {
            return Err(Error::exceeded("expressions", self.budget.expressions, "by the parts of a grammar"));
        }
        self.deadline.check()?;
        Ok(expression)
    }

    fn shallow(&mut self, part: &Part) -> Result<ExpressionId> {
        match part {
            Part::Text(text) => self.text(text),
            Part::Grammar(grammar) => Ok(self.builder.part(grammar)),
            Part::Token(token) => {
                self.count_names(std::slice::from_ref(token))?;
                Ok(self.builder.tokens(TokenSet::of(vec![token.clone()])))
            }
            Part::TokenOrText(name) => {
                let token = TokenSet::of(vec![TokenReference::NameIfKnown(name.clone())]);
                let (token, text) = (self.builder.tokens(token), self.text(name.as_bytes())?);
                Ok(self.builder.alternatives(&[token, text]))
            }
            Part::AnyToken(except) => {
                self.count_names(except)?;
                Ok(self.builder.tokens(TokenSet::all_but(except.clone())))
            }
            Part::Sequence(parts) => {
                let parts = parts.iter().map(|part| self.part(part)).collect::<Result<Vec<_>>>()?;
                Ok(self.builder.concatenation(&parts))
            }
            Part::AnyOf(parts) if parts.is_empty() => {
                Err(Error::Grammar("a choice of no grammars was given; give at least one".to_owned()))
            }
            Part::AnyOf(parts) => {
                let parts = parts.iter().map(|part| self.part(part)).collect::<Result<Vec<_>>>()?;
                Ok(self.builder.alternatives(&parts))
            }
            Part::Repeat(repeat) => self.repeat(repeat),
            Part::FreeText(free_text) => self.free_text(free_text),
            Part::AnyOrder(any_order) => self.any_order(any_order),
        }
    }

    /// Exactly these bytes.
    pub(super) fn text(&mut self, text: &[u8]) -> Result<ExpressionId> {
        self.count_bytes(text.len())?;
        Ok(self.builder.literal(text))
    }

    /// Counts the names of tokens as texts.
    pub(super) fn count_names(&mut self, tokens: &[TokenReference]) -> Result<()> {
        tokens.iter().try_for_each(|token| match token {
            TokenReference::Name(name) | TokenReference::NameIfKnown(name) => self.count_bytes(name.len()),
            TokenReference::Id(_) => Ok(()),
        })
    }

    fn count_bytes(&mut self, bytes: usize) -> Result<()> {
        self.bytes = self.bytes.saturating_add(bytes);
        match self.bytes > self.budget.grammar_bytes {
            true => {
                let what = "by the texts of a grammar";
                Err(Error::exceeded("grammar_bytes", self.budget.grammar_bytes, what))
            }
            false => Ok(()),
        }
    }

    fn repeat(&mut self, repeat: &Repeat) -> Result<ExpressionId> {
        let Repeat { part, separator, minimum, maximum } = repeat;
        check_bounds(*minimum, *maximum)?;
        let (part, separator) = (self.part(part)?, self.part(separator)?);
        if separator == GrammarBuilder::EMPTY || *maximum == Some(0) {
            return Ok(self.builder.repetition(part, *minimum, *maximum));
        }
        let more = self.builder.concatenation(&[separator, part]);
        let more =
            self.builder.repetition(more, minimum.saturating_sub(1), maximum.map(|maximum| maximum - 1));
        let some = self.builder.concatenation(&[part, more]);
        Ok(self.builder.repetition(some, u32::from(*minimum > 0), Some(1)))
    }

    fn any_order(&mut self, any_order: &AnyOrder) -> Result<ExpressionId> {
        // One byte may begin any member, and where that may be empty, any other behind it; nothing ends a step in between.
        let members = any_order.members.len();
        if members.saturating_mul(members) > self.budget.expressions {
            return Err(Error::exceeded(
                "expressions",
                self.budget.expressions,
                "by the members that come in any order",
            ));
        }
        let separator = self.part(&any_order.separator)?;
        let mut members = Vec::with_capacity(any_order.members.len());
        for (part, is_required) in &any_order.members {
            members.push((self.part(part)?, *is_required));
        }
        Ok(self.builder.any_order(&members, separator))
    }
}

/// Refuses bounds that no number is within.
pub(super) fn check_bounds(minimum: u32, maximum: Option<u32>) -> Result<()> {
    match maximum.filter(|&maximum| maximum < minimum) {
        None => Ok(()),
        Some(maximum) => Err(Error::Grammar(format!(
            "at least {minimum} and at most {maximum} repetitions were asked for; give a maximum of {minimum} or more"
        ))),
    }
}
