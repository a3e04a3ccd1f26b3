//! Reading back what has been captured: the content of a JSON string, and scalar values.

use super::constant::{Constant, Content};
use super::decimal::Decimal;
use crate::expression::json_string::SHORT_ESCAPES;

/// The content of a JSON string without its quotes.
pub(super) fn content_of(text: &[u8]) -> Option<Content> {
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

/// A string as writers usually spell it, in its quotes.
pub(super) fn usual_string(content: &[u8]) -> Vec<u8> {
    let mut text = vec![b'"'];
    for &byte in content {
        let escape = SHORT_ESCAPES.iter().find(|&&(_, meant)| meant == byte && byte != b'/');
        match escape {
            Some(&(letter, _)) => text.extend_from_slice(&[b'\\', letter]),
            None if byte < 0x20 => text.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
            None => text.push(byte),
        }
    }
    text.push(b'"');
    text
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

/// The value of a scalar's text.
pub(super) fn parse_value(text: &[u8]) -> Option<Constant> {
    Some(match text {
        b"null" => Constant::Null,
        b"true" => Constant::Boolean(true),
        b"false" => Constant::Boolean(false),
        [b'"', content @ .., b'"'] => Constant::String(content_of(content)?),
        number => Constant::Number(Decimal::parse(std::str::from_utf8(number).ok()?)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_read_back() {
        for (text, content) in [
            ("a\\u0061\\n\\/", &b"aa\n/"[..]),
            ("\\ud83d\\uDE00", "😀".as_bytes()),
            ("\\ud83dx", b"\xED\xA0\xBDx"),
            ("\\ud83d\\ud83d\\ude00", b"\xED\xA0\xBD\xF0\x9F\x98\x80"),
        ] {
            assert_eq!(content_of(text.as_bytes()).as_deref(), Some(content), "{text}");
        }
        for text in ["\\", "\\x", "\\u00", "\\u00g0"] {
            assert_eq!(content_of(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn a_string_is_read_back_from_its_usual_spelling() {
        let content = "a/\"\\\n\u{1}\u{7f}é😀".as_bytes();
        let text = usual_string(content);
        assert_eq!(text, "\"a/\\\"\\\\\\n\\u0001\u{7f}é😀\"".as_bytes());
        assert_eq!(parse_value(&text), Some(Constant::String(content.to_vec())));
    }

    #[test]
    fn scalars_are_read_back_by_value() {
        assert_eq!(parse_value(b"1.50"), parse_value(b"15e-1"));
        assert_eq!(parse_value(b"\"\\u0061\""), Some(Constant::String(b"a".to_vec())));
        assert_ne!(parse_value(b"\"true\""), parse_value(b"true"));
        assert_eq!(parse_value(b"\"\\ud83d\""), parse_value(b"\"\\uD83D\""));
        assert_ne!(parse_value(b"\"\\ud83d\""), parse_value(b"\"\\u0000\\\\xed\\\\xa0\\\\xbd\""));
    }
}
