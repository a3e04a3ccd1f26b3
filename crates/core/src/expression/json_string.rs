//! JSON strings by their content.
//!
//! What a schema says of a string concerns its characters, and JSON has many spellings for each: `a` is
//! also `\u0061`. A [`JsonString`](super::Expression::JsonString) wraps an expression over the *content*,
//! in UTF-8, and matches every spelling between the quotes. It is the inverse image of a function from
//! texts to contents, so it commutes with union, intersection and complement, and the content can be any
//! regular expression. The only memory beyond the content is how far an escape has been read.
//!
//! Surrogates that belong to no pair stand in contents as three bytes each, as in WTF-8. A content that has
//! none, as all UTF-8, refuses them. Where a content goes on with a surrogate, it is to go on with any, but for some
//! fixed strings: so if it matches anything, it matches something in which no high one stands before a low one, which
//! is how a pair would be spelled.

use std::ops::RangeInclusive;

use regex_syntax::utf8::{Utf8Range, Utf8Sequence, Utf8Sequences};

use super::content::Description;
use super::{ByteSet, CharacterRange, Expression, ExpressionId, ExpressionStore};
use crate::spelling::{SHORT_ESCAPES, SURROGATES};

/// The byte that surrogates begin with in contents, and others beyond ASCII, too.
pub(super) const LEAD_OF_SURROGATES: u8 = 0xED;

/// The bytes of a surrogate in contents.
pub(crate) fn surrogate_bytes() -> [ByteSet; 3] {
    [ByteSet::single(LEAD_OF_SURROGATES), ByteSet::range(0xA0, 0xBF), ByteSet::range(0x80, 0xBF)]
}

/// An interned way of spelling JSON strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SpellingId(pub(super) u32);

/// How far an escape of a JSON string has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Escape {
    /// Between two characters.
    None,
    /// After a backslash.
    Backslash,
    /// After `\u` and some hexadecimal digits.
    Hexadecimal(Digits),
    /// After the escape of a high surrogate, and maybe the beginning of the next escape.
    High {
        /// The surrogate.
        high: u16,
        /// What is left of the content if the surrogate turns out to have no partner.
        lone: ExpressionId,
        /// The next escape.
        next: NextEscape,
    },
}

/// Hexadecimal digits read so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Digits {
    count: u8,
    value: u16,
}

/// How far the escape after a high surrogate has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NextEscape {
    /// Not begun.
    None,
    /// After a backslash.
    Backslash,
    /// After `\u` and some hexadecimal digits.
    Hexadecimal(Digits),
}

/// Some UTF-16 code units.
type Units = RangeInclusive<u32>;

const HIGH: Units = 0xD800..=0xDBFF;
const LOW: Units = 0xDC00..=0xDFFF;

impl Escape {
    /// The UTF-16 code units that an escape by its number can turn out to be; `None` between characters, and after a
    /// high surrogate.
    fn units(self) -> Option<Units> {
        let (first, last) = match self {
            Self::Backslash => Digits::default().range(),
            Self::Hexadecimal(digits) => digits.range(),
            Self::None | Self::High { .. } => return None,
        };
        Some(first..=last)
    }

    /// The ranges of code points that an escape read so far can turn out to be.
    pub(super) fn characters(self) -> Vec<CharacterRange> {
        match self {
            Self::None => Vec::new(),
            Self::Backslash => characters_between(0, 0x10_FFFF),
            Self::Hexadecimal(digits) => {
                let (first, last) = digits.range();
                let mut all = characters_between(first, last.min(0xFFFF));
                let (low, high) = (first.max(*HIGH.start()), last.min(*HIGH.end()));
                if low <= high {
                    all.extend(characters_between(pair(low as u16, 0xDC00), pair(high as u16, 0xDFFF)));
                }
                all
            }
            Self::High { high, next, .. } => {
                let (first, last) = match next {
                    NextEscape::Hexadecimal(digits) => digits.range(),
                    _ => (*LOW.start(), *LOW.end()),
                };
                let (first, last) = (first.max(*LOW.start()), last.min(*LOW.end()));
                if first > last {
                    return Vec::new();
                }
                characters_between(pair(high, first), pair(high, last))
            }
        }
    }
}

/// The units of a range that are among some surrogates, as three bytes each.
///
/// Digits and surrogates divide the units at multiples of powers of two, so the bytes of the three places go together
/// in any way.
fn surrogates_within(units: &Units, surrogates: &Units) -> Option<Utf8Sequence> {
    let first = *units.start().max(surrogates.start());
    let last = *units.end().min(surrogates.end());
    let ([first, last], true) = ([encode(first).0, encode(last).0], first <= last) else { return None };
    let range = |at: usize| Utf8Range { start: first[at], end: last[at] };
    Some(Utf8Sequence::Three([range(0), range(1), range(2)]))
}

/// Code points, and some surrogates, by the bytes in each place.
fn as_in_contents(
    code_points: Vec<CharacterRange>,
    surrogates: Option<Utf8Sequence>,
) -> impl Iterator<Item = Utf8Sequence> {
    code_points.into_iter().flat_map(|(first, last)| Utf8Sequences::new(first, last)).chain(surrogates)
}

/// The code points of a range, without the surrogates.
fn characters_between(first: u32, last: u32) -> Vec<CharacterRange> {
    [(first, last.min(HIGH.start() - 1)), (first.max(LOW.end() + 1), last)]
        .into_iter()
        .filter(|(first, last)| first <= last)
        .filter_map(|(first, last)| Some((char::from_u32(first)?, char::from_u32(last)?)))
        .collect()
}

impl Digits {
    /// Adds the digits to a label.
    pub(super) fn describe(self, out: &mut Description) {
        out.byte(self.count);
        out.number(u64::from(self.value));
    }

    fn push(self, byte: u8) -> Option<Self> {
        let digit = char::from(byte).to_digit(16)?;
        Some(Self { count: self.count + 1, value: self.value << 4 | digit as u16 })
    }

    /// Whether the digits may go on with another, if a content goes on with some bytes; true too often, never false
    /// where they do.
    pub(super) fn may_go_on(self, digit: u8, content: &ByteSet) -> bool {
        let range = self.push(digit).map(Self::range);
        range.is_some_and(|(first, last)| !heads_of(first, last).intersection(content).is_empty())
    }

    /// The digits that may come next in the number of a character of ASCII, in both cases, with what is read then.
    pub(super) fn towards(self, character: u8) -> impl Iterator<Item = (u8, Self)> {
        let is_towards = move |digits: Self| {
            let (first, last) = digits.range();
            (first..=last).contains(&u32::from(character))
        };
        let next = hexadecimal_digits().iter().filter_map(move |letter| Some((letter, self.push(letter)?)));
        next.filter(move |&(_, digits)| is_towards(digits))
    }

    pub(super) fn is_whole(self) -> bool {
        self.count == 4
    }

    /// How many more digits there are.
    fn left(self) -> usize {
        4 - usize::from(self.count)
    }

    /// The least and the greatest value that further digits can make of it.
    fn range(self) -> (u32, u32) {
        let left = 4 * (4 - u32::from(self.count));
        let low = u32::from(self.value) << left;
        (low, low | ((1 << left) - 1))
    }
}

/// A code point, or a surrogate, in UTF-8 or WTF-8, and the number of bytes.
fn encode(code: u32) -> ([u8; 4], usize) {
    let tail = |shift: u32| 0x80 | (code >> shift & 0x3F) as u8;
    match code {
        0..0x80 => ([code as u8, 0, 0, 0], 1),
        0x80..0x800 => ([0xC0 | (code >> 6) as u8, tail(0), 0, 0], 2),
        0x800..0x1_0000 => ([0xE0 | (code >> 12) as u8, tail(6), tail(0), 0], 3),
        _ => ([0xF0 | (code >> 18) as u8, tail(12), tail(6), tail(0)], 4),
    }
}

fn pair(high: u16, low: u32) -> u32 {
    0x1_0000 + ((u32::from(high) - 0xD800) << 10) + (low - 0xDC00)
}

impl ExpressionStore {
    /// Matches all spellings in JSON, without the quotes, of the strings that `content` matches.
    pub(crate) fn json_string(&mut self, content: ExpressionId, spelling: SpellingId) -> ExpressionId {
        match content {
            Self::NOTHING | Self::EMPTY => content,
            content => self.intern(Expression::JsonString { content, escape: Escape::None, spelling }),
        }
    }

    /// What is left of JSON strings in the middle of an escape.
    pub(crate) fn json_string_in(
        &mut self,
        content: ExpressionId,
        escape: Escape,
        spelling: SpellingId,
    ) -> ExpressionId {
        match escape {
            Escape::None => self.json_string(content, spelling),
            escape => self.intern(Expression::JsonString { content, escape, spelling }),
        }
    }

    /// What is left of a JSON string after a byte; narrows `class` to bytes that leave the same.
    pub(super) fn derive_json_string(
        &mut self,
        content: ExpressionId,
        escape: Escape,
        spelling: SpellingId,
        byte: u8,
        class: &mut ByteSet,
    ) -> ExpressionId {
        match escape {
            Escape::None => self.derive_raw(content, spelling, byte, class),
            Escape::Backslash => self.derive_escape(content, spelling, byte, class),
            Escape::Hexadecimal(digits) => {
                let Some(digits) = read_digit(digits, byte, class) else { return Self::NOTHING };
                self.after_digits(content, spelling, digits)
            }
            Escape::High { high, lone, next } => {
                self.derive_after_high(content, (high, lone), next, spelling, byte, class)
            }
        }
    }

    fn derive_raw(
        &mut self,
        content: ExpressionId,
        spelling: SpellingId,
        byte: u8,
        class: &mut ByteSet,
    ) -> ExpressionId {
        if byte == b'\\' {
            *class = class.intersection(&ByteSet::single(byte));
            return self.json_string_in(content, Escape::Backslash, spelling);
        }
        let raw = self.spelling(spelling).raw;
        if !raw.contains(byte) {
            *class = class.difference(&raw).difference(&ByteSet::single(b'\\'));
            return Self::NOTHING;
        }
        *class = class.intersection(&raw);
        let rest = self.derive_whole(content, byte, class);
        if !class.contains(LEAD_OF_SURROGATES) || !self.may_go_on_with_surrogate(rest) {
            return self.json_string(rest, spelling);
        }
        // A surrogate is written as an escape only, since texts are UTF-8.
        let lead = ByteSet::single(LEAD_OF_SURROGATES);
        if byte != LEAD_OF_SURROGATES {
            *class = class.difference(&lead);
            return self.json_string(rest, spelling);
        }
        *class = lead;
        let other = self.bytes(surrogate_bytes()[1].complement());
        let other = self.concatenate(other, Self::EVERYTHING);
        let rest = self.intersection(&[rest, other]);
        self.json_string(rest, spelling)
    }

    /// Whether the rest of a content, behind the byte that leads surrogates, may go on with one.
    fn may_go_on_with_surrogate(&self, rest: ExpressionId) -> bool {
        !self.first_bytes(rest).intersection(&surrogate_bytes()[1]).is_empty()
    }

    fn derive_escape(
        &mut self,
        content: ExpressionId,
        spelling: SpellingId,
        byte: u8,
        class: &mut ByteSet,
    ) -> ExpressionId {
        *class = class.intersection(&ByteSet::single(byte));
        if byte == b'u' {
            return self.json_string_in(content, Escape::Hexadecimal(Digits::default()), spelling);
        }
        let allowed = *self.spelling(spelling);
        let is_allowed = |character| allowed.may_escape_shortly(character);
        match SHORT_ESCAPES.iter().find(|&&(escape, character)| escape == byte && is_allowed(character)) {
            Some(&(_, character)) => self.after_code(content, spelling, u32::from(character)),
            None => Self::NOTHING,
        }
    }

    /// What is left after some digits; all texts begin with the escape of a code that can be read.
    fn after_digits(&mut self, content: ExpressionId, spelling: SpellingId, digits: Digits) -> ExpressionId {
        let (first, last) = digits.range();
        if digits.is_whole() {
            return self.after_unit(content, spelling, first);
        }
        if !self.spelling(spelling).may_escape(first, last) || !self.may_read(content, first, last) {
            return Self::NOTHING;
        }
        match self.after_digits_alike(content, spelling, digits) {
            Some(rest) => rest,
            None => self.json_string_in(content, Escape::Hexadecimal(digits), spelling),
        }
    }

    /// What is left after the escape of a UTF-16 code unit.
    fn after_unit(&mut self, content: ExpressionId, spelling: SpellingId, unit: u32) -> ExpressionId {
        if !HIGH.contains(&unit) {
            let is_allowed = LOW.contains(&unit) || self.spelling(spelling).may_escape(unit, unit);
            return if is_allowed { self.after_code(content, spelling, unit) } else { Self::NOTHING };
        }
        if let Some(rest) = self.after_high_alike(content, spelling, &(unit..=unit)) {
            return rest;
        }
        let lone = self.derive_code(content, unit);
        let high = unit as u16;
        let (first, last) = (pair(high, 0xDC00), pair(high, 0xDFFF));
        let may_be_pair =
            self.spelling(spelling).may_escape(first, last) && self.may_read(content, first, last);
        if lone == Self::NOTHING && !may_be_pair {
            return Self::NOTHING;
        }
        self.json_string_in(content, Escape::High { high, lone, next: NextEscape::None }, spelling)
    }

    fn derive_after_high(
        &mut self,
        content: ExpressionId,
        (high, lone): (u16, ExpressionId),
        next: NextEscape,
        spelling: SpellingId,
        byte: u8,
        class: &mut ByteSet,
    ) -> ExpressionId {
        let after = |next| Escape::High { high, lone, next };
        match (next, byte) {
            (NextEscape::None, b'\\') => {
                *class = class.intersection(&ByteSet::single(byte));
                self.json_string_in(content, after(NextEscape::Backslash), spelling)
            }
            (NextEscape::None, _) => {
                *class = class.difference(&ByteSet::single(b'\\'));
                if lone == Self::NOTHING { lone } else { self.derive_raw(lone, spelling, byte, class) }
            }
            (NextEscape::Backslash, b'u') => {
                *class = class.intersection(&ByteSet::single(byte));
                self.json_string_in(content, after(NextEscape::Hexadecimal(Digits::default())), spelling)
            }
            (NextEscape::Backslash, _) => {
                *class = class.difference(&ByteSet::single(b'u'));
                if lone == Self::NOTHING { lone } else { self.derive_escape(lone, spelling, byte, class) }
            }
            (NextEscape::Hexadecimal(digits), _) => {
                let Some(digits) = read_digit(digits, byte, class) else { return Self::NOTHING };
                let (first, last) = digits.range();
                if digits.is_whole() {
                    return match LOW.contains(&first) {
                        true if self.spelling(spelling).may_escape(pair(high, first), pair(high, first)) => {
                            self.after_code(content, spelling, pair(high, first))
                        }
                        true => Self::NOTHING,
                        false if lone == Self::NOTHING => lone,
                        false => self.after_unit(lone, spelling, first),
                    };
                }
                let (low, up) = (first.max(*LOW.start()), last.min(*LOW.end()));
                let paired = low <= up && self.may_read(content, pair(high, low), pair(high, up));
                if paired || lone != Self::NOTHING {
                    return self.json_string_in(content, after(NextEscape::Hexadecimal(digits)), spelling);
                }
                Self::NOTHING
            }
        }
    }

    fn after_code(&mut self, content: ExpressionId, spelling: SpellingId, code: u32) -> ExpressionId {
        let rest = self.derive_code(content, code);
        self.json_string(rest, spelling)
    }

    /// What is left of a content after a code point or surrogate.
    fn derive_code(&mut self, content: ExpressionId, code: u32) -> ExpressionId {
        let (bytes, length) = encode(code);
        let mut at = content;
        for &byte in &bytes[..length] {
            if at == Self::NOTHING {
                return at;
            }
            at = self.derive_whole(at, byte, &mut ByteSet::ALL.clone());
        }
        at
    }

    /// The characters, surrogates among them, that an escape read so far can turn out to be; after a high surrogate,
    /// those that the two make up together.
    pub(super) fn escaped_characters(
        &self,
        escape: Escape,
        spelling: SpellingId,
    ) -> impl Iterator<Item = Utf8Sequence> + use<> {
        self.escaped_with(escape, spelling, SURROGATES)
    }

    /// The same of an escape that follows a high surrogate and is no partner to it.
    pub(super) fn escaped_without_partner(
        &self,
        next: NextEscape,
        spelling: SpellingId,
    ) -> impl Iterator<Item = Utf8Sequence> + use<> {
        let escape = match next {
            NextEscape::None => Escape::None,
            NextEscape::Backslash => Escape::Backslash,
            NextEscape::Hexadecimal(digits) => Escape::Hexadecimal(digits),
        };
        self.escaped_with(escape, spelling, HIGH)
    }

    /// The same with those of some surrogates only.
    fn escaped_with(
        &self,
        escape: Escape,
        spelling: SpellingId,
        surrogates: Units,
    ) -> impl Iterator<Item = Utf8Sequence> + use<> {
        let surrogates = escape.units().and_then(|units| surrogates_within(&units, &surrogates));
        as_in_contents(self.escaped_code_points(escape, spelling), surrogates)
    }

    /// The ranges of code points that an escape read so far can turn out to be.
    fn escaped_code_points(&self, escape: Escape, spelling: SpellingId) -> Vec<CharacterRange> {
        let ranges = escape.characters();
        let allowed = self.spelling(spelling);
        if !allowed.minimal_escapes {
            return ranges;
        }
        let mut needed = vec![('\0', '\u{1F}')];
        if escape == Escape::Backslash {
            needed.extend([('"', '"'), ('\\', '\\')]);
        }
        if allowed.escapes_beyond_ascii() {
            needed.push(('\u{80}', char::MAX));
        }
        let within = |&(first, last): &CharacterRange| {
            needed.iter().map(move |&(low, high)| (first.max(low), last.min(high))).collect::<Vec<_>>()
        };
        ranges.iter().flat_map(within).filter(|(first, last)| first <= last).collect()
    }

    /// Whether a content may go on with a code point or unit of a range; true too often, never false
    /// where it does. Units may be the first half of a pair.
    fn may_read(&self, content: ExpressionId, first: u32, last: u32) -> bool {
        !self.first_bytes(content).intersection(&heads_of(first, last)).is_empty()
    }
}

/// The bytes with which the code points or units of a range may begin, as halves of pairs too.
fn heads_of(first: u32, last: u32) -> ByteSet {
    let (low, high) = (encode(first).0[0], encode(last).0[0]);
    let heads = ByteSet::range(low, high);
    match first <= *HIGH.end() && last >= *HIGH.start() {
        true => heads.union(&ByteSet::range(0xF0, 0xF4)),
        false => heads,
    }
}

/// The hexadecimal digits, in both cases.
pub(super) fn hexadecimal_digits() -> ByteSet {
    let letters = ByteSet::range(b'a', b'f').union(&ByteSet::range(b'A', b'F'));
    ByteSet::range(b'0', b'9').union(&letters)
}

/// Reads one hexadecimal digit; narrows `class` to it, or to what is none.
fn read_digit(digits: Digits, byte: u8, class: &mut ByteSet) -> Option<Digits> {
    let read = digits.push(byte);
    let both_cases = [byte.to_ascii_lowercase(), byte.to_ascii_uppercase()].into_iter().collect();
    *class = match read {
        Some(_) => class.intersection(&both_cases),
        None => class.difference(&hexadecimal_digits()),
    };
    read
}

mod alike;
#[cfg(test)]
pub(super) mod tests;
