//! Texts of a bounded length that are under other conditions too, and where the bounds make no difference.
//!
//! A length and a condition stand beside each other in an intersection: fifty to a hundred characters, and no `</p>` in
//! them. So each number of characters that are still missing takes a state of its own. Where every text that meets the
//! conditions can be made longer without end, the least length does not matter to what can be read on, but only to what is
//! a match; and that is far away while many characters are missing. As little does the greatest, while a match is nearer.

use std::ops::RangeInclusive;

use smallvec::SmallVec;

use super::{ByteSet, Escape, Expression, ExpressionId, ExpressionStore, Unconditioned};

/// A repetition of single characters, so many at least or at most, alone or as an operand of an intersection.
struct BoundedText {
    /// What is left of a character that has been begun.
    begun: SmallVec<[ExpressionId; 3]>,
    body: ExpressionId,
    minimum: u32,
    maximum: u32,
    /// The other operands.
    conditions: SmallVec<[ExpressionId; 4]>,
}

/// An expression without the bounds of the length of its first part, and where that makes no difference.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WithoutBounds {
    pub(crate) expression: ExpressionId,
    /// A text of the first part of up to so many characters can be read on with them if it can be without.
    pub(crate) characters: u32,
    /// No longer text of the first part can be read with them.
    pub(crate) maximum: u32,
    /// How many characters there must be at least, where the text is not in the middle of one.
    pub(crate) minimum: Option<u32>,
    /// Whether the text is under other conditions, too.
    pub(crate) is_conditioned: bool,
    /// What follows the first part.
    pub(crate) ending: ExpressionId,
    /// The bytes with which what follows the first part can begin, which does not match the empty text; in a JSON string
    /// also that with which an escape begins, which is more bytes than one character.
    pub(crate) after: ByteSet,
}

impl BoundedText {
    /// Whether after a text of up to so many characters a match is left, if one is left to it without the bounds, and
    /// any match becomes another with up to `longer` characters more.
    ///
    /// Those may be added again and again, until there are enough: then the last match before had fewer than the
    /// minimum, or there was none yet.
    fn is_left_after(&self, characters: u32, longer: u32) -> bool {
        characters.max(self.minimum.saturating_sub(1)).saturating_add(longer) <= self.maximum
    }
}

impl ExpressionStore {
    /// An intersection with its length bounded only as far as a text of up to `horizon` bytes can tell, neither by being
    /// refused nor by being a match; `None` where that changes nothing, or may not be.
    ///
    /// A text of up to so many bytes has no more characters, so none of a greater minimum can be a match. And a match is left
    /// to it whatever the length, as long as one is left within the maximum.
    pub(super) fn with_near_length(&mut self, id: ExpressionId, horizon: u32) -> Option<ExpressionId> {
        let text = self.bounded_text(id).filter(|text| text.minimum > 0)?;
        let near = horizon.saturating_add(1);
        let has_far_maximum = text.maximum != Self::UNBOUNDED && text.maximum > horizon;
        if text.minimum <= near && !has_far_maximum {
            return None;
        }
        self.is_surely_left_after(&text, horizon)
            .then(|| self.with_bounds(&text, text.minimum.min(near), Self::UNBOUNDED))
    }

    /// The expression without the least length of its first part, where that does not decide what can be read of this part;
    /// `None` where it may, or where a call may follow at once.
    pub(crate) fn without_least_length_at_head(&mut self, id: ExpressionId) -> Option<Unconditioned> {
        let (head, tail) = self.head_and_rest(id);
        let short = match self.get(head) {
            Expression::JsonString { content, escape: Escape::None, spelling } => {
                let content = self.without_least_length(content)?;
                self.json_string(content, spelling)
            }
            _ => self.without_least_length(head)?,
        };
        let after = self.first_bytes_before_calls(tail)?;
        Some(Unconditioned { expression: self.concatenate(short, tail), longest: 0, after })
    }

    /// An intersection without its least length, where that is long and does not decide whether anything matches.
    pub(super) fn without_long_least_length(&mut self, id: ExpressionId) -> Option<ExpressionId> {
        /// A shorter match is sooner looked for.
        const LONG: u32 = 64;
        let text = self.bounded_text(id).filter(|text| text.minimum > LONG)?;
        self.without_minimum(&text)
    }

    fn without_least_length(&mut self, id: ExpressionId) -> Option<ExpressionId> {
        let text = self.bounded_text(id).filter(|text| text.minimum > 0)?;
        self.without_minimum(&text)
    }

    /// The text without its least length, where that does not decide what can be read.
    fn without_minimum(&mut self, text: &BoundedText) -> Option<ExpressionId> {
        self.is_surely_left_after(text, 0).then(|| self.with_bounds(text, 0, text.maximum))
    }

    /// The expression without any bounds of the length of its first part; `None` where it may end with that, or a call may
    /// follow at once, or it is not known how far a match is.
    pub(crate) fn without_bounds_at_head(&mut self, id: ExpressionId) -> Option<WithoutBounds> {
        let Expression::Concatenation(head, tail) = self.get(id) else { return None };
        if self.is_nullable(tail) {
            return None;
        }
        let mut after = self.first_bytes_before_calls(tail)?;
        let (content, string) = match self.get(head) {
            Expression::JsonString { content, escape: Escape::None, spelling } => (content, Some(spelling)),
            _ => (head, None),
        };
        if string.is_some() {
            after.insert(b'\\');
        }
        let text = self.bounded_text(content).or_else(|| self.bounded_characters(content))?;
        if text.minimum > 0 && text.maximum != Self::UNBOUNDED {
            self.may_be_left_after(&text, 0)?;
        }
        let unbounded = self.with_bounds(&text, 0, Self::UNBOUNDED);
        // Nothing but its length says what a text of characters alone may be: one more makes a longer one.
        let (to_match, to_longer) = match text.conditions.is_empty() {
            true => (0, Some(1)),
            false if text.minimum == 0 && self.holds_beginnings(&text) => (0, None),
            false => match self.way_to_far_bound(&text, unbounded) {
                Some(way) => (way, Some(way)),
                None => self.ways_left(unbounded).map(|ways| (ways.characters_to_match, ways.to_longer))?,
            },
        };
        let (left, is_left) = match text.minimum {
            0 => (to_match, true),
            _ => (to_longer?, text.is_left_after(0, to_longer?)),
        };
        let characters = match text.maximum {
            Self::UNBOUNDED => Self::UNBOUNDED,
            maximum => maximum.checked_sub(left).filter(|_| is_left)?,
        };
        let first = match string {
            Some(spelling) => self.json_string(unbounded, spelling),
            None => unbounded,
        };
        let expression = self.concatenate(first, tail);
        // Without the bounds each character is of the text's own all the same.
        let minimum = text.begun.is_empty().then_some(text.minimum);
        let (maximum, is_conditioned) = (text.maximum, !text.conditions.is_empty());
        Some(WithoutBounds { expression, characters, maximum, minimum, is_conditioned, ending: tail, after })
    }

    /// Whether the first part of an expression is a text under several conditions.
    pub(crate) fn begins_with_conditions(&self, id: ExpressionId) -> bool {
        let (head, _) = self.head_and_rest(id);
        let content = match self.get(head) {
            Expression::JsonString { content, escape: Escape::None, .. } => content,
            _ => head,
        };
        matches!(self.get(content), Expression::Intersection(_))
    }

    /// The expression with so many characters in the text that it begins with, in each of its alternatives: in a JSON string,
    /// or before an ending. `None` where neither is there.
    pub(crate) fn with_characters_left(
        &mut self,
        id: ExpressionId,
        ending: ExpressionId,
        characters: RangeInclusive<u32>,
    ) -> Option<ExpressionId> {
        let any = self.any_character();
        let length = self.repetition_raw(any, *characters.start(), *characters.end());
        let mut items = self.alternatives_of(id);
        for item in &mut items {
            let (head, tail) = self.head_and_rest(*item);
            let (text, tail) = match self.get(head) {
                Expression::JsonString { content, escape: Escape::None, spelling } => {
                    let content = self.intersection(&[content, length]);
                    (self.json_string(content, spelling), tail)
                }
                _ => {
                    let text = self.before_ending(*item, ending)?;
                    (self.intersection(&[text, length]), ending)
                }
            };
            *item = self.concatenate(text, tail);
        }
        Some(self.alternatives(&items))
    }

    /// What stands before an ending, if that is how a chain ends.
    fn before_ending(&mut self, chain: ExpressionId, ending: ExpressionId) -> Option<ExpressionId> {
        let (mut parts, mut at) = (Vec::new(), chain);
        while at != ending {
            let Expression::Concatenation(head, tail) = self.get(at) else { return None };
            parts.push(head);
            at = tail;
        }
        Some(self.concatenation(&parts))
    }

    /// How many bytes more make a match of any text that an intersection can begin with, whatever its greatest length, at most: those
    /// left of a character, where only strings are excluded. `None` for all others.
    pub(super) fn way_without_strings(&self, id: ExpressionId) -> Option<u32> {
        const LONGEST_REST: u32 = 3;
        let text = self.bounded_text(id).filter(|text| text.minimum == 0)?;
        self.holds_beginnings(&text).then_some(LONGEST_REST)
    }

    /// Whether a text without its bounds holds all beginnings of its matches that end between characters, by its structure: where each
    /// condition is that nothing of some kind is found, behind which any text may come.
    ///
    /// A beginning in which that is found would leave no match. So a text that goes on to a match becomes one with the end of
    /// the character that it is in.
    fn holds_beginnings(&self, text: &BoundedText) -> bool {
        text.conditions.iter().all(|&condition| match self.get(condition) {
            Expression::Complement(found) => self.goes_on_with_any(found, text),
            _ => false,
        })
    }

    /// Whether each match stays one whatever follows it that a text may hold.
    fn goes_on_with_any(&self, id: ExpressionId, text: &BoundedText) -> bool {
        match self.get(id) {
            Expression::Concatenation(_, tail) => self.goes_on_with_any(tail, text),
            Expression::Alternatives(list) => {
                self.list(list).iter().all(|&item| self.goes_on_with_any(item, text))
            }
            Expression::Repetition { body, minimum: 0, maximum: Self::UNBOUNDED } => {
                body == text.body || self.is_any_byte_of(body, text)
            }
            _ => false,
        }
    }

    /// Whether an expression matches each single byte of which the characters of a text are made.
    fn is_any_byte_of(&self, id: ExpressionId, text: &BoundedText) -> bool {
        let Expression::Bytes(set) = self.get(id) else { return false };
        let mut waiting = vec![text.body];
        while let Some(at) = waiting.pop() {
            match self.get(at) {
                Expression::Bytes(of_text)
                    if self.byte_set(of_text).difference(self.byte_set(set)).is_empty() => {}
                Expression::Concatenation(..) | Expression::Alternatives(_) => {
                    waiting.extend(self.operands(at));
                }
                _ => return false,
            }
        }
        true
    }

    /// How many characters more make a match, or where there is a least length a longer one, of any text that meets the
    /// conditions so far, at most. Only where that is told by their structure, and the greatest length is so much further away
    /// that few tokens are as long as that.
    fn way_to_far_bound(&mut self, text: &BoundedText, unbounded: ExpressionId) -> Option<u32> {
        const FAR: u32 = 16;
        let way = self.way_by_structure(text, unbounded)?;
        text.is_left_after(FAR, way).then_some(way)
    }

    /// The same, however far the greatest length is.
    fn way_by_structure(&mut self, text: &BoundedText, unbounded: ExpressionId) -> Option<u32> {
        if text.minimum > 0 && !self.ends_in_loop(unbounded) {
            return None;
        }
        self.greatest_way(unbounded)
    }

    /// Whether each match ends in something that can be repeated once more, which makes a longer one. To a text that begins with
    /// that, no less is left to a match.
    fn ends_in_loop(&self, id: ExpressionId) -> bool {
        match self.get(id) {
            Expression::Concatenation(_, tail) => self.ends_in_loop(tail),
            Expression::Alternatives(list) => self.list(list).iter().all(|&item| self.ends_in_loop(item)),
            Expression::Repetition { maximum, .. } => maximum == Self::UNBOUNDED,
            _ => false,
        }
    }

    /// Tells the length of an intersection from its other conditions.
    fn bounded_text(&self, id: ExpressionId) -> Option<BoundedText> {
        let Expression::Intersection(list) = self.get(id) else { return None };
        let operands = self.list(list);
        let (at, mut text) = operands
            .iter()
            .enumerate()
            .find_map(|(at, &operand)| self.bounded_repetition(operand).map(|text| (at, text)))?;
        text.conditions =
            operands.iter().copied().enumerate().filter(|&(i, _)| i != at).map(|(_, id)| id).collect();
        Some(text)
    }

    /// A repetition of single characters alone, where there are some beyond ASCII and it may matter which.
    fn bounded_characters(&self, id: ExpressionId) -> Option<BoundedText> {
        let tells_apart = |body| !self.is_any_character(body) && !self.first_bytes(body).is_ascii();
        self.bounded_repetition(id).filter(|text| tells_apart(text.body))
    }

    /// A repetition of single characters that is bounded, perhaps in the middle of one; without conditions.
    fn bounded_repetition(&self, mut id: ExpressionId) -> Option<BoundedText> {
        let mut begun = SmallVec::new();
        while let Expression::Concatenation(head, tail) = self.get(id) {
            let Expression::Bytes(set) = self.get(head) else { return None };
            if !self.byte_set(set).is_within(0x80, 0xBF) || begun.len() == 3 {
                return None;
            }
            begun.push(head);
            id = tail;
        }
        match self.get(id) {
            Expression::Repetition { body, minimum, maximum }
                if (minimum, maximum) != (0, Self::UNBOUNDED) && self.is_one_character(body) =>
            {
                Some(BoundedText { begun, body, minimum, maximum, conditions: SmallVec::new() })
            }
            _ => None,
        }
    }

    /// The intersection with other bounds of its length.
    fn with_bounds(&mut self, text: &BoundedText, minimum: u32, maximum: u32) -> ExpressionId {
        let mut parts = text.begun.clone();
        parts.push(self.repetition_raw(text.body, minimum, maximum));
        let mut operands = text.conditions.clone();
        operands.push(self.concatenation(&parts));
        self.intersection(&operands)
    }

    /// Whether after any text of up to so many characters that meets the conditions so far a match is left. Says no where that is not
    /// known, or there is no least length.
    ///
    /// Only where the structure does not tell is all written out that the conditions come to.
    fn is_surely_left_after(&mut self, text: &BoundedText, characters: u32) -> bool {
        if text.minimum == 0 || self.may_be_left_after(text, characters).is_none() {
            return false;
        }
        let unbounded = self.with_bounds(text, 0, Self::UNBOUNDED);
        let by_structure = self.way_by_structure(text, unbounded);
        if by_structure.is_some_and(|way| text.is_left_after(characters, way)) {
            return true;
        }
        let longer = self.ways_left(unbounded).and_then(|ways| ways.to_longer);
        longer.is_some_and(|longer| text.is_left_after(characters, longer))
    }

    /// `None` where a match is surely not left after a text of up to so many characters: no match has fewer characters than each condition asks for, and to a
    /// match from the beginning it is as far. Takes no search.
    fn may_be_left_after(&self, text: &BoundedText, characters: u32) -> Option<()> {
        let fewest = text.conditions.iter().map(|&id| self.fewest_characters(id)).max().unwrap_or(0);
        text.is_left_after(characters, fewest.max(1)).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Spelling;
    use super::super::every_text::texts;
    use super::*;

    /// The part of what can be read on after a text.
    fn after(store: &mut ExpressionStore, id: ExpressionId, text: &[u8]) -> ExpressionId {
        text.iter().fold(id, |id, &byte| store.derive_whole(id, byte, &mut ByteSet::ALL.clone()))
    }

    #[test]
    fn what_can_be_read_of_the_first_part_does_not_depend_on_its_least_length() {
        let mut store = ExpressionStore::new();
        let any = store.any_character();
        let all = store.repetition(any, 0, None);
        let (closing, quote) = (store.literal(b"!"), store.literal(b"\""));
        let found = store.concatenation(&[all, closing, all]);
        let not_found = store.complement(found);
        let spelling = store.intern_spelling(Spelling::over(&ByteSet::ALL));
        for (least, most, is_free) in
            [(1, None, true), (4, None, true), (4, Some(4), true), (3, Some(9), true), (0, Some(3), false)]
        {
            let length = store.repetition(any, least, most);
            let content = store.intersection(&[length, not_found]);
            let string = store.json_string(content, spelling);
            for (text, end, last) in [(content, closing, b"!"), (string, quote, b"\"")] {
                let given = store.concatenate(text, end);
                let short = store.without_least_length_at_head(given);
                assert_eq!(short.is_some(), is_free, "{least} {most:?}");
                let Some(short) = short else { continue };
                for read in texts(b"ab", 3) {
                    let goes_on = [given, short.expression].map(|id| {
                        let left = after(&mut store, id, &read);
                        texts(b"b", 5)
                            .iter()
                            .any(|more| store.matches(left, &[more.as_slice(), last].concat()))
                    });
                    assert!(goes_on[0] && goes_on[1], "{read:?} {least} {most:?}");
                }
            }
        }
    }

    #[test]
    fn short_texts_are_read_with_bounds_as_without() {
        let mut store = ExpressionStore::new();
        let (any, letter) = (store.any_character(), store.bytes(ByteSet::range(b'a', b'b')));
        let (all, letters) = (store.repetition(any, 0, None), store.repetition(letter, 1, None));
        let (found, blank, end) = (store.literal(b"aa"), store.literal(b" "), store.literal(b"!"));
        let [found, ended] = [found, end].map(|text| store.concatenation(&[all, text, all]));
        let [not_found, not_ended] = [found, ended].map(|text| store.complement(text));
        let blank_word = store.concatenate(blank, letters);
        let words = store.repetition(blank_word, 0, None);
        let words = store.concatenate(letters, words);
        let mut compared = 0;
        for (least, most) in [(0, Some(3)), (0, Some(5)), (2, Some(4)), (3, None), (4, Some(4)), (1, Some(9))]
        {
            for condition in [not_found, words] {
                let length = store.repetition(any, least, most);
                let text = store.intersection(&[length, condition, not_ended]);
                let given = store.concatenate(text, end);
                let Some(without) = store.without_bounds_at_head(given) else { continue };
                assert_eq!(without.after, ByteSet::single(b'!'));
                for read in texts(b"ab ", 5) {
                    let goes_on = [given, without.expression].map(|id| {
                        let left = after(&mut store, id, &read);
                        texts(b"ab", 5)
                            .iter()
                            .any(|more| store.matches(left, &[more.as_slice(), b"!"].concat()))
                    });
                    let length = read.len() as u32;
                    assert!(
                        length > without.characters || goes_on[0] == goes_on[1],
                        "{read:?} {least} {most:?}"
                    );
                    assert!(length <= without.maximum || !goes_on[0], "{read:?} {least} {most:?}");
                }
                compared += 1;
            }
        }
        assert!(compared > 8, "{compared}");
    }

    #[test]
    fn a_text_without_strings_is_as_far_from_a_match_as_is_left_of_a_character() {
        let mut store = ExpressionStore::new();
        let (any, any_byte) = (store.any_character(), store.bytes(ByteSet::ALL));
        let (letter, two) = (store.characters(&[('a', 'é')]), store.characters(&[('a', 'a'), ('é', 'é')]));
        let [all, all_bytes, letters] = [any, any_byte, letter].map(|body| store.repetition(body, 0, None));
        let strings = ["aa", "é", "日本", "aéa"].map(|string| store.literal(string.as_bytes()));
        let mut known = Vec::new();
        for body in [any, letter, two] {
            for behind in [all, all_bytes, letters, ExpressionStore::EMPTY] {
                for string in strings {
                    let found = store.concatenation(&[all_bytes, string, behind]);
                    let not_found = store.complement(found);
                    let [bounded, unbounded] = [Some(900), None].map(|most| {
                        let length = store.repetition(body, 0, most);
                        store.intersection(&[length, not_found])
                    });
                    // Also in the middle of a character.
                    for read in [&b""[..], b"\xC3"] {
                        let left = [bounded, unbounded].map(|id| after(&mut store, id, read));
                        let Some(way) = store.way_without_strings(left[0]) else { continue };
                        let Some(ways) = store.ways_left(left[1]) else { continue };
                        assert!(ways.to_match <= way && ways.characters_to_match == 0, "{ways:?}");
                        known.push((body, behind));
                    }
                }
            }
        }
        for pair in [(any, all), (any, all_bytes), (letter, all_bytes), (letter, letters), (two, all_bytes)] {
            assert!(known.contains(&pair), "{known:?}");
        }
        for pair in [(any, letters), (any, ExpressionStore::EMPTY)] {
            assert!(!known.contains(&pair), "{known:?}");
        }
    }

    #[test]
    fn a_text_that_cannot_grow_keeps_its_length() {
        let mut store = ExpressionStore::new();
        let (any, letter) = (store.any_character(), store.bytes(ByteSet::range(b'a', b'z')));
        let letters = store.repetition(letter, 0, None);
        let end = store.literal(b"!");
        let ended = store.concatenate(letters, end);
        let length = store.repetition(any, 40, None);
        let given = store.intersection(&[length, ended]);
        assert_eq!(store.with_near_length(given, 10), None);
        assert!(store.without_least_length_at_head(given).is_none());
    }
}
