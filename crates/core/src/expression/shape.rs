//! What plainly holds of all matches of an expression: their bytes, the last of them, and how long they are.
//!
//! Most often that shows at once whether an intersection matches anything. No match holds a byte that another operand never has, or
//! ends where no match of another does; and what is longer than all that a complement is of is not of that. To find such things out by
//! derivatives takes all that the operands can become: what is left of a date behind a `t`, say, where a pattern still asks for a
//! `T`, is tens of thousands of times; and to tell a name of up to 250 letters from a longer one takes 250 letters.

use smallvec::SmallVec;

use super::store::ExpressionMap;
use super::{ByteSet, Expression, ExpressionId, ExpressionStore};

/// What holds of all matches; of what matches nothing, whatever there is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// The bytes in every match.
    always: ByteSet,
    /// Those in some match, possibly more.
    ever: ByteSet,
    /// Those with which a match ends, possibly more.
    last: ByteSet,
    /// No match has fewer bytes.
    shortest: u32,
    /// No match has more; [`ExpressionStore::UNBOUNDED`] where there is no such number.
    longest: u32,
    /// Whether some match has each byte there ever is, and some the greatest length, or any length where none is.
    is_exact: bool,
}

impl Shape {
    const UNKNOWN: Self = Self {
        always: ByteSet::EMPTY,
        ever: ByteSet::ALL,
        last: ByteSet::ALL,
        shortest: 0,
        longest: ExpressionStore::UNBOUNDED,
        is_exact: false,
    };
    const EMPTY: Self = Self {
        always: ByteSet::EMPTY,
        ever: ByteSet::EMPTY,
        last: ByteSet::EMPTY,
        shortest: 0,
        longest: 0,
        is_exact: true,
    };
    const NOTHING: Self = Self { always: ByteSet::ALL, shortest: u32::MAX, ..Self::EMPTY };

    fn of_text(text: &[u8]) -> Self {
        let bytes = text.iter().copied().collect();
        let last = text.last().copied().into_iter().collect();
        let length = text.len() as u32;
        Self { always: bytes, ever: bytes, last, shortest: length, longest: length, is_exact: true }
    }

    fn of_byte(bytes: ByteSet) -> Self {
        let always = if bytes.len() == 1 { bytes } else { ByteSet::EMPTY };
        Self { always, ever: bytes, last: bytes, shortest: 1, longest: 1, is_exact: true }
    }

    /// Matches of both, one after the other.
    fn then(self, other: Self, other_is_nullable: bool) -> Self {
        Self {
            always: self.always.union(&other.always),
            ever: self.ever.union(&other.ever),
            last: if other_is_nullable { self.last.union(&other.last) } else { other.last },
            shortest: self.shortest.saturating_add(other.shortest),
            longest: self.longest.saturating_add(other.longest),
            is_exact: self.is_exact && other.is_exact,
        }
    }

    /// Matches of either.
    fn or(self, other: Self) -> Self {
        Self {
            always: self.always.intersection(&other.always),
            ever: self.ever.union(&other.ever),
            last: self.last.union(&other.last),
            shortest: self.shortest.min(other.shortest),
            longest: self.longest.max(other.longest),
            is_exact: self.is_exact && other.is_exact,
        }
    }

    /// What matches both. That some match has a byte or a length need not be so any more.
    fn and(self, other: Self) -> Self {
        Self {
            always: self.always.union(&other.always),
            ever: self.ever.intersection(&other.ever),
            last: self.last.intersection(&other.last),
            shortest: self.shortest.max(other.shortest),
            longest: self.longest.min(other.longest),
            is_exact: false,
        }
    }

    /// So many matches after one another, or more.
    fn repeated(self, minimum: u32, maximum: u32) -> Self {
        let always = if minimum == 0 { ByteSet::EMPTY } else { self.always };
        let longest = if self.longest == 0 { 0 } else { self.longest.saturating_mul(maximum) };
        let shortest = self.shortest.saturating_mul(minimum);
        Self { always, shortest, longest, ..self }
    }
}

impl ExpressionStore {
    /// Whether something over an alphabet matches an expression, where that shows by the shape of its operands. Takes time in
    /// proportion to what is not known of its parts.
    pub(super) fn is_plainly_alive(
        &self,
        id: ExpressionId,
        alphabet: &ByteSet,
        known: &mut ExpressionMap<Shape>,
    ) -> Option<bool> {
        /// What more is known takes more memory than it saves time: it is of few parts.
        const MOST_KNOWN: usize = 1 << 14;
        if known.len() > MOST_KNOWN {
            known.clear();
        }
        let mut shape = self.shape(id, known);
        shape.ever = shape.ever.intersection(alphabet);
        let lacks_bytes = !shape.always.difference(&shape.ever).is_empty();
        let ends_nowhere = !self.is_nullable(id) && shape.last.intersection(alphabet).is_empty();
        if lacks_bytes || ends_nowhere || shape.shortest > shape.longest {
            return Some(false);
        }
        let Expression::Intersection(list) = self.get(id) else { return None };
        let mut excluded: SmallVec<[ExpressionId; 4]> = SmallVec::new();
        let mut others: SmallVec<[ExpressionId; 4]> = SmallVec::new();
        for &operand in self.list(list) {
            match self.get(operand) {
                Expression::Complement(operand) => excluded.push(operand),
                _ => others.push(operand),
            }
        }
        if excluded.iter().any(|&excluded| self.takes_in(excluded, &shape)) {
            return Some(false);
        }
        match others.as_slice() {
            &[other] if self.goes_beyond(other, &excluded, alphabet, known) => Some(true),
            _ => None,
        }
    }

    /// The bytes with which matches can end; possibly more, never fewer.
    pub(super) fn last_bytes(&self, id: ExpressionId) -> ByteSet {
        self.shape(id, &mut ExpressionMap::default()).last
    }

    /// Whether an expression plainly matches all that has a shape: since it is a number of any of the characters that there are.
    fn takes_in(&self, id: ExpressionId, shape: &Shape) -> bool {
        match self.get(id) {
            Expression::Alternatives(list) => {
                self.list(list).iter().any(|&operand| self.takes_in(operand, shape))
            }
            Expression::Repetition { body, minimum, maximum } => {
                self.is_one_character(body)
                    && minimum <= shape.shortest
                    && shape.longest <= maximum
                    && shape.ever.is_within(0x00, 0x7F)
                    && shape.ever.difference(&self.first_bytes(body)).is_empty()
            }
            _ => false,
        }
    }

    /// Whether some match of one expression is plainly longer than all of others, or holds a byte that none of theirs does.
    fn goes_beyond(
        &self,
        id: ExpressionId,
        others: &[ExpressionId],
        alphabet: &ByteSet,
        known: &mut ExpressionMap<Shape>,
    ) -> bool {
        let shape = self.shape(id, known);
        if !shape.is_exact || !shape.ever.difference(alphabet).is_empty() {
            return false;
        }
        let all = others.iter().map(|&other| self.shape(other, known)).fold(Shape::EMPTY, Shape::or);
        shape.longest > all.longest || !shape.ever.difference(&all.ever).is_empty()
    }

    fn shape(&self, id: ExpressionId, known: &mut ExpressionMap<Shape>) -> Shape {
        /// Of so many fixed strings, or so deep, it takes longer to look than it helps.
        const MOST_STRINGS: u32 = 64;
        const DEEPEST: usize = 256;
        if let Some(&shape) = known.get(&id) {
            return shape;
        }
        if self.height(id) > DEEPEST {
            return Shape::UNKNOWN;
        }
        let shape = match self.get(id) {
            Expression::Nothing => Shape::NOTHING,
            Expression::Empty => Shape::EMPTY,
            Expression::Bytes(set) => Shape::of_byte(*self.byte_set(set)),
            Expression::Literals(range) if range.end - range.first <= MOST_STRINGS => {
                let left = self.literals_of(range).map(|literal| &literal[range.depth as usize..]);
                left.map(Shape::of_text).fold(Shape::NOTHING, Shape::or)
            }
            Expression::Concatenation(head, tail) => {
                self.shape(head, known).then(self.shape(tail, known), self.is_nullable(tail))
            }
            Expression::Alternatives(list) => {
                let operands = self.list(list).iter();
                operands.map(|&operand| self.shape(operand, known)).fold(Shape::NOTHING, Shape::or)
            }
            Expression::Intersection(list) => {
                let operands = self.list(list).iter();
                operands.map(|&operand| self.shape(operand, known)).fold(Shape::UNKNOWN, Shape::and)
            }
            Expression::Repetition { body, minimum, maximum } => {
                self.shape(body, known).repeated(minimum, maximum)
            }
            _ => Shape::UNKNOWN,
        };
        known.insert(id, shape);
        shape
    }
}

#[cfg(test)]
mod tests {
    use rustc_hash::FxHashSet;

    use super::*;

    /// Whether something over an alphabet matches, by all that an expression can become.
    fn has_match(store: &mut ExpressionStore, id: ExpressionId, alphabet: &ByteSet) -> bool {
        let (mut met, mut open) = (FxHashSet::from_iter([id]), vec![id]);
        while let Some(at) = open.pop() {
            if store.is_nullable(at) {
                return true;
            }
            for byte in alphabet.iter() {
                let next = store.derive_whole(at, byte, &mut ByteSet::ALL.clone());
                if met.insert(next) {
                    open.push(next);
                }
            }
        }
        false
    }

    /// Small expressions of all kinds over three letters and one that takes two bytes.
    fn some_expressions(store: &mut ExpressionStore) -> Vec<ExpressionId> {
        let sets = [&b"a"[..], b"b", b"ab", b"c", b"abc"].map(|set| set.iter().copied().collect());
        let words = ["ab", "ca", "bb", "é"].map(|word| store.literal(word.as_bytes()));
        let mut all: Vec<ExpressionId> = sets.into_iter().map(|set| store.bytes(set)).chain(words).collect();
        all.push(store.literals(vec![&b"abc"[..], b"aca"]));
        all.push(store.any_character());
        for at in 0..66 {
            let [one, other] = [at * 7 % all.len(), at * at % all.len()].map(|at| all[at]);
            all.push(match at % 6 {
                0 => store.concatenate(one, other),
                1 => store.alternatives(&[one, other]),
                2 => store.repetition(one, at as u32 % 2, Some(3)),
                3 => store.repetition(one, at as u32 % 2 * 2, None),
                4 => store.intersection(&[one, other]),
                _ => store.complement(one),
            });
        }
        all
    }

    #[test]
    fn what_is_plain_is_what_all_that_is_left_shows() {
        let mut store = ExpressionStore::new();
        let all = some_expressions(&mut store);
        let alphabets = [ByteSet::ALL, ByteSet::range(b'a', b'c'), ByteSet::range(b'a', b'b')];
        let (mut known, mut counts) = (ExpressionMap::default(), [0; 2]);
        for one in 0..all.len() {
            for other in 0..one {
                let not_other = store.complement(all[other]);
                for operands in [[all[one], all[other]], [all[one], not_other]] {
                    let both = store.intersection(&operands);
                    for alphabet in &alphabets {
                        if let Some(plain) = store.is_plainly_alive(both, alphabet, &mut known) {
                            counts[usize::from(plain)] += 1;
                            assert_eq!(plain, has_match(&mut store, both, alphabet), "{one} {other}");
                        }
                    }
                }
            }
        }
        assert!(counts.iter().all(|&count| count > 300), "{counts:?}");
    }

    /// Names of some length, as patterns of keys are: each pair is told without a search.
    #[test]
    fn names_are_told_apart_by_their_length_and_end() {
        let mut store = ExpressionStore::new();
        let letter = store.bytes(ByteSet::range(b'a', b'z'));
        let [bin, hex, ext] = ["_bin", "_hex", "-ext"].map(|end| store.literal(end.as_bytes()));
        let (name, endless) = (store.repetition(letter, 1, Some(246)), store.repetition(letter, 1, None));
        let [bin, hex, ext] =
            [(name, bin), (name, hex), (endless, ext)].map(|(begin, end)| store.concatenate(begin, end));
        let characters = store.bytes([b'_', b'-'].into_iter().chain(b'a'..=b'z').collect());
        let [any, some] = [0, 4].map(|least| store.repetition(characters, least, Some(250)));
        let mut known = ExpressionMap::default();
        let mut told = |one: ExpressionId, other: ExpressionId, is_not: bool| {
            let other = if is_not { store.complement(other) } else { other };
            let both = store.intersection(&[one, other]);
            store.is_plainly_alive(both, &ByteSet::ALL, &mut known)
        };
        assert_eq!(told(bin, hex, false), Some(false));
        assert_eq!([any, some].map(|other| told(bin, other, true)), [Some(false); 2]);
        assert_eq!(told(ext, any, true), Some(true));
    }
}
