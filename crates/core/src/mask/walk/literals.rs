//! Walks from states that begin with fixed strings, such as the keys of an object.
//!
//! As long as characters stand for themselves, the walk follows the strings down the trie without asking the
//! recogniser: what goes on at a node is a range of them. Where an escape may begin, or a string ends, it asks for
//! the state there, and goes on as any other walk.

use super::{Starts, Walk};
use crate::error::Result;
use crate::expression::{ExpressionStore, LiteralRange, Spelled};
use crate::vocabulary::NodeId;

/// Nodes with the strings that go on there.
type Places = Vec<(NodeId, LiteralRange)>;

impl Walk<'_> {
    /// Walks from all starts by the fixed strings that the state begins with. Returns whether it does so.
    ///
    /// Takes a look-up in the trie for each node, and a state for each escape or end of a string that tokens reach.
    pub(super) fn run_literals(&mut self) -> Result<bool> {
        let automaton = self.ground.automaton;
        if !self.ground.use_signatures || self.starts_meet() {
            return Ok(false);
        }
        let Some(spelled) = automaton.spelled(self.state) else { return Ok(false) };
        let starts = std::mem::replace(&mut self.starts, Starts::new(&[]));
        let waiting: Places = starts.nodes.iter().map(|&node| (node, spelled.range)).collect();
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

    /// Follows strings down the trie as far as their characters stand for themselves. Returns where they may go on
    /// with an escape, and where one of them ends.
    fn follow(
        &mut self,
        expressions: &ExpressionStore,
        spelled: &Spelled,
        mut waiting: Places,
    ) -> Result<(Places, Places)> {
        let (mut escapes, mut ends) = (Places::new(), Places::new());
        while let Some((node, range)) = waiting.pop() {
            if spelled.has_escapes() && self.trie.child(node, b'\\').is_some() {
                escapes.push((node, range));
            }
            for byte in expressions.next_bytes(range).intersection(&spelled.raw).iter() {
                let Some(child) = self.trie.child(node, byte) else { continue };
                let Some(next) = expressions.after_byte(range, byte) else { continue };
                if expressions.ends_one(next) {
                    ends.push((child, next));
                    continue;
                }
                self.walker.visited += 1;
                if self.walker.visited & 1023 == 0 {
                    self.ground.deadline.check()?;
                }
                self.walker.take(self.trie.range_at(child));
                if self.trie.has_children(child) {
                    waiting.push((child, next));
                }
            }
        }
        Ok((escapes, ends))
    }
}
