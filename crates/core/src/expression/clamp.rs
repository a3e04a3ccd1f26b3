//! Counters as coarse as one token can tell apart.

use super::store::ExpressionMap;
use super::{Escape, Expression, ExpressionId, ExpressionStore};

/// An expression that begins with a repetition, taken apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counted {
    /// What is repeated.
    pub(crate) body: ExpressionId,
    /// How often it may still be repeated; [`ExpressionStore::UNBOUNDED`] for no limit.
    pub(crate) maximum: u32,
    /// What comes after it.
    pub(crate) rest: ExpressionId,
    /// The whole with any number of repetitions.
    pub(crate) uncounted: ExpressionId,
}

impl ExpressionStore {
    /// Takes an expression apart that begins with a repetition, possibly under other conditions that are met where
    /// nothing has been read.
    pub(crate) fn uncounted(&mut self, id: ExpressionId) -> Option<Counted> {
        match self.get(id) {
            Expression::Concatenation(head, tail) => {
                let counted = self.uncounted(head)?;
                let rest = self.concatenate(counted.rest, tail);
                let uncounted = self.concatenate(counted.uncounted, tail);
                // What the tail takes in is not read before it any more.
                let is_apart = self.head_and_rest(uncounted).0 == counted.uncounted;
                is_apart.then_some(Counted { rest, uncounted, ..counted })
            }
            Expression::JsonString { content, escape: Escape::None, spelling } => {
                let counted = self.uncounted(content)?;
                let rest = self.json_string(counted.rest, spelling);
                let uncounted = self.json_string(counted.uncounted, spelling);
                Some(Counted { rest, uncounted, ..counted })
            }
            Expression::Repetition { body, maximum, .. } => {
                let uncounted = self.repetition_raw(body, 0, Self::UNBOUNDED);
                Some(Counted { body, maximum, rest: Self::EMPTY, uncounted })
            }
            Expression::Intersection(_) => {
                let operands = self.operands(id);
                let counts = |&operand: &ExpressionId| match self.get(operand) {
                    Expression::Repetition { minimum, maximum, .. } => {
                        (minimum, maximum) != (0, Self::UNBOUNDED)
                    }
                    _ => false,
                };
                let counter = operands.iter().copied().find(counts)?;
                if operands.iter().any(|&operand| operand != counter && !self.is_nullable(operand)) {
                    return None;
                }
                let counted = self.uncounted(counter)?;
                let uncounted: Vec<ExpressionId> = operands
                    .into_iter()
                    .map(|operand| if operand == counter { counted.uncounted } else { operand })
                    .collect();
                let uncounted = self.intersection(&uncounted);
                Some(Counted { uncounted, ..counted })
            }
            _ => None,
        }
    }

    /// The expression with counters past `horizon` made coarser, such that no text of up to `horizon`
    /// bytes can tell the difference: neither by being refused nor by completing the expression.
    ///
    /// Every further repetition reads at least one byte, so a maximum past the horizon is as good as
    /// none, and a minimum past it cannot be met. Inside intersections and complements counters decide
    /// what is empty. They are left alone there, but for maxima of an intersection where a match is known to be near,
    /// and lengths of texts that can be made longer.
    pub(crate) fn clamp(&mut self, id: ExpressionId, horizon: u32) -> ExpressionId {
        self.clamp_each(id, horizon, &mut ExpressionMap::default())
    }

    /// The same, where some alternatives are known already: what is left of a number of hundreds of digits, as of a bound, comes in very
    /// many of them.
    fn clamp_each(
        &mut self,
        id: ExpressionId,
        horizon: u32,
        known: &mut ExpressionMap<ExpressionId>,
    ) -> ExpressionId {
        if !self.counts_past(id, horizon) {
            return id;
        }
        match self.get(id) {
            Expression::Concatenation(..) => {
                let mut parts = Vec::new();
                let mut at = id;
                while let Expression::Concatenation(head, tail) = self.get(at) {
                    if !self.counts_past(at, horizon) {
                        break;
                    }
                    parts.push(self.clamp_each(head, horizon, known));
                    at = tail;
                }
                parts.push(if matches!(self.get(at), Expression::Concatenation(..)) {
                    at
                } else {
                    self.clamp_each(at, horizon, known)
                });
                self.concatenation(&parts)
            }
            node @ Expression::Alternatives(_) => {
                if let Some(&clamped) = known.get(&id) {
                    return clamped;
                }
                let mut operands = self.operands(id);
                operands.iter_mut().for_each(|operand| *operand = self.clamp_each(*operand, horizon, known));
                let clamped = self.with_operands(node, &operands).unwrap_or(id);
                known.insert(id, clamped);
                clamped
            }
            Expression::Repetition { body, minimum, maximum } => {
                let body = self.clamp_each(body, horizon, known);
                let maximum = if maximum > horizon { Self::UNBOUNDED } else { maximum };
                self.repetition_raw(body, minimum.min(horizon.saturating_add(1)), maximum)
            }
            Expression::JsonString { content, escape, spelling } => {
                let content = self.clamp_each(content, horizon, known);
                self.json_string_in(content, escape, spelling)
            }
            Expression::Intersection(_) => self
                .with_near_length(id, horizon)
                .or_else(|| self.without_far_maxima(id, horizon))
                .unwrap_or(id),
            _ => id,
        }
    }

    /// Whether there may be counters past a horizon.
    fn counts_past(&self, id: ExpressionId, horizon: u32) -> bool {
        self.greatest_counter(id) > horizon
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ByteSet, Emptiness, Spelling};
    use super::*;
    use crate::budget::{Budget, Deadline};

    #[test]
    fn only_counters_past_the_horizon_change() {
        let mut store = ExpressionStore::new();
        let letter = store.bytes(ByteSet::range(b'a', b'z'));
        let end = store.literal(b"!");
        let counted = |store: &mut ExpressionStore, least, most| {
            let repetition = store.repetition(letter, least, most);
            store.concatenate(repetition, end)
        };
        for (least, most, clamped_least, clamped_most) in [
            (0, Some(10), 0, Some(10)),
            (0, Some(11), 0, None),
            (10, Some(1000), 10, None),
            (500, Some(1000), 11, None),
            (500, None, 11, None),
        ] {
            let (given, expected) =
                (counted(&mut store, least, most), counted(&mut store, clamped_least, clamped_most));
            assert_eq!(store.clamp(given, 10), expected, "{{{least},{most:?}}}");
        }
    }

    #[test]
    fn what_is_met_on_very_many_ways_is_clamped_once() {
        let mut store = ExpressionStore::new();
        let letters = [b"a", b"b", b"c"].map(|letter| store.literal(letter));
        let both = [Some(1000), None].map(|most| {
            let mut at = store.repetition(letters[2], 0, most);
            for _ in 0..100 {
                let twice = store.concatenation(&[letters[1], letters[0], at]);
                let once = store.concatenate(letters[0], at);
                at = store.alternatives(&[once, twice]);
            }
            at
        });
        assert_eq!(store.clamp(both[0], 10), both[1]);
    }

    #[test]
    fn counters_inside_a_complement_are_left_alone() {
        let mut store = ExpressionStore::new();
        let letter = store.bytes(ByteSet::ALL);
        let short = store.repetition(letter, 0, Some(1000));
        let long = store.complement(short);
        assert_eq!(store.clamp(long, 10), long);
    }

    /// Compares two contents by all texts of some letters up to a length: what is alive after them, and what matches.
    fn compare(store: &mut ExpressionStore, given: ExpressionId, clamped: ExpressionId, length: u32) {
        let mut emptiness = Emptiness::new(ByteSet::ALL, &Budget::default());
        let deadline = Deadline::for_compile(&Budget::default());
        let mut texts = vec![(String::new(), given, clamped)];
        while let Some((text, given, clamped)) = texts.pop() {
            assert_eq!(store.is_nullable(given), store.is_nullable(clamped), "{text:?}");
            let alive = [given, clamped].map(|id| emptiness.is_alive_content(store, id, &deadline).unwrap());
            assert_eq!(alive[0], alive[1], "{text:?}");
            if alive[0] && (text.len() as u32) < length {
                for byte in *b"ab " {
                    let next =
                        [given, clamped].map(|id| store.derive_whole(id, byte, &mut ByteSet::ALL.clone()));
                    texts.push((text.clone() + &char::from(byte).to_string(), next[0], next[1]));
                }
            }
        }
    }

    #[test]
    fn maxima_in_contents_go_where_no_text_can_tell() {
        let mut store = ExpressionStore::new();
        let any = store.any_character();
        let (letter, space) = (store.bytes(ByteSet::range(b'a', b'b')), store.literal(b" "));
        let word = store.repetition(letter, 1, None);
        let spaced = store.concatenate(word, space);
        let spelling = store.intern_spelling(Spelling::over(&ByteSet::ALL));
        let (mut patterns, mut gone) = (Vec::new(), 0);
        for most in [2, 3, 6, 9, 30] {
            let words = store.repetition(spaced, 0, Some(most));
            patterns.push(store.concatenate(words, word));
            let long = store.repetition(letter, most, None);
            patterns.push(store.concatenate(long, space));
            let few = store.repetition(any, 0, Some(most / 2));
            let short = store.intersection(&[word, few]);
            let short = store.concatenate(short, space);
            patterns.push(store.repetition(short, 1, None));
            let other = store.repetition(letter, 0, Some(most));
            patterns.push(store.complement(other));
            patterns.push(store.concatenate(other, space));
        }
        for &pattern in &patterns {
            for maximum in [3, 5, 6, 7, 10, 40] {
                let counted = store.repetition(any, 0, Some(maximum));
                let content = store.intersection(&[counted, pattern]);
                let string = store.json_string(content, spelling);
                let clamped = store.clamp(string, 5);
                gone += usize::from(clamped != string);
                if content == ExpressionStore::NOTHING {
                    // The pattern takes more characters.
                    assert_eq!(clamped, content);
                    continue;
                }
                let Expression::JsonString { content: clamped, .. } = store.get(clamped) else {
                    panic!("a string stays one")
                };
                compare(&mut store, content, clamped, 5);
            }
        }
        assert!(gone > 10, "{gone}");
    }

    #[test]
    fn lengths_that_are_far_are_as_far_as_the_horizon() {
        let mut store = ExpressionStore::new();
        let any = store.any_character();
        let letter = store.bytes(ByteSet::range(b'a', b'b'));
        let (all, letters) = (store.repetition(any, 0, None), store.repetition(letter, 1, None));
        let (space, double) = (store.literal(b" "), store.literal(b"aa"));
        let word = store.concatenate(letters, space);
        let (words, found) = (store.repetition(word, 0, None), store.concatenation(&[all, double, all]));
        let begins = store.concatenate(double, all);
        let ends = store.concatenate(all, double);
        let finite = store.concatenation(&[letters, space, double]);
        let mut conditions = vec![words, ends, begins, finite];
        for condition in [found, ends, begins, finite] {
            conditions.push(store.complement(condition));
        }
        let mut alike = 0;
        for condition in conditions {
            for body in [any, letter] {
                for (least, most) in
                    [(1, 6), (5, 7), (6, 6), (6, 7), (6, 8), (7, 12), (20, 22), (9, u32::MAX)]
                {
                    let most = Some(most).filter(|&most| most != u32::MAX);
                    let length = store.repetition(body, least, most);
                    let given = store.intersection(&[length, condition]);
                    let clamped = store.clamp(given, 5);
                    alike += usize::from(clamped != given);
                    compare(&mut store, given, clamped, 5);
                }
            }
        }
        assert!(alike > 30, "{alike}");
    }

    #[test]
    fn counters_beside_what_takes_them_in_go_where_no_text_can_tell() {
        let mut store = ExpressionStore::new();
        let (any, space) = (store.any_character(), store.literal(b" "));
        let [a, letter, either] =
            [&b"a"[..], b"ab", b"ab "].map(|bytes| store.bytes(bytes.iter().copied().collect()));
        let bounds = [
            (0, None),
            (1, None),
            (0, Some(3)),
            (0, Some(6)),
            (0, Some(9)),
            (2, Some(9)),
            (6, Some(9)),
            (7, None),
        ];
        let mut random = fastrand::Rng::with_seed(3);
        let (mut alike, mut taken_in) = (0, 0);
        for _ in 0..400 {
            let mut parts = Vec::new();
            for _ in 0..random.usize(2..5) {
                let (least, most) = bounds[random.usize(..bounds.len())];
                let body = [a, letter, either, any][random.usize(..4)];
                parts.push(store.repetition(body, least, most));
            }
            if random.bool() {
                parts.push(space);
            }
            let given = store.concatenation(&parts);
            let clamped = store.clamp(given, 5);
            let counts = |store: &ExpressionStore, mut id| {
                let mut count = 1;
                while let Expression::Concatenation(_, tail) = store.get(id) {
                    (id, count) = (tail, count + 1);
                }
                count
            };
            alike += usize::from(clamped != given);
            taken_in += usize::from(counts(&store, clamped) < counts(&store, given));
            compare(&mut store, given, clamped, 5);
            if let Some((relaxed, least)) = store.without_long_counters(given) {
                compare(&mut store, given, relaxed, least.min(5));
            }
            if let Some(Counted { body, rest, uncounted, .. }) = store.uncounted(given) {
                let any = store.repetition_raw(body, 0, ExpressionStore::UNBOUNDED);
                let whole = store.concatenate(any, rest);
                assert_eq!((uncounted, store.head_and_rest(uncounted).0), (whole, any));
            }
        }
        assert!(alike > 100 && taken_in > 20, "{alike} {taken_in}");
    }
}
