//! What may not be found in a text, as an expression to intersect the texts of a pattern or a schema with.

use crate::byte_set::ByteSet;
use crate::error::Result;
use crate::expression::ExpressionId;
use crate::grammar::GrammarBuilder;

/// All texts in which no forbidden string is found, and a closing that stands behind the text nowhere before, not even
/// where it begins in the text and ends beyond. `None` where nothing is forbidden; an empty closing forbids nothing.
pub(super) fn allowed_texts(
    forbidden: &[String],
    closing: &str,
    builder: &mut GrammarBuilder,
) -> Result<Option<ExpressionId>> {
    let closing = closing.as_bytes();
    let mut anywhere: Vec<Vec<u8>> = forbidden.iter().map(|text| text.clone().into_bytes()).collect();
    anywhere.extend((!closing.is_empty()).then(|| closing.to_vec()));
    if anywhere.is_empty() {
        return Ok(None);
    }
    let any_byte = builder.bytes(ByteSet::ALL);
    let any = builder.repetition(any_byte, 0, None);
    let found = builder.literals(anywhere);
    let found = builder.concatenation(&[any, found, any]);
    let begun = builder.literals(beginnings_that_it_completes(closing));
    let begun = builder.concatenation(&[any, begun]);
    let forbidden = builder.alternatives(&[found, begun]);
    builder.complement(forbidden).map(Some)
}

/// The beginnings of a closing that become the whole of it where it follows once more.
fn beginnings_that_it_completes(closing: &[u8]) -> Vec<Vec<u8>> {
    let completed = |&length: &usize| closing.starts_with(&closing[length..]);
    (1..closing.len()).filter(completed).map(|length| closing[..length].to_vec()).collect()
}
