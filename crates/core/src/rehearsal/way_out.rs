//! The shortest text after which a frame is complete.
//!
//! The likeliest byte need not lead anywhere: after `1.111` only an exponent makes an integer, and a string that must be
//! long does not end for many characters. So where a text goes on for too long in one frame, the end is looked for:
//! breadth first, a state at a time, within bounds.

use rustc_hash::FxHashSet;

use super::likely_bytes::{UNLIKELY, rank};
use crate::budget::Deadline;
use crate::byte_set::ByteSet;
use crate::expression::Symbol;
use crate::mask::Outcome;
use crate::recognizer::{Automaton, Move, StateId};

/// A state that was come to, with the step before it, if any, and the byte that was read last.
struct Step {
    state: StateId,
    before: Option<usize>,
    byte: u8,
}

/// The shortest text after which the frame of a state is complete, of bytes of the alphabet, and of equals that of the
/// likeliest bytes. Bytes that are hardly ever written are read where there are no others. Where there is no such text
/// without frames being opened, the shortest that leaves some open; `None` where there is neither among the states
/// that are looked at. Asks before each whether to go on.
pub(super) fn way_out(
    automaton: &Automaton,
    start: StateId,
    alphabet: &ByteSet,
    deadline: &Deadline,
    check: &mut dyn FnMut() -> Outcome<()>,
) -> Outcome<Option<Vec<u8>>> {
    const STATES: usize = 256;
    let mut steps = vec![Step { state: start, before: None, byte: 0 }];
    let mut seen = FxHashSet::from_iter([start]);
    let mut opened = None;
    let mut at = 0;
    while at < steps.len().min(STATES) {
        check()?;
        let state = steps[at].state;
        let first = automaton.first_bytes(state, deadline)?;
        let before = steps[at].before.map(|_| Symbol::Byte(steps[at].byte));
        let mut left = first.intersection(alphabet);
        let mut is_alive = false;
        while let Some((rank, byte)) = left.iter().map(|byte| (rank(byte, before), byte)).min() {
            if is_alive && rank > UNLIKELY {
                break;
            }
            let (moved, alike) = automaton.step_class(state, byte, first, deadline)?;
            left = left.difference(&alike).difference(&ByteSet::single(byte));
            let (next, opens) = match moved {
                Move::Dead => continue,
                Move::Stay(next) => (Some(next), false),
                Move::Open(opening) => (opening.stay, true),
            };
            is_alive = true;
            if next.is_some_and(StateId::is_nullable) {
                return Ok(Some(text_to(&steps, at, byte)));
            }
            if opens {
                opened = opened.or_else(|| Some(text_to(&steps, at, byte)));
            }
            if let Some(state) = next.filter(|&next| seen.insert(next)) {
                steps.push(Step { state, before: Some(at), byte });
            }
        }
        at += 1;
    }
    Ok(opened)
}

/// The bytes read up to a step, and one more.
fn text_to(steps: &[Step], at: usize, last: u8) -> Vec<u8> {
    let mut text = vec![last];
    let mut at = at;
    while let Some(before) = steps[at].before {
        text.push(steps[at].byte);
        at = before;
    }
    text.reverse();
    text
}
