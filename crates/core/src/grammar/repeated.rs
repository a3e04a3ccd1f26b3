//! Fourth pass: what a loop repeats is read in place.
//!
//! A rule that a loop calls may be followed by itself. Where its texts are open, as `[^<&]+` is, they can be over after any
//! character and begin again with the next, so that each token of a text is an exit at which the loop goes on; and a rule
//! of one character opens and completes a frame at each. In place of its call the rule becomes part of the loop, which is one
//! state of which more is known: that it stays the same over most characters.
//!
//! What a loop calls is looked for through rules that choose between others, too, such as a `node` that is a `text` or an `element`.
//! What holds calls itself stays a rule, or becomes one where it stands beside a text ([`hoisted`](super::hoisted)), and so do what is
//! large and what ends by itself, such as a comment: its states and walks are the same wherever it is called.
//!
//! A loop may count, as `char{1,100}` does. What it calls is read in place as it is then: `(x+ | y)*` is `(x | y)*`, while
//! `(x{2,3} | y){1,9}` has to stay a counter in a counter. Nothing is unrolled.

use rustc_hash::FxHashSet;

use crate::budget::Deadline;
use crate::error::Result;
use crate::expression::{Expression, ExpressionId, ExpressionStore, RuleId};

use super::Rule;
use super::closings::{MANY_BYTES, may_go_on};
use super::hoisted::make_rules_beside_texts;
use super::inline::is_small;
use super::replaced::with_parts_replaced;

/// Rules are read in place within rules that are, in turn, so often.
const MOST_ROUNDS: usize = 8;

/// So many alternatives of a loop are looked into at most.
pub(super) const MOST_ALTERNATIVES: usize = 32;

/// Puts the bodies of small rules without calls in place of their calls by loops, and by rules that call nothing else.
///
/// # Errors
/// [`Error::BudgetExceeded`](crate::Error::BudgetExceeded) when the time is over.
pub(super) fn read_repeated_rules_in_place(
    store: &mut ExpressionStore,
    rules: &mut Vec<Rule>,
    deadline: &Deadline,
) -> Result<()> {
    for _ in 0..MOST_ROUNDS {
        let mut has_changed = false;
        if !rules.iter().any(|rule| is_or_holds_text(store, rule.body)) {
            return Ok(());
        }
        make_rules_beside_texts(store, rules, deadline)?;
        let small: Vec<bool> = rules.iter().map(|rule| is_small_text(store, rule.body)).collect();
        let map = with_parts_replaced(store, deadline, |store, id, map| {
            let Expression::Repetition { body, minimum, maximum: maximum @ 2.. } = store.get(id) else {
                return None;
            };
            let most = (maximum != ExpressionStore::UNBOUNDED).then_some(maximum);
            let repeated = Repeated::of(store, body, most.is_some(), rules, &small)?;
            // What was in another rule is replaced in the next round.
            let known = |id: ExpressionId| map.get(id.index()).copied().unwrap_or(id);
            let all: Vec<ExpressionId> = repeated.all.into_iter().map(known).collect();
            let body = store.alternatives(&all);
            let minimum = if repeated.is_optional { 0 } else { minimum };
            Some(store.repetition(body, minimum, most))
        })?;
        for rule in rules.iter_mut() {
            let body = map[rule.body.index()];
            has_changed |= body != rule.body;
            rule.body = body;
        }
        if !has_changed {
            break;
        }
    }
    Ok(())
}

/// What a loop repeats, with rules in place of their calls.
struct Repeated<'a> {
    rules: &'a [Rule],
    small: &'a [bool],
    /// Whether the loop ends by itself, so that it counts what it repeats.
    is_counted: bool,
    /// Choices and loops that have been looked into.
    met: FxHashSet<RuleId>,
    /// The alternatives.
    all: Vec<ExpressionId>,
    /// Whether the loop may be left out, since one of them may.
    is_optional: bool,
}

impl<'a> Repeated<'a> {
    /// What is repeated by a loop of some body; `None` where it calls nothing that can be read in place.
    fn of(
        store: &ExpressionStore,
        body: ExpressionId,
        is_counted: bool,
        rules: &'a [Rule],
        small: &'a [bool],
    ) -> Option<Self> {
        let (met, all, is_optional) = (FxHashSet::default(), Vec::new(), false);
        let mut repeated = Self { rules, small, is_counted, met, all, is_optional };
        repeated.add(store, body).then_some(repeated)
    }

    /// Adds the alternatives of an expression. Returns whether something was read in place.
    ///
    /// A loop without end of `x+` and `y` is one of `x` and `y`, however often at most there is an `x`. Where it is counted,
    /// only what may be left out is taken out of what it is in: of `x?` and `y` it is one of `x` and `y` that may be left out.
    fn add(&mut self, store: &ExpressionStore, id: ExpressionId) -> bool {
        let mut is_changed = false;
        for operand in store.alternatives_of(id) {
            match store.get(operand) {
                Expression::Call(rule) => is_changed |= self.add_call(store, operand, rule),
                _ => match self.repeated_within(store, operand) {
                    Some((body, is_optional)) => {
                        self.is_optional |= is_optional;
                        is_changed |= self.add(store, body);
                    }
                    None => self.all.push(operand),
                },
            }
        }
        is_changed
    }

    fn add_call(&mut self, store: &ExpressionStore, call: ExpressionId, rule: RuleId) -> bool {
        let body = self.rules[rule.index()].body;
        if self.small[rule.index()] {
            self.add(store, body);
            return true;
        }
        let (repeated, is_loop) = match self.repeated_within(store, body) {
            Some((repeated, _)) => (repeated, true),
            None => (body, false),
        };
        let (before, was_optional) = (self.all.len(), self.is_optional);
        if self.chooses(store, repeated)
            && self.may_meet(rule)
            && (self.add(store, body) || is_loop || holds_text(store, repeated))
        {
            return true;
        }
        self.all.truncate(before);
        self.is_optional = was_optional;
        self.all.push(call);
        false
    }

    /// What an expression repeats, where the loop may repeat it in its place, and whether it may be left out.
    fn repeated_within(&self, store: &ExpressionStore, id: ExpressionId) -> Option<(ExpressionId, bool)> {
        match store.get(id) {
            Expression::Repetition { body, minimum: minimum @ (0 | 1), maximum }
                if !self.is_counted || maximum == 1 =>
            {
                Some((body, minimum == 0))
            }
            _ => None,
        }
    }

    /// Whether a rule has not been looked into yet, and may be. Rules are followed by recursion.
    fn may_meet(&mut self, rule: RuleId) -> bool {
        const MOST_RULES: usize = 16;
        self.met.len() < MOST_RULES && self.met.insert(rule)
    }

    /// Whether an expression is nothing but a choice between a few rules, as far as there is room for them.
    ///
    /// What is put in place is calls and what has none, so that what a loop holds itself is never put into it again.
    fn chooses(&self, store: &ExpressionStore, id: ExpressionId) -> bool {
        let is_rule =
            |&id: &ExpressionId| matches!(store.get(id), Expression::Call(_)) || store.is_regular(id);
        self.all.len() + store.width(id) <= MOST_ALTERNATIVES && store.alternatives_of(id).iter().all(is_rule)
    }
}

/// Whether an expression has no calls and few parts, as many as a character beside its escapes has or a few more, and is short or
/// may go on where it may end.
fn is_small_text(store: &ExpressionStore, body: ExpressionId) -> bool {
    const MOST_PARTS: usize = 64;
    let is_short = || is_small(store, body, MOST_PARTS, |_| false);
    store.is_regular(body)
        && (is_short() || may_go_on(store, body) && is_small(store, body, MOST_PARTS, |_| true))
}

/// Whether an expression is what a loop may read in place, or a choice with a text.
fn is_or_holds_text(store: &ExpressionStore, body: ExpressionId) -> bool {
    is_small_text(store, body) || store.width(body) <= MOST_ALTERNATIVES && holds_text(store, body)
}

/// Whether one of the alternatives that are written out is a text.
fn holds_text(store: &ExpressionStore, id: ExpressionId) -> bool {
    store.alternatives_of(id).iter().any(|&id| is_text_of_many_bytes(store, id))
}

/// Whether an expression is a small text that can begin with many bytes, so that a loop of it goes on nearly wherever it may end.
pub(super) fn is_text_of_many_bytes(store: &ExpressionStore, id: ExpressionId) -> bool {
    is_small_text(store, id) && store.first_bytes(id).len() >= MANY_BYTES
}

#[cfg(test)]
mod tests {
    use super::super::RuleName;
    use super::*;
    use crate::budget::Budget;
    use crate::expression::ByteSet;

    fn in_place(store: &mut ExpressionStore, bodies: &[ExpressionId]) -> Vec<ExpressionId> {
        let rule = |body| Rule { name: RuleName::Kind(""), body };
        let mut rules: Vec<Rule> = bodies.iter().copied().map(rule).collect();
        let deadline = Deadline::for_compile(&Budget::default());
        read_repeated_rules_in_place(store, &mut rules, &deadline).unwrap();
        rules.iter().map(|rule| rule.body).collect()
    }

    /// A store with a class of letters, a letter at least once, and calls of five rules.
    fn begun() -> (ExpressionStore, ExpressionId, ExpressionId, [ExpressionId; 5]) {
        let mut store = ExpressionStore::new();
        let letter = store.bytes(ByteSet::range(b'a', b'z'));
        let text = store.repetition(letter, 1, None);
        let calls = [0, 1, 2, 3, 4].map(|rule| store.call(RuleId(rule)));
        (store, letter, text, calls)
    }

    #[test]
    fn what_a_loop_calls_is_read_in_place_and_what_others_call_stays_a_rule() {
        let (mut store, letter, text, [root, text_call, letter_call, ..]) = begun();
        let (begin, end) = (store.literal(b"<b>"), store.literal(b"</b>"));
        let bold = store.concatenation(&[begin, text_call, root, end]);
        let repeated_letter = store.repetition(letter_call, 1, None);
        let either = |store: &mut ExpressionStore, text| {
            let either = store.alternatives(&[text, bold]);
            store.repetition(either, 0, None)
        };
        // The text is one of letters that are rules themselves: it is small only when they are in their place.
        let (with_call, expected) = (either(&mut store, text_call), either(&mut store, letter));
        let found = in_place(&mut store, &[with_call, repeated_letter, letter]);
        assert_eq!(found, [expected, text, letter]);
    }

    #[test]
    fn small_rules_are_found_through_choices_even_where_these_lead_back_to_the_loop() {
        let (mut store, letter, text, [_, node_call, element_call, text_call, other_call]) = begun();
        let (begin, end) = (store.literal(b"<b>"), store.literal(b"</b>"));
        let nodes = |store: &mut ExpressionStore, node| store.repetition(node, 0, None);
        let (with_call, other) = (nodes(&mut store, node_call), nodes(&mut store, other_call));
        let node = store.alternatives(&[element_call, text_call]);
        let in_element = |store: &mut ExpressionStore, nodes| store.concatenation(&[begin, nodes, end]);
        let (element, only) =
            (in_element(&mut store, with_call), store.alternatives(&[element_call, other_call]));
        let found = in_place(&mut store, &[with_call, node, element, text, only]);
        let either = store.alternatives(&[element_call, letter]);
        let expected = nodes(&mut store, either);
        assert_eq!(found, [expected, node, in_element(&mut store, expected), text, only]);
        // What chooses between rules that hold calls stays a rule.
        assert_eq!(in_place(&mut store, &[other, node, element, text, only])[0], other);
    }

    /// What is counted is no loop that may be flattened: of `(x+ | y){2,9}` there are two at least.
    #[test]
    fn what_is_counted_is_read_in_place_as_it_is() {
        let (mut store, letter, text, [root, word_call, letter_call, optional_call, other]) = begun();
        let word = store.repetition(letter, 2, Some(3));
        let optional = store.repetition(letter, 0, Some(1));
        let (begin, end) = (store.literal(b"<b>"), store.literal(b"</b>"));
        let bold = store.concatenation(&[begin, root, end]);
        let counted = |store: &mut ExpressionStore, texts: &[ExpressionId], least| {
            let either = store.alternatives(&[texts, &[bold]].concat());
            store.repetition(either, least, Some(9))
        };
        let bodies = [word, letter, optional, bold];
        let cases = [
            ([word_call, other], 2, [word, other], 2),
            ([letter_call, other], 2, [letter, other], 2),
            ([optional_call, text], 2, [letter, text], 0),
        ];
        for (texts, least, expected, expected_least) in cases {
            let body = counted(&mut store, &texts, least);
            let expected = counted(&mut store, &expected, expected_least);
            assert_eq!(in_place(&mut store, &[&[body], &bodies[..]].concat())[0], expected);
        }
    }

    #[test]
    fn choices_that_hold_a_text_themselves_are_read_in_place() {
        let (mut store, letter, text, [_, node_call, element_call, made_call, _]) = begun();
        let (begin, end) = (store.literal(b"<b>"), store.literal(b"</b>"));
        let nodes = store.repetition(node_call, 0, None);
        let element = |store: &mut ExpressionStore, nodes| store.concatenation(&[begin, nodes, end]);
        let (node, written_out) = (store.alternatives(&[element_call, text]), element(&mut store, nodes));
        let either = store.alternatives(&[element_call, letter]);
        let expected = store.repetition(either, 0, None);
        let expected = [expected, node, element(&mut store, expected)];
        assert_eq!(in_place(&mut store, &[nodes, node, written_out]), expected);
        // An element that is written out beside the text becomes a rule.
        let choice = store.alternatives(&[written_out, text]);
        let found = in_place(&mut store, &[nodes, choice, text])[0];
        let either = store.alternatives(&[made_call, letter]);
        assert_eq!(found, store.repetition(either, 0, None));
    }

    /// Else each round would nest what the loop holds once more, and double it.
    #[test]
    fn a_loop_that_holds_itself_is_not_put_into_itself() {
        let (mut store, letter, _, [root, other, letter_call, ..]) = begun();
        let [twice, thrice] = [2, 3].map(|least| store.repetition(root, least, None));
        let more = store.concatenate(other, thrice);
        let either = store.alternatives(&[root, other, twice, more, letter_call]);
        let (body, other_body) = (store.repetition(either, 1, None), store.repetition(either, 0, None));
        let found = in_place(&mut store, &[body, other_body, letter]);
        assert!(store.len() < 64, "{}", store.len());
        assert!(found.iter().all(|&body| store.height(body) < 12));
    }

    /// Loops of thousands of rules, one in the other or each with all.
    #[test]
    fn many_rules_take_little_more_than_they_have_written_out() {
        const COUNT: u32 = 2000;
        let mut store = ExpressionStore::new();
        let mut bodies = Vec::new();
        let all: Vec<ExpressionId> = (0..COUNT).map(|rule| store.call(RuleId(rule))).collect();
        let choice = store.alternatives(&all);
        for rule in 0..COUNT {
            let name = store.literal(format!("<{rule}>").as_bytes());
            let next = store.call(RuleId((rule + 1) % COUNT));
            let either = match rule % 500 {
                0 => choice,
                _ => store.alternatives(&[name, next]),
            };
            bodies.push(store.repetition(either, 0, None));
        }
        let before = store.size();
        in_place(&mut store, &bodies);
        assert!(store.size() < 40 * before, "{} {before}", store.size());
    }

    #[test]
    fn what_is_large_or_ends_by_itself_stays_a_rule() {
        let (mut store, letter, text, [_, _, second, third, _]) = begun();
        let words = (b'A'..=b'Y').map(|begin| store.literal(&[begin, b'0'])).collect::<Vec<_>>();
        let large: Vec<ExpressionId> = words.into_iter().map(|word| store.concatenate(word, text)).collect();
        let large = store.alternatives(&large);
        let many = [second, third].map(|call| store.repetition(call, 0, None));
        let (begin, end) = (store.literal(b"//"), store.literal(b"\n"));
        let comment = store.concatenation(&[begin, text, end]);
        let body = store.concatenation(&[letter, many[0], letter, many[1]]);
        assert_eq!(in_place(&mut store, &[body, text, large, comment]), [body, text, large, comment]);
    }
}
