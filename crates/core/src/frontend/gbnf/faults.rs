//! The errors of this front end, each with its place and a way to mend it.

use std::ops::Range;

use crate::error::{Error, Location};
use crate::excerpt::quote;

/// The longest name for which a similar one is looked for, in bytes: the comparison is quadratic in it.
const COMPARED_LENGTH: usize = 64;
/// What xgrammar calls like functions, and what to write instead.
const FUNCTIONS: [(&str, &str); 5] = [
    ("TagDispatch", "write it as a structural tag"),
    ("TokenTagDispatch", "write it as a structural tag"),
    ("Token", "write exact tokens as `<[123]>` or `<name>`"),
    ("ExcludeToken", "write `!<[123]>` or `!<name>` for any token but one"),
    ("Regex", "write a rule instead of a regular expression"),
];

/// What is said where a text is plainly in the notation of Lark.
pub(super) const LARK: &str = "this looks like Lark, which cannot be read yet; write the grammar in GBNF";

/// A fault at a part of the text; at its end where the part lies behind it.
pub(super) fn syntax(text: &str, part: Range<usize>, expected: &str, help: &str) -> Error {
    let found = text.get(part.clone()).filter(|found| !found.is_empty());
    Error::Syntax {
        location: Location::of(text, part.start),
        found: found.map_or_else(|| "end of input".to_owned(), quote),
        expected: expected.to_owned(),
        help: help.to_owned(),
    }
}

/// A fault at the code point that stands at an offset.
pub(super) fn unexpected(text: &str, at: usize, expected: &str, help: &str) -> Error {
    let length = text.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
    syntax(text, at..at + length, expected, help)
}

/// Something that opened at `opened` and never closed. The place is the end of the text.
pub(super) fn unterminated(text: &str, opened: usize, what: &str, closing: &str) -> Error {
    let help = format!("the {what} opened at {} is not closed", Location::of(text, opened));
    syntax(text, text.len()..text.len(), closing, &help)
}

/// Something that exists in another dialect, refused by name.
pub(super) fn unsupported(text: &str, at: usize, feature: &str, reason: &str) -> Error {
    Error::Unsupported {
        feature: feature.to_owned(),
        location: Location::of(text, at).to_string(),
        reason: reason.to_owned(),
    }
}

/// The refusal of one of xgrammar's functions, if the name is one.
pub(super) fn function(text: &str, name: Range<usize>) -> Option<Error> {
    let (name_text, start) = (text.get(name.clone())?, name.start);
    let (_, instead) = FUNCTIONS.iter().find(|(function, _)| *function == name_text)?;
    let reason = format!("GBNF has no functions; {instead}");
    Some(unsupported(text, start, &format!("the function `{name_text}`"), &reason))
}

/// A rule that is not defined, used at an offset in a rule; in none where the whole text is to match it.
pub(super) fn undefined<'a>(
    text: &str,
    at: usize,
    name: &str,
    used_in: Option<&str>,
    defined: impl Iterator<Item = &'a str>,
) -> Error {
    let near = did_you_mean(name, defined);
    let help = match used_in {
        _ if !near.is_empty() => near,
        Some(_) => "define it by `name ::= ...`, or put quotes around text".to_owned(),
        None if name != "start" && begins_as_lark(text) => {
            format!("{LARK}, or say that the text must match the rule `start`")
        }
        None => "define it, or say which other rule the text must match".to_owned(),
    };
    Error::UndefinedRule {
        location: Location::of(text, at),
        name: quote(name),
        used_in: used_in.map(quote),
        help,
    }
}

/// Whether there is a rule `start: ...`, with which grammars of Lark begin.
fn begins_as_lark(text: &str) -> bool {
    let mut behind_start = text.lines().filter_map(|line| line.strip_prefix("start"));
    behind_start
        .any(|rest| rest.trim_start().strip_prefix(':').is_some_and(|body| !body.starts_with([':', '='])))
}

/// A hint at a defined name that is spelt much like the one that is not.
fn did_you_mean<'a>(name: &str, defined: impl Iterator<Item = &'a str>) -> String {
    let limit = 1 + name.len() / 4;
    let near = defined
        .filter_map(|other| Some((distance(name, other, limit)?, other)))
        .min()
        .map(|(_, other)| format!("did you mean `{other}`?"));
    near.unwrap_or_default()
}

/// The edit distance of two names, letter case and `-` against `_` not counted; `None` above the limit.
fn distance(one: &str, other: &str, limit: usize) -> Option<usize> {
    if one.len().max(other.len()) > COMPARED_LENGTH || one.len().abs_diff(other.len()) > limit {
        return None;
    }
    let plain = |byte: u8| if byte == b'-' { b'_' } else { byte.to_ascii_lowercase() };
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in other.bytes().enumerate() {
            let replaced = diagonal + usize::from(plain(a) != plain(b));
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row.last().copied().filter(|&found| found <= limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_names_are_found_whatever_their_case_and_separators() {
        let defined = ["value", "json-string", "number"];
        let hint = |name| did_you_mean(name, defined.into_iter());
        assert_eq!(hint("vaule"), "did you mean `value`?");
        assert_eq!(hint("JSON_String"), "did you mean `json-string`?");
        assert_eq!(hint("numbers"), "did you mean `number`?");
        assert_eq!(hint("expression"), "");
        assert_eq!(hint(&"v".repeat(100_000)), "");
    }
}
