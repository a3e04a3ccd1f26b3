//! Reads JSON text, by RFC 8259, into the nodes of a [`Tree`](super::json::Tree).

use super::json::{Kind, Node};
use crate::budget::Budget;
use crate::error::{Error, Location, Result};

/// The longest text: places in it are kept as `u32`.
const LONGEST_TEXT: usize = u32::MAX as usize;

/// How many bytes stand for themselves in a string before one that does not. Eight are looked at at once.
fn plain_length(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = ONES << 7;
    let mut length = 0;
    for chunk in bytes.chunks_exact(8) {
        let mut word = [0; 8];
        word.copy_from_slice(chunk);
        let word = u64::from_le_bytes(word);
        // The lowest marked byte is special; those above it may be marked by a borrow.
        let is_zero = |word: u64| word.wrapping_sub(ONES) & !word & HIGH;
        let is_control = word.wrapping_sub(ONES * 0x20) & !word & HIGH;
        let marks =
            is_zero(word ^ (ONES * u64::from(b'"'))) | is_zero(word ^ (ONES * u64::from(b'\\'))) | is_control;
        if marks != 0 {
            return length + (marks.trailing_zeros() / 8) as usize;
        }
        length += 8;
    }
    let rest = &bytes[length..];
    length + rest.iter().position(|&byte| is_special(byte)).unwrap_or(rest.len())
}

/// Whether a byte is more than itself in a string.
fn is_special(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\' | 0..=0x1f)
}

/// Whether a member of this name may give a schema an identity, where its value begins so.
fn may_identify(name: &str, value: Option<u8>) -> bool {
    match value {
        Some(b'"') => matches!(name, "$id" | "id" | "$anchor" | "$dynamicAnchor"),
        Some(b't') => name == "$recursiveAnchor",
        _ => false,
    }
}

/// A reader in the middle of its text.
pub(super) struct Reader<'text> {
    text: &'text str,
    bytes: &'text [u8],
    at: usize,
    nodes: Vec<Node>,
    /// The arrays and objects that are open, outermost first.
    open: Vec<u32>,
    nesting: usize,
    /// Whether some object within the outermost one may have an identity of its own.
    has_identities: bool,
}

impl<'text> Reader<'text> {
    pub(super) fn new(text: &'text str, budget: &Budget) -> Result<Self> {
        let limit = budget.grammar_bytes.min(LONGEST_TEXT);
        if text.len() > limit {
            return Err(Error::exceeded("grammar_bytes", limit, "by the length of the schema"));
        }
        let nodes = Vec::with_capacity(text.len() / 12 + 4);
        Ok(Self {
            text,
            bytes: text.as_bytes(),
            at: 0,
            nodes,
            open: Vec::new(),
            nesting: budget.greatest_nesting(),
            has_identities: false,
        })
    }

    /// The nodes of the text, and whether an object within the outermost one may have an identity of its own.
    pub(super) fn read(mut self) -> Result<(Vec<Node>, bool)> {
        self.skip_blanks();
        loop {
            self.value()?;
            if !self.close_finished()? {
                break;
            }
        }
        if self.at < self.bytes.len() {
            return Err(self.fault("the end of the JSON text", ""));
        }
        Ok((self.nodes, self.has_identities))
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    /// Reads a value, up to the first item or member where it is an array or an object that has some.
    fn value(&mut self) -> Result<()> {
        loop {
            match self.peek() {
                Some(b'{') => {
                    self.enter(Kind::Object)?;
                    if self.peek() == Some(b'}') {
                        return Ok(());
                    }
                    self.key()?;
                }
                Some(b'[') => {
                    self.enter(Kind::Array)?;
                    if self.peek() == Some(b']') {
                        return Ok(());
                    }
                }
                Some(b'"') => return self.string(),
                Some(b'-' | b'0'..=b'9') => return self.number(),
                _ => return self.word(),
            }
        }
    }

    /// After a value: closes what ends here and stands before the next value, if there is one.
    fn close_finished(&mut self) -> Result<bool> {
        loop {
            self.skip_blanks();
            let Some(&container) = self.open.last() else { return Ok(false) };
            let is_object = self.nodes[container as usize].kind == Kind::Object;
            match (self.peek(), is_object) {
                (Some(b'}'), true) | (Some(b']'), false) => {
                    self.at += 1;
                    self.open.pop();
                    self.nodes[container as usize].next = self.nodes.len() as u32;
                }
                (Some(b','), _) => {
                    self.at += 1;
                    self.skip_blanks();
                    if let Some(b'}' | b']') = self.peek() {
                        return Err(
                            self.fault("a value", "JSON has no trailing commas; remove the one before")
                        );
                    }
                    if is_object {
                        self.key()?;
                    }
                    return Ok(true);
                }
                (_, true) => return Err(self.fault("`,` or `}`", "")),
                (_, false) => return Err(self.fault("`,` or `]`", "")),
            }
        }
    }

    fn enter(&mut self, kind: Kind) -> Result<()> {
        if self.open.len() >= self.nesting {
            return Err(Error::exceeded("nesting", self.nesting, "by the nesting of the schema"));
        }
        self.open.push(self.nodes.len() as u32);
        self.push(kind, self.at, self.at + 1);
        self.at += 1;
        self.skip_blanks();
        Ok(())
    }

    fn push(&mut self, kind: Kind, start: usize, end: usize) {
        let next = self.nodes.len() as u32 + 1;
        self.nodes.push(Node { start: start as u32, end: end as u32, next, kind });
    }

    fn key(&mut self) -> Result<()> {
        match self.peek() {
            Some(b'"') => self.string()?,
            Some(b'\'') => return Err(self.fault("a key", "JSON quotes keys with \"")),
            _ => return Err(self.fault("a key in double quotes", "")),
        }
        self.skip_blanks();
        if self.peek() != Some(b':') {
            return Err(self.fault("`:`", ""));
        }
        self.at += 1;
        self.skip_blanks();
        if self.open.len() > 1 && !self.has_identities {
            self.has_identities = self.nodes.last().is_some_and(|key| {
                let name = &self.text[key.start as usize..key.end as usize];
                key.kind == Kind::EscapedString || may_identify(name, self.peek())
            });
        }
        Ok(())
    }

    fn string(&mut self) -> Result<()> {
        self.at += 1;
        let start = self.at;
        let mut kind = Kind::PlainString;
        loop {
            let rest = &self.bytes[self.at..];
            self.at += plain_length(rest);
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    kind = Kind::EscapedString;
                    self.escape()?;
                }
                Some(_) => {
                    return Err(self.fault(
                        "a character of a string",
                        "write control characters as escapes, such as \\n",
                    ));
                }
                None => return Err(self.fault("`\"` at the end of a string", "")),
            }
        }
        self.push(kind, start, self.at);
        self.at += 1;
        Ok(())
    }

    fn escape(&mut self) -> Result<()> {
        self.at += 1;
        match self.peek() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 1,
            Some(b'u') => {
                let unit = self.code_unit()?;
                let surrogates = 0xd800..0xe000;
                if !surrogates.contains(&unit) {
                    return Ok(());
                }
                let follows = unit < 0xdc00 && self.bytes[self.at..].starts_with(b"\\u");
                if follows {
                    self.at += 1;
                }
                if !follows || !(0xdc00..0xe000).contains(&self.code_unit()?) {
                    let help = "a surrogate must be followed by its other half";
                    return Err(self.fault("the escapes of a whole code point", help));
                }
            }
            _ => {
                let help = "write a backslash itself as \\\\";
                return Err(self.fault("one of the escapes \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u", help));
            }
        }
        Ok(())
    }

    /// Reads the `u` of an escape and its four digits.
    fn code_unit(&mut self) -> Result<u32> {
        self.at += 1;
        let mut unit = 0;
        for _ in 0..4 {
            let Some(digit) = self.peek().and_then(|byte| char::from(byte).to_digit(16)) else {
                return Err(self.fault("four hexadecimal digits", ""));
            };
            unit = unit << 4 | digit;
            self.at += 1;
        }
        Ok(unit)
    }

    fn number(&mut self) -> Result<()> {
        let start = self.at;
        self.take(b'-');
        if self.take(b'0') {
            if let Some(b'0'..=b'9') = self.peek() {
                return Err(self.fault("the end of a number", "JSON numbers have no leading zeros"));
            }
        } else {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            let _signed = self.take(b'+') || self.take(b'-');
            self.digits()?;
        }
        self.push(Kind::Number, start, self.at);
        Ok(())
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn digits(&mut self) -> Result<()> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        if self.at == start { Err(self.fault("a digit", "")) } else { Ok(()) }
    }

    fn word(&mut self) -> Result<()> {
        const WORDS: [(&str, Kind); 3] = [("null", Kind::Null), ("true", Kind::True), ("false", Kind::False)];
        let rest = &self.bytes[self.at..];
        if let Some((word, kind)) = WORDS.iter().find(|(word, _)| rest.starts_with(word.as_bytes())) {
            self.push(*kind, self.at, self.at + word.len());
            self.at += word.len();
            return Ok(());
        }
        let help = match rest {
            [b'\'', ..] => "JSON quotes strings with \"",
            [b'/' | b'#', ..] => "JSON has no comments",
            [b'T', b'r', ..] | [b'F', b'a', ..] => "JSON writes booleans as true and false",
            [b'N', b'o', ..] => "JSON writes null",
            [b'N' | b'I', ..] => "JSON has no NaN and no Infinity",
            [0xef, 0xbb, 0xbf, ..] => "remove the byte order mark",
            _ => "",
        };
        Err(self.fault("a JSON value", help))
    }

    fn fault(&self, expected: &str, help: &str) -> Error {
        let found = match self.text.get(self.at..).and_then(|rest| rest.chars().next()) {
            Some(character) => format!("`{}`", character.escape_debug()),
            None => "end of input".to_owned(),
        };
        let location = Location::of(self.text, self.at);
        Error::Syntax { location, found, expected: expected.to_owned(), help: help.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_end_where_the_first_special_byte_stands() {
        for at in 0..24 {
            for special in [b'"', b'\\', 0, 0x1f, b'\n'] {
                for other in [b'a', b' ', b'!', b'#', 0x7f, 0x80, 0xff] {
                    let mut bytes = vec![other; 24];
                    bytes[at] = special;
                    assert_eq!(plain_length(&bytes), at, "{bytes:?}");
                    assert_eq!(plain_length(&bytes[..at]), at);
                }
            }
        }
    }
}
