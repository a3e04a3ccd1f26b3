//! A rule that calls nothing but small texts becomes one text.
//!
//! A text such as `word ::= [A-Za-z]{1,20}` may be over after any of its characters, and each of these is an exit at which its
//! caller goes on. Where the caller is regular but for its calls, as `word (" " word){0,15}` is, they are read in place,
//! and there is no frame to leave: it is one expression, of which more is known, such as what tokens do to it whatever the
//! numbers are. Nothing is unrolled by this, and since what is read in place is small, as is what comes of it, a ladder of
//! rules that each call the one below twice is left a ladder.
//!
//! What calls anything else keeps its calls, and so do rules of texts that end by themselves, such as strings in quotes: those are
//! the same wherever they are called.

use rustc_hash::FxHashMap;

use crate::expression::{Expression, ExpressionId, ExpressionStore};

use super::Rule;
use super::closings::repeats_many_at_end;
use super::inline::is_small;

/// A text that is read in place has so many parts at most.
const MOST_PARTS: usize = 64;

/// What calls texts has so many parts at most with these in it.
const MOST_PARTS_OF_ALL: usize = 256;

/// Puts the bodies of small rules without calls in place of their calls by rules that call nothing else, where one of them
/// is an open text. Returns whether there are any.
pub(super) fn join_texts(store: &mut ExpressionStore, rules: &mut [Rule]) -> bool {
    let is_text =
        |store: &ExpressionStore, body| store.is_regular(body) && is_small(store, body, MOST_PARTS, |_| true);
    let mut texts: Vec<bool> = rules.iter().map(|rule| is_text(store, rule.body)).collect();
    if !texts.contains(&true) {
        return false;
    }
    let mut has_joined = false;
    // A rule that has become a text is one for its callers, which mostly stand before it.
    for at in (0..rules.len()).rev() {
        let body = rules[at].body;
        if store.is_regular(body) || !calls_small_texts_only(store, rules, &texts, body) {
            continue;
        }
        let joined = with_calls_in_place(store, rules, body, &mut FxHashMap::default());
        rules[at].body = joined;
        texts[at] = is_text(store, joined);
        has_joined = true;
    }
    has_joined
}

/// Whether an expression is regular but for calls of small texts, is not large with these, and one of them is open.
fn calls_small_texts_only(
    store: &ExpressionStore,
    rules: &[Rule],
    texts: &[bool],
    body: ExpressionId,
) -> bool {
    let (mut waiting, mut parts, mut has_open_text) = (vec![body], 0, false);
    while let Some(at) = waiting.pop() {
        parts += 1;
        if store.is_one_character(at) {
            continue;
        }
        match store.get(at) {
            Expression::Call(rule) if texts[rule.index()] => {
                let text = rules[rule.index()].body;
                has_open_text |= repeats_many_at_end(store, text);
                waiting.push(text);
            }
            Expression::Empty
            | Expression::Bytes(_)
            | Expression::Literals(_)
            | Expression::Concatenation(..)
            | Expression::Alternatives(_)
            | Expression::Repetition { .. } => waiting.extend(store.operands(at)),
            _ => return false,
        }
        if parts + waiting.len() > MOST_PARTS_OF_ALL {
            return false;
        }
    }
    has_open_text
}

/// An expression of few parts with the bodies of rules in place of their calls.
fn with_calls_in_place(
    store: &mut ExpressionStore,
    rules: &[Rule],
    id: ExpressionId,
    known: &mut FxHashMap<ExpressionId, ExpressionId>,
) -> ExpressionId {
    if store.is_regular(id) {
        return id;
    }
    if let Some(&known) = known.get(&id) {
        return known;
    }
    let node = store.get(id);
    let new = match node {
        Expression::Call(rule) => rules[rule.index()].body,
        _ => {
            let mut operands = store.operands(id);
            for operand in &mut operands {
                *operand = with_calls_in_place(store, rules, *operand, known);
            }
            store.with_operands(node, &operands).unwrap_or(id)
        }
    };
    known.insert(id, new);
    new
}

#[cfg(test)]
mod tests {
    use super::super::RuleName;
    use super::*;
    use crate::expression::{ByteSet, RuleId};

    fn joined(store: &mut ExpressionStore, bodies: &[ExpressionId]) -> Vec<ExpressionId> {
        let rule = |body| Rule { name: RuleName::Kind(""), body };
        let mut rules: Vec<Rule> = bodies.iter().copied().map(rule).collect();
        join_texts(store, &mut rules);
        rules.iter().map(|rule| rule.body).collect()
    }

    /// A list of up to 16 of something, with a separator between two.
    fn list(store: &mut ExpressionStore, item: ExpressionId, separator: &[u8]) -> ExpressionId {
        let separator = store.literal(separator);
        let more = store.concatenate(separator, item);
        let more = store.repetition(more, 0, Some(15));
        store.concatenate(item, more)
    }

    #[test]
    fn lists_of_texts_and_lists_of_these_become_texts() {
        let mut store = ExpressionStore::new();
        let letter = store.bytes(ByteSet::range(b'a', b'z'));
        let word = store.repetition(letter, 1, Some(20));
        let [line_call, word_call] = [1, 2].map(|rule| store.call(RuleId(rule)));
        let (lines, line) = (list(&mut store, line_call, b"\n"), list(&mut store, word_call, b" "));
        let found = joined(&mut store, &[lines, line, word]);
        let line = list(&mut store, word, b" ");
        assert_eq!(found, [list(&mut store, line, b"\n"), line, word]);
    }

    #[test]
    fn rules_that_call_others_or_no_open_text_are_left_alone() {
        let mut store = ExpressionStore::new();
        let letter = store.bytes(ByteSet::range(b'a', b'z'));
        let digit = store.bytes(ByteSet::range(b'0', b'9'));
        let (word, number) = (store.repetition(letter, 1, None), store.repetition(digit, 1, Some(9)));
        // A text in quotes ends by itself.
        let quote = store.literal(b"'");
        let quoted = store.concatenation(&[quote, word, quote]);
        let number = store.alternatives(&[number, quoted]);
        let (begin, end) = (store.literal(b"("), store.literal(b")"));
        let [nested_call, word_call, number_call] = [0, 1, 2].map(|rule| store.call(RuleId(rule)));
        let nested = store.concatenation(&[begin, nested_call, end]);
        let nested = store.alternatives(&[nested, word_call]);
        let numbers = list(&mut store, number_call, b", ");
        let bodies = [nested, word, number, numbers];
        assert_eq!(joined(&mut store, &bodies), bodies);
    }

    #[test]
    fn a_text_is_open_whatever_it_begins_with_and_may_end_with() {
        let mut store = ExpressionStore::new();
        let letter = store.bytes(ByteSet::range(b'a', b'z'));
        let letters = store.repetition(letter, 0, Some(80));
        let (begin, space, line) = (store.literal(b"# "), store.literal(b" "), store.literal(b"\n"));
        let space = store.repetition(space, 0, Some(1));
        let title = store.concatenation(&[begin, letters, space]);
        let call = store.call(RuleId(1));
        let body = store.concatenate(call, line);
        let expected = store.concatenate(title, line);
        assert_eq!(joined(&mut store, &[body, title]), [expected, title]);
    }

    /// Each calls the one below ten times.
    #[test]
    fn what_doubles_is_not_written_out() {
        let mut store = ExpressionStore::new();
        let letter = store.bytes(ByteSet::range(b'a', b'z'));
        let mut bodies = vec![store.repetition(letter, 1, None)];
        let comma = store.literal(b",");
        for rule in 0..50 {
            let call = store.call(RuleId(rule));
            bodies.push(store.concatenation(&[call, comma].repeat(10)));
        }
        let before = store.len();
        joined(&mut store, &bodies);
        assert!(store.len() < before + 200, "{} {before}", store.len());
    }
}
