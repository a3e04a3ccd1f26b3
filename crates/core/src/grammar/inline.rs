//! Fifth and seventh pass: what may be left out, such as white space, is read in place, and so are texts.
//!
//! A rule that may match nothing is no frame of its own in the middle of another: wherever it is called, what comes after the
//! call is alive beside it, in another frame. Read in place, the two are one state, of which more is known: that it begins with a
//! run of white space, say, behind which nothing is left of the tokens below a node. Bodies are shared, so this writes
//! no more than the calls took.
//!
//! Texts of many kinds of bytes stay rules at first, to be closed: what ends them with the same bytes everywhere is one rule, whose
//! states and walks are the same wherever it is called. Where something else follows, as another rule, a choice or the end of
//! the whole does, a text as a rule may be left after any of its characters, and each of the tokens that stay in it is an exit.
//! So such calls are read in place, too. A text of limited length shows most: which exits are within the limit has to be
//! found one by one, where of a text that goes on in the same state nothing has to be found.

use crate::budget::Deadline;
use crate::error::Result;
use crate::expression::{Expression, ExpressionId, ExpressionStore};

use super::Rule;
use super::closings::{MANY_BYTES, is_open_text};
use super::replaced::with_parts_replaced;

/// Puts the bodies of small rules without calls that may match nothing in place of their calls.
///
/// # Errors
/// [`Error::BudgetExceeded`](crate::Error::BudgetExceeded) when the time is over.
pub(super) fn read_optional_rules_in_place(
    store: &mut ExpressionStore,
    rules: &mut [Rule],
    deadline: &Deadline,
) -> Result<()> {
    read_in_place(store, rules, deadline, is_small_and_optional)
}

/// Puts the bodies of texts that may go on where they may end in place of their calls: of those calls that are left once
/// [closings](super::closings) have been put into texts.
///
/// # Errors
/// [`Error::BudgetExceeded`](crate::Error::BudgetExceeded) when the time is over.
pub(super) fn read_open_texts_in_place(
    store: &mut ExpressionStore,
    rules: &mut [Rule],
    deadline: &Deadline,
) -> Result<()> {
    read_in_place(store, rules, deadline, |store, body| store.is_regular(body) && is_open_text(store, body))
}

/// Puts the bodies of some rules in place of their calls.
fn read_in_place(
    store: &mut ExpressionStore,
    rules: &mut [Rule],
    deadline: &Deadline,
    is_read_in_place: impl Fn(&ExpressionStore, ExpressionId) -> bool,
) -> Result<()> {
    let bodies = rules.iter().map(|rule| Some(rule.body).filter(|&body| is_read_in_place(store, body)));
    let in_place: Vec<Option<ExpressionId>> = bodies.collect();
    if in_place.iter().all(Option::is_none) {
        return Ok(());
    }
    let map = with_parts_replaced(store, deadline, |store, id, _| match store.get(id) {
        Expression::Call(rule) => in_place[rule.index()],
        _ => None,
    })?;
    for rule in rules {
        rule.body = map[rule.body.index()];
    }
    Ok(())
}

/// Whether an expression without calls may match nothing, has few parts, and repeats few kinds of bytes only.
fn is_small_and_optional(store: &ExpressionStore, body: ExpressionId) -> bool {
    const MOST_PARTS: usize = 16;
    let may_repeat = |body| store.first_bytes(body).len() < MANY_BYTES;
    store.is_regular(body) && store.is_nullable(body) && is_small(store, body, MOST_PARTS, may_repeat)
}

/// Whether an expression has so many parts at most, and all that it repeats may be repeated. A character is one part, however it
/// is written.
pub(super) fn is_small(
    store: &ExpressionStore,
    body: ExpressionId,
    most_parts: usize,
    may_repeat: impl Fn(ExpressionId) -> bool,
) -> bool {
    let (mut waiting, mut parts) = (vec![body], 0);
    while let Some(at) = waiting.pop() {
        parts += 1;
        if store.is_one_character(at) {
            continue;
        }
        waiting.extend(store.operands(at));
        let is_plain = match store.get(at) {
            Expression::Repetition { body, .. } => may_repeat(body),
            Expression::Empty
            | Expression::Bytes(_)
            | Expression::Literals(_)
            | Expression::Concatenation(..)
            | Expression::Alternatives(_) => true,
            _ => false,
        };
        if !is_plain || parts + waiting.len() > most_parts {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::RuleName;
    use super::*;
    use crate::budget::Budget;
    use crate::expression::{ByteSet, RuleId};

    fn rule(body: ExpressionId) -> Rule {
        Rule { name: RuleName::Kind(""), body }
    }

    fn in_place(store: &mut ExpressionStore, bodies: &[ExpressionId]) -> Vec<ExpressionId> {
        let mut rules: Vec<Rule> = bodies.iter().copied().map(rule).collect();
        let deadline = Deadline::for_compile(&Budget::default());
        read_optional_rules_in_place(store, &mut rules, &deadline).unwrap();
        rules.iter().map(|rule| rule.body).collect()
    }

    #[test]
    fn white_space_is_read_in_place_of_its_calls() {
        let mut store = ExpressionStore::new();
        let (line, blank) = (store.literal(b"\n"), store.bytes(ByteSet::single(b' ')));
        let blanks = store.repetition(blank, 0, Some(20));
        let indented = store.concatenate(line, blanks);
        let space = store.alternatives(&[ExpressionStore::EMPTY, blank, indented]);
        let [root, call] = [RuleId(0), RuleId(1)].map(|called| store.call(called));
        let (comma, one) = (store.literal(b","), store.literal(b"1"));
        let body = |store: &mut ExpressionStore, space| {
            let more = store.concatenation(&[comma, space, root, space]);
            let more = store.repetition(more, 0, None);
            let list = store.concatenation(&[one, space, more]);
            store.alternatives(&[list, space])
        };
        let (with_calls, expected) = (body(&mut store, call), body(&mut store, space));
        assert_eq!(in_place(&mut store, &[with_calls, space]), [expected, space]);
    }

    #[test]
    fn texts_are_read_in_place_however_large_they_are_but_no_calls_of_what_holds_them() {
        let mut store = ExpressionStore::new();
        let letter = store.bytes(ByteSet::range(b'a', b'z'));
        let quote = store.literal(b"\"");
        let text = store.repetition(letter, 3, Some(2000));
        let quoted = store.concatenation(&[quote, text, quote]);
        let [call, call_quoted, call_two] = [1, 2, 3].map(|called| store.call(RuleId(called)));
        let (two, body) =
            (store.concatenation(&[call, call]), store.concatenation(&[call, call_quoted, call_two, call]));
        let mut rules = [body, text, quoted, two].map(rule).to_vec();
        let deadline = Deadline::for_compile(&Budget::default());
        read_open_texts_in_place(&mut store, &mut rules, &deadline).unwrap();
        let body = store.concatenation(&[text, call_quoted, call_two, text]);
        let two = store.concatenation(&[text, text]);
        assert_eq!(rules.iter().map(|rule| rule.body).collect::<Vec<_>>(), [body, text, quoted, two]);
    }

    #[test]
    fn texts_and_what_is_large_or_always_there_stay_rules() {
        let mut store = ExpressionStore::new();
        let letter = store.bytes(ByteSet::range(b'a', b'z'));
        let text = store.repetition(letter, 0, None);
        let hash = store.literal(b"#");
        let comment = store.concatenate(hash, text);
        let comment = store.repetition(comment, 0, Some(1));
        let blank = store.bytes(ByteSet::single(b' '));
        let blanks = store.repetition(blank, 1, None);
        let large: Vec<ExpressionId> = (1..20)
            .map(|count| {
                let (name, blanks) = (store.literal(&[b'A' + count; 2]), store.repetition(blank, 0, Some(2)));
                store.concatenation(&[name, blanks, hash])
            })
            .chain([ExpressionStore::EMPTY])
            .collect();
        let large = store.alternatives(&large);
        let calls: Vec<ExpressionId> = (1..5).map(|called| store.call(RuleId(called))).collect();
        let body = store.concatenation(&calls);
        let bodies = [body, text, comment, blanks, large];
        assert_eq!(in_place(&mut store, &bodies), bodies);
    }
}
