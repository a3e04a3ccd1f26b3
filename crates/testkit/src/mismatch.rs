//! A difference between the engine and the oracle, and its print-out as a test.

use std::fmt;

use crate::ast::Quoted;
use crate::oracle::Piece;
use crate::random_case::Case;

/// Where the engine and the oracle, or the engine and itself, disagree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The seed of the case and of all choices.
    pub seed: u64,
    /// The grammar and the vocabulary.
    pub case: Case,
    /// What was committed before.
    pub pieces: Vec<Piece>,
    /// What differs.
    pub difference: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "// seed {}: {}", self.seed, self.difference)?;
        writeln!(formatter, "{}", self.case)?;
        formatter.write_str("let pieces = [")?;
        for (at, piece) in self.pieces.iter().enumerate() {
            let gap = if at == 0 { "" } else { ", " };
            match piece {
                Piece::Token(id) => write!(formatter, "{gap}Piece::Token({id})")?,
                Piece::Bytes(bytes) => write!(formatter, "{gap}Piece::Bytes({}.to_vec())", Quoted(bytes))?,
            }
        }
        formatter.write_str("];\nassert_eq!(replay(&Maskwright::default(), &case, &pieces), Ok(()));")
    }
}

/// What differs between two masks, by id.
pub(crate) fn describe_masks(case: &Case, expected: &[u32], actual: &[u32]) -> String {
    let ids = |of: &[u32], but: &[u32]| {
        let missing = of.iter().zip(but).enumerate().flat_map(|(word, (of, but))| {
            (0..32).filter(move |bit| (of & !but) >> bit & 1 == 1).map(move |bit| word * 32 + bit)
        });
        let texts = missing.map(|id| match case.vocabulary.tokens.get(id) {
            Some(Some(text)) => format!("{id} {}", Quoted(text)),
            Some(None) => format!("{id} (special)"),
            None => format!("{id} (past the last token)"),
        });
        texts.collect::<Vec<_>>().join(", ")
    };
    format!(
        "hidden though legal: [{}]; allowed though dead: [{}]",
        ids(expected, actual),
        ids(actual, expected)
    )
}
