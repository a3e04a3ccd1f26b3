//! Sets of tokens, put together from others.
//!
//! What is put together is a list as long as all parts are lists, and else the first row among them with what is
//! different: so masks that hold the same string share its row. Neither needs a look at every bit of a row.

use std::sync::Arc;

use super::token_bits::{Change, MaskBits, TokenBits, clear_bit, is_many, is_set, set_bit};
use crate::vocabulary::TokenId;

/// A set of tokens that others are added to. Its memory is used again for the next one.
#[derive(Debug)]
pub(super) struct TokenUnion {
    /// A mask row of the members, but while the set is [`Form::Empty`].
    row: Vec<u32>,
    /// The members of a [`Form::List`].
    list: Vec<TokenId>,
    form: Form,
}

/// What is known of a set beside its mask row.
#[derive(Debug)]
enum Form {
    /// It has no members; the row is all zeros or left over from another set.
    Empty { is_zero: bool },
    /// Its members have been listed.
    List,
    /// It began with this row.
    Row(Arc<[u32]>),
}

impl TokenUnion {
    /// The set without members, of masks of so many words.
    pub(super) fn new(words: usize) -> Self {
        Self { row: vec![0; words], list: Vec::new(), form: Form::Empty { is_zero: true } }
    }

    /// Begins anew, for masks of so many words.
    pub(super) fn begin(&mut self, words: usize) {
        if self.row.len() != words {
            *self = Self::new(words);
        } else if !matches!(self.form, Form::Empty { .. }) {
            self.list.clear();
            self.form = Form::Empty { is_zero: false };
        }
    }

    /// How many words of a row may be different from one that is shared: a sixteenth and a few more.
    ///
    /// A change takes twice the memory of a word, and its time is little beside that of copying the row.
    fn most_changes(words: usize) -> usize {
        words / 16 + 2
    }

    /// A mask row of the members.
    pub(super) fn row(&mut self) -> &[u32] {
        if let Form::Empty { is_zero } = self.form {
            if !is_zero {
                self.row.fill(0);
            }
            self.form = Form::List;
        }
        &self.row
    }

    /// Whether a token is a member.
    pub(super) fn contains(&self, token: TokenId) -> bool {
        !matches!(self.form, Form::Empty { .. }) && is_set(&self.row, token)
    }

    /// Adds some tokens.
    pub(super) fn add_tokens(&mut self, tokens: impl IntoIterator<Item = TokenId>) {
        self.row();
        let Self { row, list, form } = self;
        match form {
            Form::Row(_) => tokens.into_iter().for_each(|token| set_bit(row, token)),
            _ => list.extend(tokens.into_iter().filter(|&token| {
                let is_new = !is_set(row, token);
                set_bit(row, token);
                is_new
            })),
        }
    }

    /// Adds the members of another set.
    pub(super) fn add(&mut self, set: &TokenBits) {
        match (set, &self.form) {
            (TokenBits::Few(tokens), _) => self.add_tokens(tokens.iter().copied()),
            (TokenBits::Many { .. }, Form::Row(_)) => set.add_to(&mut self.row),
            (TokenBits::Many { row, .. }, _) => {
                set.write_to(&mut self.row);
                self.form = Form::Row(Arc::clone(row));
                let list = std::mem::take(&mut self.list);
                list.iter().for_each(|&token| set_bit(&mut self.row, token));
                self.list = list;
                self.list.clear();
            }
        }
    }

    /// Adds the members of another set, but for some tokens; those that are members already remain.
    pub(super) fn add_without(&mut self, set: &TokenBits, mut without: Vec<TokenId>) {
        match set {
            TokenBits::Few(tokens) => {
                without.sort_unstable();
                let is_added = |token: &TokenId| without.binary_search(token).is_err();
                self.add_tokens(tokens.iter().copied().filter(is_added));
            }
            TokenBits::Many { .. } => {
                without.retain(|&token| !self.contains(token));
                self.add(set);
                self.remove(without);
            }
        }
    }

    /// Removes some tokens.
    pub(super) fn remove(&mut self, tokens: impl IntoIterator<Item = TokenId>) {
        self.row();
        let Self { row, list, form } = self;
        tokens.into_iter().for_each(|token| clear_bit(row, token));
        if matches!(form, Form::List) {
            list.retain(|&token| is_set(row, token));
        }
    }

    /// As [`finish`](Self::finish), in the form that is soonest written.
    pub(super) fn finish_mask(&mut self) -> MaskBits {
        if !matches!(self.form, Form::List) || is_many(self.list.len(), self.row.len()) {
            return MaskBits::Set(self.finish());
        }
        let Self { row, list, form } = self;
        let words = list.drain(..).filter_map(|token| {
            let at = token.0 / 32;
            let word = std::mem::take(&mut row[at as usize]);
            (word != 0).then_some(Change { at, word })
        });
        let words = words.collect();
        *form = Form::Empty { is_zero: true };
        MaskBits::Words(words)
    }

    /// The set that was put together; after it comes another one, without members yet.
    pub(super) fn finish(&mut self) -> TokenBits {
        let form = std::mem::replace(&mut self.form, Form::Empty { is_zero: false });
        let Self { row, list, .. } = self;
        let words = row.len();
        match form {
            Form::Empty { is_zero } => {
                self.form = Form::Empty { is_zero };
                TokenBits::empty()
            }
            Form::List if is_many(list.len(), words) => {
                list.clear();
                TokenBits::of_row(&row.as_slice().into())
            }
            Form::List => {
                let tokens = list.as_slice().into();
                list.drain(..).for_each(|token| clear_bit(row, token));
                self.form = Form::Empty { is_zero: true };
                TokenBits::Few(tokens)
            }
            Form::Row(shared) => match changes(&shared, row, Self::most_changes(words)) {
                Some(changes) => TokenBits::Many { row: shared, changes: changes.into() },
                None => TokenBits::of_row(&row.as_slice().into()),
            },
        }
    }
}

/// The words in which a row is different from another one of the same length; `None` where they are more than `most`.
fn changes(from: &[u32], row: &[u32], most: usize) -> Option<Vec<Change>> {
    /// So many words are compared at once.
    const CHUNK: usize = 16;
    let mut changes = Vec::new();
    let mut compare = |start: usize, from: &[u32], row: &[u32]| {
        for (at, (&before, &word)) in (start..).zip(from.iter().zip(row)) {
            if before != word {
                changes.push(Change { at: at as u32, word });
            }
        }
        changes.len() <= most
    };
    let ((from, from_rest), (row, row_rest)) = (from.as_chunks::<CHUNK>(), row.as_chunks::<CHUNK>());
    for (at, (from, row)) in from.iter().zip(row).enumerate() {
        if from != row && !compare(at * CHUNK, from, row) {
            return None;
        }
    }
    compare(from.len() * CHUNK, from_rest, row_rest).then_some(changes)
}

#[cfg(test)]
#[path = "token_union_tests.rs"]
mod tests;
