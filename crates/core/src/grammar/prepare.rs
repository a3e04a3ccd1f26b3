//! The passes over a grammar, in order.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use crate::budget::{Budget, Deadline};
use crate::error::{Error, Result};
use crate::expression::{
    ByteSet, CaptureId, Emptiness, Endings, Expression, ExpressionId, ExpressionMap, ExpressionStore, LeafId,
    Owned, RuleId, TextId, TokenSetId,
};
use crate::stack;
use crate::vocabulary::{Vocabulary, WholeStrings};

use super::builder::LeafSource;
use super::closings::put_closings_into_texts;
use super::content::Contents;
use super::fixpoint::least_fixpoint;
use super::inline::{read_open_texts_in_place, read_optional_rules_in_place};
use super::lazy::{Dependence, LazyGrammar, Leaf, Workshop};
use super::loops::turn_recursion_into_loops;
use super::productive::drop_unproductive;
use super::rebuild::rebuild;
use super::repeated::read_repeated_rules_in_place;
use super::restrict::{TokenSets, restrict};
use super::{Grammar, Rule, RuleName};

/// A grammar ready for the recogniser: every expression in it matches something that the vocabulary can
/// spell, and calls know whether their rule matches the empty text.
pub(crate) struct PreparedGrammar {
    pub(crate) expressions: ExpressionStore,
    pub(crate) rules: Vec<PreparedRule>,
    pub(crate) start: RuleId,
    /// What is known of the emptiness of expressions of the store.
    pub(crate) emptiness: Emptiness,
    /// Whether any rule names an exact token.
    pub(crate) names_tokens: bool,
    /// Who defines what is deferred, and what has been defined so far.
    pub(super) leaves: Vec<Leaf>,
    /// What the leaves have come to hold beside the expressions, in the size of expressions.
    pub(super) leaves_size: usize,
    defined: ExpressionMap<ExpressionId>,
    /// The first rule met of each body.
    first_of_body: ExpressionMap<RuleId>,
    /// The content hashes found so far.
    pub(super) contents: Contents,
    /// The strings that single tokens of the vocabulary read to their closing quote.
    pub(super) whole_strings: Arc<WholeStrings>,
}

/// What messages call a rule of a [`PreparedGrammar`].
#[derive(Clone, Debug)]
pub(crate) enum PreparedName {
    /// Nothing: they describe what it begins with.
    None,
    /// A name that stands in the grammar.
    Given(Box<str>),
    /// What the leaf says that wrote it, when it is asked.
    Defined(LeafId),
}

/// A rule of a [`PreparedGrammar`].
#[derive(Clone, Debug)]
pub(crate) struct PreparedRule {
    pub(crate) name: PreparedName,
    pub(crate) body: ExpressionId,
    /// The bytes with which a match can begin; possibly more, never fewer.
    pub(crate) first: ByteSet,
    /// Whether it is there so that what it matches is a frame of its own, and says no more than its body does: a
    /// concatenation of regular expressions and calls. Masks take a call of it apart as they do that, and it has no name.
    pub(crate) is_transparent: bool,
}

impl Drop for PreparedGrammar {
    /// The values in a schema nest as deep as the budget allows.
    fn drop(&mut self) {
        let leaves = std::mem::take(&mut self.leaves);
        stack::with_enough(|| drop(leaves));
    }
}

impl PreparedGrammar {
    /// Runs all passes. `simplify` turns direct recursion into loops, reads in place what loops repeat and what may be left out, and
    /// reads what ends a text with it; masks are the same without.
    pub(crate) fn new(
        grammar: &Grammar,
        vocabulary: &Vocabulary,
        budget: &Budget,
        simplify: bool,
    ) -> Result<Self> {
        let deadline = Deadline::for_compile(budget);
        let grammar = grammar.linked(budget, &deadline)?;
        let lazies = || grammar.leaves().iter().filter_map(LeafSource::lazy);
        for lazy in lazies() {
            lazy.check(vocabulary)?;
        }
        if let Some(source) = grammar.sole_lazy() {
            return Self::alone(source, vocabulary, budget, &deadline);
        }
        let leaves: Vec<Leaf> = lazies().zip(0..).map(|(lazy, id)| Leaf::new(LeafId(id), lazy)).collect();
        let start = grammar.start();
        let (mut store, mut rules) = alive(grammar, vocabulary, budget, &deadline)?;
        if simplify {
            turn_recursion_into_loops(&mut store, &mut rules, &deadline)?;
            read_repeated_rules_in_place(&mut store, &mut rules, &deadline)?;
            read_optional_rules_in_place(&mut store, &mut rules, &deadline)?;
            put_closings_into_texts(&mut store, &mut rules, &deadline)?;
            read_open_texts_in_place(&mut store, &mut rules, &deadline)?;
        }
        let (expressions, rules) = with_nullability(&store, rules, &deadline)?;
        let rules = with_first_bytes(&expressions, rules, &leaves, &deadline)?;
        let names_tokens = expressions.ids().any(|id| matches!(expressions.get(id), Expression::Tokens(_)));
        // The searches so far were in another store; their verdicts are found again when needed.
        let emptiness = Emptiness::new(vocabulary.alphabet(), budget);
        deadline.check()?;
        let mut prepared = Self::of(expressions, emptiness, rules, start, leaves, vocabulary);
        prepared.names_tokens = names_tokens;
        Ok(prepared)
    }

    /// What is ready, of rules of which none names an exact token and nothing is defined yet.
    fn of(
        expressions: ExpressionStore,
        emptiness: Emptiness,
        rules: Vec<PreparedRule>,
        start: RuleId,
        leaves: Vec<Leaf>,
        vocabulary: &Vocabulary,
    ) -> Self {
        Self {
            expressions,
            rules,
            start,
            emptiness,
            names_tokens: false,
            leaves,
            leaves_size: 0,
            defined: ExpressionMap::default(),
            first_of_body: ExpressionMap::default(),
            contents: Contents::default(),
            whole_strings: Arc::clone(vocabulary.whole_strings()),
        }
    }

    /// A grammar that is nothing but a leaf, begun in the leaf's own ground. No pass has anything to do.
    fn alone(
        source: &Arc<dyn LazyGrammar>,
        vocabulary: &Vocabulary,
        budget: &Budget,
        deadline: &Deadline,
    ) -> Result<Self> {
        let (mut expressions, mut emptiness) = source.ground(vocabulary.alphabet(), budget);
        let mut rules = Vec::new();
        let mut workshop = Workshop {
            expressions: &mut expressions,
            emptiness: &mut emptiness,
            rules: &mut rules,
            deadline,
        };
        let (leaf, start) = Leaf::alone(source, &mut workshop)?;
        Ok(Self::of(expressions, emptiness, rules, start, vec![leaf], vocabulary))
    }

    /// What it is made of, and what texts have added to it: a measure of the memory in use, in the size of expressions.
    pub(crate) fn size(&self) -> usize {
        self.expressions.size() + self.leaves_size
    }

    /// A rule that matches the same: one for all rules that have the same body, and differ in name only.
    pub(crate) fn same_rule(&mut self, rule: RuleId) -> RuleId {
        *self.first_of_body.entry(self.rules[rule.index()].body).or_insert(rule)
    }

    /// What messages call a rule; `None` where it has no name.
    pub(crate) fn name_of(&self, rule: RuleId) -> Option<String> {
        match self.rules[rule.index()].name {
            PreparedName::None => None,
            PreparedName::Given(ref name) => Some(name.to_string()),
            PreparedName::Defined(leaf) => self.leaves[leaf.index()].name_of(rule),
        }
    }

    /// Whether something deferred that is not defined yet plainly has no regular definition, by
    /// [`Definitions::plainly_nests`](super::lazy::Definitions::plainly_nests).
    pub(crate) fn plainly_nests(&mut self, id: ExpressionId) -> bool {
        let Expression::Deferred(deferred) = self.expressions.get(id) else { return false };
        let Owned { leaf, number } = self.expressions.deferred_by(deferred);
        !self.defined.contains_key(&id) && self.leaves[leaf.index()].plainly_nests(number)
    }

    /// Whether anything is defined on demand.
    pub(crate) fn has_leaves(&self) -> bool {
        !self.leaves.is_empty()
    }

    /// What of that which comes after a capture depends on its text.
    pub(crate) fn dependence(&self, capture: CaptureId) -> Dependence {
        let Owned { leaf, number } = self.expressions.captured_by(capture);
        self.leaves[leaf.index()].dependence(number)
    }

    /// What a deferred expression stands for. Anything else stands for itself.
    pub(crate) fn define(&mut self, id: ExpressionId, deadline: &Deadline) -> Result<ExpressionId> {
        if let Some(&known) = self.defined.get(&id) {
            return Ok(known);
        }
        let Self { expressions, emptiness, rules, leaves, leaves_size, .. } = self;
        let definition = match expressions.get(id) {
            Expression::Deferred(deferred) => {
                let Owned { leaf, number } = expressions.deferred_by(deferred);
                let mut workshop = Workshop { expressions, emptiness, rules, deadline };
                leaves[leaf.index()].ask(leaves_size, |leaf| leaf.define(number, &mut workshop))?
            }
            Expression::Captured { text, capture } => {
                let Owned { leaf, number } = expressions.captured_by(capture);
                let text = (text != TextId::ANY).then(|| expressions.captured_text(text));
                let mut workshop = Workshop { expressions, emptiness, rules, deadline };
                leaves[leaf.index()]
                    .ask(leaves_size, |leaf| leaf.after(number, text.as_deref(), &mut workshop))?
            }
            _ => return Ok(id),
        };
        self.defined.insert(id, definition);
        Ok(definition)
    }

    /// Whether what something stands for has been asked for.
    pub(crate) fn is_defined(&self, id: ExpressionId) -> bool {
        self.defined.contains_key(&id)
    }

    /// A text with which the front end thinks it likely that an expression goes on: its `choice`-th, the likeliest
    /// first; `None` where it knows none.
    pub(crate) fn suggestion(
        &mut self,
        id: ExpressionId,
        choice: u32,
        deadline: &Deadline,
    ) -> Result<Option<Vec<u8>>> {
        let owner = self.heads(id).into_iter().find_map(|node| match node {
            Expression::Deferred(deferred) => Some(self.expressions.deferred_by(deferred)),
            _ => None,
        });
        let Some(Owned { leaf, number }) = owner else { return Ok(None) };
        let Self { expressions, emptiness, rules, leaves, leaves_size, .. } = self;
        let mut workshop = Workshop { expressions, emptiness, rules, deadline };
        leaves[leaf.index()].ask(leaves_size, |leaf| leaf.suggest(number, choice, &mut workshop))
    }

    /// The sets of exact tokens that an expression can read next, rules called included: one of all that are named
    /// together, and those that leave some out.
    pub(crate) fn token_heads(&mut self, id: ExpressionId) -> Vec<TokenSetId> {
        let mut sets = Vec::new();
        self.visit_heads(id, true, |node| {
            if let Expression::Tokens(set) = node {
                sets.push(set);
            }
        });
        sets.sort_unstable();
        sets.dedup();
        let (mut heads, named): (Vec<_>, Vec<_>) =
            sets.into_iter().partition(|&set| self.expressions.token_set(set).is_negated());
        heads.extend(self.expressions.union_of_tokens(&named));
        heads
    }

    /// The nodes at the head of an expression, in no particular order, duplicates possible; calls stand for themselves.
    pub(crate) fn heads(&self, id: ExpressionId) -> Vec<Expression> {
        let mut heads = Vec::new();
        self.visit_heads(id, false, |node| heads.push(node));
        heads
    }

    /// The same, with what is deferred defined, as far as it can be, and what is called taken apart where its name says
    /// nothing.
    pub(crate) fn defined_heads(&mut self, id: ExpressionId, deadline: &Deadline) -> Vec<Expression> {
        let mut heads = Vec::new();
        let mut waiting = vec![id];
        let mut seen = FxHashSet::default();
        while let Some(at) = waiting.pop() {
            for node in self.heads(at) {
                let deferred = match node {
                    Expression::Deferred(id) => {
                        let Owned { leaf, number } = self.expressions.deferred_by(id);
                        self.expressions.deferred(leaf, number)
                    }
                    Expression::Captured { text, capture } => self.expressions.captured(text, capture),
                    Expression::Call(rule) if matches!(self.rules[rule.index()].name, PreparedName::None) => {
                        waiting.extend(seen.insert(rule).then(|| self.rules[rule.index()].body));
                        continue;
                    }
                    node => {
                        heads.push(node);
                        continue;
                    }
                };
                waiting.extend(self.define(deferred, deadline));
            }
        }
        heads
    }

    /// The same expression with what is deferred at the head of each alternative defined.
    pub(crate) fn with_defined_heads(
        &mut self,
        id: ExpressionId,
        deadline: &Deadline,
    ) -> Result<ExpressionId> {
        match self.expressions.get(id) {
            Expression::Deferred(_) | Expression::Captured { .. } => {
                let definition = self.define(id, deadline)?;
                if definition == id { Ok(id) } else { self.with_defined_heads(definition, deadline) }
            }
            Expression::Concatenation(head, tail) => {
                let defined = self.with_defined_heads(head, deadline)?;
                Ok(if defined == head { id } else { self.expressions.concatenate(defined, tail) })
            }
            Expression::Alternatives(_) => {
                let mut operands = self.expressions.operands(id);
                for operand in &mut operands {
                    *operand = self.with_defined_heads(*operand, deadline)?;
                }
                Ok(self.expressions.alternatives(&operands))
            }
            _ => Ok(id),
        }
    }

    /// The bytes with which matches of an expression can begin; possibly more, never fewer. Defines what is
    /// deferred at its head.
    pub(crate) fn first_bytes(&mut self, id: ExpressionId, deadline: &Deadline) -> Result<ByteSet> {
        let (mut first, mut endings) = (ByteSet::EMPTY, Endings::default());
        let mut waiting: SmallVec<[ExpressionId; 8]> = SmallVec::from_iter([id]);
        while let Some(at) = waiting.pop() {
            if endings.is_known(at) || self.expressions.add_beginnings(at, &mut waiting) {
                continue;
            }
            match self.expressions.get(at) {
                Expression::Call(rule) => first = first.union(&self.rules[rule.index()].first),
                Expression::Deferred(_) | Expression::Captured { .. } => {
                    waiting.push(self.define(at, deadline)?);
                }
                Expression::Capture { content, text, capture } => {
                    first = first.union(&self.expressions.first_bytes(content));
                    if self.expressions.is_nullable(content) {
                        waiting.push(self.expressions.captured(text, capture));
                    }
                }
                _ => first = first.union(&self.expressions.first_bytes(at)),
            }
        }
        Ok(first)
    }

    /// Calls back for every node at the head of an expression that is a leaf or a call, perhaps for one more than once;
    /// with `into_calls`, for those at the heads of the rules called, too.
    fn visit_heads(&self, id: ExpressionId, into_calls: bool, mut visit: impl FnMut(Expression)) {
        let mut endings = Endings::default();
        let mut waiting: SmallVec<[ExpressionId; 8]> = SmallVec::from_iter([id]);
        while let Some(at) = waiting.pop() {
            if endings.is_known(at) || self.expressions.add_beginnings(at, &mut waiting) {
                continue;
            }
            let node = self.expressions.get(at);
            visit(node);
            if let (Expression::Call(rule), true) = (node, into_calls) {
                waiting.push(self.rules[rule.index()].body);
            }
        }
    }
}

/// What of the grammar the vocabulary can spell and a text can come to.
///
/// # Errors
/// [`Error::EmptyGrammar`] when that is nothing, with what is at fault: the grammar or the vocabulary.
fn alive(
    grammar: &Grammar,
    vocabulary: &Vocabulary,
    budget: &Budget,
    deadline: &Deadline,
) -> Result<(ExpressionStore, Vec<Rule>)> {
    let alive_over = |alphabet: ByteSet, token_sets| {
        let (store, rules) = restrict(grammar, vocabulary, &alphabet, token_sets, deadline)?;
        let mut emptiness = Emptiness::new(alphabet, budget);
        drop_unproductive(store, rules, grammar.start(), &mut emptiness, deadline)
    };
    let unknown = match alive_over(vocabulary.alphabet(), TokenSets::OfVocabulary) {
        Err(error @ Error::EmptyGrammar(_)) => error,
        other => return other,
    };
    let name = &grammar.rules()[grammar.start().index()].name;
    let is_empty = |token_sets| match alive_over(ByteSet::ALL, token_sets) {
        Ok(_) => Some(false),
        Err(Error::EmptyGrammar(_)) => Some(true),
        Err(_) => None,
    };
    let Some(is_empty_with_all_bytes) = is_empty(TokenSets::OfVocabulary) else { return Err(unknown) };
    if !is_empty_with_all_bytes {
        return Err(Error::EmptyGrammar(format!(
            "the vocabulary cannot spell what the rule `{name}` matches, since all of it has bytes that are in no \
             token; change the grammar, or take a vocabulary that has them"
        )));
    }
    let Some(is_empty_with_all_tokens) = is_empty(TokenSets::OfAny) else { return Err(unknown) };
    Err(Error::EmptyGrammar(if is_empty_with_all_tokens {
        format!(
            "the rule `{name}` matches none, whatever bytes tokens have: what it demands cannot all hold at once, as in \
             `(?=a)b`, or never comes to an end, as in `root ::= \"a\" root`; drop one of the demands, or allow for an end"
        )
    } else {
        format!(
            "the vocabulary has no token for what the rule `{name}` matches, since all of it has exact tokens of which \
             the grammar leaves out each that does not end the text; leave out fewer, or take a vocabulary that has more"
        )
    }))
}

/// Copies the grammar into a store whose calls know whether their rule matches the empty text.
fn with_nullability(
    store: &ExpressionStore,
    rules: Vec<Rule>,
    deadline: &Deadline,
) -> Result<(ExpressionStore, Vec<Rule>)> {
    let values = least_fixpoint(store, &rules, &false, deadline, |id, node, values| match node {
        Expression::Concatenation(head, tail) => values[head.index()] && values[tail.index()],
        Expression::Alternatives(list) => store.list(list).iter().any(|operand| values[operand.index()]),
        Expression::Repetition { body, minimum, .. } => minimum == 0 || values[body.index()],
        Expression::Unordered(unordered) => store.has_match_unordered(unordered, |id| values[id.index()]),
        _ => store.is_nullable(id),
    })?;
    let nullable: Vec<bool> = rules.iter().map(|rule| values[rule.body.index()]).collect();
    let mut target = ExpressionStore::with_nullable_rules(nullable);
    let map = rebuild(store, rules.iter().map(|rule| rule.body), &mut target, deadline, |_, _, _, _| None)?;
    let rules = rules.into_iter().map(|rule| Rule { body: map[rule.body.index()], ..rule }).collect();
    Ok((target, rules))
}

fn with_first_bytes(
    store: &ExpressionStore,
    rules: Vec<Rule>,
    leaves: &[Leaf],
    deadline: &Deadline,
) -> Result<Vec<PreparedRule>> {
    let values = least_fixpoint(store, &rules, &ByteSet::EMPTY, deadline, |id, node, values| match node {
        Expression::Bytes(set) => *store.byte_set(set),
        Expression::Literals(range) => store.next_bytes(range),
        Expression::Concatenation(head, tail) if store.is_nullable(head) => {
            values[head.index()].union(&values[tail.index()])
        }
        Expression::Concatenation(head, _) => values[head.index()],
        Expression::Alternatives(list) => {
            store.list(list).iter().fold(ByteSet::EMPTY, |all, operand| all.union(&values[operand.index()]))
        }
        Expression::Repetition { body, .. } => values[body.index()],
        Expression::Unordered(unordered) => {
            let heads = store.unordered_heads(unordered);
            heads.iter().fold(ByteSet::EMPTY, |all, head| all.union(&values[head.index()]))
        }
        Expression::Intersection(list) => {
            store.list(list).iter().fold(ByteSet::ALL, |all, id| all.intersection(&values[id.index()]))
        }
        Expression::Complement(_) | Expression::JsonString { .. } => ByteSet::ALL,
        Expression::Residue(_) | Expression::FreeText { .. } => store.first_bytes(id),
        Expression::Deferred(deferred) => leaves[store.deferred_by(deferred).leaf.index()].first_bytes(),
        _ => ByteSet::EMPTY,
    })?;
    let first = |rule: &Rule| values[rule.body.index()];
    let prepared = rules.into_iter().map(|rule| PreparedRule {
        first: first(&rule),
        name: match rule.name {
            RuleName::Given(name) => PreparedName::Given(name),
            RuleName::Kind(_) => PreparedName::None,
        },
        body: rule.body,
        is_transparent: false,
    });
    Ok(prepared.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::gbnf;
    use crate::vocabulary::TokenId;

    #[test]
    fn tokens_named_one_by_one_are_read_as_one_set() {
        let vocabulary = Vocabulary::new(vec![Some(b"a".to_vec()); 9], vec![], vec![TokenId(8)], 9).unwrap();
        let budget = Budget::default();
        let text = "root ::= <[1]> \"a\" | <[3]> root | <[4]> | other\nother ::= <[5]> \"a\" | <[5]>";
        let grammar = gbnf::compile(text, "root", &budget).unwrap();
        let mut prepared = PreparedGrammar::new(&grammar, &vocabulary, &budget, true).unwrap();
        let heads = prepared.token_heads(prepared.rules[prepared.start.index()].body);
        let [named] = heads[..] else { panic!("{heads:?}") };
        let named = prepared.expressions.token_set(named);
        let is_named = |id: &u32| named.contains(TokenId(*id));
        assert_eq!((0..9).filter(is_named).collect::<Vec<_>>(), [1, 3, 4, 5]);
    }
}
