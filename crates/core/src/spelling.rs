//! How characters are spelled: in UTF-8, and in JSON strings.

use std::ops::RangeInclusive;

use crate::byte_set::ByteSet;

/// The UTF-16 code units that are half of a pair.
pub(crate) const SURROGATES: RangeInclusive<u32> = 0xD800..=0xDFFF;

/// The letter after the backslash of an escape, and the character that it stands for.
pub(crate) const SHORT_ESCAPES: [(u8, u8); 8] = [
    (b'"', b'"'),
    (b'\\', b'\\'),
    (b'/', b'/'),
    (b'b', 0x08),
    (b'f', 0x0C),
    (b'n', b'\n'),
    (b'r', b'\r'),
    (b't', b'\t'),
];

/// Whether a byte of UTF-8 begins a character: all do but those that continue one.
pub(crate) fn begins_character(byte: u8) -> bool {
    !(0x80..=0xBF).contains(&byte)
}

/// The number of characters that begin in some bytes.
pub(crate) fn character_count(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| begins_character(byte)).count()
}

/// Which spellings of JSON strings are allowed: each schema has its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Spelling {
    /// The bytes that may stand for themselves.
    pub(crate) raw: ByteSet,
    /// Whether strings hold only those escapes without which a character cannot be written.
    pub(crate) minimal_escapes: bool,
}

impl Spelling {
    /// All spellings over some bytes: all but quotes, backslashes and control characters may stand for
    /// themselves.
    pub(crate) fn over(bytes: &ByteSet) -> Self {
        let marks = ByteSet::single(b'"').union(&ByteSet::single(b'\\'));
        let raw = ByteSet::range(0x20, 0xFF).difference(&marks).intersection(bytes);
        Self { raw, minimal_escapes: false }
    }

    /// Whether some character beyond ASCII has no other way to be written than by an escape.
    pub(crate) fn escapes_beyond_ascii(&self) -> bool {
        let bytes = ByteSet::range(0x80, 0xBF).union(&ByteSet::range(0xC2, 0xF4));
        !bytes.difference(&self.raw).is_empty()
    }

    /// Whether a character that has an escape of one letter may be written so.
    pub(crate) fn may_escape_shortly(&self, character: u8) -> bool {
        !self.minimal_escapes || matches!(character, 0..0x20 | b'"' | b'\\')
    }

    /// Whether some code point or unit of a range may be written as an escape by its number.
    pub(crate) fn may_escape(&self, first: u32, last: u32) -> bool {
        if !self.minimal_escapes || first < 0x20 {
            return true;
        }
        last >= 0x80
            && (self.escapes_beyond_ascii() || first <= *SURROGATES.end() && last >= *SURROGATES.start())
    }

    /// Whether all code points or units of a range may be written as escapes by their numbers.
    pub(crate) fn may_escape_all(&self, range: &RangeInclusive<u32>) -> bool {
        let is_surrogate = SURROGATES.contains(range.start()) && SURROGATES.contains(range.end());
        let is_beyond_ascii = *range.start() >= 0x80 && self.escapes_beyond_ascii();
        !self.minimal_escapes || *range.end() < 0x20 || is_surrogate || is_beyond_ascii
    }
}

/// The content of a JSON string without its quotes.
pub(crate) fn content_of(text: &[u8]) -> Option<Vec<u8>> {
    let mut content = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'\\' {
            content.push(byte);
            continue;
        }
        let (&escape, after) = rest.split_first()?;
        rest = after;
        match escape {
            b'u' => {
                let (unit, after) = code_unit(rest)?;
                rest = after;
                let partner = rest.strip_prefix(b"\\u").and_then(code_unit);
                match (unit, partner) {
                    (0xD800..=0xDBFF, Some((low @ 0xDC00..=0xDFFF, after))) => {
                        rest = after;
                        let code = 0x1_0000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
                        push_code(&mut content, code);
                    }
                    _ => push_code(&mut content, unit),
                }
            }
            _ => content.push(SHORT_ESCAPES.iter().find(|&&(letter, _)| letter == escape)?.1),
        }
    }
    Some(content)
}

fn code_unit(text: &[u8]) -> Option<(u32, &[u8])> {
    let (digits, rest) = text.split_at_checked(4)?;
    let digits = std::str::from_utf8(digits).ok()?;
    Some((u32::from_str_radix(digits, 16).ok()?, rest))
}

fn push_code(content: &mut Vec<u8>, code: u32) {
    match char::from_u32(code) {
        Some(character) => content.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        None => content.extend_from_slice(&[
            0xE0 | (code >> 12) as u8,
            0x80 | (code >> 6 & 0x3F) as u8,
            0x80 | (code & 0x3F) as u8,
        ]),
    }
}
