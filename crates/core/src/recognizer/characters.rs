//! What states make of one character of some kinds, whichever it is.
//!
//! A move reads a byte; a character has up to four, and characters of one kind may lead to many states. Here they are read as a whole: where
//! all of them lead, or that none can be read. What comes of reading more of them, one after another, is for `loops`, `class_runs` and
//! `stretch` to find out.

use super::automaton::Automaton;
use super::state::{Move, StateId};
use crate::budget::Deadline;
use crate::error::Result;
use crate::expression::ByteSet;
use crate::vocabulary::{Signature, Utf8State};

/// States after the same number of characters, each with the kinds that lead there.
pub(super) type Layer = Vec<(StateId, Signature)>;

/// What a state makes of the characters of some kinds.
pub(super) enum Step {
    /// The states after one character, each with the kinds that lead there, ascending.
    Stays(Layer),
    /// Characters of these kinds may not stay.
    Leaves(Signature),
}

impl Automaton {
    /// The states after each of the characters that begin with some bytes, or the kinds of those that may leave the
    /// frame or complete it. Characters that no token holds do not count.
    pub(super) fn read_characters(
        &self,
        state: StateId,
        first: &ByteSet,
        deadline: &Deadline,
    ) -> Result<Step> {
        let mut after = Vec::new();
        let mut seen = vec![(Utf8State::BOUNDARY, state, Signature::EMPTY)];
        let mut next = 0;
        while let Some(&(position, at, kinds)) = seen.get(next) {
            next += 1;
            let is_first = position == Utf8State::BOUNDARY;
            let bytes = if is_first { *first } else { ByteSet::range(0x80, 0xBF) };
            let mut left = self.characters_go_on_with(position, &bytes);
            while let Some(byte) = left.first() {
                let (arrival, class) = self.step_class(at, byte, &left, deadline)?;
                left = left.difference(&class);
                let kinds = if is_first { Signature::of_any(&class) } else { kinds };
                let arrival = match arrival {
                    Move::Stay(arrival) if stays(arrival) => arrival,
                    _ => return Ok(Step::Leaves(kinds)),
                };
                for position in position.after_any(&class) {
                    if position == Utf8State::BOUNDARY {
                        after.push((arrival, kinds));
                        continue;
                    }
                    // What was read from already is read from again for other kinds.
                    let known = seen.iter().enumerate().skip(1).find(|&(index, &(other, state, known))| {
                        (other, state) == (position, arrival) && (index >= next || kinds.is_within(known))
                    });
                    match known.map(|(index, _)| index) {
                        Some(index) => seen[index].2 |= kinds,
                        None => seen.push((position, arrival, kinds)),
                    }
                }
            }
        }
        join_kinds(&mut after);
        Ok(Step::Stays(after))
    }

    /// The bytes of a set with which characters go on at a position, as far as tokens hold them.
    fn characters_go_on_with(&self, position: Utf8State, bytes: &ByteSet) -> ByteSet {
        bytes.intersection(&self.alphabet).intersection(&position.following())
    }

    /// Whether none of some states can read a character of some kinds.
    pub(super) fn all_read_none(
        &self,
        states: &[(StateId, Signature)],
        kinds: Signature,
        deadline: &Deadline,
    ) -> Result<bool> {
        states.iter().try_fold(true, |all, &(state, _)| Ok(all && self.reads_none(state, kinds, deadline)?))
    }

    /// Whether a state can read no character of some kinds.
    pub(super) fn reads_none(&self, state: StateId, kinds: Signature, deadline: &Deadline) -> Result<bool> {
        let mut left = self.first_of(kinds);
        while let Some(byte) = left.first() {
            let (after, class) = self.step_class(state, byte, &left, deadline)?;
            if !matches!(after, Move::Dead) {
                return Ok(false);
            }
            left = left.difference(&class);
        }
        Ok(true)
    }

    /// Whether a state is complete after each character of some kinds, and can read no more then.
    pub(super) fn reads_single_characters(
        &self,
        state: StateId,
        kinds: Signature,
        deadline: &Deadline,
    ) -> Result<bool> {
        let first = self.first_of(kinds);
        let mut seen = vec![(Utf8State::BOUNDARY, state)];
        let mut next = 0;
        while next < seen.len() {
            let (position, at) = seen[next];
            next += 1;
            let is_first = position == Utf8State::BOUNDARY;
            let bytes = if is_first { first } else { ByteSet::range(0x80, 0xBF) };
            let mut left = self.characters_go_on_with(position, &bytes);
            while let Some(byte) = left.first() {
                let (after, class) = self.step_class(at, byte, &left, deadline)?;
                left = left.difference(&class);
                let Move::Stay(after) = after else { return Ok(false) };
                for position in position.after_any(&class) {
                    match position {
                        Utf8State::BOUNDARY if !after.is_nullable() || after.continues() => return Ok(false),
                        Utf8State::BOUNDARY => {}
                        _ if after.is_nullable() => return Ok(false),
                        position if seen.contains(&(position, after)) => {}
                        position => seen.push((position, after)),
                    }
                }
            }
        }
        Ok(true)
    }
}

/// Leaves each state once, with all kinds that lead there.
pub(super) fn join_kinds(states: &mut Layer) {
    states.sort_unstable_by_key(|&(state, _)| state);
    states.dedup_by(|(state, kinds), (kept, all)| {
        let is_same = state == kept;
        if is_same {
            *all |= *kinds;
        }
        is_same
    });
}

/// Whether the frame goes on in a state, is not complete there, and captures nothing.
fn stays(state: StateId) -> bool {
    state.continues() && !state.is_nullable() && !state.captures()
}
