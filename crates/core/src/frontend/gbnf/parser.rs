//! Puts symbols together to rules.
//!
//! Open groups are kept on a stack in memory, so that nesting never uses the native stack.

use std::collections::HashMap;
use std::ops::Range;

use super::faults;
use super::symbols::{Symbol, SymbolKind, Symbols, is_name_byte};
use crate::budget::Budget;
use crate::error::{Error, Location, Result};
use crate::expression::{CharacterRange, ExpressionId, RuleId};
use crate::grammar::{Grammar, GrammarBuilder};

/// One item of a sequence, or one alternative. Literals stay apart until it is known whether they have
/// neighbours: several become one string, or one set of strings.
enum Item {
    Literal(Vec<u8>),
    Expression(ExpressionId),
}

/// Alternatives that are being read: the body of a rule, or a group in it.
struct Group {
    /// Where its `(` stands, or the name of its rule.
    opened: usize,
    /// The alternatives that are complete.
    alternatives: Vec<Item>,
    /// The items so far of the alternative being read.
    items: Vec<Item>,
}

impl Group {
    fn opened_at(opened: usize) -> Self {
        Self { opened, alternatives: Vec::new(), items: Vec::new() }
    }
}

/// What is known of a rule by its name.
struct RuleEntry {
    rule: RuleId,
    /// Where it is first named.
    first: usize,
    /// Where its definition begins.
    defined: Option<usize>,
}

/// Reads one text.
pub(super) struct Parser<'t> {
    text: &'t str,
    budget: &'t Budget,
    symbols: Symbols<'t>,
    builder: GrammarBuilder,
    /// Keyed with a seed, since the names are the user's; nothing depends on the order of the map.
    rules: HashMap<&'t str, RuleEntry>,
    /// Classes met before, since building one costs far more than finding it again.
    classes: HashMap<Vec<CharacterRange>, ExpressionId>,
    /// The groups that are open, the outermost first.
    groups: Vec<Group>,
    /// How many items were read in all.
    items: usize,
}

impl<'t> Parser<'t> {
    pub(super) fn new(text: &'t str, budget: &'t Budget) -> Self {
        Self {
            text,
            budget,
            symbols: Symbols::new(text),
            builder: GrammarBuilder::new(budget),
            rules: HashMap::new(),
            classes: HashMap::new(),
            groups: Vec::new(),
            items: 0,
        }
    }

    pub(super) fn parse(mut self, root: &str) -> Result<Grammar> {
        self.read_rules().map_err(|error| self.refused_function().unwrap_or(error))?;
        self.require_definitions()?;
        let start = self.start(root)?;
        self.builder.finish(start)
    }

    fn read_rules(&mut self) -> Result<()> {
        let mut head = self.symbols.next()?;
        while !matches!(head.kind, SymbolKind::End) {
            let rule = self.read_head(&head)?;
            let (body, next) = self.read_body(head.span.start)?;
            self.builder.define_rule(rule, body);
            head = next;
        }
        Ok(())
    }

    /// Reads `name ::=`, of which `head` is the name.
    fn read_head(&mut self, head: &Symbol) -> Result<RuleId> {
        let span = head.span.clone();
        if !matches!(head.kind, SymbolKind::Name) {
            let help = match head.kind {
                SymbolKind::Tokens(_) => "the name of a rule has no angle brackets",
                SymbolKind::Repeat { .. } => faults::LARK,
                _ => "",
            };
            return Err(faults::syntax(self.text, span, "a rule, `name ::= ...`", help));
        }
        self.refuse_dotted_name(&span)?;
        if !self.symbols.is_definition()? {
            let next = self.symbols.next()?;
            if matches!(next.kind, SymbolKind::Characters(_)) && self.symbols.is_definition()? {
                let sign = self.symbols.next()?;
                return Err(self.misplaced_definition(sign.span));
            }
            let help = "a rule is written `name ::= ...`, its name of letters, digits, `-` and `_`";
            return Err(faults::syntax(self.text, next.span, "`::=`", help));
        }
        self.symbols.next()?;
        let location = |at| Location::of(self.text, at);
        let rule = self.rule_named(span.clone());
        let entry = self.rules.get_mut(&self.text[span.clone()]);
        if let Some(before) = entry.and_then(|entry| entry.defined.replace(span.start)) {
            let help = format!("it is defined at {} already; join the two with `|`", location(before));
            return Err(faults::syntax(self.text, span, "a name that is not yet defined", &help));
        }
        Ok(rule)
    }

    /// In `a.b ::= "c"` the dot would end the rule before with `.`, which nobody means.
    fn refuse_dotted_name(&self, name: &Range<usize>) -> Result<()> {
        let before = &self.text.as_bytes()[..name.start];
        let dotted = before.iter().rev().take_while(|&&byte| is_name_byte(byte) || byte == b'.').count();
        if dotted < 2 || before.last() != Some(&b'.') {
            return Ok(());
        }
        let span = name.start - dotted..name.end;
        let help = "`.` matches any code point; write `-` or `_` in names";
        Err(faults::syntax(self.text, span, "a name of letters, digits, `-` and `_`", help))
    }

    /// Reads alternatives up to the next rule, which is returned as well, or the end.
    fn read_body(&mut self, head: usize) -> Result<(ExpressionId, Symbol)> {
        self.groups.push(Group::opened_at(head));
        loop {
            let symbol = self.symbols.next()?;
            let span = symbol.span.clone();
            match symbol.kind {
                SymbolKind::Name if self.symbols.is_definition()? => return self.end_body(symbol),
                SymbolKind::End => return self.end_body(symbol),
                SymbolKind::Semicolon => {
                    let next = self.symbols.next()?;
                    return self.end_body_at(&span, next);
                }
                SymbolKind::Name => {
                    let rule = self.rule_named(span);
                    let call = self.builder.call(rule);
                    self.push_item(Item::Expression(call))?;
                }
                SymbolKind::Literal(literal) => self.push_item(Item::Literal(literal))?,
                SymbolKind::Characters(ranges) => {
                    let class = self.class(ranges);
                    self.push_item(Item::Expression(class))?;
                }
                SymbolKind::Tokens(set) => {
                    let tokens = self.builder.tokens(set);
                    self.push_item(Item::Expression(tokens))?;
                }
                SymbolKind::Repeat { minimum, maximum } => self.repeat(span, minimum, maximum)?,
                SymbolKind::Or => self.end_alternative(),
                SymbolKind::Open => self.open_group(span.start)?,
                SymbolKind::Close => self.close_group(span)?,
                SymbolKind::Defines => return Err(self.misplaced_definition(span)),
            }
        }
    }

    fn end_body(&mut self, next: Symbol) -> Result<(ExpressionId, Symbol)> {
        let span = next.span.clone();
        self.end_body_at(&span, next)
    }

    /// Ends the rule at the symbol that stands at `span`; a group may not be open there.
    fn end_body_at(&mut self, span: &Range<usize>, next: Symbol) -> Result<(ExpressionId, Symbol)> {
        match self.groups.as_slice() {
            [.., group] if self.groups.len() > 1 => {
                let place = Location::of(self.text, group.opened);
                let help = format!("the group opened at {place} is not closed");
                Err(faults::syntax(self.text, span.clone(), "`)`", &help))
            }
            _ => {
                let body = self.end_group();
                Ok((self.expression(body), next))
            }
        }
    }

    fn open_group(&mut self, opened: usize) -> Result<()> {
        // The body of the rule is a group as well, the first.
        if self.groups.len() > self.budget.greatest_nesting() {
            return Err(self.exceeded("nesting", self.budget.greatest_nesting()));
        }
        self.groups.push(Group::opened_at(opened));
        Ok(())
    }

    fn close_group(&mut self, span: Range<usize>) -> Result<()> {
        if self.groups.len() < 2 {
            return Err(faults::syntax(
                self.text,
                span,
                "an item or the end of the rule",
                "no group is open",
            ));
        }
        let group = self.end_group();
        self.push_item(group)
    }

    /// Takes the innermost group off the stack and joins its alternatives.
    fn end_group(&mut self) -> Item {
        self.end_alternative();
        let alternatives = self.groups.pop().map(|group| group.alternatives).unwrap_or_default();
        if alternatives.len() == 1 {
            return alternatives.into_iter().next().unwrap_or(Item::Expression(GrammarBuilder::NOTHING));
        }
        let (mut literals, mut expressions) = (Vec::new(), Vec::new());
        for alternative in alternatives {
            match alternative {
                Item::Literal(literal) => literals.push(literal),
                Item::Expression(expression) => expressions.push(expression),
            }
        }
        expressions.push(self.builder.literals(literals));
        Item::Expression(self.builder.alternatives(&expressions))
    }

    /// Joins the items read since the last `|` to one alternative.
    fn end_alternative(&mut self) {
        let Some(group) = self.groups.last_mut() else { return };
        let mut joined: Vec<Item> = Vec::new();
        for item in group.items.drain(..) {
            match (joined.last_mut(), item) {
                (Some(Item::Literal(before)), Item::Literal(literal)) => before.extend(literal),
                (_, item) => joined.push(item),
            }
        }
        let alternative = match joined.len() {
            0 => Item::Literal(Vec::new()),
            1 => joined.remove(0),
            _ => {
                let operands: Vec<ExpressionId> =
                    joined.into_iter().map(|item| expression_of(&mut self.builder, item)).collect();
                Item::Expression(self.builder.concatenation(&operands))
            }
        };
        group.alternatives.push(alternative);
    }

    fn push_item(&mut self, item: Item) -> Result<()> {
        self.items += 1;
        if self.items > self.budget.expressions {
            return Err(self.exceeded("expressions", self.budget.expressions));
        }
        if let Some(group) = self.groups.last_mut() {
            group.items.push(item);
        }
        Ok(())
    }

    /// Repeats the item before the operator at `span`.
    fn repeat(&mut self, span: Range<usize>, minimum: u32, maximum: Option<u32>) -> Result<()> {
        let Some(item) = self.groups.last_mut().and_then(|group| group.items.pop()) else {
            let help = "an operator follows the item that it repeats";
            return Err(faults::syntax(self.text, span, "an item", help));
        };
        let body = self.expression(item);
        let repetition = self.builder.repetition(body, minimum, maximum);
        self.push_item(Item::Expression(repetition))
    }

    fn class(&mut self, ranges: Vec<CharacterRange>) -> ExpressionId {
        let builder = &mut self.builder;
        *self.classes.entry(ranges).or_insert_with_key(|ranges| builder.characters(ranges))
    }

    fn expression(&mut self, item: Item) -> ExpressionId {
        expression_of(&mut self.builder, item)
    }

    /// The rule that is called as the text at `span`.
    fn rule_named(&mut self, span: Range<usize>) -> RuleId {
        let (name, builder) = (&self.text[span.clone()], &mut self.builder);
        let new = || RuleEntry { rule: builder.declare_rule(name), first: span.start, defined: None };
        self.rules.entry(name).or_insert_with(new).rule
    }

    /// A sign of definition that no name precedes.
    fn misplaced_definition(&self, span: Range<usize>) -> Error {
        let before = self.text[..span.start].trim_end();
        if before.ends_with(']') {
            let reason = "GBNF has no attributes such as `name[capture] ::=`; leave them out";
            return faults::unsupported(self.text, span.start, "an attribute of a rule", reason);
        }
        let help = if before.ends_with('>') { "the name of a rule has no angle brackets" } else { "" };
        faults::syntax(self.text, span, "the name of a rule before it", help)
    }

    /// Where a fault lies in the arguments of one of xgrammar's functions, the refusal of that function.
    fn refused_function(&self) -> Option<Error> {
        let name_before = |group: &Group| {
            let length =
                self.text[..group.opened].bytes().rev().take_while(|&byte| is_name_byte(byte)).count();
            group.opened - length..group.opened
        };
        self.groups.iter().skip(1).find_map(|group| faults::function(self.text, name_before(group)))
    }

    /// Refuses the first name that no rule defines.
    fn require_definitions(&self) -> Result<()> {
        let undefined = self.rules.iter().filter(|(_, entry)| entry.defined.is_none());
        let Some((name, entry)) = undefined.min_by_key(|(_, entry)| entry.first) else { return Ok(()) };
        let span = entry.first..entry.first + name.len();
        if let Some(refusal) = faults::function(self.text, span) {
            return Err(refusal);
        }
        // Rules follow one another, so the one that uses it is the last that begins before.
        let before = self.rules.iter().filter_map(|(name, user)| Some((user.defined?, *name)));
        let user = before.filter(|(defined, _)| *defined < entry.first).max();
        Err(faults::undefined(self.text, entry.first, name, user.map(|(_, user)| user), self.defined_names()))
    }

    fn start(&self, root: &str) -> Result<RuleId> {
        if let Some(entry) = self.rules.get(root) {
            return Ok(entry.rule);
        }
        Err(faults::undefined(self.text, self.text.len(), root, None, self.defined_names()))
    }

    fn defined_names(&self) -> impl Iterator<Item = &'t str> {
        self.rules.iter().filter(|(_, entry)| entry.defined.is_some()).map(|(&name, _)| name)
    }

    fn exceeded(&self, budget: &'static str, limit: usize) -> Error {
        Error::exceeded(budget, limit, "while reading the grammar")
    }
}

fn expression_of(builder: &mut GrammarBuilder, item: Item) -> ExpressionId {
    match item {
        Item::Literal(literal) => builder.literals(vec![literal]),
        Item::Expression(expression) => expression,
    }
}
