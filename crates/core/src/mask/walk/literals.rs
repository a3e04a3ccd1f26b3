//! Walks from states that begin with fixed strings, such as the keys of an object.
//!
//! The walk follows the strings down the trie without asking the recogniser: what goes on at a node is a range of
//! them, and how far an escape of the next character has been read. Where a string ends, it goes on as any other walk
//! does, in the state that comes after the string, beside the others that go on there; so it does where a character beyond
//! ASCII may be written as an escape.

use super::below::Below;
use super::{Starts, Walk};
use crate::error::Result;
use crate::expression::{Escape, ExpressionStore, LiteralRange, Spelled};
use crate::mask::configurations::ConfigurationId;
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
        let Some(spelled) = automaton.spelled(self.state)? else { return Ok(false) };
        let starts = std::mem::replace(&mut self.starts, Starts::new(&[]));
        self.follow_strings(&spelled, self.start, &starts.nodes)?;
        self.finish_path()?;
        Ok(true)
    }

    /// Takes what is below a node by the fixed strings that the only state alive there begins with, where they begin with several
    /// bytes. What goes on where one ends is put on the path. Gives `false` where there are none.
    pub(super) fn take_literals_below(&mut self, below: &Below) -> Result<bool> {
        let Some(state) = below.lone_state() else { return Ok(false) };
        let configuration = self.walker.configurations.get(below.arrival);
        if configuration.complete || !configuration.is_in_base() {
            return Ok(false);
        }
        let Some(spelled) = self.ground.automaton.spelled(state)? else { return Ok(false) };
        self.follow_strings(&spelled, below.arrival, &[below.node])?;
        Ok(true)
    }

    /// Follows fixed strings from some nodes, where a configuration of nothing else is alive. What goes on where one ends, or an escape
    /// has to be read, is put on the path.
    fn follow_strings(&mut self, spelled: &Spelled, start: ConfigurationId, nodes: &[NodeId]) -> Result<()> {
        let automaton = self.ground.automaton;
        let going_on = match spelled.at_end {
            Some((ended, others)) => {
                let after = automaton.spelled_from(spelled, ended)?;
                let after = self.walker.configurations.start(after, self.ground)?;
                for &node in nodes {
                    self.descend(node, after)?;
                }
                others
            }
            None => Some(spelled.range),
        };
        let mut waiting = Vec::with_capacity(nodes.len() + Self::COMMON_PLACES);
        if let Some(range) = going_on {
            let start = |&node| Place { node, range, escape: Escape::None };
            waiting.extend(nodes.iter().map(start));
        }
        let (escapes, ends) =
            automaton.with_expressions(|expressions| self.follow(expressions, spelled, waiting))??;
        for (node, range) in escapes {
            let configuration = match range == spelled.range {
                true => start,
                false => {
                    let state = automaton.spelled_from(spelled, range)?;
                    self.walker.configurations.after(state, self.ground)?
                }
            };
            let Some(child) = self.trie.child(node, b'\\') else { continue };
            if let Some(arrival) = self.walker.configurations.step(configuration, b'\\', self.ground)? {
                self.visit(child, arrival)?;
            }
        }
        for (node, range) in ends {
            let state = automaton.spelled_from(spelled, range)?;
            let arrival = self.walker.configurations.after(state, self.ground)?;
            self.visit(node, arrival)?;
        }
        Ok(())
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
                        self.arrive(place, (expressions, spelled), &mut waiting, &mut ends)?;
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
                    self.arrive(place, (expressions, spelled), &mut waiting, &mut ends)?;
                }
            }
            for (byte, range) in expressions.branches(range).filter(|(byte, _)| spelled.raw.contains(*byte)) {
                let Some(child) = self.trie.child(node, byte) else { continue };
                let place = Place { node: child, range, escape: Escape::None };
                self.arrive(place, (expressions, spelled), &mut waiting, &mut ends)?;
            }
        }
        Ok((escapes, ends))
    }

    /// Takes the tokens at a place, and puts it on a list where something goes on there. Those of a place where a string
    /// ends are left to the walk on from there.
    fn arrive(
        &mut self,
        place: Place,
        (expressions, spelled): (&ExpressionStore, &Spelled),
        waiting: &mut Vec<Place>,
        ends: &mut Places,
    ) -> Result<()> {
        let Place { node, range, escape } = place;
        if escape == Escape::None && expressions.ends_one(range) {
            let (ended, others) = expressions.split_at_end(spelled, range).unwrap_or((range, None));
            ends.push((node, ended));
            if let Some(range) = others.filter(|_| self.trie.has_children(node)) {
                waiting.push(Place { range, ..place });
            }
            return Ok(());
        }
        self.check_time()?;
        self.walker.visited += 1;
        self.walker.found.take(self.trie.range_at(node));
        if self.trie.has_children(node) {
            waiting.push(place);
        }
        Ok(())
    }
}
