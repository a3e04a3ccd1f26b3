//! Members in any order.
//!
//! A grammar that wrote out all orders of n members would have n! of them. An
//! [`Unordered`](super::Expression::Unordered) keeps the set of the members still to come instead: reading one leaves
//! the set without it, so that only the orders are ever made that a text tries, and two orders of the same members
//! lead to the same expression.
//!
//! With S the members to come and s the separator, it matches
//!
//! * at its beginning: `m rest(S - m)` for each member m, and nothing at all where no member is required;
//! * later: `rest(S)`, which is `s m rest(S - m)` for each m, and nothing where no member of S is required.

use smallvec::SmallVec;

use super::content::Description;
use super::{ExpressionId, ExpressionStore};
use crate::bits::indices;

/// The members of an [`ExpressionStore`]'s unordered expressions, with their separator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct MembersId(pub(super) u32);

/// An interned set of members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct MemberSetId(pub(super) u32);

/// Members, and what stands between two of them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Members {
    /// Each with whether it is required.
    members: Box<[(ExpressionId, bool)]>,
    separator: ExpressionId,
}

/// An unordered expression: what an [`Unordered`](super::Expression::Unordered) holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Unordered {
    members: MembersId,
    /// The members still to come.
    left: MemberSetId,
    /// Whether none has come.
    is_first: bool,
}

impl ExpressionStore {
    /// Matches each of some members once at most, in any order, those that are required once exactly, with a separator
    /// between two.
    pub(crate) fn any_order(
        &mut self,
        members: &[(ExpressionId, bool)],
        separator: ExpressionId,
    ) -> ExpressionId {
        if members.contains(&(Self::NOTHING, true)) {
            return Self::NOTHING;
        }
        let members: Vec<_> = members.iter().copied().filter(|&(id, _)| id != Self::NOTHING).collect();
        let required: Vec<ExpressionId> =
            members.iter().filter(|&&(_, is_required)| is_required).map(|&(id, _)| id).collect();
        if separator == Self::NOTHING || members.len() < 2 {
            // One at most.
            return match required.as_slice() {
                [] => {
                    let any: Vec<ExpressionId> =
                        members.iter().map(|&(id, _)| id).chain([Self::EMPTY]).collect();
                    self.alternatives(&any)
                }
                [single] => *single,
                _ => Self::NOTHING,
            };
        }
        let mut left = vec![0u64; members.len().div_ceil(64)];
        (0..members.len()).for_each(|at| left[at / 64] |= 1 << (at % 64));
        let members = self.intern_members(Members { members: members.into(), separator });
        let left = self.intern_member_set(&left);
        self.intern(super::Expression::Unordered(Unordered { members, left, is_first: true }))
    }

    /// The same expression with other members and another separator, each in the place of the one before.
    pub(crate) fn any_order_from(
        &mut self,
        source: &Self,
        unordered: Unordered,
        map: impl Fn(ExpressionId) -> ExpressionId,
    ) -> ExpressionId {
        let (members, separator) = source.members_as(unordered, map);
        self.any_order(&members, separator)
    }

    /// The same within one store.
    pub(crate) fn any_order_with(
        &mut self,
        unordered: Unordered,
        map: impl Fn(ExpressionId) -> ExpressionId,
    ) -> ExpressionId {
        let (members, separator) = self.members_as(unordered, map);
        self.any_order(&members, separator)
    }

    /// What stands in the place of each member, with whether it is required, and of the separator.
    fn members_as(
        &self,
        unordered: Unordered,
        map: impl Fn(ExpressionId) -> ExpressionId,
    ) -> (Vec<(ExpressionId, bool)>, ExpressionId) {
        debug_assert!(unordered.is_first, "what is rebuilt has not been read");
        let Members { members, separator } = self.members(unordered.members);
        let members = members.iter().map(|&(id, is_required)| (map(id), is_required)).collect();
        (members, map(*separator))
    }

    /// The members still to come, by their places.
    fn places_left(&self, unordered: Unordered) -> impl Iterator<Item = usize> {
        indices(self.member_set(unordered.left).iter().copied())
    }

    /// The members still to come, each with whether it is required.
    pub(super) fn members_left(&self, unordered: Unordered) -> SmallVec<[(ExpressionId, bool); 8]> {
        let members = &self.members(unordered.members).members;
        self.places_left(unordered).map(|at| members[at]).collect()
    }

    pub(super) fn separator(&self, unordered: Unordered) -> ExpressionId {
        self.members(unordered.members).separator
    }

    /// The separator, and the members still to come.
    pub(super) fn unordered_operands(&self, unordered: Unordered) -> SmallVec<[ExpressionId; 4]> {
        let members = self.members_left(unordered).into_iter().map(|(id, _)| id);
        [self.separator(unordered)].into_iter().chain(members).collect()
    }

    /// Whether it has a match of some kind, such as the empty one or any at all, given which operands have: all required
    /// members, and the separator where one stands between two of them or before the first.
    pub(crate) fn has_match_unordered(
        &self,
        unordered: Unordered,
        has_match: impl Fn(ExpressionId) -> bool,
    ) -> bool {
        let mut required = 0;
        for (member, is_required) in self.members_left(unordered) {
            if is_required && !has_match(member) {
                return false;
            }
            required += usize::from(is_required);
        }
        required <= usize::from(unordered.is_first) || has_match(self.separator(unordered))
    }

    /// The operands that a match can begin with; possibly more, never fewer.
    pub(crate) fn unordered_heads(&self, unordered: Unordered) -> SmallVec<[ExpressionId; 4]> {
        let mut heads = self.unordered_operands(unordered);
        let separator = heads[0];
        if !unordered.is_first && !self.is_nullable(separator) {
            heads.truncate(1);
        } else if unordered.is_first && !heads[1..].iter().any(|&member| self.is_nullable(member)) {
            heads.remove(0);
        }
        heads
    }

    /// What may come next: each choice is what is read of the expression first, maybe a member after it, and what is
    /// left then.
    ///
    /// No member is passed over unread but before a separator, since that leaves nothing that could not be reached
    /// without it: [`has_match_unordered`](Self::has_match_unordered) does not miss it.
    pub(super) fn unordered_choices(&mut self, unordered: Unordered) -> Vec<Choice> {
        let places: SmallVec<[usize; 8]> = self.places_left(unordered).collect();
        let Members { members, separator } = self.members(unordered.members);
        let separator = *separator;
        let members: SmallVec<[(usize, ExpressionId); 8]> =
            places.iter().map(|&at| (at, members[at].0)).collect();
        let mut choices = Vec::new();
        for &(at, member) in &members {
            if unordered.is_first || self.is_nullable(separator) {
                choices.push(Choice { head: member, member: None, rest: unordered.without(&[at]) });
            }
            if !unordered.is_first {
                choices.push(Choice {
                    head: separator,
                    member: Some(member),
                    rest: unordered.without(&[at]),
                });
            } else if self.is_nullable(member) {
                for &(next, after) in members.iter().filter(|&&(next, _)| next != at) {
                    let rest = unordered.without(&[at, next]);
                    choices.push(Choice { head: separator, member: Some(after), rest });
                }
            }
        }
        choices
    }

    /// What is left without some members.
    pub(super) fn unordered_rest(&mut self, rest: &Rest) -> ExpressionId {
        let mut left = self.member_set(rest.unordered.left).to_vec();
        rest.taken.iter().for_each(|at| left[at / 64] &= !(1 << (at % 64)));
        if left.iter().all(|&bits| bits == 0) {
            return Self::EMPTY;
        }
        let left = self.intern_member_set(&left);
        self.intern(super::Expression::Unordered(Unordered { left, is_first: false, ..rest.unordered }))
    }

    /// Adds what is not an operand to the label of an unordered expression.
    pub(super) fn describe_unordered(&self, unordered: Unordered, out: &mut Description) {
        out.flag(unordered.is_first);
        let left = self.members_left(unordered);
        out.number(left.len() as u64);
        left.iter().for_each(|&(_, is_required)| out.flag(is_required));
    }
}

/// One way in which an unordered expression can go on.
pub(super) struct Choice {
    pub(super) head: ExpressionId,
    pub(super) member: Option<ExpressionId>,
    pub(super) rest: Rest,
}

/// An unordered expression without one or two of its members; made only where it is needed.
#[derive(Clone, Debug)]
pub(super) struct Rest {
    unordered: Unordered,
    taken: SmallVec<[usize; 2]>,
}

impl Unordered {
    /// Whether no member has come.
    pub(crate) fn is_unread(self) -> bool {
        self.is_first
    }

    fn without(self, taken: &[usize]) -> Rest {
        Rest { unordered: self, taken: SmallVec::from_slice(taken) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::ByteSet;
    use super::*;

    /// All texts of the definition, by trying all orders.
    fn by_definition(members: &[(&[&str], bool)], separator: &[&str]) -> Vec<String> {
        let mut texts = Vec::new();
        let mut waiting = vec![(String::new(), Vec::<usize>::new())];
        while let Some((text, come)) = waiting.pop() {
            if (0..members.len()).all(|at| come.contains(&at) || !members[at].1) {
                texts.push(text.clone());
            }
            for at in (0..members.len()).filter(|at| !come.contains(at)) {
                for member in members[at].0 {
                    for separator in if come.is_empty() { &[""] } else { separator } {
                        let come = come.iter().copied().chain([at]).collect();
                        waiting.push((format!("{text}{separator}{member}"), come));
                    }
                }
            }
        }
        texts.sort_unstable();
        texts.dedup();
        texts
    }

    /// All texts of up to so many bytes that an expression matches.
    fn texts(store: &mut ExpressionStore, id: ExpressionId, length: usize, alphabet: &[u8]) -> Vec<String> {
        let mut found = Vec::new();
        let mut waiting = vec![(String::new(), id)];
        while let Some((text, at)) = waiting.pop() {
            if store.is_nullable(at) {
                found.push(text.clone());
            }
            for &byte in alphabet.iter().filter(|_| text.len() < length) {
                let mut derivatives = super::super::Derivatives::new();
                store.derive(at, super::super::Symbol::Byte(byte), &mut derivatives);
                let next = store.alternatives(&derivatives.rest);
                if next != ExpressionStore::NOTHING {
                    waiting.push((format!("{text}{}", char::from(byte)), next));
                }
            }
        }
        found.sort_unstable();
        found
    }

    #[test]
    fn members_come_in_any_order_as_the_definition_has_it() {
        let choices: [&[&str]; 4] = [&["a"], &["", "b"], &["c", "a"], &[""]];
        let separators: [&[&str]; 4] = [&[""], &[","], &["", ","], &["", "b"]];
        let mut compared = 0;
        for separator in separators {
            for shape in 0..choices.len().pow(3) * 8 {
                let (flags, shape) = (shape % 8, shape / 8);
                let members: Vec<(&[&str], bool)> = (0..3)
                    .map(|at| (choices[shape / choices.len().pow(at) % choices.len()], flags >> at & 1 == 1))
                    .collect();
                let mut store = ExpressionStore::new();
                let literals = |store: &mut ExpressionStore, texts: &[&str]| {
                    store.literals(texts.iter().map(|text| text.as_bytes().to_vec()).collect())
                };
                let operands: Vec<(ExpressionId, bool)> =
                    members.iter().map(|&(texts, flag)| (literals(&mut store, texts), flag)).collect();
                let between = literals(&mut store, separator);
                let any_order = store.any_order(&operands, between);
                let expected = by_definition(&members, separator);
                let found = texts(&mut store, any_order, 6, b"abc,");
                assert_eq!(found, expected, "{members:?} between {separator:?}");
                let heads = match store.get(any_order) {
                    super::super::Expression::Unordered(unordered) => store.unordered_heads(unordered),
                    _ => SmallVec::from_slice(&[any_order]),
                };
                let first = heads.iter().fold(ByteSet::EMPTY, |all, &id| all.union(&store.first_bytes(id)));
                assert!(
                    expected.iter().filter_map(|text| text.bytes().next()).all(|byte| first.contains(byte))
                );
                compared += expected.len();
            }
        }
        assert!(compared > 10_000, "{compared} texts");
    }

    #[test]
    fn a_hundred_members_take_no_more_expressions_than_a_text_has_bytes() {
        let mut store = ExpressionStore::new();
        let members: Vec<(ExpressionId, bool)> =
            (0..100u8).map(|byte| (store.literal(&[byte, b'!']), true)).collect();
        let any_order = store.any_order(&members, ExpressionStore::EMPTY);
        let before = store.len();
        let text: Vec<u8> = (0..100u8).rev().flat_map(|byte| [byte, b'!']).collect();
        let mut at = any_order;
        for &byte in &text {
            let mut derivatives = super::super::Derivatives::new();
            store.derive(at, super::super::Symbol::Byte(byte), &mut derivatives);
            at = store.alternatives(&derivatives.rest);
        }
        assert_eq!(at, ExpressionStore::EMPTY);
        assert!(store.len() - before <= 400, "{} expressions", store.len() - before);
    }

    #[test]
    fn sets_of_members_count_as_what_they_take() {
        let mut store = ExpressionStore::new();
        let members: Vec<(ExpressionId, bool)> = (0..=255u8)
            .flat_map(|first| (0..4u8).map(move |second| [first, second]))
            .map(|name| (store.literal(&name), false))
            .collect();
        let mut at = store.any_order(&members, ExpressionStore::EMPTY);
        let (nodes, size) = (store.len(), store.size());
        for byte in (0..100u8).flat_map(|first| [first, 2]) {
            let mut derivatives = super::super::Derivatives::new();
            store.derive(at, super::super::Symbol::Byte(byte), &mut derivatives);
            at = store.alternatives(&derivatives.rest);
        }
        let sets = store.size() - size - (store.len() - nodes);
        let bytes = 100 * members.len() / 8;
        assert!(sets * 50 >= bytes, "{sets} for {bytes} bytes");
    }
}
