//! Sets of small numbers as bits of words.

/// The bits that are set in a word, ascending.
pub(crate) fn bits(mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros())?;
        word &= word - 1;
        Some(bit)
    })
}

/// The numbers of the bits that are set in a row of words, ascending. Quickest where all are taken at once, as by
/// `for_each`.
pub(crate) fn indices(words: impl IntoIterator<Item = u64>) -> impl Iterator<Item = usize> {
    words.into_iter().enumerate().flat_map(|(at, word)| bits(word).map(move |bit| at * 64 + bit as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_are_those_of_bits_that_are_set() {
        assert_eq!(bits(0).count(), 0);
        assert_eq!(bits(u64::MAX).count(), 64);
        assert_eq!(indices([0b1010, 0, 1 << 63 | 1]).collect::<Vec<_>>(), [1, 3, 128, 191]);
    }
}
