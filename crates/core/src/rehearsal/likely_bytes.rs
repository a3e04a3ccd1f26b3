//! Which bytes are likely where several can be written, whatever the grammar is for.

use crate::expression::Symbol;

/// What is written wherever it can be.
pub(super) const FIRST: u8 = 0;
/// Bytes of this rank are seldom written where others can be, and those beyond it hardly ever.
pub(super) const UNLIKELY: u8 = 100;

/// The place of a byte among those that can be written after another symbol, the likeliest first.
pub(super) fn rank(byte: u8, before: Option<Symbol>) -> u8 {
    let follows = |is: fn(&u8) -> bool| matches!(before, Some(Symbol::Byte(byte)) if is(&byte));
    let starts_value = before.is_none() || follows(|byte| matches!(byte, b' ' | b':' | b',' | b'['));
    match byte {
        b' ' if follows(|byte| matches!(byte, b',' | b':')) => FIRST,
        b' ' | b'\t' | b'\n' | b'\r' => UNLIKELY,
        b'e' | b'E' if follows(u8::is_ascii_digit) => UNLIKELY,
        b'a'..=b'z' if follows(|byte| *byte == b'"') => 5,
        b'"' => 10,
        b'a'..=b'z' => 20,
        b'1'..=b'9' => 30,
        b'A'..=b'Z' => 40,
        b'{' if starts_value => 12,
        b'[' if starts_value => 14,
        b'{' => 50,
        b',' => 60,
        b'0' => 70,
        b'+' | b'-' => 90,
        b'\\' | 0..=0x1F | 0x7F.. => UNLIKELY + 1,
        _ => 80,
    }
}

/// The kind of a byte, as one of its bytes: what comes after letters is mostly the same for all of them, as it is for
/// digits.
pub(super) fn kind(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' => b'a',
        b'0'..=b'9' => b'0',
        0x80.. => 0x80,
        other => other,
    }
}
