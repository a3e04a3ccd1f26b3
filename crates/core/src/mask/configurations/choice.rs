//! The fixed strings by which what is alive is chosen among.

use std::sync::Arc;

use super::{ConfigurationId, Configurations};
use crate::error::Result;
use crate::expression::Choice;
use crate::mask::walk::Ground;

impl Configurations {
    /// The fixed strings with which all that is alive can be read, but for what begins with other bytes; `None` where it
    /// begins with few of them.
    pub(in crate::mask) fn choice(
        &mut self,
        id: ConfigurationId,
        ground: &Ground<'_>,
    ) -> Result<Option<Arc<Choice>>> {
        if let Some(known) = &self.get(id).choice {
            return Ok(known.clone());
        }
        let states = self.get(id).pairs.iter().map(|&(_, state)| state);
        let choice = ground.automaton.choice(states)?.map(Arc::new);
        // They are sooner read byte by byte than a walk is given up for what it remembers.
        let choice = choice.filter(|choice| self.memory_bytes() + choice.memory_bytes() <= self.limit / 2);
        self.choice_bytes += choice.as_ref().map_or(0, |choice| choice.memory_bytes());
        self.entries[id.index()].choice = Some(choice.clone());
        Ok(choice)
    }
}
