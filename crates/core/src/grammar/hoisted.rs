//! What stands beside a text in a choice becomes a rule of its own, so that a loop can read the choice in its place.
//!
//! `item ::= text | "{" item* "}"` chooses between a text and something that holds `item*` in turn. A loop that read it in
//! place of its call would come to hold itself, and once more in each round. With a rule for `"{" item* "}"` it is a choice between a text
//! and a call, and [`repeated`](super::repeated) reads it in place. This is done only where a loop repeats the choice, and one
//! of its alternatives is a text that can begin with many bytes: elsewhere, the frame more would gain nothing.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::budget::Deadline;
use crate::error::Result;
use crate::expression::{Expression, ExpressionId, ExpressionStore, RuleId};

use super::Rule;
use super::fixpoint::NODES_PER_CHECK;
use super::repeated::{MOST_ALTERNATIVES, is_text_of_many_bytes};

/// Makes rules of alternatives that are neither regular nor calls, in rules that a loop repeats and that may be a text instead.
///
/// # Errors
/// [`Error::BudgetExceeded`](crate::Error::BudgetExceeded) when the time is over.
pub(super) fn make_rules_beside_texts(
    store: &mut ExpressionStore,
    rules: &mut Vec<Rule>,
    deadline: &Deadline,
) -> Result<()> {
    let repeated = repeated_rules(store, rules, deadline)?;
    // What is written out more than once becomes one rule.
    let mut made = FxHashMap::default();
    for at in repeated {
        let body = rules[at.index()].body;
        let (choice, bounds) = match store.get(body) {
            Expression::Repetition { body, minimum, maximum } => (body, Some((minimum, maximum))),
            _ => (body, None),
        };
        if !has_others_beside_texts(store, rules, choice) {
            continue;
        }
        let mut all = store.alternatives_of(choice);
        for alternative in &mut all {
            if !is_other(store, *alternative) {
                continue;
            }
            let rule = *made.entry(*alternative).or_insert_with(|| {
                rules.push(Rule { name: rules[at.index()].name.clone(), body: *alternative });
                RuleId(rules.len() as u32 - 1)
            });
            *alternative = store.call(rule);
        }
        let choice = store.alternatives(&all);
        rules[at.index()].body = match bounds {
            Some((minimum, ExpressionStore::UNBOUNDED)) => store.repetition(choice, minimum, None),
            Some((minimum, maximum)) => store.repetition(choice, minimum, Some(maximum)),
            None => choice,
        };
    }
    Ok(())
}

/// Whether an alternative is neither regular nor the call of a rule.
fn is_other(store: &ExpressionStore, id: ExpressionId) -> bool {
    !store.is_regular(id) && !matches!(store.get(id), Expression::Call(_))
}

/// Whether one of a few alternatives is a small text that begins with many bytes, or a call of one, and another is neither
/// regular nor a call.
fn has_others_beside_texts(store: &ExpressionStore, rules: &[Rule], choice: ExpressionId) -> bool {
    let is_text = |&id: &ExpressionId| match store.get(id) {
        Expression::Call(rule) => is_text_of_many_bytes(store, rules[rule.index()].body),
        _ => is_text_of_many_bytes(store, id),
    };
    (2..=MOST_ALTERNATIVES).contains(&store.width(choice)) && {
        let all = store.alternatives_of(choice);
        all.iter().any(|&id| is_other(store, id)) && all.iter().any(is_text)
    }
}

/// The rules among which a loop chooses, directly or through rules that choose between others.
fn repeated_rules(store: &ExpressionStore, rules: &[Rule], deadline: &Deadline) -> Result<Vec<RuleId>> {
    let mut waiting = Vec::new();
    for id in store.ids() {
        if id.index() % NODES_PER_CHECK == 0 {
            deadline.check()?;
        }
        if let Expression::Repetition { body, maximum: 2.., .. } = store.get(id)
            && !store.is_regular(body)
        {
            waiting.push(body);
        }
    }
    let (mut found, mut seen, mut met) = (Vec::new(), FxHashSet::default(), FxHashSet::default());
    while let Some(id) = waiting.pop() {
        if store.is_regular(id) || !seen.insert(id) {
            continue;
        }
        match store.get(id) {
            Expression::Alternatives(_) => waiting.extend(store.operands(id)),
            Expression::Repetition { body, .. } => waiting.push(body),
            Expression::Call(rule) if met.insert(rule) => {
                found.push(rule);
                waiting.push(rules[rule.index()].body);
            }
            _ => {}
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::super::RuleName;
    use super::*;
    use crate::budget::Budget;
    use crate::expression::ByteSet;

    fn hoisted(store: &mut ExpressionStore, bodies: &[ExpressionId]) -> Vec<ExpressionId> {
        let rule = |body| Rule { name: RuleName::Kind(""), body };
        let mut rules: Vec<Rule> = bodies.iter().copied().map(rule).collect();
        make_rules_beside_texts(store, &mut rules, &Deadline::for_compile(&Budget::default())).unwrap();
        rules.iter().map(|rule| rule.body).collect()
    }

    #[test]
    fn what_holds_a_loop_beside_a_text_becomes_a_rule() {
        let mut store = ExpressionStore::new();
        let letter = store.bytes(ByteSet::range(b'a', b'z'));
        let text = store.repetition(letter, 1, None);
        let [item, text_call, braced, bracketed] = [1, 2, 3, 4].map(|rule| store.call(RuleId(rule)));
        let items = store.repetition(item, 0, None);
        let between = |store: &mut ExpressionStore, begin: &[u8], end: &[u8]| {
            let (begin, end) = (store.literal(begin), store.literal(end));
            store.concatenation(&[begin, items, end])
        };
        let others = [between(&mut store, b"{", b"}"), between(&mut store, b"[", b"]")];
        let choice = store.alternatives(&[text_call, others[0], others[1]]);
        let found = hoisted(&mut store, &[items, choice, text]);
        let mut order = [found[3], found[4]];
        order.sort_unstable();
        let mut expected = others;
        expected.sort_unstable();
        assert_eq!(order, expected);
        assert_eq!(found[1], store.alternatives(&[text_call, braced, bracketed]));
        assert_eq!(found.len(), 5);
        // What is a rule already is left alone.
        assert_eq!(hoisted(&mut store, &found), found);
    }

    #[test]
    fn choices_without_a_text_and_those_that_no_loop_repeats_are_left_alone() {
        let mut store = ExpressionStore::new();
        let letter = store.bytes(ByteSet::range(b'a', b'z'));
        let text = store.repetition(letter, 1, None);
        let [item, number, other] = [1, 2, 3].map(|rule| store.call(RuleId(rule)));
        let (begin, end) = (store.literal(b"{"), store.literal(b"}"));
        let braced = store.concatenation(&[begin, item, end]);
        let digit = store.bytes(ByteSet::range(b'0', b'9'));
        let digits = store.repetition(digit, 1, None);
        let numbers = store.alternatives(&[braced, number, digits]);
        let texts = store.alternatives(&[braced, text]);
        let repeated = store.repetition(item, 0, Some(9));
        let body = store.concatenation(&[repeated, other]);
        let bodies = [body, numbers, digits, texts];
        assert_eq!(hoisted(&mut store, &bodies), bodies);
    }
}
