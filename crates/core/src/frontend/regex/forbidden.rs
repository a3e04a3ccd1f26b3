//! What may not be found in the text of a pattern, as an expression to intersect it with.

use super::RegexOptions;
use crate::byte_set::ByteSet;
use crate::error::Result;
use crate::expression::ExpressionId;
use crate::grammar::GrammarBuilder;

/// All texts in which nothing is found that the options forbid; `None` where they forbid nothing.
pub(super) fn allowed_texts(
    options: &RegexOptions,
    builder: &mut GrammarBuilder,
) -> Result<Option<ExpressionId>> {
    let closing = options.closing.as_bytes();
    let mut anywhere: Vec<Vec<u8>> = options.forbidden.iter().map(|text| text.clone().into_bytes()).collect();
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
