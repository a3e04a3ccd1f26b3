//! Free text with tags by its definition, as regular expressions of the plainest kind.
//!
//! What stands before what follows a tag is a regular language: valid UTF-8 that ends with the tag, but for all
//! texts with an occurrence that begins too early. No automaton looks for strings here; intersection and complement
//! do it.

use maskwright_core::expression::ByteSet;

use crate::ast::{Expression, alternatives, complement, intersection, literal, repetition, sequence};

/// Any valid UTF-8, by the table of well-formed byte sequences of the Unicode standard.
fn valid_text() -> Expression {
    let range = |first, last| Expression::Bytes(ByteSet::range(first, last));
    let tail = || range(0x80, 0xBF);
    let character = alternatives([
        range(0x00, 0x7F),
        sequence([range(0xC2, 0xDF), tail()]),
        sequence([range(0xE0, 0xE0), range(0xA0, 0xBF), tail()]),
        sequence([range(0xE1, 0xEC), tail(), tail()]),
        sequence([range(0xED, 0xED), range(0x80, 0x9F), tail()]),
        sequence([range(0xEE, 0xEF), tail(), tail()]),
        sequence([range(0xF0, 0xF0), range(0x90, 0xBF), tail(), tail()]),
        sequence([range(0xF1, 0xF3), tail(), tail(), tail()]),
        sequence([range(0xF4, 0xF4), range(0x80, 0x8F), tail(), tail()]),
    ]);
    repetition(character, 0, None)
}

/// All byte strings in which a string occurs at least so many bytes before the end, counted from where it begins.
fn occurs_before(string: &[u8], least: usize) -> Expression {
    let any = || Expression::Bytes(ByteSet::ALL);
    let after = least.saturating_sub(string.len()) as u32;
    sequence([repetition(any(), 0, None), literal(string), repetition(any(), after, None)])
}

/// Free text up to and with the tag of an index.
pub(crate) fn text_with_tag(strings: &[Vec<u8>], tag: usize) -> Expression {
    let tag = &strings[tag];
    let mut conditions = vec![sequence([valid_text(), literal(tag)])];
    conditions.extend(strings.iter().map(|string| complement(occurs_before(string, tag.len() + 1))));
    intersection(conditions)
}

/// Free text in which none of the strings occurs.
pub(crate) fn text_without_tags(strings: &[Vec<u8>]) -> Expression {
    let mut conditions = vec![valid_text(), complement(Expression::Nothing)];
    conditions.extend(strings.iter().map(|string| complement(occurs_before(string, 0))));
    intersection(conditions)
}

/// Prose in which tags open their bodies between `minimum` and `maximum` times.
pub(crate) fn prose(
    strings: &[Vec<u8>],
    bodies: &[Expression],
    minimum: u32,
    maximum: Option<u32>,
) -> Expression {
    let with = |continuations: Vec<Expression>, ends| Expression::FreeText {
        strings: strings.to_vec(),
        continuations,
        ends,
    };
    let nothing = vec![Expression::Nothing; strings.len()];
    sequence([repetition(with(bodies.to_vec(), false), minimum, maximum), with(nothing, true)])
}
