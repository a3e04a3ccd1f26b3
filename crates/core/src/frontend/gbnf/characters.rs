//! Escapes, literals and character classes: the parts of a text where characters stand for themselves.

use super::faults;
use crate::error::{Error, Result};
use crate::expression::CharacterRange;

/// All escapes of one letter but those that take digits or name a class.
const LETTER_ESCAPES: [(char, char); 9] = [
    ('n', '\n'),
    ('t', '\t'),
    ('r', '\r'),
    ('f', '\u{c}'),
    ('v', '\u{b}'),
    ('a', '\u{7}'),
    ('b', '\u{8}'),
    ('e', '\u{1b}'),
    ('0', '\0'),
];
const ESCAPE_HELP: &str = r"write `\\` for a backslash; the escapes are \n \t \r \f \v \a \b \e \0 \xHH \uHHHH \UHHHHHHHH, a backslash before punctuation, and in a class also \d \w \s \D \W \S";
const DIGIT: &[CharacterRange] = &[('0', '9')];
const WORD: &[CharacterRange] = &[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')];
const SPACE: &[CharacterRange] = &[('\t', '\r'), (' ', ' ')];
const EVERYTHING: CharacterRange = ('\0', char::MAX);

/// A place in a text that is read from front to back. `at` is always on the border of a code point.
#[derive(Clone, Debug)]
pub(super) struct Cursor<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
}

impl<'t> Cursor<'t> {
    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn take(&mut self) -> Option<char> {
        let character = self.peek()?;
        self.at += character.len_utf8();
        Some(character)
    }

    /// Steps over `expected` if it comes next.
    pub(super) fn eat(&mut self, expected: &str) -> bool {
        let found = self.rest().starts_with(expected);
        if found {
            self.at += expected.len();
        }
        found
    }

    /// Steps over all ASCII characters that satisfy `belongs`.
    pub(super) fn take_while(&mut self, belongs: impl Fn(u8) -> bool) -> &'t str {
        let rest = self.rest();
        let length = rest.bytes().take_while(|&byte| byte.is_ascii() && belongs(byte)).count();
        self.at += length;
        &rest[..length]
    }

    fn since(&self, start: usize, expected: &str, help: &str) -> Error {
        faults::syntax(self.text, start..self.at, expected, help)
    }

    /// Reads a literal from its opening quote to its closing one, as UTF-8.
    pub(super) fn literal(&mut self) -> Result<Vec<u8>> {
        let opened = self.at;
        let quote = self.take();
        let mut literal = String::new();
        loop {
            match self.peek() {
                None => {
                    let closing = format!("`{}`", quote.unwrap_or('"'));
                    return Err(faults::unterminated(self.text, opened, "literal", &closing));
                }
                found if found == quote => break,
                Some(_) => literal.push(self.character()?),
            }
        }
        self.take();
        Ok(literal.into_bytes())
    }

    /// Reads a class from `[` to `]`. The ranges are sorted, disjoint and not adjacent.
    pub(super) fn class(&mut self) -> Result<Vec<CharacterRange>> {
        let opened = self.at;
        self.take();
        let negated = self.eat("^");
        let mut ranges = Vec::new();
        while !self.eat("]") {
            if self.peek().is_none() {
                return Err(faults::unterminated(self.text, opened, "class", "`]`"));
            }
            self.class_member(&mut ranges)?;
        }
        if ranges.is_empty() {
            let help = r"write `\]` for a closing bracket in a class, and `.` for any code point";
            return Err(self.since(opened, "a class with at least one member", help));
        }
        let ranges = normalised(ranges);
        Ok(if negated { complement(&ranges) } else { ranges })
    }

    /// Reads one character, range or class escape of a class.
    fn class_member(&mut self, ranges: &mut Vec<CharacterRange>) -> Result<()> {
        let start = self.at;
        let shorthand = self.class_escape();
        let is_range = |cursor: &Self| cursor.rest().starts_with('-') && !cursor.rest().starts_with("-]");
        if let Some(members) = shorthand {
            if is_range(self) {
                self.take();
                return Err(self.since(start, "a class escape outside a range", r"write `\-` for a hyphen"));
            }
            ranges.extend(members);
            return Ok(());
        }
        let first = self.character()?;
        if !is_range(self) {
            ranges.push((first, first));
            return Ok(());
        }
        self.take();
        if self.clone().class_escape().is_some() {
            let at = self.at;
            self.at += 2;
            let help = r"a range goes from one character to another; write `\-` for a hyphen";
            return Err(self.since(at, "the last character of a range", help));
        }
        if self.peek().is_none() {
            return Ok(());
        }
        let last = self.character()?;
        if first > last {
            let help = r"put the smaller character first, or write `\-` for a hyphen";
            return Err(self.since(start, "a range from a smaller to a greater character", help));
        }
        ranges.push((first, last));
        Ok(())
    }

    /// Steps over `\d`, `\w`, `\s` or the negation of one, if it comes next.
    fn class_escape(&mut self) -> Option<Vec<CharacterRange>> {
        let letter = self.rest().strip_prefix('\\')?.chars().next()?;
        let members = match letter.to_ascii_lowercase() {
            'd' => DIGIT,
            'w' => WORD,
            's' => SPACE,
            _ => return None,
        };
        self.at += 2;
        Some(if letter.is_ascii_uppercase() { complement(members) } else { members.to_vec() })
    }

    /// Reads one character, plain or escaped.
    fn character(&mut self) -> Result<char> {
        let start = self.at;
        match self.take() {
            Some('\\') => {}
            Some(plain) => return Ok(plain),
            None => return Err(faults::unexpected(self.text, start, "a character", "")),
        }
        let Some(letter) = self.take() else {
            return Err(faults::unexpected(self.text, self.at, "an escape", ESCAPE_HELP));
        };
        match letter {
            'x' => self.code_point(start, 2),
            'u' => self.code_point(start, 4),
            'U' => self.code_point(start, 8),
            '0' if self.peek().is_some_and(|next| next.is_ascii_digit()) => {
                self.take();
                Err(self.since(start, "an escape", r"octal escapes are not known; write `\xHH`"))
            }
            letter if letter.is_ascii_punctuation() || letter == ' ' => Ok(letter),
            letter => match LETTER_ESCAPES.iter().find(|(known, _)| *known == letter) {
                Some(&(_, meant)) => Ok(meant),
                None => Err(self.since(start, "an escape", ESCAPE_HELP)),
            },
        }
    }

    /// Reads the digits of an escape that began at `start`: `count` of them, or up to six in braces.
    fn code_point(&mut self, start: usize, count: usize) -> Result<char> {
        let braced = count < 8 && self.eat("{");
        let rest = self.rest();
        let limit = if braced { 6 } else { count };
        let length = rest.bytes().take(limit).take_while(u8::is_ascii_hexdigit).count();
        let digits = &rest[..length];
        self.at += length;
        let complete = if braced { length > 0 && self.eat("}") } else { length == count };
        if !complete {
            let expected = if braced {
                "1 to 6 hexadecimal digits in braces".to_owned()
            } else {
                format!("{count} hexadecimal digits")
            };
            return Err(self.since(start, &expected, ""));
        }
        let value = u32::from_str_radix(digits, 16).unwrap_or(u32::MAX);
        char::from_u32(value).ok_or_else(|| self.no_character(start, value))
    }

    fn no_character(&mut self, start: usize, value: u32) -> Error {
        if value > u32::from(char::MAX) {
            return self.since(start, "a code point of at most 10FFFF", "");
        }
        let end = self.at;
        let second = self.eat("\\u").then(|| self.rest().get(..4)).flatten();
        let pair = second
            .and_then(|digits| u16::from_str_radix(digits, 16).ok())
            .and_then(|low| char::decode_utf16([value as u16, low]).next()?.ok());
        let help = match pair {
            Some(character) => {
                format!("write `\\U{:08X}` for the character of this pair", u32::from(character))
            }
            None => "half of a pair has no UTF-8 form".to_owned(),
        };
        self.at = end;
        self.since(start, "a code point that is no surrogate", &help)
    }
}

/// The same members as sorted ranges that neither overlap nor touch.
fn normalised(mut ranges: Vec<CharacterRange>) -> Vec<CharacterRange> {
    ranges.sort_unstable();
    let mut merged: Vec<CharacterRange> = Vec::with_capacity(ranges.len());
    for (first, last) in ranges {
        match merged.last_mut() {
            Some((_, end)) if following(*end).is_none_or(|next| first <= next) => *end = last.max(*end),
            _ => merged.push((first, last)),
        }
    }
    merged
}

/// All code points that are not members of the ranges, which are sorted and disjoint.
fn complement(ranges: &[CharacterRange]) -> Vec<CharacterRange> {
    let mut gaps = Vec::with_capacity(ranges.len() + 1);
    let mut next = Some(EVERYTHING.0);
    for &(first, last) in ranges {
        if let Some(start) = next.filter(|&start| start < first) {
            gaps.extend(preceding(first).map(|end| (start, end)));
        }
        next = following(last);
    }
    gaps.extend(next.map(|start| (start, EVERYTHING.1)));
    gaps
}

/// The next code point that is no surrogate.
fn following(character: char) -> Option<char> {
    (character..=EVERYTHING.1).nth(1)
}

/// The code point before, surrogates passed over.
fn preceding(character: char) -> Option<char> {
    (EVERYTHING.0..=character).nth_back(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(text: &str) -> Vec<CharacterRange> {
        Cursor { text, at: 0 }.class().unwrap()
    }

    #[test]
    fn ranges_that_touch_are_merged_also_across_the_surrogates() {
        assert_eq!(class("[b-da-b-]"), [('-', '-'), ('a', 'd')]);
        assert_eq!(class(r"[\uE000-\uE001\uD700-\uD7FF]"), [('\u{d700}', '\u{e001}')]);
    }

    #[test]
    fn a_negated_class_is_all_other_code_points() {
        assert_eq!(class(r"[^\x00-ac-\uFFFF]"), [('b', 'b'), ('\u{10000}', char::MAX)]);
        assert_eq!(class(r"[^\uE000-\U0010FFFF]"), [('\0', '\u{d7ff}')]);
        assert_eq!(class(r"[^\d\D]"), []);
        assert_eq!(complement(&complement(WORD)), WORD);
    }
}
