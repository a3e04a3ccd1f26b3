//! Pass zero: grammars made of grammars become one.
//!
//! A composition holds on to the grammars that it is made of, and costs no more than what it adds. Here they are all
//! put into one store, each once, however often it is used and by however many of the others: so a grammar that is
//! twice the one before, sixty-four times over, has sixty-four rules and not 2⁶⁴.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::builder::{Grammar, LeafSource, Rule, RuleName};
use super::lazy::LazyGrammar;
use super::rebuild::rebuild;
use crate::budget::{Budget, Deadline};
use crate::error::{Error, Result};
use crate::expression::{Expression, ExpressionId, ExpressionStore, LeafId, Owned, RuleId};

/// A composition of up to this size is put in place of each of its calls: frames would cost more.
const SMALL: usize = 64;
/// A composition of up to this size is put in place of its only call. What is alive at the end of a text is then in
/// one frame, to which nobody returns, and one state loops where two frames could not.
const LARGE: usize = 1 << 20;
/// Where its only user calls a composition several times, as a repetition with a separator does, all that is put in place of
/// these calls may be this much. Each is a copy: of sequences that are twice the one before, twenty would be a million nodes.
const COPIES: usize = 1 << 14;
/// A composition whose expressions are higher is never put in the place of a call: a thousand that each stand in the next
/// would make one that nests deeper than any budget allows.
const HIGHEST: usize = 100;

/// A grammar that is in the store already.
#[derive(Clone, Copy)]
struct Linked {
    rule: RuleId,
    /// What stands in the place of a call, where that is small.
    inline: Option<ExpressionId>,
    /// The number of nodes that come with what stands in the place of a call, as often as they stand in it.
    size: usize,
}

#[derive(Default)]
struct Linker {
    expressions: ExpressionStore,
    rules: Vec<Rule>,
    leaves: Vec<LeafSource>,
    /// The rule of each leaf, by its address; `leaves` holds on to it.
    leaf_rules: FxHashMap<usize, RuleId>,
    /// By their address. The grammar that is linked holds on to all of them.
    known: FxHashMap<usize, Linked>,
    /// How often each grammar is a part of others, by its address.
    uses: FxHashMap<usize, usize>,
}

/// The same grammar without parts. Takes time in proportion to all grammars in it.
///
/// # Errors
/// [`Error::BudgetExceeded`] for too many expressions.
pub(super) fn link(whole: &Grammar, budget: &Budget, deadline: &Deadline) -> Result<Grammar> {
    let mut linker = Linker { uses: count_uses(whole), ..Linker::default() };
    let mut waiting = vec![(whole, false)];
    while let Some((grammar, has_parts)) = waiting.pop() {
        if linker.known.contains_key(&address(grammar)) {
            continue;
        }
        if !has_parts {
            waiting.push((grammar, true));
            waiting.extend(parts_of(grammar).map(|part| (part, false)));
            continue;
        }
        deadline.check()?;
        linker.add(grammar, budget, deadline)?;
        if linker.expressions.size() > budget.expressions {
            return Err(Error::exceeded(
                "expressions",
                budget.expressions,
                "by the grammars that one is made of",
            ));
        }
    }
    let start = linker.known[&address(whole)].rule;
    Ok(Grammar::linked_from(linker.expressions, linker.rules, linker.leaves, start))
}

/// How often each grammar is a part of others, by its address.
fn count_uses(whole: &Grammar) -> FxHashMap<usize, usize> {
    let mut uses = FxHashMap::default();
    let mut waiting = vec![whole];
    while let Some(grammar) = waiting.pop() {
        for part in parts_of(grammar) {
            let count = uses.entry(address(part)).or_insert(0);
            *count += 1;
            if *count == 1 {
                waiting.push(part);
            }
        }
    }
    uses
}

/// How often each leaf of a grammar stands in its rules, were they written out as trees.
fn calls_of_leaves(grammar: &Grammar) -> Vec<usize> {
    let source = grammar.expressions();
    let mut occurrences = vec![0usize; source.len()];
    for rule in grammar.rules() {
        occurrences[rule.body.index()] += 1;
    }
    let mut calls = vec![0usize; grammar.leaves().len()];
    for id in source.ids().rev() {
        let times = occurrences[id.index()];
        if let Expression::Deferred(deferred) = source.get(id) {
            let leaf = source.deferred_by(deferred).leaf.index();
            calls[leaf] = calls[leaf].saturating_add(times);
        }
        for operand in source.operands(id) {
            let at = &mut occurrences[operand.index()];
            *at = at.saturating_add(times);
        }
    }
    calls
}

fn parts_of(grammar: &Grammar) -> impl Iterator<Item = &Grammar> {
    grammar.leaves().iter().filter_map(LeafSource::grammar).map(|part| &**part)
}

fn address(grammar: &Grammar) -> usize {
    std::ptr::from_ref(grammar) as usize
}

impl Linker {
    /// Adds a grammar whose parts are there.
    fn add(&mut self, grammar: &Grammar, budget: &Budget, deadline: &Deadline) -> Result<()> {
        let source = grammar.expressions();
        let mut leaves: Vec<Linked> = grammar.leaves().iter().map(|leaf| self.leaf(leaf)).collect();
        let mut size = source.size();
        for (leaf, calls) in leaves.iter_mut().zip(calls_of_leaves(grammar)) {
            let copies = leaf.size.saturating_mul(calls);
            if calls > 1 && leaf.size > SMALL && copies > COPIES {
                leaf.inline = None;
            } else if leaf.inline.is_some() {
                size = size.saturating_add(copies);
            }
        }
        if size > budget.expressions.saturating_sub(self.expressions.size()) {
            // There is no room for copies, but there may be for calls.
            leaves.iter_mut().for_each(|leaf| leaf.inline = None);
            size = source.size();
        }
        let leaf_of = |node| match node {
            Expression::Deferred(deferred) => Some(leaves[source.deferred_by(deferred).leaf.index()]),
            _ => None,
        };
        // A rule that only stands for a leaf is the rule of that leaf.
        let mut own = Vec::with_capacity(grammar.rules().len());
        for rule in grammar.rules() {
            own.push(match leaf_of(source.get(rule.body)) {
                Some(leaf) => leaf.rule,
                None => self.rule(rule.name.clone(), ExpressionStore::NOTHING),
            });
        }
        let bodies = grammar.rules().iter().map(|rule| rule.body);
        let map =
            rebuild(source, bodies, &mut self.expressions, deadline, |target, _, _, node| match node {
                Expression::Call(rule) => Some(target.call(own[rule.index()])),
                node => leaf_of(node).map(|leaf| leaf.inline.unwrap_or_else(|| target.call(leaf.rule))),
            })?;
        for (rule, &id) in grammar.rules().iter().zip(&own) {
            if leaf_of(source.get(rule.body)).is_none() {
                self.rules[id.index()].body = map[rule.body.index()];
            }
        }
        let rule = own[grammar.start().index()];
        let body = self.rules[rule.index()].body;
        let limit = if self.uses.get(&address(grammar)) == Some(&1) { LARGE } else { SMALL };
        let is_low = self.expressions.height(body) <= HIGHEST;
        let inline = (grammar.is_composition() && size <= limit && is_low).then_some(body);
        self.known.insert(address(grammar), Linked { rule, inline, size });
        Ok(())
    }

    fn leaf(&mut self, leaf: &LeafSource) -> Linked {
        let rule = match leaf {
            LeafSource::Grammar(grammar) => return self.known[&address(grammar)],
            LeafSource::Lazy { kind, lazy } => self.lazy(kind, lazy),
        };
        Linked { rule, inline: None, size: 0 }
    }

    /// The rule of all that a lazy grammar matches.
    fn lazy(&mut self, kind: &'static str, lazy: &Arc<dyn LazyGrammar>) -> RuleId {
        let address = Arc::as_ptr(lazy).cast::<()>() as usize;
        if let Some(&known) = self.leaf_rules.get(&address) {
            return known;
        }
        let id = LeafId(self.leaves.len() as u32);
        self.leaves.push(LeafSource::Lazy { kind, lazy: Arc::clone(lazy) });
        let body = self.expressions.deferred(id, Owned::WHOLE);
        let rule = self.rule(RuleName::Kind(kind), body);
        self.leaf_rules.insert(address, rule);
        rule
    }

    fn rule(&mut self, name: RuleName, body: ExpressionId) -> RuleId {
        self.rules.push(Rule { name, body });
        RuleId(self.rules.len() as u32 - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::GrammarBuilder;

    #[test]
    fn compositions_in_one_another_become_no_expression_without_end() {
        let budget = Budget { nesting: Budget::DEEPEST_NESTING, ..Budget::default() };
        let composed = |part: Option<Grammar>| {
            let mut builder = GrammarBuilder::new(&budget);
            let inner = match part {
                Some(part) => builder.part(&Arc::new(part)),
                None => builder.literal(b"a"),
            };
            let separator = builder.literal(b",");
            let more = builder.concatenation(&[inner, separator]);
            let body = builder.repetition(more, 2, None);
            let start = builder.declare_rule("list");
            builder.define_rule(start, body);
            builder.finish_composition(start).unwrap()
        };
        let whole = (0..900).fold(composed(None), |part, _| composed(Some(part)));
        let linked = link(&whole, &budget, &Deadline::for_compile(&budget)).unwrap();
        let heights = linked.rules().iter().map(|rule| linked.expressions().height(rule.body));
        let highest = heights.max().unwrap();
        assert!((50..2 * HIGHEST).contains(&highest), "{highest}");
    }

    /// Compositions in which the one before stands twice, or as often as that.
    #[test]
    fn compositions_that_double_do_not_grow_with_what_they_match() {
        let budget = Budget::default();
        let composed = |parts: &dyn Fn(&mut GrammarBuilder) -> Vec<ExpressionId>| {
            let mut builder = GrammarBuilder::new(&budget);
            let parts = parts(&mut builder);
            let body = builder.concatenation(&parts);
            let start = builder.declare_rule("sequence");
            builder.define_rule(start, body);
            Arc::new(builder.finish_composition(start).unwrap())
        };
        let letters = composed(&|builder| {
            let letters = [b"a", b"b"].map(|letter| builder.literal(letter));
            let rule = builder.declare_rule("letter");
            builder.define_rule(rule, letters[0]);
            vec![builder.call(rule), letters[1]]
        });
        let doubled = (0..400).fold(Arc::clone(&letters), |before, _| {
            composed(&|builder| {
                let part = builder.part(&before);
                vec![part, part]
            })
        });
        let long = composed(&|builder| {
            let letter = builder.literal(b"a");
            let rule = builder.declare_rule("letter");
            builder.define_rule(rule, letter);
            let call = builder.call(rule);
            [call, letter].repeat(1000)
        });
        let often = composed(&|builder| {
            let part = builder.part(&long);
            let letter = builder.literal(b"c");
            [part, letter].repeat(20_000)
        });
        for (whole, most) in [(doubled, 2_000_000), (often, 200_000)] {
            let linked = link(&whole, &budget, &Deadline::for_compile(&budget)).unwrap();
            let size = linked.expressions().size();
            assert!(size < most, "{size}");
        }
    }
}
