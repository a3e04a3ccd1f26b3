//! States that do the same with all characters beyond ASCII.
//!
//! A pattern such as `.` seldom tells these apart, and most tokens that hold any hold one or two. So there is one state
//! after one of them, one after two, and walks need not look at the thousands of nodes at which they end.

use super::automaton::Automaton;
use super::characters::Step;
use super::state::StateId;
use crate::budget::Deadline;
use crate::byte_set::ByteSet;
use crate::error::Result;
use crate::vocabulary::Signature;

/// What a state becomes with characters beyond ASCII, whatever they are.
#[derive(Clone, Debug)]
pub(crate) struct Uniform {
    /// The kinds of those characters.
    pub(crate) kinds: Signature,
    /// The states after one of them, two, and so on. The frame goes on in each, and is not complete.
    pub(crate) states: Box<[StateId]>,
    /// Whether the last state stays what it is; otherwise it reads no more of them.
    pub(crate) repeats: bool,
}

impl Automaton {
    /// More states than this are not worth following.
    const MOST_UNIFORM: usize = 8;

    /// What a state becomes with characters beyond ASCII, where that is the same for nearly all kinds of them.
    pub(crate) fn uniform(&self, state: StateId, deadline: &Deadline) -> Result<Option<&Uniform>> {
        let known = &self.cell(state).facts().uniform;
        if let Some(uniform) = known.get() {
            return Ok(uniform.as_ref());
        }
        let uniform = self.find_uniform(state, deadline)?;
        Ok(known.get_or_init(|| uniform).as_ref())
    }

    fn find_uniform(&self, state: StateId, deadline: &Deadline) -> Result<Option<Uniform>> {
        let all = Signature::of_any(&self.alphabet.intersection(&ByteSet::range(0x80, 0xFF)));
        let begins = self.first_of(all);
        if all.is_empty() || !begins.difference(self.first_bytes(state, deadline)?).is_empty() {
            return Ok(None);
        }
        let Some((first, kinds)) = self.after_most(state, all, deadline)? else { return Ok(None) };
        let mut states = vec![first];
        loop {
            let last = states[states.len() - 1];
            let repeats = match self.read_characters(last, &self.first_of(kinds), deadline)? {
                Step::Stays(after) => match *after.as_slice() {
                    [(next, _)] if next == last => true,
                    [(next, _)] if states.len() < Self::MOST_UNIFORM => {
                        states.push(next);
                        continue;
                    }
                    _ => return Ok(None),
                },
                Step::Leaves(_) if self.reads_none(last, kinds, deadline)? => false,
                Step::Leaves(_) => return Ok(None),
            };
            return Ok(Some(Uniform { kinds, states: states.into(), repeats }));
        }
    }

    /// The state after one character of those kinds that share a bit, and all kinds that lead to it alone.
    fn after_most(
        &self,
        state: StateId,
        mut kinds: Signature,
        deadline: &Deadline,
    ) -> Result<Option<(StateId, Signature)>> {
        while Signature::MOST_BEYOND_ASCII.is_within(kinds) {
            let after = match self.read_characters(state, &self.first_of(kinds), deadline)? {
                Step::Stays(after) => after,
                Step::Leaves(leaving) => {
                    kinds = kinds.without(leaving);
                    continue;
                }
            };
            let most = after.iter().find(|(_, kinds)| Signature::MOST_BEYOND_ASCII.is_within(*kinds));
            let Some(&(next, _)) = most else { return Ok(None) };
            let others = after.iter().filter(|&&(other, _)| other != next);
            let kinds = others.fold(kinds, |kinds, &(_, others)| kinds.without(others));
            return Ok(Signature::MOST_BEYOND_ASCII.is_within(kinds).then_some((next, kinds)));
        }
        Ok(None)
    }
}
