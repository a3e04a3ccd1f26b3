//! Walks of states that read texts of some kinds of characters, whatever these are, but remember them.
//!
//! A state with a pattern goes to and fro between a few states, or counts on. The tokens made of characters that it
//! reads in any order are those of a slice. Where other tokens leave the slice, what is alive depends on what
//! stands before, so that is read, once for each node above such places; nothing else of the slice is looked at.

use super::super::configurations::ConfigurationId;
use super::super::token_bits::TokenBits;
use super::Walk;
use crate::error::Result;
use crate::recognizer::Stretch;
use crate::vocabulary::{NodeId, Slice, Stem, TokenId};

/// What is alive after a text.
type Alive = Option<ConfigurationId>;

/// The texts before which tokens leave a slice, read as far as they are needed.
struct Readings<'a> {
    stems: &'a [Stem],
    /// For each stem, what is alive after its text, where it has been read.
    known: Vec<Option<Alive>>,
    /// The stems on the way to one that is read.
    unread: Vec<u32>,
}

impl Walk<'_> {
    /// More tokens than this that are longer than the stretch are not worth reading one by one.
    const MOST_LONG_TOKENS: usize = 512;

    /// Begins with the slice of the kinds of which the state reads all texts. Returns whether it does so;
    /// nothing has been taken then.
    pub(super) fn run_stretched(&mut self, base: &mut Option<TokenBits>) -> Result<bool> {
        let (automaton, vocabulary) = (self.ground.automaton, self.ground.vocabulary);
        let Some(stretch) = automaton.known_stretch(self.state).filter(|found| !found.kinds.is_empty())
        else {
            return Ok(false);
        };
        // Of that which is left, characters beyond ASCII are the most.
        if stretch.kinds.is_ascii() && automaton.uniform(self.state, self.ground.deadline)?.is_some() {
            return Ok(false);
        }
        let slice = vocabulary.slice(stretch.kinds);
        let (short, long) = match self.trie.is_all_within(NodeId::ROOT, stretch.characters) {
            true => (None, &[][..]),
            false => {
                let (short, long) = slice.split_by_length(stretch.characters, vocabulary);
                (Some(short), long)
            }
        };
        if !stretch.is_exact && long.len() > Self::MOST_LONG_TOKENS {
            return Ok(false);
        }
        // The longer tokens that stay inside all the same, and the others.
        let (mut kept, mut gone) = (Vec::new(), Vec::new());
        for &token in long {
            match if stretch.is_exact { Some(false) } else { self.stays_inside(token)? } {
                Some(true) => kept.push(token),
                Some(false) => gone.push(token),
                None => return Ok(false),
            }
        }
        let Some(arrivals) = self.leave_stretch(&slice, stretch)? else { return Ok(false) };
        match short.filter(|short| short.len() < gone.len()) {
            Some(short) => self.walker.found.more.extend(short.iter().chain(&kept)),
            None => {
                let all = TokenBits::of_row(&slice.inside);
                *base = Some(self.ground.unions.changed(&all, gone, []));
            }
        }
        for (node, arrival) in arrivals {
            self.leave(node, arrival, &slice.below)?;
        }
        Ok(true)
    }

    /// Whether a token stays in the frame to its last byte; `None` where the frame is complete within it, or it captures
    /// a text.
    fn stays_inside(&mut self, token: TokenId) -> Result<Option<bool>> {
        let mut at = self.start;
        for &byte in self.ground.vocabulary.token_bytes(token).unwrap_or_default() {
            let Some(next) = self.walker.configurations.step(at, byte, self.ground)? else {
                return Ok(Some(false));
            };
            if !self.is_plain(next) {
                return Ok(None);
            }
            at = next;
        }
        Ok(Some(true))
    }

    /// Where tokens leave the slice of a stretch, with what is alive there; `None` where more happens on the way.
    fn leave_stretch(
        &mut self,
        slice: &Slice,
        stretch: Stretch,
    ) -> Result<Option<Vec<(NodeId, ConfigurationId)>>> {
        let mut known = vec![None; slice.below.stems.len()];
        known[0] = Some(Some(self.start));
        let mut readings = Readings { stems: &slice.below.stems, known, unread: Vec::new() };
        let mut arrivals = Vec::new();
        for exits in &slice.below.exits {
            for ((&node, &before), &stem) in exits.nodes.iter().zip(&exits.characters).zip(&exits.stems) {
                if stretch.is_exact && before > stretch.characters {
                    continue;
                }
                let Some(alive) = self.read_stem(&mut readings, stem)? else { return Ok(None) };
                let Some(configuration) = alive else { continue };
                let arrival = self.walker.configurations.try_step(configuration, exits.byte, self.ground)?;
                arrivals.extend(arrival.map(|arrival| (node, arrival)));
            }
        }
        Ok(Some(arrivals))
    }

    /// What is alive after the text of a stem; `None` where more happens on the way than that something stays alive.
    fn read_stem(&mut self, readings: &mut Readings<'_>, stem: u32) -> Result<Option<Alive>> {
        readings.unread.clear();
        let mut at = stem;
        let mut alive = loop {
            if let Some(alive) = readings.known[at as usize] {
                break alive;
            }
            readings.unread.push(at);
            at = readings.stems[at as usize].above;
        };
        while let Some(at) = readings.unread.pop() {
            if let Some(before) = alive {
                let byte = readings.stems[at as usize].byte;
                alive = self.walker.configurations.step(before, byte, self.ground)?;
                if alive.is_some_and(|alive| !self.is_plain(alive)) {
                    return Ok(None);
                }
            }
            readings.known[at as usize] = Some(alive);
        }
        Ok(Some(alive))
    }

    /// Whether nothing happens in a configuration but that something goes on: the frame of the walk is not complete,
    /// and captures nothing.
    fn is_plain(&self, id: ConfigurationId) -> bool {
        let configuration = self.walker.configurations.get(id);
        !configuration.complete && configuration.capture.is_none()
    }
}
