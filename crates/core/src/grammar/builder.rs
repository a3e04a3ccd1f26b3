//! How front ends write grammars.

use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use super::lazy::LazyGrammar;
use super::link::link;
use crate::budget::{Budget, Deadline};
use crate::error::{Error, Result};
use crate::expression::{
    ByteSet, CharacterRange, Expression, ExpressionId, ExpressionStore, LeafId, Owned, RuleId, Template,
};
use crate::stack;
use crate::vocabulary::TokenSet;

/// What a rule is called, for messages; it has no other meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleName {
    /// A name that says what the rule matches, as that in the text of a grammar.
    Given(Box<str>),
    /// What the front end that made the rule calls all rules like it.
    Kind(&'static str),
}

impl std::fmt::Display for RuleName {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Given(name) => formatter.write_str(name),
            Self::Kind(kind) => formatter.write_str(kind),
        }
    }
}

/// A named expression.
#[derive(Clone, Debug)]
pub struct Rule {
    /// What it is called.
    pub name: RuleName,
    /// What the rule matches.
    pub body: ExpressionId,
}

/// What a front end makes of a text: rules, of which one is the start. Independent of any vocabulary.
///
/// Immutable; a clone shares everything.
#[derive(Clone, Debug)]
pub struct Grammar {
    /// What stands behind the deferred expressions, indexed by [`LeafId`].
    leaves: Arc<[LeafSource]>,
    expressions: Arc<ExpressionStore>,
    rules: Arc<[Rule]>,
    start: RuleId,
    is_composition: bool,
    /// How deep grammars stand within grammars.
    depth: usize,
    /// The same without parts, once it is made.
    linked: Arc<OnceLock<Arc<Grammar>>>,
}

/// What stands behind the deferred expressions of a grammar.
#[derive(Clone, Debug)]
pub(crate) enum LeafSource {
    /// A grammar that is written on demand, with what all like it are called in messages.
    Lazy { kind: &'static str, lazy: Arc<dyn LazyGrammar> },
    /// A grammar that is a part of this one; none is left when the grammar is [linked](Grammar::linked).
    Grammar(Arc<Grammar>),
}

impl LeafSource {
    pub(crate) fn grammar(&self) -> Option<&Arc<Grammar>> {
        match self {
            Self::Grammar(grammar) => Some(grammar),
            Self::Lazy { .. } => None,
        }
    }

    pub(crate) fn lazy(&self) -> Option<&Arc<dyn LazyGrammar>> {
        match self {
            Self::Grammar(_) => None,
            Self::Lazy { lazy, .. } => Some(lazy),
        }
    }
}

impl Grammar {
    /// A grammar that is written on demand; it has one rule, with nothing but the leaf.
    pub(crate) fn written_on_demand(kind: &'static str, lazy: Arc<dyn LazyGrammar>) -> Self {
        let mut expressions = ExpressionStore::new();
        let body = expressions.deferred(LeafId(0), Owned::WHOLE);
        let rule = Rule { name: RuleName::Kind(kind), body };
        let leaf = LeafSource::Lazy { kind, lazy };
        Self::linked_from(expressions, vec![rule], vec![leaf], RuleId(0))
    }

    /// A grammar without parts.
    pub(super) fn linked_from(
        expressions: ExpressionStore,
        rules: Vec<Rule>,
        leaves: Vec<LeafSource>,
        start: RuleId,
    ) -> Self {
        Self {
            leaves: leaves.into(),
            expressions: Arc::new(expressions),
            rules: rules.into(),
            start,
            is_composition: false,
            depth: 0,
            linked: Arc::default(),
        }
    }

    /// What stands behind the deferred expressions, indexed by [`LeafId`].
    pub(crate) fn leaves(&self) -> &[LeafSource] {
        &self.leaves
    }

    /// The grammar written on demand that this one consists of, if it is nothing else.
    pub(crate) fn sole_lazy(&self) -> Option<&Arc<dyn LazyGrammar>> {
        let body = self.rules[self.start.index()].body;
        let Expression::Deferred(deferred) = self.expressions.get(body) else { return None };
        self.leaves[self.expressions.deferred_by(deferred).leaf.index()].lazy()
    }

    /// The same grammar without parts. Made once.
    ///
    /// # Errors
    /// [`Error::BudgetExceeded`] for too many expressions.
    pub(super) fn linked(&self, budget: &Budget, deadline: &Deadline) -> Result<&Self> {
        if !self.leaves.iter().any(|leaf| leaf.grammar().is_some()) {
            return Ok(self);
        }
        if let Some(known) = self.linked.get() {
            return Ok(known);
        }
        let linked = Arc::new(link(self, budget, deadline)?);
        Ok(self.linked.get_or_init(|| linked))
    }

    /// Whether the start rule only puts other grammars together, and nothing calls it.
    pub(crate) fn is_composition(&self) -> bool {
        self.is_composition
    }

    /// The expressions of all rules.
    pub fn expressions(&self) -> &ExpressionStore {
        &self.expressions
    }

    /// The rules, indexed by [`RuleId::index`].
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// How deep grammars stand within grammars: 0 where this is not made of others.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The rule that the whole text must match.
    pub fn start(&self) -> RuleId {
        self.start
    }
}

impl Drop for Grammar {
    /// Grammars in it nest as deep as the budget allows, and so do the values in a schema.
    fn drop(&mut self) {
        let leaves = std::mem::take(&mut self.leaves);
        stack::with_enough(|| drop(leaves));
    }
}

/// Builds a [`Grammar`] bottom-up: expressions by their constructors, rules by name.
///
/// Rules may be declared before they are defined, so that they can be recursive.
///
/// ```
/// use maskwright_core::{Budget, grammar::GrammarBuilder};
///
/// // parentheses = "(" parentheses ")" | ""
/// let mut builder = GrammarBuilder::new(&Budget::default());
/// let rule = builder.declare_rule("parentheses");
/// let (open, inner, close) = (builder.literal(b"("), builder.call(rule), builder.literal(b")"));
/// let nested = builder.concatenation(&[open, inner, close]);
/// let body = builder.alternatives(&[nested, GrammarBuilder::EMPTY]);
/// builder.define_rule(rule, body);
/// let grammar = builder.finish(rule)?;
/// assert_eq!(grammar.rules()[grammar.start().index()].name.to_string(), "parentheses");
/// # Ok::<(), maskwright_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct GrammarBuilder {
    budget: Budget,
    expressions: ExpressionStore,
    rules: Vec<(RuleName, Option<ExpressionId>)>,
    /// The grammars that are parts of this one, and which each is, by its address.
    parts: Vec<Arc<Grammar>>,
    part_of: FxHashMap<usize, LeafId>,
}

impl GrammarBuilder {
    /// Matches the empty text.
    pub const EMPTY: ExpressionId = ExpressionStore::EMPTY;
    /// Matches nothing.
    pub const NOTHING: ExpressionId = ExpressionStore::NOTHING;

    /// A builder without rules. [`finish`](Self::finish) checks the result against the budget.
    pub fn new(budget: &Budget) -> Self {
        Self::over(budget, ExpressionStore::new())
    }

    /// A builder that adds to expressions which are there already.
    pub(crate) fn over(budget: &Budget, expressions: ExpressionStore) -> Self {
        let (rules, parts, part_of) = (Vec::new(), Vec::new(), FxHashMap::default());
        Self { budget: budget.clone(), expressions, rules, parts, part_of }
    }

    /// Gives a large regular expression a name; see [`ExpressionStore::name`].
    pub(crate) fn name(&mut self, expression: ExpressionId, name: &'static str) {
        self.expressions.name(expression, name);
    }

    /// Matches what a template does; see [`ExpressionStore::take_in`].
    pub(crate) fn take_in(&mut self, template: &Template) -> ExpressionId {
        self.expressions.take_in(template)
    }

    /// The expressions, without any rules.
    pub(crate) fn into_expressions(self) -> ExpressionStore {
        self.expressions
    }

    /// The expressions so far.
    pub fn expressions(&self) -> &ExpressionStore {
        &self.expressions
    }

    /// Matches one byte of the set.
    pub fn bytes(&mut self, set: ByteSet) -> ExpressionId {
        self.expressions.bytes(set)
    }

    /// Matches exactly these bytes.
    pub fn literal(&mut self, literal: &[u8]) -> ExpressionId {
        self.expressions.literal(literal)
    }

    /// Matches any of these strings. Cheaper than [`alternatives`](Self::alternatives) of literals.
    pub fn literals(&mut self, literals: Vec<Vec<u8>>) -> ExpressionId {
        self.expressions.literals(literals)
    }

    /// Matches one code point of any of the ranges, as UTF-8.
    pub fn characters(&mut self, ranges: &[CharacterRange]) -> ExpressionId {
        self.expressions.characters(ranges)
    }

    /// Matches any one code point, as UTF-8.
    pub fn any_character(&mut self) -> ExpressionId {
        self.expressions.any_character()
    }

    /// Matches one token of the set by its id.
    pub fn tokens(&mut self, set: TokenSet) -> ExpressionId {
        self.expressions.tokens(set)
    }

    /// Matches the operands one after another.
    pub fn concatenation(&mut self, operands: &[ExpressionId]) -> ExpressionId {
        self.expressions.concatenation(operands)
    }

    /// Matches what any operand matches.
    pub fn alternatives(&mut self, operands: &[ExpressionId]) -> ExpressionId {
        self.expressions.alternatives(operands)
    }

    /// Matches `body` at least `minimum` and at most `maximum` times; `None` is without limit.
    pub fn repetition(&mut self, body: ExpressionId, minimum: u32, maximum: Option<u32>) -> ExpressionId {
        self.expressions.repetition(body, minimum, maximum)
    }

    /// Matches free text with tags in it.
    ///
    /// `tags` are strings, each with what follows it; several of one string are alternatives. The text may be any
    /// valid UTF-8, and the first string that is completed in it *opens*: what follows it comes next, and the
    /// free text is over. A string that lies within a longer one may also be passed over, if the longer one is
    /// then completed. A string followed by [`NOTHING`](Self::NOTHING) is forbidden. If the text `ends`, it
    /// may also end where none of the strings has occurred.
    ///
    /// By definition, these are the texts `f t e`, where `t` is one of the strings, `e` matches what follows it, and
    /// `f` is valid UTF-8, such that every occurrence of any string in `f t` lies within the last `|t|` bytes; and, if it
    /// `ends`, all valid UTF-8 in which none of the strings occurs. Time and memory grow with the length of the
    /// strings, and what a byte costs does not depend on their number.
    ///
    /// Prose with calls in it is a repetition: `(text with calls)* (text without)`.
    ///
    /// ```
    /// use maskwright_core::{Budget, grammar::GrammarBuilder};
    ///
    /// // Prose in which `<time>` is followed by digits and `</time>`, any number of times.
    /// let mut builder = GrammarBuilder::new(&Budget::default());
    /// let digits = builder.characters(&[('0', '9')]);
    /// let (number, close) = (builder.repetition(digits, 1, None), builder.literal(b"</time>"));
    /// let body = builder.concatenation(&[number, close]);
    /// let until_call = builder.free_text(&[(b"<time>", body)], false)?;
    /// let no_more_calls = builder.free_text(&[(b"<time>", GrammarBuilder::NOTHING)], true)?;
    /// let calls = builder.repetition(until_call, 0, None);
    /// let prose = builder.concatenation(&[calls, no_more_calls]);
    /// # let rule = builder.declare_rule("prose");
    /// # builder.define_rule(rule, prose);
    /// # builder.finish(rule)?;
    /// # Ok::<(), maskwright_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Grammar`] when a string is empty or not valid UTF-8; [`Error::BudgetExceeded`] for too many or too
    /// long strings.
    pub fn free_text(&mut self, tags: &[(&[u8], ExpressionId)], ends: bool) -> Result<ExpressionId> {
        for &(string, _) in tags {
            let problem = match std::str::from_utf8(string) {
                Ok("") => "is empty, but a tag in free text needs at least one byte",
                Ok(_) => continue,
                Err(_) => "is not valid UTF-8, as free text is, so it can never occur; leave it out",
            };
            return Err(Error::Grammar(format!("the tag b\"{}\" {problem}", string.escape_ascii())));
        }
        let limit = self.budget.expressions.saturating_sub(self.expressions.size());
        self.expressions.free_text(tags, ends, limit).ok_or_else(|| {
            Error::exceeded("expressions", self.budget.expressions, "by the tags of free text")
        })
    }

    /// Matches each of some members once at most, in any order, those that are required once exactly, with a separator
    /// between two. Only the orders that a text tries are ever written out.
    pub fn any_order(&mut self, members: &[(ExpressionId, bool)], separator: ExpressionId) -> ExpressionId {
        self.expressions.any_order(members, separator)
    }

    /// Matches what all operands match.
    ///
    /// # Errors
    /// [`Error::Unsupported`] when an operand holds a call or an exact token: the intersection of two
    /// context-free languages need not be one.
    pub fn intersection(&mut self, operands: &[ExpressionId]) -> Result<ExpressionId> {
        for &operand in operands {
            self.require_regular(operand, "an intersection")?;
        }
        Ok(self.expressions.intersection(operands))
    }

    /// Matches every byte string (not only valid UTF-8) that the operand does not match.
    ///
    /// # Errors
    /// [`Error::Unsupported`] when the operand holds a call or an exact token.
    pub fn complement(&mut self, operand: ExpressionId) -> Result<ExpressionId> {
        self.require_regular(operand, "a complement")?;
        Ok(self.expressions.complement(operand))
    }

    /// Matches what the rule matches.
    pub fn call(&mut self, rule: RuleId) -> ExpressionId {
        self.expressions.call(rule)
    }

    /// Adds a rule whose body comes later, with a name that says what it matches.
    pub fn declare_rule(&mut self, name: &str) -> RuleId {
        self.declare(RuleName::Given(name.into()))
    }

    /// Adds a rule whose body comes later, which has no name but one for all rules like it.
    pub(crate) fn declare_part(&mut self, kind: &'static str) -> RuleId {
        self.declare(RuleName::Kind(kind))
    }

    fn declare(&mut self, name: RuleName) -> RuleId {
        self.rules.push((name, None));
        RuleId(self.rules.len() as u32 - 1)
    }

    /// Gives a declared rule its body, in place of any it had.
    pub fn define_rule(&mut self, rule: RuleId, body: ExpressionId) {
        if let Some((_, slot)) = self.rules.get_mut(rule.index()) {
            *slot = Some(body);
        }
    }

    /// Matches what another grammar matches. Takes no time and no room worth mentioning, however large that is.
    pub fn part(&mut self, grammar: &Arc<Grammar>) -> ExpressionId {
        let address = Arc::as_ptr(grammar) as usize;
        let known = self.part_of.get(&address).copied();
        let leaf = known.unwrap_or_else(|| {
            let id = LeafId(self.parts.len() as u32);
            self.parts.push(Arc::clone(grammar));
            self.part_of.insert(address, id);
            id
        });
        self.expressions.deferred(leaf, Owned::WHOLE)
    }

    /// The finished grammar.
    ///
    /// # Errors
    /// [`Error::Grammar`] when a rule was declared but not defined; [`Error::BudgetExceeded`] for too many
    /// expressions or too deep nesting.
    pub fn finish(self, start: RuleId) -> Result<Grammar> {
        if self.expressions.size() > self.budget.expressions {
            return Err(Error::exceeded("expressions", self.budget.expressions, "while reading the grammar"));
        }
        let mut rules = Vec::with_capacity(self.rules.len());
        for (name, body) in self.rules {
            let body = body.ok_or_else(|| Error::Grammar(format!("the rule `{name}` has no definition")))?;
            if self.expressions.height(body) > self.budget.greatest_nesting() {
                return Err(Error::exceeded(
                    "nesting",
                    self.budget.greatest_nesting(),
                    "while reading the grammar",
                ));
            }
            rules.push(Rule { name, body });
        }
        let depth = self.parts.iter().map(|part| part.depth + 1).max().unwrap_or(0);
        if depth > self.budget.greatest_nesting() {
            return Err(Error::exceeded(
                "nesting",
                self.budget.greatest_nesting(),
                "by grammars within grammars",
            ));
        }
        let leaves = self.parts.into_iter().map(LeafSource::Grammar).collect();
        let mut grammar = Grammar::linked_from(self.expressions, rules, leaves, start);
        grammar.depth = depth;
        Ok(grammar)
    }

    /// The finished grammar, whose start rule only puts others together, and which no rule calls.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    pub(crate) fn finish_composition(self, start: RuleId) -> Result<Grammar> {
        let mut grammar = self.finish(start)?;
        grammar.is_composition = true;
        Ok(grammar)
    }

    fn require_regular(&self, operand: ExpressionId, what: &str) -> Result<()> {
        if self.expressions.is_regular(operand) {
            return Ok(());
        }
        Err(Error::Unsupported {
            feature: format!("{what} of rules or exact tokens"),
            location: "grammar".to_owned(),
            reason: "only regular expressions over text can be intersected or complemented".to_owned(),
        })
    }
}
