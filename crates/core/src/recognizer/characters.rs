//! What states make of one character of some kinds, whichever it is.
//!
//! A move reads a byte; a character has up to four, and characters of one kind may lead to many states. Here they are read as a whole: where
//! all of them lead, or that none can be read. What comes of reading more of them, one after another, is for `loops`, `class_runs` and
//! `stretch` to find out.

use rustc_hash::FxHashMap;

use super::automaton::Automaton;
use super::state::{Move, StateId};
use crate::budget::Deadline;
use crate::error::Result;
use crate::expression::ByteSet;
use crate::vocabulary::{Signature, Utf8State};

/// States after the same number of characters, each with the kinds that lead there.
pub(super) type Layer = Vec<(StateId, Signature)>;

/// What a state makes of the characters of some kinds.
#[derive(Clone)]
pub(super) enum Step {
    /// The states after one character, each with the kinds that lead there, ascending.
    Stays(Layer),
    /// Characters of these kinds may not stay.
    Leaves(Signature),
}

impl Step {
    /// Whether it takes little memory.
    fn is_small(&self) -> bool {
        const MOST_STATES: usize = 16;
        matches!(self, Self::Stays(after) if after.len() <= MOST_STATES)
    }
}

impl Automaton {
    /// The greatest size that is added in finding out what a state does with characters, in that of expressions: nearly ten times what
    /// it takes for any of thousands of schemas. Of a very ambiguous pattern each state is made of thousands, and one character leads
    /// to hundreds of them: it takes a second to find out, and to walk without knowing a tenth of that.
    pub(super) const MOST_ADDED: usize = 1 << 15;

    /// The states after each of the characters that begin with some bytes, or the kinds of those that may leave the
    /// frame or complete it: all of them, where that takes too much to find out. Characters that no token holds do not count.
    pub(super) fn read_characters(
        &self,
        state: StateId,
        first: &ByteSet,
        deadline: &Deadline,
    ) -> Result<Step> {
        let known = self.cell(state).known_facts().and_then(|facts| facts.after_characters.get());
        if let Some((_, step)) = known.map(|known| &**known).filter(|(known, _)| known == first) {
            return Ok(step.clone());
        }
        let mut places = Places::from(state);
        let step = self.read_from(&mut places, first, deadline)?;
        if places.are_many() && step.is_small() {
            self.cell(state).facts().after_characters.get_or_init(|| Box::new((*first, step.clone())));
        }
        Ok(step)
    }

    fn read_from(&self, places: &mut Places, first: &ByteSet, deadline: &Deadline) -> Result<Step> {
        let mut after = Vec::new();
        let (most, mut states) = (self.size()? + Self::MOST_ADDED, self.state_count());
        while let Some(Place { position, state: at, kinds }) = places.next() {
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
                if states != self.state_count() {
                    states = self.state_count();
                    if self.size()? > most {
                        return Ok(Step::Leaves(Signature::of_any(first)));
                    }
                }
                for position in position.after_any(&class) {
                    if position == Utf8State::BOUNDARY {
                        after.push((arrival, kinds));
                        continue;
                    }
                    places.add(Place { position, state: arrival, kinds });
                }
            }
        }
        join_kinds(&mut after);
        Ok(Step::Stays(after))
    }

    /// Those of some bytes on which a state is known to do the same as on one; `None` where nothing is known of that.
    pub(crate) fn known_alike(&self, state: StateId, byte: u8, among: &ByteSet) -> Option<ByteSet> {
        match self.known_first_bytes(state) {
            Some(first) if !first.contains(byte) => Some(among.difference(first)),
            _ => self.cell(state).moves.get_class(byte, among).map(|(_, class)| class),
        }
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
        let mut places = Places::from(state);
        while let Some(Place { position, state: at, .. }) = places.next() {
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
                        position => {
                            places.add(Place { position, state: after, kinds: Signature::EMPTY });
                        }
                    }
                }
            }
        }
        Ok(true)
    }
}

/// A state between two bytes of a character, and the kinds of those that lead there.
#[derive(Clone, Copy)]
struct Place {
    position: Utf8State,
    state: StateId,
    kinds: Signature,
}

/// The places that are to be read from, in the order in which they were met. A class of letters of all scripts has hundreds.
struct Places {
    met: Vec<Place>,
    /// How many of them have been read from.
    read: usize,
    /// Where each was met last, once there are many.
    last: FxHashMap<(Utf8State, StateId), usize>,
}

impl Places {
    /// So many are looked through one by one.
    const FEW: usize = 16;

    fn from(state: StateId) -> Self {
        let first = Place { position: Utf8State::BOUNDARY, state, kinds: Signature::EMPTY };
        Self { met: vec![first], read: 0, last: FxHashMap::default() }
    }

    /// Whether there are so many that they take long to read from.
    fn are_many(&self) -> bool {
        self.met.len() > Self::FEW
    }

    fn next(&mut self) -> Option<Place> {
        let next = self.met.get(self.read).copied();
        self.read += 1;
        next
    }

    /// Adds a place behind the beginning of a character. What was read from already is read from again for other kinds.
    fn add(&mut self, place: Place) {
        let key = (place.position, place.state);
        match self.find(key) {
            Some(index) if index >= self.read => self.met[index].kinds |= place.kinds,
            Some(index) if place.kinds.is_within(self.met[index].kinds) => {}
            known => {
                // The last of several is that of all kinds.
                let mut kinds = place.kinds;
                kinds |= known.map_or(Signature::EMPTY, |index| self.met[index].kinds);
                self.met.push(Place { kinds, ..place });
                self.note();
            }
        }
    }

    fn find(&self, key: (Utf8State, StateId)) -> Option<usize> {
        match self.are_many() {
            true => self.last.get(&key).copied(),
            false => self.met.iter().rposition(|place| (place.position, place.state) == key),
        }
    }

    /// Notes where the places are that have not been noted, where these are many.
    fn note(&mut self) {
        let first = match self.met.len() {
            ..=Self::FEW => return,
            length if length == Self::FEW + 1 => 0,
            length => length - 1,
        };
        let places = self.met.iter().enumerate().skip(first);
        self.last.extend(places.map(|(index, place)| ((place.position, place.state), index)));
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
