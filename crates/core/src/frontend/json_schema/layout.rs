//! What stands between the values of a JSON text: brackets, separators, white space.

use smallvec::{SmallVec, smallvec};

use super::options::{Options, Whitespace};
use crate::expression::{ByteSet, ExpressionId, ExpressionStore};

/// What stands between two values, or a value and a bracket, from left to right.
pub(super) type Separator<'a> = SmallVec<[Piece<'a>; 3]>;

/// A part of a [`Separator`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// Exactly this text.
    Text(&'a [u8]),
    /// A free run of white space, of which a writer usually makes this.
    Run(&'static str),
    /// So many blanks.
    Blanks(u32),
}

/// The punctuation, for the options of one schema and the bytes of one vocabulary.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    whitespace: Whitespace,
    /// A free run of white space; empty with fixed separators.
    run: ExpressionId,
}

impl Layout {
    pub(super) fn new(options: &Options, alphabet: &ByteSet, store: &mut ExpressionStore) -> Self {
        let run = match options.whitespace {
            Whitespace::Free { maximum } => {
                let blanks: ByteSet =
                    b" \t\n\r".iter().copied().filter(|&byte| alphabet.contains(byte)).collect();
                let blank = store.bytes(blanks);
                store.repetition(blank, 0, Some(maximum))
            }
            Whitespace::Fixed { .. } => ExpressionStore::EMPTY,
        };
        Self { whitespace: options.whitespace.clone(), run }
    }

    /// Whether values at different depths are written differently.
    pub(super) fn depends_on_depth(&self) -> bool {
        matches!(self.whitespace, Whitespace::Fixed { indent: Some(_), .. })
    }

    /// Before a value or key of a container at a depth.
    pub(super) fn before_value(&self, is_first: bool, depth: u32) -> Separator<'_> {
        match &self.whitespace {
            _ if is_first => self.line(depth + 1),
            Whitespace::Free { .. } => smallvec![Piece::Run(""), Piece::Text(b","), Piece::Run(" ")],
            Whitespace::Fixed { item_separator, indent: None, .. } => {
                smallvec![Piece::Text(item_separator.as_bytes())]
            }
            Whitespace::Fixed { item_separator, .. } => {
                let comma = Piece::Text(item_separator.as_bytes());
                [comma].into_iter().chain(self.line(depth + 1)).collect()
            }
        }
    }

    /// Between a key and its value.
    pub(super) fn after_key(&self) -> Separator<'_> {
        match &self.whitespace {
            Whitespace::Free { .. } => smallvec![Piece::Run(""), Piece::Text(b":"), Piece::Run(" ")],
            Whitespace::Fixed { key_separator, .. } => smallvec![Piece::Text(key_separator.as_bytes())],
        }
    }

    /// At the end of a container at a depth: after its last value, or its opening bracket, up to the closing one.
    pub(super) fn end<'a>(&self, is_empty: bool, depth: u32, bracket: &'a [u8; 1]) -> Separator<'a> {
        let mut end = match self.whitespace {
            Whitespace::Fixed { .. } if is_empty => Separator::new(),
            _ => self.line(depth),
        };
        end.push(Piece::Text(bracket));
        end
    }

    /// The texts that a separator can be.
    pub(super) fn expression(&self, separator: &Separator<'_>, store: &mut ExpressionStore) -> ExpressionId {
        let pieces: SmallVec<[ExpressionId; 3]> = separator
            .iter()
            .map(|&piece| match piece {
                Piece::Text(text) => store.literal(text),
                Piece::Run(_) => self.run,
                Piece::Blanks(count) => {
                    let blank = store.literal(b" ");
                    store.repetition(blank, count, Some(count))
                }
            })
            .collect();
        store.concatenation(&pieces)
    }

    /// What begins a line of its own at a depth, or else a place between values and brackets.
    fn line<'a>(&self, depth: u32) -> Separator<'a> {
        match self.whitespace {
            Whitespace::Free { .. } => smallvec![Piece::Run("")],
            Whitespace::Fixed { indent: None, .. } => Separator::new(),
            Whitespace::Fixed { indent: Some(width), .. } => {
                smallvec![Piece::Text(b"\n"), Piece::Blanks(width.saturating_mul(depth))]
            }
        }
    }
}

/// What a writer usually makes of a separator.
pub(super) fn usual_text(separator: &Separator<'_>) -> Vec<u8> {
    /// No writer indents further, whatever the options say.
    const MOST_BLANKS: u32 = 1024;
    let mut text = Vec::new();
    for &piece in separator {
        match piece {
            Piece::Text(exactly) => text.extend_from_slice(exactly),
            Piece::Run(usual) => text.extend_from_slice(usual.as_bytes()),
            Piece::Blanks(count) => text.resize(text.len() + count.min(MOST_BLANKS) as usize, b' '),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a writer usually makes of a separator is one of its texts, and the only one where it is fixed.
    #[test]
    fn separators_allow_what_writers_usually_make_of_them() {
        let fixed = |indent| Whitespace::Fixed {
            item_separator: ", ".to_owned(),
            key_separator: ": ".to_owned(),
            indent,
        };
        for (whitespace, expected) in [
            (Whitespace::Free { maximum: 8 }, ["", ", ", ": ", "]", "]"]),
            (fixed(None), ["", ", ", ": ", "]", "]"]),
            (fixed(Some(2)), ["\n      ", ", \n      ", ": ", "\n    ]", "]"]),
        ] {
            let mut store = ExpressionStore::new();
            let is_free = matches!(whitespace, Whitespace::Free { .. });
            let layout =
                Layout::new(&Options { whitespace, ..Options::default() }, &ByteSet::ALL, &mut store);
            let separators = [
                layout.before_value(true, 2),
                layout.before_value(false, 2),
                layout.after_key(),
                layout.end(false, 2, b"]"),
                layout.end(true, 2, b"]"),
            ];
            for (separator, expected) in separators.iter().zip(expected) {
                let text = usual_text(separator);
                assert_eq!(String::from_utf8_lossy(&text), expected);
                let whole = layout.expression(separator, &mut store);
                let derive = |at, &byte: &u8| store.derive_whole(at, byte, &mut ByteSet::ALL.clone());
                let left = text.iter().fold(whole, derive);
                assert!(
                    store.is_nullable(left) && (is_free || left == ExpressionStore::EMPTY),
                    "{expected:?}"
                );
            }
        }
    }
}
