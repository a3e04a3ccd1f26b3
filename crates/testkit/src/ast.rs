//! Grammars as trees: what the random generator makes, the oracle decides and the engine is given.
//!
//! A [`Description`] is plain data. Its `Display` is Rust code made of the constructors of this module,
//! so that a failing grammar can be pasted into a test.

use std::collections::BTreeSet;
use std::fmt;

use maskwright_core::expression::{ByteSet, CharacterRange, ExpressionId, RuleId};
use maskwright_core::grammar::{Grammar, GrammarBuilder};
use maskwright_core::vocabulary::{TokenId, TokenReference, TokenSet};
use maskwright_core::{Budget, Result};

use crate::vocabulary::TestVocabulary;

/// One expression, without sharing and without a normal form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// Matches nothing.
    Nothing,
    /// Matches the empty text.
    Empty,
    /// Matches one byte of the set.
    Bytes(ByteSet),
    /// Matches these bytes.
    Literal(Vec<u8>),
    /// Matches any of these byte strings.
    Literals(Vec<Vec<u8>>),
    /// Matches one code point of any range, as UTF-8. The oracle lists them, so the ranges are short.
    Characters(Vec<CharacterRange>),
    /// Matches one token by its id.
    Tokens {
        /// Whether `ids` are left out, instead of being the members.
        negated: bool,
        /// The token ids.
        ids: Vec<u32>,
    },
    /// Matches what the rule of this index matches.
    Call(usize),
    /// Matches the operands one after another.
    Sequence(Vec<Self>),
    /// Matches what any operand matches.
    Alternatives(Vec<Self>),
    /// Matches the body between `minimum` and `maximum` times.
    Repetition {
        /// What is repeated.
        body: Box<Self>,
        /// The least number of times.
        minimum: u32,
        /// The greatest number of times; `None` for no limit.
        maximum: Option<u32>,
    },
    /// Matches what all operands match; they are regular.
    Intersection(Vec<Self>),
    /// Matches every byte string that the operand does not; it is regular.
    Complement(Box<Self>),
    /// Matches free text up to one of the strings, and what follows that; or without any of them, if it `ends`.
    FreeText {
        /// The strings, not empty, each valid UTF-8.
        strings: Vec<Vec<u8>>,
        /// What follows each of them.
        continuations: Vec<Self>,
        /// Whether the text may end without any of them.
        ends: bool,
    },
}

/// Matches nothing.
pub fn nothing() -> Expression {
    Expression::Nothing
}

/// Matches the empty text.
pub fn empty() -> Expression {
    Expression::Empty
}

/// Matches one of these bytes.
pub fn bytes(members: &[u8]) -> Expression {
    Expression::Bytes(members.iter().copied().collect())
}

/// Matches one byte that is none of these.
pub fn bytes_but(others: &[u8]) -> Expression {
    Expression::Bytes(others.iter().copied().collect::<ByteSet>().complement())
}

/// Matches these bytes.
pub fn literal(text: &[u8]) -> Expression {
    Expression::Literal(text.to_vec())
}

/// Matches any of these byte strings.
pub fn literals(texts: &[&[u8]]) -> Expression {
    Expression::Literals(texts.iter().map(|text| text.to_vec()).collect())
}

/// Matches one code point of any of these ranges.
pub fn characters(ranges: &[CharacterRange]) -> Expression {
    Expression::Characters(ranges.to_vec())
}

/// Matches one of these tokens by id.
pub fn tokens(ids: &[u32]) -> Expression {
    Expression::Tokens { negated: false, ids: ids.to_vec() }
}

/// Matches one token by id that is none of these and no stop token.
pub fn tokens_but(ids: &[u32]) -> Expression {
    Expression::Tokens { negated: true, ids: ids.to_vec() }
}

/// Matches what the rule of this index matches.
pub fn call(rule: usize) -> Expression {
    Expression::Call(rule)
}

/// Matches the operands one after another.
pub fn sequence(operands: impl Into<Vec<Expression>>) -> Expression {
    Expression::Sequence(operands.into())
}

/// Matches what any operand matches.
pub fn alternatives(operands: impl Into<Vec<Expression>>) -> Expression {
    Expression::Alternatives(operands.into())
}

/// Matches the body between `minimum` and `maximum` times; `None` is without limit.
pub fn repetition(body: Expression, minimum: u32, maximum: Option<u32>) -> Expression {
    Expression::Repetition { body: Box::new(body), minimum, maximum }
}

/// Matches what all operands match.
pub fn intersection(operands: impl Into<Vec<Expression>>) -> Expression {
    Expression::Intersection(operands.into())
}

/// Matches every byte string that the operand does not match.
pub fn complement(operand: Expression) -> Expression {
    Expression::Complement(Box::new(operand))
}

/// Matches free text up to one of the strings and what follows that; or without any of them, if it `ends`.
pub fn free_text(tags: &[(&[u8], Expression)], ends: bool) -> Expression {
    let (strings, continuations) =
        tags.iter().map(|(string, after)| (string.to_vec(), after.clone())).unzip();
    Expression::FreeText { strings, continuations, ends }
}

impl Expression {
    /// The operands, in order.
    pub fn operands(&self) -> &[Self] {
        match self {
            Self::Sequence(operands) | Self::Alternatives(operands) | Self::Intersection(operands) => {
                operands
            }
            Self::Repetition { body, .. } => std::slice::from_ref(body),
            Self::Complement(operand) => std::slice::from_ref(operand),
            Self::FreeText { continuations, .. } => continuations,
            _ => &[],
        }
    }

    /// Whether it holds neither calls nor exact tokens, as operands of intersection and complement must.
    pub fn is_regular(&self) -> bool {
        !matches!(self, Self::Call(_) | Self::Tokens { .. } | Self::FreeText { .. })
            && self.operands().iter().all(Self::is_regular)
    }

    /// The number of bytes in it when counters are written out, roughly.
    pub(crate) fn unrolled_size(&self) -> usize {
        match self {
            Self::Literal(text) => text.len(),
            Self::Literals(texts) => texts.iter().map(Vec::len).sum(),
            Self::Characters(ranges) => ranges.iter().map(|&(first, last)| 3 * (first..=last).count()).sum(),
            Self::Repetition { body, minimum, maximum } => {
                body.unrolled_size().saturating_mul(maximum.unwrap_or(minimum + 1) as usize)
            }
            _ if self.operands().is_empty() => 1,
            _ => self.operands().iter().map(Self::unrolled_size).fold(0, usize::saturating_add),
        }
    }

    /// Whether a set of exact tokens holds the token.
    pub(crate) fn is_member(vocabulary: &TestVocabulary, negated: bool, ids: &[u32], id: u32) -> bool {
        vocabulary.is_symbol(id) && ids.contains(&id) != negated
    }

    fn collect_exact_tokens(&self, vocabulary: &TestVocabulary, found: &mut BTreeSet<u32>) {
        if let Self::Tokens { negated, ids } = self {
            let all = 0..vocabulary.tokens.len() as u32;
            found.extend(all.filter(|&id| Self::is_member(vocabulary, *negated, ids, id)));
        }
        for operand in self.operands() {
            operand.collect_exact_tokens(vocabulary, found);
        }
    }

    fn to_engine(&self, builder: &mut GrammarBuilder, rules: &[RuleId]) -> Result<ExpressionId> {
        let operands = |builder: &mut GrammarBuilder| {
            self.operands()
                .iter()
                .map(|operand| operand.to_engine(builder, rules))
                .collect::<Result<Vec<_>>>()
        };
        Ok(match self {
            Self::Nothing => GrammarBuilder::NOTHING,
            Self::Empty => GrammarBuilder::EMPTY,
            Self::Bytes(set) => builder.bytes(*set),
            Self::Literal(text) => builder.literal(text),
            Self::Literals(texts) => builder.literals(texts.clone()),
            Self::Characters(ranges) => builder.characters(ranges),
            Self::Tokens { negated, ids } => {
                let members = ids.iter().map(|&id| TokenReference::Id(TokenId(id))).collect();
                builder.tokens(if *negated { TokenSet::all_but(members) } else { TokenSet::of(members) })
            }
            Self::Call(rule) => builder.call(rules[*rule]),
            Self::Sequence(_) => {
                let operands = operands(builder)?;
                builder.concatenation(&operands)
            }
            Self::Alternatives(_) => {
                let operands = operands(builder)?;
                builder.alternatives(&operands)
            }
            Self::Repetition { body, minimum, maximum } => {
                let body = body.to_engine(builder, rules)?;
                builder.repetition(body, *minimum, *maximum)
            }
            Self::Intersection(_) => {
                let operands = operands(builder)?;
                builder.intersection(&operands)?
            }
            Self::Complement(operand) => {
                let operand = operand.to_engine(builder, rules)?;
                builder.complement(operand)?
            }
            Self::FreeText { strings, ends, .. } => {
                let operands = operands(builder)?;
                let strings = strings.iter().map(Vec::as_slice);
                builder.free_text(&strings.zip(operands).collect::<Vec<_>>(), *ends)?
            }
        })
    }
}

/// A grammar: rule bodies, of which the first is the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// The bodies, indexed by [`Expression::Call`]. Never empty.
    pub rules: Vec<Expression>,
}

impl Description {
    /// A grammar of these rules, of which the first is the start.
    ///
    /// # Panics
    /// When there is no rule.
    pub fn new(rules: impl Into<Vec<Expression>>) -> Self {
        let rules = rules.into();
        assert!(!rules.is_empty(), "a grammar needs a start rule");
        Self { rules }
    }

    /// The tokens that stand for themselves in some rule.
    pub fn exact_tokens(&self, vocabulary: &TestVocabulary) -> BTreeSet<u32> {
        let mut found = BTreeSet::new();
        for rule in &self.rules {
            rule.collect_exact_tokens(vocabulary, &mut found);
        }
        found
    }

    /// The same grammar as the engine takes it.
    ///
    /// # Errors
    /// Those of [`GrammarBuilder`].
    pub fn to_engine(&self, budget: &Budget) -> Result<Grammar> {
        let mut builder = GrammarBuilder::new(budget);
        let ids: Vec<RuleId> =
            (0..self.rules.len()).map(|at| builder.declare_rule(&format!("rule{at}"))).collect();
        for (body, &id) in self.rules.iter().zip(&ids) {
            let body = body.to_engine(&mut builder, &ids)?;
            builder.define_rule(id, body);
        }
        builder.finish(ids[0])
    }
}

impl fmt::Display for Description {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Description::new([\n")?;
        for (at, rule) in self.rules.iter().enumerate() {
            writeln!(formatter, "    {rule}, // rule {at}")?;
        }
        formatter.write_str("])")
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => formatter.write_str("nothing()"),
            Self::Empty => formatter.write_str("empty()"),
            Self::Bytes(set) if set.len() > 128 => {
                let others: Vec<u8> = set.complement().iter().collect();
                write!(formatter, "bytes_but({})", Quoted(&others))
            }
            Self::Bytes(set) => write!(formatter, "bytes({})", Quoted(&set.iter().collect::<Vec<_>>())),
            Self::Literal(text) => write!(formatter, "literal({})", Quoted(text)),
            Self::Literals(texts) => {
                formatter.write_str("literals(&[")?;
                for (at, text) in texts.iter().enumerate() {
                    write!(formatter, "{}{}", if at == 0 { "" } else { ", " }, Quoted(text))?;
                }
                formatter.write_str("])")
            }
            Self::Characters(ranges) => write!(formatter, "characters(&{ranges:?})"),
            Self::Tokens { negated: false, ids } => write!(formatter, "tokens(&{ids:?})"),
            Self::Tokens { negated: true, ids } => write!(formatter, "tokens_but(&{ids:?})"),
            Self::Call(rule) => write!(formatter, "call({rule})"),
            Self::Sequence(operands) => write_operands(formatter, "sequence", operands),
            Self::Alternatives(operands) => write_operands(formatter, "alternatives", operands),
            Self::Intersection(operands) => write_operands(formatter, "intersection", operands),
            Self::Repetition { body, minimum, maximum } => {
                write!(formatter, "repetition({body}, {minimum}, {maximum:?})")
            }
            Self::Complement(operand) => write!(formatter, "complement({operand})"),
            Self::FreeText { strings, continuations, ends } => {
                formatter.write_str("free_text(&[")?;
                for (at, (string, after)) in strings.iter().zip(continuations).enumerate() {
                    write!(formatter, "{}({}, {after})", if at == 0 { "" } else { ", " }, Quoted(string))?;
                }
                write!(formatter, "], {ends})")
            }
        }
    }
}

fn write_operands(formatter: &mut fmt::Formatter<'_>, name: &str, operands: &[Expression]) -> fmt::Result {
    write!(formatter, "{name}([")?;
    for (at, operand) in operands.iter().enumerate() {
        write!(formatter, "{}{operand}", if at == 0 { "" } else { ", " })?;
    }
    formatter.write_str("])")
}

/// Bytes as a Rust byte string.
pub(crate) struct Quoted<'a>(pub(crate) &'a [u8]);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "b\"{}\"", self.0.escape_ascii())
    }
}
