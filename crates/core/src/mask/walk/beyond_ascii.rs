//! Walks of states that do the same with all characters beyond ASCII.
//!
//! Thousands of tokens are one such character. They are taken as those of a slice, and the walk goes on from where tokens
//! leave it; what begins with ASCII is walked as ever.

use super::Walk;
use super::slices::{Counted, Then};
use crate::byte_set::ByteSet;
use crate::error::Result;
use crate::mask::configurations::ConfigurationId;
use crate::mask::token_bits::TokenBits;
use crate::recognizer::{Stretch, Uniform};
use crate::vocabulary::Characters;

impl Walk<'_> {
    /// Takes all strings of the vocabulary that begin with characters beyond ASCII, where the state that the walk starts
    /// with does the same with them. What goes on below is put on the path. Returns the bytes with which
    /// what was taken begins; none where nothing was.
    pub(super) fn take_beyond_ascii(&mut self, base: &mut Option<TokenBits>) -> Result<ByteSet> {
        let (automaton, vocabulary) = (self.ground.automaton, self.ground.vocabulary);
        let Some(uniform) = automaton.uniform(self.state, self.ground.deadline)? else {
            return Ok(ByteSet::EMPTY);
        };
        let characters = Characters::Kinds(uniform.kinds);
        let slice = vocabulary.slice_of(characters);
        let most = if uniform.repeats { Stretch::UNLIMITED } else { uniform.states.len() as u32 };
        self.take_within((characters, &slice), most, base);
        let taken = automaton.first_of(uniform.kinds);
        // What else begins at the root is walked as ever; what is followed there cannot be such a character.
        let after = self.configurations_of(uniform)?;
        let counted = Counted { after, then: Then::Stays, at_start: taken, class: None };
        self.leave_counted(&slice.below, counted, most)?;
        Ok(taken)
    }

    /// The configurations at the start, after one character, and so on.
    fn configurations_of(&mut self, uniform: &Uniform) -> Result<Vec<ConfigurationId>> {
        let states = std::iter::once(&self.state).chain(&uniform.states);
        states.map(|&state| self.walker.configurations.start(state, self.ground)).collect()
    }
}
