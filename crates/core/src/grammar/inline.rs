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
//! So such calls are read in place, too: of a text that goes on in the same state nothing has to be found.

use rustc_hash::FxHashSet;

use crate::budget::Deadline;
use crate::error::Result;
use crate::expression::{Expression, ExpressionId, ExpressionStore};

use super::Rule;
use super::closings::{MANY_BYTES, is_open_text, repeats_many_at_end};
use super::fixpoint::NODES_PER_CHECK;
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
    read_in_place(store, rules, deadline, |store, _, body| is_small_and_optional(store, body)).map(|_| ())
}

/// Puts the bodies of texts that may go on where they may end in place of their calls: of those calls that are left once
/// [closings](super::closings) have been put into texts. So are the bodies of rules that end in such a text, and that are
/// called in one place only.
///
/// # Errors
/// [`Error::BudgetExceeded`](crate::Error::BudgetExceeded) when the time is over.
pub(super) fn read_open_texts_in_place(
    store: &mut ExpressionStore,
    rules: &mut [Rule],
    deadline: &Deadline,
) -> Result<()> {
    /// A rule that becomes a text by this is one for its own callers; of those of these in turn, and so on, so many are looked at.
    const ROUNDS: usize = 4;
    for _ in 0..ROUNDS {
        let (places, close) = (places_of_calls(store, rules), counts_closely(store, deadline)?);
        let is_read = |store: &ExpressionStore, at: usize, body| {
            let is_left_by_most_tokens = match store.is_regular(body) {
                true => is_open_text(store, body),
                false => places[at] == 1 && repeats_many_at_end(store, body),
            };
            is_left_by_most_tokens && !close[body.index()]
        };
        if !read_in_place(store, rules, deadline, is_read)? {
            break;
        }
    }
    Ok(())
}

/// Of each expression, by its number, whether so many characters must come somewhere in it that a text before it, of the same
/// characters, leaves a set of numbers: each such set is a state, where a frame is one for each number. Of `{20,80}` the greatest
/// number stands for all, of `{60}` none does.
fn counts_closely(store: &ExpressionStore, deadline: &Deadline) -> Result<Vec<bool>> {
    const FEW: u32 = 8;
    let mut all: Vec<bool> = Vec::with_capacity(store.len());
    for id in store.ids() {
        if id.index() % NODES_PER_CHECK == 0 {
            deadline.check()?;
        }
        let is_close = match store.get(id) {
            Expression::Repetition { body, minimum, maximum } => {
                (FEW..ExpressionStore::UNBOUNDED).contains(&maximum)
                    && minimum > maximum / 2
                    && store.first_bytes(body).len() >= MANY_BYTES
            }
            _ => false,
        };
        all.push(is_close || store.operands(id).iter().any(|operand| all[operand.index()]));
    }
    Ok(all)
}

/// In how many places each rule is called: within other expressions, or as the whole of a rule.
fn places_of_calls(store: &ExpressionStore, rules: &[Rule]) -> Vec<usize> {
    let mut places = vec![0; rules.len()];
    let mut count = |id| {
        if let Expression::Call(rule) = store.get(id) {
            places[rule.index()] += 1;
        }
    };
    let mut seen: FxHashSet<ExpressionId> = rules.iter().map(|rule| rule.body).collect();
    let mut waiting: Vec<ExpressionId> = seen.iter().copied().collect();
    rules.iter().for_each(|rule| count(rule.body));
    while let Some(at) = waiting.pop() {
        if store.is_regular(at) {
            continue;
        }
        for operand in store.operands(at) {
            count(operand);
            waiting.extend(seen.insert(operand).then_some(operand));
        }
    }
    places
}

/// Puts the bodies of some rules in place of their calls. Returns whether anything has changed.
fn read_in_place(
    store: &mut ExpressionStore,
    rules: &mut [Rule],
    deadline: &Deadline,
    is_read_in_place: impl Fn(&ExpressionStore, usize, ExpressionId) -> bool,
) -> Result<bool> {
    let mut in_place: Vec<Option<ExpressionId>> = Vec::with_capacity(rules.len());
    for (at, rule) in rules.iter().enumerate() {
        deadline.check()?;
        in_place.push(Some(rule.body).filter(|&body| is_read_in_place(store, at, body)));
    }
    if in_place.iter().all(Option::is_none) {
        return Ok(false);
    }
    let map = with_parts_replaced(store, deadline, |store, id, _| match store.get(id) {
        Expression::Call(rule) => in_place[rule.index()],
        _ => None,
    })?;
    let mut has_changed = false;
    for rule in rules {
        let body = map[rule.body.index()];
        has_changed |= body != rule.body;
        rule.body = body;
    }
    Ok(has_changed)
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
    fn texts_are_read_in_place_however_long_they_are_and_so_is_what_becomes_one() {
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
        let two = store.concatenation(&[text, text]);
        let body = store.concatenation(&[text, call_quoted, two, text]);
        assert_eq!(rules.iter().map(|rule| rule.body).collect::<Vec<_>>(), [body, text, quoted, two]);
    }

    #[test]
    fn what_counts_closely_stays_a_rule() {
        let mut store = ExpressionStore::new();
        let letter = store.bytes(ByteSet::range(b'a', b'z'));
        let blank = store.literal(b" ");
        for (minimum, maximum, is_read) in [
            (60, Some(60), false),
            (20, Some(25), false),
            (20, Some(80), true),
            (60, None, true),
            (2, Some(2), true),
        ] {
            let text = store.repetition(letter, minimum, maximum);
            let text = store.concatenate(blank, text);
            let call = store.call(RuleId(1));
            let body = store.concatenate(call, blank);
            let mut rules = [body, text].map(rule).to_vec();
            let deadline = Deadline::for_compile(&Budget::default());
            read_open_texts_in_place(&mut store, &mut rules, &deadline).unwrap();
            let expected = if is_read { store.concatenate(text, blank) } else { body };
            assert_eq!(rules[0].body, expected, "{minimum} to {maximum:?}");
        }
    }

    #[test]
    fn what_ends_in_a_text_is_read_in_place_where_it_is_called_once() {
        let mut store = ExpressionStore::new();
        let letter = store.bytes(ByteSet::range(b'a', b'z'));
        let text = store.repetition(letter, 1, Some(20));
        let [once, twice, list] = [1, 2, 3].map(|called| store.call(RuleId(called)));
        let quote = store.literal(b"\"");
        let end = |store: &mut ExpressionStore, first| store.concatenation(&[first, quote, text]);
        let (of_list, of_lists) = (end(&mut store, list), store.concatenation(&[list, list, text]));
        let (left, right) = (store.concatenate(quote, twice), store.concatenate(twice, quote));
        let closed = store.concatenation(&[quote, list, quote]);
        let body = store.alternatives(&[once, left, right]);
        let mut rules = [body, of_list, of_lists, closed].map(rule).to_vec();
        let deadline = Deadline::for_compile(&Budget::default());
        read_open_texts_in_place(&mut store, &mut rules, &deadline).unwrap();
        let body = store.alternatives(&[of_list, left, right]);
        assert_eq!(rules.iter().map(|rule| rule.body).collect::<Vec<_>>(), [body, of_list, of_lists, closed]);
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
