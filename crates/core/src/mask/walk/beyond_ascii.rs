//! Walks of states that do the same with all characters beyond ASCII.
//!
//! Thousands of tokens are one such character. They are taken as those of a slice, and the walk goes on from where tokens
//! leave it; what begins with ASCII is walked as ever.

use super::Walk;
use crate::byte_set::ByteSet;
use crate::error::Result;
use crate::mask::configurations::ConfigurationId;
use crate::recognizer::{Stretch, Uniform};

impl Walk<'_> {
    /// Takes all strings of the vocabulary that begin with characters beyond ASCII, where the state that the walk starts
    /// with does the same with them. What goes on below is put on the path. Returns the bytes with which
    /// what was taken begins; none where nothing was.
    pub(super) fn take_beyond_ascii(&mut self) -> Result<ByteSet> {
        let (automaton, vocabulary) = (self.ground.automaton, self.ground.vocabulary);
        let Some(uniform) = automaton.uniform(self.state, self.ground.deadline)? else {
            return Ok(ByteSet::EMPTY);
        };
        let slice = vocabulary.slice(uniform.kinds);
        let most = if uniform.repeats { Stretch::UNLIMITED } else { uniform.states.len() as u32 };
        self.walker.more.extend(slice.split_by_length(most, vocabulary).0);
        let configurations = self.configurations_of(uniform)?;
        let (taken, last) = (automaton.first_of(uniform.kinds), configurations.len() as u32 - 1);
        for exits in &slice.below.exits {
            // By the number of characters before the byte: what it leads to.
            let mut arrivals: Vec<Option<Option<ConfigurationId>>> = vec![None; configurations.len()];
            for (&node, &before) in exits.nodes.iter().zip(&exits.characters) {
                // Where nothing has been read, only what cannot be a character is left, such as one that is spelled wrongly.
                if before > most || before == 0 && !taken.contains(exits.byte) {
                    continue;
                }
                let at = before.min(last) as usize;
                let arrival = match arrivals[at] {
                    Some(known) => known,
                    None => {
                        self.walker.configurations.try_step(configurations[at], exits.byte, self.ground)?
                    }
                };
                arrivals[at] = Some(arrival);
                if let Some(arrival) = arrival {
                    self.leave(node, arrival, &slice.below)?;
                }
            }
        }
        Ok(taken)
    }

    /// The configurations at the start, after one character, and so on.
    fn configurations_of(&mut self, uniform: &Uniform) -> Result<Vec<ConfigurationId>> {
        let states = std::iter::once(&self.state).chain(&uniform.states);
        states.map(|&state| self.walker.configurations.start(state, self.ground)).collect()
    }
}
