//! Bytes that every match of an expression holds, and bytes that some may hold.
//!
//! Where an operand of an intersection needs a byte that another never holds, nothing matches. To find that out by derivatives takes all
//! that the other can become: what is left of a date behind a `t`, say, where a pattern still asks for a `T`, is tens of thousands of times.

use super::store::ExpressionMap;
use super::{ByteSet, Expression, ExpressionId, ExpressionStore};

/// The bytes that matches hold; of what matches nothing, whatever there is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    /// In every match.
    always: ByteSet,
    /// In some match, possibly more.
    ever: ByteSet,
}

impl Held {
    const UNKNOWN: Self = Self { always: ByteSet::EMPTY, ever: ByteSet::ALL };
    const NONE: Self = Self { always: ByteSet::EMPTY, ever: ByteSet::EMPTY };
    const NOTHING: Self = Self { always: ByteSet::ALL, ever: ByteSet::EMPTY };

    fn of_text(text: &[u8]) -> Self {
        let bytes = text.iter().copied().collect();
        Self { always: bytes, ever: bytes }
    }

    fn then(self, other: Self) -> Self {
        Self { always: self.always.union(&other.always), ever: self.ever.union(&other.ever) }
    }

    fn or(self, other: Self) -> Self {
        Self { always: self.always.intersection(&other.always), ever: self.ever.union(&other.ever) }
    }

    fn and(self, other: Self) -> Self {
        Self { always: self.always.union(&other.always), ever: self.ever.intersection(&other.ever) }
    }
}

impl ExpressionStore {
    /// Whether plainly nothing over an alphabet matches an expression, since each match would have to hold a byte that none holds.
    /// Takes time in proportion to what is not known of its parts.
    pub(super) fn lacks_needed_bytes(
        &self,
        id: ExpressionId,
        alphabet: &ByteSet,
        known: &mut ExpressionMap<Held>,
    ) -> bool {
        /// What more is known takes more memory than it saves time: it is of few parts.
        const MOST_KNOWN: usize = 1 << 14;
        if known.len() > MOST_KNOWN {
            known.clear();
        }
        let Held { always, ever } = self.held(id, known);
        !always.difference(&ever.intersection(alphabet)).is_empty()
    }

    fn held(&self, id: ExpressionId, known: &mut ExpressionMap<Held>) -> Held {
        /// Of so many fixed strings, or so deep, it takes longer to look than it helps.
        const MOST_STRINGS: u32 = 64;
        const DEEPEST: usize = 256;
        if let Some(&held) = known.get(&id) {
            return held;
        }
        if self.height(id) > DEEPEST {
            return Held::UNKNOWN;
        }
        let held = match self.get(id) {
            Expression::Nothing => Held::NOTHING,
            Expression::Empty => Held::NONE,
            Expression::Bytes(set) => {
                let ever = *self.byte_set(set);
                Held { always: if ever.len() == 1 { ever } else { ByteSet::EMPTY }, ever }
            }
            Expression::Literals(range) if range.end - range.first <= MOST_STRINGS => {
                let left = self.literals_of(range).map(|literal| &literal[range.depth as usize..]);
                left.map(Held::of_text).fold(Held::NOTHING, Held::or)
            }
            Expression::Concatenation(head, tail) => self.held(head, known).then(self.held(tail, known)),
            Expression::Alternatives(list) => {
                let operands = self.list(list).iter();
                operands.map(|&operand| self.held(operand, known)).fold(Held::NOTHING, Held::or)
            }
            Expression::Intersection(list) => {
                let operands = self.list(list).iter();
                operands.map(|&operand| self.held(operand, known)).fold(Held::UNKNOWN, Held::and)
            }
            Expression::Repetition { body, minimum, .. } => {
                let held = self.held(body, known);
                if minimum == 0 { held.or(Held::NONE) } else { held }
            }
            _ => Held::UNKNOWN,
        };
        known.insert(id, held);
        held
    }
}

#[cfg(test)]
mod tests {
    use super::super::every_text::texts;
    use super::*;

    #[test]
    fn nothing_matches_where_a_byte_is_needed_that_is_never_held() {
        let mut store = ExpressionStore::new();
        let letters =
            [&b"a"[..], b"b", b"ab", b"c", b"abc"].map(|set| store.bytes(set.iter().copied().collect()));
        let words = [&b"ab"[..], b"ca", b"bb"].map(|word| store.literal(word));
        let mut all: Vec<ExpressionId> = letters.into_iter().chain(words).collect();
        all.push(store.literals(vec![&b"abc"[..], b"aca"]));
        for at in 0..60 {
            let [one, other] = [at * 7 % all.len(), at * at % all.len()].map(|at| all[at]);
            all.push(match at % 5 {
                0 => store.concatenate(one, other),
                1 => store.alternatives(&[one, other]),
                2 => store.repetition(one, at as u32 % 2, Some(3)),
                3 => store.intersection(&[one, other]),
                _ => store.complement(one),
            });
        }
        let (mut known, mut lacking) = (ExpressionMap::default(), 0);
        let texts = texts(b"abc", 5);
        for one in 0..all.len() {
            for other in 0..one {
                let both = store.intersection(&[all[one], all[other]]);
                for alphabet in [ByteSet::ALL, ByteSet::range(b'a', b'b')] {
                    if both != ExpressionStore::NOTHING
                        && store.lacks_needed_bytes(both, &alphabet, &mut known)
                    {
                        lacking += 1;
                        let spelled = |text: &&Vec<u8>| text.iter().all(|&byte| alphabet.contains(byte));
                        let found = texts.iter().filter(spelled).find(|text| store.matches(both, text));
                        assert_eq!(found, None, "{one} {other}");
                    }
                }
            }
        }
        assert!(lacking > 100, "{lacking}");
    }
}
