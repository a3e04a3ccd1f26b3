//! One matcher and the oracle side by side.

use std::sync::Arc;

use crate::engine::{Engine, Outcome};
use crate::mismatch::describe_masks;
use crate::oracle::{Oracle, Piece};
use crate::program::Program;
use crate::random::Random;
use crate::random_case::Case;

/// What has been compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Grammars that match something.
    pub grammars: usize,
    /// Grammars that match nothing with their vocabulary.
    pub empty_grammars: usize,
    /// Masks compared with the oracle.
    pub masks: usize,
    /// Token ids compared with the oracle.
    pub tokens: usize,
    /// Checks that the engine agrees with itself and with the oracle in other ways than by a mask.
    pub checks: usize,
    /// Forced texts that are right but shorter than they could be.
    pub short_forced_texts: usize,
}

impl Tally {
    /// Adds another tally.
    pub fn add(&mut self, other: &Self) {
        self.grammars += other.grammars;
        self.empty_grammars += other.empty_grammars;
        self.masks += other.masks;
        self.tokens += other.tokens;
        self.checks += other.checks;
        self.short_forced_texts += other.short_forced_texts;
    }
}

/// A matcher and an oracle that have taken the same pieces.
pub(crate) struct Walk<'a, E: Engine> {
    pub(crate) engine: &'a E,
    pub(crate) case: &'a Case,
    pub(crate) constraint: &'a E::Constraint,
    pub(crate) matcher: E::Matcher,
    pub(crate) oracle: Oracle,
    pub(crate) pieces: Vec<Piece>,
    /// The mask before each piece and, after [`observe`](Self::observe), the one after the last.
    pub(crate) masks: Vec<Vec<u32>>,
    pub(crate) random: &'a mut Random,
    pub(crate) tally: &'a mut Tally,
}

impl<'a, E: Engine> Walk<'a, E> {
    pub(crate) fn new(
        engine: &'a E,
        case: &'a Case,
        constraint: &'a E::Constraint,
        program: &Arc<Program>,
        random: &'a mut Random,
        tally: &'a mut Tally,
    ) -> Self {
        Self {
            engine,
            case,
            constraint,
            matcher: engine.matcher(constraint),
            oracle: Oracle::new(program),
            pieces: Vec::new(),
            masks: Vec::new(),
            random,
            tally,
        }
    }

    /// Compares everything that can be seen now, and remembers the mask.
    pub(crate) fn observe(&mut self) -> Outcome<()> {
        let expected = self.oracle.mask();
        let actual = self.mask_of(&mut self.matcher.clone())?;
        self.tally.masks += 1;
        self.tally.tokens += self.case.vocabulary.size;
        require_equal_masks(self.case, &expected, &actual, "mask")?;
        let (complete, finished) =
            (self.engine.is_complete(&self.matcher), self.engine.is_finished(&self.matcher));
        if complete != self.oracle.is_sentence() {
            return Err(format!("is_complete is {complete}, but should be {}", !complete));
        }
        if finished {
            return Err("is_finished before a stop token".to_owned());
        }
        self.masks.push(expected);
        Ok(())
    }

    /// The mask of a matcher. The row is filled with rubbish before, so that every word must be written.
    pub(crate) fn mask_of(&self, matcher: &mut E::Matcher) -> Outcome<Vec<u32>> {
        let mut row = vec![0xdead_beef; self.case.vocabulary.mask_words()];
        self.engine.fill_mask(matcher, &mut row)?;
        Ok(row)
    }

    /// Gives both the same piece, which the oracle allows.
    pub(crate) fn advance(&mut self, piece: Piece) -> Outcome<()> {
        give(self.engine, &mut self.matcher, &piece)?;
        self.oracle.push(&piece);
        self.pieces.push(piece);
        Ok(())
    }

    /// The mask as it was seen last.
    pub(crate) fn mask(&self) -> &[u32] {
        self.masks.last().map_or(&[], Vec::as_slice)
    }

    /// The ids of which the last mask has the bit set or not.
    pub(crate) fn ids(&self, allowed: bool) -> Vec<u32> {
        (0..self.case.vocabulary.size as u32).filter(|&id| has(self.mask(), id) == allowed).collect()
    }

    /// Requires that a matcher has this mask.
    pub(crate) fn expect_mask(&self, matcher: &mut E::Matcher, expected: &[u32], when: &str) -> Outcome<()> {
        require_equal_masks(self.case, expected, &self.mask_of(matcher)?, when)
    }

    /// Requires that nothing about the matcher itself has changed since it was observed.
    pub(crate) fn expect_unchanged(&self, when: &str) -> Outcome<()> {
        self.expect_mask(&mut self.matcher.clone(), self.mask(), when)?;
        require(self.engine.is_complete(&self.matcher) == self.oracle.is_sentence(), || {
            format!("is_complete changed {when}")
        })
    }

    /// Gives a matcher at the beginning all pieces, and requires the masks seen before at every step.
    pub(crate) fn expect_repetition(&self, matcher: &mut E::Matcher, when: &str) -> Outcome<()> {
        for (piece, mask) in self.pieces.iter().zip(&self.masks) {
            self.expect_mask(matcher, mask, when)?;
            give(self.engine, matcher, piece)?;
        }
        self.expect_mask(matcher, self.mask(), when)
    }
}

/// Makes a matcher accept a piece.
pub(crate) fn give<E: Engine>(engine: &E, matcher: &mut E::Matcher, piece: &Piece) -> Outcome<()> {
    let accepted = match piece {
        Piece::Token(id) => engine.accept(matcher, *id)?,
        Piece::Bytes(bytes) => engine.accept_bytes(matcher, bytes)?,
    };
    require(accepted, || format!("{piece:?} was not accepted"))
}

/// Whether the mask has the bit of the id.
pub(crate) fn has(mask: &[u32], id: u32) -> bool {
    mask.get(id as usize / 32).is_some_and(|word| word >> (id % 32) & 1 == 1)
}

/// An error unless the condition holds.
pub(crate) fn require(condition: bool, difference: impl FnOnce() -> String) -> Outcome<()> {
    if condition { Ok(()) } else { Err(difference()) }
}

fn require_equal_masks(case: &Case, expected: &[u32], actual: &[u32], when: &str) -> Outcome<()> {
    require(expected == actual, || format!("{when}: {}", describe_masks(case, expected, actual)))
}
