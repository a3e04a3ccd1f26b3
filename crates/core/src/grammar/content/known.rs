//! What is known of the content of parts, in little room: most parts are expressions, whose ids count from zero.

use rustc_hash::FxHashMap;

use crate::expression::{ContentHash, Part};

/// What is known of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// Being looked at: the index of its node.
    Open(u32),
    /// `None` for what cannot be described, or has the hash of something else.
    Done(Option<ContentHash>),
}

/// What is known of some parts.
#[derive(Debug, Default)]
pub(super) struct KnownParts {
    /// By their ids, as far as any was asked for.
    expressions: Vec<Code>,
    others: FxHashMap<Part, Code>,
    hashes: Vec<ContentHash>,
}

/// A [`Known`] in 32 bits, or none: twice the index of a node or hash, with a bit that says which, behind two codes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Code(u32);

impl Code {
    const UNKNOWN: Self = Self(0);
    const WITHOUT_CONTENT: Self = Self(1);
    const FIRST: u32 = 2;
}

impl KnownParts {
    pub(super) fn get(&self, part: Part) -> Option<Known> {
        let code = match part {
            Part::Expression(id) => self.expressions.get(id.index()),
            part => self.others.get(&part),
        };
        match code.copied().unwrap_or_default() {
            Code::UNKNOWN => None,
            Code::WITHOUT_CONTENT => Some(Known::Done(None)),
            Code(code) => {
                let (index, is_open) = ((code - Code::FIRST) / 2, code % 2 == 1);
                Some(match is_open {
                    true => Known::Open(index),
                    false => Known::Done(Some(self.hashes[index as usize])),
                })
            }
        }
    }

    pub(super) fn insert(&mut self, part: Part, known: Known) {
        let code = match known {
            Known::Open(index) => Code(Code::FIRST + 2 * index + 1),
            Known::Done(None) => Code::WITHOUT_CONTENT,
            Known::Done(Some(hash)) => {
                self.hashes.push(hash);
                Code(Code::FIRST + 2 * (self.hashes.len() as u32 - 1))
            }
        };
        self.set(part, code);
    }

    pub(super) fn remove(&mut self, part: Part) {
        self.set(part, Code::UNKNOWN);
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
                for known in
                    [Known::Open(5 + hash as u32), Known::Done(None), Known::Done(Some(ContentHash(hash)))]
                {
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
