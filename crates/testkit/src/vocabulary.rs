//! Small vocabularies, as plain data.

use std::fmt;

use maskwright_core::expression::ByteSet;

use crate::ast::Quoted;

/// The tokens of a made-up tokeniser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestVocabulary {
    /// The bytes of each token; `None` for a special token.
    pub tokens: Vec<Option<Vec<u8>>>,
    /// The ids that end the text; each is the id of a token.
    pub stop_tokens: Vec<u32>,
    /// The width of a mask in bits, at least the number of tokens.
    pub size: usize,
}

impl TestVocabulary {
    /// A vocabulary from borrowed bytes, without ids past the last token.
    ///
    /// # Panics
    /// When a stop token is not the id of a token.
    pub fn new(tokens: &[Option<&[u8]>], stop_tokens: &[u32], size: usize) -> Self {
        assert!(stop_tokens.iter().all(|&id| (id as usize) < tokens.len()), "stop tokens are tokens");
        assert!(size >= tokens.len(), "a mask has a bit for every token");
        let tokens = tokens.iter().map(|token| token.map(<[u8]>::to_vec)).collect();
        Self { tokens, stop_tokens: stop_tokens.to_vec(), size }
    }

    /// Whether the token ends the text.
    pub fn is_stop(&self, id: u32) -> bool {
        self.stop_tokens.contains(&id)
    }

    /// The bytes that a token adds to the text; `None` for special and stop tokens and for ids that
    /// name no token.
    pub fn text(&self, id: u32) -> Option<&[u8]> {
        if self.is_stop(id) {
            return None;
        }
        self.tokens.get(id as usize)?.as_deref()
    }

    /// Whether the token can stand for itself in a sentence: it exists and is no stop token.
    pub fn is_symbol(&self, id: u32) -> bool {
        (id as usize) < self.tokens.len() && !self.is_stop(id)
    }

    /// The bytes that texts can be made of.
    pub fn alphabet(&self) -> ByteSet {
        (0..self.tokens.len() as u32).filter_map(|id| self.text(id)).flatten().copied().collect()
    }

    /// The number of 32-bit words of a mask.
    pub fn mask_words(&self) -> usize {
        self.size.div_ceil(32)
    }
}

impl fmt::Display for TestVocabulary {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("TestVocabulary::new(&[")?;
        for (id, token) in self.tokens.iter().enumerate() {
            formatter.write_str(if id % 8 == 0 { "\n    " } else { " " })?;
            match token {
                Some(text) => write!(formatter, "Some({}),", Quoted(text))?,
                None => formatter.write_str("None,")?,
            }
        }
        write!(formatter, "\n], &{:?}, {})", self.stop_tokens, self.size)
    }
}
