//! Repetitions: their constructor, and how those that stand together become one.
//!
//! A counter is one node whatever it counts to, so where texts count in several ways at once, as derivatives of
//! counters do, the ways are to be one counter again. There are three: neighbours in a concatenation, alternatives that
//! differ in a counter only, and lengths that an intersection asks for beside a repetition.

use std::ops::Range;

use smallvec::SmallVec;

use super::normal_form::Operands;
use super::{Expression, ExpressionId, ExpressionStore};

/// The least and the greatest number of times of a repetition.
type Bounds = (u32, u32);

/// The body of a repetition, and what follows it.
type CountedKey = (ExpressionId, ExpressionId);

impl ExpressionStore {
    /// Matches `body` at least `minimum` and at most `maximum` times (`None`: without limit).
    /// A maximum below the minimum matches nothing.
    pub fn repetition(&mut self, body: ExpressionId, minimum: u32, maximum: Option<u32>) -> ExpressionId {
        self.repetition_raw(body, minimum, maximum.unwrap_or(Self::UNBOUNDED))
    }

    pub(super) fn repetition_raw(&mut self, body: ExpressionId, minimum: u32, maximum: u32) -> ExpressionId {
        if maximum < minimum {
            return Self::NOTHING;
        }
        if maximum == 0 || body == Self::EMPTY {
            return Self::EMPTY;
        }
        if body == Self::NOTHING {
            return if minimum == 0 { Self::EMPTY } else { Self::NOTHING };
        }
        // A nullable body can always be repeated less often than asked, by matching nothing.
        let minimum = if self.is_nullable(body) { 0 } else { minimum };
        if (minimum, maximum) == (1, 1) {
            return body;
        }
        if let Expression::Repetition { body: inner, minimum: least, maximum: most } = self.get(body)
            && let Some((minimum, maximum)) = nested_bounds((least, most), (minimum, maximum))
        {
            return self.repetition_raw(inner, minimum, maximum);
        }
        self.intern(Expression::Repetition { body, minimum, maximum })
    }

    /// Two neighbours of which both are repetitions of one body, or one is and the other is the body, as one repetition:
    /// `e{a,b} e{c,d}` is `e{a+c,b+d}`; so is a character of several twice, `..` is `.{2}`: what is known of counted characters is known
    /// of those that are written out. Of two of which one takes in the other, that one.
    pub(super) fn merge_neighbours(&mut self, a: ExpressionId, b: ExpressionId) -> Option<ExpressionId> {
        if a == b && self.is_one_of_many_characters(a) {
            return Some(self.repetition_raw(a, 2, 2));
        }
        let Some((body, (least, most), (least_next, most_next))) = self.common_body(a, b) else {
            return self.taking_in_the_other(a, b);
        };
        let sum = |a: u32, b: u32| a.checked_add(b).filter(|&sum| sum != Self::UNBOUNDED);
        let most = match (most, most_next) {
            (Self::UNBOUNDED, _) | (_, Self::UNBOUNDED) => Self::UNBOUNDED,
            (a, b) => sum(a, b)?,
        };
        Some(self.repetition_raw(body, sum(least, least_next)?, most))
    }

    /// Whether an expression is one character, and any of several.
    fn is_one_of_many_characters(&self, id: ExpressionId) -> bool {
        self.is_one_character(id)
            && match self.get(id) {
                Expression::Bytes(set) => self.byte_set(set).len() > 1,
                _ => true,
            }
    }

    /// The one of two repetitions that repeats without bounds, among others, the bytes of which the other one may repeat some:
    /// `[0-9]*` beside `.*` says nothing.
    fn taking_in_the_other(&self, a: ExpressionId, b: ExpressionId) -> Option<ExpressionId> {
        let (
            Expression::Repetition { body, minimum: 0, maximum },
            Expression::Repetition { body: next, minimum: 0, maximum: most_next },
        ) = (self.get(a), self.get(b))
        else {
            return None;
        };
        match () {
            () if most_next == Self::UNBOUNDED && self.reads_each_byte(next, body) => Some(b),
            () if maximum == Self::UNBOUNDED && self.reads_each_byte(body, next) => Some(a),
            () => None,
        }
    }

    /// Whether an expression reads each byte of another one, which is of bytes, plainly and by itself.
    fn reads_each_byte(&self, id: ExpressionId, bytes: ExpressionId) -> bool {
        let Expression::Bytes(bytes) = self.get(bytes) else { return false };
        let among = match self.get(id) {
            Expression::Alternatives(list) => self.list(list),
            _ => &[id],
        };
        among.iter().any(|&one| match self.get(one) {
            Expression::Bytes(set) => self.byte_set(bytes).difference(self.byte_set(set)).is_empty(),
            _ => false,
        })
    }

    /// The body of which both expressions are repetitions, at least one of them a real one.
    fn common_body(&self, a: ExpressionId, b: ExpressionId) -> Option<(ExpressionId, Bounds, Bounds)> {
        let as_repetition = |id| match self.get(id) {
            Expression::Repetition { body, minimum, maximum } => Some((body, (minimum, maximum))),
            _ => None,
        };
        match (as_repetition(a), as_repetition(b)) {
            (Some((body, first)), Some((other, second))) if body == other => Some((body, first, second)),
            (Some((body, first)), _) if body == b => Some((body, first, (1, 1))),
            (_, Some((body, second))) if body == a => Some((body, (1, 1), second)),
            _ => None,
        }
    }

    /// Merges operands that differ in one counter only, where their bounds touch:
    /// `e{a,b} k | e{c,d} k` is `e{min(a,c),max(b,d)} k` when no count lies between.
    pub(super) fn merge_counters(&mut self, operands: &mut Operands) {
        let mut counted: SmallVec<[(CountedKey, Bounds, ExpressionId); 4]> = SmallVec::new();
        for &operand in operands.iter() {
            let (head, tail) = self.head_and_rest(operand);
            if let Expression::Repetition { body, minimum, maximum } = self.get(head) {
                counted.push(((body, tail), (minimum, maximum), operand));
            }
        }
        if counted.len() < 2 {
            return;
        }
        counted.sort_unstable();
        let mut groups: SmallVec<[(CountedKey, Bounds, Range<usize>); 4]> = SmallVec::new();
        for (at, &(key, (minimum, maximum), _)) in counted.iter().enumerate() {
            match groups.last_mut() {
                Some((last, (_, most), members)) if *last == key && minimum <= most.saturating_add(1) => {
                    *most = (*most).max(maximum);
                    members.end = at + 1;
                }
                _ => groups.push((key, (minimum, maximum), at..at + 1)),
            }
        }
        groups.retain(|(.., members)| members.len() > 1);
        if groups.is_empty() {
            return;
        }
        let members = groups.iter().flat_map(|(.., members)| &counted[members.clone()]);
        let mut gone: Vec<ExpressionId> = members.map(|&(.., operand)| operand).collect();
        gone.sort_unstable();
        operands.retain(|id| gone.binary_search(id).is_err());
        for ((body, tail), (minimum, maximum), _) in groups {
            let repetition = self.repetition_raw(body, minimum, maximum);
            operands.push(self.concatenate(repetition, tail));
        }
        operands.sort_unstable();
        operands.dedup();
    }

    /// Merges operands that begin alike and differ behind that in one counter only, where its bounds touch:
    /// `h e{a,b} k | h e{c,d} k` is `h e{min(a,c),max(b,d)} k`, and `h k` counts as none of any `e`. Such are left of a text that
    /// can be taken for so many of what is counted, or for one more.
    pub(super) fn merge_later_counters(&mut self, operands: &mut Operands) {
        /// More operands that begin alike are not compared with each other.
        const MOST: usize = 32;
        let mut begun: SmallVec<[(ExpressionId, ExpressionId); 8]> =
            operands.iter().map(|&operand| (self.head_and_rest(operand).0, operand)).collect();
        begun.sort_unstable();
        if begun.windows(2).all(|pair| pair[0].0 != pair[1].0) {
            return;
        }
        operands.clear();
        for alike in begun.chunk_by(|(one, _), (other, _)| one == other) {
            let (first, is_few) = (operands.len(), alike.len() <= MOST);
            for &(_, mut operand) in alike {
                let mut at = first;
                while is_few && at < operands.len() {
                    match self.merge_behind(operands[at], operand) {
                        Some(both) => {
                            operands.swap_remove(at);
                            (operand, at) = (both, first);
                        }
                        None => at += 1,
                    }
                }
                operands.push(operand);
            }
        }
        operands.sort_unstable();
        operands.dedup();
    }

    /// Two chains as one, where they differ in one counter only and its bounds touch.
    fn merge_behind(&mut self, mut one: ExpressionId, mut other: ExpressionId) -> Option<ExpressionId> {
        /// Chains are as long as patterns are, and most that begin alike differ in more than a counter.
        const DEEPEST: usize = 8;
        let mut before: SmallVec<[ExpressionId; DEEPEST]> = SmallVec::new();
        loop {
            let [(head, rest), (other_head, other_rest)] =
                [one, other].map(|chain| self.head_and_rest(chain));
            if head != other_head || head == Self::EMPTY {
                break;
            }
            if before.len() == DEEPEST {
                return None;
            }
            before.push(head);
            (one, other) = (rest, other_rest);
        }
        let both = self.merge_counted(one, other)?;
        Some(before.iter().rev().fold(both, |chain, &head| self.concatenate(head, chain)))
    }

    /// Two chains as one that begins with a counter, where only this differs, or one has none.
    fn merge_counted(&mut self, one: ExpressionId, other: ExpressionId) -> Option<ExpressionId> {
        let [(head, rest), (other_head, other_rest)] = [one, other].map(|chain| self.head_and_rest(chain));
        let is_empty = one == Self::EMPTY || other == Self::EMPTY;
        let (body, rest, bounds, other_bounds) = if rest == other_rest && !is_empty {
            let (body, bounds, other_bounds) = self.common_body(head, other_head)?;
            (body, rest, bounds, other_bounds)
        } else {
            let (counter, rest) = if rest == other { (head, rest) } else { (other_head, other_rest) };
            let Expression::Repetition { body, minimum, maximum } = self.get(counter) else { return None };
            (rest == one || rest == other).then_some((body, rest, (0, 0), (minimum, maximum)))?
        };
        let (low, high) = (bounds.min(other_bounds), bounds.max(other_bounds));
        if high.0 > low.1.saturating_add(1) {
            return None;
        }
        let counter = self.repetition_raw(body, low.0, low.1.max(high.1));
        Some(self.concatenate(counter, rest))
    }

    /// The operands with fewer of them, where some are so many of any characters and others so many of some:
    /// `[a-z]{a,b}` and `.{c,d}` are `[a-z]{max(a,c),min(b,d)}`, and so are `[a-z]{a,b}` and `[a-z]{c,d}`. All lengths are
    /// merged at once, since there may be thousands.
    pub(super) fn merge_lengths(&mut self, operands: &Operands) -> Option<Operands> {
        let as_repetition = |id: ExpressionId| match self.get(id) {
            Expression::Repetition { body, minimum, maximum } => Some((body, (minimum, maximum))),
            _ => None,
        };
        let mut repetitions: SmallVec<[(ExpressionId, Bounds); 4]> =
            operands.iter().filter_map(|&id| as_repetition(id)).collect();
        if repetitions.len() < 2 {
            return None;
        }
        repetitions.sort_unstable();
        let within = |one: Bounds, other: Bounds| (one.0.max(other.0), one.1.min(other.1));
        let lengths = || repetitions.iter().filter(|&&(body, _)| self.is_any_character(body));
        let length = lengths().map(|&(_, bounds)| bounds).reduce(within);
        let any = lengths().map(|&(body, _)| body).next().filter(|_| lengths().nth(1).is_some());
        let is_counted =
            |body| !self.is_any_character(body) && self.is_text(body) && self.is_one_character(body);
        let of_bodies = repetitions.chunk_by(|(one, _), (other, _)| one == other);
        let mut counted = of_bodies.filter(|alike| alike.len() > 1 || length.is_some());
        let (body, bounds) = match counted.find(|alike| is_counted(alike[0].0)) {
            Some(alike) => {
                (alike[0].0, alike.iter().map(|&(_, bounds)| bounds).chain(length).reduce(within)?)
            }
            None => (any?, length?),
        };
        let is_merged = |&id: &ExpressionId| {
            as_repetition(id).is_some_and(|(other, _)| other == body || self.is_any_character(other))
        };
        let mut merged: Operands = operands.iter().copied().filter(|id| !is_merged(id)).collect();
        merged.push(self.repetition_raw(body, bounds.0, bounds.1));
        Some(merged)
    }

    /// The operands with fewer of them, where one is so many of some characters, and another says that these are not so many:
    /// `[a-z]{2,9}` that is not `[a-z]{5,}` is `[a-z]{2,4}`. Where more and fewer are left, the operands stay as they are.
    pub(super) fn leave_out_lengths(&mut self, operands: &Operands) -> Option<Operands> {
        let excluded = |id: ExpressionId| match self.get(id) {
            Expression::Complement(operand) => self.as_counted(operand),
            _ => None,
        };
        operands.iter().find(|&&id| excluded(id).is_some())?;
        for &counted in operands {
            let Some((body, (mut least, mut most))) = self.as_counted(counted) else { continue };
            let mut left: Operands = operands.iter().copied().filter(|&id| id != counted).collect();
            left.retain(|&mut id| {
                let Some((_, (minimum, maximum))) = excluded(id).filter(|&(other, _)| other == body) else {
                    return true;
                };
                match (minimum <= least, maximum >= most) {
                    _ if minimum > most || maximum < least => {}
                    (true, true) => (least, most) = (1, 0),
                    (true, false) => least = maximum + 1,
                    (false, true) => most = minimum - 1,
                    (false, false) => return true,
                }
                false
            });
            if left.len() + 1 < operands.len() {
                left.push(self.repetition_raw(body, least, most));
                return Some(left);
            }
        }
        None
    }

    /// The body and the bounds of a repetition of one character at a time, so that a text is counted in one way.
    fn as_counted(&self, id: ExpressionId) -> Option<(ExpressionId, Bounds)> {
        match self.get(id) {
            Expression::Repetition { body, minimum, maximum }
                if self.is_any_character(body) || self.is_text(body) && self.is_one_character(body) =>
            {
                Some((body, (minimum, maximum)))
            }
            _ => None,
        }
    }
}

/// How often the body of a repetition comes that is repeated itself, where it may be any number between two: `(e{a,b}){c,d}` is
/// `e{ac,bd}` unless there are numbers between that of no times, as in `(ee)?`.
///
/// With n repetitions it is from an to bn times. With one more, it goes on where that ended, at the latest one past it, if
/// a(n + 1) is bn + 1 at most; and so it is for all greater n if it is for the least.
fn nested_bounds((least, most): Bounds, (minimum, maximum): Bounds) -> Option<Bounds> {
    const UNBOUNDED: u32 = ExpressionStore::UNBOUNDED;
    let product = |a: u32, b: u32| a.checked_mul(b).filter(|&product| product != UNBOUNDED);
    let is_gapless = minimum == maximum
        || match most {
            UNBOUNDED => minimum > 0 || least <= 1,
            _ => product(minimum, most)?.checked_add(1)? >= product(least, minimum.checked_add(1)?)?,
        };
    if !is_gapless {
        return None;
    }
    let maximum = match (most, maximum) {
        (UNBOUNDED, _) | (_, UNBOUNDED) => UNBOUNDED,
        _ => product(most, maximum)?,
    };
    Some((product(least, minimum)?, maximum))
}

#[cfg(test)]
mod tests {
    use super::super::ByteSet;
    use super::super::every_text::texts;
    use super::*;

    fn letters(store: &mut ExpressionStore) -> ExpressionId {
        store.bytes(ByteSet::range(b'a', b'z'))
    }

    #[test]
    fn counters_that_touch_are_merged_and_others_are_kept() {
        let mut store = ExpressionStore::new();
        let letter = letters(&mut store);
        let end = store.literal(b"!");
        let counted = |store: &mut ExpressionStore, least, most| {
            let repetition = store.repetition(letter, least, Some(most));
            store.concatenate(repetition, end)
        };
        let (low, high) = (counted(&mut store, 2, 4), counted(&mut store, 5, 9));
        let joined = counted(&mut store, 2, 9);
        assert_eq!(store.alternatives(&[high, low]), joined);
        let far = counted(&mut store, 11, 12);
        let apart = store.alternatives(&[low, far]);
        assert!(matches!(store.get(apart), Expression::Alternatives(_)));
    }

    #[test]
    fn characters_of_several_that_are_written_out_are_counted() {
        let mut store = ExpressionStore::new();
        let (letter, any, end) = (letters(&mut store), store.any_character(), store.literal(b"!"));
        for character in [letter, any] {
            let written_out = store.concatenation(&[character, character, character, end]);
            let counted = store.repetition(character, 3, Some(3));
            assert_eq!(written_out, store.concatenate(counted, end));
            let left = store.derive_whole(written_out, b'x', &mut ByteSet::ALL.clone());
            assert_eq!(left, store.concatenation(&[character, character, end]));
        }
        let (one, part) = (store.literal(b"x"), store.bytes(ByteSet::range(0x80, 0xBF)));
        for other in [one, part] {
            let twice = store.concatenation(&[other, other, end]);
            assert!(!matches!(store.get(store.head_and_rest(twice).0), Expression::Repetition { .. }));
        }
    }

    #[test]
    fn counters_behind_the_same_beginning_are_merged_where_they_touch() {
        let (a, b, c) = (b"a", b"b", b"c");
        for (one, other, is_merged) in [
            ((0, Some(2)), (0, Some(1)), true),
            ((2, Some(3)), (1, Some(2)), true),
            ((3, Some(3)), (2, Some(2)), true),
            ((2, None), (0, Some(1)), true),
            ((0, None), (3, None), true),
            ((3, Some(4)), (0, Some(1)), false),
            ((0, Some(0)), (1, Some(3)), true),
            ((0, Some(0)), (2, Some(3)), false),
            ((1, Some(1)), (2, Some(3)), true),
        ] {
            for end in [&[][..], &c[..]] {
                let mut store = ExpressionStore::new();
                let [a, b] = [a, b].map(|letter| store.literal(letter));
                let (some, end) = (store.repetition(a, 1, None), store.literal(end));
                let chains = [one, other].map(|(least, most)| {
                    let counted = store.repetition(b, least, most);
                    store.concatenation(&[some, counted, end])
                });
                let both = store.alternatives(&chains);
                assert_eq!(store.width(both) == 1, is_merged, "{one:?} {other:?}");
                for text in texts(b"abc", 6) {
                    let expected = chains.iter().any(|&chain| store.matches(chain, &text));
                    assert_eq!(store.matches(both, &text), expected, "{one:?} {other:?} {text:?}");
                }
            }
        }
    }

    #[test]
    fn a_text_that_can_be_cut_into_more_or_fewer_parts_has_one_counter() {
        let mut store = ExpressionStore::new();
        let letter = letters(&mut store);
        let (word, blank) = (store.repetition(letter, 1, None), store.literal(b" "));
        let blank = store.repetition(blank, 0, Some(1));
        let part = store.concatenate(word, blank);
        let mut at = store.repetition(part, 3, Some(1000));
        for _ in 0..300 {
            at = store.derive_whole(at, b'a', &mut ByteSet::ALL.clone());
            assert!(store.width(at) <= 2, "{}", store.width(at));
        }
        assert!(store.len() < 3000, "{}", store.len());
    }

    #[test]
    fn neighbouring_repetitions_of_one_body_become_one() {
        let mut store = ExpressionStore::new();
        let letter = letters(&mut store);
        let some = store.repetition(letter, 1, Some(3));
        let more = store.repetition(letter, 0, None);
        let both = store.concatenation(&[some, more]);
        assert_eq!(both, store.repetition(letter, 1, None));
        let nearly_all = store.repetition(letter, 0, Some(ExpressionStore::UNBOUNDED - 1));
        let twice = store.concatenation(&[nearly_all, nearly_all]);
        assert!(matches!(store.get(twice), Expression::Concatenation(..)), "no overflow of the sum");
    }

    #[test]
    fn a_repetition_takes_in_those_of_some_of_its_bytes_beside_it() {
        let mut store = ExpressionStore::new();
        let (digit, letter) =
            (store.bytes(ByteSet::range(b'0', b'1')), store.bytes(ByteSet::range(b'a', b'b')));
        let word = store.literal(b"ba");
        let either = store.bytes(ByteSet::range(b'0', b'b'));
        let other = store.alternatives(&[digit, word]);
        let mut parts = Vec::new();
        for body in [digit, letter, either, other] {
            for (least, most) in [(0, None), (0, Some(2)), (1, None)] {
                parts.push(store.repetition(body, least, most));
            }
        }
        let mut taken_in = 0;
        for &one in &parts {
            for &next in &parts {
                let both = store.concatenate(one, next);
                taken_in += usize::from(both == one || both == next);
                for text in texts(b"01ab", 4) {
                    let expected = (0..=text.len()).any(|at| {
                        let (before, after) = text.split_at(at);
                        store.matches(one, before) && store.matches(next, after)
                    });
                    assert_eq!(store.matches(both, &text), expected, "{one:?} {next:?} {text:?}");
                }
            }
        }
        assert!(taken_in > 8, "{taken_in}");
    }

    #[test]
    fn a_nullable_body_needs_no_minimum() {
        let mut store = ExpressionStore::new();
        let letter = letters(&mut store);
        let maybe = store.repetition(letter, 0, Some(1));
        let five = store.repetition(maybe, 5, Some(7));
        assert!(store.is_nullable(five));
        assert!(matches!(store.get(five), Expression::Repetition { minimum: 0, maximum: 7, .. }));
    }

    #[test]
    fn a_repetition_of_a_repetition_has_one_counter_where_all_numbers_between_are_met() {
        const MOST: u32 = 4;
        let bounds = || (0..MOST).flat_map(|least| (least.max(1)..MOST).map(move |most| (least, Some(most))));
        let bounds = || bounds().chain((0..MOST).map(|least| (least, None)));
        for (inner, outer) in bounds().flat_map(|inner| bounds().map(move |outer| (inner, outer))) {
            let mut store = ExpressionStore::new();
            let a = store.literal(b"a");
            let once = store.repetition(a, inner.0, inner.1);
            let both = store.repetition(once, outer.0, outer.1);
            let met = |count: u32| {
                let limit = outer.1.unwrap_or(count + outer.0);
                (outer.0..=limit).any(|times| {
                    let most = inner.1.map_or(u32::MAX, |most| most * times);
                    count == 0 && times == 0 || times > 0 && (inner.0 * times..=most).contains(&count)
                })
            };
            for count in 0..20 {
                let text = vec![b'a'; count as usize];
                assert_eq!(store.matches(both, &text), met(count), "{inner:?} {outer:?} {count}");
            }
            let ends = (0..30).filter(|&count| met(count) != met(count + 1)).count() + usize::from(met(0));
            let body = match store.get(both) {
                Expression::Repetition { body, .. } => body,
                _ => both,
            };
            assert_eq!(body == a, ends <= 2, "{inner:?} {outer:?}");
        }
    }

    #[test]
    fn thousands_of_lengths_are_merged_without_recursion() {
        let mut store = ExpressionStore::new();
        let (any, letter) = (store.any_character(), letters(&mut store));
        let mut all: Vec<ExpressionId> =
            (0..20_000).map(|at| store.repetition(any, at, Some(40_000 - at))).collect();
        assert_eq!(store.intersection(&all), store.repetition(any, 19_999, Some(20_001)));
        all.push(store.repetition(letter, 20_000, None));
        assert_eq!(store.intersection(&all), store.repetition(letter, 20_000, Some(20_001)));
    }

    #[test]
    fn counters_of_the_same_characters_are_one_in_an_intersection() {
        let mut store = ExpressionStore::new();
        let letter = letters(&mut store);
        let bounds = || (0..4).flat_map(|least| (least..5).map(move |most| (least, most)));
        for (one, other) in bounds().flat_map(|one| bounds().map(move |other| (one, other))) {
            let [first, second] =
                [one, other].map(|(least, most)| store.repetition(letter, least, Some(most)));
            let both = store.intersection(&[first, second]);
            let (least, most) = (one.0.max(other.0), one.1.min(other.1));
            if one.1 > 1 && other.1 > 1 {
                assert_eq!(both, store.repetition(letter, least, Some(most)), "{one:?} {other:?}");
            }
            let not_second = store.complement(second);
            let only_first = store.intersection(&[first, not_second]);
            for length in 0..6 {
                let text = vec![b'x'; length];
                let has = [first, second].map(|id| store.matches(id, &text));
                assert_eq!(store.matches(both, &text), has[0] && has[1], "{one:?} {other:?} {length}");
                assert_eq!(store.matches(only_first, &text), has[0] && !has[1], "{one:?} {other:?} {length}");
            }
            let is_split = one.0 < other.0 && other.1 < one.1;
            if one.1 > 1 && other.1 > 1 && !is_split {
                assert!(!matches!(store.get(only_first), Expression::Intersection(_)), "{one:?} {other:?}");
            }
        }
        // A text may be counted in several ways where what is counted is not one character.
        let a = store.literal(b"a");
        let ends = store.repetition(a, 1, Some(2));
        let [three, four] = [3, 4].map(|count| store.repetition(ends, count, Some(count)));
        let both = store.intersection(&[three, four]);
        assert!(store.matches(both, b"aaaaa") && !store.matches(both, b"aaa"));
    }

    #[test]
    fn lengths_of_text_go_into_counters_of_its_characters_and_no_others() {
        let mut store = ExpressionStore::new();
        let any = store.any_character();
        let short = store.repetition(any, 0, Some(5));
        let ideographs = store.characters(&[('一', '龥')]);
        let surrogate = [(0xED, 0xED), (0xA0, 0xBF), (0x80, 0xBF)];
        let surrogate = surrogate.map(|(first, last)| store.bytes(ByteSet::range(first, last)));
        let surrogate = store.concatenation(&surrogate);
        for (body, is_text) in [(ideographs, true), (surrogate, false)] {
            let long = store.repetition(body, 2, None);
            let both = store.intersection(&[short, long]);
            assert_eq!(both == store.repetition(body, 2, Some(5)), is_text);
        }
    }
}
