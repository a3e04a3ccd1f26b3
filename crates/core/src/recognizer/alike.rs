//! Characters beyond ASCII with which a state does what it does with others.
//!
//! [Loops](super::loops) and [stretches](super::stretch) are of whole kinds of characters. The kinds of which a state reads only
//! some, such as those with white space among them, hold thousands of characters, and to read each would take derivatives of its
//! own. But its expression says by which classes it tells them apart.

use super::automaton::Automaton;
use super::class_runs::class_of;
use super::state::StateId;
use super::stretch::Stretch;
use crate::byte_set::ByteSet;
use crate::error::Result;
use crate::expression::ExpressionStore;
use crate::vocabulary::{Alike, Characters, ClassId, Signature, Vocabulary};

impl Automaton {
    /// The class of all characters of some kinds, and of those others beyond ASCII that a state within JSON strings does not tell
    /// from one of these, for any text that is made of these kinds and stays within the strings. `None` where that is not known.
    ///
    /// In such a text, each character of the class can be replaced by one of the kinds: what is left after it says the same.
    pub(super) fn with_alike(
        &self,
        state: StateId,
        kinds: Signature,
        vocabulary: &Vocabulary,
    ) -> Result<Option<ClassId>> {
        let ends_or_escapes = ByteSet::single(b'"').union(&ByteSet::single(b'\\'));
        let bytes = kinds.first_bytes();
        let all_beyond_ascii = ByteSet::range(0x80, 0xBF).union(&ByteSet::range(0xC2, 0xF4));
        // What tokens cannot spell was never asked for.
        let can_be_spelled = all_beyond_ascii.difference(&self.alphabet).is_empty();
        if !can_be_spelled || !bytes.intersection(&ends_or_escapes).is_empty() {
            return Ok(None);
        }
        self.grow(|growing| {
            let expressions: &ExpressionStore = &growing.grammar.expressions;
            let Some(told) = expressions.told_apart_in_strings(self.cell(state).expression) else {
                return Ok(None);
            };
            let mut classes = Vec::with_capacity(told.classes.len());
            for class in told.classes {
                match class_of(growing, class, vocabulary) {
                    Some(class) => classes.push(class),
                    None => return Ok(None),
                }
            }
            classes.sort_unstable();
            classes.dedup();
            let like = bytes.difference(&told.fixed);
            Ok(vocabulary.class_with_alike(Alike { classes: classes.into(), kinds, like }))
        })
    }

    /// The characters of which all texts of up to so many as a stretch says stay in the frame of a state: those of the kinds of
    /// the stretch, which is that of the state, and those beyond ASCII that it leaves out though they are like some of these.
    pub(crate) fn stretch_characters(
        &self,
        state: StateId,
        stretch: Stretch,
        vocabulary: &Vocabulary,
    ) -> Result<Characters> {
        let facts = self.cell(state).facts();
        if let Some(&characters) = facts.stretch_characters.get() {
            return Ok(characters);
        }
        let left_out = self.partly_repeated_kinds(state)?.without(stretch.kinds);
        let class = match stretch.kinds.is_empty() || left_out.is_ascii() {
            true => None,
            false => self.with_alike(state, stretch.kinds, vocabulary)?,
        };
        let characters = class.map_or(Characters::Kinds(stretch.kinds), |id| {
            let class = vocabulary.class_of(id);
            if class.is_of_kinds() { Characters::Kinds(class.whole_kinds()) } else { Characters::Class(id) }
        });
        Ok(*facts.stretch_characters.get_or_init(|| characters))
    }
}
