//! Walks from states that begin with fixed strings, such as the keys of an object.
//!
//! The walk follows the strings down the trie without asking the recogniser: what goes on at a node is a range of
//! them, and how far an escape of the next character has been read. Where a string ends, or a character beyond ASCII
//! may be written as an escape, it asks for the state there, and goes on as any other walk.

use super::{Starts, Walk};
use crate::error::Result;
use crate::expression::{Escape, ExpressionStore, LiteralRange, Spelled};
use crate::vocabulary::NodeId;

/// Nodes with the strings that go on there.
type Places = Vec<(NodeId, LiteralRange)>;

/// Where strings are followed.
#[derive(Clone, Copy)]
struct Place {
    node: NodeId,
    range: LiteralRange,
    /// How far an escape of the next character has been read.
    escape: Escape,
}

impl Walk<'_> {
    /// Seldom do fixed strings go on at more places at once.
    const COMMON_PLACES: usize = 32;

    /// Walks from all starts by the fixed strings that the state begins with. Returns whether it does so.
    ///
    /// Takes a look-up in the trie for each node, and a state for each end of a string that tokens reach.
    pub(super) fn run_literals(&mut self) -> Result<bool> {
        let automaton = self.ground.automaton;
        if !self.ground.use_signatures || self.starts_meet() {
            return Ok(false);
        }
        let Some(spelled) = automaton.spelled(self.state) else { return Ok(false) };
        let starts = std::mem::replace(&mut self.starts, Starts::new(&[]));
        let start = |&node: &NodeId| Place { node, range: spelled.range, escape: Escape::None };
        let mut waiting = Vec::with_capacity(starts.nodes.len() + Self::COMMON_PLACES);
        waiting.extend(starts.nodes.iter().map(start));
        let (escapes, ends) =
            automaton.with_expressions(|expressions| self.follow(expressions, &spelled, waiting))?;
        for (node, range) in escapes {
            let configuration = match range == spelled.range {
                true => self.start,
                false => {
                    let state = automaton.spelled_from(&spelled, range)?;
                    self.walker.configurations.after(state, self.ground)?
                }
            };
            let Some(child) = self.trie.child(node, b'\\') else { continue };
            if let Some(arrival) = self.walker.configurations.step(configuration, b'\\', self.ground)? {
                self.visit(child, arrival)?;
                self.finish_path()?;
            }
        }
        for (node, range) in ends {
            let state = automaton.spelled_from(&spelled, range)?;
            let arrival = self.walker.configurations.after(state, self.ground)?;
            self.visit(node, arrival)?;
            self.finish_path()?;
        }
        Ok(true)
    }

    /// Whether a start is below another one, so that the walk from one may come to the other.
    fn starts_meet(&self) -> bool {
        self.starts.nodes.windows(2).any(|pair| pair[1] < self.trie.end(pair[0]))
    }

    /// Follows strings down the trie. Returns where they may go on with an escape of a character beyond ASCII, and
    /// where one of them ends.
    fn follow(
        &mut self,
        expressions: &ExpressionStore,
        spelled: &Spelled,
        mut waiting: Vec<Place>,
    ) -> Result<(Places, Places)> {
        let (mut escapes, mut ends) = (Places::new(), Places::new());
        while let Some(Place { node, range, escape }) = waiting.pop() {
            if escape != Escape::None {
                for (byte, range, escape) in expressions.after_escape(spelled, range, escape) {
                    if let Some(child) = self.trie.child(node, byte) {
                        let place = Place { node: child, range, escape };
                        self.arrive(place, expressions, &mut waiting, &mut ends)?;
                    }
                }
                continue;
            }
            if spelled.has_escapes()
                && let Some(child) = self.trie.child(node, b'\\')
            {
                let escape = Escape::Backslash;
                if !expressions.follows_escapes(range) {
                    escapes.push((node, range));
                } else if !expressions.after_escape(spelled, range, escape).is_empty() {
                    let place = Place { node: child, range, escape };
                    self.arrive(place, expressions, &mut waiting, &mut ends)?;
                }
            }
            for byte in expressions.next_bytes(range).intersection(&spelled.raw).iter() {
                let Some(child) = self.trie.child(node, byte) else { continue };
                let Some(range) = expressions.after_byte(range, byte) else { continue };
                let place = Place { node: child, range, escape: Escape::None };
                self.arrive(place, expressions, &mut waiting, &mut ends)?;
            }
        }
        Ok((escapes, ends))
    }

    /// Takes the tokens at a place, and puts it on a list where something goes on there.
    fn arrive(
        &mut self,
        place: Place,
        expressions: &ExpressionStore,
        waiting: &mut Vec<Place>,
        ends: &mut Places,
    ) -> Result<()> {
        let Place { node, range, escape } = place;
        if escape == Escape::None && expressions.ends_one(range) {
            ends.push((node, range));
            return Ok(());
        }
        self.walker.visited += 1;
        if self.walker.visited & 1023 == 0 {
            self.ground.deadline.check()?;
        }
        self.walker.found.take(self.trie.range_at(node));
        if self.trie.has_children(node) {
            waiting.push(place);
        }
        Ok(())
    }
}
