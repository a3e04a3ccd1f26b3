//! Expressions without their long counters, and for which texts that makes no difference.
//!
//! A repetition whose body begins with the first byte of a character reads at least one such byte each time. So a
//! text of up to N characters is matched by an expression if and only if it is matched by the same expression
//! with all such maxima from N on taken away, wherever these stand: in operands of intersections and complements
//! too. That is why a state that counts in an intersection can be looked at as if it did not count, as long as
//! what is read and what is still to come are short enough. Characters are counted by their first bytes, which
//! are all bytes but `0x80..=0xBF`.

use super::endings::Endings;
use super::match_search::MatchSearch;
use super::{ByteSet, Escape, Expression, ExpressionId, ExpressionStore};

/// Which maxima are taken away.
#[derive(Clone, Copy, Debug)]
struct Relaxing {
    /// Those up to this one stay.
    kept: u32,
    /// Whether those in complements are taken away, too. Where they stay, what is left matches all that it did.
    in_complements: bool,
    /// Whether texts are measured in bytes, of which every repetition reads one at least, and not in characters.
    by_bytes: bool,
}

/// Lengths of matches in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ways {
    /// The length of the shortest match.
    shortest: u32,
    /// The shortest match that is left after any text is no longer than this.
    greatest: u32,
    /// Whether all that can be read is ASCII, so that there are as many characters as bytes.
    is_ascii: bool,
}

impl ExpressionStore {
    /// Maxima up to this one stay: the states that they take are few enough.
    const KEPT: u32 = 24;

    /// The expression with long maxima taken away from what is read before the first call, and the least of
    /// them; `None` where there are none.
    ///
    /// Both have the same texts of up to so many characters before that call. The characters of a JSON string are
    /// those of its content, which are never more than those of its spelling.
    pub(crate) fn without_long_counters(&mut self, id: ExpressionId) -> Option<(ExpressionId, u32)> {
        if self.greatest_maximum(id) <= Self::KEPT {
            return None;
        }
        let items = self.alternatives_of(id);
        let mut least = Self::UNBOUNDED;
        let relaxing = Relaxing { kept: Self::KEPT, in_complements: true, by_bytes: false };
        let mut relaxed = Vec::with_capacity(items.len());
        for item in items {
            let mut parts = Vec::new();
            let mut at = item;
            while let Expression::Concatenation(head, tail) = self.get(at) {
                if !self.is_regular(head) {
                    break;
                }
                parts.push(self.relax(head, relaxing, &mut least));
                at = tail;
            }
            parts.push(if self.is_regular(at) { self.relax(at, relaxing, &mut least) } else { at });
            relaxed.push(self.concatenation(&parts));
        }
        (least != Self::UNBOUNDED).then(|| (self.alternatives(&relaxed), least))
    }

    /// An expression that matches whatever a given one does, and counts no further than short maxima ask.
    pub(super) fn without_long_maxima(&mut self, id: ExpressionId) -> ExpressionId {
        let relaxing = Relaxing { kept: Self::KEPT, in_complements: false, by_bytes: true };
        self.relax(id, relaxing, &mut { Self::UNBOUNDED })
    }

    /// An intersection with its maxima past `horizon` taken away, where no text of up to so many bytes can tell the
    /// two apart, neither by being refused nor by being a match; `None` where that is not known, as where what is left
    /// matches in too many ways.
    ///
    /// Let N be the least of those maxima, and R be so many bytes that after any text that can be read without them
    /// there is a match that is no longer. A text of up to N - R bytes that can be read without them goes on to
    /// a match of up to N, which both have. What can be read with them can be read without them, since none of them
    /// stands in a complement.
    pub(super) fn without_far_maxima(&mut self, id: ExpressionId, horizon: u32) -> Option<ExpressionId> {
        let mut least = Self::UNBOUNDED;
        let relaxing = Relaxing { kept: horizon, in_complements: false, by_bytes: true };
        let relaxed = self.relax(id, relaxing, &mut least);
        let left = least.checked_sub(horizon).filter(|_| least != Self::UNBOUNDED)?;
        let greatest = match self.way_without_strings(id).or_else(|| self.greatest_way(relaxed)) {
            Some(greatest) => greatest,
            // Counters that stay tell states apart all the same, and writing out takes each of their numbers.
            None if self.greatest_maximum(relaxed) > Self::KEPT => return None,
            None if self.reads_what_can_be_spelled(relaxed) => self.ways_left(relaxed)?.to_match,
            None => return None,
        };
        (greatest <= left).then_some(relaxed)
    }

    /// Whether an intersection is with something that holds neither intersections nor complements: then it reads no byte
    /// that no token has, which have been taken out of that.
    fn reads_what_can_be_spelled(&self, id: ExpressionId) -> bool {
        let Expression::Intersection(list) = self.get(id) else { return false };
        self.list(list).iter().any(|&operand| !self.has_boolean(operand))
    }

    /// How many bytes more make a match of any text that an expression can begin with, at most; `None` where its structure does
    /// not tell.
    pub(super) fn greatest_way(&mut self, id: ExpressionId) -> Option<u32> {
        self.ways_within(id).map(|ways| ways.greatest)
    }

    /// The lengths of matches of an expression without complements, by its structure. What is left of such a one is
    /// what is left of any of its parts, each of which can be read to its end.
    ///
    /// Of intersections only those of an expression in ASCII with all texts of up to some length are understood. What
    /// can be read of one can be read on to a match that is no longer, so the shortest one that is left to
    /// the expression is left to both.
    ///
    /// States that count come to the same parts again and again, so what is found of these is kept.
    fn ways_within(&mut self, id: ExpressionId) -> Option<Ways> {
        let node = self.get(id);
        let is_kept = matches!(
            node,
            Expression::Alternatives(_) | Expression::Intersection(_) | Expression::Repetition { .. }
        );
        if is_kept && let Some(&known) = self.ways_within.get(&id) {
            return known;
        }
        let ways = self.ways_within_node(id, node);
        if is_kept {
            self.ways_within.insert(id, ways);
        }
        ways
    }

    fn ways_within_node(&mut self, id: ExpressionId, node: Expression) -> Option<Ways> {
        match node {
            Expression::Empty => Some(Ways { shortest: 0, greatest: 0, is_ascii: true }),
            Expression::Bytes(set) => {
                Some(Ways { shortest: 1, greatest: 1, is_ascii: self.byte_set(set).is_ascii() })
            }
            Expression::Literals(range) => {
                let lengths = || self.literals_of(range).map(|literal| literal.len() as u32 - range.depth);
                let is_ascii = self.literals_of(range).all(<[u8]>::is_ascii);
                Some(Ways { shortest: lengths().min()?, greatest: lengths().max()?, is_ascii })
            }
            Expression::Concatenation(..) => {
                let mut all = Ways { shortest: 0, greatest: 0, is_ascii: true };
                let mut at = id;
                loop {
                    let (head, tail) = match self.get(at) {
                        Expression::Concatenation(head, tail) => (head, Some(tail)),
                        _ => (at, None),
                    };
                    let ways = self.ways_within(head)?;
                    // What is left of an earlier part is followed by all of this one.
                    all.greatest = all.greatest.saturating_add(ways.shortest).max(ways.greatest);
                    all.shortest = all.shortest.saturating_add(ways.shortest);
                    all.is_ascii &= ways.is_ascii;
                    let Some(tail) = tail else { return Some(all) };
                    at = tail;
                }
            }
            Expression::Alternatives(_) => {
                let mut any = Ways { shortest: u32::MAX, greatest: 0, is_ascii: true };
                for operand in self.operands(id) {
                    let ways = self.ways_within(operand)?;
                    any.shortest = any.shortest.min(ways.shortest);
                    any.greatest = any.greatest.max(ways.greatest);
                    any.is_ascii &= ways.is_ascii;
                }
                Some(any)
            }
            Expression::Intersection(list) => {
                let &[one, other] = self.list(list) else { return None };
                let (longest, measured) = match self.longest_text(one) {
                    Some(longest) => (longest, other),
                    None => (self.longest_text(other)?, one),
                };
                let ways = self.ways_within(measured)?;
                (ways.is_ascii && ways.shortest <= longest).then_some(ways)
            }
            Expression::Repetition { body, minimum, .. } => {
                let body = self.ways_within(body)?;
                let shortest = body.shortest.saturating_mul(minimum);
                Some(Ways { shortest, greatest: body.greatest.saturating_add(shortest), ..body })
            }
            _ => None,
        }
    }

    /// The greatest number of bytes or characters of the texts of an expression, where it is just all texts up to that.
    fn longest_text(&self, id: ExpressionId) -> Option<u32> {
        match self.get(id) {
            Expression::Repetition { body, minimum: 0, maximum } => {
                (self.is_any_byte(body) || self.is_any_character(body)).then_some(maximum)
            }
            _ => None,
        }
    }

    /// Takes long maxima away; keeps the least of them in `least`.
    fn relax(&mut self, id: ExpressionId, relaxing: Relaxing, least: &mut u32) -> ExpressionId {
        if self.greatest_maximum(id) <= relaxing.kept {
            return id;
        }
        match self.get(id) {
            Expression::Concatenation(..) => {
                let mut parts = Vec::new();
                let mut at = id;
                while let Expression::Concatenation(head, tail) = self.get(at) {
                    parts.push(self.relax(head, relaxing, least));
                    at = tail;
                }
                parts.push(self.relax(at, relaxing, least));
                self.concatenation(&parts)
            }
            Expression::Complement(_) if !relaxing.in_complements => id,
            node
            @ (Expression::Alternatives(_) | Expression::Intersection(_) | Expression::Complement(_)) => {
                let mut operands = self.operands(id);
                operands.iter_mut().for_each(|operand| *operand = self.relax(*operand, relaxing, least));
                self.with_operands(node, &operands).unwrap_or(id)
            }
            Expression::Repetition { body, minimum, mut maximum } => {
                let body = self.relax(body, relaxing, least);
                let is_measured = relaxing.by_bytes || self.begins_characters(body);
                if maximum != Self::UNBOUNDED && maximum > relaxing.kept && is_measured {
                    *least = (*least).min(maximum);
                    maximum = Self::UNBOUNDED;
                }
                self.repetition_raw(body, minimum, maximum)
            }
            Expression::JsonString { content, escape: Escape::None, spelling } => {
                let content = self.relax(content, relaxing, least);
                self.json_string(content, spelling)
            }
            _ => id,
        }
    }

    /// Whether a match that is not empty begins with the first byte of a character.
    pub(crate) fn begins_characters(&self, id: ExpressionId) -> bool {
        self.first_bytes(id).intersection(&ByteSet::range(0x80, 0xBF)).is_empty()
    }

    /// The bytes that an expression may read again and again from its beginning: those with which the bodies of
    /// repetitions begin there, or behind one of many bytes that are repeated then. None where it repeats nothing;
    /// possibly more than those that it can read.
    pub(crate) fn repeated_bytes(&self, id: ExpressionId) -> ByteSet {
        self.repeated_bytes_unless(id, |_| false)
    }

    /// The same, without those of parts that have been looked at already.
    fn repeated_bytes_unless(
        &self,
        id: ExpressionId,
        mut is_known: impl FnMut(ExpressionId) -> bool,
    ) -> ByteSet {
        /// What comes behind fewer bytes is soon found there.
        const MANY: usize = 8;
        let (mut repeated, mut before) = (ByteSet::EMPTY, ByteSet::ALL);
        let mut at = id;
        while before != ByteSet::ALL || !is_known(at) {
            let Expression::Concatenation(head, tail) = self.get(at) else {
                return repeated.union(&self.repeated_by_node(at)).intersection(&before);
            };
            match self.get(head) {
                Expression::Bytes(set) if repeated.is_empty() && self.byte_set(set).len() >= MANY => {
                    before = before.intersection(self.byte_set(set));
                }
                _ => {
                    repeated = repeated.union(&self.repeated_by_node(head));
                    if !self.is_nullable(head) {
                        return repeated.intersection(&before);
                    }
                }
            }
            at = tail;
        }
        repeated.intersection(&before)
    }

    fn repeated_by_node(&self, id: ExpressionId) -> ByteSet {
        match self.get(id) {
            Expression::Concatenation(..) => self.repeated_bytes(id),
            Expression::Repetition { body, maximum: 2.., .. } => self.first_bytes(body),
            Expression::Repetition { body, .. } => self.repeated_bytes(body),
            Expression::Complement(_) => ByteSet::ALL,
            Expression::FreeText { table, at } => self.free_text_first_bytes(table, at),
            Expression::Alternatives(list) => {
                let (items, mut endings) = (self.list(list), Endings::default());
                let repeated = |&operand: &ExpressionId| {
                    self.repeated_bytes_unless(operand, |part| endings.is_known(part))
                };
                items.iter().map(repeated).fold(ByteSet::EMPTY, |all, bytes| all.union(&bytes))
            }
            Expression::Intersection(list) => self
                .list(list)
                .iter()
                .fold(ByteSet::ALL, |all, &operand| all.intersection(&self.repeated_bytes(operand))),
            Expression::JsonString { content, escape: Escape::None, spelling } => {
                self.repeated_bytes(content).intersection(&self.spelling(spelling).raw)
            }
            Expression::Unordered(unordered) => self
                .unordered_heads(unordered)
                .into_iter()
                .fold(ByteSet::EMPTY, |all, head| all.union(&self.repeated_bytes(head))),
            _ => ByteSet::EMPTY,
        }
    }

    /// A length in bytes of a text that what an expression reads before its first call matches; `None` where none is
    /// found in so many steps. All operands of alternatives at the top are taken to be alive.
    pub(crate) fn length_to_match(
        &mut self,
        id: ExpressionId,
        alphabet: &ByteSet,
        steps: &mut u32,
    ) -> Option<u32> {
        if let Expression::Alternatives(list) = self.get(id) {
            let items = self.list(list).to_vec();
            return items.into_iter().filter_map(|item| self.length_to_match(item, alphabet, steps)).min();
        }
        let (mut length, mut at) = (0u32, id);
        loop {
            let (head, tail) = self.head_and_rest(at);
            if !self.is_regular(head) {
                return Some(length);
            }
            length = length.saturating_add(self.length_of_match(head, alphabet, steps)?);
            if tail == Self::EMPTY {
                return Some(length);
            }
            at = tail;
        }
    }

    /// A length in bytes of a match of a regular expression, short where that is easily found.
    fn length_of_match(&mut self, id: ExpressionId, alphabet: &ByteSet, steps: &mut u32) -> Option<u32> {
        if self.is_nullable(id) {
            return Some(0);
        }
        *steps = steps.checked_sub(1)?;
        match self.get(id) {
            Expression::Bytes(_) => Some(1),
            Expression::Literals(range) => {
                let shortest = self.literals_of(range).take(16).map(<[u8]>::len).min()?;
                u32::try_from(shortest).ok()?.checked_sub(range.depth)
            }
            Expression::Concatenation(..) => self.length_to_match(id, alphabet, steps),
            Expression::Alternatives(list) => {
                let operands = self.list(list).to_vec();
                let lengths = operands.into_iter().filter(|&operand| !self.has_boolean(operand));
                let lengths: Vec<ExpressionId> = lengths.collect();
                lengths.into_iter().filter_map(|operand| self.length_of_match(operand, alphabet, steps)).min()
            }
            Expression::Repetition { body, minimum, .. } => {
                Some(self.length_of_match(body, alphabet, steps)?.saturating_mul(minimum))
            }
            Expression::JsonString { content, escape: Escape::None, .. } => {
                self.length_of_match(content, &ByteSet::ALL, steps)
            }
            Expression::Intersection(_) => self.search_match(id, alphabet, steps),
            _ => None,
        }
    }

    /// The length of the first match that is found by going on where the shortest way seems to be left. What is left
    /// to all that lies on that way is remembered: searches from other states come there, too.
    fn search_match(&mut self, start: ExpressionId, alphabet: &ByteSet, steps: &mut u32) -> Option<u32> {
        let is_content = *alphabet == ByteSet::ALL;
        let mut search = MatchSearch::new(self, start);
        while let Some(met) = search.next() {
            let left = match self.is_nullable(met.expression) {
                true => Some(0),
                false => self.match_lengths.get(&(met.expression, is_content)).copied(),
            };
            if let Some(left) = left {
                let way = search.back_from(met.expression).map(|(at, _)| (at, is_content));
                self.match_lengths.extend(way.zip(left..));
                return Some(met.length + left);
            }
            *steps = steps.checked_sub(search.go_on(met, alphabet, self, |_| true))?;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(store: &mut ExpressionStore, maximum: Option<u32>) -> ExpressionId {
        let (letter, any) = (store.bytes(ByteSet::range(b'a', b'z')), store.any_character());
        let (word, length) = (store.repetition(letter, 1, None), store.repetition(any, 3, maximum));
        let not_word = store.complement(word);
        store.intersection(&[length, not_word])
    }

    #[test]
    fn long_counters_are_taken_away_inside_intersections() {
        let mut store = ExpressionStore::new();
        let (given, expected) = (counted(&mut store, Some(255)), counted(&mut store, None));
        assert_eq!(store.without_long_counters(given), Some((expected, 255)));
        let short = counted(&mut store, Some(ExpressionStore::KEPT));
        assert_eq!(store.without_long_counters(short), None);
        let call = store.call(super::super::RuleId(0));
        let tail = store.concatenate(call, given);
        let (whole, relaxed) = (store.concatenate(given, tail), store.concatenate(expected, tail));
        assert_eq!(
            store.without_long_counters(whole),
            Some((relaxed, 255)),
            "what follows a call is left alone"
        );
    }

    #[test]
    fn a_repetition_of_parts_of_characters_is_left_alone() {
        let mut store = ExpressionStore::new();
        let any_byte = store.bytes(ByteSet::ALL);
        let many = store.repetition(any_byte, 0, Some(1000));
        assert_eq!(store.without_long_counters(many), None);
    }

    #[test]
    fn a_match_is_found_of_the_length_said() {
        let mut store = ExpressionStore::new();
        let given = counted(&mut store, Some(255));
        let end = store.literal(b"end");
        let both = store.concatenate(given, end);
        assert_eq!(store.length_to_match(both, &ByteSet::ALL, &mut 2), None, "not within so few steps");
        assert_eq!(store.length_to_match(both, &ByteSet::ALL, &mut 1000), Some(6));
        assert_eq!(store.length_to_match(both, &ByteSet::ALL, &mut 2), Some(6), "it is remembered");
        let call = store.call(super::super::RuleId(0));
        let called = store.concatenation(&[given, call, end]);
        assert_eq!(store.length_to_match(called, &ByteSet::ALL, &mut 1000), Some(3));
    }

    #[test]
    fn what_is_repeated_at_the_beginning_is_told() {
        let mut store = ExpressionStore::new();
        let (letter, x) = (store.bytes(ByteSet::range(b'a', b'c')), store.literal(b"x"));
        let letters = store.repetition(letter, 0, Some(9));
        let (first, second) = (store.concatenate(letters, x), store.concatenate(x, letters));
        assert_eq!(store.repeated_bytes(first), ByteSet::range(b'a', b'c'));
        assert_eq!(store.repeated_bytes(second), ByteSet::EMPTY);
        let either = store.alternatives(&[first, second]);
        assert_eq!(store.repeated_bytes(either), ByteSet::range(b'a', b'c'));
        let begun = store.bytes(ByteSet::range(b'b', b'z'));
        let begun = store.concatenate(begun, letters);
        assert_eq!(store.repeated_bytes(begun), ByteSet::range(b'b', b'c'));
        let (few, more) = (store.bytes(ByteSet::range(b'b', b'd')), store.repetition(letter, 0, None));
        let few = store.concatenate(few, more);
        assert_eq!(store.repeated_bytes(few), ByteSet::EMPTY);
    }

    #[test]
    fn what_counts_far_in_another_way_too_is_not_written_out() {
        let mut store = ExpressionStore::new();
        let any = store.any_character();
        let letter = store.bytes(ByteSet::range(b'a', b'c'));
        let (all, length) = (store.repetition(any, 0, None), store.repetition(any, 0, Some(1000)));
        let (space, word) = (store.literal(b" "), store.literal(b"ab"));
        let found = store.concatenation(&[all, word, all]);
        let not_found = store.complement(found);
        for (most, is_near) in [(ExpressionStore::KEPT, true), (ExpressionStore::KEPT + 1, false)] {
            store.ways_left.clear();
            let letters = store.repetition(letter, 0, Some(most));
            let counted = store.concatenate(letters, space);
            let counted = store.repetition(counted, 0, None);
            let text = store.intersection(&[length, counted, not_found]);
            let without = store.intersection(&[counted, not_found]);
            assert_eq!(store.without_far_maxima(text, 100), is_near.then_some(without));
            assert_eq!(store.ways_left.is_empty(), !is_near);
        }
    }
}
