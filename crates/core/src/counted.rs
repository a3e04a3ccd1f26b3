//! Numbers of things, as messages tell them.

/// So many of what a noun names, in English: `1 word`, `2 words`.
///
/// ```
/// assert_eq!(maskwright_core::counted(1, "word"), "1 word");
/// ```
pub fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_is_told_as_one() {
        assert_eq!([0, 1, 2].map(|count| counted(count, "word")), ["0 words", "1 word", "2 words"]);
    }
}
