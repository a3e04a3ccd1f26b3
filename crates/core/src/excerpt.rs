//! Pieces of a grammar's text, and names in it, as errors show them.

/// The most characters that are shown.
const LONGEST: usize = 40;

/// The text in backquotes, on one line and not too long.
pub(crate) fn quote(text: &str) -> String {
    let mut quoted = String::from("`");
    for (count, character) in text.chars().enumerate() {
        if count == LONGEST {
            quoted.push('…');
            break;
        }
        if character.is_control() {
            quoted.extend(character.escape_default());
        } else {
            quoted.push(character);
        }
    }
    quoted.push('`');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_text_stays_short_and_on_one_line() {
        assert_eq!(quote("a\nb\u{7f}é"), "`a\\nb\\u{7f}é`");
        assert_eq!(quote(&"x".repeat(1000)).chars().count(), LONGEST + 3);
    }
}
