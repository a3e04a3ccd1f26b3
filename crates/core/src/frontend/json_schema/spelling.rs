//! Reading back what has been captured, scalar values, and the usual spelling of strings.

use super::constant::Constant;
use super::decimal::Decimal;
use crate::spelling::{SHORT_ESCAPES, content_of};

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
