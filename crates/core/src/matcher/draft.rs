//! Masks along a draft: tokens that a smaller model guessed, and that a larger one judges all at once.

use super::Matcher;
use super::trial::Trial;
use crate::error::{Error, Result};
use crate::vocabulary::TokenId;

impl Matcher {
    /// Writes the mask before each token of a draft, and the one behind the last, into a row each. Returns how many of the tokens are
    /// allowed one after the other. Changes nothing.
    ///
    /// In the rows behind a token that is not allowed, and behind one that ends the text, all bits are ones: what is sampled there is
    /// thrown away, and a row of zeros could not be sampled from.
    ///
    /// # Errors
    /// [`Error::MaskLength`] unless there is one row more than tokens, each of
    /// [`Vocabulary::mask_words`](crate::Vocabulary::mask_words) words; else as [`accept`](Self::accept) and
    /// [`fill_mask`](Self::fill_mask), after which the rows hold nothing of use.
    pub fn fill_draft_masks(&mut self, draft: &[TokenId], rows: &mut [u32]) -> Result<usize> {
        let words = self.constraint.vocabulary().mask_words();
        let count = draft.len() + 1;
        if rows.len() != count.saturating_mul(words) {
            return Err(Error::MaskLength { found: rows.len() / count, needed: words });
        }
        let mut ahead = Trial::begin(self);
        let (mut allowed, mut is_over) = (0, false);
        for (at, row) in rows.chunks_exact_mut(words).enumerate() {
            if is_over {
                row.fill(u32::MAX);
                continue;
            }
            ahead.fill_mask(row)?;
            let is_allowed = draft.get(at).map(|&token| ahead.accept(token)).transpose()? == Some(true);
            allowed += usize::from(is_allowed);
            is_over = !is_allowed || ahead.is_finished();
        }
        Ok(allowed)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{Budget, Constraint, Vocabulary, frontend};

    #[test]
    fn a_draft_has_the_masks_of_its_tokens_one_after_the_other() {
        let tokens = [&b"a"[..], b"b", b"ab", b"c"].map(|text| Some(text.to_vec()));
        let tokens = tokens.into_iter().chain([None]).collect();
        let vocabulary = Arc::new(Vocabulary::new(tokens, vec![], vec![TokenId(4)], 5).unwrap());
        let words = ["aabc", "abb"].map(str::to_owned);
        let grammar = frontend::choice::compile(&words, &Budget::default()).unwrap();
        let constraint = Arc::new(Constraint::compile(&grammar, &vocabulary, &Budget::default()).unwrap());
        let all = u32::MAX;
        for (draft, rows, allowed) in [
            (&[][..], &[0b00101][..], 0),
            (&[0, 2, 3], &[0b00101, 0b00111, 0b01000, 0b10000], 3),
            (&[2, 1, 4, 4], &[0b00101, 0b00010, 0b10000, all, all], 3),
            (&[2, 3, 1], &[0b00101, 0b00010, all, all], 1),
            (&[1, 0], &[0b00101, all, all], 0),
        ] {
            let draft: Vec<TokenId> = draft.iter().copied().map(TokenId).collect();
            let mut matcher = Matcher::new(&constraint);
            let mut masks = vec![7; draft.len() + 1];
            assert_eq!(matcher.fill_draft_masks(&draft, &mut masks).unwrap(), allowed, "{draft:?}");
            assert_eq!((masks.as_slice(), matcher.step_count()), (rows, 0), "{draft:?}");
            assert!(matcher.fill_draft_masks(&draft, &mut masks[1..]).is_err());
            let beyond = [draft, vec![TokenId(5)]].concat();
            let is_read = allowed + 1 == beyond.len();
            assert_eq!(matcher.fill_draft_masks(&beyond, &mut vec![0; beyond.len() + 1]).is_err(), is_read);
            assert_eq!(matcher.step_count(), 0);
        }
    }
}
