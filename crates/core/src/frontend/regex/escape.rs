//! What follows a backslash, in and outside of brackets.

use super::class_cache::{self, ClassId};
use super::cursor::Cursor;
use super::group::BACKREFERENCE;
use super::parser::Parser;
use super::property_names;
use super::tree::{Anchor, Node};
use crate::error::{Error, Result};
use crate::frontend::character_set::{self, CharacterSet};

/// What an escape stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Escape {
    Character(char),
    Class(ClassId),
}

/// How to write the code point of an octal escape.
const WITHOUT_OCTAL: &str = "write it as in `\\x1f`";

const NO_PROPERTY: &str = "a Unicode property that exists";

const LONE_SURROGATE: &str = "write a pair such as `\\uD83D\\uDE00`, or the code point as `\\u{1F600}`";

impl Parser<'_> {
    /// Reads an escape outside of brackets.
    pub(super) fn escape(&mut self) -> Result<()> {
        let start = self.cursor.offset();
        self.cursor.next();
        let anchor = match self.cursor.peek() {
            Some('A' | 'Z' | 'z') if self.flags.ecma => {
                self.cursor.next();
                let help = "ECMA-262 has `^` for the beginning of the text and `$` for its end";
                return Err(self.cursor.syntax_error(start, "an escape that exists", help));
            }
            Some('A') => Anchor::TextStart,
            Some('Z' | 'z') => Anchor::TextEnd,
            Some('b') => Anchor::WordBoundary { word: self.shorthand('w')? },
            Some('B') => Anchor::NotWordBoundary { word: self.shorthand('w')? },
            Some('k' | 'g') => return Err(self.backreference(start)),
            Some('1'..='9') => {
                let octal = self.three_octal_digits(start)?.ok_or_else(|| self.backreference(start))?;
                self.only_without_u(start, WITHOUT_OCTAL)?;
                return self.push_character(octal, start);
            }
            _ => {
                return match self.escape_after(start)? {
                    Escape::Character(character) => self.push_character(character, start),
                    Escape::Class(class) => {
                        self.push_node(Node::Class(class));
                        Ok(())
                    }
                };
            }
        };
        self.cursor.next();
        self.push_anchor(anchor, start);
        Ok(())
    }

    fn backreference(&self, start: usize) -> Error {
        self.cursor.unsupported(start, "a backreference", BACKREFERENCE)
    }

    /// Reads an escape in brackets.
    pub(super) fn escape_in_brackets(&mut self) -> Result<Escape> {
        let start = self.cursor.offset();
        self.cursor.next();
        match self.cursor.peek() {
            Some('b') => {
                self.cursor.next();
                Ok(Escape::Character('\u{8}'))
            }
            Some('1'..='7') => {
                let octal = self.octal(start, 3)?;
                self.only_without_u(start, WITHOUT_OCTAL)?;
                Ok(Escape::Character(octal))
            }
            _ => self.escape_after(start),
        }
    }

    /// Reads what both contexts have in common, after the backslash at `start`.
    fn escape_after(&mut self, start: usize) -> Result<Escape> {
        let Some(letter) = self.cursor.next() else {
            return Err(self.cursor.syntax_error(
                self.cursor.offset(),
                "a character after the backslash",
                "write `\\\\` for a backslash as text",
            ));
        };
        let character = match letter {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'f' => '\x0c',
            'v' => '\x0b',
            'a' if !self.flags.ecma => '\x07',
            '0' => self.zero(start)?,
            'x' => self.hexadecimal(start, 2)?,
            'u' => self.hexadecimal(start, 4)?,
            'U' if !self.flags.ecma => self.hexadecimal(start, 8)?,
            'c' => self.control(start)?,
            'd' | 'w' | 's' | 'D' | 'W' | 'S' => return self.shorthand(letter).map(Escape::Class),
            'p' | 'P' => return self.property(start).map(Escape::Class),
            'N' if self.cursor.rest().starts_with('{') => {
                return Err(self.cursor.unsupported(
                    start,
                    "a character by its name",
                    "the table of names is not part of the engine; write the character itself or `\\u{...}`",
                ));
            }
            'a'..='z' | 'A'..='Z' | '1'..='9' => return Err(self.unknown_escape(start, letter)),
            // ECMA-262 allows that of some with the flag `u`, and of all others without. No dialect reads it otherwise.
            text => text,
        };
        Ok(Escape::Character(character))
    }

    fn unknown_escape(&self, start: usize, letter: char) -> Error {
        let help = match letter {
            '0'..='9' => String::new(),
            'a' if self.flags.ecma => r"write `\x07` for the bell, and `a` for the letter itself".to_owned(),
            'U' if self.flags.ecma => r"write code points as in `\u{1F600}`".to_owned(),
            _ => format!("write `{letter}` for the letter itself"),
        };
        self.cursor.syntax_error(start, "an escape that exists", &help)
    }

    /// The set of `\d`, `\w`, `\s` or their complements by their letter.
    fn shorthand(&mut self, letter: char) -> Result<ClassId> {
        let flags = self.flags;
        let source = format!("\\{letter}");
        self.classes.intern(&source, flags, self.budget.expressions, |_| {
            let mut set = class_cache::shorthand(letter.to_ascii_lowercase(), flags);
            if letter.is_ascii_uppercase() {
                set.negate();
            }
            Ok(set)
        })
    }

    /// Reads the name of a property: `{...}` or one letter.
    fn property(&mut self, start: usize) -> Result<ClassId> {
        if self.cursor.eat("{") {
            let is_name = |c: char| c.is_ascii_alphanumeric() || "_-=:! ".contains(c);
            self.cursor.take_while(100, is_name);
            if !self.cursor.eat("}") {
                let at = self.cursor.offset();
                return Err(self.cursor.syntax_error(at, "the name of a Unicode property and `}`", ""));
            }
            self.only_with_u(start)?;
        } else {
            self.cursor.take_while(1, |c| c.is_ascii_alphabetic());
        }
        let (cursor, flags, source) = (&self.cursor, self.flags, self.cursor.since(start));
        self.classes.intern(source, flags, self.budget.expressions, |_| {
            let mut set = match flags.ecma {
                true => ecma_property(cursor, start)?,
                false => character_set::property(source).ok_or_else(|| {
                    let help = "properties are written as in `\\p{L}`, `\\p{Greek}` or `\\p{Script=Greek}`";
                    cursor.syntax_error(start, NO_PROPERTY, help)
                })?,
            };
            if flags.ignore_case {
                class_cache::fold_case(&mut set, flags);
            }
            Ok(set)
        })
    }

    /// Reads three octal digits, or nothing where there are fewer, as Python does outside of brackets.
    ///
    /// In ECMA-262 they may be the number of a group, so nothing is read where there could be as many groups.
    fn three_octal_digits(&mut self, start: usize) -> Result<Option<char>> {
        let digits = self.cursor.rest().bytes().take(3).take_while(|b| (b'0'..b'8').contains(b)).count();
        let is_number = |digits: &str| digits.parse::<usize>().is_ok_and(|number| number <= self.parentheses);
        if digits == 3 && !(self.flags.ecma && is_number(&self.cursor.rest()[..digits])) {
            self.octal(start, 3).map(Some)
        } else {
            Ok(None)
        }
    }

    /// Reads what follows `\0`: at most two octal digits, which ECMA-262 has no more with the flag `u`.
    fn zero(&mut self, start: usize) -> Result<char> {
        let value = self.octal(start, 2)?;
        let is_plain = self.cursor.since(start) == r"\0";
        if !is_plain || self.cursor.peek().is_some_and(|next| next.is_ascii_digit()) {
            self.only_without_u(start, WITHOUT_OCTAL)?;
        }
        Ok(value)
    }

    /// Reads at most `most` octal digits; none is zero.
    fn octal(&mut self, start: usize, most: usize) -> Result<char> {
        let digits = self.cursor.take_while(most, |c| c.is_digit(8));
        match u32::from_str_radix(digits, 8) {
            Ok(value) if value > 0o377 => Err(self.cursor.syntax_error(
                start,
                "an octal escape of at most `\\377`",
                "write `\\u{...}` for other code points",
            )),
            Ok(value) => Ok(char::from_u32(value).unwrap_or_default()),
            Err(_) => Ok('\0'),
        }
    }

    /// Reads a code point written as exactly `count` hexadecimal digits, or as any number in braces.
    fn hexadecimal(&mut self, start: usize, count: usize) -> Result<char> {
        let value = self.hexadecimal_value(start, count)?;
        let is_braced = self.cursor.since(start).ends_with('}');
        if is_braced && count == 4 {
            self.only_with_u(start)?;
        }
        let rest = self.cursor.rest();
        let may_be_pair = !is_braced && rest.starts_with("\\u") && !rest.starts_with("\\u{");
        if (0xD800..0xDC00).contains(&value) && may_be_pair {
            return self.surrogate_pair(start, value);
        }
        if (0xD800..0xE000).contains(&value) {
            return Err(self.cursor.syntax_error(
                start,
                "a code point that is no lone surrogate",
                LONE_SURROGATE,
            ));
        }
        char::from_u32(value)
            .ok_or_else(|| self.cursor.syntax_error(start, "a code point of at most 10FFFF", ""))
    }

    fn hexadecimal_value(&mut self, start: usize, count: usize) -> Result<u32> {
        // ECMA-262 has braces after `\u` only.
        let may_be_braced = !self.flags.ecma || count == 4;
        let digits = if may_be_braced && self.cursor.eat("{") {
            let digits = self.cursor.take_while(usize::MAX, |c| c.is_ascii_hexdigit());
            if digits.is_empty() || !self.cursor.eat("}") {
                let at = self.cursor.offset();
                return Err(self.cursor.syntax_error(at, "hexadecimal digits and `}`", ""));
            }
            digits.trim_start_matches('0')
        } else {
            let digits = self.cursor.take_while(count, |c| c.is_ascii_hexdigit());
            if digits.len() < count {
                let expected = format!("{count} hexadecimal digits");
                return Err(self.cursor.syntax_error(start, &expected, "or write them as in `\\u{e9}`"));
            }
            digits
        };
        let value = if digits.is_empty() { Ok(0) } else { u32::from_str_radix(digits, 16) };
        // What does not fit in 32 bits is no code point either.
        Ok(value.unwrap_or(u32::MAX))
    }

    /// Reads the second half of a pair `\uD83D\uDE00`, which stands for one code point.
    fn surrogate_pair(&mut self, start: usize, high: u32) -> Result<char> {
        let end_of_high = self.cursor.offset();
        self.cursor.eat("\\u");
        let low = self.hexadecimal_value(end_of_high, 4)?;
        if !(0xDC00..0xE000).contains(&low) {
            self.cursor.go_to(end_of_high);
            return Err(self.cursor.syntax_error(
                start,
                "a code point that is no lone surrogate",
                LONE_SURROGATE,
            ));
        }
        let value = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
        // Both halves are in range, so that the value is a code point.
        Ok(char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn control(&mut self, start: usize) -> Result<char> {
        match self.cursor.next() {
            Some(letter) if letter.is_ascii_alphabetic() => Ok(char::from(letter as u8 & 31)),
            _ => Err(self.cursor.syntax_error(start, "an ASCII letter after `\\c`", "")),
        }
    }
}

/// The set of the property of ECMA-262 that was written from `start` to here.
fn ecma_property(cursor: &Cursor<'_>, start: usize) -> Result<CharacterSet> {
    let source = cursor.since(start);
    match (property_names::known_name(source), character_set::property(source)) {
        (Some(_), Some(set)) => Ok(set),
        // There are none in a text.
        (Some("Cs" | "Surrogate"), None) if source.starts_with(r"\P") => Ok(character_set::all_characters()),
        (Some("Cs" | "Surrogate"), None) => Ok(CharacterSet::empty()),
        (Some("Changes_When_NFKC_Casefolded" | "CWKCF" | "Unknown" | "Zzzz"), None) => {
            let feature = format!("the property `{source}`");
            Err(cursor.unsupported(start, &feature, "its table is not part of the engine"))
        }
        _ => Err(cursor.syntax_error(
            start,
            NO_PROPERTY,
            "ECMA-262 has them as in `\\p{L}`, `\\p{Alphabetic}` or `\\p{Script=Greek}`, spelled just so",
        )),
    }
}
