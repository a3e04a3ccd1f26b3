//! Sixth pass: what ends a text is read in the same rule as the text.
//!
//! A rule that may be over after any of its bytes, such as a text without quotes, completes its frame at every token that
//! stays in it, and each of these is an exit at which the caller goes on. Where the caller goes on with fixed bytes or an exact token, a rule
//! of both together is called in their place: its frame completes only where those have been read. Such rules
//! are one for all calls that are alike, so that they share states and walks as the texts alone do. What stands in an element,
//! text or other elements, is such a text too.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::budget::Deadline;
use crate::error::Result;
use crate::expression::{Expression, ExpressionId, ExpressionStore, RuleId};

use super::Rule;
use super::replaced::with_parts_replaced;

/// A rule that repeats fewer bytes than this is left by few tokens.
pub(super) const MANY_BYTES: usize = 16;

/// Puts fixed bytes, or an exact token, that follow a call of an open text into rules of the two together.
///
/// # Errors
/// [`Error::BudgetExceeded`](crate::Error::BudgetExceeded) when the time is over.
pub(super) fn put_closings_into_texts(
    store: &mut ExpressionStore,
    rules: &mut Vec<Rule>,
    deadline: &Deadline,
) -> Result<()> {
    let open: Vec<bool> = rules.iter().map(|rule| is_open_text(store, rule.body)).collect();
    if !open.contains(&true) {
        return Ok(());
    }
    let (mut closed, mut made) = (FxHashMap::default(), Vec::new());
    let map = with_parts_replaced(store, deadline, |store, id, map| {
        let Expression::Concatenation(head, tail) = store.get(id) else { return None };
        let found = text_and_closing(store, &open, head, tail)?;
        let rule = *closed.entry((rules[found.text.index()].body, found.closing)).or_insert_with(|| {
            made.push((found.text, found.closing));
            RuleId((rules.len() + made.len() - 1) as u32)
        });
        let call = store.call(rule);
        Some(match found.rest {
            Some(rest) => store.concatenate(call, map[rest.index()]),
            None => call,
        })
    })?;
    for rule in rules.iter_mut() {
        rule.body = map[rule.body.index()];
    }
    for (text, closing) in made {
        let text = &rules[text.index()];
        let (name, body) = (text.name.clone(), store.concatenate(text.body, closing));
        rules.push(Rule { name, body });
    }
    Ok(())
}

/// A call of an open text, and what follows it.
struct TextAndClosing {
    text: RuleId,
    closing: ExpressionId,
    rest: Option<ExpressionId>,
}

fn text_and_closing(
    store: &ExpressionStore,
    open: &[bool],
    head: ExpressionId,
    tail: ExpressionId,
) -> Option<TextAndClosing> {
    let Expression::Call(text) = store.get(head) else { return None };
    let (closing, rest) = match store.get(tail) {
        Expression::Concatenation(closing, rest) => (closing, Some(rest)),
        _ => (tail, None),
    };
    let is_fixed = match store.get(closing) {
        // A frame that ended within a character would be left there by tokens that go on with another one.
        Expression::Literals(_) | Expression::Bytes(_) => store.is_text(closing),
        Expression::Tokens(_) => true,
        _ => false,
    };
    (is_fixed && open.get(text.index()) == Some(&true)).then_some(TextAndClosing { text, closing, rest })
}

/// Whether an expression is a text of many kinds of bytes that may go on where it may end.
pub(super) fn is_open_text(store: &ExpressionStore, body: ExpressionId) -> bool {
    may_go_on(store, body)
        && (store.repeated_bytes(body).len() >= MANY_BYTES || repeats_many_at_end(store, body))
}

/// Whether an expression ends in a repetition of many kinds of bytes, whatever it begins with and may end with.
pub(super) fn repeats_many_at_end(store: &ExpressionStore, body: ExpressionId) -> bool {
    /// Conditions within conditions are looked into so deep.
    const DEEPEST: usize = 4;
    repeats_many_within(store, body, DEEPEST)
}

fn repeats_many_within(store: &ExpressionStore, body: ExpressionId, depth: usize) -> bool {
    let (mut waiting, mut seen) = (vec![body], FxHashSet::default());
    while let Some(at) = waiting.pop() {
        if !seen.insert(at) {
            continue;
        }
        match store.get(at) {
            Expression::Concatenation(head, tail) => {
                waiting.push(tail);
                if store.is_nullable(tail) {
                    waiting.push(head);
                }
            }
            Expression::Alternatives(_) => waiting.extend(store.operands(at)),
            // What must not be is mostly something longer than a character, and all else may go on with any.
            Expression::Complement(_) => return true,
            Expression::Intersection(_)
                if depth > 0
                    && (store.operands(at).into_iter())
                        .all(|operand| repeats_many_within(store, operand, depth - 1)) =>
            {
                return true;
            }
            Expression::Repetition { body, maximum, .. } => {
                if maximum > 1 && store.first_bytes(body).len() >= MANY_BYTES {
                    return true;
                }
                waiting.push(body);
            }
            _ => {}
        }
    }
    false
}

/// Whether there may be more of an expression where it is complete.
pub(super) fn may_go_on(store: &ExpressionStore, body: ExpressionId) -> bool {
    let (mut waiting, mut seen) = (vec![body], FxHashSet::default());
    while let Some(mut at) = waiting.pop() {
        while let Expression::Concatenation(_, tail) = store.get(at) {
            at = tail;
        }
        match store.get(at) {
            Expression::Repetition { .. } | Expression::Intersection(_) | Expression::Complement(_) => {
                return true;
            }
            Expression::Alternatives(_) if seen.insert(at) => waiting.extend(store.operands(at)),
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::RuleName;
    use super::*;
    use crate::budget::Budget;
    use crate::expression::ByteSet;
    use crate::vocabulary::{TokenId, TokenReference, TokenSet};

    fn rule(body: ExpressionId) -> Rule {
        Rule { name: RuleName::Kind(""), body }
    }

    #[test]
    fn a_text_and_its_closing_become_one_rule_for_all_calls() {
        let mut store = ExpressionStore::new();
        let letter = store.bytes(ByteSet::range(b'a', b'z'));
        let text = store.repetition(letter, 0, Some(9));
        let (call, end) = (store.call(RuleId(1)), store.literal(b"</p>"));
        let (other, value) = (store.literal(b"|"), store.call(RuleId(2)));
        let closed = store.concatenate(call, end);
        let more = store.concatenation(&[call, end, value, call, other]);
        let many = store.repetition(closed, 2, None);
        let body = store.alternatives(&[more, many]);
        let mut rules = vec![rule(body), rule(text), rule(value)];
        put_closings_into_texts(&mut store, &mut rules, &Deadline::for_compile(&Budget::default())).unwrap();
        let [first, second] = [RuleId(3), RuleId(4)].map(|made| store.call(made));
        let more = store.concatenation(&[first, value, second]);
        let many = store.repetition(first, 2, None);
        assert_eq!(rules[0].body, store.alternatives(&[more, many]));
        assert_eq!(rules.len(), 5);
        assert_eq!(rules[3].body, store.concatenate(text, end));
        assert_eq!(rules[4].body, store.concatenate(text, other));
    }

    /// As parameters that come in any order, and what tags of free text open, are.
    #[test]
    fn a_closing_comes_into_texts_among_members_and_behind_tags() {
        let mut store = ExpressionStore::new();
        let letter = store.bytes(ByteSet::range(b'a', b'z'));
        let text = store.repetition(letter, 0, Some(9));
        let (call, end, line) = (store.call(RuleId(1)), store.literal(b"</p>"), store.literal(b"\n"));
        let member = |store: &mut ExpressionStore, name: &[u8], text: &[ExpressionId]| {
            let name = store.literal(name);
            store.concatenation(&[&[name], text].concat())
        };
        let body = |store: &mut ExpressionStore, text: &[ExpressionId]| {
            let members = [&b"<a>"[..], b"<b>"].map(|name| (member(store, name, text), true));
            let members = store.any_order(&members, line);
            let behind = member(store, b"1", text);
            let free = store.free_text(&[(b"<t>", behind)], true, 1 << 20).unwrap();
            store.alternatives(&[members, free])
        };
        let mut rules = vec![rule(body(&mut store, &[call, end])), rule(text)];
        put_closings_into_texts(&mut store, &mut rules, &Deadline::for_compile(&Budget::default())).unwrap();
        let closed = store.call(RuleId(2));
        assert_eq!(rules[0].body, body(&mut store, &[closed]));
        assert_eq!(rules[2].body, store.concatenate(text, end));
    }

    #[test]
    fn a_text_behind_a_fixed_beginning_is_closed_too() {
        let mut store = ExpressionStore::new();
        let letter = store.bytes(ByteSet::range(b'a', b'z'));
        let (mark, letters) = (store.literal(b"# "), store.repetition(letter, 0, Some(80)));
        let text = store.concatenate(mark, letters);
        let (call, end) = (store.call(RuleId(1)), store.literal(b"\n"));
        let mut rules = vec![rule(store.concatenate(call, end)), rule(text)];
        put_closings_into_texts(&mut store, &mut rules, &Deadline::for_compile(&Budget::default())).unwrap();
        assert_eq!(rules[0].body, store.call(RuleId(2)));
        assert_eq!(rules[2].body, store.concatenation(&[mark, letters, end]));
    }

    /// The closing comes into the text, which holds elements with it in turn.
    #[test]
    fn a_text_that_holds_elements_is_closed_in_each_of_them() {
        let mut store = ExpressionStore::new();
        let letter = store.bytes(ByteSet::range(b'a', b'z'));
        let (begin, end) = (store.literal(b"<b>"), store.literal(b"</b>"));
        let [text, element, closed] = [RuleId(1), RuleId(2), RuleId(3)].map(|called| store.call(called));
        let either = store.alternatives(&[letter, element]);
        let nodes = store.repetition(either, 0, None);
        let body = store.concatenation(&[begin, text, end]);
        let mut rules = [element, nodes, body].map(rule).to_vec();
        put_closings_into_texts(&mut store, &mut rules, &Deadline::for_compile(&Budget::default())).unwrap();
        assert_eq!(rules[2].body, store.concatenate(begin, closed));
        assert_eq!(rules[3].body, store.concatenate(nodes, end));
        assert_eq!(rules.len(), 4);
    }

    #[test]
    fn a_closing_does_not_end_within_a_character() {
        let mut store = ExpressionStore::new();
        let letter = store.bytes(ByteSet::range(b'a', b'z'));
        let (text, call) = (store.repetition(letter, 0, Some(2)), store.call(RuleId(1)));
        let parts = [0xC3, 0xA9].map(|byte| store.bytes(ByteSet::single(byte)));
        let body = store.concatenation(&[call, parts[0], parts[1], letter]);
        let mut rules = [body, text].map(rule).to_vec();
        put_closings_into_texts(&mut store, &mut rules, &Deadline::for_compile(&Budget::default())).unwrap();
        assert_eq!(rules.iter().map(|rule| rule.body).collect::<Vec<_>>(), [body, text]);
    }

    #[test]
    fn conditions_end_in_many_where_all_of_them_do() {
        let mut store = ExpressionStore::new();
        let any = store.bytes(ByteSet::ALL);
        let (text, counted) = (store.repetition(any, 0, None), store.repetition(any, 1, Some(9)));
        let mark = store.literal(b"!");
        let ended = store.concatenate(text, mark);
        let within = store.concatenation(&[text, mark, text]);
        let without = store.complement(within);
        for (parts, expected) in
            [(vec![counted, without], true), (vec![counted, within], true), (vec![counted, ended], false)]
        {
            let all = store.intersection(&parts);
            let behind = store.concatenate(mark, all);
            assert_eq!(repeats_many_at_end(&store, behind), expected, "{parts:?}");
        }
    }

    #[test]
    fn an_exact_token_closes_a_text() {
        let mut store = ExpressionStore::new();
        let letter = store.bytes(ByteSet::range(b'a', b'z'));
        let (text, call) = (store.repetition(letter, 0, Some(9)), store.call(RuleId(1)));
        let token = store.tokens(TokenSet::of(vec![TokenReference::Id(TokenId(7))]));
        let (body, closed) = (store.concatenation(&[call, token, letter]), store.concatenate(text, token));
        let mut rules = [body, text].map(rule).to_vec();
        put_closings_into_texts(&mut store, &mut rules, &Deadline::for_compile(&Budget::default())).unwrap();
        let made = store.call(RuleId(2));
        let expected = [store.concatenate(made, letter), text, closed];
        assert_eq!(rules.iter().map(|rule| rule.body).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn texts_that_end_by_themselves_and_few_bytes_are_left_alone() {
        let mut store = ExpressionStore::new();
        let (digit, letter) =
            (store.bytes(ByteSet::range(b'0', b'9')), store.bytes(ByteSet::range(b'a', b'z')));
        let (digits, letters) = (store.repetition(digit, 1, None), store.repetition(letter, 1, None));
        let quote = store.literal(b"\"");
        let quoted = store.concatenation(&[quote, letters, quote]);
        let calls = [RuleId(1), RuleId(2), RuleId(3)].map(|called| store.call(called));
        let body = store.concatenation(&[calls[0], quote, calls[1], quote, calls[2], calls[0]]);
        let before = [body, digits, quoted, letters];
        let mut rules = before.map(rule).to_vec();
        put_closings_into_texts(&mut store, &mut rules, &Deadline::for_compile(&Budget::default())).unwrap();
        assert_eq!(rules.iter().map(|rule| rule.body).collect::<Vec<_>>(), before);
    }
}
