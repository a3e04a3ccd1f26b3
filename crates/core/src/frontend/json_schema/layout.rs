//! What stands between the values of a JSON text: brackets, separators, white space.

use super::options::{Options, Whitespace};
use crate::expression::{ByteSet, ExpressionId, ExpressionStore};

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

    /// After an opening bracket, before the first value, at the depth of the container.
    pub(super) fn before_first(&self, store: &mut ExpressionStore, depth: u32) -> ExpressionId {
        self.line(store, depth + 1)
    }

    /// Between an opening and a closing bracket with nothing inside.
    pub(super) fn nothing(&self) -> ExpressionId {
        self.run
    }

    /// Between two values of a container.
    pub(super) fn between(&self, store: &mut ExpressionStore, depth: u32) -> ExpressionId {
        match &self.whitespace {
            Whitespace::Free { .. } => self.around(store, b","),
            Whitespace::Fixed { item_separator, indent: None, .. } => {
                store.literal(item_separator.as_bytes())
            }
            Whitespace::Fixed { item_separator, .. } => {
                let comma = store.literal(item_separator.trim_end_matches(' ').as_bytes());
                let line = self.line(store, depth + 1);
                store.concatenate(comma, line)
            }
        }
    }

    /// Between a key and its value.
    pub(super) fn after_key(&self, store: &mut ExpressionStore) -> ExpressionId {
        match &self.whitespace {
            Whitespace::Free { .. } => self.around(store, b":"),
            Whitespace::Fixed { key_separator, .. } => store.literal(key_separator.as_bytes()),
        }
    }

    /// After the last value, with the closing bracket.
    pub(super) fn close(&self, store: &mut ExpressionStore, depth: u32, bracket: u8) -> ExpressionId {
        let line = self.line(store, depth);
        let bracket = store.literal(&[bracket]);
        store.concatenate(line, bracket)
    }

    /// What a writer usually puts before a value or key of a container at a depth.
    pub(super) fn usual_separator(&self, is_first: bool, depth: u32) -> Vec<u8> {
        let line = self.usual_line(depth + 1);
        match &self.whitespace {
            _ if is_first => line,
            Whitespace::Free { .. } => b", ".to_vec(),
            Whitespace::Fixed { item_separator, indent: None, .. } => item_separator.as_bytes().to_vec(),
            Whitespace::Fixed { item_separator, .. } => {
                [item_separator.trim_end_matches(' ').as_bytes(), &line].concat()
            }
        }
    }

    /// What a writer usually puts at the end of a container at a depth.
    pub(super) fn usual_end(&self, is_empty: bool, depth: u32, bracket: u8) -> Vec<u8> {
        let mut end = if is_empty { Vec::new() } else { self.usual_line(depth) };
        end.push(bracket);
        end
    }

    fn usual_line(&self, depth: u32) -> Vec<u8> {
        /// No writer indents further, whatever the options say.
        const MOST_BLANKS: u32 = 1024;
        match self.whitespace {
            Whitespace::Fixed { indent: Some(width), .. } => {
                let blanks = width.saturating_mul(depth).min(MOST_BLANKS);
                let mut line = vec![b'\n'];
                line.resize(1 + blanks as usize, b' ');
                line
            }
            _ => Vec::new(),
        }
    }

    fn around(&self, store: &mut ExpressionStore, mark: &[u8]) -> ExpressionId {
        let mark = store.literal(mark);
        store.concatenation(&[self.run, mark, self.run])
    }

    fn line(&self, store: &mut ExpressionStore, depth: u32) -> ExpressionId {
        match self.whitespace {
            Whitespace::Fixed { indent: Some(width), .. } => {
                let newline = store.literal(b"\n");
                let blank = store.literal(b" ");
                let blanks = width.saturating_mul(depth);
                let blanks = store.repetition(blank, blanks, Some(blanks));
                store.concatenate(newline, blanks)
            }
            _ => self.run,
        }
    }
}
