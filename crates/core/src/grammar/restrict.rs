//! First pass: what the vocabulary can spell.
//!
//! Bytes that occur in no token leave the grammar, so that nothing is promised which no token could
//! ever write. Exact tokens named by text become ids. Rules that stand for one byte set or a few
//! strings are put in place of their calls. Rules that the start rule does not reach are left out.

use crate::budget::Deadline;
use crate::error::{Error, Result};
use crate::excerpt::quote;
use crate::expression::{ByteSet, Expression, ExpressionId, ExpressionStore};
use crate::vocabulary::{TokenReference, TokenSet, Vocabulary};

use super::rebuild::{reachable, rebuild};
use super::{Grammar, Rule};

/// Which of the sets of tokens that a grammar names match something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenSets {
    /// Those in which the vocabulary has a token.
    OfVocabulary,
    /// All in which some vocabulary has one, to tell whether this one is at fault.
    OfAny,
}

/// The grammar over the bytes of an alphabet and the tokens of the vocabulary, in a store of its own.
pub(super) fn restrict(
    grammar: &Grammar,
    vocabulary: &Vocabulary,
    alphabet: &ByteSet,
    token_sets: TokenSets,
    deadline: &Deadline,
) -> Result<(ExpressionStore, Vec<Rule>)> {
    let source = grammar.expressions();
    let reached = reached_rules(grammar);
    let bodies: Vec<ExpressionId> = grammar
        .rules()
        .iter()
        .zip(&reached)
        .map(|(rule, &reached)| if reached { rule.body } else { ExpressionStore::NOTHING })
        .collect();
    let roots = || bodies.iter().copied();
    let reachable = reachable(source, roots());
    let mut tokens = vec![None; source.len()];
    for id in source.ids().filter(|id| reachable[id.index()]) {
        if let Expression::Tokens(set) = source.get(id) {
            let set = source.token_set(set);
            let resolved = resolve(set, vocabulary)?;
            let is_kept = resolved.is_nothing() && token_sets == TokenSets::OfAny;
            tokens[id.index()] = Some(if is_kept { set.clone() } else { resolved });
        }
    }
    let mut target = ExpressionStore::new();
    let map = rebuild(source, roots(), &mut target, deadline, |target, map, id, node| match node {
        Expression::FreeText { table, .. } => {
            Some(target.free_text_from(source, table, alphabet, |after| map[after.index()]))
        }
        Expression::Tokens(_) => tokens[id.index()].take().map(|set| target.tokens(set)),
        Expression::Call(rule) => {
            let body = grammar.rules()[rule.index()].body;
            is_leaf(source.get(body)).then(|| restrict_leaf(source, target, body, alphabet))?
        }
        _ => restrict_leaf(source, target, id, alphabet),
    })?;
    let rules = grammar
        .rules()
        .iter()
        .zip(roots())
        .map(|(rule, body)| Rule { name: rule.name.clone(), body: map[body.index()] })
        .collect();
    Ok((target, rules))
}

/// For each rule, whether the start rule calls it, directly or not.
fn reached_rules(grammar: &Grammar) -> Vec<bool> {
    let source = grammar.expressions();
    let mut reached = vec![false; grammar.rules().len()];
    let mut seen = vec![false; source.len()];
    let mut waiting = vec![grammar.rules()[grammar.start().index()].body];
    reached[grammar.start().index()] = true;
    while let Some(id) = waiting.pop() {
        if std::mem::replace(&mut seen[id.index()], true) {
            continue;
        }
        waiting.extend(source.operands(id));
        if let Expression::Call(rule) = source.get(id) {
            reached[rule.index()] = true;
            waiting.push(grammar.rules()[rule.index()].body);
        }
    }
    reached
}

fn is_leaf(node: Expression) -> bool {
    matches!(node, Expression::Bytes(_) | Expression::Literals(_) | Expression::Empty | Expression::Nothing)
}

/// A byte set or strings over the alphabet; `None` for other nodes.
fn restrict_leaf(
    source: &ExpressionStore,
    target: &mut ExpressionStore,
    id: ExpressionId,
    alphabet: &ByteSet,
) -> Option<ExpressionId> {
    match source.get(id) {
        Expression::Nothing => Some(ExpressionStore::NOTHING),
        Expression::Empty => Some(ExpressionStore::EMPTY),
        Expression::Bytes(set) => Some(target.bytes(source.byte_set(set).intersection(alphabet))),
        Expression::Literals(range) => {
            let depth = range.depth as usize;
            let spelled = source
                .literals_of(range)
                .map(|literal| &literal[depth..])
                .filter(|rest| rest.iter().all(|&byte| alphabet.contains(byte)))
                .map(<[u8]>::to_vec)
                .collect();
            Some(target.literals(spelled))
        }
        _ => None,
    }
}

/// The same set with every token named by id.
fn resolve(set: &TokenSet, vocabulary: &Vocabulary) -> Result<TokenSet> {
    let mut ids = Vec::with_capacity(set.members().len());
    for member in set.members() {
        match member {
            TokenReference::Id(id) if id.index() < vocabulary.token_count() => ids.push(member.clone()),
            TokenReference::Id(id) => {
                return Err(Error::Grammar(format!(
                    "the grammar names the token id {}, but the vocabulary has the ids 0 to {}",
                    id.0,
                    vocabulary.token_count().saturating_sub(1)
                )));
            }
            TokenReference::Name(name) | TokenReference::NameIfKnown(name) => {
                let named = vocabulary.tokens_named(name);
                if named.is_empty() && matches!(member, TokenReference::Name(_)) {
                    return Err(Error::Grammar(format!(
                        "the grammar names the token {}, but no token of the vocabulary has that name or text; name one \
                         that it has, give its id, or write its characters as text",
                        quote(name)
                    )));
                }
                ids.extend(named.iter().map(|&id| TokenReference::Id(id)));
            }
        }
    }
    if set.is_negated() {
        ids.extend(vocabulary.stop_tokens().iter().map(|&id| TokenReference::Id(id)));
        let others = TokenSet::all_but(ids);
        // What leaves out every token must be known to match nothing, or what comes before it would be a dead end.
        let leaves_any = others.members().len() < vocabulary.token_count();
        return Ok(if leaves_any { others } else { TokenSet::of(Vec::new()) });
    }
    Ok(TokenSet::of(ids))
}
