//! What is known of the content of parts, in little room: most parts are expressions, whose ids count from zero.

use rustc_hash::FxHashMap;

use crate::expression::{ContentHash, Mark, Part};

/// What is known of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// Being looked at: the index of its node.
    Open(u32),
    /// `None` for what cannot be described, or has the hash of something else.
    Done(Option<ContentHash>),
    /// Not registered, as long as the registry lacks a mark.
    Absent(Mark),
}

/// What is known of some parts.
#[derive(Debug, Default)]
pub(super) struct KnownParts {
    /// By their ids, as far as any was asked for.
    expressions: Vec<Code>,
    others: FxHashMap<Part, Code>,
    hashes: Vec<ContentHash>,
}

/// A [`Known`] in 32 bits, or none: the index of a node or hash, or the number of a mark, times three, with which it
/// is, behind two codes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Code(u32);

impl Code {
    const UNKNOWN: Self = Self(0);
    const WITHOUT_CONTENT: Self = Self(1);
    const FIRST: u32 = 2;
    const OPEN: u32 = 0;
    const DONE: u32 = 1;
    const ABSENT: u32 = 2;

    fn of(which: u32, index: u32) -> Self {
        Self(Self::FIRST + 3 * index + which)
    }

    /// Which it is, and the index; `None` for the two codes.
    fn split(self) -> Option<(u32, u32)> {
        let code = self.0.checked_sub(Self::FIRST)?;
        Some((code % 3, code / 3))
    }
}

impl KnownParts {
    pub(super) fn get(&self, part: Part) -> Option<Known> {
        let code = self.code(part);
        match code.split() {
            None if code == Code::WITHOUT_CONTENT => Some(Known::Done(None)),
            None => None,
            Some((Code::OPEN, index)) => Some(Known::Open(index)),
            Some((Code::DONE, index)) => Some(Known::Done(Some(self.hashes[index as usize]))),
            Some((_, index)) => Some(Known::Absent(Mark::new(index))),
        }
    }

    pub(super) fn insert(&mut self, part: Part, known: Known) {
        self.insert_all(std::iter::once(part), known);
    }

    pub(super) fn insert_all(&mut self, parts: impl Iterator<Item = Part>, known: Known) {
        let code = match known {
            Known::Open(index) => Code::of(Code::OPEN, index),
            Known::Done(None) => Code::WITHOUT_CONTENT,
            Known::Done(Some(hash)) => {
                self.hashes.push(hash);
                Code::of(Code::DONE, self.hashes.len() as u32 - 1)
            }
            Known::Absent(mark) => Code::of(Code::ABSENT, mark.number()),
        };
        parts.for_each(|part| self.set(part, code));
    }

    pub(super) fn remove(&mut self, part: Part) {
        self.set(part, Code::UNKNOWN);
    }

    fn code(&self, part: Part) -> Code {
        let code = match part {
            Part::Expression(id) => self.expressions.get(id.index()),
            part => self.others.get(&part),
        };
        code.copied().unwrap_or_default()
    }

    fn set(&mut self, part: Part, code: Code) {
        match part {
            Part::Expression(id) => {
                if self.expressions.len() <= id.index() {
                    self.expressions.resize(id.index() + 1, Code::UNKNOWN);
                }
                self.expressions[id.index()] = code;
            }
            part => {
                self.others.insert(part, code);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::{ExpressionStore, RuleId};

    #[test]
    fn what_was_told_last_is_known() {
        let mut parts = KnownParts::default();
        for part in [Part::Expression(ExpressionStore::EMPTY), Part::Rule(RuleId(7))] {
            assert_eq!(parts.get(part), None);
            for hash in 0..3 {
                for known in [
                    Known::Open(5 + hash as u32),
                    Known::Done(None),
                    Known::Done(Some(ContentHash(hash))),
                    Known::Absent(Mark::new(hash as u32 + Mark::COUNT - 2)),
                ] {
                    parts.insert(part, known);
                    assert_eq!(parts.get(part), Some(known));
                }
            }
            parts.remove(part);
            assert_eq!(parts.get(part), None);
        }
        assert_eq!(parts.get(Part::Expression(ExpressionStore::NOTHING)), None);
    }
}
