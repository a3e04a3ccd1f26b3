//! Short texts, for tests that read every one.

/// All texts of some letters up to a length.
pub(super) fn texts(letters: &[u8], length: usize) -> Vec<Vec<u8>> {
    let mut all = vec![Vec::new()];
    let mut last = all.clone();
    for _ in 0..length {
        last = last
            .iter()
            .flat_map(|text| letters.iter().map(|&letter| [text, &[letter][..]].concat()))
            .collect();
        all.extend_from_slice(&last);
    }
    all
}
